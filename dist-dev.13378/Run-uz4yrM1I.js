import { r as __toESM } from "./rolldown-runtime-CoNq6U3z.js";
import { Ci as void_, Cr as gen$1, D as TaggedError, Go as gen, Hn as acquireRelease, Jo as isFailure, Kr as provide$1, Pn as value, Qr as runFork, U as fromJsonString, W as is, Wo as fail, Yn as callback, Zi as isSuccess, Zo as succeed, Zr as runCallback, _r as fnUntraced, ca as provide, ci as succeed$1, es as Service, fi as sync, jr as mapError, ni as runSyncExit, ra as effect, tr as catchTag, ur as fail$1, vr as forEach, w as String$1, xs as getOrUndefined, y as Number$1, z as decodeUnknownEffect } from "./Runtime-CYnC2HYz.js";
import { t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { n as ProxyGroup, r as ProxyRoutes, t as ConfigFile } from "./ConfigFile-DY37I8yn.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { i as isTerminal, n as Exited, r as Output, u as ConnectionName } from "./main.js";
import { c as ExitCode, o as DaemonUnavailableError, p as ProviderNotFoundError, u as InvalidRequestError } from "./Errors-CqOgzwWL.js";
import { p as builtins } from "./SecureFiles-DvIPMxq1.js";
import { t as withUserUmask } from "./UserUmask-DKOKLuPp.js";
import { t as CredentialsGroup } from "./CredentialsGroup-SUCJbk0s.js";
import { t as PeerOwner } from "./PeerOwner-KEOs6sYk.js";
import { t as ClientLog } from "./ClientLog-Cu8iOtzs.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";
import { n as nearest } from "./Text-CNCZ9rIC.js";
import * as fs from "node:fs";
import { Readable } from "node:stream";
import * as path from "node:path";

// src/proxy/HeaderInjection.ts
/**
* The request head that goes upstream, computed from what the child sent and what the daemon resolved. Pure.
*
* Names are compared in lower case on the raw list, so no spelling and no duplicate survives (D17). What `Connection`
* names is dropped before the credential is set, so a child cannot make the next hop drop the credential (D18).
*/
/** The value that stands in a child's environment where a secret would be. */
const PLACEHOLDER = "credsvc-proxy-managed";
const HOP_BY_HOP = /* @__PURE__ */ new Set([
	"connection",
	"expect",
	"http2-settings",
	"keep-alive",
	"proxy-authenticate",
	"proxy-authentication-info",
	"proxy-authorization",
	"proxy-connection",
	"te",
	"trailer",
	"transfer-encoding",
	"upgrade"
]);
/** Headers that carry nothing but a credential: one that holds the placeholder is removed, not filled in. */
const CREDENTIAL_HEADERS = /* @__PURE__ */ new Set([
	"api-key",
	"apikey",
	"authorization",
	"private-token",
	"x-api-key",
	"x-auth-token",
	"x-goog-api-key"
]);
/** A stored value that no header can carry (D27). The message does not show it. */
var UnusableCredentialError = class extends Error {
	constructor(name) {
		super(`the stored credential cannot be sent in ${name}: it has a character that HTTP does not allow there`);
	}
};
const VALID_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const VALID_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const singleSecret = (credential) => {
	const query = Object.values(credential.query);
	const headers = Object.values(credential.headers);
	const [only] = query.length + headers.length === 1 ? [...query, ...headers] : [];
	if (only === void 0) return void 0;
	const value$3 = value(only);
	if (query.length === 1) return value$3;
	const scheme = /^([A-Za-z][A-Za-z0-9_-]*) (\S+)$/.exec(value$3);
	if (scheme === null) return /\s/.test(value$3) ? void 0 : value$3;
	return scheme[1]?.toLowerCase() === "basic" ? void 0 : scheme[2];
};
const prepare = (credential) => {
	const remove = /* @__PURE__ */ new Set();
	const removeQuery = /* @__PURE__ */ new Set();
	const set = [];
	for (const [name, secret] of Object.entries(credential.headers)) {
		const value$1 = value(secret);
		if (!VALID_NAME.test(name) || HOP_BY_HOP.has(name.toLowerCase()) || !VALID_VALUE.test(value$1)) throw new UnusableCredentialError(`the header ${VALID_NAME.test(name) ? name : "it names"}`);
		remove.add(name.toLowerCase());
		set.push(name, value$1);
	}
	const query = Object.entries(credential.query).map(([name, secret]) => {
		removeQuery.add(name.toLowerCase());
		return [name, value(secret)];
	});
	for (const name of credential.strip.headers) remove.add(name.toLowerCase());
	for (const name of credential.strip.query) removeQuery.add(name.toLowerCase());
	const defaults = [];
	for (const [name, secret] of Object.entries(credential.defaults)) {
		const value$2 = value(secret);
		if (VALID_NAME.test(name) && VALID_VALUE.test(value$2)) defaults.push([
			name.toLowerCase(),
			name,
			value$2
		]);
	}
	return {
		remove,
		set,
		defaults,
		query,
		removeQuery,
		secret: singleSecret(credential)
	};
};
/** The header names that a `Connection` header declares to be for this hop alone, besides the fixed ones. */
const nominated = (raw) => {
	let names;
	for (let i = 0; i < raw.length; i += 2) {
		const name = raw[i] ?? "";
		if (name.length !== 10 || name.toLowerCase() !== "connection") continue;
		const lower = (raw[i + 1] ?? "").toLowerCase();
		if (lower === "keep-alive" || lower === "close") continue;
		names ??= /* @__PURE__ */ new Set();
		for (const token of lower.split(",")) names.add(token.trim());
	}
	names?.delete("host");
	names?.delete("content-length");
	return names;
};
const holdsPlaceholder = (name, value) => {
	if (value.includes("credsvc-proxy-managed")) return true;
	if (name !== "authorization" || value.length < 8 || !/^basic /i.test(value)) return false;
	return Buffer.from(value.slice(6), "base64").toString("latin1").includes(PLACEHOLDER);
};
/** A provider's placeholder may be longer than the marker (`sk-ant-…marker…`): the whole word is the placeholder. */
const PLACEHOLDER_WORD = new RegExp(`[A-Za-z0-9._~-]*${PLACEHOLDER}[A-Za-z0-9._~-]*`, "g");
/**
* The end-to-end headers of a request, flat, with the credential set. Without an `injection` nothing is added, and a
* credential header that holds the placeholder is left out, as the placeholder means nothing to the API.
*/
const requestHeaders = (raw, host, injection) => {
	const hop = nominated(raw);
	const out = ["Host", host];
	let seen;
	const defaults = injection?.defaults;
	if (defaults !== void 0 && defaults.length > 0) seen = /* @__PURE__ */ new Set();
	for (let i = 0; i < raw.length; i += 2) {
		const name = raw[i] ?? "";
		const lower = name.toLowerCase();
		if (lower === "host" || HOP_BY_HOP.has(lower) || hop?.has(lower) === true) continue;
		if (injection?.remove.has(lower) === true) continue;
		const value = raw[i + 1] ?? "";
		if (holdsPlaceholder(lower, value)) {
			if (CREDENTIAL_HEADERS.has(lower) || injection?.secret === void 0) continue;
			const secret = injection.secret;
			out.push(name, value.replace(PLACEHOLDER_WORD, () => secret));
			continue;
		}
		seen?.add(lower);
		out.push(name, value);
	}
	if (injection !== void 0) {
		for (const [lower, name, value] of injection.defaults) if (seen?.has(lower) !== true && !injection.remove.has(lower)) out.push(name, value);
		for (const text of injection.set) out.push(text);
	}
	return out;
};
const decodeName = (text) => {
	try {
		return decodeURIComponent(text.replaceAll("+", " "));
	} catch {
		return text;
	}
};
/** Path and query with the credential's parameters set; every other value of the same parameter is removed. */
const requestTarget = (target, injection) => {
	const at = target.indexOf("?");
	if (injection === void 0 || at === -1 && injection.query.length === 0) return target;
	if (at !== -1 && injection.removeQuery.size === 0 && !target.includes("credsvc-proxy-managed", at)) return target;
	const kept = [];
	for (const pair of at === -1 ? [] : target.slice(at + 1).split("&")) {
		const equals = pair.indexOf("=");
		const name = decodeName(equals === -1 ? pair : pair.slice(0, equals));
		if (injection.removeQuery.has(name.toLowerCase())) continue;
		const secret = injection.secret;
		kept.push(secret !== void 0 && pair.includes("credsvc-proxy-managed") ? pair.replace(PLACEHOLDER_WORD, () => encodeURIComponent(secret)) : pair);
	}
	for (const [name, value] of injection.query) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
	const path = at === -1 ? target : target.slice(0, at);
	return kept.length === 0 ? path : `${path}?${kept.join("&")}`;
};
/** The end-to-end headers of a response, flat. `keepTrailer`: whether trailers can follow in this message. */
const responseHeaders = (raw, keepTrailer) => {
	const hop = nominated(raw);
	const out = [];
	for (let i = 0; i < raw.length; i += 2) {
		const name = raw[i] ?? "";
		const lower = name.toLowerCase();
		if (hop?.has(lower) === true) continue;
		if (HOP_BY_HOP.has(lower) && !(keepTrailer && lower === "trailer")) continue;
		out.push(name, raw[i + 1] ?? "");
	}
	return out;
};

// src/proxy/JavaTrustStore.ts
/**
* A Java trust store (JKS) of given certificates.
*
* JKS because every JVM reads its certificates without a password; a PKCS #12 store would need one in a property.
*/
const MAGIC = 4277010157;
const VERSION = 2;
const TRUSTED_CERTIFICATE = 2;
/** Protects nothing: the digest is a checksum, and this is the password that everyone uses for it. */
const PASSWORD = "changeit";
const uint32 = (value) => {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value >>> 0);
	return bytes;
};
const utf = (text) => {
	const bytes = Buffer.from(text, "utf8");
	return Buffer.concat([Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes]);
};
const make$5 = (certificates, now = Date.now()) => {
	const date = Buffer.alloc(8);
	date.writeBigInt64BE(BigInt(now));
	const parts = [
		uint32(MAGIC),
		uint32(VERSION),
		uint32(certificates.length)
	];
	for (const [index, der] of certificates.entries()) parts.push(uint32(TRUSTED_CERTIFICATE), utf(`credsvc-${index}`), date, utf("X.509"), uint32(der.length), der);
	const body = Buffer.concat(parts);
	const digest = builtins.crypto.createHash("sha1").update(Buffer.from(PASSWORD, "utf16le").swap16()).update("Mighty Aphrodite").update(body).digest();
	return Buffer.concat([body, digest]);
};

// src/proxy/preload/NodePreload.ts
/**
* A CommonJS file that `NODE_OPTIONS=--require` loads into every Node process of the child.
*
* Node before 22.21 has no proxy support, and later versions have it only where a library uses the default agents. The
* file replaces `tls.connect`, which lies below every HTTP library: a connection to port 443 of another machine that
* brings no socket of its own goes through the proxy. It runs on Node 18 and up, so it is written for that. It is text
* here, because it is copied into the run directory and must survive bundling.
*/
const nodePreload = `"use strict"
// Written by credsvc run, and removed with it.
const installed = Symbol.for("credsvc.preload")
if (!globalThis[installed]) {
  globalThis[installed] = true
  const load = require
  const net = load("net")
  const tls = load("tls")
  const { Duplex } = load("stream")

  const emitWarning = process.emitWarning
  process.emitWarning = function(warning, ...rest) {
    if (/EnvHttpProxyAgent is experimental/.test(String(warning && warning.message || warning))) return
    return emitWarning.call(this, warning, ...rest)
  }

  const proxyOf = () => {
    try {
      const url = new URL(process.env.https_proxy || process.env.HTTPS_PROXY || "")
      return url.protocol === "http:" ? url : undefined
    } catch {
      return undefined
    }
  }

  const excluded = (host, port) =>
    (process.env.no_proxy || process.env.NO_PROXY || "").split(/[\\s,]+/).some((entry) => {
      if (entry === "") return false
      if (entry === "*") return true
      const [, name, only] = /^(.*?)(?::(\\d+))?$/.exec(entry.toLowerCase())
      if (only !== undefined && name !== "" && !name.includes(":") && Number(only) !== port) return false
      const suffix = name.replace(/^\\*?\\./, "")
      return host === suffix || (host.endsWith("." + suffix) && suffix !== "")
    })

  const isLoopback = (host) =>
    host === "localhost" || host.endsWith(".localhost") || host.startsWith("127.") || host === "::1" || host === "[::1]"

  class Tunnel extends Duplex {
    constructor(proxy, host, port) {
      super({ allowHalfOpen: true })
      this.open = false
      this.waiting = []
      this.raw = net.connect({ host: proxy.hostname.replace(/^\\[|\\]$/g, ""), port: Number(proxy.port || 80) })
      this.raw.setNoDelay(true)
      this.raw.on("error", (error) => this.destroy(error))
      this.raw.on("close", () => this.destroy())
      const where = (net.isIPv6(host) ? "[" + host + "]" : host) + ":" + port
      const user = proxy.username === "" ? "" : "Proxy-Authorization: Basic " +
        Buffer.from(decodeURIComponent(proxy.username) + ":" + decodeURIComponent(proxy.password)).toString("base64") +
        "\\r\\n"
      this.raw.write("CONNECT " + where + " HTTP/1.1\\r\\nHost: " + where + "\\r\\n" + user + "\\r\\n")
      let answer = Buffer.alloc(0)
      const read = (chunk) => {
        answer = Buffer.concat([answer, chunk])
        const end = answer.indexOf("\\r\\n\\r\\n")
        if (end === -1 && answer.length < 65536) return
        const head = answer.toString("latin1", 0, Math.max(end, 0))
        const status = Number((/^HTTP\\/1\\.[01] (\\d{3})/.exec(head) || [])[1])
        if (status !== 200) {
          const length = Number((/\\r\\ncontent-length: *(\\d+)/i.exec(head) || [])[1] || 0)
          if (answer.length < end + 4 + length) return
          const said = answer.toString("utf8", end + 4).trim() || head.split("\\r\\n")[0]
          this.destroy(new Error("credsvc proxy refused " + where + " (" + status + "): " + said))
          return
        }
        this.raw.off("data", read)
        this.open = true
        this.raw.on("data", (bytes) => {
          if (!this.push(bytes)) this.raw.pause()
        })
        this.raw.on("end", () => this.push(null))
        if (answer.length > end + 4) this.push(answer.subarray(end + 4))
        for (const run of this.waiting.splice(0)) run()
      }
      this.raw.on("data", read)
    }
    _read() {
      if (this.open) this.raw.resume()
    }
    _write(chunk, encoding, done) {
      if (this.open) this.raw.write(chunk, encoding, done)
      else this.waiting.push(() => this.raw.write(chunk, encoding, done))
    }
    _final(done) {
      if (this.open) this.raw.end(done)
      else this.waiting.push(() => this.raw.end(done))
    }
    _destroy(error, done) {
      this.raw.destroy()
      done(error)
    }
  }

  const connect = tls.connect
  tls.connect = function(...args) {
    const callback = typeof args[args.length - 1] === "function" ? args.pop() : undefined
    let options = {}
    for (const [at, value] of args.entries()) {
      if (value !== null && typeof value === "object") options = { ...options, ...value }
      else if (at === 0 && value !== undefined) options.port = value
      else if (typeof value === "string") options.host = value
    }
    const host = String(options.host || "localhost").toLowerCase()
    const port = Number(options.port)
    const proxy = proxyOf()
    if (
      proxy === undefined || port !== 443 || options.socket || options.path && !options.host || isLoopback(host) ||
      excluded(host, port)
    ) {
      return connect.apply(this, callback === undefined ? args : [...args, callback])
    }
    const tunnel = new Tunnel(proxy, host, port)
    const secure = connect.call(this, { ...options, socket: tunnel }, callback)
    // Idle connections are unreferenced so that a process can end: that has to reach the real socket.
    const { ref, unref } = secure
    secure.ref = function() {
      tunnel.raw.ref()
      return ref.call(this)
    }
    secure.unref = function() {
      tunnel.raw.unref()
      return unref.call(this)
    }
    return secure
  }
}
`;

