import { afterEach, assert, describe, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { fingerprint } from "../../src/providers/Fingerprint.ts"
import { failsWith } from "../support/Failures.ts"
import { settleFiles } from "../support/FileClock.ts"
import { document, withRegistry } from "../support/Registry.ts"

describe("ProviderRegistry", () => {
  afterEach(() => vi.restoreAllMocks())

  withRegistry.effect("lists the bundled providers of a home without a providers folder", function*(registry) {
    assert.deepStrictEqual(yield* registry.names, ["github-token:bundled", "openai:bundled", "zendesk:bundled"])
    assert.isFalse(fs.existsSync(registry.directory))
  })

  withRegistry.effect("registers a provider as a private file under its name, and finds it again", function*(registry) {
    const provider = yield* registry.register(document("acme", { display_name: "Acme" }))
    assert.strictEqual(provider.source, "custom")
    assert.isFalse(provider.overridesBundled)
    assert.strictEqual((yield* registry.get("acme")).definition.displayName, "Acme")
    assert.deepStrictEqual(fs.readdirSync(registry.directory), ["acme.json"])
    assert.strictEqual(fs.statSync(path.join(registry.directory, "acme.json")).mode & 0o777, 0o600)
    assert.strictEqual(fs.statSync(registry.directory).mode & 0o777, 0o700)
  })

  withRegistry.effect("replaces a custom or bundled provider only with force", function*(registry) {
    yield* registry.register(document("acme"))
    for (const name of ["acme", "openai"]) {
      yield* failsWith(registry.register(document(name)), "ProviderAlreadyRegisteredError")
    }
    yield* registry.register(document("acme", { display_name: "Second" }), { force: true })
    assert.strictEqual((yield* registry.get("acme")).definition.displayName, "Second")
  })

  withRegistry.effect("overrides a bundled provider with a warning, and resets it", function*(registry) {
    const shipped = fingerprint((yield* registry.get("openai")).definition)
    const provider = yield* registry.register(document("openai", { hosts: ["evil.test"] }), { force: true })
    assert.isTrue(provider.overridesBundled)
    assert.notStrictEqual(fingerprint(provider.definition), shipped)
    assert.match((yield* registry.status).warnings.join(), /openai overrides the bundled one/)
    assert.strictEqual(yield* registry.remove("openai"), "reset")
    assert.strictEqual(fingerprint((yield* registry.get("openai")).definition), shipped)
    assert.deepStrictEqual(yield* registry.status, { warnings: [], problems: [] })
    assert.strictEqual(yield* registry.remove("openai"), "reset")
  })

  withRegistry.effect(
    "keeps the limit to contained runs on request, also that of a definition that cannot be read",
    function*(registry) {
      const keep = { keepContained: true }
      const limited = document("acme", { contained_only: true })
      yield* registry.register(document("acme"), keep)
      for (const content of [limited, "{", { ...limited, unknown_field: true }, document("acme", { name: "other" })]) {
        registry.drop("acme.json", content)
        for (const force of [false, true]) {
          yield* failsWith(registry.register(document("acme"), { force, ...keep }), "OperationNotAllowedError")
        }
        yield* failsWith(registry.remove("acme", keep), "OperationNotAllowedError")
        yield* registry.register(limited, { force: true, ...keep })
        yield* registry.register(document("acme"), { force: true })
        assert.strictEqual(yield* registry.remove("acme", keep), "removed")
      }
    }
  )

  withRegistry.effect("removes a custom provider, and reports an unknown provider", function*(registry) {
    yield* registry.register(document("acme"))
    assert.strictEqual(yield* registry.remove("acme"), "removed")
    assert.deepStrictEqual(fs.readdirSync(registry.directory), [])
    assert.deepStrictEqual(yield* registry.find("acme"), Option.none())
    for (const name of ["acme", "../acme", "__proto__", "constructor", ""]) {
      yield* failsWith(registry.remove(name), "ProviderNotFoundError")
      yield* failsWith(registry.get(name), "ProviderNotFoundError")
    }
    assert.deepStrictEqual((yield* Effect.flip(registry.get("opnai"))).suggestions, ["openai"])
    assert.deepStrictEqual((yield* Effect.flip(registry.get("github"))).suggestions, ["github-token"])
    registry.drop("hume.json", document("hume"))
    assert.deepStrictEqual((yield* Effect.flip(registry.get("acme"))).suggestions, [])
  })

  withRegistry.effect("suggests only the provider that has the name as an alias", function*(registry) {
    registry.drop("acme-mcp.json", document("acme-mcp", { aliases: ["acme"] }))
    registry.drop("acme-dc.json", document("acme-dc"))
    assert.deepStrictEqual((yield* Effect.flip(registry.get("acme"))).suggestions, ["acme-mcp"])
    registry.drop("acme.json", document("acme"))
    assert.strictEqual((yield* registry.get("acme")).definition.name, "acme")
  })

  withRegistry.effect("notices files that are added, edited and deleted, without a restart", function*(registry) {
    yield* registry.list
    registry.drop("dropped.json", document("dropped", { display_name: "One" }))
    assert.strictEqual((yield* registry.get("dropped")).definition.displayName, "One")
    // Same length and same clock tick: only the content differs.
    registry.drop("dropped.json", document("dropped", { display_name: "Two" }))
    assert.strictEqual((yield* registry.get("dropped")).definition.displayName, "Two")
    fs.utimesSync(path.join(registry.directory, "dropped.json"), 1, 1)
    fs.rmSync(path.join(registry.directory, "dropped.json"))
    yield* failsWith(registry.get("dropped"), "ProviderNotFoundError")
  })

  withRegistry.effect("notices an edit long after the last read", function*(registry) {
    registry.drop("acme.json", document("acme", { display_name: "One" }))
    yield* registry.list
    settleFiles()
    yield* registry.list
    registry.drop("acme.json", document("acme", { display_name: "Two" }))
    assert.strictEqual((yield* registry.get("acme")).definition.displayName, "Two")
  })

  withRegistry.effect("reports files that it cannot use, and continues without them", function*(registry) {
    const unusable: Readonly<Record<string, unknown>> = {
      broken: "{",
      deep: "[".repeat(100_000),
      bytes: Buffer.from([0xff, 0xfe]).toString("latin1"),
      large: " ".repeat(300_000),
      loop: document("loop", { api_url: "http://127.0.0.1:9/" }),
      openai: document("openai", { auth_type: "magic" }),
      other: document("another"),
      proto: `{"__proto__":{"name":"proto"}}`,
      twice: `{"name":"twice","name":"twice"}`,
      typo: document("typo", { colour: "red" })
    }
    for (const [name, content] of Object.entries(unusable)) registry.drop(`${name}.json`, content)
    registry.drop("good.json", document("good"))
    registry.drop(".hidden.json", "{")
    registry.drop("notes.txt", "{")
    fs.mkdirSync(path.join(registry.directory, "folder.json"))
    fs.symlinkSync(path.join(registry.directory, "good.json"), path.join(registry.directory, "link.json"))
    const bundledNames = ["github-token:bundled", "openai:bundled", "zendesk:bundled"]
    assert.sameMembers([...yield* registry.names], ["good:custom", ...bundledNames])
    const { problems } = yield* registry.status
    const reported = problems.map((problem) => problem.replace(`${registry.directory}/`, ""))
    assert.sameMembers(reported.map((problem) => problem.split(".json")[0]), [
      ...Object.keys(unusable),
      "folder",
      "link"
    ])
    assert.match(reported.find((problem) => problem.startsWith("deep")) ?? "", /32 levels/)
    assert.include(reported, "typo.json: /colour is an unknown field")
    assert.include(reported, "other.json: /name must match the file name")
    assert.include(reported, "twice.json: /name occurs twice in the same object")
    assert.include(reported, "proto.json: /__proto__ is not allowed as a name")
  })
})
