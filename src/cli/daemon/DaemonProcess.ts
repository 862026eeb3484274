/**
 * Finds and stops the background daemon as a process, by its state file.
 *
 * A state file outlives a crash, and process IDs are reused, so the process is verified before it gets a signal. On
 * Linux it must belong to this user, be a daemon of this program, have started before the file says that it listened,
 * and own the socket that listens on the file's port. On other systems the daemon has to respond on that port with the
 * file's instance.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readDaemonState } from "../../client/DaemonAddress.ts"
import type { DaemonState } from "../../config/daemon/DaemonState.ts"
import type { HomePaths } from "../../config/Paths.ts"
import { isAlive } from "../../platform/process/ProcessIdentity.ts"
import * as ProcFs from "../../platform/process/ProcFs.ts"
import { listeningInodes, readSocketTables } from "../../platform/sockets/SocketTables.ts"

const ownsListener = async (pid: number, port: number): Promise<boolean> => {
  const inodes = listeningInodes(await readSocketTables(), port)
  return (await ProcFs.openSockets(pid)).some((inode) => inodes.includes(inode))
}

/** The tolerance in seconds for the different resolutions of the times of the kernel and of the state file. */
const slack = 2
const longestStart = 300

const isOursOnLinux = async (state: DaemonState): Promise<boolean> => {
  const { pid, port } = state
  if (ProcFs.uid(pid) !== process.getuid?.()) return false
  const argv = ProcFs.commandLine(pid)
  const daemon = argv.indexOf("daemon")
  if (daemon === -1 || argv[daemon + 1] !== "serve") return false
  const began = ProcFs.startedAt(pid)
  const listened = Date.parse(state.started_at) / 1000
  if (began === undefined || began > listened + slack || began < listened - longestStart) return false
  return ownsListener(pid, port)
}

/** The running daemon of this home, if any. `answers` tells whether the daemon at the file's address has the file's instance. */
export const findDaemon = Effect.fnUntraced(function*<E, R>(
  paths: HomePaths,
  answers: (state: DaemonState) => Effect.Effect<boolean, E, R>
) {
  const state = yield* readDaemonState(paths)
  if (Option.isNone(state) || state.value.pid <= 1 || !isAlive(state.value.pid)) return Option.none<DaemonState>()
  const isOurs = process.platform === "linux"
    ? yield* Effect.promise(() => isOursOnLinux(state.value))
    : yield* answers(state.value)
  return isOurs ? state : Option.none<DaemonState>()
})

const waitForExit = Effect.fnUntraced(function*(pid: number, seconds: number) {
  for (let waited = 0; waited < seconds * 20; waited++) {
    if (!isAlive(pid)) return true
    yield* Effect.sleep("50 millis")
  }
  return !isAlive(pid)
})

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
  }
}

/** Stops the daemon with SIGTERM, and kills it after ten seconds. Returns whether it had to be killed. */
export const stopProcess = Effect.fnUntraced(function*(pid: number) {
  signal(pid, "SIGTERM")
  if (yield* waitForExit(pid, 10)) return { killed: false }
  signal(pid, "SIGKILL")
  yield* waitForExit(pid, 5)
  return { killed: true }
})
