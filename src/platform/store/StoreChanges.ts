/** Reports changes to the store by others: by other daemons, and by programs that should not write to it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** Begins a transaction on PostgreSQL whose statements all see one state, although others commit meanwhile. */
export const snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

/**
 * The subject of a notice: the covered rows, with the new epoch, a login session, with its hash, a run, with its name, a
 * request for the reports of all daemons, or such a report.
 */
export const topics = ["rows", "session", "run", "replicas", "replica"] as const

export type Topic = (typeof topics)[number]

/** A daemon that is connected to a store that several use. */
export interface ConnectedDaemon {
  /** The owner of its leases. */
  readonly owner: string
  readonly name: string
  /** The time since its last statement, which it sends every few seconds. */
  readonly silentMillis: number
}

export class StoreChanges extends Context.Service<StoreChanges, {
  /** Whether several daemons may use the store at the same time. */
  readonly isShared: boolean

  /**
   * Changes when another connection commits to a SQLite database. Undefined if the database could not be opened.
   * Constant on PostgreSQL, whose rows have versions.
   */
  readonly foreignVersion: () => number | undefined

  /** Describes a foreign change of the schema, such as a trigger that would change rows within our transactions. */
  readonly unexpectedSchema: Effect.Effect<string | undefined, unknown>

  /** Completes with a sentence once a newer version has migrated the store, which this version can no longer use. */
  readonly outdated: Effect.Effect<string>

  /** The daemons of a shared store. */
  readonly daemons: Effect.Effect<ReadonlyArray<ConnectedDaemon>, SqlError>

  /** Notifies the other daemons of this store as soon as the transaction of the caller commits. */
  readonly announce: (topic: Topic, name: string) => Effect.Effect<void, SqlError>

  /**
   * Calls the listener after another daemon has announced a change. Notices are only hints: they may be forged or
   * missing. Without a name, any number of them may have been missed. Returns a function that removes the listener.
   */
  readonly onAnnounced: (topic: Topic, listener: (name: string | undefined) => void) => () => void
}>()("credsvc/platform/store/StoreChanges") {
  /** The part of a database that only one daemon uses. */
  static readonly unannounced = {
    isShared: false,
    outdated: Effect.never,
    daemons: Effect.succeed([]),
    announce: () => Effect.void,
    onAnnounced: () => () => {}
  }
}
