/**
 * Records which hosts a custom provider may take over from bundled ones: outside the providers folder and with the
 * digest of the confirmed definition, so a file added or edited by hand takes over nothing.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Documents, takeovers } from "../config/Documents.ts"
import type { VaultUnavailableError } from "../domain/Errors.ts"

const Takeovers = Schema.Record(
  Schema.String,
  Schema.Struct({ definition: Schema.String, hosts: Schema.Array(Schema.String) })
)

/** By provider: the digest of its file, and places in the notation of the routing table. */
export type Takeovers = typeof Takeovers.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Takeovers))

/** Empty if the document is missing or damaged. */
export const read = (documents: Documents["Service"]): Effect.Effect<Takeovers, VaultUnavailableError> =>
  Effect.map(documents.read(takeovers), (bytes) =>
    bytes.pipe(
      Option.flatMap((bytes) => decode(new TextDecoder().decode(bytes))),
      Option.getOrElse((): Takeovers => ({}))
    ))

/** An empty list deletes the record. Does not write if nothing changes. */
export const record = (
  documents: Documents["Service"],
  provider: string,
  definition: string,
  hosts: ReadonlyArray<string>
): Effect.Effect<void, VaultUnavailableError> =>
  Effect.gen(function*() {
    const { [provider]: before, ...others } = yield* read(documents)
    if (before === undefined && hosts.length === 0) return
    const records = hosts.length === 0 ? others : { ...others, [provider]: { definition, hosts } }
    yield* documents.write(takeovers, `${JSON.stringify(records, null, 2)}\n`)
  })
