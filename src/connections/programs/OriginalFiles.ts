/** The original contents of the user's files in which placeholders have replaced credentials, in sealed rows. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { ProviderName } from "../../domain/wire/ProviderName.ts"
import { Timestamp } from "../../domain/wire/Wire.ts"
import { jsonContent, makeSealedRepo, nextVersion } from "../../vault/SealedRepo.ts"
import { ConnectionRepo } from "../ConnectionRepo.ts"

const Content = Schema.Struct({
  original: Schema.String,
  /** The SHA-256 digest of the content with placeholders. */
  replaced: Schema.String,
  /** The connection that holds the tokens of the file, if the file contains a login. */
  login: Schema.optionalKey(
    Schema.Struct({ provider: ProviderName, connection: ConnectionName, id: Schema.optional(Schema.String) })
  ),
  /** Whether the user has requested the original, which may already be in the file. */
  returned: Schema.optionalKey(Schema.Boolean)
})
type Content = typeof Content.Type

const Row = Schema.Struct({
  record_id: Schema.String,
  profile: ProfileHandle,
  path: Schema.String,
  generation: Schema.Int,
  created_at: Timestamp,
  sealed: Schema.Uint8Array
})

const makeRepo = makeSealedRepo({
  table: "originals",
  key: ["record_id"],
  row: Row,
  contents: { sealed: jsonContent("content", Content) },
  names: ({ path, profile }) => ({ profile, provider: "original", connection: path })
})

export const makeOriginalFiles = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* makeRepo
  const connections = yield* ConnectionRepo
  const rowOf = (profile: ProfileHandle, path: string) => repo.row(sql`WHERE profile = ${profile} AND path = ${path}`)

  return {
    find: Effect.fnUntraced(function*(profile: ProfileHandle, path: string) {
      const row = yield* rowOf(profile, path)
      return row === undefined ? undefined : yield* repo.open(row, "sealed")
    }),
    /** Stores an original. Replaces an earlier original of the same path. */
    put: Effect.fnUntraced(function*(profile: ProfileHandle, path: string, content: Content) {
      const before = yield* rowOf(profile, path)
      yield* repo.put(before, { ...yield* nextVersion(before), profile, path }, { sealed: content })
    }),
    remove: (profile: ProfileHandle, path: string) =>
      Effect.flatMap(rowOf(profile, path), (row) => row === undefined ? Effect.void : repo.remove(row)),
    /** Removes originals that contain a provider's login and have no connection, in one profile or in all. */
    removeUnconnected: Effect.fnUntraced(function*(provider: ProviderName, profile?: ProfileHandle) {
      const rows = yield* repo.rows(profile === undefined ? sql`` : sql`WHERE profile = ${profile}`)
      const connected = yield* connections.ofProvider(provider)
      for (const row of rows) {
        const { login } = yield* repo.open(row, "sealed")
        const isConnected = connected.some((place) => place.profile === row.profile && place.name === login?.connection)
        if (login?.provider === provider && !isConnected) yield* repo.remove(row)
      }
    })
  }
})
