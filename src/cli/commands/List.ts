import * as Effect from "effect/Effect"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { type ProviderList, ProvidersGroup } from "../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { ConnectionStatus } from "../../domain/Connection.ts"
import { connectionDocument } from "../ConnectionDocument.ts"
import { provideDaemon } from "../DaemonAccess.ts"
import { Output } from "../Output.ts"
import type { Cell, Style } from "../Text.ts"

const styles: Readonly<Record<ConnectionStatus, Style>> = {
  connected: "green",
  expired: "yellow",
  invalid: "red",
  not_connected: "dim"
}

const statusCell = (status: ConnectionStatus): Cell => ({ text: status, style: styles[status] })

export const list = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  // One after the other on one connection: a second connection costs more than waiting for the first answer.
  const { providers } = (yield* client.encodedOf(ProvidersGroup).list()) as typeof ProviderList.Encoded
  const { connections } = yield* client.of(ConnectionsGroup).list()
  const connectionsOf = (provider: string) =>
    connections.filter((connection) => connection.provider === provider)
      .toSorted((a, b) => a.connectionName < b.connectionName ? -1 : 1)

  if (output.json) {
    const entries = (source: "bundled" | "custom") =>
      providers.filter((provider) => provider.source === source).map((provider) => ({
        name: provider.name,
        display_name: provider.display_name,
        auth_type: provider.auth_type,
        flow: provider.flow,
        source: provider.source,
        connections: connectionsOf(provider.name).map(connectionDocument)
      }))
    return yield* output.document({ bundled: entries("bundled"), custom: entries("custom") })
  }

  const connected = providers.filter((provider) =>
    connectionsOf(provider.name).some((each) => each.status === "connected")
  )
  // What a person has comes before what there is.
  const inUse = providers.filter((provider) => connectionsOf(provider.name).length > 0)
  const others = providers.filter((provider) => !inUse.includes(provider))
  if (!output.quiet) yield* output.data(`Providers: ${providers.length} total, ${connected.length} connected\n`)
  yield* output.data(output.table(
    ["PROVIDER", "CONNECTION", "STATUS", "FLOW", "SOURCE"],
    [...inUse, ...others].flatMap((provider) => {
      const row = (connection: string, status: ConnectionStatus): ReadonlyArray<Cell> => [
        { text: provider.name },
        { text: connection },
        statusCell(status),
        { text: provider.flow },
        { text: provider.overrides_bundled ? "custom (overrides bundled)" : provider.source }
      ]
      const own = connectionsOf(provider.name)
      return own.length === 0
        ? [row("-", "not_connected")]
        : own.map((connection) =>
          row(`${connection.connectionName}${connection.isDefault ? " *" : ""}`, connection.status)
        )
    })
  ))
}, provideDaemon())
