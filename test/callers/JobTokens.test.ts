/** Tokens of jobs, from outside: a daemon that others can reach, an issuer, and those who want the credentials of a trusted job. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as crypto from "node:crypto"
import { operations } from "../../src/api/Api.ts"
import { ruleOf, servedPaths } from "../../src/server/http/CallerRules.ts"
import { testsWith } from "../support/Fixture.ts"
import {
  type Claims,
  encodePart,
  keysPath,
  makeSigningKey,
  openJobIssuer,
  shapes,
  type SigningKey,
  signToken
} from "../support/JobIssuer.ts"
import { movableClock } from "../support/MovableClock.ts"
import { startOAuthHarness } from "../support/OAuthHarness.ts"
import { makeKey, publicHost, registration, type RemoteKey, send } from "../support/RemoteCaller.ts"
import { logIn, type RequestOptions, type TestDaemonShape } from "../support/TestDaemon.ts"
import { scoped } from "../support/TestSites.ts"
import { eventually } from "../support/Until.ts"

const audience = `https://${publicHost}`
const github = shapes["GitHub Actions"]!
const otherIssuer = "https://ci.example.test"
const loginKey = "sk-proj-0123456789abcdefghij"

const stolenKid = makeSigningKey("key-1")
const ec = makeSigningKey("key-ec", "ES256")
const strange = makeSigningKey("key-2")

const setUp = Effect.gen(function*() {
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

type Fixture = Effect.Success<typeof setUp>

const { live } = testsWith(setUp)

/** Tokens that the daemon refuses, by the reason in its response. */
const hostile: ReadonlyArray<
  readonly [refusal: RegExp, tokens: Readonly<Record<string, (fixture: Fixture) => string>>]
