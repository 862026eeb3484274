/**
 * Replaces secrets in the messages of a WebSocket (RFC 6455) on their way from the server to the client. Fragments of a message
 * are searched as one. A frame is passed on as it arrives, in several frames if it arrives in several parts, so that no message
 * is collected.
 *
 * A compressed message ends the connection: no extension was negotiated, and compressed text cannot be searched. If the server sends
 * anything other than frames, its bytes are searched as a plain stream.
 */
import type { TransformCallback } from "node:stream"
import {
  BINARY,
  CLOSE,
  COMPRESSED,
  CONTINUATION,
  CONTROL,
  type FrameHeader,
  frameOf,
  FrameTransform,
  MAX_CONTROL_BYTES,
  MAX_HEADER_BYTES,
  PONG,
  readHeader,
  RESERVED,
  withMask
} from "../WebSocketFrames.ts"
import { type CurrentSearch, type Observer, SecretFilter } from "./SecretFilter.ts"

const PROTOCOL_ERROR = Buffer.from([0x03, 0xea])
const NOTHING: Buffer = Buffer.alloc(0)

interface Frame extends FrameHeader {
  /** How many bytes of the payload have not arrived. */
  left: number
  /** How many bytes of the payload were read. */
  read: number
}

/** A Close frame with status 1002 (protocol error). `mask`: the mask of a client's frame. */
const closeFrame = (mask?: Buffer): Buffer => Buffer.concat(frameOf({ opcode: CLOSE, mask }, PROTOCOL_ERROR))

/** The Close frame for a server that has sent a compressed message. */
export const closeForServer = (): Buffer => closeFrame(Buffer.alloc(4))

export class WebSocketFilter extends FrameTransform {
  readonly #newFilter: () => SecretFilter
  readonly #refused: () => void
  /** The beginning of a frame's header. */
  #header = NOTHING
  #frame: Frame | undefined
  #control: Array<Buffer> = []
  /** The filter of the current message. */
  #filter: SecretFilter | undefined
  /** The opcode that the next frame of the message is sent with. */
  #opcode = CONTINUATION
  /** The filter of all bytes after an invalid frame. */
  #bytes: SecretFilter | undefined
  #isRefused = false

  /**
   * `hasFrames`: whether the protocol is WebSocket, and not a stream of bytes. `refused` is called once, if the server sends a compressed
   * message. By then the client has received a Close frame. `observer` is called for each message.
   */
  constructor(search: CurrentSearch, hasFrames: boolean, refused: () => void, observer?: () => Observer | undefined) {
    super()
    this.#newFilter = () => new SecretFilter(search, Infinity, observer?.())
    if (!hasFrames) this.#bytes = this.#newFilter()
    this.#refused = refused
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#bytes === undefined ? this.#header : this.#bytes.end())
  }

  protected override readFrames(chunk: Buffer): void {
    let rest = chunk
    while (!this.#isRefused && (rest.length > 0 || this.#frame?.left === 0)) {
      if (this.#bytes !== undefined) {
        this.out.push(this.#bytes.write(rest))
        return
      }
      if (this.#frame === undefined) {
        rest = this.#begin(rest)
        continue
      }
      const frame = this.#frame
      const part = withMask(rest.subarray(0, frame.left), frame.mask, frame.read)
      rest = rest.subarray(part.length)
      frame.left -= part.length
      frame.read += part.length
      if (frame.opcode >= CONTROL) this.#control.push(part)
      else this.#pass(part, frame)
      if (frame.left > 0) continue
      this.#frame = undefined
      if (frame.opcode >= CONTROL) this.#passControl(frame)
      else if (frame.fin) this.#filter = undefined
    }
  }

  /** Reads a frame's header. Returns what follows it. */
  #begin(part: Buffer): Buffer {
    const before = this.#header.length
    const bytes = Buffer.concat([this.#header, part.subarray(0, MAX_HEADER_BYTES)])
    this.#header = bytes
    const read = readHeader(bytes)
    if (read === undefined) return part.subarray(part.length)
    const frame = { ...read.header, left: read.header.length, read: 0 }
    this.#header = NOTHING
    if (this.#isCompressed(frame, bytes[0]!)) {
      this.#isRefused = true
      this.out.push(closeFrame())
      this.pushAll()
      this.push(null)
      this.#refused()
      return NOTHING
    }
    if (!this.#isValid(frame, bytes[0]!)) {
      this.#bytes = this.#newFilter()
      this.out.push(this.#bytes.write(bytes.subarray(0, before)))
      return part
    }
    this.#frame = frame
    return part.subarray(read.size - before)
  }

  /** Whether a frame begins a message that permessage-deflate has compressed (RFC 7692 section 6). */
  #isCompressed({ opcode }: Frame, first: number): boolean {
    return (first & RESERVED) === COMPRESSED && opcode > CONTINUATION && opcode <= BINARY && this.#filter === undefined
  }

  /** Whether a frame header is valid. The valid header of a first data frame also starts a new message. */
  #isValid({ fin, left, opcode }: Frame, first: number): boolean {
    const isControl = opcode >= CONTROL
    const isFirst = !isControl && opcode !== CONTINUATION
    const known = opcode <= BINARY || (isControl && opcode <= PONG)
    if (
      !known || (first & RESERVED) !== 0 || left > 2 ** 53 ||
      (isControl ? !fin || left > MAX_CONTROL_BYTES : isFirst === (this.#filter !== undefined))
    ) return false
    if (!isFirst) return true
    this.#filter = this.#newFilter()
    this.#opcode = opcode
    return true
  }

  #pass(part: Buffer, { fin, left, mask }: Frame): void {
    const last = fin && left === 0
    const out = this.#filter!.write(part)
    this.#send(last, last ? Buffer.concat([out, this.#filter!.end()]) : out, mask)
  }

  #send(fin: boolean, payload: Buffer, mask: Buffer | undefined): void {
    if (!fin && payload.length === 0) return
    this.out.push(...frameOf({ fin, opcode: this.#opcode, mask }, payload))
    this.#opcode = CONTINUATION
  }

  #passControl({ mask, opcode }: Frame): void {
    const filter = this.#newFilter()
    const payload = Buffer.concat([...this.#control.map((part) => filter.write(part)), filter.end()])
    this.#control = []
    this.out.push(...frameOf({ opcode, mask }, payload))
  }
}
