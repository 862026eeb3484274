/**
 * Sends the proxy's queries, one for each of its requests, to the daemon, over the connections that
 * `domain/wire/ResolveMessages` describes.
 *
 * On any invalid reply and any failure it returns `undefined` and closes the connection. The caller then sends an
 * ordinary request, which can explain failures and start a daemon.
 */
import * as fs from "node:fs"
import type * as Net from "node:net"
import { holdMillis, markHeader, markLength, resolveProtocol } from "../domain/wire/ResolveMessages.ts"

export interface ChannelResponse {
  readonly status: number
  readonly body: string
  /**
   * Whether the daemon would still respond to the query in the same way. `expiring`: it would, but a new response is soon needed.
   */
  readonly validity?: () => "valid" | "expiring" | "over"
}

const maxHead = 16 * 1024
const maxResponseBytes = 1024 * 1024
const maxIdle = 4
/** Longer than the daemon takes for a response, even while it stores a report of requests. */
const EXPIRING_MILLISECONDS = 30

const lineFeed = 10
const switched = /^HTTP\/1\.1 101 [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n$/
const statusAndSpace = /^[2-5]\d\d $/
const markField = new RegExp(`\\r\\n${markHeader}: (\\S+)\\r\\n`, "i")
const markAndSpace = new RegExp(`^@([\\w-]{${markLength}}) `)

/** The content of the mark file when it was last read. */
const mark = Buffer.alloc(markLength)

class Line {
  readonly head: string
  readonly #path: string
  readonly #socket: Net.Socket
  readonly #idle: Array<Line>
  #query: string | undefined
  #done: ((response: ChannelResponse | undefined) => void) | undefined
  #received: Buffer | undefined
  #askedAt = 0
  /** The file that tells whether a response is still valid. */
  #markFile: number | undefined

  constructor(socket: Net.Socket, path: string, head: string, idle: Array<Line>, timeout: number) {
    this.#path = path
    this.head = head
    this.#socket = socket
    this.#idle = idle
    const lost = () => this.drop()
    socket.on("error", lost).on("close", lost).on("end", lost)
    socket.setTimeout(timeout, lost)
    socket.on("data", (chunk: Buffer) => this.#read(chunk))
  }

  /** The first query waits until the daemon accepts the channel, so that the query is never read as an HTTP request. */
  open(query: string, done: (response: ChannelResponse | undefined) => void): void {
    this.#query = query
    this.#done = done
    this.#socket.write(
      `GET ${this.#path} HTTP/1.1\r\n${this.head}Connection: Upgrade\r\nUpgrade: ${resolveProtocol}\r\n` +
        `${markHeader}: read\r\n\r\n`
    )
  }

  ask(query: string, done: (response: ChannelResponse | undefined) => void): void {
    this.#done = done
    this.#write(query)
  }

  #write(query: string): void {
    this.#askedAt = performance.now()
    this.#socket.write(`${query}\n`, "utf8")
  }

  drop(): void {
    const at = this.#idle.indexOf(this)
    if (at !== -1) this.#idle.splice(at, 1)
    this.#socket.destroy()
    if (this.#markFile !== undefined) fs.closeSync(this.#markFile)
    this.#markFile = undefined
    const done = this.#done
    this.#done = undefined
    done?.(undefined)
  }

  #read(chunk: Buffer): void {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    this.#received = undefined
    if (this.#query === undefined) this.#readResponse(received)
    else this.#readHead(received, this.#query)
  }

  #readHead(received: Buffer, query: string): void {
    if (!received.includes("\r\n\r\n") && received.length <= maxHead) {
      this.#received = received
      return
    }
    const head = received.toString("latin1")
    if (!switched.test(head)) return this.drop()
    this.#query = undefined
    this.#openMark(markField.exec(head)?.[1])
    this.#write(query)
  }

  #openMark(path: string | undefined): void {
    try {
      if (path !== undefined) this.#markFile = fs.openSync(decodeURIComponent(path), "r")
    } catch {
      // Without the file, no response is reused.
    }
  }

  #validity(content: string, until: number): ReturnType<NonNullable<ChannelResponse["validity"]>> {
    const left = until - performance.now()
    if (this.#markFile === undefined || left <= 0) return "over"
    try {
      const isComplete = fs.readSync(this.#markFile, mark, 0, markLength, 0) === markLength
      if (!isComplete || mark.toString("latin1") !== content) return "over"
    } catch {
      return "over"
    }
    return left < EXPIRING_MILLISECONDS ? "expiring" : "valid"
  }

  #readResponse(received: Buffer): void {
    const done = this.#done
    const end = received.indexOf(lineFeed)
    if (done === undefined || received.length > maxResponseBytes) return this.drop()
    if (end === -1) {
      this.#received = received
      return
    }
    const status = received.toString("latin1", 0, 4)
    if (end !== received.length - 1 || !statusAndSpace.test(status)) return this.drop()
    const text = received.toString("utf8", 4, end)
    const [marked = "", content] = markAndSpace.exec(text) ?? []
    const until = this.#askedAt + holdMillis
    this.#done = undefined
    if (this.#idle.length >= maxIdle) this.#socket.destroy()
    else this.#idle.push(this)
    done({
      status: Number(status),
      body: text.slice(marked.length),
      ...(content === undefined ? {} : { validity: () => this.#validity(content, until) })
    })
  }
}

export const openDaemonChannel = (options: {
  /** Opens a connection to the daemon and completes the handshake that verifies both ends. */
  readonly connect: () => Promise<Net.Socket>
  /** The path of the resolve operation, below the path of the daemon. */
  readonly path: string
  readonly timeout: number
}) => {
  const idle: Array<Line> = []
  const all = new Set<Net.Socket>()

  return {
    /** Sends a query. `head` opens the connection: header lines, each ending in CR LF. `query` is one line. */
    ask: (head: string, query: string, done: (response: ChannelResponse | undefined) => void): void => {
      const line = idle.pop()
      if (line !== undefined && line.head === head) return line.ask(query, done)
      line?.drop()
      options.connect().then(
        (socket) => {
          all.add(socket)
          socket.once("close", () => all.delete(socket))
          new Line(socket, options.path, head, idle, options.timeout).open(query, done)
        },
        () => done(undefined)
      )
    },
    close: (): void => {
      for (const socket of all) socket.destroy()
    }
  }
}
