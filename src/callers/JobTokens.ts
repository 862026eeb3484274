/**
 * Verifies the tokens with which CI systems and clusters attest which job or workload a caller is (JWS, RFC 7515; JWT,
 * RFC 7519).
 *
 * A token is untrusted until its signature is valid with a key of a trusted issuer. Keys in the token or named by it
 * are never used, and no failure contains the token.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as JoseModule from "jose"
import { OperationNotAllowedError, type StoreFailure, VaultUnavailableError } from "../domain/Errors.ts"
import { parseStrictJson } from "../domain/text/StrictJson.ts"
import { printableText } from "../oauth/JsonMembers.ts"
import * as Metadata from "../oauth/Metadata.ts"
import { type OAuthUnavailable, type OAuthUnsafe, unsafeError } from "../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { setNewest } from "../platform/BoundedMap.ts"
import { sha256 } from "../platform/Digest.ts"

/** The accepted algorithms. A key of another kind never verifies a token, whatever the token's header says. */
const algorithms = ["RS256", "ES256", "ES384"]
/** The allowed header members. Others could name a key (`jku`, `x5c`) or change the signature's meaning (`b64`, `crit`). */
const headerMembers = new Set(["alg", "kid", "typ", "x5t", "x5t#S256"])
const jsonLimits = { maxBytes: 16_384, maxDepth: 8 }

/** By how many seconds the clocks of an issuer and of this machine may differ. */
export const clockTolerance = 60
/** The longest accepted lifetime of a token, in seconds. A longer one would make the token as dangerous as a stored secret. */
export const longestLifetime = 86_400

/** How long an issuer's keys are cached, in milliseconds. A key that the issuer withdraws is refused after this time. */
export const keysLast = 600_000
/** The shortest time between two requests for an issuer's keys, in milliseconds: anybody can send tokens with unknown keys. */
export const keysCooldown = 30_000
const maxKeys = 100
const maxIssuers = 256

const reach = { allowLoopback: false, publicOnly: false }

export interface ParsedToken {
  readonly text: string
  /** The issuer that the token names. */
  readonly issuer: string
  /** Identifies the signed content: a signature can have several forms, and the same content must not be accepted twice. */
  readonly hash: string
}

const refused = (why: string) => OperationNotAllowedError.of(`The token was refused: ${why}.`)

const objectIn = (part: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(part, "base64url"))
    const value = Result.getOrUndefined(parseStrictJson(text, jsonLimits))
    return Predicate.isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parses a token without verifying it. */
export const parseToken = (
  token: Redacted.Redacted<string>
): Effect.Effect<ParsedToken, OperationNotAllowedError> => {
  const text = Redacted.value(token)
  const [, head = "", payload = ""] = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(text) ?? []
  const [header, claims] = [objectIn(head), objectIn(payload)]
  if (header === undefined || claims === undefined) return Effect.fail(refused("it is not a signed JSON Web Token"))
  if (!algorithms.includes(String(header["alg"]))) {
    return Effect.fail(refused(`its algorithm must be one of ${algorithms.join(", ")}`))
  }
  const { kid, typ = "JWT" } = header
  const isKnown = Object.keys(header).every((name) => headerMembers.has(name)) && String(typ).toUpperCase() === "JWT"
  if (!isKnown || printableText(kid, 256) === undefined) {
    return Effect.fail(
      refused(
        "its header must name a key by `kid`, have the type JWT, and have no members other than alg, kid, typ, x5t and x5t#S256"
      )
    )
  }
  const issuer = printableText(claims["iss"], 512)
  if (issuer === undefined) return Effect.fail(refused("it names no issuer"))
  const hash = sha256(`${head}.${payload}`)
  return Effect.succeed({ text, issuer, hash })
}

const unknownKey = "ERR_JWKS_NO_MATCHING_KEY"

const problems: Readonly<Record<string, string>> = {
  [unknownKey]: "no key of its issuer has its `kid` and algorithm",
  ERR_JWT_EXPIRED: "it has expired"
}

type Jose = typeof JoseModule

/** Reads a JWK Set. Returns undefined for any other document, and for a set without keys. */
const keySetOf = ({ createLocalJWKSet }: Jose, document: unknown): JoseModule.JWTVerifyGetKey | undefined => {
  const keys = Predicate.isObject(document) ? document["keys"] : undefined
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys) return undefined
  try {
    return createLocalJWKSet({ keys })
  } catch {
    return undefined
  }
}

type RequestedKeys = Fiber.Fiber<JoseModule.JWTVerifyGetKey, OAuthUnavailable | OAuthUnsafe>

export class JobTokens extends Context.Service<JobTokens, {
  /** Whether a string is a JWK Set that contains a key. */
  readonly areKeys: (text: string) => Effect.Effect<boolean>

