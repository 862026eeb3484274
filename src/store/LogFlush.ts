/**
 * Flushes the transactions of an SQLite database to the disk without blocking the process.
 *
 * SQLite flushes its write-ahead log within COMMIT, which takes milliseconds. Here a transaction commits without a
 * flush, and a thread of Node's pool flushes the log. The transaction keeps the connection until then, so that no
 * statement reads data that a system crash could undo. Outside of transactions, SQLite itself flushes each statement.
 */
import * as Effect from "effect/Effect"
import * as SqlError from "effect/sql/SqlError"
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { errorCode } from "../platform/ErrorCode.ts"

/** Opens the write-ahead log of the database `file` for explicit flushes. SQLite must have created the log. */
export const makeLogFlush = (db: DatabaseSync, file: string) => {
  const counter = db.prepare("SELECT total_changes() AS changes")
  const changes = () => counter.get()?.["changes"]
  const log = `${file}-wal`
  let synchronous = "FULL"
  let changesBefore: unknown
  // Opened now, so that it is the file that SQLite uses even if the name is removed later.
  const descriptor = fs.openSync(log, "r+")

  const failed = (cause: NodeJS.ErrnoException): SqlError.SqlError => {
    const message = `${log} could not be written to the disk (${errorCode(cause)})`
    return new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message, operation: "commit" }) })
  }

  return {
    /** Prepares the connection for a statement. */
    before: (statement: string): void => {
      if (db.isTransaction) return
      const begins = statement.startsWith("BEGIN")
      const wanted = begins ? "NORMAL" : "FULL"
      if (wanted !== synchronous) db.exec(`PRAGMA synchronous = ${wanted}`)
      synchronous = wanted
      if (begins) changesBefore = changes()
    },

    /** Flushes the writes of the last committed transaction. */
    flush: Effect.callback<void, SqlError.SqlError>((resume) => {
      if (changes() === changesBefore) return resume(Effect.void)
      fs.fdatasync(descriptor, (error) => resume(error === null ? Effect.void : Effect.fail(failed(error))))
    }),

    close: () => fs.closeSync(descriptor)
  }
}

export type LogFlush = ReturnType<typeof makeLogFlush>
