import { Wn as all, _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { n as ProvidersGroup } from "./ProvidersGroup--AMk6PfO.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { r as Output } from "./main.js";
import { t as connectionDocument } from "./Wire-BW0EonXF.js";

// src/cli/commands/List.ts
const styles = {
	connected: "green",
	expired: "yellow",
	invalid: "red",
	not_connected: "dim"
};
const statusCell = (status) => ({
	text: status,
	style: styles[status]
});
const list = fnUntraced(function* () {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const [{ providers }, { connections }] = yield* all([client.of(ProvidersGroup).list(), client.of(ConnectionsGroup).list()], { concurrency: "unbounded" });
	const connectionsOf = (provider) => connections.filter((connection) => connection.provider === provider);
	if (output.json) {
		const entries = (source) => providers.filter((provider) => provider.source === source).map((provider) => ({
			name: provider.name,
			display_name: provider.displayName,
			auth_type: provider.authType,
			flow: provider.flow,
			source: provider.source,
			connections: connectionsOf(provider.name).map(connectionDocument)
		}));
		return yield* output.document({
			bundled: entries("bundled"),
			custom: entries("custom")
		});
	}
	const connected = providers.filter((provider) => connectionsOf(provider.name).some((each) => each.status === "connected"));
	if (!output.quiet) yield* output.data(`Providers: ${providers.length} total, ${connected.length} connected\n`);
	yield* output.data(output.table([
		"PROVIDER",
		"CONNECTION",
		"STATUS",
		"FLOW",
		"SOURCE"
	], providers.flatMap((provider) => {
		const row = (connection, status) => [
			{ text: provider.name },
			{ text: connection },
			statusCell(status),
			{ text: provider.flow },
			{ text: provider.overridesBundled ? "custom (overrides bundled)" : provider.source }
		];
		const own = connectionsOf(provider.name);
		return own.length === 0 ? [row("-", "not_connected")] : own.map((connection) => row(`${connection.connectionName}${connection.isDefault ? " *" : ""}`, connection.status));
	})));
}, provideDaemon());

export { list };