/**
 * The command of a run as a child process, which finds signals and the terminal as if it had been started without us.
 *
 * It shares our process group, so what the terminal itself sends reaches it without us; what is sent to us alone is
 * passed on. For a shell we stand for it: we stop when it stops, and are interrupted when it was.
 */
import * as Effect from "effect/Effect"
import { ExitCode } from "../domain/Errors.ts"
import { builtins } from "../platform/builtins.ts"
import { withUserCoreFilter } from "../platform/CoreFilter.ts"
import * as ProcessStat from "../platform/ProcessStat.ts"
import { isTerminal } from "../platform/Terminal.ts"
import { withUserUmask } from "../platform/UserUmask.ts"

const notExecutable = 126
const notFound = 127

export type Ended =
  | { readonly exitCode: number }
  | { readonly problem: string; readonly exitCode: number }
  | { readonly interrupted: true; readonly exitCode: number }

/**
 * Whether the keys of a terminal reach us and the command. Where nothing tells of process groups, a terminal is taken for
 * ours.
 */
const inForeground = (): boolean => {
  const hasTerminal = isTerminal(0) || isTerminal(1) || isTerminal(2)
  const stat = ProcessStat.of(process.pid)
  if (stat === undefined) return hasTerminal
  if (stat.foreground !== stat.group) return false
  // A program that has started us within its own job, and reads what we write: signals to us are its own.
  return hasTerminal || ProcessStat.of(process.ppid)?.group !== stat.group
}

const spawn = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  withUserCoreFilter(() =>
    withUserUmask(() => builtins.childProcess.spawn(command, [...args], { env, stdio: "inherit", shell: false }))
  )

type Child = ReturnType<typeof spawn>

/** What each signal to us does. A Node that has a handler for SIGUSR1 does not open its debugger for it. */
const handlers = (child: () => Child | undefined): ReadonlyArray<readonly [NodeJS.Signals, () => void]> => {
  const pass = (name: NodeJS.Signals) => void child()?.kill(name)
  const statOfChild = () => {
    const pid = child()?.pid
    return pid === undefined ? undefined : ProcessStat.of(pid)
  }
  const atStart = ProcessStat.of(process.pid)
  /** Whether the command has left our process group, as timeout(1) does: what the group is sent does not reach it. */
  const isApart = (): boolean => {
    const stat = statOfChild()
    return stat !== undefined && stat.group !== atStart?.group
  }
  const passUnlessTyped = (name: NodeJS.Signals) => () => {
    if (!inForeground() || isApart()) pass(name)
  }

  // A terminal that is closed tells its session's leader alone, which is to tell the job: a shell does, and we in place
  // of one. What we send to the group comes back to us.
  const leadsTerminal = atStart?.session === process.pid && atStart.foreground !== ProcessStat.noTerminal
  let told = false
  const hangUp = (): void => {
    if (told) {
      told = false
      return
    }
    told = leadsTerminal && ProcessStat.of(process.pid)?.foreground === ProcessStat.noTerminal
    if (told) process.kill(0, "SIGHUP")
    if (!told || isApart()) pass("SIGHUP")
  }
  // A command that stops itself, as editors and agents do at Ctrl-Z: the shell waits for us, and would wait on.
  const childChanged = (): void => {
    if (statOfChild()?.state === "T" && inForeground()) process.kill(0, "SIGTSTP")
  }
  const resume = (): void => {
    if (statOfChild()?.state === "T") pass("SIGCONT")
  }
  return [
    ...(["SIGTERM", "SIGUSR1", "SIGUSR2"] as const).map((name) => [name, () => pass(name)] as const),
    ...(["SIGINT", "SIGQUIT"] as const).map((name) => [name, passUnlessTyped(name)] as const),
    ["SIGHUP", hangUp],
    ["SIGCHLD", childChanged],
    ["SIGCONT", resume]
  ]
}

const endedBy = (code: number | null, signal: NodeJS.Signals | null): Ended => {
  if (signal === null) return { exitCode: code ?? ExitCode.unexpected }
  const exitCode = 128 + builtins.os.constants.signals[signal]
  return signal === "SIGINT" && inForeground() ? { interrupted: true, exitCode } : { exitCode }
}

const notStarted = (command: string, cause: unknown): Ended => {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error"
  return code === "ENOENT"
    ? { problem: `${command}: command not found`, exitCode: notFound }
    : { problem: `${command}: cannot be executed (${code})`, exitCode: notExecutable }
}

export const runChild = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    let child: Child | undefined
    const listeners = handlers(() => child)
    const stop = () => {
      for (const [name, listener] of listeners) process.off(name, listener)
    }
    const end = (ended: Ended) => {
      stop()
      resume(Effect.succeed(ended))
    }
    // Before the child exists, so that no signal in between ends us and leaves it behind.
    for (const [name, listener] of listeners) process.on(name, listener)
    try {
      const spawned = spawn(command, args, env)
      child = spawned
      // One that was started has an error when it may not be sent a signal, being another user's as under sudo(8).
      spawned.on("error", (cause) => {
        if (spawned.pid === undefined) end(notStarted(command, cause))
      })
      spawned.once("exit", (code, signal) => end(endedBy(code, signal)))
    } catch (cause) {
      // A NUL in an argument, say.
      end(notStarted(command, cause))
    }
    return Effect.sync(() => {
      stop()
      child?.kill("SIGTERM")
    })
  })

/**
 * Has this process end by SIGINT, once all else is done. A shell shows the code of an interrupted command either way, but
 * only this has it leave the script or the loop that the command was in.
 */
export const endByInterrupt = (): void => {
  process.once("exit", () => {
    process.removeAllListeners("SIGINT")
    process.kill(process.pid, "SIGINT")
  })
}
