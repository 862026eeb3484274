import { $o as Reference, Ar as mapEager, Bi as isDieReason, C as SchemaError, Cr as gen, Cs as isSome, D as TaggedError, Ds as none, Es as match, Et as applyToSelfOrLastLinkEncoding, Gi as makeFailReason, Hi as isFailReason, Ho as map$3, Ii as fromReasons, Jo as isFailure, Js as assignProperty, Jt as toEncoded, Ki as reasonAnnotations, Ms as Prototype, Ot as decodeTo, Po as isCanonicalArrayIndex, Ps as PipeInspectableProto, Sc as dual, Sr as fromResult, Tc as memoize, Uo as all$2, Ur as orDie, Wi as makeDieReason, Wn as all$1, Wo as fail$2, Xn as catchCause, Xo as map$2, Xt as unknown, Z as make$2, Zn as catchEager, Zo as succeed$1, Zt as Transformation, _r as fnUntraced, _t as decodeUnknownEffect, an as Pointer, ci as succeed, dr as failCause, en as passthrough, es as Service, et as optionalKey, fi as sync, hc as isTagged, it as toCodecStringTree, jt as getIndexSignatureKeys, kr as map$1, ks as some, m as Literals, mr as flatMapEager, ms as filter, pr as flatMap, ra as effect, tn as transformEffect, ua as succeed$2, ur as fail$1, vi as try_, vs as getOrElse, w as String$2, x as Redacted$1 } from "./Runtime-CYnC2HYz.js";
import * as fs from "node:fs";
import * as path from "node:path";

