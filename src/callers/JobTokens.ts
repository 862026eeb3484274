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
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as JoseModule from "jose"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { parseStrictJson } from "../domain/text/StrictJson.ts"
import { printableText } from "../oauth/ServerValues.ts"
import { sha256 } from "../platform/Digest.ts"
import { errorCode } from "../platform/ErrorCode.ts"
import { keySetOf, makeIssuerKeys } from "./IssuerKeys.ts"

/** The accepted algorithms. A key of another kind never verifies a token, whatever the token's header says. */
const algorithms = ["RS256", "ES256", "ES384"]
/** The allowed header members. Others could name a key (`jku`, `x5c`) or change the signature's meaning (`b64`, `crit`). */
const headerMembers = new Set(["alg", "kid", "typ", "x5t", "x5t#S256"])
const jsonLimits = { maxBytes: 16_384, maxDepth: 8 }

/** By how many seconds the clocks of an issuer and of this machine may differ. */
export const clockTolerance = 60
/** The longest accepted lifetime of a token, in seconds. A longer one would make the token as dangerous as a stored secret. */
export const longestLifetime = 86_400

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
export const parseToken = (token: Redacted.Redacted<string>): Effect.Effect<ParsedToken, OperationNotAllowedError> => {
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

const make = Effect.gen(function*() {
  const publishedKeys = yield* makeIssuerKeys
  const load = Effect.promise(() => import("jose"))

  /** Returns the claims of a token that is signed with one of these keys or, if they are null, with a published key of its issuer. */
  const verify = Effect.fn("JobTokens.verify")(function*({ issuer, text }: ParsedToken, given: string | null) {
    const jose = yield* load
    const now = yield* DateTime.now
    const verifiedBy = (keys: JoseModule.JWTVerifyGetKey) =>
      Effect.tryPromise({
        try: () =>
          jose.jwtVerify(text, keys, {
            algorithms,
            issuer,
            clockTolerance,
            currentDate: DateTime.toDateUtc(now),
            requiredClaims: ["exp", "iat", "aud", "sub"]
          }),
        catch: errorCode
      })
    const verifiedByPublished = (wanted: "cached" | "renewed") =>
      Effect.flatMap(publishedKeys(jose, issuer, wanted), verifiedBy)
    const verified = given === null
      // The issuer may have published a new key.
      ? Effect.catchIf(
        verifiedByPublished("cached"),
        (error) => error === unknownKey,
        () => verifiedByPublished("renewed")
      )
      : verifiedBy(keySetOf(jose, JSON.parse(given))!)
    const { payload } = yield* Effect.mapError(verified, (error) =>
      typeof error === "string"
        ? refused(problems[error] ?? "its signature or one of its standard claims is invalid")
        : error)
    const seconds = now.epochMilliseconds / 1000
    if (payload.iat! > seconds + clockTolerance) {
      return yield* refused("it was issued in the future. Check the clocks")
    }
    if (payload.exp! > seconds + longestLifetime) {
      return yield* refused(
        `it is valid for more than ${longestLifetime / 3600} hours: issue it with a shorter lifetime`
      )
    }
    // Without the type, the declarations of the package would import the bundled jose.
    const claims: object = payload
    return claims
  })

  /** Whether a string is a JWK Set that contains a key. */
  const areKeys = (text: string) =>
    Effect.map(load, (jose) => keySetOf(jose, Result.getOrUndefined(parseStrictJson(text))) !== undefined)

  return { areKeys, verify }
})

export class JobTokens extends Context.Service<JobTokens, Effect.Success<typeof make>>()("credsvc/callers/JobTokens") {
  static readonly layerNoDeps = Layer.effect(JobTokens, make)
}
