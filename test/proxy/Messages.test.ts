/** HTTP/1.1 messages through the proxy: they are not delayed or changed, and aborted ones never look complete. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { Readable } from "node:stream"
import type * as Tls from "node:tls"
import * as zlib from "node:zlib"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { certificate, HOST, proxied, proxyTo, request } from "../support/ProxiedHost.ts"
import { SECRET } from "../support/ProxyHarness.ts"

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)
const digest = (data: Uint8Array | string) =>
  builtins.crypto.createHash("sha256").update(typeof data === "string" ? Buffer.from(data, "latin1") : data).digest(
    "hex"
  )

/** A value that one party sets and another awaits. */
const signal = <A>() => {
  let resolve: (value: A) => void = () => {}
  const value = new Promise<A>((settle) => {
    resolve = settle
  })
  return { resolve, value }
}

/** A server that reads a request's head and then runs the test's handler. */
const scripted = (serve: (socket: Net.Socket, head: string) => void) =>
  Effect.gen(function*() {
    const server = builtins.tls.createServer(certificate, (socket) => {
      let received = ""
      let served = false
      socket.on("error", () => {})
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("latin1")
        if (!served && received.includes("\r\n\r\n")) {
          served = true
          serve(socket, received)
        }
      })
    })
    yield* Effect.acquireRelease(
      promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.sync(() => server.close())
    )
    const parts = yield* proxyTo((server.address() as Net.AddressInfo).port)
    return { ...parts, ...yield* parts.tunnel }
  })

describe("an event stream", () => {
  /** The part of the response body that has arrived, as Node's client reads it. */
  const subscribe = (socket: Tls.TLSSocket) =>
    promise(() =>
      new Promise<Http.IncomingMessage>((resolve) => {
        socket.removeAllListeners("data")
        const headers = { Host: HOST, Accept: "text/event-stream" }
        builtins.http.get({ createConnection: () => socket, path: "/events", headers }, resolve)
      })
    )

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

  it.live("delivers each event before the next one is sent", () =>
    Effect.gen(function*() {
      let emit: (event: string) => void = () => {}
      const { socket } = yield* proxied((_request, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" })
        response.flushHeaders()
        emit = (event) => response.write(event)
      })
      const stream = yield* subscribe(socket)
      assert.strictEqual(stream.headers["content-type"], "text/event-stream")
      for (const event of events) {
        emit(event)
        yield* arrives(stream, event)
      }
    }).pipe(Effect.scoped))

  it.live("delivers each event if it is compressed", () =>
    Effect.gen(function*() {
      let emit: (event: string) => void = () => {}
      const { socket } = yield* proxied((_request, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream", "Content-Encoding": "gzip" })
        const gzip = zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH })
        gzip.pipe(response)
        response.flushHeaders()
        emit = (event) => gzip.write(event)
      })
      const stream = (yield* subscribe(socket)).pipe(zlib.createGunzip())
      for (const event of events) {
        emit(event)
        yield* arrives(stream, event)
      }
    }).pipe(Effect.scoped))
})

const chunked = "Transfer-Encoding: chunked\r\n"

