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
import { ConnectionAlreadyExistsError, OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { loginCommand } from "../domain/text/LoginCommand.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { fingerprint } from "../providers/Fingerprint.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { type Access, makeAccess } from "./ConnectionAccess.ts"
import { makeConnectionGrants } from "./ConnectionGrants.ts"
import { recordOf } from "./ConnectionRecord.ts"
import { ConnectionRepo, contentOf } from "./ConnectionRepo.ts"
import { contentOfLogin, type NewConnection, type SaveOptions } from "./NewConnection.ts"
import { ClientCredentialsRepo } from "./oauth/ClientCredentialsRepo.ts"
import { Issuers } from "./oauth/Issuers.ts"
import { Revocations } from "./oauth/Revocations.ts"
import { makeLoginsFromFiles } from "./programs/LoginsFromFiles.ts"
import { makeLoginsFromRuns } from "./programs/LoginsFromRuns.ts"
import { makeLoginStorage } from "./programs/LoginStorage.ts"
import { makeOriginalFiles } from "./programs/OriginalFiles.ts"
import { makeRefreshLeases } from "./renewal/RefreshLeases.ts"
import { RefreshRequests } from "./renewal/RefreshRequests.ts"
import { TokenRefresher } from "./renewal/TokenRefresher.ts"
import { Revision } from "./Revision.ts"
import { makeCredentialUse, makeSecretUse } from "./use/CredentialUse.ts"
import { HostRouting } from "./use/HostRouting.ts"

/** The place of a connection, with the name that the profile uses for it. */
type Place = readonly [profile: ProfileHandle, provider: ProviderName, connection: ConnectionName]

/** Makes the functions that change single connections. */
const makeChanges = Effect.fnUntraced(function*({ describe, record, removeOwned, requireOwned, whenReady }: Access) {
  const repo = yield* ConnectionRepo
  const registry = yield* ProviderRegistry
  const leases = yield* makeRefreshLeases
  const manifest = yield* StoreManifest
  const write = <A, E, R>(effect: Effect.Effect<A, E, R>) => whenReady(manifest.transact(effect))

  /**
   * Stores the result of a login, and runs `also` in the same transaction. The first connection of a provider becomes
   * its default.
   */
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

  /** Deletes one connection from the vault. Does not revoke it. */
  const logout = Effect.fn("Connections.logout")(function*(...[profile, provider, name]: Place) {
    const stored = yield* requireOwned(profile, provider, name)
    const newDefault = yield* removeOwned(stored)
    return { status: "logged_out" as const, provider, connection: name, newDefault }
  }, write)

  /** Makes a connection the default of its provider. */
  const setDefault = Effect.fn("Connections.setDefault")(function*(...[profile, provider, name]: Place) {
    yield* requireOwned(profile, provider, name)
    yield* repo.setDefault({ profile, provider, name })
    yield* record("set-default", profile, provider, name)
    return { status: "ok" as const, provider, defaultConnection: name }
  }, write)

  /**
   * Allows only contained runs to use the connection. Only another login undoes this, because a program that may use the
   * daemon could otherwise undo it as well.
   */
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
  const { exportCredential, revealSecret } = yield* makeSecretUse(access)
  const grants = yield* makeConnectionGrants(access)

  /**
   * Lists the connections that the profile may use, with their secrets redacted: its own, ordered by provider and age,
   * and then those that were granted to it.
   */
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

  /** Returns one connection. With `reveal`, the result contains the secret and the audit log records it. */
  const get = Effect.fn("Connections.get")(
    function*(...[profile, provider, name, { reveal }]: [...Place, { readonly reveal: boolean }]) {
      if (reveal) return yield* revealSecret(profile, provider, name)
      const stored = yield* repo.findUsable({ profile, provider, name })
      return yield* stored === undefined ? notFound(profile, provider, name) : describe(profile, stored)
    },
    whenReady
  )

  const originals = yield* makeOriginalFiles
  /**
   * Removes a custom provider with its connections in all profiles, or resets an overridden provider to its bundled
   * definition. Connections of an overridden provider stay usable if they were created with the bundled definition.
   */
  const removeProvider = Effect.fn("Connections.removeProvider")(
    function*(
      profile: ProfileHandle,
      provider: ProviderName,
      options?: Parameters<ProviderRegistry["Service"]["remove"]>[1]
    ) {
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

  /** Reads all connections for `credsvc doctor`; returns a sentence about each that cannot be used. */
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

  return {
    ...yield* makeLoginsFromRuns(access, logins),
    ...yield* makeLoginsFromFiles(access, logins),
    ...grants,
    ...changes,
    ...use,
    exportCredential,
    /** While its `content` stays the same object and is verified, `resolve` returns the same results, apart from expiry. */
    revision: revision.current,
    /** Returns the content of the revision, or undefined if it is unverified or only a query could verify it. */
    knownRevision: revision.known,
    /** Calls the listener when results of `resolve` may have changed. Returns a function that removes the listener. */
    onChange: revision.onChange,
    list,
    get,
    /** Whether the profile owns or may use this connection, whatever its status. */
    exists: (...[profile, provider, name]: Place) =>
      whenReady(Effect.map(repo.findUsable({ profile, provider, name }), (stored) => stored !== undefined)),
    /** Revokes all connections of a provider and deletes its client credentials. */
    revoke: (profile: ProfileHandle, provider: ProviderName) => whenReady(revocations.revoke(profile, provider)),
    routes: (profile: ProfileHandle) => whenReady(routing.table(profile)),
    /** Lists the connections from which the routing table is built, with their base URLs. */
    routed: (profile: ProfileHandle) => whenReady(routing.connections(profile)),
    removeProvider,
    count: (profile: ProfileHandle) => whenReady(repo.count(profile)),
    selfTest
  }
})

export class Connections
  extends Context.Service<Connections, Effect.Success<typeof make>>()("credsvc/connections/Connections")
{
  static readonly layerNoDeps = Layer.effect(Connections, make)

  /** The service together with all services of this room. */
  static readonly layerRoom = this.layerNoDeps.pipe(
    Layer.provideMerge(TokenRefresher.layerNoDeps),
    Layer.provide(RefreshRequests.layerNoDeps),
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
