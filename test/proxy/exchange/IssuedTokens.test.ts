/** Tokens that an API issues to a program, with the services of the daemon and a proxy. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Connections } from "../../../src/connections/Connections.ts"
import type { ProviderName } from "../../../src/domain/definition/Provider.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { refusedError } from "../../../src/proxy/routing/CredentialSource.ts"
import { CANARY, discloses, encodingsOf } from "../../support/Canary.ts"
import type * as FakeUpstream from "../../support/FakeUpstream.ts"
import { get, setUp } from "../../support/Http2Peers.ts"
import { EVIL, HOST, proxied } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, type HarnessOptions, MARKER, route, SECRET } from "../../support/ProxyHarness.ts"
import { services, withHome } from "../../support/Services.ts"
import { storeOf } from "../../support/StoredConnections.ts"
import { type Returned, toEffect } from "../../support/TestBody.ts"

const section = {
  host: HOST,
  methods: ["POST", "GET"],
  paths: ["/apps/*/token", "/session"],
  tokens: ["/token", "/auth/client~1token"],
  use_hosts: [HOST],
  placeholder: `ghs_${MARKER}`
}

const definition = (
  changes: object = {},
  more: { readonly hosts?: ReadonlyArray<string>; readonly api_key?: object } = {}
) => ({
  name: "example",
  auth_type: "api_key",
  flow: "api_key",
  hosts: [HOST, `${HOST}/v2`, `${HOST}/me`],
  issues_tokens: [
    { ...section, use_hosts: [HOST, `${HOST}/me`], ...changes },
    {
      host: HOST,
      paths: ["/keys"],
      tokens: ["/token"],
      use_headers: { "X-Session": "{token}" },
      placeholder: MARKER
    },
    { host: HOST, methods: ["GET"], paths: ["/lookup-self"], tokens: ["/data/id"], placeholder: MARKER },
    { host: HOST, paths: ["/agents"], refused: true }
  ],
  ...more
})

/** The daemon's side of a run, over services with a connection. */
const daemonOf = Effect.fnUntraced(function*(hosts: ReadonlyArray<string>) {
  const connections = yield* Connections
  const profile = yield* (yield* Profiles).active
  const store = yield* storeOf(profile)
  const provider = "example" as ProviderName
  yield* store({ api_key: SECRET }, { provider })
  const routes = hosts.map((entry) => {
    const [host, path] = entry.split("/")
    return route(host!, "example", { pathPrefix: path === undefined ? null : `/${path}` })
  })
  return {
    run: (name: string) =>
      fakeDaemon([...routes, route(EVIL, "other")], {
        resolve: (request) =>
          request.host === EVIL
            ? Effect.succeed(bearer(request))
            : Effect.mapError(connections.resolve(profile, request, { run: Option.some(name) }), refusedError)
      })
  }
})

/** Issues the canary for every request that ends with `token`, and repeats the header fields of all others. */
const issuer: FakeUpstream.Handler = (incoming, response) => {
  response.setHeader("Content-Type", "application/json")
  if (/token$|keys$/.test(incoming.url ?? "")) {
    const body = JSON.stringify({ token: CANARY, expires_in: 60, key: SECRET, also: `${CANARY}!`, name: "Zoë" })
    response.setHeader("Set-Cookie", `session=${CANARY}`)
    response.setHeader("Content-Length", Buffer.byteLength(body))
    return response.end(body)
  }
  response.setHeader("X-Repeated", incoming.headers.authorization ?? "")
  response.end(JSON.stringify(incoming.headers))
}

type Daemon = Effect.Success<ReturnType<typeof daemonOf>>

const api = (daemon: Daemon, handler: FakeUpstream.Handler = issuer, options: Partial<HarnessOptions> = {}) =>
  proxied(handler, { daemon: daemon.run("run-of-the-test-1"), ...options })

const POST = "Content-Length: 0\r\n"
const PLACEHOLDER = RegExp(`^ghs_${MARKER}---[\\w-]+\\.[\\w-]+$`)

const responds = (
  daemon: Daemon,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200
) =>
  api(daemon, (_, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers })
    response.end(body)
  })

type Parts = Effect.Success<ReturnType<typeof api>>

const requestToken = (parts: Parts, path = "/apps/1/token") =>
  Effect.map(parts.exchange(`POST ${path}`, POST), ({ body }) => (JSON.parse(body) as { token: string }).token)

const lastHeaders = ({ upstream }: Parts) => upstream.seen.at(-1)!.headers

