/**
 * Manages connections: stored credentials and every operation on them.
 *
 * Each operation that releases a secret records it in the audit log first, and fails if it cannot. Each change is one
 * transaction with its audit entry, so a crash leaves the state before or after it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import { AuditLog, type AuditRecord } from "../audit/AuditLog.ts"
import { type Connection, type ConnectionName, defaultConnectionName } from "../domain/Connection.ts"
import type {
  DefaultSet,
  Exported,
  ExportRequest,
  LoggedOut,
  ProviderRemoved,
  Revoked
} from "../domain/ConnectionResults.ts"
import {
  type AmbiguousProviderError,
  ConnectionAlreadyExistsError,
  ConnectionNotFoundError,
  type CredentialError,
  type CredentialMissingError,
  OperationNotAllowedError,
  type ProviderNotFoundError,
  type RefreshFailedError,
  type TokenExpiredError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { placements } from "../domain/Placement.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import type { ProviderName } from "../domain/Provider.ts"
import type { ProxyRoutes } from "../domain/ProxyRoutes.ts"
import type { Resolved, ResolveRequest } from "../domain/Resolve.ts"
import { apiUrlOf, hostsOf, type Route } from "../domain/Route.ts"
import { fingerprint } from "../providers/Fingerprint.ts"
import { type Provider, ProviderRegistry } from "../providers/ProviderRegistry.ts"
import type { RoutedConnection } from "../providers/RoutingTable.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { ClientCredentialsRepo } from "./ClientCredentialsRepo.ts"
import { recordOf, usable } from "./ConnectionRecord.ts"
import { ConnectionRepo, contentOf, type StoredConnection } from "./ConnectionRepo.ts"
import { exportCredential, revealed } from "./CredentialExport.ts"
import { bindingOf, loginCommand } from "./DefinitionBinding.ts"
import { credentialMissing, HostRouting, notConnected } from "./HostRouting.ts"
import { Issuers } from "./Issuers.ts"
import { contentOfLogin, type NewConnection } from "./NewConnection.ts"
import { RefreshJournal } from "./RefreshJournal.ts"
import { makeResolveAudit } from "./ResolveAudit.ts"
import { Revision, type State } from "./Revision.ts"
import { Revocations } from "./Revocations.ts"
import { TokenRefresher, type Use } from "./TokenRefresher.ts"
import { TokenRenewal } from "./TokenRenewal.ts"

/** The entry of `hosts` that the route derives from: a definition may place the credential differently per host. */
const entryOf = ({ definition }: Provider, baseUrl: string | null, route: Route): string | undefined =>
  definition.authType === "oauth2" || Object.keys(definition.apiKey.perHost).length === 0
    ? undefined
    : hostsOf(definition, baseUrl).find(({ host, pathPrefix }) =>
      host === route.host && pathPrefix === route.pathPrefix
    )?.entry

export class Connections extends Context.Service<Connections, {
  /** All connections with their secrets redacted, ordered by provider and age. */
  readonly list: (
    profile: ProfileHandle,
    provider?: ProviderName
  ) => Effect.Effect<ReadonlyArray<Connection>, ProviderNotFoundError | VaultUnavailableError>

  /** One connection. With `reveal`, the result contains the secret and the audit log records it. */
  readonly get: (
    profile: ProfileHandle,
    provider: ProviderName,
    connection: ConnectionName,
    options: { readonly reveal: boolean }
  ) => Effect.Effect<
    Connection,
    ConnectionNotFoundError | OperationNotAllowedError | ProviderNotFoundError | VaultUnavailableError
  >

  /** Whether the connection exists, usable or not. */
  readonly exists: (
    profile: ProfileHandle,
    provider: ProviderName,
    connection: ConnectionName
  ) => Effect.Effect<boolean, VaultUnavailableError>

  /**
   * Stores the result of a login and runs `also` in the same transaction. The first connection of a provider becomes
   * its default.
   */
  readonly save: (
    profile: ProfileHandle,
    connection: NewConnection,
    options: { readonly force: boolean; readonly also?: Effect.Effect<void, VaultUnavailableError | SqlError> }
  ) => Effect.Effect<
    Connection,
    ConnectionAlreadyExistsError | ProviderNotFoundError | OperationNotAllowedError | VaultUnavailableError
  >

