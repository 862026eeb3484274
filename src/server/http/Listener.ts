/**
 * The TCP side of the daemon: one `node:http` server with bounds on everything that a stranger can make it hold.
 *
 * It accepts connections as soon as it is bound, so that a second daemon finds the port taken before it touches the
 * vault; requests wait until there is something to answer them with.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { builtins } from "../../platform/builtins.ts"
import { limitConnections, type Standing } from "../../platform/ConnectionLimit.ts"

/** The port cannot be listened on. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  host: Schema.String,
  port: Schema.Int,
  code: Schema.String
}) {
  override get message(): string {
    switch (this.code) {
      case "EADDRINUSE":
        return `port ${this.port} on ${this.host} is in use`
      case "EACCES":
        return `port ${this.port} on ${this.host} may not be used by this user`
      case "EADDRNOTAVAIL":
      case "ENOTFOUND":
        return `${this.host} is not an address of this machine`
      default:
        return `${this.host} port ${this.port} cannot be listened on (${this.code})`
    }
  }
}

export type RequestHandler = (request: Http.IncomingMessage, response: Http.ServerResponse) => void

/** A connection that has left HTTP. */
export interface Channel {
  /** Whether nothing is under way on it. */
  readonly isIdle: () => boolean
  /** Ends it once what is under way has been answered. */
  readonly finish: () => void
}

/** Takes a connection over; undefined for one that it does not want, which is refused and closed. */
export type UpgradeHandler = (request: Http.IncomingMessage, socket: Net.Socket, head: Buffer) => Channel | undefined

/** Who may be told anything. */
export interface Admission {
  /** Whether that is known of this connection. */
  readonly isAdmitted: (socket: Net.Socket) => boolean
  /** Finds it out for a connection whose bytes are no request of ours. */
  readonly admit: (socket: Net.Socket, decided: (admitted: boolean) => void) => void
}

const everyone: Admission = { isAdmitted: () => true, admit: (_, decided) => decided(true) }
const nobody: Admission = { isAdmitted: () => false, admit: (_, decided) => decided(false) }

export interface Handlers {
  readonly request: RequestHandler
  readonly upgrade?: UpgradeHandler
  /** Without it everyone is admitted. `request` and `upgrade` ask for it by themselves. */
  readonly admission?: Admission
}

export interface ListenOptions {
  /** How long a client may leave a response unread. */
  readonly unreadMilliseconds?: number
}

export interface Listener {
  /** The port in fact bound. */
  readonly port: number
  /** Hands over all requests, those that are waiting first. */
  readonly serve: (handlers: Handlers) => void
  /** No new connections; requests under way may finish within the grace period, then their connections are closed. */
  readonly close: Effect.Effect<void>
}

const awaitingContinue = new WeakMap<Http.IncomingMessage, Http.ServerResponse>()

/** Lets a client that sent `Expect: 100-continue` go on with its body. Called once the request may be served. */
export const allowBody = (request: Http.IncomingMessage): void => {
  const response = awaitingContinue.get(request)
  if (response === undefined) return
  awaitingContinue.delete(request)
  response.writeContinue()
}

const maxConnections = 512
const graceMillis = 1500
const unreadMillis = 20_000
/** Connections that the kernel accepts before we do. When a flood fills this, a client tries again after a second. */
const backlog = 4096

const problem = (status: number, reason: string, detail: string): string => {
  const body = JSON.stringify({
    type: "urn:credsvc:error:request-refused",
    title: "Request refused",
    status,
    error: "RequestRefusedError",
    detail
  })
  return `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/problem+json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nX-Content-Type-Options: nosniff\r\n` +
    `Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`
}

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: problem(431, "Request Header Fields Too Large", "The headers are too large."),
  ERR_HTTP_REQUEST_TIMEOUT: problem(408, "Request Timeout", "The request did not arrive in time.")
}
const malformed = problem(400, "Bad Request", "The request is not well-formed HTTP/1.1.")
const notAllowed = (detail: string): string =>
  problem(405, "Method Not Allowed", detail).replace(
    "Connection: close",
    "Allow: GET, HEAD, POST, DELETE\r\nConnection: close"
  )
const noTunnel = notAllowed("This daemon is not a proxy.")
const noUpgrade = notAllowed("This daemon does not switch protocols.")

interface Exchanges {
  /** The newest request. */
  request?: Http.IncomingMessage
  underWay: number
}

/** Tells what each connection of the server is doing. */
const followRequests = (
  server: Http.Server,
  channels: ReadonlyMap<Net.Socket, Channel>,
  isAdmitted: (socket: Net.Socket) => boolean
): (socket: Net.Socket) => Standing => {
  const connections = new WeakMap<Net.Socket, Exchanges>()
  const track: RequestHandler = (request, response) => {
    const exchanges = connections.get(request.socket) ?? { underWay: 0 }
    connections.set(request.socket, exchanges)
    exchanges.request = request
    exchanges.underWay++
    response.once("close", () => exchanges.underWay--)
  }
  server.prependListener("request", track)

  return (socket) => {
    const channel = channels.get(socket)
    if (channel?.isIdle() === true) return "idle"
    if (socket.writableLength > 0) return "slow"
    if (channel !== undefined) return "busy"
    const exchanges = connections.get(socket)
    if (exchanges === undefined) return "silent"
    if (!isAdmitted(socket)) return "unknown"
    if (exchanges.underWay === 0) return "idle"
    return exchanges.request?.complete === true ? "busy" : "slow"
  }
}

