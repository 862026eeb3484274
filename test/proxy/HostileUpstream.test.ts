import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { connectSession, get } from "../support/Http2Peers.ts"
import { bearer, fakeDaemon, route, SECRET, secureTunnel, startProxy, temporaryFile } from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const authority = makeAuthority()
const HOST = "api.example.com"
const certificate = authority.issue([HOST])
const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
const answers: ReadonlyArray<readonly [what: string, status: number, answer: string]> = [
  ["early hints with a broken link", 200, "HTTP/1.1 103 Early Hints\r\nLink: not a link\r\n\r\n" + OK],
  ["early hints with an empty link", 200, "HTTP/1.1 103 Early Hints\r\nLink: \r\n\r\n" + OK],
  ["early hints that begin many links", 200, `HTTP/1.1 103 Early Hints\r\nLink: ${"<".repeat(60_000)}\r\n\r\n${OK}`],
  [
    "early hints that begin many texts",
    200,
    `HTTP/1.1 103 Early Hints\r\nLink: ${"<>\\\"".repeat(15_000)}\\\r\n\r\n${OK}`
  ],
  ["a control character in the reason", 200, "HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok"],
  ["bytes beyond ASCII in the reason", 200, "HTTP/1.1 200 \xe2\x98\x83\r\nContent-Length: 2\r\n\r\nok"],
  ["the status 999", 999, "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok"],
  ["the status 000", 502, "HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\nok"],
  ["the status 101 without an upgrade", 502, "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
  ["a length that is too large", 502, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok"],
  ["two lengths", 502, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
  [
    "a length and chunks",
    502,
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
  ],
  ["a body on 204", 204, "HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok"],
  ["a header name with a space", 502, "HTTP/1.1 200 OK\r\nBad Name: 1\r\nContent-Length: 2\r\n\r\nok"],
  ["a header value with a control character", 502, "HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nok"],
  [
    "a trailer that frames",
    200,
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: content-length\r\n\r\n2\r\nok\r\n0\r\nContent-Length: 5\r\n\r\n"
  ],
  [
    "Connection that names the length",
    200,
    "HTTP/1.1 200 OK\r\nConnection: content-length\r\nContent-Length: 2\r\n\r\nok"
  ],
  ["Trailer with a fixed length", 200, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTrailer: X\r\n\r\nok"],
  [
    "more than was announced",
    200,
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
  ],
  ["gzip as transfer coding", 200, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ["no HTTP at all", 502, "SSH-2.0-x\r\n\r\n"],
  [
    "1500 headers",
    200,
    `HTTP/1.1 200 OK\r\n${Array.from({ length: 1500 }, (_, i) => `x-${i}: 1\r\n`).join("")}Content-Length: 2\r\n\r\nok`
  ],
  ["a length on a status that has no body", 200, "HTTP/1.1 199 Wait\r\nContent-Length: 5\r\n\r\n" + OK],
  ["chunks on a status that has no body", 200, "HTTP/1.1 104 Wait\r\nTransfer-Encoding: chunked\r\n\r\n" + OK],
  ["a folded header", 502, "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok"],
  ["lines that end in LF", 502, "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"],
  ["a length with a sign", 502, "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok"],
  ["a chunk size with a sign", 200, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\nok\r\n0\r\n\r\n"],
  ["a chunk size in hex notation", 200, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n"],
  [
    "a chunk size beyond 64 bits",
    200,
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000002\r\nok\r\n0\r\n\r\n"
  ],
  ["a chunk that is too long", 200, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokevil\r\n0\r\n\r\n"],
  ["a head of 100 KiB", 502, `HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}\r\nContent-Length: 2\r\n\r\nok`]
]

const oddHeads: ReadonlyArray<readonly [what: string, status: number, head: string]> = [
  ["a reason in another script", 401, "HTTP/1.1 401 \xe2\x98\x83"],
  ["a control character in the reason", 401, "HTTP/1.1 401 O\x01K"],
  ["the status 042", 502, "HTTP/1.1 042 Odd"]
]

const EVIL = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

/** A response that identifies its request. */
const echo = (path: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`

const latch = () => {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** A server whose handler gets the path of each request and its number on the connection. */
const scripted = (serve: (socket: Net.Socket, path: string, count: number) => void) =>
  Effect.gen(function*() {
    const sockets = new Set<Net.Socket>()
    const server = builtins.tls.createServer(certificate, (socket) => {
      let received = ""
      let count = 0
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("latin1")
        for (let end = received.indexOf("\r\n\r\n"); end !== -1; end = received.indexOf("\r\n\r\n")) {
          serve(socket, received.split(" ")[1] ?? "", ++count)
          received = received.slice(end + 4)
        }
      })
    })
    yield* Effect.acquireRelease(
      promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const { port } = server.address() as Net.AddressInfo
    const proxy = yield* startProxy({
      daemon: fakeDaemon([route(HOST, "example")]),
      upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${port}` } }
    })
    const tunnel = Effect.acquireRelease(
      promise(() => secureTunnel(proxy, `${HOST}:443`)),
      ({ socket }) => Effect.sync(() => socket.destroy())
    )
    return { tunnel }
  })

describe("a hostile upstream", () => {
  for (const [what, status, answer] of answers) {
    it.live(
      `that responds with ${what} neither crashes the proxy nor affects the response to another request`,
      () =>
        Effect.gen(function*() {
          const upstream = yield* FakeUpstream.makeRecorder(certificate, answer)
          const good = yield* FakeUpstream.make({ certificate: authority.issue(["good.example.com"]) })
          const ca = yield* temporaryFile("ca.pem", authority.caPem)
          const proxy = yield* startProxy({
            daemon: fakeDaemon([route(HOST, "example"), route("good.example.com", "good")]),
            upstream: {
              extraCaCerts: [ca],
              resolve: {
                [`${HOST}:443`]: `127.0.0.1:${upstream.port}`,
                "good.example.com:443": `127.0.0.1:${good.port}`
              }
            }
          })
          const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
          wire.send(`GET /1 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
          let first = yield* promise(() => wire.answer())
          if (first.status === 103) first = yield* promise(() => wire.answer())
          assert.strictEqual(first.status, status)
          assert.notInclude(`${first.head}${first.body}`, SECRET)
          assert.notInclude(first.body, "evil")
          // The remaining bytes of the upstream do not become a response.
          if (first.complete) {
            wire.send(`GET /2 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
            let second = yield* promise(() => wire.answer())
            if (second.status === 103) second = yield* promise(() => wire.answer())
            assert.strictEqual(second.status, status)
            assert.notInclude(second.body, "evil")
          }
          socket.destroy()
          const other = yield* promise(() => secureTunnel(proxy, "good.example.com:443"))
          other.wire.send("GET / HTTP/1.1\r\nHost: good.example.com\r\n\r\n")
          assert.strictEqual((yield* promise(() => other.wire.answer())).status, 200)
          other.socket.destroy()
        }).pipe(Effect.scoped)
    )
  }

  for (const [what, status, head] of oddHeads) {
    it.live(`that responds with ${what} does not crash the proxy during a token refresh or a wait for 100 (Continue)`, () =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.makeRecorder(certificate, `${head}\r\nContent-Length: 2\r\n\r\nno`)
        const ca = yield* temporaryFile("ca.pem", authority.caPem)
        const proxy = yield* startProxy({
          daemon: fakeDaemon([route(HOST, "example")], {
            resolve: (asked) =>
              Effect.succeed({ ...bearer(asked), issuedAt: "2026-01-01T00:00:00.000Z", refreshable: true })
          }),
          upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }
        })
        const requests = [
          ["GET", ""],
          ["POST", "Content-Length: 2\r\nExpect: 100-continue\r\n"]
        ] as const
        for (const [method, headers] of requests) {
          const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
          wire.send(`${method} / HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`)
          assert.strictEqual((yield* promise(() => wire.answer())).status, status)
          socket.destroy()
        }
      }).pipe(Effect.scoped))
  }

  const unasked: ReadonlyArray<readonly [when: string, put: (socket: Net.Socket, write: () => void) => void]> = [
    ["in the same piece", (_, write) => write()],
    ["in the next piece", (_, write) => void setImmediate(write)],
    ["while no request is active", (_, write) => void setTimeout(write, 20)]
  ]
  for (const [when, put] of unasked) {
    for (
      const [what, bytes] of [["a response", EVIL], ["a part of one", "HTTP/1.1 200"], [
        "an empty line",
        "\r\n"
      ]] as const
    ) {
      it.live(`that sends ${what} unsolicited, ${when}, does not affect the response to another request`, () =>
        Effect.gen(function*() {
          const closed = latch()
          const server = yield* scripted((socket, path) => {
            if (path !== "/1") return void socket.write(echo(path))
            socket.once("close", closed.open)
            if (when === "in the same piece") return void socket.write(echo(path) + bytes)
            socket.write(echo(path), () => put(socket, () => socket.write(bytes)))
          })
          const { wire } = yield* server.tunnel
          for (const path of ["/1", "/2", "/3"]) {
            wire.send(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
            assert.deepInclude(yield* promise(() => wire.answer()), { status: 200, body: path })
            if (path === "/1") yield* promise(() => closed.opened)
          }
        }).pipe(Effect.scoped))
    }
  }

  it.live("that closes a connection as it is reused gets a GET again, but never a POST", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const server = yield* scripted((socket, path, count) => {
        seen.push(path)
        if (count === 2) socket.destroy()
        else socket.write(echo(path))
      })
      const { wire } = yield* server.tunnel
      const ask = (method: string, path: string) => {
        wire.send(
          `${method} ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${method === "POST" ? "Content-Length: 0\r\n" : ""}\r\n`
        )
        return promise(() => wire.answer())
      }
      assert.strictEqual((yield* ask("GET", "/1")).status, 200)
      assert.deepInclude(yield* ask("GET", "/2"), { status: 200, body: "/2" })
      assert.strictEqual((yield* ask("POST", "/3")).status, 502)
      assert.deepStrictEqual(seen, ["/1", "/2", "/2", "/3"])
    }).pipe(Effect.scoped))

  it.live("that sends early hints forever does not delay other clients and is disconnected when the client disconnects", () =>
    Effect.gen(function*() {
      const closed = latch()
      const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".repeat(100)
      const server = yield* scripted((socket, path) => {
        if (path !== "/1") return void socket.write(echo(path))
        const more = (): void => {
          if (!socket.destroyed) socket.write(hint, () => setImmediate(more))
        }
        socket.once("close", closed.open)
        more()
      })
      const first = yield* server.tunnel
      first.wire.send(`GET /1 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      assert.include(yield* promise(() => first.wire.text("\r\n")), "103")
      const { wire } = yield* server.tunnel
      wire.send(`GET /2 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      assert.deepInclude(yield* promise(() => wire.answer()), { status: 200, body: "/2" })
      first.socket.destroy()
      yield* promise(() => closed.opened)
    }).pipe(Effect.scoped))

  it.live("whose informational responses declare a body still gets its response to an HTTP/2 client", () =>
    Effect.gen(function*() {
      const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nContent-Length: 5\r\n\r\n"
      const upstream = yield* FakeUpstream.makeRecorder(certificate, hint + OK)
      const ca = yield* temporaryFile("ca.pem", authority.caPem)
      const proxy = yield* startProxy({
        daemon: fakeDaemon([route(HOST, "example")]),
        upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }
      })
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const answer = yield* promise(() => get(session, "/"))
      assert.deepInclude(answer, { status: 200, body: "ok" })
      assert.deepStrictEqual(answer.informed.map(({ link }) => link), ["</a.css>"])
    }).pipe(Effect.scoped))

  it.live("that keeps sending early hints is limited whether or not the client reads them", () =>
    Effect.gen(function*() {
      const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
      const upstream = yield* FakeUpstream.makeRecorder(certificate, hint.repeat(2000) + OK)
      const ca = yield* temporaryFile("ca.pem", authority.caPem)
      const proxy = yield* startProxy({
        daemon: fakeDaemon([route(HOST, "example")]),
        upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }
      })
      const { wire } = yield* promise(() => secureTunnel(proxy, `${HOST}:443`))
      wire.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      const received = yield* promise(() => wire.text("ok"))
      assert.include(received, "HTTP/1.1 200 OK")
      assert.strictEqual(received.split("103 Early Hints").length - 1, 256)
      const session = yield* connectSession(proxy, `${HOST}:443`)
      const answer = yield* promise(() => get(session, "/"))
      assert.strictEqual(answer.status, 200)
      assert.lengthOf(answer.informed, 256)
    }).pipe(Effect.scoped))
})
