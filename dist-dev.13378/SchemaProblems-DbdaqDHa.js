import { $ as optional, $n as catchIf, $o as Reference, $t as getContent, A as Union, Ai as StackTrace, Ar as mapEager, As as String$1, At as getContextOwner, Bo as reverse, Bt as isSuspend, Ci as void_, Cn as CurrentRedactedNames$1, Cr as gen, Cs as isSome, Ct as STRING_PATTERN, D as TaggedError$1, Dc as pipeArguments, Dn as isRedactedName, Do as ensure, Ds as none, Dt as applyToSelfOrLastLinkEncodingIdempotent, Ec as pipe, Ei as withFiber, En as fromRecordUnsafe, Eo as empty, Es as match, Fo as isReadonlyArrayNonEmpty, Ft as isLiteral, Gt as resolveAt, Ho as map$2, Ht as isVoid, Ia as currentTimeMillis$1, Ii as fromReasons, Io as map$1, It as isMutable, Ji as fail$2, Jn as cached, Js as assignProperty, Jt as toEncoded, Kn as as, Kt as resolveDescription, L as declare, Li as hasInterrupts, M as Void, Mt as getLastEncoding, No as isArrayNonEmpty, Nt as isDeclaration, Oi as zipWith, Or as isEffect, Ot as decodeTo, Pi as done, Pt as isJson, Qa as makeSpanUnsafe, Qi as succeed$2, Qs as Class, Rn as parseHeader, Ro as of, Rt as isObjects, Sa as provide, Sc as dual, Ss as isNone, St as PropertySignature, T as Struct, Tc as memoize, Tn as fromInput$1, Ts as map$3, Tt as annotate, Ut as mapOrSame, Va as fiberEnterInterruptibleUnsafe, Vo as sort, Vt as isUnion, Wi as makeDieReason, Wo as fail$3, Wt as replaceContext, Xi as isFailure, Xn as catchCause, Xs as setStackTraceLimit, Y as isSchema, Yi as failCause, Yn as callback, Ys as getStackTraceLimit, Yt as toType, Z as make$16, Zi as isSuccess, Zo as succeed$3, Zt as Transformation, _c as constFalse, _i as tryPromise, _o as nativeTracer, _r as fnUntraced, aa as effectDiscard, ar as contextWith, as as getOrElse, bc as constVoid, bn as fromBody, bo as TaggedError, bs as getOrThrowWith, bt as Never, ca as provide$1, cc as hasProperty, ci as succeed, cn as IDENTIFIER_FALLBACK_KEY, cs as getUnsafe, da as succeedContext, dc as isNotUndefined, di as suspend, dn as resolveIdentifier, ds as merge, ea as CurrentMemoMap, en as passthrough, er as catchReason, es as Service$1, f as Int, fi as sync, fn as resolveIdentifierFallback, gi as timeoutOrElse, gn as redactUrl, go as externalSpan, gt as toCodecJsonAST, ha as addFinalizer, hn as fromInput$2, ho as Tracer, ia as effectContext, ic as equals, ir as context, is as getOption, it as toCodecStringTree, jo as fromIterable, jr as mapError, js as mapInput, ka as ClockRef, ki as Done, kr as map, ks as some, kt as getAST, l as Defect, la as provideMerge, ln as annotationExcludedKeys, m as Literals, ma as Scope, mo as ParentSpan, ms as filter, mt as concat, nc as formatPath, nn as transformOptional, ns as empty$1, on as defaultLeafHook, or as die, os as getOrUndefined, p as Literal, pc as isObject, pn as CurrentRedactedNames, pr as flatMap, qs as assignProperties, qt as resolveIdentifier$1, ra as effect, ri as scope, rs as get$1, rt as toCodecJson, s as Cause, sn as makeFormatterStandardSchemaV1, ss as getOrUndefinedUnsafe, ta as buildWithMemoMap, ti as runSync, to as onExitUnsafe, tr as catchTag, ts as add$1, tt as tag, u as Error$2, ua as succeed$1, un as jsonSchemaAnnotationKeys, ur as fail$1, us as makeUnsafe, vi as try_, vo as Error$1, vr as forEach$1, w as String$2, wc as identity, ws as liftThrowable, wt as Union$1, xc as constant, xi as updateContext, xn as toPath, xs as getOrUndefined$1, xt as Objects, yc as constUndefined, yr as forever, yt as FINITE_PATTERN, z as decodeUnknownEffect, zt as isOptional } from "./Runtime-CYnC2HYz.js";
import { A as isHttpServerResponse, Ct as fromPull, D as toResponseOrElse, It as mkUint8Array$1, J as inspect, K as MaxBodySize, Mt as mapError$2, O as toResponseOrElseDefect, Rt as pipeThroughChannel, St as fromIterable$1, T as symbol, Tn as isDoneCause, Vt as run, Wt as runForEach, an as mapError$1, b as VaultUnavailableError, bt as fromChannel$1, cn as unwrap$1, en as unwrap$2, gt as empty$3, k as empty$2, nn as fromTransform$1, on as mkUint8Array, q as TypeId$13, qt as succeed$4, sn as toTransform, st as ignore, tn as fromPull$1, u as InvalidRequestError, wn as catchDone, wt as fromReadableStream, y as UnexpectedError, yn as makeUnsafe$1, yt as fail$4 } from "./Errors-CqOgzwWL.js";

// node_modules/effect/dist/Clock.js
/**
* Context reference for the active time service in the environment.
*
* **When to use**
*
* Use when you need to access or provide the full time service, including sleep
* operations, rather than a single timestamp accessor.
*
* **Example** (Accessing the Clock service)
*
* ```ts import.meta.vitest
* import { Clock, Effect } from "effect"
*
* const testClock: Clock.Clock = {
*   currentTimeMillisUnsafe: () => 1_000,
*   currentTimeMillis: Effect.succeed(1_000),
*   monotonicTimeNanosUnsafe: () => 1_000_000_000n,
*   monotonicTimeNanos: Effect.succeed(1_000_000_000n),
*   currentTimeNanosUnsafe: () => 1_000_000_000n,
*   currentTimeNanos: Effect.succeed(1_000_000_000n),
*   sleep: () => Effect.void
* }
*
* const program = Effect.gen(function*() {
*   const clock = yield* Clock.Clock
*   return clock.currentTimeMillisUnsafe()
* })
*
* await Effect.runPromise(Effect.provideService(program, Clock.Clock, testClock)) // => 1_000
* ```
*
* @see {@link clockWith} for using the current Clock service inside an effect
* @see {@link currentTimeMillis} for reading the current time in milliseconds
* @see {@link currentTimeNanos} for reading the current time in nanoseconds
*
* @stability stable
* @category services
* @since 2.0.0
*/
const Clock = ClockRef;
/**
* Returns an Effect that succeeds with the current Unix time in milliseconds.
*
* **When to use**
*
* Use to create wall-clock timestamps from the active `Clock` service with
* millisecond precision.
*
* **Gotchas**
*
* The value can move backward or forward when the system wall clock is
* corrected, so it is not suitable for measuring elapsed time.
*
* **Example** (Reading milliseconds)
*
* ```ts import.meta.vitest
* import { Clock, Effect } from "effect"
*
* const testClock: Clock.Clock = {
*   currentTimeMillisUnsafe: () => 1_000,
*   currentTimeMillis: Effect.succeed(1_000),
*   monotonicTimeNanosUnsafe: () => 1_000_000_000n,
*   monotonicTimeNanos: Effect.succeed(1_000_000_000n),
*   currentTimeNanosUnsafe: () => 1_000_000_000n,
*   currentTimeNanos: Effect.succeed(1_000_000_000n),
*   sleep: () => Effect.void
* }
*
* await Effect.runPromise(Effect.provideService(Clock.currentTimeMillis, Clock.Clock, testClock)) // => 1_000
* ```
*
* @see {@link currentTimeNanos} for nanosecond precision
* @see {@link monotonicTimeNanos} for measuring elapsed time
* @see {@link clockWith} for accessing the full Clock service
*
* @stability stable
* @category accessors
* @since 2.0.0
*/
const currentTimeMillis = currentTimeMillis$1;

// node_modules/effect/dist/BigInt.js
/**
* Exposes the global bigint constructor for JavaScript bigint coercion.
*
* **When to use**
*
* Use to access native JavaScript bigint constructor coercion from the Effect
* module namespace.
*
* **Gotchas**
*
* This follows native `BigInt` coercion rules. It throws for invalid strings or
* non-integral numbers, and whitespace-only strings coerce to `0n`.
*
* @see {@link fromString} for parsing strings into an `Option`
* @see {@link fromNumber} for converting safe integers into an `Option`
*
* **Example** (Constructing bigints)
*
* ```ts import.meta.vitest
* import { BigInt } from "effect"
*
* BigInt.BigInt(123) // => 123n
* BigInt.BigInt("456") // => 456n
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const BigInt$1 = globalThis.BigInt;
/**
* Converts a `bigint` to a `number` safely.
*
* **When to use**
*
* Use to convert a `bigint` to a JavaScript number only when it is a safe
* integer.
*
* **Details**
*
* If the `bigint` is outside the safe integer range for JavaScript (`Number.MAX_SAFE_INTEGER`
* and `Number.MIN_SAFE_INTEGER`), it returns `Option.none()`.
*
* **Example** (Converting bigints to numbers)
*
* ```ts import.meta.vitest
* import { BigInt as BI, Option } from "effect"
*
* BI.toNumber(42n) // => Option.some(42)
* BI.toNumber(9007199254740992n) // => Option.none()
* BI.toNumber(-9007199254740992n) // => Option.none()
* ```
*
* @see {@link fromNumber} for converting a safe integer number to `bigint`
*
* @stability stable
* @category converting
* @since 2.0.0
*/
const toNumber$1 = (b) => {
	if (b > BigInt$1(Number.MAX_SAFE_INTEGER) || b < BigInt$1(Number.MIN_SAFE_INTEGER)) return none();
	return some(Number(b));
};

// node_modules/effect/dist/ByteSize.js
/**
* Represents exact, non-negative, integral byte counts.
*
* Decimal units use powers of 1,000 and binary units use powers of 1,024.
*
* @stability unstable
* @since 4.0.0
*/
const bigint0 = /*#__PURE__*/ BigInt(0);
const bigint1 = /*#__PURE__*/ BigInt(1);
const decimalBase = /*#__PURE__*/ BigInt(1e3);
const binaryBase = /*#__PURE__*/ BigInt(1024);
const decimalUnits = [
	{
		symbol: "B",
		factor: bigint1,
		names: [
			"B",
			"byte",
			"bytes"
		]
	},
	{
		symbol: "kB",
		factor: decimalBase,
		names: [
			"kB",
			"kilobyte",
			"kilobytes"
		]
	},
	{
		symbol: "MB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(2),
		names: [
			"MB",
			"megabyte",
			"megabytes"
		]
	},
	{
		symbol: "GB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(3),
		names: [
			"GB",
			"gigabyte",
			"gigabytes"
		]
	},
	{
		symbol: "TB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(4),
		names: [
			"TB",
			"terabyte",
			"terabytes"
		]
	},
	{
		symbol: "PB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(5),
		names: [
			"PB",
			"petabyte",
			"petabytes"
		]
	},
	{
		symbol: "EB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(6),
		names: [
			"EB",
			"exabyte",
			"exabytes"
		]
	},
	{
		symbol: "ZB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(7),
		names: [
			"ZB",
			"zettabyte",
			"zettabytes"
		]
	},
	{
		symbol: "YB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(8),
		names: [
			"YB",
			"yottabyte",
			"yottabytes"
		]
	},
	{
		symbol: "RB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(9),
		names: [
			"RB",
			"ronnabyte",
			"ronnabytes"
		]
	},
	{
		symbol: "QB",
		factor: decimalBase ** /*#__PURE__*/ BigInt(10),
		names: [
			"QB",
			"quettabyte",
			"quettabytes"
		]
	}
];
const binaryUnits = [
	decimalUnits[0],
	{
		symbol: "KiB",
		factor: binaryBase,
		names: [
			"KiB",
			"kibibyte",
			"kibibytes"
		]
	},
	{
		symbol: "MiB",
		factor: binaryBase ** /*#__PURE__*/ BigInt(2),
		names: [
			"MiB",
			"mebibyte",
			"mebibytes"
		]
	},
	{
		symbol: "GiB",
		factor: binaryBase ** /*#__PURE__*/ BigInt(3),
		names: [
			"GiB",
			"gibibyte",
			"gibibytes"
		]
	},
	{
		symbol: "TiB",
		factor: binaryBase ** /*#__PURE__*/ BigInt(4),
		names: [
			"TiB",
			"tebibyte",
			"tebibytes"
		]
	},
	{
		symbol: "PiB",
		factor: binaryBase ** /*#__PURE__*/ BigInt(5),
		names: [
			"PiB",
			"pebibyte",
			"pebibytes"
		]
	},
	{
		symbol: "EiB",
		factor: binaryBase ** /*#__PURE__*/ BigInt(6),
		names: [
			"EiB",
			"exbibyte",
			"exbibytes"
		]
	},
	{
		symbol: "ZiB",
		factor: binaryBase ** /*#__PURE__*/ BigInt(7),
		names: [
			"ZiB",
			"zebibyte",
			"zebibytes"
		]
	},
	{
		symbol: "YiB",
		factor: binaryBase ** /*#__PURE__*/ BigInt(8),
		names: [
			"YiB",
			"yobibyte",
			"yobibytes"
		]
	}
];
const allUnits = [...decimalUnits, .../*#__PURE__*/ binaryUnits.slice(1)];
const unitsByName = /*#__PURE__*/ new Map(/*#__PURE__*/ allUnits.flatMap((unit) => unit.names.map((name) => [name, unit])));
const unitsBySymbol = /*#__PURE__*/ new Map(/*#__PURE__*/ allUnits.map((unit) => [unit.symbol, unit]));
const make$15 = (value) => value;
/**
* The byte size containing zero bytes.
*
* @stability unstable
* @category constants
* @since 4.0.0
*/
const zero = /*#__PURE__*/ make$15(bigint0);
const invalid = (message) => {
	throw new Error(`Invalid ByteSize: ${message}`);
};
const fromNumber = (input) => {
	if (!Number.isSafeInteger(input) || input < 0) return invalid(`expected a non-negative safe integer, received ${input}`);
	return make$15(BigInt(input));
};
const fromQuantity = (quantity, unit) => {
	if (typeof quantity === "bigint") {
		if (quantity < bigint0) return invalid(`expected a non-negative quantity, received ${quantity}`);
		return make$15(quantity * unit.factor);
	}
	const value = quantity * Number(unit.factor);
	if (!Number.isSafeInteger(value) || value < 0) return invalid(`expected an exact non-negative safe-integer byte result, received ${quantity} ${unit.symbol}`);
	return make$15(BigInt(value));
};
/**
* Parses a byte-size string and throws for invalid syntax, unsupported units,
* or quantities that do not represent non-negative integral bytes.
*
* **Details**
*
* Accepts decimal fractions, canonical SI and IEC symbols, lowercase unit
* names, and whitespace around the quantity and unit. Parsing uses exact
* bigint arithmetic, including above the safe integer range.
*
* @see {@link fromString} for non-throwing validation
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromStringUnsafe = (input) => {
	const match = /^\s*(\d+)(?:\.(\d+))?\s*([A-Za-z]+)\s*$/.exec(input);
	if (match === null) return invalid(`unsupported syntax ${JSON.stringify(input)}`);
	const unit = unitsByName.get(match[3]);
	if (unit === void 0) return invalid(`unsupported unit ${JSON.stringify(match[3])}`);
	const fraction = match[2] ?? "";
	const scale = BigInt(10) ** BigInt(fraction.length);
	const numerator = BigInt(match[1] + fraction) * unit.factor;
	if (numerator % scale !== bigint0) return invalid(`${JSON.stringify(input)} does not represent an integral number of bytes`);
	return make$15(numerator / scale);
};
/**
* Decodes a trusted input into a byte size and throws for invalid input.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromInputUnsafe = (input) => {
	switch (typeof input) {
		case "bigint":
			if (input < bigint0) return invalid(`expected a non-negative bigint, received ${input}`);
			return make$15(input);
		case "number": return fromNumber(input);
		case "string": return fromStringUnsafe(input);
	}
	return invalid(`unsupported input ${input}`);
};
/**
* Decodes an input into a byte size, returning `None` for invalid input.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromInput = /*#__PURE__*/ liftThrowable(fromInputUnsafe);
/**
* Creates a byte size from a non-negative byte count.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const bytes = (value) => typeof value === "bigint" ? fromInputUnsafe(value) : fromNumber(value);
const unitConstructor = (symbol) => (value) => fromQuantity(value, unitsBySymbol.get(symbol));
/**
* Creates a binary mebibyte value.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const mebibytes = /*#__PURE__*/ unitConstructor("MiB");
/**
* Converts a byte size to a safe integer, returning `None` when it is too large.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toNumber = toNumber$1;
/**
* Converts a byte size to a safe integer and throws when it is too large.
*
* @stability unstable
* @category unsafe
* @since 4.0.0
*/
const toNumberUnsafe = (self) => getOrThrowWith(toNumber(self), () => /* @__PURE__ */ new Error(`ByteSize exceeds Number.MAX_SAFE_INTEGER: ${self}`));

// node_modules/effect/dist/internal/glob.js
const maxExpansions = 1e4;
const maxExpandedLength = 2 ** 22;
const maxBraceDepth = 64;
/** @internal */
const compile = (patterns, dot) => {
	const nodes = [];
	const starts = /* @__PURE__ */ new Set();
	for (const pattern of patterns) for (const expanded of expandBraces(pattern)) {
		const start = nodes.length;
		if (compilePattern(expanded, nodes)) starts.add(start);
	}
	return {
		nodes,
		initial: closure(nodes, starts),
		dot
	};
};
const isUnc = (path) => path.startsWith("//") && path[2] !== void 0 && path[2] !== "/";
const compilePattern = (pattern, nodes) => {
	if (pattern === "" || isUnc(pattern)) return false;
	const raw = splitSegments(pattern);
	const globstar = raw.indexOf("**");
	if (globstar !== -1 && raw.some((segment, i) => i > globstar && (segment === "." || segment === ".."))) return false;
	const { directory, segments } = normalize$1(raw);
	if (segments.length === 0) return false;
	for (const segment of segments) if (segment !== "**") nodes.push(compileSegment(Array.from(segment)));
	else if (nodes[nodes.length - 1] !== globstarNode) nodes.push(globstarNode);
	nodes.push({
		_tag: "End",
		directoryOnly: directory
	});
	return true;
};
const globstarNode = { _tag: "Globstar" };
const splitSegments = (pattern) => {
	const segments = [];
	let start = 0;
	for (let i = 0; i < pattern.length; i++) if (pattern[i] === "\\") i++;
	else if (pattern[i] === "/") {
		segments.push(pattern.slice(start, i));
		start = i + 1;
	}
	segments.push(pattern.slice(start));
	return segments;
};
const drive = /^[A-Za-z]:/;
const isDrive = (segment) => segment.length === 2 && drive.test(segment);
const isRoot = (name) => name === "" || name.length === 3 && name[2] === "/" && drive.test(name);
const isAbsolute = (path) => path.startsWith("/") || path[2] === "/" && drive.test(path);
const normalize$1 = (raw) => {
	const segments = [];
	let i = 0;
	if (raw.length > 1 && (raw[0] === "" || isDrive(raw[0]))) {
		segments.push(raw[0] === "" ? "" : `${raw[0]}/`);
		i = 1;
	}
	let directory = false;
	for (; i < raw.length; i++) {
		const segment = raw[i];
		if (segment === "" || segment === ".") directory = i === raw.length - 1 && segments.length > 0;
		else {
			segments.push(segment);
			directory = false;
		}
	}
	if (segments.length === 0 && raw.includes(".")) segments.push(".");
	return {
		segments,
		directory
	};
};
const compileSegment = (chars) => {
	const tokens = [];
	let literal = "";
	let magic = false;
	let classes = true;
	for (let i = 0; i < chars.length; i++) {
		const char = chars[i];
		if (char === "\\" && i + 1 < chars.length) {
			literal += chars[++i];
			tokens.push({
				_tag: "Char",
				value: chars[i]
			});
		} else if (char === "*") {
			magic = true;
			if (tokens[tokens.length - 1]?._tag !== "Star") tokens.push({ _tag: "Star" });
		} else if (char === "?") {
			magic = true;
			tokens.push({ _tag: "Any" });
		} else if (char === "[" && classes) {
			const parsed = parseClass(chars, i);
			if (parsed === void 0) {
				classes = false;
				literal += char;
				tokens.push({
					_tag: "Char",
					value: char
				});
			} else {
				magic = true;
				tokens.push(parsed.token);
				i = parsed.end;
			}
		} else {
			literal += char;
			tokens.push({
				_tag: "Char",
				value: char
			});
		}
	}
	if (!magic) return {
		_tag: "Literal",
		value: literal
	};
	const first = tokens[0];
	return {
		_tag: "Wildcard",
		tokens,
		leadingDot: first._tag === "Char" && first.value === "."
	};
};
const range = (from, to) => [from.codePointAt(0), to.codePointAt(0)];
const posixClasses = {
	alnum: [
		.../*#__PURE__*/ range("0", "9"),
		.../*#__PURE__*/ range("A", "Z"),
		.../*#__PURE__*/ range("a", "z")
	],
	alpha: [.../*#__PURE__*/ range("A", "Z"), .../*#__PURE__*/ range("a", "z")],
	blank: [
		9,
		9,
		32,
		32
	],
	cntrl: [
		0,
		31,
		127,
		127
	],
	digit: /*#__PURE__*/ range("0", "9"),
	graph: [33, 126],
	lower: /*#__PURE__*/ range("a", "z"),
	print: [32, 126],
	punct: [
		33,
		47,
		58,
		64,
		91,
		96,
		123,
		126
	],
	space: [
		9,
		13,
		32,
		32
	],
	upper: /*#__PURE__*/ range("A", "Z"),
	word: [
		.../*#__PURE__*/ range("0", "9"),
		.../*#__PURE__*/ range("A", "Z"),
		95,
		95,
		.../*#__PURE__*/ range("a", "z")
	],
	xdigit: [
		.../*#__PURE__*/ range("0", "9"),
		.../*#__PURE__*/ range("A", "F"),
		.../*#__PURE__*/ range("a", "f")
	]
};
const parsePosixClass = (chars, open) => {
	for (let i = open + 2; i < chars.length && i <= open + 8; i++) if (chars[i] === ":" && chars[i + 1] === "]") {
		const ranges = posixClasses[chars.slice(open + 2, i).join("")];
		return ranges === void 0 ? void 0 : {
			ranges,
			end: i + 1
		};
	}
};
const parseClass = (chars, open) => {
	let i = open + 1;
	const negated = chars[i] === "!" || chars[i] === "^";
	if (negated) i++;
	const ranges = [];
	for (let first = true; i < chars.length; i++, first = false) {
		let char = chars[i];
		if (char === "/") return;
		if (char === "]" && !first) return {
			token: {
				_tag: "Class",
				ranges,
				negated
			},
			end: i
		};
		if (char === "[" && chars[i + 1] === ":") {
			const posix = parsePosixClass(chars, i);
			if (posix !== void 0) {
				ranges.push(...posix.ranges);
				i = posix.end;
				continue;
			}
		}
		if (char === "\\" && i + 1 < chars.length) char = chars[++i];
		if (chars[i + 1] === "-" && i + 2 < chars.length && chars[i + 2] !== "]") {
			let next = i + 2;
			if (chars[next] === "/") return;
			if (chars[next] === "\\" && next + 1 < chars.length) next++;
			ranges.push(...range(char, chars[next]));
			i = next;
			continue;
		}
		ranges.push(...range(char, char));
	}
};
const expandBraces = (pattern) => {
	const chars = Array.from(pattern);
	const groups = matchBraceGroups(chars);
	if (groups.size === 0) return [pattern];
	const sequence = parseBraceSequence(chars, 0, chars.length, groups, 0);
	if (sequence === void 0) return [pattern];
	const count = countExpansions(sequence);
	return count > maxExpansions || count * pattern.length > maxExpandedLength ? [pattern] : expandSequence(sequence);
};
const matchBraceGroups = (chars) => {
	const groups = /* @__PURE__ */ new Map();
	const stack = [];
	let classes = true;
	for (let i = 0; i < chars.length; i++) {
		const char = chars[i];
		if (char === "\\") i++;
		else if (char === "/") classes = true;
		else if (char === "[" && classes) {
			const parsed = parseClass(chars, i);
			if (parsed === void 0) classes = false;
			else i = parsed.end;
		} else if (char === "{") stack.push({
			open: i,
			commas: []
		});
		else if (char === ",") stack[stack.length - 1]?.commas.push(i);
		else if (char === "}") {
			const group = stack.pop();
			if (group !== void 0 && group.commas.length > 0) groups.set(group.open, {
				commas: group.commas,
				close: i
			});
		}
	}
	return groups;
};
const parseBraceSequence = (chars, start, end, groups, depth) => {
	if (depth > maxBraceDepth) return;
	const parts = [];
	let text = "";
	for (let i = start; i < end; i++) {
		const group = groups.get(i);
		if (group === void 0) {
			if (chars[i] === "\\" && i + 1 < end) text += chars[i++];
			text += chars[i];
			continue;
		}
		const alternatives = [];
		let from = i + 1;
		for (const to of [...group.commas, group.close]) {
			const alternative = parseBraceSequence(chars, from, to, groups, depth + 1);
			if (alternative === void 0) return;
			alternatives.push(alternative);
			from = to + 1;
		}
		if (text !== "") {
			parts.push(text);
			text = "";
		}
		parts.push(alternatives);
		i = group.close;
	}
	if (text !== "") parts.push(text);
	return parts;
};
const countExpansions = (sequence) => {
	let count = 1;
	for (const part of sequence) if (typeof part !== "string") {
		let sum = 0;
		for (const alternative of part) sum += countExpansions(alternative);
		count *= sum;
		if (count > maxExpansions) return Infinity;
	}
	return count;
};
const expandSequence = (sequence) => {
	let out = [""];
	for (const part of sequence) if (typeof part === "string") out = out.map((prefix) => prefix + part);
	else {
		const alternatives = part.flatMap(expandSequence);
		out = out.flatMap((prefix) => alternatives.map((alternative) => prefix + alternative));
	}
	return out;
};
const matchToken = (token, char) => {
	switch (token._tag) {
		case "Char": return token.value === char;
		case "Any": return true;
		case "Star": return false;
		case "Class": {
			const code = char.codePointAt(0);
			let found = false;
			for (let i = 0; i < token.ranges.length && !found; i += 2) found = code >= token.ranges[i] && code <= token.ranges[i + 1];
			return found !== token.negated;
		}
	}
};
const matchWildcard = (node, name, chars, dot) => {
	if (name === "." || name === ".." || name.startsWith(".") && !dot && !node.leadingDot) return false;
	const { tokens } = node;
	let t = 0;
	let c = 0;
	let star = -1;
	let resume = 0;
	while (c < chars.length) if (tokens[t]?._tag === "Star") {
		star = t++;
		resume = c;
	} else if (t < tokens.length && matchToken(tokens[t], chars[c])) {
		t++;
		c++;
	} else if (star !== -1) {
		t = star + 1;
		c = ++resume;
	} else return false;
	while (tokens[t]?._tag === "Star") t++;
	return t === tokens.length;
};
const closure = (nodes, states) => {
	for (const state of states) if (nodes[state]._tag === "Globstar") states.add(state + 1);
	return states;
};
const step = (compiled, states, name) => {
	const explicit = /* @__PURE__ */ new Set();
	const viaGlobstar = /* @__PURE__ */ new Set();
	const root = isRoot(name);
	let chars;
	for (const state of states) {
		const node = compiled.nodes[state];
		switch (node._tag) {
			case "Globstar":
				if (!root && name !== "." && name !== ".." && (compiled.dot || !name.startsWith("."))) viaGlobstar.add(state);
				break;
			case "Literal":
				if (node.value === name) explicit.add(state + 1);
				break;
			case "Wildcard": if (!root && matchWildcard(node, name, chars ??= Array.from(name), compiled.dot)) explicit.add(state + 1);
		}
	}
	return {
		explicit: closure(compiled.nodes, explicit),
		globstar: closure(compiled.nodes, viaGlobstar)
	};
};
const union = (step) => {
	if (step.globstar.size === 0) return step.explicit;
	const states = new Set(step.explicit);
	for (const state of step.globstar) states.add(state);
	return states;
};
const accepts = (compiled, states, isDirectory) => {
	for (const state of states) {
		const node = compiled.nodes[state];
		if (node._tag === "End" && (isDirectory || !node.directoryOnly)) return true;
	}
	return false;
};
const canDescend = (compiled, states) => {
	for (const state of states) if (compiled.nodes[state]._tag !== "End") return true;
	return false;
};
const needsDirectory = (compiled, states) => {
	for (const state of states) {
		const node = compiled.nodes[state];
		if (node._tag === "End" && node.directoryOnly) return true;
	}
	return false;
};
const join = (parent, name) => {
	if (parent === "") return name === "" ? "/" : name;
	return parent.endsWith("/") ? parent + name : `${parent}/${name}`;
};
const isMissing = (error) => error.reason._tag === "NotFound" || error.reason._tag === "BadResource";
const isIgnorable = (error) => isMissing(error) || error.reason._tag === "PermissionDenied";
const isNotLink = (error) => isIgnorable(error) || error.reason._tag === "Unknown";
const byName = /*#__PURE__*/ mapInput(String$1, (entry) => entry.name);
/** @internal */
const make$14 = (fs) => (pattern, options) => walk(fs, compile([pattern], options?.dot ?? false), options);
const walk = /*#__PURE__*/ fnUntraced(function* (fs, compiled, options) {
	if (compiled.initial.size === 0) return [];
	const root = options?.root ?? "";
	const excludes = compile(options?.exclude ?? [], true);
	const excludeNeedsDirectory = excludes.nodes.some((node) => node._tag === "End" && node.directoryOnly);
	const toFsPath = (relative) => isAbsolute(relative) ? relative : relative === "" ? root === "" ? "." : root : join(root, relative);
	const isUnlisted = (value) => value === "." || value === ".." || isRoot(value);
	const probe = (parent, name, named) => {
		const path = toFsPath(join(parent, name));
		return fs.stat(path).pipe(map((info) => info.type), catchReason("PlatformError", "NotFound", () => fs.readLink(path).pipe(as("SymbolicLink"), catchIf(isNotLink, () => succeed(void 0)))), catchIf(named ? isMissing : isIgnorable, () => succeed(void 0)), map((type) => type === void 0 ? void 0 : {
			name,
			type
		}));
	};
	const entries = (relative, states, named) => {
		const literals = /* @__PURE__ */ new Set();
		let listed = !named;
		for (const state of states) {
			const node = compiled.nodes[state];
			if (node._tag === "Literal") literals.add(node.value);
			else if (node._tag !== "End") listed = true;
		}
		const probed = listed ? [...literals].filter(isUnlisted) : [...literals];
		return zipWith(listed ? catchIf(fs.readDirectoryEntries(toFsPath(relative)), named ? isMissing : isIgnorable, () => succeed([])) : succeed([]), forEach$1(probed, (name) => probe(relative, name, named), { concurrency: 16 }), (listing, found) => ({
			entries: sort([...listing, ...found.filter(isNotUndefined)], byName),
			named: named && !listed
		}));
	};
	const visit = fnUntraced(function* ({ name, type }, parent, states, excluded) {
		const result = step(compiled, states, name);
		const next = union(result);
		if (next.size === 0) return;
		const relative = join(parent, name);
		const nextExcluded = union(step(excludes, excluded, name));
		const descend = canDescend(compiled, next);
		const isDirectory = !descend && !needsDirectory(compiled, next) && !excludeNeedsDirectory ? false : type !== "Unknown" && type !== "SymbolicLink" ? type === "Directory" : yield* fs.stat(toFsPath(relative)).pipe(map((info) => info.type === "Directory"), catchIf(isIgnorable, () => succeed(false)));
		const accepted = accepts(compiled, next, isDirectory);
		if (!accepted && (!isDirectory || !descend) || accepts(excludes, nextExcluded, isDirectory)) return;
		const child = (next) => ({
			relative,
			accepted,
			excluded: nextExcluded,
			next
		});
		if (!isDirectory || !descend) return child(void 0);
		if (result.globstar.size === 0) return child(next);
		const followed = canDescend(compiled, result.explicit) ? result.explicit : void 0;
		if (type !== "Unknown") return child(type === "SymbolicLink" ? followed : next);
		return yield* fs.readLink(toFsPath(relative)).pipe(as(child(followed)), catchIf(isNotLink, () => succeed(child(next))));
	});
	const directory = fnUntraced(function* (relative, states, excluded, named, out) {
		const listing = yield* entries(relative, states, named);
		const children = yield* forEach$1(listing.entries, (entry) => visit(entry, relative, states, excluded), { concurrency: 16 });
		for (const child of children) {
			if (child === void 0) continue;
			if (child.accepted) out.push(child.relative);
			if (child.next !== void 0) yield* directory(child.relative, child.next, child.excluded, listing.named, out);
		}
	});
	const out = [];
	yield* directory("", compiled.initial, excludes.initial, true, out);
	return out;
});

