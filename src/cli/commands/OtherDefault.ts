/**
 * Tells users of `get`, `export` and `logout` which connection the command uses without `--connection`.
 *
 * It is the connection named "default". Runs use the default connection of the provider, which may be another connection.
 */
import * as Effect from "effect/Effect"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import { call } from "../api/OperationCall.ts"
import { Output } from "../output/Output.ts"

/**
 * Returns a sentence that names the default connection, if the provider has a connection named "default" and another one
 * is the default; otherwise undefined.
 */
export const otherDefault = Effect.fnUntraced(function*(provider: ProviderName) {
  const { connections } = yield* call("connections.list", { provider })
  const other = connections.find((each) => each.is_default)?.connection_name
  const hasNamed = connections.some((each) => each.connection_name === defaultConnectionName)
  return other === undefined || other === defaultConnectionName || !hasNamed
    ? undefined
    : `This command uses the connection "${defaultConnectionName}" of ${provider}, but the default connection of ${provider} is "${other}". ` +
      `To use that one, add --connection ${other}`
})

/** Warns if the provider has a connection named "default", but another one is the default. */
export const warnOtherDefault = Effect.fnUntraced(function*(provider: ProviderName) {
  const other = yield* otherDefault(provider)
  if (other !== undefined) yield* (yield* Output).warn(`${other}.`)
})
