import * as Schema from "effect/Schema"
import { chained } from "./KeyedChain.ts"

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
/** An entry in its stored form: text, so that its MAC covers exactly what was written. */
export type StoredEntry = typeof StoredEntry.Type
