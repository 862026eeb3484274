/**
 * Content with a content coding. A decoded copy is searched beside it, and the original bytes are passed on when their decoded
 * text was searched, so that downloads stay byte for byte what the server sent.
 *
 * The beginning is held back. If it contains a secret, the secret is replaced, and the decoded text is passed on without a
 * coding. Streams of events are passed on in the same way, because no part of them can be held back. A secret that is found later
 * ends the response.
 */
import { fieldOf, type HeaderPairs } from "../HeaderFields.ts"
import { type Coding, type Decoder, wholeContent } from "./ContentCodings.ts"
import { type ResponseContent, type ResponseSink, withoutCoding } from "./ResponseContent.ts"
import { type CurrentSearch, type Observer, SecretFilter } from "./SecretFilter.ts"

/** How many bytes of the encoded content are held back at its beginning, and how many may wait for the decoder. */
const MAX_HELD_BYTES = 64 * 1024
/**
 * How long the beginning of content of unknown length is held back. Then the response head is held back as long again, if nothing
 * could be decoded.
 */
const HELD_MILLISECONDS = 50
/**
 * How many bytes that may begin a secret are passed on. If all were held back, the last message of a stream would wait
 * for the next one whenever its last letter begins a spelling of the secret. Further bytes wait, and a secret ends the
 * response.
 */
const MAX_PASSED_BYTES = 2
/** How many bytes of encoded content may be held back because they decode to no text, or to text that may begin a secret. */
const MAX_UNDECIDED_BYTES = 256 * 1024
/** The maximum ratio of decoded to encoded length, beyond 16 MiB. The ratio of gzip content is always lower. */
const MAX_EXPANSION = 1100
const MAX_FREE_BYTES = 16 * 1024 * 1024

const INVALID = "sent content that does not have the content coding that it declares"
const NOT_DECODABLE = `sent more than ${
  MAX_HELD_BYTES / 1024
} KiB in a content coding that the request did not accept, so it cannot be searched for the credential`
const TOO_LARGE = "sent content that expands too much to be searched for the credential"
const FOUND =
  "repeated the credential in compressed content, whose beginning was already passed on. Later requests to it ask for uncompressed content, so try again"

/** Streams of events or records. */
const EVENTS =
  /^\s*(?:text\/event-stream|application\/(?:(?:x-)?ndjson|(?:x-)?jsonl(?:ines)?|json-seq|(?:x-)?stream\+json))\s*(?:;|$)/i

/** A part of the encoded content, and, once it is decoded, the end of its text in the decoded content. */
interface Part {
  readonly bytes: Buffer
  decodedEnd: number | undefined
}

type State = "collecting" | "searching" | "replacing" | "passing" | "over"

interface EncodedContentOptions {
  readonly headers: HeaderPairs
  readonly codings: ReadonlyArray<Coding>
  /** Whether the length is unknown. */
  readonly isOpen: boolean
  /** How many bytes of the decoded text are searched. */
  readonly limit: number
  readonly observe: Observer | undefined
}

export class EncodedContent implements ResponseContent {
  readonly #search: CurrentSearch
  readonly #options: EncodedContentOptions
  readonly #sink: ResponseSink
  #state: State = "collecting"
  /** The parts that were not passed on, oldest first. */
  #held: Array<Part> = []
  #encodedBytes = 0
  #decodedBytes = 0
  /** How many encoded bytes were not decoded yet. */
  #unread = 0
  /** How many encoded bytes were decoded, but not passed on yet. */
  #waiting = 0
  #headSent = false
  #ended = false
  /** Whether the client has to read before more is passed on. */
  #isBlocked = false
  #isPaused = false
  #timer: NodeJS.Timeout | undefined
  #decoder: Decoder | undefined
  #filter: SecretFilter

