/**
 * The forward proxy of one run: what the child's `HTTPS_PROXY` points to.
 *
 * A routed host is intercepted, everything else is a tunnel that nothing looks into. The listener is a `node:http`
 * server, so the request that opens a tunnel is parsed as strictly as any other; what follows in a tunnel is handed
 * on to `ConnectTunnel`, or to `TlsInterception` and the engine. Life and death are Effect's, the path of a request
 * is plain callbacks.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { ProxyPlaceholder } from "../api/ProxyGroup.ts"
import { isLoopback } from "../client/DaemonAddress.ts"
import { ConfigFile, type ConfigFileError, type Upstream } from "../config/ConfigFile.ts"
import { type Authority, formatAuthority, parseAbsoluteTarget, parseAuthority } from "../outbound/Authority.ts"
import { DialError } from "../outbound/DialError.ts"
import { make as makeDialer, type ParentProxy } from "../outbound/UpstreamDialer.ts"
import { builtins } from "../platform/builtins.ts"
import { PeerOwner } from "../platform/PeerOwner.ts"
import * as BaseUrlEnvironment from "./BaseUrlEnvironment.ts"
import * as CertificateAuthority from "./CertificateAuthority.ts"
import * as ChildEnvironment from "./ChildEnvironment.ts"
import * as ConnectTunnel from "./ConnectTunnel.ts"
import { CredentialRefusedError, CredentialSource, type ResolveRequest } from "./CredentialSource.ts"
import { type HeaderPairs, prepare, UnusableCredentialError } from "./HeaderInjection.ts"
import type { Origin, ProxyEvent, Resolution } from "./HttpEngine.ts"
import { ProxyEngine } from "./ProxyEngine.ts"
import { credentialRefusal, type Refusal, refusalMessage } from "./RefusalBody.ts"
import { ResolveBatch } from "./ResolveBatch.ts"
import { ReverseRoute } from "./ReverseRoute.ts"
import * as RouteTable from "./RouteTable.ts"
import { RouteWatch } from "./RouteWatch.ts"
import * as RunDirectory from "./RunDirectory.ts"
import { TlsInterception, transportOf } from "./TlsInterception.ts"

export interface ForwardProxyOptions extends RouteTable.RouteFilter {
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
  /** How long requests under way may take to finish when the proxy stops. */
  readonly drainMilliseconds?: number | undefined
  readonly connectTimeout?: number | undefined
  /** How long the head of a request may take to arrive (D33). */
  readonly headMilliseconds?: number | undefined
}

const MAX_CONNECTIONS = 512
const MAX_HEAD_BYTES = 64 * 1024
const HEAD_MILLISECONDS = 10_000
const IDLE_MILLISECONDS = 75_000
const DRAIN_MILLISECONDS = 500
const USER = "credsvc"
const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n"

const kAdmitted = Symbol("admitted")
const kAsked = Symbol("asked")

type ChildSocket = Net.Socket & { [kAdmitted]?: boolean; [kAsked]?: Array<(admitted: boolean) => void> }

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

export class ForwardProxy extends Context.Service<ForwardProxy, {
  /** Always on 127.0.0.1. */
  readonly port: number

  /** With the credential of this run: what presents it is admitted. For the child's environment, not for logs. */
  readonly proxyUrl: string

  /** The certificate of this run's authority. It vouches for the routed hosts only, and its key is in memory only. */
  readonly caPem: string

  /** 0700, gone when the proxy stops. */
  readonly runDirectory: string

  /** What the daemon says the child needs so that its SDKs start, for the providers that are injected for. */
  readonly placeholders: ReadonlyArray<ProxyPlaceholder>

  /** Variables that the SDKs of these providers read the address of their API from, with the API's own address. */
  readonly baseUrls: ReadonlyArray<ProxyPlaceholder>

