/**
 * Finds the compressed messages of gRPC (gRPC over HTTP/2, "Length-Prefixed-Message"), gRPC-Web and Connect ("Enveloped-Message"),
 * which cannot be searched.
 */
import { fieldOf, type HeaderPairs } from "../HeaderFields.ts"

const COMPRESSED = 0x01
const PREFIX_BYTES = 5

const MESSAGES = /^\s*application\/(?:grpc(?:-web)?(?:\+[^;\s]*)?|connect\+[^;\s]*)\s*(?:;|$)/i

/** Whether a response consists of messages, each of which has a prefix. */
export const hasMessages = (headers: HeaderPairs): boolean => MESSAGES.test(fieldOf(headers, "content-type") ?? "")

/** Whether a response declares that messages may be compressed. */
export const declaresCompression = (headers: HeaderPairs): boolean =>
  ["grpc-encoding", "connect-content-encoding"].some((name) =>
    !/^\s*(?:identity)?\s*$/i.test(fieldOf(headers, name) ?? "")
  )

export class CompressedMessages {
  /** How many bytes of the current message have not arrived. */
  #left = 0
  /** The bytes of a message's prefix that have arrived, until it is complete. */
  #prefix: Buffer = Buffer.alloc(0)

  /** Whether a compressed message begins in this part. */
  isCompressed(part: Buffer): boolean {
    for (let at = 0; at < part.length;) {
      if (this.#left > 0) {
        const length = Math.min(this.#left, part.length - at)
        this.#left -= length
        at += length
        continue
      }
      const missing = part.subarray(at, at + PREFIX_BYTES - this.#prefix.length)
      at += missing.length
      const prefix = this.#prefix = Buffer.concat([this.#prefix, missing])
      if ((prefix[0]! & COMPRESSED) !== 0) return true
      if (prefix.length < PREFIX_BYTES) return false
      this.#left = prefix.readUInt32BE(1)
      this.#prefix = Buffer.alloc(0)
    }
    return false
  }
}
