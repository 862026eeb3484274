import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { ProvidersGroup } from "../../src/api/ProvidersGroup.ts"
import type { DaemonRequest } from "../../src/client/DaemonConnection.ts"
import { endpointCall } from "../../src/client/EndpointCall.ts"

describe("endpointCall", () => {
  it.effect.each([
    [{}, "/providers/check"],
    [{ allow_insecure_loopback: "true" }, "/providers/check?allow_insecure_loopback=true"],
    [{ take_over: ["a.test", "b.test/v1"] }, "/providers/check?take_over=a.test&take_over=b.test%2Fv1"]
  ])("sends the query %j, with a parameter for each item of a list", ([query, target]) =>
    Effect.gen(function*() {
      const sent: Array<DaemonRequest> = []
      const call = endpointCall(ProvidersGroup.endpoints.check as unknown as HttpApiEndpoint.Top, (request) => {
        sent.push(request)
        return Effect.die("no daemon")
      })
      yield* Effect.exit(call({ query, payload: {} }))
      assert.strictEqual(sent[0]?.path, target)
    }))
})
