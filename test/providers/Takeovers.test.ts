import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { bundled, connected, document, withRegistry } from "../support/Registry.ts"

describe("Takeovers", () => {
  withRegistry.effect("allows a custom provider to take over exactly the confirmed places", function*(registry) {
    const given = document("shadow", { api_url: null, hosts: ["api.openai.com/v1", "api.openai.com/v2"] })
    const shadow = (yield* registry.register(given, { takeOver: ["api.openai.com/v1"] })).definition
    const both = [connected(shadow), connected(bundled[0]!)]
    assert.strictEqual(yield* registry.at("api.openai.com/v1/chat", both), "shadow")
    assert.strictEqual(yield* registry.at("api.openai.com/v2/chat", both), "openai")
    assert.strictEqual(yield* registry.at("api.openai.com/v1", [both[1]!]), "openai")
    assert.include((yield* registry.status).warnings.join(), "takes over api.openai.com/v1 from openai")
    // A definition edited by hand is not the confirmed one.
    const file = path.join(registry.directory, "shadow.json")
    const text = fs.readFileSync(file, "utf8")
    registry.drop("shadow.json", `${text} `)
    assert.strictEqual(yield* registry.at("api.openai.com/v1/chat", both), "openai")
    registry.drop("shadow.json", text)
    assert.strictEqual(yield* registry.at("api.openai.com/v1/chat", both), "shadow")
    // Registered again without the option, the same definition takes over nothing.
    yield* registry.register(given, { force: true })
    assert.strictEqual(yield* registry.at("api.openai.com/v1/chat", both), "openai")
  })

  withRegistry.effect("allows no takeover by a file in the folder, even after a removal", function*(registry) {
    const given = document("shadow", { api_url: null, hosts: ["api.openai.com/v1"] })
    const { definition } = yield* registry.register(given, { takeOver: ["api.openai.com/v1"] })
    const text = fs.readFileSync(path.join(registry.directory, "shadow.json"), "utf8")
    yield* registry.remove("shadow")
    registry.drop("shadow.json", text)
    const both = [connected(definition), connected(bundled[0]!)]
    assert.strictEqual(yield* registry.at("api.openai.com/v1/chat", both), "openai")
  })

  withRegistry.effect(
    "rejects a takeover of a host that is not in the definition, or in no bundled definition",
    function*(registry) {
      const given = document("shadow", { api_url: null, hosts: ["api.openai.com/v1", "api.shadow.dev"] })
      yield* registry.register(document("other", { api_url: null, hosts: ["api.shadow.dev"] }))
      const reasons = {
        "api.openai.com": /is not a host of shadow/,
        "api.openai.com/v1/chat": /is not a host of shadow/,
        "": /is not a host of shadow/,
        "api.shadow.dev": /does not belong to a bundled provider/
      }
      for (const [host, reason] of Object.entries(reasons)) {
        const error = yield* Effect.flip(registry.register(given, { takeOver: ["api.openai.com/v1", host] }))
        const problems = error._tag === "InvalidRequestError" ? error.problems : []
        assert.deepStrictEqual(problems.map(({ path }) => path), ["take_over"], host)
        assert.match(problems[0]!.message, reason)
      }
      assert.deepStrictEqual(yield* registry.find("shadow"), Option.none())
      const tenant = document("desk", { api_url: null, hosts: ["a.zendesk.com"] })
      yield* registry.register(tenant, {
        takeOver: ["a.zendesk.com"],
        connections: [connected(bundled[2]!, { baseUrl: "https://a.zendesk.com" })]
      })
    }
  )
})
