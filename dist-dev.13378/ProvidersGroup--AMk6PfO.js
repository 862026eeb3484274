import { a as annotations, ft as status, h as get, i as RequestProblems, m as del, p as make, r as ProfileSelection, v as post } from "./SchemaProblems-DbdaqDHa.js";
import { A as Union, T as Struct, a as Boolean, et as optionalKey, i as ArraySchema, j as Unknown, m as Literals, w as String } from "./Runtime-CYnC2HYz.js";
import { b as VaultUnavailableError, d as OperationNotAllowedError, f as ProviderAlreadyRegisteredError, lt as wire, p as ProviderNotFoundError, u as InvalidRequestError } from "./Errors-CqOgzwWL.js";
import { a as ProviderName, i as OAuthProvider, n as AuthType, o as ProviderSource, r as FlowKind, t as ApiKeyProvider } from "./Provider-CVJ_zWyp.js";

// src/api/ProvidersGroup.ts
/** Providers: the bundled and the custom ones. */
/** One line of the list of providers. */
const ProviderSummary = wire({
	name: ProviderName,
	displayName: String,
	authType: AuthType,
	flow: FlowKind,
	flows: ArraySchema(FlowKind),
	source: ProviderSource,
	overridesBundled: Boolean,
	hosts: ArraySchema(String)
}, "ProviderSummary");
const origin = {
	source: ProviderSource,
	overridesBundled: Boolean
};
/** A definition, with where it comes from beside its own fields. */
const ProviderDetail = Union([wire({
	...OAuthProvider.to.fields,
	...origin
}), wire({
	...ApiKeyProvider.to.fields,
	...origin
})]);
const ProviderRemoved = Struct({
	status: Literals(["removed", "reset"]),
	provider: ProviderName
});
const flag = optionalKey(Literals(["true", "false"]));
var ProvidersGroup = class extends make("providers").add(get("list", "/providers", { success: Struct({ providers: ArraySchema(ProviderSummary) }) }).annotateMerge(annotations({
	identifier: "providers.list",
	summary: "List providers"
})), get("get", "/providers/:provider", {
	params: { provider: ProviderName },
	success: ProviderDetail,
	error: [ProviderNotFoundError]
}).annotateMerge(annotations({
	identifier: "providers.get",
	summary: "Get a provider's definition"
})), post("register", "/providers", {
	query: {
		force: flag,
		allow_insecure_loopback: flag
	},
	payload: Unknown,
	success: ProviderDetail.pipe(status(201)),
	error: [
		InvalidRequestError,
		ProviderAlreadyRegisteredError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "providers.register",
	summary: "Register a custom provider",
	description: "The body is the definition. With `force=true` it replaces a custom provider of that name, or overrides a bundled one. `allow_insecure_loopback=true` accepts http endpoints on literal loopback addresses."
})), del("remove", "/providers/:provider", {
	params: { provider: ProviderName },
	success: ProviderRemoved,
	error: [
		ProviderNotFoundError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "providers.remove",
	summary: "Remove a custom provider, or reset a bundled one",
	description: "The provider is not contacted. Connections of a provider that is gone go with it."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(annotations({
	title: "Providers",
	description: "APIs and how to authenticate to them."
})) {};

export { ProvidersGroup as n, ProviderDetail as t };