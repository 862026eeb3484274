/**
 * Computes the request head for the upstream from the client's request and the resolved credential.
 *
 * Field names are compared in lower case on the raw list, so duplicates and unusual spellings are removed too. Fields
 * named in `Connection` are removed before the credential is set, so a client cannot make the next hop remove the
 * credential.
 */
import * as Redacted from "effect/Redacted"
import { connectionsIn, holdsPlaceholder, PLACEHOLDER } from "../domain/Placeholder.ts"
import type { Placements } from "../domain/Resolve.ts"
import { pathOf } from "../domain/Route.ts"
import { type HeaderPairs, isFieldName, isFieldValue } from "../http/HeaderFields.ts"
import { filledPath, type PathPlace, pathPlace, shownPath, valuesOf, withoutPlaces } from "./PathInjection.ts"
import { UrlSecret } from "./UrlSecret.ts"

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  // Chooses the connection for a request, and is for the proxy only.
  "credsvc-connection",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Fields for framing, routing or authentication, which are not allowed in a trailer section (RFC 9110 section 6.5.1). */
const HEAD_ONLY: ReadonlySet<string> = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "cookie",
  "host",
  "set-cookie"
])

/** One resolved credential in the form that is applied to requests. Exists as long as the requests that share it. */
export interface Injection {
  readonly remove: ReadonlySet<string>
  readonly set: ReadonlyArray<string>
  readonly defaults: ReadonlyArray<readonly [lower: string, name: string, value: string]>
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly removeQuery: ReadonlySet<string>
  readonly path: ReadonlyArray<PathPlace>
  /** The placeholders that do not contain the usual marker. */
  readonly placeholders: ReadonlyArray<string>
  /**
   * The fields that contain the credential, by their lower-case HTTP/2 names: header compression must not index them.
   */
  readonly secret: ReadonlyArray<string>
  /** The secrets in the request's URL, which servers repeat in redirects and links. */
  readonly repeatable: ReadonlyArray<UrlSecret>
  /** The secret values in the request, which the response must not disclose. */
  readonly values: ReadonlyArray<string>
}

/** The stored credential contains characters that a header field cannot carry. The message does not quote it. */
export class UnusableCredentialError extends Error {
  constructor(name: string) {
    super(`the stored credential cannot be sent in ${name}: it contains a character that HTTP does not allow there`)
  }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const NOT_IN_URL: Pick<Injection, "query" | "path" | "repeatable"> = { query: [], path: [], repeatable: [] }

const inUrl = (
  query: Placements["query"],
  templates: NonNullable<Placements["path"]>
): typeof NOT_IN_URL => {
  const parameters = Object.entries(query).map(([name, secret]) => [name, Redacted.value(secret)] as const)
  // Longer templates first, because `/a/{id}.json` also matches `/a/{id}`.
  const path = Object.entries(templates).toSorted(([left], [right]) => right.length - left.length)
    .map(([template, secret]) => pathPlace(template, Redacted.value(secret)))
  if (parameters.length === 0 && path.length === 0) return NOT_IN_URL
  // Shorter values occur in header fields by coincidence.
  const values = new Set([...parameters.map(([, value]) => value), ...path.flatMap(valuesOf).map(decoded)])
  const repeatable = [...values].filter((value) => value.length >= 8).map((value) => new UrlSecret(value))
  return { query: parameters, path, repeatable }
}

/** The secrets of a credential. A daemon that does not tell which values are secret may have sent nothing else. */
const secretsOf = ({ headers, path = {}, query, secrets }: Placements): ReadonlyArray<string> => {
  if (secrets !== undefined) return secrets.map((secret) => Redacted.value(secret))
  const fields = Object.values(headers).map((value) => Redacted.value(value))
  const segments = Object.entries(path).flatMap(([template, value]) =>
    valuesOf(pathPlace(template, Redacted.value(value))).map(decoded)
  )
  return [
    ...fields.map((value) => value.replace(/^\S+ +(?=\S)/, "")),
    ...Object.values(query).map((value) => Redacted.value(value)),
    ...segments
  ]
}

/** Prepares a resolved credential. Throws an `UnusableCredentialError`. */
export const prepare = (credential: Placements): Injection => {
  const remove = new Set<string>()
  const removeQuery = new Set<string>()
  const set: Array<string> = []
  // Defaults are treated as secret too, because any of them may contain the credential.
  const secret: Array<string> = []
  for (const name in credential.headers) {
    const value = Redacted.value(credential.headers[name]!)
    const lower = name.toLowerCase()
    if (!isFieldName(name) || HOP_BY_HOP.has(lower) || !isFieldValue(value)) {
      throw new UnusableCredentialError(`the header ${isFieldName(name) ? name : "it names"}`)
    }
    remove.add(lower)
    secret.push(lower)
    set.push(name, value)
  }
  for (const name of credential.strip.headers) remove.add(name.toLowerCase())
  for (const name of credential.strip.query) removeQuery.add(name.toLowerCase())
  for (const name in credential.query) removeQuery.add(name.toLowerCase())
  const defaults: Array<readonly [string, string, string]> = []
  for (const name in credential.defaults) {
    const value = Redacted.value(credential.defaults[name]!)
    const lower = name.toLowerCase()
    secret.push(lower)
    if (isFieldName(name) && isFieldValue(value)) defaults.push([lower, name, value])
  }
  const { path, query, repeatable } = inUrl(credential.query, credential.path ?? {})
  if (query.length > 0 || path.length > 0) secret.push(":path")
  const placeholders = credential.strip.placeholders ?? []
  const values = secretsOf(credential)
  return { remove, set, defaults, query, removeQuery, path, placeholders, secret, repeatable, values }
}

/** The lower-case names that `Connection` lists. */
const nominated = (raw: ReadonlyArray<string>): ReadonlySet<string> | undefined => {
  let names: Set<string> | undefined
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    if (name.length !== 10 || name.toLowerCase() !== "connection") continue
    const value = raw[i + 1] ?? ""
    const lower = value.toLowerCase()
    if (lower === "keep-alive" || lower === "close") continue
    names ??= new Set()
    for (const token of lower.split(",")) names.add(token.trim())
  }
  // `Connection` must not remove fields for framing or routing.
  names?.delete("host")
  names?.delete("content-length")
  return names
}

