/**
 * Sends requests to the daemon over `node:http`, on connections whose remote end is verified.
 *
 * Every new loopback connection starts with a handshake: `GET /health?nonce=…`, in which both ends prove that they can
 * read this home's access key. Only then does the connection carry a request, so a listener of another user on the same
 * port never receives a byte of one. If the key proves nothing (another home's daemon), the kernel's socket table tells
 * which user accepted this connection. Looking up the listener on the port would not be enough, because a server can
 * close its listener, keep the connection, and leave the port to our daemon. Redirects are not followed, and the proxy
 * variables of the environment are ignored.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { clientHeader, clientHello, endsOfClient, proofHeader, sameProof, serverProof } from "../config/AccessKey.ts"
import { baseUrlText, mountPathOf } from "../config/BaseUrl.ts"
import { apiVersion } from "../domain/wire/ApiVersion.ts"
import {
  maxQuestionBytes,
  resolvePath,
  resolveQuestion,
  routesPath,
  routesQuestion
} from "../domain/wire/ResolveChannel.ts"
import { builtins } from "../platform/builtins.ts"
import { endsOf, type Ownership, type PeerOwner } from "../platform/PeerOwner.ts"
import type { DaemonAddress } from "./DaemonAddress.ts"
import { type ChannelResponse, openDaemonChannel } from "./DaemonChannel.ts"
import type { RequestSigner } from "./RequestSigner.ts"

/**
 * Why there is no response. `refused`: nothing listens. `untrusted`: the listener is not ours. `foreign`: it is ours,
 * but serves another home. `incompatible`: it has another version of the interface. `broken`: the connection failed, or
 * the response was not HTTP.
 */
export class ConnectionError extends Data.TaggedError("ConnectionError")<{
  readonly reason: "refused" | "untrusted" | "foreign" | "incompatible" | "timeout" | "broken"
  readonly message: string
}> {}

export interface DaemonRequest {
  readonly method: string
  /** Starts with a slash; encoded, including the query. */
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
  /** Calls the listener with each further line, including those that have arrived before. */
  readonly lines: (listener: (line: string) => void) => void
  readonly ended: Effect.Effect<void>
}

export interface DaemonConnection {
  /** Like `send` for `resolve` and the routing table, at a tenth of the cost. Caches `headers` by object identity. */
  readonly exchange: (request: DaemonRequest, done: (response: ChannelResponse | undefined) => void) => void
  readonly send: (request: DaemonRequest) => Effect.Effect<DaemonResponse, ConnectionError>
  /** Returns after the first line of the response, and keeps its connection until the scope closes. */
  readonly hold: (request: DaemonRequest) => Effect.Effect<HeldResponse, ConnectionError, Scope.Scope>
  /** Closes idle connections. Requests in flight complete. */
  readonly close: () => void
}

/**
 * The time limit of a request in milliseconds: a long poll takes thirty seconds, and a refresh during a resolve takes
 * ten.
 */
const responseTimeout = 60_000
const handshakeTimeout = 5_000
const maxHandshakeBytes = 65_536
const maxResponseBytes = 64 * 1024 * 1024

