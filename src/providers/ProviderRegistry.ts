/**
 * Holds all providers: the bundled providers, and the home's custom providers, which are files or rows (`Documents`).
 *
 * The next call notices a definition that was changed by hand or by another daemon. An invalid definition is only
 * reported in `status`, and a bundled provider that it would override stays in force.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type DocumentFolder, type DocumentId, Documents, type ListedDocument } from "../config/Documents.ts"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { withoutVariables } from "../domain/definition/ProviderFields.ts"
import { hostsOf } from "../domain/definition/ProviderHosts.ts"
import {
  InvalidRequestError,
  OperationNotAllowedError,
  type Problem,
  ProviderAlreadyRegisteredError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { hostAndPrefix } from "../domain/injection/Route.ts"
import { editDistance } from "../domain/text/EditDistance.ts"
import { parseStrictJson } from "../domain/text/StrictJson.ts"
import { isProviderName } from "../domain/wire/Names.ts"
import type { Route } from "../domain/wire/ProxyRoutes.ts"
import { sha256 } from "../platform/Digest.ts"
import { BundledProviders } from "./BundledProviders.ts"
import { readCustomDefinition } from "./CustomDefinition.ts"
import {
  buildRoutes,
  type Overlap,
  overlapsOf,
  overlapWarnings,
  type RoutedConnection,
  type RoutedProvider
} from "./RoutingTable.ts"
import * as Takeovers from "./Takeovers.ts"
import { claimedVariables, variableProblems } from "./VariableClaims.ts"

/** A provider in force. */
export interface Provider extends RoutedProvider {
  readonly overridesBundled: boolean
}

interface RegisterOptions {
  /** Allows replacing an existing custom provider, or overriding a bundled one. */
  readonly force?: boolean
  /** Accepts literal loopback addresses. This permission is recorded in the stored definition. */
  readonly allowInsecureLoopback?: boolean
  /** Hosts, with paths in the notation of the routing table, to take over from bundled providers. */
  readonly takeOver?: ReadonlyArray<string>
  /** Connections whose base URLs count as hosts of their providers. */
  readonly connections?: ReadonlyArray<RoutedConnection>
  /**
   * Whether to fail if the present definition limits connections to contained runs, or cannot be read, and the new one does
   * not limit them.
   */
  readonly keepContained?: boolean
}

interface ProviderClaims {
  /** Every host that receives the credential, with its path. */
  readonly hosts: ReadonlyArray<string>
  /** Every variable that `run` sets. */
  readonly variables: ReadonlyArray<string>
  readonly overlaps: ReadonlyArray<Overlap>
}

