/**
 * Replaces secrets in the messages of a WebSocket (RFC 6455), in one direction. Fragments of a message are searched as one. Messages that
 * permessage-deflate has compressed (RFC 7692) are passed on uncompressed, which that extension leaves to the sender.
 *
 * A frame is passed on as it arrives, in several frames if it arrives in several parts, so that no message is collected. If the server
 * sends anything other than frames, its bytes are searched as they are.
 */
import { Transform, type TransformCallback } from "node:stream"
import { builtins } from "../../platform/builtins.ts"
import { type CurrentSearch, SecretFilter } from "./SecretFilter.ts"

const FIN = 0x80
const COMPRESSED = 0x40
const RESERVED = 0x30
const MASKED = 0x80
const CONTINUATION = 0
const BINARY = 2
const CONTROL = 8
const PONG = 10
const MAX_CONTROL_BYTES = 125
const MAX_HEADER_BYTES = 14
/** Follows the content of a compressed message (RFC 7692 section 7.2.2). */
const TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff])
const NOTHING: Buffer = Buffer.alloc(0)

interface Frame {
  readonly fin: boolean
  readonly opcode: number
  readonly mask: Buffer | undefined
  /** How much of the payload is still to come. */
  left: number
  /** How much of the payload has been read. */
  read: number
}

const masked = (payload: Buffer, mask: Buffer | undefined, from = 0): Buffer => {
  if (mask === undefined) return payload
  const out = Buffer.allocUnsafe(payload.length)
  for (let i = 0; i < payload.length; i++) out[i] = payload[i]! ^ mask[(from + i) & 3]!
  return out
}

const headerOf = (fin: boolean, opcode: number, length: number, mask: Buffer | undefined): Buffer => {
  const extended = length < 126 ? 0 : length < 0x10000 ? 2 : 8
  const header = Buffer.alloc(2 + extended)
  header[0] = (fin ? FIN : 0) | opcode
  header[1] = (mask === undefined ? 0 : MASKED) | (extended === 0 ? length : extended === 2 ? 126 : 127)
  if (extended === 2) header.writeUInt16BE(length, 2)
  if (extended === 8) header.writeBigUInt64BE(BigInt(length), 2)
  return mask === undefined ? header : Buffer.concat([header, mask])
}

/** Decompresses the messages of a connection, which may refer to earlier ones. */
class Inflation {
  readonly #stream = builtins.zlib.createInflateRaw()
  #error: Error | undefined
  #ended = false
  #wake = (): void => {}

