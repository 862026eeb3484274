import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { parameterRequest } from "../../src/oauth/OAuthClient.ts"
import { standardStyle, tokenFields } from "../../src/oauth/TokenDialect.ts"
import { seeded } from "../support/Seed.ts"

describe("tokenFields", () => {
  it.prop(
    "never throws, and returns valid scopes only",
    [Schema.Json, Schema.Json, Schema.String],
    ([scope, expires, separator]) => {
      const style = { ...standardStyle, scopeSeparator: separator, pointers: { expiresIn: "/expires" } }
      const fields = tokenFields({ scope, expires }, style, { now: 0, isRefresh: false })
      for (const name of fields.scopes ?? []) assert.match(name, /^[\u0021\u0023-\u005b\u005d-\u007e]+$/)
      if (fields.expiresInSeconds !== undefined) {
        assert.isTrue(
          fields.expiresInSeconds > 0 && fields.expiresInSeconds <= 315_360_000
        )
      }
    },
    seeded
  )

  const name = Schema.String.check(Schema.isPattern(/^[a-z:./_-]{1,20}$/))
  it.prop(
    "finds the same scopes in a list, in text with spaces and in text with commas",
    [Schema.Array(name)],
    ([scopes]) => {
      const read = (scope: unknown, scopeSeparator: string) =>
        tokenFields({ scope }, { ...standardStyle, scopeSeparator }, { now: 0, isRefresh: false }).scopes ?? []
      assert.deepStrictEqual(read(scopes, " "), scopes)
      assert.deepStrictEqual(read(scopes.join(" "), " "), scopes)
      assert.deepStrictEqual(read(scopes.join(","), ","), scopes)
    },
    seeded
  )
})

describe("parameterRequest", () => {
  const text = Schema.String.check(Schema.isPattern(/^[\u0020-\u007eä-ü]{0,20}$/))
  it.prop("encodes the same parameters as a form and as JSON", [Schema.Record(text, text)], ([parameters]) => {
    const [form, json] = (["form", "json"] as const).map((format) =>
      Redacted.value(parameterRequest("https://as.example/", undefined, parameters, { format }).body!)
    )
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(form)), { ...parameters })
    assert.deepStrictEqual(JSON.parse(json!), { ...parameters })
  }, seeded)
})
