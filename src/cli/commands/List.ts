import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { ConnectionList } from "../../api/ConnectionsGroup.ts"
import type { ProviderList } from "../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { readPaths } from "../../client/ReadPaths.ts"
import type { ConnectionStatus } from "../../domain/Connection.ts"
import { provideDaemon } from "../DaemonAccess.ts"
import { Output } from "../Output.ts"
import type { Cell, Style } from "../Text.ts"

type Connection = (typeof ConnectionList.Encoded)["connections"][number]

const styles: Readonly<Record<ConnectionStatus, Style>> = {
  connected: "green",
  expired: "yellow",
  invalid: "red",
  not_connected: "dim"
}

/** A connection whose token is good for now, but was not renewed when it should have been, says so before it breaks. */
const statusCell = (status: ConnectionStatus, connection?: Connection): Cell =>
  status === "connected" && connection !== undefined && connection.last_refresh_error !== null
    ? { text: "connected (refresh failed)", style: "yellow" }
    : { text: status, style: styles[status] }

export const list = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  // One after the other on one connection: a second connection costs more than waiting for the first answer.
  const { providers } = (yield* client.read(readPaths.providers)) as typeof ProviderList.Encoded
  const { connections } = (yield* client.read(readPaths.connections)) as typeof ConnectionList.Encoded
  const connectionsOf = (provider: string) =>
    connections.filter((connection) => connection.provider === provider)
      .toSorted((a, b) => a.connection_name < b.connection_name ? -1 : 1)

  if (output.json) {
    const entries = (source: "bundled" | "custom") =>
      providers.filter((provider) => provider.source === source).map((provider) => ({
        name: provider.name,
        display_name: provider.display_name,
        auth_type: provider.auth_type,
        flow: provider.flow,
        source: provider.source,
        connections: connectionsOf(provider.name)
      }))
    return yield* output.document({ bundled: entries("bundled"), custom: entries("custom") })
  }

  const connected = providers.filter((provider) =>
    connectionsOf(provider.name).some((each) => each.status === "connected")
  )
  // What a person has comes before what there is.
  const inUse = providers.filter((provider) => connectionsOf(provider.name).length > 0)
  const others = providers.filter((provider) => !inUse.includes(provider))
  const now = yield* DateTime.now
  const columns = optionalColumns(
    connections,
    (each) => each.expires_at === null ? "-" : output.time(DateTime.makeUnsafe(each.expires_at), now)
  )
  if (!output.quiet) yield* output.data(`Providers: ${providers.length} total, ${connected.length} connected\n`)
  yield* output.data(output.table(
    ["PROVIDER", "CONNECTION", "STATUS", ...columns.map(({ name }) => name), "FLOW", "SOURCE"],
    [...inUse, ...others].flatMap((provider) => {
      const row = (name: string, status: ConnectionStatus, flow: string, connection?: Connection) => [
        { text: provider.name },
        { text: name },
        statusCell(status, connection),
        ...columns.map(({ of }) => ({ text: connection === undefined ? "-" : of(connection) })),
        { text: flow },
        { text: provider.overrides_bundled ? "custom (overrides bundled)" : provider.source }
      ]
      const own = connectionsOf(provider.name)
      return own.length === 0
        ? [row("-", "not_connected", provider.flow)]
        : own.map((each) => row(`${each.connection_name}${each.is_default ? " *" : ""}`, each.status, each.flow, each))
    })
  ))
}, provideDaemon())

interface Column {
  readonly name: string
  readonly of: (connection: Connection) => string
}

/** What only some connections have is shown when one of them does. */
const optionalColumns = (connections: ReadonlyArray<Connection>, expiry: Column["of"]): ReadonlyArray<Column> => {
  const account = ({ account: { id, label } }: Connection) => label ?? id ?? "-"
  return [
    ...(connections.some((each) => account(each) !== "-") ? [{ name: "ACCOUNT", of: account }] : []),
    ...(connections.some((each) => each.expires_at !== null) ? [{ name: "EXPIRES", of: expiry }] : [])
  ]
}
