/**
 * Manages connections: stored credentials and every operation on them.
 *
 * Each operation that releases a secret records this in the audit log first, and fails if it cannot. Each change is one
 * transaction with its audit entry, so that a crash leaves the state either before or after it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ProviderName } from "../domain/definition/Provider.ts"
import {
  type AmbiguousProviderError,
  ConnectionAlreadyExistsError,
  type ConnectionNotFoundError,
  type CredentialError,
  OperationNotAllowedError,
  type ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { loginCommand } from "../domain/text/LoginCommand.ts"
import type { Connection, ConnectionName } from "../domain/wire/Connection.ts"
import type {
  ContainedOnlySet,
  DefaultSet,
  Exported,
  ExportRequest,
  LoggedOut,
  ProviderRemoved,
  Revoked
} from "../domain/wire/ConnectionResults.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { ProxyRoutes } from "../domain/wire/ProxyRoutes.ts"
import type { Resolved, ResolveRequest } from "../domain/wire/Resolve.ts"
import { fingerprint } from "../providers/Fingerprint.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import type { RoutedConnection } from "../providers/RoutingTable.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { type Access, makeAccess } from "./ConnectionAccess.ts"
import { type ConnectionGrants, makeConnectionGrants } from "./ConnectionGrants.ts"
import { recordOf } from "./ConnectionRecord.ts"
import { ConnectionRepo, contentOf } from "./ConnectionRepo.ts"
import { contentOfLogin, type NewConnection, type SaveError, type SaveOptions } from "./NewConnection.ts"
import { ClientCredentialsRepo } from "./oauth/ClientCredentialsRepo.ts"
import { Issuers } from "./oauth/Issuers.ts"
import { Revocations } from "./oauth/Revocations.ts"
import { type LoginsFromFiles, makeLoginsFromFiles } from "./programs/LoginsFromFiles.ts"
import { type LoginsFromRuns, makeLoginsFromRuns } from "./programs/LoginsFromRuns.ts"
import { makeLoginStorage } from "./programs/LoginStorage.ts"
import { makeOriginalFiles } from "./programs/OriginalFiles.ts"
import { makeRefreshLeases } from "./renewal/RefreshLeases.ts"
import { TokenRefresher } from "./renewal/TokenRefresher.ts"
import { TokenRenewal } from "./renewal/TokenRenewal.ts"
import { Revision, type State } from "./Revision.ts"
import { makeCredentialUse, type UseOptions } from "./use/CredentialUse.ts"
import { HostRouting } from "./use/HostRouting.ts"

/** The place of a connection, with the name that the profile uses for it. */
type Place = readonly [profile: ProfileHandle, provider: ProviderName, connection: ConnectionName]

/** The errors that every operation on one connection can have. */
type PlaceError = ConnectionNotFoundError | ProviderNotFoundError | VaultUnavailableError

interface Operations extends ConnectionGrants, LoginsFromRuns, LoginsFromFiles {
  /**
   * Lists the connections that the profile may use, with their secrets redacted: its own, ordered by provider and age,
   * and then those that were granted to it.
   */
  readonly list: (
    profile: ProfileHandle,
    provider?: ProviderName
  ) => Effect.Effect<ReadonlyArray<Connection>, ProviderNotFoundError | VaultUnavailableError>

  /** Returns one connection. With `reveal`, the result contains the secret and the audit log records it. */
  readonly get: (
    ...options: [...Place, options: { readonly reveal: boolean }]
  ) => Effect.Effect<Connection, PlaceError | OperationNotAllowedError>

  /** Whether the profile owns or may use this connection, whatever its status. */
  readonly exists: (...place: Place) => Effect.Effect<boolean, VaultUnavailableError>

  /**
   * Stores the result of a login, and runs `also` in the same transaction. The first connection of a provider becomes
   * its default.
   */
  readonly save: (
    profile: ProfileHandle,
    connection: NewConnection,
    options: SaveOptions
  ) => Effect.Effect<Connection, SaveError>

