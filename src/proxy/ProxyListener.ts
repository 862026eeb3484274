/** The server socket of one run's proxy. Uses plain callbacks, because every tunnel takes this path. */
import type * as Net from "node:net"
import { fieldOf, type HeaderPairs } from "../http/HeaderFields.ts"
import { Http1Server } from "../http/http1/Http1Server.ts"
import type { ServerConnection } from "../http/http1/ServerConnection.ts"
import type { ProtocolViolation, ServerRequest } from "../http/http1/ServerRequest.ts"
import { formatAuthority, parseAuthority } from "../outbound/Authority.ts"
import { builtins } from "../platform/builtins.ts"
import { limitConnections, type Standing } from "../platform/ConnectionLimit.ts"
import { isLoopback } from "../platform/Loopback.ts"
import { DirectConnections } from "./DirectConnections.ts"
import { type Refusal, rejection, requestRefusal } from "./ErrorResponse.ts"
import {
  AUTHENTICATE,
  HEAD_MILLISECONDS,
  isWebSocket,
  NO_UPGRADE,
  RequestRouter,
  type RouterServices,
  type RouterSettings
} from "./RequestRouter.ts"
import { PROTECTION, ReverseRoute } from "./ReverseProxy.ts"
import { routedOrigin } from "./routing/RouteWatch.ts"
import { type AskOwner, RunAdmission } from "./RunAdmission.ts"

/** Listening sockets in the network namespace of a contained run. Only processes of the run can connect to them. */
export interface ContainedSockets {
  /** For clients that use the proxy, in place of a port of this machine. */
  readonly proxy: Net.Server
  /** For clients that use no proxy. All names resolve to the address of these sockets. */
  readonly direct: ReadonlyArray<{ readonly port: number; readonly server: Net.Server }>
}

export interface ListenerSettings extends RouterSettings {
  /**
   * The clients are on another machine and connect through a port that ssh forwards. Its connections belong to this user, so only
   * the credential admits a client. As in a contained run, tunnels do not lead to this machine.
   */
  readonly remoteClients?: boolean | undefined
  /** Gives the child process base URLs of the reverse route instead of a proxy and a certificate authority. */
  readonly baseUrl?: boolean | undefined
}

export const CONNECTION_OPTIONS = {
  allowHalfOpen: true, // a tunnel may end in one direction first
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000
}

const MAX_CONNECTIONS = 512
/** Length of the kernel's accept queue. When it overflows, a client retries its SYN only after a second. */
export const BACKLOG = 4096

const OTHER_USER = requestRefusal(
  403,
  "the base URL of a run works only for the user who started it; start credsvc run as the user who runs the command"
)

const notAdmitted = (variable: string): Refusal => ({
  status: 407,
  error: "ProxyAuthenticationRequired",
  message: `this proxy belongs to one credsvc run; use the address in ${variable} without changes`
})

/** The absolute target of a request by a client that took the proxy for the server. Empty if it names no host. */
const directTarget = ({ headers, target }: ServerRequest, port: number): string => {
  const host = fieldOf(headers, "host")
  if (host === undefined || !target.startsWith("/")) return ""
  const authority = parseAuthority(/:\d+$/.test(host) ? host : `${host}:${port}`)
  return authority === undefined || authority.port !== port ? "" : `http://${formatAuthority(authority)}${target}`
}

export interface ProxyListenerOptions extends ListenerSettings, RouterServices {
  readonly askOwner: AskOwner
  /** Whether the clients are those of a contained run, whose sockets `listen` then expects. */
  readonly contained: boolean
}

/** Parses CONNECT requests as strictly as all others and passes the connection to `Tunnels`. */
export class ProxyListener {
  readonly reverse: ReverseRoute | undefined
  readonly #options: ProxyListenerOptions
  readonly #admission: RunAdmission
  readonly #server: Net.Server
  readonly #http: Http1Server
  readonly #router: RequestRouter
  readonly #sockets: ReadonlySet<Net.Socket>
  readonly #connections = new WeakMap<Net.Socket, ServerConnection>()
  /** Connections on which at least one request was admitted. */
  readonly #admitted = new WeakSet<Net.Socket>()
  readonly #ownPorts = new Set<number>()
  readonly #direct: DirectConnections
  readonly #accepting = new Set<Net.Server>()
  /** The ports that clients without a proxy have connected to. */
  readonly #ports = new WeakMap<Net.Socket, number>()

