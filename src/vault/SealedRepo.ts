/** A table with sealed columns: reads and writes its rows, and reseals them when the keys are rotated. */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Struct from "effect/Struct"
import { randomId } from "../platform/Digest.ts"
import { StoreManifest, type StoreTransaction } from "./manifest/StoreManifest.ts"
import type { BoxKey } from "./SealedBox.ts"
import type { SecretIdentity } from "./SecretIdentity.ts"
import { rowsOf } from "./StoreRows.ts"
import { Vault } from "./Vault.ts"

/** The content of a sealed column as text, which is authenticated together with the name of the field. */
export interface Content<A> {
  readonly field: string
  readonly encode: (content: A) => Effect.Effect<string, unknown>
  readonly decode: (text: string) => Effect.Effect<A, unknown>
}

/** Content as JSON, which a schema encodes. */
export const jsonContent = <A, I>(field: string, schema: Schema.Codec<A, I>): Content<A> => {
  const text = Schema.fromJsonString(schema)
  return { field, encode: Schema.encodeEffect(text), decode: Schema.decodeUnknownEffect(text) }
}

type Contents = Readonly<Record<string, unknown>>

/** The boxes in the sealed columns of a row. */
type Boxes<Sealed> = { readonly [Column in keyof Sealed]: Uint8Array }

interface Options<Row extends Boxes<Sealed>, I, Sealed extends Contents> {
  readonly table: string
  /** The columns of the row's key. */
  readonly key: Arr.NonEmptyReadonlyArray<keyof Row & string>
  /** The columns that are read. */
  readonly row: Schema.Codec<Row, I>
  readonly contents: { readonly [Column in keyof Sealed]: Content<Sealed[Column]> }
  /** The names to which the secrets of a row are bound, besides its key, its generation and its `definition_fp`. */
  readonly names: (
    row: Omit<Row, keyof Sealed>
  ) => Pick<SecretIdentity, "connection" | "profile" | "provider"> & Partial<Pick<SecretIdentity, "definitionFp">>
}

/** The number of rows to open before other fibers can run. */
const openedAtOnce = 50

type Columns = Readonly<Record<string, unknown>>

interface Version {
  readonly record_id: string
  readonly generation: number
  readonly created_at: DateTime.Utc
}

/** The columns of the next version of a record, or of its first version. */
export const nextVersion = (before: Version | undefined) =>
  Effect.map(DateTime.now, (now) => ({
    record_id: before?.record_id ?? randomId(),
    generation: (before?.generation ?? 0) + 1,
    created_at: before?.created_at ?? now,
    updated_at: now
  }))

/** Makes the functions that read and write the rows. Key rotations reseal the table from then on. */
export const makeSealedRepo = <Row extends Boxes<Sealed>, I, Sealed extends Contents>(
  options: Options<Row, I, Sealed>
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const manifest = yield* StoreManifest
    const vault = yield* Vault
    const table = sql(options.table)
    const decode = rowsOf(options.row)
    const encode = Schema.encodeEffect(options.row)
    const sealedColumns = Struct.keys(options.contents)

    const identityOf = (row: Omit<Row, keyof Sealed>, column: keyof Sealed): SecretIdentity => {
      const columns: Columns & { readonly definition_fp?: string; readonly generation?: number } = row
      return {
        definitionFp: columns.definition_fp ?? "",
        ...options.names(row),
        field: options.contents[column].field,
        recordId: options.key.map((name) => columns[name]).join("/"),
        generation: columns.generation ?? 1
      }
    }

    const isRow = (row: Partial<Row>) => {
      const { generation }: { readonly generation?: number } = row
      return sql.and([
        ...options.key.map((column) => sql`${sql(column)} = ${row[column]}`),
        ...(generation === undefined ? [] : [sql`generation = ${generation}`])
      ])
    }

    /** Verifies the store, and reads the rows that a condition or order selects. */
    const rows = (which: Fragment) =>
      Effect.andThen(manifest.verified("rows"), Effect.suspend(() => decode(sql`SELECT * FROM ${table} ${which}`)))

    const row = (which: Fragment) => Effect.map(rows(which), ([row]) => row)

    const openAll = Effect.fnUntraced(function*<Column extends keyof Sealed & string>(
      rows: ReadonlyArray<Row>,
      column: Column
    ) {
      const contents: Array<Sealed[Column]> = []
      for (const part of Arr.chunksOf(rows, openedAtOnce)) {
        // Opening thousands of rows takes a second, during which the daemon must serve other requests.
        if (contents.length > 0) yield* Effect.yieldNow
        const boxes = part.map((row) => [identityOf(row, column), row[column]] as const)
        for (const text of yield* vault.openAll(boxes)) {
          contents.push(yield* Effect.orDie(options.contents[column].decode(Redacted.value(text))))
        }
      }
      return contents
    })

    const open = <Column extends keyof Sealed & string>(row: Row, column: Column) =>
      Effect.map(openAll([row], column), ([content]) => content!)

    const columnsOf = Effect.fnUntraced(function*(unsealed: Omit<Row, keyof Sealed>, contents: Sealed) {
      const boxes: Record<string, Uint8Array> = {}
      for (const column of sealedColumns) {
        const text = Redacted.make(yield* Effect.orDie(options.contents[column].encode(contents[column])))
        boxes[column] = yield* vault.seal(identityOf(unsealed, column), text)
      }
      const columns = yield* Effect.orDie(encode({ ...unsealed, ...boxes } as Row))
      return { updated_at: DateTime.formatIso(yield* DateTime.now), ...columns } as Record<string, string>
    })

    const sealAgain = Effect.fnUntraced(function*(keys: ReadonlyMap<string, BoxKey>) {
      const all = yield* rows(sql``)
      for (const found of all) {
        const boxes: Record<string, Uint8Array> = {}
        for (const column of sealedColumns) {
          const identity = identityOf(found, column)
          const key = keys.get(identity.profile)
          if (key !== undefined) boxes[column] = yield* vault.sealAgain(identity, found[column], key)
        }
        yield* sql`UPDATE ${table} SET ${sql.update(boxes)} WHERE ${isRow(found)}`
      }
      return all.length
    })
    vault.addTable(options.table, sealAgain)

    const insert = Effect.fnUntraced(
      function*(unsealed: Omit<Row, keyof Sealed>, contents: Sealed, others: Columns = {}) {
        yield* sql`INSERT INTO ${table} ${sql.insert({ ...yield* columnsOf(unsealed, contents), ...others })}`
      }
    )

    const replace = Effect.fnUntraced(function*(
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
    })

    return {
      rows,
      row,
      open,
      openAll,
      insert,

      /** Writes new content, unless the row has changed since it was read. Returns whether it was written. */
      replace,

      /** Writes the next version of a record over the version that was read, if any. */
      put: (before: Row | undefined, unsealed: Omit<Row, keyof Sealed>, contents: Sealed) =>
        before === undefined ? insert(unsealed, contents) : Effect.asVoid(replace(before, unsealed, contents)),

      /** Deletes a row. Returns false if it has changed since it was read. */
      remove: (before: Partial<Row>): Effect.Effect<boolean, SqlError, StoreTransaction> =>
        Effect.map(sql`DELETE FROM ${table} WHERE ${isRow(before)} RETURNING 1`, (removed) => removed.length === 1)
    }
  })