// node_modules/effect/dist/PlatformError.js
/**
* Normalized errors for platform APIs.
*
* Platform services such as file systems, terminals, and sockets use
* `PlatformError` to report host-level failures in a consistent shape. The
* wrapper records whether the problem came from an invalid argument or from the
* operating system, while preserving useful details such as the module, method,
* path, descriptor, description, and original cause when available.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$12 = "~effect/PlatformError";
/**
* Error data for an invalid argument passed to a platform API.
*
* **When to use**
*
* Use when you need to model caller input rejected before a platform operation
* runs, including invalid-argument reason data.
*
* **Details**
*
* The error records the module and method that rejected the argument, with an
* optional description and cause. It is usually wrapped in `PlatformError`.
*
* @see {@link badArgument} for creating a wrapped `PlatformError` whose reason is `BadArgument`
* @see {@link SystemError} for failures reported by the host platform or operating system
* @see {@link PlatformError} for the wrapper used by most platform APIs
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var BadArgument = class extends (/*#__PURE__*/ TaggedError("BadArgument")) {
	/**
	* Formats the module, method, and optional description that rejected the argument.
	*
	* **When to use**
	*
	* Use to read the formatted error message for a rejected platform argument.
	*
	* @since 4.0.0
	*/
	get message() {
		return `${this.module}.${this.method}${this.description ? `: ${this.description}` : ""}`;
	}
};
/**
* Error data for a platform or system operation failure.
*
* **When to use**
*
* Use when you need normalized reason data for a platform or system operation
* failure, including the operation details.
*
* **Details**
*
* The error records a normalized `_tag`, the module and method that failed,
* and optional details such as the syscall, path or descriptor, description,
* and original cause. It is usually wrapped in `PlatformError`.
*
* @see {@link systemError} for creating the usual `PlatformError` wrapper from this reason data
* @see {@link BadArgument} for platform API failures caused by rejected caller input before an operation runs
* @see {@link SystemErrorTag} for the normalized tag values stored in `_tag`
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var SystemError = class extends Error$1 {
	/**
	* Formats the normalized system error tag with operation and path details.
	*
	* **When to use**
	*
	* Use to read the formatted error message for a normalized system failure.
	*
	* @since 4.0.0
	*/
	get message() {
		return `${this._tag}: ${this.module}.${this.method}${this.pathOrDescriptor !== void 0 ? ` (${this.pathOrDescriptor})` : ""}${this.description ? `: ${this.description}` : ""}`;
	}
};
/**
* Tagged error used by platform APIs to report either invalid arguments or
* system-level failures.
*
* **When to use**
*
* Use as the shared error type for platform APIs that expose invalid arguments
* and host or operating-system failures through a single `Effect` error
* channel.
*
* **Details**
*
* The `reason` field contains the underlying `BadArgument` or `SystemError`.
* When that reason has a cause, the cause is preserved on the wrapper.
*
* @see {@link BadArgument} for invalid inputs rejected before an operation runs
* @see {@link SystemError} for failures reported by the host platform or operating system
* @see {@link badArgument} for creating this wrapper from rejected caller input
* @see {@link systemError} for creating this wrapper from a host or operating-system failure
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var PlatformError = class extends (/*#__PURE__*/ TaggedError("PlatformError")) {
	constructor(reason) {
		if ("cause" in reason) super({
			reason,
			cause: reason.cause
		});
		else super({ reason });
	}
	/**
	* Marks this value as a platform error wrapper for runtime guards.
	*
	* **When to use**
	*
	* Use to identify `PlatformError` values through their runtime type marker.
	*
	* @since 4.0.0
	*/
	[TypeId$12] = TypeId$12;
	get message() {
		return this.reason.message;
	}
};
/**
* Creates a `PlatformError` whose reason is a `SystemError`.
*
* **When to use**
*
* Use to adapt an operating-system or platform failure into the normalized
* platform error model.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const systemError = (options) => new PlatformError(new SystemError(options));
/**
* Creates a `PlatformError` whose reason is a `BadArgument`.
*
* **When to use**
*
* Use to report a platform API rejecting caller input before performing the
* underlying operation.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const badArgument = (options) => new PlatformError(new BadArgument(options));

// node_modules/effect/dist/Sink.js
const TypeId$11 = "~effect/Sink";
const endVoid = /*#__PURE__*/ succeed([void 0]);
const sinkVariance = {
	_A: identity,
	_In: identity,
	_L: identity,
	_E: identity,
	_R: identity
};
const SinkProto = {
	[TypeId$11]: sinkVariance,
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/**
* Checks whether a value is a Sink.
*
* **Example** (Checking for a sink)
*
* ```ts import.meta.vitest
* import { Sink } from "effect"
*
* const sink = Sink.never
* const notStream = { data: [1, 2, 3] }
*
* Sink.isSink(sink) // => true
* Sink.isSink(notStream) // => false
* ```
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isSink = (u) => hasProperty(u, TypeId$11);
/**
* Creates a sink from a `Channel`.
*
* **When to use**
*
* Use to create a `Sink` from a `Channel` that processes non-empty arrays of
* input values.
*
* **Example** (Using channel completion as the sink result)
*
* ```ts import.meta.vitest
* import { Channel, Effect, Sink, Stream } from "effect"
*
* const channel = Channel.identity<readonly [number, ...Array<number>], never, void>().pipe(
*   Channel.drain,
*   Channel.mapDone(() => ["consumed"] as const)
* )
* const sink = Sink.fromChannel(channel)
*
* await Effect.runPromise(Stream.run(Stream.make(1, 2, 3), sink)) // => "consumed"
* ```
*
* @see {@link toChannel} for converting a `Sink` back to a `Channel`
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromChannel = (channel) => fromTransform((upstream, scope) => toTransform(channel)(upstream, scope).pipe(flatMap(forever({ disableYield: true })), catchDone(succeed)));
/**
* Creates a `Sink` from a low-level transform function.
*
* **Details**
*
* The transform receives the upstream pull of non-empty input arrays and the
* active scope, and returns an effect that completes with the sink's `End`
* value.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromTransform = (transform) => {
	const self = Object.create(SinkProto);
	self.transform = transform;
	return self;
};
/**
* Creates a `Channel` from a Sink.
*
* **Example** (Running a sink as a channel)
*
* ```ts import.meta.vitest
* import { Channel, Effect, Sink, Stream } from "effect"
*
* const channel = Stream.toChannel(Stream.make(1, 2, 3)).pipe(
*   Channel.pipeTo(Sink.toChannel(Sink.sum))
* )
*
* await Effect.runPromise(Channel.runDrain(channel)) // => [6]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const toChannel = (self) => fromTransform$1((upstream, scope) => succeed(flatMap(self.transform(upstream, scope), done)));
/**
* Creates a sink that ignores upstream input and completes from an effect that
* already returns an `End`.
*
* **When to use**
*
* Use when you need to create a sink from an effect that returns both the sink
* result value and optional leftovers.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromEffectEnd = (effect) => fromTransform(() => effect);
/**
* A sink that always fails with the specified error.
*
* **Example** (Failing with an error)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Sink, Stream } from "effect"
*
* // Create a sink that always fails
* const sink = Sink.fail("Sink failed")
*
* // Use it with a stream
* const stream = Stream.make(1, 2, 3)
* await Effect.runPromiseExit(Stream.run(stream, sink)) // => Exit.fail("Sink failed")
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fail = (e) => fromEffectEnd(fail$1(e));
/**
* Consumes and ignores all stream inputs.
*
* **When to use**
*
* Use to consume all upstream input and complete with void when the input
* values and any aggregate result are not needed.
*
* @see {@link count} for consuming all input while returning the number of elements
* @see {@link forEach} for consuming all input while running an effect for each element
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const drain = /*#__PURE__*/ fromTransform((upstream) => catchDone(forever(upstream, { disableYield: true }), () => endVoid));
/**
* A sink that executes the provided effectful function for every item fed
* to it.
*
* **Example** (Running effects for each item)
*
* ```ts import.meta.vitest
* import { Effect, Sink, Stream } from "effect"
*
* const processed: Array<number> = []
* const sink = Sink.forEach((item: number) => Effect.sync(() => processed.push(item)))
*
* // Use it with a stream
* const stream = Stream.make(1, 2, 3)
* await Effect.runPromise(Stream.run(stream, sink))
* processed // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const forEach = (f) => forEachArray(forEach$1((_) => f(_), { discard: true }));
/**
* A sink that executes the provided effectful function for every Chunk fed
* to it.
*
* **Example** (Running effects for each chunk)
*
* ```ts import.meta.vitest
* import { Effect, Sink, Stream } from "effect"
*
* const processed: Array<Array<number>> = []
* const sink = Sink.forEachArray((chunk: ReadonlyArray<number>) => Effect.sync(() => processed.push([...chunk])))
*
* // Use it with a stream
* const stream = Stream.make(1, 2, 3, 4, 5)
* await Effect.runPromise(Stream.run(stream, sink))
* processed // => [[1, 2, 3, 4, 5]]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const forEachArray = (f) => fromTransform((upstream) => upstream.pipe(flatMap(f), forever({ disableYield: true }), catchDone(() => endVoid)));
/**
* Creates a sink produced from a scoped effect.
*
* **Example** (Unwrapping a sink effect)
*
* ```ts import.meta.vitest
* import { Effect, Sink, Stream } from "effect"
*
* // Create a sink from an effect that produces a sink
* const processed: Array<number> = []
* const sinkEffect = Effect.succeed(
*   Sink.forEach((item: number) => Effect.sync(() => processed.push(item)))
* )
* const sink = Sink.unwrap(sinkEffect)
*
* // Use it with a stream
* const stream = Stream.make(1, 2, 3)
* await Effect.runPromise(Stream.run(stream, sink))
* processed // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const unwrap = (effect) => fromChannel(unwrap$1(map(effect, toChannel)));

// node_modules/effect/dist/FileSystem.js
/**
* Defines the portable file system service for Effect programs.
*
* `FileSystem` is the boundary between Effect code and the host file system.
* Platform packages provide concrete layers, while this module defines the
* operations for reading, writing, inspecting, streaming, and watching files.
* Operations return `Effect`, `Stream`, or `Sink` values and fail with
* `PlatformError`. The module also includes file handles, open flags, watch
* events, and the watch backend service.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$10 = "~effect/FileSystem";
/**
* Service tag for platform file-system operations.
*
* **When to use**
*
* Use to access or provide operations for files, directories, permissions,
* streams, and sinks through the Effect context.
*
* **Details**
*
* This key is used to provide and access the FileSystem service in the Effect context.
*
* **Example** (Accessing and providing FileSystem)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem } from "effect"
*
* const customFs = FileSystem.makeNoop({
*   exists: () => Effect.succeed(true),
*   readFileString: () => Effect.succeed("contents")
* })
*
* // Access the FileSystem service
* const program = Effect.gen(function*() {
*   const fs = yield* FileSystem.FileSystem
*
*   const exists = yield* fs.exists("./data.txt")
*   return exists ? yield* fs.readFileString("./data.txt") : undefined
* })
*
* const withCustomFs = Effect.provideService(
*   program,
*   FileSystem.FileSystem,
*   customFs
* )
* Effect.runSync(withCustomFs) // => "contents"
* ```
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const FileSystem = /*#__PURE__*/ Service$1("effect/FileSystem");
/**
* Creates a FileSystem implementation from a partial implementation.
*
* **When to use**
*
* Use to build a concrete `FileSystem` service from platform-specific core
* operations while deriving the convenience methods that can be implemented
* from them.
*
* **Details**
*
* This function takes a partial FileSystem implementation and automatically provides
* default implementations for `exists`, `glob`, `readFileString`, `stream`, `sink`,
* and `writeFileString` methods based on the provided core methods. `glob` walks
* the tree with `readDirectoryEntries`, using `stat` and `readLink` for entries
* whose type is `"Unknown"`.
*
* @see {@link makeNoop} for a testing stub that accepts method overrides without requiring a complete implementation
* @see {@link layerNoop} for providing a no-op `FileSystem` as a `Layer` in tests
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$13 = (impl) => FileSystem.of({
	...impl,
	[TypeId$10]: TypeId$10,
	glob: make$14(impl),
	exists: (path) => pipe(impl.access(path), as(true), catchTag("PlatformError", (e) => e.reason._tag === "NotFound" ? succeed(false) : fail$1(e))),
	readFileString: (path, encoding) => flatMap(impl.readFile(path), (_) => try_({
		try: () => new TextDecoder(encoding).decode(_),
		catch: (cause) => badArgument({
			module: "FileSystem",
			method: "readFileString",
			description: "invalid encoding",
			cause
		})
	})),
	stream: fnUntraced(function* (path, options) {
		const file = yield* impl.open(path, { flag: "r" });
		const offset = options?.offset === void 0 ? void 0 : fromInputUnsafe(options.offset);
		if (offset) yield* file.seek(offset, "start");
		const bytesToRead = options?.bytesToRead === void 0 ? void 0 : fromInputUnsafe(options.bytesToRead);
		let totalBytesRead = BigInt(0);
		const chunkSize = Number(BigInt(options?.chunkSize ?? 65536));
		const readChunk = file.readAlloc(chunkSize);
		return fromPull(succeed(flatMap(suspend(() => {
			if (bytesToRead !== void 0 && bytesToRead <= totalBytesRead) return done();
			return bytesToRead !== void 0 && bytesToRead - totalBytesRead < chunkSize ? file.readAlloc(Number(bytesToRead - totalBytesRead)) : readChunk;
		}), match({
			onNone: () => done(),
			onSome: (buf) => {
				totalBytesRead += BigInt(buf.length);
				return succeed(of(buf));
			}
		}))));
	}, unwrap$2),
	sink: (path, options) => pipe(impl.open(path, {
		...options,
		flag: options?.flag ?? "w"
	}), map((file) => forEach((_) => file.writeAll(_))), unwrap),
	writeFileString: (path, data, options) => flatMap(try_({
		try: () => new TextEncoder().encode(data),
		catch: (cause) => badArgument({
			module: "FileSystem",
			method: "writeFileString",
			description: "could not encode string",
			cause
		})
	}), (_) => impl.writeFile(path, _, options))
});
const notFound = (method, path) => systemError({
	module: "FileSystem",
	method,
	_tag: "NotFound",
	description: "No such file or directory",
	pathOrDescriptor: path
});
/**
* Creates a stub `FileSystem` implementation for tests.
*
* **Details**
*
* By default, `exists` returns `false`, `remove` succeeds, many file operations
* fail with `PlatformError` `NotFound`, and temporary-directory/file operations
* die as not implemented. Pass method overrides to provide the behavior needed
* by a specific test without touching the real file system.
*
* **Example** (Creating a no-op FileSystem)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, PlatformError } from "effect"
*
* // Create a test filesystem that only allows reading specific files
* const testFs = FileSystem.makeNoop({
*   readFileString: (path) => {
*     if (path === "test-config.json") {
*       return Effect.succeed("{\"test\": true}")
*     }
*     return Effect.fail(
*       PlatformError.systemError({
*         _tag: "NotFound",
*         module: "FileSystem",
*         method: "readFileString",
*         description: "File not found",
*         pathOrDescriptor: path
*       })
*     )
*   },
*   exists: (path) => Effect.succeed(path === "test-config.json")
* })
*
* // Use in tests
* const program = Effect.gen(function*() {
*   const content = yield* testFs.readFileString("test-config.json")
*   return content
* })
*
* // Test with the no-op filesystem
* const testProgram = Effect.provideService(
*   program,
*   FileSystem.FileSystem,
*   testFs
* )
* Effect.runSync(testProgram) // => "{\"test\": true}"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const makeNoop = (fileSystem) => FileSystem.of({
	[TypeId$10]: TypeId$10,
	access(path) {
		return fail$1(notFound("access", path));
	},
	chmod(path) {
		return fail$1(notFound("chmod", path));
	},
	chown(path) {
		return fail$1(notFound("chown", path));
	},
	copy(path) {
		return fail$1(notFound("copy", path));
	},
	copyFile(path) {
		return fail$1(notFound("copyFile", path));
	},
	glob(pattern) {
		return fail$1(notFound("glob", pattern));
	},
	exists() {
		return succeed(false);
	},
	link(path) {
		return fail$1(notFound("link", path));
	},
	lstat(path) {
		return fail$1(notFound("lstat", path));
	},
	makeDirectory() {
		return die("not implemented");
	},
	makeTempDirectory() {
		return die("not implemented");
	},
	makeTempDirectoryScoped() {
		return die("not implemented");
	},
	makeTempFile() {
		return die("not implemented");
	},
	makeTempFileScoped() {
		return die("not implemented");
	},
	open(path) {
		return fail$1(notFound("open", path));
	},
	readDirectory(path) {
		return fail$1(notFound("readDirectory", path));
	},
	readDirectoryEntries(path) {
		return fail$1(notFound("readDirectoryEntries", path));
	},
	readFile(path) {
		return fail$1(notFound("readFile", path));
	},
	readFileString(path) {
		return fail$1(notFound("readFileString", path));
	},
	readLink(path) {
		return fail$1(notFound("readLink", path));
	},
	realPath(path) {
		return fail$1(notFound("realPath", path));
	},
	remove() {
		return void_;
	},
	rename(oldPath) {
		return fail$1(notFound("rename", oldPath));
	},
	sink(path) {
		return fail(notFound("sink", path));
	},
	stat(path) {
		return fail$1(notFound("stat", path));
	},
	stream(path) {
		return fail$4(notFound("stream", path));
	},
	symlink(fromPath) {
		return fail$1(notFound("symlink", fromPath));
	},
	truncate(path) {
		return fail$1(notFound("truncate", path));
	},
	utimes(path) {
		return fail$1(notFound("utimes", path));
	},
	watch(path) {
		return fail$4(notFound("watch", path));
	},
	writeFile(path) {
		return fail$1(notFound("writeFile", path));
	},
	writeFileString(path) {
		return fail$1(notFound("writeFileString", path));
	},
	...fileSystem
});
/**
* Creates a Layer that provides a no-op FileSystem implementation for testing.
*
* **Details**
*
* This is a convenience function that wraps `makeNoop` in a Layer, making it easy
* to provide the test filesystem to your Effect programs.
*
* **Example** (Providing a no-op FileSystem layer)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem } from "effect"
*
* // Create a test layer with specific behaviors
* const testLayer = FileSystem.layerNoop({
*   readFileString: (path) => Effect.succeed("mocked content"),
*   exists: () => Effect.succeed(true)
* })
*
* const program = Effect.gen(function*() {
*   const fs = yield* FileSystem.FileSystem
*   const content = yield* fs.readFileString("any-file.txt")
*   return content
* })
*
* // Provide the test layer
* const testProgram = Effect.provide(program, testLayer)
* Effect.runSync(testProgram) // => "mocked content"
* ```
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerNoop = (fileSystem) => succeed$1(FileSystem)(makeNoop(fileSystem));
/**
* Runtime type identifier attached to `FileSystem.File` handles and used by
* `isFile` to recognize them.
*
* **Details**
*
* This marker is part of the runtime representation of file handles. Prefer
* `isFile` when narrowing unknown values.
*
* @see {@link File} for the open file handle shape that carries this marker
* @see {@link isFile} for the public guard that checks this marker
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const FileTypeId = "~effect/FileSystem/File";
/**
* Service key for file system watch backend implementations.
*
* **Details**
*
* This service provides the low-level file watching capabilities that can be
* implemented differently on various platforms (e.g., inotify on Linux,
* FSEvents on macOS, etc.).
*
* **Example** (Providing a custom watch backend)
*
* ```ts import.meta.vitest
* import { Effect, FileSystem, Option, Stream } from "effect"
*
* // Custom watch backend implementation
* const customWatchBackend = {
*   register: (path: string, stat: FileSystem.File.Info) => {
*     // Implementation would depend on platform
*     return Option.some(Stream.empty) // Placeholder implementation
*   }
* }
*
* const program = Effect.gen(function*() {
*   const backend = yield* FileSystem.WatchBackend
*   return Option.isSome(
*     backend.register("./directory", { type: "Directory" } as FileSystem.File.Info)
*   )
* })
*
* const withCustomBackend = Effect.provideService(
*   program,
*   FileSystem.WatchBackend,
*   customWatchBackend
* )
* Effect.runSync(withCustomBackend) // => true
* ```
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var WatchBackend = class extends (/*#__PURE__*/ Service$1()("effect/FileSystem/WatchBackend")) {};

// node_modules/effect/dist/Path.js
/**
* Provides path operations through the Effect environment.
*
* The `Path` service works with file system paths without tying code to one
* concrete platform module. It exposes common operations such as joining,
* normalizing, parsing, formatting, resolving, and converting paths to or from
* file URLs. This module includes the service interface, parsed path type,
* service tag, runtime marker, and built-in POSIX path layer.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Runtime type identifier used to mark implementations of the `Path` service.
*
* **Details**
*
* The marker is the exact string stored on `Path` service implementations.
* Most code should depend on the `Path` service instead of inspecting this
* value directly.
*
* @see {@link layer} for the built-in POSIX `Path` service layer
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$9 = "~effect/Path";
/**
* Service tag for accessing the current `Path` implementation.
*
* **When to use**
*
* Use when you need path operations supplied by an effect's environment.
*
* **Example** (Providing a custom Path service)
*
* ```ts import.meta.vitest
* import { Effect, Layer, Path } from "effect"
*
* // Create a custom path implementation
* const customPath = Path.make({
*   sep: "/",
*   basename: (path: string, suffix?: string) => {
*     const base = path.split("/").pop() || ""
*     return suffix && base.endsWith(suffix)
*       ? base.slice(0, -suffix.length)
*       : base
*   },
*   dirname: (path: string) => path.split("/").slice(0, -1).join("/") || "/",
*   extname: (path: string) => {
*     const match = path.match(/\.[^.]*$/)
*     return match ? match[0] : ""
*   },
*   format: (pathObject) => {
*     const dir = pathObject.dir || ""
*     const name = pathObject.name || ""
*     const ext = pathObject.ext || ""
*     return dir ? `${dir}/${name}${ext}` : `${name}${ext}`
*   },
*   fromFileUrl: (url: URL) => Effect.succeed(url.pathname),
*   isAbsolute: (path: string) => path.startsWith("/"),
*   join: (...paths: ReadonlyArray<string>) => paths.join("/"),
*   normalize: (path: string) => path.replace(/\/+/g, "/"),
*   parse: (path: string) => ({
*     root: path.startsWith("/") ? "/" : "",
*     dir: path.split("/").slice(0, -1).join("/") || "/",
*     base: path.split("/").pop() || "",
*     ext: path.match(/\.[^.]*$/)?.[0] || "",
*     name: path.split("/").pop()?.replace(/\.[^.]*$/, "") || ""
*   }),
*   relative: (from: string, to: string) => to.replace(from, ""),
*   resolve: (...pathSegments: ReadonlyArray<string>) => pathSegments.join("/"),
*   toFileUrl: (path: string) => Effect.succeed(new URL(`file://${path}`)),
*   toNamespacedPath: (path: string) => path
* })
*
* // Provide the path service
* const customPathLayer = Layer.succeed(Path.Path)(customPath)
*
* const program = Effect.gen(function*() {
*   const path = yield* Path.Path
*   return path.join("home", "user", "file.txt")
* })
*
* // Run with custom path implementation
* Effect.runSync(Effect.provide(program, customPathLayer)) // => "home/user/file.txt"
* ```
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Path = /*#__PURE__*/ Service$1("effect/Path");
/**
* Creates a `Path` service from platform path operations.
*
* **When to use**
*
* Use to build a `Path` implementation, such as a platform layer or a test
* double, without implementing the operations that can be derived from the
* others.
*
* **Details**
*
* Adds the `Path` type marker and derives `resolveWithin` from the provided
* `parse`, `resolve`, `relative`, `isAbsolute`, and `sep`, so containment
* follows the same platform rules as those operations.
*
* @see {@link layer} for the built-in POSIX `Path` service layer
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$12 = (impl) => Path.of({
	...impl,
	[TypeId$9]: TypeId$9,
	resolveWithin(root, input) {
		if (impl.parse(input).root !== "") return none();
		const base = impl.resolve(root);
		const candidate = impl.resolve(base, input);
		const relative = impl.relative(base, candidate);
		return relative === ".." || relative.startsWith(`..${impl.sep}`) || impl.isAbsolute(relative) ? none() : some(candidate);
	}
});
/**
* The following functions are adapted from the Node.js source code:
* https://github.com/nodejs/node/blob/main/lib/internal/url.js
*
* The following license applies to these functions:
* - MIT
*/
function normalizeStringPosix(path, allowAboveRoot) {
	let res = "";
	let lastSegmentLength = 0;
	let lastSlash = -1;
	let dots = 0;
	let code;
	for (let i = 0; i <= path.length; ++i) {
		if (i < path.length) code = path.charCodeAt(i);
		else if (code === 47) break;
		else code = 47;
		if (code === 47) {
			if (lastSlash === i - 1 || dots === 1) {} else if (lastSlash !== i - 1 && dots === 2) {
				if (res.length < 2 || lastSegmentLength !== 2 || res.charCodeAt(res.length - 1) !== 46 || res.charCodeAt(res.length - 2) !== 46) {
					if (res.length > 2) {
						const lastSlashIndex = res.lastIndexOf("/");
						if (lastSlashIndex !== res.length - 1) {
							if (lastSlashIndex === -1) {
								res = "";
								lastSegmentLength = 0;
							} else {
								res = res.slice(0, lastSlashIndex);
								lastSegmentLength = res.length - 1 - res.lastIndexOf("/");
							}
							lastSlash = i;
							dots = 0;
							continue;
						}
					} else if (res.length === 2 || res.length === 1) {
						res = "";
						lastSegmentLength = 0;
						lastSlash = i;
						dots = 0;
						continue;
					}
				}
				if (allowAboveRoot) {
					if (res.length > 0) res += "/..";
					else res = "..";
					lastSegmentLength = 2;
				}
			} else {
				if (res.length > 0) res += "/" + path.slice(lastSlash + 1, i);
				else res = path.slice(lastSlash + 1, i);
				lastSegmentLength = i - lastSlash - 1;
			}
			lastSlash = i;
			dots = 0;
		} else if (code === 46 && dots !== -1) ++dots;
		else dots = -1;
	}
	return res;
}
function _format(sep, pathObject) {
	const dir = pathObject.dir || pathObject.root;
	const base = pathObject.base || (pathObject.name || "") + (pathObject.ext || "");
	if (!dir) return base;
	if (dir === pathObject.root) return dir + base;
	return dir + sep + base;
}
function fromFileUrl(url) {
	if (url.protocol !== "file:") return fail$1(new BadArgument({
		module: "Path",
		method: "fromFileUrl",
		description: "URL must be of scheme file"
	}));
	else if (url.hostname !== "") return fail$1(new BadArgument({
		module: "Path",
		method: "fromFileUrl",
		description: "Invalid file URL host"
	}));
	const pathname = url.pathname;
	for (let n = 0; n < pathname.length; n++) if (pathname[n] === "%") {
		const third = pathname.codePointAt(n + 2) | 32;
		if (pathname[n + 1] === "2" && third === 102) return fail$1(new BadArgument({
			module: "Path",
			method: "fromFileUrl",
			description: "must not include encoded / characters"
		}));
	}
	return try_({
		try: () => decodeURIComponent(pathname),
		catch: (cause) => new BadArgument({
			module: "Path",
			method: "fromFileUrl",
			cause
		})
	});
}
const resolve = function resolve() {
	let resolvedPath = "";
	let resolvedAbsolute = false;
	let cwd = void 0;
	for (let i = arguments.length - 1; i >= -1 && !resolvedAbsolute; i--) {
		let path;
		if (i >= 0) path = arguments[i];
		else {
			const process = globalThis.process;
			if (cwd === void 0 && "process" in globalThis && typeof process === "object" && process !== null && typeof process.cwd === "function") cwd = process.cwd();
			path = cwd;
		}
		if (path.length === 0) continue;
		resolvedPath = path + "/" + resolvedPath;
		resolvedAbsolute = path.charCodeAt(0) === 47;
	}
	resolvedPath = normalizeStringPosix(resolvedPath, !resolvedAbsolute);
	if (resolvedAbsolute) {
		if (resolvedPath.length > 0) return "/" + resolvedPath;
		else return "/";
	} else if (resolvedPath.length > 0) return resolvedPath;
	else return ".";
};
const CHAR_FORWARD_SLASH = 47;
function toFileUrl(filepath) {
	const outURL = new URL("file://");
	let resolved = resolve(filepath);
	if (filepath.charCodeAt(filepath.length - 1) === CHAR_FORWARD_SLASH && resolved[resolved.length - 1] !== "/") resolved += "/";
	outURL.pathname = encodePathChars(resolved);
	return succeed(outURL);
}
const percentRegExp = /%/g;
const backslashRegExp = /\\/g;
const newlineRegExp = /\n/g;
const carriageReturnRegExp = /\r/g;
const tabRegExp = /\t/g;
function encodePathChars(filepath) {
	if (filepath.includes("%")) filepath = filepath.replace(percentRegExp, "%25");
	if (filepath.includes("\\")) filepath = filepath.replace(backslashRegExp, "%5C");
	if (filepath.includes("\n")) filepath = filepath.replace(newlineRegExp, "%0A");
	if (filepath.includes("\r")) filepath = filepath.replace(carriageReturnRegExp, "%0D");
	if (filepath.includes("	")) filepath = filepath.replace(tabRegExp, "%09");
	return filepath;
}
const posixImpl = /*#__PURE__*/ make$12({
	resolve,
	normalize(path) {
		if (path.length === 0) return ".";
		const isAbsolute = path.charCodeAt(0) === 47;
		const trailingSeparator = path.charCodeAt(path.length - 1) === 47;
		path = normalizeStringPosix(path, !isAbsolute);
		if (path.length === 0 && !isAbsolute) path = ".";
		if (path.length > 0 && trailingSeparator) path += "/";
		if (isAbsolute) return "/" + path;
		return path;
	},
	isAbsolute(path) {
		return path.length > 0 && path.charCodeAt(0) === 47;
	},
	join() {
		if (arguments.length === 0) return ".";
		let joined;
		for (let i = 0; i < arguments.length; ++i) {
			const arg = arguments[i];
			if (arg.length > 0) {
				if (joined === void 0) joined = arg;
				else joined += "/" + arg;
			}
		}
		if (joined === void 0) return ".";
		return posixImpl.normalize(joined);
	},
	relative(from, to) {
		if (from === to) return "";
		from = posixImpl.resolve(from);
		to = posixImpl.resolve(to);
		if (from === to) return "";
		let fromStart = 1;
		for (; fromStart < from.length; ++fromStart) if (from.charCodeAt(fromStart) !== 47) break;
		const fromEnd = from.length;
		const fromLen = fromEnd - fromStart;
		let toStart = 1;
		for (; toStart < to.length; ++toStart) if (to.charCodeAt(toStart) !== 47) break;
		const toLen = to.length - toStart;
		const length = fromLen < toLen ? fromLen : toLen;
		let lastCommonSep = -1;
		let i = 0;
		for (; i <= length; ++i) {
			if (i === length) {
				if (toLen > length) {
					if (to.charCodeAt(toStart + i) === 47) return to.slice(toStart + i + 1);
					else if (i === 0) return to.slice(toStart + i);
				} else if (fromLen > length) {
					if (from.charCodeAt(fromStart + i) === 47) lastCommonSep = i;
					else if (i === 0) lastCommonSep = 0;
				}
				break;
			}
			const fromCode = from.charCodeAt(fromStart + i);
			if (fromCode !== to.charCodeAt(toStart + i)) break;
			else if (fromCode === 47) lastCommonSep = i;
		}
		let out = "";
		for (i = fromStart + lastCommonSep + 1; i <= fromEnd; ++i) if (i === fromEnd || from.charCodeAt(i) === 47) {
			if (out.length === 0) out += "..";
			else out += "/..";
		}
		if (out.length > 0) return out + to.slice(toStart + lastCommonSep);
		else {
			toStart += lastCommonSep;
			if (to.charCodeAt(toStart) === 47) ++toStart;
			return to.slice(toStart);
		}
	},
	dirname(path) {
		if (path.length === 0) return ".";
		let code = path.charCodeAt(0);
		const hasRoot = code === 47;
		let end = -1;
		let matchedSlash = true;
		for (let i = path.length - 1; i >= 1; --i) {
			code = path.charCodeAt(i);
			if (code === 47) {
				if (!matchedSlash) {
					end = i;
					break;
				}
			} else matchedSlash = false;
		}
		if (end === -1) return hasRoot ? "/" : ".";
		if (hasRoot && end === 1) return "//";
		return path.slice(0, end);
	},
	basename(path, ext) {
		let start = 0;
		let end = -1;
		let matchedSlash = true;
		let i;
		if (ext !== void 0 && ext.length > 0 && ext.length <= path.length) {
			if (ext.length === path.length && ext === path) return "";
			let extIdx = ext.length - 1;
			let firstNonSlashEnd = -1;
			for (i = path.length - 1; i >= 0; --i) {
				const code = path.charCodeAt(i);
				if (code === 47) {
					if (!matchedSlash) {
						start = i + 1;
						break;
					}
				} else {
					if (firstNonSlashEnd === -1) {
						matchedSlash = false;
						firstNonSlashEnd = i + 1;
					}
					if (extIdx >= 0) {
						if (code === ext.charCodeAt(extIdx)) {
							if (--extIdx === -1) end = i;
						} else {
							extIdx = -1;
							end = firstNonSlashEnd;
						}
					}
				}
			}
			if (start === end) end = firstNonSlashEnd;
			else if (end === -1) end = path.length;
			return path.slice(start, end);
		} else {
			for (i = path.length - 1; i >= 0; --i) if (path.charCodeAt(i) === 47) {
				if (!matchedSlash) {
					start = i + 1;
					break;
				}
			} else if (end === -1) {
				matchedSlash = false;
				end = i + 1;
			}
			if (end === -1) return "";
			return path.slice(start, end);
		}
	},
	extname(path) {
		let startDot = -1;
		let startPart = 0;
		let end = -1;
		let matchedSlash = true;
		let preDotState = 0;
		for (let i = path.length - 1; i >= 0; --i) {
			const code = path.charCodeAt(i);
			if (code === 47) {
				if (!matchedSlash) {
					startPart = i + 1;
					break;
				}
				continue;
			}
			if (end === -1) {
				matchedSlash = false;
				end = i + 1;
			}
			if (code === 46) {
				if (startDot === -1) startDot = i;
				else if (preDotState !== 1) preDotState = 1;
			} else if (startDot !== -1) preDotState = -1;
		}
		if (startDot === -1 || end === -1 || preDotState === 0 || preDotState === 1 && startDot === end - 1 && startDot === startPart + 1) return "";
		return path.slice(startDot, end);
	},
	format: function format(pathObject) {
		if (pathObject === null || typeof pathObject !== "object") throw new TypeError("The \"pathObject\" argument must be of type Object. Received type " + typeof pathObject);
		return _format("/", pathObject);
	},
	parse(path) {
		const ret = {
			root: "",
			dir: "",
			base: "",
			ext: "",
			name: ""
		};
		if (path.length === 0) return ret;
		let code = path.charCodeAt(0);
		const isAbsolute = code === 47;
		let start;
		if (isAbsolute) {
			ret.root = "/";
			start = 1;
		} else start = 0;
		let startDot = -1;
		let startPart = 0;
		let end = -1;
		let matchedSlash = true;
		let i = path.length - 1;
		let preDotState = 0;
		for (; i >= start; --i) {
			code = path.charCodeAt(i);
			if (code === 47) {
				if (!matchedSlash) {
					startPart = i + 1;
					break;
				}
				continue;
			}
			if (end === -1) {
				matchedSlash = false;
				end = i + 1;
			}
			if (code === 46) {
				if (startDot === -1) startDot = i;
				else if (preDotState !== 1) preDotState = 1;
			} else if (startDot !== -1) preDotState = -1;
		}
		if (startDot === -1 || end === -1 || preDotState === 0 || preDotState === 1 && startDot === end - 1 && startDot === startPart + 1) {
			if (end !== -1) {
				if (startPart === 0 && isAbsolute) ret.base = ret.name = path.slice(1, end);
				else ret.base = ret.name = path.slice(startPart, end);
			}
		} else {
			if (startPart === 0 && isAbsolute) {
				ret.name = path.slice(1, startDot);
				ret.base = path.slice(1, end);
			} else {
				ret.name = path.slice(startPart, startDot);
				ret.base = path.slice(startPart, end);
			}
			ret.ext = path.slice(startDot, end);
		}
		if (startPart > 0) ret.dir = path.slice(0, startPart - 1);
		else if (isAbsolute) ret.dir = "/";
		return ret;
	},
	sep: "/",
	fromFileUrl,
	toFileUrl,
	toNamespacedPath: identity
});
/**
* Layer that provides the built-in POSIX `Path` implementation.
*
* **When to use**
*
* Use when you need an effect that requires the `Path` service to run with the
* built-in POSIX path implementation.
*
* **Details**
*
* The layer provides a static service whose separator is `/` and whose
* operations use POSIX path semantics.
*
* @see {@link Path} for accessing the `Path` service from an effect
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$1 = /*#__PURE__*/ succeed$1(Path)(posixImpl);

// node_modules/effect/dist/internal/jsonSchema.js
/** @internal */
function getSubschemaKind(keyword) {
	switch (keyword) {
		case "$defs":
		case "properties":
		case "patternProperties":
		case "dependentSchemas": return "map";
		case "allOf":
		case "anyOf":
		case "oneOf":
		case "prefixItems": return "array";
		case "not":
		case "additionalProperties":
		case "propertyNames":
		case "unevaluatedProperties":
		case "items":
		case "contains":
		case "unevaluatedItems":
		case "if":
		case "then":
		case "else":
		case "contentSchema": return "schema";
	}
}

