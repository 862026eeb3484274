/** Requests that the rules of a run refuse never reach the API, and get no credential. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as zlib from "node:zlib"
import { RuleRecorder } from "../../../src/domain/rules/RuleRecorder.ts"
import type { RuleSet } from "../../../src/domain/rules/RuleSchemas.ts"
import { ambiguousPaths } from "../../support/AmbiguousPaths.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { makeUpstream, sessionTo } from "../../support/Http2Peers.ts"
import { certificate, EVIL, HOST, proxied, proxyTo, request, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { authorization, type HarnessOptions, SECRET } from "../../support/ProxyHarness.ts"
import * as StrictRecorder from "../../support/StrictRecorder.ts"

const set = (rules: Partial<RuleSet>): Partial<HarnessOptions> => ({
  rules: [{ allow: [], deny: [], readonly: false, ...rules }]
})

const json = (body: string): string =>
  `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`

/** Keeps the bodies that the API has received to their end. */
const keepWhole = (whole: Array<string>): FakeUpstream.Handler => (incoming, response) => {
  let body = ""
  incoming.on("data", (chunk: Buffer) => void (body += chunk.toString("latin1")))
  incoming.on("end", () => {
    if (incoming.complete) whole.push(body)
    response.end()
  })
}

const graphQl = (query: string): string => JSON.stringify({ query })

