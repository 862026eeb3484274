/** Queries and forms that servers read in other ways than the rules would, and their neighbors. */
import { assert, describe, it } from "@effect/vitest"
import { canonicalQuery } from "../../../src/proxy/rules/Parameters.ts"
import * as fc from "../../support/FastCheck.ts"
import { propertyTest } from "../../support/PropertyTest.ts"
import { FORM, problemOf, query, testForms, typed } from "../../support/RequestForms.ts"

const character = fc.constantFrom("a", "Z", "_", "é", "😀", " ", "+", "&", "=", "%", ";", "[", "]", ".", "\n", "/")
const text = fc.array(character, { maxLength: 8 }).map((all) => all.join(""))
const encodeLoosely = (value: string, lower: boolean): string => {
  const encoded = encodeURIComponent(value)
  return lower ? encoded.replaceAll(/%../g, (code) => code.toLowerCase()) : encoded
}
const parameters = fc.array(fc.tuple(text.map((name) => name.replaceAll("\n", "")), text, fc.boolean()), {
  maxLength: 6
})

describe("Parameters", () => {
  testForms(
    "names that some servers end at a NUL character",
    [
      query("_method%00x=DELETE"),
      typed(FORM, "_method%00[]=DELETE"),
      typed(FORM, "_method\0=DELETE"),
      typed(FORM, "a=b%00")
    ],
    [query("a=%0A"), typed(FORM, "text=line%0D%0Aline")]
  )

  testForms(
    "arrays and nested names",
    [
      query("_method[]=DELETE"),
      query("_method%5B%5D=DELETE"),
      query("_method.x=DELETE"),
      query("user[_method]=DELETE"),
      typed(FORM, "a=b&_method[0]=DELETE"),
      typed(FORM, "[_method]=DELETE")
    ],
    [query("filter[name]=x&page[size]=2"), typed(FORM, "payment[method]=card&items[0][id]=1&payment_method=x")]
  )

  testForms(
    "escapes that not every server decodes",
    [
      query("%u005fmethod=DELETE"),
      query("a=50%"),
      typed(FORM, "%u005Fmethod=DELETE"),
      typed(FORM, "a=%zz"),
      query("a=%ff")
    ],
    [query("a=50%25&b=%C3%A9"), typed(FORM, "a=%E2%82%AC&b=100%25")]
  )

  it("writes a query in one spelling", () => {
    const written = (text: string) => canonicalQuery(text, "api.example.com")
    assert.strictEqual(written("a=b&c&d=&+e=%2b+%7e%c3%a9"), "a=b&c&d=&+e=%2B+~%C3%A9")
    assert.strictEqual(written("q=[1]&x=a:b/c?d;e"), "q=[1]&x=a:b/c?d;e")
    assert.strictEqual(written("q=\u00c3\u00a9"), "q=%C3%A9")
  })

  propertyTest(2000)("has the same parameters in its canonical form", parameters, (pairs) => {
    const query = pairs.map(([name, value, lower]) => `${encodeLoosely(name, lower)}=${encodeLoosely(value, lower)}`)
      .join("&")
    const written = canonicalQuery(query, "api.example.com")
    assert.deepStrictEqual([...new URLSearchParams(written)], [...new URLSearchParams(query)])
    assert.strictEqual(canonicalQuery(written, "api.example.com"), written)
    assert.isUndefined(
      problemOf({
        method: "POST",
        headers: ["Content-Type", "application/x-www-form-urlencoded"],
        body: query,
        part: 2
      })
    )
  })
})
