import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { confirmationOf } from "../support/Confirmation.ts"
import { live } from "../support/Fixture.ts"
import { type Behavior, openHostileAuthorizationServer, paths } from "../support/HostileAuthorizationServer.ts"
import { startOAuthHarness } from "../support/OAuthHarness.ts"
import { contentOf } from "../support/Services.ts"
import { scoped } from "../support/TestSites.ts"
import { attempt, discovered, type Setup, signIn, withServer } from "./support.ts"

const registering = (issuer: string) => discovered(issuer, { client_id: undefined }, { flow: "dcr_pkce" })

const registration = (there: Setup, changes: object, status = 201) =>
  there.server.answer(paths.register, (request) => ({
    status,
    body: { ...JSON.parse(request.body), client_id: "registered-client", ...changes }
  }))

describe("A client ID metadata document", () => {
  const document = "https://clients.test/credsvc/client.json"
  const announcing = (announces: boolean) =>
    [registering, { metadata: { client_id_metadata_document_supported: announces ? true : undefined } }] as const
  const configure = (home: string, clientId: string) => {
    const file = path.join(home, "config.json")
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), client_id: clientId }))
  }
  const clientsOf = ({ server }: Setup) =>
    server.at(paths.token).map(({ body }) => new URLSearchParams(body).get("client_id"))

  it.live("that the login names takes precedence over a known client", () =>
    withServer(function*(there) {
      assert.strictEqual((yield* signIn(there)).status, "completed")
      const login = { connection: "named", client_id: document }
      assert.strictEqual((yield* signIn(there, { login })).status, "completed")
      assert.deepStrictEqual(clientsOf(there), ["registered-client", document])
      assert.lengthOf(there.server.at(paths.register), 1)
    }, ...announcing(true)))

  it.live("from the settings is used if no client is known, and takes precedence over registration", () =>
    withServer(function*(there) {
      configure(there.harness.home, document)
      assert.strictEqual((yield* signIn(there)).status, "completed")
      assert.deepStrictEqual(clientsOf(there), [document])
      assert.lengthOf(there.server.at(paths.register), 0)
    }, ...announcing(true)))

  it.live("is not sent to a server that does not announce support, and the login says so", () =>
    withServer(function*(there) {
      configure(there.harness.home, document)
      assert.strictEqual((yield* signIn(there)).status, "completed")
      assert.deepStrictEqual(clientsOf(there), ["registered-client"])
      const response = yield* attempt(there, { connection: "named", client_id: document })
      assert.strictEqual(response.status, 401)
      assert.include(response.body, there.server.issuer)
      assert.include(response.body, "Log in without --client-id.")
    }, ...announcing(false)))

  const own = "https://creds.example/auth/client.json"
  const lists = (methods?: ReadonlyArray<string>) => ({
    client_id_metadata_document_supported: true,
    ...(methods === undefined ? {} : { token_endpoint_auth_methods_supported: methods })
  })
  const refusing = (status: number): Behavior => ({
    metadata: () => lists(),
    authorize: (asked) => asked.get("client_id") === own ? status : undefined
  })
  const hosted: ReadonlyArray<readonly [what: string, behavior: Behavior, clients: ReadonlyArray<string>]> = [
    ["is used by a daemon that serves it", { metadata: () => lists() }, [own, own]],
    ["is left for a registration where it is not announced", {}, ["registered-client", "registered-client"]],
    [
      "is left for a registration where a client needs a secret",
      { metadata: () => lists(["client_secret_post"]), registration: { client_secret: "canary-secret" } },
      ["registered-client", "registered-client"]
    ],
    ["is left for a registration at a server that cannot read it", refusing(400), [
      "registered-client",
      "registered-client"
    ]],
    [
      "is left for a registration after an unfinished login, because the server may have shown an error page",
      refusing(200),
      ["", "registered-client"]
    ]
  ]
  for (const [what, behavior, clients] of hosted) {
    it.live(`of the daemon itself ${what}`, () =>
      withServer(
        function*(there) {
          for (const [index, client] of clients.entries()) {
            const { next_action, session_id } = yield* there.harness.start({
              provider: "hostile",
              connection: `c${index}`
            })
            const asked = there.server.asked(next_action.url)
            if (client === "") {
              assert.strictEqual(asked.get("client_id"), own)
              yield* there.harness.daemon.request(`/auth/sessions/${session_id}`, { method: "DELETE" })
              continue
            }
            assert.strictEqual(asked.get("client_id"), client)
            assert.strictEqual(asked.get("redirect_uri"), "https://creds.example/auth/callback/oauth")
            const page = yield* there.harness.callback(there.server.redirect(next_action.url))
            const { target, ...confirmation } = confirmationOf(page.body)
            yield* there.harness.daemon.request(target, confirmation)
            assert.strictEqual((yield* there.harness.ended(session_id)).status, "completed")
          }
        },
        registering,
        { behavior },
        [],
        { settings: { serverBaseUrl: Option.some(new URL("https://creds.example")) } }
      ))
  }

  it.live("has an https address with a path, in its canonical form", () =>
    withServer(function*(there) {
      const addresses = [
        "http://clients.test/client.json",
        "https://clients.test",
        "https://clients.test/",
        "https://clients.test/client.json#a",
        "https://user@clients.test/client.json",
        "https://clients.test/a/../client.json",
        "https://clients.test:443/client.json",
        "registered-client"
      ]
      for (const address of addresses) {
        assert.strictEqual((yield* attempt(there, { client_id: address })).status, 400, address)
      }
    }, ...announcing(true)))
})