  /**
   * The child's whole environment, made from ours. Writes certificate and configuration files into the run directory.
   */
  readonly environment: (
    parent: Readonly<Record<string, string | undefined>>,
    options?: ChildEnvironment.Adjustments
  ) => Effect.Effect<ChildEnvironment.ChildEnvironment>
}>()("credsvc/proxy/ForwardProxy") {
  /** Listens until the scope closes. Fails when the daemon gives no routes. */
  static readonly layer = (
    options: ForwardProxyOptions = {}
  ): Layer.Layer<
    ForwardProxy,
    CredentialRefusedError | ConfigFileError,
    CredentialSource | ConfigFile | PeerOwner
  > =>
    Layer.effect(
      ForwardProxy,
      Effect.gen(function*() {
        const source = yield* CredentialSource
        const config = yield* ConfigFile
        const peerOwner = yield* PeerOwner

        const first = yield* source.routes(undefined)
        if (first === undefined) {
          return yield* new CredentialRefusedError({
            error: "DaemonUnavailableError",
            detail: "The daemon gave no routes.",
            status: 503
          })
        }
        let upstream: Upstream = (yield* config.read).upstream
        const readUpstream = (): Upstream => {
          const exit = Effect.runSyncExit(config.read)
          // A file that is broken just now changes nothing; `doctor` names it.
          if (Exit.isSuccess(exit)) upstream = exit.value.upstream
          return upstream
        }

        const table = RouteTable.make(first.version, first.routes, options)
        const authority = CertificateAuthority.make(table.certificateNames)
        const runDirectory = yield* RunDirectory.make

        const credentials = new ResolveBatch<ResolveRequest, Resolution>((request, done) => {
          Effect.runCallback(source.resolve(request), {
            onExit: (exit) => done(resolutionOf(request, exit))
          })
        })
        const watch = new RouteWatch(table, options, (version, done) => {
          Effect.runCallback(source.routes(version), {
            onExit: (exit) => done(Exit.isSuccess(exit) ? exit.value : undefined)
          })
        })
        const isOwnUser = (remote: Net.Socket, answer: (own: boolean) => void): void => {
          const { localAddress, localPort, remoteAddress, remotePort } = remote
          if (
            remoteAddress === undefined || remotePort === undefined || localAddress === undefined ||
            localPort === undefined
          ) {
            answer(false)
            return
          }
          Effect.runCallback(
            peerOwner.peer({ address: remoteAddress, port: remotePort }, { address: localAddress, port: localPort }),
            { onExit: (exit) => answer(Exit.isSuccess(exit) && exit.value === "own") }
          )
        }

        const listener = new Listener({ ...options, authority, credentials, watch, isOwnUser, readUpstream })
        yield* Effect.acquireRelease(
          Effect.callback<void>((resume) => listener.listen(() => resume(Effect.void))),
          () =>
            Effect.callback<void>((resume) =>
              listener.close(options.drainMilliseconds ?? DRAIN_MILLISECONDS, () => resume(Effect.void))
            )
        )
        const proxyUrl = `http://${USER}:${listener.secret}@127.0.0.1:${listener.port}`
        const placeholders = RouteTable.variablesOf(first.placeholders, options)
        const baseUrls = RouteTable.variablesOf(first.baseUrls, options)

        return ForwardProxy.of({
          port: listener.port,
          proxyUrl,
          caPem: authority.rootPem,
          runDirectory,
          placeholders,
          baseUrls,
          environment: (parent, adjustments) =>
            Effect.sync(() => {
              if (listener.reverse !== undefined) {
                return BaseUrlEnvironment.make({
                  parent,
                  port: listener.port,
                  base: listener.reverse.base,
                  placeholders,
                  baseUrls,
                  isRouted: (host, port) => watch.current.host(host, port) !== undefined,
                  parentProxy: options.parentProxy
                })
              }
              return ChildEnvironment.make({
                parent,
                proxyUrl,
                port: listener.port,
                caPem: authority.rootPem,
                runDirectory,
                placeholders,
                patterns: watch.current.patterns,
                ports: watch.current.ports,
                extraCaCerts: upstream.extraCaCerts,
                parentProxy: options.parentProxy,
                ...adjustments
              })
            })
        })
      })
    )
}

const resolutionOf = (
  request: ResolveRequest,
  exit: Exit.Exit<Parameters<typeof prepare>[0], CredentialRefusedError>
): Resolution => {
  if (Exit.isSuccess(exit)) {
    try {
      return { _tag: "resolved", injection: prepare(exit.value) }
    } catch (error) {
      const message = error instanceof UnusableCredentialError ? error.message : "the stored credential cannot be used"
      return { _tag: "refused", refusal: { status: 403, error: "CredentialMissingError", message } }
    }
  }
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  const refused = failure?._tag === "Fail" && failure.error instanceof CredentialRefusedError
    ? failure.error
    : { error: "Unexpected", detail: "the daemon could not be asked for the credential" }
  return { _tag: "refused", refusal: credentialRefusal(request.provider, request.connection ?? "default", refused) }
}

interface ListenerOptions extends ForwardProxyOptions {
  readonly authority: CertificateAuthority.CertificateAuthority
  readonly credentials: ResolveBatch<ResolveRequest, Resolution>
  readonly watch: RouteWatch
  readonly isOwnUser: (socket: Net.Socket, answer: (own: boolean) => void) => void
  readonly readUpstream: () => Upstream
}

