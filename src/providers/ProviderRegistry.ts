/**
 * Holds all providers: the bundled ones, and the files under `<home>/providers`.
 *
 * The next call notices a file that was changed by hand. An invalid file is only reported in `status`, and the bundled
 * provider that it would override stays in force.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { Paths } from "../config/Paths.ts"
import { type ProviderDefinition, type ProviderSource, withoutVariables } from "../domain/definition/Provider.ts"
import { hostsOf } from "../domain/definition/ProviderHosts.ts"
import { editDistance } from "../domain/EditDistance.ts"
import {
  InvalidRequestError,
  type Problem,
  ProviderAlreadyRegisteredError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { isProviderName } from "../domain/Names.ts"
import { placeOf, type Route } from "../domain/Route.ts"
import { parseStrictJson } from "../domain/StrictJson.ts"
import * as DirectoryState from "../platform/DirectoryState.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import { BundledProviders } from "./BundledProviders.ts"
import { readCustomDefinition } from "./DefinitionReader.ts"
import { buildRoutes, type Overlap, overlapsOf, overlapWarnings, type RoutedConnection } from "./RoutingTable.ts"
import * as Takeovers from "./Takeovers.ts"
import { variableProblems, variablesOf } from "./VariableClaims.ts"

/** A provider in force. */
export interface Provider {
  readonly definition: ProviderDefinition
  readonly source: ProviderSource
  readonly overridesBundled: boolean
  /** Hosts, with paths, that a custom provider takes over from bundled ones. */
  readonly takesOver: ReadonlyArray<string>
}

interface RegisterOptions {
  /** Replaces an existing custom provider, or overrides a bundled one. */
  readonly force?: boolean
  /** Accepts literal loopback addresses; recorded in the stored definition. */
  readonly allowInsecureLoopback?: boolean
  /** Hosts, with paths in the notation of the routing table, to take over from bundled providers. */
  readonly takeOver?: ReadonlyArray<string>
  /** Connections whose tenants count as hosts of their providers. */
  readonly connections?: ReadonlyArray<RoutedConnection>
}

interface ProviderClaims {
  /** Every host, with its path, that receives the credential. */
  readonly hosts: ReadonlyArray<string>
  /** Every variable that `run` sets. */
  readonly variables: ReadonlyArray<string>
  readonly overlaps: ReadonlyArray<Overlap>
}

interface RegistryStatus {
  readonly warnings: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

const maxBytes = 256 * 1024

interface CustomFile {
  readonly stamp: DirectoryState.Stamp
  readonly settled: boolean
  /** The definition and the digest of the file, or its problems. */
  readonly content: Result.Result<
    { readonly definition: ProviderDefinition; readonly digest: string },
    ReadonlyArray<Problem>
  >
}

interface Snapshot {
  readonly state: DirectoryState.DirectoryState
  readonly files: ReadonlyMap<string, CustomFile>
  readonly providers: ReadonlyMap<string, Provider>
  /** Sentences about variables that are not used. */
  readonly withheld: ReadonlyArray<string>
}

const isDefinitionFile = (name: string): boolean => name.endsWith(".json") && !name.startsWith(".")

const sentence = (file: string, problems: ReadonlyArray<Problem>): string =>
  `${file}: ${problems.map(({ message, path }) => path === "" ? message : `${path} ${message}`).join("; ")}`

const unwritable = (error: SecureFiles.SecureFileError) => VaultUnavailableError.of(`${error.message}.`)

export class ProviderRegistry extends Context.Service<ProviderRegistry, {
  /** All providers, ordered by name. */
  readonly list: Effect.Effect<ReadonlyArray<Provider>>

  /** Fails for an unknown name, with similar names as suggestions. */
  readonly get: (name: string) => Effect.Effect<Provider, ProviderNotFoundError>

  readonly find: (name: string) => Effect.Effect<Option.Option<Provider>>

