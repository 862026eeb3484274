/** HTTP/1.1 messages through the proxy: they are not delayed or changed, and aborted ones never look complete. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type * as Tls from "node:tls"
import * as zlib from "node:zlib"
import { builtins } from "../../../src/platform/builtins.ts"
import type * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { memoryGrowth } from "../../support/Memory.ts"
import { HOST, proxied, proxiedRaw, request } from "../../support/ProxiedHost.ts"
import { SECRET, type WireResponse } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"
import { turn } from "../../support/UpstreamPeer.ts"

const digest = (data: Uint8Array | string) =>
  builtins.crypto.createHash("sha256").update(typeof data === "string" ? Buffer.from(data, "latin1") : data).digest(
    "hex"
  )

/** Sends a GET request and reads the response as Node's client does. */
const get = (socket: Tls.TLSSocket) =>
  promise(() =>
    new Promise<Http.IncomingMessage>((resolve) => {
      socket.removeAllListeners("data")
      builtins.http.get({ createConnection: () => socket, headers: { Host: HOST } }, resolve)
    })
  )

/** What users of other proxies have reported as broken. */
const REQUEST_LINES: ReadonlyArray<readonly [what: string, line: string, body?: string]> = [
  ["Vault's method", "LIST /v1/secret/metadata"],
  ["WebDAV", "PROPFIND /dav/"],
  ["a safe method with content", "QUERY /items", "{}"],
  ["Elasticsearch's search", "GET /_search", "{}"],
  ["a DELETE with content", "DELETE /items", "{}"],
  ["OPTIONS of the server", "OPTIONS *"],
  ["characters that URLs must encode", "GET /x?filter[a]=1|2&b={c}&q=\"x\"^`"],
  ["a scoped package of npm", "GET /@scope%2fname"],
  ["repeated slashes", "GET //a//b"],
  ["dot segments", "GET /a/../b"]
]

const ANSWERS: ReadonlyArray<readonly [what: string, head: string, kept: RegExp, body?: string]> = [
  ["no reason phrase", "HTTP/1.1 200\r\nContent-Length: 2", /^HTTP\/1.1 200 \r\n/, "ok"],
  ["an unregistered status", "HTTP/1.1 999 Request denied\r\nContent-Length: 2", /^HTTP\/1.1 999 Request denied/, "ok"],
  [
    "a resumable upload",
    "HTTP/1.1 308 Resume Incomplete\r\nRange: bytes=0-1\r\nContent-Length: 0",
    /\nRange: bytes=0-1\r/
  ],
  ["spaces around a value", "HTTP/1.1 200 OK\r\nX-A:  a 'b' \t\r\nContent-Length: 2", /\nX-A: a 'b'\r/, "ok"],
  [
    "UTF-8 in a field",
    "HTTP/1.1 200 OK\r\nX-A: gr\xc3\xb6\xc3\x9fe\r\nContent-Length: 2",
    /\nX-A: gr\xc3\xb6\xc3\x9fe\r/,
    "ok"
  ],
  ["empty fields", "HTTP/1.1 200 OK\r\nX-A:\r\nContent-Length: 2", /\nX-A: \r/, "ok"],
  [
    "an offer of HTTP/2",
    "HTTP/1.1 200 OK\r\nUpgrade: h2,h2c\r\nConnection: Upgrade\r\nContent-Length: 2",
    /^HTTP\/1.1 200 OK/,
    "ok"
  ],
  [
    "a required upgrade",
    "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 2",
    /^HTTP\/1.1 426/,
    "ok"
  ],
  [
    "a challenge for a proxy",
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 2",
    /^HTTP\/1.1 407/,
    "ok"
  ],
  [
    "a coding in capitals",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked",
    /^HTTP\/1.1 200 OK/,
    "2;ieof=1\r\nok\r\n0\r\n\r\n"
  ],
  ["102 before it", "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2", /^HTTP\/1.1 102 /, "ok"]
]

