/**
 * The server of one run's proxy: who may use it, and where each of its requests is to go. Plain callbacks, because this is
 * the path of every tunnel.
 */
import type * as Http from "node:http"
import type * as Net from "node:net"
import { isLoopback } from "../client/DaemonAddress.ts"
import type { Upstream } from "../config/ConfigFile.ts"
import { type Authority, formatAuthority, parseAbsoluteTarget, parseAuthority } from "../outbound/Authority.ts"
import { DialError } from "../outbound/DialError.ts"
import { make as makeDialer, type ParentProxy } from "../outbound/UpstreamDialer.ts"
import { builtins } from "../platform/builtins.ts"
import type * as CertificateAuthority from "./CertificateAuthority.ts"
import * as ConnectTunnel from "./ConnectTunnel.ts"
import type { ResolveRequest } from "./CredentialSource.ts"
import type { HeaderPairs } from "./HeaderInjection.ts"
import type { Origin, ProxyEvent, Resolution } from "./HttpEngine.ts"
import { ProxyEngine } from "./ProxyEngine.ts"
import { type Refusal, refusalMessage } from "./RefusalBody.ts"
import type { ResolveBatch } from "./ResolveBatch.ts"
import { ReverseRoute } from "./ReverseRoute.ts"
import type * as RouteTable from "./RouteTable.ts"
import type { RouteWatch } from "./RouteWatch.ts"
import { type IsOwnUser, RunAdmission } from "./RunAdmission.ts"
import { TlsInterception, transportOf } from "./TlsInterception.ts"

/** What a run says of its proxy. */
export interface ListenerSettings {
  /** What happens to hosts that are not routed: `allow` tunnels them, `deny` answers 403. */
  readonly unmatched?: "allow" | "deny" | undefined
  /** The child gets addresses of the reverse route in the place of a proxy and a certificate authority. */
  readonly baseUrl?: boolean | undefined
  /** The daemon's address, which nobody reaches through the proxy (D15). */
  readonly daemonUrl?: URL | undefined
  /** The proxy that our own environment names, see `NoProxy.parentProxy`. */
  readonly parentProxy?: ParentProxy | undefined
  /** Called after each request to a routed host, for the debug log. */
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined
  readonly connectTimeout?: number | undefined
  /** How long the head of a request may take to arrive (D33). */
  readonly headMilliseconds?: number | undefined
}

const MAX_CONNECTIONS = 512
const MAX_HEAD_BYTES = 64 * 1024
const HEAD_MILLISECONDS = 10_000
const IDLE_MILLISECONDS = 75_000
const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n"

const refusalOf = (error: unknown, authority: Authority): Refusal => {
  if (error instanceof DialError) {
    return error.problem === "forbidden" || error.problem === "private_address"
      ? { status: 403, error: "RequestRefusedError", message: error.message }
      : { status: 502, error: "EndpointUnreachableError", message: error.message }
  }
  return { status: 502, error: "EndpointUnreachableError", message: `${authority.host} could not be reached` }
}

