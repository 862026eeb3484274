/** The reader of credentials, which trusts the daemon, against the schema of the response. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Resolved } from "../../../src/domain/wire/Resolve.ts"
import { readResolved } from "../../../src/proxy/routing/ReadResolved.ts"
import * as fc from "../../support/FastCheck.ts"

describe("readResolved", () => {
  it("decodes a credential exactly as its schema does", () => {
    const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Resolved))
    const encode = Schema.encodeSync(Resolved)
    const secrets = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 })
    const names = fc.array(fc.string(), { maxLength: 3 })
    const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") })
      .map((date) => date.toISOString())
    const fields = fc.record({
      provider: fc.constantFrom("openai", "a.b-c"),
      connection: fc.constantFrom("default", "me@work"),
      headers: secrets,
      query: secrets,
      path: secrets,
      body: secrets,
      messages: fc.record({ first: fc.integer(), fields: secrets }, { noNullPrototype: true }),
      defaults: secrets,
      secrets: names,
      strip: fc.record({ headers: names, query: names, placeholders: names }),
      expires_at: fc.option(time),
      issued_at: time,
      refreshable: fc.boolean(),
      signing: fc.record({
        access_key_id: fc.string(),
        session_token: fc.string(),
        key: fc.string(),
        date: fc.string(),
        region: fc.string(),
        service: fc.string()
      }, { noNullPrototype: true, requiredKeys: ["access_key_id", "key", "date", "region", "service"] }),
      hmac: fc.record({
        key: fc.string(),
        message: fc.constantFrom("{method}\n{target}", "x".repeat(512)),
        timestamp: fc.constantFrom("seconds", "milliseconds", "iso8601", "http_date"),
        encoding: fc.constantFrom("hex", "base64"),
        headers: secrets
      }, { noNullPrototype: true }),
      captures: fc.array(
        fc.record({ requests: names, action: fc.constantFrom("login", "refused", "response") }, {
          noNullPrototype: true
        }),
        { minLength: 1, maxLength: 2 }
      ),
      later: fc.anything()
    }, {
      noNullPrototype: true,
      requiredKeys: [
        "provider",
        "connection",
        "headers",
        "query",
        "defaults",
        "secrets",
        "strip",
        "expires_at",
        "issued_at",
        "refreshable"
      ]
    })
    fc.assert(fc.property(fields, (value) => {
      const text = JSON.stringify(value)
      assert.deepStrictEqual(encode(readResolved(text)!), encode(decode(text)))
    }))
  })
})
