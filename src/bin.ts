#!/usr/bin/env node
/**
 * The entry point of `credsvc`: handles `--version`, finds a supported version of Node, and loads the program.
 *
 * Node versions that cannot run the program must still parse this file, so it has no static import or export, no
 * top-level await and no newer syntax. scripts/build.ts bundles it separately.
 */
import type * as ChildProcess from "node:child_process"
import type * as Fs from "node:fs"
import type * as Path from "node:path"

/** Defined by scripts/build.ts. */
declare const CREDSVC_VERSION: string

const needed = [22, 19] as const
const program = "./main.js"
const daemon = "./serve.js"
const completion = "./complete.js"

const isNewEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

const printVersion = (): void => {
  // Versions without `getBuiltinModule` are too old for the program, but can print its version.
  if (process.getBuiltinModule === undefined) return console.log(CREDSVC_VERSION)
  try {
    // Writes to the descriptor directly, because console.log would set up a stream first.
    process.getBuiltinModule("node:fs").writeSync(1, `${CREDSVC_VERSION}\n`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The pipe is non-blocking and full. Only the stream of console.log can wait for the reader.
    if (code === "EAGAIN") return console.log(CREDSVC_VERSION)
    // The reader of the pipe has closed it.
    if (code === "EPIPE") return
    console.error(`error: The output could not be written to stdout (${code}).`)
    process.exitCode = 1
  }
}

/**
 * The directory for compiled code, in the home of credsvc. Undefined if another user could write there, because Node
 * executes its content.
 */
const compileCacheDirectory = (fs: typeof Fs, path: typeof Path): string | undefined => {
  const uid = process.getuid === undefined ? undefined : process.getuid()
  const isOurs = (stat: { readonly uid: number; readonly mode: number }) =>
    uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0)
  const isSafeAbove = (stat: { readonly uid: number; readonly mode: number }) =>
    uid === undefined ||
    ((stat.uid === uid || stat.uid === 0) && ((stat.mode & 0o022) === 0 || (stat.mode & 0o1000) !== 0))
  try {
    const os = process.getBuiltinModule("node:os")
    // Must match the default of `Settings`.
    const home = path.resolve(
      process.env.CREDSVC_HOME || path.join(os.homedir() || os.userInfo().homedir, ".credsvc")
    )
    for (let above = fs.realpathSync(path.dirname(home));; above = path.dirname(above)) {
      if (!isSafeAbove(fs.statSync(above))) return undefined
      if (above === path.dirname(above)) break
    }
    let directory = home
    for (const name of ["", "client", "cache", "compile"]) {
      directory = path.join(directory, name)
      const stat = fs.lstatSync(directory, { throwIfNoEntry: false })
      if (stat === undefined) fs.mkdirSync(directory, { mode: 0o700 })
      else if (!stat.isDirectory() || !isOurs(stat)) return undefined
    }
    return directory
  } catch {
    return undefined
  }
}

/**
 * The builtin modules to load before the V8 flags are set: those that a run needs to start its command, or a daemon to
 * serve its first request. SQLite is not listed: only `platform/builtins` can load it without its warning.
 */
const earlyModules = ["cluster", "crypto", "dns", "http", "perf_hooks", "vm"]
const daemonModules = ["fs/promises", "inspector"]

/**
 * Sets the V8 flags for a daemon or a run. Node's modules must be loaded first: V8 rejects their compiled code in the binary
 * under other flags. The compile cache, which depends on the flags, must be enabled later. `V8Flags` explains the flags.
 */
const setStartFlags = (modules: ReadonlyArray<string>): void => {
  const v8 = process.getBuiltinModule("node:v8")
  for (const name of modules) process.getBuiltinModule(`node:${name}`)
  for (const flag of ["--no-opt", "--no-maglev", "--no-allocation-site-pretenuring"]) v8.setFlagsFromString(flag)
}

const load = (): void => {
  const module = process.getBuiltinModule("node:module")
  const isDaemon = process.argv[2] === "daemon" && process.argv[3] === "serve"
  if (isDaemon) setStartFlags([...earlyModules, ...daemonModules])
  else if (process.argv[2] === "run") setStartFlags(earlyModules)
  const directory = compileCacheDirectory(process.getBuiltinModule("node:fs"), process.getBuiltinModule("node:path"))
  if (directory !== undefined) {
    module.enableCompileCache(directory)
    // Node writes the cache when a process ends, which for a daemon is too late for the next start.
    setTimeout(() => module.flushCompileCache(), 5000).unref()
  }
  // A client that starts the daemon holds an IPC channel to it.
  const inBackground = process.send !== undefined && isDaemon
  void import(inBackground ? daemon : process.argv[2] === "__complete" ? completion : program)
}

