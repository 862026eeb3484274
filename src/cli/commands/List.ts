import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ResponseOf } from "../../api/Operations.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { ConnectionStatus } from "../../domain/wire/Connection.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import type { Cell, Style } from "../output/Text.ts"

type Connection = ResponseOf<"connections.list">["connections"][number]

const styles: Readonly<Record<ConnectionStatus, Style>> = {
  connected: "green",
  expired: "yellow",
  invalid: "red",
  not_connected: "dim"
}

/** Highlights a connection whose last refresh failed while its token is still valid. */
const statusCell = (status: ConnectionStatus, connection?: Connection): Cell =>
  status === "connected" && connection !== undefined && connection.last_refresh_error !== null
    ? { text: "connected (refresh failed)", style: "yellow" }
    : { text: status, style: styles[status] }

export const list = Effect.fnUntraced(function*(input: {
  readonly filter: Option.Option<string>
  readonly all: boolean
}) {
  const output = yield* Output
  // The requests run one after the other on one connection: opening a second connection takes longer than waiting.
  const { providers: known } = yield* call("providers.list")
  const { connections } = yield* call("connections.list")
  const wanted = Option.getOrElse(input.filter, () => "").toLowerCase()
  const providers = known.filter((each) => `${each.name}\n${each.display_name}`.toLowerCase().includes(wanted))
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
        checked: provider.checked,
        connections: connectionsOf(provider.name)
      }))
    return yield* output.document({ bundled: entries("bundled"), custom: entries("custom") })
  }

  const connected = known.filter(({ name }) => connectionsOf(name).some((each) => each.status === "connected"))
  if (providers.length === 0) return yield* output.note(`No matching providers for "${wanted}".`)
  // Hundreds of bundled providers would scroll the connected ones off the screen.
  const isShort = output.terminal && !input.all && Option.isNone(input.filter)
  const inUse = providers.filter(({ name }) => connectionsOf(name).length > 0)
  const others = providers.filter((each) => !inUse.includes(each) && !(isShort && each.source === "bundled"))
  const left = providers.length - inUse.length - others.length
  const time = (text: string | null) => text === null ? "-" : output.time(text)
  const columns = optionalColumns(connections, time)
  const rows = [...inUse, ...others].flatMap((provider) => {
    const row = (name: string, status: ConnectionStatus, flow: string, connection?: Connection) => [
      provider.name,
      name,
      statusCell(status, connection),
      ...columns.map(({ of }) => ({ text: connection === undefined ? "-" : of(connection) })),
      flow,
      provider.overrides_bundled
        ? "custom (overrides bundled)"
        : provider.source === "bundled" && provider.checked === null
        ? "bundled (unverified)"
        : provider.source
    ]
    const own = connectionsOf(provider.name)
    return own.length === 0
      ? [row("-", "not_connected", provider.flow)]
      : own.map((each) => {
        const owner = each.granted_by === undefined ? "" : ` (of ${each.granted_by})`
        return row(`${each.connection_name}${each.is_default ? " *" : ""}${owner}`, each.status, each.flow, each)
      })
  })
  const total = `Providers: ${known.length} total, ${connected.length} connected`
  if (!output.quiet) yield* output.data(rows.length > 0 ? `${total}\n` : total)
  const titles = ["PROVIDER", "CONNECTION", "STATUS", ...columns.map(({ name }) => name), "FLOW", "SOURCE"]
  if (rows.length > 0) yield* output.data(output.table(titles, rows))
  if (left > 0) {
    yield* output.tell(
      `\n${
        plural(left, "more provider")
      } without connections. List all: credsvc list --all. Search: credsvc list <text>`
    )
  }
  if (input.all && others.some(({ checked, source }) => source === "bundled" && checked === null)) {
    yield* output.tell("\nunverified: the definition was never compared with a source of the vendor.")
  }
}, provideDaemon())

interface Column {
  readonly name: string
  readonly of: (connection: Connection) => string
}

/** Columns that only some connections have are shown if at least one connection has them. */
const optionalColumns = (
  connections: ReadonlyArray<Connection>,
  time: (text: string | null) => string
): ReadonlyArray<Column> => {
  const columns: ReadonlyArray<Column> = [
    { name: "ACCOUNT", of: ({ account: { id, label } }) => label ?? id ?? "-" },
    { name: "EXPIRES", of: ({ expires_at }) => time(expires_at) },
    { name: "REFUSED", of: ({ refused_at }) => time(refused_at) }
  ]
  return columns.filter(({ of }) => connections.some((each) => of(each) !== "-"))
}
