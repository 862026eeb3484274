import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import { checkCredential, checkKey } from "../../src/providers/KeyCheck.ts"

const define = (api_key: object, more: object = {}) =>
  Result.getOrThrow(
    readDefinition({ name: "acme", display_name: "Acme", auth_type: "api_key", flow: "api_key", api_key, ...more })
  )

type Definition = ReturnType<typeof define>
type Entered = Readonly<Record<string, string>>

const redacted = (data: Entered) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Redacted.make(value)]))

const check = (definition: Definition, data: Entered) => checkKey(definition, redacted(data))

const problems = (definition: Definition, data: Entered) =>
  Result.match(check(definition, data), { onFailure: (found) => found, onSuccess: () => [] })

const simple = define({ key_pattern: "sk-[a-z0-9]+", key_pattern_hint: "An Acme key begins with sk-." })
const unexpected = [
  { path: "/data/api_key", message: "API key has an unexpected format: An Acme key begins with sk-." }
]
const two = define({
  fields: [
    { name: "app_id", label: "Account", secret: false, pattern: "[0-9]+", hint: "only digits" },
    { name: "token", label: "Key" }
  ]
})

describe("checkKey", () => {
  it("returns the trimmed value of each field", () => {
    for (const entered of ["  sk-abc\n", " \t sk-abc \r\n\u00a0"]) {
      const values = Result.getOrThrow(check(simple, { api_key: entered }))
      assert.strictEqual(Redacted.value(values["api_key"]!), "sk-abc")
    }
  })

  it("accepts a value of exactly 4 KiB", () => {
    assert.deepStrictEqual(problems(define({}), { api_key: "k".repeat(4096) }), [])
    assert.lengthOf(problems(define({}), { api_key: "k".repeat(4097) }), 1)
  })

  it("rejects the placeholder of the provider, even if it lacks the usual marker", () => {
    const refused = [{ path: "/data/api_key", message: "API key is a placeholder, not a key" }]
    const definition = define({}, { placeholder: "tok_0123456789abcdef0123" })
    assert.deepStrictEqual(problems(definition, { api_key: "tok_0123456789abcdef0123" }), refused)
    for (const definition of [simple, define({})]) {
      assert.deepStrictEqual(problems(definition, { api_key: "sk-credsvc-proxy-managed" }), refused)
    }
    assert.deepStrictEqual(problems(simple, { api_key: "tok_0123456789abcdef0123" }), unexpected)
  })

  it("matches the whole key against the pattern, and reports the hint of the definition or a default sentence", () => {
    for (const key of ["pk-abc", "xsk-abc", "sk-abc!"]) {
      assert.deepStrictEqual(problems(simple, { api_key: key }), unexpected)
    }
    assert.deepStrictEqual(problems(define({ key_pattern: "sk-.*" }), { api_key: "x" }), [
      { path: "/data/api_key", message: "the API key for Acme must match sk-.*, see: credsvc inspect acme" }
    ])
  })

  it("reports every missing, unknown or unusable field", () => {
    assert.deepStrictEqual(problems(two, { app_id: "x", api_key: "x" }), [
      { path: "/data/api_key", message: "is not a field of this login" },
      { path: "/data/app_id", message: "Account has an unexpected format: only digits" },
      { path: "/data/token", message: "Key is missing" }
    ])
    assert.deepStrictEqual(problems(two, { token: "a\nb" }).map(({ path }) => path), ["/data/app_id", "/data/token"])
    assert.deepStrictEqual(problems(two, { app_id: "7", token: "k" }), [])
  })

  it("does not accept a property of the prototype as an entered field", () => {
    const odd = define({ env_var: "ACME_KEY", fields: [{ name: "constructor", label: "C", secret: true }] })
    assert.deepStrictEqual(problems(odd, {}), [{ path: "/data/constructor", message: "C is missing" }])
  })

  it("says that a key was pasted with its variable or in quotes, unless the pattern permits them", () => {
    for (const value of ["ACME_API_KEY=sk-1", "export ACME_API_KEY=sk-1", "'sk-1'", "\"sk-1\""]) {
      assert.deepStrictEqual(problems(simple, { api_key: value }), [
        { path: "/data/api_key", message: "API key must not include a variable name or quotes" }
      ])
    }
    assert.deepStrictEqual(problems(define({ key_pattern: "[A-Z]+=.+" }), { api_key: "A=b" }), [])
  })

  it("accepts a key if its pattern times out", () => {
    assert.deepStrictEqual(problems(define({ key_pattern: "(a+)+b" }), { api_key: "a".repeat(64) }), [])
  })

  it("rejects control characters, empty values and long values at their field, without repeating them", () => {
    const values = ["", "  ", "canary\u0000x", "canary\nx", "canary\u001b[2J", "canary\u0085x", "canary".repeat(700)]
    for (const definition of [define({}), simple]) {
      for (const value of [...values, "credsvc-proxy-managed-canary"]) {
        const found = problems(definition, { api_key: value })
        assert.deepStrictEqual(found.map(({ path }) => path), ["/data/api_key"], value)
        assert.notInclude(JSON.stringify(found), "canary")
      }
    }
    assert.notInclude(JSON.stringify(problems(simple, { api_key: "canary" })), "canary")
  })
})

describe("checkCredential", () => {
  it("rejects a value that no header can carry", () => {
    const refused = checkCredential(define({}), redacted({ api_key: "clé-日本" }))
    assert.include(Result.isFailure(refused) && refused.failure[0]!.message, "header")
  })
})
