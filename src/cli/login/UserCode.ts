/** Transfers a code and a URL from this terminal to the device where the user logs in. */
import * as Effect from "effect/Effect"
import { Output } from "../output/Output.ts"

/** Tells whether the terminal ignores escape sequences that it does not support, rather than printing them. */
const copies = (): boolean => !["dumb", "linux", ""].includes(process.env["TERM"] ?? "")

/** Copies the text to the terminal's clipboard (OSC 52). Whether the terminal accepts it cannot be detected. */
export const copy = Effect.fnUntraced(function*(text: string) {
  const output = yield* Output
  if (!output.interactive || !copies()) return false
  yield* output.draw(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`)
  return true
})

export const drawQrCode = Effect.fnUntraced(function*(url: string) {
  const output = yield* Output
  if (!output.interactive || output.quiet) return
  const { renderUnicodeCompact } = yield* Effect.promise(() => import("uqr"))
  const code = renderUnicodeCompact(url, { border: 2 })
  const lines = code.split("\n")
  const { columns, rows } = process.stderr
  if (lines[0]!.length > (columns || 80) || lines.length > (rows || 24) - 4) return
  yield* output.draw(`${code}\n`)
})
