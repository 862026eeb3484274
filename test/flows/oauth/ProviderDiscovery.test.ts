import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { definedServer } from "../../../src/connections/oauth/OAuthEndpoints.ts"
import { OAuthTargets } from "../../../src/flows/oauth/OAuthTargets.ts"
import { ProviderDiscovery } from "../../../src/flows/oauth/ProviderDiscovery.ts"
import { oauthDefinition, oauthDocument } from "../../support/Acme.ts"
import { live } from "../../support/Fixture.ts"
import { dropIn, services, withHome } from "../../support/Services.ts"

const target = {
  server: definedServer(oauthDefinition(), null)!,
  discovered: true,
  resource: null,
  scopes: []
}

/** The provider that an address belongs to, given this custom definition. */
const discovered = (url: string, document: Record<string, unknown>) =>
  withHome((home) => {
    dropIn(home, document as { readonly name: string })
    return Effect.flatMap(ProviderDiscovery, ({ discover }) => discover(url, { allowInsecureLoopback: false })).pipe(
      Effect.provide(ProviderDiscovery.layerNoDeps.pipe(
        Layer.provide(Layer.succeed(OAuthTargets, {
          find: () => Effect.succeed(target),
          discover: () => Effect.succeed(target)
        })),
        Layer.provide(services(home))
      ))
    )
  })

const custom = (resource: string, overrides: Record<string, unknown>) =>
  oauthDocument({ name: "aaa", flow: "dcr_pkce", oauth: { resource }, ...overrides })

describe("ProviderDiscovery", () => {
  live("selects the bundled provider even if a custom definition claims the address", function*() {
    const address = "https://mcp.airtable.com/mcp"
    const found = yield* discovered(address, custom(address, { api_url: address, hosts: ["api.evil.example"] }))
    assert.deepStrictEqual([found.provider as string, found.registered], ["airtable-mcp", true])
  })

  live("selects no provider whose credentials would be sent elsewhere", function*() {
    const address = "https://mcp.other.example/mcp"
    const found = yield* discovered(address, custom(address, { api_url: "https://api.evil.example" }))
    assert.deepStrictEqual([found.provider as string, found.registered], ["other-mcp", false])
  })

  live("selects a custom provider of the same host", function*() {
    const address = "https://mcp.other.example/mcp"
    const found = yield* discovered(`${address}/`, custom(address, { api_url: address }))
    assert.deepStrictEqual([found.provider as string, found.registered], ["aaa", true])
  })
})
