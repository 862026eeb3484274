/** Composes the request of an operation from the values of its parameters. */
import type * as Effect from "effect/Effect"
import type { Operation, Place } from "../../api/Operations.ts"
import type { DaemonClient } from "../../client/DaemonClient.ts"
import type { DaemonRequest } from "../../client/DaemonConnection.ts"
import type { PublishedError } from "../../domain/Errors.ts"
import type { Output } from "../output/Output.ts"

export type Values = Readonly<Record<string, unknown>>

/**
 * Runs before the request of a command, for example to ask for confirmation. `input` has the parsed arguments. Returns fields of
 * the body that no parameter sets, or that replace the value of a parameter.
 */
export type Prepare = (input: Values) => Effect.Effect<object | void, PublishedError, DaemonClient | Output>

/** Collects the values of the parameters at a place. Absent parameters are left out. */
export const valuesAt = ({ parameters }: Operation, values: Values, place: Place): Values =>
  Object.fromEntries(
    parameters.filter((parameter) => parameter.place === place && values[parameter.name] !== undefined)
      .map(({ name }) => [name, values[name]])
  )

/** Builds the request. `body` replaces the body that the values would give. */
export const requestOf = (operation: Operation, values: Values, body?: unknown): DaemonRequest => {
  const segments = valuesAt(operation, values, "path")
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(segments[name])))
  const query = new URLSearchParams(
    Object.entries(valuesAt(operation, values, "query")).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)])
    )
  )
  const headers = Object.entries(valuesAt(operation, values, "header")).map(([name, value]) => [name, String(value)])
  return {
    method: operation.method,
    path: query.size === 0 ? path : `${path}?${query}`,
    headers: {
      accept: "application/json",
      ...(operation.hasBody ? { "content-type": "application/json" } : {}),
      ...Object.fromEntries(headers)
    },
    body: operation.hasBody ? JSON.stringify(body ?? valuesAt(operation, values, "body")) : undefined
  }
}
