/** Placeholders in requests where the proxy does not replace them. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { WebSocket } from "ws"
import { builtins } from "../../../src/platform/builtins.ts"
import { type FoundPlaceholder, PlaceholderWatch } from "../../../src/proxy/placeholders/PlaceholderWatch.ts"
import { encodingsOf } from "../../support/Canary.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { post, responseOf, setUp as setUpHttp2 } from "../../support/Http2Peers.ts"
import { certificate, EVIL, HOST, proxied, proxyTo } from "../../support/ProxiedHost.ts"
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

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

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

/** Waits until a placeholder was found. */
const oneOf = (misplaced: ReadonlyArray<FoundPlaceholder>) =>
  Effect.map(promise(() => until(() => misplaced.length > 0)), () => shown(misplaced))

const watchFor = (places: Array<string>) => new PlaceholderWatch([EXACT], ({ place }) => void places.push(place))

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

  it.live("is found without TLS, and reported to the daemon", () =>
    Effect.gen(function*() {
      const { daemon, forward, misplaced } = yield* unmatched()
      yield* forward(`GET http://${EVIL}/?a=${KEY}`, `Host: ${EVIL}\r\n`)
      assert.deepStrictEqual(shown(misplaced), [`unmatched query ${EVIL}`])
      yield* promise(() => until(() => daemon.reports.length > 0))
      const [entry] = daemon.reports[0]!.entries
      assert.deepStrictEqual(entry?.slice(1), ["GET", EVIL, "", 0, 0, 0, null, null, null, null, "unmatched query"])
      assert.notInclude(JSON.stringify(daemon.reports), MARKER)
    }))

  it.live("is found in a body without TLS", () =>
    Effect.gen(function*() {
      const { forward, misplaced } = yield* unmatched()
      const body = `a=${encodeURIComponent(KEY)}`
      yield* forward(`POST http://${EVIL}/`, `Host: ${EVIL}\r\nContent-Length: ${body.length}\r\n`, body)
      assert.deepStrictEqual(shown(misplaced), [`unmatched body ${EVIL}`])
    }))

  it.live("is found although the host is blocked", () =>
    Effect.gen(function*() {
      const { forward, misplaced } = yield* unmatched({ unmatched: "deny" })
      const { status } = yield* forward(`GET http://${EVIL}/`, `Host: ${EVIL}\r\nX-Key: ${KEY}\r\n`)
      assert.strictEqual(status, 403)
      assert.deepStrictEqual(shown(misplaced), [`unmatched header ${EVIL}`])
    }))

  it.live("is found in the name of a tunnel's host, in its TLS handshake, and in an unencrypted request", () =>
    Effect.gen(function*() {
      const { port } = yield* listen(builtins.net.createServer((socket) => {
        socket.on("error", () => {})
        socket.resume()
      }))
      const name = `${MARKER}.${EVIL}`
      for (
        const [host, first] of [
          [name, ""],
          [EVIL, `\x16\x03\x01...${name}...`],
          [EVIL, `GET / HTTP/1.1\r\nX-Key: ${KEY}\r\n\r\n`]
        ] as const
      ) {
        const { misplaced, proxy } = yield* proxyTo({ [host]: port }, { daemon: daemon() })
        const { response, socket } = yield* promise(() => connectTo(proxy, `${host}:443`))
        assert.strictEqual(response.status, 200)
        socket.write(first)
        assert.deepStrictEqual(yield* oneOf(misplaced), [`unmatched ${first === "" ? "host" : "message"} ${host}`])
        socket.destroy()
      }
    }))
})

describe("a placeholder in a tunnel to a host without a provider", () => {
  it("is found in the first 4 KiB, however they are split", () => {
    const found = (text: string, size: number) => {
      const places: Array<string> = []
      const search = watchFor(places).searchTunnel(EVIL)
      const bytes = Buffer.from(text, "latin1")
      let searched = 0
      while (searched < bytes.length && search(bytes.subarray(searched, searched + size))) searched += size
      return places
    }
    for (const text of [...Object.values(encodingsOf(MARKER)).flat(), KEY, EXACT]) {
      for (const size of [1, 7, 10_000]) assert.deepStrictEqual(found(`a ${text} b`, size), ["message"], text)
    }
    for (const size of [1, 1000, 10_000]) {
      assert.deepStrictEqual(found(" ".repeat(4096 - KEY.length) + KEY, size), ["message"])
      assert.deepStrictEqual(found(" ".repeat(4096) + KEY, size), [])
    }
  })

  it.live("is found in the body of an unencrypted request, which arrives later", () =>
    Effect.gen(function*() {
      let received = ""
      const { port } = yield* listen(builtins.net.createServer((socket) => {
        socket.on("error", () => {}).on("data", (chunk: Buffer) => received += chunk.toString())
      }))
      const { misplaced, proxy } = yield* proxyTo({ [EVIL]: port }, { daemon: daemon() })
      const { socket } = yield* promise(() => connectTo(proxy, `${EVIL}:443`))
      for (const part of [`POST / HTTP/1.1\r\nContent-Length: ${KEY.length}\r\n\r\n`, KEY.slice(0, 9), KEY.slice(9)]) {
        assert.deepStrictEqual(misplaced, [])
        socket.write(part)
        yield* promise(() => until(() => received.endsWith(part)))
      }
      assert.deepStrictEqual(yield* oneOf(misplaced), [`unmatched message ${EVIL}`])
      socket.destroy()
    }))
})

