import { afterEach, assert, describe, vi } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { Documents } from "../../src/config/Documents.ts"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { exportNames } from "../../src/domain/definition/ProviderFields.ts"
import { compileRoutes } from "../../src/domain/injection/Route.ts"
import { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { fingerprint } from "../../src/providers/Fingerprint.ts"
import { ProviderRegistry } from "../../src/providers/ProviderRegistry.ts"
import type { RoutedConnection } from "../../src/providers/RoutingTable.ts"
import { failsWith } from "../support/Failures.ts"
import { settleFiles } from "../support/FileClock.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

const document = (name: string, more: object = {}) => ({
  name,
  auth_type: "api_key",
  flow: "api_key",
  api_url: `https://api.${name}.dev`,
  ...more
})

const define = (name: string, more: object): ProviderDefinition =>
  Result.getOrThrow(readDefinition(document(name, { api_url: null, ...more })))

const bundled = [
  define("openai", {
    hosts: ["api.openai.com"],
    export: { base_urls: { LEGACY_AI_BASE_URL: "https://api.openai.com/v1" } }
  }),
  define("github-token", { hosts: ["api.github.com", "github.com"], public_hosts: ["github.com"] }),
  define("zendesk", { hosts: ["{base_url}"], api_key: { base_url: "https://{tenant}.zendesk.com" } })
]

/** The tests get a registry on its own home. Its providers folder does not exist yet. */
const withRegistry = testsWith(Effect.gen(function*() {
  const home = yield* temporaryDirectory
  const layer = Layer.provide(ProviderRegistry.layerNoDeps, [
    Documents.layerFiles.pipe(Layer.provide(ConfigFile.layerNoDeps), Layer.provide(Paths.layerHome(home))),
    BundledProviders.layerOf(bundled)
  ])
  const registry = Context.get(yield* Layer.build(layer), ProviderRegistry)
  const directory = path.join(home, "providers")
  return {
    ...registry,
    directory,
    /** Writes a file into the providers folder. */
    drop: (file: string, content: unknown): void => {
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
      const text = typeof content === "string" ? content : JSON.stringify(content)
      fs.writeFileSync(path.join(directory, file), text, { mode: 0o600 })
    },
    names: Effect.map(
      registry.list,
      (providers) => providers.map(({ definition, source }) => `${definition.name}:${source}`)
    ),
    rows: (connections: ReadonlyArray<RoutedConnection>) =>
      Effect.map(
        registry.routes(connections),
        (routes) =>
          routes.map(({ connected, connection, host, pathPrefix, provider }) =>
            `${host}${pathPrefix ?? ""} ${provider} ${connection ?? "-"} ${connected}`
          )
      ),
    /** The provider of a request, by the routes for these connections. */
    at: (address: string, connections: ReadonlyArray<RoutedConnection>) =>
      Effect.map(registry.routes(connections), (routes) => {
        const { host, pathname } = new URL(`https://${address}`)
        const match = compileRoutes(routes).match(host, 443, pathname)
        return match._tag === "Matched" ? String(match.route.provider) : match._tag
      })
  }
}))

const connectionName = Schema.decodeSync(ConnectionName)

const connected = (definition: ProviderDefinition, more: Partial<RoutedConnection> = {}): RoutedConnection => ({
  provider: definition.name,
  connection: connectionName("default"),
  isDefault: true,
  baseUrl: null,
  connected: true,
  ...more
})

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
    assert.include(reported, "typo.json: /colour is an unknown field")
    assert.include(reported, "other.json: /name must match the file name")
    assert.include(reported, "twice.json: /name occurs twice in the same object")
    assert.include(reported, "proto.json: /__proto__ is not allowed as a name")
  })

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
