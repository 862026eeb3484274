/**
 * Small requests to the daemon at the rate of the proxy's.
 *
 * `node:http` spends more on a request object than the daemon does on the answer, so this writes and reads HTTP/1.1
 * itself: a keep-alive connection carries one request at a time, and only an answer with a `Content-Length` is
 * understood. For everything else, and for every failure, it answers `undefined` and drops the connection; the caller
 * then asks in the ordinary way, which knows how to explain and to start a daemon. So a request must be one that may be
 * sent twice.
 */
import type * as Net from "node:net"

export interface ChannelAnswer {
  readonly status: number
  readonly body: string
}

export interface DaemonChannel {
  /** `head` is the request line and the headers but for the length, each line ending in CR LF. */
  readonly exchange: (head: string, body: string, done: (answer: ChannelAnswer | undefined) => void) => void
  readonly close: () => void
}

const maxHead = 16 * 1024
const maxBody = 1024 * 1024
const maxIdle = 4

class Line {
  readonly socket: Net.Socket
  readonly #idle: Array<Line>
  #done: ((answer: ChannelAnswer | undefined) => void) | undefined
  #received: Buffer | undefined

  constructor(socket: Net.Socket, idle: Array<Line>, timeout: number) {
    this.socket = socket
    this.#idle = idle
    const lost = () => this.#fail()
    socket.on("error", lost).on("close", lost).on("end", lost)
    socket.setTimeout(timeout, lost)
    socket.on("data", (chunk: Buffer) => this.#read(chunk))
    socket.resume()
  }

  send(text: string, done: (answer: ChannelAnswer | undefined) => void): void {
    this.#done = done
    this.socket.write(text, "utf8")
  }

  #fail(): void {
    const at = this.#idle.indexOf(this)
    if (at !== -1) this.#idle.splice(at, 1)
    this.socket.destroy()
    const done = this.#done
    this.#done = undefined
    done?.(undefined)
  }

  #read(chunk: Buffer): void {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const done = this.#done
    const end = received.indexOf("\r\n\r\n")
    if (done === undefined || (end === -1 && received.length > maxHead)) return this.#fail()
    if (end === -1) {
      this.#received = received
      return
    }
    const head = received.toString("latin1", 0, end)
    const status = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/.exec(head.slice(0, 13))?.[1]
    const lengths = head.match(/\r\ncontent-length: *\d{1,7}(?=\r\n|$)/gi)
    const length = lengths?.length === 1 ? Number(lengths[0].slice(17)) : -1
    if (status === undefined || length < 0 || length > maxBody || /\r\ntransfer-encoding:/i.test(head)) {
      return this.#fail()
    }
    const total = end + 4 + length
    if (received.length < total) {
      this.#received = received
      return
    }
    if (received.length > total) return this.#fail()
    this.#received = undefined
    this.#done = undefined
    if (/\r\nconnection: *close/i.test(head) || this.#idle.length >= maxIdle) this.socket.destroy()
    else this.#idle.push(this)
    done({ status: Number(status), body: received.toString("utf8", end + 4) })
  }
}

export const openDaemonChannel = (options: {
  /** A connection whose far end is known to be our daemon. */
  readonly connect: () => Promise<Net.Socket>
  readonly timeout: number
}): DaemonChannel => {
  const idle: Array<Line> = []
  const all = new Set<Net.Socket>()

  const withLine = (use: (line: Line | undefined) => void): void => {
    const line = idle.pop()
    if (line !== undefined) return use(line)
    options.connect().then(
      (socket) => {
        all.add(socket)
        socket.once("close", () => all.delete(socket))
        use(new Line(socket, idle, options.timeout))
      },
      () => use(undefined)
    )
  }

  return {
    exchange: (head, body, done) => {
      withLine((line) => {
        if (line === undefined) done(undefined)
        else line.send(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, done)
      })
    },
    close: () => {
      for (const socket of all) socket.destroy()
    }
  }
}
