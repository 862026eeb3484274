/** Looks up names that only a running daemon knows, for shell completion. */
import * as Effect from "effect/Effect"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { readPaths } from "../../client/ReadPaths.ts"
import type { Candidate, WantedNames } from "../parse/CommandLine.ts"

/** Tells whether scripts and shells read a name as one plain word. */
const isPlain = (name: unknown): boolean => typeof name === "string" && /^[A-Za-z0-9_@][A-Za-z0-9._@-]*$/.test(name)

interface Source {
  readonly path: string
  /** The property of the response that contains the list. */
  readonly list: string
  readonly value: (item: Item) => string
  readonly description: (item: Item) => string
}

type Item = Readonly<Record<string, string>>

const named = (path: string, value = "name", description = "status"): Source => ({
  path,
  list: path.slice(1),
  value: (item) => item[value] ?? "",
  description: (item) => item[description] ?? ""
})

const sources: Readonly<Record<WantedNames["names"], Source>> = {
  provider: named(readPaths.providers, "name", "display_name"),
  profile: { ...named("/profiles", "handle"), description: ({ active }) => active ? "active" : "" },
  policy: named("/policies"),
  sandbox: named("/sandboxes"),
  run: named("/runs"),
  identity: named("/identities"),
  connected: named(readPaths.connections, "provider", ""),
  connection: named(readPaths.connections, "connection_name"),
  assignment: {
    ...named(readPaths.connections),
    value: ({ connection_name, provider }) => `${provider}=${connection_name}`
  }
}

const pathOf = ({ names, provider }: WantedNames): string =>
  names === "connection" && provider !== undefined
    ? `${readPaths.connections}?provider=${encodeURIComponent(provider)}`
    : sources[names].path

export const findNames = (wanted: WantedNames): Promise<ReadonlyArray<Candidate>> =>
  Effect.gen(function*() {
    const { read } = yield* DaemonClient
    const { description, list, value } = sources[wanted.names]
    const listed = (yield* read(pathOf(wanted))) as Readonly<Record<string, ReadonlyArray<Item>>>
    const found = (listed[list] ?? []).map((item): Candidate => ({
      value: value(item),
      description: description(item)
    }))
      .filter(({ value }) => value.split("=").every(isPlain))
    return [...new Map(found.map((each) => [each.value, each])).values()]
  }).pipe(
    Effect.provide(DaemonClient.layer({ start: false })),
    Effect.timeout("5 seconds"),
    Effect.catchCause(() => Effect.succeed([])),
    Effect.runPromise
  )
