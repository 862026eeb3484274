/**
 * The debug log of the command line: requests to the daemon, their duration and their result. It never contains values.
 *
 * Lines are buffered and written when the command ends, or earlier when the buffer is full. A log that cannot be
 * written does not make a command fail.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { Paths } from "../../config/Paths.ts"
import { openRotatingFile } from "../../platform/files/RotatingFile.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import { Output } from "../output/Output.ts"
import { sanitizeLine } from "../output/Sanitize.ts"
import { GlobalFlags } from "../parse/GlobalFlags.ts"

const rotation = { maxBytes: 10 * 1024 * 1024, keep: 4 }
const flushAfter = 500

/** The origin of a log line in the format of loguru: `function:line`. */
type CallSite = string

/** Returns the caller's position. A stack trace costs more than writing a line, so call it once per statement. */
export const callSite = (name: string): CallSite => {
  const [, , frame = ""] = (new Error().stack ?? "").split("\n")
  return `${name}:${/:(\d+):\d+\)?$/.exec(frame)?.[1] ?? "0"}`
}

/**
 * Returns a function that formats lines like loguru's default format, with the process ID in front of the message:
 * `2026-01-31 12:00:00.000 | DEBUG    | credsvc.get:send:58 - [421] message`.
 */
const formatter = (command: string) => (at: number, site: CallSite, message: string): string => {
  const time = new Date(at).toISOString().replace("T", " ").replace("Z", "")
  return `${time} | DEBUG    | credsvc.${command}:${site} - [${process.pid}] ${sanitizeLine(message)}`
}

/** Tells how a command ended, without the error's text, which may contain secrets. */
const ending = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "success"
  if (Cause.hasInterruptsOnly(exit.cause)) return "interrupted"
  const error = Cause.squash(exit.cause)
  const { _tag, name, stack } = Object(error) as Readonly<Record<"_tag" | "name" | "stack", unknown>>
  const frames = Cause.hasFails(exit.cause) ? [] : String(stack).split("\n").filter((line) => /^\s+at /.test(line))
  return [String(_tag ?? name), ...frames.slice(0, 10).map((frame) => frame.trim())].join(" ")
}

const make = Effect.gen(function*() {
  const flags = yield* GlobalFlags
  const output = yield* Output
  const paths = yield* Paths
  const command = process.argv.slice(2).find((argument, at, all) =>
    /^[a-z][a-z-]*$/.test(argument) && all[at - 1] !== "--log-file"
  ) ?? "credsvc"
  const file = flags.logFile === "" ? undefined : path.resolve(flags.logFile ?? paths.clientLog)
  const format = formatter(command)
  const here = callSite("main")
  let lines: Array<string> = []
  let usable = true

  const flush = Effect.gen(function*() {
    if (file === undefined || !usable || lines.length === 0) {
      return
    }
    const written = lines
    lines = []
    if (file === paths.clientLog) {
      yield* SecureFiles.ensurePrivateDirectory(paths.clientLogs)
    }
    const log = yield* openRotatingFile(file, rotation)
    const isWritten = log.write(...written)
    log.close()
    if (!isWritten) {
      return yield* Effect.fail("not written")
    }
  }).pipe(
    Effect.catchCause(() => {
      usable = false
      return flags.logFile === undefined ? Effect.void : output.warn(`The log file ${file} cannot be written.`)
    })
  )

  const debug = (site: CallSite, message: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const line = format(Date.now(), site, message)
      lines.push(line)
      const written = lines.length >= flushAfter ? flush : Effect.void
      return flags.verbose ? Effect.andThen(output.draw(output.paintMessage("dim", `${line}\n`)), written) : written
    })

  yield* Effect.addFinalizer((exit) =>
    Effect.andThen(debug(here, `ended: ${ending(exit)}`), flush)
  )
  yield* debug(here, "started")
  return { file, debug, isVerbose: flags.verbose }
})

export class ClientLog extends Context.Service<ClientLog, Effect.Success<typeof make>>()("credsvc/cli/ClientLog") {
  static readonly layerNoDeps = Layer.effect(ClientLog, make)
}
