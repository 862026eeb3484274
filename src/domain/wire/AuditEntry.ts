/** Audit entries: which identity did what with which connection. They contain no free text and no secret values. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { named, Timestamp, wire } from "./Wire.ts"

/** The events, and what the dashboard calls them. */
export const auditEvents = {
  login: "Connected",
  logout: "Disconnected",
  revoke: "Revoked",
  export: "Exported",
  get: "Secret revealed",
  resolve: "Used",
  refresh: "Refreshed",
  "set-default": "Set as default",
  "set-contained-only": "Limited to contained runs",
  "trust-issuer": "Issuer accepted",
  grant: "Granted to another profile",
  "grant-receive": "Grant received",
  "grant-withdraw": "Grant withdrawn",
  "grant-lose": "Grant lost",
  register: "Provider added",
  remove: "Provider removed",
  scan: "Environment scanned",
  "restore-file": "File restored",
  "profile-create": "Profile created",
  "profile-use": "Profile switched",
  "sandbox-create": "Sandbox created",
  "sandbox-access": "Sandbox accessed",
  "sandbox-rotate": "Sandbox token replaced",
  "sandbox-delete": "Sandbox deleted",
  "policy-set": "Policy set",
  "policy-remove": "Policy removed",
  "run-stop": "Run stopped",
  "vault-rotate": "Vault keys rotated",
  "store-backup": "Backup made",
  "store-restore": "Store restored from a backup",
  "run-approve": "Request approved",
  "run-deny": "Request denied",
  "enrollment-code-create": "Enrollment code created",
  "identity-enroll": "Identity enrolled",
  "identity-disable": "Identity disabled",
  "identity-enable": "Identity enabled",
  "trust-create": "Trust created",
  "trust-remove": "Trust removed",
  "vault-create": "Vault created"
}

export const AuditEvent = Schema.Literals(Struct.keys(auditEvents)).pipe(named(
  "AuditEvent",
  "What was done. `get` is a reveal. `resolve` is the first use of a connection by a run, or any use by a caller " +
    "without a run. `grant-receive` and `grant-lose` record that another profile has granted a connection to this " +
    "profile, or withdrawn it. `restore-file` returns the original of a file with placeholders. `sandbox-access` is " +
    "a use of a sandbox's token or certificate authority"
))
export type AuditEvent = typeof AuditEvent.Type

export const AuditStatus = Schema.Literals(["ok", "denied", "failed"]).pipe(
  named("AuditStatus", "Whether the action succeeded, was denied, or failed")
)
export type AuditStatus = typeof AuditStatus.Type

export const AuditEntry = wire("AuditEntry", "An action, and the identity that performed it", {
  seq: [Schema.Int, "The number of the entry; the first entry is 1"],
  timestamp: [Timestamp, "When the action was performed"],
  event: [AuditEvent, "What was done"],
  provider: [Schema.NullOr(Schema.String), "The provider that the action was about; null if there was none"],
  connection: [
    Schema.NullOr(Schema.String),
    "The connection that the action was about, or the name of the sandbox, policy, run, identity or trust; null if there was none"
  ],
  identity: [Schema.String, "The handle of the identity that performed the action"],
  status: [AuditStatus, "Whether the action succeeded"],
  request: [
    Schema.optionalKey(Schema.String),
    "The ID of the request, as in the daemon's log; present if the request came from another machine or through a reverse proxy"
  ]
})
export type AuditEntry = typeof AuditEntry.Type

export const AuditCopyState = Schema.Literals(["same", "rewritten", "differs"]).pipe(named(
  "AuditCopyState",
  "State of the audit log's copy in `server/logs/credsvc.log`: equal to the store, missing and so rewritten, or different"
))
export type AuditCopyState = typeof AuditCopyState.Type

export const AuditVerification = wire("AuditVerification", "The result of verifying the whole audit log", {
  ok: [Schema.Boolean, "Whether every entry is valid"],
  entries: [Schema.Int, "The number of valid entries"],
  first: [
    Schema.Int,
    "The number of the first entry, with which the chain begins; older entries were deleted because of their age"
  ],
  head: [Schema.String, "The hash of the newest entry, in hexadecimal"],
  brokenAt: [
    Schema.NullOr(Schema.Int),
    "The number of the first invalid entry; null if there is none or it is unknown"
  ],
  copy: [AuditCopyState, "State of the copy in `server/logs/credsvc.log`"],
  requestBatches: [Schema.Int, "The number of batches in the request log"],
  problem: [Schema.NullOr(Schema.String), "What is wrong, and what to do; null if nothing is wrong"]
})
export type AuditVerification = typeof AuditVerification.Type
