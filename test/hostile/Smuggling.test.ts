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
const sends = (wire: Wire, { reaching, what }: Vector, bytes: string, recorder: StrictRecorder.StrictRecorder) =>
  Effect.promise(async () => {
    wire.send(bytes)
    for (let i = 0; i < reaching; i++) assert.strictEqual((await wire.response()).status, 200, what)
    const refusal = reaching === 0 ? (await wire.response()).status : undefined
    wire.socket.end()
    await wire.closed()
    assert.deepStrictEqual(recorder.violations, [], what)
    assert.lengthOf(recorder.requests, reaching, what)
    return refusal
  })

/** The same messages with an absolute target and the run's credential. */
const inClear = (bytes: string, credential: string): string =>
  bytes.replaceAll(
    /((?:POST|GET) +)(\/(?:first|second)[^\r\n]*\r?\n)(?=Host: )/g,
    (_, method: string, rest: string) => `${method}https://${HOST}${rest}${credential}`
  )

const outcome = ({ reaching, what }: Vector): string =>
  `${what} ${reaching === 0 ? "is refused" : `reaches the upstream as ${reaching}`}`

describe("an ambiguous message", () => {
  live("inside a tunnel is refused, or reaches the upstream as the proxy reads it", function*() {
    const { events, open, recorder } = yield* setUp
    for (const vector of smugglingCorpus(HOST)) {
      events.length = 0
      recorder.requests.length = 0
      const { wire } = yield* open()
      const refusal = yield* sends(wire, vector, vector.bytes, recorder)
      assert.strictEqual(refusal, vector.reaching === 0 ? 400 : undefined, outcome(vector))
      assert.notMatch(recorder.requests.map(({ line }) => line).join(), /smuggled/)
      // The upstream received exactly the requests that the proxy reported.
      const forwarded = events.filter(({ refusal, status }) => refusal === undefined && status === 200)
      assert.deepStrictEqual(
        recorder.requests.map(({ line }) => line.split(" ").slice(0, 2)),
        forwarded.map(({ method, path }) => [method, path]),
        outcome(vector)
      )
      for (const { headers } of recorder.requests) {
        const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
        assert.deepStrictEqual(valuesOf("host"), [HOST])
        assert.deepStrictEqual(valuesOf("authorization"), [`Bearer ${SECRET}`])
      }
      assert.notInclude(recorder.received(), MARKER)
    }
  })

  live("with an absolute target is refused, or reaches the upstream as the proxy reads it", function*() {
    const { connect, proxy, recorder } = yield* setUp
    for (const vector of smugglingCorpus(HOST)) {
      recorder.requests.length = 0
      const refusal = yield* sends(yield* connect, vector, inClear(vector.bytes, authorization(proxy)), recorder)
      if (refusal !== undefined) assert.isTrue(refusal >= 400 && refusal < 500, `${outcome(vector)}: ${refusal}`)
      assert.notMatch(recorder.received(), /proxy-authorization/i)
    }
  })
})