  /** Deletes one connection from the vault. Does not revoke it. */
  readonly logout: (...place: Place) => Effect.Effect<LoggedOut, PlaceError>

  /** Revokes all connections of a provider and deletes its client credentials. */
  readonly revoke: (
    profile: ProfileHandle,
    provider: ProviderName
  ) => Effect.Effect<Revoked, ProviderNotFoundError | VaultUnavailableError>

  readonly setDefault: (...place: Place) => Effect.Effect<DefaultSet, PlaceError>

  /**
   * Allows only contained runs to use the connection. Only another login undoes this, because a program that may use the
   * daemon could otherwise undo it as well.
   */
  readonly setContainedOnly: (...place: Place) => Effect.Effect<ContainedOnlySet, PlaceError | OperationNotAllowedError>

  /**
   * Exports the fields that the definition exports, never a refresh token. Without a name, uses the default connection.
   */
  readonly exportCredential: (
    profile: ProfileHandle,
    request: ExportRequest
  ) => Effect.Effect<Exported, CredentialError>

  /** While its `content` stays the same object and is verified, `resolve` returns the same results, apart from expiry. */
  readonly revision: Effect.Effect<State>

  /** Returns the content of the revision, or undefined if it is unverified or only a query could verify it. */
  readonly knownRevision: () => object | undefined

  /** Calls the listener when results of `resolve` may have changed. Returns a function that removes the listener. */
  readonly onChange: (listener: () => void) => () => void

  /**
   * Resolves the credential for one request. The routing table selects provider and connection unless the request names
   * them; in either case the host must be one of the provider's, and the `limits` of a registered run apply. Every call
   * reads the store.
   */
  readonly resolve: (
    profile: ProfileHandle,
    request: ResolveRequest,
    options: UseOptions
  ) => Effect.Effect<Resolved, Exclude<CredentialError, ConnectionNotFoundError> | AmbiguousProviderError>

  /** Clears an earlier rejection of the credential with this `issuedAt`, which the upstream has accepted. */
  readonly accepted: (...issued: [...Place, issuedAt: DateTime.Utc]) => Effect.Effect<void, VaultUnavailableError>

  readonly routes: (profile: ProfileHandle) => Effect.Effect<ProxyRoutes, VaultUnavailableError>

  /** Lists the connections from which the routing table is built, with their base URLs. */
  readonly routed: (profile: ProfileHandle) => Effect.Effect<ReadonlyArray<RoutedConnection>, VaultUnavailableError>

  /**
   * Removes a custom provider with its connections in all profiles, or resets an overridden provider to its bundled
   * definition. Connections of an overridden provider stay usable if they were created with the bundled definition.
   */
  readonly removeProvider: (
    profile: ProfileHandle,
    provider: ProviderName,
    options?: Parameters<ProviderRegistry["Service"]["remove"]>[1]
  ) => Effect.Effect<ProviderRemoved, OperationNotAllowedError | ProviderNotFoundError | VaultUnavailableError>

  readonly count: (profile: ProfileHandle) => Effect.Effect<number, VaultUnavailableError>

  /** Reads all connections for `credsvc doctor`; returns a sentence about each that cannot be used. */
  readonly selfTest: (
    profile: ProfileHandle
  ) => Effect.Effect<{ readonly count: number; readonly warnings: ReadonlyArray<string> }, VaultUnavailableError>
}

