import { assert, describe, it } from "@effect/vitest"
import { readLoginText } from "../../../src/domain/text/LoginText.ts"

describe("readLoginText", () => {
  it("reads JSON with comments", () => {
    assert.deepStrictEqual(readLoginText("// { \"a\"\n{\"a\": /* \" */ \"// x\", \"b\":\"y\"}"), { a: "// x", b: "y" })
  })

  it("reads block mappings of YAML", () => {
    const text =
      "# x\ngithub.com:\n    users:\n        ada:\n            oauth_token:  t u\r\n\n        bob:\n    user: ada\nother: https://x:1\n"
    assert.deepStrictEqual(readLoginText(text), {
      "github.com": { users: { ada: { oauth_token: "t u" }, bob: null }, user: "ada" },
      other: "https://x:1"
    })
    assert.deepStrictEqual(readLoginText(""), {})
  })

  it.each([
    "{\"a\":1,\"a\":2}",
    "[]",
    "{\"a\":1} // \n x",
    "a: x\na: y",
    "a: &x y",
    "a: *x",
    "a: |\n  x",
    "a: [x]",
    "a: 'x'",
    "- x",
    "a: b: c",
    "a:\n  b: x\n c: y",
    "a: x\n  b: y",
    "\ta: x",
    "--- \na: x",
    "__proto__:\n  a: x",
    "a: x # y",
    "<<: x"
  ])("rejects a text that the program could read differently: %j", (text) => {
    assert.isUndefined(readLoginText(text))
  })
})
