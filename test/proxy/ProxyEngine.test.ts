import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Net from "node:net"
import { vi } from "vitest"
import { WebSocketServer } from "ws"
import { WriteQueue } from "../../src/http/http1/WriteQueue.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { CredentialRefusedError } from "../../src/proxy/routing/CredentialSource.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import {
  bearer,
  caughtUp,
  connectTo,
  type FakeDaemon,
  fakeDaemon,
  MARKER,
  route,
  SECRET,
  secureTunnel,
  startProxy,
  temporaryFile,
  until,
  Wire
} from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const authority = makeAuthority()
const HOST = "api.example.com"
const EVIL = "evil.example.net"
const certificate = authority.issue([HOST, EVIL])

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const proxyTo = (port: number, more: { readonly daemon?: FakeDaemon } = {}) =>
  Effect.gen(function*() {
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const daemon = more.daemon ?? fakeDaemon([route(HOST, "example")])
    const proxy = yield* startProxy({
      daemon,
      upstream: {
        extraCaCerts: [ca],
        resolve: { [`${HOST}:443`]: `127.0.0.1:${port}`, [`${EVIL}:443`]: `127.0.0.1:${port}` }
      }
    })
    return { daemon, proxy }
  })

const setUp = (handler?: FakeUpstream.Handler, more: { readonly daemon?: FakeDaemon } = {}) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate, handler })
    const { daemon, proxy } = yield* proxyTo(upstream.port, more)
    const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    return { upstream, daemon, proxy, socket, wire }
  })

const request = (line: string, headers = "") => `${line} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`
const headersNamed = (raw: ReadonlyArray<string>, name: string) =>
  raw.flatMap((text, i) => i % 2 === 0 && text.toLowerCase() === name ? [raw[i + 1]] : [])

