/** A secret that stood in the URL of a request, as an answer may repeat it: in redirects, links, or whatever else. */
import { PLACEHOLDER } from "../domain/Placeholder.ts"

/** Each byte as it is or percent-encoded, once or more often; a space as a plus as well. */
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
  /** As the text of a header has it, in which each character is a byte. */
  readonly #text: string
  #pattern: RegExp | undefined

  constructor(value: string) {
    this.#bytes = Buffer.from(value)
    this.#text = this.#bytes.toString("latin1")
  }

  /** The text with the placeholder in the secret's stead. */
  replacedIn(text: string): string {
    if (text.length < this.#text.length) return text
    // The pattern is dear, and most headers have nothing that is encoded.
    if (!/[%+]/.test(text)) return text.replaceAll(this.#text, PLACEHOLDER)
    this.#pattern ??= anySpelling(this.#bytes)
    return text.replace(this.#pattern, PLACEHOLDER)
  }
}
