/**
 * Finds and stops the background daemon as a process, by its state file.
 *
 * A state file outlives a crash, and process ids are reused, so the process is verified before it gets a signal. On
 * Linux it must belong to this user, be a daemon of this program, have started before the file says that it listened,
 * and own the socket that listens on the file's port. On other systems the daemon has to respond on that port with the
 * file's instance.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { type DaemonState, readDaemonState } from "../../client/DaemonAddress.ts"
import type { HomePaths } from "../../config/Paths.ts"

const read = (file: string): string => {
  try {
    return fs.readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

const ticksPerSecond = 100

/** Returns when a process started, in seconds since the epoch, or undefined if it does not exist. */
const startedAt = (pid: number): number | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  // The name in the second field may contain spaces and parentheses.
  const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19])
  const boot = Number(/^btime (\d+)$/m.exec(read("/proc/stat"))?.[1])
  return stat === "" || Number.isNaN(ticks) || Number.isNaN(boot) ? undefined : boot + ticks / ticksPerSecond
}

/** The inodes of sockets that listen on a port, from /proc/net/tcp and /proc/net/tcp6. */
export const listeningInodes = (tables: string, port: number): ReadonlyArray<string> => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return tables.split("\n").flatMap((row) => {
    const columns = row.trim().split(/\s+/)
    return columns[1]?.endsWith(suffix) === true && columns[3] === "0A" ? [columns[9]!] : []
  })
}

const ownsListener = (pid: number, port: number): boolean => {
  const inodes = new Set(listeningInodes(read("/proc/net/tcp") + read("/proc/net/tcp6"), port))
  try {
    return fs.readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return inodes.has(/^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? "")
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}

/** Tolerates the different resolutions of the kernel's clock and the file's. */
const slack = 2
/** The longest time from a daemon's start until it listens. */
const longestStart = 300

const isOursOnLinux = (state: DaemonState): boolean => {
  const { pid, port } = state
  try {
    if (fs.statSync(`/proc/${pid}`).uid !== process.getuid?.()) return false
  } catch {
    return false
  }
  const argv = read(`/proc/${pid}/cmdline`).split("\0")
  const daemon = argv.indexOf("daemon")
  if (daemon === -1 || argv[daemon + 1] !== "serve") return false
  const began = startedAt(pid)
  const listened = DateTime.toEpochMillis(state.startedAt) / 1000
  if (began === undefined || began > listened + slack || began < listened - longestStart) return false
  return ownsListener(pid, port)
}

/** Treats a zombie as ended, although it can still be signaled. */
const isZombie = (pid: number): boolean => {
  const stat = read(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z")
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** The running daemon of this home, if any. `answers` requests the instance from the daemon at the file's address. */
export const findDaemon = <E, R>(
  paths: HomePaths,
  answers: (state: DaemonState) => Effect.Effect<boolean, E, R>
): Effect.Effect<Option.Option<DaemonState>, E, R> =>
  Effect.gen(function*() {
    const state = yield* readDaemonState(paths)
    if (Option.isNone(state) || state.value.pid <= 1 || !isAlive(state.value.pid)) return Option.none()
    const ours = process.platform === "linux" ? isOursOnLinux(state.value) : yield* answers(state.value)
    return ours ? state : Option.none()
  })

const gone = (pid: number, seconds: number) =>
  Effect.gen(function*() {
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
    // The process ended by itself in the meantime.
  }
}

/** Stops the daemon with SIGTERM, and kills it after ten seconds. Returns whether it had to be killed. */
export const stopProcess = (pid: number): Effect.Effect<{ readonly killed: boolean }> =>
  Effect.gen(function*() {
    signal(pid, "SIGTERM")
    if (yield* gone(pid, 10)) return { killed: false }
    signal(pid, "SIGKILL")
    yield* gone(pid, 5)
    return { killed: true }
  })