describe("an upload", () => {
  it.live("reaches the upstream chunk by chunk with new framing, and its trailers do not become headers", () =>
    Effect.gen(function*() {
      const seen: Array<(chunk: string) => void> = []
      const chunks = ["one", "two", "three"].map(() => signal<string>())
      for (const chunk of chunks) seen.push(chunk.resolve)
      let trailers: Http.IncomingMessage | undefined
      const { wire } = yield* proxied((incoming, response) => {
        trailers = incoming
        incoming.on("data", (data: Buffer) => seen.shift()?.(data.toString()))
        incoming.on("end", () => response.end("done"))
      })
      wire.send(request("POST /", "Transfer-Encoding: chunked\r\nTrailer: X-Sum, Authorization\r\n"))
      for (const [i, text] of ["one", "two", "three"].entries()) {
        wire.send(`${text.length.toString(16)};name=value\r\n${text}\r\n`)
        assert.strictEqual(yield* promise(() => chunks[i]!.value), text)
      }
      wire.send("0\r\nX-Sum: 1\r\nAuthorization: Bearer own\r\n\r\n")
      assert.strictEqual((yield* promise(() => wire.answer())).body, "done")
      assert.strictEqual(trailers?.headers.authorization, `Bearer ${SECRET}`)
      assert.isUndefined(trailers?.headers["x-sum"])
      assert.isUndefined(trailers?.trailers["authorization"])
    }).pipe(Effect.scoped))

  describe("whose client waits for 100 (Continue)", () => {
    const head = (more: string) => request("PUT /", `Expect: 100-continue\r\n${more}`)

    for (
      const [framing, body] of [["Content-Length: 4\r\n", "body"], [chunked, "4\r\nbody\r\n0\r\n\r\n"]] as const
    ) {
      it.live(`is sent after the upstream's 100 response, and not before (${framing.trim()})`, () =>
        Effect.gen(function*() {
          const asked = signal<Http.IncomingMessage>()
          let go: () => void = () => {}
          const { upstream, wire } = yield* proxied()
          upstream.server.on("checkContinue", (incoming: Http.IncomingMessage, response: Http.ServerResponse) => {
            go = () => {
              response.writeContinue()
              let got = ""
              incoming.on("data", (chunk: Buffer) => got += chunk.toString())
              incoming.on("end", () => response.end(`got ${got}`))
            }
            asked.resolve(incoming)
          })
          wire.send(head(framing))
          const incoming = yield* promise(() => asked.value)
          assert.strictEqual(incoming.headers.expect, "100-continue")
          assert.strictEqual(incoming.headers.authorization, `Bearer ${SECRET}`)
          go()
          assert.strictEqual((yield* promise(() => wire.answer())).status, 100)
          wire.send(body)
          assert.strictEqual((yield* promise(() => wire.answer())).body, "got body")
          // The client's connection serves its next request.
          wire.send(request("GET /"))
          assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        }).pipe(Effect.scoped))
    }

    for (const status of [417, 401, 413, 307]) {
      it.live(`is not sent if the upstream responds with ${status} to its head`, () =>
        Effect.gen(function*() {
          const { upstream, wire } = yield* proxied()
          let received = 0
          upstream.server.on("checkContinue", (incoming: Http.IncomingMessage, response: Http.ServerResponse) => {
            incoming.on("data", (chunk: Buffer) => received += chunk.length)
            response.writeHead(status, { "Content-Length": 2 })
            response.end("no")
          })
          wire.send(head("Content-Length: 10000000\r\n"))
          const answer = yield* promise(() => wire.answer())
          assert.deepStrictEqual([answer.status, answer.body], [status, "no"])
          // Later bytes would be read as the body.
          assert.strictEqual(answer.headers.get("connection"), "close")
          yield* promise(() => wire.closed())
          assert.strictEqual(received, 0)
        }).pipe(Effect.scoped))
    }

    it.live("is not requested if credsvc refuses the request", () =>
      Effect.gen(function*() {
        const { daemon, upstream, wire } = yield* proxied()
        daemon.down = true
        wire.send(head("Content-Length: 10000000\r\n"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 403)
        assert.lengthOf(upstream.seen, 0)
        yield* promise(() => wire.closed())
      }).pipe(Effect.scoped))

    it.live("is requested after a time limit if the upstream does not respond to the head", () =>
      Effect.gen(function*() {
        const { wire } = yield* scripted((socket) => {
          let body = ""
          socket.on("data", (chunk: Buffer) => {
            body += chunk.toString()
            if (body === "body") socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
          })
        })
        wire.send(head("Content-Length: 4\r\n"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 100)
        wire.send("body")
        const answer = yield* promise(() => wire.answer())
        assert.deepStrictEqual([answer.status, answer.body], [200, "body"])
      }).pipe(Effect.scoped))

    it.live("is forwarded if the client sends it without a 100 response", () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* proxied()
        upstream.server.on("checkContinue", (incoming: Http.IncomingMessage, response: Http.ServerResponse) => {
          incoming.on("data", (chunk: Buffer) => response.end(chunk))
        })
        wire.send(`${head("Content-Length: 4\r\n")}body`)
        let answer = yield* promise(() => wire.answer())
        if (answer.status === 100) answer = yield* promise(() => wire.answer())
        assert.deepStrictEqual([answer.status, answer.body], [200, "body"])
      }).pipe(Effect.scoped))

    it.live("leaves the client's connection usable if the upstream responds early", () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* proxied()
        upstream.server.on("checkContinue", (incoming: Http.IncomingMessage, response: Http.ServerResponse) => {
          response.writeContinue()
          incoming.once("data", () => {
            response.writeHead(413, { Connection: "close" }).end("too large")
          })
        })
        const rest = 1024 * 1024
        wire.send(head(`Content-Length: ${rest + 1}\r\n`))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 100)
        wire.send("x")
        const answer = yield* promise(() => wire.answer())
        assert.deepStrictEqual([answer.status, answer.body], [413, "too large"])
        wire.send("x".repeat(rest))
        wire.send(request("GET /"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
      }).pipe(Effect.scoped))

    it.live("gets a complete response that the connection's end delimits, even if read slowly", () =>
      Effect.gen(function*() {
        const total = 4 * 1024 * 1024
        const { socket } = yield* scripted((upstream) => {
          upstream.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
          upstream.end(Buffer.alloc(total, 7))
        })
        socket.removeAllListeners("data")
        socket.write(`${head("Content-Length: 4\r\n")}body`)
        const sevens = yield* promise(() =>
          new Promise<number>((resolve) => {
            let count = 0
            socket.on("data", (data: Buffer) => {
              for (const byte of data) if (byte === 7) count++
              socket.pause()
              setImmediate(() => socket.resume())
              if (count === total) resolve(count)
            })
            socket.on("close", () => resolve(count))
          })
        )
        assert.strictEqual(sevens, total)
      }).pipe(Effect.scoped))

    for (const [what, end] of [["is closed", "end"], ["is reset", "destroy"]] as const) {
      it.live(`gets a 502 if the upstream connection ${what} without a response`, () =>
        Effect.gen(function*() {
          const { wire } = yield* scripted((socket) => socket[end]())
          wire.send(head("Content-Length: 4\r\n"))
          assert.strictEqual((yield* promise(() => wire.answer())).status, 502)
        }).pipe(Effect.scoped))
    }

    it.live("is aborted upstream if the client disconnects", () =>
      Effect.gen(function*() {
        const gone = signal<void>()
        const { socket, upstream, wire } = yield* proxied()
        upstream.server.on("checkContinue", (incoming: Http.IncomingMessage, response: Http.ServerResponse) => {
          response.writeContinue()
          incoming.on("data", () => {})
          incoming.on("error", () => gone.resolve())
        })
        wire.send(head("Content-Length: 100\r\n"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 100)
        wire.send("part of it")
        socket.destroy()
        yield* promise(() => gone.value)
      }).pipe(Effect.scoped))
  })

  it.live("with an unknown expectation is refused and not forwarded", () =>
    Effect.gen(function*() {
      const { upstream, wire } = yield* proxied()
      wire.send(request("POST /", "Expect: 200-ok\r\nContent-Length: 4\r\n"))
      assert.strictEqual((yield* promise(() => wire.answer())).status, 417)
      assert.lengthOf(upstream.seen, 0)
    }).pipe(Effect.scoped))
})

