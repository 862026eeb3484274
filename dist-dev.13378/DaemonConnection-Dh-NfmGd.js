import { Cr as gen, Cs as isSome, D as TaggedError, Es as match, Hr as option, U as fromJsonString, Yn as callback, ci as succeed, ei as runPromise, f as Int, fi as sync, m as Literals, pr as flatMap, ur as fail, w as String$1, z as decodeUnknownEffect } from "./Runtime-CYnC2HYz.js";
import { ct as Timestamp, lt as wire, o as DaemonUnavailableError } from "./Errors-CqOgzwWL.js";
import { p as builtins, s as readFile } from "./SecureFiles-DvIPMxq1.js";
import { c as proofHeader, l as sameProof, n as clientHeader, r as clientHello, u as serverProof } from "./PeerOwner-KEOs6sYk.js";

// src/client/DaemonAddress.ts
/** Where the daemon is: what the environment says, else what the running daemon of this home wrote down, else the default. */
const defaultHost = "127.0.0.1";
const defaultPort = 7998;
/** `server/daemon.json`: written by the daemon once it listens, removed when it stops. `instance` is new with every start. */
const DaemonState = wire({
	pid: Int,
	port: Int,
	host: String$1,
	startedAt: Timestamp,
	version: String$1,
	instance: String$1
});
const decodeState = decodeUnknownEffect(fromJsonString(DaemonState));
/** The state file of this home's daemon, none when it is absent or not one of ours. The daemon may be gone all the same. */
const readDaemonState = (paths) => readFile(paths.daemonState, { maxBytes: 65536 }).pipe(flatMap((bytes) => decodeState(new TextDecoder().decode(bytes))), option);
/** A literal loopback address. A name is none: `localhost` is whatever the resolver says. */
const isLoopback = (hostname) => {
	const host = hostname.replace(/^\[|\]$/g, "");
	return host === "::1" || builtins.net.isIPv4(host) && host.startsWith("127.");
};
const originOf = (host, port) => {
	const reachable = host === "0.0.0.0" ? defaultHost : host === "::" ? "::1" : host;
	return new URL(`http://${builtins.net.isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`);
};
const defaultUrl = originOf(defaultHost, defaultPort);
/** A URL without TLS that leaves this machine is refused: secrets would cross the network in clear. */
const locateDaemon = (settings, paths) => gen(function* () {
	if (isSome(settings.daemonUrl)) {
		const url = settings.daemonUrl.value;
		const loopback = url.protocol === "http:" && (isLoopback(url.hostname) || url.hostname === "localhost");
		if (url.protocol === "http:" && !loopback) return yield* new DaemonUnavailableError({
			url: url.origin,
			detail: `CREDSVC_DAEMON_URL is ${url.origin}: a daemon on another machine must be reached over https.`
		});
		if (url.hostname === "localhost") url.hostname = defaultHost;
		return {
			url,
			loopback,
			startable: url.href === defaultUrl.href
		};
	}
	const state = yield* readDaemonState(paths);
	return {
		url: match(state, {
			onNone: () => defaultUrl,
			onSome: ({ host, port }) => originOf(host, port)
		}),
		loopback: true,
		startable: true
	};
});

