/** Starts, stops and describes the background daemon. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Serving } from "../../client/Autostart.ts"
import { defaultHost, defaultPort, readDaemonState } from "../../client/DaemonAddress.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { DaemonState } from "../../config/daemon/DaemonState.ts"
import { baseUrlText } from "../../config/daemon/DaemonUrl.ts"
import { ConfigFile } from "../../config/file/ConfigFile.ts"
import { Paths } from "../../config/Paths.ts"
import { isInsideRun } from "../../config/RunMark.ts"
import { Settings } from "../../config/Settings.ts"
import { DaemonUnavailableError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { ExitCode } from "../../domain/ExitCode.ts"
import { PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon, startDaemon } from "../daemon/DaemonAccess.ts"
import { findDaemon, stopProcess } from "../daemon/DaemonProcess.ts"
import { showLines } from "../output/LastLines.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import type { StartInput } from "../tree/CommandInputs.ts"

const find = Effect.flatMap(Paths, (paths) =>
  findDaemon(paths, ({ instance }) =>
    Effect.match(call("system.health"), {
      onFailure: () => false,
      onSuccess: (health) => health.instance === instance
    })))

/** Fails if the settings are invalid: a daemon would start with them, but fail every request. */
const checkSettings = Effect.gen(function*() {
  yield* (yield* ConfigFile).read
}).pipe(Effect.provide(ConfigFile.layerNoDeps))

const launch = Effect.fnUntraced(function*(serving: Serving) {
  const context = { settings: yield* Settings, paths: yield* Paths, peerOwner: yield* PeerOwner }
  return yield* startDaemon(context, serving)
})

const tellStarted = Effect.fnUntraced(function*(what: "started" | "running" | "restarted", url: string) {
  const output = yield* Output
  const state = yield* find
  if (what !== "running" && Option.isNone(state)) {
    const { daemonLog } = yield* Paths
    return yield* new DaemonUnavailableError({
      url,
      detail: `The daemon exited right after its start. Its log is ${daemonLog}`
    })
  }
  const pid = Option.isSome(state) ? state.value.pid : null
  yield* output.either(() => ({ status: what, url, pid }), () => url)
  yield* output.note(
    `The daemon ${what === "running" ? "was already running" : `has been ${what}`}${
      pid === null ? "" : ` (process ${pid})`
    }.`
  )
})

export const startDaemonProcess = Effect.fnUntraced(function*(address: StartInput) {
  yield* checkSettings
  const { started, url } = yield* launch(address)
  yield* tellStarted(started ? "started" : "running", url)
}, provideDaemon({ start: false }))

/** Refuses commands inside a run, because the limits of a run apply only while its daemon is running. */
const refuseInRun = Effect.fnUntraced(function*(done: "stopped" | "restarted") {
  const isCallerInside = call("runs.list").pipe(
    Effect.map(({ caller_inside }) => caller_inside),
    Effect.timeout("2 seconds"),
    Effect.orElseSucceed(() => false)
  )
  if (isInsideRun() || (yield* isCallerInside)) {
    return yield* OperationNotAllowedError.of(
      `The daemon cannot be ${done} from inside a run. Run this command outside of the run.`
    )
  }
})

export const stopDaemon = Effect.fnUntraced(function*() {
  yield* refuseInRun("stopped")
  const output = yield* Output
  const state = yield* find
  if (Option.isNone(state)) {
    if (output.json) return yield* output.document({ status: "not_running", pid: null })
    return yield* output.note("The daemon was not running.")
  }
  const { pid } = state.value
  const { killed } = yield* stopProcess(pid)
  if (output.json) return yield* output.document({ status: "stopped", pid })
  yield* output.note(
    killed ? `The daemon (process ${pid}) did not stop in time and was killed.` : `Stopped the daemon (process ${pid}).`
  )
}, provideDaemon({ start: false }))

/** Restarts the daemon with its address and log format. If none is running, starts one on the default address. */
export const restartDaemon = Effect.fnUntraced(function*() {
  yield* checkSettings
  yield* refuseInRun("restarted")
  const state = yield* find
  if (Option.isSome(state)) yield* stopProcess(state.value.pid)
  const { url } = yield* launch(Option.getOrElse(state, (): Serving => ({ host: defaultHost, port: defaultPort })))
  yield* tellStarted(Option.isSome(state) ? "restarted" : "started", url)
}, provideDaemon({ start: false }))

/** Describes the daemon that clients would call. Properties of the local process are null for a remote daemon. */
export const daemonStatus = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const paths = yield* Paths
  const { explicit, url } = yield* client.address
  const written = yield* readDaemonState(paths)
  // Without a state file, a daemon that responds at the default address belongs to another home.
  const health = explicit || Option.isSome(written)
    ? yield* Effect.option(call("system.health"))
    : Option.none()
  const isOfThisHome = !explicit ||
    (Option.isSome(health) && Option.isSome(written) && health.value.instance === written.value.instance)
  const state = isOfThisHome ? yield* find : Option.none<DaemonState>()
  yield* output.document({
    running: Option.isSome(health),
    health: Option.getOrNull(health),
    pid: Option.getOrNull(state)?.pid ?? null,
    pid_file: isOfThisHome ? paths.daemonPid : null,
    log_file: isOfThisHome ? paths.daemonLog : null,
    url: baseUrlText(url)
  })
  if (Option.isNone(health)) return yield* Effect.fail(new Exited(ExitCode.daemonUnavailable))
}, provideDaemon({ start: false }))

export const daemonLogs = Effect.fnUntraced(function*(input: { readonly lines: number }) {
  const { daemonLog } = yield* Paths
  const isEmpty = yield* showLines(daemonLog, input.lines)
  if (isEmpty) yield* (yield* Output).note(`The log ${daemonLog} is empty.`)
})
