import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { confirmationOf } from "../support/Confirmation.ts"
import { live } from "../support/Fixture.ts"
import { openHostileAuthorizationServer, paths } from "../support/HostileAuthorizationServer.ts"
import { type SessionDocument, startOAuthHarness } from "../support/OAuthHarness.ts"
import { publicHost } from "../support/RemoteCaller.ts"
import { scoped } from "../support/TestSites.ts"
import { discovered, type Setup, stated, withServer } from "./support.ts"

const parametersOf = (url: string) => new URL(url).searchParams

describe("The callback", () => {
  live("delivers a code only to the server of its own login", function*() {
    const honest = yield* scoped(() => openHostileAuthorizationServer({ host: "as.honest.test" }))
    const evil = yield* scoped(() => openHostileAuthorizationServer({ host: "as.evil.test" }))
    const harness = yield* startOAuthHarness([honest, evil])
    yield* harness.register({ ...stated(honest.issuer), name: "honest" })
    yield* harness.register({ ...stated(evil.issuer), name: "evil", api_url: "https://api.evil.test" })
    const [one, two] = [yield* harness.start({ provider: "honest" }), yield* harness.start({ provider: "evil" })]
    const state = parametersOf(two.next_action.url).get("state") ?? ""
    yield* harness.callback(honest.redirect(one.next_action.url, { state, code: "code-of-honest", iss: undefined }))
    yield* harness.ended(two.session_id)
    assert.lengthOf(honest.at(paths.token), 0)
    assert.deepStrictEqual(evil.at(paths.token).map(({ form }) => form.get("code")), ["code-of-honest"])
    assert.strictEqual((yield* harness.session(one.session_id)).status, "waiting_for_user")
  })
})

describe("The callback of an exposed daemon", () => {
  const form = (there: Setup, page: string, headers: Readonly<Record<string, string>> = {}) => {
    const { target, ...request } = confirmationOf(page)
    return there.harness.daemon.request(target, { ...request, headers: { ...request.headers, ...headers } })
  }

  const exposed = (body: Parameters<typeof withServer>[0]) => () =>
    withServer(body, stated, {}, [], { settings: { serverBaseUrl: Option.some(new URL(`https://${publicHost}`)) } })

  it.live(
    "exchanges the code only when the user of the browser confirms, once, on a page that names the profile",
    exposed(function*(there) {
      const { harness, server } = there
      const session = yield* harness.start({ provider: "hostile" })
      const back = server.redirect(session.next_action.url)
      for (let time = 0; time < 2; time++) {
        const page = yield* harness.callback(back)
        assert.strictEqual(page.status, 200, page.body)
        assert.match(page.body, /The profile <strong>[a-z0-9-]+<\/strong> of this server gets access to your account/)
        assert.include(page.body, "type=\"checkbox\"", "a double click confirms nothing")
      }
      assert.lengthOf(server.at(paths.token), 0)
      assert.strictEqual((yield* harness.session(session.session_id)).status, "waiting_for_user")
      const { body } = yield* harness.callback(back)
      for (const [name, value] of [["origin", "https://evil.test"], ["sec-fetch-site", "cross-site"]] as const) {
        assert.strictEqual((yield* form(there, body, { [name]: value })).status, 403, value)
      }
      assert.lengthOf(server.at(paths.token), 0)
      for (let time = 0; time < 2; time++) {
        assert.strictEqual((yield* form(there, body)).status, 303)
        const result = yield* harness.daemon.request(`/auth/sessions/${session.session_id}/input`)
        assert.include(result.body, "is connected", "also if the form is submitted again")
      }
      assert.strictEqual((yield* harness.callback(back)).status, 303)
      assert.deepStrictEqual(server.at(paths.token).map(({ form }) => form.get("code")), ["canary-code"])
    })
  )

  it.live(
    "exchanges no code after the login has been cancelled or has expired, or if access was denied",
    exposed(function*(there) {
      const { harness, pass, server } = there
      const cancelled = yield* harness.start({ provider: "hostile" })
      const late = yield* harness.start({ provider: "hostile", connection: "late" })
      const [one, two] = [
        yield* harness.callback(server.redirect(cancelled.next_action.url)),
        yield* harness.callback(server.redirect(late.next_action.url))
      ]
      yield* harness.daemon.request(`/auth/sessions/${cancelled.session_id}`, { method: "DELETE" })
      yield* form(there, one.body)
      yield* pass("11 minutes")
      yield* form(there, two.body)
      assert.strictEqual((yield* harness.callback(server.redirect(late.next_action.url))).status, 410)
      assert.lengthOf(server.at(paths.token), 0)
      const denied = yield* harness.start({ provider: "hostile", connection: "denied" })
      yield* harness.callback(
        server.redirect(denied.next_action.url, { code: undefined, error: "access_denied" })
      )
      assert.strictEqual((yield* harness.ended(denied.session_id)).status, "failed")
    })
  )
})

