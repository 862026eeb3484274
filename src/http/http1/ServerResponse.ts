/** Writes an HTTP/1.1 response, and frames it without `node:http`, in as few writes as possible. */
import type * as Net from "node:net"
import { fieldLine, fieldOf, type HeaderPairs, isContentLength, lengthOf } from "../HeaderFields.ts"
import type { WriteQueue } from "./WriteQueue.ts"

/** The size up to which a part is copied and written with its neighbors. Copying more costs more than a write. */
const SMALL_BYTES = 4 * 1024
const MAX_GATHERED_BYTES = 16 * 1024

const KEEP_ALIVE = "Connection: keep-alive\r\nKeep-Alive: timeout=75\r\n"

export interface ResponseConnection {
  readonly socket: Net.Socket
  readonly queue: WriteQueue
  /** Called when the response is complete. `keepAlive`: whether another request may follow. */
  readonly finished: (keepAlive: boolean) => void
  /** Shows the client that a response is incomplete. */
  readonly reset: () => void
}

interface RespondedRequest {
  readonly method: string
  readonly headers: HeaderPairs
  readonly minorVersion: number
}

export class ServerResponse {
  headSent = false
  /** Whether the connection closes after this response. Must be set before the head is written. */
  last: boolean
  readonly #connection: ResponseConnection
  readonly #request: RespondedRequest
  readonly #closed: () => void
  #continued = false
  #done = false
  #gathered = ""
  #isFlushScheduled = false
  #chunked = false
  /** The rest of the declared length, or undefined without one. */
  #left: number | undefined
  #hasNoContent = false

  /** `closed` is called once, when the response is complete or abandoned. */
  constructor(connection: ResponseConnection, request: RespondedRequest, keepAlive: boolean, closed: () => void) {
    this.#connection = connection
    this.#request = request
    this.last = !keepAlive
    this.#closed = closed
  }

  get isClosed(): boolean {
    return this.#done
  }

  canSendTrailers(status: number, headers: HeaderPairs): boolean {
    return this.#request.minorVersion > 0 && !this.#isWithoutContent(status) &&
      fieldOf(headers, "content-length") === undefined
  }

  /** Writes an informational response. A client of HTTP/1.0 gets none, and one that has not read earlier data only 100 (Continue). */
  writeInformational(status: number, reason: string, headers: HeaderPairs): void {
    const { queue, socket } = this.#connection
    if (this.#done || this.headSent || this.#request.minorVersion === 0) return
    if (status === 100) this.#continued = true
    else if (socket.writableNeedDrain) return
    queue.write(`HTTP/1.1 ${status} ${reason}\r\n${fieldLines(headers)}\r\n`)
  }

  /** Writes status line and fields, with the content of the same event-loop turn. Throws when a field cannot be sent. */
  writeHead(status: number, reason: string, headers: HeaderPairs): void {
    if (!(status >= 200 && status <= 999)) throw new Error("not a final status")
    if (this.#mayWithholdBody) this.last = true
    const hasNoContent = this.#isWithoutContent(status)
    let left: number | undefined
    let fields = ""
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] ?? ""
      const value = headers[i + 1] ?? ""
      if (isContentLength(name)) {
        if (status === 204) continue
        left = lengthOf(value)
        if (left === undefined) throw new Error("invalid Content-Length")
      }
      fields += checkedLine(name, value)
    }
    if (hasNoContent) left = 0
    this.#chunked = left === undefined && this.#request.minorVersion > 0
    if (this.#chunked) fields += "Transfer-Encoding: chunked\r\n"
    else if (left === undefined) this.last = true
    this.#left = left
    this.#hasNoContent = hasNoContent
    this.headSent = true
    this.#gathered = `HTTP/1.1 ${status} ${reason}\r\n${fields}${this.last ? "Connection: close\r\n" : KEEP_ALIVE}\r\n`
    this.#flushSoon()
  }

  /**
   * Writes a part of the content. Returns false when the client applies backpressure; the request's handler is notified when the
   * client has read.
   */
  write(part: Buffer): boolean {
    if (this.#done || this.#hasNoContent || part.length === 0) return true
    const { socket } = this.#connection
    if (this.#left !== undefined) {
      this.#left -= part.length
      if (this.#left < 0) {
        this.abort()
        return true
      }
    }
    if (part.length <= SMALL_BYTES) {
      const text = part.toString("latin1")
      this.#gathered += this.#chunked ? `${part.length.toString(16)}\r\n${text}\r\n` : text
      if (this.#gathered.length > MAX_GATHERED_BYTES) this.#flush()
      else this.#flushSoon()
    } else {
      socket.cork()
      if (this.#chunked) this.#gathered += `${part.length.toString(16)}\r\n`
      this.#flush()
      socket.write(part)
      if (this.#chunked) this.#gathered = "\r\n"
      this.#flush()
      socket.uncork()
    }
    return !socket.writableNeedDrain
  }

  /**
   * Ends the response, or aborts it if declared content is missing or a trailer field cannot be sent. Drops `trailers` where none can
   * follow. `together`: other responses may end in this turn, too.
   */
  end(trailers: HeaderPairs = [], together = false): void {
    if (this.#done) return
    if (!this.#hasNoContent && this.#left !== undefined && this.#left > 0) return this.abort()
    if (this.#chunked) {
      try {
        this.#gathered += `0\r\n${fieldLines(trailers)}\r\n`
      } catch {
        return this.abort()
      }
    }
    if (together) this.#connection.queue.writeSoon(this.#gathered)
    else this.#flush()
    this.discard()
    this.#connection.finished(!this.last)
  }

  send(status: number, reason: string, headers: HeaderPairs, body: string): void {
    this.writeHead(status, reason, [...headers, "Content-Length", String(Buffer.byteLength(body))])
    this.write(Buffer.from(body))
    this.end()
  }

  /** Aborts the response so that the client sees that it is incomplete. */
  abort(): void {
    this.discard()
    this.#connection.reset()
  }

  discard(): void {
    if (this.#done) return
    this.#done = true
    this.#gathered = ""
    this.#closed()
  }

  /**
   * Whether the client may withhold the body, because it got no 100 (Continue). Its next request would then be taken for that
   * body.
   */
  get #mayWithholdBody(): boolean {
    return !this.#continued && this.#request.minorVersion > 0 && fieldOf(this.#request.headers, "expect") !== undefined
  }

  #isWithoutContent(status: number): boolean {
    return status === 204 || status === 304 || this.#request.method === "HEAD"
  }

  #flushSoon(): void {
    if (this.#isFlushScheduled) return
    this.#isFlushScheduled = true
    process.nextTick(flush, this)
  }

  flush(): void {
    this.#isFlushScheduled = false
    this.#flush()
  }

  #flush(): void {
    if (this.#gathered === "") return
    const text = this.#gathered
    this.#gathered = ""
    this.#connection.queue.write(text)
  }
}

const flush = (response: ServerResponse): void => response.flush()

const checkedLine = (name: string, value: string): string => {
  const line = fieldLine(name, value)
  if (line === undefined) throw new Error("invalid field")
  return line
}

const fieldLines = (headers: HeaderPairs): string => {
  let lines = ""
  for (let i = 0; i < headers.length; i += 2) lines += checkedLine(headers[i] ?? "", headers[i + 1] ?? "")
  return lines
}