// src/client/DaemonConnection.ts
/**
* Requests to the daemon over `node:http`, on connections whose far end is known to be ours.
*
* Every new loopback connection begins with a handshake: `GET /health?nonce=…`, in which both ends prove that they can
* read this home's access key. Only then is the connection given to the first request, so a listener of another user
* who took the port is never sent a byte of a request. Where the key proves nothing (another home's daemon), the kernel's
* socket table decides. Redirects are not followed and the proxy variables of the environment are not read.
*/
/**
* Why no answer came. `refused`: nothing listens. `untrusted`: what listens is not ours. `incompatible`: another version of
* the interface. `broken`: the connection failed on the way, or the answer was not HTTP.
*/
var ConnectionError = class extends TaggedError()("ConnectionError", {
	reason: Literals([
		"refused",
		"untrusted",
		"incompatible",
		"timeout",
		"broken"
	]),
	message: String$1
}) {};
/** Milliseconds: a long poll takes thirty seconds, and a refresh behind a resolve ten. */
const answerTimeout = 6e4;
const handshakeTimeout = 5e3;
const maxHandshakeBytes = 65536;
const maxAnswerBytes = 67108864;
const refusedCodes = /* @__PURE__ */ new Set([
	"ECONNREFUSED",
	"ENOENT",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"EADDRNOTAVAIL"
]);
const toConnectionError = (cause, address) => {
	if (cause instanceof ConnectionError) return cause;
	const code = cause?.code;
	return code !== void 0 && refusedCodes.has(code) ? new ConnectionError({
		reason: "refused",
		message: `Nothing listens at ${address.url.origin}`
	}) : new ConnectionError({
		reason: "broken",
		message: `The connection to ${address.url.origin} failed${code === void 0 ? "" : ` (${code})`}`
	});
};
const untrusted = (address) => new ConnectionError({
	reason: "untrusted",
	message: `What listens at ${address.url.origin} belongs to another user, so nothing was sent to it. Stop that program, or use another port: credsvc daemon start --port 0`
});
/** Reads one small answer off the bare socket and leaves the socket as if it had never been used. */
const shakeHands = (socket, request) => new Promise((resolve, reject) => {
	let received = Buffer.alloc(0);
	const settle = (finish) => {
		socket.off("data", onData).off("error", onError).off("close", onClose);
		socket.setTimeout(0);
		socket.off("timeout", onTimeout);
		finish();
	};
	const broken = (message) => new ConnectionError({
		reason: "broken",
		message
	});
	const onError = (cause) => settle(() => reject(cause));
	const onClose = () => settle(() => reject(broken("The daemon closed the connection during the handshake")));
	const onTimeout = () => settle(() => reject(new ConnectionError({
		reason: "timeout",
		message: "The daemon did not answer the handshake"
	})));
	const onData = (chunk) => {
		received = Buffer.concat([received, chunk]);
		const end = received.indexOf("\r\n\r\n");
		if (end < 0) {
			if (received.length > maxHandshakeBytes) onClose();
			return;
		}
		const [statusLine = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
		const header = (name) => lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1).trim();
		const length = Number(header("content-length"));
		if (!statusLine.startsWith("HTTP/1.1 200") || !Number.isInteger(length) || length > maxHandshakeBytes) return settle(() => reject(broken("What listens there is not a credsvc daemon")));
		if (received.length < end + 4 + length) return;
		settle(() => {
			try {
				const health = JSON.parse(received.subarray(end + 4).toString("utf8"));
				resolve({
					proof: header(proofHeader),
					health: typeof health === "object" && health !== null ? health : {}
				});
			} catch {
				reject(broken("What listens there is not a credsvc daemon"));
			}
		});
	};
	socket.on("data", onData).on("error", onError).on("close", onClose);
	socket.setTimeout(handshakeTimeout).on("timeout", onTimeout);
	socket.write(request);
});
const verify = async (socket, address, key, listenerIsOurs) => {
	const port = Number(address.url.port || 80);
	const nonce = builtins.crypto.randomBytes(32).toString("hex");
	const hello = key === void 0 ? "" : `${clientHeader}: ${clientHello(key, nonce, port, Date.now())}\r\n`;
	if (key === void 0 && !await listenerIsOurs()) throw untrusted(address);
	const { health, proof } = await shakeHands(socket, `GET /health?nonce=${nonce} HTTP/1.1\r\nHost: ${address.url.host}\r\n${hello}Connection: keep-alive\r\n\r\n`).catch(async (cause) => {
		if (cause instanceof ConnectionError && !await listenerIsOurs()) throw untrusted(address);
		throw cause;
	});
	if (!(key !== void 0 && proof !== void 0 && sameProof(proof, serverProof(key, nonce, port))) && !await listenerIsOurs()) throw untrusted(address);
	if (health.api_version !== 1) throw new ConnectionError({
		reason: "incompatible",
		message: `The daemon at ${address.url.origin} is version ${String(health.version)}, which speaks another interface. Restart it with: credsvc daemon restart`
	});
};
const openDaemonConnection = (address, options) => {
	const secure = address.url.protocol === "https:";
	const hostname = address.url.hostname.replace(/^\[|\]$/g, "");
	const port = Number(address.url.port || (secure ? 443 : 80));
	const listenerIsOurs = () => runPromise(options.peerOwner.listener({
		address: hostname,
		port
	})).then((owner) => owner === "own" || owner === "unsupported");
	const agentOptions = {
		keepAlive: true,
		maxSockets: 8,
		scheduling: "lifo"
	};
	const agent = secure ? new builtins.https.Agent({
		...agentOptions,
		rejectUnauthorized: true
	}) : new builtins.http.Agent(agentOptions);
	if (address.loopback) agent.createConnection = (_options, callback) => {
		const socket = builtins.net.connect({
			host: hostname,
			port,
			noDelay: true
		});
		socket.once("error", (cause) => callback?.(cause, socket));
		socket.once("connect", () => {
			socket.removeAllListeners("error");
			verify(socket, address, options.accessKey, listenerIsOurs).then(() => callback?.(null, socket), (cause) => {
				socket.on("error", () => {});
				socket.destroy();
				callback?.(cause, socket);
			});
		});
	};
	const attempt = (request) => callback((resume) => {
		const outgoing = (secure ? builtins.https : builtins.http).request({
			agent,
			host: hostname,
			port,
			method: request.method,
			path: request.path,
			headers: {
				...request.headers,
				host: address.url.host,
				...request.body === void 0 ? {} : { "content-length": Buffer.byteLength(request.body) }
			},
			timeout: answerTimeout
		}, (incoming) => {
			const chunks = [];
			let size = 0;
			incoming.on("data", (chunk) => {
				size += chunk.length;
				if (size > maxAnswerBytes) outgoing.destroy(/* @__PURE__ */ new Error("answer too large"));
				else chunks.push(chunk);
			});
			incoming.on("end", () => {
				const answer = {
					status: incoming.statusCode ?? 0,
					headers: incoming.headers,
					body: Buffer.concat(chunks).toString("utf8")
				};
				process.nextTick(() => resume(succeed(answer)));
			});
			incoming.on("error", (cause) => resume(fail(toConnectionError(cause, address))));
		});
		outgoing.on("timeout", () => outgoing.destroy(new ConnectionError({
			reason: "timeout",
			message: `The daemon at ${address.url.origin} did not answer in time`
		})));
		outgoing.on("error", (cause) => {
			resume(outgoing.reusedSocket && cause.code === "ECONNRESET" && isRepeatable(request) ? attempt(request) : fail(toConnectionError(cause, address)));
		});
		outgoing.end(request.body);
		return sync(() => outgoing.destroy());
	});
	return {
		send: attempt,
		close: () => agent.destroy()
	};
};
/** Sending it twice does no more than sending it once. */
const isRepeatable = (request) => request.method === "GET" || request.path === "/credentials/resolve";

export { readDaemonState as a, locateDaemon as i, defaultHost as n, defaultPort as r, openDaemonConnection as t };