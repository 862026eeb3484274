import { assert, describe, it } from "@effect/vitest"
import { edit } from "../../../src/cli/output/Prompt.ts"

describe("Prompt", () => {
  it("accepts a typed or pasted line, up to Enter", () => {
    assert.deepStrictEqual(edit("sk-", "abc"), { typed: "sk-abc", key: "text", rest: "" })
    assert.deepStrictEqual(edit("", "sk-abc\r"), { typed: "sk-abc", key: "enter", rest: "" })
  })

  it("ignores bracketed-paste markers and cursor keys", () => {
    assert.deepStrictEqual(edit("", "\u001b[200~sk-abc\u001b[201~\u001b[D\u001bOA"), {
      typed: "sk-abc",
      key: "text",
      rest: ""
    })
  })

  it("keeps input typed ahead for the next question", () => {
    assert.deepStrictEqual(edit("", "y\rsk-abc\r"), { typed: "y", key: "enter", rest: "sk-abc\r" })
  })

  it("deletes a whole character, not half of one", () => {
    assert.deepStrictEqual(edit("a😀", "\u007f"), { typed: "a", key: "text", rest: "" })
    assert.deepStrictEqual(edit("abc", "\u0015x"), { typed: "x", key: "text", rest: "" })
    assert.deepStrictEqual(edit("one two", "\u0017"), { typed: "one ", key: "text", rest: "" })
  })

  it("discards the typed text when it is cancelled", () => {
    assert.deepStrictEqual(edit("secret", "\u0003"), { typed: "", key: "cancel", rest: "" })
    assert.deepStrictEqual(edit("", "\u0004"), { typed: "", key: "cancel", rest: "" })
    assert.deepStrictEqual(edit("a", "\u0004"), { typed: "a", key: "text", rest: "" })
  })
})
