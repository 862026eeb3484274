/**
 * Checks a multipart body (RFC 2046 section 5.1, RFC 7578) as it passes. Its framing and the header of each part must have the
 * one form that all servers read alike. The contents of parts are not checked.
 */
import { overridesMethod } from "../../domain/rules/Overrides.ts"
import { utf8Text } from "../../platform/Utf8.ts"
import { type BodyCheck, CarriedRequestsError, overrideProblem, UncheckableError } from "./BodyCheck.ts"

const MAX_PART_HEADER = 8192

const NAME =
  /^form-data; name=("[^"\\]*"|[\w.-]+)(?:; filename=(?:"[^"\\]*"|[\w.-]+))?(?:; filename\*=utf-8'[\w-]*'[\w!#$&+.^`|~%-]+)?$/i
/** The Content-Disposition of a part without a name. */
const UNNAMED = /^(?:attachment|inline)(?:; filename="[^"\\]*")?(?:; filename\*=utf-8'[\w-]*'[\w!#$&+.^`|~%-]+)?$/i
const TYPE = /^[\w!#$&^+.-]+\/[\w!#$&^+.-]+(?:; ?[\w-]+=(?:[\w!#$&^+./:-]+|"[^"\\]*"))*$/
/** Text that some servers look for in the whole header of a part, or the beginning of an encoded word (RFC 2047), which others decode. */
const SEARCHED = /content-[\w-]*\s*:|=\?/i
const isSearched = (value: string): boolean =>
  SEARCHED.test(value) || value.match(/"[^"]*"/g)?.some((text) => /name\*?\s*=/i.test(text)) === true
const ENCODING = /^(?:7bit|8bit|binary)$/i

const multipartError = (problem: string): UncheckableError =>
  new UncheckableError(
    `its multipart body ${problem}: send each part with only Content-Disposition: form-data; name="…"; filename="…" and Content-Type`
  )

/** The name of a part, by its Content-Disposition. Empty if it has none. */
const nameIn = (disposition: string): string => NAME.exec(disposition)?.[1]?.replaceAll("\"", "") ?? ""

const fieldsOf = (lines: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [, name = "", value = ""] = /^([A-Za-z-]+): ?(\S(?:.*\S)?)$/s.exec(line) ?? []
    const lower = name.toLowerCase()
    // oxlint-disable-next-line no-control-regex -- a line has no control characters
    if (lower === "" || /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value)) {
      throw multipartError("has an invalid part header")
    }
    if (isSearched(value)) throw multipartError("has a part header that contains another one")
    if (fields.has(lower)) throw multipartError(`has a part with two fields ${lower}`)
    fields.set(lower, value)
  }
  return fields
}

export class MultipartCheck implements BodyCheck {
  readonly #host: string
  readonly #delimiter: Buffer
  readonly #isForm: boolean
  readonly #mayCarry: boolean
  #rest: Buffer = Buffer.alloc(0)
  #place: "start" | "content" | "header" | "end" = "start"
  /** The last bytes before the unread rest, at most two: a line may end with them. */
  #afterLine = ""
  /** The end of a line: LF only if the body uses it, as Google's SDK for Python does in multipart/related. */
  #lineEnd = "\r\n"
  /** How many bytes of the part's content have passed. */
  #passed = 0
  /** The Content-Length of the part, which some servers read instead of looking for the boundary. */
  #declared: number | undefined

  /**
   * `isForm`: multipart/form-data, whose parts have names. In other multipart bodies, some servers take the Content-ID for the name.
   * `mayCarry`: whether parts may be requests.
   */
  constructor(
    host: string,
    boundary: string,
    { isForm, mayCarry }: { readonly isForm: boolean; readonly mayCarry: boolean }
  ) {
    this.#host = host
    this.#delimiter = Buffer.from(`--${boundary}`, "latin1")
    this.#isForm = isForm
    this.#mayCarry = mayCarry
  }

  write(part: Buffer): void {
    this.#rest = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part])
    while (this.#step());
  }

  end(): void {
    if (this.#place !== "end") throw multipartError("has no end")
    const text = this.#rest.toString("latin1")
    if (text !== "" && text !== this.#lineEnd) throw multipartError("has text after its end")
  }

  /** Takes one step. Returns whether another step may be possible. */
  #step(): boolean {
    switch (this.#place) {
      case "start":
      case "content":
        return this.#delimited()
      case "header":
        return this.#header()
      case "end":
        if (this.#rest.length > 2) throw multipartError("has text after its end")
        return false
    }
  }

  #delimited(): boolean {
    const isFirst = this.#place === "start"
    const at = this.#rest.indexOf(this.#delimiter)
    if (at === -1) return this.#pass(this.#rest.length - this.#delimiter.length - 1)
    const end = at + this.#delimiter.length
    if (this.#rest.length < end + 2) return false
    const before = this.#lastTwo(at)
    const after = this.#rest.toString("latin1", end, end + 2)
    if (isFirst && !this.#isForm && after.startsWith("\n")) this.#lineEnd = "\n"
    const isEnded = before.endsWith(this.#lineEnd) && (this.#lineEnd === "\r\n" || before !== "\r\n")
    if (isFirst ? at !== 0 : !isEnded) throw multipartError("has its boundary at an unexpected place")
    const isLast = after === "--"
    if (!isLast && !after.startsWith(this.#lineEnd)) throw multipartError("has its boundary at an unexpected place")
    if (isFirst && isLast) throw multipartError("has no part")
    const length = Math.max(0, this.#passed + at - this.#lineEnd.length)
    if (!isFirst && (this.#declared ?? length) !== length) {
      throw multipartError("has a part with a wrong Content-Length")
    }
    this.#place = isLast ? "end" : "header"
    this.#rest = this.#rest.subarray(end + (isLast ? 2 : this.#lineEnd.length))
    this.#afterLine = ""
    return true
  }

  /** Passes content in which no delimiter begins. Returns false, because another step needs more of the body. */
  #pass(length: number): false {
    if (length <= 0) return false
    if (this.#place === "start") throw multipartError("does not begin with its boundary")
    this.#afterLine = this.#lastTwo(length)
    this.#passed += length
    this.#rest = this.#rest.subarray(length)
    return false
  }

  /** The last two bytes before this place in the unread rest. */
  #lastTwo(at: number): string {
    return (this.#afterLine + this.#rest.toString("latin1", Math.max(0, at - 2), at)).slice(-2)
  }

  #header(): boolean {
    const lineEnd = this.#lineEnd
    const isEmpty = this.#rest.toString("latin1", 0, 2).startsWith(lineEnd)
    const end = isEmpty ? 0 : this.#rest.indexOf(lineEnd + lineEnd)
    if (end > MAX_PART_HEADER || (end === -1 && this.#rest.length > MAX_PART_HEADER)) {
      throw multipartError("has a part with a very long header")
    }
    if (end === -1) return false
    this.#passed = 0
    this.#declared = undefined
    this.#checkHeader(this.#rest.subarray(0, end))
    // The line break before a delimiter may be the one that ends the header.
    this.#afterLine = lineEnd
    this.#rest = this.#rest.subarray(end + lineEnd.length * (isEmpty ? 1 : 2))
    this.#place = "content"
    return true
  }

  #checkHeader(bytes: Buffer): void {
    const text = utf8Text(bytes)
    if (text === undefined) throw multipartError("has a part header that is not UTF-8")
    const fields = fieldsOf(text === "" ? [] : text.split(this.#lineEnd))
    for (const [field, value] of fields) this.#checkField(field, value)
    const name = nameIn(fields.get("content-disposition") ?? "")
    if (this.#isForm && name === "") throw multipartError("has a part without a name")
    this.#checkName(name)
  }

  #checkField(field: string, value: string): void {
    if (field === "content-disposition") {
      if (nameIn(value) === "" && (this.#isForm || !UNNAMED.test(value))) {
        throw multipartError("has a part with an unusual Content-Disposition")
      }
    } else if (field === "content-type") {
      // OData nests multipart bodies to group requests.
      const isNested = /^multipart/i.test(value) && (this.#isForm || !this.#mayCarry)
      if (!TYPE.test(value) || isNested) throw multipartError("has a part with an invalid Content-Type")
      if (!this.#mayCarry && /^(?:application|message)\/http\b/i.test(value)) throw new CarriedRequestsError()
    } else if (field === "content-transfer-encoding" && this.#isForm) {
      if (!ENCODING.test(value)) throw multipartError("has a part with a Content-Transfer-Encoding")
    } else if (field === "content-id" && !this.#isForm) this.#checkName(value.replaceAll(/^<|>$/g, ""))
    else if (field === "content-length" && /^\d{1,15}$/.test(value)) this.#declared = Number(value)
    else if (this.#isForm || !RELATED.has(field)) throw multipartError(`has a part with the field ${field}`)
  }

  #checkName(name: string): void {
    if (overridesMethod(name, this.#host)) throw new UncheckableError(overrideProblem(name))
  }
}

/** The further fields that parts may have outside of forms, such as in an upload of a file with its metadata. */
const RELATED: ReadonlySet<string> = new Set(
  "content-location content-range content-transfer-encoding mime-version".split(" ")
)
