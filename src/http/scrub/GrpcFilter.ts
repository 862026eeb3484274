/**
 * Replaces secrets in gRPC messages that are compressed one by one (gRPC over HTTP/2, "Length-Prefixed-Message"). A message with a secret is
 * passed on uncompressed, which its flag tells; others are passed on as they are.
 */
import { builtins } from "../../platform/builtins.ts"
import { fieldOf, type HeaderPairs } from "../HeaderFields.ts"
import { type CurrentSearch, SecretFilter } from "./SecretFilter.ts"

const COMPRESSED = 0x01
const PREFIX_BYTES = 5
/** A longer message is searched as it is. Clients reject decoded messages of more than 4 MiB unless they are configured otherwise. */
const MAX_MESSAGE_BYTES = 1024 * 1024
const MAX_DECODED_BYTES = 4 * 1024 * 1024
const NOTHING: Buffer = Buffer.alloc(0)

type Decode = (message: Buffer, options: { readonly maxOutputLength: number }) => Buffer

const decoders: Readonly<Record<string, () => Decode>> = {
  gzip: () => builtins.zlib.gunzipSync,
  deflate: () => builtins.zlib.inflateSync,
  zstd: () => builtins.zlib.zstdDecompressSync
}

/** The coding of the messages of a request or response; undefined if they are not compressed, or cannot be decoded. */
export const grpcCoding = (headers: HeaderPairs | ReadonlyArray<string>): string | undefined => {
  const coding = (fieldOf(headers, "grpc-encoding") ?? "").trim().toLowerCase()
  const isGrpc = /^application\/grpc(?!-web-text)/i.test(fieldOf(headers, "content-type") ?? "")
  return isGrpc && Object.hasOwn(decoders, coding) ? coding : undefined
}

export class GrpcFilter {
  readonly #newFilter: () => SecretFilter
  readonly #decode: Decode
  /** What has arrived of a prefix or of a compressed message with its prefix. */
  #held = NOTHING
  /** The filter of the uncompressed message that is arriving, and how much of it is still to come. */
  #filter: SecretFilter
  #left = 0
  #hasReplaced = false

  /** `coding`: the result of `grpcCoding`. */
  constructor(search: CurrentSearch, coding: string) {
    this.#newFilter = () => new SecretFilter(search)
    this.#filter = this.#newFilter()
    this.#decode = decoders[coding]!()
  }

  /** Whether a secret was found so far. */
  get hasReplaced(): boolean {
    return this.#hasReplaced || this.#filter.hasReplaced
  }

  write(part: Buffer): Buffer {
    const out: Array<Buffer> = []
    let data = this.#held.length === 0 ? part : Buffer.concat([this.#held, part])
    this.#held = NOTHING
    while (data.length > 0) {
      if (this.#left > 0) {
        const piece = data.subarray(0, this.#left)
        this.#left -= piece.length
        out.push(this.#filter.write(piece))
        if (this.#left === 0) out.push(this.#filter.end())
        data = data.subarray(piece.length)
        continue
      }
      const length = data.length < PREFIX_BYTES ? 0 : data.readUInt32BE(1)
      const isDecoded = (data[0]! & COMPRESSED) !== 0 && length <= MAX_MESSAGE_BYTES
      if (data.length < PREFIX_BYTES + (isDecoded ? length : 0)) {
        this.#held = Buffer.from(data)
        break
      }
      const end = PREFIX_BYTES + (isDecoded ? length : 0)
      if (isDecoded) out.push(this.#message(data.subarray(0, end)))
      else {
        out.push(data.subarray(0, PREFIX_BYTES))
        this.#hasReplaced ||= this.#filter.hasReplaced
        this.#filter = this.#newFilter()
        this.#left = length
      }
      data = data.subarray(end)
    }
    return out.length === 1 ? out[0]! : Buffer.concat(out)
  }

  /** Returns the held bytes at the end of the data. */
  end(): Buffer {
    const rest = this.#filtered(this.#held)
    this.#held = NOTHING
    return Buffer.concat([this.#filter.end(), rest])
  }

  /** A whole message, which is compressed. */
  #message(message: Buffer): Buffer {
    let decoded: Buffer
    try {
      decoded = this.#decode(message.subarray(PREFIX_BYTES), { maxOutputLength: MAX_DECODED_BYTES })
    } catch {
      return this.#filtered(message)
    }
    const content = this.#filtered(decoded)
    if (content === decoded) return message
    const prefix = Buffer.alloc(PREFIX_BYTES, message[0]! & ~COMPRESSED)
    prefix.writeUInt32BE(content.length, 1)
    return Buffer.concat([prefix, content])
  }

  /** The data itself if it contains no secret. */
  #filtered(data: Buffer): Buffer {
    const filter = this.#newFilter()
    const out = Buffer.concat([filter.write(data), filter.end()])
    this.#hasReplaced ||= filter.hasReplaced
    return filter.hasReplaced ? out : data
  }
}
