/**
 * Searches the beginning of a request's body for placeholders, beside its way to the upstream: as it arrives, and decoded. Nothing waits
 * for the result.
 */
import { fieldOf } from "../../http/HeaderFields.ts"
import { CoderChain } from "../../http/scrub/CoderChain.ts"
import { codingsOf } from "../../http/scrub/ContentCodings.ts"
import { grpcCoding, GrpcFilter } from "../../http/scrub/GrpcFilter.ts"
import { SecretFilter } from "../../http/scrub/SecretFilter.ts"
import type { SecretSearch } from "../../http/scrub/SecretSearch.ts"

/** How much of a body is searched, and how much of what it decodes to. More would cost throughput. */
const MAX_BYTES = 16 * 1024

/** A required parameter of every token request (RFC 6749 section 4). */
const GRANT_TYPE = "grant_type"

export const isTokenRequest = (text: string | Buffer): boolean => text.includes(GRANT_TYPE)

/** The first bytes of a body, as they are or decoded. */
class Beginning {
  readonly #filter: Pick<SecretFilter, "end" | "write">
  #left = MAX_BYTES
  /** The first part while it is searched. Token requests are so short that they arrive in one. */
  #first: Buffer | undefined

  /** `grpc`: the coding of gRPC messages. */
  constructor(search: SecretSearch, grpc: string | undefined, found: (isTokenRequest: boolean) => void) {
    const replaced = () => {
      this.#left = 0
      found(this.#first !== undefined && isTokenRequest(this.#first))
    }
    this.#filter = grpc === undefined
      ? new SecretFilter(() => search, replaced)
      : new GrpcFilter(() => search, grpc, replaced)
  }

  /** Returns whether more is to be searched. */
  write(part: Buffer): boolean {
    if (this.#left === 0) return false
    const bytes = part.subarray(0, this.#left)
    this.#first = this.#left === MAX_BYTES ? bytes : undefined
    this.#left -= bytes.length
    this.#filter.write(bytes)
    if (this.#left === 0) this.#filter.end()
    return this.#left > 0
  }

  end(): void {
    if (this.#left > 0) this.#filter.end()
    this.#left = 0
  }
}

export class BodySearch {
  readonly #plain: Beginning
  #decoder: CoderChain | undefined
  #isOpen = true

  /** `headers`: those of the request, which name the codings of its body. `report` is called once. */
  constructor(search: SecretSearch, headers: ReadonlyArray<string>, report: (isTokenRequest: boolean) => void) {
    let isFound = false
    const found = (isTokenRequest: boolean) => {
      if (!isFound) report(isTokenRequest)
      isFound = true
    }
    this.#plain = new Beginning(search, grpcCoding(headers), found)
    const codings = codingsOf(fieldOf(headers, "content-encoding"))
    if (codings.length === 0) return
    const decoded = new Beginning(search, undefined, found)
    const close = () => {
      this.#decoder?.destroy()
      this.#decoder = undefined
    }
    this.#decoder = new CoderChain(codings.map(({ decode }) => decode).toReversed(), {
      data: (chunk) => {
        if (decoded.write(chunk)) return true
        close()
        return false
      },
      end: () => {
        decoded.end()
        close()
      },
      // The upstream rejects it.
      failed: close,
      drained: () => {}
    })
  }

  write(part: Buffer): void {
    if (!this.#isOpen) return
    const goesOn = this.#plain.write(part)
    this.#decoder?.write(part.subarray(0, MAX_BYTES))
    if (!goesOn) this.end()
  }

  /** The body has ended. What is being decoded is still searched. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#plain.end()
    this.#decoder?.end()
  }
}
