/**
 * Sends requests to the daemon over `node:http`, on connections whose remote end is verified. Redirects are not followed, and the
 * proxy variables of the environment are ignored.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { baseUrlText, mountPathOf } from "../config/daemon/DaemonUrl.ts"
import { maxQueryBytes, resolvePath, resolveQuery, routesPath, routesQuery } from "../domain/wire/ResolveMessages.ts"
import { builtins } from "../platform/builtins.ts"
import { type PeerOwner } from "../platform/sockets/PeerOwner.ts"
import type { DaemonAddress } from "./DaemonAddress.ts"
import { type ChannelResponse, openDaemonChannel } from "./DaemonChannel.ts"
import {
  closedEarly,
  type ConnectionError,
  connectionError,
  endpointOf,
  toConnectionError,
  verifyDaemon
} from "./Handshake.ts"
import type { IdentitySigner } from "./IdentitySigner.ts"

export interface DaemonRequest {
  readonly method: string
  /** The encoded target with its query. It begins with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** The span of the request, for `resolve` over a channel. */
  readonly traceparent?: string | undefined
}

export interface DaemonResponse {
  readonly from: DaemonAddress
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

/** A response whose `body` is its first line, and that stays open until `ended` completes. */
export interface HeldResponse extends DaemonResponse {
  /** Calls the listener with each further line, including lines that have already arrived. */
  readonly lines: (listener: (line: string) => void) => void
  readonly ended: Effect.Effect<void>
}

export type DaemonConnection = ReturnType<typeof openDaemonConnection>

/**
 * The time limit of a request in milliseconds: a long poll takes thirty seconds, and a refresh during a resolve takes
 * ten.
 */
const responseTimeout = 60_000
const maxResponseBytes = 64 * 1024 * 1024

interface ConnectionOptions {
  readonly accessKey: Uint8Array | undefined
  readonly peerOwner: PeerOwner["Service"]
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signer?: IdentitySigner | undefined
}

/** Starts a request. The body is not sent yet. */
type OpenRequest = (
  request: DaemonRequest,
  responded: (incoming: Http.IncomingMessage) => void
) => Http.ClientRequest

type Connect = (callback: (cause: Error | null, socket: Net.Socket) => void) => void

/** Opens a connection, and calls `callback` when its remote end is verified. */
const connectVerified = (
  address: DaemonAddress,
  { accessKey, peerOwner }: ConnectionOptions,
  callback: Parameters<Connect>[0]
): void => {
  const { host, port } = endpointOf(address)
  // The proof contains the time before connecting. This process may be suspended in between, and another server may
  // hold the port. With a later time, that server could relay the proof to the daemon.
  const begun = Date.now()
  const socket = builtins.net.connect({ host, port, noDelay: true })
  const refused = (cause: Error): void => callback(cause, socket)
  socket.once("error", refused)
  socket.once("connect", () => {
    // Prevents an unhandled `error` event while `verifyDaemon` runs.
    socket.off("error", refused).on("error", () => {})
    verifyDaemon(socket, address, { accessKey, peerOwner, begun }).then(
      () => callback(socket.destroyed ? closedEarly(address) : null, socket),
      (cause) => {
        socket.destroy()
        callback(cause as Error, socket)
      }
    )
  })
}

/** Encodes the heads of queries. Caches them by the identity of the given header fields. */
const makeHeads = (host: string, ownHeaders: Readonly<Record<string, string>> = {}) => {
  const heads = new WeakMap<object, string>()

  /** The encoded head, or undefined if a header is not valid in HTTP. */
  return (headers: Readonly<Record<string, string>>): string | undefined => {
    const known = heads.get(headers)
    if (known !== undefined) return known
    let head = `Host: ${host}\r\n`
    for (const [name, value] of Object.entries({ ...ownHeaders, ...headers })) {
      if (/[\r\n]/.test(value)) return undefined
      if (!ofOneQuery.has(name)) head += `${name}: ${value}\r\n`
    }
    heads.set(headers, head)
    return head
  }
}

/** Sends a request and reads the whole response. Repeats it if the daemon has closed the kept-alive connection meanwhile. */
const sendRequest = (
  open: OpenRequest,
  request: DaemonRequest,
  address: DaemonAddress
): Effect.Effect<DaemonResponse, ConnectionError> =>
  Effect.callback((resume) => {
    const outgoing = open(request, (incoming) => {
      const chunks: Array<Buffer> = []
      let size = 0
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > maxResponseBytes) outgoing.destroy(new Error("response too large"))
        else chunks.push(chunk)
      })
      incoming.on("end", () => {
        const response = {
          from: address,
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString("utf8")
        }
        // The agent takes the connection back in this tick. A request made before that would open another connection.
        process.nextTick(() => resume(Effect.succeed(response)))
      })
      incoming.on("error", (cause) => resume(Effect.fail(toConnectionError(cause, address))))
    })
    outgoing.on("error", (cause: NodeJS.ErrnoException) => {
      const closedWhileIdle = outgoing.reusedSocket && cause.code === "ECONNRESET"
      // The daemon closed a kept-alive connection just as we wrote to it, so it has not read the request.
      resume(
        closedWhileIdle && isRepeatable(request)
          ? sendRequest(open, request, address)
          : Effect.fail(toConnectionError(cause, address))
      )
    })
    outgoing.end(request.body)
    return Effect.sync(() => outgoing.destroy())
  })

