/**
 * Holds all providers: the bundled providers, and the home's custom providers, which are files or rows (`Documents`).
 *
 * The next call notices a definition that was changed by hand or by another daemon.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Documents } from "../config/Documents.ts"
import { hostsOf } from "../domain/definition/ProviderHosts.ts"
import {
  InvalidRequestError,
  OperationNotAllowedError,
  ProviderAlreadyRegisteredError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { hostAndPrefix } from "../domain/injection/Route.ts"
import { isProviderName } from "../domain/wire/Names.ts"
import { sha256 } from "../platform/Digest.ts"
import { BundledProviders } from "./BundledProviders.ts"
import { readCustomDefinition } from "./CustomDefinition.ts"
import {
  documentOf,
  makeSnapshot,
  problemSentence,
  type Provider,
  readableDefinitions,
  type Snapshot
} from "./ProviderSnapshot.ts"
import { buildRoutes, overlapsOf, overlapWarnings, type RoutedConnection } from "./RoutingTable.ts"
import { similarNames } from "./SimilarNames.ts"
import * as Takeovers from "./Takeovers.ts"
import { claimedVariables, variableProblems } from "./VariableClaims.ts"

export interface RegisterOptions {
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

const needsLoopback = (document: unknown): Effect.Effect<boolean> =>
  Effect.map(Effect.result(readCustomDefinition(document, {})), Result.isFailure)

const warningsOf = (all: ReadonlyArray<Provider>, connections: ReadonlyArray<RoutedConnection>) =>
  overlapWarnings(overlapsOf(all.filter(({ source }) => source === "custom"), all, connections))

/** Checks a new definition. Returns it, the document to store, and what it would claim. */
const admit = Effect.fnUntraced(function*(
  document: unknown,
  { allowInsecureLoopback = false, connections = [], takeOver = [] }: RegisterOptions,
  { custom, providers }: Snapshot,
  bundled: BundledProviders["Service"]["providers"]
) {
  const stored = allowInsecureLoopback && Predicate.isObject(document) && (yield* needsLoopback(document))
    ? { ...document, allow_insecure_loopback: true }
    : document
  const definition = yield* readCustomDefinition(stored, { allowInsecureLoopback })
  const hosts = hostsOf(definition).map(hostAndPrefix)
  const overlaps = overlapsOf(
    [{ name: definition.name, definition, source: "custom", takesOver: takeOver }],
    [...providers.values()],
    connections.filter(({ provider }) => provider !== definition.name)
  )
  const problems = [
    ...variableProblems(definition, bundled, readableDefinitions(custom)),
    ...Takeovers.problems(definition.name, takeOver, { hosts, overlaps })
  ]
  if (problems.length > 0) return yield* Effect.fail(problems)
  return { stored, definition, claims: { hosts, variables: claimedVariables(definition), overlaps } }
}, Effect.mapError((problems) => InvalidRequestError.of(problems)))

/** Fails if connections of this provider are, or may be, for contained runs only. */
const requireUnlimited = ({ custom, folder, providers }: Snapshot, name: string) => {
  const stored = custom.get(name)?.content
  const isRead = folder.problem === undefined && (stored === undefined || Result.isSuccess(stored))
  return isRead && providers.get(name)?.definition.containedOnly !== true
    ? Effect.void
    : Effect.fail(OperationNotAllowedError.of(`Connections of ${name} may be for contained runs only.`))
}

/** The status of the definitions in a snapshot. */
const statusOf = (
  { custom, folder, providers, withheld }: Snapshot,
  place: (name: string) => string
) => {
  const all = [...providers.values()]
  const unusable = [...custom].flatMap(([name, { content }]) =>
    Result.isFailure(content) ? [problemSentence(place(name), content.failure)] : []
  )
  return {
    warnings: [
      ...all.filter(({ overridesBundled }) => overridesBundled).map(({ name }) =>
        `the custom provider ${name} overrides the bundled one; undo this with: credsvc remove ${name}`
      ),
      ...warningsOf(all, [])
    ],
    problems: [...(folder.problem === undefined ? [] : [folder.problem]), ...unusable, ...withheld]
  }
}

