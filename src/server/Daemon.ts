/** The daemon process. Only this module changes the umask, rejects debuggers and handles signals. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type StartMessage } from "../config/daemon/DaemonState.ts"
import { withPipedMasterKey } from "../config/daemon/PipedMasterKey.ts"
import { Paths } from "../config/Paths.ts"
import { isInsideRun } from "../config/RunMark.ts"
import { Settings } from "../config/Settings.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { disableCoreFiles } from "../platform/process/CoreFiles.ts"
import { returnMemoryWhenIdle } from "../platform/process/IdleMemory.ts"
import { prepareCompilers } from "../platform/process/V8Flags.ts"
import { isLoopback } from "../platform/sockets/IpAddress.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { type HomeLockedError } from "../store/HomeLock.ts"
import { formatLine } from "../telemetry/DaemonLog.ts"
import { ExportState } from "../telemetry/ExportState.ts"
import { sharedRegistry } from "../telemetry/Metrics.ts"
import { logFormat, type Running, start } from "./DaemonServer.ts"
import { exposureWarning } from "./DaemonSite.ts"
import type { FrontSocket } from "./http/FrontSocket.ts"
import { type RestoreOptions, restoreStore } from "./StoreRestore.ts"

export * from "./DaemonServer.ts"

/**
 * Rejects a debugger, which can read every secret in memory and has an unauthenticated port. Embedded daemons allow it,
 * because developers debug their own process.
 */
const refuseInspector = Effect.suspend(() =>
  builtins.inspector.url() === undefined
    ? Effect.void
    : Effect.fail(OperationNotAllowedError.of(
      "The daemon does not run under a debugger: anyone who can connect to the debugger's port could read every secret."
    ))
)

/** Rejects settings with which a command inside a run could expose the daemon to others, or learn about other programs. */
const refuseExposureInRun = Effect.fnUntraced(function*(host: string, inBackground: boolean) {
  if (!isInsideRun()) return
  const { allowAnyPeer, databaseUrl, databaseUrlFile, serverBaseUrl, telemetry } = yield* Settings
  const refused = allowAnyPeer
    ? "CREDSVC_ALLOW_ANY_PEER"
    : Option.isSome(serverBaseUrl)
    ? "CREDSVC_SERVER_BASE_URL"
    : Option.isSome(databaseUrl) || Option.isSome(databaseUrlFile)
    ? "CREDSVC_DATABASE_URL"
    : !isLoopback(host)
    ? `--host ${host}`
    // Telemetry variables are usually meant for other programs of the run. A background daemon ignores them.
    : Option.isSome(telemetry) && !inBackground
    ? "OTEL_EXPORTER_OTLP_ENDPOINT"
    : undefined
  if (refused !== undefined) {
    return yield* OperationNotAllowedError.of(
      `A daemon that is started inside a run must not use ${refused}. Start it outside of the run.`
    )
  }
})

const signals: ReadonlyArray<NodeJS.Signals> = ["SIGTERM", "SIGINT", "SIGHUP"]

const untilSignalled = Effect.callback<NodeJS.Signals>((resume) => {
  const onSignal = (signal: NodeJS.Signals) => resume(Effect.succeed(signal))
  for (const signal of signals) process.on(signal, onSignal)
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, onSignal)
  })
})

const tellParent = (message: StartMessage): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (process.send === undefined || !process.connected) return resume(Effect.void)
    process.send(message, () => {
      if (process.connected) process.disconnect()
      resume(Effect.void)
    })
  })

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly front?: FrontSocket | undefined
  /**
   * How long the daemon still serves after SIGTERM while `/ready` fails, unless a second signal arrives. Requests in progress may
   * then take this long again.
   */
  readonly drainSeconds?: number | undefined
  /** Called once the daemon listens. In the background, the parent process is notified instead. */
  readonly onReady?: (running: Running) => void
}

/**
 * The services that a daemon process builds from its environment variables. The daemon's own bundle reads them: another
 * copy of Effect cannot open a secret that the command line's copy has read.
 */
const environment = Layer.merge(Paths.layerNoDeps, PeerOwner.layer).pipe(
  Layer.provideMerge(
    Layer.effect(Settings, Effect.map(Settings, (settings) => withPipedMasterKey(settings, process.env))).pipe(
      Layer.provide(Settings.layer)
    )
  )
)

/** How long the export of telemetry may delay the end of the daemon. */
const flushMillis = 2000

/**
 * Exports telemetry if a receiver is configured. Invalid settings do not stop a background daemon, because they are
 * usually meant for other programs.
 */
const telemetry = (inBackground: boolean) =>
  Layer.unwrap(Effect.gen(function*() {
    const { telemetry } = yield* Settings
    if (Option.isNone(telemetry) || isInsideRun()) return Layer.empty
    const { layerOtlp } = yield* Effect.promise(() => import("../telemetry/Otlp.ts"))
    const exported = layerOtlp(Redacted.value(telemetry.value), { program: "daemon", flushMillis }).pipe(
      Layer.provide(sharedRegistry)
    )
    return inBackground
      ? Layer.catch(exported, ({ message }) =>
        Layer.succeed(ExportState, {
          check: Effect.succeed(message),
          listen: (listener) => listener(message)
        }))
      : exported
  }))

/** Restores the store of the home that the environment selects. */
export const restore = (options: RestoreOptions) =>
  isInsideRun()
    ? Effect.fail(
      OperationNotAllowedError.of("The store cannot be restored from inside a run. Run this command outside of it.")
    )
    : Effect.provide(restoreStore(options), environment)

/** Runs the process of `credsvc daemon serve`. Exits cleanly on SIGTERM, SIGINT and SIGHUP. */
export const serve = Effect.fnUntraced(
  function*(options: ServeOptions) {
    yield* SecureFiles.setPrivateUmask
    yield* refuseInspector
    disableCoreFiles()
    const inBackground = process.send !== undefined
    const format = yield* logFormat
    const { tlsCertFile } = yield* Settings
    const exposure = exposureWarning(options.host, Option.isSome(tlsCertFile))
    if (exposure !== undefined) {
      process.stderr.write(
        inBackground || format === "json"
          ? `${formatLine(format, "warning", "log", { message: exposure })}\n`
          : `warning: ${exposure}\n`
      )
    }
    const onWaiting = ({ pid }: HomeLockedError) =>
      void process.stderr.write(
        `${formatLine(format, "info", "waiting-for-stopping-daemon", pid === undefined ? {} : { pid })}\n`
      )
    const running = yield* refuseExposureInRun(options.host, inBackground).pipe(
      Effect.andThen(Layer.build(telemetry(inBackground))),
      Effect.flatMap((exported) =>
        Effect.provideContext(start({ ...options, echo: !inBackground, onWaiting }), exported)
      ),
      Effect.tapError((error) => tellParent({ ready: false, message: error.message }))
    )
    yield* tellParent({ ready: true, url: running.url })
    yield* returnMemoryWhenIdle
    prepareCompilers()
    if (!inBackground) options.onReady?.(running)
    const signal = yield* Effect.raceFirst(untilSignalled, running.outdated)
    if (signal === "SIGTERM" && options.drainSeconds !== undefined) {
      running.beginStopping()
      yield* Effect.raceFirst(Effect.sleep(options.drainSeconds * 1000), untilSignalled)
    }
  },
  Effect.scoped,
  Effect.provide(environment)
)
