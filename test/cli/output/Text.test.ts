import { assert, describe, it } from "@effect/vitest"
import * as Text from "../../../src/cli/output/Text.ts"

const plain = Text.painter(false)

describe("Text", () => {
  it("escapes terminal control characters in JSON, so that parsing restores them", () => {
    const value = { name: "a\u001b[2J\u009b\u202e" }
    const text = Text.toJson(value)
    assert.match(text, /^[\x20-\x7e\n]*$/)
    assert.deepStrictEqual(JSON.parse(text), value)
  })

  it("aligns columns by their displayed width, including wide characters", () => {
    const text = Text.table(["NAME", "STATUS"], [[{ text: "東京" }, { text: "ok" }], [{ text: "a" }, { text: "ok" }]], {
      width: undefined,
      paint: plain
    })
    assert.strictEqual(text, "NAME  STATUS\n東京  ok\na     ok")
  })

  it("fits a table into the width by wrapping the widest columns between words and after punctuation", () => {
    const rows = [[{ text: "an identity of quiet-heron-4821" }, { text: "openai" }]]
    assert.strictEqual(
      Text.table(["IDENTITY", "PROVIDER"], rows, { width: 24, paint: plain }),
      [
        "IDENTITY        PROVIDER",
        "an identity of  openai",
        "quiet-heron-",
        "4821"
      ].join("\n")
    )
  })

  it("prints rows as blocks if the columns would become unreadable", () => {
    const row = [{ text: "openai" }, { text: "a connection of somebody" }, { text: "connected" }]
    assert.strictEqual(
      Text.table(["PROVIDER", "CONNECTION", "STATUS"], [row, row], { width: 30, paint: plain }),
      [
        "PROVIDER    openai",
        "CONNECTION  a connection of",
        "            somebody",
        "STATUS      connected",
        "",
        "PROVIDER    openai",
        "CONNECTION  a connection of",
        "            somebody",
        "STATUS      connected"
      ].join("\n")
    )
  })

  it("keeps each cell in its row", () => {
    const text = Text.table(["A"], [[{ text: "one\ntwo\u001b[31m" }]], { width: undefined, paint: plain })
    assert.strictEqual(text, "A\none two[31m")
  })
})

describe("Text.table", () => {
  const rows = [[{ text: "providers" }, { text: "A file of this name is not what it should be" }], [
    { text: "שלום עולם" },
    { text: "ok" }
  ]]

  it("continues a cell in further lines if the last column is too narrow, without losing text", () => {
    assert.strictEqual(
      Text.table(["CHECK", "MESSAGE"], rows.slice(0, 1), { width: 30, paint: plain }),
      [
        "CHECK      MESSAGE",
        "providers  A file of this name",
        "           is not what it",
        "           should be"
      ].join("\n")
    )
  })

  it("breaks a word that is wider than its column, such as a path", () => {
    assert.strictEqual(
      Text.table(["A", "MESSAGE"], [[{ text: "x" }, { text: "/a/long/path/to/a.json" }]], { width: 15, paint: plain }),
      "A  MESSAGE\nx  /a/long/\n   path/to/\n   a.json"
    )
  })

  it("keeps a right-to-left name in its column", () => {
    const line = Text.table(["NAME", "MESSAGE"], rows, { width: undefined, paint: plain }).split("\n")[2]!
    assert.strictEqual(line, "\u2068שלום עולם\u2069  ok")
  })
})

describe("help text", () => {
  it("continues a wrapped line at the column of its description, or at its own indentation", () => {
    const text = "DESCRIPTION\n  One two three four five\n\nFLAGS\n  --flag <x>    Says what it does, at length"
    assert.strictEqual(
      Text.wrapHelp(text, 30),
      [
        "DESCRIPTION",
        "  One two three four five",
        "",
        "FLAGS",
        "  --flag <x>    Says what it",
        "    does, at length"
      ].join("\n")
    )
    assert.strictEqual(
      Text.wrapHelp("  -n    Says what it does, at length", 24),
      "  -n    Says what it\n        does, at length"
    )
    assert.strictEqual(Text.wrapHelp(text, undefined), text)
  })
})
