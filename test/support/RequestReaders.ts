/** Reads the same request bytes with our parser and with a server of `node:http`, for comparisons. */
import type * as Http from "node:http"
import { fieldOf } from "../../src/http/HeaderFields.ts"
import { MessageParser } from "../../src/http/http1/MessageParser.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { FRAMING, readHead } from "../../src/proxy/routing/RequestHead.ts"
import { FakeSocket, turn } from "./UpstreamPeer.ts"

interface Message {
  readonly line: string
  readonly headers: ReadonlyArray<string>
  /** Body and trailers, once they are complete. */
  whole: readonly [body: string, trailers: ReadonlyArray<string>] | undefined
}

interface Read {
  readonly messages: Array<Message>
  /** The bytes after a CONNECT. */
  rest: string | undefined
  /** The index of the piece after which an error occurred, or -1. */
  failed: number
}

const origin = {
  scheme: "http",
  authority: { kind: "name", host: "example", port: 80 },
  hostHeader: "example",
  routes: undefined
} as const

/** undici's build of llhttp accepts this. `readHead` rejects it; Node rejects it in the parser. */
const emptyCoding = /transfer-encoding:[ \t]*\r\n/i

/** undici's build rejects this, which no client sends; Node's now accepts any white space here. */
const tabAfterLength = /content-length:[ \t]*\d+ *\t/i

/** Rejected by `readHead`. Node accepts transfer codings in HTTP/1.0. */
const isRefused = ({ headers, line }: Message): boolean => {
  const [method = "", target = "", version = ""] = line.split(" ")
  const received = { method, target, headers, hasBody: false, upgrade: false, insideTunnel: false }
  const { refusal } = readHead({ ...received, version: version === "1.0" ? "HTTP/1.0" : "HTTP/1.1" }, origin, [])
  return refusal === FRAMING
}

/** Node also accepts versions 0.9 and 2.0, which have no such messages. */
const isOfHttp1 = ({ line }: Message): boolean => / 1\.[01]$/.test(line)

/** Without an `upgrade` listener Node ignores the offer; with one, it reports the body as bytes of the new protocol. */
const offersUpgrade = ({ headers }: Message): boolean => fieldOf(headers, "upgrade") !== undefined

const nothing = (): Read => ({ messages: [], rest: undefined, failed: -1 })

const readByUs = (pieces: ReadonlyArray<string>): Read => {
  const read = nothing()
  const parser = new MessageParser("request")
  let body = ""
  const take = (next: ReturnType<MessageParser["next"]>): void => {
    const { chunk, headers, method, minorVersion, rest, trailers, url } = parser
    if (next === "head") {
      body = ""
      read.messages.push({ line: `${method} ${url} 1.${minorVersion}`, headers, whole: undefined })
    } else if (next === "body") body += chunk.toString("latin1")
    else if (next === "end") {
      read.messages.at(-1)!.whole = [body, trailers]
      if (method === "CONNECT") read.rest = rest.toString("latin1")
    }
  }
  for (const [at, piece] of pieces.entries()) {
    if (read.rest !== undefined) read.rest += piece
    parser.feed(Buffer.from(piece, "latin1"))
    while (read.failed === -1 && read.rest === undefined) {
      const next = parser.next()
      if (next === "more") break
      if (next === "error") read.failed = at
      else take(next)
    }
  }
  if (read.failed === -1 && read.rest === undefined && parser.finish() === "error") read.failed = pieces.length
  parser.close()
  return read
}

const readByNode = async (pieces: ReadonlyArray<string>): Promise<Read> => {
  const read = nothing()
  let at = 0
  const messageOf = ({ httpVersion, method, rawHeaders, url }: Http.IncomingMessage): Message => ({
    line: `${method} ${url} ${httpVersion}`,
    headers: rawHeaders,
    whole: undefined
  })
  const listen = (request: Http.IncomingMessage): void => {
    const message = messageOf(request)
    read.messages.push(message)
    let body = ""
    request.on("data", (chunk: Buffer) => body += chunk.toString("latin1"))
    request.on("end", () => {
      message.whole = [body, request.rawTrailers]
    })
    request.on("error", () => {})
  }
  const socket = new FakeSocket()
  const takenOver = (request: Http.IncomingMessage, _socket: unknown, head: Buffer): void => {
    read.messages.push({ ...messageOf(request), whole: ["", []] })
    read.rest = head.toString("latin1")
    socket.on("data", (chunk: Buffer) => read.rest += chunk.toString("latin1"))
  }
  const server = builtins.http.createServer({
    insecureHTTPParser: false,
    maxHeaderSize: 64 * 1024,
    requireHostHeader: false
  })
  server.maxHeadersCount = 0
  server.on("request", listen).on("checkContinue", listen).on("checkExpectation", listen)
  server.on("connect", takenOver)
  server.on("clientError", () => {
    if (read.failed === -1) read.failed = at
  })
  server.emit("connection", socket)
  for (const piece of pieces) {
    if (read.failed !== -1 && !socket.destroyed) break
    await socket.receive(piece)
    at++
  }
  if (read.failed === -1) await socket.receive(null)
  await turn()
  socket.destroy()
  server.close()
  return read
}

/**
 * What our parser and Node read from a connection with these pieces, reduced to what must be equal. Undefined for bytes
 * that the two builds of llhttp parse differently.
 */
export const requestReadings = async (
  pieces: ReadonlyArray<string>
): Promise<readonly [ours: unknown, theirs: unknown] | undefined> => {
  const text = pieces.join("")
  if (emptyCoding.test(text) || tabAfterLength.test(text)) return undefined
  const [ours, theirs] = [readByUs(pieces), await readByNode(pieces)]
  const places = [
    ours.messages.findIndex(isRefused),
    ours.messages.findIndex(offersUpgrade),
    theirs.messages.findIndex((each) => !isOfHttp1(each))
  ]
  const end = Math.min(...places.filter((at) => at !== -1))
  return end === Infinity ? [ours, theirs] : [ours.messages.slice(0, end), theirs.messages.slice(0, end)]
}
