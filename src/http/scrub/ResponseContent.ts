/** The content of a response on its way to the client, and the sink that receives it. */
import { fieldOf, fieldsThat, type HeaderPairs } from "../HeaderFields.ts"

/** Receives the content as it arrives. */
export interface ResponseContent {
  /** Adds a chunk. Returns false to apply backpressure, until the sink is `drained`. */
  readonly write: (chunk: Buffer) => boolean
  readonly end: () => void
  /** Called when the sink can receive again after backpressure. */
  readonly resume: () => void
  readonly destroy: () => void
}

/** Receives the head and the content that are passed on. */
export interface ResponseSink {
  readonly head: (headers: HeaderPairs) => void
  /** Passes on a chunk. Returns false to apply backpressure. */
  readonly data: (chunk: Buffer) => boolean
  readonly end: () => void
  /** Called if the content is not passed on. `problem` completes `api.example.com …`. Nothing else follows. */
  readonly failed: (problem: string) => void
  /** Like `failed`, for content with a secret that could no longer be replaced. */
  readonly disclosed: (problem: string) => void
  /** Called when `write` can be called again after it returned false. */
  readonly drained: () => void
}

/** Collects content. `done` is called once: with the content, or with undefined as soon as it is longer than the limit. */
export class CollectedContent implements ResponseContent {
  readonly #limit: number
  readonly #done: (content: Buffer | undefined) => void
  #chunks: Array<Buffer> | undefined = []
  #length = 0

  constructor(limit: number, done: (content: Buffer | undefined) => void) {
    this.#limit = limit
    this.#done = done
  }

  write(chunk: Buffer): boolean {
    this.#length += chunk.length
    if (this.#chunks !== undefined && this.#length > this.#limit) {
      this.destroy()
      this.#done(undefined)
    }
    this.#chunks?.push(chunk)
    return true
  }

  end(): void {
    if (this.#chunks !== undefined) this.#done(Buffer.concat(this.#chunks))
  }

  resume(): void {}

  destroy(): void {
    this.#chunks = undefined
  }
}

/** Whether the content has no coding. */
export const isPlain = (headers: HeaderPairs): boolean =>
  /^(?:identity)?$/i.test(fieldOf(headers, "content-encoding") ?? "")

/** The fields that describe the bytes of the content. */
const OF_BYTES: ReadonlySet<string> = new Set("content-length content-md5 content-digest digest repr-digest".split(" "))

/** The header section for content that was decoded. */
export const withoutCoding = (headers: HeaderPairs): HeaderPairs =>
  fieldsThat(headers, (name) => !OF_BYTES.has(name) && name !== "content-encoding")
