import { a as annotations, i as RequestProblems, p as make, r as ProfileSelection, v as post } from "./SchemaProblems-DbdaqDHa.js";
import { G as isBetween, J as isPattern, K as isMaxLength, S as RedactedFromValue, T as Struct, b as Record, et as optionalKey, f as Int, i as ArraySchema, m as Literals, v as NullOr, w as String } from "./Runtime-CYnC2HYz.js";
import { u as ConnectionName } from "./main.js";
import { a as CredentialMissingError, b as VaultUnavailableError, ct as Timestamp, d as OperationNotAllowedError, i as ConnectionNotFoundError, lt as wire, m as RefreshFailedError, p as ProviderNotFoundError, t as AmbiguousProviderError, v as TokenExpiredError } from "./Errors-CqOgzwWL.js";
import { a as ProviderName } from "./Provider-CVJ_zWyp.js";

// src/api/CredentialsGroup.ts
/** Credentials: exported for a person, resolved for the proxy. */
const Secret = RedactedFromValue(String);
const ExportFormat = Literals([
	"env",
	"shell",
	"json"
]);
const ExportRequest = Struct({
	provider: ProviderName,
	connection: optionalKey(ConnectionName),
	format: optionalKey(ExportFormat)
});
/** `output` is what the command prints, ending in a newline: `env` for a .env reader, `shell` for `eval`, `json` an object. */
const Exported = Struct({
	format: ExportFormat,
	variables: Record(String, Secret),
	output: Secret
});
/** A request about to be made. `host` is a lower-case name without port; `path` begins with a slash and has no query. */
const ResolveRequest = Struct({
	host: String.check(isMaxLength(253)),
	port: optionalKey(Int.check(isBetween({
		minimum: 1,
		maximum: 65535
	}))),
	scheme: optionalKey(Literals(["https", "http"])),
	method: optionalKey(String.check(isMaxLength(32))),
	path: optionalKey(String.check(isMaxLength(16384))),
	provider: optionalKey(ProviderName),
	connection: optionalKey(ConnectionName)
});
/**
* What to put on that one request. `headers` and `query` replace whatever stands there; `defaults` are headers to set only
* where the request has none; `strip` are names of further credential headers and query parameters (lower case) to take away.
*/
const Resolved = wire({
	provider: ProviderName,
	connection: ConnectionName,
	headers: Record(String, Secret),
	query: Record(String, Secret),
	defaults: Record(String, Secret),
	strip: Struct({
		headers: ArraySchema(String),
		query: ArraySchema(String)
	}),
	expiresAt: NullOr(Timestamp)
}, "Resolved");
var CredentialsGroup = class extends make("credentials").add(post("export", "/credentials/export", {
	payload: ExportRequest,
	success: Exported,
	error: [
		ConnectionNotFoundError,
		ProviderNotFoundError,
		OperationNotAllowedError,
		CredentialMissingError,
		TokenExpiredError,
		RefreshFailedError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "credentials.export",
	summary: "Export a credential",
	description: "Refreshes first, so it never hands out an expired token. A refresh token is never exported. The export is in the audit log before the answer leaves."
})), post("resolve", "/credentials/resolve", {
	headers: Struct({ "credsvc-run": optionalKey(String.check(isPattern(/^[A-Za-z0-9_-]{16,64}$/, { expected: "a run id" }))) }),
	payload: ResolveRequest,
	success: Resolved,
	error: [
		ProviderNotFoundError,
		ConnectionNotFoundError,
		OperationNotAllowedError,
		CredentialMissingError,
		TokenExpiredError,
		RefreshFailedError,
		AmbiguousProviderError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "credentials.resolve",
	summary: "Resolve the credential for a host",
	description: "Refreshes when due. Only https is resolved. The first use of a connection by a run (header `Credsvc-Run`), or any use without one, is in the audit log before the answer leaves."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(annotations({
	title: "Credentials",
	description: "Secrets, for the proxy and on explicit demand."
})) {};

export { CredentialsGroup as t };