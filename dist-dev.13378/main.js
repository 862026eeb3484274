import { $o as Reference, Ao as findLast, Ci as void_, Cr as gen, Cs as isSome, Dc as pipeArguments, Ds as none, Ec as pipe, Eo as empty, Er as interrupt, Es as match$1, F as brand, Fo as isReadonlyArrayNonEmpty, G as isBetween, Gn as andThen, Gr as promise, Io as map$3, J as isPattern, Jn as cached, Jr as provideService, Js as assignProperty, Kn as as, Kr as provide, Lo as match, Ms as Prototype, Nn as make$3, Nr as match$2, O as TrueLiterals, Oo as findFirst, Or as isEffect, Pn as value, Q as makeFilter, Qn as catchFilter, Qr as runFork, Ri as hasInterruptsOnly, S as RedactedFromValue, Sc as dual, Ss as isNone, T as Struct, Ur as orDie, W as is, Wo as fail$1, Yn as callback, Yr as raceFirst, Zi as isSuccess, Zo as succeed$3, _r as fnUntraced, _s as fromUndefinedOr, a as Boolean$3, ar as contextWith, cc as hasProperty, ci as succeed$1, cr as ensuring, d as FalseLiterals, dc as isNotUndefined, di as suspend, do as MinimumLogLevel$1, es as Service, et as optionalKey, f as Int$4, fi as sync, fo as TracerTimingEnabled$1, i as ArraySchema, ii as scoped, it as toCodecStringTree, jr as mapError, ko as findFirstIndex, kr as map$2, ks as some, la as provideMerge, lc as isFunction, lr as exit, ls as make$4, m as Literals$3, mc as isObjectKeyword, n as errorReported, nr as catchTags, ns as empty$1, o as BooleanLiterals, or as die, os as getOrUndefined$1, pr as flatMap$1, ps as exists, qi as squash, qr as provideContext, r as getErrorExitCode, ra as effect, rs as get$1, sa as mergeAll, tc as format, tr as catchTag, tt as tag, u as Error$1, ua as succeed$2, ur as fail, v as NullOr, vs as getOrElse, w as String$6, wc as identity, xo as taggedEnum, xs as getOrUndefined, ys as getOrNull, z as decodeUnknownEffect, zo as reduce } from "./Runtime-CYnC2HYz.js";
import { A as cursorMove, B as red, C as TerminalCapabilities, D as combine, E as bold, F as eraseLine, G as log$1, H as underlined, I as eraseLines, L as green, M as cursorTo, N as cyanBright, O as cursorDown, P as detectColors, R as italicized, S as layerPresenter, T as blackBright, U as white, V as strikethrough, W as error, _ as getUserMessage, a as sanitizeLine, b as Presenter, c as DuplicateOption, d as MissingOption, f as ShowHelp, g as UserError, h as UnrecognizedOption, i as sanitize$2, j as cursorShow, k as cursorHide, l as InvalidValue, m as UnknownSubcommand, o as table, p as UnexpectedArgument, r as painter, s as toJson, t as fields, u as MissingArgument, v as isCliError, w as annotate, x as defaultFormatter, y as Formatter, z as magenta } from "./Text-CNCZ9rIC.js";
import { _n as take, c as ExitCode, ct as Timestamp, lt as wire } from "./Errors-CqOgzwWL.js";
import { a as ProviderName, n as AuthType, r as FlowKind } from "./Provider-CVJ_zWyp.js";
import * as fs from "node:fs";
import * as tty from "node:tty";

// node_modules/effect/dist/References.js
/**
* Context reference for setting the minimum log level threshold. Log entries below this
* level will be filtered out completely.
*
* **When to use**
*
* Use to filter out log entries below a severity threshold.
*
* **Example** (Filtering logs below the minimum level)
*
* ```ts import.meta.vitest
* import { Effect, Logger, References } from "effect"
*
* const levels: Array<string> = []
* const logger = Logger.make<unknown, void>(({ logLevel }) => {
*   levels.push(logLevel)
* })
*
* const program = Effect.gen(function*() {
*   yield* Effect.logInfo("filtered out")
*   yield* Effect.logWarning("included at the threshold")
*   yield* Effect.logError("included above the threshold")
* })
*
* await Effect.runPromise(program.pipe(
*   Effect.provideService(References.MinimumLogLevel, "Warn"),
*   Effect.provide(Logger.layer([logger]))
* ))
* levels // => ["Warn", "Error"]
* ```
*
* @stability stable
* @category references
* @since 4.0.0
*/
const MinimumLogLevel = MinimumLogLevel$1;
/**
* Context reference for controlling whether trace timing is enabled globally. When set
* to false, spans will not contain timing information (trace time will always
* be set to zero).
*
* **When to use**
*
* Use to disable or re-enable timing capture for spans in the current context.
*
* **Example** (Toggling trace timing)
*
* ```ts import.meta.vitest
* import { Effect, References } from "effect"
*
* const tracingControl = Effect.gen(function*() {
*   // Check if trace timing is enabled (default is true)
*   const current = yield* References.TracerTimingEnabled
*
*   // Disable trace timing globally
*   const disabled = yield* Effect.provideService(
*     References.TracerTimingEnabled,
*     References.TracerTimingEnabled,
*     false
*   )
*
*   // Re-enable trace timing
*   const enabled = yield* Effect.provideService(
*     References.TracerTimingEnabled,
*     References.TracerTimingEnabled,
*     true
*   )
*
*   return [current, disabled, enabled]
* })
*
* await Effect.runPromise(tracingControl) // => [true, false, true]
* ```
*
* @stability stable
* @category references
* @since 4.0.0
*/
const TracerTimingEnabled = TracerTimingEnabled$1;

// node_modules/effect/dist/Number.js
/**
* Exposes the global number constructor.
*
* **When to use**
*
* Use to access native JavaScript numeric coercion from the Effect module
* namespace.
*
* **Gotchas**
*
* This follows native `Number` coercion rules, including empty strings
* becoming `0` and invalid numeric strings becoming `NaN`.
*
* @see {@link parse} for parsing strings into an `Option`
*
* **Example** (Coercing values to numbers)
*
* ```ts import.meta.vitest
* import { Number as N } from "effect"
*
* N.Number("42") // => 42
* N.Number("3.14") // => 3.14
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Number$2 = globalThis.Number;
/**
* Returns the number rounded with the given precision.
*
* **When to use**
*
* Use to round a number to a fixed number of decimal places.
*
* **Example** (Rounding with precision)
*
* ```ts import.meta.vitest
* import { Number } from "effect"
*
* Number.round(1.1234, 2) // => 1.12
* Number.round(1.567, 2) // => 1.57
* ```
*
* @stability stable
* @category math
* @since 3.8.0
*/
const round = /*#__PURE__*/ dual(2, (self, precision) => {
	const factor = Math.pow(10, precision);
	return Math.round(self * factor) / factor;
});

// node_modules/effect/dist/cli/Primitive.js
/**
* Parses raw command-line strings into typed values.
*
* A `Primitive<A>` receives one string and returns an `Effect` that either
* produces an `A` or fails with a parser message. `Argument` and `Flag` build
* on these primitives to add names, aliases, defaults, prompts, configuration
* fallbacks, repetition, and help metadata. Primitive parsers cover common
* scalar values, paths, files, structured config files, schema-decoded input,
* redacted values, and key-value pairs.
*
* @stability unstable
* @since 4.0.0
*/
const Proto$2 = { ["~effect/cli/Primitive"]: { _A: identity } };
/**
* @internal
*/
const isTrueLiteral = /*#__PURE__*/ is(TrueLiterals);
/**
* @internal
*/
const isFalseLiteral = /*#__PURE__*/ is(FalseLiterals);
/**
* @internal
*/
const isBoolean = (p) => p._tag === "Boolean";
const makePrimitive = (tag, parse) => Object.assign(Object.create(Proto$2), {
	_tag: tag,
	parse
});
const makeSchemaPrimitive = (tag, schema) => {
	const toCodecStringTree$1 = toCodecStringTree(schema);
	const decode = decodeUnknownEffect(toCodecStringTree$1);
	return makePrimitive(tag, (value) => mapError(decode(value), (error) => error.message));
};
/**
* Creates a primitive that parses boolean values from string input.
*
* **Details**
*
* Recognizes various forms of true/false values:
* - True values: "true", "1", "y", "yes", "on"
* - False values: "false", "0", "n", "no", "off"
*
* **Example** (Parsing boolean values)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Primitive } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* const parseBoolean = Effect.all([
*   Primitive.Boolean.parse("true"),
*   Primitive.Boolean.parse("yes"),
*   Primitive.Boolean.parse("false"),
*   Primitive.Boolean.parse("0")
* ])
*
* await Effect.runPromise(parseBoolean.pipe(Effect.provide(CliTestLayer))) // => [true, true, false, false]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Boolean$2 = /*#__PURE__*/ makeSchemaPrimitive("Boolean", BooleanLiterals);
/**
* Creates a primitive that parses integer numbers from string input.
*
* **Example** (Parsing integer values)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Primitive } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* const parseInteger = Effect.all([
*   Primitive.Int.parse("42"),
*   Primitive.Int.parse("-123"),
*   Primitive.Int.parse("0")
* ])
*
* await Effect.runPromise(parseInteger.pipe(Effect.provide(CliTestLayer))) // => [42, -123, 0]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Int$3 = /*#__PURE__*/ makeSchemaPrimitive("Int", Int$4);
/**
* Creates a primitive that accepts any string value without validation.
*
* **Example** (Parsing string values)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Primitive } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* const parseString = Effect.all([
*   Primitive.String.parse("hello world"),
*   Primitive.String.parse(""),
*   Primitive.String.parse("123")
* ])
*
* await Effect.runPromise(parseString.pipe(Effect.provide(CliTestLayer))) // => ["hello world", "", "123"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const String$5 = /*#__PURE__*/ makePrimitive("String", (value) => succeed$1(value));
/**
* Creates a primitive that accepts only specific choice values mapped to custom types.
*
* **Example** (Parsing choices)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Primitive } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* type LogLevel = "debug" | "info" | "warn" | "error"
*
* const logLevelPrimitive = Primitive.Choice<LogLevel>([
*   ["debug", "debug"],
*   ["info", "info"],
*   ["warn", "warn"],
*   ["error", "error"]
* ])
*
* const parseLogLevel = Effect.all([
*   logLevelPrimitive.parse("info"),
*   logLevelPrimitive.parse("debug")
* ])
*
* await Effect.runPromise(parseLogLevel.pipe(Effect.provide(CliTestLayer))) // => ["info", "debug"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Choice = (choices) => {
	const choiceMap = new Map(choices);
	const validChoices = choices.map(([key]) => format(key)).join(" | ");
	const primitive = makePrimitive("Choice", (value) => {
		if (choiceMap.has(value)) return succeed$1(choiceMap.get(value));
		return fail(validChoices);
	});
	return Object.assign(primitive, { choiceKeys: choices.map(([key]) => key) });
};
/**
* Gets a human-readable type name for a primitive.
*
* **When to use**
*
* Use when you need the display type name for a `Primitive`, such as when
* generating CLI help documentation.
*
* **Example** (Getting primitive type names)
*
* ```ts import.meta.vitest
* import { Primitive } from "effect/cli"
*
* Primitive.getTypeName(Primitive.String) // => "string"
* Primitive.getTypeName(Primitive.Int) // => "integer"
* Primitive.getTypeName(Primitive.Boolean) // => "boolean"
* Primitive.getTypeName(Primitive.Date) // => "date"
* Primitive.getTypeName(Primitive.KeyValuePair) // => "key=value"
*
* const logLevelChoice = Primitive.Choice([
*   ["debug", "debug"],
*   ["info", "info"]
* ])
* Primitive.getTypeName(logLevelChoice) // => "choice"
* ```
*
* @stability unstable
* @category getters
* @since 4.0.0
*/
const getTypeName = (primitive) => {
	switch (primitive._tag) {
		case "Boolean": return "boolean";
		case "String": return "string";
		case "Int": return "integer";
		case "Finite": return "number";
		case "Date": return "date";
		case "Path": return "path";
		case "Choice": return "choice";
		case "Redacted": return "string";
		case "FileText": return "file";
		case "FileParse": return "file";
		case "FileSchema": return "file";
		case "KeyValuePair": return "key=value";
		case "Never": return "none";
		default: return "value";
	}
};
/**
* @internal
*/
const getChoiceKeys = (primitive) => primitive._tag === "Choice" ? primitive.choiceKeys : void 0;
/**
* @internal
*/
const getPathType = (primitive) => primitive._tag === "Path" ? primitive.pathType : void 0;

