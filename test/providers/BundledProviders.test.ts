import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { BundledProviders, decodeFiles } from "../../src/providers/BundledProviders.ts"

const definition = (name: string) => JSON.stringify({ name, auth_type: "api_key", flow: "api_key" })

describe("BundledProviders", () => {
  it.effect("loads the bundled definitions without problems", () =>
    Effect.gen(function*() {
      const { definitions, problems } = yield* BundledProviders
      assert.deepStrictEqual(problems, [])
      assert.strictEqual(definitions.get("openai")?.displayName, "OpenAI")
      assert.strictEqual(definitions.get("openai")?.$schema, undefined)
    }).pipe(Effect.provide(BundledProviders.layer)))

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
