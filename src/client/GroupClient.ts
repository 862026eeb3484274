/**
 * A typed client for one group of the HTTP interface, derived from the group's definition at run time.
 *
 * `effect/http-api/HttpApiClient` derives the same from the same value, but costs a short-lived process more time than
 * everything else that it does (docs/decisions). Deriving one group at a time lets a command load only the groups that
 * it calls.
 */
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Schema from "effect/Schema"
import * as Errors from "../domain/Errors.ts"
import { problemsOf } from "../domain/SchemaProblems.ts"
import { notOurs, readResponse, type Send } from "./Responses.ts"

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
>

export type GroupClient<Group extends HttpApiGroup.Constraint> = Group["endpoints"] extends
  infer Endpoints extends Readonly<Record<string, HttpApiEndpoint.ConstraintRequest>>
  ? { readonly [Name in keyof Endpoints]: CallOf<Endpoints[Name]> }
  : never

interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: unknown
  readonly payload?: unknown
  readonly headers?: unknown
}

const encoder = (schema: Schema.Top | undefined) =>
  schema === undefined ? undefined : Schema.encodeUnknownEffect(schema as Schema.Codec<unknown>)

/** Rejects an invalid value locally, without a request to the daemon. */
const requestError = (error: Schema.SchemaError) => Errors.InvalidRequestError.of(problemsOf(error))

const decoderOf = (endpoint: HttpApiEndpoint.Top) => {
  const successes = [...endpoint.success]
  return Schema.decodeUnknownEffect(
    (successes.length === 1 ? successes[0] : Schema.Union(successes)) as Schema.Codec<unknown>
  )
}

const makeCall = (endpoint: HttpApiEndpoint.Top, send: Send) => {
  const decode = decoderOf(endpoint)
  const [payload] = endpoint.payload.values()
  const encodeParams = encoder(endpoint.params)
  const encodeQuery = encoder(endpoint.query)
  const encodeHeaders = encoder(endpoint.headers)
  const encodePayload = encoder(payload?.schemas[0])

  return Effect.fnUntraced(function*(request: AnyRequest) {
    let path = endpoint.path as string
    if (encodeParams !== undefined) {
      const params = (yield* encodeParams(request.params)) as Readonly<Record<string, string>>
      path = path.replace(/:([A-Za-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
    }
    if (encodeQuery !== undefined && request.query !== undefined) {
      const search = new URLSearchParams((yield* encodeQuery(request.query)) as Record<string, string>).toString()
      if (search !== "") path = `${path}?${search}`
    }
    const headers: Record<string, string> = { accept: "application/json" }
    if (encodeHeaders !== undefined && request.headers !== undefined) {
      Object.assign(headers, yield* encodeHeaders(request.headers))
    }
    let body: string | undefined
    if (encodePayload !== undefined) {
      headers["content-type"] = "application/json"
      body = JSON.stringify(yield* encodePayload(request.payload ?? {}))
    }
    const response = yield* send({ method: endpoint.method, path, headers, body })
    const received = yield* readResponse(response)
    return yield* Effect.mapError(decode(received), () => notOurs(response))
  }, Effect.mapError((error) => Schema.isSchemaError(error) ? requestError(error) : error))
}

type Calls = Readonly<Record<string, ReturnType<typeof makeCall>>>

const makeCalls = (group: HttpApiGroup.Constraint, send: Send): Calls => {
  const { endpoints } = group as unknown as { readonly endpoints: Record<string, HttpApiEndpoint.Top> }
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => {
      let call: ReturnType<typeof makeCall> | undefined
      return [name, (request?: AnyRequest) => (call ??= makeCall(endpoint, send))(request ?? {})]
    })
  )
}

const clients = new WeakMap<Send, Map<unknown, Calls>>()

export const groupClient = <Group extends HttpApiGroup.Constraint>(group: Group, send: Send): GroupClient<Group> => {
  const made = clients.get(send) ?? new Map<unknown, Calls>()
  clients.set(send, made)
  const client = made.get(group) ?? makeCalls(group, send)
  made.set(group, client)
  return client as unknown as GroupClient<Group>
}
