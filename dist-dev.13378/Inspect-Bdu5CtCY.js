import { _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { n as ProvidersGroup } from "./ProvidersGroup--AMk6PfO.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { r as Output } from "./main.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";
import { n as providerDocument, t as connectionDocument } from "./Wire-BW0EonXF.js";

// src/cli/commands/Inspect.ts
const inspect = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const provider = yield* providerName(input.provider);
	const detail = yield* client.of(ProvidersGroup).get({ params: { provider } });
	const { connections } = yield* client.of(ConnectionsGroup).list({ query: { provider } });
	yield* output.document({
		...providerDocument(detail),
		connections: connections.map(connectionDocument)
	});
}, provideDaemon());

export { inspect };