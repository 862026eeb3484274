/** Calls operations of the daemon by their IDs, with parameters and responses as JSON, in which secrets are `Redacted`. */
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type { OperationId, OperationTarget, ResponseOf, ValuesOf } from "../../api/Operations.ts"
import { operationTargets } from "../../api/OperationTargets.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { DaemonRequest } from "../../client/DaemonConnection.ts"
import { queryString } from "../../client/QueryString.ts"
import { readResponse, unknownResponse } from "../../client/Responses.ts"
import type { PublishedError } from "../../domain/Errors.ts"
import type { Output } from "../output/Output.ts"

export type Values = Readonly<Record<string, unknown>>

/**
 * Runs before the request of a command, for example to ask for confirmation. `input` has the parsed arguments. Returns fields of
 * the body that no parameter sets, or that replace the value of a parameter.
 */
export type Prepare = (input: Values) => Effect.Effect<object | void, PublishedError, DaemonClient | Output>

/** A replacer for `JSON.stringify` that reveals secrets. Reads them from `this`, because `json` is only `<redacted>`. */
function revealed(this: Values, name: string, json: unknown) {
  const value = this[name]
  return Redacted.isRedacted(value) ? Redacted.value(value) : json
}

/**
 * Builds the request. The values that are not in the path are the body if the operation has a body and `body` is not given;
 * otherwise, they are the query.
 */
export const requestOf = (
  { hasBody, method, path }: OperationTarget,
  values: Values,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
): DaemonRequest => {
  const left = new Map(Object.entries(values).filter(([, value]) => value !== undefined))
  const place = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(String(left.get(name)))
    left.delete(name)
    return value
  })
  const query = queryString(hasBody && body === undefined ? [] : left)
  return {
    method,
    path: query === "" ? place : `${place}?${query}`,
    headers: { accept: "application/json", ...(hasBody ? { "content-type": "application/json" } : {}), ...headers },
    body: hasBody ? JSON.stringify(body ?? Object.fromEntries(left), revealed) : undefined
  }
}

const sendAndDecode = Effect.fnUntraced(
  function*<A>(request: DaemonRequest, decode: (json: object) => Effect.Effect<A, unknown>) {
    const response = yield* (yield* DaemonClient).send(request)
    const json = yield* readResponse(response)
    return yield* isObject(json)
      ? Effect.catch(decode(json), () => unknownResponse(response))
      : unknownResponse(response)
  }
)

/** Calls an operation. Does not decode the response, but checks that it is an object. */
export const perform = (target: OperationTarget, values: Values, body?: unknown) =>
  sendAndDecode(requestOf(target, values, body), Effect.succeed)

/** Calls an operation by its ID, and decodes the response. */
export const callDecoded = <Id extends OperationId, A>(
  id: Id,
  values: ValuesOf<Id>,
  decode: (json: object) => Effect.Effect<A, unknown>
) => sendAndDecode(requestOf(operationTargets[id], { ...values }), decode)

/** The secret fields of responses. Operations whose secrets commands only print are not listed. */
export const secretField = {
  "credentials.restore": "content",
  "sandboxes.access": "token",
  "sandboxes.create": "token",
  "sandboxes.rotate": "token"
} as const satisfies { readonly [Id in OperationId]?: keyof ResponseOf<Id> }

/** The response of an operation, in which its secret is `Redacted`. */
export type ReceivedOf<Id extends OperationId> = Id extends keyof typeof secretField ? {
    readonly [Name in keyof ResponseOf<Id>]: Name extends typeof secretField[Id] ? Redacted.Redacted<string>
      : ResponseOf<Id>[Name]
  }
  : ResponseOf<Id>

const withRedacted = (field: string | undefined, response: object): object =>
  field === undefined || !Object.hasOwn(response, field)
    ? response
    : { ...response, [field]: Redacted.make((response as Values)[field]) }

/** Calls an operation by its ID. `body` is for operations whose body can be any JSON. */
export const call = <Id extends OperationId>(
  id: Id,
  ...[values, body]: {} extends ValuesOf<Id> ? [values?: ValuesOf<Id>, body?: unknown]
    : [values: ValuesOf<Id>, body?: unknown]
) =>
  Effect.map(
    perform(operationTargets[id], { ...values }, body),
    (response) => withRedacted((secretField as Readonly<Partial<Record<OperationId, string>>>)[id], response)
  ) as Effect.Effect<ReceivedOf<Id>, PublishedError, DaemonClient>
