import * as Schema from "effect/Schema";
import * as Effect from "effect/Effect";
import * as HttpApiError from "effect/http-api/HttpApiError";
import * as Runtime from "effect/Runtime";
import * as Context from "effect/Context";
import * as HttpApi from "effect/http-api/HttpApi";
import * as OpenApi from "effect/http-api/OpenApi";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
// src/domain/Timestamp.ts
/** Moments: RFC 3339 in UTC on the wire, `DateTime.Utc` in code. */
const Timestamp = Schema.DateTimeUtcFromString;
// src/domain/Wire.ts
/**
* The one place where camelCase meets snake_case.
*
* `wire(fields)` is `Schema.Struct(fields)` whose encoded keys are the snake_case form of the names, for the compiler
* and at run time. Nested objects are written with `wire` themselves; keys of a `Schema.Record` are data and stay.
*/
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const wireKeys = (fields) => Object.fromEntries(Object.keys(fields).map((name) => [name, snakeCase(name)]));
/** `identifier` names the encoded form, which makes it a component of its own in JSON schemas and in the OpenAPI description. */
const wire = (fields, identifier) => {
	const codec = Schema.Struct(fields).pipe(Schema.encodeKeys(wireKeys(fields)));
	return identifier === void 0 ? codec : Schema.annotateEncoded({ identifier })(codec);
};
// src/domain/AuditEntry.ts
/** Audit entries: what was done with which connection, by which identity, and how it ended. Never free text, never a value. */
/**
* `get` is a reveal. `resolve` is the first use of a connection by one `run`, or any use by a caller that names no run.
* `scan` compares values with the vault.
*/
const AuditEvent = Schema.Literals([
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
const AuditStatus = Schema.Literals([
	"ok",
	"denied",
	"failed"
]);
const AuditEntry = wire({
	seq: Schema.Int,
	timestamp: Timestamp,
	event: AuditEvent,
	provider: Schema.NullOr(Schema.String),
	connection: Schema.NullOr(Schema.String),
	identity: Schema.String,
	status: AuditStatus
}, "AuditEntry");
/** The answer of a check of the whole chain. `brokenAt` is the sequence number of the first bad entry. */
const AuditVerification = wire({
	ok: Schema.Boolean,
	entries: Schema.Int,
	head: Schema.String,
	brokenAt: Schema.NullOr(Schema.Int)
}, "AuditVerification");
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
const ProviderName = Schema.String.check(Schema.isPattern(namePattern, { expected: "a name of 1-64 characters from a-z, 0-9, dot, underscore and hyphen" }), Schema.makeFilter((name) => !namePattern.test(name) || isUnreserved(name), { expected: "a name that is not reserved and has no \"..\"" })).pipe(Schema.brand("ProviderName"), Schema.annotate({ identifier: "ProviderName" }));
const AuthType = Schema.Literals(["oauth2", "api_key"]);
const OAuthFlowKind = Schema.Literals([
	"pkce",
	"device_code",
	"dcr_pkce"
]);
const FlowKind = Schema.Literals([
	"pkce",
	"device_code",
	"dcr_pkce",
	"api_key"
]);
const ProviderSource = Schema.Literals(["bundled", "custom"]);
const printable = Schema.isPattern(/^[^\u0000-\u001f\u007f-\u009f]*$/, { expected: "text without control characters" });
const text = (maxLength, description) => Schema.String.check(Schema.isMaxLength(maxLength), printable).annotate({ description });
const url = (description) => text(2048, description);
const texts = (maxLength, description) => Schema.Array(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(maxLength), printable)).check(Schema.isMaxLength(200)).annotate({ description }).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])));
const parameters = (description) => Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(4096))).annotate({ description }).pipe(Schema.withDecodingDefaultKey(Effect.succeed({})));
const variable = Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { expected: "the name of an environment variable" }));
/** HTTP Basic; both sides may use `{field}`. */
const BasicTemplate = wire({
	username: Schema.String.check(Schema.isMaxLength(512)),
	password: Schema.String.check(Schema.isMaxLength(512))
});
/** Where the secret goes in a request. Without any of these: `Authorization: Bearer <key>`. */
const placementFields = {
	headerName: Schema.optionalKey(text(128, "Header that carries the secret; Authorization when absent")),
	headerPrefix: Schema.optionalKey(text(64, "Word before the secret; Bearer when absent, empty for the bare secret")),
	queryParam: Schema.optionalKey(text(64, "Query parameter that carries the secret, in place of a header")),
	basic: Schema.optionalKey(BasicTemplate.annotate({ description: "HTTP Basic, in place of a header" })),
	headers: parameters("Further headers; values may use {field}")
};
const Placement = wire(placementFields);
/** One value that a person enters. */
const CredentialField = wire({
	name: Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/, { expected: "a name in lower case" })),
	label: Schema.optionalKey(text(100, "What the form says beside the input")),
	secret: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
	pattern: Schema.optionalKey(text(512, "Regular expression that the whole trimmed value matches")),
	hint: Schema.optionalKey(text(500, "Where the value is found, and what is said when the pattern does not match")),
	placeholder: Schema.optionalKey(text(256, `Stands for the value in a child's environment; contains ${placeholderMarker}`))
});
const ApiKeySection = wire({
	...placementFields,
	perHost: Schema.Record(Schema.String, Placement).annotate({ description: "Another placement for some of `hosts`, by the entry as written there" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
	fields: Schema.Array(CredentialField).check(Schema.isMaxLength(16)).annotate({ description: "The values that make up the key; one secret field api_key when absent" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
	keyPattern: Schema.optionalKey(text(512, "Regular expression that the whole trimmed key matches")),
	keyPatternHint: Schema.optionalKey(text(500, "What is said when the key does not match")),
	envVar: Schema.optionalKey(variable),
	baseUrl: Schema.optionalKey(url("The tenant's address: the default one, or a template as https://{tenant}.example.com"))
});
const ClientAuthentication = Schema.Literals([
	"client_secret_basic",
	"client_secret_post",
	"none"
]);
const RequestFormat = Schema.Literals(["form", "json"]);
const pointer = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(256), Schema.isPattern(/^(?:\/(?:[^~/]|~[01])*)+$/, { expected: "a JSON pointer such as /authed_user/access_token" })));
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
	authorizationUrl: Schema.optionalKey(url("Authorization endpoint")),
	tokenUrl: Schema.optionalKey(url("Token endpoint")),
	revocationUrl: Schema.optionalKey(url("Revocation endpoint, RFC 7009")),
	deviceAuthorizationUrl: Schema.optionalKey(url("Device authorization endpoint, RFC 8628")),
	deviceTokenUrl: Schema.optionalKey(url("Where a device flow polls, when not at the token endpoint")),
	issuer: Schema.optionalKey(url("Issuer, for discovery by RFC 8414 or OpenID Connect")),
	resource: Schema.optionalKey(url("Protected resource, for discovery by RFC 9728; sent as RFC 8707 resource")),
	registrationUrl: Schema.optionalKey(url("Client registration endpoint, RFC 7591; discovered when absent")),
	scopes: texts(256, "Scopes that are asked for"),
	scopeSeparator: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(" "))),
	pkce: Schema.Boolean.annotate({ description: "False only for servers that reject a code challenge" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
	baseUrl: Schema.optionalKey(url("The tenant's address: the default one, or a template as https://{tenant}.example.com")),
	clientAuthentication: Schema.optionalKey(ClientAuthentication),
	authorizationParams: parameters("Further parameters of the authorization request"),
	tokenParams: parameters("Further parameters of the token request"),
	tokenRequestFormat: RequestFormat.pipe(Schema.withDecodingDefaultKey(Effect.succeed("form"))),
	deviceTokenRequest: Schema.optionalKey(RequestFormat),
	tokenResponse: TokenResponsePointers.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
	headerName: Schema.optionalKey(text(128, "Header that carries the access token; Authorization when absent")),
	headerPrefix: Schema.optionalKey(text(64, "Word before the token; Bearer when absent, empty for the bare token")),
	headers: parameters("Further headers; values may use {access_token} and {client_id}")
});
const TestRequest = wire({
	method: Schema.Literals([
		"GET",
		"HEAD",
		"POST"
	]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("GET"))),
	path: text(1024, "Path and query from the root of the API's host; may use {field}"),
	expect: Schema.Int.check(Schema.isBetween({
		minimum: 100,
		maximum: 599
	})).annotate({ description: "Status of a good answer" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(200))),
	body: Schema.optionalKey(text(4096, "JSON body of a POST"))
});
const ExportSection = wire({ env: Schema.Record(Schema.String, Schema.Union([variable, Schema.Array(variable)])).annotate({ description: "Field to the environment variable that carries it, or to several; the first is the one to print" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))) });
const head = {
	$schema: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2048))),
	schemaVersion: Schema.Literal(1).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1))),
	name: ProviderName,
	displayName: text(100, "Name for people; the provider name when absent").pipe(Schema.withDecodingDefaultKey(Effect.succeed(""))),
	description: Schema.optionalKey(text(1e3, "One sentence about the API")),
	categories: texts(64, "Groups that the provider is listed under"),
	docsUrl: Schema.optionalKey(url("Documentation of the API's authentication")),
	credentialsUrl: Schema.optionalKey(url("The page where a person makes the key or the OAuth app"))
};
const tail = {
	extraHeaders: parameters("Headers that are set when the request lacks them; values may use {field}"),
	export: ExportSection.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
	placeholder: text(256, `Stands for the secret in a child's environment; contains ${placeholderMarker}`).pipe(Schema.withDecodingDefaultKey(Effect.succeed(placeholderMarker))),
	testRequest: Schema.optionalKey(TestRequest),
	allowInsecureLoopback: Schema.optionalKey(Schema.Boolean.annotate({ description: "Accepts literal loopback addresses; set by register --allow-insecure-loopback" }))
};
const routing = {
	apiUrl: Schema.optionalKey(url("Address or host of the API; may begin with {base_url}")),
	hosts: texts(512, "Every host that may receive the credential; the host of api_url when absent"),
	publicHosts: texts(512, "Entries of hosts that serve strangers too: without a connection they are left alone")
};
const OAuthProvider = wire({
	...head,
	authType: Schema.Literal("oauth2"),
	flow: OAuthFlowKind,
	flows: Schema.Array(OAuthFlowKind).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
	...routing,
	oauth: OAuthSection,
	...tail
});
const ApiKeyProvider = wire({
	...head,
	authType: Schema.Literal("api_key"),
	flow: Schema.Literal("api_key"),
	flows: Schema.Array(Schema.Literal("api_key")).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
	...routing,
	apiKey: ApiKeySection.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
	...tail
});
const ProviderDefinition = Schema.Union([OAuthProvider, ApiKeyProvider]).annotate({ identifier: "ProviderDefinition" });
/** The address of the tenant as the definition states it, possibly a template. */
const definedBaseUrl = (definition) => definition.authType === "oauth2" ? definition.oauth.baseUrl : definition.apiKey.baseUrl;
const titled = (name) => {
	const words = name.replaceAll("_", " ").replace(/\b(api|id|url)\b/g, (word) => word.toUpperCase());
	return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
/** The fields an API-key login asks for, in order; none for OAuth, whose client id and secret are not part of it. */
const credentialFields = (definition) => {
	if (definition.authType === "oauth2") return [];
	const { fields, keyPattern, keyPatternHint } = definition.apiKey;
	const declared = fields.length > 0 ? fields : [{
		name: "api_key",
		secret: true
	}];
	const main = mainField(definition);
	return declared.map((field) => ({
		name: field.name,
		label: field.label ?? titled(field.name),
		secret: field.secret,
		pattern: field.pattern ?? (field.name === main ? keyPattern : void 0),
		hint: field.hint ?? (field.name === main ? keyPatternHint : void 0)
	}));
};
/** The field that a placement without a template carries: `access_token`, `api_key`, or the first secret one. */
const mainField = (definition) => {
	if (definition.authType === "oauth2") return "access_token";
	const { fields } = definition.apiKey;
	if (fields.length === 0 || fields.some(({ name }) => name === "api_key")) return "api_key";
	return (fields.find(({ secret }) => secret) ?? fields[0]).name;
};
const variablePrefix = (name) => {
	const upper = name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
	return /^\d/.test(upper) ? `_${upper}` : upper;
};
/** Every variable of the provider, in the order of its fields, then those of `base_url` and `api_url`. */
const exportNames = (definition) => {
	const fields = definition.authType === "oauth2" ? [{
		name: "access_token",
		secret: true,
		placeholder: void 0
	}] : definition.apiKey.fields.length > 0 ? definition.apiKey.fields : [{
		name: "api_key",
		secret: true,
		placeholder: void 0
	}];
	const env = definition.export.env;
	const main = mainField(definition);
	const own = definition.authType === "api_key" ? definition.apiKey.envVar : void 0;
	const named = (field) => {
		const given = Object.hasOwn(env, field) ? env[field] : [];
		return typeof given === "string" ? [given] : given;
	};
	const names = fields.flatMap(({ name, placeholder, secret }) => {
		const given = named(name);
		const first = given.length > 0 ? given : [name === main && own !== void 0 ? own : `${variablePrefix(definition.name)}_${name.toUpperCase()}`];
		return (name === main && own !== void 0 && !first.includes(own) ? [...first, own] : first).map((variable, index) => ({
			field: name,
			variable,
			secret,
			primary: index === 0,
			placeholder: secret ? placeholder ?? definition.placeholder : placeholder
		}));
	});
	const addresses = ["base_url", "api_url"].flatMap((field) => named(field).map((variable, index) => ({
		field,
		variable,
		secret: false,
		primary: index === 0,
		placeholder: void 0
	})));
	return [...names, ...addresses];
};
const sorted = (record) => Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]).toSorted();
/**
* What a stored credential is bound to, as canonical text (A35): where the login happened, where tokens are refreshed,
* which hosts receive the credential, and in which header. A definition that differs in any of these gives another
* text. Hash it before it is stored; `baseUrl` is the connection's own.
*/
const binding = (definition, baseUrl) => {
	const oauth = definition.authType === "oauth2" ? definition.oauth : void 0;
	const apiKey = definition.authType === "api_key" ? definition.apiKey : void 0;
	const placement = (section) => [
		section.headerName?.toLowerCase() ?? null,
		section.headerPrefix ?? null,
		section.queryParam ?? null,
		section.basic === void 0 ? null : [section.basic.username, section.basic.password],
		sorted(section.headers ?? {})
	];
	return JSON.stringify([
		"credsvc/binding/v1",
		definition.authType,
		[
			oauth?.issuer,
			oauth?.resource,
			oauth?.authorizationUrl,
			oauth?.tokenUrl,
			oauth?.revocationUrl,
			oauth?.deviceAuthorizationUrl,
			oauth?.deviceTokenUrl,
			oauth?.registrationUrl
		].map((endpoint) => endpoint ?? null),
		definition.apiUrl ?? null,
		definition.hosts.toSorted(),
		definedBaseUrl(definition) ?? null,
		baseUrl ?? null,
		placement(oauth ?? apiKey ?? {}),
		Object.entries(apiKey?.perHost ?? {}).toSorted(([left], [right]) => left < right ? -1 : 1).map(([host, section]) => [host, placement(section)]),
		sorted(definition.extraHeaders).filter(([, value]) => value.includes("{"))
	]);
};
// src/domain/Connection.ts
/**
* Connections: stored credentials of one provider under a name, as a client may see them.
*
* A refresh token has no schema here, nor anywhere else that a client can reach.
*/
/** 1 to 64 characters of `a-z A-Z 0-9 . _ @ -`, not beginning with a dot or a dash (it becomes a command-line value). */
const ConnectionName = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_@][A-Za-z0-9._@-]{0,63}$/, { expected: "a connection name: 1 to 64 letters, digits, '.', '_', '@' or '-', beginning with a letter, digit, '_' or '@'" }), Schema.makeFilter((name) => ![
	"__proto__",
	"constructor",
	"prototype"
].includes(name), { expected: "a connection name that is not reserved" })).pipe(Schema.brand("ConnectionName"));
const defaultConnectionName = "default";
/**
* `connected`: usable. `expired`: can't be refreshed any more, log in again. `invalid`: the provider refused it, or its
* definition has changed since the login. `not_connected`: only in listings, for a provider without connections.
*/
const ConnectionStatus = Schema.Literals([
	"connected",
	"expired",
	"invalid",
	"not_connected"
]);
/** Stands where a secret would, unless the caller asked to reveal it. */
const redactedMarker = "***REDACTED***";
/**
* A connection on the wire. Exactly one of `accessToken` and `apiKey` is present: {@link redactedMarker}, or the secret itself
* when the caller asked for it. An API key of several parts reveals as a JSON object of its fields.
*/
const Connection = wire({
	provider: ProviderName,
	connectionName: ConnectionName,
	profile: Schema.String,
	authType: AuthType,
	flow: FlowKind,
	status: ConnectionStatus,
	isDefault: Schema.Boolean,
	baseUrl: Schema.NullOr(Schema.String),
	apiUrl: Schema.NullOr(Schema.String),
	scopes: Schema.Array(Schema.String),
	tokenType: Schema.NullOr(Schema.String),
	expiresAt: Schema.NullOr(Timestamp),
	obtainedAt: Timestamp,
	lastRefreshAt: Schema.NullOr(Timestamp),
	lastRefreshError: Schema.NullOr(Schema.String),
	account: Schema.Struct({
		id: Schema.NullOr(Schema.String),
		label: Schema.NullOr(Schema.String)
	}),
	hasRefreshToken: Schema.Boolean,
	accessToken: Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
	apiKey: Schema.optionalKey(Schema.RedactedFromValue(Schema.String))
}, "Connection");
// src/domain/AuthSession.ts
/** Auth sessions: one run of a flow, as a client may see it. */
/** 32 random bytes in base64url. It is a capability: logs show the route, never the id. */
const SessionId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/, { expected: "an auth session id" })).pipe(Schema.brand("SessionId"));
/** `completed`, `failed`, `expired` and `cancelled` are final. */
const SessionStatus = Schema.Literals([
	"pending",
	"waiting_for_user",
	"processing",
	"completed",
	"failed",
	"expired",
	"cancelled"
]);
const isFinal = (status) => status === "completed" || status === "failed" || status === "expired" || status === "cancelled";
/** A value that a person has to enter. `pattern` is a full match on the trimmed value; `secret` ones are never echoed. */
const InputField = wire({
	name: Schema.String,
	label: Schema.String,
	secret: Schema.Boolean,
	required: Schema.Boolean,
	default: Schema.NullOr(Schema.String),
	pattern: Schema.NullOr(Schema.String),
	hint: Schema.NullOr(Schema.String)
}, "InputField");
/** What has to happen next, by whoever drives the session. Every `url` is an absolute URL of the daemon or the provider. */
const NextAction = Schema.Union([
	Schema.Struct({
		type: Schema.Literal("open_url"),
		url: Schema.String
	}),
	Schema.Struct({
		type: Schema.Literal("enter_input"),
		url: Schema.String,
		fields: Schema.Array(InputField)
	}),
	wire({
		type: Schema.Literal("show_user_code"),
		url: Schema.String,
		userCode: Schema.String,
		verificationUri: Schema.String,
		verificationUriComplete: Schema.NullOr(Schema.String),
		interval: Schema.Number
	}),
	Schema.Struct({ type: Schema.Literal("none") })
]);
const AuthSession = wire({
	sessionId: SessionId,
	provider: ProviderName,
	connection: ConnectionName,
	flow: FlowKind,
	status: SessionStatus,
	message: Schema.String,
	error: Schema.NullOr(Schema.Struct({
		error: Schema.String,
		message: Schema.String
	})),
	createdAt: Timestamp,
	expiresAt: Timestamp,
	nextAction: NextAction
}, "AuthSession");
/** What a client may ask for when it starts a login. */
const StartLogin = wire({
	provider: ProviderName,
	connection: Schema.optionalKey(ConnectionName),
	flow: Schema.optionalKey(FlowKind),
	scopes: Schema.optionalKey(Schema.Array(Schema.String.check(Schema.isPattern(/^[\x21\x23-\x5B\x5D-\x7E]+$/, { expected: "a scope: printable ASCII without space, '\"' or '\\'" })))),
	baseUrl: Schema.optionalKey(Schema.String),
	force: Schema.optionalKey(Schema.Boolean)
}, "StartLogin");
// src/domain/Errors.ts
/**
* The failures credsvc publishes.
*
* One class serves three readers: Effect code branches on `_tag`, an HTTP client reads an RFC 9457
* problem document (`type`, `status`, `detail`, and `error` for the class name), and a shell reads
* the exit code. A failure on which no client can act differently is not listed here: it stays
* beside its service and is translated once, by the service that knows its meaning.
*/
/** Exit codes of the command line, by meaning. */
const ExitCode = {
	success: 0,
	unexpected: 1,
	usage: 2,
	connectionNotFound: 3,
	provider: 4,
	credential: 5,
	connectionExists: 6,
	providerExists: 7,
	endpointUnreachable: 8,
	daemonUnavailable: 9
};
/** One thing wrong with a request: a JSON pointer (or a flag's name) and a sentence. */
const Problem = Schema.Struct({
	path: Schema.String,
	message: Schema.String
});
/** The request is malformed: every problem is listed with its JSON pointer, `""` for the whole body. */
var InvalidRequestError = class InvalidRequestError extends HttpApiError.Problem()("InvalidRequestError", {
	type: "urn:credsvc:error:invalid-request",
	status: 400,
	title: "Invalid request"
}, {
	error: Schema.tag("InvalidRequestError"),
	problems: Schema.Array(Problem)
}) {
	[Runtime.errorExitCode] = ExitCode.usage;
	static of(problems) {
		const listed = problems.map((problem) => problem.path === "" ? problem.message : `${problem.path}: ${problem.message}`);
		return new InvalidRequestError({
			problems,
			detail: listed.join("; ")
		});
	}
};
/** The provider did not accept the user's credentials, or the login failed on the provider's side. */
var AuthenticationFailedError = class extends HttpApiError.Problem()("AuthenticationFailedError", {
	type: "urn:credsvc:error:authentication-failed",
	status: 401,
	title: "Authentication failed"
}, {
	error: Schema.tag("AuthenticationFailedError"),
	provider: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.usage;
};
/** The person cancelled, or no input could be read where some was needed. */
var InputCancelledError = class extends HttpApiError.Problem()("InputCancelledError", {
	type: "urn:credsvc:error:input-cancelled",
	status: 409,
	title: "Input cancelled"
}, { error: Schema.tag("InputCancelledError") }) {
	[Runtime.errorExitCode] = ExitCode.usage;
};
var ConnectionNotFoundError = class ConnectionNotFoundError extends HttpApiError.Problem()("ConnectionNotFoundError", {
	type: "urn:credsvc:error:connection-not-found",
	status: 404,
	title: "Connection not found"
}, {
	error: Schema.tag("ConnectionNotFoundError"),
	provider: Schema.String,
	connection: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.connectionNotFound;
	static of(provider, connection) {
		const flag = connection === "default" ? "" : ` --connection ${connection}`;
		return new ConnectionNotFoundError({
			provider,
			connection,
			detail: `There is no connection "${connection}" for ${provider}. Make it with: credsvc login ${provider}${flag}`
		});
	}
};
var ProviderNotFoundError = class ProviderNotFoundError extends HttpApiError.Problem()("ProviderNotFoundError", {
	type: "urn:credsvc:error:provider-not-found",
	status: 404,
	title: "Provider not found"
}, {
	error: Schema.tag("ProviderNotFoundError"),
	provider: Schema.String,
	suggestions: Schema.Array(Schema.String)
}) {
	[Runtime.errorExitCode] = ExitCode.provider;
	static of(provider, suggestions = []) {
		const hint = suggestions.length > 0 ? `Did you mean ${suggestions.join(", ")}?` : "See the known ones with: credsvc list";
		return new ProviderNotFoundError({
			provider,
			suggestions,
			detail: `There is no provider "${provider}". ${hint}`
		});
	}
};
/** The operation makes no sense for this provider, connection or host, and never will as things stand. */
var OperationNotAllowedError = class OperationNotAllowedError extends HttpApiError.Problem()("OperationNotAllowedError", {
	type: "urn:credsvc:error:operation-not-allowed",
	status: 403,
	title: "Operation not allowed"
}, { error: Schema.tag("OperationNotAllowedError") }) {
	[Runtime.errorExitCode] = ExitCode.provider;
	static of(detail) {
		return new OperationNotAllowedError({ detail });
	}
};
/** A provider claims the host but holds no usable credential: nobody logged in, or the definition has changed since. */
var CredentialMissingError = class extends HttpApiError.Problem()("CredentialMissingError", {
	type: "urn:credsvc:error:credential-missing",
	status: 404,
	title: "Credential missing"
}, {
	error: Schema.tag("CredentialMissingError"),
	provider: Schema.String,
	connection: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.credential;
};
/** The access token has expired and cannot be refreshed: only a new login helps. */
var TokenExpiredError = class extends HttpApiError.Problem()("TokenExpiredError", {
	type: "urn:credsvc:error:token-expired",
	status: 401,
	title: "Token expired"
}, {
	error: Schema.tag("TokenExpiredError"),
	provider: Schema.String,
	connection: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.credential;
};
/** The refresh failed for a reason that may pass; the tokens are kept. */
var RefreshFailedError = class extends HttpApiError.Problem()("RefreshFailedError", {
	type: "urn:credsvc:error:refresh-failed",
	status: 502,
	title: "Refresh failed"
}, {
	error: Schema.tag("RefreshFailedError"),
	provider: Schema.String,
	connection: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.credential;
};
var ConnectionAlreadyExistsError = class ConnectionAlreadyExistsError extends HttpApiError.Problem()("ConnectionAlreadyExistsError", {
	type: "urn:credsvc:error:connection-already-exists",
	status: 409,
	title: "Connection already exists"
}, {
	error: Schema.tag("ConnectionAlreadyExistsError"),
	provider: Schema.String,
	connection: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.connectionExists;
	static of(provider, connection) {
		return new ConnectionAlreadyExistsError({
			provider,
			connection,
			detail: `The connection "${connection}" for ${provider} exists already. Replace it with --force, or choose another name with --connection.`
		});
	}
};
var ProviderAlreadyRegisteredError = class ProviderAlreadyRegisteredError extends HttpApiError.Problem()("ProviderAlreadyRegisteredError", {
	type: "urn:credsvc:error:provider-already-registered",
	status: 409,
	title: "Provider already registered"
}, {
	error: Schema.tag("ProviderAlreadyRegisteredError"),
	provider: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.providerExists;
	static of(provider) {
		return new ProviderAlreadyRegisteredError({
			provider,
			detail: `A provider named "${provider}" is registered already. Replace it with --force.`
		});
	}
};
/** An endpoint of a provider could not be reached: no address, no route, no answer in time, or TLS that does not verify. */
var EndpointUnreachableError = class extends HttpApiError.Problem()("EndpointUnreachableError", {
	type: "urn:credsvc:error:endpoint-unreachable",
	status: 504,
	title: "Endpoint unreachable"
}, {
	error: Schema.tag("EndpointUnreachableError"),
	endpoint: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.endpointUnreachable;
};
/** No daemon answered, or what answered is not ours. Made by clients only; no route returns it. */
var DaemonUnavailableError = class extends HttpApiError.Problem()("DaemonUnavailableError", {
	type: "urn:credsvc:error:daemon-unavailable",
	status: 503,
	title: "Daemon unavailable"
}, {
	error: Schema.tag("DaemonUnavailableError"),
	url: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.daemonUnavailable;
};
/** Several providers or connections claim one host with equal right, so nothing is injected. */
var AmbiguousProviderError = class extends HttpApiError.Problem()("AmbiguousProviderError", {
	type: "urn:credsvc:error:ambiguous-provider",
	status: 409,
	title: "Ambiguous provider"
}, {
	error: Schema.tag("AmbiguousProviderError"),
	host: Schema.String,
	candidates: Schema.Array(Schema.Struct({
		provider: Schema.String,
		connection: Schema.String
	}))
}) {
	[Runtime.errorExitCode] = ExitCode.provider;
};
var SessionNotFoundError = class SessionNotFoundError extends HttpApiError.Problem()("SessionNotFoundError", {
	type: "urn:credsvc:error:session-not-found",
	status: 404,
	title: "Auth session not found"
}, { error: Schema.tag("SessionNotFoundError") }) {
	[Runtime.errorExitCode] = ExitCode.usage;
	static of() {
		return new SessionNotFoundError({ detail: "There is no such auth session. Start the login again with: credsvc login <provider>" });
	}
};
var SessionExpiredError = class SessionExpiredError extends HttpApiError.Problem()("SessionExpiredError", {
	type: "urn:credsvc:error:session-expired",
	status: 410,
	title: "Auth session expired"
}, { error: Schema.tag("SessionExpiredError") }) {
	[Runtime.errorExitCode] = ExitCode.usage;
	static of() {
		return new SessionExpiredError({ detail: "This auth session has expired. Start the login again with: credsvc login <provider>" });
	}
};
/** The vault can't be used: its key is out of reach, or the store is damaged. Nothing was changed. */
var VaultUnavailableError = class VaultUnavailableError extends HttpApiError.Problem()("VaultUnavailableError", {
	type: "urn:credsvc:error:vault-unavailable",
	status: 503,
	title: "Vault unavailable"
}, { error: Schema.tag("VaultUnavailableError") }) {
	[Runtime.errorExitCode] = ExitCode.unexpected;
	static of(detail) {
		return new VaultUnavailableError({ detail });
	}
};
/** Anything unforeseen. `id` is also in the daemon's log, beside the cause, which is told nowhere else. */
var UnexpectedError = class extends HttpApiError.Problem()("UnexpectedError", {
	type: "urn:credsvc:error:unexpected",
	status: 500,
	title: "Unexpected error"
}, {
	error: Schema.tag("UnexpectedError"),
	id: Schema.String
}) {
	[Runtime.errorExitCode] = ExitCode.unexpected;
};
const refusal$1 = { error: Schema.tag("RequestRefusedError") };
/** Guard answers, given before routing: the request was not one that this daemon serves. */
var RequestRefusedError = class extends HttpApiError.Problem()("RequestRefusedError", {
	type: "urn:credsvc:error:request-refused",
	status: 403,
	title: "Request refused"
}, refusal$1) {
	[Runtime.errorExitCode] = ExitCode.unexpected;
};
/** Every class with a row in the exit-code table, in the order of that table. */
const published = [
	InvalidRequestError,
	AuthenticationFailedError,
	InputCancelledError,
	ConnectionNotFoundError,
	ProviderNotFoundError,
	OperationNotAllowedError,
	CredentialMissingError,
	TokenExpiredError,
	RefreshFailedError,
	ConnectionAlreadyExistsError,
	ProviderAlreadyRegisteredError,
	EndpointUnreachableError,
	DaemonUnavailableError,
	AmbiguousProviderError,
	SessionNotFoundError,
	SessionExpiredError,
	VaultUnavailableError,
	UnexpectedError,
	RequestRefusedError
];
// src/domain/Health.ts
/** What the daemon tells about itself. */
/** How the key-encryption key is to be found. */
const MasterKeyMode = Schema.Literals([
	"auto",
	"local_key",
	"keyring"
]);
/** Where it was found. */
const MasterKeySource = Schema.Literals([
	"env",
	"keyring",
	"local_key"
]);
/** Version of the HTTP interface: a client refuses to talk to a daemon of another one. */
const apiVersion = 1;
const masterKey = {
	masterKeyMode: MasterKeyMode,
	masterKeySource: Schema.NullOr(MasterKeySource),
	masterKeyDescription: Schema.String
};
/** `instance` changes with every start of the daemon. The source is null while no key could be reached. */
const Health = wire({
	status: Schema.Literal("ok"),
	version: Schema.String,
	apiVersion: Schema.Int,
	instance: Schema.String,
	...masterKey
}, "Health");
const ComponentStatus = Schema.Struct({
	status: Schema.Literals([
		"ok",
		"warning",
		"failed"
	]),
	message: Schema.String
});
/** The six checks, in the order in which they are told. */
const componentNames = [
	"spec_version",
	"identity",
	"providers",
	"connections",
	"vault",
	"integrity"
];
const readiness = {
	checks: Schema.Struct({
		spec_version: ComponentStatus,
		identity: ComponentStatus,
		providers: ComponentStatus,
		connections: ComponentStatus,
		vault: ComponentStatus,
		integrity: ComponentStatus
	}),
	warnings: Schema.Array(Schema.String),
	problems: Schema.Array(Schema.String),
	...masterKey
};
/** `degraded` has warnings, `unhealthy` has problems. */
const Readiness = wire({
	status: Schema.Literals([
		"ok",
		"degraded",
		"unhealthy"
	]),
	...readiness
}, "Readiness");
const Ready = wire({
	status: Schema.Literals(["ok", "degraded"]),
	...readiness
}, "Ready");
const NotReady = wire({
	status: Schema.Literal("unhealthy"),
	...readiness
}, "NotReady");
const Whoami = wire({
	home: Schema.String,
	profile: Schema.String,
	identity: Schema.String,
	...masterKey,
	daemonUrl: Schema.String,
	version: Schema.String
}, "Whoami");
// src/domain/Profile.ts
/** Profiles: credential namespaces, each backed by an Ed25519 identity of the same handle. */
/** 1 to 64 characters of `a-z 0-9 _ -`. It names the identity file, so nothing else is let in. */
const ProfileHandle = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/, { expected: "a profile handle: 1 to 64 lower-case letters, digits, '_' or '-', beginning with a letter or digit" }), Schema.makeFilter((name) => ![
	"con",
	"nul",
	"prn",
	"aux",
	"constructor"
].includes(name), { expected: "a profile handle that is not reserved" })).pipe(Schema.brand("ProfileHandle"));
const Profile = wire({
	handle: ProfileHandle,
	createdAt: Timestamp,
	active: Schema.Boolean
}, "Profile");
/** The profile that the request at hand is about: the one its `Credsvc-Profile` header names, else the active one. */
var CurrentProfile = class extends Context.Service()("credsvc/domain/CurrentProfile") {};
// src/api/Middleware.ts
/** What every operation has in common: declared here, implemented in `server/`. */
/** Turns a request that fails decoding into `InvalidRequestError`, and a defect into `UnexpectedError` without its cause. */
var RequestProblems = class extends HttpApiMiddleware.Service()("credsvc/api/RequestProblems", { error: [InvalidRequestError, UnexpectedError] }) {};
/** Reads the `Credsvc-Profile` header: the profile a request is about, the active one when it is absent. */
var ProfileSelection = class extends HttpApiMiddleware.Service()("credsvc/api/ProfileSelection", { error: [InvalidRequestError, VaultUnavailableError] }) {};
// src/api/AuditGroup.ts
/** The audit log, read and verified. */
var AuditGroup = class extends HttpApiGroup.make("audit").add(HttpApiEndpoint.get("list", "/audit", {
	query: {
		limit: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[1-9]\d{0,4}$/, { expected: "a number from 1 to 99999" }))),
		provider: Schema.optionalKey(ProviderName),
		event: Schema.optionalKey(AuditEvent)
	},
	success: Schema.Struct({ entries: Schema.Array(AuditEntry) }),
	error: [VaultUnavailableError]
}).annotateMerge(OpenApi.annotations({
	identifier: "audit.list",
	summary: "Read the audit log",
	description: "The newest entries that match, oldest of them first; 50 unless `limit` says otherwise."
})), HttpApiEndpoint.get("verify", "/audit/verify", {
	success: AuditVerification,
	error: [VaultUnavailableError]
}).annotateMerge(OpenApi.annotations({
	identifier: "audit.verify",
	summary: "Verify the audit log",
	description: "Recomputes the whole chain from its first entry."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "Audit",
	description: "What was done, by which identity."
})) {};
// src/api/AuthGroup.ts
/** Auth sessions: one run of a login flow each. Their HTML half is served beside these operations. */
const sessionParams = { session_id: SessionId };
var AuthGroup = class extends HttpApiGroup.make("auth").add(HttpApiEndpoint.post("start", "/auth/sessions", {
	payload: StartLogin,
	success: AuthSession.pipe(HttpApiSchema.status(201)),
	error: [
		ProviderNotFoundError,
		OperationNotAllowedError,
		ConnectionAlreadyExistsError,
		EndpointUnreachableError,
		RequestRefusedError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "auth.start",
	summary: "Start a login",
	description: "The answer's `next_action` says what has to happen next. A session lives ten minutes and is used once."
})), HttpApiEndpoint.get("get", "/auth/sessions/:session_id", {
	params: sessionParams,
	query: { wait: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d{1,6}$/, { expected: "a number of seconds" }))) },
	success: AuthSession,
	error: [
		SessionNotFoundError,
		SessionExpiredError,
		RequestRefusedError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "auth.get",
	summary: "Read an auth session",
	description: "With `wait`, answers when the status changes or after that many seconds, at most 30."
})), HttpApiEndpoint.post("resume", "/auth/sessions/:session_id/resume", {
	params: sessionParams,
	payload: Schema.Struct({ data: Schema.Record(Schema.String, Schema.RedactedFromValue(Schema.String)) }),
	success: AuthSession,
	error: [
		SessionNotFoundError,
		SessionExpiredError,
		InvalidRequestError,
		AuthenticationFailedError,
		InputCancelledError,
		OperationNotAllowedError,
		ConnectionAlreadyExistsError,
		EndpointUnreachableError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "auth.resume",
	summary: "Continue an auth session",
	description: "Hands over the values that `next_action` asked for, by field name. A refused value leaves the session open."
})), HttpApiEndpoint.delete("cancel", "/auth/sessions/:session_id", {
	params: sessionParams,
	success: AuthSession,
	error: [
		SessionNotFoundError,
		SessionExpiredError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "auth.cancel",
	summary: "Cancel an auth session"
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "Auth sessions",
	description: "Logins in progress."
})) {};
// src/api/ConnectionsGroup.ts
/** Connections: list, read, log out, revoke, set the default. */
const connectionParams = {
	provider: ProviderName,
	connection: ConnectionName
};
/** `newDefault` names the connection that took over, when the one that left was the default and another remains. */
const LoggedOut = wire({
	status: Schema.Literal("logged_out"),
	provider: ProviderName,
	connection: ConnectionName,
	newDefault: Schema.NullOr(ConnectionName)
}, "LoggedOut");
/** `failures` are sentences about the provider's side; the local state is cleared all the same. */
const Revoked = wire({
	status: Schema.Literal("revoked"),
	provider: ProviderName,
	connections: Schema.Array(ConnectionName),
	providerContacted: Schema.Boolean,
	failures: Schema.Array(Schema.String)
}, "Revoked");
const DefaultSet = wire({
	status: Schema.Literal("ok"),
	provider: ProviderName,
	defaultConnection: ConnectionName
}, "DefaultSet");
var ConnectionsGroup = class extends HttpApiGroup.make("connections").add(HttpApiEndpoint.get("list", "/connections", {
	query: { provider: Schema.optionalKey(ProviderName) },
	success: Schema.Struct({ connections: Schema.Array(Connection) }),
	error: [ProviderNotFoundError, VaultUnavailableError]
}).annotateMerge(OpenApi.annotations({
	identifier: "connections.list",
	summary: "List connections",
	description: "Every connection of the profile, secrets redacted, by provider and name."
})), HttpApiEndpoint.get("get", "/connections/:provider/:connection", {
	params: connectionParams,
	query: { reveal: Schema.optionalKey(Schema.Literals(["true", "false"])) },
	success: Connection,
	error: [
		ConnectionNotFoundError,
		ProviderNotFoundError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "connections.get",
	summary: "Get one connection",
	description: "Secrets are redacted unless `reveal=true`; a reveal is in the audit log before the answer leaves."
})), HttpApiEndpoint.post("logout", "/connections/:provider/:connection/logout", {
	params: connectionParams,
	success: LoggedOut,
	error: [
		ConnectionNotFoundError,
		ProviderNotFoundError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "connections.logout",
	summary: "Remove one connection locally",
	description: "The provider is not contacted."
})), HttpApiEndpoint.post("revoke", "/connections/:provider/revoke", {
	params: { provider: ProviderName },
	success: Revoked,
	error: [
		ProviderNotFoundError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "connections.revoke",
	summary: "End all connections of a provider",
	description: "Calls the provider's revocation endpoint where there is one, and clears all connections and client credentials locally even when that fails."
})), HttpApiEndpoint.post("setDefault", "/connections/:provider/:connection/default", {
	params: connectionParams,
	success: DefaultSet,
	error: [
		ConnectionNotFoundError,
		ProviderNotFoundError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "connections.setDefault",
	summary: "Make a connection its provider's default"
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "Connections",
	description: "Stored credentials, by provider and name."
})) {};
// src/api/CredentialsGroup.ts
/** Credentials: exported for a person, resolved for the proxy. */
const Secret = Schema.RedactedFromValue(Schema.String);
const ExportFormat = Schema.Literals([
	"env",
	"shell",
	"json"
]);
const ExportRequest = Schema.Struct({
	provider: ProviderName,
	connection: Schema.optionalKey(ConnectionName),
	format: Schema.optionalKey(ExportFormat)
});
/** `output` is what the command prints, ending in a newline: `env` for a .env reader, `shell` for `eval`, `json` an object. */
const Exported = Schema.Struct({
	format: ExportFormat,
	variables: Schema.Record(Schema.String, Secret),
	output: Secret
});
/** A request about to be made. `host` is a lower-case name without port; `path` begins with a slash and has no query. */
const ResolveRequest = Schema.Struct({
	host: Schema.String.check(Schema.isMaxLength(253)),
	port: Schema.optionalKey(Schema.Int.check(Schema.isBetween({
		minimum: 1,
		maximum: 65535
	}))),
	scheme: Schema.optionalKey(Schema.Literals(["https", "http"])),
	method: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(32))),
	path: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(16384))),
	provider: Schema.optionalKey(ProviderName),
	connection: Schema.optionalKey(ConnectionName)
});
/**
* What to put on that one request. `headers` and `query` replace whatever stands there; `defaults` are headers to set only
* where the request has none; `strip` are names of further credential headers and query parameters (lower case) to take away.
*/
const Resolved = wire({
	provider: ProviderName,
	connection: ConnectionName,
	headers: Schema.Record(Schema.String, Secret),
	query: Schema.Record(Schema.String, Secret),
	defaults: Schema.Record(Schema.String, Secret),
	strip: Schema.Struct({
		headers: Schema.Array(Schema.String),
		query: Schema.Array(Schema.String)
	}),
	expiresAt: Schema.NullOr(Timestamp)
}, "Resolved");
var CredentialsGroup = class extends HttpApiGroup.make("credentials").add(HttpApiEndpoint.post("export", "/credentials/export", {
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
}).annotateMerge(OpenApi.annotations({
	identifier: "credentials.export",
	summary: "Export a credential",
	description: "Refreshes first, so it never hands out an expired token. A refresh token is never exported. The export is in the audit log before the answer leaves."
})), HttpApiEndpoint.post("resolve", "/credentials/resolve", {
	headers: Schema.Struct({ "credsvc-run": Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{16,64}$/, { expected: "a run id" }))) }),
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
}).annotateMerge(OpenApi.annotations({
	identifier: "credentials.resolve",
	summary: "Resolve the credential for a host",
	description: "Refreshes when due. Only https is resolved. The first use of a connection by a run (header `Credsvc-Run`), or any use without one, is in the audit log before the answer leaves."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "Credentials",
	description: "Secrets, for the proxy and on explicit demand."
})) {};
// src/api/Description.ts
const profileHeader = {
	name: "Credsvc-Profile",
	in: "header",
	required: false,
	description: "The profile that the request is about; without it, the active one.",
	schema: { type: "string" }
};
const refusal = {
	description: "Refused before routing: wrong `Host` or `Origin` (403), method (405), size (413), media type (415), authority (421), or too many requests (429).",
	content: { "application/problem+json": { schema: {
		type: "object",
		required: [
			"type",
			"title",
			"status",
			"error",
			"detail"
		],
		properties: {
			type: {
				type: "string",
				const: "urn:credsvc:error:request-refused"
			},
			title: { type: "string" },
			status: { type: "integer" },
			error: {
				type: "string",
				const: "RequestRefusedError"
			},
			detail: { type: "string" }
		}
	} } }
};
const methods = [
	"get",
	"post",
	"put",
	"delete",
	"patch"
];
/** Error classes are named by their encoded form; a client knows no other. */
const unencoded = (document) => JSON.parse(JSON.stringify(document).replaceAll("ErrorEncoded\"", "Error\""));
/** Documents the profile header and the guards once for every operation, and the body of `providers.register`. */
const describe = (document) => {
	document["components"] ??= {};
	document["components"].responses = {
		...document["components"].responses,
		RequestRefused: refusal
	};
	for (const [path, item] of Object.entries(document["paths"])) for (const method of methods) {
		const operation = item[method];
		if (operation === void 0) continue;
		operation.responses ??= {};
		operation.responses.default ??= { $ref: "#/components/responses/RequestRefused" };
		if (!path.startsWith("/health") && !path.startsWith("/ready") && !path.startsWith("/profiles")) operation.parameters = [...operation.parameters ?? [], profileHeader];
	}
	const reference = { $ref: "#/components/schemas/ProviderDefinition" };
	const get = document["paths"]["/providers/{provider}"]?.get?.responses?.["200"]?.content?.["application/json"];
	const register = document["paths"]["/providers"]?.post;
	if (get !== void 0 && register?.requestBody !== void 0) {
		document["components"].schemas = {
			...document["components"].schemas,
			ProviderDefinition: get.schema
		};
		get.schema = reference;
		register.requestBody.content["application/json"].schema = reference;
		const registered = register.responses?.["201"]?.content?.["application/json"];
		if (registered !== void 0) registered.schema = reference;
	}
	return unencoded(document);
};
// src/api/ProfilesGroup.ts
/** Profiles: credential namespaces. */
var ProfilesGroup = class extends HttpApiGroup.make("profiles").add(HttpApiEndpoint.get("list", "/profiles", {
	success: Schema.Struct({
		active: ProfileHandle,
		profiles: Schema.Array(Profile)
	}),
	error: [VaultUnavailableError]
}).annotateMerge(OpenApi.annotations({
	identifier: "profiles.list",
	summary: "List profiles"
})), HttpApiEndpoint.post("create", "/profiles", {
	payload: Schema.Struct({ handle: Schema.optionalKey(ProfileHandle) }),
	success: Profile.pipe(HttpApiSchema.status(201)),
	error: [OperationNotAllowedError, VaultUnavailableError]
}).annotateMerge(OpenApi.annotations({
	identifier: "profiles.create",
	summary: "Create a profile",
	description: "Makes an Ed25519 identity; a handle is drawn when none is given. The active profile stays as it is."
})), HttpApiEndpoint.post("use", "/profiles/:handle/use", {
	params: { handle: ProfileHandle },
	success: Profile,
	error: [OperationNotAllowedError, VaultUnavailableError]
}).annotateMerge(OpenApi.annotations({
	identifier: "profiles.use",
	summary: "Make a profile the active one"
}))).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "Profiles",
	description: "Credential namespaces."
})) {};
// src/api/ProvidersGroup.ts
/** Providers: the bundled and the custom ones. */
/** One line of the list of providers. */
const ProviderSummary = wire({
	name: ProviderName,
	displayName: Schema.String,
	authType: AuthType,
	flow: FlowKind,
	flows: Schema.Array(FlowKind),
	source: ProviderSource,
	overridesBundled: Schema.Boolean,
	hosts: Schema.Array(Schema.String)
}, "ProviderSummary");
const origin = {
	source: ProviderSource,
	overridesBundled: Schema.Boolean
};
/** A definition, with where it comes from beside its own fields. */
const ProviderDetail = Schema.Union([wire({
	...OAuthProvider.to.fields,
	...origin
}), wire({
	...ApiKeyProvider.to.fields,
	...origin
})]);
const ProviderRemoved = Schema.Struct({
	status: Schema.Literals(["removed", "reset"]),
	provider: ProviderName
});
const flag = Schema.optionalKey(Schema.Literals(["true", "false"]));
var ProvidersGroup = class extends HttpApiGroup.make("providers").add(HttpApiEndpoint.get("list", "/providers", { success: Schema.Struct({ providers: Schema.Array(ProviderSummary) }) }).annotateMerge(OpenApi.annotations({
	identifier: "providers.list",
	summary: "List providers"
})), HttpApiEndpoint.get("get", "/providers/:provider", {
	params: { provider: ProviderName },
	success: ProviderDetail,
	error: [ProviderNotFoundError]
}).annotateMerge(OpenApi.annotations({
	identifier: "providers.get",
	summary: "Get a provider's definition"
})), HttpApiEndpoint.post("register", "/providers", {
	query: {
		force: flag,
		allow_insecure_loopback: flag
	},
	payload: Schema.Unknown,
	success: ProviderDetail.pipe(HttpApiSchema.status(201)),
	error: [
		InvalidRequestError,
		ProviderAlreadyRegisteredError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "providers.register",
	summary: "Register a custom provider",
	description: "The body is the definition. With `force=true` it replaces a custom provider of that name, or overrides a bundled one. `allow_insecure_loopback=true` accepts http endpoints on literal loopback addresses."
})), HttpApiEndpoint.delete("remove", "/providers/:provider", {
	params: { provider: ProviderName },
	success: ProviderRemoved,
	error: [
		ProviderNotFoundError,
		OperationNotAllowedError,
		VaultUnavailableError
	]
}).annotateMerge(OpenApi.annotations({
	identifier: "providers.remove",
	summary: "Remove a custom provider, or reset a bundled one",
	description: "The provider is not contacted. Connections of a provider that is gone go with it."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "Providers",
	description: "APIs and how to authenticate to them."
})) {};
// src/api/ProxyGroup.ts
/** What the proxy needs to know before a request: which hosts belong to which provider. */
/**
* `host` is an exact name or `*.suffix` (one label more, never the suffix itself), with `:port` where it is not 443.
* `connection` is the default one, null when there is none.
*/
const ProxyRoute = wire({
	host: Schema.String,
	pathPrefix: Schema.NullOr(Schema.String),
	provider: ProviderName,
	connection: Schema.NullOr(ConnectionName),
	connected: Schema.Boolean
}, "ProxyRoute");
/** Environment variables for a child process: never a secret, only what makes its SDK start. */
const ProxyPlaceholder = Schema.Struct({
	provider: ProviderName,
	variable: Schema.String,
	value: Schema.String
});
/** `version` changes with every change of the table; it is also the ETag. */
const ProxyRoutes = Schema.Struct({
	version: Schema.String,
	routes: Schema.Array(ProxyRoute),
	placeholders: Schema.Array(ProxyPlaceholder)
});
var ProxyGroup = class extends HttpApiGroup.make("proxy").add(HttpApiEndpoint.get("routes", "/proxy/routes", {
	success: ProxyRoutes,
	error: [VaultUnavailableError]
}).annotateMerge(OpenApi.annotations({
	identifier: "proxy.routes",
	summary: "The routing table",
	description: "Which hosts belong to which provider. Answers 304 to an `If-None-Match` with the current version. `placeholders` are for providers with a connection."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "Proxy",
	description: "For the forward proxy of `run`."
})) {};
// src/api/SystemGroup.ts
/** The daemon about itself: liveness, readiness, identity. */
var SystemGroup = class extends HttpApiGroup.make("system").add(HttpApiEndpoint.get("health", "/health", {
	query: { nonce: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9a-f]{32,128}$/, { expected: "32 to 128 hexadecimal digits" }))) },
	success: Health
}).annotateMerge(OpenApi.annotations({
	identifier: "system.health",
	summary: "Is the process up?",
	description: "Answers whenever the process is up. With `nonce`, the header `Credsvc-Proof` proves that the daemon can read this home directory's access key: a client of the same user checks it before it sends anything."
})), HttpApiEndpoint.get("ready", "/ready", { success: [Ready, NotReady.pipe(HttpApiSchema.status(503))] }).annotateMerge(OpenApi.annotations({
	identifier: "system.ready",
	summary: "Can it serve credentials?",
	description: "Verifies vault, schema version and provider parsing. 503 when `problems` is not empty; `warnings` never block."
})), HttpApiEndpoint.get("whoami", "/whoami", { success: Whoami }).middleware(ProfileSelection).annotateMerge(OpenApi.annotations({
	identifier: "system.whoami",
	summary: "Home, profile, identity and key source"
}))).middleware(RequestProblems).annotateMerge(OpenApi.annotations({
	title: "System",
	description: "The daemon about itself."
})) {};
// src/api/Api.ts
/**
* The HTTP interface, as one value.
*
* The daemon's handlers, the OpenAPI description, the typed clients and the command line are all made from it. It
* imports nothing of the server, so that any client may import it.
*/
/** A body with a field that we don't know is refused; a client ignores a field that it doesn't know. */
var Api = class extends HttpApi.make("credsvc").add(SystemGroup).add(AuthGroup).add(ConnectionsGroup).add(CredentialsGroup).add(ProvidersGroup).add(ProxyGroup).add(AuditGroup).add(ProfilesGroup).annotate(HttpApi.PayloadParseOptions, {
	onExcessProperty: "error",
	errors: "all"
}).annotate(HttpApi.QueryParseOptions, {
	onExcessProperty: "error",
	errors: "all"
}).annotateMerge(OpenApi.annotations({
	title: "credsvc",
	version: "1",
	summary: "Credentials for third-party APIs, used without being seen",
	description: "The interface of a local credential daemon. Every failure is a problem document (RFC 9457) whose `error` names its class. Requests from browsers must be same-origin, and `Host` must be the daemon's own.",
	license: {
		name: "MIT",
		identifier: "MIT"
	},
	servers: [{
		url: "http://127.0.0.1:7998",
		description: "The local daemon"
	}],
	transform: describe
})) {};
export { AmbiguousProviderError, Api, ApiKeyProvider, ApiKeySection, AuditEntry, AuditEvent, AuditGroup, AuditStatus, AuditVerification, AuthGroup, AuthSession, AuthType, AuthenticationFailedError, BasicTemplate, ClientAuthentication, ComponentStatus, Connection, ConnectionAlreadyExistsError, ConnectionName, ConnectionNotFoundError, ConnectionStatus, ConnectionsGroup, CredentialField, CredentialMissingError, CredentialsGroup, CurrentProfile, DaemonUnavailableError, DefaultSet, EndpointUnreachableError, ExitCode, ExportFormat, ExportRequest, Exported, FlowKind, Health, InputCancelledError, InputField, InvalidRequestError, LoggedOut, MasterKeyMode, MasterKeySource, NextAction, NotReady, OAuthFlowKind, OAuthProvider, OAuthSection, OperationNotAllowedError, Placement, Problem, Profile, ProfileHandle, ProfilesGroup, ProviderAlreadyRegisteredError, ProviderDefinition, ProviderDetail, ProviderName, ProviderNotFoundError, ProviderRemoved, ProviderSource, ProviderSummary, ProvidersGroup, ProxyGroup, ProxyPlaceholder, ProxyRoute, ProxyRoutes, Readiness, Ready, RefreshFailedError, RequestFormat, RequestRefusedError, ResolveRequest, Resolved, Revoked, SessionExpiredError, SessionId, SessionNotFoundError, SessionStatus, StartLogin, SystemGroup, TestRequest, TokenExpiredError, TokenResponsePointers, UnexpectedError, VaultUnavailableError, Whoami, apiVersion, binding, componentNames, credentialFields, defaultConnectionName, definedBaseUrl, exportNames, isFinal, isProviderName, mainField, placeholderMarker, published, redactedMarker };
