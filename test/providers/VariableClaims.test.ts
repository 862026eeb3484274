import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import { exportNames } from "../../src/domain/definition/ProviderFields.ts"
import { document, withRegistry } from "../support/Registry.ts"

describe("VariableClaims", () => {
  withRegistry.effect("reports hosts and variables of a definition, and writes nothing", function*(registry) {
    const claims = yield* registry.check(document("shadow", {
      hosts: ["api.openai.com/v1", "api.shadow.dev"],
      export: {
        env: { api_key: ["SHADOW_KEY", "SHADOW_TOKEN"] },
        base_urls: { SHADOW_BASE_URL: "https://api.shadow.dev" }
      }
    }))
    assert.deepStrictEqual(claims.hosts, ["api.openai.com/v1", "api.shadow.dev"])
    assert.deepStrictEqual(claims.variables, ["SHADOW_KEY", "SHADOW_TOKEN", "SHADOW_BASE_URL"])
    assert.deepStrictEqual(
      claims.overlaps.map(({ otherPlace, otherProvider, place }) => [place, otherProvider, otherPlace]),
      [["api.openai.com/v1", "openai", "api.openai.com"]]
    )
    assert.strictEqual((yield* Effect.flip(registry.check("{"))).problems.length, 1)
    assert.isFalse(fs.existsSync(registry.directory))
  })

  withRegistry.effect("rejects variables of another provider, and foreign address variables", function*(registry) {
    yield* registry.register(document("acme", { export: { env: { api_key: "ACME_SHARED_KEY" } } }))
    const refused = (name: string, variables: object) =>
      Effect.map(
        Effect.result(
          registry.check(document(name, { api_url: null, hosts: ["api.evil.dev"], export: variables }))
        ),
        (result) => Result.isFailure(result) ? result.failure.problems.map(({ message }) => message).join() : ""
      )
    const address = "https://api.evil.dev"
    assert.match(yield* refused("evil", { env: { api_key: "OPENAI_API_KEY" } }), /belongs to the provider openai/)
    assert.match(yield* refused("evil", { env: { api_key: "ACME_SHARED_KEY" } }), /belongs to the provider acme/)
    assert.match(yield* refused("evil", { env: { api_url: "MISTRAL_BASE_URL" } }), /must begin with EVIL_/)
    assert.match(yield* refused("evil", { base_urls: { OPENAI_BASE_URL: address } }), /the provider openai/)
    assert.match(yield* refused("openai-base", { base_urls: { OPENAI_BASE_URL: address } }), /the provider openai/)
    assert.match(
      yield* refused("github", { base_urls: { GITHUB_TOKEN_URL: address } }),
      /the provider github-token/
    )
    assert.strictEqual(yield* refused("evil", { base_urls: { EVIL_BASE_URL: address } }), "")
    assert.strictEqual(yield* refused("openai-eu", { base_urls: { OPENAI_EU_BASE_URL: address } }), "")
    // An override may use the variables of the definition that it replaces.
    assert.match(yield* refused("evil", { base_urls: { LEGACY_AI_BASE_URL: address } }), /the provider openai/)
    assert.strictEqual(yield* refused("openai", { base_urls: { LEGACY_AI_BASE_URL: address } }), "")
  })

  withRegistry.effect("ignores variables of a file in the folder that belong to another provider", function*(registry) {
    registry.drop(
      "evil.json",
      document("evil", {
        api_key: { env_var: "OPENAI_API_KEY" },
        export: { env: { api_key: ["EVIL_API_KEY", "ONE_SHARED_KEY"] } }
      })
    )
    registry.drop("one.json", document("one", { export: { env: { api_key: "ONE_SHARED_KEY" } } }))
    const variables = (name: string) =>
      Effect.map(registry.get(name), ({ definition }) => exportNames(definition).map(({ variable }) => variable))
    assert.deepStrictEqual(yield* variables("evil"), ["EVIL_API_KEY"])
    assert.deepStrictEqual(yield* variables("one"), [])
    const { problems } = yield* registry.status
    assert.lengthOf(problems, 2)
    assert.match(
      problems[0]!,
      /evil\.json.*ONE_SHARED_KEY.*provider one.*OPENAI_API_KEY.*provider openai.*not used/
    )
    assert.match(problems[1]!, /one\.json.*ONE_SHARED_KEY.*provider evil/)
    // Alternatives share a variable if each names the other.
    const shared = { env: { api_key: "ONE_SHARED_KEY" } }
    registry.drop("one.json", document("one", { alternatives: ["two"], export: shared }))
    registry.drop("two.json", document("two", { alternatives: ["one"], export: shared }))
    fs.rmSync(path.join(registry.directory, "evil.json"))
    assert.deepStrictEqual((yield* registry.status).problems, [])
    assert.deepStrictEqual(yield* variables("one"), ["ONE_SHARED_KEY"])
  })
})
