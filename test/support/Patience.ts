/**
 * Milliseconds that a program has which a test started: less than the test itself (vitest.config.ts), so that what it said is
 * told when it hangs, and more than it takes on a machine that does ten other things.
 */
export const patience = 170_000
