/** Removes secrets from the content of a response. The length of the content does not change, unless it had to be decoded. */
import { fieldOf, type HeaderPairs, lengthOf } from "../HeaderFields.ts"
import { CompressedMessages, declaresCompression, hasMessages } from "./CompressedMessages.ts"
import { codingsOf } from "./ContentCodings.ts"
import { EncodedContent } from "./EncodedContent.ts"
import type { ResponseContent, ResponseSink } from "./ResponseContent.ts"
import { type CurrentSearch, type Observer, SecretFilter } from "./SecretFilter.ts"
import { isText } from "./TextTypes.ts"

/** How many bytes of binary content are searched. */
const MAX_BINARY_BYTES = 1024 * 1024

const UNKNOWN_CODING =
  "sent content in a content coding that the request did not accept, so it cannot be searched for the credential"
const PARTIAL = "sent a range of compressed content, which cannot be searched for the credential"
const COMPRESSED_MESSAGE =
  "sent a compressed message, which cannot be searched for the credential. Do not compress the messages of the request either"

/** Content without a coding, which is searched as it arrives. */
class PlainContent implements ResponseContent {
  readonly #filter: SecretFilter
  readonly #flags: CompressedMessages | undefined
  readonly #sink: ResponseSink
  /** The header section, while the first message may still be refused. */
  #head: HeaderPairs | undefined
  #isRefused = false

  constructor(filter: SecretFilter, headers: HeaderPairs, sink: ResponseSink) {
    this.#filter = filter
    this.#flags = hasMessages(headers) ? new CompressedMessages() : undefined
    this.#sink = sink
    if (this.#flags !== undefined && declaresCompression(headers)) this.#head = headers
    else sink.head(headers)
  }

  write(chunk: Buffer): boolean {
    if (this.#isRefused) return true
    if (this.#flags !== undefined && !this.#filter.isOver && this.#flags.isCompressed(chunk)) {
      this.#isRefused = true
      this.#sink.failed(COMPRESSED_MESSAGE)
      return true
    }
    this.#sendHead()
    const out = this.#filter.write(chunk)
    return out.length === 0 || this.#sink.data(out)
  }

  end(): void {
    if (this.#isRefused) return
    this.#sendHead()
    const rest = this.#filter.end()
    if (rest.length > 0) this.#sink.data(rest)
    this.#sink.end()
  }

  #sendHead(): void {
    if (this.#head !== undefined) this.#sink.head(this.#head)
    this.#head = undefined
  }

  resume(): void {
    this.#sink.drained()
  }

  destroy(): void {}
}

/** Why content cannot be searched; undefined if it can. */
const problemOf = (headers: HeaderPairs, status: number, codings: ReturnType<typeof codingsOf>): string | undefined => {
  if (codings === undefined) return UNKNOWN_CODING
  if (codings.length > 0 && status === 206) return PARTIAL
  const isCompressed = codings.length > 0
    ? hasMessages(headers)
    : /-web-text/i.test(fieldOf(headers, "content-type") ?? "") && declaresCompression(headers)
  return isCompressed ? COMPRESSED_MESSAGE : undefined
}

const DISCARDED_CONTENT: ResponseContent = { write: () => true, end: () => {}, resume: () => {}, destroy: () => {} }

/** Passes the head and the content to the sink; undefined if the content is not to be searched. */
export const scrubbedContent = (
  search: CurrentSearch,
  { headers, status }: { readonly status: number; readonly headers: HeaderPairs },
  sink: ResponseSink,
  observe?: Observer
): ResponseContent | undefined => {
  const length = lengthOf(fieldOf(headers, "content-length") ?? "")
  const type = fieldOf(headers, "content-type")
  const limit = isText(type) ? Infinity : MAX_BINARY_BYTES
  if (length !== undefined && length >= limit) return undefined
  const codings = codingsOf(fieldOf(headers, "content-encoding"))
  const problem = length === 0 ? undefined : problemOf(headers, status, codings)
  if (problem !== undefined) {
    sink.failed(problem)
    return DISCARDED_CONTENT
  }
  return codings === undefined || codings.length === 0
    ? new PlainContent(new SecretFilter(search, limit, observe), headers, sink)
    : new EncodedContent(search, { limit, headers, codings, isOpen: length === undefined, observe }, sink)
}
