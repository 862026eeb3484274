import { $a as matchCauseEffect, $o as Reference, $r as runForkWith, $s as NodeInspectSymbol, A as Union, An as set, B as encodeKeys, Ba as exitZipRight, Br as onExitPrimitive$1, Bs as exitFail, Ci as void_$1, Dc as pipeArguments, Ds as none, E as StructWithRest, En as fromRecordUnsafe, Eo as empty$5, Fa as catchCauseFilter$1, Fn as empty$9, Fo as isReadonlyArrayNonEmpty, Fs as args, Ga as fiberRunIn, Gn as andThen$1, Gr as promise, Gs as makePrimitive, H as encodeUnknownEffect, Hs as exitSucceed, I as catchDecoding, Ii as fromReasons, In as fromSetCookie, Io as map$3, Is as causeFail, Ji as fail$4, Jn as cached, Jo as isFailure, Ka as findRecoverableError, Kn as as, Ks as withFiber, Ma as andThen, Mo as isArray, Mr as mapErrorEager, Na as asSome, Ni as die$2, No as isArrayNonEmpty, Ns as Done, On as merge$2, P as annotateEncoded, Pa as callback$1, Pi as done, Pr as matchCauseEffect$1, Ps as PipeInspectableProto, Qi as succeed$3, Qo as try_, Qr as runFork, Qs as Class, Ra as exitInterrupt$1, Ro as of, Rr as onError, Sa as provide, Sc as dual, Sn as unwrap$2, Ss as isNone, T as Struct, Tn as fromInput$1, Ua as fiberInterrupt, Ui as isNoSuchElementError, Ur as orDie$2, Vi as isDone, Vs as exitFailCause, Wa as fiberJoin, Wo as fail$2, Ws as isExit, Xn as catchCause$2, Ya as getCurrentFiber, Yi as failCause$2, Yo as isSuccess, Za as makeLatchUnsafe, Zo as succeed$2, Zs as BaseProto, _a as close, _i as tryPromise, _n as setAll$1, _r as fnUntraced, ac as symbol$1, ai as scopedWith, ao as succeed$4, ar as contextWith, b as Record, ba as forkUnsafe, bc as constVoid, bn as fromBody, bo as TaggedError, br as forkIn, c as DateTimeUtcFromString, cc as hasProperty, ci as succeed$5, co as sync, cr as ensuring$2, di as suspend$3, dr as failCause$3, ec as toJson, ei as runPromise, eo as onExitPrimitive, et as optionalKey, fi as sync$1, ga as addFinalizerExit, gn as redactUrl, gs as fromNullishOr, ha as addFinalizer, hi as tapError$2, hn as fromInput, hr as flatten, ht as isSchemaError, i as ArraySchema, io as scopeAddFinalizer, ir as context, j as Unknown, jn as setAll, jr as mapError$2, ki as Done$1, kn as remove, kr as map$2, ks as some, li as succeedNone$1, lo as uninterruptibleMask, mn as empty$7, ns as empty$6, oc as random, oo as succeedNone, or as die$3, ot as withDecodingDefaultKey, pi as tap, pr as flatMap$1, qa as flatMap, qi as squash, qn as asVoid, qr as provideContext$2, rc as redact, ro as scope, rr as catch_$1, sc as symbol$2, so as suspend$2, t as errorExitCode, tc as format, ti as runSync, to as onExitUnsafe, tt as tag, u as Error, ui as succeedSome, uo as void_, ur as fail$3, vc as constTrue, vi as try_$1, w as String$1, wc as identity, wi as whileLoop, wn as empty$8, xa as makeUnsafe$2, xc as constant, xs as getOrUndefined, y as Number$1, yn as toString, yo as TaggedClass, yr as forever, za as exitVoid, zi as isCause, zr as onExit$1, zs as evaluate } from "./Runtime-CYnC2HYz.js";

// node_modules/effect/dist/internal/count.js
/**
* Normalizes a collection count to a non-negative integer. `NaN` and
* non-positive values become `0`; positive infinity is preserved.
*
* @internal
*/
const normalize = (n) => n > 0 ? Math.floor(n) : 0;
/**
* Normalizes a collection count to an integer greater than or equal to `1`.
*
* @internal
*/
const normalizeNonEmpty = (n) => Math.max(1, normalize(n));

// node_modules/effect/dist/Pull.js
/**
* Models one low-level pull step for stream-like consumers.
*
* A `Pull<A, E, Done, R>` is an `Effect` that can produce one `A`, fail with an
* ordinary error `E`, or signal end-of-input with `Cause.Done<Done>`. The
* separate done signal lets low-level consumers distinguish normal completion
* from failure. This module includes type extractors and helpers for detecting,
* filtering, catching, converting, and matching done signals separately from
* ordinary failures.
*
* @stability stable
* @since 4.0.0
*/
/**
* Handles `Cause.Done` failures in an effect while leaving ordinary failures
* in the error channel.
*
* **When to use**
*
* Use to recover from a `Cause.Done` completion signal in an effect, such as
* turning a pull leftover value into a successful recovery effect while
* preserving ordinary failures.
*
* **Details**
*
* The handler receives the done leftover value and may recover with a new
* effect. Non-done errors are preserved.
*
* @see {@link matchEffect} for handling success, ordinary failure, and done outcomes explicitly
* @see {@link filterDoneLeftover} for extracting a done leftover from an existing `Cause`
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchDone = /*#__PURE__*/ dual(2, (effect, f) => catchCauseFilter$1(effect, filterDoneLeftover, (l) => f(l)));
/**
* Checks whether a Cause contains any done errors.
*
* **When to use**
*
* Use when you need to test whether a pull failure cause represents normal
* completion and only need a boolean result.
*
* @see {@link isDoneFailure} for checking a single `Cause.Reason`
* @see {@link filterDone} for extracting the `Cause.Done` value from a `Cause`
* @see {@link filterNoDone} for selecting causes with no done failures
*
* @stability stable
* @category predicates
* @since 4.0.0
*/
const isDoneCause = (cause) => cause.reasons.some(isDoneFailure);
/**
* Checks whether a `Cause.Reason` is a `Fail` reason whose error is a
* `Cause.Done` signal.
*
* **When to use**
*
* Use when you need to identify done completion reasons while traversing
* `cause.reasons`, before handling ordinary failures.
*
* @see {@link isDoneCause} for checking an entire `Cause` for any done reason
* @see {@link filterDone} for extracting the `Cause.Done` value from a `Cause`
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isDoneFailure = (failure) => failure._tag === "Fail" && isDone(failure.error);
/**
* Finds a `Cause.Done` failure in a `Cause`.
*
* **When to use**
*
* Use to separate `Cause.Done` completion from ordinary causes while preserving
* the typed done value.
*
* **Details**
*
* Returns a successful `Result` with the `Cause.Done` value when the cause
* contains a done signal and no other failures besides interruptions. When the
* done signal was merged with a real failure (for example a failing
* finalizer), the `Result` fails with the remaining cause, stripped of the
* done signal. Without a done signal the `Result` fails with the original
* cause.
*
* @stability stable
* @category filtering
* @since 4.0.0
*/
const filterDone = (cause) => {
	let done;
	let hasFailure = false;
	for (const reason of cause.reasons) if (isDoneFailure(reason)) done ??= reason.error;
	else if (reason._tag !== "Interrupt") hasFailure = true;
	if (done === void 0) return fail$2(cause);
	return hasFailure ? fail$2(fromReasons(cause.reasons.filter((reason) => !isDoneFailure(reason)))) : succeed$2(done);
};
/**
* Filters a Cause to extract the leftover value from done errors.
*
* **When to use**
*
* Use to extract only the leftover value carried by a `Cause.Done` completion
* signal.
*
* @stability stable
* @category filtering
* @since 4.0.0
*/
const filterDoneLeftover = (cause) => {
	const done = filterDone(cause);
	return isFailure(done) ? done : succeed$2(done.success.value);
};
/**
* Converts a `Cause` into an `Exit`, treating `Cause.Done` as successful
* completion.
*
* **When to use**
*
* Use to produce an `Exit` for finalizing a low-level pull workflow when a
* `Cause.Done` signal should be treated as success and any remaining cause
* should fail.
*
* **Details**
*
* If the done signal is the only failure in the cause, its leftover becomes
* the successful value. Otherwise the non-done cause becomes the failure
* cause.
*
* @see {@link filterDone} for extracting the done signal without converting the cause to an `Exit`
* @see {@link matchEffect} for handling `Pull` success, failure, and done outcomes directly
*
* @stability stable
* @category converting
* @since 4.0.0
*/
const doneExitFromCause = (cause) => {
	const halt = filterDone(cause);
	return !isFailure(halt) ? succeed$3(halt.success.value) : failCause$2(halt.failure);
};
/**
* Pattern matches on a Pull, handling success, failure, and done cases.
*
* **When to use**
*
* Use to handle all three `Pull` outcomes with effectful handlers.
*
* **Example** (Matching Pull outcomes)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Pull } from "effect"
*
* const pull = Cause.done("stream ended")
*
* const result = Pull.matchEffect(pull, {
*   onSuccess: (value) => Effect.succeed(`Got value: ${value}`),
*   onFailure: (cause) => Effect.succeed(`Got error: ${cause}`),
*   onDone: (leftover) => Effect.succeed(`Stream halted with: ${leftover}`)
* })
*
* await Effect.runPromise(result) // => "Stream halted with: stream ended"
* ```
*
* @stability stable
* @category pattern matching
* @since 4.0.0
*/
const matchEffect = /*#__PURE__*/ dual(2, (self, options) => matchCauseEffect(self, {
	onSuccess: options.onSuccess,
	onFailure: (cause) => {
		const halt = filterDone(cause);
		return !isFailure(halt) ? options.onDone(halt.success.value) : options.onFailure(halt.failure);
	}
}));

// node_modules/effect/dist/Fiber.js
/**
* Joins a fiber, blocking until it completes. If the fiber succeeds,
* returns its value. If it fails, the error is propagated.
*
* **When to use**
*
* Use when you need a forked fiber's failure to fail the current Effect because
* that fiber is part of the current workflow.
*
* **Gotchas**
*
* Joining a failed fiber propagates the fiber's Cause. Use {@link await_ await} when
* you need to inspect the `Exit` instead of failing.
*
* **Example** (Joining a fiber)
*
* ```ts import.meta.vitest
* import { Effect, Fiber } from "effect"
*
* const program = Effect.gen(function*() {
*   const fiber = yield* Effect.forkChild(Effect.succeed(42))
*   return yield* Fiber.join(fiber)
* })
*
* const actual = await Effect.runPromise(program)
* actual // => 42
* ```
*
* @see {@link await_ await} for inspecting the fiber outcome as an Exit
*
* @stability stable
* @category combinators
* @since 2.0.0
*/
const join = fiberJoin;
/**
* Interrupts a fiber, causing it to stop executing and clean up any
* acquired resources.
*
* **When to use**
*
* Use when you need to cancel a forked fiber and wait for its cleanup to
* complete.
*
* **Details**
*
* The returned Effect completes only after the interrupted fiber has completed.
*
* **Gotchas**
*
* Interruption is cooperative. A fiber can continue running while it is inside
* uninterruptible work or finalizers.
*
* **Example** (Interrupting a fiber)
*
* ```ts import.meta.vitest
* import { Effect, Fiber } from "effect"
*
* const program = Effect.gen(function*() {
*   const fiber = yield* Effect.forkChild(
*     Effect.delay("1 second")(Effect.succeed(42))
*   )
*   yield* Fiber.interrupt(fiber)
* })
*
* await Effect.runPromise(program)
* ```
*
* @see {@link interruptAs} for specifying the interrupting fiber ID
* @see {@link await_ await} for observing the interrupted fiber's Exit
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const interrupt = fiberInterrupt;
/**
* Returns the current fiber if called from within a fiber context,
* otherwise returns `undefined`.
*
* **When to use**
*
* Use when you need low-level runtime integrations that need access to the currently
* executing fiber.
*
* **Gotchas**
*
* This is a synchronous accessor, not an Effect. It returns `undefined` outside
* an active fiber runtime context.
*
* **Example** (Getting the current fiber)
*
* ```ts import.meta.vitest
* import { Effect, Fiber } from "effect"
*
* const program = Effect.gen(function*() {
*   const current = Fiber.getCurrent()
*   return current !== undefined
* })
*
* const actual = await Effect.runPromise(program)
* actual // => true
* ```
*
* @stability stable
* @category getters
* @since 4.0.0
*/
const getCurrent = getCurrentFiber;
/**
* Adds a fiber to a `Scope` and returns the same fiber.
*
* **When to use**
*
* Use when a manually managed fiber should be interrupted when a Scope closes.
*
* **Details**
*
* When the scope is closed, the fiber is interrupted. If the scope is already
* closed, the fiber is interrupted immediately.
*
* **Gotchas**
*
* This does not wait for the fiber to complete. It only registers the
* interruption finalizer and returns the same fiber.
*
* @see {@link interrupt} for interrupting and waiting for completion
*
* @stability stable
* @category resource management
* @since 4.0.0
*/
const runIn = fiberRunIn;

// node_modules/effect/dist/Latch.js
/**
* Creates a `Latch` synchronously, outside of `Effect`.
*
* **When to use**
*
* Use when you need to allocate a `Latch` synchronously outside an Effect
* workflow.
*
* **Details**
*
* The latch starts closed by default; pass `true` to create it open.
*
* **Example** (Creating a latch unsafely)
*
* ```ts import.meta.vitest
* import { Effect, Fiber, Latch } from "effect"
*
* const latch = Latch.makeUnsafe(false)
* const waiter = latch.await.pipe(Effect.as("opened"))
*
* const program = Effect.gen(function*() {
*   const fiber = yield* Effect.forkChild(waiter)
*   yield* latch.open
*   return yield* Fiber.join(fiber)
* })
*
* await Effect.runPromise(program) // => "opened"
* ```
*
* @see {@link make} for creating a latch inside Effect code
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeUnsafe$1 = makeLatchUnsafe;

// node_modules/effect/dist/MutableRef.js
/**
* Stores synchronous mutable state in a small reference object.
*
* A `MutableRef<A>` stores one current value and exposes it through `.current`.
* Unlike `Ref`, its operations are synchronous and update the same object in
* place. This module includes pipeable helpers for reading, setting, comparing,
* and updating the value, plus numeric increment/decrement helpers and a
* boolean toggle helper.
*
* @stability stable
* @since 2.0.0
*/
const TypeId$10 = "~effect/MutableRef";
const MutableRefProto = {
	[TypeId$10]: TypeId$10,
	...PipeInspectableProto,
	[symbol$1](that) {
		return this === that;
	},
	[symbol$2]() {
		return random(this);
	},
	toJSON() {
		return {
			_id: "MutableRef",
			current: toJson(this.current)
		};
	}
};
/**
* Creates a new MutableRef with the specified initial value.
*
* **When to use**
*
* Use to create a synchronous `MutableRef` initialized with a value.
*
* **Example** (Creating mutable refs)
*
* ```ts import.meta.vitest
* import { MutableRef } from "effect"
*
* // Create a counter reference
* const counter = MutableRef.make(0)
*
* MutableRef.get(counter) // => 0
*
* // Create a configuration reference
* const config = MutableRef.make({ debug: false, timeout: 5000 })
*
* MutableRef.get(config) // => { debug: false, timeout: 5000 }
*
* // Create a string reference
* const status = MutableRef.make("idle")
* MutableRef.set(status, "running")
*
* MutableRef.get(status) // => "running"
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const make$5 = (value) => {
	const ref = Object.create(MutableRefProto);
	ref.current = value;
	return ref;
};

// node_modules/effect/dist/MutableList.js
/**
* Mutable lists for collecting ordered values and draining them from the front.
* A `MutableList<A>` can append values to the end, prepend values to the
* beginning, take one or more values from the front, inspect its contents as an
* array, filter values, remove values, and clear itself. All operations update
* the same list object in place and keep its `length` field current. Taking
* from an empty list returns the `Empty` symbol.
*
* @stability stable
* @since 4.0.0
*/
/**
* Defines the unique symbol used to represent an empty result when taking elements from a MutableList.
* This symbol is returned by `take` when the list is empty, allowing for safe type checking.
*
* **When to use**
*
* Use to detect that `take` returned no element before handling the result as a
* list item.
*
* **Example** (Checking for empty results)
*
* ```ts import.meta.vitest
* import { MutableList } from "effect"
*
* const list = MutableList.make<string>()
*
* MutableList.take(list) === MutableList.Empty // => true
* ```
*
* @stability stable
* @category symbols
* @since 4.0.0
*/
const Empty$1 = /*#__PURE__*/ Symbol.for("effect/MutableList/Empty");
/**
* Creates an empty MutableList.
*
* **Example** (Creating an empty mutable list)
*
* ```ts import.meta.vitest
* import { MutableList } from "effect"
*
* const list = MutableList.make<string>()
*
* list.length // => 0
* MutableList.append(list, "first")
* MutableList.take(list) // => "first"
* list.length // => 0
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const make$4 = () => ({
	head: void 0,
	tail: void 0,
	length: 0
});
const compactHead = (self) => {
	const head = self.head;
	if (head.offset >= 1024 && head === self.tail && head.mutable && (head.array.length - head.offset) * 8 <= head.offset) self.head = self.tail = {
		array: head.array.slice(head.offset),
		mutable: true,
		offset: 0,
		next: void 0
	};
};
const emptyBucket = () => ({
	array: [],
	mutable: true,
	offset: 0,
	next: void 0
});
/**
* Appends an element to the end of the MutableList.
* This operation is optimized for high-frequency usage.
*
* **Example** (Appending elements)
*
* ```ts import.meta.vitest
* import { MutableList } from "effect"
*
* const list = MutableList.make<number>()
* MutableList.append(list, 1)
* MutableList.append(list, 2)
* MutableList.append(list, 3)
*
* MutableList.toArray(list) // => [1, 2, 3]
* list.length // => 3
* ```
*
* @stability stable
* @category mutations
* @since 2.0.0
*/
const append = (self, message) => {
	if (!self.tail) self.head = self.tail = emptyBucket();
	else if (!self.tail.mutable) {
		self.tail.next = emptyBucket();
		self.tail = self.tail.next;
	}
	self.tail.array.push(message);
	self.length++;
};
/**
* Removes all elements from the MutableList, resetting it to an empty state.
* This operation is highly optimized and releases all internal memory.
*
* **Example** (Clearing a mutable list)
*
* ```ts import.meta.vitest
* import { MutableList } from "effect"
*
* const list = MutableList.make<number>()
* MutableList.appendAll(list, [1, 2, 3, 4, 5])
*
* MutableList.clear(list)
*
* MutableList.toArray(list) // => []
* list.length // => 0
* MutableList.take(list) === MutableList.Empty // => true
* ```
*
* @stability stable
* @category mutations
* @since 4.0.0
*/
const clear = (self) => {
	self.head = self.tail = void 0;
	self.length = 0;
};
/**
* Takes up to N elements from the beginning of the MutableList and returns them as an array.
* The taken elements are removed from the list. This operation is optimized for performance
* and includes zero-copy optimizations when possible.
*
* **Details**
*
* Finite fractional values of `n` are rounded down. `NaN` and non-positive
* values leave the list unchanged and return an empty array.
*
* **Example** (Taking batches)
*
* ```ts import.meta.vitest
* import { MutableList } from "effect"
*
* const list = MutableList.make<number>()
* MutableList.appendAll(list, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
*
* MutableList.takeN(list, 3) // => [1, 2, 3]
* MutableList.toArray(list) // => [4, 5, 6, 7, 8, 9, 10]
* list.length // => 7
* ```
*
* @stability stable
* @category mutations
* @since 4.0.0
*/
const takeN = (self, n) => {
	n = normalize(n);
	if (n <= 0 || !self.head) return [];
	n = Math.min(n, self.length);
	if (n === self.length && self.head?.offset === 0 && !self.head.next) {
		const array = self.head.array;
		clear(self);
		return array;
	}
	const array = new Array(n);
	let index = 0;
	let chunk = self.head;
	while (chunk) {
		while (chunk.offset < chunk.array.length) {
			array[index++] = chunk.array[chunk.offset];
			if (chunk.mutable) chunk.array[chunk.offset] = void 0;
			chunk.offset++;
			if (index === n) {
				self.head = chunk.offset === chunk.array.length && chunk.next ? chunk.next : chunk;
				self.length -= n;
				if (self.length === 0) clear(self);
				else compactHead(self);
				return array;
			}
		}
		chunk = chunk.next;
	}
	clear(self);
	return array;
};
/**
* Takes a single element from the beginning of the MutableList.
* Returns the element if available, or the Empty symbol if the list is empty.
* The taken element is removed from the list.
*
* **Example** (Taking one element)
*
* ```ts import.meta.vitest
* import { MutableList } from "effect"
*
* const list = MutableList.make<string>()
* MutableList.appendAll(list, ["first", "second", "third"])
*
* MutableList.take(list) // => "first"
* MutableList.toArray(list) // => ["second", "third"]
* list.length // => 2
* ```
*
* @stability stable
* @category mutations
* @since 4.0.0
*/
const take$1 = (self) => {
	if (!self.head) return Empty$1;
	const message = self.head.array[self.head.offset];
	if (self.head.mutable) self.head.array[self.head.offset] = void 0;
	self.head.offset++;
	self.length--;
	if (self.head.offset === self.head.array.length) {
		if (self.head.next) self.head = self.head.next;
		else clear(self);
	} else compactHead(self);
	return message;
};

