/** Tokens of jobs, from outside: a daemon that others can reach, an issuer, and those who want the credentials of a trusted job. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as crypto from "node:crypto"
import { testsWith } from "../support/Fixture.ts"
import { encodePart, keysPath, openJobIssuer, shapes, signToken } from "../support/JobIssuer.ts"
import { audience, ec, type JobTrusts, jobTrusts, otherIssuer, stolenKid, strange } from "../support/JobTrusts.ts"
import { startOAuthHarness } from "../support/OAuthHarness.ts"
import { makeKey, publicHost, send } from "../support/RemoteCaller.ts"
import { scoped } from "../support/TestSites.ts"

const github = shapes["GitHub Actions"]!
const { live } = testsWith(jobTrusts)

/** Tokens that the daemon refuses, by the reason in its response. */
const hostile: ReadonlyArray<
  readonly [refusal: RegExp, tokens: Readonly<Record<string, (fixture: JobTrusts) => string>>]
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
      ({ claims, issuer }: JobTrusts) => {
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
