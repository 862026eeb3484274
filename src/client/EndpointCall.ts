/** Encodes the request of one operation of the HTTP interface, and decodes its response. */
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Errors from "../domain/Errors.ts"
import { problemsOf } from "../domain/text/SchemaProblems.ts"
import { queryString } from "./QueryString.ts"
import { readResponse, type Send, unknownResponse } from "./Responses.ts"

export interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: unknown
  readonly payload?: unknown
  readonly headers?: unknown
}

/** Encodes a part of a request. The schemas of an endpoint need no services. */
const encoderOf = <Encoded>(schema: Schema.Top | undefined) =>
  schema === undefined ? undefined : Schema.encodeUnknownEffect(schema as Schema.Codec<unknown, Encoded>)

type Texts = Readonly<Record<string, string>>

/** Rejects an invalid value locally, without a request to the daemon. */
const requestError = (error: Schema.SchemaError) => Errors.InvalidRequestError.of(problemsOf(error))

const decoderOf = (endpoint: HttpApiEndpoint.Top) => {
  const successes = [...endpoint.success]
  return Schema.decodeUnknownEffect(
    (successes.length === 1 ? successes[0] : Schema.Union(successes)) as Schema.Codec<unknown>
  )
}

export const endpointCall = (endpoint: HttpApiEndpoint.Top, send: Send) => {
  const decode = decoderOf(endpoint)
  const [payload] = endpoint.payload.values()
  const encodeParams = encoderOf<Texts>(endpoint.params)
  const encodeQuery = encoderOf<Readonly<Record<string, unknown>>>(endpoint.query)
  const encodeHeaders = encoderOf<Texts>(endpoint.headers)
  const encodePayload = encoderOf<unknown>(payload?.schemas[0])

  return Effect.fnUntraced(function*(request: AnyRequest) {
    let path: string = endpoint.path
    if (encodeParams !== undefined) {
      const params = yield* encodeParams(request.params)
      path = path.replace(/:([A-Za-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
    }
    if (encodeQuery !== undefined && request.query !== undefined) {
      const search = queryString(Object.entries(yield* encodeQuery(request.query)))
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
    return yield* Effect.catch(decode(received), () => unknownResponse(response))
  }, Effect.mapError((error) => Schema.isSchemaError(error) ? requestError(error) : error))
}
