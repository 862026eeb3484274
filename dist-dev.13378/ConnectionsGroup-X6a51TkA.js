import { a as annotations, h as get, i as RequestProblems, p as make, r as ProfileSelection, v as post } from "./SchemaProblems-DbdaqDHa.js";
import { T as Struct, a as Boolean, et as optionalKey, i as ArraySchema, m as Literals, p as Literal, v as NullOr, w as String } from "./Runtime-CYnC2HYz.js";
import { l as Connection, u as ConnectionName } from "./main.js";
import { b as VaultUnavailableError, d as OperationNotAllowedError, i as ConnectionNotFoundError, lt as wire, p as ProviderNotFoundError } from "./Errors-CqOgzwWL.js";
import { a as ProviderName } from "./Provider-CVJ_zWyp.js";

// src/api/ConnectionsGroup.ts
/** Connections: list, read, log out, revoke, set the default. */
const connectionParams = {
	provider: ProviderName,
	connection: ConnectionName
};
/** `newDefault` names the connection that took over, when the one that left was the default and another remains. */
const LoggedOut = wire({
	status: Literal("logged_out"),
	provider: ProviderName,
	connection: ConnectionName,
	newDefault: NullOr(ConnectionName)
}, "LoggedOut");
/** `failures` are sentences about the provider's side; the local state is cleared all the same. */
const Revoked = wire({
	status: Literal("revoked"),
	provider: ProviderName,
	connections: ArraySchema(ConnectionName),
	providerContacted: Boolean,
	failures: ArraySchema(String)
}, "Revoked");
const DefaultSet = wire({
	status: Literal("ok"),
	provider: ProviderName,
	defaultConnection: ConnectionName
}, "DefaultSet");
var ConnectionsGroup = class extends make("connections").add(get("list", "/connections", {
	query: { provider: optionalKey(ProviderName) },
	success: Struct({ connections: ArraySchema(Connection) }),
	error: [ProviderNotFoundError, VaultUnavailableError]
}).annotateMerge(annotations({
	identifier: "connections.list",
	summary: "List connections",
	description: "Every connection of the profile, secrets redacted, by provider and name."
})), get("get", "/connections/:provider/:connection", {
	params: connectionParams,
	query: { reveal: optionalKey(Literals(["true", "false"])) },
	success: Connection,
	error: [
		ConnectionNotFoundError,
		ProviderNotFoundError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "connections.get",
	summary: "Get one connection",
	description: "Secrets are redacted unless `reveal=true`; a reveal is in the audit log before the answer leaves."
})), post("logout", "/connections/:provider/:connection/logout", {
	params: connectionParams,
	success: LoggedOut,
	error: [
		ConnectionNotFoundError,
		ProviderNotFoundError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "connections.logout",
	summary: "Remove one connection locally",
	description: "The provider is not contacted."
})), post("revoke", "/connections/:provider/revoke", {
	params: { provider: ProviderName },
	success: Revoked,
	error: [
		ProviderNotFoundError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "connections.revoke",
	summary: "End all connections of a provider",
	description: "Calls the provider's revocation endpoint where there is one, and clears all connections and client credentials locally even when that fails."
})), post("setDefault", "/connections/:provider/:connection/default", {
	params: connectionParams,
	success: DefaultSet,
	error: [
		ConnectionNotFoundError,
		ProviderNotFoundError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "connections.setDefault",
	summary: "Make a connection its provider's default"
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(annotations({
	title: "Connections",
	description: "Stored credentials, by provider and name."
})) {};

export { Revoked as i, DefaultSet as n, LoggedOut as r, ConnectionsGroup as t };