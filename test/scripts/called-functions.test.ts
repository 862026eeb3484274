import { assert, describe, it } from "@effect/vitest"
import { runInThisContext } from "node:vm"
import { inParentheses } from "../../scripts/called-functions.ts"

/** The code with all functions in parentheses whose text is given. */
const marked = (code: string, ...texts: ReadonlyArray<string>): string =>
  inParentheses(
    code,
    new Set(texts.map((text) => {
      const start = code.indexOf(text)
      assert.isAtLeast(start, 0, text)
      return `${start}:${start + text.length}`
    }))
  )

describe("inParentheses", () => {
  it("puts arrow functions and function expressions in parentheses, even nested ones", () => {
    assert.strictEqual(
      marked("f(a=>b=>a+b,function*(){yield 1})", "a=>b=>a+b", "b=>a+b", "function*(){yield 1}"),
      "f((a=>(b=>a+b)),(function*(){yield 1}))"
    )
  })

  it("does not change other functions, declarations and methods", () => {
    const code = "function a(){return()=>1}const b={c(){},get d(){return 1}};class E{f(){}}"
    assert.strictEqual(
      marked(code, "function a(){return()=>1}", "c(){}", "get d(){return 1}", "f(){}"),
      code
    )
  })

  it("does not change the names and results of functions", () => {
    const code = marked(
      "const add=(a,b)=>a+b;const two=async function(){return 2};[add.name,two.name,add(1,2)]",
      "(a,b)=>a+b"
    )
    assert.deepStrictEqual(runInThisContext(code), ["add", "two", 3])
  })
})