describe("messages of deployed clients and servers", () => {
  live("reach the upstream with an unchanged request line", function*() {
    const seen: Array<string> = []
    const { exchange } = yield* proxiedRaw((socket, head) => {
      seen.push(head.slice(0, head.indexOf(" HTTP/1.1\r\n")))
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    })
    for (const [what, line, body = ""] of REQUEST_LINES) {
      const { status } = yield* exchange(line, body === "" ? "" : `Content-Length: ${body.length}\r\n`, body)
      assert.deepStrictEqual([status, seen.pop()?.replace("{}", "")], [200, line], what)
    }
  })

  for (const [what, head, kept, body = ""] of ANSWERS) {
    live(`reach the client: ${what}`, function*() {
      const { exchange } = yield* proxiedRaw((socket) => socket.write(Buffer.from(`${head}\r\n\r\n${body}`, "latin1")))
      const response = yield* exchange("GET /")
      assert.match(response.head, kept)
      if (response.status >= 200) assert.strictEqual(response.body, body === "" ? "" : "ok")
    })
  }
})

describe("an event stream", () => {
  const arrives = (stream: Readable, text: string) =>
    promise(() =>
      new Promise<void>((resolve) => {
        let got = ""
        const listen = (chunk: Buffer): void => {
          got += chunk.toString()
          if (got.length < text.length) return
          stream.off("data", listen)
          assert.strictEqual(got, text)
          resolve()
        }
        stream.on("data", listen)
      })
    )

  const events = ["data: 1\n\n", ": to keep it open\n\n", `data: ${"x".repeat(1024 * 1024)}\n\n`, "id: 4\ndata:\n\n"]

  for (const compressed of [false, true]) {
    live(`delivers each event before the next one is sent${compressed ? ", even if compressed" : ""}`, function*() {
      let emit: (event: string) => void = () => {}
      const { socket } = yield* proxied((_request, response) => {
        response.writeHead(200, {
          "Content-Type": "text/event-stream",
          ...(compressed ? { "Content-Encoding": "gzip" } : {})
        })
        response.flushHeaders()
        const gzip = zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH })
        if (compressed) gzip.pipe(response)
        emit = (event) => (compressed ? gzip : response).write(event)
      })
      const response = yield* get(socket)
      assert.strictEqual(response.headers["content-type"], "text/event-stream")
      // A compressed stream is decoded, because none of it can be held back to search it for the credential.
      assert.isUndefined(response.headers["content-encoding"])
      for (const event of events) {
        emit(event)
        yield* arrives(response, event)
      }
    })
  }
})

const chunked = "Transfer-Encoding: chunked\r\n"

