/** An entry of the audit log in its stored form. */
import * as Schema from "effect/Schema"
import { chained } from "./ChainLinks.ts"

export const StoredEntry = Schema.Struct({
  ...chained,
  timestamp: Schema.String,
  event: Schema.String,
  provider: Schema.NullOr(Schema.String),
  connection: Schema.NullOr(Schema.String),
  identity: Schema.NullOr(Schema.String),
  status: Schema.String,
  request: Schema.NullOr(Schema.String)
})
export type StoredEntry = typeof StoredEntry.Type
