/** Audit entries: which identity did what with which connection. They contain no free text and no secret values. */
import * as Schema from "effect/Schema"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

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
  "grant",
  "grant-receive",
  "grant-withdraw",
  "grant-lose",
  "register",
  "remove",
  "scan",
  "profile-create",
  "profile-use",
  "sandbox-create",
  "sandbox-access",
  "sandbox-rotate",
  "sandbox-delete",
  "policy-set",
  "policy-remove",
  "run-stop",
  "vault-rotate",
  "run-approve",
  "run-deny",
  "enrollment-code-create",
  "identity-enroll",
  "identity-disable",
  "identity-enable",
  "vault-create"
]).pipe(named(
  "AuditEvent",
  "What was done. `get` is a reveal. `resolve` is the first use of a connection by a run, or any use by a caller " +
    "without a run. `grant-receive` and `grant-lose` are the entries of the profile that another one grants a connection, or " +
    "withdraws it from. `sandbox-access` is a use of a sandbox's token or certificate authority"
))
export type AuditEvent = typeof AuditEvent.Type

export const AuditStatus = Schema.Literals(["ok", "denied", "failed"]).pipe(
  named("AuditStatus", "Whether the action was performed, rejected by a rule, or failed")
)
export type AuditStatus = typeof AuditStatus.Type

export const AuditEntry = wire(
  {
    seq: Schema.Int,
    timestamp: Timestamp,
    event: AuditEvent,
    provider: Schema.NullOr(Schema.String),
    connection: Schema.NullOr(Schema.String),
    identity: Schema.String,
    status: AuditStatus
  },
  "AuditEntry",
  "An action, and the identity that performed it",
  {
    seq: "The number of the entry; the first one is 1",
    timestamp: "When the action was performed",
    event: "What was done",
    provider: "The provider that the action was about; null if it was about none",
    connection:
      "The connection that the action was about, or the name of the sandbox, policy, run or identity; null if it was about none",
    identity: "The handle of the identity that performed the action",
    status: "Whether the action succeeded"
  }
)
export type AuditEntry = typeof AuditEntry.Type

export const AuditCopyState = Schema.Literals(["same", "rewritten", "differs"]).pipe(named(
  "AuditCopyState",
  "State of the copy in `server/logs/credsvc.log`: equal to the store, missing and rewritten, or different"
))
export type AuditCopyState = typeof AuditCopyState.Type

export const AuditVerification = wire(
  {
    ok: Schema.Boolean,
    entries: Schema.Int,
    first: Schema.Int,
    head: Schema.String,
    brokenAt: Schema.NullOr(Schema.Int),
    copy: AuditCopyState,
    requestBatches: Schema.Int,
    problem: Schema.NullOr(Schema.String)
  },
  "AuditVerification",
  "The result of verifying the whole audit log",
  {
    ok: "Whether every entry is valid",
    entries: "The number of valid entries",
    first: "The number of the first entry, with which the chain begins; older ones were deleted because of their age",
    head: "The hash of the newest entry, in hexadecimal",
    brokenAt: "The number of the first invalid entry; null if there is none or it is unknown",
    copy: "State of the copy in the log file",
    requestBatches: "The number of batches in the request log",
    problem: "What is wrong, and what to do; null if nothing is"
  }
)
export type AuditVerification = typeof AuditVerification.Type
