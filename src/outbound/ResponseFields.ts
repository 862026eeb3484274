/** Removes secrets of the request from the head and the trailer section of a response. */
import { PLACEHOLDER } from "../domain/injection/Placeholder.ts"
import { fieldsThat, type HeaderPairs } from "../http/HeaderFields.ts"
import type { SecretSearch } from "../http/scrub/SecretSearch.ts"
import { HOP_BY_HOP, isTrailer, nominatedNames } from "./EndToEndFields.ts"

/** Removes percent-encoding, including that of unreserved characters and repeated encoding as in nested URLs. */
const percentDecoded = (text: string): string =>
  text.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/**
 * Replaces secrets in a part of a response head by the placeholder, and a part with an unusual spelling of a secret as a whole.
 */
export const withoutSecrets = (text: string, search: SecretSearch | undefined): string => {
  if (search === undefined) return text
  const replaced = search.replacedIn(text)
  return search.isIn(percentDecoded(replaced)) ? PLACEHOLDER : replaced
}

/**
 * The end-to-end header fields of a response as flat pairs. Secrets of the request are replaced by the placeholder, so that a
 * redirect discloses them neither to the client nor to another host. A field with an unusual spelling is replaced as a whole.
 */
export const responseHeaders = (
  raw: ReadonlyArray<string>,
  follows: "trailers" | "no trailers",
  search?: SecretSearch
): HeaderPairs => {
  const hop = nominatedNames(raw)
  const out = fieldsThat(
    raw,
    (name) => hop?.has(name) !== true && (!HOP_BY_HOP.has(name) || (follows === "trailers" && name === "trailer"))
  )
  const text = out.join("\n")
  // One search of all fields costs as much as a search of one.
  if (search === undefined || !(search.isIn(text) || search.isIn(percentDecoded(text)))) return out
  return out.map((field) => withoutSecrets(field, search))
}

/** The trailer section of a response, without fields that must not be in one and without secrets of the request. */
export const responseTrailers = (raw: ReadonlyArray<string>, search?: SecretSearch): HeaderPairs =>
  responseHeaders(fieldsThat(raw, isTrailer), "no trailers", search)
