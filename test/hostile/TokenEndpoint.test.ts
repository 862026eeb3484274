/** Every flow that gets tokens, with a token endpoint and a lookup that do not behave. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { paths } from "../support/HostileAuthorizationServer.ts"
import type { SessionDocument } from "../support/OAuthHarness.ts"
import { runProgram } from "../support/Programs.ts"
import { cleanEnvironment, entry } from "../support/Sandbox.ts"
import type { Reply } from "../support/ScriptedSite.ts"
import { contentOf } from "../support/Services.ts"
import { keyCanary, privateKey } from "../support/StoredGrants.ts"
import { API_HOST, type Setup, signIn, stated, withServer } from "./support.ts"

const entered = "canary-entered-secret"
const good = { access_token: "canary-token", token_type: "Bearer", expires_in: 3600 }

interface Flow {
  readonly name: string
  readonly definition: (issuer: string) => object
  /** What the user enters. Undefined for a login in a browser. */
  readonly values?: Readonly<Record<string, string>>
  /** What it keeps secret besides its tokens. */
  readonly secret?: string
  readonly tokens?: object
  /** What is revoked after a lookup that failed, for flows that are tested with lookups. */
  readonly revoked?: ReadonlyArray<string>
  /** Whether the flow gets a new token without a refresh token. */
  readonly stores?: boolean
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
    values: { client_id: "cid", client_secret: entered },
    secret: entered,
    revoked: ["canary-token"],
    stores: true
  },
  {
    name: "jwt_bearer",
    definition: definitionOf("jwt_bearer", () => ({
      fields: [{ name: "client_id", secret: false }],
      claims: { iss: "{client_id}" }
    })),
    values: { client_id: "cid", private_key: privateKey },
    secret: keyCanary
  },
  {
    name: "token_request",
    definition: definitionOf("token_request", (issuer) => ({
      url: issuer + paths.token,
      fields: [{ name: "user", secret: false }, { name: "password" }],
      body: { user: "{user}", password: "{password}" }
    })),
    values: { user: "ada", password: entered },
    secret: entered
  },
  {
    name: "pkce",
    definition: stated,
    tokens: { refresh_token: "canary-refresh" },
    revoked: ["canary-refresh", "canary-token"]
  },
  { name: "refresh_token", definition: stated, values: { refresh_token: entered }, secret: entered }
]

/** Ends with the session, whether or not the login succeeds. */
const logIn = (there: Setup, { name, values }: Flow, connection = "default"): Effect.Effect<SessionDocument, Error> =>
  Effect.gen(function*() {
    const { callback, daemon, session, start } = there.harness
    const { next_action, session_id } = yield* start({ provider: "hostile", connection, flow: name })
    yield* values === undefined
      ? callback(there.server.redirect(next_action.url))
      : daemon.post(`/auth/sessions/${session_id}/resume`, { data: values })
    return yield* session(session_id)
  })

const shownAt = ["/connections", "/audit", "/providers/hostile", "/health", "/ui/", "/ui/connections"]

/** Checks these documents, what the daemon shows, and what it stores. */
const exposesNothing = (
  { harness }: Setup,
  { secret = "canary-refresh" }: Flow,
  documents: ReadonlyArray<object> = []
) =>
  Effect.map(Effect.all(shownAt.map((path) => harness.daemon.request(path))), (responses) => {
    for (const { body, status } of responses) assert.strictEqual(status, 200, body)
    const seen = JSON.stringify(documents) + responses.map(({ body }) => body).join() + contentOf(harness.home)
    for (const canary of ["canary-token", secret]) assert.isFalse(seen.includes(canary), canary)
  })

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

const html = { "content-type": "text/html" }