class Listener {
  readonly secret = builtins.crypto.randomBytes(32).toString("base64url")
  readonly reverse: ReverseRoute | undefined
  readonly #options: ListenerOptions
  readonly #expected: Buffer
  readonly #server: Http.Server
  readonly #engine: ProxyEngine
  readonly #dialer: ReturnType<typeof makeDialer>
  readonly #interception: TlsInterception
  readonly #sockets = new Set<Net.Socket>()
  readonly #ownPorts = new Set<number>()

  constructor(options: ListenerOptions) {
    this.#options = options
    this.reverse = options.baseUrl === true ? new ReverseRoute(this.secret, () => this.port) : undefined
    this.#expected = Buffer.from(Buffer.from(`${USER}:${this.secret}`).toString("base64"))
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
    this.#server.on("connect", (request, socket, head) => this.#connect(request, socket as ChildSocket, head))
    this.#server.on("request", (request, response) => this.#absolute(request, response, false))
    this.#server.on("checkContinue", (request, response) => this.#absolute(request, response, true))
    this.#server.on("upgrade", (request, socket) => {
      this.#end(socket as ChildSocket, {
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
      this.#end(socket as ChildSocket, { status: 400, error: "RequestRefusedError", message })
    })
  }

  get port(): number {
    return (this.#server.address() as Net.AddressInfo).port
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

  /** Credential, else uid, else 407 (D1). A wrong credential is not made good by the uid. */
  #admit(request: Http.IncomingMessage, socket: ChildSocket, answer: (admitted: boolean) => void): void {
    const given = request.headers["proxy-authorization"]
    if (given !== undefined) {
      const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(given)
      const offered = Buffer.from(match?.[1] ?? "")
      answer(
        offered.length === this.#expected.length && builtins.crypto.timingSafeEqual(offered, this.#expected)
      )
      return
    }
    if (socket[kAdmitted] !== undefined) {
      answer(socket[kAdmitted])
      return
    }
    const asked = socket[kAsked]
    if (asked !== undefined) {
      asked.push(answer)
      return
    }
    socket[kAsked] = [answer]
    this.#options.isOwnUser(socket, (own) => {
      socket[kAdmitted] = own
      for (const waiting of socket[kAsked] ?? []) waiting(own)
      delete socket[kAsked]
    })
  }

  #connect(request: Http.IncomingMessage, socket: ChildSocket, head: Buffer): void {
    socket.on("error", () => socket.destroy())
    this.#admit(request, socket, (admitted) => {
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
    socket: ChildSocket,
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
  #tunnel(socket: ChildSocket, head: Buffer, authority: Authority, established = false): void {
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
    const socket = request.socket as ChildSocket
    if (this.reverse !== undefined && request.url?.startsWith("/") === true) {
      return this.#reversed(this.reverse, request, response, expectsContinue)
    }
    const refuse = (refusal: Refusal, headers: Readonly<Record<string, string>> = {}): void =>
      refuseRequest(request, response, refusal, headers)
    this.#admit(request, socket, (admitted) => {
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

  #reversed(
    reverse: ReverseRoute,
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    expectsContinue: boolean
  ): void {
    const reached = reverse.read(request)
    if (reached === undefined) {
      response.writeHead(404, { "Content-Length": 0 }).end()
      return
    }
    const { authority, target } = reached
    request.rawHeaders = reverse.headers(request.rawHeaders)
    this.#options.watch.refreshed({
      settled: (table) => {
        const routes = authority.kind === "name" ? table.host(authority.host, authority.port) : undefined
        if (routes === undefined) {
          return refuseRequest(request, response, {
            status: 403,
            error: "RequestRefusedError",
            message: `${authority.host} belongs to no provider of this run, and the base URL leads to no other host`
          })
        }
        const hostHeader = formatAuthority(authority, 443)
        const returned = (headers: HeaderPairs) => reverse.returned(reached, headers)
        const origin: Origin = { scheme: "https", authority, hostHeader, routes, returned }
        this.#engine.forward(request, response, origin, target, expectsContinue)
      }
    })
  }

  /** Answers and closes; the reason stands in the status line because that is what clients show. */
  #end(socket: ChildSocket, refusal: Refusal): void {
    socket.on("error", () => socket.destroy())
    if (socket.destroyed) return
    socket.end(refusalMessage(refusal))
    socket.resume()
    setTimeout(() => socket.destroy(), 1000).unref()
  }
}
