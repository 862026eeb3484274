import { Cr as gen, Cs as isSome, Es as match, Hn as acquireRelease, Nn as make, Pn as value, Yn as callback, ci as succeed, cr as ensuring, fi as sync, ii as scoped, kr as map, rr as catch_, ti as runSync, tr as catchTag, ur as fail, vi as try_, vr as forEach } from "./Runtime-CYnC2HYz.js";
import { a as findAccessKey } from "./PeerOwner-KEOs6sYk.js";
import { o as DaemonUnavailableError } from "./Errors-CqOgzwWL.js";
import { a as ensurePrivateDirectory, o as openAppend, p as builtins } from "./SecureFiles-DvIPMxq1.js";
import { a as readDaemonState, i as locateDaemon, t as openDaemonConnection } from "./DaemonConnection-Dh-NfmGd.js";
import * as fs from "node:fs";

// src/client/Autostart.ts
/**
* Starting this home's daemon in the background.
*
* Twenty clients that find no daemon at the same time start one: they queue for a lock that the operating system
* takes back from whoever dies holding it, and each looks again before it starts anything. The daemon gets an
* environment of its own, so that the proxy, the certificates or the debugger of whoever happened to be first do not
* stay with it, and no master key is ever in its environment: the key goes through a pipe.
*/
/** File descriptor on which a started daemon finds the master key, when this variable names it. */
const masterKeyDescriptorVariable = "CREDSVC_MASTER_KEY_FD";
const masterKeyDescriptor = 4;
const inherited = /* @__PURE__ */ new Set([
	"HOME",
	"PATH",
	"LANG",
	"TMPDIR",
	"TZ",
	"USER",
	"LOGNAME",
	"DBUS_SESSION_BUS_ADDRESS"
]);
const inheritedPrefixes = ["LC_", "XDG_"];
const own = /* @__PURE__ */ new Set([
	"CREDSVC_HOME",
	"CREDSVC_SERVER_BASE_URL",
	"CREDSVC_MASTER_KEY_MODE",
	"CREDSVC_ALLOW_ANY_PEER"
]);
const windows = /* @__PURE__ */ new Set([
	"SYSTEMROOT",
	"APPDATA",
	"LOCALAPPDATA",
	"USERPROFILE",
	"TEMP",
	"TMP",
	"PATHEXT",
	"COMSPEC"
]);
/** The environment of a daemon, from that of whoever starts it. */
const daemonEnvironment = (environment, home) => {
	const kept = Object.entries(environment).filter((entry) => entry[1] !== void 0 && (inherited.has(entry[0]) || own.has(entry[0]) || inheritedPrefixes.some((prefix) => entry[0].startsWith(prefix)) || process.platform === "win32" && windows.has(entry[0].toUpperCase())));
	return {
		...Object.fromEntries(kept),
		CREDSVC_HOME: home
	};
};
/** Reads the key that a starting client piped to this process. Undefined when none was. Reads once. */
const receiveMasterKey = (environment) => {
	const descriptor = environment[masterKeyDescriptorVariable];
	if (descriptor === void 0) return void 0;
	delete environment[masterKeyDescriptorVariable];
	const text = fs.readFileSync(Number(descriptor), "utf8");
	fs.closeSync(Number(descriptor));
	return make(text);
};
const startTimeout = 2e4;
const unavailable = (paths, detail) => new DaemonUnavailableError({
	url: "",
	detail: `${detail} Its log is ${paths.daemonLog}`
});
const withoutCoreFiles = process.platform === "win32" ? (program, args) => ({
	command: program,
	args: [...args]
}) : (program, args) => ({
	command: "/bin/sh",
	args: [
		"-c",
		"ulimit -c 0; exec \"$0\" \"$@\"",
		program,
		...args
	]
});
const launch = (context, entry, serveArguments) => callback((resume) => {
	const { masterKey } = context.settings;
	const log = runSync(openAppend(context.paths.daemonLog));
	const environment = daemonEnvironment(process.env, context.paths.home);
	if (isSome(masterKey)) environment[masterKeyDescriptorVariable] = String(masterKeyDescriptor);
	const { args, command } = withoutCoreFiles(process.execPath, [
		"--disable-sigusr1",
		"--report-exclude-env",
		entry,
		"daemon",
		"serve",
		...serveArguments
	]);
	const child = builtins.childProcess.spawn(command, args, {
		cwd: context.paths.home,
		detached: true,
		env: environment,
		stdio: [
			"ignore",
			log,
			log,
			"ipc",
			...isSome(masterKey) ? ["pipe"] : []
		]
	});
	fs.closeSync(log);
	if (isSome(masterKey)) {
		const pipe = child.stdio[masterKeyDescriptor];
		pipe.on("error", () => {});
		pipe.end(value(masterKey.value));
	}
	const finish = (result) => {
		clearTimeout(timer);
		child.removeAllListeners();
		child.on("error", () => {});
		if (child.connected) child.disconnect();
		child.unref();
		resume(result);
	};
	const timer = setTimeout(() => {
		child.kill("SIGKILL");
		finish(fail(unavailable(context.paths, "The daemon did not get ready in time.")));
	}, startTimeout);
	child.on("error", (cause) => finish(fail(unavailable(context.paths, `The daemon could not be started (${cause.code ?? "unknown"}).`))));
	child.on("exit", (code, signal) => finish(fail(unavailable(context.paths, `The daemon ended as it started (${signal ?? `exit code ${code}`}).`))));
	child.on("message", (message) => {
		const said = message;
		finish(said.ready ? succeed({ url: said.url }) : fail(unavailable(context.paths, said.message)));
	});
});
/** The URL of a daemon that answers, undefined when none does. */
const findRunning = (context) => gen(function* () {
	const address = yield* locateDaemon(context.settings, context.paths);
	const accessKey = yield* findAccessKey(context.paths);
	const connection = openDaemonConnection(address, {
		accessKey,
		peerOwner: context.peerOwner
	});
	return yield* connection.send({
		method: "GET",
		path: "/health",
		headers: {},
		body: void 0
	}).pipe(map(() => address.url.origin), catch_((error) => error.reason === "refused" ? succeed(void 0) : fail(new DaemonUnavailableError({
		url: address.url.origin,
		detail: error.message
	}))), ensuring(sync(connection.close)));
});
/**
* Starts the daemon unless one answers already, and returns when it listens.
*
* Queues behind other clients that are doing the same, and while it waits the event loop stands still.
*/
const startDaemon = (context, options) => gen(function* () {
	const { paths } = context;
	yield* forEach([
		paths.home,
		paths.server,
		paths.serverLogs
	], ensurePrivateDirectory);
	yield* acquireRelease(try_({
		try: () => {
			const lock = new builtins.sqlite.DatabaseSync(paths.startLock, { timeout: startTimeout });
			lock.exec("BEGIN EXCLUSIVE");
			return lock;
		},
		catch: () => unavailable(paths, "Another client has been starting the daemon for too long.")
	}), (lock) => sync(() => lock.close()));
	const running = yield* findRunning(context);
	if (running !== void 0) return {
		url: running,
		started: false
	};
	const died = yield* readDaemonState(paths);
	const serveArguments = options.serveArguments ?? match(died, {
		onNone: () => [],
		onSome: ({ host, port }) => [
			"--host",
			host,
			"--port",
			String(port)
		]
	});
	const { url } = yield* launch(context, options.entry, serveArguments);
	return {
		url,
		started: true
	};
}).pipe(catchTag("SecureFileError", (error) => fail(new DaemonUnavailableError({
	url: "",
	detail: `The daemon cannot be started: ${error.message}`
}))), scoped);

export { daemonEnvironment, masterKeyDescriptorVariable, receiveMasterKey, startDaemon };