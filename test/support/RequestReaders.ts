/** What our parser and a server of `node:http` read of the same bytes of a child, for comparisons. */
import type * as Http from "node:http"
import { fieldOf } from "../../src/http/HeaderFields.ts"
import { MessageParser } from "../../src/http/http1/MessageParser.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { FRAMING, inspect } from "../../src/proxy/RequestRules.ts"
import { FakeSocket, turn } from "./UpstreamPeer.ts"

interface Message {
  readonly line: string
  readonly headers: ReadonlyArray<string>
  /** Body and trailers, once they have ended. */
  whole: readonly [body: string, trailers: ReadonlyArray<string>] | undefined
}

interface Read {
  readonly messages: Array<Message>
  /** What follows a CONNECT. */
  rest: string | undefined
  /** After which piece there was an error; -1 without one. */
  failed: number
}

const origin = {
  scheme: "http",
  authority: { kind: "name", host: "example", port: 80 },
  hostHeader: "example",
  routes: undefined
} as const

/** The build of llhttp that undici ships lets it pass. `RequestRules` refuses it; Node refuses it one line earlier. */
const emptyCoding = /transfer-encoding:[ \t]*\r\n/i

/** And it refuses this, which is what no client sends, where Node has begun to take any white space. */
const tabAfterLength = /content-length:[ \t]*\d+ *\t/i

/** By `RequestRules`, which look at the framing before anything else is done with a request: Node lets codings pass in HTTP/1.0. */
const isRefused = ({ headers, line }: Message): boolean => {
  const [method = "", target = "", version = ""] = line.split(" ")
  const head = { method, target, headers, minorVersion: version === "1.0" ? 0 : 1 }
  return inspect(head, origin, false).refusal === FRAMING
}

/** Node knows 0.9 and 2.0 as well, which have no such messages. */
const isOfHttp1 = ({ line }: Message): boolean => / 1\.[01]$/.test(line)

/** Node drops what follows an offer that nobody listens for; whoever does gets a body as what follows. */
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

export const readByNode = async (pieces: ReadonlyArray<string>): Promise<Read> => {
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
    await socket.say(piece)
    at++
  }
  if (read.failed === -1) await socket.say(null)
  await turn()
  socket.destroy()
  server.close()
  return read
}

/**
 * What we and Node read of a connection that brings these pieces, as far as that is meant to be the same; undefined for bytes that
 * the two builds of llhttp read in different ways.
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
