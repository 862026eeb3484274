import { $ as optional, $o as Reference, A as Union, Aa as ConsoleRef, D as TaggedError, Ks as withFiber, _r as fnUntraced, cc as hasProperty, co as sync, et as optionalKey, i as ArraySchema, ir as context, l as Defect, n as errorReported, os as getOrUndefined, p as Literal, rs as get, t as errorExitCode, ua as succeed, vs as getOrElse, w as String } from "./Runtime-CYnC2HYz.js";

// node_modules/effect/dist/Console.js
/**
* Context reference for the current console service in the Effect system, allowing access to the active console implementation from within the Effect context.
*
* **When to use**
*
* Use when you need an effect to run against a provided console implementation,
* such as tests or alternate runtimes, rather than the default console.
*
* **Details**
*
* When no override is provided, the reference resolves to `globalThis.console`.
*
* **Example** (Accessing the current console)
*
* ```ts import.meta.vitest
* import { Console, Effect } from "effect"
*
* const messages: Array<unknown> = []
* const testConsole: Console.Console = Object.assign(Object.create(console), {
*   log: (...args: ReadonlyArray<unknown>) => messages.push(...args)
* })
* const program = Console.consoleWith((console) =>
*   Effect.sync(() => {
*     console.log("Hello from current console!")
*   })
* )
*
* Effect.runSync(Effect.provideService(program, Console.Console, testConsole))
* messages // => ["Hello from current console!"]
* ```
*
* @see {@link consoleWith} for using the current console service inside an effect
*
* @stability stable
* @category services
* @since 2.0.0
*/
const Console = ConsoleRef;
/**
* Creates an Effect that provides access to the current console service and lets you perform operations with it within an Effect context.
*
* **Example** (Accessing the current console service)
*
* ```ts import.meta.vitest
* import { Console, Effect } from "effect"
*
* const messages: Array<unknown> = []
* const testConsole: Console.Console = Object.assign(Object.create(console), {
*   log: (...args: ReadonlyArray<unknown>) => messages.push(...args),
*   error: (...args: ReadonlyArray<unknown>) => messages.push(...args)
* })
* const program = Console.consoleWith((console) =>
*   Effect.sync(() => {
*     console.log("Hello, world!")
*     console.error("This is an error message")
*   })
* )
*
* Effect.runSync(Effect.provideService(program, Console.Console, testConsole))
* messages // => ["Hello, world!", "This is an error message"]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const consoleWith = (f) => withFiber((fiber) => f(fiber.getRef(Console)));
/**
* Writes an error-level message to the console, typically displayed with error
* styling by the active console implementation.
*
* **Example** (Writing error messages)
*
* ```ts import.meta.vitest
* import { Console, Effect } from "effect"
*
* const messages: Array<ReadonlyArray<unknown>> = []
* const testConsole: Console.Console = Object.assign(Object.create(console), {
*   error: (...args: ReadonlyArray<unknown>) => messages.push(args)
* })
* const program = Effect.gen(function*() {
*   yield* Console.error("Something went wrong!")
*   yield* Console.error("Error details:", {
*     code: 500,
*     message: "Internal Server Error"
*   })
* })
*
* Effect.runSync(Effect.provideService(program, Console.Console, testConsole))
* const expected = [
*   ["Something went wrong!"],
*   ["Error details:", { code: 500, message: "Internal Server Error" }]
* ]
* messages // => expected
* ```
*
* @stability stable
* @category accessors
* @since 2.0.0
*/
const error = (...args) => consoleWith((console) => sync(() => {
	console.error(...args);
}));
/**
* Logs a general-purpose message to the console.
*
* **Example** (Writing log messages)
*
* ```ts import.meta.vitest
* import { Console, Effect } from "effect"
*
* const messages: Array<ReadonlyArray<unknown>> = []
* const testConsole: Console.Console = Object.assign(Object.create(console), {
*   log: (...args: ReadonlyArray<unknown>) => messages.push(args)
* })
* const program = Effect.gen(function*() {
*   yield* Console.log("Hello, world!")
*   yield* Console.log("User data:", { name: "John", age: 30 })
*   yield* Console.log("Processing", 42, "items")
* })
*
* Effect.runSync(Effect.provideService(program, Console.Console, testConsole))
* const expected = [
*   ["Hello, world!"],
*   ["User data:", { name: "John", age: 30 }],
*   ["Processing", 42, "items"]
* ]
* messages // => expected
* ```
*
* @stability stable
* @category accessors
* @since 2.0.0
*/
const log = (...args) => consoleWith((console) => sync(() => {
	console.log(...args);
}));

