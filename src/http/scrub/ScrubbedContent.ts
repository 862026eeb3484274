/**
 * The content of a response without secrets.
 *
 * Content that is not encoded keeps its length. Short encoded content is collected, and passed on as it is if it contains no secret. Other
 * encoded content is decoded and encoded again as it arrives.
 */
import { fieldOf, type HeaderPairs, lengthOf } from "../HeaderFields.ts"
import * as ScavengeMeter from "../ScavengeMeter.ts"
import { CoderChain, type ContentSink } from "./CoderChain.ts"
import { codingsOf, wholeContent } from "./ContentCodings.ts"
import { grpcCoding, GrpcFilter } from "./GrpcFilter.ts"
import { type CurrentSearch, SecretFilter } from "./SecretFilter.ts"

/** How much of content that is not text is searched. */
const MAX_BINARY_BYTES = 1024 * 1024
/** How much encoded content is collected. */
const MAX_COLLECTED_BYTES = 64 * 1024

const TEXT =
  /^(?:text\/|multipart\/|message\/|application\/(?:[^;]*[-+./])?(?:json|xml|javascript|ecmascript|yaml|toml|graphql|ndjson|jsonl|x-www-form-urlencoded|grpc-web-text)\b)/i

/** Whether content of this type is searched at any length. Content without a type is likely to be text. */
export const isText = (contentType: string | undefined): boolean => contentType === undefined || TEXT.test(contentType)

/** The content of a response on its way to the client. */
export interface ResponseContent {
  /** Returns false to apply backpressure, until the sink is `drained`. */
  readonly write: (chunk: Buffer) => boolean
  readonly end: () => void
  /** Continues after the sink has applied backpressure. */
  readonly resume: () => void
  readonly destroy: () => void
}

/** The fields that describe encoded content byte by byte. */
const OF_ENCODED_BYTES: ReadonlySet<string> = new Set([
  "content-length",
  "content-md5",
  "content-digest",
  "digest",
  "repr-digest"
])

/** The header section for content whose bytes have changed. */
export const encodedAgain = (headers: HeaderPairs): HeaderPairs =>
  headers.filter((_, i) => !OF_ENCODED_BYTES.has((headers[i - i % 2] ?? "").toLowerCase()))

export interface ResponseSink extends ContentSink {
  readonly head: (headers: HeaderPairs) => void
}

/** A filter that stops searching after some bytes. */
class LimitedFilter {
  readonly #filter: Pick<SecretFilter, "end" | "hasReplaced" | "write">
  #left: number

  constructor(search: CurrentSearch, limit: number, grpc?: string) {
    this.#filter = grpc === undefined ? new SecretFilter(search) : new GrpcFilter(search, grpc)
    this.#left = limit
  }

  get hasReplaced(): boolean {
    return this.#filter.hasReplaced
  }

  write(chunk: Buffer): Buffer {
    if (this.#left === 0) return chunk
    this.#left = Math.max(0, this.#left - chunk.length)
    const out = this.#filter.write(chunk)
    return this.#left === 0 ? Buffer.concat([out, this.#filter.end()]) : out
  }

  end(): Buffer {
    return this.#filter.end()
  }
}

export class ScrubbedContent implements ResponseContent {
  readonly #search: CurrentSearch
  readonly #newFilter: () => LimitedFilter
  readonly #headers: HeaderPairs
  readonly #codings: ReturnType<typeof codingsOf>
  readonly #sink: ResponseSink
  /** Encoded content that is collected before its head is sent. */
  #collected: Array<Buffer> | undefined
  #collectedBytes = 0
  /** Ends the collection of content of unknown length. */
  #deadline: NodeJS.Immediate | undefined
  #filter: LimitedFilter
  #decoder: CoderChain | undefined
  #encoder: CoderChain | undefined

  /** Passes the head and the content to the sink; undefined if the content is not to be searched. */
  static of(
    search: CurrentSearch,
    { headers, status }: { readonly status: number; readonly headers: HeaderPairs },
    sink: ResponseSink
  ): ScrubbedContent | undefined {
    const length = lengthOf(fieldOf(headers, "content-length") ?? "")
    const limit = isText(fieldOf(headers, "content-type")) ? Infinity : MAX_BINARY_BYTES
    if (length !== undefined && length >= limit) return undefined
    return new ScrubbedContent(search, limit, status, headers, length, sink)
  }