// node_modules/effect/dist/Terminal.js
const TypeId$3 = "~effect/Terminal";
const QuitErrorTypeId = "~effect/Terminal/QuitError";
/**
* Represents an error that occurs when a user attempts to
* quit out of a `Terminal` prompt for input (usually by entering `ctrl`+`c`).
*
* **When to use**
*
* Use when implementing terminal input or prompts that need to signal
* user-requested cancellation through the typed error channel.
*
* @see {@link isQuitError} for checking unknown errors when handling terminal cancellation
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var QuitError = class extends (/*#__PURE__*/ Error$1("QuitError")({ _tag: /*#__PURE__*/ tag("QuitError") })) {
	/**
	* Marks this value as a terminal quit error for runtime guards.
	*
	* @since 4.0.0
	*/
	[QuitErrorTypeId] = QuitErrorTypeId;
};
/**
* Returns `true` if the provided value is a `Terminal.QuitError`.
*
* **When to use**
*
* Use to narrow unknown failures to `QuitError` when handling terminal input
* cancellation.
*
* **Details**
*
* Returns `true` when the value carries the `QuitError` runtime marker and
* narrows it to `QuitError`.
*
* @see {@link QuitError} for the error value produced when terminal input is quit
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isQuitError = (u) => hasProperty(u, QuitErrorTypeId);
/**
* Service tag for command-line input and output services.
*
* **When to use**
*
* Use to access or provide platform terminal capabilities such as reading
* input, writing output, and inspecting terminal dimensions.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Terminal = /*#__PURE__*/ Service("effect/Terminal");
/**
* Creates a `Terminal` service implementation.
*
* **When to use**
*
* Use to construct a custom `Terminal` service implementation from concrete
* terminal capabilities when writing a platform adapter, test implementation,
* or custom runtime service.
*
* **Details**
*
* The implementation object supplies `columns`, `rows`, `size`, `readInput`,
* `readLine`, and `display`; `make` attaches the `Terminal` service marker so
* the result can be provided through the `Terminal` context service.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$2 = (impl) => Terminal.of({
	...impl,
	[TypeId$3]: TypeId$3
});

// node_modules/effect/dist/cli/Prompt.js
/**
* Builds interactive terminal prompts for CLI applications.
*
* A `Prompt<A>` describes a small terminal UI that renders frames, reads
* keyboard input, validates responses, and eventually produces an `A`. Prompts
* can ask for simple values, selections, lists, files, hidden text, or custom
* interactions. This module includes prompt constructors, tools for combining
* and transforming prompt output, and support for running prompts through the
* `Terminal` service.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$2 = "~effect/cli/Prompt";
const defaultTheme = {
	prefix: "?",
	arrowUp: "↑",
	arrowDown: "↓",
	checkboxOn: "☒",
	checkboxOff: "☐",
	tick: "✔",
	ellipsis: "…",
	pointerSmall: "›",
	pointer: "❯",
	descriptionSeparator: "- ",
	passwordMask: "*",
	toggleSeparator: "/",
	primaryColor: cyanBright,
	mutedColor: blackBright,
	successColor: green,
	errorColor: red,
	submittedColor: white
};
const windowsTheme = {
	...defaultTheme,
	checkboxOn: "[*]",
	checkboxOff: "[ ]",
	tick: "√",
	ellipsis: "...",
	pointerSmall: "»",
	pointer: ">"
};
/**
* Creates a prompt theme using the current platform defaults.
*
* **Details**
*
* Unless `colors` is provided, it is detected when the theme is created:
* colors are enabled when stdout is a TTY and `NO_COLOR` is unset or empty.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const makeTheme = (options) => ({
	...process.platform === "win32" ? windowsTheme : defaultTheme,
	...options,
	colors: options?.colors ?? detectColors()
});
/**
* Context reference for the theme used by built-in prompts.
*
* **Details**
*
* Provide this reference once to theme every prompt in an application. A
* prompt's `theme` option takes precedence over the context value. The
* command wizard also reads `colors` from this reference, so provide a theme
* with `colors: false` to disable wizard styling.
*
* The default value is created with `makeTheme` the first time it is read,
* so color detection runs once per process. Changes to `NO_COLOR` after the
* first prompt do not affect the default theme.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Theme = /*#__PURE__*/ Reference("effect/cli/Prompt/Theme", { defaultValue: makeTheme });
const getTheme = (options) => map$2(Theme, (theme) => ({
	...theme,
	...options.theme
}));
const annotateErrorLine = (theme, line) => annotate(theme.colors, line, combine(italicized, theme.errorColor));
const annotateSymbol = (theme, symbol, ...styles) => symbol.length === 0 ? "" : annotate(theme.colors, symbol, ...styles);
const separateSymbol = (symbol, text) => symbol.length === 0 ? text : symbol + " " + text;
const renderPagingPrefix = (theme, showArrowUp, showArrowDown) => {
	const width = Math.max(theme.arrowUp.length, theme.arrowDown.length);
	if (showArrowUp) return theme.arrowUp.padEnd(width);
	if (showArrowDown) return theme.arrowDown.padEnd(width);
	return " ".repeat(width);
};
/**
* Creates a confirmation prompt that asks the user to choose a boolean yes/no
* value.
*
* **When to use**
*
* Use to ask for a yes/no answer that can be submitted directly.
*
* **Details**
*
* `initial` defaults to `false`. Enter submits the current default, yes-style
* input submits `true`, no-style input submits `false`, and other input beeps.
*
* @see {@link Toggle} for an interactive switch-before-submit boolean prompt
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Confirm = (options) => {
	const opts = {
		initial: false,
		...options,
		label: {
			confirm: "yes",
			deny: "no",
			...options.label
		},
		placeholder: {
			defaultConfirm: "(Y/n)",
			defaultDeny: "(y/N)",
			...options.placeholder
		}
	};
	const initialState = { value: opts.initial };
	return Custom(initialState, {
		render: handleConfirmRender(opts),
		process: (input) => handleConfirmProcess(input, opts.initial),
		clear: handleConfirmClear(opts)
	});
};
/**
* Creates a custom `Prompt` from the specified initial state and handlers.
*
* **Details**
*
* The initial state can either be a pure value or an `Effect`. This is
* particularly useful when the initial state of the `Prompt` must be computed
* by performing an effectful computation, such as reading data from the file
* system. A `Prompt` runs as a render loop: `render` returns ANSI output for
* the current frame, the `Terminal` obtains user input, `process` returns the
* next prompt action, and `clear` returns ANSI output used to clear the previous
* frame.
*
* Optionally, an external `events` dequeue can be provided as the third
* argument. When present, the render loop will race user input against events
* from the dequeue, allowing background events to trigger re-renders without
* waiting for a keypress. When an event is received from the dequeue, the
* `receive` handler is called instead of `process`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Custom = (initialState, ...args) => {
	const [events, handlers] = args.length === 1 ? [void 0, args[0]] : [args[0], args[1]];
	const op = Object.create(proto);
	op._tag = "Loop";
	op.initialState = initialState;
	op.render = handlers.render;
	op.process = handlers.process;
	op.clear = handlers.clear;
	op.events = events;
	return op;
};
/**
* Creates a date prompt that lets the user edit a formatted date value and
* validates the final `Date` before submission.
*
* **Details**
*
* `initial` defaults to the current `Date`, `dateMask` defaults to
* `YYYY-MM-DD HH:mm:ss`, mask parsing creates editable date parts plus literal
* tokens, `locales` customizes month and weekday labels, and `validate` runs on
* submission.
*
* **Gotchas**
*
* A supplied `initial` `Date` is edited in place during prompt interaction.
* Date edits use JavaScript `Date` setters, so out-of-range typed values can
* normalize before validation. If the prompt is meant to be editable,
* `dateMask` should contain at least one editable date token.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Date = (options) => {
	const opts = {
		initial: new globalThis.Date(),
		dateMask: "YYYY-MM-DD HH:mm:ss",
		validate: succeed$1,
		...options,
		locales: {
			...defaultLocales,
			...options.locales
		}
	};
	const dateParts = makeDateParts(opts.dateMask, opts.initial, opts.locales);
	const initialState = {
		dateParts,
		typed: "",
		cursor: dateParts.findIndex((part) => !part.isToken()),
		value: opts.initial,
		error: none()
	};
	return Custom(initialState, {
		render: handleDateRender(opts),
		process: handleDateProcess(opts),
		clear: handleDateClear(opts)
	});
};
/**
* Composes prompts by using the output of this prompt to create the next prompt.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const flatMap = /*#__PURE__*/ dual(2, (self, f) => {
	const op = Object.create(proto);
	op._tag = "OnSuccess";
	op.prompt = self;
	op.onSuccess = f;
	return op;
});
/**
* Creates a floating-point number prompt.
*
* **Details**
*
* The prompt supports minimum and maximum bounds, keyboard step sizes, display
* precision, and additional validation before submission.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Number$1 = (options) => {
	const opts = {
		default: 0,
		min: globalThis.Number.NEGATIVE_INFINITY,
		max: globalThis.Number.POSITIVE_INFINITY,
		incrementBy: 1,
		decrementBy: 1,
		precision: 2,
		validate: (n) => {
			if (n < opts.min) return fail(`${n} must be greater than or equal to ${opts.min}`);
			if (n > opts.max) return fail(`${n} must be less than or equal to ${opts.max}`);
			return succeed$1(n);
		},
		...options
	};
	const initialValue = options.default === void 0 ? "" : `${opts.default}`;
	const initialState = {
		cursor: initialValue.length,
		value: initialValue,
		error: none()
	};
	return Custom(initialState, {
		render: handleRenderFloat(opts),
		process: handleProcessFloat(opts),
		clear: handleNumberClear(opts)
	});
};
/**
* Creates an integer prompt.
*
* **Details**
*
* The prompt supports minimum and maximum bounds, keyboard step sizes, and
* additional validation before submission.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Int$2 = (options) => {
	const opts = {
		default: 0,
		min: globalThis.Number.NEGATIVE_INFINITY,
		max: globalThis.Number.POSITIVE_INFINITY,
		incrementBy: 1,
		decrementBy: 1,
		validate: (n) => {
			if (n < opts.min) return fail(`${n} must be greater than or equal to ${opts.min}`);
			if (n > opts.max) return fail(`${n} must be less than or equal to ${opts.max}`);
			return succeed$1(n);
		},
		...options
	};
	const initialValue = options.default === void 0 ? "" : `${opts.default}`;
	const initialState = {
		cursor: initialValue.length,
		value: initialValue,
		error: none()
	};
	return Custom(initialState, {
		render: handleRenderInteger(opts),
		process: handleProcessInteger(opts),
		clear: handleNumberClear(opts)
	});
};
/**
* Transforms the output value produced by a prompt.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const map$1 = /*#__PURE__*/ dual(2, (self, f) => flatMap(self, (a) => succeed(f(a))));
/**
* Creates a password prompt that masks typed input and returns the submitted
* value wrapped in `Redacted`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Password = (options) => basePrompt(options, "password").pipe(map$1(make$3));
/**
* Runs a prompt by reading terminal input and rendering prompt frames until the
* prompt submits a value.
*
* **Gotchas**
*
* The returned effect may fail with `Terminal.QuitError` if terminal input ends
* or the prompt is quit.
*
* @stability unstable
* @category running
* @since 4.0.0
*/
const run$3 = /*#__PURE__*/ fnUntraced(function* (self) {
	const terminal = yield* Terminal;
	const input = yield* cached(terminal.readInput);
	return yield* runWithInput(self, terminal, input);
}, /*#__PURE__*/ mapError(() => new QuitError({})), scoped);
const getSelectInitialIndex = (choices) => {
	let initialIndex = 0;
	let seenSelected = -1;
	for (let i = 0; i < choices.length; i++) if (choices[i].selected === true) {
		if (seenSelected !== -1) throw new Error("InvalidArgumentException: only a single choice can be selected by default for Prompt.Select");
		seenSelected = i;
	}
	if (seenSelected !== -1) initialIndex = seenSelected;
	return initialIndex;
};
/**
* Creates a prompt that lets the user select a single value from a list of
* choices.
*
* **Gotchas**
*
* At most one choice may be marked as selected by default.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Select = (options) => {
	const opts = {
		maxPerPage: 10,
		...options
	};
	const initialIndex = getSelectInitialIndex(opts.choices);
	return Custom(initialIndex, {
		render: handleSelectRender(opts),
		process: handleSelectProcess(opts),
		clear: handleSelectClear(opts)
	});
};
/**
* Creates a `Prompt` which immediately succeeds with the specified value.
*
* **Details**
*
* This prompt does not attempt to obtain user input or render anything to the
* screen.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const succeed = (value) => {
	const op = Object.create(proto);
	op._tag = "Succeed";
	op.value = value;
	return op;
};
/**
* Creates a text-entry prompt that echoes input and returns the submitted
* string after validation.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const String$4 = (options) => basePrompt(options, "text");
/**
* Creates a toggle prompt that lets the user switch between active and inactive
* states and returns the selected boolean value.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Toggle = (options) => {
	const opts = {
		initial: false,
		active: "on",
		inactive: "off",
		...options
	};
	return Custom(opts.initial, {
		render: handleToggleRender(opts),
		process: handleToggleProcess,
		clear: () => handleToggleClear(opts)
	});
};
const proto = {
	.../*#__PURE__*/ Prototype({
		label: "Prompt",
		evaluate() {
			return run$3(this);
		}
	}),
	[TypeId$2]: { _Output: (_) => _ }
};
const runWithInput = (prompt, terminal, input) => suspend(() => {
	const op = prompt;
	switch (op._tag) {
		case "Loop": return flatMap$1(input, (queue) => runLoop(op, terminal, queue));
		case "OnSuccess": return flatMap$1(runWithInput(op.prompt, terminal, input), (a) => runWithInput(op.onSuccess(a), terminal, input));
		case "Succeed": return succeed$1(op.value);
	}
});
const runLoop = /*#__PURE__*/ fnUntraced(function* (loop, terminal, input) {
	let state = isEffect(loop.initialState) ? yield* loop.initialState : loop.initialState;
	let action = Action$1.NextFrame({ state });
	let clear = "";
	while (true) {
		const msg = yield* loop.render(state, action);
		yield* orDie(terminal.display(clear + msg));
		clear = "";
		if (loop.events) {
			const takeInput = take(input).pipe(map$2((input) => ({
				_tag: "Input",
				input
			})));
			const result = yield* raceFirst(takeInput, take(loop.events).pipe(map$2((value) => ({
				_tag: "Event",
				value
			}))));
			action = yield* loop.process(result, state);
		} else {
			const result = yield* take(input);
			action = yield* loop.process(result, state);
		}
		switch (action._tag) {
			case "Beep": continue;
			case "NextFrame":
				clear = yield* loop.clear(state, action);
				state = action.state;
				continue;
			case "Submit": {
				clear = yield* loop.clear(state, action);
				const msg = yield* loop.render(state, action);
				yield* orDie(terminal.display(clear + msg));
				return action.value;
			}
		}
	}
}, (effect, _, terminal) => ensuring(effect, orDie(terminal.display(cursorShow))));
const Action$1 = /*#__PURE__*/ taggedEnum();
/**
* Clears all lines taken up by the specified `text`.
*/
const eraseText = (text, columns) => {
	if (columns === 0) return eraseLine + cursorTo(0);
	let rows = 0;
	const lines = text.split(NEWLINE_REGEXP);
	for (const line of lines) rows += 1 + Math.floor(Math.max(line.length - 1, 0) / columns);
	return eraseLines(rows);
};
const lines$1 = (prompt, columns) => {
	const lines = prompt.split(NEWLINE_REGEXP);
	return columns === 0 ? lines.length : pipe(map$3(lines, (line) => Math.ceil(line.length / columns)), reduce(0, (left, right) => left + right));
};
const clearOutputWithError = (outputText, columns, errorText) => {
	if (errorText !== void 0 && errorText.length > 0) return cursorDown(lines$1(errorText, columns)) + eraseText(`\n${errorText}`, columns) + eraseText(outputText, columns);
	return eraseText(outputText, columns);
};
const renderBeep = "\x07";
const NEWLINE_REGEXP = /\r?\n/;
const handleConfirmClear = (options) => {
	return fnUntraced(function* (state, _) {
		const columns = yield* (yield* Terminal).columns;
		const figures = yield* getTheme(options);
		const confirmMessage = state.value ? options.placeholder.defaultConfirm : options.placeholder.defaultDeny;
		const promptText = renderPrompt(confirmMessage, options.message, figures.prefix, figures.pointerSmall, figures, { plain: true });
		return eraseText(promptText, columns) + (eraseLine + "\x1B[G");
	});
};
const renderConfirmNextFrame = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.prefix, figures.primaryColor);
	const trailingSymbol = annotateSymbol(figures, figures.pointerSmall, figures.mutedColor);
	const confirmMessage = state.value ? options.placeholder.defaultConfirm : options.placeholder.defaultDeny;
	const confirm = annotate(figures.colors, confirmMessage, figures.mutedColor);
	const promptMsg = renderPrompt(confirm, options.message, leadingSymbol, trailingSymbol, figures);
	return cursorHide + promptMsg;
});
const renderConfirmSubmission = /*#__PURE__*/ fnUntraced(function* (value, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.tick, figures.successColor);
	const trailingSymbol = annotateSymbol(figures, figures.ellipsis, figures.mutedColor);
	const confirmMessage = value ? options.label.confirm : options.label.deny;
	return renderPrompt(confirmMessage, options.message, leadingSymbol, trailingSymbol, figures) + "\n";
});
const handleConfirmRender = (options) => {
	return (_, action) => {
		return Action$1.$match(action, {
			Beep: () => succeed$1(renderBeep),
			NextFrame: ({ state }) => renderConfirmNextFrame(state, options),
			Submit: ({ value }) => renderConfirmSubmission(value, options)
		});
	};
};
const TRUE_VALUE_REGEXP = /^y|t$/;
const FALSE_VALUE_REGEXP = /^n|f$/;
const handleConfirmProcess = (input, defaultValue) => {
	const value = getOrElse(input.input, () => "");
	if (input.key.name === "enter" || input.key.name === "return") return succeed$1(Action$1.Submit({ value: defaultValue }));
	if (TRUE_VALUE_REGEXP.test(value.toLowerCase())) return succeed$1(Action$1.Submit({ value: true }));
	if (FALSE_VALUE_REGEXP.test(value.toLowerCase())) return succeed$1(Action$1.Submit({ value: false }));
	return succeed$1(Action$1.Beep());
};
const handleDateClear = (options) => {
	return fnUntraced(function* (state, _) {
		const columns = yield* (yield* Terminal).columns;
		const figures = yield* getTheme(options);
		const resetCurrentLine = eraseLine + "\x1B[G";
		const parts = reduce(state.dateParts, "", (doc, part) => doc + part.toString());
		const promptText = renderPrompt(parts, options.message, figures.prefix, figures.pointerSmall, figures, { plain: true });
		const errorText = isSome(state.error) ? match(state.error.value.split(NEWLINE_REGEXP), {
			onEmpty: () => "",
			onNonEmpty: (errorLines) => separateSymbol(figures.pointerSmall, errorLines.join("\n"))
		}) : "";
		return clearOutputWithError(promptText, columns, errorText) + resetCurrentLine;
	});
};
const renderDateError = (state, pointer, theme) => {
	if (isSome(state.error)) {
		const errorLines = state.error.value.split(NEWLINE_REGEXP);
		if (isReadonlyArrayNonEmpty(errorLines)) {
			const prefix = annotateSymbol(theme, pointer, theme.errorColor);
			const lines = map$3(errorLines, (str) => annotateErrorLine(theme, str));
			return "\x1B[s" + "\n" + separateSymbol(prefix, lines.join("\n")) + "\x1B[u";
		}
	}
	return "";
};
const renderParts = (state, theme, submitted = false) => {
	return reduce(state.dateParts, "", (doc, part, currentIndex) => {
		const partDoc = part.toString();
		if (currentIndex === state.cursor && !submitted) {
			const annotation = combine(underlined, theme.primaryColor);
			return doc + annotate(theme.colors, partDoc, annotation);
		}
		return doc + partDoc;
	});
};
const renderDateNextFrame = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.prefix, figures.primaryColor);
	const trailingSymbol = annotateSymbol(figures, figures.pointerSmall, figures.mutedColor);
	const parts = renderParts(state, figures);
	const promptMsg = renderPrompt(parts, options.message, leadingSymbol, trailingSymbol, figures);
	const errorMsg = renderDateError(state, figures.pointerSmall, figures);
	return cursorHide + promptMsg + errorMsg;
});
const renderDateSubmission = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.tick, figures.successColor);
	const trailingSymbol = annotateSymbol(figures, figures.ellipsis, figures.mutedColor);
	const parts = renderParts(state, figures, true);
	return renderPrompt(parts, options.message, leadingSymbol, trailingSymbol, figures) + "\n";
});
const processUp = (state) => {
	state.dateParts[state.cursor].increment();
	return Action$1.NextFrame({ state: {
		...state,
		typed: ""
	} });
};
const processDown = (state) => {
	state.dateParts[state.cursor].decrement();
	return Action$1.NextFrame({ state: {
		...state,
		typed: ""
	} });
};
const processDateCursorLeft = (state) => {
	const previous = state.dateParts[state.cursor].previousPart();
	if (isSome(previous)) return Action$1.NextFrame({ state: {
		...state,
		typed: "",
		cursor: state.dateParts.indexOf(previous.value)
	} });
	return Action$1.Beep();
};
const processDateCursorRight = (state) => {
	const next = state.dateParts[state.cursor].nextPart();
	if (isSome(next)) return Action$1.NextFrame({ state: {
		...state,
		typed: "",
		cursor: state.dateParts.indexOf(next.value)
	} });
	return Action$1.Beep();
};
const processDateNext = (state) => {
	const next = state.dateParts[state.cursor].nextPart();
	const cursor = match$1(next, {
		onNone: () => state.dateParts.findIndex((part) => !part.isToken()),
		onSome: (next) => state.dateParts.indexOf(next)
	});
	return Action$1.NextFrame({ state: {
		...state,
		typed: "",
		cursor
	} });
};
const defaultDateProcessor = (value, state) => {
	if (/\d/.test(value)) {
		const typed = state.typed + value;
		state.dateParts[state.cursor].setValue(typed);
		return Action$1.NextFrame({ state: {
			...state,
			typed
		} });
	}
	return Action$1.Beep();
};
const defaultLocales = {
	months: [
		"January",
		"February",
		"March",
		"April",
		"May",
		"June",
		"July",
		"August",
		"September",
		"October",
		"November",
		"December"
	],
	monthsShort: [
		"Jan",
		"Feb",
		"Mar",
		"Apr",
		"May",
		"Jun",
		"Jul",
		"Aug",
		"Sep",
		"Oct",
		"Nov",
		"Dec"
	],
	weekdays: [
		"Sunday",
		"Monday",
		"Tuesday",
		"Wednesday",
		"Thursday",
		"Friday",
		"Saturday"
	],
	weekdaysShort: [
		"Sun",
		"Mon",
		"Tue",
		"Wed",
		"Thu",
		"Fri",
		"Sat"
	]
};
const handleDateRender = (options) => {
	return (state, action) => {
		return Action$1.$match(action, {
			Beep: () => succeed$1(renderBeep),
			NextFrame: ({ state }) => renderDateNextFrame(state, options),
			Submit: () => renderDateSubmission(state, options)
		});
	};
};
const handleDateProcess = (options) => {
	return (input, state) => {
		switch (input.key.name) {
			case "left": return succeed$1(processDateCursorLeft(state));
			case "right": return succeed$1(processDateCursorRight(state));
			case "k":
			case "up": return succeed$1(processUp(state));
			case "j":
			case "down": return succeed$1(processDown(state));
			case "tab": return succeed$1(processDateNext(state));
			case "enter":
			case "return": return match$2(options.validate(state.value), {
				onFailure: (error) => Action$1.NextFrame({ state: {
					...state,
					error: some(error)
				} }),
				onSuccess: (value) => Action$1.Submit({ value })
			});
			default: return succeed$1(defaultDateProcessor(getOrElse(input.input, () => ""), state));
		}
	};
};
const DATE_PART_REGEXP = /\\(.)|"((?:\\["\\]|[^"])+)"|(D[Do]?|d{3,4}|d)|(M{1,4})|(YY(?:YY)?)|([aA])|([Hh]{1,2})|(m{1,2})|(s{1,2})|(S{1,4})|./g;
const regExpGroups = {
	1: ({ token, ...opts }) => new Token({
		token: token.replace(/\\(.)/g, "$1"),
		...opts
	}),
	2: (opts) => new Day(opts),
	3: (opts) => new Month(opts),
	4: (opts) => new Year(opts),
	5: (opts) => new Meridiem(opts),
	6: (opts) => new Hours(opts),
	7: (opts) => new Minutes(opts),
	8: (opts) => new Seconds(opts),
	9: (opts) => new Milliseconds(opts)
};
const makeDateParts = (dateMask, date, locales) => {
	const parts = [];
	let result = null;
	while (result = DATE_PART_REGEXP.exec(dateMask)) {
		const match = result.shift();
		const index = result.findIndex((group) => group !== void 0);
		if (index in regExpGroups) {
			const token = result[index] || match;
			parts.push(regExpGroups[index]({
				token,
				date,
				parts,
				locales
			}));
		} else parts.push(new Token({
			token: result[index] || match,
			date,
			parts,
			locales
		}));
	}
	const orderedParts = parts.reduce((array, element) => {
		const lastElement = array[array.length - 1];
		if (element.isToken() && lastElement !== void 0 && lastElement.isToken()) lastElement.setValue(element.token);
		else array.push(element);
		return array;
	}, empty());
	parts.splice(0, parts.length, ...orderedParts);
	return parts;
};
var DatePart = class {
	token;
	date;
	parts;
	locales;
	constructor(params) {
		this.token = params.token;
		this.locales = params.locales;
		this.date = params.date || new globalThis.Date();
		this.parts = params.parts || [this];
	}
	/**
	* Returns `true` if this `DatePart` is a `Token`, `false` otherwise.
	*/
	isToken() {
		return false;
	}
	/**
	* Retrieves the next date part in the list of parts.
	*/
	nextPart() {
		const currentPartIndex = getOrElse(findFirstIndex(this.parts, (part) => part === this), () => 0);
		return findFirst(this.parts.slice(currentPartIndex + 1), (part) => !part.isToken());
	}
	/**
	* Retrieves the previous date part in the list of parts.
	*/
	previousPart() {
		const currentPartIndex = findFirstIndex(this.parts, (part) => part === this);
		if (isSome(currentPartIndex)) return findLast(this.parts.slice(0, currentPartIndex.value), (part) => !part.isToken());
		return none();
	}
	toString() {
		return globalThis.String(this.date);
	}
};
var Token = class extends DatePart {
	increment() {}
	decrement() {}
	setValue(value) {
		this.token = this.token + value;
	}
	isToken() {
		return true;
	}
	toString() {
		return this.token;
	}
};
var Milliseconds = class extends DatePart {
	increment() {
		this.date.setMilliseconds(this.date.getMilliseconds() + 1);
	}
	decrement() {
		this.date.setMilliseconds(this.date.getMilliseconds() - 1);
	}
	setValue(value) {
		this.date.setMilliseconds(globalThis.Number.parseInt(value.slice(-this.token.length)));
	}
	toString() {
		return `${this.date.getMilliseconds()}`.padStart(4, "0").substring(0, this.token.length);
	}
};
var Seconds = class extends DatePart {
	increment() {
		this.date.setSeconds(this.date.getSeconds() + 1);
	}
	decrement() {
		this.date.setSeconds(this.date.getSeconds() - 1);
	}
	setValue(value) {
		this.date.setSeconds(globalThis.Number.parseInt(value.slice(-2)));
	}
	toString() {
		const seconds = `${this.date.getSeconds()}`;
		return this.token.length > 1 ? seconds.padStart(2, "0") : seconds;
	}
};
var Minutes = class extends DatePart {
	increment() {
		this.date.setMinutes(this.date.getMinutes() + 1);
	}
	decrement() {
		this.date.setMinutes(this.date.getMinutes() - 1);
	}
	setValue(value) {
		this.date.setMinutes(globalThis.Number.parseInt(value.slice(-2)));
	}
	toString() {
		const minutes = `${this.date.getMinutes()}`;
		return this.token.length > 1 ? minutes.padStart(2, "0") : minutes;
	}
};
var Hours = class extends DatePart {
	increment() {
		this.date.setHours(this.date.getHours() + 1);
	}
	decrement() {
		this.date.setHours(this.date.getHours() - 1);
	}
	setValue(value) {
		this.date.setHours(globalThis.Number.parseInt(value.slice(-2)));
	}
	toString() {
		const hours = /h/.test(this.token) ? this.date.getHours() % 12 || 12 : this.date.getHours();
		return this.token.length > 1 ? `${hours}`.padStart(2, "0") : `${hours}`;
	}
};
var Day = class extends DatePart {
	increment() {
		this.date.setDate(this.date.getDate() + 1);
	}
	decrement() {
		this.date.setDate(this.date.getDate() - 1);
	}
	setValue(value) {
		this.date.setDate(globalThis.Number.parseInt(value.slice(-2)));
	}
	toString() {
		const date = this.date.getDate();
		const day = this.date.getDay();
		switch (this.token) {
			case "DD": return `${date}`.padStart(2, "0");
			case "Do": return `${date}${this.ordinalIndicator(date)}`;
			case "d": return `${day + 1}`;
			case "ddd": return this.locales.weekdaysShort[day];
			case "dddd": return this.locales.weekdays[day];
			default: return `${date}`;
		}
	}
	ordinalIndicator(day) {
		if (day >= 11 && day <= 13) return "th";
		switch (day % 10) {
			case 1: return "st";
			case 2: return "nd";
			case 3: return "rd";
			default: return "th";
		}
	}
};
var Month = class extends DatePart {
	increment() {
		this.date.setMonth(this.date.getMonth() + 1);
	}
	decrement() {
		this.date.setMonth(this.date.getMonth() - 1);
	}
	setValue(value) {
		const month = globalThis.Number.parseInt(value.slice(-2)) - 1;
		this.date.setMonth(month < 0 ? 0 : month);
	}
	toString() {
		const month = this.date.getMonth();
		switch (this.token.length) {
			case 2: return `${month + 1}`.padStart(2, "0");
			case 3: return this.locales.monthsShort[month];
			case 4: return this.locales.months[month];
			default: return `${month + 1}`;
		}
	}
};
var Year = class extends DatePart {
	increment() {
		this.date.setFullYear(this.date.getFullYear() + 1);
	}
	decrement() {
		this.date.setFullYear(this.date.getFullYear() - 1);
	}
	setValue(value) {
		this.date.setFullYear(globalThis.Number.parseInt(value.slice(-4)));
	}
	toString() {
		const year = `${this.date.getFullYear()}`.padStart(4, "0");
		return this.token.length === 2 ? year.slice(-2) : year;
	}
};
var Meridiem = class extends DatePart {
	increment() {
		this.date.setHours((this.date.getHours() + 12) % 24);
	}
	decrement() {
		this.increment();
	}
	setValue(_value) {}
	toString() {
		const meridiem = this.date.getHours() >= 12 ? "pm" : "am";
		return /A/.test(this.token) ? meridiem.toUpperCase() : meridiem;
	}
};
const renderPrompt = (confirm, message, leadingSymbol, trailingSymbol, theme, options) => {
	const prefix = leadingSymbol.length === 0 ? "" : leadingSymbol + " ";
	const renderLine = (line) => {
		let output = prefix + line;
		if (trailingSymbol.length > 0) output += " " + trailingSymbol;
		if (confirm.length > 0) output += " " + confirm;
		else if (trailingSymbol.length > 0) output += " ";
		return output;
	};
	return match(message.split(NEWLINE_REGEXP), {
		onEmpty: () => renderLine(""),
		onNonEmpty: (promptLines) => {
			const lines = options?.plain === true ? promptLines : map$3(promptLines, (line) => annotate(theme.colors, line, bold));
			return renderLine(lines.join("\n"));
		}
	});
};
const renderChoiceDescription = (choice, isActive, theme, renderOptions) => {
	if (!choice.disabled && choice.description && isActive) {
		const text = theme.descriptionSeparator + choice.description;
		return renderOptions?.plain === true ? text : annotate(theme.colors, text, theme.mutedColor);
	}
	return "";
};
const handleNumberClear = (options) => {
	return fnUntraced(function* (state, _) {
		const columns = yield* (yield* Terminal).columns;
		const figures = yield* getTheme(options);
		const resetCurrentLine = eraseLine + "\x1B[G";
		const errorText = renderNumberError(state, figures.pointerSmall, figures, { plain: true });
		const promptText = renderNumberOutput(state, figures.prefix, figures.pointerSmall, options, figures, { plain: true });
		return clearOutputWithError(promptText, columns, errorText) + resetCurrentLine;
	});
};
const renderNumberInput = (state, submitted, theme, renderOptions) => {
	const value = state.value === "" ? "" : `${state.value}`;
	if (submitted || renderOptions?.plain === true) return value;
	const annotation = isSome(state.error) ? theme.errorColor : combine(underlined, theme.primaryColor);
	return annotate(theme.colors, value, annotation);
};
const renderNumberError = (state, pointer, theme, renderOptions) => {
	if (isSome(state.error)) return match(state.error.value.split(NEWLINE_REGEXP), {
		onEmpty: () => "",
		onNonEmpty: (errorLines) => {
			if (renderOptions?.plain === true) return separateSymbol(pointer, errorLines.join("\n"));
			const prefix = annotateSymbol(theme, pointer, theme.errorColor);
			const lines = map$3(errorLines, (str) => annotateErrorLine(theme, str));
			return "\x1B[s" + "\n" + separateSymbol(prefix, lines.join("\n")) + "\x1B[u";
		}
	});
	return "";
};
const renderNumberOutput = (state, leadingSymbol, trailingSymbol, options, theme, renderOptions, submitted = false) => {
	const value = renderNumberInput(state, submitted, theme, renderOptions);
	return renderPrompt(value, options.message, leadingSymbol, trailingSymbol, theme, renderOptions);
};
const renderNumberNextFrame = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.prefix, figures.primaryColor);
	const trailingSymbol = annotateSymbol(figures, figures.pointerSmall, figures.mutedColor);
	const errorMsg = renderNumberError(state, figures.pointerSmall, figures);
	return renderNumberOutput(state, leadingSymbol, trailingSymbol, options, figures) + errorMsg;
});
const renderNumberSubmission = /*#__PURE__*/ fnUntraced(function* (nextState, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.tick, figures.successColor);
	const trailingSymbol = annotateSymbol(figures, figures.ellipsis, figures.mutedColor);
	return renderNumberOutput(nextState, leadingSymbol, trailingSymbol, options, figures, void 0, true) + "\n";
});
const processNumberBackspace = (state) => {
	if (state.value.length <= 0) return succeed$1(Action$1.Beep());
	const value = state.value.slice(0, state.value.length - 1);
	return succeed$1(Action$1.NextFrame({ state: {
		...state,
		value,
		error: none()
	} }));
};
const processNumberClear = (state) => succeed$1(Action$1.NextFrame({ state: {
	...state,
	cursor: 0,
	value: "",
	error: none()
} }));
const defaultIntProcessor = (input, state) => {
	if (state.value.length === 0 && input === "-") return succeed$1(Action$1.NextFrame({ state: {
		...state,
		value: "-",
		error: none()
	} }));
	const parsed = globalThis.Number.parseInt(state.value + input);
	if (globalThis.Number.isNaN(parsed)) return succeed$1(Action$1.Beep());
	else return succeed$1(Action$1.NextFrame({ state: {
		...state,
		value: `${parsed}`,
		error: none()
	} }));
};
const defaultFloatProcessor = (input, state) => {
	if (input === "." && state.value.includes(".")) return succeed$1(Action$1.Beep());
	if (state.value.length === 0 && input === "-") return succeed$1(Action$1.NextFrame({ state: {
		...state,
		value: "-",
		error: none()
	} }));
	const parsed = globalThis.Number.parseFloat(state.value + input);
	if (globalThis.Number.isNaN(parsed)) return succeed$1(Action$1.Beep());
	else return succeed$1(Action$1.NextFrame({ state: {
		...state,
		value: input === "." ? `${parsed}.` : state.value.includes(".") && /^\d$/.test(input) ? state.value + input : `${parsed}`,
		error: none()
	} }));
};
const handleRenderInteger = (options) => {
	return (state, action) => {
		return Action$1.$match(action, {
			Beep: () => succeed$1(renderBeep),
			NextFrame: ({ state }) => renderNumberNextFrame(state, options),
			Submit: () => renderNumberSubmission(state, options)
		});
	};
};
const handleProcessInteger = (options) => {
	return (input, state) => {
		if (input.key.ctrl && input.key.name === "u") return processNumberClear(state);
		switch (input.key.name) {
			case "backspace": return processNumberBackspace(state);
			case "k":
			case "up": return succeed$1(Action$1.NextFrame({ state: {
				...state,
				value: state.value === "" || state.value === "-" ? `${options.incrementBy}` : `${globalThis.Number.parseInt(state.value) + options.incrementBy}`,
				error: none()
			} }));
			case "j":
			case "down": return succeed$1(Action$1.NextFrame({ state: {
				...state,
				value: state.value === "" || state.value === "-" ? `-${options.decrementBy}` : `${globalThis.Number.parseInt(state.value) - options.decrementBy}`,
				error: none()
			} }));
			case "enter":
			case "return": {
				const parsed = globalThis.Number.parseInt(state.value);
				if (globalThis.Number.isNaN(parsed)) return succeed$1(Action$1.NextFrame({ state: {
					...state,
					error: some("Must provide an integer value")
				} }));
				else return match$2(options.validate(parsed), {
					onFailure: (error) => Action$1.NextFrame({ state: {
						...state,
						error: some(error)
					} }),
					onSuccess: (value) => Action$1.Submit({ value })
				});
			}
			default: return defaultIntProcessor(getOrElse(input.input, () => ""), state);
		}
	};
};
const handleRenderFloat = (options) => {
	return (state, action) => {
		return Action$1.$match(action, {
			Beep: () => succeed$1(renderBeep),
			NextFrame: ({ state }) => renderNumberNextFrame(state, options),
			Submit: () => renderNumberSubmission(state, options)
		});
	};
};
const handleProcessFloat = (options) => {
	return (input, state) => {
		if (input.key.ctrl && input.key.name === "u") return processNumberClear(state);
		switch (input.key.name) {
			case "backspace": return processNumberBackspace(state);
			case "k":
			case "up": return succeed$1(Action$1.NextFrame({ state: {
				...state,
				value: state.value === "" || state.value === "-" ? `${options.incrementBy}` : `${globalThis.Number.parseFloat(state.value) + options.incrementBy}`,
				error: none()
			} }));
			case "j":
			case "down": return succeed$1(Action$1.NextFrame({ state: {
				...state,
				value: state.value === "" || state.value === "-" ? `-${options.decrementBy}` : `${globalThis.Number.parseFloat(state.value) - options.decrementBy}`,
				error: none()
			} }));
			case "enter":
			case "return": {
				const parsed = globalThis.Number.parseFloat(state.value);
				if (globalThis.Number.isNaN(parsed)) return succeed$1(Action$1.NextFrame({ state: {
					...state,
					error: some("Must provide a floating point value")
				} }));
				else return flatMap$1(sync(() => round(parsed, options.precision)), (rounded) => match$2(options.validate(rounded), {
					onFailure: (error) => Action$1.NextFrame({ state: {
						...state,
						error: some(error)
					} }),
					onSuccess: (value) => Action$1.Submit({ value })
				}));
			}
			default: return defaultFloatProcessor(getOrElse(input.input, () => ""), state);
		}
	};
};
const renderSelectOutput = (leadingSymbol, trailingSymbol, options, theme, renderOptions) => options.message === void 0 ? void 0 : renderPrompt("", options.message, leadingSymbol, trailingSymbol, theme, renderOptions);
const withSelectHeader = (header, body) => header === void 0 ? body : header + "\n" + body;
const renderChoicePrefix = (state, choices, toDisplay, currentIndex, figures, renderOptions) => {
	const prefix = renderPagingPrefix(figures, currentIndex === toDisplay.startIndex && toDisplay.startIndex > 0, currentIndex === toDisplay.endIndex - 1 && toDisplay.endIndex < choices.length);
	if (renderOptions?.plain === true) return state === currentIndex ? figures.pointer + prefix : prefix + " ".repeat(figures.pointer.length);
	if (choices[currentIndex].disabled) {
		const annotation = combine(bold, figures.mutedColor);
		return state === currentIndex ? annotateSymbol(figures, figures.pointer, annotation) + prefix : prefix + " ".repeat(figures.pointer.length);
	}
	return state === currentIndex ? annotateSymbol(figures, figures.pointer, figures.primaryColor) + prefix : prefix + " ".repeat(figures.pointer.length);
};
const renderChoiceTitle = (choice, isSelected, theme, renderOptions) => {
	if (renderOptions?.plain === true) return choice.title;
	const title = choice.title;
	if (isSelected) return choice.disabled ? annotate(theme.colors, title, combine(underlined, theme.mutedColor)) : annotate(theme.colors, title, combine(underlined, theme.primaryColor));
	return choice.disabled ? annotate(theme.colors, title, combine(strikethrough, theme.mutedColor)) : title;
};
const renderSelectChoices = (state, options, figures, renderOptions) => {
	const choices = options.choices;
	const toDisplay = entriesToDisplay(state, choices.length, options.maxPerPage);
	const documents = [];
	for (let index = toDisplay.startIndex; index < toDisplay.endIndex; index++) {
		const choice = choices[index];
		const isSelected = state === index;
		const prefix = renderChoicePrefix(state, choices, toDisplay, index, figures, renderOptions);
		const title = renderChoiceTitle(choice, isSelected, figures, renderOptions);
		const description = renderChoiceDescription(choice, isSelected, figures, renderOptions);
		documents.push(prefix + title + " " + description);
	}
	return documents.join("\n");
};
const renderSelectNextFrame = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const choices = renderSelectChoices(state, options, figures);
	const leadingSymbol = annotateSymbol(figures, figures.prefix, figures.primaryColor);
	const trailingSymbol = annotateSymbol(figures, figures.pointerSmall, figures.mutedColor);
	const promptMsg = renderSelectOutput(leadingSymbol, trailingSymbol, options, figures);
	return cursorHide + withSelectHeader(promptMsg, choices);
});
const renderSelectSubmission = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const selected = options.choices[state].title;
	const leadingSymbol = annotateSymbol(figures, figures.tick, figures.successColor);
	const trailingSymbol = annotateSymbol(figures, figures.ellipsis, figures.mutedColor);
	return (renderSelectOutput(leadingSymbol, trailingSymbol, options, figures) ?? leadingSymbol) + " " + annotate(figures.colors, selected, figures.submittedColor) + "\n";
});
const processSelectCursorUp = (state, choices) => {
	if (state === 0) return succeed$1(Action$1.NextFrame({ state: choices.length - 1 }));
	return succeed$1(Action$1.NextFrame({ state: state - 1 }));
};
const processSelectCursorDown = (state, choices) => {
	if (state === choices.length - 1) return succeed$1(Action$1.NextFrame({ state: 0 }));
	return succeed$1(Action$1.NextFrame({ state: state + 1 }));
};
const processSelectNext = (state, choices) => {
	return succeed$1(Action$1.NextFrame({ state: (state + 1) % choices.length }));
};
const handleSelectRender = (options) => {
	return (state, action) => {
		return Action$1.$match(action, {
			Beep: () => succeed$1(renderBeep),
			NextFrame: ({ state }) => renderSelectNextFrame(state, options),
			Submit: () => renderSelectSubmission(state, options)
		});
	};
};
const handleSelectClear = (options) => fnUntraced(function* (state, _) {
	const columns = yield* (yield* Terminal).columns;
	const figures = yield* getTheme(options);
	const clearPrompt = eraseLine + "\x1B[G";
	const promptText = renderSelectOutput(figures.prefix, figures.pointerSmall, options, figures, { plain: true });
	const choicesText = renderSelectChoices(state, options, figures, { plain: true });
	return eraseText(withSelectHeader(promptText, choicesText), columns) + clearPrompt;
});
const handleSelectProcess = (options) => {
	return (input, state) => {
		switch (input.key.name) {
			case "k":
			case "up": return processSelectCursorUp(state, options.choices);
			case "j":
			case "down": return processSelectCursorDown(state, options.choices);
			case "tab": return processSelectNext(state, options.choices);
			case "enter":
			case "return": {
				const selected = options.choices[state];
				if (selected.disabled) return succeed$1(Action$1.Beep());
				return succeed$1(Action$1.Submit({ value: selected.value }));
			}
			default: return succeed$1(Action$1.Beep());
		}
	};
};
const renderClearScreen = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const columns = yield* (yield* Terminal).columns;
	const figures = yield* getTheme(options);
	const resetCurrentLine = eraseLine + "\x1B[G";
	const errorText = renderTextError(state, figures.pointerSmall, figures, { plain: true });
	return clearOutputWithError(renderTextOutput(state, figures.prefix, figures.pointerSmall, options, figures, { plain: true }), columns, errorText) + resetCurrentLine;
});
const renderTextInput = (nextState, options, theme, submitted, renderOptions) => {
	const text = nextState.value;
	if (renderOptions?.plain === true) switch (options.type) {
		case "hidden": return "";
		case "password": return theme.passwordMask.repeat(text.length);
		case "text": return text;
	}
	if (text.length === 0) return "";
	const annotation = isSome(nextState.error) ? theme.errorColor : submitted ? theme.submittedColor : combine(underlined, theme.primaryColor);
	switch (options.type) {
		case "hidden": return "";
		case "password": return annotateSymbol(theme, theme.passwordMask.repeat(text.length), annotation);
		case "text": return annotate(theme.colors, text, annotation);
	}
};
const renderTextError = (nextState, pointer, theme, renderOptions) => {
	if (isSome(nextState.error)) return match(nextState.error.value.split(NEWLINE_REGEXP), {
		onEmpty: () => "",
		onNonEmpty: (errorLines) => {
			if (renderOptions?.plain === true) return separateSymbol(pointer, errorLines.join("\n"));
			const prefix = annotateSymbol(theme, pointer, theme.errorColor);
			const lines = map$3(errorLines, (str) => annotateErrorLine(theme, str));
			return "\x1B[s" + "\n" + separateSymbol(prefix, lines.join("\n")) + "\x1B[u";
		}
	});
	return "";
};
const renderTextOutput = (nextState, leadingSymbol, trailingSymbol, options, theme, renderOptions, submitted = false) => {
	const value = renderTextInput(nextState, options, theme, submitted, renderOptions);
	return renderPrompt(value, options.message, leadingSymbol, trailingSymbol, theme, renderOptions);
};
const renderTextNextFrame = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.prefix, figures.primaryColor);
	const trailingSymbol = annotateSymbol(figures, figures.pointerSmall, figures.mutedColor);
	const promptMsg = renderTextOutput(state, leadingSymbol, trailingSymbol, options, figures);
	const errorMsg = renderTextError(state, figures.pointerSmall, figures);
	const cursorWidth = options.type === "password" ? figures.passwordMask.length : 1;
	const offset = (state.cursor - state.value.length) * cursorWidth;
	return promptMsg + errorMsg + cursorMove(offset);
});
const renderTextSubmission = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.tick, figures.successColor);
	const trailingSymbol = annotateSymbol(figures, figures.ellipsis, figures.mutedColor);
	return renderTextOutput(state, leadingSymbol, trailingSymbol, options, figures, void 0, true) + "\n";
});
const processTextBackspace = (state) => {
	if (state.cursor <= 0) return succeed$1(Action$1.Beep());
	const beforeCursor = state.value.slice(0, state.cursor - 1);
	const afterCursor = state.value.slice(state.cursor);
	const cursor = state.cursor - 1;
	const value = `${beforeCursor}${afterCursor}`;
	return succeed$1(Action$1.NextFrame({ state: {
		...state,
		cursor,
		value,
		error: none()
	} }));
};
const processTextClear = (state) => succeed$1(Action$1.NextFrame({ state: {
	...state,
	cursor: 0,
	value: "",
	error: none()
} }));
const processTextCursorLeft = (state) => {
	if (state.cursor <= 0) return succeed$1(Action$1.Beep());
	const cursor = state.cursor - 1;
	return succeed$1(Action$1.NextFrame({ state: {
		...state,
		cursor,
		error: none()
	} }));
};
const processTextCursorRight = (state) => {
	if (state.cursor >= state.value.length) return succeed$1(Action$1.Beep());
	const cursor = Math.min(state.cursor + 1, state.value.length);
	return succeed$1(Action$1.NextFrame({ state: {
		...state,
		cursor,
		error: none()
	} }));
};
const processTextCursorStart = (state) => succeed$1(Action$1.NextFrame({ state: {
	...state,
	cursor: 0,
	error: none()
} }));
const processTextCursorEnd = (state) => succeed$1(Action$1.NextFrame({ state: {
	...state,
	cursor: state.value.length,
	error: none()
} }));
const processTab = (state, options) => {
	if (state.value === options.default) return succeed$1(Action$1.Beep());
	const value = state.value.length === 0 ? options.default : state.value;
	return succeed$1(Action$1.NextFrame({ state: {
		...state,
		value,
		cursor: value.length,
		error: none()
	} }));
};
const defaultTextProcessor = (input, state) => {
	const value = `${state.value.slice(0, state.cursor)}${input}${state.value.slice(state.cursor)}`;
	const cursor = state.cursor + input.length;
	return succeed$1(Action$1.NextFrame({ state: {
		...state,
		cursor,
		value,
		error: none()
	} }));
};
const handleTextRender = (options) => {
	return (state, action) => {
		return Action$1.$match(action, {
			Beep: () => succeed$1(renderBeep),
			NextFrame: ({ state }) => renderTextNextFrame(state, options),
			Submit: () => renderTextSubmission(state, options)
		});
	};
};
const handleTextProcess = (options) => {
	return (input, state) => {
		if (input.key.ctrl) switch (input.key.name) {
			case "u": return processTextClear(state);
			case "a": return processTextCursorStart(state);
			case "e": return processTextCursorEnd(state);
			default: return succeed$1(Action$1.Beep());
		}
		switch (input.key.name) {
			case "backspace": return processTextBackspace(state);
			case "left": return processTextCursorLeft(state);
			case "right": return processTextCursorRight(state);
			case "home": return processTextCursorStart(state);
			case "end": return processTextCursorEnd(state);
			case "enter":
			case "return": {
				const value = state.value;
				return match$2(options.validate(value), {
					onFailure: (error) => Action$1.NextFrame({ state: {
						...state,
						value,
						error: some(error)
					} }),
					onSuccess: (value) => Action$1.Submit({ value })
				});
			}
			case "tab": return processTab(state, options);
			default: return defaultTextProcessor(getOrElse(input.input, () => ""), state);
		}
	};
};
const handleTextClear = (options) => {
	return (state, _) => {
		return renderClearScreen(state, options);
	};
};
const basePrompt = (options, type) => {
	const opts = {
		default: "",
		type,
		validate: succeed$1,
		...options
	};
	const initialState = {
		cursor: opts.default.length,
		value: opts.default,
		error: none()
	};
	return Custom(initialState, {
		render: handleTextRender(opts),
		process: handleTextProcess(opts),
		clear: handleTextClear(opts)
	});
};
const handleToggleClear = /*#__PURE__*/ fnUntraced(function* (options) {
	const columns = yield* (yield* Terminal).columns;
	const figures = yield* getTheme(options);
	const clearPrompt = eraseLine + "\x1B[G";
	const toggleText = options.active + " " + separateSymbol(figures.toggleSeparator, options.inactive);
	const promptText = renderPrompt(toggleText, options.message, figures.prefix, figures.pointerSmall, figures, { plain: true });
	return eraseText(promptText, columns) + clearPrompt;
});
const renderToggle = (value, options, theme, submitted = false) => {
	const separator = annotateSymbol(theme, theme.toggleSeparator, theme.mutedColor);
	const selectedAnnotation = combine(underlined, submitted ? theme.submittedColor : theme.primaryColor);
	const inactive = value ? options.inactive : annotate(theme.colors, options.inactive, selectedAnnotation);
	return (value ? annotate(theme.colors, options.active, selectedAnnotation) : options.active) + " " + separateSymbol(separator, inactive);
};
const renderToggleNextFrame = /*#__PURE__*/ fnUntraced(function* (state, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.prefix, figures.primaryColor);
	const trailingSymbol = annotateSymbol(figures, figures.pointerSmall, figures.mutedColor);
	const toggle = renderToggle(state, options, figures);
	const promptMsg = renderPrompt(toggle, options.message, leadingSymbol, trailingSymbol, figures);
	return cursorHide + promptMsg;
});
const renderToggleSubmission = /*#__PURE__*/ fnUntraced(function* (value, options) {
	const figures = yield* getTheme(options);
	const leadingSymbol = annotateSymbol(figures, figures.tick, figures.successColor);
	const trailingSymbol = annotateSymbol(figures, figures.ellipsis, figures.mutedColor);
	const toggle = renderToggle(value, options, figures, true);
	return renderPrompt(toggle, options.message, leadingSymbol, trailingSymbol, figures) + "\n";
});
const activate = /*#__PURE__*/ succeed$1(/*#__PURE__*/ Action$1.NextFrame({ state: true }));
const deactivate = /*#__PURE__*/ succeed$1(/*#__PURE__*/ Action$1.NextFrame({ state: false }));
const handleToggleRender = (options) => {
	return (state, action) => {
		switch (action._tag) {
			case "Beep": return succeed$1(renderBeep);
			case "NextFrame": return renderToggleNextFrame(state, options);
			case "Submit": return renderToggleSubmission(state, options);
		}
	};
};
const handleToggleProcess = (input, state) => {
	switch (input.key.name) {
		case "0":
		case "j":
		case "delete":
		case "right":
		case "down": return deactivate;
		case "1":
		case "k":
		case "left":
		case "up": return activate;
		case " ":
		case "tab": return state ? deactivate : activate;
		case "enter":
		case "return": return succeed$1(Action$1.Submit({ value: state }));
		default: return succeed$1(Action$1.Beep());
	}
};
const entriesToDisplay = (cursor, total, maxVisible) => {
	const max = maxVisible === void 0 ? total : maxVisible;
	let startIndex = Math.min(total - max, cursor - Math.floor(max / 2));
	if (startIndex < 0) startIndex = 0;
	const endIndex = Math.min(startIndex + max, total);
	return {
		startIndex,
		endIndex
	};
};

