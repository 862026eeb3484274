/**
 * The library for clients of the daemon: the HTTP interface with its schemas and errors, and a typed client that finds the
 * daemon and starts it.
 */
export * from "./api/index.ts"
export { type ClientOptions, DaemonClient } from "./client/DaemonClient.ts"
export { Paths } from "./config/Paths.ts"
export { Settings, SettingsError, type SettingsShape } from "./config/Settings.ts"
export { PeerOwner } from "./platform/sockets/PeerOwner.ts"
export type { SocketTables } from "./platform/sockets/SocketTables.ts"
