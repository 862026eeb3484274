/**
 * `daemon serve --reload`: a process that serves nothing itself, and starts the daemon anew whenever the program's files or
 * the custom provider definitions change. For people who work on either.
 */
import * as Effect from "effect/Effect"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Paths } from "../config/Paths.ts"
import { builtins } from "../platform/builtins.ts"

/** An editor writes a file in several steps. */
const settleMillis = 200

const signals: ReadonlyArray<NodeJS.Signals> = ["SIGTERM", "SIGINT", "SIGHUP"]

/** The arguments of this process, without the one that brought us here. */
const childArguments = (port: number): ReadonlyArray<string> => {
  const given = process.argv.slice(1).filter((argument) => argument !== "--reload")
  const at = given.findIndex((argument) => argument === "--port" || argument.startsWith("--port="))
  if (at === -1 || port === 0) return given
  return given.toSpliced(at, given[at] === "--port" ? 2 : 1, `--port=${port}`)
}

/** The port that the daemon was given when it asked for any, so that it keeps it. */
const boundPort = (file: string): number => {
  try {
    return (JSON.parse(fs.readFileSync(file, "utf8")) as { readonly port: number }).port
  } catch {
    return 0
  }
}

/** Runs until a signal comes, and ends with the daemon. */
export const supervise: Effect.Effect<void, never, Paths> = Effect.flatMap(
  Paths,
  (paths) =>
    Effect.callback<void>((resume) => {
      const program = path.dirname(fs.realpathSync(process.argv[1] ?? ""))
      let child: ChildProcess | undefined
      let port = 0
      let stopping = false
      let timer: NodeJS.Timeout | undefined

      const start = (): void => {
        child = builtins.childProcess.spawn(process.execPath, [...process.execArgv, ...childArguments(port)], {
          stdio: "inherit"
        })
        child.once("exit", (code) => {
          child = undefined
          if (stopping) return resume(Effect.void)
          // A daemon that failed by itself is tried again on the next change, not in a loop.
          if (restarting) {
            restarting = false
            start()
          } else console.error(`The daemon ended (${code ?? "by a signal"}). It starts again when a file changes.`)
        })
      }

      let restarting = false
      const restart = (): void => {
        if (child === undefined) return start()
        port = boundPort(paths.daemonState) || port
        restarting = true
        child.kill("SIGTERM")
      }

      const changed = (): void => {
        clearTimeout(timer)
        timer = setTimeout(restart, settleMillis)
      }
      const watchers = [program, paths.providers].filter((directory) => fs.existsSync(directory))
        .map((directory) => fs.watch(directory, { recursive: true }, changed))

      const stop = (): void => {
        stopping = true
        clearTimeout(timer)
        for (const watcher of watchers) watcher.close()
        if (child === undefined) resume(Effect.void)
        else child.kill("SIGTERM")
      }
      for (const signal of signals) process.on(signal, stop)
      start()
    })
)
