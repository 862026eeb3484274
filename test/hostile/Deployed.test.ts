/** Logins at servers that behave as deployed ones do, through the HTTP API of a real daemon. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { accepted, endedTokens, forgettingClients, pushing, refused, refusingResource } from "../support/Behaviors.ts"
import { type Behavior, paths } from "../support/HostileAuthorizationServer.ts"
import type { Received } from "../support/ScriptedSite.ts"
import { attempt, discovered, type Setup, signIn, stated, withServer } from "./support.ts"

/** The definition of an MCP server. */
const mcp = (issuer: string, address = issuer + paths.mcp) => {
  const { issuer: _, ...oauth } = discovered(issuer, { client_id: undefined, scopes: [] }).oauth
  return {
    ...discovered(issuer),
    flow: "dcr_pkce",
    flows: ["dcr_pkce", "device_code"],
    api_url: address,
    oauth: { ...oauth, client_authentication: undefined, resource: address }
  }
}

const withBehavior = (behavior: Behavior, body: Parameters<typeof withServer>[0]) =>
  withServer(body, (issuer) => mcp(issuer, behavior.mcp), { behavior })

/** Logs in with a browser that consents to everything. Returns the ended session and the requests of the browser. */
const logIn = ({ harness, server }: Setup, login: object = {}) =>
  Effect.gen(function*() {
    const pages: Array<URLSearchParams> = []
    let session = yield* harness.start({ provider: "hostile", ...login })
    while (session.next_action.type === "open_url" && pages.length < 5) {
      pages.push(server.asked(session.next_action.url))
      yield* harness.callback(server.redirect(session.next_action.url))
      session = yield* harness.session(session.session_id)
    }
    return { session, pages }
  })

/** A login that completes. */
const loggedIn = (there: Setup, login?: object) =>
  Effect.tap(
    logIn(there, login),
    ({ session }) =>
      Effect.sync(() => assert.strictEqual(session.status, "completed", session.error?.message ?? session.message))
  )

const resources = (forms: ReadonlyArray<URLSearchParams>) => forms.map((form) => form.get("resource"))

/** Lets the token expire and uses the connection, which refreshes it. Returns the last request for a token. */
const refreshed = ({ harness, pass, server }: Setup, connection = "default") =>
  Effect.gen(function*() {
    yield* pass("2 hours")
    const { hostname } = new URL(server.issuer)
    const resolved = yield* harness.resolve(hostname, { path: paths.mcp, connection, provider: "hostile" })
    assert.strictEqual(resolved.status, 200, resolved.body)
    const { form } = server.at(paths.token).at(-1)!
    assert.strictEqual(form.get("grant_type"), "refresh_token")
    return form
  })

/** What a login says that does not go on: at once, in its form, or at its end. */
const said = (there: Setup, login: object) =>
  Effect.gen(function*() {
    const { json, status } = yield* attempt(there, login)
    if (status >= 400) return json.detail as string
    yield* there.harness.daemon.request(`/auth/sessions/${json.session_id}`, { method: "DELETE" })
    const { session } = yield* logIn(there, login)
    assert.notStrictEqual(session.status, "completed")
    return session.error?.message ?? session.message
  })

describe("A server with", () => {
  for (const [what, behavior] of Object.entries(accepted)) {
    it.live(`${what} is accepted`, () =>
      withBehavior(behavior, function*(there) {
        yield* loggedIn(there)
        const { form } = there.server.at(paths.token).at(-1)!
        assert.strictEqual(form.get("grant_type"), "authorization_code")
        assert.match(form.get("code_verifier") ?? "", /^[\w-]{43}$/)
      }))
  }

  for (const [what, { allowed, behavior, says }] of Object.entries(refused)) {
    it.live(`${what} is refused${allowed === undefined ? "" : `, and accepted with ${Object.keys(allowed).join()}`}`, () =>
      withBehavior(behavior, function*(there) {
        const message = yield* said(there, { connection: "first" })
        for (const part of says) assert.include(message, part)
        if (allowed === undefined) return
        let session = yield* there.harness.start({ provider: "hostile", ...allowed })
        if (session.next_action.type === "enter_input") {
          session = yield* there.harness.resume(session.session_id, { client_id: "own" })
        }
        yield* there.harness.callback(there.server.redirect(session.next_action.url))
        const ended = yield* there.harness.session(session.session_id)
        assert.strictEqual(ended.status, "completed", ended.error?.message)
      }))
  }
})

