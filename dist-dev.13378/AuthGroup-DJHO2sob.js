import { a as annotations, ft as status, h as get, i as RequestProblems, m as del, p as make, r as ProfileSelection, v as post } from "./SchemaProblems-DbdaqDHa.js";
import { A as Union, F as brand, J as isPattern, S as RedactedFromValue, T as Struct, a as Boolean, b as Record, et as optionalKey, i as ArraySchema, m as Literals, p as Literal, v as NullOr, w as String, y as Number } from "./Runtime-CYnC2HYz.js";
import { u as ConnectionName } from "./main.js";
import { a as ProviderName, r as FlowKind } from "./Provider-CVJ_zWyp.js";
import { _ as SessionNotFoundError, b as VaultUnavailableError, ct as Timestamp, d as OperationNotAllowedError, g as SessionExpiredError, h as RequestRefusedError, l as InputCancelledError, lt as wire, n as AuthenticationFailedError, p as ProviderNotFoundError, r as ConnectionAlreadyExistsError, s as EndpointUnreachableError, u as InvalidRequestError } from "./Errors-CqOgzwWL.js";

// src/domain/AuthSession.ts
/** Auth sessions: one run of a flow, as a client may see it. */
/** 32 random bytes in base64url. It is a capability: logs show the route, never the id. */
const SessionId = String.check(isPattern(/^[A-Za-z0-9_-]{43}$/, { expected: "an auth session id" })).pipe(brand("SessionId"));
/** `completed`, `failed`, `expired` and `cancelled` are final. */
const SessionStatus = Literals([
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
	name: String,
	label: String,
	secret: Boolean,
	required: Boolean,
	default: NullOr(String),
	pattern: NullOr(String),
	hint: NullOr(String)
}, "InputField");
/** What has to happen next, by whoever drives the session. Every `url` is an absolute URL of the daemon or the provider. */
const NextAction = Union([
	Struct({
		type: Literal("open_url"),
		url: String
	}),
	Struct({
		type: Literal("enter_input"),
		url: String,
		fields: ArraySchema(InputField)
	}),
	wire({
		type: Literal("show_user_code"),
		url: String,
		userCode: String,
		verificationUri: String,
		verificationUriComplete: NullOr(String),
		interval: Number
	}),
	Struct({ type: Literal("none") })
]);
const AuthSession = wire({
	sessionId: SessionId,
	provider: ProviderName,
	connection: ConnectionName,
	flow: FlowKind,
	status: SessionStatus,
	message: String,
	error: NullOr(Struct({
		error: String,
		message: String
	})),
	createdAt: Timestamp,
	expiresAt: Timestamp,
	nextAction: NextAction
}, "AuthSession");
/** What a client may ask for when it starts a login. */
const StartLogin = wire({
	provider: ProviderName,
	connection: optionalKey(ConnectionName),
	flow: optionalKey(FlowKind),
	scopes: optionalKey(ArraySchema(String.check(isPattern(/^[\x21\x23-\x5B\x5D-\x7E]+$/, { expected: "a scope: printable ASCII without space, '\"' or '\\'" })))),
	baseUrl: optionalKey(String),
	force: optionalKey(Boolean)
}, "StartLogin");

// src/api/AuthGroup.ts
/** Auth sessions: one run of a login flow each. Their HTML half is served beside these operations. */
const sessionParams = { session_id: SessionId };
var AuthGroup = class extends make("auth").add(post("start", "/auth/sessions", {
	payload: StartLogin,
	success: AuthSession.pipe(status(201)),
	error: [
		ProviderNotFoundError,
		OperationNotAllowedError,
		ConnectionAlreadyExistsError,
		EndpointUnreachableError,
		RequestRefusedError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "auth.start",
	summary: "Start a login",
	description: "The answer's `next_action` says what has to happen next. A session lives ten minutes and is used once."
})), get("get", "/auth/sessions/:session_id", {
	params: sessionParams,
	query: { wait: optionalKey(String.check(isPattern(/^\d{1,6}$/, { expected: "a number of seconds" }))) },
	success: AuthSession,
	error: [
		SessionNotFoundError,
		SessionExpiredError,
		RequestRefusedError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "auth.get",
	summary: "Read an auth session",
	description: "With `wait`, answers when the status changes or after that many seconds, at most 30."
})), post("resume", "/auth/sessions/:session_id/resume", {
	params: sessionParams,
	payload: Struct({ data: Record(String, RedactedFromValue(String)) }),
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
}).annotateMerge(annotations({
	identifier: "auth.resume",
	summary: "Continue an auth session",
	description: "Hands over the values that `next_action` asked for, by field name. A refused value leaves the session open."
})), del("cancel", "/auth/sessions/:session_id", {
	params: sessionParams,
	success: AuthSession,
	error: [
		SessionNotFoundError,
		SessionExpiredError,
		VaultUnavailableError
	]
}).annotateMerge(annotations({
	identifier: "auth.cancel",
	summary: "Cancel an auth session"
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(annotations({
	title: "Auth sessions",
	description: "Logins in progress."
})) {};

export { isFinal as n, AuthGroup as t };