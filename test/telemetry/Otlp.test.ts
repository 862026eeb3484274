import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spanName } from "effect/sql/Statement"
import { requests } from "../../src/telemetry/Metrics.ts"
import { live } from "../support/Fixture.ts"
import { exportTo } from "../support/OtlpExport.ts"
import { startOtlpReceiver } from "../support/OtlpReceiver.ts"

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
})
