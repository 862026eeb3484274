import { assert, describe, it } from "@effect/vitest"
import { grpcRefusal } from "../../src/proxy/ErrorResponse.ts"

describe("grpcRefusal", () => {
  it("encodes any message, even one that ends within a surrogate pair", () => {
    const refusal = { status: 403, error: "RequestRefusedError", message: "the server said: \u00e9 \ud83d" }
    assert.deepInclude(grpcRefusal(refusal), {
      "grpc-status": "7",
      "grpc-message": "credsvc: the server said: %C3%A9 %EF%BF%BD"
    })
  })
})