// node_modules/effect/dist/cli/internal/ansi.js
/**
* Internal ANSI escape sequence helpers used by the unstable CLI rendering
* implementation. This module centralizes the control codes for text styling,
* cursor movement, line erasing, and terminal notifications so renderers can
* compose terminal output without scattering raw escape sequences throughout
* the CLI internals.
*
* The helpers deliberately work with plain strings because terminal rendering
* is sensitive to ordering: style codes must be reset after annotated text,
* cursor operations must account for one-based terminal coordinates, and line
* clearing usually needs to preserve the cursor position expected by the next
* frame.
*/
const ESC = "\x1B[";
const BEL = "\x07";
const SEP = ";";
/**
* @internal
*/
const reset = `${ESC}0m`;
/**
* @internal
*/
const bold = `${ESC}1m`;
/**
* @internal
*/
const italicized = `${ESC}3m`;
/**
* @internal
*/
const underlined = `${ESC}4m`;
/**
* @internal
*/
const strikethrough = `${ESC}9m`;
/**
* @internal
*/
const cursorShow = `${ESC}?25h`;
/**
* @internal
*/
const cursorHide = `${ESC}?25l`;
/**
* @internal
*/
const cursorLeft = `${ESC}G`;
/**
* @internal
*/
const cursorSavePosition = `${ESC}s`;
/**
* @internal
*/
const cursorRestorePosition = `${ESC}u`;
/**
* @internal
*/
const eraseLine = `${ESC}2K`;
/**
* @internal
*/
const beep = BEL;
/**
* @internal
*/
const red = `${ESC}31m`;
/**
* @internal
*/
const green = `${ESC}32m`;
/**
* @internal
*/
const magenta = `${ESC}35m`;
/**
* @internal
*/
const white = `${ESC}37m`;
/**
* @internal
*/
const blackBright = `${ESC}90m`;
/**
* @internal
*/
const cyanBright = `${ESC}96m`;
/**
* Wraps `text` in the given styles followed by a reset. When `colors` is
* `false` the text is returned unchanged, so callers gate color and style
* escapes in one place while cursor and erase controls stay untouched.
*
* @internal
*/
const annotate = (colors, text, ...styles) => {
	if (!colors) return text;
	return `${styles.flat().join("")}${text}${reset}`;
};
/**
* Detects whether CLI output should use color and style escapes: stdout must
* be a TTY and `NO_COLOR` must be unset or empty.
*
* @internal
*/
const detectColors = () => {
	const globalProcess = globalThis.process;
	return typeof globalProcess === "object" && globalProcess !== null && typeof globalProcess.stdout === "object" && globalProcess.stdout !== null && globalProcess.stdout.isTTY === true && !globalProcess.env?.NO_COLOR;
};
const combine = (...styles) => styles;
/**
* @internal
*/
const cursorTo = (column, row) => {
	if (row === void 0) return `${ESC}${Math.max(column + 1, 0)}G`;
	return `${ESC}${row + 1}${SEP}${Math.max(column + 1, 0)}H`;
};
/**
* @internal
*/
const cursorDown = (lines = 1) => {
	return `${ESC}${lines}B`;
};
/**
* @internal
*/
const cursorMove = (column, row = 0) => {
	let command = "";
	if (row < 0) command += `${ESC}${-row}A`;
	if (row > 0) command += `${ESC}${row}B`;
	if (column > 0) command += `${ESC}${column}C`;
	if (column < 0) command += `${ESC}${-column}D`;
	return command;
};
/**
* @internal
*/
const eraseLines = (rows) => {
	let command = "";
	for (let i = 0; i < rows; i++) command += `${ESC}2K` + (i < rows - 1 ? `${ESC}1A` : "");
	if (rows > 0) command += `${ESC}G`;
	return command;
};

// node_modules/effect/dist/cli/TerminalCapabilities.js
/**
* Reference to the terminal capabilities of the current process.
*
* **When to use**
*
* Use when application output should share the built-in help, version, and
* error output's answer. Provide `layer` to detect through
* `ConfigProvider` and `Stdio`, or provide a value to override detection.
*
* **Details**
*
* The default is detected from the current process the first time it is
* read, so later changes to the environment do not affect it. Without a
* `process` global, every flag is `false`.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const TerminalCapabilities = /*#__PURE__*/ Reference("effect/cli/TerminalCapabilities", { defaultValue: () => fromProcess() });
const isPresent = (value) => value !== void 0 && value.length > 0;
const isForcingColor = (value) => isPresent(value) && value !== "0" && value.toLowerCase() !== "false";
const detect = (input) => {
	if (input.term === "dumb") return {
		canColor: false,
		canAnimate: false,
		canPrompt: false
	};
	return {
		canColor: !isPresent(input.noColor) && (isForcingColor(input.forceColor) || input.stdoutIsTerminal),
		canAnimate: input.stdoutIsTerminal,
		canPrompt: input.stdinIsTerminal && input.stdoutIsTerminal
	};
};
const fromProcess = () => {
	const process = globalThis.process;
	return detect({
		noColor: process?.env?.NO_COLOR,
		forceColor: process?.env?.FORCE_COLOR,
		term: process?.env?.TERM,
		stdinIsTerminal: process?.stdin?.isTTY === true,
		stdoutIsTerminal: process?.stdout?.isTTY === true
	});
};

