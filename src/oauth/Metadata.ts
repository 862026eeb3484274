/** Fetches metadata documents from well-known URLs, and limits which addresses they may name. */
import * as Effect from "effect/Effect"
import { safeUrl } from "./Endpoint.ts"
import { given, type JsonObject } from "./Members.ts"
import * as Messages from "./Messages.ts"
import { OAuthUnavailable, type OAuthUnsafe, unsafe } from "./OAuthErrors.ts"
import type { OAuthHttp, OAuthResponse, Reach } from "./OAuthHttp.ts"

export interface Document {
  readonly url: string
  readonly body: JsonObject
  readonly reach: Reach
}

/** A public server must not direct us into a private network, whatever the settings allow. */
export const reachFrom = (reach: Reach, response: OAuthResponse): Reach =>
  response.publicPeer ? { allowLoopback: false, publicOnly: true } : reach

/** Inserts the well-known segment between host and path (RFC 8414 section 3.1, RFC 9728 section 3.1). */
export const inserted = (url: URL, name: string): string => {
  const path = url.pathname === "/" ? "" : url.pathname
  return `${url.origin}/.well-known/${name}${path}${url.search}`
}

const redirects = new Set([301, 302, 303, 307, 308])
const maxRedirects = 3

/** Requests a document. Each redirect must lead to an address that the redirecting server may name. */
const get = (
  url: string,
  reach: Reach,
  left = maxRedirects
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
      const next = left > 0 && redirects.has(response.status) && URL.canParse(location, url)
        ? safeUrl(new URL(location, url).href, named)
        : undefined
      const here = Effect.succeed({ response, reach: named })
      // A redirect that leads nowhere counts as no document.
      return next === undefined ? here : Effect.catch(get(next.href, named, left - 1), () => here)
    }
  )

/**
 * The first wanted document. Servers send documents with any media type; a page or a refusal counts as no document. `tried`
 * gets each address without one, and why. Fails only if a URL responded with 429 or 5xx.
 */
export const first = <A>(
  addresses: ReadonlyArray<string>,
  reach: Reach,
  tried: Array<string>,
  wanted: (document: Document) => Effect.Effect<A | undefined, OAuthUnavailable | OAuthUnsafe, OAuthHttp>
): Effect.Effect<A | undefined, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.gen(function*() {
    let failing: number | undefined
    for (const url of addresses) {
      const { reach: named, response } = yield* get(url, reach)
      const { status } = response
      if (status === 429 || status >= 500) failing = status
      const body = status === 200 ? Messages.jsonOf(response) : undefined
      const found = body === undefined ? undefined : yield* wanted({ url, body, reach: named })
      if (found !== undefined) return found
      tried.push(`${url} (${status !== 200 ? status : body === undefined ? "no JSON" : "another document"})`)
    }
    if (failing === undefined) return undefined
    return yield* new OAuthUnavailable({
      reason: failing === 429 ? "rate_limited" : "server_error",
      detail: `the metadata of ${new URL(addresses[0]!).host} is temporarily unavailable (${failing})`,
      sent: false
    })
  })

export const address = (value: unknown, what: string, reach: Reach): Effect.Effect<string | undefined, OAuthUnsafe> => {
  if (given(value) === undefined) return Effect.undefined
  return Effect.mapError(
    Messages.endpoint(what, typeof value === "string" ? value : "", reach),
    () => unsafe(`the metadata names a ${what} that is not an allowed https URL`)
  )
}
