/**
 * Sends HTTP requests to authorization servers and providers: the live layer of `OAuthHttp` and `ApiHttp`.
 *
 * Each request opens its own connection with the current settings. Redirects are not followed, the environment is ignored, and
 * time and response size are limited. Failures name the host and the reason, and never quote the request or the response.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { Upstream } from "../config/file/ConfigDocument.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { plural } from "../domain/text/Plural.ts"
import { decodedContent } from "../http/scrub/ContentCodings.ts"
import { safeUrl } from "../oauth/Endpoint.ts"
import { OAuthUnavailable, OAuthUnsafe, type UnavailableReason } from "../oauth/OAuthErrors.ts"
import { OAuthHttp, type OAuthRequest, type OAuthResponse, type Reach } from "../oauth/OAuthHttp.ts"
import { builtins } from "../platform/builtins.ts"
import { errorCode } from "../platform/ErrorCode.ts"
import { version } from "../platform/process/Version.ts"
import type { Purpose } from "./AddressRules.ts"
import { ApiHttp, type ApiRequest, type ApiResponse, ApiUnreachableError } from "./ApiHttp.ts"
import { type AbsoluteTarget, formatAuthority, parseAbsoluteTarget } from "./Authority.ts"
import { DialError } from "./DialError.ts"
import { type DialerOptions, make as makeDialer, type UpstreamDialer } from "./UpstreamDialer.ts"

const MAX_BODY = 1024 * 1024
const TOTAL_MILLISECONDS = 10_000

/** The network of the services: their requests to authorization servers, and to APIs to check a key. */
export type Network = ApiHttp | OAuthHttp

export interface Options {
  /** The daemon's own ports, to which providers must not connect. */
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
const dial = (
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

/** Sends a request and receives the response. Its body is empty unless `readsBody`. */
const exchange = (
  socket: Net.Socket,
  host: string,
  options: Http.RequestOptions,
  body: string | undefined,
  readsBody: boolean
) =>
  Effect.callback<Pick<Http.IncomingMessage, "headers"> & ApiResponse, OAuthUnavailable>((resume) => {
    const fail = (reason: UnavailableReason, detail: string) =>
      resume(Effect.fail(new OAuthUnavailable({ reason, detail, sent: true })))
    const broken = (error: unknown) => {
      const code = errorCode(error)
      if (code.startsWith("HPE_")) fail("malformed", `${host} sent an invalid HTTP/1.1 response (${code})`)
      else fail("unreachable", `the connection to ${host} was lost before the response was complete (${code})`)
    }
    const outgoing = builtins.http.request({
      createConnection: () => socket,
      insecureHTTPParser: false,
      setHost: false,
      ...options
    })
    outgoing.once("response", (response: Http.IncomingMessage) => {
      response.once("error", broken)
      const { headers, statusCode: status = 0 } = response
      if (!readsBody) return resume(Effect.succeed({ status, headers, body: "" }))
      const chunks: Array<Buffer> = []
      let size = 0
      response.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > MAX_BODY) fail("malformed", `the response from ${host} exceeds 1 MiB`)
        else chunks.push(chunk)
      })
      response.once("end", () => {
        // Some servers compress all responses.
        const content = decodedContent(headers["content-encoding"], Buffer.concat(chunks))
        if (content === undefined) fail("malformed", `the response from ${host} cannot be decoded, or exceeds 1 MiB`)
        else resume(Effect.succeed({ status, headers, body: new TextDecoder().decode(content) }))
      })
    })
    outgoing.once("error", broken)
    // Covers all other ends, such as an upgrade that was not requested.
    outgoing.once("close", () => broken({ code: "closed" }))
    outgoing.end(body)
  })

