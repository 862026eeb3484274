/**
 * The middleware around the router: access checks for requests, security headers and error documents for responses.
 *
 * The peer check runs before the guard, so that other users of the machine learn nothing from the guard. Both run
 * before routing and before any byte of the body is read, so no spelling of a path bypasses them. Responses get
 * headers that keep them out of caches and away from other sites; failures that the routes do not handle become
 * problem documents.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { loggedRequest } from "../../audit/AuditLog.ts"
import type { Caller } from "../../callers/Caller.ts"
import { requestIdHeader } from "../../platform/RequestIdHeader.ts"
import { resetConnection } from "../../platform/sockets/Transport.ts"
import { DaemonLog } from "../../telemetry/DaemonLog.ts"
import { methodLabel } from "../../telemetry/Metrics.ts"
import { traced } from "../../telemetry/Spans.ts"
import { CallerAdmission, isRefusal } from "./CallerAdmission.ts"
import type { Route } from "./CallerRules.ts"
import { setCaller } from "./CurrentCaller.ts"
import { type ReceivedHead, refusalOf } from "./Guard.ts"
import { allowBody } from "./HttpListener.ts"
import { connectionOf, headOf, isUnlimited } from "./IncomingRequest.ts"
import { Instance } from "./Instance.ts"
import { withoutMountPath } from "./MountPath.ts"
import { ownOrigins } from "./OwnOrigins.ts"
import { PeerAdmission } from "./PeerAdmission.ts"
import { logUnexpected, refusalResponse, unavailableResponse, unexpectedResponse } from "./ProblemResponses.ts"
import { requestIdOf } from "./RequestId.ts"
import { beginRequest, requestSpan, responseAttributes } from "./RequestTelemetry.ts"

type HttpApp<E> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

const securityHeaders = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff"
}

/**
 * The security headers without `Cache-Control`, for responses that set it themselves, such as files with a hash in
 * their path.
 */
const { "cache-control": _, ...cacheableHeaders } = securityHeaders

const noRoute = "none"

const notFound = refusalResponse({ status: 404, detail: "Unknown route. See /docs for the list of routes." })

const otherMethod = { status: 405, detail: "This route does not support this method." }

const servedMethods = ["GET", "POST", "DELETE"] as const

const routeFinder = (served: ReadonlyArray<Route>) => {
  const router = FindMyWay.make<string>()
  for (const { method, path } of served) router.on(method as "GET", path as FindMyWay.PathInput, path)
  const find = (method: string, url: string): string | undefined => router.find(method as "GET", url)?.handler
  return {
    /** Returns the pattern of the route that serves a request. */
    routeOf: (method: string, url: string): string => find(method === "HEAD" ? "GET" : method, url) ?? noRoute,
    /** Lists the methods that a path supports. */
    methodsOf: (url: string): string | undefined => {
      const methods = servedMethods.filter((method) => find(method, url) !== undefined)
      return methods.length === 0
        ? undefined
        : methods.flatMap((method) => method === "GET" ? [method, "HEAD"] : [method]).join(", ")
    }
  }
}

const serverErrorOf = (cause: Cause.Cause<unknown>): HttpServerError.HttpServerError | undefined => {
  for (const reason of cause.reasons) {
    const value = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (value instanceof HttpServerError.HttpServerError) return value
  }
  return undefined
}

const bodyTooLarge = refusalResponse({ status: 413, detail: "The request body is too large.", close: true })
const unsupportedType = refusalResponse({ status: 415, detail: "This route does not accept this content type." })
const bodyUnlimited = refusalResponse({
  status: 411,
  detail: "The request has a body, but no Content-Length.",
  close: true
})
const bodyBroken = refusalResponse({ status: 400, detail: "The request body could not be read.", close: true })

/** Responds to failures that the routes do not handle. */
const failureResponder =
  (log: DaemonLog["Service"], { methodsOf, routeOf }: ReturnType<typeof routeFinder>) =>
  (cause: Cause.Cause<unknown>): HttpApp<never> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const { method, url } = request
      const error = serverErrorOf(cause)
      switch (error?.reason._tag) {
        case "RouteNotFound": {
          const allow = methodsOf(url)
          return Effect.succeed(allow === undefined ? notFound : refusalResponse({ ...otherMethod, allow }))
        }
        case "RequestParseError":
          return Effect.succeed(error.reason.reason === "BodyTooLarge" ? bodyTooLarge : bodyBroken)
      }
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const measured = { method, route: routeOf(method, url) }
      return Effect.succeed(unexpectedResponse(logUnexpected(log, requestIdOf(request), measured, cause)))
    })

/** A request, with what the checks have found out about it. */
interface Handling {
  readonly context: Context.Context<never>
  readonly request: HttpServerRequest.HttpServerRequest
  readonly head: ReceivedHead
  readonly connection: ReturnType<typeof connectionOf>
  route: string
  /** The name of a remote caller. */
  identity: string | undefined
}

/** Strangers must not be able to fill the log. */
const isLogged = ({ connection, identity }: Handling): boolean => identity !== undefined || connection?.isFront === true

