import * as Effect from "effect/Effect"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { ProvidersGroup } from "../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { connectionDocument } from "../output/ConnectionDocument.ts"
import { Output } from "../output/Output.ts"
import { providerName } from "./provider/ProviderArgument.ts"
import { providerDocument } from "./provider/ProviderDocument.ts"

export const inspect = Effect.fnUntraced(function*(input: { readonly provider: string }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  const detail = yield* client.of(ProvidersGroup).get({ params: { provider } })
  const { connections } = yield* client.of(ConnectionsGroup).list({ query: { provider } })
  yield* output.document({
    ...providerDocument(detail),
    connections: connections.map(connectionDocument)
  })
}, provideDaemon())
