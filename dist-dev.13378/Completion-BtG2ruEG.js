import { f as fromCommand, p as generate, r as Output } from "./main.js";
import { _r as fnUntraced } from "./Runtime-CYnC2HYz.js";

// src/cli/commands/Completion.ts
const completion = (tree) => fnUntraced(function* ({ shell }) {
	const output = yield* Output;
	const script = generate("credsvc", shell, fromCommand(tree()));
	yield* output.either(() => ({
		shell,
		script
	}), () => script.trimEnd());
});

export { completion };