/** Makes the functions that change single connections. */
const makeChanges = Effect.fnUntraced(function*({ describe, record, removeOwned, requireOwned, whenReady }: Access) {
  const repo = yield* ConnectionRepo
  const registry = yield* ProviderRegistry
  const leases = yield* makeRefreshLeases
  const manifest = yield* StoreManifest
  const write = <A, E, R>(effect: Effect.Effect<A, E, R>) => whenReady(manifest.transact(effect))

  const save = Effect.fn("Connections.save")(
    function*(profile: ProfileHandle, given: NewConnection, options: SaveOptions) {
      const place = { profile, provider: given.provider, name: given.connection }
      const known = yield* registry.get(given.provider)
      const definitionFp = fingerprint(known.definition, given.baseUrl)
      if (definitionFp !== given.definitionFp) {
        return yield* OperationNotAllowedError.of(
          `The definition of ${given.provider} has changed during this login. Start again with: ` +
            loginCommand(given.provider, given.connection, options.force)
        )
      }
      const now = yield* DateTime.now
      yield* manifest.transact(Effect.gen(function*() {
        const existing = yield* repo.find(place)
        const content = contentOfLogin(given, known, now, existing)
        if (existing === undefined) yield* repo.insert(place, content)
        else if (!options.force || !(yield* repo.replace(existing, content))) {
          return yield* ConnectionAlreadyExistsError.of(given.provider, given.connection)
        }
        const defaults = yield* repo.defaults(profile)
        if (!defaults.has(given.provider)) yield* repo.setDefault(place)
        yield* record("login", profile, given.provider, given.connection)
        if (given.oauth?.trustedIssuer !== undefined) {
          yield* record("trust-issuer", profile, given.provider, given.connection)
        }
        if (options.also !== undefined) yield* options.also
      }))
      const stored = yield* repo.find(place)
      return stored === undefined
        ? yield* VaultUnavailableError.of(
          "Another request removed the connection right after it was stored. Log in again."
        )
        : yield* describe(profile, stored)
    },
    whenReady
  )

  const logout = Effect.fn("Connections.logout")(function*(...[profile, provider, name]: Place) {
    const stored = yield* requireOwned(profile, provider, name)
    const newDefault = yield* removeOwned(stored)
    return { status: "logged_out" as const, provider, connection: name, newDefault }
  }, write)

  const setDefault = Effect.fn("Connections.setDefault")(function*(...[profile, provider, name]: Place) {
    yield* requireOwned(profile, provider, name)
    yield* repo.setDefault({ profile, provider, name })
    yield* record("set-default", profile, provider, name)
    return { status: "ok" as const, provider, defaultConnection: name }
  }, write)

  const setContainedOnly = Effect.fn("Connections.setContainedOnly")(
    function*(...[profile, provider, name]: Place) {
      const stored = yield* requireOwned(profile, provider, name)
      const result = { status: "ok" as const, provider, connection: name, containedOnly: true as const }
      if (stored.metadata.containedOnly === true) return result
      // Writing a new generation would make a refresh in progress lose its tokens.
      const isRefreshed = yield* leases.isUnfinished(stored.row.record_id)
      const metadata = { ...stored.metadata, containedOnly: true }
      const content = contentOf({ row: stored.row, metadata }, yield* repo.openSecrets(stored))
      if (isRefreshed || !(yield* repo.replace(stored, content))) {
        return yield* OperationNotAllowedError.of(`The token of ${provider} is being refreshed. Try again in a minute.`)
      }
      yield* record("set-contained-only", profile, provider, name)
      return result
    },
    write
  )

  return { logout, save, setContainedOnly, setDefault }
})