const NO_PLACEHOLDERS: ReadonlyArray<string> = []

const fieldHoldsPlaceholder = (name: string, value: string, exact: ReadonlyArray<string>): boolean => {
  if (holdsPlaceholder(value, exact)) return true
  if (name !== "authorization" || value.length < 8 || !/^basic /i.test(value)) return false
  return holdsPlaceholder(Buffer.from(value.slice(6), "base64").toString("latin1"), exact)
}

/** The connections that the placeholders of a request name, each once. */
export const namedConnections = (headers: ReadonlyArray<string>, target: string): ReadonlyArray<string> => {
  const names = new Set<string>()
  const add = (text: string): void => connectionsIn(text).forEach((name) => names.add(name))
  for (let i = 1; i < headers.length; i += 2) {
    const value = headers[i]!
    if (value.length > 8 && /^basic /i.test(value)) add(Buffer.from(value.slice(6), "base64").toString("latin1"))
    else add(value)
  }
  add(target.includes("%40") ? target.replaceAll("%40", "@") : target)
  return [...names]
}

/** Removes a key from a list of WebSocket subprotocols, where browsers and some SDKs send it. The server selects another one. */
const withoutPlaceholder = (offered: string, exact: ReadonlyArray<string>): string =>
  offered.split(",").map((item) => item.trim()).filter((item) => !holdsPlaceholder(item, exact)).join(", ")

/**
 * The end-to-end header fields of a request as flat pairs, with the credential. Fields with the placeholder are removed, never
 * filled with the secret: servers echo fields such as `X-Request-Id`, where a client could then read it.
 */
export const requestHeaders = (
  raw: ReadonlyArray<string>,
  host: string,
  injection: Injection | undefined
): HeaderPairs => {
  const hop = nominated(raw)
  const out: HeaderPairs = ["Host", host]
  let seen: Set<string> | undefined
  const defaults = injection?.defaults
  const exact = injection?.placeholders ?? NO_PLACEHOLDERS
  if (defaults !== undefined && defaults.length > 0) seen = new Set()
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    const lower = name.toLowerCase()
    if (lower === "host" || HOP_BY_HOP.has(lower) || hop?.has(lower) === true) continue
    if (injection?.remove.has(lower) === true) continue
    const value = raw[i + 1] ?? ""
    if (fieldHoldsPlaceholder(lower, value, exact)) {
      const rest = lower === "sec-websocket-protocol" ? withoutPlaceholder(value, exact) : ""
      if (rest !== "") out.push(name, rest)
      continue
    }
    seen?.add(lower)
    out.push(name, value)
  }
  if (injection !== undefined) {
    for (const [lower, name, value] of injection.defaults) {
      if (seen?.has(lower) !== true && !injection.remove.has(lower)) out.push(name, value)
    }
    for (const text of injection.set) out.push(text)
  }
  return out
}

/** The trailer section of a request, without credentials and fields that must not be in one (RFC 9110 section 6.5.1). */
export const requestTrailers = (raw: ReadonlyArray<string>, injection: Injection | undefined): HeaderPairs =>
  trailers(raw).filter((_, i, pairs) => {
    const at = i - i % 2
    const name = (pairs[at] ?? "").toLowerCase()
    return injection?.remove.has(name) !== true &&
      !fieldHoldsPlaceholder(name, pairs[at + 1] ?? "", injection?.placeholders ?? NO_PLACEHOLDERS)
  })

