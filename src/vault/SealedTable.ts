/** A table with sealed columns, described by the room that owns its rows, so that a rotation can seal them again. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { SecretIdentity } from "./SecretIdentity.ts"
import { rowsOf } from "./StoreRows.ts"

/** A sealed column of a row. */
export interface SealedColumn {
  readonly column: string
  readonly identity: SecretIdentity
  readonly sealed: Uint8Array
}

export interface SealedRow {
  /** The values of the row's key. */
  readonly key: Arr.NonEmptyReadonlyArray<string>
  readonly columns: ReadonlyArray<SealedColumn>
}

export interface SealedTable {
  readonly name: string
  /** The columns of the row's key. */
  readonly key: Arr.NonEmptyReadonlyArray<string>
  readonly rows: (sql: SqlClient) => Effect.Effect<ReadonlyArray<SealedRow>, VaultUnavailableError>
}

/** `identities` are those of the sealed columns of a row, by column. */
export const sealedTable = <A extends object, I>(
  name: string,
  key: Arr.NonEmptyReadonlyArray<keyof A & string>,
  row: Schema.Codec<A, I>,
  identities: (row: A) => Readonly<Record<string, SecretIdentity>>
): SealedTable => {
  const rows = rowsOf(row)
  const toSealed = (found: A): SealedRow => {
    const values = found as Readonly<Record<string, unknown>>
    return {
      key: Arr.map(key, (column) => String(values[column])),
      columns: Object.entries(identities(found)).map(([column, identity]) => ({
        column,
        identity,
        sealed: values[column] as Uint8Array
      }))
    }
  }
  return {
    name,
    key,
    rows: (sql) => Effect.map(rows(sql`SELECT * FROM ${sql(name)}`), (found) => found.map(toSealed))
  }
}
