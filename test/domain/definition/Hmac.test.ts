import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import { binding } from "../../../src/domain/injection/CredentialBinding.ts"
import { placements } from "../../../src/domain/injection/Placement.ts"
import { oauthDefinition, oauthDocument } from "../../support/Acme.ts"

const hmac = {
  key: "secret",
  message: "{timestamp}\n{method} {target}{body}",
  timestamp: "seconds",
  encoding: "hex",
  headers: { "X-Time": "{timestamp}", "X-Sign": "{id}:{signature}" }
}
const fields = [{ name: "id", secret: false }, { name: "secret" }]
const read = (more: object = {}, recipe: object = {}) =>
  readDefinition({
    name: "signed",
    auth_type: "api_key",
    flow: "api_key",
    hosts: ["api.signed.example"],
    api_key: { hmac: { ...hmac, ...recipe }, fields, ...more }
  })
const problems = (more?: object, recipe?: object): string =>
  Result.match(read(more, recipe), {
    onFailure: (found) => found.map(({ message, path }) => `${path} ${message}`).join("\n"),
    onSuccess: () => ""
  })
const placed = (values: Readonly<Record<string, string>>, recipe?: object) =>
  placements(
    Result.getOrThrow(read({}, recipe)),
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))
  )

describe("a definition with hmac", () => {
  it("is valid with parts of the request, a key and headers", () => {
    assert.strictEqual(problems(), "")
    assert.strictEqual(problems({}, { key_encoding: "base64", message: "{host};{body_hash}" }), "")
  })

  it("is rejected with unknown parts, without a signature, and if it sends the key", () => {
    const cases = [
      [{}, { message: "{target}{nonce}" }, /hmac\/message uses a field that is not declared/],
      [{}, { message: "{target}{id}" }, /hmac\/message uses a field that is not declared/],
      [{}, { message: "{target" }, /unmatched brace/],
      [{}, { message: "text" }, /must contain a part of the request/],
      [{}, { message: "{target}\u0000" }, /printable ASCII/],
      [{}, { headers: { "X-Time": "{timestamp}" } }, /must send \{signature\}/],
      [{}, { headers: { "X-Sign": "{signature}" } }, /must send \{timestamp\}, because/],
      [{}, { headers: { ...hmac.headers, "X-Body": "{body}" } }, /X-Body uses a field that is not declared/],
      [{}, { headers: { ...hmac.headers, "X-Key": "{secret}" } }, /X-Key uses a field that is not declared/],
      [{}, { headers: { ...hmac.headers, Host: "{id}" } }, /may not set/],
      [{}, { key: "other" }, /hmac\/key must name one of api_key.fields/],
      [{}, { key: "id" }, /hmac\/key must name a secret field/],
      [{ fields: [fields[0], { name: "secret", required: false }, { name: "x" }] }, {}, /optional field/],
      [{ fields: [...fields, { name: "signature" }] }, {}, /must not use the names/],
      [{ headers: { "X-Other": "{secret}" } }, {}, /must not send \{secret\}/],
      [{ query: { key: "{secret}" } }, {}, /must not send \{secret\}/],
      [{ headers: { "x-sign": "{id}" } }, {}, /is also a header of hmac/],
      [{ header_name: "X-Key" }, {}, /only one of/],
      [{ header_prefix: "Token" }, {}, /has no effect/]
    ] as const
    for (const [more, recipe, expected] of cases) assert.match(problems(more, recipe), expected)
  })

  it("is rejected for a host of an OAuth provider, because OAuth has no signing key", () => {
    const placed = (place: object, entry = "api.acme.example") =>
      Result.match(
        readDefinition(oauthDocument({ hosts: ["api.acme.example"], oauth: { per_host: { [entry]: place } } })),
        { onFailure: (found) => found.map(({ message, path }) => `${path} ${message}`).join("\n"), onSuccess: () => "" }
      )
    const basic = { basic: { username: "x", password: "{access_token}" } }
    assert.strictEqual(placed(basic), "")
    assert.match(placed({ hmac }), /must not use aws_sigv4 or hmac/)
    assert.match(placed({ aws_sigv4: {} }), /must not use aws_sigv4 or hmac/)
    assert.match(placed(basic, "git.acme.example"), /must be an entry of "hosts"/)
    assert.match(placed({ basic: { username: "x", password: "{api_key}" } }), /uses a field that is not declared/)
    assert.notStrictEqual(
      binding(oauthDefinition({ hosts: ["api.acme.example"], oauth: { per_host: { "api.acme.example": basic } } })),
      binding(oauthDefinition({ hosts: ["api.acme.example"] }))
    )
  })

  it("binds a connection to every field of hmac", () => {
    const of = (recipe?: object) => binding(Result.getOrThrow(read({}, recipe)))
    const changed = [
      { message: "{timestamp}{target}" },
      { timestamp: "milliseconds" },
      { encoding: "base64" },
      { key_encoding: "base64" },
      { headers: { ...hmac.headers, "X-Id": "{id}" } }
    ].map(of)
    assert.strictEqual(new Set([of(), ...changed]).size, changed.length + 1)
    assert.strictEqual(of({ headers: Object.fromEntries(Object.entries(hmac.headers).toReversed()) }), of())
  })
})

describe("the placement of an HMAC signature", () => {
  it("places the key in no header field, and removes the client's values of the signature's header fields", () => {
    const { defaults, headers, hmac: signing, query, strip } = Result.getOrThrow(placed({ id: "a", secret: "b" }))
    assert.deepStrictEqual([headers, query, defaults], [{}, {}, {}])
    assert.deepStrictEqual(strip.headers, ["x-time", "x-sign"])
    assert.strictEqual(Redacted.value(signing!.key), btoa("b"))
    assert.strictEqual(Redacted.value(signing!.headers["X-Sign"]!), "a:{signature}")
  })

  it("refuses a key that is not valid base64, and a value with a brace", () => {
    assert.deepStrictEqual(
      placed({ id: "a", secret: "not base64" }, { key_encoding: "base64" }),
      Result.fail("The value of secret is not in base64, so requests cannot be signed.")
    )
    assert.isTrue(Result.isSuccess(placed({ id: "a", secret: "YWI=" }, { key_encoding: "base64" })))
    assert.deepStrictEqual(
      placed({ id: "{signature}", secret: "b" }),
      Result.fail("The value of id contains a brace, which values for this provider must not contain.")
    )
    assert.isTrue(Result.isFailure(placed({ id: "a\nb", secret: "b" })))
    assert.deepStrictEqual(placed({ id: "a" }), Result.fail("The connection has no value for secret."))
  })
})
