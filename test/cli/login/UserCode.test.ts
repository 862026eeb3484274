import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterEach } from "vitest"
import { copy, drawQrCode } from "../../../src/cli/login/UserCode.ts"
import { Output } from "../../../src/cli/output/Output.ts"
import { effect } from "../../support/Fixture.ts"

const terminal = process.env["TERM"]
afterEach(() => {
  process.env["TERM"] = terminal
})

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

describe("a user code", () => {
  effect("is copied to the clipboard of terminals that support OSC 52, and not printed elsewhere", function*() {
    process.env["TERM"] = "xterm-256color"
    assert.deepStrictEqual(yield* drawn(copy("ABCD-EFGH")), { result: true, text: "\u001b]52;c;QUJDRC1FRkdI\u0007" })
    assert.deepStrictEqual(yield* drawn(copy("ABCD-EFGH"), false), { result: false, text: "" })
    process.env["TERM"] = "linux"
    assert.deepStrictEqual(yield* drawn(copy("ABCD-EFGH")), { result: false, text: "" })
  })

  effect("has its URL drawn as a QR code, if that fits on the terminal", function*() {
    const { text } = yield* drawn(drawQrCode("https://login.example.com/device?user_code=ABCD-EFGH"))
    const lines = text.trimEnd().split("\n")
    assert.isAbove(lines.length, 10)
    for (const line of lines) assert.match(line, /^[ ▀▄█]+$/)
    assert.strictEqual(new Set(lines.map((line) => line.length)).size, 1)
    assert.strictEqual((yield* drawn(drawQrCode(`https://login.example.com/${"x".repeat(900)}`))).text, "")
    assert.strictEqual((yield* drawn(drawQrCode("https://login.example.com"), false)).text, "")
  })
})
