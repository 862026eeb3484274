/** Replies to the queries of resolve channels with the status and the body that the HTTP operations would send. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Net from "node:net"
import { Connections } from "../../connections/Connections.ts"
import { published, type PublishedError } from "../../domain/Errors.ts"
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import { type Query, resolvePath, routesPath } from "../../domain/wire/ResolveMessages.ts"
import { randomId } from "../../platform/Digest.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import { DaemonLog } from "../../telemetry/DaemonLog.ts"
import { traced, tracerOf } from "../../telemetry/Spans.ts"
import { bodyOf } from "../handlers/ProxyHandlers.ts"
import { logUnexpected } from "../http/ProblemResponses.ts"
import {
  beginRequest,
  countRequest,
  type MeasuredRequest,
  requestSpan,
  responseAttributes
} from "../http/RequestTelemetry.ts"
import { ChangeMark } from "./ChangeMark.ts"
import { ResolveOperation } from "./ResolveOperation.ts"

/** The connection, run and profile on whose behalf the proxy asks. Without a profile, the active profile is used. */
export interface Caller {
  readonly socket: Net.Socket
  /** Whether the proxy can read the file of `ChangeMark`, which tells it when it may reuse a reply. */
  readonly readsMark: boolean
  readonly run: string | undefined
  readonly profile: string | undefined
}

/** Sends a reply, which may be reused as long as the file of `ChangeMark` contains `mark`. */
export type Reply = (status: number, body: string | Uint8Array, mark?: string) => void

/**
 * Handles one query and calls `reply` once, synchronously if possible. The returned function cancels it; `reply` is
 * not called after that.
 */
export type Ask = (caller: Caller, query: Query, reply: Reply) => () => void

interface Response {
  readonly status: number
  readonly body: string | Uint8Array
}

const routesResponse = (table: ProxyRoutes, version: string | undefined): Response =>
  table.version === version ? { status: 304, body: "" } : { status: 200, body: bodyOf(table) }

const requestOf = ({ _tag }: Query): MeasuredRequest =>
  _tag === "resolve" ? { method: "POST", route: resolvePath } : { method: "GET", route: routesPath }

export const make: Effect.Effect<
  Ask,
  never,
  ChangeMark | Connections | DaemonLog | Profiles | ResolveOperation
> = Effect.gen(
  function*() {
    const mark = yield* ChangeMark
    const context = yield* Effect.context<never>()
    const fork = Effect.runForkWith(context)
    const connections = yield* Connections
    const log = yield* DaemonLog
    const profiles = yield* Profiles
    const operation = yield* ResolveOperation

    const respond = ({ profile, run, socket }: Caller, query: Query): Effect.Effect<Response, PublishedError> =>
      Effect.flatMap(
        profile === undefined ? profiles.active : profiles.find(profile),
        (handle): Effect.Effect<Response, PublishedError> =>
          query._tag === "resolve"
            ? Effect.map(
              operation.respond({ peer: socket, profile: handle, run }, query.body),
              (body) => ({ status: 200, body })
            )
            : Effect.map(connections.routes(handle), (table) => routesResponse(table, query.version))
      )

    const failureResponse = (query: Query, cause: Cause.Cause<PublishedError>): Response => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (published.some((errorClass) => error instanceof errorClass)) {
        return { status: error!.status, body: JSON.stringify(error) }
      }
      return { status: 500, body: JSON.stringify(logUnexpected(log, randomId(), requestOf(query), cause)) }
    }

    const isTraced = tracerOf(context) !== undefined

    /** Returns the body of the last response about a credential, if nothing has changed after it. */
    const keptBody = ({ profile, run, socket }: Caller, query: Query): string | undefined =>
      profile === undefined || isTraced || query._tag === "routes"
        ? undefined
        : operation.keptResponse({ peer: socket, profile, run }, query.body)

    return (caller, query, reply) => {
      const request = requestOf(query)
      const began = performance.now()
      const known = keptBody(caller, query)
      if (known !== undefined) {
        countRequest(context, request, 200, began)
        reply(200, known, caller.readsMark ? mark.current() : undefined)
        return () => {}
      }
      const end = beginRequest(context)
      const response = respond(caller, query)
      // Queries have no span: proxies ask for routes before each connection, so these would be most of all spans.
      const fiber = fork(
        query._tag === "resolve"
          ? traced(context, { ...requestSpan(request), traceparent: query.traceparent }, response, responseAttributes)
          : response
      )
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return end(request, 0)
        const { body, status } = Exit.isSuccess(exit) ? exit.value : failureResponse(query, exit.cause)
        end(request, status)
        reply(status, body)
      })
      return () => fiber.interruptUnsafe()
    }
  }
)
