import * as Effect from "effect/Effect"
import { Output } from "../output/Output.ts"

/** Draws a URL as a QR code for a phone, if the terminal is large enough. */
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
