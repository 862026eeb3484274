/**
 * Sends the proxy's queries to the daemon at the rate of its requests, over the connections that
 * `domain/wire/ResolveMessages` describes.
 *
 * On any invalid reply and any failure it returns `undefined` and closes the connection. The caller then sends an
 * ordinary request, which can explain failures and start a daemon.
 */
import type * as Net from "node:net"
import { resolveProtocol } from "../domain/wire/ResolveMessages.ts"

export interface ChannelResponse {
  readonly status: number
  readonly body: string
}

interface DaemonChannel {
  /** `head` opens the connection: header lines, each ending in CR LF. `question` is one line. */
  readonly ask: (head: string, question: string, done: (response: ChannelResponse | undefined) => void) => void
  readonly close: () => void
}

const maxHead = 16 * 1024
const maxResponseBytes = 1024 * 1024
const maxIdle = 4

const lineFeed = 10
const switched = /^HTTP\/1\.1 101 [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n$/
const statusAndSpace = /^[2-5]\d\d $/

class Line {
  readonly head: string
  readonly #path: string
  readonly #socket: Net.Socket
  readonly #idle: Array<Line>
  #question: string | undefined
  #done: ((response: ChannelResponse | undefined) => void) | undefined
  #received: Buffer | undefined
  /** The last response and its bytes, kept because most responses are equal. */
  #last: { readonly bytes: Buffer; readonly response: ChannelResponse } | undefined

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

  /** The first query waits until the daemon accepts the channel, so that it is never read as a request. */
  open(question: string, done: (response: ChannelResponse | undefined) => void): void {
    this.#question = question
    this.#done = done
    this.#socket.write(
      `GET ${this.#path} HTTP/1.1\r\n${this.head}Connection: Upgrade\r\nUpgrade: ${resolveProtocol}\r\n\r\n`
    )
  }

  ask(question: string, done: (response: ChannelResponse | undefined) => void): void {
    this.#done = done
    this.#socket.write(`${question}\n`, "utf8")
  }

  drop(): void {
    const at = this.#idle.indexOf(this)
    if (at !== -1) this.#idle.splice(at, 1)
    this.#socket.destroy()
    const done = this.#done
    this.#done = undefined
    done?.(undefined)
  }

  #read(chunk: Buffer): void {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    this.#received = undefined
    if (this.#question === undefined) this.#readResponse(received)
    else this.#readHead(received, this.#question)
  }

  #readHead(received: Buffer, question: string): void {
    if (!received.includes("\r\n\r\n") && received.length <= maxHead) {
      this.#received = received
      return
    }
    if (!switched.test(received.toString("latin1"))) return this.drop()
    this.#question = undefined
    this.#socket.write(`${question}\n`, "utf8")
  }

  #readResponse(received: Buffer): void {
    const done = this.#done
    const end = received.indexOf(lineFeed)
    if (done === undefined || received.length > maxResponseBytes) return this.drop()
    if (end === -1) {
      this.#received = received
      return
    }
    if (this.#last?.bytes.equals(received) !== true) {
      const status = received.toString("latin1", 0, 4)
      if (end !== received.length - 1 || !statusAndSpace.test(status)) return this.drop()
      const response = { status: Number(status), body: received.toString("utf8", 4, end) }
      this.#last = { bytes: received, response }
    }
    this.#done = undefined
    if (this.#idle.length >= maxIdle) this.#socket.destroy()
    else this.#idle.push(this)
    done(this.#last!.response)
  }
}

export const openDaemonChannel = (options: {
  /** Opens a connection to the daemon and completes the handshake that verifies both ends. */
  readonly connect: () => Promise<Net.Socket>
  /** The path of the resolve operation, below the path of the daemon. */
  readonly path: string
  readonly timeout: number
}): DaemonChannel => {
  const idle: Array<Line> = []
  const all = new Set<Net.Socket>()

  return {
    ask: (head, question, done) => {
      const line = idle.pop()
      if (line !== undefined && line.head === head) return line.ask(question, done)
      line?.drop()
      options.connect().then(
        (socket) => {
          all.add(socket)
          socket.once("close", () => all.delete(socket))
          new Line(socket, options.path, head, idle, options.timeout).open(question, done)
        },
        () => done(undefined)
      )
    },
    close: () => {
      for (const socket of all) socket.destroy()
    }
  }
}
