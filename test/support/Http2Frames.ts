/** HTTP/2 frames as bytes (RFC 9113 section 4.1), for frames that no library sends. */
import type * as Tls from "node:tls"
import { securedSocket } from "./ProxyHarness.ts"

export const Type = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9
} as const

export const Flag = { none: 0, endStream: 1, ack: 1, endHeaders: 4, padded: 8 } as const

/** Whether GOAWAY names the violation of a peer: Node 22 may end its session with another code or without GOAWAY. */
export const tellsBreaches = Number(process.versions.node.split(".")[0]) >= 24

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, "latin1")
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes])
  const rest: Array<number> = []
  let left = bytes.length - 127
  for (; left >= 128; left = Math.floor(left / 128)) rest.push(left % 128 + 128)
  return Buffer.concat([Buffer.of(127, ...rest, left), bytes])
}

/** A header block of literals without indexing (RFC 7541 section 6.2.2). */
export const block = (...fields: ReadonlyArray<readonly [name: string, value: string]>): Buffer =>
  Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]))

export const requestBlock = (
  authority: string,
  more: ReadonlyArray<readonly [name: string, value: string]> = []
): Buffer => block([":method", "GET"], [":scheme", "https"], [":authority", authority], [":path", "/"], ...more)

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

/** A connection in a tunnel after the preface, and the frames that arrive on it. */
export class RawSession {
  readonly socket: Tls.TLSSocket
  readonly frames: Array<Frame> = []
  closed = false
  #left = Buffer.alloc(0)
  #wake: () => void = () => {}

  /** Calls `arrived` with each frame. The first one starts at the given offset. */
  constructor(socket: Tls.TLSSocket, arrived: (frame: Frame) => void = () => {}, skipped = 0) {
    this.socket = socket
    let preface = skipped
    socket.on("data", (chunk: Buffer) => {
      this.#left = Buffer.concat([this.#left, chunk.subarray(preface)])
      preface -= Math.min(preface, chunk.length)
      for (let length = this.#length(); this.#left.length >= length; length = this.#length()) {
        const frame = {
          type: this.#left[3]!,
          flags: this.#left[4]!,
          stream: this.#left.readUInt32BE(5),
          payload: this.#left.subarray(9, length)
        }
        this.#left = this.#left.subarray(length)
        this.frames.push(frame)
        arrived(frame)
      }
      this.#wake()
    })
    socket.on("error", () => {})
    for (const event of ["end", "close"]) {
      socket.on(event, () => {
        this.closed = true
        this.#wake()
      })
    }
  }

  #length(): number {
    return this.#left.length < 9 ? Number.POSITIVE_INFINITY : 9 + this.#left.readUIntBE(0, 3)
  }

  send(...frames: ReadonlyArray<Uint8Array>): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(frames))
  }

  /** Sends repeatedly until the peer ends the connection or the rounds are over. Returns whether the peer ended it. */
  async flood(next: (round: number) => Uint8Array, rounds = 200_000): Promise<boolean> {
    const { socket } = this
    for (let round = 0; !this.closed && round < rounds; round++) {
      if (!socket.write(next(round))) {
        await new Promise<void>((resolve) => {
          const go = () => {
            socket.off("drain", go).off("close", go)
            resolve()
          }
          socket.on("drain", go).on("close", go)
        })
      }
      if (round % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    return this.closed
  }

  /** The first matching frame, or `undefined` if the connection closed without one. */
  async find(fits: (frame: Frame) => boolean): Promise<Frame | undefined> {
    while (true) {
      const found = this.frames.find(fits)
      if (found !== undefined || this.closed) return found
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** The code of the GOAWAY that ended the session, or -1 if it was closed without one. */
  async goaway(): Promise<number> {
    return (await this.find(({ type }) => type === Type.goaway))?.payload.readUInt32BE(4) ?? -1
  }
}

export const openRaw = async (proxy: Parameters<typeof securedSocket>[0], target: string): Promise<RawSession> => {
  const session = new RawSession(await securedSocket(proxy, target, { ALPNProtocols: ["h2"] }))
  session.send(PREFACE, frame(Type.settings, Flag.none, 0))
  return session
}
