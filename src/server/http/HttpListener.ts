/**
 * The daemon's `node:http` server, with limits on all resources that an untrusted client can occupy.
 *
 * It binds the port before the daemon opens the vault, so that a second daemon fails on the port and never touches
 * the vault. Requests wait until `serve` provides a handler.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { builtins } from "../../platform/builtins.ts"
import { errorCode } from "../../platform/ErrorCode.ts"
import { ConnectionLimit, type Standing } from "../../platform/sockets/ConnectionLimit.ts"
import { isOfThisMachine } from "../../platform/sockets/IpAddress.ts"
import { refusedProblem } from "./ProblemResponses.ts"
import { type SecureConnections, secureConnections } from "./SecureConnections.ts"
import type { ServerCertificate } from "./ServerCertificate.ts"

class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  host: Schema.String,
  port: Schema.Int,
  code: Schema.String
}) {
  override get message(): string {
    switch (this.code) {
      case "EADDRINUSE":
        return `port ${this.port} on ${this.host} is in use`
      case "EACCES":
        return `no permission to listen on port ${this.port} of ${this.host}`
      case "EADDRNOTAVAIL":
      case "ENOTFOUND":
        return `${this.host} is not an address of this machine`
      default:
        return `cannot listen on ${this.host} port ${this.port} (${this.code})`
    }
  }
}

export type RequestHandler = (request: Http.IncomingMessage, response: Http.ServerResponse) => void

/** A client with more pipelined requests than this is disconnected. */
const maxPipelined = 64

/**
 * Handles the requests of each connection one at a time: the next request starts when the client has taken the previous
 * response. Otherwise a client that sends many requests and reads nothing would keep the daemon busy.
 */
const oneAtATime = (handler: RequestHandler): RequestHandler => {
  const waiting = new WeakMap<Net.Socket, Array<Parameters<RequestHandler>>>()
  const begin: RequestHandler = (request, response) => {
    const { socket } = request
    response.once("close", () => {
      const next = waiting.get(socket)?.shift()
      if (next === undefined || socket.destroyed) return void waiting.delete(socket)
      // Requests of other connections come first.
      setImmediate(() => {
        // Requests of a client that has disconnected are not handled.
        if (socket.destroyed) return
        if (waiting.get(socket)?.length === 0) socket.resume()
        begin(...next)
      })
    })
    handler(request, response)
  }
  return (request, response) => {
    const { socket } = request
    const queue = waiting.get(socket)
    if (queue === undefined) {
      waiting.set(socket, [])
      return begin(request, response)
    }
    if (queue.push([request, response]) > maxPipelined) return void socket.destroy()
    socket.pause()
  }
}

export interface Channel {
  readonly isIdle: () => boolean
  readonly finish: () => void
}

/** Takes over a connection. If it returns undefined, the listener rejects the upgrade and closes the connection. */
export type UpgradeHandler = (request: Http.IncomingMessage, socket: Net.Socket, head: Buffer) => Channel | undefined

interface Admission {
  readonly isAdmitted: (socket: Net.Socket) => boolean
  /** Checks a connection that sent something other than a request, such as malformed bytes. */
  readonly admit: (socket: Net.Socket, decided: (admitted: boolean) => void) => void
}

const admitAll: Admission = { isAdmitted: () => true, admit: (_, decided) => decided(true) }
const admitNone: Admission = { isAdmitted: () => false, admit: (_, decided) => decided(false) }

interface Handlers {
  readonly request: RequestHandler
  readonly upgrade?: UpgradeHandler
  /** The admission check for connections; without it, all peers are admitted. `request` and `upgrade` do their own check. */
  readonly admission?: Admission
}

export interface ListenOptions {
  /** Listens on a Unix socket instead of the host and the port. */
  readonly socketPath?: string
  /** Serves TLS, and plain HTTP only to this machine. */
  readonly certificate?: ServerCertificate | undefined
  /** The grace period of requests in progress when the listener closes, if longer than usual. */
  readonly graceMilliseconds?: number | undefined
  /** How long a client may stop reading a response before its connection is closed. */
  readonly unreadMilliseconds?: number
}

export interface Listener {
  readonly port: number
  readonly serve: (handlers: Handlers) => void
  /** Stops accepting connections, gives requests in progress a grace period, and then closes all connections. */
  readonly close: Effect.Effect<void>
}

const awaitingContinue = new WeakMap<Http.IncomingMessage, Http.ServerResponse>()

/** Sends `100 Continue` if the client expects it. Call this after the request has passed the guard. */
export const allowBody = (request: Http.IncomingMessage): void => {
  const response = awaitingContinue.get(request)
  if (response === undefined) return
  awaitingContinue.delete(request)
  response.writeContinue()
}

