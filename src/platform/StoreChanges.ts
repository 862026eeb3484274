/** Reports foreign changes to the store, so that readers can cache what they have read. */
import * as Context from "effect/Context"

export class StoreChanges extends Context.Service<StoreChanges, {
  /**
   * A number that changes when another connection commits to the database, which the exclusive lock prevents. This
   * process's own changes do not affect it. Undefined if the database could not be opened.
   */
  readonly foreignVersion: () => number | undefined

  /**
   * Describes how the schema differs from the one that credsvc created. Undefined if it does not: a foreign trigger
   * would change rows within our own transactions.
   */
  readonly unexpectedSchema: () => string | undefined
}>()("credsvc/platform/StoreChanges") {}
