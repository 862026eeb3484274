/**
 * What every request passes on its way to the router, and every answer on its way back.
 *
 * Inward: the peer check, then the guard, so that another user is told nothing. Both come before a byte of the body is read
 * and before any route is looked at, so no spelling of a path gets around them. Outward: the headers that keep answers out
 * of caches and other sites, and a problem document for whatever the routes did not answer themselves.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import { builtins } from "../../platform/builtins.ts"
import { DaemonLog, describeCause } from "../DaemonLog.ts"
import { decide } from "./Guard.ts"
import { Instance } from "./Instance.ts"
import { allowBody } from "./Listener.ts"
import { PeerAdmission } from "./PeerAdmission.ts"
import { refusalResponse, unexpectedResponse } from "./Refusals.ts"

export type HttpApp<E> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** A path pattern of the router, with the methods that it serves. */
export interface ServedPath {
  readonly method: string
  readonly path: string
}

/** What keeps answers out of caches and other sites. */
export const everyAnswer = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff"
}

/** A file whose path changes with its content says itself how long it may be kept; nothing else does. */
const { "cache-control": _, ...keptAnswer } = everyAnswer

const notFound = refusalResponse({ status: 404, detail: "There is no such route. The routes are listed at /docs." })

/** Finds the methods of a path, for the answer to a request whose method is not among them. */
const methodFinder = (served: ReadonlyArray<ServedPath>) => {
  const router = FindMyWay.make<true>()
  for (const { method, path } of served) router.on(method as "GET", path as FindMyWay.PathInput, true)
  return (url: string): string | undefined => {
    const methods = (["GET", "POST", "DELETE"] as const).filter((method) => router.find(method, url) !== undefined)
    return methods.length === 0
      ? undefined
      : methods.flatMap((method) => method === "GET" ? [method, "HEAD"] : [method]).join(", ")
  }
}

const serverErrorOf = (cause: Cause.Cause<unknown>): HttpServerError.HttpServerError | undefined => {
  for (const reason of cause.reasons) {
    const value = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (value instanceof HttpServerError.HttpServerError) return value
  }
  return undefined
}

const bodyTooLarge = refusalResponse({ status: 413, detail: "The body is too large.", close: true })
const unsupportedType = refusalResponse({ status: 415, detail: "The body is not of the type that this route reads." })
const bodyBroken = refusalResponse({ status: 400, detail: "The body could not be read.", close: true })

/** The app behind the guard. It fails with interruption only. */
export const guarded = <E>(
  app: HttpApp<E>,
  served: ReadonlyArray<ServedPath>
): Effect.Effect<HttpApp<never>, never, Instance | PeerAdmission | DaemonLog> =>
  Effect.gen(function*() {
    const { authorities } = yield* Instance
    const admission = yield* PeerAdmission
    const log = yield* DaemonLog
    const methodsOf = methodFinder(served)

    const unserved = (request: HttpServerRequest.HttpServerRequest) => {
      const allow = methodsOf(request.url)
      return allow === undefined
        ? notFound
        : refusalResponse({ status: 405, detail: "This route does not serve this method.", allow })
    }

    const answerFailure = (cause: Cause.Cause<E>): HttpApp<never> =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const error = serverErrorOf(cause)
        switch (error?.reason._tag) {
          case "RouteNotFound":
            return Effect.succeed(unserved(request))
          case "RequestParseError":
            return Effect.succeed(error.reason.reason === "BodyTooLarge" ? bodyTooLarge : bodyBroken)
        }
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        const id = builtins.crypto.randomBytes(8).toString("hex")
        const route = Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route.path
        log.write("error", "unexpected", {
          id,
          method: request.method,
          route: route ?? "none",
          cause: describeCause(cause)
        })
        return Effect.succeed(unexpectedResponse(id))
      })

    const answered: HttpApp<never> = Effect.matchCauseEffect(app, {
      onFailure: answerFailure,
      onSuccess: (response) => Effect.succeed(response.status === 415 ? unsupportedType : response)
    })

    const door: HttpApp<never> = Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const source = request.source as Http.IncomingMessage
      const head = {
        method: source.method ?? "",
        target: source.url ?? "",
        rawHeaders: source.rawHeaders,
        httpVersion: source.httpVersion
      }
      const { socket } = source
      const behindGuard = (): HttpApp<never> => {
        const refusal = decide(head, authorities)
        if (refusal !== undefined) return Effect.succeed(refusalResponse(refusal))
        allowBody(source)
        return answered
      }
      if (admission.isAdmitted(socket)) return behindGuard()
      return Effect.flatMap(admission.admit(socket, head), (admitted) => {
        if (admitted) return behindGuard()
        log.write("warning", "peer-refused")
        // Without a reset the kernel would keep the connection in its tables for a minute.
        socket.resetAndDestroy()
        return Effect.succeed(HttpServerResponse.empty({ status: 403 }))
      })
    })

    return Effect.map(door, (response) =>
      HttpServerResponse.setHeaders(
        response,
        response.headers["cache-control"] === undefined ? everyAnswer : keptAnswer
      ))
  })