const maxConnections = 512
const graceMillis = 1500
const unreadMillis = 20_000
/** The length of the kernel's accept queue. When a flood fills it, a client repeats its SYN after a second. */
const backlog = 4096

const problem = (status: number, reason: string, detail: string): string => {
  const body = JSON.stringify(refusedProblem(status, detail))
  return `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/problem+json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nX-Content-Type-Options: nosniff\r\n` +
    `Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`
}

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: problem(431, "Request Header Fields Too Large", "The request headers are too large."),
  ERR_HTTP_REQUEST_TIMEOUT: problem(408, "Request Timeout", "The request did not arrive in time.")
}
const malformed = problem(400, "Bad Request", "Malformed HTTP/1.1 request.")
const notAllowed = (detail: string): string =>
  problem(405, "Method Not Allowed", detail).replace(
    "Connection: close",
    "Allow: GET, HEAD, POST, DELETE\r\nConnection: close"
  )
const noTunnel = notAllowed("The daemon is not a proxy. Run programs with: credsvc run -- <command>")
const needsTls = problem(
  400,
  "Bad Request",
  "This port accepts plain HTTP only from the daemon's own machine. Use https."
)
const noUpgrade = notAllowed("The daemon does not support protocol upgrades.")

interface Exchanges {
  request?: Http.IncomingMessage
  underWay: number
}

/** Tracks the requests of each connection and classifies connections for the connection limit. */
const followRequests = (
  server: Http.Server,
  channels: ReadonlyMap<Net.Socket, Channel>,
  isAdmitted: (socket: Net.Socket) => boolean,
  carrierOf: SecureConnections["carrierOf"]
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

  return (accepted) => {
    const socket = carrierOf(accepted)
    const channel = channels.get(socket)
    if (channel?.isIdle() === true) return "idle"
    if (socket.writableLength > 0) return "slow"
    if (channel !== undefined) return "busy"
    const exchanges = connections.get(socket)
    if (exchanges === undefined) return "silent"
    if (!isAdmitted(socket)) return "unknown"
    if (exchanges.underWay === 0) return "idle"
    if (exchanges.request?.complete !== true) return "slow"
    // Callers on other machines must not hold all connections. Otherwise, no local caller could disable these callers.
    return isOfThisMachine(accepted) ? "busy" : "remote"
  }
}

/** The number of bytes of the current write that the kernel has not accepted yet. `writableLength` counts the whole write. */
const queueOf = (socket: Net.Socket): number =>
  (socket as Net.Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null })._handle?.writeQueueSize ??
    0

interface Unread {
  readonly length: number
  readonly queue: number
  readonly since: number
}

/** Periodically closes connections whose clients have stopped reading. */
const closeUnread = (
  open: ReadonlySet<Net.Socket>,
  milliseconds: number,
  carrierOf: SecureConnections["carrierOf"]
): NodeJS.Timeout => {
  const waiting = new WeakMap<Net.Socket, Unread>()
  return setInterval(() => {
    const now = Date.now()
    for (const socket of open) {
      const length = carrierOf(socket).writableLength
      if (length === 0) {
        waiting.delete(socket)
        continue
      }
      const last = waiting.get(socket)
      const queue = queueOf(socket)
      // Writes increase these numbers, so only a decrease shows that the client reads.
      const reads = last === undefined || length < last.length || queue < last.queue
      const since = reads ? now : last.since
      waiting.set(socket, { length, queue, since })
      if (now - since >= milliseconds) socket.destroy()
    }
  }, Math.min(1000, milliseconds / 4)).unref()
}

/** How long the kernel may take to hand over connections that it accepted before the socket was removed. */
const handoverMillis = 50

/** Removes a Unix socket, so that the reverse proxy uses another daemon. Then waits for the handover of accepted connections. */
const removeSocket = (socketPath: string | undefined): Effect.Effect<void> =>
  socketPath === undefined
    ? Effect.void
    : Effect.andThen(Effect.sync(() => fs.rmSync(socketPath, { force: true })), Effect.sleep(handoverMillis))

const close = (
  server: Http.Server,
  channels: ReadonlyMap<Net.Socket, Channel>,
  open: ReadonlySet<Net.Socket>,
  closePending: () => void,
  grace: number
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => {
      for (const socket of open) socket.destroy()
    }, grace)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    closePending()
    server.closeIdleConnections()
    for (const channel of channels.values()) channel.finish()
  })

const plainConnections: SecureConnections = { carrierOf: (accepted) => accepted, closePending: () => undefined }

