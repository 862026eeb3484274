import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Claims, makeSigningKey, openJobIssuer, shapes, type SigningKey, signToken } from "./JobIssuer.ts"
import { movableClock } from "./MovableClock.ts"
import { startOAuthHarness } from "./OAuthHarness.ts"
import { makeKey, publicHost, type RemoteKey, send } from "./RemoteCaller.ts"
import { logIn } from "./TestDaemon.ts"
import { scoped } from "./TestSites.ts"

export const audience = `https://${publicHost}`
const github = shapes["GitHub Actions"]!
export const otherIssuer = "https://ci.example.test"
export const loginKey = "sk-proj-0123456789abcdefghij"

export const stolenKid = makeSigningKey("key-1")
export const ec = makeSigningKey("key-ec", "ES256")
export const strange = makeSigningKey("key-2")

/** A daemon that others can reach, with a profile for jobs, and two issuers of tokens. */
export const jobTrusts = Effect.gen(function*() {
  const issuer = yield* scoped(() => openJobIssuer(github.issuer))
  const other = yield* scoped(() => openJobIssuer(otherIssuer, stolenKid))
  issuer.publish(issuer.key, ec)
  const { clock, pass } = yield* movableClock
  const harness = yield* Effect.provideService(
    startOAuthHarness([issuer, other], { settings: { serverBaseUrl: Option.some(new URL(audience)) } }),
    Clock.Clock,
    clock
  )
  const { daemon } = harness
  const { post } = daemon
  yield* post("/profiles", { handle: "ci" })
  const now = () => Math.floor(clock.currentTimeMillisUnsafe() / 1000)
  const trust = (more: object = {}) =>
    post("/trusts", {
      profile: "ci",
      issuer: "github",
      claims: { repository: "acme/shop", ref: "refs/heads/main" },
      ...more
    })
  const claims = (more: Claims = {}): Claims => ({ ...github.claims(audience, now()), ...more })
  const token = (more: Claims = {}, key: SigningKey = issuer.key, header: Claims | string = {}) =>
    signToken(key, claims(more), header)
  const enroll = (token: string, key: RemoteKey = makeKey(), more: object = {}) =>
    send(daemon, key.sign("/identities/jobs", { method: "POST", body: { token, public_key: key.publicKey, ...more } }))
  /** Enrolls a job that the trust accepts. */
  const job = Effect.gen(function*() {
    const key = makeKey()
    const { body, json, status } = yield* enroll(token(), key)
    assert.strictEqual(status, 201, body)
    const request = (target: string, options?: Parameters<RemoteKey["sign"]>[1]) =>
      send(daemon, key.sign(target, options))
    return { key, json, request, name: json.name as string }
  })
  const login = Effect.gen(function*() {
    const request: typeof daemon.request = (target, options) =>
      daemon.request(target, { ...options, headers: { "credsvc-profile": "ci" } })
    for (const provider of ["openai", "mistral"]) yield* logIn({ request }, loginKey, { provider })
  })
  return { claims, daemon, enroll, harness, issuer, job, login, now, other, pass, post, token, trust }
})

export type JobTrusts = Effect.Success<typeof jobTrusts>
