/** An entry of the audit log: the part that the caller states, and its stored form. */
import * as Schema from "effect/Schema"
import type { AuditEvent, AuditStatus } from "../domain/wire/AuditEntry.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { ProviderName } from "../domain/wire/ProviderName.ts"
import { chained } from "./ChainLinks.ts"

/** Has no free text, so it can contain neither a secret nor a forged line. */
export interface AuditRecord {
  readonly event: AuditEvent
  readonly provider?: ProviderName | null
  /** The name of a connection, sandbox, policy, run or identity. */
  readonly connection?: string | null
  readonly identity: ProfileHandle
  readonly status: AuditStatus
}

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
