import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { formatRulesFile, readRulesFile } from "../../../src/domain/rules/RulesFile.ts"

describe("readRulesFile", () => {
  it("reads what formatRulesFile writes, with rules in their canonical form", () => {
    const file = {
      allow: ["post,get api.acme.test/v1/**"],
      deny: ["api.acme.test/admin"],
      read_only: true,
      max_tokens: 9
    }
    const rules = Result.getOrThrow(readRulesFile(JSON.stringify({ $schema: "x", ...file })))
    const allow = ["GET,POST api.acme.test/v1/**"]
    assert.deepStrictEqual<object>(rules, { allow, deny: file.deny, readonly: true, maxTokens: 9 })
    assert.deepStrictEqual(JSON.parse(formatRulesFile(rules)), { ...file, allow })
    assert.strictEqual(formatRulesFile(Result.getOrThrow(readRulesFile("{}"))), "{}\n")
  })

  it.each([
    ["{\"allow\": [], \"alow\": []}", "/alow"],
    ["{\"deny\": [\"api.acme.test\", \"GET\"]}", "/deny/1"],
    ["{\"read_only\": \"yes\"}", "/read_only"],
    ["{\"max_tokens\": -1}", "/max_tokens"],
    ["{\"allow\": [], \"allow\": []}", "/allow"]
  ])("rejects %s", (text, place) => {
    const problems = Result.getOrThrow(Result.flip(readRulesFile(text)))
    assert.deepStrictEqual(problems.map(({ path }) => path), [place])
  })
})