const rows: ReadonlyArray<readonly [what: string, reply: Reply]> = [
  ["HTML", { body: `<p>canary-token ${entered}</p>`, headers: html }],
  ["an internal error", { status: 500, body: { error: "canary-token" } }],
  ["a redirect", { status: 307, headers: { location: `https://evil.test/${entered}` } }],
  ["a token with a line break", { body: { ...good, access_token: "canary-token\r\nX-Evil: 1" } }],
  ["an error with status 200", { body: { error: "access_denied", error_description: `no ${entered}` } }],
  ["a refusal that repeats what was sent", {
    status: 401,
    body: { error: "invalid_client", error_description: `no ${entered}` }
  }]
]

const lookups: ReadonlyArray<readonly [what: string, reply: Reply]> = [
  ["status 401", { status: 401, body: { error: "canary-token" } }],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.test/canary-token" } }],
  ["an endless response", { body: "[".repeat(65_536), act: "stream" }],
  ["a value that would end a header", { body: { accounts: [{ id: `${entered}\r\nX-Evil: 1` }] } }]
]

for (const flow of flows) {
  describe(`A token endpoint of the flow ${flow.name}`, () => {
    it.live("creates no connection if it returns no token, and the failure exposes nothing", () =>
      withServer(function*(there) {
        const sessions: Array<SessionDocument> = []
        for (const [index, [what, reply]] of rows.entries()) {
          there.server.answer(paths.token, reply)
          const connection = `row-${index}`
          const session = yield* logIn(there, flow, connection)
          assert.notStrictEqual(session.status, "completed", what)
          assert.strictEqual((yield* there.harness.connection("hostile", connection)).status, 404, what)
          sessions.push(session)
        }
        yield* exposesNothing(there, flow, sessions)
        assert.isAtMost(there.server.at(paths.token).length, 2 * rows.length)
        assert.isEmpty(there.server.at(paths.revoke))
      }, flow.definition))

    if (flow.stores === true) {
      it.live("ends no connection if it fails later, and the failure exposes nothing", () =>
        withServer(function*(there) {
          there.server.answer(paths.token, { body: good })
          yield* logIn(there, flow)
          const documents: Array<object> = []
          for (const [what, reply] of rows) {
            if (what.startsWith("a refusal")) continue
            there.server.answer(paths.token, reply)
            yield* there.pass(25 * 3600_000)
            const response = yield* there.harness.resolve(API_HOST)
            assert.notStrictEqual(response.status, 200, what)
            const { json } = yield* there.harness.connection("hostile")
            assert.strictEqual(json.status, "connected", what)
            documents.push(response.json, json)
          }
          yield* exposesNothing(there, flow, documents)
          const env = { ...cleanEnvironment(there.harness.home), CREDSVC_DAEMON_URL: there.harness.daemon.url }
          const { stdout } = yield* runProgram(process.execPath, [entry, "list"], env)
          assert.match(stdout, /hostile.* connected \(refresh failed\) /)
          there.server.answer(paths.token, { body: { ...good, access_token: "fresh-token" } })
          yield* there.pass(25 * 3600_000)
          assert.strictEqual((yield* there.harness.resolve(API_HOST)).json.headers.Authorization, "Bearer fresh-token")
        }, flow.definition))
    }

    const { revoked, tokens } = flow
    if (revoked === undefined) return
    it.live("creates no connection if its lookup returns no accounts, and the tokens are revoked", () =>
      withServer(function*(there) {
        there.server.answer(paths.token, { body: { ...good, ...tokens } })
        const sessions: Array<SessionDocument> = []
        for (const [index, [what, reply]] of lookups.entries()) {
          there.server.answer(lookupPath, reply)
          const connection = `lookup-${index}`
          const session = yield* logIn(there, flow, connection)
          assert.strictEqual(session.status, "failed", what)
          assert.include(session.error?.message, "nothing was stored", what)
          assert.strictEqual((yield* there.harness.connection("hostile", connection)).status, 404, what)
          yield* Effect.promise(() => there.server.arrival(paths.revoke, (index + 1) * revoked.length))
          sessions.push(session)
        }
        yield* exposesNothing(there, flow, sessions)
        const sent = there.server.at(paths.revoke).map(({ form }) => form.get("token"))
        assert.deepStrictEqual(sent, lookups.flatMap(() => revoked))
      }, withLookup(flow)))

    it.live("causes no second lookup when the token is renewed, and the values of the first lookup are kept", () =>
      withServer(function*(there) {
        there.server.answer(paths.token, { body: { ...good, ...tokens } })
        there.server.answer(lookupPath, {
          body: { accounts: [{ id: "t-1", name: "One" }, { id: "t-2", name: "Two" }] }
        })
        const { session_id } = yield* logIn(there, flow)
        assert.strictEqual((yield* there.harness.connection("hostile")).status, 404)
        assert.strictEqual((yield* there.harness.resume(session_id, { account: "t-2" })).status, "completed")
        there.server.answer(paths.token, { body: { ...good, access_token: "fresh-token" } })
        there.server.answer(lookupPath, { body: { accounts: [{ id: "t-3" }] } })
        yield* there.pass(25 * 3600_000)
        const { headers } = (yield* there.harness.resolve(API_HOST)).json
        assert.deepInclude(headers, { Authorization: "Bearer fresh-token", "X-Tenant": "t-2" })
        const requests = there.server.at(lookupPath)
        assert.deepStrictEqual(
          requests.map(({ headers, query }) => [headers.authorization, query.size]),
          [["Bearer canary-token", 0]]
        )
        yield* exposesNothing(there, flow)
      }, withLookup(flow)))
  })
}

