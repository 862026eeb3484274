/** The parameters of a query or form (application/x-www-form-urlencoded), with one reading for every server. */
import { overridesMethod, overridesNothing } from "../../domain/rules/Overrides.ts"
import { percentEncoded } from "../../domain/text/PercentEncoding.ts"
import { type BodyCheck, MAX_NAME, overrideProblem, UncheckableError } from "./BodyCheck.ts"

/** A text in which nothing is encoded. */
const PLAIN = /^[\x21-\x24\x26-\x7e]*$/
const INVALID = /%(?![0-9a-f]{2})/i
const UNRESERVED = /^[A-Za-z0-9._~-]$/
// oxlint-disable-next-line no-control-regex -- names have no control characters
const CONTROL = /[\u0000-\u001f\u007f]/

const decodedText = (bytes: string, place: string): string => {
  if (INVALID.test(bytes)) throw new UncheckableError(`${place} has an invalid percent-encoding: write % as %25`)
  try {
    // Raw bytes and escapes together must be UTF-8.
    return decodeURIComponent(percentEncoded(bytes))
  } catch {
    throw new UncheckableError(`${place} is not UTF-8: send it percent-encoded in UTF-8`)
  }
}

const checkName = (name: string, place: string, host: string): void => {
  const text = decodedText(name, place).replaceAll("+", " ")
  if (CONTROL.test(text)) throw new UncheckableError(`${place} has a control character in a name: remove it`)
  if (overridesMethod(text, host)) throw new UncheckableError(overrideProblem(text.trim()))
}

/** Normalizes percent-encoding (RFC 3986 section 6.2.2), and changes nothing else. */
const normalizedEscapes = (text: string): string =>
  text.replaceAll(/%[0-9a-f]{2}|[^\x21-\x7e]/gi, (code) => {
    if (code.length === 1) return percentEncoded(code)
    const character = String.fromCharCode(parseInt(code.slice(1), 16))
    return UNRESERVED.test(character) ? character : code.toUpperCase()
  })

/** The query in its canonical form. Throws an `UncheckableError`. */
export const canonicalQuery = (query: string, host: string): string => {
  if (PLAIN.test(query) && overridesNothing(query)) return query
  if (decodedText(query, "its query").includes("\0")) {
    throw new UncheckableError("its query has a NUL character: remove it")
  }
  // Some servers separate parameters by semicolons.
  for (const part of query.split(/[&;]/)) checkName(part.split("=", 1)[0]!, "its query", host)
  return normalizedEscapes(query)
}

/** The length of a value above which it is checked in parts. */
const PART = 4096

export class FormCheck implements BodyCheck {
  readonly #host: string
  /** The text that was not checked yet: a name, or the end of a value. */
  #text = ""
  #isValue = false

  constructor(host: string) {
    this.#host = host
  }

  write(part: Buffer): void {
    let text = this.#text + part.toString("latin1")
    for (;;) {
      const end = text.search(this.#isValue ? /[&;]/ : /[&;=]/)
      if (end === -1) break
      this.#check(text.slice(0, end))
      this.#isValue = text[end] === "="
      text = text.slice(end + 1)
    }
    if (this.#isValue && text.length > PART) {
      const whole = wholeCharacters(text)
      this.#check(text.slice(0, whole))
      text = text.slice(whole)
    }
    if (text.length > MAX_NAME) {
      throw new UncheckableError(
        `a form field name is longer than ${MAX_NAME} characters: if the body is not a form, set its media type, such as application/json`
      )
    }
    this.#text = text
  }

  end(): void {
    this.#check(this.#text)
  }

  #check(text: string): void {
    if (!this.#isValue) checkName(text, "its form", this.#host)
    else if (decodedText(text, "its form").includes("\0")) {
      throw new UncheckableError("its form has a NUL character: remove it, or send multipart/form-data")
    }
  }
}

/** The length of the longest beginning of a string that ends within neither an escape nor a UTF-8 character. */
const wholeCharacters = (text: string): number => {
  // A UTF-8 character has at most four bytes, each of which takes three characters if percent-encoded.
  for (let at = text.length; at > text.length - 16; at--) {
    if (/%.?$/.test(text.slice(0, at))) continue
    const next = text.slice(at, at + 3)
    if (next === "" || (next.startsWith("%") && next.length < 3)) continue
    const code = next.startsWith("%") ? parseInt(next.slice(1), 16) : next.charCodeAt(0)
    // The next byte does not continue a character.
    if ((code & 0xc0) !== 0x80) return at
  }
  throw new UncheckableError("its form is not UTF-8: send it percent-encoded in UTF-8")
}
