/**
 * Questions to the person at the terminal, asked on stderr so that stdout stays data.
 *
 * The terminal is switched to raw mode for one question and back again however that question ends. Ctrl-C, Ctrl-D and the
 * end of the input are `InputCancelledError`.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { InputCancelledError } from "../../domain/Errors.ts"
import { Output } from "./Output.ts"
import { sanitize } from "./Text.ts"

const cancelled = () => new InputCancelledError({ detail: "Cancelled. Nothing was changed." })

interface Line {
  readonly typed: string
  readonly key: "text" | "enter" | "cancel"
  /** What came after the line ended: the beginning of the next one. */
  readonly rest: string
}

const maxLength = 65_536

// Arrows, function keys, the marks around a paste.
const escapeSequence = new RegExp(`^${String.fromCharCode(27)}(?:\\[[0-9;?]*[ -/]*[@-~]|O.|.)?`, "su")

/** A character, or the whole of an escape sequence. */
export const firstKey = (keys: string): string =>
  escapeSequence.exec(keys)?.[0] ?? String.fromCodePoint(keys.codePointAt(0)!)

/** Applies what arrived to what was typed so far. */
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

// What was typed before it was asked for.
let ahead = ""

/**
 * The terminal in raw mode, until `onKeys` answers with the result and what came after it. Undefined instead of a result
 * is a cancellation.
 */
export const readKeys = <A>(
  begin: () => void,
  onKeys: (chunk: string) => { readonly result: A | undefined; readonly rest: string } | undefined
) =>
  Effect.flatMap(Output, ({ draw }) =>
    Effect.callback<A, InputCancelledError>((resume) => {
      const { stdin } = process
      const stop = () => {
        stdin.off("data", onData).off("end", onEnd)
        stdin.setRawMode(false)
        stdin.pause()
        Effect.runSync(draw("\n"))
      }
      const end = (result: Effect.Effect<A, InputCancelledError>) => {
        stop()
        resume(result)
      }
      const onEnd = () => end(Effect.fail(cancelled()))
      const onData = (chunk: string) => {
        const answer = onKeys(chunk)
        if (answer === undefined) return
        ahead = answer.rest
        if (answer.result === undefined) onEnd()
        else end(Effect.succeed(answer.result))
      }
      stdin.setEncoding("utf8").on("data", onData).on("end", onEnd)
      stdin.setRawMode(true)
      stdin.resume()
      begin()
      if (ahead !== "") {
        const early = ahead
        ahead = ""
        onData(early)
      }
      return Effect.sync(stop)
    }))

/** Reads one line from the terminal, showing `shown(line)` after the question, and `settled(line)` in the end. */
const readLine = (question: string, shown: (typed: string) => string, settled: (typed: string) => string) =>
  Effect.flatMap(Output, ({ draw }) => {
    const render = (text: string) => Effect.runSync(draw(`\r\u001b[K${sanitize(question)}${sanitize(text)}`))
    let typed = ""
    return readKeys<string>(() => render(""), (chunk) => {
      const next = edit(typed, chunk)
      typed = next.typed
      if (next.key === "cancel") return { result: undefined, rest: "" }
      render(next.key === "enter" ? settled(typed) : shown(typed))
      return next.key === "enter" ? { result: typed, rest: next.rest } : undefined
    })
  })

export const requireTerminal = Effect.flatMap(Output, (output) =>
  output.interactive ? Effect.void : Effect.fail(
    new InputCancelledError({ detail: "Cannot ask without a terminal." })
  ))

/** A line that is shown as it is typed. Empty means the default, when there is one. */
export const line = (question: string, standard?: string) =>
  Effect.andThen(
    requireTerminal,
    readLine(
      standard === undefined ? `${question}: ` : `${question} [${standard}]: `,
      (typed) => typed,
      (typed) => typed
    )
  ).pipe(Effect.map((typed) => typed === "" && standard !== undefined ? standard : typed))

/** A line that is not shown. What is left on the screen does not tell its length. */
export const secret = (question: string) =>
  Effect.andThen(
    requireTerminal,
    readLine(
      `${question}: `,
      (typed) => "*".repeat(Array.from(typed).length),
      (typed) => typed === "" ? "" : "********"
    )
  ).pipe(Effect.map(Redacted.make))

/** Yes only when the answer is yes. */
export const confirm = (question: string) =>
  Effect.andThen(requireTerminal, readLine(`${question} [y/N] `, (typed) => typed, (typed) => typed)).pipe(
    Effect.map((typed) => /^y(es)?$/i.test(typed.trim()))
  )
