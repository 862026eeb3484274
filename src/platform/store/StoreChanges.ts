/** Reports changes to the store that this daemon did not make: by other daemons, and by programs that should not write to it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"

/** Begins a PostgreSQL transaction whose statements all see the same state, although others commit meanwhile. */
export const snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

/** A daemon that is connected to a shared store. */
export interface ConnectedDaemon {
  /** The owner name of the daemon's leases. */
  readonly owner: string
  readonly name: string
  /** The time since the daemon's last statement. It sends one every few seconds. */
  readonly silentMilliseconds: number
}

export class StoreChanges extends Context.Service<StoreChanges, {
  /** Whether several daemons may use the store at the same time. */
  readonly isShared: boolean

  /**
   * A number that changes when another connection commits to an SQLite database, or undefined if the database could not
   * be opened. Constant on PostgreSQL, whose rows have versions.
   */
  readonly foreignVersion: () => number | undefined

  /** Describes a foreign change of the schema, such as a trigger that would change rows within credsvc's transactions. */
  readonly unexpectedSchema: Effect.Effect<string | undefined, Error>

  /** Completes with a sentence once a newer version has migrated the store, so that this version can no longer use it. */
  readonly outdated: Effect.Effect<string>

  /** Lists the daemons that are connected to a shared store. */
  readonly daemons: Effect.Effect<ReadonlyArray<ConnectedDaemon>, SqlError>

  /**
   * Notifies the other daemons of this store when the caller's transaction commits. The service that announces a topic defines
   * what it means, and which name comes with it. Neither contains a space.
   */
  readonly announce: (topic: string, name: string) => Effect.Effect<void, SqlError>

  /**
   * Calls the listener after another daemon has announced a change. Announcements are only hints: they may be forged or
   * missing. If it is called without a name, the listener may have missed any number of them. The listener is removed when
   * the scope closes.
   */
  readonly onAnnounced: (
    topic: string,
    listener: (name: string | undefined) => void
  ) => Effect.Effect<void, never, Scope.Scope>
}>()("credsvc/platform/store/StoreChanges") {
  /** The service for a database that only one daemon uses, which announces nothing. */
  static readonly unannounced = {
    isShared: false,
    outdated: Effect.never,
    daemons: Effect.succeed([]),
    announce: () => Effect.void,
    onAnnounced: () => Effect.void
  }
}