describe("a placeholder in a request to a provider", () => {
  it.live("is not reported in the places of a credential", () =>
    Effect.gen(function*() {
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
    }))

  it.live("is reported in the query, once for each host", () =>
    Effect.gen(function*() {
      const { exchange, misplaced } = yield* behind()
      yield* exchange(`GET /v1?api_key=${KEY}&q=${encodeURIComponent(KEY)}`)
      yield* exchange(`GET /v1?q=${KEY}`)
      assert.deepStrictEqual(misplaced, [
        { kind: "provider", place: "query", host: HOST, method: "GET", provider: "example" }
      ])
    }))

  it.live("is reported in the path", () =>
    Effect.gen(function*() {
      const { exchange, misplaced } = yield* behind()
      yield* exchange(`GET /v1/${KEY}`)
      assert.deepStrictEqual(shown(misplaced), [`provider path ${HOST}`])
    }))

  it.live("is reported in a body, also without the usual marker, in chunks and compressed", () =>
    Effect.gen(function*() {
      const bodies = [
        [`Content-Length: ${KEY.length}\r\n`, KEY],
        [`Content-Length: ${EXACT.length}\r\n`, EXACT],
        ["Transfer-Encoding: chunked\r\n", `8\r\nsk-creds\r\n10\r\nvc-proxy-managed\r\n0\r\n\r\n`]
      ]
      const zipped = builtins.zlib.gzipSync(KEY)
      bodies.push([`Content-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n`, zipped.toString("latin1")])
      for (const [headers, body] of bodies) {
        const { exchange, misplaced } = yield* behind()
        assert.strictEqual((yield* exchange("POST /v1", headers, body)).status, 200)
        assert.deepStrictEqual(yield* oneOf(misplaced), [`provider body ${HOST}`], headers)
      }
    }))

  it.live("is reported in a body of which only the beginning has arrived, which the upstream receives meanwhile", () =>
    Effect.gen(function*() {
      let received = ""
      const { misplaced, wire } = yield* proxied((incoming) => {
        incoming.on("data", (chunk: Buffer) => {
          received += chunk.toString()
        })
      }, { daemon: daemon() })
      wire.send(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 100000\r\n\r\n${KEY}-`)
      assert.deepStrictEqual(yield* oneOf(misplaced), [`provider body ${HOST}`])
      yield* promise(() => until(() => received === `${KEY}-`))
    }))

  it.live("is reported over HTTP/2", () =>
    Effect.gen(function*() {
      const { misplaced, session } = yield* setUpHttp2(undefined, { daemon: daemon() })
      const stream = post(session)
      stream.end(`{"prompt":"${KEY}"}`)
      assert.strictEqual((yield* promise(() => responseOf(stream))).status, 200)
      assert.deepStrictEqual(shown(misplaced), [`provider body ${HOST}`])
    }))

  it.live("is reported as part of a token request", () =>
    Effect.gen(function*() {
      const body = `grant_type=refresh_token&refresh_token=${KEY}`
      const requests = [
        ["POST /token", `Content-Length: ${body.length}\r\n`, body, "body"],
        [`POST /token?${body}`, "Content-Length: 0\r\n", "", "query"]
      ] as const
      for (const [line, headers, content, place] of requests) {
        const { exchange, misplaced } = yield* behind()
        yield* exchange(line, headers, content)
        assert.deepStrictEqual(shown(misplaced), [`token_request ${place} ${HOST}`])
      }
    }))

  for (const deflate of [false, true]) {
    it.live(`is reported in a WebSocket message${deflate ? " that is compressed" : ""}`, () =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.make({ certificate })
        upstream.server.on("upgrade", (incoming, socket) => {
          socket.on("error", () => {}).resume()
          const key = `${incoming.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
          const accept = builtins.crypto.createHash("sha1").update(key).digest("base64")
          socket.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
              `Sec-WebSocket-Accept: ${accept}\r\n` +
              (deflate ? "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n" : "\r\n")
          )
        })
        const { misplaced, open } = yield* proxyTo(upstream.port, { daemon: daemon() })
        const { socket } = yield* open()
        socket.removeAllListeners("data")
        const client = new WebSocket(`wss://${HOST}/`, {
          createConnection: () => socket,
          perMessageDeflate: { threshold: 0 },
          headers: { Authorization: `Bearer ${KEY}` }
        })
        client.on("error", () => {})
        yield* promise(() => new Promise((resolve) => client.once("open", resolve)))
        for (const message of ["one", "{\"a\":1}"]) client.send(message)
        client.ping("two")
        assert.deepStrictEqual(misplaced, [])
        client.send(`{"key":"${KEY}"}`)
        assert.deepStrictEqual(yield* oneOf(misplaced), [`provider message ${HOST}`])
        client.terminate()
      }))
  }

  it.live("of a connection that does not exist is reported", () =>
    Effect.gen(function*() {
      for (const error of ["ConnectionNotFoundError", "CredentialMissingError"]) {
        const { exchange, misplaced } = yield* behind({ resolve: noCredential(error) })
        yield* exchange("GET /", `Authorization: Bearer ${KEY}\r\n`)
        yield* exchange("GET /", "Credsvc-Connection: work\r\n")
        assert.deepStrictEqual(misplaced, [])
        yield* exchange("GET /", `Authorization: Bearer ${KEY}--work\r\n`)
        assert.deepStrictEqual(shown(misplaced), [`connection header ${HOST}`], error)
      }
      const { exchange, misplaced } = yield* behind({ resolve: noCredential("TokenExpiredError") })
      yield* exchange("GET /", `Authorization: Bearer ${KEY}--work\r\n`)
      assert.deepStrictEqual(misplaced, [])
    }))

  it.live("together with that of another connection is reported", () =>
    Effect.gen(function*() {
      const { exchange, misplaced } = yield* behind()
      yield* exchange("GET /", `Authorization: Bearer ${KEY}--work\r\nX-Key: ${KEY}--home\r\n`)
      assert.deepStrictEqual(shown(misplaced), [`connection header ${HOST}`])
    }))
})

