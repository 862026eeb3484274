/**
 * Quotes a string as one word of a POSIX shell or of fish, which interprets a backslash within quotes if a backslash or a
 * quote follows.
 */
export const shellQuoted = (text: string): string => `'${text.replaceAll(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`

/** Quotes a string only if it has characters that a shell may interpret, for commands that people read. */
export const shellWord = (text: string): string => /^[\w./:@%+,=-]+$/.test(text) ? text : shellQuoted(text)
