import { assert, describe, it } from "@effect/vitest"
import { credentialRefusal, grpcRefusal } from "../../src/proxy/ErrorResponse.ts"

describe("credentialRefusal", () => {
  it("passes on the daemon's message about an unusable connection, such as after a change of the definition", () => {
    const detail = "The definition of example has changed since this login, so the credential is not used. " +
      "Log in again with: credsvc login example --connection work --force"
    assert.deepStrictEqual(
      credentialRefusal({ error: "CredentialMissingError", detail }),
      { status: 403, error: "CredentialMissingError", message: detail }
    )
  })
})

describe("grpcRefusal", () => {
  it("encodes any message, even one that ends within a surrogate pair", () => {
    const refusal = { status: 403, error: "RequestRefusedError", message: "the server said: \u00e9 \ud83d" }
    assert.deepInclude(grpcRefusal(refusal), {
      "grpc-status": "7",
      "grpc-message": "credsvc: the server said: %C3%A9 %EF%BF%BD"
    })
  })
})