const logRequest = (
  log: DaemonLog["Service"],
  { head, identity, request, route }: Handling,
  status: number,
  milliseconds: number
): void =>
  log.write("info", "request", {
    request: requestIdOf(request),
    method: methodLabel(head.method),
    route,
    status,
    milliseconds: Math.round(milliseconds),
    ...(identity === undefined ? {} : { identity })
  })

const local = { _tag: "Local" } as const

/** Serves a request as its caller. `own` is the request below the path of the daemon. */
const serving =
  (app: HttpApp<never>) =>
  (handling: Handling, own: HttpServerRequest.HttpServerRequest, caller: Caller): HttpApp<never> => {
    const { context, head, request, route } = handling
    setCaller(request, caller)
    if (caller._tag === "Remote") handling.identity = caller.identity.name
    const served = own === request ? app : Effect.provideService(app, HttpServerRequest.HttpServerRequest, own)
    const audited = isLogged(handling) ? Effect.provideService(served, loggedRequest, requestIdOf(request)) : served
    allowBody(request.source as Http.IncomingMessage)
    return traced(context, requestSpan({ method: head.method, route }), audited, responseAttributes)
  }

/** Checks the head of a request and its caller, before `serve` serves it. */
const makeGuard = Effect.fnUntraced(function*(
  serve: ReturnType<typeof serving>,
  { routeOf }: ReturnType<typeof routeFinder>,
  origins: ReturnType<typeof ownOrigins>
) {
  const { authorities } = yield* Instance
  const callers = yield* CallerAdmission

  return (handling: Handling, socket: Net.Socket): HttpApp<never> => {
    const { head, request } = handling
    const refusal = refusalOf(head, authorities, callers.isScrape(head))
    if (refusal !== undefined) return Effect.succeed(refusalResponse(refusal))
    const elsewhere = origins.elsewhere(request)
    if (elsewhere !== undefined) return Effect.succeed(elsewhere)
    if (isUnlimited(request)) return Effect.succeed(bodyUnlimited)
    const route = handling.route = routeOf(head.method, head.target)
    const own = head.target === request.url ? request : request.modify({ url: head.target })
    if (callers.isLocal(socket)) return serve(handling, own, local)
    // Reads the text from the request that is served, because that request caches the text for the handler.
    const content = Effect.suspend(() => {
      allowBody(request.source as Http.IncomingMessage)
      return own.text
    })
    return Effect.matchEffect(callers.admit({ socket, head, route, content }), {
      onFailure: (error) => Effect.succeed(unavailableResponse(error)),
      onSuccess: (result) => isRefusal(result) ? Effect.succeed(refusalResponse(result)) : serve(handling, own, result)
    })
  }
})

/**
 * Wraps the app in the peer check, the guard, the check of the caller and the error responses. The result can fail only
 * by interruption.
 */
export const guardedApp = Effect.fnUntraced(function*<E>(app: HttpApp<E>, served: ReadonlyArray<Route>) {
  const instance = yield* Instance
  const admission = yield* PeerAdmission
  const log = yield* DaemonLog
  const origins = ownOrigins(instance)
  const finder = routeFinder(served)
  const handled: HttpApp<never> = Effect.matchCauseEffect(app, {
    onFailure: failureResponder(log, finder),
    onSuccess: (response) => Effect.succeed(response.status === 415 ? unsupportedType : response)
  })
  const behindGuard = yield* makeGuard(serving(handled), finder, origins)

  const refusePeer = (connection: Handling["connection"]) => {
    log.write("warning", "peer-refused")
    // A reset avoids the TIME_WAIT state, in which the kernel would keep the connection for a minute.
    if (connection?.isOwn === true) resetConnection(connection.socket)
    return HttpServerResponse.empty({ status: 403 })
  }

  const behindPeerCheck = (handling: Handling): HttpApp<never> => {
    const { connection, head } = handling
    if (connection === undefined) return Effect.sync(() => refusePeer(undefined))
    const { isFront, socket } = connection
    return isFront === true || admission.isAdmitted(socket)
      ? behindGuard(handling, socket)
      : Effect.flatMap(
        admission.admit(socket, head),
        (admitted) => admitted ? behindGuard(handling, socket) : Effect.sync(() => refusePeer(connection))
      )
  }

  return Effect.withFiber(({ context }): HttpApp<never> => {
    const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    const end = beginRequest(context)
    const received = headOf(request)
    const head = { ...received, target: withoutMountPath(instance.mountPath, received.target) }
    const connection = connectionOf(request)
    const handling: Handling = { context, request, head, connection, route: noRoute, identity: undefined }
    const began = performance.now()
    return Effect.map(
      Effect.onExit(behindPeerCheck(handling), (exit) =>
        Effect.sync(() => {
          const status = exit._tag === "Success" ? exit.value.status : 0
          end({ method: head.method, route: handling.route }, status)
          if (isLogged(handling)) logRequest(log, handling, status, performance.now() - began)
        })),
      (response) =>
        HttpServerResponse.setHeaders(response, {
          ...(response.headers["cache-control"] === undefined ? securityHeaders : cacheableHeaders),
          ...origins.headers(request),
          [requestIdHeader]: requestIdOf(request)
        })
    )
  })
})
