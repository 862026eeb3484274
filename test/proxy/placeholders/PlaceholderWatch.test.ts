/** Placeholders in requests where the proxy does not replace them. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { builtins } from "../../../src/platform/builtins.ts"
import { type FoundPlaceholder, PlaceholderWatch } from "../../../src/proxy/placeholders/PlaceholderWatch.ts"
import { encodingsOf } from "../../support/Canary.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { EVIL, HOST, proxied, proxyTo } from "../../support/ProxiedHost.ts"
import {
  bearer,
  connectTo,
  fakeDaemon,
  type HarnessOptions,
  MARKER,
  noCredential,
  route
} from "../../support/ProxyHarness.ts"
import { listen } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

/** A placeholder without the usual marker. */
const EXACT = "0000placeholder.of.acme0000"
const KEY = `sk-${MARKER}`

const daemon = (more: Parameters<typeof fakeDaemon>[1] = {}) =>
  fakeDaemon([route(HOST, "example")], {
    placeholders: [
      { provider: "example" as never, variable: "EXAMPLE_API_KEY", value: KEY },
      { provider: "example" as never, variable: "EXAMPLE_ACCESS_KEY", value: EXACT, exact: true }
    ],
    ...more
  })

const behind = (more: Parameters<typeof fakeDaemon>[1] = {}) => proxied(undefined, { daemon: daemon(more) })

/** A server without TLS at a host that belongs to no provider. */
const unmatched = (options: Parameters<typeof proxyTo>[1] = {}) =>
  Effect.gen(function*() {
    const { port } = yield* FakeUpstream.make()
    return yield* proxyTo({ [`${EVIL}:80`]: port }, { daemon: daemon(), ...options })
  })

const shown = (found: ReadonlyArray<FoundPlaceholder>) =>
  found.map(({ host, kind, place }) => `${kind} ${place} ${host}`)

const listed = [{ variable: "EXAMPLE_ACCESS_KEY", value: EXACT, exact: true }] as const

const watchFor = (places: Array<string>) => new PlaceholderWatch(listed, ({ place }) => void places.push(place))

describe("a placeholder in a request without a provider", () => {
  it("is found in every encoding, in the host, in header fields, in the path and in the query", () => {
    const about = { kind: "unmatched", host: EVIL, method: "GET" } as const
    for (const text of [...Object.values(encodingsOf(MARKER)).flat(), KEY, EXACT]) {
      const places: Array<string> = []
      const heads = [
        [about, ["Accept", "*/*", "X-Id", text], "/"],
        [about, [], `/a/${text}/b`],
        [about, [], `/?a=${text}`]
      ] as const
      for (const [request, headers, target] of heads) {
        watchFor(places).searchHead(request, headers, target)
      }
      assert.deepStrictEqual(places, ["header", "path", "query"], text)
    }
    const places: Array<string> = []
    const watch = watchFor(places)
    watch.searchHead({ ...about, host: `${MARKER}.${EVIL}` }, [], "/")
    watch.searchHead(about, ["Authorization", `Basic ${btoa(`user:${KEY}`)}`], "/")
    assert.deepStrictEqual(places, ["host", "header"])
  })

  it("is reported with the variables that have its value", () => {
    const values = { A_KEY: MARKER, B_TOKEN: KEY, C_TOKEN: KEY, D_KEY: "", E_KEY: EXACT }
    const watched = Object.entries(values).map(([variable, value]) => ({ variable, value }))
    const cases = [
      [`Bearer ${KEY}`, ["B_TOKEN", "C_TOKEN"]],
      [MARKER, ["A_KEY"]],
      [`x-${MARKER}`, ["A_KEY"]],
      [btoa(`user:${KEY}`), []]
    ] as const
    for (const [text, variables] of cases) {
      const found: Array<FoundPlaceholder> = []
      const watch = new PlaceholderWatch(watched, (one) => void found.push(one))
      watch.searchHead({ kind: "unmatched", host: EVIL, method: "GET" }, ["Authorization", text], "/")
      assert.deepStrictEqual(found.map((one) => one.variables), [variables], text)
    }
  })

  live("is found without TLS, and reported to the daemon", function*() {
    const { daemon, forward, misplaced } = yield* unmatched()
    yield* forward(`GET http://${EVIL}/?a=${KEY}`, `Host: ${EVIL}\r\n`)
    assert.deepStrictEqual(shown(misplaced), [`unmatched query ${EVIL}`])
    yield* promise(() => until(() => daemon.reports.length > 0))
    const [entry] = daemon.reports[0]!.entries
    assert.deepStrictEqual(entry?.slice(1), ["GET", EVIL, "", 0, 0, 0, null, null, null, null, "unmatched query"])
    assert.notInclude(JSON.stringify(daemon.reports), MARKER)
  })

  live("is found although the host is blocked", function*() {
    const { forward, misplaced } = yield* unmatched({ unmatched: "deny" })
    const { status } = yield* forward(`GET http://${EVIL}/`, `Host: ${EVIL}\r\nX-Key: ${KEY}\r\n`)
    assert.strictEqual(status, 403)
    assert.deepStrictEqual(shown(misplaced), [`unmatched header ${EVIL}`])
  })

  live("is found in the name of a tunnel's host", function*() {
    const { port } = yield* listen(builtins.net.createServer((socket) => {
      socket.on("error", () => {})
      socket.resume()
    }))
    const host = `${MARKER}.${EVIL}`
    const { misplaced, proxy } = yield* proxyTo({ [host]: port }, { daemon: daemon() })
    const { response, socket } = yield* promise(() => connectTo(proxy, `${host}:443`))
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual(shown(misplaced), [`unmatched host ${host}`])
    socket.destroy()
  })
})

