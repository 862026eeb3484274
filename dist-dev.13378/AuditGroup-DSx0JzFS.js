import { a as annotations, h as get, i as RequestProblems, p as make, r as ProfileSelection } from "./SchemaProblems-DbdaqDHa.js";
import { J as isPattern, T as Struct, a as Boolean, et as optionalKey, f as Int, i as ArraySchema, m as Literals, v as NullOr, w as String } from "./Runtime-CYnC2HYz.js";
import { b as VaultUnavailableError, ct as Timestamp, lt as wire } from "./Errors-CqOgzwWL.js";
import { a as ProviderName } from "./Provider-CVJ_zWyp.js";

// src/domain/AuditEntry.ts
/** Audit entries: what was done with which connection, by which identity, and how it ended. Never free text, never a value. */
/**
* `get` is a reveal. `resolve` is the first use of a connection by one `run`, or any use by a caller that names no run.
* `scan` compares values with the vault.
*/
const AuditEvent = Literals([
	"login",
	"logout",
	"revoke",
	"export",
	"get",
	"resolve",
	"refresh",
	"set-default",
	"register",
	"remove",
	"scan",
	"profile-create",
	"profile-use",
	"vault-create"
]);
const AuditStatus = Literals([
	"ok",
	"denied",
	"failed"
]);
const AuditEntry = wire({
	seq: Int,
	timestamp: Timestamp,
	event: AuditEvent,
	provider: NullOr(String),
	connection: NullOr(String),
	identity: String,
	status: AuditStatus
}, "AuditEntry");
/** The answer of a check of the whole chain. `brokenAt` is the sequence number of the first bad entry. */
const AuditVerification = wire({
	ok: Boolean,
	entries: Int,
	head: String,
	brokenAt: NullOr(Int)
}, "AuditVerification");

// src/api/AuditGroup.ts
/** The audit log, read and verified. */
var AuditGroup = class extends make("audit").add(get("list", "/audit", {
	query: {
		limit: optionalKey(String.check(isPattern(/^[1-9]\d{0,4}$/, { expected: "a number from 1 to 99999" }))),
		provider: optionalKey(ProviderName),
		event: optionalKey(AuditEvent)
	},
	success: Struct({ entries: ArraySchema(AuditEntry) }),
	error: [VaultUnavailableError]
}).annotateMerge(annotations({
	identifier: "audit.list",
	summary: "Read the audit log",
	description: "The newest entries that match, oldest of them first; 50 unless `limit` says otherwise."
})), get("verify", "/audit/verify", {
	success: AuditVerification,
	error: [VaultUnavailableError]
}).annotateMerge(annotations({
	identifier: "audit.verify",
	summary: "Verify the audit log",
	description: "Recomputes the whole chain from its first entry."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(annotations({
	title: "Audit",
	description: "What was done, by which identity."
})) {};

export { AuditEntry as n, AuditVerification as r, AuditGroup as t };