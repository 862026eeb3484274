/**
 * A typed client for one group of the HTTP interface, derived from the group's definition at run time.
 *
 * `effect/http-api/HttpApiClient` derives the same client, but takes a short-lived process more time than everything else
 * that the process does (docs/decisions). Deriving one group at a time allows a command to load only the groups that
 * it calls.
 */
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import type * as Errors from "../domain/Errors.ts"
import type { AnyRequest, endpointCall } from "./EndpointCall.ts"
import type { Send } from "./Responses.ts"

type Part<Name extends string, S extends Schema.Constraint> = [S["Type"]] extends [never] ? {}
  : {} extends S["Type"] ? { readonly [K in Name]?: S["Type"] }
  : { readonly [K in Name]: S["Type"] }

type RequestOf<E extends HttpApiEndpoint.ConstraintRequest> =
  & Part<"params", E["~Params"]>
  & Part<"query", E["~Query"]>
  & Part<"payload", E["~Payload"]>
  & Part<"headers", E["~Headers"]>

type CallOf<E extends HttpApiEndpoint.ConstraintRequest> = (
  ...request: {} extends RequestOf<E> ? [request?: RequestOf<E>] : [request: RequestOf<E>]
) => Effect.Effect<
  E["~Success"]["Type"],
  | E["~Error"]["Type"]
  | HttpApiMiddleware.Error<E["~Middleware"]>
  | Errors.DaemonUnavailableError
  | Errors.InvalidRequestError
  | Errors.RequestRefusedError
  | Errors.UnexpectedError
>

export type GroupClient<Group extends HttpApiGroup.Constraint> = Group["endpoints"] extends
  infer Endpoints extends Readonly<Record<string, HttpApiEndpoint.ConstraintRequest>>
  ? { readonly [Name in keyof Endpoints]: CallOf<Endpoints[Name]> }
  : never

type Calls = Readonly<Record<string, (request?: AnyRequest) => ReturnType<ReturnType<typeof endpointCall>>>>

const makeCalls = (group: HttpApiGroup.Constraint, send: Send): Calls => {
  const { endpoints } = group as unknown as { readonly endpoints: Record<string, HttpApiEndpoint.Top> }
  return Record.map(endpoints, (endpoint) => {
    let call: ReturnType<typeof endpointCall> | undefined
    return (request: AnyRequest = {}) =>
      Effect.flatMap(
        Effect.promise(() => import("./EndpointCall.ts")),
        ({ endpointCall }) => (call ??= endpointCall(endpoint, send))(request)
      )
  })
}

const clients = new WeakMap<Send, Map<unknown, Calls>>()

export const groupClient = <Group extends HttpApiGroup.Constraint>(group: Group, send: Send): GroupClient<Group> => {
  const made = clients.get(send) ?? new Map<unknown, Calls>()
  clients.set(send, made)
  const client = made.get(group) ?? makeCalls(group, send)
  made.set(group, client)
  return client as unknown as GroupClient<Group>
}
