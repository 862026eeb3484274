/** Converts database failures to the published error, with a remedy. */
import * as Effect from "effect/Effect"
import * as SqlError from "effect/sql/SqlError"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { sqlState } from "../platform/store/Disconnection.ts"
import { primaryResult } from "../platform/store/SqliteResult.ts"
import type { StoreChanges } from "../platform/store/StoreChanges.ts"

/** The advice for a store that was changed outside of credsvc, as a clause. */
export const restoreAdvice = ({ isShared }: StoreChanges["Service"]): string =>
  isShared
    ? "restore the database from a backup, move server/manifest.anchor and server/logs/credsvc.log* out of the home"
    : "restore server/credsvc.db and server/manifest.anchor from the same backup"

/** The message about a damaged database. */
export const storeDamaged =
  "The store is damaged. Stop the daemon, restore its database from a backup (in a home: server/credsvc.db and " +
  "server/manifest.anchor from the same backup), and start the daemon again."

const connectionLost = "The connection to PostgreSQL was lost. Try again."

/** The remedy for a PostgreSQL failure, by its SQLSTATE. */
const postgresFailures: ReadonlyArray<readonly [RegExp, string]> = [
  [/^08|^57P|^25P03/, connectionLost],
  [/^55P03|^57014/, "Another daemon or program locks the tables of the store for too long. Try again."],
  [/^53100/, "The disk of PostgreSQL is full, and nothing was changed. Free some space on it, and try again."],
  [/^53/, "PostgreSQL has no connection or memory left for the store. Raise its limits, and try again."]
]

/** Describes a COMMIT whose response was lost with the connection. */
export const commitUnknown = (error: SqlError.SqlError): VaultUnavailableError =>
  postgresFailure(error) === connectionLost
    ? VaultUnavailableError.of(
      "The connection to PostgreSQL was lost while a change was stored, and the change may have taken effect. Check the " +
        "result before you repeat the operation."
    )
    : storeUnavailable(error)

const postgresFailure = (error: SqlError.SqlError): string | undefined =>
  postgresFailures.find(([pattern]) => pattern.test(sqlState(error)))?.[1] ??
    (error.reason._tag === "ConnectionError" ? connectionLost : undefined)

/** SQLite's primary result codes, grouped by remedy. The sentences may name credsvc's own files but never a value. */
const sqlFailures: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [
    [5, 6],
    "Another program holds a lock on the store. Close every other program that has server/credsvc.db open, and try again."
  ],
  [
    [13],
    "The disk is full, and nothing was changed. Free some space on the disk with the home of credsvc, and try again."
  ],
  [
    [10],
    "The disk with the home of credsvc reports an input/output error. Check the disk and its mount, and try again."
  ],
  [[11, 26], storeDamaged],
  [
    [3, 8, 14, 23],
    "The store cannot be written. Check that the home of credsvc and its files belong to you, are writable, and are not " +
    "on a read-only file system."
  ]
]

/** The published error for a database failure. */
export const storeUnavailable = (error: SqlError.SqlError): VaultUnavailableError =>
  VaultUnavailableError.of(
    error.reason._tag === "ConnectionError" && error.reason.operation === "open"
      ? `The store cannot be used: ${error.message}.`
      : sqlFailures.find(([codes]) => codes.includes(primaryResult(error.reason.cause)))?.[1] ??
        postgresFailure(error) ??
        `The store could not be read or written: ${error.message}. Find the cause with: credsvc doctor`
  )

/** The published error for a failure of reading, which may come from anywhere. */
export const unreadable = (cause: unknown): VaultUnavailableError =>
  cause instanceof SqlError.SqlError
    ? storeUnavailable(cause)
    : VaultUnavailableError.of("The store could not be read. Stop other programs that use its files.")

/** Converts the database failures of an effect. */
export const sqlUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | VaultUnavailableError, R> =>
  Effect.mapError(
    effect,
    (error) => error instanceof SqlError.SqlError ? storeUnavailable(error) : error as Exclude<E, SqlError.SqlError>
  )
