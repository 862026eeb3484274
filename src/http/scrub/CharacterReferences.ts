/** The character references of HTML and XML (HTML section 13.5): by number in decimal or hexadecimal, with leading zeros, or by name. */

/** The maximum number of digits of a number, including leading zeros. */
const MAX_DECIMAL_DIGITS = 7
const MAX_HEX_DIGITS = 6

const NAMES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "!": ["excl"],
  "\"": ["quot", "QUOT"],
  "#": ["num"],
  "$": ["dollar"],
  "%": ["percnt"],
  "&": ["amp", "AMP"],
  "'": ["apos"],
  "(": ["lpar"],
  ")": ["rpar"],
  "*": ["ast", "midast"],
  "+": ["plus"],
  ",": ["comma"],
  ".": ["period"],
  "/": ["sol"],
  ":": ["colon"],
  ";": ["semi"],
  "<": ["lt", "LT"],
  "=": ["equals"],
  ">": ["gt", "GT"],
  "?": ["quest"],
  "@": ["commat"],
  "[": ["lsqb", "lbrack"],
  "\\": ["bsol"],
  "]": ["rsqb", "rbrack"],
  "^": ["Hat"],
  "_": ["lowbar", "UnderBar"],
  "`": ["grave", "DiacriticalGrave"],
  "{": ["lcub", "lbrace"],
  "|": ["verbar", "vert", "VerticalLine"],
  "}": ["rcub", "rbrace"]
}

/** The names of U+00A0 to U+00FF, in their order. */
const LATIN1_NAMES = (
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil " +
  "sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute " +
  "Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc " +
  "atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide " +
  "oslash ugrave uacute ucirc uuml yacute thorn yuml"
).split(" ")

const namesOf = (character: string): ReadonlyArray<string> => {
  const latin1 = LATIN1_NAMES[character.codePointAt(0)! - 0xa0]
  return NAMES[character] ?? (latin1 === undefined ? [] : [latin1])
}

const withZeros = (digits: string, most: number): ReadonlyArray<string> =>
  Array.from({ length: Math.max(1, most - digits.length + 1) }, (_, zeros) => "0".repeat(zeros) + digits)

export const referencesTo = (character: string): ReadonlyArray<string> => {
  const code = character.codePointAt(0)!
  const hex = code.toString(16)
  return [
    ...withZeros(String(code), MAX_DECIMAL_DIGITS).map((digits) => `#${digits}`),
    ...[hex, hex.toUpperCase()].flatMap((digits) => withZeros(digits, MAX_HEX_DIGITS)).flatMap((digits) => [
      `#x${digits}`,
      `#X${digits}`
    ]),
    ...namesOf(character)
  ].map((reference) => `&${reference};`)
}

const digitsOf = (most: number): ReadonlyArray<number> => Array.from({ length: most }, (_, at) => at + 1)

/**
 * The ways to write all characters of a text by number: in decimal or hexadecimal, each with the same minimum number of digits.
 */
export const numericReferences: ReadonlyArray<(character: string) => ReadonlyArray<string>> = [
  ...digitsOf(MAX_DECIMAL_DIGITS).map((digits) => (character: string) => [
    `&#${String(character.codePointAt(0)).padStart(digits, "0")};`
  ]),
  ...digitsOf(MAX_HEX_DIGITS).map((digits) => (character: string) => {
    const hex = character.codePointAt(0)!.toString(16).padStart(digits, "0")
    return [hex, hex.toUpperCase()].flatMap((code) => [`&#x${code};`, `&#X${code};`])
  })
]

/** The references that encoders commonly write. */
export const usualReferencesTo = (character: string): ReadonlyArray<string> => {
  const code = character.codePointAt(0)!
  const hex = code.toString(16).padStart(2, "0")
  return [
    `&#x${hex};`,
    `&#x${hex.toUpperCase()};`,
    `&#${code};`,
    `&#${String(code).padStart(3, "0")};`,
    ...("&<>\"'".includes(character) ? [`&${NAMES[character]![0]};`] : [])
  ]
}
