/**
 * Asks the user questions at the terminal. Writes to stderr, so that stdout contains only data.
 *
 * The terminal is in raw mode during a question and is restored however the question ends. Ctrl-C, Ctrl-D and the end
 * of the input fail with `InputCancelledError`.
 */
import { displayWidth } from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { InputCancelledError } from "../../domain/Errors.ts"
import { Output } from "./Output.ts"
import { sanitize } from "./Sanitize.ts"

const cancelled = () => new InputCancelledError({ detail: "Cancelled. Nothing was changed." })

interface Line {
  readonly typed: string
  readonly key: "text" | "enter" | "cancel"
  /** The input after the end of the line, which belongs to the next question. */
  readonly rest: string
}

const maxLength = 65_536

// Matches what arrow keys and function keys send, and the markers around pasted text.
const escapeSequence = new RegExp(`^${String.fromCharCode(27)}(?:\\[[0-9;?]*[ -/]*[@-~]|O.|.)?`, "su")

const firstKey = (keys: string): string => escapeSequence.exec(keys)?.[0] ?? String.fromCodePoint(keys.codePointAt(0)!)

export const edit = (typed: string, chunk: string): Line => {
  let line = typed
  let rest = chunk
  while (rest !== "") {
    const character = firstKey(rest)
    rest = rest.slice(character.length)
    switch (character) {
      case "\r":
      case "\n":
        return { typed: line, key: "enter", rest }
      case "\u0003":
        return { typed: "", key: "cancel", rest: "" }
      case "\u0004":
        if (line === "") return { typed: "", key: "cancel", rest: "" }
        break
      case "\b":
      case "\u007f":
        line = Array.from(line).slice(0, -1).join("")
        break
      case "\u0015":
        line = ""
        break
      case "\u0017":
        line = line.replace(/\S*\s*$/, "")
        break
      default:
        if (character >= " " && line.length < maxLength) line += character
    }
  }
  return { typed: line, key: "text", rest: "" }
}

// Input that arrived before the question was asked.
let ahead = ""

/** Passes what is typed to `onData`, in raw mode. Returns a function that stops listening. */
const listen = (onData: (chunk: string) => void, onEnd: () => void): () => void => {
  const { stdin } = process
  stdin.setEncoding("utf8").on("data", onData).on("end", onEnd)
  stdin.setRawMode(true)
  stdin.resume()
  return () => {
    stdin.off("data", onData).off("end", onEnd)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

export const requireTerminal = Effect.flatMap(Output, (output) =>
  output.interactive ? Effect.void : Effect.fail(
    new InputCancelledError({ detail: "Cannot ask without a terminal. Run the command in a terminal." })
  ))

const READING_MILLISECONDS = 500

/** Discards what is typed until the user has had time to read a question that was just shown. */
export const discardTyped = Effect.callback<void, InputCancelledError>((resume) => {
  ahead = ""
  const stop = () => {
    clearTimeout(timer)
    leave()
  }
  const onEnd = () => {
    stop()
    resume(Effect.fail(cancelled()))
  }
  const onData = (chunk: string) => {
    if (chunk.includes("\u0003")) onEnd()
  }
  const timer = setTimeout(() => {
    stop()
    resume(Effect.void)
  }, READING_MILLISECONDS)
  const leave = listen(onData, onEnd)
  return Effect.sync(stop)
})

const same = (typed: string): string => typed

/** Reads one line in raw mode. Displays `shown(line)` while typing, and `settled(line)` at the end. */
const readLine = (question: string, shown = same, settled = same) =>
  Effect.flatMap(
    Effect.andThen(requireTerminal, Output),
    ({ draw }) =>
      Effect.callback<string, InputCancelledError>((resume) => {
        // The number of rows above the cursor: a long line wraps at the width of the terminal.
        let above = 0
        const render = (text: string) => {
          const line = sanitize(question) + sanitize(text)
          Effect.runSync(draw(`${above === 0 ? "" : `\u001b[${above}A`}\r\u001b[J${line}`))
          above = Math.max(0, Math.ceil(displayWidth(line) / (process.stderr.columns || Infinity)) - 1)
        }
        const stop = () => {
          leave()
          Effect.runSync(draw("\n"))
        }
        const end = (result: Effect.Effect<string, InputCancelledError>) => {
          stop()
          resume(result)
        }
        const onEnd = () => end(Effect.fail(cancelled()))
        let typed = ""
        const onData = (chunk: string) => {
          const next = edit(typed, chunk)
          typed = next.typed
          ahead = next.rest
          if (next.key === "cancel") return onEnd()
          render(next.key === "enter" ? settled(typed) : shown(typed))
          if (next.key === "enter") end(Effect.succeed(typed))
        }
        const leave = listen(onData, onEnd)
        render("")
        if (ahead !== "") onData(ahead)
        return Effect.sync(stop)
      })
  )

/** Asks for a line that is visible while typed. An empty line means the default, if there is one. */
export const line = (question: string, standard?: string) =>
  Effect.map(
    readLine(standard === undefined ? `${question}: ` : `${question} [${standard}]: `),
    (typed) => typed === "" && standard !== undefined ? standard : typed
  )

/** Asks for a line that is hidden while typed. The final display does not reveal its length. */
export const secret = (question: string) =>
  Effect.map(
    readLine(
      `${question}: `,
      (typed) => "*".repeat(Array.from(typed).length),
      (typed) => typed === "" ? "" : "********"
    ),
    Redacted.make
  )

/** Asks for confirmation. Anything but yes means no. */
export const confirm = (question: string) =>
  Effect.map(readLine(`${question} [y/N] `), (typed) => /^y(es)?$/i.test(typed.trim()))
