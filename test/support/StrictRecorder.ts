/**
 * An HTTPS server that parses requests as strictly as RFC 9112 permits, with its own code, and records them.
 *
 * An upstream must receive the same message whatever its parser. So everything that a lenient parser might interpret
 * differently is a violation here: a bare line feed, a folded header, two framings, a chunk extension, an undeclared
 * body.
 */
import * as Effect from "effect/Effect"
import { builtins } from "../../src/platform/builtins.ts"
import type { TestCertificate } from "./TestCertificates.ts"
import { listen } from "./TestServer.ts"

export interface RecordedRequest {
  readonly line: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

type Read = { readonly request: RecordedRequest; readonly rest: string } | { readonly violation: string } | undefined

const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/

/** Reads the trailer section, after the last chunk. */
const readTrailers = (text: string, from: number, body: string): ReturnType<typeof readChunked> => {
  for (let at = from;;) {
    const end = text.indexOf("\r\n", at)
    if (end === -1) return undefined
    if (end === at) return { body, rest: text.slice(end + 2) }
    const line = text.slice(at, end)
    if (!headerLine.test(line)) return `the trailer ${JSON.stringify(line)}`
    at = end + 2
  }
}

const readChunked = (text: string): { readonly body: string; readonly rest: string } | string | undefined => {
  let body = ""
  let at = 0
  for (;;) {
    const end = text.indexOf("\r\n", at)
    if (end === -1) return undefined
    const size = text.slice(at, end)
    if (!/^[0-9a-f]{1,8}$/.test(size)) return `the chunk size ${JSON.stringify(size)}`
    const length = parseInt(size, 16)
    if (length === 0) return readTrailers(text, end + 2, body)
    const next = end + 2 + length
    if (text.length < next + 2) return undefined
    if (text.slice(next, next + 2) !== "\r\n") return "a chunk that is not as long as it says"
    body += text.slice(end + 2, next)
    at = next + 2
  }
}

/** The first request of the text, or undefined while it is incomplete. */
export const readStrictly = (text: string): Read => {
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [line = "", ...lines] = text.slice(0, end).split("\r\n")
  if (!/^[A-Z]+ [\x21-\x7e]+ HTTP\/1\.1$/.test(line)) return { violation: `the line ${JSON.stringify(line)}` }
  const headers: Array<readonly [string, string]> = []
  for (const each of lines) {
    const match = headerLine.exec(each)
    if (match === null) return { violation: `the header ${JSON.stringify(each)}` }
    headers.push([match[1]!.toLowerCase(), match[2]!])
  }
  const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
  const lengths = valuesOf("content-length")
  const codings = valuesOf("transfer-encoding")
  if (lengths.length + codings.length > 1) return { violation: "two framings" }
  const rest = text.slice(end + 4)
  if (codings.length > 0) {
    if (codings[0] !== "chunked") return { violation: `the coding ${JSON.stringify(codings[0])}` }
    const chunked = readChunked(rest)
    if (chunked === undefined) return undefined
    return typeof chunked === "string"
      ? { violation: chunked }
      : { request: { line, headers, body: chunked.body }, rest: chunked.rest }
  }
  const [length = "0"] = lengths
  if (!/^(?:0|[1-9]\d{0,9})$/.test(length)) return { violation: `the length ${JSON.stringify(length)}` }
  return rest.length < Number(length)
    ? undefined
    : { request: { line, headers, body: rest.slice(0, Number(length)) }, rest: rest.slice(Number(length)) }
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

export const make = (certificate: TestCertificate) =>
  Effect.gen(function*() {
    const requests: Array<RecordedRequest> = []
    const violations: Array<string> = []
    /** All bytes, of all connections. */
    let received = ""
    const { port } = yield* listen(builtins.tls.createServer(certificate, (socket) => {
      let pending = ""
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("latin1")
        pending += chunk.toString("latin1")
        for (let found = readStrictly(pending); found !== undefined; found = readStrictly(pending)) {
          if ("violation" in found) {
            violations.push(found.violation)
            socket.destroy()
            return
          }
          requests.push(found.request)
          pending = found.rest
          socket.write(found.request.line.startsWith("HEAD ") ? "HTTP/1.1 204 No Content\r\n\r\n" : OK)
        }
      })
    }))
    return { port, requests, violations, received: () => received }
  })

export type StrictRecorder = Effect.Success<ReturnType<typeof make>>