  /**
   * Writes a custom definition. Parse its text with `parseStrictJson`. A document with loopback addresses must be
   * registered with the permission for them.
   */
  readonly register: (
    document: unknown,
    options?: RegisterOptions
  ) => Effect.Effect<Provider, InvalidRequestError | ProviderAlreadyRegisteredError | VaultUnavailableError>

  /** What the document would claim, with the checks of `register`. Writes nothing. */
  readonly check: (
    document: unknown,
    options?: Omit<RegisterOptions, "force">
  ) => Effect.Effect<ProviderClaims, InvalidRequestError>

  /** Deletes a custom definition; a bundled one that it overrode is in force again. The caller handles connections. */
  readonly remove: (
    name: string
  ) => Effect.Effect<"removed" | "reset", ProviderNotFoundError | VaultUnavailableError>

  readonly routes: (connections: ReadonlyArray<RoutedConnection>) => Effect.Effect<ReadonlyArray<Route>>

  readonly status: Effect.Effect<RegistryStatus>

  /** Sentences about custom providers that claim hosts of others, including the tenants of these connections. */
  readonly overlaps: (connections: ReadonlyArray<RoutedConnection>) => Effect.Effect<ReadonlyArray<string>>

  /** The same object until a definition changes, so that callers can cache derived data. */
  readonly revision: Effect.Effect<object>
}>()("credsvc/providers/ProviderRegistry") {
  static readonly layerNoDeps = Layer.effect(
    ProviderRegistry,
    Effect.gen(function*() {
      const paths = yield* Paths
      const { providers: directory } = paths
      const bundled = yield* BundledProviders
      const lock = yield* Semaphore.make(1)
      let current: Snapshot | undefined

      const readOne = (file: string, name: string) =>
        SecureFiles.readFile(file, { maxBytes }).pipe(
          Effect.mapError((error): ReadonlyArray<Problem> => [{ path: "", message: error.message }]),
          Effect.flatMap((bytes) =>
            Effect.fromResult(parseStored(bytes)).pipe(
              Effect.flatMap((document) =>
                // A stored definition itself records the user's permission for loopback addresses.
                readCustomDefinition(document, {
                  allowInsecureLoopback: Predicate.isObject(document) && document["allow_insecure_loopback"] === true
                })
              ),
              Effect.map((definition) => ({ definition, digest: Takeovers.digestOf(bytes) }))
            )
          ),
          Effect.flatMap((content) =>
            `${content.definition.name}.json` === name
              ? Effect.succeed(content)
              : Effect.fail<ReadonlyArray<Problem>>([{ path: "/name", message: "must match the file name" }])
          ),
          Effect.result
        )

      const refresh = Effect.gen(function*() {
        const before = current
        if (before !== undefined && DirectoryState.isCurrent(before.state)) return before
        const state = DirectoryState.readDirectoryState(directory, isDefinitionFile)
        const files = new Map<string, CustomFile>()
        for (const { name, path, settled, stamp } of state.entries) {
          const known = before?.files.get(name)
          const isSame = known !== undefined && known.settled && DirectoryState.isSameStamp(known.stamp, stamp)
          files.set(name, isSame ? known : { stamp, settled, content: yield* readOne(path, name) })
        }
        const snapshot: Snapshot = {
          state,
          files,
          ...merge(directory, bundled.definitions, files, yield* Takeovers.read(paths.takeovers))
        }
        current = snapshot
        return snapshot
      })

      const known = (): Snapshot | undefined =>
        current !== undefined && DirectoryState.isCurrent(current.state) ? current : undefined

      const snapshot: Effect.Effect<Snapshot> = Effect.suspend(() => {
        const found = known()
        return found === undefined ? lock.withPermit(refresh) : Effect.succeed(found)
      })

      const find = (name: string) =>
        Effect.map(snapshot, ({ providers }) => Option.fromUndefinedOr(providers.get(name)))

      const get = Effect.fnUntraced(function*(name: string) {
        const { providers } = yield* snapshot
        const provider = providers.get(name)
        if (provider === undefined) return yield* ProviderNotFoundError.of(name, closeNames(name, providers.values()))
        return provider
      })

      const admit = Effect.fnUntraced(
        function*(document: unknown, options: RegisterOptions) {
          const { allowInsecureLoopback = false, connections = [], takeOver = [] } = options
          const stored = allowInsecureLoopback && Predicate.isObject(document) && (yield* needsLoopback(document))
            ? { ...document, allow_insecure_loopback: true }
            : document
          const definition = yield* readCustomDefinition(stored, { allowInsecureLoopback })
          const { files, providers } = yield* refresh
          const others = [...providers.values()].filter((other) => other.definition.name !== definition.name)
          const hosts = hostsOf(definition).map(placeOf)
          const overlaps = overlapsOf(
            [...others, { definition, source: "custom", takesOver: takeOver }],
            connections.filter(({ provider }) => provider !== definition.name)
          ).filter(({ provider }) => provider === definition.name)
          const problems = [
            ...variableProblems(definition, bundled.definitions, customOf(files)),
            ...takeOver.flatMap((host) => takeoverProblem(definition, host, hosts, overlaps))
          ]
          if (problems.length > 0) return yield* Effect.fail(problems)
          return { stored, definition, files, claims: { hosts, variables: variablesOf(definition), overlaps } }
        },
        Effect.mapError((problems) => InvalidRequestError.of(problems))
      )

      const register = Effect.fn("ProviderRegistry.register")(
        function*(document: unknown, options: RegisterOptions = {}) {
          const { force = false, takeOver = [] } = options
          const { definition, files, stored } = yield* admit(document, options)
          const name = `${definition.name}.json`
          if (!force && (files.has(name) || bundled.definitions.has(definition.name))) {
            return yield* ProviderAlreadyRegisteredError.of(definition.name)
          }
          const text = `${JSON.stringify(stored, null, 2)}\n`
          // Written before the definition: without its definition file, the record has no effect.
          yield* Effect.mapError(
            Takeovers.record(paths, definition.name, Takeovers.digestOf(text), takeOver),
            unwritable
          )
          // The name is validated, and the file name depends on nothing else.
          yield* SecureFiles.ensurePrivateDirectory(directory).pipe(Effect.mapError(unwritable))
          yield* SecureFiles.replaceFile(fileOf(directory, definition.name), text).pipe(Effect.mapError(unwritable))
          const { providers } = yield* refresh
          return providers.get(definition.name) ??
            (yield* VaultUnavailableError.of(`${name} was written but could not be read again.`))
        },
        lock.withPermit
      )

      const check = (document: unknown, options: Omit<RegisterOptions, "force"> = {}) =>
        lock.withPermit(Effect.map(admit(document, options), ({ claims }) => claims))

      const remove = Effect.fn("ProviderRegistry.remove")(function*(name: string) {
        const { files, providers } = yield* refresh
        const isBundled = bundled.definitions.has(name)
        const exists = files.has(`${name}.json`)
        if (!isProviderName(name) || (!exists && !isBundled)) {
          return yield* ProviderNotFoundError.of(name, closeNames(name, providers.values()))
        }
        if (exists) {
          yield* SecureFiles.removeFile(fileOf(directory, name)).pipe(Effect.mapError(unwritable))
          yield* Effect.mapError(Takeovers.record(paths, name, "", []), unwritable)
        }
        return isBundled ? "reset" as const : "removed" as const
      }, lock.withPermit)

      const routes = (connections: ReadonlyArray<RoutedConnection>) =>
        Effect.map(snapshot, ({ providers }) => buildRoutes(providers.values(), connections))

      const overlaps = (connections: ReadonlyArray<RoutedConnection>) =>
        Effect.map(snapshot, ({ providers }) => overlapWarnings(overlapsOf([...providers.values()], connections)))

      const statusOf = ({ files, providers, state, withheld }: Snapshot): RegistryStatus => {
        const all = [...providers.values()]
        const unreadable = state.readable ? [] : [`${directory}: the directory cannot be read`]
        const unusable = [...files].flatMap(([name, { content }]) =>
          Result.isFailure(content) ? [sentence(`${directory}/${name}`, content.failure)] : []
        )
        return {
          warnings: [
            ...all.filter(({ overridesBundled }) => overridesBundled).map(({ definition }) =>
              `the custom provider ${definition.name} overrides the bundled one; ` +
              `undo it with: credsvc remove ${definition.name}`
            ),
            ...overlapWarnings(overlapsOf(all, []))
          ],
          problems: [
            ...bundled.problems.map(({ file, problems }) => sentence(file, problems)),
            ...unreadable,
            ...unusable,
            ...withheld
          ]
        }
      }

      // Cached: finding hosts that two providers claim takes longer than everything else on a page.
      let cached: { readonly of: Snapshot; readonly status: RegistryStatus } | undefined
      const status = Effect.map(snapshot, (now) => {
        if (cached?.of !== now) cached = { of: now, status: statusOf(now) }
        return cached.status
      })

      return ProviderRegistry.of({
        list: Effect.map(snapshot, ({ providers }) => [...providers.values()]),
        get,
        find,
        register,
        check,
        remove,
        routes,
        status,
        overlaps,
        revision: snapshot
      })
    })
  )

  /** With the bundled providers. */
  static readonly layerBundled: Layer.Layer<ProviderRegistry, never, Paths> = this.layerNoDeps.pipe(
    Layer.provide(BundledProviders.layer)
  )
}

const fileOf = (directory: string, name: string): string => `${directory}/${name}.json`

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

const customOf = (files: ReadonlyMap<string, CustomFile>): ReadonlyArray<ProviderDefinition> =>
  [...files.values()].flatMap(({ content }) => Result.isSuccess(content) ? [content.success.definition] : [])

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
    : [{ path: "take_over", message: `"${host}" belongs to no bundled provider, so there is nothing to take over` }]
}

