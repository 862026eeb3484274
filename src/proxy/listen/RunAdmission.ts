/** Decides who may use the proxy of a run: a client with the run's credential, or a process of the run's user. */
import type * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { fieldOf } from "../../http/HeaderFields.ts"
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import { formatAuthority, parseAuthority } from "../../outbound/Authority.ts"
import { builtins } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import { endsOf, type Ownership, type PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { requestRefusal } from "../ErrorResponse.ts"
import { type BaseUrlRoute, PROTECTION } from "./BaseUrlRoute.ts"
import type { CloudIdentities } from "./CloudIdentities.ts"
import type { Admit, Verdict } from "./Listener.ts"
import type { Router } from "./Router.ts"

export type AskOwner = (socket: Net.Socket, report: (owner: Ownership) => void) => void

/** Asks the kernel who owns the client's end of a connection. `run` runs effects in the context of the proxy. */
export const askKernel =
  (owners: PeerOwner["Service"], run: ReturnType<typeof Effect.runCallbackWith<never>>): AskOwner =>
  (
    socket,
    report
  ) => {
    const ends = endsOf(socket)
    if (ends === undefined) return report("unknown")
    run(owners.peer(ends.remote, ends.local), {
      onExit: (exit) => report(exit._tag === "Success" ? exit.value : "unknown")
    })
  }

/** Whether the owner may be this user. Only Linux reports owners. The owner is `unknown` if the client has closed its end. */
const mayBeOwn = (owner: Ownership): boolean => owner === "own" || owner === "unsupported"

const OTHER_USER = requestRefusal(
  403,
  "the base URLs of a run work only for the user who started it; start credsvc run as the user who runs the command"
)

const needsCredential = (variable: string): Verdict => ({
  _tag: "refused",
  refusal: {
    status: 407,
    error: "ProxyAuthenticationRequired",
    message: `this proxy belongs to one credsvc run; use the URL in ${variable} without changes`
  }
})

/** The absolute target of a request by a client that mistook the proxy for the server. Empty if it names no host. */
const directTarget = ({ headers, target }: ServerRequest, port: number): string => {
  const host = fieldOf(headers, "host")
  if (host === undefined || !target.startsWith("/")) return ""
  const authority = parseAuthority(/:\d+$/.test(host) ? host : `${host}:${port}`)
  return authority === undefined || authority.port !== port ? "" : `http://${formatAuthority(authority)}${target}`
}

interface RunAdmissionOptions {
  readonly router: Router
  readonly askOwner: AskOwner
  readonly reverse: BaseUrlRoute | undefined
  readonly identities: CloudIdentities
  /** The port that a client without a proxy has connected to. */
  readonly portOf: (socket: Net.Socket) => number | undefined
}

export class RunAdmission {
  readonly user = "credsvc"
  /** The credential of this run. The forward proxy admits every client that presents it. */
  readonly credential: string = builtins.crypto.randomBytes(32).toString("base64url")
  readonly #expected: Buffer
  readonly #options: RunAdmissionOptions
  readonly #admitted: Verdict
  /** The owner of each connection for which the kernel was asked. */
  readonly #owners = new WeakMap<Net.Socket, Promise<Ownership>>()

  constructor(options: RunAdmissionOptions) {
    const { portOf, router } = options
    this.#options = options
    this.#expected = Buffer.from(Buffer.from(`${this.user}:${this.credential}`).toString("base64"))
    this.#admitted = {
      _tag: "admitted",
      route: (request) => {
        const port = portOf(request.socket)
        router.route(request, port === undefined ? request.target : directTarget(request, port))
      }
    }
  }

  readonly admit: Admit = (request, report) => {
    const { identities, portOf, reverse } = this.#options
    const isConnect = request.method === "CONNECT"
    if (!isConnect && reverse !== undefined && request.target.startsWith("/")) {
      return this.#reversed(request, reverse, report)
    }
    const respond = portOf(request.socket) === undefined ? identities.responder(request) : undefined
    if (respond !== undefined) {
      return this.#ownerOf(request.socket, (owner) =>
        report(
          mayBeOwn(owner) ? { _tag: "admitted", route: respond } : { _tag: "refused", refusal: OTHER_USER }
        ))
    }
    // git and others first send a request without a credential, then retry on the same connection.
    this.#decide(
      request,
      (admitted) => report(admitted ? this.#admitted : needsCredential(isConnect ? "HTTPS_PROXY" : "HTTP_PROXY"))
    )
  }

  /** Admits a client of the forward proxy that presents the run's credential or, without any, belongs to the run's user. */
  #decide({ headers, socket }: ServerRequest, report: (admitted: boolean) => void): void {
    const given = fieldOf(headers, "proxy-authorization")
    if (given === undefined) return this.#ownerOf(socket, (owner) => report(owner === "own"))
    const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(given)
    const offered = Buffer.from(match?.[1] ?? "")
    report(isSameSecret(offered, this.#expected))
  }

  /** Admits a client with a base URL only if it belongs to the run's user: other users can read the credential in the URL. */
  #reversed(request: ServerRequest, reverse: BaseUrlRoute, report: (verdict: Verdict) => void): void {
    const reached = reverse.read(request)
    if (typeof reached === "string") {
      const options = { headers: PROTECTION, isSilent: true }
      return report({ _tag: "refused", refusal: requestRefusal(404, reached), options })
    }
    this.#ownerOf(request.socket, (owner) => {
      if (mayBeOwn(owner)) {
        return report({ _tag: "admitted", route: () => this.#options.router.reached(request, reached, reverse) })
      }
      const options = { host: reached.authority.host, headers: PROTECTION }
      report({ _tag: "refused", refusal: OTHER_USER, options })
    })
  }

  /** Asks the kernel once for each connection. */
  #ownerOf(socket: Net.Socket, report: (owner: Ownership) => void): void {
    const owner = this.#owners.get(socket) ?? new Promise((resolve) => this.#options.askOwner(socket, resolve))
    this.#owners.set(socket, owner)
    void owner.then(report)
  }
}
