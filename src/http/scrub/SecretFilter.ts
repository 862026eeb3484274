/**
 * Replaces secrets in data that arrives in parts. The length of the data does not change. Holds back only bytes that may begin a
 * secret, up to the longest spelling of one.
 */
import type { Extent, SecretSearch } from "./SecretSearch.ts"

/** Returns the search to use for data that arrives now, because more secrets may become known meanwhile. */
export type CurrentSearch = () => SecretSearch

/** Reads the data that is searched, without changing it. */
export type Observer = (part: Buffer) => void

const NOTHING: Buffer = Buffer.alloc(0)

export class SecretFilter {
  readonly #search: CurrentSearch
  readonly #observe: Observer | undefined
  #held = NOTHING
  /** How many more bytes to search. */
  #left: number
  /** Whether a secret was found so far. */
  hasReplaced = false

  /** Searches the first `limit` bytes and passes on the rest unchanged. `observe` reads all input. */
  constructor(search: CurrentSearch, limit = Infinity, observe?: Observer) {
    this.#search = search
    this.#observe = observe
    this.#left = limit
  }

  get heldBytes(): number {
    return this.#held.length
  }

  /** Whether the search is complete. */
  get isOver(): boolean {
    return this.#left === 0
  }

  /** Returns what can be passed on, which is `part` itself if it contains no secret. */
  write(part: Buffer): Buffer {
    this.#observe?.(part)
    if (this.#left === 0) return part
    this.#left = Math.max(0, this.#left - part.length)
    return this.#filter(part, this.#left === 0 ? "whole" : "part")
  }

  /** Returns the held bytes at the end of the data. */
  end(): Buffer {
    return this.#held.length === 0 ? NOTHING : this.#filter(NOTHING, "whole")
  }

  #filter(part: Buffer, extent: Extent): Buffer {
    const search = this.#search()
    const data = this.#held.length === 0 ? part : Buffer.concat([this.#held, part])
    let out = data
    this.#held = NOTHING
    let found = search.find(data, 0, extent)
    while (found?._tag === "Match") {
      if (out === data) out = Buffer.from(data)
      search.replace(out, found)
      this.hasReplaced = true
      found = search.find(data, found.end, extent)
    }
    if (found === undefined) return out
    this.#held = Buffer.from(data.subarray(found.start))
    return out.subarray(0, found.start)
  }
}
