import { Jo as isFailure, _r as fnUntraced, ci as succeed, di as suspend, or as die, tr as catchTag, ur as fail } from "./Runtime-CYnC2HYz.js";
import { n as ProvidersGroup } from "./ProvidersGroup--AMk6PfO.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { f as ProviderAlreadyRegisteredError, l as InputCancelledError, u as InvalidRequestError } from "./Errors-CqOgzwWL.js";
import { s as isProviderName } from "./Provider-CVJ_zWyp.js";
import { n as parseStrictJson } from "./SchemaProblems-DbdaqDHa.js";
import { r as Output } from "./main.js";
import { t as confirm } from "./Prompt-DYrdeiz3.js";
import { n as providerDocument } from "./Wire-BW0EonXF.js";
import * as fs from "node:fs";

// src/cli/commands/Register.ts
const maxBytes = 262144;
const refused = (message) => InvalidRequestError.of([{
	path: "<path>",
	message
}]);
/** Opens once and looks at what was opened: a device, a pipe or a huge file is refused before a byte is read (A29). */
const readDefinition = (path) => suspend(() => {
	let fd;
	try {
		fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
	} catch (cause) {
		const { code } = cause;
		return fail(refused(code === "ENOENT" ? `There is no file ${path}` : `${path} cannot be read (${code ?? "unknown error"})`));
	}
	try {
		const stat = fs.fstatSync(fd);
		if (!stat.isFile()) return fail(refused(`${path} is not a regular file`));
		if (stat.size > maxBytes) return fail(refused(`${path} is larger than 256 KiB`));
		const bytes = Buffer.alloc(262145);
		let length = 0;
		for (;;) {
			const read = fs.readSync(fd, bytes, length, bytes.length - length, null);
			length += read;
			if (length > maxBytes) return fail(refused(`${path} is larger than 256 KiB`));
			if (read === 0) return succeed(bytes.toString("utf8", 0, length));
		}
	} catch (cause) {
		return fail(refused(`${path} cannot be read (${cause.code ?? "unknown error"})`));
	} finally {
		fs.closeSync(fd);
	}
});
/** Every host that would receive the credential, or take part in a login. */
const hostsOf = (definition) => {
	const found = /* @__PURE__ */ new Set();
	const visit = (value, key) => {
		if (Array.isArray(value)) for (const each of value) visit(each, key);
		else if (typeof value === "object" && value !== null) for (const [name, each] of Object.entries(value)) visit(each, name);
		else if (typeof value === "string") {
			if (key === "hosts") found.add(value.split("/")[0]);
			else if (![
				"docs_url",
				"credentials_url",
				"$schema"
			].includes(key) && URL.canParse(value)) {
				const { host, protocol } = new URL(value);
				if (/^https?:$/.test(protocol) && host !== "") found.add(host);
			}
		}
	};
	visit(definition, "");
	return [...found].toSorted();
};
const hostDifference = (before, after) => [...before.filter((host) => !after.includes(host)).map((host) => `  - ${host}`), ...after.map((host) => before.includes(host) ? `    ${host}` : `  + ${host}`)];
const register = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const providers = client.of(ProvidersGroup);
	const text = yield* readDefinition(input.path);
	const parsed = parseStrictJson(text);
	if (isFailure(parsed)) return yield* InvalidRequestError.of([parsed.failure]);
	const definition = parsed.success;
	const name = definition?.name;
	const existing = typeof name === "string" && isProviderName(name) ? yield* providers.get({ params: { provider: name } }).pipe(catchTag("ProviderNotFoundError", () => succeed(void 0))) : void 0;
	if (existing !== void 0 && input.yes && !input.force) return yield* ProviderAlreadyRegisteredError.of(String(name));
	const hosts = hostsOf(definition);
	if (existing === void 0) yield* output.note(["Hosts of this provider:", ...hosts.map((host) => `  + ${host}`)].join("\n"));
	else {
		const before = hostsOf(providerDocument(existing).definition);
		yield* output.tell([`${existing.source === "bundled" ? "This overrides the bundled provider" : "This replaces the provider"} ${String(name)}. Its hosts:`, ...hostDifference(before, hosts)].join("\n"));
		if (hosts.some((host) => !before.includes(host))) yield* output.warn("Connections made before are not used with the new hosts: log in again.");
	}
	let force = input.force;
	if (!input.force && !input.yes) {
		if (!output.interactive) return yield* new InputCancelledError({ detail: "There is no terminal to ask on: confirm with --yes, or with --force to replace an existing provider." });
		const question = existing === void 0 ? `Register the provider ${String(name)}?` : `Replace ${String(name)}?`;
		if (!(yield* confirm(question))) return yield* new InputCancelledError({ detail: "Nothing was registered." });
		force = existing !== void 0;
	}
	const registered = yield* providers.register({
		payload: definition,
		query: {
			...force ? { force: "true" } : {},
			...input.allowInsecureLoopback ? { allow_insecure_loopback: "true" } : {}
		}
	});
	const { providers: listed } = yield* providers.list();
	if (!listed.some((each) => each.name === registered.name && each.source === "custom")) return yield* die(/* @__PURE__ */ new Error("the registered provider is not listed"));
	yield* output.either(() => providerDocument(registered), () => `Registered the provider ${registered.name}.`);
}, provideDaemon());

export { register };