/** An answer of HTTP/1.1 as it is written: framed anew, and in as few writes as its parts allow. */
import { fieldLine, fieldOf, isContentLength, lengthOf } from "../outbound/Fields.ts"
import type { HeaderPairs } from "../outbound/HeaderInjection.ts"
import type { Http1Parser } from "./Http1Parser.ts"
import type { Http1ServerConnection } from "./Http1Server.ts"
import type { Refusal } from "./RefusalBody.ts"

/** Written together with what is before and after it. Beyond that, copying it costs more than a write. */
const SMALL_BYTES = 4 * 1024
const MAX_GATHERED_BYTES = 16 * 1024

const KEPT_ALIVE = "Connection: keep-alive\r\nKeep-Alive: timeout=75\r\n"

/** Whoever answers a message. */
export interface Answerer {
  /** After `write` has answered false. */
  readonly drained: () => void
  /** The answer is out, or nobody waits for it any more. Called once. */
  readonly closed: () => void
  /** What follows the head is no HTTP. */
  readonly malformed: (refusal: Refusal) => void
}

export class Http1Answer {
  /** Of the request, as are its headers: flat pairs in latin1, as they came. */
  readonly method: string
  readonly headers: HeaderPairs
  readonly minorVersion: number
  answerer: Answerer | undefined
  headSent = false
  /** Whether the connection ends with this answer. To be set before its head. */
  last: boolean
  protected readonly connection: Http1ServerConnection
  #continued = false
  #done = false
  /** What goes out with the next write. */
  #gathered = ""
  #flushes = false
  #chunked = false
  /** What of the announced length is still to be written; undefined without one. */
  #left: number | undefined
  #bare = false

  constructor(connection: Http1ServerConnection, parser: Http1Parser) {
    this.connection = connection
    this.method = parser.method
    this.headers = parser.headers
    this.minorVersion = parser.minorVersion
    this.last = !parser.keepAlive
  }

  get socket(): Http1ServerConnection["socket"] {
    return this.connection.socket
  }

  /** Answered, or nobody waits for it any more. */
  get isOver(): boolean {
    return this.#done
  }

  /** Whether trailers can follow an answer with this head. */
  mayTrail(status: number, headers: HeaderPairs): boolean {
    return this.minorVersion > 0 && !this.#isBare(status) && fieldOf(headers, "content-length") === undefined
  }

  /** An interim answer: `headers` are flat pairs. Left out for a client that knows none, or has not read what came before. */
  inform(status: number, reason: string, headers: HeaderPairs): void {
    if (this.#done || this.headSent || this.minorVersion === 0) return
    if (status === 100) this.#continued = true
    else if (this.socket.writableNeedDrain) return
    this.connection.output.write(`HTTP/1.1 ${status} ${reason}\r\n${lines(headers)}\r\n`)
  }

  /**
   * Status line and fields, without those that concern the connection. Throws when they cannot be sent. They go out with what
   * of the body is written in the same turn of the event loop.
   */
  writeHead(status: number, reason: string, headers: HeaderPairs): void {
    if (!(status >= 200 && status <= 999)) throw new Error("not a final status")
    if (this.#mayKeepBody) this.last = true
    const bare = this.#isBare(status)
    let left: number | undefined
    let fields = ""
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] ?? ""
      const value = headers[i + 1] ?? ""
      if (isContentLength(name)) {
        if (status === 204) continue
        left = lengthOf(value)
        if (left === undefined) throw new Error("not a length")
      }
      fields += line(name, value)
    }
    if (bare) left = 0
    this.#chunked = left === undefined && this.minorVersion > 0
    if (this.#chunked) fields += "Transfer-Encoding: chunked\r\n"
    else if (left === undefined) this.last = true
    this.#left = left
    this.#bare = bare
    this.headSent = true
    this.#gathered = `HTTP/1.1 ${status} ${reason}\r\n${fields}${this.last ? "Connection: close\r\n" : KEPT_ALIVE}\r\n`
    this.#soon()
  }

  /** False when the client is to be given time: `drained` is called once it has read. */
  write(part: Buffer): boolean {
    if (this.#done || this.#bare || part.length === 0) return true
    if (this.#left !== undefined) {
      this.#left -= part.length
      if (this.#left < 0) {
        this.breakOff()
        return true
      }
    }
    if (part.length <= SMALL_BYTES) {
      const text = part.toString("latin1")
      this.#gathered += this.#chunked ? `${part.length.toString(16)}\r\n${text}\r\n` : text
      if (this.#gathered.length > MAX_GATHERED_BYTES) this.#flush()
      else this.#soon()
    } else {
      const { socket } = this
      socket.cork()
      if (this.#chunked) this.#gathered += `${part.length.toString(16)}\r\n`
      this.#flush()
      socket.write(part)
      if (this.#chunked) this.#gathered = "\r\n"
      this.#flush()
      socket.uncork()
    }
    return !this.socket.writableNeedDrain
  }

  /** `trailers` are left out where they cannot follow. `together`: others may end in this turn of the event loop as well. */
  end(trailers: HeaderPairs = [], together = false): void {
    if (this.#done) return
    if (!this.#bare && this.#left !== undefined && this.#left > 0) return this.breakOff()
    if (this.#chunked) this.#gathered += `0\r\n${lines(trailers)}\r\n`
    if (together) this.connection.output.writeSoon(this.#gathered)
    else this.#flush()
    this.close()
    this.connection.answered(!this.last)
  }

  /** A whole answer. */
  answer(status: number, reason: string, headers: HeaderPairs, body: string): void {
    this.writeHead(status, reason, [...headers, "Content-Length", String(Buffer.byteLength(body))])
    this.write(Buffer.from(body))
    this.end()
  }

  /** The client sees that the answer is not whole. */
  breakOff(): void {
    this.close()
    this.connection.reset()
  }

  /** What is gathered is not written any more. */
  protected close(): void {
    if (this.#done) return
    this.#done = true
    this.#gathered = ""
    this.answerer?.closed()
  }

  /** A client that was not told to send its body keeps it, and its next request would be taken for that body. */
  get #mayKeepBody(): boolean {
    return !this.#continued && this.minorVersion > 0 && fieldOf(this.headers, "expect") !== undefined
  }

  #isBare(status: number): boolean {
    return status === 204 || status === 304 || this.method === "HEAD"
  }

  #soon(): void {
    if (this.#flushes) return
    this.#flushes = true
    process.nextTick(flush, this)
  }

  flush(): void {
    this.#flushes = false
    this.#flush()
  }

  #flush(): void {
    if (this.#gathered === "") return
    const text = this.#gathered
    this.#gathered = ""
    this.connection.output.write(text)
  }
}

const flush = (answer: Http1Answer): void => answer.flush()

const line = (name: string, value: string): string => {
  const text = fieldLine(name, value)
  if (text === undefined) throw new Error("not a field")
  return text
}

const lines = (headers: HeaderPairs): string => {
  let out = ""
  for (let i = 0; i < headers.length; i += 2) out += line(headers[i] ?? "", headers[i + 1] ?? "")
  return out
}
