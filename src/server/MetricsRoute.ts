/**
 * `GET /metrics` in Prometheus' text format.
 *
 * The guard admits its callers as it does those of every read: programs of this user, and no web page. Commands inside
 * a run are refused, because the metrics tell what other programs of the user do.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import { Connections } from "../connections/Connections.ts"
import type { ConnectionStatus } from "../domain/wire/Connection.ts"
import { version } from "../platform/process/Version.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { RunRegistry } from "../runs/RunRegistry.ts"
import { currentPeer } from "./http/CurrentCaller.ts"
import { Instance } from "./http/Instance.ts"
import { pages } from "./http/PageTable.ts"
import { refusalResponse } from "./http/Refusals.ts"

const insideRun = refusalResponse({
  status: 403,
  detail: "Commands inside credsvc run cannot read the daemon's metrics. Run this command outside of the run."
})

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

const countMillis = 1000

/** Counts the connections of the active profile by status, at most once a second. Counts nothing while the store is unavailable. */
const connectionCounts = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let counts: Partial<Record<ConnectionStatus, number>> = {}
  const count = Effect.flatMap(profiles.active, (profile) => connections.list(profile)).pipe(
    Effect.orElseSucceed(() => []),
    Effect.map((listed) => {
      counts = {}
      for (const { status } of listed) counts[status] = (counts[status] ?? 0) + 1
    })
  )
  let counted = fork(Effect.void)
  let countedAt = -Infinity
  /** Starts to count unless it has just been done. The store may respond later. */
  const refresh = () => {
    if (performance.now() - countedAt >= countMillis) {
      countedAt = performance.now()
      counted = fork(count)
    }
    return counted
  }
  return {
    /** The counts as they are when it completes. */
    refreshed: Effect.suspend(() => Fiber.await(refresh())),
    /** The last known counts. An exporter that reads them later gets newer ones. */
    read: () => {
      refresh()
      return counts
    }
  }
})

/** Registers metrics whose values are read on demand, until the scope closes. */
const registerGauges = Effect.gen(function*() {
  const context = yield* Effect.context<never>()
  const { startedAt } = yield* Instance
  const runs = yield* RunRegistry
  const register = <State>(metric: Metric.Metric<number, State>, state: () => State) =>
    Effect.acquireRelease(
      Effect.sync(() => Metric.registerUnsafe(metric, context, { get: state, update: () => {}, modify: () => {} })),
      (registration) => Effect.sync(registration.remove)
    )
  const gauge = (
    name: string,
    description: string,
    read: () => number,
    attributes: Readonly<Record<string, string>> = {}
  ) => register(Metric.gauge(name, { description, attributes }), () => ({ value: read() }))

  yield* gauge("credsvc_build_info", "The version of the daemon, as a label. Always 1.", () => 1, { version })
  yield* gauge("credsvc_runs", "Commands that run with credsvc run.", runs.ownCount)
  const counts = yield* connectionCounts
  for (const status of ["connected", "expired", "invalid"] as const) {
    yield* gauge(
      "credsvc_connections",
      "Connections of the active profile by status.",
      () => counts.read()[status] ?? 0,
      { status }
    )
  }
  yield* gauge(
    "process_start_time_seconds",
    "Start time of the daemon in seconds since the Unix epoch.",
    () => startedAt / 1000
  )
  yield* gauge(
    "process_resident_memory_bytes",
    "Resident memory of the daemon in bytes.",
    () => process.memoryUsage.rss()
  )
  yield* register(
    Metric.counter("process_cpu_seconds_total", {
      description: "User and system CPU time of the daemon in seconds.",
      incremental: true
    }),
    () => ({ count: cpuSeconds(), incremental: true })
  )
  return counts.refreshed
})

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const counted = yield* registerGauges
  const runs = yield* RunRegistry
  const metrics = Effect.gen(function*() {
    if (yield* Effect.flatMap(currentPeer, runs.isInside)) return insideRun
    yield* counted
    const { contentType, exposition } = yield* Effect.promise(() => import("../telemetry/Prometheus.ts"))
    return HttpServerResponse.text(exposition(yield* Effect.context<never>()), { contentType })
  })
  yield* router.add(pages.metrics.method, pages.metrics.path, metrics)
}))