/** Path and query with the credential. Parameters with the placeholder are removed: servers repeat them in links. */
export const requestTarget = (target: string, injection: Injection | undefined): string => {
  if (injection === undefined) return target
  const at = target.indexOf("?")
  if (injection.path.length === 0) return withQuery(target, at, injection)
  const path = filledPath(at === -1 ? target : target.slice(0, at), injection.path, injection.placeholders)
  return withQuery(at === -1 ? path : path + target.slice(at), at === -1 ? -1 : path.length, injection)
}

/** A path up to this length has no segment as long as a token. */
const SHORT_PATH = 32

/** A segment as long as a token, unless it is a hexadecimal resource id. */
const tokenLike = /(?<=\/)(?![0-9a-f-]+(?:\/|$))([^/]{6})[^/]{26,}/gi

/** The path for logs, without query and credential. Webhook URLs contain secrets, so token-like segments are shortened. */
export const loggedPath = (target: string, injection: Injection): string => {
  const path = shownPath(pathOf(target), injection.path)
  return path.length <= SHORT_PATH ? path : path.replace(tokenLike, "$1...")
}

/** The marker has no characters that clients encode. */
const queryHoldsPlaceholder = (text: string, exact: ReadonlyArray<string>): boolean =>
  exact.length === 0 ? text.includes(PLACEHOLDER) : holdsPlaceholder(decoded(text), exact)

const withQuery = (target: string, at: number, injection: Injection): string => {
  if (at === -1 && injection.query.length === 0) return target
  const exact = injection.placeholders
  if (at !== -1 && injection.removeQuery.size === 0 && !queryHoldsPlaceholder(target.slice(at), exact)) return target
  const kept: Array<string> = []
  for (const pair of at === -1 ? [] : target.slice(at + 1).split("&")) {
    const equals = pair.indexOf("=")
    const name = decoded((equals === -1 ? pair : pair.slice(0, equals)).replaceAll("+", " "))
    if (injection.removeQuery.has(name.toLowerCase())) continue
    if (!queryHoldsPlaceholder(pair, exact)) kept.push(pair)
  }
  for (const [name, value] of injection.query) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const path = at === -1 ? target : target.slice(0, at)
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`
}

/** Parameters in which clients send a credential, also where the definition has another place for it. */
const CREDENTIAL_PARAMETER = /(?:key|token|secret|password|auth|signature|credential|jwt)$|(?:^|[_-])id$|^x-amz-/i

/**
 * Path and query of a client's request without the places of a credential: those of the definition, and in requests other
 * than token requests parameters that are named like a credential, from which the proxy removes a placeholder.
 */
export const outsidePlaces = (target: string, { path, removeQuery }: Injection, isTokenRequest: boolean): string => {
  const [before = "", ...query] = target.split("?")
  const parameters = query.join("?").split("&").filter((pair) => {
    const name = decoded((pair.split("=", 1)[0] ?? "").replaceAll("+", " "))
    return !removeQuery.has(name.toLowerCase()) && (isTokenRequest || !CREDENTIAL_PARAMETER.test(name))
  })
  return `${withoutPlaces(before, path)}?${parameters.join("&")}`
}

/** Replaces something in the text of a header section. */
export interface Replacement {
  readonly replacedIn: (text: string) => string
}

export const withoutRepeated = (text: string, repeatable: ReadonlyArray<Replacement> = []): string => {
  let out = text
  for (const secret of repeatable) out = secret.replacedIn(out)
  return out
}

/**
 * The end-to-end header fields of a response as flat pairs. Secrets of the request are replaced by the placeholder, so that a
 * redirect discloses them neither to the client nor to another host.
 */
export const responseHeaders = (
  raw: ReadonlyArray<string>,
  canSendTrailers: boolean,
  repeatable: ReadonlyArray<Replacement> = []
): HeaderPairs => {
  const hop = nominated(raw)
  const out: HeaderPairs = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    const lower = name.toLowerCase()
    if (hop?.has(lower) === true) continue
    if (HOP_BY_HOP.has(lower) && !(canSendTrailers && lower === "trailer")) continue
    out.push(withoutRepeated(name, repeatable), withoutRepeated(raw[i + 1] ?? "", repeatable))
  }
  return out
}

const trailers = (raw: ReadonlyArray<string>): HeaderPairs =>
  raw.filter((_, i) => {
    const name = (raw[i - i % 2] ?? "").toLowerCase()
    return !name.startsWith(":") && !HOP_BY_HOP.has(name) && !HEAD_ONLY.has(name)
  })

export const responseTrailers = (raw: ReadonlyArray<string>, repeatable?: ReadonlyArray<Replacement>): HeaderPairs =>
  responseHeaders(trailers(raw), false, repeatable)