describe("a response", () => {
  it.live("follows all its early hints in order, which an HTTP/1.0 client does not get", () =>
    Effect.gen(function*() {
      const { open, wire } = yield* proxied((_incoming, response) => {
        response.writeEarlyHints({ link: "</a.css>; rel=preload; as=style" })
        response.writeEarlyHints({ link: ["</b.js>; rel=preload; as=script", "</c,d.js>; rel=\"preload\""] })
        response.end("ok")
      })
      wire.send(request("GET /"))
      const links: Array<string | undefined> = []
      let answer = yield* promise(() => wire.answer())
      while (answer.status === 103) {
        links.push(answer.headers.get("link"))
        answer = yield* promise(() => wire.answer())
      }
      assert.deepStrictEqual(links, [
        "</a.css>; rel=preload; as=style",
        "</b.js>; rel=preload; as=script, </c,d.js>; rel=\"preload\""
      ])
      assert.strictEqual(answer.body, "ok")
      const old = yield* open()
      old.wire.send("GET / HTTP/1.0\r\n\r\n")
      assert.strictEqual((yield* promise(() => old.wire.answer())).status, 200)
      old.socket.destroy()
    }).pipe(Effect.scoped))

  it.live("to a range request is passed on unchanged, also with several parts", () =>
    Effect.gen(function*() {
      const parts =
        "--b\r\nContent-Range: bytes 0-1/10\r\n\r\nab\r\n--b\r\nContent-Range: bytes 8-9/10\r\n\r\nij\r\n--b--\r\n"
      const { upstream, wire } = yield* proxied((incoming, response) => {
        if (incoming.headers.range === "bytes=0-1,8-9") {
          response.writeHead(206, {
            "Content-Type": "multipart/byteranges; boundary=b",
            "Content-Length": parts.length
          })
          return void response.end(parts)
        }
        if (incoming.headers.range === "bytes=20-") {
          return void response.writeHead(416, { "Content-Range": "bytes */10", "Content-Length": 0 }).end()
        }
        response.writeHead(206, { "Content-Range": "bytes 2-4/10", "Content-Length": 3, "Accept-Ranges": "bytes" })
        response.end("cde")
      })
      wire.send(request("GET /", "Range: bytes=2-4\r\nIf-Range: \"v1\"\r\n"))
      const one = yield* promise(() => wire.answer())
      assert.deepStrictEqual([one.status, one.headers.get("content-range"), one.body], [206, "bytes 2-4/10", "cde"])
      assert.strictEqual(upstream.seen[0]?.headers["if-range"], "\"v1\"")
      wire.send(request("GET /", "Range: bytes=0-1,8-9\r\n"))
      const several = yield* promise(() => wire.answer())
      assert.strictEqual(several.headers.get("content-type"), "multipart/byteranges; boundary=b")
      assert.strictEqual(several.body, parts)
      wire.send(request("GET /", "Range: bytes=20-\r\n"))
      const none = yield* promise(() => wire.answer())
      assert.deepStrictEqual([none.status, none.headers.get("content-range")], [416, "bytes */10"])
    }).pipe(Effect.scoped))

  const text = "compressed ".repeat(50_000)
  const codings = {
    gzip: zlib.gzipSync(text),
    br: zlib.brotliCompressSync(text),
    deflate: zlib.deflateSync(text),
    ...("zstdCompressSync" in zlib ? { zstd: zlib.zstdCompressSync(text) } : {})
  }
  for (const [coding, bytes] of Object.entries(codings)) {
    it.live(`in ${coding} keeps its bytes, length and coding`, () =>
      Effect.gen(function*() {
        const { upstream, wire } = yield* proxied((_incoming, response) => {
          response.writeHead(200, { "Content-Encoding": coding, "Content-Length": bytes.length, ETag: "\"x\"" })
          response.end(bytes)
        })
        wire.send(request("GET /", `Accept-Encoding: ${coding}\r\n`))
        const answer = yield* promise(() => wire.answer())
        assert.strictEqual(answer.headers.get("content-encoding"), coding)
        assert.strictEqual(answer.headers.get("content-length"), String(bytes.length))
        assert.strictEqual(digest(answer.body), digest(bytes))
        assert.strictEqual(upstream.seen[0]?.headers["accept-encoding"], coding)
      }).pipe(Effect.scoped))
  }

  for (const [status, method] of [[200, "HEAD"], [204, "GET"], [304, "GET"], [304, "HEAD"], [206, "HEAD"]] as const) {
    it.live(`${status} to ${method} has a header without a body, and the next request is served`, () =>
      Effect.gen(function*() {
        const { wire } = yield* proxied((_incoming, response) => {
          response.writeHead(status, { ETag: "\"x\"", ...(status === 204 ? {} : { "Content-Length": "12345" }) })
          response.end()
        })
        for (let i = 0; i < 2; i++) {
          wire.send(request(`${method} /`))
          const answer = yield* promise(() => wire.answer("HEAD"))
          assert.strictEqual(answer.status, status)
          assert.strictEqual(answer.headers.get("etag"), "\"x\"")
          assert.strictEqual(answer.headers.get("content-length"), status === 204 ? undefined : "12345")
        }
      }).pipe(Effect.scoped))
  }

  const endings = {
    "is closed": (socket: Net.Socket) => socket.end(),
    "is reset": (socket: Net.Socket) => socket.destroy()
  }
  const beginnings: ReadonlyArray<readonly [string, string]> = [
    ["shorter than its length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npartial"],
    ["without its last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n"],
    ["in the middle of a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\npartial"],
    [
      "in the middle of its trailers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n0\r\nX-A: 1"
    ],
    ["before its body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"]
  ]
  for (const [how, end] of Object.entries(endings)) {
    for (const [what, bytes] of beginnings) {
      it.live(`${what} is reset if the upstream connection ${how}`, () =>
        Effect.gen(function*() {
          const { socket, wire } = yield* scripted((upstream) => upstream.write(bytes, "latin1", () => end(upstream)))
          wire.send(request("GET /"))
          const answer = yield* promise(() => wire.answer())
          assert.strictEqual(answer.status, 200)
          assert.isFalse(answer.complete)
          yield* promise(() => wire.closed())
          assert.isTrue(socket.destroyed)
        }).pipe(Effect.scoped))
    }

    it.live(`that has not begun when the connection ${how} is a 502, without a retry unless idempotent`, () =>
      Effect.gen(function*() {
        let requests = 0
        const { wire } = yield* scripted((upstream) => {
          requests++
          end(upstream)
        })
        wire.send(request("POST /"))
        assert.strictEqual((yield* promise(() => wire.answer())).status, 502)
        assert.strictEqual(requests, 1)
      }).pipe(Effect.scoped))
  }

  it.live("delimited by the connection's end is complete after a normal end", () =>
    Effect.gen(function*() {
      const { wire } = yield* scripted((upstream) => upstream.end("HTTP/1.1 200 OK\r\n\r\nall of it"))
      wire.send(request("GET /"))
      const answer = yield* promise(() => wire.answer())
      assert.strictEqual(answer.body, "all of it")
      assert.isTrue(answer.complete)
    }).pipe(Effect.scoped))
})

