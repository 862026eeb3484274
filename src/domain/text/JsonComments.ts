/** Reads JSON as Visual Studio Code does: spaces replace a byte order mark, comments, and commas before a closing bracket. */
export const withoutComments = (text: string): string => {
  // A string or comment without an end extends to the end of the text: a search for ends would take quadratic time.
  const strings = /"(?:[^"\\]|\\[^]?)*(?:"|$)/.source
  return text.replace(/^\uFEFF/, " ")
    .replaceAll(
      new RegExp(`${strings}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, "g"),
      (found) => found.startsWith("\"") ? found : found.replaceAll(/[^\n]/g, " ")
    )
    .replaceAll(new RegExp(`${strings}|,(?=\\s*[\\]}])`, "g"), (found) => found === "," ? " " : found)
}
