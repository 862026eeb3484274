/** The flows that store credentials, with a token endpoint that does not behave. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { paths } from "../support/HostileAuthorizationServer.ts"
import type { Reply } from "../support/ScriptedSite.ts"
import { contentOf } from "../support/Services.ts"
import { keyCanary, privateKey } from "../support/StoredGrants.ts"
import { API_HOST, type Setup, withServer } from "./support.ts"

const secret = "canary-entered-secret"

interface Flow {
  readonly name: string
  readonly definition: (issuer: string) => object
  readonly values: Readonly<Record<string, string>>
}

const definitionOf = (flow: string, section: (issuer: string) => object) => (issuer: string) => ({
  name: "hostile",
  auth_type: "oauth2",
  flow,
  api_url: `https://${API_HOST}`,
  oauth: { token_url: issuer + paths.token, [flow]: section(issuer) }
})

const flows: ReadonlyArray<Flow> = [
  {
    name: "client_credentials",
    definition: definitionOf("client_credentials", () => ({})),
    values: { client_id: "cid", client_secret: secret }
  },
  {
    name: "jwt_bearer",
    definition: definitionOf("jwt_bearer", () => ({
      fields: [{ name: "client_id", secret: false }],
      claims: { iss: "{client_id}" }
    })),
    values: { client_id: "cid", private_key: privateKey }
  },
  {
    name: "token_request",
    definition: definitionOf("token_request", (issuer) => ({
      url: issuer + paths.token,
      fields: [{ name: "user", secret: false }, { name: "password" }],
      body: { user: "{user}", password: "{password}" }
    })),
    values: { user: "ada", password: secret }
  }
]

/** What this flow must not expose. */
const canariesOf = (
  { name }: Flow
): ReadonlyArray<string> => ["canary-token", name === "jwt_bearer" ? keyCanary : secret]

const logIn = ({ harness }: Setup, { values }: Flow, connection: string) =>
  Effect.gen(function*() {
    const { session_id } = yield* harness.start({ provider: "hostile", connection })
    yield* harness.daemon.request(`/auth/sessions/${session_id}/resume`, { method: "POST", body: { data: values } })
    return yield* harness.session(session_id)
  })

const shownAt = ["/connections", "/audit", "/providers/hostile", "/health", "/ui/", "/ui/connections"]

const lookupPath = "/accounts"

const withLookup = ({ definition }: Flow) => (issuer: string) => {
  const { oauth, ...more } = definition(issuer) as { readonly oauth: object }
  return {
    ...more,
    hosts: [API_HOST, `${new URL(issuer).host}${lookupPath}`],
    oauth: {
      ...oauth,
      revocation_url: issuer + paths.revoke,
      lookup: { url: issuer + lookupPath, items: "/accounts", label: "/name", values: { tenant_id: "/id" } },
      headers: { "X-Tenant": "{tenant_id}" }
    }
  }
}

/** Everything that the daemon shows or stores. */
const shown = ({ harness }: Setup, ...documents: ReadonlyArray<object>) =>
  Effect.map(Effect.all(shownAt.map((path) => harness.daemon.request(path))), (responses) => {
    for (const { body, status } of responses) assert.strictEqual(status, 200, body)
    return JSON.stringify(documents) + responses.map(({ body }) => body).join() + contentOf(harness.home)
  })

const good = { access_token: "canary-token", token_type: "Bearer", expires_in: 3600 }
const html = { "content-type": "text/html" }

const rows: ReadonlyArray<readonly [what: string, reply: Reply]> = [
  ["HTML", { body: `<p>canary-token ${secret}</p>`, headers: html }],
  ["a token declared as HTML", { body: JSON.stringify(good), headers: html }],
  ["an internal error", { status: 500, body: { error: "canary-token" } }],
  ["no response", { act: "drop" }],
  ["a redirect", { status: 307, headers: { location: "https://evil.test/token" } }],
  ["an endless body", { body: "x".repeat(65_536), headers: { "content-type": "application/json" }, act: "stream" }],
  ["an array", { body: [good] }],
  ["a token that is a number", { body: { ...good, access_token: 7 } }],
  ["a token with a line break", { body: { ...good, access_token: "canary-token\r\nX-Evil: 1" } }],
  ["a token of 20 KiB", { body: { ...good, access_token: `canary-token${"x".repeat(20_480)}` } }],
  ["a token type of DPoP", { body: { ...good, token_type: "DPoP" } }],
  ["an error with status 200", { body: { error: "access_denied", error_description: `no ${secret}` } }],
  ["a refusal that repeats what was sent", {
    status: 401,
    body: { error: "invalid_client", error_description: `no ${secret}` }
  }]
]

const lookups: ReadonlyArray<readonly [what: string, reply: Reply]> = [
  ["status 401", { status: 401, body: { error: "canary-token" } }],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.test/canary-token" } }],
  ["a page", { body: "<html>canary-token</html>", headers: html }],
  ["no account", { body: { accounts: [] } }],
  ["an account without its value", { body: { accounts: [{ name: "canary-token" }] } }],
  ["a value that would end a header", { body: { accounts: [{ id: `${secret}\r\nX-Evil: 1` }] } }],
  ["deep nesting", { body: "[".repeat(100_000), headers: { "content-type": "application/json" } }]
]

