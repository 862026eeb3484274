/** Asks the user to choose one of many values, by typing a part of it or with the arrow keys. */
import { displayWidth } from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import { Output } from "./Output.ts"
import { edit, firstKey, readKeys } from "./Prompt.ts"
import { sanitize } from "./Sanitize.ts"

interface Choice {
  readonly value: string
  readonly label: string
}

interface Search {
  readonly typed: string
  readonly marked: number
}

const fitting = (choices: ReadonlyArray<Choice>, { typed }: Search): ReadonlyArray<Choice> => {
  const wanted = typed.trim().toLowerCase()
  const begins = choices.filter(({ value }) => value.startsWith(wanted))
  const holds = choices.filter(({ label, value }) => `${value} ${label}`.toLowerCase().includes(wanted))
  return [...new Set([...begins, ...holds])]
}

const moves: Readonly<Record<string, number>> = {
  "\u001b[A": -1,
  "\u001bOA": -1,
  "\u0010": -1,
  "\u001b[B": 1,
  "\u001bOB": 1,
  "\u000e": 1,
  "\t": 1
}

const search = (choices: ReadonlyArray<Choice>, before: Search, chunk: string): {
  readonly search: Search
  readonly key: "text" | "enter" | "cancel"
  readonly rest: string
} => {
  let now = before
  let rest = chunk
  while (rest !== "") {
    const key = firstKey(rest)
    rest = rest.slice(key.length)
    const count = fitting(choices, now).length
    const move = moves[key]
    if (move !== undefined) now = { typed: now.typed, marked: count === 0 ? 0 : (now.marked + move + count) % count }
    else if (key === "\u001b") return { search: now, key: "cancel", rest: "" }
    else {
      const edited = edit(now.typed, key)
      if (edited.key === "cancel" || (edited.key === "enter" && count > 0)) {
        return { search: now, key: edited.key, rest }
      }
      if (edited.typed !== now.typed) now = { typed: edited.typed, marked: 0 }
    }
  }
  return { search: now, key: "text", rest }
}

const rowsShown = 8

/** The rows below the question: the selected row with its neighbors, and the number of hidden rows. */
const rowsOf = (choices: ReadonlyArray<Choice>, now: Search, { paintMessage, table }: Output["Service"]) => {
  const found = fitting(choices, now)
  if (found.length === 0) return [paintMessage("dim", "   no matches")]
  const first = Math.max(0, now.marked - rowsShown + 1)
  const shown = found.slice(first, first + rowsShown)
  const rows = table(
    ["", "", ""],
    shown.map(({ label, value }, at) => [
      first + at === now.marked ? ">" : " ",
      { text: value, style: first + at === now.marked ? "cyan" : undefined },
      { text: label, style: "dim" }
    ])
  ).split("\n").slice(1)
  return found.length === shown.length
    ? rows
    : [...rows, paintMessage("dim", `   ${found.length - shown.length} more; type part of the name`)]
}

export const choose = (question: string, choices: ReadonlyArray<Choice>, typed = "") =>
  Effect.flatMap(Output, (output) => {
    let now: Search = { typed, marked: 0 }
    // Leaves the cursor on the question's line, where the next drawing starts.
    const render = (text: string, rows: ReadonlyArray<string>) => {
      const line = `${sanitize(question)}: ${sanitize(text)}`
      const below = rows.length === 0
        ? ""
        : `\n${rows.join("\n")}\u001b[${rows.length}A\r\u001b[${displayWidth(line)}C`
      Effect.runSync(output.draw(`\r\u001b[J${line}${below}`))
    }
    return readKeys<string>(() => render(now.typed, rowsOf(choices, now, output)), (chunk) => {
      const next = search(choices, now, chunk)
      now = next.search
      if (next.key === "text") {
        render(now.typed, rowsOf(choices, now, output))
        return undefined
      }
      const chosen = next.key === "cancel" ? undefined : fitting(choices, now)[now.marked]!.value
      render(chosen ?? "", [])
      return { result: chosen, rest: next.rest }
    })
  })