describe("A server that knows the resource", () => {
  it.live("gets the resource in the authorization, token and refresh requests", () =>
    withBehavior({}, function*(there) {
      const { pages } = yield* loggedIn(there)
      yield* refreshed(there)
      const forms = there.server.at(paths.token).map(({ form }) => form)
      const resource = there.server.issuer + paths.mcp
      assert.deepStrictEqual([...resources(pages), ...resources(forms)], [resource, resource, resource])
    }))

  it.live("does not get the resource with --no-resource, not even in refreshes", () =>
    withBehavior({}, function*(there) {
      const { pages } = yield* loggedIn(there, { no_resource: true })
      yield* refreshed(there)
      const forms = there.server.at(paths.token).map(({ form }) => form)
      assert.deepStrictEqual([...resources(pages), ...resources(forms)], [null, null, null])

      assert.isTrue((yield* there.harness.connection("hostile")).json.no_resource)
      const later = yield* logIn(there, { force: true })
      const added = yield* logIn(there, { add_scopes: ["more"] })
      const other = yield* logIn(there, { connection: "other", force: true })
      const resource = there.server.issuer + paths.mcp
      assert.deepStrictEqual(resources([...later.pages, ...added.pages, ...other.pages]), [null, null, resource])
      assert.notProperty((yield* there.harness.connection("hostile", "other")).json, "no_resource")
    }))
})

describe("A server that refuses the resource", () => {
  for (const [where, behavior] of Object.entries(refusingResource)) {
    it.live(`${where} gets a second request and refreshes without it, and the login warns about it`, () =>
      withBehavior(behavior, function*(there) {
        const { pages, session } = yield* loggedIn(there)
        const isAtLogin = !where.startsWith("in a refresh")
        if (isAtLogin) assert.isNull(pages.at(-1)!.get("resource"))
        assert.lengthOf(new Set(pages.map((page) => page.get("state"))), pages.length)
        assert.strictEqual(
          session.warning?.includes(`refused to limit the tokens to ${there.server.issuer}`) ?? false,
          isAtLogin
        )
        assert.isNull((yield* refreshed(there)).get("resource"))
        const before = there.server.at(paths.token).length
        assert.isNull((yield* refreshed(there)).get("resource"))
        assert.strictEqual(there.server.at(paths.token).length, before + 1)
        // Only the user decides to accept metadata of another resource at later logins.
        assert.notProperty((yield* there.harness.connection("hostile")).json, "no_resource")
      }))
  }

  const endings: ReadonlyArray<readonly [title: string, back: Readonly<Record<string, string>>, requests: number]> = [
    ["ends the login if it refuses the second request, too", { error: "invalid_target" }, 2],
    ["is ignored if the response is of another server", { error: "invalid_target", iss: "https://as.other.test" }, 1],
    ["gets no second request if the user has denied access to it", {
      error: "access_denied",
      error_description: "denied: access to the resource"
    }, 1]
  ]
  for (const [title, back, requests] of endings) {
    it.live(title, () =>
      withBehavior({ authorize: () => ({ code: undefined, ...back }) }, function*(there) {
        const { pages, session } = yield* logIn(there)
        assert.lengthOf(pages, requests)
        assert.strictEqual(session.status, "failed")
        if (requests === 2) assert.include(session.error?.message, "invalid_target")
      }))
  }

  it.live("is named to the user before the consent to wider access", () =>
    withBehavior(refusingResource["at the authorization endpoint"]!, function*(there) {
      const first = yield* there.harness.start({ provider: "hostile" })
      yield* there.harness.callback(there.server.redirect(first.next_action.url))
      const { message } = yield* there.harness.session(first.session_id)
      assert.include(message, "may be valid for all services of as.hostile.test")
    }))
})

