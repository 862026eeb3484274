/** Translates between the fields of RFC 6749 section 5.1 and the token messages of servers that deviate from it. */
import * as Predicate from "effect/Predicate"
import { valueAt } from "../platform/JsonPointer.ts"
import type { RequestStyle } from "./OAuthClient.ts"
import { isScope, type JsonObject, numberOf, plainText, presentValue } from "./ServerValues.ts"

/** JSON pointers (RFC 6901) to the fields of a token response, which RFC 6749 section 5.1 puts at the top level. */
export interface TokenResponsePointers {
  readonly accessToken?: string
  readonly refreshToken?: string
  readonly tokenType?: string
  /** Points to a number of seconds, or to the expiry as ISO 8601 or seconds since 1970. */
  readonly expiresIn?: string
  readonly scope?: string
  readonly accountId?: string
  readonly accountLabel?: string
  readonly baseUrl?: string
  readonly error?: string
}

export interface TokenRequestStyle extends RequestStyle {
  /** Parameters that are sent with each token request. Parameters of the grant itself take precedence. */
  readonly params: Readonly<Record<string, string>>
  readonly pointers: TokenResponsePointers
  readonly scopeSeparator: string
}

export const standardStyle: TokenRequestStyle = { format: "form", params: {}, pointers: {}, scopeSeparator: " " }

/** Ten years in seconds. Longer lifetimes are ignored. */
const LONGEST_LIFE = 315_360_000

/**
 * Returns a lifetime in seconds. With `mayBeTime`, a value that is not a lifetime is read as an expiry time. Returns undefined
 * for other values.
 */
export const secondsOf = (value: unknown, now: number, mayBeTime: boolean): number | undefined => {
  const number = numberOf(value)
  if (number !== undefined && number <= LONGEST_LIFE) return number > 0 ? number : undefined
  if (!mayBeTime) return undefined
  const time = number ?? (typeof value === "string" ? Date.parse(value) / 1000 : NaN)
  const left = time - now / 1000
  return left > 0 && left <= LONGEST_LIFE ? left : undefined
}

const errorNames: Readonly<Record<string, string>> = {
  bad_refresh_token: "invalid_grant", // GitHub
  bad_verification_code: "invalid_grant",
  incorrect_client_credentials: "invalid_client",
  invalid_refresh_token: "invalid_grant", // Slack
  invalid_token: "invalid_grant", // EVE Online
  refresh_token_expired: "invalid_grant", // OpenAI
  refresh_token_invalidated: "invalid_grant",
  refresh_token_reused: "invalid_grant",
  invalid_code: "invalid_grant",
  bad_client_secret: "invalid_client",
  invalid_client_id: "invalid_client"
}

/** Matches descriptions of errors for an invalid refresh token, from servers that use another code than `invalid_grant`. */
const ENDED_TOKEN = [
  /\brefresh[ _]token (?:(?:is|was|has) )?(?:been )?(?:invalid|expired|revoked|not found|unknown)\b/i,
  /\b(?:invalid|expired|revoked|unknown) "?refresh[ _]token\b/i,
  /\binvalid[ _]grant\b/i,
  /^session not found$/i
]

const saysEndedToken = (text: string): boolean => ENDED_TOKEN.some((pattern) => pattern.test(text))

/** FastMCP calls every failed refresh at the server behind it `invalid_grant`, also if that server cannot be reached. */
const failedUpstream = /^upstream refresh failed:(?!.*(?:invalid|expired|revoked|unauthorized))/i

/** Okta has a nonstandard member for an unknown client. Other servers have numbers in it, even in successful responses. */
const ownError = ({ errorCode }: JsonObject): unknown => errorCode === "invalid_client" ? errorCode : undefined

/** The messages of an error without an OAuth error code: Twitch and HubSpot send a message; Strava and Fitbit, a list of errors. */
const textsOf = (body: JsonObject): string =>
  [body, body["error"], body["errors"]].flat()
    .flatMap((item) => Predicate.isObject(item) ? Object.values(item) : [item])
    .filter((text) => typeof text === "string").join(" ").slice(0, 4096)

