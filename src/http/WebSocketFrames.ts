/** The frames of a WebSocket (RFC 6455 section 5.2): bits of the first two bytes of a header, opcodes, and lengths in bytes. */
import { Transform, type TransformCallback } from "node:stream"

const FIN = 0x80
const MASKED = 0x80
export const COMPRESSED = 0x40
export const RESERVED = 0x70
export const CONTINUATION = 0
export const TEXT = 1
export const BINARY = 2
export const CONTROL = 8
export const CLOSE = 8
export const PONG = 10
export const MAX_CONTROL_BYTES = 125
export const MAX_HEADER_BYTES = 14

/** The header of a frame. */
export interface FrameHeader {
  readonly fin: boolean
  readonly opcode: number
  readonly mask: Buffer | undefined
  readonly length: number
}

/** Masks a part of a payload, or removes its mask. `from`: where in the payload the part begins. */
export const withMask = (payload: Buffer, mask: Buffer | undefined, from = 0): Buffer => {
  if (mask === undefined) return payload
  const out = Buffer.allocUnsafe(payload.length)
  for (let i = 0; i < payload.length; i++) out[i] = payload[i]! ^ mask[(from + i) & 3]!
  return out
}

/** The lengths in the second byte of a header for a length in the next two and in the next eight bytes. */
const IN_TWO = 126
const IN_EIGHT = 127

/** How many bytes with the length follow the second byte of a header. */
const lengthBytes = (short: number): number => {
  if (short === IN_TWO) return 2
  return short === IN_EIGHT ? 8 : 0
}

const shortOf = (length: number): number => {
  if (length < IN_TWO) return length
  return length < 0x10000 ? IN_TWO : IN_EIGHT
}

const lengthIn = (bytes: Buffer, short: number): number => {
  if (short === IN_TWO) return bytes.readUInt16BE(2)
  return short === IN_EIGHT ? Number(bytes.readBigUInt64BE(2)) : short
}

/** A frame, as its header and its payload. */
export const frameOf = (
  { fin = true, mask, opcode }: Pick<FrameHeader, "mask" | "opcode"> & { readonly fin?: boolean },
  payload: Buffer
): [header: Buffer, payload: Buffer] => {
  const { length } = payload
  const short = shortOf(length)
  const header = Buffer.alloc(2 + lengthBytes(short))
  header[0] = (fin ? FIN : 0) | opcode
  header[1] = (mask === undefined ? 0 : MASKED) | short
  if (short === IN_TWO) header.writeUInt16BE(length, 2)
  if (short === IN_EIGHT) header.writeBigUInt64BE(BigInt(length), 2)
  return [mask === undefined ? header : Buffer.concat([header, mask]), withMask(payload, mask)]
}

/** The header at the beginning of these bytes, and its size; undefined if it is incomplete. */
export const readHeader = (bytes: Buffer): { readonly header: FrameHeader; readonly size: number } | undefined => {
  if (bytes.length < 2) return undefined
  const isMasked = (bytes[1]! & MASKED) !== 0
  const short = bytes[1]! & 0x7f
  const size = 2 + lengthBytes(short) + (isMasked ? 4 : 0)
  if (bytes.length < size) return undefined
  const mask = isMasked ? bytes.subarray(size - 4, size) : undefined
  return {
    header: { fin: (bytes[0]! & FIN) !== 0, opcode: bytes[0]! & 0x0f, mask, length: lengthIn(bytes, short) },
    size
  }
}

/** Changes the frames of a WebSocket in one direction. */
export abstract class FrameTransform extends Transform {
  /** The output for the current chunk. It is pushed as a whole, because each push becomes a write and a TLS record. */
  protected out: Array<Buffer> = []

  /** Reads bytes into `out`. */
  protected abstract readFrames(bytes: Buffer): void

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.readFrames(chunk)
    this.pushAll()
    done()
  }

  protected pushAll(): void {
    if (this.out.length > 0) this.push(Buffer.concat(this.out))
    this.out = []
  }
}
