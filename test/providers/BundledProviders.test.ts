import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { claimsHost } from "../../src/domain/definition/ProviderHosts.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../src/domain/wire/ProviderName.ts"
import { BundledProviders, decodeFiles, packProviders, unpackProviders } from "../../src/providers/BundledProviders.ts"
import { buildRoutes } from "../../src/providers/RoutingTable.ts"

const definition = (name: string) => JSON.stringify({ name, auth_type: "api_key", flow: "api_key" })

describe("BundledProviders", () => {
  it.effect("loads the bundled definitions without problems", () =>
    Effect.gen(function*() {
      const { problems, providers } = yield* BundledProviders
      assert.deepStrictEqual(problems, [])
      assert.strictEqual(providers.get("openai")?.definition.displayName, "OpenAI")
      assert.strictEqual(providers.get("openai")?.definition.$schema, undefined)
    }).pipe(Effect.provide(BundledProviders.layer)))

  it.effect("unpacks the definitions and the routes that were packed", () =>
    Effect.gen(function*() {
      const decoded = [...(yield* BundledProviders).providers.values()]
      const { problems, providers } = unpackProviders(packProviders(decoded.map(({ definition }) => definition)))
      assert.deepStrictEqual(problems, [])
      const unpacked = [...providers.values()]
      assert.deepStrictEqual(unpacked.map(({ definition }) => definition), decoded.map(({ definition }) => definition))
      const connections = [{
        provider: "openai" as ProviderName,
        connection: "work" as ConnectionName,
        isDefault: true,
        baseUrl: null,
        connected: true
      }]
      for (const given of [[], connections]) {
        assert.deepStrictEqual(buildRoutes(unpacked, given), buildRoutes(decoded, given))
      }
      assert.isTrue(buildRoutes(unpacked, connections).some(({ connection }) => connection === "work"))
    }).pipe(Effect.provide(BundledProviders.layer)))

  it.effect("sends no RunPod key to workers of other customers", () =>
    Effect.gen(function*() {
      const { definition } = (yield* BundledProviders).providers.get("runpod")!
      assert.isTrue(claimsHost(definition, null, "api.runpod.ai", 443))
      assert.isFalse(claimsHost(definition, null, "worker.api.runpod.ai", 443))
    }).pipe(Effect.provide(BundledProviders.layer)))

  it("returns the same definition while something refers to it", () => {
    const { definitions } = decodeFiles([{ name: "a.json", text: definition("a") }])
    const provider = unpackProviders(packProviders([...definitions.values()])).providers.get("a")!
    const held = provider.definition
    assert.strictEqual(provider.definition, held)
  })

  it("reports a damaged text", () => {
    for (const text of ["", "{", "[{", "{}"]) {
      const { problems, providers } = unpackProviders(text)
      assert.strictEqual(providers.size, 0)
      assert.deepStrictEqual(problems.map(({ file }) => file), ["providers.json"], text)
    }
  })

  it("skips a file that is damaged or named after another provider", () => {
    const { definitions, problems } = decodeFiles([
      { name: "a.json", text: definition("a") },
      { name: "b.json", text: definition("c") },
      { name: "d.json", text: "{" }
    ])
    assert.deepStrictEqual([...definitions.keys()], ["a"])
    assert.deepStrictEqual(problems.map(({ file }) => file), ["b.json", "d.json"])
  })
})
