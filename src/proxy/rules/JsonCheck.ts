/**
 * Checks JSON (RFC 8259) as it passes, and does not change its bytes: serializing a number again could change the number. Several
 * values may follow each other, as in NDJSON.
 */
import { overridesMethod } from "../../domain/rules/Overrides.ts"
import { type BodyCheck, CarriedRequestsError, MAX_NAME, overrideProblem, UncheckableError } from "./BodyCheck.ts"

const MAX_DEPTH = 512
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const MAX_LITERAL = 4096

/** Content that is not JSON for any parser that follows RFC 8259. */
export class InvalidJsonError extends UncheckableError {}

const invalidJson = (): InvalidJsonError =>
  new InvalidJsonError(
    "its body is not strict JSON in UTF-8, so servers could read it in more than one way: correct it, or send it with another " +
      "Content-Type, such as application/octet-stream"
  )

type Expected = "value" | "first name or }" | "name" | ":" | "first value or ]" | ", or end"

/** What may follow an opening bracket. */
const FIRST = { "{": "first name or }", "[": "first value or ]" } as const

// oxlint-disable-next-line no-control-regex -- strings have no control characters
const STRING_END = /["\\\u0000-\u001f]/g

export class JsonCheck implements BodyCheck {
  readonly #host: string
  /** Whether each open object names a method and a URL. Undefined if objects may describe requests. */
  readonly #described: Array<{ method: boolean; url: boolean }> | undefined
  readonly #decoder: InstanceType<typeof TextDecoder>
  /** The brackets that are open. */
  readonly #open: Array<keyof typeof FIRST> = []
  #expected: Expected = "value"
  /** The part of a name that has been read, "" within a value, or undefined outside of a string. */
  #string: string | undefined
  #isName = false
  /** The part of an incomplete escape sequence that has been read. */
  #escape = ""
  #literal = ""
  #isSeparated = true

  /** `refusesRequests`: whether no object may describe a request. `isLoose`: whether strings may have bytes that are not UTF-8. */
  constructor(
    host: string,
    { isLoose = false, refusesRequests = false }: { readonly isLoose?: boolean; readonly refusesRequests?: boolean } =
      {}
  ) {
    this.#host = host
    // A byte order mark is not JSON.
    this.#decoder = new TextDecoder("utf-8", { fatal: !isLoose, ignoreBOM: true })
    this.#described = refusesRequests ? [] : undefined
  }

  write(part: Buffer): void {
    this.#read(() => this.#decoder.decode(part, { stream: true }))
  }

  end(): void {
    this.#read(() => this.#decoder.decode())
    this.#endLiteral()
    if (this.#open.length > 0 || this.#string !== undefined || this.#expected === ":") throw invalidJson()
  }

  #read(decode: () => string): void {
    let text
    try {
      text = decode()
    } catch {
      throw invalidJson()
    }
    let at = 0
    while (at < text.length) at = this.#string === undefined ? this.#token(text, at) : this.#inString(text, at)
  }

  #inString(text: string, from: number): number {
    if (this.#escape !== "") return this.#inEscape(text, from)
    STRING_END.lastIndex = from
    const found = STRING_END.exec(text)
    const end = found?.index ?? text.length
    this.#keep(text.slice(from, end))
    if (found === null) return end
    if (found[0] === "\\") this.#escape = "\\"
    else if (found[0] === "\"") this.#endString()
    else throw invalidJson()
    return end + 1
  }

  #inEscape(text: string, at: number): number {
    this.#escape += text[at]!
    const isUnicode = this.#escape[1] === "u"
    if (!(isUnicode ? /^\\u[0-9a-f]{0,4}$/i : /^\\["\\/bfnrt]$/).test(this.#escape)) throw invalidJson()
    if (!isUnicode || this.#escape.length === 6) {
      this.#keep(JSON.parse(`"${this.#escape}"`))
      this.#escape = ""
    }
    return at + 1
  }

  #keep(text: string): void {
    if (!this.#isName) return
    this.#string += text
    if (this.#string!.length > MAX_NAME) {
      throw new UncheckableError("the name of a member in its JSON is too long: shorten it")
    }
  }

  #endString(): void {
    const name = this.#string!
    this.#string = undefined
    if (!this.#isName) return this.#endValue()
    if (overridesMethod(name, this.#host, this.#open.length === 1)) throw new UncheckableError(overrideProblem(name))
    this.#describe(name)
    this.#expected = ":"
  }

  #describe(name: string): void {
    const described = this.#described?.at(-1)
    if (described === undefined) return
    described.method ||= /^(?:http_?)?(?:method|verb)$/i.test(name)
    described.url ||= /^(?:api|(?:relative_?)?(?:url|uri|path))$/i.test(name)
    if (described.method && described.url) throw new CarriedRequestsError()
  }

  #endValue(): void {
    this.#expected = this.#open.length === 0 ? "value" : ", or end"
    this.#isSeparated = false
  }

  #endLiteral(): void {
    if (this.#literal === "") return
    if (!LITERAL.test(this.#literal)) throw invalidJson()
    this.#literal = ""
    this.#endValue()
  }

  #token(text: string, at: number): number {
    const character = text[at]!
    if (/[-+.0-9A-Za-z]/.test(character)) {
      this.#inLiteral(character)
      return at + 1
    }
    this.#endLiteral()
    switch (character) {
      case " ":
      case "\t":
      case "\n":
      case "\r":
        this.#isSeparated = true
        break
      case "\"":
        this.#isName = this.#expected === "name" || this.#expected === "first name or }"
        if (!this.#isName) this.#beginValue()
        this.#string = ""
        break
      case "{":
      case "[":
        this.#beginContainer(character)
        break
      case "}":
        this.#endContainer("{")
        break
      case "]":
        this.#endContainer("[")
        break
      case ",":
        if (this.#expected !== ", or end") throw invalidJson()
        this.#expected = this.#open.at(-1) === "{" ? "name" : "value"
        break
      case ":":
        if (this.#expected !== ":") throw invalidJson()
        this.#expected = "value"
        break
      default:
        throw invalidJson()
    }
    return at + 1
  }

  #inLiteral(character: string): void {
    if (this.#literal === "") this.#beginValue()
    this.#literal += character
    if (this.#literal.length > MAX_LITERAL) {
      throw new UncheckableError(`its JSON has a number of more than ${MAX_LITERAL} characters: send a shorter one`)
    }
  }

  #beginContainer(bracket: keyof typeof FIRST): void {
    this.#beginValue()
    this.#open.push(bracket)
    this.#described?.push({ method: false, url: false })
    if (this.#open.length > MAX_DEPTH) {
      throw new UncheckableError(`its JSON is nested more than ${MAX_DEPTH} levels deep: send fewer levels`)
    }
    this.#expected = FIRST[bracket]
  }

  #endContainer(bracket: keyof typeof FIRST): void {
    const isComplete = this.#expected === ", or end" || this.#expected === FIRST[bracket]
    if (this.#open.pop() !== bracket || !isComplete) throw invalidJson()
    this.#described?.pop()
    this.#endValue()
  }

  #beginValue(): void {
    if (this.#expected !== "value" && this.#expected !== "first value or ]") throw invalidJson()
    if (this.#open.length === 0 && !this.#isSeparated) throw invalidJson()
  }
}
