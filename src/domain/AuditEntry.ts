/** Audit entries: which identity did what with which connection. They contain no free text and no secret values. */
import * as Schema from "effect/Schema"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

/**
 * `get` is a reveal. `resolve` is the first use of a connection by a `run`, or any use by a caller without a run.
 * `sandbox-access` is a use of a sandbox's token or certificate authority. Entries about a sandbox or about a run have its
 * name as `connection`.
 */
export const AuditEvent = Schema.Literals([
  "login",
  "logout",
  "revoke",
  "export",
  "get",
  "resolve",
  "refresh",
  "set-default",
  "set-contained-only",
  "register",
  "remove",
  "scan",
  "profile-create",
  "profile-use",
  "sandbox-create",
  "sandbox-access",
  "sandbox-rotate",
  "sandbox-delete",
  "run-stop",
  "vault-create"
])
export type AuditEvent = typeof AuditEvent.Type

export const AuditStatus = Schema.Literals(["ok", "denied", "failed"])
export type AuditStatus = typeof AuditStatus.Type

export const AuditEntry = wire({
  seq: Schema.Int,
  timestamp: Timestamp,
  event: AuditEvent,
  provider: Schema.NullOr(Schema.String),
  connection: Schema.NullOr(Schema.String),
  identity: Schema.String,
  status: AuditStatus
}, "AuditEntry")
export type AuditEntry = typeof AuditEntry.Type

/** State of the copy in `server/logs/credsvc.log`: equal to the store, missing and rewritten, or different. */
export const AuditCopyState = Schema.Literals(["same", "rewritten", "differs"])
export type AuditCopyState = typeof AuditCopyState.Type

/**
 * The result of verifying the whole log. `brokenAt` is the first invalid entry, if known; `problem` says what to do.
 */
export const AuditVerification = wire({
  ok: Schema.Boolean,
  entries: Schema.Int,
  head: Schema.String,
  brokenAt: Schema.NullOr(Schema.Int),
  copy: AuditCopyState,
  problem: Schema.NullOr(Schema.String)
}, "AuditVerification")
export type AuditVerification = typeof AuditVerification.Type
