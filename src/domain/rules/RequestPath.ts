/**
 * Reads the path of a request in every way in which a server may read it.
 *
 * Servers disagree about dot segments, path parameters and repeated slashes, and about what to decode and how often. A path that
 * they could read in ways that are not listed here has no readings, so rules refuse it.
 */
import { uriDecoded } from "../text/PercentEncoding.ts"

/** The segments of a path, decoded once. The path `/` has none; a slash at the end is not significant. */
export type Segments = ReadonlyArray<string>

/**
 * The readings of one path. `split` is present if the path contains an encoded slash, which some servers treat as a
 * separator; `cut` and `splitCut` if it contains `%3F` or `%23`, where servers that decode first end the path.
 */
export interface PathReadings {
  readonly whole: Segments
  readonly split?: Segments
  readonly cut?: Segments
  readonly splitCut?: Segments
}

export const allReadings = ({ cut, split, splitCut, whole }: PathReadings): ReadonlyArray<Segments> =>
  [whole, split, cut, splitCut].filter((segments) => segments !== undefined)

export const MAX_PATH = 8192

/** Paths that every server reads alike: nothing to decode, no empty segment, none in parentheses and none that ends with a dot. */
const PLAIN = /^(?:\/(?!\()(?:[A-Za-z0-9._~!$&'()*+,=:@-]*[A-Za-z0-9_~!$&'()*+,=:@-]))*\/?$/

// A backslash is a separator on Windows, and a semicolon begins parameters that some servers remove before dot segments.
const REFUSED_RAW = /[^\x21-\x7e]|[\\;?#]/
/**
 * Control characters, separators and what Windows maps to them, NTFS streams, and text that a server which decodes twice would
 * decode again.
 */
const REFUSED_DECODED = /[\p{Cc}\u2028\u2029\\;\u2044\u2215\u2216\u29f5\u29f8]|::\$|%(?:[0-9a-f]{2}|u[0-9a-f]{4})/iu

const SPECIAL = /[/\\.;%?#]/g

const specialsOf = (text: string): string => text.match(SPECIAL)?.join("") ?? ""

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Whether no server drops a part of the segment: Windows ignores dots and spaces at the end of a name, and some servers remove
 * invisible characters. ASP.NET removes a segment such as `(S(x))`, which holds the ID of a session without cookies. Neither an
 * empty segment nor `.` or `..` passes.
 */
const isPlainSegment = (segment: string): boolean => {
  const visible = segment.replace(INVISIBLE, "")
  return /^\S(?:.*[^\s.])?$/su.test(visible) && visible !== "." && !/^\(.*\)$/s.test(visible)
}

const withoutEmptyEnd = (parts: ReadonlyArray<string>): Segments =>
  parts[parts.length - 1] === "" ? parts.slice(0, -1) : parts

const segmentsIn = (parts: ReadonlyArray<string>): Segments | undefined => {
  const segments = withoutEmptyEnd(parts)
  return segments.every(isPlainSegment) ? segments : undefined
}

const cutParts = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = parts.findIndex((part) => /[?#]/.test(part))
  return [...parts.slice(0, at), parts[at]!.replace(/[?#].*$/su, "")]
}

/** Reads a path without query. Returns undefined if servers could read it in other ways than those returned. */
export const readingsOf = (path: string): PathReadings | undefined => {
  if (path.length > MAX_PATH || path.charCodeAt(0) !== 47) return undefined
  if (PLAIN.test(path) && !path.includes("::$")) return { whole: withoutEmptyEnd(path.slice(1).split("/")) }
  if (REFUSED_RAW.test(path)) return undefined
  // Also undefined for the overlong form `%C0%AE` of a dot.
  const text = uriDecoded(path)
  if (text === undefined || REFUSED_DECODED.test(text)) return undefined
  // Compatibility forms, such as a full-width slash, become separators in servers that normalize text.
  if (specialsOf(text.normalize("NFKC")) !== specialsOf(text)) return undefined
  const rawParts = path.slice(1).split("/").map((part) => uriDecoded(part)!)
  const parts = text.slice(1).split("/")
  const isSplit = parts.length !== rawParts.length
  const isCut = /[?#]/.test(text)
  const readings = {
    whole: segmentsIn(rawParts),
    ...(isSplit ? { split: segmentsIn(parts) } : {}),
    ...(isCut ? { cut: segmentsIn(cutParts(rawParts)) } : {}),
    ...(isSplit && isCut ? { splitCut: segmentsIn(cutParts(parts)) } : {})
  }
  return Object.values(readings).includes(undefined) ? undefined : readings as PathReadings
}

/**
 * Encodes segments as a path that is read as these segments. Also encodes what a shell may obey between quotation marks, because a
 * program in a run may choose the path, and a user may paste it.
 */
export const formatSegments = (segments: Segments): string =>
  "/" +
  segments.map((segment) =>
    encodeURIComponent(segment).replace(/%(?:26|2B|2C|3A|3D|40)/g, (code) => decodeURIComponent(code))
      .replace(/[!']/g, (character) => character === "!" ? "%21" : "%27")
  ).join("/")

/**
 * Maps segments that servers may treat as equal to one text: letters of either case, compatibility forms, characters that are
 * not visible, and a plus sign, which Amazon S3 reads as a space.
 */
export const folded = (segment: string): string =>
  (/^[\x20-\x7e]*$/.test(segment)
    ? segment.toLowerCase()
    : segment.normalize("NFKC").replace(INVISIBLE, "").toUpperCase().toLowerCase().normalize("NFKC")).replaceAll(
      "+",
      " "
    )
