import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  authenticationOf,
  type SampleGrant,
  sampleGrant,
  tokenAddress,
  tokenObjection
} from "../../src/conformance/FakeTokenRequests.ts"
import type { ProviderRequest } from "../../src/conformance/ProviderMessage.ts"
import { readDefinition } from "../../src/domain/definition/ProviderDocument.ts"
import { storedGrantBy } from "../../src/domain/definition/ProviderFields.ts"
import { byAssertion, byClient, byRequest } from "../support/StoredGrants.ts"

const read = (document: object) => {
  const definition = Result.getOrThrow(readDefinition(JSON.parse(JSON.stringify(document))))
  if (definition.authType !== "oauth2") throw new Error("not an OAuth provider")
  const sample = sampleGrant(storedGrantBy(definition, definition.flow)!)
  if ("unmatched" in sample) throw new Error(sample.unmatched)
  const objection = (request: Partial<ProviderRequest>) =>
    tokenObjection(definition, sample, null, {
      method: "POST",
      url: new URL(tokenAddress(definition, sample, null)),
      headers: [["content-type", "application/x-www-form-urlencoded"]],
      body: "",
      ...request
    })
  return { definition, sample, objection }
}

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString()

const basicOf = ({ values }: SampleGrant) => `Basic ${btoa(`${values["client_id"]}:${values["client_secret"]}`)}`

describe("A token request to the fake provider", () => {
  it("by a client must have the declared grant type, parameters, scopes and authentication", () => {
    const { definition, objection, sample } = read(
      byClient({ scopes: ["read"], params: { audience: "https://api.acme.example" } })
    )
    assert.strictEqual(authenticationOf(definition, sample), "client_secret_basic")
    const headers = [
      ["content-type", "application/x-www-form-urlencoded"],
      ["authorization", basicOf(sample)]
    ] as const
    const fields = { grant_type: "client_credentials", scope: "read", audience: "https://api.acme.example" }
    assert.isUndefined(objection({ headers, body: form(fields) }))
    for (const name of Object.keys(fields)) {
      assert.strictEqual(
        objection({ headers, body: form({ ...fields, [name]: "x" }) }),
        `the parameter ${name} is not as declared`
      )
    }
    assert.strictEqual(objection({ body: form(fields) }), "the client does not authenticate by HTTP Basic")
  })

  it("by an assertion must have one with a valid signature", () => {
    const { objection } = read(byAssertion())
    const fields = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer" }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const unsigned = `${part({ alg: "RS256" })}.${part({ iss: "client-id-4f9a1c7e2b8d" })}.${"A".repeat(342)}`
    assert.strictEqual(objection({ body: form(fields) }), "the assertion is not a signed token")
    assert.strictEqual(
      objection({ body: form({ ...fields, assertion: unsigned }) }),
      "the signature of the assertion is not valid"
    )
    assert.strictEqual(objection({ body: "" }), "the parameter grant_type is not as declared")
  })

  it("that a definition declares must have its method, headers and body", () => {
    const { objection, sample } = read(byRequest({ headers: { "X-User": "{user}" } }))
    const { password = "", user = "" } = sample.values
    const headers = [["content-type", "application/json"], ["x-user", user]] as const
    const body = JSON.stringify({ user, password })
    assert.isUndefined(objection({ headers, body }))
    assert.strictEqual(objection({ headers, body, method: "GET" }), "the token request is not a POST")
    assert.strictEqual(
      objection({ headers: headers.slice(0, 1), body }),
      "the header X-User of the token request is not as declared"
    )
    assert.strictEqual(
      objection({ headers, body: JSON.stringify({ user, password: "x" }) }),
      "the body of the token request is not as declared"
    )
    assert.strictEqual(
      objection({ headers: [["content-type", "text/plain"], headers[1]], body }),
      "the body has the wrong format"
    )
  })
})
