/**
 * The ways in which a message can contain a secret: as it is or escaped, in hexadecimal, in UTF-16 or UTF-32, or within
 * base64 at each of three offsets.
 *
 * A character other than a letter or a digit may be written in several ways, independently of its neighbors: encoders
 * disagree about which characters to escape. A spelling escapes either all letters and digits or none.
 */
import { numericReferences, referencesTo, usualReferencesTo } from "./CharacterReferences.ts"

/** The ways to write a character. */
interface Unit {
  readonly ways: ReadonlyArray<Buffer>
  /** The ways as latin1 strings. */
  readonly texts: ReadonlyArray<string>
  /** The length of the shortest way, in bytes. */
  readonly least: number
}

export interface Spelling {
  /** The ways to write each character. */
  readonly units: ReadonlyArray<Unit>
  /**
   * The replacement for a unit that has this many bytes, for encodings in which the placeholder has to be encoded too. Otherwise the
   * placeholder itself is the replacement. Returns undefined for a unit that stays.
   */
  readonly fill: ((index: number, length: number) => Buffer | undefined) | undefined
  /** The placeholder that replaces the secret. */
  readonly placeholder: string
}

/** The shortest secret that is searched for. Shorter ones occur in messages by coincidence. */
export const MIN_SECRET_LENGTH = 8

const PAD = "-"

/** The placeholder in exactly this many bytes. */
export const paddedPlaceholder = (placeholder: string, length: number): string =>
  placeholder.padEnd(length, PAD).slice(0, length)

const unitOf = (ways: Iterable<string>): Unit => {
  const texts = [...new Set(ways)]
  return {
    ways: texts.map((text) => Buffer.from(text, "latin1")),
    texts,
    least: Math.min(...texts.map(({ length }) => length))
  }
}

/** Encodes each byte or UTF-16 code unit as `prefix` and hexadecimal digits, in lower and in upper case. */
const escapes = (values: Iterable<number>, prefix: string, digits: number): readonly [lower: string, upper: string] => {
  const codes = [...values].map((value) => value.toString(16).padStart(digits, "0"))
  return [
    codes.map((code) => prefix + code).join(""),
    codes.map((code) => prefix + code.toUpperCase()).join("")
  ]
}

const percentEscapes = (character: string, prefix = "%") => escapes(Buffer.from(character), prefix, 2)

const codeUnits = (text: string): ReadonlyArray<number> =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))

const unicodeEscapes = (text: string, prefix = "\\u") => escapes(codeUnits(text), prefix, 4)

/** Caches the ways to write each character: the spellings of a secret have hundreds of characters, but few different ones. */
const eachOnce = (write: (character: string) => Unit): (character: string) => Unit => {
  const known = new Map<string, Unit>()
  return (character) => {
    const found = known.get(character) ?? write(character)
    known.set(character, found)
    return found
  }
}

const isPlain = (character: string): boolean => /^[A-Za-z0-9]$/.test(character)

/** A character in UTF-8, or in Latin-1. */
const inBytes = (character: string): ReadonlyArray<string> => [
  Buffer.from(character).toString("latin1"),
  ...(character <= "\u00ff" ? [character] : [])
]

/** A character escaped in JSON, or in JSON within a JSON string. */
const inJson = (character: string): ReadonlyArray<string> => [
  ...unicodeEscapes(character),
  ...unicodeEscapes(character, "\\\\u"),
  ...[JSON.stringify(character).slice(1, -1), JSON.stringify(JSON.stringify(character)).slice(3, -3)]
    .map((text) => Buffer.from(text).toString("latin1")),
  ...(character === "/" ? ["\\/", "\\\\/", "\\\\\\/"] : [])
]

/** A character unencoded, percent-encoded once or twice, escaped in JSON, and as a usual character reference. */
const inText = eachOnce((character) =>
  unitOf(
    isPlain(character)
      ? [character]
      : [
        ...inBytes(character),
        ...percentEscapes(character),
        ...percentEscapes(character, "%25"),
        ...inJson(character),
        ...usualReferencesTo(character),
        ...(character === " " ? ["+"] : [])
      ]
  )
)

/** A character unencoded, and as any character reference. */
const inMarkup = eachOnce((character) =>
  unitOf(isPlain(character) ? [character] : [...inBytes(character), ...referencesTo(character)])
)

/** Each character as a reference, all with the same number of digits. */
const inReferences = numericReferences.map((references) => eachOnce((character) => unitOf(references(character))))

const asIs = eachOnce((character) => unitOf([character]))

const literalUnits = (text: string): Spelling["units"] => [...text].map(asIs)

/** The base64 characters that depend only on `bytes`, which begin at `offset` modulo three. */
const base64Core = (bytes: Buffer, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
  return text.slice(Math.ceil(offset * 8 / 6), Math.floor((offset + bytes.length) * 8 / 6))
}

