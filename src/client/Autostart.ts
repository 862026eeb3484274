/**
 * Starts this home's daemon in the background.
 *
 * When several clients find no daemon at the same time, only one starts it. They queue for a lock that the operating system
 * releases when its holder dies, and each looks for a daemon again before starting one. The daemon gets a clean environment, so
 * it does not keep the proxy, certificates or debugger settings of the client that started it. The master key is never in its
 * environment: it goes through a pipe.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as path from "node:path"
import { findAccessKey } from "../config/daemon/AccessKey.ts"
import type { StartMessage } from "../config/daemon/DaemonState.ts"
import { baseUrlText } from "../config/daemon/DaemonUrl.ts"
import { masterKeyDescriptorVariable } from "../config/daemon/PipedMasterKey.ts"
import type { HomePaths } from "../config/Paths.ts"
import { containMark, runMark } from "../config/RunMark.ts"
import type { SettingsShape } from "../config/Settings.ts"
import type { DaemonUnavailableError } from "../domain/Errors.ts"
import { unavailable } from "../domain/FailWith.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { withoutCoreFiles } from "../platform/process/CoreFiles.ts"
import { ownArguments } from "../platform/process/OwnProgram.ts"
import type { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { locateDaemon, readDaemonState } from "./DaemonAddress.ts"
import { openDaemonConnection } from "./DaemonConnection.ts"

/** Where a daemon listens: the flags of `daemon serve` that a restart keeps. */
export interface Serving {
  readonly host: string
  readonly port: number
}

export interface StartContext {
  readonly settings: Pick<SettingsShape, "daemonUrl" | "masterKey">
  readonly paths: HomePaths
  readonly peerOwner: PeerOwner["Service"]
}

const masterKeyDescriptor = 4

const userVariables = new Set(["HOME", "PATH", "LANG", "TMPDIR", "TZ", "USER", "LOGNAME", "DBUS_SESSION_BUS_ADDRESS"])
const inheritedPrefixes = ["LC_", "XDG_", "OTEL_"]
const ownVariables = new Set([
  ...("CREDSVC_HOME CREDSVC_SERVER_BASE_URL CREDSVC_MASTER_KEY_MODE CREDSVC_MASTER_KEY_FILE CREDSVC_DATABASE_URL " +
    "CREDSVC_DATABASE_URL_FILE CREDSVC_TLS_CERT_FILE CREDSVC_TLS_KEY_FILE CREDSVC_ALLOW_ANY_PEER CREDSVC_METRICS_TOKEN " +
    "CREDSVC_LOG_FORMAT").split(" "),
  // Tells a daemon that it is started inside a run, where it rejects some of these settings.
  runMark
])
const ofWindows = new Set(["SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP", "PATHEXT", "COMSPEC"])

const isInherited = (name: string): boolean =>
  userVariables.has(name) || ownVariables.has(name) ||
  inheritedPrefixes.some((prefix) => name.startsWith(prefix)) ||
  (process.platform === "win32" && ofWindows.has(name.toUpperCase()))

export const daemonEnvironment = (environment: NodeJS.ProcessEnv, home: string): Record<string, string> => {
  const kept = Object.entries(environment).filter((entry): entry is [string, string] =>
    entry[1] !== undefined && isInherited(entry[0])
  )
  // Relative paths become absolute, because the daemon works in another directory.
  const files = [...ownVariables].filter((name) => name.endsWith("_FILE")).flatMap((name) => {
    const file = environment[name]
    return file === undefined || file === "" ? [] : [[name, path.resolve(file)]]
  })
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(files),
    // glibc returns freed blocks of at least this size to the system immediately, so those of V8's compiler do not stay resident
    // (docs/decisions/0043-memory-of-the-daemon.md).
    ...(process.platform === "linux" ? { MALLOC_MMAP_THRESHOLD_: "32768" } : {}),
    CREDSVC_HOME: home
  }
}

const startTimeout = 20_000
const sqliteBusy = 5

const notStarted = (paths: HomePaths, detail: string) => unavailable(`${detail} Its log is ${paths.daemonLog}`)

const longestReason = 300

/** The daemon's last output, such as Node's reason for a crash, on one line and without control characters. */
const lastLineSince = (file: string, offset: number): string | undefined => {
  try {
    const text = fs.readFileSync(file).subarray(offset).toString("utf8")
    return text.split("\n").map((line) => line.replace(/\p{Cc}/gu, "").trim()).findLast((line) => line !== "")
      ?.slice(0, longestReason).replace(/\.$/, "")
  } catch {
    return undefined
  }
}

/**
 * The Node options for the daemon: no debugger, and no environment variables in crash reports.
 *
 * The young generation is large, because most objects of a start survive, and each collection would copy them.
 */
export const nodeOptions: ReadonlyArray<string> = [
  "--disable-sigusr1",
  "--report-exclude-env",
  "--min-semi-space-size=4",
  "--max-semi-space-size=4"
]