const make = Effect.gen(function*() {
  const documents = yield* Documents
  const bundled = yield* BundledProviders
  const { known, snapshot } = yield* makeSnapshot
  const revision: Effect.Effect<object> = snapshot
  const knownRevision: () => object | undefined = known
  const placeOf = (name: string) => documents.place(documentOf(name))
  const bundledProblems = bundled.problems.map(({ file, problems }) => problemSentence(file, problems))

  /** Returns a provider. Fails for an unknown name, with similar names as suggestions. */
  const get = Effect.fnUntraced(function*(name: string) {
    const { providers } = yield* snapshot
    return providers.get(name) ?? (yield* ProviderNotFoundError.of(name, similarNames(name, providers.values())))
  })

  /**
   * Writes a custom definition. Parse its text with `parseStrictJson`. A document with loopback addresses needs the
   * option `allowInsecureLoopback`.
   */
  const register = Effect.fn("ProviderRegistry.register")(
    function*(document: unknown, options: RegisterOptions = {}) {
      const { force = false, keepContained = false, takeOver = [] } = options
      const now = yield* snapshot
      const { definition, stored } = yield* admit(document, options, now, bundled.providers)
      const { name } = definition
      if (keepContained && definition.containedOnly !== true) yield* requireUnlimited(now, name)
      if (!force && (now.custom.has(name) || bundled.providers.has(name))) {
        return yield* ProviderAlreadyRegisteredError.of(name)
      }
      const text = `${JSON.stringify(stored, null, 2)}\n`
      // Written before the definition, because the record has no effect without it.
      yield* Takeovers.record(documents, name, { definition: sha256(text), hosts: takeOver })
      // Writes only into the directory, because the path depends only on the validated name.
      yield* documents.write(documentOf(name), text)
      const { providers } = yield* snapshot
      return providers.get(name) ??
        (yield* VaultUnavailableError.of(`The provider ${name} was written but could not be read again.`))
    },
    documents.change
  )

  /**
   * Returns the hosts that would receive the credential, the variables that `run` would set, and the overlaps with other
   * providers, with the same checks as `register`. Writes nothing.
   */
  const check = (document: unknown, options: Omit<RegisterOptions, "force" | "keepContained"> = {}) =>
    Effect.map(
      Effect.flatMap(snapshot, (now) => admit(document, options, now, bundled.providers)),
      ({ claims }) => claims
    )

  /** Deletes a custom definition. A bundled definition that it overrode is then in force again. The caller handles connections. */
  const remove = Effect.fn("ProviderRegistry.remove")(function*(
    name: string,
    { keepContained = false }: Pick<RegisterOptions, "keepContained"> = {}
  ) {
    const now = yield* snapshot
    if (keepContained) yield* requireUnlimited(now, name)
    const isBundled = bundled.providers.has(name)
    const exists = now.custom.has(name)
    if (!isProviderName(name) || (!exists && !isBundled)) {
      return yield* ProviderNotFoundError.of(name, similarNames(name, now.providers.values()))
    }
    if (exists) {
      yield* documents.remove(documentOf(name))
      yield* Takeovers.record(documents, name, { definition: "", hosts: [] })
    }
    return isBundled ? "reset" as const : "removed" as const
  }, documents.change)

  // Cached, because finding hosts that two providers claim takes longer than everything else that a page needs.
  let cached: { readonly of: Snapshot; readonly status: ReturnType<typeof statusOf> } | undefined
  const status = Effect.zipWith(snapshot, documents.ignored, (now, ignored) => {
    if (cached?.of !== now) cached = { of: now, status: statusOf(now, placeOf) }
    const { problems, warnings } = cached.status
    return { problems: [...bundledProblems, ...problems], warnings: [...ignored, ...warnings] }
  })

  return {
    get,
    find: (name: string) => Effect.map(snapshot, ({ providers }) => Option.fromUndefinedOr(providers.get(name))),
    register,
    check,
    remove,
    status,

    /** All providers, ordered by name. */
    list: Effect.map(snapshot, ({ providers }) => [...providers.values()]),

    /** Builds the routing table for these connections. */
    routes: (connections: ReadonlyArray<RoutedConnection>) =>
      Effect.map(snapshot, ({ providers }) => buildRoutes(providers.values(), connections)),

    /**
     * Returns sentences about custom providers that claim hosts of other providers, including the base URLs of these connections.
     */
    overlaps: (connections: ReadonlyArray<RoutedConnection>) =>
      Effect.map(snapshot, ({ providers }) => warningsOf([...providers.values()], connections)),

    /** An object that stays the same until a definition changes, so that callers can cache derived data. */
    revision,

    /** Like `revision`, but without waiting. It is undefined if the documents must be read first. */
    knownRevision
  }
})

export class ProviderRegistry
  extends Context.Service<ProviderRegistry, Effect.Success<typeof make>>()("credsvc/providers/ProviderRegistry")
{
  static readonly layerNoDeps = Layer.effect(ProviderRegistry, make)
}
