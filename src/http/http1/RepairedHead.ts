/**
 * Repairs the head of a response as RFC 9112 allows: bare line feeds (section 2.2), white space before a colon (section 5.1),
 * folded lines (section 5.2) and a length in addition to chunks (section 6.3). RFC 9110 allows further repairs: control
 * characters in values (section 5.5) and a repeated length (section 8.6). A transfer coding `identity` on its own means none, as
 * in RFC 2616. The parser reads the repaired head, so nothing else becomes valid.
 */

const END = /\r?\n\r?\n/

/** The offset after the head; -1 if its end has not arrived. */
export const headEnd = (text: string): number => {
  const found = END.exec(text)
  return found === null ? -1 : found.index + found[0].length
}

/** Some recipients would read a line that begins with white space, and is not part of a field, as a field of its own. */
const NO_FIELD = /^[^\n]*\n[ \t]/

const LENGTH = /^content-length:(.*)\r\n/gim
const CODING = /^transfer-encoding:(.*)\r\n/gim
const CHUNKED = /^transfer-encoding:[ \t]*chunked[ \t]*\r\n/im
/** Control characters. Imperva puts one into a cookie of every response, to test the client. */
const CONTROL = /(?![\s\u0080-\u009f])\p{Cc}/gu

/**
 * Removes repeated lengths, and every length of a chunked response. After a chunked response that had a length, the connection closes,
 * because the server may regard another byte as the end of that response.
 */
const withOneLength = (head: string): string => {
  if (CHUNKED.test(head) && head.search(LENGTH) !== -1) {
    return head.replaceAll(LENGTH, "").replace(/\r\n$/, "Connection: close\r\n\r\n")
  }
  const lengths = [...head.matchAll(LENGTH)].flatMap(([, value = ""]) => value.split(",").map((one) => one.trim()))
  const [length = ""] = lengths
  if (lengths.length < 2 || !/^\d+$/.test(length) || lengths.some((other) => other !== length)) return head
  return head.replaceAll(LENGTH, "").replace(/\r\n$/, `Content-Length: ${length}\r\n\r\n`)
}

const withoutIdentity = (head: string): string => {
  const codings = [...head.matchAll(CODING)].map(([, value = ""]) => value.trim().toLowerCase())
  return codings.join() === "identity" ? head.replace(CODING, "") : head
}

/** The head as the parser accepts it; undefined if there is nothing to repair. */
export const repairedHead = (head: string): string | undefined => {
  if (NO_FIELD.test(head)) return undefined
  const fields = head
    .replaceAll(/\r?\n/g, "\r\n")
    // Without the lookbehind, a long run of spaces would take quadratic time.
    .replaceAll(/(?<![ \t])[ \t]*\r\n[ \t]+(?=[^\s])/g, " ")
    .replaceAll(/^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]+:/gm, "$1:")
    .replaceAll(CONTROL, " ")
  const repaired = withOneLength(withoutIdentity(fields))
  return repaired === head ? undefined : repaired
}
