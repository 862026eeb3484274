import { Bn as toEpochMillis, Cr as gen, Cs as isSome, Ds as none, Es as match, Hr as option, Ss as isNone, V as encodeSync, Wr as orElseSucceed, _r as fnUntraced, kr as map, si as sleep, ur as fail, vs as getOrElse } from "./Runtime-CYnC2HYz.js";
import { t as SystemGroup } from "./SystemGroup-COrwacBg.js";
import { a as readDaemonState, n as defaultHost, r as defaultPort } from "./DaemonConnection-Dh-NfmGd.js";
import { n as startDaemon, r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { t as Paths } from "./Paths-Vqceat6V.js";
import { f as Settings } from "./SecureFiles-DvIPMxq1.js";
import { c as ExitCode } from "./Errors-CqOgzwWL.js";
import { d as Health, t as PeerOwner } from "./PeerOwner-KEOs6sYk.js";
import { t as lastLines } from "./LastLines-CGMFqONv.js";
import { n as Exited, r as Output } from "./main.js";
import { a as sanitizeLine } from "./Text-CNCZ9rIC.js";
import * as fs from "node:fs";

// src/cli/DaemonProcess.ts
/**
* The background daemon as a process: found by its state file, told from any other process before it gets a signal (A49).
*
* A state file outlives a crash, and process ids are used again. On Linux the process must be ours, be a daemon of this
* program, have started before the file says that it listened, and own the socket that listens on the file's port.
* Elsewhere the daemon has to answer with the file's instance on that port.
*/
const read = (file) => {
	try {
		return fs.readFileSync(file, "latin1");
	} catch {
		return "";
	}
};
const ticksPerSecond = 100;
/** When a process started, in seconds since the epoch. Undefined when there is none. */
const startedAt = (pid) => {
	const stat = read(`/proc/${pid}/stat`);
	const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
	const boot = Number(/^btime (\d+)$/m.exec(read("/proc/stat"))?.[1]);
	return stat === "" || Number.isNaN(ticks) || Number.isNaN(boot) ? void 0 : boot + ticks / ticksPerSecond;
};
/** The inodes of sockets that listen on a port, as /proc/net/tcp has them. */
const listeningInodes = (tables, port) => {
	const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
	return tables.split("\n").flatMap((row) => {
		const columns = row.trim().split(/\s+/);
		return columns[1]?.endsWith(suffix) === true && columns[3] === "0A" ? [columns[9]] : [];
	});
};
const ownsListener = (pid, port) => {
	const inodes = new Set(listeningInodes(read("/proc/net/tcp") + read("/proc/net/tcp6"), port));
	try {
		return fs.readdirSync(`/proc/${pid}/fd`).some((fd) => {
			try {
				return inodes.has(/^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? "");
			} catch {
				return false;
			}
		});
	} catch {
		return false;
	}
};
/** Clocks of the kernel and of the file differ by their resolution. */
const slack = 2;
/** How long a daemon may take from its start until it listens. */
const longestStart = 300;
const isOursOnLinux = (state) => {
	const { pid, port } = state;
	try {
		if (fs.statSync(`/proc/${pid}`).uid !== process.getuid?.()) return false;
	} catch {
		return false;
	}
	const argv = read(`/proc/${pid}/cmdline`).split("\0");
	const daemon = argv.indexOf("daemon");
	if (daemon === -1 || argv[daemon + 1] !== "serve") return false;
	const began = startedAt(pid);
	const listened = toEpochMillis(state.startedAt) / 1e3;
	if (began === void 0 || began > listened + slack || began < listened - longestStart) return false;
	return ownsListener(pid, port);
};
const isAlive = (pid) => {
	try {
		process.kill(pid, 0);
		return true;
	} catch (cause) {
		return cause.code === "EPERM";
	}
};
/** The daemon of this home, if it runs. `answers` asks the daemon at the file's address for its instance. */
const findDaemon = (paths, answers) => gen(function* () {
	const state = yield* readDaemonState(paths);
	if (isNone(state) || state.value.pid <= 1 || !isAlive(state.value.pid)) return none();
	return (process.platform === "linux" ? isOursOnLinux(state.value) : yield* answers(state.value)) ? state : none();
});
const gone = (pid, seconds) => gen(function* () {
	for (let waited = 0; waited < seconds * 20; waited++) {
		if (!isAlive(pid)) return true;
		yield* sleep("50 millis");
	}
	return !isAlive(pid);
});
const signal = (pid, name) => {
	try {
		process.kill(pid, name);
	} catch {}
};
/** Asks it to stop, and makes it after ten seconds. Answers whether it had to be made. */
const stopProcess = (pid) => gen(function* () {
	signal(pid, "SIGTERM");
	if (yield* gone(pid, 10)) return { killed: false };
	signal(pid, "SIGKILL");
	yield* gone(pid, 5);
	return { killed: true };
});

// src/cli/commands/Daemon.ts
const find = gen(function* () {
	const client = yield* DaemonClient;
	const answers = (state) => client.of(SystemGroup).health().pipe(map((health) => health.instance === state.instance), orElseSucceed(() => false));
	return yield* findDaemon(yield* Paths, answers);
});
const launch = (address) => gen(function* () {
	const context = {
		settings: yield* Settings,
		paths: yield* Paths,
		peerOwner: yield* PeerOwner
	};
	return yield* startDaemon(context, [
		"--host",
		address.host,
		"--port",
		String(address.port)
	]);
});
const tellStarted = (what, url) => gen(function* () {
	const output = yield* Output;
	const state = yield* find;
	const pid = isSome(state) ? state.value.pid : null;
	yield* output.either(() => ({
		status: what,
		url,
		pid
	}), () => url);
	yield* output.note(`The daemon ${what === "running" ? "was running already" : `has been ${what}`}${pid === null ? "" : ` (process ${pid})`}.`);
});
const start = fnUntraced(function* (input) {
	const { started, url } = yield* launch(input);
	yield* tellStarted(started ? "started" : "running", url);
}, provideDaemon({ start: false }));
const stop = fnUntraced(function* () {
	const output = yield* Output;
	const state = yield* find;
	if (isNone(state)) {
		if (output.json) return yield* output.document({
			status: "not_running",
			pid: null
		});
		return yield* output.note("No daemon was running.");
	}
	const { pid } = state.value;
	const { killed } = yield* stopProcess(pid);
	if (output.json) return yield* output.document({
		status: "stopped",
		pid
	});
	yield* output.note(killed ? `The daemon (process ${pid}) did not stop in time and was killed.` : `Stopped the daemon (process ${pid}).`);
}, provideDaemon({ start: false }));
/** The address is that of the daemon that ran; without one, the default. */
const restart = fnUntraced(function* () {
	const state = yield* find;
	if (isSome(state)) yield* stopProcess(state.value.pid);
	const { url } = yield* launch(getOrElse(state, () => ({
		host: defaultHost,
		port: defaultPort
	})));
	yield* tellStarted(isSome(state) ? "restarted" : "started", url);
}, provideDaemon({ start: false }));
const status = fnUntraced(function* () {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const paths = yield* Paths;
	const { url } = yield* client.address;
	const health = yield* option(client.of(SystemGroup).health());
	const state = yield* find;
	yield* output.document({
		running: isSome(health),
		health: match(health, {
			onNone: () => null,
			onSome: (health) => encodeSync(Health)(health)
		}),
		pid: match(state, {
			onNone: () => null,
			onSome: ({ pid }) => pid
		}),
		pid_file: paths.daemonPid,
		log_file: paths.daemonLog,
		url: url.origin
	});
	if (isNone(health)) return yield* fail(new Exited(ExitCode.daemonUnavailable));
}, provideDaemon({ start: false }));
const logs = fnUntraced(function* (input) {
	const output = yield* Output;
	const lines = yield* lastLines((yield* Paths).daemonLog, input.lines);
	if (output.json) return yield* output.document(lines);
	if (lines.length > 0) yield* output.data(lines.map(sanitizeLine).join("\n"));
});

export { logs, restart, start, status, stop };