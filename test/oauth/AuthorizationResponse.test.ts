import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readCallback, stateOf } from "../../src/oauth/AuthorizationResponse.ts"
import { seeded } from "../support/Seed.ts"
import { server } from "./Fixtures.ts"

const state = Redacted.make("the-state")

const read = (query: string, changes: Partial<typeof server> = {}) => {
  const result = readCallback({ server: { ...server, ...changes }, query, state })
  if (Result.isSuccess(result)) return `code ${Redacted.value(result.success)}`
  return result.failure._tag === "OAuthRejected" ? `rejected ${result.failure.error}` : "unsafe"
}

const iss = (value: string) => `state=the-state&code=c&iss=${encodeURIComponent(value)}`

describe("readCallback", () => {
  it("returns the code of a callback with the expected state, with or without a question mark", () => {
    assert.strictEqual(read("?code=abc%2Bd&state=the-state"), "code abc+d")
    assert.strictEqual(read("code=abc&state=the-state&session_state=x&scope=a"), "code abc")
  })

  it("rejects a query without the expected state, even an error", () => {
    assert.strictEqual(read("code=abc"), "unsafe")
    assert.strictEqual(read("code=abc&state=other"), "unsafe")
    assert.strictEqual(read("error=access_denied"), "unsafe")
    assert.strictEqual(read("error=access_denied&state=other"), "unsafe")
    assert.strictEqual(read("error=access_denied&state=the-state"), "rejected access_denied")
  })

  it("accepts each tenant of an issuer whose name has a placeholder for the tenant, and nothing else", () => {
    const tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    const rows = [
      [`https://idp.example/${tenant}/v2.0`, "code c"],
      ["https://idp.example/{tenantid}/v2.0", "code c"],
      ["https://idp.example/other/v2.0", "unsafe"],
      [`https://idp.example/${tenant}/v1.0`, "unsafe"],
      [`https://idp.example/${tenant}/x/v2.0`, "unsafe"],
      [`https://evil.example/${tenant}/v2.0`, "unsafe"],
      [`https://evil.example/?https://idp.example/${tenant}/v2.0`, "unsafe"]
    ]
    for (const [value, expected] of rows) {
      assert.strictEqual(read(iss(value!), { trustedIssuer: "https://idp.example/{tenantid}/v2.0" }), expected, value)
      assert.strictEqual(read(iss(value!), { trustedIssuer: "https://idp.example/v2.0" }), "unsafe", value)
    }
  })

  describe("compares the issuer as RFC 9207 requires", () => {
    const rows: ReadonlyArray<readonly [boolean, string | undefined, string]> = [
      [true, "https://as.example", "code c"],
      [true, "https://as.example/", "code c"],
      [true, undefined, "unsafe"],
      [false, "https://as.example", "code c"],
      [false, undefined, "code c"],
      ...[true, false].flatMap((advertised) =>
        [
          "https://as.example//",
          "https://as.example/tenant",
          "https://AS.example",
          "HTTPS://as.example",
          "https://as.example:443",
          "https://evil.example",
          ""
        ].map((value) => [advertised, value, "unsafe"] as const)
      )
    ]
    for (const [advertised, value, expected] of rows) {
      it(`iss ${value ?? "absent"}, ${advertised ? "" : "not "}advertised: ${expected}`, () => {
        const query = value === undefined ? "state=the-state&code=c" : iss(value)
        assert.strictEqual(read(query, { issParameterSupported: advertised }), expected)
      })
    }
  })

  it("does not report the error of another issuer", () => {
    assert.strictEqual(read("state=the-state&error=access_denied&iss=https://evil.example"), "unsafe")
  })

  it("compares no issuer if the definition names none", () => {
    assert.strictEqual(read(iss("https://accounts.example"), { issuerKnown: false }), "code c")
  })

  const refused = [
    "state=the-state&state=the-state&code=c",
    "state=the-state&code=c&code=d",
    "state=the-state&code=c&iss=https%3A%2F%2Fas.example&iss=https%3A%2F%2Fevil.example",
    "state=the-state&error=a&error=b",
    "state=the-state&code=c&access_token=t",
    "state=the-state&code=c&id_token=t",
    "state=the-state&response=jarm",
    "state=the-state",
    "state=the-state&code=",
    "state=the-state&code=a%0d%0ab",
    `state=the-state&code=${"c".repeat(4097)}`,
    `state=the-state&code=c&pad=${"x".repeat(8192)}`
  ]
  for (const query of refused) {
    it(`rejects ${query.slice(0, 80)}`, () => assert.strictEqual(read(query), "unsafe"))
  }

  it("returns the error text as one short line", () => {
    const text = encodeURIComponent(`a\r\n\u001b]52;c;x\u0007\u202e<script>${"y".repeat(500)}`)
    const result = readCallback({
      server,
      query: `state=the-state&error=server_error&error_description=${text}`,
      state
    })
    assert.isTrue(Result.isFailure(result))
    if (!Result.isFailure(result) || result.failure._tag !== "OAuthRejected") return assert.fail("not rejected")
    assert.match(result.failure.description!, /^[^\p{Cc}\p{Cf}]{1,256}$/u)
    assert.strictEqual(read("state=the-state&error=a%22b"), "unsafe")
    assert.strictEqual(read(`state=the-state&error=${"a".repeat(129)}`), "unsafe")
  })

  it.prop("never throws, and accepts nothing without the expected state", [Schema.String], ([text]) => {
    assert.strictEqual(read(text), "unsafe")
    assert.notInclude(read(`code=x&state=${encodeURIComponent(text.toWellFormed())}`), "code")
  }, seeded)
})

describe("stateOf", () => {
  it("returns the state of a query if there is exactly one", () => {
    assert.strictEqual(stateOf("?code=c&state=Ab_-9"), "Ab_-9")
    for (const query of ["", "code=c", "state=", "state=a&state=b", "state=a%00", `state=${"a".repeat(129)}`]) {
      assert.isUndefined(stateOf(query), query)
    }
  })
})
