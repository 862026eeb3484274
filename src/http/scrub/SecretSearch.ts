/**
 * Finds all spellings of several secrets in one pass (Wu and Manber 1994): a table gives the distance to the next
 * possible match, by the last two bytes of a window. The search never reads most bytes, for any number of spellings.
 */
import { MIN_SECRET_LENGTH, paddedPlaceholder, type Spelling, spellingsOf } from "./SecretSpellings.ts"

const MAX_WINDOW = 16
/** Limits the windows to search for. Secrets of many punctuation characters, each with several spellings, need shorter windows. */
const MAX_WINDOWS = 256

/** A secret in the data, from `start` to `end`. */
interface Match {
  readonly _tag: "Match"
  readonly start: number
  readonly end: number
  readonly spelling: Spelling
}

/** The result of a search, or undefined if nothing was found. `Partial`: the data ends within a possible match. */
type Found = Match | { readonly _tag: "Partial"; readonly start: number } | undefined

/** Whether the data is complete, so that nothing in it is partial, or more data may follow. */
export type Extent = "whole" | "part"

const lengthOf = ({ units }: Spelling): number => units.reduce((sum, { least }) => sum + least, 0)

/**
 * The possible beginnings of a spelling, cut to `width` bytes, or undefined if there are too many; a shorter width
 * reduces their number.
 */
const windowsOf = ({ units }: Spelling, width: number): ReadonlySet<string> | undefined => {
  const done = new Set<string>()
  let open = new Set([""])
  for (const { texts } of units) {
    const longer = new Set<string>()
    for (const beginning of open) {
      for (const way of texts) {
        const text = beginning + way
        if (text.length < width) longer.add(text)
        else done.add(text.slice(0, width))
        if (done.size + longer.size > MAX_WINDOWS && width > MIN_SECRET_LENGTH) return undefined
      }
    }
    if (longer.size === 0) break
    open = longer
  }
  return done
}

/** The spellings of one secret and their beginnings, which several searches share. */
export class CompiledSecret {
  readonly spellings: ReadonlyArray<Spelling>
  /** The number of bytes of the shortest spelling. */
  readonly least: number
  readonly #windows = new Map<number, ReadonlyArray<readonly [window: string, spelling: Spelling]> | undefined>()

  constructor(secret: string, placeholder: string) {
    this.spellings = spellingsOf(secret, placeholder)
    this.least = Math.min(...this.spellings.map(lengthOf))
  }

  /** The beginnings of all spellings, cut to `width` bytes; undefined if there are too many. */
  windows(width: number): ReadonlyArray<readonly [window: string, spelling: Spelling]> | undefined {
    if (!this.#windows.has(width)) this.#windows.set(width, this.#windowsAt(width))
    return this.#windows.get(width)
  }

  #windowsAt(width: number): ReadonlyArray<readonly [window: string, spelling: Spelling]> | undefined {
    const all: Array<readonly [window: string, spelling: Spelling]> = []
    for (const spelling of this.spellings) {
      const windows = windowsOf(spelling, width)
      if (windows === undefined) return undefined
      for (const window of windows) all.push([window, spelling])
    }
    return all
  }
}

export class SecretSearch {
  readonly #spellings: ReadonlyArray<Spelling>
  readonly #width: number
  /** How far the next possible match is away, by the last two bytes of a window. */
  readonly #shifts = new Uint8Array(0x10000)
  readonly #byEnd = new Map<number, Set<Spelling>>()
  /** Whether a spelling can begin with this byte. */
  readonly #beginnings = new Uint8Array(0x100)

  /** Secrets have at least `MIN_SECRET_LENGTH` characters. `placeholder` replaces the secrets that are given as strings. */
  constructor(secrets: Iterable<string | CompiledSecret>, placeholder: string) {
    const compiled = Array.from(
      secrets,
      (secret) => typeof secret === "string" ? new CompiledSecret(secret, placeholder) : secret
    )
    this.#spellings = compiled.flatMap(({ spellings }) => spellings)
    let width = Math.min(MAX_WINDOW, ...compiled.map(({ least }) => least))
    while (compiled.some((secret) => secret.windows(width) === undefined)) width--
    this.#width = width
    this.#shifts.fill(width - 1)
    for (const secret of compiled) {
      for (const [window, spelling] of secret.windows(width)!) this.#add(window, spelling)
    }
  }

