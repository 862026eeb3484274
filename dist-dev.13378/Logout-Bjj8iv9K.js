import { V as encodeSync, _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { r as LoggedOut, t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { r as Output } from "./main.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";

// src/cli/commands/Logout.ts
const logout = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const provider = yield* providerName(input.provider);
	const answer = yield* client.of(ConnectionsGroup).logout({ params: {
		provider,
		connection: input.connection
	} });
	if (output.json) return yield* output.document(encodeSync(LoggedOut)(answer));
	yield* output.note(`Removed the connection "${answer.connection}" of ${answer.provider}.`);
	if (answer.newDefault !== null) yield* output.tell(`The default connection of ${answer.provider} is now "${answer.newDefault}".`);
}, provideDaemon());

export { logout };