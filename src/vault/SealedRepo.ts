/** A table with sealed columns: reads and writes its rows, and seals them again when the keys are rotated. */
import type * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import { StoreManifest, type StoreTransaction } from "./manifest/StoreManifest.ts"
import type { BoxKey } from "./SealedBox.ts"
import type { SecretIdentity } from "./SecretIdentity.ts"
import { rowsOf } from "./StoreRows.ts"
import { Vault } from "./Vault.ts"

/** The content of a sealed column as a text, which is authenticated. */
export interface Content<A> {
  readonly encode: (content: A) => Effect.Effect<string, unknown>
  readonly decode: (text: string) => Effect.Effect<A, unknown>
}

export const json = <A, I>(schema: Schema.Codec<A, I>): Content<A> => {
  const text = Schema.fromJsonString(schema)
  return { encode: Schema.encodeEffect(text), decode: Schema.decodeUnknownEffect(text) }
}

type Contents = Readonly<Record<string, unknown>>

interface Options<Row extends object, I, Sealed extends Contents> {
  readonly table: string
  /** The columns of the row's key. */
  readonly key: Arr.NonEmptyReadonlyArray<keyof Row & string>
  /** The columns that are read. */
  readonly row: Schema.Codec<Row, I>
  /** The sealed columns. */
  readonly contents: { readonly [Column in keyof Sealed]: Content<Sealed[Column]> }
  readonly identities: (row: Omit<Row, keyof Sealed>) => { readonly [Column in keyof Sealed]: SecretIdentity }
}

type Columns = Readonly<Record<string, unknown>>

export const makeSealedRepo = <Row extends object, I, Sealed extends Contents>(options: Options<Row, I, Sealed>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const manifest = yield* StoreManifest
    const vault = yield* Vault
    const table = sql(options.table)
    const decode = rowsOf(options.row)
    const encode = Schema.encodeEffect(options.row)
    const sealedColumns = Object.keys(options.contents) as ReadonlyArray<keyof Sealed & string>

    const isRow = (row: Partial<Row>) => {
      const { generation } = row as { readonly generation?: number }
      return sql.and([
        ...options.key.map((column) => sql`${sql(column)} = ${row[column]}`),
        ...(generation === undefined ? [] : [sql`generation = ${generation}`])
      ])
    }

    /** The rows that the end of a query selects, of the verified store. */
    const rows = (which: Fragment) =>
      Effect.andThen(manifest.verified("rows"), Effect.suspend(() => decode(sql`SELECT * FROM ${table} ${which}`)))

    const row = (which: Fragment) => Effect.map(rows(which), ([first]) => first)

    const open = <Column extends keyof Sealed & string>(
      found: Row,
      column: Column
    ): Effect.Effect<Sealed[Column], VaultUnavailableError> =>
      Effect.flatMap(
        vault.open(options.identities(found)[column], (found as Columns)[column] as Uint8Array),
        (text) => Effect.orDie(options.contents[column].decode(Redacted.value(text)))
      )

    const columnsOf = Effect.fnUntraced(function*(unsealed: Omit<Row, keyof Sealed>, contents: Sealed) {
      const boxes: Record<string, Uint8Array> = {}
      for (const column of sealedColumns) {
        const text = Redacted.make(yield* Effect.orDie(options.contents[column].encode(contents[column])))
        boxes[column] = yield* vault.seal(options.identities(unsealed)[column], text)
      }
      const columns = yield* Effect.orDie(encode({ ...unsealed, ...boxes } as Row))
      return { updated_at: DateTime.formatIso(yield* DateTime.now), ...columns } as Record<string, string>
    })

    const sealAgain = Effect.fnUntraced(function*(keys: ReadonlyMap<string, BoxKey>) {
      const all = yield* rows(sql``)
      for (const found of all) {
        const boxes: Record<string, Uint8Array> = {}
        for (const [column, identity] of Object.entries<SecretIdentity>(options.identities(found))) {
          const key = keys.get(identity.profile)
          const box = (found as Columns)[column] as Uint8Array
          if (key !== undefined) boxes[column] = yield* vault.sealAgain(identity, box, key)
        }
        yield* sql`UPDATE ${table} SET ${sql.update(boxes)} WHERE ${isRow(found)}`
      }
      return all.length
    })
    vault.tables.set(options.table, sealAgain)

    return {
      rows,
      row,
      open,

      insert: Effect.fnUntraced(function*(unsealed: Omit<Row, keyof Sealed>, contents: Sealed, others: Columns = {}) {
        const columns = yield* columnsOf(unsealed, contents)
        yield* sql`INSERT INTO ${table} ${sql.insert({ ...columns, ...others })}`
      }),

      /** Writes another content, unless the row has changed since it was read. Returns whether it was written. */
      replace: Effect.fnUntraced(function*(
        before: Partial<Row>,
        unsealed: Omit<Row, keyof Sealed>,
        contents: Sealed,
        others: Columns = {}
      ) {
        const columns = { ...yield* columnsOf(unsealed, contents), ...others }
        const written = yield* sql`UPDATE ${table} SET ${sql.update(columns, [...options.key])} WHERE ${
          isRow(before)
        } RETURNING 1`
        return written.length === 1
      }),

      /** Returns false if the row has changed since it was read. */
      remove: (before: Partial<Row>): Effect.Effect<boolean, SqlError, StoreTransaction> =>
        Effect.map(sql`DELETE FROM ${table} WHERE ${isRow(before)} RETURNING 1`, (removed) => removed.length === 1)
    }
  })
