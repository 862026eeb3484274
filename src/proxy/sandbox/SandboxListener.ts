/**
 * Serves the clients of sandboxes on any number of sockets. Each request is admitted by a token, or by the socket if that belongs to
 * one sandbox, and handled by the router of its sandbox.
 */
import type * as Net from "node:net"
import type { ServedSandbox } from "../../domain/wire/Sandbox.ts"
import { fieldOf } from "../../http/HeaderFields.ts"
import { Http1Server } from "../../http/http1/Http1Server.ts"
import type { ServerConnection } from "../../http/http1/ServerConnection.ts"
import type { ProtocolViolation, ServerRequest } from "../../http/http1/ServerRequest.ts"
import { builtins } from "../../platform/builtins.ts"
import { limitConnections, type Standing } from "../../platform/ConnectionLimit.ts"
import { type Refusal, rejection, requestRefusal } from "../ErrorResponse.ts"
import { type ProxyEvent, refusedEvent } from "../ProxyEvent.ts"
import { CONNECTION_OPTIONS } from "../ProxyListener.ts"
import {
  AUTHENTICATE,
  HEAD_MILLISECONDS,
  isWebSocket,
  NO_UPGRADE,
  type RequestRouter,
  sendRefusal
} from "../RequestRouter.ts"
import type { AskOwner } from "../RunAdmission.ts"
import {
  keyOf,
  parseProxyCredentials,
  sandboxGone,
  type SandboxTable,
  tokenMissing,
  type Verdict,
  wrongSandbox
} from "./SandboxTable.ts"

/** Of all sandboxes. */
export const MAX_CONNECTIONS = 4096
/** Of one sandbox, so that it cannot block the others. */
const MAX_OF_SANDBOX = 512

const BUSY: Refusal = {
  status: 503,
  error: "RequestRefusedError",
  message: `a sandbox can have ${MAX_OF_SANDBOX} connections at a time`
}

export const UNCONFIRMED: Refusal = {
  status: 503,
  error: "DaemonUnavailableError",
  message: "the daemon does not respond, so the token cannot be checked; start it with credsvc daemon start"
}

/** The router of a sandbox, or why it has none. */
export type Opened =
  | { readonly _tag: "opened"; readonly router: RequestRouter }
  | { readonly _tag: "refused"; readonly refusal: Refusal }

export interface SandboxListenerOptions {
  readonly table: SandboxTable
  /** Asks the daemon whether the table is current. Reports false if the daemon does not respond. */
  readonly refresh: (done: (current: boolean) => void) => void
  /** Creates the router of a sandbox. */
  readonly openRouter: (sandbox: ServedSandbox, done: (opened: Opened) => void) => void
  /** The only sandbox to serve. Its clients need no token if they are processes of this user. */
  readonly only?: string | undefined
  readonly askOwner: AskOwner
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined
  readonly headMilliseconds?: number | undefined
}

/** A sandbox with its router and the admitted connections of its clients. */
interface OpenSandbox {
  readonly sandbox: ServedSandbox
  readonly sockets: Set<Net.Socket>
  router: RequestRouter | undefined
  waiting: Array<(opened: Opened) => void>
  closed: boolean
}

export class SandboxListener {
  readonly #options: SandboxListenerOptions
  /** Counts and limits the connections of all sockets; never listens itself. */
  readonly #connections: Net.Server
  readonly #sockets: ReadonlySet<Net.Socket>
  readonly #http: Http1Server
  readonly #served = new WeakMap<Net.Socket, ServerConnection>()
  readonly #admitted = new WeakSet<Net.Socket>()
  readonly #openSandboxes = new Map<string, OpenSandbox>()