// node_modules/effect/dist/Queue.js
const TypeId$9 = "~effect/Queue";
const EnqueueTypeId = "~effect/Queue/Enqueue";
const DequeueTypeId = "~effect/Queue/Dequeue";
const variance = {
	_A: identity,
	_E: identity
};
const QueueProto = {
	[TypeId$9]: variance,
	[EnqueueTypeId]: variance,
	[DequeueTypeId]: variance,
	...PipeInspectableProto,
	toJSON() {
		return {
			_id: "effect/Queue",
			state: this.state._tag,
			size: sizeUnsafe(this)
		};
	}
};
/**
* Creates a `Queue` with optional capacity and overflow strategy.
*
* **Details**
*
* By default the queue is unbounded and uses the `"suspend"` strategy. Provide
* `capacity` for a bounded queue and choose `"suspend"`, `"dropping"`, or
* `"sliding"` to control what happens when the queue is full. The returned
* queue can be offered to, taken from, failed, ended, interrupted, or shut down.
*
* **Example** (Creating queues)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.make<number, string | Cause.Done>()
*
*   // add messages to the queue
*   yield* Queue.offer(queue, 1)
*   yield* Queue.offer(queue, 2)
*   yield* Queue.offerAll(queue, [3, 4, 5])
*
*   // take messages from the queue
*   const messages = yield* Queue.takeAll(queue)
*
*   // signal that the queue is done
*   yield* Queue.end(queue)
*   const done = yield* Effect.flip(Queue.take(queue))
*
*   // signal that another queue has failed
*   const failedQueue = yield* Queue.make<number, string>()
*   const failed = yield* Queue.fail(failedQueue, "boom")
*   return { messages, done, failed }
* })
*
* await Effect.runPromise(program) // => { messages: [1, 2, 3, 4, 5], done: Cause.Done(), failed: true }
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const make$3 = (options) => withFiber((fiber) => {
	const self = Object.create(QueueProto);
	self.dispatcher = fiber.currentDispatcher;
	self.capacity = options?.capacity ?? Number.POSITIVE_INFINITY;
	self.strategy = options?.strategy ?? "suspend";
	self.messages = make$4();
	self.scheduleRunning = false;
	self.state = {
		_tag: "Open",
		takers: /* @__PURE__ */ new Set(),
		offers: /* @__PURE__ */ new Set(),
		awaiters: /* @__PURE__ */ new Set()
	};
	return succeed$4(self);
});
/**
* Creates a bounded queue with the specified capacity that uses backpressure strategy.
*
* **Details**
*
* When the queue reaches capacity, producers will be suspended until space becomes available.
* This ensures all messages are processed but may slow down producers.
*
* **Example** (Creating bounded queues)
*
* ```ts import.meta.vitest
* import { Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<string>(5)
*
*   // This will succeed as queue has capacity
*   yield* Queue.offer(queue, "first")
*   yield* Queue.offer(queue, "second")
*
*   const size = yield* Queue.size(queue)
*   return size
* })
*
* await Effect.runPromise(program) // => 2
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const bounded = (capacity) => make$3({ capacity });
/**
* Creates a bounded queue with sliding strategy. When the queue reaches capacity,
* new elements are added and the oldest elements are dropped.
*
* **When to use**
*
* Use when you need producer offers not to block and can accept dropping the
* oldest messages, such as when maintaining a rolling window of recent values.
*
* **Example** (Creating sliding queues)
*
* ```ts import.meta.vitest
* import { Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.sliding<number>(3)
*
*   // Fill the queue to capacity
*   yield* Queue.offer(queue, 1)
*   yield* Queue.offer(queue, 2)
*   yield* Queue.offer(queue, 3)
*
*   // This will succeed, dropping the oldest element (1)
*   yield* Queue.offer(queue, 4)
*
*   const all = yield* Queue.takeAll(queue)
*   return all
* })
*
* await Effect.runPromise(program) // => [2, 3, 4]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const sliding = (capacity) => make$3({
	capacity,
	strategy: "sliding"
});
/**
* Adds a message to the queue. Returns `false` if the queue is done.
*
* **Details**
*
* For bounded queues, this operation may suspend if the queue is at capacity,
* depending on the backpressure strategy. For dropping/sliding queues, it may
* return false or succeed immediately by dropping/sliding existing messages.
*
* **Example** (Offering a value)
*
* ```ts import.meta.vitest
* import { Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number>(3)
*
*   // Successfully add messages to queue
*   const success1 = yield* Queue.offer(queue, 1)
*   const success2 = yield* Queue.offer(queue, 2)
*
*   // Queue state
*   const size = yield* Queue.size(queue)
*   return { offered: [success1, success2], size }
* })
*
* await Effect.runPromise(program) // => { offered: [true, true], size: 2 }
* ```
*
* @stability stable
* @category offering
* @since 2.0.0
*/
const offer = /*#__PURE__*/ dual(2, (self, message) => suspend$2(() => offerUnsafe(self, message) ? exitTrue : self.state._tag === "Open" && self.strategy === "suspend" ? offerOrWait(self, message) : exitFalse));
/**
* Adds a message to the queue synchronously. Returns `false` without adding the
* message if the queue is closing or done, or if it is full with a non-sliding
* strategy (`"suspend"` or `"dropping"`). A queue with non-positive capacity can
* still accept a message when a taker is waiting.
*
* **When to use**
*
* Use when you are already in synchronous queue internals or a performance
* boundary where wrapping the mutation in `Effect` is intentionally avoided.
*
* **Gotchas**
*
* This is an unsafe operation that directly modifies the queue without Effect wrapping.
* Use this only when you're certain about the synchronous nature of the operation.
*
* **Example** (Offering a value synchronously)
*
* ```ts import.meta.vitest
* import { Effect, Queue } from "effect"
*
* // Create a queue effect and extract the queue for unsafe operations
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number>(3)
*
*   // Add messages synchronously using unsafe API
*   const success1 = Queue.offerUnsafe(queue, 1)
*   const success2 = Queue.offerUnsafe(queue, 2)
*
*   // Check current size
*   const size = Queue.sizeUnsafe(queue)
*   return { offered: [success1, success2], size }
* })
*
* await Effect.runPromise(program) // => { offered: [true, true], size: 2 }
* ```
*
* @stability stable
* @category offering
* @since 4.0.0
*/
const offerUnsafe = (self, message) => {
	if (self.state._tag !== "Open") return false;
	else if (self.messages.length >= self.capacity) {
		if (self.strategy === "sliding") {
			take$1(self.messages);
			append(self.messages, message);
			return true;
		} else if (self.capacity <= 0 && self.state.takers.size > 0) {
			append(self.messages, message);
			releaseTakers(self);
			return true;
		}
		return false;
	}
	append(self.messages, message);
	scheduleReleaseTaker(self);
	return true;
};
/**
* Fails the queue with a cause. If the queue is already done, `false` is
* returned.
*
* **Example** (Failing queues with a cause)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Exit, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number, string>(10)
*
*   // Create a cause and fail the queue
*   const cause = Cause.fail("Queue processing failed")
*   const failed = yield* Queue.failCause(queue, cause)
*
*   // The queue is now done with the specified failure cause
*   const exit = yield* Effect.exit(Queue.take(queue))
*   return [failed, exit]
* })
*
* await Effect.runPromise(program) // => [true, Exit.failCause(Cause.fail("Queue processing failed"))]
* ```
*
* @stability stable
* @category completion
* @since 4.0.0
*/
const failCause$1 = /*#__PURE__*/ dual(2, (self, cause) => sync(() => failCauseUnsafe(self, cause)));
/**
* Fails the queue with a cause synchronously. If the queue is already done, `false` is
* returned.
*
* **When to use**
*
* Use when queue completion must be driven from synchronous internals while
* preserving the full failure `Cause`.
*
* **Gotchas**
*
* This is an unsafe operation that directly modifies the queue without Effect wrapping.
*
* **Example** (Failing queues with a cause synchronously)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Exit, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number, string>(10)
*
*   // Create a cause and fail the queue synchronously
*   const cause = Cause.fail("Processing error")
*   const failed = Queue.failCauseUnsafe(queue, cause)
*
*   // The queue is now done with the specified failure cause
*   const exit = Queue.takeUnsafe(queue)
*   return [failed, exit]
* })
*
* await Effect.runPromise(program) // => [true, Exit.failCause(Cause.fail("Processing error"))]
* ```
*
* @stability stable
* @category completion
* @since 4.0.0
*/
const failCauseUnsafe = (self, cause) => {
	if (self.state._tag !== "Open") return false;
	const exit = exitFailCause(cause);
	const fail = exitZipRight(exit, exitFailDone);
	if (self.state.offers.size === 0 && self.messages.length === 0) {
		finalize(self, fail);
		return true;
	}
	self.state = {
		...self.state,
		_tag: "Closing",
		exit: fail
	};
	scheduleReleaseTaker(self);
	return true;
};
/**
* Signals queue completion synchronously.
*
* **When to use**
*
* Use when implementing low-level queue integrations that must complete a queue
* without wrapping the operation in `Effect`.
*
* **Details**
*
* Returns `false` if the queue is already done.
*
* **Gotchas**
*
* This is an unsafe operation that directly modifies the queue without Effect wrapping.
*
* **Example** (Ending queues synchronously)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Queue } from "effect"
*
* // Create a queue and use unsafe operations
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number, Cause.Done>(10)
*
*   // Add some messages
*   Queue.offerUnsafe(queue, 1)
*   Queue.offerUnsafe(queue, 2)
*
*   // End the queue synchronously
*   const ended = Queue.endUnsafe(queue)
*
*   // Existing messages can still be consumed while the queue is closing
*   const states = [queue.state._tag]
*
*   Queue.takeUnsafe(queue)
*   Queue.takeUnsafe(queue)
*
*   // After buffered messages are consumed, the queue is done
*   states.push(queue.state._tag)
*   return { ended, states }
* })
*
* await Effect.runPromise(program) // => { ended: true, states: ["Closing", "Done"] }
* ```
*
* @stability stable
* @category completion
* @since 4.0.0
*/
const endUnsafe = (self) => failCauseUnsafe(self, causeFail(Done()));
/**
* Shuts down the queue immediately, discarding buffered messages and resuming
* pending operations.
*
* **Details**
*
* Returns `true` when the queue is shut down by this call, or `false` when it
* has already been shut down or completed.
*
* **Example** (Shutting down queues)
*
* ```ts import.meta.vitest
* import { Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number>(2)
*
*   // Add messages
*   yield* Queue.offer(queue, 1)
*   yield* Queue.offer(queue, 2)
*
*   // Shutdown clears buffered messages and prevents further offers
*   const wasShutdown = yield* Queue.shutdown(queue)
*
*   // Queue is now done and cleared
*   const size = yield* Queue.size(queue)
*   return { wasShutdown, size }
* })
*
* await Effect.runPromise(program) // => { wasShutdown: true, size: 0 }
* ```
*
* @see {@link shutdownUnsafe} for synchronous shutdown
* @stability stable
* @category completion
* @since 2.0.0
*/
const shutdown = (self) => sync(() => shutdownUnsafe(self));
/**
* Shuts down the queue synchronously, discarding buffered messages and resuming
* pending operations.
*
* **When to use**
*
* Use when a synchronous callback must discard buffered messages and settle
* pending queue operations before returning.
*
* **Details**
*
* An open queue completes with an interruption. A queue already closing retains
* its completion cause. Call `failCauseUnsafe` first to shut down with a specific
* failure. Returns `true` when the queue is shut down by this call, or `false`
* when it has already been shut down or completed.
*
* @see {@link shutdown} for the effectful variant
* @see {@link failCauseUnsafe} to set a failure before discarding buffered messages
* @stability stable
* @category completion
* @since 4.0.0
*/
const shutdownUnsafe = (self) => {
	if (self.state._tag === "Done") return false;
	clear(self.messages);
	const offers = self.state.offers;
	finalize(self, self.state._tag === "Open" ? exitInterrupt : self.state.exit);
	for (const entry of offers) resumeUnoffered(entry);
	return true;
};
/**
* Takes all currently available messages, waiting until at least one message
* is available when the queue is empty.
*
* **When to use**
*
* Use when consumers should process the next non-empty batch of buffered
* messages instead of repeatedly taking one message at a time.
*
* **Details**
*
* Returns a non-empty array. If the queue completes or fails before a message
* can be taken, the effect fails with the queue's terminal error.
*
* **Example** (Taking all available values)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number, Cause.Done>(5)
*
*   // Add several messages
*   yield* Queue.offerAll(queue, [1, 2, 3, 4, 5])
*
*   // Take all available messages
*   const messages1 = yield* Queue.takeAll(queue)
*   return messages1
* })
*
* await Effect.runPromise(program) // => [1, 2, 3, 4, 5]
* ```
*
* @stability stable
* @category taking
* @since 2.0.0
*/
const takeAll = (self) => takeBetween(self, 1, Number.POSITIVE_INFINITY);
/**
* Takes between `min` and `max` messages from the queue.
*
* **Details**
*
* The operation waits when fewer than the required minimum messages are
* available. It returns at most `max` messages. Finite fractional bounds are
* rounded down, while `NaN` and non-positive bounds are treated as `0`. If the
* queue is closing, drains the currently available messages even when fewer
* than `min` are available. Once the queue is done, the effect fails with the
* queue's terminal error.
*
* **Example** (Taking a bounded batch of values)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number>(10)
*
*   // Add several messages
*   yield* Queue.offerAll(queue, [1, 2, 3, 4, 5, 6, 7, 8])
*
*   // Take between 2 and 5 messages
*   const batch1 = yield* Queue.takeBetween(queue, 2, 5)
*
*   // Take between 1 and 10 messages (but only 3 remain)
*   const batch2 = yield* Queue.takeBetween(queue, 1, 10)
*
*   // No more messages available, will wait or return done
*   // const batch3 = yield* Queue.takeBetween(queue, 1, 3)
*   return [batch1, batch2]
* })
*
* await Effect.runPromise(program) // => [[1, 2, 3, 4, 5], [6, 7, 8]]
* ```
*
* @stability stable
* @category taking
* @since 2.0.0
*/
const takeBetween = /*#__PURE__*/ dual(3, (self, min, max) => {
	min = normalize(min);
	max = normalize(max);
	return suspendTake(() => takeBetweenUnsafe(self, min, max) ?? andThen(awaitTake(self, () => canTake(self, min)), takeBetween(self, min, max)));
});
/**
* Takes a single message from the queue, or wait for a message to be
* available.
*
* **Details**
*
* If the queue is done, it will fail with `Done`. If the
* queue fails, the Effect will fail with the error.
*
* **Example** (Taking one value)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Exit, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<string, Cause.Done>(3)
*
*   // Add some messages
*   yield* Queue.offer(queue, "first")
*   yield* Queue.offer(queue, "second")
*
*   // Take messages one by one
*   const msg1 = yield* Queue.take(queue)
*   const msg2 = yield* Queue.take(queue)
*
*   // End the queue
*   yield* Queue.end(queue)
*
*   // Taking from an ended queue fails with Done
*   const result = yield* Effect.exit(Queue.take(queue))
*   return [[msg1, msg2], result]
* })
*
* await Effect.runPromise(program) // => [["first", "second"], Exit.fail(Cause.Done())]
* ```
*
* @stability stable
* @category taking
* @since 2.0.0
*/
const take = (self) => suspendTake(() => takeUnsafe(self) ?? andThen(awaitTake(self, () => canTake(self, 1)), take(self)));
/**
* Attempts to take one item from the queue without waiting.
*
* **Details**
*
* Returns `Option.some` when an item is immediately available. Returns
* `Option.none` when no item is available, when the queue is done, or when the
* immediate take observes a queue failure.
*
* **Example** (Polling without blocking)
*
* ```ts import.meta.vitest
* import { Effect, Option, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number>(10)
*
*   // Poll returns Option.none if empty
*   const maybe1 = yield* Queue.poll(queue)
*
*   // Add an item
*   yield* Queue.offer(queue, 42)
*
*   // Poll returns Option.some with the item
*   const maybe2 = yield* Queue.poll(queue)
*   return [maybe1, maybe2]
* })
*
* await Effect.runPromise(program) // => [Option.none(), Option.some(42)]
* ```
*
* @stability stable
* @category taking
* @since 2.0.0
*/
const poll = (self) => suspendTake(() => {
	const result = takeUnsafe(self);
	if (result === void 0) return succeed$4(none());
	if (result._tag === "Success") return succeed$4(some(result.value));
	return succeed$4(none());
});
/**
* Attempts to take one message from the queue synchronously.
*
* **When to use**
*
* Use when polling queue internals must not suspend or register a waiting taker,
* and `undefined` is an acceptable result for an empty queue.
*
* **Details**
*
* Returns an `Exit` for an immediately available message or for the queue's
* terminal state. Returns `undefined` when no message is immediately available.
* This operation does not wait or register a taker.
*
* **Example** (Taking one value synchronously)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Queue } from "effect"
*
* // Create a queue and use unsafe operations
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number>(10)
*
*   // Add some messages
*   Queue.offerUnsafe(queue, 1)
*   Queue.offerUnsafe(queue, 2)
*
*   // Take a message synchronously
*   const result1 = Queue.takeUnsafe(queue)
*
*   const result2 = Queue.takeUnsafe(queue)
*
*   // No more messages - returns undefined
*   const result3 = Queue.takeUnsafe(queue)
*   return [result1, result2, result3]
* })
*
* await Effect.runPromise(program) // => [Exit.succeed(1), Exit.succeed(2), undefined]
* ```
*
* @stability stable
* @category taking
* @since 4.0.0
*/
const takeUnsafe = (self) => {
	if (self.state._tag === "Done") return self.state.exit;
	if (self.messages.length > 0) {
		const message = take$1(self.messages);
		releaseCapacity(self);
		return exitSucceed(message);
	} else if (self.capacity <= 0 && self.state.offers.size > 0) {
		const message = takeOfferUnsafe(self.state.offers);
		releaseCapacity(self);
		return exitSucceed(message);
	}
};
/**
* Returns the current number of buffered messages in the queue synchronously.
*
* **When to use**
*
* Use when you need an immediate `Queue` size snapshot for diagnostics or
* internals and do not need the read wrapped in `Effect`.
*
* **Details**
*
* After `endUnsafe`, a queue remains `Closing` while buffered messages are
* drained, and its size continues to include those messages. A `Done` queue
* reports a size of `0`. This unsafe operation reads the queue state directly
* without Effect wrapping.
*
* **Example** (Checking queue size synchronously)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Queue } from "effect"
*
* const program = Effect.gen(function*() {
*   const queue = yield* Queue.bounded<number, Cause.Done>(10)
*
*   // Check size of empty queue
*   const size1 = Queue.sizeUnsafe(queue)
*
*   // Add some messages
*   Queue.offerUnsafe(queue, 1)
*   Queue.offerUnsafe(queue, 2)
*   Queue.offerUnsafe(queue, 3)
*
*   // Check size after adding messages
*   const size2 = Queue.sizeUnsafe(queue)
*
*   // End the queue
*   Queue.endUnsafe(queue)
*
*   // Ending retains the buffered size while the queue is Closing
*   const size3 = Queue.sizeUnsafe(queue)
*   return [size1, size2, size3]
* })
*
* await Effect.runPromise(program) // => [0, 3, 3]
* ```
*
* @stability stable
* @category sizes
* @since 4.0.0
*/
const sizeUnsafe = (self) => self.state._tag === "Done" ? 0 : self.messages.length;
const exitFalse = /*#__PURE__*/ exitSucceed(false);
const exitTrue = /*#__PURE__*/ exitSucceed(true);
const exitFailDone = /*#__PURE__*/ exitFail(/*#__PURE__*/ Done());
const exitInterrupt = /*#__PURE__*/ exitInterrupt$1();
const releaseTakers = (self) => {
	if (self.state._tag === "Done" || self.state.takers.size === 0) return;
	for (const taker of self.state.takers) {
		if (!taker.ready()) continue;
		self.state.takers.delete(taker);
		taker.resume(exitVoid);
		if (self.messages.length === 0) break;
	}
};
const scheduleReleaseTaker = (self) => {
	if (self.scheduleRunning || self.state._tag === "Done" || self.state.takers.size === 0) return;
	self.scheduleRunning = true;
	self.dispatcher.scheduleTask(() => {
		self.scheduleRunning = false;
		releaseTakers(self);
	}, 0);
};
const takeBetweenUnsafe = (self, min, max) => {
	if (self.state._tag === "Done") return self.state.exit;
	else if (max <= 0 || min <= 0) return exitSucceed([]);
	else if (!canTake(self, min)) return;
	const messages = self.messages.length > 0 ? takeN(self.messages, max) : [takeOfferUnsafe(self.state.offers)];
	releaseCapacity(self);
	return exitSucceed(messages);
};
const suspendTake = /*#__PURE__*/ makePrimitive({
	op: "QueueTake",
	[evaluate](fiber) {
		const effect = this[args]();
		return isExit(effect) ? effect[evaluate](fiber) : effect;
	}
});
const canTake = (self, min) => self.messages.length >= (self.state._tag === "Closing" ? 1 : Math.min(min, self.capacity || 1)) || self.capacity <= 0 && self.state._tag !== "Done" && self.state.offers.size > 0;
const awaitTake = (self, ready) => callback$1((resume) => {
	if (self.state._tag === "Done") return resume(self.state.exit);
	if (ready()) return resume(exitVoid);
	const taker = {
		ready,
		resume
	};
	self.state.takers.add(taker);
	return sync(() => {
		if (self.state._tag !== "Done") self.state.takers.delete(taker);
	});
});
const offerOrWait = (self, message) => callback$1((resume) => offerUnsafe(self, message) ? resume(exitTrue) : waitToOffer(self, {
	_tag: "Single",
	message,
	resume
}));
const waitToOffer = (self, entry) => {
	if (self.state._tag !== "Open") return resumeUnoffered(entry);
	const offers = self.state.offers;
	offers.add(entry);
	return sync(() => {
		if (self.state._tag === "Done") return;
		offers.delete(entry);
		if (self.state._tag === "Closing" && offers.size === 0 && self.messages.length === 0) finalize(self, self.state.exit);
	});
};
const resumeUnoffered = (entry) => entry._tag === "Single" ? entry.resume(exitFalse) : entry.resume(exitSucceed(entry.remaining.slice(entry.offset)));
const takeOfferUnsafe = (offers) => {
	const entry = offers.values().next().value;
	if (entry._tag === "Single") {
		offers.delete(entry);
		entry.resume(exitTrue);
		return entry.message;
	}
	const message = entry.remaining[entry.offset++];
	if (entry.offset === entry.remaining.length) {
		offers.delete(entry);
		entry.resume(exitSucceed([]));
	}
	return message;
};
const releaseCapacity = (self) => {
	if (self.state._tag === "Done") return isDoneCause(self.state.exit.cause);
	else if (self.state.offers.size === 0) {
		if (self.state._tag === "Closing" && self.messages.length === 0) {
			finalize(self, self.state.exit);
			return isDoneCause(self.state.exit.cause);
		}
		return false;
	}
	for (const entry of self.state.offers) {
		let n = self.capacity - self.messages.length;
		if (n <= 0) break;
		else if (entry._tag === "Single") {
			append(self.messages, entry.message);
			self.state.offers.delete(entry);
			entry.resume(exitTrue);
		} else {
			for (; entry.offset < entry.remaining.length; entry.offset++) {
				if (n === 0) return false;
				append(self.messages, entry.remaining[entry.offset]);
				n--;
			}
			self.state.offers.delete(entry);
			entry.resume(exitSucceed([]));
		}
		const state = self.state;
		if (state._tag === "Done") return isDoneCause(state.exit.cause);
	}
	return false;
};
const finalize = (self, exit) => {
	if (self.state._tag === "Done") return;
	const openState = self.state;
	self.state = {
		_tag: "Done",
		exit
	};
	for (const taker of openState.takers) taker.resume(exit);
	openState.takers.clear();
	for (const awaiter of openState.awaiters) awaiter(exit);
	openState.awaiters.clear();
};