// src/domain/HostPattern.ts
/**
* Host names as a definition states them and as a client sends them.
*
* Every name is compared in one canonical form, and what has no such form (an IP address in any spelling, userinfo,
* an underscore, a letter outside ASCII) matches nothing. `new URL()` is never asked first: it turns
* `api.openai.com%2eevil.com` and full-width letters into valid hosts (D8).
*/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ascii = /^[\u0000-\u007f]*$/;
/** The canonical form of a DNS name of at least two labels, or undefined. One dot at the end is dropped. */
const canonicalHost = (text) => {
	if (!ascii.test(text)) return void 0;
	const name = (text.endsWith(".") ? text.slice(0, -1) : text).toLowerCase();
	if (name.length === 0 || name.length > 253) return void 0;
	const labels = name.split(".");
	if (labels.length < 2 || !labels.every((part) => label.test(part))) return void 0;
	return /^(?:\d+|0x[0-9a-f]*)$/.test(labels[labels.length - 1]) ? void 0 : name;
};
/** A loopback address in its only accepted spelling: `127.x.y.z` in plain decimal, or `[::1]`. */
const loopbackLiteral = (text) => {
	if (text === "[::1]") return text;
	const bytes = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
	return bytes !== null && bytes.slice(1).every((byte) => String(Number(byte)) === byte && Number(byte) < 256) ? text : void 0;
};
const hostAndPort = (authority, defaultPort, options) => {
	const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority);
	if (parts === null) return fail("is not a host, or a host and a port");
	const port = parts[2] === void 0 ? defaultPort : Number(parts[2]);
	if (port < 1 || port > 65535) return fail("has a port outside 1-65535");
	const text = parts[1];
	const loopback = loopbackLiteral(text);
	if (loopback !== void 0) return options.allowInsecureLoopback === true ? succeed({
		host: loopback,
		port
	}) : fail("is a loopback address, which needs --allow-insecure-loopback");
	const host = canonicalHost(text);
	if (host !== void 0) return succeed({
		host,
		port
	});
	return fail(/^\[|^[\d.]+$/.test(text) ? "is an IP address; name the host" : "is not a full DNS name of letters, digits and hyphens");
};
const pathPrefix = (text) => {
	const trimmed = text.replace(/\/$/, "");
	if (trimmed === "") return succeed("");
	return /^(?:\/[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@-]*)+$/.test(trimmed) ? succeed(trimmed) : fail("has a path prefix with an empty, dotted or percent-encoded segment");
};
/** Reads `host`, `*.suffix`, `host:8443` or `host/path/prefix`. The failure is the end of a sentence about the entry. */
const parseHostPattern = (text, options = {}) => {
	if (text.startsWith("regex:") || /[\^$|\\()[\]]/.test(text.replace(/^\[::1\]/, ""))) return fail("looks like a regular expression; list the hosts instead");
	const slash = text.indexOf("/");
	const authority = slash === -1 ? text : text.slice(0, slash);
	const wildcard = authority.startsWith("*.");
	const name = wildcard ? authority.slice(2) : authority;
	if (name.includes("*")) return fail("may hold * only as a first label, as in *.example.com");
	if (wildcard && loopbackLiteral(name.replace(/:\d+$/, "")) !== void 0) return fail("puts a wildcard before an IP address");
	return gen(function* () {
		const where = yield* hostAndPort(name, 443, options);
		const prefix = yield* pathPrefix(slash === -1 ? "" : text.slice(slash));
		return {
			wildcard,
			host: where.host,
			port: where.port,
			pathPrefix: prefix
		};
	});
};

