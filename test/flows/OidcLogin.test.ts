/** Logins through the daemon at a certified authorization server, with a simulated person who follows the pages. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { confidentialClient, type OidcServer, openOidcServer, publicClient } from "../support/OidcServer.ts"
import { contentOf } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"
import { startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"
import { scoped, writeConfig } from "../support/TestSites.ts"

const pkce = {
  schema_version: 1,
  name: "acme",
  display_name: "Acme",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  api_url: "https://api.example.test",
  credentials_url: "https://acme.example/apps",
  notes: ["Choose the kind \"native\"."],
  oauth: { issuer: "https://as.example.test", scopes: ["openid", "offline_access", "read"] }
}

interface Session {
  readonly session_id: string
  readonly status: string
  readonly message: string
  readonly error: { readonly error: string; readonly message: string } | null
  readonly next_action: {
    readonly type: string
    readonly url: string
    readonly user_code: string
    readonly verification_uri: string
    readonly verification_uri_complete: string
  }
}

const json = { "content-type": "application/json" }

const client = (daemon: TestDaemonShape) => {
  const call = (method: string, target: string, body?: unknown) =>
    Effect.map(
      daemon.request(target, {
        method,
        ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) })
      }),
      (answer) => ({ status: answer.status, body: JSON.parse(answer.body) as never })
    )
  const session = (method: string, target: string, body?: unknown) =>
    Effect.map(call(method, target, body), (answer) => answer.body as Session)
  return {
    call,
    start: (login: object) => session("POST", "/auth/sessions", { provider: "acme", ...login }),
    resume: (id: string, data: object) => session("POST", `/auth/sessions/${id}/resume`, { data }),
    /** Waits until the session has ended. */
    ended: (id: string): Effect.Effect<Session, Error> =>
      Effect.flatMap(
        session("GET", `/auth/sessions/${id}?wait=30`),
        (now) =>
          now.status === "waiting_for_user" || now.status === "processing"
            ? Effect.suspend(() => client(daemon).ended(id))
            : Effect.succeed(now)
      ),
    /** Follows the redirect of the browser to the daemon. */
    callback: (address: string) => daemon.request(address.slice(new URL(address).origin.length))
  }
}

const withServer = (
  body: (
    context: { readonly server: OidcServer; readonly daemon: TestDaemonShape; readonly home: string }
  ) => Returned<void>,
  definition: object = pkce
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* scoped(() => openOidcServer())
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-oidc-")))),
      (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
    )
    writeConfig(home, server.sites)
    const daemon = yield* startTestDaemon({ home })
    yield* client(daemon).call("POST", "/providers", definition)
    yield* toEffect(body({ server, daemon, home }))
  }))

const entered = { client_id: confidentialClient.client_id, client_secret: confidentialClient.client_secret }

