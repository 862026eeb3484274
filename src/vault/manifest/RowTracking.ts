/** The interface by which a database tells which covered rows have changed since they were verified. */
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { VaultUnavailableError } from "../../domain/Errors.ts"
import type { KeyObject } from "../../platform/builtins.ts"
import type { RowChanges, RowSet } from "./ManifestDigest.ts"

/** A version of all covered rows and of the schema. */
export interface Version {
  /** A value that is equal for two versions if no other process has committed between them. */
  readonly id: string | number | undefined
}

/** Rows that were verified, and their version. */
export interface Verified<V extends Version = Version> {
  readonly rows: RowSet
  readonly version: V
}

/** Changed rows, and the version after the changes. */
export interface Changed<V extends Version = Version> {
  readonly rows: RowChanges
  readonly version: V
}

type Failure = SqlError | VaultUnavailableError

/** Tells which rows a transaction or other processes have changed. */
export interface RowTracking<V extends Version = any> {
  readonly version: Effect.Effect<V, Failure>

  /** Whether the database still has this version. False if only a query could tell. */
  readonly isUnchanged: (version: V) => boolean

  /** Fails if the database is not the one that was opened. */
  readonly check: Effect.Effect<void, Failure>

  /** Runs the verification of the store as one transaction. */
  readonly inSnapshot: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>

  /** Reads all rows, in the transaction of `inSnapshot`. */
  readonly scanned: (key: KeyObject) => Effect.Effect<Verified<V>, Failure>

  /** Starts recording changes, until `changes` in the same transaction. */
  readonly begin: Effect.Effect<void, Failure>

  /** Returns the rows that this transaction has changed. Fails if a row was not in the verified state before. */
  readonly changes: (key: KeyObject, before: Verified<V>) => Effect.Effect<Changed<V>, Failure>

  /** The version at the end of this transaction. Called after the transaction has changed the manifest. */
  readonly settled: (version: V) => Effect.Effect<V, Failure>

  /**
   * Returns the rows that others have changed since a version. Undefined if the database cannot tell: then every row must be read
   * again.
   */
  readonly foreignChanges: ((key: KeyObject, before: Verified<V>) => Effect.Effect<Changed<V>, Failure>) | undefined

  /** Removes earlier contents of rows from the database's files. */
  readonly forgetContents: Effect.Effect<unknown, Failure>

  /** Drops cached pages, so that the next read comes from the disk. */
  readonly forgetPages: Effect.Effect<unknown, Failure>
}
