import { Ci as void_, Cr as gen, Cs as isSome, Kn as as, Nn as make, Pn as value, Yn as callback, Yr as raceFirst, _r as fnUntraced, ci as succeed, fi as sync, gi as timeoutOrElse, pr as flatMap, tr as catchTag, ur as fail, vs as getOrElse, wr as ignore, zr as onExit } from "./Runtime-CYnC2HYz.js";
import { n as isFinal, t as AuthGroup } from "./AuthGroup-DJHO2sob.js";
import { t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { g as SessionExpiredError, l as InputCancelledError, n as AuthenticationFailedError, u as InvalidRequestError } from "./Errors-CqOgzwWL.js";
import { r as Output } from "./main.js";
import { n as line, r as secret, t as confirm } from "./Prompt-DYrdeiz3.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";
import { n as openUrl, r as openableUrl, t as hasBrowser } from "./UrlOpener-CYiB411E.js";
import { t as connectionDocument } from "./Wire-BW0EonXF.js";
import * as fs from "node:fs";

// src/cli/Stdin.ts
/** All of stdin, for values that must not be arguments. */
const maxBytes = 65536;
const readStdin = callback((resume) => {
	const stream = fs.createReadStream("", {
		fd: 0,
		autoClose: false
	});
	const chunks = [];
	let size = 0;
	const fail$1 = (message) => {
		stream.destroy();
		resume(fail(InvalidRequestError.of([{
			path: "--stdin",
			message
		}])));
	};
	stream.on("data", (chunk) => {
		const bytes = Buffer.from(chunk);
		size += bytes.length;
		if (size > maxBytes) return fail$1("stdin is larger than 64 KiB");
		chunks.push(bytes);
	});
	stream.on("end", () => resume(succeed(Buffer.concat(chunks).toString("utf8"))));
	stream.on("error", () => fail$1("stdin cannot be read"));
	return sync(() => stream.destroy());
});

// src/cli/commands/Login.ts
/**
* Runs one login session of the daemon to its end: shows what has to be done, collects what is asked for, and waits.
*
* A session that is not completed is cancelled, whatever ended the command.
*/
const startOf = (input, provider) => ({
	provider,
	connection: input.connection,
	force: input.force,
	...isSome(input.flow) ? { flow: input.flow.value } : {},
	...isSome(input.baseUrl) ? { baseUrl: input.baseUrl.value } : {},
	...isSome(input.scopes) ? { scopes: input.scopes.value.split(",").map((scope) => scope.trim()).filter((scope) => scope !== "") } : {}
});
const refusedInput = (message) => InvalidRequestError.of([{
	path: "--stdin",
	message
}]);
/** What came through stdin: one JSON object of fields, or the bare value of the only field that is required. */
const parseInput = (text, fields) => {
	const names = fields.map((field) => field.name);
	const bare = text.trim();
	if (bare === "") return fail(refusedInput("stdin is empty"));
	if (bare.startsWith("{")) {
		let parsed;
		try {
			parsed = JSON.parse(bare);
		} catch {
			parsed = void 0;
		}
		if (typeof parsed === "object" && parsed !== null && names.some((name) => Object.hasOwn(parsed, name))) {
			const entries = Object.entries(parsed);
			return entries.find(([name, value]) => !names.includes(name) || typeof value !== "string") === void 0 ? succeed(Object.fromEntries(entries.map(([name, value]) => [name, make(value)]))) : fail(refusedInput(`the object on stdin may have these fields, each a string: ${names.join(", ")}`));
		}
	}
	const required = fields.filter((field) => field.required);
	const only = required.length === 1 ? required[0] : fields.length === 1 ? fields[0] : void 0;
	return only === void 0 ? fail(refusedInput(`stdin must be a JSON object with the fields ${names.join(", ")}`)) : succeed({ [only.name]: make(bare) });
};
const ask = (fields) => gen(function* () {
	const output = yield* Output;
	const values = {};
	for (const field of fields) {
		if (field.hint !== null) yield* output.note(field.hint);
		const label = field.required ? field.label : `${field.label} (optional)`;
		const value = field.secret ? yield* secret(label) : make(yield* line(label, field.default ?? void 0));
		if (field.required || !isEmpty(value)) values[field.name] = value;
	}
	return values;
});
const isEmpty = (value$1) => value(value$1).trim() === "";
/** Waits until the session has ended, for at most half a minute a request. */
const waitForEnd = (session) => gen(function* () {
	const auth = (yield* DaemonClient).of(AuthGroup);
	let current = session;
	while (!isFinal(current.status)) current = yield* auth.get({
		params: { session_id: session.sessionId },
		query: { wait: "25" }
	});
	return current;
});
/** Hands over what the person types; a refused value is asked for again. */
const enterOnTerminal = fnUntraced(function* (session, fields) {
	const auth = (yield* DaemonClient).of(AuthGroup);
	const output = yield* Output;
	for (;;) {
		const data = yield* ask(fields);
		const answer = yield* auth.resume({
			params: { session_id: session.sessionId },
			payload: { data }
		}).pipe(catchTag("InvalidRequestError", (error) => as(output.tell(sentence(error)), void 0)));
		if (answer !== void 0) return answer;
	}
});
const sentence = (error) => error.problems.map((problem) => problem.message).join("; ") || error.detail || "The value was refused.";
const enter = (session, fields, url, input) => gen(function* () {
	const auth = (yield* DaemonClient).of(AuthGroup);
	const output = yield* Output;
	if (input.stdin) {
		const data = yield* parseInput(yield* readStdin, fields);
		return yield* auth.resume({
			params: { session_id: session.sessionId },
			payload: { data }
		});
	}
	if (!input.noBrowser && hasBrowser()) {
		yield* output.tell(`Enter the credential on this page:\n  ${url}`);
		if (yield* openUrl(url)) {
			yield* output.note("Waiting for the page. Ctrl-C cancels; --no-browser lets you type here instead.");
			return yield* waitForEnd(session);
		}
	}
	if (output.interactive) {
		yield* output.note(`Type it here, or open this page:\n  ${url}`);
		return yield* raceFirst(enterOnTerminal(session, fields).pipe(flatMap(waitForEnd)), waitForEnd(session));
	}
	if (input.noBrowser) {
		yield* output.tell(`Enter the credential on this page:\n  ${url}`);
		return yield* waitForEnd(session);
	}
	return yield* new InputCancelledError({ detail: "There is neither a browser nor a terminal to enter the credential. Pipe it in with --stdin, or print the page's address with --no-browser." });
});
const act = (session, input) => gen(function* () {
	const output = yield* Output;
	const action = session.nextAction;
	switch (action.type) {
		case "enter_input": return yield* enter(session, action.fields, action.url, input);
		case "open_url":
		case "show_user_code": {
			const url = openableUrl(action.url);
			if (url === void 0) return yield* new AuthenticationFailedError({
				provider: session.provider,
				detail: "The provider sent an address that is not https, so it is not opened."
			});
			if (action.type === "show_user_code") yield* output.tell(`Open ${action.verificationUri} and enter the code ${action.userCode}`);
			else yield* output.tell(`Log in on this page:\n  ${url}`);
			if (!input.noBrowser) yield* openUrl(url);
			return yield* waitForEnd(session);
		}
		case "none": return yield* waitForEnd(session);
	}
});
const sigint = callback((resume) => {
	const onSignal = () => resume(fail(new InputCancelledError({ detail: "The login was cancelled." })));
	process.on("SIGINT", onSignal);
	return sync(() => process.off("SIGINT", onSignal));
});
const outcome = (session) => gen(function* () {
	switch (session.status) {
		case "completed": return;
		case "cancelled": return yield* new InputCancelledError({ detail: "The login was cancelled." });
		case "expired": return yield* SessionExpiredError.of();
		default: return yield* new AuthenticationFailedError({
			provider: session.provider,
			detail: session.error?.message ?? session.message
		});
	}
});
const login = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const auth = client.of(AuthGroup);
	const provider = yield* providerName(input.provider);
	const start = startOf(input, provider);
	const session = yield* auth.start({ payload: start }).pipe(catchTag("ConnectionAlreadyExistsError", (error) => gen(function* () {
		if (!output.interactive || input.stdin) return yield* error;
		if (!(yield* confirm(`The connection "${input.connection}" of ${provider} exists. Replace it?`))) return yield* new InputCancelledError({ detail: "The connection was left as it is." });
		return yield* auth.start({ payload: {
			...start,
			force: true
		} });
	})));
	const timeout = getOrElse(input.timeout, () => 86400);
	const ended = yield* act(session, input).pipe(flatMap((current) => isFinal(current.status) ? succeed(current) : waitForEnd(current)), timeoutOrElse({
		duration: `${timeout} seconds`,
		orElse: () => fail(new InputCancelledError({ detail: `Nothing was entered within ${timeout} seconds.` }))
	}), raceFirst(sigint), onExit((exit) => exit._tag === "Success" && isFinal(exit.value.status) ? void_ : ignore(auth.cancel({ params: { session_id: session.sessionId } }))));
	yield* outcome(ended);
	if (output.json) {
		const connection = yield* client.of(ConnectionsGroup).get({ params: {
			provider,
			connection: ended.connection
		} });
		return yield* output.document(connectionDocument(connection));
	}
	yield* output.note(`Logged in to ${provider}; the connection is "${ended.connection}".`);
}, provideDaemon());

export { login };