> = [
  [/not a signed/, {
    "without a signature (alg none)": ({ claims }) =>
      `${encodePart({ alg: "none", kid: "key-1" })}.${encodePart(claims())}.`,
    "with two algorithms in its header": ({ issuer, token }) =>
      token({}, issuer.key, `{"alg":"none","alg":"RS256","kid":"key-1","typ":"JWT"}`),
    "of a repository named twice": ({ claims, issuer }) =>
      signToken(issuer.key, `{"repository":"evil/shop",${JSON.stringify(claims()).slice(1)}`),
    "with an escaped member named twice": ({ claims, issuer }) =>
      signToken(issuer.key, `{"r\\u0065pository":"evil/shop",${JSON.stringify(claims()).slice(1)}`),
    "with a member __proto__": ({ claims, issuer }) => {
      const others = JSON.stringify(claims({ repository: undefined })).slice(1)
      return signToken(issuer.key, `{"__proto__":{"repository":"acme/shop"},${others}`)
    },
    "with text after its claims": ({ claims, issuer }) => signToken(issuer.key, `${JSON.stringify(claims())} {}`),
    "whose claims are a list": ({ claims, issuer }) => signToken(issuer.key, `[${JSON.stringify(claims())}]`),
    "that is nested too deeply": ({ token }) => token({ deep: JSON.parse(`${"[".repeat(20)}${"]".repeat(20)}`) }),
    "without its signature": ({ token }) => token().split(".").slice(0, 2).join("."),
    "with an empty signature": ({ token }) => `${token().split(".").slice(0, 2).join(".")}.`,
    "in another alphabet of base64": ({ token }) => `${token()}==`,
    "as JSON": ({ token }) => JSON.stringify({ payload: token() }),
    "that is encrypted": ({ token }) => `${token()}.AAAA.AAAA`
  }],
  [/algorithm/, {
    "with alg none and some signature": ({ claims }) =>
      `${encodePart({ alg: "none", kid: "key-1" })}.${encodePart(claims())}.AAAA`,
    "with another algorithm of the same key (PS256)": ({ issuer, token }) => token({}, issuer.key, { alg: "PS256" }),
    ...Object.fromEntries(["pem", "der", "n"].map((form) => [
      `signed by HMAC with the public key as ${form}`,
      ({ claims, issuer }: Fixture) => {
        const { jwk, publicKey } = issuer.key
        const secret = form === "n"
          ? Buffer.from(String(jwk["n"]), "base64url")
          : publicKey.export({ format: form as "pem", type: "spki" })
        const content = `${encodePart({ alg: "HS256", kid: "key-1", typ: "JWT" })}.${encodePart(claims())}`
        return `${content}.${crypto.createHmac("sha256", secret).update(content).digest("base64url")}`
      }
    ]))
  }],
  [/no key of its issuer/, {
    "with the algorithm of another key": ({ issuer, token }) => token({}, issuer.key, { kid: "key-ec" }),
    "signed by an unknown key": ({ token }) => token({}, strange),
    "with a kid like a path": ({ issuer, token }) => token({}, issuer.key, { kid: "../../dev/null" })
  }],
  [/signature/, {
    "signed by an own key with a stolen kid": ({ token }) => token({}, stolenKid),
    "signed by the key of another trusted issuer": ({ other, token }) => token({}, other.key),
    "with changed claims": ({ claims, token }) => {
      const [head, , signature] = token({ repository: "evil/shop" }).split(".")
      return `${head}.${encodePart(claims())}.${signature}`
    },
    "with a changed header": ({ token }) => {
      const [, content, signature] = token().split(".")
      return `${encodePart({ typ: "JWT", alg: "RS256", kid: "key-1" })}.${content}.${signature}`
    }
  }],
  [/no trust accepts tokens of its issuer/, {
    "of an issuer that no trust names": ({ other, token }) => token({ iss: "https://evil.example" }, other.key),
    "of an issuer with a slash at the end": ({ token }) => token({ iss: `${github.issuer}/` }),
    "of an issuer in other letters": ({ token }) => token({ iss: github.issuer.toUpperCase() })
  }],
  [/names no issuer/, {
    "without an issuer": ({ token }) => token({ iss: undefined }),
    "with two issuers": ({ token }) => token({ iss: [github.issuer, otherIssuer] })
  }],
  [/header/, {
    "that brings its key": ({ token }) => token({}, strange, { jwk: strange.jwk, kid: "key-1" }),
    "that names its keys": ({ issuer, token }) => token({}, issuer.key, { jku: `${otherIssuer}${keysPath}` }),
    "that names its certificate": ({ issuer, token }) => token({}, issuer.key, { x5u: otherIssuer }),
    "that brings its certificate": ({ issuer, token }) => token({}, issuer.key, { x5c: ["AAAA"] }),
    "with a critical extension": ({ issuer, token }) => token({}, issuer.key, { crit: ["b64"], b64: false }),
    "with an empty list of critical extensions": ({ issuer, token }) => token({}, issuer.key, { crit: [] }),
    "with compressed content": ({ issuer, token }) => token({}, issuer.key, { zip: "DEF" }),
    "of another type": ({ issuer, token }) => token({}, issuer.key, { typ: "dpop+jwt" }),
    "without a kid": ({ issuer, token }) => token({}, issuer.key, { kid: undefined }),
    "with a kid that is no text": ({ issuer, token }) => token({}, issuer.key, { kid: ["key-1"] })
  }],
  [/expired/, { "that has expired": ({ now, token }) => token({ exp: now() - 61, iat: now() - 400 }) }],
  [/in the future/, {
    "from the future": ({ now, token }) => token({ iat: now() + 120, nbf: now(), exp: now() + 600 })
  }],
  [/more than 24 hours/, {
    "that expires at the end of time": ({ token }) => token({ exp: 1e300 }),
    "that is valid for two days": ({ now, token }) => token({ exp: now() + 172_800 })
  }],
  [/standard claims/, {
    "that expires without a number": ({ now, token }) => token({ exp: String(now() + 300) }),
    "that never expires": ({ token }) => token({ exp: undefined }),
    "that is not valid yet": ({ now, token }) => token({ nbf: now() + 120 }),
    "without a time of issue": ({ token }) => token({ iat: undefined }),
    "without a subject": ({ token }) => token({ sub: undefined }),
    "for no audience": ({ token }) => token({ aud: undefined })
  }],
  [/no trust accepts its claims: aud=.{0,3}https:\/\/github.com\/acme/, {
    "for another audience": ({ token }) => token({ aud: "https://github.com/acme" })
  }],
  [/no trust accepts its claims/, {
    "of another issuer with the claims of this one": ({ other, token }) => token({ iss: otherIssuer }, other.key),
    "for an empty list of audiences": ({ token }) => token({ aud: [] }),
    "for this and another audience": ({ token }) => token({ aud: [audience, "https://other.example"] }),
    "for the audience twice": ({ token }) => token({ aud: [audience, audience] }),
    "for an audience that begins alike": ({ token }) => token({ aud: `${audience}.evil.example` }),
    "for an audience with a slash": ({ token }) => token({ aud: `${audience}/` }),
    "of another repository": ({ token }) => token({ repository: "evil/shop" }),
    "of a repository in other letters": ({ token }) => token({ repository: "Acme/shop" }),
    "of a repository with a letter that looks alike": ({ token }) => token({ repository: "acm\u0435/shop" }),
    "of a repository with a NUL": ({ token }) => token({ repository: "acme/shop\0" }),
    "of a list of repositories": ({ token }) => token({ repository: ["acme/shop"] }),
    "of an object that prints like the repository": ({ token }) => token({ repository: { toString: "acme/shop" } }),
    "without the claim": ({ token }) => token({ repository: undefined }),
    "of another branch": ({ token }) => token({ ref: "refs/heads/main/evil" })
  }],
  [/token|larger/, { "that is too large": ({ token }) => token({ filler: "x".repeat(13_000) }) }]
]

