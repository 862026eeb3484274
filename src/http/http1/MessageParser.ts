/**
 * A pull parser of HTTP/1.1 messages over llhttp, with all leniency off, as in Node, except for spaces after the chunk sizes of a
 * response.
 *
 * The objects that `node:http` and undici's client build around each message take most of the time of a proxied request.
 * Connections ask for the next event, so that none of their code runs inside the parser.
 */
import { type HeaderPairs, MAX_HEAD_BYTES } from "../HeaderFields.ts"
import { type Callbacks, FAILED, llhttp, OK, PAUSED, PAUSED_UPGRADE, SKIP_BODY, type TYPE } from "./Llhttp.ts"
import { headEnd, repairedHead } from "./RepairedHead.ts"

/** The number of bytes that are decoded to text at a time: enough for most heads, and little of a body. */
const TEXT_BYTES = 1024
/** How much of the end of a head may precede its last byte. */
const MAX_TAIL = 3

/** The codes of llhttp for a repeated length, an invalid line, length or coding, a head refused here, and a bare line feed. */
const REPAIRABLE: ReadonlySet<number> = new Set([4, 10, 11, 15, 17, 25])

/** LIST is a method of HashiCorp Vault that llhttp does not know. The parser replaces it with another method of the same length. */
const LIST = Buffer.from("LIST ")
const LINK = Buffer.from("LINK ")

const CR = 13
const LF = 10

const NOTHING: Buffer = Buffer.alloc(0)

/** The result of a parser step. `more`: needs more input. `head`: start line and header section. `body`: a `chunk`. */
export type Next = "more" | "head" | "body" | "end" | "error"

const isSpace = (code: number): boolean => code === 32 || code === 9

const isCoding = (name: string | undefined): boolean =>
  name?.length === 17 && name.toLowerCase() === "transfer-encoding"

/**
 * Removes white space after values (RFC 9110 section 5.5); llhttp removes it before them. Returns false for an empty
 * `Transfer-Encoding`, which this build of llhttp ignores and others reject. Also returns false for a final response in
 * a transfer coding other than chunked: no request asks for one (RFC 9112 section 7.4), and the proxy could not search
 * its content.
 */
const trimAndCheck = (pairs: HeaderPairs, isFinal = false): boolean => {
  for (let i = 1; i < pairs.length; i += 2) {
    const value = pairs[i] ?? ""
    let end = value.length
    while (end > 0 && isSpace(value.charCodeAt(end - 1))) end--
    if (end < value.length) pairs[i] = value.slice(0, end)
    if (isCoding(pairs[i - 1]) && (end === 0 || (isFinal && pairs[i]!.toLowerCase() !== "chunked"))) return false
  }
  return true
}

export class MessageParser implements Callbacks {
  method = ""
  url = ""
  status = 0
  reason = ""
  headers: HeaderPairs = []
  trailers: HeaderPairs = []
  minorVersion = 1
  keepAlive = false
  /** Whether the message asks to switch protocols, or switches them. */
  upgrade = false
  /** A part of the content, as a view of the bytes that were fed. */
  chunk = NOTHING
  underWay = false
  overlong = false
  /** Whether the response has no content even if its head declares some, as for HEAD. Must be set before the response. */
  hasNoContent = false

  /** Why the message is invalid, in the words of llhttp. */
  problem = ""

  readonly #llhttp = llhttp()
  readonly #type: keyof typeof TYPE
  #parser: number
  /** The earlier inputs that contain the beginning of the current head, and the offset of the head in the first one. */
  #before: Array<Buffer> = []
  #headFrom = 0
  /** Whether the rest of an invalid head has to arrive before it can be repaired. */
  #isWaiting = false
  #waitingBytes = 0
  /** The end of the parts that have arrived. */
  #tail = ""
  #isRepaired = false
  #isList = false
  #input = NOTHING
  #from = 0
  /** A part of the input as text, decoded in one call: a call into native code costs more than decoding a whole head. */
  #text = ""
  #textFrom = 0
  #paused = false
  #failed = false
  #event: Next = "more"
  /** Whether the message ended with its head. */
  #ended = false
  #inHead = false
  #inField = false
  #size = 0

  constructor(type: keyof typeof TYPE) {
    this.#type = type
    this.#parser = this.#llhttp.alloc(type)
  }

