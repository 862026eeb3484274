import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { live, promise } from "../support/Fixture.ts"
import { connectSession, get } from "../support/Http2Peers.ts"
import { certificate, HOST, proxiedRaw, proxyTo, request } from "../support/ProxiedHost.ts"
import { bearer, fakeDaemon, route, SECRET } from "../support/ProxyHarness.ts"
import { authority } from "../support/TestCertificates.ts"

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
const hint = (link: string): string => `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n\r\n`
/** A response with `ok`, and these lines before its length. */
const ok = (lines: string): string => `HTTP/1.1 200 OK\r\n${lines}Content-Length: 2\r\n\r\nok`
const chunked = (body: string, fields = ""): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${fields}\r\n${body}`

/** `cut`: an incomplete response with status 200. Otherwise the response is complete, with this status. */
const responses: ReadonlyArray<readonly [what: string, outcome: number | "cut", response: string]> = [
  ["early hints with a broken link", 200, hint("not a link") + OK],
  ["early hints with an empty link", 200, hint("") + OK],
  ["early hints that begin many links", 200, hint("<".repeat(60_000)) + OK],
  ["early hints that begin many texts", 200, hint(`${"<>\\\"".repeat(15_000)}\\`) + OK],
  ["a control character in the reason", 200, OK.replace("OK", "O\x01K")],
  ["bytes beyond ASCII in the reason", 200, OK.replace("OK", "\xe2\x98\x83")],
  ["the status 101 without an upgrade", 502, "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
  ["two lengths", 502, ok("Content-Length: 3\r\n")],
  ["the same length twice", 200, ok("Content-Length: 2\r\nX: 1\r\n")],
  ["a length and chunks", 200, chunked("2\r\nok\r\n0\r\n\r\n", "Content-Length: 2\r\n")],
  ["a body on 204", 204, OK.replace("200 OK", "204 No")],
  ["a header value with a control character", 200, ok("Set-Cookie: ___utmvaFvuoaRv=TkE\x01sCvZ; path=/\r\n")],
  ["a length in trailers", "cut", chunked("2\r\nok\r\n0\r\nContent-Length: 5\r\n\r\n", "Trailer: content-length\r\n")],
  ["a Connection field that names Content-Length", 200, ok("Connection: content-length\r\n")],
  ["a Trailer field beside a length", 200, ok("Trailer: X\r\n")],
  ["more content than its length", 200, `${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`],
  ["1500 headers", 200, ok(Array.from({ length: 1500 }, (_, i) => `x-${i}: 1\r\n`).join(""))],
  ["a length on a status that has no body", 200, "HTTP/1.1 199 Wait\r\nContent-Length: 5\r\n\r\n" + OK],
  ["chunks on a status that has no body", 200, "HTTP/1.1 104 Wait\r\nTransfer-Encoding: chunked\r\n\r\n" + OK],
  ["a chunk size with a sign", "cut", chunked("+2\r\nok\r\n0\r\n\r\n")],
  ["a chunk that is too long", "cut", chunked("2\r\nokevil\r\n0\r\n\r\n")]
]

const oddHeads: ReadonlyArray<readonly [what: string, status: number, head: string]> = [
  ["a reason in another script", 401, "HTTP/1.1 401 \xe2\x98\x83"],
  ["a control character in the reason", 401, "HTTP/1.1 401 O\x01K"],
  ["the status 042", 502, "HTTP/1.1 042 Odd"]
]

const EVIL_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

const pathOf = (head: string): string => head.split(" ")[1] ?? ""
/** Responds with the path of the request. */
const echo = (socket: Net.Socket, head: string, then: () => void = () => {}): void => {
  const path = pathOf(head)
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`, then)
}

