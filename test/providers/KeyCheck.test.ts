import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import { checkKey } from "../../src/providers/KeyCheck.ts"

const define = (api_key: object) =>
  Result.getOrThrow(
    readDefinition({ name: "acme", display_name: "Acme", auth_type: "api_key", flow: "api_key", api_key })
  )

const check = (definition: ReturnType<typeof define>, data: Readonly<Record<string, string>>) =>
  checkKey(definition, Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Redacted.make(value)])))

const problems = (definition: ReturnType<typeof define>, data: Readonly<Record<string, string>>) =>
  Result.match(check(definition, data), { onFailure: (found) => found, onSuccess: () => [] })

describe("checkKey", () => {
  const simple = define({ key_pattern: "sk-[a-z0-9]+", key_pattern_hint: "An Acme key begins with sk-." })

  it("returns the trimmed value of each field", () => {
    const values = Result.getOrThrow(check(simple, { api_key: "  sk-abc\n" }))
    assert.strictEqual(Redacted.value(values["api_key"]!), "sk-abc")
  })

  it("rejects the placeholder of the provider, even if it lacks the usual marker", () => {
    const refused = [{ path: "/data/api_key", message: "API key is a placeholder, not a key" }]
    const definition = Result.getOrThrow(readDefinition({
      name: "acme",
      auth_type: "api_key",
      flow: "api_key",
      placeholder: "tok_0123456789abcdef0123"
    }))
    assert.deepStrictEqual(problems(definition, { api_key: "tok_0123456789abcdef0123" }), refused)
    assert.deepStrictEqual(problems(simple, { api_key: "sk-credsvc-proxy-managed" }), refused)
    assert.deepStrictEqual(problems(simple, { api_key: "tok_0123456789abcdef0123" }), [
      { path: "/data/api_key", message: "API key has an unexpected format: An Acme key begins with sk-." }
    ])
  })

  it("reports the hint of the definition, or a default sentence", () => {
    assert.deepStrictEqual(problems(simple, { api_key: "pk-abc" }), [
      { path: "/data/api_key", message: "API key has an unexpected format: An Acme key begins with sk-." }
    ])
    assert.deepStrictEqual(problems(define({ key_pattern: "sk-.*" }), { api_key: "x" }), [
      { path: "/data/api_key", message: "the API key for Acme must match sk-.*, see: credsvc inspect acme" }
    ])
  })

  it("reports every missing, unknown or unusable field", () => {
    const two = define({ fields: [{ name: "app_id", secret: false }, { name: "token" }] })
    assert.deepStrictEqual(problems(two, { api_key: "x", token: "a\nb" }).map(({ path }) => path), [
      "/data/api_key",
      "/data/app_id",
      "/data/token"
    ])
    assert.strictEqual(problems(two, { app_id: " ", token: "x" }).length, 1)
    assert.strictEqual(problems(two, { app_id: "a", token: "x".repeat(20_000) }).length, 1)
    assert.strictEqual(problems(two, {}).length, 2)
  })

  it("says that a key was pasted with its variable or in quotes, unless the pattern permits them", () => {
    for (const value of ["ACME_API_KEY=sk-1", "export ACME_API_KEY=sk-1", "'sk-1'", "\"sk-1\""]) {
      assert.deepStrictEqual(problems(simple, { api_key: value }), [
        { path: "/data/api_key", message: "API key must not include a variable name or quotes" }
      ])
    }
    assert.deepStrictEqual(problems(define({ key_pattern: "[A-Z]+=.+" }), { api_key: "A=b" }), [])
  })

  it("rejects a placeholder as a key", () => {
    assert.match(problems(define({}), { api_key: "sk-credsvc-proxy-managed" })[0]!.message, /placeholder/)
  })

  it("accepts a key if its pattern times out", () => {
    assert.deepStrictEqual(problems(define({ key_pattern: "(a+)+b" }), { api_key: "a".repeat(64) }), [])
  })

  it("does not repeat a value in a problem", () => {
    for (const value of ["canary", "sk-canary\u0000", "credsvc-proxy-managed-canary"]) {
      assert.notInclude(JSON.stringify(problems(simple, { api_key: value })), "canary")
    }
  })
})
