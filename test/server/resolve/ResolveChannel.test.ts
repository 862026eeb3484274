import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { vi } from "vitest"
import type { ChannelResponse } from "../../../src/client/DaemonChannel.ts"
import {
  type DaemonConnection,
  type DaemonRequest,
  openDaemonConnection
} from "../../../src/client/DaemonConnection.ts"
import { findAccessKey } from "../../../src/config/daemon/AccessKey.ts"
import { PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { SharedAccess } from "../../../src/store/Store.ts"
import * as fc from "../../support/FastCheck.ts"
import { live, promise, testsWith } from "../../support/Fixture.ts"
import { introduction } from "../../support/ProvedConnections.ts"
import { register } from "../../support/RegisteredRun.ts"
import { asked, key, loggedIn, queries } from "../../support/ResolveQueries.ts"
import { tamper } from "../../support/Services.ts"
import { logIn, startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { connected } from "../../support/TestServer.ts"
import { eventually, until as seen } from "../../support/Until.ts"

/** A client of this home with its own connections. */
const clientOf = (daemon: TestDaemonShape) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      return openDaemonConnection(
        { url: new URL(daemon.url), loopback: true, explicit: false, startable: false },
        { accessKey: yield* findAccessKey(daemon.paths), peerOwner: yield* PeerOwner }
      )
    }).pipe(Effect.provide(PeerOwner.layer)),
    (connection) => Effect.sync(() => connection.close())
  )

const withClient = testsWith(
  Effect.gen(function*() {
    const daemon = yield* loggedIn
    return { client: yield* clientOf(daemon), daemon }
  }),
  () => PeerOwner.layer
)

const query = (body: string, headers: Record<string, string> = {}) => ({
  method: "POST",
  path: "/credentials/resolve",
  headers,
  body
})

const routesQuery = (version: string | undefined, headers: Record<string, string> = {}) => ({
  method: "GET",
  path: "/proxy/routes",
  headers: version === undefined ? headers : { ...headers, "if-none-match": `"${version}"` },
  body: undefined
})

const exchange = (client: DaemonConnection, request: DaemonRequest) =>
  Effect.callback<ChannelResponse | undefined>((resume) =>
    client.exchange(request, (answer) => resume(Effect.succeed(answer)))
  )

const resolve = (client: DaemonConnection, body: string, headers?: Record<string, string>) =>
  Effect.map(exchange(client, query(body, headers)), (answer) => {
    if (answer === undefined) throw new Error("the daemon did not answer")
    return { status: answer.status, json: JSON.parse(answer.body) }
  })

/** A connection that has proved the access key, with all bytes received on it. */
const provedSocket = (daemon: TestDaemonShape) =>
  Effect.gen(function*() {
    const key = (yield* findAccessKey(daemon.paths)) ?? assert.fail("no access key")
    const socket = yield* connected(daemon.port)
    let received = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => received += chunk)
    const ended = new Promise<void>((resolve) => void socket.once("close", () => resolve()))
    const until = (what: RegExp) => promise(() => seen(() => what.test(received), () => received))
    socket.write(introduction(key, socket))
    yield* until(/\r\n\r\n.*\}/s)
    return { socket, until, closed: promise(() => ended), received: () => received }
  })

const opening = (
  daemon: TestDaemonShape,
  line = "GET /credentials/resolve HTTP/1.1",
  more = "Upgrade: credsvc-resolve-2\r\n"
) => `${line}\r\nHost: 127.0.0.1:${daemon.port}\r\nConnection: Upgrade\r\n${more}\r\n`

