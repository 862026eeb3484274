import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { Revoked } from "../../domain/wire/ConnectionResults.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { confirmed } from "../output/Confirmation.ts"
import { Output } from "../output/Output.ts"

export const revoke = Effect.fnUntraced(function*(input: { readonly provider: string; readonly yes: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  if (!input.yes) {
    const { connections } = yield* client.of(ConnectionsGroup).list({ query: { provider } })
    const names = connections.map((connection) => connection.connectionName).join(", ")
    if (connections.length > 0) {
      yield* confirmed(`Revoke and remove all connections of ${provider} (${names})?`, "Nothing was revoked.")
    }
  }
  const response = yield* client.of(ConnectionsGroup).revoke({ params: { provider } })
  if (output.json) return yield* output.document(Schema.encodeSync(Revoked)(response))
  const { connections, failures, providerContacted } = response
  if (connections.length === 0) yield* output.note(`${provider} has no connections.`)
  else {
    yield* output.note(`Removed ${connections.join(", ")} of ${provider}.`)
    if (failures.length === 0) {
      yield* output.note(
        providerContacted
          ? `${provider} confirmed the revocation.`
          : `${provider} was not contacted: revoke the credentials on its website.`
      )
    }
  }
  for (const failure of failures) yield* output.warn(failure)
}, provideDaemon())
