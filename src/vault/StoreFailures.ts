/** Converts failures of the database to the published error, with a remedy. */
import * as Effect from "effect/Effect"
import * as SqlError from "effect/sql/SqlError"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { primaryResult } from "../platform/SqliteResult.ts"

export const storeDamaged =
  "The store is damaged. Stop the daemon, restore server/credsvc.db and server/manifest.anchor from the same backup, " +
  "and start the daemon again."

/** SQLite's primary result codes, grouped by remedy. The sentences may name our own files but never a value. */
const sqlFailures: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [
    [5, 6],
    "Another program holds a lock on the store. Close every other program that has server/credsvc.db open, and try again."
  ],
  [
    [13],
    "The disk is full, and nothing was changed. Free some space on the disk of the home directory, and try again."
  ],
  [[10], "The disk of the home directory reports an input/output error. Check the disk and its mount, and try again."],
  [[11, 26], storeDamaged],
  [
    [3, 8, 14, 23],
    "The store cannot be written. Check that the home directory and its files belong to you, are writable, and are not " +
    "on a read-only file system."
  ]
]

export const storeUnavailable = (error: SqlError.SqlError): VaultUnavailableError =>
  VaultUnavailableError.of(
    error.reason._tag === "ConnectionError" && error.reason.operation === "open"
      ? `The store cannot be used: ${error.message}.`
      : sqlFailures.find(([codes]) => codes.includes(primaryResult(error.reason.cause)))?.[1] ??
        `The store could not be read or written: ${error.message}. Look for its cause with: credsvc doctor`
  )

export const sqlUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | VaultUnavailableError, R> =>
  Effect.mapError(
    effect,
    (error) => error instanceof SqlError.SqlError ? storeUnavailable(error) : error as Exclude<E, SqlError.SqlError>
  )