const refuseRequest = (
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  refusal: Refusal,
  headers: Readonly<Record<string, string>> = {}
): void => {
  if (response.destroyed) return
  const body = `credsvc: ${refusal.message}\n`
  response.sendDate = false
  response.writeHead(refusal.status, `credsvc: ${refusal.message}`.slice(0, 300), {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "X-Credsvc-Error": refusal.error,
    ...headers
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

export interface ProxyListenerOptions extends ListenerSettings {
  readonly authority: CertificateAuthority.CertificateAuthority
  readonly credentials: ResolveBatch<ResolveRequest, Resolution>
  readonly watch: RouteWatch
  readonly isOwnUser: IsOwnUser
  readonly readUpstream: () => Upstream
}

/**
 * It is a `node:http` server, so the request that opens a tunnel is parsed as strictly as any other. What follows in a
 * tunnel is handed on to `ConnectTunnel`, or to `TlsInterception` and the engine.
 */
export class ProxyListener {
  readonly reverse: ReverseRoute | undefined
  readonly #options: ProxyListenerOptions
  readonly #admission: RunAdmission
  readonly #server: Http.Server
  readonly #engine: ProxyEngine
  readonly #dialer: ReturnType<typeof makeDialer>
  readonly #interception: TlsInterception
  readonly #sockets = new Set<Net.Socket>()
  readonly #ownPorts = new Set<number>()

  constructor(options: ProxyListenerOptions) {
    this.#options = options
    this.#admission = new RunAdmission(options.isOwnUser)
    this.reverse = options.baseUrl === true
      ? new ReverseRoute(this.#admission.credential, () => this.port)
      : undefined
    const { daemonUrl } = options
    const local = daemonUrl !== undefined && (isLoopback(daemonUrl.hostname) || daemonUrl.hostname === "localhost")
    if (local) this.#ownPorts.add(Number(daemonUrl.port || 80))
    this.#dialer = makeDialer({
      upstream: options.readUpstream,
      parentProxy: options.parentProxy,
      ownPorts: () => this.#ownPorts,
      connectTimeout: options.connectTimeout
    })
    this.#engine = new ProxyEngine({
      dialer: this.#dialer,
      credentials: options.credentials,
      headMilliseconds: options.headMilliseconds ?? HEAD_MILLISECONDS,
      onEvent: options.onEvent
    })
    this.#interception = new TlsInterception(options.authority)
    this.#server = builtins.http.createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: options.headMilliseconds ?? HEAD_MILLISECONDS,
      connectionsCheckingInterval: Math.min(2000, options.headMilliseconds ?? HEAD_MILLISECONDS),
      requestTimeout: 0,
      keepAliveTimeout: IDLE_MILLISECONDS,
      // Java offers h2c to every http:// address; what is not taken up is a request like others (RFC 9110 section 7.8).
      shouldUpgradeCallback: (request) =>
        !this.#isReversed(request) || request.headers.upgrade?.toLowerCase() === "websocket",
      requireHostHeader: false, // some clients send CONNECT in HTTP/1.0 without one
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000
    })
    this.#server.timeout = 0
    this.#server.maxConnections = MAX_CONNECTIONS
    this.#server.on("connection", (socket: Net.Socket) => {
      if (this.#sockets.has(socket)) return
      this.#sockets.add(socket)
      socket.once("close", () => this.#sockets.delete(socket))
    })
    this.#server.on("connect", (request, socket, head) => this.#connect(request, socket as Net.Socket, head))
    this.#server.on("request", (request, response) => this.#absolute(request, response, false))
    this.#server.on("checkContinue", (request, response) => this.#absolute(request, response, true))
    this.#server.on("upgrade", (request, socket, head) => {
      if (this.#isReversed(request)) return this.#reversedUpgrade(request, socket as Net.Socket, head)
      this.#end(socket as Net.Socket, {
        status: 400,
        error: "RequestRefusedError",
        message: "an upgrade without a tunnel is not relayed"
      })
      request.resume()
    })
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) {
        socket.destroy()
        return
      }
      const message = error.code === "HPE_HEADER_OVERFLOW" ? "the request's head is too long" : "this is not HTTP/1.1"
      this.#end(socket as Net.Socket, { status: 400, error: "RequestRefusedError", message })
    })
  }

  get port(): number {
    return (this.#server.address() as Net.AddressInfo).port
  }

  /** With the credential of this run. */
  get url(): string {
    return `http://${this.#admission.user}:${this.#admission.credential}@127.0.0.1:${this.port}`
  }

  listen(ready: () => void): void {
    this.#server.listen(0, "127.0.0.1", () => {
      this.#ownPorts.add(this.port)
      ready()
      // While the child starts.
      setImmediate(() => void this.#engine.warmUp().catch(() => undefined))
    })
  }

  /** No new connections; what is under way may finish for a moment, then everything is closed. */
  close(drainMilliseconds: number, done: () => void): void {
    this.#server.close()
    this.#server.closeIdleConnections()
    const deadline = Date.now() + drainMilliseconds
    const wait = (): void => {
      if (this.#engine.active() > 0 && Date.now() < deadline) {
        setTimeout(wait, 10)
        return
      }
      this.#engine.close()
      for (const socket of this.#sockets) socket.destroy()
      this.#dialer.close()
      done()
    }
    wait()
  }

  #connect(request: Http.IncomingMessage, socket: Net.Socket, head: Buffer): void {
    socket.on("error", () => socket.destroy())
    this.#admission.decide(request, socket, (admitted) => {
      if (socket.destroyed) return
      if (!admitted) {
        socket.write(refusalMessage({
          status: 407,
          error: "ProxyAuthenticationRequired",
          message: "this proxy belongs to one credsvc run; use the address in HTTPS_PROXY as it is"
        }, { close: false, headers: "Proxy-Authenticate: Basic realm=\"credsvc\"\r\n" }))
        // git and others ask first without a credential, and again on the same connection.
        if (head.length > 0) socket.unshift(head)
        this.#server.emit("connection", socket)
        return
      }
      const authority = parseAuthority(request.url ?? "")
      if (authority === undefined) {
        return this.#end(socket, {
          status: 400,
          error: "RequestRefusedError",
          message: "CONNECT needs one host name or address and one port"
        })
      }
      if (authority.kind !== "name") return this.#tunnel(socket, head, authority)
      const { authority: issuer, watch } = this.#options
      // The child prepares its handshake while the daemon is asked. Whoever answers it then, somebody will.
      const early = issuer.permits(authority.host) && watch.current.host(authority.host, authority.port) !== undefined
      if (early) socket.write(ESTABLISHED)
      watch.refreshed({
        settled: (table) => {
          if (socket.destroyed) return
          const routes = table.host(authority.host, authority.port)
          if (routes === undefined) return this.#tunnel(socket, head, authority, early)
          if (issuer.permits(authority.host)) return this.#intercept(socket, head, authority, routes, early)
          this.#end(socket, {
            status: 403,
            error: "RequestRefusedError",
            message: `${authority.host} was added after this run began; start the command again with credsvc run`
          })
        }
      })
    })
  }

  #intercept(
    socket: Net.Socket,
    head: Buffer,
    authority: Authority,
    routes: RouteTable.HostRoutes,
    established: boolean
  ): void {
    const origin: Origin = { scheme: "https", authority, hostHeader: formatAuthority(authority, 443), routes }
    if (!established) socket.write(ESTABLISHED)
    this.#interception.accept(socket, head, authority.host, (secured) => {
      const transport = transportOf(secured) ?? socket
      secured.on("error", () => secured.destroy())
      this.#engine.serve(secured, transport, origin)
    }, () => {
      this.#options.onEvent?.({
        host: authority.host,
        method: "CONNECT",
        path: "",
        status: 400,
        provider: undefined,
        refusal: "PlaintextRefused"
      })
      this.#end(socket, {
        status: 400,
        error: "RequestRefusedError",
        message: `${authority.host} is reached over TLS only: no credential goes into a connection in the clear`
      })
    })
  }

  /** `established`: the child has been told so, and a refusal can be nothing but the end of the connection. */
  #tunnel(socket: Net.Socket, head: Buffer, authority: Authority, established = false): void {
    const refuse = (refusal: Refusal) => established ? socket.destroy() : this.#end(socket, refusal)
    const denied = this.#denied(authority)
    if (denied !== undefined) return void refuse(denied)
    this.#dialer.tcp(authority, "tunnel").then((upstream) => {
      if (socket.destroyed) {
        upstream.destroy()
        return
      }
      if (!established) socket.write(ESTABLISHED)
      if (head.length > 0) upstream.write(head)
      ConnectTunnel.join(socket, upstream)
    }, (error: unknown) => refuse(refusalOf(error, authority)))
  }

  #denied(authority: Authority): Refusal | undefined {
    const { daemonUrl, unmatched } = this.#options
    if (daemonUrl !== undefined && daemonUrl.hostname.toLowerCase() === authority.host) {
      const port = Number(daemonUrl.port || (daemonUrl.protocol === "https:" ? 443 : 80))
      if (port === authority.port) {
        return { status: 403, error: "RequestRefusedError", message: `${formatAuthority(authority)} is credsvc itself` }
      }
    }
    if (unmatched !== "deny") return undefined
    return {
      status: 403,
      error: "RequestRefusedError",
      message: `${authority.host} belongs to no provider, and this run lets nothing else out (--unmatched deny)`
    }
  }

  #absolute(request: Http.IncomingMessage, response: Http.ServerResponse, expectsContinue: boolean): void {
    const { socket } = request
    if (this.#isReversed(request)) return this.#reversed(request, response, expectsContinue)
    const refuse = (refusal: Refusal, headers: Readonly<Record<string, string>> = {}): void =>
      refuseRequest(request, response, refusal, headers)
    this.#admission.decide(request, socket, (admitted) => {
      if (!admitted) {
        return refuse({
          status: 407,
          error: "ProxyAuthenticationRequired",
          message: "this proxy belongs to one credsvc run; use the address in HTTP_PROXY as it is"
        }, { "Proxy-Authenticate": "Basic realm=\"credsvc\"" })
      }
      const target = parseAbsoluteTarget(request.url ?? "")
      if (target === undefined) {
        return refuse({
          status: 400,
          error: "RequestRefusedError",
          message: "this is a forward proxy: it needs CONNECT or an absolute http:// or https:// target"
        })
      }
      const { authority, path, scheme } = target
      this.#options.watch.refreshed({
        settled: (table) => {
          const named = authority.kind === "name"
          if (scheme === "http" && named && table.claims(authority.host)) {
            return refuse({
              status: 403,
              error: "RequestRefusedError",
              message: `${authority.host} is reached over https only: no credential goes into a connection in the clear`
            })
          }
          const routes = scheme === "https" && named ? table.host(authority.host, authority.port) : undefined
          if (routes === undefined) {
            const denied = this.#denied(authority)
            if (denied !== undefined) return refuse(denied)
          }
          const hostHeader = formatAuthority(authority, scheme === "https" ? 443 : 80)
          this.#engine.forward(request, response, { scheme, authority, hostHeader, routes }, path, expectsContinue)
        }
      })
    })
  }

  #isReversed(request: Http.IncomingMessage): boolean {
    return this.reverse !== undefined && request.url?.startsWith("/") === true
  }

  #reversed(request: Http.IncomingMessage, response: Http.ServerResponse, expectsContinue: boolean): void {
    this.#reach(request, {
      found: (origin, target) => this.#engine.forward(request, response, origin, target, expectsContinue),
      elsewhere: (refusal) => refuseRequest(request, response, refusal),
      unanswered: () => response.writeHead(404, { "Content-Length": 0 }).end()
    })
  }

  #reversedUpgrade(request: Http.IncomingMessage, socket: Net.Socket, head: Buffer): void {
    socket.on("error", () => socket.destroy())
    this.#reach(request, {
      found: (origin, target) => this.#engine.forwardUpgrade(request, socket, head, origin, target),
      elsewhere: (refusal) => this.#end(socket, refusal),
      unanswered: () => socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    })
  }

  #reach(request: Http.IncomingMessage, answer: {
    readonly found: (origin: Origin, target: string) => void
    readonly elsewhere: (refusal: Refusal) => void
    readonly unanswered: () => void
  }): void {
    const { reverse } = this
    const reached = reverse?.read(request)
    if (reverse === undefined || reached === undefined) return answer.unanswered()
    const { authority, target } = reached
    request.rawHeaders = reverse.headers(request.rawHeaders)
    this.#options.watch.refreshed({
      settled: (table) => {
        const routes = authority.kind === "name" ? table.host(authority.host, authority.port) : undefined
        if (routes === undefined) {
          return answer.elsewhere({
            status: 403,
            error: "RequestRefusedError",
            message: `${authority.host} belongs to no provider of this run, and the base URL leads to no other host`
          })
        }
        const hostHeader = formatAuthority(authority, 443)
        const returned = (headers: HeaderPairs) => reverse.returned(reached, headers)
        answer.found({ scheme: "https", authority, hostHeader, routes, returned }, target)
      }
    })
  }

  /** Answers and closes; the reason stands in the status line because that is what clients show. */
  #end(socket: Net.Socket, refusal: Refusal): void {
    socket.on("error", () => socket.destroy())
    if (socket.destroyed) return
    socket.end(refusalMessage(refusal))
    socket.resume()
    setTimeout(() => socket.destroy(), 1000).unref()
  }
}
