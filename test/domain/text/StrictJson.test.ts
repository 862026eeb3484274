import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { jsonPointer, parseStrictJson } from "../../../src/domain/text/StrictJson.ts"
import { seeded } from "../../support/Seed.ts"

const failure = (text: string) =>
  Result.match(parseStrictJson(text), { onFailure: (problem) => problem, onSuccess: () => undefined })

describe("parseStrictJson", () => {
  it.prop("returns what JSON.parse returns for anything JSON.stringify writes", [Schema.Json], ([value]) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const problem = failure(text)
      if (problem === undefined) {
        assert.deepStrictEqual(Result.getOrThrow(parseStrictJson(text)), JSON.parse(text))
      } else {
        assert.match(problem.message, /levels deep|not allowed as a name/)
      }
    }
  }, seeded)

  it("rejects everything that JSON.parse rejects", () => {
    const texts = [
      "",
      " ",
      "{",
      "}",
      "[1,]",
      "{\"a\":}",
      "01",
      "+1",
      ".5",
      "1.",
      "1e",
      "'a'",
      "\"\\x\"",
      "\"\\u12\"",
      "NaN",
      "\u00a01",
      "1 2",
      "tru"
    ]
    for (const text of texts) {
      assert.throws(() => JSON.parse(text) as unknown)
      assert.isDefined(failure(text), text)
    }
  })

  it("reports where a key is repeated, even if it is spelled with escapes", () => {
    assert.deepStrictEqual(failure(`{"a":[{"b":1,"\\u0062":2}]}`), {
      path: "/a/0/b",
      message: "occurs twice in the same object"
    })
    assert.isUndefined(failure(`{"a":{"b":1},"c":{"b":1}}`))
  })

  it("counts bytes, not characters", () => {
    assert.isTrue(Result.isFailure(parseStrictJson("\"ééé\"", { maxBytes: 7, maxDepth: 32 })))
    assert.isTrue(Result.isSuccess(parseStrictJson("\"eee\"", { maxBytes: 7, maxDepth: 32 })))
  })

  it("reads a document with a byte order mark", () => {
    assert.deepStrictEqual(Result.getOrThrow(parseStrictJson("\uFEFF{}")), {})
  })
})

describe("jsonPointer", () => {
  it("escapes tildes and slashes", () => {
    assert.strictEqual(jsonPointer(["a/b", "c~d", 0]), "/a~1b/c~0d/0")
    assert.strictEqual(jsonPointer([]), "")
  })
})
