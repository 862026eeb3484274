import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import { checkCredential } from "../../src/providers/KeyCheck.ts"

const definitionOf = (apiKey: object, extra: object = {}) =>
  Result.getOrThrow(readDefinition({
    schema_version: 1,
    name: "acme",
    auth_type: "api_key",
    flow: "api_key",
    api_url: "https://api.acme.example",
    api_key: apiKey,
    ...extra
  }))

const enter = (definition: ReturnType<typeof definitionOf>, data: Record<string, string>) =>
  Result.match(
    checkCredential(
      definition,
      Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Redacted.make(value)]))
    ),
    {
      onFailure: (problems) => ({ problems }),
      onSuccess: (values) => ({
        values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.value(value)]))
      })
    }
  )

const plain = definitionOf({})
const patterned = definitionOf({
  key_pattern: "sk-[a-z0-9]{8,}",
  key_pattern_hint: "begins with sk-, then 8 characters"
})

describe("ApiKeyFlow", () => {
  it("trims pasted values", () => {
    assert.deepStrictEqual(enter(plain, { api_key: " \t sk-1 \r\n\u00a0" }), { values: { api_key: "sk-1" } })
  })

  it("rejects control characters, empty values and more than 4 KiB, and reports the field's path without the value", () => {
    for (
      const value of ["", "  ", "CANARY\u0000x", "CANARY\nx", "CANARY\u001b[2J", "CANARY\u0085x", "CANARY".repeat(700)]
    ) {
      const { problems } = enter(plain, { api_key: value }) as {
        problems: ReadonlyArray<{ path: string; message: string }>
      }
      assert.lengthOf(problems, 1)
      assert.strictEqual(problems[0]!.path, "/data/api_key")
      assert.notInclude(problems[0]!.message, "CANARY")
    }
  })

  it("accepts a value of exactly 4 KiB", () => {
    assert.property(enter(plain, { api_key: "k".repeat(4096) }), "values")
    assert.property(enter(plain, { api_key: "k".repeat(4097) }), "problems")
  })

  it("matches the whole trimmed key against the pattern and reports its hint", () => {
    assert.deepStrictEqual(enter(patterned, { api_key: " sk-abcdefgh " }), { values: { api_key: "sk-abcdefgh" } })
    for (const key of ["sk-abc", "xsk-abcdefgh", "sk-abcdefgh!"]) {
      assert.deepStrictEqual(enter(patterned, { api_key: key }), {
        problems: [{
          path: "/data/api_key",
          message: "API key has an unexpected format: begins with sk-, then 8 characters"
        }]
      })
    }
  })

  it("reports all problems of a multi-field key, including unknown fields", () => {
    const two = definitionOf({
      fields: [
        { name: "account_id", label: "Account", secret: false, pattern: "[0-9]+", hint: "only digits" },
        { name: "api_key", label: "Key", secret: true }
      ],
      basic: { username: "{account_id}", password: "{api_key}" }
    })
    assert.deepStrictEqual(enter(two, { account_id: "x", token: "t" }), {
      problems: [
        { path: "/data/token", message: "is not a field of this login" },
        { path: "/data/account_id", message: "Account has an unexpected format: only digits" },
        { path: "/data/api_key", message: "Key is missing" }
      ]
    })
    assert.deepStrictEqual(enter(two, { account_id: "7", api_key: "k" }), {
      values: { account_id: "7", api_key: "k" }
    })
  })

  it("does not accept a property of the prototype as an entered field", () => {
    const odd = definitionOf({ env_var: "ACME_KEY", fields: [{ name: "constructor", label: "C", secret: true }] })
    assert.deepStrictEqual(enter(odd, {}), { problems: [{ path: "/data/constructor", message: "C is missing" }] })
  })

  it("rejects a value that no header can carry", () => {
    const { problems } = enter(plain, { api_key: "clé-日本" }) as { problems: ReadonlyArray<{ message: string }> }
    assert.include(problems[0]!.message, "header")
  })
})
