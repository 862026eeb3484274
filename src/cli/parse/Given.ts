/** Collects the parameters that have a value, as optional fields of a request. */
import type * as Option from "effect/Option"
import * as Record from "effect/Record"

type Given<Parameters> = {
  readonly [Name in keyof Parameters]?: Parameters[Name] extends Option.Option<infer Value> ? Value : never
}

export const given = <Parameters extends Record.ReadonlyRecord<string, Option.Option<unknown>>>(
  parameters: Parameters
): Given<Parameters> => Record.getSomes(parameters) as Given<Parameters>
