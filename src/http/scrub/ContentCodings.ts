/** The content codings (RFC 9110 section 8.4.1) that content can be decoded from, and encoded with again. */
import type { Transform } from "node:stream"
import type { Zlib } from "node:zlib"
import { builtins } from "../../platform/builtins.ts"

/** Creates a stream for content that begins with `first`. */
export type Coder = (first: Buffer) => Transform & Zlib

interface Coding {
  readonly decode: Coder
  /** Encodes fast rather than tightly, and passes on each part at once. The client is on the same machine. */
  readonly encode: Coder
}

const CHUNK_BYTES = 64 * 1024
/** The window that RFC 9659 allows in HTTP: 8 MiB. */
const ZSTD_WINDOW_LOG = 23
const ENCODER_WINDOW_LOG = 16
/** Limits the memory that one response needs. */
const MAX_CODINGS = 4

/** No compression, which needs no window. */
const stored = () => ({ level: 0, windowBits: 9, memLevel: 1, flush: builtins.zlib.constants.Z_SYNC_FLUSH })

const codings: Readonly<Record<string, Coding>> = {
  gzip: {
    decode: () => builtins.zlib.createGunzip({ chunkSize: CHUNK_BYTES }),
    encode: () => builtins.zlib.createGzip(stored())
  },
  deflate: {
    // Some servers send raw deflate, without the zlib format that the name stands for.
    decode: (first) => {
      const { createInflate, createInflateRaw } = builtins.zlib
      return (first[0]! & 0x0f) === 8
        ? createInflate({ chunkSize: CHUNK_BYTES })
        : createInflateRaw({ chunkSize: CHUNK_BYTES })
    },
    encode: () => builtins.zlib.createDeflate(stored())
  },
  br: {
    decode: () => builtins.zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
    encode: () => {
      const { constants, createBrotliCompress } = builtins.zlib
      return createBrotliCompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: ENCODER_WINDOW_LOG }
      })
    }
  },
  zstd: {
    decode: () => {
      const { constants, createZstdDecompress } = builtins.zlib
      const params = { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG }
      return createZstdDecompress({ chunkSize: CHUNK_BYTES, params })
    },
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
