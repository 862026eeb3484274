import { _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { n as ProvidersGroup } from "./ProvidersGroup--AMk6PfO.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { l as InputCancelledError } from "./Errors-CqOgzwWL.js";
import { r as Output } from "./main.js";
import { t as confirm } from "./Prompt-DYrdeiz3.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";

// src/cli/commands/Remove.ts
const remove = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const provider = yield* providerName(input.provider);
	if (output.interactive && !input.yes) {
		const { overridesBundled, source } = yield* client.of(ProvidersGroup).get({ params: { provider } });
		const question = source === "custom" && !overridesBundled ? `Remove the provider ${provider} and its connections?` : `Reset ${provider} to its shipped definition?`;
		if (!(yield* confirm(question))) return yield* new InputCancelledError({ detail: "Nothing was removed." });
	}
	const answer = yield* client.of(ProvidersGroup).remove({ params: { provider } });
	if (output.json) return yield* output.document(answer);
	yield* output.note(answer.status === "removed" ? `Removed the provider ${answer.provider}.` : `${answer.provider} has its shipped definition.`);
}, provideDaemon());

export { remove };