import { es as Service, kr as map, ra as effect, ua as succeed } from "./Runtime-CYnC2HYz.js";
import { f as Settings } from "./SecureFiles-DvIPMxq1.js";
import * as path from "node:path";

// src/config/Paths.ts
/** Every path below the home directory. */
const pathsOf = (home) => {
	const client = path.join(home, "client");
	const server = path.join(home, "server");
	const clientLogs = path.join(client, "logs");
	const serverLogs = path.join(server, "logs");
	return {
		home,
		config: path.join(home, "config.json"),
		providers: path.join(home, "providers"),
		identities: path.join(home, "identities"),
		client,
		clientLogs,
		clientLog: path.join(clientLogs, "credsvc.log"),
		cache: path.join(client, "cache"),
		server,
		database: path.join(server, "credsvc.db"),
		homeLock: path.join(server, "home.lock"),
		startLock: path.join(server, "start.lock"),
		masterKey: path.join(server, "master.key"),
		manifestAnchor: path.join(server, "manifest.anchor"),
		accessKey: path.join(server, "access.key"),
		daemonPid: path.join(server, "daemon.pid"),
		daemonState: path.join(server, "daemon.json"),
		serverLogs,
		auditLog: path.join(serverLogs, "credsvc.log"),
		daemonLog: path.join(serverLogs, "daemon.log")
	};
};
var Paths = class Paths extends Service()("credsvc/config/Paths") {
	static layerHome = (home) => succeed(Paths, pathsOf(home));
	static layerNoDeps = effect(Paths, map(Settings, (settings) => pathsOf(settings.home)));
};

export { Paths as t };