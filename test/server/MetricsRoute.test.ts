import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { builtins } from "../../src/platform/builtins.ts"
import { version } from "../../src/platform/process/Version.ts"
import { readExposition } from "../support/Exposition.ts"
import { live, testsWith } from "../support/Fixture.ts"
import { canBeOthers, curl, runAsOther } from "../support/OtherUser.ts"
import { publicHost, startExposedDaemon } from "../support/RemoteCaller.ts"
import { logIn, type RequestOptions, startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"

const withDaemon = testsWith(Effect.provideService(startTestDaemon(), Metric.MetricRegistry, new Map()))

const read = (daemon: TestDaemonShape) =>
  Effect.map(daemon.request("/metrics"), ({ body, headers, status }) => {
    assert.strictEqual(status, 200, body)
    assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
    return readExposition(body)
  })

const token = "CANARY-metrics-0123456789-abcdefghij"
const bearer = `Bearer ${token}`
const metricsToken = Option.some(Redacted.make(token))
const serverBaseUrl = Option.some(new URL(`https://${publicHost}/team`))

const withScrapers = testsWith(Effect.provideService(
  startTestDaemon({ settings: { metricsToken, serverBaseUrl } }),
  Metric.MetricRegistry,
  new Map()
))

/** Sends a request like a scraper: on a connection of its own, which proves nothing. */
const scrape = (
  daemon: TestDaemonShape,
  authorization: string | ReadonlyArray<string>,
  { headers, method, target = "/metrics" }: RequestOptions & { readonly target?: string } = {}
) =>
  daemon.request(target, {
    agent: new builtins.http.Agent(),
    headers: { host: publicHost, authorization, ...headers },
    ...(method === undefined ? {} : { method })
  })

const key = "sk-metrics-0123456789abcdefghij"

describe("GET /metrics", () => {
  withDaemon.live("counts requests by method, route and status, and logins by their result", function*(daemon) {
    yield* logIn(daemon, key)
    yield* daemon.request("/connections/openai/default")
    yield* daemon.request("/connections/openai/absent?reveal=true")
    yield* daemon.request("/nowhere")
    yield* daemon.request("/connections", { method: "PATCH" })
    yield* daemon.request("/health", { headers: { "sec-fetch-site": "cross-site" } })
    const { value } = yield* read(daemon)
    const count = (method: string, route: string, status: string) =>
      value("credsvc_requests_total", { method, route, status })
    const connection = "/connections/:provider/:connection"
    assert.strictEqual(count("GET", connection, "200"), 1)
    assert.strictEqual(count("GET", connection, "404"), 1)
    assert.strictEqual(count("GET", "none", "404"), 1)
    assert.strictEqual(count("GET", "none", "403"), 1, "a request that the guard refuses")
    assert.strictEqual(count("PATCH", "none", "405"), 1)
    assert.strictEqual(count("POST", "/auth/sessions/:session_id/resume", "200"), 1)
    assert.strictEqual(value("credsvc_request_duration_seconds_count", { route: connection }), 2)
    assert.strictEqual(value("credsvc_logins_total", { flow: "api_key", result: "completed" }), 1)
    assert.strictEqual(value("credsvc_requests_in_progress"), 1, "this request")
    assert.strictEqual(value("credsvc_build_info", { version }), 1)
    assert.strictEqual(value("credsvc_runs"), 0)
    assert.strictEqual(value("credsvc_connections", { status: "connected" }), 1)
    assert.strictEqual(value("credsvc_connections", { status: "expired" }), 0)
  })

  withDaemon.live("follows the naming conventions of Prometheus and OpenMetrics", function*(daemon) {
    yield* logIn(daemon, key)
    const { help, samples, types } = yield* read(daemon)
    assert.deepStrictEqual([...help.keys()].toSorted(), [...types.keys()].toSorted())
    for (const [name, type] of types) {
      assert.match(name, /^(?:credsvc|process)_[a-z_]+$/)
      assert.match(help.get(name)!, /^[A-Z].*\.$/, name)
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
      if (type === "histogram") assert.match(name, /_seconds$/)
      assert.notMatch(name, /(?:milliseconds|_ms|_kb|_count|_sum|_bucket)(?:_|$)/)
    }
    for (const { labels, name } of samples) {
      const family = name.replace(/_(?:bucket|sum|count)$/, "")
      assert.isTrue(types.has(name) || types.get(family) === "histogram", name)
      assert.notProperty(labels, "unit")
    }
    const buckets = samples.filter(({ labels, name }) =>
      name === "credsvc_request_duration_seconds_bucket" && labels["route"] === "/auth/sessions"
    )
    assert.strictEqual(buckets.at(-1)?.labels["le"], "+Inf")
    assert.deepStrictEqual(buckets.map(({ value }) => value), buckets.map(({ value }) => value).toSorted())
  })

  live("omits other metrics in the registry of an embedding program", function*() {
    const registry: Metric.MetricRegistry = new Map()
    const embedded = yield* Effect.gen(function*() {
      yield* Metric.update(Metric.counter("acme_orders_total", { description: "Orders." }), 1)
      return yield* startTestDaemon()
    }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
    const { types } = yield* read(embedded)
    assert.isTrue(types.has("credsvc_build_info"))
    assert.isFalse(types.has("acme_orders_total"))
    const ids = [...registry.values()].map(({ id }) => id)
    assert.includeMembers(ids, ["acme_orders_total", "credsvc_requests_total"])
  })

  withDaemon.live("refuses web pages of other sites and commands inside a run", function*(daemon) {
    const foreign = yield* daemon.request("/metrics", { headers: { origin: "https://evil.example" } })
    assert.strictEqual(foreign.status, 403)
    const script = `fetch("${daemon.url}/metrics").then((r) => r.text()).then((text) => process.stdout.write(text))`
    const inside = (mark: Readonly<Record<string, string>>) =>
      Effect.sync(() =>
        builtins.childProcess.spawn(process.execPath, ["-e", script], {
          env: { PATH: process.env["PATH"], ...mark },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ).pipe(Effect.flatMap((child) =>
        Effect.promise(async () => {
          let text = ""
          for await (const chunk of child.stdout) text += String(chunk)
          return text
        })
      ))
    assert.include(yield* inside({}), "# TYPE credsvc_requests_total counter")
    const refused = yield* inside({ CREDSVC_RUN: "unregistered" })
    assert.include(refused, "Commands inside credsvc run cannot read the daemon's metrics.")
    assert.notInclude(refused, "credsvc_requests_total")
  })
})

describe("GET /metrics of a daemon that others can reach", () => {
  withScrapers.live("admits a scraper with the token, under any address of the daemon", function*(daemon) {
    for (const host of [publicHost, `${publicHost}:443`, "10.0.0.7:7998", `127.0.0.1:${daemon.port}`]) {
      const { body, status } = yield* scrape(daemon, bearer, { headers: { host } })
      assert.strictEqual(status, 200, host)
      assert.include(body, "# TYPE credsvc_build_info gauge")
    }
    assert.strictEqual((yield* scrape(daemon, bearer, { target: "/team/metrics" })).status, 200, "with the mount path")
    const head = yield* scrape(daemon, `bearer ${token}`, { method: "HEAD" })
    assert.deepStrictEqual([head.status, head.body], [200, ""])
  })

  withScrapers.live("accepts the token for nothing else, and no other token", function*(daemon) {
    const targets = [
      "/connections",
      "/providers",
      "/ui/",
      "/docs",
      "/openapi.json",
      "/metrics/",
      "/metrics?a=b",
      "//metrics"
    ]
    for (const target of [...targets, "/METRICS", "/%6detrics"]) {
      assert.strictEqual((yield* scrape(daemon, bearer, { target })).status, 401, target)
    }
    for (const method of ["POST", "DELETE"]) {
      assert.strictEqual((yield* scrape(daemon, bearer, { method })).status, 401, method)
    }
    const others = [`${bearer}x`, bearer.slice(0, -1), "Bearer ", "Bearer", "", token, `Basic ${token}`, [
      bearer,
      bearer
    ]]
    for (const other of others) {
      const refused = yield* scrape(daemon, other)
      assert.strictEqual(refused.status, 401, String(other))
      assert.notInclude(refused.body, "credsvc_requests_total")
    }
    const elsewhere = { host: "10.0.0.7:7998" }
    assert.strictEqual((yield* scrape(daemon, `${bearer}x`, { headers: elsewhere })).status, 403, "another host")
    assert.strictEqual((yield* scrape(daemon, bearer, { headers: elsewhere, target: "/health" })).status, 403)
    const page = { ...elsewhere, origin: "http://10.0.0.7:7998", "sec-fetch-site": "same-origin" }
    assert.strictEqual((yield* scrape(daemon, bearer, { headers: page })).status, 403, "a web page")
    const { value } = readExposition((yield* scrape(daemon, bearer)).body)
    const refused = { method: "GET", route: "/metrics", status: "401" }
    assert.isAtLeast(value("credsvc_requests_total", refused) ?? 0, others.length, "counted like other refusals")
  })

  testsWith(startExposedDaemon).live("accepts no token without CREDSVC_METRICS_TOKEN", function*(daemon) {
    for (const authorization of [bearer, "Bearer ", "Bearer undefined"]) {
      assert.strictEqual((yield* scrape(daemon, authorization)).status, 401, authorization)
    }
  })

  if (canBeOthers) {
    live("gives another user no access to a port that only the daemon's user can reach", function*() {
      const refused = yield* startTestDaemon({ settings: { metricsToken } })
      const get = ({ url }: TestDaemonShape) =>
        Effect.map(runAsOther(curl("-i", "-H", `Authorization: ${bearer}`, `${url}/metrics`)), ({ stdout }) => stdout)
      assert.notInclude(yield* get(refused), "HTTP/1.1 200")
      assert.match(yield* get(yield* startTestDaemon({ settings: { metricsToken, serverBaseUrl } })), /^HTTP\/1.1 200 /)
    })
  }
})
