/** The content of a request: streamed to the upstream, or read first if a step has to know it. */
import { Readable } from "node:stream"
import { hold } from "../../http/HeldParts.ts"
import type { RequestBody } from "../../http/RequestBody.ts"
import { HeldBytes, readWhole, TooManyHeldError } from "../../outbound/sigv4/HeldBytes.ts"
import { requestRefusal } from "../ErrorResponse.ts"
import { formRefusal, type PermittedRequest } from "../rules/RulesGate.ts"
import type { Client } from "./Client.ts"

/** The longest content that is kept for another attempt. */
const MAX_KEPT = 64 * 1024

export class RequestContent {
  readonly #client: Client
  #body: RequestBody | undefined
  /** The whole content, once it was read. */
  whole: Buffer | undefined
  #check: PermittedRequest["check"]
  #memory: HeldBytes | undefined
  #sent: Readable | undefined
  /** The parts of a kept content that have been received. */
  #kept: Array<Buffer> | undefined
  #keptBytes = 0
  #completed: (() => void) | undefined

  constructor(client: Client) {
    this.#client = client
  }

  get receivedBytes(): number {
    return this.#body?.receivedBytes ?? 0
  }

  /** Whether the content can be sent again. */
  get isRepeatable(): boolean {
    return this.whole !== undefined || this.#body?.isWhole !== false
  }

  permitted({ check, content }: PermittedRequest): void {
    this.#check = check
    this.whole = content
  }

  /** Reads the whole content, which is then sent from memory. `done` is not called if the exchange ends before that. */
  read(limit: number, done: (content: Buffer | "too long") => void): void {
    const body = this.#opened()
    if (this.#client.head.expectsContinue) this.#client.sendContinue()
    this.#memory = new HeldBytes(this.#client.context.budget)
    readWhole(body, limit, this.#memory, (content) => {
      if (this.#client.isOver) return
      if (content instanceof TooManyHeldError) return this.#client.refuse(requestRefusal(503, content.message))
      if (content !== "too long") this.whole = content
      else this.#memory?.release()
      done(content)
    })
  }

  /** Keeps content of at most `MAX_KEPT` bytes while it is sent, so that it can be sent again. */
  keep(): void {
    if (this.whole !== undefined || this.#body !== undefined) return
    this.#memory = new HeldBytes(this.#client.context.budget)
    this.#kept = []
  }

  /**
   * Calls `done` when all of a kept content has arrived, even without a reader, or proves to be too long. Returns false if none is
   * kept.
   */
  onceWhole(done: () => void): boolean {
    if (this.whole === undefined && this.#kept === undefined) return false
    if (this.whole === undefined) this.#completed = done
    else done()
    return true
  }

  /** The content for the upstream. */
  stream(): Readable {
    return this.whole === undefined ? this.#opened() : Readable.from([this.whole])
  }

  /** Notes which body reads this content, or a signed form of it, for the upstream. */
  sentAs(body: Readable | null): void {
    this.#sent = body ?? undefined
  }

  /** Releases the memory of the content, for a request that will not be repeated. The upstream may still read from it. */
  release(): void {
    if (this.#memory === undefined) return
    this.whole = undefined
    this.#kept = undefined
    if (this.#sent === undefined || this.#sent.closed) this.#memory.release()
    else this.#sent.once("close", () => this.#memory?.release())
  }

  destroy(): void {
    this.#body?.destroy()
  }

  /** Destroys the content, which nothing reads any more. */
  end(): void {
    this.destroy()
    this.#memory?.release()
  }

  #opened(): RequestBody {
    if (this.#body !== undefined) return this.#body
    const check = this.#check
    return this.#body = this.#client.openBody(
      check === undefined && this.#kept === undefined ? undefined : {
        part: (part) => {
          if (check !== undefined) this.#checked(() => check.write(part))
          this.#add(part)
        },
        end: () => {
          if (check !== undefined) this.#checked(() => check.end())
          this.#complete()
        }
      }
    )
  }

  #add(part: Buffer): void {
    if (this.#kept === undefined) return
    hold(this.#kept, part)
    this.#keptBytes += part.length
    if (this.#memory!.reserve(part.length) && this.#keptBytes <= MAX_KEPT) return
    this.#kept = undefined
    this.#memory!.release()
    this.#completed?.()
  }

  #complete(): void {
    if (this.#kept === undefined || this.#client.isOver) return
    this.whole = Buffer.concat(this.#kept)
    this.#completed?.()
  }

  /** Refuses the request if the check of its body fails, before the upstream has the whole body. */
  #checked(check: () => void): void {
    const refusal = this.#client.isOver ? undefined : formRefusal(this.#client, check)
    if (refusal !== undefined) this.#client.refuse(refusal)
  }
}