const live = (
  title: string,
  body: (daemon: Daemon) => Returned<void, Scope.Scope>,
  declared = definition()
) =>
  it.live(title, () =>
    withHome(
      (home) =>
        Effect.flatMap(daemonOf(declared.hosts), (daemon) => toEffect(body(daemon))).pipe(
          Effect.provide(services(home)),
          Effect.scoped
        ),
      declared
    ))

describe("a token that an API issues", () => {
  live("reaches the client as a placeholder, over HTTP/1.1", function*(daemon) {
    const { body, complete, headers } = yield* (yield* api(daemon)).exchange("POST /apps/1/token", POST)
    const content = JSON.parse(body)
    assert.isTrue(complete)
    assert.match(content.token, PLACEHOLDER)
    assert.strictEqual(content.also, `${MARKER}!`)
    assert.strictEqual(content.key, MARKER)
    assert.strictEqual(content.expires_in, 60)
    assert.strictEqual(Buffer.from(content.name, "latin1").toString(), "Zoë")
    assert.isFalse(discloses(body + JSON.stringify([...headers]), CANARY))
  })

  live("reaches the client as a placeholder over HTTP/2", function*(daemon) {
    const { session } = yield* setUp((stream) => {
      stream.respond({ "content-type": "application/json" })
      stream.write(`{"auth":{"client/token":"${CANARY.slice(0, 9)}`)
      setImmediate(() => stream.end(`${CANARY.slice(9)}"}}`))
    }, { daemon: daemon.run("run-of-the-test-1") })
    const { body } = yield* Effect.promise(() => get(session, "/session"))
    assert.match(JSON.parse(body).auth["client/token"], PLACEHOLDER)
  })

  live("is replaced in every encoding, even where it is not declared", function*(daemon) {
    const also = Object.values(encodingsOf(CANARY)).flat()
    const { exchange } = yield* responds(
      daemon,
      `{"token":"${CANARY}","also":"${also.join(" ").replaceAll("\"", "")}"}`
    )
    assert.isFalse(discloses((yield* exchange("POST /apps/1/token", POST)).body, CANARY))
  })

  live("takes the place of the credential in a later request with its placeholder", function*(daemon) {
    const parts = yield* api(daemon)
    const token = yield* requestToken(parts)
    const basic = (text: string) => Buffer.from(`x-access-token:${text}`).toString("base64")
    for (const given of [`Bearer ${token}`, `token ${token}`, `Basic ${basic(token)}`]) {
      const { body, headers } = yield* parts.exchange("GET /me", `Authorization: ${given}\r\n`)
      assert.strictEqual(lastHeaders(parts).authorization, `Bearer ${CANARY}`)
      assert.isFalse(discloses(body + JSON.stringify([...headers]), CANARY), given)
    }
    const session = yield* requestToken(parts, "/keys")
    yield* parts.exchange("GET /me", `X-Session: ${session}\r\nAuthorization: Bearer ${MARKER}\r\n`)
    assert.strictEqual(lastHeaders(parts)["x-session"], CANARY)
    assert.strictEqual(lastHeaders(parts).authorization, `Bearer ${SECRET}`)
    yield* parts.exchange("GET /me", `Authorization: Bearer ${MARKER}\r\n`)
    assert.strictEqual(lastHeaders(parts).authorization, `Bearer ${SECRET}`)
  })

  live(
    "is shown as its placeholder when a program looks it up, as is the credential",
    function*(daemon) {
      const parts = yield* api(daemon, (incoming, response) => {
        if (incoming.url !== "/lookup-self") return issuer(incoming, response)
        response.setHeader("Content-Type", "application/json")
        response.end(JSON.stringify({ data: { id: incoming.headers.authorization?.slice("Bearer ".length) } }))
      })
      const lookUp = (token: string) =>
        Effect.map(
          parts.exchange("GET /lookup-self", `Authorization: Bearer ${token}\r\n`),
          ({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id
        )
      const found = yield* lookUp(yield* requestToken(parts))
      yield* parts.exchange("GET /me", `Authorization: Bearer ${found}\r\n`)
      assert.strictEqual(lastHeaders(parts).authorization, `Bearer ${CANARY}`)
      assert.strictEqual(yield* lookUp(MARKER), MARKER)
    }
  )

  live("is sent completely even if it is as long as the tokens of registries", function*(daemon) {
    const long = CANARY.padEnd(8192, "x")
    const parts = yield* api(
      daemon,
      (incoming, response) =>
        incoming.url === "/me" ? issuer(incoming, response) : response.end(JSON.stringify({ token: long }))
    )
    const token = yield* requestToken(parts)
    assert.strictEqual((yield* parts.exchange("GET /me", `Authorization: Bearer ${token}\r\n`)).status, 200)
    assert.strictEqual(lastHeaders(parts).authorization, `Bearer ${long}`)
  })

  live("is replaced in later responses, even compressed ones to other requests", function*(daemon) {
    const list = builtins.zlib.gzipSync(`tokens: ${CANARY}`)
    const parts = yield* api(daemon, (incoming, response) => {
      if (incoming.url === "/apps/1/token") return issuer(incoming, response)
      response.writeHead(200, { "Content-Type": "text/plain", "Content-Encoding": "gzip" })
      response.end(list)
    })
    yield* requestToken(parts)
    const { body } = yield* parts.exchange("GET /tokens", "Accept-Encoding: gzip\r\n")
    assert.match(body, RegExp(`^tokens: ${MARKER}-*$`))
  })

  live("is not sent to another host, or to another path", function*(daemon) {
    const parts = yield* api(daemon)
    const token = yield* requestToken(parts)
    const sent = parts.upstream.seen.length
    const { exchange } = yield* parts.open({}, `${EVIL}:443`)
    const evil = yield* exchange("GET /me", "").pipe(Effect.as(undefined), Effect.ignore)
    assert.isUndefined(evil)
    const refusals = [
      yield* parts.exchange("GET /v2", `Authorization: Bearer ${token}\r\n`),
      yield* parts.exchange("GET /me/..%2fv2", `Authorization: Bearer ${token}\r\n`)
    ]
    assert.deepStrictEqual(refusals.map(({ status }) => status), [403, 403])
    assert.include(refusals[0]!.body, "this path does not accept the token that the API has issued")
    const other = yield* parts.forward(
      `GET https://${EVIL}/me`,
      `Host: ${EVIL}\r\nAuthorization: Bearer ${token}\r\n`
    )
    assert.strictEqual(other.status, 403)
    assert.strictEqual(parts.upstream.seen.slice(sent).filter(({ headers }) => headers.host === HOST).length, 0)
    assert.isFalse(discloses(JSON.stringify(parts.upstream.seen), CANARY))
  })

  live(
    "is refused if its placeholder comes from another run, was changed, or is beside another placeholder",
    function*(daemon) {
      const parts = yield* api(daemon)
      const [token, another] = [yield* requestToken(parts), yield* requestToken(parts)]
      const sent = parts.upstream.seen.length
      const otherRun = yield* api(daemon, issuer, { daemon: daemon.run("run-of-the-test-2") })
      const inOther = yield* otherRun.exchange("GET /me", `Authorization: Bearer ${token}\r\n`)
      assert.strictEqual(inOther.status, 403)
      assert.include(inOther.body, "used only in the run that requested it")
      const changed = `${token.slice(0, -9)}${token.at(-9) === "A" ? "B" : "A"}${token.slice(-8)}`
      for (const given of [changed, token.split(".")[0]!]) {
        assert.strictEqual((yield* parts.exchange("GET /me", `Authorization: Bearer ${given}\r\n`)).status, 403, given)
      }
      const both = `Authorization: Bearer ${token}\r\nX-Session: ${another}\r\n`
      assert.strictEqual((yield* parts.exchange("GET /me", both)).status, 409)
      assert.strictEqual(parts.upstream.seen.length, sent)
      assert.strictEqual(otherRun.upstream.seen.length, 0)
    }
  )

  live("is refused for an ambiguous request, and where the definition refuses requests", function*(daemon) {
    const parts = yield* api(daemon)
    const lines = ["/apps/../apps/1/token", "//apps/1/token", "/apps/1/x;/../token", "/apps/1/token%252f"]
    for (const path of lines) {
      const { body, status } = yield* parts.exchange(`POST ${path}`, POST)
      assert.strictEqual(status, 403, path)
      assert.include(body, "this host issues tokens")
    }
    assert.strictEqual((yield* parts.exchange("GET /x", "X-HTTP-Method-Override: POST\r\n")).status, 403)
    assert.strictEqual((yield* parts.exchange("GET /x?_method=POST", "")).status, 403)
    assert.strictEqual((yield* parts.exchange("PUT /agents", POST)).status, 403)
    assert.strictEqual(parts.upstream.seen.length, 0)
    for (const path of ["/apps/1/token/", "/APPS/1/Token", "/apps%2f1/token", "/apps/1%2ftoken", "/apps/1/tok%65n"]) {
      const { body } = yield* parts.exchange(`POST ${path}`, POST)
      assert.isFalse(discloses(body, CANARY), path)
    }
  }, definition({ use_hosts: [] }, { hosts: [HOST] }))

  live("is not passed on if the response cannot be read", function*(daemon) {
    const rows = [
      [builtins.zlib.gzipSync(`{"token":"${CANARY}"}`), { "Content-Encoding": "gzip" }, "not JSON"],
      [`{"token":"${CANARY}","more":"${"x".repeat(300_000)}"}`, {}, "too long"],
      [`token=${CANARY}`, {}, "not JSON"],
      [`{"token":"x","token":"${CANARY}"}`, {}, "not JSON"],
      [`{"token":["${CANARY}"]}`, {}, "not a string of 8 to 8192 visible ASCII characters"],
      [`{"token":"${CANARY}\\r\\nX: y"}`, {}, "not a string of 8 to 8192 visible ASCII characters"],
      [`{"token":"${CANARY}${"x".repeat(8192)}"}`, {}, "not a string of 8 to 8192 visible ASCII characters"],
      ["{\"token\":\"short\"}", {}, "not a string of 8 to 8192 visible ASCII characters"]
    ] as const
    for (const [content, headers, reason] of rows) {
      const { exchange } = yield* responds(daemon, content, headers)
      const { body, status } = yield* exchange("POST /apps/1/token", POST)
      assert.isAtLeast(status, 403, reason)
      assert.include(body, reason)
      assert.isFalse(discloses(body, CANARY))
    }
    const escaped = `{"token":"\\u${CANARY.charCodeAt(0).toString(16).padStart(4, "0")}${CANARY.slice(1)}"}`
    const { exchange } = yield* responds(daemon, escaped)
    assert.match(JSON.parse((yield* exchange("POST /apps/1/token", POST)).body).token, PLACEHOLDER)
  })

  live("is not expected in an error or in a response without content, and may be absent", function*(daemon) {
    const failing = yield* responds(daemon, "no such app", {}, 404)
    assert.strictEqual((yield* failing.exchange("POST /apps/1/token", POST)).body, "no such app")
    const empty = yield* responds(daemon, "", {}, 204)
    assert.strictEqual((yield* empty.exchange("POST /apps/1/token", POST)).status, 204)
    const without = yield* responds(daemon, "{\"ok\": false, \"token\": null}", {}, 201)
    const { body, status } = yield* without.exchange("POST /apps/1/token", POST)
    assert.deepStrictEqual([status, body], [201, "{\"ok\":false,\"token\":null}"])
  })

  live("leaves the credential valid when the upstream rejects the token", function*(daemon) {
    const parts = yield* api(daemon, (incoming, response) => {
      if (incoming.url === "/me") response.statusCode = 401
      issuer(incoming, response)
    })
    const token = yield* requestToken(parts)
    const { status } = yield* parts.exchange("GET /me", `Authorization: Bearer ${token}\r\n`)
    assert.strictEqual(status, 401)
    yield* parts.exchange("GET /other", "")
    assert.isTrue(parts.daemon.resolved.every(({ rejected }) => rejected === undefined))
  })

  live(
    "is the only secret that a host with issued_tokens_only gets, and a 401 to it does not invalidate the credential",
    function*(daemon) {
      const parts = yield* api(daemon, (incoming, response) => {
        if (incoming.url === "/me") response.statusCode = 401
        issuer(incoming, response)
      })
      assert.strictEqual((yield* parts.exchange("GET /me", `Authorization: Bearer ${MARKER}\r\n`)).status, 401)
      assert.isUndefined(lastHeaders(parts).authorization)
      yield* parts.exchange("GET /me", `Authorization: Bearer ${yield* requestToken(parts)}\r\n`)
      assert.strictEqual(lastHeaders(parts).authorization, `Bearer ${CANARY}`)
      assert.isTrue(parts.daemon.resolved.every(({ rejected }) => rejected === undefined))
    },
    definition({}, { api_key: { per_host: { [`${HOST}/me`]: { issued_tokens_only: true } } } })
  )

  live("is issued and sent only in requests that the rules of the run allow", function*(daemon) {
    const rules = [{ allow: [], deny: [`POST ${HOST}/apps/2/token`, `${HOST}/me`], readonly: false }]
    const parts = yield* api(daemon, issuer, { rules })
    assert.strictEqual((yield* parts.exchange("POST /apps/2/token", POST)).status, 403)
    const token = yield* requestToken(parts)
    assert.strictEqual((yield* parts.exchange("GET /me", `Authorization: Bearer ${token}\r\n`)).status, 403)
  })
})