describe("A token of a job", () => {
  live("is refused after any manipulation, and accepted unchanged", function*(fixture) {
    const { daemon, enroll, token, trust } = fixture
    assert.strictEqual((yield* trust()).status, 201)
    const other = yield* trust({ name: "other", issuer: otherIssuer, claims: { repository: "acme/else" } })
    assert.strictEqual(other.status, 201, other.body)
    for (
      const [title, refusal, make] of hostile.flatMap(([refusal, tokens]) =>
        Object.entries(tokens).map(([title, make]) => [title, refusal, make] as const)
      )
    ) {
      const { body, status } = yield* enroll(make(fixture))
      assert.include([400, 403], status, `${title}: ${body}`)
      assert.match(body, refusal, title)
      assert.notInclude(body, "eyJ", title)
    }
    const { json } = yield* daemon.request("/identities")
    assert.deepStrictEqual(json.identities, [])
    const lawful = yield* enroll(token())
    assert.strictEqual(lawful.status, 201, lawful.body)
    assert.strictEqual((yield* enroll(token({}, ec))).status, 201)
  })

  for (const [system, shape] of Object.entries(shapes)) {
    it.live(`of ${system} is accepted in its published shape, and names the identity`, () =>
      Effect.gen(function*() {
        const issuer = yield* scoped(() => openJobIssuer(shape.issuer))
        const settings = { serverBaseUrl: Option.some(new URL(audience)) }
        const { daemon } = yield* startOAuthHarness([issuer], { settings })
        yield* daemon.post("/profiles", { handle: "ci" })
        const created = yield* daemon.post("/trusts", { profile: "ci", issuer: shape.issuer, claims: shape.patterns })
        assert.strictEqual(created.status, 201, created.body)
        const key = makeKey()
        const token = signToken(issuer.key, shape.claims(audience, Math.floor(Date.now() / 1000)), shape.header)
        const body = { token, public_key: key.publicKey }
        const { body: text, json, status } = yield* send(daemon, key.sign("/identities/jobs", { method: "POST", body }))
        assert.strictEqual(status, 201, text)
        assert.match(json.name, new RegExp(`^ci-${shape.job}-[0-9a-f]{8}$`))
        assert.strictEqual((yield* send(daemon, key.sign("/whoami"))).json.profile, "ci")
      }))
  }

  live(
    "enrolls one key and no other, even if the token is sent twice while the enrollment is valid",
    function*({ enroll, pass, token, trust }) {
      yield* trust({ expires_in: 60 })
      const [key, text] = [makeKey(), token({ exp: Math.floor(Date.now() / 1000) + 3000 })]
      const first = yield* enroll(text, key)
      assert.strictEqual(first.status, 201, first.body)
      assert.deepStrictEqual((yield* enroll(text, key)).json, first.json)
      assert.match((yield* enroll(text)).body, /already enrolled a key/)
      yield* pass("61 seconds")
      assert.match((yield* enroll(text, key)).body, /already enrolled a key/)
      const next = yield* enroll(token(), key)
      assert.strictEqual(next.status, 201, next.body)
      assert.notStrictEqual(next.json.name, first.json.name)
    }
  )

  live("enrolls one key of many that are sent at the same time", function*({ enroll, token, trust }) {
    yield* trust()
    const text = token()
    const replies = yield* Effect.all(Array.from({ length: 8 }, () => enroll(text)), { concurrency: 8 })
    assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(403)])
  })

  live("enrolls only the key that signs the request", function*({ daemon, enroll, token, trust }) {
    yield* trust()
    const [key, other] = [makeKey(), makeKey()]
    const body = { token: token(), public_key: other.publicKey }
    const stolen = yield* send(daemon, key.sign("/identities/jobs", { method: "POST", body }))
    assert.match(stolen.body, /must be signed by the key/)
    const unsigned = yield* daemon.post("/identities/jobs", body, { host: publicHost })
    assert.include([401, 403], unsigned.status)
    assert.strictEqual((yield* enroll(body.token, other)).status, 201)
  })

  live(
    "of a removed trust is refused, and so are the next requests of its jobs",
    function*({ daemon, enroll, job, token, trust }) {
      yield* trust()
      const text = token()
      yield* enroll(text)
      const { request } = yield* job
      assert.strictEqual((yield* request("/whoami")).status, 200)
      const removed = yield* daemon.request("/trusts/ci", { method: "DELETE" })
      assert.deepInclude(removed.json, { status: "removed", name: "ci", identities: 2 })
      assert.strictEqual((yield* request("/whoami")).status, 401)
      assert.match((yield* enroll(token())).body, /no trust accepts tokens of its issuer/)
      yield* trust()
      // A trust of the same name does not bring back what was removed, nor make a token count twice.
      assert.strictEqual((yield* request("/whoami")).status, 401)
      assert.match((yield* enroll(text)).body, /already enrolled a key/)
    }
  )

  live("that several trusts accept requires the name of one of them", function*({ enroll, token, trust }) {
    yield* trust({ name: "one" })
    yield* trust({ name: "two", claims: { repository: "acme/*" } })
    yield* trust({ name: "three", claims: { repository: "acme/else" } })
    const text = token()
    assert.match((yield* enroll(text)).body, /Choose one with --trust: one, two/)
    assert.match((yield* enroll(text, makeKey(), { trust: "three" })).body, /no trust accepts its claims/)
    assert.strictEqual((yield* enroll(text, makeKey(), { trust: "two" })).json.job.trust, "two")
  })
})

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

