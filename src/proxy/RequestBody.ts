/**
 * The body of a child's request as an upstream reads it. An upstream that answers early destroys its body; on the request
 * itself that would close the child's connection, or its stream, before the answer is out.
 */
import { Readable } from "node:stream"
import * as ScavengeMeter from "./ScavengeMeter.ts"

export class RequestBody extends Readable {
  readonly #request: Readable

  /** `request` emits `aborted` when the child breaks off, as the messages of HTTP/1.1 and the streams of HTTP/2 do. */
  constructor(request: Readable) {
    super({ highWaterMark: 64 * 1024 })
    this.#request = request
    request.on("data", (chunk: Buffer) => {
      ScavengeMeter.count(chunk.length)
      if (!this.destroyed && !this.push(chunk)) request.pause()
    })
    // The end of an empty body over HTTP/2 does not wait for a reader.
    if (request.readableEnded) this.push(null)
    else request.on("end", () => this.push(null))
    request.on("error", (error) => this.destroy(error))
    request.on("aborted", () => this.destroy(new Error("the client broke off")))
    request.pause()
    // Who reads it hears of an error by an own listener; before that nobody is concerned.
    this.on("error", () => {})
  }

  override _read(): void {
    this.#request.resume()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#request.resume() // what is still to come is read and dropped
    callback(error)
  }
}
