import { assert, describe, it } from "@effect/vitest"
import { readLoginText } from "../../../src/domain/text/LoginText.ts"

const replaced = (text: string, pointer: string) => readLoginText(text)?.replaced(new Map([[pointer, "new"]]))

describe("readLoginText", () => {
  it.each([
    ["{\"a\":{\"b\":\"x\"}}", "/a/b", "{\"a\":{\"b\":\"new\"}}"],
    ["// { \"a\"\n{\"a\": /* \" */ \"// x\", \"b\":\"y\"}", "/a", "// { \"a\"\n{\"a\": /* \" */ \"new\", \"b\":\"y\"}"],
    ["a:\n  b: x\n", "/a/b", "a:\n  b: new\n"],
    [
      "# x\na.b:\n    c:\n        d:  x y\r\n\n    e: f\ng: h",
      "/a.b/c/d",
      "# x\na.b:\n    c:\n        d:  new\r\n\n    e: f\ng: h"
    ],
    ["a:\n    b:\n    c: x\nd: y\n", "/d", "a:\n    b:\n    c: x\nd: new\n"]
  ])("replaces one string, and changes no other character: %j", (text, pointer, expected) => {
    assert.strictEqual(replaced(text, pointer), expected)
    assert.strictEqual(replaced(text, "/other"), text)
  })

  it("reads block mappings", () => {
    const text =
      "github.com:\n    users:\n        ada:\n            oauth_token: t\n        bob:\n    user: ada\nother: https://x:1\n"
    assert.deepStrictEqual(readLoginText(text)?.document, {
      "github.com": { users: { ada: { oauth_token: "t" }, bob: null }, user: "ada" },
      other: "https://x:1"
    })
    assert.deepStrictEqual(readLoginText("")?.document, {})
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
