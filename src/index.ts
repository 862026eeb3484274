/**
 * The library entry for programs that embed credsvc: the services as layers, the daemon, and the proxy of `run`.
 *
 * `Daemon.start` serves until its scope closes; `Daemon.layer` is the same without a listener, for a server of the
 * caller's own. Both accept a `KeyResolver` that replaces the one from the settings.
 */
export { AuditLog } from "./audit/AuditLog.ts"
export { ConfigFile } from "./config/ConfigFile.ts"
export { Paths } from "./config/Paths.ts"
export { Settings } from "./config/Settings.ts"
export { Connections } from "./connections/Connections.ts"
export { FlowRunner } from "./flows/FlowRunner.ts"
export { PublicUrl } from "./flows/PublicUrl.ts"
export { OAuthHttp } from "./oauth/OAuthHttp.ts"
export * as ProviderHttp from "./outbound/ProviderHttp.ts"
export { PeerOwner } from "./platform/PeerOwner.ts"
export { BundledProviders } from "./providers/BundledProviders.ts"
export { ProviderRegistry } from "./providers/ProviderRegistry.ts"
export { ForwardProxy } from "./proxy/ForwardProxy.ts"
export { CredentialSource } from "./proxy/routing/CredentialSource.ts"
export { RunEnvironment } from "./run/RunEnvironment.ts"
export * as Daemon from "./server/Daemon.ts"
export { keyEncryptionKey, KeyResolver } from "./vault/KeyResolver.ts"
export { Vault } from "./vault/Vault.ts"
