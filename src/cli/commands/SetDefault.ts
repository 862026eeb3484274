import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { DefaultSet } from "../../domain/wire/ConnectionResults.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { Output } from "../output/Output.ts"

export const setDefault = Effect.fnUntraced(function*(input: {
  readonly provider: string
  readonly connection: ConnectionName
}) {
  const client = yield* DaemonClient
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  const response = yield* client.of(ConnectionsGroup).setDefault({ params: { provider, connection: input.connection } })
  if (output.json) return yield* output.document(Schema.encodeSync(DefaultSet)(response))
  yield* output.note(`The default connection of ${response.provider} is now "${response.defaultConnection}".`)
}, provideDaemon())