/** Omits variables that a custom definition may not claim. */
const merge = (
  directory: string,
  bundled: ReadonlyMap<string, ProviderDefinition>,
  files: ReadonlyMap<string, CustomFile>,
  confirmed: Takeovers.Takeovers
): Pick<Snapshot, "providers" | "withheld"> => {
  const providers = new Map<string, Provider>()
  for (const [name, definition] of bundled) {
    providers.set(name, { definition, source: "bundled", overridesBundled: false, takesOver: [] })
  }
  const custom = customOf(files)
  const withheld: Array<string> = []
  for (const [file, { content }] of files) {
    if (Result.isFailure(content)) continue
    const { definition, digest } = content.success
    const { name } = definition
    const problems = variableProblems(definition, bundled, custom)
    if (problems.length > 0) {
      withheld.push(`${sentence(`${directory}/${file}`, problems)}; until then the variable is not used`)
    }
    providers.set(name, {
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

/** Up to three: the provider with that alias, else names with the same prefix or one differing letter. */
const closeNames = (name: string, providers: Iterable<Provider>): ReadonlyArray<string> => {
  if (!isProviderName(name)) return []
  return [...providers]
    .map(({ definition }) => ({
      candidate: definition.name,
      distance: definition.aliases.some((alias) => alias === name) ? 0 : nameDistance(name, definition.name)
    }))
    .filter(({ distance }) => distance <= 2)
    .toSorted((left, right) => left.distance - right.distance)
    .filter(({ distance }, _, [closest]) => closest!.distance > 0 || distance === 0)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

const nameDistance = (left: string, right: string): number =>
  right.startsWith(`${left}-`) || left.startsWith(`${right}-`) ? 1 : editDistance(left, right)
