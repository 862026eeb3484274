/** Passes content through a chain of encoders or decoders, in bounded memory and with backpressure. */
import * as ScavengeMeter from "../ScavengeMeter.ts"
import type { Coder } from "./ContentCodings.ts"

export interface ContentSink {
  /** Returns false to apply backpressure. */
  readonly data: (chunk: Buffer) => boolean
  readonly end: () => void
  /** The content is invalid for its coding. Nothing else follows. */
  readonly failed: () => void
  /** `write` has returned false before and can be called again. */
  readonly drained: () => void
}

/** Each frame costs a stream, however short it is. */
const MAX_FRAMES = 1000

/** One coder. Its stream is created with the first byte, so that empty content stays empty. */
class Stage {
  readonly #coder: Coder
  readonly #next: ContentSink
  #stream: ReturnType<Coder> | undefined
  /** What was written, from the chunk that the stream has not read completely. */
  #unread: Array<Buffer> = []
  /** How many bytes the stream has got before them. */
  #before = 0
  #frames = 1
  #ended = false

  constructor(coder: Coder, next: ContentSink) {
    this.#coder = coder
    this.#next = next
  }

  write(chunk: Buffer): boolean {
    const stream = this.#stream ??= this.#open(chunk)
    this.#forget(stream)
    this.#unread.push(chunk)
    return stream.write(chunk)
  }

  end(): void {
    this.#ended = true
    if (this.#stream === undefined) this.#next.end()
    else this.#stream.end()
  }

  resume(): void {
    this.#stream?.resume()
  }

  destroy(): void {
    this.#stream?.destroy()
  }

  #open(first: Buffer): ReturnType<Coder> {
    const next = this.#next
    const stream = this.#coder(first)
    stream.on("data", (chunk: Buffer) => {
      ScavengeMeter.count(chunk.length)
      if (!next.data(chunk)) stream.pause()
    })
    stream.on("end", () => this.#finish(stream))
    stream.on("error", () => next.failed())
    stream.on("drain", () => next.drained())
    return stream
  }

  #forget(stream: ReturnType<Coder>): void {
    const unread = this.#unread
    while (unread.length > 0 && this.#before + unread[0]!.length <= stream.bytesWritten) {
      this.#before += unread.shift()!.length
    }
  }

  /** Content may consist of several frames (RFC 8878 section 3), of which a stream decodes only one. */
  #finish(stream: ReturnType<Coder>): void {
    this.#forget(stream)
    const rest = Buffer.concat(this.#unread).subarray(stream.bytesWritten - this.#before)
    if (rest.length === 0) return this.#next.end()
    stream.destroy()
    if (++this.#frames > MAX_FRAMES) return this.#next.failed()
    this.#unread = []
    this.#before = 0
    this.#stream = undefined
    const drained = this.write(rest)
    if (this.#ended) this.end()
    else if (drained) this.#next.drained()
  }
}

export class CoderChain {
  readonly #stages: Array<Stage> = []

  /** `coders`: at least one, in the order in which the content passes through them. */
  constructor(coders: ReadonlyArray<Coder>, sink: ContentSink) {
    const stages = this.#stages
    for (const [index, coder] of coders.entries()) {
      const drained = () => index === 0 ? sink.drained() : stages[index - 1]!.resume()
      const next: ContentSink = index === coders.length - 1 ? { ...sink, drained } : {
        data: (chunk) => stages[index + 1]!.write(chunk),
        end: () => stages[index + 1]!.end(),
        failed: sink.failed,
        drained
      }
      stages.push(new Stage(coder, next))
    }
  }

  /** Returns false to apply backpressure, until the sink is `drained`. */
  write(chunk: Buffer): boolean {
    return chunk.length === 0 || this.#stages[0]!.write(chunk)
  }

  end(): void {
    this.#stages[0]!.end()
  }

  /** Continues after backpressure. */
  resume(): void {
    this.#stages.at(-1)!.resume()
  }

  destroy(): void {
    for (const stage of this.#stages) stage.destroy()
  }
}
