/**
 * Routes the admitted requests of one run or sandbox: to the engine, which adds credentials, or into tunnels, whose bytes the
 * proxy does not read. Uses plain callbacks, because every tunnel takes this path.
 */
import { fieldOf } from "../../http/HeaderFields.ts"
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import { formatAuthority, parseAbsoluteTarget, parseAuthority } from "../../outbound/Authority.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import { type RunContext, usesIn } from "../exchange/RunContext.ts"
import { confirmUses } from "../routing/CredentialUses.ts"
import { routedOrigin } from "../routing/RouteWatch.ts"
import { type BaseUrlRoute, PROTECTION, type ReachedUrl } from "./BaseUrlRoute.ts"
import { Engine } from "./Engine.ts"
import { InterceptOrTunnel } from "./InterceptOrTunnel.ts"
import { type RefusalOptions, refuseRequest } from "./RefuseRequest.ts"
import { unencryptedRefusal, unroutedRefusal } from "./UnroutedHosts.ts"

const NO_UPGRADE = requestRefusal(400, "upgrades are supported only inside a CONNECT tunnel")
const NO_AUTHORITY = requestRefusal(400, "invalid CONNECT target: expected one host name or IP address and a port")
const NOT_ABSOLUTE = requestRefusal(
  400,
  "this is a forward proxy: use CONNECT or an absolute http:// or https:// target"
)

/** Whether a request needs a WebSocket. The proxy ignores offers of other protocols (RFC 9110 section 7.8). */
const wantsWebSocket = ({ headers, upgrade }: ServerRequest): boolean =>
  upgrade && fieldOf(headers, "upgrade")?.toLowerCase() === "websocket"

export class Router {
  readonly context: RunContext
  readonly engine: Engine
  readonly tunnels: InterceptOrTunnel
  readonly #unsubscribe: () => void

  constructor(context: RunContext) {
    this.context = context
    this.engine = new Engine(context)
    this.tunnels = new InterceptOrTunnel(context, this.engine)
    this.#unsubscribe = context.onChange(() => {
      // Confirms credentials first, because the daemon takes longer for the table of routes.
      confirmUses(usesIn(context), context.credentials)
      context.watch.refreshed({ settled: () => {} })
    })
  }

  /** Routes an admitted request of a client that uses a proxy. */
  route(request: ServerRequest, target = request.target): void {
    if (request.method === "CONNECT") this.#connect(request)
    else if (wantsWebSocket(request)) this.#refuse(request, NO_UPGRADE, { last: true })
    else this.#absolute(request, target)
  }

  /** Forwards an admitted request to a base URL. */
  reached(request: ServerRequest, reached: ReachedUrl, reverse: BaseUrlRoute): void {
    const { authority, connection, target } = reached
    const { host } = authority
    const { watch } = this.context
    watch.refreshed({
      settled: (table) => {
        const routes = authority.kind === "name" ? table.host(host, authority.port) : undefined
        if (routes === undefined || routes.isOutside) {
          const message = `${host} does not belong to a provider of this run; the base URL reaches no other hosts`
          return this.#refuse(request, requestRefusal(403, message), { host, headers: PROTECTION })
        }
        const origin = routedOrigin(watch, authority, routes, {
          connection,
          sent: (headers) => reverse.sent(headers),
          returned: (headers) => reverse.returned(reached, headers)
        })
        this.engine.forward(request, origin, target)
      }
    })
  }

  /** Closes all connections to upstreams. The caller closes the engine and the clients' connections first. */
  close(): void {
    this.#unsubscribe()
    this.context.dialer.close()
  }

  #connect(request: ServerRequest): void {
    const authority = parseAuthority(request.target)
    if (authority === undefined) return this.#refuse(request, NO_AUTHORITY, { last: true })
    this.tunnels.open({ ...request.detach(), authority, hasConnect: true })
  }

  #absolute(request: ServerRequest, absoluteTarget: string): void {
    const target = parseAbsoluteTarget(absoluteTarget)
    if (target === undefined) return this.#refuse(request, NOT_ABSOLUTE)
    const { authority, path, scheme } = target
    const { host } = authority
    const { placeholders, sent, watch } = this.context
    watch.refreshed({
      settled: (table) => {
        const named = authority.kind === "name"
        if (scheme === "http" && named && table.claims(host)) {
          return this.#refuse(request, unencryptedRefusal(host), { host })
        }
        const routes = scheme === "https" && named ? table.host(host, authority.port) : undefined
        if (routes !== undefined && !routes.isOutside) {
          return this.engine.forward(request, routedOrigin(watch, authority, routes, { sent }), path)
        }
        const denied = unroutedRefusal(this.context, authority)
        if (denied !== undefined) {
          const { headers, method } = request
          placeholders.searchHead({ kind: "unmatched", host, method }, headers, path)
          return this.#refuse(request, denied, { host })
        }
        const hostHeader = formatAuthority(authority, scheme === "https" ? 443 : 80)
        this.engine.forward(request, { scheme, authority, hostHeader, routes, sent }, path)
      }
    })
  }

  #refuse(request: ServerRequest, refusal: Refusal, options?: RefusalOptions): void {
    refuseRequest(request, refusal, this.context.onEvent, options)
  }
}
