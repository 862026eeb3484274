/**
 * Admits the clients of sandboxes, each to the router of its sandbox. A token identifies the sandbox, unless the proxy serves
 * only one.
 */
import type * as Net from "node:net"
import type { ServedSandbox } from "../../domain/wire/Sandbox.ts"
import { fieldOf } from "../../http/HeaderFields.ts"
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import type { Refusal } from "../ErrorResponse.ts"
import type { Admit, Verdict } from "../listen/Listener.ts"
import type { Router } from "../listen/Router.ts"
import type { AskOwner } from "../listen/RunAdmission.ts"
import {
  keyOf,
  parseProxyCredentials,
  sandboxGone,
  type SandboxTable,
  tokenMissing,
  wrongSandbox
} from "./SandboxTable.ts"

/** The limit for one sandbox, so that it cannot block the others. */
const MAX_CONNECTIONS = 512

const refusedVerdict = (refusal: Refusal): Verdict => ({ _tag: "refused", refusal })

const BUSY = refusedVerdict({
  status: 503,
  error: "RequestRefusedError",
  message: `this sandbox has ${MAX_CONNECTIONS} open connections, which is the limit: close some of them`
})

export const UNCONFIRMED: Refusal = {
  status: 503,
  error: "DaemonUnavailableError",
  message: "the daemon does not respond, so the token cannot be checked; start it with credsvc daemon start"
}

/** A router, and the function that releases its resources. */
interface OpenedRouter {
  readonly router: Router
  readonly close: () => void
}

interface SandboxAdmissionOptions {
  readonly table: SandboxTable
  /** Updates the table from the daemon. Reports false if the daemon does not respond. */
  readonly refresh: (done: (current: boolean) => void) => void
  /** Creates the router of a sandbox, or reports why that is impossible. */
  readonly openRouter: (sandbox: ServedSandbox, done: (opened: OpenedRouter | Refusal) => void) => void
  /** The only sandbox to serve. Its clients need no token if they are processes of this user. */
  readonly only?: string | undefined
  readonly askOwner: AskOwner
}

/** A sandbox with its router and the admitted connections of its clients. */
class OpenSandbox {
  readonly sandbox: ServedSandbox
  readonly sockets = new Set<Net.Socket>()
  /** The requests that wait for the router. */
  #waiting: Array<(verdict: Verdict) => void> = []
  #opened: OpenedRouter | undefined
  #isClosed = false

  constructor(sandbox: ServedSandbox) {
    this.sandbox = sandbox
  }

  /** Opens the router at the first request and reports the verdict. If it cannot be opened, the next request tries again. */
  route(openRouter: SandboxAdmissionOptions["openRouter"], report: (verdict: Verdict) => void): void {
    if (this.#opened !== undefined) return report(this.#verdict(this.#opened))
    if (this.#waiting.push(report) > 1) return
    openRouter(this.sandbox, (opened) => {
      const waiting = this.#waiting
      this.#waiting = []
      if ("status" in opened) {
        for (const each of waiting) each(refusedVerdict(opened))
        return
      }
      this.#opened = opened
      if (this.#isClosed) this.close()
      else for (const each of waiting) each(this.#verdict(opened))
    })
  }

  close(): void {
    this.#isClosed = true
    this.#opened?.router.engine.close()
    for (const socket of this.sockets) socket.destroy()
    this.#opened?.router.close()
    this.#opened?.close()
  }

  #verdict({ router }: OpenedRouter): Verdict {
    return {
      _tag: "admitted",
      route: (request) => {
        if (!this.#isClosed) router.route(request)
      }
    }
  }
}

export class SandboxAdmission {
  readonly #options: SandboxAdmissionOptions
  readonly #open = new Map<string, OpenSandbox>()

  constructor(options: SandboxAdmissionOptions) {
    this.#options = options
  }

  readonly admit: Admit = (request, report) => {
    const { only, refresh, table } = this.#options
    const field = fieldOf(request.headers, "proxy-authorization")
    const presented = field === undefined ? undefined : parseProxyCredentials(field)
    if (field === undefined ? only === undefined : presented === undefined) return report(refusedVerdict(tokenMissing))
    refresh((current) => {
      if (!current) return report(refusedVerdict(UNCONFIRMED))
      if (presented !== undefined) {
        const verified = table.verify(presented)
        if ("status" in verified) return report(refusedVerdict(verified))
        const isOther = only !== undefined && verified.name !== only
        return isOther ? report(refusedVerdict(wrongSandbox(only))) : this.#route(request, verified, report)
      }
      const sandbox = table.named(only ?? "")
      if (sandbox === undefined) return report(refusedVerdict(sandboxGone(only ?? "")))
      this.#options.askOwner(request.socket, (owner) => {
        if (owner === "own") this.#route(request, sandbox, report)
        else report(refusedVerdict(tokenMissing))
      })
    })
  }

  /** Closes everything that belongs to sandboxes whose tokens are no longer valid. */
  end(sandboxes: ReadonlyArray<ServedSandbox>): void {
    for (const sandbox of sandboxes) this.#close(keyOf(sandbox))
  }

  close(): void {
    for (const key of this.#open.keys()) this.#close(key)
  }

  #close(key: string): void {
    const open = this.#open.get(key)
    this.#open.delete(key)
    open?.close()
  }

  #route({ response, socket }: ServerRequest, sandbox: ServedSandbox, report: (verdict: Verdict) => void): void {
    if (response.isClosed) return
    const key = keyOf(sandbox)
    const current = this.#options.table.named(sandbox.name)
    // The sandbox may have ended during the lookup of the owner of the connection.
    if (current === undefined || keyOf(current) !== key) return report(refusedVerdict(tokenMissing))
    const open = this.#open.get(key) ?? new OpenSandbox(sandbox)
    this.#open.set(key, open)
    if (!open.sockets.has(socket)) {
      if (open.sockets.size >= MAX_CONNECTIONS) return report(BUSY)
      open.sockets.add(socket)
      socket.once("close", () => open.sockets.delete(socket))
    }
    open.route(this.#options.openRouter, report)
  }
}