// node_modules/effect/dist/Semaphore.js
/**
* Creates a `Semaphore` synchronously with the specified total
* number of permits.
*
* **When to use**
*
* Use to construct a semaphore synchronously when an immediate value is
* required outside an Effect workflow.
*
* **Example** (Creating an unsafe semaphore)
*
* ```ts import.meta.vitest
* import { Effect, Semaphore } from "effect"
*
* const semaphore = Semaphore.makeUnsafe(3)
*
* const task = (id: number) =>
*   semaphore.withPermits(1)(
*     Effect.gen(function*() {
*       yield* Effect.yieldNow
*       return id
*     })
*   )
*
* // Only 3 tasks can run concurrently
* const program = Effect.all([
*   task(1),
*   task(2),
*   task(3),
*   task(4),
*   task(5)
* ], { concurrency: "unbounded" })
*
* await Effect.runPromise(program) // => [1, 2, 3, 4, 5]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const makeUnsafe = (permits) => new SemaphoreImpl(permits);
const firstAvailableWaiter = (self) => {
	for (const waiter of self.waiters) if (waiter.permits <= self.free) return waiter;
};
const takePermits = (self, n, onAcquire, restore = identity) => withFiber((fiber) => {
	if (self.free >= n && firstAvailableWaiter(self) === void 0) {
		self.taken += n;
		return onAcquire();
	}
	const waiter = {
		permits: n,
		resume: void 0
	};
	const remove = () => {
		if (self.waiters.delete(waiter)) self.releaseUnsafe(fiber, 0);
	};
	self.waiters.add(waiter);
	onExitUnsafe(fiber, remove);
	const wait = restore(callback$1((resume) => {
		if (firstAvailableWaiter(self) === waiter) resume(void_);
		else waiter.resume = resume;
	}));
	const loop = flatMap(wait, () => {
		if (firstAvailableWaiter(self) !== waiter) return loop;
		self.taken += n;
		remove();
		return onAcquire();
	});
	return loop;
});
var SemaphoreImpl = class {
	waiters = /*#__PURE__*/ new Set();
	taken = 0;
	permits;
	constructor(permits) {
		this.permits = permits;
	}
	get free() {
		return this.permits - this.taken;
	}
	take(n) {
		return takePermits(this, n, () => succeed$4(n));
	}
	takeScoped(n) {
		return uninterruptibleMask((restore) => flatMap(scope, (scope) => takePermits(this, n, () => scopeAddFinalizer(scope, this.release(n)), restore)));
	}
	takeIfAvailable(n) {
		return suspend$2(() => {
			if (this.free < n) return succeed$4(false);
			this.taken += n;
			return succeed$4(true);
		});
	}
	releaseUnsafe(fiber, n) {
		this.taken -= n;
		if (this.waiters.size > 0) fiber.currentDispatcher.scheduleTask(() => {
			let remaining = this.free;
			for (const waiter of Array.from(this.waiters)) {
				if (!this.waiters.has(waiter) || waiter.permits > remaining) continue;
				remaining -= waiter.permits;
				const resume = waiter.resume;
				waiter.resume = void 0;
				resume?.(void_);
			}
		}, 0);
		return this.free;
	}
	resize(permits) {
		return withFiber((fiber) => {
			this.permits = permits;
			if (this.free < 0) return void_;
			this.releaseUnsafe(fiber, 0);
			return void_;
		});
	}
	release(n) {
		return withFiber((fiber) => succeed$4(this.releaseUnsafe(fiber, n)));
	}
	get releaseAll() {
		return withFiber((fiber) => succeed$4(this.releaseUnsafe(fiber, this.taken)));
	}
	withPermits(n) {
		return (self) => uninterruptibleMask((restore) => takePermits(this, n, () => onExitPrimitive(restore(self), () => {
			this.releaseUnsafe(getCurrentFiber(), n);
		}, true), restore));
	}
	withPermit = /*#__PURE__*/ this.withPermits(1);
	withPermitsIfAvailable(n) {
		return (self) => uninterruptibleMask((restore) => {
			if (this.free < n) return succeedNone;
			this.taken += n;
			return onExitPrimitive(restore(asSome(self)), () => {
				this.releaseUnsafe(getCurrentFiber(), n);
			}, true);
		});
	}
};
/**
* Creates a `Semaphore` initialized with the specified total number of permits.
*
* **When to use**
*
* Use to create a semaphore inside Effect code for bounding concurrency with
* automatic or manual permit management.
*
* **Example** (Creating a semaphore)
*
* ```ts import.meta.vitest
* import { Effect, Semaphore } from "effect"
*
* const program = Effect.gen(function*() {
*   const semaphore = yield* Semaphore.make(2)
*
*   const task = (id: number) =>
*     semaphore.withPermits(1)(
*       Effect.gen(function*() {
*         yield* Effect.yieldNow
*         return id
*       })
*     )
*
*   // Run 4 tasks, but only 2 can run concurrently
*   return yield* Effect.all([task(1), task(2), task(3), task(4)])
* })
*
* await Effect.runPromise(program) // => [1, 2, 3, 4]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const make$2 = (permits) => sync(() => new SemaphoreImpl(permits));

// node_modules/effect/dist/Channel.js
/**
* Provides low-level building blocks for streaming data through Effect.
*
* A `Channel` can read input elements, write output elements, fail with a typed
* error, and finish with a typed result while managing resources safely.
* Streams and sinks are built on channels, so most application code uses those
* higher-level modules instead. This module is useful when implementing stream
* operators or specialized streaming workflows.
*
* @stability stable
* @since 2.0.0
*/
/**
* Runtime identifier stored on `Channel` values and used by `isChannel` to
* recognize them.
*
* @stability stable
* @category type IDs
* @since 4.0.0
*/
const TypeId$8 = "~effect/Channel";
/**
* Checks whether a value is a `Channel`.
*
* **Example** (Checking for channels)
*
* ```ts import.meta.vitest
* import { Channel } from "effect"
*
* const channel = Channel.succeed(42)
* Channel.isChannel(channel) // => true
* Channel.isChannel("not a channel") // => false
* ```
*
* @stability stable
* @category guards
* @since 3.5.4
*/
const isChannel = (u) => hasProperty(u, TypeId$8);
const ChannelProto = {
	[TypeId$8]: {
		_Env: identity,
		_InErr: identity,
		_InElem: identity,
		_OutErr: identity,
		_OutElem: identity
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/**
* Creates a `Channel` from a transformation function that operates on upstream pulls.
*
* **Example** (Creating channels from transforms)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const channel = Channel.fromTransform((upstream, scope) =>
*   Effect.succeed(upstream)
* )
* await Effect.runPromise(Channel.runCollect(channel)) // => []
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromTransform = (transform) => {
	const self = Object.create(ChannelProto);
	self.transform = (upstream, scope) => catchCause$2(transform(upstream, scope), (cause) => succeed$5(failCause$3(cause)));
	return self;
};
/**
* Transforms a Channel by applying a function to its Pull implementation.
*
* **Example** (Transforming pull behavior)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* // Transform a channel by modifying its pull behavior
* const originalChannel = Channel.fromIterable([1, 2, 3])
*
* const transformedChannel = Channel.transformPull(
*   originalChannel,
*   (pull, scope) =>
*     Effect.succeed(
*       Effect.map(pull, (value) => value * 2)
*     )
* )
* await Effect.runPromise(Channel.runCollect(transformedChannel)) // => [2, 4, 6]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const transformPull$1 = (self, f) => fromTransform((upstream, scope) => flatMap$1(toTransform(self)(upstream, scope), (pull) => f(pull, scope)));
/**
* Creates a `Channel` from an `Effect` that produces a `Pull`.
*
* **Example** (Creating channels from pulls)
*
* ```ts import.meta.vitest
* import { Cause, Channel, Effect } from "effect"
*
* const channel = Channel.fromPull(Effect.sync(() => {
*   let emitted = false
*   return Effect.suspend(() => {
*     if (emitted) return Cause.done()
*     emitted = true
*     return Effect.succeed(42)
*   })
* }))
* await Effect.runPromise(Channel.runCollect(channel)) // => [42]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromPull$1 = (effect) => fromTransform((_, __) => effect);
/**
* Creates a `Channel` from a transformation function that operates on upstream
* pulls, but also provides a forked scope that closes when the resulting
* Channel completes.
*
* **When to use**
*
* Use when building channels that require scoped resource lifecycle management,
* providing both the channel scope and a forked scope that automatically closes
* when the channel completes.
*
* @see {@link fromTransform} for a simpler transformation without a forked scope
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromTransformBracket = (f) => fromTransform(fnUntraced(function* (upstream, scope) {
	const closableScope = forkUnsafe(scope);
	const onCause = (cause) => close(closableScope, doneExitFromCause(cause));
	const pull = yield* onError(f(upstream, scope, closableScope), onCause);
	return onError(pull, onCause);
}));
/**
* Converts a `Channel` back to its underlying transformation function.
*
* **Example** (Extracting channel transforms)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const channel = Channel.succeed(42)
* const transform = Channel.toTransform(channel)
* typeof transform // => "function"
* Effect.runSync(Channel.runCollect(channel)) // => [42]
* ```
*
* @stability stable
* @category destructors
* @since 4.0.0
*/
const toTransform = (channel) => channel.transform;
/**
* The default chunk size used by channels for batching operations.
*
* **Example** (Reading the default chunk size)
*
* ```ts import.meta.vitest
* import { Channel } from "effect"
*
* Channel.DefaultChunkSize // => 4096
* ```
*
* @stability stable
* @category constants
* @since 4.0.0
*/
const DefaultChunkSize = 4096;
const asyncQueue = (scope, f, options) => make$3({
	capacity: options?.bufferSize,
	strategy: options?.strategy
}).pipe(tap((queue) => addFinalizer(scope, shutdown(queue))), tap((queue) => provide(f(queue), scope).pipe(catchCause$2((cause) => failCause$1(queue, cause)), forkIn(scope, { startImmediately: true }))));
/**
* Creates a `Channel` that interacts with a callback function using a queue, emitting arrays.
*
* **Example** (Creating array channels from callbacks)
*
* ```ts import.meta.vitest
* import { Channel, Effect, Queue } from "effect"
*
* const channel = Channel.callbackArray<number>(Effect.fn(function*(queue) {
*   yield* Queue.offer(queue, 1)
*   yield* Queue.offer(queue, 2)
*   yield* Queue.end(queue)
* }))
* await Effect.runPromise(Channel.runCollect(channel)) // => [[1, 2]]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const callbackArray = (f, options) => fromTransform((_, scope) => map$2(asyncQueue(scope, f, options), takeAll));
/**
* Creates a `Channel` that lazily evaluates to another channel.
*
* **Example** (Suspending channel creation)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const channel = Channel.suspend(() => Channel.succeed(42))
* Effect.runSync(Channel.runCollect(channel)) // => [42]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const suspend$1 = (evaluate) => fromTransform((upstream, scope) => suspend$3(() => toTransform(evaluate())(upstream, scope)));
/**
* Creates a `Channel` from an iterator that emits arrays of elements.
*
* **Details**
*
* Finite fractional `chunkSize` values are rounded down. `NaN` and non-positive
* values are treated as `1` so every successful pull emits a non-empty array.
*
* **Example** (Batching iterator output)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* // Create a channel from a simple iterator
* const numberIterator = (): Iterator<number, string> => {
*   let count = 0
*   return {
*     next: () => {
*       if (count < 3) {
*         return { value: count++, done: false }
*       }
*       return { value: "finished", done: true }
*     }
*   }
* }
*
* const channel = Channel.fromIteratorArray(() => numberIterator(), 2)
* Effect.runSync(Channel.runCollect(channel)) // => [[0, 1], [2]]
* ```
*
* **Example** (Batching generator output)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* // Create channel from a generator function
* function* fibonacci(): Generator<number, void, unknown> {
*   let a = 0, b = 1
*   for (let i = 0; i < 5; i++) {
*     yield a
*     ;[a, b] = [b, a + b]
*   }
* }
*
* const fibChannel = Channel.fromIteratorArray(() => fibonacci(), 3)
* Effect.runSync(Channel.runCollect(fibChannel)) // => [[0, 1, 1], [2, 3]]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromIteratorArray = (iterator, chunkSize = DefaultChunkSize) => {
	const size = normalizeNonEmpty(chunkSize);
	return fromPull$1(sync$1(() => {
		const iter = iterator();
		let done$9 = none();
		return suspend$3(() => {
			if (done$9._tag === "Some") return done(done$9.value);
			const buffer = [];
			while (buffer.length < size) {
				const state = iter.next();
				if (state.done) {
					if (buffer.length === 0) return done(state.value);
					done$9 = some(state.value);
					break;
				}
				buffer.push(state.value);
			}
			return succeed$5(buffer);
		});
	}));
};
/**
* Creates a `Channel` that emits arrays of elements from an iterable.
*
* **Details**
*
* Finite fractional `chunkSize` values are rounded down. `NaN` and non-positive
* values are treated as `1`.
*
* **Example** (Batching iterable output)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const numbers = [1, 2, 3, 4, 5]
* const channel = Channel.fromIterableArray(numbers, 4)
* Effect.runSync(Channel.runCollect(channel)) // => [[1, 2, 3, 4], [5]]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromIterableArray = (iterable, chunkSize = DefaultChunkSize) => fromIteratorArray(() => iterable[Symbol.iterator](), chunkSize);
/**
* Creates a `Channel` that emits a single value and then ends.
*
* **Example** (Creating channels that succeed)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const channel = Channel.succeed(42)
* Effect.runSync(Channel.runCollect(channel)) // => [42]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeed$1 = (value) => fromEffect$1(succeed$5(value));
/**
* Represents a `Channel` that emits no elements.
*
* **Example** (Creating empty channels)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* // Create an empty channel
* const emptyChannel = Channel.empty
*
* // Use empty channel in composition
* const combined = Channel.concatWith(emptyChannel, () => Channel.succeed(42))
* // Will immediately provide the second channel's output
*
* // Empty channel can be used as a no-op in conditional logic
* const conditionalChannel = (shouldEmit: boolean) =>
*   shouldEmit ? Channel.succeed("data") : Channel.empty
*
* Effect.runSync(Channel.runCollect(conditionalChannel(true))) // => ["data"]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const empty$4 = /*#__PURE__*/ fromPull$1(/*#__PURE__*/ succeed$5(/*#__PURE__*/ done()));
/**
* Constructs a channel that fails immediately with the specified error.
*
* **Example** (Failing with an error)
*
* ```ts import.meta.vitest
* import { Channel, Effect, Exit } from "effect"
*
* const failedChannel = Channel.fail("Something went wrong")
* Effect.runSync(Effect.exit(Channel.runCollect(failedChannel))) // => Exit.fail("Something went wrong")
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fail$1 = (error) => fromPull$1(succeed$5(fail$3(error)));
/**
* Constructs a channel that fails immediately with the specified `Cause`.
*
* **When to use**
*
* Use when the channel failure must preserve a full `Cause`, such as defects,
* interruptions, or combined failures.
*
* **Example** (Failing with causes)
*
* ```ts import.meta.vitest
* import { Cause, Channel, Effect, Exit } from "effect"
*
* const simpleCause = Cause.fail("Simple error")
* const failedChannel = Channel.failCause(simpleCause)
* Effect.runSync(Effect.exit(Channel.runCollect(failedChannel))) // => Exit.failCause(simpleCause)
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const failCause = (cause) => fromPull$1(failCause$3(cause));
/**
* Constructs a channel that fails immediately with the specified defect.
*
* **Example** (Dying with defects)
*
* ```ts import.meta.vitest
* import { Cause, Channel, Effect, Exit } from "effect"
*
* const defect = "Unrecoverable error"
* const diedChannel = Channel.die(defect)
* Effect.runSync(Effect.exit(Channel.runCollect(diedChannel))) // => Exit.failCause(Cause.die(defect))
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const die$1 = (defect) => failCause(die$2(defect));
/**
* Uses an effect to write a single value to the channel.
*
* **Example** (Creating channels from effects)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const successChannel = Channel.fromEffect(
*   Effect.succeed("Hello from effect!")
* )
* Effect.runSync(Channel.runCollect(successChannel)) // => ["Hello from effect!"]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromEffect$1 = (effect) => fromPull$1(sync$1(() => {
	let done$10 = false;
	return suspend$3(() => {
		if (done$10) return done();
		done$10 = true;
		return effect;
	});
}));
/**
* Uses an effect and discards its result.
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromEffectDrain = (effect) => fromPull$1(flatMap$1(effect, () => done()));
/**
* Creates a channel from a lazily supplied Web `ReadableStream`.
*
* **Details**
*
* Read failures are mapped with `onError`. Finalization cancels the reader and
* releases its lock, or only releases the lock when `releaseLockOnEnd` is set.
* A rejected cancel hook becomes a defect.
*
* **Example** (Reading from a Web stream)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const channel = Channel.fromReadableStream({
*   evaluate: () => new ReadableStream({
*     start(controller) {
*       controller.enqueue(1)
*       controller.close()
*     }
*   }),
*   onError: (cause) => new Error(String(cause))
* })
*
* await Effect.runPromise(Channel.runCollect(channel)) // => [[1]]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromReadableStream$1 = (options) => fromTransform((_, scope) => readableStreamToPullUnsafe({
	scope,
	readable: options.evaluate(),
	onError: options.onError,
	releaseLockOnEnd: options.releaseLockOnEnd
}));
const readableStreamToPullUnsafe = (options) => {
	const reader = options.readable.getReader();
	const exit = options.exit ?? make$5(void 0);
	const pull = suspend$3(() => {
		if (exit.current) return exit.current;
		return matchCauseEffect$1(tryPromise({
			try: () => reader.read(),
			catch: options.onError
		}), {
			onFailure: (cause) => exit.current ?? failCause$3(cause),
			onSuccess: ({ done: done$12, value }) => {
				if (exit.current) return exit.current;
				return done$12 ? done() : succeed$5(of(value));
			}
		});
	});
	return as(addFinalizer(options.scope, options.releaseLockOnEnd ? sync$1(() => reader.releaseLock()) : promise(() => reader.cancel().catch((error) => reader.closed.then(() => Promise.reject(error), constVoid))).pipe(ensuring$2(sync$1(() => reader.releaseLock())))), pull);
};
/**
* Maps the output of this channel using the specified function.
*
* **Example** (Mapping channel output)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class TransformError extends Data.TaggedError("TransformError")<{
*   readonly reason: string
* }> {}
*
* // Basic mapping of channel values
* const numbersChannel = Channel.fromIterable([1, 2, 3, 4, 5])
* const doubledChannel = Channel.map(numbersChannel, (n) => n * 2)
* Effect.runSync(Channel.runCollect(doubledChannel)) // => [2, 4, 6, 8, 10]
*
* // Transform string data
* const wordsChannel = Channel.fromIterable(["hello", "world", "effect"])
* const upperCaseChannel = Channel.map(wordsChannel, (word) => word.toUpperCase())
* Effect.runSync(Channel.runCollect(upperCaseChannel)) // => ["HELLO", "WORLD", "EFFECT"]
*
* // Complex object transformation
* type User = { id: number; name: string }
* type UserDisplay = { displayName: string; isActive: boolean }
*
* const usersChannel = Channel.fromIterable([
*   { id: 1, name: "Alice" },
*   { id: 2, name: "Bob" }
* ])
* const displayChannel = Channel.map(usersChannel, (user): UserDisplay => ({
*   displayName: `User: ${user.name}`,
*   isActive: true
* }))
* Effect.runSync(Channel.runCollect(displayChannel)) // => [{ displayName: "User: Alice", isActive: true }, { displayName: "User: Bob", isActive: true }]
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const map$1 = /*#__PURE__*/ dual(2, (self, f) => transformPull$1(self, (pull) => sync$1(() => {
	let i = 0;
	return map$2(pull, (o) => f(o, i++));
})));
/**
* Maps the done value of this channel using the specified function.
*
* @stability stable
* @category sequencing
* @since 4.0.0
*/
const mapDone = /*#__PURE__*/ dual(2, (self, f) => mapDoneEffect(self, (o) => succeed$5(f(o))));
/**
* Maps the done value of this channel using the specified effectful function.
*
* **When to use**
*
* Use when the terminal done value transformation needs services or can fail,
* while emitted elements should pass through unchanged.
*
* @stability stable
* @category sequencing
* @since 4.0.0
*/
const mapDoneEffect = /*#__PURE__*/ dual(2, (self, f) => transformPull$1(self, (pull) => succeed$5(catchDone(pull, (done$13) => flatMap$1(f(done$13), done)))));
const concurrencyIsSequential = (concurrency) => concurrency === void 0 || concurrency !== "unbounded" && concurrency <= 1;
/**
* Maps each output element with an effectful function, preserving the source
* channel's done value.
*
* **When to use**
*
* Use when transforming each channel output needs an Effect, service
* dependency, failure channel, or configured concurrency.
*
* **Details**
*
* The mapping function receives the output element and its zero-based index.
* By default elements are mapped sequentially. Use `options.concurrency` to
* map multiple elements concurrently, and `options.unordered` to allow
* concurrently mapped outputs to be emitted as soon as they complete.
*
* **Example** (Mapping channel output with effects)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const numbersChannel = Channel.fromIterable([1, 2, 3, 4, 5])
* const processedChannel = Channel.mapEffect(
*   numbersChannel,
*   (n) => Effect.succeed(n * n)
* )
* await Effect.runPromise(Channel.runCollect(processedChannel)) // => [1, 4, 9, 16, 25]
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const mapEffect$1 = /*#__PURE__*/ dual((args) => isChannel(args[0]), (self, f, options) => concurrencyIsSequential(options?.concurrency) ? mapEffectSequential(self, f) : mapEffectConcurrent(self, f, options));
const mapEffectSequential = (self, f) => fromTransform((upstream, scope) => {
	let i = 0;
	return map$2(toTransform(self)(upstream, scope), flatMap$1((o) => f(o, i++)));
});
const mapEffectConcurrent = (self, f, options) => fromTransformBracket(fnUntraced(function* (upstream, scope, forkedScope) {
	let i = 0;
	const pull = yield* toTransform(self)(upstream, scope);
	const concurrencyN = options.concurrency === "unbounded" ? Number.MAX_SAFE_INTEGER : Math.min(options.concurrency, Number.MAX_SAFE_INTEGER);
	const queue = yield* bounded(0);
	yield* addFinalizer(forkedScope, shutdown(queue));
	const runFork = runForkWith(yield* context());
	const trackFiber = runIn(forkedScope);
	if (options.unordered) {
		const semaphore = makeUnsafe(concurrencyN);
		const release = constant(semaphore.release(1));
		const handle = matchCauseEffect$1({
			onFailure: (cause) => flatMap$1(failCause$1(queue, cause), release),
			onSuccess: (value) => flatMap$1(offer(queue, value), release)
		});
		yield* semaphore.take(1).pipe(flatMap$1(() => pull), flatMap$1((value) => {
			const index = i++;
			trackFiber(runFork(handle(suspend$3(() => f(value, index)))));
			return void_$1;
		}), forever({ disableYield: true }), catchCause$2((cause) => semaphore.withPermits(concurrencyN - 1)(failCause$1(queue, cause))), forkIn(forkedScope));
	} else {
		const effects = yield* bounded(concurrencyN - 2);
		yield* addFinalizer(forkedScope, shutdown(effects));
		yield* take(effects).pipe(flatten, flatMap$1((value) => offer(queue, value)), forever({ disableYield: true }), catchCause$2((cause) => failCause$1(queue, cause)), forkIn(forkedScope));
		let errorCause;
		const onExit = (exit) => {
			if (exit._tag === "Success") return;
			errorCause = exit.cause;
			failCauseUnsafe(queue, exit.cause);
		};
		yield* pull.pipe(flatMap$1((value) => {
			if (errorCause) return failCause$3(errorCause);
			const index = i++;
			const fiber = runFork(suspend$3(() => f(value, index)));
			trackFiber(fiber);
			fiber.addObserver(onExit);
			return offer(effects, join(fiber));
		}), forever({ disableYield: true }), catchCause$2((cause) => offer(effects, failCause$2(cause)).pipe(andThen$1(failCause$1(effects, cause)))), forkIn(forkedScope));
	}
	return take(queue);
}));
/**
* Flattens a channel that outputs arrays into a channel that outputs individual elements.
*
* **Example** (Flattening arrays of channel output)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class FlattenError extends Data.TaggedError("FlattenError")<{
*   readonly message: string
* }> {}
*
* // Create a channel that outputs arrays
* const arrayChannel = Channel.fromIterable([
*   [1, 2, 3],
*   [4, 5],
*   [6, 7, 8, 9]
* ])
*
* // Flatten the arrays into individual elements
* const flattenedChannel = Channel.flattenArray(arrayChannel)
*
* Effect.runSync(Channel.runCollect(flattenedChannel)) // => [1, 2, 3, 4, 5, 6, 7, 8, 9]
* ```
*
* @stability stable
* @category transforming
* @since 4.0.0
*/
const flattenArray = (self) => transformPull$1(self, (pull) => {
	let array;
	let index = 0;
	const pump = suspend$3(function loop() {
		if (array === void 0) return flatMap$1(pull, (array_) => {
			switch (array_.length) {
				case 0: return loop();
				case 1: return succeed$5(array_[0]);
				default:
					array = array_;
					return succeed$5(array_[index++]);
			}
		});
		const next = array[index++];
		if (index >= array.length) {
			array = void 0;
			index = 0;
		}
		return succeed$5(next);
	});
	return succeed$5(pump);
});
/**
* Maps over a channel statefully with an accumulator, where each element can produce multiple output values.
*
* **Example** (Mapping with accumulated state)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* // Create a channel with numbers
* const numbersChannel = Channel.fromIterable([1, 2, 3, 4])
*
* // Use mapAccum to create running sums and emit both current and sum
* const runningSum = Channel.mapAccum(
*   numbersChannel,
*   () => 0, // initial accumulator state
*   (sum, current) => {
*     const newSum = sum + current
*     // Return [newState, outputValues]
*     return [newSum, [current, newSum]] as const
*   }
* )
* // Using with Effect for async processing
* const asyncMapAccum = Channel.mapAccum(
*   numbersChannel,
*   () => "",
*   (acc, value) =>
*     Effect.gen(function*() {
*       const newAcc = acc + value.toString()
*       return [newAcc, [`${value}-processed`, newAcc]] as const
*     })
* )
* Effect.runSync(Channel.runCollect(runningSum)) // => [1, 1, 2, 3, 3, 6, 4, 10]
* Effect.runSync(Channel.runCollect(asyncMapAccum)) // => ["1-processed", "1", "2-processed", "12", "3-processed", "123", "4-processed", "1234"]
* ```
*
* @stability stable
* @category sequencing
* @since 4.0.0
*/
const mapAccum$1 = /*#__PURE__*/ dual((args) => isChannel(args[0]), (self, initial, f, options) => fromTransform((upstream, scope) => map$2(toTransform(self)(upstream, scope), (pull) => {
	let state = initial();
	let current;
	let index = 0;
	let cause;
	const pullNext = matchCauseEffect$1(pull, {
		onFailure(cause_) {
			cause = cause_;
			const b = options?.onHalt && options.onHalt(state);
			return b && b.length > 0 ? succeed$5([state, b]) : failCause$3(cause_);
		},
		onSuccess(a) {
			const b = f(state, a);
			return isArray(b) ? succeed$5(b) : b;
		}
	});
	return suspend$3(function loop() {
		if (current === void 0) {
			if (cause) return failCause$3(cause);
			return flatMap$1(pullNext, ([newState, values]) => {
				state = newState;
				if (values.length === 0) return loop();
				else if (values.length === 1) return succeed$5(values[0]);
				current = values;
				return loop();
			});
		}
		const next = current[index++];
		if (index >= current.length) {
			current = void 0;
			index = 0;
		}
		return succeed$5(next);
	});
})));
/**
* Catches any cause of failure from the channel and allows recovery by
* creating a new channel based on the caught cause.
*
* **Example** (Recovering from failure causes)
*
* ```ts import.meta.vitest
* import { Cause, Channel, Data, Effect } from "effect"
*
* class ProcessError extends Data.TaggedError("ProcessError")<{
*   readonly reason: string
* }> {}
*
* class RecoveryError extends Data.TaggedError("RecoveryError")<{
*   readonly message: string
* }> {}
*
* // Create a failing channel
* const failingChannel = Channel.fail(
*   new ProcessError({ reason: "network error" })
* )
*
* // Catch the cause and provide recovery
* const recoveredChannel = Channel.catchCause(failingChannel, (cause) => {
*   if (Cause.hasFails(cause)) {
*     return Channel.succeed("Recovered from failure")
*   }
*   return Channel.succeed("Recovered from interruption")
* })
*
* Effect.runSync(Channel.runCollect(recoveredChannel)) // => ["Recovered from failure"]
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const catchCause$1 = /*#__PURE__*/ dual(2, (self, f) => fromTransform((upstream, scope) => {
	let forkedScope = forkUnsafe(scope);
	return map$2(toTransform(self)(upstream, forkedScope), (pull) => {
		let currentPull = pull.pipe(catchCause$2((cause) => {
			if (isDoneCause(cause)) return failCause$3(cause);
			const toClose = forkedScope;
			forkedScope = forkUnsafe(scope);
			return close(toClose, failCause$2(cause)).pipe(andThen$1(toTransform(f(cause))(upstream, forkedScope)), flatMap$1((childPull) => {
				currentPull = childPull;
				return childPull;
			}));
		}));
		return suspend$3(() => currentPull);
	});
}));
/**
* Recovers from channel failures whose full `Cause` is selected by a `Filter`.
*
* **When to use**
*
* Use when you need to recover a channel only from causes selected by a
* `Filter`, while giving the recovery both the selected value and the original
* `Cause`.
*
* **Details**
*
* When the filter succeeds, the recovery function receives the selected value
* and the original cause. When the filter fails, the returned channel fails
* with the residual cause produced by the filter.
*
* @see {@link catchCauseIf} for selecting causes with a predicate
* @see {@link catchFilter} for selecting typed errors with a `Filter`
* @see {@link catchCause} for recovering from every cause
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchCauseFilter = /*#__PURE__*/ dual(3, (self, filter, f) => catchCause$1(self, (cause) => {
	const result = filter(cause);
	return isFailure(result) ? failCause(result.failure) : f(result.success, cause);
}));
const catch_ = /*#__PURE__*/ dual(2, (self, f) => catchCauseFilter(self, findRecoverableError, (e) => f(e)));
/**
* Runs an effect when the channel fails with a typed error, then preserves the
* original channel failure.
*
* **Details**
*
* The effect is not run for normal channel completion. If the observer effect
* fails, that failure can fail the returned channel.
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const tapError$1 = /*#__PURE__*/ dual(2, (self, f) => transformPull$1(self, (pull) => succeed$5(tapError$2(pull, (err) => isDone(err) ? void_$1 : asVoid(f(err))))));
/**
* Recovers from typed channel errors that match a predicate or refinement.
*
* **When to use**
*
* Use to recover from typed channel errors when a predicate or refinement
* selects the failures that should switch to a recovery channel.
*
* **Details**
*
* Matching errors are handled by the recovery function. Non-matching errors
* are handled by `orElse` when provided. Without `orElse`, non-matching errors
* are re-failed.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* @see {@link catch_ catch} for recovering from every typed channel error
* @see {@link catchFilter} for selecting typed errors with a `Filter`
* @see {@link catchTag} for selecting tagged typed errors
* @see {@link catchCauseFilter} for selecting full causes with a `Filter`
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchIf$1 = /*#__PURE__*/ dual((args) => isChannel(args[0]), (self, predicate, f, orElse) => catch_(self, (err) => {
	return predicate(err) ? f(err) : orElse ? orElse(err) : fail$1(err);
}));
/**
* Transforms the typed errors of a channel using the specified function.
*
* **Details**
*
* Maps every typed error in the cause, preserving defects, interrupts and
* reason order. Unlike typed recovery, mapping does not convert errors to defects.
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const mapError$1 = /*#__PURE__*/ dual(2, (self, f) => transformPull$1(self, (pull) => succeed$5(mapError$2(pull, (err) => isDone(err) ? err : f(err)))));
/**
* Converts all errors in the channel to defects (unrecoverable failures).
* This is useful when you want to treat errors as programming errors.
*
* **Example** (Converting failures to defects)
*
* ```ts import.meta.vitest
* import { Cause, Channel, Data, Effect, Exit } from "effect"
*
* class ValidationError extends Data.TaggedError("ValidationError")<{
*   readonly field: string
* }> {}
*
* // Create a channel that might fail
* const error = new ValidationError({ field: "email" })
* const failingChannel = Channel.fail(error)
*
* // Convert failures to defects
* const fatalChannel = Channel.orDie(failingChannel)
*
* Effect.runSync(Effect.exit(Channel.runCollect(fatalChannel))) // => Exit.failCause(Cause.die(error))
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const orDie$1 = (self) => catch_(self, die$1);
/**
* Returns a new channel, which is the merge of this channel and the specified
* channel.
*
* **Example** (Merging channels)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* // Create two channels
* const leftChannel = Channel.fromIterable([1, 2, 3])
* const rightChannel = Channel.fromIterable(["a", "b", "c"])
*
* // The default "both" strategy waits for both channels to complete
* const mergedChannel = Channel.merge(leftChannel, rightChannel)
*
* const values = await Effect.runPromise(Channel.runCollect(mergedChannel))
* values.map(String).sort() // => ["1", "2", "3", "a", "b", "c"]
* ```
*
* @stability stable
* @category combining
* @since 4.0.0
*/
const merge$1 = /*#__PURE__*/ dual((args) => isChannel(args[0]) && isChannel(args[1]), (left, right, options) => fromTransformBracket(fnUntraced(function* (upstream, _scope, forkedScope) {
	const strategy = options?.haltStrategy ?? "both";
	const queue = yield* bounded(0);
	yield* addFinalizer(forkedScope, shutdown(queue));
	let done = 0;
	function onExit(side, cause) {
		done++;
		if (!isDoneCause(cause)) return failCause$1(queue, cause);
		switch (strategy) {
			case "both": return done === 2 ? failCause$1(queue, cause) : void_$1;
			case "left":
			case "right": return side === strategy ? failCause$1(queue, cause) : void_$1;
			case "either": return failCause$1(queue, cause);
		}
	}
	const runSide = (side, channel, scope) => toTransform(channel)(upstream, scope).pipe(flatMap$1((pull) => pull.pipe(flatMap$1((value) => offer(queue, value)), forever)), onError((cause) => onExitPrimitive$1(doneExitFromCause(cause), (exit) => close(scope, exit)).pipe(matchCauseEffect$1({
		onFailure: (cause) => onExit(side, cause),
		onSuccess: () => onExit(side, cause)
	}))), forkIn(forkedScope));
	yield* runSide("left", left, forkUnsafe(forkedScope));
	yield* runSide("right", right, forkUnsafe(forkedScope));
	return take(queue);
})));
/**
* Runs an effect concurrently with a channel while emitting only the channel's
* output elements.
*
* **When to use**
*
* Use when a side effect should run for the lifetime of a channel and only the
* channel's output elements should be emitted.
*
* **Details**
*
* The effect's successful value is ignored. If the effect fails while the
* channel is running, the returned channel fails with that error.
*
* @stability stable
* @category combining
* @since 4.0.0
*/
const mergeEffect$1 = /*#__PURE__*/ dual(2, (self, effect) => merge$1(self, fromEffectDrain(effect), { haltStrategy: "left" }));
/**
* Splits upstream string chunks into lines, recognizing `\n`, `\r\n`, and
* standalone `\r` as line terminators. The behavior matches
* `String.linesIterator` regardless of how the input is chunked.
*
* **Details**
*
* A line terminator at the very end of the stream does **not** produce a
* trailing empty line (consistent with `String.linesIterator`). Conversely,
* if the stream ends without a terminator the final partial line is still
* emitted.
*
* **Example** (Splitting string chunks into lines)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const result = await Effect.runPromise(Stream.runCollect(
*   Stream.splitLines(Stream.make("hel", "lo\r\nwor", "ld\n"))
* ))
* result // => ["hello", "world"]
* ```
*
* @stability stable
* @category splitting
* @since 2.0.0
*/
const splitLines$1 = () => fromTransform((upstream, _scope) => sync$1(() => {
	let stringBuilder = "";
	let midCRLF = false;
	let done$11 = none();
	function splitLinesArray(chunk) {
		const chunkBuilder = [];
		function pushLine(segment) {
			if (stringBuilder.length === 0) chunkBuilder.push(segment);
			else {
				chunkBuilder.push(stringBuilder + segment);
				stringBuilder = "";
			}
		}
		for (let i = 0; i < chunk.length; i++) {
			const str = chunk[i];
			if (str.length !== 0) {
				let from = 0;
				let indexOfCR = str.indexOf("\r");
				let indexOfLF = str.indexOf("\n");
				if (midCRLF) {
					if (indexOfLF === 0) {
						from = 1;
						indexOfLF = str.indexOf("\n", from);
					}
					midCRLF = false;
				}
				while (indexOfCR !== -1 || indexOfLF !== -1) if (indexOfCR === -1 || indexOfLF !== -1 && indexOfLF < indexOfCR) {
					pushLine(str.substring(from, indexOfLF));
					from = indexOfLF + 1;
					indexOfLF = str.indexOf("\n", from);
				} else {
					pushLine(str.substring(from, indexOfCR));
					if (str.length === indexOfCR + 1) {
						midCRLF = true;
						from = str.length;
						indexOfCR = -1;
					} else {
						from = indexOfCR + (indexOfLF === indexOfCR + 1 ? 2 : 1);
						indexOfCR = str.indexOf("\r", from);
						indexOfLF = str.indexOf("\n", from);
					}
				}
				stringBuilder = stringBuilder + str.substring(from);
			}
		}
		return isReadonlyArrayNonEmpty(chunkBuilder) ? chunkBuilder : null;
	}
	const pullOrFlush = suspend$3(() => {
		if (done$11._tag === "Some") return done(done$11.value);
		return matchEffect(upstream, {
			onSuccess: loop,
			onFailure: failCause$3,
			onDone: (leftover) => {
				done$11 = some(leftover);
				if (stringBuilder.length > 0) {
					const last = stringBuilder;
					stringBuilder = "";
					midCRLF = false;
					return succeed$5([last]);
				}
				return done(leftover);
			}
		});
	});
	function loop(chunk) {
		const lines = splitLinesArray(chunk);
		return lines !== null ? succeed$5(lines) : pullOrFlush;
	}
	return pullOrFlush;
}));
/**
* Decodes incoming `Uint8Array` chunks into strings using `TextDecoder`.
*
* **Details**
*
* Input chunks are decoded with streaming enabled so multi-byte characters may
* span `Uint8Array` boundaries. On normal completion, incomplete trailing
* characters become U+FFFD or, with `fatal: true`, a defect. The optional
* `encoding` and `options` are passed to `TextDecoder`.
*
* @stability stable
* @category decoding
* @since 4.0.0
*/
const decodeText$1 = (encoding, options) => fromTransform((upstream, _scope) => sync$1(() => {
	const decoder = new TextDecoder(encoding, options);
	const streamOptions = { stream: true };
	let pull = upstream.pipe(map$2(map$3((bytes) => decoder.decode(bytes, streamOptions))), catchDone((leftover) => {
		pull = done(leftover);
		const last = decoder.decode();
		return last.length > 0 ? succeed$5(of(last)) : pull;
	}));
	return suspend$3(() => pull);
}));
/**
* Returns a new channel that pipes the output of this channel into the
* specified channel. The returned channel has the input type of this channel,
* and the output type of the specified channel, terminating with the value of
* the specified channel.
*
* **Example** (Piping one channel into another)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class PipeError extends Data.TaggedError("PipeError")<{
*   readonly stage: string
* }> {}
*
* // Create source and transform channels
* const sourceChannel = Channel.fromIterable([1, 2, 3])
* const transformChannel = Channel.map(sourceChannel, (n: number) => n * 2)
*
* // Pipe the source into the transform
* const pipedChannel = Channel.pipeTo(sourceChannel, transformChannel)
*
* Effect.runSync(Channel.runCollect(pipedChannel)) // => [2, 4, 6]
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const pipeTo = /*#__PURE__*/ dual(2, (self, that) => fromTransform((upstream, scope) => flatMap$1(toTransform(self)(upstream, scope), (upstream) => toTransform(that)(upstream, scope))));
/**
* Returns a new channel that pipes the output of this channel into the
* specified channel and preserves this channel's failures without providing
* them to the other channel for observation.
*
* **Example** (Piping while preserving failures)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect, Exit } from "effect"
*
* class SourceError extends Data.TaggedError("SourceError")<{
*   readonly code: number
* }> {}
*
* // Create a failing source channel
* const error = new SourceError({ code: 404 })
* const failingSource = Channel.fail(error)
* const safeTransform = Channel.identity<never, never, never>()
*
* // Pipe while preserving source failures
* const safePipedChannel = Channel.pipeToOrFail(failingSource, safeTransform)
*
* Effect.runSync(Effect.exit(Channel.runCollect(safePipedChannel))) // => Exit.fail(error)
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const pipeToOrFail = /*#__PURE__*/ dual(2, (self, that) => fromTransform((upstream, scope) => flatMap$1(toTransform(self)(upstream, scope), (upstream) => map$2(toTransform(that)(upstreamFailureToDefect(upstream), scope), restoreUpstreamFailure))));
const isUpstreamFailure = (reason) => reason._tag === "Die" && isDone(reason.defect) && isCause(reason.defect.value);
/** @internal */
const hasUpstreamFailure = (cause) => cause.reasons.some(isUpstreamFailure);
/** @internal */
const upstreamFailureToDefect = (pull) => catchCause$2(pull, (cause) => isDoneCause(cause) ? failCause$3(cause) : die$3(Done$1(cause)));
/** @internal */
const unwrapUpstreamFailure = (cause) => hasUpstreamFailure(cause) ? fromReasons(cause.reasons.flatMap((reason) => isUpstreamFailure(reason) ? reason.defect.value.reasons : [reason])) : cause;
/**
* The type parameters are explicit because the restored error type includes
* the upstream error, which is not part of the input effect's type.
*
* @internal
*/
const restoreUpstreamFailure = (effect) => catchCause$2(effect, (cause) => failCause$3(unwrapUpstreamFailure(cause)));
/**
* Constructs a `Channel` from a scoped effect that will result in a
* `Channel` if successful.
*
* **Example** (Unwrapping channel effects)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class UnwrapError extends Data.TaggedError("UnwrapError")<{
*   readonly reason: string
* }> {}
*
* // Create an effect that produces a channel
* const channelEffect = Effect.succeed(
*   Channel.fromIterable([1, 2, 3])
* )
*
* // Unwrap the effect to get the channel
* const unwrappedChannel = Channel.unwrap(channelEffect)
*
* Effect.runSync(Channel.runCollect(unwrappedChannel)) // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const unwrap$1 = (channel) => fromTransform((upstream, scope) => {
	let pull;
	return succeed$5(suspend$3(() => {
		if (pull) return pull;
		return channel.pipe(provide(scope), flatMap$1((channel) => toTransform(channel)(upstream, scope)), flatMap$1((pull_) => pull = pull_));
	}));
});
/**
* Interrupts a channel when another effect completes.
*
* **When to use**
*
* Use to race channel execution against an external effect whose success can
* become the channel's done value.
*
* **Details**
*
* If the effect completes first, its success value becomes the returned
* channel's done value. If the channel completes first, the original channel's
* done value is preserved.
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const interruptWhen$1 = /*#__PURE__*/ dual(2, (self, effect) => merge$1(self, fromPull$1(succeed$5(flatMap$1(effect, done))), { haltStrategy: "either" }));
/**
* Returns a channel with an exit-aware finalizer that is guaranteed to run once
* the channel begins execution, whether it succeeds or fails.
*
* **Example** (Running exit finalizers)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect, Exit } from "effect"
*
* class ExitError extends Data.TaggedError("ExitError")<{
*   readonly stage: string
* }> {}
*
* // Create a channel
* const dataChannel = Channel.fromIterable([1, 2, 3])
*
* // Attach exit handler
* const exits: Array<Exit.Exit<void, ExitError>> = []
* const channelWithExit = Channel.onExit(dataChannel, (exit) => {
*   exits.push(exit)
*   return Effect.void
* })
* const observed = [await Effect.runPromise(Channel.runCollect(channelWithExit)), exits] // => [[1, 2, 3], [Exit.void]]
* ```
*
* @stability stable
* @category resource management
* @since 4.0.0
*/
const onExit = /*#__PURE__*/ dual(2, (self, finalizer) => fromTransformBracket((upstream, scope, forkedScope) => addFinalizerExit(forkedScope, finalizer).pipe(andThen$1(toTransform(self)(upstream, scope)))));
/**
* Returns a channel with a finalizer effect that is guaranteed to run once the
* channel begins execution, whether it succeeds or fails.
*
* **Example** (Ensuring cleanup runs)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class EnsureError extends Data.TaggedError("EnsureError")<{
*   readonly operation: string
* }> {}
*
* // Create a channel
* const dataChannel = Channel.fromIterable([1, 2, 3])
*
* // Ensure cleanup always runs
* const events: Array<string> = []
* const channelWithCleanup = Channel.ensuring(
*   dataChannel,
*   Effect.sync(() => events.push("cleanup"))
* )
* const observed = [await Effect.runPromise(Channel.runCollect(channelWithCleanup)), events] // => [[1, 2, 3], ["cleanup"]]
* ```
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const ensuring$1 = /*#__PURE__*/ dual(2, (self, finalizer) => onExit(self, (_) => finalizer));
const runWith = (self, f, onHalt) => suspend$3(() => {
	const scope = makeUnsafe$2();
	const makePull = toTransform(self)(done(), scope);
	return catchDone(flatMap$1(makePull, f), onHalt ? onHalt : succeed$5).pipe(onExit$1((exit) => close(scope, exit)));
});
/**
* Provides a `Context` to the channel, removing the corresponding service
* requirements from the returned channel.
*
* @stability stable
* @category providing services
* @since 2.0.0
*/
const provideContext$1 = /*#__PURE__*/ dual(2, (self, context) => fromTransform((upstream, scope) => map$2(provideContext$2(toTransform(self)(upstream, scope), context), provideContext$2(context))));
/**
* Runs a channel and discards all output elements, returning only the final result.
*
* **Example** (Draining channel output at runtime)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class DrainError extends Data.TaggedError("DrainError")<{
*   readonly stage: string
* }> {}
*
* // Create a channel that outputs elements and completes with a result
* const resultChannel = Channel.fromIterable([1, 2, 3])
* const completedChannel = Channel.concat(resultChannel, Channel.end("completed"))
*
* // Drain all elements and get only the final result
* const drainEffect = Channel.runDrain(completedChannel)
*
* Effect.runSync(drainEffect) // => "completed"
* ```
*
* @stability stable
* @category running
* @since 2.0.0
*/
const runDrain$1 = (self) => runWith(self, (pull) => forever(pull, { disableYield: true }));
/**
* Runs a channel and applies an effect to each output element.
*
* **Example** (Running effects for each output)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class ForEachError extends Data.TaggedError("ForEachError")<{
*   readonly element: unknown
* }> {}
*
* // Create a channel with numbers
* const numbersChannel = Channel.fromIterable([1, 2, 3])
*
* // Run forEach to process each element
* const processed: Array<number> = []
* const forEachEffect = Channel.runForEach(
*   numbersChannel,
*   (n) => Effect.sync(() => processed.push(n))
* )
*
* await Effect.runPromise(forEachEffect)
* processed // => [1, 2, 3]
* ```
*
* @stability stable
* @category running
* @since 4.0.0
*/
const runForEach$1 = /*#__PURE__*/ dual(2, (self, f) => runWith(self, (pull) => forever(flatMap$1(pull, f), { disableYield: true })));
/**
* Concatenates a channel's `Uint8Array` chunks into a single `Uint8Array`.
*
* **Gotchas**
*
* This materializes the full content in memory. The source channel must not
* reuse or mutate emitted buffers, which are retained until collection completes.
*
* **Example** (Joining channel byte chunks)
*
* ```ts import.meta.vitest
* import { Channel, Effect } from "effect"
*
* const channel = Channel.fromArray([
*   [new Uint8Array([1, 2])],
*   [new Uint8Array([3, 4])]
* ] as const)
*
* const bytes = Effect.runSync(Channel.mkUint8Array(channel))
* Array.from(bytes) // => [1, 2, 3, 4]
* ```
*
* @stability stable
* @category running
* @since 4.0.0
*/
const mkUint8Array$1 = (self) => map$2(runFold(self, () => ({
	bytes: 0,
	arrays: []
}), (acc, chunk) => {
	for (let i = 0; i < chunk.length; i++) {
		acc.bytes += chunk[i].length;
		acc.arrays.push(chunk[i]);
	}
	return acc;
}), ({ arrays, bytes }) => {
	const result = new Uint8Array(bytes);
	let offset = 0;
	for (let i = 0; i < arrays.length; i++) {
		const array = arrays[i];
		result.set(array, offset);
		offset += array.length;
	}
	return result;
});
/**
* Runs a channel and folds over all output elements with an accumulator.
*
* **Example** (Folding channel output)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect } from "effect"
*
* class FoldError extends Data.TaggedError("FoldError")<{
*   readonly operation: string
* }> {}
*
* // Create a channel with numbers
* const numbersChannel = Channel.fromIterable([1, 2, 3, 4, 5])
*
* // Fold to calculate sum
* const sumEffect = Channel.runFold(numbersChannel, () => 0, (acc, n) => acc + n)
*
* Effect.runSync(sumEffect) // => 15
* ```
*
* @stability stable
* @category running
* @since 4.0.0
*/
const runFold = /*#__PURE__*/ dual(3, (self, initial, f) => suspend$3(() => {
	let state = initial();
	return runWith(self, (pull) => whileLoop({
		while: constTrue,
		body: () => pull,
		step: (value) => {
			state = f(state, value);
		}
	}), () => succeed$5(state));
}));
/**
* Converts a channel to a Pull within an existing scope.
*
* **Example** (Converting channels to scoped pulls)
*
* ```ts import.meta.vitest
* import { Channel, Data, Effect, Scope } from "effect"
*
* class ScopedPullError extends Data.TaggedError("ScopedPullError")<{
*   readonly reason: string
* }> {}
*
* // Create a channel
* const numbersChannel = Channel.fromIterable([1, 2, 3])
*
* // Convert to Pull with explicit scope
* const scopedPullEffect = Effect.gen(function*() {
*   const scope = yield* Effect.scope
*   const pull = yield* Channel.toPullScoped(numbersChannel, scope)
*   return [yield* pull, yield* pull, yield* pull]
* })
* await Effect.runPromise(Effect.scoped(scopedPullEffect)) // => [1, 2, 3]
* ```
*
* @stability stable
* @category destructors
* @since 4.0.0
*/
const toPullScoped = (self, scope) => toTransform(self)(done(), scope);

// node_modules/effect/dist/internal/stream.js
const TypeId$7 = "~effect/Stream";
const streamVariance = {
	_R: identity,
	_E: identity,
	_A: identity
};
const Stream$1 = function(channel) {
	this.channel = channel;
};
Stream$1.prototype = {
	[TypeId$7]: streamVariance,
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/** @internal */
const fromChannel$1 = (channel) => new Stream$1(channel);

// node_modules/effect/dist/Stream.js
/**
* Describes effectful sources that emit values over time.
*
* A `Stream<A, E, R>` can emit many `A` values, fail with `E`, and require
* services `R` while it is being consumed. Streams are useful for data that is
* pulled in steps, such as values from collections, queues, pubsubs, schedules,
* callbacks, async iterables, or platform streams. The APIs here cover the full
* stream lifecycle: create a stream, transform or combine it, control buffering
* and timing, handle failures, and finally consume it.
*
* @stability stable
* @since 2.0.0
*/
/**
* Runtime identifier stored on `Stream` values and used by `isStream` to
* recognize them.
*
* **Details**
*
* This marker is part of the runtime representation of `Stream` values. Prefer
* `isStream` when narrowing unknown values.
*
* @see {@link isStream} for the public guard that checks this identifier
*
* @stability stable
* @category type IDs
* @since 4.0.0
*/
const TypeId$6 = "~effect/Stream";
/**
* Checks whether a value is a Stream.
*
* **Example** (Checking whether a value is a Stream)
*
* ```ts import.meta.vitest
* import { Stream } from "effect"
*
* Stream.isStream(Stream.make(1, 2, 3)) // => true
* Stream.isStream({ data: [1, 2, 3] }) // => false
* ```
*
* @stability stable
* @category guards
* @since 4.0.0
*/
const isStream = (u) => hasProperty(u, TypeId$6);
/**
* Creates a stream from a array-emitting `Channel`.
*
* **Example** (Creating a stream from an array-emitting channel)
*
* ```ts import.meta.vitest
* import { Channel, Effect, Stream } from "effect"
*
* const channel = Channel.succeed([1, 2, 3] as const)
* const stream = Stream.fromChannel(channel)
* await Effect.runPromise(Stream.runCollect(stream)) // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromChannel = fromChannel$1;
/**
* Creates a stream from an effect.
*
* **Example** (Creating a stream from an effect)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.fromEffect(Effect.succeed(42))
* await Effect.runPromise(Stream.runCollect(stream)) // => [42]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromEffect = (effect) => fromChannel(fromEffect$1(map$2(effect, of)));
/**
* Creates a stream from a pull effect, such as one produced by `Stream.toPull`.
*
* **Details**
*
* A pull effect yields chunks on demand and completes when the upstream stream ends.
* See `Stream.toPull` for a matching producer.
*
* **Example** (Creating a stream from a pull effect)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const program = Effect.scoped(
*   Effect.gen(function*() {
*     const source = Stream.make(1, 2, 3)
*     const pull = yield* Stream.toPull(source)
*     const stream = Stream.fromPull(Effect.succeed(pull))
*     return yield* Stream.runCollect(stream)
*   })
* )
*
* await Effect.runPromise(program) // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromPull = (pull) => fromChannel(fromPull$1(pull));
/**
* Derives a stream by transforming its pull effect.
*
* **Example** (Transforming a pull effect)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(1, 2, 3)
*
* const transformed = Stream.transformPull(stream, (pull) => Effect.succeed(pull))
*
* await Effect.runPromise(Stream.runCollect(transformed)) // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const transformPull = (self, f) => fromChannel(fromTransform((_, scope) => flatMap$1(toPullScoped(self.channel, scope), (pull) => f(pull, scope))));
/**
* Creates a channel from a stream.
*
* **Example** (Converting a stream to a channel)
*
* ```ts import.meta.vitest
* import { Channel, Effect, Stream } from "effect"
*
* const channel = Stream.toChannel(Stream.make(1, 2, 3))
* const values = await Effect.runPromise(Channel.runCollect(channel))
* values.flat() // => [1, 2, 3]
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const toChannel = (stream) => stream.channel;
/**
* Creates a stream from a callback that can emit values into a queue.
*
* **When to use**
*
* Use when you need callback-based code to emit stream values by offering to a
* `Queue`, or signal stream completion through the `Queue` module APIs.
*
* By default it uses an "unbounded" buffer size.
* You can customize the buffer size and strategy by passing an object as the
* second argument with the `bufferSize` and `strategy` fields.
*
* **Example** (Creating a stream from a callback that can emit values into a queue)
*
* ```ts import.meta.vitest
* import { Effect, Queue, Stream } from "effect"
*
* const stream = Stream.callback<number>((queue) =>
*   Effect.sync(() => {
*     // Emit values to the stream
*     Queue.offerUnsafe(queue, 1)
*     Queue.offerUnsafe(queue, 2)
*     Queue.offerUnsafe(queue, 3)
*     // Signal completion
*     Queue.endUnsafe(queue)
*   })
* )
*
* await Effect.runPromise(Stream.runCollect(stream)) // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const callback = (f, options) => fromChannel(callbackArray(f, options));
/**
* Creates an empty stream.
*
* **Example** (Creating an empty stream)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* await Effect.runPromise(Stream.runCollect(Stream.empty)) // => []
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const empty$3 = /*#__PURE__*/ fromChannel(empty$4);
/**
* Creates a single-valued pure stream.
*
* **Example** (Creating a single-valued pure stream)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* await Effect.runPromise(Stream.runCollect(Stream.succeed(3))) // => [3]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const succeed = (value) => fromChannel(succeed$1(of(value)));
/**
* Creates a lazily constructed stream.
*
* **Details**
*
* The stream factory is evaluated each time the stream is run.
*
* **Example** (Creating a lazily constructed stream)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* await Effect.runPromise(Stream.suspend(() => Stream.make(1, 2, 3)).pipe(Stream.runCollect)) // => [1, 2, 3]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const suspend = (stream) => {
	const suspended = fromChannel(suspend$1(() => stream().channel));
	suspendedStreams.set(suspended, stream);
	return suspended;
};
const suspendedStreams = /*#__PURE__*/ new WeakMap();
/**
* Terminates with the specified error.
*
* **Example** (Failing a stream)
*
* ```ts import.meta.vitest
* import { Effect, Exit, Stream } from "effect"
*
* await Effect.runPromise(Effect.exit(Stream.runCollect(Stream.fail("Uh oh!")))) // => Exit.fail("Uh oh!")
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fail = (error) => fromChannel(fail$1(error));
/**
* The stream that dies with the specified defect.
*
* **Example** (Dying with a defect)
*
* ```ts import.meta.vitest
* import { Cause, Effect, Exit, Stream } from "effect"
*
* const defect = new Error("Boom")
* const stream = Stream.die(defect)
*
* await Effect.runPromise(Effect.exit(Stream.runCollect(stream))) // => Exit.failCause(Cause.die(defect))
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const die = (defect) => fromChannel(die$1(defect));
/**
* Creates a new `Stream` from an iterable collection of values.
*
* **Details**
*
* - `chunkSize`: Maximum number of values emitted per chunk. Finite fractional
*   values are rounded down, while `NaN` and non-positive values are treated as
*   `1`.
*
* **Example** (Creating a stream from an iterable)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const numbers = [1, 2, 3]
*
* const program = Effect.gen(function*() {
*   const stream = Stream.fromIterable(numbers)
*   const values = yield* Stream.runCollect(stream)
*   values // => [1, 2, 3]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromIterable = (iterable, options) => Array.isArray(iterable) && options?.chunkSize === void 0 ? fromArray(iterable) : fromChannel(fromIterableArray(iterable, options?.chunkSize));
/**
* Creates a stream from an array of values.
*
* **Example** (Creating a stream from an array of values)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const program = Effect.gen(function*() {
*   const stream = Stream.fromArray([1, 2, 3])
*   const values = yield* Stream.runCollect(stream)
*   values // => [1, 2, 3]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category constructors
* @since 4.0.0
*/
const fromArray = (array) => isReadonlyArrayNonEmpty(array) ? fromChannel(succeed$1(array)) : empty$3;
/**
* Creates a stream from a lazily supplied Web `ReadableStream`.
*
* **Details**
*
* The stream reads from a `ReadableStreamDefaultReader` and maps read failures
* with `onError`. Finalization cancels the reader and releases its lock, or
* only releases the lock when `releaseLockOnEnd` is set. A rejected cancel
* hook becomes a defect.
*
* **Example** (Creating a stream from a ReadableStream)
*
* ```ts import.meta.vitest
* import { Data, Effect, Stream } from "effect"
*
* class StreamError extends Data.TaggedError("StreamError")<{ readonly cause: unknown }> {}
*
* const readableStream = new ReadableStream({
*   start(controller) {
*     controller.enqueue(1)
*     controller.enqueue(2)
*     controller.enqueue(3)
*     controller.close()
*   }
* })
*
* const program = Effect.gen(function*() {
*   const stream = Stream.fromReadableStream({
*     evaluate: () => readableStream,
*     onError: (cause) => new StreamError({ cause })
*   })
*   const values = yield* Stream.runCollect(stream)
*   values // => [1, 2, 3]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const fromReadableStream = (options) => fromChannel(fromReadableStream$1(options));
/**
* Creates a stream produced from an `Effect`.
*
* **Example** (Unwrapping a stream effect)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const effect = Effect.succeed(Stream.make(1, 2, 3))
*
* const stream = Stream.unwrap(effect)
*
* const program = Effect.gen(function*() {
*   const chunk = yield* Stream.runCollect(stream)
*   chunk // => [ 1, 2, 3 ]
* })
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const unwrap = (effect) => fromChannel(unwrap$1(map$2(effect, toChannel)));
/**
* Transforms the elements of this stream using the supplied function.
*
* **Example** (Mapping stream values)
*
* ```ts import.meta.vitest
* import { Effect, Option, Stream } from "effect"
*
* const stream = Stream.fromArray([1, 2, 3]).pipe(Stream.map((n, i) => n + i))
* await Effect.runPromise(Stream.runCollect(stream)) // => [1, 3, 5]
* ```
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const map = /*#__PURE__*/ dual(2, (self, f) => suspend(() => {
	let i = 0;
	return fromChannel(map$1(self.channel, map$3((o) => f(o, i++))));
}));
/**
* Transforms each emitted chunk using the provided function, which receives the chunk and its index.
*
* **Example** (Mapping stream chunks)
*
* ```ts import.meta.vitest
* import { Array, Effect, Stream } from "effect"
*
* const program = Effect.gen(function*() {
*   const result = yield* Stream.make(1, 2, 3, 4).pipe(
*     Stream.rechunk(2),
*     Stream.mapArray((chunk, index) => Array.map(chunk, (n) => n + index)),
*     Stream.runCollect
*   )
*   result // => [ 1, 2, 4, 5 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category mapping
* @since 4.0.0
*/
const mapArray = /*#__PURE__*/ dual(2, (self, f) => fromChannel(map$1(self.channel, f)));
/**
* Maps over elements of the stream with the specified effectful function.
*
* **When to use**
*
* Use when each stream element transformation needs an Effect, service
* dependency, failure channel, or configured concurrency.
*
* **Example** (Effectfully mapping stream values)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const events: Array<string> = []
* const stream = Stream.make(1, 2, 3)
*
* const mappedStream = stream.pipe(
*   Stream.mapEffect((n) =>
*     Effect.sync(() => {
*       events.push(`Processing: ${n}`)
*       return n * 2
*     })
*   )
* )
*
* const program = Effect.gen(function*() {
*   const result = yield* Stream.runCollect(mappedStream)
*   result // => [2, 4, 6]
* })
*
* await Effect.runPromise(program)
* events // => ["Processing: 1", "Processing: 2", "Processing: 3"]
* ```
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const mapEffect = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, f, options) => self.channel.pipe(flattenArray, mapEffect$1(f, options), map$1(of), fromChannel));
/**
* Maps over non-empty array chunks emitted by the stream effectfully.
*
* **When to use**
*
* Use when transformation needs to see and replace each non-empty emitted chunk
* effectfully instead of mapping individual stream elements.
*
* **Example** (Effectfully mapping stream chunks)
*
* ```ts import.meta.vitest
* import { Array, Effect, Stream } from "effect"
*
* const program = Effect.gen(function*() {
*   const result = yield* Stream.fromArray([1, 2, 3, 4]).pipe(
*     Stream.rechunk(2),
*     Stream.mapArrayEffect((chunk, index) =>
*       Effect.succeed(Array.map(chunk, (n) => n + index * 10))
*     ),
*     Stream.runCollect
*   )
*   result // => [ 1, 2, 13, 14 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category mapping
* @since 4.0.0
*/
const mapArrayEffect = /*#__PURE__*/ dual(2, (self, f) => fromChannel(mapEffect$1(self.channel, f)));
/**
* Runs the provided stream in the background while this stream runs, interrupting it
* when this stream completes and failing if the background stream fails or defects.
*
* **Example** (Draining a stream in the background)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const events: Array<string> = []
* const foreground = Stream.make(1, 2)
* const background = Stream.fromEffect(Effect.sync(() => events.push("background task")))
*
* const program = Effect.gen(function*() {
*   const values = yield* foreground.pipe(
*     Stream.drainFork(background),
*     Stream.runCollect
*   )
*   values // => [1, 2]
* })
*
* await Effect.runPromise(program)
* events // => ["background task"]
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const drainFork = /*#__PURE__*/ dual(2, (self, that) => mergeEffect(self, runDrain(that)));
/**
* Merges two streams, emitting elements from both as they arrive.
*
* **Details**
*
* By default, the merged stream ends when both streams end. Use
* `haltStrategy` to change the termination behavior.
*
* **Example** (Merging stream values)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const fast = Stream.make(1, 2, 3)
* const slow = Stream.fromEffect(Effect.delay(Effect.succeed(4), "50 millis"))
*
* const program = Effect.gen(function*() {
*   const result = yield* Stream.runCollect(Stream.merge(fast, slow))
*   result // => [ 1, 2, 3, 4 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category merging
* @since 2.0.0
*/
const merge = /*#__PURE__*/ dual((args) => isStream(args[0]) && isStream(args[1]), (self, that, options) => fromChannel(merge$1(toChannel(self), toChannel(that), options)));
/**
* Merges this stream with a background effect, keeping the stream's elements.
*
* **When to use**
*
* Use when an effect should run concurrently for the lifetime of a stream while
* only the stream's elements remain in the output.
*
* **Details**
*
* The effect runs concurrently, fails the stream if it fails, and is interrupted
* when the stream completes.
*
* **Example** (Merging with a background effect)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const events: Array<string> = []
* const program = Effect.gen(function*() {
*   const values = yield* Stream.make(1, 2, 3).pipe(
*     Stream.mergeEffect(Effect.sync(() => events.push("side task"))),
*     Stream.runCollect
*   )
*
*   values // => [1, 2, 3]
* })
*
* await Effect.runPromise(program)
* events // => ["side task"]
* ```
*
* @stability stable
* @category merging
* @since 4.0.0
*/
const mergeEffect = /*#__PURE__*/ dual(2, (self, effect) => self.channel.pipe(mergeEffect$1(effect), fromChannel));
/**
* Switches over to the stream produced by the provided function in case this
* one fails. Allows recovery from all causes of failure, including
* interruption if the stream is uninterruptible.
*
* **Example** (Catching stream causes)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(1, 2).pipe(
*   Stream.concat(Stream.fail("Oops!")),
*   Stream.concat(Stream.make(3, 4))
* )
*
* const recovered = stream.pipe(
*   Stream.catchCause(() => Stream.make(999))
* )
*
* const program = Effect.gen(function*() {
*   const values = yield* Stream.runCollect(recovered)
*   values // => [ 1, 2, 999 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const catchCause = /*#__PURE__*/ dual(2, (self, f) => self.channel.pipe(catchCause$1((cause) => f(cause).channel), fromChannel));
/**
* Peeks at errors effectfully without changing the stream unless the tap fails.
*
* **Example** (Effectfully peeking at errors)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const errors: Array<string> = []
* const stream = Stream.make(1, 2).pipe(
*   Stream.concat(Stream.fail("boom")),
*   Stream.tapError((error) => Effect.sync(() => errors.push(error))),
*   Stream.catch(() => Stream.make(999))
* )
*
* const program = Effect.gen(function*() {
*   const values = yield* Stream.runCollect(stream)
*   values // => [1, 2, 999]
* })
*
* await Effect.runPromise(program)
* errors // => ["boom"]
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const tapError = /*#__PURE__*/ dual(2, (self, f) => self.channel.pipe(tapError$1(f), fromChannel));
/**
* Recovers from errors that match a predicate by switching to a recovery stream.
*
* **Details**
*
* When a failure matches the filter, the stream switches to the recovery
* stream. Non-matching failures propagate downstream, so the error type is
* preserved unless the filter narrows it.
*
* **Gotchas**
*
* If the cause contains a defect, the handler is skipped and every typed error
* is converted to a defect, preserving reason order and interrupts. An
* interruption alongside a typed error does not prevent recovery.
*
* **Example** (Catching matching failures)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(1, 2).pipe(
*   Stream.concat(Stream.fail(42)),
*   Stream.catchIf(
*     (error): error is 42 => error === 42,
*     () => Stream.make(999)
*   )
* )
*
* const program = Effect.gen(function*() {
*   const values = yield* Stream.runCollect(stream)
*   values // => [ 1, 2, 999 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category error handling
* @since 4.0.0
*/
const catchIf = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, predicate, f, orElse) => fromChannel(catchIf$1(toChannel(self), predicate, (e) => f(e).channel, orElse && ((e) => orElse(e).channel))));
/**
* Transforms the errors emitted by this stream using `f`.
*
* **Details**
*
* Maps every typed error in the cause, preserving defects, interrupts and
* reason order. Unlike typed recovery, mapping does not convert errors to defects.
*
* **Example** (Mapping stream errors)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const program = Effect.gen(function*() {
*   const result = yield* Stream.fail("bad").pipe(
*     Stream.mapError((error) => `mapped: ${error}`),
*     Stream.catch((error) => Stream.make(`recovered from ${error}`)),
*     Stream.runCollect
*   )
*   result // => [ 'recovered from mapped: bad' ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const mapError = /*#__PURE__*/ dual(2, (self, f) => fromChannel(mapError$1(self.channel, f)));
/**
* Turns typed failures into defects, making the stream infallible.
*
* **Example** (Turning failures into defects)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const program = Effect.gen(function*() {
*   const values = yield* Stream.make(1, 2, 3).pipe(
*     Stream.orDie,
*     Stream.runCollect
*   )
*
*   values // => [ 1, 2, 3 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category error handling
* @since 2.0.0
*/
const orDie = (self) => fromChannel(orDie$1(self.channel));
/**
* Takes elements until the predicate matches.
*
* **Details**
*
* When `excludeLast` is `true`, the matching element is dropped.
*
* **Example** (Taking until a predicate matches)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.range(1, 5)
*
* const program = Effect.gen(function*() {
*   const inclusive = yield* stream.pipe(
*     Stream.takeUntil((n) => n % 3 === 0),
*     Stream.runCollect
*   )
*   inclusive // => [ 1, 2, 3 ]
*
*   const exclusive = yield* stream.pipe(
*     Stream.takeUntil((n) => n % 3 === 0, { excludeLast: true }),
*     Stream.runCollect
*   )
*   exclusive // => [ 1, 2 ]
* })
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category filtering
* @since 2.0.0
*/
const takeUntil = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, predicate, options) => transformPull(self, (pull, _scope) => sync$1(() => {
	let i = 0;
	let done$6 = false;
	return flatMap$1(suspend$3(() => done$6 ? done() : pull), (chunk) => {
		const index = chunk.findIndex((a) => predicate(a, i++));
		if (index >= 0) {
			done$6 = true;
			const arr = chunk.slice(0, options?.excludeLast ? index : index + 1);
			return isReadonlyArrayNonEmpty(arr) ? succeed$5(arr) : done();
		}
		return succeed$5(chunk);
	});
})));
/**
* Maps elements statefully, emitting zero or more outputs per input.
*
* **Example** (Statefully mapping stream values)
*
* ```ts import.meta.vitest
* import { Console, Effect, Stream } from "effect"
*
* const program = Effect.gen(function*() {
*   const totals = yield* Stream.make(0, 1, 2, 3, 4, 5, 6).pipe(
*     Stream.mapAccum(() => 0, (total, n) => {
*       const next = total + n
*       return [next, [next]] as const
*     }),
*     Stream.runCollect
*   )
*
*   totals // => [0, 1, 3, 6, 10, 15, 21]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category mapping
* @since 2.0.0
*/
const mapAccum = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, initial, f, options) => fromChannel(mapAccum$1(self.channel, initial, (state, arr) => {
	const acc = empty$5();
	for (let index = 0; index < arr.length; index++) {
		const [newState, values] = f(state, arr[index]);
		state = newState;
		for (let i = 0; i < values.length; i++) acc.push(values[i]);
	}
	return [state, isArrayNonEmpty(acc) ? of(acc) : emptyArr];
}, options?.onHalt ? { onHalt(state) {
	const arr = options.onHalt(state);
	return isReadonlyArrayNonEmpty(arr) ? of(arr) : emptyArr;
} } : void 0)));
const emptyArr = /*#__PURE__*/ empty$5();
/**
* Applies a sink transducer to the stream and emits each sink result.
*
* **Example** (Transducing with a sink)
*
* ```ts import.meta.vitest
* import { Effect, Sink, Stream } from "effect"
*
* const program = Effect.gen(function* () {
*   const result = yield* Stream.make(1, 2, 3, 4).pipe(
*     Stream.transduce(Sink.take(2)),
*     Stream.runCollect
*   )
*
*   result // => [ [ 1, 2 ], [ 3, 4 ], [] ]
* })
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category aggregation
* @since 2.0.0
*/
const transduce = /*#__PURE__*/ dual(2, (self, sink) => transformPull(self, (upstream, scope) => sync$1(() => {
	let done$8;
	let leftover;
	const upstreamWithLeftover = suspend$3(() => {
		if (leftover !== void 0) {
			const chunk = leftover;
			leftover = void 0;
			return succeed$5(chunk);
		}
		return upstream;
	}).pipe(catch_$1((error) => {
		done$8 = fail$4(error);
		return done();
	}));
	const pull = map$2(suspend$3(() => sink.transform(upstreamWithLeftover, scope)), ([value, leftover_]) => {
		leftover = leftover_;
		return of(value);
	});
	return suspend$3(() => done$8 ? done$8 : pull);
})));
/**
* Pipes this stream through a channel that consumes and emits chunked elements.
*
* **Details**
*
* The channel receives `NonEmptyReadonlyArray` chunks and can transform both the
* output elements and error type.
*
* **Example** (Piping through a channel)
*
* ```ts import.meta.vitest
* import { Array, Channel, Effect, Stream } from "effect"
*
* type NumberChunk = readonly [number, ...Array<number>]
*
* const doubleChunks = Channel.identity<NumberChunk, never, unknown>().pipe(
*   Channel.map((chunk) => Array.map(chunk, (n) => n * 2))
* )
*
* const program = Effect.gen(function*() {
*   const result = yield* Stream.fromArray([1, 2, 3]).pipe(
*     Stream.rechunk(2),
*     Stream.pipeThroughChannel(doubleChunks),
*     Stream.runCollect
*   )
*   result // => [ 2, 4, 6 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const pipeThroughChannel = /*#__PURE__*/ dual(2, (self, channel) => fromChannel(pipeTo(self.channel, channel)));
/**
* Pipes values through the provided channel while preserving this stream's
* failures alongside any channel failures.
*
* **Details**
*
* Upstream failures are not passed to the channel, so the resulting stream can
* fail with either the original stream error or the channel error.
*
* **Example** (Piping through a channel with failures)
*
* ```ts import.meta.vitest
* import { Array, Channel, Effect, Stream } from "effect"
*
* type NumberChunk = readonly [number, ...Array<number>]
*
* const stringifyChunks = Channel.identity<NumberChunk, "StreamError", unknown>().pipe(
*   Channel.map((chunk) => Array.map(chunk, String))
* )
*
* await Effect.runPromise(Effect.gen(function*() {
*   const result = yield* Stream.make(1, 2, 3).pipe(
*     Stream.rechunk(2),
*     Stream.pipeThroughChannelOrFail(stringifyChunks),
*     Stream.runCollect
*   )
*
*   result // => ["1", "2", "3"]
* }))
* ```
*
* @stability stable
* @category sequencing
* @since 2.0.0
*/
const pipeThroughChannelOrFail = /*#__PURE__*/ dual(2, (self, channel) => fromChannel(pipeToOrFail(self.channel, channel)));
/**
* Decodes Uint8Array chunks into strings using TextDecoder with an optional encoding.
*
* **Example** (Decoding Uint8Array chunks into strings using TextDecoder with an optional encoding)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const encoder = new TextEncoder()
* const stream = Stream.make(
*   encoder.encode("Hello"),
*   encoder.encode(" World")
* )
*
* const program = Effect.gen(function*() {
*   const decoded = yield* stream.pipe(
*     Stream.decodeText,
*     Stream.runCollect
*   )
*   decoded // => [ 'Hello', ' World' ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category text
* @since 2.0.0
*/
const decodeText = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, options) => self.channel.pipe(pipeTo(decodeText$1(options?.encoding)), fromChannel));
/**
* Encodes a stream of strings into UTF-8 `Uint8Array` chunks.
*
* **Example** (Encoding a stream of strings into UTF-8 Uint8Array chunks)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make("Hello", " ", "World")
* const program = Effect.gen(function*() {
*   const encoded = Stream.encodeText(stream)
*   const chunks = yield* Stream.runCollect(encoded)
*   const bytes = chunks.map((chunk) => [...chunk])
*   bytes // => [ [ 72, 101, 108, 108, 111 ], [ 32 ], [ 87, 111, 114, 108, 100 ] ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category text
* @since 2.0.0
*/
const encodeText$1 = (self) => suspend(() => {
	const encoder = new TextEncoder();
	return map(self, (chunk) => encoder.encode(chunk));
});
/**
* Splits a stream of strings into lines, handling `\n`, `\r`, and `\r\n` delimiters across chunks.
*
* **Example** (Splitting streamed text into lines)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* await Effect.runPromise(Effect.gen(function* () {
*   const lines = yield* Stream.runCollect(
*     Stream.make("a\nb\r\n", "c\n").pipe(Stream.splitLines)
*   )
*   lines // => [ 'a', 'b', 'c' ]
* }))
* ```
*
* @stability stable
* @category text
* @since 2.0.0
*/
const splitLines = (self) => self.channel.pipe(pipeTo(splitLines$1()), fromChannel);
/**
* Interrupts the evaluation of this stream when the provided effect
* completes. The given effect will be forked as part of this stream, and its
* success will be discarded. This combinator will also interrupt any
* in-progress element being pulled from upstream.
*
* **Details**
*
* If the effect completes with a failure before the stream completes, the
* returned stream will emit that failure.
*
* **Example** (Interrupting when an effect completes)
*
* ```ts import.meta.vitest
* import { Deferred, Effect, Stream } from "effect"
*
* const program = Effect.gen(function*() {
*   const interrupt = yield* Deferred.make<void>()
*   const stream = Stream.make(1, 2, 3).pipe(
*     Stream.tap((value) =>
*       value === 2
*         ? Deferred.succeed(interrupt, void 0)
*         : Effect.void
*     ),
*     Stream.interruptWhen(Deferred.await(interrupt))
*   )
*
*   const result = yield* Stream.runCollect(stream)
*   result // => [ 1 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category interruption
* @since 2.0.0
*/
const interruptWhen = /*#__PURE__*/ dual(2, (self, effect) => fromChannel(interruptWhen$1(self.channel, effect)));
/**
* Executes the provided finalizer after this stream's finalizers run.
*
* **Example** (Ensuring finalization)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const events: Array<string> = []
* const stream = Stream.fromArray([1, 2]).pipe(
*   Stream.ensuring(Effect.sync(() => events.push("cleanup")))
* )
*
* const program = Effect.gen(function*() {
*   const collected = yield* Stream.runCollect(stream)
*   collected // => [1, 2]
* })
*
* await Effect.runPromise(program)
* events // => ["cleanup"]
* ```
*
* @stability stable
* @category resource management
* @since 2.0.0
*/
const ensuring = /*#__PURE__*/ dual(2, (self, finalizer) => fromChannel(ensuring$1(self.channel, finalizer)));
/**
* Provides multiple services to the stream using a context.
*
* **Example** (Providing multiple services to the stream using a context)
*
* ```ts import.meta.vitest
* import { Context, Effect, Stream } from "effect"
*
* class Config extends Context.Service<Config, { readonly prefix: string }>()("Config") {}
* class Greeter extends Context.Service<Greeter, { greet: (name: string) => string }>()("Greeter") {}
*
* const context = Context.make(Config, { prefix: "Hello" }).pipe(
*   Context.add(Greeter, { greet: (name: string) => `${name}!` })
* )
*
* const stream = Stream.fromEffect(
*   Effect.gen(function*() {
*     const config = yield* Effect.service(Config)
*     const greeter = yield* Effect.service(Greeter)
*     return greeter.greet(config.prefix)
*   })
* )
*
* const program = Effect.gen(function*() {
*   const result = yield* Stream.runCollect(Stream.provideContext(stream, context))
*   result // => [ 'Hello!' ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category providing services
* @since 2.0.0
*/
const provideContext = /*#__PURE__*/ dual(2, (self, context) => fromChannel(provideContext$1(self.channel, context)));
/**
* Runs a stream with a sink and returns the sink result.
*
* **Example** (Running a stream with a sink)
*
* ```ts import.meta.vitest
* import { Effect, Sink, Stream } from "effect"
*
* const program = Stream.run(Stream.make(1, 2, 3), Sink.sum)
*
* await Effect.runPromise(program) // => 6
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const run = /*#__PURE__*/ dual(2, (self, sink) => scopedWith((scope) => toPullScoped(self.channel, scope).pipe(flatMap$1((upstream) => runSink(sink, upstream, scope)), map$2(([a]) => a))));
/**
* Runs `sink` against `upstream`. Upstream failures bypass the sink's error
* handlers and are restored once the sink has exited.
*/
const runSink = (sink, upstream, scope) => restoreUpstreamFailure(sink.transform(upstreamFailureToDefect(upstream), scope));
/**
* Runs the stream and collects all elements into an array.
*
* **Example** (Collecting stream values)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(1, 2, 3, 4, 5)
*
* const program = Effect.gen(function*() {
*   const collected = yield* Stream.runCollect(stream)
*   collected // => [ 1, 2, 3, 4, 5 ]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const runCollect = (self) => runFold(self.channel, () => [], (acc, chunk) => {
	for (let i = 0; i < chunk.length; i++) acc.push(chunk[i]);
	return acc;
});
/**
* Runs the provided effectful callback for each element of the stream.
*
* **Example** (Running an effect for each value)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(1, 2, 3)
* const values: Array<string> = []
*
* const program = Effect.gen(function*() {
*   yield* Stream.runForEach(stream, (n) => Effect.sync(() => values.push(`Processing: ${n}`)))
* })
*
* await Effect.runPromise(program)
* values // => ["Processing: 1", "Processing: 2", "Processing: 3"]
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const runForEach = /*#__PURE__*/ dual(2, (self, f) => runForEach$1(self.channel, (arr) => {
	let i = 0;
	return whileLoop({
		while: () => i < arr.length,
		body: () => f(arr[i++]),
		step: constVoid
	});
}));
/**
* Consumes the stream in chunks, passing each non-empty array to the callback.
*
* **Example** (Consuming stream chunks)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(1, 2, 3, 4, 5)
* const chunks: Array<string> = []
* const program = Effect.gen(function*() {
*   yield* Stream.runForEachArray(
*     stream,
*     (chunk) => Effect.sync(() => chunks.push(chunk.join(", ")))
*   )
* })
*
* await Effect.runPromise(program)
* chunks // => ["1, 2, 3, 4, 5"]
* ```
*
* @stability stable
* @category destructors
* @since 4.0.0
*/
const runForEachArray = /*#__PURE__*/ dual(2, (self, f) => runForEach$1(self.channel, f));
/**
* Runs the stream for its effects, discarding emitted elements.
*
* **Example** (Draining a stream run)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const values: Array<number> = []
* const program = Effect.gen(function*() {
*   const stream = Stream.make(1, 2, 3).pipe(
*     Stream.mapEffect((n) => Effect.sync(() => values.push(n)))
*   )
*
*   yield* Stream.runDrain(stream)
* })
*
* await Effect.runPromise(program)
* values // => [1, 2, 3]
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const runDrain = (self) => runDrain$1(self.channel);
/**
* Concatenates all emitted strings into a single string.
*
* **Example** (Joining strings from a stream)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make("Hello", " ", "World", "!")
* const program = Effect.gen(function*() {
*   const text = yield* Stream.mkString(stream)
*   text // => "Hello World!"
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const mkString = (self) => runFold(self.channel, () => "", (acc, chunk) => acc + chunk.join(""));
/**
* Concatenates the stream's `Uint8Array` chunks into a single `ArrayBuffer`.
*
* **Gotchas**
*
* This materializes the full content in memory. The source stream must not
* reuse or mutate emitted buffers, which are retained until collection completes.
*
* **Example** (Joining byte chunks into an ArrayBuffer)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const program = Stream.make(
*   new Uint8Array([1, 2]),
*   new Uint8Array([3, 4])
* ).pipe(
*   Stream.mkArrayBuffer,
*   Effect.map((buffer) => [...new Uint8Array(buffer)])
* )
*
* await Effect.runPromise(program) // => [1, 2, 3, 4]
* ```
*
* @stability stable
* @category destructors
* @since 4.0.0
*/
const mkArrayBuffer = (self) => map$2(mkUint8Array$1(self.channel), (bytes) => bytes.buffer);
/**
* Concatenates the stream's `Uint8Array` chunks into a single `Uint8Array`.
*
* **Gotchas**
*
* This materializes the full content in memory. The source stream must not
* reuse or mutate emitted buffers, which are retained until collection completes.
*
* **Example** (Joining Uint8Array chunks)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(new Uint8Array([1, 2]), new Uint8Array([3, 4]))
* const program = Effect.gen(function*() {
*   const bytes = yield* Stream.mkUint8Array(stream)
*   const values = Array.from(bytes) // => [1, 2, 3, 4]
* })
*
* await Effect.runPromise(program)
* ```
*
* @stability stable
* @category destructors
* @since 4.0.0
*/
const mkUint8Array = (self) => mkUint8Array$1(self.channel);
/**
* Converts the stream to a `ReadableStream` using the provided services.
*
* **When to use**
*
* Use when bridging to Web Streams and you already have the `Context` required
* to run the stream outside an `Effect`.
*
* **Details**
*
* See https://developer.mozilla.org/en-US/docs/Web/API/ReadableStream.
*
* When `signal` aborts, the stream is interrupted even if the reader has
* stopped pulling, and the `ReadableStream` closes.
*
* **Example** (Converting to a ReadableStream with services)
*
* ```ts import.meta.vitest
* import { Context, Stream } from "effect"
*
* const stream = Stream.make(1, 2, 3, 4, 5)
* const readableStream = Stream.toReadableStreamWith(stream, Context.empty())
* const values = await globalThis.Array.fromAsync(readableStream)
* values // => [ 1, 2, 3, 4, 5 ]
* ```
*
* @stability stable
* @category destructors
* @since 4.0.0
*/
const toReadableStreamWith = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, context, options) => {
	let currentResolve = void 0;
	let fiber = void 0;
	let cancelled = false;
	const latch = makeUnsafe$1(false);
	const signal = options?.signal;
	const onAbort = () => fiber.interruptUnsafe();
	return new ReadableStream({
		start(controller) {
			fiber = runFork(provideContext$2(runForEach$1(transformPull$1(self.channel, (pull) => succeed$5(latch.whenOpen(pull))), (chunk) => sync$1(() => {
				latch.closeUnsafe();
				for (let i = 0; i < chunk.length; i++) controller.enqueue(chunk[i]);
				currentResolve();
				currentResolve = void 0;
			})), context));
			fiber.addObserver((exit) => {
				signal?.removeEventListener("abort", onAbort);
				if (cancelled) return;
				if (exit._tag === "Failure" && signal?.aborted !== true) controller.error(squash(exit.cause));
				else controller.close();
			});
			if (signal !== void 0 && fiber.pollUnsafe() === void 0) {
				if (signal.aborted) onAbort();
				else signal.addEventListener("abort", onAbort, { once: true });
			}
		},
		pull() {
			return new Promise((resolve) => {
				currentResolve = resolve;
				latch.openUnsafe();
			});
		},
		cancel() {
			if (!fiber) return;
			cancelled = true;
			return runPromise(asVoid(interrupt(fiber)));
		}
	}, options?.strategy);
});
/**
* Converts a stream to a `ReadableStream`.
*
* **Details**
*
* See https://developer.mozilla.org/en-US/docs/Web/API/ReadableStream.
*
* **Example** (Converting a stream to a ReadableStream)
*
* ```ts import.meta.vitest
* import { Stream } from "effect"
*
* const readableStream = Stream.toReadableStream(Stream.make(1, 2, 3))
* const values = await globalThis.Array.fromAsync(readableStream)
* values // => [ 1, 2, 3 ]
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const toReadableStream = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, options) => toReadableStreamWith(self, empty$6(), options));
/**
* Creates an Effect that builds a ReadableStream from the stream.
*
* **When to use**
*
* Use when bridging to Web Streams from inside an `Effect` so the required
* services can be captured from the current context.
*
* **Details**
*
* See https://developer.mozilla.org/en-US/docs/Web/API/ReadableStream.
*
* **Example** (Creating a ReadableStream effect)
*
* ```ts import.meta.vitest
* import { Effect, Stream } from "effect"
*
* const stream = Stream.make(1, 2, 3, 4, 5)
*
* const effect = Effect.gen(function*() {
*   const readableStream = yield* Stream.toReadableStreamEffect(stream)
*   readableStream instanceof ReadableStream // => true
* })
*
* await Effect.runPromise(effect)
* ```
*
* @stability stable
* @category destructors
* @since 2.0.0
*/
const toReadableStreamEffect = /*#__PURE__*/ dual((args) => isStream(args[0]), (self, options) => map$2(context(), (context) => toReadableStreamWith(self, context, options)));

