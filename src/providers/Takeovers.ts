/**
 * Records which hosts a custom provider may take over from bundled ones. The record is outside of the providers folder
 * and has the digest of the confirmed definition, so a file that was added or edited by hand takes over nothing.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Documents, takeovers } from "../config/Documents.ts"
import type { Problem, VaultUnavailableError } from "../domain/Errors.ts"
import type { Overlap } from "./RoutingTable.ts"

const Takeovers = Schema.Record(
  Schema.String,
  Schema.Struct({ definition: Schema.String, hosts: Schema.Array(Schema.String) })
)

/** Maps the name of a provider to the digest of its confirmed definition, and to the hosts and paths that it takes over. */
export type Takeovers = typeof Takeovers.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Takeovers))

/** Reads the record. Empty if the document is missing or damaged. */
export const read = (documents: Documents["Service"]): Effect.Effect<Takeovers, VaultUnavailableError> =>
  Effect.map(documents.read(takeovers), (bytes) =>
    bytes.pipe(
      Option.flatMap((bytes) => decode(new TextDecoder().decode(bytes))),
      Option.getOrElse((): Takeovers => ({}))
    ))

/** The hosts and paths that a provider takes over. Empty if another definition was confirmed than the one with this digest. */
export const hostsOf = (confirmed: Takeovers, provider: string, digest: string): ReadonlyArray<string> => {
  const found = Object.hasOwn(confirmed, provider) ? confirmed[provider] : undefined
  return found?.definition === digest ? found.hosts : []
}

/** Finds places that a provider cannot take over: places of others, and places that belong to no bundled provider. */
export const problems = (
  provider: string,
  places: ReadonlyArray<string>,
  { hosts, overlaps }: { readonly hosts: ReadonlyArray<string>; readonly overlaps: ReadonlyArray<Overlap> }
): ReadonlyArray<Problem> => {
  const bundled = new Set(overlaps.flatMap(({ otherSource, place }) => otherSource === "bundled" ? [place] : []))
  return places.filter((place) => !hosts.includes(place) || !bundled.has(place)).map((place) => ({
    path: "take_over",
    message: hosts.includes(place)
      ? `"${place}" does not belong to a bundled provider: omit it`
      : `"${place}" is not a host of ${provider}; expected ${hosts.join(" or ")}`
  }))
}

/** Records what a provider takes over. Without hosts, deletes its record. Writes nothing if nothing changes. */
export const record = (
  documents: Documents["Service"],
  provider: string,
  { definition, hosts }: Takeovers[string]
): Effect.Effect<void, VaultUnavailableError> =>
  Effect.gen(function*() {
    const { [provider]: before, ...others } = yield* read(documents)
    if (before === undefined && hosts.length === 0) return
    const records = hosts.length === 0 ? others : { ...others, [provider]: { definition, hosts } }
    yield* documents.write(takeovers, `${JSON.stringify(records, null, 2)}\n`)
  })