  private constructor(
    search: CurrentSearch,
    limit: number,
    status: number,
    headers: HeaderPairs,
    length: number | undefined,
    sink: ResponseSink
  ) {
    this.#search = search
    this.#headers = headers
    this.#sink = sink
    const grpc = grpcCoding(headers)
    this.#newFilter = () => new LimitedFilter(search, limit, grpc)
    this.#filter = this.#newFilter()
    // A part of encoded content cannot be decoded by itself.
    this.#codings = status === 206 ? [] : codingsOf(fieldOf(headers, "content-encoding"))
    // A message may get longer.
    if (this.#codings.length === 0) sink.head(grpc === undefined ? headers : encodedAgain(headers))
    else if (length !== undefined && length > MAX_COLLECTED_BYTES) this.#encodeAgain()
    else {
      this.#collected = []
      // Content of unknown length may be a stream of events. What has arrived together with its end is not delayed.
      if (length === undefined) this.#deadline = setImmediate(() => this.#writeAgain())
    }
  }

  /** Returns false to apply backpressure, until the sink is `drained`. */
  write(chunk: Buffer): boolean {
    if (this.#collected !== undefined) return this.#collect(this.#collected, chunk)
    return this.#decoder === undefined ? this.#pass(chunk) : this.#decoder.write(chunk)
  }

  end(): void {
    if (this.#collected !== undefined) this.#check(this.#collected)
    else if (this.#decoder !== undefined) this.#decoder.end()
    else {
      const rest = this.#filter.end()
      if (rest.length > 0) this.#sink.data(rest)
      this.#sink.end()
    }
  }

  /** Continues after the sink has applied backpressure. */
  resume(): void {
    if (this.#encoder === undefined) this.#sink.drained()
    else this.#encoder.resume()
  }

  destroy(): void {
    clearImmediate(this.#deadline)
    this.#decoder?.destroy()
    this.#encoder?.destroy()
  }

  #pass(chunk: Buffer): boolean {
    const out = this.#filter.write(chunk)
    return out.length === 0 || this.#sink.data(out)
  }

  #collect(collected: Array<Buffer>, chunk: Buffer): boolean {
    // The chunk is a view of the connection's buffer.
    collected.push(chunk)
    this.#collectedBytes += chunk.length
    if (this.#collectedBytes > MAX_COLLECTED_BYTES) this.#writeAgain()
    return true
  }

  /** Searches the collected content, and passes it on in one of two ways. */
  #check(collected: ReadonlyArray<Buffer>): void {
    clearImmediate(this.#deadline)
    const content = Buffer.concat(collected)
    let hasSecret: boolean
    try {
      hasSecret = this.#mayHaveSecret(content)
    } catch {
      return this.#sink.failed()
    }
    if (hasSecret) {
      this.#writeAgain()
      return this.end()
    }
    const { data, end, head } = this.#sink
    head(this.#headers)
    if (content.length > 0) data(content)
    end()
  }

  #mayHaveSecret(content: Buffer): boolean {
    const decoded = wholeContent(this.#codings, content)
    if (decoded === undefined) return true
    ScavengeMeter.count(decoded.length)
    const filter = this.#newFilter()
    filter.write(decoded)
    filter.end()
    // Decoders skip comments and the like.
    return filter.hasReplaced || this.#search().find(content, 0, true) === "match"
  }

  /** Decodes and encodes the collected content, and what follows. */
  #writeAgain(): void {
    clearImmediate(this.#deadline)
    const collected = this.#collected!
    this.#collected = undefined
    this.#encodeAgain()
    for (const chunk of collected) this.#decoder!.write(chunk)
  }

  #encodeAgain(): void {
    const sink = this.#sink
    const encoder = new CoderChain(this.#codings.map(({ encode }) => encode), {
      ...sink,
      drained: () => decoder.resume()
    })
    const decoder = new CoderChain(this.#codings.map(({ decode }) => decode).toReversed(), {
      data: (chunk) => encoder.write(this.#filter.write(chunk)),
      end: () => {
        encoder.write(this.#filter.end())
        encoder.end()
      },
      failed: sink.failed,
      drained: sink.drained
    })
    this.#encoder = encoder
    this.#decoder = decoder
    sink.head(encodedAgain(this.#headers))
  }
}
