import { assert, describe, it } from "@effect/vitest"
import { sampleOf } from "../../src/conformance/SampleText.ts"

describe("sampleOf", () => {
  it("generates texts for the usual patterns of keys", () => {
    const patterns = [
      "sk-.+",
      "(?:ghp|gho|ghu|ghs|github_pat)_.+",
      "sntry[su]_.+",
      "[a-f0-9]{32}",
      ".+-us[0-9]+",
      "SG\\..+",
      "AC\\d{4}x?",
      "(?:a|b(?:c|d)){2,3}end",
      "sk-ant-(?!oat|admin).+",
      "\\w{8}"
    ]
    for (const pattern of patterns) assert.match(sampleOf(pattern) ?? "", RegExp(`^(?:${pattern})$`), pattern)
  })

  it("returns undefined instead of a text that does not match", () => {
    for (const pattern of ["(?=a)b", "^a$", "a\\1", "[^\\d\\D]", "(a", "a{2", "\\bword"]) {
      assert.isUndefined(sampleOf(pattern), pattern)
    }
  })
})