  constructor(search: CurrentSearch, options: EncodedContentOptions, sink: ResponseSink) {
    this.#search = search
    this.#options = options
    this.#sink = sink
    this.#filter = new SecretFilter(search, options.limit, options.observe)
    if (this.#isStreamable && EVENTS.test(fieldOf(options.headers, "content-type") ?? "")) this.#replace()
  }

  write(bytes: Buffer): boolean {
    this.#encodedBytes += bytes.length
    switch (this.#state) {
      case "collecting":
        this.#collect({ bytes, decodedEnd: undefined })
        return true
      case "searching":
        this.#decode({ bytes, decodedEnd: undefined })
        // Before the beginning is passed on, the decoder has to catch up.
        this.#isPaused = this.#isBlocked || this.#unread > (this.#headSent ? MAX_HELD_BYTES : 0)
        return !this.#isPaused
      case "replacing":
        return (this.#decoder ?? this.#openReplacing(bytes)).write(bytes)
      case "passing":
        return this.#sink.data(bytes)
      case "over":
        return true
    }
  }

  end(): void {
    this.#ended = true
    switch (this.#state) {
      case "collecting":
        return this.#searchWhole()
      case "searching":
      case "replacing":
        if (this.#decoder !== undefined) return void this.#decoder.end()
        return this.#sink.end()
      case "passing":
        return this.#sink.end()
      case "over":
    }
  }

  resume(): void {
    this.#isBlocked = false
    if (this.#state === "searching") this.#release()
    else if (this.#state === "replacing") this.#decoder?.resume()
    else this.#sink.drained()
  }

  destroy(): void {
    this.#state = "over"
    clearTimeout(this.#timer)
    this.#decoder?.destroy()
    this.#held = []
  }

  #fail(problem: string): void {
    this.destroy()
    this.#sink.failed(problem)
  }

  #collect(part: Part): void {
    this.#held.push(part)
    if (this.#encodedBytes > MAX_HELD_BYTES) this.#searchBeside()
    // Content that can only be decoded as a whole waits for its end.
    else if (this.#options.isOpen && this.#isStreamable) {
      this.#timer ??= setTimeout(() => {
        this.#searchBeside()
        this.#timer = setTimeout(() => this.#passHead(), HELD_MILLISECONDS)
      }, HELD_MILLISECONDS)
    }
  }

  get #isStreamable(): boolean {
    return this.#options.codings.length === 1 && this.#options.codings[0]!.decoder !== undefined
  }

  /** Searches content that was collected completely. */
  #searchWhole(): void {
    clearTimeout(this.#timer)
    const content = Buffer.concat(this.#held.map(({ bytes }) => bytes))
    let decoded: Buffer | undefined
    try {
      decoded = wholeContent(this.#options.codings, content)
    } catch {
      return this.#fail(INVALID)
    }
    if (decoded === undefined) {
      this.#searchBeside()
      return this.end()
    }
    const filter = this.#filter
    const text = [filter.write(decoded), filter.end()]
    // Decoders skip parts such as comments, so the encoded bytes are searched too.
    const isClean = !filter.hasReplaced && this.#search().find(content, 0, "whole") === undefined
    const sink = this.#sink
    this.#state = "over"
    sink.head(isClean ? this.#options.headers : withoutCoding(this.#options.headers))
    const sent = isClean ? content : Buffer.concat(text)
    if (sent.length > 0) sink.data(sent)
    sink.end()
  }

  /** Begins to search a decoded copy of the content. */
  #searchBeside(): void {
    clearTimeout(this.#timer)
    if (!this.#isStreamable) return this.#fail(NOT_DECODABLE)
    const held = this.#held
    this.#held = []
    this.#state = "searching"
    for (const part of held) this.#decode(part)
  }

  #open(first: Buffer): Decoder {
    const decoder = this.#options.codings[0]!.decoder!(first)
    decoder.on("error", () => {
      if (this.#decoder === decoder) this.#fail(INVALID)
    })
    decoder.on("end", () => {
      // Content that follows the end of its coding could not be searched.
      if (this.#decoder !== decoder) return
      if (!this.#ended || decoder.bytesWritten < this.#encodedBytes) this.#fail(INVALID)
      else this.#finish()
    })
    return this.#decoder = decoder
  }

  #decode(part: Part): void {
    let decoder = this.#decoder
    if (decoder === undefined) {
      decoder = this.#open(part.bytes)
      decoder.on("data", (text: Buffer) => this.#searchText(text))
    }
    this.#held.push(part)
    this.#unread += part.bytes.length
    decoder.write(part.bytes, () => {
      this.#unread -= part.bytes.length
      this.#waiting += part.bytes.length
      part.decodedEnd = this.#decodedBytes
      this.#release()
    })
  }

  #searchText(text: Buffer): void {
    if (this.#state !== "searching") return
    this.#decodedBytes += text.length
    if (this.#decodedBytes > MAX_FREE_BYTES + MAX_EXPANSION * this.#encodedBytes) return this.#fail(TOO_LARGE)
    this.#filter.write(text)
    if (this.#filter.hasReplaced) this.#found()
    else if (this.#filter.isOver) this.#passRest()
  }

  /** Passes on the parts whose text was searched. */
  #release(): void {
    if (this.#state !== "searching") return
    // As long as nothing was passed on, a secret in any of the parts can be replaced.
    if (!this.#headSent && this.#unread > 0) return
    const searched = this.#decodedBytes - this.#filter.heldBytes + MAX_PASSED_BYTES
    while (!this.#isBlocked && (this.#headSent || this.#decodedBytes > 0)) {
      const [part] = this.#held
      if (part?.decodedEnd === undefined || part.decodedEnd > searched) break
      this.#held.shift()
      this.#waiting -= part.bytes.length
      this.#sendHead()
      this.#isBlocked = !this.#sink.data(part.bytes)
    }
    if (this.#isBlocked) return
    if (this.#waiting > MAX_UNDECIDED_BYTES) return this.#fail(TOO_LARGE)
    if (!this.#isPaused || this.#unread > MAX_HELD_BYTES) return
    this.#isPaused = false
    this.#sink.drained()
  }

  /** Passes on the head, if all content was decoded: the server may send no more for a while. */
  #passHead(): void {
    if (this.#state !== "searching" || this.#unread > 0) return
    this.#sendHead()
    this.#release()
  }

  #sendHead(): void {
    if (!this.#headSent) this.#sink.head(this.#options.headers)
    this.#headSent = true
  }

  /** Passes on the rest unsearched after the limit of the search. The decoder is no longer needed. */
  #passRest(): void {
    this.#sendHead()
    this.#state = "passing"
    this.#decoder?.destroy()
    this.#decoder = undefined
    for (const { bytes } of this.#held) this.#sink.data(bytes)
    this.#held = []
    if (this.#ended) this.#sink.end()
    else this.#sink.drained()
  }

  #found(): void {
    if (this.#headSent) {
      this.destroy()
      return this.#sink.disclosed(FOUND)
    }
    const held = this.#held
    this.#held = []
    this.#decoder?.destroy()
    this.#replace()
    const decoder = this.#openReplacing(held[0]!.bytes)
    for (const { bytes } of held) decoder.write(bytes)
    if (this.#ended) decoder.end()
  }

  /** Passes on the decoded text from its beginning. */
  #replace(): void {
    this.#state = "replacing"
    this.#sink.head(withoutCoding(this.#options.headers))
    this.#headSent = true
  }

  #openReplacing(first: Buffer): Decoder {
    const filter = this.#filter = new SecretFilter(this.#search, this.#options.limit, this.#options.observe)
    const decoder = this.#open(first)
    decoder.on("data", (text: Buffer) => {
      const out = filter.write(text)
      if (out.length > 0 && !this.#sink.data(out)) decoder.pause()
    })
    decoder.on("drain", () => this.#sink.drained())
    return decoder
  }

  /** Ends the content after its last byte was decoded. */
  #finish(): void {
    const rest = this.#filter.end()
    if (this.#state === "searching") {
      if (this.#filter.hasReplaced) return this.#found()
      this.#sendHead()
      for (const { bytes } of this.#held) this.#sink.data(bytes)
    } else if (rest.length > 0) this.#sink.data(rest)
    this.destroy()
    this.#sink.end()
  }
}