// node_modules/effect/dist/JsonPointer.js
/**
* Helpers for escaping JSON Pointer path segments and converting JSON Pointer
* URI fragments. JSON Pointer uses `/` to separate path tokens inside a JSON
* document, so token text must encode literal `~` and `/` characters. URI
* fragments additionally apply percent-encoding after JSON Pointer escaping.
*
* @stability stable
* @since 4.0.0
*/
/**
* Escapes a JSON Pointer reference token according to RFC 6901 by encoding special characters so the token can be safely used as a segment in a JSON Pointer.
*
* **When to use**
*
* Use when you need to escape a single JSON Pointer path segment.
*
* **Details**
*
* - Returns a new escaped string
* - Replaces `~` (tilde) with `~0` and `/` (forward slash) with `~1`
* - Returns the input unchanged if it contains no special characters
* - Empty strings are valid and returned unchanged
*
* **Gotchas**
*
* The replacement order matters: `~` is replaced before `/` to prevent double-escaping.
*
* **Example** (Escaping special characters)
*
* ```ts import.meta.vitest
* import { JsonPointer } from "effect"
*
* JsonPointer.escapeToken("a/b") // => "a~1b"
* JsonPointer.escapeToken("c~d") // => "c~0d"
* JsonPointer.escapeToken("path/to~key") // => "path~1to~0key"
* ```
*
* @see {@link unescapeToken} The inverse operation for decoding escaped tokens
* @stability stable
* @category encoding
* @since 4.0.0
*/
function escapeToken(token) {
	return token.replace(/~/g, "~0").replace(/\//g, "~1");
}
/**
* Decodes a JSON Pointer reference token according to RFC 6901 escaping rules.
*
* **When to use**
*
* Use when you need to decode a single escaped JSON Pointer path segment.
*
* **Details**
*
* - Returns a new unescaped string
* - Replaces `~1` with `/` (forward slash) and `~0` with `~` (tilde)
* - Returns the input unchanged if it contains no escaped sequences
* - Empty strings are valid and returned unchanged
*
* **Gotchas**
*
* The replacement order matters: `~1` is replaced before `~0` to prevent incorrect decoding.
*
* **Example** (Unescaping special characters)
*
* ```ts import.meta.vitest
* import { JsonPointer } from "effect"
*
* JsonPointer.unescapeToken("a~1b") // => "a/b"
* JsonPointer.unescapeToken("c~0d") // => "c~d"
* JsonPointer.unescapeToken("path~1to~0key") // => "path/to~key"
* ```
*
* @see {@link escapeToken} The inverse operation for encoding tokens
* @stability stable
* @category decoding
* @since 4.0.0
*/
function unescapeToken(token) {
	return token.replace(/~1/g, "/").replace(/~0/g, "~");
}
/** @internal */
function formatUriFragmentToken(token) {
	return encodeURI(escapeToken(token)).replace(/#/g, "%23");
}
/** @internal */
function decodeUriFragment(fragment) {
	if (fragment.length === 0 || fragment === "#") return "";
	if (!fragment.startsWith("#")) return void 0;
	const encoded = fragment.slice(1);
	try {
		if (encodeURI(encoded).replace(/%25/g, "%").replace(/#/g, "%23") !== encoded) return void 0;
		const pointer = decodeURIComponent(encoded);
		return pointer.startsWith("/") && !/~(?:[^01]|$)/.test(pointer) ? pointer : void 0;
	} catch {
		return;
	}
}
/**
* Parses a JSON Pointer URI fragment into decoded path tokens.
*
* **When to use**
*
* Use when you need to resolve a URI fragment against a JSON document.
*
* **Details**
*
* Percent-encoding is decoded before the pointer is split into tokens, then
* each token is decoded with {@link unescapeToken}. The empty string and `#`
* both represent the document root.
*
* **Gotchas**
*
* Returns `undefined` when the input is not a URI fragment, contains characters
* that require percent-encoding, or contains an invalid JSON Pointer escape
* sequence.
*
* **Example** (Parsing URI fragments)
*
* ```ts import.meta.vitest
* import { JsonPointer } from "effect"
*
* JsonPointer.parseUriFragment("#/users/a~1b") // => ["users", "a/b"]
* JsonPointer.parseUriFragment("#/caf%C3%A9") // => ["café"]
* JsonPointer.parseUriFragment("#/%") // => undefined
* JsonPointer.parseUriFragment("#/a#b") // => undefined
* ```
*
* @see {@link formatUriFragment} for the inverse operation
* @stability stable
* @category decoding
* @since 4.0.0
*/
function parseUriFragment(fragment) {
	const pointer = decodeUriFragment(fragment);
	return pointer === void 0 ? void 0 : pointer.length === 0 ? [] : pointer.slice(1).split("/").map(unescapeToken);
}
/**
* Formats path tokens as a JSON Pointer URI fragment.
*
* **When to use**
*
* Use when you need a URI fragment that identifies a value in a JSON document.
*
* **Details**
*
* Each token is encoded with {@link escapeToken} before URI percent-encoding
* is applied. An empty path is formatted as `#`.
*
* **Gotchas**
*
* Throws a `URIError` when a token contains an unpaired surrogate.
*
* **Example** (Formatting a URI fragment)
*
* ```ts import.meta.vitest
* import { JsonPointer } from "effect"
*
* JsonPointer.formatUriFragment(["users", "a/b", "Rate%"]) // => "#/users/a~1b/Rate%25"
* ```
*
* @see {@link parseUriFragment} for the inverse operation
* @stability stable
* @category encoding
* @since 4.0.0
*/
function formatUriFragment(path) {
	return path.reduce((fragment, token) => `${fragment}/${formatUriFragmentToken(token)}`, "#");
}

// node_modules/effect/dist/JsonSchema.js
/**
* Helpers for normalizing and converting JSON Schema and OpenAPI schema
* documents. Supported inputs include JSON Schema Draft-07, Draft 2020-12,
* OpenAPI 3.0, and OpenAPI 3.1; conversions normalize through
* `Document<"draft-2020-12">` before emitting another dialect, including
* JSON Schema Draft-04. The module also defines document types, meta-schema
* constants, and OpenAPI component-key helpers.
*
* @stability stable
* @since 4.0.0
*/
const OPEN_API_31_TARGET_COLLISIONS = [
	"example",
	"discriminator",
	"xml",
	"externalDocs"
];
/**
* Converts a `MultiDocument<"draft-2020-12">` to a
* `MultiDocument<"openapi-3.1">`.
*
* **When to use**
*
* Use when you need to emit an OpenAPI 3.1 multi-document from canonical JSON
* Schema documents.
*
* **Details**
*
* This rewrites local `#/$defs/...` refs to `#/components/schemas/...` and
* sanitizes definition keys to match the OpenAPI component key pattern
* (`^[a-zA-Z0-9.\-_]+$`) by replacing invalid characters with `_`. Valid keys
* are preserved. When sanitized keys collide, the converter appends the first
* available `_1`, `_2`, and subsequent suffix, with allocation independent of
* definition insertion order. All local refs are updated to use the allocated
* keys, including refs to paths within a definition.
*
* **Gotchas**
*
* External refs and local refs outside `#/$defs` are left unchanged. Conversion
* throws when a custom keyword would become an active OpenAPI keyword and
* therefore change meaning. References inside schema resources identified by
* `$id` are left unchanged. Conversion throws when an identified root schema
* references the detached shared definitions pool because OpenAPI cannot
* preserve that fragment reference.
*
* **Example** (Converting to OpenAPI 3.1)
*
* ```ts import.meta.vitest
* import { JsonSchema } from "effect"
*
* const multi: JsonSchema.MultiDocument<"draft-2020-12"> = {
*   dialect: "draft-2020-12",
*   schemas: [{ $ref: "#/$defs/User" }],
*   definitions: {
*     User: { type: "object", properties: { name: { type: "string" } } }
*   }
* }
*
* const openapi = JsonSchema.toMultiDocumentOpenApi3_1(multi)
* openapi.dialect // => "openapi-3.1"
* openapi.schemas[0] // => { $ref: "#/components/schemas/User" }
* ```
*
* @see {@link toDocumentDraft07}
* @see {@link MultiDocument}
* @stability stable
* @category encoding
* @since 4.0.0
*/
function toMultiDocumentOpenApi3_1(multiDocument) {
	const definitionKeys = Object.keys(multiDocument.definitions);
	const keyMap = /* @__PURE__ */ new Map();
	const usedKeys = new Set(definitionKeys.filter((key) => VALID_OPEN_API_COMPONENTS_SCHEMAS_KEY_REGEXP.test(key)));
	const invalidKeys = definitionKeys.filter((key) => !VALID_OPEN_API_COMPONENTS_SCHEMAS_KEY_REGEXP.test(key)).sort().map((key) => [key, sanitizeOpenApiComponentsSchemasKey(key)]);
	for (const [key, base] of invalidKeys) {
		if (usedKeys.has(base)) continue;
		usedKeys.add(base);
		keyMap.set(key, base);
	}
	for (const [key, base] of invalidKeys) {
		if (keyMap.has(key)) continue;
		let candidate;
		let suffix = 0;
		do
			candidate = `${base}_${++suffix}`;
		while (usedKeys.has(candidate));
		usedKeys.add(candidate);
		keyMap.set(key, candidate);
	}
	function rewrite(schema, rejectSharedDefinitionRefs = false) {
		const isRootResource = createsResource(schema.$id);
		const localDefinitions = isObject(schema.$defs) ? schema.$defs : void 0;
		return transformSchema(schema, (schema, inEmbeddedResource) => {
			rejectKeywordCollisions(schema, OPEN_API_31_TARGET_COLLISIONS, "OpenAPI 3.1", "Draft 2020-12");
			rewriteSchemaRef(schema, (reference, keyword) => {
				const path = reference.startsWith("#") ? parseUriFragment(reference) : void 0;
				if (path === void 0 || path[0] !== "$defs" || path.length < 2) return reference;
				const key = path[1];
				if (isRootResource) {
					if (rejectSharedDefinitionRefs && !inEmbeddedResource && Object.hasOwn(multiDocument.definitions, key) && (localDefinitions === void 0 || !Object.hasOwn(localDefinitions, key))) unsupported(keyword, "OpenAPI 3.1", "a schema resource cannot reference the shared definitions pool");
					return reference;
				}
				return inEmbeddedResource ? reference : formatUriFragment([
					"components",
					"schemas",
					keyMap.get(key) ?? key,
					...path.slice(2)
				]);
			});
		});
	}
	const schemas = multiDocument.schemas.map((schema) => rewrite(schema, true));
	const definitions = {};
	for (const key of definitionKeys) assignProperty(definitions, keyMap.get(key) ?? key, rewrite(multiDocument.definitions[key]));
	return {
		dialect: "openapi-3.1",
		schemas,
		definitions
	};
}
/** @internal */
const VALID_OPEN_API_COMPONENTS_SCHEMAS_KEY_REGEXP = /^[a-zA-Z0-9.\-_]+$/;
/**
* Returns a sanitized key for an OpenAPI component schema.
* Should match the `^[a-zA-Z0-9.\-_]+$` regular expression.
*
* @internal
*/
function sanitizeOpenApiComponentsSchemasKey(s) {
	return s.length === 0 ? "_" : s.replace(/[^a-zA-Z0-9._-]/gu, "_");
}
function transformSchema(node, transform) {
	return walk(node, false, true);
	function walk(node, inheritedResource, isRoot = false) {
		if (!isObject(node)) return node;
		const inEmbeddedResource = inheritedResource || !isRoot && createsResource(node.$id);
		const out = {};
		for (const key of Object.keys(node)) {
			const value = node[key];
			let transformed = value;
			switch (getSubschemaKind(key)) {
				case "map":
					transformed = mapObject(value, (value) => walk(value, inEmbeddedResource)) ?? value;
					break;
				case "array":
					transformed = Array.isArray(value) ? value.map((value) => walk(value, inEmbeddedResource)) : value;
					break;
				case "schema": transformed = walk(value, inEmbeddedResource);
			}
			assignProperty(out, key, transformed);
		}
		transform(out, inEmbeddedResource);
		return out;
	}
}
/** @internal */
function rewriteRefs(schema, rewrite) {
	return transformSchema(schema, (schema) => {
		rewriteSchemaRef(schema, rewrite);
	});
}
function rewriteSchemaRef(schema, rewrite) {
	if (typeof schema.$ref === "string") assignProperty(schema, "$ref", rewrite(schema.$ref, "$ref"));
	if (typeof schema.$dynamicRef === "string") assignProperty(schema, "$dynamicRef", rewrite(schema.$dynamicRef, "$dynamicRef"));
}
function mapObject(value, f) {
	if (!isObject(value)) return void 0;
	const out = {};
	for (const key of Object.keys(value)) assignProperty(out, key, f(value[key], key));
	return out;
}
function createsResource(id) {
	return typeof id === "string" && id.length > 0 && id[0] !== "#";
}
const PRE_2020_TO_2020_COLLISIONS = [
	"$anchor",
	"$defs",
	"$dynamicAnchor",
	"$dynamicRef",
	"$vocabulary",
	"contentSchema",
	"dependentRequired",
	"dependentSchemas",
	"maxContains",
	"minContains",
	"prefixItems",
	"unevaluatedItems",
	"unevaluatedProperties"
];
const DRAFT_07_TO_2020_COLLISIONS = [...PRE_2020_TO_2020_COLLISIONS, "deprecated"];
const OPEN_API_30_TO_2020_COLLISIONS = [
	...PRE_2020_TO_2020_COLLISIONS,
	"$comment",
	"$id",
	"$schema",
	"const",
	"contains",
	"contentEncoding",
	"contentMediaType",
	"else",
	"examples",
	"if",
	"patternProperties",
	"propertyNames",
	"then"
];
function unsupported(keyword, dialect, details) {
	throw new Error(`Cannot convert JSON Schema keyword "${keyword}" to ${dialect}: ${details}`);
}
function rejectKeywordCollisions(source, keywords, targetDialect, sourceDialect) {
	for (const keyword of keywords) if (Object.hasOwn(source, keyword)) unsupported(keyword, targetDialect, `it is not active in ${sourceDialect} but would become active in the target`);
}

// node_modules/effect/dist/RegExp.js
/**
* Exposes the JavaScript regular expression constructor from `globalThis`.
*
* **When to use**
*
* Use to construct JavaScript regular expressions through the Effect module
* namespace.
*
* **Example** (Creating a regular expression)
*
* ```ts import.meta.vitest
* import { RegExp } from "effect"
*
* const pattern = new RegExp.RegExp("hello", "i")
* pattern // => /hello/i
* pattern.test("Hello World") // => true
* pattern.test("goodbye") // => false
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const RegExp$1 = globalThis.RegExp;
/**
* Escapes special characters in a regular expression pattern.
*
* **When to use**
*
* Use to turn literal text into a safe regular expression pattern fragment.
*
* **Example** (Escaping a pattern string)
*
* ```ts import.meta.vitest
* import { RegExp } from "effect"
*
* RegExp.escape("a*b") // => "a\\*b"
* ```
*
* @stability stable
* @category transforming
* @since 2.0.0
*/
const escape = (string) => string.replace(/[/\\^$*+?.()|[\]{}]/g, "\\$&");

// node_modules/effect/dist/internal/errors.js
/** @internal */
function errorWithPath(message, path) {
	if (path.length > 0) message += `\n  at ${formatPath(path)}`;
	return new Error(message);
}

// node_modules/effect/dist/internal/schema/toJsonSchemaDocument.js
function formatDefinitionReference(key) {
	return `#/$defs/${formatUriFragmentToken(key)}`;
}
const jsonSchemaAnnotationExcludedKeys = /*#__PURE__*/ new Set([
	...annotationExcludedKeys,
	IDENTIFIER_FALLBACK_KEY,
	...jsonSchemaAnnotationKeys
]);
function collectJsonSchemaAnnotations(annotations, options) {
	if (annotations === void 0) return void 0;
	const out = {};
	for (const key of [
		"title",
		"description",
		"format",
		"contentEncoding",
		"contentMediaType"
	]) {
		const value = annotations[key];
		if (typeof value === "string") out[key] = value;
	}
	for (const key of ["readOnly", "writeOnly"]) {
		const value = annotations[key];
		if (typeof value === "boolean") out[key] = value;
	}
	const expected = annotations.expected;
	if (out.description === void 0 && options?.generateDescriptions === true && typeof expected === "string") out.description = expected;
	const defaultValue = annotations.default;
	if (isJson(defaultValue)) out.default = defaultValue;
	const examples = annotations.examples;
	if (Array.isArray(examples) && isJson(examples)) out.examples = examples;
	const contentSchema = annotations.contentSchema;
	if (isJson(contentSchema)) out.contentSchema = contentSchema;
	if (options?.includeAnnotationKey !== void 0) for (const [key, value] of Object.entries(annotations)) {
		if (jsonSchemaAnnotationExcludedKeys.has(key) || !options.includeAnnotationKey(key)) continue;
		if (isJson(value)) assignProperty(out, key, value);
	}
	return Object.keys(out).length === 0 ? void 0 : out;
}
function extractJsonSchemaNumberType(schema) {
	let type = schema.type === "number" || schema.type === "integer" ? schema.type : void 0;
	let out = schema;
	if (type !== void 0) {
		out = { ...schema };
		delete out.type;
	}
	if (Array.isArray(out.allOf)) {
		const members = [];
		let changed = false;
		for (const member of out.allOf) {
			const extracted = extractJsonSchemaNumberType(member);
			if (extracted.type !== void 0) {
				changed = true;
				if (type === void 0 || extracted.type === "integer") type = extracted.type;
			}
			if (Object.keys(extracted.schema).length > 0) members.push(extracted.schema);
		}
		if (changed) {
			const { allOf: _, ...rest } = out;
			out = members.length === 0 ? rest : {
				...rest,
				allOf: members
			};
		}
	}
	return {
		type,
		schema: out
	};
}
function isJsonSchemaNumberEncoding(schema) {
	if (!Array.isArray(schema.anyOf) || schema.anyOf.length !== 2 || schema.anyOf[0]?.type !== "number") return false;
	const special = schema.anyOf[1];
	return special?.type === "string" && Array.isArray(special.enum) && special.enum.length === 3 && special.enum.includes("NaN") && special.enum.includes("Infinity") && special.enum.includes("-Infinity");
}
const inlineableCheckKeywords = "|type|format|pattern|multipleOf|minimum|maximum|exclusiveMinimum|exclusiveMaximum|minLength|maxLength|minItems|maxItems|uniqueItems|minProperties|maxProperties|propertyNames|";
function hasOnlyKeywords(schema, allowed) {
	return Object.keys(schema).every((key) => allowed.includes(`|${key}|`));
}
function hasNoCollisions(left, rightKeys) {
	return typeof left.$ref !== "string" && rightKeys.every((key) => !Object.hasOwn(left, key));
}
const lowerBoundKeywords = "|minimum|exclusiveMinimum|minLength|minItems|minProperties|";
const upperBoundKeywords = "|maximum|exclusiveMaximum|maxLength|maxItems|maxProperties|";
function mergeInlineCheck(left, right, rightKeys) {
	if (typeof left.$ref === "string") return void 0;
	const out = {
		...left,
		...right
	};
	for (const key of rightKeys) {
		if (!Object.hasOwn(left, key)) continue;
		const a = left[key];
		const b = right[key];
		if (typeof a !== "number" || typeof b !== "number") return void 0;
		if (lowerBoundKeywords.includes(`|${key}|`)) out[key] = Math.max(a, b);
		else if (upperBoundKeywords.includes(`|${key}|`)) out[key] = Math.min(a, b);
		else return void 0;
	}
	if (typeof out.minimum === "number" && typeof out.exclusiveMinimum === "number") delete out[out.exclusiveMinimum >= out.minimum ? "minimum" : "exclusiveMinimum"];
	if (typeof out.maximum === "number" && typeof out.exclusiveMaximum === "number") delete out[out.exclusiveMaximum <= out.maximum ? "maximum" : "exclusiveMaximum"];
	return out;
}
const promotableAnnotationKeywords = "|title|description|default|examples|readOnly|writeOnly|";
const inlineableAnnotatedCheckKeywords = inlineableCheckKeywords + promotableAnnotationKeywords;
function appendJsonSchema(left, right, inlineCheck) {
	if (Object.keys(left).length === 0) return right;
	const rightKeys = Object.keys(right);
	if (rightKeys.length === 0) return left;
	const leftType = left.type === "number" || left.type === "integer" ? left.type : void 0;
	const isNumberEncoding = isJsonSchemaNumberEncoding(left);
	if (leftType !== void 0 || isNumberEncoding) {
		const extracted = extractJsonSchemaNumberType(right);
		if (extracted.type !== void 0) {
			const type = leftType === "integer" || extracted.type === "integer" ? "integer" : "number";
			const base = {
				...left,
				type
			};
			if (isNumberEncoding) delete base.anyOf;
			const extractedKeys = Object.keys(extracted.schema);
			if (extractedKeys.length === 0) return base;
			return hasOnlyKeywords(extracted.schema, promotableAnnotationKeywords) && hasNoCollisions(base, extractedKeys) ? {
				...base,
				...extracted.schema
			} : appendJsonSchema(base, extracted.schema, inlineCheck);
		}
	}
	if (inlineCheck) {
		const merged = mergeInlineCheck(left, right, rightKeys);
		if (merged !== void 0) return merged;
	}
	const members = Array.isArray(right.allOf) && rightKeys.length === 1 ? right.allOf : [right];
	if (Array.isArray(left.allOf)) return {
		...left,
		allOf: [...left.allOf, ...members]
	};
	if (typeof left.$ref === "string") return { allOf: [left, ...members] };
	return {
		...left,
		allOf: members
	};
}
function isExact(exactness, seen = /* @__PURE__ */ new Set()) {
	if (typeof exactness === "boolean") return exactness;
	if (seen.has(exactness)) return true;
	seen.add(exactness);
	return exactness.every((dependency) => isExact(dependency, seen));
}
function isApproximateCheckOutput(output) {
	return Array.isArray(output);
}
function compileJsonSchema(representations, rootPaths, references, options) {
	const numberKeyPattern = `^(?:${FINITE_PATTERN}|Infinity|-Infinity|NaN)$`;
	const compiledDefinitions = /* @__PURE__ */ new Map();
	const definitionAliases = /* @__PURE__ */ new Map();
	const compiledRepresentations = /* @__PURE__ */ new WeakMap();
	const pendingOneOf = /* @__PURE__ */ new Map();
	const fallbackDefinitions = /* @__PURE__ */ new Map();
	const referenceKeys = Object.keys(references);
	for (const key of referenceKeys) compileDefinition(key, ["references", key]);
	const compiledSchemas = map$1(representations, (representation, index) => recur(representation, rootPaths[index], []));
	for (const { branches, schemas } of pendingOneOf.values()) if (!isExact(branches)) {
		for (const schema of schemas) if (Array.isArray(schema.oneOf)) {
			schema.anyOf = schema.oneOf;
			delete schema.oneOf;
		}
	}
	for (const key of referenceKeys) {
		const representation = references[key];
		const fallback = getIdentifierFallback(representation);
		if (fallback === void 0) continue;
		const schema = compiledDefinitions.get(key).schema;
		const candidates = fallbackDefinitions.get(fallback);
		const match = candidates?.find((candidate) => equals(compiledDefinitions.get(candidate).schema, schema));
		if (match === void 0) {
			if (candidates === void 0) fallbackDefinitions.set(fallback, [key]);
			else candidates.push(key);
		} else definitionAliases.set(key, match);
	}
	const schemas = map$1(compiledSchemas, finalizeJsonSchema);
	const definitions = {};
	for (const key of referenceKeys) if (!definitionAliases.has(key)) assignProperty(definitions, key, finalizeJsonSchema(compiledDefinitions.get(key).schema));
	return {
		dialect: "draft-2020-12",
		schemas,
		definitions
	};
	function registerPendingOneOf(schema) {
		if (Array.isArray(schema.oneOf)) pendingOneOf.get(schema.oneOf)?.schemas.push(schema);
		return schema;
	}
	function compileAnnotatedMember(member, path, dependencies) {
		const schema = recur(member.type, [...path, "type"], dependencies);
		const annotations = collectJsonSchemaAnnotations(member.annotations, options);
		return annotations === void 0 ? schema : registerPendingOneOf(appendJsonSchema(schema, annotations));
	}
	function compileDefinition(key, path) {
		if (!Object.hasOwn(references, key)) throw errorWithPath(`Invalid reference ${key}`, [...path, "$ref"]);
		const cached = compiledDefinitions.get(key);
		if (cached !== void 0) return cached;
		const result = {
			schema: {},
			dependencies: []
		};
		compiledDefinitions.set(key, result);
		result.schema = recur(references[key], ["references", key], result.dependencies);
		return result;
	}
	function finalizeJsonSchema(schema) {
		return rewriteRefs(schema, ($ref) => {
			const pointer = decodeUriFragment($ref);
			if (pointer === void 0) {
				if (/^#(?:\/|%2f)/i.test($ref)) throw new Error(`Invalid JSON Pointer URI fragment ${JSON.stringify($ref)}`);
				return $ref;
			}
			if (!pointer.startsWith("/$defs/")) return $ref;
			const separator = pointer.indexOf("/", 7);
			const canonical = definitionAliases.get(unescapeToken(pointer.slice(7, separator < 0 ? void 0 : separator)));
			if (canonical === void 0) return $ref;
			return $ref.replace(/^#(?:\/|%2f).*?(?:\/|%2f).*?(?=\/|%2f|$)/i, formatDefinitionReference(canonical));
		});
	}
	function getIdentifierFallback(representation) {
		if (representation._tag === "Reference") return void 0;
		const annotations = representation.checks.length === 0 ? representation.annotations : representation.checks[representation.checks.length - 1].annotations;
		return typeof annotations?.identifier !== "string" && typeof annotations?.["~identifier"] === "string" ? annotations[IDENTIFIER_FALLBACK_KEY] : void 0;
	}
	function compileCheck(check, type, path, dependencies) {
		const annotations = check.annotations;
		const callback = annotations?.toJsonSchema;
		if (callback !== void 0) {
			const result = callback({
				type,
				schemas: check.representation?.schemas?.map((schema, index) => recur(schema, [
					...path,
					"representation",
					"schemas",
					index
				], dependencies)) ?? []
			});
			const approximate = isApproximateCheckOutput(result);
			if (approximate) dependencies.push(false);
			const fragment = approximate ? result[0] : result;
			const ordinary = collectJsonSchemaAnnotations(annotations, options);
			const schema = ordinary === void 0 ? fragment : {
				...fragment,
				...ordinary
			};
			const allowed = ordinary === void 0 ? inlineableCheckKeywords : inlineableAnnotatedCheckKeywords;
			return [schema, check._tag === "Filter" && hasOnlyKeywords(schema, allowed) && (ordinary === void 0 || hasOnlyKeywords(ordinary, promotableAnnotationKeywords)) ? true : void 0];
		}
		if (check._tag === "Filter") {
			dependencies.push(false);
			return;
		}
		const schemas = check.checks.flatMap((child, index) => {
			const result = compileCheck(child, type, [
				...path,
				"checks",
				index
			], dependencies);
			return result === void 0 ? [] : [result[0]];
		});
		if (schemas.length === 0) return void 0;
		const ordinary = collectJsonSchemaAnnotations(annotations, options);
		const schema = { allOf: schemas };
		return [ordinary === void 0 ? schema : {
			...schema,
			...ordinary
		}];
	}
	function recur(representation, path, dependencies) {
		if (representation._tag === "Reference") {
			dependencies.push(compileDefinition(representation.$ref, path).dependencies);
			return { $ref: formatDefinitionReference(representation.$ref) };
		}
		const cached = compiledRepresentations.get(representation);
		if (cached !== void 0) {
			dependencies.push(cached.dependencies);
			return cached.schema;
		}
		const local = [];
		dependencies.push(local);
		let output = {
			...on(representation, path, local),
			...collectJsonSchemaAnnotations(representation.annotations, options)
		};
		if (representation._tag === "String" && representation.content !== void 0) {
			const content = representation.content;
			output.contentMediaType = content.mediaType;
			delete output.contentSchema;
			if (content.schema !== void 0) output.contentSchema = recur(content.schema, [
				...path,
				"content",
				"schema"
			], []);
		}
		for (let index = 0; index < representation.checks.length; index++) {
			const type = typeof output.type === "string" && isJsonSchemaType(output.type) ? output.type : void 0;
			const check = compileCheck(representation.checks[index], type, [
				...path,
				"checks",
				index
			], local);
			if (check !== void 0) output = appendJsonSchema(output, ...check);
		}
		compiledRepresentations.set(representation, {
			schema: output,
			dependencies: local
		});
		return registerPendingOneOf(output);
	}
	function on(representation, path, dependencies) {
		switch (representation._tag) {
			case "Any":
			case "Unknown": return {};
			case "ObjectKeyword": return { anyOf: [{ type: "object" }, { type: "array" }] };
			case "Void":
			case "Undefined":
			case "Null": return { type: "null" };
			case "BigInt": return {
				type: "string",
				allOf: [{ pattern: "^-?\\d+$" }]
			};
			case "Symbol": return {
				type: "string",
				allOf: [{ pattern: "^Symbol\\(([\\s\\S]*)\\)$" }]
			};
			case "UniqueSymbol": return globalThis.Symbol.keyFor(representation.symbol) === void 0 ? { not: {} } : {
				type: "string",
				enum: [globalThis.String(representation.symbol)]
			};
			case "Declaration":
				dependencies.push(false);
				return {};
			case "Suspend": return recur(representation.thunk, [...path, "thunk"], dependencies);
			case "Never": return { not: {} };
			case "String": return { type: "string" };
			case "Number": return { anyOf: [{ type: "number" }, {
				type: "string",
				enum: [
					"NaN",
					"Infinity",
					"-Infinity"
				]
			}] };
			case "Boolean": return { type: "boolean" };
			case "Literal": {
				const literal = representation.literal;
				return typeof literal === "bigint" ? {
					type: "string",
					enum: [globalThis.String(literal)]
				} : {
					type: typeof literal,
					enum: [literal]
				};
			}
			case "Enum": {
				const types = representation.enums.map(([title, literal]) => ({
					type: typeof literal,
					enum: [literal],
					title
				}));
				return types.length === 0 ? { not: {} } : { anyOf: types };
			}
			case "TemplateLiteral": {
				const { exact, pattern } = getTemplateLiteralPattern(representation.parts);
				if (!exact) dependencies.push(false);
				return {
					type: "string",
					pattern
				};
			}
			case "Arrays": {
				const out = { type: "array" };
				let minItems = representation.elements.length;
				const prefixItems = representation.elements.map((element, index) => {
					if (element.isOptional) minItems--;
					return compileAnnotatedMember(element, [
						...path,
						"elements",
						index
					], dependencies);
				});
				if (prefixItems.length > 0) {
					out.prefixItems = prefixItems;
					out.maxItems = representation.elements.length;
					if (minItems > 0) out.minItems = minItems;
				} else out.items = false;
				if (representation.rest.length === 1) {
					delete out.maxItems;
					const rest = recur(representation.rest[0], [
						...path,
						"rest",
						0
					], dependencies);
					if (Object.keys(rest).length > 0) out.items = rest;
					else delete out.items;
				} else if (representation.rest.length > 1) {
					delete out.maxItems;
					delete out.items;
					out.minItems = minItems + representation.rest.length - 1;
					dependencies.push(false);
				}
				return out;
			}
			case "Objects": return compileObjects(representation, path, dependencies);
			case "Union": {
				const branches = [];
				const types = representation.types.map((type, index) => recur(type, [
					...path,
					"types",
					index
				], branches));
				dependencies.push(branches);
				if (types.length === 0) return { not: {} };
				if (representation.options?.mode === "oneOf") {
					pendingOneOf.set(types, {
						branches,
						schemas: []
					});
					return { oneOf: types };
				}
				if (types.length > 1) {
					const compacted = compactEnums(types);
					if (compacted !== void 0) return compacted;
				}
				return { anyOf: types.flatMap((type) => Array.isArray(type.anyOf) && Object.keys(type).length === 1 ? type.anyOf : [type]) };
			}
		}
	}
	function compileObjects(representation, path, dependencies) {
		const { indexSignatures, propertySignatures } = representation;
		if (propertySignatures.length === 0 && indexSignatures.length === 0) return { not: { type: "null" } };
		const out = { type: "object" };
		const properties = {};
		const required = [];
		for (const [index, property] of propertySignatures.entries()) {
			const propertyPath = [
				...path,
				"propertySignatures",
				index
			];
			if (typeof property.name !== "string") throw errorWithPath("Objects property names must be strings", [...propertyPath, "name"]);
			assignProperty(properties, property.name, compileAnnotatedMember(property, propertyPath, dependencies));
			if (!property.isOptional) required.push(property.name);
		}
		if (propertySignatures.length > 0) out.properties = properties;
		if (required.length > 0) out.required = required;
		const indexes = indexSignatures.map((signature, index) => {
			const indexPath = [
				...path,
				"indexSignatures",
				index
			];
			const schema = recur(signature.type, [...indexPath, "type"], dependencies);
			const type = equals(schema, { not: {} }) ? false : schema;
			const patterns = getParameterPatterns(signature.parameter, [...indexPath, "parameter"], /* @__PURE__ */ new Set());
			if (patterns === void 0) dependencies.push(false);
			return {
				type,
				patterns
			};
		});
		const patternProperties = {};
		for (const { patterns, type } of indexes) for (const pattern of patterns ?? []) {
			const previous = patternProperties[pattern];
			assignProperty(patternProperties, pattern, previous === void 0 ? type : previous === false || type === false ? false : registerPendingOneOf(appendJsonSchema(previous, type)));
		}
		const hasPatternProperties = Object.keys(patternProperties).length > 0;
		if (hasPatternProperties) out.patternProperties = patternProperties;
		const additionalPropertySchemas = indexes.filter(({ patterns }) => patterns?.length === 0).map(({ type }) => type);
		const hasUnrepresentableIndexPattern = indexes.some(({ patterns }) => patterns === void 0);
		if (hasUnrepresentableIndexPattern && options?.onExcessProperty === "error") {
			const propertyNames = [];
			if (propertySignatures.length > 0) propertyNames.push({ enum: Object.keys(properties) });
			for (const [index, signature] of indexSignatures.entries()) propertyNames.push(getPropertyNameSchema(signature.parameter, [
				...path,
				"indexSignatures",
				index,
				"parameter"
			], dependencies, /* @__PURE__ */ new Set()));
			out.propertyNames = propertyNames.length === 1 ? propertyNames[0] : { anyOf: propertyNames };
			const values = indexes.map(({ type }) => type);
			out.additionalProperties = values.length === 1 ? values[0] : { anyOf: values };
			if (additionalPropertySchemas.length > 0) out.allOf = additionalPropertySchemas.map((type) => ({
				type: "object",
				additionalProperties: type
			}));
		} else if (additionalPropertySchemas.length === 0) out.additionalProperties = hasUnrepresentableIndexPattern || options?.onExcessProperty !== "error";
		else if (additionalPropertySchemas.length === 1 && propertySignatures.length === 0 && !hasPatternProperties) out.additionalProperties = additionalPropertySchemas[0];
		else out.allOf = additionalPropertySchemas.map((type) => ({
			type: "object",
			additionalProperties: type
		}));
		if (typeof out.additionalProperties === "object" && out.additionalProperties !== null && Object.keys(out.additionalProperties).length === 0) delete out.additionalProperties;
		return out;
	}
	function getPropertyNameSchema(parameter, path, dependencies, seenReferences) {
		switch (parameter._tag) {
			case "Number": return {
				type: "string",
				pattern: numberKeyPattern
			};
			case "Reference":
				if (seenReferences.has(parameter.$ref)) return { type: "string" };
				return getPropertyNameSchema(references[parameter.$ref], ["references", parameter.$ref], dependencies, new Set(seenReferences).add(parameter.$ref));
			case "Union": return { anyOf: parameter.types.map((type) => getPropertyNameSchema(type, path, dependencies, seenReferences)) };
			default: return recur(parameter, path, dependencies);
		}
	}
	function getParameterPatterns(parameter, path, seenReferences) {
		switch (parameter._tag) {
			case "Reference": {
				compileDefinition(parameter.$ref, path);
				if (seenReferences.has(parameter.$ref)) return void 0;
				const next = new Set(seenReferences).add(parameter.$ref);
				return getParameterPatterns(references[parameter.$ref], ["references", parameter.$ref], next);
			}
			case "String": {
				if (parameter.checks.length === 0) return [];
				if (parameter.checks.length !== 1 || parameter.checks[0]._tag !== "Filter" || parameter.checks[0].annotations?.toJsonSchema === void 0) return;
				const dependencies = [];
				const schema = recur(parameter, path, dependencies);
				if (!isExact(dependencies)) return void 0;
				return schema.type === "string" && typeof schema.pattern === "string" && hasOnlyKeywords(schema, "|type|pattern|title|description|default|examples|readOnly|writeOnly|") ? [schema.pattern] : void 0;
			}
			case "TemplateLiteral": {
				if (parameter.checks.length > 0) return void 0;
				const { exact, pattern } = getTemplateLiteralPattern(parameter.parts);
				return exact ? [pattern] : void 0;
			}
			case "Union": {
				if (parameter.types.length === 0 || parameter.checks.length > 0 || parameter.options?.mode === "oneOf") return;
				const patterns = [];
				for (let index = 0; index < parameter.types.length; index++) {
					const memberPatterns = getParameterPatterns(parameter.types[index], [
						...path,
						"types",
						index
					], seenReferences);
					if (memberPatterns === void 0) return void 0;
					if (memberPatterns.length === 0) return [];
					patterns.push(...memberPatterns);
				}
				return patterns;
			}
			case "Number": return parameter.checks.length === 0 ? [numberKeyPattern] : void 0;
			default: throw errorWithPath(`Invalid index signature parameter ${parameter._tag}`, path);
		}
	}
	function getTemplateLiteralPattern(parts) {
		const activeReferences = /* @__PURE__ */ new Set();
		let exact = true;
		return {
			pattern: `^${parts.map(getPartPattern).join("")}$`,
			exact
		};
		function getPartPattern(part) {
			if (part._tag !== "Reference" && part.checks.length > 0) exact = false;
			switch (part._tag) {
				case "Reference": {
					if (!Object.hasOwn(references, part.$ref)) throw errorWithPath(`Invalid reference ${part.$ref}`, []);
					if (activeReferences.has(part.$ref)) throw errorWithPath(`Invalid recursive TemplateLiteral part ${part.$ref}`, []);
					activeReferences.add(part.$ref);
					const pattern = getPartPattern(references[part.$ref]);
					activeReferences.delete(part.$ref);
					return pattern;
				}
				case "Literal": return escape(globalThis.String(part.literal));
				case "String": return STRING_PATTERN;
				case "Number": return FINITE_PATTERN;
				case "BigInt": return "-?\\d+";
				case "TemplateLiteral": return part.parts.map(getPartPattern).join("");
				case "Union":
					if (part.types.length === 0) return "(?!)";
					if (part.options?.mode === "oneOf") exact = false;
					return `(?:${part.types.map(getPartPattern).join("|")})`;
				default: throw errorWithPath(`Invalid TemplateLiteral part ${part._tag}`, []);
			}
		}
	}
}
function isJsonSchemaType(input) {
	return input === "string" || input === "number" || input === "boolean" || input === "array" || input === "object" || input === "null" || input === "integer";
}
function compactEnums(schemas) {
	let sharedType = void 0;
	const values = [];
	for (const schema of schemas) {
		if (Object.keys(schema).length !== 2 || schema.type === void 0 || !Array.isArray(schema.enum) || schema.enum.length === 0) return;
		if (sharedType === void 0) sharedType = schema.type;
		else if (schema.type !== sharedType) return void 0;
		for (const value of schema.enum) {
			if (values.includes(value)) return void 0;
			values.push(value);
		}
	}
	return {
		type: sharedType,
		enum: values
	};
}
/** @internal */
function toJsonSchemaMultiDocument(document, options) {
	return compileJsonSchema(document.representations, document.representations.map((_, index) => ["representations", index]), document.references, options);
}

// node_modules/effect/dist/internal/schema/toRepresentation.js
const defaultReferencePolicy = ({ identifier }) => identifier;
function annotationsField(annotations) {
	return annotations === void 0 ? void 0 : { annotations };
}
/** @internal */
function toRepresentations(asts, options) {
	const references = {};
	const usedReferences = /* @__PURE__ */ new Set();
	const candidates = /* @__PURE__ */ new Map();
	for (const ast of asts) visit(ast);
	const referencePolicy = options?.referencePolicy ?? defaultReferencePolicy;
	for (const variants of candidates.values()) for (const candidate of variants) {
		const requestedReference = referencePolicy({
			ast: candidate.ast,
			occurrences: candidate.occurrences,
			identifier: candidate.identifier
		});
		if (requestedReference !== void 0) candidate.reference = getReference(requestedReference, requestedReference === candidate.identifier || !requestedReference.endsWith("_") ? "_" : "");
		else if (candidate.isRecursive) candidate.reference = getReference(`${candidate.ast._tag}_`, "");
	}
	return {
		representations: map$1(asts, recur),
		references
	};
	function getReference(prefix, separator) {
		let candidate = prefix;
		let suffix = 0;
		while (usedReferences.has(candidate)) candidate = `${prefix}${separator}${++suffix}`;
		usedReferences.add(candidate);
		return candidate;
	}
	function annotateReference(ast, candidate, reference) {
		const fallback = candidate.fallback;
		if (fallback !== void 0) return resolveIdentifierFallback(ast) === fallback ? ast : annotate(ast, { [IDENTIFIER_FALLBACK_KEY]: fallback });
		return reference === candidate.identifier ? ast : annotate(ast, { identifier: reference });
	}
	function getCandidate(input, encodingLength = input.encoding?.length ?? 0) {
		let ast = input;
		let content;
		while (ast.encoding !== void 0 && encodingLength > 0) {
			const last = ast.encoding[encodingLength - 1];
			if (last.to.encoding === void 0 && last.to._tag === "String") {
				const metadata = getContent(last.transformation.encode);
				if (metadata !== void 0) content = {
					mediaType: metadata.mediaType,
					schema: metadata.preserveSchema ? getCandidate(ast, encodingLength - 1) : void 0
				};
			}
			ast = last.to;
			encodingLength = ast.encoding?.length ?? 0;
		}
		const owner = getContextOwner(ast);
		let identifier = resolveIdentifier(ast);
		const fallback = identifier === void 0 ? (ast !== input ? resolveIdentifier(input) : void 0) ?? resolveIdentifierFallback(ast) : void 0;
		if (fallback !== void 0) identifier = `${fallback}Encoded`;
		let variants = candidates.get(owner);
		if (variants === void 0) {
			variants = [];
			candidates.set(owner, variants);
		}
		let candidate = variants.find((candidate) => candidate.identifier === identifier && candidate.content?.mediaType === content?.mediaType && candidate.content?.schema === content?.schema);
		if (candidate === void 0) {
			candidate = {
				ast: owner,
				identifier,
				fallback,
				content,
				occurrences: 0
			};
			variants.push(candidate);
		}
		return candidate;
	}
	function visit(input) {
		visitCandidate(getCandidate(input));
		return input;
	}
	function visitCandidate(candidate) {
		const ast = candidate.ast;
		candidate.occurrences++;
		if (candidate.visiting) {
			candidate.isRecursive = true;
			return;
		}
		if (candidate.occurrences > 1) return;
		candidate.visiting = true;
		if (candidate.content?.schema !== void 0) visitCandidate(candidate.content.schema);
		visitChecks(ast.checks);
		switch (ast._tag) {
			default:
				if ("recur" in ast) ast.recur(visit);
				break;
			case "TemplateLiteral":
				ast.parts.forEach(visit);
				break;
			case "Suspend": visit(ast.thunk());
		}
		candidate.visiting = false;
	}
	function visitChecks(checks) {
		checks?.forEach((check) => {
			check.annotations?.representation?.schemas?.forEach((schema) => visit(toType(schema)));
			if (check._tag === "FilterGroup") visitChecks(check.checks);
		});
	}
	function recur(input) {
		return recurCandidate(getCandidate(input));
	}
	function recurCandidate(candidate) {
		const ast = candidate.ast;
		const reference = candidate.reference;
		if (reference !== void 0) {
			if (!candidate.emitted) {
				candidate.emitted = true;
				const representation = on(candidate.identifier === void 0 ? ast : annotateReference(ast, candidate, reference), candidate.content);
				assignProperty(references, reference, representation);
			}
			return {
				_tag: "Reference",
				$ref: reference
			};
		}
		return on(ast, candidate.content);
	}
	function on(ast, content) {
		const common = {
			checks: ast.checks?.map(fromCheck) ?? [],
			...ast._tag === "Declaration" ? fromAnnotations(ast.annotations) : annotationsField(ast.annotations)
		};
		switch (ast._tag) {
			case "Declaration": return {
				_tag: ast._tag,
				typeParameters: ast.typeParameters.map(recur),
				...common
			};
			default: return {
				_tag: ast._tag,
				...content === void 0 ? void 0 : { content: {
					mediaType: content.mediaType,
					...content.schema === void 0 ? void 0 : { schema: recurCandidate(content.schema) }
				} },
				...common
			};
			case "Literal": return {
				_tag: ast._tag,
				literal: ast.literal,
				...common
			};
			case "UniqueSymbol": return {
				_tag: ast._tag,
				symbol: ast.symbol,
				...common
			};
			case "Enum": return {
				_tag: ast._tag,
				enums: ast.enums,
				...common
			};
			case "TemplateLiteral": return {
				_tag: ast._tag,
				parts: ast.parts.map(recur),
				...common
			};
			case "Arrays": return {
				_tag: ast._tag,
				elements: ast.elements.map((element) => {
					const projected = getLastEncoding(element);
					const annotations = projected.context?.annotations;
					return {
						isOptional: isOptional(projected),
						type: recur(element),
						...annotationsField(annotations)
					};
				}),
				rest: ast.rest.map(recur),
				...common
			};
			case "Objects": return {
				_tag: ast._tag,
				propertySignatures: ast.propertySignatures.map((property) => {
					const projected = getLastEncoding(property.type);
					const annotations = projected.context?.annotations;
					return {
						name: property.name,
						type: recur(property.type),
						isOptional: isOptional(projected),
						isMutable: isMutable(projected),
						...annotationsField(annotations)
					};
				}),
				indexSignatures: ast.indexSignatures.map((index) => ({
					parameter: recur(index.parameter),
					type: recur(index.type)
				})),
				...common
			};
			case "Union": return {
				_tag: ast._tag,
				types: ast.types.map(recur),
				...ast.options === void 0 ? {} : { options: ast.options },
				...common
			};
			case "Suspend": return {
				_tag: ast._tag,
				...common,
				checks: [],
				thunk: recur(ast.thunk())
			};
		}
	}
	function fromCheck(check) {
		return {
			...check._tag === "Filter" ? {
				_tag: check._tag,
				aborted: check.aborted
			} : {
				_tag: check._tag,
				checks: map$1(check.checks, fromCheck)
			},
			...fromAnnotations(check.annotations, true)
		};
	}
	function fromAnnotations(annotations, projectSchemas = false) {
		if (annotations === void 0) return void 0;
		const { representation, ...ordinary } = annotations;
		const projected = projectSchemas && representation?.schemas !== void 0 ? {
			...representation,
			schemas: representation.schemas.map((schema) => recur(toType(schema)))
		} : representation;
		return {
			...projected === void 0 ? void 0 : { representation: projected },
			...Object.keys(ordinary).length === 0 ? void 0 : { annotations: ordinary }
		};
	}
}

// node_modules/effect/dist/http/HttpMethod.js
/**
* Defines supported HTTP method names for the unstable HTTP modules.
*
* Values are uppercase string literals such as `"GET"` and `"POST"`, matching
* the method tokens used by HTTP requests and routes. This module also includes
* helpers for checking whether a method can carry a request body and whether an
* unknown value is one of the supported methods.
*
* @stability unstable
* @since 4.0.0
*/
function hasBody(method) {
	return method !== "GET" && method !== "HEAD" && method !== "OPTIONS" && method !== "TRACE";
}
/**
* Provides tuples mapping each supported HTTP method to its short
* request-constructor name.
*
* **When to use**
*
* Use when you need the mapping from supported HTTP method literals to their
* short request-constructor names.
*
* @stability unstable
* @category constants
* @since 4.0.0
*/
const allShort = [
	["GET", "get"],
	["POST", "post"],
	["PUT", "put"],
	["DELETE", "del"],
	["PATCH", "patch"],
	["HEAD", "head"],
	["OPTIONS", "options"],
	["TRACE", "trace"],
	["QUERY", "query"]
];

// node_modules/effect/dist/http/HttpStatus.js
/**
* Named HTTP status codes for the unstable HTTP modules.
*
* This module centralizes the mapping from literal names of the known HTTP
* status codes, such as `"OK"` and `"Conflict"`, to their numeric codes. Use
* {@link fromLiteral} to obtain a status code from a literal name instead of
* remembering raw numbers.
*
* @stability unstable
* @since 4.0.0
*/
const codeByLiteral = {
	Continue: 100,
	SwitchingProtocols: 101,
	Processing: 102,
	EarlyHints: 103,
	OK: 200,
	Ok: 200,
	Created: 201,
	Accepted: 202,
	NonAuthoritativeInformation: 203,
	NoContent: 204,
	ResetContent: 205,
	PartialContent: 206,
	MultiStatus: 207,
	AlreadyReported: 208,
	ImUsed: 226,
	MultipleChoices: 300,
	MovedPermanently: 301,
	Found: 302,
	SeeOther: 303,
	NotModified: 304,
	TemporaryRedirect: 307,
	PermanentRedirect: 308,
	BadRequest: 400,
	Unauthorized: 401,
	PaymentRequired: 402,
	Forbidden: 403,
	NotFound: 404,
	MethodNotAllowed: 405,
	NotAcceptable: 406,
	ProxyAuthenticationRequired: 407,
	RequestTimeout: 408,
	Conflict: 409,
	Gone: 410,
	LengthRequired: 411,
	PreconditionFailed: 412,
	PayloadTooLarge: 413,
	UriTooLong: 414,
	UnsupportedMediaType: 415,
	RangeNotSatisfiable: 416,
	ExpectationFailed: 417,
	ImATeapot: 418,
	MisdirectedRequest: 421,
	UnprocessableEntity: 422,
	Locked: 423,
	FailedDependency: 424,
	TooEarly: 425,
	UpgradeRequired: 426,
	PreconditionRequired: 428,
	TooManyRequests: 429,
	RequestHeaderFieldsTooLarge: 431,
	UnavailableForLegalReasons: 451,
	InternalServerError: 500,
	NotImplemented: 501,
	BadGateway: 502,
	ServiceUnavailable: 503,
	GatewayTimeout: 504,
	HttpVersionNotSupported: 505,
	VariantAlsoNegotiates: 506,
	InsufficientStorage: 507,
	LoopDetected: 508,
	NotExtended: 510,
	NetworkAuthenticationRequired: 511
};
/**
* Returns the numeric HTTP status code for a literal name.
*
* **Example** (Obtaining status codes from literal names)
*
* ```ts import.meta.vitest
* import { HttpStatus } from "effect/http"
*
* HttpStatus.fromLiteral("OK") // => 200
* HttpStatus.fromLiteral("Conflict") // => 409
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromLiteral = (literal) => codeByLiteral[literal];

// node_modules/effect/dist/socket/Socket.js
/**
* Runtime type identifier attached to `Socket` services.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$8 = "~effect/socket/Socket";
/**
* Returns `true` when a value is a `Socket`.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isSocket = (u) => hasProperty(u, TypeId$8);
/**
* Service tag for bidirectional socket transports.
*
* **When to use**
*
* Use to access or provide the socket implementation used by programs that
* read and write frames through the Effect environment.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Socket = /*#__PURE__*/ Service$1("effect/socket/Socket");
/**
* Constructs a `Socket` from a reader acquisition and a scoped writer.
*
* **Details**
*
* The reader must fail a suspended pull when its acquisition scope closes; see
* `Socket` for why. A reader that leaves a pull blocked forever will hang any
* consumer that shuts the socket down by closing that scope.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$11 = (options) => Socket.of({
	[TypeId$8]: TypeId$8,
	reader: options.reader,
	writer: options.writer
});
const encoder = /*#__PURE__*/ new TextEncoder();
const CloseEventTypeId = "~effect/socket/Socket/CloseEvent";
/**
* Returns `true` when a value is a `CloseEvent`.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isCloseEvent = (u) => hasProperty(u, CloseEventTypeId);
/**
* Runtime type identifier attached to `SocketError` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const SocketErrorTypeId = "~effect/socket/Socket/SocketError";
/**
* Returns `true` when a value is a `SocketError`.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isSocketError = (u) => hasProperty(u, SocketErrorTypeId);
/**
* Typed error for failures that occur while reading from a socket.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var SocketReadError = class extends (/*#__PURE__*/ Error$2("effect/socket/Socket/SocketReadError")({
	_tag: /*#__PURE__*/ tag("SocketReadError"),
	cause: /*#__PURE__*/ Defect()
})) {
	/**
	* Default message used for socket read failures.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	message = `An error occurred during Read`;
};
/**
* Typed error for failures that occur while writing to a socket.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var SocketWriteError = class extends (/*#__PURE__*/ Error$2("effect/socket/Socket/SocketWriteError")({
	_tag: /*#__PURE__*/ tag("SocketWriteError"),
	cause: /*#__PURE__*/ Defect()
})) {
	/**
	* Default message used for socket write failures.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	message = `An error occurred during Write`;
};
/**
* Typed error for failures that occur while opening a socket, including
* unknown open failures and open timeouts.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var SocketOpenError = class extends (/*#__PURE__*/ Error$2("effect/socket/Socket/SocketOpenError")({
	_tag: /*#__PURE__*/ tag("SocketOpenError"),
	kind: /*#__PURE__*/ Literals(["Unknown", "Timeout"]),
	cause: /*#__PURE__*/ Defect()
})) {
	/**
	* Formats timeout and unknown open failures for display.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return this.kind === "Timeout" ? `timeout waiting for "open"` : `An error occurred during Open`;
	}
};
/**
* Typed error for an unsupported or failed in-place TLS upgrade.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var SocketUpgradeError = class SocketUpgradeError extends (/*#__PURE__*/ Error$2("effect/socket/Socket/SocketUpgradeError")({
	_tag: /*#__PURE__*/ tag("SocketUpgradeError"),
	cause: /*#__PURE__*/ optional(/*#__PURE__*/ Defect())
})) {
	/**
	* An upgrade implementation for transports that cannot wrap the connection
	* with TLS.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	static unsupported = () => fail$1(new SocketError({ reason: new SocketUpgradeError({}) }));
	get message() {
		return this.cause === void 0 ? `Socket does not support TLS upgrade` : `An error occurred during TLS upgrade`;
	}
};
/**
* Typed error for a socket close, carrying the close code and optional close
* reason.
*
* **Details**
*
* Sockets never classify closes: any close, whatever the code, fails the
* reader with a `SocketError` wrapping this reason. Consumers that treat a
* close as normal catch it.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var SocketCloseError = class extends (/*#__PURE__*/ Error$2("effect/socket/Socket/SocketCloseError")({
	_tag: /*#__PURE__*/ tag("SocketCloseError"),
	code: Int,
	closeReason: /*#__PURE__*/ optional(String$2)
})) {
	get message() {
		if (this.closeReason) return `${this.code}: ${this.closeReason}`;
		return `${this.code}`;
	}
};
/**
* Schema for all socket-specific error reasons.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
const SocketErrorReason = /*#__PURE__*/ Union([
	SocketReadError,
	SocketWriteError,
	SocketOpenError,
	SocketUpgradeError,
	SocketCloseError
]);
/**
* Tagged error that wraps socket read, write, open, upgrade, and close failures
* while preserving the underlying reason.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var SocketError = class extends (/*#__PURE__*/ TaggedError$1(SocketErrorTypeId)("SocketError", {
	_tag: /*#__PURE__*/ tag("SocketError"),
	reason: SocketErrorReason
})) {
	constructor(props) {
		if ("cause" in props.reason) super({
			...props,
			cause: props.reason.cause
		});
		else super(props);
	}
	/**
	* Marks this value as a socket error wrapper for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[SocketErrorTypeId] = SocketErrorTypeId;
	/**
	* Returns `true` when the value is a `SocketError`.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	static is(u) {
		return isSocketError(u);
	}
	message = this.reason.message;
};
const closeError = (code, closeReason) => new SocketError({ reason: new SocketCloseError({
	code,
	closeReason
}) });
const isPausable = (ws) => "pause" in ws && typeof ws.pause === "function";
/**
* Builds a `Socket` from a scoped WebSocket acquisition effect.
*
* **Details**
*
* Reader acquisition runs `acquire`, attaches event listeners, then waits for
* the socket to open. Implementations exposing `pause`/`resume` (the `ws`
* package) remain flowing until buffered frames reach the configured
* `highWaterMark` (64 KiB by default). Draining the buffer resumes the
* transport. Incoming frames that arrive in the same tick are coalesced into
* one batch. Implementations without pause (browsers) buffer incoming frames,
* optionally failing the socket with a `SocketReadError` when `highWaterMark`
* bytes are exceeded (default unbounded). Message boundaries survive: each
* pulled batch contains one element per frame.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromWebSocket = (acquire, options) => withFiber((fiber) => {
	let currentWS;
	const latch = makeUnsafe$1(false);
	const acquireContext = fiber.context;
	const reader = gen(function* () {
		const scope$1 = yield* scope;
		const ws = yield* provide(acquire, scope$1);
		if ("binaryType" in ws) ws.binaryType = "arraybuffer";
		const pausable = isPausable(ws);
		const highWaterMark = options?.highWaterMark ?? (pausable ? defaultHighWaterMark : void 0);
		let open = ws.readyState === 1;
		let paused = pausable && "isPaused" in ws && ws.isPaused === true;
		let buffer = [];
		let bufferSize = 0;
		let error;
		let waiter;
		let openWaiter;
		function pauseWebSocket() {
			if (!pausable || paused) return;
			ws.pause();
			paused = true;
		}
		function resumeWebSocket() {
			if (!pausable || !paused) return;
			ws.resume();
			paused = false;
		}
		function takeBuffer() {
			const chunk = buffer;
			buffer = [];
			bufferSize = 0;
			if (error === void 0) resumeWebSocket();
			return chunk;
		}
		function deliver() {
			if (waiter === void 0 || buffer.length === 0) return;
			const resume = waiter;
			waiter = void 0;
			resume(succeed(takeBuffer()));
		}
		function push(data) {
			buffer.push(data);
			if (highWaterMark !== void 0) bufferSize += typeof data === "string" ? encoder.encode(data).byteLength : data.byteLength;
			if (waiter !== void 0) deliver();
			if (pausable && bufferSize >= highWaterMark) pauseWebSocket();
			else if (!pausable && !waiter && highWaterMark !== void 0 && bufferSize > highWaterMark) fail(new SocketError({ reason: new SocketReadError({ cause: /* @__PURE__ */ new Error(`Socket highWaterMark of ${highWaterMark} bytes exceeded`) }) }));
		}
		function fail(err) {
			if (error === void 0) error = err;
			if (openWaiter !== void 0) {
				const { cleanup, resume } = openWaiter;
				openWaiter = void 0;
				cleanup();
				resume(fail$1(error));
			}
			if (waiter !== void 0) {
				const resume = waiter;
				waiter = void 0;
				resume(buffer.length > 0 ? succeed(takeBuffer()) : fail$1(error));
			}
		}
		function onMessage(event) {
			const data = event.data;
			if (typeof Blob !== "undefined" && data instanceof Blob) {
				data.arrayBuffer().then((buf) => push(new Uint8Array(buf)), (cause) => {
					fail(new SocketError({ reason: new SocketReadError({ cause }) }));
				});
				return;
			}
			push(data instanceof ArrayBuffer ? new Uint8Array(data) : data);
		}
		function onError(event) {
			fail(new SocketError({ reason: open ? new SocketReadError({ cause: event }) : new SocketOpenError({
				kind: "Unknown",
				cause: event
			}) }));
		}
		function onClose(event) {
			fail(closeError(typeof event.code === "number" ? event.code : 1006, event.reason));
		}
		ws.addEventListener("message", onMessage);
		ws.addEventListener("error", onError, { once: true });
		ws.addEventListener("close", onClose, { once: true });
		yield* addFinalizer(scope$1, sync(() => {
			fail(closeError(1006));
			ws.removeEventListener("message", onMessage);
			ws.addEventListener("error", constVoid);
			ws.removeEventListener("error", onError);
			ws.removeEventListener("close", onClose);
			if (pausable) try {
				resumeWebSocket();
			} catch {}
			latch.closeUnsafe();
			currentWS = void 0;
		}));
		if (ws.readyState >= 2) return yield* fail$1(error ?? closeError(1006));
		if (!open) {
			yield* callback((resume) => {
				const onOpen = () => {
					if (openWaiter?.resume !== resume) return;
					openWaiter = void 0;
					ws.removeEventListener("open", onOpen);
					resume(void_);
				};
				const cleanup = () => ws.removeEventListener("open", onOpen);
				openWaiter = {
					resume,
					cleanup
				};
				ws.addEventListener("open", onOpen, { once: true });
				return sync(() => {
					if (openWaiter?.resume === resume) openWaiter = void 0;
					cleanup();
				});
			}).pipe(timeoutOrElse({
				duration: options?.openTimeout ?? 1e4,
				orElse: () => fail$1(new SocketError({ reason: new SocketOpenError({
					kind: "Timeout",
					cause: /* @__PURE__ */ new Error("timeout waiting for \"open\"")
				}) }))
			}));
			open = true;
		}
		if (error === void 0 && bufferSize < highWaterMark) resumeWebSocket();
		currentWS = ws;
		latch.openUnsafe();
		return {
			pull: callback((resume) => {
				if (buffer.length > 0) return resume(succeed(takeBuffer()));
				if (error !== void 0) return resume(fail$1(error));
				waiter = resume;
				return sync(() => {
					if (waiter === resume) waiter = void 0;
				});
			}),
			upgrade: SocketUpgradeError.unsupported
		};
	}).pipe(updateContext((input) => merge(acquireContext, input)));
	const write = (chunk) => suspend(() => {
		const ws = currentWS;
		if (ws === void 0) return latch.whenOpen(write(chunk));
		try {
			if (isCloseEvent(chunk)) ws.close(chunk.code, chunk.reason);
			else ws.send(chunk);
			return void_;
		} catch (cause) {
			return fail$1(new SocketError({ reason: new SocketWriteError({ cause }) }));
		}
	});
	const writeAll = (chunks) => suspend(() => {
		const ws = currentWS;
		if (ws === void 0) return latch.whenOpen(writeAll(chunks));
		try {
			for (let i = 0; i < chunks.length; i++) ws.send(chunks[i]);
			return void_;
		} catch (cause) {
			return fail$1(new SocketError({ reason: new SocketWriteError({ cause }) }));
		}
	});
	const writer = succeed({
		write,
		writeAll
	});
	return succeed(make$11({
		reader,
		writer
	}));
});
const defaultHighWaterMark = 65536;