describe("ProxyEngine", () => {
  describe("authority", () => {
    for (const sni of [HOST, EVIL, undefined]) {
      for (const host of [HOST, EVIL, `${HOST}:443`, `${HOST.toUpperCase()}.`, `${HOST}:8443`]) {
        const same = host.toLowerCase().replace(/\.$|:443$/g, "") === HOST
        const served = sni !== EVIL && same
        it.live(`CONNECT ${HOST}, SNI ${sni ?? "none"}, Host ${host}: ${served ? "served" : "refused"}`, () =>
          Effect.gen(function*() {
            const upstream = yield* FakeUpstream.make({ certificate })
            const { daemon, proxy } = yield* proxyTo(upstream.port)
            const opened = yield* promise(() =>
              secureTunnel(proxy, `${HOST}:443`, {
                rejectUnauthorized: false,
                ...(sni === undefined ? { servername: "" } : { servername: sni })
              }).catch(() => undefined)
            )
            if (sni === EVIL) assert.isUndefined(opened)
            else {
              opened?.wire.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
              const answer = yield* promise(() => opened?.wire.answer() ?? Promise.reject(new Error("no tunnel")))
              assert.strictEqual(answer.status, served ? 200 : 421)
            }
            opened?.socket.destroy()
            assert.strictEqual(daemon.resolved.length, served ? 1 : 0)
            assert.strictEqual(upstream.seen.length, served ? 1 : 0)
          }).pipe(Effect.scoped))
      }
    }

    it.live("ends the TLS handshake with an alert if SNI names another host", () =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.make({ certificate })
        const { proxy } = yield* proxyTo(upstream.port)
        const error = yield* Effect.flip(Effect.tryPromise({
          try: () => secureTunnel(proxy, `${HOST}:443`, { servername: EVIL }),
          catch: (cause) => cause as NodeJS.ErrnoException
        }))
        assert.match(error.message, /unrecognized name/)
      }).pipe(Effect.scoped))

    it.live("checks every request of a connection, including pipelined ones", () =>
      Effect.gen(function*() {
        const { daemon, upstream, wire } = yield* setUp()
        wire.send(request("GET /1") + `GET /2 HTTP/1.1\r\nHost: ${EVIL}\r\n\r\n` + request("GET /3"))
        const statuses = yield* promise(async () => [
          (await wire.answer()).status,
          (await wire.answer()).status,
          (await wire.answer()).status
        ])
        assert.deepStrictEqual(statuses, [200, 421, 200])
        assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/1", "/3"])
        assert.strictEqual(daemon.resolved.length, 2)
      }).pipe(Effect.scoped))

    const refused: ReadonlyArray<readonly [string, string, number]> = [
      ["an absolute target", `GET https://${EVIL}/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 400],
      ["an absolute target of the same host", `GET https://${HOST}/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 400],
      ["a fragment", `GET /v1#/../admin HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 400],
      ["two Host headers", `GET / HTTP/1.1\r\nHost: ${HOST}\r\nHost: ${EVIL}\r\n\r\n`, 400],
      ["two equal Host headers", `GET / HTTP/1.1\r\nHost: ${HOST}\r\nhost: ${HOST}\r\n\r\n`, 400],
      ["no Host header", "GET / HTTP/1.1\r\nX: y\r\n\r\n", 400],
      ["userinfo in Host", `GET / HTTP/1.1\r\nHost: x@${HOST}\r\n\r\n`, 421],
      ["an empty Host", "GET / HTTP/1.1\r\nHost: \r\n\r\n", 421],
      ["CONNECT", `CONNECT ${EVIL}:443 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 400],
      ["an authority as target", `GET ${EVIL}:443 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 400]
    ]
    for (const [what, text, status] of refused) {
      it.live(`refuses ${what} inside a tunnel with ${status}, without resolving a credential`, () =>
        Effect.gen(function*() {
          const { daemon, upstream, wire } = yield* setUp()
          wire.send(text)
          assert.strictEqual((yield* promise(() => wire.answer())).status, status)
          assert.strictEqual(daemon.resolved.length, 0)
          assert.lengthOf(upstream.seen, 0)
        }).pipe(Effect.scoped))
    }

    it.live("accepts HTTP/1.0 without a Host header and adds the host upstream", () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* setUp()
        wire.send("GET /old HTTP/1.0\r\n\r\n")
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.strictEqual(upstream.seen[0]?.headers.host, HOST)
      }).pipe(Effect.scoped))
  })

  describe("credential headers", () => {
    const sent: ReadonlyArray<readonly [string, string]> = [
      ["twice", `Authorization: Bearer ${MARKER}\r\nAuthorization: Bearer other\r\n`],
      ["in odd case", "aUTHORIZATION: Basic eDp5\r\n"],
      ["nominated by Connection", `Connection: authorization, keep-alive\r\nAuthorization: Bearer ${MARKER}\r\n`],
      ["nominated twice", `Connection: Authorization\r\nConnection: x-y\r\nX-Y: 1\r\n`],
      ["next to the proxy's own", "Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\n"],
      ["and hop-by-hop fields", "TE: trailers\r\nKeep-Alive: timeout=1\r\nTrailer: x\r\n"]
    ]
    for (const [what, headers] of sent) {
      it.live(`sends exactly one credential if the client sent its own ${what}`, () =>
        Effect.gen(function*() {
          const { upstream, wire } = yield* setUp()
          wire.send(request("GET /", headers))
          assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
          const raw = upstream.seen[0]?.rawHeaders ?? []
          assert.deepStrictEqual(headersNamed(raw, "authorization"), [`Bearer ${SECRET}`])
          for (const hop of ["proxy-authorization", "proxy-connection", "te", "keep-alive", "trailer", "x-y"]) {
            assert.deepStrictEqual(headersNamed(raw, hop), [], hop)
          }
          assert.notInclude(JSON.stringify(raw), MARKER)
        }).pipe(Effect.scoped))
    }

    it.live("refuses a stored value that no header can carry, without disclosing it", () =>
      Effect.gen(function*() {
        const daemon = fakeDaemon([route(HOST, "example")], {
          resolve: (asked) => Effect.succeed(bearer(asked, `${SECRET}\r\nX-Smuggled: 1`))
        })
        const { upstream, wire } = yield* setUp(undefined, { daemon })
        wire.send(request("GET /"))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 403)
        assert.notInclude(answer.head + answer.body, SECRET)
        assert.lengthOf(upstream.seen, 0)
      }).pipe(Effect.scoped))

    it.live("neither injects into OPTIONS nor forwards the placeholder with it", () =>
      Effect.gen(function*() {
        const { daemon, upstream, wire } = yield* setUp()
        wire.send(request("OPTIONS /", `Authorization: Bearer ${MARKER}\r\n`))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.strictEqual(daemon.resolved.length, 0)
        assert.isUndefined(upstream.seen[0]?.headers.authorization)
      }).pipe(Effect.scoped))

    for (const method of ["TRACE", "TRACK"]) {
      it.live(`responds to ${method} with 405 itself`, () =>
        Effect.gen(function*() {
          const { daemon, upstream, wire } = yield* setUp()
          wire.send(request(`${method} /`))
          const answer = yield* promise(() => wire.answer())
          // Node's parser does not support TRACK.
          assert.strictEqual(answer.status, method === "TRACE" ? 405 : 400)
          assert.strictEqual(daemon.resolved.length, 0)
          assert.lengthOf(upstream.seen, 0)
        }).pipe(Effect.scoped))
    }
  })

  describe("framing", () => {
    const smuggled = `GET /smuggled HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
    const head = (headers: string, version = "1.1") => `POST /first HTTP/${version}\r\nHost: ${HOST}\r\n${headers}\r\n`
    const corpus: ReadonlyArray<readonly [string, string]> = [
      [
        "Content-Length and Transfer-Encoding",
        head("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") + `0\r\n\r\n${smuggled}`
      ],
      [
        "Transfer-Encoding and Content-Length",
        head("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") + `0\r\n\r\n${smuggled}`
      ],
      ["two lengths", head(`Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n`) + smuggled],
      ["a list of lengths", head("Content-Length: 0, 5\r\n") + smuggled],
      ["a signed length", head("Content-Length: +0\r\n") + smuggled],
      ["a hexadecimal length", head("Content-Length: 0x10\r\n") + smuggled],
      ["a negative length", head("Content-Length: -1\r\n") + smuggled],
      ["two codings", head("Transfer-Encoding: chunked, identity\r\n") + `0\r\n\r\n${smuggled}`],
      ["gzip before chunked", head("Transfer-Encoding: gzip, chunked\r\n") + `0\r\n\r\n${smuggled}`],
      ["chunked twice", head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") + `0\r\n\r\n${smuggled}`],
      ["an unknown coding", head("Transfer-Encoding: xchunked\r\n") + `0\r\n\r\n${smuggled}`],
      ["a coding with a tab", head("Transfer-Encoding:\tchunked\r\nContent-Length: 0\r\n") + smuggled],
      ["a coding in HTTP/1.0", head("Transfer-Encoding: chunked\r\n", "1.0") + `0\r\n\r\n${smuggled}`],
      ["a space before the colon", head("Content-Length : 5\r\n") + smuggled],
      ["a folded header", head("X: a\r\n b\r\nContent-Length: 0\r\n") + smuggled],
      ["bare line feeds", `POST /first HTTP/1.1\nHost: ${HOST}\nContent-Length: 0\n\n${smuggled}`],
      ["a bare carriage return", head("X: a\rContent-Length: 5\r\n") + smuggled],
      ["a NUL in a header", head("X: a\0b\r\n") + smuggled],
      ["a chunk size with a sign", head("Transfer-Encoding: chunked\r\n") + `+0\r\n\r\n${smuggled}`],
      ["a chunk size that overflows", head("Transfer-Encoding: chunked\r\n") + `fffffffffffffffff\r\n${smuggled}`],
      ["a chunk ended by a line feed", head("Transfer-Encoding: chunked\r\n") + `1\na\n0\n\n${smuggled}`],
      ["a chunk longer than it says", head("Transfer-Encoding: chunked\r\n") + `1\r\nab\r\n0\r\n\r\n${smuggled}`]
    ]
    for (const [what, bytes] of corpus) {
      it.live(`sends at most the first request upstream if a message has ${what}`, () =>
        Effect.gen(function*() {
          const recorder = yield* FakeUpstream.makeRecorder(certificate)
          const { proxy } = yield* proxyTo(recorder.port)
          const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
          wire.send(bytes)
          const answer = yield* promise(() => wire.answer())
          yield* promise(() => pause(20))
          const lines = recorder.received.join("").match(/^(?:GET|POST) .*/gm) ?? []
          assert.isAtMost(lines.length, 1, lines.join())
          assert.notInclude(lines.join(), "smuggled")
          assert.strictEqual(answer.status, lines.length === 1 ? 200 : 400)
          socket.destroy()
        }).pipe(Effect.scoped))
    }

    it.live("rewrites the framing without the client's chunk extensions and spelling", () =>
      Effect.gen(function*() {
        const recorder = yield* FakeUpstream.makeRecorder(certificate)
        const { proxy } = yield* proxyTo(recorder.port)
        const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(
          request("POST /c", "Transfer-Encoding: Chunked\r\n") + "3;ext=\"a\"\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n"
        )
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        yield* promise(() => until(() => recorder.received.join("").endsWith("X-Trailer: t\r\n\r\n")))
        const received = recorder.received.join("")
        assert.include(received, "Transfer-Encoding: chunked")
        assert.notInclude(received, "ext=")
        assert.match(received, /\r\n3\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n$/)
        socket.destroy()
      }).pipe(Effect.scoped))

    it.live("serves the requests of a connection in order", () =>
      Effect.gen(function*() {
        let inFlight = 0
        let most = 0
        const { upstream, wire } = yield* setUp((_request, response) => {
          most = Math.max(most, ++inFlight)
          setTimeout(() => {
            inFlight--
            response.end("ok")
          }, 10)
        })
        wire.send(request("GET /1") + request("GET /2") + request("GET /3"))
        for (let i = 0; i < 3; i++) assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.strictEqual(most, 1)
        assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/1", "/2", "/3"])
      }).pipe(Effect.scoped))
  })

  describe("error responses inside TLS", () => {
    const failing = (error: string) =>
      fakeDaemon([route(HOST, "example")], {
        resolve: () => Effect.fail(new CredentialRefusedError({ error, detail: "a detail", status: 404 }))
      })

    it.live("name the command to run in the status line and in every member of the body that SDKs read", () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* setUp(undefined, { daemon: failing("ConnectionNotFoundError") })
        wire.send(request("GET /"))
        const answer = yield* promise(() => wire.answer())
        const message = "credsvc: no connection for example; run: credsvc login example"
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(answer.reason, message)
        const body = JSON.parse(answer.body)
        assert.strictEqual(body.error.message, message)
        assert.strictEqual(body.message, message)
        assert.strictEqual(body.errors[0].message, message)
        assert.strictEqual(body.code, 403)
        assert.strictEqual(answer.headers.get("x-credsvc-error"), "ConnectionNotFoundError")
        assert.lengthOf(upstream.seen, 0)
        // The connection stays open, and the next request is decided separately.
        wire.send(request("GET /"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 403)
      }).pipe(Effect.scoped))

    it.live("are plain text for git, which shows them as `remote:`", () =>
      Effect.gen(function*() {
        const { wire } = yield* setUp(undefined, { daemon: failing("TokenExpiredError") })
        wire.send(request("GET /x.git/info/refs", "User-Agent: git/2.39.5\r\n"))
        const answer = yield* promise(() => wire.answer())
        assert.match(answer.headers.get("content-type") ?? "", /^text\/plain/)
        assert.strictEqual(answer.body, "credsvc: the credential for example has expired; run: credsvc login example\n")
      }).pipe(Effect.scoped))

    it.live("have no body for HEAD", () =>
      Effect.gen(function*() {
        const { wire } = yield* setUp(undefined, { daemon: failing("ConnectionNotFoundError") })
        wire.send(request("HEAD /") + request("GET /"))
        assert.strictEqual((yield* promise(() => wire.answer("HEAD"))).status, 403)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 403)
      }).pipe(Effect.scoped))

    it.live("explain how to choose if several providers claim a host", () =>
      Effect.gen(function*() {
        const daemon = fakeDaemon([route(HOST, "example"), route(HOST, "second")])
        const { upstream, wire } = yield* setUp(undefined, { daemon })
        wire.send(request("GET /"))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 403)
        assert.include(answer.body, "--provider")
        assert.strictEqual(daemon.resolved.length, 0)
        assert.lengthOf(upstream.seen, 0)
      }).pipe(Effect.scoped))

    it.live("begin or end with the next request after a credential is removed or stored", () =>
      Effect.gen(function*() {
        const daemon = fakeDaemon([route(HOST, "example")])
        const { upstream, wire } = yield* setUp(undefined, { daemon })
        for (const secret of ["one", "two", undefined, "three"]) {
          daemon.resolve = (asked) =>
            secret === undefined
              ? Effect.fail(new CredentialRefusedError({ error: "ConnectionNotFoundError", detail: "", status: 404 }))
              : Effect.succeed(bearer(asked, secret))
          wire.send(request("GET /"))
          assert.strictEqual((yield* promise(() => wire.answer())).status, secret === undefined ? 403 : 200)
        }
        assert.deepStrictEqual(upstream.seen.map(({ headers }) => headers.authorization), [
          "Bearer one",
          "Bearer two",
          "Bearer three"
        ])
      }).pipe(Effect.scoped))

    it.live("are 502 if the upstream's certificate is not trusted, which gets no request", () =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.make({ certificate: makeAuthority("stranger").issue([HOST]) })
        const { proxy } = yield* proxyTo(upstream.port)
        const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(request("GET /"))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 502)
        assert.include(answer.body, "TLS verification")
        assert.isAbove(upstream.connections(), 0)
        assert.lengthOf(upstream.seen, 0)
        socket.destroy()
      }).pipe(Effect.scoped))
  })

  describe("path and query", () => {
    it.live("are injected only below the path prefix, and not for paths that could lead out of it", () =>
      Effect.gen(function*() {
        const daemon = fakeDaemon([route(HOST, "example", { pathPrefix: "/v1" })])
        const { upstream, wire } = yield* setUp(undefined, { daemon })
        const paths = ["/v1/a?x=1", "/v1", "/v10", "/v2", "/v1/../v2", "/v1/%2e%2e/v2", "/v2/../v1"]
        for (const path of paths) {
          wire.send(request(`GET ${path}`))
          assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        }
        const injected = upstream.seen.filter(({ headers }) => headers.authorization !== undefined).map(({ url }) =>
          url
        )
        assert.deepStrictEqual(injected, ["/v1/a?x=1", "/v1"])
        assert.deepStrictEqual(daemon.resolved.map(({ path }) => path), ["/v1/a", "/v1"])
      }).pipe(Effect.scoped))

    it.live("lose every credential of the client, however often and however encoded", () =>
      Effect.gen(function*() {
        const daemon = fakeDaemon([route(HOST, "example")], {
          resolve: (asked) => Effect.succeed({ ...bearer(asked), headers: {}, query: { key: Redacted.make("s p&c") } })
        })
        const { upstream, wire } = yield* setUp(undefined, { daemon })
        wire.send(request(`GET /a?x=1&key=${MARKER}&%6bey=2&y=3`))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        wire.send(request("GET /b"))
        yield* promise(() => wire.answer())
        assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/a?x=1&y=3&key=s%20p%26c", "/b?key=s%20p%26c"])
      }).pipe(Effect.scoped))
  })

  describe("messages", () => {
    it.live("keep status, reason, repeated headers and compressed bytes unchanged", () =>
      Effect.gen(function*() {
        const bytes = Buffer.from(builtins.zlib.gzipSync("compressed"))
        const { wire } = yield* setUp((_request, response) => {
          response.writeHead(207, "Many Things", [
            "Set-Cookie",
            "a=1",
            "set-cookie",
            "b=2",
            "Content-Encoding",
            "gzip",
            "Content-Length",
            String(bytes.length),
            "Cache-Control",
            "max-age=9",
            "X-Latin",
            "caf\u00e9"
          ])
          response.end(bytes)
        })
        wire.send(request("GET /"))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.reason, "Many Things")
        assert.deepStrictEqual(Buffer.from(answer.body, "latin1"), bytes)
        assert.include(answer.head, "Set-Cookie: a=1\r\n")
        assert.include(answer.head, "set-cookie: b=2\r\n")
        assert.strictEqual(answer.headers.get("cache-control"), "max-age=9")
        assert.strictEqual(answer.headers.get("x-latin"), "caf\u00e9")
      }).pipe(Effect.scoped))

    it.live("have no body for HEAD, 204 and 304, and the connection stays usable", () =>
      Effect.gen(function*() {
        const { wire } = yield* setUp((incoming, response) => {
          const status = Number(incoming.url?.slice(1) ?? 200)
          if (incoming.method === "HEAD") response.setHeader("Content-Length", "1234")
          response.writeHead(status)
          response.end()
        })
        wire.send(request("HEAD /200"))
        const headed = yield* promise(() => wire.answer("HEAD"))
        assert.strictEqual(headed.headers.get("content-length"), "1234")
        for (const status of [204, 304, 204]) {
          wire.send(request(`GET /${status}`))
          assert.strictEqual((yield* promise(() => wire.answer())).status, status)
        }
      }).pipe(Effect.scoped))

    it.live("include redirects, which are not followed", () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* setUp((_request, response) => {
          response.writeHead(307, { location: `https://${EVIL}/` })
          response.end()
        })
        wire.send(request("POST /", "Content-Length: 1\r\n") + "x")
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 307)
        assert.strictEqual(answer.headers.get("location"), `https://${EVIL}/`)
        assert.lengthOf(upstream.seen, 1)
      }).pipe(Effect.scoped))

    it.live("keep trailers as trailers", () =>
      Effect.gen(function*() {
        const { wire } = yield* setUp((_request, response) => {
          response.setHeader("Trailer", "X-Sum")
          response.write("body")
          response.addTrailers({ "X-Sum": "42" })
          response.end()
        })
        wire.send(request("GET /"))
        const text = yield* promise(() => wire.text("X-Sum: 42\r\n\r\n"))
        assert.match(text, /\r\n4\r\nbody\r\n0\r\nX-Sum: 42\r\n\r\n$/)
        assert.match(text, /\r\nTrailer: X-Sum\r\n/i)
      }).pipe(Effect.scoped))

    it.live("include early hints before the response", () =>
      Effect.gen(function*() {
        const { wire } = yield* setUp((_request, response) => {
          response.writeEarlyHints({ link: "</a.css>; rel=preload; as=style" })
          setTimeout(() => response.end("ok"), 20)
        })
        wire.send(request("GET /"))
        const hints = yield* promise(() => wire.answer())
        assert.strictEqual(hints.status, 103)
        assert.strictEqual(hints.headers.get("link"), "</a.css>; rel=preload; as=style")
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
      }).pipe(Effect.scoped))

    it.live("omit malformed early hints but not the response after them", () =>
      Effect.gen(function*() {
        const recorder = yield* FakeUpstream.makeRecorder(
          certificate,
          "HTTP/1.1 103 Early Hints\r\nLink: nonsense\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        )
        const { proxy } = yield* proxyTo(recorder.port)
        const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        wire.send(request("GET /"))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.body, "ok")
        socket.destroy()
      }).pipe(Effect.scoped))

    const strange: ReadonlyArray<readonly [string, string]> = [
      ["a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"],
      ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
      ["bytes that are not HTTP", "hello\r\n\r\n"],
      ["an unsolicited upgrade", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"]
    ]
    for (const [what, bytes] of strange) {
      it.live(`are not complete if the upstream responds with ${what}`, () =>
        Effect.gen(function*() {
          const recorder = yield* FakeUpstream.makeRecorder(certificate, bytes)
          const { proxy } = yield* proxyTo(recorder.port)
          const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
          wire.send(request("GET /"))
          const answer = yield* promise(() => wire.answer())
          assert.isTrue(answer.status === 502 || !answer.complete, answer.head)
          socket.destroy()
        }).pipe(Effect.scoped))
    }

    it.live("include an early response during an upload", () =>
      Effect.gen(function*() {
        const { wire } = yield* setUp((_request, response) => {
          response.writeHead(413, { connection: "close" })
          response.end("too large")
        })
        wire.send(request("POST /", "Content-Length: 1000000\r\n") + "x".repeat(1000))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 413)
        assert.strictEqual(answer.body, "too large")
      }).pipe(Effect.scoped))

    for (const framing of ["chunked", "content-length"] as const) {
      it.live(`are visibly incomplete if the upstream aborts (${framing})`, () =>
        Effect.gen(function*() {
          const { wire } = yield* setUp((_request, response) => {
            if (framing === "content-length") response.setHeader("Content-Length", "100")
            response.write("partial")
            setTimeout(() => response.socket?.destroy(), 20)
          })
          wire.send(request("GET /"))
          const answer = yield* promise(() => wire.answer())
          assert.strictEqual(answer.status, 200)
          assert.isFalse(answer.complete)
        }).pipe(Effect.scoped))
    }

    it.live("are aborted upstream when the client disconnects", () =>
      Effect.gen(function*() {
        let closed = false
        const { socket, upstream, wire } = yield* setUp((_request, response) => {
          response.write("data: 1\n\n")
          response.on("close", () => {
            closed = true
          })
        })
        wire.send(request("GET /"))
        yield* promise(() => wire.text("data: 1"))
        socket.destroy()
        yield* promise(() => until(() => closed))
        assert.isTrue(closed)
        assert.lengthOf(upstream.seen, 1)
      }).pipe(Effect.scoped))
  })

  it.live("writes a response at once if no other request is active, otherwise at the end of the event-loop turn", () =>
    Effect.gen(function*() {
      const soon = vi.spyOn(WriteQueue.prototype, "writeSoon")
      yield* Effect.addFinalizer(() => Effect.sync(() => soon.mockRestore()))
      const { proxy, upstream, wire } = yield* setUp(({ url }, response) => {
        if (url !== "/held") response.end("ok")
      })
      wire.send(request("GET /"))
      yield* promise(() => wire.answer())
      assert.strictEqual(soon.mock.calls.length, 0)
      const other = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      other.wire.send(request("GET /held"))
      yield* promise(() => until(() => upstream.seen.length === 2))
      wire.send(request("GET /"))
      assert.strictEqual((yield* promise(() => wire.answer())).body, "ok")
      assert.strictEqual(soon.mock.calls.length, 1)
      other.socket.destroy()
    }).pipe(Effect.scoped))

  describe("upstream connections", () => {
    it.live("are reused", () =>
      Effect.gen(function*() {
        const { proxy, upstream, wire } = yield* setUp()
        for (let i = 0; i < 3; i++) {
          wire.send(request("GET /"))
          yield* promise(() => wire.answer())
        }
        const second = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        second.wire.send(request("GET /"))
        yield* promise(() => second.wire.answer())
        assert.strictEqual(upstream.connections(), 1)
        second.socket.destroy()
      }).pipe(Effect.scoped))

    it.live("that closed while idle are replaced for a GET, but a first request is never repeated", () =>
      Effect.gen(function*() {
        let last: Net.Socket | undefined
        let drop = false
        const { upstream, wire } = yield* setUp((incoming, response) => {
          if (drop) {
            incoming.socket.destroy()
            return
          }
          last = incoming.socket
          response.end("ok")
        })
        wire.send(request("GET /1"))
        yield* promise(() => wire.answer())
        last?.destroy()
        wire.send(request("GET /2"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        drop = true
        last?.destroy()
        yield* promise(() => pause(50))
        const before = upstream.seen.length
        wire.send(request("GET /3"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 502)
        assert.strictEqual(upstream.seen.length - before, 1)
      }).pipe(Effect.scoped))
  })

  describe("streams", () => {
    it.live("deliver each event of an event stream immediately", () =>
      Effect.gen(function*() {
        let emit: (text: string) => void = () => {}
        const { wire } = yield* setUp((_request, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          response.flushHeaders()
          emit = (text) => response.write(text)
        })
        wire.send(request("GET /events"))
        const head = yield* promise(() => wire.text("\r\n\r\n")) // the head arrives before the first event
        assert.include(head, "text/event-stream")
        for (const event of ["one", "two", "three"]) {
          emit(`data: ${event}\n\n`)
          yield* promise(() => wire.text(`data: ${event}\n\n`))
        }
      }).pipe(Effect.scoped))

    const MEBIBYTE = 1024 * 1024
    const TOTAL = 64 * MEBIBYTE

    it.live("download 64 MiB to a slow client with bounded memory", () =>
      Effect.gen(function*() {
        let produced = 0
        const chunk = Buffer.alloc(256 * 1024, 7)
        const { proxy } = yield* setUp((_request, response) => {
          const fill = (): void => {
            while (produced < TOTAL) {
              produced += chunk.length
              if (!response.write(chunk)) return void response.once("drain", fill)
            }
            response.end()
          }
          fill()
        })
        const { socket } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
        socket.removeAllListeners("data")
        socket.pause()
        socket.write(request("GET /"))
        yield* promise(() => pause(300))
        // The client does not read, so all pending data is in socket buffers.
        assert.isBelow(produced, 24 * MEBIBYTE)
        const received = yield* promise(() =>
          new Promise<number>((resolve) => {
            let total = 0
            socket.on("data", (data: Buffer) => {
              total += data.length
              if (total >= TOTAL) resolve(total)
            })
            socket.resume()
          })
        )
        assert.isAtLeast(received, TOTAL)
        socket.destroy()
      }).pipe(Effect.scoped))

    it.live("upload 64 MiB to a slow upstream with bounded memory", () =>
      Effect.gen(function*() {
        let release: () => void = () => {}
        let received = 0
        const { socket, wire } = yield* setUp((incoming, response) => {
          incoming.pause()
          release = () => {
            incoming.on("data", (data: Buffer) => {
              received += data.length
            })
            incoming.on("end", () => response.end(String(received)))
            incoming.resume()
          }
        })
        const chunk = Buffer.alloc(256 * 1024, 7)
        let sent = 0
        wire.send(request("POST /", `Content-Length: ${TOTAL}\r\n`))
        const fill = (): void => {
          while (sent < TOTAL) {
            sent += chunk.length
            if (!socket.write(chunk)) return void socket.once("drain", fill)
          }
        }
        fill()
        yield* promise(() => pause(400))
        assert.isBelow(sent, 24 * MEBIBYTE)
        release()
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.body, String(TOTAL))
      }).pipe(Effect.scoped))
  })

  describe("upgrades", () => {
    const handshake = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    it.live("inject into a WebSocket handshake and relay the bytes after it", () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* setUp()
        const sockets = new WebSocketServer({ noServer: true })
        let authorizationSeen: string | undefined
        upstream.server.on("upgrade", (incoming, socket, head) => {
          authorizationSeen = incoming.headers.authorization
          sockets.handleUpgrade(incoming, socket, head, (client) => client.on("message", (data) => client.send(data)))
        })
        wire.send(request("GET /ws", `${handshake}Authorization: Bearer ${MARKER}\r\n`))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 101)
        assert.strictEqual(answer.headers.get("upgrade")?.toLowerCase(), "websocket")
        assert.strictEqual(answer.headers.get("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        assert.strictEqual(authorizationSeen, `Bearer ${SECRET}`)
        wire.send(Uint8Array.of(0x81, 0x82, 1, 2, 3, 4, 0x68 ^ 1, 0x69 ^ 2)) // "hi", masked
        const echoed = yield* promise(() => wire.text("hi"))
        assert.strictEqual(echoed, "\x82\x02hi")
        sockets.close()
      }).pipe(Effect.scoped))

    it.live("pass on the upstream's refusal of a handshake as a normal response", () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* setUp()
        upstream.server.on("upgrade", (_incoming, socket) => {
          socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
        })
        wire.send(request("GET /ws", handshake))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 401)
        assert.strictEqual(answer.body, "no")
      }).pipe(Effect.scoped))

    it.live("are refused without a connection, with the command to run", () =>
      Effect.gen(function*() {
        const { daemon, wire } = yield* setUp()
        daemon.resolve = () =>
          Effect.fail(new CredentialRefusedError({ error: "ConnectionNotFoundError", detail: "", status: 404 }))
        wire.send(request("GET /ws", handshake))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.status, 403)
        assert.include(answer.body, "credsvc login example")
      }).pipe(Effect.scoped))

    it.live("are refused with 400 for other protocols", () =>
      Effect.gen(function*() {
        const { daemon, wire } = yield* setUp()
        wire.send(
          request("GET /", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n")
        )
        assert.strictEqual((yield* promise(() => wire.answer())).status, 400)
        assert.strictEqual(daemon.resolved.length, 0)
      }).pipe(Effect.scoped))
  })

  it.live("asks the daemon once for simultaneous requests", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const daemon = fakeDaemon([route(HOST, "example")], {
        resolve: (asked) => Effect.as(Deferred.await(gate), bearer(asked))
      })
      const upstream = yield* FakeUpstream.make({ certificate })
      const { proxy } = yield* proxyTo(upstream.port, { daemon })
      const tunnels = yield* promise(() =>
        Promise.all(Array.from({ length: 8 }, () => secureTunnel(proxy, `${HOST}:443`)))
      )
      for (const { wire } of tunnels) wire.send(request("GET /"))
      yield* promise(() => caughtUp(proxy))
      yield* Deferred.succeed(gate, undefined)
      yield* promise(() => Promise.all(tunnels.map(({ wire }) => wire.answer())))
      assert.isBelow(daemon.resolved.length, 4)
      assert.lengthOf(upstream.seen, 8)
      for (const { socket } of tunnels) socket.destroy()
    }).pipe(Effect.scoped))

  it.live("responds with 431 or 400 to a head of more than 64 KiB, and closes", () =>
    Effect.gen(function*() {
      const { daemon, proxy, wire } = yield* setUp()
      wire.send(request("GET /", `X: ${"a".repeat(70_000)}\r\n`))
      assert.include([400, 431], (yield* promise(() => wire.answer())).status)
      assert.strictEqual(daemon.resolved.length, 0)
      const { socket } = yield* promise(() => connectTo(proxy, `${HOST}:443`))
      assert.instanceOf(new Wire(socket), Wire)
      socket.destroy()
    }).pipe(Effect.scoped))
})