describe("A refresh token", () => {
  const refreshedWith = (body: Record<string, unknown>, status: string) => {
    const script = (form: URLSearchParams) => form.has("refresh_token") ? { status: 400, body } : undefined
    return withBehavior({ script: { [paths.token]: ({ form }) => script(form) } }, function*(there) {
      yield* loggedIn(there)
      yield* there.pass("2 hours")
      const options = { path: paths.mcp, connection: "default", provider: "hostile" }
      const { body } = yield* there.harness.resolve("as.hostile.test", options)
      assert.include(body, "credsvc login hostile")
      assert.strictEqual((yield* there.harness.connection("hostile")).json.status, status)
    })
  }
  it.live("is discarded if a list of errors contains invalid_grant", () =>
    refreshedWith(endedTokens.at(-1)!, "expired"))

  const kept = [
    ["invalid_request", "The refresh_token is missing."],
    ["invalid_request", "The token request is invalid."],
    ["invalid_request", undefined],
    ["invalid_grant", "Upstream refresh failed: Server error '502 Bad Gateway' for url 'https://idp.test/token'"]
  ]
  for (const [error, error_description] of kept) {
    it.live(`is kept after an ${error} that says ${error_description}`, () =>
      refreshedWith({ error, error_description }, "connected"))
  }
})

describe("A registered client", () => {
  const registrations = ({ server }: Setup) => server.at(paths.register).length
  const ids = (pages: ReadonlyArray<URLSearchParams>) => pages.map((page) => page.get("client_id"))

  for (const [sign, behavior] of Object.entries(forgettingClients)) {
    it.live(`is registered again after ${sign}, and other connections keep their clients`, () =>
      withBehavior(behavior, function*(there) {
        yield* loggedIn(there, { connection: "one" })
        yield* loggedIn(there, { connection: "two" })
        assert.strictEqual(registrations(there), 1, "the control: a client that the server knows")
        there.server.forget()
        const { pages } = yield* loggedIn(there, { connection: "three" })
        assert.strictEqual(ids(pages).at(-1), "registered-client-2")
        assert.lengthOf(pages, sign === "the refusal of the code" ? 2 : 1)
        const form = yield* refreshed(there, "one")
        assert.strictEqual(form.get("client_id"), "registered-client")
        assert.strictEqual(form.get("client_secret"), "canary-secret")
      }))
  }

  const lastRegistration = (server: Setup["server"]) => server.at(paths.register).at(-1)?.body ?? ""
  const limiting: Behavior = {
    resource: () => ({ scopes_supported: ["tools"] }),
    authorize: (asked, server) =>
      lastRegistration(server).includes(`"scope":"${asked.get("scope")}"`)
        ? undefined
        : { code: undefined, error: "invalid_scope" },
    script: {
      [paths.device]: (_, server) =>
        lastRegistration(server).includes("device_code")
          ? undefined
          : { status: 400, body: { error: "unauthorized_client" } }
    }
  }
  it.live("is registered again at a server that limits it to the scopes and grants of its registration", () =>
    withBehavior(limiting, function*(there) {
      yield* loggedIn(there)
      yield* loggedIn(there, { connection: "two" })
      assert.strictEqual(registrations(there), 1, "the control: what the client was registered for")
      const { pages } = yield* loggedIn(there, { add_scopes: ["write"] })
      assert.deepStrictEqual(ids(pages), ["registered-client", "registered-client-2"])
      const device = { connection: "three", flow: "device_code", scopes: ["tools", "write"] }
      const { next_action } = yield* there.harness.start({ provider: "hostile", ...device })
      assert.strictEqual(next_action.type, "show_user_code")
      assert.strictEqual(registrations(there), 3)
      assert.strictEqual((yield* refreshed(there, "two")).get("client_id"), "registered-client")
    }))

  it.live("is registered again after an unfinished login, because the server may have shown an error page", () =>
    withBehavior({}, function*(there) {
      yield* logIn(there, { connection: "one" })
      const open = yield* there.harness.start({ provider: "hostile", connection: "two" })
      yield* there.harness.daemon.request(`/auth/sessions/${open.session_id}`, { method: "DELETE" })
      assert.strictEqual(registrations(there), 1)
      const { pages } = yield* logIn(there, { connection: "two" })
      assert.deepStrictEqual(ids(pages), ["registered-client-2"])
      assert.deepStrictEqual(ids((yield* logIn(there, { connection: "three" })).pages), ["registered-client-2"])
      assert.strictEqual((yield* refreshed(there, "one")).get("client_id"), "registered-client")
    }))

  it.live("keeps its secret for its connection after any number of unfinished logins", () =>
    withBehavior(
      {
        registration: {
          client_secret: "canary-secret",
          token_endpoint_auth_method: "client_secret_post",
          registration_client_uri: undefined
        }
      },
      function*(there) {
        yield* logIn(there, { connection: "one" })
        for (let count = 0; count < 11; count++) {
          const { session_id } = yield* there.harness.start({ provider: "hostile", connection: "two" })
          yield* there.harness.daemon.request(`/auth/sessions/${session_id}`, { method: "DELETE" })
        }
        assert.strictEqual(registrations(there), 11)
        yield* refreshed(there, "one")
      }
    ))

  it.live("is replaced at most once in a login, even if the server rejects the new client too", () =>
    withBehavior({
      ...pushing(true),
      script: { [paths.push]: () => ({ status: 401, body: { error: "invalid_client" } }) }
    }, function*(there) {
      assert.strictEqual((yield* attempt(there)).status, 401)
      assert.strictEqual(registrations(there), 2)
    }))

  it.live("is kept if the server does not say whether it knows the client", () =>
    withBehavior({
      registration: { registration_client_uri: undefined },
      authorize: (_, server) => server.at(paths.token).length === 1 ? 503 : undefined
    }, function*(there) {
      yield* logIn(there, { connection: "one" })
      const { next_action } = yield* there.harness.start({ provider: "hostile", connection: "two" })
      assert.strictEqual(new URL(next_action.url).searchParams.get("client_id"), "registered-client")
      assert.strictEqual(registrations(there), 1)
    }))
})