  /** Returns the claims of a token that is signed with one of these keys or, if they are null, with a published key of its issuer. */
  readonly verify: (token: ParsedToken, keys: string | null) => Effect.Effect<object, StoreFailure>
}>()("credsvc/callers/JobTokens") {
  static readonly layerNoDeps = Layer.effect(
    JobTokens,
    Effect.gen(function*() {
      const http = yield* OAuthHttp
      const scope = yield* Effect.scope
      const load = Effect.promise(() => import("jose"))
      /** The keys of each issuer, and the last request for them, with their times in milliseconds since 1970. */
      const received = new Map<string, { readonly at: number; readonly keys: JoseModule.JWTVerifyGetKey }>()
      const requests = new Map<string, { readonly at: number; readonly fiber: RequestedKeys }>()

      /** Requests the published keys (OpenID Connect Discovery 1.0, section 4). The document must name the issuer itself. */
      const request = Effect.fnUntraced(function*(jose: Jose, issuer: string) {
        const from = new URL(issuer).host
        const document = (issuer.endsWith("/") ? issuer : `${issuer}/`) + ".well-known/openid-configuration"
        const metadata = yield* Metadata.firstDocument(
          [document],
          reach,
          [],
          ({ body, reach }) =>
            body["issuer"] === issuer
              ? Metadata.optionalEndpoint(body["jwks_uri"], "address of keys", reach)
              : Effect.undefined
        )
        if (metadata.found === undefined) {
          return yield* unsafeError(
            `${from} publishes no OpenID Connect metadata with a jwks_uri for the issuer ${issuer}`
          )
        }
        const keys = yield* Metadata.firstDocument(
          [metadata.found],
          metadata.reach,
          [],
          ({ body }) => Effect.succeed(keySetOf(jose, body))
        )
        return keys.found ?? (yield* unsafeError(`${from} publishes no keys at its jwks_uri`))
      }, Effect.provideService(OAuthHttp, http))

      /** Returns an issuer's keys. `isUnknown`: a token has an unknown key, so the keys are requested again, but not too often. */
      const publishedKeys = Effect.fnUntraced(function*(jose: Jose, issuer: string, isUnknown = false) {
        const at = (yield* DateTime.now).epochMilliseconds
        const known = received.get(issuer)
        const isCurrent = known !== undefined && Math.abs(at - known.at) < keysLast
        if (isCurrent && !isUnknown) return known.keys
        // All callers share one request. It continues if the caller that started it, who may be a stranger, disconnects.
        const { fiber } = yield* Effect.uninterruptible(Effect.suspend(() => {
          const last = requests.get(issuer)
          if (last !== undefined && Math.abs(at - last.at) < keysCooldown) return Effect.succeed(last)
          const requested = Effect.tap(
            request(jose, issuer),
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

      const check = (jose: Jose, { issuer, text }: ParsedToken, keys: JoseModule.JWTVerifyGetKey, now: DateTime.Utc) =>
        Effect.tryPromise({
          try: () =>
            jose.jwtVerify(text, keys, {
              algorithms,
              issuer,
              clockTolerance,
              currentDate: DateTime.toDateUtc(now),
              requiredClaims: ["exp", "iat", "aud", "sub"]
            }),
          catch: (error) => String((error as { readonly code?: unknown }).code)
        })

      const verify = Effect.fn("JobTokens.verify")(function*(token: ParsedToken, given: string | null) {
        const jose = yield* load
        const now = yield* DateTime.now
        const keys = given === null
          ? yield* publishedKeys(jose, token.issuer)
          : keySetOf(jose, JSON.parse(given))!
        let result = yield* Effect.result(check(jose, token, keys, now))
        if (Result.isFailure(result) && result.failure === unknownKey && given === null) {
          // The issuer may have published a new key.
          result = yield* Effect.result(check(jose, token, yield* publishedKeys(jose, token.issuer, true), now))
        }
        if (Result.isFailure(result)) {
          return yield* refused(problems[result.failure] ?? "its signature or one of its standard claims is invalid")
        }
        const { payload } = result.success
        const seconds = now.epochMilliseconds / 1000
        if (payload.iat! > seconds + clockTolerance) {
          return yield* refused("it was issued in the future. Check the clocks")
        }
        if (payload.exp! > seconds + longestLifetime) {
          return yield* refused(
            `it is valid for more than ${longestLifetime / 3600} hours: issue it with a shorter lifetime`
          )
        }
        return payload
      })

      return JobTokens.of({
        areKeys: (text) =>
          Effect.map(load, (jose) => keySetOf(jose, Result.getOrUndefined(parseStrictJson(text))) !== undefined),
        verify
      })
    })
  )
}