describe("a placeholder in a request to a provider", () => {
  live("is not reported in the places of a credential", function*() {
    const { exchange, misplaced, upstream } = yield* behind({
      resolve: (request) =>
        Effect.succeed({
          ...bearer(request),
          query: { app: Redacted.make("app-secret") },
          path: { "/bot{api_key}": Redacted.make("/botkey-secret") }
        })
    })
    const requests = [
      ["GET /v1", `Authorization: Bearer ${KEY}\r\n`],
      ["GET /v1", `Authorization: Basic ${btoa(`${KEY}:`)}\r\n`],
      ["GET /v1", `X-Api-Key: ${KEY}\r\nCookie: session=${KEY}\r\nX-Other: ${EXACT}\r\n`],
      [`GET /bot${KEY}/getMe`, ""],
      [`GET /v1?app=${KEY}&a=b`, ""],
      [`GET /v1?api_key=${KEY}`, ""],
      [`GET /v1?access_token=${encodeURIComponent(KEY)}&client_id=${KEY}`, ""],
      [`OPTIONS /v1?q=${KEY}`, `Authorization: Bearer ${KEY}\r\n`]
    ] as const
    for (const [line, headers] of requests) {
      assert.strictEqual((yield* exchange(line, headers)).status, 200)
    }
    assert.deepStrictEqual(misplaced, [])
    assert.strictEqual(upstream.seen.length, requests.length)
  })

  live("is reported in the query, once for each host", function*() {
    const { exchange, misplaced } = yield* behind()
    yield* exchange(`GET /v1?api_key=${KEY}&q=${encodeURIComponent(KEY)}`)
    yield* exchange(`GET /v1?q=${KEY}`)
    assert.deepStrictEqual(misplaced, [
      {
        kind: "provider",
        place: "query",
        host: HOST,
        method: "GET",
        provider: "example",
        variables: ["EXAMPLE_API_KEY"]
      }
    ])
  })

  live("is reported in the path", function*() {
    const { exchange, misplaced } = yield* behind()
    yield* exchange(`GET /v1/${KEY}`)
    assert.deepStrictEqual(shown(misplaced), [`provider path ${HOST}`])
  })

  live("is not searched for in a body, which may quote it", function*() {
    const { exchange, misplaced } = yield* behind()
    const { body, status } = yield* exchange("POST /v1", `Content-Length: ${KEY.length}\r\n`, KEY)
    assert.strictEqual(status, 200)
    assert.strictEqual(JSON.parse(body).body, KEY)
    assert.deepStrictEqual(misplaced, [])
  })

  live("is reported as part of a token request", function*() {
    const { exchange, misplaced } = yield* behind()
    yield* exchange(`POST /token?grant_type=refresh_token&refresh_token=${KEY}`, "Content-Length: 0\r\n")
    assert.deepStrictEqual(shown(misplaced), [`token_request query ${HOST}`])
  })

  live("is reported if its connection does not exist", function*() {
    const absent = yield* behind({ resolve: noCredential() })
    yield* absent.exchange("GET /", `Authorization: Bearer ${KEY}\r\n`)
    yield* absent.exchange("GET /", "Credsvc-Connection: work\r\n")
    assert.deepStrictEqual(absent.misplaced, [])
    yield* absent.exchange("GET /", `Authorization: Bearer ${KEY}--work\r\n`)
    assert.deepStrictEqual(shown(absent.misplaced), [`connection header ${HOST}`])
    const { exchange, misplaced } = yield* behind({ resolve: noCredential("TokenExpiredError") })
    yield* exchange("GET /", `Authorization: Bearer ${KEY}--work\r\n`)
    assert.deepStrictEqual(misplaced, [])
  })

  live("is reported together with the placeholder of another connection", function*() {
    const { exchange, misplaced } = yield* behind()
    yield* exchange("GET /", `Authorization: Bearer ${KEY}--work\r\nX-Key: ${KEY}--home\r\n`)
    assert.deepStrictEqual(shown(misplaced), [`connection header ${HOST}`])
  })
})

