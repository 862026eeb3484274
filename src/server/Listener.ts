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
import { builtins } from "../platform/builtins.ts"

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
  /** Ends it once what is under way has been answered. */
  readonly finish: () => void
}

/** Takes a connection over; undefined for one that it does not want, which is refused and closed. */
export type UpgradeHandler = (request: Http.IncomingMessage, socket: Net.Socket, head: Buffer) => Channel | undefined

export interface Listener {
  /** The port in fact bound. */
  readonly port: number
  /** Hands over all requests, those that are waiting first. */
  readonly serve: (handler: RequestHandler, upgrade?: UpgradeHandler) => void
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

const maxConnections = 256
const graceMillis = 1500

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

/**
 * Keeps the number of connections bounded by closing the one that has kept us waiting for a request the longest. Merely
 * refusing new ones would let whoever opens the most shut everybody else out.
 */
const boundConnections = (server: Http.Server): void => {
  const waiting = new Set<Net.Socket>()
  const open = new Set<Net.Socket>()
  server.on("connection", (socket: Net.Socket) => {
    open.add(socket)
    waiting.add(socket)
    socket.on("close", () => {
      open.delete(socket)
      waiting.delete(socket)
    })
    if (open.size > maxConnections) {
      const [oldest = socket] = waiting
      open.delete(oldest)
      waiting.delete(oldest)
      oldest.destroy()
    }
  })
  const track: RequestHandler = (request, response) => {
    const { socket } = request
    // Still waiting while its body arrives.
    if (request.complete) waiting.delete(socket)
    else request.once("end", () => waiting.delete(socket))
    response.once("close", () => {
      if (open.has(socket)) waiting.add(socket)
    })
  }
  server.prependListener("request", track)
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
  port: number
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
    const channels = new Map<Net.Socket, Channel>()
    let upgrade: UpgradeHandler = () => undefined
    server.on("upgrade", (request, stream, head) => {
      const socket = stream as Net.Socket
      socket.on("error", () => socket.destroy())
      const channel = upgrade(request, socket, head)
      if (channel === undefined) return socket.end(noUpgrade)
      channels.set(socket, channel)
      socket.once("close", () => channels.delete(socket))
    })
    server.on("connect", (_request, socket) => socket.end(noTunnel))
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Net.Socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy()
      socket.end(refusals[error.code ?? ""] ?? malformed)
    })
    boundConnections(server)

    yield* Effect.callback<void, ListenError>((resume) => {
      const onError = (cause: NodeJS.ErrnoException) =>
        resume(Effect.fail(new ListenError({ host, port, code: cause.code ?? "unknown error" })))
      server.once("error", onError)
      server.listen({ host, port, exclusive: true, backlog: 511 }, () => {
        server.off("error", onError)
        resume(Effect.void)
      })
    })
    yield* Effect.addFinalizer(() => close(server, channels))
    const address = server.address() as Net.AddressInfo

    return {
      port: address.port,
      serve: (next, upgrades = upgrade) => {
        handler = next
        upgrade = upgrades
        for (const [request, response] of pending.splice(0)) {
          if (!response.destroyed) next(request, response)
        }
      },
      close: close(server, channels)
    }
  })
