import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import { promisify } from "node:util"
import { startDaemon } from "../../../src/client/Autostart.ts"
import { pathsOf } from "../../../src/config/Paths.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { testsWith } from "../../support/Fixture.ts"
import { killDaemon } from "../../support/Processes.ts"
import { entry } from "../../support/Sandbox.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { connected } from "../../support/TestServer.ts"
import { eventually } from "../../support/Until.ts"

interface Started {
  readonly child: ChildProcess
  readonly output: () => string
  readonly exited: Effect.Effect<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

interface ServeOptions {
  readonly node?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
  readonly ipc?: boolean
  readonly env?: NodeJS.ProcessEnv
  /** Starts the process from a shell that allows core files of any size. */
  readonly coreFiles?: boolean
}

const serve = (
  home: string,
  options: ServeOptions = {}
): Effect.Effect<Started, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const command = [...options.node ?? [], entry, "daemon", "serve", "--port", "0", ...options.args ?? []]
      const child = builtins.childProcess.spawn(
        options.coreFiles === true ? "/bin/sh" : process.execPath,
        options.coreFiles === true
          ? ["-c", "ulimit -c unlimited && exec \"$0\" \"$@\"", process.execPath, ...command]
          : command,
        {
          cwd: home,
          stdio: ["ignore", "pipe", "pipe", ...(options.ipc === true ? ["ipc" as const] : [])],
          env: {
            PATH: process.env.PATH,
            HOME: home,
            CREDSVC_HOME: home,
            CREDSVC_MASTER_KEY_MODE: "local_key",
            ...options.env
          }
        }
      )
      let output = ""
      child.stdout?.on("data", (chunk) => {
        output += String(chunk)
      })
      child.stderr?.on("data", (chunk) => {
        output += String(chunk)
      })
      const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
        child.on("close", (code, signal) => resolve({ code, signal }))
      })
      return { child, output: () => output, exited: Effect.promise(() => ended) }
    }),
    ({ child, exited }) => {
      child.kill("SIGKILL")
      return exited
    }
  )

const stateOf = (
  home: string
): { readonly pid: number; readonly port: number; readonly instance: string } | undefined => {
  try {
    return JSON.parse(fs.readFileSync(`${home}/server/daemon.json`, "utf8"))
  } catch {
    return undefined
  }
}

/** The state of the home once the daemon serves. */
const serving = (home: string, { child, exited, output }: Started) =>
  Effect.raceFirst(
    Effect.map(eventually(Effect.sync(() => stateOf(home)), (state) => state?.pid === child.pid), (state) => state!),
    Effect.flatMap(exited, () => Effect.die(new Error(`the daemon ended: ${output()}`)))
  )

const healthOf = (port: number): Effect.Effect<number> =>
  Effect.promise(() => fetch(`http://127.0.0.1:${port}/health`).then((response) => response.status, () => 0))

const inHome = testsWith(temporaryDirectory)

