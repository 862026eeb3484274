/** Reads rows of the store exactly, and checks them against their schemas. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { storeDamaged, storeUnavailable } from "./StoreFailures.ts"

/**
 * Selects a column exactly as stored. On SQLite, a string with a NUL character is read as bytes, because Node 22.19 ends
 * a string there, which could hide an edit after the NUL. PostgreSQL strings cannot contain NUL characters.
 */
export const exactColumn = (sql: SqlClient, name: string): string =>
  sql.onDialectOrElse({
    pg: () => `"${name}"`,
    orElse: () => `iif(instr("${name}", char(0)) > 0, CAST("${name}" AS BLOB), "${name}") AS "${name}"`
  })

/** Runs a query and decodes its rows. A row that does not match the schema means that the store is damaged. */
export const rowsOf = <A, I>(row: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return <R>(
    query: Effect.Effect<ReadonlyArray<unknown>, SqlError, R>
  ): Effect.Effect<ReadonlyArray<A>, VaultUnavailableError, R> =>
    Effect.mapError(
      Effect.flatMap(query, decode),
      (error) => error._tag === "SqlError" ? storeUnavailable(error) : VaultUnavailableError.of(storeDamaged)
    )
}