// src/domain/Wire.ts
/**
* The one place where camelCase meets snake_case.
*
* `wire(fields)` is `Schema.Struct(fields)` whose encoded keys are the snake_case form of the names, for the compiler
* and at run time. Nested objects are written with `wire` themselves; keys of a `Schema.Record` are data and stay.
*/
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const wireKeys = (fields) => Object.fromEntries(Object.keys(fields).map((name) => [name, snakeCase(name)]));
/** `identifier` names the encoded form, which makes it a component of its own in JSON schemas and in the OpenAPI description. */
const wire = (fields, identifier) => {
	const codec = Struct(fields).pipe(encodeKeys(wireKeys(fields)));
	return identifier === void 0 ? codec : annotateEncoded({ identifier })(codec);
};

// src/domain/Timestamp.ts
/** Moments: RFC 3339 in UTC on the wire, `DateTime.Utc` in code. */
const Timestamp = DateTimeUtcFromString;

// node_modules/effect/dist/ErrorReporter.js
/**
* Defines the runtime property key used to mark an object error as ignored by error
* reporting.
*
* **When to use**
*
* Use to suppress reporting for expected object errors, such as HTTP 404
* responses.
*
* **Details**
*
* Set `error[ErrorReporter.ignore]` to `true` to prevent the error from being
* forwarded to reporters. This is useful for expected failures such as HTTP 404
* responses.
*
* **Example** (Marking errors as ignored)
*
* ```ts import.meta.vitest
* import { Data, ErrorReporter } from "effect"
*
* class NotFoundError extends Data.TaggedError("NotFoundError")<{}> {
*   readonly [ErrorReporter.ignore] = true
* }
*
* ErrorReporter.isIgnored(new NotFoundError()) // => true
* ```
*
* @see {@link isIgnored} for checking whether a value carries this annotation
* @see {@link Reportable} for the annotation contract recognized on object
* errors
*
* @stability unstable
* @category annotations
* @since 4.0.0
*/
const ignore = "~effect/ErrorReporter/ignore";

