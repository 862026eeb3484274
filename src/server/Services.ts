/**
 * The services of one home directory, and how they depend on each other.
 *
 * `layerNoDeps` is the composition itself: its caller provides the store, the key, the providers and the network. The
 * daemon takes them from its settings, and `layer` from its options, for programs that embed the services.
 */
import * as Layer from "effect/Layer"
import { AuditLog } from "../audit/AuditLog.ts"
import { RequestLog } from "../audit/RequestLog.ts"
import { Identities } from "../callers/Identities.ts"
import { JobTokens } from "../callers/JobTokens.ts"
import { Trusts } from "../callers/Trusts.ts"
import { UsedNonces } from "../callers/UsedNonces.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { Paths } from "../config/Paths.ts"
import { Settings, type SettingsShape } from "../config/Settings.ts"
import { Connections } from "../connections/Connections.ts"
import { OwnRenewals } from "../connections/renewal/OwnRenewals.ts"
import { EnvironmentScan } from "../connections/scan/EnvironmentScan.ts"
import { ConnectionChecks } from "../connections/use/ConnectionChecks.ts"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import type { Flow } from "../flows/Flow.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { Flows } from "../flows/Flows.ts"
import { ProviderDiscovery } from "../flows/oauth/ProviderDiscovery.ts"
import { PublicUrl } from "../flows/PublicUrl.ts"
import * as ProviderHttp from "../outbound/ProviderHttp.ts"
import { Policies } from "../policies/Policies.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { BundledProviders } from "../providers/BundledProviders.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { RunRows } from "../runs/RunRows.ts"
import { Sandboxes } from "../sandboxes/Sandboxes.ts"
import { configuredStore } from "../store/ConfiguredStore.ts"
import { HomeLock } from "../store/HomeLock.ts"
import type { StoreServices } from "../store/Store.ts"
import type { StoreError } from "../store/StoreError.ts"
import { KeyResolver } from "../vault/keys/KeyResolver.ts"
import { Keyring } from "../vault/keys/Keyring.ts"
import { KeyRotation } from "../vault/keys/KeyRotation.ts"
import * as StoredDocuments from "../vault/StoredDocuments.ts"
import { Vault } from "../vault/Vault.ts"

const renewalsOf = (flows: ReadonlyArray<Flow>) =>
  new Map(flows.flatMap(({ kind, renew }) => renew === undefined ? [] : [[kind, renew]]))

/** All services. They need a store, a key, the bundled providers and a network. `flows` take precedence over built-in flows. */
export const layerWith = (flows: ReadonlyArray<Flow>) =>
  Layer.mergeAll(
    FlowRunner.layerFlows.pipe(Layer.provideMerge(Flows.layerRoom(flows))),
    ProviderDiscovery.layerRoom,
    ConnectionChecks.layerNoDeps,
    EnvironmentScan.layerNoDeps,
    Sandboxes.layerNoDeps,
    Trusts.layerNoDeps.pipe(Layer.provideMerge(Policies.layerNoDeps), Layer.provide(JobTokens.layerNoDeps)),
    Identities.layerNoDeps,
    UsedNonces.layerNoDeps,
    RunRows.layerNoDeps
  ).pipe(
    Layer.provideMerge(Connections.layerRoom),
    Layer.provide(Layer.succeed(OwnRenewals, renewalsOf(flows))),
    Layer.provideMerge(Layer.mergeAll(AuditLog.layerNoDeps, RequestLog.layerNoDeps)),
    Layer.provideMerge(KeyRotation.layerNoDeps),
    Layer.provideMerge(Layer.mergeAll(ProviderRegistry.layerNoDeps, Profiles.layerNoDeps)),
    Layer.provideMerge(StoredDocuments.layerNoDeps),
    Layer.provideMerge(Vault.layerResolver)
  )

export const layerNoDeps = layerWith([])

export const keyResolverLayer = KeyResolver.layerNoDeps.pipe(Layer.provide([Keyring.layer, ConfigFile.layerNoDeps]))

/** Replacements for the dependencies of the services. */
export interface Parts {
  /** The database. By default the settings choose it: PostgreSQL, or the file `server/credsvc.db` of the home. */
  readonly store?: Layer.Layer<StoreServices, StoreError, Paths>
  /** The source of the key. By default the settings choose it: the environment, the keyring or the key file. */
  readonly keyResolver?: Layer.Layer<KeyResolver, never, Settings | Paths>
  /** Flows that take precedence over the built-in ones. */
  readonly flows?: ReadonlyArray<Flow>
  /** The definitions, by default the bundled ones. The home may add custom definitions in either case. */
  readonly providers?: ReadonlyArray<ProviderDefinition>
  /** The network. By default, https requests that follow the rules of `config.json`. */
  readonly http?: Layer.Layer<ProviderHttp.Network, never, ConfigFile>
}

/**
 * Builds the services from the given parts, without the lock of the home. `ownPorts`: the ports on which this process
 * listens. Outgoing requests must not connect to them.
 */
export const layerParts = (parts: Parts, ownPorts: ReadonlySet<number>) =>
  layerWith(parts.flows ?? []).pipe(
    Layer.provide(parts.providers === undefined ? BundledProviders.layer : BundledProviders.layerOf(parts.providers)),
    Layer.provideMerge(parts.http ?? ProviderHttp.layerNoDeps({ ownPorts })),
    Layer.provideMerge(parts.keyResolver ?? keyResolverLayer),
    Layer.provideMerge(Layer.merge(parts.store ?? configuredStore, ConfigFile.layerNoDeps))
  )

export interface Options extends Parts, Partial<Omit<SettingsShape, "home">> {
  /** The directory of definitions, identities, the audit log's copy and, by default, the database and the key. */
  readonly home: string
  /** The base URL of the pages and of the redirect URI. Only browser logins use it. */
  readonly baseUrl?: string
}

const defaultBaseUrl = "http://127.0.0.1:7998"

/** All services of a home directory, which it locks. Fails if a daemon or another program has locked the home. */
export const layer = (options: Options) =>
  layerParts(options, new Set()).pipe(
    Layer.provideMerge(PublicUrl.layerOf(options.baseUrl ?? defaultBaseUrl)),
    Layer.provideMerge(HomeLock.layerNoDeps),
    Layer.provideMerge(Paths.layerNoDeps),
    Layer.provideMerge(Settings.layerOf(options))
  )
