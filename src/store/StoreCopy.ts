/** Copies all rows of a store to another store, possibly in the other kind of database. */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { snapshot } from "../platform/store/StoreChanges.ts"
import { type Table, tables } from "./Migrations.ts"
import type { StoreServices } from "./Store.ts"

type Row = Record<string, unknown>

const batch = 200

/** Removes the `rowid`, which PostgreSQL has as a column only for the order of the rows. */
const withoutRowid = (row: Row): Row => {
  const { rowid: _, ...columns } = row
  return columns
}

/** Reads a table in batches, in the order in which its rows were inserted. */
const eachBatch = <E, R>(
  sql: SqlClient.SqlClient,
  { name, order }: Table,
  use: (rows: Arr.NonEmptyReadonlyArray<Row>) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function*() {
    if (order !== "sequence") {
      const rows = yield* order === "rowid"
        ? sql<Row>`SELECT * FROM ${sql(name)} ORDER BY rowid`
        : sql<Row>`SELECT * FROM ${sql(name)}`
      for (const part of Arr.chunksOf(rows, batch)) yield* use(Arr.map(part, withoutRowid))
      return
    }
    const [lowest] = yield* sql<{ readonly seq: number | null }>`SELECT min(seq) - 1 AS seq FROM ${sql(name)}`
    let after = lowest?.seq ?? 0
    for (;;) {
      const rows = yield* sql<Row>`SELECT * FROM ${sql(name)} WHERE seq > ${after} ORDER BY seq LIMIT ${batch}`
      if (!Arr.isReadonlyArrayNonEmpty(rows)) return
      yield* use(Arr.map(rows, withoutRowid))
      after = Number(Arr.lastNonEmpty(rows)["seq"])
    }
  })

type Services = Context.Context<StoreServices>

const clientOf = (store: Services): SqlClient.SqlClient => Context.get(store, SqlClient.SqlClient)

/** Returns the ID of a store and the number of its changes, or undefined if the store is empty. */
export const headOf = (store: Services) =>
  Effect.gen(function*() {
    const sql = clientOf(store)
    const [id] = yield* sql<{ readonly value: string }>`SELECT value FROM meta WHERE key = 'store_id'`
    const [manifest] = yield* sql<{ readonly epoch: number }>`SELECT epoch FROM manifest`
    return id === undefined ? undefined : { storeId: id.value, epoch: manifest?.epoch ?? 0 }
  })

/**
 * Replaces all rows of a store with the rows of another store, in one transaction. Nobody else may write to the source meanwhile.
 */
export const copyRows = (source: Services, target: Services) => {
  const from = clientOf(source)
  const to = clientOf(target)
  return to.withTransaction(Effect.gen(function*() {
    for (const { name } of tables) yield* to`DELETE FROM ${to(name)}`
    for (const table of tables) {
      yield* eachBatch(from, table, (rows) => Effect.asVoid(to`INSERT INTO ${to(table.name)} ${to.insert(rows)}`))
    }
  }))
}

/** Like `copyRows`, but other daemons may write to the source, a PostgreSQL database. */
export const copySnapshot = (source: Services, target: Services) => {
  const from = clientOf(source)
  const copy = Effect.provideService(copyRows(source, target), SqlClient.BeginTransaction, undefined)
  return Effect.provideService(from.withTransaction(copy), SqlClient.BeginTransaction, snapshot)
}
