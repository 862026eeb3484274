/**
 * Places values in the declared fields of a body or a WebSocket message, where the client has sent a placeholder. The value replaces the
 * whole content of the field, and no other byte changes. Content that servers could read in several ways is left unchanged.
 */
import { connectionsIn, holdsPlaceholder } from "../domain/injection/Placeholder.ts"
import { uriDecoded } from "../domain/text/PercentEncoding.ts"
import { withStrings } from "../domain/text/StrictJson.ts"
import { fieldOf, type HeaderPairs } from "../http/HeaderFields.ts"
import { decodedContent } from "../http/scrub/ContentCodings.ts"
import { withoutCoding } from "../http/scrub/ResponseContent.ts"
import { utf8Text } from "../platform/Utf8.ts"

/** The longest body that gets a value. */
export const MAX_FILLED_BODY = 64 * 1024

/** Values by JSON pointer, or by the name of a form field. */
export type BodyPlaces = ReadonlyMap<string, string>

type Kind = "json" | "form"

/** The kind of content that fields are found in; undefined for any other content. */
export const fillableKind = (headers: HeaderPairs): Kind | undefined => {
  const [type = "", ...parameters] = (fieldOf(headers, "content-type") ?? "").toLowerCase().split(";")
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return undefined
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type.trim())) return "json"
  return type.trim() === "application/x-www-form-urlencoded" ? "form" : undefined
}

interface Filled {
  readonly content: Buffer
  /** The connections whose placeholders the fields had. */
  readonly connections: ReadonlySet<string>
}

/** Returns the content with the values, or undefined if no place has a placeholder. */
export const withFilledFields = (
  kind: Kind,
  content: Buffer,
  places: BodyPlaces,
  exact: ReadonlyArray<string>
): Filled | undefined => {
  const connections = new Set<string>()
  const replaced = (place: string, given: string): string | undefined => {
    const value = places.get(place)
    if (value === undefined || !holdsPlaceholder(given, exact)) return undefined
    for (const name of connectionsIn(given)) connections.add(name)
    return value
  }
  const text = utf8Text(content)
  const changed = text && (kind === "json" ? withStrings(text, replaced) : withFields(text, replaced))
  return changed === undefined || changed === text ? undefined : { content: Buffer.from(changed), connections }
}

const decodedFormText = (text: string): string | undefined => uriDecoded(text.replaceAll("+", " "))

const withFields = (text: string, replaced: (name: string, value: string) => string | undefined): string =>
  text.split("&").map((pair) => {
    const at = pair.indexOf("=")
    const name = decodedFormText(pair.slice(0, Math.max(at, 0)))
    const given = decodedFormText(pair.slice(at + 1))
    // A pointer is a place in JSON only.
    if (at === -1 || name === undefined || given === undefined || name.startsWith("/")) return pair
    const value = replaced(name, given)
    return value === undefined ? pair : `${pair.slice(0, at)}=${encodeURIComponent(value.toWellFormed())}`
  }).join("&")

export interface FilledRequest extends Filled {
  readonly headers: HeaderPairs
}

/** Returns a request with the values in its body, or undefined if the body has no placeholder. Removes the content coding. */
export const filledRequest = (
  headers: HeaderPairs,
  content: Buffer,
  places: BodyPlaces,
  exact: ReadonlyArray<string>
): FilledRequest | undefined => {
  const kind = fillableKind(headers)
  const plain = kind && decodedContent(fieldOf(headers, "content-encoding"), content)
  const found = kind && plain && withFilledFields(kind, plain, places, exact)
  if (found === undefined) return undefined
  return { ...found, headers: [...withoutCoding(headers), "Content-Length", String(found.content.length)] }
}
