/**
 * Finds the parameter in the body of a request by which forms and JSON override the method: `_method` for Rails, Laravel, Symfony and
 * others, and `method` for some hosts. The body is searched as it arrives: a server obeys the parameter only when it has read the
 * whole body.
 */
import { obeysMethodParameter } from "../domain/rules/RuleSet.ts"
import { fieldOf } from "../http/HeaderFields.ts"
import { codingsOf, wholeContent } from "../http/scrub/ContentCodings.ts"
import type { Authority } from "../outbound/Authority.ts"

/** The parts of a request that tell how servers read its body. */
export interface OverridableRequest {
  readonly method: string
  readonly headers: ReadonlyArray<string>
  readonly authority: Authority
}

/** Longer than every spelling of the parameter with what surrounds it. */
const OVERLAP = 256

const spelled = (word: string, prefix: string): string =>
  [...word].map((letter) =>
    `(?:${letter}|${prefix}${letter.charCodeAt(0).toString(16)}|${prefix}${
      letter.toUpperCase().charCodeAt(0).toString(16)
    })`
  ).join("")

/**
 * The patterns of a parameter name. `underscored`: the part of the name before `method`, for an underscore in this spelling. PHP reads a
 * dot and a bracket in the name of a parameter as an underscore. Rack 2 and qs ignore brackets before the name.
 */
const patternsOf = (underscored: (underscore: string, prefix: string) => string) => ({
  form: RegExp(
    `[&;]\\[?${underscored("(?:[_.[]|%5f|%2e)", "%")}${spelled("method", "%")}(?:[=[]|%00)`,
    "i"
  ),
  json: RegExp(`"${underscored("(?:_|\\\\u005f)", "\\\\u00")}${spelled("method", "\\\\u00")}"`, "i"),
  multipart: RegExp(
    `name\\*? ?= ?(?:[\\w-]*'[\\w-]*')?["']? ?\\[? ?${underscored("(?:[_.[]|%5f)", "%")}${
      spelled("method", "%")
    }(?![\\w-])`,
    "i"
  )
})

const EVERYWHERE = patternsOf((underscore) => underscore)
const WITH_METHOD_PARAMETER = patternsOf((underscore, prefix) => `(?:(?:${spelled("opt", prefix)})?${underscore})?`)

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
const searchesFor = ({ authority: { host }, headers, method }: OverridableRequest): ReadonlyArray<Search> => {
  if (method !== "POST") return []
  const type = fieldOf(headers, "content-type") ?? ""
  const { form, json, multipart } = obeysMethodParameter(host) ? WITH_METHOD_PARAMETER : EVERYWHERE
  return [
    ...(type === "" || /x-www-form-urlencoded/i.test(type) ? [{ pattern: form, plain: plainForm }] : []),
    ...(/json/i.test(type) ? [{ pattern: json, plain: same }] : []),
    ...(/multipart\//i.test(type) ? [{ pattern: multipart, plain: plainMultipart }] : [])
  ]
}

/**
 * Returns a function that is called with each part of the body, and returns whether the parameter was found. Undefined if servers do not
 * look for it.
 */
export const bodyOverride = (request: OverridableRequest): ((part: Buffer) => boolean) | undefined => {
  const searches = searchesFor(request)
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
export const bodyCoding = (request: OverridableRequest): string | undefined => {
  const { headers } = request
  if (searchesFor(request).length === 0) return undefined
  const type = fieldOf(headers, "content-type") ?? ""
  const charsets = [...type.matchAll(/charset\*?\s*=\s*["']?([^\s"';,]*)/gi)].map(([, charset]) => charset!)
  if (!charsets.every((charset) => IN_ASCII.test(charset))) return "unknown"
  const coding = fieldOf(headers, "content-encoding")
  return coding === undefined || /^[\s,]*(?:identity[\s,]*)*$/i.test(coding) ? undefined : coding
}

/** Whether an encoded body overrides the method. Undefined if it cannot be decoded, or is longer than 1 MiB then. */
export const encodedOverride = (
  request: OverridableRequest,
  coding: string,
  content: Buffer
): boolean | undefined => {
  const codings = codingsOf(coding)
  try {
    const decoded = codings === undefined || codings.length === 0 ? undefined : wholeContent(codings, content)
    return decoded && bodyOverride(request)?.(decoded)
  } catch {
    return undefined
  }
}
