/** A secret in the URL of a request, which responses may repeat in redirects, links and other fields. */
import { PLACEHOLDER } from "../domain/injection/Placeholder.ts"

/** Matches each byte literally or percent-encoded any number of times; a space also as a plus. */
const anySpelling = (bytes: Uint8Array): RegExp =>
  new RegExp(
    [...bytes].map((byte) => {
      const code = byte.toString(16).padStart(2, "0")
      const digits = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
      return `(?:${byte === 0x20 ? "[ +]" : `\\x${code}`}|%(?:25)*${digits})`
    }).join(""),
    "g"
  )

export class UrlSecret {
  readonly #bytes: Buffer
  /** The secret in the encoding of header fields, in which each character is a byte. */
  readonly #text: string
  #pattern: RegExp | undefined

  constructor(value: string) {
    this.#bytes = Buffer.from(value)
    this.#text = this.#bytes.toString("latin1")
  }

  replacedIn(text: string): string {
    if (text.length < this.#text.length) return text
    // The pattern is slow, and most header fields contain nothing encoded.
    if (!/[%+]/.test(text)) return text.replaceAll(this.#text, PLACEHOLDER)
    this.#pattern ??= anySpelling(this.#bytes)
    return text.replace(this.#pattern, PLACEHOLDER)
  }
}
