/** Runs the daemon in a child process and restarts it when the program or a provider file changes. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as ChildProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { readDaemonState } from "../../client/DaemonAddress.ts"
import { Paths } from "../../config/Paths.ts"
import { builtins } from "../../platform/builtins.ts"
import { readDirectoryState } from "../../platform/files/DirectoryState.ts"
import { disableCoreFiles, withoutCoreFiles } from "../../platform/process/CoreFiles.ts"
import { ownArguments, ownFile } from "../../platform/process/OwnProgram.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import type { ServeInput } from "../tree/CommandInputs.ts"

/** A fingerprint of all files in the directories. Undefined while the program is being replaced. */
const stampOf = (program: string, directories: ReadonlyArray<string>): string | undefined =>
  fs.existsSync(program)
    ? JSON.stringify(directories.map((directory) =>
      readDirectoryState(directory, (name) => /\.js(on)?$/.test(name)).entries
        .map(({ name, stamp }) => [name, stamp?.size, stamp?.mtimeMs])
    ))
    : undefined

const flag = (name: string, value: Option.Option<string>): ReadonlyArray<string> =>
  Option.isSome(value) ? [name, value.value] : []

type Child = ChildProcess.ChildProcess

const exitCodeOf = (child: Child): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const end = () => resume(Effect.succeed(child.exitCode ?? 1))
    if (child.exitCode !== null || child.signalCode !== null) return end()
    child.once("exit", end)
    return Effect.sync(() => child.off("exit", end))
  })

const stop = (child: Child): Effect.Effect<void> =>
  Effect.suspend(() => {
    child.kill("SIGTERM")
    return Effect.asVoid(exitCodeOf(child))
  })

export const serveReloading = Effect.fnUntraced(function*(input: ServeInput) {
  const output = yield* Output
  const paths = yield* Paths
  const program = ownFile()
  const stamp = () => stampOf(program, [path.dirname(program), paths.providers])

  const changed = Effect.gen(function*() {
    const before = stamp()
    for (;;) {
      yield* Effect.sleep("500 millis")
      const now = stamp()
      if (now !== undefined && now !== before) return
    }
  })

  // A core file could contain the master key, which may be in the environment of this process, too.
  disableCoreFiles()
  let port = input.port
  for (;;) {
    const { args, command } = withoutCoreFiles(
      process.execPath,
      ownArguments(program, ["--disable-sigusr1"], [
        "daemon",
        "serve",
        "--host",
        input.host,
        "--port",
        String(port),
        ...flag("--front-socket", input.frontSocket),
        ...flag("--front-group", input.frontGroup)
      ])
    )
    const child = builtins.childProcess.spawn(command, [...args], { stdio: "inherit" })
    const exitCode = yield* Effect.raceFirst(exitCodeOf(child), Effect.as(changed, undefined)).pipe(
      Effect.onInterrupt(() => stop(child))
    )
    if (exitCode !== undefined) return yield* Effect.fail(new Exited(exitCode))
    const state = yield* readDaemonState(paths)
    if (Option.isSome(state) && state.value.pid === child.pid) port = state.value.port
    yield* output.note("Files changed; restarting the daemon.")
    yield* stop(child)
  }
})