// node_modules/effect/dist/ConfigProvider.js
/**
* Data sources used by `Config` to load raw configuration values. A
* `ConfigProvider` reads paths from places such as environment variables,
* JavaScript objects, `.env` contents, or directories, and returns a uniform
* `Node` shape that config schemas can decode. The module also includes helpers
* for composing providers, changing paths, and installing providers through
* layers.
*
* @stability stable
* @since 4.0.0
*/
/**
* Creates a `Value` node representing a terminal string leaf.
*
* **When to use**
*
* Use when building nodes inside a custom `ConfigProvider`'s `get`
* callback.
*
* **Details**
*
* The function returns a new plain object.
*
* **Example** (Creating a value node)
*
* ```ts import.meta.vitest
* import { ConfigProvider } from "effect"
*
* ConfigProvider.makeValue("3000") // => { _tag: "Value", value: "3000" }
* ```
*
* @see {@link makeRecord} – for object-like containers
* @see {@link makeArray} – for array-like containers
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function makeValue(value) {
	return {
		_tag: "Value",
		value
	};
}
/**
* Creates a `Record` node representing an object-like container with known
* child keys.
*
* **When to use**
*
* Use when you need to describe a directory or JSON object inside a custom
* provider.
*
* **Details**
*
* The optional `value` allows a node to be both a container and a leaf at the
* same time (for example, an env var `A=x` that also has children `A_FOO` and
* `A_BAR`).
*
* **Example** (Creating a record node)
*
* ```ts import.meta.vitest
* import { ConfigProvider } from "effect"
*
* const node = ConfigProvider.makeRecord(new Set(["host", "port"]))
* node._tag // => "Record"
* if (node._tag === "Record") {
*   node.keys // => new Set(["host", "port"])
*   node.value // => undefined
* }
* ```
*
* @see {@link makeValue} – for terminal leaves
* @see {@link makeArray} – for array-like containers
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function makeRecord(keys, value) {
	return {
		_tag: "Record",
		keys,
		value
	};
}
/**
* Creates an `Array` node representing an indexed container with a known
* length.
*
* **When to use**
*
* Use when you need to describe a JSON array or numerically indexed env vars
* inside a custom provider.
*
* **Details**
*
* The optional `value` allows a node to be both a container and a leaf at the
* same time.
*
* **Example** (Creating an array node)
*
* ```ts import.meta.vitest
* import { ConfigProvider } from "effect"
*
* ConfigProvider.makeArray(3) // => { _tag: "Array", length: 3, value: undefined }
* ```
*
* @see {@link makeValue} – for terminal leaves
* @see {@link makeRecord} – for object-like containers
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function makeArray(length, value) {
	return {
		_tag: "Array",
		length,
		value
	};
}
/**
* Context reference for the active raw configuration provider, registered in the context with a
* default value of `fromEnv()`. Because it is a `Context.Reference`, it is
* available without explicit provision; `Config` schemas automatically resolve
* it.
*
* **When to use**
*
* Use to override the active raw configuration provider for an entire program,
* or retrieve the current provider inside an Effect.
*
* **Example** (Providing a custom provider)
*
* ```ts import.meta.vitest
* import { ConfigProvider, Effect } from "effect"
*
* const provider = ConfigProvider.fromUnknown({ port: 8080 })
*
* const program = Effect.gen(function*() {
*   const current = yield* ConfigProvider.ConfigProvider
*   return current
* }).pipe(
*   Effect.provideService(ConfigProvider.ConfigProvider, provider)
* )
*
* Effect.runSync(program) === provider // => true
* ```
*
* @see {@link layer} – install a provider as a Layer
* @see {@link layerAdd} – add a fallback provider as a Layer
*
* @stability stable
* @category services
* @since 4.0.0
*/
const ConfigProvider = /*#__PURE__*/ Reference("effect/ConfigProvider", { defaultValue: () => fromEnv() });
const Proto$1 = {
	...PipeInspectableProto,
	toJSON() {
		return { _id: "ConfigProvider" };
	}
};
const identityPath = (path) => path;
function makeProvider(load, mapInput) {
	const self = Object.create(Proto$1);
	self.load = load;
	self.mapInput = mapInput;
	return self;
}
function makeSource(get, transform) {
	return makeProvider((path) => get(transform(path)), (f) => makeSource(get, (path) => f(transform(path))));
}
/**
* Creates a `ConfigProvider` from a raw lookup function.
*
* **When to use**
*
* Use when implementing a provider backed by a custom store, such as a
* database, remote API, or in-memory map.
*
* **Details**
*
* The `get` callback receives a `Path` and must return
* `Effect<Node | undefined, SourceError>`. Return `undefined` when the path does
* not exist, a `Node` when it does, and fail with `SourceError` only when the
* source cannot be read.
*
* Providers created by `make` also implement the path-transformation
* capability used by {@link mapInput}, {@link constantCase}, and
* {@link nested}.
*
* **Example** (Creating a simple in-memory provider)
*
* ```ts import.meta.vitest
* import { ConfigProvider, Effect } from "effect"
*
* const data: Record<string, string> = {
*   host: "localhost",
*   port: "5432"
* }
*
* const provider = ConfigProvider.make((path) => {
*   const key = path.join(".")
*   const value = data[key]
*   return Effect.succeed(
*     value !== undefined ? ConfigProvider.makeValue(value) : undefined
*   )
* })
*
* Effect.runSync(provider.load(["host"])) // => ConfigProvider.makeValue("localhost")
* ```
*
* @see {@link fromEnv} – pre-built provider for environment variables
* @see {@link fromUnknown} – pre-built provider for JSON objects
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function make$1(get) {
	return makeSource(get, identityPath);
}
function emptyStringAsMissing(value, preserveEmptyStrings) {
	return value === "" && !preserveEmptyStrings ? void 0 : value;
}
/**
* Creates a `ConfigProvider` backed by an explicit environment record.
*
* **When to use**
*
* Use when a restricted runtime cannot evaluate the automatic environment
* detection performed by {@link fromEnv}, or whenever the environment record
* must be supplied explicitly.
*
* **Details**
*
* `undefined` values are ignored. Path lookup and child discovery otherwise
* use the same environment-variable semantics as {@link fromEnv}.
*
* Environment variable names are captured at construction time to establish
* record keys and array lengths. The supplied record remains live for value
* lookups, so updates to known paths are observed by later loads. Keys added
* after construction can be loaded directly, but do not appear in captured
* parent record keys or array lengths.
*
* Literal empty strings are treated as missing values by default. Pass
* `{ preserveEmptyStrings: true }` to keep empty strings as explicit values.
*
* @see {@link fromEnv} – automatically reads the runtime environment
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function fromEnvRecord(env, options) {
	const preserveEmptyStrings = options?.preserveEmptyStrings === true;
	const trie = buildEnvTrie(env);
	return make$1((path) => succeed(nodeAtEnv(trie, env, path, preserveEmptyStrings)));
}
/**
* Creates a `ConfigProvider` backed by environment variables.
*
* **When to use**
*
* Use to read configuration from `process.env`, which is the default when no
* provider is explicitly set, or pass a custom env record for testing.
*
* **Details**
*
* Path segments are joined with `_` for direct lookup, and env var names are
* also split on `_` to build a trie for child key discovery. This means
* `DATABASE_HOST=localhost` is accessible at both path `["DATABASE_HOST"]`
* and `["DATABASE", "HOST"]`. If all immediate children of a trie node have
* purely numeric names, the node is reported as an `Array`; otherwise as a
* `Record`.
*
* The default environment merges `process.env` and `import.meta.env` (when
* available). Override by passing `{ env: { ... } }`.
*
* Literal empty strings are treated as missing values when loaded as values by
* default. Pass `{ preserveEmptyStrings: true }` to keep empty strings as
* explicit values. Child discovery still reflects the environment variable
* names present in the source.
*
* Never fails with `SourceError` — all lookups are synchronous.
*
* **Example** (Reading from a custom env record)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const provider = ConfigProvider.fromEnv({
*   env: {
*     DATABASE_HOST: "localhost",
*     DATABASE_PORT: "5432"
*   }
* })
*
* const host = Config.String("HOST").parse(
*   provider.pipe(ConfigProvider.nested("DATABASE"))
* )
*
* Effect.runSync(host) // => "localhost"
* ```
*
* @see {@link fromUnknown} – for JSON objects
* @see {@link fromEnvRecord} – for explicit records in restricted runtimes
* @see {@link constantCase} – bridge camelCase keys to SCREAMING_SNAKE_CASE
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
function fromEnv(options) {
	return fromEnvRecord(options?.env ?? {
		...globalThis.process?.env,
		...import.meta.env
	}, { preserveEmptyStrings: options?.preserveEmptyStrings });
}
function buildEnvTrie(env) {
	const trie = {};
	for (const [name, value] of Object.entries(env)) {
		if (value === void 0) continue;
		const segments = name.split("_");
		let node = trie;
		for (const seg of segments) {
			const children = node.children ??= Object.create(null);
			node = children[seg] ??= {};
		}
	}
	return trie;
}
function nodeAtEnv(trie, env, path, preserveEmptyStrings) {
	const key = path.map(String).join("_");
	const leafValue = emptyStringAsMissing(Object.hasOwn(env, key) ? env[key] : void 0, preserveEmptyStrings);
	const trieNode = trieNodeAt(trie, path);
	const children = trieNode?.children ? Object.keys(trieNode.children) : [];
	if (children.length === 0) return leafValue === void 0 ? void 0 : makeValue(leafValue);
	if (children.every(isCanonicalArrayIndex)) return makeArray(Math.max(...children.map((k) => parseInt(k, 10))) + 1, leafValue);
	return makeRecord(new Set(children), leafValue);
}
function trieNodeAt(root, path) {
	if (path.length === 0) return root;
	let node = root;
	for (const seg of path) {
		node = node?.children?.[String(seg)];
		if (!node) return void 0;
	}
	return node;
}

// node_modules/effect/dist/Config.js
/**
* Descriptions of configuration values that can be read from a
* `ConfigProvider`. A `Config<T>` explains which keys to read, how to decode
* and validate them, and how to combine defaults, fallbacks, nested paths, and
* multiple settings. Configs are also Effects, so they can be yielded in
* `Effect.gen` after a provider has been supplied.
*
* @stability stable
* @since 4.0.0
*/
const TypeId = "~effect/Config";
/**
* Represents the error type produced when config loading or validation fails.
*
* **When to use**
*
* Use when you need to inspect config loading or validation failures.
*
* **Details**
*
* Wraps either:
* - A `SourceError` — the provider could not read data (I/O failure).
* - A `SchemaError` — the data was found but did not match the schema
*   (wrong type, out of range, missing key, etc.).
*
* @see {@link orElse} – recover from a ConfigError
* @see {@link withDefault} – provide a fallback when relevant input is absent
*
* @stability stable
* @category errors
* @since 4.0.0
*/
var ConfigError = class {
	_tag = "ConfigError";
	name = "ConfigError";
	cause;
	constructor(cause) {
		this.cause = cause;
	}
	get message() {
		return this.cause.toString();
	}
	toString() {
		return `ConfigError(${this.message})`;
	}
};
const Proto = {
	.../*#__PURE__*/ Prototype({
		label: "Config",
		evaluate(fiber) {
			return this.parse(fiber.getRef(ConfigProvider));
		}
	}),
	[TypeId]: TypeId,
	toJSON() {
		return { _id: "Config" };
	}
};
function make(evaluator) {
	const self = Object.create(Proto);
	self.evaluator = evaluator;
	self.parse = (provider) => flatMapEager(evaluator(provider, []), fromResult);
	return self;
}
const evaluateAt = (self, provider, pathPrefix) => self.evaluator(provider, pathPrefix);
/**
* Transforms the parsed value of a config with a pure function.
*
* **When to use**
*
* Use when you need to transform a parsed config value with a function that
* cannot fail.
*
* **Example** (Uppercasing a string config)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const upper = Config.String("name").pipe(
*   Config.map((s) => s.toUpperCase())
* )
*
* const provider = ConfigProvider.fromUnknown({ name: "alice" })
* Effect.runSync(upper.parse(provider)) // => "ALICE"
* ```
*
* @see {@link mapEffect} – when the transformation can fail
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map = /*#__PURE__*/ dual(2, (self, f) => {
	return make((provider, pathPrefix) => map$1(evaluateAt(self, provider, pathPrefix), map$2(f)));
});
/**
* Combines multiple configs into a single config that parses all of them.
*
* **When to use**
*
* Use when you need to group related configs into a tuple or named struct.
*
* **Details**
*
* Accepts a tuple (preserves positions), an iterable, or a record of configs.
* Returns a config whose parsed value mirrors the input shape.
*
* A combined config is absent when any child is absent and no child fails.
* Validation and source errors propagate even when another child is absent.
* An outer {@link withDefault} replaces the entire absent group, while
* {@link option} returns `None`. Apply defaults to individual children to
* preserve the values of other children.
*
* Unlike a `Schema.Struct` passed to {@link schema}, `all` combines independent
* lookups. A struct validates an existing object and fails when required fields
* are missing; `all` can recover missing children through a group default.
*
* **Example** (Defaulting an incomplete config group)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const dbConfig = Config.all({
*   host: Config.String("host"),
*   port: Config.Number("port")
* }).pipe(Config.withDefault({ host: "localhost", port: 5432 }))
*
* const provider = ConfigProvider.fromUnknown({ host: "db.internal", port: 6000 })
* await Effect.runPromise(dbConfig.parse(provider)) // => { host: "db.internal", port: 6000 }
*
* const missingPort = ConfigProvider.fromUnknown({ host: "db.internal" })
* await Effect.runPromise(dbConfig.parse(missingPort)) // => { host: "localhost", port: 5432 }
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
function all(arg) {
	const configs = globalThis.Array.isArray(arg) ? arg : Symbol.iterator in arg ? [...arg] : arg;
	return make((provider, pathPrefix) => globalThis.Array.isArray(configs) ? mapEager(all$1(configs.map((config) => evaluateAt(config, provider, pathPrefix))), all$2) : mapEager(all$1(map$3(configs, (config) => evaluateAt(config, provider, pathPrefix))), all$2));
}
/**
* Provides a fallback value when the config is absent.
*
* **When to use**
*
* Use when you need to make a config key optional with a sensible default.
*
* **Gotchas**
*
* Validation and source errors still propagate. For an {@link all} group, any
* absent child causes the default to replace the entire group unless another
* child fails. Apply defaults to individual children to preserve other values.
*
* A schema that successfully decodes absent input keeps its decoded value
* instead of using the default. Schema configs first represent a missing or
* incompatible provider shape as `undefined`; the default is used only when
* the schema rejects that value and no relevant input was found.
*
* **Example** (Defaulting a missing port)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const port = Config.Number("port").pipe(Config.withDefault(3000))
*
* const provider = ConfigProvider.fromUnknown({})
* Effect.runSync(port.parse(provider)) // => 3000
* ```
*
* @see {@link option} – returns `Option` instead of a default value
* @see {@link orElse} – catches all errors, not just absent input
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const withDefault = /*#__PURE__*/ dual(2, (self, defaultValue) => {
	return make((provider, pathPrefix) => mapEager(evaluateAt(self, provider, pathPrefix), (resolution) => isFailure(resolution) ? succeed$1(defaultValue) : resolution));
});
/**
* Makes a config optional: returns `Some(value)` on success and `None` when the
* config is absent.
*
* **When to use**
*
* Use when you need to handle a config key that may or may not be present.
*
* **Gotchas**
*
* Validation and source errors still propagate. For an {@link all} group, any
* absent child produces `None` unless another child fails. Successful values
* are always wrapped in `Some`, including `undefined` when the schema
* explicitly accepts it. Schema configs first represent a missing or
* incompatible provider shape as `undefined`; `None` is returned only when the
* schema rejects that value and no relevant input was found.
*
* **Example** (Reading optional config)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect, Option } from "effect"
*
* const maybePort = Config.option(Config.Number("port"))
*
* const provider = ConfigProvider.fromUnknown({})
* Effect.runSync(maybePort.parse(provider)) // => Option.none()
* ```
*
* @see {@link withDefault} – provide a concrete fallback value instead
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const option = (self) => self.pipe(map(some), withDefault(none()));
const isSourceError = (u) => isTagged(u, "SourceError");
const cursorToString = () => "<configuration>";
const mapReasons = (f) => (self) => catchCause(self, (cause) => failCause(fromReasons(cause.reasons.map(f))));
const loadCursor = (provider, path) => provider.load(path).pipe(mapReasons((reason) => isFailReason(reason) ? makeDieReason(reason.error).annotate(reasonAnnotations(reason)) : reason), mapEager((node) => ({
	provider,
	path,
	node,
	toString: cursorToString
})));
const loadChildCursor = (cursor, segment) => loadCursor(cursor.provider, [...cursor.path, segment]);
const decodeFromCursor = (ast, decode) => decodeTo(unknown, ast, new Transformation(transformEffect((input) => decode(input)), passthrough()));
const isScalarInput = (ast) => {
	switch (ast._tag) {
		case "Union": return ast.types.every(isScalarInput);
		case "Objects":
		case "Arrays":
		case "Suspend": return false;
		default: return true;
	}
};
const hasProviderInput = (ast, node) => {
	switch (ast._tag) {
		case "Objects": return node?._tag === "Record";
		case "Arrays": return node?._tag === "Array";
		case "Union": return ast.types.some((ast) => hasProviderInput(ast, node));
		case "Suspend": return hasProviderInput(ast.thunk(), node);
		default: return node?.value !== void 0;
	}
};
const toConfigCursorAST = /*#__PURE__*/ memoize((root) => {
	const seen = /* @__PURE__ */ new WeakSet();
	const recur = applyToSelfOrLastLinkEncoding((ast) => {
		seen.add(ast);
		switch (ast._tag) {
			case "Objects": {
				const materialize = fnUntraced(function* (cursor) {
					if (cursor.node?._tag !== "Record") return;
					const node = cursor.node;
					const keys = /* @__PURE__ */ new Set();
					for (const property of ast.propertySignatures) if (typeof property.name === "string") keys.add(property.name);
					if (ast.indexSignatures.length > 0) {
						const input = {};
						for (const key of node.keys) assignProperty(input, key, void 0);
						for (const is of ast.indexSignatures) for (const key of getIndexSignatureKeys(input, is.parameter)) if (typeof key === "string") keys.add(key);
					}
					const out = {};
					for (const key of keys) {
						const child = yield* loadChildCursor(cursor, key);
						if (child.node !== void 0) assignProperty(out, key, child);
					}
					return out;
				});
				return decodeFromCursor(ast.recur(recur, (ast) => ast), materialize);
			}
			case "Arrays": {
				const materialize = fnUntraced(function* (cursor) {
					if (cursor.node?._tag !== "Array") return;
					const out = [];
					for (let i = 0; i < cursor.node.length; i++) out.push(yield* loadChildCursor(cursor, i));
					return out;
				});
				return decodeFromCursor(ast.recur(recur), materialize);
			}
			case "Union":
				for (const member of ast.types) recur(member);
				if (!isScalarInput(ast)) return ast.recur(recur);
				break;
			case "Suspend": {
				const target = ast.thunk();
				if (!seen.has(target)) recur(target);
				return ast.recur(recur);
			}
			case "Declaration":
			case "Any": throw new globalThis.Error("Config.schema does not support opaque StringTree encodings", { cause: ast });
		}
		return decodeFromCursor(ast, (cursor) => succeed(cursor.node?.value));
	});
	return recur(root);
});
/**
* Creates a `Config<T>` from a `Schema.Codec`.
*
* **When to use**
*
* Use when you need to read structured or schema-validated configuration.
*
* **Details**
*
* The optional `path` sets the local path segment(s) for the config lookup.
* It is appended to the logical path prefix accumulated from outer
* {@link nested} calls. Pass a single string for a flat key or an array for
* nested paths.
*
* Convenience constructors such as `String`, `Number`, and `Boolean` delegate
* to this API.
*
* The codec is converted to its canonical `StringTree` form. Its encoded shape
* determines how provider data is loaded: scalar schemas read a co-located
* scalar value, object schemas read declared properties and matching record
* keys, and array schemas read indexed children. A mixed-shape union loads each
* member according to that member's shape before applying the union's mode and
* checks.
*
* At the config's lookup path, a missing node or a node that cannot provide the
* representation required by the schema is decoded as `undefined`. Missing
* object properties remain omitted so the schema's property semantics still
* apply. Decoding success always wins, even when no provider input was found.
* For example,
* `Schema.UndefinedOr(Schema.String)` decodes to `undefined` and is not replaced
* by {@link withDefault}. If decoding fails and no relevant representation was
* found, the config is absent. Invalid data in a relevant representation is a
* validation failure. Provider `SourceError`s are always failures.
*
* **Gotchas**
*
* Plain `Schema.Array` and `Schema.Record` schemas use structural provider
* input. Use {@link Array} or {@link Record} when a flat separated string must
* also be accepted.
*
* `Schema.Struct` and {@link all} describe different lookup models. An
* existing object, even an empty one, is validated as a whole by a struct;
* missing required fields cause a validation failure. An `all` group combines
* independent lookups and is absent if any child is absent and none fail.
*
* The canonical `StringTree` encoding must expose a concrete scalar, object,
* array, or union shape. Opaque encodings such as `Schema.Any`,
* `Schema.Unknown`, `Schema.ObjectKeyword`, `Schema.Json`, and
* `Schema.MutableJson` are rejected synchronously when this config is
* constructed, including when they are nested in another schema. Suspended
* recursive schemas remain supported when their eventual shape is concrete.
* Declarations such as `Schema.URL` also remain supported when their canonical
* encoding has a concrete shape. To read arbitrary JSON from one scalar value,
* use `Schema.fromJsonString(Schema.Json)`.
*
* **Example** (Reading a structured config)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect, Schema } from "effect"
*
* const DbConfig = Config.schema(
*   Schema.Struct({
*     host: Schema.String,
*     port: Schema.Int
*   }),
*   "db"
* )
*
* const provider = ConfigProvider.fromUnknown({
*   db: { host: "localhost", port: 5432 }
* })
*
* Effect.runSync(DbConfig.parse(provider)) // => { host: "localhost", port: 5432 }
* ```
*
* @see {@link String} / {@link Number} / {@link Boolean} – shortcuts for
*   single-value configs
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
function schema(codec, path) {
	const codecStringTree = toCodecStringTree(codec);
	const encodedAst = toEncoded(codecStringTree.ast);
	const decodeCursor = decodeUnknownEffect(make$2(toConfigCursorAST(codecStringTree.ast)));
	const localPath = typeof path === "string" ? [path] : path ?? [];
	return make((provider, pathPrefix) => {
		const fullPath = [...pathPrefix, ...localPath];
		return loadCursor(provider, fullPath).pipe(flatMapEager((cursor) => decodeCursor(cursor).pipe(mapEager(succeed$1), catchEager((issue) => {
			const error = new ConfigError(new SchemaError(fullPath.length > 0 ? new Pointer(fullPath, issue) : issue));
			return hasProviderInput(encodedAst, cursor.node) ? fail$1(error) : succeed(fail$2(error));
		}))), mapReasons((reason) => isDieReason(reason) && isSourceError(reason.defect) ? makeFailReason(new ConfigError(reason.defect)).annotate(reasonAnnotations(reason)) : reason));
	});
}
/**
* Creates a config for a single string value.
*
* **When to use**
*
* Use when reading a single string env var or config key.
*
* **Details**
*
* Shortcut for `Config.schema(Schema.String, name)`.
*
* **Example** (Reading a string config)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const host = Config.String("HOST")
*
* const provider = ConfigProvider.fromUnknown({ HOST: "localhost" })
* Effect.runSync(host.parse(provider)) // => "localhost"
* ```
*
* @see {@link NonEmptyString} – rejects empty strings
* @see {@link schema} – for more complex types
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
function String$1(name) {
	return schema(String$2, name);
}
/**
* Creates a config for a redacted string value. The parsed result is wrapped
* in a `Redacted` container that hides the value from logs and `toString`.
*
* **When to use**
*
* Use to read secret string settings that should not be exposed in logs or
* string output.
*
* **Details**
*
* Shortcut for `Config.schema(Schema.Redacted(Schema.String), name)`.
*
* **Example** (Reading a secret)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const program = Config.Redacted("API_KEY").pipe(Effect.map(String))
*
* const provider = ConfigProvider.fromEnv({
*   env: {
*     API_KEY: "sk-1234567890abcdef"
*   }
* })
*
* Effect.runSync(
*   program.pipe(Effect.provideService(ConfigProvider.ConfigProvider, provider))
* ) // => "<redacted>"
* ```
*
* @see {@link String} for non-secret string settings
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
function Redacted(name) {
	return schema(Redacted$1(String$2), name);
}
/**
* Scopes a config under a named prefix.
*
* **When to use**
*
* Use when you need to group related config keys under a common namespace.
*
* **Details**
*
* The prefix is prepended to every key the inner config reads. With
* `fromUnknown` this means an extra object level; with `fromEnv` it means
* a `_`-separated prefix on env var names.
*
* Multiple `nested` calls compose: the outermost name becomes the
* outermost path segment.
*
* **Example** (Nesting a struct config under `"database"`)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const dbConfig = Config.all({
*   host: Config.String("host"),
*   port: Config.Number("port")
* }).pipe(Config.nested("database"))
*
* const provider = ConfigProvider.fromUnknown({
*   database: { host: "localhost", port: "5432" }
* })
* Effect.runSync(dbConfig.parse(provider)) // => { host: "localhost", port: 5432 }
* ```
*
* **Example** (Reading env vars with a nested prefix)
*
* ```ts import.meta.vitest
* import { Config, ConfigProvider, Effect } from "effect"
*
* const host = Config.String("host").pipe(Config.nested("database"))
*
* const provider = ConfigProvider.fromEnv({
*   env: { database_host: "localhost" }
* })
* Effect.runSync(host.parse(provider)) // => "localhost"
* ```
*
* @see {@link all} – combine multiple configs into a struct
* @see {@link schema} – read structured config from a schema
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const nested = /*#__PURE__*/ dual(2, (self, name) => make((provider, pathPrefix) => evaluateAt(self, provider, [...pathPrefix, name])));

