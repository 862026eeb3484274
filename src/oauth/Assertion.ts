/** Signed assertions (RFC 7523, RFC 7515): a JSON Web Token that proves possession of a private key. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { builtins, type KeyObject } from "../platform/builtins.ts"
import { randomId } from "../platform/Digest.ts"
import { unsafeError } from "./OAuthErrors.ts"

export type AssertionAlgorithm = "ES256" | "ES384" | "EdDSA" | "PS256" | "RS256" | "RS384" | "RS512"

export interface Assertion {
  readonly algorithm: AssertionAlgorithm
  /** An unencrypted key in PEM. */
  readonly privateKey: Redacted.Redacted<string>
  readonly header: Readonly<Record<string, string>>
  readonly claims: Readonly<Record<string, string>>
  readonly lifetimeSeconds: number
}

/** Assertions are backdated, because clocks differ and servers reject an assertion from the future. */
const backdatedSeconds = 60

const curves: Readonly<Partial<Record<AssertionAlgorithm, string>>> = { ES256: "prime256v1", ES384: "secp384r1" }

const parse = (pem: string): KeyObject | undefined => {
  try {
    return builtins.crypto.createPrivateKey({ key: pem, format: "pem" })
  } catch {
    // The OpenSSL error is dropped, because it may describe the key.
    return undefined
  }
}

const keyProblem = (
  { asymmetricKeyDetails: details, asymmetricKeyType: type }: KeyObject,
  algorithm: AssertionAlgorithm
) => {
  const curve = curves[algorithm]
  if (algorithm === "EdDSA") return type === "ed25519" ? undefined : "must be an Ed25519 key"
  if (curve === undefined) {
    const fits = type === "rsa" && (details?.modulusLength ?? 0) >= 2048
    return fits ? undefined : "must be an RSA key of at least 2048 bits"
  }
  return type === "ec" && details?.namedCurve === curve
    ? undefined
    : `must be an EC key on the curve ${algorithm === "ES256" ? "P-256" : "P-384"}`
}

/** Reads a private key. The failure is a clause that says what is wrong with the key. */
export const readPrivateKey = (
  pem: Redacted.Redacted<string>,
  algorithm: AssertionAlgorithm
): Result.Result<KeyObject, string> => {
  const text = Redacted.value(pem)
  if (/ENCRYPTED/.test(text)) return Result.fail("is encrypted; decrypt it first, for example with openssl pkey")
  if (/PUBLIC KEY|CERTIFICATE/.test(text) && !/PRIVATE KEY/.test(text)) {
    return Result.fail("is a public key or a certificate; the private key is required")
  }
  const key = parse(text)
  if (key === undefined) return Result.fail("is not a private key in PEM")
  const problem = keyProblem(key, algorithm)
  return problem === undefined ? Result.succeed(key) : Result.fail(problem)
}

const signText = (algorithm: AssertionAlgorithm, key: KeyObject, text: string): Buffer => {
  const { constants, sign } = builtins.crypto
  const data = Buffer.from(text)
  if (algorithm === "EdDSA") return sign(null, data, key)
  const hash = `sha${algorithm.slice(2)}`
  switch (algorithm.slice(0, 2)) {
    case "ES":
      return sign(hash, data, { key, dsaEncoding: "ieee-p1363" })
    case "PS":
      return sign(hash, data, {
        key,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST
      })
    default:
      return sign(hash, data, key)
  }
}

const encodedJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Signs a new assertion, with a unique `jti`. */
export const signAssertion = Effect.fnUntraced(function*(assertion: Assertion) {
  const { algorithm, claims, header, lifetimeSeconds, privateKey } = assertion
  const key = yield* Effect.mapError(
    Effect.fromResult(readPrivateKey(privateKey, algorithm)),
    (problem) => unsafeError(`the private key ${problem}`)
  )
  const issuedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000) - backdatedSeconds
  const text = [
    encodedJson({ ...header, alg: algorithm, typ: "JWT" }),
    encodedJson({
      ...claims,
      iat: issuedAt,
      exp: issuedAt + lifetimeSeconds,
      jti: randomId()
    })
  ].join(".")
  return Redacted.make(`${text}.${signText(algorithm, key, text).toString("base64url")}`)
})
