/** Reports foreign changes to the store, so that readers can cache what they have read. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class StoreChanges extends Context.Service<StoreChanges, {
  /**
   * Changes when another connection commits to a SQLite database. Undefined if the database could not be opened.
   * Constant on PostgreSQL, whose rows have versions.
   */
  readonly foreignVersion: () => number | undefined

  /** Describes a foreign change of the schema, such as a trigger that would change rows within our transactions. */
  readonly unexpectedSchema: Effect.Effect<string | undefined, unknown>
}>()("credsvc/platform/StoreChanges") {}
