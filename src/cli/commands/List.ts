/** `credsvc list`: the table of providers and connections. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type { ResponseOf } from "../../api/Operations.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { ConnectionStatus } from "../../domain/wire/Connection.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import type { Cell, Style } from "../output/Text.ts"

type Connection = ResponseOf<"connections.list">["connections"][number]
type Provider = ResponseOf<"providers.list">["providers"][number]

const styles: Readonly<Record<ConnectionStatus, Style>> = {
  connected: "green",
  expired: "yellow",
  invalid: "red",
  not_connected: "dim"
}

interface Row {
  readonly provider: Provider
  readonly connection?: Connection
}

const nameOf = ({ connection_name, granted_by, is_default }: Connection): string =>
  `${connection_name}${is_default ? " *" : ""}${granted_by === undefined ? "" : ` (of ${granted_by})`}`

/** Highlights a connection whose last refresh failed while its token is still valid. */
const statusOf = ({ connection }: Row): Cell => {
  const status = connection?.status ?? "not_connected"
  return status === "connected" && connection?.last_refresh_error !== null
    ? { text: "connected (refresh failed)", style: "yellow" }
    : { text: status, style: styles[status] }
}

const sourceOf = ({ checked, overrides_bundled, source }: Provider): string =>
  overrides_bundled
    ? "custom (overrides bundled)"
    : source === "bundled" && checked === null
    ? "bundled (unverified)"
    : source

const documentOf = (
  providers: ReadonlyArray<Provider>,
  connectionsOf: (provider: string) => ReadonlyArray<Connection>
) => {
  const entries = providers.map(({ auth_type, checked, display_name, flow, name, source }) => {
    return { name, display_name, auth_type, flow, source, checked, connections: connectionsOf(name) }
  })
  const { bundled = [], custom = [] } = Object.groupBy(entries, ({ source }) => source)
  return { bundled, custom }
}

/** Lists providers with their connections. */
export const listProviders = Effect.fnUntraced(function*(input: {
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

  if (output.json) return yield* output.document(documentOf(providers, connectionsOf))
  const connected = known.filter(({ name }) => connectionsOf(name).some((each) => each.status === "connected"))
  if (providers.length === 0) return yield* output.note(`No matching providers for "${wanted}".`)
  // Hundreds of bundled providers would scroll the connected ones off the screen.
  const isShort = output.terminal && !input.all && Option.isNone(input.filter)
  const inUse = providers.filter(({ name }) => connectionsOf(name).length > 0)
  const others = providers.filter((each) => !inUse.includes(each) && !(isShort && each.source === "bundled"))
  const left = providers.length - inUse.length - others.length
  const rows = [...inUse, ...others].flatMap((provider): ReadonlyArray<Row> => {
    const own = connectionsOf(provider.name)
    return own.length === 0 ? [{ provider }] : own.map((connection) => ({ provider, connection }))
  })
  const time = (text: string | null | undefined) => text == null ? "-" : output.time(text)
  const optional: Readonly<Record<string, (row: Pick<Row, "connection">) => string>> = {
    ACCOUNT: ({ connection }) => connection?.account.label ?? connection?.account.id ?? "-",
    EXPIRES: ({ connection }) => time(connection?.expires_at),
    REFUSED: ({ connection }) => time(connection?.refused_at)
  }
  const total = `Providers: ${known.length} total, ${connected.length} connected`
  if (!output.quiet) yield* output.data(rows.length > 0 ? `${total}\n` : total)
  if (rows.length > 0) {
    yield* output.data(output.table(rows, {
      PROVIDER: ({ provider }) => provider.name,
      CONNECTION: ({ connection }) => connection === undefined ? "-" : nameOf(connection),
      STATUS: statusOf,
      // Columns that only some connections have are shown if at least one connection has them.
      ...Record.filter(optional, (cell) => connections.some((connection) => cell({ connection }) !== "-")),
      FLOW: ({ connection, provider }) => connection?.flow ?? provider.flow,
      SOURCE: ({ provider }) => sourceOf(provider)
    }))
  }
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
