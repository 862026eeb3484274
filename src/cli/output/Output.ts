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
  const stream = () => fd === 1 ? process.stdout : process.stderr
  return (text: string): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      let bytes = Buffer.from(text)
      while (bytes.length > 0 && !closed) {
        try {
          bytes = bytes.subarray(fs.writeSync(fd, bytes))
        } catch (cause) {
          const code = errorCode(cause)
          if (code === "EPIPE") {
            closed = true
          } else if (code === "EAGAIN") {
            // The pipe is non-blocking and full. Only the stream can wait for its reader.
            const target = stream()
            target.once("error", () => {
              closed = true
            })
            target.write(bytes, () => resume(Effect.void))
            return
          } else {
            closed = true
            resume(
              fd === 1
                ? Effect.die(new OutputError(`The output could not be written to stdout (${code}).`))
                : Effect.void
            )
            return
          }
        }
      }
      resume(Effect.void)
    })
}

/** Evaluates `NO_COLOR` and `FORCE_COLOR` by their conventions; a flag overrides both. */
const wantsColor = (flags: GlobalFlags["Service"], terminal: boolean): boolean => {
  if (flags.noColor || (process.env["NO_COLOR"] ?? "") !== "") return false
  const forced = process.env["FORCE_COLOR"]
  if (forced !== undefined) return forced !== "0" && forced !== "false"
  return terminal && process.env["TERM"] !== "dumb"
}

export class Output extends Context.Service<Output, {
  readonly json: boolean
  readonly quiet: boolean

  /** Whether the user can answer questions: stdin and stderr are terminals, and `--json` is not set. */
  readonly interactive: boolean

  /** Whether stdout is a terminal, which interprets control characters. */
  readonly terminal: boolean

  /** The width of the terminal on stdout, or undefined if there is none or it does not report a width. */
  readonly columns: () => number | undefined

  readonly raw: (text: string) => Effect.Effect<void>

  readonly data: (text: string) => Effect.Effect<void>

  readonly document: (value: unknown) => Effect.Effect<void>

  readonly either: (document: () => unknown, text: () => string) => Effect.Effect<void>

  /** Formats a table with a row for each item. `columns` maps the header of a column to its cells. */
  readonly table: <A>(items: ReadonlyArray<A>, columns: Readonly<Record<string, (item: A) => Text.Cell>>) => string
  readonly fields: (rows: ReadonlyArray<readonly [key: string, value: string]>) => string

  /** Formats a time or its RFC 3339 text: relative to now on a terminal, as an absolute time elsewhere. */
  readonly time: (at: DateTime.Utc | string) => string

  readonly paint: Text.Painter
  readonly colors: boolean

  /** Prints status messages on stderr, unless with `--quiet` or `--json`. */
  readonly note: (...texts: ReadonlyArray<string>) => Effect.Effect<void>

  /** Prints messages on stderr, even with `--quiet`. */
  readonly tell: (...texts: ReadonlyArray<string>) => Effect.Effect<void>

  readonly warn: (text: string) => Effect.Effect<void>

  readonly fail: (text: string, hint?: string) => Effect.Effect<void>

  readonly draw: (text: string) => Effect.Effect<void>

  readonly paintMessage: Text.Painter
}>()("credsvc/cli/Output") {
  static readonly layerNoDeps = Layer.effect(
    Output,
    Effect.map(GlobalFlags, (flags) => {
      const terminal = isTerminal(1)
      const messageTerminal = isTerminal(2)
      const colors = wantsColor(flags, terminal)
      const paint = Text.painter(colors)
      const paintMessage = Text.painter(wantsColor(flags, messageTerminal))
      const raw = makeWriter(1)
      const draw = makeWriter(2)
      // Terminals of unknown size report 0.
      const width = () => terminal ? process.stdout.columns || undefined : undefined
      const messageWidth = () => messageTerminal ? process.stderr.columns || undefined : undefined
      const data = (text: string) => raw(`${text}\n`)
      const document = (value: unknown) => data(Text.toJson(value))
      const say = (prefix: string, text: string) => draw(`${Text.wrapHelp(prefix + sanitize(text), messageWidth())}\n`)
      const tell = (...texts: ReadonlyArray<string>) => texts.length === 0 ? Effect.void : say("", texts.join("\n"))
      return Output.of({
        json: flags.json,
        quiet: flags.quiet,
        interactive: !flags.json && messageTerminal && isTerminal(0),
        terminal,
        columns: width,
        raw,
        data,
        document,
        either: (value, text) => flags.json ? document(value()) : data(text()),
        table: (items, columns) => {
          const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)))
          return Text.table(Object.keys(columns), rows, { width: width(), paint })
        },
        fields: (rows) => Text.fields(rows, paint),
        time: (at) => {
          const text = typeof at === "string" ? at : DateTime.formatIso(at)
          return terminal ? relativeTime(Date.parse(text), Date.now()) : text
        },
        paint,
        colors,
        note: (...texts) => flags.quiet || flags.json ? Effect.void : tell(...texts),
        tell,
        warn: (text) => say(`${paintMessage("yellow", "warning:")} `, text),
        fail: (text, hint) =>
          Effect.andThen(
            say(`${paintMessage("red", "error:")} `, text),
            hint === undefined ? Effect.void : say("", hint)
          ),
        draw,
        paintMessage
      })
    })
  )
}
