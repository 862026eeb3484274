import { V as encodeSync, _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { t as SystemGroup } from "./SystemGroup-COrwacBg.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { h as Whoami } from "./PeerOwner-KEOs6sYk.js";
import { r as Output } from "./main.js";

// src/cli/commands/Whoami.ts
const whoami = fnUntraced(function* () {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const answer = yield* client.of(SystemGroup).whoami();
	yield* output.either(() => encodeSync(Whoami)(answer), () => output.fields([
		["home", answer.home],
		["profile", answer.profile],
		["identity", answer.identity],
		["master key mode", answer.masterKeyMode],
		["master key source", answer.masterKeySource ?? "none"],
		["description", answer.masterKeyDescription],
		["daemon", answer.daemonUrl],
		["version", answer.version]
	]));
}, provideDaemon());

export { whoami };