describe("a hostile upstream", () => {
  live("that sends an invalid response causes a refusal that names the cause", function*() {
    for (
      const [response, cause] of [
        [ok("Bad Name: 1\r\n"), "Invalid header token"],
        [ok("Content-Length: 3\r\n"), "Content-Length"],
        [chunked("").replace("chunked", "gzip, chunked"), "Unsupported Transfer-Encoding"]
      ] as const
    ) {
      const { exchange } = yield* proxiedRaw((socket) => socket.write(response))
      const { body, status } = yield* exchange("GET /")
      assert.strictEqual(status, 502)
      assert.match(body, RegExp(`the response is not valid HTTP/1\\.1 \\([^)]*${cause}`))
    }
  })

  live("that sends a length beside chunks gets no other request on that connection", function*() {
    for (const [fields, second] of [["Content-Length: 2\r\n", 1], ["", 2]] as const) {
      const counts: Array<number> = []
      const { exchange } = yield* proxiedRaw((socket, _, count) => {
        counts.push(count)
        socket.write(chunked("2\r\nok\r\n0\r\n\r\n", fields))
      })
      for (const line of ["GET /1", "GET /2"]) {
        const { body, headers } = yield* exchange(line)
        assert.deepStrictEqual([body, headers.get("content-length")], ["ok", undefined])
      }
      assert.deepStrictEqual(counts, [1, second])
    }
  })

  for (const [what, outcome, bytes] of responses) {
    live(`that responds with ${what} neither crashes the proxy nor affects another response`, function*() {
      const good = "good.example.com"
      const upstream = yield* FakeUpstream.makeRaw(certificate, (socket) => void socket.write(bytes, "latin1"))
      const other = yield* FakeUpstream.make({ certificate: authority.issue([good]) })
      const { open } = yield* proxyTo({ [HOST]: upstream.port, [good]: other.port }, {
        daemon: fakeDaemon([route(HOST, "example"), route(good, "good")])
      })
      const { exchange, wire } = yield* open()
      // The remaining bytes of the upstream do not become a response, either.
      for (const line of outcome === "cut" ? ["GET /1"] : ["GET /1", "GET /2"]) {
        let response = yield* exchange(line)
        // The only one of these early hints that names a link.
        if (bytes.includes("Link: <>")) response = yield* promise(() => wire.response())
        const { complete, status } = response
        assert.deepStrictEqual({ complete, status }, {
          complete: outcome !== "cut",
          status: outcome === "cut" ? 200 : outcome
        })
        assert.notInclude(response.head + response.body, SECRET)
        assert.notInclude(response.body, "evil")
      }
      const innocent = yield* open({}, `${good}:443`)
      assert.strictEqual((yield* innocent.wire.exchange(`GET / HTTP/1.1\r\nHost: ${good}\r\n\r\n`)).status, 200)
    })
  }

  for (const [what, status, head] of oddHeads) {
    live(`that responds with ${what} does not crash the proxy during a refresh or a wait for 100`, function*() {
      const { daemon, open } = yield* proxiedRaw((socket) =>
        void socket.write(`${head}\r\nContent-Length: 2\r\n\r\nno`, "latin1")
      )
      daemon.resolve = (request) =>
        Effect.succeed({
          ...bearer(request),
          issuedAt: DateTime.makeUnsafe("2026-01-01T00:00:00.000Z"),
          refreshable: true
        })
      for (const [line, headers] of [["GET /", ""], ["POST /", "Content-Length: 2\r\nExpect: 100-continue\r\n"]]) {
        assert.strictEqual((yield* (yield* open()).exchange(line!, headers)).status, status)
      }
    })
  }

  const moments: ReadonlyArray<readonly [when: string, act: (write: () => void) => void]> = [
    ["in the same event-loop turn", (write) => write()],
    ["in the next turn", setImmediate]
  ]
  const unsolicited = [["a response", EVIL_RESPONSE], ["a part of a response", "HTTP/1.1 200"], [
    "an empty line",
    "\r\n"
  ]] as const
  for (const [what, bytes] of unsolicited) {
    for (const [when, act] of moments) {
      live(`that sends ${what} unsolicited, ${when} after a response, does not affect another response`, function*() {
        const closed = Promise.withResolvers<void>()
        const { exchange } = yield* proxiedRaw((socket, head) => {
          if (pathOf(head) !== "/1") return echo(socket, head)
          socket.once("close", () => closed.resolve())
          echo(socket, head)
          act(() => socket.write(bytes))
        })
        for (const path of ["/1", "/2", "/3"]) {
          assert.deepInclude(yield* exchange(`GET ${path}`), { status: 200, body: path })
          if (path === "/1") yield* promise(() => closed.promise)
        }
      })
    }
  }

  live(
    "that sends early hints forever does not delay others, and is disconnected when its client disconnects",
    function*() {
      const closed = Promise.withResolvers<void>()
      const hints = hint("</a.css>; rel=preload").repeat(100)
      const { open, socket, wire } = yield* proxiedRaw((socket, head) => {
        if (pathOf(head) !== "/1") return echo(socket, head)
        const more = (): void => {
          if (!socket.destroyed) socket.write(hints, () => setImmediate(more))
        }
        socket.once("close", () => closed.resolve())
        more()
      })
      wire.send(request("GET /1"))
      assert.include(yield* promise(() => wire.text("\r\n")), "103")
      assert.deepInclude(yield* (yield* open()).exchange("GET /2"), { status: 200, body: "/2" })
      socket.destroy()
      yield* promise(() => closed.promise)
    }
  )

  live(
    "that declares a body in an informational response does not prevent the final response over HTTP/2",
    function*() {
      const { proxy } = yield* proxiedRaw((socket) => void socket.write(hint("</a.css>\r\nContent-Length: 5") + OK))
      const session = yield* connectSession(proxy)
      const response = yield* promise(() => get(session, "/"))
      assert.deepInclude(response, { status: 200, body: "ok" })
      assert.deepStrictEqual(response.informed.map(({ link }) => link), ["</a.css>"])
    }
  )

  live("that keeps sending early hints is limited whether or not the client reads them", function*() {
    const { proxy, wire } = yield* proxiedRaw((socket) =>
      void socket.write(hint("</a.css>; rel=preload").repeat(2000) + OK)
    )
    wire.send(request("GET /"))
    const received = yield* promise(() => wire.text("ok"))
    assert.include(received, "HTTP/1.1 200 OK")
    assert.strictEqual(received.split("103 Early Hints").length - 1, 256)
    const session = yield* connectSession(proxy)
    const response = yield* promise(() => get(session, "/"))
    assert.strictEqual(response.status, 200)
    assert.lengthOf(response.informed, 256)
  })
})