// node_modules/effect/dist/cli/CliOutput.js
/**
* Formats and presents CLI help, errors, and version information.
*
* The `Formatter` service turns help documents, errors, and version
* information into strings. The `Presenter` service decides where the built-in
* help, version, and invalid-invocation output of `Command.runWith` is written,
* and can be replaced to suppress or redirect it.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Service reference for the CLI output formatter. Provides a default implementation
* that can be overridden for custom formatting or testing.
*
* **Example** (Accessing the output formatter)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { CliOutput } from "effect/cli"
*
* // Access the formatter service
* const program = Effect.gen(function*() {
*   const formatter = yield* CliOutput.Formatter
*
*   // Format version information
*   return formatter.formatVersion("my-cli", "2.1.0")
* })
*
* // Run with default formatter
* await Effect.runPromise(program.pipe(
*   Effect.provide(CliOutput.layer(CliOutput.defaultFormatter({ colors: false })))
* )) // => "my-cli v2.1.0"
* ```
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Formatter = /*#__PURE__*/ Reference("effect/cli/CliOutput", { defaultValue: () => defaultFormatter() });
/**
* Default presenter that renders events with the current `Formatter` and
* writes them with `Console`.
*
* **Details**
*
* Help and version output goes to `Console.log`. Invalid invocations write
* help to `Console.log` and errors to `Console.error`. When no `Formatter` is
* installed, the default formatter colors output when `TerminalCapabilities`
* says it can.
*
* @see {@link Presenter} for replacing the default output
* @stability unstable
* @category defaults
* @since 4.0.0
*/
const defaultPresenter = { present: /*#__PURE__*/ fnUntraced(function* (event) {
	const context$1 = yield* context();
	const formatter = getOrUndefined(context$1, Formatter) ?? defaultFormatter({ colors: get(context$1, TerminalCapabilities).canColor });
	switch (event._tag) {
		case "Help": return yield* log(formatter.formatHelpDoc(event.helpDoc));
		case "InvalidInvocation":
			yield* log(formatter.formatHelpDoc(event.helpDoc));
			return yield* error(formatter.formatErrors(event.errors));
		case "Version": return yield* log(formatter.formatVersion(event.name, event.version));
	}
}) };
/**
* Service reference for the CLI output presenter. Defaults to
* `defaultPresenter`.
*
* @see {@link layerPresenter} for providing a custom presenter
* @stability unstable
* @category services
* @since 4.0.0
*/
const Presenter = /*#__PURE__*/ Reference("effect/cli/CliOutput/Presenter", { defaultValue: () => defaultPresenter });
/**
* Creates a Layer that provides a custom Presenter implementation.
*
* @see {@link Presenter} for the events a presenter receives
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerPresenter = (presenter) => succeed(Presenter)(presenter);
const escapeControlCharacters = (text) => text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
/**
* Creates a default formatter with configurable options.
*
* **Details**
*
* - `colors`: force ANSI colors on or off. Defaults to terminal detection.
* - `inheritedFlags`: how subcommand help renders flags inherited from
*   ancestor commands. `"full"` (default) lists them under `INHERITED FLAGS`,
*   `"summary"` replaces the section with a pointer to the parent command's
*   help, and `"none"` omits it.
* - `globalFlags`: the same choice for `GLOBAL FLAGS`, with the summary
*   pointing at the help of the nearest command that declares global flags
*   (the root command for built-in flags). Commands that declare global flags
*   always list them in full.
*
* **Gotchas**
*
* Per-flag filtering in a custom formatter matches names, not flag identities.
* Renaming a flag without updating the filter silently stops it from matching.
*
* **Example** (Creating default formatters)
*
* ```ts import.meta.vitest
* import { CliError, CliOutput } from "effect/cli"
*
* // Create a formatter without colors for tests or CI environments
* const noColorFormatter = CliOutput.defaultFormatter({ colors: false })
*
* // Create a formatter with colors forced on
* const colorFormatter = CliOutput.defaultFormatter({ colors: true })
*
* // Auto-detect colors based on terminal support (default behavior)
* const autoFormatter = CliOutput.defaultFormatter()
*
* // Point subcommand help at the declaring scope for global flags
* const compactFormatter = CliOutput.defaultFormatter({ globalFlags: "summary" })
*
* const error = new CliError.InvalidValue({
*   option: "foo",
*   value: "bar",
*   expected: "baz",
*   kind: "flag"
* })
*
* noColorFormatter.formatError(error).includes("Invalid value") // => true
* colorFormatter.formatVersion("my-tool", "1.2.3").includes("my-tool") // => true
* autoFormatter.formatVersion("my-tool", "1.2.3").includes("1.2.3") // => true
* compactFormatter.formatVersion("my-tool", "1.2.3").includes("my-tool") // => true
* ```
*
* **Example** (Hiding one inherited flag)
*
* Filter only `inheritedFlags` to keep `--profile` visible on its declaring
* command while hiding it on descendants. Other inherited flags still render.
*
* ```ts import.meta.vitest
* import { Context, Effect, Option } from "effect"
* import { CliOutput } from "effect/cli"
*
* const base = CliOutput.defaultFormatter({ colors: false })
* const formatter: CliOutput.Formatter = {
*   ...base,
*   formatHelpDoc: (doc) =>
*     base.formatHelpDoc({
*       ...doc,
*       inheritedFlags: doc.inheritedFlags?.filter((flag) => flag.name !== "profile")
*     })
* }
*
* const program = Effect.gen(function*() {
*   const output = yield* CliOutput.Formatter
*   return output.formatHelpDoc({
*     description: "Deploy the application",
*     usage: "app deploy",
*     annotations: Context.empty(),
*     flags: [],
*     inheritedFlags: ["profile", "region"].map((name) => ({
*       name,
*       aliases: [],
*       type: "string",
*       description: Option.none(),
*       required: false
*     }))
*   })
* }).pipe(Effect.provide(CliOutput.layer(formatter)))
*
* const help = await Effect.runPromise(program)
* help.includes("--profile") // => false
* help.includes("--region") // => true
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const defaultFormatter = (options) => {
	const useColor = options?.colors ?? detectColors();
	const helpOptions = {
		inheritedFlags: options?.inheritedFlags ?? "full",
		globalFlags: options?.globalFlags ?? "full"
	};
	const colors = useColor ? {
		bold: (text) => `\x1b[1m${text}\x1b[0m`,
		dim: (text) => `\x1b[2m${text}\x1b[0m`,
		cyan: (text) => `\x1b[36m${text}\x1b[0m`,
		green: (text) => `\x1b[32m${text}\x1b[0m`,
		blue: (text) => `\x1b[34m${text}\x1b[0m`,
		yellow: (text) => `\x1b[33m${text}\x1b[0m`,
		magenta: (text) => `\x1b[35m${text}\x1b[0m`
	} : {
		bold: (text) => text,
		dim: (text) => text,
		cyan: (text) => text,
		green: (text) => text,
		blue: (text) => text,
		yellow: (text) => text,
		magenta: (text) => text
	};
	const reset = useColor ? "\x1B[0m" : "";
	const red = useColor ? "\x1B[31m" : "";
	const bold = useColor ? "\x1B[1m" : "";
	return {
		formatHelpDoc: (doc) => formatHelpDocImpl(doc, colors, helpOptions),
		formatCliError: (error) => escapeControlCharacters(error.message),
		formatError: (error) => {
			return `\n${bold}${red}ERROR${reset}\n  ${escapeControlCharacters(error.message)}${reset}`;
		},
		formatErrors: (errors) => {
			if (errors.length === 0) return "";
			if (errors.length === 1) return `\n${bold}${red}ERROR${reset}\n  ${escapeControlCharacters(errors[0].message)}${reset}`;
			const grouped = /* @__PURE__ */ new Map();
			for (const error of errors) {
				const tag = error._tag ?? "Error";
				const group = grouped.get(tag) ?? [];
				group.push(error);
				grouped.set(tag, group);
			}
			const sections = [];
			sections.push(`\n${bold}${red}ERRORS${reset}`);
			for (const [, group] of grouped) for (const error of group) sections.push(`  ${escapeControlCharacters(error.message)}${reset}`);
			return sections.join("\n");
		},
		formatVersion: (name, version) => `${colors.bold(name)} ${colors.dim("v")}${colors.bold(version)}`
	};
};
/**
* Strips ANSI escape codes from a string to calculate visual width.
* @internal
*/
const stripAnsi = (text) => {
	return text.replace(/\u001B\[[0-9;]*m/g, "");
};
/**
* Segments text into grapheme clusters.
* @internal
*/
const graphemeSegmenter = /*#__PURE__*/ new Intl.Segmenter(void 0, { granularity: "grapheme" });
const zeroWidthCodePoints = /[\p{Mark}\p{Control}\p{Default_Ignorable_Code_Point}]/gu;
const emojiPresentation = /\p{Emoji_Presentation}/u;
const isFullWidthCodePoint = (codePoint) => {
	if (codePoint < 4352) return false;
	return codePoint <= 4447 || codePoint === 9001 || codePoint === 9002 || codePoint >= 11904 && codePoint <= 12350 || codePoint >= 12352 && codePoint <= 42191 || codePoint >= 44032 && codePoint <= 55203 || codePoint >= 63744 && codePoint <= 64255 || codePoint >= 65040 && codePoint <= 65049 || codePoint >= 65072 && codePoint <= 65135 || codePoint >= 65280 && codePoint <= 65376 || codePoint >= 65504 && codePoint <= 65510 || codePoint >= 110592 && codePoint <= 111359 || codePoint >= 127488 && codePoint <= 127569 || codePoint >= 131072 && codePoint <= 262141;
};
const graphemeWidth = (grapheme) => {
	const visible = grapheme.replace(zeroWidthCodePoints, "");
	if (visible.length === 0) return 0;
	if (emojiPresentation.test(grapheme) || grapheme.includes("️")) return 2;
	return isFullWidthCodePoint(visible.codePointAt(0)) ? 2 : 1;
};
/**
* Measures the number of terminal cells a string occupies.
*
* **Details**
*
* Uses the same measurement as built-in help and table rendering. ANSI styling
* is stripped before measuring graphemes: zero-width graphemes count as `0`,
* emoji presentation sequences and fullwidth characters as `2`, and other
* graphemes as `1`.
*
* **Example** (Measuring terminal-cell widths)
*
* ```ts import.meta.vitest
* import { CliOutput } from "effect/cli"
*
* CliOutput.displayWidth("file") // => 4
* CliOutput.displayWidth("ファイル") // => 8
* CliOutput.displayWidth("é") // => 1
* CliOutput.displayWidth("1️⃣") // => 2
* CliOutput.displayWidth("\u001B[1mbold\u001B[0m") // => 4
* ```
*
* @stability unstable
* @category measuring
* @since 4.0.3
*/
const displayWidth = (text) => {
	let length = 0;
	for (const { segment } of graphemeSegmenter.segment(stripAnsi(text))) length += graphemeWidth(segment);
	return length;
};
/**
* Helper function to pad strings to a specified width.
* @internal
*/
const pad = (s, width) => {
	const actualLength = displayWidth(s);
	const padding = Math.max(0, width - actualLength);
	return s + " ".repeat(padding);
};
/**
* Renders a table with aligned columns.
* @internal
*/
const renderTable = (rows, widthCap) => {
	const maxColumn = Math.max(...rows.map((r) => displayWidth(r.left))) + 4;
	const col = widthCap === void 0 ? maxColumn : Math.min(maxColumn, widthCap);
	return rows.map(({ left, right }) => `  ${pad(left, Math.max(col, displayWidth(left) + 1))}${right}`).join("\n");
};
const formatSubcommandName = (name, alias) => alias ? `${name}, ${alias}` : name;
/**
* Internal implementation of help formatting that accepts configurable color functions.
* @internal
*/
const formatHelpDocImpl = (doc, colors, options) => {
	const sections = [];
	if (doc.description) {
		sections.push(colors.bold("DESCRIPTION"));
		sections.push(`  ${doc.description}`);
		sections.push("");
	}
	sections.push(colors.bold("USAGE"));
	sections.push(`  ${colors.cyan(doc.usage)}`);
	sections.push("");
	if (doc.args && doc.args.length > 0) {
		sections.push(colors.bold("ARGUMENTS"));
		const argRows = doc.args.map((arg) => {
			let name = arg.name;
			if (arg.variadic) name += "...";
			const nameType = `${colors.green(name)} ${colors.dim(arg.type)}`;
			const optionalSuffix = arg.required ? "" : colors.dim(" (optional)");
			return {
				left: nameType,
				right: getOrElse(arg.description, () => "") + optionalSuffix
			};
		});
		sections.push(renderTable(argRows, 25));
		sections.push("");
	}
	const renderFlags = (title, flags) => {
		sections.push(colors.bold(title));
		sections.push(renderTable(flags.map((flag) => {
			return {
				left: [`--${flag.name}`, ...flag.aliases].map(colors.green).join(", ") + (flag.type !== "boolean" ? ` ${colors.dim(flag.type)}` : ""),
				right: getOrElse(flag.description, () => "")
			};
		})));
		sections.push("");
	};
	const summaries = [];
	const renderFlagSection = (title, flags, mode, summaryPath) => {
		if (!flags || flags.length === 0 || mode === "none") return;
		if (mode === "summary" && summaryPath && summaryPath.length > 0) summaries.push(`Run '${summaryPath.join(" ")} --help' for ${title.toLowerCase()}`);
		else renderFlags(title, flags);
	};
	if (doc.flags.length > 0) renderFlags("FLAGS", doc.flags);
	const commandPath = doc.commandPath;
	renderFlagSection("INHERITED FLAGS", doc.inheritedFlags, options.inheritedFlags, commandPath?.slice(0, -1));
	const globalFlagsScope = doc.globalFlagsScope ?? commandPath?.slice(0, 1);
	const declaresGlobalFlags = commandPath === void 0 || globalFlagsScope?.length === commandPath.length;
	renderFlagSection("GLOBAL FLAGS", doc.globalFlags, declaresGlobalFlags ? "full" : options.globalFlags, globalFlagsScope);
	if (summaries.length > 0) sections.push(...summaries, "");
	if (doc.subcommands && doc.subcommands.length > 0) {
		const ungrouped = doc.subcommands.find((group) => group.group === void 0);
		if (ungrouped) {
			sections.push(colors.bold("SUBCOMMANDS"));
			sections.push(renderTable(ungrouped.commands.map((sub) => ({
				left: colors.cyan(formatSubcommandName(sub.name, sub.alias)),
				right: sub.shortDescription ?? sub.description
			})), 20));
			if (doc.subcommands.length > 1) sections.push("");
		}
		for (const group of doc.subcommands) {
			if (group.group === void 0) continue;
			sections.push(colors.bold(`${group.group}:`));
			sections.push(renderTable(group.commands.map((sub) => ({
				left: colors.cyan(formatSubcommandName(sub.name, sub.alias)),
				right: sub.shortDescription ?? sub.description
			})), 20));
			sections.push("");
		}
	}
	if (doc.examples && doc.examples.length > 0) {
		sections.push(colors.bold("EXAMPLES"));
		let first = true;
		let previousHadDescription = false;
		for (const example of doc.examples) {
			if (example.description) {
				if (!first) sections.push("");
				sections.push(`  ${colors.dim(`# ${example.description}`)}`);
			} else if (previousHadDescription) sections.push("");
			sections.push(`  ${colors.cyan(example.command)}`);
			first = false;
			previousHadDescription = !!example.description;
		}
		sections.push("");
	}
	if (sections[sections.length - 1] === "") sections.pop();
	return sections.join("\n");
};

// node_modules/effect/dist/cli/CliError.js
/**
* Defines structured errors for the unstable CLI parser and runner.
*
* CLI errors describe problems such as unknown or duplicate flags, missing
* flags or arguments, unexpected positional arguments, invalid values, unknown
* subcommands, rejected input combinations, user handler failures, and
* requests to show command help. This module includes the `CliError` union,
* the `isCliError` guard, the `userMessage` annotation for rendering handler
* failures, schema-backed error classes with display messages, and the
* `NonShowHelpErrors` union used when parse or validation errors should be
* shown with help output.
*
* @stability unstable
* @since 4.0.0
*/
/**
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId = "~effect/cli/CliError";
/**
* Type guard to check if a value is a CLI error.
*
* **Example** (Checking CLI errors)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { CliError } from "effect/cli"
*
* const error = new CliError.MissingOption({ option: "api-key" })
* const program = CliError.isCliError(error)
*   ? Effect.succeed(error.message)
*   : Effect.fail("Unknown error")
*
* await Effect.runPromise(program) // => "Missing required flag: --api-key"
* ```
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isCliError = (u) => hasProperty(u, TypeId);
/**
* Defines the runtime property key used to give an object error a user-facing
* message.
*
* **When to use**
*
* Use when a handler fails with a domain error that should be shown to the
* user without wrapping it in {@link UserError}.
*
* **Details**
*
* When a handler failure has a string `[CliError.userMessage]`, `Command.run`
* renders it with the installed formatter, sets `Runtime.errorReported` to
* `false`, and rethrows the original error, so its tag is preserved. The
* global `Error` interface declares this key as an optional string.
*
* **Example** (Rendering a tagged handler failure)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { CliError } from "effect/cli"
*
* class Occupied extends Schema.TaggedError<Occupied>()("Occupied", {
*   path: Schema.String
* }) {
*   override get [CliError.userMessage]() {
*     return `${this.path} already exists`
*   }
* }
*
* const error = new Occupied({ path: "config.yaml" })
* CliError.getUserMessage(error) // => "config.yaml already exists"
* ```
*
* @see {@link getUserMessage} for reading the message stored under this key
*
* @stability unstable
* @category annotations
* @since 4.0.0
*/
const userMessage = "~effect/cli/CliError/userMessage";
/**
* Reads the `CliError.userMessage` annotation from an error object, returning
* `undefined` when it is unset or not a string.
*
* @see {@link userMessage} for the annotation key this getter reads
*
* @stability unstable
* @category annotations
* @since 4.0.0
*/
const getUserMessage = (error) => "~effect/cli/CliError/userMessage" in error && typeof error["~effect/cli/CliError/userMessage"] === "string" ? error[userMessage] : void 0;
/**
* Error thrown when an unrecognized option is encountered.
*
* **Example** (Creating unrecognized option errors)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { CliError } from "effect/cli"
*
* // Creating an unrecognized option error
* const unrecognizedError = new CliError.UnrecognizedOption({
*   option: "--unknown-flag",
*   command: ["deploy", "production"],
*   suggestions: ["--verbose", "--force"]
* })
*
* unrecognizedError._tag // => "UnrecognizedOption"
* unrecognizedError.option // => "--unknown-flag"
* unrecognizedError.command // => ["deploy", "production"]
*
* // In CLI parsing context
* const parseCommand = Effect.gen(function*() {
*   // If parsing encounters unknown flag
*   return yield* unrecognizedError
* })
*
* const parseError = await Effect.runPromise(Effect.flip(parseCommand))
* parseError._tag // => "UnrecognizedOption"
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var UnrecognizedOption = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/UnrecognizedOption`)("UnrecognizedOption", {
	option: String,
	command: /*#__PURE__*/ optional(/*#__PURE__*/ ArraySchema(String)),
	suggestions: /*#__PURE__*/ ArraySchema(String)
})) {
	/**
	* Marks this value as a CLI parsing error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Formats the unrecognized option with command context and suggestions.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		const suggestionText = this.suggestions.length > 0 ? `\n\n  Did you mean this?\n    ${this.suggestions.join("\n    ")}` : "";
		return (this.command ? `Unrecognized flag: ${this.option} in command ${this.command.join(" ")}` : `Unrecognized flag: ${this.option}`) + suggestionText;
	}
};
/**
* Error thrown when duplicate option names are detected between parent and child commands.
*
* **Example** (Creating duplicate option errors)
*
* ```ts import.meta.vitest
* import { CliError } from "effect/cli"
*
* const duplicateError = new CliError.DuplicateOption({
*   option: "--verbose",
*   parentCommand: "myapp",
*   childCommand: "deploy"
* })
*
* duplicateError._tag // => "DuplicateOption"
* duplicateError.option // => "--verbose"
* duplicateError.parentCommand // => "myapp"
* duplicateError.childCommand // => "deploy"
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var DuplicateOption = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/DuplicateOption`)("DuplicateOption", {
	option: String,
	parentCommand: String,
	childCommand: String
})) {
	/**
	* Marks this value as a CLI configuration error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Explains which parent and child commands define the duplicate option.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return `Duplicate flag name "${this.option}" in parent command "${this.parentCommand}" and subcommand "${this.childCommand}". Parent will always claim this flag (Mode A semantics). Consider renaming one of them to avoid confusion.`;
	}
};
/**
* Error thrown when a required option is missing.
*
* **Example** (Creating missing option errors)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { CliError } from "effect/cli"
*
* const missingOptionError = new CliError.MissingOption({
*   option: "api-key"
* })
*
* const details = [missingOptionError._tag, missingOptionError.option] // => ["MissingOption", "api-key"]
*
* // In validation context
* const validateRequiredOptions = (options: Record<string, string | undefined>) =>
*   Effect.gen(function*() {
*     const apiKey = options["api-key"]
*     if (!apiKey) {
*       return yield* missingOptionError
*     }
*     return apiKey
*   })
*
* const validationError = await Effect.runPromise(Effect.flip(validateRequiredOptions({})))
* validationError._tag // => "MissingOption"
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var MissingOption = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/MissingOption`)("MissingOption", { option: String })) {
	/**
	* Marks this value as a missing CLI option error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Formats the missing required flag for display.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return `Missing required flag: --${this.option}`;
	}
};
/**
* Error thrown when a required positional argument is missing.
*
* **Example** (Creating missing argument errors)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { CliError } from "effect/cli"
*
* const missingArgError = new CliError.MissingArgument({
*   argument: "target"
* })
*
* const details = [missingArgError._tag, missingArgError.argument] // => ["MissingArgument", "target"]
*
* // In argument parsing
* const parseArguments = (args: Array<string>) =>
*   Effect.gen(function*() {
*     if (args.length === 0) {
*       return yield* missingArgError
*     }
*     return args[0]
*   })
*
* const parseError = await Effect.runPromise(Effect.flip(parseArguments([])))
* parseError._tag // => "MissingArgument"
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var MissingArgument = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/MissingArgument`)("MissingArgument", { argument: String })) {
	/**
	* Marks this value as a missing CLI argument error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Formats the missing required positional argument for display.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return `Missing required argument: ${this.argument}`;
	}
};
/**
* Error thrown when positional arguments remain after a command has parsed all
* of its parameters.
*
* **Example** (Reporting unexpected arguments)
*
* ```ts import.meta.vitest
* import { CliError } from "effect/cli"
*
* const error = new CliError.UnexpectedArgument({
*   arguments: ["extra.txt"]
* })
*
* const details = [error._tag, error.arguments] // => ["UnexpectedArgument", ["extra.txt"]]
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var UnexpectedArgument = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/UnexpectedArgument`)("UnexpectedArgument", { arguments: /*#__PURE__*/ ArraySchema(String) })) {
	/**
	* Marks this value as an unexpected CLI argument error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Formats the unexpected positional arguments for display.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return `Unexpected positional ${this.arguments.length === 1 ? "argument" : "arguments"}: ${this.arguments.map((value) => JSON.stringify(value)).join(", ")}`;
	}
};
/**
* Error thrown when an option or argument value is invalid.
*
* **Example** (Creating invalid value errors)
*
* ```ts import.meta.vitest
* import { CliError } from "effect/cli"
*
* const invalidValueError = new CliError.InvalidValue({
*   option: "port",
*   value: "abc123",
*   expected: "integer between 1 and 65535",
*   kind: "flag"
* })
*
* invalidValueError._tag // => "InvalidValue"
* invalidValueError.kind // => "flag"
* invalidValueError.option // => "port"
* invalidValueError.value // => "abc123"
*
* // For positional arguments
* const invalidArgError = new CliError.InvalidValue({
*   option: "count",
*   value: "abc",
*   expected: "integer",
*   kind: "argument"
* })
*
* const details = [invalidArgError.kind, invalidArgError.option, invalidArgError.value] // => ["argument", "count", "abc"]
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var InvalidValue = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/InvalidValue`)("InvalidValue", {
	option: String,
	value: String,
	expected: String,
	kind: /*#__PURE__*/ Union([/*#__PURE__*/ Literal("flag"), /*#__PURE__*/ Literal("argument")])
})) {
	/**
	* Marks this value as an invalid CLI value error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Formats the invalid flag or argument value with the expected input.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		const expectation = this.expected.startsWith("Expected ") || this.expected.startsWith("Expected:") ? this.expected : `Expected: ${this.expected}`;
		if (this.kind === "argument") return `Invalid value for argument <${this.option}>: "${this.value}". ${expectation}`;
		if (this.value.length === 0) return `Missing value for flag --${this.option}. ${expectation}`;
		return `Invalid value for flag --${this.option}: "${this.value}". ${expectation}`;
	}
};
/**
* Error thrown when an unknown subcommand is encountered.
*
* **Example** (Creating unknown subcommand errors)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { CliError } from "effect/cli"
*
* const unknownSubcommandError = new CliError.UnknownSubcommand({
*   subcommand: "deplyo", // typo
*   parent: ["myapp"],
*   suggestions: ["deploy", "destroy"]
* })
*
* unknownSubcommandError._tag // => "UnknownSubcommand"
* unknownSubcommandError.subcommand // => "deplyo"
* unknownSubcommandError.parent // => ["myapp"]
*
* // In subcommand parsing
* const parseSubcommand = (subcommand: string) =>
*   Effect.gen(function*() {
*     const validCommands = ["deploy", "destroy", "status"]
*     if (!validCommands.includes(subcommand)) {
*       return yield* unknownSubcommandError
*     }
*     return subcommand
*   })
*
* const parseError = await Effect.runPromise(Effect.flip(parseSubcommand("deplyo")))
* parseError._tag // => "UnknownSubcommand"
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var UnknownSubcommand = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/UnknownSubcommand`)("UnknownSubcommand", {
	subcommand: String,
	parent: /*#__PURE__*/ optional(/*#__PURE__*/ ArraySchema(String)),
	suggestions: /*#__PURE__*/ ArraySchema(String)
})) {
	/**
	* Marks this value as an unknown CLI subcommand error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Formats the unknown subcommand with parent command context and suggestions.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		const suggestionText = this.suggestions.length > 0 ? `\n\n  Did you mean this?\n    ${this.suggestions.join("\n    ")}` : "";
		return this.parent ? `Unknown subcommand "${this.subcommand}" for "${this.parent.join(" ")}"${suggestionText}` : `Unknown subcommand "${this.subcommand}"${suggestionText}`;
	}
};
/**
* Error for parsed input that fails a rule of your own, such as two flags
* that cannot be used together.
*
* **Details**
*
* Fail with it from `Command.validate`, `Flag.mapEffect` or
* `Argument.mapEffect`. The runner shows it with the command help, like any
* other parse error. Handlers report their own failures with `UserError`.
*
* **Example** (Rejecting a flag combination)
*
* ```ts import.meta.vitest
* import { CliError } from "effect/cli"
*
* const error = new CliError.ValidationError({
*   message: "--use-api and --use-docker are mutually exclusive"
* })
*
* error._tag // => "ValidationError"
* error.message // => "--use-api and --use-docker are mutually exclusive"
* ```
*
* @stability unstable
* @category errors
* @since 4.1.0
*/
var ValidationError = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/ValidationError`)("ValidationError", { message: String })) {
	/**
	* Marks this value as a CLI validation error for runtime guards.
	*
	* @stability unstable
	* @since 4.1.0
	*/
	[TypeId] = TypeId;
};
/**
* Error wrapper for user handler failures in the CLI error channel.
*
* **Details**
*
* `userMessage` can provide safe, user-facing text independently of the
* underlying cause. When omitted or empty, `message` uses a non-empty string
* cause or `Error.message`, then falls back to `"An error occurred"`.
*
* **Example** (Wrapping user errors)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { CliError } from "effect/cli"
*
* // Wrapping user errors
* const userError = new CliError.UserError({
*   cause: new Error("Database connection failed for postgres://localhost"),
*   userMessage: "Could not connect to the database"
* })
*
* // In command handler
* const deployCommand = Effect.gen(function*() {
*   const result = yield* Effect.try({
*     try: () => ({ deployed: true }),
*     catch: (error) => new CliError.UserError({ cause: error })
*   })
*   return result
* })
*
* // In error handling
* const handleError = (error: CliError.CliError): Effect.Effect<number> => {
*   if (error._tag === "UserError") {
*     return Effect.succeed(1) // Exit code 1
*   }
*   return Effect.succeed(0)
* }
*
* await Effect.runPromise(deployCommand) // => { deployed: true }
* await Effect.runPromise(handleError(userError)) // => 1
* ```
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var UserError = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/UserError`)("UserError", {
	cause: /*#__PURE__*/ Defect(),
	userMessage: /*#__PURE__*/ optionalKey(String)
})) {
	/**
	* Marks this value as a user handler error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId] = TypeId;
	/**
	* Controls whether the runtime logger should report this error. The CLI
	* runner sets this to `false` after rendering the error itself.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[errorReported] = true;
	/**
	* Returns the explicit user-facing message or a safe fallback from `cause`.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		if (this.userMessage) return this.userMessage;
		if (typeof this.cause === "string" && this.cause) return this.cause;
		if (this.cause instanceof Error && this.cause.message) return this.cause.message;
		return "An error occurred";
	}
	/**
	* Exposes `message` as the user-facing message rendered by `Command.run`.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get [userMessage]() {
		return this.message;
	}
};
/**
* Schema for concrete CLI errors that can be reported together with help output.
*
* **Details**
*
* This excludes `ShowHelp` itself, allowing parse and validation errors to be
* stored in `ShowHelp.errors` without nesting another help-control value.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const NonShowHelpErrors = /*#__PURE__*/ Union([
	UnrecognizedOption,
	DuplicateOption,
	MissingOption,
	MissingArgument,
	UnexpectedArgument,
	InvalidValue,
	UnknownSubcommand,
	ValidationError,
	UserError
]);
/**
* Error data requesting CLI help rendering for a command path.
*
* **Details**
*
* It is used for explicit help requests and for parse or validation failures
* that should be shown with help text. When `errors` is non-empty, the runtime
* exit code is `1`; otherwise it is `0`.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var ShowHelp = class extends (/*#__PURE__*/ TaggedError(`${TypeId}/ShowHelp`)("ShowHelp", {
	commandPath: /*#__PURE__*/ ArraySchema(String),
	errors: /*#__PURE__*/ ArraySchema(NonShowHelpErrors)
})) {
	[TypeId] = TypeId;
	[errorExitCode] = this.errors.length ? 1 : 0;
	[errorReported] = false;
	get message() {
		return "Help requested";
	}
};

// src/cli/Text.ts
/** Strings from outside, made safe for a terminal and laid out in its width. */
const invisible = "\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ufeff";
const unsafe = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${invisible}]`, "g");
const unescaped = new RegExp(`[\\u007f-\\u009f${invisible}]`, "g");
/** Takes out control characters except newline and tab, and bidirectional overrides (A15). */
const sanitize = (text) => text.replace(unsafe, "");
/** The same, on one line. */
const sanitizeLine = (text) => sanitize(text.replace(/[\n\t\r]+/g, " "));
/** One JSON document that is safe for a terminal too. */
const toJson = (value) => JSON.stringify(value, null, 2).replace(unescaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
const codes = {
	bold: 1,
	dim: 2,
	red: 31,
	green: 32,
	yellow: 33,
	cyan: 36
};
const painter = (colors) => (style, text) => colors && style !== void 0 && text !== "" ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;
const cut = (text, width) => {
	if (displayWidth(text) <= width) return text;
	let kept = "";
	for (const { segment } of new Intl.Segmenter().segment(text)) {
		if (displayWidth(kept + segment) > width - 1) break;
		kept += segment;
	}
	return `${kept}…`;
};
const gap = 2;
const narrowest = 4;
/** Takes from the widest column until the rest fits; a column keeps at least a few characters. */
const fit = (natural, width) => {
	const widths = [...natural];
	let excess = widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1) - width;
	while (excess > 0) {
		const widest = widths.indexOf(Math.max(...widths));
		if (widths[widest] <= narrowest) break;
		widths[widest]--;
		excess--;
	}
	return widths;
};
/** Aligned columns under a header. Without a width nothing is cut. */
const table = (header, rows, options) => {
	const lines = [header.map((text) => ({
		text,
		style: "bold"
	})), ...rows.map((row) => row.map((cell) => ({
		...cell,
		text: sanitizeLine(cell.text)
	})))];
	const natural = header.map((_, column) => Math.max(...lines.map((line) => displayWidth(line[column]?.text ?? ""))));
	const widths = options.width === void 0 ? natural : fit(natural, options.width);
	return lines.map((line) => line.map((cell, column) => {
		const text = cut(cell.text, widths[column]);
		const padding = column === line.length - 1 ? "" : " ".repeat(widths[column] - displayWidth(text) + gap);
		return options.paint(cell.style, text) + padding;
	}).join("").trimEnd()).join("\n");
};
/** Aligned `key: value` lines. */
const fields = (rows, paint) => {
	const width = Math.max(...rows.map(([key]) => key.length));
	return rows.map(([key, value]) => `${paint("bold", `${key}:`)}${" ".repeat(width - key.length + 1)}${sanitizeLine(value)}`.trimEnd()).join("\n");
};
/** The candidates that differ least from what was typed, if they differ little. */
const nearest = (typed, candidates) => {
	const distance = (a, b) => {
		let row = Array.from({ length: b.length + 1 }, (_, at) => at);
		for (let i = 1; i <= a.length; i++) {
			const next = [i];
			for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
			row = next;
		}
		return row[b.length];
	};
	const measured = candidates.map((candidate) => ({
		candidate,
		distance: distance(typed, candidate)
	})).filter((each) => each.distance <= Math.max(1, Math.floor(each.candidate.length / 3)));
	const least = Math.min(...measured.map((each) => each.distance));
	return measured.filter((each) => each.distance === least).map((each) => each.candidate);
};

export { cursorMove as A, red as B, TerminalCapabilities as C, combine as D, bold as E, eraseLine as F, log as G, underlined as H, eraseLines as I, green as L, cursorTo as M, cyanBright as N, cursorDown as O, detectColors as P, italicized as R, layerPresenter as S, blackBright as T, white as U, strikethrough as V, error as W, getUserMessage as _, sanitizeLine as a, Presenter as b, DuplicateOption as c, MissingOption as d, ShowHelp as f, UserError as g, UnrecognizedOption as h, sanitize as i, cursorShow as j, cursorHide as k, InvalidValue as l, UnknownSubcommand as m, nearest as n, table as o, UnexpectedArgument as p, painter as r, toJson as s, fields as t, MissingArgument as u, isCliError as v, annotate as w, defaultFormatter as x, Formatter as y, magenta as z };