/** The error in a response, with any status: some servers send errors with status 200. */
export const errorOf = (body: JsonObject, pointers: TokenResponsePointers): unknown => {
  const error = valueAt(body, pointers.error ?? "/error") ?? ownError(body)
  const description = plainText(body["error_description"]) ?? ""
  if (typeof error !== "string" && valueAt(body, pointers.accessToken ?? "/access_token") === undefined) {
    return saysEndedToken(textsOf(body)) ? "invalid_grant" : error
  }
  if (error === "invalid_request" || error === "unauthorized_client") {
    return saysEndedToken(description) ? "invalid_grant" : error
  }
  if (error === "invalid_grant" && failedUpstream.test(description)) return "temporarily_unavailable"
  return typeof error === "string" && Object.hasOwn(errorNames, error) ? errorNames[error] : error
}

/** Token types that need more than the header of RFC 6750, such as a proof of possession, or cannot be used at an API at all. */
const UNUSABLE_TYPES = new Set(["dpop", "mac", "n_a", "pop"])

/** Whether a token of this type is sent as in RFC 6750. Some servers omit the type or use their own name for it. */
export const isBearer = (type: unknown): boolean =>
  type === undefined || (typeof type === "string" && !UNUSABLE_TYPES.has(type.toLowerCase()))

/** The maximum number of scopes, more than Microsoft grants to an app with all its permissions. */
const MAX_SCOPES = 1000

const scopesOf = (value: unknown, separator: string): ReadonlyArray<string> | undefined => {
  const texts = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string")
  if (texts.length === 0) return undefined
  const parts = texts.flatMap((text) => text.split(/\s+/)).flatMap((part) => part.split(separator.trim() || " "))
  // GitHub accepts scopes separated by spaces, but returns them separated by commas.
  const scopes = parts.length === 1 ? parts[0]!.split(",") : parts
  return scopes.filter(isScope).slice(0, MAX_SCOPES)
}

const textOf = (value: unknown): string | null => plainText(typeof value === "number" ? String(value) : value) ?? null

/** The base URL. Wrike and others return only the host. */
const baseUrlOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return undefined
  return /^[A-Za-z0-9.-]+$/.test(value) ? `https://${value}` : value
}

/**
 * Reads the fields of a token response. In the response to a refresh, also looks for them at the top level: Slack nests tokens
 * only in the responses to logins.
 */
export const tokenFields = (
  body: JsonObject,
  { pointers, scopeSeparator }: TokenRequestStyle,
  options: { readonly now: number; readonly isRefresh: boolean }
) => {
  const field = (pointer: string | undefined, name: string): unknown => {
    const found = pointer === undefined ? undefined : valueAt(body, pointer)
    const value = found ?? (pointer === undefined || options.isRefresh ? body[name] : undefined)
    return presentValue(value)
  }
  const optional = (pointer: string | undefined) => pointer === undefined ? undefined : valueAt(body, pointer)
  return {
    accessToken: field(pointers.accessToken, "access_token"),
    // A type at the top level does not describe a nested token.
    tokenType: pointers.tokenType === undefined && pointers.accessToken !== undefined
      ? undefined
      : field(pointers.tokenType, "token_type"),
    refreshToken: field(pointers.refreshToken, "refresh_token"),
    expiresInSeconds: secondsOf(field(pointers.expiresIn, "expires_in"), options.now, pointers.expiresIn !== undefined),
    scopes: scopesOf(field(pointers.scope, "scope"), scopeSeparator),
    idToken: presentValue(body["id_token"]),
    account: { id: textOf(optional(pointers.accountId)), label: textOf(optional(pointers.accountLabel)) },
    baseUrl: baseUrlOf(optional(pointers.baseUrl))
  }
}
