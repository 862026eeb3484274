import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import { ExitCode } from "../../src/domain/ExitCode.ts"
import { type OtlpSettings, readOtlpSettings } from "../../src/telemetry/OtlpSettings.ts"
import { effect } from "../support/Fixture.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }

const read = (variables: Readonly<Record<string, string>>) => readOtlpSettings({ ...endpoint, ...variables })

const settings = (variables: Readonly<Record<string, string>>): Effect.Effect<OtlpSettings> =>
  Effect.map(Effect.orDie(read(variables)), (settings) => settings!)

describe("OtlpSettings", () => {
  effect("has the defaults of the specification", function*() {
    const { metrics, traces, ...rest } = yield* settings({ OTEL_SERVICE_NAME: " " })
    assert.strictEqual(traces?.url.href, "http://127.0.0.1:4318/v1/traces")
    assert.strictEqual(metrics?.url.href, "http://127.0.0.1:4318/v1/metrics")
    for (const receiver of [traces, metrics]) {
      assert.deepInclude(receiver, { protocol: "http/protobuf", compression: "none", timeoutMillis: 10_000 })
    }
    assert.deepStrictEqual(rest, {
      serviceName: "credsvc",
      resourceAttributes: {},
      sampledShare: 1,
      spanIntervalMillis: 5000,
      maxBatchSize: 512,
      metricIntervalMillis: 60_000,
      temporality: "cumulative"
    })
  })

  effect("prefers the variables of a signal, and uses their endpoint unchanged", function*() {
    const { metrics, traces } = yield* settings({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example.com/base/",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://localhost:9/own",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a, x-b = c",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-traces=1",
      OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TIMEOUT: "250"
    })
    assert.deepInclude(traces, { protocol: "http/protobuf", compression: "none", timeoutMillis: 250 })
    assert.deepInclude(metrics, { protocol: "http/json", compression: "gzip" })
    assert.strictEqual(traces?.url.href, "http://localhost:9/own")
    assert.strictEqual(metrics?.url.href, "https://otlp.example.com/base/v1/metrics")
    assert.deepStrictEqual(Redacted.value(traces!.headers), { "x-traces": "1" })
    assert.deepStrictEqual(Redacted.value(metrics!.headers), { authorization: "Bearer a", "x-b": "c" })
    assert.notInclude(JSON.stringify([traces, metrics]), "Bearer")
  })

  effect("reads the resource, the sampler and the intervals", function*() {
    const found = yield* settings({
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,team=a%2Cb",
      OTEL_SERVICE_NAME: "creds",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      OTEL_BSP_SCHEDULE_DELAY: "2000",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "64"
    })
    assert.deepInclude(found, {
      serviceName: "creds",
      resourceAttributes: { team: "a,b" },
      sampledShare: 0.25,
      metricIntervalMillis: 1000,
      spanIntervalMillis: 2000,
      maxBatchSize: 64
    })
    assert.strictEqual((yield* settings({ OTEL_RESOURCE_ATTRIBUTES: "service.name=other" })).serviceName, "other")
    const off = yield* settings({ OTEL_TRACES_SAMPLER: "always_off", OTEL_TRACES_SAMPLER_ARG: "0.5" })
    assert.strictEqual(off.sampledShare, 0)
  })

  effect("exports nothing without an endpoint, when disabled, or with the exporter none", function*() {
    assert.isUndefined(yield* readOtlpSettings({}))
    assert.isUndefined(yield* read({ OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }))
    assert.isUndefined(yield* read({ OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }))
    const { metrics, traces } = yield* settings({ OTEL_TRACES_EXPORTER: "none" })
    assert.isUndefined(traces)
    assert.isDefined(metrics)
  })

  const cases = [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "canary:4317"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:canary@otlp.example.com"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://otlp.example.com/?key=canary"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "canary"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "canary"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "x=%canary"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "x=canary%0d%0ay: z"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "canary header=x"],
    ["OTEL_EXPORTER_OTLP_COMPRESSION", "canary"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "canary"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "0"],
    ["OTEL_EXPORTER_OTLP_CERTIFICATE", "/canary/absent.pem"],
    ["OTEL_EXPORTER_OTLP_CLIENT_KEY", "/canary.pem"],
    ["OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", "/canary.pem"],
    ["OTEL_EXPORTER_OTLP_INSECURE", "true"],
    ["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "lowmemory"],
    ["OTEL_TRACES_EXPORTER", "zipkin"],
    ["OTEL_METRICS_EXPORTER", "prometheus"],
    ["OTEL_TRACES_SAMPLER", "xray"],
    ["OTEL_TRACES_SAMPLER", "constructor"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["OTEL_RESOURCE_ATTRIBUTES", "canary"],
    ["OTEL_BSP_MAX_QUEUE_SIZE", "canary"],
    ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100000"],
    ["OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "12"],
    ["OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "12"]
  ] as const
  for (const [name, value] of cases) {
    effect(`rejects ${name}=${value} with an error that names the variable only`, function*() {
      const error = yield* Effect.flip(read({ [name]: value }))
      assert.strictEqual(error.variable, name)
      assert.include(error.message, name)
      assert.notInclude(error.message, "canary")
      assert.strictEqual(Runtime.getErrorExitCode(error), ExitCode.usage)
    })
  }

  effect("refuses to send headers to another machine over http", function*() {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary" }
    const error = yield* Effect.flip(read({ ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: "http://otel.corp:4318" }))
    assert.strictEqual(error.variable, "OTEL_EXPORTER_OTLP_HEADERS")
    assert.notInclude(error.message, "canary")
    yield* settings({ ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: "http://[::1]:4318" })
    yield* settings({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://otel.corp:4318" })
  })
})