describe("A login at a certified authorization server", () => {
  it.live("with PKCE asks for a client and consent, and ends on a page without code and state", () =>
    withServer(function*({ daemon, home, server }) {
      const { call, callback, resume, start } = client(daemon)
      const asked = yield* start({})
      assert.strictEqual(asked.next_action.type, "enter_input")
      const form = yield* daemon.request(`/auth/sessions/${asked.session_id}/input`)
      for (
        const text of [
          `>${daemon.url}/auth/callback/oauth</code>`,
          "sent only to <strong>as.example.test</strong>",
          "href=\"https://acme.example/apps\"",
          "Choose the kind &quot;native&quot;."
        ]
      ) {
        assert.include(form.body, text)
      }
      const session = yield* resume(asked.session_id, entered)
      assert.strictEqual(session.next_action.type, "open_url")
      const onward = yield* daemon.request(`/auth/sessions/${asked.session_id}/input`)
      assert.include(onward.body, "Continue to as.example.test")
      const back = yield* Effect.promise(() => server.user.walk(session.next_action.url))
      assert.isTrue(back.startsWith(`${daemon.url}/auth/callback/oauth?`), back)
      const answer = yield* callback(back)
      assert.strictEqual(answer.status, 303)
      assert.strictEqual(answer.headers["location"], `/auth/sessions/${session.session_id}/input`)
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      const page = yield* daemon.request(String(answer.headers["location"]))
      assert.strictEqual(page.status, 200)
      assert.include(page.body, "Acme is connected")
      const again = yield* callback(back)
      assert.strictEqual(again.status, 303)
      assert.lengthOf(server.tokenRequests("authorization_code"), 1)
      const record = (yield* call("GET", "/connections/acme/default?reveal=true")).body as Record<string, unknown>
      assert.deepInclude(record, { status: "connected", flow: "pkce", has_refresh_token: true })
      assert.deepInclude(record["account"], { id: "ada" })
      const token = Redacted.make(String(record["access_token"]))
      for (const canary of [Redacted.value(token), entered.client_secret, new URL(back).searchParams.get("code")!]) {
        assert.notInclude(contentOf(home), canary)
      }
    }))

  it.live("with PKCE reports that the person refused", () =>
    withServer(function*({ daemon, server }) {
      const { callback, ended, resume, start } = client(daemon)
      const session = yield* resume((yield* start({})).session_id, entered)
      const back = yield* Effect.promise(() => server.user.walk(session.next_action.url, { decision: "deny" }))
      yield* callback(back)
      const failed = yield* ended(session.session_id)
      assert.strictEqual(failed.status, "failed")
      assert.include(failed.error?.message, "access_denied")
      const page = yield* daemon.request(`/auth/sessions/${session.session_id}/input`)
      assert.include(page.body, "Login to Acme failed")
    }))

  it.live("with PKCE asks again for a client whose secret is wrong, in the terminal and on the page", () =>
    withServer(function*({ daemon, server }) {
      const { callback, resume, start } = client(daemon)
      const first = yield* resume((yield* start({})).session_id, { ...entered, client_secret: "wrong" })
      yield* callback(yield* Effect.promise(() => server.user.walk(first.next_action.url)))
      const form = yield* daemon.request(`/auth/sessions/${first.session_id}/input`)
      assert.include(form.body, "the client ID or the client secret is invalid")
      const second = yield* resume(first.session_id, entered)
      yield* callback(yield* Effect.promise(() => server.user.walk(second.next_action.url)))
      const page = yield* daemon.request(`/auth/sessions/${first.session_id}/input`)
      assert.include(page.body, "Acme is connected")
    }))

  it.live(
    "with a device code shows code and URL, and ends when the code was used elsewhere",
    () =>
      withServer(function*({ daemon, server }) {
        const { ended, resume, start } = client(daemon)
        const asked = yield* start({ flow: "device_code" })
        const session = yield* resume(asked.session_id, { client_id: publicClient.client_id })
        assert.strictEqual(session.next_action.type, "show_user_code")
        const page = yield* daemon.request(`/auth/sessions/${session.session_id}/device`)
        assert.include(page.body, session.next_action.user_code)
        assert.include(page.body, `href="${session.next_action.verification_uri}"`)
        yield* Effect.promise(() => server.user.walk(session.next_action.verification_uri_complete))
        const done = yield* ended(session.session_id)
        assert.strictEqual(done.status, "completed", done.error?.message)
        const after = yield* daemon.request(`/auth/sessions/${session.session_id}/device`)
        assert.include(after.body, "Acme is connected")
      })
  )

  it.live("with only an address discovers the server, registers a client, and succeeds", () =>
    withServer(function*({ daemon, server }) {
      const { call, callback, start } = client(daemon)
      const { body, status } = yield* call("POST", "/providers/discover", { url: "https://api.example.test/mcp" })
      const found = body as Record<string, unknown>
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.deepInclude(found, {
        registered: false,
        provider: "example-mcp",
        authorization_server: "https://as.example.test"
      })
      assert.strictEqual((yield* call("POST", "/providers", found["definition"])).status, 201)
      const session = yield* start({ provider: "example-mcp" })
      assert.strictEqual(session.next_action.type, "open_url", JSON.stringify(session))
      yield* callback(yield* Effect.promise(() => server.user.walk(session.next_action.url)))
      const { body: record } = yield* call("GET", "/connections/example-mcp/default")
      assert.deepInclude(record as object, { status: "connected", flow: "dcr_pkce" })
      const registration = server.requests.find(({ route }) => route === "registration")
      assert.deepInclude(registration?.params, {
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: [`${daemon.url}/auth/callback/oauth`]
      })
      assert.strictEqual(
        server.tokenRequests("authorization_code")[0]?.params["resource"],
        "https://api.example.test/mcp"
      )
      const { body: again } = yield* call("POST", "/providers/discover", { url: "https://api.example.test/mcp" })
      assert.deepInclude(again as object, { registered: true, provider: "example-mcp" })
    }))

  it.live("is not affected by a callback without a session, whose content is not shown", () =>
    withServer(function*({ daemon }) {
      for (
        const query of ["", "?code=c&state=s", "?error=%3Cscript%3E&error_description=CANARY", "?state=a&state=b"]
      ) {
        const answer = yield* daemon.request(`/auth/callback/oauth${query}`)
        assert.strictEqual(answer.status, 400)
        assert.notInclude(answer.body, "CANARY")
        assert.notInclude(answer.body, "<script>alert")
      }
    }))

  it.live("that began on the dashboard ends there", () =>
    withServer(function*({ daemon, server }) {
      const { callback } = client(daemon)
      const provider = yield* daemon.request("/ui/apps/acme")
      const token = /action="\/ui\/apps\/acme\/connect"[^]*?name="form_token" value="([^"]+)"/.exec(provider.body)
        ?.[1]
      const connect = yield* daemon.request("/ui/apps/acme/connect", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ form_token: token ?? "", connection: "default" }).toString()
      })
      assert.strictEqual(connect.status, 303, connect.body)
      const onward = yield* daemon.request(String(connect.headers["location"]))
      const address = /href="(https:\/\/as\.example\.test[^"]+)"/.exec(onward.body)?.[1]?.replaceAll("&amp;", "&")
      assert.isDefined(address)
      const answer = yield* callback(yield* Effect.promise(() => server.user.walk(address!)))
      assert.strictEqual(answer.status, 303)
      assert.match(String(answer.headers["location"]), /^\/ui\/apps\/acme\?notice=[\w-]+$/)
    }, { ...pkce, oauth: { ...pkce.oauth, client_id: publicClient.client_id } }))
})
