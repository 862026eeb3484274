import { Ss as isNone, _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { u as InvalidRequestError } from "./Errors-CqOgzwWL.js";
import { r as Output } from "./main.js";
import { t as providerName } from "./ProviderArgument-C5ws2v-Y.js";
import { i as sanitize, n as nearest } from "./Text-CNCZ9rIC.js";
import { t as connectionDocument } from "./Wire-BW0EonXF.js";

// src/cli/commands/Get.ts
/** As a script wants it: bare text, a list separated by commas, nothing for null. */
const plain = (value) => {
	if (value === null || value === void 0) return "";
	if (Array.isArray(value)) return value.map(plain).join(",");
	return typeof value === "object" ? JSON.stringify(value) : String(value);
};
const unknownField = (field, known) => {
	const suggestions = nearest(field, known);
	const hint = suggestions.length > 0 ? `Did you mean ${suggestions.join(" or ")}?` : `It has: ${known.join(", ")}.`;
	return InvalidRequestError.of([{
		path: "--field",
		message: `this connection has no field "${sanitize(field).slice(0, 64)}". ${hint}`
	}]);
};
const get = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const provider = yield* providerName(input.provider);
	const document = connectionDocument(yield* client.of(ConnectionsGroup).get({
		params: {
			provider,
			connection: input.connection
		},
		query: input.showSecret ? { reveal: "true" } : {}
	}));
	if (isNone(input.field)) return yield* output.either(() => document, () => output.fields(Object.entries(document).filter(([, value]) => plain(value) !== "").map(([key, value]) => [key, key === "account" ? account(value) : plain(value)]).filter(([, value]) => value !== "")));
	const field = input.field.value;
	if (!Object.hasOwn(document, field)) return yield* unknownField(field, Object.keys(document));
	const value = document[field];
	yield* output.either(() => ({ [field]: value }), () => output.terminal ? sanitize(plain(value)) : plain(value));
}, provideDaemon());
const account = (value) => {
	const { id, label } = value;
	return label === null ? id ?? "" : id === null || id === label ? label : `${label} (${id})`;
};

export { get };