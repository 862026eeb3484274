/**
 * Changes the first text messages of a WebSocket (RFC 6455) on their way from the client to the server. Everything else is passed
 * on unchanged: binary messages, control frames, long messages, and everything after the first messages or after bytes that are
 * not a frame.
 */
import type { TransformCallback } from "node:stream"
import {
  BINARY,
  CONTINUATION,
  CONTROL,
  frameOf,
  FrameTransform,
  MAX_HEADER_BYTES,
  readHeader,
  RESERVED,
  TEXT,
  withMask
} from "./WebSocketFrames.ts"

interface MessageLimits {
  /** How many text messages are changed at most. */
  readonly first: number
  /** The longest message that is changed. Longer ones are passed on unchanged. */
  readonly maxBytes: number
}

const NOTHING: Buffer = Buffer.alloc(0)

export class WebSocketMessages extends FrameTransform {
  readonly #changed: (content: Buffer) => Buffer | undefined
  readonly #maxBytes: number
  #left: number
  /** The beginning of the current frame, whose end has not arrived. */
  #held = NOTHING
  /** The frames of the current text message, and their content. */
  #frames: Array<Buffer> = []
  #content: Array<Buffer> = []
  #bytes = 0
  /** The number of bytes still to come of a frame that is passed on. */
  #passing = 0

  /** `changed` returns the new content of a text message, or undefined to keep it. */
  constructor({ first, maxBytes }: MessageLimits, changed: (content: Buffer) => Buffer | undefined) {
    super()
    this.#left = first
    this.#maxBytes = maxBytes
    this.#changed = changed
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.concat([...this.#frames, this.#held]))
  }

  protected override readFrames(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left === 0) {
        this.out.push(rest)
        break
      }
      if (this.#passing > 0) {
        const part = rest.subarray(0, this.#passing)
        this.out.push(part)
        this.#passing -= part.length
        rest = rest.subarray(part.length)
        continue
      }
      const bytes = this.#held.length === 0 ? rest : Buffer.concat([this.#held, rest])
      this.#held = NOTHING
      rest = this.#frame(bytes)
      if (rest === bytes && this.#left > 0) {
        this.#held = rest
        break
      }
    }
  }

  /** Reads a frame. Returns the bytes after it, or `bytes` if the frame is incomplete. */
  #frame(bytes: Buffer): Buffer {
    const read = readHeader(bytes.subarray(0, MAX_HEADER_BYTES))
    if (read === undefined) return bytes
    const { header: { fin, length, mask, opcode }, size } = read
    const isText = opcode === TEXT || (opcode === CONTINUATION && this.#frames.length > 0)
    if ((bytes[0]! & RESERVED) !== 0 || mask === undefined || (opcode > BINARY && opcode < CONTROL)) {
      return this.#stop(bytes)
    }
    // A control frame may come between the frames of a message.
    if (!isText) return this.#pass(bytes, size + length)
    if (opcode === TEXT && this.#frames.length > 0) return this.#stop(bytes)
    // The frames of a message are counted with their headers, because it may consist of any number of empty frames.
    if (this.#bytes + size + length > this.#maxBytes + MAX_HEADER_BYTES) {
      this.#release()
      this.#left--
      return this.#pass(bytes, size + length)
    }
    if (bytes.length < size + length) return bytes
    // Copied, so that a short frame does not keep the chunk that it arrived in.
    this.#frames.push(Buffer.from(bytes.subarray(0, size + length)))
    this.#content.push(withMask(bytes.subarray(size, size + length), mask))
    this.#bytes += size + length
    if (fin) {
      const changed = this.#changed(Buffer.concat(this.#content))
      if (changed !== undefined) {
        this.#frames = frameOf({ opcode: TEXT, mask }, changed)
      }
      this.#release()
      this.#left--
    }
    return bytes.subarray(size + length)
  }

  #pass(bytes: Buffer, length: number): Buffer {
    const part = bytes.subarray(0, length)
    this.out.push(part)
    this.#passing = length - part.length
    return bytes.subarray(part.length)
  }

  /** Passes on the held frames of the message. */
  #release(): void {
    for (const frame of this.#frames) this.out.push(frame)
    this.#frames = []
    this.#content = []
    this.#bytes = 0
  }

  #stop(bytes: Buffer): Buffer {
    this.#release()
    this.#left = 0
    return bytes
  }
}
