/** Looks up names that only a running daemon knows, for shell completion. */
import * as Effect from "effect/Effect"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { call } from "../api/OperationCall.ts"
import type { Candidate, WantedNames } from "../parse/CommandLine.ts"

/** Tells whether scripts and shells read a name as one plain word. */
const isPlain = (name: string): boolean => /^[A-Za-z0-9_@][A-Za-z0-9._@-]*$/.test(name)

type Found = ReadonlyArray<Candidate>

const named = (items: ReadonlyArray<{ readonly name: string; readonly status?: string }>): Found =>
  items.map(({ name, status = "" }) => ({ value: name, description: status }))

const connections = (provider?: string) =>
  Effect.map(call("connections.list", provider === undefined ? {} : { provider }), ({ connections }) => connections)

/** How to list the names of each kind. */
const sources: Readonly<
  Record<WantedNames["names"], (provider?: string) => Effect.Effect<Found, unknown, DaemonClient>>
> = {
  provider: () =>
    Effect.map(
      call("providers.list"),
      ({ providers }) => providers.map(({ display_name, name }) => ({ value: name, description: display_name }))
    ),
  profile: () =>
    Effect.map(
      call("profiles.list"),
      ({ profiles }) => profiles.map(({ active, handle }) => ({ value: handle, description: active ? "active" : "" }))
    ),
  policy: () => Effect.map(call("policies.list"), ({ policies }) => named(policies)),
  sandbox: () => Effect.map(call("sandboxes.list"), ({ sandboxes }) => named(sandboxes)),
  run: () => Effect.map(call("runs.list"), ({ runs }) => named(runs)),
  identity: () => Effect.map(call("identities.list"), ({ identities }) => named(identities)),
  connected: () =>
    Effect.map(connections(), (all) => all.map(({ provider }) => ({ value: provider, description: "" }))),
  connection: (provider) =>
    Effect.map(
      connections(provider),
      (all) => all.map(({ connection_name: value, status }) => ({ value, description: status }))
    ),
  assignment: () =>
    Effect.map(
      connections(),
      (all) =>
        all.map(({ connection_name: name, provider, status: description }) => ({
          value: `${provider}=${name}`,
          description
        }))
    )
}

export const findNames = ({ names, provider }: WantedNames): Promise<Found> =>
  sources[names](provider).pipe(
    Effect.map((found) => {
      const plain = found.filter(({ value }) => value.split("=").every(isPlain))
      return [...new Map(plain.map((each) => [each.value, each])).values()]
    }),
    Effect.provide(DaemonClient.layer({ start: false })),
    Effect.timeout("5 seconds"),
    Effect.catchCause(() => Effect.succeed([])),
    Effect.runPromise
  )
