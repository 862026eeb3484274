/** Makes text from outside safe for a terminal. This is a separate file so that shell completion loads little code. */

// Bidirectional controls, which display text in another order than it is stored, and line separators that JSON does not
// escape.
export const invisible = "\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ufeff"
// All control characters except tab and newline could move the cursor or start an escape sequence.
const unsafe = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${invisible}]`, "g")

/** A fast test that most text passes, cheaper than searching for unsafe characters. */
const onlyPrintable = /^[\x20-\x7e]*$/

/** Removes control characters except newline and tab, and bidirectional overrides. */
export const sanitize = (text: string): string => text.replace(unsafe, "")

export const sanitizeLine = (text: string): string =>
  onlyPrintable.test(text) ? text : sanitize(text.replace(/[\n\t\r]+/g, " "))

/**
 * Makes text from a provider or a definition safe for a model: one line of limited length, without control characters, and without
 * characters that the user would not see, such as the tags that spell instructions (U+E0020 to U+E007E).
 */
export const singleLine = (text: string, longest = 300): string => {
  const line = sanitizeLine(text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")).trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
