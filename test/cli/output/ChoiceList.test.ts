import { assert, describe, it } from "vitest"
import { fitting, search } from "../../../src/cli/output/ChoiceList.ts"

const choices = [
  { value: "groq", label: "Groq" },
  { value: "openai", label: "OpenAI" },
  { value: "openrouter", label: "OpenRouter" },
  { value: "xai", label: "xAI" }
]
const start = { typed: "", marked: 0 }

const after = (keys: string) => {
  const { key, rest, search: now } = search(choices, start, keys)
  return { key, rest, marked: fitting(choices, now)[now.marked]?.value }
}

describe("ChoiceList", () => {
  it("shows values that start with the typed text before those that contain it", () => {
    assert.deepStrictEqual(fitting(choices, { typed: "OPEN", marked: 0 }).map(({ value }) => value), [
      "openai",
      "openrouter"
    ])
    assert.deepStrictEqual(fitting(choices, { typed: "ai", marked: 0 }).map(({ value }) => value), ["openai", "xai"])
  })

  it("moves with the arrow keys, wraps around, and restarts with each letter", () => {
    assert.strictEqual(after("\u001b[B").marked, "openai")
    assert.strictEqual(after("\u001b[A").marked, "xai")
    assert.strictEqual(after("\u001b[B\u001b[Bo").marked, "openai")
    assert.strictEqual(after("openr\u007f\u007f\u007f\u007f\u007f").marked, "groq")
  })

  it("ends with Enter if there is a match, and keeps the remaining input", () => {
    assert.deepStrictEqual(after("opena\rsk-1"), { key: "enter", rest: "sk-1", marked: "openai" })
    assert.deepStrictEqual(after("nothing\r"), { key: "text", rest: "", marked: undefined })
    assert.strictEqual(after("o\u0003").key, "cancel")
    assert.strictEqual(after("\u001b").key, "cancel")
  })
})