describe("an upload", () => {
  live("reaches the upstream chunk by chunk with new framing, and its trailers remain trailers", function*() {
    const texts = ["one", "two", "three"]
    const chunks = texts.map(() => Promise.withResolvers<string>())
    let received = 0
    const seen = Promise.withResolvers<Http.IncomingMessage>()
    const { wire } = yield* proxied((incoming, response) => {
      seen.resolve(incoming)
      incoming.on("data", (data: Buffer) => chunks[received++]?.resolve(data.toString()))
      incoming.on("end", () => response.end("done"))
    })
    wire.send(request("POST /", "Transfer-Encoding: chunked\r\nTrailer: X-Sum, Authorization\r\n"))
    for (const [i, text] of texts.entries()) {
      wire.send(`${text.length.toString(16)};name=value\r\n${text}\r\n`)
      assert.strictEqual(yield* promise(() => chunks[i]!.promise), text)
    }
    wire.send("0\r\nX-Sum: 1\r\nAuthorization: Bearer own\r\n\r\n")
    assert.strictEqual((yield* promise(() => wire.response())).body, "done")
    const { headers, trailers } = yield* promise(() => seen.promise)
    assert.strictEqual(headers.authorization, `Bearer ${SECRET}`)
    assert.isUndefined(headers["x-sum"])
    assert.deepStrictEqual({ ...trailers }, { "x-sum": "1" })
  })

  describe("whose client waits for 100 (Continue)", () => {
    const head = (headers: string) => request("PUT /", `Expect: 100-continue\r\n${headers}`)
    /** An upstream that decides itself when to send 100 (Continue). */
    const proxiedContinue = (handler: FakeUpstream.Handler) =>
      Effect.tap(proxied(), ({ upstream }) => Effect.sync(() => upstream.server.on("checkContinue", handler)))

    for (const [framing, body] of [["Content-Length: 4\r\n", "body"], [chunked, "4\r\nbody\r\n0\r\n\r\n"]] as const) {
      live(`is sent after the upstream's 100 response, and not before (${framing.trim()})`, function*() {
        const arrived = Promise.withResolvers<Http.IncomingMessage>()
        let go: () => void = () => {}
        const { exchange, wire } = yield* proxiedContinue((incoming, response) => {
          go = () => {
            response.writeContinue()
            let got = ""
            incoming.on("data", (chunk: Buffer) => got += chunk.toString())
            incoming.on("end", () => response.end(`got ${got}`))
          }
          arrived.resolve(incoming)
        })
        wire.send(head(framing))
        const { headers } = yield* promise(() => arrived.promise)
        assert.strictEqual(headers.expect, "100-continue")
        assert.strictEqual(headers.authorization, `Bearer ${SECRET}`)
        go()
        assert.strictEqual((yield* promise(() => wire.response())).status, 100)
        assert.strictEqual((yield* wire.exchange(body)).body, "got body")
        // The client's connection serves its next request.
        assert.strictEqual((yield* exchange("GET /")).status, 200)
      })
    }

    for (const status of [417, 401, 413, 307]) {
      live(`is not sent if the upstream responds with ${status} to its head`, function*() {
        let received = 0
        const { wire } = yield* proxiedContinue((incoming, response) => {
          incoming.on("data", (chunk: Buffer) => received += chunk.length)
          response.writeHead(status, { "Content-Length": 2 }).end("no")
        })
        const response = yield* wire.exchange(head("Content-Length: 10000000\r\n"))
        assert.deepInclude(response, { status, body: "no" })
        // Later bytes would be read as the body.
        assert.strictEqual(response.headers.get("connection"), "close")
        yield* promise(() => wire.closed())
        assert.strictEqual(received, 0)
      })
    }

    live("is not requested if credsvc refuses the request", function*() {
      const { daemon, upstream, wire } = yield* proxied()
      daemon.down = true
      assert.strictEqual((yield* wire.exchange(head("Content-Length: 10000000\r\n"))).status, 403)
      assert.lengthOf(upstream.seen, 0)
      yield* promise(() => wire.closed())
    })

    live("is requested after a time limit if the upstream does not respond to the head", function*() {
      const { wire } = yield* proxiedRaw((socket) => {
        let body = ""
        socket.on("data", (chunk: Buffer) => {
          body += chunk.toString()
          if (body === "body") socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
        })
      })
      assert.strictEqual((yield* wire.exchange(head("Content-Length: 4\r\n"))).status, 100)
      assert.deepInclude(yield* wire.exchange("body"), { status: 200, body: "body" })
    })

    live("is forwarded if the client sends it without a 100 response", function*() {
      const { wire } = yield* proxiedContinue((incoming, response) => {
        incoming.on("data", (chunk: Buffer) => response.end(chunk))
      })
      let response = yield* wire.exchange(`${head("Content-Length: 4\r\n")}body`)
      if (response.status === 100) response = yield* promise(() => wire.response())
      assert.deepInclude(response, { status: 200, body: "body" })
    })

    live("leaves the client's connection usable if the upstream responds early", function*() {
      const { exchange, wire } = yield* proxiedContinue((incoming, response) => {
        response.writeContinue()
        incoming.once("data", () => response.writeHead(413, { Connection: "close" }).end("too large"))
      })
      const rest = 1024 * 1024
      assert.strictEqual((yield* wire.exchange(head(`Content-Length: ${rest + 1}\r\n`))).status, 100)
      assert.deepInclude(yield* wire.exchange("x"), { status: 413, body: "too large" })
      wire.send("x".repeat(rest))
      assert.strictEqual((yield* exchange("GET /")).status, 200)
    })

    live("gets a complete response that the connection's end delimits, even if read slowly", function*() {
      const total = 4 * 1024 * 1024
      const { socket } = yield* proxiedRaw((upstream) => {
        upstream.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
        upstream.end(Buffer.alloc(total, 7))
      })
      socket.removeAllListeners("data")
      socket.write(`${head("Content-Length: 4\r\n")}body`)
      const sevens = yield* promise(async () => {
        let count = 0
        for await (const data of socket) {
          for (const byte of data as Buffer) if (byte === 7) count++
          if (count === total) break
          await turn()
        }
        return count
      })
      assert.strictEqual(sevens, total)
    })

    live("is aborted upstream if the client disconnects", function*() {
      const gone = Promise.withResolvers<void>()
      const { socket, wire } = yield* proxiedContinue((incoming, response) => {
        response.writeContinue()
        incoming.on("data", () => {})
        incoming.on("error", () => gone.resolve())
      })
      assert.strictEqual((yield* wire.exchange(head("Content-Length: 100\r\n"))).status, 100)
      wire.send("part of it")
      socket.destroy()
      yield* promise(() => gone.promise)
    })
  })

  live("with an unknown expectation is refused and not forwarded", function*() {
    const { exchange, upstream } = yield* proxied()
    assert.strictEqual((yield* exchange("POST /", "Expect: 200-ok\r\nContent-Length: 4\r\n")).status, 417)
    assert.lengthOf(upstream.seen, 0)
  })
})

