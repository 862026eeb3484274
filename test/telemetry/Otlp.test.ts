import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { spanName } from "effect/sql/Statement"
import * as TestClock from "effect/testing/TestClock"
import { ExportState } from "../../src/telemetry/ExportState.ts"
import { requests } from "../../src/telemetry/Metrics.ts"
import { makeExport } from "../../src/telemetry/Otlp.ts"
import { readOtlpSettings } from "../../src/telemetry/OtlpSettings.ts"
import { effect, live } from "../support/Fixture.ts"
import { type OtlpReceiver, startOtlpReceiver } from "../support/OtlpReceiver.ts"
import { eventually } from "../support/Until.ts"

/** An export to the receiver with a registry of its own. `end` closes it, as the end of the program does. */
const exportTo = Effect.fnUntraced(function*(url: string, variables: Readonly<Record<string, string>> = {}) {
  const settings = yield* readOtlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...variables })
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const registry = Context.make(Metric.MetricRegistry, new Map())
  const exported = yield* makeExport(settings!, { program: "run", flushMillis: 1000 }).pipe(
    Effect.provideContext(registry),
    Scope.provide(scope)
  )
  const context = Context.merge(registry, exported)
  return {
    registry,
    traced: <A, E>(effect: Effect.Effect<A, E>) => Effect.provideContext(effect, context),
    state: Context.get(context, ExportState),
    end: Scope.close(scope, Exit.void)
  }
})

const span = (name: string) => Effect.withSpan(Effect.void, name)

describe("Otlp", () => {
  for (const protocol of ["http/protobuf", "http/json"]) {
    for (const compression of ["none", "gzip"]) {
      live(`sends spans and metrics at the end as ${protocol} with compression ${compression}`, function*() {
        const receiver = yield* startOtlpReceiver
        const { end, registry, traced } = yield* exportTo(receiver.url, {
          OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
          OTEL_EXPORTER_OTLP_COMPRESSION: compression,
          OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
          OTEL_RESOURCE_ATTRIBUTES: "team=core"
        })
        yield* traced(Effect.withSpan(Effect.all(Array.from({ length: 20 }, (_, at) => span(`child-${at}`))), "parent"))
        yield* traced(Effect.ignore(Effect.withSpan(Effect.fail(new TypeError("canary-message")), "failing")))
        requests.record(registry, ["GET", "/health", "200"], 1)
        assert.strictEqual(receiver.requests(), 0)
        yield* end
        assert.deepStrictEqual(receiver.received.map(({ path }) => path).toSorted(), ["/v1/metrics", "/v1/traces"])
        const parent = receiver.spans().find(({ name }) => name === "parent")!
        const children = receiver.spans().filter(({ name }) => name.startsWith("child-"))
        assert.lengthOf(children, 20)
        for (const child of children) {
          assert.deepInclude(child, { traceId: parent.traceId, status: "ok" })
          assert.isNotEmpty(child.parentSpanId)
        }
        const failed = receiver.spans().find(({ name }) => name === "failing")!
        assert.strictEqual(failed.status, "error")
        for (const { headers, resource, text } of receiver.received) {
          assert.strictEqual(headers["x-key"], "a b")
          assert.deepInclude(resource, { "service.name": "credsvc", "credsvc.program": "run", team: "core" })
          assert.notInclude(text, "canary")
          assert.notInclude(text, ".ts:", "a stack")
        }
        assert.deepStrictEqual(receiver.received.flatMap(({ metrics }) => metrics), ["credsvc_requests_total"])
      })
    }
  }

  live("passes on known attributes only, and neither events nor log lines", function*() {
    const receiver = yield* startOtlpReceiver
    const { end, traced } = yield* exportTo(receiver.url)
    const attributes = { "http.route": "/a/:b", "server.address": "line\nbreak", "url.full": "canary", key: "canary" }
    yield* traced(
      Effect.withSpan(
        Effect.andThen(Effect.annotateCurrentSpan("token", "canary"), Effect.logWarning("canary")),
        "it",
        {
          attributes
        }
      )
    )
    yield* end
    const [found] = receiver.spans()
    assert.deepInclude(found, { name: "it", attributes: { "http.route": "/a/:b" }, events: 0 })
    assert.notInclude(receiver.received.map(({ text }) => text).join(), "canary")
  })

  live("exports no spans of statements, with either database", function*() {
    const receiver = yield* startOtlpReceiver
    const { end, traced } = yield* exportTo(receiver.url)
    const statements = ["sqlite", "postgresql"].map((system) => span(spanName([["db.system.name", system]])))
    yield* traced(Effect.withSpan(Effect.all(statements), "request"))
    yield* end
    assert.deepStrictEqual(receiver.spans().map(({ name }) => name), ["request"])
  })

  live("records whole traces or nothing of them", function*() {
    const receiver = yield* startOtlpReceiver
    const sampler = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" }
    const { end, traced } = yield* exportTo(receiver.url, sampler)
    for (let at = 0; at < 200; at++) yield* traced(Effect.withSpan(span("child"), "parent"))
    yield* end
    const parents = receiver.spans().filter(({ name }) => name === "parent")
    assert.isTrue(parents.length > 50 && parents.length < 150, String(parents.length))
    assert.lengthOf(receiver.spans(), 2 * parents.length)
    assert.strictEqual(new Set(receiver.spans().map(({ traceId }) => traceId)).size, parents.length)
  })

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