describe("A server that lists offline_access", () => {
  const listing: Behavior = {
    metadata: () => ({ scopes_supported: ["tools", "offline_access"] }),
    resource: () => ({ scopes_supported: ["tools"] })
  }
  const rows: ReadonlyArray<readonly [string, Behavior, object, string | null]> = [
    ["is asked for offline_access", listing, {}, "tools offline_access"],
    [
      "is not asked for offline_access alone, in place of its default scopes, if the resource names no scope",
      {
        ...listing,
        resource: () => ({})
      },
      {},
      null
    ],
    ["is asked only for the scopes that the user names", listing, { scopes: ["tools"] }, "tools"],
    [
      "is asked for offline_access, unlike a server that does not list it",
      { resource: () => ({ scopes_supported: ["tools"] }) },
      {},
      "tools"
    ]
  ]
  for (const [what, behavior, login, scope] of rows) {
    it.live(what, () =>
      withBehavior(behavior, function*(there) {
        const { pages } = yield* loggedIn(there, login)
        assert.strictEqual(pages[0]!.get("scope"), scope)
      }))
  }

  const withoutRefreshToken = {
    script: {
      [paths.token]: (_: unknown, server: Setup["server"]) => ({ body: server.tokens({ refresh_token: undefined }) })
    }
  }
  it.live("causes a warning that names the command for offline_access, if it issues no refresh token", () =>
    withBehavior({ ...listing, ...withoutRefreshToken }, function*(there) {
      const first = yield* logIn(there, { scopes: ["tools"] })
      assert.include(
        first.session.warning,
        "expires in 60 minutes and cannot be renewed, because the provider issued no refresh token. To get one: " +
          "credsvc login hostile --add-scopes offline_access"
      )
      const second = yield* logIn(there, { add_scopes: ["offline_access"] })
      assert.strictEqual(second.pages[0]!.get("scope"), "tools offline_access")
      assert.include(second.session.warning, "Log in again then with: credsvc login hostile --force")
    }))

  it.live("gets prompt=consent if the user requests the scope, and then issues a refresh token", () =>
    withBehavior({
      ...listing,
      authorize: (asked) => ({ code: asked.get("prompt") ?? "none" }),
      script: {
        [paths.token]: ({ form }, server) => ({
          body: server.tokens(form.get("code") === "consent" ? {} : { refresh_token: undefined })
        })
      }
    }, function*(there) {
      const first = yield* logIn(there)
      assert.strictEqual(first.pages[0]!.get("scope"), "tools offline_access")
      assert.isNull(first.pages[0]!.get("prompt"))
      assert.include(first.session.warning, "To get one: credsvc login hostile --add-scopes offline_access")
      const second = yield* loggedIn(there, { add_scopes: ["offline_access"] })
      assert.isNull(second.session.warning)
      yield* refreshed(there)
    }))

  it.live("causes no warning with a refresh token or with a token that does not expire", () =>
    withBehavior({
      script: {
        [paths.token]: (_, server) => ({ body: server.tokens({ refresh_token: undefined, expires_in: undefined }) })
      }
    }, function*(there) {
      assert.isNull((yield* logIn(there)).session.warning)
      there.server.answer(paths.token, () => ({ body: there.server.tokens() }))
      assert.isNull((yield* logIn(there, { force: true })).session.warning)
    }))
})