describe("A callback that the server sends as a form", () => {
  const posting = { origin: "https://as.hostile.test", "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }

  const post = ({ harness }: Setup, target: string, mode: string, body: string) =>
    harness.daemon.request(target, {
      method: "POST",
      headers: { ...posting, "sec-fetch-mode": mode, "content-type": "multipart/form-data; boundary=x" },
      body
    })

  it.live("is repeated as a request without the form", () =>
    withServer(function*(there) {
      const session = yield* there.harness.start({ provider: "hostile" })
      const { pathname, search } = new URL(there.server.redirect(session.next_action.url))
      const response = yield* post(there, pathname + search, "navigate", "password=canary&state=other")
      assert.deepStrictEqual([response.status, response.headers.location], [303, pathname + search])
      assert.lengthOf(there.server.at(paths.token), 0)
      yield* there.harness.callback(`${there.harness.daemon.url}${response.headers.location}`)
      assert.strictEqual((yield* there.harness.ended(session.session_id)).status, "completed")
    }))

  it.live("is refused to scripts, and carries no code in the form", () =>
    withServer(function*(there) {
      const session = yield* there.harness.start({ provider: "hostile" })
      const { pathname, search } = new URL(there.server.redirect(session.next_action.url))
      assert.strictEqual((yield* post(there, pathname + search, "cors", "")).status, 403)
      const { headers } = yield* post(there, pathname, "navigate", search.slice(1))
      assert.strictEqual(headers.location, pathname)
      assert.strictEqual((yield* there.harness.session(session.session_id)).status, "waiting_for_user")
    }))
})

describe("A pasted callback", () => {
  const paste = ({ harness }: Setup, id: string, callback: string) =>
    harness.daemon.post(`/auth/sessions/${id}/resume`, { data: { callback } })
  const announcing = (announces: boolean) =>
    [discovered, {
      metadata: { authorization_response_iss_parameter_supported: announces ? true : undefined }
    }] as const
  const query = (address: string) => new URL(address).search
  const code = (address: string) => new URL(address).searchParams.get("code") ?? ""

  const accepted: ReadonlyArray<readonly [what: string, from: (address: string) => string]> = [
    ["the address", (address) => address],
    [
      "the address of a forwarded port",
      (address) => `https://editor-7998.example.test/auth/callback/oauth${query(address)}`
    ],
    ["the address in several lines", (address) => `  ${address.slice(0, 60)}\n${address.slice(60)}\n`],
    ["its query", query],
    ["its query without the question mark", (address) => query(address).slice(1)]
  ]
  for (const [what, from] of [...accepted, ["the code alone", code]] as const) {
    it.live(`completes the login as ${what}`, () =>
      withServer(function*(there) {
        const session = yield* there.harness.start({ provider: "hostile" })
        const response = yield* paste(there, session.session_id, from(there.server.redirect(session.next_action.url)))
        assert.strictEqual((response.json as SessionDocument).status, "completed", response.body)
        const form = new URLSearchParams(there.server.at(paths.token)[0]?.body)
        assert.strictEqual(form.get("code"), "canary-code")
        assert.include(form.get("redirect_uri"), "/auth/callback/oauth")
        const again = yield* paste(there, session.session_id, from(there.server.redirect(session.next_action.url)))
        assert.strictEqual(again.status, 410, again.body)
        assert.lengthOf(there.server.at(paths.token), 1)
      }, ...announcing(what !== "the code alone")))
  }

  const refused: ReadonlyArray<readonly [what: string, from: (own: string, other: string) => string, says: RegExp]> = [
    ["of another login", (_, other) => other, /belongs to another login/],
    ["with another state", (own) => own.replace(/state=[^&]+/, `state=${"x".repeat(43)}`), /belongs to another login/],
    ["without a state", (own) => own.replace(/&?state=[^&]+/, ""), /contains a code and a state/],
    ["with two states", (own) => `${own}&state=x`, /not a well-formed/],
    ["with an access token", (own) => `${own}&access_token=x`, /not a well-formed/],
    ["as a code alone, though the server always sends iss", code, /must be the whole address/],
    ["of another page", () => "https://example.test/", /contains a code and a state/],
    ["that is empty", () => " ", /contains a code and a state/]
  ]
  it.live("is refused if it is the response to another login, and this login continues", () =>
    withServer(function*(there) {
      const session = yield* there.harness.start({ provider: "hostile" })
      const other = yield* there.harness.start({ provider: "hostile", connection: "other" })
      const own = there.server.redirect(session.next_action.url)
      for (const [what, from, says] of refused) {
        const response = yield* paste(
          there,
          session.session_id,
          from(own, there.server.redirect(other.next_action.url))
        )
        assert.strictEqual(response.status, 400, what)
        assert.match(response.body, says, what)
        assert.notInclude(response.body, "canary", what)
      }
      for (const { session_id } of [session, other]) {
        assert.strictEqual((yield* there.harness.session(session_id)).status, "waiting_for_user")
      }
      assert.lengthOf(there.server.at(paths.token), 0)
      const response = yield* paste(there, session.session_id, own)
      assert.strictEqual((response.json as SessionDocument).status, "completed", response.body)
    }, discovered))

  for (
    const [what, iss] of [["of another issuer", "https://as.other.test"], [
      "without the promised iss",
      undefined
    ]] as const
  ) {
    it.live(`${what} ends the login before anything is sent`, () =>
      withServer(function*(there) {
        const session = yield* there.harness.start({ provider: "hostile" })
        const response = yield* paste(
          there,
          session.session_id,
          there.server.redirect(session.next_action.url, { iss })
        )
        assert.strictEqual((response.json as SessionDocument).status, "failed", response.body)
        assert.lengthOf(there.server.at(paths.token), 0)
      }, discovered))
  }

  it.live("that is only a code is refused unless PKCE binds the code to the login", () =>
    withServer(function*(there) {
      const session = yield* there.harness.start({ provider: "hostile" })
      assert.strictEqual((yield* paste(there, session.session_id, "canary-code")).status, 400)
      assert.lengthOf(there.server.at(paths.token), 0)
    }, (issuer) => stated(issuer, { pkce: false })))

  it.live("is accepted on the login's page, which otherwise says why the callback is invalid", () =>
    withServer(function*(there) {
      const { daemon } = there.harness
      const session = yield* there.harness.start({ provider: "hostile" })
      const submit = (callback: string) =>
        daemon.request(`/auth/sessions/${session.session_id}/input`, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded", origin: daemon.url },
          body: new URLSearchParams({ action: "paste", callback }).toString()
        })
      const wrong = yield* submit("https://example.test/?code=x&state=y")
      assert.strictEqual(wrong.status, 400)
      assert.include(wrong.body, "Address or code belongs to another login.")
      assert.strictEqual((yield* submit(there.server.redirect(session.next_action.url))).status, 303)
      assert.strictEqual((yield* there.harness.ended(session.session_id)).status, "completed")
    }, discovered))
})
