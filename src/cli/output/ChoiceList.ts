/** Asks the user to choose one of many values, by its number in a list, by its name or by a part of the name. */
import * as Effect from "effect/Effect"
import { Output } from "./Output.ts"
import * as Prompt from "./Prompt.ts"

interface Choice {
  readonly value: string
  readonly label: string
}

const matchingChoices = (choices: ReadonlyArray<Choice>, typed: string): ReadonlyArray<Choice> => {
  const wanted = typed.trim().toLowerCase()
  const exact = choices.filter(({ value }) => value.toLowerCase() === wanted)
  return exact.length > 0
    ? exact
    : choices.filter(({ label, value }) => `${value} ${label}`.toLowerCase().includes(wanted))
}

const rowsShown = 8

/** Lists the choices that contain what was typed, and asks until the answer selects one. The first of a short list is the default. */
export const choose = Effect.fnUntraced(function*(question: string, choices: ReadonlyArray<Choice>, typed = "") {
  const output = yield* Output
  let found = matchingChoices(choices, typed)
  for (;;) {
    const shown = found.slice(0, rowsShown)
    yield* output.tell(
      ...shown.map(({ label, value }, at) => `${at + 1}. ${value} (${label})`),
      ...found.length === shown.length ? [] : [`${found.length - shown.length} more; type part of the name`],
      ...found.length === 0 ? ["No matches"] : []
    )
    const answer = yield* Prompt.line(question, found.length === shown.length ? shown[0]?.value : undefined)
    const numbered = shown[Number(answer) - 1]
    if (numbered !== undefined) return numbered.value
    found = matchingChoices(choices, answer)
    if (found.length === 1) return found[0]!.value
  }
})
