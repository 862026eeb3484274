/** A command on its own terminal, created by script(1): the test types and reads as a user would. */
import { spawn } from "node:child_process"
import * as os from "node:os"
import type { Workplace } from "./Transcript.ts"

export const onTerminal = (
  workplace: Pick<Workplace, "directory" | "env" | "track">,
  command: string,
  options: { readonly env?: Readonly<Record<string, string>>; readonly columns?: number } = {}
) => {
  const child = spawn("script", ["-qefc", `stty cols ${options.columns ?? 100} rows 30; ${command}`, "/dev/null"], {
    cwd: workplace.directory,
    env: { ...workplace.env, TERM: "xterm", SHELL: "/bin/sh", ...options.env },
    stdio: ["pipe", "pipe", "inherit"]
  })
  workplace.track(child)
  let shown = ""
  let over = false
  const watchers = new Set<() => void>()
  const wake = () => {
    for (const watcher of watchers) watcher()
  }
  child.stdin.on("error", () => {})
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text
    wake()
  })
  const ended = new Promise<{ readonly shown: string; readonly exitCode: number }>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => {
      over = true
      wake()
      resolve({ shown, exitCode: code ?? 128 + os.constants.signals[signal ?? "SIGKILL"] })
    })
  })
  /** Waits until the pattern has been shown. Fails if the command exits before. */
  const until = (pattern: Pick<RegExp, "test">) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (pattern.test(shown)) resolve()
        else if (over) reject(new Error(`ended without ${pattern}:\n${shown}`))
        else return
        watchers.delete(look)
      }
      watchers.add(look)
      look()
    })
  const type = (keys: string) => void child.stdin.write(keys)
  /** Waits until the pattern has been shown, then types the keys. */
  const reply = async (pattern: RegExp, keys: string) => {
    await until(pattern)
    type(keys)
  }
  return { pid: child.pid!, shown: () => shown, until, type, reply, ended }
}

export type Terminal = ReturnType<typeof onTerminal>
