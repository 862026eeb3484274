/**
 * The ways in which a message can contain a secret: as it is or escaped, in hexadecimal, in UTF-16 or UTF-32, or within base64 at each of
 * three offsets.
 *
 * A character other than a letter or a digit may be written in several ways, independently of its neighbors: encoders disagree about
 * which characters to escape. Letters and digits are escaped all or none.
 */

/** The ways to write a character. */
export interface Unit {
  readonly ways: ReadonlyArray<Buffer>
  /** The same as texts of which each character is a byte. */
  readonly texts: ReadonlyArray<string>
  /** The number of bytes of the shortest way. */
  readonly least: number
}

export interface Spelling {
  /** The ways to write each character. */
  readonly units: ReadonlyArray<Unit>
  /**
   * The replacement for each character, for encodings in which the placeholder has to be encoded too. Otherwise the placeholder itself is
   * the replacement.
   */
  readonly digits: Buffer | undefined
  /** What the secret is replaced by. */
  readonly placeholder: string
}

/** Shorter secrets are not searched for: they occur in messages by coincidence. */
export const MIN_SECRET_LENGTH = 8

const PAD = "-"

/** The placeholder in exactly this many bytes. */
export const padded = (placeholder: string, length: number): string => placeholder.padEnd(length, PAD).slice(0, length)

const unitOf = (ways: Iterable<string>): Unit => {
  const texts = [...new Set(ways)]
  return {
    ways: texts.map((text) => Buffer.from(text, "latin1")),
    texts,
    least: Math.min(...texts.map(({ length }) => length))
  }
}

/** Encodes each byte or UTF-16 code unit as `prefix` and hexadecimal digits, in lower and in upper case. */
const escaped = (values: Iterable<number>, prefix: string, digits: number): readonly [lower: string, upper: string] => {
  const codes = [...values].map((value) => value.toString(16).padStart(digits, "0"))
  return [
    codes.map((code) => prefix + code).join(""),
    codes.map((code) => prefix + code.toUpperCase()).join("")
  ]
}

const percent = (character: string, prefix = "%") => escaped(Buffer.from(character), prefix, 2)

const unicode = (character: string) =>
  escaped(Array.from({ length: character.length }, (_, at) => character.charCodeAt(at)), "\\u", 4)

/** Keeps the ways to write each character: the spellings of a secret have hundreds of characters, but few different ones. */
const eachOnce = (write: (character: string) => Unit): (character: string) => Unit => {
  const known = new Map<string, Unit>()
  return (character) => {
    const found = known.get(character) ?? write(character)
    known.set(character, found)
    return found
  }
}

const NAMED: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", "\"": "quot", "'": "apos" }

/** A character as references of HTML and XML, by its number or its name. */
const references = (character: string): ReadonlyArray<string> => {
  const code = character.codePointAt(0)!
  const name = NAMED[character]
  return [
    ...escaped([code], "&#x", 2).map((text) => `${text};`),
    `&#${code};`,
    `&#${String(code).padStart(3, "0")};`,
    ...(name === undefined ? [] : [`&${name};`])
  ]
}

/** A character as it is, percent-encoded once or twice, escaped in JSON, and as a character reference. */
const writtenAs = eachOnce((character) => {
  if (/^[A-Za-z0-9]$/.test(character)) return unitOf([character])
  return unitOf([
    Buffer.from(character).toString("latin1"),
    ...(character <= "\u00ff" ? [character] : []),
    ...percent(character),
    ...percent(character, "%25"),
    ...unicode(character),
    Buffer.from(JSON.stringify(character).slice(1, -1)).toString("latin1"),
    ...references(character),
    // Also in JSON within JSON.
    ...(character === "/" ? ["\\/", "\\\\/", "\\\\\\/"] : []),
    ...(character === " " ? ["+"] : [])
  ])
})

const asIs = eachOnce((character) => unitOf([character]))

const literal = (text: string): Spelling["units"] => [...text].map(asIs)

/** The characters of base64 that depend on nothing but `bytes` where these begin at `offset` modulo three. */
const base64Core = (bytes: Buffer, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
  return text.slice(Math.ceil(offset * 8 / 6), Math.floor((offset + bytes.length) * 8 / 6))
}

/** The two characters of base64 that are not alphanumeric differ in base64url, and are escaped in URLs and JSON. */
const base64Digit = eachOnce((digit) => {
  if (digit !== "+" && digit !== "/") return unitOf([digit])
  return unitOf([...digit === "+" ? "+-" : "/_"].concat(percent(digit), unicode(digit), digit === "/" ? ["\\/"] : []))
})

/** A text in UTF-16 or UTF-32, from the first to the last byte that is not zero, which are the same in both byte orders. */
const wide = (text: string, zeros: number): Buffer => {
  const bytes = Buffer.alloc(text.length * (zeros + 1) - zeros)
  for (let at = 0; at < text.length; at++) bytes[at * (zeros + 1)] = text.charCodeAt(at)
  return bytes
}

/** All spellings of a secret of at least `MIN_SECRET_LENGTH` characters. */
export const spellingsOf = (secret: string, placeholder: string): ReadonlyArray<Spelling> => {
  const characters = [...secret]
  const bytes = Buffer.from(secret)
  const plain = (units: Spelling["units"]): Spelling => ({ units, digits: undefined, placeholder })
  const hex = bytes.toString("hex")
  const fill = padded(placeholder, bytes.length)
  const hexFill = Buffer.from(fill).toString("hex")
  // The first and the last character of the core share bits with their neighbors, which must not garble the placeholder.
  const base64Fill = Buffer.from(padded(PAD + placeholder, bytes.length))
  return [
    plain(characters.map(writtenAs)),
    ...new Set([...percent(secret), ...unicode(secret)])
  ].map((spelling) => typeof spelling === "string" ? plain(literal(spelling)) : spelling).concat(
    [...new Set([hex, hex.toUpperCase()])].map((digits) => ({
      units: literal(digits),
      digits: Buffer.from(digits === hex ? hexFill : hexFill.toUpperCase()),
      placeholder
    })),
    [0, 1, 2].map((offset) => ({
      units: [...base64Core(bytes, offset)].map(base64Digit),
      digits: Buffer.from(base64Core(base64Fill, offset)),
      placeholder
    })),
    // Only the characters of ASCII are one byte each.
    (bytes.length === secret.length ? [1, 3] : []).map((zeros) => ({
      units: literal(wide(secret, zeros).toString("latin1")),
      digits: wide(fill, zeros),
      placeholder
    }))
  )
}