// node_modules/effect/dist/http/HttpBody.js
const TypeId$5 = "~effect/http/HttpBody";
var Proto$3 = class {
	[TypeId$5];
	constructor() {
		this[TypeId$5] = TypeId$5;
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
	toString() {
		return format(this, { ignoreToString: true });
	}
};
/**
* HTTP body variant representing the absence of request content.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
var Empty = class extends Proto$3 {
	_tag = "Empty";
	toJSON() {
		return {
			_id: "effect/HttpBody",
			_tag: "Empty"
		};
	}
};
/**
* Provides the singleton empty HTTP body.
*
* **When to use**
*
* Use when you need an HTTP body value that represents no body content.
*
* @stability unstable
* @category constants
* @since 4.0.0
*/
const empty$2 = /*#__PURE__*/ new Empty();
/**
* HTTP body variant containing an arbitrary runtime body value with optional content metadata.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
var Raw = class extends Proto$3 {
	_tag = "Raw";
	body;
	contentType;
	contentLength;
	constructor(body, contentType, contentLength) {
		super();
		this.body = body;
		this.contentType = contentType;
		this.contentLength = contentLength;
	}
	toJSON() {
		return {
			_id: "effect/HttpBody",
			_tag: "Raw",
			body: this.body,
			contentType: this.contentType,
			contentLength: this.contentLength
		};
	}
};
/**
* Creates a raw HTTP body from an arbitrary value and optional `contentType` and `contentLength` metadata.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const raw$1 = (body, options) => new Raw(body, options?.contentType, options?.contentLength);
/**
* HTTP body variant backed by a `Uint8Array`.
*
* **Details**
*
* It stores the bytes, content type, and byte length.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
var Uint8Array$1 = class extends Proto$3 {
	_tag = "Uint8Array";
	contentType;
	contentLength;
	/** Original text retained for adapters that can skip encoding. */
	text;
	_body;
	constructor(body, contentType, contentLength, text) {
		super();
		this._body = body;
		this.text = text;
		this.contentType = contentType;
		this.contentLength = contentLength;
	}
	get body() {
		return this._body ??= encodeText(this.text);
	}
	toJSON() {
		return {
			_id: "effect/HttpBody",
			_tag: "Uint8Array",
			body: this.contentType.startsWith("text/") || this.contentType.endsWith("json") ? new TextDecoder().decode(this.body) : `Uint8Array(${this.body.length})`,
			contentType: this.contentType,
			contentLength: this.contentLength
		};
	}
};
/**
* Creates a byte-array HTTP body.
*
* **Details**
*
* The content type defaults to `application/octet-stream`, and the content length is the byte array length.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const uint8Array$1 = (body, contentType) => new Uint8Array$1(body, contentType ?? "application/octet-stream", body.length);
const encoder = /*#__PURE__*/ new TextEncoder();
const buffer = globalThis.Buffer;
const encodeText = buffer !== void 0 ? (body) => buffer.from(body, "utf8") : (body) => encoder.encode(body);
/**
* Creates a UTF-8 encoded text HTTP body.
*
* **Details**
*
* The content type defaults to `text/plain`. Text bodies are encoded lazily.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const text$1 = (body, contentType) => {
	if (typeof body !== "string") body = body === void 0 ? "" : String(body);
	if (buffer !== void 0) return new Uint8Array$1(void 0, contentType ?? "text/plain", buffer.byteLength(body, "utf8"), body);
	const bytes = encoder.encode(body);
	return new Uint8Array$1(bytes, contentType ?? "text/plain", bytes.length, body);
};
/**
* Creates a JSON HTTP body using `JSON.stringify`, throwing if serialization fails.
*
* **Details**
*
* The content type defaults to `application/json`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const jsonUnsafe$1 = (body, contentType) => text$1(JSON.stringify(body), contentType ?? "application/json");
/**
* HTTP body variant backed by a stream of `Uint8Array` chunks.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
var Stream = class extends Proto$3 {
	_tag = "Stream";
	stream;
	contentType;
	contentLength;
	constructor(stream, contentType, contentLength) {
		super();
		this.stream = stream;
		this.contentType = contentType;
		this.contentLength = contentLength;
	}
	toJSON() {
		return {
			_id: "effect/HttpBody",
			_tag: "Stream",
			contentType: this.contentType,
			contentLength: this.contentLength
		};
	}
};
/**
* Creates a streaming HTTP body from a stream of byte chunks.
*
* **Details**
*
* The content type defaults to `application/octet-stream`; content length is optional.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const stream$1 = (body, contentType, contentLength) => new Stream(body, contentType ?? "application/octet-stream", contentLength);

// node_modules/effect/dist/http/HttpClientError.js
/**
* Typed failure model for Effect HTTP client operations.
*
* HTTP clients wrap request construction, transport, status-code validation, and
* response decoding failures in `HttpClientError`. The wrapper keeps the failed
* request and the specific failure reason together, so callers can handle client
* failures uniformly while still matching on the reason `_tag` for retry
* policy, logging, metrics, and user-facing messages.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId$4 = "~effect/http/HttpClientError";
/**
* Error wrapper for HTTP client failures, exposing the failed request and the optional response through its `reason`.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var HttpClientError = class extends (/*#__PURE__*/ TaggedError("HttpClientError")) {
	constructor(props) {
		if ("cause" in props.reason) super({
			...props,
			cause: props.reason.cause
		});
		else super(props);
	}
	/**
	* Marks this value as an HTTP client error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[TypeId$4] = TypeId$4;
	/**
	* HTTP request associated with the client failure.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get request() {
		return this.reason.request;
	}
	/**
	* HTTP response associated with the client failure, when one was received.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get response() {
		return "response" in this.reason ? this.reason.response : void 0;
	}
	get message() {
		return this.reason.message;
	}
};
const formatReason = (tag) => tag.endsWith("Error") ? tag.slice(0, -5) : tag;
const formatMessage = (reason, description, info) => description ? `${reason}: ${description} (${info})` : `${reason} error (${info})`;
const formatMethodAndUrl = (request) => `${request.method} ${redactUrl(request.url)}`;
const reasonToJSON = (reason, json) => ({
	...json,
	request: {
		_id: "HttpClientRequest",
		method: reason.request.method,
		url: redactUrl(reason.request.url)
	},
	..."response" in reason ? { response: {
		_id: "HttpClientResponse",
		status: reason.response.status
	} } : void 0
});
/**
* Error describing transport-level failures that occur while sending an HTTP request.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var TransportError = class extends (/*#__PURE__*/ TaggedError("TransportError")) {
	/**
	* Formats the request method and URL for transport error messages.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	/**
	* Builds the transport error message from the optional description and request details.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return formatMessage(formatReason(this._tag), this.description, this.methodAndUrl);
	}
	toJSON() {
		return reasonToJSON(this, super.toJSON());
	}
};
/**
* Error describing failures while encoding an HTTP request body.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var EncodeError = class extends (/*#__PURE__*/ TaggedError("EncodeError")) {
	/**
	* Formats the request method and URL for request encoding error messages.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	/**
	* Builds the request encoding error message from the optional description and request details.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return formatMessage(formatReason(this._tag), this.description, this.methodAndUrl);
	}
	toJSON() {
		return reasonToJSON(this, super.toJSON());
	}
};
/**
* Error describing failures while constructing a URL from an HTTP client request.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var InvalidUrlError = class extends (/*#__PURE__*/ TaggedError("InvalidUrlError")) {
	/**
	* Formats the request method and URL for invalid URL error messages.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	/**
	* Builds the invalid URL error message from the optional description and request details.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return formatMessage(formatReason(this._tag), this.description, this.methodAndUrl);
	}
	toJSON() {
		return reasonToJSON(this, super.toJSON());
	}
};
/**
* Response error for HTTP responses rejected because of their status code.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var StatusCodeError = class extends (/*#__PURE__*/ TaggedError("StatusCodeError")) {
	/**
	* Formats the request method and URL for status code error messages.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	/**
	* Builds the status code error message from the response status, optional description, and request details.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		const info = `${this.response.status} ${this.methodAndUrl}`;
		return formatMessage(formatReason(this._tag), this.description, info);
	}
	toJSON() {
		return reasonToJSON(this, super.toJSON());
	}
};
/**
* Response error for failures while decoding an HTTP response, including a
* response with an undeclared status.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var DecodeError = class extends (/*#__PURE__*/ TaggedError("DecodeError")) {
	/**
	* Formats the request method and URL for response decoding error messages.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	/**
	* Builds the response decoding error message from the response status, optional description, and request details.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		const info = `${this.response.status} ${this.methodAndUrl}`;
		return formatMessage(formatReason(this._tag), this.description, info);
	}
	toJSON() {
		return reasonToJSON(this, super.toJSON());
	}
};
/**
* Response error for operations that expected a response body but received an empty body.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var EmptyBodyError = class extends (/*#__PURE__*/ TaggedError("EmptyBodyError")) {
	/**
	* Formats the request method and URL for empty response body error messages.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get methodAndUrl() {
		return formatMethodAndUrl(this.request);
	}
	/**
	* Builds the empty body error message from the response status, optional description, and request details.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		const info = `${this.response.status} ${this.methodAndUrl}`;
		return formatMessage(formatReason(this._tag), this.description, info);
	}
	toJSON() {
		return reasonToJSON(this, super.toJSON());
	}
};

// node_modules/effect/dist/http/internal/httpBody.js
/**
* @internal
*/
const updateHeaders = (headers, body) => {
	if (body._tag === "Empty" || body._tag === "FormData") return remove(remove(headers, "content-type"), "content-length");
	headers = body.contentType === void 0 ? remove(headers, "content-type") : set(headers, "content-type", body.contentType);
	return updateContentLength(headers, body);
};
/**
* @internal
*/
const updateContentLength = (headers, body) => {
	const contentLength = body._tag === "Empty" || body._tag === "FormData" ? void 0 : body.contentLength;
	return contentLength === void 0 ? remove(headers, "content-length") : set(headers, "content-length", contentLength.toString());
};

// node_modules/effect/dist/http/Url.js
/**
* Error returned when constructing a `URL` fails.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var UrlError = class extends (/*#__PURE__*/ TaggedError("UrlError")) {};
/**
* Creates a `URL` safely by appending `UrlParams` and an optional hash to a URL string.
*
* **Details**
*
* Returns a `Result` that fails with `UrlError` if the URL cannot be constructed.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$1 = (url, params, hash) => try_({
	try: () => {
		const urlInstance = new URL(url, baseUrl());
		for (let i = 0; i < params.params.length; i++) {
			const [key, value] = params.params[i];
			if (value !== void 0) urlInstance.searchParams.append(key, unwrap$2(value));
		}
		if (hash !== void 0) urlInstance.hash = hash;
		return urlInstance;
	},
	catch: (cause) => new UrlError({ cause })
});
const baseUrl = () => {
	if ("location" in globalThis && globalThis.location !== void 0 && globalThis.location.origin !== void 0 && globalThis.location.pathname !== void 0) {
		const base = location.origin + location.pathname;
		try {
			return new URL(base).href;
		} catch {
			return;
		}
	}
};

// node_modules/effect/dist/http/HttpClientRequest.js
const TypeId$3 = "~effect/http/HttpClientRequest";
const Proto$2 = {
	[TypeId$3]: TypeId$3,
	...BaseProto,
	toJSON() {
		return {
			_id: "HttpClientRequest",
			method: this.method,
			url: redactUrl(this.url),
			urlParams: this.urlParams,
			hash: this.hash,
			headers: redact(this.headers),
			body: this.body.toJSON()
		};
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
/**
* Constructs an `HttpClientRequest` from fully normalized request components.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
function makeWith(method, url, urlParams, hash, headers, body) {
	const self = Object.create(Proto$2);
	self.method = method;
	self.url = url;
	self.urlParams = urlParams;
	self.hash = hash;
	self.headers = headers;
	self.body = body;
	return self;
}
/**
* An empty `GET` request with no URL, query parameters, hash, headers, or body.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const empty$1 = /*#__PURE__*/ makeWith("GET", "", empty$7, /*#__PURE__*/ none(), empty$8, empty$2);
/**
* Creates a request constructor for the specified HTTP method.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make = (method) => (url, options) => modify(empty$1, {
	method,
	url,
	...options ?? void 0
});
/**
* Applies request options to an `HttpClientRequest`, returning a new request.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const modify = /*#__PURE__*/ dual(2, (self, options) => {
	let result = self;
	if (options.method) result = setMethod(result, options.method);
	if (options.url) result = setUrl(result, options.url);
	if (options.headers) result = setHeaders$1(result, options.headers);
	if (options.urlParams) result = setUrlParams(result, options.urlParams);
	if (options.hash) result = setHash(result, options.hash);
	if (options.body) result = setBody$1(result, options.body);
	if (options.accept) result = accept(result, options.accept);
	if (options.acceptJson) result = acceptJson(result);
	return result;
});
/**
* Sets the HTTP method on a request, returning a new request.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setMethod = /*#__PURE__*/ dual(2, (self, method) => makeWith(method, self.url, self.urlParams, self.hash, self.headers, self.body));
/**
* Sets a single request header, replacing any existing value for that header.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setHeader$1 = /*#__PURE__*/ dual(3, (self, key, value) => makeWith(self.method, self.url, self.urlParams, self.hash, set(self.headers, key, value), self.body));
/**
* Sets multiple request headers from an input collection, replacing existing values with matching names.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setHeaders$1 = /*#__PURE__*/ dual(2, (self, input) => makeWith(self.method, self.url, self.urlParams, self.hash, setAll(self.headers, input), self.body));
/**
* Sets the `Accept` header to the specified media type.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const accept = /*#__PURE__*/ dual(2, (self, mediaType) => setHeader$1(self, "Accept", mediaType));
/**
* Sets the `Accept` header to `application/json`.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const acceptJson = /*#__PURE__*/ accept("application/json");
/**
* Sets the request URL. When given a `URL`, its search parameters and hash are extracted into the request's structured fields.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setUrl = /*#__PURE__*/ dual(2, (self, url) => {
	if (typeof url === "string") return makeWith(self.method, url, self.urlParams, self.hash, self.headers, self.body);
	const clone = new URL(url.toString());
	const urlParams = fromInput(clone.searchParams);
	const hash = fromNullishOr(clone.hash === "" ? void 0 : clone.hash.slice(1));
	clone.search = "";
	clone.hash = "";
	return makeWith(self.method, clone.toString(), urlParams, hash, self.headers, self.body);
});
/**
* Prepends a URL segment to the request URL, inserting or trimming one slash as needed.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const prependUrl = /*#__PURE__*/ dual(2, (self, path) => {
	if (path === "") return self;
	return makeWith(self.method, joinSegments(path, self.url), self.urlParams, self.hash, self.headers, self.body);
});
const joinSegments = (first, second) => {
	const endsWithSlash = first.endsWith("/");
	const startsWithSlash = second.startsWith("/");
	return endsWithSlash && startsWithSlash ? first + second.slice(1) : !endsWithSlash && !startsWithSlash ? first + "/" + second : first + second;
};
/**
* Sets query parameters from an input collection, replacing existing values for matching names.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setUrlParams = /*#__PURE__*/ dual(2, (self, input) => makeWith(self.method, self.url, setAll$1(self.urlParams, input), self.hash, self.headers, self.body));
/**
* Sets the URL fragment on a request without the leading `#`.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setHash = /*#__PURE__*/ dual(2, (self, hash) => makeWith(self.method, self.url, self.urlParams, some(hash), self.headers, self.body));
/**
* Sets the request body and updates `Content-Type` and `Content-Length` headers from the body metadata when available.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setBody$1 = /*#__PURE__*/ dual(2, (self, body) => {
	return makeWith(self.method, self.url, self.urlParams, self.hash, updateHeaders(self.headers, body), body);
});
/**
* Builds a `URL` from the request URL, query parameters, and hash, returning `Option.none()` if the URL is invalid.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
function toUrl(self) {
	const r = make$1(self.url, self.urlParams, getOrUndefined(self.hash));
	if (isSuccess(r)) return some(r.success);
	return none();
}

// node_modules/effect/dist/http/HttpIncomingMessage.js
/**
* Type identifier for `HttpIncomingMessage` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$2 = "~effect/http/HttpIncomingMessage";
/**
* Context reference for the optional maximum size allowed when reading an incoming message body.
*
* @stability unstable
* @category references
* @since 4.0.0
*/
const MaxBodySize = /*#__PURE__*/ Reference("effect/http/HttpIncomingMessage/MaxBodySize", { defaultValue: () => void 0 });
/**
* Builds an inspectable object for an incoming message and redacts headers.
* The body is left unread.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const inspect = (self, that) => {
	return {
		...that,
		headers: redact(self.headers),
		remoteAddress: self.remoteAddress
	};
};

// node_modules/effect/dist/http/internal/webResponse.js
/**
* Returns the original Web `Response` of a fetch-backed client response.
* Wrappers forward it to the response they wrap.
*
* @internal
*/
const WebSourceSymbol = "~effect/http/HttpClientResponse/WebSource";
/**
* @internal
*/
const getWebSource = (self) => self[WebSourceSymbol]?.();

