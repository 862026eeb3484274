/** Connections of a daemon to a certified authorization server, with a simulated person who follows the pages. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { testsIn } from "../support/Fixture.ts"
import { type OAuthHarness, startOAuthHarness } from "../support/OAuthHarness.ts"
import {
  applicationAt,
  confidentialClient,
  keyService,
  type OidcServer,
  openOidcServer,
  secretService,
  serviceKeyText
} from "../support/OidcServer.ts"
import { contentOf } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"
import { postForm } from "../support/TestDaemon.ts"
import { scoped } from "../support/TestSites.ts"

const acme = { ...applicationAt("acme"), notes: ["Choose the kind \"native\"."] }
const login = { provider: "acme" }

interface Setup extends OAuthHarness {
  readonly server: OidcServer
}

const withServer = (body: (setup: Setup) => Returned<void>, definition: object = acme) =>
  Effect.gen(function*() {
    const server = yield* scoped(() => openOidcServer())
    const harness = yield* startOAuthHarness(server.sites)
    const registered = yield* harness.register(definition)
    assert.strictEqual(registered.status, 201, registered.body)
    yield* toEffect(body({ ...harness, server }))
  })

const { live } = testsIn(withServer)

describe("A login at a certified authorization server", () => {
  live(
    "with PKCE asks for client credentials and consent, and ends on a page without code and state",
    function*({ callback, daemon, home, resume, server, start }) {
      const { next_action, session_id } = yield* start(login)
      assert.strictEqual(next_action.type, "enter_input")
      const form = yield* daemon.request(`/auth/sessions/${session_id}/input`)
      const texts = [
        `>${daemon.url}/auth/callback/oauth</code>`,
        "sent only to <strong>as.example.test</strong>",
        "href=\"https://acme.example/apps\"",
        "Choose the kind &quot;native&quot;."
      ]
      for (const text of texts) {
        assert.include(form.body, text)
      }
      const session = yield* resume(session_id, confidentialClient)
      assert.strictEqual(session.next_action.type, "open_url")
      // The server supports pushed requests.
      const { searchParams } = new URL(session.next_action.url)
      assert.deepStrictEqual([...searchParams.keys()].toSorted(), ["client_id", "request_uri"])
      const onward = yield* daemon.request(`/auth/sessions/${session_id}/input`)
      assert.include(onward.body, "Continue to as.example.test")
      const redirected = yield* daemon.request(`/auth/sessions/${session_id}/input?onward=1`)
      assert.strictEqual(redirected.status, 303)
      assert.strictEqual(redirected.headers["location"], session.next_action.url)
      const back = yield* Effect.promise(() => server.user.walk(session.next_action.url))
      assert.isTrue(back.startsWith(`${daemon.url}/auth/callback/oauth?`), back)
      const response = yield* callback(back)
      assert.strictEqual(response.status, 303)
      assert.strictEqual(response.headers["location"], `/auth/sessions/${session_id}/input`)
      assert.strictEqual(response.headers["cache-control"], "no-store")
      const page = yield* daemon.request(String(response.headers["location"]))
      assert.strictEqual(page.status, 200)
      assert.include(page.body, "Acme is connected")
      assert.strictEqual((yield* callback(back)).status, 303)
      assert.lengthOf(server.tokenRequests("authorization_code"), 1)
      const { json } = yield* daemon.request("/connections/acme/default?reveal=true")
      assert.deepInclude(json, { status: "connected", flow: "pkce", has_refresh_token: true })
      assert.deepInclude(json.account, { id: "ada" })
      const code = new URL(back).searchParams.get("code")!
      const content = contentOf(home)
      for (const secret of [json.access_token, confidentialClient.client_secret, code]) {
        assert.isFalse(content.includes(secret))
      }
    }
  )
})

const documentOf = (flow: string, section: object) => ({
  name: "acme",
  display_name: "Acme",
  auth_type: "oauth2",
  flow,
  api_url: "https://api.example.test",
  oauth: {
    token_url: "https://as.example.test/token",
    revocation_url: "https://as.example.test/token/revocation",
    [flow]: section
  }
})

describe("A stored grant at a certified authorization server", () => {
  it.live("requests, replaces and revokes tokens by client credentials", () =>
    withServer(function*({ connection, daemon, home, resolve, resume, revoke, server, start }) {
      const { session_id } = yield* start({ provider: "acme" })
      const wrong = yield* resume(session_id, { ...secretService, client_secret: "wrong" })
      assert.include(wrong.message, "Acme refused the credentials (invalid_client")
      assert.strictEqual(wrong.next_action.type, "enter_input")
      const session = yield* resume(session_id, secretService)
      assert.strictEqual(session.status, "completed", session.error?.message)
      const first = yield* resolve("api.example.test")
      const bearer = first.json.headers.Authorization
      assert.match(bearer, /^Bearer \S{20,}$/)
      const second = yield* resolve("api.example.test", { rejected: first.json.issued_at })
      assert.notStrictEqual(second.json.headers.Authorization, bearer)
      assert.lengthOf(server.tokenRequests("client_credentials").filter(({ status }) => status === 200), 2)
      const shown = yield* connection("acme")
      assert.deepInclude(shown.json, { status: "connected", flow: "client_credentials" })
      const audit = yield* daemon.request("/audit")
      for (const text of [shown.body, audit.body, contentOf(home)]) assert.notInclude(text, secretService.client_secret)
      const revoked = yield* revoke("acme")
      assert.deepStrictEqual(revoked.json.failures, [])
      const token = second.json.headers.Authorization.replace("Bearer ", "")
      assert.isUndefined(yield* Effect.promise(() => server.provider.ClientCredentials.find(token)))
    }, documentOf("client_credentials", {})))

  it.live("authenticates by an assertion that the server verifies, with a key entered in the form", () =>
    withServer(
      function*({ daemon, ended, home, resolve, server, start }) {
        const { session_id } = yield* start({ provider: "acme" })
        const page = yield* daemon.request(`/auth/sessions/${session_id}/input`)
        assert.include(page.body, "<h1>Enter the credentials for Acme</h1>")
        assert.match(page.body, /<textarea id="field-1" name="private_key"/)
        const token = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ""
        // Browsers send the lines of a text area with CRLF.
        const values = { ...keyService, private_key: serviceKeyText.replaceAll("\n", "\r\n"), form_token: token }
        yield* postForm(daemon, `/auth/sessions/${session_id}/input`, values)
        const session = yield* ended(session_id)
        assert.strictEqual(session.status, "completed", session.error?.message)
        assert.lengthOf(server.tokenRequests("client_credentials"), 1)
        assert.match((yield* resolve("api.example.test")).json.headers.Authorization, /^Bearer \S{20,}$/)
        assert.notInclude(contentOf(home), serviceKeyText.split("\n")[3]!)
      },
      documentOf("jwt_bearer", {
        fields: [{ name: "client_id", secret: false }],
        claims: { iss: "{client_id}", sub: "{client_id}", aud: "https://as.example.test" },
        request: {
          url: "https://as.example.test/token",
          format: "form",
          body: {
            grant_type: "client_credentials",
            client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            client_assertion: "{assertion}"
          }
        }
      })
    ))
})
