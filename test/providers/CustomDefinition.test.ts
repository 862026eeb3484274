import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { failsWith } from "../support/Failures.ts"
import { document, withRegistry } from "../support/Registry.ts"

describe("CustomDefinition", () => {
  withRegistry.effect("reports all problems of a rejected document, and writes nothing", function*(registry) {
    const paths = (given: unknown) =>
      Effect.map(
        Effect.flip(registry.register(given)),
        (error) => error._tag === "InvalidRequestError" ? error.problems.map(({ path }) => path) : [error._tag]
      )
    assert.deepStrictEqual(yield* paths(document("../x", { hosts: ["*"] })), ["/name"])
    assert.deepStrictEqual(yield* paths(document("acme", { hosts: ["*"], docs_url: "file:///etc" })), [
      "/docs_url",
      "/hosts/0"
    ])
    assert.deepStrictEqual(yield* paths(JSON.stringify(document("acme"))), [""])
    assert.deepStrictEqual(yield* paths(null), [""])
    assert.deepStrictEqual(yield* paths(undefined), [""])
    assert.isFalse(fs.existsSync(registry.directory))
  })

  withRegistry.effect("rejects public suffixes, and wildcards over suffixes of hosting companies", function*(registry) {
    for (const host of ["*.com", "*.co.uk", "*.github.io", "*.vercel.app", "co.uk", "*.s3.amazonaws.com"]) {
      const error = yield* Effect.flip(registry.register(document("acme", { hosts: [host] })))
      assert.deepStrictEqual(error._tag === "InvalidRequestError" && error.problems.map(({ path }) => path), [
        "/hosts/0"
      ], host)
    }
    const template = document("acme", { hosts: ["{base_url}"], api_key: { base_url: "https://{tenant}.com" } })
    yield* failsWith(registry.register(template), "InvalidRequestError")
    yield* registry.register(document("acme", {
      hosts: ["{base_url}", "*.acme.dev", "acme.github.io"],
      api_key: { base_url: "https://{shop}.myshopify.com" }
    }))
  })

  withRegistry.effect("rejects a key pattern with exponential run time", function*(registry) {
    yield* failsWith(registry.register(document("acme", { api_key: { key_pattern: "(a+)+b" } })), "InvalidRequestError")
    yield* registry.register(document("acme", { api_key: { key_pattern: "sk-[a-z]+" } }))
  })

  withRegistry.effect("requires permission for loopback addresses, and remembers the permission", function*(registry) {
    const local = document("local", { api_url: "http://127.0.0.1:8080/v1" })
    yield* failsWith(registry.register(local), "InvalidRequestError")
    yield* registry.register(local, { allowInsecureLoopback: true })
    assert.include(
      fs.readFileSync(path.join(registry.directory, "local.json"), "utf8"),
      "\"allow_insecure_loopback\": true"
    )
    assert.isTrue((yield* registry.get("local")).definition.allowInsecureLoopback)
    assert.include(yield* registry.rows([]), "127.0.0.1:8080/v1 local - false")
    yield* registry.register(document("remote"), { allowInsecureLoopback: true })
    assert.isUndefined((yield* registry.get("remote")).definition.allowInsecureLoopback)
  })
})
