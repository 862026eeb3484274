import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { drawQrCode } from "../../../src/cli/login/QrCode.ts"
import { Output } from "../../../src/cli/output/Output.ts"
import { effect } from "../../support/Fixture.ts"

/** Renders for a terminal of 80 columns, or for a stream that is not a terminal. */
const drawn = <A>(effect: Effect.Effect<A, never, Output>, interactive = true) =>
  Effect.gen(function*() {
    let text = ""
    const output = {
      interactive,
      quiet: false,
      draw: (part: string) =>
        Effect.sync(() => {
          text += part
        })
    } as Output["Service"]
    const result = yield* Effect.provideService(effect, Output, output)
    return { result, text }
  })

describe("the QR code of a login", () => {
  effect("is drawn if it fits into a terminal", function*() {
    const { text } = yield* drawn(drawQrCode("https://login.example.com/device?user_code=ABCD-EFGH"))
    const lines = text.trimEnd().split("\n")
    assert.isAbove(lines.length, 10)
    for (const line of lines) assert.match(line, /^[ ▀▄█]+$/)
    assert.strictEqual(new Set(lines.map((line) => line.length)).size, 1)
    assert.strictEqual((yield* drawn(drawQrCode(`https://login.example.com/${"x".repeat(900)}`))).text, "")
    assert.strictEqual((yield* drawn(drawQrCode("https://login.example.com"), false)).text, "")
  })
})
