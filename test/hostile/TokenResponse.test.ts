import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { testsIn } from "../support/Fixture.ts"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { contentOf } from "../support/Services.ts"
import { API_HOST, attempt, discovered, type Setup, signIn, stated, withServer } from "./support.ts"

const { live } = testsIn(withServer)

const idToken = (claims: object): string =>
  ["{\"alg\":\"none\"}", JSON.stringify(claims), ""].map((part) => Buffer.from(part).toString("base64url")).join(".")

/** Everything that the daemon shows or stores, except the sealed database. */
const shown = (there: Setup, session: object) =>
  Effect.map(
    Effect.all([
      there.harness.daemon.request("/connections"),
      there.harness.daemon.request("/audit"),
      there.harness.daemon.request("/providers/hostile")
    ]),
    (responses) => JSON.stringify(session) + responses.map(({ body }) => body).join() + contentOf(there.harness.home)
  )

describe("Scopes", () => {
  it.live("are stored as granted, and a difference is reported", () =>
    withServer(function*(there) {
      const rows = [
        [undefined, ["read", "write"], false],
        ["read write", ["read", "write"], false],
        ["read", ["read"], true],
        ["read write admin", ["read", "write", "admin"], true]
      ] as const
      for (const [index, [scope, expected, warned]] of rows.entries()) {
        there.server.answer(paths.token, () => ({ body: there.server.tokens({ scope }) }))
        const connection = `row-${index}`
        const ended = yield* signIn(there, { login: { connection } })
        const { json } = yield* there.harness.connection("hostile", connection)
        assert.sameMembers(json.scopes, [...expected], scope ?? "absent")
        assert.strictEqual(/write|admin/.test(ended.warning ?? ""), warned, `${scope}: ${ended.warning}`)
      }
    }, (issuer) => stated(issuer, { scopes: ["read", "write"] })))
})

describe("A client with a secret", () => {
  for (const method of ["client_secret_basic", "client_secret_post"] as const) {
    it.live(`sends it by ${method} only, and never in a URL`, () =>
      withServer(function*(there) {
        const asked = yield* there.harness.start({ provider: "hostile" })
        assert.strictEqual(asked.next_action.type, "enter_input")
        const resumed = yield* there.harness.daemon.request(`/auth/sessions/${asked.session_id}/resume`, {
          method: "POST",
          body: { data: { client_id: "id:with/odd chars", client_secret: "canary-secret:%/+" } }
        })
        assert.strictEqual(resumed.status, 200, resumed.body)
        yield* there.harness.callback(there.server.redirect(resumed.json.next_action.url))
        const ended = yield* there.harness.ended(asked.session_id)
        assert.strictEqual(ended.status, "completed", ended.error?.message)
        const [request] = there.server.at(paths.token)
        const basic = /^Basic (.+)$/.exec(request?.headers.authorization ?? "")?.[1]
        const pair = Buffer.from(basic ?? "", "base64").toString().split(":")
        const form = (text = "") => decodeURIComponent(text.replaceAll("+", "%20"))
        if (method === "client_secret_basic") {
          assert.deepStrictEqual(pair.map(form), ["id:with/odd chars", "canary-secret:%/+"])
          assert.isNull(request?.form.get("client_secret"))
        } else {
          assert.isUndefined(basic)
          assert.strictEqual(request?.form.get("client_secret"), "canary-secret:%/+")
        }
        for (const { query } of there.server.received) assert.isNull(query.get("client_secret"))
        assert.notInclude(resumed.json.next_action.url, "canary-secret")
        assert.notInclude(yield* shown(there, ended), "canary-secret")
      }, (issuer) => stated(issuer, { client_id: undefined, client_authentication: method })))
  }
})

describe("An ID token", () => {
  live("that is malformed does not prevent a login that did not request one", function*(there) {
    there.server.answer(paths.token, () => ({ body: there.server.tokens({ id_token: "not.a.token" }) }))
    const ended = yield* signIn(there)
    assert.strictEqual(ended.status, "completed", ended.error?.message)
  })

  it.live("of another account at the next login causes a warning", () =>
    withServer(function*(there) {
      const now = Math.floor(Date.now() / 1000)
      const of = (sub: string) => () => ({
        body: there.server.tokens({
          id_token: idToken({ iss: there.server.issuer, aud: "public-app", sub, iat: now, exp: now + 600 })
        })
      })
      there.server.answer(paths.token, of("ada"), of("ada"), of("mallory"))
      const [first, second, third] = yield* Effect.all(
        [1, 2, 3].map(() => signIn(there, { login: { force: true } }))
      )
      assert.strictEqual(first?.status, "completed", first?.error?.message)
      assert.notExists(second?.warning)
      assert.strictEqual(third?.status, "completed", third?.error?.message)
      assert.isString(third?.warning)
    }, (issuer) => discovered(issuer, { scopes: ["openid"] })))
})

describe("Plain HTTP", () => {
  live("is rejected for every endpoint, and for loopback unless the definition was registered so", function*(there) {
    for (const endpoint of ["authorization_url", "token_url", "revocation_url", "issuer", "resource"]) {
      for (const origin of ["http://as.hostile.test", "http://127.0.0.1:1", "http://localhost:1"]) {
        const response = yield* there.harness.register(stated(there.server.issuer, { [endpoint]: `${origin}/x` }))
        assert.strictEqual(response.status, 400, `${endpoint} at ${origin}`)
      }
    }
    const distant = yield* there.harness.register(
      stated(there.server.issuer, { token_url: "http://as.hostile.test/token" }),
      true
    )
    assert.strictEqual(distant.status, 400, distant.body)
    assert.strictEqual((yield* attempt(there)).status, 201)
  })
})

describe("A refresh token", () => {
  live("is in no response of any route, and in no file", function*(there) {
    const ended = yield* signIn(there)
    const canary = "canary-rt-1"
    const post = (body: object) => ({ method: "POST", body })
    const responses = yield* Effect.all([
      there.harness.daemon.request("/connections"),
      there.harness.daemon.request("/connections/hostile/default?reveal=true"),
      there.harness.daemon.request("/credentials/export", post({ provider: "hostile", format: "json" })),
      there.harness.daemon.request("/credentials/resolve", post({ host: API_HOST })),
      there.harness.daemon.request("/providers/hostile"),
      there.harness.daemon.request("/proxy/routes"),
      there.harness.daemon.request("/audit"),
      there.harness.daemon.request("/ready"),
      there.harness.daemon.request(`/auth/sessions/${ended.session_id}`),
      there.harness.daemon.request("/ui/connections"),
      there.harness.daemon.request("/ui/apps/hostile")
    ])
    assert.include(responses[1].body, "canary-at-1")
    for (const response of responses) assert.notInclude(response.body, canary)
    assert.notInclude(contentOf(there.harness.home), canary)
    const first = responses.map(({ body }) => body).join()
    assert.strictEqual(responses[2].status, 200, first)
  })
})
