/**
 * Sends HTTP requests to authorization servers and providers: the live layer of `OAuthHttp` and `ApiHttp`.
 *
 * Each request opens its own connection with the current settings. Responses are read as strictly as in the proxy. Redirects are not
 * followed, the environment is ignored, and time and response size are limited. Failures name the host and the reason, and never
 * quote the request or the response.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Net from "node:net"
import { Readable } from "node:stream"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { plural } from "../domain/text/Plural.ts"
import { fieldOf, type HeaderPairs } from "../http/HeaderFields.ts"
import type { ClientConnection } from "../http/http1/ClientConnection.ts"
import { InvalidResponseError, type OutgoingHead, type OutgoingRequest } from "../http/OutgoingRequest.ts"
import { decodedContent } from "../http/scrub/ContentCodings.ts"
import { OAuthUnavailable, OAuthUnsafe, type UnavailableReason } from "../oauth/OAuthErrors.ts"
import { OAuthHttp, type OAuthRequest, type OAuthResponse, type Reach } from "../oauth/OAuthHttp.ts"
import { safeUrl } from "../oauth/ServerValues.ts"
import { errorCode } from "../platform/ErrorCode.ts"
import { version } from "../platform/process/Version.ts"
import type { Purpose } from "./AddressRules.ts"
import { ApiHttp, type ApiRequest, type ApiResponse, ApiUnreachableError } from "./ApiHttp.ts"
import { type AbsoluteTarget, formatAuthority, parseAbsoluteTarget } from "./Authority.ts"
import { DialError } from "./DialError.ts"
import { type DialerOptions, UpstreamDialer } from "./UpstreamDialer.ts"

const MAX_BODY = 1024 * 1024
const TOTAL_MILLISECONDS = 10_000

/** The network access of the daemon's services: their requests to authorization servers, and to APIs to check a key. */
export type Network = ApiHttp | OAuthHttp

export interface Options {
  /** The daemon's own ports, to which its requests must not connect. */
  readonly ownPorts: ReadonlySet<number>
  readonly lookup?: DialerOptions["lookup"]
  /** The time limit for a whole request, from name resolution to the last byte. */
  readonly totalMilliseconds?: number
}

const reasons: Readonly<Record<DialError["problem"], UnavailableReason | "unsafe">> = {
  forbidden: "unsafe",
  private_address: "unsafe",
  unresolved: "unreachable",
  unreachable: "unreachable",
  hop: "unreachable",
  timeout: "timeout",
  untrusted: "untrusted",
  protocol: "unreachable"
}

const dialFailure = (error: unknown, host: string): OAuthUnavailable | OAuthUnsafe => {
  const { message, problem } = error instanceof DialError
    ? error
    : new DialError("unreachable", `${host} could not be reached`)
  const reason = reasons[problem]
  return reason === "unsafe"
    ? new OAuthUnsafe({ detail: message })
    : new OAuthUnavailable({ reason, detail: message, sent: false })
}

/** Opens a connection. Calls `hold` with the socket even if the fiber was interrupted in the meantime. */
const openConnection = (
  dialer: UpstreamDialer,
  { authority, scheme }: Pick<AbsoluteTarget, "authority" | "scheme">,
  purpose: Purpose,
  hold: (socket: Net.Socket) => void
) =>
  Effect.callback<Net.Socket, OAuthUnavailable | OAuthUnsafe>((resume) => {
    const dialled: Promise<Net.Socket> = dialer[scheme === "https" ? "tls" : "tcp"](authority, purpose)
    dialled.then(
      (socket) => {
        hold(socket)
        resume(Effect.succeed(socket))
      },
      (error: unknown) => resume(Effect.fail(dialFailure(error, authority.host)))
    )
  })

/** Loads the HTTP client with the first request, because an idle daemon does not need it. */
const clientConnections = Effect.promise(() => import("../http/http1/ClientConnection.ts"))

interface Message extends OutgoingHead {
  readonly host: string
  readonly body: string | undefined
  /** Whether to read the body of the response, which is otherwise empty. */
  readonly readsBody: boolean
}

/** Sends a request and receives the response. */
const exchange = (connection: ClientConnection, { body, host, readsBody, ...head }: Message) =>
  Effect.callback<ApiResponse & { readonly headers: HeaderPairs }, OAuthUnavailable>((resume) => {
    const fail = (reason: UnavailableReason, detail: string) =>
      resume(Effect.fail(new OAuthUnavailable({ reason, detail, sent: true })))
    const chunks: Array<Buffer> = []
    let size = 0
    let received: { readonly status: number; readonly headers: HeaderPairs } = { status: 0, headers: [] }
    const outgoing: OutgoingRequest = {
      ...head,
      secret: [],
      body: body === undefined ? null : Readable.from([Buffer.from(body)]),
      expectsContinue: false,
      trailers: undefined,
      wantsTrailers: false,
      upgrade: undefined
    }
    connection.send(outgoing, {
      continued: () => {},
      informed: () => {},
      responded: (status, _, headers) => {
        received = { status, headers }
        if (!readsBody) resume(Effect.succeed({ ...received, body: "" }))
      },
      received: (chunk) => {
        size += chunk.length
        if (size > MAX_BODY) fail("malformed", `the response from ${host} exceeds 1 MiB`)
        else if (readsBody) chunks.push(chunk)
      },
      finished: () => {
        // Some servers compress all responses.
        const content = decodedContent(fieldOf(received.headers, "content-encoding"), Buffer.concat(chunks))
        if (content === undefined) fail("malformed", `the response from ${host} cannot be decoded, or exceeds 1 MiB`)
        else resume(Effect.succeed({ ...received, body: new TextDecoder().decode(content) }))
      },
      failed: ({ error }) =>
        error instanceof InvalidResponseError
          ? fail("malformed", `${host} sent no valid response (${error.message})`)
          : fail(
            "unreachable",
            `the connection to ${host} was lost before the response was complete (${errorCode(error)})`
          ),
      upgraded: () => fail("malformed", `${host} switched protocols without an offer in the request`)
    })
  })

