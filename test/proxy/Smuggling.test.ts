/** Request smuggling: the proxy and the upstream always read the same requests. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { certificate, HOST, proxyTo } from "../support/ProxiedHost.ts"
import { authorization, dial, MARKER, SECRET, Wire } from "../support/ProxyHarness.ts"
import { smugglingCorpus } from "../support/SmugglingCorpus.ts"
import * as StrictRecorder from "../support/StrictRecorder.ts"

describe("an ambiguous message inside a tunnel", () => {
  for (const { bytes, reaching, what } of smugglingCorpus(HOST)) {
    it.live(`with ${what} ${reaching === 0 ? "is refused" : `reaches the upstream as ${reaching}`}`, () =>
      Effect.gen(function*() {
        const recorder = yield* StrictRecorder.make(certificate)
        const { events, tunnel } = yield* proxyTo(recorder.port)
        const { socket, wire } = yield* tunnel
        wire.send(bytes)
        for (let i = 0; i < reaching; i++) assert.strictEqual((yield* Effect.promise(() => wire.answer())).status, 200)
        if (reaching === 0) assert.strictEqual((yield* Effect.promise(() => wire.answer())).status, 400)
        socket.end()
        yield* Effect.promise(() => wire.closed())
        assert.deepStrictEqual(recorder.violations, [])
        assert.lengthOf(recorder.requests, reaching)
        assert.notMatch(recorder.requests.map(({ line }) => line).join(), /smuggled/)
        // The upstream received exactly the requests that the proxy reported.
        const forwarded = events.filter(({ refusal, status }) => refusal === undefined && status === 200)
        assert.deepStrictEqual(
          recorder.requests.map(({ line }) => line.split(" ").slice(0, 2)),
          forwarded.map(({ method, path }) => [method, path])
        )
        for (const { headers } of recorder.requests) {
          const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
          assert.deepStrictEqual(valuesOf("host"), [HOST])
          assert.deepStrictEqual(valuesOf("authorization"), [`Bearer ${SECRET}`])
        }
        assert.notInclude(recorder.received(), MARKER)
      }).pipe(Effect.scoped))
  }
})

/** The same messages with an absolute target and the run's credential. */
const inClear = (bytes: string, credential: string): string =>
  bytes.replaceAll(
    /((?:POST|GET) +)(\/(?:first|second)[^\r\n]*\r?\n)(?=Host: )/g,
    (_, method: string, rest: string) => `${method}https://${HOST}${rest}${credential}`
  )

describe("an ambiguous message with an absolute target", () => {
  for (const { bytes, reaching, what } of smugglingCorpus(HOST)) {
    it.live(`with ${what} ${reaching === 0 ? "is refused" : `reaches the upstream as ${reaching}`}`, () =>
      Effect.gen(function*() {
        const recorder = yield* StrictRecorder.make(certificate)
        const { proxy } = yield* proxyTo(recorder.port)
        const wire = new Wire(yield* Effect.promise(() => dial(proxy.port)))
        const sent = inClear(bytes, authorization(proxy))
        wire.send(sent)
        for (let i = 0; i < reaching; i++) assert.strictEqual((yield* Effect.promise(() => wire.answer())).status, 200)
        if (reaching === 0) {
          const { status } = yield* Effect.promise(() => wire.answer())
          assert.isTrue(status >= 400 && status < 500, String(status))
        }
        wire.socket.end()
        yield* Effect.promise(() => wire.closed())
        assert.deepStrictEqual(recorder.violations, [])
        assert.lengthOf(recorder.requests, reaching)
        assert.notMatch(recorder.received(), /proxy-authorization/i)
      }).pipe(Effect.scoped))
  }
})