describe("login --add-scopes", () => {
  const rows = [
    ["without a connection", { add_scopes: ["write"], connection: "other" }, "requires the connection \"other\""],
    ["with --scopes", { add_scopes: ["write"], scopes: ["read"] }, "cannot be combined"],
    ["without a scope", { add_scopes: [] }, "names no scope"]
  ] as const
  it.live("requests the old and the new scopes, or reports an invalid option", () =>
    withBehavior({}, function*(there) {
      yield* logIn(there, { scopes: ["read"] })
      for (const [what, login, message] of rows) {
        const response = yield* attempt(there, login)
        assert.strictEqual(response.status, 400, what)
        assert.include(response.json.problems[0].message, message)
      }
      const { pages } = yield* logIn(there, { add_scopes: ["write", "read"] })
      assert.strictEqual(pages[0]!.get("scope"), "read write")
      assert.sameMembers((yield* there.harness.connection("hostile")).json.scopes, ["read", "write"])
    }))
})

describe("A server that refuses a scope", () => {
  it.live("makes a login fail if the user has requested the scope", () =>
    withBehavior({
      metadata: () => ({ scopes_supported: ["tools"] }),
      authorize: () => ({ code: undefined, error: "invalid_scope" })
    }, function*(there) {
      const { pages, session } = yield* logIn(there, { scopes: ["tools", "unknown"] })
      assert.lengthOf(pages, 1)
      assert.strictEqual(session.status, "failed")
    }))
})

describe("A server whose tokens go to several hosts", () => {
  const other = "as2.hostile.test"
  const rows: ReadonlyArray<readonly [string, (issuer: string) => object, object]> = [
    ["of the revocation endpoint", () => ({ revocation_endpoint: `https://${other}/revoke` }), {}],
    ["of the token endpoint, before a device code", () => ({ token_endpoint: `https://${other}/token` }), {
      flow: "device_code"
    }]
  ]
  for (const [what, metadata, login] of rows) {
    it.live(`names the host ${what} to the user before the consent`, () =>
      withBehavior(
        { hosts: [other], metadata: (issuer) => metadata(issuer) as Record<string, unknown> },
        function*(there) {
          const { message, session_id } = yield* there.harness.start({ provider: "hostile", ...login })
          const page = yield* there.harness.daemon.request(`/auth/sessions/${session_id}/input`)
          for (const text of [message, page.body]) assert.include(text, `What you allow there is granted to ${other}`)
        }
      ))
  }

  it.live("causes no warning if all of these hosts are the same", () =>
    withBehavior({}, function*(there) {
      for (const login of [{}, { flow: "device_code" }]) {
        const { message } = yield* there.harness.start({
          provider: "hostile",
          connection: "flow" in login ? "b" : "a",
          ...login
        })
        assert.notInclude(message, "What you allow")
      }
    }))
})

