import { f as ShowHelp, m as UnknownSubcommand, n as nearest } from "./Text-CNCZ9rIC.js";
import { _r as fnUntraced } from "./Runtime-CYnC2HYz.js";

// src/cli/commands/Help.ts
/** Leaves the printing to the framework, which does the same for `--help`. */
const help = (tree) => fnUntraced(function* ({ command }) {
	let current = tree();
	const commandPath = [current.name];
	for (const name of command) {
		const commands = current.subcommands.flatMap((group) => group.commands);
		const next = commands.find((each) => each.name === name);
		if (next === void 0) {
			const suggestions = nearest(name, commands.map((each) => each.name));
			return yield* new ShowHelp({
				commandPath,
				errors: [new UnknownSubcommand({
					subcommand: name,
					parent: commandPath,
					suggestions
				})]
			});
		}
		commandPath.push(name);
		current = next;
	}
	return yield* new ShowHelp({
		commandPath,
		errors: []
	});
});

export { help };