describe("A trust", () => {
  const gitlab = { issuer: "gitlab" }
  const buildkite = { issuer: "buildkite" }
  const cluster = { issuer: "https://cluster.example" }
  /** Patterns that would accept strangers, and lawful ones beside them. */
  const refused: ReadonlyArray<readonly [refusal: RegExp, trust: object]> = [
    [/strangers/, { claims: {} }],
    [/strangers/, { claims: { ref: "refs/heads/main" } }],
    [/strangers/, { claims: { sub: "repo:acme/shop:ref:refs/heads/main" } }],
    [/strangers/, { claims: { job_workflow_ref: "acme/flows/.github/workflows/x.yml@refs/heads/main" } }],
    [/strangers/, { claims: { actor: "octocat", environment: "production" } }],
    [/strangers/, { issuer: "https://token.actions.githubusercontent.com/acme", claims: { ref: "refs/heads/main" } }],
    [/strangers/, {
      issuer: "https://TOKEN.actions.githubusercontent.com",
      claims: { sub: "repo:acme/shop:pull_request" }
    }],
    [/wildcard/, { claims: { repository: "*" } }],
    [/wildcard/, { claims: { repository: "*/*" } }],
    [/wildcard/, { claims: { repository: "*/shop" } }],
    [/wildcard/, { claims: { repository: "acme*" } }],
    [/wildcard/, { claims: { repository: "acme*/shop" } }],
    [/wildcard/, { claims: { repository: "/*" } }],
    [/wildcard/, { claims: { repository: "acme/**" } }],
    [/wildcard/, { claims: { repository_owner: "acm*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", repository_owner: "*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", sub: "repo:*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", sub: "repo:acme/*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", ref: "*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", ref: "refs/heads/a*b*c" } }],
    [/strangers/, { ...gitlab, claims: { ref: "main", sub: "project_path:acme/shop:ref_type:branch:ref:main" } }],
    [/wildcard/, { ...gitlab, claims: { namespace_path: "ac*" } }],
    [/strangers/, { ...buildkite, claims: { pipeline_slug: "shop" } }],
    [/wildcard/, { ...buildkite, claims: { organization_slug: "*acme" } }],
    [/strangers/, { ...cluster, claims: { "kubernetes.io/serviceaccount/name": "web" } }],
    [/wildcard/, { ...cluster, claims: { sub: "system:serviceaccount:*:web" } }],
    [/wildcard/, { ...cluster, claims: { sub: "system:serviceaccount:*" } }],
    [/wildcard/, { ...cluster, claims: { "kubernetes.io/namespace": "shop*" } }],
    [/ASCII/, { claims: { repository: "acm\u0435/shop" } }],
    [/ASCII/, { claims: { repository: "acme/shop\n" } }],
    [/ASCII/, { claims: { repository: "" } }],
    [/is verified separately/, { claims: { repository: "acme/shop", aud: "x" } }],
    [/name of a claim/, { claims: { repository: "acme/shop", "a b": "x" } }],
    [/name of a claim/, { claims: { repository: "acme/shop", "a//b": "x" } }],
    [/at most 16/, {
      claims: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`repository${at || ""}`, "x"]))
    }],
    [/https URL/, { issuer: "http://ci.example", claims: { sub: "a" } }],
    [/https URL/, { issuer: "https://user@ci.example", claims: { sub: "a" } }],
    [/https URL/, { issuer: "https://127.0.0.1", claims: { sub: "a" } }],
    [/https URL/, { issuer: "https://ci.example/?a=b", claims: { sub: "a" } }],
    [/https URL/, { issuer: "constructor", claims: { sub: "a" } }],
    [/must not be the issuer/, {
      ...cluster,
      audience: cluster.issuer,
      claims: { sub: "system:serviceaccount:shop:web" }
    }],
    [/Unknown profile/, { profile: "unknown", claims: { repository: "acme/shop" } }],
    [/Unknown policy/, { policies: ["unknown"], claims: { repository: "acme/shop" } }],
    [/expires_in/, { expires_in: 59, claims: { repository: "acme/shop" } }],
    [/expires_in/, { expires_in: 86_401, claims: { repository: "acme/shop" } }]
  ]
  const lawful: ReadonlyArray<object> = [
    { claims: { repository: "acme/shop" } },
    { claims: { repository: "acme/*", ref: "refs/heads/release-*" } },
    { claims: { repository_owner_id: "65" } },
    { claims: { repository_id: "74", sub: "repo:acme/shop:*" } },
    { ...gitlab, claims: { namespace_id: "72", ref_protected: "true" } },
    { ...gitlab, claims: { project_path: "acme/*" } },
    { ...buildkite, claims: { organization_slug: "acme", pipeline_slug: "shop-*" } },
    { ...cluster, claims: { sub: "system:serviceaccount:shop:*" } },
    { ...cluster, claims: { "kubernetes.io/namespace": "shop" } },
    { issuer: "https://gitlab.acme.example", claims: { project_path: "acme/shop" } }
  ]

  live(
    "that would accept the jobs of strangers is refused, and a trust for a single owner is created",
    function*({ daemon, trust }) {
      for (const [refusal, more] of refused) {
        const { body, status } = yield* trust(more)
        assert.include([400, 403], status, JSON.stringify(more))
        assert.match(body, refusal, JSON.stringify(more))
      }
      for (const [at, more] of lawful.entries()) {
        const { body, status } = yield* trust({ name: `lawful-${at}`, ...more })
        assert.strictEqual(status, 201, body)
      }
      assert.strictEqual((yield* daemon.request("/trusts")).json.trusts.length, lawful.length)
    }
  )

  /** Patterns, and claims that match or do not. */
  const wildcards: ReadonlyArray<
    readonly [pattern: string, matching: ReadonlyArray<string>, other: ReadonlyArray<string>]
  > = [
    [
      "refs/heads/release-*",
      ["refs/heads/release-1.2", "refs/heads/release-"],
      [
        "refs/heads/release-1/evil",
        "refs/heads/release-a:b",
        "refs/heads/release-\u0435",
        "refs/heads/release-a b",
        "xrefs/heads/release-1"
      ]
    ],
    ["refs/*/main", ["refs/heads/main"], ["refs/heads/a/main", "refs/heads/main\n", "refs/heads/mainly"]],
    ["refs/heads/v1.0", ["refs/heads/v1.0"], ["refs/heads/v1x0", "refs/heads/v1.0.1", ""]]
  ]
  live("accepts a wildcard within one segment only", function*({ enroll, token, trust }) {
    for (const [at, [pattern, matching, other]] of wildcards.entries()) {
      yield* trust({ name: `t${at}`, claims: { repository: "acme/shop", ref: pattern } })
      const tried = (ref: string) =>
        Effect.map(enroll(token({ ref }), makeKey(), { trust: `t${at}` }), ({ status }) => status)
      for (const ref of matching) assert.strictEqual(yield* tried(ref), 201, ref)
      for (const ref of other) assert.strictEqual(yield* tried(ref), 403, ref)
    }
  })

  live(
    "is recorded with the jobs that it enrolls and those that it refuses",
    function*({ daemon, enroll, job, token, trust }) {
      yield* trust()
      const { name } = yield* job
      yield* enroll(token({ repository: "evil/shop" }))
      yield* daemon.request("/trusts/ci", { method: "DELETE" })
      const { json } = yield* daemon.request("/audit")
      const seen = json.entries.map((
        { connection, event, identity, status }: any
      ) => [event, connection, identity, status])
      const administrator = seen.find(([event]: any) => event === "trust-create")[2]
      assert.deepStrictEqual(seen.slice(-4), [
        ["trust-create", "ci", administrator, "ok"],
        ["identity-enroll", name, "ci", "ok"],
        ["identity-enroll", null, "ci", "denied"],
        ["trust-remove", "ci", administrator, "ok"]
      ])
    }
  )

  live("records no refusal of a token for another audience", function*({ daemon, enroll, token, trust }) {
    yield* trust()
    for (const aud of ["https://github.com/evil", [audience, "https://other.example"], []]) {
      assert.match((yield* enroll(token({ aud, repository: "evil/shop" }))).body, /no trust accepts its claims/)
    }
    const denied = Effect.map(
      daemon.request("/audit"),
      ({ json }) => json.entries.filter(({ event }: any) => event === "identity-enroll").length
    )
    assert.strictEqual(yield* denied, 0)
    yield* enroll(token({ repository: "evil/shop" }))
    assert.strictEqual(yield* denied, 1)
  })
})

