import { A as Union, F as brand, G as isBetween, J as isPattern, K as isMaxLength, N as annotate, Q as makeFilter, a as Boolean, b as Record, ci as succeed, et as optionalKey, f as Int, i as ArraySchema, m as Literals, ot as withDecodingDefaultKey, p as Literal, q as isMinLength, w as String } from "./Runtime-CYnC2HYz.js";
import { lt as wire } from "./Errors-CqOgzwWL.js";

// src/domain/Provider.ts
/**
* Providers: an API and how one authenticates to it.
*
* A decoded definition is complete: flows, names and carriers that the document leaves out have their defaults. It is
* read from JSON by `ProviderDocument.ts`, which also checks what a schema can't say. `docs/provider.schema.json` is
* generated from these schemas.
*/
/** What stands in the environment of a child instead of a secret. Every placeholder contains it. */
const placeholderMarker = "credsvc-proxy-managed";
const reservedNames = /^(?:__proto__|constructor|prototype|hasownproperty|tostring|valueof|con|prn|aux|nul|(?:com|lpt)\d)$/;
const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const isUnreserved = (name) => !name.includes("..") && !name.endsWith(".") && !reservedNames.test(name.split(".")[0]);
/** A safe file name and path segment (A28). Windows reserves `con.json` too, so the part before a dot counts. */
const isProviderName = (name) => namePattern.test(name) && isUnreserved(name);
const ProviderName = String.check(isPattern(namePattern, { expected: "a name of 1-64 characters from a-z, 0-9, dot, underscore and hyphen" }), makeFilter((name) => !namePattern.test(name) || isUnreserved(name), { expected: "a name that is not reserved and has no \"..\"" })).pipe(brand("ProviderName"), annotate({ identifier: "ProviderName" }));
const AuthType = Literals(["oauth2", "api_key"]);
const OAuthFlowKind = Literals([
	"pkce",
	"device_code",
	"dcr_pkce"
]);
const FlowKind = Literals([
	"pkce",
	"device_code",
	"dcr_pkce",
	"api_key"
]);
const ProviderSource = Literals(["bundled", "custom"]);
const printable = isPattern(/^[^\u0000-\u001f\u007f-\u009f]*$/, { expected: "text without control characters" });
const text = (maxLength, description) => String.check(isMaxLength(maxLength), printable).annotate({ description });
const url = (description) => text(2048, description);
const texts = (maxLength, description) => ArraySchema(String.check(isMinLength(1), isMaxLength(maxLength), printable)).check(isMaxLength(200)).annotate({ description }).pipe(withDecodingDefaultKey(succeed([])));
const parameters = (description) => Record(String, String.check(isMaxLength(4096))).annotate({ description }).pipe(withDecodingDefaultKey(succeed({})));
const variable = String.check(isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { expected: "the name of an environment variable" }));
/** HTTP Basic; both sides may use `{field}`. */
const BasicTemplate = wire({
	username: String.check(isMaxLength(512)),
	password: String.check(isMaxLength(512))
});
/** Where the secret goes in a request. Without any of these: `Authorization: Bearer <key>`. */
const placementFields = {
	headerName: optionalKey(text(128, "Header that carries the secret; Authorization when absent")),
	headerPrefix: optionalKey(text(64, "Word before the secret; Bearer when absent, empty for the bare secret")),
	queryParam: optionalKey(text(64, "Query parameter that carries the secret, in place of a header")),
	basic: optionalKey(BasicTemplate.annotate({ description: "HTTP Basic, in place of a header" })),
	headers: parameters("Further headers; values may use {field}")
};
const Placement = wire(placementFields);
/** One value that a person enters. */
const CredentialField = wire({
	name: String.check(isPattern(/^[a-z][a-z0-9_]{0,63}$/, { expected: "a name in lower case" })),
	label: optionalKey(text(100, "What the form says beside the input")),
	secret: Boolean.pipe(withDecodingDefaultKey(succeed(true))),
	pattern: optionalKey(text(512, "Regular expression that the whole trimmed value matches")),
	hint: optionalKey(text(500, "Where the value is found, and what is said when the pattern does not match")),
	placeholder: optionalKey(text(256, `Stands for the value in a child's environment; contains ${placeholderMarker}`))
});
const ApiKeySection = wire({
	...placementFields,
	perHost: Record(String, Placement).annotate({ description: "Another placement for some of `hosts`, by the entry as written there" }).pipe(withDecodingDefaultKey(succeed({}))),
	fields: ArraySchema(CredentialField).check(isMaxLength(16)).annotate({ description: "The values that make up the key; one secret field api_key when absent" }).pipe(withDecodingDefaultKey(succeed([]))),
	keyPattern: optionalKey(text(512, "Regular expression that the whole trimmed key matches")),
	keyPatternHint: optionalKey(text(500, "What is said when the key does not match")),
	envVar: optionalKey(variable),
	baseUrl: optionalKey(url("The tenant's address: the default one, or a template as https://{tenant}.example.com"))
});
const ClientAuthentication = Literals([
	"client_secret_basic",
	"client_secret_post",
	"none"
]);
const RequestFormat = Literals(["form", "json"]);
const pointer = optionalKey(String.check(isMaxLength(256), isPattern(/^(?:\/(?:[^~/]|~[01])*)+$/, { expected: "a JSON pointer such as /authed_user/access_token" })));
/** Where a token response keeps what RFC 6749 keeps at the top. */
const TokenResponsePointers = wire({
	accessToken: pointer,
	refreshToken: pointer,
	tokenType: pointer,
	expiresIn: pointer,
	scope: pointer,
	accountId: pointer,
	accountLabel: pointer,
	baseUrl: pointer,
	error: pointer
});
const OAuthSection = wire({
	authorizationUrl: optionalKey(url("Authorization endpoint")),
	tokenUrl: optionalKey(url("Token endpoint")),
	revocationUrl: optionalKey(url("Revocation endpoint, RFC 7009")),
	deviceAuthorizationUrl: optionalKey(url("Device authorization endpoint, RFC 8628")),
	deviceTokenUrl: optionalKey(url("Where a device flow polls, when not at the token endpoint")),
	issuer: optionalKey(url("Issuer, for discovery by RFC 8414 or OpenID Connect")),
	resource: optionalKey(url("Protected resource, for discovery by RFC 9728; sent as RFC 8707 resource")),
	registrationUrl: optionalKey(url("Client registration endpoint, RFC 7591; discovered when absent")),
	scopes: texts(256, "Scopes that are asked for"),
	scopeSeparator: String.check(isMinLength(1), isMaxLength(2)).pipe(withDecodingDefaultKey(succeed(" "))),
	pkce: Boolean.annotate({ description: "False only for servers that reject a code challenge" }).pipe(withDecodingDefaultKey(succeed(true))),
	baseUrl: optionalKey(url("The tenant's address: the default one, or a template as https://{tenant}.example.com")),
	clientAuthentication: optionalKey(ClientAuthentication),
	authorizationParams: parameters("Further parameters of the authorization request"),
	tokenParams: parameters("Further parameters of the token request"),
	tokenRequestFormat: RequestFormat.pipe(withDecodingDefaultKey(succeed("form"))),
	deviceTokenRequest: optionalKey(RequestFormat),
	tokenResponse: TokenResponsePointers.pipe(withDecodingDefaultKey(succeed({}))),
	headerName: optionalKey(text(128, "Header that carries the access token; Authorization when absent")),
	headerPrefix: optionalKey(text(64, "Word before the token; Bearer when absent, empty for the bare token")),
	headers: parameters("Further headers; values may use {access_token} and {client_id}")
});
const TestRequest = wire({
	method: Literals([
		"GET",
		"HEAD",
		"POST"
	]).pipe(withDecodingDefaultKey(succeed("GET"))),
	path: text(1024, "Path and query from the root of the API's host; may use {field}"),
	expect: Int.check(isBetween({
		minimum: 100,
		maximum: 599
	})).annotate({ description: "Status of a good answer" }).pipe(withDecodingDefaultKey(succeed(200))),
	body: optionalKey(text(4096, "JSON body of a POST"))
});
const ExportSection = wire({ env: Record(String, Union([variable, ArraySchema(variable)])).annotate({ description: "Field to the environment variable that carries it, or to several; the first is the one to print" }).pipe(withDecodingDefaultKey(succeed({}))) });
const head = {
	$schema: optionalKey(String.check(isMaxLength(2048))),
	schemaVersion: Literal(1).pipe(withDecodingDefaultKey(succeed(1))),
	name: ProviderName,
	displayName: text(100, "Name for people; the provider name when absent").pipe(withDecodingDefaultKey(succeed(""))),
	description: optionalKey(text(1e3, "One sentence about the API")),
	categories: texts(64, "Groups that the provider is listed under"),
	docsUrl: optionalKey(url("Documentation of the API's authentication")),
	credentialsUrl: optionalKey(url("The page where a person makes the key or the OAuth app"))
};
const tail = {
	extraHeaders: parameters("Headers that are set when the request lacks them; values may use {field}"),
	export: ExportSection.pipe(withDecodingDefaultKey(succeed({}))),
	placeholder: text(256, `Stands for the secret in a child's environment; contains ${placeholderMarker}`).pipe(withDecodingDefaultKey(succeed(placeholderMarker))),
	testRequest: optionalKey(TestRequest),
	allowInsecureLoopback: optionalKey(Boolean.annotate({ description: "Accepts literal loopback addresses; set by register --allow-insecure-loopback" }))
};
const routing = {
	apiUrl: optionalKey(url("Address or host of the API; may begin with {base_url}")),
	hosts: texts(512, "Every host that may receive the credential; the host of api_url when absent"),
	publicHosts: texts(512, "Entries of hosts that serve strangers too: without a connection they are left alone")
};
const OAuthProvider = wire({
	...head,
	authType: Literal("oauth2"),
	flow: OAuthFlowKind,
	flows: ArraySchema(OAuthFlowKind).pipe(withDecodingDefaultKey(succeed([]))),
	...routing,
	oauth: OAuthSection,
	...tail
});
const ApiKeyProvider = wire({
	...head,
	authType: Literal("api_key"),
	flow: Literal("api_key"),
	flows: ArraySchema(Literal("api_key")).pipe(withDecodingDefaultKey(succeed([]))),
	...routing,
	apiKey: ApiKeySection.pipe(withDecodingDefaultKey(succeed({}))),
	...tail
});
const ProviderDefinition = Union([OAuthProvider, ApiKeyProvider]).annotate({ identifier: "ProviderDefinition" });

export { ProviderName as a, OAuthProvider as i, AuthType as n, ProviderSource as o, FlowKind as r, isProviderName as s, ApiKeyProvider as t };