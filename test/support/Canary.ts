/** A secret in all encodings in which a response may repeat it, and a check of what a client received. */
import { builtins } from "../../src/platform/builtins.ts"

/** A secret as long as a real key, with characters that encoders treat differently. */
export const CANARY = "sk-canary_7Qx/2vL+9dR~Zt4=Wm0.bN"

const hex = (values: ReadonlyArray<number>, prefix: string, digits: number, upper: boolean) =>
  values.map((value) => {
    const code = value.toString(16).padStart(digits, "0")
    return prefix + (upper ? code.toUpperCase() : code)
  }).join("")

const base64 = (text: string) => Buffer.from(text).toString("base64")

const swapped = (bytes: Buffer, size: number): Buffer => {
  const out = Buffer.from(bytes)
  return size === 2 ? out.swap16() : out.swap32()
}

const utf32 = (text: string): Buffer => {
  const codes = Array.from(text, (character) => character.codePointAt(0)!)
  const out = Buffer.alloc(codes.length * 4)
  for (const [at, code] of codes.entries()) out.writeUInt32LE(code, at * 4)
  return out
}

/** A text in UTF-16 and UTF-32, in both byte orders, without and with a byte order mark. */
const inWide = (text: string): ReadonlyArray<string> =>
  ["", "\ufeff"].flatMap((mark) => {
    const utf16 = Buffer.from(mark + text, "utf16le")
    return [utf16, swapped(utf16, 2), utf32(mark + text), swapped(utf32(mark + text), 4)].map((bytes) =>
      bytes.toString("latin1")
    )
  })

/** Named character references of HTML. */
const NAMES: Readonly<Record<string, string>> = {
  "!": "excl",
  "&": "amp",
  "+": "plus",
  ".": "period",
  "/": "sol",
  "<": "lt",
  "=": "equals",
  ">": "gt",
  "_": "lowbar",
  "ä": "auml",
  "ö": "ouml"
}

/** Texts that disclose the secret, by encoding. */
export const encodingsOf = (secret: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const bytes = [...Buffer.from(secret)]
  const units = Array.from({ length: secret.length }, (_, at) => secret.charCodeAt(at))
  const offsets = ["", "a", "ab"].map((before) => base64(`${before}${secret}`))
  return {
    raw: [secret],
    header: [`Bearer ${secret}`, `Basic ${base64(`user:${secret}`)}`],
    base64: offsets,
    base64url: offsets.map((text) => text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")),
    hex: [false, true].map((upper) => hex(bytes, "", 2, upper)),
    percent: [
      encodeURIComponent(secret),
      encodeURIComponent(encodeURIComponent(secret)),
      encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
      ...[false, true].map((upper) => hex(bytes, "%", 2, upper))
    ],
    json: [JSON.stringify(secret), JSON.stringify(secret).replaceAll("/", "\\/")],
    unicode: [
      ...[false, true].map((upper) => hex(units, "\\u", 4, upper)),
      secret.replaceAll(/[^A-Za-z0-9]/g, (character) => hex([character.charCodeAt(0)], "\\u", 4, true))
    ],
    html: [
      secret.replaceAll(/[^A-Za-z0-9]/gu, (character) => `&#${character.codePointAt(0)};`),
      ...[false, true].map((upper) =>
        secret.replaceAll(/[^A-Za-z0-9]/gu, (character) => `&#x${hex([character.codePointAt(0)!], "", 2, upper)};`)
      ),
      secret.replaceAll("/", "&#047;")
    ],
    references: [
      ...[5, 7].map((digits) =>
        secret.replaceAll(
          /[^A-Za-z0-9]/gu,
          (character) => `&#${String(character.codePointAt(0)).padStart(digits, "0")};`
        )
      ),
      ...[4, 6].map((digits) =>
        secret.replaceAll(/[^A-Za-z0-9]/gu, (character) => `&#X${hex([character.codePointAt(0)!], "", digits, true)};`)
      ),
      secret.replaceAll(
        /[^A-Za-z0-9]/gu,
        (character) => NAMES[character] === undefined ? character : `&${NAMES[character]};`
      ),
      Array.from(secret, (character) => `&#${character.codePointAt(0)};`).join(""),
      ...[2, 4, 6].map((digits) =>
        Array.from(secret, (character) => `&#x${hex([character.codePointAt(0)!], "", digits, digits === 4)};`).join("")
      ),
      ...[4, 5, 7].map((digits) =>
        Array.from(secret, (character) => `&#${String(character.codePointAt(0)).padStart(digits, "0")};`).join("")
      )
    ],
    nested: [
      JSON.stringify(JSON.stringify(secret).replaceAll("/", "\\/")),
      JSON.stringify(JSON.stringify(secret).replaceAll("/", "\\/")).replaceAll("/", "\\/"),
      secret.replaceAll(/[^A-Za-z0-9]/g, (character) => hex([character.charCodeAt(0)], "\\\\u", 4, false))
    ],
    wide: inWide(secret),
    "wide and escaped": [
      ...inWide(secret.replaceAll("/", "\\/")),
      ...inWide(secret.replaceAll("=", "\\u003d")),
      ...inWide(secret.replaceAll("+", "&#43;")),
      ...inWide(secret.replaceAll("&", "&amp;")),
      ...inWide(secret.replaceAll(/[^A-Za-z0-9]/g, (character) => hex([character.charCodeAt(0)], "\\u", 4, false)))
    ]
  }
}

const decoders: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => text.replaceAll(/%25/g, "%").replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => hexText(code)),
  (text) => text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => hexText(code)).replaceAll("\\/", "/"),
  (text) => text.replaceAll(/\\\\u/g, "\\u").replaceAll(/\\+\//g, "/"),
  (text) => text.replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) => hexText(code)),
  (text) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))),
  (text) => text.replaceAll(/&(\w+);/g, (whole, name: string) => BY_NAME.get(name) ?? whole),
  (text) => text.replaceAll("\0", ""),
  (text) => text.replaceAll("\0", "").replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))),
  (text) =>
    text.replaceAll("\0", "").replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => hexText(code)).replaceAll(
      "\\/",
      "/"
    ),
  ...["utf-16le", "utf-16be"].flatMap((encoding) =>
    [0, 1].map((at) => (text: string) => new TextDecoder(encoding).decode(Buffer.from(text, "latin1").subarray(at)))
  ),
  (text) => text.replaceAll(/(?:[0-9a-f]{2}){8,}/gi, (digits) => Buffer.from(digits, "hex").toString("latin1"))
]

