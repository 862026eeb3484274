/** Wires all services behind the routes for one home directory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog } from "../audit/AuditLog.ts"
import { ConfigFile } from "../config/ConfigFile.ts"
import { ConnectionChecks } from "../connections/ConnectionChecks.ts"
import { Connections } from "../connections/Connections.ts"
import { EnvironmentScan } from "../connections/EnvironmentScan.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { ProviderDiscovery } from "../flows/ProviderDiscovery.ts"
import { PublicUrl } from "../flows/PublicUrl.ts"
import * as ProviderHttp from "../outbound/ProviderHttp.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { Sandboxes } from "../sandboxes/Sandboxes.ts"
import { Sqlite } from "../store/Sqlite.ts"
import { KeyResolver } from "../vault/KeyResolver.ts"
import { Keyring } from "../vault/Keyring.ts"
import { Vault } from "../vault/Vault.ts"
import { Instance } from "./http/Instance.ts"

const publicUrl = Layer.unwrap(Effect.map(Instance, ({ baseUrl }) => PublicUrl.layerOf(baseUrl.origin)))

const providerHttp = Layer.unwrap(
  Effect.map(Instance, ({ port }) => ProviderHttp.layerNoDeps({ ownPorts: new Set([port]) }))
)

export const layerResolver = Layer.mergeAll(
  FlowRunner.layer,
  ProviderDiscovery.layer,
  ConnectionChecks.layerNoDeps,
  EnvironmentScan.layerNoDeps,
  Sandboxes.layerNoDeps
)
  .pipe(
    Layer.provideMerge(Connections.layer),
    Layer.provideMerge(AuditLog.layerNoDeps),
    Layer.provideMerge(Layer.mergeAll(Vault.layerResolver, ProviderRegistry.layer, Profiles.layerNoDeps)),
    Layer.provideMerge(providerHttp),
    Layer.provideMerge(Layer.mergeAll(Sqlite.layerNoDeps, ConfigFile.layerNoDeps, publicUrl))
  )

export const keyResolverLayer = KeyResolver.layerNoDeps.pipe(Layer.provide([Keyring.layer, ConfigFile.layerNoDeps]))