// src/platform/builtins.ts
const builtins = {
	get childProcess() {
		return process.getBuiltinModule("node:child_process");
	},
	get crypto() {
		return process.getBuiltinModule("node:crypto");
	},
	get dns() {
		return process.getBuiltinModule("node:dns");
	},
	get http() {
		return process.getBuiltinModule("node:http");
	},
	get http2() {
		return process.getBuiltinModule("node:http2");
	},
	get https() {
		return process.getBuiltinModule("node:https");
	},
	get inspector() {
		return process.getBuiltinModule("node:inspector");
	},
	get net() {
		return process.getBuiltinModule("node:net");
	},
	get os() {
		return process.getBuiltinModule("node:os");
	},
	get sqlite() {
		return process.getBuiltinModule("node:sqlite");
	},
	get tls() {
		return process.getBuiltinModule("node:tls");
	},
	get vm() {
		return process.getBuiltinModule("node:vm");
	},
	get workerThreads() {
		return process.getBuiltinModule("node:worker_threads");
	},
	get zlib() {
		return process.getBuiltinModule("node:zlib");
	}
};

// src/config/Settings.ts
/** What the environment says, read once when the process starts. */
const MASTER_KEY_MODES = [
	"auto",
	"local_key",
	"keyring"
];
/** An environment variable holds something that cannot be used. */
var SettingsError = class extends TaggedError()("SettingsError", {
	variable: String$2,
	message: String$2
}) {};
const text = (name) => String$1(name).pipe(option, map(filter((value) => value.trim() !== "")));
const config = all({
	home: text("HOME"),
	daemonUrl: text("DAEMON_URL"),
	serverBaseUrl: text("SERVER_BASE_URL"),
	masterKey: option(Redacted("MASTER_KEY")),
	masterKeyMode: text("MASTER_KEY_MODE"),
	profile: text("PROFILE"),
	allowAnyPeer: text("ALLOW_ANY_PEER")
}).pipe(nested("CREDSVC"));
const parseUrl = (variable, value) => {
	const url = URL.canParse(value) ? new URL(value) : void 0;
	if (url === void 0 || url.protocol !== "http:" && url.protocol !== "https:") return fail$1(new SettingsError({
		variable,
		message: `${variable} is not an http or https URL`
	}));
	if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return fail$1(new SettingsError({
		variable,
		message: `${variable} must not have a user, a query or a fragment`
	}));
	return succeed(url);
};
const optional = (value, parse) => match(value, {
	onNone: () => succeed(none()),
	onSome: (value) => map$1(parse(value), some)
});
const parseMode = (value) => {
	const mode = MASTER_KEY_MODES.find((mode) => mode === value);
	return mode === void 0 ? fail$1(new SettingsError({
		variable: "CREDSVC_MASTER_KEY_MODE",
		message: `CREDSVC_MASTER_KEY_MODE must be one of ${MASTER_KEY_MODES.join(", ")}`
	})) : succeed(mode);
};
var Settings = class Settings extends Service()("credsvc/config/Settings") {
	static layer = effect(Settings, gen(function* () {
		const env = yield* orDie(config);
		return {
			home: path.resolve(getOrElse(env.home, () => path.join(builtins.os.homedir(), ".credsvc"))),
			daemonUrl: yield* optional(env.daemonUrl, (value) => parseUrl("CREDSVC_DAEMON_URL", value)),
			serverBaseUrl: yield* optional(env.serverBaseUrl, (value) => parseUrl("CREDSVC_SERVER_BASE_URL", value)),
			masterKey: env.masterKey,
			masterKeyMode: yield* optional(env.masterKeyMode, parseMode),
			profile: env.profile,
			allowAnyPeer: isSome(env.allowAnyPeer) && [
				"1",
				"true",
				"yes"
			].includes(env.allowAnyPeer.value)
		};
	}));
	/** Given values in place of the environment, for embedders and tests. */
	static layerOf = (values) => succeed$2(Settings, {
		daemonUrl: none(),
		serverBaseUrl: none(),
		masterKey: none(),
		masterKeyMode: none(),
		profile: none(),
		allowAnyPeer: false,
		...values
	});
};