// node_modules/effect/dist/http/HttpClientResponse.js
/**
* Represents responses returned by the Effect HTTP client.
*
* An `HttpClientResponse` keeps the original request together with the response
* status, headers, cookies, and body accessors from the shared incoming-message
* model. This module includes constructors, schema-based decoders, helpers for
* streaming response bodies, and utilities for matching or filtering by HTTP
* status.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Type identifier for `HttpClientResponse` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$1 = "~effect/http/HttpClientResponse";
/**
* Wraps a Web `Response` and its original `HttpClientRequest` as an `HttpClientResponse`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromWeb = (request, source) => new WebHttpClientResponse(request, source);
var WebHttpClientResponse = class extends Class {
	[TypeId$2];
	[TypeId$1];
	request;
	source;
	constructor(request, source) {
		super();
		this.request = request;
		this.source = source;
		this[TypeId$2] = TypeId$2;
		this[TypeId$1] = TypeId$1;
	}
	toJSON() {
		return inspect(this, {
			_id: "HttpClientResponse",
			request: this.request.toJSON(),
			status: this.status
		});
	}
	get status() {
		return this.source.status;
	}
	get url() {
		if (this.source.url) return this.source.url.split("#")[0];
		const url = toUrl(this.request);
		if (isNone(url)) return "";
		url.value.hash = "";
		return url.value.href;
	}
	get headers() {
		return fromInput$1(this.source.headers);
	}
	cachedCookies;
	get cookies() {
		if (this.cachedCookies) return this.cachedCookies;
		return this.cachedCookies = fromSetCookie(this.source.headers.getSetCookie?.() ?? []);
	}
	get remoteAddress() {
		return none();
	}
	[WebSourceSymbol]() {
		return this.source;
	}
	get stream() {
		return this.source.body ? fromReadableStream({
			evaluate: () => this.source.body,
			onError: (cause) => new HttpClientError({ reason: new DecodeError({
				request: this.request,
				response: this,
				cause
			}) })
		}) : fail(new HttpClientError({ reason: new EmptyBodyError({
			request: this.request,
			response: this,
			description: "can not create stream from empty body"
		}) }));
	}
	get json() {
		return flatMap$1(this.text, (text) => try_$1({
			try: () => text === "" ? null : JSON.parse(text),
			catch: (cause) => new HttpClientError({ reason: new DecodeError({
				request: this.request,
				response: this,
				cause
			}) })
		}));
	}
	textBody;
	get text() {
		return this.textBody ??= map$2(this.arrayBuffer, (_) => new TextDecoder().decode(_));
	}
	get urlParamsBody() {
		return flatMap$1(this.arrayBuffer, (bytes) => try_$1({
			try: () => fromInput(fromBody(bytes)),
			catch: (cause) => new HttpClientError({ reason: new DecodeError({
				request: this.request,
				response: this,
				cause
			}) })
		}));
	}
	formDataBody;
	get formData() {
		return this.formDataBody ??= tryPromise({
			try: () => this.source.formData(),
			catch: (cause) => new HttpClientError({ reason: new DecodeError({
				request: this.request,
				response: this,
				cause
			}) })
		}).pipe(cached, runSync);
	}
	arrayBufferBody;
	get arrayBuffer() {
		if (this.arrayBufferBody) return this.arrayBufferBody;
		this.arrayBufferBody = tryPromise({
			try: () => this.source.arrayBuffer(),
			catch: (cause) => new HttpClientError({ reason: new DecodeError({
				request: this.request,
				response: this,
				cause
			}) })
		}).pipe(cached, runSync);
		return this.arrayBufferBody;
	}
	get upgrade() {
		return fail$3(new HttpClientError({ reason: new StatusCodeError({
			request: this.request,
			response: this,
			description: "fetch cannot hand over the connection of an HTTP upgrade"
		}) }));
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};

// node_modules/effect/dist/http/internal/headers.js
const Proto$1 = /*#__PURE__*/ Object.getPrototypeOf(empty$8);
/**
* @internal
*/
const emptyMutableUnsafe = () => Object.create(Proto$1);

