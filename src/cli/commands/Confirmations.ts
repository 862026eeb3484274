/** Asks for confirmation before operations that remove something, and warns if they use an unexpected connection. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InputCancelledError } from "../../domain/Errors.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import { call, type Prepare } from "../api/OperationCall.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { otherDefault, warnOtherDefault } from "./OtherDefault.ts"

/** Asks the user to confirm. Fails without a terminal and with `--json`, where only an option such as `--yes` can confirm. */
export const confirmed = Effect.fnUntraced(function*(question: string, unchanged: string, option = "--yes") {
  const { interactive } = yield* Output
  if (!interactive) {
    return yield* new InputCancelledError({
      detail: `${unchanged} Confirming needs a terminal, and does not work with --json. In a script, add ${option}.`
    })
  }
  if (!(yield* Prompt.confirm(question))) return yield* new InputCancelledError({ detail: unchanged })
})

const connectionsOf = (provider: string) =>
  Effect.map(
    call("connections.list", { provider }),
    ({ connections }) => connections.map(({ connection_name: name }) => name).join(", ")
  )

export const removePolicy: Prepare = ({ name }) =>
  confirmed(`Remove the policy ${name}? Active runs and existing sandboxes keep its rules.`, "Nothing was removed.")

export const revoke: Prepare = Effect.fnUntraced(function*({ provider }) {
  const names = yield* connectionsOf(String(provider))
  if (names !== "") {
    yield* confirmed(`Revoke and remove all connections of ${provider} (${names})?`, "Nothing was revoked.")
  }
})

export const removeProvider: Prepare = Effect.fnUntraced(function*(input) {
  const provider = String(input["provider"])
  const { overrides_bundled, source } = yield* call("providers.get", { provider })
  const names = yield* connectionsOf(provider)
  const question = source === "custom" && !overrides_bundled
    ? `Remove provider ${provider} and its connections in every profile${
      names === "" ? "" : ` (in this one: ${names})`
    }?`
    : `Reset ${provider} to its bundled definition?`
  yield* confirmed(question, "Nothing was removed.")
})

/** If the arguments name no connection, warns as `warnOtherDefault` does. */
export const warnUnnamed: Prepare = ({ connection, provider }) =>
  Option.isSome(connection as Option.Option<ConnectionName>)
    ? Effect.void
    : warnOtherDefault(provider as ProviderName)

/** Asks (or warns, without a terminal) before a logout removes the connection "default" while another one is the default. */
export const logout: Prepare = Effect.fnUntraced(function*({ connection, provider }) {
  if (Option.isSome(connection as Option.Option<ConnectionName>)) return
  const output = yield* Output
  const other = yield* otherDefault(provider as ProviderName)
  if (other === undefined) return
  yield* output.interactive
    ? confirmed(`${other}. Remove the connection "${defaultConnectionName}"?`, "Nothing was removed.")
    : output.warn(`${other}.`)
})