  constructor(options: ProxyListenerOptions) {
    this.#options = options
    this.#admission = new RunAdmission(options.askOwner)
    const reverse = options.baseUrl === true ? new ReverseRoute(() => this.port) : undefined
    this.reverse = reverse
    const { daemonUrl } = options
    const local = daemonUrl !== undefined && isLoopback(daemonUrl.hostname)
    if (local) this.#ownPorts.add(Number(daemonUrl.port || (daemonUrl.protocol === "https:" ? 443 : 80)))
    this.#router = new RequestRouter({
      ...options,
      client: options.remoteClients === true ? "sandbox" : options.contained ? "contained run" : "run",
      ownPorts: () => this.#ownPorts,
      sent: reverse && ((headers) => reverse.headers(headers))
    })
    this.#http = new Http1Server({
      headMilliseconds: options.headMilliseconds ?? HEAD_MILLISECONDS,
      rejection: this.#rejection
    })
    this.#server = builtins.net.createServer(CONNECTION_OPTIONS)
    // Registered before the listener below, because a connection over the limit may be closed at once.
    this.#sockets = limitConnections(this.#server, MAX_CONNECTIONS, this.#standingOf)
    this.#server.on("connection", (socket) => {
      if (!socket.destroyed && !this.#ports.has(socket)) this.#serve(socket)
    })
    this.#direct = new DirectConnections({
      tunnels: this.#router.tunnels,
      http: (socket) => this.#serve(socket),
      refused: (refusal) => this.#router.note("", "", refusal)
    })
  }

  #serve(socket: Net.Socket): void {
    this.#connections.set(socket, this.#http.serve(socket, this.#requested))
  }

  get port(): number {
    return (this.#server.address() as Net.AddressInfo).port
  }

  get url(): string {
    return `http://${this.#admission.user}:${this.#admission.credential}@127.0.0.1:${this.port}`
  }

  /** Prepares for the first request, after whatever runs now. */
  warmUp(): void {
    setImmediate(() => this.#router.engine.warmUp())
  }

  /** `contained`: the sockets of a contained run. Without them, the proxy listens on this machine. */
  listen(contained: ContainedSockets | undefined, ready: () => void): void {
    if (contained === undefined) {
      this.#server.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG }, () => {
        this.#ownPorts.add(this.port)
        ready()
        // Uses the time in which the child process starts.
        this.warmUp()
      })
    } else {
      this.accept(contained.direct)
      this.#server.listen(contained.proxy, ready)
    }
  }

  /** Accepts clients that use no proxy on further sockets. */
  accept(sockets: ContainedSockets["direct"]): void {
    for (const { port, server } of sockets) {
      const accepting = builtins.net.createServer(CONNECTION_OPTIONS, (socket) => {
        this.#ports.set(socket, port)
        // Counts and limits it like a client of the proxy.
        this.#server.emit("connection", socket)
        if (!socket.destroyed) this.#direct.serve(socket, port)
      })
      this.#accepting.add(accepting.listen(server))
    }
  }

  /** Stops accepting connections, waits up to `drainMilliseconds` for active exchanges, then closes everything. */
  close(drainMilliseconds: number, done: () => void): void {
    this.#server.close()
    for (const server of this.#accepting) server.close()
    this.#http.closeIdle()
    const deadline = performance.now() + drainMilliseconds
    const wait = (): void => {
      if (this.#router.engine.active > 0 && performance.now() < deadline) {
        setTimeout(wait, 10)
        return
      }
      this.#router.engine.close()
      this.#http.close()
      for (const socket of this.#sockets) socket.destroy()
      this.#router.close()
      done()
    }
    wait()
  }

  readonly #standingOf = (socket: Net.Socket): Standing => {
    // A client without a proxy whose bytes are relayed, or not read yet.
    if (this.#ports.has(socket) && !this.#connections.has(socket)) return "busy"
    const isIdle = this.#connections.get(socket)?.isIdle ?? true
    if (this.#admitted.has(socket)) return isIdle ? "idle" : "busy"
    return isIdle ? "silent" : "unknown"
  }

  #noted(socket: Net.Socket, report: (admitted: boolean) => void): (admitted: boolean) => void {
    return (admitted) => {
      if (admitted) this.#admitted.add(socket)
      report(admitted)
    }
  }

  #decide({ headers, socket }: ServerRequest, report: (admitted: boolean) => void): void {
    this.#admission.decide(headers, socket, this.#noted(socket, report))
  }

  readonly #requested = (request: ServerRequest): void => {
    if (request.method === "CONNECT") return this.#connect(request)
    if (this.reverse !== undefined && request.target.startsWith("/")) return this.#reversed(request, this.reverse)
    if (isWebSocket(request)) return this.#router.refuse(request, NO_UPGRADE, { last: true })
    const port = this.#ports.get(request.socket)
    this.#absolute(request, port === undefined ? request.target : directTarget(request, port))
  }

  #connect(request: ServerRequest): void {
    this.#decide(request, (admitted) => {
      if (request.response.isClosed) return
      // git and others first send a request without a credential, then retry on the same connection.
      if (admitted) this.#router.connect(request)
      else this.#router.refuse(request, notAdmitted("HTTPS_PROXY"), AUTHENTICATE)
    })
  }

  #absolute(request: ServerRequest, absoluteTarget: string): void {
    this.#decide(request, (admitted) => {
      if (admitted) this.#router.absolute(request, absoluteTarget)
      else this.#router.refuse(request, notAdmitted("HTTP_PROXY"), AUTHENTICATE)
    })
  }

  #reversed(request: ServerRequest, reverse: ReverseRoute): void {
    const reached = reverse.read(request)
    if (reached._tag === "Unreachable") {
      this.#router.note(request.method, "", { status: 404, error: "RequestRefusedError", message: reached.reason })
      return request.response.send(404, "Not Found", [...PROTECTION], "")
    }
    const { authority, connection, target } = reached
    const { host } = authority
    this.#admission.decideUser(
      request.socket,
      this.#noted(request.socket, (admitted) => {
        if (!admitted) return this.#router.refuse(request, OTHER_USER, { host, headers: PROTECTION })
        this.#options.watch.refreshed({
          settled: (table) => {
            const routes = authority.kind === "name" ? table.host(host, authority.port) : undefined
            if (routes === undefined) {
              return this.#router.refuse(
                request,
                requestRefusal(
                  403,
                  `${host} does not belong to a provider of this run; the base URL reaches no other hosts`
                ),
                { host, headers: PROTECTION }
              )
            }
            const returned = (headers: HeaderPairs) => reverse.returned(reached, headers)
            const sent = (headers: ReadonlyArray<string>) => reverse.sent(headers)
            const origin = routedOrigin(this.#options.watch, authority, routes, { connection, sent, returned })
            this.#router.engine.forward(request, origin, target)
          }
        })
      })
    )
  }

  readonly #rejection = (violation: ProtocolViolation): string => {
    this.#router.note("", "", requestRefusal(violation.status, violation.message))
    return rejection(violation)
  }
}
