import { Pn as value, _r as fnUntraced, vs as getOrElse } from "./Runtime-CYnC2HYz.js";
import { t as CredentialsGroup } from "./CredentialsGroup-SUCJbk0s.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { r as Output } from "./main.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";

// src/cli/commands/Export.ts
/** With `--json` the answer is the object of `--format json`, whatever the format. */
const exportCredential = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const provider = yield* providerName(input.provider);
	const format = output.json ? "json" : getOrElse(input.format, () => "env");
	const exported = yield* client.of(CredentialsGroup).export({ payload: {
		provider,
		connection: input.connection,
		format
	} });
	yield* output.raw(value(exported.output));
}, provideDaemon());

export { exportCredential };