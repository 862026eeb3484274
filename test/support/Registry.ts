/** A provider registry on its own home, with a few bundled providers. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { Documents } from "../../src/config/Documents.ts"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { compileRoutes } from "../../src/domain/injection/Route.ts"
import { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { ProviderRegistry } from "../../src/providers/ProviderRegistry.ts"
import type { RoutedConnection } from "../../src/providers/RoutingTable.ts"
import { testsWith } from "./Fixture.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"

export const document = (name: string, more: object = {}) => ({
  name,
  auth_type: "api_key",
  flow: "api_key",
  api_url: `https://api.${name}.dev`,
  ...more
})

const define = (name: string, more: object): ProviderDefinition =>
  Result.getOrThrow(readDefinition(document(name, { api_url: null, ...more })))

export const bundled = [
  define("openai", {
    hosts: ["api.openai.com"],
    export: { base_urls: { LEGACY_AI_BASE_URL: "https://api.openai.com/v1" } }
  }),
  define("github-token", { hosts: ["api.github.com", "github.com"], public_hosts: ["github.com"] }),
  define("zendesk", { hosts: ["{base_url}"], api_key: { base_url: "https://{tenant}.zendesk.com" } })
]

/** The tests get a registry on its own home. Its providers folder does not exist yet. */
export const withRegistry = testsWith(Effect.gen(function*() {
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

export const connectionName = Schema.decodeSync(ConnectionName)

export const connected = (definition: ProviderDefinition, more: Partial<RoutedConnection> = {}): RoutedConnection => ({
  provider: definition.name,
  connection: connectionName("default"),
  isDefault: true,
  baseUrl: null,
  connected: true,
  ...more
})
