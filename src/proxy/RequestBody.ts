/** The body of a child's request as an upstream reads it. */
import { Readable } from "node:stream"
import * as ScavengeMeter from "./ScavengeMeter.ts"

/**
 * Filled by `receive` from whatever the child's protocol is. An upstream that answers early destroys it; on the request itself
 * that would close the child's connection, or its stream, before the answer is out.
 */
export class RequestBody extends Readable {
  readonly #wanted: () => void

  /** `wanted`: there is room for more, or nobody reads it any more, and what is still to come is to be read and dropped. */
  constructor(wanted: () => void) {
    super({ highWaterMark: 64 * 1024 })
    this.#wanted = wanted
    // Who reads it hears of an error by an own listener; before that nobody is concerned.
    this.on("error", () => {})
  }

  /** Whether all of it is still there, for whoever reads it. */
  get isWhole(): boolean {
    return !this.readableDidRead && !this.readableEnded && !this.destroyed
  }

  /** False when nothing more is to come until it is wanted. */
  receive(part: Buffer): boolean {
    ScavengeMeter.count(part.length)
    return this.destroyed || this.push(part)
  }

  override _read(): void {
    this.#wanted()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    callback(error)
    this.#wanted()
  }
}

/** The body of a stream of HTTP/2. */
export const bodyOf = (stream: Readable): RequestBody => {
  const body = new RequestBody(() => stream.resume())
  stream.on("data", (chunk: Buffer) => {
    if (!body.receive(chunk)) stream.pause()
  })
  // The end of an empty body does not wait for a reader.
  if (stream.readableEnded) body.push(null)
  else stream.on("end", () => body.push(null))
  stream.on("error", (error) => body.destroy(error))
  stream.on("aborted", () => body.destroy(new Error("the client broke off")))
  stream.pause()
  return body
}
