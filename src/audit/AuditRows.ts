/** The rows of the audit log. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../vault/StoreRows.ts"

const chained = {
  seq: Schema.Int,
  timestamp: Schema.String,
  event: Schema.String,
  provider: Schema.NullOr(Schema.String),
  connection: Schema.NullOr(Schema.String),
  identity: Schema.NullOr(Schema.String),
  status: Schema.String,
  /** `hashOf` the previous entry, or `genesis` for the first. */
  prev_hash: Schema.String
}

/** The part of a row that its MAC covers: text, so that the MAC covers exactly what was written. */
export type ChainEntry = Schema.Struct<typeof chained>["Type"]

const StoredEntry = Schema.Struct({ ...chained, mac: Schema.String, signature: Schema.NullOr(Schema.String) })
export type StoredEntry = typeof StoredEntry.Type

export const entriesOf = rowsOf(StoredEntry)

const sequences = rowsOf(Schema.Struct({ seq: Schema.NullOr(Schema.Int) }))

/** Runs a query for one sequence number, named `seq`. Undefined if no entry matches. */
export const sequenceOf = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
  Effect.map(sequences(query), ([row]) => row?.seq ?? undefined)
