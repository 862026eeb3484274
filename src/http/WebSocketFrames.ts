/** The frames of a WebSocket (RFC 6455 section 5.2). */

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

export const headerOf = (fin: boolean, opcode: number, length: number, mask: Buffer | undefined): Buffer => {
  const extended = length < 126 ? 0 : length < 0x10000 ? 2 : 8
  const header = Buffer.alloc(2 + extended)
  header[0] = (fin ? FIN : 0) | opcode
  header[1] = (mask === undefined ? 0 : MASKED) | (extended === 0 ? length : extended === 2 ? 126 : 127)
  if (extended === 2) header.writeUInt16BE(length, 2)
  if (extended === 8) header.writeBigUInt64BE(BigInt(length), 2)
  return mask === undefined ? header : Buffer.concat([header, mask])
}

/** The header at the beginning of these bytes, and its size; undefined if it is incomplete. */
export const readHeader = (bytes: Buffer): { readonly header: FrameHeader; readonly size: number } | undefined => {
  if (bytes.length < 2) return undefined
  const isMasked = (bytes[1]! & MASKED) !== 0
  const short = bytes[1]! & 0x7f
  const extended = short < 126 ? 0 : short === 126 ? 2 : 8
  const size = 2 + extended + (isMasked ? 4 : 0)
  if (bytes.length < size) return undefined
  const length = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const mask = isMasked ? bytes.subarray(size - 4, size) : undefined
  return { header: { fin: (bytes[0]! & FIN) !== 0, opcode: bytes[0]! & 0x0f, mask, length }, size }
}
