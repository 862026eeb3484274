import { Kt as currentTimeMillis, t as problemsOf } from "./SchemaProblems-DbdaqDHa.js";
import { A as Union, Cr as gen, Gr as promise, H as encodeUnknownEffect, Kr as provide$1, Un as addFinalizer, X as isSchemaError, Xn as catchCause, _r as fnUntraced, ca as provide, di as suspend, es as Service, fi as sync, hi as tapError, jr as mapError, la as provideMerge, pa as unwrap, pr as flatMap, ra as effect, rr as catch_, ur as fail, xs as getOrUndefined, z as decodeUnknownEffect } from "./Runtime-CYnC2HYz.js";
import { a as findAccessKey, t as PeerOwner } from "./PeerOwner-KEOs6sYk.js";
import { t as Paths } from "./Paths-Vqceat6V.js";
import { f as Settings } from "./SecureFiles-DvIPMxq1.js";
import { h as RequestRefusedError, o as DaemonUnavailableError, u as InvalidRequestError, x as published } from "./Errors-CqOgzwWL.js";
import { i as locateDaemon, t as openDaemonConnection } from "./DaemonConnection-Dh-NfmGd.js";
import { t as ClientLog } from "./ClientLog-Cu8iOtzs.js";
import * as fs from "node:fs";

// src/client/GroupClient.ts
/**
* A typed client for one group of the HTTP interface, derived from the group's definition when it runs.
*
* `effect/http-api/HttpApiClient` derives the same from the same value, but costs a short-lived process more time
* than everything else it does (docs/decisions). Taking one group at a time lets a command load only what it calls.
*/
const encoder = (schema) => schema === void 0 ? void 0 : encodeUnknownEffect(schema);
const errorClasses = new Map(published.map((errorClass) => [errorClass.identifier, errorClass]));
const notOurs = (response) => new DaemonUnavailableError({
	url: "",
	detail: `The daemon gave an answer that this version does not understand (status ${response.status}). Restart it with: credsvc daemon restart`
});
/** The problem document as the class that it names. Statuses of a refusal vary, so that one is rebuilt by hand. */
const decodeProblem = (response) => suspend(() => {
	const body = JSON.parse(response.body);
	const { detail, error } = body;
	if (error === "RequestRefusedError") return fail(new RequestRefusedError({ detail: String(detail) }));
	const errorClass = errorClasses.get(String(error));
	return errorClass === void 0 ? fail(notOurs(response)) : decodeUnknownEffect(errorClass)(body).pipe(mapError(() => notOurs(response)), flatMap(fail));
});
/** A value of the request that the daemon would refuse: told without asking it. */
const requestError = (error) => InvalidRequestError.of(problemsOf(error));
const makeCall = (endpoint, send) => {
	const [payload] = endpoint.payload.values();
	const encodeParams = encoder(endpoint.params);
	const encodeQuery = encoder(endpoint.query);
	const encodeHeaders = encoder(endpoint.headers);
	const encodePayload = encoder(payload?.schemas[0]);
	const successes = [...endpoint.success];
	const decodeSuccess = decodeUnknownEffect(successes.length === 1 ? successes[0] : Union(successes));
	return fnUntraced(function* (request) {
		let path = endpoint.path;
		if (encodeParams !== void 0) {
			const params = yield* encodeParams(request.params);
			path = path.replace(/:([A-Za-z_]+)/g, (_, name) => encodeURIComponent(params[name] ?? ""));
		}
		if (encodeQuery !== void 0 && request.query !== void 0) {
			const search = new URLSearchParams(yield* encodeQuery(request.query)).toString();
			if (search !== "") path = `${path}?${search}`;
		}
		const headers = { accept: "application/json" };
		if (encodeHeaders !== void 0 && request.headers !== void 0) Object.assign(headers, yield* encodeHeaders(request.headers));
		let body;
		if (encodePayload !== void 0) {
			headers["content-type"] = "application/json";
			body = JSON.stringify(yield* encodePayload(request.payload ?? {}));
		}
		const response = yield* send({
			method: endpoint.method,
			path,
			headers,
			body
		});
		if (response.headers["content-type"]?.startsWith("application/problem+json") === true) return yield* decodeProblem(response);
		return yield* suspend(() => decodeSuccess(JSON.parse(response.body))).pipe(catchCause(() => fail(notOurs(response))));
	}, mapError((error) => isSchemaError(error) ? requestError(error) : error));
};
const clients = /* @__PURE__ */ new WeakMap();
/** The client of `group`, made once for each way of sending. */
const groupClient = (group, send) => {
	const made = clients.get(send) ?? /* @__PURE__ */ new Map();
	clients.set(send, made);
	let client = made.get(group);
	if (client === void 0) {
		const { endpoints } = group;
		client = Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => {
			let call;
			return [name, (request) => (call ??= makeCall(endpoint, send))(request ?? {})];
		}));
		made.set(group, client);
	}
	return client;
};