describe("a misplaced placeholder in a strict run", () => {
  const strict = (handler?: FakeUpstream.Handler, more: Partial<HarnessOptions> = {}) =>
    proxied(handler, { daemon: daemon(), strict: true, ...more })

  it.live("is in no request with a credential, and ends the use of credentials", () =>
    Effect.gen(function*() {
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
            "--requests, then start the command again with credsvc run"
        )
      }
      assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/first"])
      yield* promise(() =>
        until(() => daemon.reports.flatMap(({ entries }) => entries).some((entry) => entry[11] !== undefined))
      )
    }))

  it.live("ends requests whose credential the daemon returns afterwards", () =>
    Effect.gen(function*() {
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
    }))

  it.live("ends open streams, and a request whose body has it", () =>
    Effect.gen(function*() {
      const { open, wire } = yield* strict((incoming, response) => {
        if (incoming.url === "/events") response.write("data: one\n\n")
        else incoming.resume()
      })
      wire.send(`GET /events HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      yield* promise(() => wire.text("data: one"))
      const { wire: leaking } = yield* open()
      leaking.send(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 1000\r\n\r\n${KEY}-`)
      const refused = yield* promise(() => leaking.response())
      assert.strictEqual(refused.headers.get("x-credsvc-error"), "RunFrozenError")
      yield* promise(() => wire.closed())
      assert.isTrue(wire.failed)
    }))

  it.live("leaves requests to hosts without a provider alone", () =>
    Effect.gen(function*() {
      const { forward, misplaced } = yield* unmatched({ strict: true })
      for (let count = 0; count < 2; count++) {
        const { status } = yield* forward(`GET http://${EVIL}/?a=${KEY}`, `Host: ${EVIL}\r\n`)
        assert.strictEqual(status, 200)
      }
      assert.strictEqual(misplaced.length, 1)
    }))

  it.live("has no effect on runs that are not strict", () =>
    Effect.gen(function*() {
      const { exchange } = yield* behind()
      yield* exchange(`GET /v1?q=${KEY}`)
      assert.strictEqual((yield* exchange("GET /v1")).status, 200)
    }))
})

it("reports each kind once for each host, for 256 of them", () => {
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
