/**
 * Messages of HTTP/1.1 as llhttp reads them, with all leniency off, as in Node.
 *
 * It is used directly because what `node:http` and undici's client build around each message takes most of the time of a
 * request in a proxy. The parser is asked for what comes next rather than calling back, so that no code of a
 * connection runs inside it.
 */
import type { HeaderPairs } from "../outbound/HeaderInjection.ts"
import { type Callbacks, FAILED, llhttp, OK, PAUSED, PAUSED_UPGRADE, SKIP_BODY, type TYPE } from "./Llhttp.ts"

/** Of one message: request or status line, fields and trailers. */
const MAX_HEAD_BYTES = 64 * 1024

/** Of the input, made into text at a time: most heads, and little of a body. */
const TEXT_BYTES = 1024

const NOTHING: Buffer = Buffer.alloc(0)

/**
 * `more`: everything that was fed is read. `head`: what describes the message is set. `body`: `chunk` is. `end`: the message
 * is complete, and `rest` is what came after it. `error`: this is not HTTP/1, and nothing that follows will be.
 */
export type Next = "more" | "head" | "body" | "end" | "error"

const isSpace = (code: number): boolean => code === 32 || code === 9

const isCoding = (name: string | undefined): boolean =>
  name?.length === 17 && name.toLowerCase() === "transfer-encoding"

/**
 * White space around a value is no part of it (RFC 9110 section 5.5); llhttp leaves out what is before it. False for a coding
 * that is empty: this build of llhttp takes it for none, and others for an error.
 */
const trim = (pairs: HeaderPairs): boolean => {
  for (let i = 1; i < pairs.length; i += 2) {
    const value = pairs[i] ?? ""
    let end = value.length
    while (end > 0 && isSpace(value.charCodeAt(end - 1))) end--
    if (end < value.length) pairs[i] = value.slice(0, end)
    if (end === 0 && isCoding(pairs[i - 1])) return false
  }
  return true
}

/** One direction of one connection. */
export class Http1Parser implements Callbacks {
  /** Of a request. */
  method = ""
  url = ""
  /** Of a response. */
  status = 0
  reason = ""
  /** Flat pairs in latin1, as they came. */
  headers: HeaderPairs = []
  trailers: HeaderPairs = []
  minorVersion = 1
  /** Whether another message can follow on the connection. */
  keepAlive = false
  /** Whether the message asks for the connection to be taken over, or says that it is. */
  upgrade = false
  /** A view of what was fed. */
  chunk = NOTHING
  /** Whether a message has begun and not ended. */
  underWay = false
  /** Whether it was the length of a head that made an error. */
  overlong = false
  /** To be set before a response that has no body, whatever its head says, because it answers HEAD. */
  bodiless = false

  readonly #llhttp = llhttp()
  #parser: number
  #input = NOTHING
  #from = 0
  /** A part of the input as text: each call into Node's own code costs more than the bytes of a head. */
  #text = ""
  #textFrom = 0
  #paused = false
  #failed = false
  #event: Next = "more"
  /** The message had no body to wait for, and ended with its head. */
  #ended = false
  #inHead = false
  #inField = false
  #size = 0

  constructor(type: keyof typeof TYPE) {
    this.#parser = this.#llhttp.alloc(type)
  }

  /** After `more`. */
  feed(bytes: Buffer): void {
    this.#input = bytes
    this.#from = 0
    this.#text = ""
    this.#textFrom = 0
  }

  /** What was fed and is not read yet. */
  get rest(): Buffer {
    return this.#input.subarray(this.#from)
  }

  get hasRest(): boolean {
    return this.#from < this.#input.length
  }