describe("ResolveChannel", () => {
  withClient.live("replies to valid and invalid queries as the API route does", function*({ client, daemon }) {
    for (const { body, error, status } of queries) {
      const short = yield* resolve(client, body)
      assert.deepStrictEqual([short.status, short.json.error], [status, error], body)
      const ordinary = yield* daemon.post("/credentials/resolve", body)
      assert.deepStrictEqual([short.status, short.json], [ordinary.status, ordinary.json], body)
    }
    const good = yield* resolve(client, JSON.stringify(asked))
    assert.strictEqual(good.json.headers.Authorization, `Bearer ${key}`)
  })

  withClient.live(
    "replies to queries about routes as the API route does, for any version and profile",
    function*({ client, daemon }) {
      const { profile } = (yield* daemon.request("/whoami")).json
      const other = (yield* daemon.post("/profiles", {})).json.handle
      const versionOf = (named: string) =>
        Effect.map(
          daemon.request("/proxy/routes", { headers: { "credsvc-profile": named } }),
          ({ json }) => json.version as string
        )
      const versions = [undefined, yield* versionOf(profile), yield* versionOf(other)]
      const version = fc.oneof(fc.constantFrom(...versions), fc.stringMatching(/^[\w-]{1,64}$/))
      const headers = fc.constantFrom<Record<string, string>>(
        {},
        { "credsvc-profile": profile },
        { "credsvc-profile": other },
        { "credsvc-profile": "quiet-heron-4821" },
        { "credsvc-profile": "../etc" }
      )
      const statuses = new Set<number>()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(version, headers, (version, headers) =>
            Effect.runPromise(Effect.gen(function*() {
              const asked = routesQuery(version, headers)
              const short = yield* exchange(client, asked)
              const ordinary = yield* daemon.request("/proxy/routes", { headers: asked.headers })
              assert.deepStrictEqual(short, { status: ordinary.status, body: ordinary.body })
              statuses.add(ordinary.status)
            }))),
          { numRuns: 60, examples: [[undefined, {}], [versions[1], { "credsvc-profile": profile }]] }
        )
      )
      assert.includeMembers([...statuses], [200, 304, 400])
      // Anything that is not one of our versions is handled by the operation.
      assert.isUndefined(yield* exchange(client, routesQuery("a, b")))
    }
  )

  withClient.live(
    "reports a change of the routes at the next query, even between queries about credentials",
    function*({ client, daemon }) {
      const { profile } = (yield* daemon.request("/whoami")).json
      for (const headers of [{}, { "credsvc-profile": profile }]) {
        const routes = (version: string | undefined) =>
          Effect.map(exchange(client, routesQuery(version, headers)), (answer) => {
            if (answer === undefined) throw new Error("the daemon did not answer")
            return answer.status === 304 ? 304 : JSON.parse(answer.body)
          })
        const hosts = (list: { readonly routes: ReadonlyArray<{ readonly host: string }> }) =>
          list.routes.map(({ host }) => host)
        const before = yield* routes(undefined)
        for (let round = 0; round < 3; round++) assert.strictEqual(yield* routes(before.version), 304)
        assert.strictEqual((yield* resolve(client, JSON.stringify(asked), headers)).status, 200)
        const custom = { name: "acme", auth_type: "api_key", flow: "api_key", api_url: "https://api.acme.example" }
        yield* daemon.post("/providers", custom)
        const after = yield* routes(before.version)
        assert.include(hosts(after), "api.acme.example")
        for (let round = 0; round < 3; round++) assert.strictEqual(yield* routes(after.version), 304)
        // As if the user edited the file.
        const file = path.join(daemon.paths.providers, "acme.json")
        fs.writeFileSync(file, JSON.stringify({ ...custom, api_url: "https://api.other.example" }))
        assert.include(hosts(yield* routes(after.version)), "api.other.example")
        fs.rmSync(file)
        assert.strictEqual((yield* routes(after.version)).version, before.version)
        yield* daemon.request("/connections/openai/default/logout", { method: "POST" })
        const loggedOut = yield* routes(before.version)
        assert.notStrictEqual(loggedOut.version, before.version)
        yield* logIn(daemon, key)
        assert.strictEqual((yield* routes(loggedOut.version)).version, before.version)
      }
    }
  )

  withClient.live(
    "rejects requests that a web page could send, and heads that differ from the proxy's",
    function*({ client, daemon }) {
      const refused: ReadonlyArray<Record<string, string>> = [
        { host: "evil.test:7998" },
        { origin: "http://evil.test" },
        { origin: daemon.url },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-origin" },
        { "sec-fetch-site": "none" },
        { upgrade: "websocket" },
        { "credsvc-run": "../../etc" },
        { "transfer-encoding": "chunked" }
      ]
      for (const headers of refused) {
        assert.isUndefined(yield* exchange(client, query(JSON.stringify(asked), headers)), JSON.stringify(headers))
      }
      assert.strictEqual((yield* resolve(client, JSON.stringify(asked))).status, 200)
    }
  )

  const heads: ReadonlyArray<readonly [what: string, line?: string | undefined, more?: string]> = [
    ["another method", "POST /credentials/resolve HTTP/1.1"],
    ["another path", "GET /health HTTP/1.1"],
    ["a query", "GET /credentials/resolve?a HTTP/1.1"],
    ["HTTP/1.0", "GET /credentials/resolve HTTP/1.0"],
    ["another protocol", undefined, "Upgrade: websocket\r\n"],
    ["two protocols", undefined, "Upgrade: credsvc-resolve-2, websocket\r\n"],
    ["the protocol twice", undefined, "Upgrade: credsvc-resolve-2\r\nUpgrade: credsvc-resolve-2\r\n"],
    ["two profiles", undefined, "Upgrade: credsvc-resolve-2\r\ncredsvc-profile: a\r\ncredsvc-profile: b\r\n"],
    ["an invalid run ID", undefined, "Upgrade: credsvc-resolve-2\r\ncredsvc-run: short\r\n"]
  ]
  live("rejects an upgrade with any other head, even after the handshake", function*() {
    const daemon = yield* startTestDaemon()
    for (const [what, line, more] of heads) {
      const { received, socket, until } = yield* provedSocket(daemon)
      socket.write(opening(daemon, line, more))
      yield* until(/ 405 | 400 /)
      assert.notInclude(received(), " 101 ", what)
    }
  })

  live("closes when the client ends its side", function*() {
    const daemon = yield* startTestDaemon()
    const { closed, socket, until } = yield* provedSocket(daemon)
    socket.write(opening(daemon))
    yield* until(/ 101 /)
    socket.end()
    yield* closed
  })

  live("rejects an upgrade before the handshake with the access key", function*() {
    const daemon = yield* loggedIn
    const answer = yield* daemon.raw(`${opening(daemon)}${JSON.stringify(asked)}\n`)
    assert.match(answer, /^HTTP\/1\.1 405 /)
    assert.match(answer, /connection: close/i)
    assert.notInclude(answer, key)
    const early = `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\n\r\n${opening(daemon)}`
    assert.notInclude(yield* daemon.raw(early), "101 Switching")
    assert.strictEqual((yield* daemon.request("/health")).status, 200)
  })

  live("closes after two simultaneous queries, and after a query that is sent with the head", function*() {
    const daemon = yield* loggedIn
    const line = `${JSON.stringify(asked)}\n`
    const one = yield* provedSocket(daemon)
    one.socket.write(opening(daemon))
    yield* one.until(/ 101 /)
    one.socket.write(line)
    yield* one.until(/\n200 \{.*\}\n$/s)
    one.socket.write(line + line)
    yield* one.closed
    assert.lengthOf(one.received().match(/^200 /gm) ?? [], 1)
    const early = yield* provedSocket(daemon)
    early.socket.write(opening(daemon) + line)
    yield* early.until(/ 405 /)
    assert.notInclude(early.received(), key)
  })

  const strange = [
    "r",
    "routes ",
    "routes a b",
    "routes\t",
    "routesa",
    "routes \"a\"",
    `routes ${"a".repeat(65)}`,
    "routes ü",
    "resolve {}"
  ]
  live("closes after an invalid query", function*() {
    const daemon = yield* startTestDaemon()
    for (const line of strange) {
      const { closed, received, socket, until } = yield* provedSocket(daemon)
      socket.write(opening(daemon))
      yield* until(/ 101 /)
      const before = received().length
      socket.write(`${line}\n`)
      yield* closed
      assert.lengthOf(received(), before, line)
    }
  })

  live("closes when the daemon stops", function*() {
    const scope = yield* Scope.make()
    const daemon = yield* startTestDaemon().pipe(Scope.provide(scope))
    const client = yield* clientOf(daemon)
    const ask = exchange(client, query(JSON.stringify(asked)))
    assert.strictEqual((yield* ask)?.status, 404)
    yield* Scope.close(scope, Exit.void)
    assert.isUndefined(yield* ask)
  })

  withClient.live(
    "does not reuse a cached response after a logout, a login or an override",
    function*({ client, daemon }) {
      const { profile } = (yield* daemon.request("/whoami")).json
      const headers = { "credsvc-run": "r".repeat(22), "credsvc-profile": profile }
      const ask = resolve(client, JSON.stringify(asked), headers)
      for (let round = 0; round < 3; round++) assert.strictEqual((yield* ask).status, 200)
      yield* daemon.request("/connections/openai/default/logout", { method: "POST" })
      assert.strictEqual((yield* ask).json.error, "CredentialMissingError")
      yield* logIn(daemon, `${key}-new`)
      for (let round = 0; round < 3; round++) {
        assert.strictEqual((yield* ask).json.headers.Authorization, `Bearer ${key}-new`)
      }
      const override = { name: "openai", auth_type: "api_key", flow: "api_key", api_url: "https://api.openai.com/v2" }
      assert.strictEqual(
        (yield* daemon.post("/providers?force=true", override)).status,
        201
      )
      yield* daemon.request("/providers")
      assert.notStrictEqual((yield* ask).status, 200)
    }
  )

  withClient.live(
    "allows a proxy to reuse a response until the next one, except in unknown runs and in runs with limited uses",
    function*({ client, daemon }) {
      const { profile } = (yield* daemon.request("/whoami")).json
      const now = vi.spyOn(performance, "now").mockReturnValue(performance.now())
      yield* Effect.addFinalizer(() => Effect.sync(() => now.mockRestore()))
      const answerIn = (run: string) =>
        Effect.gen(function*() {
          const headers = { "credsvc-run": run, "credsvc-profile": profile }
          const ask = exchange(client, query(JSON.stringify(asked), headers))
          // The first answer reads the store, and the second one is sent because it has not changed.
          yield* ask
          return yield* ask
        })
      const run = "r".repeat(22)
      const counted = "c".repeat(22)
      yield* register(daemon, run)
      yield* register(daemon, counted, { max_uses: 9 })
      const logOut = daemon.request("/connections/openai/default/logout", { method: "POST" })
      for (const change of [daemon.request("/health"), daemon.request("/absent"), logOut]) {
        // The first use is noted in the background, which is a change as well.
        const answer = yield* eventually(answerIn(run), (answer) => answer?.validity?.() === "valid")
        yield* change
        assert.strictEqual(answer?.validity?.(), "over")
      }
      assert.strictEqual((yield* answerIn(run))?.status, 404)
      for (const other of [counted, "u".repeat(22)]) assert.isUndefined((yield* answerIn(other))?.validity, other)
    }
  )

  it.live("does not reuse a cached response after another program has changed the store, even if the change was undone", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const client = yield* clientOf(daemon)
      const ask = resolve(client, JSON.stringify(asked), { "credsvc-run": "r".repeat(22) })
      for (let round = 0; round < 3; round++) assert.strictEqual((yield* ask).status, 200)
      tamper(daemon.home, "UPDATE connections SET generation = generation + 1")
      assert.strictEqual((yield* ask).json.error, "VaultUnavailableError")
      tamper(daemon.home, "UPDATE connections SET generation = generation - 1")
      for (let round = 0; round < 3; round++) {
        assert.strictEqual((yield* ask).json.error, "VaultUnavailableError")
      }
    }).pipe(Effect.scoped, Effect.provideService(SharedAccess, true)))
})