// src/client/DaemonClient.ts
/**
* The daemon, as its clients see it: found, trusted, started when it may be, and called through the typed operations of
* the HTTP interface.
*/
var DaemonClient = class DaemonClient extends Service()("credsvc/client/DaemonClient") {
	/**
	* `start` is called when nothing listens at an address that is ours to choose; without it, that is a failure.
	* `profile` replaces the profile of the settings.
	*/
	static layerNoDeps = (options = {}) => effect(DaemonClient, gen(function* () {
		const settings = yield* Settings;
		const paths = yield* Paths;
		const peerOwner = yield* PeerOwner;
		const profile = options.profile ?? getOrUndefined(settings.profile);
		const profileHeader = profile === void 0 ? {} : { "credsvc-profile": profile };
		let current;
		yield* addFinalizer(() => sync(() => current?.connection.close()));
		const open = gen(function* () {
			const address = yield* locateDaemon(settings, paths);
			const accessKey = address.loopback ? yield* findAccessKey(paths) : void 0;
			current?.connection.close();
			current = {
				address,
				connection: openDaemonConnection(address, {
					accessKey,
					peerOwner
				})
			};
			return current;
		});
		const unavailable = (address, error) => {
			const hint = error.reason === "refused" ? `${error.message}. Start the daemon with: credsvc daemon start` : error.message;
			return new DaemonUnavailableError({
				url: address.url.origin,
				detail: hint
			});
		};
		const send = fnUntraced(function* (request) {
			const outgoing = {
				...request,
				headers: {
					...profileHeader,
					...request.headers
				}
			};
			const link = current ?? (yield* open);
			return yield* link.connection.send(outgoing).pipe(catch_((error) => {
				if (error.reason !== "refused") return fail(unavailable(link.address, error));
				return gen(function* () {
					const moved = yield* open;
					if (moved.address.url.href === link.address.url.href) {
						if (options.start === void 0 || !moved.address.startable) return yield* fail(unavailable(link.address, error));
						yield* options.start();
					}
					const again = yield* open;
					return yield* again.connection.send(outgoing).pipe(mapError((error) => unavailable(again.address, error)));
				});
			}));
		});
		return DaemonClient.of({
			address: locateDaemon(settings, paths),
			of: (group) => groupClient(group, send),
			send
		});
	}));
};

// src/cli/DaemonAccess.ts
/** The daemon for a command's handler: started when it is not running, every request noted in the debug log. */
/** The program that understands `daemon serve`: this one, by its own path, never looked up. */
const ownProgram = () => fs.realpathSync(process.argv[1]);
/** Starts the daemon. The code for it is loaded only when one has to be started. */
const startDaemon = (context, serveArguments = []) => flatMap(promise(() => import("./Autostart-nhrWW4qT.js")), (autostart) => autostart.startDaemon(context, {
	entry: ownProgram(),
	serveArguments
}));
const loggable = (path) => path.replace(/\?.*$/s, "").replace(/^(\/auth\/sessions\/)[^/]+/, "$1:session_id");
const logged = effect(DaemonClient, gen(function* () {
	const client = yield* DaemonClient;
	const log = yield* ClientLog;
	const send = fnUntraced(function* (request) {
		const began = yield* currentTimeMillis;
		const what = `${request.method} ${loggable(request.path)}`;
		const response = yield* client.send(request).pipe(tapError((error) => log.debug(`${what}: ${error.detail}`)));
		yield* log.debug(`${what}: ${response.status} in ${(yield* currentTimeMillis) - began} ms`);
		return response;
	});
	return DaemonClient.of({
		...client,
		of: (group) => groupClient(group, send),
		send
	});
}));
const layer = (options) => logged.pipe(provide(unwrap(gen(function* () {
	const context = {
		settings: yield* Settings,
		paths: yield* Paths,
		peerOwner: yield* PeerOwner
	};
	const log = yield* ClientLog;
	return DaemonClient.layerNoDeps({
		profile: options.profile,
		start: options.start === false ? void 0 : () => startDaemon(context).pipe(flatMap(({ url }) => log.debug(`the daemon listens at ${url}`)))
	});
}))), provideMerge(PeerOwner.layer));
/** `start: false` leaves a daemon that is not running alone, and fails instead. */
const provideDaemon = (options = {}) => provide$1(layer(options));

export { startDaemon as n, DaemonClient as r, provideDaemon as t };