describe("daemon serve", () => {
  inHome.live("is used by a command that runs during the start, instead of a second daemon", function*(home) {
    const paths = pathsOf(home)
    yield* serve(home)
    yield* eventually(Effect.sync(() => fs.existsSync(`${paths.homeLock}.pid`)), Boolean)
    const settings = { daemonUrl: Option.none(), masterKey: Option.none() }
    const peerOwner = yield* Effect.provide(PeerOwner, PeerOwner.layer)
    const { started } = yield* startDaemon({ settings, paths, peerOwner }, entry)
    assert.isFalse(started)
  })

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    inHome.live(`prints its address, exits cleanly on ${signal}, and removes its files`, function*(home) {
      const daemon = yield* serve(home)
      const { port } = yield* serving(home, daemon)
      yield* eventually(Effect.sync(daemon.output), (output) => output.includes(`http://127.0.0.1:${port}`))
      assert.strictEqual(yield* healthOf(port), 200)
      const before = Date.now()
      daemon.child.kill(signal)
      assert.deepStrictEqual(yield* daemon.exited, { code: 0, signal: null }, daemon.output())
      // Less than the five-second timeout of an idle connection.
      assert.isBelow(Date.now() - before, 4500)
      assert.isFalse(fs.existsSync(`${home}/server/daemon.json`))
      assert.isFalse(fs.existsSync(`${home}/server/daemon.pid`))
    })
  }

  const address = Object.values(builtins.os.networkInterfaces()).flat()
    .find((one) => one?.internal === false && one.family === "IPv4")?.address
  if (address !== undefined) {
    inHome.live("also serves the commands of its home on the address of a network interface", function*(home) {
      const daemon = yield* serve(home, { args: ["--host", address] })
      yield* serving(home, daemon)
      const whoami = yield* Effect.promise(() =>
        promisify(builtins.childProcess.execFile)(process.execPath, [entry, "whoami", "--json"], {
          env: { PATH: process.env.PATH, HOME: home, CREDSVC_HOME: home }
        })
      )
      assert.include(JSON.parse(whoami.stdout).daemon_url, address)
    })
  }

  inHome.live("reports on /ready after SIGTERM that it is stopping, and serves until --drain ends", function*(home) {
    const daemon = yield* serve(home, { args: ["--drain", "300"] })
    const { port } = yield* serving(home, daemon)
    const ready = Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/ready`).then((response) => response.json() as any)
    )
    assert.deepStrictEqual((yield* ready).problems, [])
    daemon.child.kill("SIGTERM")
    let report = yield* ready
    for (let attempt = 0; attempt < 200 && report.status !== "unhealthy"; attempt++) {
      yield* Effect.sleep("50 millis")
      report = yield* ready
    }
    assert.deepStrictEqual(report.problems, ["The daemon is stopping."])
    // The checks of the store could take longer than the daemon still serves.
    assert.strictEqual(report.checks.integrity.message, "The daemon is stopping.")
    assert.strictEqual(yield* healthOf(port), 200)
    daemon.child.kill("SIGTERM")
    assert.deepStrictEqual(yield* daemon.exited, { code: 0, signal: null }, daemon.output())
  })

  inHome.live("reports to the parent process that it is ready, or why it failed", function*(home) {
    const first = yield* serve(home, { ipc: true })
    const ready = yield* Effect.promise(() => new Promise<any>((resolve) => first.child.once("message", resolve)))
    assert.isTrue(ready.ready)
    assert.strictEqual(yield* healthOf(Number(new URL(ready.url).port)), 200)
    const second = yield* serve(home, { ipc: true })
    const refused = yield* Effect.promise(() => new Promise<any>((resolve) => second.child.once("message", resolve)))
    assert.isFalse(refused.ready)
    assert.include(refused.message, `pid ${first.child.pid}`)
    assert.strictEqual((yield* second.exited).code, 9)
  })

  inHome.live("refuses to run under a debugger, and does not open a debugger port on a signal", function*(home) {
    const debugged = yield* serve(home, { node: ["--inspect=127.0.0.1:0"] })
    assert.strictEqual((yield* debugged.exited).code, 4)
    assert.include(debugged.output(), "does not run under a debugger")
    assert.isUndefined(stateOf(home))
    const daemon = yield* serve(home)
    const { port } = yield* serving(home, daemon)
    daemon.child.kill("SIGUSR1")
    yield* Effect.sleep("300 millis")
    assert.strictEqual(yield* healthOf(port), 200)
    assert.notInclude(daemon.output(), "Debugger listening")
  })

  inHome.live("logs in the format of CREDSVC_LOG_FORMAT, or of config.json", function*(home) {
    const firstLine = Effect.fnUntraced(function*(options: ServeOptions) {
      fs.rmSync(`${home}/server/logs`, { recursive: true, force: true })
      const daemon = yield* serve(home, options)
      yield* serving(home, daemon)
      daemon.child.kill("SIGTERM")
      yield* daemon.exited
      return fs.readFileSync(`${home}/server/logs/daemon.log`, "utf8").split("\n")[0]!
    })
    fs.writeFileSync(`${home}/config.json`, JSON.stringify({ log_format: "json" }))
    const { event, level, time, version } = JSON.parse(yield* firstLine({}))
    assert.deepStrictEqual([event, level], ["started", "info"])
    assert.isString(version)
    assert.strictEqual(new Date(time).toISOString(), time)
    assert.match(yield* firstLine({ env: { CREDSVC_LOG_FORMAT: "text" } }), /Z INFO {4}started version=/)
  })

  inHome.live("starts in a home with the files of a killed daemon", function*(home) {
    const killed = yield* serve(home)
    const before = yield* serving(home, killed)
    killed.child.kill("SIGKILL")
    yield* killed.exited
    assert.strictEqual(stateOf(home)?.instance, before.instance)
    const abandoned = `${home}/server/.master.key.${killed.child.pid}.0123456789ab.tmp`
    fs.writeFileSync(abandoned, "key", { mode: 0o600 })
    const { port } = yield* serving(home, yield* serve(home))
    assert.isFalse(fs.existsSync(abandoned))
    assert.strictEqual(yield* healthOf(port), 200)
  })

  inHome.live("waits until the previous daemon has stopped, then serves the home", function*(home) {
    const first = yield* serve(home)
    const { port } = yield* serving(home, first)
    // A request whose body never arrives delays the shutdown for the whole grace period.
    const request = yield* connected(port)
    request.write("POST /auth/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n")
    first.child.kill("SIGTERM")
    yield* eventually(Effect.sync(() => stateOf(home)), (state) => state === undefined)
    first.child.kill("SIGSTOP")
    const second = yield* serve(home)
    yield* Effect.race(eventually(Effect.sync(second.output), (output) => output !== ""), second.exited)
    assert.match(
      second.output(),
      new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\S+Z INFO    waiting-for-stopping-daemon pid=${first.child.pid}\\n$`)
    )
    first.child.kill("SIGCONT")
    const taken = yield* serving(home, second)
    assert.strictEqual(yield* healthOf(taken.port), 200, second.output())
    assert.strictEqual((yield* first.exited).code, 0)
  })

  const cases = [
    ["in the foreground", {}],
    ["in the background", { ipc: true }],
    ["with --reload", { args: ["--reload"] }]
  ] as const
  for (const [how, options] of cases) {
    inHome.live.skipIf(process.platform !== "linux")(
      `leaves no core file when it crashes ${how}`,
      function*(home) {
        const daemon = yield* serve(home, { ...options, coreFiles: true })
        const { pid } = (yield* eventually(Effect.sync(() => stateOf(home)), (state) => state !== undefined))!
        yield* Effect.addFinalizer(() => Effect.promise(() => killDaemon(home)))
        for (const id of [pid, daemon.child.pid]) {
          assert.strictEqual(fs.readFileSync(`/proc/${id}/coredump_filter`, "latin1"), "00000000\n")
          assert.match(fs.readFileSync(`/proc/${id}/limits`, "latin1"), /^Max core file size +0 +0 /m)
        }
        process.kill(pid, "SIGSEGV")
        yield* daemon.exited
        // /proc/sys/kernel/core_pattern decides whether and where core files are written.
        assert.deepStrictEqual(fs.readdirSync(home).filter((name) => name.startsWith("core")), [])
      }
    )
  }
})
