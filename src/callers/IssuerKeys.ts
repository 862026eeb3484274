/**
 * The public keys with which an issuer signs tokens: its published keys, requested when a token needs them, and the JWK
 * Sets of trusts.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as JoseModule from "jose"
import { VaultUnavailableError } from "../domain/Errors.ts"
import * as Metadata from "../oauth/Metadata.ts"
import { type OAuthUnavailable, type OAuthUnsafe, unsafeError } from "../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { setNewest } from "../platform/BoundedMap.ts"

/** How long an issuer's keys are cached, in milliseconds. A key that the issuer withdraws is refused after this time. */
const keysLast = 600_000
/** The shortest time between two requests for an issuer's keys, in milliseconds: anybody can send tokens with unknown keys. */
const keysCooldown = 30_000
const maxKeys = 100
const maxIssuers = 256

const reach = { allowLoopback: false, publicOnly: false }

export type Jose = typeof JoseModule

/** Reads a JWK Set. Returns undefined for any other document, and for a set without keys. */
export const keySetOf = ({ createLocalJWKSet }: Jose, document: unknown): JoseModule.JWTVerifyGetKey | undefined => {
  const keys = Predicate.isObject(document) ? document["keys"] : undefined
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys) return undefined
  try {
    return createLocalJWKSet({ keys })
  } catch {
    return undefined
  }
}

type RequestedKeys = Fiber.Fiber<JoseModule.JWTVerifyGetKey, OAuthUnavailable | OAuthUnsafe>

/** Requests the published keys (OpenID Connect Discovery 1.0, section 4). The document must name the issuer itself. */
const requestKeys = Effect.fnUntraced(function*(jose: Jose, issuer: string) {
  const from = new URL(issuer).host
  const document = (issuer.endsWith("/") ? issuer : `${issuer}/`) + ".well-known/openid-configuration"
  const metadata = yield* Metadata.firstDocument([document], reach, ({ body, reach }) =>
    body["issuer"] === issuer
      ? Metadata.optionalEndpoint(body["jwks_uri"], "address of keys", reach)
      : Effect.undefined)
  if (metadata.found === undefined) {
    return yield* unsafeError(`${from} publishes no OpenID Connect metadata with a jwks_uri for the issuer ${issuer}`)
  }
  const keys = yield* Metadata.firstDocument(
    [metadata.found],
    metadata.reach,
    ({ body }) => Effect.succeed(keySetOf(jose, body))
  )
  return keys.found ?? (yield* unsafeError(`${from} publishes no keys at its jwks_uri`))
})

/** Returns a function that finds the published keys of an issuer. It caches them, and limits the requests for them. */
export const makeIssuerKeys = Effect.gen(function*() {
  const http = yield* OAuthHttp
  const scope = yield* Effect.scope
  /** The keys of each issuer, and the last request for them, with their times in milliseconds since 1970. */
  const received = new Map<string, { readonly at: number; readonly keys: JoseModule.JWTVerifyGetKey }>()
  const requests = new Map<string, { readonly at: number; readonly fiber: RequestedKeys }>()

  /** Returns an issuer's keys. `renewed`: a token has an unknown key, so the keys are requested again, but not too often. */
  return Effect.fnUntraced(function*(jose: Jose, issuer: string, wanted: "cached" | "renewed") {
    const at = (yield* DateTime.now).epochMilliseconds
    const known = received.get(issuer)
    const isCurrent = known !== undefined && Math.abs(at - known.at) < keysLast
    if (isCurrent && wanted === "cached") return known.keys
    // All callers share one request. It continues if the caller that started it, who may be a stranger, disconnects.
    const { fiber } = yield* Effect.uninterruptible(Effect.suspend(() => {
      const last = requests.get(issuer)
      if (last !== undefined && Math.abs(at - last.at) < keysCooldown) return Effect.succeed(last)
      const requested = Effect.tap(
        Effect.provideService(requestKeys(jose, issuer), OAuthHttp, http),
        (keys) => Effect.sync(() => setNewest(received, issuer, { at, keys }, maxIssuers))
      )
      return Effect.map(Effect.forkIn(requested, scope), (fiber) => {
        const started = { at, fiber }
        setNewest(requests, issuer, started, maxIssuers)
        return started
      })
    }))
    const result = yield* Effect.result(Fiber.join(fiber))
    if (Result.isSuccess(result)) return result.success
    return isCurrent ? known.keys : yield* VaultUnavailableError.of(
      `The keys of the issuer could not be requested: ${result.failure.detail}. Try again in ${
        keysCooldown / 1000
      } seconds.`
    )
  })
})
