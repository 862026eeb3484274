/**
 * Content with a content coding. Short content is collected: without a secret, its original bytes are passed on, so that downloads stay
 * byte for byte what the server sent. All other content, and streams of events, of which nothing can be held back, are passed on decoded.
 */
import { fieldOf, type HeaderPairs } from "../HeaderFields.ts"
import { type Coding, type Decoder, wholeContent } from "./ContentCodings.ts"
import { type ResponseContent, type ResponseSink, withoutCoding } from "./ResponseContent.ts"
import { type CurrentSearch, SecretFilter } from "./SecretFilter.ts"

/** The longest encoded content that is collected. */
const MAX_COLLECTED_BYTES = 256 * 1024
/** How long content of unknown length is collected. */
const COLLECTED_MILLISECONDS = 50
/** How much content may expand, beside 16 MiB: a little more than gzip can. */
const MAX_EXPANSION = 1100
const MAX_FREE_BYTES = 16 * 1024 * 1024

const INVALID = "sent content that does not have the content coding that it declares"
const NOT_DECODABLE = `sent more than ${
  MAX_COLLECTED_BYTES / 1024
} KiB in a content coding that the request did not accept, so it cannot be searched for the credential`
const TOO_LARGE = "sent content that expands too much to be searched for the credential"

/** Streams of events or records. */
const EVENTS =
  /^\s*(?:text\/event-stream|application\/(?:(?:x-)?ndjson|(?:x-)?jsonl(?:ines)?|json-seq|(?:x-)?stream\+json))\s*(?:;|$)/i

export class EncodedContent implements ResponseContent {
  readonly #search: CurrentSearch
  readonly #limit: number
  readonly #headers: HeaderPairs
  readonly #codings: ReadonlyArray<Coding>
  readonly #isOpen: boolean
  readonly #sink: ResponseSink
  /** The content so far; undefined once it is passed on decoded. */
  #collected: Array<Buffer> | undefined = []
  #encodedBytes = 0
  #decodedBytes = 0
  #timer: NodeJS.Timeout | undefined
  #decoder: Decoder | undefined
  /** Whether the server has sent everything. */
  #hasEnded = false
  #isOver = false

  /** `limit`: how much of the decoded text is searched. `isOpen`: whether its length is unknown. */
  constructor(
    search: CurrentSearch,
    { codings, headers, isOpen, limit }: {
      readonly limit: number
      readonly headers: HeaderPairs
      readonly codings: ReadonlyArray<Coding>
      readonly isOpen: boolean
    },
    sink: ResponseSink
  ) {
    this.#search = search
    this.#limit = limit
    this.#headers = headers
    this.#codings = codings
    this.#sink = sink
    this.#isOpen = isOpen
    if (this.#isStreamable && EVENTS.test(fieldOf(headers, "content-type") ?? "")) this.#decode()
  }

  write(bytes: Buffer): boolean {
    if (this.#isOver) return true
    this.#encodedBytes += bytes.length
    if (this.#collected === undefined) return (this.#decoder ?? this.#open(bytes)).write(bytes)
    this.#collected.push(bytes)
    if (this.#encodedBytes > MAX_COLLECTED_BYTES) this.#decode()
    // Content that can only be decoded as a whole waits for its end.
    else if (this.#isOpen && this.#isStreamable) {
      this.#timer ??= setTimeout(() => this.#decode(), COLLECTED_MILLISECONDS)
    }
    return true
  }

  end(): void {
    this.#hasEnded = true
    if (this.#isOver) return
    if (this.#collected !== undefined) this.#searchWhole(Buffer.concat(this.#collected))
    else if (this.#decoder === undefined) this.#sink.end()
    else this.#decoder.end()
  }

  resume(): void {
    if (this.#decoder === undefined) this.#sink.drained()
    else this.#decoder.resume()
  }

  destroy(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#decoder?.destroy()
    this.#collected = undefined
  }

  #fail(problem: string): void {
    this.destroy()
    this.#sink.failed(problem)
  }

  get #isStreamable(): boolean {
    return this.#codings.length === 1 && this.#codings[0]!.decoder !== undefined
  }

  /** Searches content that was collected up to its end. */
  #searchWhole(content: Buffer): void {
    clearTimeout(this.#timer)
    let decoded: Buffer | undefined
    try {
      decoded = wholeContent(this.#codings, content)
    } catch {
      return this.#fail(INVALID)
    }
    if (decoded === undefined) {
      this.#decode()
      return this.end()
    }
    const filter = new SecretFilter(this.#search, this.#limit)
    const text = [filter.write(decoded), filter.end()]
    // Decoders skip comments and the like.
    const isClean = !filter.hasReplaced && this.#search().find(content, 0, true) !== "match"
    const sink = this.#sink
    this.destroy()
    sink.head(isClean ? this.#headers : withoutCoding(this.#headers))
    const sent = isClean ? content : Buffer.concat(text)
    if (sent.length > 0) sink.data(sent)
    sink.end()
  }

  /** Begins to pass on the decoded text. */
  #decode(): void {
    clearTimeout(this.#timer)
    if (!this.#isStreamable) return this.#fail(NOT_DECODABLE)
    const collected = this.#collected ?? []
    this.#collected = undefined
    this.#sink.head(withoutCoding(this.#headers))
    for (const bytes of collected) (this.#decoder ?? this.#open(bytes)).write(bytes)
  }

  #open(first: Buffer): Decoder {
    const filter = new SecretFilter(this.#search, this.#limit)
    const sink = this.#sink
    const decoder = this.#codings[0]!.decoder!(first)
    decoder.on("error", () => {
      if (!this.#isOver) this.#fail(INVALID)
    })
    decoder.on("data", (text: Buffer) => {
      if (this.#isOver) return
      this.#decodedBytes += text.length
      if (this.#decodedBytes > MAX_FREE_BYTES + MAX_EXPANSION * this.#encodedBytes) return this.#fail(TOO_LARGE)
      const out = filter.write(text)
      if (out.length > 0 && !sink.data(out)) decoder.pause()
    })
    decoder.on("drain", () => sink.drained())
    decoder.on("end", () => {
      if (this.#isOver) return
      // Content that follows the end of its coding could not be searched.
      if (!this.#hasEnded || decoder.bytesWritten < this.#encodedBytes) return this.#fail(INVALID)
      const rest = filter.end()
      this.destroy()
      if (rest.length > 0) sink.data(rest)
      sink.end()
    })
    return this.#decoder = decoder
  }
}
