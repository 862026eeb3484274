/** The head of a request as HTTP/1.1 writes it (RFC 9112 sections 2 to 6). */
import { fieldLine, isContentLength, isFieldName, lengthOf } from "../HeaderFields.ts"
import { type OutgoingRequest, UnsendableError } from "../OutgoingRequest.ts"

const NOT_IN_A_TARGET = /[^\x21-\x7e\x80-\xff]/

/** Methods whose requests declare a length even without content (RFC 9110 section 8.6). */
const WITH_CONTENT: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "QUERY", "PROPFIND", "PROPPATCH"])

const unsendableError = (): UnsendableError => new UnsendableError("the request cannot be sent as HTTP/1.1")

const checkedLine = (name: string, value: string): string => {
  const text = fieldLine(name, value)
  if (text === undefined) throw unsendableError()
  return text
}

/** Fields that the headers of a request must not contain after `Host`, because `requestHead` writes them itself. */
const OWN_FIELD = /^(?:host|expect|upgrade|connection|keep-alive|transfer-encoding)$/i

/** Returns the `Content-Length` of a request, or -1 without one. Throws UnsendableError when it is invalid or repeated. */
export const declaredLength = (headers: ReadonlyArray<string>): number => {
  let length = -1
  for (let i = 0; i < headers.length; i += 2) {
    if (!isContentLength(headers[i] ?? "")) continue
    const declared = lengthOf(headers[i + 1] ?? "")
    if (length !== -1 || declared === undefined) throw unsendableError()
    length = declared
  }
  return length
}

/** Formats the head; `length` is from `declaredLength`. Throws UnsendableError for what HTTP/1.1 cannot carry. */
export const requestHead = (request: OutgoingRequest, length: number): string => {
  const { body, headers, method, path } = request
  if (!isFieldName(method) || path === "" || NOT_IN_A_TARGET.test(path) || (body === null && length > 0)) {
    throw unsendableError()
  }
  let head = `${method} ${path} HTTP/1.1\r\n${checkedLine("Host", headers[1] ?? "")}`
  if (request.upgrade !== undefined) head += `Connection: Upgrade\r\n${checkedLine("Upgrade", request.upgrade)}`
  // Some servers send content in response to HEAD, which would be taken for the next response.
  else head += method === "HEAD" ? "Connection: close\r\n" : "Connection: keep-alive\r\n"
  for (let i = 2; i < headers.length; i += 2) {
    const name = headers[i] ?? ""
    if (OWN_FIELD.test(name)) throw unsendableError()
    if (!isContentLength(name)) head += checkedLine(name, headers[i + 1] ?? "")
  }
  if (length !== -1) head += `Content-Length: ${length}\r\n`
  else if (body !== null) head += "Transfer-Encoding: chunked\r\n"
  else if (WITH_CONTENT.has(method)) head += "Content-Length: 0\r\n"
  if (request.expectsContinue) head += "Expect: 100-continue\r\n"
  return head + "\r\n"
}

/** The last chunk with the trailer section. Throws UnsendableError like `requestHead`. */
export const lastChunk = (trailers: ReadonlyArray<string>): string => {
  let lines = "0\r\n"
  for (let i = 0; i < trailers.length; i += 2) lines += checkedLine(trailers[i] ?? "", trailers[i + 1] ?? "")
  return lines + "\r\n"
}
