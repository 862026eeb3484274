import { T as Struct, Wr as orElseSucceed, Yn as callback, ci as succeed, es as Service, f as Int, fa as sync, fi as sync$1, i as ArraySchema, m as Literals, p as Literal, pa as unwrap, pr as flatMap, ua as succeed$1, ur as fail, v as NullOr, w as String } from "./Runtime-CYnC2HYz.js";
import { lt as wire } from "./Errors-CqOgzwWL.js";
import { i as createOnce, p as builtins, s as readFile, t as SecureFileError } from "./SecureFiles-DvIPMxq1.js";
import * as fs from "node:fs/promises";

// src/domain/Health.ts
/** What the daemon tells about itself. */
/** How the key-encryption key is to be found. */
const MasterKeyMode = Literals([
	"auto",
	"local_key",
	"keyring"
]);
/** Where it was found. */
const MasterKeySource = Literals([
	"env",
	"keyring",
	"local_key"
]);
const masterKey = {
	masterKeyMode: MasterKeyMode,
	masterKeySource: NullOr(MasterKeySource),
	masterKeyDescription: String
};
/** `instance` changes with every start of the daemon. The source is null while no key could be reached. */
const Health = wire({
	status: Literal("ok"),
	version: String,
	apiVersion: Int,
	instance: String,
	...masterKey
}, "Health");
const ComponentStatus = Struct({
	status: Literals([
		"ok",
		"warning",
		"failed"
	]),
	message: String
});
/** The six checks, in the order in which they are told. */
const componentNames = [
	"spec_version",
	"identity",
	"providers",
	"connections",
	"vault",
	"integrity"
];
const readiness = {
	checks: Struct({
		spec_version: ComponentStatus,
		identity: ComponentStatus,
		providers: ComponentStatus,
		connections: ComponentStatus,
		vault: ComponentStatus,
		integrity: ComponentStatus
	}),
	warnings: ArraySchema(String),
	problems: ArraySchema(String),
	...masterKey
};
/** `degraded` has warnings, `unhealthy` has problems. */
const Readiness = wire({
	status: Literals([
		"ok",
		"degraded",
		"unhealthy"
	]),
	...readiness
}, "Readiness");
const Ready = wire({
	status: Literals(["ok", "degraded"]),
	...readiness
}, "Ready");
const NotReady = wire({
	status: Literal("unhealthy"),
	...readiness
}, "NotReady");
const Whoami = wire({
	home: String,
	profile: String,
	identity: String,
	...masterKey,
	daemonUrl: String,
	version: String
}, "Whoami");

// src/config/AccessKey.ts
/**
* The secret by which processes of one user recognise each other over loopback: 32 random bytes in a file that only
* that user can read.
*
* It is not a token for the daemon's routes, which ask for none. It spares the look-up in the kernel's socket tables,
* and it proves to a client that the listener it found is this home's daemon and not somebody who took the port.
*/
/** Request header of the handshake: proves that the client can read the key. */
const clientHeader = "credsvc-client";
/** Response header of the handshake: proves that the server can. */
const proofHeader = "credsvc-proof";
/** How far the clocks of two processes of one machine may be apart, in milliseconds. */
const helloWindow = 3e4;
const bytes = 32;
const mac = (key, message) => builtins.crypto.createHmac("sha256", key).update(message).digest("hex");
/** What the daemon on `port` answers to `nonce`. Bound to the port, so that another listener can't pass it on. */
const serverProof = (key, nonce, port) => mac(key, `credsvc/server-id/v1\n${nonce}\n${port}`);
const clientMac = (key, nonce, port, time) => mac(key, `credsvc/client/v1\n${nonce}\n${port}\n${time}`);
/** The client's half of the handshake, for the header: the time in Unix milliseconds and a MAC over nonce, port and time. */
const clientHello = (key, nonce, port, now) => `${now}.${clientMac(key, nonce, port, now)}`;
/**
* Whether `hello` was made with this key for this nonce and port, and recently. Whoever listened on the port before
* the daemon may have been sent one: it is worth nothing here, because it is older than `startedAt`. The caller
* accepts each nonce once.
*/
const isClientHello = (key, hello, expected) => {
	const match = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(hello);
	if (match === null) return false;
	const time = Number(match[1]);
	if (time < expected.startedAt || Math.abs(expected.now - time) > 3e4) return false;
	return sameProof(match[2] ?? "", clientMac(key, expected.nonce, expected.port, time));
};
/** Compares in a time that depends on neither text. */
const sameProof = (left, right) => {
	const { createHash, timingSafeEqual } = builtins.crypto;
	const digest = (text) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(left), digest(right));
};
const checked = (file, key) => key.length === bytes ? succeed(key) : fail(new SecureFileError({
	path: file,
	problem: "io"
}));
/** The key, made if this home has none yet. Racing callers get the same one. */
const ensureAccessKey = (paths) => createOnce(paths.accessKey, builtins.crypto.randomBytes(bytes)).pipe(flatMap((file) => checked(paths.accessKey, file.bytes)));
/** The key, undefined when this home has none or it can't be trusted. */
const findAccessKey = (paths) => readFile(paths.accessKey, { maxBytes: 1024 }).pipe(flatMap((key) => checked(paths.accessKey, key)), orElseSucceed(() => void 0));

