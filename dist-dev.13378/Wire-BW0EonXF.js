import { V as encodeSync } from "./Runtime-CYnC2HYz.js";
import { t as ProviderDetail } from "./ProvidersGroup--AMk6PfO.js";
import { l as Connection } from "./main.js";

// src/cli/Wire.ts
/** Answers of the daemon as their wire form, for `--json`: a secret in them appears as the daemon sent it. */
const connectionDocument = encodeSync(Connection);
/** A definition apart from where it comes from. */
const providerDocument = (detail) => {
	const { overrides_bundled, source, ...definition } = encodeSync(ProviderDetail)(detail);
	return {
		definition,
		source,
		overrides_bundled
	};
};

export { providerDocument as n, connectionDocument as t };