const oauthExchange = (socket: Net.Socket, { authority, path, scheme }: AbsoluteTarget, request: OAuthRequest) => {
  const { authorization, body, method } = request
  const headers = {
    host: formatAuthority(authority, scheme === "https" ? 443 : 80),
    "user-agent": `credsvc/${version}`,
    "accept-encoding": "identity",
    connection: "close",
    ...request.headers,
    ...(authorization === undefined ? {} : { authorization: Redacted.value(authorization) })
  }
  const sent = body === undefined ? undefined : Redacted.value(body)
  return Effect.map(
    exchange(socket, authority.host, { method, path, headers }, sent, true),
    ({ body, headers, status }): Omit<OAuthResponse, "publicPeer"> => ({
      status,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")])
      ),
      body: Redacted.make(body)
    })
  )
}

const purposeOf = (reach: Reach): Purpose => reach.publicOnly ? "public" : reach.allowLoopback ? "loopback" : "provider"

const make = (options: Options) =>
  Effect.gen(function*() {
    const config = yield* ConfigFile
    const total = options.totalMilliseconds ?? TOTAL_MILLISECONDS
    const settings = Effect.mapBoth(config.read, {
      onSuccess: ({ upstream }) => upstream,
      onFailure: (error) => new OAuthUnavailable({ reason: "unreachable", detail: error.message, sent: false })
    })
    let upstream: Upstream
    const dialer = yield* Effect.acquireRelease(
      Effect.sync(() =>
        makeDialer({
          upstream: () => upstream,
          ownPorts: () => options.ownPorts,
          connectTimeout: total,
          lookup: options.lookup
        })
      ),
      ({ close }) => Effect.sync(close)
    )

    const connected = Effect.fnUntraced(function*<A>(
      target: Pick<AbsoluteTarget, "authority" | "scheme">,
      purpose: Purpose,
      talk: (socket: Net.Socket) => Effect.Effect<A, OAuthUnavailable>,
      patience = 1
    ) {
      const limit = total * patience
      upstream = yield* settings
      let held: Net.Socket | undefined
      let over = false
      return yield* dial(dialer, target, purpose, (socket) => {
        held = socket
        if (over) socket.destroy()
      }).pipe(
        Effect.flatMap(talk),
        Effect.timeoutOrElse({
          duration: limit,
          orElse: () =>
            Effect.fail(
              new OAuthUnavailable({
                reason: "timeout",
                detail: `${target.authority.host} did not respond within ${plural(limit / 1000, "second")}`,
                sent: held !== undefined
              })
            )
        }),
        Effect.ensuring(Effect.sync(() => {
          over = true
          held?.destroy()
        }))
      )
    })

    const request = Effect.fn("OAuthHttp.request")(function*(reach: Reach, message: OAuthRequest) {
      const url = safeUrl(message.url, reach)
      const target = url === undefined ? undefined : parseAbsoluteTarget(url.href)
      if (target === undefined) return yield* new OAuthUnsafe({ detail: "the URL of an OAuth endpoint is not allowed" })
      return yield* connected(target, purposeOf(reach), (socket) => {
        const publicPeer = dialer.isPublic(socket)
        return Effect.map(oauthExchange(socket, target, message), (response) => ({ ...response, publicPeer }))
      }, message.patience)
    })

    const send = Effect.fn("ApiHttp.send")(
      (
        { authority, body, headers, method, path }: ApiRequest,
        { readsBody }: { readonly readsBody: boolean }
      ) => {
        const options = { method, path, headers: [...headers, "Connection", "close"] }
        return connected(
          { authority, scheme: "https" },
          "provider",
          (socket) =>
            Effect.map(
              exchange(socket, authority.host, options, body, readsBody),
              ({ body, status }): ApiResponse => ({ status, body })
            )
        )
      },
      Effect.mapError(({ detail }) => new ApiUnreachableError({ detail }))
    )

    return Context.make(OAuthHttp, OAuthHttp.of({ request })).pipe(Context.add(ApiHttp, ApiHttp.of({ send })))
  })

/** Closes active connections with the layer. */
export const layerNoDeps = (options: Options): Layer.Layer<Network, never, ConfigFile> =>
  Layer.effectContext(make(options))