const oauthExchange = (
  connection: ClientConnection,
  { authority, path, scheme }: AbsoluteTarget,
  request: OAuthRequest
) => {
  const { authorization, method } = request
  const { host } = authority
  const body = request.body && Redacted.value(request.body)
  const fields = {
    host: formatAuthority(authority, scheme === "https" ? 443 : 80),
    "user-agent": `credsvc/${version}`,
    "accept-encoding": "identity",
    ...request.headers,
    ...(authorization === undefined ? {} : { authorization: Redacted.value(authorization) }),
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) })
  }
  return Effect.map(
    exchange(connection, { host, method, path, headers: Object.entries(fields).flat(), body, readsBody: true }),
    ({ body, headers, status }): Omit<OAuthResponse, "publicPeer"> => ({
      status,
      headers: Object.fromEntries(
        headers.flatMap((name, i) => i % 2 === 0 ? [[name.toLowerCase(), fieldOf(headers, name.toLowerCase())!]] : [])
      ),
      body: Redacted.make(body)
    })
  )
}

const purposeOf = ({ allowLoopback, publicOnly }: Reach): Purpose => {
  if (publicOnly) return "public"
  return allowLoopback ? "loopback" : "provider"
}

interface Connecting {
  readonly dialer: UpstreamDialer
  readonly target: Pick<AbsoluteTarget, "authority" | "scheme">
  readonly purpose: Purpose
  /** The time limit in milliseconds, which includes the exchange. */
  readonly limit: number
}

/** Opens a connection for one exchange. */
const withConnection = Effect.fnUntraced(function*<A>(
  { dialer, limit, purpose, target }: Connecting,
  talk: (connection: ClientConnection) => Effect.Effect<A, OAuthUnavailable>
) {
  const { ClientConnection } = yield* clientConnections
  let held: Net.Socket | undefined
  let isOver = false
  return yield* openConnection(dialer, target, purpose, (socket) => {
    held = socket
    if (isOver) socket.destroy()
  }).pipe(
    Effect.flatMap((socket) => talk(new ClientConnection({ socket, idle: [], gone: () => {} }))),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => {
        const detail = `${target.authority.host} did not respond within ${plural(limit / 1000, "second")}`
        return Effect.fail(new OAuthUnavailable({ reason: "timeout", detail, sent: held !== undefined }))
      }
    }),
    Effect.ensuring(Effect.sync(() => {
      isOver = true
      held?.destroy()
    }))
  )
})

const make = (options: Options) =>
  Effect.gen(function*() {
    const config = yield* ConfigFile
    const limit = options.totalMilliseconds ?? TOTAL_MILLISECONDS
    const upstream = Effect.mapBoth(config.read, {
      onSuccess: ({ upstream }) => upstream,
      onFailure: (error) => new DialError("unreachable", error.message)
    })
    const dialer = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new UpstreamDialer({
          upstream: () => Effect.runPromise(upstream),
          ownPorts: () => options.ownPorts,
          connectTimeout: limit,
          lookup: options.lookup
        })
      ),
      (dialer) => Effect.sync(() => dialer.close())
    )

    const request = Effect.fn("OAuthHttp.request")(function*(reach: Reach, message: OAuthRequest) {
      const url = safeUrl(message.url, reach)
      const target = url === undefined ? undefined : parseAbsoluteTarget(url.href)
      if (target === undefined) return yield* new OAuthUnsafe({ detail: "the URL of an OAuth endpoint is not allowed" })
      const connecting = { dialer, target, purpose: purposeOf(reach), limit: limit * (message.patience ?? 1) }
      return yield* withConnection(connecting, (connection) => {
        const publicPeer = dialer.isPublic(connection.socket)
        return Effect.map(oauthExchange(connection, target, message), (response) => ({ ...response, publicPeer }))
      })
    })

    const send = Effect.fn("ApiHttp.send")(
      ({ authority, body, headers, method, path }: ApiRequest, { readsBody }: { readonly readsBody: boolean }) =>
        withConnection(
          { dialer, target: { authority, scheme: "https" }, purpose: "provider", limit },
          (connection) =>
            Effect.map(
              exchange(connection, { host: authority.host, method, path, headers, body, readsBody }),
              ({ body, status }): ApiResponse => ({ status, body })
            )
        ),
      Effect.mapError(({ detail }) => new ApiUnreachableError({ detail }))
    )

    return Context.make(OAuthHttp, OAuthHttp.of({ request })).pipe(Context.add(ApiHttp, ApiHttp.of({ send })))
  })

/** Closes active connections when the layer closes. */
export const layerNoDeps = (options: Options): Layer.Layer<Network, never, ConfigFile> =>
  Layer.effectContext(make(options))
