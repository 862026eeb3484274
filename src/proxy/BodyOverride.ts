/**
 * Finds the parameter `_method` in the body of a request, by which Rails, Laravel, Symfony and others let forms and JSON override the
 * method. The body is searched as it arrives: a server obeys the parameter only when it has read the whole body.
 */
import { fieldOf } from "../http/HeaderFields.ts"

/** Longer than every spelling of the parameter with what surrounds it. */
const OVERLAP = 256

const METHOD = [..."method"]
const either = (letter: string, prefix: string): string =>
  `(?:${letter}|${prefix}${letter.charCodeAt(0).toString(16)}|${prefix}${
    letter.toUpperCase().charCodeAt(0).toString(16)
  })`
const inForm = METHOD.map((letter) => either(letter, "%")).join("")
const inJson = METHOD.map((letter) => either(letter, "\\\\u00")).join("")

/** PHP reads a dot and a bracket in the name of a parameter as an underscore. */
const FORM = RegExp(`[&;](?:[_.[]|%5f|%2e|%5b)${inForm}(?:[=[]|%5b|%00)`, "i")
const JSON_MEMBER = RegExp(`"(?:_|\\\\u005f)${inJson}"`, "i")
const MULTIPART = /name\*? ?= ?(?:[\w-]*'[\w-]*')?["']?(?:[_.[]|\\_|%5f)method(?![\w-])/i

/** Rack reads a body without a type as a form. */
const mayBeForm = (type: string): boolean => type === "" || /x-www-form-urlencoded/i.test(type)

/**
 * Returns a function that is called with each part of the body, and returns whether the parameter was found. Undefined if servers do not
 * look for it.
 */
export const bodyOverride = (
  method: string,
  headers: ReadonlyArray<string>
): ((part: Buffer) => boolean) | undefined => {
  if (method !== "POST") return undefined
  const type = fieldOf(headers, "content-type") ?? ""
  const isMultipart = /multipart\//i.test(type)
  const patterns = [
    ...(mayBeForm(type) ? [FORM] : []),
    ...(/json/i.test(type) ? [JSON_MEMBER] : []),
    ...(isMultipart ? [MULTIPART] : [])
  ]
  if (patterns.length === 0) return undefined
  // The first parameter of a form.
  let before = "&"
  return (part) => {
    const joined = before + part.toString("latin1")
    const text = isMultipart ? joined.replaceAll(/\s+/g, " ") : joined
    before = text.slice(-OVERLAP)
    return patterns.some((pattern) => pattern.test(text))
  }
}