/**
 * What of the write that is under way is not yet in the kernel's buffer. `writableLength` counts that write as a whole until it
 * is done. Node's own timeouts look at the same number, but start anew with each write.
 */
const queueOf = (socket: Net.Socket): number =>
  (socket as Net.Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null })._handle?.writeQueueSize ??
    0

interface Unread {
  readonly length: number
  readonly queue: number
  /** When the client was last seen to read. */
  readonly since: number
}

/** Closes connections whose client has read nothing of what was written for a while. */
const closeUnread = (open: ReadonlySet<Net.Socket>, milliseconds: number): NodeJS.Timeout => {
  const waiting = new WeakMap<Net.Socket, Unread>()
  return setInterval(() => {
    const now = Date.now()
    for (const socket of open) {
      const length = socket.writableLength
      if (length === 0) {
        waiting.delete(socket)
        continue
      }
      const last = waiting.get(socket)
      const queue = queueOf(socket)
      // More may have been written meanwhile, so only less tells that the client reads.
      const reads = last === undefined || length < last.length || queue < last.queue
      const since = reads ? now : last.since
      waiting.set(socket, { length, queue, since })
      if (now - since >= milliseconds) socket.destroy()
    }
  }, Math.min(1000, milliseconds / 4)).unref()
}

const close = (server: Http.Server, channels: ReadonlyMap<Net.Socket, Channel>): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    const timer = setTimeout(() => {
      server.closeAllConnections()
      for (const socket of channels.keys()) socket.destroy()
    }, graceMillis)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
    for (const channel of channels.values()) channel.finish()
  })

/** Binds `host` and `port`; 0 picks a free port. The listener closes with the scope. */
export const listen = (
  host: string,
  port: number,
  options: ListenOptions = {}
): Effect.Effect<Listener, ListenError, Scope.Scope> =>
  Effect.gen(function*() {
    const server = builtins.http.createServer({
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 2_000,
      // The guard answers these itself.
      requireHostHeader: false,
      noDelay: true
    })
    // Node would drop the headers above its limit without a word, the ones that the guard looks for among them.
    server.maxHeadersCount = 0

    const pending: Array<readonly [Http.IncomingMessage, Http.ServerResponse]> = []
    let handler: RequestHandler = (request, response) => pending.push([request, response])
    server.on("request", (request, response) => {
      // A connection that was busy when `close` was called is idle afterwards, and would be waited for.
      response.on("close", () => {
        if (!server.listening) server.closeIdleConnections()
      })
      handler(request, response)
    })
    // Node would answer `100 Continue` by itself, before the guard has seen the request.
    server.on("checkContinue", (request, response) => {
      awaitingContinue.set(request, response)
      server.emit("request", request, response)
    })
    // Node would answer any other expectation with 417 by itself, to anyone.
    server.on("checkExpectation", (request, response) => server.emit("request", request, response))
    const channels = new Map<Net.Socket, Channel>()
    let upgrade: UpgradeHandler = () => undefined
    // Nobody is told anything before it is known who may be.
    let admission = nobody
    const refused = new WeakSet<Net.Socket>()
    const refuse = (socket: Net.Socket, text: string): void => {
      if (refused.has(socket)) return
      refused.add(socket)
      admission.admit(socket, (admitted) => {
        if (admitted && socket.writable) socket.end(text)
        else socket.destroy()
      })
    }
    server.on("upgrade", (request, stream, head) => {
      const socket = stream as Net.Socket
      socket.on("error", () => socket.destroy())
      const channel = upgrade(request, socket, head)
      if (channel === undefined) return refuse(socket, noUpgrade)
      channels.set(socket, channel)
      socket.once("close", () => channels.delete(socket))
    })
    server.on("connect", (_request, stream) => {
      const socket = stream as Net.Socket
      socket.on("error", () => socket.destroy())
      refuse(socket, noTunnel)
    })
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Net.Socket) => {
      // Who has sent nothing gets nothing, and is not looked up for it.
      if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0) return socket.destroy()
      refuse(socket, refusals[error.code ?? ""] ?? malformed)
    })
    const open = limitConnections(
      server,
      maxConnections,
      followRequests(server, channels, (socket) => admission.isAdmitted(socket))
    )
    const unread = closeUnread(open, options.unreadMilliseconds ?? unreadMillis)
    yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(unread)))

    yield* Effect.callback<void, ListenError>((resume) => {
      const onError = (cause: NodeJS.ErrnoException) =>
        resume(Effect.fail(new ListenError({ host, port, code: cause.code ?? "unknown error" })))
      server.once("error", onError)
      server.listen({ host, port, exclusive: true, backlog }, () => {
        server.off("error", onError)
        resume(Effect.void)
      })
    })
    yield* Effect.addFinalizer(() => close(server, channels))
    const address = server.address() as Net.AddressInfo

    return {
      port: address.port,
      serve: (handlers) => {
        handler = handlers.request
        upgrade = handlers.upgrade ?? upgrade
        admission = handlers.admission ?? everyone
        for (const [request, response] of pending.splice(0)) {
          if (!response.destroyed) handler(request, response)
        }
      },
      close: close(server, channels)
    }
  })
