import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type SnakeCase, snakeCase, wire } from "../../../src/domain/wire/Wire.ts"

const Account = wire({ accountId: Schema.String, label: Schema.optionalKey(Schema.String) })

const Token = wire({
  accessToken: Schema.String,
  expiresIn: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3600))),
  owner: Account,
  extraParams: Schema.Record(Schema.String, Schema.String)
})

describe("wire", () => {
  it("decodes snake_case to camelCase, in nested objects too", () => {
    const token = Schema.decodeUnknownSync(Token)({
      access_token: "t",
      owner: { account_id: "1" },
      extra_params: { camelKey: "stays" }
    })
    assert.deepStrictEqual(token, {
      accessToken: "t",
      expiresIn: 3600,
      owner: { accountId: "1" },
      extraParams: { camelKey: "stays" }
    })
  })

  it("encodes to snake_case", () => {
    const encoded: { readonly access_token: string; readonly owner: { readonly account_id: string } } = Schema
      .encodeSync(Token)({ accessToken: "t", expiresIn: 1, owner: { accountId: "1" }, extraParams: {} })
    assert.deepStrictEqual(encoded as unknown, {
      access_token: "t",
      expires_in: 1,
      owner: { account_id: "1" },
      extra_params: {}
    })
  })

  it("does not decode camelCase names", () => {
    assert.throws(() =>
      Schema.decodeUnknownSync(Token, { onExcessProperty: "error", errors: "all" })({
        accessToken: "t",
        owner: { account_id: "1" },
        extra_params: {}
      })
    )
  })

  it("rejects two fields with the same encoded key", () => {
    assert.throws(() => wire({ fooBar: Schema.String, foo_bar: Schema.String }), "two fields have the same encoded key")
  })

  it("maps names as the type SnakeCase does", () => {
    const names: ReadonlyArray<[string, string]> = [
      ["deviceAuthorizationUrl", "device_authorization_url" satisfies SnakeCase<"deviceAuthorizationUrl">],
      ["name", "name" satisfies SnakeCase<"name">],
      ["oauth2Form", "oauth2_form" satisfies SnakeCase<"oauth2Form">],
      ["$schema", "$schema" satisfies SnakeCase<"$schema">]
    ]
    for (const [camel, snake] of names) assert.strictEqual(snakeCase(camel), snake)
  })
})