const refusedCodes = new Set(["ECONNREFUSED", "ENOENT", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"])

const untrustedCertificates = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

const connectionError = (reason: ConnectionError["reason"], message: string): ConnectionError =>
  new ConnectionError({ reason, message })

const otherAddress = ({ explicit }: DaemonAddress): string =>
  explicit
    ? "Set CREDSVC_DAEMON_URL to the address of your daemon, or unset it to use the daemon of this home"
    : "Stop that program, or start your daemon on a free port with: credsvc daemon start --port 0"

/** Without an explicit address, the next command finds or starts the daemon of this home. */
const withAddressAdvice = (address: DaemonAddress, sentence: string): string =>
  address.explicit ? `${sentence}. ${otherAddress(address)}` : sentence

const toConnectionError = (cause: unknown, address: DaemonAddress): ConnectionError => {
  if (cause instanceof ConnectionError) return cause
  const url = baseUrlText(address.url)
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  if (code !== undefined && untrustedCertificates.has(code)) {
    return connectionError(
      "broken",
      `The certificate of ${url} is not trusted (${code}). If your own authority has issued it, set NODE_EXTRA_CA_CERTS to ` +
        "the file with the authority's certificate"
    )
  }
  return code !== undefined && refusedCodes.has(code)
    ? connectionError("refused", `Nothing listens at ${url}`)
    : connectionError(
      "broken",
      withAddressAdvice(address, `The connection to ${url} failed${code === undefined ? "" : ` (${code})`}`)
    )
}

const untrusted = (address: DaemonAddress, owner: Ownership = "other"): ConnectionError => {
  const why = owner === "other" ? "belongs to another user" : "did not prove that it is your daemon"
  return connectionError(
    "untrusted",
    `The server at ${baseUrlText(address.url)} ${why}, so nothing was sent to it. ${otherAddress(address)}`
  )
}

const notCredsvc = (address: DaemonAddress): ConnectionError =>
  connectionError(
    "broken",
    `The server at ${baseUrlText(address.url)} is not a credsvc daemon. ${otherAddress(address)}`
  )

const foreign = (address: DaemonAddress): ConnectionError =>
  connectionError(
    "foreign",
    `The daemon at ${baseUrlText(address.url)} serves another home directory (CREDSVC_HOME). ` +
      "Start this one's on a free port with: credsvc daemon start --port 0"
  )

/** A daemon of another version may prove itself in another way, so the key proves nothing. */
const otherVersion = (address: DaemonAddress, { version }: Handshake["health"]): ConnectionError =>
  connectionError(
    "incompatible",
    `The daemon at ${baseUrlText(address.url)} is of another version of credsvc (${
      String(version)
    }), started before an ` +
      "update. Restart it with: credsvc daemon restart"
  )

const handshakeFailed = (reason: "broken" | "timeout", address: DaemonAddress, what: string): ConnectionError =>
  connectionError(reason, withAddressAdvice(address, `The server at ${baseUrlText(address.url)} ${what} the handshake`))

const closedEarly = (address: DaemonAddress): ConnectionError =>
  handshakeFailed("broken", address, "closed the connection during")

interface Handshake {
  readonly proof: string | undefined
  readonly health: { readonly version?: unknown; readonly api_version?: unknown; readonly instance?: unknown }
}

/** Reads one small response from the bare socket and leaves the socket as if unused. */
const shakeHands = (socket: Net.Socket, address: DaemonAddress, request: string): Promise<Handshake> =>
  new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const settle = (finish: () => void): void => {
      socket.off("data", onData).off("error", onError).off("close", onClose)
      socket.setTimeout(0)
      socket.off("timeout", onTimeout)
      finish()
    }
    const onError = (cause: Error): void => settle(() => reject(cause))
    const onClose = (): void => settle(() => reject(closedEarly(address)))
    const onTimeout = (): void => settle(() => reject(handshakeFailed("timeout", address, "did not respond to")))
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf("\r\n\r\n")
      if (end < 0) {
        if (received.length > maxHandshakeBytes) onClose()
        return
      }
      const [statusLine = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n")
      const header = (name: string) =>
        lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1).trim()
      const length = Number(header("content-length"))
      if (!statusLine.startsWith("HTTP/1.1 200") || !Number.isInteger(length) || length > maxHandshakeBytes) {
        return settle(() => reject(notCredsvc(address)))
      }
      if (received.length < end + 4 + length) return
      settle(() => {
        try {
          const health = JSON.parse(received.subarray(end + 4).toString("utf8"))
          resolve({ proof: header(proofHeader), health: typeof health === "object" && health !== null ? health : {} })
        } catch {
          reject(notCredsvc(address))
        }
      })
    }
    if (socket.destroyed) return onClose()
    socket.on("data", onData).on("error", onError).on("close", onClose)
    socket.setTimeout(handshakeTimeout).on("timeout", onTimeout)
    socket.write(request)
  })

/** Fails unless our own user accepted the connection, on which the server has already responded. */
const verifyOwner = async (
  socket: Net.Socket,
  address: DaemonAddress,
  key: Uint8Array | undefined,
  peerOwner: PeerOwner["Service"]
): Promise<void> => {
  const ends = endsOf(socket)
  if (ends === undefined) throw closedEarly(address)
  const owner = await Effect.runPromise(peerOwner.peer(ends.remote, ends.local))
  // A closed socket has no owner in the table.
  if (socket.destroyed || socket.readableEnded) throw closedEarly(address)
  // Without a socket table the proof is the only evidence. A home without a key has no daemon that could give one.
  if (owner !== "own" && !(owner === "unsupported" && key === undefined)) throw untrusted(address, owner)
}