const lives: ReadonlyArray<readonly [expiresIn: unknown, known: boolean]> = [
  [3600, true],
  ["3600", true],
  ["soon", false],
  [-5, false],
  [1e300, false],
  [null, false],
  [{ seconds: 3600 }, false]
]

for (const flow of flows) {
  describe(`A token endpoint of the flow ${flow.name}`, () => {
    it.live("that responds with anything but a token leads to no connection, and exposes nothing", () =>
      withServer(function*(there) {
        for (const [index, [what, reply]] of rows.entries()) {
          there.server.answer(paths.token, reply)
          const connection = `row-${index}`
          const session = yield* logIn(there, flow, connection)
          assert.notStrictEqual(session.status, "completed", what)
          assert.strictEqual((yield* there.harness.connection("hostile", connection)).status, 404, what)
          const seen = yield* shown(there, session)
          for (const canary of canariesOf(flow)) assert.notInclude(seen, canary, what)
        }
      }, flow.definition))

    it.live("that states an invalid lifetime issues a token whose lifetime is unknown", () =>
      withServer(function*(there) {
        for (const [index, [expiresIn, known]] of lives.entries()) {
          there.server.answer(paths.token, { body: { ...good, expires_in: expiresIn } })
          const connection = `life-${index}`
          assert.strictEqual((yield* logIn(there, flow, connection)).status, "completed", String(expiresIn))
          const { json } = yield* there.harness.connection("hostile", connection)
          assert.strictEqual(json.expires_at !== null, known, String(expiresIn))
        }
      }, flow.definition))

    it.live("that fails later costs no connection, and exposes nothing", () =>
      withServer(function*(there) {
        there.server.answer(paths.token, { body: good })
        yield* logIn(there, flow, "default")
        for (const [what, reply] of rows) {
          if (what.startsWith("a refusal")) continue
          there.server.answer(paths.token, reply)
          yield* there.pass(25 * 3600_000)
          const response = yield* there.harness.resolve(API_HOST)
          assert.notStrictEqual(response.status, 200, what)
          const { json } = yield* there.harness.connection("hostile")
          assert.strictEqual(json.status, "connected", what)
          const seen = yield* shown(there, response.json, json)
          for (const canary of canariesOf(flow)) assert.notInclude(seen, canary, what)
        }
        there.server.answer(paths.token, { body: { ...good, access_token: "fresh-token" } })
        yield* there.pass(25 * 3600_000)
        assert.strictEqual((yield* there.harness.resolve(API_HOST)).json.headers.Authorization, "Bearer fresh-token")
      }, flow.definition))

    it.live("whose lookup responds with anything but accounts leads to no connection, and to a revoked token", () =>
      withServer(function*(there) {
        for (const [index, [what, reply]] of lookups.entries()) {
          there.server.answer(paths.token, { body: good })
          there.server.answer(lookupPath, reply)
          const connection = `lookup-${index}`
          const session = yield* logIn(there, flow, connection)
          assert.strictEqual(session.status, "failed", what)
          assert.include(session.error?.message, "nothing was stored", what)
          assert.strictEqual((yield* there.harness.connection("hostile", connection)).status, 404, what)
          yield* Effect.promise(() => there.server.arrival(paths.revoke, index + 1))
          const seen = yield* shown(there, session)
          for (const canary of canariesOf(flow)) assert.notInclude(seen, canary, what)
        }
        const revoked = there.server.at(paths.revoke).map(({ form }) => form.get("token"))
        assert.deepStrictEqual(revoked, lookups.map(() => "canary-token"))
      }, withLookup(flow)))

    it.live("gets no second lookup when the token is renewed, and the values of the first one stay", () =>
      withServer(function*(there) {
        there.server.answer(paths.token, { body: good })
        there.server.answer(lookupPath, {
          body: { accounts: [{ id: "t-1", name: "One" }, { id: "t-2", name: "Two" }] }
        })
        const { session_id } = yield* logIn(there, flow, "default")
        assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
        assert.strictEqual((yield* there.harness.resume(session_id, { account: "t-2" })).status, "completed")
        there.server.answer(paths.token, { body: { ...good, access_token: "fresh-token" } })
        there.server.answer(lookupPath, { body: { accounts: [{ id: "t-3" }] } })
        yield* there.pass(25 * 3600_000)
        const { headers } = (yield* there.harness.resolve(API_HOST)).json
        assert.deepInclude(headers, { Authorization: "Bearer fresh-token", "X-Tenant": "t-2" })
        assert.lengthOf(there.server.at(lookupPath), 1)
        const seen = yield* shown(there)
        for (const canary of canariesOf(flow)) assert.notInclude(seen, canary)
      }, withLookup(flow)))
  })
}

describe("A token endpoint that does not respond", () => {
  it.live("ends the login after ten seconds", () =>
    withServer(function*(there) {
      there.server.answer(paths.token, { act: "hang" })
      const session = yield* logIn(there, flows[0]!, "default")
      assert.strictEqual(session.status, "failed")
      assert.include(session.error?.message, "did not respond within 10 seconds")
    }, flows[0]!.definition), 30_000)
})