// node_modules/effect/dist/cli/Param.js
const TypeId$1 = "~effect/cli/Param";
/**
* Defines the kind discriminator for positional argument parameters.
*
* **When to use**
*
* Use to build low-level `Param` constructors or type positions for positional
* argument parameters.
*
* @see {@link flagKind} for the named flag parameter discriminator
* @see {@link ParamKind} for the full parameter kind union
*
* @stability unstable
* @category constants
* @since 4.0.0
*/
const argumentKind = "argument";
/**
* Defines the kind discriminator for flag parameters.
*
* **When to use**
*
* Use to build low-level `Param` constructors or type positions for named flag
* parameters.
*
* @see {@link argumentKind} for the positional argument parameter discriminator
*
* @stability unstable
* @category constants
* @since 4.0.0
*/
const flagKind = "flag";
const Proto$1 = {
	[TypeId$1]: { _A: identity },
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/**
* Type guard to check if a value is a Param.
*
* **Example** (Checking for params)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* const maybeParam = Param.String(Param.flagKind, "name")
*
* Param.isParam(maybeParam) // => true
* ```
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isParam = (u) => hasProperty(u, TypeId$1);
/**
* Type guard to check if a Single param is a flag (not an argument).
*
* @internal
*/
const isFlagParam = (single) => single.kind === "flag";
/**
* Constructs a leaf `Single` parameter from its kind, name, primitive parser,
* and optional help metadata.
*
* **Details**
*
* The returned parser reads either one positional argument or the named flag,
* depending on `kind`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const makeSingle = (params) => {
	const parse = (args) => params.kind === "argument" ? parsePositional(params.name, params.primitiveType, args) : parseFlag(params.name, params.primitiveType, args);
	return Object.setPrototypeOf({
		_tag: "Single",
		...params,
		description: params.description ?? none(),
		aliases: params.aliases ?? [],
		hidden: params.hidden ?? false,
		parse
	}, Proto$1);
};
/**
* Creates a string parameter.
*
* **Example** (Creating string parameters)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // Create a string flag
* const nameFlag = Param.String(Param.flagKind, "name")
*
* // Create a string argument
* const fileArg = Param.String(Param.argumentKind, "file")
*
* // Usage in CLI: --name "John Doe" or as positional argument
* const kinds = [nameFlag.kind, fileArg.kind] // => ["flag", "argument"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const String$3 = (kind, name) => makeSingle({
	name,
	primitiveType: String$5,
	kind
});
/**
* Creates a boolean parameter.
*
* **Example** (Creating boolean parameters)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // Create a boolean flag
* const verboseFlag = Param.Boolean(Param.flagKind, "verbose")
*
* // Create a boolean argument
* const enableArg = Param.Boolean(Param.argumentKind, "enable")
*
* // Usage in CLI: --verbose (true) or --no-verbose (false).
* // The flag is required unless made optional or given a fallback.
* // Boolean positional arguments accept true/false.
* const kinds = [verboseFlag.kind, enableArg.kind] // => ["flag", "argument"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Boolean$1 = (kind, name) => makeSingle({
	name,
	primitiveType: Boolean$2,
	kind
});
/**
* Creates an integer parameter.
*
* **Example** (Creating integer parameters)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // Create an integer flag
* const portFlag = Param.Int(Param.flagKind, "port")
*
* // Create an integer argument
* const countArg = Param.Int(Param.argumentKind, "count")
*
* // Usage in CLI: --port 8080 or as positional argument: 42
* const kinds = [portFlag.kind, countArg.kind] // => ["flag", "argument"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Int$1 = (kind, name) => makeSingle({
	name,
	primitiveType: Int$3,
	kind
});
/**
* Constructs command-line params that represent a choice between several
* inputs. The input will be mapped to it's associated value during parsing.
*
* **Example** (Creating valued choices)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* type Animal = Dog | Cat
*
* interface Dog {
*   readonly _tag: "Dog"
* }
*
* interface Cat {
*   readonly _tag: "Cat"
* }
*
* const animal = Param.ChoiceWithValue(Param.flagKind, "animal", [
*   ["dog", { _tag: "Dog" }],
*   ["cat", { _tag: "Cat" }]
* ])
* animal.kind // => "flag"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const ChoiceWithValue$1 = (kind, name, choices) => makeSingle({
	name,
	primitiveType: Choice(choices),
	kind
});
/**
* Constructs command-line params that represent a choice between several
* string inputs.
*
* **Example** (Creating string choices)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* const logLevel = Param.Literals(Param.flagKind, "log-level", [
*   "debug",
*   "info",
*   "warn",
*   "error"
* ])
* logLevel.kind // => "flag"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Literals$2 = (kind, name, choices) => {
	const mappedChoices = choices.map((value) => [value, value]);
	return ChoiceWithValue$1(kind, name, mappedChoices);
};
const FLAG_DASH_REGEXP = /^-+/;
/**
* Adds an alias to an option.
*
* **When to use**
*
* Use when you need a CLI parameter to accept an alternate name, such as "-f"
* for "--force".
*
* **Details**
*
* This works on any param structure by recursively finding the underlying
* `Single` node and applying the alias there.
*
* **Example** (Adding parameter aliases)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* const force = Param.Boolean(Param.flagKind, "force").pipe(
*   Param.withAlias("-f"),
*   Param.withAlias("-F")
* )
*
* // Also works on composed params:
* const count = Param.Int(Param.flagKind, "count").pipe(
*   Param.optional,
*   Param.withAlias("-c") // finds the underlying Single and adds alias
* )
* const kinds = [force.kind, count.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withAlias$1 = /*#__PURE__*/ dual(2, (self, alias) => {
	return transformSingle(self, (single) => makeSingle({
		...single,
		aliases: [...single.aliases, alias.replace(FLAG_DASH_REGEXP, "")]
	}));
});
/**
* Adds a description to an option for help text.
*
* **Details**
*
* Descriptions provide users with information about what the option does
* when they view help documentation.
*
* **Example** (Adding help descriptions)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* const verbose = Param.Boolean(Param.flagKind, "verbose").pipe(
*   Param.withAlias("-v"),
*   Param.withDescription("Enable verbose output")
* )
* verbose.kind // => "flag"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withDescription$3 = /*#__PURE__*/ dual(2, (self, description) => {
	return transformSingle(self, (single) => makeSingle({
		...single,
		description: some(description)
	}));
});
/**
* Transforms the parsed value of an option using a mapping function.
*
* **Example** (Mapping parsed values)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* const port = Param.Int(Param.flagKind, "port").pipe(
*   Param.map((n) => ({ port: n, url: `http://localhost:${n}` }))
* )
* port.kind // => "flag"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const map = /*#__PURE__*/ dual(2, (self, f) => {
	const parse = (args) => map$2(self.parse(args), ([operands, value]) => [operands, f(value)]);
	return Object.assign(Object.create(Proto$1), {
		_tag: "Map",
		kind: self.kind,
		param: self,
		f,
		parse
	});
});
const transform = (self, f, alternatives = []) => {
	const alternativeParsers = alternatives.map((alternative) => () => alternative().parse);
	return Object.assign(Object.create(Proto$1), {
		_tag: "Transform",
		kind: self.kind,
		param: self,
		alternatives,
		f,
		parse: f(self.parse, alternativeParsers)
	});
};
/**
* Transforms the parsed value of an option using an effectful mapping function.
*
* **Example** (Mapping parsed values effectfully)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { CliError, Param } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* const validatedEmail = Param.String(Param.flagKind, "email").pipe(
*   Param.mapEffect((email) =>
*     email.includes("@")
*       ? Effect.succeed(email)
*       : Effect.fail(
*         new CliError.InvalidValue({
*           option: "email",
*           value: email,
*           expected: "valid email format",
*           kind: "flag"
*         })
*       )
*   )
* )
*
* const [, value] = await Effect.runPromise(
*   validatedEmail.parse({
*     arguments: [],
*     flags: { email: ["alice@example.com"] }
*   }).pipe(Effect.provide(CliTestLayer))
* )
* value // => "alice@example.com"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const mapEffect = /*#__PURE__*/ dual(2, (self, f) => transform(self, (parse) => (args) => flatMap$1(parse(args), ([leftover, a]) => f(a).pipe(map$2((b) => [leftover, b])))));
/**
* Makes a flag or positional argument optional.
*
* **Details**
*
* When the parameter is absent, parsing succeeds with `Option.none()` instead
* of failing with a missing option or missing argument error. When present, the
* parsed value is wrapped in `Option.some()`.
*
* **Example** (Making parameters optional)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // Create an optional port option
* // - When not provided: returns Option.none()
* // - When provided: returns Option.some(parsedValue)
* const port = Param.optional(Param.Int(Param.flagKind, "port"))
* port.kind // => "flag"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const optional$2 = (param) => {
	const parse = (args) => param.parse(args).pipe(map$2(([leftover, value]) => [leftover, some(value)]), catchTags({
		MissingOption: () => succeed$1([args.arguments, none()]),
		MissingArgument: () => succeed$1([args.arguments, none()])
	}));
	return Object.assign(Object.create(Proto$1), {
		_tag: "Optional",
		kind: param.kind,
		param,
		parse
	});
};
/**
* Makes a flag or positional argument optional by supplying a fallback value.
*
* **Details**
*
* The fallback may be a pure value or an effect. It is used only when the
* parameter is absent; provided values are parsed normally.
*
* **Example** (Providing default values)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // Using the pipe operator to make an option optional
* const port = Param.Int(Param.flagKind, "port").pipe(
*   Param.withDefault(8080)
* )
*
* // Can also be used with other combinators
* const verbose = Param.Boolean(Param.flagKind, "verbose").pipe(
*   Param.withAlias("-v"),
*   Param.withDescription("Enable verbose output"),
*   Param.withDefault(false)
* )
* const kinds = [port.kind, verbose.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withDefault$1 = /*#__PURE__*/ dual(2, (self, defaultValue) => {
	if (!isEffect(defaultValue)) return map(optional$2(self), getOrElse(() => defaultValue));
	return mapEffect(optional$2(self), match$1({
		onNone: () => defaultValue,
		onSome: succeed$1
	}));
});
/**
* Creates a variadic parameter that can be specified multiple times.
*
* **Details**
*
* This is the base combinator for creating parameters that accept multiple values.
* The `min` and `max` parameters are optional. When they are not provided, the
* parameter can be specified any number of times, from 0 to infinity.
*
* **Example** (Accepting multiple values)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // Basic variadic parameter (0 to infinity)
* const tags = Param.variadic(Param.String(Param.flagKind, "tag"))
*
* // Variadic with minimum count
* const inputs = Param.variadic(
*   Param.String(Param.flagKind, "input"),
*   { min: 1 } // at least 1 required
* )
*
* // Variadic with both min and max
* const limited = Param.variadic(Param.String(Param.flagKind, "item"), {
*   min: 2, // at least 2 times
*   max: 2 // at most 2 times
* })
* const kinds = [tags.kind, inputs.kind, limited.kind] // => ["flag", "flag", "flag"]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const variadic$1 = (self, options) => {
	const single = getUnderlyingSingleOrThrow(self);
	const parse = (args) => {
		if (single.kind === "argument") return parsePositionalVariadic(self, single, args, options);
		else return parseOptionVariadic(self, single, args, options);
	};
	return Object.assign(Object.create(Proto$1), {
		_tag: "Variadic",
		kind: self.kind,
		param: self,
		min: fromUndefinedOr(options?.min),
		max: fromUndefinedOr(options?.max),
		parse
	});
};
/**
* Wraps an option to require it to be specified at least `min` times.
*
* **Details**
*
* This combinator transforms an option to accept at least `min`
* occurrences on the command line, returning an array of all provided values.
*
* **Example** (Requiring repeated values)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // Require at least 2 input files
* const inputs = Param.String(Param.flagKind, "input").pipe(
*   Param.atLeast(2),
*   Param.withAlias("-i")
* )
*
* // Parse: --input file1.txt --input file2.txt --input file3.txt
* // Result: ["file1.txt", "file2.txt", "file3.txt"]
* inputs.kind // => "flag"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const atLeast$1 = /*#__PURE__*/ dual(2, (self, min) => {
	if (min < 0) throw new Error("atLeast: min must be non-negative");
	return variadic$1(self, { min });
});
/**
* Sets a custom metavar (placeholder name) for the param in help documentation.
*
* **Details**
*
* The metavar is displayed in usage text to indicate what value the user should provide.
* For example, `--output FILE` shows `FILE` as the metavar.
*
* **Example** (Setting metavars)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* const port = Param.Int(Param.flagKind, "port").pipe(
*   Param.withMetavar("PORT"),
*   Param.filter(
*     (p) => p >= 1 && p <= 65535,
*     () => "Port must be between 1 and 65535"
*   )
* )
* port.kind // => "flag"
* ```
*
* @stability unstable
* @category metadata
* @since 4.0.0
*/
const withMetavar$1 = /*#__PURE__*/ dual(2, (self, metavar) => transformSingle(self, (single) => makeSingle({
	...single,
	typeName: metavar
})));
/**
* Removes the negated `--no-<name>` form of a boolean flag.
*
* **Details**
*
* The negated form is then rejected as an unrecognized flag and left out of
* shell completions. Has no effect on non-boolean flags.
*
* **Example** (Disabling a boolean flag's negation)
*
* ```ts import.meta.vitest
* import { Param } from "effect/cli"
*
* // --unsafe sets true, --no-unsafe is rejected
* const unsafe = Param.Boolean(Param.flagKind, "unsafe").pipe(
*   Param.withoutNegation
* )
* unsafe.kind // => "flag"
* ```
*
* @stability unstable
* @category combinators
* @since 4.1.0
*/
const withoutNegation$1 = (self) => transformSingle(self, (single) => makeSingle({
	...single,
	negation: false
}));
/**
* Validates parsed values against a Schema, providing detailed error messages.
*
* **Example** (Validating with schemas)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { Param } from "effect/cli"
* const isEmail = Schema.isPattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/)
*
* const Email = Schema.String.pipe(
*   Schema.check(isEmail)
* )
*
* const email = Param.String(Param.flagKind, "email").pipe(
*   Param.withSchema(Email)
* )
* email.kind // => "flag"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withSchema$2 = /*#__PURE__*/ dual(2, (self, schema) => {
	const decodeParam = decodeUnknownEffect(schema);
	return mapEffect(self, (value) => mapError(decodeParam(value), (error) => {
		const single = getUnderlyingSingleOrThrow(self);
		return new InvalidValue({
			option: single.name,
			value: globalThis.String(value),
			expected: `Schema validation failed: ${error.message}`,
			kind: single.kind
		});
	}));
});
const parsePositional = /*#__PURE__*/ fnUntraced(function* (name, primitiveType, args) {
	if (args.arguments.length === 0) return yield* new MissingArgument({ argument: name });
	const arg = args.arguments[0];
	const value = yield* mapError(primitiveType.parse(arg), (error) => new InvalidValue({
		option: name,
		value: arg,
		expected: error,
		kind: "argument"
	}));
	return [args.arguments.slice(1), value];
});
const parseFlag = /*#__PURE__*/ fnUntraced(function* (name, primitiveType, args) {
	const providedValues = args.flags[name];
	if (providedValues === void 0 || providedValues.length === 0) return yield* new MissingOption({ option: name });
	if (providedValues.length > 1) return yield* new InvalidValue({
		option: name,
		value: `${providedValues.length} occurrences`,
		expected: "at most 1 value",
		kind: "flag"
	});
	const arg = providedValues[0];
	const value = yield* mapError(primitiveType.parse(arg), (error) => new InvalidValue({
		option: name,
		value: arg,
		expected: error,
		kind: "flag"
	}));
	return [args.arguments, value];
});
const parsePositionalVariadic = /*#__PURE__*/ fnUntraced(function* (self, single, args, options) {
	const results = [];
	const minValue = options?.min ?? 0;
	const maxValue = options?.max ?? Number.POSITIVE_INFINITY;
	let count = 0;
	let currentArgs = args.arguments;
	while (currentArgs.length > 0 && count < maxValue) {
		const [remainingArgs, value] = yield* self.parse({
			flags: args.flags,
			arguments: currentArgs
		});
		results.push(value);
		currentArgs = remainingArgs;
		count++;
	}
	if (count < minValue) return yield* count === 0 ? new MissingArgument({ argument: single.name }) : new InvalidValue({
		option: single.name,
		value: `${count} values`,
		expected: `at least ${minValue} value${minValue === 1 ? "" : "s"}`,
		kind: single.kind
	});
	return [currentArgs, results];
});
const parseOptionVariadic = /*#__PURE__*/ fnUntraced(function* (self, single, args, options) {
	const results = [];
	const values = [single.name, ...single.aliases].flatMap((name) => args.flags[name] ?? []);
	const count = values.length;
	if (isNotUndefined(options?.min) && count < options.min) return yield* count === 0 ? new MissingOption({ option: single.name }) : new InvalidValue({
		option: single.name,
		value: `${count} occurrences`,
		expected: `at least ${options.min} value${options.min === 1 ? "" : "s"}`,
		kind: single.kind
	});
	if (isNotUndefined(options?.max) && count > options.max) return yield* new InvalidValue({
		option: single.name,
		value: `${count} occurrences`,
		expected: `at most ${options.max} value${options.max === 1 ? "" : "s"}`,
		kind: single.kind
	});
	for (const value of values) {
		const [, parsedValue] = yield* self.parse({
			flags: { [single.name]: [value] },
			arguments: []
		});
		results.push(parsedValue);
	}
	return [args.arguments, results];
});
/**
* Type-safe param matcher that handles the unsafe casting internally.
* This provides a clean API for pattern matching on param types while
* maintaining type safety at the call site.
*/
const matchParam = (param, patterns) => {
	const p = param;
	switch (p._tag) {
		case "Single": return patterns.Single(p);
		case "Map": return patterns.Map(p);
		case "Transform": return patterns.Transform(p);
		case "Optional": return patterns.Optional(p);
		case "Variadic": return patterns.Variadic(p);
	}
};
/**
* Recursively transforms a param by applying a function to any `Single` nodes.
* This is used internally by combinators like `withAlias` to traverse the param tree.
*/
const transformSingle = (param, f) => {
	return matchParam(param, {
		Single: (single) => f(single),
		Map: (mapped) => map(transformSingle(mapped.param, f), mapped.f),
		Transform: (mapped) => transform(transformSingle(mapped.param, f), mapped.f, mapped.alternatives.map((alternative) => () => transformSingle(alternative(), f))),
		Optional: (p) => optional$2(transformSingle(p.param, f)),
		Variadic: (p) => variadic$1(transformSingle(p.param, f), {
			min: getOrUndefined(p.min),
			max: getOrUndefined(p.max)
		})
	});
};
/**
* Extracts all Single params from a potentially nested param structure.
* This handles all param combinators including Map, Transform, Optional, and Variadic.
*
* @internal
*/
const extractSingleParams = (param) => {
	return matchParam(param, {
		Single: (single) => [single],
		Map: (mapped) => extractSingleParams(mapped.param),
		Transform: (mapped) => [...extractSingleParams(mapped.param), ...mapped.alternatives.flatMap((alternative) => extractSingleParams(alternative()))],
		Optional: (optional) => extractSingleParams(optional.param),
		Variadic: (variadic) => extractSingleParams(variadic.param)
	});
};
/**
* Gets the underlying Single param from a potentially nested param structure.
* Throws an error if there are no singles or multiple singles found.
*
* @internal
*/
const getUnderlyingSingleOrThrow = (param) => {
	const singles = extractSingleParams(param);
	if (singles.length === 0) throw new Error("No Single param found in param structure");
	if (singles.length > 1) throw new Error(`Multiple Single params found: ${singles.map((s) => s.name).join(", ")}`);
	return singles[0];
};
/**
* Gets param metadata by traversing the structure.
*
* @internal
*/
const getParamMetadata = (param) => {
	return matchParam(param, {
		Single: () => ({
			isOptional: false,
			isVariadic: false,
			variadicMin: none(),
			variadicMax: none()
		}),
		Map: (mapped) => getParamMetadata(mapped.param),
		Transform: (mapped) => getParamMetadata(mapped.param),
		Optional: (optional) => ({
			...getParamMetadata(optional.param),
			isOptional: true
		}),
		Variadic: (variadic) => ({
			...getParamMetadata(variadic.param),
			isVariadic: true,
			variadicMin: variadic.min,
			variadicMax: variadic.max
		})
	});
};

// node_modules/effect/dist/cli/internal/config.js
/**
* Config Internal
* ================
*
* The processed internal representation of a Command.Config declaration.
* Separates the user's declared config shape from the flat parsing representation.
*
* Key concepts:
* - ConfigInternal: The full processed form (flags, arguments, tree)
* - ConfigInternal.Tree: Maps declaration keys to nodes
* - ConfigInternal.Node: Param reference, Array, or Nested subtree
*
* Example transformation from Command.Config to Command.Config.Internal:
*
* ```ts
* // User declares:
* const config = {
*   verbose: Flag.Boolean("verbose").pipe(Flag.withDefault(false)),
*   server: {
*     host: Flag.String("host"),
*     port: Flag.Int("port")
*   },
*   files: Argument.String("files").pipe(Argument.variadic)
* }
*
* // Becomes Config.Internal:
* {
*   arguments: [filesParam],           // Flat array of arguments
*   flags: [verboseParam, hostParam, portParam],  // Flat array of flags
*   orderedParams: [verboseParam, hostParam, portParam, filesParam],
*   tree: {                            // Preserves nested structure
*     verbose: { _tag: "Param", index: 0 },
*     server: {
*       _tag: "Nested",
*       tree: {
*         host: { _tag: "Param", index: 1 },
*         port: { _tag: "Param", index: 2 }
*       }
*     },
*     files: { _tag: "Param", index: 3 }
*   }
* }
* ```
*
* This separation allows:
* 1. Flat iteration over all params for parsing/validation
* 2. Reconstruction of original nested shape for handler input
*/
const ConfigInternalTypeId = "~effect/cli/Command/Config/Internal";
/**
* Parses a Command.Config into a ConfigInternal.
*
* Walks the config structure and:
* 1. Extracts all Params into flat arrays (flags, arguments, orderedParams)
* 2. Builds a tree that remembers the original nested structure
* 3. Assigns each Param an index to link parsed values back
*
* @internal
*/
const parseConfig = (config) => {
	const orderedParams = [];
	const flags = [];
	const args = [];
	function parse(config) {
		const tree = Object.create(null);
		for (const key of Object.keys(config)) tree[key] = parseValue(config[key]);
		return tree;
	}
	function parseValue(value) {
		if (Array.isArray(value)) return {
			_tag: "Array",
			children: value.map((v) => parseValue(v))
		};
		else if (isParam(value)) {
			const index = orderedParams.length;
			orderedParams.push(value);
			if (value.kind === "argument") args.push(value);
			else flags.push(value);
			return {
				_tag: "Param",
				index
			};
		} else return {
			_tag: "Nested",
			tree: parse(value)
		};
	}
	return {
		[ConfigInternalTypeId]: ConfigInternalTypeId,
		flags,
		arguments: args,
		orderedParams,
		tree: parse(config)
	};
};
/**
* @internal
*/
const emptyConfig = /*#__PURE__*/ parseConfig({});
/**
* Reconstructs the original nested config shape from parsed values.
*
* Uses the tree as a blueprint to place each parsed value back into
* its original position in the nested structure.
*
* @internal
*/
const reconstructTree = (tree, results) => {
	const output = {};
	for (const key of Object.keys(tree)) assignProperty(output, key, nodeValue(tree[key]));
	return output;
	function nodeValue(node) {
		switch (node._tag) {
			case "Param": return results[node.index];
			case "Array": return node.children.map((child) => nodeValue(child));
			case "Nested": return reconstructTree(node.tree, results);
		}
	}
};

// node_modules/effect/dist/cli/internal/command.js
/**
* Command Implementation
* ======================
*
* Internal implementation details for CLI commands.
* Public API is in ../Command.ts
*/
const TypeId = "~effect/cli/Command";
/**
* Casts a Command to its internal implementation.
* For use by internal modules that need access to config, parse, handle, etc.
*/
const toImpl = (self) => self;
const Proto = { .../*#__PURE__*/ Prototype({
	label: "Command",
	evaluate() {
		return toImpl(this).service;
	}
}) };
/**
* Internal command constructor. Only accepts already-parsed ConfigInternal.
*/
const makeCommand = (options) => {
	const config = options.config;
	const contextConfig = options.contextConfig ?? emptyConfig;
	const service = options.service ?? Service(`${"~effect/cli/Command"}/${options.name}`);
	const annotations = options.annotations ?? empty$1();
	const globalFlags = options.globalFlags ?? [];
	const subcommands = options.subcommands ?? [];
	const resolveExamples = options.resolveExamples ?? noExamples;
	const handle = (input, commandPath) => isNotUndefined(options.handle) ? options.handle(input, commandPath) : fail(new ShowHelp({
		commandPath,
		errors: []
	}));
	const parse = options.parse ?? makeParser(config);
	const parseContext = options.parseContext ?? makeParser(contextConfig, { allowLeftovers: true });
	const buildHelpDoc = (commandPath) => {
		const args = [];
		const flags = [];
		for (const arg of config.arguments) {
			const singles = extractSingleParams(arg);
			const metadata = getParamMetadata(arg);
			for (const single of singles) args.push({
				name: single.name,
				type: single.typeName ?? getTypeName(single.primitiveType),
				description: single.description,
				required: !metadata.isOptional && (!metadata.isVariadic || exists(metadata.variadicMin, (min) => min > 0)),
				variadic: metadata.isVariadic
			});
		}
		let usage = commandPath.length > 0 ? commandPath.join(" ") : options.name;
		if (subcommands.some((group) => group.commands.some((c) => !c.unlisted))) usage += " <subcommand>";
		usage += " [flags]";
		for (const arg of args) {
			const argName = arg.variadic ? `<${arg.name}...>` : `<${arg.name}>`;
			usage += ` ${arg.required ? argName : `[${argName}]`}`;
		}
		for (const option of config.flags) {
			const singles = extractSingleParams(option);
			const metadata = getParamMetadata(option);
			for (const single of singles) {
				if (single.hidden) continue;
				flags.push(toFlagDoc(single, metadata));
			}
		}
		const subcommandDocs = [];
		for (const group of subcommands) {
			const visible = group.commands.filter((c) => !c.unlisted);
			if (visible.length === 0) continue;
			subcommandDocs.push({
				group: group.group,
				commands: map$3(visible, (subcommand) => ({
					name: subcommand.name,
					alias: subcommand.alias,
					shortDescription: subcommand.shortDescription,
					description: subcommand.description ?? ""
				}))
			});
		}
		const examples = resolveExamples(commandPath);
		return {
			description: options.description ?? "",
			usage,
			flags,
			annotations,
			...args.length > 0 && { args },
			...subcommandDocs.length > 0 && { subcommands: subcommandDocs },
			...examples.length > 0 && { examples }
		};
	};
	return Object.assign(Object.create(Proto), {
		[TypeId]: TypeId,
		name: options.name,
		examples: resolveExamples([options.name]),
		resolveExamples,
		annotations,
		globalFlags,
		subcommands,
		unlisted: options.unlisted ?? false,
		config,
		contextConfig,
		service,
		parse,
		parseContext,
		handle,
		buildHelpDoc,
		...isNotUndefined(options.description) ? { description: options.description } : {},
		...isNotUndefined(options.shortDescription) ? { shortDescription: options.shortDescription } : {},
		...isNotUndefined(options.alias) ? { alias: options.alias } : {}
	});
};
const noExamples = () => [];
/**
* Converts a single flag param into a FlagDoc for help display.
*
* @internal
*/
const toFlagDoc = (single, metadata) => {
	const formattedAliases = single.aliases.map((alias) => alias.length === 1 ? `-${alias}` : `--${alias}`);
	const type = single.typeName ?? getTypeName(single.primitiveType);
	return {
		name: single.name,
		aliases: formattedAliases,
		type: single.optionalValue === void 0 ? type : `[=${type}]`,
		description: appendChoiceKeys(single.description, getChoiceKeys(single.primitiveType)),
		required: single.primitiveType._tag !== "Boolean" && !metadata.isOptional
	};
};
const appendChoiceKeys = (description, choiceKeys) => {
	if (choiceKeys === void 0 || choiceKeys.length === 0) return description;
	const choiceSuffix = `(choices: ${choiceKeys.join(", ")})`;
	return match$1(description, {
		onNone: () => some(choiceSuffix),
		onSome: (value) => some(`${value} ${choiceSuffix}`)
	});
};
/**
* Creates a parser for a given config. Used as the default for both `parse`
* and `parseContext`, and also by `withSharedFlags` to avoid constructing a
* full throwaway command.
*/
const makeParser = (cfg, options) => fnUntraced(function* (input) {
	const parsedArgs = {
		flags: input.flags,
		arguments: input.arguments
	};
	const [remainingArguments, values] = yield* parseParams(parsedArgs, cfg.orderedParams);
	if (options?.allowLeftovers !== true && remainingArguments.length > 0) return yield* new UnexpectedArgument({ arguments: remainingArguments });
	return reconstructTree(cfg.tree, values);
});
/**
* Parses param values from parsed command arguments into their typed
* representations.
*/
const parseParams = /*#__PURE__*/ fnUntraced(function* (parsedArgs, params) {
	const results = [];
	let currentArguments = parsedArgs.arguments;
	for (const option of params) {
		const [remainingArguments, parsed] = yield* option.parse({
			flags: parsedArgs.flags,
			arguments: currentArguments
		});
		results.push(parsed);
		currentArguments = remainingArguments;
	}
	return [currentArguments, results];
});
/**
* Checks that inherited parent context flags do not reuse names declared by
* child command flags.
*
* When `contextConfig` is supplied, it is used as the inherited flag set;
* otherwise the parent's current context config is checked.
*/
const checkForDuplicateFlags = (parent, subcommands, options) => {
	const parentImpl = toImpl(parent);
	const parentOptionNames = /* @__PURE__ */ new Set();
	const extractNames = (flags) => {
		for (const option of flags) {
			const singles = extractSingleParams(option);
			for (const single of singles) parentOptionNames.add(single.name);
		}
	};
	extractNames((options?.contextConfig ?? parentImpl.contextConfig).flags);
	for (const subcommand of subcommands) {
		const subImpl = toImpl(subcommand);
		for (const option of subImpl.config.flags) {
			const singles = extractSingleParams(option);
			for (const single of singles) if (parentOptionNames.has(single.name)) throw new DuplicateOption({
				option: single.name,
				parentCommand: parent.name,
				childCommand: subcommand.name
			});
		}
	}
};

// node_modules/effect/dist/cli/internal/completions/descriptor.js
/**
* CommandDescriptor — pure-data representation of a command tree for
* shell completion generation.
*
* @internal
*/
const toFlagType = (single) => {
	switch (single.primitiveType._tag) {
		case "Boolean": return { _tag: "Boolean" };
		case "Int": return { _tag: "Int" };
		case "Finite": return { _tag: "Finite" };
		case "Date": return { _tag: "Date" };
		case "Choice": return {
			_tag: "Choice",
			values: getChoiceKeys(single.primitiveType) ?? []
		};
		case "Path": return {
			_tag: "Path",
			pathType: getPathType(single.primitiveType) ?? "either"
		};
		case "FileText":
		case "FileParse":
		case "FileSchema": return {
			_tag: "Path",
			pathType: "file"
		};
		default: return { _tag: "String" };
	}
};
const toArgumentType = (single) => {
	switch (single.primitiveType._tag) {
		case "Int": return { _tag: "Int" };
		case "Finite": return { _tag: "Finite" };
		case "Date": return { _tag: "Date" };
		case "Choice": return {
			_tag: "Choice",
			values: getChoiceKeys(single.primitiveType) ?? []
		};
		case "Path": return {
			_tag: "Path",
			pathType: getPathType(single.primitiveType) ?? "either"
		};
		case "FileText":
		case "FileParse":
		case "FileSchema": return {
			_tag: "Path",
			pathType: "file"
		};
		default: return { _tag: "String" };
	}
};
/**
* @internal
*/
const fromCommand$1 = (cmd, inheritedFlags = []) => {
	const impl = toImpl(cmd);
	const config = impl.config;
	const flags = [];
	const seen = /* @__PURE__ */ new Set();
	for (const [index, flag] of [...config.flags, ...inheritedFlags].entries()) {
		const singles = extractSingleParams(flag);
		for (const single of singles) {
			if (single.kind !== "flag") continue;
			if (single.hidden) continue;
			if (index >= config.flags.length && seen.has(single.name)) continue;
			seen.add(single.name);
			flags.push({
				name: single.name,
				aliases: single.aliases,
				description: getOrUndefined(single.description),
				type: toFlagType(single),
				optionalValue: single.optionalValue !== void 0,
				negation: single.negation
			});
		}
	}
	const args = [];
	for (const arg of config.arguments) {
		const singles = extractSingleParams(arg);
		const metadata = getParamMetadata(arg);
		for (const single of singles) {
			if (single.kind !== "argument") continue;
			args.push({
				name: single.name,
				description: getOrUndefined(single.description),
				required: !metadata.isOptional,
				variadic: metadata.isVariadic,
				type: toArgumentType(single)
			});
		}
	}
	const subcommands = [];
	const sharedFlags = [...inheritedFlags, ...impl.contextConfig.flags];
	for (const group of cmd.subcommands) for (const subcommand of group.commands) {
		if (subcommand.unlisted) continue;
		const descriptor = fromCommand$1(subcommand, sharedFlags);
		subcommands.push(descriptor);
		if (subcommand.alias && subcommand.alias !== subcommand.name) subcommands.push({
			...descriptor,
			name: subcommand.alias
		});
	}
	return {
		name: cmd.name,
		description: cmd.shortDescription ?? cmd.description,
		flags,
		arguments: args,
		subcommands
	};
};
/**
* Whether the flag reads its value from the next word.
*
* @internal
*/
const takesSeparateValue = (flag) => flag.type._tag !== "Boolean" && flag.optionalValue !== true;
/**
* Long name that sets a boolean flag to `false`, or `undefined` when the flag
* has no negated form.
*
* @internal
*/
const negatedName$1 = (flag) => flag.type._tag !== "Boolean" || flag.negation === false ? void 0 : flag.negation ?? `no-${flag.name}`;

// node_modules/effect/dist/cli/internal/completions/bash.js
const escapeForBash = (s) => s.replace(/'/g, "'\\''");
const sanitizeFunctionName = (s) => s.replace(/[^a-zA-Z0-9_]/g, "_");
const flagNamesForWordlist = (flag) => {
	const names = [`--${flag.name}`];
	for (const alias of flag.aliases) names.push(alias.length === 1 ? `-${alias}` : `--${alias}`);
	const negation = negatedName$1(flag);
	if (negation !== void 0) names.push(`--${negation}`);
	return names;
};
/** Emit a Bash 3.2-compatible used-flag filter. */
const buildFlagGroupDeclarations = (flags, lines) => {
	if (flags.length === 0) return;
	const groups = flags.map(flagNamesForWordlist);
	lines.push(`  local ${groups.map((_, index) => `_used_${index}=""`).join(" ")}`);
	lines.push(`  for ((i = 1; i < cword; i++)); do`);
	lines.push(`    case "\${words[i]%%=*}" in`);
	groups.forEach((forms, index) => {
		lines.push(`      ${forms.join("|")}) _used_${index}=1 ;;`);
	});
	lines.push(`    esac`);
	lines.push(`  done`);
	lines.push(`  local _filtered_flags=""`);
	groups.forEach((forms, index) => {
		lines.push(`  [[ -n "$_used_${index}" ]] || _filtered_flags+=" ${forms.join(" ")}"`);
	});
	lines.push(``);
};
const removeQuotes = (variable) => [
	`\\\\`,
	`\\"`,
	`\\'`
].map((quote) => `${variable}=\${${variable}//${quote}/}`).join("; ");
/**
* Complete choices without `compgen -W`, which reparses quoted values. Escape
* only the portion readline replaces for the active quote context.
*
* `!` cannot be escaped inside a user-opened double quote without changing the
* resulting argument.
*/
const choicesHelper = (helperName, lines) => {
	lines.push(`${helperName}()`);
	lines.push(`{`);
	lines.push(`  local _cur="$1" _word="$2"; shift 2`);
	lines.push(``);
	lines.push(`  local _head="\${_cur%"$_word"}"`);
	lines.push(`  local _open=""`);
	lines.push(`  case "$_head" in`);
	lines.push(`    *\\') _open="'" ;;`);
	lines.push(`    *\\") _open='"' ;;`);
	lines.push(`  esac`);
	lines.push(``);
	lines.push(`  local _prefix="$_cur" _committed="$_head"`);
	lines.push(`  ${removeQuotes("_prefix")}`);
	lines.push(`  ${removeQuotes("_committed")}`);
	lines.push(``);
	lines.push(`  COMPREPLY=()`);
	lines.push(`  local _choice _rest _match`);
	lines.push(`  for _choice in "$@"; do`);
	lines.push(`    [[ "$_choice" == "$_prefix"* ]] || continue`);
	lines.push(`    _rest="\${_choice#"$_committed"}"`);
	lines.push(`    case "$_open" in`);
	lines.push(`      "'")`);
	lines.push(`        if [[ "$_head" == "'" ]]; then`);
	lines.push(`          _match=\${_rest//\\'/\\'\\\\\\'\\'}`);
	lines.push(`        else`);
	lines.push(`          [[ "$_rest" == *\\'* ]] && continue`);
	lines.push(`          _match="$_rest"`);
	lines.push(`        fi`);
	lines.push(`        ;;`);
	lines.push(`      '"')`);
	lines.push(`        _match="\${_rest//\\\\/\\\\\\\\}"`);
	lines.push(`        _match="\${_match//\\$/\\\\$}"`);
	lines.push("        _match=\"${_match//\\`/\\\\\\`}\"");
	lines.push(`        _match="\${_match//\\"/\\\\\\"}"`);
	lines.push(`        ;;`);
	lines.push(`      *)`);
	lines.push(`        printf -v _match '%q' "$_rest"`);
	lines.push(`        [[ -z "$_head" && "$_match" == '~'* ]] && _match="\\\\$_match"`);
	lines.push(`        ;;`);
	lines.push(`    esac`);
	lines.push(`    [[ -n "$_open" && "$_match" == *"$_open" ]] && _match+="$_open"`);
	lines.push(`    COMPREPLY+=("$_match")`);
	lines.push(`  done`);
	lines.push(`}`);
	lines.push(``);
};
/**
* Complete paths through the choice helper, one `compgen` line per candidate.
* The typed directory is kept as written so expansions in it still apply; only
* the completed name is quoted.
*/
const pathsHelper = (helpers, lines) => {
	lines.push(`${helpers.paths}()`);
	lines.push(`{`);
	lines.push(`  local _kind="$1" _cur="$2" _word="$3"`);
	lines.push(``);
	lines.push(`  local _prefix="$_cur" _committed="\${_cur%"$_word"}"`);
	lines.push(`  ${removeQuotes("_prefix")}`);
	lines.push(`  ${removeQuotes("_committed")}`);
	lines.push(``);
	lines.push(`  local _typed="" _dir="$_committed" _open="" _i`);
	lines.push(`  if [[ "$_word" == */* ]]; then`);
	lines.push(`    _typed="\${_word%/*}/"`);
	lines.push(`    _dir="\${_prefix%/*}/"`);
	lines.push(`    if [[ "$_cur" == "$_word" ]]; then`);
	lines.push(`      for ((_i = 0; _i < \${#_typed}; _i++)); do`);
	lines.push(`        case "$_open\${_typed:_i:1}" in`);
	lines.push(`          \\\\|\\"\\\\) ((_i += 1)) ;;`);
	lines.push(`          \\"|\\') _open="\${_typed:_i:1}" ;;`);
	lines.push(`          \\"\\"|\\'\\') _open="" ;;`);
	lines.push(`        esac`);
	lines.push(`      done`);
	lines.push(`    fi`);
	lines.push(`  fi`);
	lines.push(``);
	lines.push(`  local _path _names=() _rest="\${_word#"$_typed"}"`);
	lines.push(`  while IFS= read -r _path; do`);
	lines.push(`    if [[ "$_path" == "$_dir"* ]]; then`);
	lines.push(`      _names+=("$_committed\${_path#"$_dir"}")`);
	lines.push(`    elif [[ -z "$_committed" ]]; then`);
	lines.push(`      _names+=("$_path")`);
	lines.push(`      _typed="" _rest="" _open=""`);
	lines.push(`    fi`);
	lines.push(`  done < <(compgen "$_kind" -- "$_prefix")`);
	lines.push(`  if [[ -n "$_open" ]]; then`);
	lines.push(`    _typed+="$_open"`);
	lines.push(`    _rest="\${_prefix##*/}"`);
	lines.push(`  fi`);
	lines.push(``);
	lines.push(`  ${helpers.choices} "\${_cur%"$_word"}$_rest" "$_rest" "\${_names[@]}"`);
	lines.push(`  for ((_i = 0; _i < \${#COMPREPLY[@]}; _i++)); do`);
	lines.push(`    COMPREPLY[_i]="$_typed\${COMPREPLY[_i]}"`);
	lines.push(`  done`);
	lines.push(`}`);
	lines.push(``);
};
const valueCompletion = (type, helpers) => {
	switch (type._tag) {
		case "Choice": {
			const values = type.values.map((value) => `'${escapeForBash(value)}'`).join(" ");
			return `${helpers.choices} "$cur" "$_comp_word" ${values}`;
		}
		case "Path": return `${helpers.paths} ${type.pathType === "directory" ? "-d" : "-f"} "$cur" "$_comp_word"`;
		default: return;
	}
};
const generateFunction$1 = (descriptor, parentPath, lines, helpers) => {
	const currentPath = [...parentPath, descriptor.name];
	const funcName = `_${currentPath.map(sanitizeFunctionName).join("_")}`;
	lines.push(`${funcName}()`);
	lines.push(`{`);
	lines.push(`  local cur prev words cword i`);
	lines.push(parentPath.length === 0 ? `  local _command_index=0` : `  local _command_index="$1"`);
	lines.push(`  _init_completion -n "$COMP_WORDBREAKS" || return`);
	if (parentPath.length === 0) lines.push(`  local _comp_word="$2"`);
	lines.push(``);
	const flagsWithValues = descriptor.flags.filter(takesSeparateValue);
	if (flagsWithValues.length > 0) {
		lines.push(`  # Flag value completions`);
		lines.push(`  case "$prev" in`);
		for (const flag of flagsWithValues) {
			const longNames = [`--${flag.name}`];
			for (const alias of flag.aliases) longNames.push(alias.length === 1 ? `-${alias}` : `--${alias}`);
			const completion = valueCompletion(flag.type, helpers);
			if (completion) {
				lines.push(`    ${longNames.join("|")})`);
				lines.push(`      ${completion}`);
				lines.push(`      return`);
				lines.push(`      ;;`);
			}
		}
		lines.push(`  esac`);
		lines.push(``);
	}
	if (descriptor.subcommands.length > 0) {
		lines.push(`  # Subcommand dispatch`);
		lines.push(`  local cmd _skip_next=0`);
		lines.push(`  for ((i = _command_index + 1; i < cword; i++)); do`);
		lines.push(`    if (( _skip_next )); then`);
		lines.push(`      _skip_next=0`);
		lines.push(`      continue`);
		lines.push(`    fi`);
		lines.push(`    case "\${words[i]}" in`);
		for (const flag of descriptor.flags) {
			if (!takesSeparateValue(flag)) continue;
			const forms = flagNamesForWordlist(flag);
			lines.push(`      ${forms.join("|")}) _skip_next=1 ;;`);
			lines.push(`      ${forms.map((form) => `${form}=*`).join("|")}) ;;`);
		}
		for (const sub of descriptor.subcommands) {
			const subFuncName = `_${[...currentPath, sub.name].map(sanitizeFunctionName).join("_")}`;
			lines.push(`      ${sub.name})`);
			lines.push(`        ${subFuncName} "$i"`);
			lines.push(`        return`);
			lines.push(`        ;;`);
		}
		lines.push(`    esac`);
		lines.push(`  done`);
		lines.push(``);
	}
	buildFlagGroupDeclarations(descriptor.flags, lines);
	if (descriptor.flags.length > 0 || descriptor.subcommands.length > 0) {
		lines.push(`  # Complete flags (filtered) and subcommands`);
		lines.push(`  if [[ "$cur" == -* ]]; then`);
		if (descriptor.flags.length > 0) lines.push(`    COMPREPLY=( $(compgen -W "$_filtered_flags" -- "$cur") )`);
		lines.push(`    return`);
		lines.push(`  fi`);
		lines.push(``);
	}
	const argsWithCompletions = descriptor.arguments.flatMap((argument, index) => {
		const completion = valueCompletion(argument.type, helpers);
		return completion === void 0 ? [] : [{
			argument,
			completion,
			index
		}];
	});
	if (argsWithCompletions.length > 0) {
		lines.push(`  # Positional argument completions`);
		lines.push(`  local _position=0 _skip_next=0 _end_of_options=0`);
		lines.push(`  for ((i = _command_index + 1; i < cword; i++)); do`);
		lines.push(`    if (( _skip_next )); then`);
		lines.push(`      _skip_next=0`);
		lines.push(`      continue`);
		lines.push(`    fi`);
		lines.push(`    if (( _end_of_options )); then`);
		lines.push(`      ((_position += 1))`);
		lines.push(`      continue`);
		lines.push(`    fi`);
		lines.push(`    case "\${words[i]}" in`);
		lines.push(`      --) _end_of_options=1 ;;`);
		for (const flag of descriptor.flags) {
			const forms = flagNamesForWordlist(flag);
			if (!takesSeparateValue(flag)) lines.push(`      ${forms.join("|")}) ;;`);
			else {
				lines.push(`      ${forms.join("|")}) _skip_next=1 ;;`);
				lines.push(`      ${forms.map((form) => `${form}=*`).join("|")}) ;;`);
			}
		}
		lines.push(`      -*) ;;`);
		lines.push(`      *) ((_position += 1)) ;;`);
		lines.push(`    esac`);
		lines.push(`  done`);
		lines.push(`  case "$_position" in`);
		for (const { argument, completion, index } of argsWithCompletions) {
			if (argument.variadic) continue;
			lines.push(`    ${index})`);
			lines.push(`      ${completion}`);
			lines.push(`      return`);
			lines.push(`      ;;`);
		}
		lines.push(`  esac`);
		const variadic = argsWithCompletions.find(({ argument }) => argument.variadic);
		if (variadic !== void 0) {
			lines.push(`  if (( _position >= ${variadic.index} )); then`);
			lines.push(`    ${variadic.completion}`);
			lines.push(`    return`);
			lines.push(`  fi`);
		}
	} else if (descriptor.subcommands.length > 0) {
		const subNames = descriptor.subcommands.map((s) => s.name);
		lines.push(`  COMPREPLY=( $(compgen -W '${subNames.join(" ")}' -- "$cur") )`);
	}
	lines.push(`}`);
	lines.push(``);
	for (const sub of descriptor.subcommands) generateFunction$1(sub, currentPath, lines, helpers);
};
/**
* @internal
*/
const generate$4 = (executableName, descriptor) => {
	const lines = [];
	const safeName = sanitizeFunctionName(executableName);
	const helpers = {
		choices: `_${safeName}--choices`,
		paths: `_${safeName}--paths`
	};
	lines.push(`###-begin-${escapeForBash(executableName)}-completions-###`);
	lines.push(`#`);
	lines.push(`# Static completion script for Bash`);
	lines.push(`#`);
	lines.push(`# Installation:`);
	lines.push(`#   ${escapeForBash(executableName)} --completions bash >> ~/.bashrc`);
	lines.push(`#`);
	lines.push(``);
	lines.push(`if ! type _init_completion &>/dev/null; then`);
	lines.push(`  _init_completion()`);
	lines.push(`  {`);
	lines.push(`    COMPREPLY=()`);
	lines.push(`    local _i _j=0 _piece _line="$COMP_LINE"`);
	lines.push(`    words=("\${COMP_WORDS[0]}")`);
	lines.push(`    cword=0`);
	lines.push(`    _line="\${_line#*"\${COMP_WORDS[0]}"}"`);
	lines.push(`    for ((_i = 1; _i < \${#COMP_WORDS[@]}; _i++)); do`);
	lines.push(`      _piece="\${COMP_WORDS[_i]}"`);
	lines.push(`      if [[ "$_line" == [[:blank:]]* ]]; then`);
	lines.push(`        ((_j++))`);
	lines.push(`        words[_j]="$_piece"`);
	lines.push(`      else`);
	lines.push(`        words[_j]="\${words[_j]}$_piece"`);
	lines.push(`      fi`);
	lines.push(`      ((_i == COMP_CWORD)) && cword=$_j`);
	lines.push(`      _line="\${_line#*"$_piece"}"`);
	lines.push(`    done`);
	lines.push(`    cur="\${words[cword]}"`);
	lines.push(`    prev=""`);
	lines.push(`    ((cword > 0)) && prev="\${words[cword-1]}"`);
	lines.push(`    return 0`);
	lines.push(`  }`);
	lines.push(`fi`);
	lines.push(``);
	choicesHelper(helpers.choices, lines);
	pathsHelper(helpers, lines);
	generateFunction$1(descriptor, [], lines, helpers);
	lines.push(`complete -F _${safeName} ${escapeForBash(executableName)}`);
	lines.push(`###-end-${escapeForBash(executableName)}-completions-###`);
	return lines.join("\n");
};

// node_modules/effect/dist/cli/internal/completions/fish.js
const escapeFishString = (s) => s.replace(/\\/g, "\\\\").replace(/'/g, "\\'");
/** Escape choices for Fish's second expansion of `complete -a`. */
const escapeFishChoice = (s) => escapeFishString(s.replace(/[^A-Za-z0-9_.,/@%+-]/gu, "\\$&"));
/**
* Build a Fish condition that checks the current subcommand context.
*
* For root-level completions with subcommands: `__fish_use_subcommand`
* For nested commands: verify the full parent path is active AND none of its
* child subcommands have been entered yet.
*/
const subcommandCondition = (parentPath, childSubcommandNames) => {
	if (parentPath.length === 0) {
		if (childSubcommandNames.length > 0) return `__fish_use_subcommand`;
		return ``;
	}
	const parentCondition = parentPath.map((parent) => `__fish_seen_subcommand_from ${parent}`).join("; and ");
	if (childSubcommandNames.length > 0) return `${parentCondition}; and not __fish_seen_subcommand_from ${childSubcommandNames.join(" ")}`;
	return parentCondition;
};
/**
* Build a __fish_contains_opt condition that checks whether any form of this
* flag has already been typed. Returns the condition string without wrapping
* quotes (the caller adds those).
*/
const flagContainsOptCondition = (flag) => {
	const optArgs = [];
	for (const alias of flag.aliases) if (alias.length === 1) optArgs.push(`-s ${alias}`);
	optArgs.push(flag.name);
	for (const alias of flag.aliases) if (alias.length > 1) optArgs.push(alias);
	const negation = negatedName$1(flag);
	if (negation !== void 0) optArgs.push(negation);
	return `not __fish_contains_opt ${optArgs.join(" ")}`;
};
/** Hide used value flags without suppressing their value completions. */
const valueFlagDedupCondition = (flag) => {
	const forms = [`--${flag.name}`];
	for (const alias of flag.aliases) forms.push(alias.length === 1 ? `-${alias}` : `--${alias}`);
	return `begin; ${flagContainsOptCondition(flag)}; or contains -- (commandline -poc)[-1] ${forms.join(" ")}; end`;
};
const flagCompletionArgs = (flag) => {
	const args = [`-l ${flag.name}`];
	for (const alias of flag.aliases) if (alias.length === 1) args.push(`-s ${alias}`);
	else args.push(`-l ${alias}`);
	if (flag.description) args.push(`-d '${escapeFishString(flag.description)}'`);
	const valueArgs = takesSeparateValue(flag) ? flagValueArgs(flag.type) : void 0;
	if (valueArgs) args.push(valueArgs);
	return args;
};
const flagValueArgs = (type) => {
	switch (type._tag) {
		case "Boolean": return;
		case "Choice": return `-r -f -a '${type.values.map(escapeFishChoice).join(" ")}'`;
		case "Path":
			if (type.pathType === "directory") return `-r -F`;
			return `-r -F`;
		default: return `-r -f`;
	}
};
const argValueArgs = (type) => {
	switch (type._tag) {
		case "Choice": return `-r -f -a '${type.values.map(escapeFishChoice).join(" ")}'`;
		case "Path": return `-r -F`;
		default: return;
	}
};
const generateCompletions = (executableName, descriptor, parentPath, lines) => {
	const allSubNames = descriptor.subcommands.map((s) => s.name);
	const condition = subcommandCondition(parentPath, allSubNames);
	const conditionArg = condition ? `-n '${condition}'` : ``;
	if (!descriptor.arguments.some((a) => a.type._tag === "Path")) {
		const parts = [`complete -c ${executableName}`];
		if (conditionArg) parts.push(conditionArg);
		parts.push(`-f`);
		lines.push(parts.join(" "));
	}
	for (const sub of descriptor.subcommands) {
		const parts = [`complete -c ${executableName}`];
		if (conditionArg) parts.push(conditionArg);
		parts.push(`-f -a '${escapeFishString(sub.name)}'`);
		if (sub.description) parts.push(`-d '${escapeFishString(sub.description)}'`);
		lines.push(parts.join(" "));
	}
	for (const flag of descriptor.flags) {
		const dedup = takesSeparateValue(flag) ? valueFlagDedupCondition(flag) : flagContainsOptCondition(flag);
		const flagCondition = condition ? `${condition}; and ${dedup}` : dedup;
		const flagCondArg = flagCondition ? `-n '${flagCondition}'` : ``;
		const parts = [`complete -c ${executableName}`];
		if (flagCondArg) parts.push(flagCondArg);
		parts.push(...flagCompletionArgs(flag));
		lines.push(parts.join(" "));
		const negation = negatedName$1(flag);
		if (negation !== void 0) {
			const negParts = [`complete -c ${executableName}`];
			if (flagCondArg) negParts.push(flagCondArg);
			negParts.push(`-l ${negation}`);
			if (flag.description) negParts.push(`-d '${escapeFishString(`Disable ${flag.name}`)}'`);
			lines.push(negParts.join(" "));
		}
	}
	if (descriptor.flags.length > 0) {
		const notDash = `not string match -q -- "-*" (commandline -ct)`;
		const bareBase = condition ? `${condition}; and ${notDash}` : notDash;
		for (const flag of descriptor.flags) {
			const bareCondition = `${bareBase}; and ${flagContainsOptCondition(flag)}`;
			const negation = negatedName$1(flag);
			const parts = [`complete -c ${executableName}`];
			parts.push(`-n '${bareCondition}'`);
			parts.push(`-f -a '--${flag.name}'`);
			if (flag.description) parts.push(`-d '${escapeFishString(flag.description)}'`);
			lines.push(parts.join(" "));
			if (negation !== void 0) {
				const negParts = [`complete -c ${executableName}`];
				negParts.push(`-n '${bareCondition}'`);
				negParts.push(`-f -a '--${negation}'`);
				if (flag.description) negParts.push(`-d '${escapeFishString(`Disable ${flag.name}`)}'`);
				lines.push(negParts.join(" "));
			}
		}
	}
	for (const arg of descriptor.arguments) {
		const valueArg = argValueArgs(arg.type);
		if (valueArg) {
			const parts = [`complete -c ${executableName}`];
			if (conditionArg) parts.push(conditionArg);
			parts.push(valueArg);
			if (arg.description) parts.push(`-d '${escapeFishString(arg.description)}'`);
			lines.push(parts.join(" "));
		}
	}
	for (const sub of descriptor.subcommands) generateCompletions(executableName, sub, [...parentPath, sub.name], lines);
};
/**
* @internal
*/
const generate$3 = (executableName, descriptor) => {
	const lines = [];
	lines.push(`###-begin-${executableName}-completions-###`);
	lines.push(`#`);
	lines.push(`# Static completion script for Fish`);
	lines.push(`#`);
	lines.push(`# Installation:`);
	lines.push(`#   ${executableName} --completions fish > ~/.config/fish/completions/${executableName}.fish`);
	lines.push(`#`);
	lines.push(``);
	generateCompletions(executableName, descriptor, [], lines);
	lines.push(``);
	lines.push(`###-end-${executableName}-completions-###`);
	return lines.join("\n");
};

// node_modules/effect/dist/cli/internal/completions/powershell.js
/**
* Encode non-ASCII and control characters as `[char]` code units. Windows
* PowerShell 5.1 can misread BOM-less UTF-8 as ANSI, turning some bytes into
* PowerShell quote delimiters.
*/
const quotePs = (s) => {
	const parts = [];
	let literal = "";
	for (let i = 0; i < s.length; i++) {
		const code = s.charCodeAt(i);
		if (code >= 32 && code < 128) {
			literal += s[i] === "'" ? "''" : s[i];
			continue;
		}
		if (literal !== "" || parts.length === 0) parts.push(`'${literal}'`);
		literal = "";
		parts.push(`[char]0x${code.toString(16).toUpperCase().padStart(4, "0")}`);
	}
	if (literal !== "" || parts.length === 0) parts.push(`'${literal}'`);
	return parts.length === 1 ? parts[0] : `(${parts.join(" + ")})`;
};
const psArray = (items) => `@(${items.map(quotePs).join(", ")})`;
const psOptional = (s) => s ? quotePs(s) : "$null";
const sanitize$1 = (s) => s.replace(/[^a-zA-Z0-9_]/g, "_");
const flagForms = (flag) => [`--${flag.name}`, ...flag.aliases.map((alias) => alias.length === 1 ? `-${alias}` : `--${alias}`)];
const valueFields = (type) => `values = ${psArray(type._tag === "Choice" ? type.values : [])}; pathType = ${type._tag === "Path" ? quotePs(type.pathType) : "$null"}`;
const flagEntry = (flag) => {
	const negation = negatedName$1(flag);
	return `@{ name = ${quotePs(flag.name)}; forms = ${psArray(flagForms(flag))}; takesValue = $${flag.type._tag !== "Boolean"}; ` + (negation === void 0 ? "" : `negation = ${quotePs(`--${negation}`)}; `) + (flag.optionalValue === true ? `optionalValue = $true; ` : "") + `${valueFields(flag.type)}; description = ${psOptional(flag.description)} }`;
};
const argumentEntry = (argument) => `@{ name = ${quotePs(argument.name)}; variadic = $${argument.variadic}; ${valueFields(argument.type)}; description = ${psOptional(argument.description)} }`;
const pushList = (lines, field, entries) => {
	if (entries.length === 0) {
		lines.push(`  ${field} = @()`);
		return;
	}
	lines.push(`  ${field} = @(`);
	for (const entry of entries) lines.push(`    ${entry}`);
	lines.push(`  )`);
};
/**
* Emit one context per subcommand path. Subcommands are case-sensitive, so
* contexts go in an ordinal hashtable instead of a hash literal, whose keys
* ignore case.
*/
const generateContexts = (dataName, descriptor, path, lines, seen) => {
	const key = path.join(" ");
	if (seen.has(key)) return;
	seen.add(key);
	lines.push(`${dataName}[${quotePs(key)}] = @{`);
	pushList(lines, "subcommands", descriptor.subcommands.map((sub) => `@{ name = ${quotePs(sub.name)}; description = ${psOptional(sub.description)} }`));
	pushList(lines, "flags", descriptor.flags.map(flagEntry));
	pushList(lines, "arguments", descriptor.arguments.map(argumentEntry));
	lines.push(`}`);
	for (const sub of descriptor.subcommands) generateContexts(dataName, sub, [...path, sub.name], lines, seen);
};
/**
* Replay the committed words with the CLI lexer and parser rules: `--`, short
* flag clusters, inline values, boolean literals, negative numbers, and
* subcommand selection by the first value only.
*/
const completer = (dataName) => String.raw`  param($wordToComplete, $commandAst, $cursorPosition)

  $spec = ${dataName}
  $results = [System.Collections.Generic.List[System.Management.Automation.CompletionResult]]::new()
  $booleanLiterals = @('true', 'yes', 'on', '1', 'y', 'false', 'no', 'off', '0', 'n')

  $index = {
    param($context)
    $lookup = [hashtable]::new([System.StringComparer]::Ordinal)
    foreach ($flag in $context.flags) {
      foreach ($form in $flag.forms) { $lookup[$form] = $flag }
    }
    $lookup
  }

  $add = {
    param([string]$value, [string]$type, $tooltip, [string]$typed, [string]$textPrefix)
    if (-not $value.StartsWith($typed, [System.StringComparison]::OrdinalIgnoreCase)) { return }
    $text = $value
    if ($value -notmatch '^[\w./:%+=\\-]+$') { $text = "'" + ($value -replace "['\u2018-\u201b]", '$0$0') + "'" }
    $text = $textPrefix + $text
    $label = $value
    if (-not $label) { $label = $text }
    if (-not $tooltip) { $tooltip = $label }
    $results.Add([System.Management.Automation.CompletionResult]::new($text, $label, $type, $tooltip))
  }

  $addValues = {
    param($entry, [string]$typed, [string]$textPrefix)
    foreach ($value in $entry.values) {
      if ($textPrefix -eq '' -and (& $optionLike $value)) { continue }
      & $add $value 'ParameterValue' $entry.description $typed $textPrefix
    }
    if ($entry.pathType) {
      foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed)) {
        if ($entry.pathType -eq 'directory' -and $file.ResultType -ne 'ProviderContainer') { continue }
        $results.Add([System.Management.Automation.CompletionResult]::new($textPrefix + $file.CompletionText, $file.ListItemText, $file.ResultType, $file.ToolTip))
      }
    }
  }

  $addFlags = {
    param([string]$typed)
    foreach ($flag in $context.flags) {
      if ($used.ContainsKey($flag.name)) { continue }
      foreach ($form in $flag.forms) {
        & $add $form 'ParameterName' $flag.description $typed ''
      }
      if ($flag.negation) {
        $tooltip = $null
        if ($flag.description) { $tooltip = 'Disable ' + $flag.name }
        & $add $flag.negation 'ParameterName' $tooltip $typed ''
      }
    }
  }

  # As in the CLI lexer, nothing after '--' is an option, and negative numbers
  # and a lone '-' are values.
  $optionLike = {
    param([string]$word)
    -not $endOfOptions -and $word -match '^-.' -and $word -notmatch '^-(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$'
  }

  # A typed value that has no candidates completes to itself, so the engine
  # does not fall back to listing files.
  $keepTyped = {
    if ($results.Count -eq 0 -and $current) {
      $results.Add([System.Management.Automation.CompletionResult]::new($current, $current, 'ParameterValue', $current))
    }
  }

  $path = ''
  $context = $spec[$path]
  $lookup = & $index $context
  $used = [hashtable]::new([System.StringComparer]::Ordinal)
  $pending = $null
  $endOfOptions = $false
  $position = 0

  # The engine strips the quotes from a quoted word.
  $typed = [string]$wordToComplete
  if ($typed -match '^([''"])(.*?)\1?$') { $typed = $Matches[2] }
  $current = $null

  $elements = $commandAst.CommandElements
  for ($i = 1; $i -lt $elements.Count; $i++) {
    $element = $elements[$i]
    $word = $element.Extent.Text
    if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $word = $element.Value }
    if ($element.Extent.EndOffset -ge $cursorPosition) {
      if ($element -is [System.Management.Automation.Language.ConstantExpressionAst] -and $element.Extent.StartOffset -le $cursorPosition) {
        $current = $element.Extent.Text
        if ($element.Extent.EndOffset -eq $cursorPosition) { $typed = $word }
      }
      break
    }

    # A flag takes the next word as its value unless it is an option or '--';
    # a boolean flag only takes a boolean literal.
    $isOption = & $optionLike $word
    if ($null -ne $pending) {
      $flag = $pending
      $pending = $null
      if ($flag.takesValue) {
        if (-not $isOption) { continue }
      } elseif ($booleanLiterals -ccontains $word) { continue }
    }
    if ($endOfOptions) { $position++; continue }
    if ($word -ceq '--') { $endOfOptions = $true; continue }

    if ($isOption) {
      $hasValue = $word.Contains('=')
      if ($hasValue) {
        $forms = @($word.Substring(0, $word.IndexOf('=')))
      } elseif ($word.StartsWith('--')) {
        $forms = @($word)
      } else {
        $forms = @(foreach ($char in $word.Substring(1).ToCharArray()) { '-' + $char })
      }
      foreach ($form in $forms) {
        $pending = $null
        $flag = $lookup[$form]
        # As in the CLI parser, a negation wins over an alias but not over a
        # canonical name.
        if ($null -eq $flag -or $form -cne ('--' + $flag.name)) {
          $negated = $null
          foreach ($candidate in $context.flags) {
            if ($candidate.negation -ceq $form) { $negated = $candidate }
          }
          if ($null -ne $negated) {
            $used[$negated.name] = $true
            continue
          }
        }
        if ($null -eq $flag) { continue }
        $used[$flag.name] = $true
        # A flag with an optional value only takes a value attached with '='.
        if (-not $hasValue -and -not $flag.optionalValue) { $pending = $flag }
      }
      continue
    }

    if ($position -eq 0 -and $context.subcommands.name -ccontains $word) {
      if ($path) { $path = $path + ' ' + $word } else { $path = $word }
      $context = $spec[$path]
      $lookup = & $index $context
      $used = [hashtable]::new([System.StringComparer]::Ordinal)
      continue
    }
    $position++
  }

  $typedIsOption = & $optionLike $typed
  if ($null -ne $pending -and $pending.takesValue -and -not $typedIsOption) {
    & $addValues $pending $typed ''
    & $keepTyped
    return $results
  }

  if ($typedIsOption) {
    if ($typed -match '^(-[^=]+)=(.*)$') {
      $form = $Matches[1]
      $flag = $lookup[$form]
      if ($null -ne $flag -and $flag.takesValue) {
        & $addValues $flag $Matches[2] ($form + '=')
        & $keepTyped
      }
    } else {
      & $addFlags $typed
    }
    return $results
  }

  if (-not $endOfOptions -and $position -eq 0) {
    foreach ($sub in $context.subcommands) {
      & $add $sub.name 'Command' $sub.description $typed ''
    }
  }

  $arguments = $context.arguments
  if ($position -lt $arguments.Count) {
    & $addValues $arguments[$position] $typed ''
  } elseif ($arguments.Count -gt 0 -and $arguments[-1].variadic) {
    & $addValues $arguments[-1] $typed ''
  }

  if (-not $endOfOptions) {
    & $addFlags $typed
  }
  return $results`;
/** @internal */
const generate$2 = (executableName, descriptor) => {
	const dataName = `$global:_${sanitize$1(executableName)}_Completions`;
	const lines = [];
	lines.push(`###-begin-${executableName}-completions-###`);
	lines.push(`#`);
	lines.push(`# Static completion script for PowerShell`);
	lines.push(`#`);
	lines.push(`# Installation:`);
	lines.push(`#   ${executableName} --completions powershell > ${executableName}-completion.ps1`);
	lines.push(`#   then add this line to your $PROFILE (use the full path to the file):`);
	lines.push(`#   . <PATH>\\${executableName}-completion.ps1`);
	lines.push(`#`);
	lines.push(``);
	lines.push(`${dataName} = [hashtable]::new([System.StringComparer]::Ordinal)`);
	generateContexts(dataName, descriptor, [], lines, /* @__PURE__ */ new Set());
	lines.push(``);
	lines.push(`Register-ArgumentCompleter -Native -CommandName ${quotePs(executableName)} -ScriptBlock {`);
	lines.push(completer(dataName));
	lines.push(`}`);
	lines.push(``);
	lines.push(`###-end-${executableName}-completions-###`);
	return lines.join("\n");
};

// node_modules/effect/dist/cli/internal/completions/zsh.js
const escapeZsh = (s) => s.replace(/\\/g, "\\\\").replace(/'/g, "'\\''").replace(/:/g, "\\:");
const escapeZshExplanation = (s) => escapeZsh(s).replace(/]/g, "\\]");
/** Escape choices for the second parse of a Zsh `_arguments` action. */
const escapeZshChoice = (s) => s.replace(/[^A-Za-z0-9_.,/@%+-]/gu, "\\$&").replace(/'/g, "'\\''");
const sanitize = (s) => s.replace(/[^a-zA-Z0-9_]/g, "_");
/**
* All forms of a flag (--name, -alias, negation) for the exclusion group.
*/
const allForms = (flag) => {
	const forms = [`--${flag.name}`];
	for (const alias of flag.aliases) forms.push(alias.length === 1 ? `-${alias}` : `--${alias}`);
	const negation = negatedName$1(flag);
	if (negation !== void 0) forms.push(`--${negation}`);
	return forms;
};
const valueAction = (type) => {
	switch (type._tag) {
		case "Boolean": return "";
		case "Choice": return `:value:(${type.values.map(escapeZshChoice).join(" ")})`;
		case "Path": return type.pathType === "directory" ? `:directory:_directories` : `:file:_files`;
		case "Int": return `:integer:`;
		case "Finite": return `:float:`;
		case "Date": return `:date:`;
		default: return `:value:`;
	}
};
const argAction = (type) => {
	switch (type._tag) {
		case "Choice": return `(${type.values.map(escapeZshChoice).join(" ")})`;
		case "Path": return type.pathType === "directory" ? `_directories` : `_files`;
		default: return ``;
	}
};
/**
* Produce _arguments optspecs for a single flag. Each spec is a complete,
* single-quoted string — no brace expansion, no line continuations.
*/
const flagSpecs = (flag) => {
	const specs = [];
	const desc = flag.description ? `[${escapeZshExplanation(flag.description)}]` : "";
	const optional = flag.optionalValue === true && flag.type._tag !== "Boolean";
	const valueSuffix = optional ? "=-" : "";
	const action = optional ? `:${valueAction(flag.type)}` : valueAction(flag.type);
	const excl = `(${allForms(flag).join(" ")})`;
	specs.push(`'${excl}--${flag.name}${valueSuffix}${desc}${action}'`);
	for (const alias of flag.aliases) {
		const prefix = alias.length === 1 ? "-" : "--";
		specs.push(`'${excl}${prefix}${alias}${valueSuffix}${desc}${action}'`);
	}
	const negation = negatedName$1(flag);
	if (negation !== void 0) {
		const negDesc = flag.description ? `[${escapeZshExplanation(`Disable ${flag.name}`)}]` : "";
		specs.push(`'${excl}--${negation}${negDesc}'`);
	}
	return specs;
};
const argSpec = (arg) => {
	const desc = arg.description ? escapeZsh(arg.description) : arg.name;
	const action = argAction(arg.type);
	return `'${arg.variadic ? "*" : ""}:${desc}:${action}'`;
};
const generateFunction = (descriptor, parentPath, lines) => {
	const currentPath = [...parentPath, descriptor.name];
	const funcName = `_${currentPath.map(sanitize).join("_")}`;
	lines.push(`${funcName}() {`);
	if (descriptor.subcommands.length > 0) {
		lines.push(`  local context state state_descr line`);
		lines.push(`  typeset -A opt_args`);
		lines.push(``);
		lines.push(`  local -a commands`);
		lines.push(`  commands=(`);
		for (const sub of descriptor.subcommands) {
			const desc = sub.description ? escapeZsh(sub.description) : "";
			lines.push(`    '${sub.name}:${desc}'`);
		}
		lines.push(`  )`);
		lines.push(``);
		lines.push(`  local -a specs`);
		lines.push(`  specs=(`);
		for (const flag of descriptor.flags) for (const spec of flagSpecs(flag)) lines.push(`    ${spec}`);
		if (descriptor.arguments.length > 0) {
			lines.push(`    -`);
			lines.push(`    parent-arguments`);
			for (const arg of descriptor.arguments) lines.push(`    ${argSpec(arg)}`);
			lines.push(`    -`);
			lines.push(`    subcommands`);
		}
		lines.push(`    '1:command:->command'`);
		lines.push(`    '*::arg:->args'`);
		lines.push(`  )`);
		lines.push(``);
		lines.push(`  _arguments -C "\${specs[@]}"`);
		lines.push(``);
		lines.push(`  case "$state" in`);
		lines.push(`    command)`);
		lines.push(`      _describe -t commands 'commands' commands`);
		lines.push(`      ;;`);
		lines.push(`    args)`);
		lines.push(`      case "$words[1]" in`);
		for (const sub of descriptor.subcommands) {
			const subFunc = `_${[...currentPath, sub.name].map(sanitize).join("_")}`;
			lines.push(`        ${sub.name})`);
			lines.push(`          ${subFunc}`);
			lines.push(`          ;;`);
		}
		lines.push(`      esac`);
		lines.push(`      ;;`);
		lines.push(`  esac`);
	} else {
		const allSpecs = [];
		for (const flag of descriptor.flags) allSpecs.push(...flagSpecs(flag));
		for (const arg of descriptor.arguments) allSpecs.push(argSpec(arg));
		if (allSpecs.length > 0) {
			lines.push(`  local -a specs`);
			lines.push(`  specs=(`);
			for (const spec of allSpecs) lines.push(`    ${spec}`);
			lines.push(`  )`);
			lines.push(`  _arguments "\${specs[@]}"`);
		}
	}
	lines.push(`}`);
	lines.push(``);
	for (const sub of descriptor.subcommands) generateFunction(sub, currentPath, lines);
};
/**
* @internal
*/
const generate$1 = (executableName, descriptor) => {
	const lines = [];
	const safeName = sanitize(executableName);
	lines.push(`#compdef ${executableName}`);
	lines.push(`###-begin-${executableName}-completions-###`);
	lines.push(`#`);
	lines.push(`# Static completion script for Zsh`);
	lines.push(`#`);
	lines.push(`# Installation:`);
	lines.push(`#   ${executableName} --completions zsh > ~/.zsh/completions/_${executableName}`);
	lines.push(`#   then add ~/.zsh/completions to your fpath`);
	lines.push(`#`);
	lines.push(``);
	generateFunction(descriptor, [], lines);
	lines.push(`# Handle both direct invocation and autoload`);
	lines.push(`if [[ "\${zsh_eval_context[-1]}" == "loadautofunc" ]]; then`);
	lines.push(`  _${safeName} "$@"`);
	lines.push(`else`);
	lines.push(`  compdef _${safeName} ${executableName}`);
	lines.push(`fi`);
	lines.push(`###-end-${executableName}-completions-###`);
	return lines.join("\n");
};

// node_modules/effect/dist/cli/Completions.js
/**
* Converts a command tree into a `CommandDescriptor` for completion script
* generation.
*
* **When to use**
*
* Use when you need to generate a completion script from an existing
* `Command`, for example in a build step, without running the CLI or
* capturing the output of the built-in `--completions` flag.
*
* **Details**
*
* Reads the command's flags, arguments, and subcommands, including flags
* shared with subcommands and aliases. Hidden flags and unlisted subcommands
* are omitted, matching `--help`. Command handlers are never run.
*
* **Example** (Generating a Zsh completion script at build time)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { Command, Completions, Flag } from "effect/cli"
*
* const start = Command.make(
*   "start",
*   { port: Flag.Int("port") },
*   ({ port }) => Effect.log(`Listening on ${port}`)
* )
*
* const cli = Command.make("server").pipe(
*   Command.withSubcommands([start])
* )
*
* const script = Completions.generate(
*   "server",
*   "zsh",
*   Completions.fromCommand(cli)
* )
*
* script.startsWith("#compdef server") // => true
* ```
*
* @see {@link generate} for turning the descriptor into a shell script
*
* @stability unstable
* @category constructors
* @since 4.0.7
*/
const fromCommand = (command) => fromCommand$1(command);
/**
* Generates a shell completion script for a command descriptor.
*
* **When to use**
*
* Use when you need an installable completion script from an existing
* `CommandDescriptor`.
*
* **Details**
*
* Dispatches by `shell` to Bash, Zsh, Fish, or PowerShell generation and
* returns a static script string for `executableName`.
*
* @see {@link Shell} for supported shell names
* @see {@link CommandDescriptor} for the command shape used by completion generation
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const generate = (executableName, shell, descriptor) => {
	switch (shell) {
		case "bash": return generate$4(executableName, descriptor);
		case "zsh": return generate$1(executableName, descriptor);
		case "fish": return generate$3(executableName, descriptor);
		case "powershell": return generate$2(executableName, descriptor);
	}
};

// node_modules/effect/dist/cli/Flag.js
/**
* Creates a string flag that accepts text input.
*
* **Example** (Creating string flags)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const nameFlag = Flag.String("name")
* // Usage: --name "John Doe"
* nameFlag.kind // => "flag"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const String$2 = (name) => String$3(flagKind, name);
/**
* Creates a boolean flag that can be enabled or disabled.
*
* **Example** (Creating boolean flags)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const verboseFlag = Flag.Boolean("verbose")
* // Usage: --verbose (true) or --no-verbose (false)
* // Omission fails unless the flag is made optional or given a fallback.
* verboseFlag.kind // => "flag"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Boolean = (name) => Boolean$1(flagKind, name);
/**
* Creates an integer flag that accepts whole number input.
*
* **Example** (Creating integer flags)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const portFlag = Flag.Int("port")
* // Usage: --port 8080
* portFlag.kind // => "flag"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Int = (name) => Int$1(flagKind, name);
/**
* Constructs option parameters that represent a choice between several inputs.
* Each tuple maps a string flag value to an associated typed value.
*
* **Example** (Creating flag choices with values)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* // simple enum like choice mapping directly to string union
* const color = Flag.Literals("color", ["red", "green", "blue"])
*
* // choice with custom value mapping
* const logLevel = Flag.ChoiceWithValue("log-level", [
*   ["debug", "Debug" as const],
*   ["info", "Info" as const],
*   ["error", "Error" as const]
* ])
* const kinds = [color.kind, logLevel.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const ChoiceWithValue = (name, choices) => ChoiceWithValue$1(flagKind, name, choices);
/**
* Accepts one of the provided strings. An empty array rejects all input.
*
* @see {@link ChoiceWithValue} for mapping accepted strings to different typed values
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Literals$1 = (name, literals) => Literals$2(flagKind, name, literals);
/**
* Adds an alias to a flag, allowing it to be referenced by multiple names.
*
* **Example** (Adding flag aliases)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* // Flag can be used as both --verbose and -v
* const verboseFlag = Flag.Boolean("verbose").pipe(
*   Flag.withAlias("v")
* )
*
* // Multiple aliases can be chained
* const helpFlag = Flag.Boolean("help").pipe(
*   Flag.withAlias("h"),
*   Flag.withAlias("?")
* )
* const kinds = [verboseFlag.kind, helpFlag.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category aliasing
* @since 4.0.0
*/
const withAlias = /*#__PURE__*/ dual(2, (self, alias) => withAlias$1(self, alias));
/**
* Adds a description to a flag for help documentation.
*
* **Example** (Adding help descriptions)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const portFlag = Flag.Int("port").pipe(
*   Flag.withDescription("The port number to listen on")
* )
*
* const configFlag = Flag.File("config").pipe(
*   Flag.withDescription("Path to the configuration file")
* )
* const kinds = [portFlag.kind, configFlag.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category metadata
* @since 4.0.0
*/
const withDescription$2 = /*#__PURE__*/ dual(2, (self, description) => withDescription$3(self, description));
/**
* Removes the negated `--no-<name>` form of a boolean flag.
*
* **Details**
*
* The negated form is then rejected as an unrecognized flag and left out of
* shell completions. Has no effect on non-boolean flags.
*
* **Example** (Disabling a boolean flag's negation)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const unsafe = Flag.Boolean("unsafe").pipe(
*   Flag.withDefault(false),
*   Flag.withoutNegation
* )
* // --unsafe     => true
* // --no-unsafe  => unrecognized flag
* unsafe.kind // => "flag"
* ```
*
* @stability unstable
* @category combinators
* @since 4.1.0
*/
const withoutNegation = (self) => withoutNegation$1(self);
/**
* Sets a custom metavar (placeholder name) for the flag in help documentation.
*
* **Details**
*
* The metavar is displayed in usage text to indicate what value the user should
* provide. For example, `--output FILE` shows `FILE` as the metavar.
*
* **Example** (Setting metavars)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const databaseFlag = Flag.String("database-url").pipe(
*   Flag.withMetavar("URL"),
*   Flag.withDescription("Database connection URL")
* )
* // In help: --database-url URL
*
* const timeoutFlag = Flag.Int("timeout").pipe(
*   Flag.withMetavar("SECONDS")
* )
* // In help: --timeout SECONDS
* const kinds = [databaseFlag.kind, timeoutFlag.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category metadata
* @since 4.0.0
*/
const withMetavar = /*#__PURE__*/ dual(2, (self, metavar) => withMetavar$1(self, metavar));
/**
* Makes a flag optional, returning an Option type that can be None if not provided.
*
* **Example** (Making flags optional)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Option, Path, Stdio, Terminal } from "effect"
* import { Flag } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* const optionalPort = Flag.optional(Flag.Int("port"))
*
* const program = Effect.gen(function*() {
*   const [, port] = yield* optionalPort.parse({
*     arguments: [],
*     flags: { "port": ["4000"] }
*   })
*   return port
* })
*
* await Effect.runPromise(program.pipe(Effect.provide(CliTestLayer))) // => Option.some(4000)
* ```
*
* @stability unstable
* @category optionality
* @since 4.0.0
*/
const optional$1 = (param) => optional$2(param);
/**
* Provides a default value for a flag when it's not specified.
*
* **Example** (Providing default values)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const portFlag = Flag.Int("port").pipe(
*   Flag.withDefault(8080)
* )
* // If --port is not provided, defaults to 8080
*
* const hostFlag = Flag.String("host").pipe(
*   Flag.withDefault("localhost")
* )
* // If --host is not provided, defaults to "localhost"
* const kinds = [portFlag.kind, hostFlag.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category optionality
* @since 4.0.0
*/
const withDefault = withDefault$1;
/**
* Ensures a flag is specified at least a minimum number of times.
*
* **Example** (Requiring repeated values)
*
* ```ts import.meta.vitest
* import { Flag } from "effect/cli"
*
* const sourceFlag = Flag.atLeast(Flag.File("source"), 2)
* // Requires at least 2 source files
* // Usage: --source file1.ts --source file2.ts
*
* const tagFlag = Flag.String("tag").pipe(
*   Flag.atLeast(1)
* )
* // Requires at least 1 tag
* const kinds = [sourceFlag.kind, tagFlag.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category repetition
* @since 4.0.0
*/
const atLeast = /*#__PURE__*/ dual(2, (self, min) => atLeast$1(self, min));
/**
* Validates and transforms a flag value using a Schema codec.
*
* **Example** (Validating with schemas)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { Flag } from "effect/cli"
*
* const isEmail = Schema.isPattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, {
*   message: "Must be a valid email address"
* })
*
* // Parse and validate email with custom schema
* const EmailSchema = Schema.String.pipe(
*   Schema.check(isEmail)
* )
*
* const emailFlag = Flag.String("email").pipe(
*   Flag.withSchema(EmailSchema)
* )
*
* // Parse JSON configuration with schema validation
* const ConfigSchema = Schema.Struct({
*   port: Schema.Number,
*   host: Schema.String,
*   ssl: Schema.optional(Schema.Boolean)
* }).pipe(Schema.fromJsonString)
*
* const configFlag = Flag.String("config").pipe(
*   Flag.withSchema(ConfigSchema)
* )
* const kinds = [emailFlag.kind, configFlag.kind] // => ["flag", "flag"]
* ```
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const withSchema$1 = /*#__PURE__*/ dual(2, (self, schema) => withSchema$2(self, schema));

// node_modules/effect/dist/cli/internal/help.js
/**
* Help Documentation
* ================
*
* Internal helpers for generating help documentation.
* Extracted from command.ts to avoid circular dependencies.
*/
const dedupeGlobalFlags = (flags) => {
	const seen = /* @__PURE__ */ new Set();
	const deduped = [];
	for (const flag of flags) {
		if (seen.has(flag)) continue;
		seen.add(flag);
		deduped.push(flag);
	}
	return deduped;
};
/**
* Returns the resolved command lineage for the provided path.
* Includes the root command as the first element.
*/
const getCommandsForCommandPath = (command, commandPath) => {
	const commands = [command];
	let currentCommand = command;
	for (let i = 1; i < commandPath.length; i++) {
		const subcommandName = commandPath[i];
		let subcommand = void 0;
		for (const group of currentCommand.subcommands) {
			subcommand = group.commands.find((sub) => sub.name === subcommandName);
			if (subcommand) break;
		}
		if (!subcommand) break;
		commands.push(subcommand);
		currentCommand = subcommand;
	}
	return commands;
};
/**
* Returns active global flags for a command path.
* Built-ins are prepended and declarations are collected root -> leaf.
*/
const getGlobalFlagsForCommandPath = (command, commandPath, builtIns) => {
	const declared = getCommandsForCommandPath(command, commandPath).flatMap((current) => toImpl(current).globalFlags);
	return dedupeGlobalFlags([...builtIns, ...declared]);
};
const collectDeclaredGlobalFlags = (command) => {
	const collected = [];
	const visit = (current) => {
		const impl = toImpl(current);
		for (const flag of impl.globalFlags) collected.push(flag);
		for (const group of current.subcommands) for (const subcommand of group.commands) visit(subcommand);
	};
	visit(command);
	return dedupeGlobalFlags(collected);
};
const getInheritedFlagsForCommandPath = (commands, currentFlags) => {
	if (commands.length <= 1) return [];
	const seen = new Set(currentFlags.map((flag) => flag.name));
	const inheritedFlags = [];
	for (const ancestor of commands.slice(0, -1)) {
		const ancestorImpl = toImpl(ancestor);
		for (const flag of ancestorImpl.contextConfig.flags) {
			const singles = extractSingleParams(flag);
			const metadata = getParamMetadata(flag);
			for (const single of singles) {
				if (seen.has(single.name)) continue;
				if (single.hidden) continue;
				seen.add(single.name);
				inheritedFlags.push(toFlagDoc(single, metadata));
			}
		}
	}
	return inheritedFlags;
};
/**
* Returns all global flags declared in a command tree.
* Built-ins are prepended and command declarations are deduplicated by identity.
*/
const getGlobalFlagsForCommandTree = (command, builtIns) => dedupeGlobalFlags([...builtIns, ...collectDeclaredGlobalFlags(command)]);
/**
* Helper function to get help documentation for a specific command path.
* Navigates through the command hierarchy to find the right command.
* Reads active global flags for the path and includes them in the help doc.
*/
const getHelpForCommandPath = (command, commandPath, builtIns) => gen(function* () {
	const commands = getCommandsForCommandPath(command, commandPath);
	const currentCommand = commands.length > 0 ? commands[commands.length - 1] : command;
	const baseDoc = toImpl(currentCommand).buildHelpDoc(commandPath);
	const inheritedFlags = getInheritedFlagsForCommandPath(commands, baseDoc.flags);
	const flags = getGlobalFlagsForCommandPath(command, commandPath, builtIns);
	const globalFlagDocs = [];
	for (const flag of flags) {
		const singles = extractSingleParams(flag.flag);
		const metadata = getParamMetadata(flag.flag);
		for (const single of singles) {
			if (single.hidden) continue;
			globalFlagDocs.push({
				...toFlagDoc(single, metadata),
				required: false
			});
		}
	}
	let scopeLength = 1;
	for (let i = commands.length - 1; i > 0; i--) if (toImpl(commands[i]).globalFlags.length > 0) {
		scopeLength = i + 1;
		break;
	}
	return {
		...baseDoc,
		inheritedFlags,
		globalFlags: globalFlagDocs,
		globalFlagsScope: commandPath.slice(0, scopeLength),
		commandPath
	};
});

// node_modules/effect/dist/cli/GlobalFlag.js
/**
* Global flags for Effect CLI command trees. Global flags are parsed outside a
* single command's local flags and can apply to a command and its descendants.
*
* This module defines two kinds of global flags: action flags, which run an
* effect and stop normal command execution, and setting flags, which provide a
* parsed value to the command handler through the Effect context. It also
* defines the built-in help, version, wizard, shell-completion, and log-level flags
* used by `Command.run` and `Command.runWith`.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Creates an Action flag that performs a side effect and exits.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Action = (options) => ({
	_tag: "Action",
	flag: options.flag,
	run: options.run
});
/**
* Creates a Setting flag that configures the command handler's environment.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Setting = (id) => (options) => {
	settingIdCounter += 1;
	const ref = Service(`effect/cli/GlobalFlag/${id}/${settingIdCounter}`);
	return Object.assign(ref, {
		_tag: "Setting",
		id,
		flag: options.flag
	});
};
let settingIdCounter = 0;
/**
* Defines the `--help` / `-h` global flag, which shows help documentation for the
* active command path.
*
* @see {@link BuiltIns} for the default list containing this flag
* @see {@link Action} for defining custom action global flags
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const Help = /*#__PURE__*/ Action({
	flag: /*#__PURE__*/ Boolean("help").pipe(/*#__PURE__*/ withAlias("h"), /*#__PURE__*/ withDescription$2("Show help information"), /*#__PURE__*/ withDefault(false)),
	run: /*#__PURE__*/ fnUntraced(function* (_, { builtIns, command, commandPath }) {
		const presenter = yield* Presenter;
		const helpDoc = yield* getHelpForCommandPath(command, commandPath, builtIns);
		yield* presenter.present({
			_tag: "Help",
			reason: "Requested",
			commandPath,
			helpDoc
		});
	})
});
/**
* Defines the global action flag for showing command version information.
*
* **When to use**
*
* Use to add a built-in `--version / -v` flag to a command runner.
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const Version = /*#__PURE__*/ Action({
	flag: /*#__PURE__*/ Boolean("version").pipe(/*#__PURE__*/ withAlias("v"), /*#__PURE__*/ withDescription$2("Show version information"), /*#__PURE__*/ withDefault(false)),
	run: /*#__PURE__*/ fnUntraced(function* (_, { command, version }) {
		yield* (yield* Presenter).present({
			_tag: "Version",
			name: command.name,
			version
		});
	})
});
/**
* Defines the global action flag for starting interactive wizard mode.
*
* **Details**
*
* `Command.run` and `Command.runWith` handle this action specially so the
* generated arguments can be passed back through the command parser.
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const Wizard = /*#__PURE__*/ Action({
	flag: /*#__PURE__*/ Boolean("wizard").pipe(/*#__PURE__*/ withDescription$2("Start wizard mode for a command"), /*#__PURE__*/ withDefault(false)),
	run: () => void_
});
/**
* Defines the `--completions` global flag, which prints a shell completion script for
* the given shell.
*
* **Details**
*
* Accepted values are `bash`, `zsh`, `fish`, `powershell`, `sh`, and `pwsh`;
* `sh` is normalized to `bash` and `pwsh` to `powershell`.
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const Completions = /*#__PURE__*/ Action({
	flag: /*#__PURE__*/ ChoiceWithValue("completions", [
		["bash", "bash"],
		["zsh", "zsh"],
		["fish", "fish"],
		["powershell", "powershell"],
		["sh", "bash"],
		["pwsh", "powershell"]
	]).pipe(optional$1, /*#__PURE__*/ withMetavar("<bash|zsh|fish|powershell|sh|pwsh>"), /*#__PURE__*/ withDescription$2("Print shell completion script")),
	run: /*#__PURE__*/ fnUntraced(function* (shell, { command }) {
		if (isNone(shell)) return;
		const descriptor = fromCommand(command);
		yield* log$1(generate(command.name, shell.value, descriptor));
	})
});
/**
* Defines the global setting flag for command log level.
*
* **When to use**
*
* Use to add a built-in `--log-level` option that configures the minimum log
* level for the command.
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const LogLevel = /*#__PURE__*/ Setting("log-level")({ flag: /*#__PURE__*/ ChoiceWithValue("log-level", [
	["all", "All"],
	["trace", "Trace"],
	["debug", "Debug"],
	["info", "Info"],
	["warn", "Warn"],
	["warning", "Warn"],
	["error", "Error"],
	["fatal", "Fatal"],
	["none", "None"]
]).pipe(optional$1, /*#__PURE__*/ withDescription$2("Sets the minimum log level"), /*#__PURE__*/ withMetavar("<all|trace|debug|info|warn|warning|error|fatal|none>")) });
/**
* Built-in global flags in default precedence order.
*
* **When to use**
*
* Use when extending or inspecting the default global-flag set that
* `Command.runWith` prepends before user-defined global flags.
*
* **Details**
*
* The built-ins are `Help`, `Version`, `Wizard`, `Completions`, and `LogLevel`.
* `Command.runWith` prepends these built-ins when collecting and parsing global
* flags.
*
* **Gotchas**
*
* Action flags are processed in active flag order and the first present action
* exits, so this array controls built-in action precedence.
*
* @see {@link Help} for the help action flag
* @see {@link Version} for the version action flag
* @see {@link Completions} for the shell-completions action flag
* @see {@link LogLevel} for the built-in log-level setting flag
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const BuiltIns = [
	Help,
	Version,
	Wizard,
	Completions,
	LogLevel
];

// node_modules/effect/dist/cli/CliConfig.js
/**
* Configuration for Effect CLI command execution.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Context reference for configuration shared by CLI parsing, help generation,
* and command execution.
*
* **When to use**
*
* Use when you need to customize runner-wide CLI behavior, such as which
* built-in global flags are available.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var CliConfig = class extends (/*#__PURE__*/ Reference("effect/cli/CliConfig", { defaultValue: () => defaults })) {};
/**
* Default CLI configuration containing every built-in global flag.
*
* @stability unstable
* @category defaults
* @since 4.0.0
*/
const defaults = { builtIns: BuiltIns };
/**
* Creates CLI configuration by merging the provided options over `defaults`.
*
* **When to use**
*
* Use when you need a configuration value to provide directly through the
* `CliConfig` context reference.
*
* @see {@link layer} for providing configuration as a layer
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$1 = (options) => ({
	...defaults,
	...options
});
/**
* Creates a layer that provides CLI configuration merged over `defaults`.
*
* **When to use**
*
* Use when wiring customized CLI behavior into an application layer.
*
* @see {@link make} for creating a configuration value directly
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer = (options) => succeed$2(CliConfig, make$1(options));

// node_modules/effect/dist/cli/internal/formatter.js
/**
* The formatter for built-in command output. An installed `CliOutput.Formatter`
* wins, otherwise the default formatter colors when `TerminalCapabilities`
* says it can.
*
* @internal
*/
const resolveFormatter = /*#__PURE__*/ contextWith((context) => succeed$1(getOrUndefined$1(context, Formatter) ?? defaultFormatter({ colors: get$1(context, TerminalCapabilities).canColor })));

// node_modules/effect/dist/cli/internal/lexer.js
/**
* @internal
*/
function lex(argv) {
	const endIndex = argv.indexOf("--");
	if (endIndex === -1) return {
		tokens: lexTokens(argv),
		trailingOperands: []
	};
	return {
		tokens: lexTokens(argv.slice(0, endIndex)),
		trailingOperands: argv.slice(endIndex + 1)
	};
}
const negativeNumberRegex = /^-(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const lexTokens = (args) => {
	const tokens = [];
	for (const arg of args) if (!arg.startsWith("-") || negativeNumberRegex.test(arg)) tokens.push({
		_tag: "Value",
		value: arg
	});
	else if (arg.startsWith("--")) {
		const equalIndex = arg.indexOf("=");
		if (equalIndex !== -1) {
			const name = arg.slice(2, equalIndex);
			if (name === "") tokens.push({
				_tag: "Value",
				value: arg
			});
			else {
				const value = arg.slice(equalIndex + 1);
				tokens.push({
					_tag: "LongOption",
					name,
					raw: arg,
					value
				});
			}
		} else tokens.push({
			_tag: "LongOption",
			name: arg.slice(2),
			raw: arg
		});
	} else if (arg.length > 1) {
		const flags = arg.slice(1);
		const equalIndex = flags.indexOf("=");
		if (equalIndex !== -1) {
			const chars = Array.from(flags.slice(0, equalIndex));
			const flag = chars.pop() ?? "";
			for (const ch of chars) tokens.push({
				_tag: "ShortOption",
				flag: ch,
				raw: `-${ch}`
			});
			tokens.push({
				_tag: "ShortOption",
				flag,
				raw: `-${flag}`,
				value: flags.slice(equalIndex + 1)
			});
		} else for (const ch of flags) tokens.push({
			_tag: "ShortOption",
			flag: ch,
			raw: `-${ch}`
		});
	} else tokens.push({
		_tag: "Value",
		value: arg
	});
	return tokens;
};

// node_modules/effect/dist/cli/internal/auto-suggest.js
/**
* Simple Levenshtein distance implementation (small N, no perf worries)
*/
const levenshtein = (a, b) => {
	const m = a.length;
	const n = b.length;
	const dp = Array.from({ length: m + 1 }, () => new Array(n + 1).fill(0));
	for (let i = 0; i <= m; i++) dp[i][0] = i;
	for (let j = 0; j <= n; j++) dp[0][j] = j;
	for (let i = 1; i <= m; i++) for (let j = 1; j <= n; j++) {
		const cost = a[i - 1] === b[j - 1] ? 0 : 1;
		dp[i][j] = Math.min(dp[i - 1][j] + 1, dp[i][j - 1] + 1, dp[i - 1][j - 1] + cost);
	}
	return dp[m][n];
};
/**
* Return suggestions with minimum distance found, up to distance 2.
*
* @internal
*/
const suggest = (input, candidates) => {
	const distances = candidates.map((c) => [levenshtein(input, c), c]).filter(([d]) => d <= 2).sort(([a], [b]) => a - b);
	if (distances.length === 0) return [];
	const minDistance = distances[0][0];
	return distances.filter(([d]) => d === minDistance).map(([, c]) => c);
};

// node_modules/effect/dist/cli/internal/parser.js
/**
* Parsing Pipeline for CLI Commands
* ==================================
*
* The parser transforms raw argv tokens into structured command input through
* three main phases:
*
* 1. **Lexer** (external): Converts argv strings into typed tokens
*    - LongOption: --name or --name=value
*    - ShortOption: -n or -n=value (also handles -abc as three flags)
*    - Value: positional arguments
*
* 2. **Built-in Extraction**: Peels off built-in flags (help/version/completions)
*    before command-specific parsing begins.
*
* 3. **Command Parsing**: Recursively processes command levels:
*    - Collects flags defined at this level
*    - Detects subcommand from first value token
*    - Forwards remaining tokens to child command
*
* Key Behaviors
* -------------
* - Inherited parent flags may appear before OR after the subcommand name (npm-style)
* - Only the first Value token can open a subcommand
* - Errors accumulate rather than throwing exceptions
*/
/**
* @internal
*/
const getCommandPath = (parsedInput) => match$1(parsedInput.subcommand, {
	onNone: () => [],
	onSome: (subcommand) => [subcommand.name, ...getCommandPath(subcommand.parsedInput)]
});
/**
* @internal
*/
const parseArgs = (lexResult, command, commandPath = []) => gen(function* () {
	const { tokens, trailingOperands: afterEndOfOptions } = lexResult;
	const newCommandPath = [...commandPath, command.name];
	const commandImpl = toImpl(command);
	const flagParams = commandImpl.config.flags.flatMap(extractSingleParams).filter(isFlagParam);
	const flagRegistry = createFlagRegistry(flagParams);
	const inheritedFlagParams = commandImpl.contextConfig.flags.flatMap(extractSingleParams).filter(isFlagParam);
	const inheritedFlagRegistry = createFlagRegistry(inheritedFlagParams);
	const inheritedNames = new Set(inheritedFlagParams.map((param) => param.name));
	const context = {
		command,
		commandPath: newCommandPath,
		flagRegistry,
		inheritedFlagRegistry,
		localFlagNames: flagParams.filter((param) => !inheritedNames.has(param.name)).map((param) => param.name)
	};
	const result = scanCommandLevel(tokens, context);
	if (result._tag === "Leaf") return {
		flags: result.flags,
		arguments: [...result.arguments, ...afterEndOfOptions],
		subcommand: none(),
		...result.errors.length > 0 && { errors: result.errors }
	};
	const subLex = {
		tokens: result.childTokens,
		trailingOperands: afterEndOfOptions
	};
	const subParsed = yield* parseArgs(subLex, result.sub, newCommandPath);
	const allErrors = [...result.errors, ...subParsed.errors ?? []];
	return {
		flags: result.flags,
		arguments: [],
		subcommand: some({
			name: result.sub.name,
			parsedInput: subParsed
		}),
		...allErrors.length > 0 && { errors: allErrors }
	};
});
const makeCursor = (tokens) => {
	let i = 0;
	return {
		peek: () => tokens[i],
		take: () => tokens[i++],
		rest: () => tokens.slice(i)
	};
};
/**
* Long name that sets a boolean flag to `false`, or `undefined` when the flag
* has no negated form.
*/
const negatedName = (param) => !isBoolean(param.primitiveType) || param.negation === false ? void 0 : param.negation ?? `no-${param.name}`;
/**
* Creates a registry for O(1) flag lookup by name or alias.
* @internal
*/
const createFlagRegistry = (params) => {
	const index = /* @__PURE__ */ new Map();
	const negations = /* @__PURE__ */ new Map();
	for (const param of params) {
		if (index.has(param.name)) throw new Error(`Duplicate flag name "${param.name}" in command definition`);
		index.set(param.name, param);
		for (const alias of param.aliases) {
			if (index.has(alias)) throw new Error(`Duplicate flag/alias "${alias}" in command definition (conflicts with "${index.get(alias).name}")`);
			index.set(alias, param);
		}
		const negation = negatedName(param);
		if (negation !== void 0) {
			if (negations.has(negation)) throw new Error(`Duplicate negation "${negation}" in command definition (conflicts with "${negations.get(negation).name}")`);
			negations.set(negation, param);
		}
	}
	return {
		params,
		index,
		negations
	};
};
const buildSubcommandIndex = (subcommands) => {
	const index = /* @__PURE__ */ new Map();
	const setKey = (key, command) => {
		const existing = index.get(key);
		if (existing && existing !== command) throw new Error(`Duplicate subcommand name/alias "${key}" in command definition (conflicts with "${existing.name}")`);
		index.set(key, command);
	};
	for (const group of subcommands) for (const subcommand of group.commands) {
		setKey(subcommand.name, subcommand);
		if (subcommand.alias && subcommand.alias !== subcommand.name) setKey(subcommand.alias, subcommand);
	}
	return index;
};
/** Creates an empty flag map with all known flag names initialized to [].
* @internal
*/
const createEmptyFlagMap = (params) => Object.fromEntries(params.map((p) => [p.name, []]));
/**
* Creates a mutable accumulator for collecting flag values.
* Pre-initializes empty arrays for all known flags.
*/
const createFlagAccumulator = (params) => {
	const map = createEmptyFlagMap(params);
	return {
		add: (name, raw) => {
			if (raw !== void 0) map[name].push(raw);
		},
		merge: (from) => {
			for (const key in from) {
				const values = from[key];
				if (values?.length) for (let i = 0; i < values.length; i++) map[key].push(values[i]);
			}
		},
		snapshot: () => map
	};
};
const isFlagToken = (t) => t._tag === "LongOption" || t._tag === "ShortOption";
const getFlagName = (t) => t._tag === "LongOption" ? t.name : t.flag;
const resolveFlag = (token, registry) => {
	const tokenName = getFlagName(token);
	const direct = registry.index.get(tokenName);
	if (direct && direct.name === tokenName) return {
		param: direct,
		negated: false
	};
	const negated = token._tag === "LongOption" ? registry.negations.get(token.name) : void 0;
	if (negated) return {
		param: negated,
		negated: true
	};
	if (direct) return {
		param: direct,
		negated: false
	};
};
const invalidNegatedFlagValue = (token, spec, value) => new InvalidValue({
	option: spec.name,
	value,
	expected: `omit the value and use ${token.raw} by itself to set --${spec.name} to false`,
	kind: "flag"
});
const missingFlagValue = (spec) => {
	const choices = getChoiceKeys(spec.primitiveType);
	return new InvalidValue({
		option: spec.name,
		value: "",
		expected: choices === void 0 ? spec.typeName ?? getTypeName(spec.primitiveType) : choices.join(" | "),
		kind: "flag"
	});
};
/**
* Checks whether a token is a boolean literal value.
* Recognizes: true/false, yes/no, on/off, 1/0
*/
const asBooleanLiteral = (token) => token?._tag === "Value" && (isTrueLiteral(token.value) || isFalseLiteral(token.value)) ? token.value : void 0;
/**
* Reads a flag's value from the token stream.
*
* Value resolution order:
* 1. Inline value: --flag=value or -f=value
* 2. Optional value: the flag's configured value, without consuming a token
* 3. Boolean special case: implicit "true" or explicit boolean literal
* 4. Next token: consume following Value token if present
*/
const consumeFlagValue = (cursor, token, spec, negated = false) => {
	const consumed = consumeFlagValueWithTokens(cursor, token, spec, negated);
	switch (consumed._tag) {
		case "Value": return {
			_tag: "Value",
			value: consumed.value
		};
		case "Error": return {
			_tag: "Error",
			error: consumed.error
		};
	}
};
const consumeFlagValueWithTokens = (cursor, token, spec, negated = false) => {
	if (negated) {
		if (token.value !== void 0) return {
			_tag: "Error",
			error: invalidNegatedFlagValue(token, spec, token.value),
			tokens: []
		};
		const literal = spec.optionalValue === void 0 ? asBooleanLiteral(cursor.peek()) : void 0;
		if (literal !== void 0) {
			const literalToken = cursor.take();
			return {
				_tag: "Error",
				error: invalidNegatedFlagValue(token, spec, literal),
				tokens: literalToken === void 0 ? [] : [literalToken]
			};
		}
		return {
			_tag: "Value",
			value: "false",
			tokens: []
		};
	}
	if (token.value !== void 0) return {
		_tag: "Value",
		value: token.value,
		tokens: []
	};
	if (spec.optionalValue !== void 0) return {
		_tag: "Value",
		value: spec.optionalValue,
		tokens: []
	};
	if (isBoolean(spec.primitiveType)) {
		const literal = asBooleanLiteral(cursor.peek());
		const literalToken = literal !== void 0 ? cursor.take() : void 0;
		return {
			_tag: "Value",
			value: literal ?? "true",
			tokens: literalToken === void 0 ? [] : [literalToken]
		};
	}
	const next = cursor.peek();
	if (next?._tag === "Value") {
		const valueToken = cursor.take();
		return {
			_tag: "Value",
			value: next.value,
			tokens: valueToken === void 0 ? [] : [valueToken]
		};
	}
	return {
		_tag: "Error",
		error: missingFlagValue(spec),
		tokens: []
	};
};
/**
* Consumes known flags from a token stream.
* Unrecognized tokens are passed through to remainder.
* Used for both global flag extraction and npm-style parent flag collection.
* @internal
*/
const consumeKnownFlags = (tokens, registry) => {
	const flagMap = createEmptyFlagMap(registry.params);
	const remainder = [];
	const errors = [];
	const cursor = makeCursor(tokens);
	for (let t = cursor.take(); t; t = cursor.take()) {
		if (!isFlagToken(t)) {
			remainder.push(t);
			continue;
		}
		const resolved = resolveFlag(t, registry);
		if (!resolved) {
			remainder.push(t);
			continue;
		}
		const consumed = consumeFlagValue(cursor, t, resolved.param, resolved.negated);
		if (consumed._tag === "Error") {
			errors.push(consumed.error);
			continue;
		}
		if (consumed.value !== void 0) flagMap[resolved.param.name].push(consumed.value);
	}
	return {
		flagMap,
		remainder,
		errors
	};
};
const extractFlagParams = (command) => {
	return toImpl(command).config.flags.flatMap(extractSingleParams).filter(isFlagParam);
};
const extractContextFlagParams = (command) => {
	return toImpl(command).contextConfig.flags.flatMap(extractSingleParams).filter(isFlagParam);
};
const resolveFromRegistries = (token, registries) => {
	for (const registry of registries) {
		const resolved = resolveFlag(token, registry);
		if (resolved !== void 0) return resolved;
	}
};
const preserveFlag = (remainder, cursor, token, resolved) => {
	remainder.push(token);
	const consumed = consumeFlagValueWithTokens(cursor, token, resolved.param, resolved.negated);
	remainder.push(...consumed.tokens);
};
const localFlagWouldPrecedeSubcommand = (token, remainingTokens, resolved, subIndex, registries) => {
	const cursor = makeCursor(remainingTokens);
	consumeFlagValueWithTokens(cursor, token, resolved.param, resolved.negated);
	for (let token = cursor.take(); token; token = cursor.take()) {
		if (isFlagToken(token)) {
			const known = resolveFromRegistries(token, registries);
			if (known !== void 0) consumeFlagValueWithTokens(cursor, token, known.param, known.negated);
			continue;
		}
		if (token._tag === "Value") return subIndex.has(token.value);
	}
	return false;
};
/**
* Consumes global flags while walking the command tree.
*
* Command-local flags take precedence over global flags at the selected command
* level. This lets commands reuse a global flag name, for example a subcommand
* with its own `--version <value>` flag overriding the built-in global
* `--version` action.
* @internal
*/
const consumeGlobalFlags = (tokens, command, registry) => {
	const flagMap = createEmptyFlagMap(registry.params);
	const errors = [];
	const consumeLevel = (tokens, command, ignoredRegistries) => {
		const localRegistry = createFlagRegistry(extractFlagParams(command));
		const inheritedRegistry = createFlagRegistry(extractContextFlagParams(command));
		const subIndex = buildSubcommandIndex(command.subcommands);
		const cursor = makeCursor(tokens);
		const remainder = [];
		let awaitingFirstValue = true;
		for (let token = cursor.take(); token; token = cursor.take()) {
			if (isFlagToken(token)) {
				const ignored = resolveFromRegistries(token, ignoredRegistries);
				if (ignored !== void 0) {
					preserveFlag(remainder, cursor, token, ignored);
					continue;
				}
				const inherited = resolveFlag(token, inheritedRegistry);
				if (inherited !== void 0) {
					preserveFlag(remainder, cursor, token, inherited);
					continue;
				}
				const local = resolveFlag(token, localRegistry);
				const global = resolveFlag(token, registry);
				if (local !== void 0) {
					if (global === void 0 || !awaitingFirstValue || !localFlagWouldPrecedeSubcommand(token, cursor.rest(), local, subIndex, [
						localRegistry,
						inheritedRegistry,
						registry
					])) {
						preserveFlag(remainder, cursor, token, local);
						continue;
					}
				}
				if (global !== void 0) {
					const consumed = consumeFlagValueWithTokens(cursor, token, global.param, global.negated);
					if (consumed._tag === "Error") {
						errors.push(consumed.error);
						continue;
					}
					if (consumed.value !== void 0) flagMap[global.param.name].push(consumed.value);
					continue;
				}
				remainder.push(token);
				continue;
			}
			if (token._tag === "Value" && awaitingFirstValue) {
				const sub = subIndex.get(token.value);
				if (sub !== void 0) {
					remainder.push(token);
					remainder.push(...consumeLevel(cursor.rest(), sub, [...ignoredRegistries, inheritedRegistry]));
					return remainder;
				}
				awaitingFirstValue = false;
			}
			remainder.push(token);
		}
		return remainder;
	};
	return {
		flagMap,
		remainder: consumeLevel(tokens, command, []),
		errors
	};
};
const createUnrecognizedFlagError = (token, params, commandPath) => {
	const printable = token._tag === "LongOption" ? `--${token.name}` : `-${token.flag}`;
	const validNames = [];
	for (const p of params) {
		if (p.hidden) continue;
		validNames.push(p.name);
		const negation = negatedName(p);
		if (negation !== void 0) validNames.push(negation);
		for (const alias of p.aliases) validNames.push(alias);
	}
	const suggestions = suggest(getFlagName(token), validNames).map((n) => n.length === 1 ? `-${n}` : `--${n}`);
	return new UnrecognizedOption({
		option: printable,
		suggestions,
		command: commandPath
	});
};
const createParseState = (registry) => ({
	flags: createFlagAccumulator(registry.params),
	arguments: [],
	errors: [],
	mode: { _tag: "AwaitingFirstValue" }
});
const toLeafResult = (state) => ({
	_tag: "Leaf",
	flags: state.flags.snapshot(),
	arguments: state.arguments,
	errors: state.errors
});
/**
* Determines how to handle the first value token.
*
* If it matches a known subcommand:
* - Collect inherited parent flags from remaining tokens (npm-style)
* - Return SubcommandResult with child tokens
*
* Otherwise:
* - Return Argument to treat it as a positional argument
* - Report error if command expects subcommand but got unknown value
*/
const resolveFirstValue = (value, cursor, context, state) => {
	const { command, commandPath, inheritedFlagRegistry, localFlagNames } = context;
	const subIndex = buildSubcommandIndex(command.subcommands);
	const sub = subIndex.get(value);
	if (sub) {
		const selectedPath = [...commandPath, sub.name];
		const parentFlags = state.flags.snapshot();
		for (const localFlagName of localFlagNames) {
			const values = parentFlags[localFlagName];
			if (values !== void 0 && values.length > 0) state.errors.push(new UnrecognizedOption({
				option: `--${localFlagName}`,
				suggestions: [],
				command: selectedPath
			}));
		}
		const tail = consumeKnownFlags(cursor.rest(), inheritedFlagRegistry);
		state.flags.merge(tail.flagMap);
		state.errors.push(...tail.errors);
		return {
			_tag: "Subcommand",
			result: {
				_tag: "Sub",
				flags: state.flags.snapshot(),
				sub,
				childTokens: tail.remainder,
				errors: state.errors
			}
		};
	}
	if (!(toImpl(command).config.arguments.length > 0) && subIndex.size > 0) {
		const visibleKeys = [];
		for (const [key, sub] of subIndex) if (!sub.unlisted) visibleKeys.push(key);
		const suggestions = suggest(value, visibleKeys);
		state.errors.push(new UnknownSubcommand({
			subcommand: value,
			parent: commandPath,
			suggestions
		}));
	}
	return { _tag: "Argument" };
};
/**
* Processes a flag token: looks up in registry, consumes value, records it.
* Reports unrecognized flags as errors.
*/
const processFlag = (token, cursor, context, state) => {
	const { commandPath, flagRegistry } = context;
	const resolved = resolveFlag(token, flagRegistry);
	if (!resolved) {
		state.errors.push(createUnrecognizedFlagError(token, flagRegistry.params, commandPath));
		return;
	}
	const consumed = consumeFlagValue(cursor, token, resolved.param, resolved.negated);
	if (consumed._tag === "Error") {
		state.errors.push(consumed.error);
		return;
	}
	state.flags.add(resolved.param.name, consumed.value);
};
/**
* Processes a value token based on current parsing mode.
*
* In AwaitingFirstValue mode:
* - Check if value is a subcommand
* - If so, return SubcommandResult to exit scanning
* - If not, switch to CollectingArguments mode
*
* In CollectingArguments mode:
* - Simply add value to arguments list
*/
const processValue = (value, cursor, context, state) => {
	if (state.mode._tag === "AwaitingFirstValue") {
		const result = resolveFirstValue(value, cursor, context, state);
		if (result._tag === "Subcommand") return result.result;
		state.mode = { _tag: "CollectingArguments" };
	}
	state.arguments.push(value);
};
/**
* Scans a single command level, processing all tokens.
*
* For each token:
* - Flags: Look up, consume value, record in accumulator
* - Values: Check for subcommand (first value only), then collect as arguments
*
* Returns LeafResult if no subcommand detected, SubcommandResult otherwise.
*/
const scanCommandLevel = (tokens, context) => {
	const cursor = makeCursor(tokens);
	const state = createParseState(context.flagRegistry);
	for (let token = cursor.take(); token; token = cursor.take()) {
		if (isFlagToken(token)) {
			processFlag(token, cursor, context, state);
			continue;
		}
		if (token._tag === "Value") {
			const subResult = processValue(token.value, cursor, context, state);
			if (subResult) return subResult;
		}
	}
	return toLeafResult(state);
};

// node_modules/effect/dist/cli/internal/wizard.js
const run$2 = /*#__PURE__*/ fnUntraced(function* (command, options) {
	const commandPath = options?.commandPath ?? [command.name];
	const selected = getCommandAtPath(command, commandPath);
	const commandLine = (options?.prefix ?? commandPath).map((value) => commandLineArg(value));
	const { colors } = yield* Theme;
	yield* logCurrentCommand(commandLine, colors);
	yield* promptCommand(selected, commandLine, selected === command ? "ROOT" : selected.name, colors);
	return {
		args: commandLine.map((arg) => arg.value),
		displayArgs: commandLine.map((arg) => arg.displayValue)
	};
});
const getCommandAtPath = (command, commandPath) => {
	let current = command;
	for (const name of commandPath.slice(1)) {
		const child = current.subcommands.flatMap((group) => group.commands).find((candidate) => candidate.name === name || candidate.alias === name);
		if (child === void 0) break;
		current = child;
	}
	return current;
};
const promptCommand = /*#__PURE__*/ fnUntraced(function* (command, commandLine, sectionName, colors) {
	const impl = toImpl(command);
	const visibleSubcommands = command.subcommands.flatMap((group) => group.commands.filter((child) => !child.unlisted));
	const config = visibleSubcommands.length === 0 ? impl.config : impl.contextConfig;
	if (config.flags.length > 0) {
		yield* log$1(renderSection(sectionName, "FLAGS", colors));
		for (const param of config.flags) commandLine.push(...yield* promptParam(param));
		if (config.arguments.length > 0 || visibleSubcommands.length > 0) yield* logCurrentCommand(commandLine, colors);
	}
	if (config.arguments.length > 0) {
		yield* log$1(renderSection(sectionName, "ARGUMENTS", colors));
		for (const param of config.arguments) commandLine.push(...yield* promptParam(param));
		if (visibleSubcommands.length > 0) yield* logCurrentCommand(commandLine, colors);
	}
	if (visibleSubcommands.length === 0) return;
	const child = yield* run$3(Select({
		message: "Command",
		choices: visibleSubcommands.map((command) => ({
			title: command.name,
			value: command,
			...command.shortDescription !== void 0 ? { description: command.shortDescription } : command.description !== void 0 ? { description: command.description } : {}
		}))
	}));
	yield* log$1();
	commandLine.push(commandLineArg(child.name));
	if (hasWizardSteps(child)) yield* logCurrentCommand(commandLine, colors);
	yield* promptCommand(child, commandLine, child.name, colors);
});
const hasWizardSteps = (command) => {
	return command.subcommands.some((group) => group.commands.some((child) => !child.unlisted)) || toImpl(command).config.orderedParams.length > 0;
};
const promptParam = /*#__PURE__*/ fnUntraced(function* (param) {
	const single = getUnderlyingSingleOrThrow(param);
	const metadata = getParamMetadata(param);
	if (metadata.isOptional) {
		if (!(yield* run$3(Confirm({
			message: `Set ${renderParamLabel(single)}?`,
			initial: false
		})))) {
			yield* log$1();
			return [];
		}
	}
	const count = !metadata.isVariadic ? 1 : yield* run$3(Int$2({
		message: `${renderParamLabel(single)} count`,
		default: getOrElse(metadata.variadicMin, () => 0),
		min: getOrElse(metadata.variadicMin, () => 0),
		...isSome(metadata.variadicMax) ? { max: metadata.variadicMax.value } : {}
	}));
	const values = [];
	for (let i = 0; i < count; i++) values.push(yield* promptSingle(single));
	const parsed = single.kind === "flag" ? {
		flags: { [single.name]: values.map((arg) => arg.value) },
		arguments: []
	} : {
		flags: {},
		arguments: values.map((arg) => arg.value)
	};
	yield* param.parse(parsed);
	yield* log$1();
	if (single.kind === "argument") return values;
	return values.flatMap((value) => single.optionalValue !== void 0 || value.value.startsWith("-") && value.value.length > 1 ? [commandLineArg(`--${single.name}=${value.value}`, `--${single.name}=${value.displayValue}`)] : [commandLineArg(`--${single.name}`), value]);
});
const promptSingle = (single) => {
	const message = renderParamMessage(single);
	switch (single.primitiveType._tag) {
		case "Boolean": return map$2(run$3(Confirm({
			message,
			label: {
				confirm: "true",
				deny: "false"
			},
			placeholder: {
				defaultConfirm: "(T/f)",
				defaultDeny: "(t/F)"
			}
		})), (value) => commandLineArg(String(value)));
		case "Choice": {
			const choices = getChoiceKeys(single.primitiveType) ?? [];
			return map$2(run$3(Select({
				message,
				choices: choices.map((choice) => ({
					title: choice,
					value: choice
				}))
			})), commandLineArg);
		}
		case "Date": return map$2(run$3(Date({ message })), (date) => commandLineArg(date.toISOString()));
		case "Finite": return map$2(run$3(Number$1({ message })), (value) => commandLineArg(String(value)));
		case "Int": return map$2(run$3(Int$2({ message })), (value) => commandLineArg(String(value)));
		case "Redacted": return map$2(run$3(Password({ message })), (value$1) => commandLineArg(value(value$1), "<redacted>"));
		default: return map$2(run$3(String$4({ message })), commandLineArg);
	}
};
const commandLineArg = (value, displayValue = value) => ({
	value,
	displayValue
});
const formatName = (single) => single.kind === "flag" ? `--${single.name}` : single.name;
const renderParamMessage = (single) => renderParamLabel(single);
const renderParamLabel = (single) => {
	const description = getOrUndefined(single.description)?.trim();
	const label = single.kind === "flag" && description !== void 0 && description.length <= 32 ? description : humanize(single.name);
	return single.kind === "flag" ? `${label} (${formatName(single)})` : label;
};
const humanize = (name) => {
	const words = name.split(/[-_]+/).filter((word) => word.length > 0);
	if (words.length === 0) return name;
	return [words[0][0].toUpperCase() + words[0].slice(1), ...words.slice(1)].join(" ");
};
const logCurrentCommand = (commandLine, colors) => log$1(renderCommandBlock("Current command", commandLine.map((arg) => arg.displayValue), colors, magenta));
const renderSection = (commandName, section, colors) => `${annotate(colors, commandName.toUpperCase(), bold, cyanBright)} ${annotate(colors, "·", blackBright)} ${annotate(colors, section, bold, white)}`;
const renderIntroduction = (name, version, summary, colors) => {
	return [
		`${annotate(colors, name, bold, cyanBright)} ${annotate(colors, `v${version}`, white)} ${annotate(colors, "· Command wizard", bold, white)}`,
		...summary === void 0 || summary.length === 0 ? [] : [summary],
		annotate(colors, "Build a command interactively. Press Ctrl+C to cancel.", blackBright),
		""
	].join("\n");
};
const renderCompletion = (commandLine, colors) => renderCommandBlock("Command ready", commandLine, colors, cyanBright, green);
const renderQuit = (colors) => `\n${annotate(colors, "Wizard cancelled.", red)}`;
const renderCommandBlock = (label, commandLine, colors, commandColor, labelColor = white) => {
	const lines = wrapCommand(commandLine);
	return [
		annotate(colors, label, bold, labelColor),
		...lines.map((line) => annotate(colors, line, commandColor)),
		""
	].join("\n");
};
const wrapCommand = (commandLine) => {
	const width = 88;
	const firstIndent = "  $ ";
	const continuationIndent = "    ";
	const args = commandLine.map(formatShellArg);
	const lines = [];
	let current = firstIndent;
	for (const arg of args) {
		const separator = current === firstIndent || current === continuationIndent ? "" : " ";
		if (current.length + separator.length + arg.length > width && current !== firstIndent) {
			lines.push(`${current} \\`);
			current = `${continuationIndent}${arg}`;
		} else current += `${separator}${arg}`;
	}
	if (current !== firstIndent) lines.push(current);
	return lines;
};
const formatShellArg = (arg) => /^[A-Za-z0-9_./:@%+=,-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'"'"'`)}'`;

// node_modules/effect/dist/cli/Command.js
/**
* Returns `true` if the provided value is a `Command`.
*
* **Gotchas**
*
* This checks for the `Command` type-id property; it does not validate the full
* command shape.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isCommand = (u) => hasProperty(u, TypeId);
/**
* Creates a `Command` from a name, an optional configuration, and an optional
* handler.
*
* **Details**
*
* Use `withDescription` and related metadata combinators to add help text. The
* overloads support simple commands, configured commands, and commands with
* effectful handlers.
*
* **Example** (Creating commands)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Argument, Command, Flag } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* // Simple command with no configuration
* const version = Command.make("version")
*
* // Command with simple flags
* const greet = Command.make("greet", {
*   name: Flag.String("name"),
*   count: Flag.Int("count").pipe(Flag.withDefault(1))
* })
*
* // Command with nested configuration
* const deploy = Command.make("deploy", {
*   environment: Flag.String("env").pipe(
*     Flag.withDescription("Target environment")
*   ),
*   server: {
*     host: Flag.String("host").pipe(Flag.withDefault("localhost")),
*     port: Flag.Int("port").pipe(Flag.withDefault(3000))
*   },
*   files: Argument.String("files").pipe(Argument.variadic),
*   force: Flag.Boolean("force").pipe(
*     Flag.withDescription("Force deployment"),
*     Flag.withDefault(false)
*   )
* })
*
* // Command with handler
* const output: Array<string> = []
* const deployWithHandler = Command.make("deploy", {
*   environment: Flag.String("env"),
*   force: Flag.Boolean("force").pipe(Flag.withDefault(false))
* }, (config) =>
*   Effect.gen(function*() {
*     yield* Effect.sync(() => output.push(`Starting deployment to ${config.environment}`))
*
*     if (!config.force && config.environment === "production") {
*       return yield* Effect.fail("Production deployments require --force flag")
*     }
*
*     yield* Effect.sync(() => output.push("Deployment completed successfully"))
*   }))
*
* await Effect.runPromise(
*   Command.runWith(deployWithHandler, { version: "1.0.0" })([
*     "--env",
*     "staging",
*     "--force"
*   ]).pipe(Effect.provide(CliTestLayer))
* )
* output // => ["Starting deployment to staging", "Deployment completed successfully"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make = (name, config, handler) => {
	const parsedConfig = parseConfig(config ?? {});
	return makeCommand({
		name,
		config: parsedConfig,
		...isNotUndefined(handler) ? { handle: handler } : {}
	});
};
const normalizeSubcommandEntries = (entries) => {
	const flat = [];
	const grouped = /* @__PURE__ */ new Map();
	const addToGroup = (group, command) => {
		flat.push(command);
		const existing = grouped.get(group);
		if (existing) existing.push(command);
		else grouped.set(group, [command]);
	};
	for (const entry of entries) {
		if (isCommand(entry)) {
			addToGroup(void 0, entry);
			continue;
		}
		for (const command of entry.commands) addToGroup(entry.group, command);
	}
	const groups = [];
	const ungroupedCommands = grouped.get(void 0);
	if (ungroupedCommands && ungroupedCommands.length > 0) groups.push({
		group: void 0,
		commands: ungroupedCommands
	});
	for (const [group, commands] of grouped) {
		if (group === void 0) continue;
		groups.push({
			group,
			commands
		});
	}
	return {
		flat,
		groups
	};
};
/**
* Adds subcommands to a command, creating a hierarchical command structure.
*
* **Details**
*
* Subcommands can access their parent's parsed configuration by yielding the parent
* command within their handler. This enables shared parent flags that affect
* all subcommands.
*
* **Example** (Adding subcommands)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Command, Flag } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* // Parent command with shared flags
* const git = Command.make("git").pipe(
*   Command.withSharedFlags({
*     verbose: Flag.Boolean("verbose").pipe(Flag.withDefault(false))
*   })
* )
*
* // Subcommand that accesses parent config
* const output: Array<string> = []
* const clone = Command.make("clone", {
*   repository: Flag.String("repo")
* }, (config) =>
*   Effect.gen(function*() {
*     const parent = yield* git // Access parent's parsed config
*     if (parent.verbose) {
*       yield* Effect.sync(() => output.push("Verbose mode enabled"))
*     }
*     yield* Effect.sync(() => output.push(`Cloning ${config.repository}`))
*   }))
*
* const app = git.pipe(Command.withSubcommands([clone]))
*
* await Effect.runPromise(
*   Command.runWith(app, { version: "1.0.0" })([
*     "--verbose",
*     "clone",
*     "--repo",
*     "github.com/foo/bar"
*   ]).pipe(Effect.provide(CliTestLayer))
* )
* output // => ["Verbose mode enabled", "Cloning github.com/foo/bar"]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withSubcommands = /*#__PURE__*/ dual(2, (self, subcommands) => {
	const normalized = normalizeSubcommandEntries(subcommands);
	checkForDuplicateFlags(self, normalized.flat);
	const impl = toImpl(self);
	const byName = new Map(normalized.flat.map((s) => [s.name, toImpl(s)]));
	const SubcommandStateSymbol = Symbol("effect/cli/SubcommandState");
	const parse = fnUntraced(function* (raw) {
		if (isNone(raw.subcommand)) return yield* impl.parse(raw);
		const sub = byName.get(raw.subcommand.value.name);
		if (!sub) return yield* impl.parse(raw);
		const context = yield* impl.parseContext(raw);
		const result = yield* sub.parse(raw.subcommand.value.parsedInput);
		return {
			...context,
			[SubcommandStateSymbol]: {
				name: sub.name,
				result
			}
		};
	});
	const handle = fnUntraced(function* (input, path) {
		const selectedSubcommand = input[SubcommandStateSymbol];
		if (selectedSubcommand) {
			const child = byName.get(selectedSubcommand.name);
			if (!child) return yield* new ShowHelp({
				commandPath: path,
				errors: []
			});
			return yield* child.handle(selectedSubcommand.result, [...path, child.name]).pipe(provideService(impl.service, input));
		}
		return yield* impl.handle(input, path);
	});
	return makeCommand({
		name: impl.name,
		config: impl.config,
		contextConfig: impl.contextConfig,
		description: impl.description,
		shortDescription: impl.shortDescription,
		alias: impl.alias,
		unlisted: impl.unlisted,
		annotations: impl.annotations,
		globalFlags: impl.globalFlags,
		resolveExamples: impl.resolveExamples,
		service: impl.service,
		subcommands: normalized.groups,
		parse,
		parseContext: impl.parseContext,
		handle
	});
});
/**
* Adds global flags to a command scope.
*
* **Details**
*
* Declared global flags apply to the command and all of its descendants.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withGlobalFlags = /*#__PURE__*/ dual(2, (self, globalFlags) => {
	const impl = toImpl(self);
	const next = Array.from(/* @__PURE__ */ new Set([...impl.globalFlags, ...globalFlags]));
	return makeCommand({
		...impl,
		globalFlags: next
	});
});
/**
* Sets the description for a command.
*
* **Details**
*
* Descriptions provide users with information about what the command does
* when they view help documentation.
*
* **Example** (Setting descriptions)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Command, Flag } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* const output: Array<string> = []
* const deploy = Command.make("deploy", {
*   environment: Flag.String("env")
* }, (config) =>
*   Effect.gen(function*() {
*     yield* Effect.sync(() => output.push(`Deploying to ${config.environment}`))
*   })).pipe(
*     Command.withDescription("Deploy the application to a specified environment")
*   )
*
* await Effect.runPromise(
*   Command.runWith(deploy, { version: "1.0.0" })(["--env", "staging"]).pipe(Effect.provide(CliTestLayer))
* )
* output // => ["Deploying to staging"]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withDescription$1 = /*#__PURE__*/ dual(2, (self, description) => makeCommand({
	...toImpl(self),
	description
}));
/**
* Sets a short description for a command.
*
* **Details**
*
* Short descriptions are used when listing subcommands in help output and
* shell completions. If no short description is provided, the full
* `description` is used as a fallback.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withShortDescription = /*#__PURE__*/ dual(2, (self, shortDescription) => makeCommand({
	...toImpl(self),
	shortDescription
}));
/**
* Sets usage examples for a command.
*
* **Details**
*
* Examples are exposed in structured `HelpDoc` data and rendered by the
* default formatter in an `EXAMPLES` section.
*
* Pass a function to build examples from the `commandPath` shown in help, so
* they stay correct wherever the command is mounted. The `examples` field
* resolves the function with the command's own name as the path.
*
* **Example** (Adding usage examples)
*
* ```ts import.meta.vitest
* import { Command } from "effect/cli"
*
* const login = Command.make("login").pipe(
*   Command.withExamples([
*     { command: "myapp login", description: "Log in with browser OAuth" },
*     { command: "myapp login --token sbp_abc123", description: "Log in with a token" }
*   ])
* )
*
* login.examples.map((example) => example.command) // => ["myapp login", "myapp login --token sbp_abc123"]
* ```
*
* **Example** (Deriving examples from the command path)
*
* ```ts import.meta.vitest
* import { Command } from "effect/cli"
*
* const deploy = Command.make("deploy").pipe(
*   Command.withExamples(({ commandPath }) => [
*     { command: `${commandPath.join(" ")} --yes`, description: "Take every default" }
*   ])
* )
*
* deploy.examples.map((example) => example.command) // => ["deploy --yes"]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withExamples = /*#__PURE__*/ dual(2, (self, examples) => makeCommand({
	...toImpl(self),
	resolveExamples: isFunction(examples) ? (commandPath) => examples({ commandPath }) : () => examples
}));
const getOutOfScopeGlobalFlagErrors = (allFlags, activeFlags, flagMap, commandPath) => {
	const activeSet = new Set(activeFlags);
	const errors = [];
	const seen = /* @__PURE__ */ new Set();
	for (const flag of allFlags) {
		if (activeSet.has(flag)) continue;
		const singles = extractSingleParams(flag.flag);
		for (const single of singles) {
			const entries = flagMap[single.name];
			if (!entries || entries.length === 0) continue;
			const option = `--${single.name}`;
			if (seen.has(option)) continue;
			seen.add(option);
			errors.push(new UnrecognizedOption({
				option,
				suggestions: [],
				command: commandPath
			}));
		}
	}
	return errors;
};
const showHelp = (command, error, renderErrors) => gen(function* () {
	const { builtIns } = yield* CliConfig;
	const presenter = yield* Presenter;
	const { commandPath, errors } = error;
	const helpDoc = yield* getHelpForCommandPath(command, commandPath, builtIns);
	yield* presenter.present(renderErrors && errors.length > 0 ? {
		_tag: "InvalidInvocation",
		commandPath,
		helpDoc,
		errors
	} : {
		_tag: "Help",
		reason: "Implicit",
		commandPath,
		helpDoc
	});
});
const showUserError = (error$1, userMessage) => gen(function* () {
	const formatter = yield* resolveFormatter;
	const rendered = error$1 instanceof UserError ? error$1 : new UserError({
		cause: error$1,
		userMessage
	});
	yield* error(formatter.formatError(rendered));
	Object.assign(error$1, { [errorReported]: false });
});
/**
* Runs a command with explicitly provided arguments instead of using arguments from `Stdio`.
*
* **When to use**
*
* Use when you need to test CLI applications or programmatically execute
* commands with specific arguments.
*
* Help, version, and parse error output is written through
* `CliOutput.Presenter`. Help documents are always presented. By default,
* parse error details are also presented, and handler failures annotated with
* `CliError.userMessage`, including `CliError.UserError`, are rendered with the
* installed `CliOutput.Formatter` before the error is rethrown. Set
* `renderErrors` to `false` when the host application owns error rendering.
*
* **Example** (Running commands with explicit arguments)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
* import { Command, Flag } from "effect/cli"
* import { ChildProcessSpawner } from "effect/process"
*
* const CliTestLayer = Layer.mergeAll(
*   FileSystem.layerNoop({}),
*   Path.layer,
*   Stdio.layerTest({}),
*   Layer.succeed(Terminal.Terminal, Terminal.make({
*     columns: Effect.succeed(80),
*     rows: Effect.succeed(24),
*     size: Effect.die("unused"),
*     readInput: Effect.die("unused"),
*     readLine: Effect.die("unused"),
*     display: () => Effect.void
*   })),
*   Layer.succeed(
*     ChildProcessSpawner.ChildProcessSpawner,
*     ChildProcessSpawner.make(() => Effect.die("unused"))
*   )
* )
*
* const output: Array<string> = []
* const greet = Command.make("greet", {
*   name: Flag.String("name"),
*   count: Flag.Int("count").pipe(Flag.withDefault(1))
* }, (config) =>
*   Effect.gen(function*() {
*     for (let i = 0; i < config.count; i++) {
*       yield* Effect.sync(() => output.push(`Hello, ${config.name}!`))
*     }
*   }))
*
* // Test with specific arguments
* const testProgram = Effect.gen(function*() {
*   const runCommand = Command.runWith(greet, { version: "1.0.0" })
*
*   yield* runCommand(["--name", "Alice", "--count", "2"])
* })
*
* await Effect.runPromise(testProgram.pipe(Effect.provide(CliTestLayer)))
* output // => ["Hello, Alice!", "Hello, Alice!"]
* ```
*
* @stability unstable
* @category running
* @since 4.0.0
*/
const runWith = (command, config) => {
	const commandImpl = toImpl(command);
	return fnUntraced(function* (args) {
		const { builtIns } = yield* CliConfig;
		const { tokens, trailingOperands } = lex(args);
		const allFlags = getGlobalFlagsForCommandTree(command, builtIns);
		const allFlagParams = allFlags.flatMap((f) => extractSingleParams(f.flag));
		const globalRegistry = createFlagRegistry(allFlagParams.filter(isFlagParam));
		const { flagMap, remainder, errors: globalFlagErrors } = consumeGlobalFlags(tokens, command, globalRegistry);
		const emptyArgs = {
			flags: flagMap,
			arguments: []
		};
		const parsedArgs = yield* parseArgs({
			tokens: remainder,
			trailingOperands
		}, command);
		const commandPath = [command.name, ...getCommandPath(parsedArgs)];
		const toShowHelp = mapError((error) => error._tag === "ShowHelp" ? error : new ShowHelp({
			commandPath,
			errors: [error]
		}));
		const handlerCtx = {
			builtIns,
			command,
			commandPath,
			version: config.version
		};
		const activeFlags = getGlobalFlagsForCommandPath(command, commandPath, builtIns);
		const outOfScopeErrors = getOutOfScopeGlobalFlagErrors(allFlags, activeFlags, flagMap, commandPath);
		if (outOfScopeErrors.length > 0 || globalFlagErrors.length > 0) {
			const parseErrors = parsedArgs.errors ?? [];
			return yield* new ShowHelp({
				commandPath,
				errors: [
					...globalFlagErrors,
					...outOfScopeErrors,
					...parseErrors
				]
			});
		}
		for (const flag of activeFlags) {
			if (flag._tag !== "Action") continue;
			if (!extractSingleParams(flag.flag).some((s) => {
				const entries = flagMap[s.name];
				return entries !== void 0 && entries.length > 0;
			})) continue;
			const [, value] = yield* flag.flag.parse(emptyArgs).pipe(toShowHelp);
			if (flag === Wizard) {
				const { colors } = yield* Theme;
				return yield* gen(function* () {
					yield* log$1(renderIntroduction(command.name, config.version, command.description, colors));
					const prefix = [command.name, ...args.filter((arg) => arg !== "--wizard" && !arg.startsWith("--wizard="))];
					const wizardResult = yield* run$2(command, {
						commandPath,
						prefix
					});
					yield* log$1(renderCompletion(wizardResult.displayArgs, colors));
					if (yield* run$3(Toggle({
						message: "Run this command?",
						initial: true,
						active: "yes",
						inactive: "no"
					}))) {
						yield* log$1();
						yield* runWith(command, {
							...config,
							renderErrors: false
						})(wizardResult.args.slice(1));
					}
				}).pipe(catchTag("QuitError", () => log$1(renderQuit(colors))));
			}
			yield* flag.run(value, handlerCtx);
			return;
		}
		if (parsedArgs.errors && parsedArgs.errors.length > 0) return yield* new ShowHelp({
			commandPath,
			errors: parsedArgs.errors
		});
		const input = yield* commandImpl.parse(parsedArgs).pipe(toShowHelp);
		let program = commandImpl.handle(input, [command.name]);
		const logLevel = activeFlags.includes(LogLevel) ? (yield* LogLevel.flag.parse(emptyArgs).pipe(toShowHelp))[1] : none();
		program = provideService(program, LogLevel, logLevel);
		for (const flag of activeFlags) {
			if (flag._tag !== "Setting" || flag === LogLevel) continue;
			const [, value] = yield* flag.flag.parse(emptyArgs).pipe(toShowHelp);
			program = provideService(program, flag, value);
		}
		const services = match$1(logLevel, {
			onNone: () => empty$1(),
			onSome: (level) => make$4(MinimumLogLevel, level)
		});
		yield* provideContext(program, services);
	}, catchFilter((error) => isCliError(error) && error._tag === "ShowHelp" ? succeed$3(error) : fail$1(error), (error) => andThen(showHelp(command, error, config.renderErrors !== false), fail(error))), catchFilter((error) => {
		if (config.renderErrors === false || !isObjectKeyword(error)) return fail$1(error);
		const userMessage = getUserMessage(error);
		return userMessage === void 0 ? fail$1(error) : succeed$3({
			error,
			userMessage
		});
	}, ({ error, userMessage }) => andThen(showUserError(error, userMessage), fail(error))), catchFilter((e) => isQuitError(e) ? succeed$3(e) : fail$1(e), (_) => interrupt));
};

// src/platform/Version.ts
const version = "0.1.0";

// node_modules/effect/dist/cli/Argument.js
/**
* Creates a positional string argument.
*
* **Example** (Creating a string argument)
*
* ```ts import.meta.vitest
* import { Argument } from "effect/cli"
*
* const filename = Argument.String("filename")
* filename.kind // => "argument"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const String$1 = (name) => String$3(argumentKind, name);
/**
* Creates a positional choice argument.
*
* **Example** (Creating a choice argument)
*
* ```ts import.meta.vitest
* import { Argument } from "effect/cli"
*
* const environment = Argument.Literals("environment", ["dev", "staging", "prod"])
* environment.kind // => "argument"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Literals = (name, choices) => Literals$2(argumentKind, name, choices);
/**
* Makes a positional argument optional.
*
* **Example** (Making an argument optional)
*
* ```ts import.meta.vitest
* import { Argument } from "effect/cli"
*
* const optionalVersion = Argument.String("version").pipe(Argument.optional)
* optionalVersion.kind // => "argument"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const optional = (arg) => optional$2(arg);
/**
* Adds a description to a positional argument.
*
* **Example** (Adding an argument description)
*
* ```ts import.meta.vitest
* import { Argument } from "effect/cli"
*
* const filename = Argument.String("filename").pipe(
*   Argument.withDescription("The input file to process")
* )
* filename.kind // => "argument"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withDescription = /*#__PURE__*/ dual(2, (self, description) => withDescription$3(self, description));
/**
* Creates a variadic positional argument that accepts multiple values.
*
* **Example** (Accepting multiple values)
*
* ```ts import.meta.vitest
* import { Argument } from "effect/cli"
*
* // Accept any number of files
* const anyFiles = Argument.String("files").pipe(Argument.variadic)
*
* // Accept at least 1 file
* const atLeastOneFile = Argument.String("files").pipe(
*   Argument.variadic({ min: 1 })
* )
*
* // Accept between 1 and 5 files
* const limitedFiles = Argument.String("files").pipe(
*   Argument.variadic({ min: 1, max: 5 })
* )
*
* const kinds = [anyFiles.kind, atLeastOneFile.kind, limitedFiles.kind] // => ["argument", "argument", "argument"]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const variadic = /*#__PURE__*/ dual((args) => isParam(args[0]), (self, options) => variadic$1(self, options));
/**
* Validates parsed values against a Schema.
*
* **Example** (Validating parsed values with a schema)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { Argument } from "effect/cli"
*
* const input = Argument.String("input").pipe(
*   Argument.withSchema(Schema.NonEmptyString)
* )
* input.kind // => "argument"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const withSchema = /*#__PURE__*/ dual(2, (self, schema) => withSchema$2(self, schema));

// src/domain/Connection.ts
/**
* Connections: stored credentials of one provider under a name, as a client may see them.
*
* A refresh token has no schema here, nor anywhere else that a client can reach.
*/
/** 1 to 64 characters of `a-z A-Z 0-9 . _ @ -`, not beginning with a dot or a dash (it becomes a command-line value). */
const ConnectionName = String$6.check(isPattern(/^[A-Za-z0-9_@][A-Za-z0-9._@-]{0,63}$/, { expected: "a connection name: 1 to 64 letters, digits, '.', '_', '@' or '-', beginning with a letter, digit, '_' or '@'" }), makeFilter((name) => ![
	"__proto__",
	"constructor",
	"prototype"
].includes(name), { expected: "a connection name that is not reserved" })).pipe(brand("ConnectionName"));
const defaultConnectionName = "default";
/**
* `connected`: usable. `expired`: can't be refreshed any more, log in again. `invalid`: the provider refused it, or its
* definition has changed since the login. `not_connected`: only in listings, for a provider without connections.
*/
const ConnectionStatus = Literals$3([
	"connected",
	"expired",
	"invalid",
	"not_connected"
]);
/**
* A connection on the wire. Exactly one of `accessToken` and `apiKey` is present: {@link redactedMarker}, or the secret itself
* when the caller asked for it. An API key of several parts reveals as a JSON object of its fields.
*/
const Connection = wire({
	provider: ProviderName,
	connectionName: ConnectionName,
	profile: String$6,
	authType: AuthType,
	flow: FlowKind,
	status: ConnectionStatus,
	isDefault: Boolean$3,
	baseUrl: NullOr(String$6),
	apiUrl: NullOr(String$6),
	scopes: ArraySchema(String$6),
	tokenType: NullOr(String$6),
	expiresAt: NullOr(Timestamp),
	obtainedAt: Timestamp,
	lastRefreshAt: NullOr(Timestamp),
	lastRefreshError: NullOr(String$6),
	account: Struct({
		id: NullOr(String$6),
		label: NullOr(String$6)
	}),
	hasRefreshToken: Boolean$3,
	accessToken: optionalKey(RedactedFromValue(String$6)),
	apiKey: optionalKey(RedactedFromValue(String$6))
}, "Connection");

// src/domain/Profile.ts
/** Profiles: credential namespaces, each backed by an Ed25519 identity of the same handle. */
/** 1 to 64 characters of `a-z 0-9 _ -`. It names the identity file, so nothing else is let in. */
const ProfileHandle = String$6.check(isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/, { expected: "a profile handle: 1 to 64 lower-case letters, digits, '_' or '-', beginning with a letter or digit" }), makeFilter((name) => ![
	"con",
	"nul",
	"prn",
	"aux",
	"constructor"
].includes(name), { expected: "a profile handle that is not reserved" })).pipe(brand("ProfileHandle"));
const Profile = wire({
	handle: ProfileHandle,
	createdAt: Timestamp,
	active: Boolean$3
}, "Profile");
/** The profile that the request at hand is about: the one its `Credsvc-Profile` header names, else the active one. */
var CurrentProfile = class extends Service()("credsvc/domain/CurrentProfile") {};

// src/cli/GlobalFlags.ts
/**
* The flags that every command takes, before and after its name.
*
* They are read from the arguments before anything else runs, because a failure to parse the rest must already be told
* in the form that they ask for. The declarations below serve the help text and "did you mean".
*/
var GlobalFlags = class extends Service()("credsvc/cli/GlobalFlags") {};
const toggle$1 = (name, description) => Boolean(name).pipe(withoutNegation, withDefault(false), withDescription$2(description));
const declarations = [
	Setting("json")({ flag: toggle$1("json", "Print one JSON document, also on failure") }),
	Setting("quiet")({ flag: toggle$1("quiet", "Leave out headers and status messages") }),
	Setting("no-color")({ flag: toggle$1("no-color", "Print without colors") }),
	Setting("verbose")({ flag: toggle$1("verbose", "Write debug messages to stderr") }),
	Setting("log-file")({ flag: String$2("log-file").pipe(withMetavar("<path>"), withDefault(""), withDescription$2("Debug log, rotated; empty for none (default: ~/.credsvc/client/logs/credsvc.log)")) })
];
/** Flags of `run` that take a value, so that the value is not mistaken for the command. */
const runValues = /* @__PURE__ */ new Set([
	"--connection",
	"--provider",
	"--unmatched",
	"--profile",
	"--log-file"
]);
/** Where our own arguments end. `run` ends them at its first word, so that `--` may be left out. */
const ownArguments = (argv) => {
	const marker = argv.indexOf("--");
	const end = marker === -1 ? argv.length : marker;
	let isRun = false;
	for (let at = 0; at < end; at++) {
		const argument = argv[at];
		if (argument.startsWith("-") && argument !== "-") {
			if (runValues.has(argument)) at++;
		} else if (isRun) return {
			own: at,
			rest: ["--", ...argv.slice(at)]
		};
		else if (argument === "run") isRun = true;
		else break;
	}
	return {
		own: end,
		rest: argv.slice(end)
	};
};
/** Takes the global flags out of the arguments. What follows `--` is not looked at. */
const readArguments = (argv) => {
	const { own, rest } = ownArguments(argv);
	const toggles = {
		json: false,
		quiet: false,
		"no-color": false,
		verbose: false
	};
	let logFile;
	const args = [];
	for (let at = 0; at < own; at++) {
		const argument = argv[at];
		const toggled = /^--(json|quiet|no-color|verbose)(?:=(true|false))?$/.exec(argument);
		if (toggled !== null) toggles[toggled[1]] = toggled[2] !== "false";
		else if (argument.startsWith("--log-file=")) logFile = argument.slice(11);
		else if (argument === "--log-file" && at + 1 < own) logFile = argv[++at];
		else if (/^-n\d+$/.test(argument)) args.push("-n", argument.slice(2));
		else args.push(argument);
	}
	return {
		flags: {
			json: toggles.json,
			quiet: toggles.quiet,
			noColor: toggles["no-color"],
			verbose: toggles.verbose,
			logFile
		},
		args: [...args, ...rest]
	};
};

// src/cli/Cli.ts
/**
* The command tree: names, flags, descriptions, examples.
*
* A handler is imported when its command runs, so that help and completion load none, and no command loads what
* only another one needs.
*/
const bare = (load) => (input) => flatMap$1(promise(load), (handle) => handle(input));
/** A handler with the home directory at hand. */
const lazy = (load) => (input) => flatMap$1(promise(() => Promise.all([load(), import("./Home-BCFXllpQ.js")])), ([handle, { provideHome }]) => provideHome(handle(input)));
const toggle = (name, description) => Boolean(name).pipe(withoutNegation, withDefault(false), withDescription$2(description));
const between = (minimum, maximum) => withSchema$1(Int$4.check(isBetween({
	minimum,
	maximum
}, { expected: `a number from ${minimum} to ${maximum}` })));
const provider = String$1("provider").pipe(withDescription("Name of the provider, as in `credsvc list`"));
const connectionFlag = String$2("connection").pipe(withSchema$1(ConnectionName), withMetavar("<name>"), withDefault(defaultConnectionName), withDescription$2("Name of the connection (default: default)"));
const lines = (what) => Int("lines").pipe(withAlias("n"), between(1, 99999), withMetavar("<count>"), withDescription$2(what));
const whoami = make("whoami", {}, lazy(() => import("./Whoami-Dzq07Wuz.js").then((m) => m.whoami))).pipe(withDescription$1("Show the home directory, the profile and where the master key comes from"), withExamples([{ command: "credsvc whoami" }, { command: "credsvc whoami --json" }]));
const doctor = make("doctor", {}, lazy(() => import("./Doctor-61Ro0brR.js").then((m) => m.doctor))).pipe(withDescription$1("Run the health checks; exits 0 when all pass"), withExamples([{ command: "credsvc doctor" }]));
const list = make("list", {}, lazy(() => import("./List-CN9YCzbZ.js").then((m) => m.list))).pipe(withDescription$1("List all providers and their connections"), withExamples([{ command: "credsvc list" }, {
	command: "credsvc list --json",
	description: "For a program: bundled and custom providers with their connections"
}]));
const inspect = make("inspect", { provider }, lazy(() => import("./Inspect-Bdu5CtCY.js").then((m) => m.inspect))).pipe(withDescription$1("Print a provider's definition and connections as JSON"), withExamples([{ command: "credsvc inspect openai" }]));
const login = make("login", {
	provider,
	connection: connectionFlag,
	flow: Literals$1("flow", FlowKind.literals).pipe(optional$1, withDescription$2("Use this flow instead of the provider's default")),
	scopes: String$2("scopes").pipe(optional$1, withMetavar("<s1,s2>"), withDescription$2("Scopes to ask for, separated by commas")),
	baseUrl: String$2("base-url").pipe(optional$1, withMetavar("<url>"), withDescription$2("Address of your tenant, for providers that have several")),
	force: toggle("force", "Replace an existing connection without asking"),
	noBrowser: toggle("no-browser", "Do not open a browser; print the address, and read from the terminal if there is one"),
	stdin: toggle("stdin", "Read the key from stdin: the bare key, or one JSON object of fields"),
	timeout: Int("timeout").pipe(between(1, 86400), optional$1, withMetavar("<seconds>"), withDescription$2("Give up after this time (default: when the login session ends, 10 minutes)"))
}, lazy(() => import("./Login-ByRWwoNX.js").then((m) => m.login))).pipe(withDescription$1("Store a credential for a provider. It is entered in the browser or read from the terminal, never from an argument"), withShortDescription("Store a credential for a provider"), withExamples([
	{ command: "credsvc login openai" },
	{
		command: "credsvc login openai --connection work",
		description: "A second key, under its own name"
	},
	{
		command: "printf %s \"$KEY\" | credsvc login openai --stdin",
		description: "Without a terminal"
	}
]));
const get = make("get", {
	provider,
	connection: connectionFlag,
	field: String$2("field").pipe(optional$1, withMetavar("<field>"), withDescription$2("Print only the value of this field")),
	showSecret: toggle("show-secret", "Show the secret values; recorded in the audit log")
}, lazy(() => import("./Get-CsLT6vj7.js").then((m) => m.get))).pipe(withDescription$1("Show one connection; secrets are redacted"), withExamples([
	{ command: "credsvc get openai" },
	{ command: "credsvc get openai --field status" },
	{
		command: "credsvc get openai --field api_key --show-secret",
		description: "The key itself"
	}
]));
const exportCredential = make("export", {
	provider,
	connection: connectionFlag,
	format: Literals$1("format", [
		"env",
		"shell",
		"json"
	]).pipe(optional$1, withDescription$2("env: KEY=value lines (default); shell: for eval; json: one object"))
}, lazy(() => import("./Export-Ct846MGv.js").then((m) => m.exportCredential))).pipe(withDescription$1("Print the credential as environment variables; recorded in the audit log"), withExamples([{ command: "credsvc export openai > .env" }, { command: "eval \"$(credsvc export openai --format shell)\"" }]));
const run$1 = make("run", {
	connections: String$2("connection").pipe(atLeast(0), withMetavar("<provider>=<name>"), withDescription$2("Use this connection of the provider instead of its default; repeatable")),
	providers: String$2("provider").pipe(atLeast(0), withMetavar("<name>"), withDescription$2("Inject for this provider only; repeatable")),
	unmatched: Literals$1("unmatched", ["allow", "deny"]).pipe(withDefault("allow"), withDescription$2("Whether hosts of no provider can be reached (default: allow)")),
	profile: String$2("profile").pipe(withSchema$1(ProfileHandle), optional$1, withMetavar("<handle>"), withDescription$2("Use the connections of this profile")),
	command: String$1("command").pipe(variadic({ min: 1 }), withDescription("The command and its arguments, after `--`"))
}, lazy(() => import("./Run-uz4yrM1I.js").then((m) => m.run))).pipe(withDescription$1("Run a command behind a local proxy that adds your credentials to its requests. The command itself never has them. Exits as the command does: 128+n when signal n ended it, 127 when it is not found, 126 when it cannot be executed"), withShortDescription("Run a command whose requests carry your credentials"), withExamples([
	{ command: "credsvc run -- python3 agent.py" },
	{ command: "credsvc run -- curl https://api.openai.com/v1/models" },
	{
		command: "credsvc run --provider github --unmatched deny -- ./task.sh",
		description: "One provider, and no other host"
	},
	{ command: "credsvc run --connection openai=work -- node app.js" }
]));
const logout = make("logout", {
	provider,
	connection: connectionFlag
}, lazy(() => import("./Logout-Bjj8iv9K.js").then((m) => m.logout))).pipe(withDescription$1("Remove one connection from this machine; the provider is not contacted"), withExamples([{ command: "credsvc logout openai" }, { command: "credsvc logout openai --connection work" }]));
const yes = toggle("yes", "Do not ask for confirmation");
const revoke = make("revoke", {
	provider,
	yes
}, lazy(() => import("./Revoke-aT74Ucze.js").then((m) => m.revoke))).pipe(withDescription$1("End all connections of a provider, at the provider too where it has an endpoint for that"), withExamples([{ command: "credsvc revoke github" }]));
const remove = make("remove", {
	provider,
	yes
}, lazy(() => import("./Remove-CWHRsFyn.js").then((m) => m.remove))).pipe(withDescription$1("Remove a custom provider, or reset a bundled one to its shipped definition"), withExamples([{ command: "credsvc remove my-api" }]));
const register = make("register", {
	path: String$1("path").pipe(withDescription("A JSON file with the provider's definition")),
	force: toggle("force", "Replace a provider of the same name without asking"),
	yes: toggle("yes", "Do not ask; fails when the provider exists"),
	allowInsecureLoopback: toggle("allow-insecure-loopback", "Accept http endpoints on literal loopback addresses")
}, lazy(() => import("./Register-BW0t9Jv3.js").then((m) => m.register))).pipe(withDescription$1("Register a custom provider from a JSON file"), withExamples([{ command: "credsvc register ./my-api.json" }, { command: "credsvc register ./my-api.json --yes" }]));
const setDefault = make("set-default", {
	provider,
	connection: String$1("connection").pipe(withSchema(ConnectionName), withDescription("Name of the connection"))
}, lazy(() => import("./SetDefault-B2jEzuTo.js").then((m) => m.setDefault))).pipe(withDescription$1("Make a connection the one that is used when none is named"), withExamples([{ command: "credsvc set-default openai work" }]));
const handle = String$1("handle").pipe(withSchema(ProfileHandle));
const profile = make("profile").pipe(withDescription$1("Create, list and switch profiles: separate sets of connections"), withExamples([{ command: "credsvc profile list" }]), withSubcommands([
	make("create", { handle: handle.pipe(withDescription("Its name; one is drawn without it"), optional) }, lazy(() => import("./Profile-C-tfhVbG.js").then((m) => m.create))).pipe(withDescription$1("Create a profile with its own identity key"), withExamples([{ command: "credsvc profile create" }, { command: "credsvc profile create work" }])),
	make("use", { handle: handle.pipe(withDescription("Name of the profile")) }, lazy(() => import("./Profile-C-tfhVbG.js").then((m) => m.use))).pipe(withDescription$1("Make a profile the active one"), withExamples([{ command: "credsvc profile use work" }])),
	make("list", {}, lazy(() => import("./Profile-C-tfhVbG.js").then((m) => m.list))).pipe(withDescription$1("List the profiles"), withExamples([{ command: "credsvc profile list" }]))
]));
const ui = make("ui", { noBrowser: toggle("no-browser", "Only print the address") }, lazy(() => import("./Ui-cxq2uAx5.js").then((m) => m.ui))).pipe(withDescription$1("Open the dashboard in the browser"), withExamples([{ command: "credsvc ui" }, { command: "credsvc ui --no-browser" }]));
const log = make("log", {
	lines: lines("How many entries, or lines with --raw (default: 50)").pipe(withDefault(50)),
	raw: toggle("raw", "Show the debug log of the command line instead of the audit log"),
	verify: toggle("verify", "Check the whole chain of audit entries")
}, lazy(() => import("./Log-R7Ab2FTD.js").then((m) => m.log))).pipe(withDescription$1("Show the audit log, newest last"), withExamples([
	{ command: "credsvc log -n 20" },
	{ command: "credsvc log --verify" },
	{ command: "credsvc log --raw" }
]));
const host = String$2("host").pipe(withMetavar("<address>"), withDefault("127.0.0.1"), withDescription$2("Address to listen on (default: 127.0.0.1)"));
const port = Int("port").pipe(between(0, 65535), withMetavar("<port>"), withDefault(7998), withDescription$2("Port to listen on, 0 for a free one (default: 7998)"));
const daemon = make("daemon").pipe(withDescription$1("Control the background daemon, which other commands start when they need it"), withExamples([{ command: "credsvc daemon status" }]), withSubcommands([
	make("serve", {
		host,
		port,
		reload: toggle("reload", "Restart when the program or a provider file changes")
	}, lazy(() => import("./DaemonServe-CTf7B92s.js").then((m) => m.serve))).pipe(withDescription$1("Run the daemon in the foreground"), withExamples([{ command: "credsvc daemon serve" }, { command: "credsvc daemon serve --port 0" }])),
	make("start", {
		host,
		port
	}, lazy(() => import("./Daemon-DdXUaSge.js").then((m) => m.start))).pipe(withDescription$1("Start the daemon in the background"), withExamples([{ command: "credsvc daemon start" }, { command: "credsvc daemon start --port 0" }])),
	make("stop", {}, lazy(() => import("./Daemon-DdXUaSge.js").then((m) => m.stop))).pipe(withDescription$1("Stop the background daemon"), withExamples([{ command: "credsvc daemon stop" }])),
	make("restart", {}, lazy(() => import("./Daemon-DdXUaSge.js").then((m) => m.restart))).pipe(withDescription$1("Stop and start the background daemon, on the same host and port"), withExamples([{ command: "credsvc daemon restart" }])),
	make("status", {}, lazy(() => import("./Daemon-DdXUaSge.js").then((m) => m.status))).pipe(withDescription$1("Print the daemon's state as JSON; exits 0 when it runs and 9 when not"), withExamples([{ command: "credsvc daemon status" }])),
	make("logs", { lines: lines("How many lines (default: 100)").pipe(withDefault(100)) }, lazy(() => import("./Daemon-DdXUaSge.js").then((m) => m.logs))).pipe(withDescription$1("Show the end of the daemon's log"), withExamples([{ command: "credsvc daemon logs -n 20" }]))
]));
/** The whole tree, for the commands that describe it. */
const tree = () => cli;
const completion = make("completion", { shell: Literals("shell", [
	"bash",
	"zsh",
	"fish"
]).pipe(withDescription("bash, zsh or fish")) }, bare(() => import("./Completion-BtG2ruEG.js").then((m) => m.completion(tree)))).pipe(withDescription$1("Print the completion script for a shell"), withExamples([{ command: "credsvc completion bash > ~/.local/share/bash-completion/completions/credsvc" }, { command: "credsvc completion fish | source" }]));
const help = make("help", { command: String$1("command").pipe(variadic(), withDescription("The command to explain")) }, bare(() => import("./Help-84i0P7pd.js").then((m) => m.help(tree)))).pipe(withDescription$1("Explain a command"), withExamples([{ command: "credsvc help" }, { command: "credsvc help run" }]));
const cli = make("credsvc").pipe(withDescription$1("Keeps API credentials on this machine and lets programs use them without seeing them"), withExamples([{ command: "credsvc login openai" }, { command: "credsvc run -- python3 agent.py" }]), withGlobalFlags(declarations), withSubcommands([
	{
		group: "Credentials",
		commands: [
			login,
			run$1,
			list,
			get,
			exportCredential,
			logout,
			setDefault,
			revoke
		]
	},
	{
		group: "Providers",
		commands: [
			inspect,
			register,
			remove
		]
	},
	{
		group: "State",
		commands: [
			whoami,
			doctor,
			log,
			ui
		]
	},
	{
		group: "Setup",
		commands: [
			profile,
			daemon,
			completion,
			help
		]
	}
]));

// src/cli/Output.ts
/**
* Everything that a command prints.
*
* Data goes to stdout, and with `--json` it is one document. All else goes to stderr: notes, which `--quiet` leaves
* out, and warnings, which it does not. A reader that goes away ends the output quietly; the command goes on.
*/
/** stdout or stderr takes no more: a full disk, say. */
var OutputError = class extends Error {
	_tag = "OutputError";
};
const codeOf = (cause) => typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown error";
/** Writes to the descriptor itself: the stream would cost a short command several milliseconds to set up. */
const makeWriter = (fd) => {
	let closed = false;
	const stream = () => fd === 1 ? process.stdout : process.stderr;
	return (text) => callback((resume) => {
		let bytes = Buffer.from(text);
		while (bytes.length > 0 && !closed) try {
			bytes = bytes.subarray(fs.writeSync(fd, bytes));
		} catch (cause) {
			const code = codeOf(cause);
			if (code === "EPIPE") closed = true;
			else if (code === "EAGAIN") {
				const target = stream();
				target.once("error", () => {
					closed = true;
				});
				target.write(bytes, () => resume(void_));
				return;
			} else {
				closed = true;
				resume(fd === 1 ? die(new OutputError(`The output could not be written to stdout (${code}).`)) : void_);
				return;
			}
		}
		resume(void_);
	});
};
const isTerminal = (fd) => {
	try {
		return fs.fstatSync(fd).isCharacterDevice() && tty.isatty(fd);
	} catch {
		return false;
	}
};
/** `NO_COLOR` and `FORCE_COLOR` as their conventions say; a flag wins over both. */
const wantsColor = (flags, terminal) => {
	if (flags.noColor || (process.env["NO_COLOR"] ?? "") !== "") return false;
	const forced = process.env["FORCE_COLOR"];
	if (forced !== void 0) return forced !== "0" && forced !== "false";
	return terminal && process.env["TERM"] !== "dumb";
};
var Output = class Output extends Service()("credsvc/cli/Output") {
	static layerNoDeps = effect(Output, map$2(GlobalFlags, (flags) => {
		const terminal = isTerminal(1);
		const messageTerminal = isTerminal(2);
		const colors = wantsColor(flags, terminal);
		const paint = painter(colors);
		const paintMessage = painter(wantsColor(flags, messageTerminal));
		const raw = makeWriter(1);
		const draw = makeWriter(2);
		const width = () => terminal ? process.stdout.columns : void 0;
		const data = (text) => raw(`${text}\n`);
		const document = (value) => data(toJson(value));
		const tell = (text) => draw(`${sanitize$2(text)}\n`);
		return Output.of({
			json: flags.json,
			quiet: flags.quiet,
			interactive: !flags.json && messageTerminal && isTerminal(0),
			terminal,
			raw,
			data,
			document,
			either: (value, text) => flags.json ? document(value()) : data(text()),
			table: (header, rows) => table(header, rows, {
				width: width(),
				paint
			}),
			fields: (rows) => fields(rows, paint),
			paint,
			colors,
			note: (text) => flags.quiet ? void_ : tell(text),
			tell,
			warn: (text) => draw(`${paintMessage("yellow", "warning:")} ${sanitize$2(text)}\n`),
			draw,
			paintMessage
		});
	}));
};

// src/cli/Report.ts
/**
* How a command that did not succeed ends: what is said, where, and with which exit code.
*
* With `--json` a failure is one document on stdout, `{"error", "message", …}` with the fields of its class; without, a
* sentence on stderr. Wrong usage is a failure like any other and exits 2. What nobody foresaw is told by its
* name only, since its text may hold what must not be shown.
*/
/** Ends the process with this code after everything is released; whatever had to be said has been said. */
var Exited = class {
	_tag = "Exited";
	exitCode;
	constructor(exitCode) {
		this.exitCode = exitCode;
	}
};
const isRecord = (value) => typeof value === "object" && value !== null;
const shared = /* @__PURE__ */ new Set([
	"_tag",
	"type",
	"title",
	"status",
	"detail",
	"error",
	"instance",
	"name",
	"message",
	"stack",
	"cause"
]);
const tellable = (error) => error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError || "syscall" in error && "code" in error || error.name === "OutputError" || "_tag" in error;
const describe = (error) => {
	if (isRecord(error) && typeof error["_tag"] === "string") {
		const message = typeof error["detail"] === "string" && error["detail"] !== "" ? error["detail"] : error["message"];
		return {
			error: error["_tag"],
			message: typeof message === "string" && message !== "" ? message : error["_tag"],
			fields: Object.fromEntries(Object.entries(error).filter(([key, value]) => !shared.has(key) && !key.startsWith("~") && value !== "")),
			exitCode: getErrorExitCode(error)
		};
	}
	const name = error instanceof Error ? error.name : typeof error;
	return {
		error: "UnexpectedError",
		message: `Something unexpected went wrong (${error instanceof Error && tellable(error) ? `${name}: ${error.message}` : name}). The debug log has more: credsvc log --raw`,
		fields: {},
		exitCode: ExitCode.unexpected
	};
};
const print = (output, failure, hint) => output.json ? output.document({
	error: failure.error,
	message: failure.message,
	...failure.fields
}) : output.draw(`${output.paintMessage("red", "error:")} ${sanitize$2(failure.message)}\n${hint === void 0 ? "" : `${output.paintMessage("dim", hint)}\n`}`);
const isShowHelp = (error) => isRecord(error) && error["_tag"] === "ShowHelp";
/** Tells a failure, and answers the exit code. `signal` is the code for a process that was asked to stop. */
const report = (output, cause, signal) => {
	if (hasInterruptsOnly(cause)) {
		const exitCode = signal ?? ExitCode.unexpected;
		return output.json ? as(print(output, {
			error: "InterruptedError",
			message: "Interrupted.",
			fields: {},
			exitCode
		}), exitCode) : succeed$1(exitCode);
	}
	const error = squash(cause);
	if (error instanceof Exited) return succeed$1(error.exitCode);
	if (isShowHelp(error)) return succeed$1(error.errors.length > 0 ? ExitCode.usage : ExitCode.success);
	const failure = describe(error);
	return as(print(output, failure), failure.exitCode);
};
const orList = (names) => names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
const didYouMean = (suggestions) => suggestions.length === 0 ? "" : ` Did you mean ${orList(suggestions)}?`;
const secretLike = /key|token|secret|password|credential/i;
const usageProblem = (error, commandPath) => {
	switch (error._tag) {
		case "UnrecognizedOption": {
			const secret = commandPath[1] === "login" && secretLike.test(error.option) ? " Secrets are never taken from the command line: leave it out and be asked, or pipe it in with --stdin." : didYouMean(error.suggestions);
			return {
				path: error.option,
				message: `There is no flag ${error.option} in "${commandPath.join(" ")}".${secret}`
			};
		}
		case "UnknownSubcommand": return {
			path: error.subcommand,
			message: `There is no command "${[...commandPath.slice(1), error.subcommand].join(" ")}".${didYouMean(error.suggestions)}`
		};
		case "MissingArgument": return {
			path: `<${error.argument}>`,
			message: `The argument <${error.argument}> is missing.`
		};
		case "MissingOption": return {
			path: `--${error.option}`,
			message: `The flag --${error.option} is missing.`
		};
		case "InvalidValue": {
			const name = error.kind === "argument" ? `<${error.option}>` : `--${error.option}`;
			const expected = error.expected.replace(/^(?:Schema validation failed:\s*)?(?:Expected:?\s+)?/, "").replace(/, got .*$/s, "");
			return error.value === "" && error.kind === "flag" ? {
				path: name,
				message: `The flag ${name} needs a value: ${expected}.`
			} : {
				path: name,
				message: `"${error.value}" is no value for ${name}, which takes ${expected}.`
			};
		}
		case "UnexpectedArgument": return {
			path: "",
			message: "There are more arguments than the command takes."
		};
		default: return {
			path: "",
			message: error.message
		};
	}
};
const helpDocument = (doc) => {
	const flag = (each) => ({
		name: `--${each.name}`,
		aliases: each.aliases,
		type: each.type,
		required: each.required,
		description: getOrNull(each.description)
	});
	return {
		description: doc.description,
		usage: doc.usage,
		arguments: (doc.args ?? []).map((each) => ({
			name: each.name,
			type: each.type,
			required: each.required,
			variadic: each.variadic,
			description: getOrNull(each.description)
		})),
		flags: doc.flags.map(flag),
		global_flags: (doc.globalFlags ?? []).map(flag),
		commands: (doc.subcommands ?? []).flatMap((group) => group.commands.map((each) => ({
			name: each.name,
			description: each.description
		}))),
		examples: doc.examples ?? []
	};
};
/** What the framework has to say itself: help, the version, and wrong usage. */
const presenter = (output) => ({ present: (event) => {
	switch (event._tag) {
		case "Version": return output.either(() => ({ version: event.version }), () => event.version);
		case "Help": return output.either(() => helpDocument(event.helpDoc), () => defaultFormatter({ colors: output.colors }).formatHelpDoc(event.helpDoc));
		case "InvalidInvocation": {
			const problems = event.errors.map((error) => usageProblem(error, event.commandPath)).map(({ message, path }) => ({
				path: sanitizeLine(path),
				message: sanitizeLine(message)
			}));
			return print(output, {
				error: "InvalidRequestError",
				message: problems.map((problem) => problem.message).join(" "),
				fields: { problems },
				exitCode: ExitCode.usage
			}, `usage: ${event.helpDoc.usage}\nmore:  ${event.commandPath.join(" ")} --help`);
		}
	}
} });

// src/cli/ServeDaemon.ts
/** The daemon in this process, supplied by the entry: the command line itself knows only its clients' side. */
var ServeDaemon = class extends Service()("credsvc/cli/ServeDaemon") {};

// src/cli/main.ts
/** The program behind the entry: reads the arguments, runs the command, and ends with its exit code. */
const { args, flags } = readArguments(process.argv.slice(2));
const signals = {
	SIGHUP: 1,
	SIGINT: 2,
	SIGTERM: 15
};
let stoppedBy;
const run = gen(function* () {
	const output = yield* Output;
	const exit$1 = yield* runWith(cli, { version })(args).pipe(provide([layer({ builtIns: [Help, Version] }), layerPresenter(presenter(output))]), exit);
	return isSuccess(exit$1) ? 0 : yield* report(output, exit$1.cause, stoppedBy);
});
const serveDaemon = succeed$2(ServeDaemon, { serve: (options) => flatMap$1(promise(() => import("./Daemon-D-A8wd89.js")), (daemon) => daemon.serve(options)) });
/** The framework asks for a terminal, files and processes, for kinds of flags that this tree has none of. */
const withoutEnvironment = (effect) => effect;
const fiber = runFork(withoutEnvironment(run.pipe(provide(mergeAll(Output.layerNoDeps, serveDaemon).pipe(provideMerge(succeed$2(GlobalFlags, flags)))))));
for (const [name, number] of Object.entries(signals)) process.on(name, () => {
	if (process.listenerCount(name) > 1) return;
	stoppedBy = 128 + number;
	fiber.interruptUnsafe();
});
fiber.addObserver((exit) => process.exit(isSuccess(exit) ? exit.value : stoppedBy ?? 1));

export { TracerTimingEnabled as _, GlobalFlags as a, ProfileHandle as c, version as d, fromCommand as f, make$2 as g, Terminal as h, isTerminal as i, Connection as l, QuitError as m, Exited as n, CurrentProfile as o, generate as p, Output as r, Profile as s, ServeDaemon as t, ConnectionName as u };