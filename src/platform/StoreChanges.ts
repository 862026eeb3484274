/** Reports foreign changes to the store, so that readers can cache what they have read. */
import * as Context from "effect/Context"

export class StoreChanges extends Context.Service<StoreChanges, {
  /** Changes when another connection commits to the database. Undefined if the database could not be opened. */
  readonly foreignVersion: () => number | undefined

  /** Describes a foreign change of the schema, such as a trigger that would change rows within our transactions. */
  readonly unexpectedSchema: () => string | undefined
}>()("credsvc/platform/StoreChanges") {}
