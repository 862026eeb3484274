/**
 * Finds the parameter `_method` in the body of a request, by which Rails, Laravel, Symfony and others let forms and JSON override the
 * method. The body is searched as it arrives: a server obeys the parameter only when it has read the whole body.
 */
import { fieldOf } from "../http/HeaderFields.ts"
import { codingsOf, wholeContent } from "../http/scrub/ContentCodings.ts"

/** Longer than every spelling of the parameter with what surrounds it. */
const OVERLAP = 256

const METHOD = [..."method"]
const either = (letter: string, prefix: string): string =>
  `(?:${letter}|${prefix}${letter.charCodeAt(0).toString(16)}|${prefix}${
    letter.toUpperCase().charCodeAt(0).toString(16)
  })`
const inForm = METHOD.map((letter) => either(letter, "%")).join("")
const inJson = METHOD.map((letter) => either(letter, "\\\\u00")).join("")

/** PHP reads a dot and a bracket in the name of a parameter as an underscore. Rack 2 and qs ignore brackets before the name. */
const FORM = RegExp(`[&;]\\[?(?:[_.[]|%5f|%2e)${inForm}(?:[=[]|%00)`, "i")
const JSON_MEMBER = RegExp(`"(?:_|\\\\u005f)${inJson}"`, "i")
const MULTIPART = RegExp(`name\\*? ?= ?(?:[\\w-]*'[\\w-]*')?["']? ?\\[? ?(?:[_.[]|%5f)${inForm}(?![\\w-])`, "i")

/** PHP removes spaces before a name, and Rack 2 closing brackets behind it. Their number is unlimited, unlike `OVERLAP`. */
const plainForm = (text: string): string =>
  text.replaceAll(/(?:[+\s\]]|%(?:20|5d))+/gi, "").replaceAll(/(?:\[|%5b)+/gi, "[")

/** Backslashes escape characters of a quoted name. */
const plainMultipart = (text: string): string =>
  text.replaceAll("\\", "").replaceAll(/\s+/g, " ").replaceAll(/[[\]]+/g, "[")

const same = (text: string): string => text

interface Search {
  readonly pattern: RegExp
  /** Removes what servers ignore. */
  readonly plain: (text: string) => string
}

/** Where servers look for the parameter. Rack reads a body without a type as a form. */
const searchesFor = (method: string, headers: ReadonlyArray<string>): ReadonlyArray<Search> => {
  if (method !== "POST") return []
  const type = fieldOf(headers, "content-type") ?? ""
  return [
    ...(type === "" || /x-www-form-urlencoded/i.test(type) ? [{ pattern: FORM, plain: plainForm }] : []),
    ...(/json/i.test(type) ? [{ pattern: JSON_MEMBER, plain: same }] : []),
    ...(/multipart\//i.test(type) ? [{ pattern: MULTIPART, plain: plainMultipart }] : [])
  ]
}

/**
 * Returns a function that is called with each part of the body, and returns whether the parameter was found. Undefined if servers do not
 * look for it.
 */
export const bodyOverride = (
  method: string,
  headers: ReadonlyArray<string>
): ((part: Buffer) => boolean) | undefined => {
  const searches = searchesFor(method, headers)
  if (searches.length === 0) return undefined
  // The first parameter of a form.
  const before = searches.map(() => "&")
  return (part) =>
    searches
      .map(({ pattern, plain }, at) => {
        const text = plain(before[at]! + part.toString("latin1"))
        before[at] = text.slice(-OVERLAP)
        return pattern.test(text)
      })
      .includes(true)
}

const IN_ASCII = /^(?:utf-?8|us-ascii|iso-8859-\d+|windows-125\d)$/i

/**
 * The content codings of a body in which servers look for the parameter after decoding it: Express decodes bodies by default. A body in
 * a charset that does not contain ASCII has an unknown one.
 */
export const bodyCoding = (method: string, headers: ReadonlyArray<string>): string | undefined => {
  if (searchesFor(method, headers).length === 0) return undefined
  const type = fieldOf(headers, "content-type") ?? ""
  const charsets = [...type.matchAll(/charset\*?\s*=\s*["']?([^\s"';,]*)/gi)].map(([, charset]) => charset!)
  if (!charsets.every((charset) => IN_ASCII.test(charset))) return "unknown"
  const coding = fieldOf(headers, "content-encoding")
  return coding === undefined || /^[\s,]*(?:identity[\s,]*)*$/i.test(coding) ? undefined : coding
}

/** Whether an encoded body overrides the method. Undefined if it cannot be decoded, or is longer than 1 MiB then. */
export const encodedOverride = (
  method: string,
  headers: ReadonlyArray<string>,
  coding: string,
  content: Buffer
): boolean | undefined => {
  const codings = codingsOf(coding)
  try {
    const decoded = codings.length === 0 ? undefined : wholeContent(codings, content)
    return decoded && bodyOverride(method, headers)?.(decoded)
  } catch {
    return undefined
  }
}
