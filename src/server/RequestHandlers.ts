/** Services that handle requests, for the servers of programs that embed the daemon. */
import * as Context from "effect/Context"
import type * as Net from "node:net"
import type { RequestHandler, UpgradeHandler } from "./http/HttpListener.ts"

/** Handles requests of a `node:http` server, with the guard and the peer check in front. */
export class RequestListener extends Context.Service<RequestListener, RequestHandler>()(
  "credsvc/server/RequestListener"
) {}

/** Handles upgrades to resolve channels. Without it, proxies resolve each credential with an HTTP request. */
export class UpgradeListener extends Context.Service<UpgradeListener, UpgradeHandler>()(
  "credsvc/server/UpgradeListener"
) {}

/**
 * Handles web requests, with the guard and the peer check in front. `socket` is the connection of the request, which
 * shows the user of the client. A request without `socket` is refused.
 */
export class WebHandler extends Context.Service<
  WebHandler,
  (request: Request, socket: Net.Socket | undefined) => Promise<Response>
>()("credsvc/server/WebHandler") {}
