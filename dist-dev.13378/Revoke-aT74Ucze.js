import { V as encodeSync, _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { i as Revoked, t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { l as InputCancelledError } from "./Errors-CqOgzwWL.js";
import { r as Output } from "./main.js";
import { t as confirm } from "./Prompt-DYrdeiz3.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";

// src/cli/commands/Revoke.ts
const revoke = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const provider = yield* providerName(input.provider);
	if (output.interactive && !input.yes) {
		const { connections } = yield* client.of(ConnectionsGroup).list({ query: { provider } });
		const names = connections.map((connection) => connection.connectionName).join(", ");
		if (!(connections.length === 0 || (yield* confirm(`End all connections of ${provider} (${names})?`)))) return yield* new InputCancelledError({ detail: "Nothing was revoked." });
	}
	const answer = yield* client.of(ConnectionsGroup).revoke({ params: { provider } });
	if (output.json) return yield* output.document(encodeSync(Revoked)(answer));
	yield* output.note(answer.connections.length === 0 ? `There was no connection of ${answer.provider}.` : `Removed ${answer.connections.join(", ")} of ${answer.provider}.`);
	for (const failure of answer.failures) yield* output.warn(failure);
}, provideDaemon());

export { revoke };