describe("An issuer with another name", () => {
  const other = "https://idp.other.test/tenant"
  const naming: Readonly<Record<string, Behavior>> = {
    "in its metadata": { metadata: () => ({ issuer: other }), authorize: () => ({ iss: other }) },
    "in the authorization response": { authorize: () => ({ iss: other }) }
  }
  for (const [where, behavior] of Object.entries(naming)) {
    it.live(`${where} is accepted with --trust-issuer only, also in later refreshes`, () =>
      withBehavior(behavior, function*(there) {
        const refusal = where === "in its metadata"
          ? (yield* attempt(there)).json.detail
          : (yield* logIn(there)).session.error?.message
        assert.include(refusal, other)
        assert.include(refusal, there.server.issuer)
        assert.include(refusal, `--trust-issuer ${other}`)
        const wrong = yield* attempt(there, { trust_issuer: `${other}-2` })
        if (where === "in its metadata") assert.strictEqual(wrong.status, 401, wrong.body)

        yield* loggedIn(there, { trust_issuer: other })
        assert.strictEqual((yield* there.harness.connection("hostile")).json.trusted_issuer, other)
        const { json } = yield* there.harness.daemon.request("/audit?event=trust-issuer")
        assert.lengthOf(json.entries, 1)
        yield* refreshed(there)
        yield* loggedIn(there, { force: true })
        const plain = where === "in its metadata"
          ? (yield* attempt(there, { connection: "two" })).status
          : (yield* logIn(there, { connection: "two" })).session.status
        assert.include([401, "failed"], plain, "the trust is that of one connection")
      }))
  }

  it.live("is not accepted if the user only allows the server to omit its own issuer", () =>
    withBehavior({ authorize: () => ({ iss: other }) }, function*(there) {
      const { session } = yield* logIn(there, { trust_issuer: there.server.issuer })
      assert.strictEqual(session.status, "failed")
      assert.isEmpty(there.server.at(paths.token))
    }))

  it.live("may be omitted with --trust-issuer only if codes are sent to the origin of the authorization endpoint", () =>
    withBehavior({
      hosts: ["as2.hostile.test"],
      metadata: () => ({ token_endpoint: `https://as2.hostile.test${paths.token}` }),
      authorize: () => ({ iss: undefined })
    }, function*(there) {
      const { session } = yield* logIn(there, { trust_issuer: there.server.issuer })
      assert.strictEqual(session.status, "failed")
      assert.notInclude(session.error?.message, "--trust-issuer")
      assert.isEmpty(there.server.at(paths.token))
    }))

  it.live("that was accepted does not allow a server to redeem its codes at another origin", () =>
    withBehavior({ metadata: () => ({ authorization_endpoint: `${other}/authorize` }) }, function*(there) {
      for (const login of [{}, { trust_issuer: other }]) {
        const { next_action, session_id } = yield* there.harness.start({ provider: "hostile", ...login })
        yield* there.harness.callback(there.server.redirect(next_action.url, { iss: other }))
        const { error, status } = yield* there.harness.session(session_id)
        assert.strictEqual(status, "failed")
        assert.notInclude(error?.message, "--trust-issuer", "the option does not help")
        assert.isEmpty(there.server.at(paths.token))
      }
    }))

  it.live("is accepted with --trust-issuer by a definition that states its endpoints", () =>
    withServer(function*(there) {
      const without = yield* signIn(there, { back: { iss: other } })
      assert.include(without.error?.message, `--trust-issuer ${other}`)
      const back = { iss: "https://third.test" }
      const third = yield* signIn(there, { login: { trust_issuer: other }, back })
      assert.strictEqual(third.status, "failed")
      const ended = yield* signIn(there, { login: { trust_issuer: other }, back: { iss: other } })
      assert.strictEqual(ended.status, "completed", ended.error?.message)
    }, (issuer) => stated(issuer, { issuer })))

  it.live("is rejected after a change of the definition, even if it was accepted before", () =>
    withBehavior({ ...naming["in the authorization response"], hosts: ["as2.hostile.test"] }, function*(there) {
      const first = yield* logIn(there, { trust_issuer: other })
      assert.strictEqual(first.session.status, "completed")
      assert.strictEqual((yield* there.harness.connection("hostile")).json.trusted_issuer, other)
      yield* there.harness.register({ ...mcp(there.server.issuer, `https://as2.hostile.test${paths.mcp}`) })
      assert.notProperty((yield* there.harness.connection("hostile")).json, "trusted_issuer")
    }))

  it.live("is accepted in a discovery only if --trust-issuer names it", () =>
    withBehavior(naming["in its metadata"]!, function*(there) {
      const discover = (more: object) =>
        there.harness.daemon.post("/providers/discover", { url: there.server.issuer + paths.mcp, ...more })
      assert.strictEqual((yield* discover({})).status, 401)
      assert.strictEqual((yield* discover({ trust_issuer: "https://third.test" })).status, 401)
      assert.strictEqual((yield* discover({ trust_issuer: other })).json.authorization_server, there.server.issuer)
      const stray = yield* there.harness.start({ provider: "hostile", trust_issuer: other })
      yield* there.harness.callback(there.server.redirect(stray.next_action.url, { iss: "https://third.test" }))
      assert.strictEqual((yield* there.harness.session(stray.session_id)).status, "failed")
    }))

  it.live("is rejected if it is not an https URL, and in a login that does not compare issuers", () =>
    withServer(function*(there) {
      const rejected = (login: object) => Effect.map(attempt(there, login), ({ status }) => status)
      assert.strictEqual(yield* rejected({ trust_issuer: other }), 400)
      yield* there.harness.register(mcp(there.server.issuer))
      for (const issuer of ["http://idp.other.test", "idp.other.test", ""]) {
        assert.strictEqual(yield* rejected({ trust_issuer: issuer }), 400, issuer)
      }
    }))

  it.live("cannot put a shell command into the message", () =>
    withBehavior({ metadata: () => ({ issuer: "https://idp.other.test/$(id)" }) }, function*(there) {
      const { json } = yield* attempt(there)
      assert.include(json.detail, "$(id)")
      assert.notInclude(json.detail, "--trust-issuer")
    }))
})

