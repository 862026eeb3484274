import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { effect, live } from "../support/Fixture.ts"
import { exportTo } from "../support/OtlpExport.ts"
import { type OtlpReceiver, startOtlpReceiver } from "../support/OtlpReceiver.ts"
import { eventually } from "../support/Until.ts"

const span = (name: string) => Effect.withSpan(Effect.void, name)

describe("OtlpTransport", () => {
  const cases = [
    ["does not respond", "silence"],
    ["is overloaded", 503],
    ["rejects the headers", 401],
    ["redirects", 307]
  ] as const
  for (const [title, treatment] of cases) {
    live(`ends in time when the receiver ${title}`, function*() {
      const receiver: OtlpReceiver = yield* startOtlpReceiver
      receiver.treatment = treatment
      const { end, traced } = yield* exportTo(receiver.url, { OTEL_EXPORTER_OTLP_TIMEOUT: "60000" })
      yield* traced(span("lost"))
      assert.isTrue(Option.isSome(yield* Effect.timeoutOption(end, "30 seconds")))
      assert.strictEqual(receiver.requests(), 2)
    })
  }

  live("ends immediately when nothing listens", function*() {
    const { end, traced } = yield* exportTo("http://127.0.0.1:1")
    yield* traced(span("lost"))
    yield* end
  })

  live("drops spans beyond a limit while the receiver does not respond", function*() {
    const receiver = yield* startOtlpReceiver
    receiver.treatment = "silence"
    const { state, traced } = yield* exportTo(receiver.url, {
      OTEL_METRICS_EXPORTER: "none",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "16"
    })
    const failures: Array<string | undefined> = []
    state.listen((failure) => failures.push(failure))
    for (let at = 0; at < 2000; at++) yield* traced(span("lost"))
    yield* eventually(Effect.sync(() => failures), ({ length }) => length > 0)
    assert.deepStrictEqual(failures, [`${receiver.url} does not accept traces: it is too slow`])
    assert.isAtMost(receiver.requests(), 4)
  })

  effect("reports that the receiver rejects batches, pauses, and reports that it works again", function*() {
    const receiver = yield* startOtlpReceiver
    receiver.treatment = 401
    const { state } = yield* exportTo(receiver.url, { OTEL_TRACES_EXPORTER: "none" })
    const reported: Array<string | undefined> = []
    state.listen((failure) => reported.push(failure))
    const reason = `${receiver.url} does not accept metrics: it responded with status 401`
    assert.strictEqual(yield* TestClock.withLive(state.check), reason)
    receiver.treatment = 200
    assert.strictEqual(yield* TestClock.withLive(state.check), reason)
    assert.strictEqual(receiver.requests(), 1, "a rejected batch is not repeated")
    yield* TestClock.adjust("61 seconds")
    assert.isUndefined(yield* TestClock.withLive(state.check))
    assert.deepStrictEqual(reported, [reason, undefined])
  })

  live("repeats a batch that an overloaded receiver did not accept", function*() {
    const receiver = yield* startOtlpReceiver
    receiver.treatment = 503
    const { state, traced } = yield* exportTo(receiver.url, { OTEL_METRICS_EXPORTER: "none" })
    yield* traced(span("delayed"))
    yield* Effect.forkChild(state.check)
    yield* eventually(Effect.sync(receiver.requests), (count) => count === 1)
    receiver.treatment = 200
    yield* eventually(Effect.sync(() => receiver.received), ({ length }) => length === 1)
    assert.strictEqual(receiver.spans()[0]?.name, "delayed")
  })

  live("reports why an export failed", function*() {
    const { state, traced } = yield* exportTo("http://127.0.0.1:1", { OTEL_METRICS_EXPORTER: "none" })
    assert.isUndefined(yield* state.check, "nothing to send")
    yield* traced(span("lost"))
    const silent = yield* startOtlpReceiver
    silent.treatment = "silence"
    const hanging = yield* exportTo(silent.url, { OTEL_EXPORTER_OTLP_TIMEOUT: "50", OTEL_TRACES_EXPORTER: "none" })
    const listened: Array<string | undefined> = []
    hanging.state.listen((failure) => listened.push(failure))
    yield* hanging.end
    assert.deepStrictEqual(listened, [`${silent.url} does not accept metrics: no response in 50 ms`])
    const checked = yield* exportTo(silent.url, { OTEL_TRACES_EXPORTER: "none" })
    assert.strictEqual(yield* checked.state.check, `${silent.url} does not accept metrics: no response`)
  })
})
