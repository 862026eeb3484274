/**
 * Loads the bundled provider definitions. The build decodes all of them into one text, so that startup only parses
 * JSON: a file of the program, a module of the library. From sources, `providers/*.json` are read one by one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { parseDefinition } from "../domain/definition/ProviderDocument.ts"
import type { Problem } from "../domain/Errors.ts"
import { embeddedProviders } from "../platform/EmbeddedFiles.ts"
import { readFirst, readJsonFiles } from "../platform/PackageFiles.ts"

interface DefinitionFileProblem {
  readonly file: string
  readonly problems: ReadonlyArray<Problem>
}

interface BundledDefinitions {
  readonly definitions: ReadonlyMap<string, ProviderDefinition>
  readonly problems: ReadonlyArray<DefinitionFileProblem>
}

const missing = "is missing; install credsvc again"

const byName = (definitions: ReadonlyArray<ProviderDefinition>): ReadonlyMap<string, ProviderDefinition> =>
  new Map(definitions.map((definition) => [definition.name, definition]))

const loadBuilt = (text: string): BundledDefinitions => {
  try {
    return { definitions: byName(JSON.parse(text) as ReadonlyArray<ProviderDefinition>), problems: [] }
  } catch {
    return {
      definitions: new Map(),
      problems: [{ file: "providers.json", problems: [{ path: "", message: "is damaged; install credsvc again" }] }]
    }
  }
}

/** The name in a definition must match its file name. */
export const decodeFiles = (
  files: ReadonlyArray<{ readonly name: string; readonly text: string }>
): BundledDefinitions => {
  const definitions: Array<ProviderDefinition> = []
  const problems: Array<DefinitionFileProblem> = []
  for (const { name, text } of files) {
    const result = parseDefinition(text)
    if (Result.isFailure(result)) problems.push({ file: name, problems: result.failure })
    else if (`${result.success.name}.json` !== name) {
      problems.push({ file: name, problems: [{ path: "/name", message: "must match the file name" }] })
    } else definitions.push(result.success)
  }
  return { definitions: byName(definitions), problems }
}

const readShipped = (): BundledDefinitions => {
  const built = readFirst([new URL("./providers.json", import.meta.url)])
  if (built !== undefined) return loadBuilt(built)
  const files = readJsonFiles(new URL("../../providers/", import.meta.url))
  return files.length > 0
    ? decodeFiles(files)
    : { definitions: new Map(), problems: [{ file: "providers.json", problems: [{ path: "", message: missing }] }] }
}

/** Constant for a process, so all daemons in it share them. */
let shipped: BundledDefinitions | undefined

export class BundledProviders extends Context.Service<BundledProviders, BundledDefinitions>()(
  "credsvc/providers/BundledProviders"
) {
  static readonly layer: Layer.Layer<BundledProviders> = Layer.effect(
    BundledProviders,
    Effect.suspend(() =>
      shipped !== undefined || embeddedProviders === undefined
        ? Effect.succeed(shipped ??= readShipped())
        : Effect.map(Effect.promise(embeddedProviders), (text) => shipped ??= loadBuilt(text))
    )
  )

  /** Provides other definitions instead of the bundled ones, for embedders and tests. */
  static readonly layerOf = (definitions: ReadonlyArray<ProviderDefinition>): Layer.Layer<BundledProviders> =>
    Layer.succeed(BundledProviders, { definitions: byName(definitions), problems: [] })
}