/** Ends as the other process did: with the same exit code, or by the same signal. */
const endLike = (
  code: number | null,
  signal: NodeJS.Signals | null,
  forwarded: ReadonlyArray<NodeJS.Signals>
): void => {
  if (signal === null) process.exit(code === null ? 1 : code)
  for (const name of forwarded) process.removeAllListeners(name)
  process.kill(process.pid, signal)
  setTimeout(() => process.exit(1), 1000)
}

/** Runs the program with a newer Node if there is one, and otherwise reports where it looked. */
const handOver = (fs: typeof Fs, path: typeof Path, childProcess: typeof ChildProcess): void => {
  const script = fs.realpathSync(process.argv[1]!)
  const packageDirectory = path.dirname(path.dirname(script))
  const installedIn = path.dirname(packageDirectory)
  const directories = [
    path.join(packageDirectory, "node_modules", "node", "bin"),
    path.join(packageDirectory, "node_modules", ".bin"),
    path.join(installedIn, "node", "bin"),
    path.join(installedIn, ".bin")
  ].concat((process.env.PATH || "").split(path.delimiter).filter((entry) => path.isAbsolute(entry)))
  const executable = process.platform === "win32" ? "node.exe" : "node"
  const environment = Object.assign({}, process.env)
  delete environment.NODE_OPTIONS

  const seen = [fs.realpathSync(process.execPath)]
  const looked: Array<string> = []
  let found: string | undefined
  for (const directory of directories) {
    const file = path.join(directory, executable)
    if (looked.indexOf(file) >= 0) continue
    looked.push(file)
    let real
    try {
      fs.accessSync(file, fs.constants.X_OK)
      real = fs.realpathSync(file)
    } catch {
      continue
    }
    if (seen.indexOf(real) >= 0) continue
    seen.push(real)
    const outcome = childProcess.spawnSync(real, ["-p", "process.versions.node"], {
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000
    })
    if (outcome.status === 0 && isNewEnough(outcome.stdout.trim())) {
      found = real
      break
    }
  }

  if (found === undefined) {
    const message =
      `credsvc needs Node ${needed.join(".")} or newer, and "${process.execPath}" is Node ${process.versions.node}. ` +
      `Install a newer Node, or put it first on PATH (searched: ${looked.join(", ")}).`
    const options = process.argv.slice(2)
    const end = options.indexOf("--")
    if ((end < 0 ? options : options.slice(0, end)).indexOf("--json") >= 0) {
      console.log(JSON.stringify({ error: "UnsupportedNodeError", message }))
    } else console.error(message)
    process.exitCode = 1
    return
  }

  // A terminal sends these signals to both processes. If they were also forwarded, one Ctrl-C would count as two.
  const fromTerminal: ReadonlyArray<NodeJS.Signals> = ["SIGINT", "SIGQUIT"]
  const forwarded: ReadonlyArray<NodeJS.Signals> = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"]
  // Otherwise the daemon would see `credsvc run` among the ancestors of the other process, and take it for an outer run.
  process.title = "credsvc"
  const onTerminal = process.stdin.isTTY === true || process.stdout.isTTY === true || process.stderr.isTTY === true
  const child = childProcess.spawn(found, process.execArgv.concat([script], process.argv.slice(2)), {
    stdio: "inherit"
  })
  for (const name of forwarded) {
    process.on(name, () => {
      if (!(onTerminal && fromTerminal.indexOf(name) >= 0)) child.kill(name)
    })
  }
  child.on("error", (error) => {
    console.error(`credsvc could not start ${found}: ${error.message}`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => endLike(code, signal, forwarded))
}

const main = (): void => {
  if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-v")) printVersion()
  else if (isNewEnough(process.versions.node)) {
    // From here on, files are created for their owner only. `run` restores the user's umask for its command.
    Object.assign(globalThis, { [Symbol.for("credsvc/umask")]: process.umask(0o077) })
    load()
  } else {
    // The `node:` prefix is missing, because these versions may not support it.
    const names = ["fs", "path", "child_process"]
    void Promise.all(names.map((name) => import(name))).then(([fs, path, childProcess]) =>
      handOver(fs as typeof Fs, path as typeof Path, childProcess as typeof ChildProcess)
    )
  }
}

main()
