/** The content codings (RFC 9110 section 8.4.1) that can be decoded. */
import type { Transform } from "node:stream"
import type { Zlib, ZlibOptions } from "node:zlib"
import { builtins } from "../../platform/builtins.ts"
import { errorCode } from "../../platform/ErrorCode.ts"

export type Decoder = Transform & Zlib

/** Decodes one frame of `content`. */
type WholeDecoder = (
  content: Buffer,
  options: Pick<ZlibOptions, "finishFlush" | "info" | "maxOutputLength">
) => Buffer

export interface Coding {
  /**
   * Creates a stream that decodes content that begins with `first`, and passes on all that can be decoded so far.
   * Absent if a decoder passes on only whole blocks: a client could decode part of a block before it is searched.
   */
  readonly decoder?: (first: Buffer) => Decoder
  /** Decodes content that is complete, at a third of the cost of a stream. */
  readonly decodeWhole: WholeDecoder
}

const CHUNK_BYTES = 64 * 1024
const MIN_CHUNK_BYTES = 16 * 1024
/** The window that RFC 9659 allows in HTTP: 8 MiB. */
const ZSTD_WINDOW_LOG = 23
/** The maximum length of complete content when decoded: decoding it blocks the event loop. */
const MAX_WHOLE_BYTES = 1024 * 1024
/** The maximum number of codings, which limits the work for one response. */
const MAX_CODINGS = 4
/** The maximum number of frames in content (RFC 8878 section 3). */
const MAX_FRAMES = 1000

/** Whether deflated content has the zlib format, as it should. Some servers send raw deflate instead. */
const isZlib = (content: Buffer): boolean => (content[0]! & 0x0f) === 8

/** The size of a buffer for all decoded content: gzip content ends with its length modulo 2^32 (RFC 1952 section 2.3.1). */
const gzipChunk = (content: Buffer): number => {
  const length = content.length < 4 ? 0 : content.readUInt32LE(content.length - 4)
  return Math.min(Math.max(length + 1, MIN_CHUNK_BYTES), MAX_WHOLE_BYTES)
}

const codings: Readonly<Record<string, Coding>> = {
  gzip: {
    decoder: () => builtins.zlib.createGunzip({ chunkSize: CHUNK_BYTES }),
    decodeWhole: (content, options) => builtins.zlib.gunzipSync(content, { ...options, chunkSize: gzipChunk(content) })
  },
  deflate: {
    decoder: (first) => {
      const { createInflate, createInflateRaw } = builtins.zlib
      return (isZlib(first) ? createInflate : createInflateRaw)({ chunkSize: CHUNK_BYTES })
    },
    decodeWhole: (content, options) => {
      const { inflateRawSync, inflateSync } = builtins.zlib
      return (isZlib(content) ? inflateSync : inflateRawSync)(content, { ...options, chunkSize: CHUNK_BYTES })
    }
  },
  br: {
    decoder: () => builtins.zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
    decodeWhole: (content, options) =>
      builtins.zlib.brotliDecompressSync(content, { ...options, chunkSize: CHUNK_BYTES })
  },
  zstd: {
    decodeWhole: (content, options) => {
      const { constants, zstdDecompressSync } = builtins.zlib
      const params = { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG }
      return zstdDecompressSync(content, { ...options, chunkSize: CHUNK_BYTES, params })
    }
  }
}

/** Values of `Content-Encoding` that servers send by mistake, for content without a coding. */
const NOT_A_CODING = /^(?:|7bit|8bit|aws-chunked|binary|identity|iso-8859-1|none|us-ascii|utf-8|utf8)$/

const codingOf = (name: string): string => {
  const coding = name.trim().toLowerCase()
  return coding === "x-gzip" ? "gzip" : coding
}

/** Whether requests may ask for this coding, because content in it can be searched as it arrives. */
export const isOffered = (coding: string): boolean => {
  const name = codingOf(coding)
  return name === "identity" || (Object.hasOwn(codings, name) && codings[name]!.decoder !== undefined)
}

/** The codings of content in the order in which they were applied; undefined if there is one that cannot be decoded. */
export const codingsOf = (contentEncoding: string | undefined): ReadonlyArray<Coding> | undefined => {
  if (contentEncoding === undefined) return []
  const names = contentEncoding.split(",").map(codingOf).filter((name) => !NOT_A_CODING.test(name))
  return names.length <= MAX_CODINGS && names.every((name) => Object.hasOwn(codings, name))
    ? names.map((name) => codings[name]!)
    : undefined
}

/** Decodes all frames. Throws if the content is invalid or too long. */
const decodedFrames = (decode: WholeDecoder, content: Buffer): Buffer => {
  const frames: Array<Buffer> = []
  let left = MAX_WHOLE_BYTES
  // Some servers pad content with zeros, which decoders ignore.
  for (let rest = content; rest.length > 0 && (frames.length === 0 || rest.some((byte) => byte !== 0));) {
    if (frames.length === MAX_FRAMES) throw new Error("too many frames")
    // The declared type of the result does not depend on `info`.
    const { buffer, engine } = decode(rest, { info: true, maxOutputLength: left }) as unknown as {
      readonly buffer: Buffer
      readonly engine: Zlib
    }
    frames.push(buffer)
    left = Math.max(1, left - buffer.length)
    rest = rest.subarray(engine.bytesWritten)
  }
  return frames.length === 1 ? frames[0]! : Buffer.concat(frames)
}

/** Decodes content that is complete; undefined if it is too long when decoded. Throws if it is invalid. */
export const wholeContent = (codings: ReadonlyArray<Coding>, content: Buffer): Buffer | undefined => {
  try {
    return codings.toReversed().reduce((bytes, { decodeWhole }) => decodedFrames(decodeWhole, bytes), content)
  } catch (error) {
    if (errorCode(error) === "ERR_BUFFER_TOO_LARGE") return undefined
    throw error
  }
}

/** All that can be decoded of incomplete content. Throws if the content is invalid, or longer than the limit when decoded. */
export const decodedBeginning = ({ decodeWhole }: Coding, content: Buffer, limit: number): Buffer =>
  // Z_PARTIAL_FLUSH, BROTLI_OPERATION_FLUSH and ZSTD_e_flush have this value.
  decodeWhole(content, { finishFlush: 1, maxOutputLength: limit })

/** Decodes content that is complete; undefined if a coding is unknown, or the content is invalid or too long when decoded. */
export const decodedContent = (contentEncoding: string | undefined, content: Buffer): Buffer | undefined => {
  const codings = codingsOf(contentEncoding)
  try {
    return codings && wholeContent(codings, content)
  } catch {
    return undefined
  }
}