/** The ways to write a base64 character. `+` and `/` differ in base64url, and are escaped in URLs and JSON. */
const base64Digit = eachOnce((digit) => {
  if (digit !== "+" && digit !== "/") return unitOf([digit])
  return unitOf(
    [...digit === "+" ? "+-" : "/_"].concat(percentEscapes(digit), unicodeEscapes(digit), digit === "/" ? ["\\/"] : [])
  )
})

/** An encoding whose characters have several bytes each. */
const wideEncoding = (bytes: 2 | 4, order: "little-endian" | "big-endian") => {
  const isBigEndian = order === "big-endian"
  const encoded = (text: string): string => {
    const values = bytes === 2 ? codeUnits(text) : Array.from(text, (character) => character.codePointAt(0)!)
    const out = Buffer.alloc(values.length * bytes)
    for (const [at, value] of values.entries()) {
      if (isBigEndian) out.writeUIntBE(value, at * bytes, bytes)
      else out.writeUIntLE(value, at * bytes, bytes)
    }
    return out.toString("latin1")
  }
  /** A character unencoded, escaped in JSON, or as a usual character reference. */
  const unit = eachOnce((character) => {
    const ways = isPlain(character) ? [] : [
      ...unicodeEscapes(character),
      JSON.stringify(character).slice(1, -1),
      ...(character === "/" ? ["\\/"] : []),
      ...usualReferencesTo(character)
    ]
    return unitOf([character, ...ways].map(encoded))
  })
  return { bytes, encoded, isBigEndian, unit }
}

const WIDE = ([2, 4] as const).flatMap((bytes) => [
  wideEncoding(bytes, "little-endian"),
  wideEncoding(bytes, "big-endian")
])

/**
 * A secret in UTF-16 or UTF-32, from the first to the last byte that is not zero: zeros are frequent, so a search for them would hold
 * back many bytes. ASCII is then the same in both byte orders.
 */
const inWide = (
  characters: ReadonlyArray<string>,
  placeholder: string,
  encoding: ReturnType<typeof wideEncoding>
): Spelling => {
  const { bytes, encoded, isBigEndian, unit } = encoding
  const units = characters.map(unit)
  const lengths = units.map(({ texts }) => texts[0]!.length)
  const filler = encoded(paddedPlaceholder(placeholder, lengths.reduce((sum, length) => sum + length, 0) / bytes))
  let at = 0
  const fill = lengths.map((length) => filler.slice(at, at += length))
  const edge = isBigEndian ? 0 : units.length - 1
  const zeros = (isBigEndian ? /^\0*/ : /\0*$/).exec(units[edge]!.texts[0]!)![0].length
  const trimmed = (text: string): string => isBigEndian ? text.slice(zeros) : text.slice(0, text.length - zeros)
  units[edge] = unitOf(units[edge]!.texts.map(trimmed))
  fill[edge] = trimmed(fill[edge]!)
  const fillOf = (index: number, length: number): string => {
    if (fill[index]!.length === length) return fill[index]!
    const pads = encoded(PAD.repeat(Math.ceil(length / bytes)))
    return isBigEndian ? pads.slice(-length) : pads.slice(0, length)
  }
  return { units, fill: (index, length) => Buffer.from(fillOf(index, length), "latin1"), placeholder }
}

/** Replaces each unit by a byte of the text. An escaped unit stays: its replacement would have another length. */
const fillByCharacter = (text: string): Spelling["fill"] => (index, length) =>
  length === 1 ? Buffer.from(text.charAt(index)) : undefined

/** All spellings of a secret of at least `MIN_SECRET_LENGTH` characters. */
export const spellingsOf = (secret: string, placeholder: string): ReadonlyArray<Spelling> => {
  const characters = [...secret]
  const bytes = Buffer.from(secret)
  const hex = bytes.toString("hex")
  const hexFill = Buffer.from(paddedPlaceholder(placeholder, bytes.length)).toString("hex")
  // The first and the last character of the core share bits with their neighbors, which must not garble the placeholder.
  const base64Fill = Buffer.from(paddedPlaceholder(PAD + placeholder, bytes.length))
  const throughout = new Set([...percentEscapes(secret), ...unicodeEscapes(secret)])
  return [
    ...[
      ...[inText, inMarkup, ...inReferences].map((write) => characters.map(write)),
      ...[...throughout].map(literalUnits)
    ].map((units) => ({ units, fill: undefined, placeholder })),
    ...[...new Map([[hex, hexFill], [hex.toUpperCase(), hexFill.toUpperCase()]])].map(([digits, fill]) => ({
      units: literalUnits(digits),
      fill: fillByCharacter(fill),
      placeholder
    })),
    ...[0, 1, 2].map((offset) => ({
      units: [...base64Core(bytes, offset)].map(base64Digit),
      fill: fillByCharacter(base64Core(base64Fill, offset)),
      placeholder
    })),
    ...WIDE.filter(({ isBigEndian }) => isBigEndian || bytes.length !== secret.length)
      .map((encoding) => inWide(characters, placeholder, encoding))
  ]
}