// node_modules/effect/dist/http-api/internal/mediaType.js
/**
* @internal
*/
function normalize(contentType) {
	const normalized = contentType.toLowerCase().trim();
	const index = normalized.indexOf(";");
	return index === -1 ? normalized : normalized.slice(0, index).trim();
}

// node_modules/effect/dist/http-api/HttpApiSchema.js
const StreamSchemaTypeId = "~effect/http-api/HttpApiSchema/Stream";
/**
* @stability unstable
*/
function status(code) {
	const statusCode = typeof code === "string" ? fromLiteral(code) : code;
	return (self) => findHttpApiStatusAnnotation(self.ast) === void 0 ? self.annotateKey({ httpApiStatus: statusCode }) : self.annotate({ httpApiStatus: statusCode });
}
/**
* Creates a void schema with the given HTTP status code.
* This is used to represent empty responses with a specific status code.
*
* @see {@link NoContent} for the predefined 204 no content schema.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Empty$1 = (code) => Void.pipe(status(code));
/**
* Schema for empty HTTP responses with status code 204.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const NoContent = /*#__PURE__*/ Empty$1(204);
/**
* @internal
*/
const isStreamSchema = (u) => isSchema(u) && hasProperty(u, StreamSchemaTypeId);
/**
* @internal
*/
const isStreamSse = (u) => isStreamSchema(u) && u._tag === "StreamSse";
/**
* @internal
*/
const isStreamUint8Array = (u) => isStreamSchema(u) && u._tag === "StreamUint8Array";
/**
* @internal
*/
const isStreamNdjson = (u) => isStreamSchema(u) && u._tag === "StreamNdjson";
const UpgradeTypeId = "~effect/http-api/HttpApiSchema/Upgrade";
const upgradeSchema = /*#__PURE__*/ declare(isSocket).pipe(/*#__PURE__*/ status(101));
/**
* @internal
*/
const rebuildUpgrade = (protocol, headers) => make$16(upgradeSchema.ast, {
	[UpgradeTypeId]: UpgradeTypeId,
	protocol,
	headers
});
/**
* @internal
*/
const isUpgrade = (u) => isSchema(u) && hasProperty(u, UpgradeTypeId);
/**
* Runtime brand key used to mark `WithHeaders` response schemas.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const WithHeadersTypeId = "~effect/http-api/HttpApiSchema/WithHeaders";
/**
* Runtime brand key used to mark `WithHeaders` response values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const WithHeadersValueTypeId = "~effect/http-api/HttpApiSchema/WithHeadersValue";
/**
* @internal
*/
const isWithHeadersValue = (u) => hasProperty(u, WithHeadersValueTypeId);
/**
* Returns `true` when a schema is a `WithHeaders` response schema.
*
* **Example** (Detecting a response headers schema)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { HttpApiSchema } from "effect/http-api"
*
* const schema = HttpApiSchema.WithHeaders(Schema.String, {
*   "x-request-id": Schema.String
* })
*
* HttpApiSchema.isWithHeaders(schema) // => true
* HttpApiSchema.isWithHeaders(Schema.String) // => false
* ```
*
* @stability unstable
* @category predicates
* @since 4.0.0
*/
const isWithHeaders = (u) => isSchema(u) && hasProperty(u, "~effect/http-api/HttpApiSchema/WithHeaders");
/**
* @internal
*/
function rebuildWithHeaders(self, schema, headers) {
	return make$16(self.ast, {
		[WithHeadersTypeId]: WithHeadersTypeId,
		schema,
		headers
	});
}
function asNonMultipartEncoding(self, options) {
	return self.annotate({ "~httpApiEncoding": {
		_tag: options._tag,
		contentType: options.contentType ?? defaultContentType$1(options._tag)
	} });
}
function defaultContentType$1(_tag) {
	switch (_tag) {
		case "Multipart": return "multipart/form-data";
		case "Json": return "application/json";
		case "FormUrlEncoded": return "application/x-www-form-urlencoded";
		case "Uint8Array": return "application/octet-stream";
		case "Text": return "text/plain";
	}
}
/**
* Marks a schema as an `application/x-www-form-urlencoded` payload or response.
*
* **Details**
*
* The schema's encoded side must be a record of strings.
*
* **Gotchas**
*
* Fields are flat on the server. A field that encodes to a nested object is
* sent as bracket keys that the server does not read back; use an explicit
* codec such as `Schema.fromJsonString(...)` for structured values.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
function asFormUrlEncoded(options) {
	return (self) => asNonMultipartEncoding(self, {
		_tag: "FormUrlEncoded",
		...options
	});
}
/**
* Returns `true` when a schema AST represents a no-content response.
*
* **Details**
*
* The check succeeds for direct `void` schemas and schemas whose encoded or
* transformation target is `void`.
*
* @stability unstable
* @category predicates
* @since 4.0.0
*/
const isNoContent = (ast) => {
	if (isVoid(ast)) return true;
	const encoded = toEncoded(ast);
	if (isVoid(encoded)) return true;
	const target = ast.encoding?.[0].to;
	if (target === void 0) return false;
	return isVoid(target);
};
const resolveHttpApiEncoding = /*#__PURE__*/ resolveAt("~httpApiEncoding");
/**
* @internal
*/
const getWithHeadersAnnotation = /*#__PURE__*/ resolveAt("~httpApiWithHeaders");
function findHttpApiStatusAnnotation(ast) {
	if (ast.checks) for (let i = ast.checks.length - 1; i >= 0; i--) {
		const check = ast.checks[i];
		if (check.annotations && "httpApiStatus" in check.annotations) return check.annotations;
		if (check._tag === "FilterGroup") {
			const annotations = findHttpApiStatusAnnotation(check);
			if (annotations !== void 0) return annotations;
		}
	}
	const annotations = ast.annotations;
	return annotations && "httpApiStatus" in annotations ? annotations : void 0;
}
function resolveHttpApiStatus(ast) {
	const annotations = findHttpApiStatusAnnotation(ast);
	if (annotations !== void 0) return annotations.httpApiStatus;
	return ast.context?.annotations?.httpApiStatus;
}
const defaultJsonEncoding = {
	_tag: "Json",
	contentType: "application/json"
};
const defaultUrlEncodedEncoding = {
	_tag: "FormUrlEncoded",
	contentType: "application/x-www-form-urlencoded"
};
function getEncoding(ast) {
	return resolveHttpApiEncoding(ast) ?? defaultJsonEncoding;
}
/**
* @internal
*/
function getPayloadEncoding(ast, method) {
	const encoding = resolveHttpApiEncoding(ast);
	if (encoding) return encoding;
	return hasBody(method) ? defaultJsonEncoding : defaultUrlEncodedEncoding;
}
/**
* @internal
*/
function getResponseEncoding(ast) {
	const out = getEncoding(ast);
	if (out._tag === "Multipart") throw new Error("Multipart is not supported in response");
	return out;
}
/**
* @internal
*/
function getStatusSuccess(self) {
	return resolveHttpApiStatus(self) ?? 200;
}
/**
* @internal
*/
function getStatusSuccessSchema(schema) {
	if (isWithHeaders(schema)) return resolveHttpApiStatus(schema.ast) ?? getStatusSuccess(schema.schema.ast);
	return getStatusSuccess(schema.ast);
}
/**
* @internal
*/
function getResponseEncodingSchema(schema) {
	if (isWithHeaders(schema) && resolveHttpApiEncoding(schema.ast) === void 0) return getResponseEncoding(schema.schema.ast);
	return getResponseEncoding(schema.ast);
}
/**
* @internal
*/
function getStatusError(self) {
	return resolveHttpApiStatus(self) ?? 500;
}
/**
* @internal
*/
function getStatusErrorSchema(schema) {
	if (isWithHeaders(schema)) return resolveHttpApiStatus(schema.ast) ?? getStatusError(schema.schema.ast);
	return getStatusError(schema.ast);
}

// node_modules/effect/dist/http/FindMyWay/internal/queryString.js
/**
* @since 1.0.0
*/
const plusRegex = /\+/g;
const Empty = function() {};
Empty.prototype = /*#__PURE__*/ Object.create(null);
/**
* @category parsing
* @since 1.0.0
*/
function parse$1(input) {
	const result = new Empty();
	if (typeof input !== "string") return result;
	const inputLength = input.length;
	let key = "";
	let value = "";
	let startingIndex = -1;
	let equalityIndex = -1;
	let shouldDecodeKey = false;
	let shouldDecodeValue = false;
	let keyHasPlus = false;
	let valueHasPlus = false;
	let hasBothKeyValuePair = false;
	let c = 0;
	for (let i = 0; i < inputLength + 1; i++) {
		c = i !== inputLength ? input.charCodeAt(i) : 38;
		if (c === 38) {
			hasBothKeyValuePair = equalityIndex > startingIndex;
			if (!hasBothKeyValuePair) equalityIndex = i;
			key = input.slice(startingIndex + 1, equalityIndex);
			if (hasBothKeyValuePair || key.length > 0) {
				if (keyHasPlus) key = key.replace(plusRegex, " ");
				if (shouldDecodeKey) try {
					key = decodeURIComponent(key) || key;
				} catch {}
				if (hasBothKeyValuePair) {
					value = input.slice(equalityIndex + 1, i);
					if (valueHasPlus) value = value.replace(plusRegex, " ");
					if (shouldDecodeValue) try {
						value = decodeURIComponent(value) || value;
					} catch {}
				}
				const currentValue = result[key];
				if (currentValue === void 0) result[key] = value;
				else if (currentValue.pop) currentValue.push(value);
				else result[key] = [currentValue, value];
			}
			value = "";
			startingIndex = i;
			equalityIndex = i;
			shouldDecodeKey = false;
			shouldDecodeValue = false;
			keyHasPlus = false;
			valueHasPlus = false;
		} else if (c === 61) {
			if (equalityIndex <= startingIndex) equalityIndex = i;
			else shouldDecodeValue = true;
		} else if (c === 43) {
			if (equalityIndex > startingIndex) valueHasPlus = true;
			else keyHasPlus = true;
		} else if (c === 37) {
			if (equalityIndex > startingIndex) shouldDecodeValue = true;
			else shouldDecodeKey = true;
		}
	}
	return result;
}