  constructor(options: SandboxListenerOptions) {
    this.#options = options
    this.#http = new Http1Server({
      headMilliseconds: options.headMilliseconds ?? HEAD_MILLISECONDS,
      rejection: (violation) => this.#rejection(violation)
    })
    this.#connections = builtins.net.createServer(CONNECTION_OPTIONS)
    this.#sockets = limitConnections(this.#connections, MAX_CONNECTIONS, this.#standingOf)
    this.#connections.on("connection", (socket) => {
      if (!socket.destroyed) this.#served.set(socket, this.#http.serve(socket, this.#requested))
    })
  }

  /** Serves a connection that one of the sockets has accepted. */
  accept(socket: Net.Socket): void {
    this.#connections.emit("connection", socket)
  }

  /** Closes everything that belongs to sandboxes whose tokens are no longer valid. */
  end(sandboxes: ReadonlyArray<ServedSandbox>): void {
    for (const sandbox of sandboxes) {
      const open = this.#openSandboxes.get(keyOf(sandbox))
      if (open !== undefined) this.#close(open)
    }
  }

  close(): void {
    for (const open of this.#openSandboxes.values()) this.#close(open)
    this.#http.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #close(open: OpenSandbox): void {
    open.closed = true
    this.#openSandboxes.delete(keyOf(open.sandbox))
    open.router?.engine.close()
    for (const socket of open.sockets) socket.destroy()
    open.router?.close()
  }

  readonly #standingOf = (socket: Net.Socket): Standing => {
    const isIdle = this.#served.get(socket)?.isIdle ?? true
    if (this.#admitted.has(socket)) return isIdle ? "idle" : "busy"
    return isIdle ? "silent" : "unknown"
  }

  readonly #requested = (request: ServerRequest): void => {
    if (isWebSocket(request)) return this.#refuse(request, NO_UPGRADE, true)
    this.#decide(request, (verdict) => {
      if (request.response.isClosed) return
      if (verdict._tag === "refused") return this.#refuse(request, verdict.refusal)
      this.#admit(request, verdict.sandbox)
    })
  }

  #decide(request: ServerRequest, report: (verdict: Verdict) => void): void {
    const { only, refresh, table } = this.#options
    const field = fieldOf(request.headers, "proxy-authorization")
    const presented = field === undefined ? undefined : parseProxyCredentials(field)
    if (field === undefined ? only === undefined : presented === undefined) return report(tokenMissing)
    refresh((current) => {
      if (!current) return report({ _tag: "refused", refusal: UNCONFIRMED })
      if (presented !== undefined) {
        const verdict = table.verify(presented)
        const isOther = verdict._tag === "admitted" && only !== undefined && verdict.sandbox.name !== only
        return report(isOther ? wrongSandbox(only) : verdict)
      }
      const sandbox = table.named(only ?? "")
      if (sandbox === undefined) return report(sandboxGone(only ?? ""))
      this.#options.askOwner(
        request.socket,
        (owner) => report(owner === "own" ? { _tag: "admitted", sandbox } : tokenMissing)
      )
    })
  }

  #admit(request: ServerRequest, sandbox: ServedSandbox): void {
    const { socket } = request
    const current = this.#options.table.named(sandbox.name)
    // The sandbox may have ended during the lookup of the owner of the connection.
    if (current === undefined || keyOf(current) !== keyOf(sandbox)) return this.#refuse(request, tokenMissing.refusal)
    this.#admitted.add(socket)
    const open = this.#openSandboxOf(sandbox)
    if (!open.sockets.has(socket)) {
      if (open.sockets.size >= MAX_OF_SANDBOX) return this.#refuse(request, BUSY)
      open.sockets.add(socket)
      socket.once("close", () => open.sockets.delete(socket))
    }
    const route = (opened: Opened): void => {
      if (request.response.isClosed || open.closed) return
      if (opened._tag === "refused") return this.#refuse(request, opened.refusal)
      if (request.method === "CONNECT") opened.router.connect(request)
      else opened.router.absolute(request, request.target)
    }
    if (open.router !== undefined) return route({ _tag: "opened", router: open.router })
    open.waiting.push(route)
    if (open.waiting.length === 1) this.#createRouter(open)
  }

  #openSandboxOf(sandbox: ServedSandbox): OpenSandbox {
    const key = keyOf(sandbox)
    const existing = this.#openSandboxes.get(key)
    if (existing !== undefined) return existing
    const open: OpenSandbox = { sandbox, sockets: new Set(), router: undefined, waiting: [], closed: false }
    this.#openSandboxes.set(key, open)
    return open
  }

  /** Creates the router for the waiting requests. If that fails, the next request tries again. */
  #createRouter(open: OpenSandbox): void {
    this.#options.openRouter(open.sandbox, (opened) => {
      const router = opened._tag === "opened" ? opened.router : undefined
      if (open.closed) {
        router?.engine.close()
        return router?.close()
      }
      const { waiting } = open
      open.router = router
      open.waiting = []
      for (const route of waiting) route(opened)
    })
  }

  #refuse(request: ServerRequest, refusal: Refusal, last = false): void {
    if (request.response.isClosed) return
    this.#options.onEvent?.(refusedEvent(request.method, "", refusal))
    sendRefusal(request, refusal, refusal.status === 407 ? AUTHENTICATE : { last })
  }

  #rejection(violation: ProtocolViolation): string {
    this.#options.onEvent?.(refusedEvent("", "", requestRefusal(violation.status, violation.message)))
    return rejection(violation)
  }
}