const firstLine = (open: OpenRequest, request: DaemonRequest, address: DaemonAddress) =>
  Effect.callback<{ readonly outgoing: Http.ClientRequest; readonly response: HeldResponse }, ConnectionError>(
    (resume) => {
      const fail = (cause: unknown) => resume(Effect.fail(toConnectionError(cause, address)))
      const outgoing = open(request, (incoming) => {
        outgoing.setTimeout(0)
        const { headers, statusCode: status = 0 } = incoming
        const closed = new Promise<void>((resolve) => incoming.once("close", () => resolve()))
        const ended = Effect.promise(() => closed)
        const waiting: Array<string> = []
        let [isFirst, received] = [true, ""]
        let listener = (line: string): void => void waiting.push(line)
        const lines: HeldResponse["lines"] = (given) => {
          listener = given
          for (const line of waiting.splice(0)) given(line)
        }
        const done = (body: string): void => {
          isFirst = false
          resume(Effect.succeed({ outgoing, response: { from: address, status, headers, body, lines, ended } }))
        }
        incoming.setEncoding("utf8").on("error", () => {}).on("data", (text: string) => {
          received += text
          for (let end = received.indexOf("\n"); end !== -1; end = received.indexOf("\n")) {
            const line = received.slice(0, end)
            received = received.slice(end + 1)
            if (isFirst) done(line)
            else listener(line)
          }
          if (received.length <= maxResponseBytes) return
          fail(new Error("response too large"))
          outgoing.destroy()
        }).on("close", () => isFirst && done(received))
      })
      outgoing.on("error", fail)
      outgoing.end(request.body)
      return Effect.sync(() => outgoing.destroy())
    }
  )

/** Sends a request. Returns after the first line of the response, and keeps the connection until the scope closes. */
const holdOpen = (
  open: OpenRequest,
  request: DaemonRequest,
  address: DaemonAddress
): Effect.Effect<HeldResponse, ConnectionError, Scope.Scope> =>
  Effect.acquireRelease(
    firstLine(open, request, address),
    ({ outgoing }) => Effect.sync(() => outgoing.destroy()),
    { interruptible: true }
  ).pipe(Effect.map(({ response }) => response))

