import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** The row of a connection of the first generation. Its sealed data cannot be opened. */
export const connectionRow = (recordId: string, name: string) => ({
  record_id: recordId,
  profile: "p",
  provider: "github",
  name,
  auth_type: "api_key",
  flow: "api_key",
  generation: 1,
  definition_fp: "fp",
  created_at: "t",
  updated_at: "t",
  sealed: new Uint8Array([1]),
  secret: new Uint8Array([2])
})

export const insertConnection = (recordId: string, name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`INSERT INTO connections ${sql.insert(connectionRow(recordId, name))}`
  )