  feed(bytes: Buffer): void {
    if (this.#isWaiting || (this.underWay && this.#inHead)) this.#before.push(this.#input)
    this.#input = bytes
    this.#from = 0
    this.#text = ""
    this.#textFrom = 0
  }

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
    if (this.#isWaiting && !this.#repair()) return this.#isWaiting ? "more" : this.#fail()
    while (this.#paused || this.#from < this.#input.length) {
      if (!this.underWay) {
        this.#headFrom = this.#from
        this.#before = []
        this.#isRepaired = false
        this.#replaceMethod()
      }
      if (this.#paused) this.#llhttp.resume(this.#parser)
      this.#paused = false
      this.#event = "more"
      const code = this.#llhttp.execute(this.#parser, this.#input, this.#from, this)
      this.#from = this.#llhttp.position(this.#parser, code)
      if (code === PAUSED) {
        this.#paused = true
        return this.#event
      }
      // A caller that continues to parse has not switched protocols.
      if (code === PAUSED_UPGRADE) this.#llhttp.resumeAfterUpgrade(this.#parser)
      else if (code !== OK) {
        this.problem ||= this.#llhttp.reason(this.#parser)
        if (REPAIRABLE.has(code) && this.#repair()) continue
        return this.#isWaiting ? "more" : this.#fail()
      }
    }
    return "more"
  }

  /** Replaces LIST. If LIST arrives in two parts, it is not recognized, and llhttp rejects the request. */
  #replaceMethod(): void {
    if (this.#type !== "request") return
    let at = this.#from
    // llhttp pauses before the last line feed of a message, and ignores line breaks before the next one.
    while (this.#input[at] === CR || this.#input[at] === LF) at++
    this.#isList = LIST.equals(this.#input.subarray(at, at + LIST.length))
    if (!this.#isList) return
    LINK.copy(this.#input, at)
    // Another view makes llhttp copy the changed bytes: it may have copied the input for an earlier message.
    this.#input = this.#input.subarray()
  }

  /**
   * Begins again with the repaired head of a response. Returns false if the head cannot be repaired, or is incomplete
   * (`#isWaiting`). Requests are not repaired, because the server could read the original.
   */
  #repair(): boolean {
    // Joining the parts for each of many short ones would take minutes.
    if (this.#isWaiting && !this.#mayEnd()) return false
    const isHead = this.#isWaiting || (this.#inHead && !this.overlong)
    this.#isWaiting = false
    if (this.#type === "request" || this.#isRepaired || !isHead) return false
    const bytes = Buffer.concat([...this.#before, this.#input]).subarray(this.#headFrom)
    const text = bytes.toString("latin1", 0, MAX_HEAD_BYTES)
    const end = headEnd(text)
    this.#isWaiting = end === -1 && bytes.length < MAX_HEAD_BYTES
    this.#waitingBytes = bytes.length
    this.#tail = text.slice(-MAX_TAIL)
    const head = end === -1 ? undefined : repairedHead(text.slice(0, end))
    if (head === undefined) return false
    this.#llhttp.free(this.#parser)
    this.#parser = this.#llhttp.alloc(this.#type)
    this.underWay = false
    this.#before = []
    this.#headFrom = 0
    this.feed(Buffer.concat([Buffer.from(head, "latin1"), bytes.subarray(end)]))
    this.#isRepaired = true
    this.underWay = true
    return true
  }

  /** Whether the head that is waited for may end in the input, or is too long. */
  #mayEnd(): boolean {
    const text = this.#tail + this.#input.toString("latin1")
    this.#tail = text.slice(-MAX_TAIL)
    this.#waitingBytes += this.#input.length
    return headEnd(text) !== -1 || this.#waitingBytes >= MAX_HEAD_BYTES
  }

  /** A clause with the reason why the message is invalid. */
  invalid(what: string): string {
    return `${what} is not valid HTTP/1.1${this.problem === "" ? "" : ` (${this.problem})`}`
  }

  /**
   * Handles a half-close by the peer. Returns `more` between messages, `end` for a message that ends with the connection, and
   * `error` within any other.
   */
  finish(): "more" | "end" | "error" {
    if (this.#failed || this.#parser === 0) return "error"
    if (!this.underWay) return "more"
    return this.#llhttp.finish(this.#parser, this) === PAUSED ? "end" : this.#fail()
  }

  /** Frees the parser's memory. May be called repeatedly. */
  close(): void {
    if (this.#parser !== 0) this.#llhttp.free(this.#parser)
    this.#parser = 0
  }

  began(): number {
    this.underWay = true
    this.problem = ""
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

  /** Called for each value, even an empty one, so names and values alternate. */
  value(at: number, length: number): number {
    this.#add(this.#textAt(at, length), this.#inField)
    this.#inField = false
    return this.#grown(length)
  }

  headed(status: number, upgrade: boolean, keepAlive: boolean): number {
    // llhttp also accepts the versions 0.9 and 2.0, whose messages have another syntax.
    if (this.#llhttp.majorVersion(this.#parser) !== 1) return FAILED
    if (!trimAndCheck(this.headers, status >= 200)) {
      this.problem = "Unsupported Transfer-Encoding"
      return FAILED
    }
    this.#inHead = false
    this.status = status
    this.upgrade = upgrade
    this.keepAlive = keepAlive
    this.minorVersion = this.#llhttp.minorVersion(this.#parser)
    if (status === 0) this.method = this.#isList ? "LIST" : this.#llhttp.method(this.#parser)
    this.#event = "head"
    // Of the informational responses, llhttp ignores declared content only in 100 to 103.
    return (status >= 200 ? this.hasNoContent : status > 103) ? SKIP_BODY : PAUSED
  }

  /** Called for a part of the content, without data when parsing resumes at the end of the input. */
  part(at: number, length: number): number {
    if (length === 0) return OK
    this.chunk = this.#input.subarray(at, at + length)
    this.#event = "body"
    return PAUSED
  }

  completed(): number {
    this.underWay = false
    trimAndCheck(this.trailers)
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

  #grown(length: number): number {
    this.#size += length
    this.overlong = this.#size > MAX_HEAD_BYTES
    return this.overlong ? FAILED : OK
  }
}