describe("A lookup after a login", () => {
  it.live("offers accounts as text that cannot control a terminal or a page, and accepts only one of them", () =>
    withServer(function*(there) {
      there.server.answer(lookupPath, {
        body: {
          accounts: [{ id: "t-1", name: "\u001b]0;evil\u0007<b>One</b>\u202e" }, { id: "t-2", name: "x".repeat(9999) }]
        }
      })
      const started = yield* there.harness.start({ provider: "hostile" })
      yield* there.harness.callback(there.server.redirect(started.next_action.url))
      const { next_action: { fields, url } } = yield* there.harness.session(started.session_id)
      const options = (fields as any)[0].options as ReadonlyArray<{ readonly label: string; readonly value: string }>
      assert.deepStrictEqual(options.map(({ value }) => value), ["t-1", "t-2"])
      for (const { label } of options) {
        assert.notMatch(label, /[\p{Cc}\p{Cf}]/u)
        assert.isAtMost(label.length, 256)
      }
      const page = yield* there.harness.daemon.request(new URL(url).pathname)
      assert.include(page.body, "&lt;b&gt;One&lt;/b&gt;")
      const other = yield* there.harness.daemon.post(`/auth/sessions/${started.session_id}/resume`, {
        data: { account: "t-3" }
      })
      assert.strictEqual(other.status, 400)
      const session = yield* there.harness.resume(started.session_id, { account: "t-2" })
      assert.strictEqual(session.status, "completed")
    }, withLookup(flows.find(({ name }) => name === "pkce")!)))
})

describe("A refresh token", () => {
  it.live("is in no response of any route, and in no file", () =>
    withServer(function*(there) {
      const ended = yield* signIn(there)
      const canary = "canary-rt-1"
      const { daemon, home } = there.harness
      const session = `/auth/sessions/${ended.session_id}`
      const places = [
        "/connections/hostile/default?reveal=true",
        session,
        "/proxy/routes",
        "/ready",
        "/ui/apps/hostile"
      ]
      const [shown, ...responses] = yield* Effect.all([
        ...[...places, ...shownAt].map((path) => daemon.request(path)),
        daemon.request("/credentials/resolve", { method: "POST", body: { host: API_HOST } }),
        daemon.request("/credentials/export", { method: "POST", body: { provider: "hostile", format: "json" } })
      ])
      assert.include(shown!.body, "canary-at-1")
      for (const { body } of [shown!, ...responses]) assert.notInclude(body, canary)
      assert.notInclude(contentOf(home), canary)
      assert.strictEqual(responses.at(-1)!.status, 200)
    }))
})