const make = Effect.gen(function*() {
  const repo = yield* ConnectionRepo
  const registry = yield* ProviderRegistry
  const manifest = yield* StoreManifest
  const revocations = yield* Revocations
  const routing = yield* HostRouting
  const revision = yield* Revision
  const access = yield* makeAccess
  const { describe, notFound, record, whenReady } = access
  const changes = yield* makeChanges(access)
  const use = yield* makeCredentialUse(access)
  const grants = yield* makeConnectionGrants(access)

  const list = Effect.fn("Connections.list")(function*(profile: ProfileHandle, provider?: ProviderName) {
    // Fails if the store was manipulated, even if all rows are cached.
    yield* manifest.verified("rows")
    const rows = yield* routing.rows(profile, provider)
    if (provider !== undefined && rows.length === 0) yield* registry.get(provider)
    const now = yield* Clock.currentTimeMillis
    return rows.map((row) => {
      if (row.described !== undefined) return row.described
      const described = recordOf(row.stored, { ...row, profile, now })
      if (described.expiresAt === null) row.described = described
      return described
    })
  }, whenReady)

  const get = Effect.fn("Connections.get")(
    function*(...[profile, provider, name, { reveal }]: [...Place, { readonly reveal: boolean }]) {
      if (reveal) return yield* use.reveal(profile, provider, name)
      const stored = yield* repo.findUsable({ profile, provider, name })
      return yield* stored === undefined ? notFound(profile, provider, name) : describe(profile, stored)
    },
    whenReady
  )

  const originals = yield* makeOriginalFiles
  const removeProvider = Effect.fn("Connections.removeProvider")(
    function*(...[profile, provider, options]: Parameters<Operations["removeProvider"]>) {
      const status = yield* registry.remove(provider, options)
      const removed = yield* manifest.transact(Effect.gen(function*() {
        const places = status === "removed" ? yield* repo.ofProvider(provider) : []
        if (status === "removed") {
          yield* repo.removeProvider(provider)
          yield* originals.removeUnconnected(provider)
        }
        yield* record("remove", profile, provider, null)
        return places
      }))
      // Resetting a bundled provider commits nothing to the store, so the change is detected here.
      yield* revision.current
      return { status, provider, connections: removed.map(({ name, profile }) => ({ profile, connection: name })) }
    },
    whenReady
  )

  const selfTest = Effect.fn("Connections.selfTest")(function*(profile: ProfileHandle) {
    const records = yield* list(profile)
    const warnings = records.flatMap(({ connectionName, lastRefreshError, provider, status }) =>
      status === "connected" && lastRefreshError === null
        ? []
        : [`${provider}/${connectionName}: ${lastRefreshError ?? `is ${status}`}`]
    )
    return { count: records.length, warnings }
  }, Effect.catchTag("ProviderNotFoundError", Effect.die))

  const logins = yield* makeLoginStorage(changes.save)

  return Connections.of({
    ...yield* makeLoginsFromRuns(access, logins, use.renewed),
    ...yield* makeLoginsFromFiles(access, logins),
    revision: revision.current,
    knownRevision: revision.known,
    onChange: revision.onChange,
    list,
    get,
    exists: (profile, provider, name) =>
      whenReady(Effect.map(repo.findUsable({ profile, provider, name }), (stored) => stored !== undefined)),
    ...grants,
    ...changes,
    revoke: (profile, provider) => whenReady(revocations.revoke(profile, provider)),
    exportCredential: use.exportCredential,
    resolve: use.resolve,
    accepted: use.accepted,
    routes: (profile) => whenReady(routing.table(profile)),
    routed: (profile) => whenReady(routing.connections(profile)),
    removeProvider,
    count: (profile) => whenReady(repo.count(profile)),
    selfTest
  })
})

export class Connections extends Context.Service<Connections, Operations>()("credsvc/connections/Connections") {
  static readonly layerNoDeps = Layer.effect(Connections, make)

  /** The service together with all services of this room. */
  static readonly layerRoom = this.layerNoDeps.pipe(
    Layer.provideMerge(TokenRefresher.layerNoDeps),
    Layer.provide(TokenRenewal.layerNoDeps),
    Layer.provide(
      Layer.mergeAll(
        HostRouting.layerNoDeps.pipe(Layer.provideMerge(Revision.layerNoDeps)),
        Issuers.layerNoDeps,
        Revocations.layerNoDeps
      )
    ),
    Layer.provideMerge(ClientCredentialsRepo.layerNoDeps),
    Layer.provideMerge(ConnectionRepo.layerNoDeps)
  )
}