  /** Deletes one connection locally, without contacting the provider. */
  readonly logout: (
    profile: ProfileHandle,
    provider: ProviderName,
    connection: ConnectionName
  ) => Effect.Effect<LoggedOut, ConnectionNotFoundError | ProviderNotFoundError | VaultUnavailableError>

  /** Revokes all connections of a provider and deletes its client credentials. */
  readonly revoke: (
    profile: ProfileHandle,
    provider: ProviderName
  ) => Effect.Effect<Revoked, ProviderNotFoundError | VaultUnavailableError>

  readonly setDefault: (
    profile: ProfileHandle,
    provider: ProviderName,
    connection: ConnectionName
  ) => Effect.Effect<DefaultSet, ConnectionNotFoundError | ProviderNotFoundError | VaultUnavailableError>

  /**
   * Exports the fields that the definition exports, never a refresh token. Without a name, uses the default connection
   * of the provider.
   */
  readonly exportCredential: (
    profile: ProfileHandle,
    request: ExportRequest
  ) => Effect.Effect<
    Exported,
    CredentialError
  >

  /**
   * While this stays the same object and is verified, `resolve` returns the same results, apart from expiry and refresh.
   */
  readonly revision: Effect.Effect<State>

  /**
   * Resolves the credential for one request. The routing table selects provider and connection unless the request names
   * them; in either case the host must be one of the provider's. Every call reads the store.
   */
  readonly resolve: (
    profile: ProfileHandle,
    request: ResolveRequest,
    options: { readonly run: Option.Option<string> }
  ) => Effect.Effect<
    Resolved,
    | ProviderNotFoundError
    | OperationNotAllowedError
    | CredentialMissingError
    | TokenExpiredError
    | RefreshFailedError
    | AmbiguousProviderError
    | VaultUnavailableError
  >

  /** Records that the upstream accepted the credential issued at that time, which clears an earlier rejection. */
  readonly accepted: (
    profile: ProfileHandle,
    provider: ProviderName,
    connection: ConnectionName,
    issuedAt: DateTime.Utc
  ) => Effect.Effect<void, VaultUnavailableError>

  readonly routes: (profile: ProfileHandle) => Effect.Effect<ProxyRoutes, VaultUnavailableError>

  /** The connections that the routing table is built from, with their tenants. */
  readonly routed: (profile: ProfileHandle) => Effect.Effect<ReadonlyArray<RoutedConnection>, VaultUnavailableError>

  /**
   * Removes a custom provider or resets a bundled one. Removing a provider deletes its connections in all profiles.
   * Resetting one keeps them; they stay usable if they were created with the bundled definition.
   */
  readonly removeProvider: (
    profile: ProfileHandle,
    provider: ProviderName
  ) => Effect.Effect<ProviderRemoved, ProviderNotFoundError | VaultUnavailableError>