const hexText = (code: string) => String.fromCodePoint(Number.parseInt(code, 16))
const BY_NAME = new Map(Object.entries(NAMES).map(([character, name]) => [name, character]))

const inBase64 = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/[\w+/-]{10,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((at) => Buffer.from(run.slice(at), "base64").toString("latin1"))
  )

/** Whether a client can read the secret in these bytes. Decodes them, so that it does not depend on how the secret is searched for. */
export const discloses = (received: Buffer | string, secret: string): boolean => {
  const text = typeof received === "string" ? received : received.toString("latin1")
  const known = Object.values(encodingsOf(secret)).flat()
  if (known.some((encoded) => text.includes(encoded))) return true
  return [...decoders.map((decode) => decode(text)), ...inBase64(text)].some((decoded) => decoded.includes(secret))
}

const WORDS = [
  "the ",
  "quick ",
  "brown ",
  "{\"id\":42,",
  "\"url\":\"https://api.example.com/v1/items/",
  "s",
  "sk-",
  "%7",
  "\\u00"
]

/** A body of this size with the secret in one encoding at its beginning, in the middle and at its end. */
export const bodyWith = (encoded: ReadonlyArray<string>, size: number): Buffer => {
  const [first = "", second = first, third = second] = encoded
  let filler = ""
  for (let i = 0; filler.length < size; i = (i * 7 + 3) % 1009) filler += WORDS[i % WORDS.length]
  const middle = Math.floor(size / 2)
  const between = (from: number, to: number, before: string) => filler.slice(from + before.length, to)
  return Buffer.from(
    first + between(0, middle, first) + second + between(middle, size - third.length, second) + third,
    "latin1"
  )
}

export const compressions: Readonly<
  Record<string, { readonly encode: (body: Buffer) => Buffer; readonly decode: (body: Buffer) => Buffer }>
> = {
  gzip: {
    encode: (body) => builtins.zlib.gzipSync(body, { level: 1 }),
    decode: (body) => builtins.zlib.gunzipSync(body)
  },
  deflate: {
    encode: (body) => builtins.zlib.deflateSync(body, { level: 1 }),
    decode: (body) => builtins.zlib.inflateSync(body)
  },
  br: {
    encode: (body) =>
      builtins.zlib.brotliCompressSync(body, { params: { [builtins.zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
    decode: (body) => builtins.zlib.brotliDecompressSync(body)
  },
  zstd: {
    encode: (body) => builtins.zlib.zstdCompressSync(body),
    decode: (body) => builtins.zlib.zstdDecompressSync(body)
  }
}
