/** Decides whether to intercept TLS or to open a tunnel: intercepts routed hosts, and tunnels to all others. */
import type * as Net from "node:net"
import { type Authority, formatAuthority } from "../../outbound/Authority.ts"
import { DialError } from "../../outbound/DialError.ts"
import { joinSockets, transportOf } from "../../platform/sockets/Transport.ts"
import { dialRefusal, type Refusal, refusalMessage, requestRefusal, upstreamRefusal } from "../ErrorResponse.ts"
import type { RunContext } from "../exchange/RunContext.ts"
import { refusedEvent } from "../ProxyEvent.ts"
import type { HostRoutes } from "../routing/RouteTable.ts"
import { routedOrigin } from "../routing/RouteWatch.ts"
import type { Engine } from "./Engine.ts"
import { TlsInterception } from "./TlsInterception.ts"
import { unroutedRefusal } from "./UnroutedHosts.ts"

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n"

/** A fatal `access_denied` alert (RFC 8446 section 6.2). */
const ACCESS_DENIED = Uint8Array.of(0x15, 3, 3, 0, 2, 2, 49)

/** Closes a connection after a last message, and reads on meanwhile, because a reset could overtake the message. */
const closeWith = (socket: Net.Socket, message: string | Uint8Array): void => {
  socket.on("error", () => socket.destroy())
  if (socket.destroyed) return
  socket.end(message)
  socket.resume()
  setTimeout(() => socket.destroy(), 1000).unref()
}

/** Closes a connection whose client has begun a TLS handshake and can no longer receive an HTTP response. */
export const denyAccess = (socket: Net.Socket): void => closeWith(socket, ACCESS_DENIED)

/** A connection that a client has opened to an authority. */
interface ClientTunnel {
  readonly socket: Net.Socket
  /** The bytes of the tunnel that were already read. */
  readonly head: Buffer
  readonly authority: Authority
  /** Whether the client has sent a CONNECT request, and gets a response to it. */
  readonly hasConnect: boolean
}

export class InterceptOrTunnel {
  readonly #context: RunContext
  readonly #engine: Engine
  readonly #interception: TlsInterception

  constructor(context: RunContext, engine: Engine) {
    this.#context = context
    this.#engine = engine
    this.#interception = new TlsInterception(context.authority)
  }

  open(tunnel: ClientTunnel): void {
    const { authority, socket } = tunnel
    socket.on("error", () => socket.destroy())
    if (authority.kind !== "name") return this.#tunnel(tunnel)
    const { authority: issuer, client, watch } = this.#context
    const isRead = ({ isOutside }: HostRoutes): boolean =>
      issuer.permits(authority.host) && !(isOutside && unroutedRefusal(this.#context, authority) !== undefined)
    const routes = watch.current.host(authority.host, authority.port)
    // A known route is used, because the daemon checks each request. For other hosts the table is refreshed first.
    if (routes !== undefined && isRead(routes)) return this.#intercept(tunnel, routes)
    watch.refreshed({
      settled: (table) => {
        if (socket.destroyed) return
        const routes = table.host(authority.host, authority.port)
        if (routes !== undefined && isRead(routes)) return this.#intercept(tunnel, routes)
        if (routes?.isOutside !== false) return this.#tunnel(tunnel)
        const refusal = requestRefusal(
          403,
          client === "sandbox"
            ? `${authority.host} was added after this sandbox was created; create the sandbox again`
            : `${authority.host} was added after this run began; start the command again with credsvc run`
        )
        this.#refuse(tunnel, refusal)
      }
    })
  }

  #intercept(tunnel: ClientTunnel, routes: HostRoutes): void {
    const { authority, hasConnect, head, socket } = tunnel
    const { sent, watch } = this.#context
    const origin = routedOrigin(watch, authority, routes, { sent })
    if (hasConnect) socket.write(ESTABLISHED)
    this.#interception.accept(socket, head, authority.host, {
      greeted: (protocol) => this.#engine.expect(origin, protocol),
      secured: (secured) => {
        const transport = transportOf(secured) ?? socket
        secured.on("error", () => secured.destroy())
        this.#engine.serve(secured, transport, origin)
      },
      refused: (refusal) => this.#note(authority, refusal),
      plaintext: () => {
        const message = `${authority.host} requires TLS: credentials are never sent over an unencrypted connection`
        this.#refuse({ ...tunnel, hasConnect: true }, requestRefusal(400, message))
      }
    })
  }

  #tunnel(tunnel: ClientTunnel): void {
    const { authority, hasConnect, head, socket } = tunnel
    this.#context.placeholders.searchTunnel(authority.host)
    const denied = unroutedRefusal(this.#context, authority)
    if (denied !== undefined) return this.#refuse(tunnel, denied)
    this.#context.dialer.tcp(authority, "tunnel").then((upstream) => {
      if (socket.destroyed) {
        upstream.destroy()
        return
      }
      if (hasConnect) socket.write(ESTABLISHED)
      if (head.length > 0) upstream.write(head)
      joinSockets(socket, upstream)
    }, (error: unknown) => {
      const other = `${authority.host} could not be reached`
      this.#refuse(tunnel, error instanceof DialError ? dialRefusal(error) : upstreamRefusal(other))
    })
  }

  /** Closes the connection, with a response unless the client has sent no request: it expects TLS. */
  #refuse({ authority, hasConnect, socket }: ClientTunnel, refusal: Refusal): void {
    this.#note(authority, refusal)
    if (hasConnect) closeWith(socket, refusalMessage(refusal))
    else denyAccess(socket)
  }

  #note(authority: Authority, refusal: Refusal): void {
    this.#context.onEvent(refusedEvent("CONNECT", formatAuthority(authority, 443), refusal))
  }
}
