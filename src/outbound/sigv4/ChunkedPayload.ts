/**
 * Rewrites a body in the coding `aws-chunked` with signatures while it is sent: each chunk and the trailer get new ones, and
 * nothing else changes, so that the body keeps its length.
 */
import { hold } from "../../http/HeldParts.ts"
import { builtins } from "../../platform/builtins.ts"
import { hashOf, hexHmac, stringToSign } from "./CanonicalRequest.ts"
import { UnsupportedSignatureError } from "./ClientSignature.ts"
import { type HeldBudget, HeldBytes, TooManyHeldError } from "./HeldBytes.ts"
import { EMPTY_HASH, type Payload } from "./Payload.ts"

/** The longest accepted chunk. A chunk is held until its signature, which precedes it, is known. SDKs send 64 KiB to 1 MiB. */
const MAX_SIGNED_CHUNK = 16 * 1024 * 1024

const MAX_LINE = 1024
const MAX_TRAILERS = 16

const LINE_END = Buffer.from("\r\n")

const malformedChunks = (reason: string): UnsupportedSignatureError =>
  new UnsupportedSignatureError(`the body is not valid aws-chunked: ${reason}`)

/** The signature of the head, on which the first chunk signature depends, and what all of them are computed with. */
export interface Seed {
  readonly key: Buffer
  readonly time: string
  readonly scope: string
  readonly signature: string
}

export class ChunkedPayload {
  readonly #payload: Extract<Payload, { readonly _tag: "Chunks" }>
  readonly #seed: Seed
  #signature: string
  #state: "size" | "data" | "data end" | "trailers" | "trailer end" | "over" = "size"
  /** The beginning of a line that has not arrived completely. */
  #line = ""
  /** How many bytes of the current chunk have not arrived. */
  #left = 0
  #size = ""
  #held: Array<Buffer> = []
  readonly #memory: HeldBytes
  #hash = builtins.crypto.createHash("sha256")
  #length = 0
  #trailer = ""
  #trailers = 0

  constructor(payload: Extract<Payload, { readonly _tag: "Chunks" }>, seed: Seed, budget: HeldBudget) {
    this.#memory = new HeldBytes(budget)
    this.#payload = payload
    this.#seed = seed
    this.#signature = seed.signature
  }

  /** Adds bytes of the client, and returns what can now be sent. Throws an `UnsupportedSignatureError`. */
  write(bytes: Buffer): ReadonlyArray<Buffer> {
    const out: Array<Buffer> = []
    let rest = bytes
    while (rest.length > 0) {
      if (this.#state === "over") throw malformedChunks("it continues after its last chunk")
      rest = this.#state === "data" ? this.#data(rest) : this.#readLine(rest, out)
    }
    return out
  }

  /** Called at the end of the body. Throws an `UnsupportedSignatureError`. */
  end(): void {
    if (this.#state !== "over") throw malformedChunks("it ends before its last chunk")
  }

  /** Called when nothing more is written or sent. */
  release(): void {
    this.#memory.release()
  }

  #data(bytes: Buffer): Buffer {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    this.#left -= part.length
    if (!this.#memory.reserve(part.length)) throw new TooManyHeldError()
    this.#hash.update(part)
    hold(this.#held, part)
    if (this.#left === 0) this.#state = "data end"
    return bytes.subarray(part.length)
  }

  #readLine(bytes: Buffer, out: Array<Buffer>): Buffer {
    const end = bytes.indexOf(10)
    this.#line += bytes.toString("latin1", 0, end === -1 ? bytes.length : end + 1)
    if (this.#line.length > MAX_LINE) throw malformedChunks("a line is too long")
    if (end === -1) return bytes.subarray(bytes.length)
    const line = this.#line
    if (!line.endsWith("\r\n")) throw malformedChunks("a line does not end in CR LF")
    this.#line = ""
    this.#received(line.slice(0, -2), out)
    return bytes.subarray(end + 1)
  }

  #received(line: string, out: Array<Buffer>): void {
    if (this.#state === "size") this.#begin(line, out)
    else if (this.#state === "data end") {
      if (line !== "") throw malformedChunks("a chunk is longer than its size")
      this.#endChunk(out)
      this.#state = "size"
    } else if (line !== "") this.#trailerLine(line, out)
    else if (this.#state === "trailers" && this.#payload.trailers.size > 0) {
      throw malformedChunks("the trailer has no signature")
    } else {
      out.push(LINE_END)
      this.#state = "over"
    }
  }

  #begin(line: string, out: Array<Buffer>): void {
    const { length } = this.#payload
    const [, size] = /^([0-9a-f]{1,12});chunk-signature=[0-9a-f]{64}$/i.exec(line) ?? []
    if (size === undefined) throw malformedChunks("a chunk has no valid size or signature")
    this.#size = size
    this.#left = Number.parseInt(size, 16)
    this.#length += this.#left
    if (this.#left > MAX_SIGNED_CHUNK) {
      throw malformedChunks(`a signed chunk is longer than ${MAX_SIGNED_CHUNK / 1024 / 1024} MiB`)
    }
    if (length !== undefined && this.#length > length) throw wrongLength()
    if (this.#left > 0) {
      this.#state = "data"
      return
    }
    if (length !== undefined && this.#length !== length) throw wrongLength()
    out.push(this.#signedSize())
    this.#state = "trailers"
  }

  #signedSize(): Buffer {
    const { key, scope, time } = this.#seed
    const lines = [this.#signature, EMPTY_HASH, this.#hash.digest("hex")]
    this.#hash = builtins.crypto.createHash("sha256")
    this.#signature = hexHmac(key, stringToSign("AWS4-HMAC-SHA256-PAYLOAD", time, scope, ...lines))
    return Buffer.from(`${this.#size};chunk-signature=${this.#signature}\r\n`, "latin1")
  }

  #endChunk(out: Array<Buffer>): void {
    out.push(this.#signedSize(), ...this.#held, LINE_END)
    this.#held = []
    this.#memory.release()
  }

  #trailerLine(line: string, out: Array<Buffer>): void {
    const { trailers } = this.#payload
    const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e]*)$/.exec(line) ?? []
    const lower = name.toLowerCase()
    if (this.#state === "trailer end") throw malformedChunks("its trailer continues after its signature")
    if (lower === "x-amz-trailer-signature" && trailers.size > 0) {
      const { key, scope, time } = this.#seed
      const text = stringToSign("AWS4-HMAC-SHA256-TRAILER", time, scope, this.#signature, hashOf(this.#trailer))
      out.push(Buffer.from(`${name}:${hexHmac(key, text)}\r\n`, "latin1"))
      this.#state = "trailer end"
      return
    }
    if (!trailers.has(lower)) throw malformedChunks("its trailer has a field that X-Amz-Trailer does not announce")
    if (++this.#trailers > MAX_TRAILERS) throw malformedChunks("its trailer has too many fields")
    this.#trailer += `${lower}:${value.trim()}\n`
    out.push(Buffer.from(`${line}\r\n`, "latin1"))
  }
}

const wrongLength = (): UnsupportedSignatureError =>
  malformedChunks("its length differs from X-Amz-Decoded-Content-Length")
