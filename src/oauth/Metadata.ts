/** Fetches metadata documents from well-known URLs, and limits which addresses they may name. */
import * as Effect from "effect/Effect"
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

/** A generic page, a redirect or a refusal counts as no document. Fails only if a URL responded with 429 or 5xx. */
export const first = <A>(
  addresses: ReadonlyArray<string>,
  reach: Reach,
  wanted: (document: Document) => Effect.Effect<A | undefined, OAuthUnsafe>
): Effect.Effect<A | undefined, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.gen(function*() {
    let failing: number | undefined
    for (const url of addresses) {
      const response = yield* Messages.send(reach, { method: "GET", url, headers: { accept: "application/json" } })
      if (response.status === 429 || response.status >= 500) failing = response.status
      const body = response.status === 200 ? Messages.bodyOf(response) : undefined
      if (body === undefined) continue
      const found = yield* wanted({ url, body, reach: reachFrom(reach, response) })
      if (found !== undefined) return found
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