  constructor() {
    const stream = this.#stream
    stream.on("readable", () => this.#wake())
    stream.on("end", () => {
      this.#ended = true
      this.#wake()
    })
    stream.on("error", (error) => {
      this.#error = error
      this.#wake()
    })
  }

  /** Whether the sender has ended the compressed data, so that the next message starts anew. */
  get isOver(): boolean {
    return this.#ended
  }

  async *inflate(bytes: Buffer): AsyncGenerator<Buffer> {
    let written = false
    this.#stream.write(bytes, () => {
      written = true
      this.#wake()
    })
    while (true) {
      if (this.#error !== undefined) throw this.#error
      const chunk: Buffer | null = this.#stream.read()
      if (chunk !== null) yield chunk
      else if (written || this.#ended) return
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }

  destroy(): void {
    this.#stream.destroy()
  }
}

export class WebSocketFilter extends Transform {
  readonly #newFilter: () => SecretFilter
  readonly #deflate: boolean
  /** The beginning of a frame's header. */
  #header = NOTHING
  #frame: Frame | undefined
  #control: Array<Buffer> = []
  /** The filter of the current message. */
  #filter: SecretFilter | undefined
  /** The opcode that the next frame of the message is sent with. */
  #opcode = CONTINUATION
  #isCompressed = false
  #inflation: Inflation | undefined
  #wake = (): void => {}
  /** Set after an invalid frame. */
  #bytes: SecretFilter | undefined

  /** `deflate`: whether permessage-deflate was negotiated. */
  constructor(search: CurrentSearch, deflate: boolean) {
    super()
    this.#newFilter = () => new SecretFilter(search)
    this.#deflate = deflate
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#read(chunk).then(() => done(), done)
  }

  override _read(size: number): void {
    this.#wake()
    super._read(size)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inflation?.destroy()
    done(error)
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#bytes === undefined ? this.#header : this.#bytes.end())
  }

  async #read(chunk: Buffer): Promise<void> {
    let rest = chunk
    while (rest.length > 0 || this.#frame?.left === 0) {
      if (this.#bytes !== undefined) {
        this.push(this.#bytes.write(rest))
        return
      }
      if (this.#frame === undefined) {
        rest = this.#begin(rest)
        continue
      }
      const frame = this.#frame
      const part = masked(rest.subarray(0, frame.left), frame.mask, frame.read)
      rest = rest.subarray(part.length)
      frame.left -= part.length
      frame.read += part.length
      if (frame.opcode >= CONTROL) this.#control.push(part)
      else if (this.#isCompressed) await this.#inflate(part, frame)
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
    if (bytes.length < 2) return part.subarray(part.length)
    const isMasked = (bytes[1]! & MASKED) !== 0
    const short = bytes[1]! & 0x7f
    const extended = short < 126 ? 0 : short === 126 ? 2 : 8
    const size = 2 + extended + (isMasked ? 4 : 0)
    if (bytes.length < size) return part.subarray(part.length)
    const left = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
    const mask = isMasked ? bytes.subarray(size - 4, size) : undefined
    const frame = { fin: (bytes[0]! & FIN) !== 0, opcode: bytes[0]! & 0x0f, mask, left, read: 0 }
    this.#header = NOTHING
    if (!this.#isValid(frame, bytes[0]!)) {
      this.#bytes = this.#newFilter()
      this.push(this.#bytes.write(bytes.subarray(0, before)))
      return part
    }
    this.#frame = frame
    return part.subarray(size - before)
  }

  /** Checks a header, and begins a message with it. */
  #isValid({ fin, left, opcode }: Frame, first: number): boolean {
    const isCompressed = (first & COMPRESSED) !== 0
    const isControl = opcode >= CONTROL
    const isFirst = !isControl && opcode !== CONTINUATION
    const known = opcode <= BINARY || (isControl && opcode <= PONG)
    const continues = this.#filter !== undefined
    if (
      !known || (first & RESERVED) !== 0 || (isCompressed && (!this.#deflate || !isFirst)) || left > 2 ** 53 ||
      (isControl ? !fin || left > MAX_CONTROL_BYTES : isFirst === continues)
    ) return false
    if (!isFirst) return true
    this.#filter = this.#newFilter()
    this.#opcode = opcode
    this.#isCompressed = isCompressed
    return true
  }

  #pass(part: Buffer, { fin, left, mask }: Frame): void {
    const last = fin && left === 0
    const out = this.#filter!.write(part)
    this.#send(last, last ? Buffer.concat([out, this.#filter!.end()]) : out, mask)
  }

  async #inflate(part: Buffer, { fin, left, mask }: Frame): Promise<void> {
    const last = fin && left === 0
    const inflation = this.#inflation ??= new Inflation()
    // Sent when it is known whether more follows, so that a short message stays one frame.
    let waiting = NOTHING
    for (const bytes of last ? [part, TAIL] : [part]) {
      if (bytes.length === 0) continue
      for await (const chunk of inflation.inflate(bytes)) {
        this.#send(false, waiting, mask)
        waiting = this.#filter!.write(chunk)
        if (this.readableLength >= this.readableHighWaterMark) await this.#drained()
      }
    }
    this.#send(last, last ? Buffer.concat([waiting, this.#filter!.end()]) : waiting, mask)
    if (!inflation.isOver) return
    inflation.destroy()
    this.#inflation = undefined
  }

  #send(fin: boolean, payload: Buffer, mask: Buffer | undefined): void {
    if (!fin && payload.length === 0) return
    this.push(headerOf(fin, this.#opcode, payload.length, mask))
    if (payload.length > 0) this.push(masked(payload, mask))
    this.#opcode = CONTINUATION
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #passControl({ mask, opcode }: Frame): void {
    const filter = this.#newFilter()
    const payload = Buffer.concat([...this.#control.map((part) => filter.write(part)), filter.end()])
    this.#control = []
    this.push(headerOf(true, opcode, payload.length, mask))
    if (payload.length > 0) this.push(masked(payload, mask))
  }
}
