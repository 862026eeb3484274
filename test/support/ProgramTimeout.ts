/**
 * The time limit in milliseconds for a program that a test starts: shorter than the test's own limit
 * (vitest.config.ts), so that a hanging program's output is reported, and long enough for a machine under load.
 */
export const programTimeout = 170_000
