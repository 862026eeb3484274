import * as Effect from "effect/Effect"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { ProvidersGroup } from "../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { confirmed } from "../output/Confirmation.ts"
import { Output } from "../output/Output.ts"

export const remove = Effect.fnUntraced(function*(input: { readonly provider: string; readonly yes: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  if (!input.yes) {
    const { overridesBundled, source } = yield* client.of(ProvidersGroup).get({ params: { provider } })
    const { connections } = yield* client.of(ConnectionsGroup).list({ query: { provider } })
    const question = source === "custom" && !overridesBundled
      ? `Remove provider ${provider} and its connections in every profile${
        connections.length === 0 ? "" : ` (here: ${connections.map(({ connectionName }) => connectionName).join(", ")})`
      }?`
      : `Reset ${provider} to its shipped definition?`
    yield* confirmed(question, "Nothing was removed.")
  }
  const response = yield* client.of(ProvidersGroup).remove({ params: { provider } })
  if (output.json) return yield* output.document(response)
  yield* output.note(
    response.status === "removed"
      ? `Removed provider ${response.provider}${
        response.connections.length === 0
          ? ""
          : ` and its connections: ${
            response.connections.map(({ connection, profile }) => `${connection} (profile ${profile})`).join(", ")
          }`
      }.`
      : `Reset ${response.provider} to its shipped definition.`
  )
}, provideDaemon())
