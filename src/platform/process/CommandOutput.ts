/** Runs a program of the user without a shell, and returns its output, which never appears in a log or an error. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { builtins } from "../builtins.ts"
import { errorCode } from "../ErrorCode.ts"
import { readOr } from "../files/ReadOrEmpty.ts"
import { account } from "./Account.ts"
import { withUserUmask } from "./UserUmask.ts"

/** A clause about the failed program, such as `exited with code 1`, without its output. */
export class CommandFailure extends Data.TaggedError("CommandFailure")<{ readonly message: string }> {}

const MAX_OUTPUT = 64 * 1024
/**
 * How long to read the pipe after the program has exited, because a process that the program left behind may hold the pipe open.
 */
const DRAIN_MILLISECONDS = 500

/** The variables of this process with these names, as far as they are set. */
export const ownVariables = (names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }))

/**
 * The environment of the program. On Linux and macOS, it contains nothing from this process's environment, which an untrusted
 * program may have chosen.
 */
const commandEnvironment = (program: string): Readonly<Record<string, string>> => {
  const { homedir, uid, username } = account()
  if (process.platform === "win32") {
    const kept = ["SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "PATH"]
    return ownVariables(kept)
  }
  const runtime = `/run/user/${uid}`
  return {
    HOME: homedir,
    USER: username,
    LOGNAME: username,
    PATH: [...new Set([path.dirname(program), ...systemDirectories])].join(":"),
    LANG: "C.UTF-8",
    ...(fs.existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {})
  }
}

const systemDirectories = "/usr/local/bin /usr/bin /bin /usr/local/sbin /usr/sbin /sbin".split(" ")

const startProblem = (error: unknown): string => {
  const code = errorCode(error)
  if (code === "ENOENT") return "was not found"
  if (code === "EACCES") return "may not be executed"
  return `could not be started (${code})`
}

const start = (program: string, args: ReadonlyArray<string>) => {
  const env = commandEnvironment(program)
  return Result.try({
    try: () =>
      withUserUmask(() =>
        builtins.childProcess.spawn(program, args, {
          cwd: env["HOME"] ?? path.dirname(program),
          env,
          shell: false,
          stdio: ["ignore", "pipe", "ignore"],
          // A separate process group, so that the program can be killed together with the processes that it starts.
          detached: process.platform !== "win32",
          windowsHide: true
        })
      ),
    catch: startProblem
  })
}

/** Kills the process group of a program, which may have ended. */
const killGroup = (child: ChildProcess): boolean =>
  readOr(() => {
    if (process.platform === "win32" || child.pid === undefined) return child.kill("SIGKILL")
    return process.kill(-child.pid, "SIGKILL")
  }, false)

/** Returns the program's standard output. Kills its process group after `milliseconds`, or when it prints more than `MAX_OUTPUT`. */
export const commandOutput = (
  [program, ...args]: readonly [string, ...ReadonlyArray<string>],
  { milliseconds }: { readonly milliseconds: number }
): Effect.Effect<Redacted.Redacted<string>, CommandFailure> =>
  Effect.callback((resume) => {
    const fail = (message: string) => resume(Effect.fail(new CommandFailure({ message })))
    const started = start(program, args)
    if (Result.isFailure(started)) return fail(started.failure)
    const child = started.success
    const kill = () => {
      clearTimeout(timer)
      killGroup(child)
    }
    const timer = setTimeout(() => {
      kill()
      fail(`did not end within ${milliseconds / 1000} seconds`)
    }, milliseconds)
    const chunks: Array<Buffer> = []
    let size = 0
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_OUTPUT) return chunks.push(chunk)
      kill()
      return fail("printed more than 64 KiB")
    })
    child.once("error", (error) => {
      clearTimeout(timer)
      fail(startProblem(error))
    })
    const ended = (code: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(timer)
      child.stdout.destroy()
      if (code === 0) return resume(Effect.succeed(Redacted.make(Buffer.concat(chunks).toString("utf8"))))
      return fail(
        code === null
          ? `was terminated by ${signal ?? "a signal"}`
          : `exited with code ${code}. It runs without the variables of your shell; set the variables that it needs with env NAME=value before it`
      )
    }
    child.once("exit", (code, signal) => setTimeout(() => ended(code, signal), DRAIN_MILLISECONDS).unref())
    child.once("close", ended)
    return Effect.sync(kill)
  })
