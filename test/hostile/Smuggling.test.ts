/** Request smuggling: the proxy and the upstream always read the same requests. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { live } from "../support/Fixture.ts"
import { certificate, HOST, proxyTo } from "../support/ProxiedHost.ts"
import { authorization, MARKER, SECRET, type Wire } from "../support/ProxyHarness.ts"
import { smugglingCorpus, type Vector } from "../support/SmugglingCorpus.ts"
import * as StrictRecorder from "../support/StrictRecorder.ts"

const setUp = Effect.gen(function*() {
  const recorder = yield* StrictRecorder.make(certificate)
  return { recorder, ...yield* proxyTo(recorder.port) }
})

/** Sends the bytes, and checks the statuses of the responses and how many requests the upstream received. */
const sends = (wire: Wire, { reaching }: Vector, bytes: string, recorder: StrictRecorder.StrictRecorder) =>
  Effect.promise(async () => {
    wire.send(bytes)
    for (let i = 0; i < reaching; i++) assert.strictEqual((await wire.response()).status, 200)
    const refusal = reaching === 0 ? (await wire.response()).status : undefined
    wire.socket.end()
    await wire.closed()
    assert.deepStrictEqual(recorder.violations, [])
    assert.lengthOf(recorder.requests, reaching)
    return refusal
  })

const outcome = ({ reaching, what }: Vector): string =>
  `with ${what} ${reaching === 0 ? "is refused" : `reaches the upstream as ${reaching}`}`

describe("an ambiguous message inside a tunnel", () => {
  for (const vector of smugglingCorpus(HOST)) {
    live(outcome(vector), function*() {
      const { events, open, recorder } = yield* setUp
      const { wire } = yield* open()
      const refusal = yield* sends(wire, vector, vector.bytes, recorder)
      assert.strictEqual(refusal, vector.reaching === 0 ? 400 : undefined)
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
    })
  }
})

/** The same messages with an absolute target and the run's credential. */
const inClear = (bytes: string, credential: string): string =>
  bytes.replaceAll(
    /((?:POST|GET) +)(\/(?:first|second)[^\r\n]*\r?\n)(?=Host: )/g,
    (_, method: string, rest: string) => `${method}https://${HOST}${rest}${credential}`
  )

describe("an ambiguous message with an absolute target", () => {
  for (const vector of smugglingCorpus(HOST)) {
    live(outcome(vector), function*() {
      const { connect, proxy, recorder } = yield* setUp
      const refusal = yield* sends(yield* connect, vector, inClear(vector.bytes, authorization(proxy)), recorder)
      if (refusal !== undefined) assert.isTrue(refusal >= 400 && refusal < 500, String(refusal))
      assert.notMatch(recorder.received(), /proxy-authorization/i)
    })
  }
})