describe("An error that repeats the client secret", () => {
  const secret = "canary+secret/with=characters"
  const rows: ReadonlyArray<readonly [string, string, (request: Received) => string]> = [
    ["as it is", "client_secret_basic", () => secret],
    ["in base64", "client_secret_basic", ({ headers }) => String(headers.authorization)],
    ["percent-encoded", "client_secret_post", ({ body }) => body],
    ["with hidden characters", "client_secret_post", () => [...secret].join("\u200b")]
  ]
  for (const [how, method, echo] of rows) {
    for (const path of [paths.token, paths.push]) {
      it.live(`${how}, from ${path}, is shown without the text of the server`, () =>
        withBehavior({
          registration: { client_secret: secret, token_endpoint_auth_method: method },
          ...path === paths.push ? pushing(true) : {},
          script: {
            [path]: (request) => ({
              status: 400,
              body: { error: "invalid_request", error_description: `echo: ${echo(request)}` }
            })
          }
        }, function*(there) {
          const message = path === paths.push
            ? (yield* attempt(there)).body
            : (yield* logIn(there)).session.error?.message
          assert.include(message, "invalid_request")
          assert.notInclude(message, "echo:")
        }))
    }
  }
})

describe("A token with a mebibyte of scopes", () => {
  it.live("is stored with some of the scopes, and causes only a short warning", () =>
    withBehavior({
      script: { [paths.token]: (_, server) => ({ body: server.tokens({ scope: "tools " + "more ".repeat(200_000) }) }) }
    }, function*(there) {
      const { session } = yield* loggedIn(there, { scopes: ["tools"] })
      assert.isBelow(session.warning?.length ?? Infinity, 500)
      assert.lengthOf((yield* there.harness.connection("hostile")).json.scopes, 1000)
    }))
})

describe("A resource that names many authorization servers", () => {
  it.live("gives a short error if it lists no issuer of the definition", () =>
    withServer(
      function*(there) {
        const { json, status } = yield* attempt(there)
        assert.strictEqual(status, 401)
        assert.include(json.detail, "https://as0.test")
        assert.isBelow(json.detail.length, 1500)
      },
      (issuer) => ({ ...mcp(issuer), oauth: { ...mcp(issuer).oauth, issuer } }),
      {
        behavior: {
          resource: () => ({
            authorization_servers: Array.from(
              { length: 200 },
              (_, index) => `https://as${index}.test/${"a".repeat(200)}`
            )
          })
        }
      }
    ))
})

describe("A device endpoint in metadata", () => {
  for (const host of ["as.hostile.test", "as2.hostile.test"]) {
    it.live(`at ${host} gets the client secret only at the origin of the stated token endpoint`, () =>
      withServer(
        function*(there) {
          yield* attempt(there, { flow: "device_code" })
          const asked = there.server.at(paths.device).map(({ form }) => form.get("client_secret"))
          assert.deepStrictEqual(asked, host === "as.hostile.test" ? ["canary-secret"] : [])
        },
        (issuer) =>
          discovered(issuer, {
            client_id: undefined,
            client_authentication: undefined,
            token_url: issuer + paths.token,
            authorization_url: issuer + paths.authorize
          }, { flow: "device_code" }),
        {
          behavior: {
            hosts: ["as2.hostile.test"],
            registration: { client_secret: "canary-secret", token_endpoint_auth_method: "client_secret_post" },
            metadata: () => ({ device_authorization_endpoint: `https://${host}${paths.device}` })
          }
        }
      ))
  }
})
