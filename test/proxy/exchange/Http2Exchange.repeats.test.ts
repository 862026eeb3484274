/** Fields that HTTP allows once, sent more than once: some versions of Node throw for them while they send. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http2 from "node:http2"
import { builtins } from "../../../src/platform/builtins.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { makeUpstream, responseOf, sessionTo } from "../../support/Http2Peers.ts"
import { certificate, proxyTo } from "../../support/ProxiedHost.ts"

const DATES = ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 02 Jan 1970 00:00:00 GMT"] as const
const JOINED = DATES.join(", ")

const valueOf = (raw: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  raw.flatMap((text, i) => i % 2 === 0 && text.toLowerCase() === name ? [raw[i + 1] ?? ""] : [])

const begin = (session: Http2.ClientHttp2Session) => session.request({ ":path": "/" }, { endStream: true })

/** An upstream over HTTP/1.1, which may send any field any number of times. */
const rawUpstream = (response: string) =>
  Effect.map(
    FakeUpstream.makeRaw(certificate, (socket) => void socket.end(response)),
    ({ port }) => port
  )

describe("a field that HTTP allows once", () => {
  live("is one line for the client if the upstream repeats it in an early hint, the head or the trailers", function*() {
    const repeated = `Date: ${DATES[0]}\r\nDate: ${DATES[1]}\r\n`
    const port = yield* rawUpstream(
      `HTTP/1.1 103 Early Hints\r\nEtag: "a"\r\nEtag: "b"\r\nLink: </a>\r\n\r\n` +
        `HTTP/1.1 200 OK\r\n${repeated}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n` +
        `${repeated}X-Sum: 1\r\nX-Sum: 2\r\n\r\n`
    )
    const { session } = yield* sessionTo(port)
    let trailers: ReadonlyArray<string> = []
    const stream = begin(session)
    stream.on("trailers", (_headers, _flags, raw: ReadonlyArray<string>) => {
      trailers = raw
    })
    const response = yield* promise(() => responseOf(stream))
    assert.deepInclude(response, { status: 200, body: "ok", code: 0 })
    assert.deepStrictEqual(response.informed.map(({ etag, link }) => [etag, link]), [[`"a", "b"`, "</a>"]])
    assert.deepStrictEqual([response.raw, trailers].map((fields) => valueOf(fields, "date")), [[JOINED], [JOINED]])
    assert.deepStrictEqual(valueOf(trailers, "x-sum"), ["1", "2"])
  })

  live("is one line for the upstream if the client repeats it in the head or the trailers", function*() {
    let trailers: ReadonlyArray<string> = []
    const upstream = yield* makeUpstream((stream) => {
      stream.on("trailers", (_headers, _flags, raw: ReadonlyArray<string>) => {
        trailers = raw
      })
      stream.resume().on("end", () => {
        stream.respond()
        stream.end("ok")
      })
    })
    const { open } = yield* proxyTo(upstream.port)
    const { exchange } = yield* open()
    const response = yield* exchange(
      "POST /",
      `Date: ${DATES[0]}\r\nDate: ${DATES[1]}\r\nTransfer-Encoding: chunked\r\n`,
      `2\r\nok\r\n0\r\nDate: ${DATES[0]}\r\nDate: ${DATES[1]}\r\n\r\n`
    )
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual(valueOf(upstream.seen[0] ?? [], "date"), [JOINED])
    assert.deepStrictEqual(valueOf(trailers, "date"), [JOINED])
  })

  live("is one line for the client in an early hint, for each field that Node knows", function*() {
    const names = Object.entries(builtins.http2.constants)
      .flatMap(([key, value]) => key.startsWith("HTTP2_HEADER_") ? [String(value)] : [])
      .filter((name) =>
        !name.startsWith(":") && !/^(?:content-length|transfer-encoding|connection|upgrade)$/.test(name)
      )
    const lines = names.map((name) => `${name}: 1\r\n${name}: 1\r\n`).join("")
    const port = yield* rawUpstream(
      `HTTP/1.1 103 Early Hints\r\n${lines}Link: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`
    )
    const { session } = yield* sessionTo(port)
    const response = yield* promise(() => responseOf(begin(session)))
    assert.deepInclude(response, { status: 200, body: "ok" })
    assert.strictEqual(response.informed[0]?.["etag"], "1, 1")
  })
})
