/**
 * Loads the bundled providers. The build packs all definitions into one text: in a file of the program, or in a module
 * of the library. Each definition in it is a separate text, which is parsed when it is used
 * (docs/decisions/0043-memory-of-the-daemon.md). When the sources run directly, the files `providers/*.json` are read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { parseDefinition } from "../domain/definition/DefinitionReader.ts"
import type { ProviderDefinition, ProviderName } from "../domain/definition/Provider.ts"
import type { Problem } from "../domain/Errors.ts"
import type { Route } from "../domain/wire/ProxyRoutes.ts"
import { embeddedProviders } from "../platform/files/EmbeddedFiles.ts"
import { readFirst, readJsonFiles } from "../platform/files/PackageFiles.ts"
import { type RoutedProvider, routesOf } from "./RoutingTable.ts"

interface DefinitionFileProblem {
  readonly file: string
  readonly problems: ReadonlyArray<Problem>
}

/** A provider that is shipped with the program. */
export interface BundledProvider extends RoutedProvider {
  readonly source: "bundled"
  readonly overridesBundled: false
}

interface Bundled {
  readonly providers: ReadonlyMap<string, BundledProvider>
  readonly problems: ReadonlyArray<DefinitionFileProblem>
}

const constant = { source: "bundled", overridesBundled: false, takesOver: [] } as const

const decoded = (definition: ProviderDefinition): BundledProvider => ({
  ...constant,
  name: definition.name,
  definition
})

/** The packed form of a provider. */
interface PackedProvider {
  readonly name: ProviderName
  readonly unconnected: ReadonlyArray<Route>
  /** The decoded definition as JSON text. */
  readonly definition: string
}

/** A provider whose definition is parsed when it is used, and again after a garbage collection if nothing references it. */
class UnpackedProvider implements BundledProvider {
  readonly source = constant.source
  readonly overridesBundled = constant.overridesBundled
  readonly takesOver = constant.takesOver
  readonly name: ProviderName
  readonly unconnected: ReadonlyArray<Route>
  readonly #text: string
  #parsed: WeakRef<ProviderDefinition> | undefined

  constructor({ definition, name, unconnected }: PackedProvider) {
    this.name = name
    this.unconnected = unconnected
    this.#text = definition
  }

  get definition(): ProviderDefinition {
    const parsed = this.#parsed?.deref()
    if (parsed !== undefined) return parsed
    const definition = JSON.parse(this.#text) as ProviderDefinition
    this.#parsed = new WeakRef(definition)
    return definition
  }
}

/** No providers, because the file with all definitions is missing or damaged. */
const unusable = (state: "missing" | "damaged"): Bundled => ({
  providers: new Map(),
  problems: [{ file: "providers.json", problems: [{ path: "", message: `is ${state}; install credsvc again` }] }]
})

const byName = (providers: ReadonlyArray<BundledProvider>): ReadonlyMap<string, BundledProvider> =>
  new Map(providers.map((provider) => [provider.name, provider]))

/** Packs all definitions into the text that the build writes. */
export const packProviders = (definitions: ReadonlyArray<ProviderDefinition>): string =>
  JSON.stringify(definitions.map((definition): PackedProvider => ({
    name: definition.name,
    unconnected: routesOf(decoded(definition), []),
    definition: JSON.stringify(definition)
  })))

/** Reads the text that `packProviders` has written. */
export const unpackProviders = (text: string): Bundled => {
  try {
    const packed = JSON.parse(text) as ReadonlyArray<PackedProvider>
    return { providers: byName(packed.map((provider) => new UnpackedProvider(provider))), problems: [] }
  } catch {
    return unusable("damaged")
  }
}

/** Decodes definitions from files. The name in each definition must match its file name. */
export const decodeFiles = (
  files: ReadonlyArray<{ readonly name: string; readonly text: string }>
): { readonly definitions: ReadonlyMap<string, ProviderDefinition>; readonly problems: Bundled["problems"] } => {
  const definitions = new Map<string, ProviderDefinition>()
  const problems: Array<DefinitionFileProblem> = []
  for (const { name, text } of files) {
    const result = parseDefinition(text)
    if (Result.isFailure(result)) problems.push({ file: name, problems: result.failure })
    else if (`${result.success.name}.json` !== name) {
      problems.push({ file: name, problems: [{ path: "/name", message: "must match the file name" }] })
    } else definitions.set(result.success.name, result.success)
  }
  return { definitions, problems }
}

const readShipped = (): Bundled => {
  const built = readFirst([new URL("./providers.json", import.meta.url)])
  if (built !== undefined) return unpackProviders(built)
  const files = readJsonFiles(new URL("../../providers/", import.meta.url))
  if (files.length === 0) return unusable("missing")
  const { definitions, problems } = decodeFiles(files)
  return { providers: byName([...definitions.values()].map(decoded)), problems }
}

/** The bundled providers, which all daemons in a process share. */
let shipped: Bundled | undefined

/** The bundled providers by name, and the problems with their definitions. */
export class BundledProviders extends Context.Service<BundledProviders, Bundled>()(
  "credsvc/providers/BundledProviders"
) {
  static readonly layer: Layer.Layer<BundledProviders> = Layer.effect(
    BundledProviders,
    Effect.suspend(() =>
      shipped !== undefined || embeddedProviders === undefined
        ? Effect.succeed(shipped ??= readShipped())
        : Effect.map(Effect.promise(embeddedProviders), (text) => shipped ??= unpackProviders(text))
    )
  )

  /** Provides other definitions instead of the bundled ones, for embedders and tests. */
  static readonly layerOf = (definitions: ReadonlyArray<ProviderDefinition>): Layer.Layer<BundledProviders> =>
    Layer.succeed(BundledProviders, { providers: byName(definitions.map(decoded)), problems: [] })
}