// src/domain/Route.ts
/**
* Which provider a request belongs to.
*
* The table is made from the definitions and their connections, sent to the proxy as it is, and compiled there for
* look-ups that cost one or two map accesses. No rule here guesses: what two providers claim with equal right is
* ambiguous, and nothing is injected.
*/
const unmatched = { _tag: "Unmatched" };
const compileRoutes = (routes) => {
	const exact = /* @__PURE__ */ new Map();
	const suffixes = /* @__PURE__ */ new Map();
	for (const route of routes) {
		const parsed = parseHostPattern(`${route.host}${route.pathPrefix ?? ""}`, { allowInsecureLoopback: true });
		if (isFailure(parsed)) continue;
		const pattern = parsed.success;
		const map = pattern.wildcard ? suffixes : exact;
		const key = `${pattern.host}:${pattern.port}`;
		const entries = map.get(key);
		if (entries === void 0) map.set(key, [{
			route,
			pattern
		}]);
		else entries.push({
			route,
			pattern
		});
	}
	const entriesOf = (host, port) => {
		const name = canonicalHost(host);
		if (name === void 0) {
			const literal = loopbackLiteral(host);
			return literal === void 0 ? [] : exact.get(`${literal}:${port}`) ?? [];
		}
		const here = exact.get(`${name}:${port}`);
		const above = suffixes.size === 0 ? void 0 : suffixes.get(`${name.slice(name.indexOf(".") + 1)}:${port}`);
		return here === void 0 ? above ?? [] : above === void 0 ? here : [...here, ...above];
	};
	return {
		claims: (host, port) => entriesOf(host, port).length > 0,
		match: (host, port, path) => {
			const entries = entriesOf(host, port);
			return entries.length === 0 ? unmatched : decide(entries, path);
		}
	};
};
const decide = (entries, target) => {
	const path = target.replace(/[?#].*$/s, "");
	const match = choose(entries, path);
	if (entries.every(({ pattern }) => pattern.pathPrefix === "")) return match;
	const other = otherReading(path);
	return other !== void 0 && sameChoice(match, choose(entries, other)) ? match : unmatched;
};
const choose = (entries, path) => {
	const fitting = entries.filter(({ pattern }) => isUnder(path, pattern.pathPrefix));
	const connected = fitting.filter(({ route }) => route.connected);
	const best = mostSpecific(connected.length > 0 ? connected : fitting);
	if (best.length === 0) return unmatched;
	if (connected.length === 0) return {
		_tag: "NotConnected",
		candidates: best
	};
	return best.length === 1 ? {
		_tag: "Matched",
		route: best[0]
	} : {
		_tag: "Ambiguous",
		candidates: best
	};
};
const sameChoice = (left, right) => left._tag === "Matched" && right._tag === "Matched" ? left.route === right.route : left._tag === right._tag;
/** An exact host before a wildcard, then the longest path prefix. */
const mostSpecific = (entries) => {
	const rank = ({ pattern }) => (pattern.wildcard ? 0 : 1e6) + pattern.pathPrefix.length;
	const highest = Math.max(...entries.map(rank));
	return entries.filter((entry) => rank(entry) === highest).map(({ route }) => route);
};
const isUnder = (path, prefix) => prefix === "" || path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
/**
* The path as the most lenient server reads it: separators and dots decoded, twice if need be, path parameters and
* repeated slashes gone. Undefined when that leaves a dot segment, which could lead out of any prefix.
*/
const otherReading = (path) => {
	let reading = path;
	for (let round = 0; round < 3; round++) reading = reading.replaceAll(/%(?:2e|2f|5c|3b|25)/gi, (code) => decodeURIComponent(code));
	reading = reading.replaceAll("\\", "/").replaceAll(/;[^/]*/g, "").replaceAll(/\/{2,}/g, "/");
	return !reading.startsWith("/") || /\/\.\.?(?:\/|$)|%00/.test(reading) ? void 0 : reading;
};

// src/proxy/RouteTable.ts
const withoutPort = (host) => host.replace(/:\d+$/, "");
/** Whether a host name is covered by a pattern: the same name, or one label below `*.suffix`. */
const coveredBy = (pattern, host) => pattern.startsWith("*.") ? host.slice(host.indexOf(".") + 1) === pattern.slice(2) : host === pattern;
const make$4 = (version, listed, filter = {}) => {
	const routes = listed.flatMap((route) => {
		if (filter.providers !== void 0 && !filter.providers.includes(route.provider)) return [];
		const connection = filter.connections?.[route.provider];
		return [connection === void 0 ? route : {
			...route,
			connection
		}];
	});
	const patterns = [...new Set(routes.map((route) => withoutPort(route.host)))].toSorted();
	const known = /* @__PURE__ */ new Map();
	const find = (host, port) => {
		const here = routes.filter((route) => coveredBy(withoutPort(route.host), host) && compileRoutes([route]).claims(host, port));
		if (here.length === 0) return void 0;
		const matcher = compileRoutes(here);
		if (here.some((route) => (route.pathPrefix ?? "") !== "")) return {
			byPath: true,
			match: (target) => matcher.match(host, port, target)
		};
		const only = matcher.match(host, port, "/");
		return {
			byPath: false,
			match: () => only
		};
	};
	return {
		version,
		patterns,
		certificateNames: [...new Set(patterns.map((pattern) => pattern.replace(/^\*\./, "")))],
		claims: (host) => patterns.some((pattern) => coveredBy(pattern, host)),
		host: (host, port) => {
			const key = `${host}:${port}`;
			if (known.has(key)) return known.get(key);
			const found = find(host, port);
			if (known.size > 1024) known.clear();
			known.set(key, found);
			return found;
		}
	};
};

// src/proxy/TrustStore.ts
/** Root certificates: the machine's, Node's, and those of named files, as separate PEM blocks without duplicates. */
const SYSTEM_BUNDLES = [
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem",
	"/etc/ssl/cert.pem"
];
const BLOCK = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
/** The certificates of a PEM text; comments and keys are skipped. */
const blocks = (text) => (text.match(BLOCK) ?? []).map((block) => block.replaceAll("\r", "") + "\n");
const readBlocks = (file) => {
	try {
		return blocks(fs.readFileSync(file, "latin1"));
	} catch {
		return [];
	}
};
/** The operating system's roots, by their well-known files; never by `SSL_CERT_FILE`, which a parent run may have set. */
const systemRoots = () => {
	if (process.platform === "linux" || process.platform === "freebsd") {
		for (const file of SYSTEM_BUNDLES) {
			const found = readBlocks(file);
			if (found.length > 0) return found;
		}
		return [];
	}
	return builtins.tls.getCACertificates("system").flatMap(blocks);
};
/** The roots of the given files; one that cannot be read is reported, not ignored. */
const rootsOf = (files) => {
	const certificates = [];
	const unreadable = [];
	for (const file of files) {
		const found = readBlocks(file);
		if (found.length === 0) unreadable.push(file);
		else certificates.push(...found);
	}
	return {
		certificates,
		unreadable
	};
};
const nodeRoots = () => builtins.tls.rootCertificates.flatMap(blocks);
/** Keeps the first of equal certificates. */
const distinct = (certificates) => {
	const seen = /* @__PURE__ */ new Map();
	for (const certificate of certificates) {
		const key = certificate.replace(/-----[^-]+-----|\s/g, "");
		if (!seen.has(key)) seen.set(key, certificate);
	}
	return [...seen.values()];
};

// src/proxy/ChildEnvironment.ts
/**
* The environment of a child behind the proxy: how each kind of client learns where the proxy is and whom to trust.
*
* There is no one variable for either. The list below is what a survey of 138 clients needed; a comment says who, where
* that is not obvious. Files go into the run directory and hold certificates and settings, never a credential.
*/
const PROXY_VARIABLES = [
	"HTTP_PROXY",
	"HTTPS_PROXY",
	"http_proxy",
	"https_proxy",
	"WS_PROXY",
	"WSS_PROXY",
	"ws_proxy",
	"wss_proxy",
	"npm_config_proxy",
	"npm_config_https_proxy",
	"PIP_PROXY"
];
/** All of these replace the client's own list (or might), so each names the whole bundle. */
const BUNDLE_VARIABLES = [
	"SSL_CERT_FILE",
	"REQUESTS_CA_BUNDLE",
	"CURL_CA_BUNDLE",
	"GIT_SSL_CAINFO",
	"NODE_EXTRA_CA_CERTS",
	"npm_config_cafile",
	"CARGO_HTTP_CAINFO",
	"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
	"PERL_LWP_SSL_CA_FILE",
	"HTTPLIB2_CA_CERTS",
	"AWS_CA_BUNDLE",
	"PIP_CERT",
	"DENO_CERT",
	"CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
	"WEBSOCKET_CLIENT_CA_BUNDLE",
	"CODEX_CA_CERTIFICATE",
	"NIX_SSL_CERT_FILE"
];
const UNSET = /* @__PURE__ */ new Set([
	"ALL_PROXY",
	"all_proxy",
	"NODE_TLS_REJECT_UNAUTHORIZED",
	"npm_config_noproxy",
	"npm_config_strict_ssl",
	"CREDSVC_MASTER_KEY",
	"CREDSVC_MASTER_KEY_MODE",
	"CREDSVC_PARENT_PROXY",
	"CREDSVC_PARENT_NO_PROXY"
]);
const LOOPBACK = [
	"localhost",
	"127.0.0.1",
	"::1"
];
/** Marks an environment that `run` made. Its value is the proxy's address, without the credential. */
const RUN_MARK = "CREDSVC_RUN_PROXY";
const list = (value) => (value ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
/**
* The proxy that our own environment names, to be used for what leaves this machine. Inside another run that is the
* outer run's way out rather than the outer run's proxy, which would try to intercept what we have encrypted (D14).
*/
const parentProxy = (parent) => {
	const nested = parent[RUN_MARK] !== void 0;
	const url = nested ? parent["CREDSVC_PARENT_PROXY"] : parent["https_proxy"] || parent["HTTPS_PROXY"] || parent["all_proxy"] || parent["ALL_PROXY"];
	if (url === void 0 || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return void 0;
	const noProxy = nested ? parent["CREDSVC_PARENT_NO_PROXY"] : parent["no_proxy"] || parent["NO_PROXY"];
	return {
		url,
		noProxy: list(noProxy)
	};
};
/** Whether an entry of `NO_PROXY` would exempt some host of a routed pattern, by the widest reading any client has. */
const exempts = (entry, pattern) => {
	const name = entry.toLowerCase().replace(/:\d+$/, "").replace(/^\*?\./, "");
	if (name === "*" || name === "") return true;
	const routed = pattern.replace(/^\*\./, "");
	return routed === name || routed.endsWith("." + name) || coveredBy(pattern, name);
};
const mergeNoProxy = (parent, patterns) => {
	const kept = new Set(LOOPBACK);
	const dropped = /* @__PURE__ */ new Set();
	for (const entry of [...list(parent["NO_PROXY"]), ...list(parent["no_proxy"])]) if (patterns.some((pattern) => exempts(entry, pattern))) dropped.add(entry);
	else kept.add(entry);
	return {
		value: [...kept].join(","),
		dropped: [...dropped]
	};
};
const quoted = (text) => /[\s"\\]/.test(text) ? `"${text.replace(/(["\\])/g, "\\$1")}"` : text;
const derOf = (pem) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
/** Writes the files, and answers with the variables that point to them. */
const make$3 = (input) => {
	const { parent, patterns, proxyUrl, runDirectory } = input;
	const variables = {};
	for (const [name, value] of Object.entries(parent)) if (value !== void 0 && !UNSET.has(name)) variables[name] = value;
	const notices = [];
	const write = (name, content) => {
		const file = path.join(runDirectory, name);
		fs.writeFileSync(file, content, { mode: 384 });
		return file;
	};
	const append = (name, separator, text) => {
		const before = variables[name];
		variables[name] = before === void 0 || before === "" ? text : before + separator + text;
	};
	const named = [...new Set(BUNDLE_VARIABLES.flatMap((name) => parent[name] ?? []))].filter((file) => file !== "");
	const { certificates } = rootsOf([...named, ...input.extraCaCerts]);
	const system = systemRoots();
	const bundled = distinct([
		...certificates,
		...system.length > 0 ? system : nodeRoots(),
		...blocks(input.caPem)
	]);
	const bundle = write("bundle.pem", bundled.join(""));
	for (const name of BUNDLE_VARIABLES) variables[name] = bundle;
	variables["CREDSVC_CA_FILE"] = write("ca.pem", input.caPem);
	for (const name of PROXY_VARIABLES) variables[name] = proxyUrl;
	const noProxy = mergeNoProxy(parent, patterns);
	variables["NO_PROXY"] = noProxy.value;
	variables["no_proxy"] = noProxy.value;
	if (noProxy.dropped.length > 0) notices.push(`NO_PROXY covered hosts that credsvc injects for; left out for this run: ${noProxy.dropped.join(", ")}`);
	variables[RUN_MARK] = `http://127.0.0.1:${input.port}`;
	if (input.parentProxy !== void 0) {
		variables["CREDSVC_PARENT_PROXY"] = input.parentProxy.url;
		variables["CREDSVC_PARENT_NO_PROXY"] = input.parentProxy.noProxy.join(",");
	}
	variables["NODE_USE_ENV_PROXY"] = "1";
	append("NODE_OPTIONS", " ", `--require=${quoted(write("credsvc-preload.cjs", nodePreload))}`);
	variables["PERL_LWP_ENV_PROXY"] = "1";
	const count = /^\d+$/.test(variables["GIT_CONFIG_COUNT"] ?? "") ? Number(variables["GIT_CONFIG_COUNT"]) : 0;
	variables[`GIT_CONFIG_KEY_${count}`] = "http.proxy";
	variables[`GIT_CONFIG_VALUE_${count}`] = proxyUrl;
	variables["GIT_CONFIG_COUNT"] = String(count + 1);
	const oldWgetrc = parent["SYSTEM_WGETRC"] ?? "/etc/wgetrc";
	let wgetrc = "";
	try {
		wgetrc = fs.readFileSync(oldWgetrc, "utf8");
	} catch {}
	variables["SYSTEM_WGETRC"] = write("wgetrc", `${wgetrc}\nca_certificate = ${bundle}\n`);
	const php = path.join(runDirectory, "php");
	fs.mkdirSync(php, {
		recursive: true,
		mode: 448
	});
	write(path.join("php", "credsvc.ini"), `curl.cainfo=${bundle}\nopenssl.cafile=${bundle}\n`);
	variables["PHP_INI_SCAN_DIR"] = `${parent["PHP_INI_SCAN_DIR"] ?? ""}:${php}`;
	if (input.java !== false) {
		const store = write("truststore.jks", make$5(bundled.map(derOf)));
		const exceptions = LOOPBACK.map((host) => host === "127.0.0.1" ? "127.*" : host === "::1" ? "[::1]" : host).join("|");
		append("JAVA_TOOL_OPTIONS", " ", [
			"-Dhttp.proxyHost=127.0.0.1",
			`-Dhttp.proxyPort=${input.port}`,
			"-Dhttps.proxyHost=127.0.0.1",
			`-Dhttps.proxyPort=${input.port}`,
			`-Dhttp.nonProxyHosts=${exceptions}`,
			quoted(`-Djavax.net.ssl.trustStore=${store}`)
		].join(" "));
	}
	for (const { value, variable } of input.placeholders) variables[variable] = value === "" ? PLACEHOLDER : value;
	return {
		variables,
		droppedNoProxy: noProxy.dropped,
		notices
	};
};

// src/proxy/CredentialSource.ts
/** What the proxy asks the daemon: the routes, and the credential for one request. */
/**
* Why there is no credential. Shown to the child, so it holds nothing secret.
*
* `error` is the name of the daemon's error class, `DaemonUnavailableError` when the daemon did not answer.
*/
var CredentialRefusedError = class extends TaggedError()("CredentialRefusedError", {
	error: String$1,
	detail: String$1,
	status: Number$1
}) {
	get message() {
		return this.detail;
	}
};
var CredentialSource = class CredentialSource extends Service()("credsvc/proxy/CredentialSource") {
	/** Asks the daemon. `runId` marks the requests of one run in the audit log. */
	static layerDaemon = (options) => effect(CredentialSource, gen$1(function* () {
		const client = yield* DaemonClient;
		const credentials = client.of(CredentialsGroup);
		const decodeRoutes = decodeUnknownEffect(fromJsonString(ProxyRoutes));
		const routes = fnUntraced(function* (version) {
			const response = yield* client.send({
				method: "GET",
				path: "/proxy/routes",
				headers: version === void 0 ? {} : { "if-none-match": `"${version}"` },
				body: void 0
			}).pipe(mapError(refused));
			if (response.status === 304) return void 0;
			if (response.status !== 200) return yield* fail$1(problem(response.status, response.body));
			const list = yield* decodeRoutes(response.body).pipe(mapError(() => problem(response.status, "")));
			return {
				version: list.version,
				routes: list.routes,
				placeholders: list.placeholders
			};
		});
		const resolve = (request) => credentials.resolve({
			headers: { "credsvc-run": options.runId },
			payload: {
				host: request.host,
				port: request.port,
				scheme: "https",
				provider: request.provider,
				...request.path === void 0 ? {} : { path: request.path },
				...request.connection === void 0 ? {} : { connection: request.connection }
			}
		}).pipe(mapError(refused));
		return CredentialSource.of({
			routes,
			resolve
		});
	}));
};
const refused = (error) => new CredentialRefusedError({
	error: error._tag,
	detail: typeof error.detail === "string" ? error.detail : error._tag,
	status: typeof error.status === "number" ? error.status : 500
});
/** A problem document that was read without the typed client. */
const problem = (status, body) => {
	let document = {};
	try {
		document = Object(JSON.parse(body));
	} catch {}
	return new CredentialRefusedError({
		error: typeof document.error === "string" ? document.error : "Unexpected",
		detail: typeof document.detail === "string" ? document.detail : `The daemon answered ${status}.`,
		status
	});
};

// src/proxy/Authority.ts
const MAX_NAME = 253;
const isDigit = (code) => code >= 48 && code <= 57;
const isLetterOrDigit = (code) => isDigit(code) || code >= 97 && code <= 122;
const parsePort = (text) => {
	if (text.length === 0 || text.length > 5) return void 0;
	let port = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (!isDigit(code)) return void 0;
		port = port * 10 + code - 48;
	}
	return port >= 1 && port <= 65535 && text.charCodeAt(0) !== 48 ? port : void 0;
};
const parseIpv4 = (text) => {
	const parts = text.split(".");
	if (parts.length !== 4) return void 0;
	for (const part of parts) {
		if (part.length === 0 || part.length > 3 || part.length > 1 && part.charCodeAt(0) === 48) return void 0;
		for (let i = 0; i < part.length; i++) if (!isDigit(part.charCodeAt(i))) return void 0;
		if (Number(part) > 255) return void 0;
	}
	return text;
};
const parseIpv6 = (text) => {
	if (text.length < 2 || text.length > 45) return void 0;
	const lower = text.toLowerCase();
	if (!/^[0-9a-f:.]+$/.test(lower) || lower.includes(":::")) return void 0;
	const halves = lower.split("::");
	if (halves.length > 2) return void 0;
	let groups = 0;
	for (const [index, half] of halves.entries()) {
		if (half === "") continue;
		const parts = half.split(":");
		for (const [at, part] of parts.entries()) if (part.includes(".")) {
			if (!(index === halves.length - 1 && at === parts.length - 1) || parseIpv4(part) === void 0) return void 0;
			groups += 2;
		} else {
			if (part.length === 0 || part.length > 4) return void 0;
			groups += 1;
		}
	}
	return (halves.length === 2 ? groups <= 7 : groups === 8) ? lower : void 0;
};
/** Some resolvers read these labels as numbers, so a name that ends in one may be an address in disguise. */
const isNumericLabel = (label) => /^(?:[0-9]+|0x[0-9a-f]*)$/.test(label);
/** A lower-cased host name of letter-digit-hyphen labels; one trailing dot is dropped. */
const parseName = (text) => {
	let name = text;
	if (name.charCodeAt(name.length - 1) === 46) name = name.slice(0, -1);
	if (name.length === 0 || name.length > MAX_NAME) return void 0;
	let lower = "";
	let labelStart = 0;
	for (let i = 0; i <= name.length; i++) {
		const code = i === name.length ? 46 : name.charCodeAt(i);
		if (code === 46) {
			const length = i - labelStart;
			if (length === 0 || length > 63) return void 0;
			if (name.charCodeAt(labelStart) === 45 || name.charCodeAt(i - 1) === 45) return void 0;
			labelStart = i + 1;
			if (i < name.length) lower += ".";
		} else if (isLetterOrDigit(code) || code === 45) lower += name[i];
		else if (code >= 65 && code <= 90) lower += String.fromCharCode(code + 32);
		else return;
	}
	return isNumericLabel(lower.slice(lower.lastIndexOf(".") + 1)) ? void 0 : lower;
};
/** `undefined` for anything that is not one host and one port; without a `defaultPort` the port must be written. */
const parseAuthority = (text, defaultPort) => {
	let host;
	let rest;
	if (text.charCodeAt(0) === 91) {
		const end = text.indexOf("]");
		if (end === -1) return void 0;
		host = text.slice(1, end);
		rest = text.slice(end + 1);
		const address = parseIpv6(host);
		if (address === void 0) return void 0;
		const port = rest === "" ? defaultPort : rest.charCodeAt(0) === 58 ? parsePort(rest.slice(1)) : void 0;
		return port === void 0 ? void 0 : {
			host: address,
			port,
			kind: "ipv6"
		};
	}
	const colon = text.indexOf(":");
	host = colon === -1 ? text : text.slice(0, colon);
	const port = colon === -1 ? defaultPort : parsePort(text.slice(colon + 1));
	if (port === void 0) return void 0;
	const quad = parseIpv4(host);
	if (quad !== void 0) return {
		host: quad,
		port,
		kind: "ipv4"
	};
	const name = parseName(host);
	return name === void 0 ? void 0 : {
		host: name,
		port,
		kind: "name"
	};
};
/** `http://host/path` or `https://host/path`. No user part, no fragment. */
const parseAbsoluteTarget = (target) => {
	const match = /^(https?):\/\/([^/?#]*)([^#]*)$/i.exec(target);
	if (match === null) return void 0;
	const scheme = match[1]?.toLowerCase() === "https" ? "https" : "http";
	const authority = parseAuthority(match[2] ?? "", scheme === "https" ? 443 : 80);
	if (authority === void 0) return void 0;
	const rest = match[3] ?? "";
	return {
		scheme,
		authority,
		path: rest.startsWith("/") ? rest : "/" + rest
	};
};
/** As written in a `Host` header or a `CONNECT` line; the port is left out when it is the default one. */
const formatAuthority = (authority, defaultPort) => {
	const host = authority.kind === "ipv6" ? `[${authority.host}]` : authority.host;
	return authority.port === defaultPort ? host : `${host}:${authority.port}`;
};

// src/proxy/Der.ts
/** The few DER forms that a certificate needs (X.690). */
const raw = (tag, content) => {
	const length = content.length;
	const head = length < 128 ? [tag, length] : length < 256 ? [
		tag,
		129,
		length
	] : [
		tag,
		130,
		length >> 8,
		length & 255
	];
	return Buffer.concat([Uint8Array.from(head), content]);
};
const sequence = (...items) => raw(48, Buffer.concat(items));
const set = (...items) => raw(49, Buffer.concat(items));
const octets = (content) => raw(4, content);
const boolean = (value) => raw(1, Uint8Array.of(value ? 255 : 0));
const utf8 = (text) => raw(12, Buffer.from(text, "utf8"));
/** `[n]` holding other values. */
const context = (number, ...items) => raw(160 | number, Buffer.concat(items));
/** `[n]` in place of the tag of a primitive value. */
const contextPrimitive = (number, content) => raw(128 | number, content);
/** A non-negative integer from big-endian bytes. */
const integer = (bytes) => {
	let start = 0;
	while (start < bytes.length - 1 && bytes[start] === 0) start++;
	const magnitude = bytes.subarray(start);
	return raw(2, (magnitude[0] ?? 0) & 128 ? Buffer.concat([Uint8Array.of(0), magnitude]) : magnitude);
};
/** `unused` counts the bits of the last byte that mean nothing. */
const bits = (content, unused = 0) => raw(3, Buffer.concat([Uint8Array.of(unused), content]));
const oid = (dotted) => {
	const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
	const bytes = [first * 40 + second];
	for (const part of rest) {
		const base128 = [part & 127];
		for (let left = part >>> 7; left > 0; left >>>= 7) base128.unshift(left & 127 | 128);
		bytes.push(...base128);
	}
	return raw(6, Uint8Array.from(bytes));
};
/** UTCTime up to 2049, GeneralizedTime after it, as RFC 5280 section 4.1.2.5 requires. */
const time = (milliseconds) => {
	const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, "");
	return Number(digits.slice(0, 4)) < 2050 ? raw(23, Buffer.from(digits.slice(2), "latin1")) : raw(24, Buffer.from(digits, "latin1"));
};
const pem = (label, der) => {
	return `-----BEGIN ${label}-----\n${(Buffer.from(der).toString("base64").match(/.{1,64}/g) ?? []).join("\n")}\n-----END ${label}-----\n`;
};

// src/proxy/CertificateAuthority.ts
const HOUR = 36e5;
const ROOT_DAYS = 365;
const OID = {
	ecdsaWithSha256: "1.2.840.10045.4.3.2",
	organization: "2.5.4.10",
	commonName: "2.5.4.3",
	subjectKeyIdentifier: "2.5.29.14",
	keyUsage: "2.5.29.15",
	subjectAltName: "2.5.29.17",
	basicConstraints: "2.5.29.19",
	nameConstraints: "2.5.29.30",
	authorityKeyIdentifier: "2.5.29.35",
	extendedKeyUsage: "2.5.29.37",
	serverAuth: "1.3.6.1.5.5.7.3.1"
};
const DNS_NAME = 2;
const IP_ADDRESS = 7;
const extension = (oid$2, critical, value) => critical ? sequence(oid(oid$2), boolean(true), octets(value)) : sequence(oid(oid$2), octets(value));
const attribute = (oid$1, value) => set(sequence(oid(oid$1), utf8(value)));
/** RFC 5280 section 4.2.1.2, method 1: the digest of the key's bits without their DER frame. */
const keyIdentifier = (spki) => {
	return builtins.crypto.createHash("sha1").update(spki.subarray(spki.length - 65)).digest();
};
const certificate = (fields) => {
	const algorithm = sequence(oid(OID.ecdsaWithSha256));
	const serial = builtins.crypto.randomBytes(16);
	serial[0] = (serial[0] ?? 0) | 64;
	const tbs = sequence(context(0, integer(Uint8Array.of(2))), integer(serial), algorithm, fields.issuer, sequence(time(fields.notBefore), time(fields.notAfter)), fields.subject, fields.spki, context(3, sequence(...fields.extensions)));
	return sequence(tbs, algorithm, bits(builtins.crypto.sign("sha256", tbs, fields.signingKey)));
};
/** `names`: exact hosts, and `x.y` for the suffix pattern `*.x.y`. */
const make$2 = (names, now = Date.now) => {
	const { crypto } = builtins;
	const root = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
	const shared = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
	const rootSpki = root.publicKey.export({
		type: "spki",
		format: "der"
	});
	const leafSpki = shared.publicKey.export({
		type: "spki",
		format: "der"
	});
	const rootId = keyIdentifier(rootSpki);
	const leafId = keyIdentifier(leafSpki);
	const subject = sequence(attribute(OID.organization, "credsvc"), attribute(OID.commonName, `credsvc run ${crypto.randomBytes(8).toString("hex")}`));
	const permitted = names.length === 0 ? ["credsvc.invalid"] : names;
	const subtree = (tag, value) => sequence(contextPrimitive(tag, value));
	const constraints = sequence(context(0, ...permitted.map((name) => subtree(DNS_NAME, Buffer.from(name, "latin1")))), context(1, subtree(IP_ADDRESS, Buffer.alloc(8)), subtree(IP_ADDRESS, Buffer.alloc(32))));
	const created = now();
	const rootDer = certificate({
		issuer: subject,
		subject,
		spki: rootSpki,
		notBefore: created - HOUR,
		notAfter: created + ROOT_DAYS * 24 * HOUR,
		signingKey: root.privateKey,
		extensions: [
			extension(OID.basicConstraints, true, sequence(boolean(true), integer(Uint8Array.of(0)))),
			extension(OID.keyUsage, true, bits(Uint8Array.of(4), 2)),
			extension(OID.subjectKeyIdentifier, false, octets(rootId)),
			extension(OID.authorityKeyIdentifier, false, sequence(contextPrimitive(0, rootId))),
			extension(OID.nameConstraints, true, constraints)
		]
	});
	const keyPem = shared.privateKey.export({
		type: "pkcs8",
		format: "pem"
	}).toString();
	const allowed = new Set(permitted);
	const leafSubject = sequence(attribute(OID.organization, "credsvc run"));
	return {
		rootPem: pem("CERTIFICATE", rootDer),
		rootDer,
		permits: (host) => allowed.has(host) || allowed.has(host.slice(host.indexOf(".") + 1)),
		issue: (host) => {
			const issued = now();
			const expiresAt = issued + 22 * HOUR;
			const der = certificate({
				issuer: subject,
				subject: leafSubject,
				spki: leafSpki,
				notBefore: issued - HOUR,
				notAfter: expiresAt,
				signingKey: root.privateKey,
				extensions: [
					extension(OID.basicConstraints, true, sequence()),
					extension(OID.keyUsage, true, bits(Uint8Array.of(128), 7)),
					extension(OID.extendedKeyUsage, false, sequence(oid(OID.serverAuth))),
					extension(OID.subjectAltName, false, sequence(contextPrimitive(DNS_NAME, Buffer.from(host, "latin1")))),
					extension(OID.subjectKeyIdentifier, false, octets(leafId)),
					extension(OID.authorityKeyIdentifier, false, sequence(contextPrimitive(0, rootId)))
				]
			});
			return {
				certPem: pem("CERTIFICATE", der),
				keyPem,
				expiresAt
			};
		}
	};
};

// src/proxy/ConnectTunnel.ts
/** Joins two sockets until both directions have ended; a reset on one side becomes a reset on the other. */
const join = (child, upstream) => {
	const failed = (other) => () => {
		if (!other.destroyed) other.resetAndDestroy();
	};
	const gone = (other) => () => {
		if (!other.destroyed && !other.writableEnded) other.end();
	};
	child.on("error", failed(upstream));
	upstream.on("error", failed(child));
	child.once("close", gone(upstream));
	upstream.once("close", gone(child));
	child.pipe(upstream);
	upstream.pipe(child);
};

// src/proxy/RefusalBody.ts
const STATUS_NAMES = {
	400: ["Bad Request", "INVALID_ARGUMENT"],
	403: ["Forbidden", "PERMISSION_DENIED"],
	405: ["Method Not Allowed", "INVALID_ARGUMENT"],
	407: ["Proxy Authentication Required", "UNAUTHENTICATED"],
	421: ["Misdirected Request", "INVALID_ARGUMENT"],
	502: ["Bad Gateway", "UNAVAILABLE"],
	503: ["Service Unavailable", "UNAVAILABLE"]
};
/** One line of visible ASCII: what a status line may hold. */
const reasonPhrase = (message) => `credsvc: ${message}`.replace(/[^\x20-\x7e]+/g, " ").slice(0, 300);
const refusalBody = (refusal, userAgent) => {
	const message = `credsvc: ${refusal.message}`;
	if (userAgent?.startsWith("git/") === true) return {
		type: "text/plain; charset=utf-8",
		body: message + "\n"
	};
	const [phrase, name] = STATUS_NAMES[refusal.status] ?? ["Error", "UNKNOWN"];
	return {
		type: "application/json",
		body: JSON.stringify({
			error: {
				type: "credsvc_proxy_error",
				code: refusal.status,
				status: name,
				message
			},
			message,
			errors: [{
				code: "DENIED",
				message
			}],
			kind: "Status",
			apiVersion: "v1",
			metadata: {},
			status: "Failure",
			reason: phrase.replaceAll(" ", ""),
			code: refusal.status
		})
	};
};
/** A complete HTTP/1.1 answer, for a socket that no HTTP server of ours is attached to. */
const refusalMessage = (refusal, options = { close: true }) => {
	const body = `credsvc: ${refusal.message}\n`;
	return `HTTP/1.1 ${refusal.status} ${reasonPhrase(refusal.message)}\r\nContent-Type: text/plain; charset=utf-8\r
Content-Length: ${Buffer.byteLength(body)}\r\nX-Credsvc-Error: ${refusal.error}\r\n` + (options.headers ?? "") + `Connection: ${options.close ? "close" : "keep-alive"}\r\n\r\n${body}`;
};
const ADVICE = {
	ConnectionNotFoundError: (provider) => `no connection for ${provider}; run: credsvc login ${provider}`,
	CredentialMissingError: (provider) => `no credential for ${provider}; run: credsvc login ${provider}`,
	TokenExpiredError: (provider) => `the credential for ${provider} has expired; run: credsvc login ${provider}`,
	RefreshFailedError: (provider) => `the credential for ${provider} could not be refreshed; run: credsvc login ${provider}`,
	DaemonUnavailableError: () => "the credsvc daemon does not answer; run: credsvc daemon start"
};
/** The refusal for a routed host whose credential could not be had. */
const credentialRefusal = (provider, connection, refused) => {
	const advice = ADVICE[refused.error];
	const option = connection === "default" || connection === "" ? "" : ` --connection ${connection}`;
	const message = advice === void 0 ? refused.detail : advice(provider) + (refused.error === "DaemonUnavailableError" ? "" : option);
	return {
		status: 403,
		error: refused.error,
		message
	};
};
const ambiguousRefusal = (host, providers) => ({
	status: 403,
	error: "AmbiguousProviderError",
	message: `${host} is claimed by several providers (${providers.join(", ")}); choose with: credsvc run --provider ${providers[0] ?? "<name>"}`
});

// src/proxy/ResolveBatch.ts
var ResolveBatch = class {
	#call;
	#batches = /* @__PURE__ */ new Map();
	constructor(call) {
		this.#call = call;
	}
	/** Requests with equal keys must be equal in every respect that the daemon looks at. */
	ask(key, request, waiter) {
		const batch = this.#batches.get(key);
		if (batch !== void 0) {
			batch.waiting.push(waiter);
			return;
		}
		const started = {
			request,
			waiting: [waiter]
		};
		this.#batches.set(key, started);
		setImmediate(() => this.#start(key, started));
	}
	#start(key, batch) {
		const served = batch.waiting;
		batch.waiting = [];
		let answered = false;
		this.#call(batch.request, (outcome) => {
			if (answered) return;
			answered = true;
			if (batch.waiting.length === 0) this.#batches.delete(key);
			else setImmediate(() => this.#start(key, batch));
			for (const waiter of served) waiter.settled(outcome);
		});
	}
};

// src/proxy/RouteWatch.ts
const PATIENCE_MILLISECONDS = 2e3;
var RouteWatch = class {
	#table;
	#batch;
	constructor(initial, filter, call) {
		this.#table = initial;
		this.#batch = new ResolveBatch((_request, done) => {
			const timer = setTimeout(() => done(this.#table), PATIENCE_MILLISECONDS);
			call(this.#table.version, (list) => {
				clearTimeout(timer);
				if (list !== void 0) this.#table = make$4(list.version, list.routes, filter);
				done(this.#table);
			});
		});
	}
	get current() {
		return this.#table;
	}
	refreshed(waiter) {
		this.#batch.ask("", void 0, waiter);
	}
};

// src/proxy/RunDirectory.ts
/**
* The directory of one run: certificates and configuration files for the child, readable by its owner alone. It holds no
* key and no credential. It is removed when the run ends, and one that a killed run left behind by the next run (D3).
*/
const PREFIX = "credsvc-run-";
const OWNER_FILE = "owner";
/** When a process began, in a form that no later process with its number has; empty where the system does not tell. */
const startTime = (pid) => {
	try {
		const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
	} catch {
		return "";
	}
};
const isAlive = (pid, started) => {
	try {
		process.kill(pid, 0);
	} catch (error) {
		if (error.code === "ESRCH") return false;
	}
	const now = startTime(pid);
	return now === "" || started === "" || now === started;
};
/** Removes the directories of runs that are over. What belongs to another user, or is not a directory, is left alone. */
const sweep = (parent) => {
	let removed = 0;
	for (const name of fs.readdirSync(parent)) {
		if (!name.startsWith(PREFIX)) continue;
		const directory = path.join(parent, name);
		try {
			const stat = fs.lstatSync(directory);
			if (!stat.isDirectory() || process.getuid !== void 0 && stat.uid !== process.getuid()) continue;
			let owner;
			try {
				owner = fs.readFileSync(path.join(directory, OWNER_FILE), "latin1");
			} catch {
				if (Date.now() - stat.mtimeMs < 6e4) continue;
			}
			const [pid = "", started = ""] = owner?.split(" ") ?? [];
			if (owner !== void 0 && isAlive(Number(pid), started)) continue;
			fs.rmSync(directory, {
				recursive: true,
				force: true
			});
			removed++;
		} catch {}
	}
	return removed;
};
/** Sweeps, then makes a directory that is removed with the scope. */
const make$1 = acquireRelease(sync(() => {
	const parent = builtins.os.tmpdir();
	sweep(parent);
	const directory = fs.mkdtempSync(path.join(parent, PREFIX));
	fs.writeFileSync(path.join(directory, OWNER_FILE), `${process.pid} ${startTime(process.pid)}`, { mode: 384 });
	return directory;
}), (directory) => sync(() => fs.rmSync(directory, {
	recursive: true,
	force: true
})));

// src/proxy/TlsInterception.ts
const HANDSHAKE_MILLISECONDS = 1e4;
const RENEW_MILLISECONDS = 36e5;
const TLS_HANDSHAKE = 22;
/** Fatal `unrecognized_name` (RFC 6066 section 3), in the clear as the handshake has not begun. */
const UNRECOGNIZED_NAME = Uint8Array.of(21, 3, 3, 0, 2, 2, 112);
/** The server name of a ClientHello that is complete in `bytes`; `undefined` when it has none or cannot be read. */
const serverNameOf = (bytes) => {
	try {
		if (bytes[0] !== TLS_HANDSHAKE || bytes[5] !== 1) return void 0;
		let at = 43;
		at += 1 + bytes.readUInt8(at);
		at += 2 + bytes.readUInt16BE(at);
		at += 1 + bytes.readUInt8(at);
		const end = at + 2 + bytes.readUInt16BE(at);
		at += 2;
		while (at + 4 <= end) {
			const type = bytes.readUInt16BE(at);
			const length = bytes.readUInt16BE(at + 2);
			if (type === 0) return bytes.toString("latin1", at + 9, at + 9 + bytes.readUInt16BE(at + 7));
			at += 4 + length;
		}
		return;
	} catch {
		return;
	}
};
const kAccept = Symbol("accepted connection");
var TlsInterception = class {
	#authority;
	#hosts = /* @__PURE__ */ new Map();
	constructor(authority) {
		this.#authority = authority;
	}
	/**
	* Waits for the first bytes, and ends the connection unless they begin a TLS handshake for this very host (D7, D11).
	* `plaintext` is called before it does so because the bytes were something else.
	*/
	accept(socket, head, host, secured, plaintext) {
		const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MILLISECONDS);
		const started = (first) => {
			clearTimeout(timer);
			socket.off("close", abandoned);
			if (first[0] !== TLS_HANDSHAKE) {
				plaintext();
				return;
			}
			const name = serverNameOf(first);
			if (name !== void 0 && name.toLowerCase() !== host) {
				socket.end(UNRECOGNIZED_NAME);
				return;
			}
			socket.pause();
			socket.unshift(first);
			const transport = socket;
			transport[kAccept] = {
				host,
				secured
			};
			this.#serverFor(host).emit("connection", socket);
		};
		const abandoned = () => clearTimeout(timer);
		socket.once("close", abandoned);
		if (head.length > 0) started(head);
		else socket.once("data", started);
	}
	#serverFor(host) {
		const known = this.#hosts.get(host);
		if (known !== void 0 && Date.now() < known.renewAt) return known.server;
		const leaf = this.#authority.issue(host);
		const server = builtins.tls.createServer({
			key: leaf.keyPem,
			cert: leaf.certPem,
			minVersion: "TLSv1.2",
			ecdhCurve: "X25519:P-256:P-384:P-521",
			ALPNProtocols: ["http/1.1"],
			handshakeTimeout: HANDSHAKE_MILLISECONDS,
			noDelay: true,
			allowHalfOpen: true
		});
		server.on("secureConnection", (secured) => {
			const accepted = transportOf(secured)?.[kAccept];
			const name = secured.servername;
			if (accepted === void 0 || typeof name === "string" && name !== "" && name.toLowerCase() !== accepted.host) {
				secured.destroy();
				return;
			}
			accepted.secured(secured);
		});
		server.on("tlsClientError", (_error, secured) => secured.destroy());
		this.#hosts.set(host, {
			server,
			renewAt: leaf.expiresAt - RENEW_MILLISECONDS
		});
		return server;
	}
};
/** The TCP socket below a TLS socket that a TLS server made. */
const transportOf = (secured) => secured._parent;

// src/proxy/RequestRules.ts
const refuse = (status, error, message) => ({
	status,
	error,
	message
});
const NO_TRACE = refuse(405, "RequestRefusedError", "TRACE is not relayed: its answer would show the credential");
const ABSOLUTE = refuse(400, "RequestRefusedError", "a request inside a tunnel names its target by path alone");
const HOST_COUNT = refuse(400, "RequestRefusedError", "a request must have exactly one Host header");
const FRAMING = refuse(400, "RequestRefusedError", "the request's framing is ambiguous");
/** Reads each header once, on the raw list: the joined view of Node hides duplicates. */
const inspect = (request, origin, insideTunnel) => {
	const raw = request.rawHeaders;
	const oldVersion = request.httpVersionMajor === 1 && request.httpVersionMinor === 0;
	let host;
	let hosts = 0;
	let lengths = 0;
	let codings = 0;
	let hasBody = false;
	let userAgent;
	let refusal;
	for (let i = 0; i < raw.length; i += 2) {
		const name = raw[i] ?? "";
		switch (name.length) {
			case 4:
				if (name.toLowerCase() === "host") {
					hosts++;
					host = raw[i + 1];
				}
				break;
			case 10:
				if (userAgent === void 0 && name.toLowerCase() === "user-agent") userAgent = raw[i + 1];
				break;
			case 14:
				if (name.toLowerCase() === "content-length") {
					lengths++;
					const value = raw[i + 1] ?? "";
					if (!/^\d{1,15}$/.test(value) || lengths > 1) refusal = FRAMING;
					if (value !== "0") hasBody = true;
				}
				break;
			case 17: if (name.toLowerCase() === "transfer-encoding") {
				codings++;
				if (oldVersion || codings > 1 || (raw[i + 1] ?? "").toLowerCase() !== "chunked") refusal = FRAMING;
				hasBody = true;
			}
		}
	}
	if (codings > 0 && lengths > 0) refusal = FRAMING;
	const method = request.method ?? "";
	if (method === "TRACE" || method === "TRACK") refusal = NO_TRACE;
	else if (insideTunnel && refusal === void 0) {
		const target = request.url ?? "";
		if (target.charCodeAt(0) !== 47 && !(target === "*" && method === "OPTIONS")) refusal = ABSOLUTE;
		else if (hosts > 1 || hosts === 0 && !oldVersion) refusal = HOST_COUNT;
		else if (host !== void 0 && host !== origin.hostHeader && !sameAuthority(host, origin)) refusal = refuse(421, "RequestRefusedError", `this tunnel is for ${origin.hostHeader}; the Host header names another host`);
	}
	return {
		shape: {
			hasBody,
			userAgent
		},
		refusal
	};
};
const sameAuthority = (host, origin) => {
	const given = parseAuthority(host, origin.scheme === "https" ? 443 : 80);
	return given !== void 0 && given.host === origin.authority.host && given.port === origin.authority.port;
};

// src/proxy/AddressRules.ts
const METADATA = [
	"169.254.169.254/32",
	"169.254.170.2/32",
	"169.254.170.23/32",
	"100.100.100.200/32",
	"192.0.0.192/32",
	"168.63.129.16/32",
	"fd00:ec2::254/128",
	"fd00:ec2::23/128",
	"fd20:ce::254/128"
];
const PRIVATE = [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/4",
	"240.0.0.0/4",
	"::/96",
	"64:ff9b:1::/48",
	"100::/64",
	"2001::/23",
	"2001:db8::/32",
	"3fff::/20",
	"5f00::/16",
	"fc00::/7",
	"fe80::/10",
	"fec0::/10",
	"ff00::/8"
];
let lists;
const load = () => {
	if (lists !== void 0) return lists;
	const fill = (ranges) => {
		const list = new builtins.net.BlockList();
		for (const range of ranges) {
			const [address = "", bits] = range.split("/");
			list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
		}
		return list;
	};
	lists = {
		metadata: fill(METADATA),
		private: fill(PRIVATE)
	};
	return lists;
};
/** The IPv4 address inside a mapped (`::ffff:`), NAT64 (`64:ff9b::`) or 6to4 (`2002:`) address. */
const embeddedIpv4 = (address) => {
	const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
	const left = head === "" ? [] : head.split(":");
	const right = tail === void 0 || tail === "" ? [] : tail.split(":");
	const all = [
		...left,
		...Array.from({ length: 8 - left.length - right.length }, () => "0"),
		...right
	].map((group) => parseInt(group, 16));
	const quad = (high, low) => [
		(high ?? 0) >> 8,
		(high ?? 0) & 255,
		(low ?? 0) >> 8,
		(low ?? 0) & 255
	].join(".");
	const zero = (from, to) => all.slice(from, to).every((group) => group === 0);
	if (zero(0, 5) && all[5] === 65535) return quad(all[6], all[7]);
	if (all[0] === 100 && all[1] === 65435 && zero(2, 6)) return quad(all[6], all[7]);
	if (all[0] === 8194) return quad(all[1], all[2]);
};
const classify = (address) => {
	const { metadata, private: notPublic } = load();
	const plain = address.replace(/%.*$/, "");
	const family = builtins.net.isIP(plain);
	if (family === 0) return "private";
	if (family === 6) {
		const inner = embeddedIpv4(plain);
		if (inner !== void 0) return classify(inner);
	}
	const type = family === 6 ? "ipv6" : "ipv4";
	if (metadata.check(plain, type)) return "metadata";
	return notPublic.check(plain, type) ? "private" : "public";
};
/** Whether a connection to the address would end on this machine. */
const isOwnMachine = (address) => {
	const plain = address.replace(/%.*$/, "");
	const inner = builtins.net.isIPv6(plain) ? embeddedIpv4(plain) ?? plain : plain;
	if (/^(?:127\.|0\.)/.test(inner) || inner === "::" || /^(?:0*:)*:?0*1$/.test(inner)) return true;
	for (const interfaces of Object.values(builtins.os.networkInterfaces())) for (const entry of interfaces ?? []) if (entry.address === inner) return true;
	return false;
};

// src/proxy/UpstreamDialer.ts
var DialError = class extends Error {
	problem;
	constructor(problem, message) {
		super(message);
		this.problem = problem;
	}
};
const matchesBypass = (entries, target) => entries.some((entry) => {
	const pattern = entry.trim().toLowerCase();
	if (pattern === "") return false;
	if (pattern === "*") return true;
	const port = /^(.+):(\d+)$/.exec(pattern);
	const host = port !== null && !port[1]?.includes(":") ? port[1] ?? "" : pattern;
	if (port !== null && host !== pattern && Number(port[2]) !== target.port) return false;
	const suffix = host.startsWith("*.") ? host.slice(1) : host;
	return suffix.startsWith(".") ? target.host.endsWith(suffix) || target.host === suffix.slice(1) : target.host === suffix || target.host.endsWith("." + suffix);
});
const isLocalName = (target) => target.host === "localhost" || target.host.endsWith(".localhost") || target.kind !== "name" && isOwnMachine(target.host);
const describe = (error) => {
	const code = error?.code;
	return typeof code === "string" ? code : error instanceof Error ? error.message : String(error);
};
const UNTRUSTED = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_|EPROTO)/;
const make = (options) => {
	const timeout = options.connectTimeout ?? 3e4;
	const sessions = /* @__PURE__ */ new Map();
	const open = /* @__PURE__ */ new Set();
	let context;
	const track = (socket) => {
		open.add(socket);
		socket.once("close", () => open.delete(socket));
		return socket;
	};
	const secureContext = (upstream) => {
		const key = upstream.extraCaCerts.map((file) => `${file}:${fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? "absent"}`).join("\n");
		if (context?.key !== key) {
			const extra = rootsOf(upstream.extraCaCerts);
			const ca = distinct([
				...extra.certificates,
				...systemRoots(),
				...nodeRoots()
			]);
			context = {
				key,
				value: builtins.tls.createSecureContext({
					ca: [...ca],
					minVersion: "TLSv1.2"
				})
			};
			sessions.clear();
		}
		return context.value;
	};
	const lookup = (host) => new Promise((resolve, reject) => {
		builtins.dns.lookup(host, { all: true }, (error, addresses) => {
			if (error !== null || addresses.length === 0) reject(new DialError("unresolved", `the name ${host} could not be resolved (${describe(error)})`));
			else resolve(addresses);
		});
	});
	const check = (addresses, target, port, mayBePrivate) => {
		for (const { address } of addresses) {
			const kind = classify(address);
			if (kind === "metadata") throw new DialError("forbidden", `${target.host} is a cloud metadata address, which is never reached from here`);
			if (options.ownPorts().has(port) && isOwnMachine(address)) throw new DialError("forbidden", `${formatAuthority(target)} is credsvc itself`);
			if (kind === "private" && !mayBePrivate) throw new DialError("private_address", `${target.host} resolves to the private address ${address}; if that is right, add it to upstream.private_hosts in config.json`);
		}
	};
	const connect = (addresses, host, port, allowHalfOpen) => new Promise((resolve, reject) => {
		const socket = track(builtins.net.connect({
			host,
			port,
			noDelay: true,
			keepAlive: true,
			keepAliveInitialDelay: 6e4,
			autoSelectFamily: true,
			allowHalfOpen,
			lookup: (_host, lookupOptions, callback) => {
				const [first] = addresses;
				if (lookupOptions.all === true) callback(null, [...addresses]);
				else callback(null, first?.address ?? "", first?.family ?? 4);
			}
		}));
		const timer = setTimeout(() => {
			socket.destroy();
			reject(new DialError("timeout", `${host}:${port} did not answer in ${timeout / 1e3} seconds`));
		}, timeout);
		const failed = (error) => {
			clearTimeout(timer);
			reject(new DialError("unreachable", `${host}:${port} could not be reached (${describe(error)})`));
		};
		socket.once("error", failed);
		socket.once("connect", () => {
			clearTimeout(timer);
			socket.off("error", failed);
			resolve(socket);
		});
	});
	const through = (proxy, target) => new Promise((resolve, reject) => {
		const url = new URL(proxy);
		const secure = url.protocol === "https:";
		const where = formatAuthority(target);
		const credential = url.username === "" ? {} : { "proxy-authorization": "Basic " + Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString("base64") };
		const request = (secure ? builtins.https : builtins.http).request({
			host: url.hostname.replace(/^\[|\]$/g, ""),
			port: url.port === "" ? secure ? 443 : 80 : Number(url.port),
			method: "CONNECT",
			path: where,
			headers: {
				host: where,
				...credential
			},
			agent: false,
			timeout,
			...secure ? {
				secureContext: secureContext(options.upstream()),
				rejectUnauthorized: true
			} : {}
		});
		request.once("timeout", () => request.destroy(/* @__PURE__ */ new Error("timeout")));
		request.once("error", (error) => {
			reject(new DialError("hop", `the proxy ${url.host} could not be used (${describe(error)})`));
		});
		request.once("response", (response) => {
			response.destroy();
			reject(new DialError("hop", `the proxy ${url.host} answered ${response.statusCode} for ${where}`));
		});
		request.once("connect", (response, socket, head) => {
			if (response.statusCode !== 200) {
				socket.destroy();
				reject(new DialError("hop", `the proxy ${url.host} answered ${response.statusCode} for ${where}`));
				return;
			}
			socket.setTimeout(0);
			if (head.length > 0) socket.unshift(head);
			resolve(track(socket));
		});
		request.end();
	});
	const tcp = async (target, purpose) => {
		const upstream = options.upstream();
		const pinned = upstream.resolve[`${target.host}:${target.port}`];
		if (pinned !== void 0) {
			const to = parseAuthority(pinned);
			if (to === void 0) throw new DialError("unresolved", `upstream.resolve has an unusable entry for ${target.host}`);
			const addresses = to.kind === "name" ? await lookup(to.host) : [{
				address: to.host,
				family: to.kind === "ipv6" ? 6 : 4
			}];
			check(addresses, target, to.port, true);
			return connect(addresses, to.host, to.port, purpose === "tunnel");
		}
		const literal = target.kind === "name" ? void 0 : [{
			address: target.host,
			family: target.kind === "ipv6" ? 6 : 4
		}];
		const mayBePrivate = purpose === "tunnel" || upstream.privateHosts.includes(target.host);
		if (literal !== void 0) check(literal, target, target.port, mayBePrivate);
		const proxy = upstream.proxy ?? options.parentProxy?.url;
		const bypass = upstream.proxy === void 0 ? options.parentProxy?.noProxy ?? [] : upstream.noProxy;
		if (proxy !== void 0 && !isLocalName(target) && !matchesBypass(bypass, target)) return through(proxy, target);
		const addresses = literal ?? await lookup(target.host);
		check(addresses, target, target.port, mayBePrivate);
		return connect(addresses, target.host, target.port, purpose === "tunnel");
	};
	const tls = async (target, purpose) => {
		const key = formatAuthority(target);
		const socket = await tcp(target, purpose);
		return new Promise((resolve, reject) => {
			const session = sessions.get(key);
			const secured = track(builtins.tls.connect({
				socket,
				...target.kind === "name" ? { servername: target.host } : { host: target.host },
				secureContext: secureContext(options.upstream()),
				rejectUnauthorized: true,
				ALPNProtocols: ["http/1.1"],
				...session === void 0 ? {} : { session }
			}));
			const timer = setTimeout(() => {
				secured.destroy();
				reject(new DialError("timeout", `${key} did not finish the TLS handshake in ${timeout / 1e3} seconds`));
			}, timeout);
			const failed = (error) => {
				clearTimeout(timer);
				secured.destroy();
				const code = describe(error);
				reject(UNTRUSTED.test(code) ? new DialError("untrusted", `the certificate or TLS of ${key} was not accepted (${code})`) : new DialError("unreachable", `the TLS handshake with ${key} failed (${code})`));
			};
			secured.once("error", failed);
			secured.on("session", (ticket) => sessions.set(key, ticket));
			secured.once("secureConnect", () => {
				clearTimeout(timer);
				secured.off("error", failed);
				if (!secured.authorized) {
					secured.destroy();
					reject(new DialError("untrusted", `the certificate of ${key} was not accepted`));
				} else resolve(secured);
			});
		});
	};
	return {
		tcp,
		tls,
		close: () => {
			for (const socket of open) socket.destroy();
		}
	};
};

// src/proxy/UpstreamPool.ts
const IDLE_MILLISECONDS$2 = 15e3;
const MAX_HEAD_BYTES$2 = 65536;
const originKey = (origin) => `${origin.scheme}://${formatAuthority(origin.authority)}`;
var PooledConnection = class {
	served = 0;
	usable = true;
	client;
	idle;
	constructor(client, idle) {
		this.client = client;
		this.idle = idle;
		client.on("disconnect", () => this.retire());
		client.on("connectionError", () => this.retire());
	}
	dispatch(options, handler) {
		this.client.dispatch(options, handler);
	}
	retire() {
		if (!this.usable) return;
		this.usable = false;
		const at = this.idle.indexOf(this);
		if (at !== -1) this.idle.splice(at, 1);
		setImmediate(() => void this.client.destroy().catch(() => void 0));
	}
};
var UpstreamPool = class {
	#dialer;
	#idle = /* @__PURE__ */ new Map();
	#all = /* @__PURE__ */ new Set();
	#Client;
	constructor(dialer) {
		this.#dialer = dialer;
	}
	/** undici is loaded on first use, or earlier by this call. */
	async load() {
		this.#Client ??= (await import("./client-CF98LeJH.js").then((m) => /* @__PURE__ */ __toESM(m.default, 1))).default;
	}
	get loaded() {
		return this.#Client !== void 0;
	}
	acquire(origin, fresh = false) {
		const key = originKey(origin);
		let idle = this.#idle.get(key);
		if (idle === void 0) this.#idle.set(key, idle = []);
		const reused = fresh ? void 0 : idle.pop();
		if (reused !== void 0) return reused;
		const Client = this.#Client;
		if (Client === void 0) throw new Error("undici is not loaded");
		const purpose = origin.routes === void 0 ? "tunnel" : "provider";
		const dial = origin.scheme === "https" ? this.#dialer.tls : this.#dialer.tcp;
		const client = new Client(`${origin.scheme}://${formatAuthority(origin.authority)}`, {
			connect: (_options, callback) => {
				dial(origin.authority, purpose).then((socket) => callback(null, socket), (error) => callback(error, null));
			},
			pipelining: 1,
			keepAliveTimeout: IDLE_MILLISECONDS$2,
			keepAliveMaxTimeout: 4 * IDLE_MILLISECONDS$2,
			headersTimeout: 0,
			bodyTimeout: 0,
			maxHeaderSize: MAX_HEAD_BYTES$2,
			allowH2: false
		});
		const connection = new PooledConnection(client, idle);
		this.#all.add(connection);
		client.once("disconnect", () => this.#all.delete(connection));
		client.once("connectionError", () => this.#all.delete(connection));
		return connection;
	}
	release(connection) {
		connection.served++;
		if (connection.usable && connection instanceof PooledConnection) connection.idle.push(connection);
	}
	close() {
		for (const connection of this.#all) connection.retire();
		this.#all.clear();
	}
};

// src/proxy/UndiciEngine.ts
const MAX_PIPELINED = 64;
const IDLE_MILLISECONDS$1 = 75e3;
const HEAD_MILLISECONDS$1 = 1e4;
const MAX_HEAD_BYTES$1 = 65536;
const IDEMPOTENT = /* @__PURE__ */ new Set([
	"GET",
	"HEAD",
	"OPTIONS",
	"PUT",
	"DELETE"
]);
const CONNECTION_LOST = /* @__PURE__ */ new Set([
	"UND_ERR_SOCKET",
	"ECONNRESET",
	"EPIPE"
]);
const kState = Symbol("connection state");
const kExchange = Symbol("exchange");
/**
* The request's body as undici reads it. undici destroys its body when the upstream answers early; on the request
* itself that would close the child's connection before the answer is out.
*/
var RequestBody = class extends Readable {
	#request;
	constructor(request) {
		super({ highWaterMark: 65536 });
		this.#request = request;
		request.on("data", (chunk) => {
			if (!this.destroyed && !this.push(chunk)) request.pause();
		});
		request.on("end", () => this.push(null));
		request.on("error", (error) => this.destroy(error));
		request.on("aborted", () => this.destroy(/* @__PURE__ */ new Error("the client broke off")));
		request.pause();
	}
	_read() {
		this.#request.resume();
	}
	_destroy(error, callback) {
		this.#request.resume();
		callback(error);
	}
};
const latin1Pairs = (raw) => {
	const out = [];
	if (raw === null || raw === void 0) return out;
	for (const item of raw) out.push(item.toString("latin1"));
	return out;
};
function onResponseClosed() {
	this[kExchange]?.closed();
}
function onResponseDrained() {
	this[kExchange]?.drained();
}
/** A head goes out with the body that came with it, but does not wait for a body that is still to come. */
function flushHead(exchange) {
	if (!exchange.wrote && !exchange.ended && !exchange.done) exchange.response.flushHeaders();
}
var Exchange = class {
	engine;
	request;
	response;
	origin;
	target;
	state;
	shape;
	injection;
	provider;
	connection;
	controller;
	status = 0;
	refusal;
	expectsContinue = false;
	/** Whether the upstream connection had served a request before: only such a one can have been stale. */
	reused = false;
	retried = false;
	wrote = false;
	ended = false;
	done = false;
	listensForDrain = false;
	upgrade;
	constructor(engine, request, response, origin, target, state) {
		this.engine = engine;
		this.request = request;
		this.response = response;
		this.origin = origin;
		this.target = target;
		this.state = state;
		response[kExchange] = this;
		response.sendDate = false;
		response.on("close", onResponseClosed);
		engine.exchanges.add(this);
	}
	run() {
		const { origin, request } = this;
		const { refusal, shape } = inspect(request, origin, this.state !== void 0);
		this.shape = shape;
		if (refusal !== void 0) return this.refuse(refusal);
		if (this.upgrade !== void 0 && shape.hasBody) return this.refuse({
			status: 400,
			error: "RequestRefusedError",
			message: "an upgrade request has no body"
		});
		const match = origin.routes?.match(this.target);
		if (match === void 0 || match._tag === "Unmatched" || request.method === "OPTIONS") return this.begin();
		const candidates = match._tag === "Matched" ? [match.route] : match.candidates;
		const [route] = candidates;
		if (match._tag === "Ambiguous" || route === void 0) return this.refuse(ambiguousRefusal(origin.authority.host, candidates.map(({ provider }) => provider)));
		this.provider = route.provider;
		const { host, port } = origin.authority;
		const path = origin.routes?.byPath === true ? this.target.replace(/[?#].*$/s, "") : void 0;
		const connection = route.connection ?? void 0;
		this.engine.options.credentials.ask(`${host} ${port} ${route.provider} ${connection ?? ""} ${path ?? ""}`, {
			host,
			port,
			path,
			provider: route.provider,
			connection
		}, this);
	}
	settled(outcome) {
		if (this.done) return;
		if (outcome._tag === "refused") return this.refuse(outcome.refusal);
		this.injection = outcome.injection;
		this.begin();
	}
	begin() {
		const { engine } = this;
		if (!engine.pool.loaded) {
			engine.pool.load().then(() => {
				if (!this.done) this.begin();
			}, () => this.refuse({
				status: 502,
				error: "Unexpected",
				message: "the HTTP client could not be loaded"
			}));
			return;
		}
		const { injection, origin, request, shape } = this;
		const body = shape?.hasBody === true ? new RequestBody(request) : null;
		if (body !== null && this.expectsContinue) this.response.writeContinue();
		this.connection = engine.pool.acquire(origin, this.upgrade !== void 0 || this.retried);
		this.reused = this.connection.served > 0;
		try {
			this.connection.dispatch({
				path: requestTarget(this.target, injection),
				method: request.method,
				headers: requestHeaders(request.rawHeaders, origin.hostHeader, injection),
				body,
				...this.upgrade === void 0 ? {} : { upgrade: "websocket" }
			}, this);
		} catch {
			this.refuse({
				status: 400,
				error: "RequestRefusedError",
				message: "the request cannot be sent as HTTP/1.1"
			});
		}
	}
	onRequestStart(controller) {
		this.controller = controller;
		if (this.done) controller.abort(/* @__PURE__ */ new Error("the client broke off"));
	}
	onResponseStart(controller, status, _headers, statusText) {
		if (this.done) return;
		const { response } = this;
		const raw = latin1Pairs(controller.rawHeaders);
		if (status < 200) {
			if (this.request.httpVersionMinor === 0) return;
			if (status === 103) {
				const links = raw.flatMap((name, i) => i % 2 === 0 && name.toLowerCase() === "link" ? [raw[i + 1] ?? ""] : []);
				if (links.length > 0) response.writeEarlyHints({ link: links });
			} else if (status === 102) response.writeProcessing();
			return;
		}
		this.status = status;
		const framed = raw.some((name, i) => i % 2 === 0 && name.length === 14 && name.toLowerCase() === "content-length");
		const bare = status === 204 || status === 304 || this.request.method === "HEAD";
		const chunked = !framed && !bare && this.request.httpVersionMinor === 1;
		response.writeHead(status, statusText ?? "", responseHeaders(raw, chunked));
		process.nextTick(flushHead, this);
	}
	onResponseData(controller, chunk) {
		if (this.done) return;
		this.wrote = true;
		if (!this.response.write(chunk)) {
			controller.pause();
			if (!this.listensForDrain) {
				this.listensForDrain = true;
				this.response.on("drain", onResponseDrained);
			}
		}
	}
	drained() {
		this.controller?.resume();
	}
	onResponseEnd(controller) {
		const { response } = this;
		this.ended = true;
		if (this.connection !== void 0 && this.upgrade === void 0) this.engine.pool.release(this.connection);
		this.connection = void 0;
		if (this.done) return;
		const trailers = latin1Pairs(controller.rawTrailers);
		if (trailers.length > 0 && response.chunkedEncoding) {
			const pairs = [];
			for (let i = 0; i < trailers.length; i += 2) pairs.push([trailers[i] ?? "", trailers[i + 1] ?? ""]);
			try {
				response.addTrailers(pairs);
			} catch {}
		}
		response.end();
	}
	onResponseError(_controller, error) {
		this.connection = void 0;
		if (this.done) return;
		if (this.response.headersSent) return this.breakOff();
		const code = error.code;
		if (!this.retried && typeof code === "string" && CONNECTION_LOST.has(code) && this.reused && this.shape?.hasBody !== true && IDEMPOTENT.has(this.request.method ?? "")) {
			this.retried = true;
			return this.begin();
		}
		if (error instanceof DialError) {
			const forbidden = error.problem === "forbidden" || error.problem === "private_address";
			return this.refuse({
				status: forbidden ? 403 : 502,
				error: forbidden ? "RequestRefusedError" : "EndpointUnreachableError",
				message: error.message
			});
		}
		this.refuse({
			status: 502,
			error: "EndpointUnreachableError",
			message: `${this.origin.authority.host} broke off the exchange`
		});
	}
	onRequestUpgrade(controller, status, _headers, upstream) {
		const { upgrade } = this;
		this.connection = void 0;
		if (upgrade === void 0 || this.done) {
			upstream.destroy();
			return;
		}
		const raw = latin1Pairs(controller.rawHeaders);
		let head = `HTTP/1.1 ${status} Switching Protocols\r\n`;
		for (let i = 0; i < raw.length; i += 2) head += `${raw[i]}: ${raw[i + 1]}\r\n`;
		this.status = status;
		this.response.detachSocket(upgrade.socket);
		upgrade.socket.write(head + "\r\n", "latin1");
		if (upgrade.head.length > 0) upstream.write(upgrade.head);
		this.engine.splice(upgrade.socket, upstream);
		this.closed();
	}
	refuse(refusal) {
		if (this.done) return;
		const { request, response } = this;
		this.refusal = refusal.error;
		this.status = refusal.status;
		if (response.headersSent) return this.breakOff();
		const { body, type } = refusalBody(refusal, this.shape?.userAgent);
		const close = refusal.status === 400 || this.shape?.hasBody === true;
		response.writeHead(refusal.status, reasonPhrase(refusal.message), [
			"Content-Type",
			type,
			"Content-Length",
			String(Buffer.byteLength(body)),
			"Cache-Control",
			"no-store",
			"X-Credsvc-Error",
			refusal.error,
			...refusal.status === 405 ? ["Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"] : [],
			...close ? ["Connection", "close"] : []
		]);
		response.end(request.method === "HEAD" ? void 0 : body);
	}
	/** The answer cannot be completed: the child must see that, so the connection is reset rather than closed. */
	breakOff() {
		const socket = this.response.socket;
		this.closed();
		if (socket === null) return;
		this.engine.reset(socket);
	}
	closed() {
		if (this.done) return;
		this.done = true;
		const { engine, request, state } = this;
		engine.exchanges.delete(this);
		if (!this.ended) this.controller?.abort(/* @__PURE__ */ new Error("the client broke off"));
		engine.options.onEvent?.({
			host: this.origin.authority.host,
			method: request.method ?? "",
			path: this.target.replace(/\?.*$/s, ""),
			status: this.status,
			provider: this.provider,
			refusal: this.refusal
		});
		if (state === void 0) return;
		if (state.current === this) {
			const next = state.waiting?.shift();
			state.current = next;
			next?.run();
		} else if (state.waiting !== void 0) state.waiting = state.waiting.filter((exchange) => exchange !== this);
	}
};
var UndiciEngine = class {
	options;
	pool;
	exchanges = /* @__PURE__ */ new Set();
	#server;
	#sockets = /* @__PURE__ */ new Set();
	#transports = /* @__PURE__ */ new WeakMap();
	constructor(options) {
		this.options = options;
		this.pool = new UpstreamPool(options.dialer);
		this.#server = builtins.http.createServer({
			maxHeaderSize: MAX_HEAD_BYTES$1,
			headersTimeout: HEAD_MILLISECONDS$1,
			requestTimeout: 0,
			keepAliveTimeout: IDLE_MILLISECONDS$1,
			requireHostHeader: false,
			noDelay: true,
			insecureHTTPParser: false
		});
		this.#server.timeout = 0;
		this.#server.on("request", (request, response) => this.#accept(request, response, false));
		this.#server.on("checkContinue", (request, response) => this.#accept(request, response, true));
		this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
		this.#server.on("connect", (_request, socket) => {
			this.#answer(socket, {
				status: 400,
				error: "RequestRefusedError",
				message: "CONNECT inside a tunnel"
			});
		});
		this.#server.on("clientError", (error, socket) => {
			if (error.code === "ECONNRESET" || !socket.writable) {
				socket.destroy();
				return;
			}
			this.#answer(socket, {
				status: 400,
				error: "RequestRefusedError",
				message: "the request is not valid HTTP/1.1"
			});
		});
	}
	serve(socket, transport, origin) {
		const served = socket;
		this.#transports.set(socket, transport);
		served[kState] = {
			origin,
			current: void 0,
			waiting: void 0
		};
		this.#sockets.add(socket);
		socket.once("close", () => this.#sockets.delete(socket));
		this.#server.emit("connection", socket);
	}
	forward(request, response, origin, target, expectsContinue) {
		const exchange = new Exchange(this, request, response, origin, target, void 0);
		exchange.expectsContinue = expectsContinue;
		exchange.run();
	}
	active() {
		return this.exchanges.size;
	}
	close() {
		for (const socket of this.#sockets) socket.destroy();
		this.pool.close();
		this.#server.closeAllConnections();
	}
	/** A TLS socket cannot send a reset: the TCP socket below it does. */
	reset(socket) {
		const transport = this.#transports.get(socket) ?? socket;
		if (!transport.destroyed) transport.resetAndDestroy();
		socket.destroy();
	}
	/** Both ways until both ends are done. */
	splice(child, upstream) {
		this.#sockets.add(child);
		const release = () => {
			this.#sockets.delete(child);
			child.destroy();
			upstream.destroy();
		};
		child.on("error", release);
		upstream.on("error", release);
		child.once("close", release);
		upstream.once("close", release);
		child.pipe(upstream);
		upstream.pipe(child);
	}
	#accept(request, response, expectsContinue) {
		const state = request.socket[kState];
		if (state === void 0) {
			request.socket.destroy();
			return;
		}
		const exchange = new Exchange(this, request, response, state.origin, request.url ?? "", state);
		exchange.expectsContinue = expectsContinue;
		if (state.current === void 0) {
			state.current = exchange;
			exchange.run();
			return;
		}
		const waiting = state.waiting ??= [];
		if (waiting.length >= MAX_PIPELINED) request.socket.destroy();
		else waiting.push(exchange);
	}
	#upgrade(request, socket, head) {
		socket.on("error", () => socket.destroy());
		const state = socket[kState];
		if (state === void 0 || state.current !== void 0) {
			socket.destroy();
			return;
		}
		if (request.headers.upgrade?.toLowerCase() !== "websocket" || request.method !== "GET") {
			this.#answer(socket, {
				status: 400,
				error: "RequestRefusedError",
				message: "only a WebSocket upgrade is relayed"
			});
			return;
		}
		const response = new builtins.http.ServerResponse(request);
		response.shouldKeepAlive = false;
		response.assignSocket(socket);
		response.on("finish", () => {
			response.detachSocket(socket);
			socket.end();
			response.emit("close");
		});
		socket.once("close", () => response.emit("close"));
		const exchange = new Exchange(this, request, response, state.origin, request.url ?? "", state);
		exchange.upgrade = {
			socket,
			head
		};
		state.current = exchange;
		exchange.run();
	}
	#answer(socket, refusal) {
		socket.on("error", () => socket.destroy());
		socket.end(refusalMessage(refusal));
	}
};