describe("a response", () => {
  live("arrives after all its early hints in order, and at an HTTP/1.0 client without them", function*() {
    const { exchange, open, wire } = yield* proxied((_incoming, response) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload; as=style" })
      response.writeEarlyHints({ link: ["</b.js>; rel=preload; as=script", "</c,d.js>; rel=\"preload\""] })
      response.end("ok")
    })
    const links: Array<string | undefined> = []
    let response = yield* exchange("GET /")
    while (response.status === 103) {
      links.push(response.headers.get("link"))
      response = yield* promise(() => wire.response())
    }
    assert.deepStrictEqual(links, [
      "</a.css>; rel=preload; as=style",
      "</b.js>; rel=preload; as=script, </c,d.js>; rel=\"preload\""
    ])
    assert.strictEqual(response.body, "ok")
    const old = yield* open()
    assert.strictEqual((yield* old.wire.exchange("GET / HTTP/1.0\r\n\r\n")).status, 200)
  })

  live("to a range request is passed on unchanged, even with several parts", function*() {
    const parts =
      "--b\r\nContent-Range: bytes 0-1/10\r\n\r\nab\r\n--b\r\nContent-Range: bytes 8-9/10\r\n\r\nij\r\n--b--\r\n"
    const responses: Readonly<Record<string, readonly [number, Http.OutgoingHttpHeaders, string]>> = {
      "bytes=2-4": [206, { "content-range": "bytes 2-4/10", "accept-ranges": "bytes" }, "cde"],
      "bytes=0-1,8-9": [206, { "content-type": "multipart/byteranges; boundary=b" }, parts],
      "bytes=20-": [416, { "content-range": "bytes */10" }, ""]
    }
    const { exchange, upstream } = yield* proxied((incoming, response) => {
      const [status, headers, body] = responses[incoming.headers.range ?? ""]!
      response.writeHead(status, { ...headers, "content-length": body.length }).end(body)
    })
    for (const [range, [status, headers, body]] of Object.entries(responses)) {
      const response = yield* exchange("GET /", `Range: ${range}\r\nIf-Range: "v1"\r\n`)
      assert.deepInclude(response, { status, body })
      for (const [name, value] of Object.entries(headers)) assert.strictEqual(response.headers.get(name), value)
      assert.strictEqual(upstream.seen.at(-1)?.headers["if-range"], "\"v1\"")
    }
  })

  const text = "compressed ".repeat(50_000)
  const codings = {
    gzip: zlib.gzipSync(text),
    br: zlib.brotliCompressSync(text),
    deflate: zlib.deflateSync(text),
    ...("zstdCompressSync" in zlib ? { zstd: zlib.zstdCompressSync(text) } : {})
  }
  for (const [coding, bytes] of Object.entries(codings)) {
    live(`in ${coding} keeps its bytes, length and coding`, function*() {
      const { exchange, upstream } = yield* proxied((_incoming, response) => {
        response.writeHead(200, { "Content-Encoding": coding, "Content-Length": bytes.length, ETag: "\"x\"" })
        response.end(bytes)
      })
      const { body, headers } = yield* exchange("GET /", `Accept-Encoding: ${coding}\r\n`)
      assert.strictEqual(headers.get("content-encoding"), coding)
      assert.strictEqual(headers.get("content-length"), String(bytes.length))
      assert.strictEqual(digest(body), digest(bytes))
      assert.strictEqual(upstream.seen[0]?.headers["accept-encoding"], coding === "zstd" ? "identity" : coding)
    })
  }

  const endings = {
    "is closed": (socket: Net.Socket) => socket.end(),
    "is reset": (socket: Net.Socket) => socket.destroy()
  }
  const beginnings: ReadonlyArray<readonly [string, string]> = [
    ["shorter than its length", "Content-Length: 100\r\n\r\npartial"],
    ["without its last chunk", `${chunked}\r\n7\r\npartial\r\n`],
    ["in the middle of a chunk", `${chunked}\r\n64\r\npartial`],
    ["in the middle of its trailers", `${chunked}\r\n7\r\npartial\r\n0\r\nX-A: 1`],
    ["before its body", "Content-Length: 100\r\n\r\n"]
  ]
  for (const [how, end] of Object.entries(endings)) {
    for (const [what, rest] of beginnings) {
      live(`${what} is reset if the upstream connection ${how}`, function*() {
        const { exchange, socket, wire } = yield* proxiedRaw((upstream) => {
          upstream.write(`HTTP/1.1 200 OK\r\n${rest}`, "latin1", () => end(upstream))
        })
        assert.deepInclude(yield* exchange("GET /"), { status: 200, complete: false })
        yield* promise(() => wire.closed())
        assert.isTrue(socket.destroyed)
      })
    }

    live(`that has not begun when the connection ${how} becomes a 502, and a POST is not repeated`, function*() {
      let requests = 0
      const { exchange } = yield* proxiedRaw((upstream) => {
        requests++
        end(upstream)
      })
      assert.strictEqual((yield* exchange("POST /")).status, 502)
      assert.strictEqual(requests, 1)
    })
  }
})

