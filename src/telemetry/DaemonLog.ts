/**
 * The daemon's own log, `server/logs/daemon.log`.
 *
 * A line names events, routes by their pattern, and failures by class and code. It never contains a request path, which
 * may include the ID of an auth session, which grants access, or an error message, which may quote a provider's response.
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Paths } from "../config/Paths.ts"
import type { LogFormat } from "../config/Settings.ts"
import { openRotatingFile } from "../platform/files/RotatingFile.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"

type Level = "info" | "warning" | "error"

/** `docs/events.md` explains each event. */
export type DaemonEvent =
  | "log"
  | "notice-failed"
  | "peer-refused"
  | "placeholder-misplaced"
  | "removed-abandoned-files"
  | "request"
  | "scopes-missing"
  | "started"
  | "stopping"
  | "store-outdated"
  | "telemetry-accepted"
  | "telemetry-not-accepted"
  | "unexpected"
  | "waiting-for-stopping-daemon"

/** Fields of a log line: constants of the code and names with a validated format, never other input. */
export type Fields = Readonly<Record<string, string | number | boolean>>

const text = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w$.-]{1,64}$/.test(value) ? value : undefined

/** The stack frames of an error, without the message before them, which may itself look like a frame. */
const frames = (error: Error): string => {
  const { message, stack = "" } = error
  const at = stack.indexOf(message)
  const lines = stack.slice(at === -1 ? 0 : at + message.length).split("\n").filter((line) => /^\s+at /.test(line))
  return lines.slice(0, 6).map((line) => line.trim().replace(/^at /, "")).join(" < ")
}

const describeValue = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return typeof value
  const { _tag, code, reason } = value as { _tag?: unknown; code?: unknown; reason?: { _tag?: unknown } }
  const parts = [
    text(_tag) ?? text((value as { constructor?: { name?: unknown } }).constructor?.name) ?? "object",
    text(reason?._tag),
    text(code)
  ]
  const name = parts.filter((part) => part !== undefined).join("/")
  return value instanceof Error ? `${name} at ${frames(value)}` : name
}

/** Describes a cause by the classes, codes and stack frames of its errors, without messages. */
export const describeCause = (cause: Cause.Cause<unknown>): string =>
  cause.reasons.map((reason) => {
    if (reason._tag === "Interrupt") return "interrupted"
    return describeValue(reason._tag === "Fail" ? reason.error : reason.defect)
  }).join("; ")

/** Formats a line as text, or as one JSON object with `time`, `level`, `event` and the fields. */
export const formatLine = (format: LogFormat, level: Level, event: DaemonEvent, fields: Fields): string => {
  const time = new Date().toISOString()
  if (format === "json") return JSON.stringify({ time, level, event, ...fields })
  const rest = Object.entries(fields).map(([name, value]) =>
    `${name}=${typeof value === "string" && /[\s"=]/.test(value) ? JSON.stringify(value) : value}`
  )
  return [time, level.toUpperCase().padEnd(7), event, ...rest].join(" ")
}

export class DaemonLog extends Context.Service<DaemonLog, {
  readonly write: (level: Level, event: DaemonEvent, fields?: Fields) => void
}>()("credsvc/telemetry/DaemonLog") {
  static readonly layerNoDeps = (
    options: { readonly echo: boolean; readonly format: LogFormat }
  ): Layer.Layer<DaemonLog, SecureFiles.SecureFileError, Paths> =>
    Layer.effect(
      DaemonLog,
      Effect.gen(function*() {
        const paths = yield* Paths
        yield* SecureFiles.ensurePrivateDirectory(paths.serverLogs)
        const file = yield* Effect.acquireRelease(
          openRotatingFile(paths.daemonLog),
          (file) => Effect.sync(() => file.close())
        )
        return DaemonLog.of({
          write: (level, event, fields = {}) => {
            const line = formatLine(options.format, level, event, fields)
            file.write(line)
            if (options.echo) process.stderr.write(`${line}\n`)
          }
        })
      })
    )

  static readonly layerSilent: Layer.Layer<DaemonLog> = Layer.succeed(DaemonLog, DaemonLog.of({ write: () => {} }))
}