describe("64 MiB", () => {
  const MEBIBYTE = 1024 * 1024
  const body = builtins.crypto.randomBytes(64 * MEBIBYTE)

  /** The maximum growth of buffers outside the heap during `work`. */
  const growth = async (work: () => Promise<void>): Promise<number> => {
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }, 5)
    await work()
    clearInterval(timer)
    return most
  }

  /** The hash of the last `length` bytes of a stream, without a message head before them. */
  const readSlowly = (stream: Net.Socket | Http.IncomingMessage, length: number): Promise<string> => {
    const hash = builtins.crypto.createHash("sha256")
    let head = stream instanceof builtins.net.Socket ? "" : undefined
    let count = 0
    return new Promise((resolve) =>
      stream.on("data", (chunk: Buffer) => {
        let data = chunk
        if (head !== undefined) {
          head += chunk.toString("latin1")
          const end = head.indexOf("\r\n\r\n")
          if (end === -1) return
          data = chunk.subarray(chunk.length - (head.length - end - 4))
          head = undefined
        }
        hash.update(data)
        count += data.length
        if (count >= length) return resolve(hash.digest("hex"))
        stream.pause()
        setImmediate(() => stream.resume())
      })
    )
  }

  const written = (socket: Net.Socket, data: Buffer) =>
    new Promise<void>((resolve) => {
      let at = 0
      const more = (): void => {
        while (at < data.length) {
          const piece = data.subarray(at, at += 64 * 1024)
          if (!socket.write(piece)) return void socket.once("drain", more)
        }
        resolve()
      }
      more()
    })

  it.live(
    "are downloaded unchanged to a slow client, without being buffered",
    () =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.make({
          certificate,
          handler: (_incoming, response) => {
            response.writeHead(200, { "Content-Length": body.length })
            response.flushHeaders()
            void written(response.socket!, body)
          }
        })
        const { tunnel } = yield* proxyTo(upstream.port)
        const { socket } = yield* tunnel
        socket.removeAllListeners("data")
        let hash = ""
        const grown = yield* promise(() =>
          growth(async () => {
            const read = readSlowly(socket, body.length)
            socket.write(request("GET /"))
            hash = await read
          })
        )
        assert.strictEqual(hash, digest(body))
        assert.isBelow(grown, 40 * MEBIBYTE)
      }).pipe(Effect.scoped)
  )

  it.live("are uploaded unchanged to a slow upstream", () =>
    Effect.gen(function*() {
      const received = signal<string>()
      const { socket, wire } = yield* proxied((incoming, response) => {
        void readSlowly(incoming, body.length).then((hash) => {
          received.resolve(hash)
          response.end(hash)
        })
      })
      wire.send(request("PUT /", `Content-Length: ${body.length}\r\n`))
      const grown = yield* promise(() =>
        growth(async () => {
          await written(socket, body)
          await received.value
        })
      )
      assert.strictEqual((yield* promise(() => wire.answer())).body, digest(body))
      assert.isBelow(grown, 40 * MEBIBYTE)
    }).pipe(Effect.scoped))
})
