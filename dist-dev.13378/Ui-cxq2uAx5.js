import { _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { t as SystemGroup } from "./SystemGroup-COrwacBg.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { r as Output } from "./main.js";
import { n as openUrl } from "./UrlOpener-CYiB411E.js";

// src/cli/commands/Ui.ts
const ui = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	yield* client.of(SystemGroup).health();
	const { url } = yield* client.address;
	const dashboard = new URL("/ui/", url).href;
	const opened = input.noBrowser ? false : yield* openUrl(dashboard);
	yield* output.either(() => ({
		url: dashboard,
		opened
	}), () => dashboard);
	if (!input.noBrowser && !opened) yield* output.note("No browser could be opened here; open the address yourself.");
}, provideDaemon());

export { ui };