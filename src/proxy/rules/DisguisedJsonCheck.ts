/**
 * Checks content that a server may read as JSON although it has another type. Parse Server reads every type except
 * multipart/form-data as JSON, and takes the method from the member `_method`.
 *
 * Content that begins like an object, or like an array of objects, is checked until it turns out not to be JSON. Other content
 * passes.
 */
import { type Coding, decodedBeginning } from "../../http/scrub/ContentCodings.ts"
import { errorCode } from "../../platform/ErrorCode.ts"
import { type BodyCheck, UncheckableError } from "./BodyCheck.ts"
import { InvalidJsonError, type JsonCheck } from "./JsonCheck.ts"

/** The beginning of JSON, after a byte order mark that parsers skip, in latin1. */
const OBJECT = /^(?:\xef\xbb\xbf)?([ \t\r\n]*(?:\[[ \t\r\n]*)?\{[ \t\r\n]*")/
const MAY_BECOME_OBJECT = /^(?:\xef(?:\xbb(?:\xbf)?)?)?[ \t\r\n]*(?:\[[ \t\r\n]*)?(?:\{[ \t\r\n]*)?$/

/** How much of an encoded body is decoded to find its beginning. A zstd block has up to 128 KiB of text. */
const LENGTHS = [1024, 16 * 1024, 256 * 1024]
const MAX_UNDECIDED = 256 * 1024
const MAX_DECODED = 16 * 1024 * 1024

const undecidableBody = (): UncheckableError =>
  new UncheckableError(
    "its body begins with too much white space: remove it, or send JSON with the type application/json"
  )

export class DisguisedJsonCheck implements BodyCheck {
  readonly #json: JsonCheck
  readonly #coding: Coding | undefined
  readonly #lengths = [...LENGTHS]
  #state: "beginning" | "json" | "other" = "beginning"
  /** The beginning of the content, in parts until it is read: joining it for each of many short parts would take minutes. */
  #beginning: Array<Buffer> = []
  #length = 0

  /** `json`: the check of the content as JSON, which accepts bytes that are not UTF-8. `coding`: the coding, if the body is not decoded. */
  constructor(json: JsonCheck, coding: Coding | undefined) {
    this.#json = json
    this.#coding = coding
  }

  write(part: Buffer): void {
    if (this.#state === "json") return this.#checked(() => this.#json.write(part))
    if (this.#state === "other") return
    this.#beginning.push(part)
    this.#length += part.length
    if (this.#coding === undefined) this.#decide(this.#joined())
    else this.#decode(this.#coding, "part")
    if (this.#state === "beginning" && this.#length > MAX_UNDECIDED) throw undecidableBody()
  }

  end(): void {
    if (this.#state === "beginning" && this.#coding !== undefined) this.#decode(this.#coding, "whole")
    if (this.#state === "json") this.#checked(() => this.#json.end())
  }

  #decode(coding: Coding, extent: "part" | "whole"): void {
    while (this.#state === "beginning" && this.#lengths.length > 0) {
      if (this.#length < this.#lengths[0]! && extent === "part") return
      const part = this.#joined().subarray(0, this.#lengths.shift())
      try {
        this.#decide(decodedBeginning(coding, part, MAX_DECODED))
      } catch (error) {
        if (error instanceof UncheckableError) throw error
        if (errorCode(error) === "ERR_BUFFER_TOO_LARGE") throw undecidableBody()
        // The server cannot decode the content either.
        this.#state = "other"
      }
    }
  }

  #hold(beginning: Buffer): Buffer {
    this.#beginning = [beginning]
    this.#length = beginning.length
    return beginning
  }

  #joined(): Buffer {
    return this.#beginning.length === 1 ? this.#beginning[0]! : this.#hold(Buffer.concat(this.#beginning))
  }

  #decide(content: Buffer): void {
    const text = content.toString("latin1", 0, MAX_UNDECIDED)
    const found = OBJECT.exec(text)
    if (found === null && MAY_BECOME_OBJECT.test(text)) {
      // Otherwise, a body in very short parts would be read again with each part.
      if (this.#coding === undefined && content.length <= MAX_UNDECIDED) {
        this.#hold(Buffer.from(text.replaceAll(/[ \t\r\n]+/g, " "), "latin1"))
      }
      return
    }
    this.#state = found === null ? "other" : "json"
    this.#beginning = []
    if (found === null) return
    if (this.#coding !== undefined) {
      throw new UncheckableError("its encoded body is JSON: send it with the type application/json")
    }
    this.#checked(() => this.#json.write(content.subarray(found[0].length - found[1]!.length)))
  }

  #checked(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof InvalidJsonError)) throw error
      this.#state = "other"
    }
  }
}
