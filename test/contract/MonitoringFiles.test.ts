/** docs/hosting/alerts.yaml and dashboard.json, compared with the metrics that a daemon exports. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { parse, stringify } from "yaml"
import { refreshDuration, refreshes, refreshesInProgress } from "../../src/telemetry/Metrics.ts"
import { type Exposition, readExposition } from "../support/Exposition.ts"
import { testsWith } from "../support/Fixture.ts"
import { repository } from "../support/Sandbox.ts"
import { logIn, startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"
import { testDirectory } from "../support/TestDirectories.ts"

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
}

const rulesFile = path.join(repository, "docs", "hosting", "alerts.yaml")
const rules: ReadonlyArray<Rule> = parse(fs.readFileSync(rulesFile, "utf8")).groups[0].rules

const dashboard: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }> = JSON.parse(
  fs.readFileSync(path.join(repository, "docs", "hosting", "dashboard.json"), "utf8")
).panels

const expressions = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.flatMap(({ targets }) => targets.map(({ expr }) => expr))
]

/** What Prometheus itself adds. */
const ofPrometheus = new Set(["up", "instance", "job"])

const metricsIn = (expr: string): ReadonlyArray<string> => expr.match(/\b(?:credsvc|process)_\w+|\bup\b/g) ?? []

const labelsIn = (expr: string): ReadonlyArray<string> => [
  ...[...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!),
  ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/))
]

/** What is wrong with an expression. */
const problemsOf = (expr: string, { samples }: Exposition): ReadonlyArray<string> => {
  const used = metricsIn(expr)
  const series = samples.filter(({ name }) => used.includes(name))
  return [
    ...used.filter((name) => !ofPrometheus.has(name) && !series.some((sample) => sample.name === name)),
    ...labelsIn(expr).filter((label) =>
      !ofPrometheus.has(label) && !series.some(({ labels }) => Object.hasOwn(labels, label))
    )
  ]
}

const withDaemon = testsWith(
  Effect.gen(function*() {
    const daemon = yield* startTestDaemon()
    const context = yield* Effect.context<never>()
    return { context, daemon }
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)

const exported = (daemon: TestDaemonShape) => Effect.map(daemon.request("/metrics"), ({ body }) => readExposition(body))

describe("The files for monitoring", () => {
  withDaemon.live("use metrics and labels that the daemon exports", function*({ context, daemon }) {
    yield* logIn(daemon, "sk-metrics-0123456789abcdefghij")
    refreshes.record(context, ["openai", "renewed"], 1)
    refreshDuration.record(context, ["openai"], 1)
    refreshesInProgress.record(context, [], 0)
    const exposition = yield* exported(daemon)
    assert.isAbove(expressions.length, 20)
    for (const expr of expressions) {
      assert.isNotEmpty(metricsIn(expr), expr)
      assert.deepStrictEqual(problemsOf(expr, exposition), [], expr)
    }
    // A renamed metric or label is found.
    assert.deepStrictEqual(problemsOf("credsvc_absent > 0", exposition), ["credsvc_absent"])
    assert.deepStrictEqual(problemsOf("sum by (nobody) (credsvc_requests_total)", exposition), ["nobody"])
    assert.strictEqual(exposition.value("credsvc_ready"), 1)
    assert.strictEqual(exposition.value("credsvc_last_backup_timestamp_seconds"), 0)
  })

  const hasPromtool = spawnSync("promtool", ["--version"]).status === 0
  if (!hasPromtool) console.warn("SKIPPED: the check of the alerts needs promtool, of Debian's package prometheus")

  /** The series of a healthy daemon, by name, in promtool's notation. */
  const healthy: Readonly<Record<string, string>> = {
    "up{job=\"credsvc\",instance=\"one\"}": "1x240",
    "credsvc_ready{job=\"credsvc\",instance=\"one\"}": "1x240",
    "credsvc_requests_total{instance=\"one\",status=\"200\"}": "0+100x240",
    "credsvc_requests_total{instance=\"one\",status=\"503\"}": "0+1x240",
    "credsvc_request_duration_seconds_bucket{instance=\"one\",route=\"/credentials/resolve\",le=\"0.5\"}": "0+100x240",
    "credsvc_request_duration_seconds_bucket{instance=\"one\",route=\"/credentials/resolve\",le=\"1\"}": "0+100x240",
    "credsvc_request_duration_seconds_bucket{instance=\"one\",route=\"/credentials/resolve\",le=\"+Inf\"}": "0+100x240",
    "credsvc_refreshes_total{provider=\"acme\",result=\"failed\"}": "1x240",
    "credsvc_refreshes_total{provider=\"acme\",result=\"unreachable\"}": "1x240",
    "credsvc_build_info{instance=\"one\",version=\"1\"}": "1x240",
    "credsvc_build_info{instance=\"two\",version=\"1\"}": "1x240",
    "process_start_time_seconds{job=\"credsvc\",instance=\"one\"}": "1x240",
    "process_resident_memory_bytes{job=\"credsvc\",instance=\"one\"}": "200000000x240",
    "credsvc_last_backup_timestamp_seconds{instance=\"one\"}": "0x240"
  }

  /** The alert that each change of the series raises, after four hours. */
  const changes: Readonly<Record<string, readonly [series: string, values: string]>> = {
    CredsvcDown: ["up{job=\"credsvc\",instance=\"one\"}", "0x240"],
    CredsvcNotReady: ["credsvc_ready{job=\"credsvc\",instance=\"one\"}", "0x240"],
    CredsvcErrors: ["credsvc_requests_total{instance=\"one\",status=\"503\"}", "0+20x240"],
    CredsvcSlow: [
      "credsvc_request_duration_seconds_bucket{instance=\"one\",route=\"/credentials/resolve\",le=\"0.5\"}",
      "0+50x240"
    ],
    CredsvcRefreshesFail: ["credsvc_refreshes_total{provider=\"acme\",result=\"failed\"}", "1+1x240"],
    CredsvcProviderUnreachable: ["credsvc_refreshes_total{provider=\"acme\",result=\"unreachable\"}", "1+1x240"],
    CredsvcVersionsDiffer: ["credsvc_build_info{instance=\"two\",version=\"2\"}", "1x240"],
    CredsvcRestarts: ["process_start_time_seconds{job=\"credsvc\",instance=\"one\"}", "1+600x240"],
    CredsvcMemory: ["process_resident_memory_bytes{job=\"credsvc\",instance=\"one\"}", "900000000x240"],
    CredsvcNoBackup: ["credsvc_last_backup_timestamp_seconds{instance=\"one\"}", "-200000x240"]
  }

  it.skipIf(!hasPromtool)("raise each alert for its reason only, and none for a healthy daemon", () => {
    assert.sameMembers(rules.map(({ alert }) => alert), Object.keys(changes))
    const scenario = (raised: string | undefined) => ({
      interval: "1m",
      name: raised ?? "healthy",
      input_series: Object.entries({
        ...healthy,
        ...raised === undefined ? {} : { [changes[raised]![0]]: changes[raised]![1] }
      })
        .map(([series, values]) => ({ series, values })),
      promql_expr_test: [{
        expr: "count by (alertname) (ALERTS{alertstate=\"firing\"})",
        eval_time: "4h",
        exp_samples: raised === undefined ? [] : [{ labels: `{alertname="${raised}"}`, value: 1 }]
      }]
    })
    const directory = testDirectory()
    const file = path.join(directory, "tests.yaml")
    const tests = [undefined, ...Object.keys(changes)].map(scenario)
    fs.writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests }))
    const { status, stderr, stdout } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" })
    assert.strictEqual(status, 0, stdout + stderr)
  })
})