// node_modules/effect/dist/http/FindMyWay/internal/router.js
const FULL_PATH_REGEXP = /^https?:\/\/.*?\//;
const OPTIONAL_PARAM_REGEXP = /(\/:[^/()]*?)\?(\/?)/;
const emptyParamsArray = [];
const CLEAN_SINGLE_PARAM_REGEXP = /^[^:*(]*\/:[^/:*(.-]+$/;
const isCleanSingleTrailingParam = (path) => CLEAN_SINGLE_PARAM_REGEXP.test(path);
/**
* @internal
*/
const make$10 = (options = {}) => new RouterImpl(options);
/** @internal */
const getMaxParamLengthExceeded = (router) => {
	const impl = router;
	return impl.maxParamLengthExceeded ? impl.options.maxParamLength : void 0;
};
var RouterImpl = class {
	constructor(options = {}) {
		this.options = {
			ignoreTrailingSlash: true,
			ignoreDuplicateSlashes: true,
			caseSensitive: false,
			maxParamLength: 100,
			...options
		};
	}
	options;
	maxParamLengthExceeded = false;
	routes = [];
	trees = /*#__PURE__*/ Object.create(null);
	staticRoutes = /*#__PURE__*/ Object.create(null);
	singleParamRoutes = /*#__PURE__*/ Object.create(null);
	singleParamDisabled = /*#__PURE__*/ Object.create(null);
	brothersNodesStack = [];
	singleParamArray = [""];
	on(method, path, handler) {
		const optionalParamMatch = path.match(OPTIONAL_PARAM_REGEXP);
		if (optionalParamMatch && optionalParamMatch.index !== void 0) {
			assert(path.length === optionalParamMatch.index + optionalParamMatch[0].length, "Optional Parameter needs to be the last parameter of the path");
			const pathFull = path.replace(OPTIONAL_PARAM_REGEXP, "$1$2");
			const pathOptional = path.replace(OPTIONAL_PARAM_REGEXP, "$2") || "/";
			this.on(method, pathFull, handler);
			this.on(method, pathOptional, handler);
			return;
		}
		if (this.options.ignoreDuplicateSlashes) path = removeDuplicateSlashes(path);
		if (this.options.ignoreTrailingSlash) path = trimLastSlash(path);
		const methods = typeof method === "string" ? [method] : method;
		for (const method of methods) this._on(method, path, handler);
	}
	all(path, handler) {
		this.on(httpMethods, path, handler);
	}
	_on(method, path, handler) {
		if (this.trees[method] === void 0) this.trees[method] = new StaticNode("/");
		let pattern = path;
		if (pattern === "*" && this.trees[method].prefix.length !== 0) {
			const currentRoot = this.trees[method];
			this.trees[method] = new StaticNode("");
			this.trees[method].staticChildren["/"] = currentRoot;
		}
		let parentNodePathIndex = this.trees[method].prefix.length;
		let currentNode = this.trees[method];
		const params = [];
		for (let i = 0; i <= pattern.length; i++) {
			if (pattern.charCodeAt(i) === 58 && pattern.charCodeAt(i + 1) === 58) {
				i++;
				continue;
			}
			const isParametricNode = pattern.charCodeAt(i) === 58 && pattern.charCodeAt(i + 1) !== 58;
			const isWildcardNode = pattern.charCodeAt(i) === 42;
			if (isParametricNode || isWildcardNode || i === pattern.length && i !== parentNodePathIndex) {
				let staticNodePath = pattern.slice(parentNodePathIndex, i);
				if (!this.options.caseSensitive) staticNodePath = staticNodePath.toLowerCase();
				staticNodePath = staticNodePath.split("::").join(":");
				staticNodePath = staticNodePath.split("%").join("%25");
				currentNode = currentNode.createStaticChild(staticNodePath);
			}
			if (isParametricNode) {
				let isRegexNode = false;
				let isParamSafe = true;
				let backtrack = "";
				const regexps = [];
				let nodePatternParts = "";
				let lastParamStartIndex = i + 1;
				for (let j = lastParamStartIndex;; j++) {
					const charCode = pattern.charCodeAt(j);
					const isRegexParam = charCode === 40;
					const isStaticPart = charCode === 45 || charCode === 46;
					const isEndOfNode = charCode === 47 || j === pattern.length;
					if (isRegexParam || isStaticPart || isEndOfNode) {
						const paramName = pattern.slice(lastParamStartIndex, j);
						params.push(paramName);
						isRegexNode = isRegexNode || isRegexParam || isStaticPart;
						if (isRegexParam) {
							const endOfRegexIndex = getClosingParenthensePosition(pattern, j);
							const regexString = pattern.slice(j, endOfRegexIndex + 1);
							regexps.push(trimRegExpStartAndEnd(regexString));
							j = endOfRegexIndex + 1;
							isParamSafe = true;
						} else {
							regexps.push(isParamSafe ? "(.*?)" : `(${backtrack}|(?:(?!${backtrack}).)*)`);
							isParamSafe = false;
						}
						const staticPartStartIndex = j;
						for (; j < pattern.length; j++) {
							const charCode = pattern.charCodeAt(j);
							if (charCode === 47) break;
							if (charCode === 58) {
								if (pattern.charCodeAt(j + 1) === 58) j++;
								else break;
							}
						}
						let staticPart = pattern.slice(staticPartStartIndex, j);
						if (staticPart) {
							staticPart = staticPart.split("::").join(":");
							staticPart = staticPart.split("%").join("%25");
							regexps.push(backtrack = escapeRegExp(staticPart));
						}
						lastParamStartIndex = j + 1;
						nodePatternParts += "()" + staticPart;
						if (isEndOfNode || pattern.charCodeAt(j) === 47 || j === pattern.length) {
							const nodePattern = isRegexNode ? nodePatternParts : staticPart;
							const nodePath = pattern.slice(i, j);
							pattern = pattern.slice(0, i + 1) + nodePattern + pattern.slice(j);
							i += nodePattern.length;
							const regex = isRegexNode ? new RegExp("^" + regexps.join("") + "$") : void 0;
							currentNode = currentNode.createParametricChild(regex, staticPart, nodePath);
							parentNodePathIndex = i + 1;
							break;
						}
					}
				}
			} else if (isWildcardNode) {
				params.push("*");
				currentNode = currentNode.createWildcardChild();
				parentNodePathIndex = i + 1;
				if (i !== pattern.length - 1) throw new Error("Wildcard must be the last character in the route");
			}
		}
		if (!this.options.caseSensitive) pattern = pattern.toLowerCase();
		if (pattern === "*") pattern = "/*";
		for (const existRoute of this.routes) if (existRoute.method === method && existRoute.pattern === pattern) throw new Error(`Method '${method}' already declared for route '${pattern}'`);
		const route = {
			method,
			path,
			pattern,
			params,
			handler
		};
		this.routes.push(route);
		currentNode.addRoute(route);
		if (params.length === 0) {
			const staticKey = pattern.split("::").join(":").split("%").join("%25");
			const store = this.staticRoutes[method] ??= /* @__PURE__ */ new Map();
			if (!store.has(staticKey)) store.set(staticKey, currentNode.handlerStorage.unconstrainedHandler);
		} else if (isCleanSingleTrailingParam(path)) {
			if (this.singleParamDisabled[method] !== true) {
				let prefix = path.slice(0, path.indexOf(":"));
				if (!this.options.caseSensitive) prefix = prefix.toLowerCase();
				prefix = prefix.split("%").join("%25");
				const store = this.singleParamRoutes[method] ??= /* @__PURE__ */ new Map();
				if (!store.has(prefix)) store.set(prefix, currentNode.handlerStorage.unconstrainedHandler);
			}
		} else if (/[(*]|[^/]:|:[^/]*[-.]/.test(path)) {
			this.singleParamDisabled[method] = true;
			delete this.singleParamRoutes[method];
		}
	}
	has(method, path) {
		const node = this.trees[method];
		if (node === void 0) return false;
		const staticNode = node.getStaticChild(path);
		if (staticNode === void 0) return false;
		return staticNode.isLeafNode;
	}
	find(method, path) {
		this.maxParamLengthExceeded = false;
		let currentNode = this.trees[method];
		if (currentNode === void 0) return void 0;
		let querystring = "";
		let shouldDecodeParam = false;
		let clean = path.charCodeAt(0) === 47 && (path.length === 1 || path.charCodeAt(path.length - 1) !== 47);
		if (clean) for (let i = 1; i < path.length; i++) {
			const code = path.charCodeAt(i);
			if (code === 37 || code === 63 || code === 59 || code === 35 || code >= 65 && code <= 90 || code === 47 && path.charCodeAt(i - 1) === 47) {
				clean = false;
				break;
			}
		}
		if (!clean) {
			if (path.charCodeAt(0) !== 47) path = path.replace(FULL_PATH_REGEXP, "/");
			let sanitizedUrl;
			try {
				sanitizedUrl = safeDecodeURI(path);
				path = sanitizedUrl.path;
				querystring = sanitizedUrl.querystring;
				shouldDecodeParam = sanitizedUrl.shouldDecodeParam;
			} catch (error) {
				return;
			}
			if (this.options.ignoreDuplicateSlashes) path = removeDuplicateSlashes(path);
			if (this.options.ignoreTrailingSlash) path = trimLastSlash(path);
		}
		const originPath = path;
		if (!clean && this.options.caseSensitive === false) path = path.toLowerCase();
		const maxParamLength = this.options.maxParamLength;
		const staticStore = this.staticRoutes[method];
		if (staticStore !== void 0) {
			const handle = staticStore.get(path);
			if (handle !== void 0) return {
				handler: handle.handler,
				params: handle.createParams(emptyParamsArray),
				searchParams: parse$1(querystring)
			};
		}
		const singleParamStore = this.singleParamRoutes[method];
		if (singleParamStore !== void 0) {
			const prefixLength = path.lastIndexOf("/") + 1;
			const handle = singleParamStore.get(path.slice(0, prefixLength));
			if (handle !== void 0 && path.length > prefixLength) {
				let param = originPath.slice(prefixLength);
				if (shouldDecodeParam) param = safeDecodeURIComponent(param);
				if (param.length <= maxParamLength) {
					this.singleParamArray[0] = param;
					return {
						handler: handle.handler,
						params: handle.createParams(this.singleParamArray),
						searchParams: parse$1(querystring)
					};
				}
				this.maxParamLengthExceeded = true;
			}
		}
		let pathIndex = currentNode.prefix.length;
		const params = [];
		const pathLen = path.length;
		const brothersNodesStack = this.brothersNodesStack;
		brothersNodesStack.length = 0;
		while (true) {
			if (pathIndex === pathLen && currentNode.isLeafNode) {
				const handle = currentNode.handlerStorage?.find();
				if (handle !== void 0) return {
					handler: handle.handler,
					params: handle.createParams(params),
					searchParams: parse$1(querystring)
				};
			}
			let node = currentNode.getNextNode(path, pathIndex, brothersNodesStack, params.length);
			if (node === void 0) {
				if (brothersNodesStack.length === 0) return;
				const brotherNodeState = brothersNodesStack.pop();
				pathIndex = brotherNodeState.brotherPathIndex;
				params.splice(brotherNodeState.paramsCount);
				node = brotherNodeState.brotherNode;
			}
			currentNode = node;
			while (true) {
				if (currentNode._tag === "StaticNode") {
					pathIndex += currentNode.prefix.length;
					break;
				}
				if (currentNode._tag === "WildcardNode") {
					let param = originPath.slice(pathIndex);
					if (shouldDecodeParam) param = safeDecodeURIComponent(param);
					params.push(param);
					pathIndex = pathLen;
					break;
				}
				let paramEndIndex = originPath.indexOf("/", pathIndex);
				if (paramEndIndex === -1) paramEndIndex = pathLen;
				let param = originPath.slice(pathIndex, paramEndIndex);
				if (shouldDecodeParam) param = safeDecodeURIComponent(param);
				if (currentNode.regex !== void 0) {
					const matchedParameters = currentNode.regex.exec(param);
					if (matchedParameters === null) {
						if (brothersNodesStack.length === 0) return;
						const brotherNodeState = brothersNodesStack.pop();
						pathIndex = brotherNodeState.brotherPathIndex;
						params.splice(brotherNodeState.paramsCount);
						currentNode = brotherNodeState.brotherNode;
						continue;
					}
					let maxParamLengthExceeded = false;
					for (let i = 1; i < matchedParameters.length; i++) if ((matchedParameters[i] ?? "").length > maxParamLength) {
						maxParamLengthExceeded = true;
						this.maxParamLengthExceeded = true;
						break;
					}
					if (maxParamLengthExceeded) {
						if (brothersNodesStack.length === 0) return;
						const brotherNodeState = brothersNodesStack.pop();
						pathIndex = brotherNodeState.brotherPathIndex;
						params.splice(brotherNodeState.paramsCount);
						currentNode = brotherNodeState.brotherNode;
						continue;
					}
					for (let i = 1; i < matchedParameters.length; i++) params.push(matchedParameters[i] ?? "");
				} else {
					if (param.length > maxParamLength) {
						this.maxParamLengthExceeded = true;
						if (brothersNodesStack.length === 0) return;
						const brotherNodeState = brothersNodesStack.pop();
						pathIndex = brotherNodeState.brotherPathIndex;
						params.splice(brotherNodeState.paramsCount);
						currentNode = brotherNodeState.brotherNode;
						continue;
					}
					params.push(param);
				}
				pathIndex = paramEndIndex;
				break;
			}
		}
	}
};
var HandlerStorage = class {
	handlers = [];
	unconstrainedHandler;
	find() {
		return this.unconstrainedHandler;
	}
	add(route) {
		const handler = {
			params: route.params,
			handler: route.handler,
			createParams: makeCreateParams(route.params)
		};
		this.handlers.push(handler);
		this.unconstrainedHandler = this.handlers[0];
	}
};
var NodeBase = class {
	isLeafNode = false;
	routes;
	handlerStorage;
	addRoute(route) {
		if (this.routes === void 0) this.routes = [route];
		else this.routes.push(route);
		if (this.handlerStorage === void 0) this.handlerStorage = new HandlerStorage();
		this.isLeafNode = true;
		this.handlerStorage.add(route);
	}
};
var ParentNode = class extends NodeBase {
	staticChildren = /*#__PURE__*/ Object.create(null);
	findStaticMatchingChild(path, pathIndex) {
		const staticChild = this.staticChildren[path.charAt(pathIndex)];
		if (staticChild === void 0 || !staticChild.matchPrefix(path, pathIndex)) return;
		return staticChild;
	}
	getStaticChild(path, pathIndex = 0) {
		if (path.length === pathIndex) return this;
		const staticChild = this.findStaticMatchingChild(path, pathIndex);
		if (staticChild === void 0) return;
		return staticChild.getStaticChild(path, pathIndex + staticChild.prefix.length);
	}
	createStaticChild(path) {
		if (path.length === 0) return this;
		let staticChild = this.staticChildren[path.charAt(0)];
		if (staticChild) {
			let i = 1;
			for (; i < staticChild.prefix.length; i++) if (path.charCodeAt(i) !== staticChild.prefix.charCodeAt(i)) {
				staticChild = staticChild.split(this, i);
				break;
			}
			return staticChild.createStaticChild(path.slice(i));
		}
		const label = path.charAt(0);
		this.staticChildren[label] = new StaticNode(path);
		return this.staticChildren[label];
	}
};
var StaticNode = class StaticNode extends ParentNode {
	_tag = "StaticNode";
	constructor(prefix) {
		super();
		this.setPrefix(prefix);
	}
	prefix;
	matchPrefix;
	parametricChildren = [];
	wildcardChild;
	setPrefix(prefix) {
		this.prefix = prefix;
		if (prefix.length === 1) this.matchPrefix = (_path, _pathIndex) => true;
		else {
			const tail = prefix.slice(1);
			this.matchPrefix = (path, pathIndex) => path.startsWith(tail, pathIndex + 1);
		}
	}
	getParametricChild(regex) {
		if (regex === void 0) return this.parametricChildren.find((child) => child.isRegex === false);
		const source = regex.source;
		return this.parametricChildren.find((child) => {
			if (child.regex === void 0) return false;
			return child.regex.source === source;
		});
	}
	createParametricChild(regex, staticSuffix, nodePath) {
		let child = this.getParametricChild(regex);
		if (child !== void 0) {
			child.nodePaths.add(nodePath);
			return child;
		}
		child = new ParametricNode(regex, staticSuffix, nodePath);
		this.parametricChildren.push(child);
		this.parametricChildren.sort((child1, child2) => {
			if (!child1.isRegex) return 1;
			if (!child2.isRegex) return -1;
			if (child1.staticSuffix === void 0) return 1;
			if (child2.staticSuffix === void 0) return -1;
			if (child2.staticSuffix.endsWith(child1.staticSuffix)) return 1;
			if (child1.staticSuffix.endsWith(child2.staticSuffix)) return -1;
			return 0;
		});
		return child;
	}
	createWildcardChild() {
		if (this.wildcardChild === void 0) this.wildcardChild = new WildcardNode();
		return this.wildcardChild;
	}
	split(parentNode, length) {
		const parentPrefix = this.prefix.slice(0, length);
		const childPrefix = this.prefix.slice(length);
		this.setPrefix(childPrefix);
		const staticNode = new StaticNode(parentPrefix);
		staticNode.staticChildren[childPrefix.charAt(0)] = this;
		parentNode.staticChildren[parentPrefix.charAt(0)] = staticNode;
		return staticNode;
	}
	getNextNode(path, pathIndex, nodeStack, paramsCount) {
		let node = this.findStaticMatchingChild(path, pathIndex);
		let parametricBrotherNodeIndex = 0;
		if (node === void 0) {
			if (this.parametricChildren.length === 0) return this.wildcardChild;
			node = this.parametricChildren[0];
			parametricBrotherNodeIndex = 1;
		}
		if (this.wildcardChild !== void 0) nodeStack.push({
			paramsCount,
			brotherPathIndex: pathIndex,
			brotherNode: this.wildcardChild
		});
		for (let i = this.parametricChildren.length - 1; i >= parametricBrotherNodeIndex; i--) nodeStack.push({
			paramsCount,
			brotherPathIndex: pathIndex,
			brotherNode: this.parametricChildren[i]
		});
		return node;
	}
};
var ParametricNode = class extends ParentNode {
	_tag = "ParametricNode";
	regex;
	staticSuffix;
	constructor(regex, staticSuffix, nodePath) {
		super();
		this.regex = regex;
		this.staticSuffix = staticSuffix;
		this.isRegex = !!regex;
		this.nodePaths = /* @__PURE__ */ new Set([nodePath]);
	}
	isRegex;
	nodePaths;
	getNextNode(path, pathIndex) {
		return this.findStaticMatchingChild(path, pathIndex);
	}
};
var WildcardNode = class extends NodeBase {
	_tag = "WildcardNode";
	getNextNode(_path, _pathIndex, _nodeStack, _paramsCount) {}
};
const assert = (condition, message) => {
	if (!condition) throw new Error(message);
};
function removeDuplicateSlashes(path) {
	if (path.indexOf("//") === -1) return path;
	return path.replace(/\/\/+/g, "/");
}
function trimLastSlash(path) {
	if (path.length > 1 && path.charCodeAt(path.length - 1) === 47) return path.slice(0, -1);
	return path;
}
function makeCreateParams(params) {
	const len = params.length;
	if (len === 0) return () => Object.create(null);
	return function(paramsArray) {
		const paramsObject = Object.create(null);
		for (let i = 0; i < len; i++) paramsObject[params[i]] = paramsArray[i];
		return paramsObject;
	};
}
/** @internal */
function getClosingParenthensePosition(path, idx) {
	let parentheses = 1;
	while (idx < path.length) {
		idx++;
		if (path[idx] === "\\") {
			idx++;
			continue;
		}
		if (path[idx] === ")") parentheses--;
		else if (path[idx] === "(") parentheses++;
		if (!parentheses) return idx;
	}
	throw new TypeError("Invalid regexp expression in \"" + path + "\"");
}
function trimRegExpStartAndEnd(regexString) {
	if (regexString.charCodeAt(1) === 94) regexString = regexString.slice(0, 1) + regexString.slice(2);
	if (regexString.charCodeAt(regexString.length - 2) === 36) regexString = regexString.slice(0, regexString.length - 2) + regexString.slice(regexString.length - 1);
	return regexString;
}
function escapeRegExp(string) {
	return string.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function decodeComponentChar(highCharCode, lowCharCode) {
	if (highCharCode === 50) {
		if (lowCharCode === 53) return "%";
		if (lowCharCode === 51) return "#";
		if (lowCharCode === 52) return "$";
		if (lowCharCode === 54) return "&";
		if (lowCharCode === 66) return "+";
		if (lowCharCode === 98) return "+";
		if (lowCharCode === 67) return ",";
		if (lowCharCode === 99) return ",";
		if (lowCharCode === 70) return "/";
		if (lowCharCode === 102) return "/";
		return;
	}
	if (highCharCode === 51) {
		if (lowCharCode === 65) return ":";
		if (lowCharCode === 97) return ":";
		if (lowCharCode === 66) return ";";
		if (lowCharCode === 98) return ";";
		if (lowCharCode === 68) return "=";
		if (lowCharCode === 100) return "=";
		if (lowCharCode === 70) return "?";
		if (lowCharCode === 102) return "?";
		return;
	}
	if (highCharCode === 52 && lowCharCode === 48) return "@";
}
function safeDecodeURI(path) {
	let shouldDecode = false;
	let shouldDecodeParam = false;
	let querystring = "";
	for (let i = 1; i < path.length; i++) {
		const charCode = path.charCodeAt(i);
		if (charCode === 37) {
			const highCharCode = path.charCodeAt(i + 1);
			const lowCharCode = path.charCodeAt(i + 2);
			if (decodeComponentChar(highCharCode, lowCharCode) === void 0) shouldDecode = true;
			else {
				shouldDecodeParam = true;
				if (highCharCode === 50 && lowCharCode === 53) {
					shouldDecode = true;
					path = path.slice(0, i + 1) + "25" + path.slice(i + 1);
					i += 2;
				}
				i += 2;
			}
		} else if (charCode === 63 || charCode === 59 || charCode === 35) {
			querystring = path.slice(i + 1);
			path = path.slice(0, i);
			break;
		}
	}
	return {
		path: shouldDecode ? decodeURI(path) : path,
		querystring,
		shouldDecodeParam
	};
}
function safeDecodeURIComponent(uriComponent) {
	const startIndex = uriComponent.indexOf("%");
	if (startIndex === -1) return uriComponent;
	let decoded = "";
	let lastIndex = startIndex;
	for (let i = startIndex; i < uriComponent.length; i++) if (uriComponent.charCodeAt(i) === 37) {
		if (i + 2 >= uriComponent.length) break;
		const decodedChar = decodeComponentChar(uriComponent.charCodeAt(i + 1), uriComponent.charCodeAt(i + 2));
		decoded += uriComponent.slice(lastIndex, i) + decodedChar;
		lastIndex = i + 3;
	}
	return uriComponent.slice(0, startIndex) + decoded + uriComponent.slice(lastIndex);
}
const httpMethods = [
	"ACL",
	"BIND",
	"CHECKOUT",
	"CONNECT",
	"COPY",
	"DELETE",
	"GET",
	"HEAD",
	"LINK",
	"LOCK",
	"M-SEARCH",
	"MERGE",
	"MKACTIVITY",
	"MKCALENDAR",
	"MKCOL",
	"MOVE",
	"NOTIFY",
	"OPTIONS",
	"PATCH",
	"POST",
	"PROPFIND",
	"PROPPATCH",
	"PURGE",
	"PUT",
	"QUERY",
	"REBIND",
	"REPORT",
	"SEARCH",
	"SOURCE",
	"SUBSCRIBE",
	"TRACE",
	"UNBIND",
	"UNLINK",
	"UNLOCK",
	"UNSUBSCRIBE"
];

// node_modules/effect/dist/http/FindMyWay.js
/**
* A radix-tree HTTP router used by the unstable HTTP routing modules.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Creates an empty mutable router.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$9 = make$10;

// node_modules/effect/dist/http/HttpServerError.js
/**
* Describes failures raised while handling HTTP server requests.
*
* `HttpServerError` covers failures that happen while accepting a request,
* matching a route, running a handler, or building and sending a response.
* Request-scoped failures keep the request that caused them, and response
* failures keep the response being produced. This module also includes helpers
* for turning failed causes or exits into HTTP responses and an annotation for
* interrupts caused by client aborts.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$7 = "~effect/http/HttpServerError";
/**
* Tagged error for failures that occur while handling an HTTP server request.
*
* **Details**
*
* It wraps a `HttpServerErrorReason`, exposes the associated request and optional
* response, and can be converted to an HTTP response through the `Respondable`
* protocol.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var HttpServerError = class extends (/*#__PURE__*/ TaggedError("HttpServerError")) {
	constructor(props) {
		if ("cause" in props.reason) super({
			...props,
			cause: props.reason.cause
		});
		else super(props);
	}
	[TypeId$7] = TypeId$7;
	stack = `${this.name}: ${this.message}`;
	get request() {
		return this.reason.request;
	}
	get response() {
		return "response" in this.reason ? this.reason.response : void 0;
	}
	[symbol]() {
		return this.reason[symbol]();
	}
	get [ignore]() {
		return this.reason["~effect/ErrorReporter/ignore"] ?? false;
	}
	get message() {
		return this.reason.message;
	}
};
/**
* Error describing a failure to parse or read an incoming request.
*
* **Details**
*
* When converted to a response it produces an empty `413` response for
* `BodyTooLarge`, or an empty `400` response for other parse failures.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var RequestParseError = class extends (/*#__PURE__*/ TaggedError("RequestParseError")) {
	/**
	* Converts the request error into a `413 Content Too Large` response for body
	* size breaches, or a `400 Bad Request` response for other parse failures.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[symbol]() {
		return succeed(empty$2({ status: this.reason === "BodyTooLarge" ? 413 : 400 }));
	}
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	get message() {
		return formatRequestMessage(this._tag, this.description, this.methodAndUrl);
	}
};
/**
* Error indicating that no route matched the incoming request.
*
* **Details**
*
* When converted to a response it produces an empty `404` response, and it is
* ignored by the error reporter.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var RouteNotFound = class extends (/*#__PURE__*/ TaggedError("RouteNotFound")) {
	[symbol]() {
		return succeed(empty$2({ status: 404 }));
	}
	[ignore] = true;
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	get message() {
		return formatRequestMessage(this._tag, this.description, this.methodAndUrl);
	}
};
/**
* Error describing an unexpected server-side failure while handling a request.
*
* **Details**
*
* When converted to a response it produces an empty `500` response.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var InternalError = class extends (/*#__PURE__*/ TaggedError("InternalError")) {
	/**
	* Converts the server error into a `500 Internal Server Error` response.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[symbol]() {
		return succeed(empty$2({ status: 500 }));
	}
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	get message() {
		return formatRequestMessage(this._tag, this.description, this.methodAndUrl);
	}
};
/**
* Error describing a failure related to an HTTP response.
*
* **Details**
*
* It carries the request and response involved in the failure. When converted to
* a response it produces an empty `500` response.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var ResponseError = class extends (/*#__PURE__*/ TaggedError("ResponseError")) {
	[symbol]() {
		return succeed(empty$2({ status: 500 }));
	}
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	get message() {
		const info = `${this._tag} (${this.response.status} ${this.methodAndUrl})`;
		return this.description ? `${info}: ${this.description}` : info;
	}
};
/**
* Error wrapping a low-level failure from the HTTP server implementation.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var ServeError = class extends (/*#__PURE__*/ TaggedError("ServeError")) {};
/**
* Context annotation used to mark an interrupt as caused by the client aborting
* the request.
*
* **Details**
*
* `causeResponse` uses this annotation to map a pure client abort to a `499`
* response instead of a server abort response.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var ClientAbort = class extends (/*#__PURE__*/ Service$1()("effect/http/HttpServerError/ClientAbort")) {
	static annotation = /*#__PURE__*/ this.context(true).pipe(/*#__PURE__*/ add$1(StackTrace, {
		name: "ClientAbort",
		stack: constUndefined,
		parent: void 0
	}));
};
const formatMethodAndUrl = (request) => `${request.method} ${toPath(request.url)}`;
const formatRequestMessage = (reason, description, info) => {
	const prefix = `${reason} (${info})`;
	return description ? `${prefix}: ${description}` : prefix;
};
/**
* Converts a failed handler cause into the HTTP response that should be sent and
* the cause that should be reported.
*
* **Details**
*
* Respondable failures and defects can choose their own response, defects that
* are already `HttpServerResponse` values are used directly, and pure interrupts
* produce either `499` for client aborts or `503` for server aborts.
*
* @stability unstable
* @category error handling
* @since 4.0.0
*/
const causeResponse = (cause) => {
	let response;
	let effect = succeedInternalServerError;
	const failures = [];
	let interrupts = [];
	let isClientInterrupt = false;
	for (let i = 0; i < cause.reasons.length; i++) {
		const reason = cause.reasons[i];
		switch (reason._tag) {
			case "Fail":
				effect = toResponseOrElse(reason.error, internalServerError);
				failures.push(reason);
				break;
			case "Die":
				if (isHttpServerResponse(reason.defect)) response = reason.defect;
				else {
					effect = toResponseOrElseDefect(reason.defect, internalServerError);
					failures.push(reason);
				}
				break;
			case "Interrupt":
				isClientInterrupt = reason.annotations.has(ClientAbort.key);
				if (failures.length > 0) break;
				interrupts.push(reason);
		}
	}
	if (response) return succeed([response, fromReasons(failures)]);
	else if (interrupts.length > 0 && failures.length === 0) {
		failures.push(...interrupts);
		effect = isClientInterrupt ? clientAbortError : serverAbortError;
	}
	return mapEager(effect, (response) => {
		failures.push(makeDieReason(response));
		return [response, fromReasons(failures)];
	});
};
/**
* Derives an HTTP response from a failed handler cause synchronously.
*
* **Details**
*
* If the cause contains a defect that is already an `HttpServerResponse`, that
* response is used and removed from the remaining cause. Otherwise the response
* defaults to `500`.
*
* @stability unstable
* @category error handling
* @since 4.0.0
*/
const causeResponseStripped = (cause) => {
	let response;
	const failures = cause.reasons.filter((f) => {
		if (f._tag === "Die" && isHttpServerResponse(f.defect)) {
			response = f.defect;
			return false;
		}
		return true;
	});
	return [response ?? internalServerError, failures.length > 0 ? some(fromReasons(failures)) : none()];
};
const internalServerError = /*#__PURE__*/ empty$2({ status: 500 });
const succeedInternalServerError = /*#__PURE__*/ succeed(internalServerError);
const clientAbortError = /*#__PURE__*/ succeed(/*#__PURE__*/ empty$2({ status: 499 }));
const serverAbortError = /*#__PURE__*/ succeed(/*#__PURE__*/ empty$2({ status: 503 }));

