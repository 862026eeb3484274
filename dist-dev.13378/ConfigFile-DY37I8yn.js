import { Cr as gen, D as TaggedError, Q as makeFilter, T as Struct, Zi as isSuccess, _ as NonEmptyString, a as Boolean, b as Record, ci as succeed, di as suspend, es as Service, et as optionalKey, fi as sync, gr as fn, i as ArraySchema, jr as mapError, m as Literals, p as Literal, pi as tap, pr as flatMap, ra as effect, sn as makeFormatterStandardSchemaV1, tr as catchTag, ur as fail, v as NullOr, vt as decodeUnknownExit, w as String$1 } from "./Runtime-CYnC2HYz.js";
import { b as VaultUnavailableError, ln as make, lt as wire } from "./Errors-CqOgzwWL.js";
import { a as annotations, h as get, i as RequestProblems, p as make$1, r as ProfileSelection } from "./SchemaProblems-DbdaqDHa.js";
import { a as ensurePrivateDirectory, d as MASTER_KEY_MODES, l as replaceFile, s as readFile } from "./SecureFiles-DvIPMxq1.js";
import { a as ProviderName } from "./Provider-CVJ_zWyp.js";
import { u as ConnectionName } from "./main.js";
import { t as Paths } from "./Paths-Vqceat6V.js";
import * as fs from "node:fs";
import * as path from "node:path";

// src/api/ProxyGroup.ts
/** What the proxy needs to know before a request: which hosts belong to which provider. */
/**
* `host` is an exact name or `*.suffix` (one label more, never the suffix itself), with `:port` where it is not 443.
* `connection` is the default one, null when there is none.
*/
const ProxyRoute = wire({
	host: String$1,
	pathPrefix: NullOr(String$1),
	provider: ProviderName,
	connection: NullOr(ConnectionName),
	connected: Boolean
}, "ProxyRoute");
/** Environment variables for a child process: never a secret, only what makes its SDK start. */
const ProxyPlaceholder = Struct({
	provider: ProviderName,
	variable: String$1,
	value: String$1
});
/** `version` changes with every change of the table; it is also the ETag. */
const ProxyRoutes = Struct({
	version: String$1,
	routes: ArraySchema(ProxyRoute),
	placeholders: ArraySchema(ProxyPlaceholder)
});
var ProxyGroup = class extends make$1("proxy").add(get("routes", "/proxy/routes", {
	success: ProxyRoutes,
	error: [VaultUnavailableError]
}).annotateMerge(annotations({
	identifier: "proxy.routes",
	summary: "The routing table",
	description: "Which hosts belong to which provider. Answers 304 to an `If-None-Match` with the current version. `placeholders` are for providers with a connection."
}))).middleware(ProfileSelection).middleware(RequestProblems).annotateMerge(annotations({
	title: "Proxy",
	description: "For the forward proxy of `run`."
})) {};

