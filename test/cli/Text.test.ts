import { assert, describe, it } from "@effect/vitest"
import * as Text from "../../src/cli/Text.ts"

const plain = Text.painter(false)

describe("Text", () => {
  it("strips escape sequences, control characters and bidirectional overrides, and keeps tabs and newlines (A15)", () => {
    assert.strictEqual(
      Text.sanitize("a\u001b]52;c;AAAA\u0007b\u009bc\rd\u202ee\tf\ng"),
      "a]52;c;AAAAbcde\tf\ng"
    )
  })

  it("puts what may span lines on one", () => {
    assert.strictEqual(Text.sanitizeLine("one\r\n2026 INFO login ok\ttwo"), "one 2026 INFO login ok two")
  })

  it("escapes in JSON what a terminal would obey, so that parsing gives it back", () => {
    const value = { name: "a\u001b[2J\u009b\u202e" }
    const text = Text.toJson(value)
    assert.match(text, /^[\x20-\x7e\n]*$/)
    assert.deepStrictEqual(JSON.parse(text), value)
  })

  it("aligns columns by what they show, wide characters included", () => {
    const text = Text.table(["NAME", "STATUS"], [[{ text: "東京" }, { text: "ok" }], [{ text: "a" }, { text: "ok" }]], {
      width: undefined,
      paint: plain
    })
    assert.strictEqual(text, "NAME  STATUS\n東京  ok\na     ok")
  })

  it("fits a table into the width by cutting the widest columns", () => {
    const text = Text.table(["PROVIDER", "MESSAGE"], [[{ text: "openai" }, { text: "x".repeat(100) }]], {
      width: 40,
      paint: plain
    })
    assert.strictEqual(Math.max(...text.split("\n").map((line) => line.length)), 40)
    assert.include(text, "…")
  })

  it("lets no cell break out of its row", () => {
    const text = Text.table(["A"], [[{ text: "one\ntwo\u001b[31m" }]], { width: undefined, paint: plain })
    assert.strictEqual(text, "A\none two[31m")
  })

  it("suggests what is close and nothing else", () => {
    assert.deepStrictEqual(Text.nearest("statsu", ["status", "provider"]), ["status"])
    assert.deepStrictEqual(Text.nearest("zzz", ["status", "provider"]), [])
  })
})