// node_modules/effect/dist/http/MultipartParser/internal/contentType.js
/**
* RegExp to match *( ";" parameter ) in RFC 7231 sec 3.1.1.1
*
* parameter     = token "=" ( token / quoted-string )
* token         = 1*tchar
* tchar         = "!" / "#" / "$" / "%" / "&" / "'" / "*"
*               / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~"
*               / DIGIT / ALPHA
*               ; any VCHAR, except delimiters
* quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
* qdtext        = HTAB / SP / %x21 / %x23-5B / %x5D-7E / obs-text
* obs-text      = %x80-FF
* quoted-pair   = "\" ( HTAB / SP / VCHAR / obs-text )
*/
const paramRE = /; *([!#$%&'*+.^\w`|~-]+)=("(?:[\t\u0020\u0021\u0023-\u005b\u005d-\u007e\u0080-\u{10ffff}]|\\[\t\u0020-\u{10ffff}])*"|[!#$%&'*+.^\w`|~-]+) */gu;
/**
* RegExp to match *( ";" disposition-parm ) in RFC 6266 sec 4.1, which allows
* optional whitespace around separators
*/
const dispositionParamRE = /;[ \t]*([!#$%&'*+.^\w`|~-]+)[ \t]*=[ \t]*("(?:[\t\u0020\u0021\u0023-\u005b\u005d-\u007e\u0080-\u{10ffff}]|\\[\t\u0020-\u{10ffff}])*"|[!#$%&'*+.^\w`|~-]+)[ \t]*/gu;
/**
* RegExp to match quoted-pair in RFC 7230 sec 3.2.6
*
* quoted-pair = "\" ( HTAB / SP / VCHAR / obs-text )
* obs-text    = %x80-FF
*/
const quotedPairRE = /\\([\t\u0020-\u{10ffff}])/gu;
/**
* RegExp to match type in RFC 7231 sec 3.1.1.1
*
* media-type = type "/" subtype
* type       = token
* subtype    = token
*/
const mediaTypeRE = /^[!#$%&'*+.^\w|~-]+\/[!#$%&'*+.^\w|~-]+$/u;
const dispositionTypeRE = /^[!#$%&'*+.^\w|~-]+$/u;
const defaultContentType = {
	value: "",
	parameters: /*#__PURE__*/ Object.create(null)
};
function parse(header) {
	if (typeof header !== "string") return defaultContentType;
	let index = header.indexOf(";");
	const type = index !== -1 ? header.slice(0, index).trim() : header.trim();
	if (mediaTypeRE.test(type) === false) return defaultContentType;
	const result = {
		value: type.toLowerCase(),
		parameters: Object.create(null)
	};
	if (index === -1) return result;
	let key;
	let match;
	let value;
	paramRE.lastIndex = index;
	while (match = paramRE.exec(header)) {
		if (match.index !== index) return defaultContentType;
		index += match[0].length;
		key = match[1].toLowerCase();
		value = match[2];
		if (value[0] === "\"") {
			value = value.slice(1, value.length - 1);
			if (quotedPairRE.test(value)) value = value.replace(quotedPairRE, "$1");
		}
		result.parameters[key] = value;
	}
	if (index !== header.length) return defaultContentType;
	return result;
}
const extValueRE = /^(utf-8|iso-8859-1)'[a-z0-9-]*'((?:%[0-9a-f]{2}|[!#$&+.^_`|~\w-])*)$/i;
const pctEncodedRE = /%([0-9a-f]{2})/gi;
/**
* Decodes an RFC 8187 ext-value, returning `undefined` when it is malformed.
* ISO-8859-1 is decoded byte by byte because `TextDecoder` treats it as
* windows-1252.
*/
function decodeExtValue(value) {
	const match = extValueRE.exec(value);
	if (match === null) return;
	if (match[1].toLowerCase() === "iso-8859-1") return match[2].replace(pctEncodedRE, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
	try {
		return decodeURIComponent(match[2]);
	} catch {
		return;
	}
}
const defaultContentDisposition = {
	...defaultContentType,
	filename: void 0
};
/**
* Parses a Content-Disposition header according to RFC 6266, returning
* `undefined` when it is malformed, repeats a parameter or carries an
* undecodable `filename*`.
*
* Quoted-pairs are left as-is, so unescaped backslashes in file paths survive.
*/
function parseDisposition(header) {
	if (header === void 0) return defaultContentDisposition;
	else if (typeof header !== "string") return;
	let index = header.indexOf(";");
	const type = index !== -1 ? header.slice(0, index).trim() : header.trim();
	if (dispositionTypeRE.test(type) === false) return;
	const parameters = Object.create(null);
	if (index !== -1) {
		let match;
		dispositionParamRE.lastIndex = index;
		while (match = dispositionParamRE.exec(header)) {
			if (match.index !== index) return;
			index += match[0].length;
			const key = match[1].toLowerCase();
			const value = match[2];
			if (key in parameters) return;
			parameters[key] = value[0] === "\"" ? value.slice(1, value.length - 1) : value;
		}
		if (index !== header.length) return;
	}
	let filename = parameters.filename;
	if ("filename*" in parameters) {
		filename = decodeExtValue(parameters["filename*"]);
		if (filename === void 0) return;
	}
	return {
		value: type.toLowerCase(),
		parameters,
		filename
	};
}

// node_modules/effect/dist/http/MultipartParser/internal/headers.js
const constMaxPairs = 100;
const constMaxSize = 16384;
const State$1 = {
	key: 0,
	whitespace: 1,
	value: 2
};
const constContinue = { _tag: "Continue" };
const constNameChars = /*#__PURE__*/ new Uint8Array(256);
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") constNameChars[/*#__PURE__*/ char.charCodeAt(0)] = 1;
const constValueChars = /*#__PURE__*/ new Uint8Array(256);
constValueChars[9] = 1;
for (let i = 32; i <= 126; i++) constValueChars[i] = 1;
for (let i = 128; i <= 255; i++) constValueChars[i] = 1;
function make$8() {
	const decoder = new TextDecoder();
	const state = {
		state: State$1.key,
		headers: Object.create(null),
		key: "",
		value: void 0,
		crlf: 0,
		previousChunk: void 0,
		pairs: 0,
		size: 0
	};
	function reset(value) {
		state.state = State$1.key;
		state.headers = Object.create(null);
		state.key = "";
		state.value = void 0;
		state.crlf = 0;
		state.previousChunk = void 0;
		state.pairs = 0;
		state.size = 0;
		return value;
	}
	function error(reason) {
		return reset({
			_tag: "Failure",
			reason,
			headers: state.headers
		});
	}
	return function write(chunk, start) {
		let endOffset = 0;
		let previousCursor;
		if (state.previousChunk !== void 0) {
			endOffset = state.previousChunk.length;
			previousCursor = endOffset;
			chunk = concat([state.previousChunk, chunk]);
			state.previousChunk = void 0;
		}
		const end = chunk.length;
		outer: while (start < end) {
			if (state.state === State$1.key) {
				let i = start;
				for (; i < end; i++) {
					if (state.size++ > constMaxSize) return error("HeaderTooLarge");
					if (chunk[i] === 58) {
						state.key += decoder.decode(chunk.subarray(start, i)).toLowerCase();
						if (state.key.length === 0) return error("InvalidHeaderName");
						if (chunk[i + 1] === 32 && chunk[i + 2] !== 32 && chunk[i + 2] !== 9) {
							start = i + 2;
							state.state = State$1.value;
							state.size++;
						} else if (chunk[i + 1] !== 32 && chunk[i + 1] !== 9) {
							start = i + 1;
							state.state = State$1.value;
						} else {
							start = i + 1;
							state.state = State$1.whitespace;
						}
						break;
					} else if (constNameChars[chunk[i]] !== 1) return error("InvalidHeaderName");
				}
				if (i === end) {
					state.key += decoder.decode(chunk.subarray(start, end)).toLowerCase();
					return constContinue;
				}
			}
			if (state.state === State$1.whitespace) {
				for (; start < end; start++) {
					if (state.size++ > constMaxSize) return error("HeaderTooLarge");
					if (chunk[start] !== 32 && chunk[start] !== 9) {
						state.state = State$1.value;
						break;
					}
				}
				if (start === end) return constContinue;
			}
			if (state.state === State$1.value) {
				let i = start;
				if (previousCursor !== void 0) {
					i = previousCursor;
					previousCursor = void 0;
				}
				for (; i < end; i++) {
					if (state.size++ > constMaxSize) return error("HeaderTooLarge");
					if (chunk[i] === 13 || state.crlf > 0) {
						let byte = chunk[i];
						if (byte === 13 && state.crlf === 0) {
							state.crlf = 1;
							i++;
							state.size++;
							byte = chunk[i];
						}
						if (byte === 10 && state.crlf === 1) {
							state.crlf = 2;
							i++;
							state.size++;
							byte = chunk[i];
						}
						if (byte === 13 && state.crlf === 2) {
							state.crlf = 3;
							i++;
							state.size++;
							byte = chunk[i];
						}
						if (byte === 10 && state.crlf === 3) {
							state.crlf = 4;
							i++;
							state.size++;
						}
						if (state.crlf < 4 && i >= end) {
							state.previousChunk = chunk.subarray(start);
							return constContinue;
						} else if (state.crlf >= 2) {
							state.value = state.value === void 0 ? chunk.subarray(start, i - state.crlf) : concat([state.value, chunk.subarray(start, i - state.crlf)]);
							const value = decoder.decode(state.value);
							if (state.headers[state.key] === void 0) state.headers[state.key] = value;
							else if (typeof state.headers[state.key] === "string") state.headers[state.key] = [state.headers[state.key], value];
							else state.headers[state.key].push(value);
							start = i;
							state.size--;
							if (state.crlf !== 4 && state.pairs === constMaxPairs) return error("TooManyHeaders");
							else if (state.crlf === 3) return error("InvalidHeaderValue");
							else if (state.crlf === 4) return reset({
								_tag: "Headers",
								headers: state.headers,
								endPosition: start - endOffset
							});
							state.pairs++;
							state.key = "";
							state.value = void 0;
							state.crlf = 0;
							state.state = State$1.key;
							continue outer;
						}
					} else if (constValueChars[chunk[i]] !== 1) return error("InvalidHeaderValue");
				}
				if (i === end) {
					state.value = state.value === void 0 ? chunk.subarray(start, end) : concat([state.value, chunk.subarray(start, end)]);
					return constContinue;
				}
			}
		}
		if (start > end) state.size += end - start;
		return constContinue;
	};
}

// node_modules/effect/dist/http/MultipartParser/internal/search.js
function makeState(needle_) {
	const needle = new TextEncoder().encode(needle_);
	const needleLength = needle.length;
	const indexes = {};
	for (let i = 0; i < needleLength; i++) {
		const b = needle[i];
		if (indexes[b] === void 0) indexes[b] = [];
		indexes[b].push(i);
	}
	return {
		needle,
		needleLength,
		indexes,
		firstByte: needle[0],
		previousChunk: void 0,
		previousChunkLength: 0,
		matchIndex: 0
	};
}
function make$7(needle, callback, seed, minimumChunkLength) {
	const state = makeState(needle);
	const minChunkLength = minimumChunkLength ?? state.needleLength;
	if (seed !== void 0) {
		state.previousChunk = seed;
		state.previousChunkLength = seed.length;
	}
	function makeIndexOf() {
		if ("Buffer" in globalThis && !("Bun" in globalThis || "Deno" in globalThis)) return function(chunk, needle, fromIndex) {
			return Buffer.prototype.indexOf.call(chunk, needle, fromIndex);
		};
		const skipTable = (/* @__PURE__ */ new Uint8Array(256)).fill(state.needle.length);
		for (let i = 0, lastIndex = state.needle.length - 1; i < lastIndex; ++i) skipTable[state.needle[i]] = lastIndex - i;
		return function(chunk, needle, fromIndex) {
			const lengthTotal = chunk.length;
			let i = fromIndex + state.needleLength - 1;
			while (i < lengthTotal) {
				for (let j = state.needleLength - 1, k = i; j >= 0 && chunk[k] === needle[j]; j--, k--) if (j === 0) return k;
				i += skipTable[chunk[i]];
			}
			return -1;
		};
	}
	const indexOf = makeIndexOf();
	function write(chunk) {
		let chunkLength = chunk.length;
		if (state.previousChunk !== void 0) {
			const newChunk = new Uint8Array(state.previousChunkLength + chunkLength);
			newChunk.set(state.previousChunk);
			newChunk.set(chunk, state.previousChunkLength);
			chunk = newChunk;
			chunkLength = state.previousChunkLength + chunkLength;
			state.previousChunk = void 0;
		}
		let pos = 0;
		while (pos < chunkLength) {
			const remaining = chunkLength - pos;
			if (remaining < minChunkLength) {
				state.previousChunk = chunk.subarray(pos);
				state.previousChunkLength = remaining;
				return;
			}
			const match = indexOf(chunk, state.needle, pos);
			if (match > -1) {
				if (match > pos) callback(state.matchIndex, chunk.subarray(pos, match));
				state.matchIndex += 1;
				pos = match + state.needleLength;
				continue;
			} else if (chunk[chunkLength - 1] in state.indexes) {
				const indexes = state.indexes[chunk[chunkLength - 1]];
				let earliestIndex = -1;
				for (let i = 0, len = indexes.length; i < len; i++) {
					const index = indexes[i];
					if (chunk[chunkLength - 1 - index] === state.firstByte && i > earliestIndex) earliestIndex = index;
				}
				if (earliestIndex === -1) {
					if (pos === 0) callback(state.matchIndex, chunk);
					else callback(state.matchIndex, chunk.subarray(pos));
				} else {
					if (chunkLength - 1 - earliestIndex > pos) callback(state.matchIndex, chunk.subarray(pos, chunkLength - 1 - earliestIndex));
					state.previousChunk = chunk.subarray(chunkLength - 1 - earliestIndex);
					state.previousChunkLength = earliestIndex + 1;
				}
			} else if (pos === 0) callback(state.matchIndex, chunk);
			else callback(state.matchIndex, chunk.subarray(pos));
			break;
		}
	}
	function end() {
		if (state.previousChunk !== void 0 && state.previousChunk !== seed) callback(state.matchIndex, state.previousChunk);
		state.previousChunk = seed;
		state.previousChunkLength = seed?.length ?? 0;
		state.matchIndex = 0;
	}
	return {
		write,
		end
	};
}

// node_modules/effect/dist/http/MultipartParser/internal/multipart.js
const State = {
	headers: 0,
	body: 1
};
const errInvalidDisposition = { _tag: "InvalidDisposition" };
const errEndNotReached = { _tag: "EndNotReached" };
const errMaxParts = {
	_tag: "ReachedLimit",
	limit: "MaxParts"
};
const errMaxTotalSize = {
	_tag: "ReachedLimit",
	limit: "MaxTotalSize"
};
const errMaxPartSize = {
	_tag: "ReachedLimit",
	limit: "MaxPartSize"
};
const errMaxFieldSize = {
	_tag: "ReachedLimit",
	limit: "MaxFieldSize"
};
const constCR = /*#__PURE__*/ new TextEncoder().encode("\r\n");
function defaultIsFile$1(info) {
	return info.filename !== void 0 || info.contentType === "application/octet-stream";
}
function parseBoundary(headers) {
	return parse(headers["content-type"]).parameters.boundary;
}
function noopOnChunk(_chunk) {}
const toLimit = (input) => input === Infinity ? Infinity : Number(fromInputUnsafe(input));
function make$6({ headers, onFile: onPart, onField, onError, onDone, isFile = defaultIsFile$1, maxParts = Infinity, maxTotalSize: maxTotalSizeInput = Infinity, maxPartSize: maxPartSizeInput = Infinity, maxFieldSize: maxFieldSizeInput = 1048576 }) {
	const maxTotalSize = toLimit(maxTotalSizeInput);
	const maxPartSize = toLimit(maxPartSizeInput);
	const maxFieldSize = toLimit(maxFieldSizeInput);
	const boundary = parseBoundary(headers);
	if (boundary === void 0) {
		onError({ _tag: "InvalidBoundary" });
		return {
			write: noopOnChunk,
			end() {}
		};
	}
	const state = {
		state: State.headers,
		index: 0,
		parts: 0,
		onChunk: noopOnChunk,
		info: void 0,
		headerSkip: 0,
		partSize: 0,
		totalSize: 0,
		isFile: false,
		fieldChunks: [],
		fieldSize: 0,
		done: false,
		stopped: false
	};
	function skipBody() {
		state.state = State.body;
		state.isFile = true;
		state.onChunk = noopOnChunk;
	}
	function stop(error) {
		state.stopped = true;
		if (state.state === State.body && state.isFile) state.onChunk(null);
		onError(error);
	}
	const headerParser = make$8();
	const split = make$7(`\r\n--${boundary}`, function(index, chunk) {
		if (state.stopped) return;
		if (index === 0) {
			skipBody();
			return;
		} else if (index !== state.index) {
			if (state.index > 0) {
				if (state.isFile) state.onChunk(null);
				else {
					onField(state.info, state.fieldChunks.length === 1 ? state.fieldChunks[0] : concat(state.fieldChunks));
					state.fieldSize = 0;
					state.fieldChunks = [];
				}
			}
			state.partSize = 0;
			state.state = State.headers;
			state.index = index;
			state.headerSkip = 2;
			if (chunk[0] === 45 && chunk[1] === 45) {
				state.done = true;
				return onDone();
			}
			state.parts++;
			if (state.parts > maxParts) return stop(errMaxParts);
		}
		if ((state.partSize += chunk.length) > maxPartSize) return stop(errMaxPartSize);
		if (state.state === State.headers) {
			const result = headerParser(chunk, state.headerSkip);
			state.headerSkip = 0;
			if (result._tag === "Continue") return;
			else if (result._tag === "Failure") {
				skipBody();
				return onError({
					_tag: "BadHeaders",
					error: result
				});
			}
			const contentType = parse(result.headers["content-type"]);
			const contentDisposition = parseDisposition(result.headers["content-disposition"]);
			if (contentDisposition === void 0 || "form-data" === contentDisposition.value && !("name" in contentDisposition.parameters)) {
				skipBody();
				return onError(errInvalidDisposition);
			}
			state.info = {
				name: contentDisposition.parameters.name ?? "",
				filename: contentDisposition.filename,
				contentType: contentType.value === "" ? contentDisposition.filename !== void 0 ? "application/octet-stream" : "text/plain" : contentType.value,
				contentTypeParameters: contentType.parameters,
				contentDisposition: contentDisposition.value,
				contentDispositionParameters: contentDisposition.parameters,
				headers: result.headers
			};
			state.state = State.body;
			state.isFile = isFile(state.info);
			if (state.isFile) state.onChunk = onPart(state.info);
			if (result.endPosition < chunk.length) {
				if (state.isFile) state.onChunk(chunk.subarray(result.endPosition));
				else {
					const buf = chunk.subarray(result.endPosition);
					if ((state.fieldSize += buf.length) > maxFieldSize) return stop(errMaxFieldSize);
					state.fieldChunks.push(buf);
				}
			}
		} else if (state.isFile) state.onChunk(chunk);
		else {
			if ((state.fieldSize += chunk.length) > maxFieldSize) return stop(errMaxFieldSize);
			state.fieldChunks.push(chunk);
		}
	}, constCR, 2);
	return {
		write(chunk) {
			if (state.stopped) return;
			if ((state.totalSize += chunk.length) > maxTotalSize) return stop(errMaxTotalSize);
			return split.write(chunk);
		},
		end() {
			split.end();
			if (!state.done && !state.stopped) stop(errEndNotReached);
			state.state = State.headers;
			state.index = 0;
			state.parts = 0;
			state.onChunk = noopOnChunk;
			state.info = void 0;
			state.totalSize = 0;
			state.partSize = 0;
			state.fieldChunks = [];
			state.fieldSize = 0;
			state.done = false;
			state.stopped = false;
		}
	};
}
const utf8Decoder = /*#__PURE__*/ new TextDecoder("utf-8");
function getDecoder(charset) {
	if (charset === "utf-8" || charset === "utf8" || charset === "") return utf8Decoder;
	try {
		return new TextDecoder(charset);
	} catch (error) {
		return utf8Decoder;
	}
}
function decodeField$1(info, value) {
	return getDecoder(info.contentTypeParameters.charset ?? "utf-8").decode(value);
}

// node_modules/effect/dist/http/MultipartParser.js
/**
* Creates a streaming multipart parser.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$5 = make$6;
/**
* Determines whether a multipart part should be treated as a file.
*
* @stability unstable
* @category utilities
* @since 4.0.0
*/
const defaultIsFile = defaultIsFile$1;
/**
* Decodes a multipart field using its declared character set.
*
* @stability unstable
* @category utilities
* @since 4.0.0
*/
const decodeField = decodeField$1;

// node_modules/effect/dist/http/Multipart.js
/**
* Parses and persists HTTP `multipart/form-data` request bodies.
*
* `Multipart` turns incoming byte streams into typed form parts. Text parts
* become decoded fields, while upload parts stay as streamed files until they
* are collected or written to scoped temporary files. The persisted
* representation can then be decoded with schemas for handlers that receive
* fields and uploaded files together. This module also includes multipart error
* types, schema helpers for persisted files, and parser limit settings.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Type identifier used to brand multipart part values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$6 = "~effect/http/Multipart";
const MultipartErrorTypeId = "~effect/http/Multipart/MultipartError";
const toMultipartError = (cause) => isMultipartError(cause) ? cause : MultipartError.fromReason("InternalError", cause);
/**
* Error reason carried by a `MultipartError`.
*
* **Details**
*
* It identifies parser and limit failures such as oversized files or fields, too
* many parts, total body size limits, parse errors, and internal errors.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var MultipartErrorReason = class extends Error$1 {};
const responseStatusByReason = {
	FileTooLarge: 413,
	FieldTooLarge: 413,
	BodyTooLarge: 413,
	TooManyParts: 413,
	InternalError: 500,
	Parse: 400
};
/**
* Error raised while parsing, streaming, or persisting multipart form data.
*
* **Details**
*
* The `reason` field contains the concrete `MultipartErrorReason`. When used as
* a server response, parse errors render as `400`, limit errors as `413`, and
* internal errors as `500`. Multipart errors are ignored by the error reporter.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var MultipartError = class MultipartError extends (/*#__PURE__*/ TaggedError("MultipartError")) {
	/**
	* Creates a multipart error from a reason tag and optional cause.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	static fromReason(reason, cause) {
		return new MultipartError({ reason: new MultipartErrorReason({
			_tag: reason,
			cause
		}) });
	}
	/**
	* Marks this value as a multipart error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[MultipartErrorTypeId] = MultipartErrorTypeId;
	[ignore] = true;
	/**
	* Converts the multipart error into an HTTP response based on its reason.
	*
	* **Details**
	*
	* Parse errors produce `400`, size and part-count limits produce `413`, and
	* internal errors produce `500`.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[symbol]() {
		return succeed(empty$2({ status: responseStatusByReason[this.reason._tag] }));
	}
	/**
	* Uses the concrete multipart error reason as the public message.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return this.reason._tag;
	}
};
/**
* Checks whether a value is a `MultipartError`.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isMultipartError = (u) => hasProperty(u, MultipartErrorTypeId);
const PersistedFileEncoded = /*#__PURE__*/ Struct({
	key: String$2,
	name: String$2,
	contentType: /*#__PURE__*/ String$2.annotate({ contentEncoding: "binary" }),
	path: String$2
});
/**
* Builds the low-level multipart parser configuration from request headers and
* the current fiber context.
*
* **Details**
*
* Parser limits are read from the multipart references, including maximum parts,
* field size, file size, total body size, and field MIME type overrides.
*
* @stability unstable
* @category configuration
* @since 4.0.0
*/
const makeConfig = (headers) => withFiber((fiber) => {
	const mimeTypes = get$1(fiber.context, FieldMimeTypes);
	return succeed({
		headers,
		maxParts: fiber.getRef(MaxParts),
		maxFieldSize: fiber.getRef(MaxFieldSize),
		maxPartSize: fiber.getRef(MaxFileSize),
		maxTotalSize: fiber.getRef(MaxBodySize),
		isFile: mimeTypes.length === 0 ? void 0 : (info) => !mimeTypes.some((_) => info.contentType.includes(_)) && defaultIsFile(info)
	});
});
/**
* Creates a channel that parses multipart byte chunks into multipart parts.
*
* **Details**
*
* The channel consumes non-empty batches of `Uint8Array` chunks and emits
* non-empty batches of parsed `Part` values, failing with `MultipartError` for
* parser and limit failures.
*
* @stability unstable
* @category parsing
* @since 4.0.0
*/
const makeChannel = (headers) => fromTransform$1((upstream) => map(makeConfig(headers), (config) => {
	let partsBuffer = [];
	let exit = none();
	let ended = false;
	const parser = make$5({
		...config,
		onField(info, value) {
			partsBuffer.push(new FieldImpl(info.name, info.contentType, decodeField(info, value)));
		},
		onFile(info) {
			let chunks = [];
			let finished = false;
			const pullChunks = fromPull$1(succeed(suspend(function loop() {
				if (!isReadonlyArrayNonEmpty(chunks)) {
					if (finished) return done();
					if (isSome(exit)) return exit.value;
					return flatMap(pump, loop);
				}
				const chunk = chunks;
				chunks = [];
				return succeed(chunk);
			})));
			partsBuffer.push(new FileImpl(info, mapError$1(pullChunks, toMultipartError)));
			return function(chunk) {
				if (chunk === null) finished = true;
				else chunks.push(chunk);
			};
		},
		onError(error_) {
			exit = some(fail$2(convertError(error_)));
		},
		onDone() {
			if (isNone(exit)) exit = some(fail$2(Done()));
		}
	});
	const pump = upstream.pipe(flatMap((chunk) => {
		for (let i = 0; i < chunk.length; i++) parser.write(chunk[i]);
		return void_;
	}), catchCause((cause) => {
		if (isDoneCause(cause)) {
			if (!ended) {
				ended = true;
				parser.end();
			}
		} else exit = some(failCause(cause));
		return void_;
	}));
	return suspend(function loop() {
		if (!isReadonlyArrayNonEmpty(partsBuffer)) {
			if (isSome(exit)) return exit.value;
			return flatMap(pump, loop);
		}
		const parts = partsBuffer;
		partsBuffer = [];
		return succeed(parts);
	});
}));
function convertError(cause) {
	switch (cause._tag) {
		case "ReachedLimit": switch (cause.limit) {
			case "MaxParts": return MultipartError.fromReason("TooManyParts", cause);
			case "MaxFieldSize": return MultipartError.fromReason("FieldTooLarge", cause);
			case "MaxPartSize": return MultipartError.fromReason("FileTooLarge", cause);
			case "MaxTotalSize": return MultipartError.fromReason("BodyTooLarge", cause);
		}
		default: return MultipartError.fromReason("Parse", cause);
	}
}
var PartBase = class extends Class {
	[TypeId$6];
	constructor() {
		super();
		this[TypeId$6] = TypeId$6;
	}
};
var FieldImpl = class extends PartBase {
	_tag = "Field";
	key;
	contentType;
	value;
	constructor(key, contentType, value) {
		super();
		this.key = key;
		this.contentType = contentType;
		this.value = value;
	}
	toJSON() {
		return {
			_id: "@effect/platform/Multipart/Part",
			_tag: "Field",
			key: this.key,
			contentType: this.contentType,
			value: this.value
		};
	}
};
var FileImpl = class extends PartBase {
	_tag = "File";
	key;
	name;
	contentType;
	content;
	contentEffect;
	constructor(info, channel) {
		super();
		this.key = info.name;
		this.name = info.filename ?? info.name;
		this.contentType = info.contentType;
		this.content = fromChannel$1(channel);
		this.contentEffect = mkUint8Array(channel);
	}
	toJSON() {
		return {
			_id: "@effect/platform/Multipart/Part",
			_tag: "File",
			key: this.key,
			name: this.name,
			contentType: this.contentType
		};
	}
};
const defaultWriteFile = (path, file) => flatMap(FileSystem, (fs) => mapError(run(file.content, fs.sink(path)), toMultipartError));
const maxPersistedFileNameBytes = 128;
const fileNameEncoder = /*#__PURE__*/ new TextEncoder();
const persistedFileName = (baseName) => {
	const codePoints = Array.from(baseName);
	let fileName = "";
	let bytes = 0;
	for (let i = codePoints.length - 1; i >= 0; i--) {
		bytes += fileNameEncoder.encode(codePoints[i]).length;
		if (bytes > maxPersistedFileNameBytes) break;
		fileName = codePoints[i] + fileName;
	}
	return fileName === "" || fileName === "." || fileName === ".." ? "file" : fileName;
};
/**
* Persists a stream of multipart parts into a record.
*
* **Details**
*
* Text fields are collected as strings, and file parts are written to files in a
* scoped temporary directory.
*
* **Gotchas**
*
* Persisted file paths remain valid for the lifetime of the scope.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toPersisted = (stream, writeFile = defaultWriteFile) => gen(function* () {
	const fs = yield* FileSystem;
	const path_ = yield* Path;
	const dir = yield* fs.makeTempDirectoryScoped();
	const persisted = Object.create(null);
	const usedPaths = /* @__PURE__ */ new Set();
	let fileIndex = 0;
	yield* runForEach(stream, (part) => {
		if (part._tag === "Field") {
			if (!(part.key in persisted)) persisted[part.key] = part.value;
			else if (typeof persisted[part.key] === "string") persisted[part.key] = [persisted[part.key], part.value];
			else persisted[part.key].push(part.value);
			return void_;
		} else if (part.name === "") return void_;
		const file = part;
		const fileName = persistedFileName(path_.basename(file.name));
		let path = path_.join(dir, fileName);
		while (usedPaths.has(path)) path = path_.join(dir, `${fileIndex++}-${fileName}`);
		usedPaths.add(path);
		const filePart = new PersistedFileImpl(file.key, file.name, file.contentType, path);
		if (Array.isArray(persisted[part.key])) persisted[part.key].push(filePart);
		else persisted[part.key] = [filePart];
		return writeFile(path, file);
	});
	return persisted;
}).pipe(catchTag("PlatformError", (cause) => fail$1(MultipartError.fromReason("InternalError", cause))));
var PersistedFileImpl = class extends PartBase {
	_tag = "PersistedFile";
	key;
	name;
	contentType;
	path;
	constructor(key, name, contentType, path) {
		super();
		this.key = key;
		this.name = name;
		this.contentType = contentType;
		this.path = path;
	}
	toJSON() {
		return {
			_id: "@effect/platform/Multipart/Part",
			_tag: "PersistedFile",
			key: this.key,
			name: this.name,
			contentType: this.contentType,
			path: this.path
		};
	}
};
/**
* Creates a context containing multipart parser limit settings.
*
* **Details**
*
* The context can provide maximum part count, field size, file size, total body
* size, and MIME types that should be parsed as fields.
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const limitsServices = (options) => {
	const map = /* @__PURE__ */ new Map();
	if (options.maxParts !== void 0) map.set(MaxParts.key, options.maxParts);
	if (options.maxFieldSize !== void 0) map.set(MaxFieldSize.key, fromInputUnsafe(options.maxFieldSize));
	if (options.maxFileSize !== void 0) map.set(MaxFileSize.key, fromInputUnsafe(options.maxFileSize));
	if (options.maxTotalSize !== void 0) map.set(MaxBodySize.key, fromInputUnsafe(options.maxTotalSize));
	if (options.fieldMimeTypes !== void 0) map.set(FieldMimeTypes.key, options.fieldMimeTypes);
	return makeUnsafe(map);
};
/**
* Context reference for the maximum number of multipart parts allowed.
*
* **Details**
*
* The default is `undefined`, meaning no explicit part-count limit.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const MaxParts = /*#__PURE__*/ Reference("effect/http/Multipart/MaxParts", { defaultValue: () => void 0 });
/**
* Context reference for the maximum size of a multipart field value.
*
* **Details**
*
* The default limit is 10 MiB.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const MaxFieldSize = /*#__PURE__*/ Reference("effect/http/Multipart/MaxFieldSize", { defaultValue: /*#__PURE__*/ constant(/*#__PURE__*/ mebibytes(10)) });
/**
* Context reference for the maximum size of a multipart file part.
*
* **Details**
*
* The default is `undefined`, meaning no explicit per-file limit.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const MaxFileSize = /*#__PURE__*/ Reference("effect/http/Multipart/MaxFileSize", { defaultValue: () => void 0 });
/**
* Context reference for MIME type fragments that should be parsed as multipart
* fields instead of files.
*
* **Details**
*
* The default treats `application/json` parts as fields.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const FieldMimeTypes = /*#__PURE__*/ Reference("effect/http/Multipart/FieldMimeTypes", { defaultValue: /*#__PURE__*/ constant(["application/json"]) });

// node_modules/effect/dist/http/HttpServerRequest.js
/**
* Runtime type identifier for `HttpServerRequest` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$5 = "~effect/http/HttpServerRequest";
/**
* Service tag for the active server-side HTTP request.
*
* **When to use**
*
* Use to access the request currently being handled by HTTP server routes and
* middleware.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const HttpServerRequest = /*#__PURE__*/ Service$1("effect/http/HttpServerRequest");
/**
* Service that contains decoded URL query parameters for the current request.
*
* **When to use**
*
* Use to access query parameters that have already been parsed for the current
* server request.
*
* **Details**
*
* Each key maps to a string value, or to an array when the parameter appears more
* than once.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var ParsedSearchParams = class extends (/*#__PURE__*/ Service$1()("effect/http/ParsedSearchParams")) {};
/**
* Decodes a schema from the cookies of the current request.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const schemaCookies = (schema, options) => {
	const parse = decodeUnknownEffect(schema);
	return flatMap(HttpServerRequest, (req) => parse(req.cookies, options));
};
/**
* Decodes a schema from the headers of the current request.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const schemaHeaders = (schema, options) => {
	const parse = decodeUnknownEffect(schema);
	return flatMap(HttpServerRequest, (req) => parse(req.headers, options));
};
/**
* Decodes a schema from the parsed search parameters of the current request.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const schemaSearchParams = (schema, options) => {
	const parse = decodeUnknownEffect(schema);
	return flatMap(ParsedSearchParams, (params) => parse(params, options));
};
const removeHost = (url) => {
	if (url[0] === "/") return url;
	const index = url.indexOf("/", url.indexOf("//") + 2);
	return index === -1 ? "/" : url.slice(index);
};
var ServerRequestImpl = class ServerRequestImpl extends Class {
	[TypeId$5];
	[TypeId$13];
	source;
	url;
	headersOverride;
	remoteAddressOverride;
	peerAddressOverride;
	protocol;
	constructor(source, url, headersOverride, remoteAddressOverride, peerAddressOverride, protocol) {
		super();
		this[TypeId$5] = TypeId$5;
		this[TypeId$13] = TypeId$13;
		this.source = source;
		this.url = url;
		this.headersOverride = headersOverride;
		this.remoteAddressOverride = remoteAddressOverride;
		this.peerAddressOverride = peerAddressOverride;
		this.protocol = protocol;
	}
	toJSON() {
		return inspect(this, {
			_id: "HttpServerRequest",
			method: this.method,
			url: redactUrl(this.originalUrl)
		});
	}
	modify(options) {
		return new ServerRequestImpl(this.source, options.url ?? this.url, options.headers ?? this.headersOverride, "remoteAddress" in options ? options.remoteAddress : this.remoteAddressOverride, options.peerAddress ?? this.peerAddressOverride, options.protocol ?? this.protocol);
	}
	get method() {
		return this.source.method.toUpperCase();
	}
	get originalUrl() {
		return this.source.url;
	}
	get remoteAddress() {
		return this.remoteAddressOverride ?? none();
	}
	get peerAddress() {
		return this.peerAddressOverride ?? this.remoteAddress;
	}
	get headers() {
		this.headersOverride ??= fromInput$1(this.source.headers);
		return this.headersOverride;
	}
	cachedCookies;
	get cookies() {
		if (this.cachedCookies) return this.cachedCookies;
		return this.cachedCookies = parseHeader(this.headers.cookie ?? "");
	}
	get stream() {
		return this.source.body ? fromReadableStream({
			evaluate: () => this.source.body,
			onError: (cause) => new HttpServerError({ reason: new RequestParseError({
				request: this,
				cause
			}) })
		}) : fail$4(new HttpServerError({ reason: new RequestParseError({
			request: this,
			description: "can not create stream from empty body"
		}) }));
	}
	textEffect;
	get text() {
		return this.textEffect ??= map(this.arrayBuffer, (buffer) => textDecoder.decode(buffer));
	}
	get json() {
		return flatMap(this.text, (text) => try_({
			try: () => JSON.parse(text),
			catch: (cause) => new HttpServerError({ reason: new RequestParseError({
				request: this,
				cause
			}) })
		}));
	}
	get urlParamsBody() {
		return flatMap(this.arrayBuffer, (bytes) => try_({
			try: () => fromInput$2(fromBody(bytes)),
			catch: (cause) => new HttpServerError({ reason: new RequestParseError({
				request: this,
				cause
			}) })
		}));
	}
	multipartEffect;
	get multipart() {
		if (this.multipartEffect) return this.multipartEffect;
		this.multipartEffect = runSync(cached(toPersisted(this.multipartStream)));
		return this.multipartEffect;
	}
	get multipartStream() {
		return pipeThroughChannel(mapError$2(this.stream, (cause) => MultipartError.fromReason("InternalError", cause)), makeChannel(this.headers));
	}
	arrayBufferEffect;
	get arrayBuffer() {
		if (this.arrayBufferEffect) return this.arrayBufferEffect;
		this.arrayBufferEffect = withFiber((fiber) => {
			const maxBodySize = fiber.getRef(MaxBodySize);
			return tryPromise({
				try: (signal) => maxBodySize === void 0 ? this.source.arrayBuffer() : readArrayBufferLimited(this.source, Number(maxBodySize), signal),
				catch: (cause) => new HttpServerError({ reason: new RequestParseError({
					request: this,
					reason: cause instanceof BodyTooLargeError ? "BodyTooLarge" : "Parse",
					cause
				}) })
			});
		}).pipe(cached, runSync);
		return this.arrayBufferEffect;
	}
	get upgrade() {
		return this.upgradeWith({});
	}
	upgradeWith(_options) {
		return fail$1(new HttpServerError({ reason: new RequestParseError({
			request: this,
			description: "Not an upgradeable ServerRequest"
		}) }));
	}
};
var ClientRequestImpl = class ClientRequestImpl extends Class {
	[TypeId$5];
	[TypeId$13];
	source;
	originalUrl;
	headersOverride;
	remoteAddressOverride;
	peerAddressOverride;
	protocol;
	urlOverride;
	constructor(source, originalUrl, urlOverride, headersOverride, remoteAddressOverride, peerAddressOverride, protocol) {
		super();
		this[TypeId$5] = TypeId$5;
		this[TypeId$13] = TypeId$13;
		this.source = source;
		this.originalUrl = originalUrl;
		this.urlOverride = urlOverride;
		this.headersOverride = headersOverride;
		this.remoteAddressOverride = remoteAddressOverride;
		this.peerAddressOverride = peerAddressOverride;
		this.protocol = protocol;
	}
	toJSON() {
		return inspect(this, {
			_id: "HttpServerRequest",
			method: this.method,
			url: redactUrl(this.originalUrl)
		});
	}
	modify(options) {
		return new ClientRequestImpl(this.source, this.originalUrl, options.url ?? this.url, options.headers ?? this.headersOverride, "remoteAddress" in options ? options.remoteAddress : this.remoteAddressOverride, options.peerAddress ?? this.peerAddressOverride, options.protocol ?? this.protocol);
	}
	get method() {
		return this.source.method;
	}
	get url() {
		return this.urlOverride ?? removeHost(this.originalUrl);
	}
	get remoteAddress() {
		return this.remoteAddressOverride ?? none();
	}
	get peerAddress() {
		return this.peerAddressOverride ?? this.remoteAddress;
	}
	get headers() {
		return this.headersOverride ??= this.source.headers;
	}
	cachedCookies;
	get cookies() {
		if (this.cachedCookies) return this.cachedCookies;
		return this.cachedCookies = parseHeader(this.headers.cookie ?? "");
	}
	get stream() {
		const body = this.source.body;
		switch (body._tag) {
			case "Empty": return empty$3;
			case "Uint8Array": return succeed$4(body.body);
			case "Stream": return mapError$2(body.stream, (cause) => requestParseError(this, void 0, cause));
			case "FormData": return streamFromReadable(this, new Response(body.formData).body);
			case "Raw": return rawBodyStream(this, body.body);
		}
	}
	bytesEffect;
	get bytes() {
		if (this.bytesEffect) return this.bytesEffect;
		const body = this.source.body;
		let effect;
		switch (body._tag) {
			case "Empty":
				effect = succeed(/* @__PURE__ */ new Uint8Array(0));
				break;
			case "Uint8Array":
				effect = succeed(body.body);
				break;
			case "FormData":
				effect = bytesFromBodyInit(this, body.formData);
				break;
			case "Stream":
				effect = mkUint8Array$1(this.stream);
				break;
			case "Raw": effect = rawBodyBytes(this, body.body);
		}
		this.bytesEffect = runSync(cached(effect));
		return this.bytesEffect;
	}
	get text() {
		return map(this.bytes, (bytes) => textDecoder.decode(bytes));
	}
	get json() {
		return flatMap(this.text, (text) => try_({
			try: () => text === "" ? null : JSON.parse(text),
			catch: (cause) => requestParseError(this, void 0, cause)
		}));
	}
	get urlParamsBody() {
		return flatMap(this.bytes, (bytes) => try_({
			try: () => fromInput$2(fromBody(bytes)),
			catch: (cause) => requestParseError(this, void 0, cause)
		}));
	}
	multipartEffect;
	get multipart() {
		if (this.multipartEffect) return this.multipartEffect;
		this.multipartEffect = runSync(cached(toPersisted(this.multipartStream)));
		return this.multipartEffect;
	}
	get multipartStream() {
		const formData = this.source.body._tag === "FormData" && this.source.body.formData;
		if (formData) return fromIterable$1(formDataToParts(formData));
		return pipeThroughChannel(mapError$2(this.stream, (cause) => MultipartError.fromReason("InternalError", cause)), makeChannel(this.headers));
	}
	get arrayBuffer() {
		return map(this.bytes, (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
	}
	get upgrade() {
		return this.upgradeWith({});
	}
	upgradeWith(_options) {
		return fail$1(requestParseError(this, "Not an upgradeable ServerRequest"));
	}
};
const rawBodyStream = (request, body) => {
	if (body instanceof Request) return streamFromReadable(request, body.body);
	if (isReadableStream(body)) return streamFromReadable(request, body);
	if (isBodyInit(body)) return streamFromReadable(request, new Response(body).body);
	return fail$4(requestParseError(request, "Unsupported body type"));
};
const rawBodyBytes = (request, body) => {
	if (body instanceof Request) return tryPromise({
		try: () => body.arrayBuffer().then((buffer) => new Uint8Array(buffer)),
		catch: (cause) => requestParseError(request, void 0, cause)
	});
	if (isBodyInit(body)) return bytesFromBodyInit(request, body);
	return fail$1(requestParseError(request, "Unsupported body type"));
};
const bytesFromBodyInit = (request, body) => tryPromise({
	try: () => new Response(body).arrayBuffer().then((buffer) => new Uint8Array(buffer)),
	catch: (cause) => requestParseError(request, void 0, cause)
});
const streamFromReadable = (request, body) => body ? fromReadableStream({
	evaluate: () => body,
	onError: (cause) => requestParseError(request, void 0, cause)
}) : empty$3;
const requestParseError = (request, description, cause) => new HttpServerError({ reason: new RequestParseError({
	request,
	...description === void 0 ? void 0 : { description },
	...cause === void 0 ? void 0 : { cause }
}) });
const formDataToParts = (formData) => {
	const parts = [];
	for (const [key, value] of formData.entries()) parts.push(typeof value === "string" ? new MultipartFieldPart(key, value) : new MultipartFilePart(key, value));
	return parts;
};
var MultipartFieldPart = class extends Class {
	[TypeId$6];
	_tag = "Field";
	contentType = "text/plain";
	key;
	value;
	constructor(key, value) {
		super();
		this[TypeId$6] = TypeId$6;
		this.key = key;
		this.value = value;
	}
	toJSON() {
		return {
			_id: "@effect/platform/Multipart/Part",
			_tag: "Field",
			key: this.key,
			contentType: this.contentType,
			value: this.value
		};
	}
};
var MultipartFilePart = class extends Class {
	[TypeId$6];
	_tag = "File";
	key;
	name;
	contentType;
	content;
	contentEffect;
	constructor(key, file) {
		super();
		this[TypeId$6] = TypeId$6;
		this.key = key;
		this.name = file.name;
		this.contentType = file.type;
		this.content = fromReadableStream({
			evaluate: () => file.stream(),
			onError: (cause) => MultipartError.fromReason("InternalError", cause)
		});
		this.contentEffect = tryPromise({
			try: () => file.arrayBuffer().then((buffer) => new Uint8Array(buffer)),
			catch: (cause) => MultipartError.fromReason("InternalError", cause)
		});
	}
	toJSON() {
		return {
			_id: "@effect/platform/Multipart/Part",
			_tag: "File",
			key: this.key,
			name: this.name,
			contentType: this.contentType
		};
	}
};
const isReadableStream = (u) => typeof ReadableStream !== "undefined" && u instanceof ReadableStream;
const isFormData = (u) => typeof FormData !== "undefined" && u instanceof FormData;
const isBodyInit = (u) => typeof u === "string" || typeof ArrayBuffer !== "undefined" && (u instanceof ArrayBuffer || ArrayBuffer.isView(u)) || typeof Blob !== "undefined" && u instanceof Blob || isFormData(u) || typeof URLSearchParams !== "undefined" && u instanceof URLSearchParams || isReadableStream(u);
const textDecoder = /*#__PURE__*/ new TextDecoder();
var BodyTooLargeError = class extends Error {
	constructor(maxBytes) {
		super(`Request body exceeds ${maxBytes} bytes`);
	}
};
const readArrayBufferLimited = async (source, maxBytes, signal) => {
	const header = source.headers.get("content-length");
	const contentLength = header !== null && /^\d+$/.test(header) ? Number(header) : void 0;
	if (contentLength !== void 0 && contentLength > maxBytes) throw new BodyTooLargeError(maxBytes);
	if (source.body === null) return /* @__PURE__ */ new ArrayBuffer(0);
	const limit = contentLength ?? maxBytes;
	const reader = source.body.getReader();
	const cancel = () => {
		reader.cancel().catch(() => {});
	};
	signal.addEventListener("abort", cancel, { once: true });
	const chunks = [];
	let bytes = 0;
	try {
		while (true) {
			const { done, value } = await reader.read();
			if (done) break;
			bytes += value.byteLength;
			if (bytes > limit) {
				cancel();
				throw bytes > maxBytes ? new BodyTooLargeError(maxBytes) : /* @__PURE__ */ new Error(`Request body is longer than its content-length of ${contentLength}`);
			}
			chunks.push(value);
		}
	} finally {
		signal.removeEventListener("abort", cancel);
		reader.releaseLock();
	}
	const buffer = new Uint8Array(bytes);
	let offset = 0;
	for (const chunk of chunks) {
		buffer.set(chunk, offset);
		offset += chunk.byteLength;
	}
	return buffer.buffer;
};
/**
* Attempts to construct an absolute `URL` for a server request safely.
*
* **Details**
*
* Uses `host` (defaulting to `localhost`) and the request `protocol` set by
* trusted proxy middleware. Otherwise, infers HTTPS from a case-insensitive
* `https:` prefix in `originalUrl`, defaulting to HTTP. Forwarding headers such
* as `x-forwarded-proto` are never read directly; use
* `HttpMiddleware.xForwardedHeaders` behind a TLS-terminating proxy. An
* absolute `url` keeps its own protocol and host. Invalid URLs return
* `Option.none`.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toURL = (self) => {
	const host = self.headers.host ?? "localhost";
	const protocol = self.protocol ?? (/^https:/i.test(self.originalUrl) ? "https" : "http");
	try {
		return some(new URL(self.url.startsWith("/") ? `.${self.url}` : self.url, `${protocol}://${host}`));
	} catch {
		return none();
	}
};

// node_modules/effect/dist/http/HttpTraceContext.js
/**
* HTTP propagation helpers for Effect tracing context.
*
* This module converts Effect `Tracer.Span` values into outbound trace headers
* and decodes inbound propagation headers into `Tracer.ExternalSpan` parents.
* HTTP clients use it to continue the current span across outgoing requests, and
* server middleware uses it to parent request spans from upstream services.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Encodes a span into HTTP trace propagation headers.
*
* **Details**
*
* The generated headers include both compact B3 (`b3`) and W3C `traceparent`
* formats.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const toHeaders = (span) => fromRecordUnsafe({
	b3: `${span.traceId}-${span.spanId}-${span.sampled ? "1" : "0"}${match(span.parent, {
		onNone: () => "",
		onSome: (parent) => `-${parent.spanId}`
	})}`,
	traceparent: `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
});
/**
* Decodes an external span safely from HTTP trace propagation headers.
*
* **Details**
*
* W3C `traceparent` is tried first, followed by compact B3 (`b3`) and then
* multi-header B3 (`x-b3-*`).
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
const fromHeaders = (headers) => {
	let span = w3c(headers);
	if (isSome(span)) return span;
	span = b3(headers);
	if (isSome(span)) return span;
	return xb3(headers);
};
/**
* Decodes an external span safely from the compact B3 `b3` header.
*
* **Details**
*
* Returns `Option.none` when the header is missing or does not contain trace and
* span identifiers.
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
const b3 = (headers) => {
	if (!("b3" in headers)) return none();
	const parts = headers["b3"].split("-");
	if (parts.length < 2 || isB3Ids(parts[0], parts[1]) === false) return none();
	return some(externalSpan({
		traceId: parts[0],
		spanId: parts[1],
		sampled: parts[2] ? parts[2] === "1" || parts[2] === "d" : true
	}));
};
/**
* Decodes an external span safely from multi-header B3 propagation headers.
*
* **Details**
*
* The decoder reads `x-b3-traceid`, `x-b3-spanid`, and optional `x-b3-sampled`
* and `x-b3-flags` headers. Debug flags override the sampling decision.
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
const xb3 = (headers) => {
	if (!headers["x-b3-traceid"] || !headers["x-b3-spanid"] || isB3Ids(headers["x-b3-traceid"], headers["x-b3-spanid"]) === false) return none();
	return some(externalSpan({
		traceId: headers["x-b3-traceid"],
		spanId: headers["x-b3-spanid"],
		sampled: headers["x-b3-flags"] === "1" || (headers["x-b3-sampled"] ? headers["x-b3-sampled"] === "1" || headers["x-b3-sampled"] === "true" : true)
	}));
};
const w3cTraceId = /^[0-9a-f]{32}$/;
const w3cSpanId = /^[0-9a-f]{16}$/;
const w3cTraceFlags = /^[0-9a-f]{2}$/;
const b3TraceId = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/;
const isB3Ids = (traceId, spanId) => b3TraceId.test(traceId) && w3cSpanId.test(spanId);
/**
* Decodes an external span safely from the W3C `traceparent` header.
*
* **Details**
*
* Only version `00` headers with valid trace and span identifiers and trace
* flags are accepted.
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
const w3c = (headers) => {
	if (!headers["traceparent"]) return none();
	const parts = headers["traceparent"].split("-");
	if (parts.length !== 4) return none();
	const [version, traceId, spanId, flags] = parts;
	switch (version) {
		case "00":
			if (w3cTraceId.test(traceId) === false || w3cSpanId.test(spanId) === false || w3cTraceFlags.test(flags) === false || traceId === "00000000000000000000000000000000" || spanId === "0000000000000000") return none();
			return some(externalSpan({
				traceId,
				spanId,
				sampled: (parseInt(flags, 16) & 1) === 1
			}));
		default: return none();
	}
};

// node_modules/effect/dist/http/internal/requestState.js
/**
* Mutable state owned by the root that handles a single server request.
*
* @internal
*/
var RequestState = class {
	preResponseHandler = void 0;
	loggerDisabled = false;
};
/**
* Provided by request roots alongside `HttpServerRequest`. It has no default,
* so writes outside a request do not reach shared state.
*
* @internal
*/
const CurrentRequestState = /*#__PURE__*/ Service$1("effect/http/HttpEffect/CurrentRequestState");
/**
* @internal
*/
const appendPreResponseHandlerUnsafe = (context, handler) => {
	const state = getOrUndefined(context, CurrentRequestState);
	if (state === void 0) return;
	const prev = state.preResponseHandler;
	state.preResponseHandler = prev ? (request, response) => flatMap(prev(request, response), (response) => handler(request, response)) : handler;
};

// node_modules/effect/dist/http/internal/tracing.js
const defaultPorts = {
	"http:": 80,
	"https:": 443,
	"ws:": 80,
	"wss:": 443
};
/**
* Records `url.*` and `server.*` attributes with URL redaction.
*
* @internal
*/
const addUrlAttributes = (span, url, redactedNames) => {
	const query = redactUrl(url.search, redactedNames).slice(1);
	span.attribute("url.full", redactUrl(url.href, redactedNames));
	span.attribute("url.path", url.pathname);
	if (query !== "") span.attribute("url.query", query);
	span.attribute("url.scheme", url.protocol.slice(0, -1));
	if (url.hostname !== "") {
		span.attribute("server.address", url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname);
		const port = url.port === "" ? defaultPorts[url.protocol] : Number(url.port);
		if (port !== void 0) span.attribute("server.port", port);
	}
};
/**
* Adds the names of `Redacted` parameters to the redacted names.
*
* @internal
*/
const redactedNames = (urlParams, redactedNames) => {
	const keys = urlParams.params.filter(([, value]) => typeof value !== "string").map(([key]) => key);
	return keys.length === 0 ? redactedNames : [...redactedNames, ...new URLSearchParams(keys.map((key) => [key, ""])).keys()];
};
/** @internal */
const addHeaderAttributes = (span, phase, headers, filter, redactedNames) => {
	for (const name in headers) {
		if (!filter(name, phase)) continue;
		span.attribute(`http.${phase}.header.${name}`, isRedactedName(name, redactedNames) ? "<redacted>" : headers[name]);
	}
};

// node_modules/effect/dist/http/HttpMiddleware.js
/**
* Defines an `HttpMiddleware` while preserving its precise type.
*
* **Gotchas**
*
* TypeScript cannot infer the `app` parameter of an `Effect.fn` or
* `Effect.fnUntraced` generator passed directly to `make`, so `app` becomes
* `any` and the middleware loses the app's error and service types. Prefer an
* arrow function, as in the first example. To use `Effect.fn`, declare `E`
* and `R` type parameters and annotate `app` with them.
*
* **Example** (Defining middleware)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { HttpMiddleware, HttpServerResponse } from "effect/http"
*
* const withHeader = HttpMiddleware.make((app) =>
*   Effect.gen(function*() {
*     const response = yield* app
*     return HttpServerResponse.setHeader(response, "x-service", "example")
*   })
* )
*
* const app: Effect.Effect<HttpServerResponse.HttpServerResponse, "Unauthorized"> =
*   Effect.fail("Unauthorized")
*
* // Effect<HttpServerResponse, "Unauthorized", HttpServerRequest>
* const withHeaderApp = withHeader(app)
* ```
*
* **Example** (Defining middleware with Effect.fn)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { HttpMiddleware, HttpServerResponse } from "effect/http"
*
* const withHeader = HttpMiddleware.make(
*   Effect.fn("withHeader")(function*<E, R>(
*     app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
*   ) {
*     const response = yield* app
*     return HttpServerResponse.setHeader(response, "x-service", "example")
*   })
* )
*
* const app: Effect.Effect<HttpServerResponse.HttpServerResponse, "Unauthorized"> =
*   Effect.fail("Unauthorized")
*
* // Effect<HttpServerResponse, "Unauthorized", never>
* const withHeaderApp = withHeader(app)
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$4 = (middleware) => middleware;
/**
* Runs an effect with HTTP response logging disabled for the current server request.
*
* @stability unstable
* @category logging
* @since 4.0.0
*/
const withLoggerDisabled = (self) => withFiber((fiber) => {
	const state = getOrUndefined(fiber.context, CurrentRequestState);
	if (state !== void 0) state.loggerDisabled = true;
	return self;
});
/**
* Context reference for a predicate that disables server-side tracing for matching requests.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const TracerDisabledWhen = /*#__PURE__*/ Reference("effect/http/HttpMiddleware/TracerDisabledWhen", { defaultValue: () => constFalse });
/**
* Context reference for generating server span names from HTTP server requests.
*
* **Details**
*
* Defaults to the request method unchanged.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const SpanNameGenerator = /*#__PURE__*/ Reference("@effect/platform/HttpMiddleware/SpanNameGenerator", { defaultValue: () => (request) => request.method });
/**
* Context reference for filtering request and response headers added to server spans.
*
* **Details**
*
* Header capture is opt-in: the default filter records no headers. Captured
* headers listed in `Headers.CurrentRedactedNames` are recorded as `<redacted>`.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const TracerHeaderFilter = /*#__PURE__*/ Reference("effect/http/HttpMiddleware/TracerHeaderFilter", { defaultValue: () => constFalse });
/**
* @internal
*/
const isTracerDisabledUnsafe = (fiber, request) => !fiber.cache.tracerEnabled || fiber.getRef(TracerDisabledWhen)(request);
const responseSpanExit = (fiber, request, response) => {
	if (!(response.status >= 500 && response.status < 600)) return succeed$2(response);
	const url = redactUrl(request.url, fiber.getRef(CurrentRedactedNames));
	if (url !== request.url) request = request.modify({ url });
	const stackTraceLimit = getStackTraceLimit();
	setStackTraceLimit(0);
	try {
		return fail$2(new HttpServerError({ reason: new ResponseError({
			request,
			response
		}) }));
	} finally {
		setStackTraceLimit(stackTraceLimit);
	}
};
/**
* Middleware that creates a server trace span for each request and records request and response HTTP attributes.
*
* @stability unstable
* @category tracing
* @since 4.0.0
*/
const tracer = /*#__PURE__*/ make$4((httpApp) => withFiber((fiber) => {
	const request = getUnsafe(fiber.context, HttpServerRequest);
	if (isTracerDisabledUnsafe(fiber, request)) return httpApp;
	const nameGenerator = fiber.getRef(SpanNameGenerator);
	const span = makeSpanUnsafe(fiber, nameGenerator(request), {
		parent: getOrUndefined$1(fromHeaders(request.headers)),
		kind: "server"
	});
	const prevServices = fiber.context;
	fiber.setContext(add$1(fiber.context, ParentSpan, span));
	onExitUnsafe(fiber, (exit) => {
		fiber.setContext(prevServices);
		const endTime = fiber.getRef(Clock).currentTimeNanosUnsafe();
		if (isSuccess(exit) && (!span.sampled || fiber.getRef(Tracer) === nativeTracer)) {
			span.end(endTime, responseSpanExit(fiber, request, exit.value));
			return;
		}
		const redactedHeaderNames = fiber.getRef(CurrentRedactedNames$1);
		const headerFilter = fiber.getRef(TracerHeaderFilter);
		let response;
		let spanExit;
		if (isFailure(exit)) {
			const [failureResponse, cause] = causeResponseStripped(exit.cause);
			response = failureResponse;
			spanExit = isSome(cause) && (response.status >= 500 || hasInterrupts(cause.value)) ? failCause(cause.value) : responseSpanExit(fiber, request, response);
		} else {
			response = exit.value;
			spanExit = responseSpanExit(fiber, request, response);
		}
		if (span.sampled) {
			span.attribute("http.request.method", request.method);
			const url = toURL(request);
			if (isSome(url)) addUrlAttributes(span, url.value, fiber.getRef(CurrentRedactedNames));
			if (request.headers["user-agent"] !== void 0) span.attribute("user_agent.original", request.headers["user-agent"]);
			addHeaderAttributes(span, "request", request.headers, headerFilter, redactedHeaderNames);
			if (isSome(request.remoteAddress)) span.attribute("client.address", request.remoteAddress.value);
			span.attribute("http.response.status_code", response.status);
			addHeaderAttributes(span, "response", response.headers, headerFilter, redactedHeaderNames);
		}
		span.end(endTime, spanExit);
	});
	return httpApp;
}));

// node_modules/effect/dist/http/HttpRouter.js
/**
* Builds server-side routers for Effect HTTP applications.
*
* `HttpRouter` collects routes and middleware while an application layer is
* being built. Once the router is complete, it handles each
* `HttpServerRequest` by finding a matching route and producing an
* `HttpServerResponse`. The module also includes helpers for route definitions,
* prefixes, parameters, request decoding, CORS, and running the router.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$4 = "~effect/http/HttpRouter";
/**
* Service tag for the HTTP router used while constructing an HTTP application.
* Route and middleware layers require this service to register themselves with
* the router.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const HttpRouter = /*#__PURE__*/ Service$1("effect/http/HttpRouter");
/**
* Constructs an empty `HttpRouter` service.
*
* **Details**
*
* The returned router accepts route and middleware registrations and later routes
* the current `HttpServerRequest` to the matching `HttpServerResponse`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$3 = /*#__PURE__*/ gen(function* () {
	const config = yield* RouterConfig;
	const ignoreDuplicateSlashes = config.ignoreDuplicateSlashes ?? true;
	const router = make$9(config);
	const middleware = /* @__PURE__ */ new Set();
	const addAll = (routes) => contextWith((context) => {
		const middleware = getMiddleware(context);
		const applyMiddleware = (effect) => {
			for (let i = 0; i < middleware.length; i++) effect = middleware[i](effect);
			return effect;
		};
		for (let i = 0; i < routes.length; i++) {
			const route = middleware.length === 0 ? routes[i] : makeRoute({
				...routes[i],
				handler: applyMiddleware(routes[i].handler)
			});
			const handler = {
				route,
				prefixSegments: isSome(route.prefix) ? countSegments(route.prefix.value, ignoreDuplicateSlashes) : void 0
			};
			if (route.method === "*") {
				if (route.path.endsWith("/*")) {
					router.all(route.path, handler);
					router.all(route.path.slice(0, -2), handler);
				} else router.all(route.path, handler);
			} else if (route.path.endsWith("/*")) {
				router.on(route.method, route.path, handler);
				router.on(route.method, route.path.slice(0, -2), handler);
			} else router.on(route.method, route.path, handler);
		}
		return void_;
	});
	return HttpRouter.of({
		[TypeId$4]: TypeId$4,
		prefixed(prefix) {
			prefix = removeTrailingSlash(prefix);
			return HttpRouter.of({
				...this,
				prefixed: (newPrefix) => this.prefixed(prefixPath(newPrefix, prefix)),
				addAll: (routes) => addAll(routes.map(prefixRoute(prefix))),
				add: (method, path, handler, options) => addAll([makeRoute({
					method,
					path: prefixPath(path, prefix),
					handler: isHttpServerResponse(handler) ? succeed(handler) : isEffect(handler) ? handler : flatMap(HttpServerRequest, handler),
					uninterruptible: options?.uninterruptible ?? false,
					prefix
				})])
			});
		},
		addAll,
		add: (method, path, handler, options) => addAll([route(method, path, handler, options)]),
		addGlobalMiddleware: (middleware_) => sync(() => {
			middleware.add(middleware_);
		}),
		asHttpEffect() {
			let handler = withFiber((fiber) => {
				let context = fiber.context;
				const request = getUnsafe(context, HttpServerRequest);
				let result = router.find(request.method, request.url);
				let paramLimit = result === void 0 ? getMaxParamLengthExceeded(router) : void 0;
				if (result === void 0 && request.method === "HEAD") {
					result = router.find("GET", request.url);
					paramLimit ??= getMaxParamLengthExceeded(router);
				}
				if (result === void 0) return fail$1(new HttpServerError({ reason: new RouteNotFound(paramLimit === void 0 ? { request } : {
					request,
					description: `path parameter is longer than maxParamLength (${paramLimit})`
				}) }));
				const { route, prefixSegments } = result.handler;
				if (prefixSegments !== void 0) context = add$1(context, HttpServerRequest, sliceRequestUrl(request, prefixSegments, ignoreDuplicateSlashes));
				context = add$1(context, ParsedSearchParams, result.searchParams);
				context = add$1(context, RouteContext, {
					route,
					params: result.params
				});
				if (fiber.getRef(Tracer) !== nativeTracer) {
					const span = getOrUndefined(context, ParentSpan);
					if (span !== void 0 && span._tag === "Span" && span.sampled) span.attribute("http.route", route.path);
				}
				fiber.setContext(context);
				if (!route.uninterruptible) {
					const interrupted = fiberEnterInterruptibleUnsafe(fiber);
					if (interrupted !== void 0) return interrupted;
				}
				return route.handler;
			});
			if (middleware.size === 0) return handler;
			for (const fn of reverse(middleware)) handler = fn(handler);
			return handler;
		}
	});
});
function sliceRequestUrl(request, prefixSegments, ignoreDuplicateSlashes) {
	const url = request.url;
	let index = 0;
	for (let segments = prefixSegments; segments > 0; segments--) {
		if (ignoreDuplicateSlashes) while (url[index] === "/") index++;
		else if (url[index] === "/") index++;
		while (index < url.length && !"/?;#".includes(url[index])) index++;
	}
	const rest = url.slice(index);
	return request.modify({ url: rest.startsWith("/") ? rest : "/" + rest });
}
function countSegments(prefix, ignoreDuplicateSlashes) {
	let count = 0;
	let inParamName = false;
	for (let i = 0; i < prefix.length; i++) {
		const char = prefix[i];
		if (char === "/") {
			if (!ignoreDuplicateSlashes || prefix[i - 1] !== "/") count++;
			inParamName = false;
		} else if (char === ":") {
			if (prefix[i + 1] === ":") i++;
			else inParamName = true;
		} else if (char === "-" || char === ".") inParamName = false;
		else if (char === "(" && inParamName) {
			i = getClosingParenthensePosition(prefix, i);
			inParamName = false;
		}
	}
	return count;
}
/**
* Context reference for low-level router configuration.
*
* **Details**
*
* The value is passed to the route matcher when an `HttpRouter` is created and
* defaults to an empty configuration.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const RouterConfig = /*#__PURE__*/ Reference("effect/http/HttpRouter/RouterConfig", { defaultValue: () => ({}) });
/**
* Service for the matched HTTP route in the current request.
*
* **When to use**
*
* Use to read captured path parameters and route metadata while handling a
* request matched by the router.
*
* **Details**
*
* It provides the route definition and the path parameters captured by the route
* matcher.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var RouteContext = class extends (/*#__PURE__*/ Service$1()("effect/http/HttpRouter/RouteContext")) {};
/**
* Creates a layer that accesses the current `HttpRouter` service and runs the
* supplied effect.
*
* **When to use**
*
* Use when you need to register routes or middleware with the router during layer
* construction.
*
* **Example** (Registering routes during layer construction)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* import { HttpRouter, HttpServerResponse } from "effect/http"
*
* const Routes = HttpRouter.use((router) =>
*   router.add("GET", "/health", HttpServerResponse.text("ready"))
* )
*
* const program = Effect.acquireUseRelease(
*   Effect.sync(() => HttpRouter.toWebHandler(Routes, { disableLogger: true })),
*   ({ handler }) =>
*     Effect.gen(function*() {
*       const response = yield* Effect.promise(() => handler(new Request("http://localhost/health")))
*       const body = yield* Effect.promise(() => response.text())
*       return body
*     }),
*   ({ dispose }) => Effect.promise(dispose)
* )
*
* await Effect.runPromise(program) // => "ready"
* ```
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const use = (f) => effectDiscard(flatMap(HttpRouter, f));
/**
* Create a layer that adds a single route to the HTTP router.
*
* **Example** (Adding a GET route)
*
* ```ts import.meta.vitest
* import { Layer } from "effect"
* import { HttpRouter, HttpServerResponse } from "effect/http"
*
* const Route = HttpRouter.add(
*   "GET",
*   "/hello",
*   HttpServerResponse.text("Hello, World!")
* )
* Layer.isLayer(Route) // => true
* ```
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const add = (method, path, handler, options) => use((router) => router.add(method, path, handler, options));
/**
* Layer that provides a newly constructed `HttpRouter`.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer = /*#__PURE__*/ effect(HttpRouter)(make$3);
/**
* Builds an application layer with a router and returns the router as an HTTP
* handler effect.
*
* **Details**
*
* The returned effect handles the current `HttpServerRequest` in the current
* `Scope`; route request markers are converted into the ordinary requirements of
* the returned handler.
*
* **Gotchas**
*
* The layer is built with a forked `MemoMap`, so calling `toHttpEffect` twice
* will build the same layer twice.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toHttpEffect = (appLayer) => contextWith((context) => {
	const scope = get$1(context, Scope);
	const memoMap = CurrentMemoMap.forkOrCreate(context);
	return map(buildWithMemoMap(provideMerge(appLayer, layer), memoMap, scope), (context) => {
		return get$1(context, HttpRouter).asHttpEffect();
	});
});
const RouteTypeId = "~effect/http/HttpRouter/Route";
const makeRoute = (options) => ({
	...options,
	uninterruptible: options.uninterruptible ?? false,
	prefix: typeof options.prefix === "string" ? some(options.prefix) : options.prefix ?? none(),
	[RouteTypeId]: RouteTypeId
});
/**
* Constructs a `Route` from an HTTP method, path, and handler.
*
* **Details**
*
* The handler may be a static response, an effect that produces a response, or a
* function from the current request to a response effect. Set `uninterruptible` to
* prevent the route handler from being made interruptible while it runs.
*
* @stability unstable
* @category routes
* @since 4.0.0
*/
const route = (method, path, handler, options) => makeRoute({
	...options,
	method,
	path,
	handler: isHttpServerResponse(handler) ? succeed(handler) : isEffect(handler) ? handler : flatMap(HttpServerRequest, handler),
	uninterruptible: options?.uninterruptible ?? false
});
const removeTrailingSlash = (path) => path.endsWith("/") ? path.slice(0, -1) : path;
/**
* Adds a path prefix to a route path.
*
* **Details**
*
* Trailing slashes are removed from the prefix; `/` becomes the prefix itself and
* `*` becomes a wildcard route under the prefix.
*
* @stability unstable
* @category transforming
* @since 4.0.0
*/
const prefixPath = /*#__PURE__*/ dual(2, (self, prefix) => {
	prefix = removeTrailingSlash(prefix);
	if (self === "*") return `${prefix}/*`;
	else if (self === "/") return prefix;
	return prefix + self;
});
/**
* Returns a copy of a route with its path prefixed.
*
* **Details**
*
* The prefix is also tracked on the route so that, when the route handles a
* request, the matched prefix can be removed from the request URL seen by the
* handler.
*
* @stability unstable
* @category routes
* @since 4.0.0
*/
const prefixRoute = /*#__PURE__*/ dual(2, (self, prefix) => makeRoute({
	...self,
	path: prefixPath(self.path, prefix),
	prefix: match(self.prefix, {
		onNone: () => removeTrailingSlash(prefix),
		onSome: (existingPrefix) => prefixPath(existingPrefix, prefix)
	})
}));
const MiddlewareTypeId = "~effect/http/HttpRouter/Middleware";
/**
* Create a middleware layer that can be used to modify requests and responses.
*
* **Details**
*
* By default, the middleware only affects the routes that it is provided to.
*
* If you want to create a middleware that applies globally to all routes, pass
* the `global` option as `true`.
*
* **Example** (Applying route and global middleware)
*
* ```ts import.meta.vitest
* import { Effect, Layer } from "effect"
* import { HttpRouter, HttpServerResponse } from "effect/http"
*
* const RouteMiddleware = HttpRouter.middleware((httpEffect) =>
*   Effect.map(httpEffect, HttpServerResponse.setHeader("x-route", "route"))
* ).layer
*
* const GlobalMiddleware = HttpRouter.middleware(
*   (httpEffect) => Effect.map(httpEffect, HttpServerResponse.setHeader("x-global", "global")),
*   { global: true }
* )
*
* const Routes = HttpRouter.add("GET", "/hello", HttpServerResponse.text("Hello")).pipe(
*   Layer.provide(RouteMiddleware)
* )
* const App = Layer.mergeAll(Routes, GlobalMiddleware)
*
* const program = Effect.acquireUseRelease(
*   Effect.sync(() => HttpRouter.toWebHandler(App, { disableLogger: true })),
*   ({ handler }) =>
*     Effect.gen(function*() {
*       const response = yield* Effect.promise(() => handler(new Request("http://localhost/hello")))
*       return [response.headers.get("x-route"), response.headers.get("x-global")]
*     }),
*   ({ dispose }) => Effect.promise(dispose)
* )
*
* await Effect.runPromise(program) // => ["route", "global"]
* ```
*
* @stability unstable
* @category middleware
* @since 4.0.0
*/
const middleware = function() {
	if (arguments.length === 0) return makeMiddleware;
	return makeMiddleware(arguments[0], arguments[1]);
};
const makeMiddleware = (middleware, options) => options?.global ? effectDiscard(gen(function* () {
	const router = yield* HttpRouter;
	const fn = isEffect(middleware) ? yield* middleware : middleware;
	yield* router.addGlobalMiddleware(fn);
})) : new MiddlewareImpl(isEffect(middleware) ? effectContext(map(middleware, (fn) => makeUnsafe(/* @__PURE__ */ new Map([[fnContextKey, fn]])))) : succeedContext(makeUnsafe(/* @__PURE__ */ new Map([[fnContextKey, middleware]]))));
let middlewareId = 0;
const fnContextKey = "effect/http/HttpRouter/MiddlewareFn";
var MiddlewareImpl = class MiddlewareImpl {
	[MiddlewareTypeId] = {};
	layerFn;
	dependencies;
	constructor(layerFn, dependencies) {
		this.layerFn = layerFn;
		this.dependencies = dependencies;
		const contextKey = `effect/http/HttpRouter/Middleware-${++middlewareId}`;
		this.layer = effectContext(gen({ self: this }, function* () {
			const context$1 = yield* context();
			const stack = [getOrUndefinedUnsafe(context$1, fnContextKey)];
			if (this.dependencies) {
				const memoMap = yield* CurrentMemoMap;
				const scope = get$1(context$1, Scope);
				const depsContext = yield* buildWithMemoMap(this.dependencies, memoMap, scope);
				stack.push(...getMiddleware(depsContext));
			}
			return makeUnsafe(/* @__PURE__ */ new Map([[contextKey, stack]]));
		})).pipe(provide$1(this.layerFn));
	}
	layer;
	combine(other) {
		return new MiddlewareImpl(this.layerFn, this.dependencies ? provideMerge(this.dependencies, other.layer) : other.layer);
	}
};
const middlewareCache = /*#__PURE__*/ new WeakMap();
const getMiddleware = (context) => {
	let arr = middlewareCache.get(context);
	if (arr) return arr;
	const topLevel = empty();
	let maxLength = 0;
	for (const [key, value] of context.mapUnsafe) if (key.startsWith("effect/http/HttpRouter/Middleware-")) {
		topLevel.push(value);
		if (value.length > maxLength) maxLength = value.length;
	}
	if (topLevel.length === 0) arr = [];
	else {
		const middleware = /* @__PURE__ */ new Set();
		for (let i = maxLength - 1; i >= 0; i--) for (const arr of topLevel) if (i < arr.length) middleware.add(arr[i]);
		arr = fromIterable(middleware).reverse();
	}
	middlewareCache.set(context, arr);
	return arr;
};
/**
* Middleware that disables the logger for some routes.
*
* **Example** (Disabling route logging)
*
* ```ts import.meta.vitest
* import { Layer } from "effect"
* import { HttpRouter, HttpServerResponse } from "effect/http"
*
* const Route = HttpRouter.add(
*   "GET",
*   "/hello",
*   HttpServerResponse.text("Hello, World!")
* ).pipe(
*   // disable the logger for this route
*   Layer.provide(HttpRouter.disableLogger)
* )
* Layer.isLayer(Route) // => true
* ```
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const disableLogger = (/*#__PURE__*/ middleware(withLoggerDisabled)).layer;

// node_modules/effect/dist/http-api/internal/toCodecHttpProperties.js
/** @internal */
function toCodecHttpProperties(schema) {
	const codec = toCodecStringTree(schema);
	return codec.rebuild(normalizeProperties(codec.ast));
}
const omitUndefined = /*#__PURE__*/ new Transformation(/*#__PURE__*/ passthrough(), /*#__PURE__*/ transformOptional(/*#__PURE__*/ filter(isNotUndefined)));
const present = /*#__PURE__*/ memoize((ast) => {
	if (ast._tag === "Undefined") return new Never(ast.annotations, void 0, void 0, ast.context);
	if (ast._tag === "Suspend") return ast.recur(present);
	if (ast._tag !== "Union") return ast;
	const members = mapOrSame(ast.types, present);
	if (members === ast.types) return ast;
	const types = members.filter((member) => member._tag !== "Never");
	if (types.length === 1 && ast.checks === void 0 && ast.annotations === void 0) return replaceContext(types[0], ast.context);
	return new Union$1(types, ast.options, ast.annotations, ast.checks, void 0, ast.context);
});
const normalizeProperties = /*#__PURE__*/ applyToSelfOrLastLinkEncodingIdempotent((ast) => {
	if (ast._tag === "Union" || ast._tag === "Suspend") return ast.recur(normalizeProperties);
	if (ast._tag !== "Objects") return ast;
	const properties = mapOrSame(ast.propertySignatures, (ps) => {
		const encoded = toEncoded(ps.type);
		if (!isOptional(encoded)) return ps;
		const wire = present(encoded);
		return wire === encoded ? ps : new PropertySignature(ps.name, decodeTo(wire, ps.type, omitUndefined));
	});
	return properties === ast.propertySignatures ? ast : new Objects(properties, ast.indexSignatures, ast.annotations, ast.checks, void 0, ast.context, ast.encodingChecks);
});

// node_modules/effect/dist/http-api/HttpApiEndpoint.js
/**
* Defines endpoint declarations used inside an HTTP API group.
*
* An endpoint records a stable identifier, HTTP method, router path, request schemas,
* response schemas, declared errors, middleware, and annotations. Endpoint
* values are declarations, not handlers: builders use them to decode requests,
* type handler input, encode responses, generate OpenAPI metadata, and derive
* generated-client call signatures. This module also includes HTTP method
* constructors, payload and response schema helpers, and type utilities used by
* builders and generated clients.
*
* **Request variants**
*
* A server needs a distinct method and path per endpoint.
* `HttpApiBuilder.layer` rejects two endpoints that share them, even when their
* query, headers or payload differ. Declare the variants of one operation as a
* single endpoint instead:
*
* - discriminate with a `query` or `headers` field, such as `stream: Schema.Boolean`
* - list several `payload` schemas, chosen by the request `Content-Type`
* - list several `success` schemas with distinct content types or statuses. One
*   of them can be a stream. The server encodes whichever value the handler
*   returns, and the client decodes by the response `Content-Type`
*
* The handler branches on the decoded request, and OpenAPI documents one
* operation with every alternative. The generated client returns the union of
* the success types. Wrap the client method to narrow the result per variant
* when callers need it.
*
* **Example** (Buffered and streaming variants of one operation)
*
* ```ts import.meta.vitest
* import { Effect, Schema, Stream } from "effect"
* import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
*
* const Stats = Schema.Struct({ cpu: Schema.Number })
*
* const Api = HttpApi.make("Docker").add(
*   HttpApiGroup.make("containers").add(
*     // GET /stats?stream=false returns JSON, ?stream=true returns NDJSON
*     HttpApiEndpoint.get("stats", "/stats", {
*       query: { stream: Schema.Boolean },
*       success: [Stats, HttpApiSchema.StreamNdjson({ schema: Stats })]
*     }),
*     // POST /images accepts a JSON pull request or a tar archive
*     HttpApiEndpoint.post("createImage", "/images", {
*       payload: [
*         Schema.Struct({ fromImage: Schema.String }),
*         HttpApiSchema.StreamUint8Array({ contentType: "application/x-tar" })
*       ],
*       success: Schema.String
*     })
*   )
* )
*
* const ContainersLive = HttpApiBuilder.group(Api, "containers", (handlers) =>
*   handlers
*     .handle("stats", ({ query }) =>
*       Effect.succeed(query.stream ? Stream.make({ cpu: 1 }, { cpu: 2 }) : { cpu: 1 })
*     )
*     .handle("createImage", ({ payload }) =>
*       Stream.isStream(payload)
*         ? Effect.as(Stream.runDrain(payload), "imported")
*         : Effect.succeed(`pulled ${payload.fromImage}`)
*     ))
* ```
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$3 = "~effect/http-api/HttpApiEndpoint";
/**
* @internal
*/
function getPayloadSchemas(endpoint) {
	const result = [];
	for (const { schemas } of endpoint.payload.values()) result.push(...schemas);
	return result;
}
/**
* @internal
*/
function getSuccessSchemas(endpoint) {
	const schemas = Array.from(endpoint.success);
	return isArrayNonEmpty(schemas) ? schemas : [NoContent];
}
/**
* @internal
*/
function getErrorSchemas(endpoint) {
	const schemas = new Set(endpoint.error);
	const transform = endpoint.disableCodecs ? identity : transformResponseSchema;
	for (const middleware of endpoint.middlewares) {
		const key = middleware;
		for (const schema of key.error) schemas.add(transform(schema));
	}
	return Array.from(schemas);
}
const Proto$2 = {
	[TypeId$3]: TypeId$3,
	pipe() {
		return pipeArguments(this, arguments);
	},
	prefix(prefix) {
		return makeProto$2({
			...optionsFromEndpoint(this),
			path: prefixPath(this.path, prefix)
		});
	},
	middleware(middleware) {
		return makeProto$2({
			...optionsFromEndpoint(this),
			middlewares: /* @__PURE__ */ new Set([...this.middlewares, middleware])
		});
	},
	annotate(key, value) {
		return makeProto$2({
			...optionsFromEndpoint(this),
			annotations: add$1(this.annotations, key, value)
		});
	},
	annotateMerge(annotations) {
		return makeProto$2({
			...optionsFromEndpoint(this),
			annotations: merge(this.annotations, annotations)
		});
	}
};
const optionsFromEndpoint = (endpoint) => ({
	identifier: endpoint.identifier,
	path: endpoint.path,
	method: endpoint.method,
	params: endpoint.params,
	query: endpoint.query,
	headers: endpoint.headers,
	payload: endpoint.payload,
	success: endpoint.success,
	error: endpoint.error,
	annotations: endpoint.annotations,
	middlewares: endpoint.middlewares,
	disableCodecs: endpoint.disableCodecs
});
function makeProto$2(options) {
	function HttpApiEndpoint() {}
	Object.setPrototypeOf(HttpApiEndpoint, Proto$2);
	return Object.assign(HttpApiEndpoint, options);
}
/**
* Creates endpoint constructors for a specific HTTP method. The resulting
* constructor builds an `HttpApiEndpoint` from an identifier, path, and optional request
* and response schemas, applying automatic JSON or string-tree codecs unless
* `disableCodecs` is enabled.
*
* **Gotchas**
*
* URL parameters are flat on the server: each `query` field, each field of a
* no-body `payload` and each field of a form-urlencoded `payload` should encode
* to a string or an array of strings. A field that encodes to a nested object
* is sent as bracket keys (`meta[k]=v`) that the server does not read back, so
* it is dropped, or reported missing when required. Send structured values with
* an explicit codec such as `Schema.fromJsonString(...)`, or declare bracket
* keys literally, for example `"page[size]": Schema.String`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$2 = (method) => (identifier, path, options) => {
	const disableCodecs = options?.disableCodecs ?? false;
	const transformProperties = disableCodecs ? identity : toCodecHttpProperties;
	const payload = getPayload(options?.payload, method, disableCodecs);
	return makeProto$2({
		identifier,
		path,
		method,
		params: ensureStruct(options?.params, transformProperties),
		query: ensureStruct(options?.query, transformProperties),
		headers: ensureStruct(options?.headers, transformProperties),
		payload,
		success: getSuccessResponse(options?.success, method, payload, disableCodecs),
		error: getErrorResponse(options?.error, disableCodecs),
		annotations: empty$1(),
		middlewares: /* @__PURE__ */ new Set(),
		disableCodecs
	});
};
function ensureStruct(params, transform) {
	if (params === void 0) return void 0;
	if (isSchema(params)) return transform(params);
	return transform(Struct(params));
}
function getPayload(payload, method, disableCodecs) {
	const result = /* @__PURE__ */ new Map();
	if (payload === void 0) return result;
	const schemas = Array.isArray(payload) ? payload : isSchema(payload) ? [payload] : [Struct(payload).pipe(asFormUrlEncoded())];
	const transform = disableCodecs ? identity : transformPayload;
	let hasStream = false;
	for (const schema of schemas) {
		if (isStreamSchema(schema)) {
			if (isStreamSse(schema)) throw new Error("StreamSse is response-only and cannot be used as a payload");
			if (!hasBody(method)) throw new Error(`${method} endpoints cannot declare a streaming payload`);
			if (hasStream) throw new Error("Multiple streaming payloads are not supported");
			hasStream = true;
			for (const declared of schema.contentTypes) {
				const contentType = normalize(declared);
				if (result.has(contentType)) throw new Error(`Cannot combine buffered and streaming payloads for content-type: ${declared}`);
				result.set(contentType, {
					encoding: {
						_tag: "Stream",
						contentType: declared
					},
					schemas: [schema]
				});
			}
			continue;
		}
		const encoding = getPayloadEncoding(schema.ast, method);
		const contentType = normalize(encoding.contentType);
		const existing = result.get(contentType);
		if (existing) {
			if (existing.encoding._tag === "Stream") throw new Error(`Cannot combine buffered and streaming payloads for content-type: ${encoding.contentType}`);
			if (existing.encoding._tag !== encoding._tag) throw new Error(`Multiple payload encodings for content-type: ${encoding.contentType}`);
			if (existing.encoding._tag === "Multipart") throw new Error(`Multiple multipart payloads for content-type: ${encoding.contentType}`);
			existing.schemas.push(transform(schema, method));
		} else result.set(contentType, {
			encoding,
			schemas: [transform(schema, method)]
		});
	}
	return result;
}
const reservedStreamFailureEvent$1 = "effect/http-api/stream/failure";
function getSuccessResponse(success, method, payload, disableCodecs) {
	if (success === void 0) return /* @__PURE__ */ new Set();
	const schemas = ensure(success);
	validateSuccessResponse(schemas, method, payload);
	return new Set(disableCodecs ? schemas : schemas.map(transformResponseSchema));
}
const transformResponseSchema = /*#__PURE__*/ memoize((schema) => {
	if (isStreamSchema(schema)) return schema;
	if (isUpgrade(schema)) return schema.headers === void 0 ? schema : rebuildUpgrade(schema.protocol, toCodecHttpProperties(schema.headers));
	if (isWithHeaders(schema)) {
		const inner = isStreamSchema(schema.schema) ? schema.schema : applyResponseEncoding(schema.schema, getResponseEncodingSchema(schema));
		return rebuildWithHeaders(schema, inner, toCodecHttpProperties(schema.headers));
	}
	return transformResponse(schema);
});
function getErrorResponse(error, disableCodecs) {
	if (error === void 0) return /* @__PURE__ */ new Set();
	const schemas = ensure(error);
	for (const schema of schemas) {
		const body = isWithHeaders(schema) ? schema.schema : schema;
		if (isStreamSchema(body)) throw new Error("Streaming schemas are not supported in error responses");
		if (isUpgrade(body)) throw new Error("Upgrade schemas are not supported in error responses");
	}
	validateResponseExclusivity(schemas, getStatusErrorSchema);
	return new Set(disableCodecs ? schemas : schemas.map(transformResponseSchema));
}
function validateSuccessResponse(schemas, method, payload) {
	const upgrades = schemas.filter(isUpgrade);
	if (upgrades.length > 1) throw new Error("Cannot declare more than one upgrade");
	const hasUpgrade = upgrades.length === 1;
	if (hasUpgrade) {
		if (method === "HEAD") throw new Error("HEAD endpoints cannot declare an upgrade");
		for (const { encoding } of payload.values()) if (encoding._tag === "Stream" || encoding._tag === "Multipart" && encoding.mode === "stream") throw new Error("Upgrade endpoints cannot declare a streaming payload");
	}
	let hasStream = false;
	const statuses = /* @__PURE__ */ new Map();
	for (const schema of schemas) {
		if (isUpgrade(schema)) continue;
		const inner = isWithHeaders(schema) ? schema.schema : schema;
		const status = getStatusSuccessSchema(schema);
		if (hasUpgrade && status === 101) throw new Error("Cannot combine an upgrade with another success response for status: 101");
		if (isStreamSchema(inner)) {
			if (hasUpgrade) throw new Error("Cannot combine an upgrade with a streaming success response");
			validateStreamSuccess(inner, method);
			if (hasStream) throw new Error("Multiple streaming success responses are not supported");
			hasStream = true;
			const entry = getStatusEntry(statuses, status);
			if (entry.noContent) throw new Error(`Cannot combine no-content and streaming success responses for status: ${status}`);
			for (const declared of inner.contentTypes) if (entry.bufferedContentTypes.has(normalize(declared))) throw new Error(`Cannot combine buffered and streaming success responses for status ${status} and content-type: ${declared}`);
			statuses.set(status, {
				...entry,
				stream: inner
			});
		} else {
			const entry = getStatusEntry(statuses, status);
			const noContent = isNoContent(inner.ast);
			if (entry.stream !== void 0) {
				if (noContent) throw new Error(`Cannot combine no-content and streaming success responses for status: ${status}`);
				const encoding = getResponseEncodingSchema(schema);
				const contentType = normalize(encoding.contentType);
				if (entry.stream.contentTypes.some((declared) => normalize(declared) === contentType)) throw new Error(`Cannot combine buffered and streaming success responses for status ${status} and content-type: ${encoding.contentType}`);
			}
			if (!noContent) entry.bufferedContentTypes.add(normalize(getResponseEncodingSchema(schema).contentType));
			entry.noContent = entry.noContent || noContent;
		}
	}
	validateResponseExclusivity(schemas, getStatusSuccessSchema);
}
function getStatusEntry(statuses, status) {
	let entry = statuses.get(status);
	if (entry === void 0) {
		entry = {
			bufferedContentTypes: /* @__PURE__ */ new Set(),
			noContent: false
		};
		statuses.set(status, entry);
	}
	return entry;
}
function validateResponseExclusivity(schemas, getStatus) {
	const statuses = /* @__PURE__ */ new Map();
	for (const schema of schemas) {
		const status = getStatus(schema);
		const withHeadersAnnotation = getWithHeadersAnnotation(schema.ast);
		const body = isWithHeaders(schema) ? schema.schema : withHeadersAnnotation?.body ?? schema;
		const contentType = isNoContent(body.ast) ? "" : normalize(isStreamSchema(body) ? body.contentType : getResponseEncodingSchema(schema).contentType);
		let entry = statuses.get(status);
		if (entry === void 0) {
			entry = {
				headerContentType: void 0,
				plainContentTypes: /* @__PURE__ */ new Set()
			};
			statuses.set(status, entry);
		}
		const combineError = () => /* @__PURE__ */ new Error(`Cannot combine a response with headers with another response for status ${status} and content-type: ${contentType || "<no content>"}`);
		if (isWithHeaders(schema) || withHeadersAnnotation !== void 0) {
			if (entry.headerContentType !== void 0) throw new Error(`Cannot declare multiple responses with headers for status ${status}`);
			if (entry.plainContentTypes.has(contentType)) throw combineError();
			entry.headerContentType = contentType;
		} else {
			if (entry.headerContentType === contentType) throw combineError();
			entry.plainContentTypes.add(contentType);
		}
	}
}
function validateStreamSuccess(schema, method) {
	if (method === "HEAD") throw new Error("HEAD endpoints cannot declare streaming success responses");
	if (isStreamSse(schema) && hasReservedSseEventName(schema.events.ast)) throw new Error(`SSE event name is reserved: ${reservedStreamFailureEvent$1}`);
}
function hasReservedSseEventName(ast) {
	return hasReservedEventName(toEncoded(ast), /* @__PURE__ */ new Set());
}
function hasReservedEventName(ast, seen) {
	if (seen.has(ast)) return false;
	seen.add(ast);
	if (isUnion(ast)) return ast.types.some((type) => hasReservedEventName(type, seen));
	if (isSuspend(ast)) return hasReservedEventName(ast.thunk(), seen);
	if (!isObjects(ast)) return false;
	const event = ast.propertySignatures.find((ps) => ps.name === "event");
	return event !== void 0 && hasReservedEventLiteral(event.type, seen);
}
function hasReservedEventLiteral(ast, seen) {
	if (seen.has(ast)) return false;
	seen.add(ast);
	const encoded = toEncoded(ast);
	if (encoded !== ast) return hasReservedEventLiteral(encoded, seen);
	if (isLiteral(ast)) return ast.literal === reservedStreamFailureEvent$1;
	if (isUnion(ast)) return ast.types.some((type) => hasReservedEventLiteral(type, seen));
	if (isSuspend(ast)) return hasReservedEventLiteral(ast.thunk(), seen);
	return false;
}
function transformResponse(schema) {
	const encoding = getResponseEncoding(schema.ast);
	const withHeaders = getWithHeadersAnnotation(schema.ast);
	if (withHeaders === void 0) return applyResponseEncoding(schema, encoding);
	return schema.annotate({ "~httpApiWithHeaders": {
		...withHeaders,
		bodyCodec: applyResponseEncoding(withHeaders.body, encoding),
		headersCodec: toCodecHttpProperties(withHeaders.headers)
	} });
}
function applyResponseEncoding(schema, encoding) {
	switch (encoding._tag) {
		case "Json": return toCodecJson(schema);
		case "FormUrlEncoded": return toCodecStringTree(schema);
		case "Text":
		case "Uint8Array": return schema;
	}
}
function transformPayload(schema, method) {
	if (!hasBody(method)) return toCodecHttpProperties(schema);
	switch (getPayloadEncoding(schema.ast, method)._tag) {
		case "Json": return toCodecJson(schema);
		case "FormUrlEncoded": return toCodecStringTree(schema);
		case "Text":
		case "Uint8Array":
		case "Multipart": return schema;
	}
}
/**
* Creates a `GET` endpoint declaration.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const get = /*#__PURE__*/ make$2("GET");
/**
* Creates a `POST` endpoint declaration.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const post = /*#__PURE__*/ make$2("POST");
const del = /*#__PURE__*/ make$2("DELETE");