  next(): Next {
    if (this.#failed || this.#parser === 0) return "error"
    if (this.#ended) {
      this.#ended = false
      return "end"
    }
    while (this.#paused || this.#from < this.#input.length) {
      if (this.#paused) this.#llhttp.resume(this.#parser)
      this.#paused = false
      this.#event = "more"
      const answer = this.#llhttp.execute(this.#parser, this.#input, this.#from, this)
      this.#from = this.#llhttp.position(this.#parser, answer)
      if (answer === PAUSED) {
        this.#paused = true
        return this.#event
      }
      // Whoever asks for more has not taken the connection over.
      if (answer === PAUSED_UPGRADE) this.#llhttp.resumeAfterUpgrade(this.#parser)
      else if (answer !== OK) return this.#fail()
    }
    return "more"
  }

  /** The peer has ended its side: `more` between messages, `end` for one whose length that decides, `error` within any other. */
  finish(): "more" | "end" | "error" {
    if (this.#failed || this.#parser === 0) return "error"
    if (!this.underWay) return "more"
    return this.#llhttp.finish(this.#parser, this) === PAUSED ? "end" : this.#fail()
  }

  /** Gives its memory back. Safe to call more than once. */
  close(): void {
    if (this.#parser !== 0) this.#llhttp.free(this.#parser)
    this.#parser = 0
  }

  began(): number {
    this.underWay = true
    this.url = ""
    this.reason = ""
    this.headers = []
    this.trailers = []
    this.#inHead = true
    this.#inField = false
    this.#size = 0
    return OK
  }

  target(at: number, length: number): number {
    this.url += this.#textAt(at, length)
    return this.#grown(length)
  }

  phrase(at: number, length: number): number {
    this.reason += this.#textAt(at, length)
    return this.#grown(length)
  }

  field(at: number, length: number): number {
    this.#add(this.#textAt(at, length), !this.#inField)
    this.#inField = true
    return this.#grown(length)
  }

  /** Called for an empty value as well, so names and values take turns. */
  value(at: number, length: number): number {
    this.#add(this.#textAt(at, length), this.#inField)
    this.#inField = false
    return this.#grown(length)
  }

  headed(status: number, upgrade: boolean, keepAlive: boolean): number {
    // It knows 0.9 and 2.0 as well, which have no such messages.
    if (this.#llhttp.majorVersion(this.#parser) !== 1) return FAILED
    this.#inHead = false
    if (!trim(this.headers)) return FAILED
    this.status = status
    this.upgrade = upgrade
    this.keepAlive = keepAlive
    this.minorVersion = this.#llhttp.minorVersion(this.#parser)
    if (status === 0) this.method = this.#llhttp.method(this.#parser)
    this.#event = "head"
    // llhttp knows of 100 to 103 alone that they have no body, whatever their heads say.
    return (status >= 200 ? this.bodiless : status > 103) ? SKIP_BODY : PAUSED
  }

  /** Called with nothing when it goes on after the end of what was fed. */
  part(at: number, length: number): number {
    if (length === 0) return OK
    this.chunk = this.#input.subarray(at, at + length)
    this.#event = "body"
    return PAUSED
  }

  completed(): number {
    this.underWay = false
    trim(this.trailers)
    if (this.#event === "head") this.#ended = true
    else this.#event = "end"
    return PAUSED
  }

  #fail(): "error" {
    this.#failed = true
    return "error"
  }

  #textAt(at: number, length: number): string {
    const from = at - this.#textFrom
    if (from >= 0 && from + length <= this.#text.length) return this.#text.slice(from, from + length)
    this.#textFrom = at
    this.#text = this.#input.toString("latin1", at, Math.min(at + Math.max(length, TEXT_BYTES), this.#input.length))
    return this.#text.slice(0, length)
  }

  #add(text: string, isNew: boolean): void {
    const list = this.#inHead ? this.headers : this.trailers
    if (isNew) list.push(text)
    else list[list.length - 1] += text
  }

  /** Refuses a head that has become too long. */
  #grown(length: number): number {
    this.#size += length
    this.overlong = this.#size > MAX_HEAD_BYTES
    return this.overlong ? FAILED : OK
  }
}
