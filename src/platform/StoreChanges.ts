/** Whether what was read from the store still is what it holds, for readers that would rather not read it again. */
import * as Context from "effect/Context"

export class StoreChanges extends Context.Service<StoreChanges, {
  /**
   * A number that changes when another connection has committed to the database, which nobody else is meant to do. Changes
   * of this process leave it as it is. Undefined when the database could not be opened.
   */
  readonly foreignVersion: () => number | undefined

  /**
   * What the schema has or lacks, other than what credsvc made; undefined when it is as it should be. A trigger that another
   * process adds would change rows in our own transactions.
   */
  readonly unexpectedSchema: () => string | undefined
}>()("credsvc/platform/StoreChanges") {}