// src/proxy/ForwardProxy.ts
/**
* The forward proxy of one run: what the child's `HTTPS_PROXY` points to.
*
* A routed host is intercepted, everything else is a tunnel that nothing looks into. The listener is a `node:http`
* server, so the request that opens a tunnel is parsed as strictly as any other; what follows in a tunnel is handed
* on to `ConnectTunnel`, or to `TlsInterception` and the engine. Life and death are Effect's, the path of a request
* is plain callbacks.
*/
const MAX_CONNECTIONS = 512;
const MAX_HEAD_BYTES = 65536;
const HEAD_MILLISECONDS = 1e4;
const IDLE_MILLISECONDS = 75e3;
const DRAIN_MILLISECONDS = 500;
const USER = "credsvc";
const kAdmitted = Symbol("admitted");
const kAsked = Symbol("asked");
const refusalOf = (error, authority) => {
	if (error instanceof DialError) return error.problem === "forbidden" || error.problem === "private_address" ? {
		status: 403,
		error: "RequestRefusedError",
		message: error.message
	} : {
		status: 502,
		error: "EndpointUnreachableError",
		message: error.message
	};
	return {
		status: 502,
		error: "EndpointUnreachableError",
		message: `${authority.host} could not be reached`
	};
};
var ForwardProxy = class ForwardProxy extends Service()("credsvc/proxy/ForwardProxy") {
	/** Listens until the scope closes. Fails when the daemon gives no routes. */
	static layer = (options = {}) => effect(ForwardProxy, gen$1(function* () {
		const source = yield* CredentialSource;
		const config = yield* ConfigFile;
		const peerOwner = yield* PeerOwner;
		const first = yield* source.routes(void 0);
		if (first === void 0) return yield* new CredentialRefusedError({
			error: "DaemonUnavailableError",
			detail: "The daemon gave no routes.",
			status: 503
		});
		let upstream = (yield* config.read).upstream;
		const readUpstream = () => {
			const exit = runSyncExit(config.read);
			if (isSuccess(exit)) upstream = exit.value.upstream;
			return upstream;
		};
		const table = make$4(first.version, first.routes, options);
		const authority = make$2(table.certificateNames);
		const runDirectory = yield* make$1;
		const credentials = new ResolveBatch((request, done) => {
			runCallback(source.resolve(request), { onExit: (exit) => done(resolutionOf(request, exit)) });
		});
		const watch = new RouteWatch(table, options, (version, done) => {
			runCallback(source.routes(version), { onExit: (exit) => done(isSuccess(exit) ? exit.value : void 0) });
		});
		const isOwnUser = (remote, answer) => {
			const { localAddress, localPort, remoteAddress, remotePort } = remote;
			if (remoteAddress === void 0 || remotePort === void 0 || localAddress === void 0 || localPort === void 0) {
				answer(false);
				return;
			}
			runCallback(peerOwner.peer({
				address: remoteAddress,
				port: remotePort
			}, {
				address: localAddress,
				port: localPort
			}), { onExit: (exit) => answer(isSuccess(exit) && exit.value === "own") });
		};
		const listener = new Listener({
			...options,
			authority,
			credentials,
			watch,
			isOwnUser,
			readUpstream
		});
		yield* acquireRelease(callback((resume) => listener.listen(() => resume(void_))), () => callback((resume) => listener.close(options.drainMilliseconds ?? DRAIN_MILLISECONDS, () => resume(void_))));
		const proxyUrl = `http://${USER}:${listener.secret}@127.0.0.1:${listener.port}`;
		const placeholders = first.placeholders.filter((placeholder) => options.providers === void 0 || options.providers.includes(placeholder.provider));
		return ForwardProxy.of({
			port: listener.port,
			proxyUrl,
			caPem: authority.rootPem,
			runDirectory,
			placeholders,
			environment: (parent, adjustments) => sync(() => make$3({
				parent,
				proxyUrl,
				port: listener.port,
				caPem: authority.rootPem,
				runDirectory,
				placeholders,
				patterns: watch.current.patterns,
				extraCaCerts: upstream.extraCaCerts,
				parentProxy: options.parentProxy,
				...adjustments
			}))
		});
	}));
};
const resolutionOf = (request, exit) => {
	if (isSuccess(exit)) try {
		return {
			_tag: "resolved",
			injection: prepare(exit.value)
		};
	} catch (error) {
		return {
			_tag: "refused",
			refusal: {
				status: 403,
				error: "CredentialMissingError",
				message: error instanceof UnusableCredentialError ? error.message : "the stored credential cannot be used"
			}
		};
	}
	const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail");
	const refused = failure?._tag === "Fail" && failure.error instanceof CredentialRefusedError ? failure.error : {
		error: "Unexpected",
		detail: "the daemon could not be asked for the credential"
	};
	return {
		_tag: "refused",
		refusal: credentialRefusal(request.provider, request.connection ?? "default", refused)
	};
};
var Listener = class {
	secret = builtins.crypto.randomBytes(32).toString("base64url");
	#options;
	#expected;
	#server;
	#engine;
	#dialer;
	#interception;
	#sockets = /* @__PURE__ */ new Set();
	#ownPorts = /* @__PURE__ */ new Set();
	constructor(options) {
		this.#options = options;
		this.#expected = Buffer.from(Buffer.from(`${USER}:${this.secret}`).toString("base64"));
		const { daemonUrl } = options;
		if (daemonUrl !== void 0) this.#ownPorts.add(Number(daemonUrl.port || (daemonUrl.protocol === "https:" ? 443 : 80)));
		this.#dialer = make({
			upstream: options.readUpstream,
			parentProxy: options.parentProxy,
			ownPorts: () => this.#ownPorts,
			connectTimeout: options.connectTimeout
		});
		this.#engine = new UndiciEngine({
			dialer: this.#dialer,
			credentials: options.credentials,
			onEvent: options.onEvent
		});
		this.#interception = new TlsInterception(options.authority);
		this.#server = builtins.http.createServer({
			maxHeaderSize: MAX_HEAD_BYTES,
			headersTimeout: HEAD_MILLISECONDS,
			requestTimeout: 0,
			keepAliveTimeout: IDLE_MILLISECONDS,
			requireHostHeader: false,
			noDelay: true,
			keepAlive: true,
			keepAliveInitialDelay: 6e4
		});
		this.#server.timeout = 0;
		this.#server.maxConnections = MAX_CONNECTIONS;
		this.#server.on("connection", (socket) => {
			if (this.#sockets.has(socket)) return;
			this.#sockets.add(socket);
			socket.once("close", () => this.#sockets.delete(socket));
		});
		this.#server.on("connect", (request, socket, head) => this.#connect(request, socket, head));
		this.#server.on("request", (request, response) => this.#absolute(request, response, false));
		this.#server.on("checkContinue", (request, response) => this.#absolute(request, response, true));
		this.#server.on("upgrade", (request, socket) => {
			this.#end(socket, {
				status: 400,
				error: "RequestRefusedError",
				message: "an upgrade without a tunnel is not relayed"
			});
			request.resume();
		});
		this.#server.on("clientError", (error, socket) => {
			if (error.code === "ECONNRESET" || !socket.writable) {
				socket.destroy();
				return;
			}
			const message = error.code === "HPE_HEADER_OVERFLOW" ? "the request's head is too long" : "this is not HTTP/1.1";
			this.#end(socket, {
				status: 400,
				error: "RequestRefusedError",
				message
			});
		});
	}
	get port() {
		return this.#server.address().port;
	}
	listen(ready) {
		this.#server.listen(0, "127.0.0.1", () => {
			this.#ownPorts.add(this.port);
			ready();
			setImmediate(() => void this.#engine.pool.load().catch(() => void 0));
		});
	}
	/** No new connections; what is under way may finish for a moment, then everything is closed. */
	close(drainMilliseconds, done) {
		this.#server.close();
		this.#server.closeIdleConnections();
		const deadline = Date.now() + drainMilliseconds;
		const wait = () => {
			if (this.#engine.active() > 0 && Date.now() < deadline) {
				setTimeout(wait, 10);
				return;
			}
			this.#engine.close();
			for (const socket of this.#sockets) socket.destroy();
			this.#dialer.close();
			done();
		};
		wait();
	}
	/** Credential, else uid, else 407 (D1). A wrong credential is not made good by the uid. */
	#admit(request, socket, answer) {
		const given = request.headers["proxy-authorization"];
		if (given !== void 0) {
			const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(given);
			const offered = Buffer.from(match?.[1] ?? "");
			answer(offered.length === this.#expected.length && builtins.crypto.timingSafeEqual(offered, this.#expected));
			return;
		}
		if (socket[kAdmitted] !== void 0) {
			answer(socket[kAdmitted]);
			return;
		}
		const asked = socket[kAsked];
		if (asked !== void 0) {
			asked.push(answer);
			return;
		}
		socket[kAsked] = [answer];
		this.#options.isOwnUser(socket, (own) => {
			socket[kAdmitted] = own;
			for (const waiting of socket[kAsked] ?? []) waiting(own);
			delete socket[kAsked];
		});
	}
	#connect(request, socket, head) {
		socket.on("error", () => socket.destroy());
		this.#admit(request, socket, (admitted) => {
			if (socket.destroyed) return;
			if (!admitted) {
				socket.write(refusalMessage({
					status: 407,
					error: "ProxyAuthenticationRequired",
					message: "this proxy belongs to one credsvc run; use the address in HTTPS_PROXY as it is"
				}, {
					close: false,
					headers: "Proxy-Authenticate: Basic realm=\"credsvc\"\r\n"
				}));
				if (head.length > 0) socket.unshift(head);
				this.#server.emit("connection", socket);
				return;
			}
			const authority = parseAuthority(request.url ?? "");
			if (authority === void 0) return this.#end(socket, {
				status: 400,
				error: "RequestRefusedError",
				message: "CONNECT needs one host name or address and one port"
			});
			if (authority.kind !== "name") return this.#tunnel(socket, head, authority);
			this.#options.watch.refreshed({ settled: (table) => {
				if (socket.destroyed) return;
				const routes = table.host(authority.host, authority.port);
				if (routes === void 0) this.#tunnel(socket, head, authority);
				else this.#intercept(socket, head, authority, routes);
			} });
		});
	}
	#intercept(socket, head, authority, routes) {
		if (!this.#options.authority.permits(authority.host)) return this.#end(socket, {
			status: 403,
			error: "RequestRefusedError",
			message: `${authority.host} was added after this run began; start the command again with credsvc run`
		});
		const origin = {
			scheme: "https",
			authority,
			hostHeader: formatAuthority(authority, 443),
			routes
		};
		socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
		this.#interception.accept(socket, head, authority.host, (secured) => {
			const transport = transportOf(secured) ?? socket;
			secured.on("error", () => secured.destroy());
			this.#engine.serve(secured, transport, origin);
		}, () => {
			this.#options.onEvent?.({
				host: authority.host,
				method: "CONNECT",
				path: "",
				status: 400,
				provider: void 0,
				refusal: "PlaintextRefused"
			});
			this.#end(socket, {
				status: 400,
				error: "RequestRefusedError",
				message: `${authority.host} is reached over TLS only: no credential goes into a connection in the clear`
			});
		});
	}
	#tunnel(socket, head, authority) {
		const denied = this.#denied(authority);
		if (denied !== void 0) return this.#end(socket, denied);
		this.#dialer.tcp(authority, "tunnel").then((upstream) => {
			if (socket.destroyed) {
				upstream.destroy();
				return;
			}
			socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
			if (head.length > 0) upstream.write(head);
			join(socket, upstream);
		}, (error) => this.#end(socket, refusalOf(error, authority)));
	}
	#denied(authority) {
		const { daemonUrl, unmatched } = this.#options;
		if (daemonUrl !== void 0 && daemonUrl.hostname.toLowerCase() === authority.host) {
			if (Number(daemonUrl.port || (daemonUrl.protocol === "https:" ? 443 : 80)) === authority.port) return {
				status: 403,
				error: "RequestRefusedError",
				message: `${formatAuthority(authority)} is credsvc itself`
			};
		}
		if (unmatched !== "deny") return void 0;
		return {
			status: 403,
			error: "RequestRefusedError",
			message: `${authority.host} belongs to no provider, and this run lets nothing else out (--unmatched deny)`
		};
	}
	#absolute(request, response, expectsContinue) {
		const socket = request.socket;
		const refuse = (refusal, headers = {}) => {
			if (response.destroyed) return;
			const body = `credsvc: ${refusal.message}\n`;
			response.sendDate = false;
			response.writeHead(refusal.status, `credsvc: ${refusal.message}`.slice(0, 300), {
				"Content-Type": "text/plain; charset=utf-8",
				"Content-Length": Buffer.byteLength(body),
				"X-Credsvc-Error": refusal.error,
				...headers
			});
			response.end(request.method === "HEAD" ? void 0 : body);
		};
		this.#admit(request, socket, (admitted) => {
			if (!admitted) return refuse({
				status: 407,
				error: "ProxyAuthenticationRequired",
				message: "this proxy belongs to one credsvc run; use the address in HTTP_PROXY as it is"
			}, { "Proxy-Authenticate": "Basic realm=\"credsvc\"" });
			const target = parseAbsoluteTarget(request.url ?? "");
			if (target === void 0) return refuse({
				status: 400,
				error: "RequestRefusedError",
				message: "this is a forward proxy: it needs CONNECT or an absolute http:// or https:// target"
			});
			const { authority, path, scheme } = target;
			this.#options.watch.refreshed({ settled: (table) => {
				const named = authority.kind === "name";
				if (scheme === "http" && named && table.claims(authority.host)) return refuse({
					status: 403,
					error: "RequestRefusedError",
					message: `${authority.host} is reached over https only: no credential goes into a connection in the clear`
				});
				const routes = scheme === "https" && named ? table.host(authority.host, authority.port) : void 0;
				if (routes === void 0) {
					const denied = this.#denied(authority);
					if (denied !== void 0) return refuse(denied);
				}
				const hostHeader = formatAuthority(authority, scheme === "https" ? 443 : 80);
				this.#engine.forward(request, response, {
					scheme,
					authority,
					hostHeader,
					routes
				}, path, expectsContinue);
			} });
		});
	}
	/** Answers and closes; the reason stands in the status line because that is what clients show. */
	#end(socket, refusal) {
		socket.on("error", () => socket.destroy());
		if (socket.destroyed) return;
		socket.end(refusalMessage(refusal));
		socket.resume();
		setTimeout(() => socket.destroy(), 1e3).unref();
	}
};

