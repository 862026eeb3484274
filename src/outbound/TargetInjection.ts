/** Puts a resolved credential into the path and the query of a request, and keeps it out of logs. */
import { holdsPlaceholder, PLACEHOLDER } from "../domain/injection/Placeholder.ts"
import { pathOf } from "../domain/injection/Route.ts"
import { uriDecoded } from "../domain/text/PercentEncoding.ts"
import type { Injection } from "./HeaderInjection.ts"
import { filledPath, shownPath, withoutPlaces } from "./PathInjection.ts"

/** Returns path and query with the credential. Removes parameters with the placeholder, because servers repeat them in links. */
export const requestTarget = (target: string, injection: Injection | undefined): string => {
  if (injection === undefined) return target
  const at = target.indexOf("?")
  const given = at === -1 ? undefined : target.slice(at + 1)
  const query = withParameters(given, injection)
  if (query === given && injection.path.length === 0) return target
  const path = filledPath(at === -1 ? target : target.slice(0, at), injection.path, injection.placeholders)
  return query === undefined ? path : `${path}?${query}`
}

/** A path up to this length has no segment as long as a token. */
const SHORT_PATH = 32

/** A segment as long as a token, unless it is a hexadecimal resource ID. */
const tokenLike = /(?<=\/)(?![0-9a-f-]+(?:\/|$))([^/]{6})[^/]{26,}/gi

/** The path for logs, without query and credential. Webhook URLs contain secrets, so token-like segments are shortened. */
export const loggedPath = (target: string, injection: Injection): string => {
  const path = shownPath(pathOf(target), injection.path)
  return path.length <= SHORT_PATH ? path : path.replace(tokenLike, "$1...")
}

/** Whether a query has a placeholder. The usual marker has no characters that clients encode. */
const queryHoldsPlaceholder = (text: string, exact: ReadonlyArray<string>): boolean =>
  exact.length === 0 ? text.includes(PLACEHOLDER) : holdsPlaceholder(uriDecoded(text) ?? text, exact)

/** The decoded name of a parameter, in lower case. */
const parameterName = (pair: string): string => {
  const spaced = pair.split("=", 1)[0]!.replaceAll("+", " ")
  return (uriDecoded(spaced) ?? spaced).toLowerCase()
}

/** The query with the credential; undefined for a target without a query. */
const withParameters = (
  query: string | undefined,
  { placeholders, query: set, removeQuery }: Injection
): string | undefined => {
  if (query === undefined && set.length === 0) return undefined
  if (query !== undefined && removeQuery.size === 0 && !queryHoldsPlaceholder(query, placeholders)) return query
  const kept = (query?.split("&") ?? []).filter((pair) =>
    !removeQuery.has(parameterName(pair)) && !queryHoldsPlaceholder(pair, placeholders)
  )
  const added = set.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return kept.length + added.length === 0 ? undefined : [...kept, ...added].join("&")
}

/** Parameters in which clients send a credential, also where the definition has another place for it. */
const CREDENTIAL_PARAMETER = /(?:key|token|secret|password|auth|signature|credential|jwt)$|(?:^|[_-])id$|^x-amz-/i

/** Whether a query has the required parameter of every token request (RFC 6749 section 4). */
export const isTokenRequest = (query: string): boolean => query.includes("grant_type")

/**
 * Removes the places of a credential from path and query of a client's request: the definition's places and, except in token
 * requests, parameters whose names suggest a credential. The proxy removes placeholders from these parameters.
 */
export const outsidePlaces = (target: string, { path, removeQuery }: Injection): string => {
  const [before = "", ...query] = target.split("?")
  const parameters = query.join("?").split("&").filter((pair) => {
    const name = parameterName(pair)
    return !removeQuery.has(name) && (isTokenRequest(target) || !CREDENTIAL_PARAMETER.test(name))
  })
  return `${withoutPlaces(before, path)}?${parameters.join("&")}`
}