describe("the rules of a run", () => {
  live("refuse requests that they do not allow, and name a rule that would allow them", function*() {
    const { daemon, events, exchange, upstream } = yield* proxied(undefined, set({ allow: [`GET ${HOST}/repos/*`] }))
    const allowed = yield* exchange("GET /repos/acme?page=2")
    assert.strictEqual(allowed.status, 200)
    assert.include(upstream.seen[0]?.headers.authorization, SECRET)
    const refused = yield* exchange("DELETE /repos/acme?reason=none")
    assert.strictEqual(refused.status, 403)
    assert.strictEqual(refused.headers.get("x-credsvc-error"), "OutsideRulesError")
    const message = `the rules of this run refuse the DELETE request to this path of ${HOST}: no rule allows it`
    const document = JSON.parse(refused.body)
    assert.deepStrictEqual(document.refused, {
      method: "DELETE",
      host: HOST,
      path: "/repos/acme",
      rule: null,
      allow: `DELETE ${HOST}/repos/acme`
    })
    assert.strictEqual(document.message, `credsvc: ${message}. A rule for it: DELETE ${HOST}/repos/acme`)
    assert.deepInclude(events.at(-1)?.refusal, { error: "OutsideRulesError", message })
    assert.lengthOf(upstream.seen, 1)
    assert.lengthOf(daemon.resolved, 1)
  })

  live("name the rule that denies a request", function*() {
    const { events, exchange, upstream } = yield* proxied(undefined, set({ deny: [`DELETE ${HOST}/repos/**`] }))
    const { body } = yield* exchange("DELETE /Repos/acme")
    assert.deepInclude(JSON.parse(body).refused, { rule: `DELETE ${HOST}/repos/**`, allow: null })
    assert.strictEqual(events.at(-1)?.rule, `DELETE ${HOST}/repos/**`)
    assert.strictEqual(events.at(-1)?.refusal?.error, "DeniedByRuleError")
    assert.strictEqual((yield* exchange("OPTIONS /repos/acme")).status, 200)
    assert.deepStrictEqual(upstream.seen.map(({ method }) => method), ["OPTIONS"])
  })

  live(`keep ${ambiguousPaths.length} ambiguous paths from the API`, function*() {
    const api = yield* StrictRecorder.make(certificate)
    const { daemon, open } = yield* proxyTo(
      api.port,
      set({ allow: [`GET ${HOST}/allowed/**`], deny: [`${HOST}/allowed/secret/**`] })
    )
    let tunnel = yield* open()
    for (const path of ambiguousPaths) {
      if (tunnel.wire.ended) tunnel = yield* open()
      const { headers } = yield* tunnel.wire.exchange(request(`GET ${path}`))
      if (headers.get("connection") === "close") tunnel = yield* open()
    }
    const reached = api.requests.map(({ line }) => line.split(" ")[1])
    // Other letters, and a name of which no server but that of the file system knows which one it stands for.
    const others = ["/allowed/s%CC%80ecret", "/allowed/SECRET~1"]
    assert.deepStrictEqual(reached, others.flatMap((path) => [path, `${path}/x`]))
    assert.lengthOf(daemon.resolved, reached.length)
  }, 30_000)

  live("refuse requests that override their method or path in a header field or a parameter", function*() {
    const { exchange, upstream } = yield* proxied(undefined, set({ readonly: true }))
    const names = [
      "X-HTTP-Method-Override",
      "x_http_method",
      "X-Method-Override",
      "X-Original-URL",
      "X-Rewrite-Url",
      "Destination",
      "X-Amz-Copy-Source"
    ]
    for (const name of names) {
      assert.strictEqual((yield* exchange("GET /", `${name}: DELETE\r\n`)).status, 403, name)
    }
    for (const query of ["%5fmethod=DELETE", "a=1&+_method=DELETE", "[_method]=DELETE", "_HttpMethod=PATCH"]) {
      assert.strictEqual((yield* exchange(`GET /?${query}`)).status, 403, query)
    }
    assert.lengthOf(upstream.seen, 0)
  })

  live(
    "check the decoded content of encoded bodies, which are sent decoded, and refuse bodies that they cannot decode",
    function*() {
      const whole: Array<string> = []
      const { open } = yield* proxied(keepWhole(whole), set({ allow: [`POST ${HOST}/**`] }))
      const json = "application/json"
      const form = "application/x-www-form-urlencoded"
      const text = "{\"_method\":\"DELETE\"}"
      const { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } = zlib
      const rows: ReadonlyArray<
        readonly [type: string, coding: string, body: Buffer, reason?: string | undefined, arrives?: string]
      > = [
        [json, "gzip", gzipSync(text), "asks the server for a method"],
        [json, "x-gzip", gzipSync(text), "asks the server for a method"],
        [json, "br", brotliCompressSync(text), "asks the server for a method"],
        [json, "zstd", zstdCompressSync(text), "asks the server for a method"],
        [json, "gzip, deflate", deflateSync(gzipSync(text)), "asks the server for a method"],
        [json, "gzip", Buffer.concat([gzipSync("{"), gzipSync(text.slice(1))]), "asks the server for a method"],
        [json, "compress", Buffer.from("{}"), "its encoded body cannot be checked"],
        [json, "gzip", Buffer.from("{}"), "its encoded body cannot be checked"],
        [json, "gzip", gzipSync(`"${"x".repeat(2 * 1024 * 1024)}"`), "its encoded body cannot be checked"],
        [
          `${json}; charset=utf-7`,
          "identity",
          Buffer.from("{\"+AF8-method\":1}"),
          "its charset is not UTF-8"
        ],
        [`${json}; charset="utf-8"`, "gzip", gzipSync("{\"method\":1}"), undefined, "{\"method\":1}"],
        [form, "identity", Buffer.from("a=1"), undefined],
        ["application/octet-stream", "gzip", gzipSync("_method=DELETE"), undefined]
      ]
      for (const [type, coding, body, reason, arrives = body.toString("latin1")] of rows) {
        const { wire } = yield* open()
        const encoding = coding === "" ? "" : `Content-Encoding: ${coding}\r\n`
        wire.send(request("POST /a", `Content-Type: ${type}\r\n${encoding}Content-Length: ${body.length}\r\n`))
        wire.send(body)
        const response = yield* Effect.promise(() => wire.response())
        assert.strictEqual(response.status, reason === undefined ? 200 : 403, `${type} ${coding}`)
        if (reason !== undefined) assert.include(response.body, reason)
        assert.deepStrictEqual(whole.splice(0), reason === undefined ? [arrives] : [])
      }
    }
  )

  live(
    "refuse WebSockets to a host for which they name GraphQL operations, because a WebSocket could carry others",
    function*() {
      const operation = `POST ${HOST}/graphql mutation:deleteRepository`
      for (const rules of [{ deny: [operation] }, { allow: [`GET ${HOST}/**`, operation] }]) {
        const { open, upstream } = yield* proxied(undefined, set(rules))
        for (const protocol of ["graphql-transport-ws", "graphql-ws"]) {
          const tunnel = yield* open()
          const { body, status } = yield* tunnel.exchange(
            "GET /subscriptions",
            `${WEBSOCKET}Sec-WebSocket-Protocol: ${protocol}\r\n`
          )
          assert.strictEqual(status, 403)
          assert.include(body, "applies to GraphQL operations, and the proxy cannot check those in WebSocket messages")
        }
        assert.lengthOf(upstream.seen, 0)
      }
      const elsewhere = yield* proxied(undefined, set({ deny: [`POST ${EVIL}/graphql mutation:deleteRepository`] }))
      elsewhere.upstream.server.on("upgrade", (_request, socket) => {
        socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
      })
      assert.strictEqual((yield* elsewhere.exchange("GET /live", WEBSOCKET)).status, 101)
    }
  )

  live("apply to the handshake of a WebSocket, and not to its messages", function*() {
    const { exchange, open, upstream } = yield* proxied(undefined, set({ allow: [`GET ${HOST}/live`] }))
    upstream.server.on("upgrade", (_request, socket) => {
      socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
    })
    assert.strictEqual((yield* exchange("GET /other", WEBSOCKET)).status, 403)
    const other = yield* open()
    assert.strictEqual((yield* other.exchange("GET /live", WEBSOCKET)).status, 101)
    const reading = yield* proxied(undefined, set({ readonly: true }))
    assert.strictEqual((yield* reading.exchange("GET /live", WEBSOCKET)).status, 403)
    assert.lengthOf(reading.upstream.seen, 0)
  })

  live("apply to HTTP/2 and gRPC methods", function*() {
    const upstream = yield* makeUpstream()
    const { session } = yield* sessionTo(upstream.port, set({ allow: [`POST ${HOST}/echo.v1.Echo/Get*`] }))
    const send = (method: string, path: string, type: string) =>
      Effect.promise(() =>
        new Promise<Record<string, unknown>>((resolve, reject) => {
          const stream = session.request({ ":method": method, ":path": path, "content-type": type })
          stream.on("response", (headers) => resolve(headers)).on("error", reject)
          stream.end(method === "GET" ? undefined : "x")
          stream.resume()
        })
      )
    assert.strictEqual((yield* send("POST", "/echo.v1.Echo/GetAll", "application/grpc"))[":status"], 200)
    const refused = yield* send("POST", "/echo.v1.Echo/Delete", "application/grpc+proto")
    assert.deepInclude(refused, { ":status": 200, "grpc-status": "7", "x-credsvc-error": "OutsideRulesError" })
    assert.include(String(refused["grpc-message"]), `A rule for it: POST ${HOST}/echo.v1.Echo/Delete`)
    assert.deepInclude(yield* send("POST", "/echo.v1.Echo/Get/../Delete", "text/plain"), { ":status": 403 })
    assert.deepInclude(yield* send("GET", "/echo.v1.Echo/GetAll", "text/plain"), { ":status": 403 })
    assert.lengthOf(upstream.seen, 1)
  })

  live("check the operations in the body of a GraphQL request, which arrives unchanged", function*() {
    const { exchange, open, upstream } = yield* proxied(undefined, set({ readonly: true }))
    const query = graphQl("query { viewer { login } }")
    const sent = yield* exchange("POST /graphql", json(query), query)
    assert.strictEqual(JSON.parse(sent.body).body, query)
    const chunked = `${query.length.toString(16)}\r\n${query}\r\n0\r\n\r\n`
    const headers = "Content-Type: application/json; charset=utf-8\r\nTransfer-Encoding: chunked\r\n"
    assert.strictEqual(JSON.parse((yield* exchange("POST /graphql", headers, chunked)).body).body, query)
    const { wire } = yield* open()
    wire.send(request("POST /graphql", `${json(query)}Expect: 100-continue\r\n`))
    assert.strictEqual((yield* Effect.promise(() => wire.response())).status, 100)
    wire.send(query)
    assert.strictEqual(JSON.parse((yield* Effect.promise(() => wire.response())).body).body, query)

    const refused: ReadonlyArray<readonly [line: string, headers: string, body: string]> = [
      ["POST /graphql", "", graphQl("mutation { deleteRepository { id } }")],
      ["POST /graphql", "", graphQl("query A { a } mutation B { b }")],
      ["POST /graphql", "", " ".repeat(64 * 1024) + query],
      ["POST /graphql", "Content-Encoding: gzip\r\n", query],
      ["POST /graphql", "Content-Type: application/x-www-form-urlencoded\r\n", query],
      ["POST /graphql?query=mutation%7Ba%7D", "", query],
      ["POST /graphql", "", ""]
    ]
    const before = upstream.seen.length
    for (const [line, headers, body] of refused) {
      const tunnel = yield* open()
      const { status } = yield* tunnel.exchange(line, headers + json(body), body)
      assert.strictEqual(status, 403, `${line} ${body.slice(0, 80)}`)
    }
    assert.lengthOf(upstream.seen, before)
  })

  live("refuse tunnels and plain requests to hosts that they name and that belong to no provider", function*() {
    const { connect, forward, proxy, upstream } = yield* proxied(undefined, {
      ...set({ deny: [EVIL] }),
      upstream: {}
    })
    const wire = yield* connect
    const { body, status } = yield* wire.exchange(
      `CONNECT ${EVIL}:443 HTTP/1.1\r\n${authorization(proxy)}\r\n`
    )
    assert.strictEqual(status, 403)
    assert.include(body, `the rules of this run name ${EVIL}`)
    for (const target of [`https://${EVIL}/`, `http://${EVIL}/`, `https://${EVIL}:8443/`]) {
      assert.strictEqual((yield* forward(`GET ${target}`, `Host: ${EVIL}\r\n`)).status, 403, target)
    }
    assert.strictEqual((yield* forward(`GET http://www.${EVIL}/`)).status, 502)
    assert.lengthOf(upstream.seen, 0)
  })

  live("apply to absolute targets and to base URLs", function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const { forward, proxy } = yield* proxyTo(upstream.port, {
      ...set({ allow: [`GET ${HOST}/a`] }),
      baseUrl: true,
      peer: "own"
    })
    assert.strictEqual((yield* forward(`GET https://${HOST}/a`)).status, 200)
    assert.strictEqual((yield* forward(`GET https://${HOST}/b`)).status, 403)
    const statusOf = (path: string) =>
      Effect.promise(async () => (await fetch(`${proxy.baseUrl}/${HOST}${path}`)).status)
    assert.strictEqual(yield* statusOf("/a"), 200)
    assert.strictEqual(yield* statusOf("/b"), 403)
    assert.lengthOf(upstream.seen, 2)
  })

  live("are recorded from the requests that were sent, with their GraphQL fields", function*() {
    const query = graphQl("query Q { viewer { id } }")
    for (const rules of [{}, set({ deny: [`DELETE ${HOST}`] })]) {
      const recorder = new RuleRecorder()
      const { exchange } = yield* proxied(undefined, { ...rules, recorder })
      yield* exchange("GET /repos/42?token=of-a-query")
      yield* exchange("POST /graphql", json(query), query)
      const long = graphQl(`mutation { a(b: "${"x".repeat(65_536)}") }`)
      yield* exchange("POST /long/graphql", json(long), long)
      yield* exchange("GET /a/../b")
      yield* exchange("GET /c", "X-HTTP-Method-Override: DELETE\r\n")
      const isLimited = rules.rules !== undefined
      if (isLimited) assert.strictEqual((yield* exchange("DELETE /repos/42")).status, 403)
      assert.deepStrictEqual(recorder.rules([]), {
        allow: [`POST ${HOST}/graphql query:viewer`, `POST ${HOST}/long/graphql`, `GET ${HOST}/repos/*`],
        inexpressible: isLimited ? 0 : 2
      })
    }
  })

  live("cause a separate query to the daemon for each request if uses are counted", function*() {
    const together = Effect.fnUntraced(function*(options: Partial<HarnessOptions>) {
      const upstream = yield* makeUpstream()
      const { daemon, session } = yield* sessionTo(upstream.port, options)
      const get = () => new Promise<void>((resolve) => session.request({ ":path": "/" }).on("close", resolve).resume())
      yield* Effect.promise(() => Promise.all(Array.from({ length: 10 }, get)))
      return daemon.resolved.length
    })
    assert.strictEqual(yield* together({ counted: true }), 10)
    assert.isBelow(yield* together({}), 10)
  })
})