// src/cli/commands/Run.ts
/**
* Runs a command behind a proxy that lives as long as it does.
*
* stdin, stdout and the terminal belong to the command; what there is to say goes to stderr. The command shares our
* process group, so the terminal's own signals reach it without us; the others are passed on.
*/
const notExecutable = 126;
const notFound = 127;
/** Passed on. A Node that has a handler for SIGUSR1 does not open its debugger for it (A43). */
const forwarded = [
	"SIGTERM",
	"SIGHUP",
	"SIGQUIT",
	"SIGUSR1",
	"SIGUSR2"
];
const isConnectionName = is(ConnectionName);
/** `openai=work`, once for each provider. */
const parseConnections = (pairs) => gen$1(function* () {
	const chosen = /* @__PURE__ */ new Map();
	const wrong = (message) => InvalidRequestError.of([{
		path: "--connection",
		message
	}]);
	for (const pair of pairs) {
		const [provider = "", name = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
		if (!pair.includes("=") || provider === "" || !isConnectionName(name)) return yield* wrong(`"${pair}" is not of the form <provider>=<name>`);
		if (chosen.has(provider)) return yield* wrong(`there are two connections for ${provider}`);
		chosen.set(yield* providerName(provider), name);
	}
	return chosen;
});
/** Told before the command starts, where a person can still do something about it. */
const check = (chosen, providers) => gen$1(function* () {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const { routes } = yield* client.of(ProxyGroup).routes();
	const known = [...new Set(routes.map((route) => route.provider))];
	for (const provider of [...providers, ...chosen.keys()]) if (!known.includes(provider)) return yield* ProviderNotFoundError.of(provider, nearest(provider, known));
	for (const [provider, connection] of chosen) yield* client.of(ConnectionsGroup).get({
		params: {
			provider: yield* providerName(provider),
			connection
		},
		query: {}
	});
	const unconnected = providers.filter((provider) => !chosen.has(provider) && !routes.some((route) => route.provider === provider && route.connected));
	for (const provider of unconnected) yield* output.warn(`There is no connection for ${provider}. Make one with: credsvc login ${provider}`);
	if (!routes.some((route) => route.connected)) yield* output.note("No provider has a connection yet. Make one with: credsvc login <provider>");
});
const spawn = (command, args, env) => withUserUmask(() => builtins.childProcess.spawn(command, [...args], {
	env,
	stdio: "inherit",
	shell: false
}));
const exitCodeOf = (code, signal) => signal === null ? code ?? ExitCode.unexpected : 128 + builtins.os.constants.signals[signal];
const runChild = (command, args, env) => callback((resume) => {
	const end = (ended) => {
		stop();
		resume(succeed$1(ended));
	};
	const failed = (cause) => {
		const code = cause.code ?? "unknown error";
		end(code === "ENOENT" ? {
			problem: `${command}: command not found`,
			exitCode: notFound
		} : {
			problem: `${command}: cannot be executed (${code})`,
			exitCode: notExecutable
		});
	};
	const listeners = [];
	const stop = () => {
		for (const [name, listener] of listeners) process.off(name, listener);
	};
	let child;
	for (const name of forwarded) listeners.push([name, () => void child?.kill(name)]);
	const onTerminal = isTerminal(0) || isTerminal(1) || isTerminal(2);
	listeners.push(["SIGINT", () => void (onTerminal ? void 0 : child?.kill("SIGINT"))]);
	for (const [name, listener] of listeners) process.on(name, listener);
	try {
		child = spawn(command, args, env);
		child.once("error", failed);
		child.once("exit", (code, signal) => end({ exitCode: exitCodeOf(code, signal) }));
	} catch (cause) {
		failed(cause);
	}
	return sync(() => {
		stop();
		child?.kill("SIGTERM");
	});
});
const behindProxy = fnUntraced(function* (command) {
	const output = yield* Output;
	const { droppedNoProxy, notices, variables } = yield* (yield* ForwardProxy).environment(process.env);
	if (droppedNoProxy.length > 0) yield* output.note(`NO_PROXY without ${droppedNoProxy.join(", ")}, which would keep requests from the proxy.`);
	for (const notice of notices) yield* output.note(notice);
	const [program = "", ...args] = command;
	return yield* runChild(program, args, variables);
});
const runCommand = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const log = yield* ClientLog;
	const chosen = yield* parseConnections(input.connections);
	const providers = yield* forEach(input.providers, providerName);
	yield* check(chosen, providers);
	const proxy = ForwardProxy.layer({
		providers: providers.length > 0 ? providers : void 0,
		connections: Object.fromEntries(chosen),
		unmatched: input.unmatched,
		daemonUrl: (yield* client.address).url,
		parentProxy: parentProxy(process.env),
		onEvent: (event) => runFork(log.debug(`${event.method} ${event.host}${event.path}: ${event.refusal ?? event.status}` + (event.provider === void 0 ? "" : ` (${event.provider})`)))
	}).pipe(provide(CredentialSource.layerDaemon({ runId: builtins.crypto.randomBytes(18).toString("base64url") })), provide(ConfigFile.layerNoDeps));
	const ended = yield* behindProxy(input.command).pipe(provide$1(proxy), catchTag("CredentialRefusedError", ({ detail }) => fail$1(new DaemonUnavailableError({
		url: "",
		detail
	}))));
	if ("problem" in ended) yield* output.json ? output.document({
		error: "CommandNotStartedError",
		message: ended.problem
	}) : output.tell(`credsvc: ${ended.problem}`);
	if (ended.exitCode !== 0) return yield* fail$1(new Exited(ended.exitCode));
});
const run = (input) => runCommand(input).pipe(provideDaemon({ profile: getOrUndefined(input.profile) }));

export { run };