/** Creates requests over connections whose remote end is verified. */
const makeRequests = (address: DaemonAddress, { headers: ownHeaders, signer }: ConnectionOptions, connect: Connect) => {
  const { host: hostname, port, secure } = endpointOf(address)
  const mountPath = mountPathOf(address.url)
  const agentOptions = { keepAlive: true, maxSockets: 8, scheduling: "lifo" as const }
  const agent: Http.Agent = secure
    ? new builtins.https.Agent({ ...agentOptions, rejectUnauthorized: true })
    : new builtins.http.Agent(agentOptions)
  if (address.loopback) {
    agent.createConnection = (_options, callback) => {
      connect((cause, socket) => callback?.(cause, socket))
      return undefined
    }
  }

  const open: OpenRequest = ({ body, headers: given, method, path }, responded) => {
    const target = `${mountPath}${path}`
    const { host } = address.url
    const headers = { ...ownHeaders, ...given }
    const outgoing = (secure ? builtins.https : builtins.http).request({
      agent,
      host: hostname,
      port,
      method,
      path: target,
      headers: {
        ...headers,
        ...signer?.sign({ method, host, target, headers, body }),
        host,
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) })
      },
      timeout: responseTimeout
    }, responded)
    return outgoing.on(
      "timeout",
      () =>
        outgoing.destroy(
          connectionError("timeout", `The daemon at ${baseUrlText(address.url)} did not respond in time`)
        )
    )
  }

  return { agent, open }
}

export const openDaemonConnection = (address: DaemonAddress, options: ConnectionOptions) => {
  const { signer } = options
  const connect: Connect = (callback) => connectVerified(address, options, callback)
  const headOf = makeHeads(address.url.host, options.headers)
  const { agent, open } = makeRequests(address, options, connect)
  const channel = address.loopback
    ? openDaemonChannel({
      path: `${mountPathOf(address.url)}${resolvePath}`,
      connect: () =>
        new Promise((resolve, reject) => connect((cause, socket) => cause === null ? resolve(socket) : reject(cause))),
      timeout: responseTimeout
    })
    : undefined

  /** Like `send` for `resolve` and the routing table, at a tenth of the cost. Caches `headers` by object identity. */
  const exchange = (request: DaemonRequest, done: (response: ChannelResponse | undefined) => void): void => {
    const query = queryOf(request)
    const head = headOf(request.headers)
    if (channel === undefined || query === undefined || head === undefined || query.length > maxQueryBytes) {
      return done(undefined)
    }
    channel.ask(head, query, done)
  }

  /** Sends a request again, once, if its signature was refused because of this machine's clock. */
  const withCorrectedClock = <A extends DaemonResponse, R>(send: Effect.Effect<A, ConnectionError, R>) =>
    signer === undefined ? send : Effect.flatMap(
      send,
      (response) => signer.correctsClock(response.status, response.headers) ? send : Effect.succeed(response)
    )

  return {
    send: (request: DaemonRequest) => withCorrectedClock(sendRequest(open, request, address)),
    hold: (request: DaemonRequest) => withCorrectedClock(holdOpen(open, request, address)),
    exchange,
    close: (): void => {
      agent.destroy()
      channel?.close()
    },
    /** Closes idle connections. Requests in flight complete. */
    closeIdle: (): void => {
      // From now on, the agent closes each connection whose request is complete.
      agent.maxFreeSockets = 0
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
      channel?.close()
    }
  }
}

const ofOneQuery: ReadonlySet<string> = new Set(["content-type", "if-none-match"])

const queryOf = ({ body, headers, method, path, traceparent }: DaemonRequest): string | undefined => {
  if (method === "POST" && path === resolvePath) {
    return body === undefined || body.includes("\n") ? undefined : resolveQuery(body, traceparent)
  }
  if (method !== "GET" || path !== routesPath) return undefined
  const tag = headers["if-none-match"]
  return routesQuery(tag === undefined ? undefined : /^"(.*)"$/.exec(tag)?.[1] ?? tag)
}

const isRepeatable = (request: DaemonRequest): boolean => request.method === "GET" || request.path === resolvePath
