/** The part of an audit entry that the caller states. It has no free text, so it can contain neither a secret nor a forged line. */
import type { AuditEvent, AuditStatus } from "../domain/wire/AuditEntry.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { ProviderName } from "../domain/wire/ProviderName.ts"

export interface AuditRecord {
  readonly event: AuditEvent
  readonly provider?: ProviderName | null
  /** The name of a connection, sandbox, policy, run or identity. */
  readonly connection?: string | null
  readonly identity: ProfileHandle
  readonly status: AuditStatus
}
