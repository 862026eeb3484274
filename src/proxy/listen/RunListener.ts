/** The server sockets of one run's proxy. */
import type * as Net from "node:net"
import type { ProxyPlaceholder } from "../../domain/wire/ProxyRoutes.ts"
import { builtins } from "../../platform/builtins.ts"
import { isLoopback } from "../../platform/sockets/IpAddress.ts"
import { type RunClient, runContext, type RunServices, type RunSettings } from "../exchange/RunContext.ts"
import { refusedEvent } from "../ProxyEvent.ts"
import { BaseUrlRoute } from "./BaseUrlRoute.ts"
import { CloudIdentities } from "./CloudIdentities.ts"
import { BACKLOG, CONNECTION_OPTIONS, Listener } from "./Listener.ts"
import { Router } from "./Router.ts"
import { type AskOwner, RunAdmission } from "./RunAdmission.ts"
import { TransparentProxy } from "./TransparentProxy.ts"
import { portOf } from "./UnroutedHosts.ts"

/** Listening sockets in the network namespace of a contained run. Only processes of the run can connect to them. */
export interface ContainedSockets {
  /** The socket for clients that use the proxy. It replaces a port of this machine. */
  readonly proxy: Net.Server
  /** The sockets for clients that use no proxy. All names resolve to their address. */
  readonly direct: ReadonlyArray<{ readonly port: number; readonly server: Net.Server }>
}

/** The settings of a run, with those of its clients. */
export interface ListenerSettings extends RunSettings {
  /**
   * Whether the clients are on another machine and connect through a port that ssh forwards. The connections of that port belong to
   * this user, so only the credential admits a client. As in a contained run, tunnels do not lead to this machine.
   */
  readonly remoteClients?: boolean | undefined
  /** Whether the child process gets base URLs instead of a proxy and a certificate authority. */
  readonly baseUrl?: boolean | undefined
  /** The user's Google Cloud project, for which SDKs may ask the metadata server. */
  readonly cloudProject?: string | undefined
}

interface RunListenerOptions {
  readonly askOwner: AskOwner
  /** Whether the run is contained. `listen` then expects its sockets. */
  readonly contained: boolean
  /** The cloud identities of the run's connections, from the routing table. */
  readonly identities: ReadonlyArray<ProxyPlaceholder>
}

const MAX_CONNECTIONS = 512

const clientOf = ({ remoteClients }: ListenerSettings, contained: boolean): RunClient => {
  if (remoteClients === true) return "sandbox"
  return contained ? "contained run" : "run"
}

export class RunListener {
  readonly reverse: BaseUrlRoute | undefined
  readonly identities: CloudIdentities
  readonly #router: Router
  readonly #admission: RunAdmission
  readonly #listener: Listener
  readonly #direct: TransparentProxy
  readonly #server: Net.Server
  readonly #accepting = new Set<Net.Server>()
  readonly #ownPorts = new Set<number>()
  /** The ports that clients without a proxy have connected to. */
  readonly #ports = new WeakMap<Net.Socket, number>()

  constructor(
    settings: ListenerSettings,
    services: RunServices,
    { askOwner, contained, identities }: RunListenerOptions
  ) {
    const reverse = settings.baseUrl === true ? new BaseUrlRoute(() => this.port) : undefined
    const { cloudProject, daemonUrl, headMilliseconds } = settings
    // Without a proxy, nothing would replace the placeholder. Clients on another machine belong to no known user.
    const usable = settings.baseUrl === true || settings.remoteClients === true ? [] : identities
    this.identities = new CloudIdentities(usable, cloudProject, () => this.port)
    if (daemonUrl !== undefined && isLoopback(daemonUrl.hostname)) {
      this.#ownPorts.add(portOf(daemonUrl))
    }
    const context = runContext(settings, services, {
      client: clientOf(settings, contained),
      ownPorts: () => this.#ownPorts,
      sent: reverse && ((headers) => reverse.headers(headers))
    })
    const { onEvent } = context
    this.reverse = reverse
    this.#router = new Router(context)
    this.#admission = new RunAdmission({
      router: this.#router,
      askOwner,
      reverse,
      identities: this.identities,
      portOf: (socket) => this.#ports.get(socket)
    })
    this.#listener = new Listener({
      admit: this.#admission.admit,
      maxConnections: MAX_CONNECTIONS,
      headMilliseconds,
      onEvent
    })
    this.#direct = new TransparentProxy({
      tunnels: this.#router.tunnels,
      http: (socket) => this.#listener.serve(socket),
      refused: (refusal) => onEvent(refusedEvent("", "", refusal))
    })
    this.#server = builtins.net.createServer(CONNECTION_OPTIONS, (socket) => this.#listener.accept(socket))
  }

  get port(): number {
    return (this.#server.address() as Net.AddressInfo).port
  }

  get url(): string {
    return `http://${this.#admission.user}:${this.#admission.credential}@127.0.0.1:${this.port}`
  }

  /** Prepares for the first request, in later event-loop turns. */
  warmUp(): void {
    setImmediate(() => this.#router.engine.warmUp())
  }

  /** Listens on the sockets of a contained run or, without them, on a loopback port. */
  listen(contained: ContainedSockets | undefined, ready: () => void): void {
    if (contained === undefined) {
      this.#server.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG }, () => {
        this.#ownPorts.add(this.port)
        ready()
        // Runs while the child process starts.
        this.warmUp()
      })
    } else {
      this.accept(contained.direct)
      this.#server.listen(contained.proxy, ready)
    }
  }

  /** Accepts connections on further sockets, from clients that use no proxy. */
  accept(sockets: ContainedSockets["direct"]): void {
    for (const { port, server } of sockets) {
      const accepting = builtins.net.createServer(CONNECTION_OPTIONS, (socket) => {
        this.#ports.set(socket, port)
        if (this.#listener.count(socket)) this.#direct.serve(socket, port)
      })
      this.#accepting.add(accepting.listen(server))
    }
  }

  /** Stops accepting connections, waits up to `drainMilliseconds` for active exchanges, then closes everything. */
  close(drainMilliseconds: number, done: () => void): void {
    this.#server.close()
    for (const server of this.#accepting) server.close()
    this.#listener.closeIdle()
    const { engine } = this.#router
    const deadline = performance.now() + drainMilliseconds
    const wait = (): void => {
      if (engine.active > 0 && performance.now() < deadline) {
        setTimeout(wait, 10)
        return
      }
      engine.close()
      this.#listener.close()
      this.#router.close()
      done()
    }
    wait()
  }
}
