/**
 * Parses the variables of a `.env` file as the common readers do.
 *
 * Supports `export` before a name, and `=` or `: ` after it, with blanks around both. Comments can be on their own lines and
 * after an unquoted value. Values can be in single quotes or backticks (literal) or in double quotes (with escapes), over several
 * lines. The last assignment of a name wins. Nothing is expanded: a reference to another variable is kept as text.
 */

const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*(?:=|:[ \t])[ \t]*/

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

const unescape = (text: string): string =>
  text.replace(
    /\\([^])/g,
    (sequence, character: string) => escapes[character] ?? (/["\\$`]/.test(character) ? character : sequence)
  )

const closingQuote = (text: string, start: number): number => {
  const quote = text[start]!
  for (let at = start + 1; at < text.length; at++) {
    if (quote === "\"" && text[at] === "\\") at++
    else if (text[at] === quote) return at
  }
  return -1
}

/** Lists every assignment in order, even if a later assignment overrides it. */
export const envAssignments = (content: string): ReadonlyArray<readonly [variable: string, value: string]> => {
  const text = content.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")
  const variables: Array<readonly [string, string]> = []
  let at = 0
  while (at < text.length) {
    const newline = text.indexOf("\n", at)
    const lineEnd = newline === -1 ? text.length : newline
    const line = text.slice(at, lineEnd)
    const found = assignment.exec(line)
    let next = lineEnd + 1
    if (found !== null) {
      const start = at + found[0].length
      const quote = text[start] ?? ""
      const end = /["'`]/.test(quote) ? closingQuote(text, start) : -1
      if (end === -1) {
        variables.push([found[1]!, line.slice(found[0].length).replace(/(?:^|[ \t])#.*$/, "").trim()])
      } else {
        const inner = text.slice(start + 1, end)
        variables.push([found[1]!, quote === "\"" ? unescape(inner) : inner])
        const after = text.indexOf("\n", end)
        next = after === -1 ? text.length : after + 1
      }
    }
    at = next
  }
  return variables
}

export const parseEnvFile = (content: string): ReadonlyMap<string, string> => new Map(envAssignments(content))
