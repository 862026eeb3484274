import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { ConnectionName } from "../../domain/Connection.ts"
import { LoggedOut } from "../../domain/ConnectionResults.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { Output } from "../output/Output.ts"

export const logout = Effect.fnUntraced(function*(input: {
  readonly provider: string
  readonly connection: ConnectionName
}) {
  const client = yield* DaemonClient
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  const response = yield* client.of(ConnectionsGroup).logout({ params: { provider, connection: input.connection } })
  if (output.json) return yield* output.document(Schema.encodeSync(LoggedOut)(response))
  yield* output.note(`Removed connection "${response.connection}" of ${response.provider}.`)
  if (response.newDefault !== null) {
    yield* output.tell(`The default connection of ${response.provider} is now "${response.newDefault}".`)
  }
}, provideDaemon())
