/** The telemetry of the built program, at a receiver that decodes it. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { live } from "../support/Fixture.ts"
import { startOtlpReceiver } from "../support/OtlpReceiver.ts"
import { demoHost, openSandbox, type RunOptions, type Sandbox } from "../support/Sandbox.ts"

const openQuietSandbox = Effect.acquireRelease(
  Effect.promise(() => openSandbox({ start: false })),
  (sandbox) => Effect.promise(() => sandbox.close())
)

const must = (sandbox: Sandbox, args: ReadonlyArray<string>, options?: RunOptions) =>
  Effect.map(Effect.promise(() => sandbox.credsvc(args, options)), (outcome) => {
    assert.strictEqual(outcome.code, 0, outcome.stderr)
    return outcome
  })

const request = (query: string) => [
  "run",
  "--",
  process.execPath,
  "-e",
  `fetch("https://${demoHost}/v1/whoami?q=${query}").then((r) => r.text()).then(() => {
    for (const name of Object.keys(process.env).filter((name) => name.startsWith("OTEL_"))) console.log(name)
  })`
]

const logsIn = (home: string): string =>
  fs.readdirSync(path.join(home, "server", "logs")).map((name) =>
    fs.readFileSync(path.join(home, "server", "logs", name), "utf8")
  ).join("")

describe("telemetry", () => {
  live("of the daemon and a run arrives without secrets, and the command gets no token for the receiver", function*() {
    const receiver = yield* startOtlpReceiver
    const sandbox = yield* openQuietSandbox
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20header-canary",
      OTEL_METRIC_EXPORT_INTERVAL: "200",
      OTEL_BSP_SCHEDULE_DELAY: "200",
      CREDSVC_LOG_FORMAT: "json"
    }
    yield* must(sandbox, ["daemon", "start", "--port", "0"], { env })
    yield* must(sandbox, ["register", "demo.json", "--yes"], { env })
    yield* must(sandbox, ["login", "demo", "--stdin"], { env, input: sandbox.key })
    const { stderr, stdout } = yield* must(sandbox, request("query-canary"), { env })
    assert.deepStrictEqual(
      stdout.trim().split("\n").toSorted(),
      Object.keys(env).filter((name) => name.startsWith("OTEL_") && !name.endsWith("HEADERS")).toSorted()
    )
    yield* must(sandbox, ["daemon", "stop"], { env })

    const of = (program: string) => receiver.received.filter(({ resource }) => resource["credsvc.program"] === program)
    const spansOf = (program: string) => of(program).flatMap(({ spans }) => spans)
    const metricsOf = (program: string) => new Set(of(program).flatMap(({ metrics }) => metrics))
    assert.includeMembers(spansOf("daemon").map(({ name }) => name), [
      "POST /auth/sessions",
      "FlowRunner.start",
      "POST /auth/sessions/:session_id/resume",
      "POST /credentials/resolve"
    ])
    assert.includeMembers([...metricsOf("daemon")], ["credsvc_logins_total", "credsvc_requests_total"])
    const injected = spansOf("run").find(({ name }) => name === "GET demo")!
    assert.strictEqual(injected.attributes["server.address"], demoHost)
    assert.strictEqual(injected.attributes["http.response.status_code"], 200)
    const asked = spansOf("run").find(({ name }) => name === "CredentialSource.resolve")!
    const resolved = spansOf("daemon").find(({ name }) => name === "POST /credentials/resolve")!
    assert.strictEqual(resolved.traceId, asked.traceId)
    assert.includeMembers([...metricsOf("run")], [
      "credsvc_proxy_injections_total",
      "credsvc_proxy_resolve_duration_seconds"
    ])

    const sessions = receiver.spans().filter(({ name }) => name.startsWith("POST /auth/sessions"))
    assert.isNotEmpty(sessions)
    const seen = receiver.received.map(({ text }) => text).join() + stdout + stderr + logsIn(sandbox.home)
    for (const secret of [sandbox.key, "header-canary", "query-canary", "whoami"]) assert.notInclude(seen, secret)
    assert.notMatch(seen, /auth\/sessions\/[A-Za-z0-9_-]{43}/)
    for (const { headers } of receiver.received) assert.strictEqual(headers.authorization, "Bearer header-canary")
  })

  live("with invalid settings prevents only daemon serve, not commands or a daemon that they start", function*() {
    const sandbox = yield* openQuietSandbox
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }
    const served = yield* Effect.promise(() => sandbox.credsvc(["daemon", "serve", "--port", "0"], { env }))
    assert.strictEqual(served.code, 2)
    assert.include(served.stderr, "invalid value for OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf or http/json")
    yield* must(sandbox, ["daemon", "start", "--port", "0"], { env })
    yield* must(sandbox, ["list"], { env })
    const ran = yield* must(sandbox, ["run", "--", "true"], { env })
    assert.include(ran.stderr, "telemetry is off for this run: invalid value for OTEL_EXPORTER_OTLP_PROTOCOL")
    const { stdout } = yield* must(sandbox, ["doctor", "--json"], { env })
    assert.include(stdout, "OTEL_EXPORTER_OTLP_PROTOCOL")
  })

  live("that cannot be sent is a warning of doctor, and a line in the daemon log", function*() {
    const sandbox = yield* openQuietSandbox
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }
    yield* must(sandbox, ["daemon", "start", "--port", "0"], { env })
    const { stderr, stdout } = yield* must(sandbox, ["doctor"])
    const reason = /http:\/\/127\.0\.0\.1:1 does not accept (?:traces|metrics): ECONNREFUSED/
    assert.match(stdout + stderr, new RegExp(`Telemetry is configured, but not sent: ${reason.source}\\.`))
    assert.match(logsIn(sandbox.home), new RegExp(`telemetry-not-accepted reason="${reason.source}"`))
  })

  live("is not loaded when it is off", function*() {
    const sandbox = yield* openQuietSandbox
    const loaded = path.join(sandbox.directory, "loaded")
    const hook = path.join(sandbox.directory, "hook.mjs")
    fs.writeFileSync(
      hook,
      `import * as fs from "node:fs"
      import { registerHooks } from "node:module"
      registerHooks({ load: (url, context, next) => {
        if (url.startsWith("file:")) fs.appendFileSync(${JSON.stringify(loaded)}, new URL(url).pathname + "\\n")
        return next(url, context)
      } })`
    )
    /** What the files that the program has loaded since the last call contain of the exporters. */
    const exporters = () => {
      const files = new Set(fs.readFileSync(loaded, "utf8").trim().split("\n"))
      fs.rmSync(loaded)
      assert.isAbove(files.size, 1)
      const code = [...files].map((file) => fs.readFileSync(file, "utf8")).join()
      return ["OTel-OTLP-Exporter", "telemetry.sdk.name", "# TYPE "].filter((text) => code.includes(text))
    }
    const env = { NODE_OPTIONS: `--import=${hook}` }
    const serve = Effect.fnUntraced(function*(more: Readonly<Record<string, string>>, metrics: boolean) {
      const child = sandbox.spawn(["daemon", "serve", "--port", "0"], { env: { ...env, ...more } })
      const url = yield* Effect.promise(() =>
        new Promise<string>((resolve) => child.stdout!.once("data", (text) => resolve(String(text).trim())))
      )
      yield* Effect.promise(() => fetch(`${url}/ready`).then((response) => response.text()))
      if (metrics) yield* Effect.promise(() => fetch(`${url}/metrics`).then((response) => response.text()))
      child.kill("SIGTERM")
      yield* Effect.promise(() => new Promise((resolve) => child.once("close", resolve)))
      return exporters()
    })
    assert.deepStrictEqual(yield* serve({}, false), [])
    assert.deepStrictEqual(yield* serve({}, true), ["# TYPE "])
    const receiver = yield* startOtlpReceiver
    const on = yield* serve({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }, false)
    assert.deepStrictEqual(on, ["OTel-OTLP-Exporter", "telemetry.sdk.name"])

    yield* must(sandbox, ["daemon", "start", "--port", "0"])
    yield* must(sandbox, ["run", "--", "true"], { env })
    assert.deepStrictEqual(exporters(), [])
    yield* must(sandbox, ["run", "--", "true"], { env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } })
    assert.deepStrictEqual(exporters(), ["OTel-OTLP-Exporter", "telemetry.sdk.name"])
  })
})