// node_modules/effect/dist/http/HttpServerResponse.js
const TypeId = "~effect/http/HttpServerResponse";
/**
* Returns `true` when the supplied value is an `HttpServerResponse`.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isHttpServerResponse = (u) => hasProperty(u, TypeId);
/**
* Creates an empty HTTP response.
*
* **Details**
*
* The default status is `204`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const empty = (options) => makeResponse({
	status: options?.status ?? 204,
	statusText: options?.statusText,
	headers: options?.headers ? fromInput$1(options.headers) : void 0,
	cookies: options?.cookies
});
/**
* Creates an HTTP response whose body is a `Uint8Array`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const uint8Array = (body, options) => {
	const headers = options?.headers ? fromInput$1(options.headers) : empty$8;
	return makeResponse({
		status: options?.status ?? 200,
		statusText: options?.statusText,
		headers,
		cookies: options?.cookies ?? empty$9,
		body: uint8Array$1(body, getContentType(options, headers))
	});
};
const getContentType = (options, headers) => {
	if (options?.contentType) return options.contentType;
	else if (options?.headers) return headers["content-type"];
};
/**
* Creates an HTTP response whose body is a string.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const text = (body, options) => {
	const headers = options?.headers ? fromInput$1(options.headers) : empty$8;
	return makeResponse({
		status: options?.status ?? 200,
		statusText: options?.statusText,
		headers,
		cookies: options?.cookies ?? empty$9,
		body: text$1(body, getContentType(options, headers))
	});
};
/**
* Creates a JSON HTTP response synchronously.
*
* **When to use**
*
* Use when the response body is known to be JSON-serializable and you need a
* synchronous `HttpServerResponse`.
*
* **Gotchas**
*
* Unlike `json`, serialization errors from `JSON.stringify` are not captured in
* `Effect`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const jsonUnsafe = (body, options) => {
	const headers = options?.headers ? fromInput$1(options.headers) : empty$8;
	return makeResponse({
		status: options?.status ?? 200,
		statusText: options?.statusText,
		headers,
		cookies: options?.cookies,
		body: jsonUnsafe$1(body, getContentType(options, headers))
	});
};
/**
* Creates a response from URL parameters using the
* `application/x-www-form-urlencoded` content type by default.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const urlParams = (body, options) => {
	const headers = options?.headers ? fromInput$1(options.headers) : empty$8;
	return makeResponse({
		status: options?.status ?? 200,
		statusText: options?.statusText,
		headers,
		cookies: options?.cookies,
		body: text$1(toString(fromInput(body)), getContentType(options, headers) ?? "application/x-www-form-urlencoded")
	});
};
/**
* Creates a response with a raw body value.
*
* **When to use**
*
* Use when you want to pass through a body value already understood by the
* underlying runtime, such as a Web `Response`, `Blob`, or `ReadableStream`,
* for later platform conversion.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const raw = (body, options) => makeResponse({
	status: options?.status ?? 200,
	statusText: options?.statusText,
	headers: options?.headers && fromInput$1(options.headers),
	cookies: options?.cookies,
	body: raw$1(body, {
		contentType: options?.contentType,
		contentLength: options?.contentLength
	})
});
/**
* Creates a streaming response from a stream of byte chunks.
*
* **Details**
*
* Optional response metadata can supply the status, headers, content type, and
* content length.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const stream = (body, options) => {
	const headers = options?.headers ? fromInput$1(options.headers) : empty$8;
	return makeResponse({
		status: options?.status ?? 200,
		statusText: options?.statusText,
		headers,
		cookies: options?.cookies,
		body: stream$1(body, getContentType(options, headers), options?.contentLength)
	});
};
/**
* Returns a response with the specified header set to the supplied value.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setHeader = /*#__PURE__*/ dual(3, (self, key, value) => makeResponse(self, set(self.headers, key, value)));
/**
* Returns a response with the specified header removed.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const removeHeader = /*#__PURE__*/ dual(2, (self, key) => makeResponse({
	...self,
	headers: remove(self.headers, key)
}));
/**
* Returns a response with all supplied headers set on the existing header map.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setHeaders = /*#__PURE__*/ dual(2, (self, input) => makeResponse(self, setAll(self.headers, input)));
/**
* Replaces the body of an `HttpServerResponse`.
*
* **Details**
*
* When the body carries a content type or content length, the returned response
* includes the corresponding headers.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const setBody = /*#__PURE__*/ dual(2, (self, body) => makeResponse({
	...self,
	body
}, updateHeaders(self.headers, body)));
/**
* Returns whether a response must omit its body because its status is 204, 205,
* or 304, or `withoutBody` is true.
*
* @stability unstable
* @category predicates
* @since 4.0.0
*/
const omitsBody = (response, withoutBody = false) => withoutBody || response.status === 204 || response.status === 205 || response.status === 304;
var ServerHttpClientResponse = class extends Class {
	[TypeId$2];
	[TypeId$1];
	request;
	response;
	constructor(request, response) {
		super();
		this.request = request;
		this.response = response;
		this[TypeId$2] = TypeId$2;
		this[TypeId$1] = TypeId$1;
	}
	toJSON() {
		return inspect(this, {
			_id: "HttpClientResponse",
			request: this.request.toJSON(),
			status: this.status
		});
	}
	get status() {
		return this.response.status;
	}
	get url() {
		if (this.request === empty$1) return "";
		const url = toUrl(this.request);
		if (isNone(url)) return "";
		url.value.hash = "";
		return url.value.href;
	}
	cachedHeaders;
	get headers() {
		return this.cachedHeaders ??= this.response.body._tag === "FormData" ? merge$2(this.response.headers, fromInput$1(this.getFormDataResponse().headers)) : this.response.headers;
	}
	get cookies() {
		return this.response.cookies;
	}
	get remoteAddress() {
		return none();
	}
	get stream() {
		const body = this.response.body;
		switch (body._tag) {
			case "Empty": return empty$3;
			case "Stream": return mapError(body.stream, (cause) => this.decodeError(cause));
			case "Uint8Array": return succeed(body.body);
			case "Raw": {
				const rawBody = body.body;
				if (rawBody instanceof Response) return rawBody.body ? fromReadableStream({
					evaluate: () => rawBody.body,
					onError: (cause) => this.decodeError(cause)
				}) : empty$3;
				if (isReadableStream(rawBody)) return fromReadableStream({
					evaluate: () => rawBody,
					onError: (cause) => this.decodeError(cause)
				});
				if (rawBody instanceof Blob) return fromReadableStream({
					evaluate: () => rawBody.stream(),
					onError: (cause) => this.decodeError(cause)
				});
				return unwrap(map$2(this.bytes, succeed));
			}
			case "FormData": {
				const response = this.getFormDataResponse();
				return fromReadableStream({
					evaluate: () => response.body,
					onError: (cause) => this.decodeError(cause)
				});
			}
		}
	}
	get json() {
		return flatMap$1(this.text, (text) => try_$1({
			try: () => text === "" ? null : JSON.parse(text),
			catch: (cause) => new HttpClientError({ reason: new DecodeError({
				request: this.request,
				response: this,
				cause
			}) })
		}));
	}
	get bytes() {
		const body = this.response.body;
		switch (body._tag) {
			case "Empty": return succeed$5(/* @__PURE__ */ new Uint8Array(0));
			case "Uint8Array": return succeed$5(body.body);
			case "Stream": return mkUint8Array(this.stream);
			case "Raw": {
				const rawBody = body.body;
				if (rawBody instanceof Response) return tryPromise({
					try: () => rawBody.clone().arrayBuffer().then((buffer) => new Uint8Array(buffer)),
					catch: (cause) => this.decodeError(cause)
				});
				return tryPromise({
					try: () => new Response(rawBody).arrayBuffer().then((buffer) => new Uint8Array(buffer)),
					catch: (cause) => this.decodeError(cause)
				});
			}
			case "FormData": return tryPromise({
				try: () => new Response(body.formData).arrayBuffer().then((buffer) => new Uint8Array(buffer)),
				catch: (cause) => this.decodeError(cause)
			});
		}
	}
	get text() {
		return map$2(this.bytes, (bytes) => textDecoder.decode(bytes));
	}
	get urlParamsBody() {
		return flatMap$1(this.bytes, (bytes) => try_$1({
			try: () => fromInput(fromBody(bytes)),
			catch: (cause) => new HttpClientError({ reason: new DecodeError({
				request: this.request,
				response: this,
				cause
			}) })
		}));
	}
	get formData() {
		const body = this.response.body;
		if (body._tag === "FormData") return succeed$5(body.formData);
		return contextWith((context) => {
			const readableStream = toReadableStreamWith(this.stream, context);
			return tryPromise({
				try: () => new Response(readableStream, { headers: this.headers }).formData(),
				catch: (cause) => this.decodeError(cause)
			});
		});
	}
	get arrayBuffer() {
		return map$2(this.bytes, (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
	}
	decodeError(cause) {
		return new HttpClientError({ reason: new DecodeError({
			request: this.request,
			response: this,
			cause
		}) });
	}
	formDataResponse;
	getFormDataResponse() {
		return this.formDataResponse ??= new Response(this.response.body.formData);
	}
	get upgrade() {
		return fail$3(new HttpClientError({ reason: new StatusCodeError({
			request: this.request,
			response: this,
			description: "a server response has no connection to hand over"
		}) }));
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const textDecoder = /*#__PURE__*/ new TextDecoder();
const isReadableStream = (u) => typeof ReadableStream !== "undefined" && u instanceof ReadableStream;
const Proto = {
	...PipeInspectableProto,
	[TypeId]: TypeId,
	[ignore]: true,
	toJSON() {
		return {
			_id: "HttpServerResponse",
			status: this.status,
			statusText: this.statusText,
			headers: redact(this.headers),
			cookies: this.cookies.toJSON(),
			body: this.body.toJSON()
		};
	}
};
const makeResponse = (options, ownedHeaders) => {
	const self = Object.create(Proto);
	self.status = options.status;
	self.statusText = options.statusText;
	self.cookies = options.cookies ?? empty$9;
	self.body = options.body ?? empty$2;
	if (self.body._tag !== "Empty" && (self.body.contentType || self.body.contentLength !== void 0)) {
		const owned = ownedHeaders !== void 0;
		const newHeaders = owned ? ownedHeaders : options.headers === void 0 || options.headers === empty$8 ? emptyMutableUnsafe() : fromRecordUnsafe({ ...options.headers });
		if (self.body.contentType && (!owned || newHeaders["content-type"] === void 0)) newHeaders["content-type"] = self.body.contentType;
		if (self.body.contentLength !== void 0 && (!owned || newHeaders["content-length"] === void 0)) newHeaders["content-length"] = self.body.contentLength.toString();
		self.headers = newHeaders;
	} else self.headers = ownedHeaders ?? options.headers ?? empty$8;
	return self;
};

// node_modules/effect/dist/http/HttpServerRespondable.js
/**
* Converts supported values into HTTP server responses.
*
* Server-side errors and helper values can implement `Respondable` when they
* know which status, headers, cookies, or body should be sent to the client.
* This module detects those values and converts them to `HttpServerResponse`
* values, with fallback handling for schema errors and missing values.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Protocol key used by values that can render themselves as
* `HttpServerResponse` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const symbol = "~effect/http/HttpServerRespondable";
/**
* Returns `true` when the supplied value implements the `Respondable` protocol.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isRespondable = (u) => hasProperty(u, symbol);
const badRequest = /*#__PURE__*/ empty({ status: 400 });
const notFound = /*#__PURE__*/ empty({ status: 404 });
/**
* Converts a `Respondable` value into an `HttpServerResponse`.
*
* **Details**
*
* If the value is already an HTTP server response it is returned directly; errors
* from the response conversion are converted to defects.
*
* @stability unstable
* @category accessors
* @since 4.0.0
*/
const toResponse = (self) => {
	if (isHttpServerResponse(self)) return succeed$5(self);
	return orDie$2(self[symbol]());
};
/**
* Attempts to convert an unknown value into an `HttpServerResponse`, falling back
* to the supplied response when no conversion is available.
*
* **Details**
*
* `HttpServerResponse` and `Respondable` values are used directly, schema errors
* become `400` responses, and no-such-element errors become `404` responses.
*
* @stability unstable
* @category accessors
* @since 4.0.0
*/
const toResponseOrElse = (u, orElse) => {
	if (isHttpServerResponse(u)) return succeed$5(u);
	else if (isRespondable(u)) return catchCause$2(u[symbol](), () => succeed$5(orElse));
	else if (isSchemaError(u)) return succeed$5(badRequest);
	else if (isNoSuchElementError(u)) return succeed$5(notFound);
	return succeed$5(orElse);
};
/**
* Attempts to convert an unknown defect into an `HttpServerResponse`, falling
* back to the supplied response when no conversion is available.
*
* **Details**
*
* Only `HttpServerResponse` and `Respondable` values receive special handling.
*
* @stability unstable
* @category accessors
* @since 4.0.0
*/
const toResponseOrElseDefect = (u, orElse) => {
	if (isHttpServerResponse(u)) return succeed$5(u);
	else if (isRespondable(u)) return catchCause$2(u[symbol](), () => succeed$5(orElse));
	return succeed$5(orElse);
};

// node_modules/effect/dist/http/ProblemDetails.js
/**
* RFC 9457 Problem Details values for HTTP responses.
*
* A problem details object is the `application/problem+json` body a server
* sends to describe an error. This module provides the reusable value shape,
* a lenient codec that follows the parsing rules of RFC 9457, and a response
* constructor. The `effect/http-api` modules build typed problem declarations,
* built-in error rendering and OpenAPI output on top of it.
*
* @stability unstable
* @since 4.0.6
*/
/**
* The media type of a problem details response body.
*
* @stability unstable
* @category constants
* @since 4.0.6
*/
const contentType = "application/problem+json";
/**
* The problem type URI RFC 9457 assigns to problems that only carry an HTTP
* status.
*
* @stability unstable
* @category constants
* @since 4.0.6
*/
const blankType = "about:blank";
/**
* A standard member that is dropped when it is missing or has the wrong JSON
* type, as RFC 9457 section 3.1 requires.
*
* @internal
*/
const optionalMember = (schema) => optionalKey(schema).pipe(catchDecoding(() => succeedNone$1));
const withFallback = (schema, value) => withDecodingDefaultKey(succeed$5(value))(schema).pipe(catchDecoding(() => succeedSome(value)));
/**
* A required member that decodes to a fixed value when it is missing or has
* the wrong JSON type. The value is also the constructor default.
*
* @internal
*/
const fixedMember = (value) => withFallback(tag(value), value);
/**
* The lenient codec for problem details objects.
*
* **Details**
*
* Decoding follows RFC 9457: a missing `type` defaults to `about:blank`,
* standard members with the wrong JSON type are ignored, and unknown members
* are kept as extensions. Encoding always emits `type`.
*
* **Example** (Decoding a problem with an extension)
*
* ```ts import.meta.vitest
* import { Schema } from "effect"
* import { ProblemDetails } from "effect/http"
*
* const problem = Schema.decodeUnknownSync(ProblemDetails.Schema)({
*   status: 404,
*   detail: "No such user",
*   traceId: "abc-123"
* })
* problem // => { type: "about:blank", status: 404, detail: "No such user", traceId: "abc-123" }
* ```
*
* @stability unstable
* @category schemas
* @since 4.0.6
*/
const Schema = /*#__PURE__*/ StructWithRest(/*#__PURE__*/ Struct({
	type: /*#__PURE__*/ withFallback(String$1, blankType),
	status: /*#__PURE__*/ optionalMember(Number$1),
	title: /*#__PURE__*/ optionalMember(String$1),
	detail: /*#__PURE__*/ optionalMember(String$1),
	instance: /*#__PURE__*/ optionalMember(String$1)
}), [/*#__PURE__*/ Record(String$1, Unknown)]);

// node_modules/effect/dist/http-api/HttpApiError.js
const badRequestResponse = /*#__PURE__*/ empty({ status: 400 });
const unauthorizedResponse = /*#__PURE__*/ empty({ status: 401 });
const forbiddenResponse = /*#__PURE__*/ empty({ status: 403 });
const notFoundResponse = /*#__PURE__*/ empty({ status: 404 });
const methodNotAllowedResponse = /*#__PURE__*/ empty({ status: 405 });
const notAcceptableResponse = /*#__PURE__*/ empty({ status: 406 });
const requestTimeoutResponse = /*#__PURE__*/ empty({ status: 408 });
const conflictResponse = /*#__PURE__*/ empty({ status: 409 });
const goneResponse = /*#__PURE__*/ empty({ status: 410 });
const payloadTooLargeResponse = /*#__PURE__*/ empty({ status: 413 });
const unprocessableEntityResponse = /*#__PURE__*/ empty({ status: 422 });
const internalServerErrorResponse = /*#__PURE__*/ empty({ status: 500 });
const notImplementedResponse = /*#__PURE__*/ empty({ status: 501 });
const serviceUnavailableResponse = /*#__PURE__*/ empty({ status: 503 });
/**
* Built-in HTTP API error for a `400 Bad Request` response. When used directly as
* a server response, it renders as an empty response with status 400.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var BadRequest = class BadRequest extends (/*#__PURE__*/ Error("effect/HttpApiError/BadRequest")({ _tag: /*#__PURE__*/ tag("BadRequest") }, {
	description: "BadRequest",
	httpApiStatus: 400
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(badRequestResponse);
	}
	static singleton = /*#__PURE__*/ new BadRequest();
};
/**
* Built-in HTTP API error for a `401 Unauthorized` response. When used directly as
* a server response, it renders as an empty response with status 401.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var Unauthorized = class extends (/*#__PURE__*/ Error("effect/HttpApiError/Unauthorized")({ _tag: /*#__PURE__*/ tag("Unauthorized") }, {
	description: "Unauthorized",
	httpApiStatus: 401
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(unauthorizedResponse);
	}
};
/**
* Built-in HTTP API error for a `403 Forbidden` response. When used directly as a
* server response, it renders as an empty response with status 403.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var Forbidden = class extends (/*#__PURE__*/ Error("effect/HttpApiError/Forbidden")({ _tag: /*#__PURE__*/ tag("Forbidden") }, {
	description: "Forbidden",
	httpApiStatus: 403
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(forbiddenResponse);
	}
};
/**
* Built-in HTTP API error for a `404 Not Found` response. When used directly as a
* server response, it renders as an empty response with status 404.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var NotFound = class extends (/*#__PURE__*/ Error("effect/HttpApiError/NotFound")({ _tag: /*#__PURE__*/ tag("NotFound") }, {
	description: "NotFound",
	httpApiStatus: 404
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(notFoundResponse);
	}
};
/**
* Built-in HTTP API error for a `405 Method Not Allowed` response. When used
* directly as a server response, it renders as an empty response with status 405.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var MethodNotAllowed = class extends (/*#__PURE__*/ Error("effect/HttpApiError/MethodNotAllowed")({ _tag: /*#__PURE__*/ tag("MethodNotAllowed") }, {
	description: "MethodNotAllowed",
	httpApiStatus: 405
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(methodNotAllowedResponse);
	}
};
/**
* Built-in HTTP API error for a `406 Not Acceptable` response. When used directly
* as a server response, it renders as an empty response with status 406.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var NotAcceptable = class extends (/*#__PURE__*/ Error("effect/HttpApiError/NotAcceptable")({ _tag: /*#__PURE__*/ tag("NotAcceptable") }, {
	description: "NotAcceptable",
	httpApiStatus: 406
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(notAcceptableResponse);
	}
};
/**
* Built-in HTTP API error for a `408 Request Timeout` response. When used directly
* as a server response, it renders as an empty response with status 408.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var RequestTimeout = class extends (/*#__PURE__*/ Error("effect/HttpApiError/RequestTimeout")({ _tag: /*#__PURE__*/ tag("RequestTimeout") }, {
	description: "RequestTimeout",
	httpApiStatus: 408
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(requestTimeoutResponse);
	}
};
/**
* Built-in HTTP API error for a `409 Conflict` response. When used directly as a
* server response, it renders as an empty response with status 409.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var Conflict = class extends (/*#__PURE__*/ Error("effect/HttpApiError/Conflict")({ _tag: /*#__PURE__*/ tag("Conflict") }, {
	description: "Conflict",
	httpApiStatus: 409
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(conflictResponse);
	}
};
/**
* Built-in HTTP API error for a `410 Gone` response. When used directly as a
* server response, it renders as an empty response with status 410.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var Gone = class extends (/*#__PURE__*/ Error("effect/HttpApiError/Gone")({ _tag: /*#__PURE__*/ tag("Gone") }, {
	description: "Gone",
	httpApiStatus: 410
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(goneResponse);
	}
};
/**
* Built-in HTTP API error for a `422 Unprocessable Entity` response. When used
* directly as a server response, it renders as an empty response with status 422.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var UnprocessableEntity = class extends (/*#__PURE__*/ Error("effect/HttpApiError/UnprocessableEntity")({ _tag: /*#__PURE__*/ tag("UnprocessableEntity") }, {
	description: "UnprocessableEntity",
	httpApiStatus: 422
})) {
	[ignore] = true;
	[symbol]() {
		return succeed$5(unprocessableEntityResponse);
	}
};
/**
* Built-in HTTP API error for a `500 Internal Server Error` response. When used
* directly as a server response, it renders as an empty response with status 500.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var InternalServerError = class extends (/*#__PURE__*/ Error("effect/HttpApiError/InternalServerError")({ _tag: /*#__PURE__*/ tag("InternalServerError") }, {
	description: "InternalServerError",
	httpApiStatus: 500
})) {
	[symbol]() {
		return succeed$5(internalServerErrorResponse);
	}
};
/**
* Built-in HTTP API error for a `501 Not Implemented` response. When used directly
* as a server response, it renders as an empty response with status 501.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var NotImplemented = class extends (/*#__PURE__*/ Error("effect/HttpApiError/NotImplemented")({ _tag: /*#__PURE__*/ tag("NotImplemented") }, {
	description: "NotImplemented",
	httpApiStatus: 501
})) {
	[symbol]() {
		return succeed$5(notImplementedResponse);
	}
};
/**
* Built-in HTTP API error for a `503 Service Unavailable` response. When used
* directly as a server response, it renders as an empty response with status 503.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var ServiceUnavailable = class extends (/*#__PURE__*/ Error("effect/HttpApiError/ServiceUnavailable")({ _tag: /*#__PURE__*/ tag("ServiceUnavailable") }, {
	description: "ServiceUnavailable",
	httpApiStatus: 503
})) {
	[symbol]() {
		return succeed$5(serviceUnavailableResponse);
	}
};
const problemEncoding = {
	_tag: "Json",
	contentType
};
/**
* Declares a typed RFC 9457 problem as a yieldable error class.
*
* **Details**
*
* The class is a `Schema.Error` whose `_tag` is the given tag, so `Effect.catchTag`
* works without `_tag` on the wire. It carries the `httpApiStatus` and
* `application/problem+json` annotations, so endpoints that declare it as an
* error render, document and decode it as a problem. Problem classes that
* share a status are told apart by `type`. The extension fields are validated
* on both sides and cannot replace `type`, `status` or `title`; unknown
* extensions are not kept. An undeclared instance still renders as a problem
* through `HttpServerRespondable`.
*
* **Example** (Declaring and using a typed problem)
*
* ```ts
* import { Effect, Schema } from "effect"
* import { HttpApiEndpoint, HttpApiError } from "effect/http-api"
*
* class OutOfCredit extends HttpApiError.Problem<OutOfCredit>()("OutOfCredit", {
*   type: "https://example.com/probs/out-of-credit",
*   status: 403,
*   title: "You do not have enough credit."
* }, {
*   balance: Schema.Number
* }) {}
*
* const buy = HttpApiEndpoint.post("buy", "/buy", { error: OutOfCredit })
*
* const failing = Effect.fail(new OutOfCredit({ balance: 30 }))
* // Responds with 403 and { "type": "https://example.com/probs/out-of-credit",
* //   "status": 403, "title": "You do not have enough credit.", "balance": 30 }
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.6
*/
const Problem$1 = () => (tag$1, declaration, fields, annotations) => {
	const struct = Struct({
		detail: optionalMember(String$1),
		instance: optionalMember(String$1),
		...fields,
		type: tag(declaration.type),
		status: fixedMember(declaration.status),
		title: fixedMember(declaration.title)
	});
	const encode = encodeUnknownEffect(struct);
	const Base = Error(tag$1)(struct, {
		description: declaration.title,
		httpApiStatus: declaration.status,
		"~httpApiEncoding": problemEncoding,
		...annotations
	});
	Object.assign(Base.prototype, {
		_tag: tag$1,
		[ignore]: declaration.status < 500,
		[symbol]() {
			return map$2(encode(this), (body) => jsonUnsafe(body, {
				status: declaration.status,
				contentType
			}));
		}
	});
	Object.defineProperty(Base.prototype, "message", {
		get() {
			return this.detail ?? declaration.title;
		},
		configurable: true
	});
	return Base;
};
/**
* One entry of `BadRequestProblem.errors`: the location of a request value
* that failed decoding and the reason.
*
* **Details**
*
* The first path segment names the request slot (`params`, `headers`, `query`
* or `payload`).
*
* @stability unstable
* @category schemas
* @since 4.0.6
*/
const ProblemIssue = /*#__PURE__*/ Struct({
	path: /*#__PURE__*/ ArraySchema(/*#__PURE__*/ Union([String$1, Number$1])),
	message: String$1
});
/**
* The problem rendered by `HttpApiMiddleware.layerProblemDetails` when a
* request fails decoding.
*
* **Details**
*
* The body is generic by default. `errors` is only filled when the layer is
* built with `includeDetails: true`.
*
* @stability unstable
* @category errors
* @since 4.0.6
*/
var BadRequestProblem = class extends (/*#__PURE__*/ Problem$1()("BadRequestProblem", {
	type: blankType,
	status: 400,
	title: "Bad Request"
}, { errors: /*#__PURE__*/ optionalKey(/*#__PURE__*/ ArraySchema(ProblemIssue)) })) {};
/**
* The problem rendered by `HttpApiMiddleware.layerProblemDetails` when a
* response fails encoding.
*
* @stability unstable
* @category errors
* @since 4.0.6
*/
var InternalServerErrorProblem = class extends (/*#__PURE__*/ Problem$1()("InternalServerErrorProblem", {
	type: blankType,
	status: 500,
	title: "Internal Server Error"
})) {};
/**
* Runtime identifier used to mark and detect `HttpApiSchemaError` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const HttpApiSchemaErrorTypeId = "~effect/http-api/HttpApiError/HttpApiSchemaError";
/**
* Error raised when an HTTP API request or response component fails schema
* decoding or encoding. Request decoding failures respond with an empty
* `400 Bad Request` and are ignored by error reporters. Response encoding
* failures respond with an empty `500 Internal Server Error` and are reported.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var HttpApiSchemaError = class HttpApiSchemaError extends (/*#__PURE__*/ TaggedClass("HttpApiSchemaError")) {
	[HttpApiSchemaErrorTypeId] = HttpApiSchemaErrorTypeId;
	get [ignore]() {
		return this.kind !== "Body" && this.kind !== "ResponseHeaders";
	}
	static is(u) {
		return hasProperty(u, HttpApiSchemaErrorTypeId);
	}
	static wrap(kind, effect) {
		return mapErrorEager(effect, (error) => new HttpApiSchemaError({
			kind,
			cause: error
		}));
	}
	name = "HttpApiSchemaError";
	message = this.kind;
	[symbol]() {
		return succeed$5(this["~effect/ErrorReporter/ignore"] ? badRequestResponse : internalServerErrorResponse);
	}
};
/**
* Runtime identifier used to mark and detect `HttpApiPayloadTooLarge` values.
*
* @stability unstable
* @category type IDs
* @since 4.0.6
*/
const HttpApiPayloadTooLargeTypeId = "~effect/http-api/HttpApiError/HttpApiPayloadTooLarge";
/**
* Error raised when a streaming request payload exceeds a limit declared on
* its `HttpApiSchema.StreamUint8Array` or `HttpApiSchema.StreamNdjson` schema.
* It responds with an empty `413 Payload Too Large` and is ignored by error
* reporters.
*
* **Details**
*
* `limit` names the option that was exceeded: `maxBytes` caps the whole body
* and `maxElementBytes` caps one NDJSON line. `size` is its configured value.
*
* @stability unstable
* @category errors
* @since 4.0.6
*/
var HttpApiPayloadTooLarge = class extends (/*#__PURE__*/ TaggedClass("HttpApiPayloadTooLarge")) {
	[HttpApiPayloadTooLargeTypeId] = HttpApiPayloadTooLargeTypeId;
	[ignore] = true;
	static is(u) {
		return hasProperty(u, HttpApiPayloadTooLargeTypeId);
	}
	name = "HttpApiPayloadTooLarge";
	message = `Payload exceeds ${this.limit} of ${this.size} bytes`;
	[symbol]() {
		return succeed$5(payloadTooLargeResponse);
	}
};