  /**
   * Reads all connections of the profile for the readiness check; returns a sentence about each that cannot be used.
   */
  readonly selfTest: (
    profile: ProfileHandle
  ) => Effect.Effect<{ readonly count: number; readonly warnings: ReadonlyArray<string> }, VaultUnavailableError>
}>()("credsvc/connections/Connections") {
  static readonly layerNoDeps: Layer.Layer<
    Connections,
    never,
    ConnectionRepo | HostRouting | ProviderRegistry | Revision | Revocations | StoreManifest | AuditLog | TokenRefresher
  > = Layer.effect(
    Connections,
    Effect.gen(function*() {
      const repo = yield* ConnectionRepo
      const registry = yield* ProviderRegistry
      const manifest = yield* StoreManifest
      const audit = yield* AuditLog
      const refresher = yield* TokenRefresher
      const revocations = yield* Revocations
      const scope = yield* Effect.scope
      const uses = makeResolveAudit()
      const routing = yield* HostRouting
      const revision = yield* Revision

      // Whether refreshes and revocations interrupted by an earlier process have been resumed: at startup, or once the
      // key is available.
      let resumed = false
      const resume = Effect.suspend(() => {
        if (resumed) return Effect.void
        return Effect.map(Effect.andThen(revocations.resume, refresher.resume), () => {
          resumed = true
        })
      }).pipe(Effect.ignore, Effect.forkIn(scope))
      yield* resume

      // Until the store is verified, a missing row may have been deleted by an attacker, so even "not found" must not
      // be reported.
      let verified = false
      const ready = Effect.flatMap(manifest.ready, () => {
        if (verified) return Effect.void
        verified = true
        return resume
      })

      const read = <A, E>(
        effect: Effect.Effect<A, E>
      ): Effect.Effect<A, Exclude<E, SqlError> | VaultUnavailableError> => Effect.andThen(ready, sqlUnavailable(effect))

      const write = <A, E>(effect: Effect.Effect<A, E>) => read(manifest.protect(effect))

      const record = (
        event: AuditRecord["event"],
        identity: ProfileHandle,
        provider: ProviderName,
        connection: ConnectionName | null
      ) => Effect.suspend(() => audit.append({ event, provider, connection, identity, status: "ok" }))

      const described = Effect.fnUntraced(function*(stored: StoredConnection, secret?: Redacted.Redacted<string>) {
        const { name, profile, provider } = stored.row
        return recordOf(stored, {
          provider: Option.getOrUndefined(yield* registry.find(provider)),
          isDefault: (yield* repo.defaults(profile)).get(provider) === name,
          now: yield* Clock.currentTimeMillis,
          secret
        })
      })

      /** The row, or an error that says whether the provider or the connection is unknown. */
      const required = Effect.fnUntraced(
        function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
          const stored = yield* repo.find({ profile, provider, name })
          if (stored !== undefined) return stored
          yield* registry.get(provider)
          const others = yield* repo.list(profile, provider)
          return yield* ConnectionNotFoundError.of(provider, name, others.map(({ row }) => row.name))
        }
      )

      /**
       * Records whether the upstream rejects the credential issued at that time, for display only: a child process can
       * provoke a 401 at will, so a rejected credential is still sent. Refreshable connections are skipped, because
       * this write could overtake one of the refresher.
       */
      const markRejected = Effect.fnUntraced(
        function*(stored: StoredConnection, issuedAt: DateTime.Utc, refusedAt: DateTime.Utc | undefined) {
          const { refusedAt: before, ...metadata } = stored.metadata
          if (metadata.hasRefreshToken || metadata.status !== "connected") return
          if (!DateTime.Equivalence(metadata.obtainedAt, issuedAt)) return
          if ((before === undefined) === (refusedAt === undefined)) return
          const content = contentOf({
            row: stored.row,
            metadata: refusedAt === undefined ? metadata : { ...metadata, refusedAt }
          }, yield* repo.openSecrets(stored))
          yield* manifest.protect(repo.replace(stored, content))
        }
      )

      /** The connection with a currently usable credential. */
      const serviceable = Effect.fnUntraced(
        function*(stored: StoredConnection, provider: Provider, use: Use, rejected?: DateTime.Utc) {
          yield* usable(stored, provider)
          if (stored.row.auth_type === "api_key") return stored
          const fresh = yield* rejected === undefined
            ? refresher.fresh(stored, use)
            : refresher.replaceRejected(stored, rejected)
          if (fresh === stored) return stored
          if (fresh === undefined) return yield* notConnected(stored.row.provider, stored.row.name)
          yield* usable(fresh, provider)
          return fresh
        }
      )

      const list = Effect.fn("Connections.list")(function*(profile: ProfileHandle, provider?: ProviderName) {
        const rows = yield* repo.list(profile, provider)
        if (provider !== undefined && rows.length === 0) yield* registry.get(provider)
        const defaults = yield* repo.defaults(profile)
        const providers = new Map((yield* registry.list).map((known) => [known.definition.name, known]))
        const now = yield* Clock.currentTimeMillis
        return rows.map((stored) =>
          recordOf(stored, {
            provider: providers.get(stored.row.provider),
            isDefault: defaults.get(stored.row.provider) === stored.row.name,
            now
          })
        )
      }, read)

      const get = Effect.fn("Connections.get")(
        function*(
          profile: ProfileHandle,
          provider: ProviderName,
          name: ConnectionName,
          { reveal }: { readonly reveal: boolean }
        ) {
          const found = yield* required(profile, provider, name)
          if (!reveal) return yield* described(found)
          // Returns the stored secret even if it is unusable; the result includes the reason.
          const stored = (yield* Effect.orElseSucceed(
            Effect.flatMap(registry.get(provider), (known) => serviceable(found, known, "keeping")),
            () => undefined
          )) ?? (yield* required(profile, provider, name))
          if (stored.metadata.status === "revoking") {
            return yield* OperationNotAllowedError.of(
              `The connection "${name}" for ${provider} is being revoked, so its secret is not shown.`
            )
          }
          const { values } = yield* repo.openSecrets(stored)
          yield* record("get", profile, provider, name)
          return yield* described(stored, revealed(values))
        },
        read
      )

      const save = Effect.fn("Connections.save")(
        function*(
          profile: ProfileHandle,
          given: NewConnection,
          options: { readonly force: boolean; readonly also?: Effect.Effect<void, VaultUnavailableError | SqlError> }
        ) {
          const place = { profile, provider: given.provider, name: given.connection }
          const known = yield* registry.get(given.provider)
          const definitionFp = fingerprint(known.definition, given.baseUrl)
          if (definitionFp !== given.definitionFp) {
            return yield* OperationNotAllowedError.of(
              `The definition of ${given.provider} has changed during this login. Start again with: ` +
                loginCommand(given.provider, given.connection, options.force)
            )
          }
          const content = contentOfLogin(given, known, yield* DateTime.now)
          yield* manifest.protect(Effect.gen(function*() {
            const existing = yield* repo.find(place)
            if (existing === undefined) yield* repo.insert(place, content)
            else if (!options.force || !(yield* repo.replace(existing, content))) {
              return yield* ConnectionAlreadyExistsError.of(given.provider, given.connection)
            }
            const defaults = yield* repo.defaults(profile)
            if (!defaults.has(given.provider)) yield* repo.setDefault(place)
            yield* record("login", profile, given.provider, given.connection)
            if (options.also !== undefined) yield* options.also
          }))
          const stored = yield* repo.find(place)
          return stored === undefined
            ? yield* VaultUnavailableError.of("The connection was removed while it was being stored.")
            : yield* described(stored)
        },
        read
      )

      const logout = Effect.fn("Connections.logout")(
        function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
          const stored = yield* required(profile, provider, name)
          yield* repo.remove(stored)
          const newDefault = yield* repo.inheritDefault(profile, provider)
          yield* record("logout", profile, provider, name)
          return { status: "logged_out" as const, provider, connection: name, newDefault }
        },
        write
      )

      const setDefault = Effect.fn("Connections.setDefault")(
        function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
          yield* required(profile, provider, name)
          yield* repo.setDefault({ profile, provider, name })
          yield* record("set-default", profile, provider, name)
          return { status: "ok" as const, provider, defaultConnection: name }
        },
        write
      )

      const exportIt = Effect.fn("Connections.exportCredential")(
        function*(profile: ProfileHandle, { connection, format, provider: name }: ExportRequest) {
          const provider = yield* registry.get(name)
          const chosen = connection ?? (yield* repo.defaults(profile)).get(name) ?? defaultConnectionName
          const stored = yield* serviceable(yield* required(profile, name, chosen), provider, "keeping")
          const { values } = yield* repo.openSecrets(stored)
          const apiUrl = apiUrlOf(provider.definition, stored.metadata.baseUrl)
          const all = {
            ...(stored.metadata.baseUrl === null ? {} : { base_url: Redacted.make(stored.metadata.baseUrl) }),
            ...(apiUrl === null ? {} : { api_url: Redacted.make(apiUrl) }),
            ...values
          }
          const exported = yield* Effect.mapError(
            Effect.fromResult(exportCredential(provider.definition, all, format ?? "env")),
            OperationNotAllowedError.of
          )
          yield* record("export", profile, name, chosen)
          return exported
        },
        read
      )

      const resolve = Effect.fnUntraced(
        function*(
          profile: ProfileHandle,
          request: ResolveRequest,
          { run }: { readonly run: Option.Option<string> }
        ) {
          const { path = "/", port = 443 } = request
          if (request.scheme === "http") {
            return yield* OperationNotAllowedError.of(
              `Credentials are sent over HTTPS only, not over plain HTTP to ${request.host}.`
            )
          }
          let { connection, provider: name } = request
          if (name === undefined || connection === undefined) {
            const route = yield* routing.route(profile, { ...request, port, path })
            name = route.provider
            connection ??= route.connection ?? defaultConnectionName
          }
          const provider = yield* registry.get(name)
          const found = yield* repo.find({ profile, provider: name, name: connection })
          if (found === undefined) return yield* notConnected(name, connection)
          const { matcher } = bindingOf(provider, found.metadata.baseUrl)
          const match = matcher.match(request.host, port, path)
          if (match._tag !== "Matched") {
            return yield* OperationNotAllowedError.of(
              matcher.claims(request.host, port)
                ? `The credential of ${name} must not be sent to that path of ${request.host}.`
                : `The credential of ${name} must not be sent to ${request.host} on port ${port}.`
            )
          }
          const stored = yield* serviceable(found, provider, "now", request.rejected)
          const { values } = yield* repo.openSecrets(stored)
          const injection = placements(
            provider.definition,
            values,
            entryOf(provider, stored.metadata.baseUrl, match.route)
          )
          if (Result.isFailure(injection)) return yield* credentialMissing(name, connection, injection.failure)
          yield* uses.record(run, stored.row.record_id, record("resolve", profile, name, connection))
          if (request.rejected !== undefined) yield* markRejected(stored, request.rejected, yield* DateTime.now)
          const { metadata } = stored
          return {
            provider: name,
            connection,
            ...injection.success,
            expiresAt: metadata.expiresAt,
            issuedAt: metadata.lastRefreshAt ?? metadata.obtainedAt,
            refreshable: metadata.hasRefreshToken
          }
        },
        read
      )

      const accepted = Effect.fn("Connections.accepted")(
        function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName, issuedAt: DateTime.Utc) {
          const stored = yield* repo.find({ profile, provider, name })
          if (stored !== undefined) yield* markRejected(stored, issuedAt, undefined)
        },
        read
      )

      const removeProvider = Effect.fn("Connections.removeProvider")(
        function*(profile: ProfileHandle, provider: ProviderName) {
          const status = yield* registry.remove(provider)
          const removed = yield* manifest.protect(Effect.gen(function*() {
            const places = status === "removed" ? yield* repo.ofProvider(provider) : []
            if (status === "removed") yield* repo.removeProvider(provider)
            yield* record("remove", profile, provider, null)
            return places
          }))
          return { status, provider, connections: removed.map(({ name, profile }) => ({ profile, connection: name })) }
        },
        read
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

      return Connections.of({
        revision: revision.current,
        list,
        get,
        exists: (profile, provider, name) =>
          read(Effect.map(repo.find({ profile, provider, name }), (stored) => stored !== undefined)),
        save,
        logout,
        revoke: (profile, provider) => read(revocations.revoke(profile, provider)),
        setDefault,
        exportCredential: exportIt,
        resolve,
        accepted,
        routes: (profile) => read(routing.table(profile)),
        routed: (profile) => read(routing.connections(profile)),
        removeProvider,
        selfTest
      })
    })
  )

  /** Includes all services of this room. */
  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide(TokenRefresher.layerNoDeps),
    Layer.provide(TokenRenewal.layerNoDeps),
    Layer.provide(
      Layer.mergeAll(
        HostRouting.layerNoDeps.pipe(Layer.provideMerge(Revision.layerNoDeps)),
        Issuers.layerNoDeps,
        RefreshJournal.layerNoDeps,
        Revocations.layerNoDeps
      )
    ),
    Layer.provideMerge(Layer.mergeAll(ClientCredentialsRepo.layerNoDeps, ConnectionRepo.layerNoDeps))
  )
}
