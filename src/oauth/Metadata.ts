/** Documents at well-known addresses, and the reach of what they name. */
import * as Effect from "effect/Effect"
import * as Messages from "./Messages.ts"
import { OAuthUnavailable, type OAuthUnsafe, unsafe } from "./OAuthErrors.ts"
import type { OAuthHttp, OAuthResponse, Reach } from "./OAuthHttp.ts"

export interface Document {
  readonly url: string
  readonly body: Messages.JsonObject
  /** For what the document names. */
  readonly reach: Reach
}

/** What a public server names may not lead into a private network, whatever the configuration allows us. */
export const reachFrom = (reach: Reach, response: OAuthResponse): Reach =>
  response.publicPeer ? { allowLoopback: false, publicOnly: true } : reach

/** The address with a well-known part between host and path (RFC 8414 section 3.1, RFC 9728 section 3.1). */
export const inserted = (url: URL, name: string): string => {
  const path = url.pathname === "/" ? "" : url.pathname
  return `${url.origin}/.well-known/${name}${path}${url.search}`
}

/**
 * The first of the addresses that has a JSON object which is `wanted`. A page that is shown for every address, a redirect
 * and a refusal all mean that there is none. Fails only when no document was found and one address had no answer to
 * speak of.
 */
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
      detail: `the metadata of ${new URL(addresses[0]!).host} cannot be had just now (${failing})`,
      sent: false
    })
  })

/** An address that a document names, and that may be used. */
export const address = (value: unknown, what: string, reach: Reach): Effect.Effect<string | undefined, OAuthUnsafe> => {
  if (value === undefined || value === null) return Effect.undefined
  return Effect.mapError(
    Messages.endpoint(what, typeof value === "string" ? value : "", reach),
    () => unsafe(`the metadata names a ${what} that is not an https address which may be used`)
  )
}

/** At most 200 texts of printable ASCII without a space, as scopes and methods are; `undefined` when there is no list. */
export const names = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value)
    ? value.filter((item) => typeof item === "string" && /^[\u0021-\u007e]{1,256}$/.test(item)).slice(0, 200)
    : undefined
