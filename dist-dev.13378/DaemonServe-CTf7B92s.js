import { Jr as provideService, Kr as provide, Qr as runFork, _r as fnUntraced, fi as sync, ks as some } from "./Runtime-CYnC2HYz.js";
import { receiveMasterKey } from "./Autostart-nhrWW4qT.js";
import { f as Settings } from "./SecureFiles-DvIPMxq1.js";
import { t as PeerOwner } from "./PeerOwner-KEOs6sYk.js";
import { r as Output, t as ServeDaemon } from "./main.js";

// src/cli/commands/DaemonServe.ts
const serve = fnUntraced(function* (input) {
	const output = yield* Output;
	const settings = yield* Settings;
	const daemon = yield* ServeDaemon;
	const piped = yield* sync(() => receiveMasterKey(process.env));
	yield* daemon.serve({
		host: input.host,
		port: input.port,
		onReady: ({ url }) => void runFork(output.either(() => ({
			status: "listening",
			url,
			pid: process.pid
		}), () => url))
	}).pipe(provideService(Settings, piped === void 0 ? settings : {
		...settings,
		masterKey: some(piped)
	}), provide(PeerOwner.layer));
});

export { serve };