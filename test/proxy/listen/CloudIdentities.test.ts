/** The identities of a machine that a run provides to clients of Google Cloud and Azure. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CloudIdentities } from "../../../src/proxy/listen/CloudIdentities.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { certificate, EVIL, HOST, proxyTo } from "../../support/ProxiedHost.ts"
import { fakeDaemon, type HarnessOptions, MARKER, route, SECRET } from "../../support/ProxyHarness.ts"

const RESOURCE = "https://management.acme.test"
const ACCOUNT = "robot@acme-prod.iam.gserviceaccount.com"
const rows = [
  { provider: "example" as never, variable: "GCE_METADATA_HOST", value: ACCOUNT },
  { provider: "example" as never, variable: "IDENTITY_ENDPOINT", value: RESOURCE }
]
const FLAVOR = "Metadata-Flavor: Google"
const METADATA = "/computeMetadata/v1"
const TOKEN = `${METADATA}/instance/service-accounts/default/token`

const setUp = (more: Partial<HarnessOptions> = {}, cloudIdentities: ReadonlyArray<typeof rows[number]> = rows) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const daemon = fakeDaemon([route(HOST, "example")], { cloudIdentities })
    const parts = yield* proxyTo({ [HOST]: upstream.port, [EVIL]: upstream.port }, { daemon, peer: "own", ...more })
    const { connect, proxy } = parts
    const { variables } = yield* proxy.environment({ PATH: "/bin" })
    const own = `Host: 127.0.0.1:${proxy.port}`
    const ask = (target: string, fields: ReadonlyArray<string>, method = "GET") =>
      Effect.scoped(
        Effect.flatMap(
          connect,
          (wire) => wire.exchange(`${method} ${target} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`)
        )
      )
    const secret = `X-IDENTITY-HEADER: ${variables["IDENTITY_HEADER"]}`
    return { ...parts, upstream, variables, own, ask, secret }
  })

describe("CloudIdentities", () => {
  live("tells the command where it listens", function*() {
    const { proxy, variables } = yield* setUp()
    assert.strictEqual(variables["GCE_METADATA_HOST"], `127.0.0.1:${proxy.port}`)
    assert.strictEqual(variables["GCE_METADATA_IP"], `127.0.0.1:${proxy.port}`)
    assert.strictEqual(variables["IDENTITY_ENDPOINT"], `http://127.0.0.1:${proxy.port}/msi/token`)
    assert.match(variables["IDENTITY_HEADER"] ?? "", /^[\w-]{43}$/)
  })

  live("returns metadata in the forms that Google Cloud clients request", function*() {
    const { ask, own } = yield* setUp()
    const account = { aliases: ["default"], email: ACCOUNT, scopes: ["https://www.googleapis.com/auth/cloud-platform"] }
    const expected: Readonly<Record<string, string | object>> = {
      "/": "computeMetadata",
      [`${METADATA}/instance`]: "service-accounts",
      [`${METADATA}/instance/service-accounts/`]: `default\n${ACCOUNT}`,
      [`${METADATA}/instance/service-accounts/default/?recursive=true`]: account,
      [`${METADATA}/instance/service-accounts/${ACCOUNT.replace("@", "%40")}/?recursive=true`]: account,
      [`${METADATA}/instance/service-accounts/default/email`]: ACCOUNT,
      [`${METADATA}/instance/service-accounts/default/scopes`]: account.scopes[0]!,
      [`${METADATA}/project/project-id`]: "acme-prod",
      [`${METADATA}/universe/universe-domain`]: "googleapis.com",
      [`${TOKEN}?scopes=a,b`]: { access_token: MARKER, expires_in: 3600, token_type: "Bearer" },
      [`${METADATA}/instance/service-accounts/${ACCOUNT}/token`]: {
        access_token: MARKER,
        expires_in: 3600,
        token_type: "Bearer"
      }
    }
    for (const [target, body] of Object.entries(expected)) {
      const response = yield* ask(target, [own, FLAVOR])
      assert.strictEqual(response.status, 200, target)
      assert.strictEqual(response.headers.get("metadata-flavor"), "Google", target)
      assert.strictEqual(
        response.headers.get("content-type"),
        typeof body === "string" ? "application/text" : "application/json",
        target
      )
      assert.deepStrictEqual(typeof body === "string" ? response.body : JSON.parse(response.body), body, target)
    }
    for (const missing of ["/instance/id", "/instance/service-accounts/default/identity?audience=x", "/__proto__"]) {
      assert.strictEqual((yield* ask(METADATA + missing, [own, FLAVOR])).status, 404, missing)
    }
  })

  live("returns a placeholder for the resources of an Azure managed identity", function*() {
    const { ask, own, secret } = yield* setUp()
    const target = `/msi/token?api-version=2019-08-01&resource=${encodeURIComponent(`${RESOURCE}/`)}`
    const response = yield* ask(target, [own, secret])
    const { expires_on: expires, ...rest } = JSON.parse(response.body) as { readonly expires_on: string }
    assert.deepStrictEqual(rest as object, { access_token: MARKER, resource: `${RESOURCE}/`, token_type: "Bearer" })
    assert.approximately(Number(expires), Date.now() / 1000 + 3600, 60)
    const other = yield* ask("/msi/token?resource=https://vault.acme.test", [own, secret])
    assert.strictEqual(other.status, 400)
    assert.include(other.body, "this run has no connection for the resource")
  })

  live("returns a placeholder that the proxy replaces at the hosts of the provider only", function*() {
    const { ask, forward, own, upstream } = yield* setUp()
    const { access_token: token } = JSON.parse((yield* ask(TOKEN, [own, FLAVOR])).body) as { access_token: string }
    const sent = `Authorization: Bearer ${token}\r\n`
    yield* forward(`GET https://${HOST}/v1`, `Host: ${HOST}\r\n${sent}`)
    yield* forward(`GET https://${EVIL}/v1`, `Host: ${EVIL}\r\n${sent}`)
    assert.deepStrictEqual(upstream.seen.map(({ headers }) => [headers.host, headers.authorization]), [
      [HOST, `Bearer ${SECRET}`],
      [EVIL, undefined]
    ])
  })

  live("refuses requests of other users, web pages, other runs and forwarding proxies", function*() {
    const { ask, own, proxy, secret } = yield* setUp()
    const other = yield* setUp()
    const azure = "/msi/token?resource=" + RESOURCE
    const refused: ReadonlyArray<readonly [target: string, fields: ReadonlyArray<string>, method?: string]> = [
      [TOKEN, [own]],
      [TOKEN, [own, "Metadata-Flavor: google"]],
      [TOKEN, [own, FLAVOR, FLAVOR]],
      [TOKEN, [own, FLAVOR, "X-Forwarded-For: 10.0.0.1"]],
      [TOKEN, [`Host: rebound.test:${proxy.port}`, FLAVOR]],
      [TOKEN, [`Host: localhost:${proxy.port}`, FLAVOR]],
      [TOKEN, ["Host: 127.0.0.1", FLAVOR]],
      [TOKEN, [`Host: [::1]:${proxy.port}`, FLAVOR]],
      [TOKEN, ["Host: metadata.google.internal", FLAVOR]],
      [azure, [own]],
      [azure, [own, "X-IDENTITY-HEADER:"]],
      [azure, [own, other.secret]],
      [azure, [own, secret, secret]],
      [azure, [`Host: rebound.test:${proxy.port}`, secret]]
    ]
    for (const [target, fields, method] of refused) {
      const response = yield* ask(target, fields, method)
      assert.strictEqual(response.status, 403, `${target} ${fields.join(" ")}`)
      assert.notInclude(response.body, MARKER)
    }
    for (const method of ["POST", "PUT", "OPTIONS", "DELETE"]) {
      assert.strictEqual((yield* ask(TOKEN, [own, FLAVOR, "Content-Length: 0"], method)).status, 405, method)
    }
    for (const peer of ["other", "unknown"] as const) {
      const stranger = yield* setUp({ peer })
      for (const [target, field] of [[TOKEN, FLAVOR], [azure, stranger.secret]] as const) {
        assert.strictEqual((yield* stranger.ask(target, [stranger.own, field])).status, 403, peer)
      }
    }
  })

  live(
    "is not started without a matching connection, with base URLs, or for clients on another machine",
    function*() {
      const without = [
        yield* setUp({}, []),
        yield* setUp({ providers: ["another"] }),
        yield* setUp({ baseUrl: true }),
        yield* setUp({ remoteClients: true })
      ]
      for (const { ask, own, variables } of without) {
        for (const name of ["GCE_METADATA_HOST", "GCE_METADATA_IP", "IDENTITY_ENDPOINT", "IDENTITY_HEADER"]) {
          assert.notProperty(variables, name)
        }
        const response = yield* ask(TOKEN, [own, FLAVOR])
        assert.notStrictEqual(response.status, 200)
        assert.notInclude(response.body, MARKER)
      }
      // The control: one of the two.
      const { variables } = yield* setUp({}, rows.slice(1))
      assert.notProperty(variables, "GCE_METADATA_HOST")
      assert.property(variables, "IDENTITY_ENDPOINT")
    }
  )

  it("prefers the environment's project to the account's project", () => {
    const projectOf = (listed: typeof rows, project?: string) => {
      let sent = ""
      new CloudIdentities(listed, project, () => 1).responder({
        method: "GET",
        target: `${METADATA}/project/project-id`,
        headers: ["Host", "127.0.0.1:1", "Metadata-Flavor", "Google"],
        response: { send: (status: number, _: string, __: unknown, body: string) => sent = `${status} ${body}` }
      } as never)?.()
      return sent.trim()
    }
    assert.strictEqual(projectOf(rows), "200 acme-prod")
    assert.strictEqual(projectOf(rows, "chosen"), "200 chosen")
    assert.strictEqual(projectOf([{ ...rows[0]!, value: "" }]), "404 not part of a run's metadata")
  })
})
