/**
 * Everything that a command prints.
 *
 * Data goes to stdout; with `--json` it is a single document. Everything else goes to stderr: notes, which `--quiet`
 * suppresses, and warnings, which it does not. If the reader closes the pipe, output stops silently and the command
 * continues.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { relativeTime } from "../../domain/text/RelativeTime.ts"
import { errorCode } from "../../platform/ErrorCode.ts"
import { isTerminal } from "../../platform/process/Terminal.ts"
import { GlobalFlags } from "../parse/GlobalFlags.ts"
import { sanitize } from "./Sanitize.ts"
import * as Text from "./Text.ts"

/** stdout or stderr cannot be written, for example because the disk is full. */
class OutputError extends Error {
  readonly _tag = "OutputError"
}

/** Writes directly to the file descriptor, because creating the stream would cost a short command several milliseconds. */
const makeWriter = (fd: 1 | 2) => {
  let closed = false
  return (text: string): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      let bytes = Buffer.from(text)
      while (bytes.length > 0 && !closed) {
        try {
          bytes = bytes.subarray(fs.writeSync(fd, bytes))
        } catch (cause) {
          const code = errorCode(cause)
          if (code === "EAGAIN") {
            // The pipe is non-blocking and full. Only the stream can wait for its reader.
            const target = fd === 1 ? process.stdout : process.stderr
            target.once("error", () => {
              closed = true
            })
            return void target.write(bytes, () => resume(Effect.void))
          }
          closed = true
          if (fd === 1 && code !== "EPIPE") {
            return resume(Effect.die(new OutputError(`The output could not be written to stdout (${code}).`)))
          }
        }
      }
      resume(Effect.void)
    })
}

/** Whether to use colors: by `--no-color`, the conventions of `NO_COLOR` and `FORCE_COLOR`, and the terminal. */
const wantsColor = (flags: GlobalFlags["Service"], terminal: boolean): boolean => {
  if (flags.noColor || (process.env["NO_COLOR"] ?? "") !== "") return false
  const forced = process.env["FORCE_COLOR"]
  if (forced !== undefined) return forced !== "0" && forced !== "false"
  return terminal && process.env["TERM"] !== "dumb"
}

const make = Effect.map(GlobalFlags, (flags) => {
  const terminal = isTerminal(1)
  const messageTerminal = isTerminal(2)
  const colors = wantsColor(flags, terminal)
  const paint = Text.painter(colors)
  const paintMessage = Text.painter(wantsColor(flags, messageTerminal))
  const raw = makeWriter(1)
  const draw = makeWriter(2)
  /** The width of the terminal on stdout. Undefined without a terminal, or if the terminal reports the width 0. */
  const columns = () => terminal ? process.stdout.columns || undefined : undefined
  const messageWidth = () => messageTerminal ? process.stderr.columns || undefined : undefined
  const data = (text: string) => raw(`${text}\n`)
  const document = (value: unknown) => data(Text.toJson(value))
  const say = (prefix: string, text: string) => draw(`${Text.wrapHelp(prefix + sanitize(text), messageWidth())}\n`)
  /** Prints messages on stderr, even with `--quiet`. */
  const tell = (...texts: ReadonlyArray<string>) => texts.length === 0 ? Effect.void : say("", texts.join("\n"))
  return {
    json: flags.json,
    quiet: flags.quiet,
    /** Whether the user can answer questions: stdin and stderr are terminals, and `--json` is not set. */
    interactive: !flags.json && messageTerminal && isTerminal(0),
    /** Whether stdout is a terminal, which interprets control characters. */
    terminal,
    columns,
    raw,
    data,
    document,
    either: (value: () => unknown, text: () => string) => flags.json ? document(value()) : data(text()),
    /** Formats a table with a row for each item. `cells` maps the header of a column to its cells. */
    table: <A>(items: ReadonlyArray<A>, cells: Readonly<Record<string, (item: A) => Text.Cell>>): string => {
      const rows = items.map((item) => Object.values(cells).map((cell) => cell(item)))
      return Text.table(Object.keys(cells), rows, { width: columns(), paint })
    },
    fields: (rows: ReadonlyArray<readonly [key: string, value: string]>) => Text.fields(rows, paint),
    /** Formats a time or its RFC 3339 text: relative to now on a terminal, as an absolute time elsewhere. */
    time: (at: DateTime.Utc | string): string => {
      const text = typeof at === "string" ? at : DateTime.formatIso(at)
      return terminal ? relativeTime(Date.parse(text), Date.now()) : text
    },
    paint,
    colors,
    /** Prints status messages on stderr, unless with `--quiet` or `--json`. */
    note: (...texts: ReadonlyArray<string>) => flags.quiet || flags.json ? Effect.void : tell(...texts),
    tell,
    warn: (text: string) => say(`${paintMessage("yellow", "warning:")} `, text),
    fail: (text: string, hint?: string) =>
      Effect.andThen(
        say(`${paintMessage("red", "error:")} `, text),
        hint === undefined ? Effect.void : say("", hint)
      ),
    draw,
    paintMessage
  }
})

export class Output extends Context.Service<Output, Effect.Success<typeof make>>()("credsvc/cli/Output") {
  static readonly layerNoDeps = Layer.effect(Output, make)
}