describe("A job", () => {
  type Request = Effect.Success<Fixture["job"]>["request"]
  const runId = "a-run-of-the-job-0123456789"
  const resolve = (host: string) => ({ method: "POST", body: { host }, headers: { "credsvc-run": runId } })

  const register = (request: Request, more: object = {}) =>
    request("/runs", { method: "POST", body: { ...registration, ...more }, headers: { "credsvc-run": runId } })
  /** Registers a run until the scope closes. */
  const startRun = (daemon: TestDaemonShape, request: Request) =>
    Effect.andThen(
      Effect.forkScoped(register(request)),
      eventually(daemon.request("/runs"), ({ json }) => json.runs.length > 0)
    )

  live(
    "uses credentials of its trust's providers in its runs until its key expires",
    function*({ daemon, job, login, pass, trust }) {
      yield* login
      yield* trust({ providers: ["openai"], expires_in: 60 })
      const { request } = yield* job
      assert.match(
        (yield* register(request, { providers: ["mistral"] })).body,
        /trust of this job is limited to openai/
      )
      yield* startRun(daemon, request)
      const allowed = yield* request("/credentials/resolve", resolve("api.openai.com"))
      assert.strictEqual(allowed.status, 200, allowed.body)
      const other = yield* request("/credentials/resolve", resolve("api.mistral.ai"))
      assert.strictEqual(other.status, 403, other.body)
      yield* pass("61 seconds")
      const late = yield* request("/credentials/resolve", resolve("api.openai.com"))
      assert.match(late.body, /key of this job has expired/)
    }
  )

  live("has the rules of the policies of its trust", function*({ daemon, job, login, post, trust }) {
    yield* login
    const policy = { allow: [], deny: ["POST api.openai.com"], readonly: false }
    yield* post("/policies/reads", policy, { "credsvc-profile": "ci" })
    yield* trust({ policies: ["reads"] })
    const { request } = yield* job
    const { json } = yield* startRun(daemon, request)
    assert.deepStrictEqual(json.runs[0].rules.map(({ deny }: any) => deny), [["POST api.openai.com"]])
  })

  /** How each operation for jobs is called, and its status, 404 for a connection of another profile. */
  const uses: Readonly<Record<string, readonly [target: string, options: RequestOptions, status: number]>> = {
    "system.whoami": ["/whoami", {}, 200],
    "connections.list": ["/connections", {}, 200],
    "connections.get": ["/connections/openai/foreign", {}, 404],
    "credentials.resolve": [
      "/credentials/resolve",
      { ...resolve(""), body: { host: "api.openai.com", provider: "openai", connection: "foreign" } },
      404
    ],
    "providers.list": ["/providers", {}, 200],
    "providers.get": ["/providers/openai", {}, 200],
    "proxy.routes": ["/proxy/routes", {}, 200],
    // Beyond the trust, because a registration holds the response.
    "runs.register": ["/runs", { ...resolve(""), body: { ...registration, providers: ["mistral"] } }, 400],
    "runs.report": ["/runs/requests", { ...resolve(""), body: { part: 2, last: false, missing: 0, entries: [] } }, 200]
  }

  live("calls only the operations for jobs, and sees no other profile", function*({ daemon, job, login, post, trust }) {
    yield* login
    const { json } = yield* post("/auth/sessions", { provider: "openai", connection: "foreign" })
    yield* post(`/auth/sessions/${json.session_id}/resume`, { data: { api_key: loginKey } })
    yield* trust({ providers: ["openai"] })
    const { request } = yield* job
    yield* startRun(daemon, request)
    for (const { method, path } of servedPaths) {
      const rule = ruleOf(method, path)
      if (rule === "anyone" || rule === "job") continue
      const isPage = path.startsWith("/ui/")
      const target = path.replaceAll(/:\w+/g, path.startsWith("/ui/runs/") ? "0123456789" : "openai")
      const type = isPage ? "application/x-www-form-urlencoded" : "application/json"
      const body = method === "POST" ? { headers: { "content-type": type }, body: "{}" } : {}
      const refused = yield* request(target, { method, ...body })
      // The guard refuses a form for a name that cannot exist before it looks at the caller.
      assert.include(isPage ? [403, 415] : [403], refused.status, `${method} ${target}: ${refused.body}`)
      if (rule === "profile") assert.match(refused.body, /A job can only use credentials/, target)
    }
    const forJobs = operations.filter(({ facts }) => facts.callers === "job").map(({ id }) => id)
    assert.sameMembers(Object.keys(uses), forJobs)
    const administrator = (yield* daemon.request("/profiles")).json.active
    for (const [id, [target, options, status]] of Object.entries(uses)) {
      const own = yield* request(target, options)
      assert.strictEqual(own.status, status, `${id}: ${own.body}`)
      if (status === 200) assert.notInclude(own.body, "foreign", id)
      // A run has the profile of its identity, whatever the field says.
      if (id.startsWith("runs.")) continue
      const headers = { ...options.headers, "credsvc-profile": administrator }
      const other = yield* request(target, { ...options, headers })
      assert.strictEqual(other.status, 403, `${id} in the other profile: ${other.body}`)
    }
  })

  live("can neither read secrets nor change the store", function*({ daemon, job, login, trust }) {
    yield* login
    yield* trust()
    const { request } = yield* job
    const attempts: ReadonlyArray<readonly [string, RequestOptions]> = [
      ["/connections/openai/default?reveal=true", {}],
      ["/credentials/resolve", { ...resolve("api.openai.com"), headers: {} }],
      ["/credentials/resolve", {
        ...resolve("api.openai.com"),
        headers: { "credsvc-run": "not-registered-0123456789" }
      }]
    ]
    for (const [target, options] of attempts) {
      const { body, status } = yield* request(target, options)
      assert.strictEqual(status, 403, `${target}: ${body}`)
      assert.notInclude(body, loginKey)
    }
    const local = { headers: { "credsvc-profile": "ci" } }
    const { json: stored } = yield* daemon.request("/connections", local)
    assert.sameMembers(stored.connections.map(({ provider }: any) => provider), ["openai", "mistral"])
    const { json } = yield* daemon.request("/audit", local)
    const denied = json.entries.filter(({ status }: any) => status === "denied").map(({ event }: any) => event)
    assert.includeMembers(denied, ["get", "resolve"])
  })

  live(
    "is refused while its key is disabled, and is stopped with all its keys only by removing the trust",
    function*({ daemon, enroll, job, token, trust }) {
      yield* trust()
      const { key, name, request } = yield* job
      yield* daemon.request(`/identities/${name}/disable`, { method: "POST" })
      assert.match((yield* request("/whoami")).body, /disabled/)
      assert.match((yield* enroll(token(), key)).body, /already enrolled/)
      // No claim identifies a job in all systems, so a new key is not recognized as one of the same job.
      const other = makeKey()
      assert.strictEqual((yield* enroll(token(), other)).status, 201)
      yield* daemon.request("/trusts/ci", { method: "DELETE" })
      assert.strictEqual((yield* send(daemon, other.sign("/whoami"))).status, 401)
      assert.match((yield* enroll(token())).body, /no trust accepts tokens of its issuer/)
    }
  )

  live("cannot take over the key of a machine, nor its name", function*({ daemon, enroll, post, token, trust }) {
    yield* trust()
    const { json } = yield* post("/identities/codes", { profile: "ci", name: "laptop" })
    const machine = makeKey()
    const body = { code: json.code, public_key: machine.publicKey }
    assert.strictEqual((yield* send(daemon, machine.sign("/identities", { method: "POST", body }))).status, 201)
    assert.match((yield* enroll(token(), machine)).body, /already enrolled as \\"laptop\\"/)
    assert.strictEqual((yield* send(daemon, machine.sign("/whoami"))).status, 200)
  })
})
