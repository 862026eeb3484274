/**
 * `GET /metrics` in Prometheus' text format. The guard admits the same callers as for any read: programs of this user,
 * but not web pages. Commands inside a run are refused, because the metrics tell what other programs of the user do.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import { AuditLog } from "../audit/AuditLog.ts"
import { Connections } from "../connections/Connections.ts"
import type { ConnectionStatus } from "../domain/wire/Connection.ts"
import { version } from "../platform/process/Version.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { RunRegistry } from "../runs/RunRegistry.ts"
import { currentPeer } from "./http/CurrentCaller.ts"
import { Instance } from "./http/Instance.ts"
import { pages } from "./http/PageTable.ts"
import { refusalResponse } from "./http/ProblemResponses.ts"
import { Readiness } from "./Readiness.ts"

const insideRun = refusalResponse({
  status: 403,
  detail: "Commands inside credsvc run cannot read the daemon's metrics. Run this command outside of the run."
})

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

/**
 * Reads from the store, at most once a second: the connections of the active profile by status, whether the daemon is ready, and the
 * time of the last backup. Counts nothing while the store is unavailable.
 */
const storeState = Effect.gen(function*() {
  const audit = yield* AuditLog
  const connections = yield* Connections
  const profiles = yield* Profiles
  const readiness = yield* Readiness
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const state = { counts: {} as Partial<Record<ConnectionStatus, number>>, isReady: false, backedUp: 0 }
  const count = Effect.gen(function*() {
    const listed = yield* Effect.orElseSucceed(
      Effect.flatMap(profiles.active, (profile) => connections.list(profile)),
      () => []
    )
    state.counts = {}
    for (const { status } of listed) state.counts[status] = (state.counts[status] ?? 0) + 1
    state.isReady = (yield* readiness.report).status !== "unhealthy"
    const backups = Effect.orElseSucceed(audit.list({ event: "store-backup", status: "ok", limit: 1 }), () => [])
    const [last] = yield* backups
    if (last !== undefined) state.backedUp = DateTime.toEpochMillis(last.timestamp) / 1000
  })
  const recent = yield* Effect.cachedWithTTL(count, "1 second")
  /** Starts to read the state unless that was just done. Does not wait for the store. */
  const refresh = () => fork(recent)
  return {
    /** Waits for a new read, unless one has ended within the last second. */
    refreshed: Effect.suspend(() => Fiber.await(refresh())),
    /** Returns the last known state, and begins to read a newer one. */
    read: () => {
      refresh()
      return state
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

  yield* gauge("credsvc_build_info", "Always 1. The label names the version of the daemon.", () => 1, { version })
  yield* gauge("credsvc_runs", "Active commands of credsvc run.", runs.ownCount)
  const { read, refreshed } = yield* storeState
  yield* gauge(
    "credsvc_ready",
    "Whether the daemon can serve credentials, as /ready reports it: 1 or 0.",
    () => read().isReady ? 1 : 0
  )
  yield* gauge(
    "credsvc_last_backup_timestamp_seconds",
    "Time of the last backup of the store in seconds since the Unix epoch. 0 without a backup.",
    () => read().backedUp
  )
  for (const status of ["connected", "expired", "invalid"] as const) {
    yield* gauge(
      "credsvc_connections",
      "Connections of the active profile by status.",
      () => read().counts[status] ?? 0,
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
  return refreshed
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