// src/platform/PeerOwner.ts
/**
* Which user is behind a loopback TCP socket, from the kernel's socket tables.
*
* A server learns whether the peer that connected is its own user; a client learns whether the server it found is.
* The tables are large on busy machines (7 to 80 ms a read), so concurrent questions share one read.
*/
const groups = (part) => part === "" ? [] : part.split(":").map((group) => parseInt(group, 16));
const expandIpv6 = (text) => {
	if (!builtins.net.isIPv6(text)) return void 0;
	let address = text.replace(/%.*$/, "");
	const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
	if (dotted !== null) {
		const [a, b, c, d] = dotted.slice(1).map(Number);
		address = address.slice(0, dotted.index) + (a << 8 | b).toString(16) + ":" + (c << 8 | d).toString(16);
	}
	const [head = "", tail] = address.split("::");
	const left = groups(head);
	const right = tail === void 0 ? [] : groups(tail);
	const middle = Array.from({ length: 8 - left.length - right.length }, () => 0);
	return [
		...left,
		...middle,
		...right
	].flatMap((group) => [group >> 8, group & 255]);
};
const bytesOf = (address) => {
	if (builtins.net.isIPv4(address)) return address.split(".").map(Number);
	const bytes = expandIpv6(address);
	if (bytes === void 0) return void 0;
	return bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255 ? bytes.slice(12) : bytes;
};
const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
/** The kernel prints each 32-bit word of an address as a number of the machine's byte order. */
const tableHex = (bytes) => {
	let hex = "";
	for (let word = 0; word < bytes.length; word += 4) {
		const group = bytes.slice(word, word + 4);
		for (const byte of littleEndian ? group.toReversed() : group) hex += byte.toString(16).padStart(2, "0");
	}
	return hex.toUpperCase();
};
const MAPPED_PREFIX = [
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	255,
	255
];
/** How the address appears in each table; an IPv4 address can be in both, as itself and mapped. */
const forms = (address) => {
	const bytes = bytesOf(address);
	if (bytes === void 0) return void 0;
	return bytes.length === 4 ? {
		tcp: tableHex(bytes),
		tcp6: tableHex([...MAPPED_PREFIX, ...bytes])
	} : { tcp6: tableHex(bytes) };
};
const portHex = (port) => port.toString(16).toUpperCase().padStart(4, "0");
/** Rows whose local address, remote address and state are the given ones. */
const rowsOf = (table, local, remote, state) => {
	const needle = `: ${local} ${remote} ${state} `;
	const rows = [];
	for (let at = table.indexOf(needle); at !== -1; at = table.indexOf(needle, at + 1)) {
		const end = table.indexOf("\n", at);
		const fields = table.slice(at + needle.length, end === -1 ? void 0 : end).trim().split(/\s+/);
		const uid = Number(fields[3]);
		const inode = fields[5];
		if (Number.isInteger(uid) && inode !== void 0) rows.push({
			uid,
			inode
		});
	}
	return rows;
};
const ESTABLISHED = "01";
const LISTEN = "0A";
/** The owner of the far end of a connection that `local` accepted from `remote`, given the tables. */
const peerOwnership = (tables, uid, remote, local) => {
	const far = forms(remote.address);
	const near = forms(local.address);
	if (far === void 0 || near === void 0) return "unknown";
	const farPort = portHex(remote.port);
	const nearPort = portHex(local.port);
	const rows = [...far.tcp !== void 0 && near.tcp !== void 0 ? rowsOf(tables.tcp, `${far.tcp}:${farPort}`, `${near.tcp}:${nearPort}`, ESTABLISHED) : [], ...rowsOf(tables.tcp6, `${far.tcp6}:${farPort}`, `${near.tcp6}:${nearPort}`, ESTABLISHED)].filter((row) => row.inode !== "0");
	if (rows.length === 0) return "unknown";
	return rows.every((row) => row.uid === uid || row.uid === 0) ? "own" : "other";
};
/** The owner of the socket that a connection to `target` would reach, given the tables. */
const listenerOwnership = (tables, uid, target) => {
	const address = forms(target.address);
	if (address === void 0) return "unknown";
	const port = portHex(target.port);
	const at = (hex) => `${hex}:${port}`;
	const any4 = "00000000";
	const any6 = any4.repeat(4);
	const exact = [...address.tcp === void 0 ? [] : rowsOf(tables.tcp, at(address.tcp), `${any4}:0000`, LISTEN), ...rowsOf(tables.tcp6, at(address.tcp6), `${any6}:0000`, LISTEN)];
	const wildcard = [...address.tcp === void 0 ? [] : rowsOf(tables.tcp, at(any4), `${any4}:0000`, LISTEN), ...rowsOf(tables.tcp6, at(any6), `${any6}:0000`, LISTEN)];
	const rows = exact.length > 0 ? exact : wildcard;
	if (rows.length === 0) return "unknown";
	return rows.every((row) => row.uid === uid) ? "own" : "other";
};
var PeerOwner = class PeerOwner extends Service()("credsvc/platform/PeerOwner") {
	/** Reads through `read`, at most one read at a time. */
	static layerTables = (options) => sync(PeerOwner, () => {
		let waiting = [];
		let reading = false;
		const pump = async () => {
			reading = true;
			while (waiting.length > 0) {
				const served = waiting;
				waiting = [];
				const tables = await options.read().catch(() => void 0);
				for (const answer of served) answer(tables);
			}
			reading = false;
		};
		const ask = (question) => callback((resume) => {
			waiting.push((tables) => resume(sync$1(() => tables === void 0 ? "unknown" : question(tables))));
			if (!reading) pump();
		});
		return PeerOwner.of({
			peer: (remote, local) => ask((tables) => peerOwnership(tables, options.uid, remote, local)),
			listener: (target) => ask((tables) => listenerOwnership(tables, options.uid, target))
		});
	});
	static layerUnsupported = succeed$1(PeerOwner, PeerOwner.of({
		peer: () => succeed("unsupported"),
		listener: () => succeed("unsupported")
	}));
	static layer = unwrap(sync$1(() => {
		const uid = process.getuid?.();
		if (process.platform !== "linux" || uid === void 0) return PeerOwner.layerUnsupported;
		return PeerOwner.layerTables({
			uid,
			read: async () => {
				const [tcp, tcp6] = await Promise.all([fs.readFile("/proc/self/net/tcp", "latin1"), fs.readFile("/proc/self/net/tcp6", "latin1").catch(() => "")]);
				return {
					tcp,
					tcp6
				};
			}
		});
	}));
};

export { findAccessKey as a, proofHeader as c, Health as d, NotReady as f, componentNames as g, Whoami as h, ensureAccessKey as i, sameProof as l, Ready as m, clientHeader as n, helloWindow as o, Readiness as p, clientHello as r, isClientHello as s, PeerOwner as t, serverProof as u };