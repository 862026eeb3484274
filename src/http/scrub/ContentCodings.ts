/** The content codings (RFC 9110 section 8.4.1) that content can be decoded from, and encoded with again. */
import type { Transform } from "node:stream"
import type { Zlib, ZlibOptions } from "node:zlib"
import { builtins } from "../../platform/builtins.ts"

/** Creates a stream for content that begins with `first`. */
export type Coder = (first: Buffer) => Transform & Zlib

/** Decodes one frame of `content`. */
type WholeDecoder = (content: Buffer, options: Pick<ZlibOptions, "info" | "maxOutputLength">) => Buffer

interface Coding {
  readonly decode: Coder
  /** Decodes content that is complete, at a third of the cost of a stream. */
  readonly decodeWhole: WholeDecoder
  /** Encodes fast rather than tightly, and passes on each part at once. The client is on the same machine. */
  readonly encode: Coder
}

const CHUNK_BYTES = 64 * 1024
const MIN_CHUNK_BYTES = 16 * 1024
/** The window that RFC 9659 allows in HTTP: 8 MiB. */
const ZSTD_WINDOW_LOG = 23
const ENCODER_WINDOW_LOG = 16
/** How much of complete content is decoded, without a break for other work. */
const MAX_WHOLE_BYTES = 1024 * 1024
/** Limits the memory that one response needs. */
const MAX_CODINGS = 4

/** No compression, which needs no window. */
const stored = () => ({ level: 0, windowBits: 9, memLevel: 1, flush: builtins.zlib.constants.Z_SYNC_FLUSH })

/** Some servers send raw deflate, without the zlib format that the name stands for. */
const isZlib = (content: Buffer): boolean => (content[0]! & 0x0f) === 8

const zstdOptions = () => ({
  chunkSize: CHUNK_BYTES,
  params: { [builtins.zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG }
})

/** Room for all decoded content, whose length modulo 2^32 is at the end of gzip content (RFC 1952 section 2.3.1). */
const gzipChunk = (content: Buffer): number => {
  const length = content.length < 4 ? 0 : content.readUInt32LE(content.length - 4)
  return Math.min(Math.max(length + 1, MIN_CHUNK_BYTES), MAX_WHOLE_BYTES)
}

const codings: Readonly<Record<string, Coding>> = {
  gzip: {
    decode: () => builtins.zlib.createGunzip({ chunkSize: CHUNK_BYTES }),
    decodeWhole: (content, options) => builtins.zlib.gunzipSync(content, { ...options, chunkSize: gzipChunk(content) }),
    encode: () => builtins.zlib.createGzip(stored())
  },
  deflate: {
    decode: (first) => {
      const { createInflate, createInflateRaw } = builtins.zlib
      return (isZlib(first) ? createInflate : createInflateRaw)({ chunkSize: CHUNK_BYTES })
    },
    decodeWhole: (content, options) => {
      const { inflateRawSync, inflateSync } = builtins.zlib
      return (isZlib(content) ? inflateSync : inflateRawSync)(content, { ...options, chunkSize: CHUNK_BYTES })
    },
    encode: () => builtins.zlib.createDeflate(stored())
  },
  br: {
    decode: () => builtins.zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
    decodeWhole: (content, options) =>
      builtins.zlib.brotliDecompressSync(content, { ...options, chunkSize: CHUNK_BYTES }),
    encode: () => {
      const { constants, createBrotliCompress } = builtins.zlib
      return createBrotliCompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: ENCODER_WINDOW_LOG }
      })
    }
  },
  zstd: {
    decode: () => builtins.zlib.createZstdDecompress(zstdOptions()),
    decodeWhole: (content, options) => builtins.zlib.zstdDecompressSync(content, { ...options, ...zstdOptions() }),
    encode: () => {
      const { constants, createZstdCompress } = builtins.zlib
      return createZstdCompress({
        flush: constants.ZSTD_e_flush,
        params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: ENCODER_WINDOW_LOG }
      })
    }
  }
}

const codingOf = (name: string): string => {
  const coding = name.trim().toLowerCase()
  return coding === "x-gzip" ? "gzip" : coding
}

export const isDecodable = (coding: string): boolean => Object.hasOwn(codings, codingOf(coding))

/** The codings of content in the order in which they were applied; none if there is one that cannot be decoded. */
export const codingsOf = (contentEncoding: string | undefined): ReadonlyArray<Coding> => {
  if (contentEncoding === undefined) return []
  const names = contentEncoding.split(",").map(codingOf).filter((name) => name !== "" && name !== "identity")
  return names.length <= MAX_CODINGS && names.every(isDecodable) ? names.map((name) => codings[name]!) : []
}

/** Decodes one frame; undefined if other bytes follow it. */
const wholeFrame = (decode: WholeDecoder, content: Buffer): Buffer | undefined => {
  // The declared type of the result does not depend on `info`.
  const { buffer, engine } = decode(content, { info: true, maxOutputLength: MAX_WHOLE_BYTES }) as unknown as {
    readonly buffer: Buffer
    readonly engine: Zlib
  }
  return engine.bytesWritten < content.length ? undefined : buffer
}

/**
 * Decodes content that is complete; undefined if it consists of several frames, or is too long when decoded. Throws if it is invalid.
 */
export const wholeContent = (codings: ReadonlyArray<Coding>, content: Buffer): Buffer | undefined => {
  let decoded: Buffer | undefined = content
  try {
    for (const { decodeWhole } of codings.toReversed()) {
      if (decoded === undefined || decoded.length === 0) break
      decoded = wholeFrame(decodeWhole, decoded)
    }
    return decoded
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined
    throw error
  }
}
