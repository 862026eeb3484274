/**
 * The definitions in force: the bundled ones, and the custom ones among the documents of the home.
 *
 * A custom definition that is invalid is only reported, and a bundled one that it would override stays in force.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type DocumentFolder, type DocumentId, Documents, type ListedDocument } from "../config/Documents.ts"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { withoutVariables } from "../domain/definition/ProviderFields.ts"
import type { Problem, VaultUnavailableError } from "../domain/Errors.ts"
import { sha256 } from "../platform/Digest.ts"
import { BundledProviders } from "./BundledProviders.ts"
import { readStoredDefinition } from "./CustomDefinition.ts"
import type { RoutedProvider } from "./RoutingTable.ts"
import * as Takeovers from "./Takeovers.ts"
import { variableProblems } from "./VariableClaims.ts"

/** A provider in force. */
export interface Provider extends RoutedProvider {
  readonly overridesBundled: boolean
}

interface CustomDocument {
  readonly document: ListedDocument
  /** The definition and the digest of its document, or its problems. */
  readonly content: Result.Result<
    { readonly definition: ProviderDefinition; readonly digest: string },
    ReadonlyArray<Problem>
  >
}

/** The definitions in force at a moment. */
export interface Snapshot {
  readonly folder: DocumentFolder
  readonly custom: ReadonlyMap<string, CustomDocument>
  readonly providers: ReadonlyMap<string, Provider>
  /** Sentences about variables that are not used. */
  readonly withheld: ReadonlyArray<string>
}

/** The document of a custom provider. */
export const documentOf = (name: string): DocumentId => ({ kind: "provider", name })

/** Names the place of problems and describes them, without a full stop. */
export const problemSentence = (place: string, problems: ReadonlyArray<Problem>): string =>
  `${place}: ${problems.map(({ message, path }) => path === "" ? message : `${path} ${message}`).join("; ")}`

/** The definitions of custom providers whose documents are valid. */
export const readableDefinitions = (custom: ReadonlyMap<string, CustomDocument>): ReadonlyArray<ProviderDefinition> =>
  [...custom.values()].flatMap(({ content }) => Result.isSuccess(content) ? [content.success.definition] : [])

/** Merges bundled and custom definitions. Omits variables that a custom definition may not claim. */
const merge = (
  { place }: Pick<Documents["Service"], "place">,
  bundled: ReadonlyMap<string, Provider>,
  documents: ReadonlyMap<string, CustomDocument>,
  confirmed: Takeovers.Takeovers
): Pick<Snapshot, "providers" | "withheld"> => {
  const providers = new Map(bundled)
  const custom = readableDefinitions(documents)
  const withheld: Array<string> = []
  for (const { content } of documents.values()) {
    if (Result.isFailure(content)) continue
    const { definition, digest } = content.success
    const { name } = definition
    const problems = variableProblems(definition, bundled, custom)
    if (problems.length > 0) {
      withheld.push(`${problemSentence(place(documentOf(name)), problems)}; until then the variable is not used`)
    }
    providers.set(name, {
      name,
      definition: problems.length === 0
        ? definition
        : withoutVariables(definition, new Set(problems.map(({ variable }) => variable))),
      source: "custom",
      overridesBundled: bundled.has(name),
      takesOver: Takeovers.hostsOf(confirmed, name, digest)
    })
  }
  return { providers: new Map([...providers].toSorted(([left], [right]) => (left < right ? -1 : 1))), withheld }
}
/** Reads the definition in a document, with the digest of the document. */
const readDocument = Effect.fnUntraced(function*(name: string, { content }: ListedDocument) {
  const bytes = yield* Effect.mapError(content, (message): ReadonlyArray<Problem> => [{ path: "", message }])
  return { definition: yield* readStoredDefinition(name, bytes), digest: sha256(bytes) }
}, Effect.result)

/** Makes the snapshot of the definitions in force. It is the same object until a document changes. */
export const makeSnapshot = Effect.gen(function*() {
  const documents = yield* Documents
  const bundled = yield* BundledProviders
  const withoutCustom = { custom: new Map(), ...merge(documents, bundled.providers, new Map(), {}) }
  let current: Snapshot | undefined
  let failed: Snapshot | undefined

  const read = Effect.fnUntraced(function*(folder: DocumentFolder) {
    const confirmed = yield* Takeovers.read(documents)
    const custom = new Map<string, CustomDocument>()
    for (const [name, document] of folder.documents) {
      const known = current?.custom.get(name)
      custom.set(
        name,
        known?.document === document ? known : { document, content: yield* readDocument(name, document) }
      )
    }
    current = { folder, custom, ...merge(documents, bundled.providers, custom, confirmed) }
    return current
  })

  /** The last known definitions, for when documents cannot be read. This is safe: without the store, no secret is used. */
  const unreadable = ({ detail, message }: VaultUnavailableError): Snapshot => {
    const problem = `custom providers cannot be read: ${detail ?? message}`
    const known = current ?? withoutCustom
    if (failed?.folder.problem !== problem || failed.providers !== known.providers) {
      failed = { ...known, folder: { documents: new Map(), problem } }
    }
    return failed
  }

  const snapshot: Effect.Effect<Snapshot> = documents.list("provider").pipe(
    Effect.flatMap((folder) => current?.folder === folder ? Effect.succeed(current) : read(folder)),
    Effect.catch((error) => Effect.succeed(unreadable(error)))
  )

  /** The snapshot, or undefined if the documents must be read first. */
  const known = () => current !== undefined && documents.listed("provider") === current.folder ? current : undefined

  return { snapshot, known }
})
