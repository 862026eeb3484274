/** HTTP/1.1 requests as text, for properties. */

export const FRAMINGS = ["none", "length", "chunks"] as const

/** `head` without its last line. `chunked` is the body in chunks. */
export const requestText = (
  head: string,
  framing: (typeof FRAMINGS)[number],
  body: string,
  chunked: () => string
): string => {
  switch (framing) {
    case "none":
      return `${head}\r\n`
    case "length":
      return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
    case "chunks":
      return `${head}Transfer-Encoding: chunked\r\n\r\n${chunked()}`
  }
}