// node_modules/effect/dist/http-api/HttpApiGroup.js
const TypeId$2 = "~effect/http-api/HttpApiGroup";
const Proto$1 = {
	[TypeId$2]: TypeId$2,
	add(...toAdd) {
		const endpoints = { ...this.endpoints };
		for (const endpoint of toAdd) assignProperty(endpoints, endpoint.identifier, endpoint);
		return makeProto$1({
			...optionsFromGroup(this),
			endpoints
		});
	},
	prefix(prefix) {
		return makeProto$1({
			...optionsFromGroup(this),
			endpoints: map$2(this.endpoints, (endpoint) => endpoint.prefix(prefix))
		});
	},
	middleware(middleware) {
		return makeProto$1({
			...optionsFromGroup(this),
			endpoints: map$2(this.endpoints, (endpoint) => endpoint.middleware(middleware))
		});
	},
	annotateMerge(annotations) {
		return makeProto$1({
			...optionsFromGroup(this),
			annotations: merge(this.annotations, annotations)
		});
	},
	annotate(annotation, value) {
		return makeProto$1({
			...optionsFromGroup(this),
			annotations: add$1(this.annotations, annotation, value)
		});
	},
	annotateEndpointsMerge(annotations) {
		return makeProto$1({
			...optionsFromGroup(this),
			endpoints: map$2(this.endpoints, (endpoint) => endpoint.annotateMerge(annotations))
		});
	},
	annotateEndpoints(annotation, value) {
		return makeProto$1({
			...optionsFromGroup(this),
			endpoints: map$2(this.endpoints, (endpoint) => endpoint.annotate(annotation, value))
		});
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const optionsFromGroup = (group) => ({
	identifier: group.identifier,
	topLevel: group.topLevel,
	endpoints: group.endpoints,
	annotations: group.annotations
});
const makeProto$1 = (options) => {
	function HttpApiGroup() {}
	Object.setPrototypeOf(HttpApiGroup, Proto$1);
	HttpApiGroup.key = `effect/http-api/HttpApiGroup/${options.identifier}`;
	return Object.assign(HttpApiGroup, options);
};
/**
* Creates an empty `HttpApiGroup` with the supplied identifier.
*
* **Details**
*
* Add endpoints with `add`, provide implementations with `HttpApiBuilder.group`,
* and set `topLevel` when the generated client should expose endpoint methods
* directly instead of nesting them under the group identifier.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$1 = (identifier, options) => makeProto$1({
	identifier,
	topLevel: options?.topLevel ?? false,
	endpoints: {},
	annotations: empty$1()
});

// node_modules/effect/dist/http-api/HttpApi.js
const TypeId$1 = "~effect/http-api/HttpApi";
const Proto = {
	[TypeId$1]: TypeId$1,
	pipe() {
		return pipeArguments(this, arguments);
	},
	add(...toAdd) {
		const groups = { ...this.groups };
		for (const group of toAdd) assignProperty(groups, group.identifier, group);
		return makeProto({
			...optionsFromApi(this),
			groups
		});
	},
	addHttpApi(api) {
		const newGroups = { ...this.groups };
		for (const key of Object.keys(api.groups)) {
			const group = api.groups[key];
			assignProperty(newGroups, key, group.annotateMerge(merge(api.annotations, group.annotations)));
		}
		return makeProto({
			...optionsFromApi(this),
			groups: newGroups
		});
	},
	prefix(prefix) {
		return makeProto({
			...optionsFromApi(this),
			groups: map$2(this.groups, (group) => group.prefix(prefix))
		});
	},
	middleware(tag) {
		return makeProto({
			...optionsFromApi(this),
			groups: map$2(this.groups, (group) => group.middleware(tag))
		});
	},
	annotate(key, value) {
		return makeProto({
			...optionsFromApi(this),
			annotations: add$1(this.annotations, key, value)
		});
	},
	annotateMerge(annotations) {
		return makeProto({
			...optionsFromApi(this),
			annotations: merge(this.annotations, annotations)
		});
	}
};
const optionsFromApi = (api) => ({
	identifier: api.identifier,
	groups: api.groups,
	annotations: api.annotations
});
const makeProto = (options) => {
	function HttpApi() {}
	Object.setPrototypeOf(HttpApi, Proto);
	return Object.assign(HttpApi, options);
};
/**
* Creates an empty `HttpApi` with the supplied identifier.
*
* **When to use**
*
* Use when you need to start defining an HTTP API, add groups with `add` or
* `addHttpApi`, provide endpoint implementations with `HttpApiBuilder.group`,
* and register the API with `HttpApiBuilder.layer`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make = (identifier) => makeProto({
	identifier,
	groups: {},
	annotations: empty$1()
});
/**
* Describes the groups and endpoints in an `HttpApi`.
*
* **Details**
*
* The callbacks receive each group or endpoint with merged annotations, endpoint
* middleware, and response schemas grouped by HTTP status.
*
* @stability unstable
* @category reflection
* @since 4.0.0
*/
const reflect = (self, options) => {
	const groups = Object.values(self.groups);
	for (const group of groups) {
		const groupAnnotations = merge(self.annotations, group.annotations);
		options.onGroup({
			group,
			mergedAnnotations: groupAnnotations
		});
		const endpoints = Object.values(group.endpoints);
		for (const endpoint of endpoints) {
			if (options.predicate && !options.predicate({
				endpoint,
				group
			})) continue;
			options.onEndpoint({
				group,
				endpoint,
				middleware: endpoint.middlewares,
				mergedAnnotations: merge(groupAnnotations, endpoint.annotations),
				successes: extractResponseContent(getSuccessSchemas(endpoint), getStatusSuccessSchema),
				errors: extractResponseContent(getErrorSchemas(endpoint), getStatusErrorSchema)
			});
		}
	}
};
const extractResponseContent = (schemas, getStatus) => {
	const map = /* @__PURE__ */ new Map();
	schemas.forEach(add);
	return map;
	function add(schema) {
		const body = isWithHeaders(schema) ? schema.schema : schema;
		if (isStreamSchema(body) || isUpgrade(body)) return;
		const status = getStatus(schema);
		const schemas = map.get(status);
		if (schemas === void 0) map.set(status, [schema]);
		else schemas.push(schema);
	}
};
/**
* Adds additional schemas to components/schemas.
* The provided schemas must have a `identifier` annotation.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var AdditionalSchemas = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/AdditionalSchemas")) {};
/**
* Schema parse options for server and client codecs, set on an API, group, or
* endpoint.
*
* **Details**
*
* Each codec slot has its own annotation:
*
* - `ParamsParseOptions` for path params
* - `QueryParseOptions` for the query string
* - `HeadersParseOptions` for request headers and `WithHeaders` response headers
* - `PayloadParseOptions` for request bodies
* - `SuccessParseOptions` for success bodies
* - `ErrorParseOptions` for error bodies
*
* A slot annotation at any level takes precedence over `ParseOptions` at any
* level. If neither is set, Schema defaults apply. Options are replaced, not
* merged. For the same annotation, endpoint overrides group, which overrides
* API. Annotate the API before passing it to `HttpApiBuilder.group` or
* `HttpApiBuilder.endpoint`.
*
* **Gotchas**
*
* Header codecs receive all HTTP headers, including undeclared transport
* headers such as `content-type`, `content-length`, `host`, `user-agent` and
* proxy headers. Without `HeadersParseOptions`, headers use `ParseOptions`, so
* `onExcessProperty: "error"` rejects real requests and `WithHeaders` responses
* with transport headers.
*
* Set `HeadersParseOptions` to `{}` at the API level to use Schema defaults for
* headers, even if an endpoint sets `ParseOptions`.
*
* **Example** (Strict bodies with default header parsing)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
*
* const api = HttpApi.make("Api")
*   .add(
*     HttpApiGroup.make("users").add(
*       HttpApiEndpoint.post("create", "/users", {
*         headers: { "x-api-key": Schema.String },
*         payload: { name: Schema.String }
*       })
*     )
*   )
*   .annotate(HttpApi.ParseOptions, { onExcessProperty: "error" })
*   .annotate(HttpApi.HeadersParseOptions, {})
* ```
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var ParseOptions = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/ParseOptions")) {};
/**
* Schema parse options for path params: server decoding, client encoding, and
* `HttpApiClient.urlBuilder`. Falls back to `ParseOptions` when unset.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var ParamsParseOptions = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/ParamsParseOptions")) {};
/**
* Schema parse options for the query string: server decoding, client encoding,
* and `HttpApiClient.urlBuilder`. Falls back to `ParseOptions` when unset.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var QueryParseOptions = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/QueryParseOptions")) {};
/**
* Schema parse options for request headers and the headers of `WithHeaders`
* responses: server decoding/encoding and client encoding/decoding, including
* buffered and streamed responses. Falls back to `ParseOptions` when unset.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var HeadersParseOptions = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/HeadersParseOptions")) {};
/**
* Schema parse options for request bodies, including multipart payloads:
* server decoding and client encoding. Falls back to `ParseOptions` when unset.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var PayloadParseOptions = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/PayloadParseOptions")) {};
/**
* Schema parse options for success bodies, including streams, SSE events, and
* the body of `WithHeaders` responses: server encoding and client decoding. Falls back to `ParseOptions` when unset.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var SuccessParseOptions = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/SuccessParseOptions")) {};
/**
* Schema parse options for error bodies: server encoding and client decoding. Falls back to `ParseOptions` when unset.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var ErrorParseOptions = class extends (/*#__PURE__*/ Service$1()("effect/http-api/HttpApi/ErrorParseOptions")) {};
/**
* @internal
*/
const getSlotParseOptions = (annotations) => {
	const fallback = getOrUndefined(annotations, ParseOptions);
	return {
		params: getOrUndefined(annotations, ParamsParseOptions) ?? fallback,
		query: getOrUndefined(annotations, QueryParseOptions) ?? fallback,
		headers: getOrUndefined(annotations, HeadersParseOptions) ?? fallback,
		payload: getOrUndefined(annotations, PayloadParseOptions) ?? fallback,
		success: getOrUndefined(annotations, SuccessParseOptions) ?? fallback,
		error: getOrUndefined(annotations, ErrorParseOptions) ?? fallback
	};
};

// node_modules/effect/dist/http-api/HttpApiMiddleware.js
const TypeId = "~effect/http-api/HttpApiMiddleware";
const SecurityTypeId = "~effect/http-api/HttpApiMiddleware/Security";
/**
* Returns `true` when an HTTP API middleware service is security middleware.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isSecurity = (u) => hasProperty(u, SecurityTypeId);
/**
* Creates a `Context.Service` class for an HTTP API middleware implementation.
*
* **When to use**
*
* Use when you need an HTTP API middleware service whose configuration declares
* required services, provided services, typed error schemas, security schemes,
* client errors, or a matching client middleware requirement.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const Service = () => (id, options) => {
	const limit = getStackTraceLimit();
	let creationError;
	if (limit !== 0) {
		setStackTraceLimit(2);
		creationError = new globalThis.Error();
		setStackTraceLimit(limit);
	}
	class Service extends Service$1()(id) {}
	const self = Service;
	Object.defineProperty(Service, "stack", { get() {
		return creationError?.stack;
	} });
	self[TypeId] = TypeId;
	self.error = getError(options?.error);
	self.requiredForClient = options?.requiredForClient ?? false;
	if (options?.security !== void 0) {
		if (Object.keys(options.security).length === 0) throw new Error("HttpApiMiddleware.Service: security object must not be empty");
		self[SecurityTypeId] = SecurityTypeId;
		self.security = options.security;
	}
	return self;
};
function getError(error) {
	if (error === void 0) return /* @__PURE__ */ new Set();
	return new Set(Array.isArray(error) ? error : [error]);
}

