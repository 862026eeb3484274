/** Checks what authorization servers send: sanitizes text, validates URLs, and reads the members of documents. */
import { isLoopbackLiteral } from "../platform/sockets/IpAddress.ts"
import type { Reach } from "./OAuthHttp.ts"

const MAX_DESCRIPTION = 256

/** The characters of `error`: the characters of a scope, and the space (RFC 6749 appendices A.7 and A.4). */
const errorCode = /^[\u0020-\u0021\u0023-\u005b\u005d-\u007e]{1,128}$/
const scopeToken = /^[\u0021\u0023-\u005b\u005d-\u007e]{1,256}$/

export const isErrorCode = (text: unknown): text is string => typeof text === "string" && errorCode.test(text)

export const isScope = (text: string): boolean => scopeToken.test(text)

/**
 * Returns one line of at most 256 characters, without control and direction characters, or undefined if nothing is
 * left.
 */
export const plainText = (text: unknown): string | undefined => {
  if (typeof text !== "string") return undefined
  const line = text.slice(0, 4 * MAX_DESCRIPTION).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  if (line === "") return undefined
  const characters = Array.from(line)
  return characters.length > MAX_DESCRIPTION ? `${characters.slice(0, MAX_DESCRIPTION - 1).join("")}…` : line
}

/** A document of an authorization server: metadata, a registration, tokens or a device code. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns a member, or undefined if it is absent. */
export const member = (document: JsonObject, name: string): unknown => presentValue(document[name])

/** Returns a value, or undefined for one that means "absent": some servers write an absent member as `null` or as an empty text. */
export const presentValue = (value: unknown): unknown => value === null || value === "" ? undefined : value

/** Returns a string of printable ASCII up to this length, or a number as text, or undefined for anything else. */
export const printableText = (value: unknown, max: number): string | undefined => {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" && text.length <= max && /^[\u0020-\u007e]+$/.test(text) ? text : undefined
}

/** Reads a number, which some servers write as a text. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  return typeof value === "string" && /^\d{1,15}(?:\.\d+)?$/.test(value) ? Number(value) : undefined
}

/** Returns up to 200 strings of printable ASCII without spaces from an array, or undefined if the value is not an array. */
export const nameList = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value)
    ? value.filter((item) => typeof item === "string" && /^[\u0021-\u007e]{1,256}$/.test(item)).slice(0, 200)
    : undefined

const MAX_LENGTH = 8192

/** Parses an https URL without userinfo or, if `reach` allows it, an http or https URL with a literal loopback address. */
export const safeLink = (text: unknown, reach: Reach): URL | undefined => {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !/^[\u0021-\u007e]+$/.test(text)) return undefined
  // The parser reads a backslash as a slash, and so could see a host where other parsers see none.
  if (!/^https?:\/\/[^/]/i.test(text) || text.includes("\\") || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return undefined
  if (isLoopbackLiteral(url.hostname)) return reach.allowLoopback && !reach.publicOnly ? url : undefined
  return url.protocol === "https:" ? url : undefined
}

/**
 * Reads an http address of another machine as https. Servers behind a TLS proxy often state their addresses with the
 * scheme of the connection from the proxy. Nothing is ever sent to the http address.
 */
export const asHttps = <A>(text: A): A | string =>
  typeof text !== "string" ? text : text.replace(
    /^http:(?=\/\/([^/?#:@]+)(?:[/?#]|$))/i,
    (scheme, host: string) => isLoopbackLiteral(host) ? scheme : "https:"
  )

/** Like `safeLink`, for URLs that requests are sent to: they must not have a fragment. */
export const safeUrl = (text: unknown, reach: Reach): URL | undefined => {
  const url = safeLink(text, reach)
  return url === undefined || url.href.includes("#") ? undefined : url
}
