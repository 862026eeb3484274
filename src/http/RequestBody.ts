/**
 * The content of a received request. A server that responds early destroys this stream, because destroying the request
 * itself would close the client's connection or stream before the response is written.
 */
import { Readable } from "node:stream"
import { hold, LONG_PART } from "./HeldParts.ts"

/** How much content waits for a reader before the source must pause. */
const MAX_UNREAD_BYTES = 64 * 1024

/** Observes a body as it is received, before anything reads it. */
export interface BodyObserver {
  readonly part: (part: Buffer) => void
  readonly end: () => void
}

export class RequestBody extends Readable {
  readonly #wanted: () => void
  readonly #observer: BodyObserver | undefined
  /** Short parts that follow an unread one. */
  #held: Array<Buffer> = []
  #heldBytes = 0
  /** Whether the reader waits for the next part. */
  #isAwaited = false
  receivedBytes = 0

  /**
   * `wanted` is called when there is room for more content, and after the stream is destroyed, so that the rest is read and
   * dropped.
   */
  constructor(wanted: () => void, observer?: BodyObserver) {
    // The next part is wanted when the one before it is read, so that parts that wait are joined.
    super({ highWaterMark: 1 })
    this.#observer = observer
    this.#wanted = wanted
    // Without a reader, an unhandled error would end the process.
    this.on("error", () => {})
  }

  /** Whether nothing has been read yet. */
  get isWhole(): boolean {
    return !this.readableDidRead && !this.readableEnded && !this.destroyed
  }

  /** Adds a part. Returns false when the source must pause until `wanted` is called. */
  receive(part: Buffer): boolean {
    this.receivedBytes += part.length
    this.#observer?.part(part)
    if (this.destroyed) return true
    const isShort = part.length < LONG_PART && !this.#isAwaited && this.readableLength + this.#heldBytes > 0
    if (isShort) {
      hold(this.#held, part)
      this.#heldBytes += part.length
    } else {
      this.#isAwaited = false
      this.#pushHeld()
      this.push(part)
    }
    return this.readableLength + this.#heldBytes < MAX_UNREAD_BYTES
  }

  /** Ends the stream: the body is complete. */
  receivedAll(): void {
    this.#observer?.end()
    if (this.destroyed) return
    this.#pushHeld()
    this.push(null)
  }

  override _read(): void {
    if (this.#held.length > 0) return this.#pushHeld()
    this.#isAwaited = true
    this.#wanted()
  }

  #pushHeld(): void {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    for (const part of held) this.push(part)
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    callback(error)
    this.#wanted()
  }
}

export const bodyOf = (stream: Readable, observer?: BodyObserver): RequestBody => {
  const body = new RequestBody(() => stream.resume(), observer)
  stream.on("data", (chunk: Buffer) => {
    if (!body.receive(chunk)) stream.pause()
  })
  // An empty body has ended before anything reads it.
  if (stream.readableEnded) body.receivedAll()
  else stream.on("end", () => body.receivedAll())
  stream.on("error", (error) => body.destroy(error))
  stream.on("aborted", () => body.destroy(new Error("the client aborted the request")))
  stream.pause()
  return body
}