// node_modules/effect/dist/http-api/internal/path.js
const emptyParamNames = /*#__PURE__*/ new Set();
/**
* @internal
*/
function getParamNames(schema) {
	if (schema === void 0) return emptyParamNames;
	const ast = getLastEncoding(schema.ast);
	return isObjects(ast) && ast.indexSignatures.length === 0 ? new Set(ast.propertySignatures.map((ps) => String(ps.name))) : void 0;
}
/**
* @internal
*/
function toRouterPath(path, schema) {
	if (schema === void 0 || !path.includes(":")) return path;
	const paramNames = getParamNames(schema);
	if (paramNames === void 0) return path;
	let out = "";
	for (let i = 0; i < path.length; i++) {
		const char = path[i];
		if (char !== ":") {
			out += char;
			continue;
		}
		if (path[i + 1] === ":") {
			out += "::";
			i++;
			continue;
		}
		const param = /^:(\w+)/.exec(path.slice(i));
		if (param !== null && paramNames.has(param[1])) {
			out += param[0];
			i += param[0].length - 1;
			const next = path[i + 1];
			if (next === "(") {
				const end = getClosingParenthensePosition(path, i + 1);
				out += path.slice(i + 1, end + 1);
				i = end;
			} else if (next !== void 0 && !"/.-?".includes(next)) out += "(.*?)";
		} else out += "::";
	}
	return out;
}
/**
* Replaces declared `:name` params, including any regex constraint and `?`.
* Returning `undefined` also removes a preceding `/`.
*
* @internal
*/
function replaceParams(path, paramNames, replace) {
	const params = /::|:(\w+)/g;
	let out = "";
	let last = 0;
	for (let param = params.exec(path); param !== null; param = params.exec(path)) {
		const name = param[1];
		if (name === void 0 || paramNames !== void 0 && !paramNames.has(name)) continue;
		let end = params.lastIndex;
		if (path[end] === "(") end = getClosingParenthensePosition(path, end) + 1;
		const optional = path[end] === "?";
		if (optional) end++;
		const value = replace(name, optional);
		let start = param.index;
		if (value === void 0 && path[start - 1] === "/") start--;
		out += path.slice(last, start) + (value ?? "");
		params.lastIndex = end;
		last = end;
	}
	return out + path.slice(last);
}

// node_modules/effect/dist/http-api/OpenApi.js
/**
* Generates OpenAPI 3.1 documents from declarative `HttpApi` contracts.
*
* The generator reads API groups, endpoints, schemas, security definitions, and
* annotations, then produces an OpenAPI document. This module also provides the
* annotations used to shape that output and the TypeScript model for the
* OpenAPI objects it generates.
*
* @stability unstable
* @since 4.0.0
*/
/**
* OpenAPI annotation for overriding generated identifiers, including operation ids.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Identifier = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Identifier")) {};
/**
* OpenAPI annotation for setting the API title or group tag name.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Title = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Title")) {};
/**
* OpenAPI annotation for setting the generated API version.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Version = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Version")) {};
/**
* OpenAPI annotation for setting generated descriptions on APIs, groups, endpoints, or security schemes.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Description = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Description")) {};
/**
* OpenAPI annotation for setting the generated API license metadata.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var License = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/License")) {};
/**
* OpenAPI annotation for adding external documentation metadata to groups or endpoints.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var ExternalDocs = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/ExternalDocs")) {};
/**
* OpenAPI annotation for setting the generated API server list.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Servers = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Servers")) {};
/**
* OpenAPI annotation for setting the format metadata, such as a bearer token format on security schemes.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Format = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Format")) {};
/**
* OpenAPI annotation for setting generated summary text.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Summary = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Summary")) {};
/**
* OpenAPI annotation for marking a generated endpoint operation as deprecated.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Deprecated = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Deprecated")) {};
/**
* OpenAPI annotation for shallowly merging additional fields into a generated OpenAPI object.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Override = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Override")) {};
/**
* Annotation that excludes an annotated group or endpoint from the generated
* OpenAPI specification.
*
* **When to use**
*
* Use to hide internal, experimental, or otherwise undocumented HTTP API groups
* and endpoints from generated OpenAPI output.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Exclude = /*#__PURE__*/ Reference("effect/http-api/OpenApi/Exclude", { defaultValue: constFalse });
/**
* OpenAPI annotation for transforming a generated OpenAPI object.
*
* **Details**
*
* The function is applied during generation to the annotated API, group tag, or
* endpoint operation.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Transform = class extends (/*#__PURE__*/ Service$1()("effect/http-api/OpenApi/Transform")) {};
const servicesPartial = (tags) => {
	const entries = Object.entries(tags);
	return (options) => {
		let context = empty$1();
		for (const [key, tag] of entries) if (options[key] !== void 0) context = add$1(context, tag, options[key]);
		return context;
	};
};
/**
* Builds a `Context` containing OpenAPI annotations from the supplied options.
*
* @stability unstable
* @category annotations
* @since 4.0.0
*/
const annotations = /*#__PURE__*/ servicesPartial({
	identifier: Identifier,
	title: Title,
	version: Version,
	description: Description,
	license: License,
	summary: Summary,
	deprecated: Deprecated,
	externalDocs: ExternalDocs,
	servers: Servers,
	format: Format,
	override: Override,
	exclude: Exclude,
	transform: Transform
});
const defaultOptions = {};
const apiCache = /*#__PURE__*/ new WeakMap();
const cloneOpenAPISpec = (value) => {
	if (Array.isArray(value)) return value.map(cloneOpenAPISpec);
	if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
		const out = {};
		for (const key of Object.keys(value)) assignProperty(out, key, cloneOpenAPISpec(value[key]));
		return out;
	}
	return value;
};
/**
* This function checks if a given tag exists within the provided context. If
* the tag is present, it retrieves the associated value and applies the given
* callback function to it. If the tag is not found, the function does nothing.
*/
function processAnnotation(ctx, annotation, f) {
	const o = getOption(ctx, annotation);
	if (isSome(o)) f(o.value);
}
/**
* Generates an OpenAPI 3.1 specification from an `HttpApi`.
*
* **When to use**
*
* Use when you need a programmatic OpenAPI document for an API definition.
*
* **Details**
*
* This function takes an `HttpApi` instance, which defines a structured API,
* and generates an OpenAPI Specification (`OpenAPISpec`). The resulting spec
* adheres to the OpenAPI 3.1.0 standard and includes detailed metadata such as
* paths, operations, security schemes, and components. The function processes
* the API's annotations, middleware, groups, and endpoints to build a complete
* and accurate representation of the API in OpenAPI format.
*
* The function also deduplicates schemas, applies transformations, and
* integrates annotations like descriptions, summaries, external documentation,
* and overrides. The optional reference policy receives canonical JSON encoded
* ASTs and controls which schemas are extracted into components. By default, only candidates with resolved identifiers
* become references; anonymous non-recursive schemas remain inline. The optional `includeAnnotationKey` predicate selects
* custom schema annotation keys, such as `x-*` vendor extensions, to include in the generated schemas.
*
* **Gotchas**
*
* Cached results are keyed by both the `HttpApi` instance and the identity of the options object. Reuse the same immutable
* options object to reuse a cached result; mutating an options object after its first use does not invalidate the cached
* specification. Each call returns a copy of the cached specification.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
function fromApi(api, options) {
	const resolvedOptions = options ?? defaultOptions;
	let cache = apiCache.get(resolvedOptions);
	if (cache === void 0) {
		cache = /* @__PURE__ */ new WeakMap();
		apiCache.set(resolvedOptions, cache);
	}
	const cached = cache.get(api);
	if (cached !== void 0) return cloneOpenAPISpec(cached);
	const spec = makeOpenApi(api, resolvedOptions);
	cache.set(api, cloneOpenAPISpec(spec));
	return spec;
}
function makeOpenApi(api, options) {
	let spec = {
		openapi: "3.1.0",
		info: {
			title: "Api",
			version: "0.0.1"
		},
		paths: {},
		components: {
			schemas: {},
			securitySchemes: {}
		},
		security: [],
		tags: []
	};
	const schemaOps = [];
	const pathOperations = /* @__PURE__ */ new Set();
	const operationIds = /* @__PURE__ */ new Set();
	const finalizeOperations = [];
	function registerSchema(ast, encoding = "Json") {
		const target = encoding === "Text" ? { type: "string" } : {};
		schemaOps.push({
			_tag: "schema",
			ast: toEncodingAST(ast, encoding),
			target
		});
		return target;
	}
	processAnnotation(api.annotations, Title, (title) => {
		spec.info.title = title;
	});
	processAnnotation(api.annotations, Version, (version) => {
		spec.info.version = version;
	});
	processAnnotation(api.annotations, Description, (description) => {
		spec.info.description = description;
	});
	processAnnotation(api.annotations, License, (license) => {
		spec.info.license = license;
	});
	processAnnotation(api.annotations, Summary, (summary) => {
		spec.info.summary = summary;
	});
	processAnnotation(api.annotations, Servers, (servers) => {
		spec.servers = [...servers];
	});
	reflect(api, {
		onGroup({ group }) {
			if (get$1(group.annotations, Exclude)) return;
			let tag = { name: getOrElse(group.annotations, Title, () => group.identifier) };
			processAnnotation(group.annotations, Description, (description) => {
				tag.description = description;
			});
			processAnnotation(group.annotations, ExternalDocs, (externalDocs) => {
				tag.externalDocs = externalDocs;
			});
			processAnnotation(group.annotations, Override, (override) => {
				for (const [key, value] of Object.entries(override)) assignProperty(tag, key, value);
			});
			processAnnotation(group.annotations, Transform, (transformFn) => {
				tag = transformFn(tag);
			});
			spec.tags.push(tag);
		},
		onEndpoint({ endpoint, group, mergedAnnotations, middleware }) {
			if (get$1(mergedAnnotations, Exclude)) return;
			const op = {
				tags: [getOrElse(group.annotations, Title, () => group.identifier)],
				operationId: getOrElse(endpoint.annotations, Identifier, () => group.topLevel ? endpoint.identifier : `${group.identifier}.${endpoint.identifier}`),
				parameters: [],
				security: [],
				responses: {}
			};
			const paramNames = getParamNames(endpoint.params);
			const path = replaceParams(endpoint.path, paramNames, (key) => `{${key}}`);
			const method = endpoint.method.toLowerCase();
			const isQuery = method === "query";
			const operationKey = isQuery ? "QUERY" : method;
			function processResponseBodies(bodies, defaultDescription) {
				for (const [status, { content, descriptions, headers, streamContent }] of bodies) {
					const description = descriptions.size > 0 ? Array.from(descriptions).join(" | ") : defaultDescription();
					assignProperty(op.responses, status, { description });
					for (const schema of headers) schemaOps.push({
						_tag: "properties",
						ast: schema.ast,
						select: (property) => String(property.name).toLowerCase() !== "content-type",
						apply(property, schema) {
							const name = String(property.name).toLowerCase();
							op.responses[status].headers ??= {};
							assignProperty(op.responses[status].headers, name, {
								schema,
								required: !property.isOptional
							});
						}
					});
					if (content !== void 0) content.forEach((map, encoding) => {
						map.forEach((schemas, contentType) => {
							const asts = Array.from(schemas, getAST);
							const ast = asts.length === 1 ? asts[0] : new Union$1(asts);
							op.responses[status].content ??= {};
							assignProperty(op.responses[status].content, contentType, { schema: registerSchema(ast, encoding) });
						});
					});
					if (streamContent !== void 0) streamContent.forEach((stream, contentType) => {
						op.responses[status].content ??= {};
						assignProperty(op.responses[status].content, contentType, makeStreamMediaType(stream));
					});
				}
			}
			function makeStreamMediaType(stream) {
				if (isStreamSse(stream)) return {
					schema: registerSchema(stream.events.ast),
					"x-effect-stream": {
						encoding: "sse",
						causeSchema: registerSchema(Cause(stream.error, Defect()).ast),
						errorSchema: registerSchema(stream.error.ast),
						failureEvent: reservedStreamFailureEvent
					}
				};
				if (isStreamNdjson(stream)) return {
					schema: registerSchema(stream.schema.ast),
					"x-effect-stream": { encoding: "ndjson" }
				};
				return {
					schema: {
						type: "string",
						format: "binary"
					},
					"x-effect-stream": { encoding: "uint8array" }
				};
			}
			function processParameters(schema, i) {
				if (schema) schemaOps.push({
					_tag: "properties",
					ast: schema.ast,
					apply(property, schema) {
						op.parameters.push({
							name: String(property.name),
							in: i,
							schema,
							required: i === "path" || !property.isOptional
						});
					}
				});
			}
			processAnnotation(endpoint.annotations, Description, (description) => {
				op.description = description;
			});
			processAnnotation(endpoint.annotations, Summary, (summary) => {
				op.summary = summary;
			});
			processAnnotation(endpoint.annotations, Deprecated, (deprecated) => {
				op.deprecated = deprecated;
			});
			processAnnotation(endpoint.annotations, ExternalDocs, (externalDocs) => {
				op.externalDocs = externalDocs;
			});
			middleware.forEach((middleware) => {
				if (!isSecurity(middleware)) return;
				const names = Object.keys(middleware.security);
				for (const name of names) processHttpApiSecurity(name, middleware.security[name]);
				const requirements = op.security.length === 0 ? [{}] : op.security;
				op.security = requirements.flatMap((requirement) => names.map((name) => ({
					...requirement,
					[name]: []
				})));
			});
			function processHttpApiSecurity(name, security) {
				const scheme = makeSecurityScheme(security);
				if (!Object.hasOwn(spec.components.securitySchemes, name)) {
					assignProperty(spec.components.securitySchemes, name, scheme);
					return;
				}
				if (!equals(securitySchemeForComparison(spec.components.securitySchemes[name]), securitySchemeForComparison(scheme))) throw new globalThis.Error(`Conflicting OpenAPI security scheme: ${name}`);
			}
			const hasBody$1 = hasBody(endpoint.method);
			if (hasBody$1) {
				const schemasByContentType = /* @__PURE__ */ new Map();
				for (const schema of getPayloadSchemas(endpoint)) {
					if (isStreamSchema(schema)) {
						for (const contentType of schema.contentTypes) schemasByContentType.set(contentType, schema);
						continue;
					}
					if (isNoContent(schema.ast)) continue;
					const encoding = getPayloadEncoding(schema.ast, endpoint.method);
					const existing = schemasByContentType.get(encoding.contentType);
					if (existing === void 0) schemasByContentType.set(encoding.contentType, {
						encoding,
						schemas: [schema]
					});
					else if (!isStreamSchema(existing)) existing.schemas.push(schema);
				}
				if (schemasByContentType.size > 0) {
					const content = {};
					for (const [contentType, entry] of schemasByContentType) {
						if (isStreamSchema(entry)) {
							assignProperty(content, contentType, makeStreamMediaType(entry));
							continue;
						}
						const asts = entry.schemas.map(getAST);
						const ast = asts.length === 1 ? asts[0] : new Union$1(asts);
						assignProperty(content, contentType, { schema: registerSchema(ast, entry.encoding._tag) });
					}
					op.requestBody = {
						content,
						required: true
					};
				}
			}
			processParameters(endpoint.params, "path");
			if (!hasBody$1 && endpoint.payload.size === 1) {
				const entry = endpoint.payload.values().next().value;
				processParameters(entry.schemas[0], "query");
			}
			processParameters(endpoint.headers, "header");
			processParameters(endpoint.query, "query");
			processResponseBodies(extractSuccessResponseBodies(endpoint), () => "Success");
			processResponseBodies(extractResponseBodies(getErrorSchemas(endpoint), getStatusErrorSchema, resolveDescriptionOrIdentifier), () => "Error");
			const pathOperation = `${method} ${path.replace(/\{[^}]+\}/g, "{}")}`;
			if (pathOperations.has(pathOperation)) throw new globalThis.Error(`Duplicate OpenAPI operation for ${endpoint.method} ${path}`);
			pathOperations.add(pathOperation);
			if (!Object.hasOwn(spec.paths, path)) assignProperty(spec.paths, path, {});
			const getOperations = () => {
				const pathItem = spec.paths[path];
				return isQuery ? pathItem["x-oai-additionalOperations"] ??= {} : pathItem;
			};
			getOperations()[operationKey] = op;
			finalizeOperations.push(() => {
				const operations = getOperations();
				let op = operations[operationKey];
				processAnnotation(endpoint.annotations, Override, (override) => {
					for (const [key, value] of Object.entries(override)) assignProperty(op, key, value);
				});
				processAnnotation(endpoint.annotations, Transform, (transformFn) => {
					op = transformFn(op);
				});
				const operationId = op.operationId;
				if (operationId !== void 0) {
					if (operationIds.has(operationId)) throw new globalThis.Error(`Duplicate OpenAPI operationId: ${operationId}`);
					operationIds.add(operationId);
				}
				operations[operationKey] = op;
			});
		}
	});
	processAnnotation(api.annotations, AdditionalSchemas, (componentSchemas) => {
		componentSchemas.forEach((componentSchema) => {
			const identifier = resolveIdentifier$1(componentSchema.ast);
			if (identifier !== void 0) {
				if (Object.hasOwn(spec.components.schemas, identifier)) throw new globalThis.Error(`Duplicate component schema identifier: ${identifier}`);
				assignProperty(spec.components.schemas, identifier, registerSchema(componentSchema.ast));
			}
		});
	});
	compileSchemaOps(schemaOps, options, spec.components.schemas);
	for (const finalize of finalizeOperations) finalize();
	Object.keys(spec.components.schemas).forEach((key) => {
		if (!VALID_OPEN_API_COMPONENTS_SCHEMAS_KEY_REGEXP.test(key)) throw new globalThis.Error(`Invalid component schema key: ${key}`);
	});
	processAnnotation(api.annotations, Override, (override) => {
		for (const [key, value] of Object.entries(override)) assignProperty(spec, key, value);
	});
	processAnnotation(api.annotations, Transform, (transformFn) => {
		spec = transformFn(spec);
	});
	return spec;
}
function compileSchemaOps(schemaOps, options, components) {
	if (!isArrayNonEmpty(schemaOps)) return;
	const document = toRepresentations(map$1(schemaOps, (op) => op.ast), options);
	const representations = map$1(document.representations, (representation, index) => {
		const op = schemaOps[index];
		return op._tag === "schema" ? representation : makePropertiesRepresentation(representation, document.references, op.select);
	});
	const references = selectReferences(representations, document.references);
	const jsonSchemaMultiDocument = toMultiDocumentOpenApi3_1(toJsonSchemaMultiDocument({
		representations,
		references
	}, {
		onExcessProperty: "error",
		includeAnnotationKey: options.includeAnnotationKey
	}));
	for (let index = 0; index < schemaOps.length; index++) {
		const op = schemaOps[index];
		const schema = jsonSchemaMultiDocument.schemas[index];
		if (op._tag === "schema") {
			assignProperties(op.target, schema);
			continue;
		}
		const representation = representations[index];
		if (representation._tag !== "Objects") throw new globalThis.Error("Expected an object representation for HTTP properties");
		const properties = schema.properties;
		for (const property of representation.propertySignatures) op.apply(property, properties[String(property.name)]);
	}
	for (const [name, definition] of Object.entries(jsonSchemaMultiDocument.definitions)) assignProperty(components, name, definition);
}
function makePropertiesRepresentation(representation, references, select) {
	const resolved = resolveRepresentation(representation, references);
	return {
		_tag: "Objects",
		propertySignatures: resolved._tag === "Objects" ? resolved.propertySignatures.filter((property) => select?.(property) ?? true).map((property) => ({
			...property,
			name: String(property.name)
		})) : [],
		indexSignatures: [],
		checks: []
	};
}
function resolveRepresentation(representation, references, seen = /* @__PURE__ */ new Set()) {
	if (representation._tag === "Suspend") return resolveRepresentation(representation.thunk, references, seen);
	if (representation._tag !== "Reference" || seen.has(representation.$ref)) return representation;
	const target = references[representation.$ref];
	return target === void 0 ? representation : resolveRepresentation(target, references, new Set(seen).add(representation.$ref));
}
function selectReferences(representations, references) {
	const selected = {};
	const visited = /* @__PURE__ */ new WeakSet();
	const stack = [...representations];
	function pushChecks(checks) {
		for (const check of checks) {
			if (check.representation?.schemas !== void 0) stack.push(...check.representation.schemas);
			if (check._tag === "FilterGroup") pushChecks(check.checks);
		}
	}
	while (stack.length > 0) {
		const representation = stack.pop();
		if (visited.has(representation)) continue;
		visited.add(representation);
		if (representation._tag === "Reference") {
			if (Object.hasOwn(selected, representation.$ref)) continue;
			const target = references[representation.$ref];
			if (target === void 0) continue;
			assignProperty(selected, representation.$ref, target);
			stack.push(target);
			continue;
		}
		pushChecks(representation.checks);
		switch (representation._tag) {
			case "String":
				if (representation.content?.schema !== void 0) stack.push(representation.content.schema);
				break;
			case "Declaration":
				stack.push(...representation.typeParameters);
				break;
			case "Suspend":
				stack.push(representation.thunk);
				break;
			case "TemplateLiteral":
				stack.push(...representation.parts);
				break;
			case "Arrays":
				for (const element of representation.elements) stack.push(element.type);
				stack.push(...representation.rest);
				break;
			case "Objects":
				for (const property of representation.propertySignatures) stack.push(property.type);
				for (const signature of representation.indexSignatures) stack.push(signature.parameter, signature.type);
				break;
			case "Union": stack.push(...representation.types);
		}
	}
	return selected;
}
const reservedStreamFailureEvent = "effect/http-api/stream/failure";
function extractSuccessResponseBodies(endpoint) {
	return extractResponseBodies(getSuccessSchemas(endpoint), getStatusSuccessSchema, resolveDescriptionOrIdentifier);
}
function extractResponseBodies(schemas, getStatus, getDescription) {
	const map = /* @__PURE__ */ new Map();
	schemas.forEach(process);
	return map;
	function process(schema) {
		const annotation = getWithHeadersAnnotation(schema.ast);
		const body = isWithHeaders(schema) ? schema.schema : annotation?.body ?? schema;
		const headers = isWithHeaders(schema) ? schema.headers : annotation?.headersCodec;
		const status = getStatus(schema);
		const ast = body.ast;
		if (isUpgrade(body)) {
			addNoContent(status, getDescription(ast) ?? "Switching Protocols");
			map.get(status).headers.push(Struct({
				connection: Literal("Upgrade"),
				upgrade: Literal(body.protocol)
			}));
			if (body.headers !== void 0) map.get(status).headers.push(body.headers);
		} else if (isStreamSchema(body)) addStreamContent(body, status);
		else if (isNoContent(ast)) addNoContent(status, getDescription(schema.ast) ?? getDescription(ast) ?? "<No Content>");
		else addContent(body, status, getResponseEncodingSchema(schema), getDescription(schema.ast) ?? getDescription(ast));
		if (headers !== void 0) map.get(status).headers.push(headers);
	}
	function addNoContent(status, description) {
		const statusMap = map.get(status);
		if (statusMap === void 0) map.set(status, {
			descriptions: /* @__PURE__ */ new Set([description]),
			content: void 0,
			headers: [],
			streamContent: void 0
		});
		else if (description !== void 0) statusMap.descriptions.add(description);
	}
	function addContent(schema, status, encoding, description) {
		const statusMap = map.get(status);
		const { _tag, contentType } = encoding;
		if (statusMap === void 0) map.set(status, {
			descriptions: new Set(description !== void 0 ? [description] : []),
			content: /* @__PURE__ */ new Map([[_tag, /* @__PURE__ */ new Map([[contentType, /* @__PURE__ */ new Set([schema])]])]]),
			headers: [],
			streamContent: void 0
		});
		else {
			if (description !== void 0) statusMap.descriptions.add(description);
			if (statusMap.content === void 0) statusMap.content = /* @__PURE__ */ new Map([[_tag, /* @__PURE__ */ new Map([[contentType, /* @__PURE__ */ new Set([schema])]])]]);
			else {
				const schemasByContentType = statusMap.content.get(_tag);
				if (schemasByContentType === void 0) statusMap.content.set(_tag, /* @__PURE__ */ new Map([[contentType, /* @__PURE__ */ new Set([schema])]]));
				else {
					const set = schemasByContentType.get(contentType);
					if (set === void 0) schemasByContentType.set(contentType, /* @__PURE__ */ new Set([schema]));
					else set.add(schema);
				}
			}
		}
	}
	function addStreamContent(stream, status) {
		let statusMap = map.get(status);
		if (statusMap === void 0) {
			statusMap = {
				descriptions: /* @__PURE__ */ new Set(),
				content: void 0,
				headers: [],
				streamContent: void 0
			};
			map.set(status, statusMap);
		}
		const streamContent = statusMap.streamContent ??= /* @__PURE__ */ new Map();
		for (const contentType of stream.contentTypes) streamContent.set(contentType, stream);
	}
}
function resolveDescriptionOrIdentifier(ast) {
	return resolveDescription(ast) ?? resolveIdentifier$1(ast);
}
const Uint8ArrayEncoding = /*#__PURE__*/ String$2.annotate({ format: "binary" });
function toEncodingAST(ast, _tag) {
	switch (_tag) {
		case "Uint8Array": return Uint8ArrayEncoding.ast;
		case "Text": return isDeclaration(ast) && ast.encoding === void 0 ? String$2.ast : ast;
		case "Multipart": ast = persistedFileToBinaryEncoding(ast);
	}
	return toCodecJsonAST(ast);
}
function persistedFileToBinaryEncoding(ast) {
	if (isDeclaration(ast) && ast.annotations?.representation?.id === "effect/http/PersistedFile") return Uint8ArrayEncoding.ast;
	if (typeof ast?.recur === "function") return ast.recur(persistedFileToBinaryEncoding);
	return ast;
}
const makeSecurityScheme = (security) => {
	const meta = {};
	processAnnotation(security.annotations, Description, (description) => {
		meta.description = description;
	});
	switch (security._tag) {
		case "Basic": return {
			...meta,
			type: "http",
			scheme: "basic"
		};
		case "Http": {
			const format = getOption(security.annotations, Format).pipe(map$3((format) => ({ bearerFormat: format })), getOrUndefined$1);
			return {
				...meta,
				type: "http",
				scheme: security.scheme,
				...format
			};
		}
		case "ApiKey": return {
			...meta,
			type: "apiKey",
			name: security.key,
			in: security.in
		};
	}
};
const securitySchemeForComparison = (scheme) => {
	if (scheme.type === "http") return {
		...scheme,
		scheme: scheme.scheme.toLowerCase()
	};
	if (scheme.in === "header") return {
		...scheme,
		name: scheme.name.toLowerCase()
	};
	return scheme;
};

// src/api/Middleware.ts
/** What every operation has in common: declared here, implemented in `server/`. */
/** Turns a request that fails decoding into `InvalidRequestError`, and a defect into `UnexpectedError` without its cause. */
var RequestProblems = class extends Service()("credsvc/api/RequestProblems", { error: [InvalidRequestError, UnexpectedError] }) {};
/** Reads the `Credsvc-Profile` header: the profile a request is about, the active one when it is absent. */
var ProfileSelection = class extends Service()("credsvc/api/ProfileSelection", { error: [InvalidRequestError, VaultUnavailableError] }) {};

// src/domain/StrictJson.ts
/**
* JSON from a stranger, read once and in one way.
*
* `JSON.parse` keeps the last of two equal keys, so a document could show one host to a reader and route to another.
* Here a repeated key, `__proto__`, a document that is too large or too deep are failures (A30).
*/
const limits = {
	maxBytes: 262144,
	maxDepth: 32
};
/** One JSON pointer from its segments. */
const jsonPointer = (path) => path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
var Rejected = class extends Error {
	path;
	constructor(path, message) {
		super(message);
		this.path = path;
	}
};
const whitespace = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
/** Walks the text beside `JSON.parse`, which does the decoding; only keys and depth are looked at here. */
const checkKeys = (text, maxDepth) => {
	let at = 0;
	const path = [];
	const take = (pattern) => {
		pattern.lastIndex = at;
		const found = pattern.exec(text)?.[0];
		if (found !== void 0) at += found.length;
		return found;
	};
	const skip = () => void take(whitespace);
	const expect = (character) => {
		skip();
		if (text[at] !== character) throw new Rejected(path, `expected "${character}" at character ${at + 1}`);
		at++;
	};
	const value = () => {
		skip();
		if (path.length > maxDepth) throw new Rejected([], `is nested more than ${maxDepth} levels deep`);
		const open = text[at];
		if (open === "{") return object();
		if (open === "[") return array();
		if (take(open === "\"" ? string : scalar) === void 0) throw new Rejected(path, `is not valid JSON at character ${at + 1}`);
	};
	const object = () => {
		at++;
		skip();
		if (text[at] === "}") return void at++;
		const seen = /* @__PURE__ */ new Set();
		for (;;) {
			skip();
			const quoted = take(string);
			if (quoted === void 0) throw new Rejected(path, `expected a name in quotes at character ${at + 1}`);
			const key = JSON.parse(quoted);
			if (key === "__proto__") throw new Rejected([...path, key], "is not allowed as a name");
			if (seen.has(key)) throw new Rejected([...path, key], "occurs twice in the same object");
			seen.add(key);
			expect(":");
			path.push(key);
			value();
			path.pop();
			skip();
			if (text[at] === ",") {
				at++;
				continue;
			}
			return expect("}");
		}
	};
	const array = () => {
		at++;
		skip();
		if (text[at] === "]") return void at++;
		for (let index = 0;; index++) {
			path.push(index);
			value();
			path.pop();
			skip();
			if (text[at] === ",") {
				at++;
				continue;
			}
			return expect("]");
		}
	};
	value();
	skip();
	if (at !== text.length) throw new Rejected([], `has text after its end, at character ${at + 1}`);
};
/** Parses a whole document. The problem never repeats the input beyond a key. */
const parseStrictJson = (text, { maxBytes, maxDepth } = limits) => {
	if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) return fail$3({
		path: "",
		message: `is larger than ${maxBytes} bytes`
	});
	const body = text.startsWith("﻿") ? text.slice(1) : text;
	try {
		checkKeys(body, maxDepth);
		return succeed$3(JSON.parse(body));
	} catch (error) {
		return fail$3(error instanceof Rejected ? {
			path: jsonPointer(error.path),
			message: error.message
		} : {
			path: "",
			message: "is not valid JSON"
		});
	}
};

// src/domain/SchemaProblems.ts
const formatIssue = makeFormatterStandardSchemaV1({ leafHook: (issue) => {
	switch (issue._tag) {
		case "MissingKey": return "is missing";
		case "UnexpectedKey": return "is not a known field";
		default: return defaultLeafHook(issue);
	}
} });
const segment = (key) => {
	const value = typeof key === "object" ? key.key : key;
	return typeof value === "number" ? value : String(value);
};
/** One problem for each issue: the place as a JSON pointer, and what was expected there. No message repeats the value. */
const problemsOf = (error) => formatIssue(error.issue).issues.map((issue) => ({
	path: jsonPointer((issue.path ?? []).map(segment)),
	message: issue.message.replace(/^Expected/, "must be")
}));

export { make$9 as $, RequestState as A, WatchBackend as At, TypeId$6 as B, fromInput as Bt, use as C, allShort as Ct, addUrlAttributes as D, make$12 as Dt, addHeaderAttributes as E, layer$1 as Et, TypeId$5 as F, isSink as Ft, make$5 as G, Clock as Gt, makeConfig as H, toNumberUnsafe as Ht, schemaCookies as I, BadArgument as It, InternalError as J, ClientAbort as K, currentTimeMillis as Kt, schemaHeaders as L, badArgument as Lt, toHeaders as M, make$13 as Mt, HttpServerRequest as N, drain as Nt, redactedNames as O, FileSystem as Ot, ParsedSearchParams as P, fromChannel as Pt, causeResponse as Q, schemaSearchParams as R, systemError as Rt, toHttpEffect as S, make$11 as St, tracer as T, Path as Tt, toPersisted as U, zero as Ut, limitsServices as V, fromInputUnsafe as Vt, decodeField as W, toNumber$1 as Wt, ResponseError as X, RequestParseError as Y, ServeError as Z, getSuccessSchemas as _, SocketReadError as _t, annotations as a, isNoContent as at, add as b, fromWebSocket as bt, isSecurity as c, isStreamUint8Array as ct, getSlotParseOptions as d, isWithHeadersValue as dt, getResponseEncoding as et, make as f, status as ft, getErrorSchemas as g, SocketOpenError as gt, get as h, SocketError as ht, RequestProblems as i, getWithHeadersAnnotation as it, appendPreResponseHandlerUnsafe as j, layerNoop as jt, CurrentRequestState as k, FileTypeId as kt, PayloadParseOptions as l, isUpgrade as lt, del as m, SocketCloseError as mt, parseStrictJson as n, getStatusErrorSchema as nt, fromApi as o, isStreamNdjson as ot, make$1 as p, normalize as pt, HttpServerError as q, ProfileSelection as r, getStatusSuccessSchema as rt, toRouterPath as s, isStreamSchema as st, problemsOf as t, getResponseEncodingSchema as tt, QueryParseOptions as u, isWithHeaders as ut, post as v, SocketUpgradeError as vt, isTracerDisabledUnsafe as w, hasBody as wt, route as x, isCloseEvent as xt, RouteContext as y, SocketWriteError as yt, MultipartError as z, bytes as zt };