describe("Registration", () => {
  it.live("is repeated with localhost if the server refuses the loopback address", () =>
    withServer(function*(there) {
      const { server } = there
      server.answer(paths.register, (request) => {
        const asked = JSON.parse(request.body)
        return asked.redirect_uris[0].includes("//127.0.0.1:")
          ? { status: 400, body: { error: "invalid_redirect_uri" } }
          : { status: 201, body: { ...asked, client_id: "registered-client" } }
      })
      for (const connection of ["a", "b"]) {
        assert.strictEqual((yield* signIn(there, { login: { connection } })).status, "completed")
      }
      assert.lengthOf(server.at(paths.register), 2)
      const sent = server.at(paths.token).map(({ body }) => new URLSearchParams(body).get("redirect_uri"))
      const { port } = new URL(there.harness.daemon.url)
      assert.deepStrictEqual(sent, Array(2).fill(`http://localhost:${port}/auth/callback/oauth`))
    }, registering))

  it.live("of a login by device code requests the device code grant, too", () =>
    withServer(function*(there) {
      const session = yield* there.harness.start({ provider: "hostile", flow: "device_code" })
      assert.strictEqual(session.next_action.type, "show_user_code")
      const asked = JSON.parse(there.server.at(paths.register)[0]?.body ?? "{}")
      assert.include(asked.grant_types, "urn:ietf:params:oauth:grant-type:device_code")
      assert.strictEqual((yield* signIn(there, { login: { connection: "browser" } })).status, "completed")
      assert.lengthOf(there.server.at(paths.register), 1)
    }, registering))

  it.live("is not repeated after errors other than `invalid_redirect_uri`, or if the login names the host of the redirect URI", () =>
    withServer(function*(there) {
      const { server } = there
      const cases = [
        ["invalid_software_statement", {}, "127.0.0.1"],
        ["invalid_redirect_uri", { redirect_host: "127.0.0.1" }, "127.0.0.1"],
        ["invalid_redirect_uri", { redirect_host: "localhost" }, "localhost"]
      ] as const
      for (const [error, login, redirect] of cases) {
        const before = server.at(paths.register).length
        server.answer(paths.register, { status: 400, body: { error } })
        const session = yield* there.harness.start({ provider: "hostile", ...login })
        assert.strictEqual(session.next_action.type, "enter_input")
        const sent = server.at(paths.register).slice(before)
        assert.lengthOf(sent, 1)
        assert.include(sent[0]?.body, `http://${redirect}:`)
      }
      assert.strictEqual((yield* attempt(there, { flow: "device_code", redirect_host: "localhost" })).status, 400)
    }, registering))

  it.live("is kept for later logins until its secret expires or the server rejects the client", () =>
    withServer(function*(there) {
      const registrations = () => there.server.at(paths.register).length
      const secret = {
        client_secret: "canary-secret",
        token_endpoint_auth_method: "client_secret_basic",
        client_secret_expires_at: 0
      }
      registration(there, secret)
      yield* signIn(there, { login: { connection: "one" } })
      yield* signIn(there, { login: { connection: "two" } })
      assert.strictEqual(registrations(), 1)
      assert.match(there.server.at(paths.token)[1]?.headers.authorization ?? "", /^Basic /)
      assert.notInclude(contentOf(there.harness.home), "canary-secret")

      there.server.answer(paths.token, { status: 401, body: { error: "invalid_client" } })
      const inSeconds = (seconds: number) => there.now() + seconds
      registration(there, { ...secret, client_secret_expires_at: inSeconds(600) })
      const refused = yield* there.harness.start({ provider: "hostile", connection: "three" })
      yield* there.harness.callback(there.server.redirect(refused.next_action.url))
      assert.strictEqual(registrations(), 2)
      there.server.answer(paths.token, () => ({ body: there.server.tokens() }))
      yield* there.pass("1 hour")
      // A client whose secret has already expired is not stored.
      registration(there, { ...secret, client_secret_expires_at: inSeconds(-1) })
      assert.isAtLeast((yield* attempt(there, { connection: "four" })).status, 400)
      registration(there, { ...secret, client_secret_expires_at: inSeconds(600) })
      assert.strictEqual((yield* signIn(there, { login: { connection: "four" } })).status, "completed")
      assert.strictEqual(registrations(), 4)
    }, registering))

  live("is never used at another issuer", function*() {
    const [one, two] = yield* Effect.all([
      scoped(() => openHostileAuthorizationServer({ host: "as.one.test" })),
      scoped(() => openHostileAuthorizationServer({ host: "as.two.test" }))
    ])
    const harness = yield* startOAuthHarness([one, two])
    for (const [index, server] of [one, two].entries()) {
      server.answer(paths.register, (request) => ({
        status: 201,
        body: { ...JSON.parse(request.body), client_id: `client-of-${index}` }
      }))
      yield* harness.register(registering(server.issuer))
      yield* signIn({ harness, server }, { login: { force: true } })
    }
    assert.strictEqual(two.at(paths.token)[0]?.form.get("client_id"), "client-of-1")
    assert.isFalse(two.received.some(({ body }) => body.includes("client-of-0")))
  })
})
