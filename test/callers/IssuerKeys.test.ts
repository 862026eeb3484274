import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as crypto from "node:crypto"
import { testsWith } from "../support/Fixture.ts"
import { keysPath, makeSigningKey, shapes, type SigningKey, signToken } from "../support/JobIssuer.ts"
import { jobTrusts, otherIssuer, strange } from "../support/JobTrusts.ts"

const github = shapes["GitHub Actions"]!
const { live } = testsWith(jobTrusts)

describe("The keys of an issuer", () => {
  live(
    "are requested again for a token with a new key, but not for each token with an unknown key",
    function*({ enroll, issuer, pass, token, trust }) {
      yield* trust()
      const requests = () => issuer.at(keysPath).length
      const next = makeSigningKey("key-next")
      for (const _ of [1, 2, 3]) assert.strictEqual((yield* enroll(token({}, next))).status, 403)
      assert.strictEqual(requests(), 1)
      yield* pass("31 seconds")
      issuer.publish(next)
      assert.strictEqual((yield* enroll(token({}, next))).status, 201)
      assert.strictEqual(requests(), 2)
      // The former key was withdrawn.
      assert.match((yield* enroll(token())).body, /no key of its issuer/)
    }
  )

  live(
    "are received even if the caller for whom they are requested disconnects",
    function*({ enroll, issuer, token, trust }) {
      yield* trust()
      const { promise, resolve } = Promise.withResolvers<void>()
      issuer.answer(keysPath, () => promise.then(() => ({ body: { keys: [issuer.key.jwk] } })))
      const stranger = yield* Effect.forkScoped(enroll(token({}, strange)))
      yield* Effect.promise(() => issuer.arrival(keysPath))
      yield* Fiber.interrupt(stranger)
      yield* Effect.sleep("200 millis")
      resolve()
      const lawful = yield* enroll(token())
      assert.strictEqual(lawful.status, 201, lawful.body)
      assert.strictEqual(issuer.at(keysPath).length, 1)
    }
  )

  live("that were withdrawn are refused after ten minutes", function*({ enroll, issuer, pass, token, trust }) {
    yield* trust()
    assert.strictEqual((yield* enroll(token())).status, 201)
    issuer.publish(strange)
    assert.strictEqual((yield* enroll(token())).status, 201)
    yield* pass("10 minutes")
    assert.match((yield* enroll(token())).body, /no key of its issuer/)
  })

  live(
    "that could not be requested are requested again after a while",
    function*({ enroll, issuer, pass, token, trust }) {
      yield* trust()
      issuer.answer(keysPath, { status: 500 }, { body: { keys: [issuer.key.jwk] } })
      const refused = yield* enroll(token())
      assert.strictEqual(refused.status, 503)
      assert.match(refused.body, /temporarily unavailable/)
      assert.strictEqual((yield* enroll(token())).status, 503)
      yield* pass("31 seconds")
      assert.strictEqual((yield* enroll(token())).status, 201)
    }
  )

  const at = (path: string) => `${github.issuer}${path}`
  const documents: Readonly<Record<string, unknown>> = {
    "metadata of another issuer": { issuer: otherIssuer, jwks_uri: at(keysPath) },
    "metadata of the issuer with a slash": { issuer: at("/"), jwks_uri: at(keysPath) },
    "keys over plain http": { issuer: github.issuer, jwks_uri: at(keysPath).replace("https", "http") },
    "keys at this machine": { issuer: github.issuer, jwks_uri: `https://127.0.0.1${keysPath}` },
    "keys as data": { issuer: github.issuer, jwks_uri: "data:application/json,{}" },
    "no address of keys": { issuer: github.issuer },
    "a list": [],
    "a page": "<html></html>"
  }
  const shortKey = crypto.generateKeyPairSync("rsa", { modulusLength: 1024 })
  const keySets: Readonly<Record<string, (key: SigningKey) => ReadonlyArray<unknown>>> = {
    "a symmetric one": () => [{ kty: "oct", k: "AAAA", kid: "key-1", alg: "RS256" }],
    "a private one": ({ kid, privateKey }) => [{ ...privateKey.export({ format: "jwk" }), kid, alg: "RS256" }],
    "two of the same name": ({ jwk }) => [jwk, jwk],
    "one for encryption": ({ jwk }) => [{ ...jwk, use: "enc" }],
    "one for another algorithm": ({ jwk }) => [{ ...jwk, alg: "RS512" }],
    "too many": ({ jwk }) => [jwk, ...Array.from({ length: 100 }, (_, at) => ({ ...jwk, kid: `key-${at + 2}` }))],
    "a short one": () => [{ ...shortKey.publicKey.export({ format: "jwk" }), kid: "key-1" }],
    none: () => []
  }

  live("are not used from the metadata of another issuer, or if they are unsuitable", function*(fixture) {
    const { claims, enroll, issuer, pass, token, trust } = fixture
    yield* trust()
    const metadata = "/.well-known/openid-configuration"
    for (const [title, body] of Object.entries(documents)) {
      issuer.answer(metadata, { body })
      const refused = yield* enroll(token())
      assert.strictEqual(refused.status, 503, `${title}: ${refused.body}`)
      assert.match(refused.body, /keys of the issuer could not be requested/)
      yield* pass("31 seconds")
    }
    issuer.answer(metadata, { body: { issuer: github.issuer, jwks_uri: at(keysPath) } })
    for (const [title, keys] of Object.entries(keySets)) {
      issuer.answer(keysPath, { body: { keys: keys(issuer.key) } })
      const signer = title === "a short one" ? { ...issuer.key, privateKey: shortKey.privateKey } : issuer.key
      const refused = yield* enroll(signToken(signer, claims()))
      assert.include([403, 503], refused.status, `${title}: ${refused.body}`)
      yield* pass("10 minutes")
    }
    issuer.publish(issuer.key)
    assert.strictEqual((yield* enroll(token())).status, 201)
  })

  live("of a file are used without a request", function*({ enroll, issuer, token, trust }) {
    const keys = JSON.stringify({ keys: [issuer.key.jwk] })
    const created = yield* trust({ keys })
    assert.strictEqual(created.status, 201, created.body)
    assert.strictEqual((yield* enroll(token())).status, 201)
    assert.match((yield* enroll(token({}, strange))).body, /no key of its issuer/)
    assert.strictEqual(issuer.received.length, 0)
    for (const keys of ["", "{}", "{\"keys\":[]}", "{\"keys\":[],\"keys\":[{}]}", "[]"]) {
      assert.strictEqual((yield* trust({ name: "x", keys })).status, 400, keys)
    }
    assert.match((yield* trust({ name: "published" })).body, /uses other keys/)
  })
})
