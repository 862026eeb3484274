/** The rows of the audit log. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../vault/StoreRows.ts"

/** An entry as it is stored: text, so that its MAC covers exactly what was written. */
const StoredEntry = Schema.Struct({
  seq: Schema.Int,
  timestamp: Schema.String,
  event: Schema.String,
  provider: Schema.NullOr(Schema.String),
  connection: Schema.NullOr(Schema.String),
  /** Null for entries of the store itself. */
  identity: Schema.NullOr(Schema.String),
  status: Schema.String,
  /** The hash of the previous entry, or `genesis` for the first. */
  prev_hash: Schema.String,
  mac: Schema.String
})
export type StoredEntry = typeof StoredEntry.Type

/** The part of a row that its MAC covers. */
export type ChainEntry = Omit<StoredEntry, "mac">

export const entriesOf = rowsOf(StoredEntry)

const sequences = rowsOf(Schema.Struct({ seq: Schema.NullOr(Schema.Int) }))

/** Runs a query for one sequence number, named `seq`. Undefined if no entry matches. */
export const sequenceOf = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
  Effect.map(sequences(query), ([row]) => row?.seq ?? undefined)
