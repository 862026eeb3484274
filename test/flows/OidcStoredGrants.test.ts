/** Connections with stored credentials at a certified authorization server, through the daemon. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { live } from "../support/Fixture.ts"
import { startOAuthHarness } from "../support/OAuthHarness.ts"
import { keyService, type OidcServer, openOidcServer, secretService, serviceKeyText } from "../support/OidcServer.ts"
import { contentOf } from "../support/Services.ts"
import { postForm } from "../support/TestDaemon.ts"
import { scoped } from "../support/TestSites.ts"

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

const withServer = Effect.fnUntraced(function*(document: object) {
  const server: OidcServer = yield* scoped(() => openOidcServer())
  const harness = yield* startOAuthHarness(server.sites)
  const registered = yield* harness.register(document)
  assert.strictEqual(registered.status, 201, registered.body)
  return { server, ...harness }
})

describe("A stored grant at a certified authorization server", () => {
  live("requests, replaces and revokes tokens by client credentials", function*() {
    const { connection, daemon, home, resolve, resume, revoke, server, start } = yield* withServer(
      documentOf("client_credentials", {})
    )
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
  })

  live("authenticates by an assertion that the server verifies, with a key entered in the form", function*() {
    const { daemon, ended, home, resolve, server, start } = yield* withServer(documentOf("jwt_bearer", {
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
    }))
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
  })
})