/** Starts the process. Closes `log`, the descriptor for its output. */
const launch = (
  context: StartContext,
  entry: string,
  serving: Serving | undefined,
  log: number
): Effect.Effect<{ readonly url: string }, DaemonUnavailableError> =>
  Effect.callback((resume) => {
    const { masterKey } = context.settings
    const logged = fs.fstatSync(log).size
    const environment = daemonEnvironment(process.env, context.paths.home)
    if (Option.isSome(masterKey)) environment[masterKeyDescriptorVariable] = String(masterKeyDescriptor)
    const flags = serving === undefined ? [] : ["--host", serving.host, "--port", String(serving.port)]
    const { args, command } = withoutCoreFiles(
      process.execPath,
      ownArguments(entry, nodeOptions, ["daemon", "serve", ...flags])
    )
    const child = builtins.childProcess.spawn(command, [...args], {
      cwd: context.paths.home,
      detached: true,
      env: environment,
      stdio: ["ignore", log, log, "ipc", ...(Option.isSome(masterKey) ? ["pipe" as const] : [])]
    })
    fs.closeSync(log)
    if (Option.isSome(masterKey)) {
      const pipe = child.stdio[masterKeyDescriptor] as NodeJS.WritableStream
      pipe.on("error", () => {})
      pipe.end(Redacted.value(masterKey.value))
    }
    const finish = (result: Effect.Effect<{ readonly url: string }, DaemonUnavailableError>): void => {
      clearTimeout(timer)
      child.removeAllListeners()
      child.on("error", () => {})
      if (child.connected) child.disconnect()
      child.unref()
      resume(result)
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      finish(notStarted(context.paths, "The daemon did not become ready in time."))
    }, startTimeout)
    child.on("error", (cause: NodeJS.ErrnoException) =>
      finish(notStarted(context.paths, `The daemon could not be started (${cause.code ?? "unknown"}).`)))
    child.on("exit", (code, signal) => {
      const said = lastLineSince(context.paths.daemonLog, logged)
      finish(notStarted(
        context.paths,
        `The daemon exited during startup (${signal ?? `exit code ${code}`})${said === undefined ? "" : `: ${said}`}.`
      ))
    })
    child.on("message", (message) => {
      const said = message as StartMessage
      finish(said.ready ? Effect.succeed({ url: said.url }) : notStarted(context.paths, said.message))
    })
  })

const findRunning = Effect.fnUntraced(function*(context: StartContext) {
  // Without a state file or a configured URL, a daemon at the default address belongs to another home.
  const state = yield* readDaemonState(context.paths)
  if (Option.isNone(context.settings.daemonUrl) && Option.isNone(state)) return undefined
  const address = yield* locateDaemon(context.settings, context.paths)
  const accessKey = yield* findAccessKey(context.paths)
  const connection = openDaemonConnection(address, { accessKey, peerOwner: context.peerOwner })
  return yield* connection.send({ method: "GET", path: "/health", headers: {}, body: undefined }).pipe(
    Effect.map(() => baseUrlText(address.url)),
    Effect.catch(Effect.fnUntraced(function*(error) {
      if (error.reason === "refused" || error.reason === "foreign") return undefined
      // A daemon that has begun to stop closes its connections.
      if (Option.isSome(state) && Option.isNone(yield* readDaemonState(context.paths))) return undefined
      return yield* unavailable(error.message, baseUrlText(address.url))
    })),
    Effect.ensuring(Effect.sync(connection.close))
  )
})

/** Waits for other clients that start the daemon, and excludes them until the scope closes. */
const acquireStartLock = Effect.fnUntraced(function*(paths: HomePaths) {
  // SQLite would create the file with the umask of a program that uses the library.
  if (!fs.existsSync(paths.startLock)) yield* SecureFiles.createOnce(paths.startLock, "")
  yield* Effect.acquireRelease(
    Effect.try({
      try: () => {
        const lock = new builtins.sqlite.DatabaseSync(paths.startLock, { timeout: startTimeout })
        // SQLite cannot create a journal file on a full disk.
        lock.exec("PRAGMA journal_mode = MEMORY")
        lock.exec("BEGIN EXCLUSIVE")
        return lock
      },
      catch: (cause) => cause
    }).pipe(Effect.catch((cause) =>
      notStarted(
        paths,
        (cause as { readonly errcode?: number }).errcode === sqliteBusy
          ? "Another client has been starting the daemon for too long."
          : `The lock ${paths.startLock} cannot be used (${cause instanceof Error ? cause.message : "unknown error"}).`
      )
    )),
    (lock) => Effect.sync(() => lock.close())
  )
})

/**
 * Starts the daemon, unless another client has just started it. Waiting for that client blocks the event loop, so one
 * process must not call this twice concurrently. `entry` is the absolute path of a program that understands `daemon serve`.
 * Without `serving`, a daemon that died is restarted on its old address.
 */
export const startDaemon = Effect.fnUntraced(
  function*(context: StartContext, entry: string, serving?: Serving) {
    const { paths } = context
    yield* Effect.forEach([paths.home, paths.server, paths.serverLogs], SecureFiles.ensurePrivateDirectory)
    yield* acquireStartLock(paths)
    const running = yield* findRunning(context)
    if (running !== undefined) return { url: running, started: false }
    const died = Option.getOrUndefined(yield* readDaemonState(paths))
    const log = yield* SecureFiles.openAppend(paths.daemonLog)
    return yield* launch(context, entry, serving ?? died, log).pipe(
      Effect.map(({ url }) => ({ url, started: true })),
      // Another program, such as systemd, may have started a daemon at the same time.
      Effect.catch((error) =>
        Effect.flatMap(
          Effect.orElseSucceed(findRunning(context), () => undefined),
          (url) => url === undefined ? Effect.fail(error) : Effect.succeed({ url, started: false })
        )
      )
    )
  },
  Effect.catchTag(
    "SecureFileError",
    (error) =>
      unavailable(
        process.env[containMark] === undefined
          ? `The daemon cannot be started: ${error.message}. CREDSVC_HOME can name another home`
          : "A contained run cannot reach the daemon. Run credsvc outside of the run"
      )
  ),
  Effect.scoped
)
