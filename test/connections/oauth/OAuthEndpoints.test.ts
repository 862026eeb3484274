import { assert, describe, it } from "@effect/vitest"
import { clientFingerprint, definedEndpoints } from "../../../src/connections/oauth/OAuthEndpoints.ts"
import { oauthDefinition } from "../../support/Acme.ts"

describe("OAuthEndpoints", () => {
  it("uses the endpoints of the connection's tenant", () => {
    const definition = oauthDefinition({
      api_url: "{base_url}/api",
      oauth: {
        base_url: "https://{tenant}.acme.example",
        issuer: "{base_url}",
        token_url: "{base_url}/token",
        authorization_url: "{base_url}/authorize"
      }
    })
    const endpoints = definedEndpoints(definition, "https://one.acme.example")
    assert.strictEqual(endpoints.issuer, "https://one.acme.example")
    assert.strictEqual(endpoints.tokenEndpoint, "https://one.acme.example/token")
    assert.notStrictEqual(
      clientFingerprint(definition, "https://one.acme.example"),
      clientFingerprint(definition, "https://two.acme.example")
    )
  })

  it("uses the authorization and revocation endpoints of the chosen region", () => {
    const eu = "https://api.eu.acme.example"
    const definition = oauthDefinition({
      api_url: "{base_url}",
      regions: [
        { name: "us", base_url: "https://api.acme.example" },
        {
          name: "eu",
          base_url: eu,
          authorization_url: "https://eu.acme.example/authorize",
          revocation_url: "https://eu.acme.example/revoke"
        }
      ],
      oauth: { token_url: "{base_url}/token", authorization_url: "https://acme.example/authorize" }
    })
    const { authorizationEndpoint, revocationEndpoint, tokenEndpoint } = definedEndpoints(definition, eu)
    assert.strictEqual(authorizationEndpoint, "https://eu.acme.example/authorize")
    assert.strictEqual(revocationEndpoint, "https://eu.acme.example/revoke")
    assert.strictEqual(tokenEndpoint, `${eu}/token`)
    const first = definedEndpoints(definition, "https://api.acme.example")
    assert.strictEqual(first.authorizationEndpoint, "https://acme.example/authorize")
    assert.strictEqual(first.revocationEndpoint, "https://login.acme.example/revoke")
  })
})