describe("40 MiB", () => {
  const MEBIBYTE = 1024 * 1024
  const body = builtins.crypto.randomBytes(40 * MEBIBYTE)
  const pieces = function*() {
    for (let at = 0; at < body.length; at += 64 * 1024) yield body.subarray(at, at + 64 * 1024)
  }

  /** The hash of a stream, of which one chunk is read in each turn of the event loop. */
  const readSlowly = async (stream: Readable): Promise<string> => {
    const hash = builtins.crypto.createHash("sha256")
    for await (const chunk of stream) {
      hash.update(chunk as Buffer)
      await turn()
    }
    return hash.digest("hex")
  }

  /** Counts the bytes of the pieces that a receiver accepts. */
  const counted = (count: (bytes: number) => void) =>
    function*() {
      for (const piece of pieces()) {
        count(piece.length)
        yield piece
      }
    }
  /** Exchanges other messages until a transfer no longer progresses. */
  const stalls = (transferred: () => number, exchange: (line: string) => Effect.Effect<WireResponse>) =>
    Effect.gen(function*() {
      yield* promise(() => until(() => transferred() > 0))
      for (let before = -1; before !== transferred();) {
        before = transferred()
        for (let i = 0; i < 20; i++) assert.strictEqual((yield* exchange("GET /")).body, "small")
      }
    })

  live("are not read from the upstream while the client does not read", function*() {
    let sent = 0
    const { open, socket } = yield* proxied((incoming, response) => {
      if (incoming.url === "/") return response.end("small")
      pipeline(counted((bytes) => sent += bytes), response).catch(() => {})
    })
    socket.removeAllListeners("data")
    socket.pause()
    socket.write(request("GET /large"))
    yield* stalls(() => sent, (yield* open()).exchange)
    assert.isBelow(sent, 24 * MEBIBYTE)
  })

  live("are not read from the client while the upstream does not read", function*() {
    let sent = 0
    const { open, socket, wire } = yield* proxied((incoming, response) => {
      if (incoming.url === "/") return response.end("small")
      incoming.pause()
    })
    wire.send(request("PUT /large", `Content-Length: ${body.length}\r\n`))
    pipeline(counted((bytes) => sent += bytes), socket, { end: false }).catch(() => {})
    yield* stalls(() => sent, (yield* open()).exchange)
    assert.isBelow(sent, 24 * MEBIBYTE)
  })

  live("are downloaded unchanged to a slow client, without being buffered", function*() {
    const { socket } = yield* proxied((_incoming, response) => {
      response.writeHead(200, { "Content-Length": body.length })
      void pipeline(pieces(), response)
    })
    const response = yield* get(socket)
    const grown = yield* promise(() =>
      memoryGrowth(async () => assert.strictEqual(await readSlowly(response), digest(body)))
    )
    assert.isBelow(grown, 24 * MEBIBYTE)
  })

  live("are uploaded unchanged to a slow upstream", function*() {
    const { socket, wire } = yield* proxied((incoming, response) => {
      void readSlowly(incoming).then((hash) => response.end(hash))
    })
    wire.send(request("PUT /", `Content-Length: ${body.length}\r\n`))
    const grown = yield* promise(() =>
      memoryGrowth(async () => {
        await pipeline(pieces(), socket, { end: false })
        assert.strictEqual((await wire.response()).body, digest(body))
      })
    )
    assert.isBelow(grown, 24 * MEBIBYTE)
  })
})
