import { assert, describe } from "@effect/vitest"
import { bundled, connected, connectionName, document, withRegistry } from "../support/Registry.ts"

describe("RoutingTable", () => {
  withRegistry.effect("also routes unconnected providers, except on hosts for anonymous clients", function*(registry) {
    assert.deepStrictEqual(yield* registry.rows([]), [
      "api.github.com github-token - false",
      "api.openai.com openai - false"
    ])
    assert.deepStrictEqual(yield* registry.rows([connected(bundled[1]!)]), [
      "api.github.com github-token default true",
      "github.com github-token default true",
      "api.openai.com openai - false"
    ])
  })

  withRegistry.effect("routes each tenant to its connection, or its default one", function*(registry) {
    const zendesk = bundled[2]!
    const found = yield* registry.rows([
      connected(zendesk, { connection: connectionName("old"), isDefault: false, baseUrl: "https://a.zendesk.com" }),
      connected(zendesk, { baseUrl: "https://a.zendesk.com" }),
      connected(zendesk, { connection: connectionName("b"), isDefault: false, baseUrl: "https://b.zendesk.com" })
    ])
    assert.deepStrictEqual(found.filter((row) => row.includes("zendesk")), [
      "a.zendesk.com zendesk default true",
      "b.zendesk.com zendesk b true"
    ])
  })

  withRegistry.effect(
    "prefers a connected bundled provider to a custom provider with a longer path",
    function*(registry) {
      const shadow = (yield* registry.register(
        document("shadow", { api_url: null, hosts: ["api.openai.com/v1", "a.zendesk.com"] })
      )).definition
      const chat = "api.openai.com/v1/chat"
      assert.strictEqual(yield* registry.at(chat, []), "NotConnected")
      assert.strictEqual(yield* registry.at(chat, [connected(shadow)]), "shadow")
      assert.strictEqual(yield* registry.at(chat, [connected(shadow), connected(bundled[0]!)]), "openai")
      assert.strictEqual(
        yield* registry.at(chat, [connected(shadow), connected(bundled[0]!, { connected: false })]),
        "NotConnected"
      )
      // The tenant of a connection is a host of its provider.
      const tenant = connected(bundled[2]!, { baseUrl: "https://a.zendesk.com" })
      assert.strictEqual(yield* registry.at("a.zendesk.com", [connected(shadow), tenant]), "zendesk")
      assert.deepStrictEqual(yield* registry.overlaps([tenant]), [
        "the custom provider shadow claims api.openai.com/v1, which belongs to openai; " +
        "the custom provider is used there only while openai has no connection",
        "the custom provider shadow claims a.zendesk.com, which belongs to zendesk; " +
        "the custom provider is used there only while zendesk has no connection"
      ])
      assert.lengthOf((yield* registry.status).warnings, 1)
    }
  )

  withRegistry.effect("separates two custom providers on one host, with a warning", function*(registry) {
    const one = (yield* registry.register(document("one", { hosts: ["shared.dev"] }))).definition
    const two = (yield* registry.register(document("two", { hosts: ["shared.dev"] }))).definition
    assert.deepStrictEqual(
      (yield* registry.rows([connected(one), connected(two)])).filter((row) => row.startsWith("shared.dev")),
      ["shared.dev one default true", "shared.dev two default true"]
    )
    assert.match(
      (yield* registry.status).warnings.join(),
      /shared\.dev is claimed by the custom providers one and two/
    )
  })
})
