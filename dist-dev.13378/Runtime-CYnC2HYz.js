// node_modules/effect/dist/Pipeable.js
/**
* The `Pipeable` module defines the shared interface and implementation helpers
* for values that support Effect-style method chaining with `.pipe(...)`.
*
* A `Pipeable` value can pass itself through a sequence of unary functions from
* left to right, so code can be written as `value.pipe(f, g, h)` instead of
* deeply nesting calls. This is the method form used by many Effect data types
* to compose transformations, validations, and effectful operations while
* keeping the original value as the starting point of the pipeline.
*
* @stability stable
* @since 2.0.0
*/
/**
* Applies a `pipe` method's variadic arguments to an initial value from left
* to right.
*
* **When to use**
*
* Use to implement a custom `.pipe(...)` method from JavaScript's `arguments`
* object.
*
* **Details**
*
* This helper is intended for implementing `Pipeable.pipe` methods that
* receive JavaScript's `arguments` object. With no functions it returns the
* original value; otherwise it feeds each result into the next function.
*
* **Example** (Implementing a pipe method)
*
* ```ts import.meta.vitest
* import { Pipeable } from "effect"
*
* class NumberBox {
*   constructor(readonly value: number) {}
*
*   pipe(..._fns: ReadonlyArray<(value: number) => number>): number {
*     return Pipeable.pipeArguments(this.value, arguments) as number
*   }
* }
*
* const result = new NumberBox(5).pipe(
*   (n) => n + 2,
*   (n) => n * 3
* )
* result // => 21
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const pipeArguments = (self, args) => {
	switch (args.length) {
		case 0: return self;
		case 1: return args[0](self);
		case 2: return args[1](args[0](self));
		case 3: return args[2](args[1](args[0](self)));
		case 4: return args[3](args[2](args[1](args[0](self))));
		case 5: return args[4](args[3](args[2](args[1](args[0](self)))));
		case 6: return args[5](args[4](args[3](args[2](args[1](args[0](self))))));
		case 7: return args[6](args[5](args[4](args[3](args[2](args[1](args[0](self)))))));
		case 8: return args[7](args[6](args[5](args[4](args[3](args[2](args[1](args[0](self))))))));
		case 9: return args[8](args[7](args[6](args[5](args[4](args[3](args[2](args[1](args[0](self)))))))));
		default: {
			let ret = self;
			for (let i = 0, len = args.length; i < len; i++) ret = args[i](ret);
			return ret;
		}
	}
};
/**
* Reusable prototype that implements `Pipeable.pipe`.
*
* **When to use**
*
* Use when classes or object prototypes can reuse this value when they need the
* standard pipe implementation backed by `pipeArguments`.
*
* @stability stable
* @category prototypes
* @since 3.15.0
*/
const Prototype$1 = { pipe() {
	return pipeArguments(this, arguments);
} };
/**
* Provides a base constructor whose instances implement the standard `Pipeable.pipe`
* method.
*
* **When to use**
*
* Use when you need to define a class that supports Effect-style method
* chaining through `.pipe(...)`.
*
* @stability stable
* @category constructors
* @since 3.15.0
*/
const Class$2 = /*#__PURE__*/ function() {
	function PipeableBase() {}
	PipeableBase.prototype = Prototype$1;
	return PipeableBase;
}();

// node_modules/effect/dist/Function.js
/**
* Creates a function that can be called in data-first style or data-last
* (`pipe`-friendly) style.
*
* **When to use**
*
* Use to expose one implementation through both direct and `pipe`-friendly
* call styles.
*
* **Details**
*
* Pass either the arity of the uncurried function or a predicate that decides
* whether the current call is data-first. Arity is the common case. Use a
* predicate when optional arguments make arity ambiguous.
*
* **Example** (Selecting data-first or data-last style by arity)
*
* ```ts import.meta.vitest
* import { Function, pipe } from "effect"
*
* const sum = Function.dual<
*   (that: number) => (self: number) => number,
*   (self: number, that: number) => number
* >(2, (self, that) => self + that)
*
* sum(2, 3) // => 5
* pipe(2, sum(3)) // => 5
* ```
*
* **Example** (Defining overloads with call signatures)
*
* ```ts import.meta.vitest
* import { Function, pipe } from "effect"
*
* const sum: {
*   (that: number): (self: number) => number
*   (self: number, that: number): number
* } = Function.dual(2, (self: number, that: number): number => self + that)
*
* sum(2, 3) // => 5
* pipe(2, sum(3)) // => 5
* ```
*
* **Example** (Selecting data-first or data-last style with a predicate)
*
* ```ts import.meta.vitest
* import { Function, pipe } from "effect"
*
* const sum = Function.dual<
*   (that: number) => (self: number) => number,
*   (self: number, that: number) => number
* >(
*   (args) => args.length === 2,
*   (self, that) => self + that
* )
*
* sum(2, 3) // => 5
* pipe(2, sum(3)) // => 5
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const dual = function(arity, body) {
	if (typeof arity === "function") return function() {
		return arity(arguments) ? body.apply(this, arguments) : (self) => body(self, ...arguments);
	};
	switch (arity) {
		case 0:
		case 1: throw new RangeError(`Invalid arity ${arity}`);
		case 2: return function(a, b) {
			if (arguments.length >= 2) return body(a, b);
			return function(self) {
				return body(self, a);
			};
		};
		case 3: return function(a, b, c) {
			if (arguments.length >= 3) return body(a, b, c);
			return function(self) {
				return body(self, a, b);
			};
		};
		default: return function() {
			if (arguments.length >= arity) return body.apply(this, arguments);
			const args = arguments;
			return function(self) {
				return body(self, ...args);
			};
		};
	}
};
/**
* Returns its input argument unchanged.
*
* **When to use**
*
* Use to return a value unchanged where a function is required.
*
* **Example** (Returning the same value)
*
* ```ts import.meta.vitest
* import { identity } from "effect"
*
* identity(5) // => 5
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const identity = (a) => a;
/**
* Creates a zero-argument function that always returns the provided value.
*
* **When to use**
*
* Use when you need a thunk or callback that returns the same value on every
* invocation.
*
* **Example** (Creating a constant thunk)
*
* ```ts import.meta.vitest
* import { Function } from "effect"
*
* const constNull = Function.constant(null)
*
* constNull() // => null
* constNull() // => null
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const constant = (value) => () => value;
/**
* Returns `true` when called.
*
* **When to use**
*
* Use when you need a thunk that returns `true` on every invocation.
*
* **Example** (Returning true from a thunk)
*
* ```ts import.meta.vitest
* import { Function } from "effect"
*
* Function.constTrue() // => true
* ```
*
* @stability stable
* @category constants
* @since 2.0.0
*/
const constTrue = /*#__PURE__*/ constant(true);
/**
* Returns `false` when called.
*
* **When to use**
*
* Use when you need a thunk that returns `false` on every invocation.
*
* **Example** (Returning false from a thunk)
*
* ```ts import.meta.vitest
* import { Function } from "effect"
*
* Function.constFalse() // => false
* ```
*
* @stability stable
* @category constants
* @since 2.0.0
*/
const constFalse = /*#__PURE__*/ constant(false);
/**
* Returns `null` when called.
*
* **When to use**
*
* Use when you need a thunk that returns `null` on every invocation.
*
* **Example** (Returning null from a thunk)
*
* ```ts import.meta.vitest
* import { Function } from "effect"
*
* Function.constNull() // => null
* ```
*
* @stability stable
* @category constants
* @since 2.0.0
*/
const constNull = /*#__PURE__*/ constant(null);
/**
* Returns `undefined` when called.
*
* **When to use**
*
* Use when you need a thunk that returns `undefined` on every invocation.
*
* **Example** (Returning undefined from a thunk)
*
* ```ts import.meta.vitest
* import { Function } from "effect"
*
* Function.constUndefined() // => undefined
* ```
*
* @stability stable
* @category constants
* @since 2.0.0
*/
const constUndefined = /*#__PURE__*/ constant(void 0);
/**
* Returns no meaningful value when called.
*
* **When to use**
*
* Use when you need a thunk that is called only for its effect and has no
* meaningful return value.
*
* **Example** (Returning void from a thunk)
*
* ```ts import.meta.vitest
* import { Function } from "effect"
*
* Function.constVoid() // => undefined
* ```
*
* @stability stable
* @category constants
* @since 2.0.0
*/
const constVoid = constUndefined;
function pipe(a, ...args) {
	return pipeArguments(a, args);
}
function flow(ab, bc, cd, de, ef, fg, gh, hi, ij) {
	switch (arguments.length) {
		case 1: return ab;
		case 2: return function() {
			return bc(ab.apply(this, arguments));
		};
		case 3: return function() {
			return cd(bc(ab.apply(this, arguments)));
		};
		case 4: return function() {
			return de(cd(bc(ab.apply(this, arguments))));
		};
		case 5: return function() {
			return ef(de(cd(bc(ab.apply(this, arguments)))));
		};
		case 6: return function() {
			return fg(ef(de(cd(bc(ab.apply(this, arguments))))));
		};
		case 7: return function() {
			return gh(fg(ef(de(cd(bc(ab.apply(this, arguments)))))));
		};
		case 8: return function() {
			return hi(gh(fg(ef(de(cd(bc(ab.apply(this, arguments))))))));
		};
		case 9: return function() {
			return ij(hi(gh(fg(ef(de(cd(bc(ab.apply(this, arguments)))))))));
		};
	}
}
/**
* Creates a memoized function whose input is an object, caching results by
* object identity.
*
* **When to use**
*
* Use to reuse the result of a synchronous computation whose output is stable
* for a given object reference.
*
* **Details**
*
* Each memoized wrapper owns a private `WeakMap` keyed by object identity.
*
* **Gotchas**
*
* `undefined` is reserved to represent a cache miss and is therefore not
* supported as a return value.
*
* Structurally equal objects do not share cache entries. If the same object is
* mutated after its first call, later calls still return the cached result for
* that reference.
*
* @stability stable
* @category caching
* @since 4.0.0
*/
function memoize(f) {
	const cache = /* @__PURE__ */ new WeakMap();
	return (a) => {
		const cached = cache.get(a);
		if (cached !== void 0) return cached;
		const result = f(a);
		cache.set(a, result);
		return result;
	};
}
/**
* Creates a memoized idempotent object transformation that caches both inputs
* and their outputs by object identity.
*
* **When to use**
*
* Use when an object transformation is idempotent and its output can be safely
* reused as a fixed point.
*
* **Details**
*
* After computing an input, the returned function caches both the input and
* the output. Calling it with either reference returns the output without
* invoking the supplied function again.
*
* **Gotchas**
*
* The returned function treats each computed output as a fixed point. If
* applying the supplied function to an output would produce an observably
* different value, this memoization changes that behavior.
*
* @see {@link memoize} for memoizing functions without an idempotence requirement
* @stability stable
* @category caching
* @since 4.0.0
*/
function memoizeIdempotent(f) {
	const cache = /* @__PURE__ */ new WeakMap();
	return (a) => {
		const cached = cache.get(a);
		if (cached !== void 0) return cached;
		const result = f(a);
		cache.set(a, result);
		if (result !== a) cache.set(result, result);
		return result;
	};
}

// node_modules/effect/dist/internal/equal.js
/** @internal */
const getAllObjectKeys = (obj) => {
	const keys = new Set(Reflect.ownKeys(obj));
	if (obj.constructor === Object) return keys;
	if (obj instanceof Error) keys.delete("stack");
	const proto = Object.getPrototypeOf(obj);
	let current = proto;
	while (current !== null && current !== Object.prototype) {
		const ownKeys = Reflect.ownKeys(current);
		for (let i = 0; i < ownKeys.length; i++) keys.add(ownKeys[i]);
		current = Object.getPrototypeOf(current);
	}
	if (keys.has("constructor") && typeof obj.constructor === "function" && proto === obj.constructor.prototype) keys.delete("constructor");
	return keys;
};
/** @internal */
const byReferenceInstances = /*#__PURE__*/ new WeakSet();
/** @internal */
const viewBytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
/** @internal */
const isArrayBufferLike = (u) => u instanceof ArrayBuffer || typeof SharedArrayBuffer !== "undefined" && u instanceof SharedArrayBuffer;
/**
* Returns `undefined` for detached buffers, which can no longer be read.
*
* @internal
*/
const bufferBytes = (buffer) => {
	try {
		return new Uint8Array(buffer);
	} catch {
		return;
	}
};

// node_modules/effect/dist/internal/hash.js
/**
* Back-edge count used to avoid caching entry-point-dependent hashes.
*
* @internal
*/
let backEdges = 0;
/** @internal */
const addBackEdge = () => {
	backEdges++;
};

// node_modules/effect/dist/Predicate.js
/**
* Defines runtime checks for values.
*
* A `Predicate<A>` returns `true` or `false` for an `A`. A
* `Refinement<A, B>` is a predicate that also narrows the TypeScript type when
* it succeeds. This module includes guards for common JavaScript values,
* property and tag checks, tuple and struct checks, boolean combinators, and
* helpers for composing predicates and refinements.
*
* @stability stable
* @since 2.0.0
*/
/**
* Checks whether a value is a `string`.
*
* **When to use**
*
* Use when you need a `Predicate` guard to narrow an `unknown` value to a
* string.
*
* **Details**
*
* Uses `typeof input === "string"`.
*
* **Example** (Guarding strings)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = "hi"
*
* if (Predicate.isString(data)) {
*   data.toUpperCase() // => "HI"
* }
* ```
*
* @see {@link isNumber}
* @see {@link isBoolean}
* @see {@link Refinement}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isString$1(input) {
	return typeof input === "string";
}
/**
* Checks whether a value is a `number`.
*
* **When to use**
*
* Use when you need a `Predicate` guard to narrow an `unknown` value to a
* number.
*
* **Details**
*
* Uses `typeof input === "number"` and does not exclude `NaN` or `Infinity`.
*
* **Example** (Guarding numbers)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = 42
*
* if (Predicate.isNumber(data)) {
*   data + 1 // => 43
* }
* ```
*
* @see {@link isBigInt}
* @see {@link isString}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isNumber(input) {
	return typeof input === "number";
}
/**
* Checks whether a value is a `boolean`.
*
* **When to use**
*
* Use when you need a `Predicate` guard to narrow an `unknown` value to a
* boolean.
*
* **Details**
*
* Uses `typeof input === "boolean"`.
*
* **Example** (Guarding booleans)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = true
*
* if (Predicate.isBoolean(data)) {
*   data ? "yes" : "no" // => "yes"
* }
* ```
*
* @see {@link isString}
* @see {@link isNumber}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isBoolean(input) {
	return typeof input === "boolean";
}
/**
* Checks whether a value is a `bigint`.
*
* **When to use**
*
* Use when you need a `Predicate` guard to narrow an `unknown` value to a
* bigint.
*
* **Details**
*
* Uses `typeof input === "bigint"`.
*
* **Example** (Guarding bigints)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = 1n
*
* if (Predicate.isBigInt(data)) {
*   data + 2n // => 3n
* }
* ```
*
* @see {@link isNumber}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isBigInt(input) {
	return typeof input === "bigint";
}
/**
* Checks whether a value is a `symbol`.
*
* **When to use**
*
* Use when you need a `Predicate` guard to narrow an `unknown` value to a
* symbol.
*
* **Details**
*
* Uses `typeof input === "symbol"`.
*
* **Example** (Guarding symbols)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = Symbol.for("id")
*
* if (Predicate.isSymbol(data)) {
*   data.description // => "id"
* }
* ```
*
* @see {@link isPropertyKey}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isSymbol(input) {
	return typeof input === "symbol";
}
/**
* Checks whether a value is a valid `PropertyKey` (string, number, or symbol).
*
* **When to use**
*
* Use when you need a `Predicate` guard for unknown property keys before
* indexing.
*
* **Details**
*
* Uses `isString`, `isNumber`, and `isSymbol`.
*
* **Example** (Guarding property keys)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const key: unknown = "name"
* const obj: Record<PropertyKey, unknown> = { name: "Ada" }
*
* if (Predicate.isPropertyKey(key) && key in obj) {
*   obj[key] // => "Ada"
* }
* ```
*
* @see {@link isString}
* @see {@link isNumber}
* @see {@link isSymbol}
* @stability stable
* @category guards
* @since 4.0.0
*/
function isPropertyKey(u) {
	return isString$1(u) || isNumber(u) || isSymbol(u);
}
/**
* Checks whether a value is a `function`.
*
* **When to use**
*
* Use when you need a `Predicate` guard to narrow an `unknown` value to a
* callable function.
*
* **Details**
*
* Uses `typeof input === "function"`.
*
* **Example** (Guarding functions)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = () => 1
*
* if (Predicate.isFunction(data)) {
*   data() // => 1
* }
* ```
*
* @see {@link isObjectKeyword}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isFunction(input) {
	return typeof input === "function";
}
/**
* Checks whether a value is `undefined`.
*
* **When to use**
*
* Use when you need a `Predicate` guard for values that are exactly
* `undefined`.
*
* **Details**
*
* Uses `input === undefined`.
*
* **Example** (Guarding undefined values)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = undefined
*
* Predicate.isUndefined(data) // => true
* ```
*
* @see {@link isNotUndefined}
* @see {@link isNullish}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isUndefined(input) {
	return input === void 0;
}
/**
* Checks whether a value is not `undefined`.
*
* **When to use**
*
* Use when you need a `Predicate` refinement that filters out `undefined`
* while preserving other falsy values.
*
* **Details**
*
* Returns a refinement that excludes `undefined`.
*
* **Example** (Filtering undefined values)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const values = [1, undefined, 2]
* const defined = values.filter(Predicate.isNotUndefined) // => [1, 2]
* ```
*
* @see {@link isUndefined}
* @see {@link isNotNullish}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isNotUndefined(input) {
	return input !== void 0;
}
/**
* Checks whether a value is not `null`.
*
* **When to use**
*
* Use when you need a `Predicate` refinement that filters out `null` while
* preserving other falsy values.
*
* **Details**
*
* Returns a refinement that excludes `null`.
*
* **Example** (Filtering null values)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const values = [1, null, 2]
* const nonNull = values.filter(Predicate.isNotNull) // => [1, 2]
* ```
*
* @see {@link isNull}
* @see {@link isNotNullish}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isNotNull(input) {
	return input !== null;
}
/**
* Checks whether a value is `null` or `undefined`.
*
* **When to use**
*
* Use when you need a `Predicate` guard for nullish values.
*
* **Details**
*
* Uses `input === null || input === undefined`.
*
* **Example** (Guarding nullish values)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const values = [0, null, "", undefined]
* const nullish = values.filter(Predicate.isNullish) // => [null, undefined]
* ```
*
* @see {@link isNotNullish}
* @see {@link isUndefined}
* @see {@link isNull}
* @stability stable
* @category guards
* @since 4.0.0
*/
function isNullish(input) {
	return input === null || input === void 0;
}
/**
* Checks whether a value is not `null` and not `undefined`.
*
* **When to use**
*
* Use when you need a `Predicate` refinement that filters out nullish values
* but keeps other falsy ones.
*
* **Details**
*
* Uses `input != null`.
*
* **Example** (Filtering non-nullish values)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const values = [0, null, "", undefined]
* const present = values.filter(Predicate.isNotNullish) // => [0, ""]
* ```
*
* @see {@link isNullish}
* @see {@link isNotNull}
* @see {@link isNotUndefined}
* @stability stable
* @category guards
* @since 4.0.0
*/
function isNotNullish(input) {
	return input != null;
}
/**
* Type guard that always returns `false`.
*
* **When to use**
*
* Use when you need a `Predicate` that never accepts, e.g. in default branches.
*
* **Example** (Matching no values)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* Predicate.isNever("anything") // => false
* ```
*
* @see {@link isUnknown}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isNever$1(_) {
	return false;
}
/**
* Type guard that always returns `true`.
*
* **When to use**
*
* Use when you need a `Predicate` that always accepts, e.g. as a placeholder.
*
* **Example** (Matching every value)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* Predicate.isUnknown(123) // => true
* ```
*
* @see {@link isNever}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isUnknown(_) {
	return true;
}
/**
* Checks whether a value is a non-null object value that is not an array.
*
* **When to use**
*
* Use to narrow unknown input to a non-null, non-array object with a
* `Predicate` guard.
*
* **Details**
*
* This is a structural runtime check using `typeof input === "object"`, so it
* also accepts object instances such as `Date`, `Map`, class instances, and
* typed arrays. It excludes `null` and arrays.
*
* **Example** (Guarding objects)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* Predicate.isObject({ a: 1 }) // => true
* Predicate.isObject([1, 2]) // => false
* ```
*
* @see {@link isObjectOrArray}
* @see {@link isReadonlyObject}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isObject(input) {
	return typeof input === "object" && input !== null && !Array.isArray(input);
}
/**
* Checks whether a value is an `object` in the JavaScript sense (objects, arrays, functions).
*
* **When to use**
*
* Use when you need a `Predicate` guard that accepts arrays and functions as
* well as objects.
*
* **Details**
*
* Returns `true` for arrays and functions, and `false` for `null`.
*
* **Example** (Checking object keywords)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* Predicate.isObjectKeyword(() => 1) // => true
* Predicate.isObjectKeyword(null) // => false
* ```
*
* @see {@link isObject}
* @see {@link isObjectOrArray}
* @stability stable
* @category guards
* @since 4.0.0
*/
function isObjectKeyword(input) {
	return typeof input === "object" && input !== null || isFunction(input);
}
/**
* Checks whether a value has a given property key.
*
* **When to use**
*
* Use when you need a `Predicate` guard for property access on `unknown`
* values with a simple structural object check.
*
* **Details**
*
* Uses the `in` operator and `isObjectKeyword`. This does not check property
* value types.
*
* **Example** (Guarding object properties)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const hasName = Predicate.hasProperty("name")
* const data: unknown = { name: "Ada" }
*
* if (hasName(data)) {
*   data.name // => "Ada"
* }
* ```
*
* @see {@link isTagged}
* @see {@link isObjectKeyword}
* @stability stable
* @category guards
* @since 2.0.0
*/
const hasProperty = /*#__PURE__*/ dual(2, (self, property) => isObjectKeyword(self) && property in self);
/**
* Checks whether a value has a `_tag` property equal to the given tag.
*
* **When to use**
*
* Use when you model tagged unions with a `_tag` field and want a quick
* `Predicate` guard for tagged values.
*
* **Details**
*
* Uses `hasProperty` and strict equality on `_tag`.
*
* **Example** (Guarding tagged values)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const isOk = Predicate.isTagged("Ok")
*
* isOk({ _tag: "Ok", value: 1 }) // => true
* ```
*
* @see {@link hasProperty}
* @stability stable
* @category guards
* @since 2.0.0
*/
const isTagged = /*#__PURE__*/ dual(2, (self, tag) => hasProperty(self, "_tag") && self["_tag"] === tag);
/**
* Checks whether a value is an `Error`.
*
* **When to use**
*
* Use when you need a `Predicate` guard for errors caught from unknown sources.
*
* **Details**
*
* Uses `instanceof Error`.
*
* **Example** (Guarding errors)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = new Error("boom")
*
* Predicate.isError(data) // => true
* ```
*
* @see {@link isUnknown}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isError(input) {
	return input instanceof Error;
}
/**
* Checks whether a value is iterable.
*
* **When to use**
*
* Use when you need a `Predicate` guard before iterating an unknown value.
*
* **Details**
*
* Accepts strings as iterable and uses `hasProperty` for `Symbol.iterator`.
*
* **Example** (Guarding iterables)
*
* ```ts import.meta.vitest
* import { Predicate } from "effect"
*
* const data: unknown = [1, 2, 3]
*
* Predicate.isIterable(data) // => true
* ```
*
* @see {@link isSet}
* @see {@link isMap}
* @stability stable
* @category guards
* @since 2.0.0
*/
function isIterable(input) {
	return hasProperty(input, Symbol.iterator) || isString$1(input);
}

// node_modules/effect/dist/Hash.js
/**
* Computes Effect hash values and defines the interface for objects that want
* to provide their own hash implementation. Hashes are small numeric
* fingerprints used by Effect data structures to bucket values quickly; they
* are not cryptographic digests and they are not proof that two values are
* equal. The module also includes helpers for primitive, structure, array, and
* reference-based hashes, plus functions for combining and optimizing numeric
* hash values.
*
* @stability stable
* @since 2.0.0
*/
/**
* Defines the unique identifier used to identify objects that implement the Hash interface.
*
* **When to use**
*
* Use as the computed property key for the method that supplies a custom hash
* value on a `Hash` implementor.
*
* @see {@link Hash} for the interface implemented with this symbol
* @see {@link isHash} for checking whether a value implements `Hash`
* @see {@link hash} for computing hash values
*
* @stability stable
* @category symbols
* @since 2.0.0
*/
const symbol$1 = "~effect/Hash";
/**
* Computes a hash value for any given value.
*
* **When to use**
*
* Use to compute an Effect hash for primitives, collections, and hashable
* objects.
*
* **Details**
*
* This function can hash primitives (numbers, strings, booleans, etc.) as well as
* objects, arrays, and other complex data structures. It automatically handles
* different types and provides a consistent hash value for equivalent inputs.
*
* **Gotchas**
*
* Objects being hashed must be treated as immutable after their first hash
* computation. Hash results are cached, so mutating an object after hashing will
* lead to stale cached values and broken hash-based operations. For mutable
* objects, implement a custom `Hash` interface that hashes the object reference
* rather than its content.
*
* **Example** (Hashing different values)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* Hash.hash(42) === Hash.hash(42) // => true
* Hash.hash("hello") === Hash.hash("hello") // => true
* Hash.hash([1, 2, 3]) === Hash.hash([1, 2, 3]) // => true
* ```
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const hash = (self) => {
	switch (typeof self) {
		case "number": return number$1(self);
		case "bigint": return string$1(self.toString(10));
		case "string": return string$1(self);
		case "function":
		case "object": if (self === null) break;
		else if (self instanceof Date) {
			if (Number.isNaN(self.getTime())) return string$1("Invalid Date");
			return string$1(self.toISOString());
		} else if (self instanceof RegExp) return string$1(self.toString());
		else {
			if (byReferenceInstances.has(self)) return random$1(self);
			const cached = hashCache.get(self);
			if (cached !== void 0) return cached;
			if (visitedObjects.has(self)) {
				addBackEdge();
				return string$1("[Circular]");
			}
			visitedObjects.add(self);
			const seen = backEdges;
			let h;
			try {
				if ("~effect/Hash" in self) h = self[symbol$1]();
				else if (typeof self === "function") h = random$1(self);
				else if (isArrayBufferLike(self)) {
					const bytes = bufferBytes(self);
					h = bytes === void 0 ? random$1(self) : array(bytes);
				} else if (self instanceof DataView) h = array(viewBytes(self));
				else if (Array.isArray(self) || ArrayBuffer.isView(self)) h = array(self);
				else if (self instanceof Map) h = hashMap(self);
				else if (self instanceof Set) h = hashSet(self);
				else h = structure(self);
			} finally {
				visitedObjects.delete(self);
			}
			if (seen === backEdges) hashCache.set(self, h);
			return h;
		}
	}
	return optimize(mix(string$1(String(self))));
};
/**
* Generates a random hash value for an object and caches it.
*
* **When to use**
*
* Use to hash an object by reference identity instead of structural content.
*
* **Details**
*
* This function creates a random hash value for objects that don't have their own
* hash implementation. The hash value is cached using a WeakMap, so the same object
* will always return the same hash value during its lifetime.
*
* **Example** (Hashing objects by reference)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* const obj1 = { a: 1 }
* const obj2 = { a: 1 }
*
* Hash.random(obj1) === Hash.random(obj1) // => true
*
* typeof Hash.random(obj2) // => "number"
* ```
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const random$1 = (self) => {
	if (!randomHashCache.has(self)) randomHashCache.set(self, optimize(Math.random() * 4294967296 | 0));
	return randomHashCache.get(self);
};
const mix = (h) => {
	h ^= h >>> 16;
	h = Math.imul(h, 2246822507);
	h ^= h >>> 13;
	h = Math.imul(h, 3266489909);
	return h ^ h >>> 16;
};
/**
* Combines two hash values into a single hash value.
*
* **When to use**
*
* Use to build a hash for a composite value by folding together hash values for
* its parts.
*
* **Details**
*
* Supports direct and pipeable usage. Argument order affects the result.
*
* **Example** (Combining hash values)
*
* ```ts import.meta.vitest
* import { Hash, pipe } from "effect"
*
* const hash1 = Hash.hash("hello")
* const hash2 = Hash.hash("world")
*
* const combined = Hash.combine(hash2)(hash1)
* combined === pipe(hash1, Hash.combine(hash2)) // => true
* ```
*
* @see {@link hash} for computing hash values from arbitrary inputs
* @see {@link structureKeys} for hashing selected object fields without manual combination
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const combine$1 = /*#__PURE__*/ dual(2, (self, b) => mix(Math.imul(self, 2654435761) + Math.imul(b, 2246822507)));
/**
* Applies bit manipulation techniques to optimize a hash value.
*
* **When to use**
*
* Use to improve the bit distribution of a raw numeric hash value.
*
* **Details**
*
* This function takes a hash value and applies bitwise operations to improve
* the distribution of hash values, reducing the likelihood of collisions.
*
* **Example** (Optimizing a hash value)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* Hash.optimize(1234567890) // => 160826066
* ```
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const optimize = (n) => n & 3221225471 | n >>> 1 & 1073741824;
const float64 = /*#__PURE__*/ new DataView(/*#__PURE__*/ new ArrayBuffer(8));
/**
* Computes a hash value for a number.
*
* **When to use**
*
* Use to hash a JavaScript number with Effect's numeric hash semantics.
*
* **Details**
*
* Int32 values hash to themselves. Other numbers hash from their IEEE-754 bits,
* with a canonical representation for `NaN`.
*
* **Example** (Hashing numbers)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* Number.isInteger(Hash.number(42)) // => true
* Number.isInteger(Hash.number(3.14)) // => true
* Hash.number(NaN) === Hash.number(NaN) // => true
* Hash.number(Infinity) === Hash.number(Infinity) // => true
* Hash.number(100) === Hash.number(100) // => true
* ```
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const number$1 = (n) => {
	const h = n | 0;
	if (h === n) return optimize(h);
	float64.setFloat64(0, n !== n ? NaN : n);
	return optimize(combine$1(float64.getInt32(0), float64.getInt32(4)));
};
/**
* Computes a hash value for a string using the djb2 algorithm.
*
* **When to use**
*
* Use when you need a string field to contribute to a custom structural hash
* implementation.
*
* **Details**
*
* This function implements a variation of the djb2 hash algorithm, which is
* known for its good distribution properties and speed. It processes each
* character of the string to produce a consistent hash value.
*
* **Example** (Hashing strings)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* Hash.string("hello") // => 181380007
* Hash.string("world") // => 164394279
* Hash.string("") // => 5381
* Hash.string("test") === Hash.string("test") // => true
* ```
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const string$1 = (str) => {
	let h = 5381, i = str.length;
	while (i) h = h * 33 ^ str.charCodeAt(--i);
	return optimize(h);
};
/**
* Computes a hash value for an object using only the specified keys.
*
* **When to use**
*
* Use to hash an object by a selected set of property keys.
*
* **Details**
*
* This function allows you to hash an object by considering only specific keys,
* which is useful when you want to create a hash based on a subset of an object's
* properties.
*
* **Example** (Hashing selected object keys)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* const person = { name: "John", age: 30, city: "New York" }
*
* const hash1 = Hash.structureKeys(person, ["name", "age"])
* const hash2 = Hash.structureKeys(person, ["name", "city"])
*
* hash1 // => -731887653
* hash2 // => 148523102
*
* const person2 = { name: "John", age: 30, city: "Boston" }
* const hash3 = Hash.structureKeys(person2, ["name", "age"])
* hash1 === hash3 // => true
* ```
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const structureKeys = (o, keys) => {
	let h = 12289;
	for (const key of keys) h ^= combine$1(hash(key), hash(o[key]));
	return optimize(h);
};
/**
* Computes a structural hash for an object using Effect's object key collection.
*
* **When to use**
*
* Use to hash an object from all structural keys collected by Effect.
*
* **Details**
*
* The hash is based on the object's structural keys and their values, including
* symbol keys and relevant prototype keys for non-plain objects.
*
* **Example** (Hashing object structures)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* const obj1 = { name: "John", age: 30 }
* const obj2 = { name: "Jane", age: 25 }
* const obj3 = { name: "John", age: 30 }
*
* Hash.structure(obj1) // => -731887653
* Hash.structure(obj2) // => -222100417
* Hash.structure(obj3) // => -731887653
* Hash.structure(obj1) === Hash.structure(obj3) // => true
* ```
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const structure = (o) => structureKeys(o, getAllObjectKeys(o));
const unordered = (seed, f) => (iter) => {
	let h = seed;
	for (const element of iter) h ^= f(element);
	return optimize(h);
};
/**
* Computes a hash value for an iterable by hashing all of its elements.
*
* **When to use**
*
* Use to hash the values yielded by an iterable with Effect hash semantics.
*
* **Details**
*
* Folds element hashes with {@link combine}, so order and length affect the
* result.
*
* **Gotchas**
*
* A hash is not an equality proof. Distinct inputs can still share a hash.
*
* **Example** (Hashing arrays)
*
* ```ts import.meta.vitest
* import { Hash } from "effect"
*
* const arr1 = [1, 2, 3]
* const arr2 = [1, 2, 3]
* const arr3 = [3, 2, 1]
*
* Hash.array(arr1) === Hash.array(arr2) // => true
* Hash.array(arr1) === Hash.array(arr3) // => false
* ```
*
* @see {@link hash} for the general-purpose hash dispatcher
*
* @stability stable
* @category hashing
* @since 2.0.0
*/
const array = (arr) => {
	let h = 6151;
	for (const element of arr) h = combine$1(h, hash(element));
	return optimize(h);
};
const hashMap = /*#__PURE__*/ unordered(/*#__PURE__*/ string$1("Map"), ([k, v]) => combine$1(hash(k), hash(v)));
const setSeed = /*#__PURE__*/ string$1("Set");
const hashSet = /*#__PURE__*/ unordered(setSeed, (element) => combine$1(setSeed, hash(element)));
const randomHashCache = /*#__PURE__*/ new WeakMap();
const hashCache = /*#__PURE__*/ new WeakMap();
const visitedObjects = /*#__PURE__*/ new WeakSet();

// node_modules/effect/dist/Equal.js
/**
* Defines the unique string identifier for the `Equal` interface.
*
* **When to use**
*
* Use when you implement custom equality and need the computed property key for
* the equality method.
*
* **Details**
*
* This is a pure constant with no allocation or side effects.
*
* **Example** (Implementing Equal on a class)
*
* ```ts import.meta.vitest
* import { Equal, Hash } from "effect"
*
* class UserId implements Equal.Equal {
*   constructor(readonly id: string) {}
*
*   [Equal.symbol](that: Equal.Equal): boolean {
*     return that instanceof UserId && this.id === that.id
*   }
*
*   [Hash.symbol](): number {
*     return Hash.string(this.id)
*   }
* }
*
* Equal.equals(new UserId("1"), new UserId("1")) // => true
* Equal.equals(new UserId("1"), new UserId("2")) // => false
* ```
*
* @see {@link Equal} — the interface that uses this symbol
* @see {@link isEqual} — type guard for `Equal` implementors
* @stability stable
* @category symbols
* @since 2.0.0
*/
const symbol = "~effect/Equal";
function equals$1() {
	if (arguments.length === 1) return (self) => compareBoth(self, arguments[0]);
	return compareBoth(arguments[0], arguments[1]);
}
function compareBoth(self, that) {
	if (self === that) return true;
	if (self == null || that == null) return false;
	const selfType = typeof self;
	if (selfType !== typeof that) return false;
	if (selfType === "number" && self !== self && that !== that) return true;
	if (selfType !== "object" && selfType !== "function") return false;
	if (byReferenceInstances.has(self) || byReferenceInstances.has(that)) return false;
	return compareObjects(self, that);
}
function compareObjects(self, that) {
	const depth = pathLeft.length;
	for (let i = depth; i-- > 0;) if (pathLeft[i] === self && pathRight[i] === that) return true;
	if (depth) return compareOnPath(self, that);
	let known = results.get(self);
	if (!known) results.set(self, known = /* @__PURE__ */ new WeakMap());
	let result = known.get(that);
	if (result === void 0) known.set(that, result = compareOnPath(self, that));
	return result;
}
function compareOnPath(self, that) {
	pathLeft.push(self);
	pathRight.push(that);
	try {
		return compareStructure(self, that);
	} finally {
		pathLeft.pop();
		pathRight.pop();
	}
}
const pathLeft = [];
const pathRight = [];
const results = /*#__PURE__*/ new WeakMap();
function compareStructure(self, that) {
	if (hash(self) !== hash(that)) return false;
	else if (self instanceof Date) {
		if (!(that instanceof Date)) return false;
		const selfTime = self.getTime();
		const thatTime = that.getTime();
		return selfTime === thatTime || Number.isNaN(selfTime) && Number.isNaN(thatTime);
	} else if (self instanceof RegExp) return that instanceof RegExp && self.toString() === that.toString();
	const bothEquals = isEqual(self);
	if (bothEquals !== isEqual(that) || typeof self === "function" && !bothEquals) return false;
	else if (bothEquals) return self[symbol](that);
	else if (Array.isArray(self)) {
		if (!Array.isArray(that) || self.length !== that.length) return false;
		return compareArrays(self, that);
	} else if (isArrayBufferLike(self)) {
		if (!isArrayBufferLike(that) || self instanceof ArrayBuffer !== that instanceof ArrayBuffer) return false;
		const selfBytes = bufferBytes(self);
		const thatBytes = bufferBytes(that);
		return selfBytes !== void 0 && thatBytes !== void 0 && compareTypedArrays(selfBytes, thatBytes);
	} else if (ArrayBuffer.isView(self)) {
		const selfIsDataView = self instanceof DataView;
		if (!ArrayBuffer.isView(that) || self.byteLength !== that.byteLength || selfIsDataView !== that instanceof DataView) return false;
		if (selfIsDataView) return compareTypedArrays(viewBytes(self), viewBytes(that));
		return compareTypedArrays(self, that);
	} else if (self instanceof Map) {
		if (!(that instanceof Map) || self.size !== that.size) return false;
		return compareHashed(self, that, entryHash, equalEntries);
	} else if (self instanceof Set) {
		if (!(that instanceof Set) || self.size !== that.size) return false;
		return compareHashed(self, that, hash, compareBoth);
	}
	return compareRecords(self, that);
}
function compareArrays(self, that) {
	for (let i = 0; i < self.length; i++) if (!compareBoth(self[i], that[i])) return false;
	return true;
}
function compareTypedArrays(self, that) {
	if (self.length !== that.length) return false;
	for (let i = 0; i < self.length; i++) if (self[i] !== that[i]) return false;
	return true;
}
function compareRecords(self, that) {
	const selfKeys = getAllObjectKeys(self);
	const thatKeys = getAllObjectKeys(that);
	if (selfKeys.size !== thatKeys.size) return false;
	for (const key of selfKeys) if (!thatKeys.has(key) || !compareBoth(self[key], that[key])) return false;
	return true;
}
function compareHashed(self, that, hashOf, equivalent) {
	const groups = /* @__PURE__ */ new Map();
	let remaining = 0;
	for (const item of that) {
		const h = hashOf(item);
		const group = groups.get(h);
		if (group) group.push(item);
		else groups.set(h, [item]);
		remaining++;
	}
	outer: for (const item of self) {
		const group = groups.get(hashOf(item));
		if (group) {
			for (let i = 0; i < group.length; i++) if (equivalent(item, group[i])) {
				group[i] = group[group.length - 1];
				group.pop();
				remaining--;
				continue outer;
			}
		}
		return false;
	}
	return remaining === 0;
}
const entryHash = (entry) => hash(entry[0]);
const equalEntries = (self, that) => compareBoth(self[0], that[0]) && compareBoth(self[1], that[1]);
/**
* Checks whether a value implements the {@link Equal} interface.
*
* **When to use**
*
* Use when you need generic utility code to distinguish `Equal` implementors
* from plain values before calling `[Equal.symbol]` directly.
*
* **Details**
*
* - Pure function, no side effects.
* - Returns `true` if and only if `u` has a property keyed by
*   {@link symbol}.
* - Acts as a TypeScript type guard, narrowing the input to {@link Equal}.
*
* **Example** (Checking Equal values)
*
* ```ts import.meta.vitest
* import { Equal, Hash } from "effect"
*
* class Token implements Equal.Equal {
*   constructor(readonly value: string) {}
*   [Equal.symbol](that: Equal.Equal): boolean {
*     return that instanceof Token && this.value === that.value
*   }
*   [Hash.symbol](): number {
*     return Hash.string(this.value)
*   }
* }
*
* Equal.isEqual(new Token("abc")) // => true
* Equal.isEqual({ x: 1 }) // => false
* Equal.isEqual(42) // => false
* ```
*
* @see {@link Equal} — the interface being checked
* @see {@link symbol} — the property key that signals `Equal` support
* @stability stable
* @category guards
* @since 2.0.0
*/
const isEqual = (u) => hasProperty(u, symbol);
/**
* Wraps {@link equals} as an `Equivalence<A>`.
*
* **When to use**
*
* Use when you want to pass `Equal.equals` to APIs that require an
* `Equivalence`.
*
* **Details**
*
* - Returns a function `(a: A, b: A) => boolean` that delegates to
*   {@link equals}.
* - Pure; allocates a thin wrapper on each call.
*
* **Example** (Deduplicating with Equal semantics)
*
* ```ts import.meta.vitest
* import { Array, Equal } from "effect"
*
* Array.dedupeWith([1, 2, 2, 3, 1], Equal.asEquivalence<number>()) // => [1, 2, 3]
* ```
*
* @see {@link equals} — the underlying comparison function
* @stability stable
* @category instances
* @since 4.0.0
*/
const asEquivalence = () => equals$1;

// node_modules/effect/dist/Redactable.js
/**
* Defines the symbol used to identify objects that implement the {@link Redactable}
* protocol.
*
* **When to use**
*
* Use as the property key when implementing the `Redactable` protocol.
*
* **Details**
*
* Add a method under this key to make an object redactable. The method receives
* the current `Context` and must return the replacement value. The symbol is
* registered globally via `Symbol.for("~effect/Redactable")`, so it is
* identical across multiple copies of the library at runtime.
*
* **Example** (Masking an API key)
*
* ```ts import.meta.vitest
* import { Context, Redactable } from "effect"
*
* class ApiKey {
*   constructor(readonly raw: string) {}
*
*   [Redactable.symbolRedactable](_ctx: Context.Context<never>) {
*     return this.raw.slice(0, 4) + "..."
*   }
* }
*
* Redactable.redact(new ApiKey("secret-key")) // => "secr..."
* ```
*
* @see {@link Redactable} for the interface this symbol belongs to
* @see {@link isRedactable} to check whether a value has this symbol
* @stability stable
* @category symbols
* @since 3.10.0
*/
const symbolRedactable = /*#__PURE__*/ Symbol.for("~effect/Redactable");
/**
* Type guard that checks whether a value implements the {@link Redactable}
* interface.
*
* **When to use**
*
* Use to narrow an unknown value before calling redaction-specific helpers.
*
* @see {@link Redactable} for the interface being checked
* @see {@link redact} to apply redaction if the value is redactable
* @stability stable
* @category guards
* @since 3.10.0
*/
const isRedactable = (u) => hasProperty(u, symbolRedactable);
/**
* Returns a redacted value if it implements {@link Redactable}, otherwise returns it
* unchanged.
*
* **When to use**
*
* Use as the general-purpose entry point for redaction when the input may
* or may not implement the redaction protocol.
*
* **Details**
*
* This function calls {@link isRedactable} and, when it returns `true`,
* delegates to {@link getRedacted}.
*
* **Gotchas**
*
* Redaction is not recursive. Nested redactable values inside the returned
* object are not automatically redacted.
*
* @see {@link isRedactable} to check before redacting
* @see {@link getRedacted} for the lower-level variant for known redactables
* @stability stable
* @category destructors
* @since 3.10.0
*/
function redact$2(u) {
	if (isRedactable(u)) return getRedacted(u);
	return u;
}
/**
* Returns the result of calling `[symbolRedactable]` on a value that is
* already known to be {@link Redactable}.
*
* **When to use**
*
* Use when you need to read the redacted representation from a value already
* verified as `Redactable`.
*
* **Details**
*
* This function reads the current fiber's `Context` from the global fiber
* reference and passes it to the redaction method.
*
* **Gotchas**
*
* If no fiber is active, an empty `Context` is passed to the redaction method.
*
* @see {@link redact} for the higher-level variant that handles non-redactable values
* @see {@link isRedactable} for the type guard to verify before calling this
* @stability stable
* @category destructors
* @since 4.0.0
*/
function getRedacted(redactable) {
	return redactable[symbolRedactable](globalThis["~effect/Fiber/currentFiber"]?.context ?? emptyContext$1);
}
/** @internal */
const currentFiberTypeId = "~effect/Fiber/currentFiber";
const emptyMap = /*#__PURE__*/ new Map();
const emptyContext$1 = {
	"~effect/Context": {},
	base: emptyMap,
	depth: 0,
	mapUnsafe: emptyMap,
	pipe() {
		return pipeArguments(this, arguments);
	}
};

// node_modules/effect/dist/Formatter.js
/**
* Formats JavaScript values into readable strings.
*
* `format` is intended for logs, diagnostics, and error messages. It handles
* primitives, objects, arrays, dates, regular expressions, maps, sets, class
* instances, errors, circular references, and redactable values. `formatJson`
* wraps JSON formatting with redaction and circular-reference handling, and the
* module also includes helpers for property keys, paths, and dates.
*
* @stability stable
* @since 4.0.0
*/
/**
* Converts any JavaScript value into a human-readable string.
*
* **When to use**
*
* Use when you need to format arbitrary JavaScript values for debugging,
* logging, or error messages.
*
* **Details**
*
* - Output is **not** valid JSON; use {@link formatJson} when you need
*   parseable JSON.
* - Handles `BigInt`, `Symbol`, `Set`, `Map`, `Date`, `RegExp`, and class
*   instances that `JSON.stringify` cannot represent.
* - Circular references are shown as `"[Circular]"` instead of throwing.
* - Failures while inspecting a value are rendered as diagnostic placeholders instead of throwing.
* - Primitives: stringified naturally (`null`, `undefined`, `123`, `true`).
*   Strings are JSON-quoted.
* - Objects with a custom `toString` (not `Object.prototype.toString`):
*   `toString()` is called unless `ignoreToString` is `true`.
* - Errors with a `cause`: formatted as `"<message> (cause: <cause>)"`.
* - Iterables (`Set`, `Map`, etc.): formatted as
*   `ClassName([...elements])`.
* - Class instances: wrapped as `ClassName({...})`.
* - `Redactable` values are automatically redacted.
* - Arrays/objects with 0–1 entries are inline; larger ones are
*   pretty-printed when `space` is set.
* - `space` — indentation unit (number of spaces, or a string like
*   `"\t"`). Defaults to `0` (compact).
* - `ignoreToString` — skip calling `toString()`. Defaults to `false`.
*
* **Example** (Formatting compact output)
*
* ```ts import.meta.vitest
* import { Formatter } from "effect"
*
* Formatter.format({ a: 1, b: [2, 3] }) // => "{\"a\":1,\"b\":[2,3]}"
* ```
*
* **Example** (Pretty-printed output)
*
* ```ts import.meta.vitest
* import { Formatter } from "effect"
*
* const output = Formatter.format({ a: 1, b: [2, 3] }, { space: 2 })
* output // => "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ]\n}"
* ```
*
* **Example** (Handling circular references)
*
* ```ts import.meta.vitest
* import { Formatter } from "effect"
*
* const obj: any = { name: "loop" }
* obj.self = obj
* Formatter.format(obj) // => "{\"name\":\"loop\",\"self\":[Circular]}"
* ```
*
* @see {@link formatJson}
* @see {@link Formatter}
* @stability stable
* @category formatting
* @since 2.0.0
*/
function format$1(input, options) {
	const space = options?.space ?? 0;
	const ancestors = /* @__PURE__ */ new WeakSet();
	const gap = !space ? "" : typeof space === "number" ? " ".repeat(space) : space;
	const ind = (d) => gap.repeat(d);
	const wrap = (v, body) => {
		const ctor = v?.constructor;
		return ctor && ctor !== Object.prototype.constructor && ctor.name ? `${ctor.name}(${body})` : body;
	};
	const ownKeys = (o) => {
		try {
			return Reflect.ownKeys(o);
		} catch {
			return ["[ownKeys threw]"];
		}
	};
	function recur(v, d = 0) {
		try {
			return recurUnsafe(v, d);
		} catch {
			if (typeof v === "object" && v !== null || typeof v === "function") ancestors.delete(v);
			return "[inspection threw]";
		}
	}
	function recurUnsafe(v, d = 0) {
		if (typeof v === "string") return JSON.stringify(v);
		if (typeof v === "number" || v == null || typeof v === "boolean" || typeof v === "symbol") return String(v);
		if (typeof v === "bigint") return String(v) + "n";
		if (typeof v === "object" || typeof v === "function") {
			if (ancestors.has(v)) return CIRCULAR;
			ancestors.add(v);
			let output;
			if (symbolRedactable in v) output = recur(getRedacted(v), d);
			else if (Array.isArray(v)) output = !gap || v.length <= 1 ? `[${v.map((x) => recur(x, d)).join(",")}]` : `[\n${ind(d + 1)}${v.map((x) => recur(x, d + 1)).join(",\n" + ind(d + 1))}\n${ind(d)}]`;
			else if (v instanceof Date) output = formatDate(v);
			else if (!options?.ignoreToString && hasProperty(v, "toString") && typeof v["toString"] === "function" && v["toString"] !== Object.prototype.toString && v["toString"] !== Array.prototype.toString) {
				const s = safeToString(v);
				output = v instanceof Error && v.cause !== void 0 ? `${s} (cause: ${recur(v.cause, d)})` : s;
			} else if (Symbol.iterator in v) output = `${v.constructor.name}(${recur(Array.from(v), d)})`;
			else {
				const keys = ownKeys(v);
				if (!gap || keys.length <= 1) {
					const body = `{${keys.map((k) => `${formatPropertyKey(k)}:${recur(safeGet(v, k), d)}`).join(",")}}`;
					output = wrap(v, body);
				} else {
					const body = `{\n${keys.map((k) => `${ind(d + 1)}${formatPropertyKey(k)}: ${recur(safeGet(v, k), d + 1)}`).join(",\n")}\n${ind(d)}}`;
					output = wrap(v, body);
				}
			}
			ancestors.delete(v);
			return output;
		}
		return String(v);
	}
	return recur(input, 0);
}
const CIRCULAR = "[Circular]";
/**
* @internal
*/
function formatPropertyKey(name) {
	return typeof name === "string" ? JSON.stringify(name) : String(name);
}
/**
* Formats an array of property keys as a bracket-notation path string.
*
* @internal
*/
function formatPath(path) {
	return path.map((key) => `[${formatPropertyKey(key)}]`).join("");
}
/**
* Formats a `Date` as an ISO 8601 string, returning `"Invalid Date"` for
* invalid dates instead of throwing.
*
* @internal
*/
function formatDate(date) {
	try {
		return date.toISOString();
	} catch {
		return "Invalid Date";
	}
}
function safeToString(input) {
	try {
		const s = input.toString();
		return typeof s === "string" ? s : String(s);
	} catch {
		return "[toString threw]";
	}
}
function safeGet(input, key) {
	try {
		return input[key];
	} catch {
		return "[property access threw]";
	}
}
/**
* Stringifies a value to JSON safely, silently dropping circular references.
*
* **When to use**
*
* Use when you need valid JSON output, unlike `format`, and the input may
* contain circular references that should be silently omitted rather than
* throwing a `TypeError`.
*
* **Details**
*
* Uses `JSON.stringify` internally with a replacer that tracks the current
* object ancestry. Circular references are replaced with `undefined`, which
* omits them from object output. `Redactable` values are automatically redacted
* before serialization. `BigInt` values are stringified with an `n` suffix.
* `Error` instances without a `toJSON` property include their enumerable
* properties plus `name` and `message`. Errors with `toJSON` keep their custom
* representation. Other values follow standard `JSON.stringify` behavior. The
* `space` parameter controls indentation and defaults to `0`.
*
* **Gotchas**
*
* When the root input is `undefined`, a symbol, or a function, `formatJson`
* returns `"null"` instead of the `undefined` returned by `JSON.stringify`.
* Nested values retain standard `JSON.stringify` behavior.
*
* **Example** (Formatting compact JSON)
*
* ```ts import.meta.vitest
* import { Formatter } from "effect"
*
* Formatter.formatJson({ name: "Alice", age: 30 }) // => "{\"name\":\"Alice\",\"age\":30}"
* ```
*
* **Example** (Handling circular references)
*
* ```ts import.meta.vitest
* import { Formatter } from "effect"
*
* const obj: any = { name: "test" }
* obj.self = obj
* Formatter.formatJson(obj) // => "{\"name\":\"test\"}"
* ```
*
* **Example** (Pretty-printed JSON)
*
* ```ts import.meta.vitest
* import { Formatter } from "effect"
*
* const output = Formatter.formatJson({ name: "Alice", age: 30 }, { space: 2 })
* output // => "{\n  \"name\": \"Alice\",\n  \"age\": 30\n}"
* ```
*
* @see {@link format}
* @see {@link Formatter}
* @stability stable
* @category serialization
* @since 4.0.0
*/
function formatJson(input, options) {
	const ancestors = [];
	const sources = /* @__PURE__ */ new WeakMap();
	return JSON.stringify(input, function(key, value) {
		const original = Object.getOwnPropertyDescriptor(sources.get(this) ?? this, key)?.value;
		const redacted = hasProperty(original, symbolRedactable) ? redact$2(original) : redact$2(value);
		if (typeof redacted === "bigint") return format$1(redacted);
		if (typeof redacted !== "object" || redacted === null) return redacted;
		const current = redacted instanceof Error && !hasProperty(redacted, "toJSON") ? {
			...redacted,
			name: redacted.name,
			message: redacted.message
		} : redacted;
		while (ancestors.length > 0 && ancestors[ancestors.length - 1] !== this) ancestors.pop();
		if (ancestors.includes(redacted)) return;
		ancestors.push(redacted);
		if (current !== redacted) ancestors.push(current);
		if (!hasGetter(current) || isJsonPrimitiveWrapper(current)) return current;
		const view = redactingView(current);
		sources.set(view, current);
		ancestors.push(view);
		return view;
	}, options?.space) ?? "null";
}
function hasGetter(object) {
	for (const key of Object.getOwnPropertyNames(object)) if (Object.getOwnPropertyDescriptor(object, key)?.get !== void 0) return true;
	return false;
}
function redactingView(object) {
	const view = Array.isArray(object) ? [] : {};
	const keys = Array.isArray(object) ? Array.from({ length: object.length }, (_, i) => String(i)) : Object.keys(object);
	for (const key of keys) Object.defineProperty(view, key, {
		enumerable: true,
		get: () => {
			const value = Reflect.get(object, key);
			return Object.getOwnPropertyDescriptor(object, key)?.get !== void 0 ? redact$2(value) : value;
		}
	});
	return view;
}
function isJsonPrimitiveWrapper(object) {
	for (const valueOf of [
		Number.prototype.valueOf,
		Boolean.prototype.valueOf,
		String.prototype.valueOf
	]) try {
		Reflect.apply(valueOf, object, []);
		return true;
	} catch {}
	return false;
}

// node_modules/effect/dist/Inspectable.js
/**
* Controls how values appear in logs and debugging output.
*
* Effect data types use `Inspectable` to provide stable string, JSON, and
* Node.js inspection output. This keeps custom values readable in logs, REPLs,
* test failures, and diagnostics. This module defines the Node inspect symbol,
* the `Inspectable` interface, safe conversion helpers, and shared prototype or
* class implementations for custom values.
*
* @stability stable
* @since 2.0.0
*/
/**
* Defines the symbol used by Node.js for custom object inspection.
*
* **When to use**
*
* Use to implement Node.js custom inspection for a value.
*
* **Details**
*
* This symbol is recognized by Node.js's `util.inspect()` function and the REPL
* for custom object representation. When an object has a method with this symbol,
* it will be called to determine how the object should be displayed.
*
* **Example** (Defining custom Node inspection)
*
* ```ts import.meta.vitest
* import { Inspectable } from "effect"
*
* class CustomObject {
*   constructor(private value: string) {}
*
*   [Inspectable.NodeInspectSymbol]() {
*     return `CustomObject(${this.value})`
*   }
* }
*
* const obj = new CustomObject("hello")
* obj[Inspectable.NodeInspectSymbol]() // => "CustomObject(hello)"
* ```
*
* @stability stable
* @category symbols
* @since 2.0.0
*/
const NodeInspectSymbol = /*#__PURE__*/ Symbol.for("nodejs.util.inspect.custom");
/**
* Converts a value to its structured inspection representation.
*
* **When to use**
*
* Use when you need the structured representation of an inspectable value
* without risking unhandled errors.
*
* **Details**
*
* This function applies redaction before extracting data from objects that
* implement `toJSON`, recursively processes arrays, and handles errors
* gracefully. Plain objects are returned unchanged, so the result is not
* guaranteed to be accepted by `JSON.stringify`; it may still contain values
* such as `BigInt`, functions, or circular references.
*
* @see {@link toStringUnknown} for converting unknown values to strings
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const toJson = (input) => {
	try {
		input = redact$2(input);
		if (hasProperty(input, "toJSON") && isFunction(input["toJSON"]) && input["toJSON"].length === 0) return input.toJSON();
		else if (Array.isArray(input)) return input.map(toJson);
		return input;
	} catch {
		return "[toJSON threw]";
	}
};
/**
* Converts an unknown value to a string for diagnostics.
*
* **When to use**
*
* Use to produce a diagnostic string from a value whose runtime type is unknown.
*
* **Details**
*
* Strings are returned unchanged. Objects are formatted as JSON using the
* provided whitespace setting when possible, and values that cannot be
* formatted are converted with `String`.
*
* @stability stable
* @category converting
* @since 2.0.0
*/
const toStringUnknown = (u, whitespace = 2) => {
	if (typeof u === "string") return u;
	try {
		return typeof u === "object" ? formatJson(u, { space: whitespace }) : format$1(u, { space: whitespace });
	} catch {
		return String(u);
	}
};
/**
* A base prototype object that implements the {@link Inspectable} interface.
*
* **When to use**
*
* Use as a prototype for plain objects that should share standard inspectable behavior.
*
* **Details**
*
* This object provides default implementations for the {@link Inspectable} methods.
* It can be used as a prototype for objects that want to be inspectable,
* or as a mixin to add inspection capabilities to existing objects.
*
* **Example** (Using the base inspectable prototype)
*
* ```ts import.meta.vitest
* import { Inspectable } from "effect"
*
* // Use as prototype
* const myObject = Object.create(Inspectable.BaseProto)
* myObject.name = "example"
* myObject.value = 42
*
* myObject.toString() // => "\"[toJSON threw]\""
*
* // Or extend in a constructor
* function MyClass(this: any, name: string) {
*   this.name = name
* }
* MyClass.prototype = Object.create(Inspectable.BaseProto)
* MyClass.prototype.constructor = MyClass
* ```
*
* @stability stable
* @category prototypes
* @since 2.0.0
*/
const BaseProto = {
	toJSON() {
		return toJson(this);
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	toString() {
		return format$1(this.toJSON());
	}
};
/**
* Provides an abstract base class that implements the Inspectable interface.
*
* **When to use**
*
* Use as a base class for inspectable objects that define their own JSON representation.
*
* **Details**
*
* This class provides a convenient way to create inspectable objects by extending it.
* Subclasses only need to implement the `toJSON()` method, and they automatically
* get proper `toString()` and Node.js inspection support.
*
* **Example** (Extending the inspectable base class)
*
* ```ts import.meta.vitest
* import { Inspectable } from "effect"
*
* class User extends Inspectable.Class {
*   constructor(
*     public readonly id: number,
*     public readonly name: string,
*     public readonly email: string
*   ) {
*     super()
*   }
*
*   toJSON() {
*     return {
*       _tag: "User",
*       id: this.id,
*       name: this.name,
*       email: this.email
*     }
*   }
* }
*
* const user = new User(1, "Alice", "alice@example.com")
* user.toString() // => "{\"_tag\":\"User\",\"id\":1,\"name\":\"Alice\",\"email\":\"alice@example.com\"}"
* user[Inspectable.NodeInspectSymbol]() // => { _tag: "User", id: 1, name: "Alice", email: "alice@example.com" }
* ```
*
* @stability stable
* @category models
* @since 2.0.0
*/
var Class$1 = class {
	/**
	* Node.js custom inspection method.
	*
	* **When to use**
	*
	* Use to expose the class JSON representation to Node.js inspection.
	*
	* @since 2.0.0
	*/
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
	/**
	* Returns a formatted string representation of this object.
	*
	* **When to use**
	*
	* Use to format the class JSON representation as a string.
	*
	* @since 2.0.0
	*/
	toString() {
		return format$1(this.toJSON());
	}
};

// node_modules/effect/dist/internal/stackTraceLimit.js
/**
* Check if `Error.stackTraceLimit` is writable.
* Returns `false` if the property is frozen, non-writable, or `Error` is non-extensible.
*
* @internal
*/
const isStackTraceLimitWritable = () => {
	const desc = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
	if (desc === void 0) return Object.isExtensible(Error);
	return Object.hasOwn(desc, "writable") ? desc.writable === true : desc.set !== void 0;
};
const canWriteStackTraceLimit = /*#__PURE__*/ isStackTraceLimitWritable();
/**
* Get the current `Error.stackTraceLimit` value.
* Returns `undefined` if the property doesn't exist.
*
* @internal
*/
const getStackTraceLimit = () => Error.stackTraceLimit;
/**
* Safely set `Error.stackTraceLimit` if possible, otherwise no-op.
*
* Accepts `undefined` so a value read via {@link getStackTraceLimit} can be
* restored faithfully.
*
* @internal
*/
const setStackTraceLimit = (value) => {
	if (canWriteStackTraceLimit) Error.stackTraceLimit = value;
};

// node_modules/effect/dist/Utils.js
/**
* Yields its wrapped value exactly once, then completes with the value sent
* back in.
*
* **When to use**
*
* Use to implement `[Symbol.iterator]()` on Effect-like types so they can be
* `yield*`-ed inside generator functions, such as `Effect.gen` and
* `Option.gen`.
*
* **Details**
*
* The first call to `next()` returns a fresh `{ value: self, done: false }`.
* Every subsequent call returns `{ value: a, done: true }` where `a` is the
* argument passed to `next()`. To keep `yield*` cheap, the completion result
* is the iterator itself rather than a new object, so only the iterator and
* the single yielded result are allocated per `yield*`.
*
* **Example** (Yielding a wrapped value in a generator)
*
* ```ts import.meta.vitest
* import { Utils } from "effect"
*
* const gen = new Utils.SingleShotGen<string, number>("hello")
*
* gen.next(0).value // => "hello"
*
* gen.next(42).value // => 42
* ```
*
* @see {@link Gen} for the type-level signature that relies on `SingleShotGen`
* @stability stable
* @category constructors
* @since 2.0.0
*/
var SingleShotGen = class {
	constructor(self) {
		this.value = self;
		this.done = false;
	}
	/**
	* Yields the stored value once, then completes with the value sent back in.
	*
	* **When to use**
	*
	* Use to advance a `SingleShotGen` through its single yield and completion
	* step.
	*
	* @since 2.0.0
	*/
	next(a) {
		if (this.done) {
			this.value = a;
			return this;
		}
		this.done = true;
		return {
			value: this.value,
			done: false
		};
	}
};
const pickInternalCall = () => {
	const InternalTypeId = "~effect/Utils/internal";
	const standard = { [InternalTypeId]: (body) => {
		return body();
	} };
	const forced = { [InternalTypeId]: (body) => {
		try {
			return body();
		} finally {}
	} };
	const limit = getStackTraceLimit();
	if (limit === 0) return forced[InternalTypeId];
	setStackTraceLimit(2);
	const error = standard[InternalTypeId](() => /* @__PURE__ */ new Error());
	setStackTraceLimit(limit);
	return error.stack?.includes(InternalTypeId) === true ? standard[InternalTypeId] : forced[InternalTypeId];
};
/** @internal */
const internalCall = /*#__PURE__*/ pickInternalCall();

// node_modules/effect/dist/internal/record.js
/** @internal */
function assignProperty(self, key, value) {
	if (key === "__proto__") Object.defineProperty(self, key, {
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
	else self[key] = value;
}
/** @internal */
function assignProperties(self, source) {
	if (!Object.hasOwn(source, "__proto__")) {
		Object.assign(self, source);
		return;
	}
	for (const key of Reflect.ownKeys(source)) if (Object.prototype.propertyIsEnumerable.call(source, key)) assignProperty(self, key, source[key]);
}

// node_modules/effect/dist/internal/core.js
/** @internal */
const EffectTypeId = `~effect/Effect`;
/** @internal */
const ExitTypeId = `~effect/Exit`;
const effectVariance = {
	_A: identity,
	_E: identity,
	_R: identity
};
/** @internal */
const identifier = `${EffectTypeId}/identifier`;
/** @internal */
const args = `${EffectTypeId}/args`;
/** @internal */
const evaluate = `${EffectTypeId}/evaluate`;
/** @internal */
const contA = `${EffectTypeId}/successCont`;
/** @internal */
const contE = `${EffectTypeId}/failureCont`;
/** @internal */
const contAll = `${EffectTypeId}/ensureCont`;
/** @internal */
const Yield = /*#__PURE__*/ Symbol.for("effect/Effect/Yield");
/** @internal */
const PipeInspectableProto = {
	pipe() {
		return pipeArguments(this, arguments);
	},
	toJSON() {
		return { ...this };
	},
	toString() {
		return format$1(this.toJSON(), {
			ignoreToString: true,
			space: 2
		});
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
};
/** @internal */
const StructuralProto = {
	[symbol$1]() {
		return structureKeys(this, Object.keys(this));
	},
	[symbol](that) {
		const selfKeys = Object.keys(this);
		const thatKeys = Object.keys(that);
		if (selfKeys.length !== thatKeys.length) return false;
		for (let i = 0; i < selfKeys.length; i++) if (selfKeys[i] !== thatKeys[i] || !equals$1(this[selfKeys[i]], that[selfKeys[i]])) return false;
		return true;
	}
};
/** @internal */
const EffectProto = {
	[EffectTypeId]: effectVariance,
	...PipeInspectableProto,
	[Symbol.iterator]() {
		return new SingleShotGen(this);
	},
	toJSON() {
		return {
			_id: "Effect",
			op: this[identifier],
			..."~effect/Effect/args" in this ? { args: this[args] } : void 0
		};
	}
};
/** @internal */
const isEffect$1 = (u) => hasProperty(u, EffectTypeId);
/** @internal */
const isExit = (u) => hasProperty(u, ExitTypeId);
/** @internal */
const CauseTypeId = "~effect/Cause";
/** @internal */
const CauseReasonTypeId = "~effect/Cause/Reason";
/** @internal */
const isCause$1 = (self) => hasProperty(self, CauseTypeId);
/** @internal */
const isCauseReason = (self) => hasProperty(self, CauseReasonTypeId);
/** @internal */
var CauseImpl = class {
	constructor(failures) {
		this[CauseTypeId] = CauseTypeId;
		this.reasons = failures;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	toJSON() {
		return {
			_id: "Cause",
			reasons: this.reasons.map((f) => f.toJSON())
		};
	}
	toString() {
		return `Cause(${format$1(this.reasons)})`;
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
	[symbol](that) {
		return isCause$1(that) && this.reasons.length === that.reasons.length && this.reasons.every((e, i) => equals$1(e, that.reasons[i]));
	}
	[symbol$1]() {
		return array(this.reasons);
	}
};
const annotationsMap = /*#__PURE__*/ new WeakMap();
/** @internal */
var ReasonBase = class {
	[CauseReasonTypeId];
	annotations;
	_tag;
	constructor(_tag, annotations, originalError) {
		this[CauseReasonTypeId] = CauseReasonTypeId;
		this._tag = _tag;
		if (annotations !== constEmptyAnnotations && typeof originalError === "object" && originalError !== null && annotations.size > 0) {
			const prevAnnotations = annotationsMap.get(originalError);
			if (prevAnnotations) annotations = new Map([...prevAnnotations, ...annotations]);
			annotationsMap.set(originalError, annotations);
		}
		this.annotations = annotations;
	}
	annotate(annotations, options) {
		if (annotations.mapUnsafe.size === 0) return this;
		const newAnnotations = new Map(this.annotations);
		annotations.mapUnsafe.forEach((value, key) => {
			if (options?.overwrite !== true && newAnnotations.has(key)) return;
			newAnnotations.set(key, value);
		});
		if (options?.overwrite !== true && newAnnotations.size === this.annotations.size) return this;
		const self = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
		self.annotations = newAnnotations;
		return self;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	toString() {
		return format$1(this);
	}
	[NodeInspectSymbol]() {
		return this.toString();
	}
};
/** @internal */
const constEmptyAnnotations = /*#__PURE__*/ new Map();
/** @internal */
var Fail = class extends ReasonBase {
	constructor(error, annotations = constEmptyAnnotations) {
		super("Fail", annotations, error);
		this.error = error;
	}
	toString() {
		return `Fail(${format$1(this.error)})`;
	}
	toJSON() {
		return {
			_tag: "Fail",
			error: this.error
		};
	}
	[symbol](that) {
		return isFailReason$1(that) && equals$1(this.error, that.error) && equals$1(this.annotations, that.annotations);
	}
	[symbol$1]() {
		return combine$1(string$1(this._tag))(combine$1(hash(this.error))(hash(this.annotations)));
	}
};
/** @internal */
const causeFromReasons = (reasons) => new CauseImpl(reasons);
const dedupeReasons = (self, that) => {
	const buckets = /* @__PURE__ */ new Map();
	const out = [];
	for (const reason of self.concat(that)) {
		const hash$2 = hash(reason);
		const bucket = buckets.get(hash$2);
		if (bucket === void 0) buckets.set(hash$2, [reason]);
		else if (bucket.some((previous) => equals$1(previous, reason))) continue;
		else bucket.push(reason);
		out.push(reason);
	}
	return out;
};
/** @internal */
const causeCombine = /*#__PURE__*/ dual(2, (self, that) => {
	if (self.reasons.length === 0) return that;
	else if (that.reasons.length === 0) return self;
	const newCause = new CauseImpl(dedupeReasons(self.reasons, that.reasons));
	return equals$1(self, newCause) ? self : newCause;
});
/**
* Appends the interrupts from `interrupts` that `self` does not contain yet.
* Unlike `causeCombine`, it never calls hash or equality methods, which can be
* user-defined, random, or throwing.
*
* @internal
*/
const causeAddInterrupts = (self, interrupts) => {
	const reasons = self.reasons.slice();
	for (const reason of interrupts.reasons) if (isInterruptReason(reason) && !reasons.some((r) => isInterruptReason(r) && r.fiberId === reason.fiberId && r.annotations === reason.annotations)) reasons.push(reason);
	return reasons.length === self.reasons.length ? self : new CauseImpl(reasons);
};
/** @internal */
const causeEmpty = /*#__PURE__*/ new CauseImpl([]);
/** @internal */
const causeFail = (error) => new CauseImpl([new Fail(error)]);
/** @internal */
var Die = class extends ReasonBase {
	constructor(defect, annotations = constEmptyAnnotations) {
		super("Die", annotations, defect);
		this.defect = defect;
	}
	toString() {
		return `Die(${format$1(this.defect)})`;
	}
	toJSON() {
		return {
			_tag: "Die",
			defect: this.defect
		};
	}
	[symbol](that) {
		return isDieReason$1(that) && equals$1(this.defect, that.defect) && equals$1(this.annotations, that.annotations);
	}
	[symbol$1]() {
		return combine$1(string$1(this._tag))(combine$1(hash(this.defect))(hash(this.annotations)));
	}
};
/** @internal */
const causeDie = (defect) => new CauseImpl([new Die(defect)]);
/** @internal */
const causeAnnotate = /*#__PURE__*/ dual((args) => isCause$1(args[0]), (self, annotations, options) => {
	if (annotations.mapUnsafe.size === 0) return self;
	return new CauseImpl(self.reasons.map((f) => f.annotate(annotations, options)));
});
/** @internal */
const isFailReason$1 = (self) => self._tag === "Fail";
/** @internal */
const isDieReason$1 = (self) => self._tag === "Die";
/** @internal */
const isInterruptReason = (self) => self._tag === "Interrupt";
function defaultEvaluate(_fiber) {
	return exitDie(`Effect.evaluate: Not implemented`);
}
/** @internal */
const makePrimitiveProto = (options) => ({
	...EffectProto,
	[identifier]: options.op,
	[evaluate]: options["~effect/Effect/evaluate"] ?? defaultEvaluate,
	[contA]: options[contA],
	[contE]: options[contE],
	[contAll]: options[contAll]
});
/** @internal */
const makePrimitive = (options) => {
	const Proto = makePrimitiveProto(options);
	const PrimitiveImpl = function(value) {
		this[args] = value;
	};
	PrimitiveImpl.prototype = Proto;
	return function(value) {
		return new PrimitiveImpl(value);
	};
};
/** @internal */
const makeExit = (options) => {
	const Proto = {
		[ExitTypeId]: ExitTypeId,
		_tag: options.op,
		get [options.prop]() {
			return this[args];
		},
		...makePrimitiveProto(options),
		toString() {
			return `${options.op}(${format$1(this[args])})`;
		},
		toJSON() {
			return {
				_id: "Exit",
				_tag: options.op,
				[options.prop]: this[args]
			};
		},
		[symbol](that) {
			return isExit(that) && that._tag === this._tag && equals$1(this["~effect/Effect/args"], that["~effect/Effect/args"]);
		},
		[symbol$1]() {
			return combine$1(string$1(options.op), hash(this[args]));
		}
	};
	const ExitPrimitive = function(value) {
		this[args] = value;
	};
	ExitPrimitive.prototype = Proto;
	return function(value) {
		return new ExitPrimitive(value);
	};
};
/** @internal */
const exitSucceed = /*#__PURE__*/ makeExit({
	op: "Success",
	prop: "value",
	[evaluate](fiber) {
		const cont = fiber.getCont(contA);
		return cont ? cont[contA](this[args], fiber, this) : fiber.yieldWith(this);
	}
});
/** @internal */
const StackTraceKey = { key: "effect/Cause/StackTrace" };
/** @internal */
const InterruptorStackTrace = { key: "effect/Cause/InterruptorStackTrace" };
/** @internal */
const exitFailCause = /*#__PURE__*/ makeExit({
	op: "Failure",
	prop: "cause",
	[evaluate](fiber) {
		let cause = this[args];
		let annotated = false;
		if (fiber.cache.stackFrame) {
			cause = causeAnnotate(cause, { mapUnsafe: /* @__PURE__ */ new Map([[StackTraceKey.key, fiber.cache.stackFrame]]) });
			annotated = true;
		}
		let cont = fiber.getCont(contE);
		const interruptedCause = fiber._interruptedCause;
		if (interruptedCause && fiber.interruptible) {
			let skippedHandler = false;
			while (cont && fiber.interruptible) {
				skippedHandler ||= identifier in cont;
				cont = fiber.getCont(contE);
			}
			if (skippedHandler) cause = causeFromReasons(cause.reasons.filter((reason) => reason._tag !== "Fail"));
			cause = causeAddInterrupts(cause, interruptedCause);
			annotated = true;
		}
		return cont ? cont[contE](cause, fiber, annotated ? void 0 : this) : fiber.yieldWith(annotated ? exitFailCause(cause) : this);
	}
});
/** @internal */
const exitFail = (e) => exitFailCause(causeFail(e));
/** @internal */
const exitDie = (defect) => exitFailCause(causeDie(defect));
/** @internal */
const withFiber$1 = /*#__PURE__*/ makePrimitive({
	op: "WithFiber",
	[evaluate](fiber) {
		return this[args](fiber);
	}
});
/** @internal */
const YieldableError = /*#__PURE__*/ function() {
	class YieldableError extends globalThis.Error {}
	const proto = /*#__PURE__*/ makePrimitiveProto({
		op: "YieldableError",
		[evaluate]() {
			return exitFail(this);
		}
	});
	delete proto.toString;
	Object.assign(YieldableError.prototype, proto);
	return YieldableError;
}();
/** @internal */
const Error$3 = /*#__PURE__*/ function() {
	const plainArgsSymbol = /*#__PURE__*/ Symbol.for("effect/Data/Error/plainArgs");
	return class Base extends YieldableError {
		constructor(args) {
			super(args?.message, args?.cause ? { cause: args.cause } : void 0);
			if (args) {
				assignProperties(this, args);
				Object.defineProperty(this, plainArgsSymbol, {
					value: args,
					enumerable: false
				});
			}
		}
		toJSON() {
			return {
				...this[plainArgsSymbol],
				...this
			};
		}
	};
}();
/** @internal */
const TaggedError$2 = (tag) => {
	class Base extends Error$3 {
		_tag = tag;
	}
	Base.prototype.name = tag;
	return Base;
};
/** @internal */
const NoSuchElementErrorTypeId = "~effect/Cause/NoSuchElementError";
/** @internal */
const isNoSuchElementError$1 = (u) => hasProperty(u, NoSuchElementErrorTypeId);
/** @internal */
const DoneTypeId = "~effect/Cause/Done";
/** @internal */
const isDone$2 = (u) => hasProperty(u, DoneTypeId);
const DoneVoid = {
	[DoneTypeId]: DoneTypeId,
	_tag: "Done",
	value: void 0
};
/** @internal */
const Done$1 = (value) => {
	if (value === void 0) return DoneVoid;
	return {
		[DoneTypeId]: DoneTypeId,
		_tag: "Done",
		value
	};
};
const doneVoid = /*#__PURE__*/ exitFail(DoneVoid);
/** @internal */
const done$2 = (value) => {
	if (value === void 0) return doneVoid;
	return exitFail(Done$1(value));
};

// node_modules/effect/dist/Effectable.js
/**
* Create a low-level `Effect` prototype.
*
* **When to use**
*
* Use when you need to create a custom Effect-like value without extending a
* class, by providing a label and an evaluate function that receives the
* current fiber.
*
* **Details**
*
* When the effect is evaluated, it calls `evaluate` with the current fiber.
*
* @see {@link Class} for a class-based approach to defining custom Effect values
* @see {@link Mixin} for wrapping an existing class constructor
*
* @stability stable
* @category prototypes
* @since 4.0.0
*/
const Prototype = (options) => makePrimitiveProto({
	op: options.label,
	[evaluate]: options.evaluate
});

// node_modules/effect/dist/Equivalence.js
/**
* Creates a custom equivalence relation with an optimized reference equality check.
*
* **When to use**
*
* Use when you need an equality rule that the built-in instances and input
* mapping helpers cannot express, and you can provide a law-abiding comparison.
*
* **Details**
*
* The returned equivalence first checks reference equality (`===`) for
* performance. If the values are not the same reference, it falls back to the
* provided equivalence function, which must satisfy reflexive, symmetric, and
* transitive properties.
*
* **Example** (Case-insensitive string equivalence)
*
* ```ts import.meta.vitest
* import { Equivalence } from "effect"
*
* const caseInsensitive = Equivalence.make<string>((a, b) =>
*   a.toLowerCase() === b.toLowerCase()
* )
*
* caseInsensitive("Hello", "HELLO") // => true
* caseInsensitive("foo", "bar") // => false
*
* // Same reference optimization
* const str = "test"
* caseInsensitive(str, str) // => true
* ```
*
* **Example** (Comparing numbers with tolerance)
*
* ```ts import.meta.vitest
* import { Equivalence } from "effect"
*
* const tolerance = Equivalence.make<number>((a, b) => Math.abs(a - b) < 0.0001)
*
* tolerance(1.0, 1.001) // => false
* tolerance(1.0, 1.00001) // => true
* ```
*
* @see {@link strictEqual}
* @see {@link mapInput}
* @stability stable
* @category constructors
* @since 2.0.0
*/
const make$13 = (isEquivalent) => (self, that) => self === that || isEquivalent(self, that);
const isStrictEquivalent = (x, y) => x === y;
/**
* Creates an equivalence relation that uses strict equality (`===`) to compare values.
*
* **When to use**
*
* Use when you need strict equality (`===`) as the comparison.
*
* **Details**
*
* Uses JavaScript's strict equality operator (`===`). Primitives compare by
* value. Objects compare by reference, so only the same object instance is
* equivalent. Use this as a building block for more complex equivalences via
* `mapInput` or `combine`.
*
* **Gotchas**
*
* `NaN !== NaN`, so `NaN` values are never considered equivalent.
*
* **Example** (Comparing primitive types)
*
* ```ts import.meta.vitest
* import { Equivalence } from "effect"
*
* const strictEq = Equivalence.strictEqual<number>()
*
* strictEq(1, 1) // => true
* strictEq(1, 2) // => false
* strictEq(NaN, NaN) // => false
* ```
*
* **Example** (Comparing objects by reference)
*
* ```ts import.meta.vitest
* import { Equivalence } from "effect"
*
* const obj = { value: 42 }
* const strictObjEq = Equivalence.strictEqual<typeof obj>()
*
* strictObjEq(obj, obj) // => true
* strictObjEq(obj, { value: 42 }) // => false
* ```
*
* @see {@link make}
* @see `Equal` for structural equality
* @stability stable
* @category constructors
* @since 4.0.0
*/
const strictEqual = () => isStrictEquivalent;
/**
* Creates an equivalence for tuples with heterogeneous element types.
*
* **When to use**
*
* Use when you need an `Equivalence` for fixed-length tuples with per-position
* equivalences.
*
* **Details**
*
* Tuples must have the same length; different lengths are never equivalent.
* Each equivalence is applied to the corresponding element position. The result
* returns `true` only if all elements are equivalent according to their
* respective equivalences, and it also satisfies reflexive, symmetric, and
* transitive properties.
*
* **Example** (Comparing homogeneous tuples)
*
* ```ts import.meta.vitest
* import { Equivalence } from "effect"
*
* const stringTupleEq = Equivalence.Tuple([
*   Equivalence.strictEqual<string>(),
*   Equivalence.strictEqual<string>(),
*   Equivalence.strictEqual<string>()
* ])
*
* const tuple1 = ["hello", "world", "test"] as const
* const tuple2 = ["hello", "world", "test"] as const
* const tuple3 = ["hello", "world", "different"] as const
*
* stringTupleEq(tuple1, tuple2) // => true
* stringTupleEq(tuple1, tuple3) // => false
* ```
*
* **Example** (Comparing tuples with custom equivalences)
*
* ```ts import.meta.vitest
* import { Equivalence } from "effect"
*
* const caseInsensitive = Equivalence.mapInput(
*   Equivalence.strictEqual<string>(),
*   (s: string) => s.toLowerCase()
* )
*
* const customTupleEq = Equivalence.Tuple([
*   caseInsensitive,
*   caseInsensitive,
*   caseInsensitive
* ])
*
* customTupleEq(["Hello", "World", "Test"], ["HELLO", "WORLD", "TEST"]) // => true
* ```
*
* @stability stable
* @category combinators
* @since 4.0.0
*/
function Tuple$1(elements) {
	return make$13((self, that) => {
		if (self.length !== that.length) return false;
		for (let i = 0; i < self.length; i++) if (!elements[i](self[i], that[i])) return false;
		return true;
	});
}
/**
* @since 4.0.0
*/
function Array_(item) {
	return make$13((self, that) => {
		if (self.length !== that.length) return false;
		for (let i = 0; i < self.length; i++) if (!item(self[i], that[i])) return false;
		return true;
	});
}

// node_modules/effect/dist/internal/option.js
/**
* @since 2.0.0
*/
const TypeId$18 = "~effect/Option";
const CommonProto$1 = {
	[TypeId$18]: { _A: (_) => _ },
	...PipeInspectableProto,
	[Symbol.iterator]() {
		return new SingleShotGen(this);
	}
};
const SomeProto = /*#__PURE__*/ Object.defineProperty(/*#__PURE__*/ Object.assign(/*#__PURE__*/ Object.create(CommonProto$1), {
	_tag: "Some",
	_op: "Some",
	[symbol](that) {
		return isOption(that) && isSome$1(that) && equals$1(this.value, that.value);
	},
	[symbol$1]() {
		return combine$1(hash(this._tag))(hash(this.value));
	},
	toString() {
		return `some(${format$1(this.value)})`;
	},
	toJSON() {
		return {
			_id: "Option",
			_tag: this._tag,
			value: toJson(this.value)
		};
	}
}), "valueOrUndefined", { get() {
	return this.value;
} });
const NoneHash = /*#__PURE__*/ hash("None");
const NoneProto = /*#__PURE__*/ Object.assign(/*#__PURE__*/ Object.create(CommonProto$1), {
	_tag: "None",
	_op: "None",
	valueOrUndefined: void 0,
	[symbol](that) {
		return isOption(that) && isNone$1(that);
	},
	[symbol$1]() {
		return NoneHash;
	},
	toString() {
		return `none()`;
	},
	toJSON() {
		return {
			_id: "Option",
			_tag: this._tag
		};
	}
});
/** @internal */
const isOption = (input) => hasProperty(input, TypeId$18);
/** @internal */
const isNone$1 = (fa) => fa._tag === "None";
/** @internal */
const isSome$1 = (fa) => fa._tag === "Some";
/** @internal */
const none$1 = /*#__PURE__*/ Object.create(NoneProto);
/** @internal */
const SomeImpl = function(value) {
	this.value = value;
};
SomeImpl.prototype = SomeProto;
/** @internal */
const some$1 = (value) => new SomeImpl(value);

// node_modules/effect/dist/internal/result.js
const TypeId$17 = "~effect/Result";
const CommonProto = {
	[TypeId$17]: {
		/* v8 ignore next 2 */
		_A: (_) => _,
		_E: (_) => _
	},
	...PipeInspectableProto,
	[Symbol.iterator]() {
		return new SingleShotGen(this);
	}
};
const SuccessProto = /*#__PURE__*/ Object.assign(/*#__PURE__*/ Object.create(CommonProto), {
	_tag: "Success",
	_op: "Success",
	[symbol](that) {
		return isResult(that) && isSuccess$2(that) && equals$1(this.success, that.success);
	},
	[symbol$1]() {
		return combine$1(hash(this._tag))(hash(this.success));
	},
	toString() {
		return `success(${format$1(this.success)})`;
	},
	toJSON() {
		return {
			_id: "Result",
			_tag: this._tag,
			value: toJson(this.success)
		};
	}
});
const FailureProto = /*#__PURE__*/ Object.assign(/*#__PURE__*/ Object.create(CommonProto), {
	_tag: "Failure",
	_op: "Failure",
	[symbol](that) {
		return isResult(that) && isFailure$2(that) && equals$1(this.failure, that.failure);
	},
	[symbol$1]() {
		return combine$1(hash(this._tag))(hash(this.failure));
	},
	toString() {
		return `failure(${format$1(this.failure)})`;
	},
	toJSON() {
		return {
			_id: "Result",
			_tag: this._tag,
			failure: toJson(this.failure)
		};
	}
});
/** @internal */
const isResult = (input) => hasProperty(input, TypeId$17);
/** @internal */
const isFailure$2 = (result) => result._tag === "Failure";
/** @internal */
const isSuccess$2 = (result) => result._tag === "Success";
/** @internal */
const FailureImpl = function(failure) {
	this.failure = failure;
};
FailureImpl.prototype = FailureProto;
/** @internal */
const fail$7 = (failure) => new FailureImpl(failure);
/** @internal */
const SuccessImpl = function(success) {
	this.success = success;
};
SuccessImpl.prototype = SuccessProto;
/** @internal */
const succeed$6 = (success) => new SuccessImpl(success);

// node_modules/effect/dist/Order.js
/**
* Defines comparison functions for ordered values.
*
* An `Order<A>` compares two `A` values and returns whether the first is less
* than, equal to, or greater than the second. Orders are used for sorting,
* choosing minimum or maximum values, checking ranges, and building ordered data
* structures. This module includes built-in orders, constructors for custom
* orders, tools for reversing and combining comparisons, tuple and struct
* helpers, comparison predicates, clamping, and reducer support.
*
* @stability stable
* @since 2.0.0
*/
/**
* Creates a new `Order` instance from a comparison function.
*
* **When to use**
*
* Use when you need a sorting rule not covered by the built-in orders or input
* mapping helpers, and you can provide a total comparison.
*
* **Details**
*
* Uses reference equality (`===`) as a shortcut: if `self === that`, it returns
* `0` without calling the comparison function. The comparison function should
* return `-1`, `0`, or `1`, and the returned order satisfies total ordering
* laws when the comparison function does.
*
* **Example** (Creating an Order)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* const byAge = Order.make<{ name: string; age: number }>((self, that) => {
*   if (self.age < that.age) return -1
*   if (self.age > that.age) return 1
*   return 0
* })
*
* byAge({ name: "Alice", age: 30 }, { name: "Bob", age: 25 }) // => 1
* byAge({ name: "Alice", age: 25 }, { name: "Bob", age: 30 }) // => -1
* ```
*
* @see {@link mapInput} to transform an order by mapping the input type
* @see {@link combine} to combine multiple orders
* @stability stable
* @category constructors
* @since 2.0.0
*/
function make$12(compare) {
	return (self, that) => self === that ? 0 : compare(self, that);
}
/**
* Order instance for strings that compares them lexicographically using JavaScript's `<` operator.
*
* **When to use**
*
* Use when you need lexicographic string ordering.
*
* **Details**
*
* Uses lexicographic dictionary ordering. The empty string is less than any
* non-empty string, and comparisons are case-sensitive.
*
* **Example** (Ordering strings)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* Order.String("apple", "banana") // => -1
* Order.String("banana", "apple") // => 1
* Order.String("apple", "apple") // => 0
* ```
*
* @see {@link mapInput} to compare objects by a string property
* @see {@link Struct} to combine with other orders for struct comparison
* @stability stable
* @category instances
* @since 4.0.0
*/
const String$4 = /*#__PURE__*/ make$12((self, that) => self < that ? -1 : 1);
/**
* Order instance for numbers that compares them numerically.
*
* **When to use**
*
* Use when you need numeric ordering for numbers.
*
* **Details**
*
* `0` is considered equal to `-0`. All `NaN` values are considered equal to
* each other, and any `NaN` is considered less than any non-`NaN` number. All
* other values use standard numeric comparison.
*
* **Example** (Ordering numbers)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* Order.Number(1, 1) // => 0
* Order.Number(1, 2) // => -1
* Order.Number(2, 1) // => 1
*
* Order.Number(0, -0) // => 0
* Order.Number(NaN, 1) // => -1
* ```
*
* @see {@link mapInput} to compare objects by a number property
* @see {@link BigInt} for bigint comparisons
* @stability stable
* @category instances
* @since 4.0.0
*/
const Number$4 = /*#__PURE__*/ make$12((self, that) => {
	if (globalThis.Number.isNaN(self) && globalThis.Number.isNaN(that)) return 0;
	if (globalThis.Number.isNaN(self)) return -1;
	if (globalThis.Number.isNaN(that)) return 1;
	return self < that ? -1 : 1;
});
/**
* Order instance for bigints that compares them numerically.
*
* **When to use**
*
* Use when you need numeric ordering for `bigint` values.
*
* **Details**
*
* Uses standard numeric comparison for bigint values and handles arbitrarily
* large integers.
*
* **Example** (Ordering BigInts)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* Order.BigInt(1n, 2n) // => -1
* Order.BigInt(2n, 1n) // => 1
* Order.BigInt(1n, 1n) // => 0
* ```
*
* @see {@link Number} for regular number comparisons
* @see {@link mapInput} to compare objects by a bigint property
* @stability stable
* @category instances
* @since 4.0.0
*/
const BigInt$4 = /*#__PURE__*/ make$12((self, that) => self < that ? -1 : 1);
/**
* Transforms an `Order` on type `A` into an `Order` on type `B` by providing a function that
* maps values of type `B` to values of type `A`.
*
* **When to use**
*
* Use when you need to adapt an `Order` to compare a larger value by one
* derived property.
*
* **Details**
*
* Applies the mapping function to both values before comparison. The mapping
* function should be pure and not have side effects so the ordering properties
* of the original order are preserved.
*
* **Example** (Mapping Input)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* const byLength = Order.mapInput(Order.Number, (s: string) => s.length)
*
* byLength("a", "bb") // => -1
* byLength("bb", "a") // => 1
* byLength("aa", "bb") // => 0
* ```
*
* @see {@link combine} to combine mapped orders for multi-criteria comparison
* @see {@link Struct} to create orders for structs with multiple fields
* @stability stable
* @category mapping
* @since 2.0.0
*/
const mapInput = /*#__PURE__*/ dual(2, (self, f) => make$12((b1, b2) => self(f(b1), f(b2))));
/**
* Order instance for `Date` objects that compares them chronologically by their timestamp.
*
* **When to use**
*
* Use when you need chronological ordering for JavaScript date values.
*
* **Details**
*
* Compares dates by their underlying timestamp in milliseconds since the epoch.
* Earlier dates are less than later dates. Invalid dates are compared through
* their `getTime()` result.
*
* **Example** (Ordering Dates)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* const date1 = new Date("2023-01-01")
* const date2 = new Date("2023-01-02")
*
* Order.Date(date1, date2) // => -1
* Order.Date(date2, date1) // => 1
* Order.Date(date1, date1) // => 0
* ```
*
* @see {@link mapInput} to compare objects by a date property
* @stability stable
* @category instances
* @since 2.0.0
*/
const Date$3 = /*#__PURE__*/ mapInput(Number$4, (date) => date.getTime());
/**
* Checks whether one value is strictly less than another according to the given order.
*
* **When to use**
*
* Use when you need a boolean less-than predicate using an `Order`.
*
* **Details**
*
* Returns `true` if the order returns `-1`, meaning the first value is less
* than the second. Equal or greater values return `false`.
*
* **Example** (Checking less-than comparisons)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* const isLessThanNumber = Order.isLessThan(Order.Number)
*
* isLessThanNumber(1, 2) // => true
* isLessThanNumber(2, 1) // => false
* isLessThanNumber(1, 1) // => false
* ```
*
* @see {@link isLessThanOrEqualTo} for non-strict less than or equal
* @see {@link isGreaterThan} for strict greater than
* @stability stable
* @category predicates
* @since 4.0.0
*/
const isLessThan$1 = (O) => dual(2, (self, that) => O(self, that) === -1);
/**
* Checks whether one value is strictly greater than another according to the given order.
*
* **When to use**
*
* Use when you need a boolean greater-than predicate using an `Order`.
*
* **Details**
*
* Returns `true` if the order returns `1`, meaning the first value is greater
* than the second. Equal or lesser values return `false`.
*
* **Example** (Checking greater-than comparisons)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* const isGreaterThanNumber = Order.isGreaterThan(Order.Number)
*
* isGreaterThanNumber(2, 1) // => true
* isGreaterThanNumber(1, 2) // => false
* isGreaterThanNumber(1, 1) // => false
* ```
*
* @see {@link isGreaterThanOrEqualTo} for non-strict greater than or equal
* @see {@link isLessThan} for strict less than
* @stability stable
* @category predicates
* @since 4.0.0
*/
const isGreaterThan$1 = (O) => dual(2, (self, that) => O(self, that) === 1);
/**
* Checks whether one value is less than or equal to another according to the given order.
*
* **When to use**
*
* Use when you need a boolean less-than-or-equal predicate using an `Order`.
*
* **Details**
*
* Returns `true` if the order returns `-1` or `0`, and returns `false` only if
* the order returns `1`.
*
* **Example** (Checking less-than-or-equal comparisons)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* const isLessThanOrEqualToNumber = Order.isLessThanOrEqualTo(Order.Number)
*
* isLessThanOrEqualToNumber(1, 2) // => true
* isLessThanOrEqualToNumber(1, 1) // => true
* isLessThanOrEqualToNumber(2, 1) // => false
* ```
*
* @see {@link isLessThan} for strict less than
* @see {@link isGreaterThan} for strict greater than
* @stability stable
* @category predicates
* @since 4.0.0
*/
const isLessThanOrEqualTo$1 = (O) => dual(2, (self, that) => O(self, that) !== 1);
/**
* Checks whether one value is greater than or equal to another according to the given order.
*
* **When to use**
*
* Use when you need a boolean greater-than-or-equal predicate using an
* `Order`.
*
* **Details**
*
* Returns `true` if the order returns `1` or `0`, and returns `false` only if
* the order returns `-1`.
*
* **Example** (Checking greater-than-or-equal comparisons)
*
* ```ts import.meta.vitest
* import { Order } from "effect"
*
* const isGreaterThanOrEqualToNumber = Order.isGreaterThanOrEqualTo(Order.Number)
*
* isGreaterThanOrEqualToNumber(2, 1) // => true
* isGreaterThanOrEqualToNumber(1, 1) // => true
* isGreaterThanOrEqualToNumber(1, 2) // => false
* ```
*
* @see {@link isGreaterThan} for strict greater than
* @see {@link isLessThanOrEqualTo} for less than or equal
* @stability stable
* @category predicates
* @since 4.0.0
*/
const isGreaterThanOrEqualTo$1 = (O) => dual(2, (self, that) => O(self, that) !== -1);

// node_modules/effect/dist/Option.js
/**
* Creates an `Option` representing the absence of a value.
*
* **When to use**
*
* Use to represent a missing or uninitialized value, such as returning "no
* result" from a function.
*
* **Details**
*
* - Returns `Option<never>`, which is a subtype of `Option<A>` for any `A`
* - Always returns the same singleton instance
*
* **Example** (Creating an empty Option)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* //      ┌─── Option<never>
* //      ▼
* const noValue = Option.none() // => Option.none()
* ```
*
* @see {@link some} for the opposite operation.
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const none = () => none$1;
/**
* Wraps the given value into an `Option` to represent its presence.
*
* **When to use**
*
* Use to wrap a known present value as `Option`
* - Returning a successful result from a partial function
*
* **Details**
*
* - Always returns `Some<A>`
* - Does not filter `null` or `undefined`; use {@link fromNullishOr} for that
*
* **Example** (Wrapping a value)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* //      ┌─── Option<number>
* //      ▼
* const value = Option.some(1) // => Option.some(1)
* ```
*
* @see {@link none} for the opposite operation.
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const some = some$1;
/**
* Checks whether an `Option` is `None` (absent).
*
* **When to use**
*
* Use when you need to branch on an absent `Option` before accessing `.value`.
*
* **Details**
*
* - Acts as a type guard, narrowing to `None<A>`
*
* **Example** (Checking for None)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.isNone(Option.some(1)) // => false
* Option.isNone(Option.none()) // => true
* ```
*
* @see {@link isSome} for the opposite check.
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isNone = isNone$1;
/**
* Checks whether an `Option` contains a value (`Some`).
*
* **When to use**
*
* Use when you need to branch on a present `Option` before accessing `.value`.
*
* **Details**
*
* - Acts as a type guard, narrowing to `Some<A>`
*
* **Example** (Checking for Some)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.isSome(Option.some(1)) // => true
* Option.isSome(Option.none()) // => false
* ```
*
* @see {@link isNone} for the opposite check.
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isSome = isSome$1;
/**
* Pattern-matches on an `Option`, handling both `None` and `Some` cases.
*
* **When to use**
*
* Use when you need to handle both `Some` and `None` in one expression and
* transform an `Option` into a plain value.
*
* **Details**
*
* - If `None`, calls `onNone` and returns its result
* - If `Some`, calls `onSome` with the value and returns its result
* - Supports the `dual` API (data-last and data-first)
*
* **Example** (Matching on an Option)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.match(Option.some(1), {
*   onNone: () => "Option is empty",
*   onSome: (value) => `Option has a value: ${value}`
* }) // => "Option has a value: 1"
* ```
*
* @see {@link getOrElse} for unwrapping with a default
*
* @stability stable
* @category pattern matching
* @since 2.0.0
*/
const match$5 = /*#__PURE__*/ dual(2, (self, { onNone, onSome }) => isNone(self) ? onNone() : onSome(self.value));
/**
* Extracts the value from a `Some`, or evaluates a fallback thunk on `None`.
*
* **When to use**
*
* Use when providing a default value for an absent `Option`
* - Unwrapping with lazy evaluation of the fallback
*
* **Details**
*
* - `Some` → returns the inner value
* - `None` → calls `onNone()` and returns its result
* - `onNone` is only called when needed (lazy)
*
* **Example** (Unwrapping with a fallback)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.some(1).pipe(Option.getOrElse(() => 0)) // => 1
* Option.none().pipe(Option.getOrElse(() => 0)) // => 0
* ```
*
* @see {@link getOrNull} to fall back to `null`
* @see {@link getOrUndefined} to fall back to `undefined`
* @see {@link getOrThrow} to throw on `None`
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOrElse$2 = /*#__PURE__*/ dual(2, (self, onNone) => isNone(self) ? onNone() : self.value);
/**
* Returns the fallback `Option` if `self` is `None`; otherwise returns `self`.
*
* **When to use**
*
* Use when you need a lazy fallback `Option`, such as when building priority
* chains of optional values.
*
* **Details**
*
* - `Some` → returns `self` unchanged
* - `None` → evaluates and returns `that()`
* - `that` is lazily evaluated
*
* **Example** (Providing a fallback Option)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.none().pipe(Option.orElse(() => Option.some("b"))) // => Option.some("b")
* Option.some("a").pipe(Option.orElse(() => Option.some("b"))) // => Option.some("a")
* ```
*
* @see {@link orElseSome} to wrap the fallback value in `Some` automatically
* @see {@link firstSomeOf} to pick the first `Some` from a collection
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const orElse = /*#__PURE__*/ dual(2, (self, that) => isNone(self) ? that() : self);
/**
* Converts a nullable value (`null` or `undefined`) into an `Option`.
*
* **When to use**
*
* Use when you need JavaScript nullish values to become absence at an API
* boundary while all other values, including falsy ones, remain present.
*
* **Details**
*
* - `null` or `undefined` → `None`
* - Any other value → `Some` (typed as `NonNullable<A>`)
*
* **Example** (Converting nullable values to an Option)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.fromNullishOr(undefined) // => Option.none()
* Option.fromNullishOr(null) // => Option.none()
* Option.fromNullishOr(1) // => Option.some(1)
* ```
*
* @see {@link fromNullOr} to only treat `null` as absent
* @see {@link fromUndefinedOr} to only treat `undefined` as absent
* @see {@link liftNullishOr} to lift a nullable-returning function
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const fromNullishOr = (a) => a == null ? none() : some(a);
/**
* Converts a possibly `undefined` value into an `Option`, leaving `null`
* as a valid `Some`.
*
* **When to use**
*
* Use when you want to treat only `undefined` as absent while preserving `null`
* as a meaningful value.
*
* **Details**
*
* - `undefined` → `None`
* - Any other value (including `null`) → `Some`
*
* **Example** (Converting possibly undefined values to an Option)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.fromUndefinedOr(undefined) // => Option.none()
* Option.fromUndefinedOr(null) // => Option.some(null)
* Option.fromUndefinedOr(42) // => Option.some(42)
* ```
*
* @see {@link fromNullishOr} to treat both `null` and `undefined` as absent
* @see {@link fromNullOr} to only treat `null` as absent
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const fromUndefinedOr = (a) => a === void 0 ? none() : some(a);
/**
* Extracts the value from a `Some`, or returns `null` for `None`.
*
* **When to use**
*
* Use when you need to pass absent `Option` values to APIs that expect `null`.
*
* **Details**
*
* - `Some` → the inner value
* - `None` → `null`
*
* **Example** (Unwrapping to null)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.getOrNull(Option.some(1)) // => 1
* Option.getOrNull(Option.none()) // => null
* ```
*
* @see {@link getOrUndefined} to return `undefined` instead
* @see {@link getOrElse} for a custom fallback
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOrNull = /*#__PURE__*/ getOrElse$2(constNull);
/**
* Extracts the value from a `Some`, or returns `undefined` for `None`.
*
* **When to use**
*
* Use when you need to pass absent `Option` values to APIs that expect
* `undefined`.
*
* **Details**
*
* - `Some` → the inner value
* - `None` → `undefined`
*
* **Example** (Unwrapping to undefined)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.getOrUndefined(Option.some(1)) // => 1
* Option.getOrUndefined(Option.none()) // => undefined
* ```
*
* @see {@link getOrNull} to return `null` instead
* @see {@link getOrElse} for a custom fallback
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOrUndefined$2 = /*#__PURE__*/ getOrElse$2(constUndefined);
/**
* Lifts a function that may throw into one that returns an `Option`.
*
* **When to use**
*
* Use to wrap exception-throwing APIs (e.g. `JSON.parse`) for safe usage
*
* **Details**
*
* - If the function returns normally → `Some` with the result
* - If the function throws → `None` (exception is swallowed)
*
* **Example** (Lifting JSON.parse)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* const parse = Option.liftThrowable(JSON.parse)
*
* parse("1") // => Option.some(1)
* parse("") // => Option.none()
* ```
*
* @see {@link liftNullishOr} for nullable-returning functions
*
* @stability stable
* @category converting
* @since 2.0.0
*/
const liftThrowable = (f) => (...a) => {
	try {
		return some(f(...a));
	} catch {
		return none();
	}
};
/**
* Extracts the value from a `Some`, or throws a custom error for `None`.
*
* **When to use**
*
* Use when you need fail-fast unwrapping of an `Option` for unexpected absence
* and want to provide a descriptive debugging error.
*
* **Details**
*
* - `Some` → returns the inner value
* - `None` → throws the value returned by `onNone()`
*
* **Example** (Throwing a custom error)
*
* ```ts import.meta.vitest
* import { Option, Result } from "effect"
*
* Option.getOrThrowWith(Option.some(1), () => new Error("missing")) // => 1
*
* const failure = Result.try({
*   try: () => Option.getOrThrowWith(Option.none(), () => new Error("missing")),
*   catch: (error) => (error as Error).message
* })
* Result.getFailure(failure).pipe(Option.getOrElse(() => "no error")) // => "missing"
* ```
*
* @see {@link getOrThrow} for a version with a default error
* @see {@link getOrElse} for a non-throwing alternative
*
* @stability stable
* @category converting
* @since 2.0.0
*/
const getOrThrowWith$1 = /*#__PURE__*/ dual(2, (self, onNone) => {
	if (isSome(self)) return self.value;
	throw onNone();
});
/**
* Transforms the value inside a `Some` using the provided function, leaving
* `None` unchanged.
*
* **When to use**
*
* Use to apply a pure transformation to an `Option`'s present value, especially
* when chaining transformations in a pipeline.
*
* **Details**
*
* - `Some` → applies `f` and wraps the result in a new `Some`
* - `None` → returns `None` unchanged
*
* **Example** (Mapping over an Option)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* Option.map(Option.some(2), (n) => n * 2) // => Option.some(4)
* Option.map(Option.none(), (n: number) => n * 2) // => Option.none()
* ```
*
* @see {@link flatMap} when `f` returns an `Option`
* @see {@link as} to replace the value with a constant
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map$6 = /*#__PURE__*/ dual(2, (self, f) => isNone(self) ? none() : some(f(self.value)));
/**
* Applies a function that returns an `Option` to the value of a `Some`,
* flattening the result. Returns `None` if the input is `None`.
*
* **When to use**
*
* Use when you need to chain dependent `Option` computations where each step
* may return `None`.
*
* **Details**
*
* - `Some` → applies `f` to the value and returns its `Option` result
* - `None` → returns `None` without calling `f`
* - Equivalent to `map` followed by {@link flatten}
*
* **Example** (Chaining optional lookups)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* interface User {
*   readonly name: string
*   readonly address: Option.Option<{ readonly street: Option.Option<string> }>
* }
*
* const user: User = {
*   name: "John",
*   address: Option.some({ street: Option.some("123 Main St") })
* }
*
* user.address.pipe(
*   Option.flatMap((addr) => addr.street)
* ) // => Option.some("123 Main St")
* ```
*
* @see {@link map} when `f` returns a plain value
* @see {@link andThen} for a more flexible variant
* @see {@link flatten} to unwrap a nested `Option<Option<A>>`
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const flatMap$4 = /*#__PURE__*/ dual(2, (self, f) => isNone(self) ? none() : f(self.value));
/**
* Filters an `Option` using a predicate. Returns `None` if the predicate is
* not satisfied or the input is `None`.
*
* **When to use**
*
* Use when you need to discard an `Option`'s present value when it does not
* meet a condition, while narrowing the type via a refinement predicate.
*
* **Details**
*
* - `None` → `None`
* - `Some` where `predicate(value)` is `true` → `Some(value)`
* - `Some` where `predicate(value)` is `false` → `None`
* - Supports refinements for type narrowing
*
* **Example** (Filtering with a predicate)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* const removeEmpty = (input: Option.Option<string>) =>
*   Option.filter(input, (value) => value !== "")
*
* removeEmpty(Option.some("hello")) // => Option.some("hello")
* removeEmpty(Option.some("")) // => Option.none()
* removeEmpty(Option.none()) // => Option.none()
* ```
*
* @see {@link filterMap} to transform and filter simultaneously
* @see {@link exists} to test without filtering
*
* @stability stable
* @category filtering
* @since 2.0.0
*/
const filter = /*#__PURE__*/ dual(2, (self, predicate) => isNone(self) ? none() : predicate(self.value) ? some(self.value) : none());
/**
* Checks whether the value in a `Some` satisfies a predicate or refinement.
*
* **When to use**
*
* Use to check a condition on an optional value without unwrapping
*
* **Details**
*
* - `None` → `false`
* - `Some` where `predicate(value)` is `true` → `true`
* - `Some` where `predicate(value)` is `false` → `false`
* - With a refinement, narrows the `Option` type on `true`
*
* **Example** (Testing a condition)
*
* ```ts import.meta.vitest
* import { Option } from "effect"
*
* const isEven = (n: number) => n % 2 === 0
*
* Option.some(2).pipe(Option.exists(isEven)) // => true
* Option.some(1).pipe(Option.exists(isEven)) // => false
* Option.none().pipe(Option.exists(isEven)) // => false
* ```
*
* @see {@link filter} to keep or discard based on a predicate
* @see {@link contains} to test for a specific value
*
* @stability stable
* @category predicates
* @since 2.0.0
*/
const exists = /*#__PURE__*/ dual(2, (self, refinement) => isNone(self) ? false : refinement(self.value));

// node_modules/effect/dist/Context.js
/**
* Runtime type identifier attached to `Context` service keys and used by
* `isKey` to recognize them.
*
* @stability stable
* @category type IDs
* @since 4.0.0
*/
const ServiceTypeId = "~effect/Context/Service";
/**
* Creates a `Context` service key.
*
* **When to use**
*
* Use when you need to define a context service key for a dependency that must
* be provided by the surrounding context.
*
* **Details**
*
* Call `Context.Service("Key")` for a function-style key, or use the two-stage
* form `Context.Service<Self, Shape>()("Key")` for class-style service
* declarations. The returned key can be yielded as an Effect and passed to
* `Context.make`, `Context.add`, and the Context getter functions.
*
* **Gotchas**
*
* The string key is the runtime identity of the service. Reusing the same key
* string for unrelated services makes them occupy the same slot in a
* `Context`.
*
* **Example** (Creating service keys)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* // Create a simple service
* const Database = Context.Service<{
*   query: (sql: string) => string
* }>("Database")
*
* // Create a service class
* class Config extends Context.Service<Config, {
*   port: number
* }>()("Config") {}
*
* // Use the services to create contexts
* const db = Context.make(Database, {
*   query: (sql) => `Result: ${sql}`
* })
* const config = Context.make(Config, { port: 8080 })
* Context.get(db, Database).query("SELECT 1") // => "Result: SELECT 1"
* Context.get(config, Config).port // => 8080
* ```
*
* @see {@link Reference} for service keys with default values
*
* @stability stable
* @category services
* @since 4.0.0
*/
const Service = function() {
	function KeyClass() {}
	const self = KeyClass;
	Object.setPrototypeOf(self, ServiceProto);
	const init = (key, options) => {
		self.key = key;
		if (options?.defaultValue) {
			self[ReferenceTypeId] = ReferenceTypeId;
			self.defaultValue = options.defaultValue;
		}
		if (options?.make) self.make = options.make;
		if (options?.fiberCached) cacheKeys.add(key);
		return self;
	};
	return arguments.length > 0 ? init(arguments[0], arguments[1]) : init;
};
const ServiceProto = {
	[ServiceTypeId]: ServiceTypeId,
	.../*#__PURE__*/ Prototype({
		label: "Service",
		evaluate(fiber) {
			return exitSucceed(get(fiber.context, this));
		}
	}),
	toJSON() {
		return {
			_id: "Service",
			key: this.key
		};
	},
	of(self) {
		return self;
	},
	context(self) {
		return make$11(this, self);
	},
	use(f) {
		return withFiber$1((fiber) => f(get(fiber.context, this)));
	},
	useSync(f) {
		return withFiber$1((fiber) => exitSucceed(f(get(fiber.context, this))));
	}
};
const cacheKeys = /*#__PURE__*/ new Set();
const ReferenceTypeId = "~effect/Context/Reference";
const TypeId$16 = "~effect/Context";
const FlattenAfterBaseHits = 8;
const makeImpl = (cacheRoot, base, overlay, depth, maxDepth) => {
	const self = Object.create(Proto$5);
	self.cacheRoot = cacheRoot ?? self;
	self.base = base;
	self.overlay = overlay;
	self.depth = depth;
	self._flat = void 0;
	self.baseHits = 0;
	self.maxDepth = maxDepth;
	return self;
};
const applyOverlays = (map, overlay) => {
	if (!overlay) return;
	applyOverlays(map, overlay.parent);
	map.set(overlay.key, overlay.value);
};
const flatten$2 = (self) => {
	if (self._flat) return self._flat;
	if (!self.overlay) return self._flat = self.base;
	const map = new Map(self.base);
	applyOverlays(map, self.overlay);
	return self._flat = map;
};
const withFlat = (self, f) => {
	const map = new Map(self.mapUnsafe);
	f(map);
	return makeImpl(void 0, map, void 0, 0, self.maxDepth);
};
const notFound = /*#__PURE__*/ Symbol();
const lookup = (self, key) => {
	const impl = self;
	for (let overlay = impl.overlay; overlay; overlay = overlay.parent) if (overlay.key === key) return overlay.value;
	const value = impl.base.get(key);
	if (value === void 0 && !impl.base.has(key)) return notFound;
	if (impl.overlay && ++impl.baseHits >= impl.base.size && impl.baseHits >= FlattenAfterBaseHits) {
		impl.base = flatten$2(impl);
		impl.overlay = void 0;
		impl.depth = 0;
	}
	return value;
};
/**
* Creates a `Context` from an existing service map.
*
* **When to use**
*
* Use when constructing a low-level `Context` from a trusted map whose lifecycle
* you control.
*
* **Details**
*
* `options.maxDepth` sets how many `add` calls are kept as overlays before the
* context is rebased into a flat map (default `8`). Lower values make lookups
* cheaper, higher values make additions to a large base cheaper. Invalid
* values fall back to the default.
*
* Contexts derived with `add`, `pick`, `omit`, and `merge` keep the setting
* (`merge` from its first non-empty argument). `make`, `empty`, and `mergeAll`
* use the default. Layers are combined with `mergeAll`, so apply it to the
* final context rather than inside a layer.
*
* **Gotchas**
*
* Excessively large `maxDepth` values can cause stack overflow when overlays
* are materialized or rebased. Choose a modest value.
*
* The provided map is retained without copying and must not be mutated after
* construction. Prefer `empty`, `make`, `add`, or `merge` for normal Context
* construction.
*
* **Example** (Creating a context from a map)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* // Create a context from a Map (unsafe)
* const map = new Map([
*   ["Logger", { log: (_msg: string) => {} }]
* ])
*
* const context = Context.makeUnsafe(map)
* context.mapUnsafe.size // => 1
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeUnsafe$4 = (mapUnsafe, options) => {
	const maxDepth = options?.maxDepth;
	return makeImpl(void 0, mapUnsafe, void 0, 0, Number.isInteger(maxDepth) && maxDepth >= 0 ? maxDepth : 8);
};
const Proto$5 = {
	get mapUnsafe() {
		return flatten$2(this);
	},
	...PipeInspectableProto,
	[TypeId$16]: { _Services: (_) => _ },
	toJSON() {
		return {
			_id: "Context",
			services: Array.from(this.mapUnsafe).map(([key, value]) => ({
				key,
				value
			}))
		};
	},
	[symbol](that) {
		if (!isContext(that)) return false;
		const self = this.mapUnsafe;
		const other = that.mapUnsafe;
		if (self.size !== other.size) return false;
		for (const [key, value] of self) if (!other.has(key) || !equals$1(value, other.get(key))) return false;
		return true;
	},
	[symbol$1]() {
		return number$1(this.mapUnsafe.size);
	}
};
/** @internal */
const hasSameCache = (self, that) => self.cacheRoot === that.cacheRoot;
/**
* Checks whether the provided argument is a `Context`.
*
* **When to use**
*
* Use to narrow an unknown value before passing it to APIs that require a
* `Context`.
*
* **Details**
*
* This checks the runtime `Context` marker and does not inspect which services
* the context contains.
*
* **Gotchas**
*
* This guard only proves that the value is a `Context`; it does not prove that
* any specific service is present.
*
* **Example** (Checking for contexts)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
* Context.isContext(Context.empty()) // => true
* ```
*
* @see {@link isKey} for checking service keys
* @see {@link isReference} for checking references with defaults
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isContext = (u) => hasProperty(u, TypeId$16);
/**
* Checks whether the provided argument is a `Reference`.
*
* **Example** (Checking for references)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* const LoggerRef = Context.Reference("Logger", {
*   defaultValue: () => ({ log: (_msg: string) => {} })
* })
*
* Context.isReference(LoggerRef) // => true
* Context.isReference(Context.Service("Key")) // => false
* ```
*
* @stability stable
* @category guards
* @since 3.11.0
*/
const isReference = (u) => !!u[ReferenceTypeId];
/**
* Returns an empty `Context`.
*
* **Example** (Creating an empty context)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
* Context.empty().mapUnsafe.size // => 0
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const empty$4 = () => emptyContext;
const emptyContext = /*#__PURE__*/ makeUnsafe$4(/*#__PURE__*/ new Map());
/**
* Creates a new `Context` with a single service associated to the key.
*
* **Example** (Creating a context with one service)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
*
* const context = Context.make(Port, { PORT: 8080 })
*
* Context.get(context, Port).PORT // => 8080
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const make$11 = (key, service) => makeUnsafe$4(/* @__PURE__ */ new Map([[key.key, service]]));
/**
* Adds a service to a given `Context`.
*
* **When to use**
*
* Use when you need to store a known service value in a `Context`.
*
* **Details**
*
* If the context already contains the same service key, the new service
* replaces the previous one.
*
* **Example** (Adding a service to a context)
*
* ```ts import.meta.vitest
* import { Context, pipe } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
* const Timeout = Context.Service<{ TIMEOUT: number }>("Timeout")
*
* const someContext = Context.make(Port, { PORT: 8080 })
*
* const context = pipe(
*   someContext,
*   Context.add(Timeout, { TIMEOUT: 5000 })
* )
*
* const values = [Context.get(context, Port).PORT, Context.get(context, Timeout).TIMEOUT]
* values // => [8080, 5000]
* ```
*
* @see {@link addOrOmit} for adding or removing a service from an `Option`
*
* @stability stable
* @category combining
* @since 2.0.0
*/
const add = /*#__PURE__*/ dual(3, (self, key, service) => addUnsafe(self, key.key, service));
/**
* Adds a service by key to a given `Context` using a string key.
*
* @stability stable
* @category combining
* @since 4.0.0
*/
const addUnsafe = (self, key, service) => {
	const impl = self;
	const cacheRoot = cacheKeys.has(key) ? void 0 : impl.cacheRoot;
	if (impl.depth >= impl.maxDepth) {
		const map = new Map(impl._flat ?? impl.base);
		if (!impl._flat) applyOverlays(map, impl.overlay);
		map.set(key, service);
		return makeImpl(cacheRoot, map, void 0, 0, impl.maxDepth);
	}
	return makeImpl(cacheRoot, impl.base, {
		key,
		value: service,
		parent: impl.overlay
	}, impl.depth + 1, impl.maxDepth);
};
/**
* Gets the service for a key, or evaluates the fallback when a non-reference
* key is absent.
*
* **When to use**
*
* Use when you need a fallback for a missing `Context.Service` key while still
* resolving `Context.Reference` defaults.
*
* **Details**
*
* If the key is a `Context.Reference` and no override is stored in the
* context, its cached default value is returned instead of the fallback.
*
* **Gotchas**
*
* The fallback is not evaluated for missing `Context.Reference` keys because
* references resolve to their default value.
*
* **Example** (Falling back for missing services)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* const Logger = Context.Service<{ log: (msg: string) => void }>("Logger")
* const Database = Context.Service<{ query: (sql: string) => string }>(
*   "Database"
* )
*
* const context = Context.make(Logger, { log: (_msg: string) => {} })
*
* const logger = Context.getOrElse(context, Logger, () => ({ log: () => {} }))
* const database = Context.getOrElse(
*   context,
*   Database,
*   () => ({ query: () => "fallback" })
* )
*
* logger === Context.get(context, Logger) // => true
* database.query("SELECT 1") // => "fallback"
* ```
*
* @see {@link getOption} for returning `Option.none` when a non-reference key is missing
*
* @stability stable
* @category getters
* @since 3.7.0
*/
const getOrElse$1 = /*#__PURE__*/ dual(3, (self, key, orElse) => {
	const value = lookup(self, key.key);
	if (value !== notFound) return value;
	return isReference(key) ? getDefaultValue(key) : orElse();
});
/**
* Returns the service currently stored for a key, or `undefined` when the key
* is absent.
*
* **When to use**
*
* Use when you need to read the service stored for a key without resolving
* `Context.Reference` defaults.
*
* **Gotchas**
*
* This is a raw lookup and does not resolve default values for
* `Context.Reference` keys.
*
* @see {@link getOption} for a reference-aware optional lookup
*
* @stability stable
* @category getters
* @since 4.0.0
*/
const getOrUndefined$1 = /*#__PURE__*/ dual(2, (self, key) => getOrUndefinedUnsafe(self, key.key));
/** @internal */
const getOrUndefinedUnsafe = (self, key) => {
	const value = lookup(self, key);
	return value === notFound ? void 0 : value;
};
/**
* Gets the service for a key, throwing if an absent non-reference key cannot be
* resolved.
*
* **When to use**
*
* Use when you need to read a service from a context whose type does not prove
* the service is present.
*
* **Details**
*
* If the key is a `Context.Reference` and no override is stored in the
* context, its cached default value is returned. For absent non-reference keys,
* this function throws a runtime error.
*
* **Example** (Getting services unsafely)
*
* ```ts import.meta.vitest
* import { Context, Option } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
* const Timeout = Context.Service<{ TIMEOUT: number }>("Timeout")
*
* const context = Context.make(Port, { PORT: 8080 })
*
* Context.getUnsafe(context, Port).PORT // => 8080
* Context.getOption(context, Timeout) // => Option.none()
* ```
*
* @see {@link get} for type-checked service access
* @see {@link getOption} for optional service access
*
* @stability stable
* @category unsafe
* @since 4.0.0
*/
const getUnsafe = /*#__PURE__*/ dual(2, (self, service) => {
	const value = lookup(self, service.key);
	if (value === notFound) {
		if (isReference(service)) return getDefaultValue(service);
		throw serviceNotFoundError(service);
	}
	return value;
});
/**
* Gets a service from the context that corresponds to the given key.
*
* **When to use**
*
* Use when you need type-checked access to a service already included in the
* context type.
*
* **Example** (Getting a service from a context)
*
* ```ts import.meta.vitest
* import { Context, pipe } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
* const Timeout = Context.Service<{ TIMEOUT: number }>("Timeout")
*
* const context = pipe(
*   Context.make(Port, { PORT: 8080 }),
*   Context.add(Timeout, { TIMEOUT: 5000 })
* )
*
* Context.get(context, Timeout).TIMEOUT // => 5000
* ```
*
* @see {@link getOption} for optional service access
* @see {@link getOrElse} for fallback values
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const get = getUnsafe;
const defaultValueCacheKey = "~effect/Context/defaultValue";
const getDefaultValue = (ref) => {
	if (defaultValueCacheKey in ref) return ref[defaultValueCacheKey];
	return ref[defaultValueCacheKey] = ref.defaultValue();
};
const serviceNotFoundError = (service) => {
	const error = /* @__PURE__ */ new Error(`Service not found${service.key ? `: ${String(service.key)}` : ""}`);
	if (error.stack) {
		const lines = error.stack.split("\n");
		lines.splice(1, 3);
		error.stack = lines.join("\n");
	}
	return error;
};
/**
* Gets the service for a key safely wrapped in an `Option`.
*
* **When to use**
*
* Use when you need to read a `Context` service as an `Option` so absence is
* represented as data.
*
* **Details**
*
* Returns `Option.some` when the service is stored in the context. If the key
* is a `Context.Reference` and no override is stored, returns `Option.some` of
* the cached default value. Missing non-reference keys return `Option.none`.
*
* **Example** (Getting optional services)
*
* ```ts import.meta.vitest
* import { Context, Option } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
* const Timeout = Context.Service<{ TIMEOUT: number }>("Timeout")
*
* const context = Context.make(Port, { PORT: 8080 })
*
* Context.getOption(context, Port) // => Option.some({ PORT: 8080 })
* Context.getOption(context, Timeout) // => Option.none()
* ```
*
* @see {@link getOrElse} for returning a fallback value directly
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOption = /*#__PURE__*/ dual(2, (self, service) => {
	const value = lookup(self, service.key);
	if (value !== notFound) return some(value);
	return isReference(service) ? some(getDefaultValue(service)) : none();
});
/**
* Merges two `Context`s into one.
*
* **When to use**
*
* Use when you need to combine two contexts.
*
* **Details**
*
* When both contexts contain the same service key, the service from `that`
* overrides the service from `self`.
*
* **Example** (Merging two contexts)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
* const Timeout = Context.Service<{ TIMEOUT: number }>("Timeout")
*
* const firstContext = Context.make(Port, { PORT: 8080 })
* const secondContext = Context.make(Timeout, { TIMEOUT: 5000 })
*
* const context = Context.merge(firstContext, secondContext)
*
* const values = [Context.get(context, Port).PORT, Context.get(context, Timeout).TIMEOUT]
* values // => [8080, 5000]
* ```
*
* @see {@link mergeAll} for merging more than two contexts at once
*
* @stability stable
* @category combining
* @since 2.0.0
*/
const merge$1 = /*#__PURE__*/ dual(2, (self, that) => {
	if (self.mapUnsafe.size === 0) return that;
	if (that.mapUnsafe.size === 0) return self;
	return withFlat(self, (map) => that.mapUnsafe.forEach((value, key) => map.set(key, value)));
});
/**
* Merges any number of `Context`s into one.
*
* **When to use**
*
* Use when you need to combine a variadic list of contexts.
*
* **Details**
*
* When multiple contexts contain the same service key, the service from the
* last context with that key is kept.
*
* **Example** (Merging multiple contexts)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
* const Timeout = Context.Service<{ TIMEOUT: number }>("Timeout")
* const Host = Context.Service<{ HOST: string }>("Host")
*
* const firstContext = Context.make(Port, { PORT: 8080 })
* const secondContext = Context.make(Timeout, { TIMEOUT: 5000 })
* const thirdContext = Context.make(Host, { HOST: "localhost" })
*
* const context = Context.mergeAll(
*   firstContext,
*   secondContext,
*   thirdContext
* )
*
* context.mapUnsafe.size // => 3
* ```
*
* @see {@link merge} for merging two contexts
*
* @stability stable
* @category combining
* @since 3.12.0
*/
const mergeAll$1 = (...ctxs) => {
	const map = /* @__PURE__ */ new Map();
	for (let i = 0; i < ctxs.length; i++) ctxs[i].mapUnsafe.forEach((value, key) => {
		map.set(key, value);
	});
	return makeUnsafe$4(map);
};
/**
* Returns a new `Context` with the specified service keys removed.
*
* **When to use**
*
* Use when you want to remove a denylist of services from a `Context`.
*
* **Example** (Omitting services from a context)
*
* ```ts import.meta.vitest
* import { Context, Option, pipe } from "effect"
*
* const Port = Context.Service<{ PORT: number }>("Port")
* const Timeout = Context.Service<{ TIMEOUT: number }>("Timeout")
*
* const someContext = pipe(
*   Context.make(Port, { PORT: 8080 }),
*   Context.add(Timeout, { TIMEOUT: 5000 })
* )
*
* const context = pipe(someContext, Context.omit(Timeout))
*
* Context.getOption(context, Port) // => Option.some({ PORT: 8080 })
* Context.getOption(context, Timeout) // => Option.none()
* ```
*
* @see {@link pick} for keeping selected services
*
* @stability stable
* @category filtering
* @since 2.0.0
*/
const omit$1 = (...keys) => (self) => withFlat(self, (map) => {
	for (let i = 0; i < keys.length; i++) map.delete(keys[i].key);
});
/**
* Creates a context key with a default value.
*
* **When to use**
*
* Use when you need to define a context key with a lazily computed default
* value.
*
* **Details**
*
* `Context.Reference` allows you to create a key that can hold a value. You
* can provide a default value for the service, which will automatically be used
* when the context is accessed, or override it with a custom implementation
* when needed. The default value is computed lazily and cached on the
* reference.
*
* **Example** (Creating references with default values)
*
* ```ts import.meta.vitest
* import { Context } from "effect"
*
* // Create a reference with a default value
* const messages: Array<string> = []
* const LoggerRef = Context.Reference("Logger", {
*   defaultValue: () => ({ log: (msg: string) => messages.push(`Default: ${msg}`) })
* })
*
* // The reference provides the default value when accessed from an empty context
* const context = Context.empty()
* const logger = Context.get(context, LoggerRef)
*
* // You can also override the default value
* const customContext = Context.make(LoggerRef, {
*   log: (msg: string) => messages.push(`Custom: ${msg}`)
* })
* const customLogger = Context.get(customContext, LoggerRef)
* logger.log("default")
* customLogger.log("message")
* messages // => ["Default: default", "Custom: message"]
* ```
*
* @see {@link Service} for required services without default values
*
* @stability stable
* @category services
* @since 3.11.0
*/
const Reference = Service;

// node_modules/effect/dist/internal/array.js
/**
* @since 2.0.0
*/
/** @internal */
const isArrayNonEmpty$1 = (self) => self.length > 0;

// node_modules/effect/dist/Result.js
/**
* Creates a `Result` holding a `Success` value.
*
* **Details**
*
* - Use when you have a value and want to lift it into the `Result` type
* - The error type `E` defaults to `never`
*
* **Example** (Wrapping a value)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* Result.succeed(42) // => Result.succeed(42)
* ```
*
* @see {@link fail} to create a Failure
* @see {@link void_ void} for a pre-built `Success<void>`
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const succeed$5 = succeed$6;
/**
* Creates a `Result` holding a `Failure` value.
*
* **When to use**
*
* Use to represent a failed `Result` with a typed failure value.
*
* **Details**
*
* - The success type `A` defaults to `never`
*
* **Example** (Creating a failure)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* Result.fail("Something went wrong") // => Result.fail("Something went wrong")
* ```
*
* @see {@link succeed} to create a Success
* @see {@link mapError} to transform the error
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fail$6 = fail$7;
const try_$2 = (evaluate) => {
	if (isFunction(evaluate)) try {
		return succeed$5(evaluate());
	} catch (e) {
		return fail$6(e);
	}
	else try {
		return succeed$5(evaluate.try());
	} catch (e) {
		return fail$6(evaluate.catch(e));
	}
};
/**
* Checks whether a `Result` is a `Failure`.
*
* **When to use**
*
* Use to narrow a known `Result` to the `Failure` variant.
*
* **Details**
*
* - Acts as a TypeScript type guard, narrowing to `Failure<A, E>`
* - After narrowing, you can access `.failure` to read the error value
*
* **Example** (Narrowing to failure)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* const result = Result.fail("oops")
*
* if (Result.isFailure(result)) {
*   result.failure // => "oops"
* }
* ```
*
* @see {@link isSuccess} for the opposite check
* @see {@link isResult} to check if a value is any Result
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isFailure$1 = isFailure$2;
/**
* Checks whether a `Result` is a `Success`.
*
* **When to use**
*
* Use to narrow a known `Result` to the `Success` variant.
*
* **Details**
*
* - Acts as a TypeScript type guard, narrowing to `Success<A, E>`
* - After narrowing, you can access `.success` to read the value
*
* **Example** (Narrowing to success)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* const result = Result.succeed(42)
*
* if (Result.isSuccess(result)) {
*   result.success // => 42
* }
* ```
*
* @see {@link isFailure} for the opposite check
* @see {@link isResult} to check if a value is any Result
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isSuccess$1 = isSuccess$2;
/**
* Transforms the success channel of a `Result`, leaving the failure channel unchanged.
*
* **When to use**
*
* Use to apply a transformation to the success value of a `Result` while
* preserving any existing failure.
*
* **Details**
*
* - If the result is a `Success`, applies `f` to the value and returns a new `Success`
* - If the result is a `Failure`, returns it as-is
* - Use {@link flatMap} if `f` returns a `Result` (to avoid nested Results)
*
* **Example** (Doubling the success value)
*
* ```ts import.meta.vitest
* import { pipe, Result } from "effect"
*
* pipe(
*   Result.succeed(3),
*   Result.map((n) => n * 2)
* ) // => Result.succeed(6)
* ```
*
* @see {@link mapError} to transform only the error value
* @see {@link mapBoth} to transform both channels
* @see {@link flatMap} when `f` returns a `Result`
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map$5 = /*#__PURE__*/ dual(2, (self, f) => isSuccess$1(self) ? succeed$5(f(self.success)) : self);
/**
* Folds a `Result` into a single value by applying one of two functions.
*
* **When to use**
*
* Use when a `Result`'s success and failure branches should be collapsed into
* one plain output type.
*
* **Details**
*
* - Applies `onSuccess` if the result is a `Success`
* - Applies `onFailure` if the result is a `Failure`
* - Both branches must return the same type (or a common supertype)
*
* **Example** (Folding to a string)
*
* ```ts import.meta.vitest
* import { pipe, Result } from "effect"
*
* const format = Result.match({
*   onSuccess: (n: number) => `Got ${n}`,
*   onFailure: (e: string) => `Err: ${e}`
* })
*
* format(Result.succeed(42)) // => "Got 42"
*
* format(Result.fail("timeout")) // => "Err: timeout"
* ```
*
* @see {@link merge} to extract `A | E` without mapping
* @see {@link getOrElse} to unwrap only the success with a fallback
*
* @stability stable
* @category pattern matching
* @since 2.0.0
*/
const match$4 = /*#__PURE__*/ dual(2, (self, { onFailure, onSuccess }) => isFailure$1(self) ? onFailure(self.failure) : onSuccess(self.success));
/**
* Extracts the success value, or computes a fallback from the error.
*
* **When to use**
*
* Use when you need the success value from a `Result`, with a fallback computed
* from the failure value.
*
* **Details**
*
* - `Success<A>` returns the inner value
* - `Failure<E>` applies `onFailure` to the error and returns the result
* - The return type is `A | A2` (union of both branches)
*
* **Example** (Providing a fallback)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* Result.getOrElse(Result.succeed(1), () => 0) // => 1
*
* Result.getOrElse(Result.fail("err"), () => 0) // => 0
* ```
*
* @see {@link getOrNull} / {@link getOrUndefined} for simpler fallbacks
* @see {@link getOrThrow} to throw on failure
* @see {@link match} to map both branches
* @see {@link orElse} to recover with another Result instead of unwrapping
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOrElse = /*#__PURE__*/ dual(2, (self, onFailure) => isFailure$1(self) ? onFailure(self.failure) : self.success);
/**
* Extracts the success value, or returns `undefined` on failure.
*
* **When to use**
*
* Use when you need to pass failed `Result` values to APIs that represent
* absence as `undefined`.
*
* **Details**
*
* - `Success<A>` returns `A`
* - `Failure<E>` returns `undefined`
*
* **Example** (Unwrapping to optional)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* Result.getOrUndefined(Result.succeed(1)) // => 1
*
* Result.getOrUndefined(Result.fail("err")) // => undefined
* ```
*
* @see {@link getOrNull} to return `null` instead
* @see {@link getOrElse} for a custom fallback
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOrUndefined = /*#__PURE__*/ getOrElse(constUndefined);
/**
* Extracts the success value or throws a custom error derived from the failure.
*
* **When to use**
*
* Use when converting a `Result` into a thrown exception with a custom error
* message or error type.
*
* **Details**
*
* - `Success<A>` returns `A`
* - `Failure<E>` throws the value returned by `onFailure(e)`
*
* **Example** (Throwing a custom error)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* Result.getOrThrowWith(Result.succeed(1), () => new Error("fail")) // => 1
*
* const failure = Result.try({
*   try: () => Result.getOrThrowWith(
*     Result.fail("oops"),
*     (error) => new Error(`Unexpected: ${error}`)
*   ),
*   catch: (error) => (error as Error).message
* })
* Result.merge(failure) // => "Unexpected: oops"
* ```
*
* @see {@link getOrThrow} to throw the raw failure value
* @see {@link getOrElse} for a non-throwing alternative
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOrThrowWith = /*#__PURE__*/ dual(2, (self, onFailure) => {
	if (isSuccess$1(self)) return self.success;
	throw onFailure(self.failure);
});
/**
* Extracts the success value or throws the raw failure value `E`.
*
* **When to use**
*
* Use when unchecked boundaries should turn failures into thrown exceptions.
*
* **Details**
*
* - `Success<A>` returns `A`
* - `Failure<E>` throws `E` directly
* - Use {@link getOrThrowWith} for a custom error object
*
* **Example** (Unwrapping or throwing)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* Result.getOrThrow(Result.succeed(1)) // => 1
*
* const failure = Result.try(() => Result.getOrThrow(Result.fail("error")))
* Result.merge(failure) // => "error"
* ```
*
* @see {@link getOrThrowWith} for custom error mapping
* @see {@link getOrElse} for a non-throwing alternative
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const getOrThrow = /*#__PURE__*/ getOrThrowWith(identity);
/**
* Chains a function that returns a `Result` onto a successful value.
*
* **When to use**
*
* Use to sequence `Result`-returning computations that should short-circuit on
* failure.
*
* **Details**
*
* - If `self` is a `Success`, applies `f` to the value and returns the resulting `Result`
* - If `self` is a `Failure`, short-circuits and returns it unchanged
* - The error types are merged into a union (`E | E2`)
* - This is the monadic `bind` / `>>=` for `Result`
*
* **Example** (Validating sequentially)
*
* ```ts import.meta.vitest
* import { pipe, Result } from "effect"
*
* pipe(
*   Result.succeed(5),
*   Result.flatMap((n) =>
*     n > 0 ? Result.succeed(n * 2) : Result.fail("not positive")
*   )
* ) // => Result.succeed(10)
* ```
*
* @see {@link andThen} for a more flexible variant that also accepts plain values
* @see {@link map} when `f` does not return a `Result`
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const flatMap$3 = /*#__PURE__*/ dual(2, (self, f) => isFailure$1(self) ? fail$6(self.failure) : f(self.success));
/**
* Collects a structure of `Result`s into a single `Result` of collected values.
*
* **When to use**
*
* Use to collect independent `Result` values into one `Result` while preserving
* the original structure.
*
* **Details**
*
* Accepts:
* - A tuple/array: returns `Result` with a tuple/array of success values
* - A struct (record): returns `Result` with a struct of success values
* - An iterable: returns `Result` with an array of success values
*
* Short-circuits on the first `Failure` encountered; later elements are not inspected.
*
* **Example** (Collecting a tuple and a struct)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* // Tuple
* Result.all([Result.succeed(1), Result.succeed("two")]) // => Result.succeed([1, "two"])
*
* // Struct
* Result.all({ x: Result.succeed(1), y: Result.fail("err") }) // => Result.fail("err")
* ```
*
* @see {@link flatMap} for chaining two Results sequentially
* @see {@link gen} for generator-based composition of multiple Results
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const all$2 = (input) => {
	if (Symbol.iterator in input) {
		const out = [];
		for (const e of input) {
			if (isFailure$1(e)) return e;
			out.push(e.success);
		}
		return succeed$5(out);
	}
	const out = {};
	for (const key of Object.keys(input)) {
		const e = input[key];
		if (isFailure$1(e)) return e;
		assignProperty(out, key, e.success);
	}
	return succeed$5(out);
};
/**
* Provides generator-based syntax for composing `Result` values sequentially.
*
* **When to use**
*
* Use when you need generator syntax to compose sequential `Result`
* computations instead of nested `flatMap` calls.
*
* **Details**
*
* - Use `yield*` to unwrap a `Result` inside the generator; if any yielded
*   `Result` is a `Failure`, the generator short-circuits and returns that failure
* - The return value of the generator is wrapped in `Success`
* - Evaluated eagerly and synchronously (unlike `Effect.gen`)
*
* **Example** (Composing multiple Results)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
*
* Result.gen(function*() {
*   const a = yield* Result.succeed(1)
*   const b = yield* Result.succeed(2)
*   return a + b
* }) // => Result.succeed(3)
* ```
*
* @see {@link flatMap} for point-free sequential composition
* @see {@link all} to collect multiple independent Results
*
* @stability stable
* @category generators
* @since 2.0.0
*/
const gen$2 = (...args) => {
	const iterator = (args.length === 1 ? args[0] : args[1].bind(args[0]))();
	let state = iterator.next();
	while (!state.done) {
		const current = state.value;
		if (isFailure$1(current)) return current;
		state = iterator.next(current.success);
	}
	return succeed$5(state.value);
};

// node_modules/effect/dist/Tuple.js
/**
* Creates an `Equivalence` for tuples by comparing corresponding elements
* using the provided per-position `Equivalence`s. Two tuples are equivalent
* when all their corresponding elements are equivalent.
*
* **When to use**
*
* Use when you need an `Equivalence` to compare tuples element-by-element.
*
* **Details**
*
* This is an alias of `Equivalence.Tuple`.
*
* **Example** (Comparing tuples for equivalence)
*
* ```ts import.meta.vitest
* import { Equivalence, Tuple } from "effect"
*
* const eq = Tuple.makeEquivalence([
*   Equivalence.strictEqual<string>(),
*   Equivalence.strictEqual<number>()
* ])
*
* eq(["Alice", 30], ["Alice", 30]) // => true
* eq(["Alice", 30], ["Bob", 30]) // => false
* ```
*
* @see {@link makeOrder} – create an `Order` for tuples
* @stability stable
* @category instances
* @since 4.0.0
*/
const makeEquivalence$3 = Tuple$1;

// node_modules/effect/dist/Iterable.js
/**
* Returns the first element that satisfies the specified
* predicate, or `None` if no such element exists.
*
* **Example** (Finding the first match)
*
* ```ts import.meta.vitest
* import { Iterable, Option } from "effect"
*
* const numbers = [1, 3, 4, 6, 8]
* const firstEven = Iterable.findFirst(numbers, (x) => x % 2 === 0)
* firstEven // => Option.some(4)
*
* const firstGreaterThan10 = Iterable.findFirst(numbers, (x) => x > 10)
* firstGreaterThan10 // => Option.none()
*
* // With index
* const letters = ["a", "b", "c", "d"]
* const atEvenIndex = Iterable.findFirst(letters, (_, i) => i % 2 === 0)
* atEvenIndex // => Option.some("a")
*
* // Type refinement
* const mixed: Array<string | number> = [1, "hello", 2, "world"]
* const firstString = Iterable.findFirst(
*   mixed,
*   (x): x is string => typeof x === "string"
* )
* firstString // => Option.some("hello")
*
* // Transform during search
* const findSquareRoot = Iterable.findFirst([1, 4, 9, 16], (x) => {
*   const sqrt = Math.sqrt(x)
*   return Number.isInteger(sqrt) ? Option.some(sqrt) : Option.none()
* })
* findSquareRoot // => Option.some(1)
* ```
*
* @stability stable
* @category searching
* @since 2.0.0
*/
const findFirst$1 = /*#__PURE__*/ dual(2, (self, f) => {
	let i = 0;
	for (const a of self) {
		const o = f(a, i);
		if (isBoolean(o)) {
			if (o) return some(a);
		} else if (isSome(o)) return o;
		i++;
	}
	return none();
});

// node_modules/effect/dist/Record.js
/**
* Determines if a mutable record is empty.
*
* **Example** (Checking for an empty record)
*
* ```ts import.meta.vitest
* import { Record } from "effect"
*
* Record.isEmptyRecord({}) // => true
* Record.isEmptyRecord({ a: 3 }) // => false
* ```
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isEmptyRecord = (self) => Object.keys(self).length === 0;
/**
* Checks whether a given `key` exists in a record.
*
* **Example** (Checking key membership)
*
* ```ts import.meta.vitest
* import { Record } from "effect"
*
* Record.has({ a: 1, b: 2 }, "a") // => true
* Record.has(Record.empty<string>(), "c") // => false
* ```
*
* @stability stable
* @category predicates
* @since 2.0.0
*/
const has = /*#__PURE__*/ dual(2, (self, key) => Object.hasOwn(self, key));
/**
* Maps a record into another record by applying a transformation function to each of its values.
*
* **Example** (Mapping record values)
*
* ```ts import.meta.vitest
* import { Record } from "effect"
*
* const f = (n: number) => `-${n}`
*
* Record.map({ a: 3, b: 5 }, f) // => { a: "-3", b: "-5" }
*
* const g = (n: number, key: string) => `${key.toUpperCase()}-${n}`
*
* Record.map({ a: 3, b: 5 }, g) // => { a: "A-3", b: "B-5" }
* ```
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map$4 = /*#__PURE__*/ dual(2, (self, f) => {
	const out = { ...self };
	for (const key of keys(self)) assignProperty(out, key, f(self[key], key));
	return out;
});
/**
* Retrieves the keys of a given record as an array.
*
* **Example** (Getting record keys)
*
* ```ts import.meta.vitest
* import { Record } from "effect"
*
* Record.keys({ a: 1, b: 2, c: 3 }) // => ["a", "b", "c"]
* ```
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const keys = (self) => Object.keys(self);
/**
* Checks whether all the keys and values in one record are also found in another record.
* Uses the provided equivalence function to compare values.
*
* **Example** (Checking subrecords with a custom equivalence)
*
* ```ts import.meta.vitest
* import { Equivalence, Record } from "effect"
*
* const isSubrecord = Record.isSubrecordBy(
*   Equivalence.make<string>((self, that) => self.toLowerCase() === that.toLowerCase())
* )
*
* const required: Record.ReadonlyRecord<string, string> = { role: "Admin" }
* const available: Record.ReadonlyRecord<string, string> = {
*   role: "admin",
*   status: "active"
* }
*
* isSubrecord(required, available) // => true
* isSubrecord({ role: "Admin", status: "inactive" }, available) // => false
* isSubrecord(required, { role: "editor", status: "active" }) // => false
* ```
*
* @stability stable
* @category predicates
* @since 2.0.0
*/
const isSubrecordBy = (equivalence) => dual(2, (self, that) => {
	for (const key of keys(self)) if (!has(that, key) || !equivalence(self[key], that[key])) return false;
	return true;
});
/**
* Create an `Equivalence` for records using the provided `Equivalence` for values.
* Two records are considered equivalent if they have the same keys and their corresponding values are equivalent.
*
* **Example** (Comparing records with a value equivalence)
*
* ```ts import.meta.vitest
* import { Equal, Record } from "effect"
*
* const recordEquivalence = Record.makeEquivalence(Equal.asEquivalence<number>())
*
* recordEquivalence({ a: 1, b: 2 }, { a: 1, b: 2 }) // => true
* recordEquivalence({ a: 1, b: 2 }, { a: 1, b: 3 }) // => false
* ```
*
* @stability stable
* @category instances
* @since 4.0.0
*/
const makeEquivalence$2 = (equivalence) => {
	const is = isSubrecordBy(equivalence);
	return (self, that) => is(self, that) && is(that, self);
};

// node_modules/effect/dist/Array.js
/**
* Exposes the global array constructor.
*
* **When to use**
*
* Use to access native JavaScript array constructor methods such as `isArray`
* or `from` from the Effect module namespace.
*
* **Example** (Accessing the Array constructor)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.Array === globalThis.Array // => true
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Array$1 = globalThis.Array;
/**
* Converts an `Iterable` to an `Array`.
*
* **When to use**
*
* Use to convert any `Iterable` (Set, Generator, etc.) into an array.
*
* **Details**
*
* If the input is already an array, this returns it by reference without
* copying. Otherwise, it creates a new array from the iterable. Use `copy` if
* you need a fresh array even when the input is already an array.
*
* **Example** (Converting a Set to an array)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.fromIterable(new Set([1, 2, 3])) // => [1, 2, 3]
* ```
*
* @see {@link ensure} — wrap a single value or return an existing array
* @see {@link copy} — create a shallow copy of an array
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromIterable$1 = (collection) => Array$1.isArray(collection) ? collection : Array$1.from(collection);
/**
* Normalizes a value that is either a single element or an array into an array.
*
* **When to use**
*
* Use to normalize input that may be a single value or an array into a consistent
* array.
*
* **Details**
*
* If the input is already an array, this returns it by reference. If the input
* is a single value, this wraps it in a one-element array. This is useful for
* APIs that accept `A | Array<A>`.
*
* **Example** (Normalizing input)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.ensure("a") // => ["a"]
* Array.ensure(["a", "b", "c"]) // => ["a", "b", "c"]
* ```
*
* @see {@link of} — always wrap in a single-element array
* @see {@link fromIterable} — convert any iterable
*
* @stability stable
* @category constructors
* @since 3.3.0
*/
const ensure = (self) => Array$1.isArray(self) ? self : [self];
/**
* Pattern-matches on an array, handling empty and non-empty cases separately.
*
* **When to use**
*
* Use when you need to branch on whether an array is empty.
*
* **Details**
*
* `onNonEmpty` receives a `NonEmptyArray` for mutable arrays and a
* `NonEmptyReadonlyArray` otherwise. Data-last calls default to the readonly
* callback, so the returned function still accepts `ReadonlyArray`. Supports
* both data-first and data-last usage.
*
* **Example** (Branching on emptiness)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* const describe = Array.match({
*   onEmpty: () => "empty",
*   onNonEmpty: ([head, ...tail]) => `head: ${head}, tail: ${tail.length}`
* })
*
* describe([]) // => "empty"
* describe([1, 2, 3]) // => "head: 1, tail: 2"
* ```
*
* @see {@link matchLeft} — destructures into head + tail
* @see {@link matchRight} — destructures into init + last
*
* @stability stable
* @category pattern matching
* @since 2.0.0
*/
const match$3 = /*#__PURE__*/ dual(2, (self, { onEmpty, onNonEmpty }) => isReadonlyArrayNonEmpty(self) ? onNonEmpty(self) : onEmpty());
/**
* Adds a single element to the end of an iterable, returning a `NonEmptyArray`.
*
* **When to use**
*
* Use when you need to guarantee a non-empty result after adding a required
* trailing value.
*
* **Example** (Appending an element)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.append([1, 2, 3], 4) // => [1, 2, 3, 4]
* ```
*
* @see {@link prepend} — add to the front
* @see {@link appendAll} — append multiple elements
*
* @stability stable
* @category combining
* @since 2.0.0
*/
const append = /*#__PURE__*/ dual(2, (self, last) => [...self, last]);
/**
* Checks whether a value is an `Array`.
*
* **When to use**
*
* Use to verify a value is a mutable array, narrowing its type to `Array<unknown>`.
*
* **Details**
*
* Acts as a type guard narrowing the input to `Array<unknown>` and delegates to
* `globalThis.Array.isArray`.
*
* **Example** (Type-guarding an unknown value)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.isArray(null) // => false
* Array.isArray([1, 2, 3]) // => true
* ```
*
* @see {@link isArrayEmpty} — check for an empty array
* @see {@link isArrayNonEmpty} — check for a non-empty array
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isArray = Array$1.isArray;
/**
* Checks whether a mutable `Array` is non-empty, narrowing the type to
* `NonEmptyArray`.
*
* **When to use**
*
* Use when you need the narrowed value to remain a mutable `Array` after proving
* it has at least one element.
*
* **Example** (Checking for a non-empty array)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.isArrayNonEmpty([]) // => false
* Array.isArrayNonEmpty([1, 2, 3]) // => true
* ```
*
* @see {@link isReadonlyArrayNonEmpty} — readonly variant
* @see {@link isArrayEmpty} — opposite check
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isArrayNonEmpty = isArrayNonEmpty$1;
/**
* Checks whether a `ReadonlyArray` is non-empty, narrowing the type to
* `NonEmptyReadonlyArray`.
*
* **When to use**
*
* Use when you need to prove a readonly array has at least one element without
* requiring mutable array methods afterward.
*
* **Example** (Checking for a non-empty readonly array)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.isReadonlyArrayNonEmpty([]) // => false
* Array.isReadonlyArrayNonEmpty([1, 2, 3]) // => true
* ```
*
* @see {@link isArrayNonEmpty} — mutable variant
* @see {@link isReadonlyArrayEmpty} — opposite check
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isReadonlyArrayNonEmpty = isArrayNonEmpty$1;
/**
* Checks whether a string represents a JavaScript array index: a non-negative
* integer below `2 ** 32 - 1`, written without leading zeroes, a sign, or
* exponent notation.
*
* @internal
*/
function isCanonicalArrayIndex(key) {
	const index = Number(key);
	return String(index) === key && Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1;
}
/**
* Returns the index of the first element matching the predicate, wrapped in an
* `Option`.
*
* **When to use**
*
* Use to find the index of the first matching element from the start of an
* iterable.
*
* **Example** (Finding an index)
*
* ```ts import.meta.vitest
* import { Array, Option } from "effect"
*
* Array.findFirstIndex([5, 3, 8, 9], (x) => x > 5) // => Option.some(2)
* ```
*
* @see {@link findLastIndex} — search from the end
* @see {@link findFirst} — get the element itself
*
* @stability stable
* @category searching
* @since 2.0.0
*/
const findFirstIndex = /*#__PURE__*/ dual(2, (self, predicate) => {
	let i = 0;
	for (const a of self) {
		if (predicate(a, i)) return some(i);
		i++;
	}
	return none();
});
/**
* Returns the first element matching a predicate, refinement, or mapping
* function, wrapped in `Option`.
*
* **When to use**
*
* Use to scan an iterable in iteration order and return the first selected
* element or mapped value as an `Option`.
*
* **Details**
*
* Accepts a predicate `(a, i) => boolean`, a refinement, or a function
* `(a, i) => Option<B>` for simultaneous find-and-transform. If no element
* matches, this returns `Option.none()`.
*
* **Example** (Finding the first match)
*
* ```ts import.meta.vitest
* import { Array, Option } from "effect"
*
* Array.findFirst([1, 2, 3, 4, 5], (x) => x > 3) // => Option.some(4)
* ```
*
* @see {@link findLast} — search from the end
* @see {@link findFirstIndex} — get the index instead
* @see {@link findFirstWithIndex} — get both element and index
*
* @stability stable
* @category searching
* @since 2.0.0
*/
const findFirst = findFirst$1;
/**
* Returns the last element matching a predicate, refinement, or mapping
* function, wrapped in `Option`.
*
* **When to use**
*
* Use to find the last matching element from the end of an array.
*
* **Details**
*
* Searches from the end of the array. If no element matches, this returns
* `Option.none()`.
*
* **Example** (Finding the last match)
*
* ```ts import.meta.vitest
* import { Array, Option } from "effect"
*
* Array.findLast([1, 2, 3, 4, 5], (n) => n % 2 === 0) // => Option.some(4)
* ```
*
* @see {@link findFirst} — search from the start
* @see {@link findLastIndex} — get the index instead
*
* @stability stable
* @category searching
* @since 2.0.0
*/
const findLast = /*#__PURE__*/ dual(2, (self, f) => {
	const input = fromIterable$1(self);
	for (let i = input.length - 1; i >= 0; i--) {
		const a = input[i];
		const o = f(a, i);
		if (typeof o === "boolean") {
			if (o) return some(a);
		} else if (isSome(o)) return o;
	}
	return none();
});
/**
* Reverses an iterable into a new array.
*
* **When to use**
*
* Use to reverse an iterable into a new array without mutating the original
* input.
*
* **Details**
*
* Preserves `NonEmptyArray` in the return type.
*
* **Example** (Reversing an array)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.reverse([1, 2, 3, 4]) // => [4, 3, 2, 1]
* ```
*
* @stability stable
* @category transforming
* @since 2.0.0
*/
const reverse = (self) => Array$1.from(self).reverse();
/**
* Sorts an array by the given `Order`, returning a new array.
*
* **When to use**
*
* Use to sort an array using a single `Order` comparator.
*
* **Details**
*
* Preserves `NonEmptyArray` in the return type. Use `sortWith` to sort by a
* derived key, or `sortBy` for multi-key sorting.
*
* **Example** (Sorting numbers)
*
* ```ts import.meta.vitest
* import { Array, Order } from "effect"
*
* Array.sort([3, 1, 4, 1, 5], Order.Number) // => [1, 1, 3, 4, 5]
* ```
*
* @see {@link sortWith} — sort by a mapping function
* @see {@link sortBy} — sort by multiple orders
*
* @stability stable
* @category sorting
* @since 2.0.0
*/
const sort = /*#__PURE__*/ dual(2, (self, O) => {
	const out = Array$1.from(self);
	out.sort(O);
	return out;
});
/**
* Creates an empty array.
*
* **When to use**
*
* Use to create a typed empty array without allocating placeholder elements.
*
* **Example** (Creating an empty array)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.empty<number>() // => []
* ```
*
* @see {@link of} — create a single-element array
* @see {@link make} — create from multiple values
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const empty$3 = () => [];
/**
* Wraps a single value in a `NonEmptyArray`.
*
* **Example** (Creating a single-element array)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.of(1) // => [1]
* ```
*
* @see {@link make} — create from multiple values
* @see {@link empty} — create an empty array
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const of = (a) => [a];
/**
* Transforms each element using a function, returning a new array.
*
* **When to use**
*
* Use to transform each element independently while preserving the array shape.
*
* **Details**
*
* The function receives `(element, index)`. The return type preserves
* `NonEmptyArray`.
*
* **Example** (Doubling values)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.map([1, 2, 3], (x) => x * 2) // => [2, 4, 6]
* ```
*
* @see {@link flatMap} — map and flatten
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map$3 = /*#__PURE__*/ dual(2, (self, f) => self.map(f));
/**
* Folds an iterable from left to right into a single value.
*
* **When to use**
*
* Use to combine all elements into one accumulated value from left to right.
*
* **Details**
*
* The function receives `(accumulator, element, index)`.
*
* **Example** (Summing an array)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* Array.reduce([1, 2, 3], 0, (acc, n) => acc + n) // => 6
* ```
*
* @see {@link reduceRight} — fold from right to left
* @see {@link scan} — fold keeping intermediate values
*
* @stability stable
* @category folding
* @since 2.0.0
*/
const reduce = /*#__PURE__*/ dual(3, (self, b, f) => fromIterable$1(self).reduce((b, a, i) => f(b, a, i), b));
/**
* Creates an `Equivalence` for arrays based on an element `Equivalence`. Two
* arrays are equivalent when they have the same length and all elements are
* pairwise equivalent.
*
* **Example** (Comparing arrays for equality)
*
* ```ts import.meta.vitest
* import { Array } from "effect"
*
* const eq = Array.makeEquivalence<number>((a, b) => a === b)
*
* eq([1, 2, 3], [1, 2, 3]) // => true
* ```
*
* @see {@link makeOrder} — create an ordering for arrays
*
* @stability stable
* @category instances
* @since 4.0.0
*/
const makeEquivalence$1 = Array_;

// node_modules/effect/dist/Duration.js
const TypeId$15 = "~effect/Duration";
const bigint0$2 = /*#__PURE__*/ BigInt(0);
const bigint1$1 = /*#__PURE__*/ BigInt(1);
const bigint2 = /*#__PURE__*/ BigInt(2);
const bigint10$1 = /*#__PURE__*/ BigInt(10);
const bigint1e3 = /*#__PURE__*/ BigInt(1e3);
const bigint1e6 = /*#__PURE__*/ BigInt(1e6);
const bigint1e9 = /*#__PURE__*/ BigInt(1e9);
const bigintNanosPerMinute = /*#__PURE__*/ BigInt(6e10);
const bigintNanosPerHour = /*#__PURE__*/ BigInt(36e11);
const bigintNanosPerDay = /*#__PURE__*/ BigInt(864e11);
const bigintNanosPerWeek = /*#__PURE__*/ BigInt(6048e11);
const roundTiesAwayFromZero = (input) => BigInt(Math.sign(input) * Math.round(Math.abs(input)));
const roundMillisToNanos = (millis) => Number.isInteger(millis) ? BigInt(millis) * bigint1e6 : roundTiesAwayFromZero(millis * 1e6);
const fromNanosNumber = (nanos) => make$10(Number.isFinite(nanos) ? roundTiesAwayFromZero(nanos) : nanos);
const nanosToUnit = (nanos, divisor) => {
	const value = Number(nanos);
	if (Number.isFinite(value)) return value / divisor;
	const scale = BigInt(divisor);
	return Number(nanos / scale) + Number(nanos % scale) / divisor;
};
const parseNanos = (input, scale) => {
	const decimalIndex = input.indexOf(".");
	if (decimalIndex === -1) return BigInt(input) * scale;
	const isNegative = input[0] === "-";
	const fractional = input.slice(decimalIndex + 1);
	const fractionalScale = bigint10$1 ** BigInt(fractional.length);
	const scaled = (BigInt(input.slice(isNegative ? 1 : 0, decimalIndex)) * fractionalScale + BigInt(fractional)) * scale;
	return divideTiesAwayFromZero(isNegative ? -scaled : scaled, fractionalScale);
};
const divideTiesAwayFromZero = (numerator, denominator) => {
	const absolute = numerator < bigint0$2 ? -numerator : numerator;
	const rounded = absolute / denominator + (absolute % denominator * bigint2 >= denominator ? bigint1$1 : bigint0$2);
	return numerator < bigint0$2 ? -rounded : rounded;
};
const fromMillisString = (input, scale) => {
	const millis = Number(input) * scale;
	if (!Number.isFinite(millis)) return make$10(millis);
	const nanos = parseNanos(input, BigInt(scale) * bigint1e6);
	return make$10(Number.isInteger(millis) && BigInt(millis) * bigint1e6 === nanos ? millis : nanos);
};
const DURATION_REGEXP = /^(-?\d+(?:\.\d+)?)\s+(nanos?|micros?|millis?|seconds?|minutes?|hours?|days?|weeks?)$/;
/**
* Decodes a `Duration.Input` into a `Duration`.
*
* **When to use**
*
* Use when the input has already been validated or comes from a trusted source
* and throwing is acceptable for invalid duration syntax.
*
* **Gotchas**
*
* If the input is not a valid `Duration.Input`, it throws an error.
*
* **Example** (Decoding duration inputs)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.fromInputUnsafe(1000) // => Duration.millis(1000)
* Duration.fromInputUnsafe("5 seconds") // => Duration.seconds(5)
* Duration.fromInputUnsafe("Infinity") // => Duration.infinity
* Duration.fromInputUnsafe([2, 500_000_000]) // => Duration.nanos(2_500_000_000n)
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromInputUnsafe = (input) => {
	switch (typeof input) {
		case "number": return millis(input);
		case "bigint": return nanos(input);
		case "string": {
			if (input === "Infinity") return infinity;
			if (input === "-Infinity") return negativeInfinity;
			const match = DURATION_REGEXP.exec(input);
			if (!match) break;
			const [_, valueStr, unit] = match;
			if (unit === "nano" || unit === "nanos") return nanos(parseNanos(valueStr, bigint1$1));
			if (unit === "micro" || unit === "micros") return nanos(parseNanos(valueStr, bigint1e3));
			switch (unit) {
				case "milli":
				case "millis": return fromMillisString(valueStr, 1);
				case "second":
				case "seconds": return fromMillisString(valueStr, 1e3);
				case "minute":
				case "minutes": return fromMillisString(valueStr, 6e4);
				case "hour":
				case "hours": return fromMillisString(valueStr, 36e5);
				case "day":
				case "days": return fromMillisString(valueStr, 864e5);
				case "week":
				case "weeks": return fromMillisString(valueStr, 6048e5);
			}
			break;
		}
		case "object": {
			if (input === null) break;
			if (TypeId$15 in input) return input;
			if (Array.isArray(input)) {
				if (input.length !== 2 || !input.every(isNumber)) return invalid$1(input);
				if (Number.isNaN(input[0]) || Number.isNaN(input[1])) return zero$1;
				if (input[0] === -Infinity || input[1] === -Infinity) return negativeInfinity;
				if (input[0] === Infinity || input[1] === Infinity) return infinity;
				const nanos = input[0] * 1e9 + input[1];
				return Number.isFinite(nanos) && Number.isInteger(input[0]) && Number.isInteger(input[1]) ? make$10(BigInt(input[0]) * bigint1e9 + BigInt(input[1])) : fromNanosNumber(nanos);
			}
			const obj = input;
			let millis = 0;
			if (obj.weeks) millis += obj.weeks * 6048e5;
			if (obj.days) millis += obj.days * 864e5;
			if (obj.hours) millis += obj.hours * 36e5;
			if (obj.minutes) millis += obj.minutes * 6e4;
			if (obj.seconds) millis += obj.seconds * 1e3;
			if (obj.milliseconds) millis += obj.milliseconds;
			if (!obj.microseconds && !obj.nanoseconds) {
				if (!Number.isFinite(millis)) return make$10(millis);
				const exact = sumObjectNanos(obj);
				return exact === void 0 || BigInt(millis) * bigint1e6 === exact ? make$10(millis) : make$10(exact);
			}
			const nanos = millis * 1e6 + (obj.microseconds ?? 0) * 1e3 + (obj.nanoseconds ?? 0);
			const exact = Number.isFinite(nanos) ? sumObjectNanos(obj) : void 0;
			return exact === void 0 ? fromNanosNumber(nanos) : make$10(exact);
		}
	}
	return invalid$1(input);
};
const isIntegerOrUnset = (n) => !n || Number.isInteger(n);
const sumObjectNanos = (obj) => {
	if (!isIntegerOrUnset(obj.weeks) || !isIntegerOrUnset(obj.days) || !isIntegerOrUnset(obj.hours) || !isIntegerOrUnset(obj.minutes) || !isIntegerOrUnset(obj.seconds) || !isIntegerOrUnset(obj.milliseconds) || !isIntegerOrUnset(obj.microseconds) || !isIntegerOrUnset(obj.nanoseconds)) return void 0;
	let nanos = bigint0$2;
	if (obj.weeks) nanos += BigInt(obj.weeks) * bigintNanosPerWeek;
	if (obj.days) nanos += BigInt(obj.days) * bigintNanosPerDay;
	if (obj.hours) nanos += BigInt(obj.hours) * bigintNanosPerHour;
	if (obj.minutes) nanos += BigInt(obj.minutes) * bigintNanosPerMinute;
	if (obj.seconds) nanos += BigInt(obj.seconds) * bigint1e9;
	if (obj.milliseconds) nanos += BigInt(obj.milliseconds) * bigint1e6;
	if (obj.microseconds) nanos += BigInt(obj.microseconds) * bigint1e3;
	if (obj.nanoseconds) nanos += BigInt(obj.nanoseconds);
	return nanos;
};
const invalid$1 = (input) => {
	throw new Error(`Invalid Input: ${input}`);
};
const zeroDurationValue = {
	_tag: "Millis",
	millis: 0
};
const infinityDurationValue = { _tag: "Infinity" };
const negativeInfinityDurationValue = { _tag: "NegativeInfinity" };
const DurationProto = {
	[TypeId$15]: TypeId$15,
	[symbol$1]() {
		switch (this.value._tag) {
			case "Millis": return hash(roundMillisToNanos(this.value.millis));
			case "Nanos": return hash(this.value.nanos);
			default: return structure(this.value);
		}
	},
	[symbol](that) {
		return isDuration(that) && equals(this, that);
	},
	toString() {
		switch (this.value._tag) {
			case "Infinity": return "Infinity";
			case "NegativeInfinity": return "-Infinity";
			case "Nanos": return `${this.value.nanos} nanos`;
			case "Millis": return `${this.value.millis} millis`;
		}
	},
	toJSON() {
		switch (this.value._tag) {
			case "Millis": return {
				_id: "Duration",
				_tag: "Millis",
				millis: this.value.millis
			};
			case "Nanos": return {
				_id: "Duration",
				_tag: "Nanos",
				nanos: String(this.value.nanos)
			};
			case "Infinity": return {
				_id: "Duration",
				_tag: "Infinity"
			};
			case "NegativeInfinity": return {
				_id: "Duration",
				_tag: "NegativeInfinity"
			};
		}
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const make$10 = (input) => {
	const duration = Object.create(DurationProto);
	if (typeof input === "number") {
		if (isNaN(input) || input === 0 || Object.is(input, -0)) duration.value = zeroDurationValue;
		else if (!Number.isFinite(input)) duration.value = input > 0 ? infinityDurationValue : negativeInfinityDurationValue;
		else if (!Number.isInteger(input)) duration.value = {
			_tag: "Nanos",
			nanos: roundMillisToNanos(input)
		};
		else duration.value = {
			_tag: "Millis",
			millis: input
		};
	} else if (input === bigint0$2) duration.value = zeroDurationValue;
	else duration.value = {
		_tag: "Nanos",
		nanos: input
	};
	return duration;
};
/**
* Checks whether a value is a Duration.
*
* **Example** (Checking for durations)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.isDuration(Duration.seconds(1)) // => true
* Duration.isDuration(1000) // => false
* ```
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isDuration = (u) => hasProperty(u, TypeId$15);
/**
* Checks whether a Duration is finite (not infinite).
*
* **Example** (Checking finite durations)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.isFinite(Duration.seconds(5)) // => true
* Duration.isFinite(Duration.infinity) // => false
* ```
*
* @stability stable
* @category predicates
* @since 2.0.0
*/
const isFinite$1 = (self) => self.value._tag !== "Infinity" && self.value._tag !== "NegativeInfinity";
/**
* A Duration representing zero time.
*
* **Example** (Referencing the zero duration)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toMillis(Duration.zero) // => 0
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const zero$1 = /*#__PURE__*/ make$10(0);
/**
* A Duration representing infinite time.
*
* **Example** (Referencing infinite duration)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toMillis(Duration.infinity) // => Infinity
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const infinity = /*#__PURE__*/ make$10(Infinity);
/**
* A Duration representing negative infinite time.
*
* **Example** (Referencing negative infinite duration)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toMillis(Duration.negativeInfinity) // => -Infinity
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const negativeInfinity = /*#__PURE__*/ make$10(-Infinity);
/**
* Creates a Duration from nanoseconds.
*
* **Example** (Creating durations from nanoseconds)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.nanos(500_000_000n) // => Duration.nanos(500_000_000n)
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const nanos = (nanos) => make$10(nanos);
/**
* Creates a Duration from milliseconds.
*
* **Example** (Creating durations from milliseconds)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toMillis(Duration.millis(1000)) // => 1000
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const millis = (millis) => make$10(millis);
/**
* Creates a Duration from seconds.
*
* **Example** (Creating durations from seconds)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toMillis(Duration.seconds(30)) // => 30_000
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const seconds = (seconds) => make$10(seconds * 1e3);
/**
* Converts a Duration to milliseconds.
*
* **Example** (Converting durations to milliseconds)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toMillis(Duration.seconds(5)) // => 5000
* Duration.toMillis(Duration.minutes(2)) // => 120_000
* ```
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const toMillis = (self) => match$2(fromInputUnsafe(self), {
	onMillis: identity,
	onNanos: (nanos) => nanosToUnit(nanos, 1e6),
	onInfinity: () => Infinity,
	onNegativeInfinity: () => -Infinity
});
/**
* Converts a Duration to seconds.
*
* **Example** (Converting durations to seconds)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toSeconds(Duration.millis(5000)) // => 5
* Duration.toSeconds(Duration.minutes(2)) // => 120
* ```
*
* @stability stable
* @category getters
* @since 2.0.0
*/
const toSeconds = (self) => match$2(fromInputUnsafe(self), {
	onMillis: (millis) => millis / 1e3,
	onNanos: (nanos) => nanosToUnit(nanos, 1e9),
	onInfinity: () => Infinity,
	onNegativeInfinity: () => -Infinity
});
/**
* Gets the duration in nanoseconds as a bigint.
*
* **When to use**
*
* Use when the duration is known to be finite and you need the nanosecond value
* as a `bigint`.
*
* **Details**
*
* Millisecond-backed fractional durations are rounded to the nearest
* nanosecond, with ties away from zero.
*
* **Gotchas**
*
* If the duration is infinite, it throws an error.
*
* **Example** (Reading nanoseconds unsafely)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.toNanosUnsafe(Duration.seconds(2)) // => 2_000_000_000n
*
* // Duration.toNanosUnsafe(Duration.infinity)
* // throws Error: "Cannot convert infinite duration to nanos"
* ```
*
* @stability stable
* @category getters
* @since 4.0.0
*/
const toNanosUnsafe = (input) => {
	const self = fromInputUnsafe(input);
	switch (self.value._tag) {
		case "Infinity":
		case "NegativeInfinity": throw new Error("Cannot convert infinite duration to nanos");
		case "Nanos": return self.value.nanos;
		case "Millis": return roundMillisToNanos(self.value.millis);
	}
};
/**
* Pattern matches on the representation of a `Duration`.
*
* **Details**
*
* Provide handlers for millisecond-backed values, nanosecond-backed values,
* and positive infinity. Use `onNegativeInfinity` to handle negative infinity
* separately; otherwise negative infinity is handled by `onInfinity`.
*
* **Example** (Pattern matching on duration representations)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.match(Duration.seconds(5), {
*   onMillis: (millis) => `${millis} milliseconds`,
*   onNanos: (nanos) => `${nanos} nanoseconds`,
*   onInfinity: () => "infinite"
* }) // => "5000 milliseconds"
* ```
*
* @stability stable
* @category pattern matching
* @since 2.0.0
*/
const match$2 = /*#__PURE__*/ dual(2, (self, options) => {
	switch (self.value._tag) {
		case "Millis": return options.onMillis(self.value.millis);
		case "Nanos": return options.onNanos(self.value.nanos);
		case "Infinity": return options.onInfinity();
		case "NegativeInfinity": return (options.onNegativeInfinity ?? options.onInfinity)();
	}
});
/**
* Pattern matches on two `Duration`s, providing handlers that receive both values.
*
* **Example** (Pattern matching on duration pairs)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.matchPair(Duration.seconds(3), Duration.seconds(2), {
*   onMillis: (a, b) => a + b,
*   onNanos: (a, b) => Number(a + b),
*   onInfinity: () => Infinity
* }) // => 5000
* ```
*
* @stability stable
* @category pattern matching
* @since 4.0.0
*/
const matchPair = /*#__PURE__*/ dual(3, (self, that, options) => {
	if (self.value._tag === "Infinity" || self.value._tag === "NegativeInfinity" || that.value._tag === "Infinity" || that.value._tag === "NegativeInfinity") return options.onInfinity(self, that);
	if (self.value._tag === "Millis") return that.value._tag === "Millis" ? options.onMillis(self.value.millis, that.value.millis) : options.onNanos(toNanosUnsafe(self), that.value.nanos);
	else return options.onNanos(self.value.nanos, toNanosUnsafe(that));
});
/**
* Provides an `Equivalence` instance for comparing `Duration` values.
*
* **Example** (Comparing durations for equivalence)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.Equivalence(Duration.seconds(5), Duration.millis(5000)) // => true
* ```
*
* @stability stable
* @category instances
* @since 2.0.0
*/
const Equivalence$3 = (self, that) => matchPair(self, that, {
	onMillis: (self, that) => self === that,
	onNanos: (self, that) => self === that,
	onInfinity: (self, that) => self.value._tag === that.value._tag
});
/**
* Checks whether two Durations are equal.
*
* **Example** (Checking duration equality)
*
* ```ts import.meta.vitest
* import { Duration } from "effect"
*
* Duration.equals(Duration.seconds(5), Duration.millis(5000)) // => true
* ```
*
* @stability stable
* @category predicates
* @since 2.0.0
*/
const equals = /*#__PURE__*/ dual(2, (self, that) => Equivalence$3(self, that));

// node_modules/effect/dist/Scheduler.js
/**
* Controls how runnable Effect fiber tasks are dispatched.
*
* A scheduler decides how tasks are queued, when queued tasks run, and when a
* fiber should pause so other work can continue. This module includes the
* scheduler service reference, the default `MixedScheduler`, dispatcher types
* for queued tasks, and references for tuning or disabling automatic scheduler
* yields.
*
* @stability stable
* @since 2.0.0
*/
/**
* Context reference for the scheduler used by the Effect runtime.
*
* **When to use**
*
* Use when you need to replace scheduling behavior globally in tests or runtime
* setup, such as forcing deterministic task dispatch.
*
* **Details**
*
* The default value creates a `MixedScheduler`. Provide this service to
* customize execution mode, task dispatching, or yield behavior.
*
* @stability stable
* @category services
* @since 2.0.0
*/
const Scheduler = /*#__PURE__*/ Reference("effect/Scheduler", {
	fiberCached: true,
	defaultValue: () => new MixedScheduler()
});
const setMicrotask = (f) => {
	let cancelled = false;
	Promise.resolve().then(() => {
		if (!cancelled) f();
	});
	return () => {
		cancelled = true;
	};
};
const setTimer = "setImmediate" in globalThis ? (f) => {
	const timer = globalThis.setImmediate(f);
	return () => globalThis.clearImmediate(timer);
} : (f) => {
	const timer = setTimeout(f, 0);
	return () => clearTimeout(timer);
};
const setImmediate = (f) => {
	try {
		return setTimer(f);
	} catch {
		return setMicrotask(f);
	}
};
var PriorityBuckets = class {
	buckets = [];
	scheduleTask(task, priority) {
		const buckets = this.buckets;
		const len = buckets.length;
		let bucket;
		let index = 0;
		for (; index < len; index++) {
			if (buckets[index][0] > priority) break;
			bucket = buckets[index];
		}
		if (bucket && bucket[0] === priority) bucket[1].push(task);
		else if (index === len) buckets.push([priority, [task]]);
		else buckets.splice(index, 0, [priority, [task]]);
	}
	drain() {
		const buckets = this.buckets;
		this.buckets = [];
		return buckets;
	}
};
/**
* Provides a scheduler implementation that batches queued tasks and dispatches them by
* priority.
*
* **When to use**
*
* Use when you need the default runtime scheduler directly, including a
* scheduler that batches queued work by priority and preserves FIFO order within
* each priority.
*
* **Details**
*
* `MixedScheduler` supports synchronous and asynchronous execution modes, uses
* operation counts to decide when fibers should yield, and is the default
* scheduler implementation.
*
* **Gotchas**
*
* On Cloudflare Workers, request-owned scheduler timers can be discarded,
* leaving shared fibers suspended. Use `new MixedScheduler("sync")` for the
* whole application; see `HttpRouter.toWebHandler` for a recipe.
* Sync mode does not yield to the event loop: CPU-heavy work delays other
* requests, and I/O-polling loops can exhaust the CPU limit. It does not fix
* request-owned timers (such as `Effect.sleep`) or request-bound async contexts.
*
* @stability stable
* @category models
* @since 2.0.0
*/
var MixedScheduler = class {
	executionMode;
	setImmediate;
	constructor(executionMode = "async", setImmediateFn) {
		this.executionMode = executionMode;
		this.setImmediate = setImmediateFn ?? (executionMode === "sync" ? setMicrotask : setImmediate);
	}
	/**
	* Returns whether the fiber has reached its operation budget and should yield.
	*
	* **When to use**
	*
	* Use to decide whether a fiber should yield after consuming its current
	* operation budget.
	*
	* @since 2.0.0
	*/
	shouldYield(fiber) {
		return fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield;
	}
	/**
	* Creates a dispatcher that schedules work through this scheduler.
	*
	* **When to use**
	*
	* Use when you need a standalone dispatcher from a scheduler instance, for
	* example in tests that enqueue tasks and then flush them deterministically.
	*
	* @since 4.0.0
	*/
	makeDispatcher() {
		return new MixedSchedulerDispatcher(this.setImmediate);
	}
};
var MixedSchedulerDispatcher = class {
	tasks = /*#__PURE__*/ new PriorityBuckets();
	running = void 0;
	setImmediate;
	constructor(setImmediateFn = setImmediate) {
		this.setImmediate = setImmediateFn;
	}
	/**
	* @since 2.0.0
	*/
	scheduleTask(task, priority) {
		this.tasks.scheduleTask(task, priority);
		if (this.running === void 0) this.running = this.setImmediate(this.afterScheduled);
	}
	/**
	* @since 2.0.0
	*/
	afterScheduled = () => {
		this.running = void 0;
		this.runTasks();
	};
	/**
	* @since 2.0.0
	*/
	runTasks() {
		const buckets = this.tasks.drain();
		for (let i = 0; i < buckets.length; i++) {
			const toRun = buckets[i][1];
			for (let j = 0; j < toRun.length; j++) toRun[j]();
		}
	}
	/**
	* @since 2.0.0
	*/
	flush() {
		while (this.tasks.buckets.length > 0) {
			if (this.running !== void 0) {
				this.running();
				this.running = void 0;
			}
			this.runTasks();
		}
	}
};
/**
* Context reference that controls the maximum number of operations a fiber
* can perform before yielding control back to the scheduler.
*
* **When to use**
*
* Use to tune scheduler fairness for CPU-bound fibers by changing the scheduler
* operation budget that triggers a yield.
*
* **Details**
*
* The default value is `2048` operations, which balances performance and
* fairness by helping prevent long-running fibers from monopolizing the
* execution thread.
*
* @see {@link PreventSchedulerYield} for bypassing scheduler yield checks entirely rather than tuning the operation budget
*
* @stability stable
* @category services
* @since 4.0.0
*/
const MaxOpsBeforeYield = /*#__PURE__*/ Reference("effect/Scheduler/MaxOpsBeforeYield", {
	fiberCached: true,
	defaultValue: () => 2048
});
/**
* Context reference that controls whether the runtime should bypass scheduler
* yield checks. When set to `true`, the fiber run loop won't call
* `Scheduler.shouldYield`.
*
* **When to use**
*
* Use to bypass scheduler yield checks for controlled runtime workloads where
* cooperative yielding should be disabled.
*
* **Gotchas**
*
* Setting this reference to `true` can let long-running fibers monopolize the
* JavaScript thread.
*
* @see {@link MaxOpsBeforeYield} for tuning yield frequency without disabling yield checks
* @see {@link Scheduler} for providing custom scheduler yield behavior
*
* @stability stable
* @category services
* @since 4.0.0
*/
const PreventSchedulerYield = /*#__PURE__*/ Reference("effect/Scheduler/PreventSchedulerYield", {
	fiberCached: true,
	defaultValue: () => false
});

// node_modules/effect/dist/Data.js
/**
* Provides a base class for immutable data types.
*
* **When to use**
*
* Use when you need a lightweight immutable value type with `.pipe()` support.
*
* **Details**
*
* Extend `Class` with a type parameter to declare fields. The constructor
* accepts those fields as a single object argument. When there are no fields
* the argument is optional. Instances are `Readonly` and `Pipeable`.
*
* **Example** (Defining a value class)
*
* ```ts import.meta.vitest
* import { Data, Equal } from "effect"
*
* class Person extends Data.Class<{ readonly name: string }> {}
*
* Equal.equals(new Person({ name: "Mike" }), new Person({ name: "Mike" })) // => true
* ```
*
* @see {@link TaggedClass} — adds a `_tag` field
* @see {@link Error} — yieldable error variant
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const Class = class extends Class$2 {
	constructor(props) {
		super();
		if (props) assignProperties(this, props);
	}
};
/**
* Provides a base class for immutable data types with a `_tag` discriminator.
*
* **When to use**
*
* Use when you need a single-variant tagged type or an ad-hoc discriminator.
*
* **Details**
*
* Like {@link Class}, but the resulting instances also carry a
* `readonly _tag: Tag` property. The `_tag` is excluded from the constructor
* argument.
*
* **Example** (Defining a tagged class)
*
* ```ts import.meta.vitest
* import { Data } from "effect"
*
* class Person extends Data.TaggedClass("Person")<{
*   readonly name: string
* }> {}
*
* new Person({ name: "Mike" })._tag // => "Person"
* ```
*
* @see {@link Class} — without a `_tag`
* @see {@link TaggedError} — tagged error variant
* @see {@link TaggedEnum} — multi-variant unions
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const TaggedClass = (tag) => class extends Class {
	_tag = tag;
};
/**
* Creates constructors and matchers for a `TaggedEnum` type.
*
* **When to use**
*
* Use when you model a closed union with plain data objects and want
* construction, tag checks, and exhaustive matching from the same definition.
*
* **Details**
*
* Returns an object with:
* - One constructor per variant (keyed by tag name)
* - `$is(tag)` — returns a type-guard function that checks only the `_tag` field
* - `$match` — exhaustive pattern matching (data-first or data-last)
*
* **Gotchas**
*
* - Constructors produce **plain objects**, not class instances.
* - `$is(tag)` only checks the `_tag` field, not the full structure. It relies
*   on the tag being globally unique and the value being produced by your
*   constructors. For untrusted input, validate with the `Schema` module first.
*
* **Example** (Creating and matching tagged enum values)
*
* ```ts import.meta.vitest
* import { Data } from "effect"
*
* type HttpError = Data.TaggedEnum<{
*   BadRequest: { readonly message: string }
*   NotFound: { readonly url: string }
* }>
*
* const { BadRequest, NotFound, $is, $match } = Data.taggedEnum<HttpError>()
*
* const err = NotFound({ url: "/missing" })
*
* $is("NotFound")(err) // => true
*
* $match(err, {
*   BadRequest: (e) => e.message,
*   NotFound: (e) => `${e.url} not found`
* }) // => "/missing not found"
* ```
*
* **Example** (Defining a generic tagged enum)
*
* ```ts import.meta.vitest
* import { Data } from "effect"
*
* type MyResult<E, A> = Data.TaggedEnum<{
*   Failure: { readonly error: E }
*   Success: { readonly value: A }
* }>
* interface MyResultDef extends Data.TaggedEnum.WithGenerics<2> {
*   readonly taggedEnum: MyResult<this["A"], this["B"]>
* }
* const { Failure, Success } = Data.taggedEnum<MyResultDef>()
*
* const ok = Success({ value: 42 })
* // ok: { readonly _tag: "Success"; readonly value: number }
* ok // => { value: 42, _tag: "Success" }
* ```
*
* @see {@link TaggedEnum} — the type-level companion
* @see {@link TaggedEnum.Constructor} — the returned object type
* @see {@link TaggedEnum.WithGenerics} — generic enum support
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const taggedEnum = () => new Proxy({}, { get(_target, tag, _receiver) {
	if (tag === "$is") return isTagged;
	else if (tag === "$match") return taggedMatch;
	return (props) => ({
		...props,
		_tag: tag
	});
} });
function taggedMatch() {
	if (arguments.length === 1) {
		const cases = arguments[0];
		return function(value) {
			return cases[value._tag](value);
		};
	}
	const value = arguments[0];
	return arguments[1][value._tag](value);
}
/**
* Provides a base class for yieldable errors.
*
* **When to use**
*
* Use when you need yieldable errors that do **not** need tag-based
* discrimination.
*
* **Details**
*
* Extends `Cause.YieldableError`, so instances can be yielded inside
* `Effect.gen` to fail the enclosing effect. Fields are passed as a single
* object; when there are no fields the argument is optional. If a `message`
* field is provided, it becomes the error's `.message`.
*
* **Example** (Defining a yieldable error)
*
* ```ts import.meta.vitest
* import { Data, Effect, Exit } from "effect"
*
* class NetworkError extends Data.Error<{
*   readonly code: number
*   readonly message: string
* }> {}
*
* const program = Effect.gen(function*() {
*   return yield* new NetworkError({ code: 500, message: "timeout" })
* })
*
* Effect.runSync(Effect.exit(program)) // => Exit.fail(new NetworkError({ code: 500, message: "timeout" }))
* ```
*
* @see {@link TaggedError} — adds a `_tag` for `Effect.catchTag`
* @see {@link Class} — non-error data class
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const Error$2 = Error$3;
/**
* Creates a tagged error class with a `_tag` discriminator.
*
* **When to use**
*
* Use when you need domain errors with discriminated-union handling.
*
* **Details**
*
* Like {@link Error}, but instances also carry a `readonly _tag` property,
* enabling `Effect.catchTag` and `Effect.catchTags` for tag-based recovery.
* The `_tag` is excluded from the constructor argument. Yielding an instance
* inside `Effect.gen` fails the effect with this error.
*
* **Example** (Recovering by tag)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class NotFound extends Data.TaggedError("NotFound")<{
*   readonly resource: string
* }> {}
*
* class Forbidden extends Data.TaggedError("Forbidden")<{
*   readonly reason: string
* }> {}
*
* const program = Effect.gen(function*() {
*   return yield* new NotFound({ resource: "/users/42" })
* })
*
* const recovered = program.pipe(
*   Effect.catchTag("NotFound", (e) =>
*     Effect.succeed(`missing: ${e.resource}`))
* )
*
* await Effect.runPromise(recovered) // => "missing: /users/42"
* ```
*
* @see {@link Error} — without a `_tag`
* @see {@link TaggedClass} — tagged class that is not an error
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const TaggedError$1 = TaggedError$2;

// node_modules/effect/dist/encoding/EncodingError.js
/**
* Shared error type for encoding and decoding operations.
*
* @stability stable
* @since 4.0.0
*/
/**
* Type identifier stored on `EncodingError` values and used by
* `isEncodingError`.
*
* **When to use**
*
* Use when implementing low-level `EncodingError`-compatible values that need
* to carry the runtime marker.
*
* **Details**
*
* This marker is part of the runtime representation of `EncodingError`. Prefer
* `isEncodingError` when narrowing unknown values.
*
* @see {@link isEncodingError} for the public guard that checks this marker
*
* @stability stable
* @category type IDs
* @since 4.0.0
*/
const EncodingErrorTypeId = "~effect/encoding/EncodingError";
/**
* Error returned when an encoding or decoding operation cannot process its input.
*
* **When to use**
*
* Use when you need to handle or inspect failures from encoding or decoding
* operations.
*
* **Details**
*
* The error records whether the failure happened during encoding or decoding,
* which encoding module reported it, the original input, and a human-readable
* message.
*
* @see {@link isEncodingError} for checking whether a value is an EncodingError
*
* @stability stable
* @category errors
* @since 4.0.0
*/
var EncodingError = class extends (/*#__PURE__*/ TaggedError$1("EncodingError")) {
	/**
	* Marks this value as an encoding or decoding error for runtime guards.
	*
	* **When to use**
	*
	* Use to identify `EncodingError` instances through `isEncodingError`.
	*
	* @since 4.0.0
	*/
	[EncodingErrorTypeId] = EncodingErrorTypeId;
};

// node_modules/effect/dist/encoding/Hex.js
/**
* Encodes the given value into a hex `string`.
*
* **When to use**
*
* Use to encode text or bytes as lowercase hexadecimal text.
*
* **Example** (Encoding hex strings and bytes)
*
* ```ts import.meta.vitest
* import { Hex } from "effect/encoding"
*
* // Encode a string to hex
* Hex.encode("hello") // => "68656c6c6f"
*
* // Encode binary data to hex
* const bytes = new Uint8Array([72, 101, 108, 108, 111])
* Hex.encode(bytes) // => "48656c6c6f"
* ```
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
const encode$1 = (input) => typeof input === "string" ? hexEncodeUint8Array(encoder$2.encode(input)) : hexEncodeUint8Array(input);
/**
* Generates a random lowercase hexadecimal string, optimized for lengths that
* are multiples of 8.
*
* **Details**
*
* `length` is not validated. The function generates `length >>> 3` random
* 8-character words, so non-negative lengths below `2 ** 32` are rounded down
* to a multiple of 8 and other values follow JavaScript's unsigned 32-bit
* coercion rules.
*
* This function uses `Math.random()` and is not cryptographically secure. For
* security-sensitive values, draw bytes with the `randomBytes` method of the
* `SecureRandom` service from `effect/crypto/SecureRandom`, and encode them with
* {@link encode}.
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
const random = (length) => {
	switch (length) {
		case 16: return random16();
		case 32: return random32();
		default: {
			let result = "";
			for (let i = length >>> 3; i > 0; i--) result += random8();
			return result;
		}
	}
};
const hexCharCodes = /*#__PURE__*/ Uint8Array.from("0123456789abcdef", (c) => c.charCodeAt(0));
const randomWord = () => Math.random() * 4294967296 >>> 0;
const random8 = () => {
	const a = randomWord();
	return String.fromCharCode(hexCharCodes[a >>> 28], hexCharCodes[a >>> 24 & 15], hexCharCodes[a >>> 20 & 15], hexCharCodes[a >>> 16 & 15], hexCharCodes[a >>> 12 & 15], hexCharCodes[a >>> 8 & 15], hexCharCodes[a >>> 4 & 15], hexCharCodes[a & 15]);
};
const random16 = () => {
	const a = randomWord();
	const b = randomWord();
	return String.fromCharCode(hexCharCodes[a >>> 28], hexCharCodes[a >>> 24 & 15], hexCharCodes[a >>> 20 & 15], hexCharCodes[a >>> 16 & 15], hexCharCodes[a >>> 12 & 15], hexCharCodes[a >>> 8 & 15], hexCharCodes[a >>> 4 & 15], hexCharCodes[a & 15], hexCharCodes[b >>> 28], hexCharCodes[b >>> 24 & 15], hexCharCodes[b >>> 20 & 15], hexCharCodes[b >>> 16 & 15], hexCharCodes[b >>> 12 & 15], hexCharCodes[b >>> 8 & 15], hexCharCodes[b >>> 4 & 15], hexCharCodes[b & 15]);
};
const random32 = () => {
	const a = randomWord();
	const b = randomWord();
	const c = randomWord();
	const d = randomWord();
	return String.fromCharCode(hexCharCodes[a >>> 28], hexCharCodes[a >>> 24 & 15], hexCharCodes[a >>> 20 & 15], hexCharCodes[a >>> 16 & 15], hexCharCodes[a >>> 12 & 15], hexCharCodes[a >>> 8 & 15], hexCharCodes[a >>> 4 & 15], hexCharCodes[a & 15], hexCharCodes[b >>> 28], hexCharCodes[b >>> 24 & 15], hexCharCodes[b >>> 20 & 15], hexCharCodes[b >>> 16 & 15], hexCharCodes[b >>> 12 & 15], hexCharCodes[b >>> 8 & 15], hexCharCodes[b >>> 4 & 15], hexCharCodes[b & 15], hexCharCodes[c >>> 28], hexCharCodes[c >>> 24 & 15], hexCharCodes[c >>> 20 & 15], hexCharCodes[c >>> 16 & 15], hexCharCodes[c >>> 12 & 15], hexCharCodes[c >>> 8 & 15], hexCharCodes[c >>> 4 & 15], hexCharCodes[c & 15], hexCharCodes[d >>> 28], hexCharCodes[d >>> 24 & 15], hexCharCodes[d >>> 20 & 15], hexCharCodes[d >>> 16 & 15], hexCharCodes[d >>> 12 & 15], hexCharCodes[d >>> 8 & 15], hexCharCodes[d >>> 4 & 15], hexCharCodes[d & 15]);
};
const encoder$2 = /*#__PURE__*/ new TextEncoder();
const byteToHex = /*#__PURE__*/ Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
const hexEncodeUint8Array = (bytes) => {
	let result = "";
	for (let i = 0; i < bytes.length; i++) result += byteToHex[bytes[i]];
	return result;
};

// node_modules/effect/dist/Tracer.js
/**
* Defines the low-level tracing model used by Effect.
*
* A span records the lifetime of an operation, including its name, parent,
* attributes, links, annotations, sampling decision, kind, and completion
* status. The module also defines the tracer service, parent-span context,
* external span support, trace propagation settings, and the default in-memory
* span implementation.
*
* @stability stable
* @since 2.0.0
*/
/**
* Defines the string key for the parent-span context service.
*
* **When to use**
*
* Use when you need the raw context key for parent span lookup in lower-level
* tracing code.
*
* **Example** (Reading the parent span key)
*
* ```ts import.meta.vitest
* import { Tracer } from "effect"
*
* // The key used to identify parent spans in the context
* Tracer.ParentSpanKey // => "effect/Tracer/ParentSpan"
* ```
*
* @stability stable
* @category constants
* @since 4.0.0
*/
const ParentSpanKey = "effect/Tracer/ParentSpan";
/**
* Context service containing the `Span` or `ExternalSpan` to use as the parent
* of newly-created child spans.
*
* **Example** (Accessing the parent span)
*
* ```ts import.meta.vitest
* import { Effect, Tracer } from "effect"
*
* // Access the parent span from the context
* const program = Effect.gen(function*() {
*   const parentSpan = yield* Effect.service(Tracer.ParentSpan)
*   return parentSpan.spanId
* })
*
* const parent = Tracer.externalSpan({ spanId: "span-123", traceId: "trace-456" })
* await Effect.runPromise(Effect.provideService(program, Tracer.ParentSpan, parent)) // => "span-123"
* ```
*
* @stability stable
* @category services
* @since 2.0.0
*/
var ParentSpan = class extends (/*#__PURE__*/ Service()(ParentSpanKey, { fiberCached: true })) {};
/**
* Creates a `Tracer` value from a tracer implementation object.
*
* **When to use**
*
* Use to create a custom tracing backend value that Effect can use when
* creating spans.
*
* **Details**
*
* `make` returns the supplied implementation object unchanged. The object must
* satisfy the `Tracer` contract, including a `span` method that returns a
* `Span`.
*
* @see {@link Span} for the span values returned by tracer implementations
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const make$9 = (options) => options;
/**
* Creates an `ExternalSpan` from trace and span identifiers, defaulting
* `sampled` to `true` and annotations to an empty context when they are not
* provided.
*
* **Example** (Creating an external span)
*
* ```ts import.meta.vitest
* import { Effect, Option, Tracer } from "effect"
*
* // Create an external span from another tracing system
* const span = Tracer.externalSpan({
*   spanId: "span-abc-123",
*   traceId: "trace-xyz-789",
*   sampled: true
* })
*
* // Use the external span as a parent
* const program = Effect.succeed("Hello").pipe(
*   Effect.withSpan("child-operation", { parent: span })
* )
*
* const spans: Array<Tracer.NativeSpan> = []
* const tracer = Tracer.make({
*   span(options) {
*     const span = new Tracer.NativeSpan(options)
*     spans.push(span)
*     return span
*   }
* })
* const value = await Effect.runPromise(Effect.provideService(program, Tracer.Tracer, tracer))
*
* value // => "Hello"
* spans.map((span) => Option.getOrUndefined(span.parent)?.spanId) // => ["span-abc-123"]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const externalSpan = (options) => ({
	_tag: "ExternalSpan",
	spanId: options.spanId,
	traceId: options.traceId,
	sampled: options.sampled ?? true,
	annotations: options.annotations ?? empty$4()
});
/**
* Context reference for disabling trace propagation.
*
* **When to use**
*
* Use to prevent spans in a scope from propagating tracing context.
*
* **Details**
*
* When enabled on fiber or span annotations, new spans are created as
* non-propagating no-op spans and disabled spans are skipped when deriving a
* parent span.
*
* **Example** (Disabling span propagation)
*
* ```ts import.meta.vitest
* import { Effect, Tracer } from "effect"
*
* // Disable span propagation for a specific effect
* const program = Tracer.DisablePropagation.pipe(
*   Effect.provideService(Tracer.DisablePropagation, true)
* )
*
* await Effect.runPromise(program) // => true
* ```
*
* @stability stable
* @category services
* @since 3.12.0
*/
const DisablePropagation = /*#__PURE__*/ Reference("effect/Tracer/DisablePropagation", { defaultValue: constFalse });
/**
* Context reference for controlling the current trace level for dynamic filtering.
*
* **When to use**
*
* Use to set the default trace level for spans in a scope when span options do
* not provide `level`.
*
* **Details**
*
* The default value is `"Info"`. Span creation uses `options.level ??
* CurrentTraceLevel` before applying `MinimumTraceLevel`.
*
* @see {@link MinimumTraceLevel} for the threshold that decides whether spans at that level are sampled
*
* @stability stable
* @category services
* @since 4.0.0
*/
const CurrentTraceLevel = /*#__PURE__*/ Reference("effect/Tracer/CurrentTraceLevel", { defaultValue: () => "Info" });
/**
* Context reference for setting the minimum trace level threshold. Spans and their
* descendants below this level will have their sampling decision forced to
* false, preventing them from being exported.
*
* **When to use**
*
* Use to set the trace-level threshold that controls whether spans are sampled
* by default.
*
* **Details**
*
* The default value is `"All"`. Span creation compares the span level from
* `options.level ?? CurrentTraceLevel` against this threshold.
*
* **Gotchas**
*
* Explicit `options.sampled` bypasses threshold computation.
*
* @see {@link CurrentTraceLevel} for the default span level used when options do not specify one
*
* @stability stable
* @category services
* @since 4.0.0
*/
const MinimumTraceLevel = /*#__PURE__*/ Reference("effect/Tracer/MinimumTraceLevel", { defaultValue: () => "All" });
/**
* Defines the string key for the active tracer context reference.
*
* **When to use**
*
* Use when you need the raw context key for active tracer lookup in lower-level
* tracing code.
*
* @stability stable
* @category constants
* @since 4.0.0
*/
const TracerKey = "effect/Tracer";
/**
* Context reference for the active tracer service. By default it uses the
* native tracer, which creates `NativeSpan` instances.
*
* **Example** (Accessing the current tracer)
*
* ```ts import.meta.vitest
* import { Effect, Tracer } from "effect"
*
* // Access the current tracer from the context
* const program = Effect.gen(function*() {
*   const tracer = yield* Effect.service(Tracer.Tracer)
*   // Or use the built-in tracer effect
*   const tracerFromAccessor = yield* Effect.tracer
*   return tracer === tracerFromAccessor
* })
*
* await Effect.runPromise(program) // => true
* ```
*
* @stability stable
* @category services
* @since 2.0.0
*/
const Tracer = /*#__PURE__*/ Reference(TracerKey, {
	fiberCached: true,
	defaultValue: () => nativeTracer
});
/**
* The default `Tracer` implementation backing the `Tracer` reference. It
* creates in-memory `NativeSpan` instances and does not export them anywhere.
*
* **Details**
*
* Runtime code can compare the active tracer against `nativeTracer` to detect
* that no tracing backend is installed and skip work that only a backend could
* observe, such as recording span attributes.
*
* @stability stable
* @category references
* @since 4.0.0
*/
const nativeTracer = /*#__PURE__*/ make$9({ span: (options) => new NativeSpan(options) });
/**
* Default in-memory `Span` implementation used by the native tracer. It
* generates span and trace identifiers, stores attributes, events, and links,
* and records `Started` or `Ended` status.
*
* **Details**
*
* The constructor initializes the span with `Started` status. Trace and span
* identifiers, the attribute map, and the event list are created lazily on
* first access, so spans that are never inspected allocate as little as
* possible. Attributes, events, links, and status are mutated through `Span`
* methods. Once the span has ended, those methods do nothing, so a second `end`
* keeps the original end time and exit.
*
* @see {@link Span} for the interface implemented by native spans
*
* @stability stable
* @category models
* @since 4.0.0
*/
var NativeSpan = class {
	_tag = "Span";
	sampled;
	name;
	parent;
	annotations;
	links;
	startTime;
	kind;
	status;
	_traceId = void 0;
	_spanId = void 0;
	_attributes = void 0;
	_events = void 0;
	constructor(options) {
		this.name = options.name;
		this.parent = options.parent;
		this.annotations = options.annotations;
		this.links = options.links;
		this.startTime = options.startTime;
		this.kind = options.kind;
		this.sampled = options.sampled;
		this.status = {
			_tag: "Started",
			startTime: options.startTime
		};
	}
	get traceId() {
		return this._traceId ??= getOrUndefined$2(this.parent)?.traceId ?? random(32);
	}
	get spanId() {
		return this._spanId ??= random(16);
	}
	get attributes() {
		return this._attributes ??= /* @__PURE__ */ new Map();
	}
	get events() {
		return this._events ??= [];
	}
	end(endTime, exit) {
		if (this.status._tag === "Ended") return;
		this.status = {
			_tag: "Ended",
			endTime,
			exit,
			startTime: this.status.startTime
		};
	}
	attribute(key, value) {
		if (this.status._tag === "Ended") return;
		this.attributes.set(key, value);
	}
	event(name, startTime, attributes) {
		if (this.status._tag === "Ended") return;
		this.events.push([
			name,
			startTime,
			attributes ?? {}
		]);
	}
	addLinks(links) {
		if (this.status._tag === "Ended") return;
		this.links.push(...links);
	}
};

// node_modules/effect/dist/internal/metric.js
/** @internal */
const FiberRuntimeMetricsKey = "effect/Metric/FiberRuntimeMetrics";

// node_modules/effect/dist/internal/references.js
/** @internal */
const CurrentErrorReporters = /*#__PURE__*/ Reference("effect/ErrorReporter/CurrentErrorReporters", { defaultValue: () => /* @__PURE__ */ new Set() });
/** @internal */
const CurrentStackFrame = /*#__PURE__*/ Reference("effect/References/CurrentStackFrame", {
	fiberCached: true,
	defaultValue: constUndefined
});
/** @internal */
const TracerEnabled = /*#__PURE__*/ Reference("effect/References/TracerEnabled", {
	fiberCached: true,
	defaultValue: constTrue
});
/** @internal */
const TracerTimingEnabled = /*#__PURE__*/ Reference("effect/References/TracerTimingEnabled", { defaultValue: constTrue });
/** @internal */
const TracerSpanAnnotations = /*#__PURE__*/ Reference("effect/References/TracerSpanAnnotations", { defaultValue: () => ({}) });
/** @internal */
const TracerSpanLinks = /*#__PURE__*/ Reference("effect/References/TracerSpanLinks", { defaultValue: () => [] });
/** @internal */
const CurrentLogAnnotations = /*#__PURE__*/ Reference("effect/References/CurrentLogAnnotations", { defaultValue: () => ({}) });
/** @internal */
const CurrentLogLevel = /*#__PURE__*/ Reference("effect/References/CurrentLogLevel", {
	fiberCached: true,
	defaultValue: () => "Info"
});
/** @internal */
const MinimumLogLevel = /*#__PURE__*/ Reference("effect/References/MinimumLogLevel", {
	fiberCached: true,
	defaultValue: () => "Info"
});
/** @internal */
const UnhandledLogLevel = /*#__PURE__*/ Reference("effect/References/UnhandledLogLevel", { defaultValue: () => "Error" });
/** @internal */
const CurrentLogSpans = /*#__PURE__*/ Reference("effect/References/CurrentLogSpans", { defaultValue: () => [] });

// node_modules/effect/dist/internal/tracer.js
/** @internal */
const addSpanStackTrace = (options) => {
	if (options?.captureStackTrace === false) return options;
	else if (options?.captureStackTrace !== void 0 && typeof options.captureStackTrace !== "boolean") return options;
	const limit = getStackTraceLimit();
	if (limit === 0 && options?.captureStackTrace !== true) return {
		...options,
		captureStackTrace: false
	};
	setStackTraceLimit(3);
	const traceError = /* @__PURE__ */ new Error();
	setStackTraceLimit(limit);
	return {
		...options,
		captureStackTrace: spanCleaner(() => traceError.stack)
	};
};
/** @internal */
const makeStackCleaner = (line) => (stack) => {
	let cache;
	return () => {
		if (cache !== void 0) return cache;
		const trace = stack();
		if (!trace) return void 0;
		const lines = trace.split("\n");
		if (lines[line] !== void 0) {
			cache = lines[line].trim();
			return cache;
		}
	};
};
const spanCleaner = /*#__PURE__*/ makeStackCleaner(3);

// node_modules/effect/dist/internal/effect.js
/** @internal */
var Interrupt = class extends ReasonBase {
	constructor(fiberId, annotations = constEmptyAnnotations) {
		super("Interrupt", annotations, "Interrupted");
		this.fiberId = fiberId;
	}
	toString() {
		return `Interrupt(${this.fiberId})`;
	}
	toJSON() {
		return {
			_tag: "Interrupt",
			fiberId: this.fiberId
		};
	}
	[symbol](that) {
		return isInterruptReason(that) && this.fiberId === that.fiberId && this.annotations === that.annotations;
	}
	[symbol$1]() {
		return string$1(`${this._tag}:${this.fiberId}`);
	}
};
/** @internal */
const makeInterruptReason$1 = (fiberId) => new Interrupt(fiberId);
/** @internal */
const causeInterrupt = (fiberId) => new CauseImpl([new Interrupt(fiberId)]);
/** @internal */
const hasFails = (self) => self.reasons.some(isFailReason$1);
/** @internal */
const findError = (self) => {
	for (let i = 0; i < self.reasons.length; i++) {
		const reason = self.reasons[i];
		if (reason._tag === "Fail") return succeed$5(reason.error);
	}
	return fail$6(self);
};
/** @internal */
const hasDies = (self) => self.reasons.some(isDieReason$1);
/**
* Defects take precedence over typed failures when causes are combined: if
* the cause contains a `Die`, every `Fail` becomes a `Die`. `Done` signals
* stay typed so pulls still complete.
*
* @internal
*/
const causeElectDefects = (self) => hasDies(self) && hasFails(self) ? causeFromReasons(self.reasons.map((reason) => reason._tag === "Fail" && !isDone$2(reason.error) ? new Die(reason.error, reason.annotations) : reason)) : self;
/**
* Selects the first typed error unless a defect is present, in which case
* every `Fail` is elected to `Die`. Interrupts do not block typed recovery.
*
* @internal
*/
const findRecoverableError = (self) => hasDies(self) ? fail$6(causeElectDefects(self)) : findError(self);
/** @internal */
const hasInterrupts$1 = (self) => self.reasons.some(isInterruptReason);
/** @internal */
const causeFilterInterruptors = (self) => {
	let interruptors;
	for (let i = 0; i < self.reasons.length; i++) {
		const f = self.reasons[i];
		if (f._tag !== "Interrupt") continue;
		interruptors ??= /* @__PURE__ */ new Set();
		if (f.fiberId !== void 0) interruptors.add(f.fiberId);
	}
	return interruptors ? succeed$5(interruptors) : fail$6(self);
};
/** @internal */
const hasInterruptsOnly$1 = (self) => self.reasons.length > 0 && self.reasons.every(isInterruptReason);
/** @internal */
const reasonAnnotations$1 = (self) => makeUnsafe$4(self.annotations);
/** @internal */
const causeMap = /*#__PURE__*/ dual(2, (self, f) => {
	let hasFail = false;
	const failures = self.reasons.map((failure) => {
		if (isFailReason$1(failure)) {
			hasFail = true;
			return new Fail(f(failure.error), failure.annotations);
		}
		return failure;
	});
	return hasFail ? causeFromReasons(failures) : self;
});
/** @internal */
const causeSquash = (self) => {
	let die;
	for (const reason of self.reasons) {
		if (reason._tag === "Fail") return reason.error;
		if (reason._tag === "Die") die ??= reason;
	}
	if (die !== void 0) return die.defect;
	if (self.reasons.length > 0) return new globalThis.Error("All fibers interrupted without error");
	return new globalThis.Error("Empty cause");
};
/** @internal */
const causePrettyErrors = (self, options) => {
	const errors = [];
	const interrupts = [];
	if (self.reasons.length === 0) return errors;
	const prevStackLimit = getStackTraceLimit();
	if (prevStackLimit !== 0) setStackTraceLimit(1);
	try {
		for (const failure of self.reasons) {
			if (failure._tag === "Interrupt") {
				interrupts.push(failure);
				continue;
			}
			errors.push(causePrettyError(failure._tag === "Die" ? failure.defect : failure.error, failure.annotations, options));
		}
		if (errors.length === 0) {
			const cause = /* @__PURE__ */ new Error("The fiber was interrupted by:");
			cause.name = "InterruptCause";
			cause.stack = interruptCauseStack(cause, interrupts);
			const error = new globalThis.Error("All fibers interrupted without error", { cause });
			error.name = "InterruptError";
			error.stack = `${error.name}: ${error.message}`;
			errors.push(causePrettyError(error, interrupts[0].annotations, options));
		}
	} finally {
		if (prevStackLimit !== 0) setStackTraceLimit(prevStackLimit);
	}
	return errors;
};
/** @internal */
const causePrettyError = (original, annotations, options, seen = /* @__PURE__ */ new Set()) => {
	const kind = typeof original;
	let error;
	if (original && kind === "object") {
		seen.add(original);
		const cause = original.cause;
		error = new globalThis.Error(causePrettyMessage(original), { cause: cause !== void 0 && !seen.has(cause) ? causePrettyError(cause, void 0, void 0, seen) : void 0 });
		if (typeof original.name === "string") error.name = original.name;
		if (typeof original.stack === "string") error.stack = cleanErrorStack(original.stack, error, annotations);
		else {
			const stack = `${error.name}: ${error.message}`;
			error.stack = annotations ? addStackAnnotations(stack, annotations) : stack;
		}
		if (options?.includeCauseInStack) error.stack = renderPrettyError(error);
		for (const key of Object.keys(original)) if (!(key in error)) error[key] = original[key];
	} else {
		error = new globalThis.Error(!original ? `Unknown error: ${original}` : kind === "string" ? original : formatJson(original));
		const stack = `${error.name}: ${error.message}`;
		error.stack = annotations ? addStackAnnotations(stack, annotations) : stack;
	}
	return error;
};
const causePrettyMessage = (u) => {
	if (typeof u.message === "string") return u.message;
	else if (typeof u.toString === "function" && u.toString !== Object.prototype.toString && u.toString !== Array.prototype.toString) try {
		return u.toString();
	} catch {}
	return formatJson(u);
};
const locationRegExp = /\((.*)\)/g;
const cleanErrorStack = (stack, error, annotations) => {
	const message = `${error.name}: ${error.message}`;
	const lines = (stack.startsWith(message) ? stack.slice(message.length) : stack).split("\n");
	const out = [message];
	for (let i = 1; i < lines.length; i++) {
		if (/Generator\.next|~effect\/(?:Effect|Utils)/.test(lines[i])) break;
		out.push(lines[i]);
	}
	return annotations ? addStackAnnotations(out.join("\n"), annotations) : out.join("\n");
};
const addStackAnnotations = (stack, annotations) => {
	const frame = annotations?.get(StackTraceKey.key);
	if (frame) stack = `${stack}\n${currentStackTrace(frame)}`;
	return stack;
};
const interruptCauseStack = (error, interrupts) => {
	const out = [`${error.name}: ${error.message}`];
	for (const current of interrupts) {
		const fiberId = current.fiberId !== void 0 ? `#${current.fiberId}` : "unknown";
		const frame = current.annotations.get(InterruptorStackTrace.key);
		out.push(`    at fiber (${fiberId})`);
		if (frame) out.push(currentStackTrace(frame));
	}
	return out.join("\n");
};
const currentStackTrace = (frame) => {
	const out = [];
	let current = frame;
	let i = 0;
	while (current && i < 10) {
		const stack = current.stack();
		if (stack) {
			const locationMatchAll = stack.matchAll(locationRegExp);
			let match = false;
			for (const [, location] of locationMatchAll) {
				match = true;
				out.push(`    at ${current.name} (${location})`);
			}
			if (!match) out.push(`    at ${current.name} (${stack.replace(/^at /, "")})`);
		} else out.push(`    at ${current.name}`);
		current = current.parent;
		i++;
	}
	return out.join("\n");
};
/** @internal */
const causePretty = (cause) => causePrettyErrors(cause).map(renderPrettyError).join("\n");
const renderPrettyError = (e) => e.cause ? `${e.stack} {\n${renderErrorCause(e.cause, "  ")}\n}` : e.stack;
const renderErrorCause = (cause, prefix) => {
	const lines = cause.stack.split("\n");
	let stack = `${prefix}[cause]: ${lines[0]}`;
	for (let i = 1, len = lines.length; i < len; i++) stack += `\n${prefix}${lines[i]}`;
	if (cause.cause) stack += ` {\n${renderErrorCause(cause.cause, `${prefix}  `)}\n${prefix}}`;
	return stack;
};
/** @internal */
const FiberTypeId = "~effect/Fiber";
const fiberVariance = {
	_A: identity,
	_E: identity
};
const fiberIdStore = { id: 0 };
const AsyncResource = /*#__PURE__*/ (() => {
	try {
		return globalThis.process?.getBuiltinModule?.("node:async_hooks")?.AsyncResource;
	} catch {
		return;
	}
})();
const captureAsyncContext = () => AsyncResource === void 0 ? void 0 : new AsyncResource("effect/Fiber");
/** @internal */
const getCurrentFiber = () => globalThis[currentFiberTypeId];
/** @internal */
var FiberImpl = class {
	constructor(context, interruptible = true) {
		this.setContext(context);
		this.id = ++fiberIdStore.id;
		this.currentOpCount = 0;
		this.interruptible = interruptible;
		this._stack = [];
		this._observers = void 0;
		this._exit = void 0;
		this._children = void 0;
		this._interruptedCause = void 0;
		this._yielded = void 0;
		this._running = false;
		this._deferredInterrupt = false;
		this._parent = void 0;
		this._asyncContext = void 0;
		this.cache.runtimeMetrics?.recordFiberStart(this.context);
	}
	get [FiberTypeId]() {
		return fiberVariance;
	}
	get currentDispatcher() {
		return this._dispatcher ??= this.cache.scheduler.makeDispatcher();
	}
	getRef(ref) {
		return get(this.context, ref);
	}
	addObserver(cb) {
		if (this._exit) {
			cb(this._exit);
			return constVoid;
		}
		if (this._observers === void 0) this._observers = [cb];
		else this._observers.push(cb);
		return () => this.removeObserver(cb);
	}
	removeObserver(cb) {
		if (this._exit || this._observers === void 0) return;
		const index = this._observers.indexOf(cb);
		if (index >= 0) this._observers.splice(index, 1);
	}
	interruptUnsafe(fiberId, annotations) {
		if (this._exit) return;
		let cause = causeInterrupt(fiberId);
		if (this.cache.stackFrame) cause = causeAnnotate(cause, make$11(StackTraceKey, this.cache.stackFrame));
		if (annotations) cause = causeAnnotate(cause, annotations);
		this._interruptedCause = this._interruptedCause ? causeAddInterrupts(this._interruptedCause, cause) : cause;
		if (this.interruptible) {
			if (this._running) this._deferredInterrupt = true;
			else this.evaluate(failCause$2(this._interruptedCause));
		}
	}
	pollUnsafe() {
		return this._exit;
	}
	evaluate(effect) {
		if (this._exit) return;
		else if (this._asyncContext !== void 0) {
			const asyncContext = this._asyncContext;
			this._asyncContext = void 0;
			try {
				return asyncContext.runInAsyncScope(this.evaluate, this, effect);
			} finally {
				asyncContext.emitDestroy();
			}
		} else if (this._yielded !== void 0) {
			const yielded = this._yielded;
			this._yielded = void 0;
			yielded();
		}
		const exit = this.runLoop(effect);
		if (exit === Yield) {
			this._asyncContext = captureAsyncContext();
			return;
		}
		const interruptChildren = fiberMiddleware.interruptChildren && fiberMiddleware.interruptChildren(this);
		if (interruptChildren !== void 0) return this.evaluate(flatMap$2(interruptChildren, () => exit));
		this._exit = exit;
		this.cache.runtimeMetrics?.recordFiberEnd(this.context, this._exit);
		if (this._parent) {
			this._parent._children?.delete(this);
			this._parent = void 0;
		}
		if (this._observers !== void 0) {
			const observers = this._observers;
			this._observers = void 0;
			for (let i = 0; i < observers.length; i++) observers[i](exit);
		}
		this._stack.length = 0;
		this._children = void 0;
		this.context = empty$4();
	}
	runLoop(effect) {
		const prevFiber = globalThis[currentFiberTypeId];
		globalThis[currentFiberTypeId] = this;
		const prevRunning = this._running;
		this._running = true;
		let yielding = false;
		let current = effect;
		this.currentOpCount = 0;
		try {
			while (true) try {
				if (this._deferredInterrupt) {
					this._deferredInterrupt = false;
					current = failCause$2(this._interruptedCause);
				}
				this.currentOpCount++;
				const cache = this.cache;
				if (!yielding && !cache.preventYield && cache.scheduler.shouldYield(this)) {
					yielding = true;
					const prev = current;
					current = flatMap$2(yieldNow, () => prev);
				}
				current = cache.tracerContext ? cache.tracerContext(current, this) : current[evaluate](this);
				if (current === Yield) {
					const yielded = this._yielded;
					if ("~effect/Exit" in yielded) {
						this._deferredInterrupt = false;
						this._yielded = void 0;
						return yielded;
					} else if (this._deferredInterrupt) {
						this._yielded = void 0;
						yielded();
						continue;
					}
					return Yield;
				}
			} catch (error) {
				if (!hasProperty(current, "~effect/Effect/evaluate")) return exitDie(`Fiber.runLoop: Not a valid effect: ${String(current)}`);
				current = exitDie(error);
			}
		} finally {
			this._running = prevRunning;
			globalThis[currentFiberTypeId] = prevFiber;
		}
	}
	getCont(symbol) {
		if (this._deferredInterrupt) {
			this._deferredInterrupt = false;
			return deferredInterruptCont;
		}
		while (true) {
			const op = this._stack.pop();
			if (!op) return void 0;
			const all = op[contAll];
			if (all !== void 0) {
				const cont = all.call(op, this);
				if (cont) {
					cont[symbol] = cont;
					return cont;
				}
			}
			if (op[symbol]) return op;
		}
	}
	succeedWith(value) {
		if ((++this.currentOpCount & maxInlineSteps - 1) === 0) return exitSucceed(value);
		const cont = this.getCont(contA);
		return cont ? cont[contA](value, this) : this.yieldWith(exitSucceed(value));
	}
	yieldWith(value) {
		this._yielded = value;
		return Yield;
	}
	children() {
		return this._children ??= /* @__PURE__ */ new Set();
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	setContext(context) {
		const previous = this.context;
		this.context = context;
		if (previous !== void 0 && hasSameCache(previous, context)) return;
		const root = context.cacheRoot;
		const cache = root._fiberCache ??= makeFiberContextCache(context);
		if (this.cache?.scheduler !== cache.scheduler) this._dispatcher = void 0;
		this.cache = cache;
	}
	get currentSpanLocal() {
		const span = this.cache.span;
		return span?._tag === "Span" ? span : void 0;
	}
};
const makeFiberContextCache = (context) => {
	const currentTracer = getOrUndefinedUnsafe(context, TracerKey);
	return {
		scheduler: get(context, Scheduler),
		tracer: currentTracer,
		tracerContext: currentTracer ? currentTracer["context"] : void 0,
		tracerEnabled: get(context, TracerEnabled),
		span: getOrUndefinedUnsafe(context, ParentSpanKey),
		logLevel: get(context, CurrentLogLevel),
		minimumLogLevel: get(context, MinimumLogLevel),
		stackFrame: get(context, CurrentStackFrame),
		runtimeMetrics: getOrUndefinedUnsafe(context, FiberRuntimeMetricsKey),
		maxOpsBeforeYield: get(context, MaxOpsBeforeYield),
		preventYield: get(context, PreventSchedulerYield)
	};
};
const deferredInterruptCont = {
	[contA](_value, fiber) {
		return failCause$2(fiber._interruptedCause);
	},
	[contE](_cause, fiber) {
		return failCause$2(fiber._interruptedCause);
	}
};
const maxInlineSteps = 32;
const fiberMiddleware = { interruptChildren: void 0 };
const fiberStackAnnotations = (fiber) => {
	if (!fiber.cache.stackFrame) return void 0;
	const annotations = /* @__PURE__ */ new Map();
	annotations.set(InterruptorStackTrace.key, fiber.cache.stackFrame);
	return makeUnsafe$4(annotations);
};
/** @internal */
const fiberAwait = (self) => {
	const impl = self;
	if (impl._exit) return succeed$4(impl._exit);
	return callback$1((resume) => {
		if (impl._exit) return resume(succeed$4(impl._exit));
		return sync$2(self.addObserver((exit) => resume(succeed$4(exit))));
	});
};
/** @internal */
const fiberAwaitAll = (self) => callback$1((resume) => {
	const iter = self[Symbol.iterator]();
	const exits = [];
	let cancel = void 0;
	function loop() {
		let result = iter.next();
		while (!result.done) {
			if (result.value._exit) {
				exits.push(result.value._exit);
				result = iter.next();
				continue;
			}
			cancel = result.value.addObserver((exit) => {
				exits.push(exit);
				loop();
			});
			return;
		}
		resume(succeed$4(exits));
	}
	loop();
	return sync$2(() => cancel?.());
});
/** @internal */
const fiberJoin = (self) => {
	const impl = self;
	if (impl._exit) return impl._exit;
	return callback$1((resume) => {
		if (impl._exit) return resume(impl._exit);
		return sync$2(self.addObserver(resume));
	});
};
/** @internal */
const fiberInterrupt = (self) => withFiber$1((fiber) => fiberInterruptAs(self, fiber.id));
/** @internal */
const fiberInterruptAs = /*#__PURE__*/ dual((args) => hasProperty(args[0], FiberTypeId), (self, fiberId, annotations) => withFiber$1((parent) => {
	let ann = fiberStackAnnotations(parent);
	ann = ann && annotations ? merge$1(ann, annotations) : ann ?? annotations;
	self.interruptUnsafe(fiberId, ann);
	return asVoid$1(fiberAwait(self));
}));
/** @internal */
const fiberInterruptAll = (fibers) => withFiber$1((parent) => {
	const annotations = fiberStackAnnotations(parent);
	let fiberArr = empty$3();
	for (const fiber of fibers) {
		fiber.interruptUnsafe(parent.id, annotations);
		fiberArr.push(fiber);
	}
	return asVoid$1(fiberAwaitAll(fiberArr));
});
/** @internal */
const succeed$4 = exitSucceed;
/** @internal */
const failCause$2 = exitFailCause;
/** @internal */
const fail$5 = exitFail;
/** @internal */
const sync$2 = /*#__PURE__*/ makePrimitive({
	op: "Sync",
	[evaluate](fiber) {
		const thunk = this[args];
		const value = thunk();
		const cont = fiber.getCont(contA);
		return cont ? cont[contA](value, fiber) : fiber.yieldWith(exitSucceed(value));
	}
});
/** @internal */
const suspend$1 = /*#__PURE__*/ makePrimitive({
	op: "Suspend",
	[evaluate](_fiber) {
		const thunk = this[args];
		return thunk();
	}
});
/** @internal */
const fromResult$1 = /*#__PURE__*/ match$4({
	onFailure: fail$5,
	onSuccess: succeed$4
});
/** @internal */
const yieldNowWith = /*#__PURE__*/ makePrimitive({
	op: "Yield",
	[evaluate](fiber) {
		let resumed = false;
		fiber.currentDispatcher.scheduleTask(() => {
			if (resumed) return;
			fiber.evaluate(exitVoid);
		}, this["~effect/Effect/args"] ?? 0);
		return fiber.yieldWith(() => {
			resumed = true;
		});
	}
});
/** @internal */
const yieldNow = /*#__PURE__*/ yieldNowWith(0);
/** @internal */
const succeedSome$1 = (a) => succeed$4(some(a));
/** @internal */
const succeedNone$1 = /*#__PURE__*/ succeed$4(/*#__PURE__*/ none());
/** @internal */
const failCauseSync$1 = (evaluate) => suspend$1(() => failCause$2(evaluate()));
/** @internal */
const die$2 = (defect) => exitDie(defect);
/** @internal */
const failSync$1 = (error) => suspend$1(() => fail$5(error()));
/** @internal */
const void_$3 = /*#__PURE__*/ succeed$4(void 0);
/** @internal */
const try_$1 = (options) => {
	const evaluate = typeof options === "function" ? options : options.try;
	const catcher = typeof options === "function" ? (cause) => new UnknownError$1(cause, "An error occurred in Effect.try") : options.catch;
	return suspend$1(() => {
		try {
			return succeed$4(evaluate());
		} catch (err) {
			return fail$5(catcher(err));
		}
	});
};
/** @internal */
const promise$1 = (evaluate) => callbackOptions(function(resume, signal) {
	evaluate(signal).then((a) => resume(succeed$4(a)), (e) => resume(die$2(e)));
}, evaluate.length !== 0);
/** @internal */
const tryPromise$1 = (options) => {
	const f = typeof options === "function" ? options : options.try;
	const catcher = typeof options === "function" ? (cause) => new UnknownError$1(cause, "An error occurred in Effect.tryPromise") : options.catch;
	return callbackOptions(function(resume, signal) {
		const failWithCatch = (cause) => suspend$1(() => {
			try {
				return fail$5(internalCall(() => catcher(cause)));
			} catch (err) {
				return die$2(err);
			}
		});
		try {
			f(signal).then((a) => resume(succeed$4(a)), (e) => resume(failWithCatch(e)));
		} catch (err) {
			resume(failWithCatch(err));
		}
	}, f.length !== 0);
};
const callbackOptions = /*#__PURE__*/ function() {
	const Proto = /*#__PURE__*/ makePrimitiveProto({
		op: "Async",
		[evaluate](fiber) {
			let resumed = false;
			let yielded = false;
			const controller = this.withSignal ? new AbortController() : void 0;
			const onCancel = this.register.call(fiber.cache.scheduler, (effect) => {
				if (resumed) return;
				resumed = true;
				if (yielded) fiber.evaluate(effect);
				else yielded = effect;
			}, controller?.signal);
			if (yielded !== false) return yielded;
			yielded = true;
			fiber.yieldWith(() => {
				resumed = true;
			});
			if (controller === void 0 && onCancel === void 0) return Yield;
			fiber._stack.push(asyncFinalizer(() => {
				resumed = true;
				controller?.abort();
				return onCancel ?? exitVoid;
			}));
			return Yield;
		}
	});
	const AsyncImpl = function(register, withSignal) {
		this.register = register;
		this.withSignal = withSignal;
	};
	AsyncImpl.prototype = Proto;
	return function(register, withSignal) {
		return new AsyncImpl(register, withSignal);
	};
}();
const asyncFinalizer = /*#__PURE__*/ makePrimitive({
	op: "AsyncFinalizer",
	[contAll](fiber) {
		if (fiber.interruptible) {
			fiber.interruptible = false;
			fiber._stack.push(setInterruptibleTrue);
		}
	},
	[contE](cause, _fiber) {
		return hasInterrupts$1(cause) ? flatMap$2(combineFinalizerCause(exitFailCause(cause), this[args]()), () => failCause$2(cause)) : failCause$2(cause);
	}
});
/** @internal */
const callback$1 = (register) => callbackOptions(register, register.length >= 2);
/** @internal */
const never$2 = /*#__PURE__*/ callback$1(constVoid);
/** @internal */
const gen$1 = (...args) => {
	if (args.length === 1) {
		const body = args[0];
		return suspend$1(() => fromIteratorUnsafe(body()));
	}
	const [options, body] = args;
	return suspend$1(() => fromIteratorUnsafe(body.call(options.self)));
};
const fnBody = (bodyOrOptions, pipeables) => typeof bodyOrOptions === "function" ? bodyOrOptions : pipeables.shift().bind(bodyOrOptions.self);
/** @internal */
const fnUntraced$1 = (bodyOrOptions, ...pipeables) => {
	const body = fnBody(bodyOrOptions, pipeables);
	const fn = pipeables.length === 0 ? function() {
		return suspend$1(() => fromIteratorUnsafe(body.apply(this, arguments)));
	} : function() {
		let effect = suspend$1(() => fromIteratorUnsafe(body.apply(this, arguments)));
		for (let i = 0; i < pipeables.length; i++) effect = pipeables[i](effect, ...arguments);
		return effect;
	};
	return defineFunctionLength(body.length, fn);
};
const defineFunctionLength = (length, fn) => Object.defineProperty(fn, "length", {
	value: length,
	configurable: true
});
const fnStackCleaner = /*#__PURE__*/ makeStackCleaner(2);
/** @internal */
const fn$1 = function() {
	const nameFirst = typeof arguments[0] === "string";
	const name = nameFirst ? arguments[0] : "Effect.fn";
	const spanOptions = nameFirst ? arguments[1] : void 0;
	const prevLimit = getStackTraceLimit();
	let defError;
	if (prevLimit !== 0) {
		setStackTraceLimit(2);
		defError = new globalThis.Error();
		setStackTraceLimit(prevLimit);
	}
	if (nameFirst) return (body, ...pipeables) => makeFn(name, body, defError, pipeables, nameFirst, spanOptions);
	return makeFn(name, arguments[0], defError, Array.prototype.slice.call(arguments, 1), nameFirst, spanOptions);
};
const makeFn = (name, bodyOrOptions, defError, pipeables, addSpan, spanOptions) => {
	const body = fnBody(bodyOrOptions, pipeables);
	const definitionName = `${name} (definition)`;
	const definitionStack = defError ? fnStackCleaner(() => defError.stack) : constUndefined;
	const makeCallFrame = (callError) => (prev) => ({
		name,
		stack: callError ? fnStackCleaner(() => callError.stack) : constUndefined,
		parent: {
			name: definitionName,
			stack: definitionStack,
			parent: prev
		}
	});
	return defineFunctionLength(body.length, function(...args) {
		let result = suspend$1(() => {
			const iter = body.apply(this, arguments);
			return isEffect$1(iter) ? iter : fromIteratorUnsafe(iter);
		});
		for (let i = 0; i < pipeables.length; i++) result = pipeables[i](result, ...args);
		if (!isEffect$1(result)) return result;
		const prevLimit = getStackTraceLimit();
		let callError;
		if (prevLimit !== 0) {
			setStackTraceLimit(2);
			callError = new globalThis.Error();
			setStackTraceLimit(prevLimit);
		}
		return updateService(addSpan ? useSpan$1(name, spanOptions, (span) => provideParentSpan(result, span)) : result, CurrentStackFrame, makeCallFrame(callError));
	});
};
/** @internal */
const fnUntracedEager$1 = (bodyOrOptions, ...pipeables) => {
	const body = fnBody(bodyOrOptions, pipeables);
	return defineFunctionLength(body.length, pipeables.length === 0 ? function() {
		return fromIteratorEagerUnsafe(() => body.apply(this, arguments));
	} : function() {
		let effect = fromIteratorEagerUnsafe(() => body.apply(this, arguments));
		for (const pipeable of pipeables) effect = pipeable(effect, ...arguments);
		return effect;
	});
};
const fromIteratorEagerUnsafe = (evaluate) => {
	try {
		const iterator = evaluate();
		let value = void 0;
		while (true) {
			const state = iterator.next(value);
			if (state.done) return succeed$4(state.value);
			const primitive = state.value;
			if (primitive && primitive._tag === "Success") {
				value = primitive.value;
				continue;
			} else if (primitive && primitive._tag === "Failure") return state.value;
			else {
				let isFirstExecution = true;
				return suspend$1(() => {
					if (isFirstExecution) {
						isFirstExecution = false;
						return flatMap$2(state.value, (value) => fromIteratorUnsafe(iterator, value));
					} else return suspend$1(() => fromIteratorUnsafe(evaluate()));
				});
			}
		}
	} catch (error) {
		return die$2(error);
	}
};
const fromIteratorUnsafe = /*#__PURE__*/ function() {
	const Proto = /*#__PURE__*/ makePrimitiveProto({
		op: "Iterator",
		[contA](value, fiber) {
			const iter = this.iterator;
			while (true) {
				const state = iter.next(value);
				if (state.done) return succeed$4(state.value);
				if (!effectIsExit(state.value)) {
					fiber._stack.push(this);
					return state.value;
				} else if (state.value._tag === "Failure") return state.value;
				value = state.value.value;
			}
		},
		[evaluate](fiber) {
			return this[contA](this.initial, fiber);
		}
	});
	const IteratorImpl = function(iterator, initial) {
		this.iterator = iterator;
		this.initial = initial;
	};
	IteratorImpl.prototype = Proto;
	return function(iterator, initial) {
		return new IteratorImpl(iterator, initial);
	};
}();
/** @internal */
const as$1 = /*#__PURE__*/ dual(2, (self, value) => new ContImpl(self, returnPayload, succeed$4(value)));
const evaluateCont = function(fiber) {
	fiber._stack.push(this);
	return this[args];
};
const OnSuccessProto = /*#__PURE__*/ makePrimitiveProto({
	op: "OnSuccess",
	[evaluate]: evaluateCont
});
const ContImpl = function(self, cont, payload) {
	this[args] = self;
	this[contA] = cont;
	this.payload = payload;
};
ContImpl.prototype = OnSuccessProto;
const returnPayload = function() {
	return this.payload;
};
const succeedPayload = function(_value, fiber) {
	return fiber.succeedWith(this.payload);
};
const continuationMarksStack = /*#__PURE__*/ (() => {
	const limit = /*#__PURE__*/ getStackTraceLimit();
	if (limit === 0) return false;
	const marker = "~effect/Effect/stackProbe";
	const probe = { [marker]: function stackProbe() {
		return /* @__PURE__ */ new Error();
	} };
	setStackTraceLimit(1);
	const error = /*#__PURE__*/ probe[marker]();
	setStackTraceLimit(limit);
	return error.stack?.includes("[as " + marker + "]") === true;
})();
const mapCont = function(value, fiber) {
	const f = this.payload;
	return fiber.succeedWith(continuationMarksStack ? f(value) : internalCall(() => f(value)));
};
const andThenCont = function(value) {
	const f = this.payload;
	return f(value);
};
const tapCont = function(value) {
	const f = this.payload;
	return new ContImpl(f(value), succeedPayload, value);
};
const tapEffectCont = function(value) {
	return new ContImpl(this.payload, succeedPayload, value);
};
/** @internal */
const asSome = (self) => map$2(self, some);
/** @internal */
const andThen$1 = /*#__PURE__*/ dual(2, (self, f) => new ContImpl(self, isEffect$1(f) ? returnPayload : andThenCont, f));
/** @internal */
const tap$1 = /*#__PURE__*/ dual(2, (self, f) => new ContImpl(self, isEffect$1(f) ? tapEffectCont : tapCont, f));
/** @internal */
const asVoid$1 = (self) => new ContImpl(self, returnPayload, exitVoid);
/** @internal */
const raceAllFirst = (all, options) => withFiber$1((parent) => {
	const fibers = /* @__PURE__ */ new Set();
	onExitUnsafe(parent, () => fibers.size === 0 ? void 0 : fiberInterruptAll(fibers));
	return callback$1((resume) => {
		let done = false;
		let i = 0;
		for (const effect of all) {
			if (done) break;
			const index = i++;
			const fiber = forkUnsafe$1(parent, effect, true, true, false);
			fibers.add(fiber);
			fiber.addObserver((exit) => {
				fibers.delete(fiber);
				const isWinner = !done;
				done = true;
				resume(exit);
				if (isWinner && options?.onWinner) options.onWinner({
					fiber,
					index,
					parentFiber: parent
				});
			});
		}
	});
});
/** @internal */
const raceFirst$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[1]), (self, that, options) => raceAllFirst([self, that], options));
/** @internal */
const flatMap$2 = /*#__PURE__*/ dual(2, (self, f) => new ContImpl(self, andThenCont, f));
/** @internal */
const matchCauseEffectEager$1 = /*#__PURE__*/ dual(2, (self, options) => {
	if (effectIsExit(self)) return self._tag === "Success" ? options.onSuccess(self.value) : options.onFailure(self.cause);
	return matchCauseEffect$1(self, options);
});
/** @internal */
const effectIsExit = (effect) => effect[ExitTypeId] !== void 0;
/** @internal */
const flatMapEager$1 = /*#__PURE__*/ dual(2, (self, f) => {
	if (effectIsExit(self)) return self._tag === "Success" ? f(self.value) : self;
	return flatMap$2(self, f);
});
/** @internal */
const flatten$1 = (self) => flatMap$2(self, identity);
/** @internal */
const map$2 = /*#__PURE__*/ dual(2, (self, f) => new ContImpl(self, mapCont, f));
/** @internal */
const mapEager$1 = /*#__PURE__*/ dual(2, (self, f) => effectIsExit(self) ? exitMap(self, f) : map$2(self, f));
/** @internal */
const mapErrorEager$1 = /*#__PURE__*/ dual(2, (self, f) => effectIsExit(self) ? exitMapError(self, f) : mapError$1(self, f));
/** @internal */
const mapBothEager$1 = /*#__PURE__*/ dual(2, (self, options) => effectIsExit(self) ? exitMapBoth(self, options) : mapBoth(self, options));
/** @internal */
const catchEager$1 = /*#__PURE__*/ dual(2, (self, f) => {
	if (effectIsExit(self)) {
		if (self._tag === "Success") return self;
		const error = findRecoverableError(self.cause);
		if (isFailure$1(error)) return exitFailCause(error.failure);
		return f(error.success);
	}
	return catch_$1(self, f);
});
/** @internal */
const exitInterrupt = (fiberId) => exitFailCause(causeInterrupt(fiberId));
/** @internal */
const exitIsSuccess = (self) => self._tag === "Success";
/** @internal */
const exitIsFailure = (self) => self._tag === "Failure";
/** @internal */
const exitFilterCause = (self) => self._tag === "Failure" ? succeed$5(self.cause) : fail$6(self);
/** @internal */
const exitHasInterrupts = (self) => self._tag === "Failure" && hasInterrupts$1(self.cause);
/** @internal */
const exitVoid = /*#__PURE__*/ exitSucceed(void 0);
/** @internal */
const exitMap = /*#__PURE__*/ dual(2, (self, f) => self._tag === "Success" ? exitSucceed(f(self.value)) : self);
/** @internal */
const exitMapError = /*#__PURE__*/ dual(2, (self, f) => {
	if (self._tag === "Success") return self;
	return exitFailCause(causeMap(self.cause, f));
});
/** @internal */
const exitMapBoth = /*#__PURE__*/ dual(2, (self, options) => {
	if (self._tag === "Success") return exitSucceed(options.onSuccess(self.value));
	return exitFailCause(causeMap(self.cause, options.onFailure));
});
/** @internal */
const exitZipRight = /*#__PURE__*/ dual(2, (self, that) => exitIsSuccess(self) ? that : self);
/** @internal */
const exitAsVoidAll = (exits) => {
	const failures = [];
	for (const exit of exits) if (exit._tag === "Failure") failures.push(...exit.cause.reasons);
	return failures.length === 0 ? exitVoid : exitFailCause(causeFromReasons(failures));
};
/** @internal */
const serviceOption$1 = (service) => withFiber$1((fiber) => succeed$4(getOption(fiber.context, service)));
/** @internal */
const updateContext$1 = /*#__PURE__*/ dual(2, (self, f) => withFiber$1((fiber) => {
	const prevContext = fiber.context;
	const nextContext = f(prevContext);
	if (prevContext === nextContext) return self;
	fiber.setContext(nextContext);
	onExitUnsafe(fiber, () => {
		fiber.setContext(prevContext);
	});
	return self;
}));
/** @internal */
const updateService = /*#__PURE__*/ dual(3, (self, service, f) => updateContext$1(self, (s) => {
	const prev = getUnsafe(s, service);
	const next = f(prev);
	if (prev === next) return s;
	return add(s, service, next);
}));
/** @internal */
const context$1 = () => getContext;
const getContext = /*#__PURE__*/ withFiber$1((fiber) => succeed$4(fiber.context));
/** @internal */
const contextWith$1 = (f) => withFiber$1((fiber) => f(fiber.context));
/** @internal */
const provideContext$1 = /*#__PURE__*/ dual(2, (self, context) => {
	if (effectIsExit(self)) return self;
	return updateContext$1(self, merge$1(context));
});
/** @internal */
const provideService$1 = function() {
	if (arguments.length === 1) return dual(2, (self, impl) => provideServiceImpl(self, arguments[0], impl));
	return dual(3, (self, service, impl) => provideServiceImpl(self, service, impl)).apply(this, arguments);
};
const provideServiceImpl = (self, service, implementation) => updateContext$1(self, add(service, implementation));
/** @internal */
const zipWith$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[1]), (self, that, f, options) => options?.concurrent ? map$2(all$1([self, that], { concurrency: 2 }), ([a, a2]) => f(a, a2)) : flatMap$2(self, (a) => map$2(that, (a2) => f(a, a2))));
/** @internal */
const forever$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, options) => whileLoop$1({
	while: constTrue,
	body: constant(options?.disableYield ? self : flatMap$2(self, (_) => yieldNow)),
	step: constVoid
}));
/** @internal */
const catchCause$1 = /*#__PURE__*/ dual(2, (self, f) => new OnFailureImpl(self, f.length !== 1 ? (cause) => f(cause) : f));
const OnFailureProto = /*#__PURE__*/ makePrimitiveProto({
	op: "OnFailure",
	[evaluate]: evaluateCont
});
const OnFailureImpl = function(self, f) {
	this[args] = self;
	this[contE] = f;
};
OnFailureImpl.prototype = OnFailureProto;
/** @internal */
const catchCauseFilter = /*#__PURE__*/ dual(3, (self, filter, f) => catchCause$1(self, (cause) => {
	const eb = filter(cause);
	return isFailure$1(eb) ? failCause$2(eb.failure) : f(eb.success, cause);
}));
/** @internal */
const catch_$1 = /*#__PURE__*/ dual(2, (self, f) => catchCauseFilter(self, findRecoverableError, (e) => f(e)));
/** @internal */
const tapCause$1 = /*#__PURE__*/ dual(2, (self, f) => catchCause$1(self, (cause) => andThen$1(f(cause), failCause$2(cause))));
/** @internal */
const tapCauseFilter = /*#__PURE__*/ dual(3, (self, filter, f) => catchCause$1(self, (cause) => {
	const result = filter(cause);
	if (isFailure$1(result)) return failCause$2(cause);
	return andThen$1(f(result.success, cause), failCause$2(cause));
}));
/** @internal */
const tapError$1 = /*#__PURE__*/ dual(2, (self, f) => tapCauseFilter(self, findError, (e) => f(e)));
/** @internal */
const catchIf$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, predicate, f, orElse) => catchCause$1(self, (cause) => {
	const error = findRecoverableError(cause);
	if (isFailure$1(error)) return failCause$2(error.failure);
	if (!predicate(error.success)) return orElse ? orElse(error.success) : failCause$2(cause);
	return f(error.success);
}));
/** @internal */
const catchFilter$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, filter, f, orElse) => catchCause$1(self, (cause) => {
	const error = findRecoverableError(cause);
	if (isFailure$1(error)) return failCause$2(error.failure);
	const result = filter(error.success);
	if (isFailure$1(result)) return orElse ? orElse(result.failure) : failCause$2(cause);
	return f(result.success);
}));
/** @internal */
const catchTag$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, k, f, orElse) => {
	const pred = Array.isArray(k) ? (e) => hasProperty(e, "_tag") && k.includes(e._tag) : isTagged(k);
	return catchIf$1(self, pred, f, orElse);
});
/** @internal */
const catchTags$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, cases, orElse) => {
	let keys;
	return catchFilter$1(self, (e) => {
		keys ??= Object.keys(cases);
		return hasProperty(e, "_tag") && isString$1(e["_tag"]) && keys.includes(e["_tag"]) ? succeed$5(e) : fail$6(e);
	}, (e) => cases[e["_tag"]](e), orElse);
});
/** @internal */
const catchReason$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, errorTag, reasonTag, f, orElse) => catchIf$1(self, (e) => isTagged(e, errorTag) && hasProperty(e, "reason") && (orElse !== void 0 || isTagged(e.reason, reasonTag)), (e) => {
	const reason = e.reason;
	if (isTagged(reason, reasonTag)) return f(reason, e);
	return orElse ? orElse(reason, e) : fail$5(e);
}));
/** @internal */
const mapError$1 = /*#__PURE__*/ dual(2, (self, f) => catchCause$1(self, (cause) => failCause$2(causeMap(cause, f))));
/** @internal */
const mapBoth = /*#__PURE__*/ dual(2, (self, options) => matchCauseEffect$1(self, {
	onFailure: (cause) => failCause$2(causeMap(cause, options.onFailure)),
	onSuccess: (a) => sync$2(() => options.onSuccess(a))
}));
/** @internal */
const orDie$1 = (self) => catch_$1(self, die$2);
/** @internal */
const orElseSucceed$1 = /*#__PURE__*/ dual(2, (self, f) => catch_$1(self, (error) => sync$2(() => f(error))));
/** @internal */
const ignoreCauseLogger = (log) => log === "Unhandled" ? (...message) => withFiber$1((fiber) => {
	const level = fiber.getRef(UnhandledLogLevel);
	return level === void 0 ? void_$3 : logWithLevel(level)(...message);
}) : logWithLevel(log === true ? void 0 : log);
/** @internal */
const ignore$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, options) => {
	if (!options?.log) return matchEffect$1(self, {
		onFailure: (_) => void_$3,
		onSuccess: (_) => void_$3
	});
	const logEffect = ignoreCauseLogger(options.log);
	return matchCauseEffect$1(self, {
		onFailure(cause) {
			const error = findRecoverableError(cause);
			return isFailure$1(error) ? failCause$2(error.failure) : options.message === void 0 ? logEffect(cause) : logEffect(options.message, cause);
		},
		onSuccess: (_) => void_$3
	});
});
/** @internal */
const ignoreCause$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, options) => {
	if (!options?.log) return matchCauseEffect$1(self, {
		onFailure: (_) => void_$3,
		onSuccess: (_) => void_$3
	});
	const logEffect = ignoreCauseLogger(options.log);
	return matchCauseEffect$1(self, {
		onFailure: (cause) => options.message === void 0 ? logEffect(cause) : logEffect(options.message, cause),
		onSuccess: (_) => void_$3
	});
});
/** @internal */
const option$1 = (self) => match$1(self, {
	onFailure: none,
	onSuccess: some
});
/** @internal */
const result$1 = (self) => matchEager(self, {
	onFailure: fail$6,
	onSuccess: succeed$5
});
/** @internal */
const matchCauseEffect$1 = /*#__PURE__*/ dual(2, (self, options) => new OnSuccessAndFailureImpl(self, options.onSuccess.length !== 1 ? (a) => options.onSuccess(a) : options.onSuccess, options.onFailure.length !== 1 ? (cause) => options.onFailure(cause) : options.onFailure));
const OnSuccessAndFailureProto = /*#__PURE__*/ makePrimitiveProto({
	op: "OnSuccessAndFailure",
	[evaluate]: evaluateCont
});
const OnSuccessAndFailureImpl = function(self, onSuccess, onFailure) {
	this[args] = self;
	this[contA] = onSuccess;
	this[contE] = onFailure;
};
OnSuccessAndFailureImpl.prototype = OnSuccessAndFailureProto;
const matchSuccess = function(value, fiber) {
	const handlers = this.payload;
	return fiber.succeedWith(continuationMarksStack ? handlers.onSuccess(value) : internalCall(() => handlers.onSuccess(value)));
};
const makeMatch = (op, onFailure) => {
	const Proto = makePrimitiveProto({
		op,
		[evaluate]: evaluateCont,
		[contA]: matchSuccess,
		[contE]: onFailure
	});
	const MatchImpl = function(self, handlers) {
		this[args] = self;
		this.payload = handlers;
	};
	MatchImpl.prototype = Proto;
	return MatchImpl;
};
const MatchImpl = /*#__PURE__*/ makeMatch("Match", function(cause, fiber) {
	const error = findRecoverableError(cause);
	if (isFailure$1(error)) return failCause$2(error.failure);
	const handlers = this.payload;
	return fiber.succeedWith(continuationMarksStack ? handlers.onFailure(error.success) : internalCall(() => handlers.onFailure(error.success)));
});
/** @internal */
const matchEffect$1 = /*#__PURE__*/ dual(2, (self, options) => matchCauseEffect$1(self, {
	onFailure: (cause) => {
		const error = findRecoverableError(cause);
		return isFailure$1(error) ? failCause$2(error.failure) : options.onFailure(error.success);
	},
	onSuccess: options.onSuccess
}));
/** @internal */
const match$1 = /*#__PURE__*/ dual(2, (self, options) => new MatchImpl(self, options));
/** @internal */
const matchEager = /*#__PURE__*/ dual(2, (self, options) => {
	if (effectIsExit(self)) {
		if (self._tag === "Success") return exitSucceed(options.onSuccess(self.value));
		const error = findRecoverableError(self.cause);
		if (isFailure$1(error)) return exitFailCause(error.failure);
		return exitSucceed(options.onFailure(error.success));
	}
	return match$1(self, options);
});
/** @internal */
const exit$1 = (self) => effectIsExit(self) ? exitSucceed(self) : exitPrimitive(self);
const exitPrimitive = /*#__PURE__*/ makePrimitive({
	op: "Exit",
	[evaluate](fiber) {
		fiber._stack.push(this);
		return this[args];
	},
	[contA](value, fiber, exit) {
		return fiber.succeedWith(exit ?? exitSucceed(value));
	},
	[contE](cause, fiber, exit) {
		return fiber.succeedWith(exit ?? exitFailCause(cause));
	}
});
/** @internal */
const timeoutOrElse$1 = /*#__PURE__*/ dual(2, (self, options) => flatMap$2(timeoutOption(self, options.duration), (option) => isNone(option) ? options.orElse() : succeed$4(option.value)));
/** @internal */
const timeoutOption = /*#__PURE__*/ dual(2, (self, duration) => raceFirst$1(asSome(self), as$1(sleep$1(duration), none())));
/** @internal */
const ScopeTypeId = "~effect/Scope";
/** @internal */
const ScopeCloseableTypeId = "~effect/Scope/Closeable";
/** @internal */
const scopeTag = /*#__PURE__*/ Service("effect/Scope");
/** @internal */
const scopeClose = (self, exit_) => withFiber$1((fiber) => {
	fiberEnterUninterruptibleUnsafe(fiber);
	return scopeCloseUnsafe(self, exit_) ?? void_$3;
});
/** @internal */
const scopeCloseUnsafe = (self, exit_) => {
	const state = self.state;
	if (state._tag === "Closed") return;
	self.state = {
		_tag: "Closed",
		exit: exit_
	};
	if (self.parent !== void 0) scopeRemoveFinalizerUnsafe(self.parent, self);
	if (state._tag === "Empty") return;
	if (state.finalizer !== void 0) return runFinalizer(state.finalizer, exit_);
	const finalizers = state.finalizers;
	if (finalizers.size === 1) return runFinalizer(finalizers.values().next().value, exit_);
	return scopeCloseFinalizers(self, finalizers, exit_);
};
const runFinalizer = (finalizer, exit_) => {
	try {
		return finalizer(exit_);
	} catch (defect) {
		return exitDie(defect);
	}
};
const combineFinalizerCause = (exit_, finalizer) => exitIsSuccess(exit_) ? finalizer : catchCause$1(finalizer, (cause) => failCause$2(causeElectDefects(causeCombine(exit_.cause, cause))));
const scopeCloseFinalizers = /*#__PURE__*/ fnUntraced$1(function* (self, finalizers, exit_) {
	let exits = [];
	const fibers = [];
	const arr = Array.from(finalizers);
	const parent = getCurrentFiber();
	for (let i = arr.length - 1; i >= 0; i--) {
		const [key, finalizer] = arr[i];
		if (self.strategy === "sequential") exits.push(yield* exit$1(runFinalizer(finalizer, exit_)));
		else if (key !== parent) fibers.push(forkUnsafe$1(parent, runFinalizer(finalizer, exit_), true, true, "inherit"));
	}
	if (fibers.length > 0) exits = yield* fiberAwaitAll(fibers);
	return yield* exitAsVoidAll(exits);
});
/** @internal */
const scopeFork = (scope, finalizerStrategy) => sync$2(() => scopeForkUnsafe(scope, finalizerStrategy));
/** @internal */
const scopeForkUnsafe = (scope, finalizerStrategy) => {
	const child = makeScope(finalizerStrategy, scope);
	if (scope.state._tag === "Closed") {
		child.state = scope.state;
		return child;
	}
	scopeAddFinalizerUnsafe(scope, child, (exit) => scopeClose(child, exit));
	return child;
};
/** @internal */
const scopeAddFinalizerExit = (scope, finalizer) => {
	return suspend$1(() => {
		if (scope.state._tag === "Closed") return finalizer(scope.state.exit);
		scopeAddFinalizerUnsafe(scope, {}, finalizer);
		return void_$3;
	});
};
/** @internal */
const scopeAddFinalizer = (scope, finalizer) => scopeAddFinalizerExit(scope, constant(finalizer));
/** @internal */
const scopeAddFinalizerUnsafe = (scope, key, finalizer) => {
	if (scope.state._tag === "Empty") scope.state = {
		_tag: "Open",
		finalizerKey: key,
		finalizer,
		finalizers: void 0
	};
	else if (scope.state._tag === "Open") {
		const state = scope.state;
		if (state.finalizer !== void 0) {
			state.finalizers = /* @__PURE__ */ new Map([[state.finalizerKey, state.finalizer]]);
			state.finalizerKey = void 0;
			state.finalizer = void 0;
			state.finalizers.set(key, finalizer);
		} else state.finalizers.set(key, finalizer);
	}
};
/** @internal */
const scopeRemoveFinalizerUnsafe = (scope, key) => {
	if (scope.state._tag !== "Open") return;
	const state = scope.state;
	if (state.finalizerKey === key) scope.state = constScopeEmpty;
	else if (state.finalizers !== void 0) {
		state.finalizers.delete(key);
		if (state.finalizers.size === 0) scope.state = constScopeEmpty;
	}
};
/** @internal */
const scopeMakeUnsafe = (finalizerStrategy) => makeScope(finalizerStrategy, void 0);
const makeScope = (finalizerStrategy = "sequential", parent) => ({
	[ScopeCloseableTypeId]: ScopeCloseableTypeId,
	[ScopeTypeId]: ScopeTypeId,
	strategy: finalizerStrategy,
	parent,
	state: constScopeEmpty
});
const constScopeEmpty = { _tag: "Empty" };
/** @internal */
const scope$1 = scopeTag;
/** @internal */
const provideScope = /*#__PURE__*/ provideService$1(scopeTag);
/** @internal */
const scoped$1 = (self) => withFiber$1((fiber) => {
	const prev = fiber.context;
	const scope = scopeMakeUnsafe();
	fiber.setContext(add(fiber.context, scopeTag, scope));
	onExitUnsafe(fiber, (exit) => {
		fiber.setContext(prev);
		return scopeCloseUnsafe(scope, exit);
	});
	return self;
});
/** @internal */
const scopedWith$1 = (f) => suspend$1(() => {
	const scope = scopeMakeUnsafe();
	return onExit$1(f(scope), (exit) => suspend$1(() => scopeCloseUnsafe(scope, exit) ?? void_$3));
});
/** @internal */
const acquireRelease$1 = (acquire, release, options) => contextWith$1((context) => uninterruptibleMask$1((restore) => flatMap$2(scope$1, (scope) => tap$1(options?.interruptible ? restore(acquire) : acquire, (a) => scopeAddFinalizerExit(scope, (exit) => provideContext$1(release(a, exit), context))))));
/** @internal */
const addFinalizer$2 = (finalizer) => flatMap$2(scope$1, (scope) => contextWith$1((context) => scopeAddFinalizerExit(scope, (exit) => provideContext$1(finalizer(exit), context))));
const OnExitImpl = /*#__PURE__*/ function() {
	const Proto = /*#__PURE__*/ makePrimitiveProto({
		op: "OnExit",
		[evaluate](fiber) {
			fiber._stack.push(this);
			return this.effect;
		},
		[contAll](fiber) {
			if (fiber.interruptible && this.interruptible !== true) {
				fiber._stack.push(setInterruptibleTrue);
				fiber.interruptible = false;
			}
		},
		[contA](value, _, exit) {
			exit ??= exitSucceed(value);
			let eff;
			try {
				eff = this.onExit(exit);
			} catch (defect) {
				eff = exitDie(defect);
			}
			return eff ? flatMap$2(eff, (_) => exit) : exit;
		},
		[contE](cause, _, exit) {
			exit ??= exitFailCause(cause);
			let eff;
			try {
				eff = this.onExit(exit);
			} catch (defect) {
				eff = exitDie(defect);
			}
			return eff ? flatMap$2(combineFinalizerCause(exit, eff), (_) => exit) : exit;
		}
	});
	const OnExitImpl = function(effect, onExit, interruptible) {
		this.effect = effect;
		this.onExit = onExit;
		this.interruptible = interruptible;
	};
	OnExitImpl.prototype = Proto;
	return OnExitImpl;
}();
/** @internal */
const onExitPrimitive$1 = (effect, onExit, interruptible) => new OnExitImpl(effect, onExit, interruptible);
/**
* Pushes an exit finalizer for the current `withFiber` evaluation. Only call inside `withFiber`.
* @internal
*/
const onExitUnsafe = (fiber, f) => {
	fiber._stack.push(new OnExitImpl(void 0, f, void 0));
};
/** @internal */
const onExit$1 = /*#__PURE__*/ dual(2, onExitPrimitive$1);
/** @internal */
const ensuring$1 = /*#__PURE__*/ dual(2, (self, finalizer) => onExit$1(self, (_) => finalizer));
/** @internal */
const onExitFilter = /*#__PURE__*/ dual(3, (self, filter, f) => onExit$1(self, (exit) => {
	const b = filter(exit);
	return isFailure$1(b) ? void_$3 : f(b.success, exit);
}));
/** @internal */
const onError$1 = /*#__PURE__*/ dual(2, (self, f) => onExitFilter(self, exitFilterCause, f));
/** @internal */
const onErrorFilter = /*#__PURE__*/ dual(3, (self, filter, f) => onExit$1(self, (exit) => {
	if (exit._tag !== "Failure") return void_$3;
	const result = filter(exit.cause);
	return isFailure$1(result) ? void_$3 : f(result.success, exit.cause);
}));
/** @internal */
const onInterrupt$1 = /*#__PURE__*/ dual(2, (self, finalizer) => onErrorFilter(causeFilterInterruptors, finalizer)(self));
const infiniteTTL = /*#__PURE__*/ constant(Infinity);
const makeCachedUnsafe = (self, ttlMillis) => {
	let expiresAt = 0;
	let exit;
	let current;
	const join = (fiber, run) => {
		run.awaiters++;
		onExitUnsafe(fiber, () => {
			if (--run.awaiters > 0 || run.done) return;
			if (current === run) current = void 0;
			return fiberInterrupt(run.fiber);
		});
		return fiberJoin(run.fiber);
	};
	return [withFiber$1((fiber) => {
		if (current !== void 0) return fiber === current.fiber ? fiberJoin(current.fiber) : join(fiber, current);
		if (exit !== void 0 && (expiresAt === Infinity || fiber.getRef(ClockRef).currentTimeMillisUnsafe() < expiresAt)) return exit;
		exit = void 0;
		const clock = fiber.getRef(ClockRef);
		const run = {
			fiber: new FiberImpl(fiber.context),
			awaiters: 0,
			done: false
		};
		current = run;
		const joined = join(fiber, run);
		run.fiber.evaluate(onExitPrimitive$1(self, (exit_) => {
			run.done = true;
			if (current !== run) return;
			current = void 0;
			if (exitHasInterrupts(exit_)) return;
			const duration = ttlMillis(exit_);
			expiresAt = duration === Infinity ? Infinity : clock.currentTimeMillisUnsafe() + duration;
			exit = exit_;
		}));
		return run.fiber._exit ?? joined;
	}), sync$2(() => {
		current = void 0;
		exit = void 0;
	})];
};
/** @internal */
const cached$1 = (self) => sync$2(() => makeCachedUnsafe(self, infiniteTTL)[0]);
/** @internal */
const interrupt$1 = /*#__PURE__*/ withFiber$1((fiber) => failCause$2(causeInterrupt(fiber.id)));
/** @internal */
const uninterruptible$1 = (self) => withFiber$1((fiber) => {
	if (!fiber.interruptible) return self;
	fiber.interruptible = false;
	fiber._stack.push(setInterruptibleTrue);
	return self;
});
const setInterruptible = /*#__PURE__*/ makePrimitive({
	op: "SetInterruptible",
	[contAll](fiber) {
		fiber.interruptible = this[args];
		if (fiber._interruptedCause && fiber.interruptible) return () => failCause$2(fiber._interruptedCause);
	}
});
const setInterruptibleTrue = /*#__PURE__*/ setInterruptible(true);
const setInterruptibleFalse = /*#__PURE__*/ setInterruptible(false);
const setFiberInterruptible = (fiber) => {
	fiber.interruptible = true;
	fiber._stack.push(setInterruptibleFalse);
	if (fiber._interruptedCause) return failCause$2(fiber._interruptedCause);
};
/**
* Makes the current fiber uninterruptible for the returned effect without an
* extra primitive. Call only within `withFiber`.
*
* @internal
*/
const fiberEnterUninterruptibleUnsafe = (fiber) => {
	const impl = fiber;
	if (!impl.interruptible) return;
	impl.interruptible = false;
	impl._stack.push(setInterruptibleTrue);
};
/**
* Makes the current fiber interruptible for the returned effect without an
* extra primitive. Call only within `withFiber` and return any pending
* interruption it produces.
*
* @internal
*/
const fiberEnterInterruptibleUnsafe = (fiber) => {
	const impl = fiber;
	if (impl.interruptible) return void 0;
	return setFiberInterruptible(impl);
};
/** @internal */
const interruptible$1 = (self) => withFiber$1((fiber) => {
	if (fiber.interruptible) return self;
	return setFiberInterruptible(fiber) ?? self;
});
/** @internal */
const uninterruptibleMask$1 = (f) => withFiber$1((fiber) => {
	if (!fiber.interruptible) return f(identity);
	fiber.interruptible = false;
	fiber._stack.push(setInterruptibleTrue);
	return f(interruptible$1);
});
/** @internal */
const all$1 = (arg, options) => {
	if (isIterable(arg)) return options?.mode === "result" ? forEach$1(arg, result$1, options) : forEach$1(arg, identity, options);
	else if (options?.discard) return options.mode === "result" ? forEach$1(Object.values(arg), result$1, options) : forEach$1(Object.values(arg), identity, options);
	return suspend$1(() => map$2(forEach$1(Object.entries(arg), ([key, effect]) => map$2(options?.mode === "result" ? result$1(effect) : effect, (value) => [key, value]), { concurrency: options?.concurrency }), Object.fromEntries));
};
/** @internal */
const whileLoop$1 = /*#__PURE__*/ makePrimitive({
	op: "While",
	[contA](value, fiber) {
		this[args].step(value);
		if (this["~effect/Effect/args"].while()) {
			fiber._stack.push(this);
			return this[args].body();
		}
		return exitVoid;
	},
	[evaluate](fiber) {
		if (this["~effect/Effect/args"].while()) {
			fiber._stack.push(this);
			return this[args].body();
		}
		return exitVoid;
	}
});
/** @internal */
const forEach$1 = /*#__PURE__*/ dual((args) => typeof args[1] === "function", (iterable, f, options) => suspend$1(() => {
	const concurrency = resolveConcurrency(options?.concurrency);
	if (concurrency === 1) return forEachSequential(iterable, f, options);
	const items = fromIterable$1(iterable);
	let length = items.length;
	if (length === 0) return options?.discard ? void_$3 : succeed$4([]);
	const out = options?.discard ? void 0 : new Array(length);
	const eff = forEachConcurrent({
		f,
		out
	}, items, { concurrency });
	return eff ? as$1(eff, out) : succeed$4(out);
}));
const forEachSequential = (iterable, f, options) => suspend$1(() => {
	const out = options?.discard ? void 0 : [];
	const iterator = iterable[Symbol.iterator]();
	let state = iterator.next();
	let index = 0;
	return as$1(whileLoop$1({
		while: () => !state.done,
		body: () => f(state.value, index++),
		step: (b) => {
			if (out) out.push(b);
			state = iterator.next();
		}
	}), out);
});
/** @internal */
const resolveConcurrency = (concurrency) => concurrency === "unbounded" ? Number.POSITIVE_INFINITY : Math.max(1, concurrency ?? 1);
/** @internal */
const iterateEager = () => (options) => {
	const onItem = options.onItem;
	const step = options.step;
	const resumeSequential = (state, items, index, end, effect) => flatMap$2(exit$1(effect), (itemExit) => step(state, items[index], itemExit, index) ?? runSequential(state, items, index + 1, end) ?? void_$3);
	const runSequential = (state, items, index = 0, end = items.length) => {
		for (; index < end; index++) {
			const item = items[index];
			const effect = onItem(state, item, index);
			if (!effectIsExit(effect)) return resumeSequential(state, items, index, end, effect);
			const terminal = step(state, item, effect, index);
			if (terminal) return terminal._tag === "Failure" ? terminal : void 0;
		}
	};
	return runSequential;
};
const iterateConcurrentImpl = (options) => {
	const onItem = options.onItem;
	const step = options.step;
	return (state, items, opts) => {
		let index = 0;
		const end = opts.end ?? items.length;
		const concurrency = opts.concurrency;
		let done = false;
		let parentFiber;
		let fibers;
		let resume;
		let terminal;
		let effect;
		const failDefect = (error) => {
			const defect = exitDie(error);
			terminal = defect;
			done = true;
			return fibers && fibers.size > 0 ? flatMap$2(uninterruptible$1(fiberInterruptAll(Array.from(fibers))), () => terminal ?? defect) : defect;
		};
		const go = () => {
			let paused = false;
			for (; !terminal && index < end; index++) {
				const item = items[index];
				const eff = effect ?? onItem(state, item, index);
				if (effectIsExit(eff)) {
					terminal = step(state, item, eff, index);
					if (terminal) break;
				} else if (!parentFiber) return callback$1((cb) => {
					parentFiber = getCurrentFiber();
					fibers = /* @__PURE__ */ new Set();
					effect = eff;
					resume = cb;
					let result;
					try {
						result = go();
					} catch (error) {
						return cb(failDefect(error));
					}
					if (result) return cb(result);
					return suspend$1(() => {
						terminal ??= exitVoid;
						return flatMap$2(fibers ? fiberInterruptAll(fibers) : void_$3, () => terminal?._tag === "Failure" ? terminal : void_$3);
					});
				});
				else {
					effect = void 0;
					const fiber = forkUnsafe$1(parentFiber, eff, true, true, "inherit");
					if (fiber._exit) {
						terminal = step(state, item, fiber._exit, index);
						if (terminal) break;
						continue;
					}
					fibers.add(fiber);
					const currentIndex = index;
					fiber.addObserver((exit) => {
						fibers.delete(fiber);
						try {
							if (terminal) {
								if (exit._tag === "Failure") {
									const reasons = exit.cause.reasons.filter((reason) => reason._tag !== "Interrupt");
									if (reasons.length > 0) {
										const cause = causeFromReasons(reasons);
										terminal = exitFailCause(terminal._tag === "Failure" ? causeElectDefects(causeCombine(terminal.cause, cause)) : cause);
									}
								}
							} else {
								const result = step(state, item, exit, currentIndex);
								if (result) {
									terminal = result;
									go();
								}
							}
							if (paused) {
								const eff = go();
								if (eff) resume(eff);
							} else if (done && fibers.size === 0) resume(terminal ?? void_$3);
						} catch (error) {
							resume(failDefect(error));
						}
					});
					if (fibers.size < concurrency) continue;
					paused = true;
					index++;
					return;
				}
			}
			done = true;
			if (terminal) {
				if (fibers && fibers.size > 0) {
					const annotations = fiberStackAnnotations(parentFiber);
					fibers.forEach((f) => f.interruptUnsafe(parentFiber.id, annotations));
					return;
				}
				if (resume || terminal._tag === "Failure") return terminal;
			} else if (resume) {
				if (!fibers) return exitVoid;
				else if (fibers.size === 0) resume(void_$3);
			}
		};
		return go();
	};
};
/** @internal */
const iterateConcurrent = () => (options) => iterateConcurrentImpl(options);
const forEachConcurrent = /*#__PURE__*/ iterateConcurrentImpl({
	onItem(state, item, index) {
		return state.f(item, index);
	},
	step(state, _, exit, index) {
		if (exit._tag === "Failure") return exit;
		else if (state.out) state.out[index] = exit.value;
	}
});
/** @internal */
const forkUnsafe$1 = (parent, effect, immediate = false, daemon = false, uninterruptible = false) => {
	const parentRuntime = parent;
	const interruptible = uninterruptible === "inherit" ? parentRuntime.interruptible : !uninterruptible;
	const child = new FiberImpl(parentRuntime.context, interruptible);
	if (!daemon) {
		parentRuntime.children().add(child);
		child._parent = parentRuntime;
	}
	if (immediate) child.evaluate(effect);
	else {
		child._asyncContext = captureAsyncContext();
		parentRuntime.currentDispatcher.scheduleTask(() => child.evaluate(effect), 0);
	}
	return child;
};
const fiberScopeFinalizer = (fiber) => () => withFiber$1((current) => current === fiber ? void_$3 : fiberInterrupt(fiber));
/** @internal */
const forkIn$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, scope, options) => withFiber$1((parent) => {
	const fiber = scope.state._tag === "Closed" ? new FiberImpl(parent.context) : forkUnsafe$1(parent, self, options?.startImmediately, true, options?.uninterruptible);
	if (!fiber._exit) {
		if (scope.state._tag !== "Closed") {
			scopeAddFinalizerUnsafe(scope, fiber, fiberScopeFinalizer(fiber));
			fiber.addObserver(() => scopeRemoveFinalizerUnsafe(scope, fiber));
		} else fiber.interruptUnsafe(parent.id, fiberStackAnnotations(parent));
	}
	return succeed$4(fiber);
}));
/** @internal */
const forkScoped$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, options) => flatMap$2(scope$1, (scope) => forkIn$1(self, scope, options)));
/** @internal */
const runForkWith$1 = (context) => (effect, options) => {
	const fiber = new FiberImpl(options?.scheduler ? add(context, Scheduler, options.scheduler) : context, options?.uninterruptible !== true);
	fiber.evaluate(effect);
	if (fiber._exit) return fiber;
	if (options?.signal) {
		if (options.signal.aborted) fiber.interruptUnsafe();
		else {
			const abort = () => fiber.interruptUnsafe();
			options.signal.addEventListener("abort", abort, { once: true });
			fiber.addObserver(() => options.signal.removeEventListener("abort", abort));
		}
	}
	if (options?.onFiberStart) options.onFiberStart(fiber);
	return fiber;
};
/** @internal */
const fiberRunIn = /*#__PURE__*/ dual(2, (self, scope) => {
	if (self._exit) return self;
	else if (scope.state._tag === "Closed") {
		self.interruptUnsafe(self.id);
		return self;
	}
	scopeRemoveFinalizerUnsafe(scope, self);
	scopeAddFinalizerUnsafe(scope, self, fiberScopeFinalizer(self));
	self.addObserver(() => scopeRemoveFinalizerUnsafe(scope, self));
	return self;
});
/** @internal */
const runFork$1 = /*#__PURE__*/ runForkWith$1(/*#__PURE__*/ empty$4());
/** @internal */
const runCallbackWith = (context) => {
	const runFork = runForkWith$1(context);
	return (effect, options) => {
		const fiber = runFork(effect, options);
		if (options?.onExit) fiber.addObserver(options.onExit);
		return (interruptor) => {
			return fiber.interruptUnsafe(interruptor);
		};
	};
};
/** @internal */
const runCallback$1 = /*#__PURE__*/ runCallbackWith(/*#__PURE__*/ empty$4());
/** @internal */
const runPromiseExitWith = (context) => {
	const runFork = runForkWith$1(context);
	return (effect, options) => {
		const fiber = runFork(effect, options);
		return new Promise((resolve) => {
			fiber.addObserver((exit) => resolve(exit));
		});
	};
};
/** @internal */
const runPromiseWith = (context) => {
	const runPromiseExit = runPromiseExitWith(context);
	return (effect, options) => runPromiseExit(effect, options).then((exit) => {
		if (exit._tag === "Failure") throw causeSquash(exit.cause);
		return exit.value;
	});
};
/** @internal */
const runPromise$1 = /*#__PURE__*/ runPromiseWith(/*#__PURE__*/ empty$4());
/** @internal */
const runSyncExitWith = (context) => {
	const runFork = runForkWith$1(context);
	return (effect) => {
		if (effectIsExit(effect)) return effect;
		const scheduler = new MixedScheduler("sync");
		const fiber = runFork(effect, { scheduler });
		fiber._dispatcher?.flush();
		return fiber._exit ?? exitDie(new AsyncFiberError(fiber));
	};
};
/** @internal */
const runSyncExit$1 = /*#__PURE__*/ runSyncExitWith(/*#__PURE__*/ empty$4());
/** @internal */
const runSyncWith = (context) => {
	const runSyncExit = runSyncExitWith(context);
	return (effect) => {
		const exit = runSyncExit(effect);
		if (exit._tag === "Failure") throw causeSquash(exit.cause);
		return exit.value;
	};
};
/** @internal */
const runSync$2 = /*#__PURE__*/ runSyncWith(/*#__PURE__*/ empty$4());
const succeedTrue = /*#__PURE__*/ succeed$4(true);
const succeedFalse = /*#__PURE__*/ succeed$4(false);
var Latch = class {
	waiters = [];
	scheduled = void 0;
	_isOpen;
	constructor(isOpen) {
		this._isOpen = isOpen;
	}
	scheduleUnsafe(fiber) {
		if (this.waiters.length === 0) return succeedTrue;
		if (this.scheduled === void 0) {
			this.scheduled = this.waiters;
			fiber.currentDispatcher.scheduleTask(this.flushScheduled, 0);
		} else for (let i = 0; i < this.waiters.length; i++) this.scheduled.push(this.waiters[i]);
		this.waiters = [];
		return succeedTrue;
	}
	flushScheduled = () => {
		if (this.scheduled === void 0) return;
		const waiters = this.scheduled;
		this.scheduled = void 0;
		for (let i = 0; i < waiters.length; i++) waiters[i](exitVoid);
	};
	flushWaiters() {
		const waiters = this.waiters;
		this.waiters = [];
		this.flushScheduled();
		for (let i = 0; i < waiters.length; i++) waiters[i](exitVoid);
	}
	open = /*#__PURE__*/ withFiber$1((fiber) => {
		if (this._isOpen) return succeedFalse;
		this._isOpen = true;
		return this.scheduleUnsafe(fiber);
	});
	release = /*#__PURE__*/ withFiber$1((fiber) => this._isOpen ? succeedFalse : this.scheduleUnsafe(fiber));
	openUnsafe() {
		if (this._isOpen) return false;
		this._isOpen = true;
		this.flushWaiters();
		return true;
	}
	await = /*#__PURE__*/ callback$1((resume) => {
		if (this._isOpen) return resume(void_$3);
		this.waiters.push(resume);
		return sync$2(() => {
			let index = this.waiters.indexOf(resume);
			if (index !== -1) this.waiters.splice(index, 1);
			else if (this.scheduled !== void 0) {
				index = this.scheduled.indexOf(resume);
				if (index !== -1) this.scheduled.splice(index, 1);
			}
		});
	});
	closeUnsafe() {
		if (!this._isOpen) return false;
		this._isOpen = false;
		return true;
	}
	close = /*#__PURE__*/ sync$2(() => this.closeUnsafe());
	whenOpen = (self) => flatMap$2(this.await, () => self);
	isOpen() {
		return this._isOpen;
	}
};
/** @internal */
const makeLatchUnsafe = (open) => new Latch(open ?? false);
const bigint0$1 = /*#__PURE__*/ BigInt(0);
const NoopSpanProto = {
	_tag: "Span",
	spanId: "noop",
	traceId: "noop",
	sampled: false,
	status: {
		_tag: "Ended",
		startTime: bigint0$1,
		endTime: bigint0$1,
		exit: exitVoid
	},
	attributes: /*#__PURE__*/ new Map(),
	links: [],
	kind: "internal",
	attribute() {},
	event() {},
	end() {},
	addLinks() {}
};
/** @internal */
const noopSpan = (options) => Object.assign(Object.create(NoopSpanProto), options);
const filterDisablePropagation = (span) => {
	if (!span) return none();
	return get(span.annotations, DisablePropagation) ? span._tag === "Span" ? filterDisablePropagation(getOrUndefined$2(span.parent)) : none() : some(span);
};
/** @internal */
const makeSpanUnsafe = (fiber, name, options) => {
	const disablePropagation = !fiber.cache.tracerEnabled || options?.annotations && get(options.annotations, DisablePropagation);
	const parent = options?.parent !== void 0 ? some(options.parent) : options?.root ? none() : filterDisablePropagation(fiber.cache.span);
	let span;
	if (disablePropagation) span = noopSpan({
		name,
		parent,
		annotations: add(options?.annotations ?? empty$4(), DisablePropagation, true)
	});
	else {
		const tracer = fiber.cache.tracer ?? nativeTracer;
		const clock = fiber.getRef(ClockRef);
		const timingEnabled = fiber.getRef(TracerTimingEnabled);
		const annotationsFromEnv = fiber.getRef(TracerSpanAnnotations);
		const linksFromEnv = fiber.getRef(TracerSpanLinks);
		const level = options?.level ?? fiber.getRef(CurrentTraceLevel);
		const links = options?.links !== void 0 ? [...linksFromEnv, ...options.links] : linksFromEnv.length === 0 ? [] : linksFromEnv.slice();
		span = tracer.span({
			name,
			parent,
			annotations: options?.annotations ?? empty$4(),
			links,
			startTime: timingEnabled ? clock.currentTimeNanosUnsafe() : bigint0$1,
			kind: options?.kind ?? "internal",
			root: options?.root ?? false,
			sampled: options?.sampled ?? (isSome(parent) && parent.value.sampled === false ? false : !isLogLevelGreaterThan(fiber.getRef(MinimumTraceLevel), level))
		});
		for (const key in annotationsFromEnv) span.attribute(key, annotationsFromEnv[key]);
		if (options?.attributes !== void 0) for (const key in options.attributes) span.attribute(key, options.attributes[key]);
	}
	return span;
};
const provideSpanStackFrame = (name, stack) => {
	stack = typeof stack === "function" ? stack : constUndefined;
	return updateService(CurrentStackFrame, (parent) => ({
		name,
		stack,
		parent
	}));
};
/** @internal */
const endSpan = (span, exit, clock, timingEnabled) => sync$2(() => {
	if (span.status._tag === "Ended") return;
	span.end(timingEnabled ? clock.currentTimeNanosUnsafe() : bigint0$1, exit);
});
/** @internal */
const useSpan$1 = (name, ...args) => {
	const options = args.length === 1 ? void 0 : args[0];
	const evaluate = args[args.length - 1];
	return withFiber$1((fiber) => {
		const span = makeSpanUnsafe(fiber, name, options);
		const clock = fiber.getRef(ClockRef);
		const timingEnabled = fiber.getRef(TracerTimingEnabled);
		onExitUnsafe(fiber, (exit) => endSpan(span, exit, clock, timingEnabled));
		return evaluate(span);
	});
};
const provideParentSpan = /*#__PURE__*/ provideService$1(ParentSpan);
/** @internal */
const withParentSpan$1 = function() {
	const dataFirst = isEffect$1(arguments[0]);
	const span = dataFirst ? arguments[1] : arguments[0];
	let options = dataFirst ? arguments[2] : arguments[1];
	let provideStackFrame = identity;
	if (span._tag === "Span") {
		options = addSpanStackTrace(options);
		provideStackFrame = provideSpanStackFrame(span.name, options?.captureStackTrace);
	}
	if (dataFirst) return provideParentSpan(provideStackFrame(arguments[0]), span);
	return (self) => provideParentSpan(provideStackFrame(self), span);
};
/** @internal */
const ClockRef = /*#__PURE__*/ Reference("effect/Clock", { defaultValue: () => new ClockImpl() });
const MAX_TIMER_MILLIS = 2 ** 31 - 1;
var ClockImpl = class {
	currentTimeMillisUnsafe() {
		return Date.now();
	}
	currentTimeMillis = /*#__PURE__*/ sync$2(() => this.currentTimeMillisUnsafe());
	currentTimeNanosUnsafe() {
		return wallTimeNanos();
	}
	currentTimeNanos = /*#__PURE__*/ sync$2(() => this.currentTimeNanosUnsafe());
	monotonicTimeNanosUnsafe() {
		return monotonicNowNanos();
	}
	monotonicTimeNanos = /*#__PURE__*/ sync$2(() => this.monotonicTimeNanosUnsafe());
	sleep(duration) {
		return this.sleepMillis(toMillis(duration));
	}
	sleepMillis(millis) {
		if (millis <= 0) return yieldNow;
		else if (!Number.isFinite(millis)) return never$2;
		return callback$1((resume) => {
			const continuation = millis > MAX_TIMER_MILLIS ? this.sleepMillis(millis - MAX_TIMER_MILLIS) : void_$3;
			const handle = setTimeout(() => resume(continuation), Math.min(millis, MAX_TIMER_MILLIS));
			return sync$2(() => clearTimeout(handle));
		});
	}
};
const nanosPerMilli = /*#__PURE__*/ BigInt(1e6);
const monotonicNowNanos = /*#__PURE__*/ function() {
	const processHrtime = globalThis.process?.hrtime;
	if (typeof processHrtime?.bigint === "function") return () => processHrtime.bigint();
	if (typeof performance !== "undefined" && typeof performance.now === "function") return () => BigInt(Math.round(performance.now() * 1e6));
	let previous = /*#__PURE__*/ BigInt(0);
	return () => {
		const current = BigInt(Date.now()) * nanosPerMilli;
		if (current > previous) previous = current;
		return previous;
	};
}();
const wallTimeNanos = /*#__PURE__*/ function() {
	const reanchorThresholdNanos = /*#__PURE__*/ BigInt(1e9);
	let origin;
	return () => {
		const monotonic = monotonicNowNanos();
		const wall = BigInt(Date.now()) * nanosPerMilli;
		if (origin === void 0) origin = wall - monotonic;
		else {
			const projected = origin + monotonic;
			if ((wall > projected ? wall - projected : projected - wall) > reanchorThresholdNanos) origin = wall - monotonic;
		}
		return origin + monotonic;
	};
}();
/** @internal */
const clockWith = (f) => withFiber$1((fiber) => f(fiber.getRef(ClockRef)));
/** @internal */
const sleep$1 = (duration) => clockWith((clock) => clock.sleep(fromInputUnsafe(duration)));
/** @internal */
const currentTimeMillis = /*#__PURE__*/ clockWith((clock) => clock.currentTimeMillis);
/** @internal */
const IllegalArgumentErrorTypeId = "~effect/Cause/IllegalArgumentError";
/** @internal */
var IllegalArgumentError$1 = class extends (/*#__PURE__*/ TaggedError$2("IllegalArgumentError")) {
	[IllegalArgumentErrorTypeId] = IllegalArgumentErrorTypeId;
	constructor(message) {
		super({ message });
	}
};
/** @internal */
const AsyncFiberErrorTypeId = "~effect/Cause/AsyncFiberError";
/** @internal */
var AsyncFiberError = class extends (/*#__PURE__*/ TaggedError$2("AsyncFiberError")) {
	[AsyncFiberErrorTypeId] = AsyncFiberErrorTypeId;
	constructor(fiber) {
		super({
			message: "An asynchronous Effect was executed with Effect.runSync",
			fiber
		});
	}
};
/** @internal */
const UnknownErrorTypeId = "~effect/Cause/UnknownError";
/** @internal */
var UnknownError$1 = class extends (/*#__PURE__*/ TaggedError$2("UnknownError")) {
	[UnknownErrorTypeId] = UnknownErrorTypeId;
	constructor(cause, message) {
		super({
			message,
			cause
		});
	}
};
/** @internal */
const ConsoleRef = /*#__PURE__*/ Reference("effect/Console", { defaultValue: () => globalThis.console });
/** @internal */
const logLevelToOrder = (level) => {
	switch (level) {
		case "All": return Number.MIN_SAFE_INTEGER;
		case "Fatal": return 5e4;
		case "Error": return 4e4;
		case "Warn": return 3e4;
		case "Info": return 2e4;
		case "Debug": return 1e4;
		case "Trace": return 0;
		case "None": return Number.MAX_SAFE_INTEGER;
	}
};
/** @internal */
const LogLevelOrder = /*#__PURE__*/ mapInput(Number$4, logLevelToOrder);
/** @internal */
const isLogLevelGreaterThan = /*#__PURE__*/ isGreaterThan$1(LogLevelOrder);
/** @internal */
const CurrentLoggers = /*#__PURE__*/ Reference("effect/Logger/CurrentLoggers", { defaultValue: () => /* @__PURE__ */ new Set([defaultLogger, tracerLogger]) });
/** @internal */
const LogToStderr = /*#__PURE__*/ Reference("effect/Logger/LogToStderr", { defaultValue: constFalse });
/** @internal */
const LoggerTypeId = "~effect/Logger";
const LoggerProto = {
	[LoggerTypeId]: {
		_Message: identity,
		_Output: identity
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/** @internal */
const loggerMake = (log) => {
	const self = Object.create(LoggerProto);
	self.log = log;
	return self;
};
/**
* Sanitize a given string by replacing spaces, equal signs, and double quotes
* with underscores.
*
* @internal
*/
const formatLabel = (key) => key.replace(/[\s="]/g, "_");
/**
* Formats a log span into a `<label>=<value>ms` string.
*
* @internal
*/
const formatLogSpan = (self, now) => {
	return `${formatLabel(self[0])}=${now - self[1]}ms`;
};
/** @internal */
const logWithLevel = (level) => (...message) => {
	let cause = void 0;
	for (let i = 0, len = message.length; i < len; i++) {
		const msg = message[i];
		if (isCause$1(msg)) {
			if (cause) message.splice(i, 1);
			else message = message.slice(0, i).concat(message.slice(i + 1));
			cause = cause ? causeFromReasons(cause.reasons.concat(msg.reasons)) : msg;
			i--;
		}
	}
	if (cause === void 0) cause = causeEmpty;
	return withFiber$1((fiber) => {
		const logLevel = level ?? fiber.cache.logLevel;
		if (isLogLevelGreaterThan(fiber.cache.minimumLogLevel, logLevel)) return void_$3;
		const clock = fiber.getRef(ClockRef);
		const loggers = fiber.getRef(CurrentLoggers);
		if (loggers.size > 0) {
			const date = new Date(clock.currentTimeMillisUnsafe());
			for (const logger of loggers) logger.log({
				cause,
				fiber,
				date,
				logLevel,
				message
			});
		}
		return void_$3;
	});
};
const colors = {
	bold: "1",
	red: "31",
	green: "32",
	yellow: "33",
	blue: "34",
	cyan: "36",
	white: "37",
	gray: "90",
	black: "30",
	bgBrightRed: "101"
};
const logLevelColors = {
	None: [],
	All: [],
	Trace: [colors.gray],
	Debug: [colors.blue],
	Info: [colors.green],
	Warn: [colors.yellow],
	Error: [colors.red],
	Fatal: [colors.bgBrightRed, colors.black]
};
const defaultDateFormat = (date) => `${date.getHours().toString().padStart(2, "0")}:${date.getMinutes().toString().padStart(2, "0")}:${date.getSeconds().toString().padStart(2, "0")}.${date.getMilliseconds().toString().padStart(3, "0")}`;
/** @internal */
const defaultLogger = /*#__PURE__*/ loggerMake(({ cause, date, fiber, logLevel, message }) => {
	const message_ = Array.isArray(message) ? message.slice() : [message];
	if (cause.reasons.length > 0) message_.push(causePretty(cause));
	const now = date.getTime();
	const spans = fiber.getRef(CurrentLogSpans);
	let spanString = "";
	for (const span of spans) spanString += ` ${formatLogSpan(span, now)}`;
	const annotations = fiber.getRef(CurrentLogAnnotations);
	if (Object.keys(annotations).length > 0) message_.push(annotations);
	const console = fiber.getRef(ConsoleRef);
	(fiber.getRef(LogToStderr) ? console.error : console.log)(`[${defaultDateFormat(date)}] ${logLevel.toUpperCase()} (#${fiber.id})${spanString}:`, ...message_);
});
/** @internal */
const tracerLogger = /*#__PURE__*/ loggerMake(({ cause, fiber, logLevel, message }) => {
	const clock = fiber.getRef(ClockRef);
	const annotations = fiber.getRef(CurrentLogAnnotations);
	const span = fiber.cache.span;
	if (span === void 0 || span._tag === "ExternalSpan" || span.status._tag === "Ended") return;
	const attributes = {};
	for (const [key, value] of Object.entries(annotations)) assignProperty(attributes, key, value);
	attributes["effect.fiberId"] = fiber.id;
	attributes["effect.logLevel"] = logLevel.toUpperCase();
	if (cause.reasons.length > 0) attributes["effect.cause"] = causePretty(cause);
	span.event(toStringUnknown(Array.isArray(message) && message.length === 1 ? message[0] : message), clock.currentTimeNanosUnsafe(), attributes);
});
/** @internal */
const withErrorReporting$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, options) => onError$1(self, (cause) => withFiber$1((fiber) => {
	reportCauseUnsafe(fiber, cause, options?.defectsOnly);
	return void_$3;
})));
/** @internal */
const reportCauseUnsafe = (fiber, cause, defectsOnly) => {
	const reporters = fiber.getRef(CurrentErrorReporters);
	if (reporters.size === 0) return;
	if (defectsOnly && !hasDies(cause)) return;
	const opts = {
		cause,
		fiber,
		timestamp: fiber.getRef(ClockRef).currentTimeNanosUnsafe()
	};
	reporters.forEach((reporter) => reporter.report(opts));
};

// node_modules/effect/dist/Deferred.js
const TypeId$14 = "~effect/Deferred";
const DeferredProto = {
	[TypeId$14]: {
		_A: identity,
		_E: identity
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const DeferredImpl = function() {
	this.resumes = void 0;
	this.effect = void 0;
};
DeferredImpl.prototype = DeferredProto;
/**
* Creates an empty `Deferred` synchronously outside the `Effect` runtime.
*
* **When to use**
*
* Use to allocate a `Deferred` synchronously when direct allocation outside
* `Effect` is required.
*
* **Example** (Creating a Deferred unsafely)
*
* ```ts import.meta.vitest
* import { Deferred } from "effect"
*
* const deferred = Deferred.makeUnsafe<number>()
* Deferred.isDoneUnsafe(deferred) // => false
* ```
*
* @stability stable
* @category unsafe
* @since 4.0.0
*/
const makeUnsafe$3 = () => new DeferredImpl();
const _await = (self) => callback$1((resume) => {
	if (self.effect) return resume(self.effect);
	self.resumes ??= [];
	self.resumes.push(resume);
	return sync$2(() => {
		const resumes = self.resumes;
		if (resumes === void 0) return;
		const index = resumes.indexOf(resume);
		if (index >= 0) resumes.splice(index, 1);
	});
});
/**
* Attempts to complete the `Deferred` with the specified effect directly.
*
* **When to use**
*
* Use to store an already environment-free effect as the completion without
* running it during completion.
*
* **Details**
*
* The returned effect succeeds with `true` when this call completed the
* `Deferred`, or `false` if it was already completed.
*
* **Gotchas**
*
* The supplied effect is not memoized by `completeWith`; each awaiter may run
* the stored effect independently.
*
* **Example** (Completing a Deferred with an effect)
*
* ```ts import.meta.vitest
* import { Deferred, Effect } from "effect"
*
* const program = Effect.gen(function*() {
*   const deferred = yield* Deferred.make<number>()
*   const completed = yield* Deferred.completeWith(deferred, Effect.succeed(42))
*   const value = yield* Deferred.await(deferred)
*   return [completed, value]
* })
*
* await Effect.runPromise(program) // => [true, 42]
* ```
*
* @see {@link complete} for running an effect once and sharing its result
* @see {@link done} for completing from an already computed `Exit`
*
* @stability stable
* @category completion
* @since 2.0.0
*/
const completeWith = /*#__PURE__*/ dual(2, (self, effect) => sync$2(() => doneUnsafe(self, effect)));
/**
* Completes the `Deferred` with the specified `Exit` value, which will be
* propagated to all fibers waiting on the value of the `Deferred`.
*
* **When to use**
*
* Use to complete a `Deferred` from an already computed `Exit`.
*
* **Details**
*
* The returned effect succeeds with `true` when this call completed the
* `Deferred`, or `false` if it was already completed.
*
* **Example** (Completing a Deferred with an Exit)
*
* ```ts import.meta.vitest
* import { Deferred, Effect, Exit } from "effect"
*
* const program = Effect.gen(function*() {
*   const deferred = yield* Deferred.make<number>()
*   yield* Deferred.done(deferred, Exit.succeed(42))
*   return yield* Effect.exit(Deferred.await(deferred))
* })
*
* await Effect.runPromise(program) // => Exit.succeed(42)
* ```
*
* @see {@link complete} for completing from an effect and memoizing its result
* @see {@link completeWith} for storing an effect directly
* @see {@link succeed} for completing with a success value
* @see {@link failCause} for completing with a failure cause
*
* @stability stable
* @category completion
* @since 2.0.0
*/
const done$1 = completeWith;
/**
* Attempts to complete the `Deferred` with the specified error.
*
* **When to use**
*
* Use to complete a `Deferred` with a typed failure value.
*
* **Details**
*
* Fibers waiting on the `Deferred` fail with that error only if this call
* completes it. The returned effect succeeds with `true` when this call
* completed the `Deferred`, or `false` if it was already completed.
*
* **Example** (Failing a Deferred with an error)
*
* ```ts import.meta.vitest
* import { Deferred, Effect, Exit } from "effect"
*
* const program = Effect.gen(function*() {
*   const deferred = yield* Deferred.make<number, string>()
*   const success = yield* Deferred.fail(deferred, "Operation failed")
*   const exit = yield* Effect.exit(Deferred.await(deferred))
*   return [success, exit]
* })
*
* await Effect.runPromise(program) // => [true, Exit.fail("Operation failed")]
* ```
*
* @stability stable
* @category completion
* @since 2.0.0
*/
const fail$4 = /*#__PURE__*/ dual(2, (self, error) => done$1(self, exitFail(error)));
/**
* Returns `true` if this `Deferred` has already been completed with a value or
* an error, `false` otherwise.
*
* **When to use**
*
* Use to check completion status inside an `Effect` workflow.
*
* **Example** (Checking Deferred completion)
*
* ```ts import.meta.vitest
* import { Deferred, Effect } from "effect"
*
* const program = Effect.gen(function*() {
*   const deferred = yield* Deferred.make<number>()
*   const beforeCompletion = yield* Deferred.isDone(deferred)
*   yield* Deferred.succeed(deferred, 42)
*   const afterCompletion = yield* Deferred.isDone(deferred)
*   return [beforeCompletion, afterCompletion]
* })
*
* await Effect.runPromise(program) // => [false, true]
* ```
*
* @stability stable
* @category predicates
* @since 2.0.0
*/
const isDone$1 = (self) => sync$2(() => isDoneUnsafe(self));
/**
* Returns whether this `Deferred` has already been completed synchronously.
*
* **When to use**
*
* Use to check `Deferred` completion synchronously in code that cannot return
* an `Effect`, such as low-level integration code.
*
* @see {@link isDone} for checking completion inside `Effect`
* @see {@link poll} for reading the completed effect when available
*
* @stability stable
* @category predicates
* @since 4.0.0
*/
const isDoneUnsafe = (self) => self.effect !== void 0;
/**
* Attempts to complete the `Deferred` synchronously with the specified
* completion effect.
*
* **When to use**
*
* Use to complete a `Deferred` synchronously in low-level code that already has
* the completion effect.
*
* **Details**
*
* This mutates the `Deferred` directly and should be reserved for low-level
* code; prefer the effectful completion APIs when possible. Returns `true` if
* this call completed the `Deferred`, or `false` if it was already completed.
*
* **Example** (Completing a Deferred unsafely)
*
* ```ts import.meta.vitest
* import { Deferred, Effect } from "effect"
*
* const deferred = Deferred.makeUnsafe<number>()
* Deferred.doneUnsafe(deferred, Effect.succeed(42)) // => true
* ```
*
* @stability stable
* @category unsafe
* @since 4.0.0
*/
const doneUnsafe = (self, effect) => {
	if (self.effect) return false;
	self.effect = effect;
	if (self.resumes) {
		const resumes = self.resumes;
		self.resumes = void 0;
		for (let i = 0; i < resumes.length; i++) resumes[i](effect);
	}
	return true;
};

// node_modules/effect/dist/Scope.js
/**
* Controls how long resources stay open.
*
* A scope is a lifetime boundary. Code can register cleanup effects on it, and
* closing the scope runs those cleanups with the `Exit` value that ended the
* work. Most application code uses higher-level APIs such as `Effect.scoped`
* and `Layer`, while this module is useful when code needs to create, provide,
* fork, close, or inspect scopes directly.
*
* @stability stable
* @since 2.0.0
*/
/**
* Service tag for the active resource lifetime.
*
* **When to use**
*
* Use to access the active lifetime when registering finalizers or sharing
* resources with the surrounding scope.
*
* **Example** (Accessing the scope service)
*
* ```ts import.meta.vitest
* import { Effect, Scope } from "effect"
*
* const cleanups: Array<string> = []
* const program = Effect.gen(function*() {
*   const scope = yield* Scope.Scope
*   yield* Scope.addFinalizer(scope, Effect.sync(() => cleanups.push("Cleanup")))
* })
*
* Effect.runSync(Effect.scoped(program))
* cleanups // => ["Cleanup"]
* ```
*
* @stability stable
* @category services
* @since 2.0.0
*/
const Scope = scopeTag;
/**
* Creates a new `Scope` synchronously without wrapping it in an `Effect`.
* This is useful when you need a scope immediately but should be used with caution
* as it doesn't provide the same safety guarantees as the `Effect`-wrapped version.
*
* **When to use**
*
* Use when a scope must be allocated synchronously and the caller will close it
* manually.
*
* **Example** (Creating a scope synchronously)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Scope } from "effect"
*
* const scope = Scope.makeUnsafe("sequential")
* const cleanups: Array<string> = []
* const program = Effect.gen(function*() {
*   yield* Scope.addFinalizer(scope, Effect.sync(() => cleanups.push("Cleanup")))
*   yield* Scope.close(scope, Exit.void)
* })
*
* Effect.runSync(program)
* cleanups // => ["Cleanup"]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeUnsafe$2 = scopeMakeUnsafe;
/**
* Provides a concrete `Scope` to an effect.
*
* **When to use**
*
* Use to run an effect that requires `Scope` with a scope managed by the
* caller.
*
* **Details**
*
* Providing the scope removes the `Scope` requirement from the effect context.
*
* **Example** (Providing a scope)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Scope } from "effect"
*
* const events: Array<string> = []
* const program = Effect.gen(function*() {
*   const scope = yield* Scope.Scope
*   yield* Scope.addFinalizer(scope, Effect.sync(() => events.push("cleanup")))
*   events.push("working")
* })
*
* const withScope = Effect.gen(function*() {
*   const scope = yield* Scope.make()
*   yield* Scope.provide(scope)(program)
*   yield* Scope.close(scope, Exit.void)
* })
*
* Effect.runSync(withScope)
* events // => ["working", "cleanup"]
* ```
*
* @stability stable
* @category combinators
* @since 4.0.0
*/
const provide$3 = provideScope;
/**
* Registers an exit-aware finalizer on a scope.
*
* **When to use**
*
* Use when cleanup needs to know whether the scope closed with success,
* failure, or interruption.
*
* **Details**
*
* If the scope is open, the finalizer runs when the scope closes and receives
* the scope's exit value. If the scope is already closed, the finalizer runs
* immediately with the stored exit value.
*
* **Example** (Adding an exit-aware finalizer)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Scope } from "effect"
*
* const exits: Array<Exit.Exit<unknown, unknown>> = []
* const withResource = Effect.gen(function*() {
*   const scope = yield* Scope.make()
*   yield* Scope.addFinalizerExit(scope, (exit) => Effect.sync(() => exits.push(exit)))
*   yield* Scope.close(scope, Exit.void)
* })
*
* Effect.runSync(withResource)
* exits // => [Exit.void]
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const addFinalizerExit = scopeAddFinalizerExit;
/**
* Registers a finalizer effect on a scope.
*
* **Details**
*
* If the scope is open, the finalizer runs when the scope closes, regardless of
* whether the scope closes successfully or with an error. If the scope is
* already closed, the finalizer runs immediately.
*
* **Example** (Adding finalizers)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Scope } from "effect"
*
* const events: Array<string> = []
* const program = Effect.gen(function*() {
*   const scope = yield* Scope.make()
*   yield* Scope.addFinalizer(scope, Effect.sync(() => events.push("cleanup 1")))
*   yield* Scope.addFinalizer(scope, Effect.sync(() => events.push("cleanup 2")))
*   yield* Scope.addFinalizer(scope, Effect.sync(() => events.push("cleanup 3")))
*   events.push("work")
*   yield* Scope.close(scope, Exit.void)
* })
*
* Effect.runSync(program)
* events // => ["work", "cleanup 3", "cleanup 2", "cleanup 1"]
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const addFinalizer$1 = scopeAddFinalizer;
/**
* Creates a closeable child scope registered with a parent scope.
*
* **Details**
*
* Closing the parent closes the child with the same exit value, and closing the
* child detaches it from the parent. The optional finalizer strategy configures
* the child scope and defaults to `"sequential"` when omitted.
*
* **Example** (Creating a child scope)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Scope } from "effect"
*
* const cleanups: Array<string> = []
* const nestedScopes = Effect.gen(function*() {
*   const parentScope = yield* Scope.make("sequential")
*   yield* Scope.addFinalizer(parentScope, Effect.sync(() => cleanups.push("parent")))
*   const childScope = yield* Scope.fork(parentScope, "parallel")
*   yield* Scope.addFinalizer(childScope, Effect.sync(() => cleanups.push("child")))
*   yield* Scope.close(childScope, Exit.void)
*   yield* Scope.close(parentScope, Exit.void)
* })
*
* Effect.runSync(nestedScopes)
* cleanups // => ["child", "parent"]
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const fork = scopeFork;
/**
* Creates a closeable child scope synchronously and registers it with a parent scope.
*
* **When to use**
*
* Use when a child scope must be created synchronously and the caller controls
* both parent and child scope lifetimes.
*
* **Details**
*
* Closing the parent closes the child with the same exit value, and closing the
* child detaches it from the parent. The optional finalizer strategy configures
* the child scope and defaults to `"sequential"` when omitted.
*
* **Example** (Creating a child scope synchronously)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Scope } from "effect"
*
* const cleanups: Array<string> = []
* const program = Effect.gen(function*() {
*   const parentScope = Scope.makeUnsafe("sequential")
*   const childScope = Scope.forkUnsafe(parentScope, "parallel")
*   yield* Scope.addFinalizer(parentScope, Effect.sync(() => cleanups.push("parent")))
*   yield* Scope.addFinalizer(childScope, Effect.sync(() => cleanups.push("child")))
*   yield* Scope.close(childScope, Exit.void)
*   yield* Scope.close(parentScope, Exit.void)
* })
*
* Effect.runSync(program)
* cleanups // => ["child", "parent"]
* ```
*
* @stability stable
* @category combinators
* @since 4.0.0
*/
const forkUnsafe = scopeForkUnsafe;
/**
* Closes a scope and runs its registered finalizers.
*
* **When to use**
*
* Use to close a scope manually with a specific exit value.
*
* **Details**
*
* Finalizers run in the scope's configured order and receive the supplied
* `Exit`.
* By default, finalizers run uninterruptibly, so interrupting the closing fiber
* waits for them to finish; a finalizer can explicitly restore interruptibility.
*
* **Gotchas**
*
* Closing a scope that is already closed returns immediately, even when the
* finalizers of an earlier close are still running.
*
* **Example** (Running scope finalizers)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Scope } from "effect"
*
* const events: Array<string> = []
* const resourceManagement = Effect.gen(function*() {
*   const scope = yield* Scope.make("sequential")
*   yield* Scope.addFinalizer(scope, Effect.sync(() => events.push("database")))
*   yield* Scope.addFinalizer(scope, Effect.sync(() => events.push("file")))
*   yield* Scope.addFinalizer(scope, Effect.sync(() => events.push("memory")))
*   events.push("work")
*   yield* Scope.close(scope, Exit.succeed("Success!"))
* })
*
* Effect.runSync(resourceManagement)
* events // => ["work", "memory", "file", "database"]
* ```
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const close = scopeClose;
/**
* Closes a scope unsafely with the provided exit value.
*
* **When to use**
*
* Use when implementing lower-level scope machinery that must transition a
* scope to `Closed` immediately and can run the returned finalizer effect when
* one is produced.
*
* **Details**
*
* Returns an effect that runs registered finalizers, or `undefined` when the
* scope was already closed or no finalizers need to run.
*
* **Gotchas**
*
* Ignoring the returned effect skips registered finalizers. The caller must
* run the returned effect uninterruptibly: the scope is already closed, so
* interruption during finalization can permanently skip remaining finalizers.
*
* @see {@link close} for the usual effectful close operation that always returns an `Effect`
*
* @stability stable
* @category unsafe
* @since 4.0.0
*/
const closeUnsafe = scopeCloseUnsafe;

// node_modules/effect/dist/Layer.js
const TypeId$13 = "~effect/Layer";
const MemoMapTypeId = "~effect/Layer/MemoMap";
const makeMemoMapEntry = (memoMap, layer) => {
	const entry = {
		observers: 0,
		deferred: makeUnsafe$3(),
		scope: makeUnsafe$2(),
		finalizer: (exit) => suspend$1(() => {
			if (--entry.observers > 0) return void_$3;
			memoMap.map.delete(layer);
			return close(entry.scope, exit);
		})
	};
	return entry;
};
const memoMapObserve = (entry, scope) => {
	if (scope.state._tag === "Closed") return false;
	entry.observers++;
	scopeAddFinalizerUnsafe(scope, {}, entry.finalizer);
	return true;
};
const LayerProto = {
	[TypeId$13]: {
		_ROut: identity,
		_E: identity,
		_RIn: identity
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const fromBuildUnsafe = (build) => {
	const self = Object.create(LayerProto);
	self.build = build;
	return self;
};
/**
* Constructs a `Layer` from a function that uses a `MemoMap` and `Scope` to
* build the layer.
*
* **Details**
*
* The function receives a `MemoMap` for memoization and a `Scope` for resource management.
* A child scope is created, and if the build fails, the child scope is closed.
*
* **Example** (Constructing a layer from a build function)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const databaseLayer = Layer.fromBuild(() =>
*   Effect.sync(() =>
*     Context.make(Database, {
*       query: (sql: string) => Effect.succeed("result")
*     })
*   )
* )
*
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, databaseLayer)) // => "result"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromBuild = (build) => fromBuildUnsafe((memoMap, scope) => {
	const layerScope = forkUnsafe(scope);
	return onExit$1(build(memoMap, layerScope), (exit) => exit._tag === "Failure" ? close(layerScope, exit) : void_$3);
});
/**
* Constructs a `Layer` from a function that uses a `MemoMap` and `Scope` to
* build the layer, with automatic memoization.
*
* **Details**
*
* This is similar to `fromBuild` but provides automatic memoization of the layer construction.
* The layer will be memoized based on the provided `MemoMap`.
*
* **Example** (Memoizing layer construction)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const databaseLayer = Layer.fromBuildMemo(() =>
*   Effect.sync(() =>
*     Context.make(Database, {
*       query: (sql: string) => Effect.succeed("result")
*     })
*   )
* )
*
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, databaseLayer)) // => "result"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromBuildMemo = (build) => {
	const self = fromBuild((memoMap, scope) => memoMap.getOrElseMemoize(self, scope, build));
	return self;
};
var MemoMapImpl = class {
	get [MemoMapTypeId]() {
		return MemoMapTypeId;
	}
	parent;
	constructor(parent) {
		this.parent = parent;
	}
	map = /*#__PURE__*/ new Map();
	get(layer, scope) {
		const local = this.map.get(layer);
		if (local) {
			memoMapObserve(local, scope);
			return local.deferred.effect ?? _await(local.deferred);
		}
		return this.parent?.get(layer, scope);
	}
	getOrElseMemoize(layer, scope, build) {
		return suspend$1(() => {
			let deferred;
			return onExitPrimitive$1(suspend$1(() => {
				const existing = this.get(layer, scope);
				if (existing) return existing;
				const entry = makeMemoMapEntry(this, layer);
				if (!memoMapObserve(entry, scope)) return build(this, scope);
				deferred = entry.deferred;
				this.map.set(layer, entry);
				return build(this, entry.scope);
			}), (exit) => {
				if (deferred) doneUnsafe(deferred, exit);
			});
		});
	}
};
/**
* Constructs a `MemoMap` synchronously so it can be used to build additional layers.
*
* **Example** (Creating a memo map unsafely)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* // Create a memo map for manual layer building
* const program = Effect.gen(function*() {
*   const memoMap = Layer.makeMemoMapUnsafe()
*   const scope = yield* Effect.scope
*
*   const dbLayer = Layer.succeed(Database, {
*     query: Effect.fn("Database.query")((sql: string) => Effect.succeed("result"))
*   })
*   const context = yield* Layer.buildWithMemoMap(dbLayer, memoMap, scope)
*
*   return Context.get(context, Database)
* })
*
* const database = Effect.runSync(Effect.scoped(program))
* Effect.runSync(database.query("SELECT 1")) // => "result"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeMemoMapUnsafe = () => new MemoMapImpl();
/**
* Constructs a child `MemoMap` synchronously, allowing it to reuse layers
* already memoized in the parent while isolating any new layer allocations to
* the child map.
*
* **When to use**
*
* Use to synchronously fork a memo map for manual layer building when child
* builds should see parent memoized layers without writing newly built layers
* back to the parent.
*
* @see {@link forkMemoMap} for allocating the child memo map inside `Effect`
* @see {@link makeMemoMapUnsafe} for creating a root memo map without a parent
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const forkMemoMapUnsafe = (parent) => new MemoMapImpl(parent);
/**
* Context service for the current `MemoMap` used in layer construction.
*
* **When to use**
*
* Use when building custom layer operations that need to access the current
* memoization map from the fiber context.
*
* **Details**
*
* This service wraps a `MemoMap` as a `Context.Service`, making it available
* for dependency injection during layer construction.
*
* @see {@link MemoMap} the memoization map type wrapped by this service
*
* @stability stable
* @category services
* @since 3.13.0
*/
var CurrentMemoMap = class CurrentMemoMap extends (/*#__PURE__*/ Service()("effect/Layer/CurrentMemoMap")) {
	static forkOrCreate(self) {
		const current = getOrUndefined$1(self, CurrentMemoMap);
		return current ? forkMemoMapUnsafe(current) : makeMemoMapUnsafe();
	}
};
/**
* Builds a layer into an `Effect` value, using the specified `MemoMap` to memoize
* the layer construction.
*
* **Example** (Building layers with an explicit memo map)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* class Logger extends Context.Service<Logger, {
*   readonly log: (msg: string) => Effect.Effect<void>
* }>()("Logger") {}
*
* const logs: Array<string> = []
*
* // Build layers with explicit memoization control
* const program = Effect.gen(function*() {
*   const memoMap = yield* Layer.makeMemoMap
*   const scope = yield* Effect.scope
*
*   // Build database layer with memoization
*   const dbLayer = Layer.succeed(Database, {
*     query: Effect.fn("Database.query")((sql: string) => Effect.succeed("result"))
*   })
*   const dbContext = yield* Layer.buildWithMemoMap(dbLayer, memoMap, scope)
*
*   // Build logger layer with same memoization (reuses memo if same layer)
*   const loggerLayer = Layer.succeed(Logger, {
*     log: Effect.fn("Logger.log")((msg: string) => Effect.sync(() => logs.push(msg)))
*   })
*   const loggerContext = yield* Layer.buildWithMemoMap(
*     loggerLayer,
*     memoMap,
*     scope
*   )
*
*   return {
*     database: Context.get(dbContext, Database),
*     logger: Context.get(loggerContext, Logger)
*   }
* })
*
* const services = Effect.runSync(Effect.scoped(program))
* Effect.runSync(services.logger.log("ready"))
* logs // => ["ready"]
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const buildWithMemoMap = /*#__PURE__*/ dual(3, (self, memoMap, scope) => provideService$1(map$2(suspend$1(() => self.build(memoMap, scope)), add(CurrentMemoMap, memoMap)), CurrentMemoMap, memoMap));
/**
* Builds a layer using an explicit scope.
*
* **When to use**
*
* Use to control the lifetime of layer resources with a scope supplied by the
* caller.
*
* **Details**
*
* Resources created by the layer are released when the supplied scope is
* closed, unless a resource extends its own scope.
*
* **Example** (Building a layer with an explicit scope)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer, Scope } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const logs: Array<string> = []
*
* // Build a layer with explicit scope control
* const program = Effect.gen(function*() {
*   const scope = yield* Effect.scope
*
*   const dbLayer = Layer.effect(Database, Effect.gen(function*() {
*     logs.push("Initializing database...")
*     yield* Scope.addFinalizer(
*       scope,
*       Effect.sync(() => logs.push("Database closed"))
*     )
*     return { query: Effect.fn("Database.query")((sql: string) => Effect.succeed(`Result: ${sql}`)) }
*   }))
*
*   // Build with specific scope - resources tied to this scope
*   const context = yield* Layer.buildWithScope(dbLayer, scope)
*   const database = Context.get(context, Database)
*
*   return yield* database.query("SELECT * FROM users")
*   // Database will be closed when scope is closed
* })
*
* Effect.runSync(Effect.scoped(program)) // => "Result: SELECT * FROM users"
* logs // => ["Initializing database...", "Database closed"]
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const buildWithScope = /*#__PURE__*/ dual(2, (self, scope) => withFiber$1((fiber) => buildWithMemoMap(self, CurrentMemoMap.forkOrCreate(fiber.context), scope)));
/**
* Constructs a layer that provides a single service from an already available
* value.
*
* **When to use**
*
* Use when you need a `Layer` that provides a service from an already
* constructed implementation without effectful acquisition.
*
* **Example** (Creating a layer from a service implementation)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const DatabaseLayer = Layer.succeed(Database, {
*   query: Effect.fn("Database.query")((sql: string) => Effect.succeed(`Query result: ${sql}`))
* })
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, DatabaseLayer)) // => "Query result: SELECT 1"
* ```
*
* @see {@link sync} for constructing layers from lazy values
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeed$3 = function() {
	if (arguments.length === 1) return (resource) => succeedContext(make$11(arguments[0], resource));
	return succeedContext(make$11(arguments[0], arguments[1]));
};
/**
* Constructs a layer that provides all services in an already available
* `Context`.
*
* **When to use**
*
* Use when you need a `Layer` built from an existing `Context`, including when
* you need to provide multiple services at once.
*
* **Details**
*
* This is a more general version of `succeed` that allows you to provide
* multiple services at once through a `Context`.
*
* **Example** (Providing multiple services from a context)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* class Logger extends Context.Service<Logger, {
*   readonly log: (msg: string) => Effect.Effect<void>
* }>()("Logger") {}
*
* const logs: Array<string> = []
* const context = Context.make(Database, {
*   query: Effect.fn("Database.query")((sql: string) => Effect.succeed("result"))
* }).pipe(
*   Context.add(Logger, {
*     log: (msg: string) => Effect.sync(() => logs.push(msg))
*   })
* )
*
* const layer = Layer.succeedContext(context)
* const program = Logger.use((logger) => logger.log("ready"))
* Effect.runSync(Effect.provide(program, layer))
* logs // => ["ready"]
* ```
*
* @see {@link succeed} for providing a single service from a value
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeedContext = (context) => fromBuildUnsafe(constant(succeed$4(context)));
/**
* Constructs a layer lazily that provides a single service.
*
* **When to use**
*
* Use when you need a `Layer` that provides one service whose value is created
* synchronously, but creation should be deferred until the layer is built.
*
* **Details**
*
* This is a lazy version of `succeed` where the service value is computed
* synchronously only when the layer is built.
*
* **Example** (Lazily providing a service)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const layer = Layer.sync(Database, () => ({
*   query: (sql: string) => Effect.succeed(`Query: ${sql}`)
* }))
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, layer)) // => "Query: SELECT 1"
* ```
*
* @see {@link succeed} for constructing layers from static values
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const sync$1 = function() {
	if (arguments.length === 1) return (evaluate) => syncContext(() => make$11(arguments[0], evaluate()));
	return syncContext(() => make$11(arguments[0], arguments[1]()));
};
/**
* Constructs a layer lazily that provides all services in a `Context`.
*
* **When to use**
*
* Use when you need a `Layer` that creates multiple services synchronously but
* defers that work until the layer is built.
*
* **Details**
*
* This is a lazy version of `succeedContext` where the `Context` is computed
* synchronously only when the layer is built.
*
* **Example** (Lazily providing a context)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const layer = Layer.syncContext(() =>
*   Context.make(Database, {
*     query: (sql: string) => Effect.succeed(`Query: ${sql}`)
*   })
* )
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, layer)) // => "Query: SELECT 1"
* ```
*
* @see {@link sync} for lazily providing a single service
* @see {@link succeedContext} for providing an already available context
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const syncContext = (evaluate) => fromBuildMemo(constant(sync$2(evaluate)));
/**
* Constructs a layer from an effect that produces a single service.
*
* **When to use**
*
* Use when you need to construct a `Layer`-provided service with an `Effect`,
* dependencies, or scoped resource acquisition.
*
* **Details**
*
* This allows you to create a `Layer` from an `Effect` that produces a service.
* The `Effect` is executed in the scope of the layer, allowing for proper
* resource management.
*
* **Example** (Creating a layer from an effect)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const layer = Layer.effect(Database,
*   Effect.sync(() => ({
*     query: (sql: string) => Effect.succeed(`Query: ${sql}`)
*   }))
* )
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, layer)) // => "Query: SELECT 1"
* ```
*
* @see {@link effectContext} for effectfully providing multiple services
* @see {@link effectDiscard} for running construction work without providing services
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const effect = function() {
	if (arguments.length === 1) return (effect) => effectImpl(arguments[0], effect);
	return effectImpl(arguments[0], arguments[1]);
};
const effectImpl = (service, effect) => effectContext(map$2(effect, (value) => make$11(service, value)));
/**
* Constructs a layer from an effect that produces all services in a `Context`.
*
* **When to use**
*
* Use when you need a `Layer` that effectfully constructs a `Context` with
* multiple services.
*
* **Details**
*
* This allows you to create a `Layer` from an effectful computation that
* returns multiple services. The `Effect` is executed in the scope of the
* layer.
*
* **Example** (Creating a layer from an effectful context)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<
*   Database,
*   { readonly query: (sql: string) => Effect.Effect<string> }
* >()("Database") {}
*
* const layer = Layer.effectContext(
*   Effect.succeed(Context.make(Database, {
*     query: (sql: string) => Effect.succeed(`Query: ${sql}`)
*   }))
* )
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, layer)) // => "Query: SELECT 1"
* ```
*
* @see {@link effect} for effectfully providing a single service
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const effectContext = (effect) => fromBuildMemo((_, scope) => provide$3(effect, scope));
/**
* Constructs a layer from an effect, discarding its value and providing no
* services.
*
* **When to use**
*
* Use when layer construction should run an Effect for its side effects while providing no
* services.
*
* **Example** (Running an effect during layer construction)
*
* ```ts import.meta.vitest
* import { Effect, Layer } from "effect"
*
* const logs: Array<string> = []
* const initLayer = Layer.effectDiscard(
*   Effect.sync(() => {
*     logs.push("Initializing application...")
*   })
* )
* Effect.runSync(Effect.scoped(Layer.build(initLayer)))
* logs // => ["Initializing application..."]
* ```
*
* @see {@link empty} for a no-op layer that performs no construction work
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const effectDiscard = (effect) => effectContext(as$1(effect, empty$4()));
const unwrapKey = /*#__PURE__*/ Service("effect/Layer/unwrap");
/**
* Unwraps a `Layer` from an `Effect`, flattening the nested structure.
*
* **When to use**
*
* Use when you have an `Effect` that produces a `Layer` and you want to
* use that layer directly.
*
* **Details**
*
* The resulting Layer will have the combined error and dependency types from
* both the outer Effect and the inner Layer.
*
* **Example** (Unwrapping an effectful layer)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* const layerEffect = Effect.succeed(
*   Layer.succeed(Database, { query: Effect.fn("Database.query")((sql: string) => Effect.succeed("result")) })
* )
*
* const unwrappedLayer = Layer.unwrap(layerEffect)
* const program = Database.use((database) => database.query("SELECT 1"))
* Effect.runSync(Effect.provide(program, unwrappedLayer)) // => "result"
* ```
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const unwrap$1 = (self) => flatMap$1(effect(unwrapKey)(self), get(unwrapKey));
const mergeAllEffect = (layers, memoMap, scope) => {
	const parentScope = forkUnsafe(scope, "parallel");
	return forEach$1(layers, (layer) => layer.build(memoMap, forkUnsafe(parentScope, "sequential")), { concurrency: layers.length }).pipe(map$2((context) => mergeAll$1(...context)));
};
/**
* Combines all the provided layers concurrently, creating a new layer with
* merged input, error, and output types.
*
* **When to use**
*
* Use when you need to combine multiple independent layers.
*
* **Details**
*
* All layers are built concurrently, and their outputs are merged into a single layer.
*
* If multiple merged layers depend on the same layer value, that dependency is
* shared by default. Reuse a named layer value when you want services to share
* the same resource, such as one database pool.
*
* **Example** (Merging independent layers)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* class Logger extends Context.Service<Logger, {
*   readonly log: (msg: string) => Effect.Effect<void>
* }>()("Logger") {}
*
* const dbLayer = Layer.succeed(Database, {
*   query: Effect.fn("Database.query")((sql: string) => Effect.succeed("result"))
* })
* const logs: Array<string> = []
* const loggerLayer = Layer.succeed(Logger, {
*   log: Effect.fn("Logger.log")((msg: string) => Effect.sync(() => logs.push(msg)))
* })
*
* const mergedLayer = Layer.mergeAll(dbLayer, loggerLayer)
* const program = Logger.use((logger) => logger.log("ready"))
* Effect.runSync(Effect.provide(program, mergedLayer))
* logs // => ["ready"]
* ```
*
* @see {@link merge} for merging one layer with another layer or array
*
* @stability stable
* @category zipping
* @since 2.0.0
*/
const mergeAll = (...layers) => fromBuildMemo((memoMap, scope) => mergeAllEffect(layers, memoMap, scope));
const provideWith = (self, that, f) => fromBuildMemo((memoMap, scope) => flatMap$2(Array.isArray(that) ? mergeAllEffect(that, memoMap, scope) : that.build(memoMap, scope), (context) => self.build(memoMap, scope).pipe(provideContext$1(context), map$2((merged) => f(merged, context)))));
/**
* Feeds the output services of the dependency layer into the requirements of
* this layer, returning a layer that only provides the services from this layer.
*
* **When to use**
*
* Use when you need to hide an implementation dependency layer from callers.
*
* **Details**
*
* In `serviceLayer.pipe(Layer.provide(dependencyLayer))`, the dependency layer is
* built first and is used to satisfy the requirements of `serviceLayer`.
*
* **Example** (Providing layer dependencies)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* class UserService extends Context.Service<UserService, {
*   readonly getUser: (id: string) => Effect.Effect<{
*     id: string
*     name: string
*   }>
* }>()("UserService") {}
*
* class Logger extends Context.Service<Logger, {
*   readonly log: (msg: string) => Effect.Effect<void>
* }>()("Logger") {}
*
* // Create dependency layers
* const databaseLayer = Layer.succeed(Database, {
*   query: Effect.fn("Database.query")((sql: string) => Effect.succeed(`DB: ${sql}`))
* })
*
* const logs: Array<string> = []
* const loggerLayer = Layer.succeed(Logger, {
*   log: Effect.fn("Logger.log")((msg: string) => Effect.sync(() => logs.push(`[LOG] ${msg}`)))
* })
*
* // UserService depends on Database and Logger
* const userServiceLayer = Layer.effect(UserService, Effect.gen(function*() {
*   const database = yield* Database
*   const logger = yield* Logger
*
*   return {
*     getUser: Effect.fn("UserService.getUser")(function*(id: string) {
*         yield* logger.log(`Looking up user ${id}`)
*         const result = yield* database.query(
*           `SELECT * FROM users WHERE id = ${id}`
*         )
*         return { id, name: result }
*       })
*   }
* }))
*
* // Provide dependencies to UserService layer
* const userServiceWithDependencies = userServiceLayer.pipe(
*   Layer.provide(Layer.mergeAll(databaseLayer, loggerLayer))
* )
*
* // Now UserService layer has no dependencies
* const program = Effect.gen(function*() {
*   const userService = yield* UserService
*   return yield* userService.getUser("123")
* }).pipe(
*   Effect.provide(userServiceWithDependencies)
* )
* Effect.runSync(program) // => { id: "123", name: "DB: SELECT * FROM users WHERE id = 123" }
* logs // => ["[LOG] Looking up user 123"]
* ```
*
* @see {@link provideMerge} for retaining the dependency services
*
* @stability stable
* @category providing services
* @since 2.0.0
*/
const provide$2 = /*#__PURE__*/ dual(2, (self, that) => provideWith(self, that, identity));
/**
* Feeds the output services of the dependency layer into the requirements of
* this layer, returning a layer that provides both sets of services.
*
* **When to use**
*
* Use when you need to compose `Layer`s while keeping both the constructed
* service and the dependency used to build it available.
*
* **Details**
*
* Prefer {@link provide} when the dependency should stay private.
*
* **Example** (Providing dependencies while retaining services)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* class Logger extends Context.Service<Logger, {
*   readonly log: (msg: string) => Effect.Effect<void>
* }>()("Logger") {}
*
* class UserService extends Context.Service<UserService, {
*   readonly getUser: (id: string) => Effect.Effect<{
*     id: string
*     name: string
*   }>
* }>()("UserService") {}
*
* // Create dependency layers
* const databaseLayer = Layer.succeed(Database, {
*   query: Effect.fn("Database.query")((sql: string) => Effect.succeed(`DB: ${sql}`))
* })
*
* const logs: Array<string> = []
* const loggerLayer = Layer.succeed(Logger, {
*   log: Effect.fn("Logger.log")((msg: string) => Effect.sync(() => logs.push(`[LOG] ${msg}`)))
* })
*
* // UserService depends on Database and Logger
* const userServiceLayer = Layer.effect(UserService, Effect.gen(function*() {
*   const database = yield* Database
*   const logger = yield* Logger
*
*   return {
*     getUser: Effect.fn("UserService.getUser")(function*(id: string) {
*         yield* logger.log(`Looking up user ${id}`)
*         const result = yield* database.query(
*           `SELECT * FROM users WHERE id = ${id}`
*         )
*         return { id, name: result }
*       })
*   }
* }))
*
* // Provide dependencies and merge all services together
* const allServicesLayer = userServiceLayer.pipe(
*   Layer.provideMerge(Layer.mergeAll(databaseLayer, loggerLayer))
* )
*
* // Now the resulting layer provides UserService, Database, AND Logger
* const program = Effect.gen(function*() {
*   const userService = yield* UserService
*   const logger = yield* Logger // Still available!
*   const database = yield* Database // Still available!
*
*   const user = yield* userService.getUser("123")
*   yield* logger.log(`Found user: ${user.name}`)
*
*   return user
* }).pipe(
*   Effect.provide(allServicesLayer)
* )
* Effect.runSync(program) // => { id: "123", name: "DB: SELECT * FROM users WHERE id = 123" }
* logs // => ["[LOG] Looking up user 123", "[LOG] Found user: DB: SELECT * FROM users WHERE id = 123"]
* ```
*
* @see {@link provide} for keeping dependency services private
*
* @stability stable
* @category providing services
* @since 2.0.0
*/
const provideMerge = /*#__PURE__*/ dual(2, (self, that) => provideWith(self, that, (self, that) => merge$1(that, self)));
/**
* Constructs a layer dynamically based on the output of this layer.
*
* **Example** (Creating services from layer output)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* class Config extends Context.Service<Config, {
*   readonly dbUrl: string
*   readonly logLevel: string
* }>()("Config") {}
*
* class Database extends Context.Service<Database, {
*   readonly query: (sql: string) => Effect.Effect<string>
* }>()("Database") {}
*
* class Logger extends Context.Service<Logger, {
*   readonly log: (msg: string) => Effect.Effect<void>
* }>()("Logger") {}
*
* const logs: Array<string> = []
*
* // Base config layer
* const configLayer = Layer.succeed(Config, {
*   dbUrl: "postgres://localhost:5432/mydb",
*   logLevel: "debug"
* })
*
* // Dynamically create services based on config
* const dynamicServiceLayer = configLayer.pipe(
*   Layer.flatMap((context) => {
*     const config = Context.get(context, Config)
*
*     // Create database layer based on config
*     const dbLayer = Layer.succeed(Database, {
*       query: Effect.fn("Database.query")((sql: string) =>
*         Effect.succeed(
*           `Querying ${config.dbUrl}: ${sql}`
*         ))
*     })
*
*     // Create logger layer based on config
*     const loggerLayer = Layer.succeed(Logger, {
*       log: Effect.fn("Logger.log")((msg: string) =>
*         config.logLevel === "debug"
*           ? Effect.sync(() => logs.push(`[DEBUG] ${msg}`))
*           : Effect.sync(() => logs.push(msg))
*       )
*     })
*
*     // Return combined layer
*     return Layer.mergeAll(dbLayer, loggerLayer)
*   })
* )
*
* // Use the dynamic services
* const program = Effect.gen(function*() {
*   const database = yield* Database
*   const logger = yield* Logger
*
*   yield* logger.log("Starting database query")
*   const result = yield* database.query("SELECT * FROM users")
*
*   return result
* }).pipe(
*   Effect.provide(dynamicServiceLayer)
* )
* Effect.runSync(program) // => "Querying postgres://localhost:5432/mydb: SELECT * FROM users"
* logs // => ["[DEBUG] Starting database query"]
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const flatMap$1 = /*#__PURE__*/ dual(2, (self, f) => fromBuild((memoMap, scope) => flatMap$2(self.build(memoMap, scope), (context) => f(context).build(memoMap, scope))));
/**
* Creates a fresh version of this layer that will not be shared.
*
* **When to use**
*
* Use when you need two parts of an application to receive separate instances
* of a resource, such as two independent client sessions.
*
* **Gotchas**
*
* Do not use it just to work around confusing composition. By default, sharing
* the same layer value is usually the desired behavior.
*
* **Example** (Creating non-shared layer instances)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer, Ref } from "effect"
*
* class Counter extends Context.Service<Counter, {
*   readonly id: number
* }>()("Counter") {}
*
* class Left extends Context.Service<Left, {
*   readonly counterId: number
* }>()("Left") {}
*
* class Right extends Context.Service<Right, {
*   readonly counterId: number
* }>()("Right") {}
*
* const leftLayer = Layer.effect(Left, Effect.gen(function*() {
*   const counter = yield* Counter
*   return { counterId: counter.id }
* }))
*
* const rightLayer = Layer.effect(Right, Effect.gen(function*() {
*   const counter = yield* Counter
*   return { counterId: counter.id }
* }))
*
* const compareIds = Effect.gen(function*() {
*   const left = yield* Left
*   const right = yield* Right
*   return left.counterId === right.counterId
* })
*
* const program = Effect.gen(function*() {
*   const nextId = yield* Ref.make(0)
*
*   const counterLayer = Layer.effect(Counter, Effect.gen(function*() {
*     const id = yield* Ref.updateAndGet(nextId, (n) => n + 1)
*     return { id }
*   }))
*
*   const shared = Layer.merge(
*     Layer.provide(leftLayer, counterLayer),
*     Layer.provide(rightLayer, counterLayer)
*   )
*
*   const sharedResult = yield* Effect.provide(compareIds, shared)
*
*   const freshCounterLayer = Layer.fresh(counterLayer)
*   const fresh = Layer.merge(
*     Layer.provide(leftLayer, freshCounterLayer),
*     Layer.provide(rightLayer, freshCounterLayer)
*   )
*
*   const freshResult = yield* Effect.provide(compareIds, fresh)
*
*   return { shared: sharedResult, fresh: freshResult }
* })
*
* await Effect.runPromise(program) // => { shared: true, fresh: false }
* ```
*
* @stability stable
* @category layers
* @since 2.0.0
*/
const fresh = (self) => fromBuildUnsafe((_, scope) => self.build(makeMemoMapUnsafe(), scope));

// node_modules/effect/dist/Exit.js
/**
* Creates a successful Exit containing the given value.
*
* **When to use**
*
* Use when you need an Exit that contains a known success value.
*
* **Details**
*
* Returns a `Success<A>` with the provided value. Does not perform any
* computation.
*
* **Example** (Creating a successful Exit)
*
* ```ts import.meta.vitest
* import { Exit } from "effect"
*
* Exit.succeed(42) // => Exit.succeed(42)
* ```
*
* @see {@link fail} to create a failed Exit
* @see {@link void_ void} for a pre-allocated success with no value
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeed$2 = exitSucceed;
/**
* Creates a failed Exit from a Cause.
*
* **When to use**
*
* Use when you already have a `Cause<E>` and want to wrap it in an Exit
* for advanced error handling where you need full control over the Cause
* structure.
*
* **Details**
*
* Returns a `Failure<never, E>`. If you only have an error value, use
* {@link fail} instead.
*
* **Example** (Creating a failed Exit from a Cause)
*
* ```ts import.meta.vitest
* import { Cause, Exit } from "effect"
*
* Exit.failCause(Cause.fail("Something went wrong")) // => Exit.fail("Something went wrong")
* ```
*
* @see {@link fail} to create a Failure from a plain error value
* @see {@link die} to create a Failure from a defect
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const failCause$1 = exitFailCause;
/**
* Creates a failed Exit from a typed error value.
*
* **When to use**
*
* Use when you need to represent an expected typed failure as an `Exit`.
*
* **Details**
*
* The error is wrapped in a `Cause.Fail` internally.
*
* Returns a `Failure<never, E>`.
*
* **Example** (Creating a failed Exit)
*
* ```ts import.meta.vitest
* import { Exit } from "effect"
*
* Exit.fail("Something went wrong") // => Exit.fail("Something went wrong")
* ```
*
* @see {@link succeed} to create a successful Exit
* @see {@link die} to create a Failure from an unexpected defect
* @see {@link failCause} to create a Failure from a full Cause
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fail$3 = exitFail;
const void_$2 = exitVoid;
/**
* Checks whether an Exit is a Success.
*
* **When to use**
*
* Use as a type guard to narrow `Exit<A, E>` to `Success<A, E>` and access the
* `value` property.
*
* **Example** (Narrowing to success)
*
* ```ts import.meta.vitest
* import { Exit } from "effect"
*
* const exit = Exit.succeed(42)
*
* if (Exit.isSuccess(exit)) {
*   exit.value // => 42
* }
* ```
*
* @see {@link isFailure} for the opposite check
* @see {@link match} for exhaustive pattern matching
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isSuccess = exitIsSuccess;
/**
* Checks whether an Exit is a Failure.
*
* **When to use**
*
* Use as a type guard to narrow `Exit<A, E>` to `Failure<A, E>` and access the
* `cause` property.
*
* **Example** (Narrowing to failure)
*
* ```ts import.meta.vitest
* import { Cause, Exit } from "effect"
*
* const exit = Exit.fail("error")
*
* if (Exit.isFailure(exit)) {
*   exit.cause // => Cause.fail("error")
* }
* ```
*
* @see {@link isSuccess} for the opposite check
* @see {@link match} for exhaustive pattern matching
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isFailure = exitIsFailure;

// node_modules/effect/dist/Cause.js
/**
* Records the full reason an `Effect` failed.
*
* A `Cause<E>` can contain typed failures, unexpected defects, interruptions,
* and annotations. Keeping those details together lets code inspect or format
* failures without first collapsing them to a single error value. This module
* includes the `Cause` and `Reason` data types, helpers for building and
* checking causes, and small error types used by several Effect APIs.
*
* @stability stable
* @since 2.0.0
*/
/**
* Checks whether an arbitrary value is a `Cause`.
*
* **Example** (Checking the runtime type)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.isCause(Cause.fail("error")) // => true
* Cause.isCause("not a cause") // => false
* ```
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isCause = isCause$1;
/**
* Checks whether an arbitrary value is a `Reason` (`Fail`, `Die`, or `Interrupt`).
*
* **Example** (Checking the runtime type)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* const reason = Cause.fail("error").reasons[0]
* Cause.isReason(reason) // => true
* Cause.isReason("not a reason") // => false
* ```
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isReason = isCauseReason;
/**
* Narrows a `Reason` to `Fail`.
*
* **When to use**
*
* Use as a predicate for `Array.filter` to pick out typed `Fail` reasons when
* iterating over `cause.reasons`.
*
* **Example** (Filtering fail reasons)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* const cause = Cause.fail("error")
* const fails = cause.reasons.filter(Cause.isFailReason)
* fails[0].error // => "error"
* ```
*
* @see {@link isDieReason} — narrow to `Die`
* @see {@link isInterruptReason} — narrow to `Interrupt`
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isFailReason = isFailReason$1;
/**
* Narrows a `Reason` to `Die`.
*
* **When to use**
*
* Use as a predicate for `Array.filter` to pick out `Die` (defect) reasons when
* iterating over `cause.reasons`.
*
* **Example** (Filtering die reasons)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* const cause = Cause.die("defect")
* const dies = cause.reasons.filter(Cause.isDieReason)
* dies[0].defect // => "defect"
* ```
*
* @see {@link isFailReason} — narrow to `Fail`
* @see {@link isInterruptReason} — narrow to `Interrupt`
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isDieReason = isDieReason$1;
/**
* Creates a `Cause` from an array of `Reason` values.
*
* **When to use**
*
* Use when you already have individual reasons (e.g. from filtering or
* transforming another cause's `reasons` array) and need to wrap them back
* into a `Cause`.
*
* **Details**
*
* - Returns a new `Cause`.
* - An empty array produces a cause equivalent to `empty`.
*
* **Gotchas**
*
* The `reasons` array is stored as provided. Treat the array as immutable
* after passing it to this function.
*
* **Example** (Building a cause from reasons)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* const reasons = [
*   Cause.makeFailReason("err1"),
*   Cause.makeFailReason("err2")
* ]
* Cause.fromReasons(reasons) // => Cause.combine(Cause.fail("err1"), Cause.fail("err2"))
* ```
*
* @see {@link combine} — merge two existing causes
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromReasons = causeFromReasons;
/**
* Creates a `Cause` containing a single `Fail` reason with the
* given typed error.
*
* **When to use**
*
* Use to construct a cause from an expected typed error.
*
* **Example** (Creating a fail cause)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.fail("Something went wrong") // => Cause.fromReasons([Cause.makeFailReason("Something went wrong")])
* ```
*
* @see {@link die} — for untyped defects
* @see {@link interrupt} — for fiber interruptions
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fail$2 = causeFail;
/**
* Creates a `Cause` containing a single `Die` reason with the
* given defect.
*
* **When to use**
*
* Use to construct a cause from an untyped defect or unexpected thrown value.
*
* **Example** (Creating a die cause)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.die("Unexpected") // => Cause.fromReasons([Cause.makeDieReason("Unexpected")])
* ```
*
* @see {@link fail} — for typed errors
* @see {@link interrupt} — for fiber interruptions
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const die$1 = causeDie;
/**
* Creates a standalone `Fail` reason (not wrapped in a `Cause`).
*
* **When to use**
*
* Use when constructing a standalone typed failure reason for
* {@link fromReasons} or direct comparison.
*
* **Example** (Creating a Fail reason)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.makeFailReason("error") // => Cause.fail("error").reasons[0]
* ```
*
* @see {@link makeDieReason} — create a `Die` reason
* @see {@link makeInterruptReason} — create an `Interrupt` reason
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeFailReason = (error) => new Fail(error);
/**
* Creates a standalone `Die` reason (not wrapped in a `Cause`).
*
* **When to use**
*
* Use when constructing a standalone defect reason for {@link fromReasons} or
* direct comparison.
*
* **Example** (Creating a Die reason)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.makeDieReason("bug") // => Cause.die("bug").reasons[0]
* ```
*
* @see {@link makeFailReason} — create a `Fail` reason
* @see {@link makeInterruptReason} — create an `Interrupt` reason
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeDieReason = (defect) => new Die(defect);
/**
* Creates a standalone `Interrupt` reason (not wrapped in a `Cause`),
* optionally carrying the interrupting fiber's ID.
*
* **When to use**
*
* Use when constructing a standalone interrupt reason for {@link fromReasons}
* or direct comparison.
*
* **Example** (Creating an Interrupt reason)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.makeInterruptReason(42) // => Cause.interrupt(42).reasons[0]
* ```
*
* @see {@link makeFailReason} — create a `Fail` reason
* @see {@link makeDieReason} — create a `Die` reason
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeInterruptReason = makeInterruptReason$1;
/**
* Returns `true` if every reason in the cause is an `Interrupt` (and
* there is at least one reason).
*
* **When to use**
*
* Use when you need to detect failures caused only by interruption.
*
* **Example** (Checking interrupt-only causes)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.hasInterruptsOnly(Cause.interrupt(123)) // => true
* Cause.hasInterruptsOnly(Cause.fail("error")) // => false
* Cause.hasInterruptsOnly(Cause.empty) // => false
* ```
*
* @see {@link hasInterrupts} — `true` if the cause contains *any* interrupts
*
* @stability stable
* @category predicates
* @since 4.0.0
*/
const hasInterruptsOnly = hasInterruptsOnly$1;
/**
* Transforms the typed error values inside a `Cause` using the
* provided function. Only `Fail` reasons are affected; `Die` and `Interrupt`
* reasons pass through unchanged.
*
* **When to use**
*
* Use to transform expected typed failures while preserving defects and
* interruptions unchanged.
*
* **Details**
*
* If at least one `Fail` reason exists, this returns a new `Cause`
* containing the mapped failures. If the cause has no `Fail` reasons, the
* original cause is returned unchanged.
*
* **Example** (Mapping errors to uppercase)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* const cause = Cause.fail("error")
* const mapped = Cause.map(cause, (e) => e.toUpperCase())
* const reason = mapped.reasons[0]
* if (Cause.isFailReason(reason)) {
*   reason.error // => "ERROR"
* }
* ```
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map$1 = causeMap;
/**
* Merges two causes into a single cause whose `reasons` array is the union
* of both inputs (de-duplicated by value equality).
*
* **When to use**
*
* Use to merge independent causes into one structured failure value.
*
* **Details**
*
* - Combining with `empty` returns the other cause unchanged.
* - If the result is structurally equal to `self`, `self` is returned
*   (referential shortcut).
*
* **Example** (Combining two causes)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* const combined = Cause.combine(Cause.fail("error1"), Cause.fail("error2"))
* combined // => Cause.fromReasons([Cause.makeFailReason("error1"), Cause.makeFailReason("error2")])
* ```
*
* @see {@link fromReasons} — build a cause from an array of reasons
* @see {@link empty} for the identity cause used when combining
*
* @stability stable
* @category combining
* @since 4.0.0
*/
const combine = causeCombine;
/**
* Collapses a `Cause` into a single `unknown` value, picking the "most
* important" failure in this order:
*
* **When to use**
*
* Use to collapse a structured cause to the single value that synchronous and
* promise runners would throw.
*
* **Details**
*
* 1. First `Fail` error (the `E` value)
* 2. First `Die` defect
* 3. A generic `Error("All fibers interrupted without error")` for interrupt-only causes
* 4. A generic `Error("Empty cause")` for `empty`
*
* This is the function used by `Effect.runPromise` and `Effect.runSync` to
* decide what to throw.
*
* **Gotchas**
*
* This function is lossy. Use {@link prettyErrors} or iterate `cause.reasons`
* when you need all failures.
*
* **Example** (Squashing a cause)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.squash(Cause.fail("error")) // => "error"
* Cause.squash(Cause.die("defect")) // => "defect"
* ```
*
* @see {@link prettyErrors} — non-lossy conversion to `Array<Error>`
* @see {@link pretty} — human-readable string rendering
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const squash = causeSquash;
/**
* Returns `true` if the cause contains at least one `Interrupt` reason.
*
* **Example** (Checking for interruptions)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.hasInterrupts(Cause.interrupt(123)) // => true
* Cause.hasInterrupts(Cause.fail("error")) // => false
* ```
*
* @see {@link hasInterruptsOnly} — `true` only when *all* reasons are interrupts
* @see {@link hasFails} — check for typed errors
* @see {@link hasDies} — check for defects
*
* @stability stable
* @category predicates
* @since 4.0.0
*/
const hasInterrupts = hasInterrupts$1;
/**
* Checks whether an arbitrary value is a `NoSuchElementError`.
*
* **Example** (Checking the runtime type)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.isNoSuchElementError(new Cause.NoSuchElementError()) // => true
* Cause.isNoSuchElementError("nope") // => false
* ```
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isNoSuchElementError = isNoSuchElementError$1;
/**
* Checks whether an arbitrary value is a `Done` signal.
*
* **Example** (Checking the runtime type)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* Cause.isDone(Cause.Done()) // => true
* Cause.isDone("not done") // => false
* ```
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isDone = isDone$2;
/**
* Creates a `Done` signal with an optional value.
*
* **When to use**
*
* Use when you need to construct a low-level pull completion signal directly.
*
* @see {@link done} — create a failing `Effect` with `Done`
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Done = Done$1;
/**
* Creates an Effect that fails with a `Done` error. Shorthand for
* `Effect.fail(Cause.Done(value))`.
*
* **When to use**
*
* Use when you model stream or queue completion through the error channel.
*
* **Example** (Failing with Done)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Exit } from "effect"
*
* const program = Cause.done("finished")
*
* await Effect.runPromiseExit(program) // => Exit.fail(Cause.Done("finished"))
* ```
*
* @see {@link Done} — create the signal value without an Effect
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const done = done$2;
/**
* Constructs an `IllegalArgumentError` with an optional message.
*
* **Example** (Creating an IllegalArgumentError)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* new Cause.IllegalArgumentError("Invalid argument").message // => "Invalid argument"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const IllegalArgumentError = IllegalArgumentError$1;
/**
* Constructs an `UnknownError`. The first argument is the original
* cause (stored in `Error.cause`); the second is an optional human-readable
* message.
*
* **Example** (Creating an UnknownError)
*
* ```ts import.meta.vitest
* import { Cause } from "effect"
*
* new Cause.UnknownError({ raw: true }, "Unexpected value").message // => "Unexpected value"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const UnknownError = UnknownError$1;
/**
* Reads the annotations from a single `Reason` as a `Context`.
*
* **When to use**
*
* Use when you need tracing metadata (e.g. `StackTrace`) from
* a specific reason rather than the whole cause.
*
* **Example** (Reading reason annotations)
*
* ```ts import.meta.vitest
* import { Cause, Context } from "effect"
*
* class RequestId extends Context.Service<RequestId, string>()("RequestId") {}
*
* const reason = Cause.makeFailReason("error")
* const annotated = reason.annotate(Context.make(RequestId, "req-1"))
*
* Context.getOrUndefined(Cause.reasonAnnotations(annotated), RequestId) // => "req-1"
* ```
*
* @see {@link annotations} — merged annotations from all reasons in a cause
*
* @stability stable
* @category annotations
* @since 4.0.0
*/
const reasonAnnotations = reasonAnnotations$1;
/**
* Context annotation used to store the stack frame captured at the point of failure.
*
* **When to use**
*
* Use to read the failure stack-frame annotation from a `Reason` when building
* diagnostics, logging, or custom cause renderers.
*
* **Details**
*
* The runtime annotates every reason with this when a stack frame is
* available. Retrieve it via
* `Context.get(Cause.reasonAnnotations(reason), Cause.StackTrace)`.
*
* @see {@link reasonAnnotations} for reading annotations from a single reason
* @see {@link annotations} for reading merged annotations from a cause
* @see {@link InterruptorStackTrace} for the interrupt-specific stack-frame annotation
*
* @stability stable
* @category services
* @since 4.0.0
*/
var StackTrace = class extends (/*#__PURE__*/ Service()("effect/Cause/StackTrace")) {};

// node_modules/effect/dist/internal/dateTime.js
/** @internal */
const TypeId$12 = "~effect/DateTime";
/** @internal */
const TimeZoneTypeId = "~effect/DateTime/TimeZone";
const Proto$4 = {
	[TypeId$12]: TypeId$12,
	pipe() {
		return pipeArguments(this, arguments);
	},
	[NodeInspectSymbol]() {
		return this.toString();
	},
	toJSON() {
		return toDateUtc$1(this).toJSON();
	}
};
const ProtoUtc = {
	...Proto$4,
	_tag: "Utc",
	[symbol$1]() {
		return number$1(this.epochMilliseconds);
	},
	[symbol](that) {
		return isDateTime$1(that) && that._tag === "Utc" && this.epochMilliseconds === that.epochMilliseconds;
	},
	toString() {
		return `DateTime.Utc(${toDateUtc$1(this).toJSON()})`;
	}
};
const ProtoZoned = {
	...Proto$4,
	_tag: "Zoned",
	[symbol$1]() {
		return combine$1(number$1(this.epochMilliseconds))(hash(this.zone));
	},
	[symbol](that) {
		return isDateTime$1(that) && that._tag === "Zoned" && this.epochMilliseconds === that.epochMilliseconds && equals$1(this.zone, that.zone);
	},
	toString() {
		return `DateTime.Zoned(${formatIsoZoned(this)})`;
	}
};
const ProtoTimeZone = {
	[TimeZoneTypeId]: TimeZoneTypeId,
	[NodeInspectSymbol]() {
		return this.toString();
	}
};
const ProtoTimeZoneNamed = {
	...ProtoTimeZone,
	_tag: "Named",
	[symbol$1]() {
		return string$1(`Named:${this.id}`);
	},
	[symbol](that) {
		return isTimeZone(that) && that._tag === "Named" && this.id === that.id;
	},
	toString() {
		return `TimeZone.Named(${this.id})`;
	},
	toJSON() {
		return {
			_id: "TimeZone",
			_tag: "Named",
			id: this.id
		};
	}
};
const ProtoTimeZoneOffset = {
	...ProtoTimeZone,
	_tag: "Offset",
	[symbol$1]() {
		return string$1(`Offset:${this.offset}`);
	},
	[symbol](that) {
		return isTimeZone(that) && that._tag === "Offset" && this.offset === that.offset;
	},
	toString() {
		return `TimeZone.Offset(${offsetToString(this.offset)})`;
	},
	toJSON() {
		return {
			_id: "TimeZone",
			_tag: "Offset",
			offset: this.offset
		};
	}
};
/** @internal */
const isDateTime$1 = (u) => hasProperty(u, TypeId$12);
/** @internal */
const isTimeZone = (u) => hasProperty(u, TimeZoneTypeId);
/** @internal */
const isUtc$1 = (self) => self._tag === "Utc";
const makeUtc = (epochMillis) => {
	const self = Object.create(ProtoUtc);
	self.epochMilliseconds = epochMillis;
	Object.defineProperty(self, "partsUtc", {
		value: void 0,
		enumerable: false,
		writable: true
	});
	return self;
};
/** @internal */
const fromDateUnsafe = (date) => {
	const epochMillis = date.getTime();
	if (Number.isNaN(epochMillis)) throw new IllegalArgumentError("Invalid date");
	return makeUtc(epochMillis);
};
/** @internal */
const makeUnsafe$1 = (input) => {
	if (isDateTime$1(input)) return input;
	else if (input instanceof Date) return fromDateUnsafe(input);
	else if (typeof input === "object") {
		if ("epochMilliseconds" in input) return fromDateUnsafe(new Date(input.epochMilliseconds));
		const date = /* @__PURE__ */ new Date(0);
		setPartsDate(date, input);
		return fromDateUnsafe(date);
	} else if (typeof input === "string" && !hasZone(input)) return fromDateUnsafe(/* @__PURE__ */ new Date(input + "Z"));
	return fromDateUnsafe(new Date(input));
};
/**
* Detects whether a date string already contains timezone info.
* Without a zone, `new Date("2024-01-01T12:00:00")` is parsed as local time,
* so `makeUnsafe` appends "Z" to force UTC interpretation.
* This check prevents appending "Z" to strings that already have a zone
* (e.g. "2024-01-01T12:00:00Z", "...+05:30", "...GMT"), which would produce invalid dates.
* `Date.parse` also accepts a trailing `z` or `gmt` in any case. Only that trailing
* match is case-insensitive, so lowercase letters in a comment like "(xyz)" do not
* count as a zone.
*/
const hasZone = (input) => /Z|GMT|[+-]\d{2}$|[+-]\d{2}:?\d{2}$|\]$/.test(input) || /z$|gmt$/i.test(input);
/** @internal */
const make$8 = /*#__PURE__*/ liftThrowable(makeUnsafe$1);
/** @internal */
const toUtc$1 = (self) => makeUtc(self.epochMilliseconds);
/** @internal */
const toDateUtc$1 = (self) => new Date(self.epochMilliseconds);
/** @internal */
const toDate = (self) => {
	if (self._tag === "Utc") return new Date(self.epochMilliseconds);
	else if (self.zone._tag === "Offset") return new Date(self.epochMilliseconds + self.zone.offset);
	else if (self.adjustedEpochMilliseconds !== void 0) return new Date(self.adjustedEpochMilliseconds);
	let bc = false;
	const parts = self.zone.format.formatToParts(self.epochMilliseconds).filter((_) => {
		if (_.type === "era") {
			bc = _.value === "BC";
			return false;
		}
		return _.type !== "literal";
	});
	const year = Number(parts[2].value);
	const date = /* @__PURE__ */ new Date(0);
	date.setUTCFullYear(bc ? 1 - year : year, Number(parts[0].value) - 1, Number(parts[1].value));
	date.setUTCHours(Number(parts[3].value), Number(parts[4].value), Number(parts[5].value), parts[6]?.type === "fractionalSecond" ? Number(parts[6].value) : (self.epochMilliseconds % 1e3 + 1e3) % 1e3);
	self.adjustedEpochMilliseconds = date.getTime();
	return date;
};
/** @internal */
const zonedOffset = (self) => {
	return toDate(self).getTime() - toEpochMillis$1(self);
};
const offsetToString = (offset) => {
	const abs = Math.abs(offset);
	let hours = Math.floor(abs / 36e5);
	let minutes = Math.round(abs % 36e5 / 6e4);
	if (minutes === 60) {
		hours += 1;
		minutes = 0;
	}
	return `${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
};
/** @internal */
const zonedOffsetIso = (self) => offsetToString(zonedOffset(self));
/** @internal */
const toEpochMillis$1 = (self) => self.epochMilliseconds;
const setPartsDate = (date, parts) => {
	if (parts.year !== void 0 || parts.month !== void 0 || parts.day !== void 0) date.setUTCFullYear(parts.year ?? date.getUTCFullYear(), parts.month !== void 0 ? parts.month - 1 : date.getUTCMonth(), parts.day ?? date.getUTCDate());
	if (parts.weekDay !== void 0) {
		const diff = parts.weekDay - date.getUTCDay();
		date.setUTCDate(date.getUTCDate() + diff);
	}
	if (parts.hour !== void 0) date.setUTCHours(parts.hour);
	if (parts.minute !== void 0) date.setUTCMinutes(parts.minute);
	if (parts.second !== void 0) date.setUTCSeconds(parts.second);
	if (parts.millisecond !== void 0) date.setUTCMilliseconds(parts.millisecond);
};
/** @internal */
const formatIso$1 = (self) => toDateUtc$1(self).toISOString();
/** @internal */
const formatIsoOffset = (self) => {
	const date = toDate(self);
	return self._tag === "Utc" ? date.toISOString() : `${date.toISOString().slice(0, -1)}${zonedOffsetIso(self)}`;
};
/** @internal */
const formatIsoZoned = (self) => self.zone._tag === "Offset" ? formatIsoOffset(self) : `${formatIsoOffset(self)}[${self.zone.id}]`;

// node_modules/effect/dist/internal/layer.js
const provideLayer = (self, layer, options) => scopedWith$1((scope) => flatMap$2(options?.local ? buildWithMemoMap(layer, makeMemoMapUnsafe(), scope) : buildWithScope(layer, scope), (context) => provideContext$1(self, context)));
/** @internal */
const provide$1 = /*#__PURE__*/ dual((args) => isEffect$1(args[0]), (self, source, options) => isContext(source) ? provideContext$1(self, source) : provideLayer(self, Array.isArray(source) ? mergeAll(...source) : source, options));

// node_modules/effect/dist/Effect.js
/**
* Checks whether a value is an `Effect`.
*
* **Example** (Checking whether a value is an Effect)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* Effect.isEffect(Effect.succeed(1)) // => true
* Effect.isEffect("hello") // => false
* ```
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isEffect = isEffect$1;
/**
* Combines an iterable or record of effects into one effect whose success shape
* follows the input.
*
* **When to use**
*
* Use to run a known collection of effects and collect results in the same
* tuple, iterable, or record shape.
*
* **Details**
*
* Tuple and iterable inputs collect results in order. Record inputs collect
* results under the same keys. By default, the combined effect fails on the
* first failure; with concurrent execution, effects that have already started
* may be interrupted, while effects not yet started are skipped.
*
* Options:
*
* Use `concurrency` to control sequential or concurrent execution. Use
* `mode: "result"` to run every effect and collect each success or failure as a
* `Result` in the same output shape. Use `discard: true` to ignore successful
* values and return `void`.
*
* **Example** (Collecting tuple results in order)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const tupleOfEffects = [
*   Effect.succeed(42),
*   Effect.succeed("Hello")
* ] as const
*
* //      ┌─── Effect<[number, string], never, never>
* //      ▼
* const resultsAsTuple = Effect.all(tupleOfEffects)
*
* await Effect.runPromise(resultsAsTuple) // => [42, "Hello"]
* ```
*
* **Example** (Collecting iterable results in order)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const iterableOfEffects: Iterable<Effect.Effect<number>> = [1, 2, 3].map(
*   Effect.succeed
* )
*
* //      ┌─── Effect<number[], never, never>
* //      ▼
* const resultsAsArray = Effect.all(iterableOfEffects)
*
* await Effect.runPromise(resultsAsArray) // => [1, 2, 3]
* ```
*
* **Example** (Collecting struct results by key)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const structOfEffects = {
*   a: Effect.succeed(42),
*   b: Effect.succeed("Hello")
* }
*
* //      ┌─── Effect<{ a: number; b: string; }, never, never>
* //      ▼
* const resultsAsStruct = Effect.all(structOfEffects)
*
* await Effect.runPromise(resultsAsStruct) // => { a: 42, b: "Hello" }
* ```
*
* **Example** (Collecting record results by key)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const recordOfEffects: Record<string, Effect.Effect<number>> = {
*   key1: Effect.succeed(1),
*   key2: Effect.succeed(2)
* }
*
* //      ┌─── Effect<{ [x: string]: number; }, never, never>
* //      ▼
* const resultsAsRecord = Effect.all(recordOfEffects)
*
* await Effect.runPromise(resultsAsRecord) // => { key1: 1, key2: 2 }
* ```
*
* **Example** (Stopping on the first failure)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
* const output: Array<unknown> = []
* const record = (value: unknown) => Effect.sync(() => { output.push(value) })
*
* const program = Effect.all([
*   Effect.succeed("Task1").pipe(Effect.tap(record)),
*   Effect.fail("Task2: Oh no!").pipe(Effect.tap(record)),
*   // Won't execute due to earlier failure
*   Effect.succeed("Task3").pipe(Effect.tap(record))
* ])
*
* const outcome = await Effect.runPromiseExit(program)
* const observation = [output, outcome] // => [["Task1"], Exit.fail("Task2: Oh no!")]
* ```
*
* @see {@link forEach} for iterating over elements and applying an effect.
* @stability stable
* @category collecting
* @since 2.0.0
*/
const all = all$1;
/**
* Executes an effectful operation for each element in an `Iterable`.
*
* **When to use**
*
* Use to traverse an iterable with an effectful function while preserving
* element order in the collected results.
*
* **Details**
*
* The `forEach` function applies a provided operation to each element in the
* iterable, producing a new effect that returns an array of results.
*
* If any effect fails, the iteration stops immediately (short-circuiting), and
* the error is propagated.
*
* Concurrency:
*
* The `concurrency` option controls how many operations are performed
* concurrently. By default, the operations are performed sequentially.
*
* Discarding Results:
*
* If the `discard` option is set to `true`, the intermediate results are not
* collected, and the final result of the operation is `void`.
*
* **Example** (Mapping over an iterable with effects)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const result = Effect.forEach(
*   [1, 2, 3, 4, 5],
*   (n, index) =>
*     Effect.sync(() => { output.push(`Currently at index ${index}`) }).pipe(Effect.as(n * 2))
* )
*
* void output.push(await Effect.runPromise(result))
* output // => ["Currently at index 0", "Currently at index 1", "Currently at index 2", "Currently at index 3", "Currently at index 4", [2, 4, 6, 8, 10]]
* ```
*
* **Example** (Running effects without collecting results)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* // Apply effects but discard the results
* const result = Effect.forEach(
*   [1, 2, 3, 4, 5],
*   (n, index) =>
*     Effect.sync(() => { output.push(`Currently at index ${index}`) }).pipe(Effect.as(n * 2)),
*   { discard: true }
* )
*
* void output.push(await Effect.runPromise(result))
* output // => ["Currently at index 0", "Currently at index 1", "Currently at index 2", "Currently at index 3", "Currently at index 4", undefined]
* ```
*
* @see {@link all} for combining multiple effects into one.
* @stability stable
* @category collecting
* @since 2.0.0
*/
const forEach = forEach$1;
/**
* Executes a body effect repeatedly while a condition holds true.
*
* **Example** (Repeating an effectful loop)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* let counter = 0
*
* const program = Effect.whileLoop({
*   while: () => counter < 5,
*   body: () => Effect.sync(() => ++counter),
*   step: (n) => void output.push(`Current count: ${n}`)
* })
*
* await Effect.runPromise(program)
* output // => ["Current count: 1", "Current count: 2", "Current count: 3", "Current count: 4", "Current count: 5"]
* ```
*
* @stability stable
* @category repetition
* @since 2.0.0
*/
const whileLoop = whileLoop$1;
/**
* Creates an `Effect` that represents an asynchronous computation guaranteed to
* succeed.
*
* **When to use**
*
* Use to convert a `Promise` into an `Effect` when the async operation is
* guaranteed to succeed and will not reject.
*
* **Details**
*
* If `evaluate` declares a parameter, it receives an `AbortSignal` that is
* aborted if the effect is interrupted. Zero-argument thunks do not allocate
* an `AbortController`.
*
* **Gotchas**
*
* The `Promise` must not reject. If it rejects, the rejection is treated as a
* defect, not as a typed failure. Use `tryPromise` when rejection is expected.
*
* Interruption aborts the provided `AbortSignal`, but the underlying
* asynchronous operation only stops if it observes that signal.
*
* The parameter check reads the `length` property of `evaluate`, which does
* not count a rest parameter or any parameter from the first default value
* onward. `(...args) => ...` and `(signal = fallback) => ...` therefore
* receive `undefined` instead of a signal, as do wrappers that forward
* arguments through rest parameters. Declare the signal as an ordinary
* parameter: `(signal) => ...`.
*
* **Example** (Wrapping a non-rejecting Promise)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const succeedAsync = (message: string) =>
*   Effect.promise<string>(() => Promise.resolve(message))
*
* //      ┌─── Effect<string, never, never>
* //      ▼
* const program = succeedAsync("Async operation completed successfully!")
* await Effect.runPromise(program) // => "Async operation completed successfully!"
* ```
*
* @see {@link tryPromise} for a version that can handle failures.
* @stability stable
* @category constructors
* @since 2.0.0
*/
const promise = promise$1;
/**
* Creates an `Effect` from an asynchronous computation that may throw or
* reject, mapping failures into the error channel.
*
* **When to use**
*
* Use when you need to perform asynchronous operations that might fail, such
* as fetching data from an API, and want thrown exceptions or rejected promises
* captured as Effect errors.
*
* **Details**
*
* The promise thunk is evaluated when the effect runs. If it returns a promise
* that resolves, the resolved value becomes the success value. If the thunk
* throws before returning a promise, or if the returned promise rejects, the
* thrown or rejected value is mapped into the error channel.
*
* Passing the thunk directly maps failures to {@link Cause.UnknownError}.
* Passing `{ try, catch }` uses `catch` to map failures to an error of type
* `E`.
*
* If the thunk declares a parameter, it receives an `AbortSignal` that is
* aborted if the effect is interrupted. The underlying asynchronous operation
* only stops if it observes that signal. Zero-argument thunks do not allocate
* an `AbortController`.
*
* **Gotchas**
*
* If `catch` throws while mapping the error, that thrown value is treated as a
* defect. Return the error value you want in the error channel instead of
* throwing it.
*
* The parameter check reads the thunk's `length` property, which does not
* count a rest parameter or any parameter from the first default value
* onward. `(...args) => ...` and `(signal = fallback) => ...` therefore
* receive `undefined` instead of a signal, as do wrappers that forward
* arguments through rest parameters. Declare the signal as an ordinary
* parameter: `(signal) => ...`.
*
* **Example** (Wrapping a fetch request that may fail)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const getTodo = (id: number) =>
*   Effect.tryPromise(() => Promise.resolve({ id, completed: false }))
*
* //      ┌─── Effect<{ id: number; completed: boolean }, UnknownError, never>
* //      ▼
* const program = getTodo(1)
* await Effect.runPromise(program) // => { id: 1, completed: false }
* ```
*
* **Example** (Mapping Promise rejections to a tagged error)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class TodoFetchError extends Data.TaggedError("TodoFetchError")<{ readonly cause: unknown }> {}
*
* const getTodo = (id: number) =>
*   Effect.tryPromise({
*     try: () => Promise.reject(`Todo ${id} is unavailable`),
*     // remap the error
*     catch: (cause) => new TodoFetchError({ cause })
*   })
*
* //      ┌─── Effect<never, TodoFetchError, never>
* //      ▼
* const program = Effect.flip(getTodo(1))
* const error = await Effect.runPromise(program)
* error._tag // => "TodoFetchError"
* ```
*
* @see {@link promise} if the effectful computation is asynchronous and does not throw errors.
* @stability stable
* @category constructors
* @since 2.0.0
*/
const tryPromise = tryPromise$1;
/**
* Creates an `Effect` that always succeeds with a given value.
*
* **When to use**
*
* Use when an effect should complete successfully with a specific value without any errors
* or external dependencies.
*
* **Example** (Creating a successful effect)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* // Creating an effect that represents a successful scenario
* //
* //      ┌─── Effect<number, never, never>
* //      ▼
* const success = Effect.succeed(42)
* Effect.runSync(success) // => 42
* ```
*
* @see {@link fail} to create an effect that represents a failure.
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeed$1 = succeed$4;
/**
* Returns an effect which succeeds with `None`.
*
* **Example** (Succeeding with Option.none)
*
* ```ts import.meta.vitest
* import { Effect, Option } from "effect"
*
* const program = Effect.succeedNone
*
* Effect.runSync(program) // => Option.none()
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeedNone = succeedNone$1;
/**
* Returns an effect which succeeds with the value wrapped in a `Some`.
*
* **Example** (Succeeding with Option.some)
*
* ```ts import.meta.vitest
* import { Effect, Option } from "effect"
*
* const program = Effect.succeedSome(42)
*
* Effect.runSync(program) // => Option.some(42)
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeedSome = succeedSome$1;
/**
* Creates an `Effect` lazily, delaying construction until it is needed.
*
* **When to use**
*
* Use when you need to defer the evaluation of an effect until it is required.
*
* **Details**
*
* `suspend` takes a thunk that represents an effect and delays creating it
* until the suspended effect is evaluated. This is useful for optimizing
* expensive computations, managing circular dependencies such as recursive
* functions, and helping TypeScript unify return types when branches construct
* different effects. Any side effects or scoped captures inside the thunk are
* re-executed on each invocation.
*
* **Example** (Lazily evaluating side effects)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* let i = 0
*
* const bad = Effect.succeed(i++)
*
* const good = Effect.suspend(() => Effect.succeed(i++))
*
* Effect.runSync(bad) // => 0
* Effect.runSync(bad) // => 0
*
* Effect.runSync(good) // => 1
* Effect.runSync(good) // => 2
* ```
*
* **Example** (Suspending recursive Fibonacci evaluation)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const blowsUp = (n: number): Effect.Effect<number> =>
*   n < 2
*     ? Effect.succeed(1)
*     : Effect.zipWith(blowsUp(n - 1), blowsUp(n - 2), (a, b) => a + b)
*
* // console.log(Effect.runSync(blowsUp(32)))
* // crash: JavaScript heap out of memory
*
* const allGood = (n: number): Effect.Effect<number> =>
*   n < 2
*     ? Effect.succeed(1)
*     : Effect.zipWith(
*         Effect.suspend(() => allGood(n - 1)),
*         Effect.suspend(() => allGood(n - 2)),
*         (a, b) => a + b
*       )
*
* Effect.runSync(allGood(16)) // => 1597
* ```
*
* **Example** (Helping TypeScript infer recursive effect types)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* //   Without suspend, TypeScript may struggle with type inference.
* //   Inferred type:
* //     (a: number, b: number) =>
* //       Effect<never, Error, never> | Effect<number, never, never>
* const withoutSuspend = (a: number, b: number) =>
*   b === 0
*     ? Effect.fail(new Error("Cannot divide by zero"))
*     : Effect.succeed(a / b)
*
* //   Using suspend to unify return types.
* //   Inferred type:
* //     (a: number, b: number) => Effect<number, Error, never>
* const withSuspend = (a: number, b: number) =>
*   Effect.suspend(() =>
*     b === 0
*       ? Effect.fail(new Error("Cannot divide by zero"))
*       : Effect.succeed(a / b)
*   )
*
* Effect.runSync(withSuspend(6, 2)) // => 3
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const suspend = suspend$1;
/**
* Creates an `Effect` that represents a synchronous side-effectful computation.
*
* **When to use**
*
* Use when you need to wrap a synchronous side-effectful operation that is not
* expected to throw.
*
* **Details**
*
* The provided function is evaluated lazily when the effect runs.
*
* **Gotchas**
*
* The function must not throw. If it throws, the thrown value is treated as a
* defect, not as a typed failure. Use `try` when throwing is expected.
*
* **Example** (Capturing synchronous logging in an Effect)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const log = (message: string) =>
*   Effect.sync(() => {
*     void output.push(message) // side effect
*   })
*
* //      ┌─── Effect<void, never, never>
* //      ▼
* const program = log("Hello, World!")
* Effect.runSync(program)
* output // => ["Hello, World!"]
* ```
*
* @see {@link try_ | try} for a version that can handle failures.
* @stability stable
* @category constructors
* @since 2.0.0
*/
const sync = sync$2;
const void_$1 = void_$3;
/**
* Creates an `Effect` from a callback-based asynchronous API.
*
* **When to use**
*
* Use when you need to integrate APIs that complete through callbacks instead
* of returning a `Promise`.
*
* **Details**
*
* The registration function receives a `resume` callback and, if it declares
* a second parameter, an `AbortSignal` that is aborted if the fiber is
* interrupted. Call `resume` at most once with the effect that should complete
* the fiber; later calls are ignored. Return an optional cleanup effect from
* the registration function to run if the fiber is interrupted.
*
* **Gotchas**
*
* The parameter check reads the registration function's `length` property,
* which must be at least `2` and does not count a rest parameter or any
* parameter from the first default value onward. `(...args) => ...` and
* `(resume, signal = fallback) => ...` therefore receive `undefined` instead
* of a signal, as do wrappers that forward arguments through rest parameters.
* Declare both as ordinary parameters: `(resume, signal) => ...`.
*
* **Example** (Integrating callback APIs)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const fromCallback = (message: string) =>
*   Effect.callback<void>((resume) => {
*     queueMicrotask(() => {
*       void output.push(message)
*       resume(Effect.void)
*     })
*   })
*
* await Effect.runPromise(fromCallback("callback completed"))
* output // => ["callback completed"]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const callback = callback$1;
/**
* Returns an effect that will never produce anything. The moral equivalent of
* `while(true) {}`, only without the wasted CPU cycles.
*
* **Example** (Creating a never-ending effect)
*
* ```ts import.meta.vitest
* import { Effect, Option } from "effect"
*
* const program = Effect.timeoutOption(Effect.never, 0)
* await Effect.runPromise(program) // => Option.none()
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const never$1 = never$2;
/**
* Provides a way to write effectful code using generator functions, simplifying
* control flow and error handling.
*
* **When to use**
*
* Use when you want to write effectful code that looks and behaves like
* synchronous code, while still handling asynchronous tasks, errors, and complex
* control flow such as loops and conditions.
*
* Generator functions work similarly to `async/await` but keep errors,
* requirements, and interruption in the Effect type. You can `yield*` values
* from effects and return the final result at the end.
*
* **Example** (Sequencing effects with generators)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class DiscountRateError extends Data.TaggedError("DiscountRateError")<{}> {}
*
* const addServiceCharge = (amount: number) => amount + 1
*
* const applyDiscount = (
*   total: number,
*   discountRate: number
* ): Effect.Effect<number, DiscountRateError> =>
*   discountRate === 0
*     ? Effect.fail(new DiscountRateError())
*     : Effect.succeed(total - (total * discountRate) / 100)
*
* const fetchTransactionAmount = Effect.promise(() => Promise.resolve(100))
*
* const fetchDiscountRate = Effect.promise(() => Promise.resolve(5))
*
* export const program = Effect.gen(function*() {
*   const transactionAmount = yield* fetchTransactionAmount
*   const discountRate = yield* fetchDiscountRate
*   const discountedAmount = yield* applyDiscount(
*     transactionAmount,
*     discountRate
*   )
*   const finalAmount = addServiceCharge(discountedAmount)
*   return `Final amount to charge: ${finalAmount}`
* })
*
* await Effect.runPromise(program) // => "Final amount to charge: 96"
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const gen = gen$1;
/**
* Creates an `Effect` that represents a recoverable error.
*
* **When to use**
*
* Use to explicitly signal a recoverable error in an `Effect`.
*
* **Details**
*
* The error keeps propagating unless it is handled. You can handle tagged
* errors with functions like {@link catchTag} or {@link catchTags}.
*
* **Example** (Creating a failed effect)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class OperationFailedError extends Data.TaggedError("OperationFailedError")<{}> {}
*
* //      ┌─── Effect<never, OperationFailedError, never>
* //      ▼
* const failure = Effect.fail(
*   new OperationFailedError()
* )
* Effect.runSync(Effect.flip(failure))._tag // => "OperationFailedError"
* ```
*
* @see {@link succeed} to create an effect that represents a successful value.
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fail$1 = fail$5;
/**
* Creates an `Effect` that represents a recoverable error using a lazy evaluation.
*
* **When to use**
*
* Use to defer computing a recoverable error value until the effect is run.
*
* **Details**
*
* The error-producing function is evaluated each time the effect is executed.
*
* **Example** (Lazily creating failures)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class ProgramError extends Data.TaggedError("ProgramError")<{ readonly operation: string }> {}
*
* const program = Effect.failSync(() => new ProgramError({ operation: "sync" }))
*
* Effect.runSync(Effect.flip(program)).operation // => "sync"
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const failSync = failSync$1;
/**
* Creates an `Effect` that represents a failure with a specific `Cause`.
*
* **When to use**
*
* Use when you already have a full `Cause` and need to preserve defects,
* interruptions, annotations, or combined failures in the effect's failure
* channel.
*
* **Details**
*
* This function allows you to create effects that fail with complex error
* structures, including multiple errors, defects, interruptions, and more.
*
* **Example** (Failing with a full Cause)
*
* ```ts import.meta.vitest
* import { Cause, Effect } from "effect"
*
* const program = Effect.failCause(
*   Cause.fail("Network error")
* )
*
* Effect.runSync(Effect.flip(program)) // => "Network error"
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const failCause = failCause$2;
/**
* Creates an `Effect` that represents a failure with a `Cause` computed lazily.
*
* **When to use**
*
* Use to defer computing a full `Cause` until the effect is run.
*
* **Details**
*
* The cause-producing function is evaluated each time the effect is executed.
*
* **Example** (Lazily creating a Cause)
*
* ```ts import.meta.vitest
* import { Cause, Effect } from "effect"
*
* const program = Effect.failCauseSync(() =>
*   Cause.fail("Error computed at runtime")
* )
*
* Effect.runSync(Effect.flip(program)) // => "Error computed at runtime"
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const failCauseSync = failCauseSync$1;
/**
* Creates an effect that terminates a fiber with a specified error.
*
* **When to use**
*
* Use when you need an `Effect` to report an unrecoverable defect instead of a
* typed error.
*
* **Details**
*
* The `die` function is used to signal a defect, which represents a critical
* and unexpected error in the code. When invoked, it produces an effect that
* does not handle the error and instead terminates the fiber.
*
* The error channel of the resulting effect is of type `never`, indicating that
* it cannot recover from this failure.
*
* **Example** (Failing on division by zero)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
*
* const defect = new Error("Cannot divide by zero")
* const divide = (a: number, b: number) =>
*   b === 0
*     ? Effect.die(defect)
*     : Effect.succeed(a / b)
*
* //      ┌─── Effect<number, never, never>
* //      ▼
* const program = divide(1, 0)
*
* Effect.runSyncExit(program) // => Exit.die(defect)
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const die = die$2;
const try_ = try_$1;
/**
* Provides access to the current fiber within an effect computation.
*
* **Example** (Reading the current fiber)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const program = Effect.withFiber((fiber) => Effect.succeed(typeof fiber.id))
*
* Effect.runSync(program) // => "number"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const withFiber = withFiber$1;
/**
* Converts a `Result` to an `Effect`.
*
* **Example** (Converting a Result into an Effect)
*
* ```ts import.meta.vitest
* import { Effect, Result } from "effect"
* const output: Array<unknown> = []
*
* const success = Result.succeed(42)
* const failure = Result.fail("Something went wrong")
*
* const effect1 = Effect.fromResult(success)
* const effect2 = Effect.fromResult(failure)
*
* void output.push(Effect.runSync(effect1))
* void output.push(Effect.runSync(Effect.flip(effect2)))
* output // => [42, "Something went wrong"]
* ```
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const fromResult = fromResult$1;
/**
* Chains effects to produce new `Effect` instances, useful for combining
* operations that depend on previous results.
*
* **When to use**
*
* Use when you need to chain multiple effects, ensuring that each
* step produces a new `Effect` while flattening any nested effects that may
* occur.
*
* **Details**
*
* `flatMap` lets you sequence effects so that the result of one effect can be
* used in the next step. It is similar to `flatMap` used with arrays but works
* specifically with `Effect` instances, allowing you to avoid deeply nested
* effect structures.
*
* Since effects are immutable, `flatMap` always returns a new effect instead of
* changing the original one.
*
* **Example** (Choosing flatMap syntax variants)
*
* ```ts import.meta.vitest
* import { Effect, pipe } from "effect"
* const output: Array<unknown> = []
*
* const myEffect = Effect.succeed(1)
* const transformation = (n: number) => Effect.succeed(n + 1)
*
* const flatMappedWithPipe = pipe(myEffect, Effect.flatMap(transformation))
* const flatMappedWithDataFirst = Effect.flatMap(myEffect, transformation)
* const flatMappedWithMethod = myEffect.pipe(Effect.flatMap(transformation))
*
* void output.push(Effect.runSync(Effect.all([
*   flatMappedWithPipe,
*   flatMappedWithDataFirst,
*   flatMappedWithMethod
* ])))
* output // => [[2, 2, 2]]
* ```
*
* **Example** (Sequencing dependent effects)
*
* ```ts import.meta.vitest
* import { Data, Effect, pipe } from "effect"
*
* class DiscountRateError extends Data.TaggedError("DiscountRateError")<{}> {}
*
* // Function to apply a discount safely to a transaction amount
* const applyDiscount = (
*   total: number,
*   discountRate: number
* ): Effect.Effect<number, DiscountRateError> =>
*   discountRate === 0
*     ? Effect.fail(new DiscountRateError())
*     : Effect.succeed(total - (total * discountRate) / 100)
*
* // Simulated asynchronous task to fetch a transaction amount from database
* const fetchTransactionAmount = Effect.promise(() => Promise.resolve(100))
*
* // Chaining the fetch and discount application using `flatMap`
* const finalAmount = pipe(
*   fetchTransactionAmount,
*   Effect.flatMap((amount) => applyDiscount(amount, 5))
* )
*
* await Effect.runPromise(finalAmount) // => 95
* ```
*
* @see {@link tap} for a version that ignores the result of the effect.
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const flatMap = flatMap$2;
/**
* Flattens an `Effect` that produces another `Effect` into a single effect.
*
* **Example** (Flattening nested effects)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const nested = Effect.succeed(Effect.succeed("hello"))
*
* const program = Effect.gen(function*() {
*   const value = yield* Effect.flatten(nested)
*   yield* Effect.sync(() => { output.push(value) })
* })
*
* Effect.runSync(program)
* output // => ["hello"]
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const flatten = flatten$1;
/**
* Runs this effect and then runs another effect, optionally using the first
* effect's success value to choose the next effect.
*
* **When to use**
*
* Use when you need one effect to run after another and the second effect may
* depend on the first effect's success value.
*
* **Details**
*
* When the second argument is an `Effect`, the first success value is discarded
* and the returned effect produces the second effect's value. When the second
* argument is a function, it receives the first success value and must return
* the next `Effect`.
*
* Failures or requirements from either effect are preserved in the returned
* effect.
*
* **Example** (Choosing andThen syntax variants)
*
* ```ts import.meta.vitest
* import { Effect, pipe } from "effect"
* const output: Array<unknown> = []
*
* const myEffect = Effect.succeed(1)
* const anotherEffect = Effect.succeed("done")
*
* const transformedWithPipe = pipe(myEffect, Effect.andThen(anotherEffect))
* const transformedWithDataFirst = Effect.andThen(myEffect, anotherEffect)
* const transformedWithMethod = myEffect.pipe(Effect.andThen(anotherEffect))
*
* void output.push(Effect.runSync(Effect.all([
*   transformedWithPipe,
*   transformedWithDataFirst,
*   transformedWithMethod
* ])))
* output // => [['done', 'done', 'done']]
* ```
*
* **Example** (Sequencing a discount calculation after fetching a total)
*
* ```ts import.meta.vitest
* import { Data, Effect, pipe } from "effect"
*
* class DiscountRateError extends Data.TaggedError("DiscountRateError")<{}> {}
*
* // Function to apply a discount safely to a transaction amount
* const applyDiscount = (
*   total: number,
*   discountRate: number
* ): Effect.Effect<number, DiscountRateError> =>
*   discountRate === 0
*     ? Effect.fail(new DiscountRateError())
*     : Effect.succeed(total - (total * discountRate) / 100)
*
* // Simulated asynchronous task to fetch a transaction amount from database
* const fetchTransactionAmount = Effect.promise(() => Promise.resolve(100))
*
* // Using Effect.map and Effect.flatMap
* const result1 = pipe(
*   fetchTransactionAmount,
*   Effect.map((amount) => amount * 2),
*   Effect.flatMap((amount) => applyDiscount(amount, 5))
* )
*
* await Effect.runPromise(result1) // => 190
*
* // Using Effect.andThen
* const result2 = pipe(
*   fetchTransactionAmount,
*   Effect.andThen((amount) => Effect.succeed(amount * 2)),
*   Effect.andThen((amount) => applyDiscount(amount, 5))
* )
*
* await Effect.runPromise(result2) // => 190
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const andThen = andThen$1;
/**
* Runs a side effect with the result of an effect without changing the original
* value.
*
* **When to use**
*
* Use when you need to run an effectful observation, such as logging or
* tracking, while passing the original success value to the next step.
*
* **Details**
*
* `tap` works similarly to `flatMap`, but it ignores the result of the function
* passed to it. The value from the previous effect remains available for the
* next part of the chain. Note that if the side effect fails, the entire chain
* will fail too.
*
* **Example** (Logging a step in a pipeline)
*
* ```ts import.meta.vitest
* import { Data, Effect, pipe } from "effect"
* const output: Array<unknown> = []
*
* class DiscountRateError extends Data.TaggedError("DiscountRateError")<{}> {}
*
* // Function to apply a discount safely to a transaction amount
* const applyDiscount = (
*   total: number,
*   discountRate: number
* ): Effect.Effect<number, DiscountRateError> =>
*   discountRate === 0
*     ? Effect.fail(new DiscountRateError())
*     : Effect.succeed(total - (total * discountRate) / 100)
*
* // Simulated asynchronous task to fetch a transaction amount from database
* const fetchTransactionAmount = Effect.promise(() => Promise.resolve(100))
*
* const finalAmount = pipe(
*   fetchTransactionAmount,
*   // Log the fetched transaction amount
*   Effect.tap((amount) => Effect.sync(() => { output.push(`Apply a discount to: ${amount}`) })),
*   // `amount` is still available!
*   Effect.flatMap((amount) => applyDiscount(amount, 5))
* )
*
* void output.push(await Effect.runPromise(finalAmount))
* output // => ["Apply a discount to: 100", 95]
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const tap = tap$1;
/**
* Converts both success and failure of an `Effect` into a `Result` type.
*
* **When to use**
*
* Use when you want an `Effect`'s typed failures to be handled as `Result`
* data while preserving the original error value.
*
* **Details**
*
* This function converts an effect that may fail into an effect that always
* succeeds, wrapping the outcome in a `Result` type. The result will be
* `Result.Failure` if the effect fails, containing the recoverable error, or
* `Result.Success` if it succeeds, containing the result.
*
* Using this function, you can handle recoverable errors explicitly without
* causing the effect to fail. This is particularly useful in scenarios where
* you want to chain effects and manage both success and failure in the same
* logical flow.
*
* The resulting effect cannot fail directly because all recoverable failures
* are represented inside the `Result` type.
*
* **Gotchas**
*
* `result` only captures typed, recoverable failures. If the cause contains a
* defect, nothing is captured and every typed error is converted to a defect,
* preserving reason order and interrupts. A cause with only interruptions
* still fails the effect, but an interruption alongside a typed error does not
* prevent capture. The first typed error becomes a `Result.Failure` and the
* interruption is discarded.
*
* **Example** (Capturing success or failure as Result)
*
* ```ts import.meta.vitest
* import { Effect, Result } from "effect"
*
* const success = Effect.succeed(42)
* const failure = Effect.fail("Something went wrong")
*
* const program1 = Effect.result(success)
* const program2 = Effect.result(failure)
*
* Effect.runSync(program1) // => Result.succeed(42)
*
* Effect.runSync(program2) // => Result.fail("Something went wrong")
* ```
*
* @see {@link option} for a version that uses `Option` instead.
* @see {@link exit} for a version that encapsulates both recoverable errors and defects in an `Exit`.
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const result = result$1;
/**
* Converts success to `Option.some` and failure to `Option.none`.
*
* **When to use**
*
* Use when you only care whether an effect succeeds and want recoverable
* failures represented as `Option.none`.
*
* **Details**
*
* Success values become `Option.some`, recoverable failures become
* `Option.none`, and defects still fail the effect.
*
* **Gotchas**
*
* `option` only captures typed, recoverable failures as `Option.none`. If the
* cause contains a defect, nothing is captured and every typed error is
* converted to a defect, preserving reason order and interrupts. A cause with
* only interruptions still fails the effect, but an interruption alongside a
* typed error does not prevent capture. The effect succeeds with
* `Option.none()` and the interruption is discarded.
*
* `option` also discards typed failure values. Use `result` if the failure
* value matters.
*
* **Example** (Capturing success or failure as Option)
*
* ```ts import.meta.vitest
* import { Effect, Option } from "effect"
*
* const program = Effect.all([
*   Effect.option(Effect.succeed(1)),
*   Effect.option(Effect.fail("missing"))
* ])
*
* Effect.runSync(program) // => [Option.some(1), Option.none()]
* ```
*
* @see {@link result} for a version that uses `Result` instead.
* @see {@link exit} for a version that encapsulates both recoverable errors and defects in an `Exit`.
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const option = option$1;
/**
* Transforms an effect to encapsulate both failure and success using the `Exit`
* data type.
*
* **When to use**
*
* Use when you need to inspect the full outcome, including typed failures, defects,
* and interruptions.
*
* **Details**
*
* `exit` wraps an effect's success or failure inside an `Exit` type, allowing
* you to handle both cases explicitly.
*
* The resulting effect cannot fail because the failure is encapsulated within
* the `Exit.Failure` type. The error type is set to `never`, indicating that
* the effect is structured to never fail directly.
*
* **Example** (Capturing completion as Exit)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
*
* const success = Effect.succeed(42)
* const failure = Effect.fail("Something went wrong")
*
* const program1 = Effect.exit(success)
* const program2 = Effect.exit(failure)
*
* Effect.runSync(program1) // => Exit.succeed(42)
*
* Effect.runSync(program2) // => Exit.fail("Something went wrong")
* ```
*
* @see {@link option} for a version that uses `Option` instead.
* @see {@link result} for a version that uses `Result` instead.
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const exit = exit$1;
/**
* Transforms the value inside an effect by applying a function to it.
*
* **When to use**
*
* Use to transform an effect's success value with a function that returns a
* plain value, producing a new effect without changing the original effect's
* typed error or context requirements.
*
* **Details**
*
* `map` takes a function and applies it to the value contained within an
* effect, creating a new effect with the transformed value.
*
* It's important to note that effects are immutable, meaning that the original
* effect is not modified. Instead, a new effect is returned with the updated
* value.
*
* **Example** (Choosing map syntax variants)
*
* ```ts import.meta.vitest
* import { Effect, pipe } from "effect"
* const output: Array<unknown> = []
*
* const myEffect = Effect.succeed(1)
* const transformation = (n: number) => n + 1
*
* const mappedWithPipe = pipe(myEffect, Effect.map(transformation))
* const mappedWithDataFirst = Effect.map(myEffect, transformation)
* const mappedWithMethod = myEffect.pipe(Effect.map(transformation))
*
* void output.push(Effect.runSync(Effect.all([
*   mappedWithPipe,
*   mappedWithDataFirst,
*   mappedWithMethod
* ])))
* output // => [[2, 2, 2]]
* ```
*
* **Example** (Adding a service charge)
*
* ```ts import.meta.vitest
* import { Effect, pipe } from "effect"
*
* const addServiceCharge = (amount: number) => amount + 1
*
* const fetchTransactionAmount = Effect.promise(() => Promise.resolve(100))
*
* const finalAmount = pipe(
*   fetchTransactionAmount,
*   Effect.map(addServiceCharge)
* )
*
* await Effect.runPromise(finalAmount) // => 101
* ```
*
* @see {@link mapError} for a version that operates on the error channel.
* @see {@link mapBoth} for a version that operates on both channels.
* @see {@link flatMap} or {@link andThen} for a version that can return a new effect.
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map = map$2;
/**
* Replaces the value inside an effect with a constant value.
*
* **When to use**
*
* Use to replace a successful value with a constant while preserving failures
* and requirements.
*
* **Details**
*
* `as` allows you to ignore the original value inside an effect and
* replace it with a new constant value.
*
* **Example** (Replacing a success value)
*
* ```ts import.meta.vitest
* import { Effect, pipe } from "effect"
*
* // Replaces the value 5 with the constant "new value"
* const program = pipe(Effect.succeed(5), Effect.as("new value"))
*
* Effect.runSync(program) // => "new value"
* ```
*
* @see {@link map} for deriving the replacement value from the success value
* @see {@link asVoid} for replacing the success value with `void`
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const as = as$1;
/**
* Maps the success value of an `Effect` to `void`, preserving failures.
*
* **Example** (Discarding success values)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const program = Effect.asVoid(Effect.succeed(42))
*
* Effect.runSync(program) // => undefined
* ```
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const asVoid = asVoid$1;
/**
* Combines two effects sequentially and applies a function to their results to
* produce a single value.
*
* **When to use**
*
* Use when you need to run two effects sequentially and combine their results
* with a function instead of keeping the results as a tuple.
*
* **Details**
*
* Concurrency:
*
* By default, the effects are run sequentially. To execute them concurrently,
* use the `{ concurrent: true }` option.
*
* **Example** (Combining two success values with a function)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const task1 = Effect.succeed(1)
* const task2 = Effect.succeed("hello")
*
* const task3 = Effect.zipWith(
*   task1,
*   task2,
*   // Combines results into a single value
*   (number, string) => number + string.length
* )
*
* Effect.runSync(task3) // => 6
* ```
*
* @stability stable
* @category zipping
* @since 2.0.0
*/
const zipWith = zipWith$1;
const catch_ = catch_$1;
/**
* Catches and handles specific errors by their `_tag` field, which is used as a
* discriminator.
*
* **When to use**
*
* Use when you need to recover from one specific tagged error in an effect
* error channel.
*
* **Details**
*
* The error type must have a readonly `_tag` field. `catchTag` matches that
* field and only handles errors with the requested tag.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Handling a tagged error)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* class NetworkError {
*   readonly _tag = "NetworkError"
*   constructor(readonly message: string) {}
* }
*
* class ValidationError {
*   readonly _tag = "ValidationError"
*   constructor(readonly message: string) {}
* }
*
* const task: Effect.Effect<string, NetworkError | ValidationError> =
*   Effect.fail(new NetworkError("offline"))
*
* const program = Effect.catchTag(
*   task,
*   "NetworkError",
*   (error) => Effect.succeed(`Recovered from network error: ${error.message}`)
* )
*
* Effect.runSync(program) // => "Recovered from network error: offline"
* ```
*
* @see {@link catchTags} for handling multiple tagged errors in one call
* @see {@link catchIf} for recovering from errors that match a predicate
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const catchTag = catchTag$1;
/**
* Handles multiple errors in a single block of code using their `_tag` field.
*
* **When to use**
*
* Use when one recovery step should handle several tagged error types by
* matching their readonly `_tag` fields.
*
* **Details**
*
* Pass a handler table whose keys are tags, plus an optional fallback for
* unmatched errors.
*
* The error type must have a readonly `_tag` field to use `catchTags`. This
* field is used to identify and match errors.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Handling multiple tagged errors)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* // Define tagged error types
* class ValidationError extends Data.TaggedError("ValidationError")<{
*   message: string
* }> {}
*
* class NetworkError extends Data.TaggedError("NetworkError")<{
*   statusCode: number
* }> {}
*
* // An effect that might fail with multiple error types
* const program: Effect.Effect<string, ValidationError | NetworkError> =
*   Effect.fail(new NetworkError({ statusCode: 503 }))
*
* // Handle multiple error types at once
* const handled = Effect.catchTags(program, {
*   ValidationError: (error) =>
*     Effect.succeed(`Validation failed: ${error.message}`),
*   NetworkError: (error) => Effect.succeed(`Network error: ${error.statusCode}`)
* })
*
* Effect.runSync(handled) // => "Network error: 503"
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const catchTags = catchTags$1;
/**
* Catches a specific reason within a tagged error.
*
* **When to use**
*
* Use to handle one nested reason inside an `Effect`'s tagged error while
* preserving the parent error shape for unmatched reasons.
*
* **Details**
*
* Use this to handle nested error causes without removing the parent error
* from the error channel. The handler receives the unwrapped reason.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Handling an error reason)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class RateLimitError extends Data.TaggedError("RateLimitError")<{
*   retryAfter: number
* }> {}
*
* class QuotaExceededError extends Data.TaggedError("QuotaExceededError")<{
*   limit: number
* }> {}
*
* class AiError extends Data.TaggedError("AiError")<{
*   reason: RateLimitError | QuotaExceededError
* }> {}
*
* const program: Effect.Effect<string, AiError> = Effect.fail(
*   new AiError({ reason: new RateLimitError({ retryAfter: 30 }) })
* )
*
* // Handle rate limits specifically
* const handled = program.pipe(
*   Effect.catchReason("AiError", "RateLimitError", (reason) =>
*     Effect.succeed(`Retry after ${reason.retryAfter}s`)
*   )
* )
*
* Effect.runSync(handled) // => "Retry after 30s"
* ```
*
* @see {@link catchReasons} for handling several nested reason tags
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchReason = catchReason$1;
/**
* Handles both recoverable and unrecoverable errors by providing a recovery
* effect.
*
* **When to use**
*
* Use when you need to recover from an `Effect` by inspecting the full `Cause`,
* including recoverable failures, defects, and interruptions, instead of only
* the typed error value.
*
* **Details**
*
* When to Recover from Defects:
*
* Defects are unexpected errors that typically shouldn't be recovered from, as
* they often indicate serious issues. However, in some cases, such as
* dynamically loaded plugins, controlled recovery might be needed.
*
* **Example** (Recovering from full failure causes)
*
* ```ts import.meta.vitest
* import { Cause, Effect } from "effect"
* const output: Array<unknown> = []
*
* // An effect that might fail in different ways
* const program = Effect.die("Something went wrong")
*
* // Recover from any cause (including defects)
* const recovered = Effect.catchCause(program, (cause) => {
*   if (Cause.hasDies(cause)) {
*     return Effect.sync(() => { output.push("Caught defect") }).pipe(
*       Effect.as("Recovered from defect")
*     )
*   }
*   return Effect.succeed("Unknown error")
* })
*
* void output.push(Effect.runSync(recovered))
* output // => ["Caught defect", "Recovered from defect"]
* ```
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchCause = catchCause$1;
/**
* Recovers from specific errors using a `Predicate` or `Refinement`.
*
* **When to use**
*
* Use when you need to recover from errors that match a condition.
*
* **Details**
*
* Use a `Refinement` for type narrowing or a `Predicate` for simple boolean
* matching. Non-matching errors re-fail with the original cause. Defects and
* interrupts are not caught.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Recovering when a predicate matches)
*
* ```ts import.meta.vitest
* import { Data, Effect, Filter } from "effect"
*
* class NotFound extends Data.TaggedError("NotFound")<{ id: string }> {}
*
* const program = Effect.fail(new NotFound({ id: "user-1" }))
*
* // With a refinement
* const recovered = program.pipe(
*   Effect.catchIf(
*     (error): error is NotFound => error._tag === "NotFound",
*     (error) => Effect.succeed(`missing:${error.id}`)
*   )
* )
*
* // With a Filter
* const recovered2 = program.pipe(
*   Effect.catchFilter(
*     Filter.tagged("NotFound"),
*     (error) => Effect.succeed(`missing:${error.id}`)
*   )
* )
*
* Effect.runSync(Effect.all([recovered, recovered2])) // => ['missing:user-1', 'missing:user-1']
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const catchIf = catchIf$1;
/**
* Recovers from specific errors using a `Filter`.
*
* **When to use**
*
* Use to recover from typed `Effect` errors with a reusable `Filter` when
* matching can also narrow or transform the error before choosing the recovery
* effect.
*
* **Details**
*
* The filter runs on typed failures extracted from the `Cause`. Successful
* filter results are passed to `f`; failed filter results are passed to
* `orElse` when provided. Without `orElse`, the original failure cause is
* preserved.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* @see {@link catchIf} for predicate-based recovery from typed errors
* @see {@link catchTag} for recovering from a single tagged error
* @see {@link catchTags} for recovering from several tagged errors
* @see {@link catchCauseFilter} for filtering full causes instead of typed errors
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchFilter = catchFilter$1;
/**
* Transforms the failure value of an effect without changing its success value.
*
* **When to use**
*
* Use to translate an `Effect`'s typed failures while leaving successful values
* unchanged.
*
* **Details**
*
* Only the failure channel is transformed. The success channel and requirements
* are preserved.
*
* Maps every typed error in the cause, preserving defects, interrupts and
* reason order. Unlike typed recovery, mapping does not convert errors to defects.
*
* **Example** (Transforming the error channel)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class TaskError extends Data.TaggedError("TaskError")<{ readonly message: string }> {}
*
* //      ┌─── Effect<number, string, never>
* //      ▼
* const simulatedTask = Effect.fail("Oh no!").pipe(Effect.as(1))
*
* //      ┌─── Effect<number, TaskError, never>
* //      ▼
* const mapped = Effect.mapError(
*   simulatedTask,
*   (message) => new TaskError({ message })
* )
* Effect.runSync(Effect.flip(mapped)).message // => "Oh no!"
* ```
*
* @see {@link map} for a version that operates on the success channel.
* @see {@link mapBoth} for a version that operates on both channels.
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const mapError = mapError$1;
/**
* Converts typed failures from the error channel into defects, removing the
* error type from the returned effect.
*
* **When to use**
*
* Use when you need to turn an `Effect` typed failure that represents an
* unrecoverable bug or invalid state into a defect.
*
* **Example** (Converting typed failures into defects)
*
* ```ts import.meta.vitest
* import { Data, Effect, Exit } from "effect"
*
* class DivideByZeroError extends Data.TaggedError("DivideByZeroError")<{}> {}
*
* const divide = (a: number, b: number) =>
*   b === 0
*     ? Effect.fail(new DivideByZeroError())
*     : Effect.succeed(a / b)
*
* //      ┌─── Effect<number, never, never>
* //      ▼
* const program = Effect.orDie(divide(1, 0))
*
* Effect.runSyncExit(program) // => Exit.die(new DivideByZeroError())
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const orDie = orDie$1;
/**
* Runs an effectful operation when the source effect fails, while preserving
* the original failure when the operation succeeds.
*
* **Details**
*
* Use this for logging, metrics, or other failure-side observations. If the
* operation passed to `tapError` fails, that error is also represented in the
* returned effect's error channel.
*
* **Example** (Running effects on failure)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
* const output: Array<unknown> = []
*
* // Simulate a task that fails with an error
* const task: Effect.Effect<number, string> = Effect.fail("NetworkError")
*
* // Use tapError to log the error message when the task fails
* const tapping = Effect.tapError(
*   task,
*   (error) => Effect.sync(() => { output.push(`expected error: ${error}`) })
* )
*
* void output.push(Effect.runSyncExit(tapping))
* output // => ["expected error: NetworkError", Exit.fail("NetworkError")]
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const tapError = tapError$1;
/**
* Runs an effectful operation with the full `Cause` when the source effect
* fails.
*
* **When to use**
*
* Use when failure observation needs typed failures, defects, and interruptions
* rather than only the typed error value.
*
* **Details**
*
* Use this to log or inspect typed failures, defects, and interruptions. When
* the operation succeeds, the original cause is preserved. If the operation
* fails, its error is also represented in the returned effect.
*
* **Example** (Observing full failure causes)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Exit } from "effect"
* const output: Array<unknown> = []
*
* const task = Effect.fail("Something went wrong")
*
* const program = Effect.tapCause(
*   task,
*   (cause) => Effect.sync(() => { output.push(`Logging cause: ${Cause.squash(cause)}`) })
* )
*
* void output.push(Effect.runSyncExit(program))
* output // => ["Logging cause: Something went wrong", Exit.fail("Something went wrong")]
* ```
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const tapCause = tapCause$1;
/**
* Discards both the success and failure values of an effect.
*
* **When to use**
*
* Use when an effect should run for its side effects while both success and
* failure values are discarded.
*
* **Details**
*
* Use the `log` option to emit the full {@link Cause} when the effect fails,
* and `message` to prepend a custom log message.
* Set `log: "Unhandled"` to read `References.UnhandledLogLevel` when the
* failure occurs; `undefined` disables logging. Minimum log level filtering
* still applies.
*
* **Gotchas**
*
* Defects take precedence over typed errors. If the cause also contains a
* defect, the failure is not ignored and is propagated with every typed error
* converted to a defect. An interruption alongside a typed error does not
* prevent the error from being ignored.
*
* **Example** (Discarding success and failure values)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* //      ┌─── Effect<number, string, never>
* //      ▼
* const task = Effect.fail("Uh oh!").pipe(Effect.as(5))
*
* //      ┌─── Effect<void, never, never>
* //      ▼
* const program = task.pipe(Effect.ignore)
* Effect.runSync(program) // => undefined
* ```
*
* **Example** (Logging failures while ignoring results)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const task = Effect.fail("Uh oh!")
*
* const program = task.pipe(Effect.ignore)
* Effect.runSync(program) // => undefined
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const ignore = ignore$1;
/**
* Ignores the effect's failure cause, including defects and interruptions.
*
* **When to use**
*
* Use when a best-effort effect should never fail, even from defects or
* interruption, and optional cause logging is enough.
*
* **Details**
*
* Use the `log` option to emit the full {@link Cause} when the effect fails,
* and `message` to prepend a custom log message.
* Set `log: "Unhandled"` to read `References.UnhandledLogLevel` when the
* failure occurs; `undefined` disables logging. Minimum log level filtering
* still applies.
*
* **Example** (Ignoring failures and logging causes)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const task = Effect.fail("boom")
*
* const program = task.pipe(Effect.ignoreCause)
* Effect.runSync(program) // => undefined
* ```
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const ignoreCause = ignoreCause$1;
/**
* Runs an effect and reports any errors to the configured `ErrorReporter`s.
*
* **Details**
*
* If the `defectsOnly` option is set to `true`, only defects (unrecoverable
* errors) will be reported, while regular failures will be ignored.
*
* @stability unstable
* @category error handling
* @since 4.0.0
*/
const withErrorReporting = withErrorReporting$1;
/**
* Recovers from a typed failure by producing a fallback success value.
*
* **Details**
*
* If the source effect succeeds, its value is preserved. If it fails in the
* error channel, `orElseSucceed` evaluates the fallback with that error and
* succeeds with the returned value, removing the typed error from the returned
* effect.
*
* Defects and interruptions are not recovered by this operator.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Replacing failures with a value)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
*
* const validate = (age: number): Effect.Effect<number, string> => {
*   if (age < 0) {
*     return Effect.fail("NegativeAgeError")
*   } else if (age < 18) {
*     return Effect.fail("IllegalAgeError")
*   } else {
*     return Effect.succeed(age)
*   }
* }
*
* const program = Effect.orElseSucceed(validate(-1), (error) => error === "IllegalAgeError" ? 18 : 0)
*
* Effect.runSyncExit(program) // => Exit.succeed(0)
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const orElseSucceed = orElseSucceed$1;
/**
* Applies a timeout to an effect, lazily evaluating `orElse` after interrupting
* the source if the timeout is reached.
*
* **Example** (Falling back on timeout)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.timeoutOrElse(Effect.never, {
*   duration: 0,
*   orElse: () => Effect.sync(() => { output.push("Query timed out, using cached data") }).pipe(
*     Effect.as("Cached result")
*   )
* })
*
* void output.push(await Effect.runPromise(program))
* output // => ["Query timed out, using cached data", "Cached result"]
* ```
*
* @see {@link timeout} for failing with a `TimeoutError`.
* @see {@link timeoutOption} for returning `Option.none` on timeout.
*
* @stability stable
* @category delays & timeouts
* @since 4.0.0
*/
const timeoutOrElse = timeoutOrElse$1;
/**
* Returns an effect that suspends the current fiber for the specified duration
* without blocking a JavaScript thread.
*
* **Example** (Pausing without blocking)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.gen(function*() {
*   yield* Effect.sync(() => { output.push("Start") })
*   yield* Effect.sleep(0)
*   yield* Effect.sync(() => { output.push("End") })
* })
*
* await Effect.runPromise(program)
* output // => ["Start", "End"]
* ```
*
* @stability stable
* @category delays & timeouts
* @since 2.0.0
*/
const sleep = sleep$1;
/**
* Races two effects and returns the result of the first one to complete, whether
* it succeeds or fails.
*
* **When to use**
*
* Use when any completion, including failure, should decide the race and
* interrupt the losing effect.
*
* **Details**
*
* The losing effect is interrupted, and `onWinner` can observe the winning fiber.
*
* **Example** (Observing the winning fiber)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const fastFail = Effect.fail("fast-fail")
* const slowSuccess = Effect.never
*
* const program = Effect.gen(function*() {
*   const message = yield* Effect.match(Effect.raceFirst(fastFail, slowSuccess), {
*     onFailure: (error) => `failed: ${error}`,
*     onSuccess: (value) => `succeeded: ${value}`
*   })
*   yield* Effect.sync(() => { output.push(message) })
* })
*
* await Effect.runPromise(program)
* output // => ["failed: fast-fail"]
* ```
*
* @stability stable
* @category racing
* @since 2.0.0
*/
const raceFirst = raceFirst$1;
/**
* Handles both success and failure cases of an effect without performing side
* effects.
*
* **When to use**
*
* Use when you need to fold an `Effect` into a value by handling success and
* failure differently without triggering side effects.
*
* **Details**
*
* `match` lets you define custom handlers for both success and failure
* scenarios. You provide separate functions to handle each case, allowing you
* to process the result if the effect succeeds, or handle the error if the
* effect fails.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Matching success and failure values)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class ExampleError extends Data.TaggedError("ExampleError")<{ readonly message: string }> {}
*
* const success: Effect.Effect<number, ExampleError> = Effect.succeed(42)
*
* const program1 = Effect.match(success, {
*   onFailure: (error) => `failure: ${error.message}`,
*   onSuccess: (value) => `success: ${value}`
* })
*
* // Run and log the result of the successful effect
* Effect.runSync(program1) // => "success: 42"
*
* const failure: Effect.Effect<number, ExampleError> = Effect.fail(
*   new ExampleError({ message: "Uh oh!" })
* )
*
* const program2 = Effect.match(failure, {
*   onFailure: (error) => `failure: ${error.message}`,
*   onSuccess: (value) => `success: ${value}`
* })
*
* // Run and log the result of the failed effect
* Effect.runSync(program2) // => "failure: Uh oh!"
* ```
*
* @see {@link matchEffect} if you need to perform side effects in the handlers.
* @stability stable
* @category pattern matching
* @since 2.0.0
*/
const match = match$1;
/**
* Handles success or failure eagerly with effectful handlers when the effect is already resolved.
*
* **When to use**
*
* Use when you need effectful success and cause-aware failure handlers for
* `Effect` inputs that may already be resolved.
*
* **Details**
*
* If the effect is an `Exit`, the matching handler runs immediately; otherwise it behaves like
* {@link matchCauseEffect}.
*
* @see {@link matchCauseEffect} for the non-eager effectful variant
* @see {@link matchCauseEager} for eager cause matching with pure handlers
* @see {@link matchEffect} for effectful matching on typed failures instead of full causes
*
* @stability stable
* @category pattern matching
* @since 4.0.0
*/
const matchCauseEffectEager = matchCauseEffectEager$1;
/**
* Handles failures with access to the cause and allows performing side effects.
*
* **When to use**
*
* Use when you need to fold an `Effect` with effectful success handlers and
* `Cause`-aware failure handlers.
*
* **Details**
*
* The `matchCauseEffect` function works similarly to {@link matchCause}, but it
* also allows you to perform additional side effects based on the failure
* cause. This function provides access to the complete cause of the failure,
* making it possible to differentiate between various failure types, and allows
* you to respond accordingly while performing side effects (like logging or
* other operations).
*
* **Example** (Effectfully matching on causes)
*
* ```ts import.meta.vitest
* import { Cause, Data, Effect, Result } from "effect"
* const output: Array<unknown> = []
*
* class TaskError extends Data.TaggedError("TaskError")<{ readonly message: string }> {}
*
* const task = Effect.fail(new TaskError({ message: "Task failed" }))
*
* const program = Effect.matchCauseEffect(task, {
*   onFailure: (cause) =>
*     Effect.gen(function*() {
*       if (Cause.hasFails(cause)) {
*         const error = Cause.findError(cause)
*         if (Result.isSuccess(error)) {
*           yield* Effect.sync(() => { output.push(`Handling error: ${error.success.message}`) })
*         }
*         return "recovered from error"
*       } else {
*         yield* Effect.sync(() => { output.push("Handling interruption or defect") })
*         return "recovered from interruption/defect"
*       }
*     }),
*   onSuccess: (value) =>
*     Effect.gen(function*() {
*       yield* Effect.sync(() => { output.push(`Success: ${value}`) })
*       return `processed ${value}`
*     })
* })
*
* void output.push(Effect.runSync(program))
* output // => ["Handling error: Task failed", "recovered from error"]
* ```
*
* @see {@link matchCause} if you don't need side effects and only want to handle the result or failure.
* @see {@link matchEffect} if you don't need to handle the cause of the failure.
*
* @stability stable
* @category pattern matching
* @since 2.0.0
*/
const matchCauseEffect = matchCauseEffect$1;
/**
* Handles both success and failure by running effectful handlers.
*
* **When to use**
*
* Use when you need to handle an `Effect`'s failure or success with handlers
* that return effects.
*
* **Details**
*
* Use `matchEffect` when either branch needs to return an `Effect`, such as
* performing logging, recovery, notification, or other effectful work. The
* returned effect succeeds or fails according to the handler that is run.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Matching success and failure with effectful handlers)
*
* ```ts import.meta.vitest
* import { Data, Effect } from "effect"
*
* class ExampleError extends Data.TaggedError("ExampleError")<{ readonly message: string }> {}
*
* const success: Effect.Effect<number, ExampleError> = Effect.succeed(42)
* const failure: Effect.Effect<number, ExampleError> = Effect.fail(
*   new ExampleError({ message: "Uh oh!" })
* )
*
* const program1 = Effect.matchEffect(success, {
*   onFailure: (error) =>
*     Effect.succeed(`failure: ${error.message}`),
*   onSuccess: (value) =>
*     Effect.succeed(`success: ${value}`)
* })
*
* Effect.runSync(program1) // => "success: 42"
*
* const program2 = Effect.matchEffect(failure, {
*   onFailure: (error) =>
*     Effect.succeed(`failure: ${error.message}`),
*   onSuccess: (value) =>
*     Effect.succeed(`success: ${value}`)
* })
*
* Effect.runSync(program2) // => "failure: Uh oh!"
* ```
*
* @see {@link match} if you don't need side effects and only want to handle the
* result or failure.
* @stability stable
* @category pattern matching
* @since 2.0.0
*/
const matchEffect = matchEffect$1;
/**
* Returns the complete context.
*
* **When to use**
*
* Use to read the complete `Context` available to the current effect.
*
* **Details**
*
* This function allows you to access all services that are currently available
* in the effect's environment. This can be useful for debugging, introspection,
* or when you need to pass the entire context to another function.
*
* **Example** (Reading the full context)
*
* ```ts import.meta.vitest
* import { Context, Effect, Option } from "effect"
* const output: Array<unknown> = []
*
* const Logger = Context.Service<{
*   log: (msg: string) => void
* }>("Logger")
* const Database = Context.Service<{
*   query: (sql: string) => string
* }>("Database")
*
* const program = Effect.gen(function*() {
*   const allServices = yield* Effect.context()
*
*   // Check if specific services are available
*   const loggerOption = Context.getOption(allServices, Logger)
*   const databaseOption = Context.getOption(allServices, Database)
*
*   yield* Effect.sync(() => { output.push(`Logger available: ${Option.isSome(loggerOption)}`) })
*   yield* Effect.sync(() => { output.push(`Database available: ${Option.isSome(databaseOption)}`) })
* })
*
* const context = Context.make(Logger, { log: () => {} })
*   .pipe(Context.add(Database, { query: () => "result" }))
*
* const provided = Effect.provideContext(program, context)
* Effect.runSync(provided)
* output // => ["Logger available: true", "Database available: true"]
* ```
*
* @see {@link contextWith} for deriving an effect from the complete context
* @see {@link service} for reading one service from the context
*
* @stability stable
* @category accessors
* @since 2.0.0
*/
const context = context$1;
/**
* Transforms the current context using the provided function.
*
* **When to use**
*
* Use to derive an effect from the complete `Context`.
*
* **Details**
*
* This function allows you to access the complete context and perform
* computations based on all available services. This is useful when you need
* to conditionally execute logic based on what services are available.
*
* **Example** (Deriving values from the context)
*
* ```ts import.meta.vitest
* import { Context, Effect, Option } from "effect"
* const output: Array<unknown> = []
*
* const Logger = Context.Service<{
*   log: (msg: string) => void
* }>("Logger")
* const Cache = Context.Service<{
*   get: (key: string) => string | null
* }>("Cache")
*
* const program = Effect.contextWith((services: Context.Context<Context.Service.Identifier<typeof Cache>>) => {
*   const cacheOption = Context.getOption(services, Cache)
*   const hasCache = Option.isSome(cacheOption)
*
*   if (hasCache) {
*     return Effect.gen(function*() {
*       const cache = yield* Effect.service(Cache)
*       yield* Effect.sync(() => { output.push("Using cached data") })
*       return cache.get("user:123") || "default"
*     })
*   } else {
*     return Effect.gen(function*() {
*       yield* Effect.sync(() => { output.push("No cache available, using fallback") })
*       return "fallback data"
*     })
*   }
* })
*
* const withCache = Effect.provideService(program, Cache, {
*   get: () => "cached_value"
* })
* void output.push(Effect.runSync(withCache))
* output // => ["Using cached data", "cached_value"]
* ```
*
* @see {@link context} for reading the complete context as a value
* @see {@link service} for reading one service from the context
*
* @stability stable
* @category accessors
* @since 2.0.0
*/
const contextWith = contextWith$1;
/**
* Provides dependencies to an effect using layers or a context. A layer already
* built by an enclosing `provide` or runtime is reused. Sibling `provide` calls
* build their own copies. Use `options.local` to build a fresh layer subtree.
*
* **Example** (Providing dependencies with a layer)
*
* ```ts import.meta.vitest
* import { Context, Effect, Layer } from "effect"
*
* interface Database {
*   readonly query: (sql: string) => Effect.Effect<string>
* }
*
* const Database = Context.Service<Database>("Database")
*
* const DatabaseLayer = Layer.succeed(Database)({
*   query: Effect.fn("Database.query")((sql: string) => Effect.succeed(`Result for: ${sql}`))
* })
*
* const program = Effect.gen(function*() {
*   const db = yield* Database
*   return yield* db.query("SELECT * FROM users")
* })
*
* const provided = Effect.provide(program, DatabaseLayer)
*
* await Effect.runPromise(provided) // => "Result for: SELECT * FROM users"
* ```
*
* @stability stable
* @category providing services
* @since 2.0.0
*/
const provide = provide$1;
/**
* Provides a context to an effect, fulfilling its service requirements.
*
* **Details**
*
* This function provides multiple services at once by supplying a context
* that contains all the required services. It removes the provided services
* from the effect's requirements, making them available to the effect.
*
* **Example** (Providing a complete context)
*
* ```ts import.meta.vitest
* import { Context, Effect } from "effect"
* const output: Array<unknown> = []
*
* // Define service keys
* const Logger = Context.Service<{
*   log: (msg: string) => void
* }>("Logger")
* const Database = Context.Service<{
*   query: (sql: string) => string
* }>("Database")
*
* // Create a context with multiple services
* const context = Context.make(Logger, { log: (message) => { output.push(message) } })
*   .pipe(Context.add(Database, { query: () => "result" }))
*
* // An effect that requires both services
* const program = Effect.gen(function*() {
*   const logger = yield* Effect.service(Logger)
*   const db = yield* Effect.service(Database)
*   logger.log("Querying database")
*   return db.query("SELECT * FROM users")
* })
*
* const provided = Effect.provideContext(program, context)
* void output.push(Effect.runSync(provided))
* output // => ["Querying database", "result"]
* ```
*
* @stability stable
* @category providing services
* @since 4.0.0
*/
const provideContext = provideContext$1;
/**
* Optionally accesses a service from the environment.
*
* **When to use**
*
* Use to read an optional dependency from the current context without making
* that dependency part of the effect's required environment.
*
* **Details**
*
* This function attempts to access a service from the environment. If the
* service is available, it returns `Some(service)`. If the service is not
* available, it returns `None`. Unlike `service`, this function does not
* require the service to be present in the environment.
*
* **Example** (Accessing an optional service)
*
* ```ts import.meta.vitest
* import { Context, Effect, Option } from "effect"
* const output: Array<unknown> = []
*
* // Define a service key
* const Logger = Context.Service<{
*   log: (msg: string) => void
* }>("Logger")
*
* // Use serviceOption to optionally access the logger
* const program = Effect.gen(function*() {
*   const maybeLogger = yield* Effect.serviceOption(Logger)
*
*   if (Option.isSome(maybeLogger)) {
*     maybeLogger.value.log("Service is available")
*   } else {
*     void output.push("Service not available")
*   }
* })
*
* Effect.runSync(program)
* output // => ["Service not available"]
* ```
*
* @stability stable
* @category accessors
* @since 2.0.0
*/
const serviceOption = serviceOption$1;
/**
* Provides part of the required context while leaving the rest unchanged.
*
* **Details**
*
* This function allows you to transform the context required by an effect,
* providing part of the context and leaving the rest to be fulfilled later.
*
* **Example** (Updating the context before running)
*
* ```ts import.meta.vitest
* import { Context, Effect } from "effect"
*
* // Define services
* const Logger = Context.Service<{
*   log: (msg: string) => void
* }>("Logger")
* const Config = Context.Service<{
*   name: string
* }>("Config")
*
* const program = Effect.service(Config).pipe(
*   Effect.map((config) => `Hello ${config.name}!`)
* )
*
* // Transform services by providing Config while keeping Logger requirement
* const configured = program.pipe(
*   Effect.updateContext((context: Context.Context<Context.Service.Identifier<typeof Logger>>) =>
*     Context.add(context, Config, { name: "World" })
*   )
* )
*
* // The effect now requires only Logger service
* const result = Effect.provideService(configured, Logger, {
*   log: () => {}
* })
* Effect.runSync(result) // => "Hello World!"
* ```
*
* @stability stable
* @category providing services
* @since 4.0.0
*/
const updateContext = updateContext$1;
/**
* Provides one concrete service implementation to an effect.
*
* **When to use**
*
* Use to satisfy one service requirement with an already-built implementation.
*
* **Details**
*
* The service requirement identified by the `Context.Key` is removed from the
* effect requirements after the implementation is provided.
*
* **Example** (Providing a service value)
*
* ```ts import.meta.vitest
* import { Context, Effect } from "effect"
* const output: Array<unknown> = []
*
* // Define a service for configuration
* const Config = Context.Service<{
*   apiUrl: string
*   timeout: number
* }>("Config")
*
* const fetchData = Effect.gen(function*() {
*   const config = yield* Effect.service(Config)
*   yield* Effect.sync(() => { output.push(`Fetching from: ${config.apiUrl}`) })
*   yield* Effect.sync(() => { output.push(`Timeout: ${config.timeout}ms`) })
*   return "data"
* })
*
* // Provide the service implementation
* const program = Effect.provideService(fetchData, Config, {
*   apiUrl: "https://api.example.com",
*   timeout: 5000
* })
*
* void output.push(Effect.runSync(program))
* output // => ["Fetching from: https://api.example.com", "Timeout: 5000ms", "data"]
* ```
*
* @see {@link provide} for providing multiple layers to an effect.
* @see {@link provideServiceEffect} for acquiring the service implementation effectfully.
* @see {@link provideContext} for providing a complete context.
* @stability stable
* @category providing services
* @since 2.0.0
*/
const provideService = provideService$1;
/**
* Returns the current scope for resource management.
*
* **Example** (Accessing the current scope)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.gen(function*() {
*   const currentScope = yield* Effect.scope
*   yield* Effect.sync(() => { output.push("Got scope for resource management") })
*
*   // Use the scope to manually manage resources if needed
*   const resource = yield* Effect.acquireRelease(
*     Effect.sync(() => { output.push("Acquiring resource") }).pipe(Effect.as("resource")),
*     () => Effect.sync(() => { output.push("Releasing resource") })
*   )
*
*   return resource
* })
*
* void output.push(Effect.runSync(Effect.scoped(program)))
* output // => ["Got scope for resource management", "Acquiring resource", "Releasing resource", "resource"]
* ```
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const scope = scope$1;
/**
* Runs an effect with a scope that closes when the effect completes.
*
* **When to use**
*
* Use to acquire scoped resources for the duration of a single workflow.
*
* **Details**
*
* Finalizers for resources acquired inside the workflow run as soon as the
* workflow completes, whether by success, failure, or interruption.
*
* **Example** (Running a scoped acquisition)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const resource = Effect.acquireRelease(
*   Effect.sync(() => { output.push("Acquiring resource") }).pipe(Effect.as("resource")),
*   () => Effect.sync(() => { output.push("Releasing resource") })
* )
*
* const program = Effect.scoped(
*   Effect.gen(function*() {
*     const res = yield* resource
*     yield* Effect.sync(() => { output.push(`Using ${res}`) })
*     return res
*   })
* )
*
* Effect.runSync(program)
* output // => ["Acquiring resource", "Using resource", "Releasing resource"]
* ```
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const scoped = scoped$1;
/**
* Creates a scoped effect by providing access to the scope.
*
* **When to use**
*
* Use when resource acquisition needs direct access to the scope being created,
* for example to register finalizers manually.
*
* **Example** (Working with an explicit scope)
*
* ```ts import.meta.vitest
* import { Effect, Scope } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.scopedWith((scope) =>
*   Effect.gen(function*() {
*     yield* Effect.sync(() => { output.push("Inside scoped context") })
*
*     // Manually add a finalizer to the scope
*     yield* Scope.addFinalizer(scope, Effect.sync(() => { output.push("Manual finalizer") }))
*
*     // Create a scoped resource
*     const resource = yield* Effect.scoped(
*       Effect.acquireRelease(
*         Effect.sync(() => { output.push("Acquiring resource") }).pipe(Effect.as("resource")),
*         () => Effect.sync(() => { output.push("Releasing resource") })
*       )
*     )
*
*     return resource
*   })
* )
*
* void output.push(Effect.runSync(program))
* output // => ["Inside scoped context", "Acquiring resource", "Releasing resource", "Manual finalizer", "resource"]
* ```
*
* @stability stable
* @category resource management
* @since 3.11.0
*/
const scopedWith = scopedWith$1;
/**
* Constructs a scoped resource from an acquisition effect and a release
* finalizer.
*
* **When to use**
*
* Use to acquire a scoped resource with an explicit release finalizer.
*
* **Details**
*
* If acquisition succeeds, the release finalizer is added to the current scope
* and is guaranteed to run when that scope closes. The finalizer receives the
* `Exit` value used to close the scope.
*
* By default, acquisition is protected by an uninterruptible region. Pass
* `{ interruptible: true }` to allow the acquisition effect to be interrupted.
*
* **Example** (Acquiring and releasing a resource)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
* const output: Array<unknown> = []
*
* // Simulate a resource that needs cleanup
* interface FileHandle {
*   readonly path: string
*   readonly content: string
* }
*
* // Acquire a file handle
* const acquire = Effect.gen(function*() {
*   yield* Effect.sync(() => { output.push("Opening file") })
*   return { path: "/tmp/file.txt", content: "file content" }
* })
*
* // Release the file handle
* const release = (handle: FileHandle, exit: Exit.Exit<unknown, unknown>) =>
*   Effect.sync(() => { output.push(
*     `Closing file ${handle.path} with exit: ${
*       Exit.isSuccess(exit) ? "success" : "failure"
*     }`
*   ) })
*
* // Create a scoped resource
* const resource = Effect.acquireRelease(acquire, release)
*
* // Use the resource within a scope
* const program = Effect.scoped(
*   Effect.gen(function*() {
*     const handle = yield* resource
*     yield* Effect.sync(() => { output.push(`Using file: ${handle.path}`) })
*     return handle.content
*   })
* )
*
* void output.push(Effect.runSync(program))
* output // => ["Opening file", "Using file: /tmp/file.txt", "Closing file /tmp/file.txt with exit: success", "file content"]
* ```
*
* @see {@link acquireDisposable} for resources that implement JavaScript disposal protocols
* @see {@link acquireUseRelease} for bracketing acquire, use, and release in one effect
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const acquireRelease = acquireRelease$1;
/**
* Adds a finalizer to the current scope.
*
* **When to use**
*
* Use to register low-level cleanup in the current scope.
*
* **Details**
*
* The finalizer runs when the surrounding scope is closed and receives the
* `Exit` value used to close the scope.
*
* **Example** (Registering scope finalizers)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.scoped(
*   Effect.gen(function*() {
*     // Add a finalizer that runs when the scope closes
*     yield* Effect.addFinalizer((exit) =>
*       Effect.sync(() => { output.push(
*         Exit.isSuccess(exit)
*           ? "Cleanup: Operation completed successfully"
*           : "Cleanup: Operation failed, cleaning up resources"
*       ) })
*     )
*
*     yield* Effect.sync(() => { output.push("Performing main operation...") })
*
*     // This could succeed or fail
*     return "operation result"
*   })
* )
*
* void output.push(Effect.runSync(program))
* output // => ["Performing main operation...", "Cleanup: Operation completed successfully", "operation result"]
* ```
*
* @see {@link acquireRelease} for resource acquisition with a release finalizer
* @see {@link ensuring} for attaching a finalizer to one effect
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const addFinalizer = addFinalizer$2;
/**
* Returns an effect that, if this effect _starts_ execution, then the
* specified `finalizer` is guaranteed to be executed, whether this effect
* succeeds, fails, or is interrupted.
*
* **Details**
*
* For use cases that need access to the effect's result, see `onExit`.
*
* Finalizers offer very powerful guarantees, but they are low-level, and
* should generally not be used for releasing resources. For higher-level
* logic built on `ensuring`, see the `acquireRelease` family of methods.
*
* **Example** (Always running cleanup)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const task = Effect.gen(function*() {
*   yield* Effect.sync(() => { output.push("Task started") })
*   yield* Effect.sync(() => { output.push("Task completed") })
*   return 42
* })
*
* // Ensure cleanup always runs, regardless of success or failure
* const program = Effect.ensuring(
*   task,
*   Effect.sync(() => { output.push("Cleanup: This always runs!") })
* )
*
* void output.push(Effect.runSync(program))
* output // => ["Task started", "Task completed", "Cleanup: This always runs!", 42]
* ```
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const ensuring = ensuring$1;
/**
* Runs the specified effect if this effect fails, providing the error to the
* effect if it exists. The provided effect will not be interrupted.
*
* **Example** (Running cleanup on failure)
*
* ```ts import.meta.vitest
* import { Cause, Data, Effect, Exit } from "effect"
* const output: Array<unknown> = []
*
* class TaskError extends Data.TaggedError("TaskError")<{ readonly message: string }> {}
*
* const error = new TaskError({ message: "Something went wrong" })
* const task = Effect.fail(error)
*
* const program = Effect.onError(
*   task,
*   (cause) => Effect.sync(() => { output.push(`Cleanup on error: ${Cause.squash(cause)}`) })
* )
*
* void output.push(Effect.runSyncExit(program))
* output // => ["Cleanup on error: TaskError: Something went wrong", Exit.fail(error)]
* ```
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const onError = onError$1;
/**
* Runs an optional finalizer with the effect's `Exit` value when the effect
* completes.
*
* **When to use**
*
* Use when you are building a low-level `Effect` operator that must inspect the
* source effect's `Exit`, may skip finalization by returning `undefined`, or
* must choose whether finalization is forced into an uninterruptible region.
*
* **Details**
*
* This low-level operator preserves the source effect's result unless the
* finalizer fails. If both the source effect and the finalizer fail, the two
* causes are merged. Prefer `onExit` for normal cleanup logic.
*
* @see {@link onExit} for ordinary exit-aware cleanup whose finalizer always returns an effect
*
* @stability stable
* @category resource management
* @since 4.0.0
*/
const onExitPrimitive = onExitPrimitive$1;
/**
* Ensures that a cleanup function runs whether this effect succeeds, fails, or
* is interrupted.
*
* **Details**
*
* If both the effect and the cleanup function fail, the two causes are merged.
*
* **Example** (Observing every exit)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
* const output: Array<unknown> = []
*
* const task = Effect.succeed(42)
*
* const program = Effect.onExit(task, (exit) =>
*   Effect.sync(() => { output.push(
*     Exit.isSuccess(exit)
*       ? `Task succeeded with: ${exit.value}`
*       : `Task failed: ${Exit.isFailure(exit) ? exit.cause : "interrupted"}`
*   ) }))
*
* void output.push(Effect.runSync(program))
* output // => ["Task succeeded with: 42", 42]
* ```
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const onExit = onExit$1;
/**
* Returns an effect that lazily computes a result and caches it for subsequent
* evaluations.
*
* **When to use**
*
* Use when you need an expensive or time-consuming operation to be evaluated
* once and reused by later callers.
*
* **Details**
*
* This function wraps an effect and ensures that its result is computed only
* once. Once the result is computed, it is cached, meaning that subsequent
* evaluations of the same effect will return the cached result without
* re-executing the logic.
*
* Concurrent callers share the pending computation, which is interrupted only
* once every caller waiting on it has been interrupted. Interrupted
* computations are never cached, so the next evaluation starts a fresh
* computation.
*
* **Example** (Memoizing an effect until invalidated)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
* const record = (value: unknown) => Effect.sync(() => { output.push(value) })
*
* let i = 1
* const expensiveTask = Effect.sync(() => {
*   void output.push("expensive task...")
*   return `result ${i++}`
* })
*
* const program = Effect.gen(function*() {
*   void output.push("non-cached version:")
*   yield* expensiveTask.pipe(Effect.andThen(record))
*   yield* expensiveTask.pipe(Effect.andThen(record))
*   void output.push("cached version:")
*   const cached = yield* Effect.cached(expensiveTask)
*   yield* cached.pipe(Effect.andThen(record))
*   yield* cached.pipe(Effect.andThen(record))
* })
*
* await Effect.runPromise(program)
* output // => ["non-cached version:", "expensive task...", "result 1", "expensive task...", "result 2", "cached version:", "expensive task...", "result 3", "result 3"]
* ```
*
* @see {@link cachedWithTTL} for a similar function that includes a
* time-to-live duration for the cached value.
* @see {@link cachedInvalidateWithTTL} for a similar function that includes an
* additional effect for manually invalidating the cached value.
* @stability stable
* @category caching
* @since 2.0.0
*/
const cached = cached$1;
/**
* Returns an effect that is immediately interrupted.
*
* **Example** (Creating an interrupted effect)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const program = Effect.gen(function*() {
*   return yield* Effect.interrupt
*   yield* Effect.succeed("This won't execute and is unreachable")
* })
*
* Effect.runSyncExit(program)._tag // => "Failure"
* ```
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const interrupt = interrupt$1;
/**
* Returns a new effect that allows the effect to be interruptible.
*
* **Example** (Allowing interruption)
*
* ```ts import.meta.vitest
* import { Effect, Option } from "effect"
*
* const program = Effect.interruptible(Effect.never).pipe(
*   Effect.timeoutOption(0)
* )
* await Effect.runPromise(program) // => Option.none()
* ```
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const interruptible = interruptible$1;
/**
* Runs the specified finalizer effect if this effect is interrupted.
*
* **Example** (Running cleanup on interruption)
*
* ```ts import.meta.vitest
* import { Effect, Fiber } from "effect"
* const output: Array<unknown> = []
*
* const task = Effect.forever(Effect.succeed("working..."))
*
* const program = Effect.onInterrupt(
*   task,
*   () => Effect.sync(() => { output.push("Task was interrupted, cleaning up...") })
* )
*
* const fiber = Effect.runFork(program)
* await Effect.runPromise(Fiber.interrupt(fiber))
* output // => ["Task was interrupted, cleaning up..."]
* ```
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const onInterrupt = onInterrupt$1;
/**
* Returns a new effect that disables interruption for the given effect.
*
* **Example** (Preventing interruption)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const criticalTask = Effect.gen(function*() {
*   yield* Effect.sync(() => { output.push("Starting critical section...") })
*   yield* Effect.sync(() => { output.push("Critical section completed") })
* })
*
* const program = Effect.uninterruptible(criticalTask)
*
* Effect.runSync(program)
* output // => ["Starting critical section...", "Critical section completed"]
* ```
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const uninterruptible = uninterruptible$1;
/**
* Disables interruption and provides a restore function to restore the
* interruptible state within the effect.
*
* **Example** (Restoring interruption in protected regions)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.uninterruptibleMask((restore) =>
*   Effect.gen(function*() {
*     yield* Effect.sync(() => { output.push("Uninterruptible phase...") })
*     // Restore interruptibility for this part
*     yield* restore(
*       Effect.gen(function*() {
*         yield* Effect.sync(() => { output.push("Interruptible phase...") })
*       })
*     )
*
*     yield* Effect.sync(() => { output.push("Back to uninterruptible") })
*   })
* )
*
* Effect.runSync(program)
* output // => ["Uninterruptible phase...", "Interruptible phase...", "Back to uninterruptible"]
* ```
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const uninterruptibleMask = uninterruptibleMask$1;
/**
* Repeats this effect forever (until the first error).
*
* **Example** (Repeating forever)
*
* ```ts import.meta.vitest
* import { Effect, Option } from "effect"
*
* const program = Effect.forever(Effect.never).pipe(Effect.timeoutOption(0))
* await Effect.runPromise(program) // => Option.none()
* ```
*
* @stability stable
* @category repetition
* @since 2.0.0
*/
const forever = forever$1;
/**
* Create a new span for tracing, and automatically close it when the effect
* completes.
*
* **Details**
*
* The span is not added to the current span stack, so no child spans will be
* created for it.
*
* **Example** (Running an effect with a standalone span)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const program = Effect.useSpan(
*   "user-operation",
*   (span) => Effect.succeed(`${span.name}: success`)
* )
* Effect.runSync(program) // => "user-operation: success"
* ```
*
* @stability stable
* @category tracing
* @since 2.0.0
*/
const useSpan = useSpan$1;
/**
* Adds the provided span to the current span stack.
*
* **Example** (Setting a parent span)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const program = Effect.gen(function*() {
*   const span = yield* Effect.makeSpan("parent-span")
*   const childTask = Effect.succeed("child operation")
*   yield* Effect.withParentSpan(childTask, span)
*   return "completed"
* })
* Effect.runSync(program) // => "completed"
* ```
*
* @stability stable
* @category tracing
* @since 2.0.0
*/
const withParentSpan = withParentSpan$1;
/**
* Forks the effect in the specified scope. The fiber will be interrupted
* when the scope is closed.
*
* **Example** (Forking into a supplied scope)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const task = Effect.never
*
* const program = Effect.scoped(
*   Effect.gen(function*() {
*     const scope = yield* Effect.scope
*     const fiber = yield* Effect.forkIn(task, scope)
*     // Fiber will be interrupted when scope closes
*     return "done"
*   })
* )
*
* await Effect.runPromise(program) // => "done"
* ```
*
* @stability stable
* @category forking
* @since 2.0.0
*/
const forkIn = forkIn$1;
/**
* Forks the fiber in a `Scope`, interrupting it when the scope is closed.
*
* **Example** (Forking into the current scope)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const backgroundTask = Effect.never
*
* const program = Effect.scoped(
*   Effect.gen(function*() {
*     yield* backgroundTask.pipe(Effect.forkScoped)
*
*     // Fiber will be interrupted when scope closes
*     return "scope completed"
*   })
* )
*
* await Effect.runPromise(program) // => "scope completed"
* ```
*
* @stability stable
* @category forking
* @since 2.0.0
*/
const forkScoped = forkScoped$1;
/**
* Runs an effect in the background, returning a fiber that can
* be observed or interrupted.
*
* **When to use**
*
* Use when you need to start an effect in the background and receive a fiber.
*
* **Example** (Running an effect in the background)
*
* ```ts import.meta.vitest
* import { Effect, Fiber } from "effect"
* const output: Array<unknown> = []
*
* //      ┌─── Effect<string, never, never>
* //      ▼
* const program = Effect.sync(() => { output.push("running...") }).pipe(Effect.as("done"))
*
* //      ┌─── Fiber<string, never>
* //      ▼
* const fiber = Effect.runFork(program)
*
* void output.push(await Effect.runPromise(Fiber.join(fiber)))
* output // => ["running...", "done"]
* ```
*
* @stability stable
* @category running
* @since 2.0.0
*/
const runFork = runFork$1;
/**
* Runs an effect in the background with the provided services.
*
* **When to use**
*
* Use when an effect still requires services, you already have a `Context`, and
* you want a background fiber.
*
* **Example** (Running with services in the background)
*
* ```ts import.meta.vitest
* import { Context, Effect, Fiber } from "effect"
* const output: Array<unknown> = []
*
* interface Logger {
*   log: (message: string) => void
* }
*
* const Logger = Context.Service<Logger>("Logger")
*
* const services = Context.make(Logger, {
*   log: (message) => void output.push(message)
* })
*
* const program = Effect.gen(function*() {
*   const logger = yield* Logger
*   logger.log("Hello from service!")
*   return "done"
* })
*
* const fiber = Effect.runForkWith(services)(program)
* void output.push(await Effect.runPromise(Fiber.join(fiber)))
* output // => ["Hello from service!", "done"]
* ```
*
* @stability stable
* @category running
* @since 4.0.0
*/
const runForkWith = runForkWith$1;
/**
* Runs an effect asynchronously, registering `onExit` as a fiber observer and
* returning an interruptor.
*
* **Details**
*
* The interruptor calls `fiber.interruptUnsafe` with the optional interruptor
* id.
*
* **Example** (Running with a callback)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.gen(function*() {
*   yield* Effect.sync(() => { output.push("working") })
*   return "done"
* })
*
* await new Promise<void>((resolve) => {
*   Effect.runCallback(program, {
*     onExit: (exit) => {
*       Effect.runSync(
*         Exit.match(exit, {
*           onFailure: () => Effect.sync(() => { output.push("failed") }),
*           onSuccess: (value) => Effect.sync(() => { output.push(`success: ${value}`) })
*         })
*       )
*       resolve()
*     }
*   })
* })
*
* output // => ["working", "success: done"]
* ```
*
* @stability stable
* @category running
* @since 2.0.0
*/
const runCallback = runCallback$1;
/**
* Executes an effect and returns the result as a `Promise`.
*
* **When to use**
*
* Use when you need to execute an effect and work with the
* result using `Promise` syntax, typically for compatibility with other
* promise-based code.
*
* If the effect succeeds, the promise will resolve with the result. If the
* effect fails, the promise will reject with an error.
*
* **Example** (Running a successful effect as a Promise)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* await Effect.runPromise(Effect.succeed(1)) // => 1
* ```
*
* **Example** (Running effects as promises)
*
* ```ts import.meta.vitest
* //Example: Handling a Failing Effect as a Rejected Promise
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* await Effect.runPromise(Effect.fail("my error")).catch(() => {
*   void output.push("rejected")
* })
* output // => ["rejected"]
* ```
*
* @see {@link runPromiseExit} for a version that returns an `Exit` type instead of rejecting.
* @stability stable
* @category running
* @since 2.0.0
*/
const runPromise = runPromise$1;
/**
* Executes an effect synchronously and returns its success value.
*
* **When to use**
*
* Use when you need to execute an effect that is guaranteed to complete
* synchronously.
*
* **Details**
*
* If the effect fails, dies, or is interrupted, `runSync` throws the squashed
* cause instead of returning a value. Typed errors can be thrown directly,
* including non-Error values. Asynchronous work throws `Cause.AsyncFiberError`.
* Use `runSyncExit` when you want the failure captured as an `Exit`.
*
* **Example** (Running a synchronous effect)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* const program = Effect.sync(() => {
*   void output.push("Hello, World!")
*   return 1
* })
*
* const result = Effect.runSync(program)
* void output.push(result)
* output // => ["Hello, World!", 1]
* ```
*
* **Example** (Throwing for failed or async effects)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* try {
*   // Attempt to run an effect that fails
*   Effect.runSync(Effect.fail("my error"))
* } catch (e) {
*   void output.push("failed effect")
* }
* try {
*   // Attempt to run an effect that involves async work
*   Effect.runSync(Effect.promise(() => Promise.resolve(1)))
* } catch (e) {
*   void output.push("async effect")
* }
* output // => ["failed effect", "async effect"]
* ```
*
* @see {@link runSyncExit} for a version that returns an `Exit` type instead of
* throwing an error.
* @stability stable
* @category running
* @since 2.0.0
*/
const runSync$1 = runSync$2;
/**
* Runs an effect synchronously and captures the outcome safely as an `Exit` type, which
* represents the outcome (success or failure) of the effect.
*
* **When to use**
*
* Use to find out whether an effect succeeded or failed,
* including any defects, without dealing with asynchronous operations.
*
* **Details**
*
* The `Exit` type represents the result of the effect. Successful effects are
* wrapped in `Success`, and failed effects are wrapped in `Failure` with a
* `Cause`.
*
* If the effect contains asynchronous operations, `runSyncExit` will
* return an `Failure` with a `Die` cause, indicating that the effect cannot be
* resolved synchronously.
*
* **Example** (Observing synchronous results as Exit)
*
* ```ts import.meta.vitest
* import { Effect, Exit } from "effect"
*
* Effect.runSyncExit(Effect.succeed(1)) // => Exit.succeed(1)
*
* Effect.runSyncExit(Effect.fail("my error")) // => Exit.fail("my error")
* ```
*
* **Example** (Capturing async work as a Die cause)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Exit } from "effect"
*
* const exit = Effect.runSyncExit(Effect.promise(() => Promise.resolve(1)))
* const isAsyncDie = Exit.isFailure(exit) && Exit.hasDies(exit) && exit.cause.reasons.some(
*   (reason) => Cause.isDieReason(reason) && Cause.isAsyncFiberError(reason.defect)
* )
*
* isAsyncDie // => true
* ```
*
* @see {@link runSync} for a version that throws on failure.
*
* @stability stable
* @category running
* @since 2.0.0
*/
const runSyncExit = runSyncExit$1;
/**
* Creates an Effect-returning function without tracing.
*
* **When to use**
*
* Use when you are defining a reusable Effect function whose implementation
* would otherwise be a normal function returning {@link gen}, especially when
* tracing spans or stack-frame capture are not needed.
*
* **Details**
*
* Compared to a plain function that returns {@link gen}, `Effect.fnUntraced`
* reuses the generator body instead of allocating a fresh generator closure
* around the arguments on every call. It does not record an Effect stack-frame
* boundary and does not create tracing spans. Use {@link fn} when you need
* those stack frames or spans. Additional arguments after the generator body
* act like `pipe` transforms: each transform receives the previous result and
* the original function arguments. Generator bodies may declare a `this`
* parameter; pass `{ self }` before the body to bind `this` when the function
* is created. Annotate the generator return type with
* `Effect.fn.Return<A, E, R>` when the produced `Effect` type needs to be
* stated explicitly.
*
* **Example** (Defining untraced effect functions)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fnUntraced(function*(
*   value: string
* ) {
*   return yield* Effect.succeed(value.length)
* })
*
* //      ┌─── Effect.Effect<number>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => 5
* ```
*
* **Example** (Transforming the returned Effect)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fnUntraced(
*   function*(value: string) {
*     return yield* Effect.succeed(value.length)
*   },
*   (effect, value) =>
*     effect.pipe(Effect.map((length) => `${value}: ${length}`))
* )
*
* //      ┌─── Effect.Effect<string>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => "hello: 5"
* ```
*
* **Example** (Annotating an untraced non-parametric function)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fnUntraced(function*(
*   value: string
* ): Effect.fn.Return<number> {
*   return yield* Effect.succeed(value.length)
* })
*
* //      ┌─── Effect.Effect<number>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => 5
* ```
*
* **Example** (Annotating an untraced parametric function)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fnUntraced(function*<A>(
*   value: A
* ): Effect.fn.Return<A> {
*   return yield* Effect.succeed(value)
* })
*
* //      ┌─── Effect.Effect<string>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => "hello"
* ```
*
* @stability stable
* @category constructors
* @since 3.12.0
*/
const fnUntraced = fnUntraced$1;
/**
* Creates a reusable traced function from an Effect body.
*
* **When to use**
*
* Use when you are defining a reusable Effect function whose implementation
* would otherwise be a normal function returning {@link gen}, and you want
* tracing spans or stack-frame capture.
*
* **Details**
*
* Compared to a plain function that returns {@link gen}, `Effect.fn` reuses the
* generator body instead of allocating a fresh generator closure around the
* arguments on every call. Call `Effect.fn(body, ...)` for a generic
* stack-frame boundary without creating a span. Call
* `Effect.fn("operationName", options?)(body, ...)` when that boundary should
* have a readable operation name and the returned `Effect` should create a
* tracing span when run. {@link SpanOptionsNoTrace} configures span metadata
* such as attributes, links, parent or root selection, kind, sampling, and log
* level. Additional arguments after the generator body act like `pipe`
* transforms: each transform receives the previous result and the original
* function arguments. When those transforms return an `Effect`, the returned
* effect includes stack-frame metadata and, for the named form, a tracing span.
* Generator bodies may declare a `this` parameter; pass `{ self }` before the
* body to bind `this` when the function is created.
*
* **Example** (Defining traced effect functions)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fn("calculateLength")(function*(value: string) {
*   return yield* Effect.succeed(value.length)
* })
*
* //      ┌─── Effect.Effect<number>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => 5
* ```
*
* **Example** (Transforming the returned Effect)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fn("formatLength")(
*   function*(value: string) {
*     return yield* Effect.succeed(value.length)
*   },
*   (effect, value) =>
*     effect.pipe(Effect.map((length) => `${value}: ${length}`))
* )
*
* //      ┌─── Effect.Effect<string>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => "hello: 5"
* ```
*
* **Example** (Binding this)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* class Counter {
*   count = 0
*
*   increment = Effect.fn("Counter.increment")(
*     { self: this },
*     function*(this: Counter, by: number) {
*       this.count += by
*       return yield* Effect.succeed(this.count)
*     }
*   )
* }
*
* const counter = new Counter()
*
* //      ┌─── Effect.Effect<number>
* //      ▼
* const program = counter.increment(1)
* Effect.runSync(program) // => 1
* ```
*
* **Example** (Annotating a traced non-parametric function)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fn("calculateLength")(function*(
*   value: string
* ): Effect.fn.Return<number> {
*   return yield* Effect.succeed(value.length)
* })
*
* //      ┌─── Effect.Effect<number>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => 5
* ```
*
* **Example** (Annotating a traced parametric function)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const f = Effect.fn("succeed")(function*<A>(
*   value: A
* ): Effect.fn.Return<A> {
*   return yield* Effect.succeed(value)
* })
*
* //      ┌─── Effect.Effect<string>
* //      ▼
* const program = f("hello")
* Effect.runSync(program) // => "hello"
* ```
*
* @stability stable
* @category constructors
* @since 3.11.0
*/
const fn = fn$1;
/**
* Converts an error-first callback API into a function that returns an
* `Effect`.
*
* **Details**
*
* The original function is called with the supplied arguments plus a final
* callback. A truthy callback error fails the returned effect, while a
* successful callback value becomes the effect success. Use `onError` to map
* callback errors and `onSyncError` to turn synchronous throws into typed
* failures; otherwise synchronous throws become defects.
*
* **Example** (Converting callbacks to effects)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const uppercase = (
*   input: string,
*   callback: (error: Error | null, value?: string) => void
* ) => queueMicrotask(() => callback(null, input.toUpperCase()))
*
* const effectfulUppercase = Effect.effectify(uppercase)
* const program = effectfulUppercase("hello")
*
* await Effect.runPromise(program) // => "HELLO"
* ```
*
* **Example** (Mapping callback errors to typed failures)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const fail = (
*   input: string,
*   callback: (error: Error | null, value?: string) => void
* ) => queueMicrotask(() => callback(new Error("unavailable")))
*
* const effectfulFail = Effect.effectify(
*   fail,
*   (error, args) => new Error(`Failed to process ${args[0]}: ${error.message}`)
* )
*
* const program = Effect.flip(effectfulFail("hello"))
*
* const error = await Effect.runPromise(program)
* error.message // => "Failed to process hello: unavailable"
* ```
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const effectify = (fn, onError, onSyncError) => (...args) => callback((resume) => {
	let synchronous = true;
	let pending;
	try {
		fn(...args, (err, result) => {
			const effect = err ? onError ? suspend(() => fail$1(onError(err, args))) : fail$1(err) : succeed$1(result);
			if (synchronous) pending ??= effect;
			else resume(effect);
		});
	} catch (err) {
		pending = onSyncError ? fail$1(onSyncError(err, args)) : die(err);
	}
	synchronous = false;
	if (pending) resume(pending);
});
/**
* Applies `map` eagerly when an effect is already resolved.
*
* **When to use**
*
* Use when an already-resolved effect should apply a success transformation
* immediately while pending effects still use regular mapping.
*
* **Details**
*
* Success effects apply the mapping function immediately. Failure effects pass
* through unchanged, and pending effects fall back to regular `map` behavior.
*
* **Example** (Mapping already completed effects)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* // For resolved effects, the mapping is applied immediately
* const resolved = Effect.succeed(5)
* const mapped = Effect.mapEager(resolved, (n) => n * 2) // Applied eagerly
*
* // For pending effects, behaves like regular map
* const pending = Effect.delay(Effect.succeed(5), 0)
* const mappedPending = Effect.mapEager(pending, (n) => n * 2) // Uses regular map
*
* await Effect.runPromise(Effect.all([mapped, mappedPending])) // => [10, 10]
* ```
*
* @stability stable
* @category mapping
* @since 4.0.0
*/
const mapEager = mapEager$1;
/**
* Applies `mapError` eagerly when an effect is already resolved.
*
* **When to use**
*
* Use when an already-resolved failed effect should apply an error
* transformation immediately while pending effects still use regular error
* mapping.
*
* **Details**
*
* Success effects pass through unchanged because there is no error to
* transform. Failure effects apply the mapping function immediately, and
* pending effects fall back to regular `mapError` behavior.
*
* Maps every typed error in the cause, preserving defects, interrupts and
* reason order. Unlike typed recovery, mapping does not convert errors to defects.
*
* **Example** (Mapping errors eagerly when possible)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* // For resolved failure effects, the error mapping is applied immediately
* const failed = Effect.fail("original error")
* const mapped = Effect.mapErrorEager(failed, (err: string) => `mapped: ${err}`) // Applied eagerly
*
* // For pending effects, behaves like regular mapError
* const pending = Effect.delay(Effect.fail("error"), 0)
* const mappedPending = Effect.mapErrorEager(
*   pending,
*   (err: string) => `mapped: ${err}`
* ) // Uses regular mapError
*
* void output.push(await Effect.runPromise(Effect.all([
*   Effect.flip(mapped),
*   Effect.flip(mappedPending)
* ])))
* output // => [['mapped: original error', 'mapped: error']]
* ```
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const mapErrorEager = mapErrorEager$1;
/**
* Applies `mapBoth` eagerly when an effect is already resolved.
*
* **When to use**
*
* Use when an already-resolved effect should transform either success or
* failure immediately while pending effects still use regular channel mapping.
*
* **Details**
*
* Success effects apply `onSuccess` immediately, and failure effects apply
* `onFailure` immediately. Pending effects fall back to regular `mapBoth`
* behavior.
*
* Maps every typed error in the cause, preserving defects, interrupts and
* reason order. Unlike typed recovery, mapping does not convert errors to defects.
*
* **Example** (Mapping both channels eagerly when possible)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* // For resolved effects, the appropriate mapping is applied immediately
* const success = Effect.succeed(5)
* const mapped = Effect.mapBothEager(success, {
*   onFailure: (err: string) => `Failed: ${err}`,
*   onSuccess: (n: number) => n * 2
* }) // onSuccess applied eagerly
*
* const failure = Effect.fail("error")
* const mappedError = Effect.mapBothEager(failure, {
*   onFailure: (err: string) => `Failed: ${err}`,
*   onSuccess: (n: number) => n * 2
* }) // onFailure applied eagerly
*
* void output.push(Effect.runSync(mapped))
* void output.push(Effect.runSync(Effect.flip(mappedError)))
* output // => [10, "Failed: error"]
* ```
*
* @stability stable
* @category mapping
* @since 4.0.0
*/
const mapBothEager = mapBothEager$1;
/**
* Applies `flatMap` eagerly when an effect is already resolved.
*
* **When to use**
*
* Use when an already-resolved successful effect should bind immediately to the
* next effect while pending effects still use regular flat mapping.
*
* **Details**
*
* Success effects apply the flatMap function immediately. Failure effects pass
* through unchanged, and pending effects fall back to regular `flatMap`
* behavior.
*
* **Example** (Flat mapping eagerly when possible)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* // For resolved effects, the flatMap is applied immediately
* const resolved = Effect.succeed(5)
* const flatMapped = Effect.flatMapEager(resolved, (n) => Effect.succeed(n * 2)) // Applied eagerly
*
* // For pending effects, behaves like regular flatMap
* const pending = Effect.delay(Effect.succeed(5), 0)
* const flatMappedPending = Effect.flatMapEager(
*   pending,
*   (n) => Effect.succeed(n * 2)
* ) // Uses regular flatMap
*
* await Effect.runPromise(Effect.all([flatMapped, flatMappedPending])) // => [10, 10]
* ```
*
* @stability stable
* @category sequencing
* @since 4.0.0
*/
const flatMapEager = flatMapEager$1;
/**
* Applies `catch` eagerly when an effect is already resolved.
*
* **When to use**
*
* Use when an already-resolved failed effect should recover immediately while
* pending effects still use regular error recovery.
*
* **Details**
*
* Success effects pass through unchanged because there is no error to catch.
* Failure effects apply the catch function immediately, and pending effects
* fall back to regular `catch` behavior.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Catching failures eagerly when possible)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
* const output: Array<unknown> = []
*
* // For resolved failure effects, the catch function is applied immediately
* const failed = Effect.fail("original error")
* const recovered = Effect.catchEager(
*   failed,
*   (err: string) => Effect.succeed(`recovered from: ${err}`)
* ) // Applied eagerly
*
* // For success effects, returns success as-is
* const success = Effect.succeed(42)
* const unchanged = Effect.catchEager(
*   success,
*   (err: string) => Effect.succeed(`recovered from: ${err}`)
* ) // Returns success as-is
*
* // For pending effects, behaves like regular catch
* const pending = Effect.delay(Effect.fail("error"), 0)
* const recoveredPending = Effect.catchEager(
*   pending,
*   (err: string) => Effect.succeed(`recovered from: ${err}`)
* ) // Uses regular catch
*
* void output.push(await Effect.runPromise(Effect.all([
*   recovered,
*   unchanged,
*   recoveredPending
* ])))
* output // => [['recovered from: original error', 42, 'recovered from: error']]
* ```
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchEager = catchEager$1;
/**
* Creates untraced function effects with eager evaluation optimization.
*
* **Details**
*
* Executes generator functions eagerly when all yielded effects are synchronous,
* stopping at the first async effect and deferring to normal execution.
* Additional arguments after the generator body act like `pipe` transforms, and
* `{ self }` before the body binds `this`, as with {@link fnUntraced}.
*
* **Example** (Defining eager untraced effect functions)
*
* ```ts import.meta.vitest
* import { Effect } from "effect"
*
* const computation = Effect.fnUntracedEager(function*() {
*   yield* Effect.succeed(1)
*   yield* Effect.succeed(2)
*   return "computed eagerly"
* })
*
* const effect = computation() // Executed immediately if all effects are sync
* Effect.runSync(effect) // => "computed eagerly"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fnUntracedEager = fnUntracedEager$1;

// node_modules/effect/dist/BigDecimal.js
/**
* Decimal numbers and arithmetic for cases where JavaScript `number` rounding
* is not precise enough. A `BigDecimal` stores digits as a `bigint` plus a
* decimal scale, which lets the module parse, compare, add, subtract, multiply,
* divide, round, and format decimal values such as money, quantities, and
* measurements.
*
* @stability stable
* @since 2.0.0
*/
const TypeId$11 = "~effect/BigDecimal";
const BigDecimalProto = {
	[TypeId$11]: TypeId$11,
	[symbol$1]() {
		const normalized = normalize(this);
		return combine$1(string$1(String(normalized.value)), number$1(normalized.scale));
	},
	[symbol](that) {
		return isBigDecimal(that) && compare(this, that) === 0;
	},
	toString() {
		return `BigDecimal(${format(this)})`;
	},
	toJSON() {
		return {
			_id: "BigDecimal",
			value: String(this.value),
			scale: this.scale
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/**
* Checks whether a given value is a `BigDecimal`.
*
* **When to use**
*
* Use to validate unknown input and narrow it to `BigDecimal`.
*
* **Example** (Checking BigDecimal values)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* const decimal = BigDecimal.fromNumber(123.45)
* BigDecimal.isBigDecimal(decimal) // => false
* BigDecimal.isBigDecimal(BigDecimal.fromStringUnsafe("123.45")) // => true
* BigDecimal.isBigDecimal(123.45) // => false
* BigDecimal.isBigDecimal("123.45") // => false
* ```
*
* @stability stable
* @category guards
* @since 2.0.0
*/
const isBigDecimal = (u) => hasProperty(u, TypeId$11);
/**
* Creates a `BigDecimal` from a `bigint` value and a safe integer scale.
*
* **When to use**
*
* Use to construct a decimal directly from its unscaled integer value and
* decimal scale.
*
* **Gotchas**
*
* Throws a `RangeError` if `scale` is not a safe integer.
*
* **Example** (Creating decimals from bigint and scale)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* // Create 123.45 (12345 with scale 2)
* const decimal = BigDecimal.make(12345n, 2)
* decimal // => BigDecimal.fromStringUnsafe("123.45")
*
* // Create 42 (42 with scale 0)
* const integer = BigDecimal.make(42n, 0)
* integer // => BigDecimal.fromBigInt(42n)
* ```
*
* @see {@link fromBigInt} for constructing an integer decimal from a `bigint`
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const make$7 = (value, scale) => {
	if (!Number.isSafeInteger(scale)) throw new RangeError(`Scale must be a safe integer, got ${scale}`);
	const o = Object.create(BigDecimalProto);
	o.value = value;
	o.scale = scale;
	return o;
};
const makeNormalized = (value, scale) => {
	const o = make$7(value, scale);
	o.normalized = o;
	return o;
};
const bigint0 = /*#__PURE__*/ BigInt(0);
const bigint1 = /*#__PURE__*/ BigInt(1);
const bigint10 = /*#__PURE__*/ BigInt(10);
const zero = /*#__PURE__*/ makeNormalized(bigint0, 0);
/**
* Normalizes a given `BigDecimal` by removing trailing zeros.
*
* **When to use**
*
* Use to canonicalize decimals that have equivalent values but different
* internal scales.
*
* **Example** (Normalizing trailing zeros)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* const decimal = BigDecimal.normalize(BigDecimal.fromStringUnsafe("123.00000"))
* const decimalStorage = [decimal.value, decimal.scale] // => [123n, 0]
*
* const largeDecimal = BigDecimal.normalize(BigDecimal.fromStringUnsafe("12300000"))
* const largeDecimalStorage = [largeDecimal.value, largeDecimal.scale] // => [123n, -5]
* ```
*
* @see {@link format} for rendering normalized decimals as strings
*
* @stability stable
* @category scaling
* @since 2.0.0
*/
const normalize = (self) => {
	if (self.normalized === void 0) {
		if (self.value === bigint0) self.normalized = zero;
		else {
			const digits = `${self.value}`;
			let end = digits.length;
			while (digits[end - 1] === "0") end--;
			self.normalized = makeNormalized(BigInt(digits.slice(0, end)), self.scale - (digits.length - end));
		}
	}
	return self.normalized;
};
const MAX_COMPARISON_SCALE_ALIGNMENT = 100;
const comparisonPowersOfTen = [bigint1];
const compareBigInt = (self, that) => self === that ? 0 : self < that ? -1 : 1;
const compareMagnitude = (self, that) => {
	const selfDigits = `${self.value < bigint0 ? -self.value : self.value}`;
	const thatDigits = `${that.value < bigint0 ? -that.value : that.value}`;
	const exponentDifference = BigInt(selfDigits.length - thatDigits.length) - BigInt(self.scale) + BigInt(that.scale);
	if (exponentDifference !== bigint0) return exponentDifference < bigint0 ? -1 : 1;
	const length = Math.max(selfDigits.length, thatDigits.length);
	return String$4(selfDigits.padEnd(length, "0"), thatDigits.padEnd(length, "0"));
};
const compare = (self, that) => {
	if (self.scale === that.scale) return compareBigInt(self.value, that.value);
	const selfSign = sign(self);
	const thatSign = sign(that);
	if (selfSign !== thatSign) return selfSign < thatSign ? -1 : 1;
	if (selfSign === 0) return 0;
	const scaleDifference = self.scale - that.scale;
	const absoluteScaleDifference = Math.abs(scaleDifference);
	if (absoluteScaleDifference > MAX_COMPARISON_SCALE_ALIGNMENT) return selfSign === -1 ? compareMagnitude(that, self) : compareMagnitude(self, that);
	const powerOfTen = comparisonPowersOfTen[absoluteScaleDifference] ??= bigint10 ** BigInt(absoluteScaleDifference);
	return scaleDifference > 0 ? compareBigInt(self.value, that.value * powerOfTen) : compareBigInt(self.value * powerOfTen, that.value);
};
/**
* Provides an `Order` instance for `BigDecimal` that allows comparing and sorting BigDecimal values.
*
* **When to use**
*
* Use when you need to sort or compare decimal values through APIs that accept
* an ordering instance.
*
* **Example** (Comparing decimals)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* const a = BigDecimal.fromNumberUnsafe(1.5)
* const b = BigDecimal.fromNumberUnsafe(2.3)
* const c = BigDecimal.fromNumberUnsafe(1.5)
*
* BigDecimal.Order(a, b) // => -1
* BigDecimal.Order(b, a) // => 1
* BigDecimal.Order(a, c) // => 0
* ```
*
* @stability stable
* @category instances
* @since 2.0.0
*/
const Order = /*#__PURE__*/ make$12(compare);
/**
* Determines the sign of a given `BigDecimal`.
*
* **When to use**
*
* Use to classify a `BigDecimal` as negative, zero, or positive.
*
* **Example** (Reading decimal signs)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* BigDecimal.sign(BigDecimal.fromStringUnsafe("-5")) // => -1
* BigDecimal.sign(BigDecimal.fromStringUnsafe("0")) // => 0
* BigDecimal.sign(BigDecimal.fromStringUnsafe("5")) // => 1
* ```
*
* @stability stable
* @category math
* @since 2.0.0
*/
const sign = (n) => n.value === bigint0 ? 0 : n.value < bigint0 ? -1 : 1;
/**
* Formats a `BigDecimal` as a string.
*
* **When to use**
*
* Use to render a `BigDecimal` as plain decimal text when possible.
*
* **Details**
*
* The value is normalized before formatting. Scientific notation is used when
* the absolute value of the normalized scale is at least `16`; otherwise plain
* decimal notation is used.
*
* **Example** (Formatting decimals)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* BigDecimal.format(BigDecimal.fromStringUnsafe("-5")) // => "-5"
* BigDecimal.format(BigDecimal.fromStringUnsafe("123.456")) // => "123.456"
* BigDecimal.format(BigDecimal.fromStringUnsafe("-0.00000123")) // => "-0.00000123"
* ```
*
* @see {@link toExponential} for always rendering scientific notation
*
* @stability stable
* @category converting
* @since 2.0.0
*/
const format = (n) => {
	const normalized = normalize(n);
	if (Math.abs(normalized.scale) >= 16) return toExponential(normalized);
	const negative = normalized.value < bigint0;
	const absolute = `${negative ? -normalized.value : normalized.value}`;
	const digits = normalized.scale > 0 ? absolute.padStart(normalized.scale + 1, "0") : absolute.padEnd(absolute.length - normalized.scale, "0");
	const point = digits.length - normalized.scale;
	const complete = normalized.scale > 0 ? `${digits.slice(0, point)}.${digits.slice(point)}` : digits;
	return negative ? `-${complete}` : complete;
};
/**
* Formats a given `BigDecimal` as a `string` in scientific notation.
*
* **When to use**
*
* Use to render a `BigDecimal` in scientific notation.
*
* **Example** (Formatting decimals exponentially)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* BigDecimal.toExponential(BigDecimal.make(123456n, -5)) // => "1.23456e+10"
* ```
*
* @see {@link format} for plain decimal formatting when possible
*
* @stability stable
* @category converting
* @since 3.11.0
*/
const toExponential = (n) => {
	if (isZero(n)) return "0e+0";
	const normalized = normalize(n);
	const digits = `${normalized.value}`;
	const point = normalized.value < bigint0 ? 2 : 1;
	const head = digits.slice(0, point);
	const tail = digits.slice(point);
	const exp = tail.length - normalized.scale;
	return `${head}${tail === "" ? "" : `.${tail}`}e${exp >= 0 ? "+" : ""}${exp}`;
};
/**
* Checks whether a given `BigDecimal` is `0`.
*
* **When to use**
*
* Use to test whether a `BigDecimal` is exactly zero.
*
* **Example** (Checking zero decimals)
*
* ```ts import.meta.vitest
* import { BigDecimal } from "effect"
*
* BigDecimal.isZero(BigDecimal.fromStringUnsafe("0")) // => true
* BigDecimal.isZero(BigDecimal.fromStringUnsafe("1")) // => false
* ```
*
* @stability stable
* @category predicates
* @since 2.0.0
*/
const isZero = (n) => n.value === bigint0;

// node_modules/effect/dist/encoding/Base64.js
/**
* Base64 encoding and decoding helpers.
*
* @stability stable
* @since 4.0.0
*/
/**
* Encodes the given value into a Base64 (RFC 4648) string.
*
* **When to use**
*
* Use to encode text or bytes as a standard padded Base64 string for storage or
* transport.
*
* **Details**
*
* String inputs are encoded as UTF-8 bytes before Base64 encoding.
* `Uint8Array` inputs are encoded directly. The output uses the standard
* RFC 4648 alphabet with `=` padding.
*
* **Example** (Encoding Base64 strings and bytes)
*
* ```ts import.meta.vitest
* import { Base64 } from "effect/encoding"
*
* Base64.encode("hello") // => "aGVsbG8="
*
* const bytes = new Uint8Array([72, 101, 108, 108, 111])
* Base64.encode(bytes) // => "SGVsbG8="
* ```
*
* @see {@link decode} for decoding standard Base64 to bytes
* @see {@link decodeString} for decoding standard Base64 to UTF-8 text
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
const encode = (input) => encodeBytes(typeof input === "string" ? encoder$1.encode(input) : input);
/**
* Decodes a Base64 (RFC 4648) string into bytes safely.
*
* **When to use**
*
* Use to decode a standard padded Base64 string into bytes without throwing on
* invalid input.
*
* **Details**
*
* Returns `Result.succeed` with a `Uint8Array` when decoding succeeds, or
* `Result.fail` with an `EncodingError` when the input is not valid Base64.
*
* **Example** (Decoding Base64 bytes)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
* import { Base64 } from "effect/encoding"
*
* Base64.decode("SGVsbG8=") // => Result.succeed(new Uint8Array([72, 101, 108, 108, 111]))
* ```
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
const decode = (str) => {
	const stripped = stripCrlf(str);
	const length = stripped.length;
	if (length % 4 !== 0) return fail$6(new EncodingError({
		kind: "Decode",
		module: "Base64",
		input: stripped,
		message: `Length must be a multiple of 4, but is ${length}`
	}));
	const index = stripped.indexOf("=");
	if (index !== -1 && (index < length - 2 || index === length - 2 && stripped[length - 1] !== "=")) return fail$6(new EncodingError({
		kind: "Decode",
		module: "Base64",
		input: stripped,
		message: "Found a '=' character, but it is not at the end"
	}));
	try {
		const missingOctets = stripped.endsWith("==") ? 2 : stripped.endsWith("=") ? 1 : 0;
		const result = new Uint8Array(3 * (length / 4) - missingOctets);
		for (let i = 0, j = 0; i < length; i += 4, j += 3) {
			const buffer = getCode(stripped.charCodeAt(i)) << 18 | getCode(stripped.charCodeAt(i + 1)) << 12 | getCode(stripped.charCodeAt(i + 2)) << 6 | getCode(stripped.charCodeAt(i + 3));
			result[j] = buffer >> 16;
			result[j + 1] = buffer >> 8 & 255;
			result[j + 2] = buffer & 255;
		}
		return succeed$5(result);
	} catch (cause) {
		return fail$6(new EncodingError({
			kind: "Decode",
			module: "Base64",
			input: stripped,
			message: cause instanceof Error ? cause.message : "Invalid input"
		}));
	}
};
/**
* Decodes a Base64 (RFC 4648) string into UTF-8 text safely.
*
* **When to use**
*
* Use to decode a standard padded Base64 string into UTF-8 text without
* throwing on invalid input.
*
* **Details**
*
* Returns `Result.succeed` with the decoded text when decoding succeeds, or
* `Result.fail` with an `EncodingError` when the input is not valid Base64.
*
* **Example** (Decoding Base64 strings)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
* import { Base64 } from "effect/encoding"
*
* Base64.decodeString("aGVsbG8=") // => Result.succeed("hello")
* ```
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
const decodeString = (str) => map$5(decode(str), (_) => decoder.decode(_));
const encodeBytes = (bytes) => {
	const length = bytes.length;
	const toBase64 = Uint8Array.prototype.toBase64;
	if (length >= 32 && typeof toBase64 === "function") return toBase64.call(bytes);
	return length < 128 ? encodeShort(bytes) : encodeLong(bytes);
};
const encodeShort = (bytes) => {
	const length = bytes.length;
	let result = "";
	let i = 2;
	for (; i < length; i += 3) {
		result += alphabet[bytes[i - 2] >> 2];
		result += alphabet[(bytes[i - 2] & 3) << 4 | bytes[i - 1] >> 4];
		result += alphabet[(bytes[i - 1] & 15) << 2 | bytes[i] >> 6];
		result += alphabet[bytes[i] & 63];
	}
	if (i === length + 1) {
		result += alphabet[bytes[i - 2] >> 2];
		result += alphabet[(bytes[i - 2] & 3) << 4];
		result += "==";
	}
	if (i === length) {
		result += alphabet[bytes[i - 2] >> 2];
		result += alphabet[(bytes[i - 2] & 3) << 4 | bytes[i - 1] >> 4];
		result += alphabet[(bytes[i - 1] & 15) << 2];
		result += "=";
	}
	return result;
};
const encodeLong = (bytes) => {
	const length = bytes.length;
	const result = new Uint8Array(Math.ceil(length / 3) * 4);
	let i;
	let j = 0;
	for (i = 2; i < length; i += 3, j += 4) {
		result[j] = alphabetCodes[bytes[i - 2] >> 2];
		result[j + 1] = alphabetCodes[(bytes[i - 2] & 3) << 4 | bytes[i - 1] >> 4];
		result[j + 2] = alphabetCodes[(bytes[i - 1] & 15) << 2 | bytes[i] >> 6];
		result[j + 3] = alphabetCodes[bytes[i] & 63];
	}
	if (i === length + 1) {
		result[j] = alphabetCodes[bytes[i - 2] >> 2];
		result[j + 1] = alphabetCodes[(bytes[i - 2] & 3) << 4];
		result[j + 2] = paddingCode;
		result[j + 3] = paddingCode;
	}
	if (i === length) {
		result[j] = alphabetCodes[bytes[i - 2] >> 2];
		result[j + 1] = alphabetCodes[(bytes[i - 2] & 3) << 4 | bytes[i - 1] >> 4];
		result[j + 2] = alphabetCodes[(bytes[i - 1] & 15) << 2];
		result[j + 3] = paddingCode;
	}
	return decoder.decode(result);
};
const encoder$1 = /*#__PURE__*/ new TextEncoder();
const decoder = /*#__PURE__*/ new TextDecoder();
const stripCrlf = (str) => str.replace(/[\n\r]/g, "");
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const alphabetCodes = /*#__PURE__*/ encoder$1.encode(alphabet);
const paddingCode = /*#__PURE__*/ "=".charCodeAt(0);
const codes = /*#__PURE__*/ (/* @__PURE__ */ new Uint8Array(123)).fill(255);
for (let i = 0; i < 64; i++) codes[/*#__PURE__*/ alphabet.charCodeAt(i)] = i;
codes[/*#__PURE__*/ "=".charCodeAt(0)] = 0;
const getCode = (charCode) => {
	if (charCode >= codes.length || codes[charCode] === 255) throw new TypeError(`Invalid character ${String.fromCharCode(charCode)}`);
	return codes[charCode];
};

// node_modules/effect/dist/DateTime.js
/**
* Checks whether a value is a `DateTime`.
*
* **When to use**
*
* Use to narrow an unknown value before treating it as a `DateTime`.
*
* @see {@link isUtc} for narrowing a known `DateTime` to UTC
* @see {@link isZoned} for narrowing a known `DateTime` to zoned
*
* @stability stable
* @category guards
* @since 3.6.0
*/
const isDateTime = isDateTime$1;
/**
* Checks whether a `DateTime` is a UTC `DateTime` (no time zone information).
*
* **When to use**
*
* Use to narrow a `DateTime` before passing it to code that requires a UTC
* value without an associated time zone.
*
* @see {@link isZoned} for narrowing to zoned date-times
* @see {@link match} for handling both UTC and zoned cases
*
* @stability stable
* @category guards
* @since 3.6.0
*/
const isUtc = isUtc$1;
/**
* Create a `DateTime` from supported input values.
*
* **When to use**
*
* Use when creating a `DateTime` from trusted input and construction failures
* should throw an `IllegalArgumentError` instead of returning `Option.none`.
*
* **Details**
*
* - A `DateTime`
* - A `Date` instance (invalid dates will throw an `IllegalArgumentError`)
* - The `number` of milliseconds since the Unix epoch
* - An object with the parts of a date
* - A `string` that can be parsed by `Date.parse`
*
* **Example** (Creating DateTime values unsafely)
*
* ```ts import.meta.vitest
* import { DateTime } from "effect"
*
* // from Date
* DateTime.makeUnsafe(new Date("2024-01-01T12:00:00Z")) // => DateTime.makeUnsafe("2024-01-01T12:00:00Z")
*
* // from parts
* DateTime.makeUnsafe({ year: 2024 }) // => DateTime.makeUnsafe("2024-01-01T00:00:00Z")
*
* // from string
* DateTime.makeUnsafe("2024-01-01") // => DateTime.makeUnsafe("2024-01-01T00:00:00Z")
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeUnsafe = makeUnsafe$1;
/**
* Creates a `DateTime` safely from supported input values.
*
* **Details**
*
* - A `DateTime`
* - A JavaScript `Date`
* - The number of milliseconds since the Unix epoch
* - An object with date and time parts
* - A string that can be parsed as a date
*
* Returns `Some` with the constructed `DateTime` when the input is valid, or
* `None` when construction would fail, including invalid `Date` instances or
* unparseable strings.
*
* **Example** (Creating optional DateTime values)
*
* ```ts import.meta.vitest
* import { DateTime, Option } from "effect"
*
* // from Date
* DateTime.make(new Date("2024-01-01T12:00:00Z")) // => Option.some(DateTime.makeUnsafe("2024-01-01T12:00:00Z"))
*
* // from parts
* DateTime.make({ year: 2024 }) // => Option.some(DateTime.makeUnsafe("2024-01-01T00:00:00Z"))
*
* // from string
* DateTime.make("2024-01-01") // => Option.some(DateTime.makeUnsafe("2024-01-01T00:00:00Z"))
*
* DateTime.make("not a date") // => Option.none()
* ```
*
* @stability stable
* @category constructors
* @since 3.6.0
*/
const make$6 = make$8;
/**
* Converts a `DateTime` to a UTC `DateTime`.
*
* **When to use**
*
* Use to represent the same instant in UTC instead of its current time zone.
*
* **Details**
*
* The returned value keeps the same epoch milliseconds and changes only the
* `DateTime` representation to UTC.
*
* **Example** (Converting DateTime values to UTC)
*
* ```ts import.meta.vitest
* import { DateTime } from "effect"
*
* const now = DateTime.makeZonedUnsafe({ year: 2024 }, {
*   timeZone: "Europe/London"
* })
*
* // set as UTC
* const utc: DateTime.Utc = DateTime.toUtc(now)
* utc // => DateTime.makeUnsafe("2024-01-01T00:00:00Z")
* ```
*
* @stability stable
* @category converting
* @since 3.13.0
*/
const toUtc = toUtc$1;
/**
* Gets the UTC `Date` of a `DateTime`.
*
* **Details**
*
* This preserves the original instant, regardless of any time zone information.
*
* **Example** (Converting DateTime values to UTC Dates)
*
* ```ts import.meta.vitest
* import { DateTime } from "effect"
*
* const dt = DateTime.makeZonedUnsafe("2024-01-01T12:00:00Z", {
*   timeZone: "Europe/London"
* })
*
* DateTime.toDateUtc(dt).toISOString() // => "2024-01-01T12:00:00.000Z"
* ```
*
* @stability stable
* @category converting
* @since 3.6.0
*/
const toDateUtc = toDateUtc$1;
/**
* Gets the milliseconds since the Unix epoch of a `DateTime`.
*
* **Details**
*
* This returns the UTC timestamp regardless of any time zone information.
*
* **Example** (Reading epoch milliseconds)
*
* ```ts import.meta.vitest
* import { DateTime } from "effect"
*
* const dt = DateTime.makeUnsafe("2024-01-01T00:00:00Z")
* DateTime.toEpochMillis(dt) // => 1704067200000
* ```
*
* @stability stable
* @category converting
* @since 3.6.0
*/
const toEpochMillis = toEpochMillis$1;
/**
* Formats a `DateTime` as a UTC ISO string.
*
* **Details**
*
* Always returns the UTC representation in ISO 8601 format, ignoring any time zone.
*
* **Example** (Formatting DateTime values as ISO strings)
*
* ```ts import.meta.vitest
* import { DateTime } from "effect"
*
* DateTime.formatIso(DateTime.makeUnsafe("2024-01-01T12:30:45.123Z")) // => "2024-01-01T12:30:45.123Z"
*
* const zoned = DateTime.makeZonedUnsafe("2024-01-01T12:30:45.123Z", {
*   timeZone: "Europe/London"
* })
* DateTime.formatIso(zoned) // => "2024-01-01T12:30:45.123Z"
* ```
*
* @stability stable
* @category formatting
* @since 3.6.0
*/
const formatIso = formatIso$1;

// node_modules/effect/dist/http/Cookies.js
/**
* Models HTTP cookies and cookie collections for requests and responses.
*
* A `Cookie` stores a name, value, encoded value, and standard cookie
* attributes. A `Cookies` value is an immutable collection keyed by cookie
* name. This module parses request `Cookie` headers, builds response
* `Set-Cookie` headers, and provides helpers for adding, removing, merging, and
* expiring cookies.
*
* For client-side storage, `mergeIntoArray` and `toRequestCookieHeader`
* work on a plain array of cookies scoped by domain, path and scheme, following
* RFC 6265.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$10 = "~effect/http/Cookies";
/**
* Returns `true` when a value is a `Cookies` collection.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isCookies = (u) => hasProperty(u, TypeId$10);
const CookieTypeId = "~effect/http/Cookies/Cookie";
/**
* Returns `true` when a value is a `Cookie`.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isCookie = (u) => hasProperty(u, CookieTypeId);
const CookieErrorTypeId = "~effect/http/Cookies/CookieError";
/**
* Error reason describing why cookie construction failed, such as invalid name,
* value, domain, path, or infinite max-age.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var CookiesErrorReason = class extends Error$2 {};
/**
* Error returned when a cookie name, value, domain, path, or max-age option is invalid.
*
* **Details**
*
* Inspect `reason` to determine the specific validation failure.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var CookiesError = class CookiesError extends (/*#__PURE__*/ TaggedError$1("CookiesError")) {
	/**
	* Creates a cookie error from a reason tag and optional cause.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	static fromReason(reason, cause) {
		return new CookiesError({ reason: new CookiesErrorReason({
			_tag: reason,
			cause
		}) });
	}
	/**
	* Marks this value as a cookie validation error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[CookieErrorTypeId] = CookieErrorTypeId;
	/**
	* Uses the concrete cookie error reason as the public message.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return this.reason._tag;
	}
};
const Proto$3 = {
	[TypeId$10]: TypeId$10,
	...BaseProto,
	toJSON() {
		return {
			_id: "effect/Cookies",
			cookies: map$4(this.cookies, (cookie) => cookie.toJSON())
		};
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/**
* Creates a `Cookies` collection from an existing readonly record of cookies keyed by cookie name.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromReadonlyRecord = (cookies) => {
	const self = Object.create(Proto$3);
	self.cookies = cookies;
	return self;
};
/**
* Create a Cookies object from an Iterable
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromIterable = (cookies) => {
	const record = {};
	for (const cookie of cookies) assignProperty(record, cookie.name, cookie);
	return fromReadonlyRecord(record);
};
/**
* Create a Cookies object from a set of Set-Cookie headers
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromSetCookie = (headers) => {
	const arrayHeaders = typeof headers === "string" ? [headers] : headers;
	const cookies = [];
	for (const header of arrayHeaders) {
		const cookie = parseSetCookie(header.trim());
		if (cookie) cookies.push(cookie);
	}
	return fromIterable(cookies);
};
function parseSetCookie(header) {
	const parts = header.split(";").map((_) => _.trim()).filter((_) => _ !== "");
	if (parts.length === 0) return;
	const firstEqual = parts[0].indexOf("=");
	if (firstEqual === -1) return;
	const name = parts[0].slice(0, firstEqual).replace(cookieWhitespaceRegExp, "");
	if (!cookieNameRegExp.test(name)) return;
	const valueEncoded = parts[0].slice(firstEqual + 1).replace(cookieWhitespaceRegExp, "");
	const value = tryDecodeURIComponent(valueEncoded);
	if (parts.length === 1) return Object.assign(Object.create(CookieProto), {
		name,
		value,
		valueEncoded
	});
	const options = {};
	for (let i = 1; i < parts.length; i++) {
		const part = parts[i];
		const equalIndex = part.indexOf("=");
		const key = equalIndex === -1 ? part : part.slice(0, equalIndex).trim();
		const value = equalIndex === -1 ? void 0 : part.slice(equalIndex + 1).trim();
		switch (key.toLowerCase()) {
			case "domain": {
				if (value === void 0) break;
				const domain = value.trim().replace(/^\./, "");
				if (domain) options.domain = domain;
				break;
			}
			case "expires": {
				if (value === void 0) break;
				const date = new Date(value);
				if (!isNaN(date.getTime())) options.expires = date;
				break;
			}
			case "max-age":
				if (value === void 0 || !maxAgeRegExp.test(value)) break;
				options.maxAge = seconds(parseInt(value, 10));
				break;
			case "path":
				if (value === void 0) break;
				if (value[0] === "/") options.path = value;
				break;
			case "priority":
				if (value === void 0) break;
				switch (value.toLowerCase()) {
					case "low":
						options.priority = "low";
						break;
					case "medium":
						options.priority = "medium";
						break;
					case "high": options.priority = "high";
				}
				break;
			case "httponly":
				options.httpOnly = true;
				break;
			case "secure":
				options.secure = true;
				break;
			case "partitioned":
				options.partitioned = true;
				break;
			case "samesite":
				if (value === void 0) break;
				switch (value.toLowerCase()) {
					case "lax":
						options.sameSite = "lax";
						break;
					case "strict":
						options.sameSite = "strict";
						break;
					case "none": options.sameSite = "none";
				}
		}
	}
	return Object.assign(Object.create(CookieProto), {
		name,
		value,
		valueEncoded,
		options: Object.keys(options).length > 0 ? options : void 0
	});
}
/**
* An empty Cookies object
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const empty$2 = /*#__PURE__*/ fromIterable([]);
/**
* Returns `true` when the `Cookies` collection contains no cookies.
*
* @stability unstable
* @category predicates
* @since 4.0.0
*/
const isEmpty = (self) => isEmptyRecord(self.cookies);
const fieldContentRegExp = /^[\u0009\u0020-\u007e\u0080-\u00ff]+$/;
const cookieNameRegExp = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const cookieWhitespaceRegExp = /^[\t ]+|[\t ]+$/g;
const maxAgeRegExp = /^-?[0-9]+$/;
const cookieDomainRegExp = /^[\u0009\u0020-\u003a\u003c-\u007e\u0080-\u00ff]+$/;
const cookiePathRegExp = /^[\u0020-\u003a\u003c-\u007e]+$/;
const CookieProto = {
	[CookieTypeId]: CookieTypeId,
	...BaseProto,
	toJSON() {
		return {
			_id: "effect/Cookies/Cookie",
			name: this.name,
			value: this.value,
			options: this.options
		};
	}
};
/**
* Creates a cookie, validating the name, encoded value, domain, path, and finite `maxAge`.
*
* **Details**
*
* Returns a `CookiesError` in the `Result` failure channel when validation fails.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
function makeCookie(name, value, options) {
	const encodedValue = encodeURIComponent(value);
	const error = validateCookie(name, encodedValue, options);
	if (error !== void 0) return fail$6(error);
	return succeed$5(Object.assign(Object.create(CookieProto), {
		name,
		value,
		valueEncoded: encodedValue,
		options
	}));
}
function validateCookie(name, encodedValue, options) {
	if (!cookieNameRegExp.test(name)) return CookiesError.fromReason("InvalidCookieName");
	if (encodedValue && !fieldContentRegExp.test(encodedValue)) return CookiesError.fromReason("InvalidCookieValue");
	if (options?.domain !== void 0 && !cookieDomainRegExp.test(options.domain)) return CookiesError.fromReason("InvalidCookieDomain");
	if (options?.path !== void 0 && !cookiePathRegExp.test(options.path)) return CookiesError.fromReason("InvalidCookiePath");
	if (options?.maxAge !== void 0 && !isFinite$1(fromInputUnsafe(options.maxAge))) return CookiesError.fromReason("CookieInfinityMaxAge");
}
/**
* Create a new cookie, throwing an error if invalid
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const makeCookieUnsafe = (name, value, options) => getOrThrow(makeCookie(name, value, options));
/**
* Serializes a cookie into a string.
*
* **Details**
*
* Adapted from https://github.com/fastify/fastify-cookie under MIT License
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
function serializeCookie(self) {
	const error = validateCookie(self.name, self.valueEncoded, self.options);
	if (error !== void 0) throw error;
	let str = self.name + "=" + self.valueEncoded;
	if (self.options === void 0) return str;
	const options = self.options;
	if (options.maxAge !== void 0) {
		const maxAge = toSeconds(fromInputUnsafe(options.maxAge));
		str += "; Max-Age=" + Math.trunc(maxAge);
	}
	if (options.domain !== void 0 && !options.hostOnly) str += "; Domain=" + options.domain;
	if (options.path !== void 0) str += "; Path=" + options.path;
	if (options.priority !== void 0) switch (options.priority) {
		case "low":
			str += "; Priority=Low";
			break;
		case "medium":
			str += "; Priority=Medium";
			break;
		case "high": str += "; Priority=High";
	}
	if (options.expires !== void 0) str += "; Expires=" + options.expires.toUTCString();
	if (options.httpOnly) str += "; HttpOnly";
	if (options.secure) str += "; Secure";
	if (options.partitioned) str += "; Partitioned";
	if (options.sameSite !== void 0) switch (options.sameSite) {
		case "lax":
			str += "; SameSite=Lax";
			break;
		case "strict":
			str += "; SameSite=Strict";
			break;
		case "none": str += "; SameSite=None";
	}
	return str;
}
/**
* Converts a `Cookies` collection to a record of decoded cookie values keyed by cookie name.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const toRecord$1 = (self) => {
	const record = {};
	const cookies = Object.values(self.cookies);
	for (let index = 0; index < cookies.length; index++) {
		const cookie = cookies[index];
		assignProperty(record, cookie.name, cookie.value);
	}
	return record;
};
/**
* Serializes a `Cookies` collection into an array of `Set-Cookie` header values.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const toSetCookieHeaders = (self) => Object.values(self.cookies).map(serializeCookie);
/**
* Parses a cookie header into a record of key-value pairs
*
* **Details**
*
* Adapted from https://github.com/fastify/fastify-cookie under MIT License
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
function parseHeader(header) {
	const result = {};
	const strLen = header.length;
	let pos = 0;
	let terminatorPos = 0;
	while (true) {
		if (terminatorPos === strLen) break;
		terminatorPos = header.indexOf(";", pos);
		if (terminatorPos === -1) terminatorPos = strLen;
		let eqIdx = header.indexOf("=", pos);
		if (eqIdx === -1) break;
		if (eqIdx > terminatorPos) {
			pos = terminatorPos + 1;
			continue;
		}
		const key = header.substring(pos, eqIdx++).trim();
		if (!Object.hasOwn(result, key)) {
			let value = header.substring(eqIdx, terminatorPos).trim();
			if (value.charCodeAt(0) === 34) value = value.slice(1, -1).trim();
			assignProperty(result, key, !(value.indexOf("%") === -1) ? tryDecodeURIComponent(value) : value);
		}
		pos = terminatorPos + 1;
	}
	return result;
}
const tryDecodeURIComponent = (str) => {
	try {
		return decodeURIComponent(str);
	} catch (_) {
		return str;
	}
};

// node_modules/effect/dist/internal/redacted.js
/** @internal */
const redactedRegistry = /*#__PURE__*/ new WeakMap();
/** @internal */
const value$1 = (self) => {
	if (redactedRegistry.has(self)) return redactedRegistry.get(self);
	else throw new Error("Unable to get redacted value" + (self.label ? ` with label: "${self.label}"` : ""));
};

// node_modules/effect/dist/Redacted.js
/**
* Wraps sensitive values so normal output does not reveal them.
*
* A `Redacted<A>` shows a redacted placeholder in string, JSON, and inspection
* output, while still storing the original value for trusted code that needs to
* recover it. This helps reduce accidental leaks in logs and diagnostics. This
* module includes constructors, runtime checks, value recovery, wiping of stored
* values, and comparison helpers that avoid exposing the wrapped value at the
* call site.
*
* @stability stable
* @since 3.3.0
*/
const TypeId$9 = "~effect/Redacted";
/**
* Returns `true` if a value is a `Redacted` wrapper.
*
* **When to use**
*
* Use to validate unknown input and narrow it to `Redacted`.
*
* **Details**
*
* When this function returns `true`, TypeScript narrows the value to
* `Redacted<unknown>`.
*
* **Example** (Checking for redacted values)
*
* ```ts import.meta.vitest
* import { Redacted } from "effect"
*
* const secret = Redacted.make("my-secret")
* const plainString = "not-secret"
*
* Redacted.isRedacted(secret) // => true
* Redacted.isRedacted(plainString) // => false
* ```
*
* @stability stable
* @category guards
* @since 3.3.0
*/
const isRedacted = (u) => hasProperty(u, TypeId$9);
/**
* Creates a `Redacted` wrapper for a sensitive value.
*
* **When to use**
*
* Use to wrap a sensitive value so normal string, JSON, and inspection output
* is redacted.
*
* **Details**
*
* The wrapper redacts string, JSON, and inspection output to reduce accidental
* disclosure. The original value remains retrievable with `Redacted.value`
* until the wrapper is wiped or becomes unreachable.
*
* **Example** (Creating a redacted value)
*
* ```ts import.meta.vitest
* import { Redacted } from "effect"
*
* const API_KEY = Redacted.make("1234567890")
* String(API_KEY) // => "<redacted>"
* ```
*
* @stability stable
* @category constructors
* @since 3.3.0
*/
const make$5 = (value, options) => {
	const self = Object.create(Proto$2);
	if (options?.label) self.label = options.label;
	redactedRegistry.set(self, value);
	return self;
};
const Proto$2 = {
	[TypeId$9]: { _A: (_) => _ },
	label: void 0,
	...PipeInspectableProto,
	toJSON() {
		return this.toString();
	},
	toString() {
		return `<redacted${isString$1(this.label) ? ":" + this.label : ""}>`;
	},
	[symbol$1]() {
		return hash(redactedRegistry.get(this));
	},
	[symbol](that) {
		return isRedacted(that) && equals$1(redactedRegistry.get(this), redactedRegistry.get(that));
	}
};
/**
* Retrieves the original value from a `Redacted` instance. Use this function
* with caution, as it exposes the sensitive data.
*
* **When to use**
*
* Use when you need the underlying sensitive value at a trusted boundary.
*
* **Example** (Retrieving a redacted value)
*
* ```ts import.meta.vitest
* import { Redacted } from "effect"
*
* const API_KEY = Redacted.make("1234567890")
*
* Redacted.value(API_KEY) // => "1234567890"
* ```
*
* @stability stable
* @category getters
* @since 3.3.0
*/
const value = value$1;
/**
* Generates an equivalence relation for `Redacted<A>` values based on an
* equivalence relation for the underlying values `A`. This function is useful
* for comparing `Redacted` instances without exposing their contents.
*
* **When to use**
*
* Use when you need to compare wrapped secrets through an approved equality
* rule without exposing the underlying values at each comparison site.
*
* **Example** (Comparing redacted values)
*
* ```ts import.meta.vitest
* import { Equivalence, Redacted } from "effect"
*
* const API_KEY1 = Redacted.make("1234567890")
* const API_KEY2 = Redacted.make("1-34567890")
* const API_KEY3 = Redacted.make("1234567890")
*
* const equivalence = Redacted.makeEquivalence(Equivalence.strictEqual<string>())
*
* equivalence(API_KEY1, API_KEY2) // => false
* equivalence(API_KEY1, API_KEY3) // => true
* ```
*
* @stability stable
* @category instances
* @since 4.0.0
*/
const makeEquivalence = (isEquivalent) => make$13((x, y) => isEquivalent(value(x), value(y)));

// node_modules/effect/dist/http/Headers.js
/**
* Models HTTP headers for the unstable HTTP client and server modules.
*
* `Headers` values are immutable maps keyed by lowercase header name. This
* module converts common header inputs into that shape, provides helpers for
* reading and updating header values, and redacts configured sensitive headers
* when values are inspected.
*
* It also parses and formats the values of standard headers, such as HTTP
* dates and `Retry-After`, with the tolerance the RFCs allow and nothing more.
* The string codecs for those values live in `Schema`, for example
* `Schema.DateTimeUtcFromHttpDate` and `Schema.RetryAfterFromString`.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Runtime type identifier for `Headers` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$8 = /*#__PURE__*/ Symbol.for("~effect/http/Headers");
const Proto$1 = /*#__PURE__*/ Object.defineProperties(/*#__PURE__*/ Object.create(null), {
	[TypeId$8]: { value: TypeId$8 },
	[symbolRedactable]: { value(context) {
		return redact$1(this, get(context, CurrentRedactedNames$1));
	} },
	toJSON: { value() {
		return redact$2(this);
	} },
	[symbol]: { value(that) {
		return Equivalence$2(this, that);
	} },
	[symbol$1]: { value() {
		return structure(this);
	} },
	toString: { value: BaseProto.toString },
	[NodeInspectSymbol]: { value: BaseProto[NodeInspectSymbol] }
});
const make$4 = (input) => Object.assign(Object.create(Proto$1), input);
/**
* Provides an `Equivalence` instance that compares `Headers` by header names
* and string values.
*
* @stability unstable
* @category instances
* @since 4.0.0
*/
const Equivalence$2 = /*#__PURE__*/ makeEquivalence$2(/*#__PURE__*/ strictEqual());
/**
* An empty `Headers` collection.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const empty$1 = /*#__PURE__*/ Object.create(Proto$1);
/**
* Creates `Headers` from a record or iterable of header entries.
*
* **Details**
*
* Header names are normalized to lowercase. Array values in record input are joined with `", "`, and `undefined` values are omitted.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromInput$1 = (input) => {
	if (input === void 0) return empty$1;
	else if (Symbol.iterator in input) {
		const out = Object.create(Proto$1);
		for (const [k, v] of input) out[k.toLowerCase()] = v;
		return out;
	}
	const out = Object.create(Proto$1);
	for (const [k, v] of Object.entries(input)) if (Array.isArray(v)) out[k.toLowerCase()] = v.join(", ");
	else if (v !== void 0) out[k.toLowerCase()] = v;
	return out;
};
/**
* Treats an existing record as `Headers` unsafely.
*
* **Gotchas**
*
* This mutates the record's prototype and does not normalize header names; callers must provide the expected lowercase keys.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromRecordUnsafe = (input) => Object.setPrototypeOf(input, Proto$1);
/**
* Returns a new `Headers` collection with the given header set.
*
* **Details**
*
* The header name is normalized to lowercase.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const set = /*#__PURE__*/ dual(3, (self, key, value) => {
	const out = make$4(self);
	out[key.toLowerCase()] = value;
	return out;
});
/**
* Returns a new `Headers` collection with all provided headers set.
*
* **Details**
*
* Input headers are normalized with `fromInput` and override existing headers with the same lowercase name.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setAll$1 = /*#__PURE__*/ dual(2, (self, headers) => make$4({
	...self,
	...fromInput$1(headers)
}));
/**
* Returns a new `Headers` collection containing headers from both collections.
*
* **Details**
*
* Headers from the second collection override headers from the first collection with the same name.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const merge = /*#__PURE__*/ dual(2, (self, headers) => {
	const out = make$4(self);
	Object.assign(out, headers);
	return out;
});
/**
* Returns a new `Headers` collection with the named header removed.
*
* **Details**
*
* The provided header name is normalized to lowercase before removal.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const remove = /*#__PURE__*/ dual(2, (self, key) => {
	const out = make$4(self);
	delete out[key.toLowerCase()];
	return out;
});
/**
* Returns a plain record with selected header values wrapped in `Redacted`.
*
* **Details**
*
* String keys are normalized to lowercase before matching; regular expressions are tested against the stored header names.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const redact$1 = /*#__PURE__*/ dual(2, (self, key) => {
	const out = { ...self };
	const modify = (key) => {
		if (typeof key === "string") {
			const k = key.toLowerCase();
			if (k in self) out[k] = make$5(self[k]);
		} else for (const name in self) if (name.search(key) !== -1) out[name] = make$5(self[name]);
	};
	if (Array.isArray(key)) for (let i = 0; i < key.length; i++) modify(key[i]);
	else modify(key);
	return out;
});
/**
* Checks whether a header name matches one of the redaction patterns.
*
* **Details**
*
* String patterns are compared case-insensitively against the header name;
* regular expressions are tested against it. Use to avoid the record copy of
* `redact` when only a membership check is needed.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const isRedactedName$1 = (name, patterns) => {
	const lowerName = name.toLowerCase();
	for (let i = 0; i < patterns.length; i++) {
		const pattern = patterns[i];
		if (typeof pattern === "string") {
			if (pattern.toLowerCase() === lowerName) return true;
		} else if (name.search(pattern) !== -1) return true;
	}
	return false;
};
/**
* Context reference listing header names or patterns that should be redacted when `Headers` are inspected or rendered.
*
* **Details**
*
* Defaults include `authorization`, `cookie`, `set-cookie` and `x-api-key`.
* A custom list replaces the defaults. Matching uses `isRedactedName`.
* Use `UrlParams.CurrentRedactedNames` for query parameters.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const CurrentRedactedNames$1 = /*#__PURE__*/ Reference("effect/Headers/CurrentRedactedNames", { defaultValue: () => [
	"authorization",
	"cookie",
	"set-cookie",
	"x-api-key"
] });
/**
* Error reason describing which header value failed to parse.
*
* **Details**
*
* `input` is the raw header value that was rejected.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var HeaderParseErrorReason = class extends Error$2 {};

// node_modules/effect/dist/http/internal/urlParams.js
/** @internal */
const unwrap = (value$6) => typeof value$6 === "string" ? value$6 : value(value$6);
/** @internal */
const stripSearchAndHash = (url) => {
	const queryIndex = url.indexOf("?");
	const hashIndex = url.indexOf("#");
	if (queryIndex === -1) return hashIndex === -1 ? url : url.slice(0, hashIndex);
	if (hashIndex === -1) return url.slice(0, queryIndex);
	return url.slice(0, Math.min(queryIndex, hashIndex));
};
const bodyDecoder = /*#__PURE__*/ new TextDecoder("utf-8", { ignoreBOM: true });
/** @internal */
const fromBody = (bytes) => new URLSearchParams(bodyDecoder.decode(bytes).replace(/^\?/, "%3F"));
const originForm = /^\/(?![/\\])/;
/** @internal */
const toPath = (url) => {
	if (url === "*" || originForm.test(url)) return stripSearchAndHash(url);
	try {
		return new URL(url, "http://localhost").pathname;
	} catch {
		return "<invalid URL>";
	}
};

// node_modules/effect/dist/http/UrlParams.js
/**
* Models URL query parameters as ordered string pairs.
*
* `UrlParams` is used for HTTP client query strings, URL-encoded form bodies,
* and server-side decoding. Values can be built from records, iterables, or
* native `URLSearchParams`, then updated, serialized, converted to a `URL`, or
* decoded with schemas.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$7 = "~effect/http/UrlParams";
/**
* Returns `true` when a value is a `UrlParams` instance.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isUrlParams = (u) => hasProperty(u, TypeId$7);
const Proto = {
	...PipeInspectableProto,
	[TypeId$7]: TypeId$7,
	[Symbol.iterator]() {
		return this.params[Symbol.iterator]();
	},
	[symbolRedactable](context) {
		return {
			_id: "UrlParams",
			params: Object.fromEntries(redact(this, get(context, CurrentRedactedNames)))
		};
	},
	toJSON() {
		return redact$2(this);
	},
	[symbol](that) {
		return Equivalence$1(this, that);
	},
	[symbol$1]() {
		return array(this.params.flat());
	}
};
/**
* Creates `UrlParams` from ordered key-value pairs.
*
* **Details**
*
* The input pairs are used as-is and are not coerced or normalized.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$3 = (params) => {
	const self = Object.create(Proto);
	self.params = params;
	return self;
};
/**
* Creates `UrlParams` from a supported input shape.
*
* **Details**
*
* Primitive values are converted to strings, arrays produce repeated parameters,
* nested records use bracket notation, and `undefined` values are omitted.
* `Redacted` values are kept as-is.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromInput = (input) => {
	if (isUrlParams(input)) return input;
	const parsed = fromInputNested(input);
	const out = [];
	for (let i = 0; i < parsed.length; i++) if (Array.isArray(parsed[i][0])) {
		const [keys, value] = parsed[i];
		out.push([`${keys[0]}[${keys.slice(1).join("][")}]`, value]);
	} else out.push(parsed[i]);
	return make$3(out);
};
const fromInputNested = (input) => {
	const entries = typeof input[Symbol.iterator] === "function" ? fromIterable$1(input) : Object.entries(input);
	const out = [];
	for (const [key, value] of entries) if (Array.isArray(value)) {
		for (let i = 0; i < value.length; i++) if (value[i] !== void 0) out.push([key, coerce(value[i])]);
	} else if (value !== null && typeof value === "object" && !isRedacted(value)) {
		const nested = fromInputNested(value);
		for (const [k, v] of nested) out.push([[key, ...typeof k === "string" ? [k] : k], v]);
	} else if (value !== void 0) out.push([key, coerce(value)]);
	return out;
};
const coerce = (value) => isRedacted(value) ? value : String(value);
/**
* Provides an order-sensitive `Equivalence` instance for `UrlParams`.
*
* **Details**
*
* Two values are equivalent when they contain the same key-value pairs in the same
* order.
*
* @stability unstable
* @category instances
* @since 4.0.0
*/
const Equivalence$1 = /*#__PURE__*/ make$13((a, b) => arrayEquivalence(a.params, b.params));
const arrayEquivalence = /*#__PURE__*/ makeEquivalence$1(/*#__PURE__*/ makeEquivalence$3([/*#__PURE__*/ strictEqual(), /*#__PURE__*/ asEquivalence()]));
/**
* An empty `UrlParams` value.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const empty = /*#__PURE__*/ make$3([]);
/**
* Sets multiple query parameters from input.
*
* **Details**
*
* Keys present in the input replace existing values for those keys, while
* unmentioned existing parameters are preserved.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setAll = /*#__PURE__*/ dual(2, (self, input) => {
	const params = fromInput(input).params.slice();
	const keys = /* @__PURE__ */ new Set();
	for (let i = 0; i < params.length; i++) keys.add(params[i][0]);
	for (let i = 0; i < self.params.length; i++) {
		if (keys.has(self.params[i][0])) continue;
		params.push(self.params[i]);
	}
	return make$3(params);
});
/**
* Serializes `UrlParams` to a URL query string without a leading question mark.
*
* **Gotchas**
*
* The output contains the unwrapped values of `Redacted` parameters.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toString = (input) => new URLSearchParams(fromInput(input).params.map(([key, value]) => [key, unwrap(value)])).toString();
/**
* Builds a `Record` containing all the key-value pairs in the given `UrlParams`
* as `string` (if only one value for a key) or a `NonEmptyArray<string>`
* (when more than one value for a key)
*
* **Example** (Converting parameters to a record)
*
* ```ts import.meta.vitest
* import { UrlParams } from "effect/http"
*
* const urlParams = UrlParams.fromInput({
*   a: 1,
*   b: true,
*   c: "string",
*   e: [1, 2, 3]
* })
* UrlParams.toRecord(urlParams) // => { a: "1", b: "true", c: "string", e: ["1", "2", "3"] }
* ```
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toRecord = (self) => {
	const out = {};
	for (const [k, v] of self.params) {
		const value = unwrap(v);
		if (!Object.hasOwn(out, k)) assignProperty(out, k, value);
		else {
			const current = out[k];
			if (typeof current === "string") assignProperty(out, k, [current, value]);
			else current.push(value);
		}
	}
	return out;
};
/**
* Builds a readonly record from `UrlParams`.
*
* **Details**
*
* Keys with one value map to a string, and keys with multiple values map to a
* non-empty readonly array of strings.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toReadonlyRecord = toRecord;
/**
* Returns the parameter pairs with selected values wrapped in `Redacted`.
*
* **Details**
*
* Keeps `Redacted` values and wraps values whose names match `isRedactedName`,
* preserving order and repeated names.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const redact = /*#__PURE__*/ dual(2, (self, key) => {
	const patterns = Array.isArray(key) ? key : [key];
	return self.params.map(([name, value]) => [name, typeof value === "string" && isRedactedName(name, patterns) ? make$5(value) : value]);
});
/**
* Checks whether a parameter name matches one of the redaction patterns.
*
* **Details**
*
* String patterns match case-insensitively; regular expressions test the name.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const isRedactedName = isRedactedName$1;
/**
* Redacts URL userinfo and the values of matching query parameters.
*
* **Details**
*
* Replaces userinfo with `REDACTED:REDACTED` and query values with `REDACTED`
* when their decoded names match `isRedactedName`. Preserves all other text.
* When names are omitted, uses the current fiber's `CurrentRedactedNames`,
* falling back to the defaults outside a fiber.
*
* **Example** (Redacting a signed URL)
*
* ```ts import.meta.vitest
* import { UrlParams } from "effect/http"
*
* const url = UrlParams.redactUrl("https://bucket.test/file?Signature=abc&size=1")
* url // => "https://bucket.test/file?Signature=REDACTED&size=1"
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const redactUrl = (url, redactedNames = currentRedactedNames()) => {
	if (url.includes("@")) url = redactUserinfo(url);
	const queryStart = url.indexOf("?");
	if (queryStart === -1 || redactedNames.length === 0) return url;
	const hashStart = url.indexOf("#");
	if (hashStart !== -1 && hashStart < queryStart) return url;
	const queryEnd = hashStart === -1 ? url.length : hashStart;
	return url.slice(0, queryStart + 1) + redactQuery(url.slice(queryStart + 1, queryEnd), redactedNames) + url.slice(queryEnd);
};
const authorityStart = /^(?:(https?|ftp|wss?):[/\\]*|[a-z][a-z\d+.-]*:\/\/|[/\\]{2,})/i;
const specialAuthorityEnd = /[/\\?#]/;
const authorityEnd = /[/?#]/;
const redactUserinfo = (url) => {
	let normalized = "";
	const offsets = [];
	for (let i = 0; i < url.length; i++) {
		const code = url.charCodeAt(i);
		if (code === 9 || code === 10 || code === 13 || normalized === "" && code <= 32) continue;
		normalized += url[i];
		offsets.push(i);
	}
	const authority = authorityStart.exec(normalized);
	if (authority === null) return url;
	const start = authority[0].length;
	const special = authority[1] !== void 0 || !authority[0].includes(":");
	const rest = normalized.slice(start);
	const end = rest.search(special ? specialAuthorityEnd : authorityEnd);
	const userinfoEnd = (end === -1 ? rest : rest.slice(0, end)).lastIndexOf("@");
	return userinfoEnd === -1 ? url : url.slice(0, offsets[start]) + "REDACTED:REDACTED" + url.slice(offsets[start + userinfoEnd]);
};
const redactQuery = (query, redactedNames) => query.split("&").map((part) => {
	const index = part.indexOf("=");
	return index !== -1 && isRedactedName(decodeQueryKey(part.slice(0, index)), redactedNames) ? part.slice(0, index + 1) + "REDACTED" : part;
}).join("&");
const decodeQueryKey = (key) => {
	if (!key.includes("%") && !key.includes("+")) return key;
	try {
		return decodeURIComponent(key.replace(/\+/g, " "));
	} catch {
		return key;
	}
};
const currentRedactedNames = () => get(globalThis["~effect/Fiber/currentFiber"]?.context ?? empty$4(), CurrentRedactedNames);
/**
* Query parameter names or patterns to redact in inspection, spans and errors.
*
* **Details**
*
* Defaults match the OpenTelemetry `url.full` list: `X-Amz-Signature`,
* `X-Amz-Credential`, `X-Amz-Security-Token`, `AWSAccessKeyId`, `Signature`,
* `sig` and `X-Goog-Signature`.
* A custom list replaces the defaults. Matching uses `isRedactedName`.
* Redaction leaves request URLs and parameter values unchanged. `Redacted`
* values are redacted regardless of this list.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const CurrentRedactedNames = /*#__PURE__*/ Reference("effect/http/UrlParams/CurrentRedactedNames", { defaultValue: () => [
	"X-Amz-Signature",
	"X-Amz-Credential",
	"X-Amz-Security-Token",
	"AWSAccessKeyId",
	"Signature",
	"sig",
	"X-Goog-Signature"
] });

// node_modules/effect/dist/internal/schema/annotations.js
/** @internal */
function resolve$1(ast) {
	return ast.checks ? ast.checks[ast.checks.length - 1].annotations : ast.annotations;
}
/** @internal */
function resolveAt$1(key) {
	return (ast) => resolve$1(ast)?.[key];
}
/** @internal */
const STRUCTURAL_ANNOTATION_KEY = "~structural";
/** @internal */
const IDENTIFIER_FALLBACK_KEY = "~identifier";
/** @internal */
const SENTINELS_ANNOTATION_KEY = "~sentinels";
/** @internal */
const CONSTRUCTOR_ANNOTATION_KEY = "~constructor";
/** @internal */
const jsonSchemaAnnotationKeys = [
	"title",
	"description",
	"default",
	"examples",
	"readOnly",
	"writeOnly",
	"format",
	"contentEncoding",
	"contentMediaType",
	"contentSchema"
];
/** @internal */
const resolveIdentifier$1 = /*#__PURE__*/ resolveAt$1("identifier");
/** @internal */
const resolveIdentifierFallback = /*#__PURE__*/ resolveAt$1(IDENTIFIER_FALLBACK_KEY);
/** @internal */
const resolveDescription$1 = /*#__PURE__*/ resolveAt$1("description");
/** @internal */
const getExpected = /*#__PURE__*/ memoize((ast) => {
	const identifier = resolve$1(ast)?.identifier;
	if (typeof identifier === "string") return identifier;
	return ast.getExpected(getExpected);
});
/** @internal */
const annotationExcludedKeys = /*#__PURE__*/ new Set([
	SENTINELS_ANNOTATION_KEY,
	STRUCTURAL_ANNOTATION_KEY,
	"representation",
	"arbitraryConstraint",
	"toJsonSchema",
	"toCode",
	"toEquivalence",
	"toFormatter",
	"toCodec",
	"toCodecJson",
	"toCodecStringTree",
	"toCodecIso",
	"toCodecArbitrary"
]);

// node_modules/effect/dist/internal/schema/parser.js
/** @internal */
const missing = /*#__PURE__*/ Symbol();
/** @internal */
const succeed = succeed$2;
/** @internal */
const missingExit = /*#__PURE__*/ succeed(missing);
/** @internal */
const sameExit = /*#__PURE__*/ succeed(missing);
/** @internal */
const toOption = (value) => value === missing ? none() : some(value);
/** @internal */
const fromOptionExit = (option) => option._tag === "None" ? missingExit : succeed(option.value);

// node_modules/effect/dist/SchemaIssue.js
/**
* Describes problems found while decoding, encoding, or checking data with
* schemas.
*
* An `Issue` records what failed and, for nested data, where the failure
* happened. The Schema system uses these values for missing keys, unexpected
* keys, invalid types, invalid values, failed filters, failed transformations,
* and alternatives that did not match. This module also formats issues.
*
* @stability stable
* @since 4.0.0
*/
const TypeId$6 = "~effect/SchemaIssue/Issue";
/**
* Returns `true` if the given value is an {@link Issue}.
*
* **When to use**
*
* Use when you need to narrow an `unknown` value to `Issue` in error-handling
* code, such as distinguishing an `Issue` from other error types in a catch-all
* handler.
*
* **Details**
*
* - Checks for the internal `TypeId` brand on the value.
*
* **Example** (Type-guarding an unknown error)
*
* ```ts import.meta.vitest
* import { SchemaIssue } from "effect"
*
* const issue = new SchemaIssue.MissingKey(undefined)
* SchemaIssue.isIssue(issue) // => true
* SchemaIssue.isIssue("not an issue") // => false
* ```
*
* @see {@link Issue}
*
* @stability stable
* @category guards
* @since 4.0.0
*/
function isIssue(u) {
	return hasProperty(u, TypeId$6) && u[TypeId$6] === TypeId$6;
}
/**
* Returns `true` when an issue contains an input reported by the schema parser.
*
* **When to use**
*
* Use when reading `Issue.input`, especially when `undefined` is a valid input
* value.
*
* **Details**
*
* Reported input is stored as an own property. This guard checks for that
* property and narrows `input` from optional to required.
*
* **Example** (Reading a reported input)
*
* ```ts import.meta.vitest
* import { Result, Schema, SchemaIssue } from "effect"
*
* const result = Schema.decodeUnknownResult(Schema.String)(1, { reportInput: true })
* if (Result.isFailure(result) && SchemaIssue.hasInput(result.failure.issue)) {
*   result.failure.issue.input // => 1
* }
* ```
*
* @see {@link Issue} for the complete issue model
*
* @stability stable
* @category guards
* @since 4.0.0
*/
function hasInput(issue) {
	return Object.hasOwn(issue, "input");
}
var IssueNodeImpl = class {
	[TypeId$6] = TypeId$6;
	constructor(input, options) {
		if (options?.reportInput === true && input !== missing) this.input = input;
	}
};
/**
* Constructs a schema issue for a failed refinement check.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Filter$1 = class extends IssueNodeImpl {
	_tag = "Filter";
	/**
	* The filter that failed.
	*/
	filter;
	/**
	* The issue that occurred.
	*/
	issue;
	constructor(filter, issue, input, options) {
		super(input, options);
		this.filter = filter;
		this.issue = issue;
	}
};
/**
* Constructs a schema issue for a failed transformation.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Encoding = class extends IssueNodeImpl {
	_tag = "Encoding";
	/**
	* The schema that caused the issue.
	*/
	ast;
	/**
	* The issue that occurred.
	*/
	issue;
	constructor(ast, issue, input, options) {
		super(input, options);
		this.ast = ast;
		this.issue = issue;
	}
};
/**
* Constructs a schema issue that points to a nested location.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Pointer = class extends IssueNodeImpl {
	_tag = "Pointer";
	/**
	* The path to the location in the input that caused the issue.
	*/
	path;
	/**
	* The issue that occurred.
	*/
	issue;
	constructor(path, issue) {
		super();
		this.path = path;
		this.issue = issue;
	}
};
/**
* Constructs a schema issue for a missing key or tuple index.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const MissingKey = class extends IssueNodeImpl {
	_tag = "MissingKey";
	/**
	* The metadata for the issue.
	*/
	annotations;
	constructor(annotations) {
		super();
		this.annotations = annotations;
	}
};
/**
* Constructs a schema issue for an unexpected key or tuple index.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const UnexpectedKey = class extends IssueNodeImpl {
	_tag = "UnexpectedKey";
	/**
	* The schema that caused the issue.
	*/
	ast;
	constructor(ast, input, options) {
		super(input, options);
		this.ast = ast;
	}
};
/**
* Constructs a schema issue that groups multiple child issues.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Composite = class extends IssueNodeImpl {
	_tag = "Composite";
	/**
	* The schema that caused the issue.
	*/
	ast;
	/**
	* The issues that occurred.
	*/
	issues;
	constructor(ast, issues, input, options) {
		super(input, options);
		this.ast = ast;
		this.issues = issues;
	}
};
/**
* Constructs a schema issue for an input with an invalid runtime type.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const InvalidType = class extends IssueNodeImpl {
	_tag = "InvalidType";
	/**
	* The schema that caused the issue.
	*/
	ast;
	constructor(ast, input, options) {
		super(input, options);
		this.ast = ast;
	}
};
/**
* Constructs a schema issue for a value that violates a constraint.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const InvalidValue = class extends IssueNodeImpl {
	_tag = "InvalidValue";
	/**
	* The metadata for the issue.
	*/
	annotations;
	constructor(annotations, input, options) {
		super(input, options);
		this.annotations = annotations;
	}
};
/** @internal */
function makeCompositeAtKey(compositeAst, pointerKey, pointerIssue, compositeInput, parseOptions) {
	return new Composite(compositeAst, [new Pointer([pointerKey], pointerIssue)], compositeInput, parseOptions);
}
/**
* Constructs a schema issue for a forbidden parsing operation.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Forbidden = class extends IssueNodeImpl {
	_tag = "Forbidden";
	/**
	* The metadata for the issue.
	*/
	annotations;
	constructor(annotations, input, options) {
		super(input, options);
		this.annotations = annotations;
	}
};
/**
* Constructs a schema issue for a value that matches no union member.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const AnyOf = class extends IssueNodeImpl {
	_tag = "AnyOf";
	/**
	* The schema that caused the issue.
	*/
	ast;
	/**
	* The issues that occurred.
	*/
	issues;
	constructor(ast, issues, input, options) {
		super(input, options);
		this.ast = ast;
		this.issues = issues;
	}
};
/**
* Constructs a schema issue for a value that matches multiple union members.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const OneOf = class extends IssueNodeImpl {
	_tag = "OneOf";
	/**
	* The schema that caused the issue.
	*/
	ast;
	/**
	* The schemas that were successful.
	*/
	successes;
	constructor(ast, successes, input, options) {
		super(input, options);
		this.ast = ast;
		this.successes = successes;
	}
};
function makeFilterIssue(entry, input, options) {
	if (isIssue(entry)) return entry;
	if (typeof entry === "string") return new InvalidValue({ message: entry }, input, options);
	const inner = typeof entry.issue === "string" ? new InvalidValue({ message: entry.issue }, input, options) : entry.issue;
	return new Pointer(entry.path, inner);
}
/** @internal */
function makeSingle(out, input, options) {
	if (out === void 0) return;
	if (typeof out === "boolean") return out ? void 0 : new InvalidValue(void 0, input, options);
	return makeFilterIssue(out, input, options);
}
/** @internal */
function normalizeFilterOutput(ast, out, input, options) {
	if (Array.isArray(out)) {
		if (!isReadonlyArrayNonEmpty(out)) return;
		return out.length === 1 ? makeFilterIssue(out[0], input, options) : new Composite(ast, map$3(out, (entry) => makeFilterIssue(entry, input, options)), input, options);
	}
	return makeSingle(out, input, options);
}
/**
* Returns the built-in {@link LeafHook} used by default formatters.
*
* **When to use**
*
* Use as the default leaf renderer when customizing only the {@link CheckHook}.
*
* **Details**
*
* - Checks for a `message` annotation first; returns it if present.
* - For `InvalidValue`, an `expected` annotation uses the standard expected
*   value message and includes reported input when available.
* - Otherwise generates a default message per `_tag`. When the issue reports
*   input, the message includes its formatted value where applicable:
*   - `InvalidType` → `"Expected <type>"` or `"Expected <type>, got <input>"`
*   - `InvalidValue` → `"Expected a valid value"` or `"Invalid data <input>"`
*   - `MissingKey` → `"Missing key"`
*   - `UnexpectedKey` → `"Expected no excess property"` or
*     `"Unexpected key with value <input>"`
*   - `Forbidden` → `"Forbidden operation"`
*   - `OneOf` → `"Expected exactly one member to match"` or
*     `"Expected exactly one member to match the input <input>"`
*
* **Example** (Formatting Standard Schema issues with defaultLeafHook)
*
* ```ts import.meta.vitest
* import { SchemaIssue } from "effect"
*
* const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
*   leafHook: SchemaIssue.defaultLeafHook
* })
* formatter(new SchemaIssue.MissingKey(undefined)) // => { issues: [{ path: [], message: "Missing key" }] }
* ```
*
* @see {@link LeafHook}
* @see {@link makeFormatterStandardSchemaV1}
*
* @stability stable
* @category formatting
* @since 4.0.0
*/
const defaultLeafHook = (issue) => {
	const message = findMessage(issue);
	if (message !== void 0) return message;
	switch (issue._tag) {
		case "InvalidType": return getExpectedMessage(getExpected(issue.ast), issue);
		case "InvalidValue": {
			const expected = findExpected(issue);
			if (expected !== void 0) return getExpectedMessage(expected, issue);
			const input = formatInput(issue);
			return input === void 0 ? "Expected a valid value" : `Invalid data ${input}`;
		}
		case "MissingKey": return "Missing key";
		case "UnexpectedKey": {
			const input = formatInput(issue);
			return input === void 0 ? "Expected no excess property" : `Unexpected key with value ${input}`;
		}
		case "Forbidden": return "Forbidden operation";
		case "OneOf": {
			const input = formatInput(issue);
			return input === void 0 ? "Expected exactly one member to match" : `Expected exactly one member to match the input ${input}`;
		}
	}
};
/**
* Returns the built-in {@link CheckHook} used by default formatters.
*
* **When to use**
*
* Use as the default filter renderer when customizing only the {@link LeafHook}.
*
* **Details**
*
* - Looks for a `message` annotation on the filter first, then on the inner
*   issue.
* - Returns `undefined` when no annotation is found, causing the formatter to
*   fall back to `"Expected <filter>"` or, when the filter reports input,
*   `"Expected <filter>, got <input>"`.
*
* @see {@link CheckHook}
* @see {@link makeFormatterStandardSchemaV1}
*
* @stability stable
* @category formatting
* @since 4.0.0
*/
const defaultCheckHook = (issue) => findMessage(issue) ?? findMessage(issue.issue);
/**
* Creates a {@link Formatter} that produces a `StandardSchemaV1.FailureResult`.
*
* **When to use**
*
* Use when you need schema parse errors in
* [Standard Schema V1](https://github.com/standard-schema/standard-schema)
* format, optionally customizing leaf or check issue rendering.
*
* **Details**
*
* - Returns a `Formatter<StandardSchemaV1.FailureResult>`.
* - Each leaf issue is flattened into `{ message, path }` entries.
* - `Pointer` paths are accumulated to produce full property paths.
* - Falls back to {@link defaultLeafHook} / {@link defaultCheckHook} when no
*   hooks are provided.
* - Default messages include reported input when the issue that produces the
*   message has an `input` field. The returned Standard Schema issues do not
*   receive an `input` field.
*
* **Gotchas**
*
* Reported input can appear inside the Standard Schema `message` string even
* though it is not exposed as a separate property. Custom hooks control their
* complete message and are not modified.
*
* **Example** (Creating a Standard Schema V1 formatter)
*
* ```ts import.meta.vitest
* import { SchemaIssue } from "effect"
*
* const formatter = SchemaIssue.makeFormatterStandardSchemaV1()
* formatter(new SchemaIssue.MissingKey(undefined)).issues[0].message // => "Missing key"
* ```
*
* @see {@link makeFormatterDefault} — produces a plain string instead
* @see {@link LeafHook}
* @see {@link CheckHook}
*
* @stability stable
* @category formatting
* @since 4.0.0
*/
function makeFormatterStandardSchemaV1(options) {
	return (issue) => ({ issues: toDefaultIssues(issue, [], options?.leafHook ?? defaultLeafHook, options?.checkHook ?? defaultCheckHook) });
}
function formatInput(issue) {
	return hasInput(issue) ? format$1(issue.input) : void 0;
}
function findExpected(issue) {
	const expected = issue.annotations?.expected;
	return typeof expected === "string" ? expected : void 0;
}
function getExpectedMessage(expected, issue) {
	const input = formatInput(issue);
	return input === void 0 ? `Expected ${expected}` : `Expected ${expected}, got ${input}`;
}
function getFilterMessage(issue, checkHook) {
	const message = checkHook(issue);
	if (message !== void 0 || issue.issue._tag !== "InvalidValue") return message;
	const expected = findExpected(issue.issue);
	return expected === void 0 ? getExpectedMessage(formatCheck(issue.filter), issue) : getExpectedMessage(expected, issue.issue);
}
function toDefaultIssues(issue, path, leafHook, checkHook, messageOverride) {
	switch (issue._tag) {
		case "Filter": return toDefaultIssues(issue.issue, path, leafHook, checkHook, messageOverride ?? getFilterMessage(issue, checkHook));
		case "Encoding": return toDefaultIssues(issue.issue, path, leafHook, checkHook, messageOverride);
		case "Pointer": return toDefaultIssues(issue.issue, [...path, ...issue.path], leafHook, checkHook, messageOverride);
		case "Composite":
		case "AnyOf":
			if (issue._tag === "Composite" || issue.issues.length > 0) return issue.issues.flatMap((issue) => toDefaultIssues(issue, path, leafHook, checkHook, messageOverride));
			return [{
				path,
				message: messageOverride ?? findMessage(issue) ?? getExpectedMessage(getExpected(issue.ast), issue)
			}];
		default: return [{
			path,
			message: messageOverride ?? leafHook(issue)
		}];
	}
}
function formatCheck(check) {
	const expected = check.annotations?.expected;
	if (typeof expected === "string") return expected;
	switch (check._tag) {
		case "Filter": return "<filter>";
		case "FilterGroup": return check.checks.map((check) => formatCheck(check)).join(" & ");
	}
}
/**
* Creates a {@link Formatter} that converts an {@link Issue} into a
* human-readable multi-line string.
*
* **When to use**
*
* Use when you need to format a `SchemaIssue.Issue` as error messages for
* logging, CLI output, or developer-facing diagnostics.
*
* **Details**
*
* - Flattens the issue tree into `{ message, path }` entries using
*   {@link defaultLeafHook} and {@link defaultCheckHook}.
* - Includes reported input in default messages when the node producing the
*   message has an `input` field.
* - Each entry is rendered as `"<message>"` or `"<message>\n  at <path>"`.
* - Multiple entries are joined with newlines.
*
* **Gotchas**
*
* Formatting an issue can disclose input retained with `reportInput: true`.
* Wrapper inputs are not inherited by child messages, and custom messages are
* returned unchanged.
*
* **Example** (Formatting an issue as a string)
*
* ```ts import.meta.vitest
* import { SchemaIssue } from "effect"
*
* const formatter = SchemaIssue.makeFormatterDefault()
* formatter(new SchemaIssue.MissingKey(undefined)) // => "Missing key"
* ```
*
* @see {@link makeFormatterStandardSchemaV1} — produces Standard Schema V1 format instead
* @see {@link Formatter}
*
* @stability stable
* @category formatting
* @since 4.0.0
*/
function makeFormatterDefault() {
	return (issue) => formatIssue(issue, "");
}
/** @internal */
const defaultFormatter = /*#__PURE__*/ makeFormatterDefault();
function formatIssue(issue, path, messageOverride) {
	let message;
	switch (issue._tag) {
		case "Filter": return formatIssue(issue.issue, path, messageOverride ?? getFilterMessage(issue, defaultCheckHook));
		case "Encoding": return formatIssue(issue.issue, path, messageOverride);
		case "Pointer": return formatIssue(issue.issue, path + formatPath(issue.path), messageOverride);
		case "Composite":
		case "AnyOf":
			if (issue._tag === "Composite" || issue.issues.length > 0) return issue.issues.map((issue) => formatIssue(issue, path, messageOverride)).join("\n");
			message = messageOverride ?? findMessage(issue) ?? getExpectedMessage(getExpected(issue.ast), issue);
			break;
		default: message = messageOverride ?? defaultLeafHook(issue);
	}
	return path ? `${message}\n  at ${path}` : message;
}
function findMessage(issue) {
	if (issue._tag === "Pointer" || issue._tag === "Composite") return;
	if (issue._tag === "Encoding") return findMessage(issue.issue);
	const message = (issue._tag === "Filter" ? issue.filter.annotations : "annotations" in issue ? issue.annotations : issue.ast.annotations)?.[issue._tag === "MissingKey" ? "messageMissingKey" : issue._tag === "UnexpectedKey" ? "messageUnexpectedKey" : "message"];
	if (typeof message === "string") return message;
}

// node_modules/effect/dist/internal/schema/cause.js
/** @internal */
function getSchemaIssue(cause) {
	let issue;
	for (const reason of cause.reasons) {
		if (!isFailReason(reason) || !isIssue(reason.error)) return;
		issue ??= reason.error;
	}
	return issue;
}
/** @internal */
function getSchemaIssueOrThrow(cause, message) {
	const issue = getSchemaIssue(cause);
	if (issue === void 0) throw new Error(message, { cause });
	return issue;
}

// node_modules/effect/dist/SchemaGetter.js
const makeGetter = (fields) => Object.assign(Object.create(Prototype$1), fields);
/**
* Creates a getter that always fails with the given issue.
*
* **When to use**
*
* Use when you need a schema getter that unconditionally rejects input.
* - Building custom validation getters that produce specific error types.
*
* **Details**
*
* - Always fails with the `Issue` returned by `f`.
* - The failure function receives the original `Option<E>` input and the
*   effective `ParseOptions` for error context.
*
* **Example** (Defining an always-failing getter)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter, SchemaIssue } from "effect"
*
* const rejectAll = SchemaGetter.fail<string, string>(
*   () => new SchemaIssue.InvalidValue({ message: "not allowed" })
* )
* const issue = await Effect.runPromise(
*   Effect.flip(SchemaGetter.run(rejectAll, Option.some("x"), {}))
* )
* issue._tag // => "InvalidValue"
* ```
*
* @see {@link forbidden} for a convenience helper for `Forbidden` issues
* @see {@link checkEffect} to fail conditionally based on input value
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function fail(f) {
	return transformOptionalEffect((oe, options) => fail$1(f(oe, options)));
}
/**
* Creates a getter that always fails with a `Forbidden` issue.
*
* **When to use**
*
* Use when you need a schema getter to disallow a field or direction
* (encode/decode) entirely.
* - You want a clear "forbidden" error message in schema validation output.
*
* **Details**
*
* - Always fails with `SchemaIssue.Forbidden`.
* - The message function receives the `Option<E>` input for context.
*
* **Example** (Forbidding a decode direction)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const noEncode = SchemaGetter.forbidden<string, number>(
*   () => "encoding is not supported"
* )
* const issue = await Effect.runPromise(
*   Effect.flip(SchemaGetter.run(noEncode, Option.some(1), {}))
* )
* issue._tag // => "Forbidden"
* ```
*
* @see {@link fail} to fail with a custom issue type
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function forbidden(message) {
	return fail((oe, options) => {
		const annotations = { message: message(oe) };
		return isSome(oe) ? new Forbidden(annotations, oe.value, options) : new Forbidden(annotations);
	});
}
/**
* Getter that always fails with a `Forbidden` issue indicating that encoding is unsupported.
*
* **When to use**
*
* Use as the encode side of a decode-only Schema transformation.
*
* **Details**
*
* Its `Getter<never, unknown>` type is assignable to every encoding getter because it accepts any input and never
* produces an output value.
*
* **Example** (Rejecting encoding)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const issue = await Effect.runPromise(
*   Effect.flip(SchemaGetter.run(SchemaGetter.forbiddenEncoding, Option.some("value"), {}))
* )
* issue._tag // => "Forbidden"
* ```
*
* @see {@link forbidden} for a forbidden getter with a custom message
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const forbiddenEncoding = /*#__PURE__*/ forbidden(() => "Encoding is not supported");
const passthrough_$1 = /*#__PURE__*/ makeGetter({ _tag: "Passthrough" });
function passthrough$1() {
	return passthrough_$1;
}
/**
* Creates a getter that applies a pure function to present values.
*
* **When to use**
*
* Use when you need a schema getter for a pure, infallible transformation
* between types.
* - Building encode/decode pairs for `Schema.decodeTo`.
*
* **Details**
*
* - This is the most commonly used constructor.
* - Transforms `Some(e)` to `Some(f(e))` and leaves `None` unchanged.
* - Skips `None` inputs — only called when a value is present.
* - Never fails.
*
* **Example** (Transforming strings to numbers)
*
* ```ts import.meta.vitest
* import { Schema, SchemaGetter } from "effect"
*
* const NumberFromString = Schema.String.pipe(
*   Schema.decodeTo(Schema.Number, {
*     decode: SchemaGetter.transform((s) => Number(s)),
*     encode: SchemaGetter.transform((n) => String(n))
*   })
* )
* Schema.decodeSync(NumberFromString)("42") // => 42
* ```
*
* @see {@link transformEffect} when the transformation returns an `Effect`
* @see {@link transformOptional} when you need to handle `None` inputs
* @see {@link passthrough} when no transformation is needed
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
function transform$1(f) {
	return makeGetter({
		_tag: "Transform",
		transform: f
	});
}
/**
* Creates a getter that applies an effectful transformation to present values.
*
* **When to use**
*
* Use when you need a schema getter for a transformation that may fail, require
* Effect services, or run asynchronously.
*
* **Details**
*
* - Skips `None` inputs — only called when a value is present.
* - On success, wraps the result in `Some`.
* - On failure, propagates the `Issue`.
*
* **Example** (Parsing with failure)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter, SchemaIssue } from "effect"
*
* const safeParseInt = SchemaGetter.transformEffect<number, string>(
*   (s, options) => {
*     const n = parseInt(s, 10)
*     return isNaN(n)
*       ? Effect.fail(new SchemaIssue.InvalidValue({ message: "not an integer" }, s, options))
*       : Effect.succeed(n)
*   }
* )
* await Effect.runPromise(SchemaGetter.run(safeParseInt, Option.some("42"), {})) // => Option.some(42)
* ```
*
* @see {@link transform} when transformation cannot fail
* @see {@link transformOptionalEffect} when you need full `Option` control over the output
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
function transformEffect$1(f) {
	return makeGetter({
		_tag: "TransformEffect",
		transform: f
	});
}
/**
* Creates a getter that transforms the full `Option` — both present and absent values.
*
* **When to use**
*
* Use when you need a schema getter to handle both `Some` and `None` cases.
*
* **Details**
*
* The getter is pure and never fails. It receives the full `Option<E>` and
* must return `Option<T>`, so it can turn a present value into absent or an
* absent value into present.
*
* **Example** (Filtering out empty strings)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const skipEmpty = SchemaGetter.transformOptional<string, string>((o) =>
*   Option.filter(o, (s) => s.length > 0)
* )
* Effect.runSync(SchemaGetter.run(skipEmpty, Option.some(""), {})) // => Option.none()
* ```
*
* @see {@link transform} when you only need to transform present values
* @see {@link omit} when you always want `None`
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
function transformOptional(f) {
	return makeGetter({
		_tag: "TransformOptional",
		transform: f
	});
}
/**
* Creates a getter that effectfully transforms the full `Option`.
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
function transformOptionalEffect(f) {
	return makeGetter({
		_tag: "TransformOptionalEffect",
		transform: f
	});
}
/**
* Creates a getter that always returns `None`, effectively omitting the value from output.
*
* **When to use**
*
* Use when you need a schema getter to exclude a field during decoding or
* encoding.
*
* **Details**
*
* - Always returns `Option.None` regardless of input.
* - Never fails.
*
* **Example** (Omitting a field during encoding)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const omitField = SchemaGetter.omit<string>()
* Effect.runSync(SchemaGetter.run(omitField, Option.some("hidden"), {})) // => Option.none()
* ```
*
* @see {@link transformOptional} when you want conditional omission
* @see {@link forbidden} when you want to fail instead of silently omit
*
* @stability stable
* @category filtering
* @since 4.0.0
*/
function omit() {
	return transformOptional(() => none());
}
/**
* Creates a getter that replaces `undefined` values with a default.
*
* **When to use**
*
* Use when you need a schema getter to provide a fallback for a field that may
* be `undefined` in the encoded input.
*
* **Details**
*
* - If the input is `Some(undefined)` or `None`, produces `Some(T)`.
* - If the input is `Some(value)` where value is not `undefined`, passes it through.
* - `defaultValue` is an `Effect` that will be executed each time a default is needed.
*
* **Example** (Providing a default value for an optional field)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const withZero = SchemaGetter.withDefault(Effect.succeed(0))
* await Effect.runPromise(SchemaGetter.run(withZero, Option.some(undefined), {})) // => Option.some(0)
* ```
*
* @see {@link transformOptionalEffect} for custom effectful missing-key handling
* @see {@link required} when absent input should fail instead of using a default
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
function withDefault$1(defaultValue) {
	return transformOptionalEffect((o) => {
		const filtered = filter(o, isNotUndefined);
		return isSome(filtered) ? succeed$1(filtered) : mapEager(defaultValue, some);
	});
}
/**
* Coerces any value to a `string` using the global `String()` constructor.
*
* **When to use**
*
* Use when you need a schema getter to coerce a present encoded value to a
* string with `String()`.
*
* **Details**
*
* The getter is pure, never fails, and delegates to `globalThis.String`.
*
* **Example** (Coercing to a string)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const toString = SchemaGetter.String<number>()
* Effect.runSync(SchemaGetter.run(toString, Option.some(42), {})) // => Option.some("42")
* ```
*
* @see {@link transform} for custom string conversions
*
* @stability stable
* @category converting
* @since 4.0.0
*/
function String$3() {
	return transform$1(globalThis.String);
}
/**
* Coerces any value to a `number` using the global `Number()` constructor.
*
* **When to use**
*
* Use when you need a schema getter to coerce a present encoded value to a
* number with `Number()`.
*
* **Details**
*
* The getter is pure, never fails, and delegates to `globalThis.Number`. It may
* produce `NaN` for non-numeric inputs.
*
* **Example** (Coercing to a number)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const toNumber = SchemaGetter.Number<string>()
* Effect.runSync(SchemaGetter.run(toNumber, Option.some("42"), {})) // => Option.some(42)
* ```
*
* @see {@link transformEffect} for effectful or validated number parsing
*
* @stability stable
* @category converting
* @since 4.0.0
*/
function Number$3() {
	return transform$1(globalThis.Number);
}
/**
* Coerces a value to `bigint` using the global `BigInt()` constructor.
*
* **When to use**
*
* Use when you need a schema getter to convert a present string, number, or
* boolean value to `bigint`.
*
* **Details**
*
* - Delegates to `globalThis.BigInt`.
* - Fails with `SchemaIssue.InvalidValue` if the input cannot be converted
*   (e.g. a non-numeric string or a non-integer number).
*
* **Example** (Coercing to a bigint)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const toBigInt = SchemaGetter.BigInt<string>()
* Effect.runSync(SchemaGetter.run(toBigInt, Option.some("42"), {})) // => Option.some(42n)
* ```
*
* @stability stable
* @category converting
* @since 4.0.0
*/
function BigInt$3() {
	return transformEffect$1((input, options) => {
		try {
			return succeed$1(globalThis.BigInt(input));
		} catch {
			return fail$1(new InvalidValue({ expected: "a value that can be converted to a bigint" }, input, options));
		}
	});
}
/**
* Coerces a value to a `Date` using `new Date(input)`.
*
* **When to use**
*
* Use when you need a schema getter to coerce a present string, number, or
* existing date object into a new date object.
*
* **Details**
*
* - Delegates to `new globalThis.Date(input)`.
* - Does not validate the result — may produce an invalid Date.
*
* **Example** (Coercing to a Date)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const toDate = SchemaGetter.Date<string>()
* const result = Effect.runSync(SchemaGetter.run(toDate, Option.some("1970-01-01"), {}))
* Option.map(result, (date) => date.toISOString()) // => Option.some("1970-01-01T00:00:00.000Z")
* ```
*
* @see {@link dateTimeUtcFromInput} for validated DateTime parsing
*
* @stability stable
* @category converting
* @since 4.0.0
*/
function Date$2() {
	return transform$1((u) => new globalThis.Date(u));
}
function parseJson(options) {
	return transformEffect$1((input, parseOptions) => try_({
		try: () => JSON.parse(input, options?.reviver),
		catch: () => new InvalidValue({ expected: "a valid JSON string" }, input, parseOptions)
	}));
}
/**
* Stringifies a present value using `JSON.stringify`.
*
* **When to use**
*
* Use when you need a schema getter to serialize a present decoded value to
* JSON text during encoding.
*
* **Details**
*
* - Skips `None` inputs.
* - If `JSON.stringify` throws or returns `undefined`, fails with
*   `SchemaIssue.InvalidValue`.
* - Supports optional `replacer` and `space` options, matching
*   `JSON.stringify`.
*
* **Example** (Stringifying JSON)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const stringify = SchemaGetter.stringifyJson()
* const result = await Effect.runPromise(SchemaGetter.run(stringify, Option.some({ a: 1 }), {}))
* result // => Option.some("{\"a\":1}")
* ```
*
* @see {@link parseJson} for the inverse operation
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
function stringifyJson(options) {
	return transformEffect$1((input, parseOptions) => try_({
		try: () => {
			const output = JSON.stringify(input, options?.replacer, options?.space);
			if (output === void 0) throw new TypeError("Value cannot be represented as JSON");
			return output;
		},
		catch: () => new InvalidValue({ expected: "a JSON-serializable value" }, input, parseOptions)
	}));
}
/**
* Encodes a `Uint8Array` or string to a Base64 string.
*
* **Details**
*
* The getter is pure and never fails.
*
* **Example** (Encoding to Base64)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const encode = SchemaGetter.encodeBase64<Uint8Array>()
* const result = Effect.runSync(SchemaGetter.run(encode, Option.some(new Uint8Array([1, 2, 3])), {}))
* result // => Option.some("AQID")
* ```
*
* @see {@link decodeBase64} for the inverse operation to `Uint8Array`
* @see {@link decodeBase64String} for the inverse operation to `string`
* @see {@link encodeBase64Url} for the URL-safe variant
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
function encodeBase64() {
	return transform$1(encode);
}
/**
* Decodes a Base64 string to a `Uint8Array`.
*
* **Details**
*
* - Fails with `SchemaIssue.InvalidValue` if the input is not valid Base64.
*
* **Example** (Decoding Base64 to bytes)
*
* ```ts import.meta.vitest
* import { Effect, Option, SchemaGetter } from "effect"
*
* const decode = SchemaGetter.decodeBase64<string>()
* const result = await Effect.runPromise(SchemaGetter.run(decode, Option.some("AQID"), {}))
* Option.map(result, Array.from) // => Option.some([1, 2, 3])
* ```
*
* @see {@link decodeBase64String} to decode to `string` instead
* @see {@link encodeBase64} for the inverse operation
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
function decodeBase64() {
	return transformEffect$1((input, options) => mapErrorEager(fromResult(decode(input)), () => new InvalidValue({ expected: "a valid Base64 string" }, input, options)));
}

// node_modules/effect/dist/internal/schema/content.js
const ContentTypeId = /*#__PURE__*/ Symbol.for("~effect/Schema/content");
/** @internal */
function setContent(operation, content) {
	Object.defineProperty(operation, ContentTypeId, { value: content });
	return operation;
}
/** @internal */
function getContent(operation) {
	return operation[ContentTypeId];
}

// node_modules/effect/dist/SchemaTransformation.js
/**
* Constructs schema middleware from its decode and encode functions.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Middleware = class extends Class$2 {
	_tag = "Middleware";
	decode;
	encode;
	constructor(decode, encode) {
		super();
		this.decode = decode;
		this.encode = encode;
	}
	flip() {
		return new Middleware(this.encode, this.decode);
	}
};
const TypeId$5 = "~effect/SchemaTransformation/Transformation";
/**
* Constructs a bidirectional schema transformation from its decode and encode getters.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Transformation = class extends Class$2 {
	[TypeId$5] = TypeId$5;
	_tag = "Transformation";
	decode;
	encode;
	constructor(decode, encode) {
		super();
		this.decode = decode;
		this.encode = encode;
	}
	flip() {
		return new Transformation(this.encode, this.decode);
	}
};
/**
* Returns `true` if `u` is a `Transformation` instance.
*
* **When to use**
*
* Use to check whether a value is already a schema transformation before
* wrapping it.
*
* **Details**
*
* - Pure predicate, no side effects.
* - Acts as a TypeScript type guard.
*
* **Example** (Checking a value)
*
* ```ts import.meta.vitest
* import { SchemaTransformation } from "effect"
*
* SchemaTransformation.isTransformation(SchemaTransformation.trim()) // => true
* SchemaTransformation.isTransformation({ decode: null, encode: null }) // => false
* ```
*
* @see {@link Transformation}
* @see {@link makeTransformation}
*
* @stability stable
* @category guards
* @since 4.0.0
*/
function isTransformation(u) {
	return hasProperty(u, TypeId$5) && u[TypeId$5] === TypeId$5;
}
/**
* Constructs a `Transformation` from an object with `decode` and `encode`
* `Getter`s. If the input is already a `Transformation`, returns it as-is.
*
* **When to use**
*
* Use when you already have schema getter instances and want to pair them into
* a schema transformation.
* - You want idempotent wrapping (won't double-wrap).
*
* **Details**
*
* - Returns the input unchanged if it is already a `Transformation`.
*
* **Example** (Wrapping existing getters)
*
* ```ts import.meta.vitest
* import { SchemaGetter, SchemaTransformation } from "effect"
*
* const t = SchemaTransformation.makeTransformation({
*   decode: SchemaGetter.transform<number, string>((s) => Number(s)),
*   encode: SchemaGetter.transform<string, number>((n) => String(n))
* })
* t._tag // => "Transformation"
* ```
*
* @see {@link transform} — simpler constructor from pure functions
* @see {@link transformEffect} — constructor from effectful functions
* @see {@link Transformation}
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
const makeTransformation = (options) => {
	if (isTransformation(options)) return options;
	return new Transformation(options.decode, options.encode);
};
/**
* Creates a `Transformation` from effectful decode and encode functions.
*
* **When to use**
*
* Use when you need a schema transformation that may fail or require Effect
* services.
*
* **Details**
*
* - Each function receives the input value and `ParseOptions`.
* - Must return an `Effect` that succeeds with the output or fails with `Issue`.
* - Skips `None` inputs (missing keys) — functions are only called on present values.
*
* **Example** (Parsing a date string that can fail)
*
* ```ts import.meta.vitest
* import { Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"
*
* const DateFromString = Schema.String.pipe(
*   Schema.decodeTo(
*     Schema.Date,
*     SchemaTransformation.transformEffect({
*       decode: (s, options) => {
*         const d = new Date(s)
*         return isNaN(d.getTime())
*           ? Effect.fail(new SchemaIssue.InvalidValue({ message: "Invalid date" }, s, options))
*           : Effect.succeed(d)
*       },
*       encode: (d) => Effect.succeed(d.toISOString())
*     })
*   )
* )
* Schema.decodeSync(DateFromString)("2024-01-01").toISOString() // => "2024-01-01T00:00:00.000Z"
* ```
*
* @see {@link transform} — for infallible, pure transformations
* @see {@link transformOptional} — for transformations that handle missing keys
* @see {@link makeTransformation} — for transformations from existing Getters
*
* @stability stable
* @category transforming
* @since 3.10.0
*/
function transformEffect(options) {
	return new Transformation(transformEffect$1(options.decode), transformEffect$1(options.encode));
}
/**
* Creates a `Transformation` from pure (sync, infallible) decode and encode
* functions.
*
* **When to use**
*
* Use when you need an infallible schema transformation that does not require
* Effect services.
*
* **Details**
*
* - Each function receives the input and returns the output directly.
* - Skips `None` inputs (missing keys) — functions are only called on present values.
* - Does not allocate Effects internally; uses optimized sync path.
*
* **Example** (Converting between cents and dollars)
*
* ```ts import.meta.vitest
* import { Schema, SchemaTransformation } from "effect"
*
* const CentsFromDollars = Schema.Number.pipe(
*   Schema.decodeTo(
*     Schema.Number,
*     SchemaTransformation.transform({
*       decode: (dollars) => dollars * 100,
*       encode: (cents) => cents / 100
*     })
*   )
* )
* Schema.decodeSync(CentsFromDollars)(2.5) // => 250
* ```
*
* @see {@link transformEffect} — for fallible or effectful transformations
* @see {@link transformOptional} — for transformations that handle missing keys
* @see {@link passthrough} — when no conversion is needed
*
* @stability stable
* @category transforming
* @since 3.10.0
*/
function transform(options) {
	return new Transformation(transform$1(options.decode), transform$1(options.encode));
}
const passthrough_ = /*#__PURE__*/ new Transformation(/*#__PURE__*/ passthrough$1(), /*#__PURE__*/ passthrough$1());
function passthrough() {
	return passthrough_;
}
/**
* Decodes a `string` into a `number` and encodes a `number` back to a
* `string`.
*
* **When to use**
*
* Use when you need a schema transformation to parse numeric strings from APIs,
* form data, or URL parameters.
*
* **Details**
*
* Decoding coerces the string to a number like `Number(s)`. Encoding coerces
* the number to a string like `String(n)`. This does not validate that the
* result is finite; combine with `Schema.Finite` or `Schema.Int` for stricter
* checks.
*
* **Example** (Converting a string to a number)
*
* ```ts import.meta.vitest
* import { Schema, SchemaTransformation } from "effect"
*
* const schema = Schema.String.pipe(
*   Schema.decodeTo(Schema.Number, SchemaTransformation.numberFromString)
* )
* Schema.decodeSync(schema)("42") // => 42
* ```
*
* @see {@link bigintFromString}
* @see {@link transform}
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const numberFromString = /*#__PURE__*/ new Transformation(/*#__PURE__*/ Number$3(), /*#__PURE__*/ String$3());
/**
* Decodes a `string` into a `bigint` and encodes a `bigint` back to a
* `string`.
*
* **When to use**
*
* Use when you need a schema transformation to parse large integer strings
* (e.g. database IDs, blockchain values).
*
* **Details**
*
* Decoding coerces the string to a bigint like `BigInt(s)`. Encoding coerces
* the bigint to a string like `String(n)`. Decoding fails if the string is not
* a valid bigint representation.
*
* **Example** (Converting a string to a BigInt)
*
* ```ts import.meta.vitest
* import { Schema, SchemaTransformation } from "effect"
*
* const schema = Schema.String.pipe(
*   Schema.decodeTo(Schema.BigInt, SchemaTransformation.bigintFromString)
* )
* Schema.decodeSync(schema)("42") // => 42n
* ```
*
* @see {@link numberFromString}
* @see {@link transform}
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const bigintFromString = /*#__PURE__*/ new Transformation(/*#__PURE__*/ BigInt$3(), /*#__PURE__*/ String$3());
/**
* Decodes a `string` into a `Date` and encodes a `Date` back to a `string`.
*
* **When to use**
*
* Use when you need a schema transformation to parse date strings from APIs or
* user input.
*
* **Details**
*
* Decoding creates a `Date` from the string like `new Date(s)`. Encoding
* converts the `Date` to an ISO string like `date.toISOString()`, returning
* `"Invalid Date"` for invalid dates.
*
* **Example** (Converting a string to a Date)
*
* ```ts import.meta.vitest
* import { Schema, SchemaTransformation } from "effect"
*
* const schema = Schema.String.pipe(
*   Schema.decodeTo(Schema.Date, SchemaTransformation.dateFromString)
* )
* Schema.decodeSync(schema)("2024-01-01").toISOString() // => "2024-01-01T00:00:00.000Z"
* ```
*
* @see {@link dateFromMillis}
* @see {@link dateTimeUtcFromString}
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const dateFromString = /*#__PURE__*/ new Transformation(/*#__PURE__*/ Date$2(), /*#__PURE__*/ transform$1(formatDate));
const isJsonError = (input) => isObject(input) && typeof input["message"] === "string";
const decodeJsonError = (input) => {
	const err = Object.hasOwn(input, "cause") ? new Error(input.message, { cause: decodeDefect(input.cause) }) : new Error(input.message);
	if (typeof input.name === "string" && input.name !== "Error") err.name = input.name;
	if (typeof input.stack === "string") err.stack = input.stack;
	return err;
};
const encodeUnknownAsJson = (input) => {
	try {
		const json = formatJson(input);
		return json === void 0 ? format$1(input) : JSON.parse(json);
	} catch {
		return format$1(input);
	}
};
const encodeJsonError = (input, options, encodeDefect) => {
	const encoded = {
		name: input.name,
		message: typeof input.message === "string" ? input.message : ""
	};
	if (options?.includeStack && typeof input.stack === "string") encoded.stack = input.stack;
	if (!options?.excludeCause && input.cause !== void 0) encoded.cause = encodeDefect(input.cause);
	return encoded;
};
const makeEncodeDefect = (options) => {
	const seen = /* @__PURE__ */ new WeakSet();
	const encode = (input) => {
		if (isError(input)) {
			if (seen.has(input)) return "[Circular]";
			seen.add(input);
			const encoded = encodeJsonError(input, options, encode);
			seen.delete(input);
			return encoded;
		}
		return encodeUnknownAsJson(input);
	};
	return encode;
};
const decodeDefect = (input) => isJsonError(input) ? decodeJsonError(input) : input;
/** @internal */
const defectFromJson = (options) => transform({
	decode: decodeDefect,
	encode: makeEncodeDefect(options)
});
/**
* Decodes a `string` into a `URL` and encodes a `URL` back to its `href`
* string.
*
* **When to use**
*
* Use when you need a schema transformation to parse URL strings from user
* input or API responses.
*
* **Details**
*
* Decoding checks `URL.canParse(s)` and fails with `InvalidValue` if the string
* is not a valid URL. Encoding returns `url.href`.
*
* **Example** (Converting a string to a URL)
*
* ```ts import.meta.vitest
* import { Schema, SchemaTransformation } from "effect"
*
* const schema = Schema.String.pipe(
*   Schema.decodeTo(Schema.URL, SchemaTransformation.urlFromString)
* )
* Schema.decodeSync(schema)("https://example.com/path").href // => "https://example.com/path"
* ```
*
* @see {@link numberFromString}
* @see {@link transformEffect}
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
const urlFromString = /*#__PURE__*/ transformEffect({
	decode: (s, options) => URL.canParse(s) ? succeed$1(new URL(s)) : fail$1(new InvalidValue({ expected: "a valid URL string" }, s, options)),
	encode: (url) => succeed$1(url.href)
});
/**
* Decodes a Base64-encoded `string` into a `Uint8Array` and encodes a
* `Uint8Array` back to a Base64 string.
*
* **When to use**
*
* Use when you need a schema transformation for binary data transmitted as
* Base64 strings (e.g. file uploads, API payloads).
*
* **Details**
*
* Decoding parses the Base64 string into bytes. Encoding writes the byte array
* as a Base64 string.
*
* **Example** (Converting Base64 to a Uint8Array)
*
* ```ts import.meta.vitest
* import { Schema, SchemaTransformation } from "effect"
*
* const schema = Schema.String.pipe(
*   Schema.decodeTo(Schema.Uint8Array, SchemaTransformation.uint8ArrayFromBase64String)
* )
* Array.from(Schema.decodeSync(schema)("AQID")) // => [1, 2, 3]
* ```
*
* @see {@link fromJsonString}
* @see `Schema.Uint8ArrayFromBase64` - a ready-made schema wrapping this transformation.
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
const uint8ArrayFromBase64String = /*#__PURE__*/ new Transformation(/*#__PURE__*/ decodeBase64(), /*#__PURE__*/ encodeBase64());
/**
* Decodes a JSON string with `JSON.parse` and encodes a value with
* `JSON.stringify`.
*
* **When to use**
*
* Use when you need a schema transformation to decode JSON stored or
* transmitted as a string, usually before composing with another schema that
* validates the parsed structure.
*
* **Details**
*
* The `reviver` option is passed to `JSON.parse` during decoding. The
* `replacer` and `space` options are passed to `JSON.stringify` during
* encoding. Decode fails with `InvalidValue` for invalid JSON, and encode can
* fail with `InvalidValue` when `JSON.stringify` cannot serialize the value.
*
* **Example** (Parsing JSON)
*
* ```ts import.meta.vitest
* import { Schema, SchemaTransformation } from "effect"
*
* const schema = Schema.String.pipe(
*   Schema.decodeTo(Schema.Unknown, SchemaTransformation.fromJsonString())
* )
* Schema.decodeSync(schema)("{\"ok\":true}") // => { ok: true }
* ```
*
* @see {@link uint8ArrayFromBase64String}
* @see {@link fromFormData}
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
function fromJsonString$1(options) {
	return new Transformation(parseJson(options ?? {}), setContent(stringifyJson(options), {
		mediaType: "application/json",
		preserveSchema: options?.reviver === void 0 && options?.replacer === void 0
	}));
}

// node_modules/effect/dist/SchemaAST.js
/**
* Represents Effect schemas as runtime trees.
*
* Every `Schema` has an AST made from nodes for declarations, primitives,
* literals, arrays, objects, unions, suspended schemas, checks, annotations,
* encoding links, and parsing context. Most users work with the higher-level
* `Schema` module. Use `SchemaAST` when you need to inspect schema nodes, build
* ASTs programmatically, change encoded or decoded views, collect issues, or
* run low-level schema checks.
*
* @stability stable
* @since 4.0.0
*/
function makeGuard(tag) {
	return (ast) => ast._tag === tag;
}
/**
* Narrows an {@link AST} to {@link Declaration}.
*
* **When to use**
*
* Use to recognize declaration AST nodes before running declaration-specific
* handling.
*
* @see {@link Declaration} for the AST node type narrowed by this guard
*
* @stability stable
* @category guards
* @since 3.10.0
*/
const isDeclaration = /*#__PURE__*/ makeGuard("Declaration");
/**
* Narrows an {@link AST} to {@link Null}.
*
* **When to use**
*
* Use to recognize an AST node that represents exactly the `null` literal when
* inspecting, traversing, or transforming schema ASTs.
*
* @see {@link Null} for the AST node type narrowed by this guard
* @see {@link null_ null} for the singleton `Null` AST instance
* @see {@link isLiteral} for exact primitive literal AST nodes
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isNull = /*#__PURE__*/ makeGuard("Null");
/**
* Narrows an {@link AST} to {@link Void}.
*
* **When to use**
*
* Use to identify AST nodes that represent the TypeScript `void` type before
* handling `Void`-specific schema behavior.
*
* @see {@link isUndefined} for narrowing AST nodes that represent the literal `undefined` value instead of TypeScript `void`
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isVoid = /*#__PURE__*/ makeGuard("Void");
/**
* Narrows an {@link AST} to {@link Never}.
*
* **When to use**
*
* Use to detect the AST node for a schema that can never match before handling
* other schema variants.
*
* @see {@link Never} for the AST node type narrowed by this guard
* @see {@link never} for the singleton `Never` AST instance
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isNever = /*#__PURE__*/ makeGuard("Never");
/**
* Narrows an {@link AST} to {@link Literal}.
*
* **When to use**
*
* Use to recognize exact string, number, boolean, or bigint literal AST nodes.
*
* @see {@link Literal} for the AST node type narrowed by this guard
* @see {@link LiteralValue} for the values stored by literal nodes
*
* @stability stable
* @category guards
* @since 3.10.0
*/
const isLiteral = /*#__PURE__*/ makeGuard("Literal");
/**
* Narrows an {@link AST} to {@link UniqueSymbol}.
*
* @stability stable
* @category guards
* @since 3.10.0
*/
const isUniqueSymbol = /*#__PURE__*/ makeGuard("UniqueSymbol");
/**
* Narrows an {@link AST} to {@link Arrays}.
*
* **When to use**
*
* Use to recognize array-like AST nodes before reading their element, rest, or
* mutability metadata.
*
* @see {@link Arrays} for the AST node type narrowed by this guard
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isArrays = /*#__PURE__*/ makeGuard("Arrays");
/**
* Narrows an {@link AST} to {@link Objects}.
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isObjects = /*#__PURE__*/ makeGuard("Objects");
/**
* Narrows an {@link AST} to {@link Union}.
*
* @stability stable
* @category guards
* @since 3.10.0
*/
const isUnion = /*#__PURE__*/ makeGuard("Union");
/**
* Narrows an {@link AST} to {@link Suspend}.
*
* @stability stable
* @category guards
* @since 3.10.0
*/
const isSuspend = /*#__PURE__*/ makeGuard("Suspend");
/**
* Constructs a {@link Link}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Link = class {
	to;
	transformation;
	constructor(to, transformation) {
		this.to = to;
		this.transformation = transformation;
	}
};
/** @internal */
const defaultParseOptions = {};
/**
* Constructs a {@link Context}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Context = class {
	isOptional;
	isMutable;
	/** Used for constructor default values (e.g. `withConstructorDefault` API) */
	constructorDefault;
	annotations;
	constructor(isOptional, isMutable, constructorDefault = void 0, annotations = void 0) {
		this.isOptional = isOptional;
		this.isMutable = isMutable;
		this.constructorDefault = constructorDefault;
		this.annotations = annotations;
	}
};
const TypeId$4 = "~effect/Schema";
var ASTNodeImpl = class {
	[TypeId$4] = TypeId$4;
	annotations;
	checks;
	encoding;
	context;
	constructor(annotations = void 0, checks = void 0, encoding = void 0, context = void 0) {
		this.annotations = annotations;
		this.checks = checks;
		this.encoding = encoding;
		this.context = context;
	}
	toString() {
		return `<${this._tag}>`;
	}
};
/**
* Constructs a {@link Declaration}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Declaration = class extends ASTNodeImpl {
	_tag = "Declaration";
	typeParameters;
	run;
	encodingChecks;
	/**
	* Parser factory {@link flip} swaps in, so a declaration can behave
	* differently when encoding. `undefined` reuses `run`.
	*/
	encodingRun;
	constructor(typeParameters, run, annotations, checks, encoding, context, encodingChecks, encodingRun) {
		super(annotations, checks, encoding, context);
		this.typeParameters = typeParameters;
		this.run = run;
		this.encodingChecks = encodingChecks;
		this.encodingRun = encodingRun;
	}
	/** @internal */
	getParser() {
		let run;
		return (input, options) => {
			if (input === missing) return missingExit;
			run ??= this.run(this.typeParameters);
			try {
				return run(input, this, options);
			} catch (error) {
				return die(error);
			}
		};
	}
	_rebuild(recur, checks, encodingChecks, run, encodingRun) {
		const tps = mapOrSame(this.typeParameters, recur);
		return tps === this.typeParameters && checks === this.checks && encodingChecks === this.encodingChecks && run === this.run && encodingRun === this.encodingRun ? this : new Declaration(tps, run, this.annotations, checks, void 0, this.context, encodingChecks, encodingRun);
	}
	/** @internal */
	recur(recur) {
		return this._rebuild(recur, this.checks, this.encodingChecks, this.run, this.encodingRun);
	}
	/** @internal */
	flip(recur) {
		return this._rebuild(recur, this.encodingChecks, this.checks, this.encodingRun ?? this.run, this.run);
	}
	/** @internal */
	getExpected() {
		const expected = this.annotations?.expected;
		if (typeof expected === "string") return expected;
		return "<Declaration>";
	}
};
/**
* Constructs a {@link Null}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Null$1 = class extends ASTNodeImpl {
	_tag = "Null";
	/** @internal */
	getParser() {
		return fromConst(this, null);
	}
	/** @internal */
	getExpected() {
		return "null";
	}
};
const null_ = /*#__PURE__*/ new Null$1();
/**
* Constructs a {@link Undefined}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Undefined$1 = class extends ASTNodeImpl {
	_tag = "Undefined";
	/** @internal */
	getParser() {
		return fromConst(this, void 0);
	}
	/** @internal */
	toCodecJson() {
		return replaceEncoding(this, [undefinedToNull]);
	}
	/** @internal */
	getExpected() {
		return "undefined";
	}
};
const undefinedToNull = /*#__PURE__*/ new Link(null_, /*#__PURE__*/ new Transformation(/*#__PURE__*/ transform$1(() => void 0), /*#__PURE__*/ transform$1(() => null)));
const undefined_ = /*#__PURE__*/ new Undefined$1();
/**
* Constructs a {@link Void}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Void$1 = class extends ASTNodeImpl {
	_tag = "Void";
	/** @internal */
	getParser() {
		const succeed$7 = succeed(void 0);
		return (input) => input === missing ? missingExit : succeed$7;
	}
	/** @internal */
	toCodecJson() {
		return replaceEncoding(this, [undefinedToNull]);
	}
	/** @internal */
	getExpected() {
		return "void";
	}
};
const void_ = /*#__PURE__*/ new Void$1();
/**
* Constructs a {@link Never}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Never$1 = class extends ASTNodeImpl {
	_tag = "Never";
	/** @internal */
	getParser() {
		return fromRefinement(this, isNever$1);
	}
	/** @internal */
	getExpected() {
		return "never";
	}
};
/**
* Provides the singleton {@link Never} AST instance.
*
* **When to use**
*
* Use to reuse the canonical bottom-type AST node when constructing,
* comparing, or returning ASTs.
*
* @see {@link Never} for the AST node class
* @see {@link isNever} for narrowing an AST to a `Never` node
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const never = /*#__PURE__*/ new Never$1();
/**
* Constructs a {@link Unknown}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Unknown$1 = class extends ASTNodeImpl {
	_tag = "Unknown";
	/** @internal */
	getParser() {
		return fromRefinement(this, isUnknown);
	}
	/** @internal */
	getExpected() {
		return "unknown";
	}
};
/**
* Provides the singleton {@link Unknown} AST instance.
*
* **When to use**
*
* Use when you need the reusable AST singleton for a schema node that accepts
* every value while keeping parsed values opaque.
*
* @see {@link any} for the singleton that accepts every value as `any`
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const unknown = /*#__PURE__*/ new Unknown$1();
/**
* Constructs a {@link Literal}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Literal$1 = class extends ASTNodeImpl {
	_tag = "Literal";
	literal;
	constructor(literal, annotations, checks, encoding, context) {
		super(annotations, checks, encoding, context);
		if (typeof literal === "number" && !globalThis.Number.isFinite(literal)) throw new Error(`A numeric literal must be finite, got ${format$1(literal)}`);
		this.literal = literal;
	}
	/** @internal */
	getParser() {
		return fromConst(this, this.literal);
	}
	/** @internal */
	matchPart(s, _options) {
		return s === globalThis.String(this.literal) ? this.literal : void 0;
	}
	/** @internal */
	toCodecJson() {
		return typeof this.literal === "bigint" ? literalToString(this) : this;
	}
	/** @internal */
	toCodecStringTree() {
		return typeof this.literal === "string" ? this : literalToString(this);
	}
	/** @internal */
	getExpected() {
		return typeof this.literal === "string" ? JSON.stringify(this.literal) : globalThis.String(this.literal);
	}
};
function literalToString(ast) {
	const literalAsString = globalThis.String(ast.literal);
	return replaceEncoding(ast, [new Link(new Literal$1(literalAsString), new Transformation(transform$1(() => ast.literal), transform$1(() => literalAsString)))]);
}
/**
* Constructs a {@link String}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const String$2 = class extends ASTNodeImpl {
	_tag = "String";
	/** @internal */
	getParser() {
		return fromRefinement(this, isString$1);
	}
	/** @internal */
	matchPart(s, options) {
		const checks = this.checks;
		return checks && !options.disableChecks && collectIssues(checks, s, void 0, this, options) ? void 0 : s;
	}
	/** @internal */
	getExpected() {
		return "string";
	}
};
/**
* Provides the singleton {@link String} AST instance.
*
* **When to use**
*
* Use as the shared `SchemaAST` node for unconstrained JavaScript strings.
*
* @see {@link String} for the AST node class
* @see {@link isString} for narrowing an AST to a string node
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const string = /*#__PURE__*/ new String$2();
/**
* Constructs a {@link Number}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Number$2 = class extends ASTNodeImpl {
	_tag = "Number";
	/** @internal */
	getParser() {
		return fromRefinement(this, isNumber);
	}
	/** @internal */
	matchKey(s, options) {
		return this._match(isStringNumberRegExp, s, options);
	}
	/** @internal */
	matchPart(s, options) {
		return this._match(isStringFiniteRegExp, s, options);
	}
	_match(regexp, s, options) {
		if (!regexp.test(s)) return void 0;
		const value = globalThis.Number(s);
		if (options.disableChecks || !this.checks) return value;
		return collectIssues(this.checks, value, void 0, this, options) ? void 0 : value;
	}
	/** @internal */
	toCodecJson() {
		if (this.checks && (hasCheck(this.checks, "effect/schema/isFinite") || hasCheck(this.checks, "effect/schema/isInt"))) return this;
		return replaceEncoding(this, [numberToJson]);
	}
	/** @internal */
	toCodecStringTree() {
		if (this.toCodecJson() === this) return replaceEncoding(this, [finiteToString]);
		return replaceEncoding(this, [numberToString]);
	}
	/** @internal */
	getExpected() {
		return "number";
	}
};
function hasCheck(checks, id) {
	return checks.some((check) => check.annotations?.representation?.id === id || check._tag === "FilterGroup" && hasCheck(check.checks, id));
}
/**
* Provides the singleton {@link Number} AST instance.
*
* **When to use**
*
* Use when you need the canonical `SchemaAST` node for schemas that accept any
* JavaScript number value.
*
* @see {@link Number} for the AST node class and serialization behavior
* @see {@link Literal} for exact finite numeric literal AST nodes
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const number = /*#__PURE__*/ new Number$2();
/**
* Constructs a {@link Boolean}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Boolean$2 = class extends ASTNodeImpl {
	_tag = "Boolean";
	/** @internal */
	getParser() {
		return fromRefinement(this, isBoolean);
	}
	/** @internal */
	getExpected() {
		return "boolean";
	}
};
/**
* Provides the singleton {@link Boolean} AST instance.
*
* **When to use**
*
* Use to reuse the standard AST node that accepts either `true` or `false` when
* constructing schema ASTs directly.
*
* @see {@link Boolean} for the AST node class
* @see {@link Literal} for exact boolean literal AST nodes
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const boolean = /*#__PURE__*/ new Boolean$2();
/**
* Constructs a {@link BigInt}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const BigInt$2 = class extends ASTNodeImpl {
	_tag = "BigInt";
	/** @internal */
	getParser() {
		return fromRefinement(this, isBigInt);
	}
	/** @internal */
	matchPart(s, options) {
		if (!isStringBigIntRegExp.test(s)) return void 0;
		const value = globalThis.BigInt(s);
		if (options.disableChecks || !this.checks) return value;
		return collectIssues(this.checks, value, void 0, this, options) ? void 0 : value;
	}
	/** @internal */
	toCodecStringTree() {
		return replaceEncoding(this, [bigIntToString]);
	}
	/** @internal */
	getExpected() {
		return "bigint";
	}
};
/**
* Provides the singleton {@link BigInt} AST instance.
*
* **When to use**
*
* Use to reuse the canonical `BigInt` AST node when constructing, inspecting,
* or transforming schemas at the AST level.
*
* @see {@link BigInt} for the AST node class and string-codec behavior
* @see {@link isBigInt} for narrowing an AST to a `BigInt` node
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const bigInt = /*#__PURE__*/ new BigInt$2();
/**
* Constructs a {@link Arrays}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Arrays = class extends ASTNodeImpl {
	_tag = "Arrays";
	isMutable;
	elements;
	rest;
	encodingChecks;
	constructor(isMutable, elements, rest, annotations, checks, encoding, context, encodingChecks) {
		super(annotations, checks, encoding, context);
		this.isMutable = isMutable;
		this.elements = elements;
		this.rest = rest;
		this.encodingChecks = encodingChecks;
		let hasOptional = false;
		for (let i = 0; i < elements.length; i++) if (isOptional(elements[i])) hasOptional = true;
		else if (hasOptional) throw new Error("A required element cannot follow an optional element. ts(1257)");
		if (hasOptional && rest.length > 1) throw new Error("A required element cannot follow an optional element. ts(1257)");
		for (let i = 1; i < rest.length; i++) if (isOptional(rest[i])) throw new Error("An optional element cannot follow a rest element. ts(1266)");
	}
	/** @internal */
	getParser(compile, compileField = compile) {
		const ast = this;
		let elements;
		let rest;
		const elementLen = ast.elements.length;
		const tailLen = Math.max(0, ast.rest.length - 1);
		function getParser(tailThreshold, index) {
			if (index < elementLen) return elements[index];
			else if (index >= tailThreshold) return rest[index - tailThreshold + 1];
			return rest[0];
		}
		const finish = (state) => {
			const { input, len, options } = state;
			if (ast.rest.length === 0 && len > elementLen) for (let i = elementLen; i < len; i++) {
				const unexpected = new UnexpectedKey(ast, input[i], options);
				const issue = new Pointer([i], unexpected);
				if (options.errors === "all") {
					if (state.issues) state.issues.push(issue);
					else state.issues = [issue];
				} else return fail$1(new Composite(ast, [issue], input, options));
			}
			if (state.issues) return fail$1(new Composite(ast, state.issues, input, options));
			return succeed(state.output);
		};
		const parse = (input, options) => {
			const len = input.length;
			const state = {
				ast,
				getParser,
				input,
				len,
				tailThreshold: Math.max(elementLen, len - tailLen),
				output: [],
				issues: void 0,
				options
			};
			const end = ast.rest.length === 0 ? elementLen : Math.max(len, elementLen + tailLen);
			const concurrency = options.concurrency === void 0 ? 1 : resolveConcurrency(options.concurrency);
			const eff = concurrency === 1 ? parseArray(state, input, 0, end) : parseArrayConcurrent(state, input, {
				concurrency,
				end
			});
			if (!eff) return finish(state);
			if (effectIsExit(eff)) return flatMapEager(eff, () => finish(state));
			let first = true;
			return suspend(() => {
				if (!first) return parse(input, options);
				first = false;
				return flatMap(eff, () => finish(state));
			});
		};
		return (input, options) => {
			if (input === missing) return missingExit;
			try {
				if (!Array.isArray(input)) return fail$1(new InvalidType(ast, input, options));
				if (!elements) {
					elements = ast.elements.map((ast) => ({
						ast,
						parser: compileField(ast)
					}));
					rest = ast.rest.map((ast) => ({
						ast,
						parser: compileField(ast)
					}));
				}
				return parse(input, options);
			} catch (error) {
				return die(error);
			}
		};
	}
	_rebuild(recur, checks, encodingChecks) {
		const elements = mapOrSame(this.elements, recur);
		const rest = mapOrSame(this.rest, recur);
		return elements === this.elements && rest === this.rest && checks === this.checks && encodingChecks === this.encodingChecks ? this : new Arrays(this.isMutable, elements, rest, this.annotations, checks, void 0, this.context, encodingChecks);
	}
	/** @internal */
	recur(recur) {
		return this._rebuild(recur, this.checks, this.encodingChecks);
	}
	/** @internal */
	flip(recur) {
		return this._rebuild(recur, this.encodingChecks, this.checks);
	}
	/** @internal */
	getExpected() {
		return "array";
	}
};
/** @internal */
function stepArray(s, item, exit, i) {
	if (exit._tag === "Failure") return wrapPropertyKeyIssue(s, s.ast, i, exit);
	const value = exit === sameExit ? item : exit[args];
	if (value !== missing) s.output[i] = value;
	else {
		const p = s.getParser(s.tailThreshold, i);
		if (isOptional(p.ast)) return;
		const issue = new Pointer([i], new MissingKey(p.ast.context?.annotations));
		if (s.options.errors === "all") {
			if (s.issues) s.issues.push(issue);
			else s.issues = [issue];
		} else return fail$3(new Composite(s.ast, [issue], s.input, s.options));
	}
}
const parseArrayOptions = {
	onItem(s, item, i) {
		const value = i < s.len ? item : missing;
		return s.getParser(s.tailThreshold, i).parser(value, s.options);
	},
	step: stepArray
};
/** @internal */
const parseArray = /*#__PURE__*/ iterateEager()(parseArrayOptions);
const parseArrayConcurrent = /*#__PURE__*/ iterateConcurrent()(parseArrayOptions);
const wrapPropertyKeyIssue = (s, ast, key, exit) => {
	if (exit.cause.reasons.length === 0) return exit;
	const issue = getSchemaIssue(exit.cause);
	if (issue === void 0) return failCause$1(map$1(exit.cause, (issue) => new Composite(ast, [new Pointer([key], issue)], s.input, s.options)));
	const pointer = new Pointer([key], issue);
	if (s.options.errors === "all") {
		if (s.issues) s.issues.push(pointer);
		else s.issues = [pointer];
	} else return fail$3(new Composite(ast, [pointer], s.input, s.options));
};
/**
* floating point or integer, with optional exponent
*
* The mantissa alternation keeps rejection linear: `\d*\.?\d+` retries
* every split of a long digit run.
* @internal
*/
const FINITE_PATTERN = "[+-]?(?:\\d+(?:\\.\\d+)?|\\.\\d+)(?:[Ee][+-]?\\d+)?";
/**
* Returns the object keys that match the index signature parameter schema.
* @internal
*/
function getIndexSignatureKeys(input, parameter, options = defaultParseOptions) {
	let stringKeys;
	let symbolKeys;
	function go(parameter) {
		switch (parameter._tag) {
			case "String":
			case "TemplateLiteral": return (stringKeys ??= Object.keys(input)).filter((k) => parameter.matchPart(k, options) !== void 0);
			case "Number": return (stringKeys ??= Object.keys(input)).filter((k) => parameter.matchKey(k, options) !== void 0);
			case "Symbol": return (symbolKeys ??= Object.getOwnPropertySymbols(input)).filter((k) => Object.prototype.propertyIsEnumerable.call(input, k) && parameter.matchKey(k, options) !== void 0);
			case "Union": return [...new Set(parameter.types.flatMap(go))];
			default: return [];
		}
	}
	return go(parameterFromPropertyKey(toEncoded$1(parameter)));
}
/**
* Constructs a {@link PropertySignature}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const PropertySignature = class {
	name;
	type;
	constructor(name, type) {
		this.name = name;
		this.type = type;
	}
};
function isIndexSignatureParameterSide(ast) {
	switch (ast._tag) {
		case "String":
		case "Number":
		case "Symbol":
		case "TemplateLiteral": return true;
		case "Union": return ast.types.every(isIndexSignatureParameterSide);
		default: return false;
	}
}
function isIndexSignatureParameterEncodedSide(ast) {
	const encoded = getLastEncoding(ast);
	switch (encoded._tag) {
		case "String":
		case "Number":
		case "Symbol":
		case "TemplateLiteral": return true;
		case "Union": return encoded.types.every(isIndexSignatureParameterEncodedSide);
		default: return false;
	}
}
function isIndexSignatureParameter(ast) {
	return isIndexSignatureParameterSide(ast) && isIndexSignatureParameterEncodedSide(ast);
}
/**
* Constructs a {@link IndexSignature}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const IndexSignature = class {
	parameter;
	type;
	constructor(parameter, type) {
		if (!isIndexSignatureParameter(parameter)) throw new Error(`Invalid index signature parameter ${parameter._tag}`);
		this.parameter = parameter;
		this.type = type;
		if (isOptional(type) || type.encoding !== void 0 && isOptional(toEncoded$1(type))) throw new Error("Cannot use `Schema.optionalKey` or `Schema.optional` with index signatures. Index signatures already allow keys to be absent; use `Schema.UndefinedOr` to allow `undefined` values.");
	}
};
/**
* Constructs a {@link Objects}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Objects = class extends ASTNodeImpl {
	_tag = "Objects";
	propertySignatures;
	indexSignatures;
	encodingChecks;
	constructor(propertySignatures, indexSignatures, annotations, checks, encoding, context, encodingChecks) {
		super(annotations, checks, encoding, context);
		this.propertySignatures = propertySignatures;
		this.indexSignatures = indexSignatures;
		this.encodingChecks = encodingChecks;
	}
	/** @internal */
	getParser(compile, compileField = compile) {
		const ast = this;
		const hasProperties = ast.propertySignatures.length;
		const indexCount = ast.indexSignatures.length;
		if (!hasProperties && !indexCount) return fromRefinement(ast, isNotNullish);
		let properties;
		let indexes;
		const compileMembers = () => {
			if (!properties) {
				properties = ast.propertySignatures.map((ps) => ({
					parser: compileField(ps.type),
					name: ps.name,
					type: ps.type
				}));
				indexes = indexCount ? ast.indexSignatures.map((is) => ({
					is,
					parserKey: compile(parameterFromPropertyKey(is.parameter)),
					parserValue: compileField(is.type)
				})) : void 0;
			}
			return properties;
		};
		const makeFallback = () => {
			const expectedKeys = new Set(ast.propertySignatures.map((ps) => typeof ps.name === "number" ? globalThis.String(ps.name) : ps.name));
			const finishIndex = (s, key, k2, inputValue, exitValue) => {
				if (exitValue._tag === "Failure") return wrapPropertyKeyIssue(s, ast, key, exitValue) ?? void_$2;
				const value = exitValue === sameExit ? inputValue : exitValue[args];
				if (k2 !== missing && value !== missing) {
					if (hasProperties && (expectedKeys.has(key) || expectedKeys.has(typeof k2 === "number" ? globalThis.String(k2) : k2))) return void_$2;
					assignProperty(s.out, k2, value);
				}
				return void_$2;
			};
			const parseIndex = (s, key, index, exitKey) => {
				if (!exitKey) {
					const eff = index.parserKey(key, s.options);
					if (!effectIsExit(eff)) return flatMap(exit(eff), (exit) => parseIndex(s, key, index, exit));
					exitKey = eff;
				}
				if (exitKey._tag === "Failure") return wrapPropertyKeyIssue(s, ast, key, exitKey) ?? void_$2;
				const k2 = exitKey === sameExit ? key : exitKey[args];
				const inputValue = s.input[key];
				const result = index.parserValue(inputValue, s.options);
				return effectIsExit(result) ? finishIndex(s, key, k2, inputValue, result) : flatMap(exit(result), (exit) => finishIndex(s, key, k2, inputValue, exit));
			};
			const parseStringIndex = (s, key, index) => {
				const inputValue = s.input[key];
				const result = index.parserValue(inputValue, s.options);
				return effectIsExit(result) ? finishIndex(s, key, key, inputValue, result) : flatMap(exit(result), (exit) => finishIndex(s, key, key, inputValue, exit));
			};
			const parseIndexes = indexCount ? iterateConcurrent()({
				onItem: (s, [key, index]) => index.is.parameter === string ? parseStringIndex(s, key, index) : parseIndex(s, key, index),
				step: (_s, _item, exit) => exit._tag === "Failure" ? exit : void 0
			}) : void 0;
			return fnUntracedEager(function* (input, options) {
				if (input === missing) return missing;
				if (!(typeof input === "object" && input !== null && !Array.isArray(input))) return yield* fail$1(new InvalidType(ast, input, options));
				compileMembers();
				const record = input;
				const out = {};
				const state = {
					ast,
					input: record,
					out,
					issues: void 0,
					options
				};
				const errorsAllOption = options.errors === "all";
				const onExcessPropertyError = options.onExcessProperty === "error";
				const concurrency = options.concurrency === void 0 ? 1 : resolveConcurrency(options.concurrency);
				const indexKeys = indexCount && onExcessPropertyError ? ast.indexSignatures.map((index) => getIndexSignatureKeys(record, index.parameter, options)) : void 0;
				if (onExcessPropertyError) {
					const coveredKeys = indexKeys ? new Set(expectedKeys) : expectedKeys;
					if (indexKeys) for (const keys of indexKeys) for (const key of keys) coveredKeys.add(key);
					const inputKeys = Reflect.ownKeys(record);
					for (let i = 0; i < inputKeys.length; i++) {
						const key = inputKeys[i];
						if (!coveredKeys.has(key) && Object.prototype.propertyIsEnumerable.call(record, key)) {
							const unexpected = new UnexpectedKey(ast, record[key], options);
							const issue = new Pointer([key], unexpected);
							if (errorsAllOption) {
								if (state.issues) state.issues.push(issue);
								else state.issues = [issue];
								continue;
							} else return yield* fail$1(new Composite(ast, [issue], input, options));
						}
					}
				}
				if (hasProperties) {
					const eff = concurrency === 1 ? parseProperties(state, properties) : parsePropertiesConcurrent(state, properties, { concurrency });
					if (eff) yield* eff;
				}
				if (indexCount && concurrency === 1) for (let i = 0; i < indexCount; i++) {
					const index = indexes[i];
					const parse = index.is.parameter === string ? parseStringIndex : parseIndex;
					const keys = indexKeys?.[i] ?? (index.is.parameter === string ? Object.keys(record) : getIndexSignatureKeys(record, index.is.parameter, options));
					for (let j = 0; j < keys.length; j++) {
						const eff = parse(state, keys[j], index);
						if (!effectIsExit(eff)) yield* eff;
						else if (eff._tag === "Failure") return yield* eff;
					}
				}
				else if (parseIndexes) {
					const keyPairs = empty$3();
					for (let i = 0; i < indexCount; i++) {
						const index = indexes[i];
						const keys = indexKeys?.[i] ?? (index.is.parameter === string ? Object.keys(record) : getIndexSignatureKeys(record, index.is.parameter, options));
						for (let j = 0; j < keys.length; j++) keyPairs.push([keys[j], index]);
					}
					const eff = parseIndexes(state, keyPairs, { concurrency });
					if (eff) yield* eff;
				}
				if (state.issues) return yield* fail$1(new Composite(ast, state.issues, input, options));
				return out;
			});
		};
		if (indexCount) return makeFallback();
		let fallback;
		const resume = (snapshot, index, pending) => {
			const property = properties[index];
			return flatMap(exit(pending), (exit) => {
				const state = {
					...snapshot,
					out: { ...snapshot.out }
				};
				const terminal = stepProperty(state, property, exit);
				if (terminal) return terminal;
				const done = () => succeed(state.out);
				const eff = parseProperties(state, properties.slice(index + 1));
				return eff ? flatMapEager(eff, done) : done();
			});
		};
		return (input, options) => {
			if (input === missing) return missingExit;
			if (options.errors === "all" || options.onExcessProperty !== void 0 || options.concurrency !== void 0 && resolveConcurrency(options.concurrency) !== 1) return (fallback ??= makeFallback())(input, options);
			if (!(typeof input === "object" && input !== null && !Array.isArray(input))) return fail$1(new InvalidType(ast, input, options));
			const props = compileMembers();
			const record = input;
			const out = {};
			const state = {
				ast,
				input: record,
				out,
				issues: void 0,
				options
			};
			try {
				for (let index = 0; index < props.length; index++) {
					const property = props[index];
					const name = property.name;
					const hasKey = hasPropertySignature(record, name);
					const value = hasKey ? record[name] : missing;
					const exit = property.parser(value, options);
					if (!effectIsExit(exit)) return resume(state, index, exit);
					if (exit === sameExit) {
						if (hasKey) assignProperty(out, name, value);
						continue;
					}
					const terminal = stepProperty(state, property, exit);
					if (terminal) return terminal;
				}
			} catch (error) {
				return die(error);
			}
			return succeed(out);
		};
	}
	_rebuild(recur, recurParameter, checks, encodingChecks) {
		const props = mapOrSame(this.propertySignatures, (ps) => {
			const t = recur(ps.type);
			return t === ps.type ? ps : new PropertySignature(ps.name, t);
		});
		const indexes = mapOrSame(this.indexSignatures, (is) => {
			const p = recurParameter(is.parameter);
			const t = recur(is.type);
			return p === is.parameter && t === is.type ? is : new IndexSignature(p, t);
		});
		return props === this.propertySignatures && indexes === this.indexSignatures && checks === this.checks && encodingChecks === this.encodingChecks ? this : new Objects(props, indexes, this.annotations, checks, void 0, this.context, encodingChecks);
	}
	/** @internal */
	flip(recur) {
		return this._rebuild(recur, recur, this.encodingChecks, this.checks);
	}
	/** @internal */
	recur(recur, recurParameter = recur) {
		return this._rebuild(recur, recurParameter, this.checks, this.encodingChecks);
	}
	/** @internal */
	getExpected() {
		if (this.propertySignatures.length === 0 && this.indexSignatures.length === 0) return "object | array";
		return "object";
	}
};
/** @internal */
function stepProperty(s, p, exit) {
	if (exit._tag === "Failure") return wrapPropertyKeyIssue(s, s.ast, p.name, exit);
	if (exit === sameExit) return;
	const value = exit[args];
	if (value !== missing) {
		assignProperty(s.out, p.name, value);
		return;
	}
	delete s.out[p.name];
	if (!isOptional(p.type)) {
		const issue = new Pointer([p.name], new MissingKey(p.type.context?.annotations));
		if (s.options.errors === "all") {
			if (s.issues) s.issues.push(issue);
			else s.issues = [issue];
			return;
		} else return fail$3(new Composite(s.ast, [issue], s.input, s.options));
	}
}
const parsePropertiesOptions = {
	onItem(s, p) {
		if (!hasPropertySignature(s.input, p.name)) return p.parser(missing, s.options);
		const value = s.input[p.name];
		assignProperty(s.out, p.name, value);
		return p.parser(value, s.options);
	},
	step: stepProperty
};
/** @internal */
const parseProperties = /*#__PURE__*/ iterateEager()(parsePropertiesOptions);
const parsePropertiesConcurrent = /*#__PURE__*/ iterateConcurrent()(parsePropertiesOptions);
function combineChecks(a, b) {
	if (!a) return b;
	if (!b) return a;
	return [...a, ...b];
}
/** @internal */
function struct(fields, checks, annotations) {
	return new Objects(Reflect.ownKeys(fields).map((key) => {
		return new PropertySignature(key, fields[key].ast);
	}), [], annotations, checks);
}
/** @internal */
function getAST(self) {
	return self.ast;
}
/** @internal */
function tuple(elements, checks = void 0) {
	return new Arrays(false, elements.map((e) => e.ast), [], void 0, checks);
}
/** @internal */
function union(members, options, checks) {
	return new Union$1(members.map(getAST), options, void 0, checks);
}
/** @internal */
function structWithRest(ast, records) {
	if (ast.encoding || records.some((r) => r.encoding)) throw new Error("StructWithRest does not support encodings");
	let propertySignatures = ast.propertySignatures;
	let indexSignatures = ast.indexSignatures;
	let checks = ast.checks;
	for (const record of records) {
		for (const propertySignature of record.propertySignatures) if (propertySignatures.some((ps) => ps.name === propertySignature.name)) throw new Error(`Duplicate identifier: ${JSON.stringify(propertySignature.name)}. ts(2300)`);
		propertySignatures = propertySignatures.concat(record.propertySignatures);
		indexSignatures = indexSignatures.concat(record.indexSignatures);
		checks = combineChecks(checks, record.checks);
	}
	return new Objects(propertySignatures, indexSignatures, void 0, checks);
}
const toCandidate = /*#__PURE__*/ memoizeIdempotent((ast) => {
	while (true) {
		if (isSuspend(ast)) return unknown;
		const encoding = ast.encoding;
		if (!encoding) return ast.recur?.(toCandidate, identity) ?? ast;
		if (encoding.some((link) => link.transformation._tag === "Middleware" && link.transformation.decode !== identity)) return unknown;
		ast = encoding[encoding.length - 1].to;
	}
});
function getCandidateTypes(ast) {
	switch (ast._tag) {
		case "Null": return ["null"];
		case "Undefined": return ["undefined"];
		case "String":
		case "TemplateLiteral": return ["string"];
		case "Number": return ["number"];
		case "Boolean": return ["boolean"];
		case "Symbol":
		case "UniqueSymbol": return ["symbol"];
		case "BigInt": return ["bigint"];
		case "Arrays": return ["array"];
		case "ObjectKeyword": return [
			"object",
			"array",
			"function"
		];
		case "Objects": return ast.propertySignatures.length || ast.indexSignatures.length ? ["object"] : [
			"string",
			"number",
			"boolean",
			"symbol",
			"bigint",
			"object",
			"array",
			"function"
		];
		case "Enum": return Array.from(new Set(ast.enums.map(([, v]) => typeof v)));
		case "Literal": return [typeof ast.literal];
		case "Union": return Array.from(new Set(ast.types.flatMap(getCandidateTypes)));
		default: return [
			"null",
			"undefined",
			"string",
			"number",
			"boolean",
			"symbol",
			"bigint",
			"object",
			"array",
			"function"
		];
	}
}
/** @internal */
function collectSentinels(ast) {
	switch (ast._tag) {
		default: return [];
		case "Declaration": {
			const s = ast.annotations?.[SENTINELS_ANNOTATION_KEY];
			return Array.isArray(s) ? s : [];
		}
		case "Objects": return ast.propertySignatures.flatMap((ps) => {
			const type = ps.type;
			if (!isOptional(type)) {
				if (isLiteral(type)) return [{
					key: ps.name,
					literal: type.literal
				}];
				if (isUniqueSymbol(type)) return [{
					key: ps.name,
					literal: type.symbol
				}];
			}
			return [];
		});
		case "Arrays": return ast.elements.flatMap((e, i) => {
			if (!isOptional(e)) {
				if (isLiteral(e)) return [{
					key: i,
					literal: e.literal
				}];
				if (isUniqueSymbol(e)) return [{
					key: i,
					literal: e.symbol
				}];
			}
			return [];
		});
		case "Union": {
			if (ast.types.length === 0) return [];
			const members = ast.types.map((type) => collectSentinels(toCandidate(type)));
			return members[0].filter((s) => members.every((sentinels) => sentinels.some((o) => o.key === s.key && o.literal === s.literal)));
		}
		case "Suspend": return collectSentinels(ast.thunk());
	}
}
const candidateIndexCache = /*#__PURE__*/ new WeakMap();
const emptyCandidates = /*#__PURE__*/ Object.freeze([]);
const getRuntimeType = (input) => input === null ? "null" : Array.isArray(input) ? "array" : typeof input;
const hasPropertySignature = (input, key) => key === "__proto__" ? Object.hasOwn(input, key) : key in input;
/** @internal */
function getCandidateIndex(types) {
	let index = candidateIndexCache.get(types);
	if (index) return index;
	let bySentinel;
	let sentinelCandidateCount = 0;
	let otherwise;
	let literalCandidates;
	let onlyLiterals = true;
	const literalOf = [];
	for (let i = 0; i < types.length; i++) {
		const a = types[i];
		const encoded = toCandidate(a);
		if (isNever(encoded)) continue;
		if (isLiteral(encoded) || isUniqueSymbol(encoded)) {
			literalCandidates ??= /* @__PURE__ */ new Map();
			const literal = isLiteral(encoded) ? encoded.literal : encoded.symbol;
			literalOf[i] = literal;
			let arr = literalCandidates.get(literal);
			if (!arr) literalCandidates.set(literal, arr = []);
			arr.push(i);
		} else onlyLiterals = false;
		const sentinels = collectSentinels(encoded);
		if (sentinels.length) {
			bySentinel ??= /* @__PURE__ */ new Map();
			sentinelCandidateCount++;
			for (const { key, literal } of sentinels) {
				let entry = bySentinel.get(key);
				if (!entry) bySentinel.set(key, entry = [/* @__PURE__ */ new Map(), /* @__PURE__ */ new Set()]);
				entry[1].add(i);
				let indexes = entry[0].get(literal);
				if (!indexes) entry[0].set(literal, indexes = /* @__PURE__ */ new Set());
				indexes.add(i);
			}
		} else {
			otherwise ??= {};
			const candidateTypes = getCandidateTypes(encoded);
			for (const t of candidateTypes) (otherwise[t] ??= []).push(i);
		}
	}
	const fallbacks = {};
	const getFallback = (type) => fallbacks[type] ??= Object.freeze(otherwise?.[type] ?? emptyCandidates);
	if (onlyLiterals && literalCandidates) {
		literalCandidates.forEach(Object.freeze);
		index = (input) => literalCandidates.get(input) ?? emptyCandidates;
	} else if (bySentinel?.size === 1 && !otherwise) {
		const [key, [byValue]] = bySentinel.entries().next().value;
		const candidates = /* @__PURE__ */ new Map();
		for (const [literal, indexes] of byValue) candidates.set(literal, Object.freeze(Array.from(indexes)));
		const all = Object.freeze(types.map((_, i) => i));
		index = (input, isConstructor) => {
			if (isObjectKeyword(input)) {
				const value = hasPropertySignature(input, key) ? input[key] : void 0;
				if (value !== void 0) return candidates.get(value) ?? emptyCandidates;
				if (isConstructor) return all;
			}
			return emptyCandidates;
		};
	} else if (bySentinel) {
		let commonSentinel;
		for (const entry of bySentinel) if ((!commonSentinel || entry[1][0].size > commonSentinel[1][0].size) && entry[1][1].size === sentinelCandidateCount) commonSentinel = entry;
		index = (input, isConstructor) => {
			const runtimeType = getRuntimeType(input);
			if (!isObjectKeyword(input)) return getFallback(runtimeType);
			const selected = new Set(otherwise?.[runtimeType]);
			let directKey;
			if (commonSentinel) {
				const [key, [byValue]] = commonSentinel;
				const hasKey = hasPropertySignature(input, key);
				const value = hasKey ? input[key] : void 0;
				if (hasKey && (!isConstructor || value !== void 0)) {
					const match = byValue.get(value);
					if (!match) return getFallback(runtimeType);
					for (const i of match) selected.add(i);
					directKey = key;
				}
			}
			if (directKey === void 0) for (const [key, [byValue, all]] of bySentinel) {
				const hasKey = hasPropertySignature(input, key);
				const value = hasKey ? input[key] : void 0;
				if (hasKey && (!isConstructor || value !== void 0)) {
					const match = byValue.get(value);
					if (match) for (const i of match) selected.add(i);
				} else if (isConstructor) for (const i of all) selected.add(i);
			}
			for (const [key, [byValue, all]] of bySentinel) {
				if (key === directKey) continue;
				const hasKey = hasPropertySignature(input, key);
				const value = hasKey ? input[key] : void 0;
				if (hasKey && (!isConstructor || value !== void 0)) {
					const match = byValue.get(value);
					for (const i of selected) if (all.has(i) && !match?.has(i)) selected.delete(i);
				}
			}
			return Array.from(selected).sort((a, b) => a - b);
		};
	} else index = (input) => {
		const fallback = getFallback(getRuntimeType(input));
		return literalCandidates ? fallback.filter((i) => literalOf[i] === void 0 || literalOf[i] === input) : fallback;
	};
	candidateIndexCache.set(types, index);
	return index;
}
/**
* Constructs a {@link Union}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Union$1 = class extends ASTNodeImpl {
	_tag = "Union";
	types;
	options;
	encodingChecks;
	constructor(types, options, annotations, checks, encoding, context, encodingChecks) {
		super(annotations, checks, encoding, context);
		this.types = types;
		this.options = options;
		this.encodingChecks = encodingChecks;
	}
	/** @internal */
	getParser(compile, compileField) {
		const ast = this;
		const isConstructor = compileField !== void 0;
		const parsers = [];
		const parser = (i) => parsers[i] ??= compile(ast.types[i]);
		let index;
		return (input, options) => {
			if (input === missing) return missingExit;
			const candidates = (index ??= getCandidateIndex(ast.types))(input, isConstructor);
			if (candidates.length === 0) return fail$1(new AnyOf(ast, [], input, options));
			if (candidates.length === 1) {
				const result = parser(candidates[0])(input, options);
				if (result._tag === "Success") return result;
				return effectIsExit(result) ? failSingleUnionCandidate(ast, result.cause, input, options) : catchSingleUnionCandidate(ast, result, input, options);
			}
			return parseUnionCandidates(ast, parser, candidates, input, options);
		};
	}
	_rebuild(recur, checks, encodingChecks) {
		const types = mapOrSame(this.types, recur);
		return types === this.types && checks === this.checks && encodingChecks === this.encodingChecks ? this : new Union$1(types, this.options, this.annotations, checks, void 0, this.context, encodingChecks);
	}
	/** @internal */
	recur(recur) {
		return this._rebuild(recur, this.checks, this.encodingChecks);
	}
	/** @internal */
	flip(recur) {
		return this._rebuild(recur, this.encodingChecks, this.checks);
	}
	/** @internal */
	matchPart(s, options) {
		for (const type of this.types) {
			const out = type.matchPart(s, options);
			if (out !== void 0) return out;
		}
	}
	/** @internal */
	getExpected(getExpected) {
		const expected = this.annotations?.expected;
		if (typeof expected === "string") return expected;
		if (this.types.length === 0) return "never";
		const types = this.types.map((type) => {
			const encoded = toEncoded$1(type);
			switch (encoded._tag) {
				case "Arrays": {
					const literals = encoded.elements.filter(isLiteral);
					if (literals.length > 0) return `${formatIsMutable(encoded.isMutable)}[ ${literals.map((e) => getExpected(e) + formatIsOptional(e.context?.isOptional)).join(", ")}, ... ]`;
					break;
				}
				case "Objects": {
					const literals = encoded.propertySignatures.filter((ps) => isLiteral(ps.type));
					if (literals.length > 0) return `{ ${literals.map((ps) => `${formatIsMutable(ps.type.context?.isMutable)}${formatPropertyKey(ps.name)}${formatIsOptional(ps.type.context?.isOptional)}: ${getExpected(ps.type)}`).join(", ")}, ... }`;
					break;
				}
			}
			return getExpected(encoded);
		});
		return Array.from(new Set(types)).join(" | ");
	}
};
function failSingleUnionCandidate(ast, cause, input, options) {
	const issue = getSchemaIssue(cause);
	if (!issue) return failCause$1(cause);
	return fail$3(new AnyOf(ast, [issue], input, options));
}
function catchSingleUnionCandidate(ast, result, input, options) {
	return catchCause(result, (cause) => failSingleUnionCandidate(ast, cause, input, options));
}
function parseUnionCandidates(ast, parser, candidates, input, options) {
	const state = {
		ast,
		parser,
		input,
		out: void 0,
		successes: ast.options?.mode === "oneOf" ? [] : void 0,
		issues: void 0,
		options
	};
	const eff = parseUnion(state, candidates);
	if (!eff) {
		if (state.out) return state.out;
		return fail$1(new AnyOf(ast, state.issues ?? [], input, options));
	}
	if (effectIsExit(eff)) return resumeUnion(eff, state);
	let first = true;
	return suspend(() => {
		if (!first) return parseUnionCandidates(ast, parser, candidates, input, options);
		first = false;
		return resumeUnion(eff, state);
	});
}
function resumeUnion(eff, state) {
	return flatMapEager(eff, (_) => {
		if (state.out === sameExit) return succeed$1(state.input);
		if (state.out) return state.out;
		return fail$1(new AnyOf(state.ast, state.issues ?? [], state.input, state.options));
	});
}
const parseUnion = /*#__PURE__*/ iterateEager()({
	onItem(s, i) {
		return s.parser(i)(s.input, s.options);
	},
	step(s, i, exit) {
		if (exit._tag === "Failure") {
			const issue = getSchemaIssue(exit.cause);
			if (issue === void 0) return exit;
			if (s.issues) s.issues.push(issue);
			else s.issues = [issue];
		} else {
			if (s.out && s.successes) {
				s.successes.push(s.ast.types[i]);
				return fail$3(new OneOf(s.ast, s.successes, s.input, s.options));
			}
			s.out = exit;
			if (s.successes) s.successes.push(s.ast.types[i]);
			else return void_$2;
		}
	}
});
const nonFiniteLiterals = /*#__PURE__*/ new Union$1([
	/*#__PURE__*/ new Literal$1("Infinity"),
	/*#__PURE__*/ new Literal$1("-Infinity"),
	/*#__PURE__*/ new Literal$1("NaN")
]);
function formatIsMutable(isMutable) {
	return isMutable ? "" : "readonly ";
}
function formatIsOptional(isOptional) {
	return isOptional ? "?" : "";
}
/**
* Constructs a {@link Filter}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Filter = class extends Class$2 {
	_tag = "Filter";
	run;
	annotations;
	/**
	* Whether the parsing process should be aborted after this check has failed.
	*/
	aborted;
	constructor(run, annotations = void 0, aborted = false) {
		super();
		this.run = run;
		this.annotations = annotations;
		this.aborted = aborted;
	}
	annotate(annotations) {
		return new Filter(this.run, {
			...this.annotations,
			...annotations
		}, this.aborted);
	}
	abort() {
		return new Filter(this.run, this.annotations, true);
	}
	and(other, annotations) {
		return new FilterGroup([this, other], annotations);
	}
};
/**
* Constructs a {@link FilterGroup}.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const FilterGroup = class extends Class$2 {
	_tag = "FilterGroup";
	checks;
	annotations;
	constructor(checks, annotations = void 0) {
		super();
		this.checks = checks;
		this.annotations = annotations;
	}
	annotate(annotations) {
		return new FilterGroup(this.checks, {
			...this.annotations,
			...annotations
		});
	}
	and(other, annotations) {
		return new FilterGroup([this, other], annotations);
	}
};
/** @internal */
function makeFilter$1(filter, annotations, aborted = false) {
	return new Filter((input, ast, options) => normalizeFilterOutput(ast, filter(input, ast, options), input, options), annotations, aborted);
}
/** @internal */
function isFinite(annotations) {
	return makeFilter$1((n) => globalThis.Number.isFinite(n), {
		expected: "a finite number",
		representation: {
			id: "effect/schema/isFinite",
			payload: null
		},
		toJsonSchema: () => ({ type: "number" }),
		toCode: () => ({ runtime: "Schema.isFinite()" }),
		arbitraryConstraint: { number: "finite" },
		...annotations
	});
}
/** @internal */
const finite = /*#__PURE__*/ appendChecks(number, [/*#__PURE__*/ isFinite()]);
const numberToJson = /*#__PURE__*/ new Link(/*#__PURE__*/ new Union$1([finite, nonFiniteLiterals]), /*#__PURE__*/ new Transformation(/*#__PURE__*/ Number$3(), /*#__PURE__*/ transform$1((n) => globalThis.Number.isFinite(n) ? n : globalThis.String(n))));
/**
* Creates a {@link Filter} that validates strings by running `RegExp.test`.
*
* **When to use**
*
* Use when string validation should be represented as a schema `Filter` backed
* by a regular expression.
*
* **Details**
*
* The filter can be used with `Schema.check` or attached directly to a
* `String` AST node through checks. The regular expression is cloned and its
* `lastIndex` is reset before each test, so global and sticky expressions are
* deterministic and the provided regular expression is not mutated. The
* regular expression source is stored in annotations for serialization and
* arbitrary generation.
*
* **Gotchas**
*
* Arbitrary metadata preserves both `regExp.source` and `regExp.flags`.
* Implementations that cannot consume all flags may still use the source as a
* generation hint because the Schema filter validates every generated value.
* JSON Schema has no way to carry JavaScript regular-expression flags. Unless
* annotations provide `toJsonSchema`, the RegExp constraint is omitted from
* JSON Schema export.
*
* **Example** (Validating an email pattern)
*
* ```ts import.meta.vitest
* import { SchemaAST } from "effect"
*
* const emailFilter = SchemaAST.isPattern(/^[^@]+@[^@]+$/)
* emailFilter.run("alice@example.com", SchemaAST.string, {}) // => undefined
* emailFilter.run("invalid", SchemaAST.string, {})?._tag // => "InvalidValue"
* ```
*
* @see {@link Filter}
* @stability stable
* @category constructors
* @since 4.0.0
*/
function isPattern$1(regExp, annotations) {
	const copy = new globalThis.RegExp(regExp);
	const payload = {
		source: copy.source,
		flags: copy.flags
	};
	return makeFilter$1((s) => {
		copy.lastIndex = 0;
		return copy.test(s);
	}, {
		expected: `a string matching the RegExp ${payload.source}`,
		representation: {
			id: "effect/schema/isPattern",
			payload
		},
		toJsonSchema: () => [{}, true],
		arbitraryConstraint: { patterns: [payload] },
		...annotations
	});
}
const bodyOwners = /*#__PURE__*/ new WeakMap();
function copy(ast, changes) {
	const out = Object.assign(Object.create(Object.getPrototypeOf(ast)), ast, changes);
	if (Reflect.ownKeys(changes).every((key) => key === "context" || key === "encoding")) bodyOwners.set(out, getContextOwner(ast));
	return out;
}
/** @internal */
function getContextOwner(ast) {
	const existing = bodyOwners.get(ast);
	if (existing !== void 0) return existing;
	if (ast.encoding === void 0) return ast;
	const owner = Object.assign(Object.create(Object.getPrototypeOf(ast)), ast, { encoding: void 0 });
	bodyOwners.set(ast, owner);
	return owner;
}
/** @internal */
function replaceEncoding(ast, encoding) {
	return ast.encoding === encoding ? ast : copy(ast, { encoding });
}
/** @internal */
function replaceContext(ast, context) {
	if (ast.context === context) return ast;
	const owner = getContextOwner(ast);
	if (owner.context === context && owner.encoding === ast.encoding) return owner;
	return copy(ast, { context });
}
/** @internal */
function getLastEncoding(ast) {
	return ast.encoding ? getLastEncoding(ast.encoding[ast.encoding.length - 1].to) : ast;
}
/** @internal */
function annotate$1(ast, annotations) {
	if (ast.checks) {
		const last = ast.checks[ast.checks.length - 1];
		return replaceChecks(ast, append(ast.checks.slice(0, -1), last.annotate(annotations)));
	}
	return copy(ast, { annotations: {
		...ast.annotations,
		...annotations
	} });
}
/** @internal */
function replaceChecks(ast, checks) {
	if (ast._tag === "Suspend" && checks) throw new Error("Cannot add checks to Suspend");
	if (ast.checks === checks) return ast;
	return copy(ast, { checks });
}
/** @internal */
function appendChecks(ast, checks) {
	return replaceChecks(ast, combineChecks(ast.checks, checks));
}
/** @internal */
function mapLink(link, f) {
	const to = f(link.to);
	return to === link.to ? link : new Link(to, link.transformation);
}
function updateLastLink(encoding, f) {
	const links = encoding;
	const last = links[links.length - 1];
	const out = mapLink(last, f);
	return out === last ? encoding : append(encoding.slice(0, encoding.length - 1), out);
}
/** @internal */
function applyToLastLink(f) {
	return (ast) => ast.encoding ? replaceEncoding(ast, updateLastLink(ast.encoding, f)) : ast;
}
/** @internal */
function replaceContextLastLink(ast, context) {
	return applyToLastLink((ast) => replaceContext(ast, context))(ast);
}
/** @internal */
function applyToSelfOrLastLinkEncoding(f) {
	function out(ast) {
		return ast.encoding ? replaceEncoding(ast, updateLastLink(ast.encoding, out)) : f(ast);
	}
	return memoize(out);
}
/** @internal */
function applyToSelfOrLastLinkEncodingIdempotent(f, options) {
	function out(ast) {
		if (ast.encoding) {
			const last = ast.encoding[ast.encoding.length - 1];
			return options?.stopAt?.(last) ? ast : replaceEncoding(ast, updateLastLink(ast.encoding, out));
		}
		return f(ast);
	}
	return memoizeIdempotent(out);
}
/** @internal */
function middlewareDecoding$1(ast, middleware) {
	return appendTransformation(ast, middleware, toType$1(ast));
}
function appendTransformation(from, transformation, to) {
	const link = new Link(from, transformation);
	return replaceEncoding(to, to.encoding ? [...to.encoding, link] : [link]);
}
function mapOrSame(as, f) {
	let out;
	for (let i = 0; i < as.length; i++) {
		const a = as[i];
		const fa = f(a);
		if (out) out[i] = fa;
		else if (fa !== a) {
			out = new Array(as.length);
			for (let j = 0; j < i; j++) out[j] = as[j];
			out[i] = fa;
		}
	}
	return out ?? as;
}
/** @internal */
function annotateKey(ast, annotations) {
	return replaceContext(ast, ast.context ? new Context(ast.context.isOptional, ast.context.isMutable, ast.context.constructorDefault, {
		...ast.context.annotations,
		...annotations
	}) : new Context(false, false, void 0, annotations));
}
/** @internal */
const optionalKey$1 = /*#__PURE__*/ memoizeIdempotent((ast) => {
	const context = ast.context ? ast.context.isOptional === false ? new Context(true, ast.context.isMutable, ast.context.constructorDefault, ast.context.annotations) : ast.context : new Context(true, false);
	return optionalKeyLastLink(replaceContext(ast, context));
});
const optionalKeyLastLink = /*#__PURE__*/ applyToLastLink(optionalKey$1);
/** @internal */
const optional$1 = /*#__PURE__*/ memoize((ast) => optionalKey$1(new Union$1([ast, undefined_])));
/** @internal */
function withConstructorDefault$1(ast, defaultValue) {
	return replaceContext(ast, ast.context ? new Context(ast.context.isOptional, ast.context.isMutable, defaultValue, ast.context.annotations) : new Context(false, false, defaultValue));
}
/**
* Attaches a `Transformation` to the `to` AST, making it decode from the
* `from` AST and encode back to it.
*
* **Details**
*
* This is the low-level primitive behind `Schema.decodeTo`. It appends a
* {@link Link} to the `to` node's encoding chain.
*
* - Returns a new AST with the same type as `to`.
*
* @see {@link Link}
* @see {@link Encoding}
* @see {@link flip}
* @stability stable
* @category transforming
* @since 4.0.0
*/
function decodeTo$1(from, to, transformation) {
	return appendTransformation(from, transformation, to);
}
function parseParameter(ast) {
	const literals = [];
	const parameters = [];
	function addLiteral(literal) {
		if (!literals.includes(literal)) literals.push(literal);
	}
	function go(ast) {
		switch (ast._tag) {
			case "Literal":
				if (isPropertyKey(ast.literal)) addLiteral(ast.literal);
				return;
			case "UniqueSymbol":
				addLiteral(ast.symbol);
				return;
			case "Enum":
				for (const [, value] of ast.enums) addLiteral(value);
				return;
			case "Never": return;
			case "Union":
				for (let i = 0; i < ast.types.length; i++) go(ast.types[i]);
				return;
			default: parameters.push(ast);
		}
	}
	go(ast);
	return {
		literals,
		parameters
	};
}
/** @internal */
function record(key, value) {
	const { literals, parameters: indexSignatures } = parseParameter(key);
	return new Objects(literals.map((literal) => new PropertySignature(literal, value)), indexSignatures.map((parameter) => new IndexSignature(parameter, value)));
}
/**
* Returns `true` if the AST node represents an optional property.
*
* **Details**
*
* Checks `ast.context?.isOptional`. Defaults to `false` when no
* {@link Context} is set.
*
* @see `Schema.optionalKey`
* @see {@link Context}
* @stability stable
* @category predicates
* @since 4.0.0
*/
function isOptional(ast) {
	return ast.context?.isOptional ?? false;
}
/** @internal */
function isMutable(ast) {
	return ast.context?.isMutable ?? false;
}
function isStructuralCheck(check) {
	return check.annotations?.["~structural"] === true || check._tag === "FilterGroup" && check.checks.every(isStructuralCheck);
}
function extractStructuralChecks(checks) {
	function extract(check) {
		if (isStructuralCheck(check)) return [check];
		return check._tag === "FilterGroup" ? check.checks.flatMap(extract) : [];
	}
	const out = checks.flatMap(extract);
	return isArrayNonEmpty(out) ? out : void 0;
}
function canPreserveEncodingChecks(ast) {
	let preserve = true;
	function visit(child) {
		preserve = preserve && !child.encoding && !isSuspend(child);
		if (preserve && "recur" in child) child.recur(visit);
		return child;
	}
	if ("recur" in ast) ast.recur(visit);
	return preserve;
}
/**
* Strips all encoding transformations from an AST, returning the decoded
* (type-level) representation.
*
* **Details**
*
* - Memoized: same input reference → same output reference.
* - Recursively walks into composite nodes ({@link Arrays}, {@link Objects},
*   {@link Union}, {@link Suspend}).
*
* **Example** (Getting the type AST)
*
* ```ts import.meta.vitest
* import { Schema, SchemaAST } from "effect"
*
* const schema = Schema.NumberFromString
* const typeAst = SchemaAST.toType(schema.ast)
* typeAst._tag // => "Number"
* ```
*
* @see {@link toEncoded}
* @see {@link flip}
* @stability stable
* @category transforming
* @since 4.0.0
*/
const toType$1 = /*#__PURE__*/ memoizeIdempotent((ast) => {
	const owner = getContextOwner(ast);
	if (owner !== ast) {
		const type = toType$1(owner);
		return type === owner && ast.encoding === void 0 ? ast : replaceContext(type, ast.context);
	}
	const type = "recur" in ast ? ast.recur(toType$1) : ast;
	if ("encodingChecks" in type && type.encodingChecks) {
		const checks = canPreserveEncodingChecks(ast) ? type.encodingChecks : isArrays(type) || isObjects(type) || isDeclaration(type) && type.typeParameters.length > 0 ? extractStructuralChecks(type.encodingChecks) : void 0;
		return copy(type, {
			encodingChecks: void 0,
			checks: combineChecks(type.checks, checks)
		});
	}
	return type;
});
/**
* Returns the encoded (wire-format) AST by flipping and then stripping
* encodings.
*
* **Details**
*
* Equivalent to `toType(flip(ast))`. This gives you the AST that describes
* the shape of the serialized/encoded data.
*
* - Memoized: same input reference → same output reference.
*
* **Example** (Getting the encoded AST)
*
* ```ts import.meta.vitest
* import { Schema, SchemaAST } from "effect"
*
* const schema = Schema.NumberFromString
* const encodedAst = SchemaAST.toEncoded(schema.ast)
* encodedAst._tag // => "String"
* ```
*
* @see {@link toType}
* @see {@link flip}
* @stability stable
* @category transforming
* @since 4.0.0
*/
const toEncoded$1 = /*#__PURE__*/ memoizeIdempotent((ast) => {
	return toType$1(flip$1(ast));
});
function flipEncoding(ast, encoding) {
	const links = encoding;
	const len = links.length;
	const last = links[len - 1];
	const ls = [new Link(flip$1(replaceEncoding(ast, void 0)), links[0].transformation.flip())];
	for (let i = 1; i < len; i++) ls.unshift(new Link(flip$1(links[i - 1].to), links[i].transformation.flip()));
	const to = flip$1(last.to);
	if (to.encoding) return replaceEncoding(to, [...to.encoding, ...ls]);
	else return replaceEncoding(to, ls);
}
/**
* Swaps the decode and encode directions of an AST's {@link Encoding} chain.
*
* **Details**
*
* After flipping, what was decoding becomes encoding and vice versa. This is
* the core operation behind `Schema.encodeEffect` — encoding a value is decoding
* with a flipped SchemaAST.
*
* - Memoized: same input reference → same output reference.
* - Recursively walks composite nodes.
*
* @see {@link toType}
* @see {@link toEncoded}
* @stability stable
* @category transforming
* @since 4.0.0
*/
const flip$1 = /*#__PURE__*/ memoize((ast) => {
	if (ast.encoding) return flipEncoding(ast, ast.encoding);
	const owner = getContextOwner(ast);
	if (owner !== ast) {
		const flipped = flip$1(owner);
		return flipped === owner ? ast : replaceContext(flipped, ast.context);
	}
	return "flip" in ast ? ast.flip(flip$1) : "recur" in ast ? ast.recur(flip$1) : ast;
});
function fromConst(ast, value) {
	const succeed$8 = value === 0 ? sameExit : succeed(value);
	return (input, options) => {
		if (input === missing) return missingExit;
		if (input === value) return succeed$8;
		return fail$1(new InvalidType(ast, input, options));
	};
}
function fromRefinement(ast, refinement) {
	return (input, options) => {
		if (input === missing) return missingExit;
		if (refinement(input)) return sameExit;
		return fail$1(new InvalidType(ast, input, options));
	};
}
/** @internal */
const parameterFromPropertyKey = /*#__PURE__*/ applyToSelfOrLastLinkEncodingIdempotent((ast) => {
	switch (ast._tag) {
		default: return ast;
		case "Number": return ast.toCodecStringTree();
		case "Union": return ast.recur(parameterFromPropertyKey);
	}
});
/** @internal */
const parameterFromString = /*#__PURE__*/ applyToSelfOrLastLinkEncodingIdempotent((ast) => {
	switch (ast._tag) {
		default: return ast;
		case "Symbol":
		case "UniqueSymbol": return ast.toCodecStringTree();
		case "Union": return ast.recur(parameterFromString);
	}
});
/**
* any string, including newlines
* @internal
*/
const STRING_PATTERN = "[\\s\\S]*?";
const isStringFiniteRegExp = /*#__PURE__*/ new globalThis.RegExp(`^${FINITE_PATTERN}$`);
const isStringNumberRegExp = /*#__PURE__*/ new globalThis.RegExp(`^(?:${FINITE_PATTERN}|Infinity|-Infinity|NaN)$`);
/** @internal */
function isStringFinite(annotations) {
	return isPattern$1(isStringFiniteRegExp, {
		expected: "a string representing a finite number",
		representation: {
			id: "effect/schema/isStringFinite",
			payload: null
		},
		toJsonSchema: () => ({ pattern: isStringFiniteRegExp.source }),
		...annotations
	});
}
const finiteString = /*#__PURE__*/ appendChecks(string, [/*#__PURE__*/ isStringFinite()]);
const finiteToString = /*#__PURE__*/ new Link(finiteString, numberFromString);
const numberToString = /*#__PURE__*/ new Link(/*#__PURE__*/ new Union$1([finiteString, nonFiniteLiterals]), numberFromString);
const isStringBigIntRegExp = /*#__PURE__*/ new globalThis.RegExp(`^-?\\d+$`);
/** @internal */
function isStringBigInt(annotations) {
	return isPattern$1(isStringBigIntRegExp, {
		expected: "a string representing a bigint",
		representation: {
			id: "effect/schema/isStringBigInt",
			payload: null
		},
		toJsonSchema: () => ({ pattern: isStringBigIntRegExp.source }),
		...annotations
	});
}
/** @internal */
const bigIntString = /*#__PURE__*/ appendChecks(string, [/*#__PURE__*/ isStringBigInt({ expected: "a string representing a bigint" })]);
const bigIntToString = /*#__PURE__*/ new Link(bigIntString, bigintFromString);
/** @internal */
function collectIssues(checks, value, issues, ast, options) {
	for (let i = 0; i < checks.length; i++) {
		const check = checks[i];
		if (check._tag === "FilterGroup") {
			issues = collectIssues(check.checks, value, issues, ast, options);
			if (issues && (options.errors !== "all" || issues[issues.length - 1].filter.aborted)) return issues;
		} else {
			const issue = check.run(value, ast, options);
			if (issue) {
				const filter = new Filter$1(check, issue, value, options);
				if (issues) issues.push(filter);
				else issues = [filter];
				if (options.errors !== "all" || check.aborted) return issues;
			}
		}
	}
	return issues;
}
/** @internal */
function getConstructorDescriptor(ast) {
	if (!isDeclaration(ast)) return void 0;
	const getDescriptor = ast.annotations?.[CONSTRUCTOR_ANNOTATION_KEY];
	return isFunction(getDescriptor) ? getDescriptor(ast.typeParameters) : void 0;
}
/**
* Returns a single annotation value by key from the AST node.
*
* **Details**
*
* Like {@link resolve}, reads from the last check's annotations when checks
* are present. Returns `undefined` if the key is not found.
*
* @see {@link resolve}
* @stability stable
* @category annotations
* @since 4.0.0
*/
const resolveAt = resolveAt$1;
/**
* Returns the `identifier` annotation from the AST node, if set.
*
* **Details**
*
* The identifier is typically set by `Schema.annotate({ identifier: "..." })`
* and is used for error messages and schema identification.
*
* @see {@link resolve}
* @see {@link resolveTitle}
* @stability stable
* @category annotations
* @since 4.0.0
*/
const resolveIdentifier = resolveIdentifier$1;
/**
* Returns the `description` annotation from the AST node, if set.
*
* @see {@link resolve}
* @see {@link resolveTitle}
* @see {@link resolveIdentifier}
*
* @stability stable
* @category annotations
* @since 4.0.0
*/
const resolveDescription = resolveDescription$1;
function isJsonLeaf(u) {
	return u === null || typeof u === "string" || typeof u === "boolean" || typeof u === "number" && globalThis.Number.isFinite(u);
}
function isStringTreeLeaf(u) {
	return u === void 0 || typeof u === "string";
}
function isTree(u, isLeaf) {
	const cache = /* @__PURE__ */ new WeakMap();
	const stack = [];
	outer: while (true) {
		if (typeof u !== "object" || u === null) {
			if (!isLeaf(u)) return false;
		} else {
			const value = u;
			const cached = cache.get(value);
			if (cached === false) return false;
			if (cached === void 0) {
				const isArray = Array.isArray(value);
				if (!isArray) {
					const prototype = Object.getPrototypeOf(value);
					if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) return false;
				}
				cache.set(value, false);
				stack.push({
					value,
					keys: isArray ? value.length : Object.keys(value),
					index: 0
				});
			}
		}
		while (stack.length > 0) {
			const frame = stack[stack.length - 1];
			const keys = frame.keys;
			if (typeof keys === "number") {
				if (frame.index < keys) {
					u = frame.value[frame.index++];
					continue outer;
				}
			} else if (frame.index < keys.length) {
				u = frame.value[keys[frame.index++]];
				continue outer;
			}
			cache.set(frame.value, true);
			stack.pop();
		}
		return true;
	}
}
/**
* Returns true if the value is a JSON value.
*
* When a cyclic reference is detected, returns false.
*
* @internal
*/
function isJson(u) {
	return isTree(u, isJsonLeaf);
}
/** @internal */
const Json$1 = /*#__PURE__*/ new Declaration([], () => (input, ast, options) => isJson(input) ? sameExit : fail$1(new InvalidType(ast, input, options)), {
	representation: {
		id: "effect/schema/Json",
		payload: null
	},
	expected: "JSON value",
	toCodecJson: () => void 0,
	toCodecStringTree: () => unknownToStringTree
});
/** @internal */
const unknownToJson = /*#__PURE__*/ new Link(Json$1, /*#__PURE__*/ passthrough());
/** @internal */
const objectKeywordToJson = /*#__PURE__*/ new Link(/*#__PURE__*/ new Union$1([/*#__PURE__*/ new Arrays(false, [], [Json$1]), /*#__PURE__*/ new Objects([], [/*#__PURE__*/ new IndexSignature(string, Json$1)])]), /*#__PURE__*/ passthrough());
/**
* Returns true if the value is a StringTree value.
*
* When a cyclic reference is detected, returns false.
*
* @internal
*/
function isStringTree(u) {
	return isTree(u, isStringTreeLeaf);
}
const StringTree = /*#__PURE__*/ new Declaration([], () => (input, ast, options) => isStringTree(input) ? sameExit : fail$1(new InvalidType(ast, input, options)), {
	expected: "StringTree",
	toCodecStringTree: () => void 0
});
/** @internal */
const unknownToStringTree = /*#__PURE__*/ new Link(StringTree, /*#__PURE__*/ passthrough());

// node_modules/effect/dist/internal/schema/interpreter.js
const flatMapTransformation = (result, current, f) => result === sameExit ? f(current) : flatMapEager(result, f);
function compileTransformation(transformation) {
	const apply = compileTransformationUnsafe(transformation);
	return (result, current, options) => {
		try {
			return apply(result, current, options);
		} catch (error) {
			return die(error);
		}
	};
}
function compileTransformationUnsafe(transformation) {
	if (transformation._tag === "Middleware") return (result, current, options) => {
		const transformed = result === sameExit ? transformation.decode(succeed(toOption(current)), options) : transformation.decode(mapEager(result, toOption), options);
		return fromOptionalEffect(transformed);
	};
	const getter = transformation.decode;
	switch (getter._tag) {
		case "Passthrough": return (result, current) => result === sameExit ? succeed(current) : result;
		case "Transform": {
			const transform = (value) => value === missing ? missingExit : succeed(getter.transform(value));
			return (result, current) => flatMapTransformation(result, current, transform);
		}
		case "TransformOptional": {
			const transform = (value) => fromOptionExit(getter.transform(toOption(value)));
			return (result, current) => flatMapTransformation(result, current, transform);
		}
		case "TransformEffect": return (result, current, options) => flatMapTransformation(result, current, (value) => value === missing ? missingExit : getter.transform(value, options));
		case "TransformOptionalEffect": return (result, current, options) => flatMapTransformation(result, current, (value) => fromOptionalEffect(getter.transform(toOption(value), options)));
	}
}
const fromOptionalEffect = (effect) => flatMapEager(effect, fromOptionExit);
/** @internal */
const wrapEncoding = (ast, input, options, effect) => catchCause(effect, (cause) => failCauseSync(() => map$1(cause, (issue) => new Encoding(ast, issue, input, options))));
function makeConstructorParser(descriptor, compile) {
	const transform = compileTransformation(descriptor.link.transformation);
	let sourceParser;
	return (input, options) => {
		if (input === missing) return missingExit;
		if (descriptor.isConstructed(input)) return sameExit;
		const result = (sourceParser ??= compile(descriptor.link.to))(input, options);
		return transform(result, input, options);
	};
}
function withDefault(ast, parser) {
	const defaultValue = ast.context.constructorDefault;
	return (input, options) => {
		if (input !== missing && input !== void 0) return parser(input, options);
		const result = defaultValue;
		if (effectIsExit(result) && result._tag === "Success") {
			const local = parser(result[args], options);
			return local === sameExit ? result : local;
		}
		return flatMapEager(wrapEncoding(ast, input, options, result), (value) => {
			const local = parser(value, options);
			return local === sameExit ? succeed(value) : local;
		});
	};
}
/** @internal */
function compileField(ast, compile) {
	const parser = compile(ast);
	return ast.context?.constructorDefault === void 0 ? parser : withDefault(ast, parser);
}
/** @internal */
function compile(ast, compile, compileField, base, specialize) {
	if (ast._tag === "Declaration") for (const parameter of ast.typeParameters) compile(parameter);
	const descriptor = compileField ? getConstructorDescriptor(ast) : void 0;
	const parser = descriptor ? makeConstructorParser(descriptor, compile) : base ?? ast.getParser(compile, compileField);
	const checks = ast.checks;
	const links = ast.encoding;
	const transformations = links?.map((link) => compileTransformation(link.transformation));
	const encodingChecks = ast.encodingChecks;
	if (!links && !checks && !encodingChecks) return parser;
	let encodingParsers;
	const parseChecks = (input, options) => {
		let result = parser(input, options);
		try {
			if (encodingChecks && !options.disableChecks) {
				if (effectIsExit(result)) {
					if (result._tag === "Success") {
						const output = result === sameExit ? input : result[args];
						if (input !== missing && output !== missing) {
							const issues = collectIssues(encodingChecks, input, void 0, ast, options);
							if (issues) result = fail$1(new Composite(ast, issues, input, options));
						}
					}
				} else result = flatMap(result, (value) => {
					if (input !== missing && value !== missing) {
						const issues = collectIssues(encodingChecks, input, void 0, ast, options);
						if (issues) return fail$1(new Composite(ast, issues, input, options));
					}
					return succeed$1(value);
				});
			}
			if (checks && !options.disableChecks) {
				if (effectIsExit(result)) {
					if (result._tag === "Success") {
						const value = result === sameExit ? input : result[args];
						if (value === missing) return result;
						const issues = collectIssues(checks, value, void 0, ast, options);
						if (issues) result = fail$1(new Composite(ast, issues, value, options));
					}
				} else result = flatMap(result, (value) => {
					if (value !== missing) {
						const issues = collectIssues(checks, value, void 0, ast, options);
						if (issues) return fail$1(new Composite(ast, issues, value, options));
					}
					return succeed$1(value);
				});
			}
			return result;
		} catch (error) {
			return die(error);
		}
	};
	const parseLocal = specialize === void 0 ? parseChecks : specialize(parseChecks);
	if (!links) return parseLocal;
	return (input, options) => {
		const parsers = encodingParsers ??= links.map((link) => compile(link.to));
		let current = input;
		let result = parsers[parsers.length - 1](input, options);
		for (let i = links.length - 1; i >= 0; i--) {
			result = transformations[i](result, current, options);
			if (i !== 0) {
				const next = parsers[i - 1];
				if (result._tag === "Success") {
					current = result[args];
					result = next(current, options);
				} else result = flatMapEager(result, (value) => {
					const nextResult = next(value, options);
					return nextResult === sameExit ? succeed(value) : nextResult;
				});
			}
		}
		if (result._tag === "Success") {
			const value = result[args];
			const local = parseLocal(value, options);
			return local === sameExit ? result : local;
		}
		result = wrapEncoding(ast, input, options, result);
		return flatMapEager(result, (value) => {
			const local = parseLocal(value, options);
			return local === sameExit ? succeed(value) : local;
		});
	};
}

// node_modules/effect/dist/internal/schema/compilerRegistry.js
/** @internal */
const invalid = /*#__PURE__*/ Symbol();
const cache = /*#__PURE__*/ new WeakMap();
let compiler;
/** @internal */
let compilerAdaptersEnabled = false;
const decodeChild = (ast) => compilerAdaptersEnabled ? lazyParser(resolve, ast, "parser") : resolve(ast).parser;
const makeChild = (ast) => compilerAdaptersEnabled ? lazyParser(resolve, ast, "makeEffect") : resolve(ast).makeEffect;
const makeField = (ast) => compileField(ast, makeChild);
var InterpretedEntry = class {
	ast;
	constructor(ast) {
		this.ast = ast;
	}
	get decodeEffect() {
		return this.cachedDecodeEffect ??= compile(this.ast, decodeChild);
	}
	get parser() {
		return this.decodeEffect;
	}
	get makeEffect() {
		return this.cachedMakeEffect ??= compile(this.ast, makeChild, makeField);
	}
};
var CompilerEntry = class extends InterpretedEntry {
	compiled;
	resolve;
	constructor(ast, compiled, resolve) {
		super(ast);
		this.compiled = compiled;
		this.resolve = resolve;
	}
	save(key, value) {
		Object.defineProperty(this, key, { value });
		return value;
	}
	operation(key) {
		const compiled = this.compiled;
		return typeof compiled === "function" ? compiled(this.ast, this.resolve, key) : compiled?.[key];
	}
	get is() {
		return this.save("is", this.operation("is"));
	}
	get decode() {
		return this.save("decode", this.operation("decode"));
	}
	get make() {
		return this.save("make", this.operation("make"));
	}
	get compiledMakeEffect() {
		return this.save("compiledMakeEffect", this.operation("makeEffect"));
	}
	get decodeEffect() {
		return this.save("decodeEffect", this.operation("decodeEffect") ?? compile(this.ast, (ast) => lazyParser(this.resolve, ast, "parser")));
	}
	get parser() {
		const decode = this.decode;
		return decode === void 0 ? this.decodeEffect : this.save("parser", withDecode(decode, () => this.decodeEffect));
	}
	get makeEffect() {
		const makeEffect = this.compiledMakeEffect;
		if (makeEffect !== void 0) return this.save("makeEffect", makeEffect);
		const child = (ast) => lazyParser(this.resolve, ast, "makeEffect");
		return this.save("makeEffect", compile(this.ast, child, (ast) => compileField(ast, child)));
	}
};
/** @internal */
function withDecode(fastDecode, decodeEffect) {
	let detailed;
	return (input, options) => {
		if (input !== missing) try {
			const value = fastDecode(input, options);
			if (value !== invalid) return value === input ? sameExit : succeed(value);
		} catch (error) {
			return die(error);
		}
		return (detailed ??= decodeEffect())(input, options);
	};
}
/** @internal */
function lazyParser(resolve, ast, operation) {
	const entry = resolve(ast);
	if (entry.compiled === void 0 || Object.hasOwn(entry, operation)) return entry[operation];
	let parser;
	return (input, options) => (parser ??= entry[operation])(input, options);
}
/** @internal */
function resolve(ast) {
	const cached = cache.get(ast);
	if (cached !== void 0) return cached;
	const entry = compiler === void 0 ? new InterpretedEntry(ast) : new CompilerEntry(ast, compiler(ast, resolve), resolve);
	cache.set(ast, entry);
	return entry;
}

// node_modules/effect/dist/SchemaParser.js
/**
* Runs schemas against real values.
*
* Schema parsers construct values from schema input, check whether a value
* matches a schema, decode encoded input, and encode decoded values back to
* their external form. This module exposes those operations through several
* result styles, including `Effect`, `Promise`, `Exit`, `Option`, `Result`, and
* synchronous functions that throw. It also contains the lower-level runner that
* walks a schema AST and reports schema failures as `SchemaIssue.Issue` values.
*
* @stability stable
* @since 4.0.0
*/
/**
* Creates an effectful maker for the schema's decoded type side.
*
* **When to use**
*
* Use to construct decoded schema values in `Effect` while preserving
* construction failures as `SchemaIssue.Issue` values in the error channel.
*
* **Details**
*
* The returned function accepts constructor input, applies constructor defaults,
* runs type-side validation unless checks are disabled, and fails with a
* `SchemaIssue.Issue` when construction fails.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function makeEffect(schema) {
	const ast = schema.ast;
	let parser;
	return (input, options) => {
		return (parser ??= runWithCompiler(constructorCompiler, toType$1(ast)))(input, options?.disableChecks ? options?.parseOptions ? {
			...options.parseOptions,
			disableChecks: true
		} : { disableChecks: true } : options?.parseOptions);
	};
}
/**
* Creates a synchronous maker that returns `Option.some` with the constructed
* value on success, or `Option.none` when construction fails with schema issues.
*
* **When to use**
*
* Use when you need to validate schema constructor input and only care whether
* construction succeeds, without exposing `SchemaIssue.Issue` details.
*
* **Gotchas**
*
* Only causes made entirely of schema issues are converted to `Option.none`.
* Causes that contain defects, interruptions, or asynchronous work at this
* synchronous boundary throw an `Error` whose cause is the underlying `Cause`.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function makeOption(schema) {
	const parser = makeEffect(schema);
	return (input, options) => {
		const exit = runSyncExit(parser(input, options));
		if (isSuccess(exit)) return some(exit.value);
		getSchemaIssueOrThrow(exit.cause, "Option adapter can only return none for schema issues");
		return none();
	};
}
/**
* Creates a synchronous maker for the schema's decoded type side.
*
* **When to use**
*
* Use to construct decoded schema values synchronously when invalid input
* should throw an `Error` whose cause is `SchemaIssue.Issue`.
*
* **Details**
*
* The returned function constructs a value from constructor input and throws an
* `Error` with the `SchemaIssue.Issue` in its `cause` when construction fails.
* Schema validation failures use the generic message `"Schema validation failed"`.
* Format the `cause` explicitly with `SchemaIssue.makeFormatterDefault()` when
* human-readable details are needed.
*
* **Gotchas**
*
* Causes that contain defects, interruptions, or asynchronous work at this
* synchronous boundary throw an `Error` whose cause is the underlying `Cause`,
* instead of being converted to a schema validation error.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function make$2(schema) {
	return makeConstructorSync(toType$1(schema.ast));
}
/**
* Creates a type guard that checks whether an input satisfies the schema's decoded
* type side.
*
* **When to use**
*
* Use to build a type guard for checking the decoded side of a schema without
* exposing issue details.
*
* **Details**
*
* The guard returns `true` on successful validation and `false` when validation
* fails only with schema issues, without exposing issue details.
*
* **Gotchas**
*
* Only causes made entirely of schema issues are converted to `false`. Causes
* that contain defects, interruptions, or asynchronous work at this synchronous
* boundary throw an `Error` whose cause is the underlying `Cause`.
*
* @stability stable
* @category guards
* @since 3.10.0
*/
function is$1(schema) {
	return _is(schema.ast);
}
function makeIs(ast) {
	if (!compilerAdaptersEnabled) {
		const parser = asExit(run(ast));
		return (input) => {
			const exit = parser(input, defaultParseOptions);
			if (isSuccess(exit)) return true;
			getSchemaIssueOrThrow(exit.cause, "Type guard adapter can only return false for schema issues");
			return false;
		};
	}
	const entry = resolve(ast);
	const guard = entry.is;
	if (guard !== void 0) return (input) => {
		try {
			return guard(input, defaultParseOptions);
		} catch (error) {
			getSchemaIssueOrThrow(die$1(error), "Type guard adapter can only return false for schema issues");
			return false;
		}
	};
	const parser = entry.parser;
	return (input) => {
		const exit = runSyncExit(parserResult(parser(input, defaultParseOptions), input));
		if (isSuccess(exit)) return true;
		getSchemaIssueOrThrow(exit.cause, "Type guard adapter can only return false for schema issues");
		return false;
	};
}
/** @internal */
function _is(ast) {
	const typeAST = toType$1(ast);
	let guard = (input) => {
		guard = makeIs(typeAST);
		return guard(input);
	};
	return (input) => {
		return guard(input);
	};
}
/**
* Creates an effectful decoder for `unknown` input.
*
* **When to use**
*
* Use when you need to decode untyped boundary input in an `Effect` whose
* failure channel is `SchemaIssue.Issue`, while preserving transformations
* and service requirements.
*
* **Details**
*
* The returned function succeeds with the schema's decoded `Type` or fails with a
* `SchemaIssue.Issue`. Decoding service requirements are preserved in the returned
* `Effect`. Parse options may be provided when creating the decoder and overridden
* when applying it.
*
* @see {@link decodeEffect} for input already typed as the schema's `Encoded` type
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
function decodeUnknownEffect$1(schema, options) {
	const parser = run(schema.ast);
	return options === void 0 ? parser : (input, overrideOptions) => parser(input, mergeParseOptions(options, overrideOptions));
}
/**
* Creates a synchronous decoder for `unknown` input that reports failure safely
* as an `Exit`.
*
* **When to use**
*
* Use when you need to decode unknown input synchronously into an `Exit` whose
* failure contains `SchemaIssue.Issue`.
*
* **Details**
*
* The returned function produces `Exit.Success` with the decoded `Type`.
* Schema issues are represented by an `Exit.Failure` cause containing a
* `SchemaIssue.Issue`.
*
* **Gotchas**
*
* Because this adapter runs synchronously, async decoding work can produce an
* `Exit.Failure` with a defect cause. When the cause contains both schema
* issues and non-schema reasons, all reasons remain in the returned `Cause`.
*
* @see {@link decodeExit} for input already typed as the schema's `Encoded` type
* @see {@link decodeUnknownEffect} for preserving decoding services and failures in `Effect`
* @see {@link decodeUnknownResult} for returning schema issues as data
* @see {@link decodeUnknownSync} for throwing on decoding failure
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
function decodeUnknownExit(schema, options) {
	return asExit(decodeUnknownEffect$1(schema, options));
}
/**
* Creates an effectful encoder for `unknown` input.
*
* **When to use**
*
* Use when you need to encode untyped boundary input in an `Effect` whose
* failure channel is `SchemaIssue.Issue`, while preserving service
* requirements.
*
* **Details**
*
* The returned function succeeds with the schema's `Encoded` value or fails with a
* `SchemaIssue.Issue`. Encoding service requirements are preserved in the returned
* `Effect`. Parse options may be provided when creating the encoder and overridden
* when applying it.
*
* @see {@link encodeEffect} for the typed-input variant when the value is already typed as the schema's decoded `Type`
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
function encodeUnknownEffect$1(schema, options) {
	const parser = run(flip$1(schema.ast));
	return options === void 0 ? parser : (input, overrideOptions) => parser(input, mergeParseOptions(options, overrideOptions));
}
const mergeParseOptions = (options, overrideOptions) => overrideOptions ? {
	...options,
	...overrideOptions
} : options;
const getValue = (value) => {
	if (value === missing) return fail$1(new InvalidValue());
	return succeed$1(value);
};
/** @internal */
function run(ast) {
	return runWithCompiler(normalCompiler, ast);
}
function parserResult(result, input) {
	if (result === sameExit) return succeed$1(input);
	if (!effectIsExit(result)) return flatMapEager(result, getValue);
	return result["~effect/Effect/args"] === missing ? getValue(missing) : result;
}
function runWithCompiler(compiler, ast) {
	let parser;
	return (input, options) => {
		const result = (parser ??= compiler(ast))(input, options ?? defaultParseOptions);
		if (result === sameExit) return succeed$1(input);
		if (!effectIsExit(result)) return flatMapEager(result, getValue);
		return result["~effect/Effect/args"] === missing ? getValue(missing) : result;
	};
}
function asExit(parser) {
	return (input, options) => runSyncExit(parser(input, options));
}
function runSync(effect, message) {
	const exit = runSyncExit(effect);
	if (isSuccess(exit)) return exit.value;
	const issue = getSchemaIssueOrThrow(exit.cause, message);
	throw new Error("Schema validation failed", { cause: issue });
}
const constructorDefectMessage = "Constructor adapter can only throw schema issues";
function throwConstructorDefect(error) {
	throw new Error(constructorDefectMessage, { cause: die$1(error) });
}
function makeConstructorSync(ast) {
	let entry;
	return (input, options) => constructSync(entry ??= resolve(ast), input, options);
}
function constructSync(entry, input, options) {
	const parseOptions = options?.disableChecks ? options.parseOptions ? {
		...options.parseOptions,
		disableChecks: true
	} : { disableChecks: true } : options?.parseOptions ?? defaultParseOptions;
	const make = entry.make;
	if (make !== void 0 && input !== missing) {
		let output;
		try {
			output = make(input, parseOptions);
		} catch (error) {
			throwConstructorDefect(error);
		}
		if (output !== invalid && output !== missing) return output;
	}
	return runSync(parserResult(entry.makeEffect(input, parseOptions), input), constructorDefectMessage);
}
/**
* Constructs a class instance from its type-side declaration.
*
* When the declaration has no compiled constructor, the fields are validated first
* and the instance is built outside the parser, so stacks captured by the
* class constructor keep the caller's frames.
*
* @internal
*/
function makeClassSync(ast, input, options, construct) {
	const entry = resolve(ast);
	const descriptor = getConstructorDescriptor(ast);
	if (descriptor === void 0 || entry.make !== void 0 || entry.compiledMakeEffect !== void 0) return constructSync(entry, input, options);
	if (descriptor.isConstructed(input)) return input;
	const fields = constructSync((entry.resolve ?? resolve)(descriptor.link.to), input, options);
	try {
		return construct(fields);
	} catch (error) {
		throwConstructorDefect(error);
	}
}
const normalCompiler = (ast) => resolve(ast).parser;
const constructorCompiler = (ast) => resolve(ast).makeEffect;

// node_modules/effect/dist/internal/schema/make.js
/** @internal */
const TypeId$3 = "~effect/Schema/Schema";
const RebuildOptions = /*#__PURE__*/ Symbol();
const SchemaProto = {
	[TypeId$3]: TypeId$3,
	get make() {
		const value = make$2(this);
		Object.defineProperty(this, "make", {
			value,
			enumerable: true
		});
		return value;
	},
	get makeEffect() {
		const value = makeEffect(this);
		Object.defineProperty(this, "makeEffect", {
			value,
			enumerable: true
		});
		return value;
	},
	get makeOption() {
		const value = makeOption(this);
		Object.defineProperty(this, "makeOption", {
			value,
			enumerable: true
		});
		return value;
	},
	pipe() {
		return pipeArguments(this, arguments);
	},
	annotate(annotations) {
		return this.rebuild(annotate$1(this.ast, annotations));
	},
	annotateKey(annotations) {
		return this.rebuild(annotateKey(this.ast, annotations));
	},
	check(...checks) {
		return this.rebuild(appendChecks(this.ast, checks));
	},
	rebuild(ast) {
		return make$1(ast, this[RebuildOptions]);
	}
};
/** @internal */
function make$1(ast, options) {
	function Schema() {}
	const self = Object.setPrototypeOf(Schema, SchemaProto);
	if (options && (Object.hasOwn(options, "name") || Object.hasOwn(options, "length") || Object.hasOwn(options, "__proto__"))) Object.defineProperties(self, Object.getOwnPropertyDescriptors({ ...options }));
	else Object.assign(self, options);
	self[RebuildOptions] = options;
	self.ast = ast;
	return self;
}

// node_modules/effect/dist/internal/schema/toCodec.js
/** @internal */
function toCodecJson$1(schema) {
	return make$1(toCodecJsonAST(schema.ast), { schema });
}
/** @internal */
const toCodecJsonAST = /*#__PURE__*/ makeCodecDerivation(toCodecJsonASTStep);
function makeCodecDerivation(step, options) {
	const deriveBody = memoize((owner) => {
		const body = replaceContext(owner, void 0);
		const out = step(body, recur);
		return out === body ? null : out;
	});
	const recur = applyToSelfOrLastLinkEncodingIdempotent((ast) => {
		const derived = deriveBody(getContextOwner(ast));
		if (derived === null) return ast;
		const out = replaceContext(derived, ast.context);
		return ast.context === void 0 ? out : replaceContextLastLink(out, withoutConstructorDefault(ast.context));
	}, options);
	return recur;
}
function withoutConstructorDefault(context) {
	return context.constructorDefault === void 0 ? context : new Context(context.isOptional, context.isMutable, void 0, context.annotations);
}
function validateCanonicalObjectPropertyNames(ast) {
	if (ast.propertySignatures.some((ps) => typeof ps.name !== "string")) throw new globalThis.Error("Objects property names must be strings", { cause: ast });
}
function makeReorder(getPriority) {
	return (types) => {
		const sortedTypes = [...types].sort((a, b) => getPriority(toEncoded$1(a)) - getPriority(toEncoded$1(b)));
		if (!sortedTypes.some((ast, index) => ast !== types[index])) return types;
		return sortedTypes;
	};
}
const toCodecJsonReorder = /*#__PURE__*/ makeReorder((ast) => {
	switch (ast._tag) {
		case "BigInt":
		case "Symbol":
		case "UniqueSymbol": return 0;
		default: return 1;
	}
});
function toCodecJsonASTStep(ast, recur) {
	switch (ast._tag) {
		case "Declaration": {
			const getLink = ast.annotations?.toCodecJson ?? ast.annotations?.toCodec;
			if (!isFunction(getLink)) return replaceEncoding(ast, [unknownToJson]);
			const link = getLink(ast.typeParameters.map((tp) => make$1(toEncoded$1(tp))));
			return link === void 0 ? ast : replaceEncoding(ast, [mapLink(link, recur)]);
		}
		case "Unknown": return replaceEncoding(ast, [unknownToJson]);
		case "ObjectKeyword": return replaceEncoding(ast, [objectKeywordToJson]);
		case "Undefined":
		case "Void":
		case "Literal":
		case "Number": return ast.toCodecJson();
		case "UniqueSymbol":
		case "Symbol":
		case "BigInt": return ast.toCodecStringTree();
		case "Objects":
			validateCanonicalObjectPropertyNames(ast);
			return ast.recur(recur, parameterFromString);
		case "Union": {
			const sortedTypes = toCodecJsonReorder(ast.types);
			if (sortedTypes !== ast.types) return new Union$1(sortedTypes, ast.options, ast.annotations, ast.checks, ast.encoding, ast.context, ast.encodingChecks).recur(recur);
			return ast.recur(recur);
		}
		case "Arrays":
		case "Suspend": return ast.recur(recur);
	}
	return ast;
}
/** @internal */
function toCodecStringTree$1(schema) {
	return make$1(toCodecStringTreeAST(schema.ast), { schema });
}
/** @internal */
function toCodecArrayFromSingle$1(schema) {
	return make$1(toCodecArrayFromSingleAST(schema.ast));
}
const toStringTreeReorder = /*#__PURE__*/ makeReorder((ast) => {
	switch (ast._tag) {
		case "Null":
		case "Boolean":
		case "Number":
		case "BigInt":
		case "Symbol":
		case "UniqueSymbol": return 0;
		default: return 1;
	}
});
function toCodecStringTreeASTStep(ast, recur, onMissingAnnotation) {
	switch (ast._tag) {
		case "Declaration": {
			const typeParameters = ast.typeParameters.map((tp) => make$1(recur(toEncoded$1(tp))));
			const getStringTreeLink = ast.annotations?.toCodecStringTree;
			if (isFunction(getStringTreeLink)) {
				const link = getStringTreeLink(typeParameters);
				if (link === void 0) return ast;
				return replaceEncoding(ast, [mapLink(link, recur)]);
			}
			const getJsonLink = ast.annotations?.toCodecJson;
			const jsonLink = isFunction(getJsonLink) ? getJsonLink(typeParameters) : void 0;
			const getLink = jsonLink === void 0 ? ast.annotations?.toCodec : void 0;
			const link = jsonLink ?? (isFunction(getLink) ? getLink(typeParameters) : void 0);
			return link === void 0 ? onMissingAnnotation(ast) : replaceEncoding(ast, [mapLink(link, recur)]);
		}
		case "Null": return replaceEncoding(ast, [nullToString]);
		case "Boolean": return replaceEncoding(ast, [booleanToString]);
		case "Unknown":
		case "ObjectKeyword": return replaceEncoding(ast, [unknownToStringTree]);
		case "Enum":
		case "Number":
		case "Literal":
		case "UniqueSymbol":
		case "Symbol":
		case "BigInt": return ast.toCodecStringTree();
		case "Objects":
			validateCanonicalObjectPropertyNames(ast);
			return ast.recur(recur, parameterFromString);
		case "Union": {
			const sortedTypes = toStringTreeReorder(ast.types);
			if (sortedTypes !== ast.types) return new Union$1(sortedTypes, ast.options, ast.annotations, ast.checks, ast.encoding, ast.context, ast.encodingChecks).recur(recur);
			return ast.recur(recur);
		}
		case "Arrays":
		case "Suspend": return ast.recur(recur);
	}
	return ast;
}
const nullToString = /*#__PURE__*/ new Link(/*#__PURE__*/ new Literal$1("null"), /*#__PURE__*/ new Transformation(/*#__PURE__*/ transform$1(() => null), /*#__PURE__*/ transform$1(() => "null")));
const booleanToString = /*#__PURE__*/ new Link(/*#__PURE__*/ new Union$1([/*#__PURE__*/ new Literal$1("true"), /*#__PURE__*/ new Literal$1("false")]), /*#__PURE__*/ new Transformation(/*#__PURE__*/ transform$1((s) => s === "true"), /*#__PURE__*/ String$3()));
const arrayFromSingleTransformation = /*#__PURE__*/ new Transformation(/*#__PURE__*/ transform$1((input) => typeof input === "string" ? [input] : input), /*#__PURE__*/ passthrough$1());
const isCodecArrayFromSingleLink = (link) => link.transformation === arrayFromSingleTransformation;
const toCodecStringTreeAST = /*#__PURE__*/ makeCodecDerivation((ast, recur) => toCodecStringTreeASTStep(ast, recur, (ast) => {
	throw new globalThis.Error("Missing structural codec for StringTree", { cause: ast });
}), { stopAt: isCodecArrayFromSingleLink });
const toArrayFromSingleInputElement = (ast) => isOptional(ast) ? optionalKey$1(unknown) : unknown;
const toCodecArrayFromSingleAST = /*#__PURE__*/ applyToSelfOrLastLinkEncodingIdempotent((ast) => {
	const out = toCodecArrayFromSingleASTStep(ast);
	if (isArrays(out)) {
		const ensure = decodeTo$1(new Union$1([new Arrays(out.isMutable, out.elements.map(toArrayFromSingleInputElement), out.rest.map(toArrayFromSingleInputElement)), string], { mode: "anyOf" }), out, arrayFromSingleTransformation);
		return isOptional(ast) ? optionalKey$1(ensure) : ensure;
	}
	return out;
}, { stopAt: isCodecArrayFromSingleLink });
function toCodecArrayFromSingleASTStep(ast) {
	return ast._tag === "Declaration" || ast._tag === "Arrays" || ast._tag === "Objects" || ast._tag === "Union" || ast._tag === "Suspend" ? ast.recur(toCodecArrayFromSingleAST) : ast;
}

// node_modules/effect/dist/Struct.js
/**
* Renames keys in a struct using a static `{ oldKey: newKey }` mapping. Keys
* not mentioned in the mapping are copied unchanged.
*
* **When to use**
*
* Use when you need simple, declarative key renaming without custom logic.
*
* **Details**
*
* For computed key names, use {@link evolveKeys} instead.
*
* **Example** (Renaming keys)
*
* ```ts import.meta.vitest
* import { pipe, Struct } from "effect"
*
* const result = pipe(
*   { firstName: "Alice", lastName: "Smith", age: 30 },
*   Struct.renameKeys({ firstName: "first", lastName: "last" })
* )
* result // => { first: "Alice", last: "Smith", age: 30 }
* ```
*
* @see {@link evolveKeys} – rename keys using functions
* @see {@link evolveEntries} – rename keys and transform values
* @stability stable
* @category transforming
* @since 4.0.0
*/
const renameKeys = /*#__PURE__*/ dual(2, (self, mapping) => {
	return buildStruct(self, (k, v) => [Object.hasOwn(mapping, k) ? mapping[k] : k, v]);
});
/**
* Wraps a plain function as a {@link Lambda} value so it can be used with
* {@link map}, {@link mapPick}, and {@link mapOmit}.
*
* **When to use**
*
* Use to create a typed lambda for struct mapping APIs that need type-level
* input and output tracking.
*
* **Details**
*
* The type parameter `L` encodes both the input and output types at the type
* level, allowing the compiler to track how struct value types change. At
* runtime, the returned value is the same function; `lambda` only adjusts the
* type.
*
* **Example** (Wrapping values in arrays)
*
* ```ts import.meta.vitest
* import { pipe, Struct } from "effect"
*
* interface AsArray extends Struct.Lambda {
*   <A>(self: A): Array<A>
*   readonly "~lambda.out": Array<this["~lambda.in"]>
* }
*
* const asArray = Struct.lambda<AsArray>((a) => [a])
* const result = pipe({ x: 1, y: "hello" }, Struct.map(asArray))
* result // => { x: [1], y: ["hello"] }
* ```
*
* @see {@link Lambda} – the type-level interface
* @see {@link map} – apply a lambda to all struct values
* @stability stable
* @category constructors
* @since 4.0.0
*/
const lambda = (f) => f;
/**
* Walk `source`; for each key decide what to emit via the small callback.
*
* The callback returns either
*   • `undefined`  → nothing is copied, or
*   • `[newKey, newVal]`
*
* so every public API just supplies a different callback.
*/
function buildStruct(source, f) {
	const out = {};
	for (const k of Reflect.ownKeys(source)) {
		if (!Object.prototype.propertyIsEnumerable.call(source, k)) continue;
		const res = f(k, source[k]);
		if (res) {
			const [nk, nv] = res;
			assignProperty(out, nk, nv);
		}
	}
	return out;
}

// node_modules/effect/dist/internal/schemaError.js
const SchemaErrorTypeId = "~effect/Schema/SchemaError";
function isSchemaError$1(u) {
	return hasProperty(u, "~effect/Schema/SchemaError") && u["~effect/Schema/SchemaError"] === "~effect/Schema/SchemaError";
}

// node_modules/effect/dist/Bytes.js
/**
* Joins and compares byte sequences stored in `Uint8Array` values.
*
* Byte-to-text conversions live in `TextEncoder` / `TextDecoder`, and hex or
* base64 conversions live in the `Encoding` modules.
*
* @stability unstable
* @since 4.0.6
*/
/**
* Joins byte chunks into one new `Uint8Array`.
*
* **When to use**
*
* Use to combine frames, headers, or streamed chunks into a single buffer.
*
* **Gotchas**
*
* The result is always a new array, even when there is zero or one chunk, so
* it never aliases an input.
*
* **Example** (Joining byte chunks)
*
* ```ts import.meta.vitest
* import { Bytes } from "effect"
*
* const bytes = Bytes.concat([new Uint8Array([1, 2]), new Uint8Array([3])])
* Array.from(bytes) // => [1, 2, 3]
* ```
*
* @stability unstable
* @category combinators
* @since 4.0.6
*/
const concat = (chunks) => {
	let length = 0;
	for (let i = 0; i < chunks.length; i++) length += chunks[i].length;
	const out = new Uint8Array(length);
	let offset = 0;
	for (let i = 0; i < chunks.length; i++) {
		out.set(chunks[i], offset);
		offset += chunks[i].length;
	}
	return out;
};
/**
* Compares byte sequences for equality, byte by byte.
*
* **Gotchas**
*
* This returns as soon as a byte differs, so it is not constant-time. Do not
* use it to compare secrets.
*
* **Example** (Comparing byte sequences)
*
* ```ts import.meta.vitest
* import { Bytes } from "effect"
*
* Bytes.Equivalence(new Uint8Array([1, 2]), new Uint8Array([1, 2])) // => true
* Bytes.Equivalence(new Uint8Array([1, 2]), new Uint8Array([1])) // => false
* ```
*
* @stability unstable
* @category instances
* @since 4.0.6
*/
const Equivalence = /*#__PURE__*/ make$13((self, that) => {
	if (self.length !== that.length) return false;
	for (let i = 0; i < self.length; i++) if (self[i] !== that[i]) return false;
	return true;
});

// node_modules/effect/dist/net/NetAddress.js
const TypeId$2 = "~effect/net/NetAddress";
const ipv4Value = (self) => self.value;
const ipv6Words = (self) => self;
const getMacBytes = (self) => self.bytes;
/**
* A checked network-address operation failure retaining the address or supplied input.
*
* **Details**
*
* Address-based operations retain the address value. Parsing and numeric
* construction retain the supplied string or array. Composed operations forward
* errors from the failing operation unchanged. Failures from external operations
* retain the original exception in `cause` when available.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var NetAddressError = class extends (/*#__PURE__*/ TaggedError$1("NetAddressError")) {};
const isAddress = (u) => hasProperty(u, TypeId$2);
/**
* Returns `true` when a value is an IPv4 address.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isIpv4Address = (u) => isAddress(u) && u._tag === "Ipv4Address";
/**
* Returns `true` when a value is an IPv6 address.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isIpv6Address = (u) => isAddress(u) && u._tag === "Ipv6Address";
/**
* Returns `true` when a value is a MAC address.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isMacAddress = (u) => isAddress(u) && u._tag === "MacAddress";
/**
* Returns `true` when a value is a resolved IPv4 internet address.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isInetAddressV4 = (u) => isAddress(u) && u._tag === "InetAddressV4";
/**
* Returns `true` when a value is a resolved IPv6 internet address.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isInetAddressV6 = (u) => isAddress(u) && u._tag === "InetAddressV6";
/**
* Returns `true` when a value is a resolved internet address.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isInetAddress = (u) => isInetAddressV4(u) || isInetAddressV6(u);
/**
* Returns `true` when a value is a Unix-domain filesystem address.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isUnixPathAddress = (u) => isAddress(u) && u._tag === "UnixPathAddress";
const Ipv4Proto = {
	...BaseProto,
	_tag: "Ipv4Address",
	[TypeId$2]: TypeId$2,
	[symbol](that) {
		return isIpv4Address(that) && ipv4Value(this) === ipv4Value(that);
	},
	[symbol$1]() {
		return optimize(combine$1(ipv4HashSeed, ipv4Value(this) | 0));
	},
	toString() {
		return formatIp(this);
	},
	toJSON() {
		return this.toString();
	}
};
const Ipv6Proto = {
	...BaseProto,
	_tag: "Ipv6Address",
	[TypeId$2]: TypeId$2,
	[symbol](that) {
		if (!isIpv6Address(that)) return false;
		const self = ipv6Words(this);
		const other = ipv6Words(that);
		return self.w0 === other.w0 && self.w1 === other.w1 && self.w2 === other.w2 && self.w3 === other.w3;
	},
	[symbol$1]() {
		const self = ipv6Words(this);
		let h = combine$1(ipv6HashSeed, self.w0 | 0);
		h = combine$1(h, self.w1 | 0);
		h = combine$1(h, self.w2 | 0);
		return optimize(combine$1(h, self.w3 | 0));
	},
	toString() {
		return formatIp(this);
	},
	toJSON() {
		return this.toString();
	}
};
const MacProto = {
	...BaseProto,
	_tag: "MacAddress",
	[TypeId$2]: TypeId$2,
	[symbol](that) {
		return isMacAddress(that) && Equivalence(getMacBytes(this), getMacBytes(that));
	},
	[symbol$1]() {
		return combine$1(macHashSeed, array(getMacBytes(this)));
	},
	toString() {
		return formatMacAddress(this);
	},
	toJSON() {
		return this.toString();
	}
};
const ipv4HashSeed = /*#__PURE__*/ string$1("Ipv4Address");
const ipv6HashSeed = /*#__PURE__*/ string$1("Ipv6Address");
const macHashSeed = /*#__PURE__*/ string$1("MacAddress");
const makeIpv4 = (value) => {
	const self = Object.create(Ipv4Proto);
	self.value = value >>> 0;
	return Object.freeze(self);
};
const makeIpv6 = (w0, w1, w2, w3) => {
	const self = Object.create(Ipv6Proto);
	self.w0 = w0 >>> 0;
	self.w1 = w1 >>> 0;
	self.w2 = w2 >>> 0;
	self.w3 = w3 >>> 0;
	return Object.freeze(self);
};
const packOctets = (a, b, c, d) => (a << 24 | b << 16 | c << 8 | d) >>> 0;
const wordToOctets = (word) => [
	word >>> 24,
	word >>> 16 & 255,
	word >>> 8 & 255,
	word & 255
];
/**
* The IPv4 loopback address `127.0.0.1`.
*
* @stability unstable
* @category constants
* @since 4.0.0
*/
const ipv4Loopback = /*#__PURE__*/ makeIpv4(2130706433);
const addressError = (input, message) => fail$6(new NetAddressError({
	input,
	message
}));
const allIntegersInRange = (values, max) => {
	for (let i = 0; i < values.length; i++) {
		const n = values[i];
		if (!Number.isInteger(n) || n < 0 || n > max) return false;
	}
	return true;
};
/**
* Creates an IPv4 address from four checked octets.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const ipv4FromOctets = (octets) => {
	if (!allIntegersInRange(octets, 255)) return addressError(octets, "octets must be integers from 0 through 255");
	return succeed$5(makeIpv4(packOctets(octets[0], octets[1], octets[2], octets[3])));
};
/**
* Creates an IPv6 address from eight checked 16-bit segments.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const ipv6FromSegments = (segments) => {
	if (!allIntegersInRange(segments, 65535)) return addressError(segments, "segments must be integers from 0 through 65535");
	return succeed$5(makeIpv6(segments[0] * 65536 + segments[1], segments[2] * 65536 + segments[3], segments[4] * 65536 + segments[5], segments[6] * 65536 + segments[7]));
};
/**
* Parses a strict dotted-decimal IPv4 address.
*
* **Details**
*
* Multi-digit octets with a leading zero are rejected to avoid octal ambiguity.
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
const ipv4FromString = (input) => {
	const parts = input.split(".");
	if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part))) return addressError(input, "expected exactly four decimal octets");
	if (parts.some((part) => part.length > 1 && part[0] === "0")) return addressError(input, "leading zeroes are not allowed");
	const octets = parts.map(Number);
	if (octets.some((part) => part > 255)) return addressError(input, "octets must be at most 255");
	return ipv4FromOctets([
		octets[0],
		octets[1],
		octets[2],
		octets[3]
	]);
};
const parseIpv6Segments = (input) => {
	if (input.includes("[") || input.includes("]") || input.includes("%")) return addressError(input, "brackets and zone identifiers are not valid in a bare IPv6 address");
	const halves = input.split("::");
	if (halves.length > 2) return addressError(input, "only one compression marker is allowed");
	const head = halves[0] === "" ? [] : halves[0].split(":");
	const tail = halves.length === 2 && halves[1] !== "" ? halves[1].split(":") : [];
	if (head.some((part) => part === "") || tail.some((part) => part === "")) return addressError(input, "empty segments are only valid in the compression marker");
	const trailing = tail.length > 0 ? tail[tail.length - 1] : head.length > 0 ? head[head.length - 1] : "";
	let embedded;
	if (trailing.includes(".")) {
		if (halves.length === 2 && tail.length === 0) return addressError(input, "embedded IPv4 syntax must be trailing");
		const parsed = map$5(ipv4FromString(trailing), (address) => {
			const value = ipv4Value(address);
			return [value >>> 16, value & 65535];
		});
		if (isFailure$1(parsed)) return parsed;
		embedded = parsed.success;
		if (tail.length > 0) tail.pop();
		else head.pop();
	}
	const explicit = head.length + tail.length + (embedded ? 2 : 0);
	if (halves.length === 1 ? explicit !== 8 : explicit >= 8) return addressError(input, halves.length === 1 ? "expected eight segments" : "compression must replace at least one segment");
	const parse = (part) => /^[0-9a-fA-F]{1,4}$/.test(part) ? Number.parseInt(part, 16) : void 0;
	const parsedHead = head.map(parse);
	const parsedTail = tail.map(parse);
	if (parsedHead.some((part) => part === void 0) || parsedTail.some((part) => part === void 0)) return addressError(input, "segments must contain one through four hexadecimal digits");
	return succeed$5([
		...parsedHead,
		...Array(8 - explicit).fill(0),
		...parsedTail,
		...embedded ?? []
	]);
};
/**
* Parses an IPv6 address with optional compression and trailing embedded IPv4.
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
const ipv6FromString = (input) => {
	return flatMap$3(parseIpv6Segments(input), (segments) => ipv6FromSegments(segments));
};
/**
* Parses a bare numeric IPv4 or IPv6 address.
*
* @stability unstable
* @category decoding
* @since 4.0.0
*/
const ipFromString = (input) => {
	return input.includes(":") ? ipv6FromString(input) : ipv4FromString(input);
};
/**
* Returns the four numeric octets of an IPv4 address in a fresh tuple.
*
* @stability unstable
* @category getters
* @since 4.0.0
*/
const ipv4ToOctets = (self) => wordToOctets(ipv4Value(self));
/**
* Returns the eight numeric segments of an IPv6 address in a fresh tuple.
*
* @stability unstable
* @category getters
* @since 4.0.0
*/
const ipv6ToSegments = (self) => {
	const { w0, w1, w2, w3 } = ipv6Words(self);
	return [
		w0 >>> 16,
		w0 & 65535,
		w1 >>> 16,
		w1 & 65535,
		w2 >>> 16,
		w2 & 65535,
		w3 >>> 16,
		w3 & 65535
	];
};
/**
* Formats a MAC address as six lowercase hexadecimal octets separated by colons.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const formatMacAddress = (self) => Array.from(getMacBytes(self), (byte) => byte.toString(16).padStart(2, "0")).join(":");
/**
* Formats an IP address in canonical numeric form.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const formatIp = (self) => {
	if (isIpv4Address(self)) return ipv4ToOctets(self).join(".");
	const segments = ipv6ToSegments(self);
	if (isIpv4Mapped(self)) return `::ffff:${segments[6] >> 8}.${segments[6] & 255}.${segments[7] >> 8}.${segments[7] & 255}`;
	let bestStart = -1;
	let bestLength = 0;
	let start = -1;
	for (let index = 0; index <= 8; index++) if (index < 8 && segments[index] === 0) {
		if (start === -1) start = index;
	} else if (start !== -1) {
		if (index - start > bestLength) {
			bestStart = start;
			bestLength = index - start;
		}
		start = -1;
	}
	if (bestLength < 2) return segments.map((segment) => segment.toString(16)).join(":");
	return `${segments.slice(0, bestStart).map((segment) => segment.toString(16)).join(":")}::${segments.slice(bestStart + bestLength).map((segment) => segment.toString(16)).join(":")}`;
};
/**
* Returns `true` for the all-zero address of either IP version.
*
* @stability unstable
* @category predicates
* @since 4.0.0
*/
const isUnspecified = (self) => {
	if (isIpv4Address(self)) return ipv4Value(self) === 0;
	const { w0, w1, w2, w3 } = ipv6Words(self);
	return w0 === 0 && w1 === 0 && w2 === 0 && w3 === 0;
};
/**
* Returns `true` when an IPv6 address is in the `::ffff:0:0/96` mapped range.
*
* @stability unstable
* @category predicates
* @since 4.0.0
*/
const isIpv4Mapped = (self) => {
	const { w0, w1, w2 } = ipv6Words(self);
	return w0 === 0 && w1 === 0 && w2 === 65535;
};
const InetV4Proto = {
	...BaseProto,
	_tag: "InetAddressV4",
	[TypeId$2]: TypeId$2,
	[symbol](that) {
		return isInetAddressV4(that) && this.port === that.port && equals$1(this.address, that.address);
	},
	[symbol$1]() {
		return combine$1(hash(this.address), number$1(this.port));
	},
	toString() {
		return formatInet(this);
	},
	toJSON() {
		return this.toString();
	}
};
const InetV6Proto = {
	...BaseProto,
	_tag: "InetAddressV6",
	[TypeId$2]: TypeId$2,
	[symbol](that) {
		return isInetAddressV6(that) && this.port === that.port && this.scopeId === that.scopeId && equals$1(this.address, that.address);
	},
	[symbol$1]() {
		return combine$1(combine$1(hash(this.address), number$1(this.port)), number$1(this.scopeId));
	},
	toString() {
		return formatInet(this);
	},
	toJSON() {
		return this.toString();
	}
};
const checkPort = (port) => Number.isInteger(port) && port >= 0 && port <= 65535;
/**
* Creates a checked IPv4 internet address.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const inetAddressV4 = (address, port) => {
	if (!checkPort(port)) return addressError(address, "port must be an integer from 0 through 65535");
	const self = Object.create(InetV4Proto);
	self.address = address;
	self.port = port;
	return succeed$5(Object.freeze(self));
};
/**
* Creates a checked IPv6 internet address with an optional scope identifier.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const inetAddressV6 = (address, port, options) => {
	if (!checkPort(port)) return addressError(address, "port must be an integer from 0 through 65535");
	const scopeId = options?.scopeId ?? 0;
	if (!Number.isInteger(scopeId) || scopeId < 0 || scopeId > 4294967295) return addressError(address, "scopeId must be an unsigned 32-bit integer");
	const self = Object.create(InetV6Proto);
	self.address = address;
	self.port = port;
	self.scopeId = scopeId;
	return succeed$5(Object.freeze(self));
};
/**
* Creates a checked internet address for an IP address and port.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const inetAddress = (address, port) => isIpv4Address(address) ? inetAddressV4(address, port) : inetAddressV6(address, port);
/**
* Creates a checked internet address from a numeric IP string and port.
*
* **Gotchas**
*
* The address must be a numeric IPv4 or IPv6 literal. This function does not
* resolve hostnames or accept IPv6 brackets.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const inetAddressFromIpString = (address, port) => {
	return flatMap$3(ipFromString(address), (address) => inetAddress(address, port));
};
/**
* Formats the numeric host of an internet address without brackets or a port,
* preserving a nonzero IPv6 scope ID as a `%` suffix.
*
* **When to use**
*
* Use when the host and port are represented separately.
*
* @see {@link formatInet} for a complete socket address
* @see {@link formatUrlHost} for a bracketed URL authority host
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const formatHost$1 = (self) => formatIp(self.address) + (isInetAddressV6(self) && self.scopeId !== 0 ? `%${self.scopeId}` : "");
/**
* Formats a resolved internet address, bracketing IPv6 around its port.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const formatInet = (self) => {
	const host = formatHost$1(self);
	return isInetAddressV4(self) ? `${host}:${self.port}` : `[${host}]:${self.port}`;
};
/**
* Formats an IP address for use as a URL authority host.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const formatUrlHost = (self) => isIpv4Address(self) ? formatIp(self) : `[${formatIp(self)}]`;
/**
* Converts an IP address or internet socket address to a WHATWG `URL`.
*
* **Details**
*
* Defaults to the HTTP scheme and uses standard URL normalization, including
* IPv6 brackets and omission of default ports. Bare IP addresses have no
* explicit port; internet socket addresses retain their port, including zero.
* Unspecified addresses are preserved.
*
* **Gotchas**
*
* Returns a `NetAddressError` for scoped IPv6 addresses or inputs that the URL
* constructor rejects. Supply the scheme without a trailing colon, for example
* `"https"`.
*
* @stability unstable
* @category conversions
* @since 4.0.0
*/
const toUrl = (self, scheme = "http") => {
	if (self._tag === "InetAddressV6" && self.scopeId !== 0) return addressError(self, "scoped IPv6 addresses are not supported by WHATWG URLs");
	return try_$2({
		try: () => new URL(`${scheme}://${isInetAddress(self) ? formatInet(self) : formatUrlHost(self)}`),
		catch: (cause) => new NetAddressError({
			input: self,
			message: "failed to construct URL",
			cause
		})
	});
};
const UnixPathProto = {
	...BaseProto,
	_tag: "UnixPathAddress",
	[TypeId$2]: TypeId$2,
	[symbol](that) {
		return isUnixPathAddress(that) && this.path === that.path;
	},
	[symbol$1]() {
		return combine$1(string$1("UnixPathAddress"), string$1(this.path));
	},
	toString() {
		return this.path;
	},
	toJSON() {
		return this.toString();
	}
};
/**
* Creates a Unix-domain filesystem address without normalizing its opaque path.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const unixPathAddress = (path) => {
	const self = Object.create(UnixPathProto);
	self.path = path;
	return Object.freeze(self);
};

// node_modules/effect/dist/net/Host.js
const TypeId$1 = "~effect/net/Host";
const labelPattern = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const numericLabel = /^(?:\d+|0x[0-9a-f]*)$/;
const validateDomainName = (name) => {
	if (name === ".") return void 0;
	const relative = name.endsWith(".") ? name.slice(0, -1) : name;
	if (relative.length === 0) return "domain name must not be empty";
	if (relative.length > 253) return "domain name must be at most 253 characters";
	const labels = relative.split(".");
	for (const label of labels) {
		if (label.length === 0) return "domain name labels must not be empty";
		if (label.length > 63) return "domain name labels must be at most 63 characters";
		if (!labelPattern.test(label)) return "domain name labels must contain only letters, digits, hyphens, or underscores and must not start or end with a hyphen";
	}
	if (numericLabel.test(labels[labels.length - 1])) return "the last domain name label must not be numeric";
};
/**
* Returns `true` when a value is a valid, normalized domain name.
*
* @stability experimental
* @category guards
* @since 4.0.0
*/
const isDomainName = (u) => typeof u === "string" && /^[a-z0-9_.-]+$/.test(u) && validateDomainName(u) === void 0;
/**
* Returns `true` when a value is an unresolved host and port.
*
* @stability experimental
* @category guards
* @since 4.0.0
*/
const isHostPort = (u) => hasProperty(u, TypeId$1);
/**
* Formats a host without brackets.
*
* @stability experimental
* @category encoding
* @since 4.0.0
*/
const formatHost = (self) => typeof self === "string" ? self : formatIp(self);
const HostPortProto = {
	...BaseProto,
	_tag: "HostPort",
	[TypeId$1]: TypeId$1,
	[symbol](that) {
		return isHostPort(that) && this.port === that.port && equals$1(this.host, that.host);
	},
	[symbol$1]() {
		return combine$1(hash(this.host), number$1(this.port));
	},
	toString() {
		return formatHostPort(this);
	},
	toJSON() {
		return this.toString();
	}
};
/**
* Formats a host and port, bracketing IPv6 hosts.
*
* @see {@link hostPortFromString} for the inverse operation
* @stability experimental
* @category encoding
* @since 4.0.0
*/
const formatHostPort = (self) => {
	const host = formatHost(self.host);
	return host.includes(":") ? `[${host}]:${self.port}` : `${host}:${self.port}`;
};

// node_modules/effect/dist/net/Dns.js
const RecordTypeId = "~effect/net/Dns/DnsRecord";
const isUint8 = (u) => Number.isInteger(u) && u >= 0 && u <= 255;
const isUint16 = (u) => Number.isInteger(u) && u >= 0 && u <= 65535;
const isUint32 = (u) => Number.isInteger(u) && u >= 0 && u <= 4294967295;
const isString = (u) => typeof u === "string";
const isTimer = (u) => isDuration(u) && isFinite$1(u) && isUint32(toSeconds(u));
const recordFields = {
	A: { address: isIpv4Address },
	AAAA: { address: isIpv6Address },
	CAA: {
		critical: (u) => typeof u === "boolean",
		tag: (u) => isString(u) && /^[a-z0-9]+$/i.test(u),
		value: isString
	},
	CNAME: { target: isDomainName },
	MX: {
		exchange: isDomainName,
		priority: isUint16
	},
	NAPTR: {
		order: isUint16,
		preference: isUint16,
		flags: isString,
		service: isString,
		regexp: isString,
		replacement: isDomainName
	},
	NS: { host: isDomainName },
	PTR: { host: (u) => isString(u) && u.length > 0 },
	SOA: {
		primary: isDomainName,
		admin: (u) => isString(u) && u.length > 0,
		serial: isUint32,
		refresh: isTimer,
		retry: isTimer,
		expire: isTimer,
		minimum: isTimer
	},
	SRV: {
		target: isDomainName,
		port: isUint16,
		priority: isUint16,
		weight: isUint16
	},
	TLSA: {
		certUsage: isUint8,
		selector: isUint8,
		matchingType: isUint8,
		data: (u) => u instanceof Uint8Array && u.length > 0
	},
	TXT: { chunks: (u) => Array.isArray(u) && u.length > 0 && u.every(isString) }
};
/**
* Every supported record type.
*
* @stability experimental
* @category constants
* @since 4.0.0
*/
const recordTypes = /*#__PURE__*/ Object.keys(recordFields);
/**
* Returns `true` when a value is a supported record type.
*
* @stability experimental
* @category guards
* @since 4.0.0
*/
const isRecordType = (u) => recordTypes.includes(u);
/**
* Returns `true` when a value is a DNS record.
*
* @stability experimental
* @category guards
* @since 4.0.0
*/
const isDnsRecord = (u) => hasProperty(u, RecordTypeId);
const RecordPrototype = {
	...BaseProto,
	[RecordTypeId]: RecordTypeId,
	[symbol](that) {
		return isDnsRecord(that) && that._tag === this._tag && Object.keys(this).every((key) => equals$1(this[key], that[key]));
	},
	[symbol$1]() {
		return structureKeys(this, Object.keys(this));
	},
	toString() {
		return formatRecord(this);
	},
	toJSON() {
		return { ...this };
	}
};
/**
* Creates a checked DNS record of a record type from its fields.
*
* **Details**
*
* Every field is checked at runtime: addresses must belong to the record's
* address family, names must be normalized domain names, priorities, weights,
* and ports must be 16-bit unsigned integers, the SOA serial and timers must be
* 32-bit unsigned integers (the timers in whole seconds), the TLSA fields must
* be 8-bit unsigned integers with non-empty `data`, which is copied, TXT
* records need at least one chunk, and CAA property tags must be alphanumeric.
* Fields that do not belong to the record type are ignored.
*
* **Example** (Creating a service record)
*
* ```ts import.meta.vitest
* import { Result } from "effect"
* import { Dns, Host } from "effect/net"
*
* const record = Result.getOrThrow(Dns.makeRecord("SRV", {
*   target: Host.domainNameFromStringUnsafe("db.internal"),
*   port: 5432,
*   priority: 10,
*   weight: 5
* }))
* Dns.formatRecord(record) // => "SRV 10 5 5432 db.internal"
* ```
*
* @stability experimental
* @category constructors
* @since 4.0.0
*/
const makeRecord = (type, fields) => {
	if (!isRecordType(type)) return fail$6(new NetAddressError({
		input: type,
		message: "unknown DNS record type"
	}));
	const input = typeof fields === "object" && fields !== null ? fields : {};
	const self = Object.create(RecordPrototype);
	self._tag = type;
	for (const [key, check] of Object.entries(recordFields[type])) {
		const value = input[key];
		if (!check(value)) return fail$6(new NetAddressError({
			input: fields,
			message: `invalid ${type} record ${key}`
		}));
		self[key] = Array.isArray(value) ? Object.freeze([...value]) : value instanceof Uint8Array ? new Uint8Array(value) : value;
	}
	return succeed$5(Object.freeze(self));
};
const encoder = /*#__PURE__*/ new TextEncoder();
const decimalEscape = (byte) => `\\${byte.toString().padStart(3, "0")}`;
const quote = (value) => {
	let out = "\"";
	for (const byte of encoder.encode(value)) out += byte === 34 || byte === 92 ? `\\${String.fromCharCode(byte)}` : byte < 32 || byte > 126 ? decimalEscape(byte) : String.fromCharCode(byte);
	return out + "\"";
};
const nameSpecials = [
	34,
	36,
	40,
	41,
	59,
	64
];
const formatName = (text) => {
	const bytes = encoder.encode(text);
	let out = "";
	for (let i = 0; i < bytes.length; i++) {
		const byte = bytes[i];
		if (byte === 92) {
			const next = bytes[i + 1];
			if (next === 46 || next === 92) {
				out += `\\${String.fromCharCode(next)}`;
				i++;
			} else out += "\\\\";
		} else if (byte <= 32 || byte > 126) out += decimalEscape(byte);
		else out += nameSpecials.includes(byte) ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
	}
	return out;
};
/**
* Formats a record in DNS presentation format, prefixed by its type.
*
* @stability experimental
* @category encoding
* @since 4.0.0
*/
const formatRecord = (self) => {
	switch (self._tag) {
		case "A":
		case "AAAA": return `${self._tag} ${formatIp(self.address)}`;
		case "CAA": return `CAA ${self.critical ? 128 : 0} ${self.tag} ${quote(self.value)}`;
		case "CNAME": return `CNAME ${self.target}`;
		case "MX": return `MX ${self.priority} ${self.exchange}`;
		case "NAPTR": return `NAPTR ${self.order} ${self.preference} ${quote(self.flags)} ${quote(self.service)} ${quote(self.regexp)} ${self.replacement}`;
		case "NS": return `NS ${self.host}`;
		case "PTR": return `PTR ${formatName(self.host)}`;
		case "SOA": return `SOA ${self.primary} ${formatName(self.admin)} ${self.serial} ${toSeconds(self.refresh)} ${toSeconds(self.retry)} ${toSeconds(self.expire)} ${toSeconds(self.minimum)}`;
		case "SRV": return `SRV ${self.priority} ${self.weight} ${self.port} ${self.target}`;
		case "TLSA": return `TLSA ${self.certUsage} ${self.selector} ${self.matchingType} ${encode$1(self.data).toUpperCase()}`;
		case "TXT": return `TXT ${self.chunks.map(quote).join(" ")}`;
	}
};

// node_modules/effect/dist/Schema.js
const TypeId = TypeId$3;
/**
* Creates a schema for a **parametric** type (a generic container such as
* `Array<A>`, `Option<A>`, etc.) by accepting a list of type-parameter schemas
* and a decoder factory.
*
* **When to use**
*
* Use when you are defining a schema for a generic container whose validation
* depends on one or more type-parameter schemas.
*
* **Details**
*
* The outer call `declareConstructor<T, E, Iso>()` fixes the decoded type `T`,
* the encoded type `E`, and the optional iso type. The inner call receives:
* - `typeParameters` — the concrete schemas for each type variable
* - `run` — a factory that, given resolved codecs for each type parameter,
*   returns a parsing function `(u, ast, options) => Effect<T, Issue>`
* - `annotations` — optional metadata
*
* @see {@link declare} for creating schemas for non-parametric types.
*
* **Example** (Schema for a parametric `Box<A>` type)
*
* ```ts import.meta.vitest
* import { Effect, Schema, SchemaIssue, SchemaParser } from "effect"
*
* interface Box<A> {
*   readonly value: A
* }
*
* const isBox = (u: unknown): u is Box<unknown> =>
*   typeof u === "object" && u !== null && "value" in u
*
* const Box = <A extends Schema.Constraint>(item: A) =>
*   Schema.declareConstructor<Box<A["Type"]>, Box<A["Encoded"]>>()(
*     [item],
*     ([itemCodec]) =>
*       (u, ast, options) => {
*         if (!isBox(u)) {
*           return Effect.fail(new SchemaIssue.InvalidType(ast, u, options))
*         }
*         return Effect.map(
*           SchemaParser.decodeUnknownEffect(itemCodec)(u.value, options),
*           (value) => ({ value })
*         )
*       }
*   )
*
* const schema = Box(Schema.Number)
* Effect.runSync(Schema.decodeUnknownEffect(schema)({ value: 1 })) // => { value: 1 }
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function declareConstructor() {
	return (typeParameters, run, annotations) => {
		return make(new Declaration(typeParameters.map(getAST), (typeParameters) => run(typeParameters.map((ast) => make(ast))), annotations));
	};
}
/**
* Creates a schema for a **non-parametric** opaque type using a type-guard
* function. The schema accepts any unknown value and succeeds when `is` returns
* `true`, failing with an `InvalidType` issue otherwise.
*
* **When to use**
*
* Use when you are defining a schema for an opaque type with no type parameters
* and validation can be expressed as a type guard.
*
* **Example** (Defining a schema for a custom `UserId` branded type)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* type UserId = string & { readonly _tag: "UserId" }
*
* const isUserId = (u: unknown): u is UserId =>
*   typeof u === "string" && u.startsWith("user_")
*
* const UserId = Schema.declare<UserId>(isUserId, {
*   title: "UserId",
*   description: "A user identifier starting with 'user_'"
* })
* Schema.decodeUnknownSync(UserId)("user_123") // => "user_123"
* ```
*
* @see {@link declareConstructor} for creating schemas for parametric types.
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function declare(is, annotations) {
	return declareConstructor()([], () => (input, ast, options) => is(input) ? succeed$1(input) : fail$1(new InvalidType(ast, input, options)), annotations);
}
/**
* Adds metadata annotations to a schema without changing its runtime behavior.
* This is the pipeable (curried) counterpart of the `.annotate` method.
*
* **Details**
*
* Annotations provide extra context used by documentation generators, JSON
* Schema converters, error formatters, and other tooling. Common keys include
* `title`, `description`, `examples`, `message`, and `identifier`.
*
* **Example** (Adding a title and description)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const Age = Schema.Natural.pipe(
*   Schema.annotate({
*     title: "Age",
*     description: "A non-negative integer representing age in years"
*   })
* )
* Schema.resolveAnnotations(Age)?.title // => "Age"
* ```
*
* @see {@link annotateEncoded} to annotate the encoded side instead.
*
* @stability stable
* @category annotations
* @since 4.0.0
*/
function annotate(annotations) {
	return (self) => self.annotate(annotations);
}
/**
* Adds metadata annotations to the **encoded** side of a schema without
* changing its runtime behavior. This is the encoded-side counterpart of
* `annotate`, which targets the decoded (Type) side.
*
* **Details**
*
* Internally the schema is flipped so that `Encoded` becomes `Type`,
* annotated, and then flipped back.
*
* **Example** (Adding a title to the encoded representation)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.NumberFromString.pipe(
*   Schema.annotateEncoded({
*     title: "my title"
*   })
* )
*
* Schema.toEncoded(schema).ast.annotations?.title // => "my title"
* ```
*
* @see {@link annotate} to annotate the type side instead.
*
* @stability stable
* @category annotations
* @since 4.0.0
*/
function annotateEncoded(annotations) {
	return (self) => flip(flip(self).annotate(annotations));
}
/**
* Error thrown or returned when schema decoding or encoding fails.
*
* **Details**
*
* The `issue` field contains a structured {@link SchemaIssue.Issue} tree describing
* every validation failure, including the path to the problematic value and
* the expected type or constraint. The `message` field renders the issue tree
* with the default formatter.
*
* **Gotchas**
*
* Parsing with `reportInput: true` adds an enumerable `input` field to
* value-bearing issues. Built-in messages may include reported input, and
* custom annotations or messages are not sanitized.
*
* **Example** (Inspecting a SchemaError)
*
* ```ts import.meta.vitest
* import { Result, Schema } from "effect"
*
* const result = Schema.decodeUnknownResult(Schema.Number)("not a number")
* const message = Result.isFailure(result) ? result.failure.message : ""
* message // => "Expected number"
* ```
*
* @see {@link isSchemaError} for narrowing unknown values
* @stability stable
* @category errors
* @since 4.0.0
*/
var SchemaError = class extends (/*#__PURE__*/ TaggedError$1("SchemaError")) {
	[SchemaErrorTypeId] = SchemaErrorTypeId;
	constructor(issue) {
		const stackTraceLimit = getStackTraceLimit();
		setStackTraceLimit(0);
		try {
			super({ issue });
		} finally {
			setStackTraceLimit(stackTraceLimit);
		}
	}
	get message() {
		return defaultFormatter(this.issue);
	}
	toJSON() {
		return {
			_tag: this._tag,
			message: this.message
		};
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
	toString() {
		return `SchemaError(${this.message})`;
	}
};
/**
* Returns `true` if `u` is a {@link SchemaError}.
*
* **When to use**
*
* Use when you need to narrow an unknown value to `SchemaError`.
*
* **Example** (Narrowing Schema errors)
*
* ```ts import.meta.vitest
* import { Result, Schema } from "effect"
*
* const result = Result.try(() => Schema.decodeUnknownSync(Schema.Number)("oops"))
* const error: unknown = Result.isFailure(result) ? result.failure : undefined
* Schema.isSchemaError(error) // => true
* ```
*
* @stability stable
* @category guards
* @since 4.0.0
*/
function isSchemaError(u) {
	return isSchemaError$1(u);
}
function fromIssueEffect(self) {
	if (effectIsExit(self)) return fromIssueExit(self);
	return catchCause(self, (cause) => failCauseSync(() => map$1(cause, (issue) => new SchemaError(issue))));
}
function fromIssueExit(exit) {
	return isSuccess(exit) ? exit : failCause$1(map$1(exit.cause, (issue) => new SchemaError(issue)));
}
function getSchemaErrorOrThrow(cause, message) {
	let schemaError;
	for (const reason of cause.reasons) {
		if (!isFailReason(reason) || !isSchemaError(reason.error)) throw new globalThis.Error(message, { cause });
		schemaError ??= reason.error;
	}
	if (schemaError === void 0) throw new globalThis.Error(message, { cause });
	return schemaError;
}
function runSchemaErrorSync(self) {
	const exit = runSyncExit(self);
	if (isSuccess(exit)) return exit.value;
	throw getSchemaErrorOrThrow(exit.cause, "Sync adapter can only throw schema errors");
}
/**
* Creates a type guard function that checks if a value conforms to a given
* schema.
*
* **Details**
*
* This function returns a predicate that performs a type-safe check, narrowing
* the type of the input value if the check passes. The predicate returns `false`
* for schema mismatches.
*
* **Gotchas**
*
* Only causes made entirely of schema issues are converted to `false`. Causes
* that contain defects, interruptions, or other non-schema reasons throw
* instead.
*
* **Example** (Defining a basic type guard)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const isString = Schema.is(Schema.String)
*
* isString("hello") // => true
* isString(42) // => false
*
* // Type narrowing in action
* const value: unknown = "hello"
* if (isString(value)) {
*   // value is now typed as string
*   value.toUpperCase() // => "HELLO"
* }
* ```
*
* @stability stable
* @category guards
* @since 3.10.0
*/
const is = is$1;
/**
* Decodes an `unknown` input against a schema, returning an `Effect` that
* succeeds with the decoded value or fails with a {@link SchemaError}.
*
* **When to use**
*
* Use when you need to decode unknown input in an `Effect` whose failure
* channel is `SchemaError`.
*
* **Details**
*
* Prefer {@link decodeEffect} when the input is already typed as the schema's
* `Encoded` type.
* Options may be provided either when creating the decoder or when applying it;
* application options override creation options.
*
* @see {@link SchemaParser.decodeUnknownEffect} for the adapter that fails with `SchemaIssue.Issue` directly
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
function decodeUnknownEffect(schema, options) {
	const parser = decodeUnknownEffect$1(schema, options);
	return (input, options) => {
		return fromIssueEffect(parser(input, options));
	};
}
/**
* Encodes an `unknown` input against a schema, returning an `Effect` that
* succeeds with the encoded value or fails with a {@link SchemaError}.
*
* **When to use**
*
* Use when you need to encode unknown input in an `Effect` whose failure
* channel is `SchemaError`.
*
* **Details**
*
* Prefer {@link encodeEffect} when the value is already typed as the schema's
* `Type`.
* Options may be provided either when creating the encoder or when applying it;
* application options override creation options.
*
* **Example** (Encoding a value to a string)
*
* ```ts import.meta.vitest
* import { Effect, Schema } from "effect"
*
* const NumberFromString = Schema.NumberFromString
*
* await Effect.runPromise(Schema.encodeUnknownEffect(NumberFromString)(42)) // => "42"
* ```
*
* @see {@link SchemaParser.encodeUnknownEffect} for the adapter that fails with `SchemaIssue.Issue` directly
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
function encodeUnknownEffect(schema, options) {
	const parser = encodeUnknownEffect$1(schema, options);
	return (input, options) => {
		return fromIssueEffect(parser(input, options));
	};
}
/**
* Encodes an `unknown` input against a schema synchronously, throwing a
* {@link SchemaError} for schema mismatches.
*
* **When to use**
*
* Use when you need to serialize unknown data at a synchronous boundary and
* want schema mismatches to throw `SchemaError`.
*
* **Details**
*
* For alternatives that do not throw on schema mismatches, see
* {@link encodeUnknownOption}, {@link encodeUnknownExit}, or
* {@link encodeUnknownEffect}. For values already typed as the schema's `Type`
* use {@link encodeSync}. Options may be provided either when creating the
* encoder or when applying it; application options override creation options.
*
* **Gotchas**
*
* Non-schema failures may throw a runtime failure instead of `SchemaError`.
*
* @see {@link SchemaParser.encodeUnknownSync} for the adapter that throws an `Error` whose cause is `SchemaIssue.Issue`
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
function encodeUnknownSync(schema, options) {
	const parser = encodeUnknownEffect(schema, options);
	return (input, options) => {
		return runSchemaErrorSync(parser(input, options));
	};
}
/**
* Encodes a typed input (the schema's `Type`) against a schema synchronously,
* throwing a {@link SchemaError} for schema mismatches.
*
* **When to use**
*
* Use when you already have a value typed as the schema's `Type` and want
* schema mismatches to throw `SchemaError` synchronously.
*
* **Details**
*
* For `unknown` input use {@link encodeUnknownSync}.
* Options may be provided either when creating the encoder or when applying it;
* application options override creation options.
*
* **Gotchas**
*
* Non-schema failures may throw a runtime failure instead of `SchemaError`.
*
* @see {@link SchemaParser.encodeSync} for the adapter that throws an `Error` whose cause is `SchemaIssue.Issue`
*
* @stability stable
* @category encoding
* @since 4.0.0
*/
const encodeSync = encodeUnknownSync;
/**
* Creates a schema from an AST (Abstract Syntax Tree) node.
*
* **Details**
*
* This is the fundamental constructor for all schemas in the Effect Schema
* library. It takes an AST node and wraps it in a fully-typed schema that
* preserves all type information and provides the complete schema API.
*
* The `make` function is used internally to create all primitive schemas like
* `String`, `Number`, `Boolean`, etc., as well as more complex schemas. It's
* the bridge between the untyped AST representation and the strongly-typed
* schema.
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
const make = make$1;
/**
* Checks whether a value is a `Schema`.
*
* @stability stable
* @category guards
* @since 3.10.0
*/
function isSchema(u) {
	return hasProperty(u, TypeId) && u[TypeId] === TypeId;
}
/**
* Creates an exact optional key schema for struct fields. Unlike `optional`,
* this creates exact optional properties (not `| undefined`) that can be
* completely omitted from the object.
*
* **Example** (Creating a struct with optional key)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Struct({
*   name: Schema.String,
*   age: Schema.optionalKey(Schema.Number)
* })
*
* // Type: { readonly name: string; readonly age?: number }
* type Person = typeof schema["Type"]
* ```
*
* @stability stable
* @category combinators
* @since 4.0.0
*/
const optionalKey = /*#__PURE__*/ lambda((schema) => make(optionalKey$1(schema.ast), { schema }));
/**
* Marks a struct field as optional, allowing the key to be absent or
* `undefined`.
*
* **Details**
*
* The resulting property may be absent or explicitly set to `undefined`.
* Equivalent to `optionalKey(UndefinedOr(S))`.
*
* Use {@link optionalKey} instead if you want exact optional semantics (absent
* only, not `undefined`).
*
* **Example** (Defining an optional field accepting undefined)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Struct({
*   name: Schema.String,
*   age: Schema.optional(Schema.Number)
* })
*
* // { readonly name: string; readonly age?: number | undefined }
* type Person = typeof schema.Type
* ```
*
* @stability stable
* @category combinators
* @since 3.10.0
*/
const optional = /*#__PURE__*/ lambda((self) => {
	const schema = UndefinedOr(self);
	return make(optional$1(self.ast), { schema });
});
/**
* Extracts the type-side schema: sets `Encoded` to equal the decoded `Type`,
* discarding the encoding transformation path.
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
const toType = /*#__PURE__*/ lambda((schema) => make(toType$1(schema.ast), { schema }));
/**
* Extracts the encoded-side schema: sets `Type` to equal the `Encoded`,
* discarding the decoding transformation path.
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
const toEncoded = /*#__PURE__*/ lambda((schema) => make(toEncoded$1(schema.ast), { schema }));
const FlipTypeId = "~effect/Schema/flip";
function isFlip$(schema) {
	return hasProperty(schema, FlipTypeId) && schema[FlipTypeId] === FlipTypeId;
}
function flip(schema) {
	if (isFlip$(schema)) return schema.schema.rebuild(flip$1(schema.ast));
	return make(flip$1(schema.ast), {
		[FlipTypeId]: FlipTypeId,
		schema
	});
}
/**
* Creates a schema for a single literal value (string, number, bigint, boolean, or null).
*
* **Example** (Defining a string literal)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Literal("hello")
* // Type: Schema.Literal<"hello">
* Schema.decodeSync(schema)("hello") // => "hello"
* ```
*
* @see {@link Literals} for a schema that represents a union of literals.
* @see {@link tag} for a schema that represents a literal value that can be
* used as a discriminator field in tagged unions and has a constructor default.
* @stability stable
* @category constructors
* @since 3.10.0
*/
function Literal(literal) {
	const out = make(new Literal$1(literal), {
		literal,
		transform(to) {
			return out.pipe(decodeTo(Literal(to), {
				decode: transform$1(() => to),
				encode: transform$1(() => literal)
			}));
		}
	});
	return out;
}
/**
* Schema for the `never` type. Always fails validation — no value satisfies it.
*
* @stability stable
* @category schemas
* @since 3.10.0
*/
const Never = /*#__PURE__*/ make(never);
/**
* Schema for the `unknown` type. Accepts any value without validation.
*
* **When to use**
*
* Use as a top schema when you need to accept any input while preserving
* TypeScript's `unknown` safety at use sites.
*
* @see {@link Any} for the `any` variant.
* @stability stable
* @category schemas
* @since 3.10.0
*/
const Unknown = /*#__PURE__*/ make(unknown);
/**
* Schema for the `null` literal. Validates that the input is strictly `null`.
*
* @see {@link NullOr} for a union with another schema.
* @stability stable
* @category schemas
* @since 3.10.0
*/
const Null = /*#__PURE__*/ make(null_);
/**
* Schema for the `undefined` literal. Validates that the input is strictly `undefined`.
*
* @see {@link UndefinedOr} for a union with another schema.
* @stability stable
* @category schemas
* @since 3.10.0
*/
const Undefined = /*#__PURE__*/ make(undefined_);
/**
* Schema for `string` values. Validates that the input is `typeof` `"string"`.
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const String$1 = /*#__PURE__*/ make(string);
/**
* Schema for `number` values, including `NaN`, `Infinity`, and `-Infinity`.
*
* **Details**
*
* Default JSON serializer:
*
* - Finite numbers are serialized as numbers.
* - Non-finite values are serialized as strings (`"NaN"`, `"Infinity"`, `"-Infinity"`).
*
* @see {@link Finite} for a schema that excludes non-finite values.
* @stability stable
* @category schemas
* @since 4.0.0
*/
const Number$1 = /*#__PURE__*/ make(number);
/**
* Schema for `boolean` values. Validates that the input is `typeof` `"boolean"`.
*
* **When to use**
*
* Use to validate values that are already JavaScript booleans.
*
* @see {@link BooleanFromBit} for a schema that decodes bit literals `0` or `1` into a boolean
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const Boolean$1 = /*#__PURE__*/ make(boolean);
/**
* Schema for `bigint` values. Validates that the input is `typeof` `"bigint"`.
*
* **When to use**
*
* Use when the input is already a bigint and the schema should validate and
* preserve bigint values without parsing from another representation.
*
* @see {@link BigIntFromString} for parsing string input into a bigint
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const BigInt$1 = /*#__PURE__*/ make(bigInt);
/**
* Schema for a TypeScript `void` return value.
*
* **When to use**
*
* Use when you need to model the return value of a function, RPC, or endpoint
* whose result is intentionally ignored.
*
* **Details**
*
* Runtime parsing accepts any present value and discards it, producing
* `undefined`. The public decoded and encoded TypeScript representation remains
* `void`, so typed construction, decoding, and encoding APIs are still modeled
* as `void`.
*
* @see {@link Undefined} for a schema that matches only the exact `undefined` value.
* @stability stable
* @category schemas
* @since 3.10.0
*/
const Void = /*#__PURE__*/ make(void_);
function makeStruct(ast, fields) {
	return make(ast, {
		fields,
		mapFields(f, options) {
			const fields = f(this.fields);
			return makeStruct(struct(fields, options?.unsafePreserveChecks ? this.ast.checks : void 0), fields);
		}
	});
}
/**
* Defines a struct schema from a map of field schemas.
*
* **Details**
*
* Each field value is a schema. Use {@link optionalKey} or {@link optional} to
* mark fields as optional, and {@link mutableKey} to mark them as mutable.
*
* The resulting schema's `Type` is a readonly object type with the fields'
* decoded types. The `Encoded` form mirrors the field schemas' encoded types.
* Declared fields may be inherited and are copied to own properties in the
* output. The `__proto__` field is accepted only when it is an own property.
* Parsing does not guarantee that output keys retain their input order.
*
* **Example** (Defining a basic struct)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const Person = Schema.Struct({
*   name: Schema.String,
*   age: Schema.Number,
*   email: Schema.optionalKey(Schema.String)
* })
*
* // { readonly name: string; readonly age: number; readonly email?: string }
* type Person = typeof Person.Type
*
* Schema.decodeUnknownSync(Person)({ name: "Alice", age: 30 }) // => { name: "Alice", age: 30 }
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function Struct(fields) {
	return makeStruct(struct(fields, void 0), fields);
}
const canonicalPropertyKey = (key) => typeof key === "symbol" ? key : globalThis.String(key);
/**
* Renames struct keys in the encoded form without changing the decoded type.
*
* **Details**
*
* Takes a partial mapping `{ decodedKey: encodedKey }` and produces a
* transformation schema that decodes from the renamed keys and encodes back to
* the renamed keys. Keys not present in the mapping are left unchanged.
* If two existing fields would produce the same encoded key, construction
* fails.
*
* **Example** (Renaming `name` to `full_name` in the encoded form)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const Person = Schema.Struct({ name: Schema.String, age: Schema.Number })
* const Encoded = Person.pipe(Schema.encodeKeys({ name: "full_name" }))
*
* // Decodes { full_name: "Alice", age: 30 } → { name: "Alice", age: 30 }
* Schema.decodeUnknownSync(Encoded)({ full_name: "Alice", age: 30 }) // => { name: "Alice", age: 30 }
* ```
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
function encodeKeys(mapping) {
	return function(self) {
		const fields = {};
		const appliedMapping = Object.create(null);
		const reverseMapping = Object.create(null);
		const seenEncodedKeys = /* @__PURE__ */ new Set();
		for (const k of Reflect.ownKeys(self.fields)) {
			const encoded = toEncoded(self.fields[k]);
			const hasMapping = Object.hasOwn(mapping, k);
			const encodedKey = hasMapping ? mapping[k] : k;
			const canonical = canonicalPropertyKey(encodedKey);
			if (seenEncodedKeys.has(canonical)) throw new globalThis.Error(`Duplicate encoded keys: ${formatPropertyKey(encodedKey)}`);
			seenEncodedKeys.add(canonical);
			assignProperty(fields, encodedKey, encoded);
			if (hasMapping) {
				appliedMapping[k] = encodedKey;
				reverseMapping[encodedKey] = k;
			}
		}
		return Struct(fields).pipe(decodeTo(self, transform({
			decode: renameKeys(reverseMapping),
			encode: renameKeys(appliedMapping)
		})));
	};
}
/**
* Defines a record schema whose dynamic properties are selected by a key schema
* and decoded with a value schema.
*
* **Details**
*
* For dynamic keys, the key schema selects matching own properties and the
* value schema decodes or encodes only those selected properties. Checks on
* string, number, symbol, and template literal key schemas narrow which
* properties are selected.
*
* For transformed key schemas, property selection is based on encoded property
* names before the selected key is decoded.
*
* **Gotchas**
*
* Dynamic records reject value schemas wrapped with {@link optionalKey} or
* {@link optional}. Index signatures already allow keys to be absent; use
* {@link UndefinedOr} when existing entries may contain `undefined`. Optional
* value schemas remain valid for finite literal keys, which become declared
* properties.
*
* When decoded or encoded key transformations produce the same property key,
* sequential parsing applies selected own properties in selection order, so
* the later selected property overwrites the earlier value. Dynamic key
* selection always examines own properties. Finite literal and enum keys are
* declared fields and may therefore be inherited. Output key order is not
* guaranteed.
*
* **Example** (Defining a string-keyed record of numbers)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Record(Schema.String, Schema.Number)
*
* // { readonly [x: string]: number }
* type R = typeof schema.Type
*
* Schema.decodeUnknownSync(schema)({ a: 1, b: 2 }) // => { a: 1, b: 2 }
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function Record(key, value) {
	return make(record(key.ast, value.ast), {
		key,
		value
	});
}
/**
* Extends a struct schema with one or more record (index-signature) schemas,
* producing a schema whose decoded type intersects the struct and all records.
*
* **Gotchas**
*
* The base schema must have an object-shaped encoded type. Whole-object
* transformations are not supported, even with an empty rest array. Apply
* transformations such as `Schema.fromJsonString` to the completed
* `StructWithRest` schema instead. Object-shaped encoded types alone do not
* guarantee compatibility: unsupported encodings are still rejected at runtime.
* Transformations on individual fields remain supported.
*
* TypeScript index signatures also apply to fixed keys. `StructWithRest` does
* not reject incompatible fixed fields at the call site; use
* `StructWithRest.ValidateRecords` when you want an explicit type-level
* compatibility check.
*
* **Example** (Defining structs with string-indexed extra keys)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.StructWithRest(
*   Schema.Struct({ id: Schema.Number }),
*   [Schema.Record(Schema.String, Schema.Number)]
* )
*
* // { readonly id: number, readonly [x: string]: number }
* type T = typeof schema.Type
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
function StructWithRest(schema, records) {
	return make(structWithRest(schema.ast, records.map(getAST)), {
		schema,
		records
	});
}
function makeTuple(ast, elements) {
	return make(ast, {
		elements,
		mapElements(f, options) {
			const elements = f(this.elements);
			return makeTuple(tuple(elements, options?.unsafePreserveChecks ? this.ast.checks : void 0), elements);
		}
	});
}
/**
* Defines a fixed-length tuple schema from an array of element schemas.
*
* **Example** (Defining a pair of string and number)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Tuple([Schema.String, Schema.Number])
*
* Schema.decodeUnknownSync(schema)(["hello", 42]) // => ["hello", 42]
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function Tuple(elements) {
	return makeTuple(tuple(elements), elements);
}
/**
* @category constructors
* @since 4.0.0
*/
const ArraySchema = /*#__PURE__*/ lambda((schema) => make(new Arrays(false, [], [schema.ast]), { value: schema }));
/**
* Defines a non-empty `ReadonlyArray` schema — at least one element required.
* Type is `readonly [T, ...T[]]`.
*
* **Example** (Defining a non-empty array of numbers)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.NonEmptyArray(Schema.Number)
*
* Schema.decodeUnknownSync(schema)([1, 2, 3]) // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
const NonEmptyArray = /*#__PURE__*/ lambda((schema) => make(new Arrays(false, [schema.ast], [schema.ast]), { value: schema }));
function makeUnion(ast, members) {
	return make(ast, {
		members,
		mapMembers(f, options) {
			const members = f(this.members);
			return makeUnion(union(members, this.ast.options, options?.unsafePreserveChecks ? this.ast.checks : void 0), members);
		}
	});
}
/**
* Creates a union schema from an array of member schemas. Members are tested in
* order; the first match is returned.
*
* **Details**
*
* Optionally, specify `mode`:
* - `"anyOf"` (default) — matches if any member matches.
* - `"oneOf"` — matches if exactly one member matches.
*
* **Example** (Defining a string or number union)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Union([Schema.String, Schema.Number])
*
* Schema.decodeUnknownSync(schema)("hello") // => "hello"
* Schema.decodeUnknownSync(schema)(42) // => 42
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function Union(members, options) {
	return makeUnion(union(members, options, void 0), members);
}
/**
* Creates a union schema from an array of literal values.
*
* **Example** (Defining status codes)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Literals(["active", "inactive", "pending"])
* Schema.decodeSync(schema)("active") // => "active"
* ```
*
* @see {@link Literal} for a schema that represents a single literal.
* @stability stable
* @category constructors
* @since 4.0.0
*/
function Literals(literals) {
	const members = literals.map(Literal);
	return make(union(members, void 0, void 0), {
		literals,
		members,
		mapMembers(f) {
			return Union(f(this.members));
		},
		pick(literals) {
			return Literals(literals);
		},
		transform(to) {
			return Union(members.map((member, index) => member.transform(to[index])));
		}
	});
}
/**
* Creates a union schema of `S | null`.
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
const NullOr = /*#__PURE__*/ lambda((self) => Union([self, Null]));
/**
* Creates a union schema of `S | undefined`.
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
const UndefinedOr = /*#__PURE__*/ lambda((self) => Union([self, Undefined]));
/**
* Intersects a schema's output type with `Brand.Brand<B>` to prevent accidental
* mixing of structurally identical types.
*
* **When to use**
*
* Use to make values decoded by an existing schema nominally distinct when the
* schema already carries the runtime validation you need.
*
* **Gotchas**
*
* - `identifier` must be a single concrete string literal. Widened strings,
*   unions, and open template literal types are rejected.
* - `brand` only narrows the TypeScript output type. It does not change the
*   schema's runtime AST or add runtime checks.
* - Schema representations and generated schema code omit the brand. Reapply
*   `brand` after rebuilding or generating a schema when the nominal type is
*   still required.
*
* @see {@link fromBrand} for applying a Brand constructor's checks along with its branded type
*
* @stability stable
* @category branding
* @since 3.10.0
*/
function brand(identifier) {
	return (schema) => make(schema.ast, {
		schema,
		identifier
	});
}
/**
* Intercepts the decoding pipeline of a schema.
*
* **Details**
*
* The provided function receives the current decoding `Effect` and `ParseOptions`,
* and returns a new `Effect` — potentially adding service requirements (`RD`),
* recovering from errors, or augmenting the result.
*
* **Example** (Logging decode failures)
*
* ```ts import.meta.vitest
* import { Effect, Schema } from "effect"
*
* const events: Array<string> = []
* const Logged = Schema.String.pipe(
*   Schema.middlewareDecoding((effect) =>
*     Effect.tapError(effect, () => Effect.sync(() => events.push("decode failed")))
*   )
* )
* Effect.runSync(Effect.result(Schema.decodeUnknownEffect(Logged)(42)))
* events // => ["decode failed"]
* ```
*
* @see {@link catchDecoding} for a simpler error-recovery variant
* @stability stable
* @category decoding
* @since 4.0.0
*/
function middlewareDecoding(decode) {
	return (schema) => make(middlewareDecoding$1(schema.ast, new Middleware(decode, identity)), { schema });
}
/**
* Recovers from a decoding error by providing a fallback value.
*
* **Details**
*
* The handler receives the `Issue` and returns an `Effect` that either
* succeeds with a fallback value or re-fails with a (possibly different) issue.
*
* **Example** (Returning a default on decode failure)
*
* ```ts import.meta.vitest
* import { Effect, Option, Schema } from "effect"
*
* const schema = Schema.Number.pipe(
*   Schema.catchDecoding((_issue) => Effect.succeed(Option.some(0)))
* )
* Effect.runSync(Schema.decodeUnknownEffect(schema)("invalid")) // => 0
* ```
*
* @see {@link catchDecodingWithContext} to add service requirements to the handler
* @stability stable
* @category error handling
* @since 4.0.0
*/
function catchDecoding(f) {
	return catchDecodingWithContext(f);
}
/**
* Recovers from a decoding error with a handler that may require Effect services.
*
* **When to use**
*
* Use when you need decoding fallback logic to require services from the Effect
* context.
*
* **Details**
*
* The handler receives the `Issue` and returns an `Effect` that either succeeds
* with a fallback value or re-fails with a (possibly different) issue. The
* handler's services are added to the schema's decoding services.
*
* @see {@link catchDecoding} for recovery handlers that do not require services
* @see {@link middlewareDecoding} for intercepting or replacing the full decoding pipeline
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
function catchDecodingWithContext(f) {
	return (self) => middlewareDecoding(catchEager(f))(self);
}
function decodeTo(to, transformation) {
	return (from) => {
		return make(decodeTo$1(from.ast, to.ast, transformation ? makeTransformation(transformation) : passthrough()), {
			from,
			to
		});
	};
}
/**
* Constructs a decode-only `SchemaAST.Link`.
*
* @internal
*/
function linkDecoding() {
	return (to, decode) => link()(to, {
		decode,
		encode: forbiddenEncoding
	});
}
/** @internal */
const TrueLiterals = /*#__PURE__*/ Literals([
	"true",
	"yes",
	"on",
	"1",
	"y"
]);
/** @internal */
const FalseLiterals = /*#__PURE__*/ Literals([
	"false",
	"no",
	"off",
	"0",
	"n"
]);
/** @internal */
const BooleanLiterals = /*#__PURE__*/ Literals([...TrueLiterals.literals, ...FalseLiterals.literals]).pipe(/*#__PURE__*/ decodeTo(Boolean$1, /*#__PURE__*/ transform({
	decode: (value) => value === "true" || value === "yes" || value === "on" || value === "1" || value === "y",
	encode: (value) => value ? "true" : "false"
})));
/**
* Attaches a constructor default value to a schema field.
*
* **Details**
*
* Constructor defaults are applied only during `make*`, not during decoding or
* encoding. Failures are represented directly as `SchemaIssue.Issue` values.
*
* **Example** (Defining an optional field with a static default)
*
* ```ts import.meta.vitest
* import { Effect, Schema } from "effect"
*
* const MySchema = Schema.Struct({
*   name: Schema.String.pipe(
*     Schema.optionalKey,
*     Schema.withConstructorDefault(Effect.succeed("anonymous"))
*   )
* })
*
* MySchema.make({}).name // => "anonymous"
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function withConstructorDefault(defaultValue) {
	return (schema) => make(withConstructorDefault$1(schema.ast, defaultValue), { schema });
}
function toIssueEffect(self) {
	if (effectIsExit(self) && self._tag === "Success") return self;
	return catchCause(self, (cause) => failCauseSync(() => map$1(cause, (error) => error.issue)));
}
/**
* Makes a struct key optional on the `Encoded` side and provides a default
* `Encoded` value when the key is missing during decoding.
*
* **Details**
*
* The key uses `optionalKey` on the encoded side, so it may be absent from the
* input object but **not** `undefined`. The default value is specified in terms
* of the `Encoded` type (before any decoding transformations).
*
* Options:
*
* - `encodingStrategy`:
*   - `"passthrough"` (default): include the value in the encoded output.
*   - `"omit"`: omit the key from the encoded output.
*
* **Example** (Providing a default for a missing struct key)
*
* ```ts import.meta.vitest
* import { Effect, Schema } from "effect"
*
* const MySchema = Schema.Struct({
*   name: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("anonymous")))
* })
*
* Schema.decodeUnknownSync(MySchema)({}).name // => "anonymous"
* ```
*
* @see {@link withDecodingDefault} for the value-level variant (key absent **or** `undefined`)
* @see {@link withDecodingDefaultTypeKey} for the variant where the default is a `Type` value
* @stability stable
* @category decoding
* @since 4.0.0
*/
function withDecodingDefaultKey(defaultValue, options) {
	const encode = options?.encodingStrategy === "omit" ? omit() : passthrough$1();
	return (self) => {
		return optionalKey(toEncoded(self)).pipe(decodeTo(self, {
			decode: withDefault$1(toIssueEffect(defaultValue)),
			encode
		}));
	};
}
/**
* Combines a {@link Literal} schema with {@link withConstructorDefault}, making it ideal
* for discriminator fields in tagged unions. When constructing via `make`, the
* `_tag` field can be omitted and will be filled automatically.
*
* **Example** (Defining a discriminated union tag)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const A = Schema.Struct({ _tag: Schema.tag("A"), value: Schema.Number })
*
* // _tag is optional in make, auto-filled to "A"
* const a = A.make({ value: 42 })
* a // => { _tag: "A", value: 42 }
* ```
*
* @see {@link tagDefaultOmit} to also omit the tag during encoding
* @see {@link TaggedStruct} for a shorthand that adds `_tag` automatically
* @stability stable
* @category constructors
* @since 3.10.0
*/
function tag(literal) {
	return Literal(literal).pipe(withConstructorDefault(succeed$1(literal)));
}
/**
* Creates a struct schema with an automatically populated `_tag` field.
*
* **When to use**
*
* Use to define a tagged union case from a literal tag and a set of fields.
*
* **Details**
*
* When using the `make` method, the `_tag` field is optional and will be
* added automatically. However, when decoding or encoding, the `_tag` field
* must be present in the input.
*
* **Example** (Defining a tagged struct shorthand)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* // Defines a struct with a fixed `_tag` field
* const tagged = Schema.TaggedStruct("A", {
*   a: Schema.String
* })
*
* // This is the same as writing:
* const equivalent = Schema.Struct({
*   _tag: Schema.tag("A"),
*   a: Schema.String
* })
* void tagged
* void equivalent
* ```
*
* **Example** (Accessing the literal value of the tag)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const tagged = Schema.TaggedStruct("A", {
*   a: Schema.String
* })
*
* tagged.fields._tag.schema.literal // => "A"
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function TaggedStruct(value, fields) {
	return Struct({
		_tag: tag(value),
		...fields
	});
}
/**
* Creates a schema that validates values using `instanceof`.
* Decoding and encoding pass the value through unchanged.
*
* **Example** (Defining a schema for a built-in class)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const DateSchema = Schema.instanceOf(Date)
*
* const decoded = Schema.decodeUnknownSync(DateSchema)(new Date("2024-01-01"))
* decoded.toISOString() // => "2024-01-01T00:00:00.000Z"
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
function instanceOf(constructor, annotations) {
	return declare((u) => u instanceof constructor, annotations);
}
/**
* Constructs an `SchemaAST.Link` that describes how a value of type `T` encodes to and decodes from a `To` schema.
* Used when building low-level AST transformations that bridge two schema types.
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
function link() {
	return (encodeTo, transformation) => {
		return new Link(encodeTo.ast, makeTransformation(transformation));
	};
}
/**
* Creates a custom validation filter from a predicate function.
*
* **Details**
*
* The predicate receives the decoded input value, the schema AST, and parse
* options, and returns a `FilterOutput`. Non-success outputs are normalized into
* schema issues. The `annotations` parameter annotates the filter itself; with
* the default formatter, failures use `message` first, `expected` second, and
* `<filter>` when neither is provided.
*
* When `abort` is `true`, parsing stops after this filter fails instead of
* collecting later check failures.
*
* **Example** (Reporting failure at a nested path)
*
* ```ts import.meta.vitest
* import { Result, Schema } from "effect"
*
* const schema = Schema.Struct({ password: Schema.String, confirmPassword: Schema.String }).check(
*   Schema.makeFilter((o) =>
*     o.password === o.confirmPassword
*       ? undefined
*       : { path: ["password"], issue: "password and confirmPassword must match" }
*   )
* )
*
* const result = Schema.decodeUnknownResult(schema)({ password: "123456", confirmPassword: "1234567" })
* const message = Result.isFailure(result) ? result.failure.message : ""
* message // => "password and confirmPassword must match\n  at [\"password\"]"
* ```
*
* **Example** (Reporting multiple failures at once)
*
* ```ts import.meta.vitest
* import { Result, Schema } from "effect"
*
* const schema = Schema.Struct({ a: Schema.Finite, b: Schema.Finite, c: Schema.Finite }).check(
*   Schema.makeFilter((o) => {
*     const issues: Array<Schema.FilterIssue> = []
*     if (o.a > 0) {
*       if (o.b <= 0) issues.push({ path: ["b"], issue: "b must be greater than 0" })
*       if (o.c <= 0) issues.push({ path: ["c"], issue: "c must be greater than 0" })
*     }
*     return issues
*   })
* )
*
* const result = Schema.decodeUnknownResult(schema)({ a: 1, b: 0, c: 0 })
* const message = Result.isFailure(result) ? result.failure.message : ""
* message // => "b must be greater than 0\n  at [\"b\"]\nc must be greater than 0\n  at [\"c\"]"
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeFilter = makeFilter$1;
/**
* Validates that a string matches the specified regular expression pattern.
*
* **Details**
*
* JSON Schema:
*
* Unless annotations override `toJsonSchema`, JSON Schema receives a `pattern`
* only when the JavaScript RegExp uses the Unicode flag and its other flags are
* `d`, `g`, or `y`. Sticky patterns are anchored at the start of the string.
*
* Arbitrary:
*
* During arbitrary generation, this applies a `patterns`
* constraint to ensure generated strings match the specified RegExp pattern.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function isPattern(regExp, annotations) {
	const source = regExp.source;
	const flags = regExp.flags;
	const canExport = /^[dg]*uy?$/.test(flags);
	const runtimeRegExp = flags === "" ? `new globalThis.RegExp(${format$1(source)})` : `new globalThis.RegExp(${format$1(source)}, ${format$1(flags)})`;
	return isPattern$1(regExp, {
		toJsonSchema: () => canExport ? { pattern: flags.endsWith("y") ? `^(?:${source})` : source } : [{}, true],
		toCode: () => ({ runtime: `Schema.isPattern(${runtimeRegExp})` }),
		...annotations
	});
}
/**
* Validates that a string is valid Base64 encoded data.
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to a `pattern` constraint in JSON Schema that matches
* Base64 format.
*
* Arbitrary:
*
* During arbitrary generation, this applies a `patterns`
* constraint to ensure generated strings match the Base64 pattern.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function isBase64(annotations) {
	const pattern = "^([0-9a-zA-Z+/]{4})*(([0-9a-zA-Z+/]{2}==)|([0-9a-zA-Z+/]{3}=))?$";
	const regExp = /^[0-9a-zA-Z+/]*={0,2}$/;
	return makeFilter((s) => s.length % 4 === 0 && regExp.test(s), {
		expected: "a base64 encoded string",
		representation: {
			id: "effect/schema/isBase64",
			payload: null
		},
		toJsonSchema: () => ({ pattern }),
		arbitraryConstraint: { patterns: [{
			source: pattern,
			flags: ""
		}] },
		toCode: () => ({ runtime: "Schema.isBase64()" }),
		...annotations
	});
}
/**
* Schema for finite numbers, rejecting `NaN`, `Infinity`, and `-Infinity`.
*
* @stability stable
* @category schemas
* @since 3.10.0
*/
const Finite = /*#__PURE__*/ make(finite);
/**
* Creates a greater-than (`>`) check for any ordered type from an
* `Order.Order` instance.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function makeIsGreaterThan(options) {
	const gt = isGreaterThan$1(options.order);
	const formatter = options.formatter ?? format$1;
	return (exclusiveMinimum, annotations) => {
		return makeFilter((input) => gt(input, exclusiveMinimum), {
			expected: `a value greater than ${formatter(exclusiveMinimum)}`,
			arbitraryConstraint: {
				order: options.order,
				minimum: exclusiveMinimum,
				exclusiveMinimum: true
			},
			...options.annotate?.(exclusiveMinimum),
			...annotations
		});
	};
}
/**
* Creates a greater-than-or-equal-to (`>=`) check for any ordered type from an
* `Order.Order` instance.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function makeIsGreaterThanOrEqualTo(options) {
	const gte = isGreaterThanOrEqualTo$1(options.order);
	const formatter = options.formatter ?? format$1;
	return (minimum, annotations) => {
		return makeFilter((input) => gte(input, minimum), {
			expected: `a value greater than or equal to ${formatter(minimum)}`,
			arbitraryConstraint: {
				order: options.order,
				minimum
			},
			...options.annotate?.(minimum),
			...annotations
		});
	};
}
/**
* Creates a less-than (`<`) check for any ordered type from an `Order.Order`
* instance.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function makeIsLessThan(options) {
	const lt = isLessThan$1(options.order);
	const formatter = options.formatter ?? format$1;
	return (exclusiveMaximum, annotations) => {
		return makeFilter((input) => lt(input, exclusiveMaximum), {
			expected: `a value less than ${formatter(exclusiveMaximum)}`,
			arbitraryConstraint: {
				order: options.order,
				maximum: exclusiveMaximum,
				exclusiveMaximum: true
			},
			...options.annotate?.(exclusiveMaximum),
			...annotations
		});
	};
}
/**
* Creates a less-than-or-equal-to (`<=`) check for any ordered type from an
* `Order.Order` instance.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function makeIsLessThanOrEqualTo(options) {
	const lte = isLessThanOrEqualTo$1(options.order);
	const formatter = options.formatter ?? format$1;
	return (maximum, annotations) => {
		return makeFilter((input) => lte(input, maximum), {
			expected: `a value less than or equal to ${formatter(maximum)}`,
			arbitraryConstraint: {
				order: options.order,
				maximum
			},
			...options.annotate?.(maximum),
			...annotations
		});
	};
}
/**
* Creates an inclusive or exclusive range check for any ordered type from an
* `Order.Order` instance.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function makeIsBetween(deriveOptions) {
	const greaterThanOrEqualTo = isGreaterThanOrEqualTo$1(deriveOptions.order);
	const greaterThan = isGreaterThan$1(deriveOptions.order);
	const lessThanOrEqualTo = isLessThanOrEqualTo$1(deriveOptions.order);
	const lessThan = isLessThan$1(deriveOptions.order);
	const formatter = deriveOptions.formatter ?? format$1;
	return (options, annotations) => {
		const gte = options.exclusiveMinimum ? greaterThan : greaterThanOrEqualTo;
		const lte = options.exclusiveMaximum ? lessThan : lessThanOrEqualTo;
		return makeFilter((input) => gte(input, options.minimum) && lte(input, options.maximum), {
			expected: `a value between ${formatter(options.minimum)}${options.exclusiveMinimum ? " (excluded)" : ""} and ${formatter(options.maximum)}${options.exclusiveMaximum ? " (excluded)" : ""}`,
			arbitraryConstraint: {
				order: deriveOptions.order,
				minimum: options.minimum,
				maximum: options.maximum,
				...options.exclusiveMinimum && { exclusiveMinimum: true },
				...options.exclusiveMaximum && { exclusiveMaximum: true }
			},
			...deriveOptions.annotate?.(options),
			...annotations
		});
	};
}
function encodeNumberPayload(number) {
	if (!globalThis.Number.isFinite(number)) throw new globalThis.RangeError(`Expected a finite number, got ${format$1(number)}`);
	return number;
}
/**
* Validates that a number is greater than the specified value (exclusive).
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to the `exclusiveMinimum` constraint in JSON Schema.
*
* Arbitrary:
*
* During arbitrary generation, this applies an
* `exclusiveMinimum` constraint to ensure generated numbers are greater than
* the specified value.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThan = /*#__PURE__*/ makeIsGreaterThan({
	order: Number$4,
	annotate: (exclusiveMinimum) => ({
		representation: {
			id: "effect/schema/isGreaterThan",
			payload: { exclusiveMinimum: encodeNumberPayload(exclusiveMinimum) }
		},
		toJsonSchema: () => ({ exclusiveMinimum }),
		toCode: () => ({ runtime: `Schema.isGreaterThan(${format$1(exclusiveMinimum)})` })
	})
});
/**
* Validates that a number is greater than or equal to the specified value
* (inclusive).
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to the `minimum` constraint in JSON Schema.
*
* Arbitrary:
*
* During arbitrary generation, this applies a `minimum` constraint
* to ensure generated numbers are greater than or equal to the specified value.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThanOrEqualTo = /*#__PURE__*/ makeIsGreaterThanOrEqualTo({
	order: Number$4,
	annotate: (minimum) => ({
		representation: {
			id: "effect/schema/isGreaterThanOrEqualTo",
			payload: { minimum: encodeNumberPayload(minimum) }
		},
		toJsonSchema: () => ({ minimum }),
		toCode: () => ({ runtime: `Schema.isGreaterThanOrEqualTo(${format$1(minimum)})` })
	})
});
/**
* Validates that a number is less than the specified value (exclusive).
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to the `exclusiveMaximum` constraint in JSON Schema.
*
* Arbitrary:
*
* During arbitrary generation, this applies an
* `exclusiveMaximum` constraint to ensure generated numbers are less than the
* specified value.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThan = /*#__PURE__*/ makeIsLessThan({
	order: Number$4,
	annotate: (exclusiveMaximum) => ({
		representation: {
			id: "effect/schema/isLessThan",
			payload: { exclusiveMaximum: encodeNumberPayload(exclusiveMaximum) }
		},
		toJsonSchema: () => ({ exclusiveMaximum }),
		toCode: () => ({ runtime: `Schema.isLessThan(${format$1(exclusiveMaximum)})` })
	})
});
/**
* Validates that a number is less than or equal to the specified value
* (inclusive).
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to the `maximum` constraint in JSON Schema.
*
* Arbitrary:
*
* During arbitrary generation, this applies a `maximum` constraint
* to ensure generated numbers are less than or equal to the specified value.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThanOrEqualTo = /*#__PURE__*/ makeIsLessThanOrEqualTo({
	order: Number$4,
	annotate: (maximum) => ({
		representation: {
			id: "effect/schema/isLessThanOrEqualTo",
			payload: { maximum: encodeNumberPayload(maximum) }
		},
		toJsonSchema: () => ({ maximum }),
		toCode: () => ({ runtime: `Schema.isLessThanOrEqualTo(${format$1(maximum)})` })
	})
});
/**
* Validates that a number is within a specified range. The range boundaries can
* be inclusive or exclusive based on the provided options.
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to `minimum`/`maximum` or `exclusiveMinimum`/`exclusiveMaximum`
* constraints in JSON Schema, depending on the options provided.
*
* Arbitrary:
*
* During arbitrary generation, this applies `minimum` and
* `maximum` constraints with optional `exclusiveMinimum` and
* `exclusiveMaximum` flags to ensure generated numbers fall within the
* specified range.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isBetween = /*#__PURE__*/ makeIsBetween({
	order: Number$4,
	annotate: (options) => {
		const exclusiveMinimum = options.exclusiveMinimum ? true : void 0;
		const exclusiveMaximum = options.exclusiveMaximum ? true : void 0;
		return {
			representation: {
				id: "effect/schema/isBetween",
				payload: {
					minimum: encodeNumberPayload(options.minimum),
					maximum: encodeNumberPayload(options.maximum),
					...exclusiveMinimum && { exclusiveMinimum },
					...exclusiveMaximum && { exclusiveMaximum }
				}
			},
			toJsonSchema: () => ({
				[exclusiveMinimum ? "exclusiveMinimum" : "minimum"]: options.minimum,
				[exclusiveMaximum ? "exclusiveMaximum" : "maximum"]: options.maximum
			}),
			toCode: () => ({ runtime: `Schema.isBetween({ minimum: ${format$1(options.minimum)}, maximum: ${format$1(options.maximum)}, exclusiveMinimum: ${format$1(exclusiveMinimum)}, exclusiveMaximum: ${format$1(exclusiveMaximum)} })` })
		};
	}
});
/**
* Validates that a number is a safe integer (within the safe integer range
* that can be exactly represented in JavaScript).
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to `type: "integer"` with `minimum: Number.MIN_SAFE_INTEGER`
* and `maximum: Number.MAX_SAFE_INTEGER` in JSON Schema.
*
* Arbitrary:
*
* During arbitrary generation, this applies an integer constraint.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function isInt(annotations) {
	return makeFilter((n) => globalThis.Number.isSafeInteger(n), {
		expected: "an integer",
		representation: {
			id: "effect/schema/isInt",
			payload: null
		},
		toJsonSchema: () => ({
			type: "integer",
			minimum: globalThis.Number.MIN_SAFE_INTEGER,
			maximum: globalThis.Number.MAX_SAFE_INTEGER
		}),
		toCode: () => ({ runtime: "Schema.isInt()" }),
		arbitraryConstraint: { number: "integer" },
		...annotations
	});
}
/**
* Schema for integers, rejecting `NaN`, `Infinity`, and `-Infinity`.
*
* @stability stable
* @category schemas
* @since 3.10.0
*/
const Int = /*#__PURE__*/ Number$1.check(/*#__PURE__*/ isInt());
function encodeDatePayload(date) {
	if (globalThis.Number.isNaN(date.getTime())) throw new globalThis.RangeError(`Expected a valid Date, got ${format$1(date)}`);
	return date.toISOString();
}
function formatDateRuntime(date) {
	return `new globalThis.Date(${format$1(date.getTime())})`;
}
/**
* Validates that a Date is greater than the specified value (exclusive).
*
* **Details**
*
* Arbitrary:
*
* During arbitrary generation, this applies an exclusive lower bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThanDate = /*#__PURE__*/ makeIsGreaterThan({
	order: Date$3,
	annotate: (exclusiveMinimum) => {
		return {
			representation: {
				id: "effect/schema/isGreaterThanDate",
				payload: { exclusiveMinimum: encodeDatePayload(exclusiveMinimum) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isGreaterThanDate(${formatDateRuntime(exclusiveMinimum)})` })
		};
	}
});
/**
* Validates that a Date is greater than or equal to the specified date
* (inclusive).
*
* **Details**
*
* JSON Schema:
*
* This check does not have a direct JSON Schema equivalent, as JSON Schema
* validates date strings, not Date objects.
*
* Arbitrary:
*
* During arbitrary generation, this applies an inclusive lower bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThanOrEqualToDate = /*#__PURE__*/ makeIsGreaterThanOrEqualTo({
	order: Date$3,
	annotate: (minimum) => {
		return {
			representation: {
				id: "effect/schema/isGreaterThanOrEqualToDate",
				payload: { minimum: encodeDatePayload(minimum) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isGreaterThanOrEqualToDate(${formatDateRuntime(minimum)})` })
		};
	}
});
/**
* Validates that a Date is less than the specified value (exclusive).
*
* **Details**
*
* Arbitrary:
*
* During arbitrary generation, this applies an exclusive upper bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThanDate = /*#__PURE__*/ makeIsLessThan({
	order: Date$3,
	annotate: (exclusiveMaximum) => {
		return {
			representation: {
				id: "effect/schema/isLessThanDate",
				payload: { exclusiveMaximum: encodeDatePayload(exclusiveMaximum) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isLessThanDate(${formatDateRuntime(exclusiveMaximum)})` })
		};
	}
});
/**
* Validates that a Date is less than or equal to the specified date
* (inclusive).
*
* **Details**
*
* JSON Schema:
*
* This check does not have a direct JSON Schema equivalent, as JSON Schema
* validates date strings, not Date objects.
*
* Arbitrary:
*
* During arbitrary generation, this applies an inclusive upper bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThanOrEqualToDate = /*#__PURE__*/ makeIsLessThanOrEqualTo({
	order: Date$3,
	annotate: (maximum) => {
		return {
			representation: {
				id: "effect/schema/isLessThanOrEqualToDate",
				payload: { maximum: encodeDatePayload(maximum) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isLessThanOrEqualToDate(${formatDateRuntime(maximum)})` })
		};
	}
});
/**
* Validates that a Date is within a specified range. The range boundaries can
* be inclusive or exclusive based on the provided options.
*
* **Details**
*
* JSON Schema:
*
* This check does not have a direct JSON Schema equivalent, as JSON Schema
* validates date strings, not Date objects.
*
* Arbitrary:
*
* During arbitrary generation, this applies the specified lower and upper bounds.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isBetweenDate = /*#__PURE__*/ makeIsBetween({
	order: Date$3,
	annotate: (options) => {
		const exclusiveMinimum = options.exclusiveMinimum ? true : void 0;
		const exclusiveMaximum = options.exclusiveMaximum ? true : void 0;
		return {
			representation: {
				id: "effect/schema/isBetweenDate",
				payload: {
					minimum: encodeDatePayload(options.minimum),
					maximum: encodeDatePayload(options.maximum),
					...exclusiveMinimum && { exclusiveMinimum },
					...exclusiveMaximum && { exclusiveMaximum }
				}
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isBetweenDate({ minimum: ${formatDateRuntime(options.minimum)}, maximum: ${formatDateRuntime(options.maximum)}, exclusiveMinimum: ${format$1(exclusiveMinimum)}, exclusiveMaximum: ${format$1(exclusiveMaximum)} })` })
		};
	}
});
/**
* Validates that a BigInt is greater than the specified value (exclusive).
*
* **Details**
*
* Arbitrary:
*
* During arbitrary generation, this applies an exclusive lower bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThanBigInt = /*#__PURE__*/ makeIsGreaterThan({
	order: BigInt$4,
	annotate: (exclusiveMinimum) => {
		return {
			representation: {
				id: "effect/schema/isGreaterThanBigInt",
				payload: { exclusiveMinimum: exclusiveMinimum.toString(10) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isGreaterThanBigInt(${format$1(exclusiveMinimum)})` })
		};
	}
});
/**
* Validates that a BigInt is greater than or equal to the specified value
* (inclusive).
*
* **Details**
*
* Arbitrary:
*
* During arbitrary generation, this applies an inclusive lower bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThanOrEqualToBigInt = /*#__PURE__*/ makeIsGreaterThanOrEqualTo({
	order: BigInt$4,
	annotate: (minimum) => {
		return {
			representation: {
				id: "effect/schema/isGreaterThanOrEqualToBigInt",
				payload: { minimum: minimum.toString(10) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isGreaterThanOrEqualToBigInt(${format$1(minimum)})` })
		};
	}
});
/**
* Validates that a BigInt is less than the specified value (exclusive).
*
* **Details**
*
* Arbitrary:
*
* During arbitrary generation, this applies an exclusive upper bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThanBigInt = /*#__PURE__*/ makeIsLessThan({
	order: BigInt$4,
	annotate: (exclusiveMaximum) => {
		return {
			representation: {
				id: "effect/schema/isLessThanBigInt",
				payload: { exclusiveMaximum: exclusiveMaximum.toString(10) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isLessThanBigInt(${format$1(exclusiveMaximum)})` })
		};
	}
});
/**
* Validates that a BigInt is less than or equal to the specified value
* (inclusive).
*
* **Details**
*
* Arbitrary:
*
* During arbitrary generation, this applies an inclusive upper bound.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThanOrEqualToBigInt = /*#__PURE__*/ makeIsLessThanOrEqualTo({
	order: BigInt$4,
	annotate: (maximum) => {
		return {
			representation: {
				id: "effect/schema/isLessThanOrEqualToBigInt",
				payload: { maximum: maximum.toString(10) }
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isLessThanOrEqualToBigInt(${format$1(maximum)})` })
		};
	}
});
/**
* Validates that a BigInt is within a specified range. The range boundaries can
* be inclusive or exclusive based on the provided options.
*
* **Details**
*
* Arbitrary:
*
* During arbitrary generation, this applies the specified lower and upper bounds.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isBetweenBigInt = /*#__PURE__*/ makeIsBetween({
	order: BigInt$4,
	annotate: (options) => {
		const exclusiveMinimum = options.exclusiveMinimum ? true : void 0;
		const exclusiveMaximum = options.exclusiveMaximum ? true : void 0;
		return {
			representation: {
				id: "effect/schema/isBetweenBigInt",
				payload: {
					minimum: options.minimum.toString(10),
					maximum: options.maximum.toString(10),
					...exclusiveMinimum && { exclusiveMinimum },
					...exclusiveMaximum && { exclusiveMaximum }
				}
			},
			toJsonSchema: () => [{}, true],
			toCode: () => ({ runtime: `Schema.isBetweenBigInt({ minimum: ${format$1(options.minimum)}, maximum: ${format$1(options.maximum)}, exclusiveMinimum: ${format$1(exclusiveMinimum)}, exclusiveMaximum: ${format$1(exclusiveMaximum)} })` })
		};
	}
});
/**
* Validates that a value has at least the specified length. Works with strings
* and arrays.
*
* **Details**
*
* JSON Schema:
*
* The bound must be finite; it is rounded down and clamped to zero. For arrays,
* this check corresponds to `minItems`. JavaScript counts UTF-16 code units
* while JSON Schema counts Unicode code points, so strings use
* `minLength: Math.ceil(minLength / 2)`, the tightest lower bound that cannot
* reject a string accepted by this check.
*
* Arbitrary:
*
* During arbitrary generation, this applies a `minLength`
* constraint to ensure generated strings or arrays have at least the required
* length.
*
* **Example** (Checking minimum length)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const NonEmptyStringSchema = Schema.String.check(Schema.isMinLength(1))
* const NonEmptyArraySchema = Schema.Array(Schema.Number).check(Schema.isMinLength(1))
* Schema.is(NonEmptyStringSchema)("a") // => true
* Schema.is(NonEmptyArraySchema)([1]) // => true
* ```
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function isMinLength(minLength, annotations) {
	minLength = normalizeCardinality(minLength);
	return makeIsMinLength(minLength, Math.ceil(minLength / 2), annotations);
}
function makeIsMinLength(minLength, minCodePoints, annotations) {
	return makeFilter((input) => input.length >= minLength, {
		expected: `a value with a length of at least ${minLength}`,
		representation: {
			id: "effect/schema/isMinLength",
			payload: { minLength }
		},
		toJsonSchema: ({ type }) => type === "string" ? minLength <= 1 ? { minLength: minCodePoints } : [{ minLength: minCodePoints }, true] : type === "array" ? { minItems: minLength } : type === void 0 ? [{
			minLength: minCodePoints,
			minItems: minLength
		}, true] : [{}, true],
		toCode: () => ({ runtime: `Schema.isMinLength(${minLength})` }),
		[STRUCTURAL_ANNOTATION_KEY]: true,
		arbitraryConstraint: { minLength },
		...annotations
	});
}
/**
* Validates that a value has at least one element. Works with strings and arrays.
* This is equivalent to `isMinLength(1)`.
*
* **Details**
*
* JSON Schema:
*
* This check corresponds to the `minLength: 1` constraint for strings or the
* `minItems: 1` constraint for arrays in JSON Schema.
*
* Arbitrary:
*
* During arbitrary generation, this applies a `minLength: 1`
* constraint to ensure generated strings or arrays are non-empty.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function isNonEmpty(annotations) {
	return makeIsMinLength(1, 1, annotations);
}
/**
* Validates that a value has at most the specified length. Works with strings
* and arrays.
*
* **Details**
*
* JSON Schema:
*
* The bound must be finite; it is rounded down and clamped to zero. This check
* corresponds to `maxItems` for arrays. Strings use the same bound for
* `maxLength`, which cannot reject a string accepted by this check because a
* string has no more code points than UTF-16 code units.
*
* Arbitrary:
*
* During arbitrary generation, this applies a `maxLength`
* constraint to ensure generated strings or arrays have at most the required
* length.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
function isMaxLength(maxLength, annotations) {
	maxLength = normalizeCardinality(maxLength);
	return makeFilter((input) => input.length <= maxLength, {
		expected: `a value with a length of at most ${maxLength}`,
		representation: {
			id: "effect/schema/isMaxLength",
			payload: { maxLength }
		},
		toJsonSchema: ({ type }) => type === "string" ? maxLength === 0 ? { maxLength } : [{ maxLength }, true] : type === "array" ? { maxItems: maxLength } : type === void 0 ? [{
			maxLength,
			maxItems: maxLength
		}, true] : [{}, true],
		toCode: () => ({ runtime: `Schema.isMaxLength(${maxLength})` }),
		[STRUCTURAL_ANNOTATION_KEY]: true,
		arbitraryConstraint: { maxLength },
		...annotations
	});
}
function normalizeCardinality(value) {
	if (!globalThis.Number.isFinite(value)) throw new globalThis.RangeError(`Expected a finite number, got ${value}`);
	return Math.max(0, Math.floor(value));
}
/**
* Schema for non-empty strings. Validates that a string has at least one
* character.
*
* @stability stable
* @category schemas
* @since 3.10.0
*/
const NonEmptyString = /*#__PURE__*/ String$1.check(/*#__PURE__*/ isNonEmpty());
const getErrorOptionsKey = (options) => (options?.includeStack === true ? 1 : 0) | (options?.excludeCause === true ? 2 : 0);
const getErrorOptions = (key) => {
	switch (key) {
		case 0: return;
		case 1: return { includeStack: true };
		case 2: return { excludeCause: true };
		case 3: return {
			includeStack: true,
			excludeCause: true
		};
	}
};
const defectSchemaCache = [];
/**
* Schema for unexpected defect values represented as `unknown` with a JSON
* encoded form.
*
* **When to use**
*
* Use when you need a schema for `Cause` defects or other unexpected failures
* whose runtime value may be any value.
*
* **Details**
*
* The encoded side is {@link Json}. During decoding, JSON objects with a string
* `message` property are decoded into JavaScript `Error` values, preserving a
* non-default `name` and any string `stack`. Other JSON values decode
* unchanged.
*
* During encoding, JavaScript `Error` values encode to JSON objects with
* `name`, `message`, and optional `cause` properties. Pass
* `{ includeStack: true }` to include string stack traces in encoded `Error`
* defects, or `{ excludeCause: true }` to omit causes. Other values are
* serialized through Effect's JSON formatter and then parsed back into JSON
* when possible.
*
* **Gotchas**
*
* This schema is for carrying defects across JSON boundaries, not for
* preserving every JavaScript value exactly. Some values cannot round-trip
* unchanged:
*
* - A non-`Error` object such as `{ message: "boom" }` encodes as an
*   error-shaped JSON object and decodes back as an `Error`.
* - JSON serialization normalizes unsupported values. For example,
*   `undefined` array elements encode as `null`, unsupported object properties
*   are omitted, and circular references are dropped.
* - Values that cannot be represented as JSON fall back to Effect's formatted
*   string representation.
*
* @see {@link ErrorInstance} for a schema that only accepts JavaScript `Error` values.
* @stability stable
* @category schemas
* @since 4.0.0
*/
function Defect(options) {
	const key = getErrorOptionsKey(options);
	const cached = defectSchemaCache[key];
	if (cached !== void 0) return cached;
	const schema = Json.pipe(decodeTo(Unknown, defectFromJson(getErrorOptions(key))));
	defectSchemaCache[key] = schema;
	return schema;
}
/**
* Schema for JavaScript `RegExp` objects.
*
* **Details**
*
* The default JSON serializer encodes a `RegExp` as `{ source, flags }`.
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const RegExp$1 = /*#__PURE__*/ instanceOf(globalThis.RegExp, {
	representation: {
		id: "effect/schema/RegExp",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.RegExp`,
		Type: `globalThis.RegExp`
	}),
	expected: "RegExp",
	toCodecJson: () => link()(Struct({
		source: String$1,
		flags: String$1
	}), transformEffect({
		decode: (e, options) => try_({
			try: () => new globalThis.RegExp(e.source, e.flags),
			catch: () => new InvalidValue({ expected: "valid RegExp source and flags" }, e, options)
		}),
		encode: (regExp) => succeed$1({
			source: regExp.source,
			flags: regExp.flags
		})
	}))
});
const URLString = /*#__PURE__*/ String$1.annotate({ expected: "a string that will be decoded as a URL" });
/**
* Schema for JavaScript `URL` objects.
*
* **Details**
*
* Default JSON serializer:
*
* - encodes `URL` as a `string`
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const URL$1 = /*#__PURE__*/ instanceOf(globalThis.URL, {
	representation: {
		id: "effect/schema/URL",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.URL`,
		Type: `globalThis.URL`
	}),
	expected: "URL",
	toCodecJson: () => link()(URLString, urlFromString)
});
const DateString = /*#__PURE__*/ String$1.annotate({ expected: "a string that will be decoded as a Date" });
/**
* Schema for valid JavaScript `Date` objects.
*
* **When to use**
*
* Use to validate in-memory values that must already be valid JavaScript date
* objects.
*
* **Details**
*
* This schema accepts `Date` instances whose timestamp is not `NaN`. The
* default JSON serializer encodes dates as ISO 8601 strings.
*
* **Example** (Defining a Date schema)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const date = Schema.decodeUnknownSync(Schema.Date)(new Date("2024-01-01"))
* date.toISOString() // => "2024-01-01T00:00:00.000Z"
* ```
*
* @see {@link DateFromString} for decoding strings into Date instances
* @see {@link DateFromMillis} for decoding epoch milliseconds into Date instances
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const Date$1 = /*#__PURE__*/ declare((input) => input instanceof globalThis.Date && !globalThis.Number.isNaN(input.getTime()), {
	representation: {
		id: "effect/schema/Date",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.Date`,
		Type: `globalThis.Date`
	}),
	expected: "a valid Date",
	toCodecJson: () => link()(DateString, dateFromString)
});
const JsonString = /*#__PURE__*/ String$1.annotate({ expected: "a string that will be decoded as JSON" });
/**
* Returns a schema that decodes a JSON string and then decodes the parsed value
* using the given schema.
*
* **Details**
*
* This is useful when working with JSON-encoded strings where the actual
* structure of the value is known and described by an existing schema.
*
* During decoding, the resulting schema first parses the input string as JSON,
* using `reviver` when provided, and then runs the provided schema on the
* parsed result. During encoding, it first encodes with the provided schema and
* then passes the result to `JSON.stringify` with the optional `replacer` and
* `space`.
*
* **Example** (Formatting encoded JSON)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
*
* const schema = Schema.Struct({ a: Schema.Number })
* const schemaFromJsonString = Schema.fromJsonString(schema, { space: 2 })
*
* Schema.encodeSync(schemaFromJsonString)({ a: 1 }) // => "{\n  \"a\": 1\n}"
* ```
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
function fromJsonString(schema, options) {
	return JsonString.pipe(decodeTo(schema, fromJsonString$1(options)));
}
/**
* Schema for JavaScript `File` objects.
*
* **Details**
*
* The default JSON serializer encodes a `File` as `{ data, type, name, lastModified }`
* where `data` is base64-encoded.
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const File = /*#__PURE__*/ instanceOf(globalThis.File, {
	representation: {
		id: "effect/schema/File",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.File`,
		Type: `globalThis.File`
	}),
	expected: "File",
	toCodecJson: () => link()(Struct({
		data: String$1.check(isBase64()),
		type: String$1,
		name: String$1,
		lastModified: Int
	}), transformEffect({
		decode: (e, options) => match$4(decode(e.data), {
			onFailure: () => fail$1(new InvalidValue({ expected: "a valid Base64 string" }, e.data, options)),
			onSuccess: (bytes) => {
				const buffer = new globalThis.Uint8Array(bytes);
				return succeed$1(new globalThis.File([buffer], e.name, {
					type: e.type,
					lastModified: e.lastModified
				}));
			}
		}),
		encode: (file, options) => tryPromise({
			try: async () => {
				const bytes = new globalThis.Uint8Array(await file.arrayBuffer());
				return {
					data: encode(bytes),
					type: file.type,
					name: file.name,
					lastModified: file.lastModified
				};
			},
			catch: () => new InvalidValue({ expected: "a readable File" }, file, options)
		})
	}))
});
/**
* Schema for JavaScript `URLSearchParams` objects.
*
* **Details**
*
* The default JSON serializer encodes a `URLSearchParams` as a query string.
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const URLSearchParams$1 = /*#__PURE__*/ instanceOf(globalThis.URLSearchParams, {
	representation: {
		id: "effect/schema/URLSearchParams",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.URLSearchParams`,
		Type: `globalThis.URLSearchParams`
	}),
	expected: "URLSearchParams",
	toCodecJson: () => link()(String$1.annotate({ expected: "a query string that will be decoded as URLSearchParams" }), transform({
		decode: (e) => new globalThis.URLSearchParams(e),
		encode: (params) => params.toString()
	}))
});
const Base64String = /*#__PURE__*/ String$1.annotate({
	expected: "a base64 encoded string that will be decoded as Uint8Array",
	format: "byte",
	contentEncoding: "base64"
});
/**
* Schema for JavaScript `Uint8Array` objects.
*
* **Details**
*
* Default JSON serializer:
*
* The default JSON serializer encodes Uint8Array as a Base64 encoded string.
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const Uint8Array$1 = /*#__PURE__*/ instanceOf(globalThis.Uint8Array, {
	representation: {
		id: "effect/schema/Uint8Array",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.Uint8Array`,
		Type: `globalThis.Uint8Array`
	}),
	expected: "Uint8Array",
	toCodecJson: () => link()(Base64String, uint8ArrayFromBase64String)
});
/**
* Validates that a BigDecimal is greater than the specified value (exclusive).
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThanBigDecimal = /*#__PURE__*/ makeIsGreaterThan({
	order: Order,
	formatter: (bd) => format(bd)
});
/**
* Validates that a BigDecimal is greater than or equal to the specified value
* (inclusive).
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isGreaterThanOrEqualToBigDecimal = /*#__PURE__*/ makeIsGreaterThanOrEqualTo({
	order: Order,
	formatter: (bd) => format(bd)
});
/**
* Validates that a BigDecimal is less than the specified value (exclusive).
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThanBigDecimal = /*#__PURE__*/ makeIsLessThan({
	order: Order,
	formatter: (bd) => format(bd)
});
/**
* Validates that a BigDecimal is less than or equal to the specified value
* (inclusive).
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isLessThanOrEqualToBigDecimal = /*#__PURE__*/ makeIsLessThanOrEqualTo({
	order: Order,
	formatter: (bd) => format(bd)
});
/**
* Validates that a `BigDecimal` is within a specified range.
*
* **Details**
*
* The minimum and maximum boundaries are inclusive by default. Pass
* `exclusiveMinimum` or `exclusiveMaximum` to exclude either boundary.
*
* @stability stable
* @category validation
* @since 4.0.0
*/
const isBetweenBigDecimal = /*#__PURE__*/ makeIsBetween({
	order: Order,
	formatter: (bd) => format(bd)
});
/**
* Creates a schema for `Cause.Reason` values using separate schemas for typed
* failures and unexpected defects.
*
* **When to use**
*
* Use when serializing or decoding individual cause reasons separately from a
* full failure cause, with distinct schemas for typed errors and defects.
*
* **Details**
*
* `Fail` reasons use the `error` schema, `Die` reasons use the `defect` schema,
* and `Interrupt` reasons carry only an optional fiber id.
*
* @see {@link Cause} for constructing schemas for full Cause values
* @see {@link CauseReasonIso} for the ISO shape of each cause reason
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
function CauseReason(error, defect) {
	const schema = declareConstructor()([error, defect], ([error, defect]) => (input, ast, options) => {
		if (!isReason(input)) return fail$1(new InvalidType(ast, input, options));
		switch (input._tag) {
			case "Fail": return mapBothEager(decodeUnknownEffect$1(error)(input.error, options), {
				onSuccess: makeFailReason,
				onFailure: (issue) => makeCompositeAtKey(ast, "error", issue, input, options)
			});
			case "Die": return mapBothEager(decodeUnknownEffect$1(defect)(input.defect, options), {
				onSuccess: makeDieReason,
				onFailure: (issue) => makeCompositeAtKey(ast, "defect", issue, input, options)
			});
			case "Interrupt": return succeed$1(input);
		}
	}, {
		representation: {
			id: "effect/schema/CauseReason",
			payload: null
		},
		toCode: ({ typeParameters }) => ({
			runtime: `Schema.CauseReason(${typeParameters[0].runtime}, ${typeParameters[1].runtime})`,
			Type: `Cause.Failure<${typeParameters[0].Type}, ${typeParameters[1].Type}>`,
			importDeclarations: [`import * as Cause from "effect/Cause"`]
		}),
		expected: "Cause.Failure",
		toCodec: ([error, defect]) => link()(Union([
			Struct({
				_tag: Literal("Fail"),
				error
			}),
			Struct({
				_tag: Literal("Die"),
				defect
			}),
			Struct({
				_tag: Literal("Interrupt"),
				fiberId: UndefinedOr(Finite)
			})
		]), transform({
			decode: (e) => {
				switch (e._tag) {
					case "Fail": return makeFailReason(e.error);
					case "Die": return makeDieReason(e.defect);
					case "Interrupt": return makeInterruptReason(e.fiberId);
				}
			},
			encode: (reason) => {
				switch (reason._tag) {
					case "Fail": return {
						_tag: "Fail",
						error: reason.error
					};
					case "Die": return {
						_tag: "Die",
						defect: reason.defect
					};
					case "Interrupt": return {
						_tag: "Interrupt",
						fiberId: reason.fiberId
					};
				}
			}
		}))
	});
	return make(schema.ast, {
		error,
		defect
	});
}
/**
* Creates a schema for `Cause` values using separate schemas for typed failures
* and unexpected defects.
*
* **When to use**
*
* Use to validate, transform, or serialize Effect failure causes when typed
* failures and unexpected defects need separate schemas.
*
* **Details**
*
* The `error` schema is applied to `Fail` reasons and the `defect` schema is
* applied to `Die` reasons. Interrupt reasons do not use either schema and
* carry only an optional fiber id.
*
* @see {@link CauseReason} for the schema used by each individual cause reason
* @see {@link CauseIso} for the ordered array representation used by the schema ISO
*
* @stability stable
* @category schemas
* @since 3.10.0
*/
function Cause(error, defect) {
	const schema = declareConstructor()([error, defect], ([error, defect]) => {
		const failures = ArraySchema(CauseReason(error, defect));
		return (input, ast, options) => {
			if (!isCause(input)) return fail$1(new InvalidType(ast, input, options));
			return mapBothEager(decodeUnknownEffect$1(failures)(input.reasons, options), {
				onSuccess: fromReasons,
				onFailure: (issue) => makeCompositeAtKey(ast, "reasons", issue, input, options)
			});
		};
	}, {
		representation: {
			id: "effect/schema/Cause",
			payload: null
		},
		toCode: ({ typeParameters }) => ({
			runtime: `Schema.Cause(${typeParameters[0].runtime}, ${typeParameters[1].runtime})`,
			Type: `Cause.Cause<${typeParameters[0].Type}, ${typeParameters[1].Type}>`,
			importDeclarations: [`import * as Cause from "effect/Cause"`]
		}),
		expected: "Cause",
		toCodec: ([error, defect]) => link()(ArraySchema(CauseReason(error, defect)), transform({
			decode: fromReasons,
			encode: ({ reasons: failures }) => failures
		}))
	});
	return make(schema.ast, {
		error,
		defect
	});
}
function dateTimeUtcFromInput() {
	return transformEffect$1((input, options) => {
		return match$5(make$6(input), {
			onNone: () => fail$1(new InvalidValue({ message: "Invalid DateTime input" }, input, options)),
			onSome: (dt) => succeed$1(toUtc(dt))
		});
	});
}
const dateTimeUtcFromString = /*#__PURE__*/ transformEffect({
	decode: (s, options) => {
		return match$5(make$6(s), {
			onNone: () => fail$1(new InvalidValue({ expected: "a valid UTC DateTime string" }, s, options)),
			onSome: (result) => succeed$1(toUtc(result))
		});
	},
	encode: (utc) => succeed$1(formatIso(utc))
});
const arbitraryMinimumDateTimestamp = -864e13;
const arbitraryMaximumDateTimestamp = 864e13;
function dateTimeArbitraryBounds(constraint, domainMinimum, domainMaximum) {
	const minimum = Math.max(domainMinimum, constraint?.minimum === void 0 ? domainMinimum : constraint.minimum.epochMilliseconds + (constraint.exclusiveMinimum === true ? 1 : 0));
	const maximum = Math.min(domainMaximum, constraint?.maximum === void 0 ? domainMaximum : constraint.maximum.epochMilliseconds - (constraint.exclusiveMaximum === true ? 1 : 0));
	return minimum <= maximum ? [minimum, maximum] : [domainMinimum, domainMaximum];
}
function dateTimeArbitraryInteger(minimum, maximum) {
	return Int.check(isBetween({
		minimum,
		maximum
	}));
}
/**
* Schema for `DateTime.Utc` values.
*
* **When to use**
*
* Use to validate existing `DateTime.Utc` schema values and use the default JSON
* codec that represents them as UTC ISO strings.
*
* **Details**
*
* The default JSON codec decodes UTC ISO strings into `DateTime.Utc` values and
* encodes `DateTime.Utc` values as UTC ISO strings.
*
* @see {@link DateTimeUtcFromString} for decoding date-time strings into UTC values
* @see {@link DateTimeUtcFromDate} for decoding JavaScript Date values into UTC values
* @see {@link DateTimeUtcFromMillis} for decoding epoch milliseconds into UTC values
* @see {@link DateTimeZoned} for preserving zoned DateTime values
*
* @stability stable
* @category schemas
* @since 3.10.0
*/
const DateTimeUtc = /*#__PURE__*/ declare((u) => isDateTime(u) && isUtc(u), {
	representation: {
		id: "effect/schema/DateTimeUtc",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.DateTimeUtc`,
		Type: `DateTime.Utc`,
		importDeclarations: [`import * as DateTime from "effect/DateTime"`]
	}),
	expected: "DateTime.Utc",
	toCodecArbitrary: ({ constraint }) => {
		const [minimum, maximum] = dateTimeArbitraryBounds(constraint, arbitraryMinimumDateTimestamp, arbitraryMaximumDateTimestamp);
		return linkDecoding()(dateTimeArbitraryInteger(minimum, maximum), transform$1(makeUnsafe));
	},
	toCodecJson: () => link()(String$1, dateTimeUtcFromString),
	toFormatter: () => (utc) => utc.toString()
});
/**
* Schema that decodes a `Date` into a `DateTime.Utc`.
*
* **When to use**
*
* Use when you need to decode valid JavaScript `Date` objects into
* `DateTime.Utc` values.
*
* **Details**
*
* Decoding:
* - A **valid** `Date` is decoded as a `DateTime.Utc`
*
* Encoding:
* - A `DateTime.Utc` is encoded as a `Date`
*
* @see {@link DateTimeUtc} for validating values that are already `DateTime.Utc`
* @see {@link DateTimeUtcFromString} for decoding date-time strings into UTC values
* @see {@link DateTimeUtcFromMillis} for decoding epoch milliseconds into UTC values
* @see {@link Date} for validating Date instances without converting them
*
* @stability stable
* @category schemas
* @since 3.12.0
*/
const DateTimeUtcFromDate = /*#__PURE__*/ Date$1.pipe(/*#__PURE__*/ decodeTo(DateTimeUtc, {
	decode: /*#__PURE__*/ dateTimeUtcFromInput(),
	encode: /*#__PURE__*/ transform$1(toDateUtc)
}));
/**
* Schema that decodes a date-time string into a `DateTime.Utc`.
*
* **Details**
*
* Decoding:
*
* - A string accepted by `DateTime.make` is parsed and normalized to UTC. Strings
*   without an explicit zone are interpreted as UTC.
*
* Encoding:
*
* - A `DateTime.Utc` is encoded as a UTC ISO 8601 string.
*
* @see {@link DateTimeUtcFromDate} for decoding JavaScript Date values into UTC values
* @see {@link DateTimeUtcFromMillis} for decoding epoch milliseconds into UTC values
* @see {@link DateFromString} for decoding strings into JavaScript Date instances
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const DateTimeUtcFromString = /*#__PURE__*/ String$1.annotate({ expected: "a string that will be decoded as a DateTime.Utc" }).pipe(/*#__PURE__*/ decodeTo(DateTimeUtc, dateTimeUtcFromString));
/**
* Schema that decodes a number into a `DateTime.Utc`.
*
* **Details**
*
* Decoding:
* - A number of milliseconds since the Unix epoch is decoded as a `DateTime.Utc`
*
* Encoding:
* - A `DateTime.Utc` is encoded as a number of milliseconds since the Unix epoch.
*
* @see {@link DateTimeUtcFromDate} for decoding JavaScript Date values into UTC values
* @see {@link DateTimeUtcFromString} for decoding date-time strings into UTC values
* @see {@link DateFromMillis} for decoding epoch milliseconds into JavaScript Date instances
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const DateTimeUtcFromMillis = /*#__PURE__*/ Int.pipe(/*#__PURE__*/ decodeTo(DateTimeUtc, {
	decode: /*#__PURE__*/ dateTimeUtcFromInput(),
	encode: /*#__PURE__*/ transform$1(toEpochMillis)
}));
/**
* Schema for already-constructed IPv4 address values.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const Ipv4Address = /*#__PURE__*/ declare(isIpv4Address, { identifier: "Ipv4Address" });
/**
* Schema for already-constructed IPv6 address values.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const Ipv6Address = /*#__PURE__*/ declare(isIpv6Address, { identifier: "Ipv6Address" });
/**
* Schema for `Duration` values.
*
* **Details**
*
* The default JSON serializer encodes `Duration` as a tagged object with the
* duration type and value.
*
* **Example** (Defining a Duration schema)
*
* ```ts import.meta.vitest
* import { Duration, Schema } from "effect"
*
* Schema.decodeUnknownSync(Schema.Duration)(Duration.seconds(5)) // => Duration.seconds(5)
* ```
*
* @stability stable
* @category schemas
*
* @since 3.10.0
*/
const Duration = /*#__PURE__*/ declare(isDuration, {
	representation: {
		id: "effect/schema/Duration",
		payload: null
	},
	toCode: () => ({
		runtime: `Schema.Duration`,
		Type: `Duration.Duration`,
		importDeclarations: [`import * as Duration from "effect/Duration"`]
	}),
	expected: "Duration",
	toCodecJson: () => link()(Union([
		Struct({ _tag: Literal("Infinity") }),
		Struct({ _tag: Literal("NegativeInfinity") }),
		Struct({
			_tag: Literal("Nanos"),
			value: BigInt$1
		}),
		Struct({
			_tag: Literal("Millis"),
			value: Int
		})
	]), transform({
		decode: (e) => {
			switch (e._tag) {
				case "Infinity": return infinity;
				case "NegativeInfinity": return negativeInfinity;
				case "Nanos": return nanos(e.value);
				case "Millis": return millis(e.value);
			}
		},
		encode: (duration) => {
			switch (duration.value._tag) {
				case "Infinity": return { _tag: "Infinity" };
				case "NegativeInfinity": return { _tag: "NegativeInfinity" };
				case "Nanos": return {
					_tag: "Nanos",
					value: duration.value.nanos
				};
				case "Millis": return {
					_tag: "Millis",
					value: duration.value.millis
				};
			}
		}
	}))
});
const dnsCanonicalAddress = (schema, parse) => String$1.pipe(decodeTo(schema, transformEffect({
	decode: (input, options) => {
		const result = parse(input);
		if (isFailure$1(result)) return fail$1(new InvalidValue({ message: result.failure.message }, input, options));
		return formatIp(result.success) === input ? succeed$1(result.success) : fail$1(new InvalidValue({ message: "expected a canonical address" }, input, options));
	},
	encode: (address) => succeed$1(formatIp(address))
})));
const dnsUint32 = /*#__PURE__*/ Int.check(/*#__PURE__*/ isBetween({
	minimum: 0,
	maximum: 4294967295
}));
const dnsSeconds = /*#__PURE__*/ dnsUint32.pipe(/*#__PURE__*/ decodeTo(Duration, /*#__PURE__*/ transform({
	decode: seconds,
	encode: toSeconds
})));
const dnsRecordOfType = (type, fields) => declare((u) => isDnsRecord(u) && u._tag === type, {
	identifier: `Dns${type.charAt(0)}${type.slice(1).toLowerCase()}Record`,
	toCodecJson: () => {
		const json = TaggedStruct(type, fields);
		return link()(json, transformEffect({
			decode: (input, options) => {
				const { _tag, ...rest } = input;
				const result = makeRecord(type, rest);
				return isSuccess$1(result) ? succeed$1(result.success) : fail$1(new InvalidValue({ message: result.failure.message }, input, options));
			},
			encode: (record) => succeed$1({ ...record })
		}));
	}
});
/**
* Schema for already-constructed IPv4 address (`A`) DNS records.
*
* @stability experimental
* @category schemas
* @since 4.0.0
*/
const DnsARecord = /*#__PURE__*/ dnsRecordOfType("A", { address: /*#__PURE__*/ dnsCanonicalAddress(Ipv4Address, ipv4FromString) });
/**
* Schema for already-constructed IPv6 address (`AAAA`) DNS records.
*
* @stability experimental
* @category schemas
* @since 4.0.0
*/
const DnsAaaaRecord = /*#__PURE__*/ dnsRecordOfType("AAAA", { address: /*#__PURE__*/ dnsCanonicalAddress(Ipv6Address, ipv6FromString) });
/**
* Schema for HTTP cookie values.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const Cookie = /*#__PURE__*/ declare(isCookie, {
	representation: {
		id: "effect/http/Cookie",
		payload: null
	},
	toCode: () => ({
		runtime: "Schema.Cookie",
		Type: "Cookies.Cookie",
		importDeclarations: [`import * as Cookies from "effect/http/Cookies"`]
	}),
	expected: "Cookie"
});
/**
* Schema for HTTP cookie collections.
*
* **Details**
*
* JSON encoding uses `Set-Cookie` header strings, while isomorphic encoding uses
* a readonly record of cookie values.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const Cookies = /*#__PURE__*/ declare(isCookies, {
	representation: {
		id: "effect/http/Cookies",
		payload: null
	},
	toCode: () => ({
		runtime: "Schema.Cookies",
		Type: "Cookies.Cookies",
		importDeclarations: [`import * as Cookies from "effect/http/Cookies"`]
	}),
	expected: "Cookies",
	toCodecJson: () => link()(ArraySchema(String$1), transform({
		decode: fromSetCookie,
		encode: toSetCookieHeaders
	})),
	toCodecIso: () => link()(Record(String$1, Cookie), transform({
		decode: fromReadonlyRecord,
		encode: (cookies) => cookies.cookies
	}))
});
/**
* Schema that decodes HTTP cookies into a record of decoded string values keyed
* by cookie name.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const RecordFromCookies = /*#__PURE__*/ Cookies.pipe(/*#__PURE__*/ decodeTo(/*#__PURE__*/ Record(String$1, String$1), /*#__PURE__*/ transform({
	decode: toRecord$1,
	encode: (self) => fromIterable(globalThis.Object.entries(self).map(([name, value]) => makeCookieUnsafe(name, value)))
})));
/**
* Schema for HTTP URL parameters.
*
* **Details**
*
* The encoded representation is an array of string key-value tuples.
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const UrlParams = /*#__PURE__*/ declare(isUrlParams, {
	representation: {
		id: "effect/http/UrlParams",
		payload: null
	},
	toCode: () => ({
		runtime: "Schema.UrlParams",
		Type: "UrlParams.UrlParams",
		importDeclarations: [`import * as UrlParams from "effect/http/UrlParams"`]
	}),
	expected: "UrlParams",
	toEquivalence: () => Equivalence$1,
	toCodec: () => link()(ArraySchema(Tuple([String$1, String$1])), transform({
		decode: make$3,
		encode: (self) => self.params.map(([key, value]) => [key, unwrap(value)])
	}))
});
/**
* Schema that decodes URL parameters into a record of string values.
*
* **Details**
*
* Keys with one value decode to a string, and keys with multiple values decode to
* a non-empty readonly array of strings.
*
* **Example** (Decoding URL parameters to a record)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { UrlParams } from "effect/http"
*
* const toStruct = Schema.RecordFromUrlParams.pipe(
*   Schema.decodeTo(Schema.Struct({
*     some: Schema.String,
*     number: Schema.FiniteFromString
*   }))
* )
*
* const decoded = Schema.decodeSync(toStruct)(UrlParams.fromInput({
*   some: "value",
*   number: 42
* }))
* const result = [decoded.some, decoded.number] // => ["value", 42]
* ```
*
* @stability unstable
* @category schemas
* @since 4.0.0
*/
const RecordFromUrlParams = /*#__PURE__*/ UrlParams.pipe(/*#__PURE__*/ decodeTo(/*#__PURE__*/ Record(String$1, /*#__PURE__*/ Union([String$1, /*#__PURE__*/ NonEmptyArray(String$1)])), /*#__PURE__*/ transform({
	decode: toReadonlyRecord,
	encode: fromInput
})));
/**
* Schema for `Redacted` values, which hide their contents from inspection.
*
* **Details**
*
* Options:
*
* - `label`: When provided, the schema will behave as follows:
*   - Values will be validated against the label in addition to the wrapped schema
*   - The default JSON serializer will deserialize into a `Redacted` instance with the label
*   - The arbitrary generator will produce a `Redacted` instance with the label
*   - The formatter will return the label
* - `disallowJsonEncode`: When set to `true`, when attempting to encode a `Redacted` instance
*   into JSON, it will fail with an error. This is useful when the wrapped schema is
*   sensitive and should not be exposed in JSON.
*
* @see {@link RedactedFromValue} for decoding raw values and wrapping them in `Redacted`.
* @stability stable
* @category schemas
* @since 3.10.0
*/
function Redacted(value$3, options) {
	const label = typeof options?.label === "string" ? options.label : void 0;
	const disallowJsonEncode = options?.disallowJsonEncode === true;
	const normalizedOptions = label !== void 0 ? disallowJsonEncode ? {
		label,
		disallowJsonEncode: true
	} : { label } : disallowJsonEncode ? { disallowJsonEncode: true } : void 0;
	const decodeLabel = label !== void 0 ? decodeUnknownEffect$1(Literal(label)) : void 0;
	const schema = declareConstructor()([value$3], ([value$5]) => (input, ast, poptions) => {
		if (isRedacted(input)) {
			const label = decodeLabel !== void 0 ? mapErrorEager(decodeLabel(input.label, poptions), (issue) => new Pointer(["label"], issue)) : void_$1;
			return flatMapEager(label, () => mapBothEager(decodeUnknownEffect$1(value$5)(value(input), poptions), {
				onSuccess: (value) => make$5(value, { label: input.label }),
				onFailure: () => {
					return new Composite(ast, [new Pointer(["value"], new InvalidValue(void 0, input, poptions))], input, poptions);
				}
			}));
		}
		return fail$1(new InvalidType(ast, input, poptions));
	}, {
		representation: {
			id: "effect/schema/Redacted",
			payload: normalizedOptions ?? null
		},
		toCode: ({ typeParameters }) => ({
			runtime: normalizedOptions !== void 0 ? `Schema.Redacted(${typeParameters[0].runtime}, ${format$1(normalizedOptions)})` : `Schema.Redacted(${typeParameters[0].runtime})`,
			Type: `Redacted.Redacted<${typeParameters[0].Type}>`,
			importDeclarations: [`import * as Redacted from "effect/Redacted"`]
		}),
		expected: "Redacted",
		toCodecJson: ([value$2]) => link()(value$2, {
			decode: transform$1((e) => make$5(e, { label })),
			encode: disallowJsonEncode ? forbidden((oe) => "Cannot serialize Redacted" + (isSome(oe) && typeof oe.value.label === "string" ? ` with label: "${oe.value.label}"` : "")) : transform$1(value)
		}),
		toEquivalence: ([value]) => makeEquivalence(value)
	});
	return make(schema.ast, { value: value$3 });
}
/**
* Decodes a value and wraps it in `Redacted<A>`. Unlike {@link Redacted} which
* expects the input to already be a `Redacted` instance, this schema decodes
* the raw value and wraps it.
*
* @see {@link Redacted} for schemas whose input is already a `Redacted` value.
* @stability stable
* @category schemas
* @since 4.0.0
*/
function RedactedFromValue(value$4, options) {
	return decodeTo(Redacted(toType(value$4), {
		label: options?.label,
		disallowJsonEncode: options?.disallowEncode
	}), {
		decode: transform$1((t) => make$5(t, { label: options?.label })),
		encode: options?.disallowEncode ? forbidden((oe) => "Cannot encode Redacted" + (isSome(oe) && typeof oe.value.label === "string" ? ` with label: "${oe.value.label}"` : "")) : transform$1(value)
	})(value$4);
}
const immerable = /*#__PURE__*/ globalThis.Symbol.for("immer-draftable");
const payloadToken = {};
function makeClass(Inherited, identifier, struct$1, annotations, proto) {
	const getClassSchema = getClassSchemaFactory(struct$1, identifier, annotations);
	const ClassTypeId = getClassTypeId(identifier);
	const out = class extends Inherited {
		constructor(...[input, options]) {
			const payload = options?.["~payload"];
			const value = payload?.token === payloadToken ? payload.value : struct$1.make(input ?? {}, options);
			super(value, {
				...options,
				disableChecks: true,
				"~payload": {
					token: payloadToken,
					value
				}
			});
		}
		static [TypeId] = TypeId;
		get [ClassTypeId]() {
			return ClassTypeId;
		}
		static [immerable] = true;
		static identifier = identifier;
		static fields = struct$1.fields;
		static get ast() {
			return getClassSchema(this).ast;
		}
		static pipe() {
			return pipeArguments(this, arguments);
		}
		static rebuild(ast) {
			return getClassSchema(this).rebuild(ast);
		}
		static make(input, options) {
			return makeClassSync(toType$1(getClassSchema(this).ast), input ?? {}, options, (fields) => makeClassTrusted(this, fields));
		}
		static makeOption(input, options) {
			return makeOption(getClassSchema(this))(input ?? {}, options);
		}
		static makeEffect(input, options) {
			return getClassSchema(this).makeEffect(input ?? {}, options);
		}
		static annotate(annotations) {
			return this.rebuild(annotate$1(this.ast, annotations));
		}
		static annotateKey(annotations) {
			return this.rebuild(annotateKey(this.ast, annotations));
		}
		static check(...checks) {
			return this.rebuild(appendChecks(this.ast, checks));
		}
		static extend(identifier) {
			return (schema, annotations) => {
				const extension = isStruct(schema) ? schema : Struct(schema);
				const fields = {
					...struct$1.fields,
					...extension.fields
				};
				const ast = struct(fields, struct$1.ast.checks, { identifier });
				return makeClass(this, identifier, makeStruct(appendChecks(ast, extension.ast.checks), fields), annotations, proto);
			};
		}
		static mapFields(f, options) {
			return struct$1.mapFields(f, options);
		}
	};
	if (proto !== void 0) Object.assign(out.prototype, proto(identifier));
	return out;
}
/**
* Constructs a class instance from fields that were already validated against
* the class struct, without running the constructor's schema pass.
*
* @internal
*/
function makeClassTrusted(self, fields) {
	return new self(fields, { "~payload": {
		token: payloadToken,
		value: fields
	} });
}
function getClassTransformation(self) {
	return new Transformation(transform$1((input) => makeClassTrusted(self, input)), passthrough$1());
}
function getClassTypeId(identifier) {
	return `~effect/Schema/Class/${identifier}`;
}
function getClassSchemaFactory(from, identifier, annotations) {
	let memo;
	return (self) => {
		if (memo !== void 0) return memo;
		const ClassTypeId = getClassTypeId(identifier);
		const isClassValue = (input) => input instanceof self || hasProperty(input, ClassTypeId);
		const transformation = getClassTransformation(self);
		return memo = decodeTo(make(new Declaration([from.ast], () => (input, ast, options) => {
			return isClassValue(input) ? succeed$1(input) : fail$1(new InvalidType(ast, input, options));
		}, {
			identifier,
			[CONSTRUCTOR_ANNOTATION_KEY]: ([from]) => ({
				isConstructed: isClassValue,
				link: new Link(from, transformation)
			}),
			toCodec: ([from]) => new Link(from.ast, transformation),
			toEquivalence: ([from]) => from,
			toFormatter: ([from]) => (t) => `${self.identifier}(${from(t)})`,
			[SENTINELS_ANNOTATION_KEY]: collectSentinels(from.ast),
			...annotations
		})), transformation)(from);
	};
}
function isStruct(schema) {
	return isSchema(schema);
}
/**
* Creates a schema-backed error class that can be used as a typed,
* yieldable error in Effect programs. Combines {@link Class} validation with
* the `YieldableError` interface so instances can be yielded directly inside
* `Effect.gen`.
*
* **Example** (Schema-backed error)
*
* ```ts import.meta.vitest
* import { Effect, Schema } from "effect"
*
* class NotFound extends Schema.Error<NotFound>("NotFound")({
*   id: Schema.Number
* }) {}
*
* const program = Effect.gen(function*() {
*   yield* new NotFound({ id: 1 })
* })
* const error = await Effect.runPromise(Effect.flip(program))
* error.id // => 1
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const Error$1 = (identifier) => (schema, annotations) => {
	const struct = isStruct(schema) ? schema : Struct(schema);
	return makeClass(Error$3, identifier, struct, annotations, (identifier) => ({ name: identifier }));
};
/**
* Defines a schema-backed yieldable error class with an automatically populated
* `_tag` field.
*
* **When to use**
*
* Use to define typed errors that are schema validated, yielded in `Effect.gen`,
* and matched as tagged union members.
*
* **Example** (Defining a tagged error class)
*
* ```ts import.meta.vitest
* import { Effect, Schema } from "effect"
*
* class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
*   id: Schema.Number
* }) {}
*
* const program = Effect.gen(function*() {
*   yield* new NotFound({ id: 42 })
* })
* const error = await Effect.runPromise(Effect.flip(program))
* error._tag // => "NotFound"
* error.id // => 42
* ```
*
* @stability stable
* @category constructors
* @since 3.10.0
*/
const TaggedError = (identifier) => {
	return (tagValue, schema, annotations) => {
		const struct = isStruct(schema) ? schema.mapFields((fields) => ({
			_tag: tag(tagValue),
			...fields
		}), { unsafePreserveChecks: true }) : TaggedStruct(tagValue, schema);
		return Error$1(identifier ?? tagValue)(struct, annotations);
	};
};
/**
* Derives a canonical JSON codec from a schema. The encoded form is `Json`, and
* decoding produces the schema's `Type`.
*
* **Details**
*
* Derivation does not run transformations. Annotation links may be asynchronous,
* may fail, and may use optional services; the consuming parser chooses the
* execution and failure handling. Because hooks do not widen the returned
* service types, links cannot require services not declared by the input schema.
*
* **Gotchas**
*
* Declarations without a `toCodecJson` or `toCodec` annotation use `Json` as
* their encoded schema. This keeps codec construction total, but encoding or
* decoding can still fail when declaration values are not JSON values. A
* `toCodecJson` callback can return `undefined` when the declaration is already
* in canonical JSON form. When derivation adds an artificial transformation,
* checks and annotations remain on its source node rather than being copied to
* the JSON target. Source checks still run after the transformation.
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const toCodecJson = toCodecJson$1;
/**
* Converts a schema to the StringTree canonical codec, where every leaf value
* becomes a string while preserving the original structure.
*
* **Details**
*
* Derivation does not run transformations. Annotation links may be asynchronous,
* may fail, and may use optional services; the consuming parser chooses the
* execution and failure handling. Links cannot require services not declared by
* the input schema because hooks do not widen the returned service types.
*
* **Gotchas**
*
* Declarations must provide a structural `toCodecStringTree`, `toCodecJson`, or
* `toCodec` encoding. A callback can return `undefined` when the declaration is
* already in canonical StringTree form.
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const toCodecStringTree = toCodecStringTree$1;
/**
* Allows array schemas to decode from either an array input or a single value
* input.
*
* **When to use**
*
* Use when you need to accept transport formats that may represent a
* single-item array as a bare value, such as query-string or form-data adapters.
*
* **Gotchas**
*
* This combinator is intentionally not part of `toCodecStringTree`; it adds a
* decoding convenience rather than a canonical StringTree representation. It
* does not parse comma-separated strings.
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const toCodecArrayFromSingle = toCodecArrayFromSingle$1;
/**
* Schema that accepts and validates any immutable JSON-compatible value.
*
* **Example** (Validating a JSON value)
*
* ```ts import.meta.vitest
* import { Option, Schema } from "effect"
*
* Schema.decodeUnknownOption(Schema.Json)({ key: [1, true, null] }) // => Option.some({ key: [1, true, null] })
* ```
*
* @stability stable
* @category schemas
* @since 4.0.0
*/
const Json = /*#__PURE__*/ make(/*#__PURE__*/ annotate$1(Json$1, { toCode: () => ({
	runtime: "Schema.Json",
	Type: "Schema.Json"
}) }));

// node_modules/effect/dist/Runtime.js
/**
* Allows associating an exit code with an error for determining the process
* exit code on failure.
*
* **When to use**
*
* Use when error classes should map failures to a specific process exit code
* when handled by {@link defaultTeardown}.
*
* **Details**
*
* Attach this marker as a readonly property on an error object. When the main
* program fails, {@link defaultTeardown} squashes the Cause and reads the marker
* from the resulting error value.
*
* **Gotchas**
*
* The marker is read from the squashed failure value. If a Cause contains
* multiple failures, the selected squashed error determines the exit code.
*
* **Example** (Setting a process exit code)
*
* ```ts import.meta.vitest
* import { Data, Runtime } from "effect"
*
* class MyError extends Data.TaggedError("MyError") {
*   readonly [Runtime.errorExitCode] = 42
* }
*
* Runtime.getErrorExitCode(new MyError()) // => 42
* ```
*
* @see {@link errorReported} for controlling automatic error logging
* @see {@link defaultTeardown} for the default failure exit-code rules that read this marker
* @see {@link getErrorExitCode} for reading the marker from unknown error values
*
* @stability stable
* @category symbols
* @since 4.0.0
*/
const errorExitCode = "~effect/Runtime/errorExitCode";
/**
* Reads the runtime exit-code marker from an unknown error value.
*
* **When to use**
*
* Use to read a custom failure exit code from an unknown error value, falling
* back to the default failure code.
*
* **Details**
*
* Returns the numeric `[Runtime.errorExitCode]` property when it is present on
* an object. Otherwise returns `1`, the default failure exit code used by
* `defaultTeardown`.
*
* **Gotchas**
*
* Non-object values, missing markers, and non-number marker values all return
* `1`.
*
* @see {@link errorExitCode} for the marker read by this function
*
* @stability stable
* @category getters
* @since 4.0.0
*/
const getErrorExitCode = (u) => {
	if (typeof u === "object" && u !== null && "~effect/Runtime/errorExitCode" in u) {
		const code = u[errorExitCode];
		if (typeof code === "number") return code;
	}
	return 1;
};
/**
* Defines the runtime marker that controls default `runMain` error logging for an error.
*
* **When to use**
*
* Use when you need error classes reported by application code to avoid being
* logged again by the default main runner.
*
* **Details**
*
* Set `[Runtime.errorReported]` to `false` on an error object to suppress the
* runtime log because the error has already been reported. Omitted or
* non-boolean values are treated as `true`, so failures are logged by default.
*
* **Gotchas**
*
* This marker controls only automatic error logging. It does not change the
* failure Cause or the process exit code.
* `makeRunMain` reads the marker from `Cause.squash(cause)`, so for causes
* with multiple failures, the squashed error determines whether default logging
* is suppressed.
*
* **Example** (Suppressing error reporting)
*
* ```ts import.meta.vitest
* import { Data, Runtime } from "effect"
*
* class MyError extends Data.TaggedError("MyError") {
*   readonly [Runtime.errorReported] = false
* }
*
* Runtime.getErrorReported(new MyError()) // => false
* ```
*
* @see {@link errorExitCode} for controlling failure exit codes
* @see {@link getErrorReported} for reading the marker from unknown error values
*
* @stability stable
* @category symbols
* @since 4.0.0
*/
const errorReported = "~effect/Runtime/errorReported";

export { optional as $, matchCauseEffect$1 as $a, void_$2 as $i, catchIf as $n, Reference as $o, runForkWith as $r, NodeInspectSymbol as $s, getContent as $t, Union as A, ConsoleRef as Aa, StackTrace as Ai, set as An, findLast as Ao, mapEager as Ar, String$4 as As, getContextOwner as At, encodeKeys as B, exitZipRight as Ba, isDieReason as Bi, toEpochMillis as Bn, reverse as Bo, onExitPrimitive as Br, exitFail as Bs, isSuspend as Bt, SchemaError as C, _await as Ca, flow as Cc, void_$1 as Ci, CurrentRedactedNames$1 as Cn, isFinite$1 as Co, gen as Cr, isSome as Cs, STRING_PATTERN as Ct, TaggedError as D, isDoneUnsafe as Da, pipeArguments as Dc, withParentSpan as Di, isRedactedName$1 as Dn, ensure as Do, interruptible as Dr, none as Ds, applyToSelfOrLastLinkEncodingIdempotent as Dt, StructWithRest as E, isDone$1 as Ea, pipe as Ec, withFiber as Ei, fromRecordUnsafe as En, empty$3 as Eo, interrupt as Er, match$5 as Es, applyToSelfOrLastLinkEncoding as Et, brand as F, catchCauseFilter as Fa, fail$2 as Fi, empty$2 as Fn, isReadonlyArrayNonEmpty as Fo, matchCauseEffectEager as Fr, args as Fs, isLiteral as Ft, isBetween as G, fiberRunIn as Ga, makeFailReason as Gi, andThen as Gn, gen$2 as Go, promise as Gr, makePrimitive as Gs, resolveAt as Gt, encodeUnknownEffect as H, fiberEnterUninterruptibleUnsafe as Ha, isFailReason as Hi, acquireRelease as Hn, map$4 as Ho, option as Hr, exitSucceed as Hs, isVoid as Ht, catchDecoding as I, currentTimeMillis as Ia, fromReasons as Ii, fromSetCookie as In, map$3 as Io, matchEffect as Ir, causeFail as Is, isMutable as It, isPattern as J, fnUntraced$1 as Ja, fail$3 as Ji, cached as Jn, isFailure$1 as Jo, provideService as Jr, assignProperty as Js, toEncoded$1 as Jt, isMaxLength as K, findRecoverableError as Ka, reasonAnnotations as Ki, as as Kn, getOrThrow as Ko, provide as Kr, withFiber$1 as Ks, resolveDescription as Kt, declare as L, effectIsExit as La, hasInterrupts as Li, isEmpty as Ln, match$3 as Lo, never$1 as Lr, contA as Ls, isNull as Lt, Void as M, andThen$1 as Ma, combine as Mi, isRedacted as Mn, isArray as Mo, mapErrorEager as Mr, Prototype as Ms, getLastEncoding as Mt, annotate as N, asSome as Na, die$1 as Ni, make$5 as Nn, isArrayNonEmpty as No, match as Nr, Done$1 as Ns, isDeclaration as Nt, TrueLiterals as O, makeUnsafe$3 as Oa, zipWith as Oi, merge as On, findFirst as Oo, isEffect as Or, orElse as Os, decodeTo$1 as Ot, annotateEncoded as P, callback$1 as Pa, done as Pi, value as Pn, isCanonicalArrayIndex as Po, matchCauseEffect as Pr, PipeInspectableProto as Ps, isJson as Pt, makeFilter as Q, makeSpanUnsafe as Qa, succeed$2 as Qi, catchFilter as Qn, try_$2 as Qo, runFork as Qr, Class$1 as Qs, transformEffect as Qt, decodeTo as R, exitInterrupt as Ra, hasInterruptsOnly as Ri, parseHeader as Rn, of as Ro, onError as Rr, contE as Rs, isObjects as Rt, RedactedFromValue as S, provide$3 as Sa, dual as Sc, useSpan as Si, unwrap as Sn, fromInputUnsafe as So, fromResult as Sr, isNone as Ss, PropertySignature as St, Struct as T, fail$4 as Ta, memoize as Tc, withErrorReporting as Ti, fromInput$1 as Tn, toMillis as To, ignoreCause as Tr, map$6 as Ts, annotate$1 as Tt, fromJsonString as U, fiberInterrupt as Ua, isNoSuchElementError as Ui, addFinalizer as Un, all$2 as Uo, orDie as Ur, isEffect$1 as Us, mapOrSame as Ut, encodeSync as V, fiberEnterInterruptibleUnsafe as Va, isDone as Vi, decodeString as Vn, sort as Vo, onInterrupt as Vr, exitFailCause as Vs, isUnion as Vt, is as W, fiberJoin as Wa, makeDieReason as Wi, all as Wn, fail$6 as Wo, orElseSucceed as Wr, isExit as Ws, replaceContext as Wt, isSchemaError as X, loggerMake as Xa, isFailure as Xi, catchCause as Xn, map$5 as Xo, result as Xr, setStackTraceLimit as Xs, unknown as Xt, isSchema as Y, getCurrentFiber as Ya, failCause$1 as Yi, callback as Yn, isSuccess$1 as Yo, raceFirst as Yr, getStackTraceLimit as Ys, toType$1 as Yt, make as Z, makeLatchUnsafe as Za, isSuccess as Zi, catchEager as Zn, succeed$5 as Zo, runCallback as Zr, BaseProto as Zs, Transformation as Zt, NonEmptyString as _, close as _a, constFalse as _c, tryPromise as _i, setAll as _n, nativeTracer as _o, fnUntraced as _r, fromUndefinedOr as _s, decodeUnknownEffect$1 as _t, Boolean$1 as a, effectDiscard as aa, symbol as ac, scopedWith as ai, Pointer as an, succeed$4 as ao, contextWith as ar, getOrElse$1 as as, toType as at, Record as b, forkUnsafe as ba, constVoid as bc, uninterruptibleMask as bi, fromBody as bn, TaggedError$1 as bo, forkIn as br, getOrThrowWith$1 as bs, Never$1 as bt, DateTimeUtcFromString as c, provide$2 as ca, hasProperty as cc, succeed$1 as ci, IDENTIFIER_FALLBACK_KEY as cn, sync$2 as co, ensuring as cr, getUnsafe as cs, inetAddressFromIpString as ct, FalseLiterals as d, succeedContext as da, isNotUndefined as dc, suspend as di, resolveIdentifier$1 as dn, MinimumLogLevel as do, failCause as dr, merge$1 as ds, isUnspecified as dt, CurrentMemoMap as ea, toJson as ec, runPromise as ei, passthrough$1 as en, onExitPrimitive$1 as eo, catchReason as er, Service as es, optionalKey as et, Int as f, sync$1 as fa, isNullish as fc, sync as fi, resolveIdentifierFallback as fn, TracerTimingEnabled as fo, failSync as fr, omit$1 as fs, toUrl as ft, NonEmptyArray as g, addFinalizerExit as ga, isUndefined as gc, timeoutOrElse as gi, redactUrl as gn, externalSpan as go, fn as gr, fromNullishOr as gs, toCodecJsonAST as gt, Never as h, addFinalizer$1 as ha, isTagged as hc, tapError as hi, fromInput as hn, Tracer as ho, flatten as hr, flatMap$4 as hs, isSchemaError$1 as ht, ArraySchema as i, effectContext as ia, equals$1 as ic, scoped as ii, InvalidValue as in, scopeAddFinalizer as io, context as ir, getOption as is, toCodecStringTree as it, Unknown as j, CurrentLoggers as ja, UnknownError as ji, setAll$1 as jn, fromIterable$1 as jo, mapError as jr, mapInput as js, getIndexSignatureKeys as jt, UndefinedOr as k, ClockRef as ka, Done as ki, remove as kn, findFirstIndex as ko, map as kr, some as ks, getAST as kt, Defect as l, provideMerge as la, isFunction as lc, succeedNone as li, annotationExcludedKeys as ln, uninterruptibleMask$1 as lo, exit as lr, make$11 as ls, ipv4Loopback as lt, Literals as m, Scope as ma, isObjectKeyword as mc, tapCause as mi, empty as mn, ParentSpan as mo, flatMapEager as mr, filter as ms, concat as mt, errorReported as n, buildWithScope as na, formatPath as nc, runSyncExit as ni, transformOptional as nn, reportCauseUnsafe as no, catchTags as nr, empty$4 as ns, toCodecArrayFromSingle as nt, BooleanLiterals as o, fresh as oa, random$1 as oc, serviceOption as oi, defaultLeafHook as on, succeedNone$1 as oo, die as or, getOrUndefined$1 as os, withDecodingDefaultKey as ot, Literal as p, unwrap$1 as pa, isObject as pc, tap as pi, CurrentRedactedNames as pn, DisablePropagation as po, flatMap as pr, exists as ps, unixPathAddress as pt, isMinLength as q, flatMap$2 as qa, squash as qi, asVoid as qn, getOrUndefined as qo, provideContext as qr, assignProperties as qs, resolveIdentifier as qt, getErrorExitCode as r, effect as ra, redact$2 as rc, scope as ri, Forbidden as rn, scope$1 as ro, catch_ as rr, get as rs, toCodecJson as rt, Cause as s, mergeAll as sa, symbol$1 as sc, sleep as si, makeFormatterStandardSchemaV1 as sn, suspend$1 as so, effectify as sr, getOrUndefinedUnsafe as ss, formatIp as st, errorExitCode as t, buildWithMemoMap as ta, format$1 as tc, runSync$1 as ti, transformEffect$1 as tn, onExitUnsafe as to, catchTag as tr, add as ts, tag as tt, Error$1 as u, succeed$3 as ua, isNotNull as uc, succeedSome as ui, jsonSchemaAnnotationKeys as un, void_$3 as uo, fail$1 as ur, makeUnsafe$4 as us, isUnixPathAddress as ut, NullOr as v, closeUnsafe as va, constTrue as vc, try_ as vi, toRecord as vn, Error$2 as vo, forEach as vr, getOrElse$2 as vs, decodeUnknownExit as vt, String$1 as w, doneUnsafe as wa, identity as wc, whileLoop as wi, empty$1 as wn, seconds as wo, ignore as wr, liftThrowable as ws, Union$1 as wt, Redacted as x, makeUnsafe$2 as xa, constant as xc, updateContext as xi, toPath as xn, taggedEnum as xo, forkScoped as xr, getOrUndefined$2 as xs, Objects as xt, Number$1 as y, fork as ya, constUndefined as yc, uninterruptible as yi, toString as yn, TaggedClass as yo, forever as yr, getOrNull as ys, FINITE_PATTERN as yt, decodeUnknownEffect as z, exitVoid as za, isCause as zi, toSetCookieHeaders as zn, reduce as zo, onExit as zr, evaluate as zs, isOptional as zt };