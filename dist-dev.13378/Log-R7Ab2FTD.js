import { V as encodeSync, _r as fnUntraced, ur as fail } from "./Runtime-CYnC2HYz.js";
import { n as AuditEntry, r as AuditVerification, t as AuditGroup } from "./AuditGroup-DSx0JzFS.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { t as Paths } from "./Paths-Vqceat6V.js";
import { u as InvalidRequestError } from "./Errors-CqOgzwWL.js";
import { t as ClientLog } from "./ClientLog-Cu8iOtzs.js";
import { t as lastLines } from "./LastLines-CGMFqONv.js";
import { n as Exited, r as Output } from "./main.js";
import { a as sanitizeLine } from "./Text-CNCZ9rIC.js";

// src/cli/commands/Log.ts
const styles = {
	ok: "green",
	denied: "yellow",
	failed: "red"
};
const entries = fnUntraced(function* (limit) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const documents = (yield* client.of(AuditGroup).list({ query: { limit: String(limit) } })).entries.map((entry) => encodeSync(AuditEntry)(entry));
	yield* output.either(() => documents, () => output.table([
		"TIME",
		"EVENT",
		"PROVIDER",
		"CONNECTION",
		"IDENTITY",
		"STATUS"
	], documents.map((entry) => [
		{ text: entry.timestamp },
		{ text: entry.event },
		{ text: entry.provider ?? "-" },
		{ text: entry.connection ?? "-" },
		{ text: entry.identity },
		{
			text: entry.status,
			style: styles[entry.status]
		}
	])));
}, provideDaemon());
const verify = fnUntraced(function* () {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const answer = yield* client.of(AuditGroup).verify();
	yield* output.either(() => encodeSync(AuditVerification)(answer), () => answer.ok ? `The chain of ${answer.entries} entries is intact.` : `The chain is broken: entry ${answer.brokenAt ?? "unknown"} is the first that does not fit.`);
	if (!answer.ok) return yield* fail(new Exited(1));
}, provideDaemon());
const raw = fnUntraced(function* (count) {
	const output = yield* Output;
	const { file } = yield* ClientLog;
	const { clientLog } = yield* Paths;
	const lines = yield* lastLines(file ?? clientLog, count);
	if (output.json) return yield* output.document(lines);
	if (lines.length > 0) yield* output.data(lines.map(sanitizeLine).join("\n"));
});
const log = fnUntraced(function* (input) {
	if (input.raw && input.verify) return yield* InvalidRequestError.of([{
		path: "--verify",
		message: "cannot be combined with --raw"
	}]);
	yield* input.raw ? raw(input.lines) : input.verify ? verify() : entries(input.lines);
});

export { log };