const verify = async (
  socket: Net.Socket,
  address: DaemonAddress,
  key: Uint8Array | undefined,
  peerOwner: PeerOwner["Service"],
  listenerIsOurs: () => Promise<boolean>,
  begun: number
): Promise<void> => {
  const ends = endsOfClient(socket)
  const nonce = builtins.crypto.randomBytes(32).toString("hex")
  const hello = key === undefined ? "" : `${clientHeader}: ${clientHello(key, nonce, ends, begun)}\r\n`
  // Without a key, the first byte goes only to a listener of our own. Who accepted the connection is known only
  // afterwards.
  if (key === undefined && !(await listenerIsOurs())) throw untrusted(address)
  const { health, proof } = await shakeHands(
    socket,
    address,
    `GET ${
      mountPathOf(address.url)
    }/health?nonce=${nonce} HTTP/1.1\r\nHost: ${address.url.host}\r\n${hello}Connection: keep-alive\r\n\r\n`
  ).catch(async (cause: unknown) => {
    if (cause instanceof ConnectionError && !(await listenerIsOurs())) throw untrusted(address)
    throw cause
  })
  const proved = key !== undefined && proof !== undefined && sameProof(proof, serverProof(key, nonce, ends))
  if (!proved) {
    await verifyOwner(socket, address, key, peerOwner)
    if (!address.explicit) {
      // Otherwise the daemon at this home's address belongs to another home: a login would end in the wrong vault.
      throw address.instance !== undefined && health.instance === address.instance
        ? otherVersion(address, health)
        : foreign(address)
    }
  }
  if (health.api_version !== apiVersion) throw otherVersion(address, health)
}

export const openDaemonConnection = (
  address: DaemonAddress,
  options: {
    readonly accessKey: Uint8Array | undefined
    readonly peerOwner: PeerOwner["Service"]
    readonly headers?: Readonly<Record<string, string>> | undefined
    readonly signer?: RequestSigner | undefined
  }
): DaemonConnection => {
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
    // The time before connecting, not that of the hello: this process may have been suspended in between. A server that
    // then held the port could relay a hello with a later time to the daemon that has the port now.
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

  /** Undefined if a header is not valid in HTTP. */
  const headOf = (headers: Readonly<Record<string, string>>): string | undefined => {
    const known = heads.get(headers)
    if (known !== undefined) return known
    let head = `Host: ${address.url.host}\r\n`
    for (const [name, value] of Object.entries({ ...options.headers, ...headers })) {
      if (/[\r\n]/.test(value)) return undefined
      if (!ofOneQuestion.has(name)) head += `${name}: ${value}\r\n`
    }
    heads.set(headers, head)
    return head
  }

  const exchange = (request: DaemonRequest, done: (response: ChannelResponse | undefined) => void): void => {
    const question = questionOf(request)
    const head = headOf(request.headers)
    if (channel === undefined || question === undefined || head === undefined || question.length > maxQuestionBytes) {
      return done(undefined)
    }
    channel.ask(head, question, done)
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
          // The agent takes the connection back in this tick. A request made before that would open another one.
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
    send: (request) => withRightTime(attempt(request)),
    hold: (request) => withRightTime(hold(request)),
    exchange,
    close: () => {
      agent.destroy()
      channel?.close()
    }
  }
}

const ofOneQuestion: ReadonlySet<string> = new Set(["content-type", "if-none-match"])

const questionOf = ({ body, headers, method, path, traceparent }: DaemonRequest): string | undefined => {
  if (method === "POST" && path === resolvePath) {
    return body === undefined || body.includes("\n") ? undefined : resolveQuestion(body, traceparent)
  }
  if (method !== "GET" || path !== routesPath) return undefined
  const tag = headers["if-none-match"]
  return routesQuestion(tag === undefined ? undefined : /^"(.*)"$/.exec(tag)?.[1] ?? tag)
}

const isRepeatable = (request: DaemonRequest): boolean => request.method === "GET" || request.path === resolvePath
