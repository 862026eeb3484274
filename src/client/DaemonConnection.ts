/**
 * Sends requests to the daemon over `node:http`, on connections whose remote end is verified. Redirects are not followed, and the
 * proxy variables of the environment are ignored.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { baseUrlText, mountPathOf } from "../config/daemon/BaseUrl.ts"
import { maxQueryBytes, resolvePath, resolveQuery, routesPath, routesQuery } from "../domain/wire/ResolveMessages.ts"
import { builtins } from "../platform/builtins.ts"
import { type PeerOwner } from "../platform/sockets/PeerOwner.ts"
import type { DaemonAddress } from "./DaemonAddress.ts"
import { type ChannelResponse, openDaemonChannel } from "./DaemonChannel.ts"
import { closedEarly, type ConnectionError, connectionError, toConnectionError, verify } from "./Handshake.ts"
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

export const openDaemonConnection = (
  address: DaemonAddress,
  options: {
    readonly accessKey: Uint8Array | undefined
    readonly peerOwner: PeerOwner["Service"]
    readonly headers?: Readonly<Record<string, string>> | undefined
    readonly signer?: IdentitySigner | undefined
  }
) => {
  const mountPath = mountPathOf(address.url)
  const secure = address.url.protocol === "https:"
  const hostname = address.url.hostname.replace(/^\[|\]$/g, "")
  const port = Number(address.url.port || (secure ? 443 : 80))

  const listenerIsOurs = (): Promise<boolean> =>
    Effect.runPromise(options.peerOwner.listener({ address: hostname, port })).then((owner) =>
      owner === "own" || owner === "unsupported"
    )

  const agentOptions = { keepAlive: true, maxSockets: 8, scheduling: "lifo" as const }
  const agent: Http.Agent = secure
    ? new builtins.https.Agent({ ...agentOptions, rejectUnauthorized: true })
    : new builtins.http.Agent(agentOptions)
  const connect = (callback: (cause: Error | null, socket: Net.Socket) => void): void => {
    // The proof contains the time before connecting. This process may be suspended in between, and another server may
    // hold the port. With a later time, that server could relay the proof to the daemon.
    const begun = Date.now()
    const socket = builtins.net.connect({ host: hostname, port, noDelay: true })
    const refused = (cause: Error): void => callback(cause, socket)
    socket.once("error", refused)
    socket.once("connect", () => {
      // Prevents an unhandled `error` event while `verify` runs.
      socket.off("error", refused).on("error", () => {})
      verify(socket, address, options.accessKey, options.peerOwner, listenerIsOurs, begun).then(
        () => callback(socket.destroyed ? closedEarly(address) : null, socket),
        (cause) => {
          socket.destroy()
          callback(cause as Error, socket)
        }
      )
    })
  }
  if (address.loopback) {
    agent.createConnection = (_options, callback) => {
      connect((cause, socket) => callback?.(cause, socket))
      return undefined
    }
  }
  const channel = address.loopback
    ? openDaemonChannel({
      path: `${mountPath}${resolvePath}`,
      connect: () =>
        new Promise((resolve, reject) => connect((cause, socket) => cause === null ? resolve(socket) : reject(cause))),
      timeout: responseTimeout
    })
    : undefined

  const heads = new WeakMap<object, string>()

  /** The encoded head, or undefined if a header is not valid in HTTP. */
  const headOf = (headers: Readonly<Record<string, string>>): string | undefined => {
    const known = heads.get(headers)
    if (known !== undefined) return known
    let head = `Host: ${address.url.host}\r\n`
    for (const [name, value] of Object.entries({ ...options.headers, ...headers })) {
      if (/[\r\n]/.test(value)) return undefined
      if (!ofOneQuery.has(name)) head += `${name}: ${value}\r\n`
    }
    heads.set(headers, head)
    return head
  }

  /** Like `send` for `resolve` and the routing table, at a tenth of the cost. Caches `headers` by object identity. */
  const exchange = (request: DaemonRequest, done: (response: ChannelResponse | undefined) => void): void => {
    const query = queryOf(request)
    const head = headOf(request.headers)
    if (channel === undefined || query === undefined || head === undefined || query.length > maxQueryBytes) {
      return done(undefined)
    }
    channel.ask(head, query, done)
  }

  const open = (request: DaemonRequest, responded: (incoming: Http.IncomingMessage) => void): Http.ClientRequest => {
    const { body, method } = request
    const target = `${mountPath}${request.path}`
    const { host } = address.url
    const headers = { ...options.headers, ...request.headers }
    const outgoing = (secure ? builtins.https : builtins.http).request({
      agent,
      host: hostname,
      port,
      method,
      path: target,
      headers: {
        ...headers,
        ...options.signer?.sign({ method, host, target, headers, body }),
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

  const attempt = (request: DaemonRequest): Effect.Effect<DaemonResponse, ConnectionError> =>
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
            ? attempt(request)
            : Effect.fail(toConnectionError(cause, address))
        )
      })
      outgoing.end(request.body)
      return Effect.sync(() => outgoing.destroy())
    })

  const firstLine = (request: DaemonRequest) =>
    Effect.callback<{ readonly outgoing: Http.ClientRequest; readonly response: HeldResponse }, ConnectionError>(
      (resume) => {
        const outgoing = open(request, (incoming) => {
          outgoing.setTimeout(0)
          const ended = new Promise<void>((resolve) => incoming.once("close", () => resolve()))
          let first: string | undefined
          let received = ""
          const waiting: Array<string> = []
          let listener = (line: string): void => void waiting.push(line)
          const done = (body: string): void => {
            first = body
            const response: HeldResponse = {
              from: address,
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              body,
              lines: (given) => {
                listener = given
                for (const line of waiting.splice(0)) given(line)
              },
              ended: Effect.promise(() => ended)
            }
            resume(Effect.succeed({ outgoing, response }))
          }
          const read = (text: string): void => {
            received += text
            for (let end = received.indexOf("\n"); end !== -1; end = received.indexOf("\n")) {
              const line = received.slice(0, end)
              received = received.slice(end + 1)
              if (first === undefined) done(line)
              else listener(line)
            }
            if (received.length > maxResponseBytes) {
              resume(Effect.fail(toConnectionError(new Error("response too large"), address)))
              outgoing.destroy()
            }
          }
          incoming.setEncoding("utf8").on("data", read).on("error", () => {})
            .on("close", () => first === undefined && done(received))
        })
        outgoing.on("error", (cause) => resume(Effect.fail(toConnectionError(cause, address))))
        outgoing.end(request.body)
        return Effect.sync(() => outgoing.destroy())
      }
    )

  /** Sends a request again, once, if its signature was refused because of this machine's clock. */
  const withRightTime = <A extends DaemonResponse, R>(send: Effect.Effect<A, ConnectionError, R>) =>
    options.signer === undefined
      ? send
      : Effect.flatMap(
        send,
        (response) =>
          options.signer?.learns(response.status, response.headers) === true ? send : Effect.succeed(response)
      )

  const hold = (request: DaemonRequest): Effect.Effect<HeldResponse, ConnectionError, Scope.Scope> =>
    Effect.acquireRelease(
      firstLine(request),
      ({ outgoing }) => Effect.sync(() => outgoing.destroy()),
      { interruptible: true }
    ).pipe(Effect.map(({ response }) => response))

  return {
    send: (request: DaemonRequest) => withRightTime(attempt(request)),
    /** Sends a request. Returns after the first line of the response, and keeps the connection until the scope closes. */
    hold: (request: DaemonRequest) => withRightTime(hold(request)),
    exchange,
    /** Closes idle connections. Requests in flight complete. */
    close: (): void => {
      agent.destroy()
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