// src/domain/Errors.ts
/**
* The failures credsvc publishes.
*
* One class serves three readers: Effect code branches on `_tag`, an HTTP client reads an RFC 9457
* problem document (`type`, `status`, `detail`, and `error` for the class name), and a shell reads
* the exit code. A failure on which no client can act differently is not listed here: it stays
* beside its service and is translated once, by the service that knows its meaning.
*/
/** Exit codes of the command line, by meaning. */
const ExitCode = {
	success: 0,
	unexpected: 1,
	usage: 2,
	connectionNotFound: 3,
	provider: 4,
	credential: 5,
	connectionExists: 6,
	providerExists: 7,
	endpointUnreachable: 8,
	daemonUnavailable: 9
};
/** One thing wrong with a request: a JSON pointer (or a flag's name) and a sentence. */
const Problem = Struct({
	path: String$1,
	message: String$1
});
/** The request is malformed: every problem is listed with its JSON pointer, `""` for the whole body. */
var InvalidRequestError = class InvalidRequestError extends Problem$1()("InvalidRequestError", {
	type: "urn:credsvc:error:invalid-request",
	status: 400,
	title: "Invalid request"
}, {
	error: tag("InvalidRequestError"),
	problems: ArraySchema(Problem)
}) {
	[errorExitCode] = ExitCode.usage;
	static of(problems) {
		const listed = problems.map((problem) => problem.path === "" ? problem.message : `${problem.path}: ${problem.message}`);
		return new InvalidRequestError({
			problems,
			detail: listed.join("; ")
		});
	}
};
/** The provider did not accept the user's credentials, or the login failed on the provider's side. */
var AuthenticationFailedError = class extends Problem$1()("AuthenticationFailedError", {
	type: "urn:credsvc:error:authentication-failed",
	status: 401,
	title: "Authentication failed"
}, {
	error: tag("AuthenticationFailedError"),
	provider: String$1
}) {
	[errorExitCode] = ExitCode.usage;
};
/** The person cancelled, or no input could be read where some was needed. */
var InputCancelledError = class extends Problem$1()("InputCancelledError", {
	type: "urn:credsvc:error:input-cancelled",
	status: 409,
	title: "Input cancelled"
}, { error: tag("InputCancelledError") }) {
	[errorExitCode] = ExitCode.usage;
};
var ConnectionNotFoundError = class ConnectionNotFoundError extends Problem$1()("ConnectionNotFoundError", {
	type: "urn:credsvc:error:connection-not-found",
	status: 404,
	title: "Connection not found"
}, {
	error: tag("ConnectionNotFoundError"),
	provider: String$1,
	connection: String$1
}) {
	[errorExitCode] = ExitCode.connectionNotFound;
	static of(provider, connection) {
		const flag = connection === "default" ? "" : ` --connection ${connection}`;
		return new ConnectionNotFoundError({
			provider,
			connection,
			detail: `There is no connection "${connection}" for ${provider}. Make it with: credsvc login ${provider}${flag}`
		});
	}
};
var ProviderNotFoundError = class ProviderNotFoundError extends Problem$1()("ProviderNotFoundError", {
	type: "urn:credsvc:error:provider-not-found",
	status: 404,
	title: "Provider not found"
}, {
	error: tag("ProviderNotFoundError"),
	provider: String$1,
	suggestions: ArraySchema(String$1)
}) {
	[errorExitCode] = ExitCode.provider;
	static of(provider, suggestions = []) {
		const hint = suggestions.length > 0 ? `Did you mean ${suggestions.join(", ")}?` : "See the known ones with: credsvc list";
		return new ProviderNotFoundError({
			provider,
			suggestions,
			detail: `There is no provider "${provider}". ${hint}`
		});
	}
};
/** The operation makes no sense for this provider, connection or host, and never will as things stand. */
var OperationNotAllowedError = class OperationNotAllowedError extends Problem$1()("OperationNotAllowedError", {
	type: "urn:credsvc:error:operation-not-allowed",
	status: 403,
	title: "Operation not allowed"
}, { error: tag("OperationNotAllowedError") }) {
	[errorExitCode] = ExitCode.provider;
	static of(detail) {
		return new OperationNotAllowedError({ detail });
	}
};
/** A provider claims the host but holds no usable credential: nobody logged in, or the definition has changed since. */
var CredentialMissingError = class extends Problem$1()("CredentialMissingError", {
	type: "urn:credsvc:error:credential-missing",
	status: 404,
	title: "Credential missing"
}, {
	error: tag("CredentialMissingError"),
	provider: String$1,
	connection: String$1
}) {
	[errorExitCode] = ExitCode.credential;
};
/** The access token has expired and cannot be refreshed: only a new login helps. */
var TokenExpiredError = class extends Problem$1()("TokenExpiredError", {
	type: "urn:credsvc:error:token-expired",
	status: 401,
	title: "Token expired"
}, {
	error: tag("TokenExpiredError"),
	provider: String$1,
	connection: String$1
}) {
	[errorExitCode] = ExitCode.credential;
};
/** The refresh failed for a reason that may pass; the tokens are kept. */
var RefreshFailedError = class extends Problem$1()("RefreshFailedError", {
	type: "urn:credsvc:error:refresh-failed",
	status: 502,
	title: "Refresh failed"
}, {
	error: tag("RefreshFailedError"),
	provider: String$1,
	connection: String$1
}) {
	[errorExitCode] = ExitCode.credential;
};
var ConnectionAlreadyExistsError = class ConnectionAlreadyExistsError extends Problem$1()("ConnectionAlreadyExistsError", {
	type: "urn:credsvc:error:connection-already-exists",
	status: 409,
	title: "Connection already exists"
}, {
	error: tag("ConnectionAlreadyExistsError"),
	provider: String$1,
	connection: String$1
}) {
	[errorExitCode] = ExitCode.connectionExists;
	static of(provider, connection) {
		return new ConnectionAlreadyExistsError({
			provider,
			connection,
			detail: `The connection "${connection}" for ${provider} exists already. Replace it with --force, or choose another name with --connection.`
		});
	}
};
var ProviderAlreadyRegisteredError = class ProviderAlreadyRegisteredError extends Problem$1()("ProviderAlreadyRegisteredError", {
	type: "urn:credsvc:error:provider-already-registered",
	status: 409,
	title: "Provider already registered"
}, {
	error: tag("ProviderAlreadyRegisteredError"),
	provider: String$1
}) {
	[errorExitCode] = ExitCode.providerExists;
	static of(provider) {
		return new ProviderAlreadyRegisteredError({
			provider,
			detail: `A provider named "${provider}" is registered already. Replace it with --force.`
		});
	}
};
/** An endpoint of a provider could not be reached: no address, no route, no answer in time, or TLS that does not verify. */
var EndpointUnreachableError = class extends Problem$1()("EndpointUnreachableError", {
	type: "urn:credsvc:error:endpoint-unreachable",
	status: 504,
	title: "Endpoint unreachable"
}, {
	error: tag("EndpointUnreachableError"),
	endpoint: String$1
}) {
	[errorExitCode] = ExitCode.endpointUnreachable;
};
/** No daemon answered, or what answered is not ours. Made by clients only; no route returns it. */
var DaemonUnavailableError = class extends Problem$1()("DaemonUnavailableError", {
	type: "urn:credsvc:error:daemon-unavailable",
	status: 503,
	title: "Daemon unavailable"
}, {
	error: tag("DaemonUnavailableError"),
	url: String$1
}) {
	[errorExitCode] = ExitCode.daemonUnavailable;
};
/** Several providers or connections claim one host with equal right, so nothing is injected. */
var AmbiguousProviderError = class extends Problem$1()("AmbiguousProviderError", {
	type: "urn:credsvc:error:ambiguous-provider",
	status: 409,
	title: "Ambiguous provider"
}, {
	error: tag("AmbiguousProviderError"),
	host: String$1,
	candidates: ArraySchema(Struct({
		provider: String$1,
		connection: String$1
	}))
}) {
	[errorExitCode] = ExitCode.provider;
};
var SessionNotFoundError = class SessionNotFoundError extends Problem$1()("SessionNotFoundError", {
	type: "urn:credsvc:error:session-not-found",
	status: 404,
	title: "Auth session not found"
}, { error: tag("SessionNotFoundError") }) {
	[errorExitCode] = ExitCode.usage;
	static of() {
		return new SessionNotFoundError({ detail: "There is no such auth session. Start the login again with: credsvc login <provider>" });
	}
};
var SessionExpiredError = class SessionExpiredError extends Problem$1()("SessionExpiredError", {
	type: "urn:credsvc:error:session-expired",
	status: 410,
	title: "Auth session expired"
}, { error: tag("SessionExpiredError") }) {
	[errorExitCode] = ExitCode.usage;
	static of() {
		return new SessionExpiredError({ detail: "This auth session has expired. Start the login again with: credsvc login <provider>" });
	}
};
/** The vault can't be used: its key is out of reach, or the store is damaged. Nothing was changed. */
var VaultUnavailableError = class VaultUnavailableError extends Problem$1()("VaultUnavailableError", {
	type: "urn:credsvc:error:vault-unavailable",
	status: 503,
	title: "Vault unavailable"
}, { error: tag("VaultUnavailableError") }) {
	[errorExitCode] = ExitCode.unexpected;
	static of(detail) {
		return new VaultUnavailableError({ detail });
	}
};
/** Anything unforeseen. `id` is also in the daemon's log, beside the cause, which is told nowhere else. */
var UnexpectedError = class extends Problem$1()("UnexpectedError", {
	type: "urn:credsvc:error:unexpected",
	status: 500,
	title: "Unexpected error"
}, {
	error: tag("UnexpectedError"),
	id: String$1
}) {
	[errorExitCode] = ExitCode.unexpected;
};
const refusal = { error: tag("RequestRefusedError") };
/** Guard answers, given before routing: the request was not one that this daemon serves. */
var RequestRefusedError = class extends Problem$1()("RequestRefusedError", {
	type: "urn:credsvc:error:request-refused",
	status: 403,
	title: "Request refused"
}, refusal) {
	[errorExitCode] = ExitCode.unexpected;
};
/** Every class with a row in the exit-code table, in the order of that table. */
const published = [
	InvalidRequestError,
	AuthenticationFailedError,
	InputCancelledError,
	ConnectionNotFoundError,
	ProviderNotFoundError,
	OperationNotAllowedError,
	CredentialMissingError,
	TokenExpiredError,
	RefreshFailedError,
	ConnectionAlreadyExistsError,
	ProviderAlreadyRegisteredError,
	EndpointUnreachableError,
	DaemonUnavailableError,
	AmbiguousProviderError,
	SessionNotFoundError,
	SessionExpiredError,
	VaultUnavailableError,
	UnexpectedError,
	RequestRefusedError
];

export { EncodeError as $, transduce as $t, isHttpServerResponse as A, mapArrayEffect as At, uint8Array as B, provideContext as Bt, HttpApiSchemaError as C, runIn as Cn, fromPull as Ct, toResponseOrElse as D, map as Dt, toResponse as E, matchEffect as En, isStream as Et, setBody as F, mkString as Ft, getWebSource as G, runForEachArray as Gt, TypeId$1 as H, runCollect as Ht, setHeader as I, mkUint8Array as It, inspect as J, suspend as Jt, MaxBodySize as K, splitLines as Kt, setHeaders as L, orDie as Lt, omitsBody as M, mapError as Mt, raw as N, merge as Nt, toResponseOrElseDefect as O, mapAccum as Ot, removeHeader as P, mkArrayBuffer as Pt, make$1 as Q, toReadableStreamEffect as Qt, stream as R, pipeThroughChannel as Rt, HttpApiPayloadTooLarge as S, join as Sn, fromIterable as St, symbol as T, isDoneCause as Tn, interruptWhen as Tt, fromWeb as U, runDrain as Ut, urlParams as V, run as Vt, WebSourceSymbol as W, runForEach as Wt, prependUrl as X, tapError as Xt, make as Y, takeUntil as Yt, setHeaders$1 as Z, toReadableStream as Zt, SessionNotFoundError as _, take as _n, encodeText$1 as _t, CredentialMissingError as a, mapError$1 as an, stream$1 as at, VaultUnavailableError as b, getCurrent as bn, fromChannel as bt, ExitCode as c, unwrap$1 as cn, Timestamp as ct, OperationNotAllowedError as d, failCauseUnsafe as dn, catchCause as dt, unwrap as en, HttpClientError as et, ProviderAlreadyRegisteredError as f, make$3 as fn, catchIf as ft, SessionExpiredError as g, sliding as gn, empty$3 as gt, RequestRefusedError as h, poll as hn, drainFork as ht, ConnectionNotFoundError as i, mapDone as in, raw$1 as it, jsonUnsafe as j, mapEffect as jt, empty as k, mapArray as kt, InputCancelledError as l, make$2 as ln, wire as lt, RefreshFailedError as m, offerUnsafe as mn, die as mt, AuthenticationFailedError as n, fromTransform as nn, StatusCodeError as nt, DaemonUnavailableError as o, mkUint8Array$1 as on, uint8Array$1 as ot, ProviderNotFoundError as p, offer as pn, decodeText as pt, TypeId$2 as q, succeed as qt, ConnectionAlreadyExistsError as r, map$1 as rn, TransportError as rt, EndpointUnreachableError as s, toTransform as sn, ignore as st, AmbiguousProviderError as t, fromPull$1 as tn, InvalidUrlError as tt, InvalidRequestError as u, endUnsafe as un, callback as ut, TokenExpiredError as v, make$5 as vn, ensuring as vt, isRespondable as w, catchDone as wn, fromReadableStream as wt, published as x, interrupt as xn, fromEffect as xt, UnexpectedError as y, makeUnsafe$1 as yn, fail as yt, text as z, pipeThroughChannelOrFail as zt };