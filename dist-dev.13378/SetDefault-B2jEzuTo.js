import { V as encodeSync, _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { n as DefaultSet, t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { r as Output } from "./main.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";

// src/cli/commands/SetDefault.ts
const setDefault = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const provider = yield* providerName(input.provider);
	const answer = yield* client.of(ConnectionsGroup).setDefault({ params: {
		provider,
		connection: input.connection
	} });
	if (output.json) return yield* output.document(encodeSync(DefaultSet)(answer));
	yield* output.note(`The default connection of ${answer.provider} is now "${answer.defaultConnection}".`);
}, provideDaemon());

export { setDefault };