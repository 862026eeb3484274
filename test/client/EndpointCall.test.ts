import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { PoliciesGroup } from "../../src/api/PoliciesGroup.ts"
import { ProvidersGroup } from "../../src/api/ProvidersGroup.ts"
import type { DaemonRequest } from "../../src/client/DaemonConnection.ts"
import { type AnyRequest, endpointCall } from "../../src/client/EndpointCall.ts"
import { OperationNotAllowedError } from "../../src/domain/Errors.ts"
import { effect } from "../support/Fixture.ts"

/** Calls an operation of a daemon that sends this response. Returns the result, and the requests that were sent. */
const called = (
  endpoint: object,
  request: AnyRequest,
  { body, status = 200, type = "application/json" }: { readonly body: unknown; status?: number; type?: string }
) => {
  const from = { url: new URL("http://127.0.0.1:7998"), loopback: true, explicit: false, startable: true }
  const sent: Array<DaemonRequest> = []
  const call = endpointCall(endpoint as HttpApiEndpoint.Top, (request) => {
    sent.push(request)
    return Effect.succeed({ from, status, headers: { "content-type": type }, body: JSON.stringify(body) })
  })
  return Effect.map(Effect.result(call(request)), (result) => ({ result: result as any, sent }))
}

const { endpoints } = PoliciesGroup
const rules = { allow: ["GET api.acme.test"], deny: [], readonly: false }
const policy = { name: "a", profile: "main", created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-02T00:00:00Z" }

describe("endpointCall", () => {
  it.effect.each([
    [{}, "/providers/check"],
    [{ allow_insecure_loopback: "true" }, "/providers/check?allow_insecure_loopback=true"],
    [{ take_over: ["a.test", "b.test/v1"] }, "/providers/check?take_over=a.test&take_over=b.test%2Fv1"]
  ])(
    "sends the query %j, with a parameter for each item of a list",
    ([query, target]) =>
      Effect.map(called(ProvidersGroup.endpoints.check, { query, payload: {} }, { body: {} }), ({ sent }) => {
        assert.strictEqual(sent[0]?.path, target)
      })
  )

  effect("encodes the path and the payload, and decodes the response", function*() {
    const request = { params: { name: "a" }, payload: { ...rules, maxTokens: 5 } }
    const { result, sent } = yield* called(endpoints.set, request, { body: { ...policy, rules } })
    const [{ body, ...head } = { body: "" }] = sent
    const headers = { accept: "application/json", "content-type": "application/json" }
    assert.deepStrictEqual(head, { method: "POST", path: "/policies/a", headers })
    assert.deepStrictEqual(JSON.parse(body ?? ""), { ...rules, max_tokens: 5 })
    assert.strictEqual(DateTime.formatIso(result.success.updatedAt), "2026-01-02T00:00:00.000Z")
  })

  effect("sends no request with invalid values", function*() {
    const { result, sent } = yield* called(endpoints.get, { params: { name: "not a name" } }, { body: {} })
    assert.strictEqual(result.failure._tag, "InvalidRequestError")
    assert.isEmpty(sent)
  })

  const refused = { body: OperationNotAllowedError.of("No."), status: 403, type: "application/problem+json" }
  for (
    const [what, response, failure] of [
      ["the error that the response names", refused, "OperationNotAllowedError"],
      ["an error for a response of another form", { body: { ...policy, rules: 1 } }, "DaemonUnavailableError"]
    ] as const
  ) {
    effect(`fails with ${what}`, function*() {
      const { result, sent } = yield* called(endpoints.get, { params: { name: "a" } }, response)
      assert.strictEqual(result.failure._tag, failure)
      assert.deepStrictEqual(sent, [
        { method: "GET", path: "/policies/a", headers: { accept: "application/json" }, body: undefined }
      ])
    })
  }
})
