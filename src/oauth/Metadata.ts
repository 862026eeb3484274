/** Fetches metadata documents from well-known URLs, and limits which addresses the documents may name. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Messages from "./Messages.ts"
import { OAuthUnavailable, type OAuthUnsafe, unsafeError } from "./OAuthErrors.ts"
import type { OAuthHttp, OAuthResponse, Reach } from "./OAuthHttp.ts"
import { asHttps, type JsonObject, presentValue, safeUrl } from "./ServerValues.ts"

export interface Document {
  readonly url: string
  readonly body: JsonObject
  readonly reach: Reach
}

/**
 * The reach of requests to URLs that a response names. A public server must not direct credsvc into a private network, whatever the
 * settings allow.
 */
export const reachFrom = (reach: Reach, response: OAuthResponse): Reach =>
  response.publicPeer ? { allowLoopback: false, publicOnly: true } : reach

/** Inserts the well-known segment between host and path (RFC 8414 section 3.1, RFC 9728 section 3.1). */
export const wellKnownUrl = (url: URL, name: string): string => {
  const path = url.pathname === "/" ? "" : url.pathname
  return `${url.origin}/.well-known/${name}${path}${url.search}`
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])
const maxRedirects = 3

/**
 * Requests a document. Each redirect must lead to an address that the redirecting server may name. Only a well-known
 * URL of an origin, which the server itself has set up, may redirect to another origin: a path of an issuer may be an
 * open redirector.
 */
const requestDocument = (
  url: string,
  reach: Reach,
  left = maxRedirects,
  mayLeave = new URL(url).pathname.startsWith("/.well-known/")
): Effect.Effect<
  { readonly response: OAuthResponse; readonly reach: Reach },
  OAuthUnavailable | OAuthUnsafe,
  OAuthHttp
> =>
  Effect.flatMap(
    Messages.send(reach, { method: "GET", url, headers: { accept: "application/json" } }),
    (response) => {
      const named = reachFrom(reach, response)
      const { location = "" } = response.headers
      const next = left > 0 && REDIRECT_STATUSES.has(response.status) && URL.canParse(location, url)
        ? safeUrl(asHttps(new URL(location, url).href), named)
        : undefined
      const here = Effect.succeed({ response, reach: named })
      // A redirect to an unusable address counts as a missing document.
      return next === undefined || (!mayLeave && next.origin !== new URL(url).origin)
        ? here
        : Effect.catch(requestDocument(next.href, named, left - 1, mayLeave), () => here)
    }
  )

/** Returns the result for an accepted document. `tried`: the URLs before it, with the reasons. */
type Wanted<A> = (
  document: Document,
  tried: ReadonlyArray<string>
) => Effect.Effect<A | undefined, OAuthUnavailable | OAuthUnsafe, OAuthHttp>

/**
 * Searches for the first document that `wanted` accepts, of any media type. Skips HTML pages and errors. `failure` is that of the
 * first URL that could not be reached, or responded with 429 or 5xx. The returned reach is limited to public addresses (`publicOnly`)
 * if a response came from one.
 */
export const searchDocuments = <A>(addresses: ReadonlyArray<string>, reach: Reach, wanted: Wanted<A>) =>
  Effect.gen(function*() {
    let within = reach
    let failure: OAuthUnavailable | OAuthUnsafe | undefined
    const declined: Array<Document> = []
    const tried: Array<string> = []
    const unreachable = new Set<string>()
    for (const url of addresses) {
      const { host, origin } = new URL(url)
      if (unreachable.has(origin)) continue
      const requested = yield* Effect.result(requestDocument(url, reach))
      if (Result.isFailure(requested)) {
        failure ??= requested.failure
        unreachable.add(origin)
        tried.push(`${url} (${requested.failure.detail})`)
        continue
      }
      const { reach: named, response } = requested.success
      if (named.publicOnly) within = named
      const { status } = response
      const body = status === 200 ? Messages.jsonOf(response) : undefined
      if (body !== undefined) {
        const document = { url, body, reach: named }
        const found = yield* wanted(document, tried)
        if (found !== undefined) return { found, declined, failure, tried, reach: within }
        declined.push(document)
      }
      const problem = body === undefined ? "no JSON" : "another document"
      tried.push(`${url} (${status === 200 ? problem : status})`)
      if (status === 429 || status >= 500) {
        failure ??= new OAuthUnavailable({
          reason: status === 429 ? "rate_limited" : "server_error",
          detail: `the metadata of ${host} is temporarily unavailable (${status})`,
          sent: false
        })
      }
    }
    return { found: undefined, declined, failure, tried, reach: within }
  })

/** Like `searchDocuments`. Fails if it finds no document, and a URL could not be reached, or responded with 429 or 5xx. */
export const firstDocument = <A>(addresses: ReadonlyArray<string>, reach: Reach, wanted: Wanted<A>) =>
  Effect.flatMap(
    searchDocuments(addresses, reach, wanted),
    (search) =>
      search.found !== undefined || search.failure === undefined ? Effect.succeed(search) : Effect.fail(search.failure)
  )

/** Whether a value is harmless enough to be quoted in an error. */
const isLink = (value: unknown): boolean => typeof value === "string" && /^https?:[\u0021-\u007e]{1,256}$/.test(value)

export const optionalEndpoint = (
  value: unknown,
  what: string,
  reach: Reach
): Effect.Effect<string | undefined, OAuthUnsafe> => {
  if (presentValue(value) === undefined) return Effect.undefined
  return Effect.mapError(
    Messages.requireEndpoint(what, typeof value === "string" ? value : "", reach),
    () =>
      unsafeError(`the metadata names a ${what} that is not an allowed https URL${isLink(value) ? `: ${value}` : ""}`)
  )
}
