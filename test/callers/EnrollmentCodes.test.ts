import { assert, describe, it } from "@effect/vitest"
import { drawCode, formatCode, parseCode } from "../../src/callers/EnrollmentCodes.ts"

describe("parseCode", () => {
  it("reads a generated code in upper or lower case, with or without hyphens, and with spaces around it", () => {
    const code = drawCode()
    const text = formatCode(code)
    for (const written of [text, text.toUpperCase(), text.replaceAll("-", ""), `  ${text}\n`]) {
      assert.deepStrictEqual(parseCode(written), code, written)
    }
  })

  it("rejects texts that are not codes", () => {
    const text = formatCode(drawCode())
    for (const other of ["", text.slice(1), `${text}0`, `u${text.slice(1)}`, text.replace("-", " ")]) {
      assert.isUndefined(parseCode(other), other)
    }
  })
})