// src/config/ConfigFile.ts
/** `config.json`: the settings that outlive a process. */
/** `config.json` cannot be used. It is never replaced or ignored: a person has to look at it. */
var ConfigFileError = class extends TaggedError()("ConfigFileError", {
	file: String$1,
	problems: ArraySchema(Struct({
		path: String$1,
		message: String$1
	}))
}) {
	get message() {
		const problems = this.problems.map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
		return `${this.file} cannot be used: ${problems.join("; ")}`;
	}
};
const authority = (expected) => makeFilter((value) => {
	const match = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/.exec(value);
	const port = Number(match?.[1]);
	return match !== null && port >= 1 && port <= 65535 ? void 0 : expected;
});
const proxyUrl = makeFilter((value) => {
	const url = URL.canParse(value) ? new URL(value) : void 0;
	return url !== void 0 && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "" && (url.pathname === "/" || url.pathname === "") && url.search === "" && url.hash === "" ? void 0 : "Expected an http or https URL without a path";
});
const absolutePath = makeFilter((value) => path.isAbsolute(value) ? void 0 : "Expected an absolute path");
const Wire = Struct({
	version: optionalKey(Literal(1)),
	active_profile: optionalKey(NonEmptyString),
	master_key_mode: optionalKey(Literals(MASTER_KEY_MODES)),
	upstream: optionalKey(Struct({
		extra_ca_certs: optionalKey(ArraySchema(String$1.check(absolutePath))),
		proxy: optionalKey(String$1.check(proxyUrl)),
		no_proxy: optionalKey(ArraySchema(NonEmptyString)),
		resolve: optionalKey(Record(String$1.check(authority("Expected host:port")), String$1.check(authority("Expected address:port")))),
		private_hosts: optionalKey(ArraySchema(NonEmptyString))
	}))
});
const fromWire = (wire) => ({
	activeProfile: wire.active_profile,
	masterKeyMode: wire.master_key_mode,
	upstream: {
		extraCaCerts: wire.upstream?.extra_ca_certs ?? [],
		proxy: wire.upstream?.proxy,
		noProxy: wire.upstream?.no_proxy ?? [],
		resolve: wire.upstream?.resolve ?? {},
		privateHosts: wire.upstream?.private_hosts ?? []
	}
});
const toWire = (document) => {
	const { extraCaCerts, noProxy, privateHosts, proxy, resolve } = document.upstream;
	const upstream = {
		...extraCaCerts.length > 0 ? { extra_ca_certs: extraCaCerts } : {},
		...proxy === void 0 ? {} : { proxy },
		...noProxy.length > 0 ? { no_proxy: noProxy } : {},
		...Object.keys(resolve).length > 0 ? { resolve } : {},
		...privateHosts.length > 0 ? { private_hosts: privateHosts } : {}
	};
	return {
		version: 1,
		...document.activeProfile === void 0 ? {} : { active_profile: document.activeProfile },
		...document.masterKeyMode === void 0 ? {} : { master_key_mode: document.masterKeyMode },
		...Object.keys(upstream).length > 0 ? { upstream } : {}
	};
};
const decode = decodeUnknownExit(Wire, {
	errors: "all",
	onExcessProperty: "error"
});
const formatIssue = makeFormatterStandardSchemaV1();
const pointer = (keys) => (keys ?? []).map((key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
const parse = (file, bytes) => suspend(() => {
	let json;
	try {
		json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		return fail(new ConfigFileError({
			file,
			problems: [{
				path: "",
				message: "it is not valid JSON"
			}]
		}));
	}
	const exit = decode(json);
	if (isSuccess(exit)) return succeed(fromWire(exit.value));
	const problems = exit.cause.reasons.flatMap((reason) => reason._tag === "Fail" ? formatIssue(reason.error).issues : []);
	return fail(new ConfigFileError({
		file,
		problems: problems.map((issue) => ({
			path: pointer(issue.path),
			message: issue.message
		}))
	}));
});
const EMPTY = fromWire({});
var ConfigFile = class ConfigFile extends Service()("credsvc/config/ConfigFile") {
	static layerNoDeps = effect(ConfigFile, gen(function* () {
		const { config: file, home } = yield* Paths;
		const lock = yield* make(1);
		const unusable = (error) => new ConfigFileError({
			file,
			problems: [{
				path: "",
				message: error.message
			}]
		});
		const stamp = () => {
			const stat = fs.statSync(file, {
				bigint: true,
				throwIfNoEntry: false
			});
			return stat === void 0 ? "absent" : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
		};
		let cached;
		const read = suspend(() => {
			const before = stamp();
			if (cached?.stamp === before) return succeed(cached.document);
			return readFile(file, { maxBytes: 1048576 }).pipe(mapError((error) => error.problem === "not_found" ? error : unusable(error)), flatMap((bytes) => parse(file, bytes)), catchTag("SecureFileError", () => succeed(EMPTY)), tap((document) => sync(() => {
				cached = {
					stamp: before,
					document
				};
			})));
		});
		const update = fn("ConfigFile.update")(function* (change) {
			while (true) {
				const before = stamp();
				const document = change(yield* read);
				const bytes = new TextEncoder().encode(JSON.stringify(toWire(document), null, 2) + "\n");
				const written = yield* parse(file, bytes);
				yield* mapError(ensurePrivateDirectory(home), unusable);
				if (stamp() !== before) continue;
				yield* mapError(replaceFile(file, bytes), unusable);
				return written;
			}
		});
		return ConfigFile.of({
			read,
			update: (change) => lock.withPermits(1)(update(change))
		});
	}));
};

export { ProxyGroup as n, ProxyRoutes as r, ConfigFile as t };