  #add(window: string, spelling: Spelling): void {
    const last = this.#width - 1
    const pairAt = (at: number): number => window.charCodeAt(at - 1) << 8 | window.charCodeAt(at)
    for (let at = 1; at <= last; at++) {
      const pair = pairAt(at)
      this.#shifts[pair] = Math.min(this.#shifts[pair]!, last - at)
    }
    const known = this.#byEnd.get(pairAt(last))
    if (known === undefined) this.#byEnd.set(pairAt(last), new Set([spelling]))
    else known.add(spelling)
    this.#beginnings[window.charCodeAt(0)] = 1
  }

  /** Finds the first match at or after `from`, the longest one there. Creates no object unless it finds something. */
  find(data: Buffer, from: number, extent: Extent): Found {
    const { length } = data
    const shifts = this.#shifts
    const last = this.#width - 1
    let at = from + last
    while (at < length) {
      const pair = data[at - 1]! << 8 | data[at]!
      const shift = shifts[pair]!
      if (shift > 0) {
        at += shift
        continue
      }
      const start = at - last
      if (this.#beginnings[data[start]!] === 1) {
        const found = matchAt(data, start, this.#byEnd.get(pair)!, extent)
        if (found !== undefined) return found
      }
      at++
    }
    if (extent === "whole") return undefined
    for (let start = Math.max(from, length - last); start < length; start++) {
      if (this.#beginnings[data[start]!] !== 1) continue
      const found = matchAt(data, start, this.#spellings, "part")
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Replaces a match in `data`, without changing the length. */
  replace(data: Buffer, { end, spelling: { fill, placeholder, units }, start }: Match): void {
    if (fill === undefined) {
      data.write(paddedPlaceholder(placeholder, end - start), start, "latin1")
      return
    }
    // The places where each unit may begin, over all encodings of the units before it.
    const reached: Array<ReadonlyArray<number>> = [[start]]
    for (const { ways } of units) {
      reached.push(
        reached.at(-1)!.flatMap((at) =>
          ways.flatMap((bytes) => startsWith(data, at, bytes) === "match" ? [at + bytes.length] : [])
        )
      )
    }
    // Takes one way through these places, from the end, because one encoding may begin with another one, such as `&amp;` with `&`.
    units.reduceRight((after, { ways }, index) => {
      const { length } = ways.find((bytes) =>
        reached[index]!.includes(after - bytes.length) && startsWith(data, after - bytes.length, bytes) === "match"
      )!
      fill(index, length)?.copy(data, after - length)
      return after - length
    }, end)
  }

  /** Whether a latin1 text has a match. */
  isIn(text: string): boolean {
    return text.length >= this.#width && this.find(bytesIn(text), 0, "whole") !== undefined
  }

  /** Replaces all matches in a latin1 text, with whole placeholders where these need not be encoded. */
  replacedIn(text: string): string {
    if (text.length < this.#width) return text
    const bytes = bytesIn(text)
    let out = ""
    let at = 0
    for (let found = this.find(bytes, 0, "whole"); found?._tag === "Match"; found = this.find(bytes, at, "whole")) {
      const { end, spelling, start } = found
      out += text.slice(at, start)
      if (spelling.fill === undefined) out += spelling.placeholder
      else {
        this.replace(bytes, found)
        out += bytes.toString("latin1", start, end)
      }
      at = end
    }
    return at === 0 ? text : out + text.slice(at)
  }
}

const scratch = Buffer.allocUnsafeSlow(16 * 1024)

/** The bytes of a string, until the next call. */
const bytesIn = (text: string): Buffer => {
  const data = scratch.length < text.length ? Buffer.allocUnsafe(text.length) : scratch
  return data.subarray(0, data.write(text, "latin1"))
}

const startsWith = (data: Buffer, at: number, bytes: Buffer): "match" | "partial" | "nothing" => {
  for (let i = 0; i < bytes.length; i++) {
    if (at + i >= data.length) return "partial"
    if (data[at + i] !== bytes[i]) return "nothing"
  }
  return "match"
}

const NONE = 0
const PARTIAL = -1

/** The end of the longest match at `start`, `NONE`, or `PARTIAL` if more data may change the result. */
const endOf = (data: Buffer, start: number, { units }: Spelling): number => {
  let ends = [start]
  let partial = false
  for (const { ways } of units) {
    const [only] = ways
    if (ways.length === 1 && only!.length === 1 && ends.length === 1) {
      const at = ends[0]!
      if (at >= data.length) return PARTIAL
      if (data[at] !== only![0]) return partial ? PARTIAL : NONE
      ends[0] = at + 1
      continue
    }
    const next: Array<number> = []
    for (const at of ends) {
      for (const bytes of ways) {
        const found = startsWith(data, at, bytes)
        if (found === "partial") partial = true
        else if (found === "match" && !next.includes(at + bytes.length)) next.push(at + bytes.length)
      }
    }
    if (next.length === 0) return partial ? PARTIAL : NONE
    ends = next
  }
  return Math.max(...ends)
}

/** The longest match at `start`. */
const matchAt = (data: Buffer, start: number, spellings: Iterable<Spelling>, extent: Extent): Found => {
  let longest: Spelling | undefined
  let end = start
  for (const spelling of spellings) {
    const reached = endOf(data, start, spelling)
    // A longer secret may begin with a shorter one.
    if (reached === PARTIAL && extent === "part") return { _tag: "Partial", start }
    if (reached <= end) continue
    end = reached
    longest = spelling
  }
  return longest === undefined ? undefined : { _tag: "Match", start, end, spelling: longest }
}
