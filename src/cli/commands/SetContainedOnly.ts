import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { ContainedOnlySet } from "../../domain/wire/ConnectionResults.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { Output } from "../output/Output.ts"

export const setContainedOnly = Effect.fnUntraced(function*(input: {
  readonly provider: string
  readonly connection: ConnectionName
}) {
  const client = yield* DaemonClient
  const output = yield* Output
  const params = { provider: yield* providerName(input.provider), connection: input.connection }
  const response = yield* client.of(ConnectionsGroup).setContainedOnly({ params })
  if (output.json) return yield* output.document(Schema.encodeSync(ContainedOnlySet)(response))
  yield* output.note(`The connection "${response.connection}" of ${response.provider} is now for contained runs only.`)
}, provideDaemon())