interface RegistryStatus {
  readonly warnings: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

interface CustomDocument {
  readonly document: ListedDocument
  /** The definition and the digest of its document, or its problems. */
  readonly content: Result.Result<
    { readonly definition: ProviderDefinition; readonly digest: string },
    ReadonlyArray<Problem>
  >
}

interface Snapshot {
  readonly folder: DocumentFolder
  readonly custom: ReadonlyMap<string, CustomDocument>
  readonly providers: ReadonlyMap<string, Provider>
  /** Sentences about variables that are not used. */
  readonly withheld: ReadonlyArray<string>
}

const documentOf = (name: string): DocumentId => ({ kind: "provider", name })

const problemSentence = (place: string, problems: ReadonlyArray<Problem>): string =>
  `${place}: ${problems.map(({ message, path }) => path === "" ? message : `${path} ${message}`).join("; ")}`

const readOne = Effect.fnUntraced(function*(name: string, { content }: ListedDocument) {
  const bytes = yield* Effect.mapError(content, (message): ReadonlyArray<Problem> => [{ path: "", message }])
  const document = yield* Effect.fromResult(parseStored(bytes))
  // A stored definition itself records the user's permission for loopback addresses.
  const allowInsecureLoopback = Predicate.isObject(document) && document["allow_insecure_loopback"] === true
  const definition = yield* readCustomDefinition(document, { allowInsecureLoopback })
  if (definition.name === name) return { definition, digest: sha256(bytes) }
  return yield* Effect.fail<ReadonlyArray<Problem>>([{ path: "/name", message: "must match the file name" }])
}, Effect.result)

const warningsOf = (all: ReadonlyArray<Provider>, connections: ReadonlyArray<RoutedConnection>) =>
  overlapWarnings(overlapsOf(all.filter(({ source }) => source === "custom"), all, connections))

/** Makes the snapshot of the definitions in force. It is the same object until a document changes. */
const makeSnapshot = Effect.gen(function*() {
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
      custom.set(name, known?.document === document ? known : { document, content: yield* readOne(name, document) })
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

const make = Effect.gen(function*() {
  const documents = yield* Documents
  const bundled = yield* BundledProviders
  const { known, snapshot } = yield* makeSnapshot

  const find = (name: string) => Effect.map(snapshot, ({ providers }) => Option.fromUndefinedOr(providers.get(name)))

  const get = Effect.fnUntraced(function*(name: string) {
    const { providers } = yield* snapshot
    return providers.get(name) ?? (yield* ProviderNotFoundError.of(name, similarNames(name, providers.values())))
  })

  const admit = Effect.fnUntraced(function*(document: unknown, options: RegisterOptions) {
    const { allowInsecureLoopback = false, connections = [], takeOver = [] } = options
    const stored = allowInsecureLoopback && Predicate.isObject(document) && (yield* needsLoopback(document))
      ? { ...document, allow_insecure_loopback: true }
      : document
    const definition = yield* readCustomDefinition(stored, { allowInsecureLoopback })
    const { custom, providers } = yield* snapshot
    const hosts = hostsOf(definition).map(hostAndPrefix)
    const overlaps = overlapsOf(
      [{ name: definition.name, definition, source: "custom", takesOver: takeOver }],
      [...providers.values()],
      connections.filter(({ provider }) => provider !== definition.name)
    )
    const problems = [
      ...variableProblems(definition, bundled.providers, readableDefinitions(custom)),
      ...takeOver.flatMap((host) => takeoverProblem(definition, host, hosts, overlaps))
    ]
    if (problems.length > 0) return yield* Effect.fail(problems)
    return { stored, definition, custom, claims: { hosts, variables: claimedVariables(definition), overlaps } }
  }, Effect.mapError((problems) => InvalidRequestError.of(problems)))

  /** Fails if connections of this provider are, or may be, for contained runs only. */
  const requireUnlimited = Effect.fnUntraced(function*(name: string) {
    const { custom, folder, providers } = yield* snapshot
    const stored = custom.get(name)?.content
    const isRead = folder.problem === undefined && (stored === undefined || Result.isSuccess(stored))
    if (isRead && providers.get(name)?.definition.containedOnly !== true) return
    return yield* OperationNotAllowedError.of(`Connections of ${name} may be for contained runs only.`)
  })

  const register = Effect.fn("ProviderRegistry.register")(
    function*(document: unknown, options: RegisterOptions = {}) {
      const { force = false, keepContained = false, takeOver = [] } = options
      const { custom, definition, stored } = yield* admit(document, options)
      const { name } = definition
      if (keepContained && definition.containedOnly !== true) yield* requireUnlimited(name)
      if (!force && (custom.has(name) || bundled.providers.has(name))) {
        return yield* ProviderAlreadyRegisteredError.of(name)
      }
      const text = `${JSON.stringify(stored, null, 2)}\n`
      // Written before the definition, because the record has no effect without it.
      yield* Takeovers.record(documents, name, sha256(text), takeOver)
      // Writes only into the directory, because the path depends only on the validated name.
      yield* documents.write(documentOf(name), text)
      const { providers } = yield* snapshot
      return providers.get(name) ??
        (yield* VaultUnavailableError.of(`The provider ${name} was written but could not be read again.`))
    },
    documents.change
  )

  const check = (document: unknown, options: Omit<RegisterOptions, "force" | "keepContained"> = {}) =>
    Effect.map(admit(document, options), ({ claims }) => claims)

  const remove = Effect.fn("ProviderRegistry.remove")(function*(
    name: string,
    { keepContained = false }: Pick<RegisterOptions, "keepContained"> = {}
  ) {
    if (keepContained) yield* requireUnlimited(name)
    const { custom, providers } = yield* snapshot
    const isBundled = bundled.providers.has(name)
    const exists = custom.has(name)
    if (!isProviderName(name) || (!exists && !isBundled)) {
      return yield* ProviderNotFoundError.of(name, similarNames(name, providers.values()))
    }
    if (exists) {
      yield* documents.remove(documentOf(name))
      yield* Takeovers.record(documents, name, "", [])
    }
    return isBundled ? "reset" as const : "removed" as const
  }, documents.change)

  const routes = (connections: ReadonlyArray<RoutedConnection>) =>
    Effect.map(snapshot, ({ providers }) => buildRoutes(providers.values(), connections))

  const overlaps = (connections: ReadonlyArray<RoutedConnection>) =>
    Effect.map(snapshot, ({ providers }) => warningsOf([...providers.values()], connections))

  const statusOf = ({ custom, folder, providers, withheld }: Snapshot): RegistryStatus => {
    const all = [...providers.values()]
    const unreadable = folder.problem === undefined ? [] : [folder.problem]
    const unusable = [...custom].flatMap(([name, { content }]) =>
      Result.isFailure(content) ? [problemSentence(documents.place(documentOf(name)), content.failure)] : []
    )
    return {
      warnings: [
        ...all.filter(({ overridesBundled }) => overridesBundled).map(({ name }) =>
          `the custom provider ${name} overrides the bundled one; undo this with: credsvc remove ${name}`
        ),
        ...warningsOf(all, [])
      ],
      problems: [
        ...bundled.problems.map(({ file, problems }) => problemSentence(file, problems)),
        ...unreadable,
        ...unusable,
        ...withheld
      ]
    }
  }

  // Cached, because finding hosts that two providers claim takes longer than everything else that a page needs.
  let cached: { readonly of: Snapshot; readonly status: RegistryStatus } | undefined
  const status = Effect.zipWith(snapshot, documents.ignored, (now, ignored) => {
    if (cached?.of !== now) cached = { of: now, status: statusOf(now) }
    const { problems, warnings } = cached.status
    return { problems, warnings: [...ignored, ...warnings] }
  })

  return {
    list: Effect.map(snapshot, ({ providers }) => [...providers.values()]),
    get,
    find,
    register,
    check,
    remove,
    routes,
    status,
    overlaps,
    revision: snapshot,
    knownRevision: known
  }
})

export class ProviderRegistry extends Context.Service<ProviderRegistry, {
  /** All providers, ordered by name. */
  readonly list: Effect.Effect<ReadonlyArray<Provider>>

  /** Returns a provider. Fails for an unknown name, with similar names as suggestions. */
  readonly get: (name: string) => Effect.Effect<Provider, ProviderNotFoundError>

  readonly find: (name: string) => Effect.Effect<Option.Option<Provider>>

  /**
   * Writes a custom definition. Parse its text with `parseStrictJson`. A document with loopback addresses needs the
   * option `allowInsecureLoopback`.
   */
  readonly register: (document: unknown, options?: RegisterOptions) => Effect.Effect<
    Provider,
    InvalidRequestError | OperationNotAllowedError | ProviderAlreadyRegisteredError | VaultUnavailableError
  >

  /** Returns what the document would claim, with the same checks as `register`. Writes nothing. */
  readonly check: (
    document: unknown,
    options?: Omit<RegisterOptions, "force" | "keepContained">
  ) => Effect.Effect<ProviderClaims, InvalidRequestError>

  /** Deletes a custom definition. A bundled definition that it overrode is then in force again. The caller handles connections. */
  readonly remove: (
    name: string,
    options?: Pick<RegisterOptions, "keepContained">
  ) => Effect.Effect<"removed" | "reset", OperationNotAllowedError | ProviderNotFoundError | VaultUnavailableError>

  readonly routes: (connections: ReadonlyArray<RoutedConnection>) => Effect.Effect<ReadonlyArray<Route>>

  readonly status: Effect.Effect<RegistryStatus>

  /**
   * Returns sentences about custom providers that claim hosts of other providers, including the base URLs of these connections.
   */
  readonly overlaps: (connections: ReadonlyArray<RoutedConnection>) => Effect.Effect<ReadonlyArray<string>>

  /** An object that stays the same until a definition changes, so that callers can cache derived data. */
  readonly revision: Effect.Effect<object>

  /** Like `revision`, but without waiting. It is undefined if the documents must be read first. */
  readonly knownRevision: () => object | undefined
}>()("credsvc/providers/ProviderRegistry") {
  static readonly layerNoDeps = Layer.effect(ProviderRegistry, make)
}

const parseStored = (bytes: Uint8Array): Result.Result<unknown, ReadonlyArray<Problem>> => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return Result.fail([{ path: "", message: "is not UTF-8 text" }])
  }
  return parseStrictJson(text).pipe(Result.mapError((problem) => [problem]))
}

const needsLoopback = (document: unknown): Effect.Effect<boolean> =>
  Effect.map(Effect.result(readCustomDefinition(document, {})), Result.isFailure)

const readableDefinitions = (custom: ReadonlyMap<string, CustomDocument>): ReadonlyArray<ProviderDefinition> =>
  [...custom.values()].flatMap(({ content }) => Result.isSuccess(content) ? [content.success.definition] : [])

const takeoverProblem = (
  definition: ProviderDefinition,
  host: string,
  hosts: ReadonlyArray<string>,
  overlaps: ReadonlyArray<Overlap>
): ReadonlyArray<Problem> => {
  if (!hosts.includes(host)) {
    return [{
      path: "take_over",
      message: `"${host}" is not a host of ${definition.name}; expected ${hosts.join(" or ")}`
    }]
  }
  return overlaps.some(({ otherSource, place }) => place === host && otherSource === "bundled")
    ? []
    : [{ path: "take_over", message: `"${host}" does not belong to a bundled provider: omit it` }]
}

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
      takesOver: Object.hasOwn(confirmed, name) && confirmed[name]!.definition === digest ? confirmed[name]!.hosts : []
    })
  }
  return { providers: new Map([...providers].toSorted(([left], [right]) => (left < right ? -1 : 1))), withheld }
}

/** Suggests up to three names: the provider with this alias, or else names with the same prefix or with few differing letters. */
const similarNames = (name: string, providers: Iterable<Provider>): ReadonlyArray<string> => {
  if (!isProviderName(name)) return []
  const most = Math.min(2, Math.max(1, Math.floor(name.length / 3)))
  return [...providers]
    .map((provider) => ({
      candidate: provider.name,
      distance: provider.definition.aliases.some((alias) => alias === name) ? 0 : nameDistance(name, provider.name)
    }))
    .filter(({ distance }) => distance <= most)
    .toSorted((left, right) => left.distance - right.distance)
    .filter(({ distance }, _, [closest]) => closest!.distance > 0 || distance === 0)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

const nameDistance = (left: string, right: string): number =>
  right.startsWith(`${left}-`) || left.startsWith(`${right}-`) ? 1 : editDistance(left, right)
