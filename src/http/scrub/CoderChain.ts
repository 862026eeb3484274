/** Passes content through a chain of encoders or decoders, in bounded memory and with backpressure. */
import type { Transform } from "node:stream"
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

/** One coder. Its stream is created with the first byte, so that empty content stays empty. */
class Stage {
  readonly #coder: Coder
  readonly #next: ContentSink
  #stream: Transform | undefined

  constructor(coder: Coder, next: ContentSink) {
    this.#coder = coder
    this.#next = next
  }

  write(chunk: Buffer): boolean {
    return (this.#stream ??= this.#open(chunk)).write(chunk)
  }

  end(): void {
    if (this.#stream === undefined) this.#next.end()
    else this.#stream.end()
  }

  resume(): void {
    this.#stream?.resume()
  }

  destroy(): void {
    this.#stream?.destroy()
  }

  #open(first: Buffer): Transform {
    const next = this.#next
    const stream = this.#coder(first)
    stream.on("data", (chunk: Buffer) => {
      ScavengeMeter.count(chunk.length)
      if (!next.data(chunk)) stream.pause()
    })
    stream.on("end", () => next.end())
    stream.on("error", () => next.failed())
    stream.on("drain", () => next.drained())
    return stream
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
