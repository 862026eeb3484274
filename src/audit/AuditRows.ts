/** The rows of the audit log. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { AuditLink } from "../domain/LogChain.ts"
import { rowsOf } from "../vault/StoreRows.ts"

export type StoredEntry = AuditLink

/** The part of a row that its MAC covers. */
export type ChainEntry = Omit<AuditLink, "mac" | "signature">

export const entriesOf = rowsOf(AuditLink)

const sequences = rowsOf(Schema.Struct({ seq: Schema.NullOr(Schema.Int) }))

/** Runs a query for one sequence number, named `seq`. Undefined if no entry matches. */
export const sequenceOf = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
  Effect.map(sequences(query), ([row]) => row?.seq ?? undefined)
