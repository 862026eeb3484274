/**
 * Runs the command of a run as a child process, with signals and the terminal as if the shell had started it.
 *
 * The child process shares credsvc's process group, so it receives signals of the terminal directly; signals to credsvc alone are
 * forwarded. Toward the shell, credsvc mirrors the child process: it stops when the child process stops, and ends by SIGINT when the
 * child process does.
 */
import * as Effect from "effect/Effect"
import type { Command, CommandEvents } from "../contain/Containment.ts"
import { ExitCode } from "../domain/ExitCode.ts"
import { builtins } from "../platform/builtins.ts"
import { errorCode } from "../platform/ErrorCode.ts"
import { withUserCoreFilter } from "../platform/process/CoreFiles.ts"
import * as ProcFs from "../platform/process/ProcFs.ts"
import { isTerminal } from "../platform/process/Terminal.ts"
import { withUserUmask } from "../platform/process/UserUmask.ts"

const notExecutable = 126
const notFound = 127

export type Ended =
  | { readonly exitCode: number }
  | { readonly problem: string; readonly exitCode: number }
  | { readonly interrupted: true; readonly exitCode: number }

/** Whether credsvc and the command are in the terminal's foreground process group. */
const inForeground = (): boolean => {
  const hasTerminal = isTerminal(0) || isTerminal(1) || isTerminal(2)
  const stat = ProcFs.stat(process.pid)
  if (stat === undefined) return hasTerminal
  if (stat.foreground !== stat.group) return false
  // A parent that started credsvc in its own job and captures its streams sends the signals itself.
  return hasTerminal || ProcFs.stat(process.ppid)?.group !== stat.group
}

const spawn = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  withUserCoreFilter(() =>
    withUserUmask(() => builtins.childProcess.spawn(command, [...args], { env, stdio: "inherit", shell: false }))
  )

/** Starts a command. Throws if that is impossible. */
export type Launch = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  events: CommandEvents
) => Command

const launchDirectly: Launch = (command, args, env, events) => {
  const child = spawn(command, args, env)
  // A running child process also emits `error` if a signal is not permitted, such as for sudo(8).
  child.on("error", (cause: NodeJS.ErrnoException) => {
    if (child.pid === undefined) events.failed(errorCode(cause))
  })
  child.once("exit", events.exited)
  return child
}

/**
 * The signal handlers. The one for SIGUSR1 also prevents Node from opening its debugger. `changed` stops this process if the command
 * has stopped itself.
 */
const handlers = (child: () => Command | undefined) => {
  const pass = (name: NodeJS.Signals) => void child()?.kill(name)
  const statOfChild = () => {
    const pid = child()?.pid
    return pid === undefined ? undefined : ProcFs.stat(pid)
  }
  const atStart = ProcFs.stat(process.pid)
  /** Whether the command has left the process group, as timeout(1) does, and so misses signals to the group. */
  const isApart = (): boolean => {
    const stat = statOfChild()
    return stat !== undefined && stat.group !== atStart?.group
  }
  const passUnlessTyped = (name: NodeJS.Signals) => () => {
    if (!inForeground() || isApart()) pass(name)
  }

  // A closed terminal notifies only its session leader, which must notify the job. Usually that is the shell; here credsvc may be
  // the leader. The signal that it sends to the group also reaches credsvc itself.
  const leadsTerminal = atStart?.session === process.pid && atStart.foreground !== ProcFs.noTerminal
  let told = false
  const hangUp = (): void => {
    if (told) {
      told = false
      return
    }
    told = leadsTerminal && ProcFs.stat(process.pid)?.foreground === ProcFs.noTerminal
    if (told) process.kill(0, "SIGHUP")
    if (!told || isApart()) pass("SIGHUP")
  }
  // If a command stops itself, as editors and agents do on Ctrl-Z, credsvc must stop too, because the shell waits for it.
  const childChanged = (): void => {
    if (statOfChild()?.state === "T" && inForeground()) process.kill(0, "SIGTSTP")
  }
  const resume = (): void => {
    if (statOfChild()?.state === "T") pass("SIGCONT")
  }
  const listeners = [
    ...(["SIGTERM", "SIGUSR1", "SIGUSR2"] as const).map((name) => [name, () => pass(name)] as const),
    ...(["SIGINT", "SIGQUIT"] as const).map((name) => [name, passUnlessTyped(name)] as const),
    ["SIGHUP", hangUp] as const,
    ["SIGCHLD", childChanged] as const,
    ["SIGCONT", resume] as const
  ]
  return { listeners, changed: childChanged }
}

const endedBy = (code: number | null, signal: NodeJS.Signals | null): Ended => {
  if (signal === null) return { exitCode: code ?? ExitCode.unexpected }
  const exitCode = 128 + builtins.os.constants.signals[signal]
  return signal === "SIGINT" && inForeground() ? { interrupted: true, exitCode } : { exitCode }
}

const notStarted = (command: string, code: string): Ended =>
  code === "ENOENT"
    ? { problem: `${command}: command not found`, exitCode: notFound }
    : { problem: `${command}: cannot be executed (${code})`, exitCode: notExecutable }

/** Runs the command and waits for its end. `launch`: how to start it, by default as a child process. */
export const runChild = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  launch: Launch = launchDirectly
): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    let child: Command | undefined
    const { changed, listeners } = handlers(() => child)
    const stop = () => {
      for (const [name, listener] of listeners) process.off(name, listener)
    }
    const end = (ended: Ended) => {
      stop()
      resume(Effect.succeed(ended))
    }
    // Installed before the child process exists, so that no signal can end credsvc and orphan it.
    for (const [name, listener] of listeners) process.on(name, listener)
    try {
      child = launch(command, args, env, {
        failed: (code) => end(notStarted(command, code)),
        exited: (code, signal) => end(endedBy(code, signal)),
        changed
      })
    } catch (cause) {
      // For example, an argument contains a NUL character.
      end(notStarted(command, errorCode(cause)))
    }
    return Effect.sync(() => {
      stop()
      child?.kill("SIGTERM")
    })
  })

/** Makes this process end by SIGINT: after an exit code alone, a shell would continue its script or loop. */
export const endByInterrupt = (): void => {
  process.once("exit", () => {
    process.removeAllListeners("SIGINT")
    process.kill(process.pid, "SIGINT")
  })
}
