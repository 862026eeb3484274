/**
 * Row tracking on SQLite, where only one process writes.
 *
 * Temporary triggers record each change with the previous state of the row, and reject changes outside of
 * `StoreManifest.transact`, so that no change can be missed. The database's exclusive lock prevents commits by other
 * processes. Without the lock, as in tests, `PRAGMA data_version` shows such commits.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import * as fs from "node:fs"
import type { VaultUnavailableError } from "../../domain/Errors.ts"
import { readOr } from "../../platform/files/ReadOrEmpty.ts"
import type { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { unreadable } from "../StoreFailures.ts"
import { rowsOf } from "../StoreRows.ts"
import {
  canonicalName,
  coveredTables,
  describeRow,
  digestInStore,
  digestOfImage,
  imageOf,
  nameOf,
  scanRows
} from "./ManifestDigest.ts"
import type { RowTracking, Version } from "./RowTracking.ts"

const changeRows = rowsOf(Schema.Struct({ name: Schema.String, image: Schema.NullOr(Schema.String) }))

const triggers = coveredTables.flatMap((table) => {
  const { name } = table
  const guard = "SELECT RAISE(ABORT, 'a covered table was changed outside of StoreManifest.transact') " +
    "WHERE NOT EXISTS (SELECT 1 FROM manifest_guard)"
  // Without OR IGNORE: the conflict clause of the triggering statement would override it, even in an upsert.
  const added = `INSERT INTO manifest_changes VALUES (${nameOf(table, "new")}, NULL)`
  const removed = `INSERT INTO manifest_changes VALUES (${nameOf(table, "old")}, ${imageOf(table, "old")})`
  const trigger = (event: string, body: ReadonlyArray<string>) =>
    `CREATE TEMP TRIGGER IF NOT EXISTS "manifest_${name}_${event}" AFTER ${event} ON main."${name}" BEGIN ${
      [guard, ...body].join("; ")
    }; END`
  return [
    trigger("INSERT", [added]),
    trigger("DELETE", [removed]),
    trigger("UPDATE", [removed, added])
  ]
})

/** Identifies a file independently of its name. Returns undefined if the file does not exist. */
const fileIdentity = (file: string): string | undefined => {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
}

/** Creates the tracking. `condemn` reports a foreign change, which a clause describes. */
export const makeSqliteRowTracking = (
  sql: SqlClient,
  store: StoreChanges["Service"],
  file: string,
  condemn: (what: string) => Effect.Effect<never, VaultUnavailableError>
): RowTracking<Version> => {
  const opened = fileIdentity(file)
  let installed = false

  const version = Effect.try({ try: () => ({ id: store.foreignVersion() }), catch: unreadable })

  const prepared = Effect.gen(function*() {
    if (installed) return
    yield* sql.unsafe("CREATE TEMP TABLE IF NOT EXISTS manifest_guard (id INTEGER PRIMARY KEY)")
    yield* sql.unsafe("CREATE TEMP TABLE IF NOT EXISTS manifest_changes (name TEXT NOT NULL, image TEXT)")
    for (const trigger of triggers) yield* sql.unsafe(trigger)
    yield* sql.afterCommit(Effect.sync(() => {
      installed = true
    }))
  })

  return {
    version,
    isUnchanged: ({ id }) => readOr(() => store.foreignVersion() === id, false),
    check: Effect.suspend(() =>
      fileIdentity(file) === opened ? Effect.void : condemn(`${file} is not the file that was opened`)
    ),
    inSnapshot: (read) => sql.withTransaction(Effect.andThen(prepared, read)),
    scanned: (key) => Effect.zipWith(scanRows(sql, key), version, ({ rows }, version) => ({ rows, version })),
    // Prepares again if the transaction that verified the store was rolled back.
    begin: Effect.andThen(prepared, Effect.asVoid(sql`INSERT INTO manifest_guard (id) VALUES (1)`)),
    changes: Effect.fnUntraced(function*(key, before) {
      const noted = yield* changeRows(sql`SELECT name, image FROM manifest_changes ORDER BY rowid`)
      yield* sql`DELETE FROM manifest_changes`
      yield* sql`DELETE FROM manifest_guard`
      const changed = new Map<string, bigint | undefined>()
      const seen = new Set<string>()
      for (const { image, name: noting } of noted) {
        const name = canonicalName(noting)
        if (seen.has(name)) continue
        seen.add(name)
        const was = before.rows.digests.get(name)
        // The first entry for a row shows its state before this transaction.
        if (was !== (image === null ? undefined : digestOfImage(key, name, image))) {
          return yield* condemn(`${describeRow(name)} was altered`)
        }
        const digest = yield* digestInStore(sql, key, name)
        if (digest !== was) changed.set(name, digest)
      }
      return { rows: changed, version: before.version }
    }),
    settled: Effect.succeed,
    foreignChanges: undefined,
    forgetContents: sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)"),
    forgetPages: sql.unsafe("PRAGMA shrink_memory")
  }
}