describe("a misplaced placeholder in a strict run", () => {
  const strict = (handler?: FakeUpstream.Handler, more: Partial<HarnessOptions> = {}) =>
    proxied(handler, { daemon: daemon(), strict: true, ...more })

  live("causes a 403, also for later requests that need a credential", function*() {
    const { daemon, exchange, upstream } = yield* strict()
    assert.strictEqual((yield* exchange("GET /first")).status, 200)
    for (const line of [`GET /v1?q=${KEY}`, "GET /v1"]) {
      const { body, headers, status } = yield* exchange(line)
      assert.strictEqual(status, 403)
      assert.strictEqual(headers.get("x-credsvc-error"), "RunFrozenError")
      const { message, misplaced } = JSON.parse(body)
      assert.deepStrictEqual(misplaced, { kind: "provider", place: "query", host: HOST })
      assert.strictEqual(
        message,
        "credsvc: this run gets no more credentials, because of --strict. A placeholder was in the query of a request to " +
          "api.example.com, where it is not replaced by the credential. To continue, find the cause with credsvc log " +
          "requests, then start the command again with credsvc run"
      )
    }
    assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/first"])
    yield* promise(() =>
      until(() => daemon.reports.flatMap(({ entries }) => entries).some((entry) => entry[11] !== undefined))
    )
  })

  live("ends requests whose credential the daemon returns afterwards", function*() {
    const answer = yield* Deferred.make<void>()
    const slow = daemon({ resolve: (request) => Effect.as(Deferred.await(answer), bearer(request)) })
    const { forward, misplaced, upstream, wire } = yield* strict(undefined, { daemon: slow })
    wire.send(`GET /late HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    yield* promise(() => until(() => slow.resolved.length === 1))
    yield* forward(`GET http://127.0.0.1:1/?a=${KEY}`, "Host: 127.0.0.1:1\r\n")
    assert.strictEqual(misplaced.length, 1)
    yield* Deferred.succeed(answer, undefined)
    const { headers } = yield* promise(() => wire.response())
    assert.strictEqual(headers.get("x-credsvc-error"), "RunFrozenError")
    assert.deepStrictEqual(upstream.seen, [])
  })

  live("ends open streams", function*() {
    const { open, wire } = yield* strict((incoming, response) => {
      if (incoming.url === "/events") response.write("data: one\n\n")
      else incoming.resume()
    })
    wire.send(`GET /events HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    yield* promise(() => wire.text("data: one"))
    const { wire: leaking } = yield* open()
    leaking.send(`GET /?q=${KEY} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    const refused = yield* promise(() => leaking.response())
    assert.strictEqual(refused.headers.get("x-credsvc-error"), "RunFrozenError")
    yield* promise(() => wire.closed())
    assert.isTrue(wire.failed)
  })

  live("does not change requests to hosts without a provider", function*() {
    const { forward, misplaced } = yield* unmatched({ strict: true })
    for (let count = 0; count < 2; count++) {
      const { status } = yield* forward(`GET http://${EVIL}/?a=${KEY}`, `Host: ${EVIL}\r\n`)
      assert.strictEqual(status, 200)
    }
    assert.strictEqual(misplaced.length, 1)
  })

  live("has no effect on runs that are not strict", function*() {
    const { exchange } = yield* behind()
    yield* exchange(`GET /v1?q=${KEY}`)
    assert.strictEqual((yield* exchange("GET /v1")).status, 200)
  })
})

it("PlaceholderWatch reports each kind of misplaced placeholder once for each host, and at most 256 in total", () => {
  const found: Array<FoundPlaceholder> = []
  const watch = new PlaceholderWatch([], (one) => void found.push(one))
  for (let i = 0; i < 600; i++) {
    for (const kind of ["unmatched", "provider"] as const) {
      watch.report({ kind, place: "query", host: `${i % 200}.${EVIL}`, method: "GET" })
    }
  }
  assert.strictEqual(found.length, 256)
  assert.strictEqual(new Set(found.map(({ host, kind }) => kind + host)).size, 256)
})
