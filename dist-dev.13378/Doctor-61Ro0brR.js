import { V as encodeSync, _r as fnUntraced, ur as fail } from "./Runtime-CYnC2HYz.js";
import { t as SystemGroup } from "./SystemGroup-COrwacBg.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { g as componentNames, p as Readiness } from "./PeerOwner-KEOs6sYk.js";
import { n as Exited, r as Output } from "./main.js";

// src/cli/commands/Doctor.ts
const styles = {
	ok: "green",
	warning: "yellow",
	failed: "red"
};
/** The daemon checks itself; whether it speaks our version of the interface only we can tell. */
const doctor = fnUntraced(function* () {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const health = yield* client.of(SystemGroup).health();
	const readiness = yield* client.of(SystemGroup).ready();
	const compatible = health.apiVersion === 1;
	const checks = compatible ? readiness.checks : {
		...readiness.checks,
		spec_version: {
			status: "failed",
			message: `the daemon ${health.version} speaks version ${health.apiVersion}, this command ${1}. Restart it with: credsvc daemon restart`
		}
	};
	const status = compatible ? readiness.status : "unhealthy";
	const encoded = encodeSync(Readiness)({
		...readiness,
		status,
		checks
	});
	if (output.json) yield* output.document(encoded);
	else {
		yield* output.data(output.table([
			"CHECK",
			"STATUS",
			"MESSAGE"
		], componentNames.map((name) => [
			{ text: name },
			{
				text: checks[name].status,
				style: styles[checks[name].status]
			},
			{ text: checks[name].message }
		])));
		for (const warning of readiness.warnings) yield* output.warn(warning);
		for (const problem of readiness.problems) yield* output.tell(`problem: ${problem}`);
		yield* output.note(`The daemon is ${status}.`);
	}
	if (status === "unhealthy") return yield* fail(new Exited(1));
}, provideDaemon());

export { doctor };