import { a as annotations, ft as status, h as get, i as RequestProblems, p as make, r as ProfileSelection } from "./SchemaProblems-DbdaqDHa.js";
import { J as isPattern, et as optionalKey, w as String } from "./Runtime-CYnC2HYz.js";
import { d as Health, f as NotReady, h as Whoami, m as Ready } from "./PeerOwner-KEOs6sYk.js";

// src/api/SystemGroup.ts
/** The daemon about itself: liveness, readiness, identity. */
var SystemGroup = class extends make("system").add(get("health", "/health", {
	query: { nonce: optionalKey(String.check(isPattern(/^[0-9a-f]{32,128}$/, { expected: "32 to 128 hexadecimal digits" }))) },
	success: Health
}).annotateMerge(annotations({
	identifier: "system.health",
	summary: "Is the process up?",
	description: "Answers whenever the process is up. With `nonce`, the header `Credsvc-Proof` proves that the daemon can read this home directory's access key: a client of the same user checks it before it sends anything."
})), get("ready", "/ready", { success: [Ready, NotReady.pipe(status(503))] }).annotateMerge(annotations({
	identifier: "system.ready",
	summary: "Can it serve credentials?",
	description: "Verifies vault, schema version and provider parsing. 503 when `problems` is not empty; `warnings` never block."
})), get("whoami", "/whoami", { success: Whoami }).middleware(ProfileSelection).annotateMerge(annotations({
	identifier: "system.whoami",
	summary: "Home, profile, identity and key source"
}))).middleware(RequestProblems).annotateMerge(annotations({
	title: "System",
	description: "The daemon about itself."
})) {};

export { SystemGroup as t };