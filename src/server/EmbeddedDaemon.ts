/**
 * The daemon as a part of other programs. The HTTP interface and its server, a third of the library, are loaded when
 * the program first builds one of these layers.
 */
import * as Effect from "effect/Effect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import type { Paths } from "../config/Paths.ts"
import type { Settings } from "../config/Settings.ts"
import type { DaemonUnavailableError } from "../domain/Errors.ts"
import type { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import type { LayerOptions, MountOptions, RoutesOptions, StartOptions } from "./Daemon.ts"
import type { RequestListener, UpgradeListener, WebHandler } from "./RequestHandlers.ts"

export type { LayerOptions, MountOptions, RoutesOptions, Running, StartOptions } from "./Daemon.ts"
export { RequestListener, UpgradeListener, WebHandler } from "./RequestHandlers.ts"

const daemon = Effect.promise(() => import("./Daemon.ts"))

type Environment = Paths | PeerOwner | Settings

/**
 * All routes, with the services of a home directory, for the caller's own server. Locks the home, and fails if
 * another daemon has locked it. Does not listen, and does not write the files by which clients find a daemon.
 */
export const layer = (
  options: LayerOptions
): Layer.Layer<RequestListener | UpgradeListener, DaemonUnavailableError, Environment> =>
  Layer.unwrap(Effect.map(daemon, ({ layer }) => layer(options)))

/**
 * Adds all routes to a router of the caller's own, below the path of the base URL. Locks the home. `socketOf` returns
 * the connection of a request. The daemon refuses requests without a connection.
 */
export const layerRoutes = (
  options: RoutesOptions
): Layer.Layer<never, DaemonUnavailableError, HttpRouter.HttpRouter | Environment> =>
  Layer.unwrap(Effect.map(daemon, ({ layerRoutes }) => layerRoutes(options)))

/** A function from web requests to responses, for the servers of other frameworks. Locks the home. */
export const layerWeb = (options: MountOptions): Layer.Layer<WebHandler, DaemonUnavailableError, Environment> =>
  Layer.unwrap(Effect.map(daemon, ({ layerWeb }) => layerWeb(options)))

/** Starts the daemon and serves until the scope closes. */
export const start = (options: StartOptions) => Effect.flatMap(daemon, ({ start }) => start(options))
