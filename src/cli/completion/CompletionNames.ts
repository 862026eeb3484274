/** Looks up names that only a running daemon knows, for shell completion. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { readPaths } from "../../client/ReadPaths.ts"
import { Paths } from "../../config/Paths.ts"
import { Settings } from "../../config/Settings.ts"
import { PeerOwner } from "../../platform/PeerOwner.ts"
import type { Candidate, WantedNames } from "../CommandLine.ts"

/** Names that scripts and shells read as one plain word. */
const isPlain = (name: unknown): boolean => typeof name === "string" && /^[A-Za-z0-9_@][A-Za-z0-9._@-]*$/.test(name)

interface Listed {
  readonly providers?: ReadonlyArray<{ readonly name: string; readonly display_name: string }>
  readonly connections?: ReadonlyArray<{
    readonly provider: string
    readonly connection_name: string
    readonly status: string
  }>
  readonly policies?: ReadonlyArray<{ readonly name: string }>
  readonly profiles?: ReadonlyArray<{ readonly handle: string; readonly active: boolean }>
  readonly sandboxes?: ReadonlyArray<{ readonly name: string; readonly status: string }>
  readonly runs?: ReadonlyArray<{ readonly name: string }>
  readonly identities?: ReadonlyArray<{ readonly name: string; readonly status: string }>
}

const pathOf = ({ names, provider }: WantedNames): string => {
  if (names === "provider") return readPaths.providers
  if (names === "profile") return "/profiles"
  if (names === "policy") return "/policies"
  if (names === "sandbox") return "/sandboxes"
  if (names === "run") return "/runs"
  if (names === "identity") return "/identities"
  return names === "connection" && provider !== undefined
    ? `${readPaths.connections}?provider=${encodeURIComponent(provider)}`
    : readPaths.connections
}

const candidatesOf = (
  names: WantedNames["names"],
  {
    connections = [],
    identities = [],
    policies = [],
    profiles = [],
    providers = [],
    runs = [],
    sandboxes = []
  }: Listed
): ReadonlyArray<Candidate> => {
  switch (names) {
    case "provider":
      return providers.map(({ display_name, name }) => ({ value: name, description: display_name }))
    case "profile":
      return profiles.map(({ active, handle }) => ({ value: handle, description: active ? "active" : "" }))
    case "policy":
      return policies.map(({ name }) => ({ value: name, description: "" }))
    case "sandbox":
      return sandboxes.map(({ name, status }) => ({ value: name, description: status }))
    case "run":
      return runs.map(({ name }) => ({ value: name, description: "" }))
    case "identity":
      return identities.map(({ name, status }) => ({ value: name, description: status }))
    case "connected":
      return connections.map(({ provider }) => ({ value: provider, description: "" }))
    case "connection":
      return connections.map(({ connection_name, status }) => ({ value: connection_name, description: status }))
    case "assignment":
      return connections.map(({ connection_name, provider, status }) => ({
        value: `${provider}=${connection_name}`,
        description: status
      }))
  }
}

export const findNames = (wanted: WantedNames): Promise<ReadonlyArray<Candidate>> =>
  Effect.gen(function*() {
    const { read } = yield* DaemonClient
    const found = candidatesOf(wanted.names, (yield* read(pathOf(wanted))) as Listed)
      .filter(({ value }) => value.split("=").every(isPlain))
    return [...new Map(found.map((each) => [each.value, each])).values()]
  }).pipe(
    Effect.provide(
      DaemonClient.layerNoDeps().pipe(
        Layer.provide([PeerOwner.layer, Paths.layerNoDeps]),
        Layer.provide(Settings.layer)
      )
    ),
    Effect.timeout("5 seconds"),
    Effect.catchCause(() => Effect.succeed([])),
    Effect.runPromise
  )
