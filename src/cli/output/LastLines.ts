/** Shows the end of a log file, which rotation keeps small. */
import * as Effect from "effect/Effect"
import { textOf } from "../../platform/files/ReadOrEmpty.ts"
import { Output } from "./Output.ts"
import { sanitizeLine } from "./Sanitize.ts"

/** Returns the last `count` lines at most; none if the file is absent or not a regular file. */
const lastLines = (file: string, count: number): ReadonlyArray<string> => {
  const text = textOf(file)
  return text === "" ? [] : text.replace(/\n$/, "").split("\n").slice(-count)
}

/** Prints the last lines of a log, and tells whether there are none. */
export const showLines = Effect.fnUntraced(function*(file: string, count: number) {
  const output = yield* Output
  const lines = lastLines(file, count)
  if (output.json) yield* output.document(lines)
  else if (lines.length > 0) yield* output.data(lines.map(sanitizeLine).join("\n"))
  return lines.length === 0
})