const createServer = (): Http.Server => {
  const server = builtins.http.createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 5_000,
    connectionsCheckingInterval: 2_000,
    // The guard rejects requests without `Host`.
    requireHostHeader: false,
    noDelay: true
  })
  // With a limit, Node silently drops further headers, even headers that the guard checks.
  server.maxHeadersCount = 0
  return server
}

/** Passes requests to the handlers of `current`. */
const passRequests = (server: Http.Server, current: () => Handlers): void => {
  const handOver = oneAtATime((request, response) => current().request(request, response))
  server.on("request", (request, response) => {
    // A connection that was busy when `close` was called becomes idle here and would delay the shutdown.
    response.on("close", () => {
      if (!server.listening) server.closeIdleConnections()
    })
    handOver(request, response)
  })
  // Without a listener Node sends `100 Continue` before the guard has checked the request.
  server.on("checkContinue", (request, response) => {
    awaitingContinue.set(request, response)
    server.emit("request", request, response)
  })
  // Without a listener Node sends 417 for any other expectation, even to peers that are not admitted.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
}

/** Adds the connections of accepted upgrades to `channels`. Refuses other upgrades, tunnels and malformed requests. */
const passUpgrades = (server: Http.Server, channels: Map<Net.Socket, Channel>, current: () => Handlers): void => {
  const refused = new WeakSet<Net.Socket>()
  const refuse = (socket: Net.Socket, text: string): void => {
    if (refused.has(socket)) return
    refused.add(socket)
    const { admission = admitAll } = current()
    admission.admit(socket, (admitted) => {
      if (admitted && socket.writable) socket.end(text)
      else socket.destroy()
    })
  }
  server.on("upgrade", (request, stream, head) => {
    const socket = stream as Net.Socket
    socket.on("error", () => socket.destroy())
    const channel = current().upgrade?.(request, socket, head)
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
    // A client that has sent nothing gets no response and needs no lookup.
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0) return socket.destroy()
    refuse(socket, refusals[error.code ?? ""] ?? malformed)
  })
}

const bind = (server: Http.Server, host: string, port: number, socketPath: string | undefined) =>
  Effect.callback<void, ListenError>((resume) => {
    const onError = (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenError({ host, port, code: errorCode(cause) })))
    server.once("error", onError)
    const listening = () => {
      server.off("error", onError)
      resume(Effect.void)
    }
    if (socketPath === undefined) return void server.listen({ host, port, exclusive: true, backlog }, listening)
    // Other users must not connect before the caller has set the permissions. `listen` creates the socket synchronously.
    const umask = process.umask(0o177)
    server.listen({ path: socketPath, exclusive: true, backlog }, listening)
    process.umask(umask)
  })

/** Binds `host` and `port`; port 0 picks a free one. The listener closes with the scope. */
export const listen = (
  host: string,
  port: number,
  options: ListenOptions = {}
): Effect.Effect<Listener, ListenError, Scope.Scope> =>
  Effect.gen(function*() {
    const server = createServer()
    const pending: Array<readonly [Http.IncomingMessage, Http.ServerResponse]> = []
    // Until `serve` provides an admission check, no peer gets a response.
    let handlers: Handlers = { request: (request, response) => pending.push([request, response]), admission: admitNone }
    const channels = new Map<Net.Socket, Channel>()
    passRequests(server, () => handlers)
    passUpgrades(server, channels, () => handlers)
    const { carrierOf, closePending } = options.certificate === undefined
      ? plainConnections
      : secureConnections(server, options.certificate, needsTls)
    const isAdmitted = (socket: Net.Socket) => (handlers.admission ?? admitAll).isAdmitted(socket)
    const limit = new ConnectionLimit(maxConnections, followRequests(server, channels, isAdmitted, carrierOf))
    server.on("connection", (socket) => limit.add(socket))
    const unread = closeUnread(limit.open, options.unreadMilliseconds ?? unreadMillis, carrierOf)
    yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(unread)))

    yield* bind(server, host, port, options.socketPath)
    const closed = Effect.suspend(() =>
      server.listening
        ? Effect.andThen(
          removeSocket(options.socketPath),
          close(server, channels, limit.open, closePending, Math.max(graceMillis, options.graceMilliseconds ?? 0))
        )
        : Effect.void
    )
    yield* Effect.addFinalizer(() => closed)
    const address = server.address()

    return {
      port: typeof address === "object" && address !== null ? address.port : 0,
      serve: (given) => {
        handlers = given
        for (const [request, response] of pending.splice(0)) {
          if (!response.destroyed) given.request(request, response)
        }
      },
      close: closed
    }
  })
