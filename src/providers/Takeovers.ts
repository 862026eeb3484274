/**
 * Records which hosts a custom provider may take over from bundled ones: outside the providers folder and with the
 * digest of the confirmed definition, so a file added or edited by hand takes over nothing.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { HomePaths } from "../config/Paths.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"

const Takeovers = Schema.Record(
  Schema.String,
  Schema.Struct({ definition: Schema.String, hosts: Schema.Array(Schema.String) })
)

/** By provider: the digest of its file, and places in the notation of the routing table. */
export type Takeovers = typeof Takeovers.Type

export const digestOf = (content: Uint8Array | string): string =>
  builtins.crypto.createHash("sha256").update(content).digest("hex")

/** Empty if the file is missing or unreadable. */
export const read = (file: string): Effect.Effect<Takeovers> =>
  SecureFiles.readFile(file, { maxBytes: 1024 * 1024 }).pipe(
    Effect.map((bytes) =>
      Option.getOrElse(
        Schema.decodeUnknownOption(Schema.fromJsonString(Takeovers))(new TextDecoder().decode(bytes)),
        (): Takeovers => ({})
      )
    ),
    Effect.orElseSucceed((): Takeovers => ({}))
  )

/** An empty list deletes the record. Does not write if nothing changes. */
export const record = (
  { server, takeovers: file }: Pick<HomePaths, "server" | "takeovers">,
  provider: string,
  definition: string,
  hosts: ReadonlyArray<string>
): Effect.Effect<void, SecureFiles.SecureFileError> =>
  Effect.gen(function*() {
    const { [provider]: before, ...others } = yield* read(file)
    if (before === undefined && hosts.length === 0) return
    yield* SecureFiles.ensurePrivateDirectory(server)
    yield* SecureFiles.replaceFile(
      file,
      `${JSON.stringify(hosts.length === 0 ? others : { ...others, [provider]: { definition, hosts } }, null, 2)}\n`
    )
  })
