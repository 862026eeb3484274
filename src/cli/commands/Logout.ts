import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { LoggedOut } from "../../domain/wire/ConnectionResults.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { otherDefault } from "../NamedDefault.ts"
import { confirmed } from "../output/Confirmation.ts"
import { Output } from "../output/Output.ts"

export const logout = Effect.fnUntraced(function*(input: {
  readonly provider: string
  readonly connection: Option.Option<ConnectionName>
}) {
  const client = yield* DaemonClient
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  const connection = Option.getOrElse(input.connection, () => defaultConnectionName)
  const other = Option.isNone(input.connection) ? yield* otherDefault(provider) : undefined
  if (other !== undefined && output.interactive) {
    yield* confirmed(`${other}. Remove the connection "${connection}"?`, "Nothing was removed.")
  }
  const response = yield* client.of(ConnectionsGroup).logout({ params: { provider, connection } })
  if (other !== undefined && !output.interactive) yield* output.warn(`${other}.`)
  if (output.json) return yield* output.document(Schema.encodeSync(LoggedOut)(response))
  yield* output.note(`Removed connection "${response.connection}" of ${response.provider}.`)
  if (response.newDefault !== null) {
    yield* output.tell(`The default connection of ${response.provider} is now "${response.newDefault}".`)
  }
}, provideDaemon())
