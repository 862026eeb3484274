import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type AssertionAlgorithm, readPrivateKey, signAssertion } from "../../src/oauth/Assertion.ts"
import { builtins, type KeyObject } from "../../src/platform/builtins.ts"
import { failsWith } from "../support/Failures.ts"
import { effect } from "../support/Fixture.ts"

const { constants, generateKeyPairSync, verify } = builtins.crypto

const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1" = "pkcs8") =>
  Redacted.make(key.export({ format: "pem", type }).toString())

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const small = generateKeyPairSync("rsa", { modulusLength: 1024 })
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" })
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" })
const ed = generateKeyPairSync("ed25519")

const pairs = { RS256: rsa, RS384: rsa, RS512: rsa, PS256: rsa, ES256: p256, ES384: p384, EdDSA: ed }

const isVerified = (algorithm: AssertionAlgorithm, key: KeyObject, token: string): boolean => {
  const [head, claims, signature = ""] = token.split(".")
  const hash = algorithm === "EdDSA" ? null : `sha${algorithm.slice(2)}`
  const options = algorithm.startsWith("ES")
    ? { key, dsaEncoding: "ieee-p1363" as const }
    : algorithm === "PS256"
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    : key
  return verify(hash, Buffer.from(`${head}.${claims}`), options, Buffer.from(signature, "base64url"))
}

describe("signAssertion", () => {
  for (const [algorithm, { privateKey, publicKey }] of Object.entries(pairs)) {
    effect(`signs with ${algorithm} as RFC 7518 says`, function*() {
      const token = Redacted.value(
        yield* signAssertion({
          algorithm: algorithm as AssertionAlgorithm,
          privateKey: pem(privateKey),
          header: {},
          claims: { iss: "me" },
          lifetimeSeconds: 300
        })
      )
      assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
      assert.isTrue(isVerified(algorithm as AssertionAlgorithm, publicKey, token))
      assert.isFalse(isVerified(algorithm as AssertionAlgorithm, publicKey, token.replace(".", "x.")))
    })
  }

  effect("fails without quoting a key that became unusable", function*() {
    const error = yield* failsWith(
      signAssertion({
        algorithm: "RS256",
        privateKey: Redacted.make("CANARY"),
        header: {},
        claims: {},
        lifetimeSeconds: 300
      }),
      "OAuthUnsafe"
    )
    assert.strictEqual(error.message, "the private key is not a private key in PEM")
  })
})

describe("readPrivateKey", () => {
  const problem = (text: Redacted.Redacted<string>, algorithm: AssertionAlgorithm = "RS256") =>
    Result.match(readPrivateKey(text, algorithm), { onFailure: (clause) => clause, onSuccess: () => "" })

  it("accepts the encodings of PEM that vendors issue", () => {
    assert.strictEqual(problem(pem(rsa.privateKey, "pkcs1")), "")
    assert.strictEqual(problem(pem(rsa.privateKey)), "")
    assert.strictEqual(problem(pem(p256.privateKey, "sec1"), "ES256"), "")
  })

  it("says what is wrong with a key, without quoting it", () => {
    const encrypted = rsa.privateKey.export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "x" })
    const rows = [
      [Redacted.make(String(encrypted)), "RS256", "is encrypted"],
      [Redacted.make(String(rsa.publicKey.export({ format: "pem", type: "spki" }))), "RS256", "is a public key"],
      [Redacted.make("CANARY"), "RS256", "is not a private key in PEM"],
      [pem(small.privateKey), "RS256", "must be an RSA key of at least 2048 bits"],
      [pem(p256.privateKey), "RS256", "must be an RSA key of at least 2048 bits"],
      [pem(rsa.privateKey), "ES256", "must be an EC key on the curve P-256"],
      [pem(p256.privateKey), "ES384", "must be an EC key on the curve P-384"],
      [pem(p256.privateKey), "EdDSA", "must be an Ed25519 key"]
    ] as const
    for (const [text, algorithm, expected] of rows) {
      assert.include(problem(text, algorithm), expected)
      assert.notInclude(problem(text, algorithm), "CANARY")
    }
  })
})
