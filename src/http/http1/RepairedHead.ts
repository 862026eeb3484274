/**
 * Repairs the head of a response as RFC 9112 allows for recipients: bare line feeds (section 2.2), white space before a colon (section
 * 5.1) and folded lines (section 5.2), and one length that is given repeatedly (RFC 9110 section 8.6). The parser reads the repaired
 * head, so nothing else becomes valid.
 */

const END = /\r?\n\r?\n/

/** The offset of what follows the head; -1 if its end has not arrived. */
export const headEnd = (text: string): number => {
  const found = END.exec(text)
  return found === null ? -1 : found.index + found[0].length
}

/** A line that begins with white space and is no part of a field would be read as a field of its own by some recipients. */
const NO_FIELD = /^[^\n]*\n[ \t]/

const LENGTH = /^content-length:(.*)\r\n/gim

const withOneLength = (head: string): string => {
  const lengths = [...head.matchAll(LENGTH)].flatMap(([, value = ""]) => value.split(",").map((one) => one.trim()))
  const [length = ""] = lengths
  if (lengths.length < 2 || !/^\d+$/.test(length) || lengths.some((other) => other !== length)) return head
  return head.replaceAll(LENGTH, "").replace(/\r\n$/, `Content-Length: ${length}\r\n\r\n`)
}

/** The head as the parser accepts it; undefined if there is nothing to repair. */
export const repairedHead = (head: string): string | undefined => {
  if (NO_FIELD.test(head)) return undefined
  const repaired = withOneLength(
    head
      .replaceAll(/\r?\n/g, "\r\n")
      .replaceAll(/[ \t]*\r\n[ \t]+(?=[^\s])/g, " ")
      .replaceAll(/^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]+:/gm, "$1:")
  )
  return repaired === head ? undefined : repaired
}