// src/platform/SecureFiles.ts
/**
* Files that only their owner may read, written so that a crash or a race leaves either the old content or the new.
*
* The calls are synchronous: the files are small, and an operation that another fiber could interleave with would
* lose the guarantees below.
*/
/** A file or directory is absent, unsafe to use, or could not be read or written. */
var SecureFileError = class extends TaggedError()("SecureFileError", {
	path: String$2,
	problem: Literals([
		"not_found",
		"foreign_owner",
		"writable_by_others",
		"symbolic_link",
		"not_a_file",
		"not_a_directory",
		"too_large",
		"io"
	]),
	code: optionalKey(String$2)
}) {
	get message() {
		switch (this.problem) {
			case "not_found": return `${this.path} does not exist`;
			case "foreign_owner": return `${this.path} belongs to another user`;
			case "writable_by_others": return `${this.path} can be changed by other users`;
			case "symbolic_link": return `${this.path} is a symbolic link, which is not followed here`;
			case "not_a_file": return `${this.path} is not a regular file`;
			case "not_a_directory": return `${this.path} is not a directory`;
			case "too_large": return `${this.path} is larger than it can be`;
			case "io": return `${this.path} could not be read or written (${this.code ?? "unknown error"})`;
		}
	}
};
const { constants } = fs;
const ownUid = () => process.getuid?.();
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const codeOf = (cause) => typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown error";
const fail = (file, problem, code) => new SecureFileError(code === void 0 ? {
	path: file,
	problem
} : {
	path: file,
	problem,
	code
});
const attempt = (file, evaluate) => try_({
	try: evaluate,
	catch: (cause) => {
		if (cause instanceof SecureFileError) return cause;
		const code = codeOf(cause);
		if (code === "ENOENT") return fail(file, "not_found", code);
		if (code === "ELOOP") return fail(file, "symbolic_link", code);
		return fail(file, "io", code);
	}
});
const syncDirectory = (directory) => {
	if (process.platform === "win32") return;
	const fd = fs.openSync(directory, "r");
	try {
		fs.fsyncSync(fd);
	} finally {
		fs.closeSync(fd);
	}
};
const writeAll = (fd, bytes) => {
	let offset = 0;
	while (offset < bytes.length) offset += fs.writeSync(fd, bytes, offset);
};
const toBytes = (content) => typeof content === "string" ? new TextEncoder().encode(content) : content;
/** A finished file beside `file`, under a name nobody else uses. */
const writeTemporary = (file, content) => {
	const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.${builtins.crypto.randomBytes(6).toString("hex")}.tmp`);
	const fd = fs.openSync(temporary, "wx", 384);
	try {
		fs.fchmodSync(fd, 384);
		writeAll(fd, toBytes(content));
		fs.fsyncSync(fd);
	} catch (cause) {
		fs.closeSync(fd);
		fs.rmSync(temporary, { force: true });
		throw cause;
	}
	fs.closeSync(fd);
	return temporary;
};
const checkOpened = (file, stat) => {
	if (!stat.isFile()) throw fail(file, "not_a_file");
	const uid = ownUid();
	if (uid !== void 0 && stat.uid !== uid) throw fail(file, "foreign_owner");
};
const checkComponent = (component, stat) => {
	const uid = ownUid();
	if (uid === void 0) return;
	if (stat.uid !== uid && stat.uid !== 0) throw fail(component, "foreign_owner");
	if (!stat.isSymbolicLink() && (stat.mode & 18) !== 0 && (stat.mode & 512) === 0) throw fail(component, "writable_by_others");
};
const checkComponents = (target, seen = 0) => {
	if (seen > 40) throw fail(target, "symbolic_link", "ELOOP");
	const absolute = path.resolve(target);
	let current = path.parse(absolute).root;
	checkComponent(current, fs.lstatSync(current));
	for (const part of absolute.slice(current.length).split(path.sep).filter((part) => part !== "")) {
		const parent = current;
		current = path.join(current, part);
		const stat = fs.lstatSync(current);
		checkComponent(current, stat);
		if (stat.isSymbolicLink()) checkComponents(path.resolve(parent, fs.readlinkSync(current)), seen + 1);
	}
};
/** Files created by this process from now on are the owner's alone. Belongs at the start of every entry point. */
const setPrivateUmask = sync(() => {
	process.umask(63);
});
/**
* Creates a directory with mode 0700, parents included, and checks that it can be trusted. The mode of a directory
* that exists is left alone: `broaderThanOwner` reports it.
*/
const ensurePrivateDirectory = (directory) => attempt(directory, () => {
	fs.mkdirSync(directory, {
		recursive: true,
		mode: 448
	});
	checkComponents(directory);
	const stat = fs.statSync(directory);
	if (!stat.isDirectory()) throw fail(directory, "not_a_directory");
	const uid = ownUid();
	if (uid !== void 0 && stat.uid !== uid) throw fail(directory, "foreign_owner");
});
/** The path is absent, or a regular file of this user that is not a symbolic link. */
const checkFile = (file) => attempt(file, () => {
	const stat = fs.lstatSync(file, { throwIfNoEntry: false });
	if (stat === void 0) return;
	if (stat.isSymbolicLink()) throw fail(file, "symbolic_link");
	checkOpened(file, stat);
});
/** The bytes of a regular file of this user. Symbolic links are refused. */
const readFile = (file, options = {}) => attempt(file, () => {
	const fd = fs.openSync(file, constants.O_RDONLY | NOFOLLOW | (constants.O_NONBLOCK ?? 0));
	try {
		const stat = fs.fstatSync(fd);
		checkOpened(file, stat);
		if (options.maxBytes !== void 0 && stat.size > options.maxBytes) throw fail(file, "too_large");
		return new Uint8Array(fs.readFileSync(fd));
	} finally {
		fs.closeSync(fd);
	}
});
/**
* Writes a file that must never be written twice, such as a key. Of many racing callers one creates it, and all of
* them get the bytes that are in it afterwards.
*/
const createOnce = (file, content) => attempt(file, () => {
	const temporary = writeTemporary(file, content);
	try {
		fs.linkSync(temporary, file);
		return true;
	} catch (cause) {
		if (codeOf(cause) === "EEXIST") return false;
		throw cause;
	} finally {
		fs.rmSync(temporary, { force: true });
		syncDirectory(path.dirname(file));
	}
}).pipe(flatMap((created) => map$1(readFile(file), (bytes) => ({
	created,
	bytes
}))));
/** Replaces the whole content: a reader sees the old file or the new one, also after a crash. */
const replaceFile = (file, content) => attempt(file, () => {
	const temporary = writeTemporary(file, content);
	try {
		fs.renameSync(temporary, file);
	} catch (cause) {
		fs.rmSync(temporary, { force: true });
		throw cause;
	}
	syncDirectory(path.dirname(file));
});
const openAppendSync = (file) => {
	const fd = fs.openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NOFOLLOW | (constants.O_NONBLOCK ?? 0), 384);
	try {
		checkOpened(file, fs.fstatSync(fd));
	} catch (cause) {
		fs.closeSync(fd);
		throw cause;
	}
	return fd;
};
/** A file descriptor that appends, for a log or a child's output. The caller closes it. */
const openAppend = (file) => attempt(file, () => openAppendSync(file));
/** Appends in one write. `sync` waits until it is on the disk. */
const appendFile = (file, content, options = {}) => attempt(file, () => {
	const fd = openAppendSync(file);
	try {
		writeAll(fd, toBytes(content));
		if (options.sync === true) fs.fsyncSync(fd);
	} finally {
		fs.closeSync(fd);
	}
});
/** Removes a file; absence is success. */
const removeFile = (file) => attempt(file, () => fs.rmSync(file, { force: true }));

export { ensurePrivateDirectory as a, removeFile as c, MASTER_KEY_MODES as d, Settings as f, createOnce as i, replaceFile as l, appendFile as n, openAppend as o, builtins as p, checkFile as r, readFile as s, SecureFileError as t, setPrivateUmask as u };