import { n as __require, r as __toESM, t as __commonJSMin } from "./rolldown-runtime-CoNq6U3z.js";
import { $ as optional, $i as void_, $o as Reference, $r as runForkWith, $s as NodeInspectSymbol, A as Union, An as set, Ar as mapEager, Br as onExitPrimitive, C as SchemaError, Ca as _await, Cc as flow, Ci as void_$1, Cn as CurrentRedactedNames, Co as isFinite, Cr as gen, Cs as isSome, D as TaggedError$1, Da as isDoneUnsafe, Dc as pipeArguments, Di as withParentSpan, Do as ensure, Dr as interruptible, Ds as none, Ea as isDone, Ec as pipe, Ei as withFiber, En as fromRecordUnsafe, Er as interrupt, Es as match, Fi as fail$2, Fr as matchCauseEffectEager, Gn as andThen, H as encodeUnknownEffect, Ha as fiberEnterUninterruptibleUnsafe, Hn as acquireRelease, Io as map$2, Ir as matchEffect, Ja as fnUntraced$1, Ji as fail$1, Jn as cached, Jo as isFailure$1, Jr as provideService, Jt as toEncoded, Kn as as, Ko as getOrThrow, Ks as withFiber$1, L as declare, La as effectIsExit, Li as hasInterrupts, Ln as isEmpty, Lr as never, Ls as contA, Lt as isNull, Mi as combine, Mn as isRedacted, Ms as Prototype, Ni as die$1, Nn as make$15, No as isArrayNonEmpty, Nr as match$1, Oa as makeUnsafe$1, Oi as zipWith, On as merge, Or as isEffect$1, Os as orElse, Pi as done, Pn as value, Pr as matchCauseEffect, Qi as succeed$3, Qr as runFork, Qs as Class, Qt as transformEffect, R as decodeTo, Ri as hasInterruptsOnly, Rn as parseHeader, Ro as of, Rr as onError, Rs as contE, Sa as provide$1, Sc as dual, Si as useSpan, So as fromInputUnsafe, Sr as fromResult, T as Struct, Ta as fail$4, Tc as memoize, Ti as withErrorReporting, Tn as fromInput, To as toMillis, Tr as ignoreCause, Ts as map$3, U as fromJsonString, Un as addFinalizer$1, Ur as orDie, Us as isEffect, Vn as decodeString, Vr as onInterrupt, Wn as all, Wo as fail$3, Wr as orElseSucceed, Xa as loggerMake, Xi as isFailure, Xn as catchCause, Xr as result, Xs as setStackTraceLimit, Y as isSchema, Yi as failCause$1, Yn as callback, Yo as isSuccess$1, Yr as raceFirst, Ys as getStackTraceLimit, Zi as isSuccess, Zo as succeed$2, Zs as BaseProto, _a as close$1, _c as constFalse, _i as tryPromise, _o as nativeTracer, _r as fnUntraced, _s as fromUndefinedOr, ar as contextWith, at as toType, ba as forkUnsafe, bc as constVoid, bi as uninterruptibleMask, bo as TaggedError, br as forkIn, ca as provide, cc as hasProperty, ci as succeed, cr as ensuring, cs as getUnsafe, ct as inetAddressFromIpString, da as succeedContext, dc as isNotUndefined, di as suspend, dr as failCause, ds as merge$1, dt as isUnspecified, es as Service, et as optionalKey, f as Int, fc as isNullish, fi as sync, fr as failSync, fs as omit, ft as toUrl, g as NonEmptyArray, ga as addFinalizerExit, gc as isUndefined, gi as timeoutOrElse, gn as redactUrl, gs as fromNullishOr, h as Never, ha as addFinalizer, hi as tapError, hn as fromInput$1, hs as flatMap$1, i as ArraySchema, ia as effectContext, ii as scoped, in as InvalidValue, ir as context, ja as CurrentLoggers$1, ji as UnknownError, jr as mapError, k as UndefinedOr, ki as Done, kn as remove$1, kr as map$1, ks as some, l as Defect, la as provideMerge, lt as ipv4Loopback, ma as Scope, mi as tapCause, mr as flatMapEager, na as buildWithScope, no as reportCauseUnsafe, nr as catchTags, nt as toCodecArrayFromSingle, oa as fresh, oi as serviceOption, or as die, os as getOrUndefined$1, pa as unwrap$2, pi as tap, pn as CurrentRedactedNames$1, po as DisablePropagation, pr as flatMap, pt as unixPathAddress, qo as getOrUndefined$2, qr as provideContext, ra as effect, ri as scope, rn as Forbidden, rr as catch_, rs as get$2, rt as toCodecJson, s as Cause, sa as mergeAll, si as sleep, sr as effectify, st as formatIp, ti as runSync, tr as catchTag, ts as add, tt as tag, ua as succeed$1, uc as isNotNull, ur as fail, us as makeUnsafe$2, ut as isUnixPathAddress, va as closeUnsafe, vc as constTrue, vi as try_, vn as toRecord, vr as forEach, vs as getOrElse, w as String$1, wa as doneUnsafe, wc as identity, wn as empty, wo as seconds, wr as ignore, xa as makeUnsafe, xi as updateContext, xr as forkScoped, xs as getOrUndefined, ya as fork, yi as uninterruptible, yr as forever, z as decodeUnknownEffect, zn as toSetCookieHeaders, zr as onExit } from "./Runtime-CYnC2HYz.js";
import { $ as EncodeError, $t as transduce, A as isHttpServerResponse, At as mapArrayEffect, B as uint8Array$1, Bt as provideContext$1, C as HttpApiSchemaError, Cn as runIn, Dt as map$4, E as toResponse, En as matchEffect$1, Et as isStream, F as setBody, Ft as mkString, G as getWebSource, Gt as runForEachArray, H as TypeId$4, Ht as runCollect, I as setHeader, J as inspect, Jt as suspend$1, K as MaxBodySize, Kt as splitLines, L as setHeaders, Lt as orDie$1, M as omitsBody, Mt as mapError$1, N as raw$1, Nt as merge$2, Ot as mapAccum, P as removeHeader, Pt as mkArrayBuffer, Q as make$17, Qt as toReadableStreamEffect, R as stream$2, Rt as pipeThroughChannel, S as HttpApiPayloadTooLarge, Sn as join, Tn as isDoneCause, Tt as interruptWhen, U as fromWeb, Ut as runDrain, V as urlParams, Vt as run, W as WebSourceSymbol, X as prependUrl, Xt as tapError$1, Y as make$16, Yt as takeUntil, Z as setHeaders$1, Zt as toReadableStream, _n as take, _t as encodeText, at as stream$1, b as VaultUnavailableError, bn as getCurrent, bt as fromChannel, d as OperationNotAllowedError, dn as failCauseUnsafe, dt as catchCause$1, en as unwrap$3, et as HttpClientError, fn as make$19, ft as catchIf, gn as sliding, gt as empty$1, hn as poll, ht as drainFork, in as mapDone, it as raw, j as jsonUnsafe, jt as mapEffect, k as empty$2, kt as mapArray, mn as offerUnsafe, mt as die$2, nn as fromTransform, nt as StatusCodeError, o as DaemonUnavailableError, ot as uint8Array, pn as offer, pt as decodeText, q as TypeId$5, rn as map$5, rt as TransportError, tt as InvalidUrlError, u as InvalidRequestError, un as endUnsafe, ut as callback$1, vn as make$18, vt as ensuring$1, w as isRespondable, wn as catchDone, wt as fromReadableStream, xn as interrupt$1, xt as fromEffect, yn as makeUnsafe$3, yt as fail$5, z as text$1, zt as pipeThroughChannelOrFail } from "./Errors-CqOgzwWL.js";
import { $ as make$24, A as RequestState, At as WatchBackend, B as TypeId$6, Bt as fromInput$2, C as use, Ct as allShort, D as addUrlAttributes, Dt as make$23, E as addHeaderAttributes, Et as layer$19, F as TypeId$7, Ft as isSink, G as make$22, Gt as Clock, H as makeConfig, Ht as toNumberUnsafe, I as schemaCookies, It as BadArgument, J as InternalError, K as ClientAbort, L as schemaHeaders, Lt as badArgument, M as toHeaders, Mt as make$21, N as HttpServerRequest, Nt as drain, O as redactedNames, Ot as FileSystem, P as ParsedSearchParams, Pt as fromChannel$1, Q as causeResponse, R as schemaSearchParams, Rt as systemError, S as toHttpEffect, St as make$20, T as tracer, Tt as Path$1, U as toPersisted, Ut as zero, V as limitsServices, Vt as fromInputUnsafe$1, W as decodeField, Wt as toNumber, X as ResponseError, Y as RequestParseError, Z as ServeError, _ as getSuccessSchemas, _t as SocketReadError, a as annotations, at as isNoContent, b as add$1, bt as fromWebSocket, c as isSecurity, ct as isStreamUint8Array, d as getSlotParseOptions, dt as isWithHeadersValue, et as getResponseEncoding, f as make$25, g as getErrorSchemas, gt as SocketOpenError, ht as SocketError, i as RequestProblems, it as getWithHeadersAnnotation, j as appendPreResponseHandlerUnsafe$1, jt as layerNoop, k as CurrentRequestState, kt as FileTypeId, l as PayloadParseOptions, lt as isUpgrade, mt as SocketCloseError, n as parseStrictJson, nt as getStatusErrorSchema, o as fromApi, ot as isStreamNdjson, pt as normalize, q as HttpServerError, r as ProfileSelection, rt as getStatusSuccessSchema, s as toRouterPath, st as isStreamSchema, t as problemsOf, tt as getResponseEncodingSchema, u as QueryParseOptions, ut as isWithHeaders, vt as SocketUpgradeError, w as isTracerDisabledUnsafe, wt as hasBody, x as route, xt as isCloseEvent, y as RouteContext, yt as SocketWriteError, z as MultipartError, zt as bytes } from "./SchemaProblems-DbdaqDHa.js";
import { _ as TracerTimingEnabled, d as version, g as make$26, h as Terminal, m as QuitError, o as CurrentProfile } from "./main.js";
import { c as proofHeader, g as componentNames, i as ensureAccessKey, n as clientHeader, o as helloWindow, s as isClientHello, t as PeerOwner, u as serverProof } from "./PeerOwner-KEOs6sYk.js";
import { n as ProxyGroup, t as ConfigFile } from "./ConfigFile-DY37I8yn.js";
import { t as Paths } from "./Paths-Vqceat6V.js";
import { a as ensurePrivateDirectory, c as removeFile, f as Settings, i as createOnce, l as replaceFile, o as openAppend, p as builtins, r as checkFile, s as readFile$1, t as SecureFileError, u as setPrivateUmask } from "./SecureFiles-DvIPMxq1.js";
import { t as SystemGroup } from "./SystemGroup-COrwacBg.js";
import { t as AuditGroup } from "./AuditGroup-DSx0JzFS.js";
import { t as AuthGroup } from "./AuthGroup-DJHO2sob.js";
import { t as ConnectionsGroup } from "./ConnectionsGroup-X6a51TkA.js";
import { t as CredentialsGroup } from "./CredentialsGroup-SUCJbk0s.js";
import { t as ProfilesGroup } from "./ProfilesGroup-C855OtCt.js";
import { n as ProvidersGroup } from "./ProvidersGroup--AMk6PfO.js";
import { createRequire } from "node:module";
import * as NFS from "node:fs";
import { Duplex, PassThrough, Readable, Transform, finished, pipeline } from "node:stream";
import * as Zlib from "node:zlib";
import * as Crypto from "node:crypto";
import { Buffer as Buffer$1 } from "node:buffer";
import * as Tls from "node:tls";
import * as Path from "node:path";
import * as NodeStreamP from "node:stream/promises";
import { pipeline as pipeline$1 } from "node:stream/promises";
import * as OS from "node:os";
import * as NodeChildProcess from "node:child_process";
import * as NodeUrl from "node:url";
import * as readline from "node:readline";

// node_modules/effect/dist/internal/rcRef.js
const TypeId$3 = "~effect/RcRef";
const stateEmpty = { _tag: "Empty" };
const stateClosed = { _tag: "Closed" };
const variance = {
	_A: identity,
	_E: identity
};
var RcRefImpl = class {
	[TypeId$3] = variance;
	pipe() {
		return pipeArguments(this, arguments);
	}
	state = stateEmpty;
	acquire;
	context;
	scope;
	idleTimeToLive;
	constructor(acquire, context, scope, idleTimeToLive) {
		this.acquire = acquire;
		this.context = context;
		this.scope = scope;
		this.idleTimeToLive = idleTimeToLive;
	}
};
/** @internal */
const make$14 = (options) => withFiber((fiber) => {
	const context = fiber.context;
	const scope = get$2(context, Scope);
	const ref = new RcRefImpl(options.acquire, context, scope, options.idleTimeToLive !== void 0 ? fromInputUnsafe(options.idleTimeToLive) : void 0);
	return as(addFinalizerExit(scope, () => {
		const state = ref.state;
		ref.state = stateClosed;
		if (state._tag === "Acquired") return close$1(state.scope, void_);
		if (state._tag === "Acquiring") return interrupt$1(state.fiber);
		return void_$1;
	}), ref);
});
const getState = (self, restore) => {
	switch (self.state._tag) {
		case "Closed": return interrupt;
		case "Acquired": {
			const state = self.state;
			state.refCount++;
			return state.fiber ? as(interrupt$1(state.fiber), state) : succeed(state);
		}
		case "Acquiring": {
			const state = self.state;
			state.awaiters++;
			return awaitAcquiring(self, state, restore);
		}
		case "Empty": {
			const acquiring = {
				_tag: "Acquiring",
				fiber: void 0,
				awaiters: 1,
				acquired: void 0
			};
			self.state = acquiring;
			const scope = makeUnsafe();
			const acquire = provideContext(self.acquire, add(self.context, Scope, scope)).pipe(flatMap((value) => {
				if (self.state !== acquiring) return interrupt;
				const state = {
					_tag: "Acquired",
					value,
					scope,
					fiber: void 0,
					refCount: acquiring.awaiters,
					invalidated: false
				};
				self.state = state;
				acquiring.acquired = state;
				return succeed(state);
			}), onExit((exit) => {
				if (isSuccess(exit)) return void_$1;
				if (self.state === acquiring) self.state = stateEmpty;
				return close$1(scope, exit);
			}));
			acquiring.fiber = runForkWith(getCurrent().context)(acquire);
			return awaitAcquiring(self, acquiring, restore);
		}
	}
};
const awaitAcquiring = (self, acquiring, restore) => onExit(restore(join(acquiring.fiber)), (exit) => {
	const acquired = acquiring.acquired;
	if (acquired !== void 0) return isFailure(exit) ? release(self, acquired) : void_$1;
	if (--acquiring.awaiters > 0 || self.state !== acquiring) return void_$1;
	self.state = stateEmpty;
	return interrupt$1(acquiring.fiber);
});
/** @internal */
const get$1 = (self_) => {
	const self = self_;
	return uninterruptibleMask((restore) => flatMap(scope, (scope) => flatMap(getState(self, restore), (state) => as(addFinalizerExit(scope, () => release(self, state)), state.value))));
};
const release = (self, state) => {
	state.refCount--;
	if (state.refCount > 0) return void_$1;
	const idleTimeToLive = self.idleTimeToLive;
	if (idleTimeToLive === void 0 || state.invalidated) {
		if (self.state === state) self.state = stateEmpty;
		return close$1(state.scope, void_);
	} else if (!isFinite(idleTimeToLive)) return void_$1;
	state.fiber = uninterruptibleMask((restore) => flatMap(restore(sleep(idleTimeToLive)), () => {
		if (self.state === state && state.refCount === 0) {
			self.state = stateEmpty;
			return ignoreCause(close$1(state.scope, void_), {
				log: "Unhandled",
				message: "Unhandled error in RcRef finalizer"
			});
		}
		return void_$1;
	})).pipe(ensuring(sync(() => {
		state.fiber = void 0;
	})), runForkWith(self.context), runIn(self.scope));
	return void_$1;
};

// node_modules/effect/dist/RcRef.js
/**
* Creates an `RcRef` from an acquire effect.
*
* **When to use**
*
* Use to create a lazily acquired, reference-counted resource from an acquire
* effect.
*
* **Details**
*
* The resource is acquired lazily on the first `get` and shared by subsequent
* gets while it remains cached. Each `get` adds a reference to the current
* `Scope`. When the last reference is released, the resource is closed
* immediately by default, or after `idleTimeToLive` when that option is
* provided.
*
* **Example** (Creating a reference-counted resource)
*
* ```ts import.meta.vitest
* import { Effect, RcRef } from "effect"
*
* const events: Array<string> = []
*
* const program = Effect.gen(function*() {
*   const ref = yield* RcRef.make({
*     acquire: Effect.acquireRelease(
*       Effect.succeed("foo"),
*       () => Effect.sync(() => events.push("released foo"))
*     )
*   })
*
*   // will only acquire the resource once, and release it
*   // when the scope is closed
*   yield* RcRef.get(ref).pipe(
*     Effect.andThen(RcRef.get(ref)),
*     Effect.scoped
*   )
* })
*
* await Effect.runPromise(Effect.scoped(program))
* events // => ["released foo"]
* ```
*
* @stability stable
* @category constructors
* @since 3.5.0
*/
const make$13 = make$14;
/**
* Gets the value from an `RcRef`, acquiring it first if needed.
*
* **When to use**
*
* Use to borrow the current resource within a `Scope`, acquiring it first if
* necessary.
*
* **Details**
*
* The reference count is incremented for the current `Scope`, and a release
* finalizer is added to that scope. When the current scope closes, the
* reference is released; the resource is closed when the final reference is
* released, subject to any configured idle time-to-live.
*
* **Example** (Sharing one acquired value)
*
* ```ts import.meta.vitest
* import { Effect, RcRef } from "effect"
*
* const events: Array<string> = []
*
* const program = Effect.gen(function*() {
*   // Create an RcRef with a resource
*   const ref = yield* RcRef.make({
*     acquire: Effect.acquireRelease(
*       Effect.succeed("shared resource"),
*       (resource) => Effect.sync(() => events.push(`released ${resource}`))
*     )
*   })
*
*   // Get the value from the RcRef
*   const value1 = yield* RcRef.get(ref)
*   const value2 = yield* RcRef.get(ref)
*
*   return [value1 === value2, events] as const
* })
*
* await Effect.runPromise(Effect.scoped(program)) // => [true, ["released shared resource"]]
* ```
*
* @stability stable
* @category combinators
* @since 3.5.0
*/
const get = get$1;

// node_modules/effect/dist/Stdio.js
/**
* Service contract for command-line arguments and standard input, output, and
* error output. It lets programs depend on standard I/O through the Effect
* environment instead of reading from or writing to global process handles
* directly.
*
* The service exposes arguments as an `Effect`, stdout and stderr as `Sink`s
* that accept strings or bytes, and stdin as a byte `Stream`. This module also
* provides a constructor for service values and a small test layer with
* overridable defaults.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Runtime identifier stored on `Stdio` service implementations.
*
* **Details**
*
* This marker is part of the runtime representation of `Stdio` service
* implementations.
*
* @stability unstable
* @category type IDs
* @since 4.0.0
*/
const TypeId$2 = "~effect/Stdio";
/**
* Service tag for process standard I/O.
*
* **When to use**
*
* Use when you need command-line arguments or standard I/O streams supplied by
* an effect's environment.
*
* @see {@link make} for constructing a `Stdio` service directly
* @see {@link layerTest} for a test layer with defaults and overrides
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Stdio = /*#__PURE__*/ Service(TypeId$2);
/**
* Creates a `Stdio` service implementation from the provided fields and
* attaches the `Stdio` type identifier.
*
* **When to use**
*
* Use when you need to assemble a concrete `Stdio` service from command-line
* arguments and standard I/O implementations.
*
* **Details**
*
* The returned service reuses the supplied fields unchanged and adds the
* `Stdio` type identifier. Omitted terminal-detection fields default to
* effects that succeed with `false`.
*
* @see {@link layerTest} for a test layer with default fields that can be overridden
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$12 = (options) => ({
	[TypeId$2]: TypeId$2,
	stdinIsTerminal: succeed(false),
	stdoutIsTerminal: succeed(false),
	stderrIsTerminal: succeed(false),
	...options
});

// node_modules/effect/dist/http/internal/compressionBody.js
/**
* @internal
*/
const compressionTransformWeb = (format) => (stream) => stream.pipeThrough(new CompressionStream(format));
/**
* @internal
*/
const singleChunkStream = (data) => new ReadableStream({ start(controller) {
	controller.enqueue(data);
	controller.close();
} });

// node_modules/effect/dist/encoding/Sse.js
/**
* Schema for the untagged Server-Sent Events payload shape containing an optional `id`, `event`, and string `data` fields.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
const EventEncoded = /*#__PURE__*/ Struct({
	id: /*#__PURE__*/ optional(String$1),
	event: String$1,
	data: String$1
});
/**
* Schema for the tagged Server-Sent Events message model that adds `_tag: "Event"` to the event name, optional event ID, and string data payload.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
const Event = /*#__PURE__*/ Struct({
	_tag: /*#__PURE__*/ tag("Event"),
	id: /*#__PURE__*/ UndefinedOr(String$1),
	event: String$1,
	data: String$1
});
/**
* Default Server-Sent Events encoder.
*
* **Details**
*
* It renders `Event` values as `id`, `event`, and `data` lines and renders
* `Retry` values as `retry:` directives.
*
* @stability unstable
* @category encoding
* @since 4.0.0
*/
const encoder$1 = { write(event) {
	switch (event._tag) {
		case "Event": {
			let data = "";
			if (event.id !== void 0) data += `id: ${event.id}\n`;
			if (event.event !== "message") data += `event: ${event.event}\n`;
			data += `data: ${event.data.replace(/\r\n|\r|\n/g, "\ndata: ")}\n`;
			return data + "\n";
		}
		case "Retry": return `retry: ${toMillis(event.duration)}\n\n`;
	}
} };

// node_modules/effect/dist/http/Etag.js
/**
* HTTP entity tag values and metadata-based generator layers.
*
* ETags are validators for a specific representation of a resource. Servers put
* them in `ETag` response headers so clients and intermediaries can revalidate
* cached content with `If-None-Match`, or protect writes with preconditions such
* as `If-Match`.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Formats an `Etag` as an HTTP header value, including quotes and the `W/` prefix for weak tags.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toString = (self) => {
	switch (self._tag) {
		case "Weak": return `W/"${self.value}"`;
		case "Strong": return `"${self.value}"`;
	}
};
/**
* Service for generating ETags from filesystem file information or Web `File`-like metadata.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var Generator = class extends (/*#__PURE__*/ Service()("effect/http/Etag/Generator")) {};
const fromFileInfo = (info) => {
	const mtime = match(info.mtime, {
		onNone: () => "0",
		onSome: (mtime) => mtime.getTime().toString(16)
	});
	return `${info.size.toString(16)}-${mtime}`;
};
const fromFileWeb = (file) => {
	return `${file.size.toString(16)}-${file.lastModified.toString(16)}`;
};
/**
* Layer that provides a `Generator` which produces strong ETags from file size
* and modification time metadata.
*
* **When to use**
*
* Use when you need the `Generator` service to produce strong ETags and file
* size plus modification time reliably change for every byte-level change.
*
* **Gotchas**
*
* This layer marks metadata-derived tags as strong. If the underlying storage
* can update file contents without changing the recorded size or modification
* time, those tags can stop representing byte-for-byte identity.
*
* @see {@link layerWeak} for weak metadata-derived ETags when byte-for-byte identity is not required
* @see {@link Generator} for the service provided by this layer
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$18 = /*#__PURE__*/ succeed$1(Generator)({
	fromFileInfo(info) {
		return sync(() => ({
			_tag: "Strong",
			value: fromFileInfo(info)
		}));
	},
	fromFileWeb(file) {
		return sync(() => ({
			_tag: "Strong",
			value: fromFileWeb(file)
		}));
	}
});
/**
* Layer that provides a `Generator` which produces weak ETags from file size and modification time metadata.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerWeak = /*#__PURE__*/ succeed$1(Generator)({
	fromFileInfo(info) {
		return sync(() => ({
			_tag: "Weak",
			value: fromFileInfo(info)
		}));
	},
	fromFileWeb(file) {
		return sync(() => ({
			_tag: "Weak",
			value: fromFileWeb(file)
		}));
	}
});

// node_modules/effect/dist/http/internal/compression.js
/**
* @internal
*/
const varyWith = (headers, dimension) => {
	const vary = headers["vary"];
	if (vary === void 0) return dimension;
	const members = vary.split(",").map((member) => member.trim().toLowerCase());
	return members.includes("*") || members.includes(dimension.toLowerCase()) ? vary : `${vary}, ${dimension}`;
};
/**
* @internal
*/
const wrapCompression = (impl) => ({
	algorithms: impl.algorithms,
	compressResponse(response, algorithm, options) {
		return map$1(impl.compressResponse(response, algorithm, options), (compressed) => {
			if (compressed === response) return response;
			const headers = {
				"content-encoding": algorithm,
				vary: varyWith(compressed.headers, "Accept-Encoding")
			};
			const etag = compressed.headers["etag"];
			if (etag !== void 0 && !etag.startsWith("W/")) headers["etag"] = `W/${etag}`;
			return setHeaders(compressed, headers);
		});
	}
});
/**
* @internal
*/
const setBodyWithoutLength = (response, body) => removeHeader(setBody(response, body), "content-length");
/**
* @internal
*/
const makeCompressionWeb = (options) => ({
	algorithms: new Set(options.algorithms),
	compressResponse(response, algorithm, opts) {
		const body = response.body;
		switch (body._tag) {
			case "Uint8Array": {
				const data = body.body;
				return succeed(streamBody(response, () => options.transform(algorithm, opts)(singleChunkStream(data)), response.headers["content-type"] ?? body.contentType));
			}
			case "Stream": {
				const stream = body.stream;
				return succeed(streamBody(response, () => options.transform(algorithm, opts)(toReadableStream(stream)), response.headers["content-type"] ?? body.contentType));
			}
			case "Raw": {
				const readable = rawReadableStream(body.body);
				if (readable === void 0) return succeed(response);
				return succeed(setBodyWithoutLength(response, raw(options.transform(algorithm, opts)(readable), { contentType: response.headers["content-type"] ?? body.contentType })));
			}
			default: return succeed(response);
		}
	}
});
const streamBody = (response, evaluate, contentType) => setBodyWithoutLength(response, stream$1(fromReadableStream({
	evaluate,
	onError: identity
}), contentType));
const rawReadableStream = (raw) => {
	if (typeof ReadableStream !== "undefined" && raw instanceof ReadableStream) return raw;
	else if (raw instanceof globalThis.Response) return raw.body ?? void 0;
	return new globalThis.Response(raw).body ?? void 0;
};
/**
* @internal
*/
const compressionWeb = /*#__PURE__*/ makeCompressionWeb({
	algorithms: ["gzip", "deflate"],
	transform: (algorithm) => compressionTransformWeb(algorithm)
});

// node_modules/effect/dist/http/internal/mimeTypes.js
/**
* Standard MIME type data copied from mime 4.1.0.
*
* MIT License
*
* Copyright (c) 2023 Robert Kieffer
*
* Permission is hereby granted, free of charge, to any person obtaining a copy
* of this software and associated documentation files (the "Software"), to deal
* in the Software without restriction, including without limitation the rights
* to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
* copies of the Software, and to permit persons to whom the Software is
* furnished to do so, subject to the following conditions:
*
* The above copyright notice and this permission notice shall be included in all
* copies or substantial portions of the Software.
*
* THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
* IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
* FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
* AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
* LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
* OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
* SOFTWARE.
*/
const types = {
	"application/andrew-inset": ["ez"],
	"application/appinstaller": ["appinstaller"],
	"application/applixware": ["aw"],
	"application/appx": ["appx"],
	"application/appxbundle": ["appxbundle"],
	"application/atom+xml": ["atom"],
	"application/atomcat+xml": ["atomcat"],
	"application/atomdeleted+xml": ["atomdeleted"],
	"application/atomsvc+xml": ["atomsvc"],
	"application/atsc-dwd+xml": ["dwd"],
	"application/atsc-held+xml": ["held"],
	"application/atsc-rsat+xml": ["rsat"],
	"application/automationml-aml+xml": ["aml"],
	"application/automationml-amlx+zip": ["amlx"],
	"application/bdoc": ["bdoc"],
	"application/calendar+xml": ["xcs"],
	"application/ccxml+xml": ["ccxml"],
	"application/cdfx+xml": ["cdfx"],
	"application/cdmi-capability": ["cdmia"],
	"application/cdmi-container": ["cdmic"],
	"application/cdmi-domain": ["cdmid"],
	"application/cdmi-object": ["cdmio"],
	"application/cdmi-queue": ["cdmiq"],
	"application/cpl+xml": ["cpl"],
	"application/cu-seeme": ["cu"],
	"application/cwl": ["cwl"],
	"application/dash+xml": ["mpd"],
	"application/dash-patch+xml": ["mpp"],
	"application/davmount+xml": ["davmount"],
	"application/dicom": ["dcm"],
	"application/docbook+xml": ["dbk"],
	"application/dssc+der": ["dssc"],
	"application/dssc+xml": ["xdssc"],
	"application/ecmascript": ["ecma"],
	"application/emma+xml": ["emma"],
	"application/emotionml+xml": ["emotionml"],
	"application/epub+zip": ["epub"],
	"application/exi": ["exi"],
	"application/express": ["exp"],
	"application/fdf": ["fdf"],
	"application/fdt+xml": ["fdt"],
	"application/font-tdpfr": ["pfr"],
	"application/geo+json": ["geojson"],
	"application/gml+xml": ["gml"],
	"application/gpx+xml": ["gpx"],
	"application/gxf": ["gxf"],
	"application/gzip": ["gz"],
	"application/hjson": ["hjson"],
	"application/hyperstudio": ["stk"],
	"application/inkml+xml": ["ink", "inkml"],
	"application/ipfix": ["ipfix"],
	"application/its+xml": ["its"],
	"application/java-archive": [
		"jar",
		"war",
		"ear"
	],
	"application/java-serialized-object": ["ser"],
	"application/java-vm": ["class"],
	"application/javascript": ["*js"],
	"application/json": ["json", "map"],
	"application/json5": ["json5"],
	"application/jsonml+json": ["jsonml"],
	"application/ld+json": ["jsonld"],
	"application/lgr+xml": ["lgr"],
	"application/lost+xml": ["lostxml"],
	"application/mac-binhex40": ["hqx"],
	"application/mac-compactpro": ["cpt"],
	"application/mads+xml": ["mads"],
	"application/manifest+json": ["webmanifest"],
	"application/marc": ["mrc"],
	"application/marcxml+xml": ["mrcx"],
	"application/mathematica": [
		"ma",
		"nb",
		"mb"
	],
	"application/mathml+xml": ["mathml"],
	"application/mbox": ["mbox"],
	"application/media-policy-dataset+xml": ["mpf"],
	"application/mediaservercontrol+xml": ["mscml"],
	"application/metalink+xml": ["metalink"],
	"application/metalink4+xml": ["meta4"],
	"application/mets+xml": ["mets"],
	"application/mmt-aei+xml": ["maei"],
	"application/mmt-usd+xml": ["musd"],
	"application/mods+xml": ["mods"],
	"application/mp21": ["m21", "mp21"],
	"application/mp4": [
		"*mp4",
		"*mpg4",
		"mp4s",
		"m4p"
	],
	"application/msix": ["msix"],
	"application/msixbundle": ["msixbundle"],
	"application/msword": ["doc", "dot"],
	"application/mxf": ["mxf"],
	"application/n-quads": ["nq"],
	"application/n-triples": ["nt"],
	"application/node": ["cjs"],
	"application/octet-stream": [
		"bin",
		"dms",
		"lrf",
		"mar",
		"so",
		"dist",
		"distz",
		"pkg",
		"bpk",
		"dump",
		"elc",
		"deploy",
		"exe",
		"dll",
		"deb",
		"dmg",
		"iso",
		"img",
		"msi",
		"msp",
		"msm",
		"buffer"
	],
	"application/oda": ["oda"],
	"application/oebps-package+xml": ["opf"],
	"application/ogg": ["ogx"],
	"application/omdoc+xml": ["omdoc"],
	"application/onenote": [
		"onetoc",
		"onetoc2",
		"onetmp",
		"onepkg",
		"one",
		"onea"
	],
	"application/oxps": ["oxps"],
	"application/p2p-overlay+xml": ["relo"],
	"application/patch-ops-error+xml": ["xer"],
	"application/pdf": ["pdf"],
	"application/pgp-encrypted": ["pgp"],
	"application/pgp-keys": ["asc"],
	"application/pgp-signature": ["sig", "*asc"],
	"application/pics-rules": ["prf"],
	"application/pkcs10": ["p10"],
	"application/pkcs7-mime": ["p7m", "p7c"],
	"application/pkcs7-signature": ["p7s"],
	"application/pkcs8": ["p8"],
	"application/pkix-attr-cert": ["ac"],
	"application/pkix-cert": ["cer"],
	"application/pkix-crl": ["crl"],
	"application/pkix-pkipath": ["pkipath"],
	"application/pkixcmp": ["pki"],
	"application/pls+xml": ["pls"],
	"application/postscript": [
		"ai",
		"eps",
		"ps"
	],
	"application/provenance+xml": ["provx"],
	"application/pskc+xml": ["pskcxml"],
	"application/raml+yaml": ["raml"],
	"application/rdf+xml": ["rdf", "owl"],
	"application/reginfo+xml": ["rif"],
	"application/relax-ng-compact-syntax": ["rnc"],
	"application/resource-lists+xml": ["rl"],
	"application/resource-lists-diff+xml": ["rld"],
	"application/rls-services+xml": ["rs"],
	"application/route-apd+xml": ["rapd"],
	"application/route-s-tsid+xml": ["sls"],
	"application/route-usd+xml": ["rusd"],
	"application/rpki-ghostbusters": ["gbr"],
	"application/rpki-manifest": ["mft"],
	"application/rpki-roa": ["roa"],
	"application/rsd+xml": ["rsd"],
	"application/rss+xml": ["rss"],
	"application/rtf": ["rtf"],
	"application/sbml+xml": ["sbml"],
	"application/scvp-cv-request": ["scq"],
	"application/scvp-cv-response": ["scs"],
	"application/scvp-vp-request": ["spq"],
	"application/scvp-vp-response": ["spp"],
	"application/sdp": ["sdp"],
	"application/senml+xml": ["senmlx"],
	"application/sensml+xml": ["sensmlx"],
	"application/set-payment-initiation": ["setpay"],
	"application/set-registration-initiation": ["setreg"],
	"application/shf+xml": ["shf"],
	"application/sieve": ["siv", "sieve"],
	"application/smil+xml": ["smi", "smil"],
	"application/sparql-query": ["rq"],
	"application/sparql-results+xml": ["srx"],
	"application/sql": ["sql"],
	"application/srgs": ["gram"],
	"application/srgs+xml": ["grxml"],
	"application/sru+xml": ["sru"],
	"application/ssdl+xml": ["ssdl"],
	"application/ssml+xml": ["ssml"],
	"application/swid+xml": ["swidtag"],
	"application/tei+xml": ["tei", "teicorpus"],
	"application/thraud+xml": ["tfi"],
	"application/timestamped-data": ["tsd"],
	"application/toml": ["toml"],
	"application/trig": ["trig"],
	"application/ttml+xml": ["ttml"],
	"application/ubjson": ["ubj"],
	"application/urc-ressheet+xml": ["rsheet"],
	"application/urc-targetdesc+xml": ["td"],
	"application/voicexml+xml": ["vxml"],
	"application/wasm": ["wasm"],
	"application/watcherinfo+xml": ["wif"],
	"application/widget": ["wgt"],
	"application/winhlp": ["hlp"],
	"application/wsdl+xml": ["wsdl"],
	"application/wspolicy+xml": ["wspolicy"],
	"application/xaml+xml": ["xaml"],
	"application/xcap-att+xml": ["xav"],
	"application/xcap-caps+xml": ["xca"],
	"application/xcap-diff+xml": ["xdf"],
	"application/xcap-el+xml": ["xel"],
	"application/xcap-ns+xml": ["xns"],
	"application/xenc+xml": ["xenc"],
	"application/xfdf": ["xfdf"],
	"application/xhtml+xml": ["xhtml", "xht"],
	"application/xliff+xml": ["xlf"],
	"application/xml": [
		"xml",
		"xsl",
		"xsd",
		"rng"
	],
	"application/xml-dtd": ["dtd"],
	"application/xop+xml": ["xop"],
	"application/xproc+xml": ["xpl"],
	"application/xslt+xml": ["*xsl", "xslt"],
	"application/xspf+xml": ["xspf"],
	"application/xv+xml": [
		"mxml",
		"xhvml",
		"xvml",
		"xvm"
	],
	"application/yang": ["yang"],
	"application/yin+xml": ["yin"],
	"application/zip": ["zip"],
	"application/zip+dotlottie": ["lottie"],
	"audio/3gpp": ["*3gpp"],
	"audio/aac": ["adts", "aac"],
	"audio/adpcm": ["adp"],
	"audio/amr": ["amr"],
	"audio/basic": ["au", "snd"],
	"audio/midi": [
		"mid",
		"midi",
		"kar",
		"rmi"
	],
	"audio/mobile-xmf": ["mxmf"],
	"audio/mp3": ["*mp3"],
	"audio/mp4": [
		"m4a",
		"mp4a",
		"m4b"
	],
	"audio/mpeg": [
		"mpga",
		"mp2",
		"mp2a",
		"mp3",
		"m2a",
		"m3a"
	],
	"audio/ogg": [
		"oga",
		"ogg",
		"spx",
		"opus"
	],
	"audio/s3m": ["s3m"],
	"audio/silk": ["sil"],
	"audio/wav": ["wav"],
	"audio/wave": ["*wav"],
	"audio/webm": ["weba"],
	"audio/xm": ["xm"],
	"font/collection": ["ttc"],
	"font/otf": ["otf"],
	"font/ttf": ["ttf"],
	"font/woff": ["woff"],
	"font/woff2": ["woff2"],
	"image/aces": ["exr"],
	"image/apng": ["apng"],
	"image/avci": ["avci"],
	"image/avcs": ["avcs"],
	"image/avif": ["avif"],
	"image/bmp": ["bmp", "dib"],
	"image/cgm": ["cgm"],
	"image/dicom-rle": ["drle"],
	"image/dpx": ["dpx"],
	"image/emf": ["emf"],
	"image/fits": ["fits"],
	"image/g3fax": ["g3"],
	"image/gif": ["gif"],
	"image/heic": ["heic"],
	"image/heic-sequence": ["heics"],
	"image/heif": ["heif"],
	"image/heif-sequence": ["heifs"],
	"image/hej2k": ["hej2"],
	"image/ief": ["ief"],
	"image/jaii": ["jaii"],
	"image/jais": ["jais"],
	"image/jls": ["jls"],
	"image/jp2": ["jp2", "jpg2"],
	"image/jpeg": [
		"jpg",
		"jpeg",
		"jpe"
	],
	"image/jph": ["jph"],
	"image/jphc": ["jhc"],
	"image/jpm": ["jpm", "jpgm"],
	"image/jpx": ["jpx", "jpf"],
	"image/jxl": ["jxl"],
	"image/jxr": ["jxr"],
	"image/jxra": ["jxra"],
	"image/jxrs": ["jxrs"],
	"image/jxs": ["jxs"],
	"image/jxsc": ["jxsc"],
	"image/jxsi": ["jxsi"],
	"image/jxss": ["jxss"],
	"image/ktx": ["ktx"],
	"image/ktx2": ["ktx2"],
	"image/pjpeg": ["jfif"],
	"image/png": ["png"],
	"image/sgi": ["sgi"],
	"image/svg+xml": ["svg", "svgz"],
	"image/t38": ["t38"],
	"image/tiff": ["tif", "tiff"],
	"image/tiff-fx": ["tfx"],
	"image/webp": ["webp"],
	"image/wmf": ["wmf"],
	"message/disposition-notification": ["disposition-notification"],
	"message/global": ["u8msg"],
	"message/global-delivery-status": ["u8dsn"],
	"message/global-disposition-notification": ["u8mdn"],
	"message/global-headers": ["u8hdr"],
	"message/rfc822": [
		"eml",
		"mime",
		"mht",
		"mhtml"
	],
	"model/3mf": ["3mf"],
	"model/gltf+json": ["gltf"],
	"model/gltf-binary": ["glb"],
	"model/iges": ["igs", "iges"],
	"model/jt": ["jt"],
	"model/mesh": [
		"msh",
		"mesh",
		"silo"
	],
	"model/mtl": ["mtl"],
	"model/obj": ["obj"],
	"model/prc": ["prc"],
	"model/step": [
		"step",
		"stp",
		"stpnc",
		"p21",
		"210"
	],
	"model/step+xml": ["stpx"],
	"model/step+zip": ["stpz"],
	"model/step-xml+zip": ["stpxz"],
	"model/stl": ["stl"],
	"model/u3d": ["u3d"],
	"model/vrml": ["wrl", "vrml"],
	"model/x3d+binary": ["*x3db", "x3dbz"],
	"model/x3d+fastinfoset": ["x3db"],
	"model/x3d+vrml": ["*x3dv", "x3dvz"],
	"model/x3d+xml": ["x3d", "x3dz"],
	"model/x3d-vrml": ["x3dv"],
	"text/cache-manifest": ["appcache", "manifest"],
	"text/calendar": ["ics", "ifb"],
	"text/coffeescript": ["coffee", "litcoffee"],
	"text/css": ["css"],
	"text/csv": ["csv"],
	"text/html": [
		"html",
		"htm",
		"shtml"
	],
	"text/jade": ["jade"],
	"text/javascript": ["js", "mjs"],
	"text/jsx": ["jsx"],
	"text/less": ["less"],
	"text/markdown": ["md", "markdown"],
	"text/mathml": ["mml"],
	"text/mdx": ["mdx"],
	"text/n3": ["n3"],
	"text/plain": [
		"txt",
		"text",
		"conf",
		"def",
		"list",
		"log",
		"in",
		"ini"
	],
	"text/richtext": ["rtx"],
	"text/rtf": ["*rtf"],
	"text/sgml": ["sgml", "sgm"],
	"text/shex": ["shex"],
	"text/slim": ["slim", "slm"],
	"text/spdx": ["spdx"],
	"text/stylus": ["stylus", "styl"],
	"text/tab-separated-values": ["tsv"],
	"text/troff": [
		"t",
		"tr",
		"roff",
		"man",
		"me",
		"ms"
	],
	"text/turtle": ["ttl"],
	"text/uri-list": [
		"uri",
		"uris",
		"urls"
	],
	"text/vcard": ["vcard"],
	"text/vtt": ["vtt"],
	"text/wgsl": ["wgsl"],
	"text/xml": ["*xml"],
	"text/yaml": ["yaml", "yml"],
	"video/3gpp": ["3gp", "3gpp"],
	"video/3gpp2": ["3g2"],
	"video/h261": ["h261"],
	"video/h263": ["h263"],
	"video/h264": ["h264"],
	"video/iso.segment": ["m4s"],
	"video/jpeg": ["jpgv"],
	"video/jpm": ["*jpm", "*jpgm"],
	"video/mj2": ["mj2", "mjp2"],
	"video/mp2t": [
		"ts",
		"m2t",
		"m2ts",
		"mts"
	],
	"video/mp4": [
		"mp4",
		"mp4v",
		"mpg4"
	],
	"video/mpeg": [
		"mpeg",
		"mpg",
		"mpe",
		"m1v",
		"m2v"
	],
	"video/ogg": ["ogv"],
	"video/quicktime": ["qt", "mov"],
	"video/webm": ["webm"]
};
Object.freeze(types);

// node_modules/effect/dist/http/Mime.js
/**
* Standard MIME type lookup.
*
* @stability unstable
* @since 4.0.0
*/
let tables;
const getTables = () => {
	if (tables !== void 0) return tables;
	const extensionToType = /* @__PURE__ */ new Map();
	const typeToExtension = /* @__PURE__ */ new Map();
	const typeToExtensions = /* @__PURE__ */ new Map();
	for (const [type, extensions] of Object.entries(types)) {
		const allExtensions = /* @__PURE__ */ new Set();
		typeToExtensions.set(type, allExtensions);
		for (let index = 0; index < extensions.length; index++) {
			let extension = extensions[index];
			const starred = extension.startsWith("*");
			if (starred) extension = extension.slice(1);
			allExtensions.add(extension);
			if (index === 0) typeToExtension.set(type, extension);
			if (!starred) extensionToType.set(extension, type);
		}
	}
	tables = {
		extensionToType,
		typeToExtension,
		typeToExtensions
	};
	return tables;
};
/**
* Returns the standard MIME type associated with a file name or extension.
*
* @stability unstable
* @category utilities
* @since 4.0.0
*/
const getType = (path) => {
	if (typeof path !== "string") return none();
	const last = path.replace(/^.*[/\\]/s, "").toLowerCase();
	const extension = last.replace(/^.*\./s, "").toLowerCase();
	const hasPath = last.length < path.length;
	if (!(extension.length < last.length - 1) && hasPath) return none();
	return fromUndefinedOr(getTables().extensionToType.get(extension));
};

// node_modules/effect/dist/http/HttpPlatform.js
/**
* Platform-specific support for serving files as HTTP server responses.
*
* `HttpPlatform` is the boundary between the portable HTTP response model and
* the runtime that knows how to stream bytes from the host platform. Server
* code uses this service when it needs to return local files, static assets,
* downloads, byte ranges, or Web `File`-like values without constructing the
* response body by hand.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Service for platform-specific HTTP response helpers, including file-backed server responses.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var HttpPlatform = class extends (/*#__PURE__*/ Service()("effect/http/HttpPlatform")) {};
/**
* Creates an `HttpPlatform` service from platform-specific file response constructors, using `FileSystem` and `Etag.Generator`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$11 = /*#__PURE__*/ fnUntraced(function* (impl) {
	const fs = yield* FileSystem;
	const etagGen = yield* Generator;
	return HttpPlatform.of({
		platform: impl.platform,
		compression: wrapCompression(impl.compression),
		fileResponse: fnUntraced(function* (path, options) {
			const info = yield* fs.stat(path);
			const etag = yield* etagGen.fromFileInfo(info);
			const requestedOffset = options?.offset === void 0 ? zero : yield* fileResponseSize(options.offset, "offset");
			const offset = requestedOffset > info.size ? info.size : requestedOffset;
			const available = info.size - offset;
			const bytesToRead = options?.bytesToRead !== void 0 ? yield* fileResponseSize(options.bytesToRead, "bytesToRead") : void 0;
			const contentLength = bytesToRead === void 0 || bytesToRead > available ? available : bytesToRead;
			const limit = bytesToRead === void 0 ? void 0 : offset + contentLength;
			const start = yield* fileResponseNumber(offset, "offset");
			const end = limit === void 0 ? void 0 : yield* fileResponseNumber(limit, "end");
			const headers = set(optionHeaders(options), "etag", toString(etag));
			if (isSome(info.mtime)) headers["last-modified"] = info.mtime.value.toUTCString();
			return impl.fileResponse(path, options?.status ?? 200, options?.statusText, headers, start, end, contentLength);
		}),
		fileWebResponse(file, options) {
			return map$1(etagGen.fromFileWeb(file), (etag) => {
				const headers = merge(optionHeaders(options), fromRecordUnsafe({
					etag: toString(etag),
					"last-modified": new Date(file.lastModified).toUTCString()
				}));
				return impl.fileWebResponse(file, options?.status ?? 200, options?.statusText, headers, options);
			});
		}
	});
});
const optionHeaders = (options) => {
	const headers = options?.headers ? fromInput(options.headers) : empty;
	return options?.contentType ? set(headers, "content-type", options.contentType) : headers;
};
const fileResponseSize = (input, field) => {
	const size = fromInput$2(input);
	return isSome(size) ? succeed(size.value) : fail(badArgument({
		module: "HttpPlatform",
		method: "fileResponse",
		description: `Invalid ${field}: ${input}`
	}));
};
const fileResponseNumber = (value, field) => {
	const number = Number(value);
	return Number.isSafeInteger(number) ? succeed(number) : fail(badArgument({
		module: "HttpPlatform",
		method: "fileResponse",
		description: `${field} exceeds the safe integer range: ${value}`
	}));
};
/**
* Provides the default `HttpPlatform` implementation for serving file paths and
* `File`-like values as streamed HTTP responses.
*
* **Details**
*
* The layer uses the `FileSystem` and weak ETag services to add file metadata
* headers such as `etag` and `last-modified`. Missing content types are inferred
* from the file extension.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$17 = /*#__PURE__*/ effect(HttpPlatform)(flatMap(FileSystem, (fs) => make$11({
	platform: "web",
	compression: compressionWeb,
	fileResponse(path, status, statusText, headers, start, end, contentLength) {
		const length = Number(contentLength);
		return stream$2(fs.stream(path, {
			offset: start,
			bytesToRead: end !== void 0 ? end - start : void 0
		}), {
			contentType: headers["content-type"] ?? mimeType(path),
			contentLength: Number.isSafeInteger(length) ? length : void 0,
			headers: set(headers, "content-length", contentLength.toString()),
			status,
			statusText
		});
	},
	fileWebResponse(file, status, statusText, headers, options) {
		const offset = Math.min(Math.max(options?.offset ?? 0, 0), file.size);
		const available = file.size - offset;
		const contentLength = options?.bytesToRead === void 0 ? available : Math.min(Math.max(options.bytesToRead, 0), available);
		const chunkSize = options?.chunkSize !== void 0 ? Math.max(1, options.chunkSize) : Infinity;
		const end = offset + contentLength;
		const stream = end <= offset ? empty$1 : fromReadableStream({
			evaluate: () => file.stream(),
			onError: identity
		}).pipe(mapAccum(() => 0, (position, bytes) => {
			const next = position + bytes.length;
			const start = Math.min(Math.max(offset - position, 0), bytes.length);
			const stop = Math.min(Math.max(end - position, 0), bytes.length);
			const chunks = [];
			for (let index = start; index < stop; index += chunkSize) chunks.push({
				bytes: bytes.subarray(index, Math.min(index + chunkSize, stop)),
				done: next >= end && index + chunkSize >= stop
			});
			return [next, chunks];
		}), takeUntil((chunk) => chunk.done), map$4((chunk) => chunk.bytes));
		return stream$2(stream, {
			contentType: headers["content-type"] ?? (file.type === "" ? mimeType(file.name) : file.type),
			contentLength,
			headers,
			status,
			statusText
		});
	}
}))).pipe(/*#__PURE__*/ provide(layerWeak));
const mimeType = (path) => getOrElse(getType(path), () => "application/octet-stream");

// node_modules/effect/dist/http/HttpEffect.js
/**
* Runs an HTTP server effect, sends the produced response with the supplied handler, and converts failures into HTTP responses.
* On handler failure, the request scope closes with the original cause.
* If the send handler returns an `HttpServerResponse`, such as the `101`
* response of an upgraded request, middleware observes it in place of the
* handler's response.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const toHandled = (self, handleResponse, middleware) => {
	const handleCause = (frame, cause) => {
		frame.cause = cause;
		const request = frame.request;
		return flatMapEager(causeResponse(cause), ([response, cause]) => {
			const fiber = getCurrent();
			reportCauseUnsafe(fiber, cause);
			const handler = frame.preResponseHandler;
			const cont = cause.reasons.length === 0 ? succeed(response) : failCause(cause);
			if (handler === void 0) {
				request[handledSymbol] = true;
				return flatMapEager(handleResponse(request, response), () => cont);
			}
			return flatMapEager(flatMapEager(handler(request, response), (response) => {
				request[handledSymbol] = true;
				return handleResponse(request, response);
			}), () => cont);
		});
	};
	const sendResponse = (frame, response) => {
		const request = frame.request;
		const handler = frame.preResponseHandler;
		if (handler === void 0) {
			request[handledSymbol] = true;
			return mapEager(handleResponse(request, response), (sent) => isHttpServerResponse(sent) ? sent : response);
		}
		return flatMapEager(handler(request, response), (sentResponse) => {
			request[handledSymbol] = true;
			return mapEager(handleResponse(request, sentResponse), (sent) => isHttpServerResponse(sent) ? sent : response);
		});
	};
	const withMiddleware = (frame) => {
		const request = frame.request;
		const responded = matchCauseEffect(self, {
			onSuccess: (response) => sendResponse(frame, response),
			onFailure: (cause) => handleCause(frame, cause)
		});
		return middleware === void 0 ? responded : matchCauseEffect(tracer(middleware(responded)), {
			onFailure(cause) {
				reportCauseUnsafe(getCurrent(), cause);
				if (handledSymbol in request) return void_$1;
				return matchCauseEffectEager(causeResponse(cause), {
					onFailure(_) {
						return handleResponse(request, empty$2({ status: 500 }));
					},
					onSuccess([response]) {
						return handleResponse(request, response);
					}
				});
			},
			onSuccess(response) {
				return handledSymbol in request ? void_$1 : handleResponse(request, response);
			}
		});
	};
	const traced = (frame) => tracer(withMiddleware(frame));
	const finishAfter = (frame, fiber, effect) => onExitPrimitive(effect, (exit) => {
		fiber.setContext(frame.prev);
		if (scopeEjected in frame.scope) return void 0;
		return closeUnsafe(frame.scope, frame.cause === void 0 ? exit : failCause$1(frame.cause));
	}, true);
	class RequestFrame extends RequestState {
		scope;
		prev;
		request;
		cause;
		constructor(scope, prev, request) {
			super();
			this.scope = scope;
			this.prev = prev;
			this.request = request;
		}
		[contA](response, fiber) {
			const sent = sendResponse(this, response);
			if (effectIsExit(sent) && sent._tag === "Success") {
				fiber.setContext(this.prev);
				if (scopeEjected in this.scope) return sent;
				const closed = closeUnsafe(this.scope, sent);
				return closed === void 0 ? sent : flatMap(closed, () => sent);
			}
			return finishAfter(this, fiber, sent);
		}
		[contE](cause, fiber) {
			return finishAfter(this, fiber, handleCause(this, cause));
		}
	}
	return withFiber((fiber) => {
		fiberEnterUninterruptibleUnsafe(fiber);
		const scope = makeUnsafe();
		const frame = new RequestFrame(scope, fiber.context, getUnsafe(fiber.context, HttpServerRequest));
		fiber.setContext(add(add(frame.prev, Scope, scope), CurrentRequestState, frame));
		const currentTracer = fiber.cache.tracer;
		if (middleware === void 0 && (currentTracer === void 0 || currentTracer === nativeTracer || isTracerDisabledUnsafe(fiber, frame.request))) {
			fiber._stack.push(frame);
			return self;
		}
		return finishAfter(frame, fiber, middleware === void 0 ? traced(frame) : withMiddleware(frame));
	});
};
const handledSymbol = /*#__PURE__*/ Symbol.for("effect/http/HttpEffect/handled");
const scopeEjected = /*#__PURE__*/ Symbol.for("effect/http/HttpEffect/scopeEjected");
/**
* Registers an additional pre-response handler for the current HTTP server request.
*
* @stability unstable
* @category handlers
* @since 4.0.0
*/
const appendPreResponseHandler = (handler) => withPreResponseHandler(void_$1, handler);
/**
* Registers a pre-response handler for the HTTP server request that owns the
* supplied fiber context. Does nothing outside a server request.
*
* @stability unstable
* @category unsafe
* @since 4.0.0
*/
const appendPreResponseHandlerUnsafe = appendPreResponseHandlerUnsafe$1;
/**
* Runs an effect after registering a pre-response handler for the current HTTP server request.
*
* @stability unstable
* @category handlers
* @since 4.0.0
*/
const withPreResponseHandler = /*#__PURE__*/ dual(2, (self, handler) => withFiber((fiber) => {
	appendPreResponseHandlerUnsafe(fiber.context, handler);
	return self;
}));

// node_modules/effect/dist/http/HttpClient.js
const TypeId$1 = "~effect/http/HttpClient";
/**
* Service tag for the default outgoing HTTP client service.
*
* **When to use**
*
* Use to provide the default outgoing HTTP client service used by request
* accessors such as `execute`, `get`, and `post`.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const HttpClient = /*#__PURE__*/ Service("effect/HttpClient");
/**
* Transforms a client by applying an effectful transformation to each response effect.
*
* @stability unstable
* @category mapping
* @since 4.0.0
*/
const transformResponse = /*#__PURE__*/ dual(2, (self, f) => makeWith((request) => f(self.postprocess(request)), self.preprocess));
/**
* Constructs an `HttpClient.With` from a preprocessing function and a postprocessing function.
*
* **Details**
*
* `execute` applies preprocessing to the request and then passes the resulting request effect to postprocessing.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const makeWith = (postprocess, preprocess) => {
	const self = Object.create(Proto$1);
	self.preprocess = preprocess;
	self.postprocess = postprocess;
	self.execute = function(request) {
		return postprocess(preprocess(request));
	};
	return self;
};
const Proto$1 = {
	[TypeId$1]: TypeId$1,
	pipe() {
		return pipeArguments(this, arguments);
	},
	...BaseProto,
	toJSON() {
		return { _id: "effect/HttpClient" };
	},
	.../*#__PURE__*/ Object.fromEntries(/*#__PURE__*/ allShort.map(([fullMethod, method]) => [method, function(url, options) {
		return this.execute(make$16(fullMethod)(url, options));
	}]))
};
/**
* Constructs an `HttpClient` from a low-level request runner.
*
* **Details**
*
* The runner receives the request, resolved URL, abort signal, and current fiber. The client wrapper handles URL construction failures, tracing and propagation, header redaction, and aborting non-scoped requests on interruption.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$10 = (f) => makeWith((effect) => flatMap(effect, (request) => withFiber((fiber) => {
	const scopedController = scopedRequests.get(request);
	const controller = scopedController ?? new AbortController();
	const urlResult = make$17(request.url, request.urlParams, getOrUndefined(request.hash));
	if (isFailure$1(urlResult)) return fail(new HttpClientError({ reason: new InvalidUrlError({
		request,
		cause: urlResult.failure
	}) }));
	const url = urlResult.success;
	if (fiber.getRef(DisablePropagation) || fiber.getRef(TracerDisabledWhen)(request)) {
		const effect = f(request, url, controller.signal, fiber);
		if (scopedController) return map$1(effect, (response) => trackResponse(response, controller, true));
		return uninterruptibleMask((restore) => matchCauseEffect(restore(effect), {
			onSuccess(response) {
				return succeed(trackResponse(response, controller, false));
			},
			onFailure(cause) {
				if (hasInterrupts(cause)) controller.abort();
				return failCause(cause);
			}
		}));
	}
	return useSpan(fiber.getRef(SpanNameGenerator)(request), { kind: "client" }, (span) => {
		span.attribute("http.request.method", request.method);
		const redactedHeaderNames = fiber.getRef(CurrentRedactedNames);
		addUrlAttributes(span, url, redactedNames(request.urlParams, fiber.getRef(CurrentRedactedNames$1)));
		const headerFilter = fiber.getRef(TracerHeaderFilter);
		addHeaderAttributes(span, "request", request.headers, headerFilter, redactedHeaderNames);
		request = fiber.getRef(TracerPropagationEnabled) ? setHeaders$1(request, toHeaders(span)) : request;
		return uninterruptibleMask((restore) => restore(f(request, url, controller.signal, fiber)).pipe(withParentSpan(span, { captureStackTrace: false }), matchCauseEffect({
			onSuccess: (response) => {
				span.attribute("http.response.status_code", response.status);
				addHeaderAttributes(span, "response", response.headers, headerFilter, redactedHeaderNames);
				if (response.status >= 400 && response.status < 600) {
					span.attribute("error.type", String(response.status));
					endSpanWithStatusError(fiber, span, request, response);
				}
				return succeed(trackResponse(response, controller, scopedController !== void 0));
			},
			onFailure(cause) {
				if (!scopedController && hasInterrupts(cause)) controller.abort();
				return failCause(cause);
			}
		})));
	});
})), succeed);
const endSpanWithStatusError = (fiber, span, request, response) => {
	const stackTraceLimit = getStackTraceLimit();
	setStackTraceLimit(0);
	let exit;
	try {
		exit = fail$1(new HttpClientError({ reason: new StatusCodeError({
			request,
			response
		}) }));
	} finally {
		setStackTraceLimit(stackTraceLimit);
	}
	span.end(fiber.getRef(TracerTimingEnabled) ? fiber.getRef(Clock).currentTimeNanosUnsafe() : BigInt(0), exit);
};
/**
* Appends a transformation of the request object before sending it.
*
* @stability unstable
* @category mapping
* @since 4.0.0
*/
const mapRequest = /*#__PURE__*/ dual(2, (self, f) => makeWith(self.postprocess, (request) => map$1(self.preprocess(request), f)));
/**
* Context reference for a predicate that disables client-side tracing for matching outgoing requests.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const TracerDisabledWhen = /*#__PURE__*/ Reference("effect/http/HttpClient/TracerDisabledWhen", { defaultValue: () => constFalse });
/**
* Context reference for filtering request and response headers added to client spans.
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
const TracerHeaderFilter = /*#__PURE__*/ Reference("effect/http/HttpClient/TracerHeaderFilter", { defaultValue: () => constFalse });
/**
* Context reference that controls whether outgoing client spans are propagated to request headers.
*
* **Details**
*
* When this is `true`, the client writes the compact B3 `b3` header and the
* W3C `traceparent` header. The default is on. The client span is still
* created when this is `false`.
*
* **Gotchas**
*
* A browser preflight fails when the target does not list `b3` and
* `traceparent` in `Access-Control-Allow-Headers`. Set this to `false` for
* those requests.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const TracerPropagationEnabled = /*#__PURE__*/ Reference("effect/http/HttpClient/TracerPropagationEnabled", { defaultValue: constTrue });
/**
* Context reference for generating the span name used for outgoing client request spans.
*
* **Details**
*
* Defaults to the request method unchanged.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const SpanNameGenerator = /*#__PURE__*/ Reference("effect/http/HttpClient/SpanNameGenerator", { defaultValue: () => (request) => request.method });
/**
* Creates an `HttpClient` layer and merges the layer construction context into client response effects.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerMergedContext = (effect$1) => effect(HttpClient)(contextWith((context) => map$1(effect$1, (client) => transformResponse(client, updateContext((input) => merge$1(context, input))))));
const responseRegistry = /*#__PURE__*/ (() => {
	if ("FinalizationRegistry" in globalThis && globalThis.FinalizationRegistry) {
		const registry = /*#__PURE__*/ new FinalizationRegistry((controller) => {
			try {
				controller.abort();
			} catch {}
		});
		return {
			register(response, controller) {
				registry.register(response, controller, response);
			},
			unregister(response) {
				registry.unregister(response);
			}
		};
	}
	const timers = /*#__PURE__*/ new WeakMap();
	return {
		register(response, controller) {
			timers.set(response, setTimeout(() => controller.abort(), 5e3));
		},
		unregister(response) {
			const timer = timers.get(response);
			if (timer === void 0) return;
			clearTimeout(timer);
			timers.delete(response);
		}
	};
})();
const scopedRequests = /*#__PURE__*/ new WeakMap();
const responseControllers = /*#__PURE__*/ new WeakMap();
const trackResponse = (response, controller, scoped) => {
	if (!scoped) {
		responseRegistry.register(response, controller);
		response = new InterruptibleResponse(response, controller);
	}
	responseControllers.set(response, controller);
	return response;
};
var InterruptibleResponse = class {
	original;
	controller;
	constructor(original, controller) {
		this.original = original;
		this.controller = controller;
	}
	[TypeId$4] = TypeId$4;
	[TypeId$5] = TypeId$5;
	applyInterrupt(effect) {
		return suspend(() => {
			responseRegistry.unregister(this.original);
			return onInterrupt(effect, () => sync(() => {
				this.controller.abort();
			}));
		});
	}
	get request() {
		return this.original.request;
	}
	get url() {
		return this.original.url;
	}
	get status() {
		return this.original.status;
	}
	get headers() {
		return this.original.headers;
	}
	get cookies() {
		return this.original.cookies;
	}
	get remoteAddress() {
		return this.original.remoteAddress;
	}
	get formData() {
		return this.applyInterrupt(this.original.formData);
	}
	get text() {
		return this.applyInterrupt(this.original.text);
	}
	get json() {
		return this.applyInterrupt(this.original.json);
	}
	get urlParamsBody() {
		return this.applyInterrupt(this.original.urlParamsBody);
	}
	get arrayBuffer() {
		return this.applyInterrupt(this.original.arrayBuffer);
	}
	get upgrade() {
		return this.applyInterrupt(this.original.upgrade);
	}
	[WebSourceSymbol]() {
		const source = getWebSource(this.original);
		if (source !== void 0) responseRegistry.unregister(this.original);
		return source;
	}
	get stream() {
		return suspend$1(() => {
			responseRegistry.unregister(this.original);
			return ensuring$1(this.original.stream, sync(() => {
				this.controller.abort();
			}));
		});
	}
	toJSON() {
		return this.original.toJSON();
	}
	[NodeInspectSymbol]() {
		return this.original[NodeInspectSymbol]();
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};

// node_modules/effect/dist/http/HttpServer.js
/**
* Service for serving Effect HTTP responses on a concrete HTTP server.
*
* Platform adapters provide `HttpServer`, and routers or applications consume
* it to run an `HttpServerResponse` effect for each incoming request. The
* service exposes the listening address, while this module also includes helpers
* for address formatting, server logging, and clients that target the current
* server in tests.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Service tag for an HTTP server runtime.
*
* **Details**
*
* The service can serve an HTTP response effect and exposes the address where the
* server is listening.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var HttpServer = class extends (/*#__PURE__*/ Service()("effect/http/HttpServer")) {};
/**
* Constructs an `HttpServer` service from a serving implementation and listening
* address.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$9 = (options) => options;
/**
* Builds an `HttpClient` that sends requests to the current test HTTP server.
*
* **Details**
*
* For internet servers, requests are prefixed with the server URL and unspecified
* addresses are replaced by IPv4 loopback, including dual-stack `::` listeners.
*
* **Gotchas**
*
* Unix socket addresses and scoped IPv6 addresses are not supported.
*
* @stability unstable
* @category testing
* @since 4.0.0
*/
const makeTestClient = /*#__PURE__*/ gen(function* () {
	const server = yield* HttpServer;
	const client = yield* HttpClient;
	const address = server.address;
	if (isUnixPathAddress(address)) return yield* die(/* @__PURE__ */ new Error("HttpServer.layerTestClient: UnixPathAddress not supported"));
	const url = yield* fromResult(toUrl(address)).pipe(orDie);
	if (isUnspecified(address.address)) url.hostname = formatIp(ipv4Loopback);
	return mapRequest(client, prependUrl(url.origin));
});
/**
* Layer that provides the test `HttpClient` created by `makeTestClient`.
*
* @stability unstable
* @category testing
* @since 4.0.0
*/
const layerTestClient = /*#__PURE__*/ effect(HttpClient)(makeTestClient);
/**
* Layer that provides the platform services commonly needed by HTTP
* server tests.
*
* **Details**
*
* It includes `HttpPlatform`, `Path`, a weak ETag generator, and a no-op
* `FileSystem`.
*
* @stability unstable
* @category testing
* @since 4.0.0
*/
const layerServices = /*#__PURE__*/ mergeAll(layer$17, layer$19, layerWeak).pipe(/*#__PURE__*/ provideMerge(/*#__PURE__*/ layerNoop({})));

// node_modules/effect/dist/http/FetchHttpClient.js
/**
* Fetch-based implementation of the Effect HTTP client service.
*
* This module provides an `HttpClient` layer that executes requests through a
* Web Fetch API implementation. It is the transport to use in browsers, edge
* runtimes, and Node.js environments where `globalThis.fetch` is available, or
* anywhere a compatible fetch function can be supplied.
*
* Requests with an `Upgrade` header fail with `TransportError` before anything
* is sent because fetch cannot hand over the connection.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Context reference for the `fetch` implementation used by the fetch-based HTTP client.
*
* **Details**
*
* Defaults to `globalThis.fetch`.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const Fetch = /*#__PURE__*/ Reference("effect/http/FetchHttpClient/Fetch", { defaultValue: () => globalThis.fetch });
/**
* Context reference controlling stream bodies when the runtime does not support streaming requests.
*
* **Details**
*
* Defaults to `"error"`, which fails with an `EncodeError` without sending the
* request. Set to `"buffer"` to collect the entire stream in memory and send it
* as a single body instead. Runtimes with streaming support always send the stream.
*
* **Gotchas**
*
* Buffering keeps the entire upload in memory and can exhaust memory for large
* or unbounded uploads. Support is detected once, on the first stream body sent,
* using the global `Request` implementation even when a custom `Fetch` is provided.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
const StreamBodyFallback = /*#__PURE__*/ Reference("effect/http/FetchHttpClient/StreamBodyFallback", { defaultValue: () => "error" });
/**
* Service that contains default fetch options for the fetch-based HTTP client.
*
* **When to use**
*
* Use to provide default credentials, cache, redirect, integrity, or other
* fetch options for outgoing HTTP requests.
*
* **Details**
*
* Request-specific method, headers, body, and abort signal are supplied by the client when a request is executed.
*
* @see {@link HttpClient.followRedirects} for following redirects in the client, which needs `{ redirect: "manual" }` here
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var RequestInit = class extends (/*#__PURE__*/ Service()("effect/http/FetchHttpClient/RequestInit")) {};
let supportsStreamBody;
const detectStreamBodySupport = () => {
	try {
		let duplexAccessed = false;
		const body = new ReadableStream();
		const request = new Request("https://example.com", {
			method: "POST",
			body,
			get duplex() {
				duplexAccessed = true;
				return "half";
			}
		});
		return (duplexAccessed || request.body === body) && !request.headers.has("Content-Type");
	} catch {
		return false;
	}
};
const fetch = /*#__PURE__*/ make$10((request, url, signal, fiber) => {
	if (request.headers.upgrade !== void 0) return fail(new HttpClientError({ reason: new TransportError({
		request,
		description: "fetch cannot send an HTTP upgrade request"
	}) }));
	const fetch = fiber.getRef(Fetch);
	const options = getOrUndefined$1(fiber.context, RequestInit) ?? {};
	let headers = options.headers ? merge(fromInput(options.headers), request.headers) : request.headers;
	if (headers["content-length"]) headers = remove$1(headers, "content-length");
	let uploadController;
	const stopUpload = sync(() => uploadController?.abort());
	const send = (body) => map$1(tryPromise({
		try: () => fetch(url, {
			...options,
			method: request.method,
			headers,
			body,
			duplex: typeof ReadableStream !== "undefined" && body instanceof ReadableStream ? "half" : void 0,
			signal: uploadController ? AbortSignal.any([signal, uploadController.signal]) : signal
		}),
		catch: (cause) => new HttpClientError({ reason: new TransportError({
			request,
			cause
		}) })
	}), (response) => {
		const original = fromWeb(request, response);
		if (!uploadController) return original;
		if (response.body === null) uploadController.abort();
		return Object.create(original, {
			...Object.fromEntries([
				"arrayBuffer",
				"text",
				"json",
				"formData",
				"urlParamsBody"
			].map((key) => [key, { get: () => ensuring(original[key], stopUpload) }])),
			stream: { get: () => ensuring$1(original.stream, stopUpload) }
		});
	}).pipe(onError(() => stopUpload));
	switch (request.body._tag) {
		case "Raw":
		case "Uint8Array": return send(request.body.body);
		case "FormData": return send(request.body.formData);
		case "Stream":
			supportsStreamBody ??= detectStreamBodySupport();
			if (supportsStreamBody) {
				uploadController = new AbortController();
				const uploadSignal = AbortSignal.any([signal, uploadController.signal]);
				const stopped = callback((resume) => {
					const onAbort = () => resume(interrupt);
					if (uploadSignal.aborted) {
						onAbort();
						return;
					}
					uploadSignal.addEventListener("abort", onAbort, { once: true });
					return sync(() => uploadSignal.removeEventListener("abort", onAbort));
				});
				return flatMap(toReadableStreamEffect(interruptWhen(request.body.stream, stopped)), send);
			}
			if (fiber.getRef(StreamBodyFallback) === "error") return fail(new HttpClientError({ reason: new EncodeError({
				request,
				description: "Streaming request bodies are not supported in this runtime"
			}) }));
			return mkArrayBuffer(request.body.stream).pipe(mapError((cause) => new HttpClientError({ reason: new EncodeError({
				request,
				cause
			}) })), flatMap(send));
	}
	return send(void 0);
});
/**
* Layer that provides an `HttpClient` implementation backed by the configured
* `Fetch` function.
*
* **When to use**
*
* Use when an Effect program should execute `HttpClient` requests through the
* platform `fetch` implementation, especially in browser, edge, or Node.js
* runtimes with `globalThis.fetch`.
*
* **Details**
*
* The layer uses the current `Fetch` reference and optional `RequestInit`
* service for each request. Request-specific method, headers, body, and abort
* signal are supplied by the client and override matching `RequestInit` fields.
*
* **Gotchas**
*
* Fetch behavior comes from the runtime's implementation, so CORS, cookies,
* redirects, abort handling, and streaming support can vary by platform.
* `fetch` follows redirects itself by default, so `HttpClient.followRedirects`
* has no effect unless `RequestInit` sets `redirect: "manual"`. Trace
* propagation is on by default, and a browser preflight fails unless the
* target allows `b3` and `traceparent`. Stream request bodies are sent as Web
* streams with `duplex: "half"` when the runtime supports it; see
* `StreamBodyFallback` for the unsupported case. Any `content-length` header is
* removed before calling `fetch`. Chrome passes the support check but rejects
* streaming uploads over HTTP/1.1, which surfaces as a `TransportError`, and
* browsers only deliver the response after the entire request body has been sent.
*
* @see {@link Fetch} for supplying the fetch implementation used by this layer
* @see {@link RequestInit} for default `RequestInit` options applied before request-specific fields
* @see {@link StreamBodyFallback} for opting into buffering on unsupported runtimes
* @see {@link HttpClient.TracerPropagationEnabled} for leaving `b3` and `traceparent` off a browser request
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$16 = /*#__PURE__*/ layerMergedContext(/*#__PURE__*/ succeed(fetch));

// node_modules/@effect/platform-node/dist/internal/http.js
const require$1 = /*#__PURE__*/ createRequire(typeof __filename === "string" ? __filename : import.meta.url);
const http = /*#__PURE__*/ require$1("node:http");

// node_modules/@effect/platform-node-shared/dist/NodeSocket.js
/**
* Node socket adapters for Effect sockets.
*
* This module opens `node:net` or `node:tls` connections, or wraps existing
* Node `Duplex` streams, and presents them as `Socket.Socket` values, socket
* channels, or layers. It also exposes the `NetSocket` service tag for the
* underlying Node socket.
*
* @stability unstable
* @since 4.0.0
*/
const isDeno = "Deno" in globalThis;
const readAvailable = (conn, chunkSize) => {
	const first = conn.read();
	if (first === null) return void 0;
	const out = [first];
	let chunk;
	while (out.length < chunkSize && (chunk = conn.read()) !== null) out.push(chunk);
	return out;
};
const toBuffers = (input) => map$2(ensure(input), (value) => Buffer$1.from(value));
/**
* Adapts a Node `Duplex` into a `Socket.Socket`.
*
* **Details**
*
* Reader acquisition opens the duplex and keeps it paused: each pull reads at
* most `chunkSize` chunks (default 4096) with `stream.read()`. On Node 26+ that
* yields each buffered chunk as a separate batch element with no copy. Earlier Node
* concatenates the buffer into one chunk. The stream is never resumed, so once
* Node's buffer reaches its `highWaterMark` the kernel receive window closes
* and the peer blocks: backpressure is end-to-end with no buffering above
* Node's own.
*
* Writes use `write()` return-value backpressure, awaiting one `drain` when
* the internal buffer is full. `writeAll` corks the stream around the batch.
* Releasing the writer scope half-closes the stream (`end()`).
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromDuplex$1 = (open, options) => withFiber((fiber) => {
	let currentSocket;
	const latch = makeUnsafe$3(false);
	const openServices = fiber.context;
	const isServer = options?.tlsServer === true;
	const requestedChunkSize = options?.chunkSize ?? 4096;
	const chunkSize = requestedChunkSize === Infinity || Number.isSafeInteger(requestedChunkSize) && requestedChunkSize > 0 ? requestedChunkSize : 4096;
	const secureEvent = isServer ? "secure" : "secureConnect";
	const reader = gen(function* () {
		const scope$5 = yield* scope;
		let conn = yield* provide$1(open, scope$5).pipe(options?.openTimeout !== void 0 ? timeoutOrElse({
			duration: options.openTimeout,
			orElse: () => fail(new SocketError({ reason: new SocketOpenError({
				kind: "Timeout",
				cause: /* @__PURE__ */ new Error("Connection timed out")
			}) }))
		}) : identity);
		let error;
		let waiter;
		let pending;
		let reading = false;
		let closed = false;
		let upgradeAvailable = true;
		function drain() {
			if (waiter === void 0 || reading) return;
			let chunk = pending;
			pending = void 0;
			if (chunk === void 0 && !closed) {
				reading = true;
				try {
					chunk = readAvailable(conn, chunkSize);
				} finally {
					reading = false;
				}
			}
			if (closed) chunk = void 0;
			if (waiter === void 0) {
				pending = chunk;
				return;
			}
			const result = chunk !== void 0 ? succeed(chunk) : error !== void 0 ? fail(error) : void 0;
			if (result === void 0) return;
			const resume = waiter;
			waiter = void 0;
			resume(result);
		}
		function end(err) {
			error ??= err;
			drain();
		}
		function close(err) {
			error ??= err;
			closed = true;
			pending = void 0;
			drain();
		}
		function onEnd() {
			end(new SocketError({ reason: new SocketCloseError({ code: 1e3 }) }));
		}
		function onError(cause) {
			close(new SocketError({ reason: new SocketReadError({ cause }) }));
		}
		function onClose(hadError) {
			const err = new SocketError({ reason: new SocketCloseError({ code: hadError ? 1006 : 1e3 }) });
			if (hadError) close(err);
			else end(err);
		}
		function attachReadListeners(conn) {
			conn.on("readable", drain);
			conn.on("end", onEnd);
			conn.on("error", onError);
			conn.on("close", onClose);
		}
		function detachReadListeners(conn) {
			conn.off("readable", drain);
			conn.off("end", onEnd);
			conn.off("error", onError);
			conn.off("close", onClose);
		}
		if (!isDeno) conn.pause();
		attachReadListeners(conn);
		yield* addFinalizer(scope$5, sync(() => {
			close(new SocketError({ reason: new SocketCloseError({ code: 1006 }) }));
			detachReadListeners(conn);
			latch.closeUnsafe();
			currentSocket = void 0;
			upgradeAvailable = false;
		}));
		currentSocket = conn;
		latch.openUnsafe();
		const pull = callback((resume) => {
			waiter = resume;
			drain();
			if (waiter !== resume) return;
			return sync(() => {
				if (waiter === resume) waiter = void 0;
			});
		});
		const upgrade = (upgradeOptions = {}) => suspend(() => {
			if (!upgradeAvailable) return fail(new SocketError({ reason: new SocketUpgradeError({ cause: /* @__PURE__ */ new Error("socket is already upgraded or closed") }) }));
			const hasKey = upgradeOptions.key !== void 0;
			const hasCert = upgradeOptions.cert !== void 0;
			if (isServer && (!hasKey || !hasCert) || hasKey !== hasCert) return fail(new SocketError({ reason: new SocketUpgradeError({ cause: /* @__PURE__ */ new Error(isServer ? "server TLS upgrade requires both key and cert" : "TLS upgrade credentials must include both key and cert") }) }));
			return callback((resume) => {
				const raw = conn;
				detachReadListeners(raw);
				let tls;
				try {
					const tlsOptions = {
						secureContext: Tls.createSecureContext({
							key: upgradeOptions.key === void 0 ? void 0 : map$2(ensure(upgradeOptions.key), (value$2) => Buffer$1.from(value(value$2))),
							cert: upgradeOptions.cert === void 0 ? void 0 : toBuffers(upgradeOptions.cert),
							ca: upgradeOptions.ca === void 0 ? void 0 : toBuffers(upgradeOptions.ca),
							passphrase: upgradeOptions.passphrase === void 0 ? void 0 : value(upgradeOptions.passphrase)
						}),
						ALPNProtocols: upgradeOptions.alpnProtocols === void 0 ? void 0 : [...upgradeOptions.alpnProtocols],
						requestCert: upgradeOptions.requestCert,
						rejectUnauthorized: upgradeOptions.rejectUnauthorized
					};
					tls = isServer ? new Tls.TLSSocket(raw, {
						...tlsOptions,
						isServer: true
					}) : Tls.connect({
						...tlsOptions,
						servername: upgradeOptions.servername,
						socket: raw
					});
				} catch (cause) {
					attachReadListeners(raw);
					resume(fail(new SocketError({ reason: new SocketUpgradeError({ cause }) })));
					return;
				}
				conn = tls;
				currentSocket = tls;
				tls.pause();
				function cleanup() {
					tls.off(secureEvent, succeed);
					tls.off("error", failUpgrade);
					tls.off("close", onUpgradeClose);
				}
				function succeed() {
					cleanup();
					upgradeAvailable = false;
					attachReadListeners(tls);
					resume(void_$1);
				}
				function failUpgrade(cause) {
					cleanup();
					const upgradeError = new SocketError({ reason: new SocketUpgradeError({ cause }) });
					close(upgradeError);
					resume(fail(upgradeError));
				}
				function onUpgradeClose() {
					failUpgrade(/* @__PURE__ */ new Error("socket closed during TLS upgrade"));
				}
				tls.once(secureEvent, succeed);
				tls.once("error", failUpgrade);
				tls.once("close", onUpgradeClose);
				return sync(() => {
					cleanup();
					close(new SocketError({ reason: new SocketCloseError({ code: 1006 }) }));
					tls.destroy();
				});
			});
		});
		return {
			pull,
			upgrade
		};
	}).pipe(updateContext((input) => merge$1(openServices, input)));
	const awaitDrain = (conn) => callback((resume) => {
		function cleanup() {
			conn.off("drain", onDrain);
			conn.off("error", onError);
			conn.off("close", onClose);
		}
		function onDrain() {
			cleanup();
			resume(void_$1);
		}
		function onError(cause) {
			cleanup();
			resume(fail(new SocketError({ reason: new SocketWriteError({ cause }) })));
		}
		function onClose() {
			cleanup();
			resume(fail(new SocketError({ reason: new SocketWriteError({ cause: /* @__PURE__ */ new Error("socket closed") }) })));
		}
		conn.on("drain", onDrain);
		conn.on("error", onError);
		conn.on("close", onClose);
		return sync(cleanup);
	});
	const write = (chunk) => suspend(() => {
		const conn = currentSocket;
		if (conn === void 0) return latch.whenOpen(write(chunk));
		if (isCloseEvent(chunk)) {
			conn.destroy(chunk.code > 1e3 ? /* @__PURE__ */ new Error(`closed with code ${chunk.code}`) : void 0);
			return void_$1;
		}
		try {
			return conn.write(chunk) ? void_$1 : awaitDrain(conn);
		} catch (cause) {
			return fail(new SocketError({ reason: new SocketWriteError({ cause }) }));
		}
	});
	const writeAll = (chunks) => suspend(() => {
		const conn = currentSocket;
		if (conn === void 0) return latch.whenOpen(writeAll(chunks));
		let needsDrain = false;
		try {
			if (chunks.length === 1) needsDrain = !conn.write(chunks[0]);
			else {
				conn.cork();
				try {
					for (let i = 0; i < chunks.length; i++) needsDrain = !conn.write(chunks[i]) || needsDrain;
				} finally {
					conn.uncork();
				}
			}
		} catch (cause) {
			return fail(new SocketError({ reason: new SocketWriteError({ cause }) }));
		}
		return needsDrain ? awaitDrain(conn) : void_$1;
	});
	const writer = acquireRelease(succeed({
		write,
		writeAll
	}), () => sync(() => {
		if (!currentSocket || currentSocket.writableEnded) return;
		currentSocket.end();
	}));
	return succeed(make$20({
		reader,
		writer
	}));
});

// node_modules/@effect/platform-node/dist/internal/upgrade.js
/**
* Wraps an upgraded connection. Acquiring the reader runs `open`; releasing
* its scope closes the connection.
*
* No `data` listener is attached before acquisition, so early bytes stay buffered.
*
* @internal
*/
const toSocket = (conn, open = void_$1) => fromDuplex$1(acquireRelease(suspend(() => conn.destroyed ? fail(openError("The upgraded connection closed before it was read")) : as(open, conn)), (conn) => sync(() => {
	if (conn.destroyed) return;
	if ("destroySoon" in conn) conn.destroySoon();
	else conn.destroy();
})));
const openError = (cause) => new SocketError({ reason: new SocketOpenError({
	kind: "Unknown",
	cause: typeof cause === "string" ? new Error(cause) : cause
}) });
/**
* Node 25 and older stop parsing at the head of an upgrade request, leaving
* the body in `head` and on the connection. Reads a `Content-Length` body
* from them on demand and returns the bytes after it.
*
* @internal
*/
const frameBody = (conn, head, length) => {
	if (head.length >= length) return {
		body: Readable.from(length === 0 ? [] : [head.subarray(0, length)], { objectMode: false }),
		rest: head.subarray(length)
	};
	let remaining = length - head.length;
	let reading = false;
	const stop = () => {
		conn.off("readable", onReadable);
		conn.off("end", onEnd);
	};
	const onReadable = () => {
		while (remaining > 0) {
			let chunk = conn.read();
			if (chunk === null) return;
			if (chunk.length > remaining) {
				conn.unshift(chunk.subarray(remaining));
				chunk = chunk.subarray(0, remaining);
			}
			remaining -= chunk.length;
			if (!body.push(chunk) && remaining > 0) return;
		}
		stop();
		body.push(null);
	};
	const onEnd = () => {
		stop();
		body.destroy(/* @__PURE__ */ new Error("The connection closed before the request body ended"));
	};
	const body = new Readable({
		read() {
			if (reading) return onReadable();
			reading = true;
			if (head.length > 0) this.push(head);
			if (conn.readableEnded) return onEnd();
			conn.on("readable", onReadable);
			conn.on("end", onEnd);
		},
		destroy(error, callback) {
			stop();
			callback(error);
		}
	});
	body.on("error", () => {});
	return {
		body,
		rest: Buffer.alloc(0)
	};
};
/**
* Waits for the request body to end before the `101` is written, discarding
* any of it the handler did not read, up to `maxBytes`.
*
* @internal
*/
const drainBody = (body, maxBytes) => callback((resume) => {
	if (body.readableEnded) return resume(void_$1);
	let bytes = 0;
	const cleanup = finished(body, {
		readable: true,
		writable: false
	}, (error) => {
		done();
		resume(error ? fail(openError(error)) : void_$1);
	});
	function onData(chunk) {
		bytes += chunk.length;
		if (maxBytes !== void 0 && bytes > maxBytes) {
			done();
			resume(fail(openError("The request body exceeds the maximum body size")));
		}
	}
	function done() {
		body.off("data", onData);
		cleanup();
	}
	body.on("data", onData);
	body.resume();
	return sync(done);
});

// node_modules/@effect/platform-node-shared/dist/internal/stream.js
const destroyStream = (stream, cleanup, onDestroyed) => {
	if (!("closed" in stream)) {
		cleanup();
		onDestroyed?.();
		return;
	}
	const onDone = () => {
		clearImmediate(immediate);
		stream.off("error", onDone);
		stream.off("close", onDone);
		onDestroyed?.();
	};
	const onClosed = () => {
		if (stream.closed) onDone();
		else {
			immediate = setImmediate(onClosed);
			if (!onDestroyed) immediate.unref();
		}
	};
	let immediate = setImmediate(onClosed);
	if (!onDestroyed) immediate.unref();
	stream.once("error", onDone);
	stream.once("close", onDone);
	cleanup();
	if (!stream.closed) stream.destroy();
};

// node_modules/@effect/platform-node-shared/dist/NodeSink.js
/**
* Creates a `Sink` that writes chunks to a Node writable stream, respecting
* backpressure and mapping writable errors with `onError`. Unless `endOnDone`
* is `false`, the writable is ended on completion and destroyed on upstream
* failure or interruption.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromWritable = (options) => fromChannel$1(mapDone(fromWritableChannel(options), (_) => [_]));
/**
* Creates a `Channel` that pulls chunks from upstream and writes them to a
* Node writable stream, respecting backpressure. Unless `endOnDone` is
* `false`, the writable is ended when upstream is done and destroyed on
* upstream failure or interruption.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromWritableChannel = (options) => fromTransform((pull) => {
	const writable = options.evaluate();
	const write = pullIntoWritable({
		...options,
		writable,
		pull
	});
	return succeed(options.endOnDone === false ? write : onError(write, (cause) => isDoneCause(cause) ? void_$1 : releaseWritable(writable)));
});
const releaseWritable = (writable) => callback((resume) => {
	const onDestroyed = () => resume(void_$1);
	if (writable.closed) {
		const cleanup = finished(writable, { readable: false }, () => {
			cleanup();
			onDestroyed();
		});
	} else destroyStream(writable, constVoid, onDestroyed);
});
/**
* Writes Effect chunks into a Node writable stream.
*
* **When to use**
*
* Use to implement custom Node stream adapters that already have an upstream
* pull and need direct control over a writable stream.
*
* **Details**
*
* The loop waits for `drain` when needed, fails on writable errors, and ends
* the writable on upstream completion unless `endOnDone` is `false`.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const pullIntoWritable = (options) => withFiber((fiber) => {
	const dispatcher = fiber.currentDispatcher;
	const completion = makeUnsafe$1();
	const failure = makeUnsafe$1();
	const onError = (error) => doneUnsafe(failure, failSync(() => options.onError(error)));
	let errorEmitted = false;
	const onStreamError = (error) => {
		errorEmitted = true;
		onError(error);
	};
	options.writable.on("error", onStreamError);
	const cleanup = finished(options.writable, { readable: false }, (error) => {
		if (error) onError(error);
		else doneUnsafe(completion, void_$1);
	});
	return options.pull.pipe(flatMap((chunk) => {
		let i = 0;
		return callback((resume) => {
			let cancelled = false;
			const onFinish = () => dispatcher.scheduleTask(loop, 0);
			const loop = () => {
				options.writable.off("drain", loop);
				options.writable.off("finish", onFinish);
				for (; i < chunk.length;) {
					if (cancelled) return;
					if (!options.writable.write(chunk[i++], options.encoding, (error) => {
						if (!error) return;
						if (options.writable.closed) onError(error);
						else dispatcher.scheduleTask(() => onError(error), 0);
					})) {
						if (!cancelled) {
							options.writable.once("drain", loop);
							options.writable.once("finish", onFinish);
						}
						return;
					}
				}
				if (!cancelled) resume(void_$1);
			};
			loop();
			return sync(() => {
				cancelled = true;
				options.writable.off("drain", loop);
				options.writable.off("finish", onFinish);
			});
		});
	}), forever({ disableYield: true }), options.endOnDone !== false ? catchDone((_) => {
		options.writable.end();
		return andThen(_await(completion), done(_));
	}) : identity, raceFirst(_await(failure)), ensuring(sync(() => {
		cleanup();
		const removeErrorListener = () => {
			options.writable.off("error", onStreamError);
			options.writable.off("error", removeErrorListener);
			options.writable.off("close", removeErrorListener);
		};
		if (options.writable.errored && !options.writable.closed && !errorEmitted) {
			options.writable.once("error", removeErrorListener);
			options.writable.once("close", removeErrorListener);
		} else removeErrorListener();
	})));
});

// node_modules/@effect/platform-node-shared/dist/NodeStream.js
/**
* Adapters between Node streams and Effect streams, channels, and readables.
*
* This module is the stream boundary for Node APIs. It wraps `Readable` and
* `Duplex` values as Effect `Stream`s and `Channel`s, pipes Effect streams
* through Node duplex streams, exposes an Effect `Stream` back to Node as a
* `Readable`, and collects readable payloads into strings, array buffers, or
* `Uint8Array`s with optional byte limits.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Error indicating that a buffered Node stream exceeded its byte limit.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var MaxBytesError = class extends Error {
	_tag = "MaxBytesError";
	maxBytes;
	constructor(maxBytes) {
		super("maxBytes exceeded");
		this.maxBytes = maxBytes;
	}
};
/**
* Converts a Node readable stream into an Effect `Stream`, reading chunks with
* independent read sizes and batch limits, mapping stream errors with `onError`,
* and destroying the readable on completion unless `closeOnDone` is `false`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromReadable = (options) => fromChannel(fromReadableChannel(options));
/**
* Creates a `Channel` that pulls chunks from a Node readable stream, mapping
* errors with `onError` and destroying the readable on completion unless
* `closeOnDone` is `false`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromReadableChannel = (options) => fromTransform((_, scope) => readableToPullUnsafe({
	scope,
	readable: options.evaluate(),
	onError: options.onError ?? defaultOnError,
	chunkSize: options.chunkSize,
	readSize: options.readSize,
	closeOnDone: options.closeOnDone
}));
/**
* Creates a `Channel` over a Node `Duplex`, writing upstream chunks with
* backpressure while emitting chunks read from the duplex and optionally ending
* the writable side when upstream completes.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const fromDuplex = (options) => fromTransform((upstream, scope) => {
	const duplex = options.evaluate();
	const exit = make$18(void 0);
	const latch = makeUnsafe$3(false);
	return pullIntoWritable({
		pull: upstream,
		writable: duplex,
		onError: options.onError ?? defaultOnError,
		endOnDone: options.endOnDone,
		encoding: options.encoding
	}).pipe(catchCause((cause) => {
		if (isDoneCause(cause)) return void_$1;
		exit.current = failCause$1(cause);
		latch.openUnsafe();
		return void_$1;
	}), forkIn(scope), flatMap(() => readableToPullUnsafe({
		scope,
		exit,
		latch,
		readable: duplex,
		onError: options.onError ?? defaultOnError,
		chunkSize: options.chunkSize,
		readSize: options.readSize
	})));
});
/**
* Pipes an Effect `Stream` through a Node `Duplex`, writing the stream's
* chunks to the duplex and emitting chunks read back from it.
*
* @stability unstable
* @category combinators
* @since 4.0.0
*/
const pipeThroughDuplex = /*#__PURE__*/ dual(2, (self, options) => pipeThroughChannelOrFail(self, fromDuplex(options)));
/**
* Consumes a Node readable stream into an `ArrayBuffer`, failing through
* `onError` on stream errors or when `maxBytes` is exceeded and destroying the
* stream on interruption or failure.
* Set `destroyOnOverflow` to `false` to drain the remaining data instead of
* destroying the stream when the byte limit is exceeded.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toArrayBuffer = (readable, options) => {
	const maxBytesNumber = toMaxBytes(options?.maxBytes);
	const onError = options?.onError ?? defaultOnError;
	return callback((resume) => {
		const stream = readable();
		const buffers = [];
		let bytes = 0;
		const cleanup = finished(stream, {
			readable: true,
			writable: false
		}, (err) => {
			stream.off("data", onData);
			if (err) {
				destroyStream(stream, cleanup);
				return resume(fail(onError(err)));
			}
			cleanup();
			const buffer = buffers.length === 1 ? buffers[0] : Buffer.concat(buffers);
			if (buffer.byteOffset === 0 && buffer.buffer.byteLength === buffer.byteLength) return resume(succeed(buffer.buffer));
			resume(succeed(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength)));
		});
		function onData(chunk) {
			buffers.push(chunk);
			bytes += chunk.length;
			if (maxBytesNumber !== void 0 && bytes > maxBytesNumber) {
				stream.off("data", onData);
				if (options?.destroyOnOverflow === false) drainReadable(stream, cleanup);
				else destroyStream(stream, cleanup);
				resume(fail(onError(new MaxBytesError(maxBytesNumber))));
			}
		}
		stream.on("data", onData);
		return sync(() => {
			stream.off("data", onData);
			destroyStream(stream, cleanup);
		});
	});
};
/**
* Consumes a Node readable stream into a `Uint8Array`, using the same error
* mapping and `maxBytes` handling as `toArrayBuffer`.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const toUint8Array = (readable, options) => map$1(toArrayBuffer(readable, options), (buffer) => new Uint8Array(buffer));
const drainReadable = (stream, cleanup) => {
	cleanup();
	const done = finished(stream, {
		readable: true,
		writable: false
	}, () => done());
	stream.resume();
};
const readableToPullUnsafe = (options) => {
	const readable = options.readable;
	const chunkSize = options.chunkSize ?? 4096;
	const closeOnDone = options.closeOnDone ?? true;
	const exit = options.exit ?? make$18(void 0);
	const latch = options.latch ?? makeUnsafe$3(false);
	function onReadable() {
		latch.openUnsafe();
	}
	readable.on("readable", onReadable);
	const cleanup = finished(readable, {
		readable: true,
		writable: false
	}, (error) => {
		exit.current ??= fail$1(error ? options.onError(error) : Done());
		latch.openUnsafe();
	});
	const pull = suspend(function loop() {
		let item = options.readable.read(options.readSize);
		if (item === null) {
			if (exit.current) return exit.current;
			if (readable.readableEnded) return fail(Done());
			latch.closeUnsafe();
			return flatMap(latch.await, loop);
		}
		const chunk = of(item);
		while (chunk.length < chunkSize) {
			item = options.readable.read(options.readSize);
			if (item === null) break;
			chunk.push(item);
		}
		return succeed(chunk);
	});
	return as(addFinalizer(options.scope, sync(() => {
		readable.off("readable", onReadable);
		if (closeOnDone) destroyStream(readable, cleanup);
		else cleanup();
	})), pull);
};
const defaultOnError = (error) => new UnknownError(error);
const toMaxBytes = (maxBytes) => maxBytes === void 0 || maxBytes === Infinity ? void 0 : Number(fromInputUnsafe$1(maxBytes));

// node_modules/@effect/platform-node/dist/NodeHttpIncomingMessage.js
/**
* Adapter base for exposing Node `http.IncomingMessage` values as Effect HTTP
* incoming messages.
*
* Server requests and Node client responses both arrive as Node readable
* streams with raw header objects, socket metadata, and one-shot body
* consumption. This module's `NodeHttpIncomingMessage` class keeps the original
* Node message available while presenting Effect's `HttpIncomingMessage` shape:
* typed headers, remote address lookup, stream access, and text, JSON,
* URL-encoded, and array-buffer body readers.
*
* @stability unstable
* @since 4.0.0
*/
const textDecoder = /*#__PURE__*/ new TextDecoder();
const formDecoder = /*#__PURE__*/ new TextDecoder("utf-8", { ignoreBOM: true });
/**
* Adapts a Node `IncomingMessage` to Effect HTTP incoming messages.
*
* **When to use**
*
* Use to implement Node HTTP request or response adapters that expose the
* Effect HTTP incoming-message interface.
*
* **Details**
*
* The adapter exposes headers, remote address, stream access, and cached body
* decoders. Subclasses provide the error mapping for unknown Node errors.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
var NodeHttpIncomingMessage = class extends Class {
	/**
	* Marks this value as an HTTP incoming message for runtime guards.
	*
	* @since 4.0.0
	*/
	[TypeId$5];
	source;
	onError;
	remoteAddressOverride;
	destroyOnOverflow = true;
	closeOnDone = true;
	constructor(source, onError, remoteAddressOverride) {
		super();
		this[TypeId$5] = TypeId$5;
		this.source = source;
		this.onError = onError;
		this.remoteAddressOverride = remoteAddressOverride;
	}
	get headers() {
		return fromInput(this.source.headers);
	}
	get remoteAddress() {
		return this.remoteAddressOverride ?? fromNullishOr(this.source.socket?.remoteAddress);
	}
	textEffect;
	get text() {
		if (this.textEffect) return this.textEffect;
		this.textEffect = map$1(this.arrayBuffer, (_) => textDecoder.decode(_));
		return this.textEffect;
	}
	get textUnsafe() {
		return runSync(this.text);
	}
	get json() {
		return flatMap(this.text, (text) => try_({
			try: () => text === "" ? null : JSON.parse(text),
			catch: this.onError
		}));
	}
	get jsonUnsafe() {
		return runSync(this.json);
	}
	get urlParamsBody() {
		return flatMap(this.arrayBuffer, (bytes) => try_({
			try: () => fromInput$1(new URLSearchParams(formDecoder.decode(bytes).replace(/^\?/, "%3F"))),
			catch: this.onError
		}));
	}
	/**
	* The readable the body is read from, `source` unless a subclass reads the
	* body from elsewhere.
	*/
	get bodySource() {
		return this.source;
	}
	get stream() {
		return fromReadable({
			evaluate: () => this.bodySource,
			onError: this.onError,
			closeOnDone: this.closeOnDone
		});
	}
	arrayBufferEffect;
	get arrayBuffer() {
		if (this.arrayBufferEffect) return this.arrayBufferEffect;
		this.arrayBufferEffect = withFiber((fiber) => toArrayBuffer(() => this.bodySource, {
			onError: this.onError,
			destroyOnOverflow: this.destroyOnOverflow,
			maxBytes: fiber.getRef(MaxBodySize)
		})).pipe(cached, runSync);
		this.textEffect = map$1(this.arrayBufferEffect, (_) => textDecoder.decode(_));
		return this.arrayBufferEffect;
	}
};

// node_modules/@effect/platform-node-shared/dist/NodeHttpCompression.js
/**
* HTTP response compression backed by `node:zlib`, shared by the Node.js, Bun,
* and Deno platforms.
*
* Byte-array bodies are compressed in one shot with the asynchronous
* `node:zlib` APIs, preserving an exact `Content-Length`. Streaming bodies go
* through `node:zlib` transform streams that flush each input chunk.
*
* @stability unstable
* @since 4.0.0
*/
/**
* The compression algorithms supported by the runtime's `node:zlib`. `zstd`
* requires Node.js 22.15 or newer.
*
* @stability unstable
* @category constants
* @since 4.0.0
*/
const algorithms = /*#__PURE__*/ new Set(typeof Zlib.zstdCompress === "function" ? [
	"gzip",
	"deflate",
	"br",
	"zstd"
] : [
	"gzip",
	"deflate",
	"br"
]);
const brotliParams = (level, sizeHint) => {
	const params = {};
	if (level !== void 0) params[Zlib.constants.BROTLI_PARAM_QUALITY] = level;
	if (sizeHint !== void 0) params[Zlib.constants.BROTLI_PARAM_SIZE_HINT] = sizeHint;
	return { params };
};
const zstdParams = (level) => level === void 0 || level === 3 ? void 0 : { params: { [Zlib.constants.ZSTD_c_compressionLevel]: level } };
const compress = (data, algorithm, options) => callback((resume) => {
	const complete = (error, result) => resume(error === null ? succeed(result) : die(error));
	switch (algorithm) {
		case "gzip":
			Zlib.gzip(data, { level: options?.level }, complete);
			break;
		case "deflate":
			Zlib.deflate(data, { level: options?.level }, complete);
			break;
		case "br":
			Zlib.brotliCompress(data, brotliParams(options?.level, data.byteLength), complete);
			break;
		case "zstd": {
			const params = zstdParams(options?.level);
			if (params === void 0) Zlib.zstdCompress(data, complete);
			else Zlib.zstdCompress(data, params, complete);
			break;
		}
	}
});
/**
* Creates a `Compression` that compresses byte-array bodies in one shot with
* the asynchronous `node:zlib` APIs, setting the exact `Content-Length` of the
* compressed body. All other bodies are delegated to `fallback`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$8 = (fallback) => ({
	algorithms: fallback.algorithms,
	compressResponse(response, algorithm, options) {
		const body = response.body;
		if (body._tag !== "Uint8Array") return fallback.compressResponse(response, algorithm, options);
		return map$1(compress(body.body, algorithm, options), (result) => setHeader(setBody(response, uint8Array(result, response.headers["content-type"] ?? body.contentType)), "content-length", result.byteLength.toString()));
	}
});
/**
* Creates a `node:zlib` compression transform stream that flushes each input
* chunk, for streaming response bodies.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const compressTransform = (algorithm, options) => {
	switch (algorithm) {
		case "gzip": return Zlib.createGzip({
			level: options?.level,
			flush: Zlib.constants.Z_SYNC_FLUSH
		});
		case "deflate": return Zlib.createDeflate({
			level: options?.level,
			flush: Zlib.constants.Z_SYNC_FLUSH
		});
		case "br": return Zlib.createBrotliCompress({
			...brotliParams(options?.level),
			flush: Zlib.constants.BROTLI_OPERATION_FLUSH
		});
		case "zstd": return Zlib.createZstdCompress({
			...zstdParams(options?.level),
			flush: Zlib.constants.ZSTD_e_flush
		});
	}
};

// node_modules/@effect/platform-node-shared/dist/internal/utils.js
/** @internal */
const handleErrnoException = (module, method) => (err, [path]) => {
	let reason = "Unknown";
	switch (err.code) {
		case "ENOENT":
			reason = "NotFound";
			break;
		case "EACCES":
		case "EPERM":
			reason = "PermissionDenied";
			break;
		case "EEXIST":
			reason = "AlreadyExists";
			break;
		case "EISDIR":
			reason = "BadResource";
			break;
		case "ENOTDIR":
			reason = "BadResource";
			break;
		case "EBUSY":
			reason = "Busy";
			break;
		case "ELOOP": reason = "BadResource";
	}
	return systemError({
		_tag: reason,
		module,
		method,
		pathOrDescriptor: path,
		syscall: err.syscall,
		cause: err
	});
};

// node_modules/@effect/platform-node-shared/dist/NodeFileSystem.js
/**
* Shared Node-compatible implementation of Effect's `FileSystem` service.
*
* This module adapts Node's `node:fs`, `node:os`, and `node:path` APIs into a
* `FileSystem` layer for Effect programs running on Node-compatible runtimes.
* Platform packages use it to provide file and directory I/O, permissions,
* links, metadata, temporary files and directories, and file watching through
* the shared `FileSystem` service.
*
* @stability unstable
* @since 4.0.0
*/
const handleBadArgument = (method) => (err) => badArgument({
	module: "FileSystem",
	method,
	description: err.message ?? String(err)
});
const bigintToNumber = (value, field) => {
	const number = Number(value);
	if (!Number.isSafeInteger(number)) throw new RangeError(`${field} exceeds the safe integer range: ${value}`);
	return number;
};
const bigintToNumberOption = (value) => flatMap$1(fromNullishOr(value), toNumber);
const toUint64 = (value) => BigInt.asUintN(64, value);
const toUint64Option = (value) => map$3(fromNullishOr(value), toUint64);
const positionToNumber = (position, method) => try_({
	try: () => bigintToNumber(position, "position"),
	catch: handleBadArgument(method)
});
const access = /*#__PURE__*/ (() => {
	const nodeAccess = /*#__PURE__*/ effectify(NFS.access, /*#__PURE__*/ handleErrnoException("FileSystem", "access"), /*#__PURE__*/ handleBadArgument("access"));
	return (path, options) => {
		let mode = NFS.constants.F_OK;
		if (options?.readable) mode |= NFS.constants.R_OK;
		if (options?.writable) mode |= NFS.constants.W_OK;
		return nodeAccess(path, mode);
	};
})();
const copy = /*#__PURE__*/ (() => {
	const nodeCp = /*#__PURE__*/ effectify(NFS.cp, /*#__PURE__*/ handleErrnoException("FileSystem", "copy"), /*#__PURE__*/ handleBadArgument("copy"));
	return (fromPath, toPath, options) => nodeCp(fromPath, toPath, {
		force: options?.overwrite ?? false,
		preserveTimestamps: options?.preserveTimestamps ?? false,
		recursive: true
	});
})();
const copyFile = /*#__PURE__*/ (() => {
	const nodeCopyFile = /*#__PURE__*/ effectify(NFS.copyFile, /*#__PURE__*/ handleErrnoException("FileSystem", "copyFile"), /*#__PURE__*/ handleBadArgument("copyFile"));
	return (fromPath, toPath) => nodeCopyFile(fromPath, toPath);
})();
const chmod = /*#__PURE__*/ (() => {
	const nodeChmod = /*#__PURE__*/ effectify(NFS.chmod, /*#__PURE__*/ handleErrnoException("FileSystem", "chmod"), /*#__PURE__*/ handleBadArgument("chmod"));
	return (path, mode) => nodeChmod(path, mode);
})();
const chown = /*#__PURE__*/ (() => {
	const nodeChown = /*#__PURE__*/ effectify(NFS.chown, /*#__PURE__*/ handleErrnoException("FileSystem", "chown"), /*#__PURE__*/ handleBadArgument("chown"));
	return (path, uid, gid) => nodeChown(path, uid, gid);
})();
const link = /*#__PURE__*/ (() => {
	const nodeLink = /*#__PURE__*/ effectify(NFS.link, /*#__PURE__*/ handleErrnoException("FileSystem", "link"), /*#__PURE__*/ handleBadArgument("link"));
	return (existingPath, newPath) => nodeLink(existingPath, newPath);
})();
const makeDirectory = /*#__PURE__*/ (() => {
	const nodeMkdir = /*#__PURE__*/ effectify(NFS.mkdir, /*#__PURE__*/ handleErrnoException("FileSystem", "makeDirectory"), /*#__PURE__*/ handleBadArgument("makeDirectory"));
	return (path, options) => nodeMkdir(path, {
		recursive: options?.recursive ?? false,
		mode: options?.mode
	});
})();
const makeTempDirectoryFactory = (method) => {
	const nodeMkdtemp = effectify(NFS.mkdtemp, handleErrnoException("FileSystem", method), handleBadArgument(method));
	return (options) => suspend(() => {
		const prefix = options?.prefix ?? "";
		const directory = typeof options?.directory === "string" ? Path.join(options.directory, ".") : OS.tmpdir();
		return nodeMkdtemp(prefix ? Path.join(directory, prefix) : directory + "/");
	});
};
const makeTempDirectory = /*#__PURE__*/ makeTempDirectoryFactory("makeTempDirectory");
const removeFactory = (method) => {
	const nodeRm = effectify(NFS.rm, handleErrnoException("FileSystem", method), handleBadArgument(method));
	return (path, options) => nodeRm(path, {
		recursive: options?.recursive ?? false,
		force: options?.force ?? false
	});
};
const remove = /*#__PURE__*/ removeFactory("remove");
const makeTempDirectoryScoped = /*#__PURE__*/ (() => {
	const makeDirectory = /*#__PURE__*/ makeTempDirectoryFactory("makeTempDirectoryScoped");
	const removeDirectory = /*#__PURE__*/ removeFactory("makeTempDirectoryScoped");
	return (options) => acquireRelease(makeDirectory(options), (directory) => orDie(removeDirectory(directory, {
		recursive: true,
		force: true
	})));
})();
const openFlagBits = (flag) => {
	const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = NFS.constants;
	switch (flag) {
		case "r": return O_RDONLY;
		case "r+": return O_RDWR;
		case "w": return O_TRUNC | O_CREAT | O_WRONLY;
		case "wx": return O_TRUNC | O_CREAT | O_WRONLY | O_EXCL;
		case "w+": return O_TRUNC | O_CREAT | O_RDWR;
		case "wx+": return O_TRUNC | O_CREAT | O_RDWR | O_EXCL;
		case "a": return O_APPEND | O_CREAT | O_WRONLY;
		case "ax": return O_APPEND | O_CREAT | O_WRONLY | O_EXCL;
		case "a+": return O_APPEND | O_CREAT | O_RDWR;
		case "ax+": return O_APPEND | O_CREAT | O_RDWR | O_EXCL;
	}
};
const noFollowFlags = (method, flag) => suspend(() => {
	const { O_NOFOLLOW } = NFS.constants;
	if (process.platform === "win32" || typeof O_NOFOLLOW !== "number" || O_NOFOLLOW === 0) return fail(badArgument({
		module: "FileSystem",
		method,
		description: "noFollow is not supported on this platform"
	}));
	return succeed(openFlagBits(flag) | O_NOFOLLOW);
});
const openFactory = (method) => {
	const nodeOpen = effectify(NFS.open, handleErrnoException("FileSystem", method), handleBadArgument(method));
	const nodeClose = effectify(NFS.close, handleErrnoException("FileSystem", method), handleBadArgument(method));
	return (path, options) => pipe(acquireRelease(options?.noFollow === true ? flatMap(noFollowFlags(method, options.flag ?? "r"), (flags) => nodeOpen(path, flags, options.mode)) : nodeOpen(path, options?.flag ?? "r", options?.mode), (fd) => orDie(nodeClose(fd))), map$1((fd) => makeFile(fd, options?.flag?.startsWith("a") ?? false)));
};
const open = /*#__PURE__*/ openFactory("open");
const negativePosition = (method) => badArgument({
	module: "FileSystem",
	method,
	description: "Cannot read before the start of the file"
});
const makeFile = /*#__PURE__*/ (() => {
	const nodeReadFactory = (method) => effectify(NFS.read, handleErrnoException("FileSystem", method), handleBadArgument(method));
	const nodeRead = /*#__PURE__*/ nodeReadFactory("read");
	const nodeReadAlloc = /*#__PURE__*/ nodeReadFactory("readAlloc");
	const nodeStat = /*#__PURE__*/ effectify(NFS.fstat, /*#__PURE__*/ handleErrnoException("FileSystem", "stat"), /*#__PURE__*/ handleBadArgument("stat"));
	const nodeTruncate = /*#__PURE__*/ effectify(NFS.ftruncate, /*#__PURE__*/ handleErrnoException("FileSystem", "truncate"), /*#__PURE__*/ handleBadArgument("truncate"));
	const nodeSync = /*#__PURE__*/ effectify(NFS.fsync, /*#__PURE__*/ handleErrnoException("FileSystem", "sync"), /*#__PURE__*/ handleBadArgument("sync"));
	const nodeWriteFactory = (method) => effectify(NFS.write, handleErrnoException("FileSystem", method), handleBadArgument(method));
	const nodeWrite = /*#__PURE__*/ nodeWriteFactory("write");
	const nodeWriteAll = /*#__PURE__*/ nodeWriteFactory("writeAll");
	class FileImpl {
		[FileTypeId];
		fd;
		append;
		position = /*#__PURE__*/ BigInt(0);
		constructor(fd, append) {
			this[FileTypeId] = FileTypeId;
			this.fd = fd;
			this.append = append;
		}
		get stat() {
			return flatMap(nodeStat(this.fd, { bigint: true }), makeFileInfo);
		}
		get sync() {
			return nodeSync(this.fd);
		}
		seek(offset, from) {
			return suspend(() => {
				const position = from === "start" ? offset : this.position + offset;
				if (position < BigInt(0)) return fail(badArgument({
					module: "FileSystem",
					method: "seek",
					description: "Cannot seek before the start of the file"
				}));
				this.position = position;
				return succeed(position);
			});
		}
		read(buffer, options) {
			return suspend(() => {
				const explicit = options?.position;
				if (explicit !== void 0) return explicit < BigInt(0) ? fail(negativePosition("read")) : nodeRead(this.fd, {
					buffer,
					position: explicit
				});
				const position = this.position;
				return map$1(nodeRead(this.fd, {
					buffer,
					position
				}), (bytesRead) => {
					this.position = position + BigInt(bytesRead);
					return bytesRead;
				});
			});
		}
		readAlloc(size, options) {
			return suspend(() => {
				try {
					if (!Number.isInteger(size) || size < 0) throw new RangeError("size must be a non-negative integer");
					const explicit = options?.position;
					if (explicit !== void 0 && explicit < BigInt(0)) return fail(negativePosition("readAlloc"));
					const buffer = Buffer.allocUnsafeSlow(size);
					const position = explicit ?? this.position;
					return map$1(nodeReadAlloc(this.fd, {
						buffer,
						position
					}), (bytesRead) => {
						if (bytesRead === 0) return none();
						if (explicit === void 0) this.position = position + BigInt(bytesRead);
						if (bytesRead === size) return some(buffer);
						const dst = Buffer.allocUnsafeSlow(bytesRead);
						buffer.copy(dst, 0, 0, bytesRead);
						return some(dst);
					});
				} catch (cause) {
					return fail(handleBadArgument("readAlloc")(cause));
				}
			});
		}
		truncate(length) {
			return map$1(nodeTruncate(this.fd, length || void 0), () => {
				if (!this.append) {
					const len = BigInt(length ?? 0);
					if (this.position > len) this.position = len;
				}
			});
		}
		write(buffer) {
			return suspend(() => {
				const position = this.position;
				return flatMap(this.append ? succeed(void 0) : positionToNumber(position, "write"), (nodePosition) => map$1(nodeWrite(this.fd, buffer, void 0, void 0, nodePosition), (bytesWritten) => {
					if (!this.append) this.position = position + BigInt(bytesWritten);
					return bytesWritten;
				}));
			});
		}
		writeAllChunk(buffer) {
			return suspend(() => {
				const position = this.position;
				return flatMap(this.append ? succeed(void 0) : positionToNumber(position, "writeAll"), (nodePosition) => flatMap(nodeWriteAll(this.fd, buffer, void 0, void 0, nodePosition), (bytesWritten) => {
					if (bytesWritten === 0) return fail(systemError({
						module: "FileSystem",
						method: "writeAll",
						_tag: "WriteZero",
						pathOrDescriptor: this.fd,
						description: "write returned 0 bytes written"
					}));
					if (!this.append) this.position = position + BigInt(bytesWritten);
					return bytesWritten < buffer.length ? this.writeAllChunk(buffer.subarray(bytesWritten)) : void_$1;
				}));
			});
		}
		writeAll(buffer) {
			return buffer.length === 0 ? void_$1 : this.writeAllChunk(buffer);
		}
	}
	return (fd, append) => new FileImpl(fd, append);
})();
const makeTempFileFactory = (method) => {
	const makeDirectory = makeTempDirectoryFactory(method);
	return fnUntraced(function* (options) {
		const directory = yield* makeDirectory(options);
		const random = Crypto.randomBytes(6).toString("hex");
		const name = Path.join(directory, options?.suffix ? `${random}${options.suffix}` : random);
		yield* writeFile(name, /* @__PURE__ */ new Uint8Array(0));
		return name;
	});
};
const makeTempFile = /*#__PURE__*/ makeTempFileFactory("makeTempFile");
const makeTempFileScoped = /*#__PURE__*/ (() => {
	const makeFile = /*#__PURE__*/ makeTempFileFactory("makeTempFileScoped");
	const removeDirectory = /*#__PURE__*/ removeFactory("makeTempFileScoped");
	return (options) => acquireRelease(makeFile(options), (file) => orDie(removeDirectory(Path.dirname(file), {
		recursive: true,
		force: true
	})));
})();
const readDirectory = (path, options) => tryPromise({
	try: () => NFS.promises.readdir(path, options),
	catch: (err) => handleErrnoException("FileSystem", "readDirectory")(err, [path])
});
const readDirectoryEntries = (path) => tryPromise({
	try: () => NFS.promises.readdir(path, { withFileTypes: true }),
	catch: (err) => handleErrnoException("FileSystem", "readDirectoryEntries")(err, [path])
}).pipe(map$1((entries) => entries.map((entry) => ({
	name: entry.name,
	type: fileType(entry)
}))));
const readFile = (path) => callback((resume, signal) => {
	try {
		NFS.readFile(path, { signal }, (err, data) => {
			if (err) resume(fail(handleErrnoException("FileSystem", "readFile")(err, [path])));
			else resume(succeed(data));
		});
	} catch (err) {
		resume(fail(handleBadArgument("readFile")(err)));
	}
});
const readLink = /*#__PURE__*/ (() => {
	const nodeReadLink = /*#__PURE__*/ effectify(NFS.readlink, /*#__PURE__*/ handleErrnoException("FileSystem", "readLink"), /*#__PURE__*/ handleBadArgument("readLink"));
	return (path) => nodeReadLink(path);
})();
const realPath = /*#__PURE__*/ (() => {
	const nodeRealPath = /*#__PURE__*/ effectify(process.platform === "win32" ? NFS.realpath.native : NFS.realpath, /*#__PURE__*/ handleErrnoException("FileSystem", "realPath"), /*#__PURE__*/ handleBadArgument("realPath"));
	return (path) => nodeRealPath(path);
})();
const rename = /*#__PURE__*/ (() => {
	const nodeRename = /*#__PURE__*/ effectify(NFS.rename, /*#__PURE__*/ handleErrnoException("FileSystem", "rename"), /*#__PURE__*/ handleBadArgument("rename"));
	return (oldPath, newPath) => nodeRename(oldPath, newPath);
})();
const fileType = (stat) => stat.isFile() ? "File" : stat.isDirectory() ? "Directory" : stat.isSymbolicLink() ? "SymbolicLink" : stat.isBlockDevice() ? "BlockDevice" : stat.isCharacterDevice() ? "CharacterDevice" : stat.isFIFO() ? "FIFO" : stat.isSocket() ? "Socket" : "Unknown";
const makeFileInfo = (stat, method = "stat") => try_({
	try: () => ({
		type: fileType(stat),
		mtime: fromNullishOr(stat.mtime),
		atime: fromNullishOr(stat.atime),
		birthtime: fromNullishOr(stat.birthtime),
		dev: toUint64(stat.dev),
		rdev: toUint64Option(stat.rdev),
		ino: toUint64Option(stat.ino),
		mode: bigintToNumber(stat.mode, "mode"),
		nlink: toUint64Option(stat.nlink),
		uid: bigintToNumberOption(stat.uid),
		gid: bigintToNumberOption(stat.gid),
		size: bytes(stat.size),
		blksize: stat.blksize !== void 0 ? some(bytes(stat.blksize)) : none(),
		blocks: fromNullishOr(stat.blocks)
	}),
	catch: handleBadArgument(method)
});
const statFactory = (method, nodeStatFn) => {
	const nodeStat = effectify(nodeStatFn, handleErrnoException("FileSystem", method), handleBadArgument(method));
	return (path) => flatMap(nodeStat(path, { bigint: true }), (stat) => makeFileInfo(stat, method));
};
const stat = /*#__PURE__*/ statFactory("stat", NFS.stat);
const lstat = /*#__PURE__*/ statFactory("lstat", NFS.lstat);
const symlink = /*#__PURE__*/ (() => {
	const nodeSymlink = /*#__PURE__*/ effectify(NFS.symlink, /*#__PURE__*/ handleErrnoException("FileSystem", "symlink"), /*#__PURE__*/ handleBadArgument("symlink"));
	return (target, path) => nodeSymlink(target, path);
})();
const truncate = /*#__PURE__*/ (() => {
	const nodeTruncate = /*#__PURE__*/ effectify(NFS.truncate, /*#__PURE__*/ handleErrnoException("FileSystem", "truncate"), /*#__PURE__*/ handleBadArgument("truncate"));
	return (path, length) => nodeTruncate(path, length);
})();
const utimes = /*#__PURE__*/ (() => {
	const nodeUtimes = /*#__PURE__*/ effectify(NFS.utimes, /*#__PURE__*/ handleErrnoException("FileSystem", "utime"), /*#__PURE__*/ handleBadArgument("utime"));
	return (path, atime, mtime) => nodeUtimes(path, atime, mtime);
})();
const watchNode = (path, info, options) => callback$1((queue) => acquireRelease(sync(() => {
	const directory = info.type === "Directory" ? path : Path.dirname(path);
	const watcher = NFS.watch(path, { recursive: options?.recursive ?? false }, (event, path) => {
		if (!path) return;
		switch (event) {
			case "rename":
				runFork(matchEffect(stat(Path.resolve(directory, path)), {
					onSuccess: (_) => offer(queue, {
						_tag: "Create",
						path
					}),
					onFailure: (_) => offer(queue, {
						_tag: "Remove",
						path
					})
				}));
				return;
			case "change":
				offerUnsafe(queue, {
					_tag: "Update",
					path
				});
				return;
		}
	});
	watcher.on("error", (error) => {
		failCauseUnsafe(queue, fail$2(systemError({
			module: "FileSystem",
			_tag: "Unknown",
			method: "watch",
			pathOrDescriptor: path,
			cause: error
		})));
	});
	watcher.on("close", () => {
		endUnsafe(queue);
	});
	return watcher;
}), (watcher) => sync(() => watcher.close())).pipe(tap(() => sync(() => options?.onReady?.()))));
const watch = (backend, path, options) => all([stat(path), serviceOption(WatchBackend)]).pipe(map$1(([stat, callerBackend]) => orElse(callerBackend, () => backend).pipe(flatMap$1((_) => _.register(path, stat, options)), getOrElse(() => watchNode(path, stat, options)))), unwrap$3);
const writeFile = (path, data, options) => callback((resume, signal) => {
	try {
		NFS.writeFile(path, data, {
			signal,
			flag: options?.flag,
			mode: options?.mode
		}, (err) => {
			if (err) resume(fail(handleErrnoException("FileSystem", "writeFile")(err, [path])));
			else resume(void_$1);
		});
	} catch (err) {
		resume(fail(handleBadArgument("writeFile")(err)));
	}
});
const makeFileSystem = /*#__PURE__*/ map$1(/*#__PURE__*/ serviceOption(WatchBackend), (backend) => make$21({
	access,
	chmod,
	chown,
	copy,
	copyFile,
	link,
	lstat,
	makeDirectory,
	makeTempDirectory,
	makeTempDirectoryScoped,
	makeTempFile,
	makeTempFileScoped,
	open,
	readDirectory,
	readDirectoryEntries,
	readFile,
	readLink,
	realPath,
	remove,
	rename,
	stat,
	symlink,
	truncate,
	utimes,
	watch(path, options) {
		return watch(backend, path, options);
	},
	writeFile
}));
/**
* Provides the `FileSystem` service backed by Node filesystem APIs, including
* file operations, directory operations, links, metadata, and file watching.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$15 = /*#__PURE__*/ effect(FileSystem)(makeFileSystem);

// node_modules/@effect/platform-node/dist/NodeFileSystem.js
/**
* Node.js `FileSystem` layer for programs that perform real filesystem I/O.
*
* The exported layer satisfies the platform-independent `FileSystem` service
* with Node-backed operations for files, directories, metadata, permissions,
* links, temporary paths, and path watching. Effects still call the service from
* `effect/FileSystem`; this module only chooses the Node implementation.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Provides the `FileSystem` service backed by Node filesystem APIs.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$14 = layer$15;

// node_modules/@effect/platform-node/dist/NodeHttpPlatform.js
/**
* Node.js implementation of the Effect HTTP platform service.
*
* This module connects the portable `HttpPlatform` file response helpers to
* Node runtime primitives. It serves local files through Node readable streams,
* supports byte ranges, converts Web `File` values to readable streams, and
* fills in content type and content length headers when needed.
*
* @stability unstable
* @since 4.0.0
*/
const lazyReadable = (evaluate, onDestroy) => {
	let source;
	return new Readable({
		read() {
			if (source === void 0) {
				try {
					source = evaluate();
				} catch (cause) {
					this.destroy(cause instanceof Error ? cause : new Error(String(cause)));
					return;
				}
				source.on("data", (chunk) => {
					if (!this.push(chunk)) source.pause();
				});
				source.once("end", () => this.push(null));
				source.once("error", (cause) => this.destroy(cause));
				source.once("close", () => {
					if (!source.readableEnded) this.destroy(/* @__PURE__ */ new Error("Response stream closed prematurely"));
				});
			}
			source.resume();
		},
		destroy(error, callback) {
			source?.destroy(error ?? void 0);
			onDestroy?.();
			callback(error);
		}
	});
};
const compressedBody = (response, body) => removeHeader(setBody(response, body), "content-length");
const compression = /*#__PURE__*/ make$8({
	algorithms,
	compressResponse(response, algorithm, options) {
		const body = response.body;
		switch (body._tag) {
			case "Stream": return succeed(compressedBody(response, stream$1(pipeThroughDuplex(body.stream, { evaluate: () => compressTransform(algorithm, options) }), response.headers["content-type"] ?? body.contentType)));
			case "Raw": {
				let readable = body.body instanceof Readable ? body.body : void 0;
				const compressed = lazyReadable(() => {
					const transform = compressTransform(algorithm, options);
					readable ??= Readable.fromWeb(new Response(body.body).body);
					return pipeline(readable, transform, (cause) => {
						if (cause) compressed.destroy(cause);
					});
				}, () => readable?.destroy());
				return succeed(compressedBody(response, raw(compressed, { contentType: response.headers["content-type"] ?? body.contentType })));
			}
			default: return succeed(response);
		}
	}
});
/**
* Creates the Node `HttpPlatform`, serving file responses from Node readable
* streams and adding MIME type and content-length headers when needed.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$7 = /*#__PURE__*/ make$11({
	platform: "node",
	compression,
	fileResponse(path, status, statusText, headers, start, end, contentLength) {
		const stream = lazyReadable(() => contentLength === BigInt(0) ? Readable.from([]) : NFS.createReadStream(path, {
			start,
			end: end === void 0 ? void 0 : end - 1
		}));
		return raw$1(stream, {
			headers: {
				...headers,
				"content-type": headers["content-type"] ?? getOrElse(getType(path), () => "application/octet-stream"),
				"content-length": contentLength.toString()
			},
			status,
			statusText
		});
	},
	fileWebResponse(file, status, statusText, headers, _options) {
		return raw$1(lazyReadable(() => Readable.fromWeb(file.stream())), {
			headers: merge(headers, fromRecordUnsafe({
				"content-type": headers["content-type"] ?? (file.type === "" ? getOrElse(getType(file.name), () => "application/octet-stream") : file.type),
				"content-length": file.size.toString()
			})),
			status,
			statusText
		});
	}
});
/**
* Provides the Node `HttpPlatform` together with the filesystem and ETag
* services it needs for file responses.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$13 = /*#__PURE__*/ pipe(/*#__PURE__*/ effect(HttpPlatform)(make$7), /*#__PURE__*/ provide(layer$14), /*#__PURE__*/ provide(layer$18));

// node_modules/@effect/platform-node/dist/NodeMultipartParser.js
/**
* Node.js streams adapter for the low-level multipart parser.
*
* @stability unstable
* @since 4.0.0
*/
/**
* A Node.js duplex stream that parses multipart input.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
var MultipartStream = class extends Duplex {
	_parser;
	_canWrite = true;
	_writeCallback;
	_currentFile;
	constructor(config) {
		super({ readableObjectMode: true });
		let currentError;
		let initialized = false;
		this._parser = make$22({
			...config,
			onField: (info, value) => {
				if (currentError !== void 0) return;
				const field = {
					_tag: "Field",
					info,
					value
				};
				this.push(field);
				this.emit("field", field);
			},
			onFile: (info) => {
				if (currentError !== void 0) return (_) => {};
				const file = new FileStream(info, this);
				this._currentFile = file;
				this.push(file);
				this.emit("file", file);
				return (chunk) => {
					if (currentError !== void 0) return;
					this._canWrite = file.push(chunk);
					if (chunk === null && !this._canWrite) {
						this._currentFile = void 0;
						this._resume();
					}
				};
			},
			onError: (error) => {
				currentError = error;
				if (!initialized) return;
				this.emit("error", error);
				this._failCurrentFile(error);
			},
			onDone: () => {
				this.push(null);
			}
		});
		initialized = true;
		if (currentError !== void 0) this.destroy(currentError);
	}
	_resume() {
		this._canWrite = true;
		if (this._writeCallback !== void 0) {
			const callback = this._writeCallback;
			this._writeCallback = void 0;
			callback();
		}
	}
	_read(_size) {}
	_destroy(error, callback) {
		if (error) this._failCurrentFile(error);
		callback(error);
	}
	_failCurrentFile(error) {
		const file = this._currentFile;
		if (file === void 0) return;
		this._currentFile = void 0;
		file.on("error", constVoid);
		file.destroy(error);
	}
	_write(chunk, encoding, callback) {
		this._parser.write(chunk instanceof Uint8Array ? chunk : Buffer.from(chunk, encoding));
		if (this._canWrite) callback();
		else this._writeCallback = callback;
	}
	_final(callback) {
		this._parser.end();
		callback();
	}
};
/**
* Creates a Node.js multipart parser stream.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$6 = (config) => new MultipartStream(config);
/**
* A readable stream containing a parsed multipart file.
*
* @stability unstable
* @category models
* @since 4.0.0
*/
var FileStream = class extends Readable {
	_tag = "File";
	filename;
	info;
	_parent;
	constructor(info, parent) {
		super();
		this.info = info;
		this._parent = parent;
		this.filename = info.filename;
	}
	_read(_size) {
		if (this._parent._canWrite === false) this._parent._resume();
	}
};

// node_modules/@effect/platform-node/dist/NodeMultipart.js
/**
* Node.js multipart parsing for HTTP `multipart/form-data` request bodies.
*
* `NodeMultipart` adapts a Node `Readable` plus incoming HTTP headers into
* Effect's shared multipart model. It can expose form parts as a stream or
* collect a complete persisted form by writing file uploads to scoped temporary
* files through the current `FileSystem` and `Path` services. `fileToReadable`
* returns the underlying Node readable stream for file parts produced by this
* parser.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Parses multipart data from a Node readable request body and headers into a
* stream of `Multipart.Part` values, converting parser failures to
* `MultipartError`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const stream = (source, headers) => makeConfig(headers).pipe(map$1((config) => fromReadable({
	evaluate() {
		const parser = make$6(config);
		const cleanup = finished(source, {
			readable: true,
			writable: false
		}, (error) => {
			cleanup();
			if (error) parser.destroy(error);
		});
		source.pipe(parser);
		return parser;
	},
	onError: (error) => convertError(error)
})), unwrap$3, map$4(convertPart));
/**
* Parses multipart data from a Node readable request body and persists file
* parts using the current `FileSystem`, `Path`, and `Scope` services.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const persisted = (source, headers) => toPersisted(stream(source, headers), (path, file) => tryPromise({
	try: (signal) => NodeStreamP.pipeline(file.file, NFS.createWriteStream(path), { signal }),
	catch: (cause) => MultipartError.fromReason("InternalError", cause)
}));
const convertPart = (part) => part._tag === "Field" ? new FieldImpl(part.info, part.value) : new FileImpl(part);
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
	constructor(info, value) {
		super();
		this.key = info.name;
		this.contentType = info.contentType;
		this.value = decodeField(info, value);
	}
	toJSON() {
		return {
			_id: "@effect/platform/Multipart/Part",
			_tag: "Field",
			key: this.key,
			value: this.value,
			contentType: this.contentType
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
	file;
	constructor(file) {
		super();
		this.file = file;
		this.key = file.info.name;
		this.name = file.filename ?? file.info.name;
		this.contentType = file.info.contentType;
		this.content = fromReadable({
			evaluate: () => file,
			onError: (cause) => MultipartError.fromReason("InternalError", cause)
		});
		this.contentEffect = toUint8Array(() => file, { onError: (cause) => MultipartError.fromReason("InternalError", cause) });
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

// node_modules/effect/dist/Brand.js
/**
* Returns a `Constructor` that **does not apply any runtime checks** and just
* returns the provided value.
*
* **When to use**
*
* Use to create nominal types that allow distinguishing between two values
* of the same type but with different meanings.
*
* @see {@link make} for constructing branded values with validation.
* @see {@link check} for constructing branded values from schema checks.
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
function nominal() {
	return Object.assign((input) => input, {
		option: (input) => some(input),
		result: (input) => succeed$2(input),
		is: (_) => true
	});
}

// node_modules/effect/dist/process/ChildProcessSpawner.js
/**
* Service boundary for starting and controlling child processes.
*
* `ChildProcessSpawner` is the service used by `ChildProcess` commands to start
* operating-system processes. A spawner turns a command description into a
* handle that can write to stdin, read stdout and stderr, wait for exit, kill
* the process, and manage whether the process keeps its parent alive. Platform
* backends implement this service, while most application code uses the higher
* level `ChildProcess` module.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Constructs branded child process `ExitCode` values.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const ExitCode = /*#__PURE__*/ nominal();
/**
* Constructs branded child process `ProcessId` values.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const ProcessId = /*#__PURE__*/ nominal();
const HandleTypeId = "~effect/process/ChildProcessSpawner/ChildProcessHandle";
const HandleProto = {
	[HandleTypeId]: HandleTypeId,
	...BaseProto,
	toJSON() {
		return {
			_id: "ChildProcessHandle",
			pid: this.pid
		};
	}
};
/**
* Constructs a new `ChildProcessHandle`.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const makeHandle = (params) => Object.setPrototypeOf({ ...params }, HandleProto);
/**
* Creates a `ChildProcessSpawner` service from a `spawn` function, deriving
* helpers for exit codes and output collection from that implementation.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$5 = (spawn) => {
	const streamString = (command, options) => spawn(command).pipe(map$1((handle) => decodeText(options?.includeStderr === true ? handle.all : drainFork(handle.stdout, handle.stderr))), unwrap$3);
	const streamLines = (command, options) => splitLines(streamString(command, options));
	return ChildProcessSpawner.of({
		spawn,
		exitCode: (command) => scoped(flatMap(spawn(command), (handle) => raceFirst(handle.exitCode, andThen(runDrain(handle.all), never)))),
		streamString,
		streamLines,
		lines: (command, options) => runCollect(streamLines(command, options)),
		string: (command, options) => mkString(streamString(command, options))
	});
};
/**
* Service tag for child process spawning.
*
* @stability unstable
* @category services
* @since 4.0.0
*/
var ChildProcessSpawner = class extends (/*#__PURE__*/ Service()("effect/process/ChildProcessSpawner")) {};

// node_modules/effect/dist/process/CommandLine.js
/**
* Builds command lines, the single strings that a shell or a Windows program
* turns back into arguments, and argument lists from templates. It is
* unrelated to `effect/cli`, which parses the arguments of your own program.
*
* The rules depend on what parses the string, not on the platform that builds
* it, so `quote`, `join` and `display` take an explicit `format`:
*
* - `"posix"` (the default) for `sh`, `dash`, `bash` and `zsh`. Quoted output
*   is also read the same way by `fish`.
* - `"powershell"` for PowerShell 7.3 or later.
* - `"windows"` for the Microsoft C runtime rules that most Windows programs
*   use to split their command line.
*
* SSH sends one command line to the login shell of the remote account, so the
* format must match that shell. The remote shell must be a POSIX shell or
* PowerShell: Windows OpenSSH uses `cmd.exe` by default, which no format
* supports, so set its `DefaultShell` to PowerShell. Docker and Kubernetes exec
* take argument lists and need no command line at all.
*
* Arguments can be `Redacted` strings. `quote` and `join` include their values,
* because their output is meant to run, while `display` replaces them with
* `<redacted>`.
*
* @stability unstable
* @since 4.0.7
*/
/**
* Error returned when a command line or a template cannot be built.
*
* **Details**
*
* - `NulCharacter`: an argument passed to {@link quote} or {@link join}
*   contains a NUL character, which no command line can carry.
* - `InvalidArgument`: the format cannot carry an argument: a Windows program
*   name with a double quote, or the argument `--%`, which PowerShell drops
*   when it calls a native program.
* - `InvalidEscape`: template text ends with a backslash that escapes nothing,
*   or contains an invalid JavaScript escape sequence.
* - `UnterminatedQuote`: a quoted section of a template is not closed.
* - `UnsupportedSyntax`: template text contains shell syntax that cannot work
*   without a shell, such as operators, expansions, globs, comments or
*   variable assignments, or an interpolated array is not a separate argument.
*
* Messages never include the input, which may contain secrets.
*
* @stability unstable
* @category errors
* @since 4.0.7
*/
var CommandLineError = class extends (/*#__PURE__*/ TaggedError("CommandLineError")) {};
/**
* Renders a command for logs and error messages.
*
* **When to use**
*
* Use when you show a command to a person, for example in an error message,
* and secrets and control characters must not reach the output.
*
* **Details**
*
* - Quotes like {@link join}, so commands without control characters or
*   secrets can be copied into a terminal of the given format.
* - Replaces `Redacted` arguments with `<redacted>`.
* - Writes control characters and Unicode line separators as escapes such as
*   `\n` or `\u001b`, so output cannot move the cursor or inject terminal
*   sequences.
* - Never fails: input that {@link join} rejects is rendered anyway.
*
* **Gotchas**
*
* The output is for reading only. It is not a reliable command line: escapes
* and `<redacted>` change what a shell would run.
*
* **Example** (Showing a command with a secret)
*
* ```ts import.meta.vitest
* import { Redacted } from "effect"
* import { CommandLine } from "effect/process"
*
* const token = Redacted.make("hunter2")
*
* CommandLine.display(["curl", "-H", token, "https://x.dev/a b"]) // => "curl -H <redacted> 'https://x.dev/a b'"
* ```
*
* @see {@link join} for building a command line to run
*
* @stability unstable
* @category encoding
* @since 4.0.7
*/
const display = (words, options) => {
	if (words.length === 0) return "";
	const format = options?.format ?? "posix";
	return joinWords(format, words.map((word, i) => isRedacted(word) ? "<redacted>" : escapeControlCharacters(quoteWord(format, word, i === 0))));
};
/**
* Builds an argument list from a template literal.
*
* **When to use**
*
* Use to write a command as it would look in a shell while keeping every
* interpolated value a literal argument.
*
* **Details**
*
* - The template text is split into words as a POSIX shell does: spaces,
*   tabs and line breaks separate words, and quotes and backslash escapes are
*   removed. A long command can span several lines.
* - Text that would need a shell fails with `UnsupportedSyntax`: operators
*   (`| & ; < > ( )`), expansions (`$NAME`, `${...}`, `$(...)`, backticks, a
*   leading `~`, braces such as `{a,b}`, and a leading `=` that `zsh`
*   expands), globs (`* ? [`), comments (`#` at the start of a word), and a
*   variable assignment in the program position. Quote such characters to
*   pass them literally.
* - No shell runs, so a program such as `if` or `time` names an executable.
* - Each `${}` value is inserted literally, without splitting or quote
*   processing. Next to other text or inside quotes, it becomes part of the
*   surrounding argument.
* - An array adds one argument per element and must stand alone as a whole
*   argument.
* - Numbers and booleans are converted with `String`.
* - An argument that contains a `Redacted` value becomes `Redacted` as a
*   whole.
*
* **Gotchas**
*
* - An invalid JavaScript escape sequence in the text, such as `\u` without
*   hex digits, fails with `InvalidEscape`. Use `String.raw` or a `${}` value
*   for backslashes.
* - Neither the text nor the values are checked for NUL characters.
*   {@link join} and the child process spawners reject them where they would
*   truncate an argument.
*
* **Example** (Building arguments with interpolated values)
*
* ```ts import.meta.vitest
* import { Redacted, Result } from "effect"
* import { CommandLine } from "effect/process"
*
* const msg = "fix: handle $HOME"
* const files = ["a.ts", "b.ts"]
*
* CommandLine.template`git commit -m ${msg} ${files}` // => Result.succeed(["git", "commit", "-m", msg, ...files])
*
* const password = Redacted.make("hunter2")
* const words = Result.getOrThrow(CommandLine.template`psql "--password=${password}"`)
*
* CommandLine.display(words) // => "psql <redacted>"
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.7
*/
const template = (strings, ...expressions) => {
	const index = strings.findIndex((text) => text === void 0);
	if (index !== -1) return fail$3(new CommandLineError({
		reason: "InvalidEscape",
		message: `Template part ${index} contains an invalid escape sequence`
	}));
	return parseTemplate$1(strings, expressions);
};
const unwrap$1 = (item) => isRedacted(item) ? value(item) : String(item);
const toWord = (item) => isRedacted(item) ? item : String(item);
const reservedWords = /*#__PURE__*/ new Set([
	"!",
	"{",
	"}",
	"and",
	"begin",
	"case",
	"coproc",
	"do",
	"done",
	"elif",
	"else",
	"end",
	"esac",
	"fi",
	"for",
	"foreach",
	"function",
	"if",
	"in",
	"nocorrect",
	"not",
	"or",
	"repeat",
	"select",
	"switch",
	"then",
	"time",
	"until",
	"while"
]);
const quoteWord = (format, value, program) => {
	switch (format) {
		case "posix": return program && reservedWords.has(value) ? `'${value}'` : quotePosix(value);
		case "powershell": return quotePowerShell(value);
		case "windows": return program && !value.includes("\"") ? quoteWindowsProgram(value) : quoteWindowsArgument(value);
	}
};
const joinWords = (format, quoted) => format === "powershell" ? `& ${quoted.join(" ")}` : quoted.join(" ");
const posixSafe = /^[A-Za-z0-9_@+:,./-]+$/;
const quotePosix = (value) => posixSafe.test(value) ? value : `'${value.replace(/['\\]/g, (char) => `'\\${char}'`)}'`;
const quotePowerShell = (value) => `'${value.replace(/['\u2018\u2019\u201A\u201B]/g, "$&$&")}'`;
const windowsNeedsQuotes = /[ \t\n\v"]/;
const quoteWindowsArgument = (value) => {
	if (value.length > 0 && !windowsNeedsQuotes.test(value)) return value;
	let out = "\"";
	let backslashes = 0;
	for (const char of value) if (char === "\\") backslashes++;
	else if (char === "\"") {
		out += "\\".repeat(backslashes * 2 + 1) + "\"";
		backslashes = 0;
	} else {
		out += "\\".repeat(backslashes) + char;
		backslashes = 0;
	}
	return out + "\\".repeat(backslashes * 2) + "\"";
};
const quoteWindowsProgram = (value) => value.length > 0 && !/[ \t]/.test(value) ? value : `"${value}"`;
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const controlEscapes = {
	"\n": "\\n",
	"\r": "\\r",
	"	": "\\t"
};
const escapeControlCharacters = (value) => value.replace(controlCharacters, (char) => controlEscapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
const operators = "|&;<>()";
const globs = "*?[";
const expansionStart = /[A-Za-z_0-9{(@*#?$!'"-]/;
const quotedExpansionStart = /[A-Za-z_0-9{(@*#?$!-]/;
const assignmentName = /^[A-Za-z_][A-Za-z0-9_]*\+?$/;
const isBlank = (char) => char === " " || char === "	" || char === "\n";
const unsupportedSyntax = (char, next, wordStart) => {
	if (operators.includes(char)) return `The operator "${char}" needs a shell`;
	if (char === "`") return "Command substitution needs a shell";
	if (char === "$" && next !== void 0 && expansionStart.test(next)) return `The expansion "$${next}" needs a shell`;
	if (globs.includes(char)) return `The glob character "${char}" needs a shell`;
	if (!wordStart) return void 0;
	if (char === "#") return "A comment needs a shell";
	if (char === "~") return "Tilde expansion needs a shell";
	if (char === "=" && next !== void 0 && !isBlank(next)) return "A leading \"=\" is expanded by zsh";
};
const parseTemplate$1 = (texts, values) => {
	const words = [];
	let word = [];
	let plain = true;
	let braceDepth = 0;
	let quote = void 0;
	let quotePart = 0;
	let part = 0;
	const error = (reason, message, at = part) => fail$3(new CommandLineError({
		reason,
		message: `${message} in template part ${at}`
	}));
	const endWord = () => {
		if (word.length === 0) return;
		const value = word.map(unwrap$1).join("");
		words.push(word.length === 1 && isRedacted(word[0]) ? word[0] : word.some(isRedacted) ? make$15(value) : value);
		word = [];
		plain = true;
		braceDepth = 0;
	};
	const scan = (text) => {
		for (let i = 0; i < text.length; i++) {
			const char = text[i];
			const next = text[i + 1];
			if (quote === "'") {
				if (char === "'") quote = void 0;
				else word.push(char);
			} else if (quote === "\"") {
				if (char === "\"") quote = void 0;
				else if (char === "\\" && next !== void 0 && "$`\"\\\n".includes(next)) {
					if (next !== "\n") word.push(next);
					i++;
				} else if (char === "`") return error("UnsupportedSyntax", "Command substitution needs a shell");
				else if (char === "$" && next !== void 0 && quotedExpansionStart.test(next)) return error("UnsupportedSyntax", `The expansion "$${next}" needs a shell`);
				else word.push(char);
			} else if (isBlank(char)) endWord();
			else if (char === "\\") {
				if (next === void 0) return error("InvalidEscape", "A trailing backslash escapes nothing");
				if (next !== "\n") {
					word.push(next);
					plain = false;
				}
				i++;
			} else if (char === "'" || char === "\"") {
				quote = char;
				quotePart = part;
				word.push("");
				plain = false;
			} else {
				const unsupported = unsupportedSyntax(char, next, word.length === 0);
				if (unsupported !== void 0) return error("UnsupportedSyntax", unsupported);
				if (char === "{") braceDepth++;
				else if (char === "}") {
					if (braceDepth > 0) braceDepth--;
				} else if (braceDepth > 0 && (char === "," || char === "." && next === ".")) return error("UnsupportedSyntax", "Brace expansion needs a shell");
				else if (char === "=" && words.length === 0 && plain && assignmentName.test(word.join(""))) return error("UnsupportedSyntax", "A variable assignment needs a shell");
				word.push(char);
			}
		}
	};
	for (; part < texts.length; part++) {
		const failure = scan(texts[part]);
		if (failure !== void 0) return failure;
		if (part === values.length) break;
		const expression = values[part];
		if (Array.isArray(expression)) {
			const after = texts[part + 1][0];
			if (word.length > 0 || (after === void 0 ? part + 1 < values.length : !isBlank(after))) return error("UnsupportedSyntax", "An interpolated array must be a separate argument");
			for (const item of expression) words.push(toWord(item));
		} else {
			word.push(toWord(expression));
			plain = false;
		}
	}
	if (quote !== void 0) return error("UnterminatedQuote", "The quote is not closed", quotePart);
	endWord();
	return succeed$2(words);
};

// node_modules/effect/dist/process/ChildProcess.js
/**
* Describes child processes before they are started.
*
* A `Command` stores the executable, arguments, environment, standard streams,
* working directory, and other process options. Commands can also be piped
* together. A command is an `Effect`; running it asks the
* `ChildProcessSpawner` service to start the process and returns a
* `ChildProcessHandle`.
*
* @stability unstable
* @since 4.0.0
*/
const TypeId = "~effect/process/ChildProcess";
const Proto = {
	.../*#__PURE__*/ Prototype({
		label: "Command",
		evaluate(fiber) {
			return getUnsafe(fiber.context, ChildProcessSpawner).spawn(this);
		}
	}),
	[TypeId]: TypeId
};
const makeStandardCommand = (command, args, options) => Object.assign(Object.create(Proto), {
	_tag: "StandardCommand",
	command,
	args,
	options
});
/**
* Create a command from a template literal, options + template, or array form.
*
* **Details**
*
* This function supports three calling conventions:
* 1. Template literal: `make\`npm run build\``
* 2. Options + template literal: `make({ cwd: "/app" })\`npm run build\``
* 3. Array form: `make("npm", ["run", "build"], options?)`
*
* Templates are split with `CommandLine.template`: quotes group words, each
* `${}` value is one literal argument, and an argument that contains a
* `Redacted` value stays `Redacted`. Arguments in the array form can be
* `Redacted` too.
*
* With the `shell` option, the template text is the shell script and is kept
* as written.
*
* **Gotchas**
*
* - A template is parsed when `make` is called. Shell syntax such as `|`,
*   `$HOME`, `*` or `~` throws a `CommandLine.CommandLineError`: quote it, or
*   pass the value with `${}`.
* - A template with the `shell` option cannot contain `${}` values, because
*   their quoting depends on the shell. Build the script with
*   `CommandLine.quote` and pass it as a string.
* - The program name, the first word, cannot be `Redacted`.
* - A NUL character in the command, an argument or an `env` value fails with
*   a `BadArgument` error when the command is spawned.
*
* **Example** (Creating commands)
*
* ```ts import.meta.vitest
* import { ChildProcess } from "effect/process"
*
* // Template literal form; quotes group words
* const cmd1 = ChildProcess.make`echo "hello world"`
*
* // With options
* const cmd2 = ChildProcess.make({ cwd: "/tmp" })`ls -la`
*
* // Array form
* const cmd3 = ChildProcess.make("git", ["status"])
*
* const result = [cmd1.args[0], cmd2.options.cwd, cmd3.args[0]] // => ["hello world", "/tmp", "status"]
* ```
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$4 = function make(...args) {
	if (isTemplateString(args[0])) {
		const [templates, ...expressions] = args;
		const [command, cmdArgs] = parseTemplate(templates, expressions);
		return makeStandardCommand(command, cmdArgs, {});
	}
	if (typeof args[0] === "object" && !Array.isArray(args[0]) && !isTemplateString(args[0])) {
		const options = args[0];
		return function(templates, ...expressions) {
			if (options.shell !== void 0 && options.shell !== false) return makeStandardCommand(shellScript(templates, expressions), [], options);
			const [command, cmdArgs] = parseTemplate(templates, expressions);
			return makeStandardCommand(command, cmdArgs, options);
		};
	}
	if (typeof args[0] === "string" && !Array.isArray(args[1])) {
		const [command, options = {}] = args;
		return makeStandardCommand(command, [], options);
	}
	const [command, cmdArgs = [], options = {}] = args;
	return makeStandardCommand(command, cmdArgs, options);
};
const isTemplateString = (u) => Array.isArray(u) && "raw" in u && Array.isArray(u.raw);
/**
* Parses an fd name like "fd3" to its numeric index.
* Returns undefined if the name is invalid.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const parseFdName = (name) => {
	const match = /^fd(\d+)$/.exec(name);
	if (match === null) return void 0;
	const fd = parseInt(match[1], 10);
	return fd >= 3 ? fd : void 0;
};
/**
* Create an fd name from its numeric index.
*
* @stability unstable
* @category converting
* @since 4.0.0
*/
const fdName = (fd) => `fd${fd}`;
const parseTemplate = (templates, expressions) => {
	const [program = "", ...args] = getOrThrow(template(templates, ...expressions));
	if (typeof program !== "string") throw new CommandLineError({
		reason: "InvalidArgument",
		message: "The program name of a command cannot be Redacted"
	});
	return [program, args];
};
const shellScript = (templates, expressions) => {
	if (expressions.length > 0) throw new CommandLineError({
		reason: "UnsupportedSyntax",
		message: "A shell template cannot interpolate values; build the script with CommandLine.quote"
	});
	const script = templates[0];
	if (script === void 0) throw new CommandLineError({
		reason: "InvalidEscape",
		message: "Template part 0 contains an invalid escape sequence"
	});
	return script;
};

// node_modules/@effect/platform-node-shared/dist/internal/nodeChildProcessSpawner.js
const buildSpawnOptions = (options, base, platform) => {
	const detached = options.detached ?? platform !== "win32";
	return {
		...base,
		detached,
		shell: options.shell,
		windowsHide: options.windowsHide ?? !detached
	};
};

// node_modules/@effect/platform-node-shared/dist/NodeChildProcessSpawner.js
const toError = (error) => error instanceof globalThis.Error ? error : new globalThis.Error(String(error));
const toPlatformError = (method, error, command) => {
	const { commands } = flattenCommand(command);
	const format = globalThis.process.platform === "win32" ? "windows" : "posix";
	const commandStr = commands.map((cmd) => display([cmd.command, ...cmd.args], { format })).join(" | ");
	return handleErrnoException("ChildProcess", method)(error, [commandStr]);
};
const unwrap = (value$1) => isRedacted(value$1) ? value(value$1) : value$1;
const findNulCharacter = (command) => {
	if (command.command.includes("\0")) return "The command contains a NUL character";
	const index = command.args.findIndex((arg) => unwrap(arg).includes("\0"));
	if (index !== -1) return `Argument ${index + 1} contains a NUL character`;
	for (const [name, value] of Object.entries(command.options.env ?? {})) if (value !== void 0 && unwrap(value).includes("\0")) return `The environment variable ${name} contains a NUL character`;
};
const processGroupGraceMillis = 1e3;
const processGroupPollIntervalMillis = 10;
const handleInputErrors = (writable) => {
	const onError = () => {};
	writable.on("error", onError);
	writable.once("close", () => writable.off("error", onError));
};
/** Node has recorded the leader's exit, after which its PID may be reused by an unrelated process. */
const hasExited = (childProcess) => childProcess.exitCode !== null || childProcess.signalCode !== null;
/**
* A non-detached leader shares its parent's process group, so once it has
* exited there is no group of its own left to signal or poll.
*/
const ownsProcessGroup = (command, childProcess) => command.options.detached !== false || !hasExited(childProcess);
/**
* The process group exists but has no member that can be signalled, such as
* on macOS when its remaining members are zombies.
*/
const isUnsignallableProcessGroup = (error) => error?.code === "EPERM";
/** The leader has not exited, or a member of its process group still exists. */
const isProcessAlive = (command, childProcess) => {
	if (!hasExited(childProcess)) return true;
	if (globalThis.process.platform === "win32" || !ownsProcessGroup(command, childProcess)) return false;
	try {
		globalThis.process.kill(-childProcess.pid, 0);
		return true;
	} catch (error) {
		return isUnsignallableProcessGroup(error);
	}
};
const taskkill = (childProcess, onExit = () => {}) => {
	if (hasExited(childProcess)) {
		onExit(null);
		return;
	}
	NodeChildProcess.execFile("taskkill", [
		"/pid",
		String(childProcess.pid),
		"/T",
		"/F"
	], { windowsHide: true }, onExit);
};
const make$3 = /*#__PURE__*/ gen(function* () {
	const fs = yield* FileSystem;
	const path = yield* Path$1;
	const resolveWorkingDirectory = fnUntraced(function* (options) {
		if (isUndefined(options.cwd)) return void 0;
		yield* fs.access(options.cwd);
		return path.resolve(options.cwd);
	});
	const resolveEnvironment = (options) => {
		if (options.env === void 0) return void 0;
		const env = options.extendEnv === true ? { ...globalThis.process.env } : {};
		for (const [key, value] of Object.entries(options.env)) if (value === void 0) delete env[key];
		else env[key] = unwrap(value);
		return env;
	};
	const inputToStdioOption = (input) => isStream(input) ? "pipe" : input;
	const outputToStdioOption = (input) => isSink(input) ? "pipe" : input;
	const resolveStdinOption = (options) => {
		const defaultConfig = {
			stream: "pipe",
			encoding: "utf-8",
			endOnDone: true
		};
		if (isUndefined(options.stdin)) return defaultConfig;
		if (typeof options.stdin === "string") return {
			...defaultConfig,
			stream: options.stdin
		};
		if (isStream(options.stdin)) return {
			...defaultConfig,
			stream: options.stdin
		};
		return {
			stream: options.stdin.stream,
			encoding: options.stdin.encoding ?? defaultConfig.encoding,
			endOnDone: options.stdin.endOnDone ?? defaultConfig.endOnDone
		};
	};
	const resolveOutputOption = (options, streamName) => {
		const option = options[streamName];
		if (isUndefined(option)) return { stream: "pipe" };
		if (typeof option === "string") return { stream: option };
		if (isSink(option)) return { stream: option };
		return { stream: option.stream };
	};
	const resolveAdditionalFds = (options) => {
		if (isUndefined(options.additionalFds)) return [];
		const result = [];
		for (const [name, config] of Object.entries(options.additionalFds)) {
			const fd = parseFdName(name);
			if (isNotUndefined(fd)) result.push({
				fd,
				config
			});
		}
		return result.sort((a, b) => a.fd - b.fd);
	};
	const buildStdioArray = (stdinConfig, stdoutConfig, stderrConfig, additionalFds) => {
		const stdio = [
			inputToStdioOption(stdinConfig.stream),
			outputToStdioOption(stdoutConfig.stream),
			outputToStdioOption(stderrConfig.stream)
		];
		if (additionalFds.length === 0) return stdio;
		const maxFd = additionalFds.reduce((max, { fd }) => Math.max(max, fd), 2);
		for (let i = 3; i <= maxFd; i++) stdio[i] = "ignore";
		for (const { fd } of additionalFds) stdio[fd] = "pipe";
		return stdio;
	};
	const runInputStream = (stream, sink, inputFailure) => forkScoped(run(tapError$1(stream, (error) => fail$4(inputFailure, error)), sink));
	const setupAdditionalFds = fnUntraced(function* (command, childProcess, additionalFds, inputFailure) {
		if (additionalFds.length === 0) return {
			getInputFd: () => drain,
			getOutputFd: () => empty$1
		};
		const inputSinks = /* @__PURE__ */ new Map();
		const outputStreams = /* @__PURE__ */ new Map();
		const setupInput = (fd, nodeStream, stream) => suspend(() => {
			let sink = drain;
			if (nodeStream && "write" in nodeStream) {
				handleInputErrors(nodeStream);
				sink = fromWritable({
					evaluate: () => nodeStream,
					onError: (error) => toPlatformError(`fromWritable(fd${fd})`, toError(error), command)
				});
			}
			if (stream) return map$1(runInputStream(stream, sink, inputFailure), () => {
				inputSinks.set(fd, sink);
			});
			inputSinks.set(fd, sink);
			return void_$1;
		});
		const setupOutput = (fd, nodeStream, sink) => {
			let stream = empty$1;
			if (nodeStream && "read" in nodeStream) {
				const passThrough = new PassThrough();
				let error = void 0;
				passThrough.on("error", (cause) => {
					error ??= cause;
				});
				nodeStream.on("error", (cause) => passThrough.destroy(cause));
				nodeStream.pipe(passThrough);
				const onError = (cause) => toPlatformError(`fromReadable(fd${fd})`, toError(cause), command);
				stream = suspend$1(() => error === void 0 ? fromReadable({
					evaluate: () => passThrough,
					onError
				}) : fail$5(onError(error)));
			}
			if (sink) stream = transduce(stream, sink);
			outputStreams.set(fd, stream);
		};
		for (const { config, fd } of additionalFds) {
			const nodeStream = childProcess.stdio[fd];
			switch (config.type) {
				case "input":
					yield* setupInput(fd, nodeStream, config.stream);
					break;
				case "output":
					setupOutput(fd, nodeStream, config.sink);
					break;
				case "duplex":
					if (nodeStream && "allowHalfOpen" in nodeStream) nodeStream.allowHalfOpen = true;
					setupOutput(fd, nodeStream, config.sink);
					yield* setupInput(fd, nodeStream, config.stream);
			}
		}
		return {
			getInputFd: (fd) => inputSinks.get(fd) ?? drain,
			getOutputFd: (fd) => outputStreams.get(fd) ?? empty$1
		};
	});
	const setupChildStdin = (command, childProcess, config, inputFailure) => suspend(() => {
		let sink = drain;
		if (isNotNull(childProcess.stdin)) {
			handleInputErrors(childProcess.stdin);
			sink = fromWritable({
				evaluate: () => childProcess.stdin,
				onError: (error) => toPlatformError("fromWritable(stdin)", toError(error), command),
				endOnDone: config.endOnDone,
				encoding: config.encoding
			});
		}
		if (isStream(config.stream)) return as(runInputStream(config.stream, sink, inputFailure), sink);
		return succeed(sink);
	});
	const setupChildOutputStreams = (command, childProcess, stdoutConfig, stderrConfig) => {
		let stdout = childProcess.stdout ? (() => {
			const passThrough = new PassThrough();
			childProcess.stdout.on("error", (error) => passThrough.destroy(error));
			childProcess.stdout.pipe(passThrough);
			return fromReadable({
				evaluate: () => passThrough,
				onError: (error) => toPlatformError("fromReadable(stdout)", toError(error), command)
			});
		})() : empty$1;
		let stderr = childProcess.stderr ? (() => {
			const passThrough = new PassThrough();
			childProcess.stderr.on("error", (error) => passThrough.destroy(error));
			childProcess.stderr.pipe(passThrough);
			return fromReadable({
				evaluate: () => passThrough,
				onError: (error) => toPlatformError("fromReadable(stderr)", toError(error), command)
			});
		})() : empty$1;
		if (isSink(stdoutConfig.stream)) stdout = transduce(stdout, stdoutConfig.stream);
		if (isSink(stderrConfig.stream)) stderr = transduce(stderr, stderrConfig.stream);
		const all = merge$2(stdout, stderr);
		return {
			stdout,
			stderr,
			all
		};
	};
	const spawn = (command, spawnOptions) => callback((resume) => {
		const deferred = makeUnsafe$1();
		const handle = NodeChildProcess.spawn(command.command, command.args.map(unwrap), spawnOptions);
		handle.on("error", (error) => {
			if (command.args.some(isRedacted)) Object.assign(error, { spawnargs: [command.command, ...command.args.map((arg) => isRedacted(arg) ? "<redacted>" : arg)] });
			resume(fail(toPlatformError("spawn", error, command)));
		});
		handle.on("exit", (...args) => {
			doneUnsafe(deferred, succeed$3(args));
		});
		handle.on("spawn", () => {
			resume(succeed([handle, deferred]));
		});
		return sync(() => {
			handle.kill("SIGTERM");
		});
	});
	const killProcessGroup = (command, childProcess, signal) => {
		if (globalThis.process.platform === "win32") return callback((resume) => {
			taskkill(childProcess, (error) => {
				if (error) resume(fail(toPlatformError("kill", toError(error), command)));
				else resume(void_$1);
			});
		});
		return try_({
			try: () => {
				globalThis.process.kill(-childProcess.pid, signal);
			},
			catch: (error) => toPlatformError("kill", toError(error), command)
		});
	};
	const killProcessGroupOnExit = (childProcess, signal) => {
		if (globalThis.process.platform === "win32") {
			taskkill(childProcess);
			return;
		}
		try {
			globalThis.process.kill(-childProcess.pid, signal);
		} catch {}
	};
	const killProcess = (command, childProcess, signal) => suspend(() => {
		if (!childProcess.kill(signal)) {
			const error = new globalThis.Error("Failed to kill child process");
			return fail(toPlatformError("kill", error, command));
		}
		return void_$1;
	});
	/** Waits for the leader and its process group, bounded by native time. */
	const awaitProcessExit = (command, childProcess, timeoutMillis) => callback((resume) => {
		const deadline = Date.now() + timeoutMillis;
		let timer;
		const stop = () => {
			clearTimeout(timer);
			childProcess.removeListener("exit", poll);
		};
		const poll = () => {
			clearTimeout(timer);
			if (Date.now() >= deadline || !isProcessAlive(command, childProcess)) {
				stop();
				resume(void_$1);
				return;
			}
			timer = setTimeout(poll, processGroupPollIntervalMillis);
		};
		childProcess.on("exit", poll);
		poll();
		return sync(stop);
	});
	const terminateProcessGroup = fnUntraced(function* (command, childProcess, exitSignal, options) {
		const signalGroup = (signal) => ownsProcessGroup(command, childProcess) ? killProcessGroup(command, childProcess, signal).pipe(catch_((error) => hasExited(childProcess) && isUnsignallableProcessGroup(error.cause) ? void_$1 : killProcess(command, childProcess, signal))) : killProcess(command, childProcess, signal);
		yield* signalGroup(options?.killSignal ?? "SIGTERM");
		if (isUndefined(options?.forceKillAfter)) {
			yield* _await(exitSignal);
			yield* awaitProcessExit(command, childProcess, processGroupGraceMillis);
		} else {
			yield* awaitProcessExit(command, childProcess, toMillis(options.forceKillAfter));
			if (isProcessAlive(command, childProcess)) {
				yield* signalGroup("SIGKILL");
				yield* awaitProcessExit(command, childProcess, processGroupGraceMillis);
			}
		}
		yield* _await(exitSignal);
	});
	/**
	* Get the appropriate source stream from a process handle based on the
	* `from` pipe option.
	*/
	const getSourceStream = (handle, from) => {
		const fromOption = from ?? "stdout";
		switch (fromOption) {
			case "stdout": return handle.stdout;
			case "stderr": return handle.stderr;
			case "all": return handle.all;
			default: {
				const fd = parseFdName(fromOption);
				if (isNotUndefined(fd)) return handle.getOutputFd(fd);
				return handle.stdout;
			}
		}
	};
	const spawnCommand = fnUntraced(function* (cmd) {
		switch (cmd._tag) {
			case "StandardCommand": {
				if (cmd.options.shell !== void 0 && cmd.options.shell !== false && cmd.args.length > 0) return yield* fail(badArgument({
					module: "ChildProcess",
					method: "spawn",
					description: "The shell option cannot be combined with arguments; pass the whole script as the command"
				}));
				const nulCharacter = findNulCharacter(cmd);
				if (nulCharacter !== void 0) return yield* fail(badArgument({
					module: "ChildProcess",
					method: "spawn",
					description: nulCharacter
				}));
				const stdinConfig = resolveStdinOption(cmd.options);
				const stdoutConfig = resolveOutputOption(cmd.options, "stdout");
				const stderrConfig = resolveOutputOption(cmd.options, "stderr");
				const resolvedAdditionalFds = resolveAdditionalFds(cmd.options);
				let isReferenced = true;
				const cwd = yield* resolveWorkingDirectory(cmd.options);
				const env = resolveEnvironment(cmd.options);
				const stdio = buildStdioArray(stdinConfig, stdoutConfig, stderrConfig, resolvedAdditionalFds);
				const [childProcess, exitSignal] = yield* acquireRelease(spawn(cmd, buildSpawnOptions(cmd.options, {
					cwd,
					env,
					stdio
				}, process.platform)), fnUntraced(function* ([childProcess, exitSignal]) {
					if (yield* isDone(exitSignal)) {
						const [code] = yield* _await(exitSignal);
						if (code !== 0 && isNotNull(code)) yield* ignore(terminateProcessGroup(cmd, childProcess, exitSignal, cmd.options));
						else if (isReferenced && process.platform !== "win32" && cmd.options.detached !== false) yield* ignore(terminateProcessGroup(cmd, childProcess, exitSignal, cmd.options));
						return;
					}
					if (!isReferenced) return;
					yield* ignore(terminateProcessGroup(cmd, childProcess, exitSignal, cmd.options));
				}));
				const pid = ProcessId(childProcess.pid);
				if (cmd.options.detached !== false) childProcess.on("exit", (code) => {
					if (code !== 0 && isNotNull(code)) killProcessGroupOnExit(childProcess, cmd.options.killSignal ?? "SIGTERM");
				});
				const reref = sync(() => {
					if (!isReferenced) {
						childProcess.ref();
						isReferenced = true;
					}
				});
				const unref = sync(() => {
					if (isReferenced) {
						childProcess.unref();
						isReferenced = false;
					}
					return reref;
				});
				const inputFailure = makeUnsafe$1();
				const stdin = yield* setupChildStdin(cmd, childProcess, stdinConfig, inputFailure);
				const { all, stderr, stdout } = setupChildOutputStreams(cmd, childProcess, stdoutConfig, stderrConfig);
				const { getInputFd, getOutputFd } = yield* setupAdditionalFds(cmd, childProcess, resolvedAdditionalFds, inputFailure);
				const isRunning = map$1(isDone(exitSignal), (done) => !done);
				const exitCode = flatMap(raceFirst(_await(exitSignal), _await(inputFailure)), ([code, signal]) => {
					if (isDoneUnsafe(inputFailure)) return _await(inputFailure);
					if (isNotNull(code)) return succeed(ExitCode(code));
					const error = new globalThis.Error(`Process interrupted due to receipt of signal: '${signal}'`);
					return fail(toPlatformError("exitCode", error, cmd));
				});
				const kill = (options) => terminateProcessGroup(cmd, childProcess, exitSignal, options);
				return makeHandle({
					pid,
					exitCode,
					isRunning,
					kill,
					stdin,
					stdout,
					stderr,
					all,
					getInputFd,
					getOutputFd,
					unref
				});
			}
			case "PipedCommand": {
				const { commands, pipeOptions } = flattenCommand(cmd);
				const [root, ...pipeline] = commands;
				const handles = [yield* spawnCommand(root)];
				for (let i = 0; i < pipeline.length; i++) {
					const command = pipeline[i];
					const options = pipeOptions[i] ?? {};
					const stdinConfig = resolveStdinOption(command.options);
					const sourceStream = unwrap$3(succeed(getSourceStream(handles[handles.length - 1], options.from)));
					const toOption = options.to ?? "stdin";
					if (toOption === "stdin") handles.push(yield* spawnCommand(make$4(command.command, command.args, {
						...command.options,
						stdin: {
							...stdinConfig,
							stream: sourceStream
						}
					})));
					else {
						const fd = parseFdName(toOption);
						if (isNotUndefined(fd)) {
							const fdName$1 = fdName(fd);
							const existingFds = command.options.additionalFds ?? {};
							const existingFd = existingFds[fdName$1];
							const fdConfig = existingFd?.type === "duplex" ? {
								...existingFd,
								stream: sourceStream
							} : {
								type: "input",
								stream: sourceStream
							};
							handles.push(yield* spawnCommand(make$4(command.command, command.args, {
								...command.options,
								additionalFds: {
									...existingFds,
									[fdName$1]: fdConfig
								}
							})));
						} else handles.push(yield* spawnCommand(make$4(command.command, command.args, {
							...command.options,
							stdin: {
								...stdinConfig,
								stream: sourceStream
							}
						})));
					}
				}
				const handle = handles[handles.length - 1];
				const kill = (options) => forEach([...handles].reverse(), (handle) => ignore(handle.kill(options)), { discard: true });
				const unref = gen(function* () {
					const rerefs = [];
					for (const handle of handles) rerefs.push(yield* handle.unref);
					return forEach([...rerefs].reverse(), (reref) => reref, { discard: true });
				});
				return makeHandle({
					pid: handle.pid,
					exitCode: handle.exitCode,
					isRunning: handle.isRunning,
					kill,
					stdin: handles[0].stdin,
					stdout: handle.stdout,
					stderr: handle.stderr,
					all: handle.all,
					getInputFd: handle.getInputFd,
					getOutputFd: handle.getOutputFd,
					unref
				});
			}
		}
	});
	return make$5(spawnCommand);
});
/**
* Layer that provides the `NodeChildProcessSpawner` implementation.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$12 = /*#__PURE__*/ effect(ChildProcessSpawner, make$3);
/**
* Flattens a `Command` into an array of `StandardCommand`s along with pipe
* options for each connection.
*
* @stability unstable
* @category transforming
* @since 4.0.0
*/
const flattenCommand = (command) => {
	const commands = [];
	const pipeOptions = [];
	const flatten = (cmd) => {
		switch (cmd._tag) {
			case "StandardCommand":
				commands.push(cmd);
				break;
			case "PipedCommand":
				flatten(cmd.left);
				pipeOptions.push(cmd.options);
				flatten(cmd.right);
		}
	};
	flatten(command);
	if (commands.length === 0) throw new Error("flattenCommand produced empty commands array");
	const [first, ...rest] = commands;
	return {
		commands: [first, ...rest],
		pipeOptions
	};
};

// node_modules/@effect/platform-node-shared/dist/NodePath.js
/**
* Node-backed provider for Effect's `Path` service.
*
* This module turns Node's `node:path` and `node:url` APIs into `Path` layers.
* `layer` uses the host platform path implementation, while `layerPosix` and
* `layerWin32` provide fixed POSIX and Windows variants. All three layers also
* include helpers for converting between file paths and file URLs.
*
* @stability unstable
* @since 4.0.0
*/
const fileUrlOps = (windows) => ({
	fromFileUrl: (url) => try_({
		try: () => NodeUrl.fileURLToPath(url, { windows }),
		catch: (cause) => new BadArgument({
			module: "Path",
			method: "fromFileUrl",
			cause
		})
	}),
	toFileUrl: (path) => try_({
		try: () => NodeUrl.pathToFileURL(path, { windows }),
		catch: (cause) => new BadArgument({
			module: "Path",
			method: "toFileUrl",
			cause
		})
	})
});
/**
* Provides the `Path` service using Node's POSIX path implementation plus
* file URL conversion helpers.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerPosix = /*#__PURE__*/ succeed$1(Path$1)(/*#__PURE__*/ make$23({
	...Path.posix,
	.../*#__PURE__*/ fileUrlOps(false)
}));
/**
* Provides the `Path` service using Node's Windows path implementation plus
* file URL conversion helpers.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerWin32 = /*#__PURE__*/ succeed$1(Path$1)(/*#__PURE__*/ make$23({
	...Path.win32,
	.../*#__PURE__*/ fileUrlOps(true)
}));
/**
* Provides the default `Path` service using the host platform's Node path
* implementation plus file URL conversion helpers.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$11 = /*#__PURE__*/ succeed$1(Path$1)(/*#__PURE__*/ make$23({
	...Path,
	.../*#__PURE__*/ fileUrlOps(void 0)
}));

// node_modules/@effect/platform-node/dist/NodePath.js
/**
* Node.js layers for Effect's `Path` service.
*
* This module provides the default, POSIX, and Windows variants of the
* platform-independent `Path` service by reusing the shared Node path
* implementation. The provided path services include Node file URL conversion
* behavior.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Provides the default Node `Path` service using the platform's `node:path`
* implementation.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$10 = layer$11;

// node_modules/@effect/platform-node-shared/dist/NodeStdio.js
/**
* Shared Node.js implementation of the Effect `Stdio` service.
*
* `NodeStdio` provides {@link Stdio.Stdio} from the current Node process. The
* exported {@link layer} reads command-line arguments from `process.argv`,
* consumes input from `process.stdin`, and writes normal and error output to
* `process.stdout` and `process.stderr`. Standard input remains open, and
* standard output and error output are not ended unless requested.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Provides `Stdio` from `process.argv`, `process.stdin`, `process.stdout`,
* and `process.stderr`; stdin remains open and stdout/stderr are not ended by
* default.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$9 = /*#__PURE__*/ succeed$1(Stdio, /*#__PURE__*/ make$12({
	args: /*#__PURE__*/ sync(() => process.argv.slice(2)),
	stdinIsTerminal: /*#__PURE__*/ sync(() => process.stdin.isTTY === true),
	stdoutIsTerminal: /*#__PURE__*/ sync(() => process.stdout.isTTY === true),
	stderrIsTerminal: /*#__PURE__*/ sync(() => process.stderr.isTTY === true),
	stdout: (options) => fromWritable({
		evaluate: () => process.stdout,
		onError: (cause) => systemError({
			module: "Stdio",
			method: "stdout",
			_tag: "Unknown",
			cause
		}),
		endOnDone: options?.endOnDone ?? false
	}),
	stderr: (options) => fromWritable({
		evaluate: () => process.stderr,
		onError: (cause) => systemError({
			module: "Stdio",
			method: "stderr",
			_tag: "Unknown",
			cause
		}),
		endOnDone: options?.endOnDone ?? false
	}),
	stdin: /*#__PURE__*/ fromReadable({
		evaluate: () => process.stdin,
		onError: (cause) => systemError({
			module: "Stdio",
			method: "stdin",
			_tag: "Unknown",
			cause
		}),
		closeOnDone: false
	})
}));

// node_modules/@effect/platform-node/dist/NodeStdio.js
/**
* Node.js `Stdio` layer for the current process.
*
* The exported layer reuses the shared Node stdio implementation. It satisfies
* the platform-independent `Stdio` service by reading command-line arguments
* from `process.argv`, consuming input from `process.stdin`, and writing output
* streams to `process.stdout` and `process.stderr`.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Provides the `Stdio` service backed by the current process arguments,
* stdin, stdout, and stderr streams.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$8 = layer$9;

// node_modules/@effect/platform-node-shared/dist/NodeTerminal.js
/**
* Creates a scoped process-backed `Terminal` using Node `readline`, enabling
* TTY raw mode while key input is read. By default, Esc, Ctrl+C, and Ctrl+D
* end key input. Supply `shouldQuit` to override these quit keys.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$2 = /*#__PURE__*/ fnUntraced(function* (shouldQuit = defaultShouldQuit) {
	const stdin = process.stdin;
	const stdout = process.stdout;
	const lines = yield* make$19();
	let inputEnded = stdin.readableEnded;
	let readlineActive = false;
	const onStdinEnd = () => {
		inputEnded = true;
		if (!readlineActive) endUnsafe(lines);
	};
	stdin.once("end", onStdinEnd);
	yield* addFinalizer$1(() => sync(() => stdin.off("end", onStdinEnd)));
	const rlRef = yield* make$13({
		acquire: acquireRelease(sync(() => {
			const rl = readline.createInterface({
				input: stdin,
				escapeCodeTimeout: 50
			});
			const onLine = (line) => offerUnsafe(lines, line);
			const onClose = () => {
				readlineActive = false;
				endUnsafe(lines);
			};
			readlineActive = true;
			readline.emitKeypressEvents(stdin, rl);
			rl.on("line", onLine);
			rl.once("close", onClose);
			return {
				rl,
				onClose,
				onLine
			};
		}), ({ rl, onClose, onLine }) => sync(() => {
			readlineActive = false;
			rl.off("line", onLine);
			rl.off("close", onClose);
			rl.close();
			if (inputEnded) endUnsafe(lines);
		})),
		idleTimeToLive: "10 millis"
	});
	const setRawMode = (enabled) => sync(() => {
		if (stdin.isTTY) stdin.setRawMode(enabled);
	});
	const rawModeRef = yield* make$13({
		acquire: acquireRelease(setRawMode(true), () => setRawMode(false)),
		idleTimeToLive: "10 millis"
	});
	const columns = sync(() => stdout.columns ?? 0);
	const rows = sync(() => stdout.rows ?? 0);
	const size = gen(function* () {
		const queue = yield* sliding(1);
		const onResize = () => offerUnsafe(queue, {
			columns: stdout.columns ?? 0,
			rows: stdout.rows ?? 0
		});
		yield* addFinalizer$1(() => sync(() => {
			stdout.off("resize", onResize);
			endUnsafe(queue);
		}));
		stdout.on("resize", onResize);
		onResize();
		return queue;
	});
	const readInput = gen(function* () {
		const queue = yield* make$19();
		const handleKeypress = (s, k) => {
			const userInput = {
				input: fromUndefinedOr(s),
				key: {
					name: k.name ?? "",
					ctrl: !!k.ctrl,
					meta: !!k.meta,
					shift: !!k.shift
				}
			};
			offerUnsafe(queue, userInput);
			if (shouldQuit(userInput)) endUnsafe(queue);
		};
		const keepAlive = setInterval(() => {}, 2147483647);
		const handleEnd = () => {
			clearInterval(keepAlive);
			endUnsafe(queue);
		};
		yield* addFinalizer$1(() => sync(() => {
			clearInterval(keepAlive);
			stdin.off("keypress", handleKeypress);
			stdin.off("end", handleEnd);
		}));
		stdin.on("keypress", handleKeypress);
		if (inputEnded) handleEnd();
		else {
			yield* get(rlRef);
			yield* get(rawModeRef);
			stdin.once("end", handleEnd);
		}
		return queue;
	});
	const readLine = suspend(() => poll(lines).pipe(flatMap(match({
		onNone: () => scoped(andThen(get(rlRef), take(lines))),
		onSome: succeed
	})), mapError(() => new QuitError({}))));
	const display = (prompt) => uninterruptible(callback((resume) => {
		stdout.write(prompt, (err) => isNullish(err) ? resume(void_$1) : resume(fail(badArgument({
			module: "Terminal",
			method: "display",
			description: "Failed to write prompt to stdout",
			cause: err
		}))));
	}));
	return make$26({
		columns,
		rows,
		size,
		readInput,
		readLine,
		display
	});
});
/**
* Provides the default process-backed `Terminal` service, ending key input on
* bare Esc, Ctrl+C, or Ctrl+D.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$7 = /*#__PURE__*/ effect(Terminal, /*#__PURE__*/ make$2(defaultShouldQuit));
function defaultShouldQuit(input) {
	const key = input.key;
	return key.name === "escape" || key.ctrl && (key.name === "c" || key.name === "d");
}

// node_modules/@effect/platform-node/dist/NodeTerminal.js
/**
* Node.js implementation of the Effect `Terminal` service.
*
* This module reuses the shared Node terminal implementation. `make` creates a
* scoped process-backed `Terminal` service, and `layer` provides the default
* service with the standard quit behavior for key input.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Provides the default process-backed `Terminal` service, ending key input on
* bare Esc, Ctrl+C, or Ctrl+D.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$6 = layer$7;

// node_modules/@effect/platform-node/dist/NodeServices.js
/**
* Provides the default Node implementations for child process spawning,
* filesystem, path, stdio, and terminal services.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$5 = /*#__PURE__*/ provideMerge(layer$12, /*#__PURE__*/ mergeAll(layer$14, layer$10, layer$8, layer$6));

// node_modules/ws/lib/constants.js
var require_constants = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const BINARY_TYPES = [
		"nodebuffer",
		"arraybuffer",
		"fragments"
	];
	const hasBlob = typeof Blob !== "undefined";
	if (hasBlob) BINARY_TYPES.push("blob");
	module.exports = {
		BINARY_TYPES,
		CLOSE_TIMEOUT: 3e4,
		EMPTY_BUFFER: Buffer.alloc(0),
		GUID: "258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
		hasBlob,
		kForOnEventAttribute: Symbol("kIsForOnEventAttribute"),
		kListener: Symbol("kListener"),
		kStatusCode: Symbol("status-code"),
		kWebSocket: Symbol("websocket"),
		NOOP: () => {}
	};
}));

// node_modules/ws/lib/buffer-util.js
var require_buffer_util = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { websocketMask, websocketUnmask } = __require("http");
	const { EMPTY_BUFFER } = require_constants();
	const FastBuffer = Buffer[Symbol.species];
	/**
	* Merges an array of buffers into a new buffer.
	*
	* @param {Buffer[]} list The array of buffers to concat
	* @param {Number} totalLength The total length of buffers in the list
	* @return {Buffer} The resulting buffer
	* @public
	*/
	function concat(list, totalLength) {
		if (list.length === 0) return EMPTY_BUFFER;
		if (list.length === 1) return list[0];
		const target = Buffer.allocUnsafe(totalLength);
		let offset = 0;
		for (let i = 0; i < list.length; i++) {
			const buf = list[i];
			target.set(buf, offset);
			offset += buf.length;
		}
		if (offset < totalLength) return new FastBuffer(target.buffer, target.byteOffset, offset);
		return target;
	}
	/**
	* Masks a buffer using the given mask.
	*
	* @param {Buffer} source The buffer to mask
	* @param {Buffer} mask The mask to use
	* @param {Buffer} output The buffer where to store the result
	* @param {Number} offset The offset at which to start writing
	* @param {Number} length The number of bytes to mask.
	* @public
	*/
	function _mask(source, mask, output, offset, length) {
		for (let i = 0; i < length; i++) output[offset + i] = source[i] ^ mask[i & 3];
	}
	/**
	* Unmasks a buffer using the given mask.
	*
	* @param {Buffer} buffer The buffer to unmask
	* @param {Buffer} mask The mask to use
	* @public
	*/
	function _unmask(buffer, mask) {
		for (let i = 0; i < buffer.length; i++) buffer[i] ^= mask[i & 3];
	}
	/**
	* Converts a buffer to an `ArrayBuffer`.
	*
	* @param {Buffer} buf The buffer to convert
	* @return {ArrayBuffer} Converted buffer
	* @public
	*/
	function toArrayBuffer(buf) {
		if (buf.length === buf.buffer.byteLength) return buf.buffer;
		return buf.buffer.slice(buf.byteOffset, buf.byteOffset + buf.length);
	}
	/**
	* Converts `data` to a `Buffer`.
	*
	* @param {*} data The data to convert
	* @return {Buffer} The buffer
	* @throws {TypeError}
	* @public
	*/
	function toBuffer(data) {
		toBuffer.readOnly = true;
		if (Buffer.isBuffer(data)) return data;
		let buf;
		if (data instanceof ArrayBuffer) buf = new FastBuffer(data);
		else if (ArrayBuffer.isView(data)) buf = new FastBuffer(data.buffer, data.byteOffset, data.byteLength);
		else {
			buf = Buffer.from(data);
			toBuffer.readOnly = false;
		}
		return buf;
	}
	module.exports = {
		concat,
		mask: _mask,
		toArrayBuffer,
		toBuffer,
		unmask: _unmask
	};
	if (websocketMask) {
		module.exports.mask = function(source, mask, output, offset, length) {
			if (length < 24) _mask(source, mask, output, offset, length);
			else websocketMask(source, mask, output, offset, length);
		};
		module.exports.unmask = function(buffer, mask) {
			if (buffer.length < 24) _unmask(buffer, mask);
			else websocketUnmask(buffer, mask);
		};
	} else if (!process.env.WS_NO_BUFFER_UTIL) try {
		const bufferUtil = __require("bufferutil");
		module.exports.mask = function(source, mask, output, offset, length) {
			if (length < 48) _mask(source, mask, output, offset, length);
			else bufferUtil.mask(source, mask, output, offset, length);
		};
		module.exports.unmask = function(buffer, mask) {
			if (buffer.length < 32) _unmask(buffer, mask);
			else bufferUtil.unmask(buffer, mask);
		};
	} catch (e) {}
}));

// node_modules/ws/lib/limiter.js
var require_limiter = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const kDone = Symbol("kDone");
	const kRun = Symbol("kRun");
	/**
	* A very simple job queue with adjustable concurrency. Adapted from
	* https://github.com/STRML/async-limiter
	*/
	var Limiter = class {
		/**
		* Creates a new `Limiter`.
		*
		* @param {Number} [concurrency=Infinity] The maximum number of jobs allowed
		*     to run concurrently
		*/
		constructor(concurrency) {
			this[kDone] = () => {
				this.pending--;
				this[kRun]();
			};
			this.concurrency = concurrency || Infinity;
			this.jobs = [];
			this.pending = 0;
		}
		/**
		* Adds a job to the queue.
		*
		* @param {Function} job The job to run
		* @public
		*/
		add(job) {
			this.jobs.push(job);
			this[kRun]();
		}
		/**
		* Removes a job from the queue and runs it if possible.
		*
		* @private
		*/
		[kRun]() {
			if (this.pending === this.concurrency) return;
			if (this.jobs.length) {
				const job = this.jobs.shift();
				this.pending++;
				job(this[kDone]);
			}
		}
	};
	module.exports = Limiter;
}));

// node_modules/ws/lib/permessage-deflate.js
var require_permessage_deflate = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const zlib = __require("zlib");
	const bufferUtil = require_buffer_util();
	const Limiter = require_limiter();
	const { kStatusCode } = require_constants();
	const FastBuffer = Buffer[Symbol.species];
	const TRAILER = Buffer.from([
		0,
		0,
		255,
		255
	]);
	const kPerMessageDeflate = Symbol("permessage-deflate");
	const kTotalLength = Symbol("total-length");
	const kCallback = Symbol("callback");
	const kBuffers = Symbol("buffers");
	const kError = Symbol("error");
	let zlibLimiter;
	/**
	* permessage-deflate implementation.
	*/
	var PerMessageDeflate = class {
		/**
		* Creates a PerMessageDeflate instance.
		*
		* @param {Object} [options] Configuration options
		* @param {(Boolean|Number)} [options.clientMaxWindowBits] Advertise support
		*     for, or request, a custom client window size
		* @param {Boolean} [options.clientNoContextTakeover=false] Advertise/
		*     acknowledge disabling of client context takeover
		* @param {Number} [options.concurrencyLimit=10] The number of concurrent
		*     calls to zlib
		* @param {Boolean} [options.isServer=false] Create the instance in either
		*     server or client mode
		* @param {Number} [options.maxPayload=0] The maximum allowed message length
		* @param {(Boolean|Number)} [options.serverMaxWindowBits] Request/confirm the
		*     use of a custom server window size
		* @param {Boolean} [options.serverNoContextTakeover=false] Request/accept
		*     disabling of server context takeover
		* @param {Number} [options.threshold=1024] Size (in bytes) below which
		*     messages should not be compressed if context takeover is disabled
		* @param {Object} [options.zlibDeflateOptions] Options to pass to zlib on
		*     deflate
		* @param {Object} [options.zlibInflateOptions] Options to pass to zlib on
		*     inflate
		*/
		constructor(options) {
			this._options = options || {};
			this._threshold = this._options.threshold !== void 0 ? this._options.threshold : 1024;
			this._maxPayload = this._options.maxPayload | 0;
			this._isServer = !!this._options.isServer;
			this._deflate = null;
			this._inflate = null;
			this.params = null;
			if (!zlibLimiter) {
				const concurrency = this._options.concurrencyLimit !== void 0 ? this._options.concurrencyLimit : 10;
				zlibLimiter = new Limiter(concurrency);
			}
		}
		/**
		* @type {String}
		*/
		static get extensionName() {
			return "permessage-deflate";
		}
		/**
		* Create an extension negotiation offer.
		*
		* @return {Object} Extension parameters
		* @public
		*/
		offer() {
			const params = {};
			if (this._options.serverNoContextTakeover) params.server_no_context_takeover = true;
			if (this._options.clientNoContextTakeover) params.client_no_context_takeover = true;
			if (this._options.serverMaxWindowBits) params.server_max_window_bits = this._options.serverMaxWindowBits;
			if (this._options.clientMaxWindowBits) params.client_max_window_bits = this._options.clientMaxWindowBits;
			else if (this._options.clientMaxWindowBits == null) params.client_max_window_bits = true;
			return params;
		}
		/**
		* Accept an extension negotiation offer/response.
		*
		* @param {Array} configurations The extension negotiation offers/reponse
		* @return {Object} Accepted configuration
		* @public
		*/
		accept(configurations) {
			configurations = this.normalizeParams(configurations);
			this.params = this._isServer ? this.acceptAsServer(configurations) : this.acceptAsClient(configurations);
			return this.params;
		}
		/**
		* Releases all resources used by the extension.
		*
		* @public
		*/
		cleanup() {
			if (this._inflate) {
				this._inflate.close();
				this._inflate = null;
			}
			if (this._deflate) {
				const callback = this._deflate[kCallback];
				this._deflate.close();
				this._deflate = null;
				if (callback) callback(/* @__PURE__ */ new Error("The deflate stream was closed while data was being processed"));
			}
		}
		/**
		*  Accept an extension negotiation offer.
		*
		* @param {Array} offers The extension negotiation offers
		* @return {Object} Accepted configuration
		* @private
		*/
		acceptAsServer(offers) {
			const opts = this._options;
			const accepted = offers.find((params) => {
				if (opts.serverNoContextTakeover === false && params.server_no_context_takeover || params.server_max_window_bits && (opts.serverMaxWindowBits === false || typeof opts.serverMaxWindowBits === "number" && opts.serverMaxWindowBits > params.server_max_window_bits) || typeof opts.clientMaxWindowBits === "number" && (typeof params.client_max_window_bits === "number" ? opts.clientMaxWindowBits > params.client_max_window_bits : !params.client_max_window_bits)) return false;
				return true;
			});
			if (!accepted) throw new Error("None of the extension offers can be accepted");
			if (opts.serverNoContextTakeover) accepted.server_no_context_takeover = true;
			if (opts.clientNoContextTakeover) accepted.client_no_context_takeover = true;
			if (typeof opts.serverMaxWindowBits === "number") accepted.server_max_window_bits = opts.serverMaxWindowBits;
			if (typeof opts.clientMaxWindowBits === "number") accepted.client_max_window_bits = opts.clientMaxWindowBits;
			else if (accepted.client_max_window_bits === true || opts.clientMaxWindowBits === false) delete accepted.client_max_window_bits;
			return accepted;
		}
		/**
		* Accept the extension negotiation response.
		*
		* @param {Array} response The extension negotiation response
		* @return {Object} Accepted configuration
		* @private
		*/
		acceptAsClient(response) {
			const params = response[0];
			if (this._options.clientNoContextTakeover === false && params.client_no_context_takeover) throw new Error("Unexpected parameter \"client_no_context_takeover\"");
			if (!params.client_max_window_bits) {
				if (typeof this._options.clientMaxWindowBits === "number") params.client_max_window_bits = this._options.clientMaxWindowBits;
			} else if (this._options.clientMaxWindowBits === false || typeof this._options.clientMaxWindowBits === "number" && params.client_max_window_bits > this._options.clientMaxWindowBits) throw new Error("Unexpected or invalid parameter \"client_max_window_bits\"");
			return params;
		}
		/**
		* Normalize parameters.
		*
		* @param {Array} configurations The extension negotiation offers/reponse
		* @return {Array} The offers/response with normalized parameters
		* @private
		*/
		normalizeParams(configurations) {
			configurations.forEach((params) => {
				Object.keys(params).forEach((key) => {
					let value = params[key];
					if (value.length > 1) throw new Error(`Parameter "${key}" must have only a single value`);
					value = value[0];
					if (key === "client_max_window_bits") {
						if (value !== true) {
							const num = +value;
							if (!Number.isInteger(num) || num < 8 || num > 15) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
							value = num;
						} else if (!this._isServer) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
					} else if (key === "server_max_window_bits") {
						const num = +value;
						if (!Number.isInteger(num) || num < 8 || num > 15) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
						value = num;
					} else if (key === "client_no_context_takeover" || key === "server_no_context_takeover") {
						if (value !== true) throw new TypeError(`Invalid value for parameter "${key}": ${value}`);
					} else throw new Error(`Unknown parameter "${key}"`);
					params[key] = value;
				});
			});
			return configurations;
		}
		/**
		* Decompress data. Concurrency limited.
		*
		* @param {Buffer} data Compressed data
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @public
		*/
		decompress(data, fin, callback) {
			zlibLimiter.add((done) => {
				this._decompress(data, fin, (err, result) => {
					done();
					callback(err, result);
				});
			});
		}
		/**
		* Compress data. Concurrency limited.
		*
		* @param {(Buffer|String)} data Data to compress
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @public
		*/
		compress(data, fin, callback) {
			zlibLimiter.add((done) => {
				this._compress(data, fin, (err, result) => {
					done();
					callback(err, result);
				});
			});
		}
		/**
		* Decompress data.
		*
		* @param {Buffer} data Compressed data
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @private
		*/
		_decompress(data, fin, callback) {
			const endpoint = this._isServer ? "client" : "server";
			if (!this._inflate) {
				const key = `${endpoint}_max_window_bits`;
				const windowBits = typeof this.params[key] !== "number" ? zlib.Z_DEFAULT_WINDOWBITS : this.params[key];
				this._inflate = zlib.createInflateRaw({
					...this._options.zlibInflateOptions,
					windowBits
				});
				this._inflate[kPerMessageDeflate] = this;
				this._inflate[kTotalLength] = 0;
				this._inflate[kBuffers] = [];
				this._inflate.on("error", inflateOnError);
				this._inflate.on("data", inflateOnData);
			}
			this._inflate[kCallback] = callback;
			this._inflate.write(data);
			if (fin) this._inflate.write(TRAILER);
			this._inflate.flush(() => {
				const err = this._inflate[kError];
				if (err) {
					this._inflate.close();
					this._inflate = null;
					callback(err);
					return;
				}
				const data = bufferUtil.concat(this._inflate[kBuffers], this._inflate[kTotalLength]);
				if (this._inflate._readableState.endEmitted) {
					this._inflate.close();
					this._inflate = null;
				} else {
					this._inflate[kTotalLength] = 0;
					this._inflate[kBuffers] = [];
					if (fin && this.params[`${endpoint}_no_context_takeover`]) this._inflate.reset();
				}
				callback(null, data);
			});
		}
		/**
		* Compress data.
		*
		* @param {(Buffer|String)} data Data to compress
		* @param {Boolean} fin Specifies whether or not this is the last fragment
		* @param {Function} callback Callback
		* @private
		*/
		_compress(data, fin, callback) {
			const endpoint = this._isServer ? "server" : "client";
			if (!this._deflate) {
				const key = `${endpoint}_max_window_bits`;
				const windowBits = typeof this.params[key] !== "number" ? zlib.Z_DEFAULT_WINDOWBITS : this.params[key];
				this._deflate = zlib.createDeflateRaw({
					...this._options.zlibDeflateOptions,
					windowBits
				});
				this._deflate[kTotalLength] = 0;
				this._deflate[kBuffers] = [];
				this._deflate.on("data", deflateOnData);
			}
			this._deflate[kCallback] = callback;
			this._deflate.write(data);
			this._deflate.flush(zlib.Z_SYNC_FLUSH, () => {
				if (!this._deflate) return;
				let data = bufferUtil.concat(this._deflate[kBuffers], this._deflate[kTotalLength]);
				if (fin) data = new FastBuffer(data.buffer, data.byteOffset, data.length - 4);
				this._deflate[kCallback] = null;
				this._deflate[kTotalLength] = 0;
				this._deflate[kBuffers] = [];
				if (fin && this.params[`${endpoint}_no_context_takeover`]) this._deflate.reset();
				callback(null, data);
			});
		}
	};
	module.exports = PerMessageDeflate;
	/**
	* The listener of the `zlib.DeflateRaw` stream `'data'` event.
	*
	* @param {Buffer} chunk A chunk of data
	* @private
	*/
	function deflateOnData(chunk) {
		this[kBuffers].push(chunk);
		this[kTotalLength] += chunk.length;
	}
	/**
	* The listener of the `zlib.InflateRaw` stream `'data'` event.
	*
	* @param {Buffer} chunk A chunk of data
	* @private
	*/
	function inflateOnData(chunk) {
		this[kTotalLength] += chunk.length;
		if (this[kPerMessageDeflate]._maxPayload < 1 || this[kTotalLength] <= this[kPerMessageDeflate]._maxPayload) {
			this[kBuffers].push(chunk);
			return;
		}
		this[kError] = /* @__PURE__ */ new RangeError("Max payload size exceeded");
		this[kError].code = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
		this[kError][kStatusCode] = 1009;
		this.removeListener("data", inflateOnData);
		this.reset();
	}
	/**
	* The listener of the `zlib.InflateRaw` stream `'error'` event.
	*
	* @param {Error} err The emitted error
	* @private
	*/
	function inflateOnError(err) {
		this[kPerMessageDeflate]._inflate = null;
		if (this[kError]) {
			this[kCallback](this[kError]);
			return;
		}
		err[kStatusCode] = 1007;
		this[kCallback](err);
	}
}));

// node_modules/ws/lib/validation.js
var require_validation = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { isUtf8 } = __require("buffer");
	const { hasBlob } = require_constants();
	const tokenChars = [
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		1,
		0,
		1,
		1,
		1,
		1,
		1,
		0,
		0,
		1,
		1,
		0,
		1,
		1,
		0,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		0,
		0,
		0,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		1,
		0,
		1,
		0,
		1,
		0
	];
	/**
	* Checks if a status code is allowed in a close frame.
	*
	* @param {Number} code The status code
	* @return {Boolean} `true` if the status code is valid, else `false`
	* @public
	*/
	function isValidStatusCode(code) {
		return code >= 1e3 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006 || code >= 3e3 && code <= 4999;
	}
	/**
	* Checks if a given buffer contains only correct UTF-8.
	* Ported from https://www.cl.cam.ac.uk/%7Emgk25/ucs/utf8_check.c by
	* Markus Kuhn.
	*
	* @param {Buffer} buf The buffer to check
	* @return {Boolean} `true` if `buf` contains only correct UTF-8, else `false`
	* @public
	*/
	function _isValidUTF8(buf) {
		const len = buf.length;
		let i = 0;
		while (i < len) if ((buf[i] & 128) === 0) i++;
		else if ((buf[i] & 224) === 192) {
			if (i + 1 === len || (buf[i + 1] & 192) !== 128 || (buf[i] & 254) === 192) return false;
			i += 2;
		} else if ((buf[i] & 240) === 224) {
			if (i + 2 >= len || (buf[i + 1] & 192) !== 128 || (buf[i + 2] & 192) !== 128 || buf[i] === 224 && (buf[i + 1] & 224) === 128 || buf[i] === 237 && (buf[i + 1] & 224) === 160) return false;
			i += 3;
		} else if ((buf[i] & 248) === 240) {
			if (i + 3 >= len || (buf[i + 1] & 192) !== 128 || (buf[i + 2] & 192) !== 128 || (buf[i + 3] & 192) !== 128 || buf[i] === 240 && (buf[i + 1] & 240) === 128 || buf[i] === 244 && buf[i + 1] > 143 || buf[i] > 244) return false;
			i += 4;
		} else return false;
		return true;
	}
	/**
	* Determines whether a value is a `Blob`.
	*
	* @param {*} value The value to be tested
	* @return {Boolean} `true` if `value` is a `Blob`, else `false`
	* @private
	*/
	function isBlob(value) {
		return hasBlob && typeof value === "object" && typeof value.arrayBuffer === "function" && typeof value.type === "string" && typeof value.stream === "function" && (value[Symbol.toStringTag] === "Blob" || value[Symbol.toStringTag] === "File");
	}
	module.exports = {
		isBlob,
		isValidStatusCode,
		isValidUTF8: _isValidUTF8,
		tokenChars
	};
	if (isUtf8) module.exports.isValidUTF8 = function(buf) {
		return buf.length < 24 ? _isValidUTF8(buf) : isUtf8(buf);
	};
	else if (!process.env.WS_NO_UTF_8_VALIDATE) try {
		const isValidUTF8 = __require("utf-8-validate");
		module.exports.isValidUTF8 = function(buf) {
			return buf.length < 32 ? _isValidUTF8(buf) : isValidUTF8(buf);
		};
	} catch (e) {}
}));

// node_modules/ws/lib/receiver.js
var require_receiver = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { Writable } = __require("stream");
	const PerMessageDeflate = require_permessage_deflate();
	const { BINARY_TYPES, EMPTY_BUFFER, kStatusCode, kWebSocket } = require_constants();
	const { concat, toArrayBuffer, unmask } = require_buffer_util();
	const { isValidStatusCode, isValidUTF8 } = require_validation();
	const FastBuffer = Buffer[Symbol.species];
	const GET_INFO = 0;
	const GET_PAYLOAD_LENGTH_16 = 1;
	const GET_PAYLOAD_LENGTH_64 = 2;
	const GET_MASK = 3;
	const GET_DATA = 4;
	const INFLATING = 5;
	const DEFER_EVENT = 6;
	/**
	* HyBi Receiver implementation.
	*
	* @extends Writable
	*/
	var Receiver = class extends Writable {
		/**
		* Creates a Receiver instance.
		*
		* @param {Object} [options] Options object
		* @param {Boolean} [options.allowSynchronousEvents=true] Specifies whether
		*     any of the `'message'`, `'ping'`, and `'pong'` events can be emitted
		*     multiple times in the same tick
		* @param {String} [options.binaryType=nodebuffer] The type for binary data
		* @param {Object} [options.extensions] An object containing the negotiated
		*     extensions
		* @param {Boolean} [options.isServer=false] Specifies whether to operate in
		*     client or server mode
		* @param {Number} [options.maxBufferedChunks=0] The maximum number of
		*     buffered data chunks
		* @param {Number} [options.maxFragments=0] The maximum number of message
		*     fragments
		* @param {Number} [options.maxPayload=0] The maximum allowed message length
		* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
		*     not to skip UTF-8 validation for text and close messages
		*/
		constructor(options = {}) {
			super();
			this._allowSynchronousEvents = options.allowSynchronousEvents !== void 0 ? options.allowSynchronousEvents : true;
			this._binaryType = options.binaryType || BINARY_TYPES[0];
			this._extensions = options.extensions || {};
			this._isServer = !!options.isServer;
			this._maxBufferedChunks = options.maxBufferedChunks | 0;
			this._maxFragments = options.maxFragments | 0;
			this._maxPayload = options.maxPayload | 0;
			this._skipUTF8Validation = !!options.skipUTF8Validation;
			this[kWebSocket] = void 0;
			this._bufferedBytes = 0;
			this._buffers = [];
			this._compressed = false;
			this._payloadLength = 0;
			this._mask = void 0;
			this._fragmented = 0;
			this._masked = false;
			this._fin = false;
			this._opcode = 0;
			this._totalPayloadLength = 0;
			this._messageLength = 0;
			this._numFragments = 0;
			this._fragments = [];
			this._errored = false;
			this._loop = false;
			this._state = GET_INFO;
		}
		/**
		* Implements `Writable.prototype._write()`.
		*
		* @param {Buffer} chunk The chunk of data to write
		* @param {String} encoding The character encoding of `chunk`
		* @param {Function} cb Callback
		* @private
		*/
		_write(chunk, encoding, cb) {
			if (this._opcode === 8 && this._state == GET_INFO) return cb();
			if (this._maxBufferedChunks > 0 && this._buffers.length >= this._maxBufferedChunks) {
				cb(this.createError(RangeError, "Too many buffered chunks", false, 1008, "WS_ERR_TOO_MANY_BUFFERED_PARTS"));
				return;
			}
			this._bufferedBytes += chunk.length;
			this._buffers.push(chunk);
			this.startLoop(cb);
		}
		/**
		* Consumes `n` bytes from the buffered data.
		*
		* @param {Number} n The number of bytes to consume
		* @return {Buffer} The consumed bytes
		* @private
		*/
		consume(n) {
			this._bufferedBytes -= n;
			if (n === this._buffers[0].length) return this._buffers.shift();
			if (n < this._buffers[0].length) {
				const buf = this._buffers[0];
				this._buffers[0] = new FastBuffer(buf.buffer, buf.byteOffset + n, buf.length - n);
				return new FastBuffer(buf.buffer, buf.byteOffset, n);
			}
			const dst = Buffer.allocUnsafe(n);
			do {
				const buf = this._buffers[0];
				const offset = dst.length - n;
				if (n >= buf.length) dst.set(this._buffers.shift(), offset);
				else {
					dst.set(new Uint8Array(buf.buffer, buf.byteOffset, n), offset);
					this._buffers[0] = new FastBuffer(buf.buffer, buf.byteOffset + n, buf.length - n);
				}
				n -= buf.length;
			} while (n > 0);
			return dst;
		}
		/**
		* Starts the parsing loop.
		*
		* @param {Function} cb Callback
		* @private
		*/
		startLoop(cb) {
			this._loop = true;
			do
				switch (this._state) {
					case GET_INFO:
						this.getInfo(cb);
						break;
					case GET_PAYLOAD_LENGTH_16:
						this.getPayloadLength16(cb);
						break;
					case GET_PAYLOAD_LENGTH_64:
						this.getPayloadLength64(cb);
						break;
					case GET_MASK:
						this.getMask();
						break;
					case GET_DATA:
						this.getData(cb);
						break;
					case INFLATING:
					case DEFER_EVENT:
						this._loop = false;
						return;
				}
			while (this._loop);
			if (!this._errored) cb();
		}
		/**
		* Reads the first two bytes of a frame.
		*
		* @param {Function} cb Callback
		* @private
		*/
		getInfo(cb) {
			if (this._bufferedBytes < 2) {
				this._loop = false;
				return;
			}
			const buf = this.consume(2);
			if ((buf[0] & 48) !== 0) {
				cb(this.createError(RangeError, "RSV2 and RSV3 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_2_3"));
				return;
			}
			const compressed = (buf[0] & 64) === 64;
			if (compressed && !this._extensions[PerMessageDeflate.extensionName]) {
				cb(this.createError(RangeError, "RSV1 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_1"));
				return;
			}
			this._fin = (buf[0] & 128) === 128;
			this._opcode = buf[0] & 15;
			this._payloadLength = buf[1] & 127;
			if (this._opcode === 0) {
				if (compressed) {
					cb(this.createError(RangeError, "RSV1 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_1"));
					return;
				}
				if (!this._fragmented) {
					cb(this.createError(RangeError, "invalid opcode 0", true, 1002, "WS_ERR_INVALID_OPCODE"));
					return;
				}
				this._opcode = this._fragmented;
			} else if (this._opcode === 1 || this._opcode === 2) {
				if (this._fragmented) {
					cb(this.createError(RangeError, `invalid opcode ${this._opcode}`, true, 1002, "WS_ERR_INVALID_OPCODE"));
					return;
				}
				this._compressed = compressed;
			} else if (this._opcode > 7 && this._opcode < 11) {
				if (!this._fin) {
					cb(this.createError(RangeError, "FIN must be set", true, 1002, "WS_ERR_EXPECTED_FIN"));
					return;
				}
				if (compressed) {
					cb(this.createError(RangeError, "RSV1 must be clear", true, 1002, "WS_ERR_UNEXPECTED_RSV_1"));
					return;
				}
				if (this._payloadLength > 125 || this._opcode === 8 && this._payloadLength === 1) {
					cb(this.createError(RangeError, `invalid payload length ${this._payloadLength}`, true, 1002, "WS_ERR_INVALID_CONTROL_PAYLOAD_LENGTH"));
					return;
				}
			} else {
				cb(this.createError(RangeError, `invalid opcode ${this._opcode}`, true, 1002, "WS_ERR_INVALID_OPCODE"));
				return;
			}
			if (!this._fin && !this._fragmented) this._fragmented = this._opcode;
			this._masked = (buf[1] & 128) === 128;
			if (this._isServer) {
				if (!this._masked) {
					cb(this.createError(RangeError, "MASK must be set", true, 1002, "WS_ERR_EXPECTED_MASK"));
					return;
				}
			} else if (this._masked) {
				cb(this.createError(RangeError, "MASK must be clear", true, 1002, "WS_ERR_UNEXPECTED_MASK"));
				return;
			}
			if (this._payloadLength === 126) this._state = GET_PAYLOAD_LENGTH_16;
			else if (this._payloadLength === 127) this._state = GET_PAYLOAD_LENGTH_64;
			else this.haveLength(cb);
		}
		/**
		* Gets extended payload length (7+16).
		*
		* @param {Function} cb Callback
		* @private
		*/
		getPayloadLength16(cb) {
			if (this._bufferedBytes < 2) {
				this._loop = false;
				return;
			}
			this._payloadLength = this.consume(2).readUInt16BE(0);
			this.haveLength(cb);
		}
		/**
		* Gets extended payload length (7+64).
		*
		* @param {Function} cb Callback
		* @private
		*/
		getPayloadLength64(cb) {
			if (this._bufferedBytes < 8) {
				this._loop = false;
				return;
			}
			const buf = this.consume(8);
			const num = buf.readUInt32BE(0);
			if (num > Math.pow(2, 21) - 1) {
				cb(this.createError(RangeError, "Unsupported WebSocket frame: payload length > 2^53 - 1", false, 1009, "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH"));
				return;
			}
			this._payloadLength = num * Math.pow(2, 32) + buf.readUInt32BE(4);
			this.haveLength(cb);
		}
		/**
		* Payload length has been read.
		*
		* @param {Function} cb Callback
		* @private
		*/
		haveLength(cb) {
			if (this._payloadLength && this._opcode < 8) {
				this._totalPayloadLength += this._payloadLength;
				if (this._totalPayloadLength > this._maxPayload && this._maxPayload > 0) {
					cb(this.createError(RangeError, "Max payload size exceeded", false, 1009, "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"));
					return;
				}
			}
			if (this._masked) this._state = GET_MASK;
			else this._state = GET_DATA;
		}
		/**
		* Reads mask bytes.
		*
		* @private
		*/
		getMask() {
			if (this._bufferedBytes < 4) {
				this._loop = false;
				return;
			}
			this._mask = this.consume(4);
			this._state = GET_DATA;
		}
		/**
		* Reads data bytes.
		*
		* @param {Function} cb Callback
		* @private
		*/
		getData(cb) {
			let data = EMPTY_BUFFER;
			if (this._payloadLength) {
				if (this._bufferedBytes < this._payloadLength) {
					this._loop = false;
					return;
				}
				data = this.consume(this._payloadLength);
				if (this._masked && (this._mask[0] | this._mask[1] | this._mask[2] | this._mask[3]) !== 0) unmask(data, this._mask);
			}
			this._mask = void 0;
			if (this._opcode > 7) {
				this.controlMessage(data, cb);
				return;
			}
			if (this._maxFragments > 0 && ++this._numFragments > this._maxFragments) {
				cb(this.createError(RangeError, "Too many message fragments", false, 1008, "WS_ERR_TOO_MANY_BUFFERED_PARTS"));
				return;
			}
			if (this._compressed) {
				this._state = INFLATING;
				this.decompress(data, cb);
				return;
			}
			if (data.length) {
				this._messageLength = this._totalPayloadLength;
				this._fragments.push(data);
			}
			this.dataMessage(cb);
		}
		/**
		* Decompresses data.
		*
		* @param {Buffer} data Compressed data
		* @param {Function} cb Callback
		* @private
		*/
		decompress(data, cb) {
			this._extensions[PerMessageDeflate.extensionName].decompress(data, this._fin, (err, buf) => {
				if (err) return cb(err);
				if (buf.length) {
					this._messageLength += buf.length;
					if (this._messageLength > this._maxPayload && this._maxPayload > 0) {
						cb(this.createError(RangeError, "Max payload size exceeded", false, 1009, "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"));
						return;
					}
					this._fragments.push(buf);
				}
				this.dataMessage(cb);
				if (this._state === GET_INFO) this.startLoop(cb);
			});
		}
		/**
		* Handles a data message.
		*
		* @param {Function} cb Callback
		* @private
		*/
		dataMessage(cb) {
			if (!this._fin) {
				this._state = GET_INFO;
				return;
			}
			const messageLength = this._messageLength;
			const fragments = this._fragments;
			this._totalPayloadLength = 0;
			this._messageLength = 0;
			this._fragmented = 0;
			this._numFragments = 0;
			this._fragments = [];
			if (this._opcode === 2) {
				let data;
				if (this._binaryType === "nodebuffer") data = concat(fragments, messageLength);
				else if (this._binaryType === "arraybuffer") data = toArrayBuffer(concat(fragments, messageLength));
				else if (this._binaryType === "blob") data = new Blob(fragments);
				else data = fragments;
				if (this._allowSynchronousEvents) {
					this.emit("message", data, true);
					this._state = GET_INFO;
				} else {
					this._state = DEFER_EVENT;
					setImmediate(() => {
						this.emit("message", data, true);
						this._state = GET_INFO;
						this.startLoop(cb);
					});
				}
			} else {
				const buf = concat(fragments, messageLength);
				if (!this._skipUTF8Validation && !isValidUTF8(buf)) {
					cb(this.createError(Error, "invalid UTF-8 sequence", true, 1007, "WS_ERR_INVALID_UTF8"));
					return;
				}
				if (this._state === INFLATING || this._allowSynchronousEvents) {
					this.emit("message", buf, false);
					this._state = GET_INFO;
				} else {
					this._state = DEFER_EVENT;
					setImmediate(() => {
						this.emit("message", buf, false);
						this._state = GET_INFO;
						this.startLoop(cb);
					});
				}
			}
		}
		/**
		* Handles a control message.
		*
		* @param {Buffer} data Data to handle
		* @return {(Error|RangeError|undefined)} A possible error
		* @private
		*/
		controlMessage(data, cb) {
			if (this._opcode === 8) {
				if (data.length === 0) {
					this._loop = false;
					this.emit("conclude", 1005, EMPTY_BUFFER);
					this.end();
				} else {
					const code = data.readUInt16BE(0);
					if (!isValidStatusCode(code)) {
						cb(this.createError(RangeError, `invalid status code ${code}`, true, 1002, "WS_ERR_INVALID_CLOSE_CODE"));
						return;
					}
					const buf = new FastBuffer(data.buffer, data.byteOffset + 2, data.length - 2);
					if (!this._skipUTF8Validation && !isValidUTF8(buf)) {
						cb(this.createError(Error, "invalid UTF-8 sequence", true, 1007, "WS_ERR_INVALID_UTF8"));
						return;
					}
					this._loop = false;
					this.emit("conclude", code, buf);
					this.end();
				}
				this._state = GET_INFO;
				return;
			}
			if (this._allowSynchronousEvents) {
				this.emit(this._opcode === 9 ? "ping" : "pong", data);
				this._state = GET_INFO;
			} else {
				this._state = DEFER_EVENT;
				setImmediate(() => {
					this.emit(this._opcode === 9 ? "ping" : "pong", data);
					this._state = GET_INFO;
					this.startLoop(cb);
				});
			}
		}
		/**
		* Builds an error object.
		*
		* @param {function(new:Error|RangeError)} ErrorCtor The error constructor
		* @param {String} message The error message
		* @param {Boolean} prefix Specifies whether or not to add a default prefix to
		*     `message`
		* @param {Number} statusCode The status code
		* @param {String} errorCode The exposed error code
		* @return {(Error|RangeError)} The error
		* @private
		*/
		createError(ErrorCtor, message, prefix, statusCode, errorCode) {
			this._loop = false;
			this._errored = true;
			const err = new ErrorCtor(prefix ? `Invalid WebSocket frame: ${message}` : message);
			Error.captureStackTrace(err, this.createError);
			err.code = errorCode;
			err[kStatusCode] = statusCode;
			return err;
		}
	};
	module.exports = Receiver;
}));

// node_modules/ws/lib/sender.js
var require_sender = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { Duplex } = __require("stream");
	const { randomFillSync } = __require("crypto");
	const { types: { isUint8Array } } = __require("util");
	const PerMessageDeflate = require_permessage_deflate();
	const { EMPTY_BUFFER, kWebSocket, NOOP } = require_constants();
	const { isBlob, isValidStatusCode } = require_validation();
	const { mask: applyMask, toBuffer } = require_buffer_util();
	const kByteLength = Symbol("kByteLength");
	const maskBuffer = Buffer.alloc(4);
	const RANDOM_POOL_SIZE = 8192;
	let randomPool;
	let randomPoolPointer = RANDOM_POOL_SIZE;
	const DEFAULT = 0;
	const DEFLATING = 1;
	const GET_BLOB_DATA = 2;
	/**
	* HyBi Sender implementation.
	*/
	var Sender = class Sender {
		/**
		* Creates a Sender instance.
		*
		* @param {Duplex} socket The connection socket
		* @param {Object} [extensions] An object containing the negotiated extensions
		* @param {Function} [generateMask] The function used to generate the masking
		*     key
		*/
		constructor(socket, extensions, generateMask) {
			this._extensions = extensions || {};
			if (generateMask) {
				this._generateMask = generateMask;
				this._maskBuffer = Buffer.alloc(4);
			}
			this._socket = socket;
			this._firstFragment = true;
			this._compress = false;
			this._bufferedBytes = 0;
			this._queue = [];
			this._state = DEFAULT;
			this.onerror = NOOP;
			this[kWebSocket] = void 0;
		}
		/**
		* Frames a piece of data according to the HyBi WebSocket protocol.
		*
		* @param {(Buffer|String)} data The data to frame
		* @param {Object} options Options object
		* @param {Boolean} [options.fin=false] Specifies whether or not to set the
		*     FIN bit
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Buffer} [options.maskBuffer] The buffer used to store the masking
		*     key
		* @param {Number} options.opcode The opcode
		* @param {Boolean} [options.readOnly=false] Specifies whether `data` can be
		*     modified
		* @param {Boolean} [options.rsv1=false] Specifies whether or not to set the
		*     RSV1 bit
		* @return {(Buffer|String)[]} The framed data
		* @public
		*/
		static frame(data, options) {
			let mask;
			let merge = false;
			let offset = 2;
			let skipMasking = false;
			if (options.mask) {
				mask = options.maskBuffer || maskBuffer;
				if (options.generateMask) options.generateMask(mask);
				else {
					if (randomPoolPointer === RANDOM_POOL_SIZE) {
						/* istanbul ignore else  */
						if (randomPool === void 0) randomPool = Buffer.alloc(RANDOM_POOL_SIZE);
						randomFillSync(randomPool, 0, RANDOM_POOL_SIZE);
						randomPoolPointer = 0;
					}
					mask[0] = randomPool[randomPoolPointer++];
					mask[1] = randomPool[randomPoolPointer++];
					mask[2] = randomPool[randomPoolPointer++];
					mask[3] = randomPool[randomPoolPointer++];
				}
				skipMasking = (mask[0] | mask[1] | mask[2] | mask[3]) === 0;
				offset = 6;
			}
			let dataLength;
			if (typeof data === "string") {
				if ((!options.mask || skipMasking) && options[kByteLength] !== void 0) dataLength = options[kByteLength];
				else {
					data = Buffer.from(data);
					dataLength = data.length;
				}
			} else {
				dataLength = data.length;
				merge = options.mask && options.readOnly && !skipMasking;
			}
			let payloadLength = dataLength;
			if (dataLength >= 65536) {
				offset += 8;
				payloadLength = 127;
			} else if (dataLength > 125) {
				offset += 2;
				payloadLength = 126;
			}
			const target = Buffer.allocUnsafe(merge ? dataLength + offset : offset);
			target[0] = options.fin ? options.opcode | 128 : options.opcode;
			if (options.rsv1) target[0] |= 64;
			target[1] = payloadLength;
			if (payloadLength === 126) target.writeUInt16BE(dataLength, 2);
			else if (payloadLength === 127) {
				target[2] = target[3] = 0;
				target.writeUIntBE(dataLength, 4, 6);
			}
			if (!options.mask) return dataLength ? [target, data] : [target];
			target[1] |= 128;
			target[offset - 4] = mask[0];
			target[offset - 3] = mask[1];
			target[offset - 2] = mask[2];
			target[offset - 1] = mask[3];
			if (!dataLength) return [target];
			if (skipMasking) return [target, data];
			if (merge) {
				applyMask(data, mask, target, offset, dataLength);
				return [target];
			}
			applyMask(data, mask, data, 0, dataLength);
			return [target, data];
		}
		/**
		* Sends a close message to the other peer.
		*
		* @param {Number} [code] The status code component of the body
		* @param {(String|Buffer)} [data] The message component of the body
		* @param {Boolean} [mask=false] Specifies whether or not to mask the message
		* @param {Function} [cb] Callback
		* @public
		*/
		close(code, data, mask, cb) {
			let buf;
			if (code === void 0) buf = EMPTY_BUFFER;
			else if (typeof code !== "number" || !isValidStatusCode(code)) throw new TypeError("First argument must be a valid error code number");
			else if (data === void 0 || !data.length) {
				buf = Buffer.allocUnsafe(2);
				buf.writeUInt16BE(code, 0);
			} else {
				const length = Buffer.byteLength(data);
				if (length > 123) throw new RangeError("The message must not be greater than 123 bytes");
				buf = Buffer.allocUnsafe(2 + length);
				buf.writeUInt16BE(code, 0);
				if (typeof data === "string") buf.write(data, 2);
				else if (isUint8Array(data)) buf.set(data, 2);
				else throw new TypeError("Second argument must be a string or a Uint8Array");
			}
			const options = {
				[kByteLength]: buf.length,
				fin: true,
				generateMask: this._generateMask,
				mask,
				maskBuffer: this._maskBuffer,
				opcode: 8,
				readOnly: false,
				rsv1: false
			};
			if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				buf,
				false,
				options,
				cb
			]);
			else this.sendFrame(Sender.frame(buf, options), cb);
		}
		/**
		* Sends a ping message to the other peer.
		*
		* @param {*} data The message to send
		* @param {Boolean} [mask=false] Specifies whether or not to mask `data`
		* @param {Function} [cb] Callback
		* @public
		*/
		ping(data, mask, cb) {
			let byteLength;
			let readOnly;
			if (typeof data === "string") {
				byteLength = Buffer.byteLength(data);
				readOnly = false;
			} else if (isBlob(data)) {
				byteLength = data.size;
				readOnly = false;
			} else {
				data = toBuffer(data);
				byteLength = data.length;
				readOnly = toBuffer.readOnly;
			}
			if (byteLength > 125) throw new RangeError("The data size must not be greater than 125 bytes");
			const options = {
				[kByteLength]: byteLength,
				fin: true,
				generateMask: this._generateMask,
				mask,
				maskBuffer: this._maskBuffer,
				opcode: 9,
				readOnly,
				rsv1: false
			};
			if (isBlob(data)) {
				if (this._state !== DEFAULT) this.enqueue([
					this.getBlobData,
					data,
					false,
					options,
					cb
				]);
				else this.getBlobData(data, false, options, cb);
			} else if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				data,
				false,
				options,
				cb
			]);
			else this.sendFrame(Sender.frame(data, options), cb);
		}
		/**
		* Sends a pong message to the other peer.
		*
		* @param {*} data The message to send
		* @param {Boolean} [mask=false] Specifies whether or not to mask `data`
		* @param {Function} [cb] Callback
		* @public
		*/
		pong(data, mask, cb) {
			let byteLength;
			let readOnly;
			if (typeof data === "string") {
				byteLength = Buffer.byteLength(data);
				readOnly = false;
			} else if (isBlob(data)) {
				byteLength = data.size;
				readOnly = false;
			} else {
				data = toBuffer(data);
				byteLength = data.length;
				readOnly = toBuffer.readOnly;
			}
			if (byteLength > 125) throw new RangeError("The data size must not be greater than 125 bytes");
			const options = {
				[kByteLength]: byteLength,
				fin: true,
				generateMask: this._generateMask,
				mask,
				maskBuffer: this._maskBuffer,
				opcode: 10,
				readOnly,
				rsv1: false
			};
			if (isBlob(data)) {
				if (this._state !== DEFAULT) this.enqueue([
					this.getBlobData,
					data,
					false,
					options,
					cb
				]);
				else this.getBlobData(data, false, options, cb);
			} else if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				data,
				false,
				options,
				cb
			]);
			else this.sendFrame(Sender.frame(data, options), cb);
		}
		/**
		* Sends a data message to the other peer.
		*
		* @param {*} data The message to send
		* @param {Object} options Options object
		* @param {Boolean} [options.binary=false] Specifies whether `data` is binary
		*     or text
		* @param {Boolean} [options.compress=false] Specifies whether or not to
		*     compress `data`
		* @param {Boolean} [options.fin=false] Specifies whether the fragment is the
		*     last one
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Function} [cb] Callback
		* @public
		*/
		send(data, options, cb) {
			const perMessageDeflate = this._extensions[PerMessageDeflate.extensionName];
			let opcode = options.binary ? 2 : 1;
			let rsv1 = options.compress;
			let byteLength;
			let readOnly;
			if (typeof data === "string") {
				byteLength = Buffer.byteLength(data);
				readOnly = false;
			} else if (isBlob(data)) {
				byteLength = data.size;
				readOnly = false;
			} else {
				data = toBuffer(data);
				byteLength = data.length;
				readOnly = toBuffer.readOnly;
			}
			if (this._firstFragment) {
				this._firstFragment = false;
				if (rsv1 && perMessageDeflate && perMessageDeflate.params[perMessageDeflate._isServer ? "server_no_context_takeover" : "client_no_context_takeover"]) rsv1 = byteLength >= perMessageDeflate._threshold;
				this._compress = rsv1;
			} else {
				rsv1 = false;
				opcode = 0;
			}
			if (options.fin) this._firstFragment = true;
			const opts = {
				[kByteLength]: byteLength,
				fin: options.fin,
				generateMask: this._generateMask,
				mask: options.mask,
				maskBuffer: this._maskBuffer,
				opcode,
				readOnly,
				rsv1
			};
			if (isBlob(data)) {
				if (this._state !== DEFAULT) this.enqueue([
					this.getBlobData,
					data,
					this._compress,
					opts,
					cb
				]);
				else this.getBlobData(data, this._compress, opts, cb);
			} else if (this._state !== DEFAULT) this.enqueue([
				this.dispatch,
				data,
				this._compress,
				opts,
				cb
			]);
			else this.dispatch(data, this._compress, opts, cb);
		}
		/**
		* Gets the contents of a blob as binary data.
		*
		* @param {Blob} blob The blob
		* @param {Boolean} [compress=false] Specifies whether or not to compress
		*     the data
		* @param {Object} options Options object
		* @param {Boolean} [options.fin=false] Specifies whether or not to set the
		*     FIN bit
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Buffer} [options.maskBuffer] The buffer used to store the masking
		*     key
		* @param {Number} options.opcode The opcode
		* @param {Boolean} [options.readOnly=false] Specifies whether `data` can be
		*     modified
		* @param {Boolean} [options.rsv1=false] Specifies whether or not to set the
		*     RSV1 bit
		* @param {Function} [cb] Callback
		* @private
		*/
		getBlobData(blob, compress, options, cb) {
			this._bufferedBytes += options[kByteLength];
			this._state = GET_BLOB_DATA;
			blob.arrayBuffer().then((arrayBuffer) => {
				if (this._socket.destroyed) {
					const err = /* @__PURE__ */ new Error("The socket was closed while the blob was being read");
					process.nextTick(callCallbacks, this, err, cb);
					return;
				}
				this._bufferedBytes -= options[kByteLength];
				const data = toBuffer(arrayBuffer);
				if (!compress) {
					this._state = DEFAULT;
					this.sendFrame(Sender.frame(data, options), cb);
					this.dequeue();
				} else this.dispatch(data, compress, options, cb);
			}).catch((err) => {
				process.nextTick(onError, this, err, cb);
			});
		}
		/**
		* Dispatches a message.
		*
		* @param {(Buffer|String)} data The message to send
		* @param {Boolean} [compress=false] Specifies whether or not to compress
		*     `data`
		* @param {Object} options Options object
		* @param {Boolean} [options.fin=false] Specifies whether or not to set the
		*     FIN bit
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Boolean} [options.mask=false] Specifies whether or not to mask
		*     `data`
		* @param {Buffer} [options.maskBuffer] The buffer used to store the masking
		*     key
		* @param {Number} options.opcode The opcode
		* @param {Boolean} [options.readOnly=false] Specifies whether `data` can be
		*     modified
		* @param {Boolean} [options.rsv1=false] Specifies whether or not to set the
		*     RSV1 bit
		* @param {Function} [cb] Callback
		* @private
		*/
		dispatch(data, compress, options, cb) {
			if (!compress) {
				this.sendFrame(Sender.frame(data, options), cb);
				return;
			}
			const perMessageDeflate = this._extensions[PerMessageDeflate.extensionName];
			this._bufferedBytes += options[kByteLength];
			this._state = DEFLATING;
			perMessageDeflate.compress(data, options.fin, (_, buf) => {
				if (this._socket.destroyed) {
					const err = /* @__PURE__ */ new Error("The socket was closed while data was being compressed");
					callCallbacks(this, err, cb);
					return;
				}
				this._bufferedBytes -= options[kByteLength];
				this._state = DEFAULT;
				options.readOnly = false;
				this.sendFrame(Sender.frame(buf, options), cb);
				this.dequeue();
			});
		}
		/**
		* Executes queued send operations.
		*
		* @private
		*/
		dequeue() {
			while (this._state === DEFAULT && this._queue.length) {
				const params = this._queue.shift();
				this._bufferedBytes -= params[3][kByteLength];
				Reflect.apply(params[0], this, params.slice(1));
			}
		}
		/**
		* Enqueues a send operation.
		*
		* @param {Array} params Send operation parameters.
		* @private
		*/
		enqueue(params) {
			this._bufferedBytes += params[3][kByteLength];
			this._queue.push(params);
		}
		/**
		* Sends a frame.
		*
		* @param {(Buffer | String)[]} list The frame to send
		* @param {Function} [cb] Callback
		* @private
		*/
		sendFrame(list, cb) {
			if (list.length === 2) {
				this._socket.cork();
				this._socket.write(list[0]);
				this._socket.write(list[1], cb);
				this._socket.uncork();
			} else this._socket.write(list[0], cb);
		}
	};
	module.exports = Sender;
	/**
	* Calls queued callbacks with an error.
	*
	* @param {Sender} sender The `Sender` instance
	* @param {Error} err The error to call the callbacks with
	* @param {Function} [cb] The first callback
	* @private
	*/
	function callCallbacks(sender, err, cb) {
		if (typeof cb === "function") cb(err);
		for (let i = 0; i < sender._queue.length; i++) {
			const params = sender._queue[i];
			const callback = params[params.length - 1];
			if (typeof callback === "function") callback(err);
		}
	}
	/**
	* Handles a `Sender` error.
	*
	* @param {Sender} sender The `Sender` instance
	* @param {Error} err The error
	* @param {Function} [cb] The first pending callback
	* @private
	*/
	function onError(sender, err, cb) {
		callCallbacks(sender, err, cb);
		sender.onerror(err);
	}
}));

// node_modules/ws/lib/event-target.js
var require_event_target = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { kForOnEventAttribute, kListener } = require_constants();
	const kCode = Symbol("kCode");
	const kData = Symbol("kData");
	const kError = Symbol("kError");
	const kMessage = Symbol("kMessage");
	const kReason = Symbol("kReason");
	const kTarget = Symbol("kTarget");
	const kType = Symbol("kType");
	const kWasClean = Symbol("kWasClean");
	/**
	* Class representing an event.
	*/
	var Event = class {
		/**
		* Create a new `Event`.
		*
		* @param {String} type The name of the event
		* @throws {TypeError} If the `type` argument is not specified
		*/
		constructor(type) {
			this[kTarget] = null;
			this[kType] = type;
		}
		/**
		* @type {*}
		*/
		get target() {
			return this[kTarget];
		}
		/**
		* @type {String}
		*/
		get type() {
			return this[kType];
		}
	};
	Object.defineProperty(Event.prototype, "target", { enumerable: true });
	Object.defineProperty(Event.prototype, "type", { enumerable: true });
	/**
	* Class representing a close event.
	*
	* @extends Event
	*/
	var CloseEvent = class extends Event {
		/**
		* Create a new `CloseEvent`.
		*
		* @param {String} type The name of the event
		* @param {Object} [options] A dictionary object that allows for setting
		*     attributes via object members of the same name
		* @param {Number} [options.code=0] The status code explaining why the
		*     connection was closed
		* @param {String} [options.reason=''] A human-readable string explaining why
		*     the connection was closed
		* @param {Boolean} [options.wasClean=false] Indicates whether or not the
		*     connection was cleanly closed
		*/
		constructor(type, options = {}) {
			super(type);
			this[kCode] = options.code === void 0 ? 0 : options.code;
			this[kReason] = options.reason === void 0 ? "" : options.reason;
			this[kWasClean] = options.wasClean === void 0 ? false : options.wasClean;
		}
		/**
		* @type {Number}
		*/
		get code() {
			return this[kCode];
		}
		/**
		* @type {String}
		*/
		get reason() {
			return this[kReason];
		}
		/**
		* @type {Boolean}
		*/
		get wasClean() {
			return this[kWasClean];
		}
	};
	Object.defineProperty(CloseEvent.prototype, "code", { enumerable: true });
	Object.defineProperty(CloseEvent.prototype, "reason", { enumerable: true });
	Object.defineProperty(CloseEvent.prototype, "wasClean", { enumerable: true });
	/**
	* Class representing an error event.
	*
	* @extends Event
	*/
	var ErrorEvent = class extends Event {
		/**
		* Create a new `ErrorEvent`.
		*
		* @param {String} type The name of the event
		* @param {Object} [options] A dictionary object that allows for setting
		*     attributes via object members of the same name
		* @param {*} [options.error=null] The error that generated this event
		* @param {String} [options.message=''] The error message
		*/
		constructor(type, options = {}) {
			super(type);
			this[kError] = options.error === void 0 ? null : options.error;
			this[kMessage] = options.message === void 0 ? "" : options.message;
		}
		/**
		* @type {*}
		*/
		get error() {
			return this[kError];
		}
		/**
		* @type {String}
		*/
		get message() {
			return this[kMessage];
		}
	};
	Object.defineProperty(ErrorEvent.prototype, "error", { enumerable: true });
	Object.defineProperty(ErrorEvent.prototype, "message", { enumerable: true });
	/**
	* Class representing a message event.
	*
	* @extends Event
	*/
	var MessageEvent = class extends Event {
		/**
		* Create a new `MessageEvent`.
		*
		* @param {String} type The name of the event
		* @param {Object} [options] A dictionary object that allows for setting
		*     attributes via object members of the same name
		* @param {*} [options.data=null] The message content
		*/
		constructor(type, options = {}) {
			super(type);
			this[kData] = options.data === void 0 ? null : options.data;
		}
		/**
		* @type {*}
		*/
		get data() {
			return this[kData];
		}
	};
	Object.defineProperty(MessageEvent.prototype, "data", { enumerable: true });
	/**
	* This provides methods for emulating the `EventTarget` interface. It's not
	* meant to be used directly.
	*
	* @mixin
	*/
	const EventTarget = {
		/**
		* Register an event listener.
		*
		* @param {String} type A string representing the event type to listen for
		* @param {(Function|Object)} handler The listener to add
		* @param {Object} [options] An options object specifies characteristics about
		*     the event listener
		* @param {Boolean} [options.once=false] A `Boolean` indicating that the
		*     listener should be invoked at most once after being added. If `true`,
		*     the listener would be automatically removed when invoked.
		* @public
		*/
		addEventListener(type, handler, options = {}) {
			for (const listener of this.listeners(type)) if (!options[kForOnEventAttribute] && listener[kListener] === handler && !listener[kForOnEventAttribute]) return;
			let wrapper;
			if (type === "message") wrapper = function onMessage(data, isBinary) {
				const event = new MessageEvent("message", { data: isBinary ? data : data.toString() });
				event[kTarget] = this;
				callListener(handler, this, event);
			};
			else if (type === "close") wrapper = function onClose(code, message) {
				const event = new CloseEvent("close", {
					code,
					reason: message.toString(),
					wasClean: this._closeFrameReceived && this._closeFrameSent
				});
				event[kTarget] = this;
				callListener(handler, this, event);
			};
			else if (type === "error") wrapper = function onError(error) {
				const event = new ErrorEvent("error", {
					error,
					message: error.message
				});
				event[kTarget] = this;
				callListener(handler, this, event);
			};
			else if (type === "open") wrapper = function onOpen() {
				const event = new Event("open");
				event[kTarget] = this;
				callListener(handler, this, event);
			};
			else return;
			wrapper[kForOnEventAttribute] = !!options[kForOnEventAttribute];
			wrapper[kListener] = handler;
			if (options.once) this.once(type, wrapper);
			else this.on(type, wrapper);
		},
		/**
		* Remove an event listener.
		*
		* @param {String} type A string representing the event type to remove
		* @param {(Function|Object)} handler The listener to remove
		* @public
		*/
		removeEventListener(type, handler) {
			for (const listener of this.listeners(type)) if (listener[kListener] === handler && !listener[kForOnEventAttribute]) {
				this.removeListener(type, listener);
				break;
			}
		}
	};
	module.exports = {
		CloseEvent,
		ErrorEvent,
		Event,
		EventTarget,
		MessageEvent
	};
	/**
	* Call an event listener
	*
	* @param {(Function|Object)} listener The listener to call
	* @param {*} thisArg The value to use as `this`` when calling the listener
	* @param {Event} event The event to pass to the listener
	* @private
	*/
	function callListener(listener, thisArg, event) {
		if (typeof listener === "object" && listener.handleEvent) listener.handleEvent.call(listener, event);
		else listener.call(thisArg, event);
	}
}));

// node_modules/ws/lib/extension.js
var require_extension = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { tokenChars } = require_validation();
	/**
	* Adds an offer to the map of extension offers or a parameter to the map of
	* parameters.
	*
	* @param {Object} dest The map of extension offers or parameters
	* @param {String} name The extension or parameter name
	* @param {(Object|Boolean|String)} elem The extension parameters or the
	*     parameter value
	* @private
	*/
	function push(dest, name, elem) {
		if (dest[name] === void 0) dest[name] = [elem];
		else dest[name].push(elem);
	}
	/**
	* Parses the `Sec-WebSocket-Extensions` header into an object.
	*
	* @param {String} header The field value of the header
	* @return {Object} The parsed object
	* @public
	*/
	function parse(header) {
		const offers = Object.create(null);
		let params = Object.create(null);
		let mustUnescape = false;
		let isEscaping = false;
		let inQuotes = false;
		let extensionName;
		let paramName;
		let start = -1;
		let code = -1;
		let end = -1;
		let i = 0;
		for (; i < header.length; i++) {
			code = header.charCodeAt(i);
			if (extensionName === void 0) {
				if (end === -1 && tokenChars[code] === 1) {
					if (start === -1) start = i;
				} else if (i !== 0 && (code === 32 || code === 9)) {
					if (end === -1 && start !== -1) end = i;
				} else if (code === 59 || code === 44) {
					if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
					if (end === -1) end = i;
					const name = header.slice(start, end);
					if (code === 44) {
						push(offers, name, params);
						params = Object.create(null);
					} else extensionName = name;
					start = end = -1;
				} else throw new SyntaxError(`Unexpected character at index ${i}`);
			} else if (paramName === void 0) {
				if (end === -1 && tokenChars[code] === 1) {
					if (start === -1) start = i;
				} else if (code === 32 || code === 9) {
					if (end === -1 && start !== -1) end = i;
				} else if (code === 59 || code === 44) {
					if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
					if (end === -1) end = i;
					push(params, header.slice(start, end), true);
					if (code === 44) {
						push(offers, extensionName, params);
						params = Object.create(null);
						extensionName = void 0;
					}
					start = end = -1;
				} else if (code === 61 && start !== -1 && end === -1) {
					paramName = header.slice(start, i);
					start = end = -1;
				} else throw new SyntaxError(`Unexpected character at index ${i}`);
			} else if (isEscaping) {
				if (tokenChars[code] !== 1) throw new SyntaxError(`Unexpected character at index ${i}`);
				if (start === -1) start = i;
				else if (!mustUnescape) mustUnescape = true;
				isEscaping = false;
			} else if (inQuotes) {
				if (tokenChars[code] === 1) {
					if (start === -1) start = i;
				} else if (code === 34 && start !== -1) {
					inQuotes = false;
					end = i;
				} else if (code === 92) isEscaping = true;
				else throw new SyntaxError(`Unexpected character at index ${i}`);
			} else if (code === 34 && header.charCodeAt(i - 1) === 61) inQuotes = true;
			else if (end === -1 && tokenChars[code] === 1) {
				if (start === -1) start = i;
			} else if (start !== -1 && (code === 32 || code === 9)) {
				if (end === -1) end = i;
			} else if (code === 59 || code === 44) {
				if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
				if (end === -1) end = i;
				let value = header.slice(start, end);
				if (mustUnescape) {
					value = value.replace(/\\/g, "");
					mustUnescape = false;
				}
				push(params, paramName, value);
				if (code === 44) {
					push(offers, extensionName, params);
					params = Object.create(null);
					extensionName = void 0;
				}
				paramName = void 0;
				start = end = -1;
			} else throw new SyntaxError(`Unexpected character at index ${i}`);
		}
		if (start === -1 || inQuotes || code === 32 || code === 9) throw new SyntaxError("Unexpected end of input");
		if (end === -1) end = i;
		const token = header.slice(start, end);
		if (extensionName === void 0) push(offers, token, params);
		else {
			if (paramName === void 0) push(params, token, true);
			else if (mustUnescape) push(params, paramName, token.replace(/\\/g, ""));
			else push(params, paramName, token);
			push(offers, extensionName, params);
		}
		return offers;
	}
	/**
	* Builds the `Sec-WebSocket-Extensions` header field value.
	*
	* @param {Object} extensions The map of extensions and parameters to format
	* @return {String} A string representing the given object
	* @public
	*/
	function format(extensions) {
		return Object.keys(extensions).map((extension) => {
			let configurations = extensions[extension];
			if (!Array.isArray(configurations)) configurations = [configurations];
			return configurations.map((params) => {
				return [extension].concat(Object.keys(params).map((k) => {
					let values = params[k];
					if (!Array.isArray(values)) values = [values];
					return values.map((v) => v === true ? k : `${k}=${v}`).join("; ");
				})).join("; ");
			}).join(", ");
		}).join(", ");
	}
	module.exports = {
		format,
		parse
	};
}));

// node_modules/ws/lib/websocket.js
var require_websocket = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const EventEmitter = __require("events");
	const https = __require("https");
	const http = __require("http");
	const net = __require("net");
	const querystring = __require("querystring");
	const tls = __require("tls");
	const { randomBytes, createHash } = __require("crypto");
	const { Duplex, Readable } = __require("stream");
	const { URL } = __require("url");
	const PerMessageDeflate = require_permessage_deflate();
	const Receiver = require_receiver();
	const Sender = require_sender();
	const { isBlob } = require_validation();
	const { BINARY_TYPES, CLOSE_TIMEOUT, EMPTY_BUFFER, GUID, kForOnEventAttribute, kListener, kStatusCode, kWebSocket, NOOP } = require_constants();
	const { EventTarget: { addEventListener, removeEventListener } } = require_event_target();
	const { format, parse } = require_extension();
	const { toBuffer } = require_buffer_util();
	const kAborted = Symbol("kAborted");
	const protocolVersions = [8, 13];
	const readyStates = [
		"CONNECTING",
		"OPEN",
		"CLOSING",
		"CLOSED"
	];
	const subprotocolRegex = /^[!#$%&'*+\-.0-9A-Z^_`|a-z~]+$/;
	/**
	* Class representing a WebSocket.
	*
	* @extends EventEmitter
	*/
	var WebSocket = class WebSocket extends EventEmitter {
		/**
		* Create a new `WebSocket`.
		*
		* @param {(String|URL)} address The URL to which to connect
		* @param {(String|String[])} [protocols] The subprotocols
		* @param {Object} [options] Connection options
		*/
		constructor(address, protocols, options) {
			super();
			this._binaryType = BINARY_TYPES[0];
			this._closeCode = 1006;
			this._closeFrameReceived = false;
			this._closeFrameSent = false;
			this._closeMessage = EMPTY_BUFFER;
			this._closeTimer = null;
			this._errorEmitted = false;
			this._extensions = {};
			this._paused = false;
			this._protocol = "";
			this._readyState = WebSocket.CONNECTING;
			this._receiver = null;
			this._sender = null;
			this._socket = null;
			if (address !== null) {
				this._bufferedAmount = 0;
				this._isServer = false;
				this._redirects = 0;
				if (protocols === void 0) {
					if (!options || options.protocols === void 0) protocols = [];
					else if (Array.isArray(options.protocols)) protocols = options.protocols;
					else protocols = [options.protocols];
				} else if (!Array.isArray(protocols)) {
					if (typeof protocols === "object" && protocols !== null) {
						options = protocols;
						if (options.protocols === void 0) protocols = [];
						else if (Array.isArray(options.protocols)) protocols = options.protocols;
						else protocols = [options.protocols];
					} else protocols = [protocols];
				}
				options = initAsClient(this, address, protocols, options);
			} else this._isServer = true;
			if (options.autoPong) {
				this._autoPong = true;
				this._autoPongComplete = () => autoPongComplete(this);
				this._pendingAutoPongs = 0;
				this._maxPendingAutoPongs = options.maxPendingAutoPongs | 0;
			}
			this._closeTimeout = options.closeTimeout;
		}
		/**
		* For historical reasons, the custom "nodebuffer" type is used by the default
		* instead of "blob".
		*
		* @type {String}
		*/
		get binaryType() {
			return this._binaryType;
		}
		set binaryType(type) {
			if (!BINARY_TYPES.includes(type)) return;
			this._binaryType = type;
			if (this._receiver) this._receiver._binaryType = type;
		}
		/**
		* @type {Number}
		*/
		get bufferedAmount() {
			if (!this._socket) return this._bufferedAmount;
			return this._socket._writableState.length + this._sender._bufferedBytes;
		}
		/**
		* @type {String}
		*/
		get extensions() {
			return Object.keys(this._extensions).join();
		}
		/**
		* @type {Boolean}
		*/
		get isPaused() {
			return this._paused;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onclose() {
			return null;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onerror() {
			return null;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onopen() {
			return null;
		}
		/**
		* @type {Function}
		*/
		/* istanbul ignore next */
		get onmessage() {
			return null;
		}
		/**
		* @type {String}
		*/
		get protocol() {
			return this._protocol;
		}
		/**
		* @type {Number}
		*/
		get readyState() {
			return this._readyState;
		}
		/**
		* @type {String}
		*/
		get url() {
			return this._url;
		}
		/**
		* Set up the socket and the internal resources.
		*
		* @param {Duplex} socket The network socket between the server and client
		* @param {Buffer} head The first packet of the upgraded stream
		* @param {Object} options Options object
		* @param {Boolean} [options.allowSynchronousEvents=false] Specifies whether
		*     any of the `'message'`, `'ping'`, and `'pong'` events can be emitted
		*     multiple times in the same tick
		* @param {Function} [options.generateMask] The function used to generate the
		*     masking key
		* @param {Number} [options.maxBufferedChunks=0] The maximum number of
		*     buffered data chunks
		* @param {Number} [options.maxFragments=0] The maximum number of message
		*     fragments
		* @param {Number} [options.maxPayload=0] The maximum allowed message size
		* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
		*     not to skip UTF-8 validation for text and close messages
		* @private
		*/
		setSocket(socket, head, options) {
			const receiver = new Receiver({
				allowSynchronousEvents: options.allowSynchronousEvents,
				binaryType: this.binaryType,
				extensions: this._extensions,
				isServer: this._isServer,
				maxBufferedChunks: options.maxBufferedChunks,
				maxFragments: options.maxFragments,
				maxPayload: options.maxPayload,
				skipUTF8Validation: options.skipUTF8Validation
			});
			const sender = new Sender(socket, this._extensions, options.generateMask);
			this._receiver = receiver;
			this._sender = sender;
			this._socket = socket;
			receiver[kWebSocket] = this;
			sender[kWebSocket] = this;
			socket[kWebSocket] = this;
			receiver.on("conclude", receiverOnConclude);
			receiver.on("drain", receiverOnDrain);
			receiver.on("error", receiverOnError);
			receiver.on("message", receiverOnMessage);
			receiver.on("ping", receiverOnPing);
			receiver.on("pong", receiverOnPong);
			sender.onerror = senderOnError;
			if (socket.setTimeout) socket.setTimeout(0);
			if (socket.setNoDelay) socket.setNoDelay();
			if (head.length > 0) socket.unshift(head);
			socket.on("close", socketOnClose);
			socket.on("data", socketOnData);
			socket.on("end", socketOnEnd);
			socket.on("error", socketOnError);
			this._readyState = WebSocket.OPEN;
			this.emit("open");
		}
		/**
		* Emit the `'close'` event.
		*
		* @private
		*/
		emitClose() {
			if (!this._socket) {
				this._readyState = WebSocket.CLOSED;
				this.emit("close", this._closeCode, this._closeMessage);
				return;
			}
			if (this._extensions[PerMessageDeflate.extensionName]) this._extensions[PerMessageDeflate.extensionName].cleanup();
			this._receiver.removeAllListeners();
			this._readyState = WebSocket.CLOSED;
			this.emit("close", this._closeCode, this._closeMessage);
		}
		/**
		* Start a closing handshake.
		*
		*          +----------+   +-----------+   +----------+
		*     - - -|ws.close()|-->|close frame|-->|ws.close()|- - -
		*    |     +----------+   +-----------+   +----------+     |
		*          +----------+   +-----------+         |
		* CLOSING  |ws.close()|<--|close frame|<--+-----+       CLOSING
		*          +----------+   +-----------+   |
		*    |           |                        |   +---+        |
		*                +------------------------+-->|fin| - - - -
		*    |         +---+                      |   +---+
		*     - - - - -|fin|<---------------------+
		*              +---+
		*
		* @param {Number} [code] Status code explaining why the connection is closing
		* @param {(String|Buffer)} [data] The reason why the connection is
		*     closing
		* @public
		*/
		close(code, data) {
			if (this.readyState === WebSocket.CLOSED) return;
			if (this.readyState === WebSocket.CONNECTING) {
				abortHandshake(this, this._req, "WebSocket was closed before the connection was established");
				return;
			}
			if (this.readyState === WebSocket.CLOSING) {
				if (this._closeFrameSent && (this._closeFrameReceived || this._receiver._writableState.errorEmitted)) this._socket.end();
				return;
			}
			this._sender.close(code, data, !this._isServer, (err) => {
				if (err) return;
				this._closeFrameSent = true;
				if (this._closeFrameReceived || this._receiver._writableState.errorEmitted) this._socket.end();
			});
			this._readyState = WebSocket.CLOSING;
			setCloseTimer(this);
		}
		/**
		* Pause the socket.
		*
		* @public
		*/
		pause() {
			if (this.readyState === WebSocket.CONNECTING || this.readyState === WebSocket.CLOSED) return;
			this._paused = true;
			this._socket.pause();
		}
		/**
		* Send a ping.
		*
		* @param {*} [data] The data to send
		* @param {Boolean} [mask] Indicates whether or not to mask `data`
		* @param {Function} [cb] Callback which is executed when the ping is sent
		* @public
		*/
		ping(data, mask, cb) {
			if (this.readyState === WebSocket.CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
			if (typeof data === "function") {
				cb = data;
				data = mask = void 0;
			} else if (typeof mask === "function") {
				cb = mask;
				mask = void 0;
			}
			if (typeof data === "number") data = data.toString();
			if (this.readyState !== WebSocket.OPEN) {
				sendAfterClose(this, data, cb);
				return;
			}
			if (mask === void 0) mask = !this._isServer;
			this._sender.ping(data || EMPTY_BUFFER, mask, cb);
		}
		/**
		* Send a pong.
		*
		* @param {*} [data] The data to send
		* @param {Boolean} [mask] Indicates whether or not to mask `data`
		* @param {Function} [cb] Callback which is executed when the pong is sent
		* @public
		*/
		pong(data, mask, cb) {
			if (this.readyState === WebSocket.CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
			if (typeof data === "function") {
				cb = data;
				data = mask = void 0;
			} else if (typeof mask === "function") {
				cb = mask;
				mask = void 0;
			}
			if (typeof data === "number") data = data.toString();
			if (this.readyState !== WebSocket.OPEN) {
				sendAfterClose(this, data, cb);
				return;
			}
			if (mask === void 0) mask = !this._isServer;
			this._sender.pong(data || EMPTY_BUFFER, mask, cb);
		}
		/**
		* Resume the socket.
		*
		* @public
		*/
		resume() {
			if (this.readyState === WebSocket.CONNECTING || this.readyState === WebSocket.CLOSED) return;
			this._paused = false;
			if (!this._receiver._writableState.needDrain) this._socket.resume();
		}
		/**
		* Send a data message.
		*
		* @param {*} data The message to send
		* @param {Object} [options] Options object
		* @param {Boolean} [options.binary] Specifies whether `data` is binary or
		*     text
		* @param {Boolean} [options.compress] Specifies whether or not to compress
		*     `data`
		* @param {Boolean} [options.fin=true] Specifies whether the fragment is the
		*     last one
		* @param {Boolean} [options.mask] Specifies whether or not to mask `data`
		* @param {Function} [cb] Callback which is executed when data is written out
		* @public
		*/
		send(data, options, cb) {
			if (this.readyState === WebSocket.CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
			if (typeof options === "function") {
				cb = options;
				options = {};
			}
			if (typeof data === "number") data = data.toString();
			if (this.readyState !== WebSocket.OPEN) {
				sendAfterClose(this, data, cb);
				return;
			}
			const opts = {
				binary: typeof data !== "string",
				mask: !this._isServer,
				compress: true,
				fin: true,
				...options
			};
			if (!this._extensions[PerMessageDeflate.extensionName]) opts.compress = false;
			this._sender.send(data || EMPTY_BUFFER, opts, cb);
		}
		/**
		* Forcibly close the connection.
		*
		* @public
		*/
		terminate() {
			if (this.readyState === WebSocket.CLOSED) return;
			if (this.readyState === WebSocket.CONNECTING) {
				abortHandshake(this, this._req, "WebSocket was closed before the connection was established");
				return;
			}
			if (this._socket) {
				this._readyState = WebSocket.CLOSING;
				this._socket.destroy();
			}
		}
	};
	/**
	* @constant {Number} CONNECTING
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "CONNECTING", {
		enumerable: true,
		value: readyStates.indexOf("CONNECTING")
	});
	/**
	* @constant {Number} CONNECTING
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "CONNECTING", {
		enumerable: true,
		value: readyStates.indexOf("CONNECTING")
	});
	/**
	* @constant {Number} OPEN
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "OPEN", {
		enumerable: true,
		value: readyStates.indexOf("OPEN")
	});
	/**
	* @constant {Number} OPEN
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "OPEN", {
		enumerable: true,
		value: readyStates.indexOf("OPEN")
	});
	/**
	* @constant {Number} CLOSING
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "CLOSING", {
		enumerable: true,
		value: readyStates.indexOf("CLOSING")
	});
	/**
	* @constant {Number} CLOSING
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "CLOSING", {
		enumerable: true,
		value: readyStates.indexOf("CLOSING")
	});
	/**
	* @constant {Number} CLOSED
	* @memberof WebSocket
	*/
	Object.defineProperty(WebSocket, "CLOSED", {
		enumerable: true,
		value: readyStates.indexOf("CLOSED")
	});
	/**
	* @constant {Number} CLOSED
	* @memberof WebSocket.prototype
	*/
	Object.defineProperty(WebSocket.prototype, "CLOSED", {
		enumerable: true,
		value: readyStates.indexOf("CLOSED")
	});
	[
		"binaryType",
		"bufferedAmount",
		"extensions",
		"isPaused",
		"protocol",
		"readyState",
		"url"
	].forEach((property) => {
		Object.defineProperty(WebSocket.prototype, property, { enumerable: true });
	});
	[
		"open",
		"error",
		"close",
		"message"
	].forEach((method) => {
		Object.defineProperty(WebSocket.prototype, `on${method}`, {
			enumerable: true,
			get() {
				for (const listener of this.listeners(method)) if (listener[kForOnEventAttribute]) return listener[kListener];
				return null;
			},
			set(handler) {
				for (const listener of this.listeners(method)) if (listener[kForOnEventAttribute]) {
					this.removeListener(method, listener);
					break;
				}
				if (typeof handler !== "function") return;
				this.addEventListener(method, handler, { [kForOnEventAttribute]: true });
			}
		});
	});
	WebSocket.prototype.addEventListener = addEventListener;
	WebSocket.prototype.removeEventListener = removeEventListener;
	module.exports = WebSocket;
	/**
	* Initialize a WebSocket client.
	*
	* @param {WebSocket} websocket The client to initialize
	* @param {(String|URL)} address The URL to which to connect
	* @param {Array} protocols The subprotocols
	* @param {Object} [options] Connection options
	* @param {Boolean} [options.allowSynchronousEvents=true] Specifies whether any
	*     of the `'message'`, `'ping'`, and `'pong'` events can be emitted multiple
	*     times in the same tick
	* @param {Boolean} [options.autoPong=true] Specifies whether or not to
	*     automatically send a pong in response to a ping
	* @param {Number} [options.closeTimeout=30000] Duration in milliseconds to wait
	*     for the closing handshake to finish after `websocket.close()` is called
	* @param {Function} [options.finishRequest] A function which can be used to
	*     customize the headers of each http request before it is sent
	* @param {Boolean} [options.followRedirects=false] Whether or not to follow
	*     redirects
	* @param {Function} [options.generateMask] The function used to generate the
	*     masking key
	* @param {Number} [options.handshakeTimeout] Timeout in milliseconds for the
	*     handshake request
	* @param {Number} [options.maxBufferedChunks=262144] The maximum number of
	*     buffered data chunks
	* @param {Number} [options.maxFragments=16384] The maximum number of message
	*     fragments
	* @param {Number} [options.maxPayload=104857600] The maximum allowed message
	*     size
	* @param {Number} [options.maxPendingAutoPongs=60] The maximum number of
	*     pending automatic pongs
	* @param {Number} [options.maxRedirects=10] The maximum number of redirects
	*     allowed
	* @param {String} [options.origin] Value of the `Origin` or
	*     `Sec-WebSocket-Origin` header
	* @param {(Boolean|Object)} [options.perMessageDeflate=true] Enable/disable
	*     permessage-deflate
	* @param {Number} [options.protocolVersion=13] Value of the
	*     `Sec-WebSocket-Version` header
	* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
	*     not to skip UTF-8 validation for text and close messages
	* @return {Object} The resolved options object used for initialization
	* @private
	*/
	function initAsClient(websocket, address, protocols, options) {
		const opts = {
			allowSynchronousEvents: true,
			autoPong: true,
			closeTimeout: CLOSE_TIMEOUT,
			protocolVersion: protocolVersions[1],
			maxBufferedChunks: 262144,
			maxFragments: 16384,
			maxPayload: 104857600,
			maxPendingAutoPongs: 60,
			skipUTF8Validation: false,
			perMessageDeflate: true,
			followRedirects: false,
			maxRedirects: 10,
			...options,
			socketPath: void 0,
			hostname: void 0,
			protocol: void 0,
			protocols: void 0,
			timeout: void 0,
			method: "GET",
			host: void 0,
			path: void 0,
			port: void 0
		};
		if (!protocolVersions.includes(opts.protocolVersion)) throw new RangeError(`Unsupported protocol version: ${opts.protocolVersion} (supported versions: ${protocolVersions.join(", ")})`);
		let parsedUrl;
		if (address instanceof URL) parsedUrl = address;
		else try {
			parsedUrl = new URL(address);
		} catch {
			throw new SyntaxError(`Invalid URL: ${address}`);
		}
		if (parsedUrl.protocol === "http:" || parsedUrl.protocol === "https:") {
			parsedUrl = new URL(parsedUrl);
			parsedUrl.protocol = parsedUrl.protocol === "http:" ? "ws:" : "wss:";
		}
		websocket._url = parsedUrl.href;
		const isSecure = parsedUrl.protocol === "wss:";
		const isIpcUrl = parsedUrl.protocol === "ws+unix:";
		let invalidUrlMessage;
		if (parsedUrl.protocol !== "ws:" && !isSecure && !isIpcUrl) invalidUrlMessage = "The URL's protocol must be one of \"ws:\", \"wss:\", \"http:\", \"https:\", or \"ws+unix:\"";
		else if (isIpcUrl && !parsedUrl.pathname) invalidUrlMessage = "The URL's pathname is empty";
		else if (parsedUrl.hash) invalidUrlMessage = "The URL contains a fragment identifier";
		if (invalidUrlMessage) {
			const err = new SyntaxError(invalidUrlMessage);
			if (websocket._redirects === 0) throw err;
			else {
				emitErrorAndClose(websocket, err);
				return;
			}
		}
		const defaultPort = isSecure ? 443 : 80;
		const key = randomBytes(16).toString("base64");
		const request = isSecure ? https.request : http.request;
		const protocolSet = /* @__PURE__ */ new Set();
		let perMessageDeflate;
		opts.createConnection = opts.createConnection || (isSecure ? tlsConnect : netConnect);
		opts.defaultPort = opts.defaultPort || defaultPort;
		opts.port = parsedUrl.port || defaultPort;
		opts.host = parsedUrl.hostname.startsWith("[") ? parsedUrl.hostname.slice(1, -1) : parsedUrl.hostname;
		opts.headers = {
			...opts.headers,
			"Sec-WebSocket-Version": opts.protocolVersion,
			"Sec-WebSocket-Key": key,
			Connection: "Upgrade",
			Upgrade: "websocket"
		};
		opts.path = parsedUrl.pathname + parsedUrl.search;
		opts.timeout = opts.handshakeTimeout;
		if (opts.perMessageDeflate) {
			perMessageDeflate = new PerMessageDeflate({
				...opts.perMessageDeflate,
				isServer: false,
				maxPayload: opts.maxPayload
			});
			opts.headers["Sec-WebSocket-Extensions"] = format({ [PerMessageDeflate.extensionName]: perMessageDeflate.offer() });
		}
		if (protocols.length) {
			for (const protocol of protocols) {
				if (typeof protocol !== "string" || !subprotocolRegex.test(protocol) || protocolSet.has(protocol)) throw new SyntaxError("An invalid or duplicated subprotocol was specified");
				protocolSet.add(protocol);
			}
			opts.headers["Sec-WebSocket-Protocol"] = protocols.join(",");
		}
		if (opts.origin) {
			if (opts.protocolVersion < 13) opts.headers["Sec-WebSocket-Origin"] = opts.origin;
			else opts.headers.Origin = opts.origin;
		}
		if (parsedUrl.username || parsedUrl.password) opts.auth = `${querystring.unescape(parsedUrl.username)}:${querystring.unescape(parsedUrl.password)}`;
		if (isIpcUrl) {
			const i = opts.path.indexOf(":");
			if (i === -1) {
				opts.socketPath = opts.path;
				opts.path = "";
			} else {
				opts.socketPath = opts.path.slice(0, i);
				opts.path = opts.path.slice(i + 1);
			}
		}
		let req;
		if (opts.followRedirects) {
			if (websocket._redirects === 0) {
				websocket._originalIpc = isIpcUrl;
				websocket._originalSecure = isSecure;
				websocket._originalHostOrSocketPath = isIpcUrl ? opts.socketPath : parsedUrl.host;
				const headers = options && options.headers;
				options = {
					...options,
					headers: {}
				};
				if (headers) for (const [key, value] of Object.entries(headers)) options.headers[key.toLowerCase()] = value;
			} else if (websocket.listenerCount("redirect") === 0) {
				const isSameHost = isIpcUrl ? websocket._originalIpc ? opts.socketPath === websocket._originalHostOrSocketPath : false : websocket._originalIpc ? false : parsedUrl.host === websocket._originalHostOrSocketPath;
				if (!isSameHost || websocket._originalSecure && !isSecure) {
					delete opts.headers.authorization;
					delete opts.headers.cookie;
					if (!isSameHost) delete opts.headers.host;
					opts.auth = void 0;
				}
			}
			if (opts.auth && !options.headers.authorization) options.headers.authorization = "Basic " + Buffer.from(opts.auth).toString("base64");
			req = websocket._req = request(opts);
			if (websocket._redirects) websocket.emit("redirect", websocket.url, req);
		} else req = websocket._req = request(opts);
		if (opts.timeout) req.on("timeout", () => {
			abortHandshake(websocket, req, "Opening handshake has timed out");
		});
		req.on("error", (err) => {
			if (req === null || req[kAborted]) return;
			req = websocket._req = null;
			emitErrorAndClose(websocket, err);
		});
		req.on("response", (res) => {
			const location = res.headers.location;
			const statusCode = res.statusCode;
			if (location && opts.followRedirects && statusCode >= 300 && statusCode < 400) {
				if (++websocket._redirects > opts.maxRedirects) {
					abortHandshake(websocket, req, "Maximum redirects exceeded");
					return;
				}
				req.abort();
				let addr;
				try {
					addr = new URL(location, address);
				} catch (e) {
					emitErrorAndClose(websocket, /* @__PURE__ */ new SyntaxError(`Invalid URL: ${location}`));
					return;
				}
				initAsClient(websocket, addr, protocols, options);
			} else if (!websocket.emit("unexpected-response", req, res)) abortHandshake(websocket, req, `Unexpected server response: ${res.statusCode}`);
		});
		req.on("upgrade", (res, socket, head) => {
			websocket.emit("upgrade", res);
			if (websocket.readyState !== WebSocket.CONNECTING) return;
			req = websocket._req = null;
			const upgrade = res.headers.upgrade;
			if (upgrade === void 0 || upgrade.toLowerCase() !== "websocket") {
				abortHandshake(websocket, socket, "Invalid Upgrade header");
				return;
			}
			const digest = createHash("sha1").update(key + GUID).digest("base64");
			if (res.headers["sec-websocket-accept"] !== digest) {
				abortHandshake(websocket, socket, "Invalid Sec-WebSocket-Accept header");
				return;
			}
			const serverProt = res.headers["sec-websocket-protocol"];
			let protError;
			if (serverProt !== void 0) {
				if (!protocolSet.size) protError = "Server sent a subprotocol but none was requested";
				else if (!protocolSet.has(serverProt)) protError = "Server sent an invalid subprotocol";
			} else if (protocolSet.size) protError = "Server sent no subprotocol";
			if (protError) {
				abortHandshake(websocket, socket, protError);
				return;
			}
			if (serverProt) websocket._protocol = serverProt;
			const secWebSocketExtensions = res.headers["sec-websocket-extensions"];
			if (secWebSocketExtensions !== void 0) {
				if (!perMessageDeflate) {
					abortHandshake(websocket, socket, "Server sent a Sec-WebSocket-Extensions header but no extension was requested");
					return;
				}
				let extensions;
				try {
					extensions = parse(secWebSocketExtensions);
				} catch (err) {
					abortHandshake(websocket, socket, "Invalid Sec-WebSocket-Extensions header");
					return;
				}
				const extensionNames = Object.keys(extensions);
				if (extensionNames.length !== 1 || extensionNames[0] !== PerMessageDeflate.extensionName) {
					abortHandshake(websocket, socket, "Server indicated an extension that was not requested");
					return;
				}
				try {
					perMessageDeflate.accept(extensions[PerMessageDeflate.extensionName]);
				} catch (err) {
					abortHandshake(websocket, socket, "Invalid Sec-WebSocket-Extensions header");
					return;
				}
				websocket._extensions[PerMessageDeflate.extensionName] = perMessageDeflate;
			}
			websocket.setSocket(socket, head, {
				allowSynchronousEvents: opts.allowSynchronousEvents,
				generateMask: opts.generateMask,
				maxBufferedChunks: opts.maxBufferedChunks,
				maxFragments: opts.maxFragments,
				maxPayload: opts.maxPayload,
				skipUTF8Validation: opts.skipUTF8Validation
			});
		});
		if (opts.finishRequest) opts.finishRequest(req, websocket);
		else req.end();
		return opts;
	}
	/**
	* Emit the `'error'` and `'close'` events.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @param {Error} The error to emit
	* @private
	*/
	function emitErrorAndClose(websocket, err) {
		websocket._readyState = WebSocket.CLOSING;
		websocket._errorEmitted = true;
		websocket.emit("error", err);
		websocket.emitClose();
	}
	/**
	* Create a `net.Socket` and initiate a connection.
	*
	* @param {Object} options Connection options
	* @return {net.Socket} The newly created socket used to start the connection
	* @private
	*/
	function netConnect(options) {
		options.path = options.socketPath;
		return net.connect(options);
	}
	/**
	* Create a `tls.TLSSocket` and initiate a connection.
	*
	* @param {Object} options Connection options
	* @return {tls.TLSSocket} The newly created socket used to start the connection
	* @private
	*/
	function tlsConnect(options) {
		options.path = void 0;
		if (!options.servername && options.servername !== "") options.servername = net.isIP(options.host) ? "" : options.host;
		return tls.connect(options);
	}
	/**
	* Abort the handshake and emit an error.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @param {(http.ClientRequest|net.Socket|tls.Socket)} stream The request to
	*     abort or the socket to destroy
	* @param {String} message The error message
	* @private
	*/
	function abortHandshake(websocket, stream, message) {
		websocket._readyState = WebSocket.CLOSING;
		const err = new Error(message);
		Error.captureStackTrace(err, abortHandshake);
		if (stream.setHeader) {
			stream[kAborted] = true;
			stream.abort();
			if (stream.socket && !stream.socket.destroyed) stream.socket.destroy();
			process.nextTick(emitErrorAndClose, websocket, err);
		} else {
			stream.destroy(err);
			stream.once("error", websocket.emit.bind(websocket, "error"));
			stream.once("close", websocket.emitClose.bind(websocket));
		}
	}
	/**
	* Handle cases where the `ping()`, `pong()`, or `send()` methods are called
	* when the `readyState` attribute is `CLOSING` or `CLOSED`.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @param {*} [data] The data to send
	* @param {Function} [cb] Callback
	* @private
	*/
	function sendAfterClose(websocket, data, cb) {
		if (data) {
			const length = isBlob(data) ? data.size : toBuffer(data).length;
			if (websocket._socket) websocket._sender._bufferedBytes += length;
			else websocket._bufferedAmount += length;
		}
		if (cb) {
			const err = /* @__PURE__ */ new Error(`WebSocket is not open: readyState ${websocket.readyState} (${readyStates[websocket.readyState]})`);
			process.nextTick(cb, err);
		}
	}
	/**
	* The listener of the `Receiver` `'conclude'` event.
	*
	* @param {Number} code The status code
	* @param {Buffer} reason The reason for closing
	* @private
	*/
	function receiverOnConclude(code, reason) {
		const websocket = this[kWebSocket];
		websocket._closeFrameReceived = true;
		websocket._closeCode = code;
		if (reason.length === 0) websocket._closeMessage = EMPTY_BUFFER;
		else {
			websocket._closeMessage = Buffer.allocUnsafeSlow(reason.length);
			websocket._closeMessage.set(reason);
		}
		if (websocket._socket[kWebSocket] === void 0) return;
		websocket._socket.removeListener("data", socketOnData);
		process.nextTick(resume, websocket._socket);
		if (code === 1005) websocket.close();
		else websocket.close(code, reason);
	}
	/**
	* The listener of the `Receiver` `'drain'` event.
	*
	* @private
	*/
	function receiverOnDrain() {
		const websocket = this[kWebSocket];
		if (!websocket.isPaused) websocket._socket.resume();
	}
	/**
	* The listener of the `Receiver` `'error'` event.
	*
	* @param {(RangeError|Error)} err The emitted error
	* @private
	*/
	function receiverOnError(err) {
		const websocket = this[kWebSocket];
		if (websocket._socket[kWebSocket] !== void 0) {
			websocket._socket.removeListener("data", socketOnData);
			process.nextTick(resume, websocket._socket);
			websocket.close(err[kStatusCode]);
		}
		if (!websocket._errorEmitted) {
			websocket._errorEmitted = true;
			websocket.emit("error", err);
		}
	}
	/**
	* The listener of the `Receiver` `'finish'` event.
	*
	* @private
	*/
	function receiverOnFinish() {
		this[kWebSocket].emitClose();
	}
	/**
	* The listener of the `Receiver` `'message'` event.
	*
	* @param {Buffer|ArrayBuffer|Buffer[])} data The message
	* @param {Boolean} isBinary Specifies whether the message is binary or not
	* @private
	*/
	function receiverOnMessage(data, isBinary) {
		this[kWebSocket].emit("message", data, isBinary);
	}
	/**
	* The listener of the `Receiver` `'ping'` event.
	*
	* @param {Buffer} data The data included in the ping frame
	* @private
	*/
	function receiverOnPing(data) {
		const websocket = this[kWebSocket];
		if (websocket._autoPong && websocket.readyState === WebSocket.OPEN) {
			if (websocket._maxPendingAutoPongs > 0 && websocket._pendingAutoPongs >= websocket._maxPendingAutoPongs) websocket.terminate();
			else {
				websocket._pendingAutoPongs++;
				websocket.pong(data, !this._isServer, websocket._autoPongComplete);
			}
		}
		websocket.emit("ping", data);
	}
	/**
	* The callback for automatic pong responses.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @private
	*/
	function autoPongComplete(websocket) {
		websocket._pendingAutoPongs--;
	}
	/**
	* The listener of the `Receiver` `'pong'` event.
	*
	* @param {Buffer} data The data included in the pong frame
	* @private
	*/
	function receiverOnPong(data) {
		this[kWebSocket].emit("pong", data);
	}
	/**
	* Resume a readable stream
	*
	* @param {Readable} stream The readable stream
	* @private
	*/
	function resume(stream) {
		stream.resume();
	}
	/**
	* The `Sender` error event handler.
	*
	* @param {Error} The error
	* @private
	*/
	function senderOnError(err) {
		const websocket = this[kWebSocket];
		if (websocket.readyState === WebSocket.CLOSED) return;
		if (websocket.readyState === WebSocket.OPEN) {
			websocket._readyState = WebSocket.CLOSING;
			setCloseTimer(websocket);
		}
		this._socket.end();
		if (!websocket._errorEmitted) {
			websocket._errorEmitted = true;
			websocket.emit("error", err);
		}
	}
	/**
	* Set a timer to destroy the underlying raw socket of a WebSocket.
	*
	* @param {WebSocket} websocket The WebSocket instance
	* @private
	*/
	function setCloseTimer(websocket) {
		websocket._closeTimer = setTimeout(websocket._socket.destroy.bind(websocket._socket), websocket._closeTimeout);
	}
	/**
	* The listener of the socket `'close'` event.
	*
	* @private
	*/
	function socketOnClose() {
		const websocket = this[kWebSocket];
		this.removeListener("close", socketOnClose);
		this.removeListener("data", socketOnData);
		this.removeListener("end", socketOnEnd);
		websocket._readyState = WebSocket.CLOSING;
		if (!this._readableState.endEmitted && !websocket._closeFrameReceived && !websocket._receiver._writableState.errorEmitted && this._readableState.length !== 0) {
			const chunk = this.read(this._readableState.length);
			websocket._receiver.write(chunk);
		}
		websocket._receiver.end();
		this[kWebSocket] = void 0;
		clearTimeout(websocket._closeTimer);
		if (websocket._receiver._writableState.finished || websocket._receiver._writableState.errorEmitted) websocket.emitClose();
		else {
			websocket._receiver.on("error", receiverOnFinish);
			websocket._receiver.on("finish", receiverOnFinish);
		}
	}
	/**
	* The listener of the socket `'data'` event.
	*
	* @param {Buffer} chunk A chunk of data
	* @private
	*/
	function socketOnData(chunk) {
		if (!this[kWebSocket]._receiver.write(chunk)) this.pause();
	}
	/**
	* The listener of the socket `'end'` event.
	*
	* @private
	*/
	function socketOnEnd() {
		const websocket = this[kWebSocket];
		websocket._readyState = WebSocket.CLOSING;
		websocket._receiver.end();
		this.end();
	}
	/**
	* The listener of the socket `'error'` event.
	*
	* @private
	*/
	function socketOnError() {
		const websocket = this[kWebSocket];
		this.removeListener("error", socketOnError);
		this.on("error", NOOP);
		if (websocket) {
			websocket._readyState = WebSocket.CLOSING;
			this.destroy();
		}
	}
}));

// node_modules/ws/lib/stream.js
var require_stream = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	require_websocket();
	const { Duplex } = __require("stream");
	/**
	* Emits the `'close'` event on a stream.
	*
	* @param {Duplex} stream The stream.
	* @private
	*/
	function emitClose(stream) {
		stream.emit("close");
	}
	/**
	* The listener of the `'end'` event.
	*
	* @private
	*/
	function duplexOnEnd() {
		if (!this.destroyed && this._writableState.finished) this.destroy();
	}
	/**
	* The listener of the `'error'` event.
	*
	* @param {Error} err The error
	* @private
	*/
	function duplexOnError(err) {
		this.removeListener("error", duplexOnError);
		this.destroy();
		if (this.listenerCount("error") === 0) this.emit("error", err);
	}
	/**
	* Wraps a `WebSocket` in a duplex stream.
	*
	* @param {WebSocket} ws The `WebSocket` to wrap
	* @param {Object} [options] The options for the `Duplex` constructor
	* @return {Duplex} The duplex stream
	* @public
	*/
	function createWebSocketStream(ws, options) {
		let terminateOnDestroy = true;
		const duplex = new Duplex({
			...options,
			autoDestroy: false,
			emitClose: false,
			objectMode: false,
			writableObjectMode: false
		});
		ws.on("message", function message(msg, isBinary) {
			const data = !isBinary && duplex._readableState.objectMode ? msg.toString() : msg;
			if (!duplex.push(data)) ws.pause();
		});
		ws.once("error", function error(err) {
			if (duplex.destroyed) return;
			terminateOnDestroy = false;
			duplex.destroy(err);
		});
		ws.once("close", function close() {
			if (duplex.destroyed) return;
			duplex.push(null);
		});
		duplex._destroy = function(err, callback) {
			if (ws.readyState === ws.CLOSED) {
				callback(err);
				process.nextTick(emitClose, duplex);
				return;
			}
			let called = false;
			ws.once("error", function error(err) {
				called = true;
				callback(err);
			});
			ws.once("close", function close() {
				if (!called) callback(err);
				process.nextTick(emitClose, duplex);
			});
			if (terminateOnDestroy) ws.terminate();
		};
		duplex._final = function(callback) {
			if (ws.readyState === ws.CONNECTING) {
				ws.once("open", function open() {
					duplex._final(callback);
				});
				return;
			}
			if (ws._socket === null) return;
			if (ws._socket._writableState.finished) {
				callback();
				if (duplex._readableState.endEmitted) duplex.destroy();
			} else {
				ws._socket.once("finish", function finish() {
					callback();
				});
				ws.close();
			}
		};
		duplex._read = function() {
			if (ws.isPaused) ws.resume();
		};
		duplex._write = function(chunk, encoding, callback) {
			if (ws.readyState === ws.CONNECTING) {
				ws.once("open", function open() {
					duplex._write(chunk, encoding, callback);
				});
				return;
			}
			ws.send(chunk, callback);
		};
		duplex.on("end", duplexOnEnd);
		duplex.on("error", duplexOnError);
		return duplex;
	}
	module.exports = createWebSocketStream;
}));

// node_modules/ws/lib/subprotocol.js
var require_subprotocol = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { tokenChars } = require_validation();
	/**
	* Parses the `Sec-WebSocket-Protocol` header into a set of subprotocol names.
	*
	* @param {String} header The field value of the header
	* @return {Set} The subprotocol names
	* @public
	*/
	function parse(header) {
		const protocols = /* @__PURE__ */ new Set();
		let start = -1;
		let end = -1;
		let i = 0;
		for (; i < header.length; i++) {
			const code = header.charCodeAt(i);
			if (end === -1 && tokenChars[code] === 1) {
				if (start === -1) start = i;
			} else if (i !== 0 && (code === 32 || code === 9)) {
				if (end === -1 && start !== -1) end = i;
			} else if (code === 44) {
				if (start === -1) throw new SyntaxError(`Unexpected character at index ${i}`);
				if (end === -1) end = i;
				const protocol = header.slice(start, end);
				if (protocols.has(protocol)) throw new SyntaxError(`The "${protocol}" subprotocol is duplicated`);
				protocols.add(protocol);
				start = end = -1;
			} else throw new SyntaxError(`Unexpected character at index ${i}`);
		}
		if (start === -1 || end !== -1) throw new SyntaxError("Unexpected end of input");
		const protocol = header.slice(start, i);
		if (protocols.has(protocol)) throw new SyntaxError(`The "${protocol}" subprotocol is duplicated`);
		protocols.add(protocol);
		return protocols;
	}
	module.exports = { parse };
}));

// node_modules/ws/lib/websocket-server.js
var require_websocket_server = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const EventEmitter = __require("events");
	const http = __require("http");
	const { Duplex } = __require("stream");
	const { createHash } = __require("crypto");
	const extension = require_extension();
	const PerMessageDeflate = require_permessage_deflate();
	const subprotocol = require_subprotocol();
	const WebSocket = require_websocket();
	const { CLOSE_TIMEOUT, GUID, kWebSocket } = require_constants();
	const keyRegex = /^[+/0-9A-Za-z]{22}==$/;
	const RUNNING = 0;
	const CLOSING = 1;
	const CLOSED = 2;
	/**
	* Class representing a WebSocket server.
	*
	* @extends EventEmitter
	*/
	var WebSocketServer = class extends EventEmitter {
		/**
		* Create a `WebSocketServer` instance.
		*
		* @param {Object} options Configuration options
		* @param {Boolean} [options.allowSynchronousEvents=true] Specifies whether
		*     any of the `'message'`, `'ping'`, and `'pong'` events can be emitted
		*     multiple times in the same tick
		* @param {Boolean} [options.autoPong=true] Specifies whether or not to
		*     automatically send a pong in response to a ping
		* @param {Number} [options.backlog=511] The maximum length of the queue of
		*     pending connections
		* @param {Boolean} [options.clientTracking=true] Specifies whether or not to
		*     track clients
		* @param {Number} [options.closeTimeout=30000] Duration in milliseconds to
		*     wait for the closing handshake to finish after `websocket.close()` is
		*     called
		* @param {Function} [options.handleProtocols] A hook to handle protocols
		* @param {String} [options.host] The hostname where to bind the server
		* @param {Number} [options.maxBufferedChunks=262144] The maximum number of
		*     buffered data chunks
		* @param {Number} [options.maxFragments=16384] The maximum number of message
		*     fragments
		* @param {Number} [options.maxPayload=104857600] The maximum allowed message
		*     size
		* @param {Number} [options.maxPendingAutoPongs=60] The maximum number of
		*     pending automatic pongs
		* @param {Boolean} [options.noServer=false] Enable no server mode
		* @param {String} [options.path] Accept only connections matching this path
		* @param {(Boolean|Object)} [options.perMessageDeflate=false] Enable/disable
		*     permessage-deflate
		* @param {Number} [options.port] The port where to bind the server
		* @param {(http.Server|https.Server)} [options.server] A pre-created HTTP/S
		*     server to use
		* @param {Boolean} [options.skipUTF8Validation=false] Specifies whether or
		*     not to skip UTF-8 validation for text and close messages
		* @param {Function} [options.verifyClient] A hook to reject connections
		* @param {Function} [options.WebSocket=WebSocket] Specifies the `WebSocket`
		*     class to use. It must be the `WebSocket` class or class that extends it
		* @param {Function} [callback] A listener for the `listening` event
		*/
		constructor(options, callback) {
			super();
			options = {
				allowSynchronousEvents: true,
				autoPong: true,
				maxBufferedChunks: 262144,
				maxFragments: 16384,
				maxPayload: 104857600,
				maxPendingAutoPongs: 60,
				skipUTF8Validation: false,
				perMessageDeflate: false,
				handleProtocols: null,
				clientTracking: true,
				closeTimeout: CLOSE_TIMEOUT,
				verifyClient: null,
				noServer: false,
				backlog: null,
				server: null,
				host: null,
				path: null,
				port: null,
				WebSocket,
				...options
			};
			if (options.port == null && !options.server && !options.noServer || options.port != null && (options.server || options.noServer) || options.server && options.noServer) throw new TypeError("One and only one of the \"port\", \"server\", or \"noServer\" options must be specified");
			if (options.port != null) {
				this._server = http.createServer((req, res) => {
					const body = http.STATUS_CODES[426];
					res.writeHead(426, {
						"Content-Length": body.length,
						"Content-Type": "text/plain"
					});
					res.end(body);
				});
				this._server.listen(options.port, options.host, options.backlog, callback);
			} else if (options.server) this._server = options.server;
			if (this._server) {
				const emitConnection = this.emit.bind(this, "connection");
				this._removeListeners = addListeners(this._server, {
					listening: this.emit.bind(this, "listening"),
					error: this.emit.bind(this, "error"),
					upgrade: (req, socket, head) => {
						this.handleUpgrade(req, socket, head, emitConnection);
					}
				});
			}
			if (options.perMessageDeflate === true) options.perMessageDeflate = {};
			if (options.clientTracking) {
				this.clients = /* @__PURE__ */ new Set();
				this._shouldEmitClose = false;
			}
			this.options = options;
			this._state = RUNNING;
		}
		/**
		* Returns the bound address, the address family name, and port of the server
		* as reported by the operating system if listening on an IP socket.
		* If the server is listening on a pipe or UNIX domain socket, the name is
		* returned as a string.
		*
		* @return {(Object|String|null)} The address of the server
		* @public
		*/
		address() {
			if (this.options.noServer) throw new Error("The server is operating in \"noServer\" mode");
			if (!this._server) return null;
			return this._server.address();
		}
		/**
		* Stop the server from accepting new connections and emit the `'close'` event
		* when all existing connections are closed.
		*
		* @param {Function} [cb] A one-time listener for the `'close'` event
		* @public
		*/
		close(cb) {
			if (this._state === CLOSED) {
				if (cb) this.once("close", () => {
					cb(/* @__PURE__ */ new Error("The server is not running"));
				});
				process.nextTick(emitClose, this);
				return;
			}
			if (cb) this.once("close", cb);
			if (this._state === CLOSING) return;
			this._state = CLOSING;
			if (this.options.noServer || this.options.server) {
				if (this._server) {
					this._removeListeners();
					this._removeListeners = this._server = null;
				}
				if (this.clients) {
					if (!this.clients.size) process.nextTick(emitClose, this);
					else this._shouldEmitClose = true;
				} else process.nextTick(emitClose, this);
			} else {
				const server = this._server;
				this._removeListeners();
				this._removeListeners = this._server = null;
				server.close(() => {
					emitClose(this);
				});
			}
		}
		/**
		* See if a given request should be handled by this server instance.
		*
		* @param {http.IncomingMessage} req Request object to inspect
		* @return {Boolean} `true` if the request is valid, else `false`
		* @public
		*/
		shouldHandle(req) {
			if (this.options.path) {
				const index = req.url.indexOf("?");
				if ((index !== -1 ? req.url.slice(0, index) : req.url) !== this.options.path) return false;
			}
			return true;
		}
		/**
		* Handle a HTTP Upgrade request.
		*
		* @param {http.IncomingMessage} req The request object
		* @param {Duplex} socket The network socket between the server and client
		* @param {Buffer} head The first packet of the upgraded stream
		* @param {Function} cb Callback
		* @public
		*/
		handleUpgrade(req, socket, head, cb) {
			socket.on("error", socketOnError);
			const key = req.headers["sec-websocket-key"];
			const upgrade = req.headers.upgrade;
			const version = +req.headers["sec-websocket-version"];
			if (req.method !== "GET") {
				abortHandshakeOrEmitwsClientError(this, req, socket, 405, "Invalid HTTP method");
				return;
			}
			if (upgrade === void 0 || upgrade.toLowerCase() !== "websocket") {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Invalid Upgrade header");
				return;
			}
			if (key === void 0 || !keyRegex.test(key)) {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Missing or invalid Sec-WebSocket-Key header");
				return;
			}
			if (version !== 13 && version !== 8) {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Missing or invalid Sec-WebSocket-Version header", { "Sec-WebSocket-Version": "13, 8" });
				return;
			}
			if (!this.shouldHandle(req)) {
				abortHandshake(socket, 400);
				return;
			}
			const secWebSocketProtocol = req.headers["sec-websocket-protocol"];
			let protocols = /* @__PURE__ */ new Set();
			if (secWebSocketProtocol !== void 0) try {
				protocols = subprotocol.parse(secWebSocketProtocol);
			} catch (err) {
				abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Invalid Sec-WebSocket-Protocol header");
				return;
			}
			const secWebSocketExtensions = req.headers["sec-websocket-extensions"];
			const extensions = {};
			if (this.options.perMessageDeflate && secWebSocketExtensions !== void 0) {
				const perMessageDeflate = new PerMessageDeflate({
					...this.options.perMessageDeflate,
					isServer: true,
					maxPayload: this.options.maxPayload
				});
				try {
					const offers = extension.parse(secWebSocketExtensions);
					if (offers[PerMessageDeflate.extensionName]) {
						perMessageDeflate.accept(offers[PerMessageDeflate.extensionName]);
						extensions[PerMessageDeflate.extensionName] = perMessageDeflate;
					}
				} catch (err) {
					abortHandshakeOrEmitwsClientError(this, req, socket, 400, "Invalid or unacceptable Sec-WebSocket-Extensions header");
					return;
				}
			}
			if (this.options.verifyClient) {
				const info = {
					origin: req.headers[`${version === 8 ? "sec-websocket-origin" : "origin"}`],
					secure: !!(req.socket.authorized || req.socket.encrypted),
					req
				};
				if (this.options.verifyClient.length === 2) {
					this.options.verifyClient(info, (verified, code, message, headers) => {
						if (!verified) return abortHandshake(socket, code || 401, message, headers);
						this.completeUpgrade(extensions, key, protocols, req, socket, head, cb);
					});
					return;
				}
				if (!this.options.verifyClient(info)) return abortHandshake(socket, 401);
			}
			this.completeUpgrade(extensions, key, protocols, req, socket, head, cb);
		}
		/**
		* Upgrade the connection to WebSocket.
		*
		* @param {Object} extensions The accepted extensions
		* @param {String} key The value of the `Sec-WebSocket-Key` header
		* @param {Set} protocols The subprotocols
		* @param {http.IncomingMessage} req The request object
		* @param {Duplex} socket The network socket between the server and client
		* @param {Buffer} head The first packet of the upgraded stream
		* @param {Function} cb Callback
		* @throws {Error} If called more than once with the same socket
		* @private
		*/
		completeUpgrade(extensions, key, protocols, req, socket, head, cb) {
			if (!socket.readable || !socket.writable) return socket.destroy();
			if (socket[kWebSocket]) throw new Error("server.handleUpgrade() was called more than once with the same socket, possibly due to a misconfiguration");
			if (this._state > RUNNING) return abortHandshake(socket, 503);
			const headers = [
				"HTTP/1.1 101 Switching Protocols",
				"Upgrade: websocket",
				"Connection: Upgrade",
				`Sec-WebSocket-Accept: ${createHash("sha1").update(key + GUID).digest("base64")}`
			];
			const ws = new this.options.WebSocket(null, void 0, this.options);
			if (protocols.size) {
				const protocol = this.options.handleProtocols ? this.options.handleProtocols(protocols, req) : protocols.values().next().value;
				if (protocol) {
					headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
					ws._protocol = protocol;
				}
			}
			if (extensions[PerMessageDeflate.extensionName]) {
				const params = extensions[PerMessageDeflate.extensionName].params;
				const value = extension.format({ [PerMessageDeflate.extensionName]: [params] });
				headers.push(`Sec-WebSocket-Extensions: ${value}`);
				ws._extensions = extensions;
			}
			this.emit("headers", headers, req);
			socket.write(headers.concat("\r\n").join("\r\n"));
			socket.removeListener("error", socketOnError);
			ws.setSocket(socket, head, {
				allowSynchronousEvents: this.options.allowSynchronousEvents,
				maxBufferedChunks: this.options.maxBufferedChunks,
				maxFragments: this.options.maxFragments,
				maxPayload: this.options.maxPayload,
				skipUTF8Validation: this.options.skipUTF8Validation
			});
			if (this.clients) {
				this.clients.add(ws);
				ws.on("close", () => {
					this.clients.delete(ws);
					if (this._shouldEmitClose && !this.clients.size) process.nextTick(emitClose, this);
				});
			}
			cb(ws, req);
		}
	};
	module.exports = WebSocketServer;
	/**
	* Add event listeners on an `EventEmitter` using a map of <event, listener>
	* pairs.
	*
	* @param {EventEmitter} server The event emitter
	* @param {Object.<String, Function>} map The listeners to add
	* @return {Function} A function that will remove the added listeners when
	*     called
	* @private
	*/
	function addListeners(server, map) {
		for (const event of Object.keys(map)) server.on(event, map[event]);
		return function removeListeners() {
			for (const event of Object.keys(map)) server.removeListener(event, map[event]);
		};
	}
	/**
	* Emit a `'close'` event on an `EventEmitter`.
	*
	* @param {EventEmitter} server The event emitter
	* @private
	*/
	function emitClose(server) {
		server._state = CLOSED;
		server.emit("close");
	}
	/**
	* Handle socket errors.
	*
	* @private
	*/
	function socketOnError() {
		this.destroy();
	}
	/**
	* Close the connection when preconditions are not fulfilled.
	*
	* @param {Duplex} socket The socket of the upgrade request
	* @param {Number} code The HTTP response status code
	* @param {String} [message] The HTTP response body
	* @param {Object} [headers] Additional HTTP response headers
	* @private
	*/
	function abortHandshake(socket, code, message, headers) {
		message = message || http.STATUS_CODES[code];
		headers = {
			Connection: "close",
			"Content-Type": "text/html",
			"Content-Length": Buffer.byteLength(message),
			...headers
		};
		socket.once("finish", socket.destroy);
		socket.end(`HTTP/1.1 ${code} ${http.STATUS_CODES[code]}\r\n` + Object.keys(headers).map((h) => `${h}: ${headers[h]}`).join("\r\n") + "\r\n\r\n" + message);
	}
	/**
	* Emit a `'wsClientError'` event on a `WebSocketServer` if there is at least
	* one listener for it, otherwise call `abortHandshake()`.
	*
	* @param {WebSocketServer} server The WebSocket server
	* @param {http.IncomingMessage} req The request object
	* @param {Duplex} socket The socket of the upgrade request
	* @param {Number} code The HTTP response status code
	* @param {String} message The HTTP response body
	* @param {Object} [headers] The HTTP response headers
	* @private
	*/
	function abortHandshakeOrEmitwsClientError(server, req, socket, code, message, headers) {
		if (server.listenerCount("wsClientError")) {
			const err = new Error(message);
			Error.captureStackTrace(err, abortHandshakeOrEmitwsClientError);
			server.emit("wsClientError", err, socket, req);
		} else abortHandshake(socket, code, message, headers);
	}
}));

// node_modules/ws/wrapper.mjs
var import_stream = /* @__PURE__ */ __toESM(require_stream(), 1);
var import_extension = /* @__PURE__ */ __toESM(require_extension(), 1);
var import_permessage_deflate = /* @__PURE__ */ __toESM(require_permessage_deflate(), 1);
var import_receiver = /* @__PURE__ */ __toESM(require_receiver(), 1);
var import_sender = /* @__PURE__ */ __toESM(require_sender(), 1);
var import_subprotocol = /* @__PURE__ */ __toESM(require_subprotocol(), 1);
var import_websocket = /* @__PURE__ */ __toESM(require_websocket(), 1);
var import_websocket_server = /* @__PURE__ */ __toESM(require_websocket_server(), 1);

// node_modules/@effect/platform-node/dist/NodeHttpServer.js
/**
* Node.js implementation of the Effect `HttpServer`.
*
* This module adapts a supplied Node `http.Server` or `node:http2` server into
* Effect's platform-independent HTTP server service. It starts the server with
* Node `listen` options, converts `request` events into `HttpServerRequest`
* values, writes `HttpServerResponse` bodies through Node's `ServerResponse`,
* and handles `upgrade` events by exposing the upgraded socket through
* `HttpServerRequest.upgrade`. It also exports request and upgrade handler
* constructors plus layers for the server alone, HTTP support services, the
* combined server, configurable options, and tests.
*
* **HTTP/2**
*
* Pass `Http2.createServer()` for cleartext HTTP/2 (h2c), or
* `Http2.createSecureServer({ key, cert, allowHTTP1: true })` to negotiate
* HTTP/2 over TLS and fall back to HTTP/1.1 for clients that do not support
* it. The protocol is detected per request, so the application sees the same
* `HttpServerRequest` either way:
*
* - pseudo-headers are removed from `headers`, and `host` is taken from
*   `:authority`
* - `originalUrl` and `HttpServerRequest.toURL` use the `:scheme` the client
*   sent, which a client can set as freely as `x-forwarded-proto`
* - connection-specific response headers that HTTP/2 forbids, such as
*   `connection`, `keep-alive` and `transfer-encoding`, are dropped silently
* - a response that fails after its headers were sent resets the stream with
*   `INTERNAL_ERROR`, so clients do not mistake a truncated body for a
*   complete one
*
* WebSockets and other upgrades only work over HTTP/1.1, which needs
* `allowHTTP1` on a TLS server. Trailers are only available through the Node
* objects from `NodeHttpServerRequest`. Tune HTTP/2 limits, such as
* `maxSessionMemory` and `settings.maxConcurrentStreams`, through the Node
* server options.
*
* @stability unstable
* @since 4.0.0
*/
/**
* Creates a scoped `HttpServer` from a Node `http.Server` or `node:http2`
* server, starts listening with the supplied options, registers request and
* upgrade handling, and closes the server during scope finalization with
* optional graceful-shutdown control.
*
* **Details**
*
* Node's own timeouts are set on the server you create, for example
* `createServer({ requestTimeout: 0, headersTimeout: 60_000 })`:
*
* - `requestTimeout` (default 300 seconds) bounds receiving the whole request,
*   headers and body. On expiry Node answers `408`, or closes the connection
*   if the response has started. It is checked every
*   `connectionsCheckingInterval` (default 30 seconds). `0` disables it.
* - `headersTimeout` (default 60 seconds) bounds receiving the headers. Left
*   unset, it is lowered to a smaller `requestTimeout`, so `requestTimeout: 0`
*   alone disables both. When both are nonzero it may not exceed
*   `requestTimeout`.
* - `keepAliveTimeout` (default 5 seconds) closes connections idle between
*   requests.
* - `server.timeout`, socket inactivity, is off by default, so a quiet
*   response stream is never cut once the request is received.
*
* Use `Stream` and `Effect` timeouts in handlers or middleware for per-route
* limits on reading the body or producing the response.
*
* **Gotchas**
*
* A request counts as received once Node has parsed the whole body, so a
* handler that streams a response without reading a large body is still under
* `requestTimeout` and is cut when it expires.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const make$1 = /*#__PURE__*/ fnUntraced(function* (evaluate, options) {
	const scope$4 = yield* scope;
	const server = evaluate();
	let closing = false;
	const sessions = /* @__PURE__ */ new Set();
	server.on("session", (session) => {
		if (closing) return session.close();
		sessions.add(session);
		session.once("close", () => sessions.delete(session));
	});
	const shutdown = yield* callback((resume) => {
		if (!server.listening) return resume(void_$1);
		server.close((error) => {
			if (error) resume(die(error));
			else resume(void_$1);
		});
		closing = true;
		for (const session of sessions) session.close();
	}).pipe(cached);
	const preemptiveShutdown = options.disablePreemptiveShutdown ? void_$1 : timeoutOrElse(shutdown, {
		duration: options.gracefulShutdownTimeout ?? seconds(20),
		orElse: () => void_$1
	});
	yield* addFinalizer(scope$4, shutdown);
	yield* callback((resume) => {
		function onError(cause) {
			resume(fail(new ServeError({ cause })));
		}
		server.on("error", onError);
		server.listen(options, () => {
			server.off("error", onError);
			resume(void_$1);
		});
	});
	const address = server.address();
	const boundAddress = yield* typeof address === "string" ? succeed(unixPathAddress(address)) : fromResult(inetAddressFromIpString(address.address, address.port)).pipe(mapError((cause) => new ServeError({ cause })));
	const wss = yield* acquireRelease(sync(() => new import_websocket_server.default({
		...options.websocket,
		noServer: true
	})), (wss) => callback((resume) => {
		wss.close(() => resume(void_$1));
	})).pipe(provide$1(scope$4), cached);
	return make$9({
		address: boundAddress,
		serve: fnUntraced(function* (httpApp, middleware) {
			const serveScope = yield* scope;
			const scope$3 = forkUnsafe(serveScope, "parallel");
			const handler = yield* makeHandler(httpApp, {
				middleware,
				scope: scope$3
			});
			const upgradeHandler = yield* makeUpgradeHandler(wss, httpApp, {
				middleware,
				scope: scope$3
			});
			const checkContinueHandler = (request, response) => {
				pendingContinue.add(request);
				handler(request, response);
			};
			yield* addFinalizerExit(serveScope, () => ensuring(preemptiveShutdown, sync(() => {
				server.off("request", handler);
				server.off("checkContinue", checkContinueHandler);
				server.off("upgrade", upgradeHandler);
			})));
			server.on("request", handler);
			server.on("checkContinue", checkContinueHandler);
			server.on("upgrade", upgradeHandler);
		})
	});
});
/**
* Creates a Node `request` event handler for an Effect HTTP application,
* injecting a `HttpServerRequest` and interrupting the request fiber if the
* client closes the response before it finishes. It accepts both HTTP/1.1 and
* HTTP/2 compatibility requests.
*
* @stability unstable
* @category handlers
* @since 4.0.0
*/
const makeHandler = (httpEffect, options) => {
	const handled = toHandled(httpEffect, handleResponse, options.middleware);
	return withFiber((parent) => {
		const services = parent.context;
		return succeed(function handler(request, response) {
			const nodeRequest = request;
			const nodeResponse = response;
			if (nodeRequest.httpVersionMajor === 1) nodeResponse.prependListener("finish", () => teardownBody(nodeRequest, nodeResponse));
			const context = add(services, HttpServerRequest, new ServerRequestImpl(nodeRequest, nodeResponse));
			const fiber = runIn(runForkWith(context)(handled), options.scope);
			if (fiber.pollUnsafe() === void 0) nodeResponse.on("close", () => {
				if (!nodeResponse.writableEnded) fiber.interruptUnsafe(parent.id, ClientAbort.annotation);
			});
		});
	});
};
/**
* Creates a Node `upgrade` event handler for an Effect HTTP application,
* exposing the upgraded connection as the request's `upgrade` effect and
* interrupting the request fiber when the socket closes early.
*
* **Details**
*
* `Upgrade: websocket` requests complete the WebSocket handshake. Any other
* protocol answers `101 Switching Protocols` with the requested protocol and
* the headers given to `upgradeWith`, and exposes the raw connection, with
* bytes the client sent after the request body first on the reader. Either
* response is sent when the socket's reader is acquired. A handler that never
* asks for `upgrade` answers with its response as usual.
*
* The request body can be read before the upgrade. The `101` waits for the
* body to end, discarding any unread rest up to the maximum body size. Node 25
* and older do not parse the body of an upgrade request, so it is read from
* the connection with `Content-Length`; chunked bodies get
* `411 Length Required` there. `Expect: 100-continue` is not answered on
* upgrade requests.
*
* @stability unstable
* @category handlers
* @since 4.0.0
*/
const makeUpgradeHandler = (lazyWss, httpEffect, options) => {
	const handledApp = toHandled(httpEffect, handleResponse, options.middleware);
	return withFiber((parent) => {
		const services = parent.context;
		return succeed(function handler(nodeRequest, socket, head) {
			const protocol = nodeRequest.headers.upgrade;
			const isWebSocket = protocol === void 0 || protocol.toLowerCase() === "websocket";
			let body;
			if (!isWebSocket && legacyUpgradeBody) {
				if (nodeRequest.headers["transfer-encoding"] !== void 0) {
					socket.on("error", () => {});
					socket.end("HTTP/1.1 411 Length Required\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
					return;
				}
				const framed = frameBody(socket, head, Number(nodeRequest.headers["content-length"] ?? 0));
				body = framed.body;
				head = framed.rest;
			}
			let nodeResponse_ = void 0;
			const nodeResponse = () => {
				if (nodeResponse_ === void 0) {
					nodeResponse_ = new http.ServerResponse(nodeRequest);
					if (state.response !== void 0 || socket.destroyed) nodeResponse_.end();
					else {
						nodeResponse_.assignSocket(socket);
						nodeResponse_.on("finish", () => {
							socket.end();
						});
					}
				}
				return nodeResponse_;
			};
			const webSocketUpgrade = fromWebSocket(flatMap(lazyWss, (wss) => acquireRelease(callback((resume) => {
				const onClose = () => resume(fail(new SocketError({ reason: new SocketOpenError({
					kind: "Unknown",
					cause: /* @__PURE__ */ new Error("The socket closed before the upgrade")
				}) })));
				if (socket.destroyed) return onClose();
				socket.once("close", onClose);
				wss.handleUpgrade(nodeRequest, socket, head, (ws) => {
					socket.off("close", onClose);
					state.response = upgradedResponse;
					resume(succeed(ws));
				});
			}), (ws, exit) => sync(() => ws.close(closeCode(exit))))));
			const state = {
				body,
				response: void 0,
				upgradeWith(request, headers) {
					if (isWebSocket) return Object.keys(headers).length === 0 ? webSocketUpgrade : fail(upgradeError(request, "WebSocket upgrades do not support custom response headers"));
					const invalid = validateUpgradeHeaders(request, headers);
					if (invalid !== void 0) return fail(invalid);
					return toSocket(socket, withFiber((fiber) => {
						const maxBytes = fiber.getRef(MaxBodySize);
						return drainBody(body ?? nodeRequest, maxBytes === void 0 ? void 0 : Number(maxBytes));
					}).pipe(andThen(sync(() => {
						if (state.response !== void 0) return;
						state.response = empty$2({
							status: 101,
							headers: {
								...headers,
								connection: "Upgrade",
								upgrade: protocol
							}
						});
						if (head.length > 0) socket.unshift(head);
						let responseHead = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
						for (const name in headers) responseHead += `${name}: ${headers[name]}\r\n`;
						socket.write(responseHead + "\r\n", "latin1");
					}))));
				}
			};
			const request = new ServerRequestImpl(nodeRequest, nodeResponse, state);
			const context = add(services, HttpServerRequest, request);
			const fiber = runIn(runForkWith(context)(handledApp), options.scope);
			socket.on("error", () => {});
			socket.on("close", () => {
				if (!socket.writableEnded) fiber.interruptUnsafe(parent.id, ClientAbort.annotation);
			});
		});
	});
};
const legacyUpgradeBody = /*#__PURE__*/ Number((/*#__PURE__*/ process.versions.node.split("."))[0]) < 26;
const reservedUpgradeHeaders = /*#__PURE__*/ new Set([
	"connection",
	"upgrade",
	"content-length",
	"transfer-encoding"
]);
const validateUpgradeHeaders = (request, headers) => {
	for (const name in headers) {
		if (reservedUpgradeHeaders.has(name)) return upgradeError(request, `Upgrade responses cannot set the ${name} header`);
		try {
			http.validateHeaderName(name);
			http.validateHeaderValue(name, headers[name]);
		} catch (cause) {
			return upgradeError(request, `Invalid upgrade response header: ${name}`, cause);
		}
	}
};
const upgradeError = (request, description, cause) => new HttpServerError({ reason: new InternalError({
	request,
	description,
	cause
}) });
const isHttp2 = (request) => request?.httpVersionMajor === 2;
const requestHeaders = (source) => {
	if (!isHttp2(source)) return source.headers;
	const headers = {};
	for (const name in source.headers) if (name[0] !== ":") headers[name] = source.headers[name];
	const authority = source.headers[":authority"];
	if (typeof authority === "string") headers.host = authority;
	return headers;
};
const absoluteTarget = (url) => {
	if (!/^https?:\/\//i.test(url)) return;
	try {
		return new URL(url);
	} catch {
		return;
	}
};
const pendingContinue = /*#__PURE__*/ new WeakSet();
const bodyBytesRead = /*#__PURE__*/ new WeakMap();
var ServerRequestImpl = class ServerRequestImpl extends NodeHttpIncomingMessage {
	destroyOnOverflow = false;
	closeOnDone = false;
	[TypeId$7];
	response;
	upgradeState;
	url;
	headersOverride;
	peerAddressOverride;
	protocol;
	constructor(source, response, upgradeState, url, headersOverride, remoteAddressOverride, peerAddressOverride, protocol) {
		super(source, (cause) => new HttpServerError({ reason: new RequestParseError({
			request: this,
			reason: cause instanceof MaxBytesError ? "BodyTooLarge" : "Parse",
			cause
		}) }), remoteAddressOverride);
		this[TypeId$7] = TypeId$7;
		this.response = response;
		this.upgradeState = upgradeState;
		if (url === void 0) {
			const target = absoluteTarget(source.url);
			if (target === void 0) url = source.url;
			else {
				url = target.pathname + target.search;
				const headers = {
					...requestHeaders(source),
					host: target.host
				};
				headersOverride = fromInput(headers);
			}
		}
		this.url = url;
		this.headersOverride = headersOverride;
		this.peerAddressOverride = peerAddressOverride;
		this.protocol = protocol;
	}
	get peerAddress() {
		return this.peerAddressOverride ?? this.remoteAddress;
	}
	cachedCookies;
	get cookies() {
		if (this.cachedCookies) return this.cachedCookies;
		return this.cachedCookies = parseHeader(this.headers.cookie ?? "");
	}
	get resolvedResponse() {
		return typeof this.response === "function" ? this.response() : this.response;
	}
	writeContinue() {
		if (pendingContinue.delete(this.source) && !this.resolvedResponse.headersSent) this.resolvedResponse.writeContinue();
	}
	get stream() {
		return suspend$1(() => {
			this.writeContinue();
			const source = this.source;
			return mapArray(super.stream, (chunk) => {
				let bytes = bodyBytesRead.get(source) ?? 0;
				for (const item of chunk) bytes += item.length;
				bodyBytesRead.set(source, bytes);
				return chunk;
			});
		});
	}
	get arrayBuffer() {
		return suspend(() => {
			this.writeContinue();
			return super.arrayBuffer;
		});
	}
	modify(options) {
		return new ServerRequestImpl(this.source, this.response, this.upgradeState, options.url ?? this.url, options.headers ?? this.headersOverride, "remoteAddress" in options ? options.remoteAddress : this.remoteAddressOverride, options.peerAddress ?? this.peerAddressOverride, options.protocol ?? this.protocol);
	}
	get originalUrl() {
		const url = this.source.url;
		const headers = this.source.headers;
		const http2 = isHttp2(this.source);
		const host = (http2 ? headers[":authority"] : void 0) ?? headers.host;
		if (url[0] !== "/" || host === void 0) return url;
		const scheme = http2 ? headers[":scheme"] : void 0;
		const encrypted = this.source.socket?.encrypted;
		return `${scheme ?? (encrypted ? "https" : "http")}://${host}${url}`;
	}
	cachedMethod;
	get method() {
		return this.cachedMethod ??= this.source.method.toUpperCase();
	}
	get headers() {
		this.headersOverride ??= fromInput(requestHeaders(this.source));
		return this.headersOverride;
	}
	multipartEffect;
	get multipart() {
		if (this.multipartEffect) return this.multipartEffect;
		this.multipartEffect = runSync(cached(suspend(() => {
			this.writeContinue();
			return persisted(this.bodySource, this.source.headers);
		})));
		return this.multipartEffect;
	}
	get multipartStream() {
		return suspend$1(() => {
			this.writeContinue();
			return stream(this.bodySource, this.source.headers);
		});
	}
	get upgrade() {
		return this.upgradeWith({});
	}
	upgradeWith(options) {
		const state = this.upgradeState;
		if (state === void 0) return fail(new HttpServerError({ reason: new RequestParseError({
			request: this,
			description: "not an upgradeable ServerRequest"
		}) }));
		return state.upgradeWith(this, fromInput(options.headers));
	}
	get upgradedResponse() {
		return this.upgradeState?.response;
	}
	get bodySource() {
		return this.upgradeState?.body ?? this.source;
	}
	toString() {
		return `ServerRequest(${this.method} ${redactUrl(this.url)})`;
	}
	toJSON() {
		return inspect(this, {
			_id: "HttpServerRequest",
			method: this.method,
			url: redactUrl(this.originalUrl)
		});
	}
};
/**
* Provides an `HttpServer` by creating and managing a scoped Node
* `http.Server` or `node:http2` server with the supplied listen and shutdown
* options.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerServer = /*#__PURE__*/ flow(make$1, /*#__PURE__*/ effect(HttpServer));
/**
* Provides the Node HTTP support services used by `NodeHttpServer`, including
* the HTTP platform, ETag generator, and core Node platform services.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layerHttpServices = /*#__PURE__*/ mergeAll(layer$13, layerWeak, layer$5);
/**
* Provides a Node `HttpServer` together with the Node HTTP platform, ETag, and
* core platform services required to serve requests.
*
* **Details**
*
* Node's timeouts are set on the server returned by `evaluate`; see `make`.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$4 = (evaluate, options) => mergeAll(layerServer(evaluate, options), layerHttpServices);
/**
* Provides a test HTTP server listening on an ephemeral port together with a
* Fetch-backed `HttpClient` configured for server integration tests.
*
* @stability unstable
* @category testing
* @since 4.0.0
*/
const layerTest = /*#__PURE__*/ layerTestClient.pipe(/*#__PURE__*/ provide(/*#__PURE__*/ fresh(layer$16).pipe(/*#__PURE__*/ provide(/*#__PURE__*/ succeed$1(RequestInit)({ keepalive: false })))), /*#__PURE__*/ provideMerge(/*#__PURE__*/ layer$4(http.createServer, { port: 0 })));
const closeCode = (exit) => isSuccess(exit) ? 1e3 : hasInterruptsOnly(exit.cause) ? 1001 : 1011;
const upgradedResponse = /*#__PURE__*/ empty$2({ status: 101 });
const handleResponse = (request, response) => {
	const upgraded = request.upgradedResponse;
	if (upgraded !== void 0) return succeed(upgraded);
	const nodeResponse = request.resolvedResponse;
	if (nodeResponse.writableEnded) return void_$1;
	let headers = response.headers;
	if (response.status === 204 || response.status === 205) {
		const { "content-length": _, ...rest } = headers;
		headers = rest;
	}
	if (!isEmpty(response.cookies)) {
		headers = { ...headers };
		const toSet = toSetCookieHeaders(response.cookies);
		if (headers["set-cookie"] !== void 0) toSet.push(headers["set-cookie"]);
		headers["set-cookie"] = toSet;
	}
	try {
		return writeResponse(request, response, nodeResponse, headers);
	} catch (defect) {
		return andThen(cancelResponseBody(response.body), handleCause(nodeResponse, response)(die$1(defect)));
	}
};
const writeResponse = (request, response, nodeResponse, headers) => {
	if (nodeResponse.destroyed) return cancelResponseBody(response.body);
	if (request.method === "HEAD") {
		writeHead(nodeResponse, response, headers);
		return andThen(cancelResponseBody(response.body), endAndAwait(nodeResponse));
	}
	if (omitsBody(response)) {
		writeHead(nodeResponse, response, headers);
		nodeResponse.end();
		return cancelResponseBody(response.body);
	}
	nodeResponse.strictContentLength = true;
	const body = response.body;
	switch (body._tag) {
		case "Empty":
			writeHead(nodeResponse, response, headers);
			return end(nodeResponse, response);
		case "Raw": {
			const piped = typeof body.body === "object" && body.body !== null && "pipe" in body.body && typeof body.body.pipe === "function";
			writeHead(nodeResponse, response, headers, piped);
			if (piped) return tryPromise({
				try: (signal) => pipeTo(body.body, nodeResponse, headers, signal),
				catch: (cause) => new HttpServerError({ reason: new ResponseError({
					request,
					response,
					description: "Error writing raw response",
					cause
				}) })
			}).pipe(interruptible, tapCause(handleCause(nodeResponse, response)));
			return endAndAwait(nodeResponse, body.body).pipe(tapCause(handleCause(nodeResponse, response)));
		}
		case "Uint8Array":
			writeHead(nodeResponse, response, headers);
			if (body.contentLength < 1048576) return end(nodeResponse, response, body.text ?? body.body);
			return endAndAwait(nodeResponse, body.text ?? body.body).pipe(tapCause(handleCause(nodeResponse, response)));
		case "FormData": {
			const r = new globalThis.Response(body.formData);
			const formHeaders = {
				...headers,
				...Object.fromEntries(r.headers)
			};
			writeHead(nodeResponse, response, formHeaders);
			return tryPromise({
				try: (signal) => pipeTo(Readable.fromWeb(r.body), nodeResponse, formHeaders, signal),
				catch: (cause) => new HttpServerError({ reason: new ResponseError({
					request,
					response,
					description: "Error writing FormData response",
					cause
				}) })
			}).pipe(interruptible, tapCause(handleCause(nodeResponse, response)));
		}
		case "Stream": {
			writeHead(nodeResponse, response, headers, true);
			const drainLatch = makeUnsafe$3();
			nodeResponse.on("drain", () => drainLatch.openUnsafe());
			return body.stream.pipe(orDie$1, runForEachArray((array) => {
				const chunk = array.length > 1 ? Buffer.concat(array) : array[0];
				if (nodeResponse.write(chunk)) return void_$1;
				drainLatch.closeUnsafe();
				return drainLatch.await;
			}), interruptible, matchCauseEffect({
				onSuccess: () => end(nodeResponse, response),
				onFailure: handleCause(nodeResponse, response)
			}));
		}
	}
};
const isFinalStatus = (status) => status >= 200 && status <= 599;
const internalServerError = /*#__PURE__*/ empty$2({ status: 500 });
const invalidStatusError = (status) => /* @__PURE__ */ new RangeError(`Invalid final response status: ${status}`);
const writeHead = (nodeResponse, response, headers, streaming = false) => {
	if (!isFinalStatus(response.status)) throw invalidStatusError(response.status);
	if (isHttp2(nodeResponse.req)) {
		nodeResponse.writeHead(response.status, withoutConnectionHeaders(headers));
		return;
	}
	nodeResponse.writeHead(response.status, response.statusText, closesConnection(nodeResponse.req, streaming) ? {
		...headers,
		connection: "close"
	} : headers);
};
const connectionHeaders = /*#__PURE__*/ new Set([
	"connection",
	"keep-alive",
	"proxy-connection",
	"transfer-encoding",
	"upgrade",
	"http2-settings"
]);
const withoutConnectionHeaders = (headers) => {
	let result;
	for (const name in headers) if (connectionHeaders.has(name) || name === "te" && headers[name] !== "trailers") {
		result ??= { ...headers };
		delete result[name];
	}
	return result ?? headers;
};
const maxDrainBytes = 262144;
const closeGracePeriod = 500;
const closesConnection = (request, streaming) => {
	if (request === void 0 || request.httpVersionMajor !== 1 || request.complete) return false;
	if (pendingContinue.has(request)) return true;
	const contentLength = request.headers["content-length"];
	return !streaming && contentLength !== void 0 && Number(contentLength) - (bodyBytesRead.get(request) ?? 0) > maxDrainBytes;
};
const teardownBody = (request, response) => {
	if (request.complete || request.destroyed) return;
	const socket = request.socket;
	if (response._last) {
		request._consuming = true;
		response._last = false;
		return closeSocket(socket);
	}
	let bytes = 0;
	request.on("data", (chunk) => {
		bytes += chunk.length;
		if (bytes > maxDrainBytes) {
			request.pause();
			closeSocket(socket);
		}
	});
	request.resume();
};
const closeSocket = (socket) => {
	if (socket.destroyed) return;
	socket.end();
	const timer = setTimeout(() => socket.destroy(), closeGracePeriod);
	socket.once("close", () => clearTimeout(timer));
};
const cancelResponseBody = (body) => {
	const stream = body._tag === "Raw" ? body.body : void 0;
	if (stream instanceof Readable) return sync(() => stream.destroy());
	return void_$1;
};
const endAndAwait = (nodeResponse, chunk) => callback((resume) => {
	if (nodeResponse.destroyed) return resume(void_$1);
	let completed = false;
	const done = () => {
		if (completed) return;
		completed = true;
		nodeResponse.off("close", done);
		resume(void_$1);
	};
	nodeResponse.once("close", done);
	if (chunk === void 0) nodeResponse.end(done);
	else nodeResponse.end(chunk, done);
});
const end = (nodeResponse, response, chunk) => {
	try {
		nodeResponse.end(chunk);
		return void_$1;
	} catch (defect) {
		return handleCause(nodeResponse, response)(die$1(defect));
	}
};
const pipeTo = (readable, nodeResponse, headers, signal) => {
	const contentLength = headers["content-length"];
	if (typeof contentLength !== "string") return pipeline$1(readable, nodeResponse, { signal });
	let remaining = Number(contentLength);
	const mismatch = () => /* @__PURE__ */ new Error(`Response body doesn't match content-length of ${contentLength}`);
	return pipeline$1(readable, new Transform({
		transform(chunk, _encoding, callback) {
			remaining -= chunk.length;
			callback(remaining < 0 ? mismatch() : null, chunk);
		},
		flush(callback) {
			callback(remaining > 0 ? mismatch() : null);
		}
	}), nodeResponse, { signal });
};
const handleCause = (nodeResponse, originalResponse) => (originalCause) => flatMap(causeResponse(originalCause), ([response, cause]) => {
	const headersSent = nodeResponse.headersSent;
	let abort = headersSent;
	if (!headersSent) {
		if (!isFinalStatus(response.status)) {
			cause = combine(cause, die$1(invalidStatusError(response.status)));
			response = internalServerError;
		}
		try {
			writeHead(nodeResponse, response, {});
		} catch {
			abort = true;
		}
	}
	if (!nodeResponse.writableEnded) {
		if (abort) nodeResponse.destroy(isHttp2(nodeResponse.req) ? /* @__PURE__ */ new Error("The response was aborted") : void 0);
		else nodeResponse.end();
	}
	return failCause(headersSent ? combine(originalCause, die$1(originalResponse)) : cause);
});

// node_modules/effect/dist/Logger.js
/**
* Context reference containing the active loggers for the current fiber.
*
* **Details**
*
* By default this set includes the default logger and the tracer logger.
* Providing `Logger.layer` replaces or merges with this set depending on its
* options.
*
* **Example** (Accessing current loggers)
*
* ```ts import.meta.vitest
* import { Effect, Logger } from "effect"
*
* const messages: Array<unknown> = []
* const customLogger = Logger.make((options) => {
*   messages.push(options.message)
* })
* const program = Effect.gen(function*() {
*   const currentLoggers = yield* Effect.service(Logger.CurrentLoggers)
*   yield* Effect.log("Hello from custom logger").pipe(
*     Effect.provide(Logger.layer([customLogger]))
*   )
*   return currentLoggers.has(Logger.defaultLogger)
* })
*
* Effect.runSync(program) // => true
* messages // => [["Hello from custom logger"]]
* ```
*
* @stability stable
* @category services
* @since 4.0.0
*/
const CurrentLoggers = CurrentLoggers$1;
/**
* Creates a new `Logger` from a log function.
*
* **Details**
*
* The log function receives an options object containing the message, log level,
* cause, fiber information, and timestamp, and should return the desired output.
*
* **Example** (Creating loggers from functions)
*
* ```ts import.meta.vitest
* import { Effect, Logger } from "effect"
*
* const outputs: Array<string> = []
* const textLogger = Logger.make((options) =>
*   `${options.logLevel}: ${options.message}`
* )
* const collector = Logger.make((options) => outputs.push(textLogger.log(options)))
*
* const program = Effect.log("Hello World").pipe(
*   Effect.provide(Logger.layer([collector]))
* )
* Effect.runSync(program)
* outputs // => ["Info: Hello World"]
* ```
*
* @stability stable
* @category constructors
* @since 2.0.0
*/
const make = loggerMake;
/**
* Creates a `Layer` which will overwrite the current set of loggers with the
* specified array of `loggers`.
*
* **Details**
*
* If the specified array of `loggers` should be _merged_ with the current set
* of loggers (instead of overwriting them), set `mergeWithExisting` to `true`.
*
* **Example** (Providing logger layers)
*
* ```ts import.meta.vitest
* import { Effect, Logger } from "effect"
*
* const messages: Array<unknown> = []
* const customLogger = Logger.make((options) => {
*   messages.push(options.message)
* })
* const CustomLoggerLayer = Logger.layer([customLogger])
*
* const program = Effect.log("Application started").pipe(
*   Effect.provide(CustomLoggerLayer)
* )
* Effect.runSync(program)
* messages // => [["Application started"]]
* ```
*
* @stability stable
* @category layers
* @since 4.0.0
*/
const layer$3 = (loggers, options) => effect(CurrentLoggers, withFiber$1(fnUntraced$1(function* (fiber) {
	const currentLoggers = new Set(options?.mergeWithExisting === true ? fiber.getRef(CurrentLoggers$1) : []);
	for (const logger of loggers) currentLoggers.add(isEffect(logger) ? yield* logger : logger);
	return currentLoggers;
})));

// src/store/HomeLock.ts
/**
* At most one daemon per home directory.
*
* The lock is SQLite's on a database of its own: the operating system releases it when the holder dies, however it
* dies, so there is nothing stale to clean up.
*/
/** Another process serves this home. `pid` is absent when that process has not yet said which it is. */
var HomeLockedError = class extends TaggedError$1()("HomeLockedError", {
	home: String$1,
	pid: optionalKey(Int)
}) {
	get message() {
		return `another credsvc daemon${this.pid === void 0 ? "" : ` (pid ${this.pid})`} already serves ${this.home}`;
	}
};
const isBusy = (cause) => typeof cause === "object" && cause !== null && "errcode" in cause && [5, 6].includes(Number(cause.errcode) & 255);
const readPid = (file) => readFile$1(file, { maxBytes: 32 }).pipe(map$1((bytes) => {
	const pid = Number(new TextDecoder().decode(bytes));
	return Number.isSafeInteger(pid) && pid > 0 ? some(pid) : none();
}), orElseSucceed(() => none()));
var HomeLock = class HomeLock extends Service()("credsvc/store/HomeLock") {
	/** Held until the scope closes. Fails at once when another process holds it. */
	static layerNoDeps = effect(HomeLock, gen(function* () {
		const paths = yield* Paths;
		const owner = `${paths.homeLock}.pid`;
		yield* ensurePrivateDirectory(paths.server);
		yield* checkFile(paths.homeLock);
		if (!NFS.existsSync(paths.homeLock)) yield* createOnce(paths.homeLock, "");
		const acquire = try_({
			try: () => {
				const db = new builtins.sqlite.DatabaseSync(paths.homeLock, { timeout: 0 });
				try {
					db.exec("BEGIN EXCLUSIVE");
				} catch (cause) {
					db.close();
					throw cause;
				}
				return db;
			},
			catch: (cause) => isBusy(cause) ? "busy" : new SecureFileError({
				path: paths.homeLock,
				problem: "io",
				code: "SQLITE"
			})
		}).pipe(catch_((problem) => gen(function* () {
			if (problem !== "busy") return yield* problem;
			const pid = yield* readPid(owner);
			return yield* new HomeLockedError({
				home: paths.home,
				...isSome(pid) ? { pid: pid.value } : {}
			});
		})));
		yield* acquireRelease(acquire, (db) => sync(() => {
			NFS.rmSync(owner, { force: true });
			db.close();
		}));
		yield* replaceFile(owner, `${process.pid}\n`);
		return { pid: process.pid };
	}));
};

// src/platform/RotatingFile.ts
/**
* A log file of bounded size: when it is full it is renamed to `<file>.1`, the former `.1` to `.2`, and so on, and the
* oldest is dropped.
*
* Several processes may write to one file. Each looks at the name before it writes, and follows when another has
* renamed the file away.
*/
const rotate = (file, keep) => {
	for (let index = keep - 1; index >= 1; index--) if (NFS.existsSync(`${file}.${index}`)) NFS.renameSync(`${file}.${index}`, `${file}.${index + 1}`);
	NFS.renameSync(file, `${file}.1`);
};
/** One line whatever was in it: control characters would forge lines or drive a terminal. */
const oneLine = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
});
const openRotatingFile = (file, options = {
	maxBytes: 10485760,
	keep: 5
}) => map$1(openAppend(file), (first) => {
	let fd = first;
	const reopen = () => {
		if (fd !== void 0) NFS.closeSync(fd);
		fd = void 0;
		fd = runSync(openAppend(file));
	};
	return {
		write: (line) => {
			try {
				if (fd === void 0) return;
				const open = NFS.fstatSync(fd);
				const named = NFS.lstatSync(file, { throwIfNoEntry: false });
				if (named === void 0 || named.ino !== open.ino || named.dev !== open.dev) reopen();
				else if (open.size >= options.maxBytes) {
					rotate(file, options.keep);
					reopen();
				}
				NFS.writeSync(fd, `${oneLine(line)}\n`);
			} catch {}
		},
		close: () => {
			if (fd !== void 0) NFS.closeSync(fd);
			fd = void 0;
		}
	};
});

// src/server/DaemonLog.ts
const text = (value) => typeof value === "string" && /^[\w$.-]{1,64}$/.test(value) ? value : void 0;
/** Where it was thrown, without the message that precedes the frames. */
const frames = (error) => {
	return (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)).slice(0, 6).map((line) => line.trim().replace(/^at /, "")).join(" < ");
};
const describeValue = (value) => {
	if (typeof value !== "object" || value === null) return typeof value;
	const { _tag, code, reason } = value;
	const name = [
		text(_tag) ?? text(value.constructor?.name) ?? "object",
		text(reason?._tag),
		text(code)
	].filter((part) => part !== void 0).join("/");
	return value instanceof Error ? `${name} at ${frames(value)}` : name;
};
/** The classes, codes and places of everything in the cause; no messages. */
const describeCause = (cause) => cause.reasons.map((reason) => reason._tag === "Fail" ? describeValue(reason.error) : reason._tag === "Die" ? describeValue(reason.defect) : "interrupted").join("; ");
const format = (level, event, fields) => {
	const rest = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === "string" && /[\s"=]/.test(value) ? JSON.stringify(value) : value}`);
	return [
		(/* @__PURE__ */ new Date()).toISOString(),
		level.toUpperCase().padEnd(7),
		event,
		...rest
	].join(" ");
};
var DaemonLog = class DaemonLog extends Service()("credsvc/server/DaemonLog") {
	/** To the rotated file, and to stderr as well when somebody watches the daemon there. */
	static layerNoDeps = (options) => effect(DaemonLog, gen(function* () {
		const paths = yield* Paths;
		yield* ensurePrivateDirectory(paths.serverLogs);
		const file = yield* acquireRelease(openRotatingFile(paths.daemonLog), (file) => sync(() => file.close()));
		return DaemonLog.of({ write: (level, event, fields = {}) => {
			const line = format(level, event, fields);
			file.write(line);
			if (options.echo) process.stderr.write(`${line}\n`);
		} });
	}));
	static layerSilent = succeed$1(DaemonLog, DaemonLog.of({ write: () => {} }));
};

// src/server/Guard.ts
const maxJsonBytes = 1048576;
const maxFormBytes = 65536;
const methods$1 = /* @__PURE__ */ new Set([
	"GET",
	"HEAD",
	"POST",
	"DELETE"
]);
const allow = "GET, HEAD, POST, DELETE";
const loopbackNames = {
	"127.0.0.1": ["127.0.0.1", "localhost"],
	"0.0.0.0": ["127.0.0.1", "localhost"],
	"::1": ["[::1]", "localhost"],
	"::": [
		"[::1]",
		"127.0.0.1",
		"localhost"
	]
};
/**
* Names of a listener on the address `host`. Beside the literal loopback addresses only the name in
* `CREDSVC_SERVER_BASE_URL` counts: never a wildcard address, which browsers reach without telling where they come from.
*/
const authoritiesOf = (host, port, baseUrl) => {
	const loopback = loopbackNames[host] ?? (host.startsWith("127.") ? [host] : []);
	const authorities = new Map(loopback.flatMap((name) => {
		const entry = [`${name}:${port}`, `http://${name}:${port}`];
		return port === 80 ? [entry, [name, `http://${name}`]] : [entry];
	}));
	if (baseUrl !== void 0) {
		authorities.set(baseUrl.host, baseUrl.origin);
		if (baseUrl.port === "") authorities.set(`${baseUrl.host}:${baseUrl.protocol === "https:" ? 443 : 80}`, baseUrl.origin);
	}
	return authorities;
};
/** Pages that another site may link to. Anything that is not exactly one of these gets no exception. */
const page = /^\/(?:auth\/callback\/oauth|auth\/sessions\/[A-Za-z0-9_-]{43}\/(?:input|device)|docs|ui\/(?:connections|apps\/[a-z0-9][a-z0-9._-]{0,63})?)(?:\?[^#]*)?$/;
/** Routes that take a form. All others take JSON. */
const form = /^\/(?:auth\/sessions\/[A-Za-z0-9_-]{43}\/input|ui\/apps\/[a-z0-9][a-z0-9._-]{0,63}\/(?:[A-Za-z0-9._@-]{1,64}\/)?(?:connect|disconnect))$/;
const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;
const formType = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;
const refuse = (status, detail, more = {}) => ({
	status,
	detail,
	...more
});
const foreignHost = refuse(403, "The Host header does not name this daemon.");
const foreignOrigin = refuse(403, "This daemon does not answer requests made by other sites.");
/** The refusal of this request, or undefined when it may go on to the router. */
const decide = (head, authorities) => {
	const { httpVersion, method, rawHeaders, target } = head;
	let host;
	let origin;
	let site;
	let mode;
	let destination;
	let type;
	let length;
	let chunked = false;
	let upgrade = false;
	let encoded = false;
	let repeated = false;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const value = rawHeaders[at + 1] ?? "";
		switch (rawHeaders[at]?.toLowerCase()) {
			case "host":
				if (host !== void 0) return refuse(400, "There is more than one Host header.", { close: true });
				host = value.toLowerCase();
				break;
			case "origin":
				repeated ||= origin !== void 0;
				origin = value;
				break;
			case "sec-fetch-site":
				repeated ||= site !== void 0;
				site = value;
				break;
			case "sec-fetch-mode":
				repeated ||= mode !== void 0;
				mode = value;
				break;
			case "sec-fetch-dest":
				repeated ||= destination !== void 0;
				destination = value;
				break;
			case "content-type":
				repeated ||= type !== void 0;
				type = value;
				break;
			case "content-length":
				length = value;
				break;
			case "transfer-encoding":
				chunked = true;
				break;
			case "content-encoding":
				encoded = true;
				break;
			case "upgrade": upgrade = true;
		}
	}
	if (host === void 0) return refuse(400, "There is no Host header.", { close: true });
	if (!target.startsWith("/")) return refuse(400, "The request target must be a path.", { close: true });
	const ownOrigin = authorities.get(host);
	if (ownOrigin === void 0) return foreignHost;
	if (rawHeaders.length > 200) return refuse(431, "There are too many headers.", { close: true });
	if (repeated) return refuse(400, "A header that may occur once occurs twice.", { close: true });
	if (upgrade) return refuse(405, "This daemon does not switch protocols.", {
		allow,
		close: true
	});
	if (!methods$1.has(method)) return refuse(405, "This method is not served.", {
		allow,
		close: method !== "OPTIONS"
	});
	const navigation = method === "GET" && mode === "navigate" && destination === "document" && page.test(target);
	if (origin !== void 0 && origin !== ownOrigin) {
		if (origin !== "null" || site !== "same-origin") return foreignOrigin;
	}
	if (site !== void 0 && site !== "same-origin" && site !== "none" && !navigation) return foreignOrigin;
	if (!(chunked || length !== void 0 && Number(length) !== 0)) return void 0;
	if (method === "GET" || method === "HEAD") return refuse(400, "This method has no body.", { close: true });
	if (chunked && httpVersion === "1.0") return refuse(400, "HTTP/1.0 has no transfer encoding.", { close: true });
	const asForm = form.test(target);
	if (length !== void 0 && Number(length) > (asForm ? 65536 : 1048576)) return refuse(413, "The body is too large.", { close: true });
	if (encoded || type === void 0 || !(asForm ? formType : jsonType).test(type)) return refuse(415, asForm ? "The body must be a form: Content-Type application/x-www-form-urlencoded." : "The body must be JSON: Content-Type application/json.", { close: true });
};
/**
* Whether a browser may be given a secret for this request: only a script of our own pages, or a caller that is no
* browser. A link or a bookmark (`none`) is not enough.
*/
const mayReveal = (rawHeaders) => {
	for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "sec-fetch-site" && rawHeaders[at + 1] !== "same-origin") return false;
	return true;
};

// src/server/Instance.ts
/** This start of the daemon: where it can be reached, by which names, and what about that is worth a warning. */
var Instance = class extends Service()("credsvc/server/Instance") {};

// src/server/Listener.ts
/**
* The TCP side of the daemon: one `node:http` server with bounds on everything that a stranger can make it hold.
*
* It accepts connections as soon as it is bound, so that a second daemon finds the port taken before it touches the
* vault; requests wait until there is something to answer them with.
*/
/** The port cannot be listened on. */
var ListenError = class extends TaggedError$1()("ListenError", {
	host: String$1,
	port: Int,
	code: String$1
}) {
	get message() {
		switch (this.code) {
			case "EADDRINUSE": return `port ${this.port} on ${this.host} is in use`;
			case "EACCES": return `port ${this.port} on ${this.host} may not be used by this user`;
			case "EADDRNOTAVAIL":
			case "ENOTFOUND": return `${this.host} is not an address of this machine`;
			default: return `${this.host} port ${this.port} cannot be listened on (${this.code})`;
		}
	}
};
const awaitingContinue = /* @__PURE__ */ new WeakMap();
/** Lets a client that sent `Expect: 100-continue` go on with its body. Called once the request may be served. */
const allowBody = (request) => {
	const response = awaitingContinue.get(request);
	if (response === void 0) return;
	awaitingContinue.delete(request);
	response.writeContinue();
};
const maxConnections = 256;
const graceMillis = 1500;
const problem = (status, reason, detail) => {
	const body = JSON.stringify({
		type: "urn:credsvc:error:request-refused",
		title: "Request refused",
		status,
		error: "RequestRefusedError",
		detail
	});
	return `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`;
};
const refusals = {
	HPE_HEADER_OVERFLOW: problem(431, "Request Header Fields Too Large", "The headers are too large."),
	ERR_HTTP_REQUEST_TIMEOUT: problem(408, "Request Timeout", "The request did not arrive in time.")
};
const malformed = problem(400, "Bad Request", "The request is not well-formed HTTP/1.1.");
const noTunnel = problem(405, "Method Not Allowed", "This daemon is not a proxy.").replace("Connection: close", "Allow: GET, HEAD, POST, DELETE\r\nConnection: close");
/**
* Keeps the number of connections bounded by closing the one that has kept us waiting for a request the longest. Merely
* refusing new ones would let whoever opens the most shut everybody else out.
*/
const boundConnections = (server) => {
	const waiting = /* @__PURE__ */ new Set();
	const open = /* @__PURE__ */ new Set();
	server.on("connection", (socket) => {
		open.add(socket);
		waiting.add(socket);
		socket.on("close", () => {
			open.delete(socket);
			waiting.delete(socket);
		});
		if (open.size > maxConnections) {
			const [oldest] = waiting;
			(oldest ?? socket).destroy();
		}
	});
	const track = (request, response) => {
		const { socket } = request;
		if (request.complete) waiting.delete(socket);
		else request.once("end", () => waiting.delete(socket));
		response.once("close", () => {
			if (open.has(socket)) waiting.add(socket);
		});
	};
	server.prependListener("request", track);
};
const close = (server) => callback((resume) => {
	if (!server.listening) return resume(void_$1);
	const timer = setTimeout(() => server.closeAllConnections(), graceMillis);
	server.close(() => {
		clearTimeout(timer);
		resume(void_$1);
	});
	server.closeIdleConnections();
});
/** Binds `host` and `port`; 0 picks a free port. The listener closes with the scope. */
const listen = (host, port) => gen(function* () {
	const server = builtins.http.createServer({
		maxHeaderSize: 16384,
		headersTimeout: 1e4,
		requestTimeout: 3e4,
		keepAliveTimeout: 5e3,
		connectionsCheckingInterval: 2e3,
		requireHostHeader: false,
		noDelay: true
	});
	server.maxHeadersCount = 0;
	const pending = [];
	let handler = (request, response) => pending.push([request, response]);
	server.on("request", (request, response) => {
		response.on("close", () => {
			if (!server.listening) server.closeIdleConnections();
		});
		handler(request, response);
	});
	server.on("checkContinue", (request, response) => {
		awaitingContinue.set(request, response);
		server.emit("request", request, response);
	});
	server.on("connect", (_request, socket) => socket.end(noTunnel));
	server.on("clientError", (error, socket) => {
		if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
		socket.end(refusals[error.code ?? ""] ?? malformed);
	});
	boundConnections(server);
	yield* callback((resume) => {
		const onError = (cause) => resume(fail(new ListenError({
			host,
			port,
			code: cause.code ?? "unknown error"
		})));
		server.once("error", onError);
		server.listen({
			host,
			port,
			exclusive: true,
			backlog: 511
		}, () => {
			server.off("error", onError);
			resume(void_$1);
		});
	});
	yield* addFinalizer$1(() => close(server));
	return {
		port: server.address().port,
		serve: (next) => {
			handler = next;
			for (const [request, response] of pending.splice(0)) if (!response.destroyed) next(request, response);
		},
		close: close(server)
	};
});

// src/server/PeerAdmission.ts
/**
* Whether the far end of a loopback connection belongs to the user whose secrets these are.
*
* Asked once for each connection. A client of this home proves itself with the access key in its first request, which
* costs nothing; any other is looked up in the kernel's socket table, and its first request waits for the answer.
*/
const handshake = /^\/health\?nonce=([0-9a-f]{32,128})$/;
const helloOf = (rawHeaders) => {
	for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "credsvc-client") return rawHeaders[at + 1];
};
var PeerAdmission = class PeerAdmission extends Service()("credsvc/server/PeerAdmission") {
	/** Nobody is asked: another platform than Linux, an address beyond loopback, or the user's own wish. */
	static layerOff = succeed$1(PeerAdmission, PeerAdmission.of({
		isAdmitted: () => true,
		admit: () => succeed(true)
	}));
	static layerNoDeps = (options) => effect(PeerAdmission, gen(function* () {
		const owner = yield* PeerOwner;
		const admitted = /* @__PURE__ */ new WeakSet();
		const lookups = /* @__PURE__ */ new WeakMap();
		const usedNonces = /* @__PURE__ */ new Map();
		const isFresh = (nonce, now) => {
			for (const [used, at] of usedNonces) {
				if (now - at <= 2 * 3e4) break;
				usedNonces.delete(used);
			}
			if (usedNonces.has(nonce)) return false;
			usedNonces.set(nonce, now);
			return true;
		};
		const hasProved = ({ rawHeaders, target }) => {
			const nonce = handshake.exec(target)?.[1];
			const hello = nonce === void 0 ? void 0 : helloOf(rawHeaders);
			if (nonce === void 0 || hello === void 0) return false;
			const now = Date.now();
			return isClientHello(options.accessKey, hello, {
				...options,
				nonce,
				now
			}) && isFresh(nonce, now);
		};
		const lookUp = (socket) => suspend(() => {
			const { localAddress, localPort, remoteAddress, remotePort } = socket;
			if (remoteAddress === void 0 || remotePort === void 0 || localAddress === void 0 || localPort === void 0) return succeed(false);
			return owner.peer({
				address: remoteAddress,
				port: remotePort
			}, {
				address: localAddress,
				port: localPort
			}).pipe(map$1((ownership) => {
				if (ownership === "own") admitted.add(socket);
				return ownership === "own";
			}));
		});
		return PeerAdmission.of({
			isAdmitted: (socket) => admitted.has(socket),
			admit: (socket, introduction) => suspend(() => {
				if (admitted.has(socket)) return succeed(true);
				if (hasProved(introduction)) {
					admitted.add(socket);
					return succeed(true);
				}
				const running = lookups.get(socket);
				if (running !== void 0) return running;
				return flatMap(cached(lookUp(socket)), (lookup) => {
					lookups.set(socket, lookup);
					return lookup;
				});
			})
		});
	}));
};

// src/server/Refusals.ts
/** Answers that belong to no operation, as problem documents. */
const problemType = "application/problem+json";
/** A `RequestRefusedError` with the status that fits: the class itself has but one. */
const refusalResponse = (refusal) => jsonUnsafe({
	type: "urn:credsvc:error:request-refused",
	title: "Request refused",
	status: refusal.status,
	error: "RequestRefusedError",
	detail: refusal.detail
}, {
	status: refusal.status,
	contentType: problemType,
	headers: {
		...refusal.allow === void 0 ? {} : { allow: refusal.allow },
		...refusal.close === true ? { connection: "close" } : {}
	}
});
const unexpectedResponse = (id) => jsonUnsafe({
	type: "urn:credsvc:error:unexpected",
	title: "Unexpected error",
	status: 500,
	error: "UnexpectedError",
	id,
	detail: `The daemon failed in a way it did not foresee. Its log names this failure ${id}: credsvc daemon logs`
}, {
	status: 500,
	contentType: problemType
});

// src/server/FrontDoor.ts
/**
* What every request passes on its way to the router, and every answer on its way back.
*
* Inward: the guard, then the peer check, both before a byte of the body is read and before any route is looked at, so
* no spelling of a path gets around them. Outward: the headers that keep answers out of caches and other sites, and
* a problem document for whatever the routes did not answer themselves.
*/
const everyAnswer = {
	"cache-control": "no-store",
	"cross-origin-resource-policy": "same-origin",
	"x-content-type-options": "nosniff"
};
const notFound = refusalResponse({
	status: 404,
	detail: "There is no such route. The routes are listed at /docs."
});
/** Finds the methods of a path, for the answer to a request whose method is not among them. */
const methodFinder = (served) => {
	const router = make$24();
	for (const { method, path } of served) router.on(method, path, true);
	return (url) => {
		const methods = [
			"GET",
			"POST",
			"DELETE"
		].filter((method) => router.find(method, url) !== void 0);
		return methods.length === 0 ? void 0 : methods.flatMap((method) => method === "GET" ? [method, "HEAD"] : [method]).join(", ");
	};
};
const serverErrorOf = (cause) => {
	for (const reason of cause.reasons) {
		const value = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : void 0;
		if (value instanceof HttpServerError) return value;
	}
};
const bodyTooLarge = refusalResponse({
	status: 413,
	detail: "The body is too large.",
	close: true
});
const unsupportedType = refusalResponse({
	status: 415,
	detail: "The body is not of the type that this route reads."
});
const bodyBroken = refusalResponse({
	status: 400,
	detail: "The body could not be read.",
	close: true
});
/** The app behind the guard. It fails with interruption only. */
const guarded = (app, served) => gen(function* () {
	const { authorities } = yield* Instance;
	const admission = yield* PeerAdmission;
	const log = yield* DaemonLog;
	const methodsOf = methodFinder(served);
	const unserved = (request) => {
		const allow = methodsOf(request.url);
		return allow === void 0 ? notFound : refusalResponse({
			status: 405,
			detail: "This route does not serve this method.",
			allow
		});
	};
	const answerFailure = (cause) => withFiber((fiber) => {
		const request = getUnsafe(fiber.context, HttpServerRequest);
		const error = serverErrorOf(cause);
		switch (error?.reason._tag) {
			case "RouteNotFound": return succeed(unserved(request));
			case "RequestParseError": return succeed(error.reason.reason === "BodyTooLarge" ? bodyTooLarge : bodyBroken);
		}
		if (hasInterruptsOnly(cause)) return interrupt;
		const id = builtins.crypto.randomBytes(8).toString("hex");
		const route = getOrUndefined$1(fiber.context, RouteContext)?.route.path;
		log.write("error", "unexpected", {
			id,
			method: request.method,
			route: route ?? "none",
			cause: describeCause(cause)
		});
		return succeed(unexpectedResponse(id));
	});
	const answered = matchCauseEffect(app, {
		onFailure: answerFailure,
		onSuccess: (response) => succeed(response.status === 415 ? unsupportedType : response)
	});
	const door = withFiber((fiber) => {
		const source = getUnsafe(fiber.context, HttpServerRequest).source;
		const head = {
			method: source.method ?? "",
			target: source.url ?? "",
			rawHeaders: source.rawHeaders,
			httpVersion: source.httpVersion
		};
		const refusal = decide(head, authorities);
		if (refusal !== void 0) return succeed(refusalResponse(refusal));
		const { socket } = source;
		if (admission.isAdmitted(socket)) {
			allowBody(source);
			return answered;
		}
		return flatMap(admission.admit(socket, head), (admitted) => {
			if (admitted) {
				allowBody(source);
				return answered;
			}
			log.write("warning", "peer-refused");
			socket.destroy();
			return succeed(empty$2({ status: 403 }));
		});
	});
	return map$1(door, setHeaders(everyAnswer));
});

// src/server/MasterKey.ts
/** What the daemon tells about its key-encryption key: the mode it was asked for, and the source it came from. */
var MasterKey = class extends Service()("credsvc/server/MasterKey") {};

// node_modules/effect/dist/encoding/Ndjson.js
/**
* Encodes and decodes newline-delimited JSON streams in Effect channels.
*
* NDJSON stores one complete JSON value on each line. This module has helpers
* for byte streams, string streams, and schema-checked records, so streaming
* code can read or write one JSON record at a time.
*
* @stability unstable
* @since 4.0.0
*/
const NdjsonErrorTypeId = "~effect/encoding/Ndjson/NdjsonError";
const encoder = /*#__PURE__*/ new TextEncoder();
const utf8Decoder = /*#__PURE__*/ new TextDecoder("utf-8", {
	fatal: true,
	ignoreBOM: true
});
/**
* Error raised when NDJSON encoding or decoding fails.
*
* **Details**
*
* The `kind` field identifies whether the failure happened while packing or
* unpacking, and `cause` preserves the original error.
*
* Decoders also set `reason` to say why a line was rejected, and
* `unterminated` when that line is the final line of the input and has no
* line terminator.
*
* @stability unstable
* @category errors
* @since 4.0.0
*/
var NdjsonError = class extends (/*#__PURE__*/ TaggedError("NdjsonError")) {
	/**
	* Marks this value as an NDJSON encoding or decoding error for runtime guards.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	[NdjsonErrorTypeId] = NdjsonErrorTypeId;
	/**
	* Uses the failed NDJSON operation as the public message.
	*
	* @stability unstable
	* @since 4.0.0
	*/
	get message() {
		return this.kind;
	}
};
/**
* Checks whether a value is an `NdjsonError`.
*
* @stability unstable
* @category guards
* @since 4.0.0
*/
const isNdjsonError = (u) => hasProperty(u, NdjsonErrorTypeId);
/**
* Creates a channel that encodes chunks of values as NDJSON strings.
*
* **Details**
*
* Each input item is `JSON.stringify`-encoded, separated by newlines, and the
* output chunk ends with a trailing newline.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const encodeString = () => fromTransform((upstream, _scope) => succeed(flatMap(upstream, (input) => {
	try {
		return succeed(of(input.map((item) => {
			const output = JSON.stringify(item);
			if (output === void 0) throw new TypeError("Value cannot be represented as JSON");
			return output;
		}).join("\n") + "\n"));
	} catch (cause) {
		return fail(new NdjsonError({
			kind: "Pack",
			cause
		}));
	}
})));
/**
* Creates a channel that encodes chunks of values as UTF-8 NDJSON bytes.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const encode = () => map$5(encodeString(), map$2((_) => encoder.encode(_)));
const makeDecodePull = (upstream, step, flush) => {
	let failure;
	let done$1;
	const emit = (out, error) => {
		failure = error;
		if (isArrayNonEmpty(out)) return succeed(out);
		return error !== void 0 ? fail(error) : void 0;
	};
	const pull = suspend(() => {
		if (failure !== void 0) return fail(failure);
		if (done$1 !== void 0) return done(done$1.leftover);
		return matchEffect$1(upstream, {
			onSuccess: (input) => {
				const out = [];
				return emit(out, step(input, out)) ?? pull;
			},
			onFailure: failCause,
			onDone: (leftover) => {
				done$1 = { leftover };
				const out = [];
				return emit(out, flush(out)) ?? done(leftover);
			}
		});
	});
	return pull;
};
const parseLine = (line, out, ignoreEmptyLines, unterminated) => {
	if (ignoreEmptyLines && line.length === 0) return;
	try {
		out.push(JSON.parse(line));
	} catch (cause) {
		return new NdjsonError({
			kind: "Unpack",
			reason: "InvalidJson",
			unterminated,
			cause
		});
	}
};
const LF = 10;
const CR = 13;
const emptyBytes = /*#__PURE__*/ new Uint8Array(0);
/**
* Creates a channel that decodes UTF-8 byte chunks and parses them as NDJSON.
*
* **Details**
*
* Lines may span input chunks. `\n`, `\r\n` and a bare `\r` end a line, and a
* leading UTF-8 BOM is skipped. `ignoreEmptyLines` controls whether blank lines
* are skipped before JSON parsing.
*
* The first bad line fails the channel after the lines before it have been
* emitted. A line that is not valid UTF-8 fails with `reason: "InvalidUtf8"`
* and a line that is not valid JSON fails with `reason: "InvalidJson"`.
*
* `maxLineBytes` limits the UTF-8 bytes of a line, not counting its
* terminator. A longer line fails with `reason: "LineTooLarge"` as soon as the
* limit is passed, without reading the rest of the line. Lines are unbounded
* by default.
*
* @stability unstable
* @category constructors
* @since 4.0.0
*/
const decode = (options) => fromTransform((upstream, _scope) => sync(() => {
	const ignoreEmptyLines = options?.ignoreEmptyLines === true;
	const maxLineBytes = options?.maxLineBytes ?? Number.POSITIVE_INFINITY;
	let decoder = new TextDecoder("utf-8", { fatal: true });
	let pending = [];
	let pendingBytes = 0;
	let afterCR = false;
	const takeLine = (chunk, start, end) => {
		if (pendingBytes === 0) return chunk.subarray(start, end);
		const line = new Uint8Array(pendingBytes + end - start);
		let offset = 0;
		for (const bytes of pending) {
			line.set(bytes, offset);
			offset += bytes.length;
		}
		line.set(chunk.subarray(start, end), offset);
		pending = [];
		pendingBytes = 0;
		return line;
	};
	const decodeLine = (bytes, out, unterminated) => {
		let line;
		try {
			line = decoder.decode(bytes);
		} catch (cause) {
			return new NdjsonError({
				kind: "Unpack",
				reason: "InvalidUtf8",
				unterminated,
				cause
			});
		}
		const firstLine = decoder !== utf8Decoder;
		decoder = utf8Decoder;
		if (firstLine && unterminated && line.length === 0) return;
		return parseLine(line, out, ignoreEmptyLines, unterminated);
	};
	const step = (chunks, out) => {
		for (const chunk of chunks) {
			let start = 0;
			for (let i = 0; i < chunk.length; i++) {
				const byte = chunk[i];
				if (byte === LF || byte === CR) {
					if (byte === LF && afterCR) start = i + 1;
					else {
						const error = decodeLine(takeLine(chunk, start, i), out, false);
						if (error !== void 0) return error;
						start = i + 1;
					}
					afterCR = byte === CR;
				} else {
					afterCR = false;
					if (pendingBytes + i + 1 - start > maxLineBytes) return new NdjsonError({
						kind: "Unpack",
						reason: "LineTooLarge",
						unterminated: false,
						cause: /* @__PURE__ */ new RangeError(`NDJSON line exceeds maxLineBytes of ${maxLineBytes}`)
					});
				}
			}
			if (start < chunk.length) {
				pending.push(chunk.slice(start));
				pendingBytes += chunk.length - start;
			}
		}
	};
	const flush = (out) => pendingBytes === 0 ? void 0 : decodeLine(takeLine(emptyBytes, 0, 0), out, true);
	return makeDecodePull(upstream, step, flush);
}));

// node_modules/effect/dist/UndefinedOr.js
/**
* Maps a defined value with `f`, or returns `undefined` unchanged.
*
* **When to use**
*
* Use to apply a pure transformation to an `A | undefined` value while
* preserving `undefined` as absence.
*
* @see {@link match} when you need to handle the `undefined` case explicitly
*
* @stability stable
* @category mapping
* @since 4.0.0
*/
const map = /*#__PURE__*/ dual(2, (self, f) => self === void 0 ? void 0 : f(self));

// node_modules/effect/dist/http-api/HttpApiBuilder.js
/**
* Registers an `HttpApi` with a `HttpRouter`.
*
* @stability unstable
* @category layers
* @since 4.0.0
*/
const layer$2 = (api, options) => use(fnUntraced(function* (router) {
	const services = yield* context();
	const routes = [];
	const routeOwners = /* @__PURE__ */ new Map();
	const availableGroups = Array.from(services.mapUnsafe.keys()).filter((key) => key.startsWith("effect/http-api/HttpApiGroup/"));
	const groups = Object.values(api.groups);
	for (const group of groups) {
		const service = services.mapUnsafe.get(group.key);
		if (service === void 0) {
			const available = availableGroups.length === 0 ? "none" : availableGroups.join(", ");
			return yield* die(`HttpApiGroup "${group.identifier}" not found (key: "${group.key}"). Did you forget to provide HttpApiBuilder.group(api, "${group.identifier}", ...)? Available groups: ${available}`);
		}
		for (const { endpoint } of service.handlers.values()) {
			const owner = `${group.identifier}.${endpoint.identifier}`;
			const key = `${endpoint.method} ${toRouterPath(endpoint.path, endpoint.params)}`;
			const existing = routeOwners.get(key);
			if (existing !== void 0) return yield* die(/* @__PURE__ */ new Error(`HttpApiEndpoint "${owner}" (${endpoint.method} ${endpoint.path}) has the same method and path as "${existing}". Declare one endpoint whose query, headers, payload or success schemas cover each variant instead.`));
			routeOwners.set(key, owner);
		}
		routes.push(...service.routes);
	}
	yield* router.addAll(routes);
	if (options?.openapiPath) {
		const makeResponse = memoize((api) => jsonUnsafe(fromApi(api)));
		yield* router.add("GET", options.openapiPath, sync(() => makeResponse(api)));
	}
}));
/**
* Create a `Layer` that implements all endpoints in an `HttpApi` group.
*
* **Details**
*
* The `build` function receives an unimplemented `Handlers` instance that can
* be used to add handlers to the group. Implement endpoints with
* `handlers.handle`.
*
* @stability unstable
* @category handlers
* @since 4.0.0
*/
const group = (api, groupIdentifier, build) => effectContext(gen(function* () {
	const services = (yield* context()).pipe(omit(Scope));
	const group = api.groups[groupIdentifier];
	const result = build(makeHandlers(group));
	const handlers = isEffect$1(result) ? yield* result : result;
	const routes = [];
	for (const item of handlers.handlers.values()) routes.push(handlerToRoute(api, group, item, services));
	const service = {
		routes,
		handlers: handlers.handlers
	};
	return makeUnsafe$2(/* @__PURE__ */ new Map([[group.key, service]]));
}));
const HandlersTypeId = "~effect/http-api/HttpApiBuilder/Handlers";
/**
* Decodes credentials for an HTTP API security scheme from the current request,
* supporting bearer, API key, and basic authentication inputs.
*
* @stability unstable
* @category security
* @since 4.0.0
*/
const securityDecode = (self) => {
	switch (self._tag) {
		case "Http": return map$1(HttpServerRequest, (request) => make$15(getAuthorizationCredential(request.headers.authorization, self.scheme) ?? ""));
		case "ApiKey": {
			const key = self.in === "header" ? self.key.toLowerCase() : self.key;
			const schema = Struct({ [key]: String$1 });
			const decode = self.in === "query" ? schemaSearchParams(schema) : self.in === "cookie" ? schemaCookies(schema) : schemaHeaders(schema);
			return match$1(decode, {
				onFailure: () => make$15(""),
				onSuccess: (match) => make$15(match[key])
			});
		}
		case "Basic": {
			const empty = {
				username: "",
				password: make$15("")
			};
			return map$1(HttpServerRequest, (request) => {
				const encoded = getAuthorizationCredential(request.headers.authorization, basicScheme);
				if (encoded === void 0) return empty;
				const decoded = getOrUndefined$2(decodeString(encoded));
				if (decoded === void 0) return empty;
				const separator = decoded.indexOf(":");
				if (separator === -1) return empty;
				return {
					username: decoded.slice(0, separator),
					password: make$15(decoded.slice(separator + 1))
				};
			});
		}
	}
};
const basicScheme = "Basic";
function getAuthorizationCredential(authorization, scheme) {
	const schemeLength = scheme.length;
	if (authorization === void 0 || authorization.length <= schemeLength || authorization.charCodeAt(schemeLength) !== 32 || authorization.slice(0, schemeLength).toLowerCase() !== scheme.toLowerCase()) return;
	let credentialStart = schemeLength + 1;
	while (authorization.charCodeAt(credentialStart) === 32) credentialStart++;
	return credentialStart === authorization.length ? void 0 : authorization.slice(credentialStart);
}
const registerHandler = (self, identifier, handler, isRaw, options) => {
	if (!Object.hasOwn(self.group.endpoints, identifier)) throw new Error(`HttpApiEndpoint "${identifier}" not found in HttpApiGroup "${self.group.identifier}"`);
	if (self.handlers.has(identifier)) throw new Error(`Handler for HttpApiEndpoint "${identifier}" is already registered in HttpApiGroup "${self.group.identifier}"`);
	const endpoint = self.group.endpoints[identifier];
	self.handlers.set(identifier, {
		endpoint,
		handler,
		isRaw,
		uninterruptible: options?.uninterruptible ?? false
	});
	return self;
};
const HandlersProto = {
	[HandlersTypeId]: HandlersTypeId,
	pipe() {
		return pipeArguments(this, arguments);
	},
	handle(identifier, handler, options) {
		return registerHandler(this, identifier, handler, false, options);
	},
	handleAll(handlers) {
		for (const [identifier, entry] of Object.entries(handlers)) {
			const handler = typeof entry === "function" ? entry : entry.handler;
			const options = typeof entry === "function" ? void 0 : entry.options;
			registerHandler(this, identifier, handler, false, options);
		}
		return this;
	},
	handleRaw(identifier, handler, options) {
		return registerHandler(this, identifier, handler, true, options);
	}
};
const makeHandlers = (group) => {
	const self = Object.create(HandlersProto);
	self.group = group;
	self.handlers = /* @__PURE__ */ new Map();
	return self;
};
function buildPayloadDecoders(payloadMap, options) {
	const result = /* @__PURE__ */ new Map();
	payloadMap.forEach(({ encoding, schemas }, contentType) => {
		if (encoding._tag === "Stream") {
			const schema = schemas[0];
			result.set(contentType, {
				_tag: "Stream",
				maxBytes: schema.maxBytes === void 0 ? void 0 : toNumberUnsafe(schema.maxBytes),
				decode: makePayloadStreamDecoder(schema, options)
			});
			return;
		}
		const schema = Union(schemas);
		const decode = decodeUnknownEffect(encoding._tag === "FormUrlEncoded" ? toCodecArrayFromSingle(schema) : schema, options);
		if (encoding._tag === "Multipart") result.set(contentType, {
			_tag: "Multipart",
			mode: encoding.mode,
			limits: encoding.limits,
			decode
		});
		else result.set(contentType, {
			_tag: encoding._tag,
			decode,
			nullOnEmpty: schemas.some((s) => isNull(toEncoded(s.ast)))
		});
	});
	return result;
}
function decodePayload(payloadBy, httpRequest, query) {
	const hasBody$1 = hasBody(httpRequest.method);
	const contentType = hasBody$1 ? normalize(httpRequest.headers["content-type"] ?? "application/json") : "application/x-www-form-urlencoded";
	const existing = payloadBy.get(contentType);
	if (!existing) return text$1(`Unsupported content-type: ${contentType}`, { status: 415 });
	if (existing._tag === "Stream") {
		if (existing.maxBytes !== void 0 && Number(httpRequest.headers["content-length"]) > existing.maxBytes) return payloadTooLargeResponse;
		return map$1(context(), (context) => provideContext$1(existing.decode(httpRequest), context));
	}
	const { _tag, decode } = existing;
	switch (_tag) {
		case "Multipart":
			if (existing.mode === "buffered") {
				let eff = orDie(httpRequest.multipart);
				if (existing.limits) eff = provideContext(eff, limitsServices(existing.limits));
				return flatMap(eff, decode);
			}
			return succeed(existing.limits ? provideContext$1(httpRequest.multipartStream, limitsServices(existing.limits)) : httpRequest.multipartStream);
		case "Json": return flatMap(orDie(httpRequest.text), (text) => {
			if (text === "") return decode(existing.nullOnEmpty ? null : void 0);
			try {
				return decode(JSON.parse(text));
			} catch {
				return fail(new SchemaError(new InvalidValue({ message: "Expected a valid JSON body" })));
			}
		});
		case "Text": return flatMap(orDie(httpRequest.text), decode);
		case "FormUrlEncoded": {
			const source = hasBody$1 ? map$1(orDie(httpRequest.urlParamsBody), toRecord) : succeed(query);
			return flatMap(source, decode);
		}
		case "Uint8Array": return flatMap(map$1(orDie(httpRequest.arrayBuffer), (buffer) => new Uint8Array(buffer)), decode);
	}
}
const payloadTooLargeResponse = /*#__PURE__*/ empty$2({
	status: 413,
	headers: { connection: "close" }
});
function makePayloadStreamDecoder(schema, options) {
	const maxBytes = schema.maxBytes;
	const readBody = (request) => {
		const body = orDie$1(request.stream);
		return maxBytes === void 0 ? body : limitBytes(body, maxBytes);
	};
	if (isStreamUint8Array(schema)) return readBody;
	const decodeElement = decodeUnknownEffect(toCodecJson(schema.schema), options);
	const maxElementBytes = schema.maxElementBytes;
	const elementTooLarge = new HttpApiPayloadTooLarge({
		limit: "maxElementBytes",
		size: maxElementBytes
	});
	const maxLineBytes = toNumberUnsafe(maxElementBytes);
	return (request) => readBody(request).pipe(pipeThroughChannel(decode({
		ignoreEmptyLines: true,
		maxLineBytes
	})), mapEffect((json) => decodeElement(json)), mapError$1((error) => {
		if (HttpApiPayloadTooLarge.is(error)) return error;
		if (!isNdjsonError(error)) return new HttpApiSchemaError({
			kind: "Payload",
			cause: error
		});
		if (error.reason === "LineTooLarge") return elementTooLarge;
		return new HttpApiSchemaError({
			kind: "Payload",
			cause: ndjsonSchemaError(error)
		});
	}));
}
const isNdjsonPackError = (error) => isNdjsonError(error) && error.kind === "Pack";
const ndjsonSchemaError = (error) => new SchemaError(new InvalidValue({ message: error.reason === "InvalidUtf8" ? "Expected valid UTF-8" : error.unterminated ? "Expected a valid JSON line, got an unterminated final line" : "Expected a valid JSON line" }));
function limitBytes(self, maxBytes) {
	const limit = toNumberUnsafe(maxBytes);
	const error = new HttpApiPayloadTooLarge({
		limit: "maxBytes",
		size: maxBytes
	});
	return suspend$1(() => {
		let total = 0;
		return mapArrayEffect(self, (chunks) => {
			for (const chunk of chunks) total += chunk.length;
			return total > limit ? fail(error) : succeed(chunks);
		});
	});
}
function handlerToHttpEffect(api, group, endpoint, context, handler, isRaw) {
	const annotations = merge$1(merge$1(api.annotations, group.annotations), endpoint.annotations);
	const options = getSlotParseOptions(annotations);
	const encodeSuccess = encodeUnknownEffect(makeSuccessSchema(endpoint, options.headers), options.success);
	const encodeError = encodeUnknownEffect(makeErrorSchema(endpoint, options.headers), options.error);
	const decodeParams = map(endpoint.params, (schema) => decodeUnknownEffect(schema, options.params));
	const decodeHeaders = map(endpoint.headers, (schema) => decodeUnknownEffect(schema, options.headers));
	const decodeQuery = map(endpoint.query, (schema) => decodeUnknownEffect(toCodecArrayFromSingle(schema), options.query));
	const encodeStream = makeStreamEncoder(endpoint, options.success);
	const encodeWithHeaders = makeWithHeadersEncoder(endpoint, options.success, options.headers);
	const upgrade = getUpgradeSuccessSchema(endpoint);
	const upgradeOnly = upgrade !== void 0 && endpoint.success.size === 1;
	const encodeUpgradeHeaders = map(upgrade?.headers, (schema) => encodeUnknownEffect(schema, options.headers));
	const payloadBy = endpoint.payload.size > 0 && !isRaw ? buildPayloadDecoders(endpoint.payload, options.payload) : void 0;
	return applyMiddleware(group, endpoint, context, gen(function* () {
		const context = getCurrent().context;
		const httpRequest = getUnsafe(context, HttpServerRequest);
		const routeContext = getUnsafe(context, RouteContext);
		const query = getUnsafe(context, ParsedSearchParams);
		const request = {
			request: httpRequest,
			endpoint,
			group
		};
		if (decodeParams) request.params = yield* HttpApiSchemaError.wrap("Params", decodeParams(routeContext.params));
		if (decodeHeaders) request.headers = yield* HttpApiSchemaError.wrap("Headers", decodeHeaders(httpRequest.headers));
		if (decodeQuery) request.query = yield* HttpApiSchemaError.wrap("Query", decodeQuery(query));
		let upgraded = false;
		if (upgrade !== void 0) {
			if (!isUpgradeRequest(httpRequest, upgrade.protocol)) return upgradeRequired(upgrade.protocol);
			request.upgrade = (options) => suspend(() => {
				upgraded = true;
				return orDie(encodeUpgradeHeaders === void 0 ? httpRequest.upgrade : flatMap(HttpApiSchemaError.wrap("ResponseHeaders", encodeUpgradeHeaders(options?.headers)), (headers) => httpRequest.upgradeWith({ headers })));
			});
		}
		if (payloadBy) {
			const result = decodePayload(payloadBy, httpRequest, query);
			if (isHttpServerResponse(result)) return result;
			if (result !== void 0) request.payload = yield* HttpApiSchemaError.wrap("Payload", result);
		}
		let response = yield* handler(request);
		if (isHttpServerResponse(response)) return response;
		if (upgradeOnly || upgraded) {
			if (response !== void 0 && !upgradeOnly) return yield* die(/* @__PURE__ */ new Error("Cannot return a success value after calling upgrade()"));
			return empty$2();
		}
		let responseHeaders;
		if (encodeWithHeaders !== void 0 && isWithHeadersValue(response)) {
			responseHeaders = response.headers;
			response = response.body;
		}
		const encoded = yield* HttpApiSchemaError.wrap("Body", encodeStream?.(response, context) ?? (responseHeaders !== void 0 ? encodeWithHeaders.encodeBody(response) : encodeSuccess(response)));
		if (encodeWithHeaders === void 0 || responseHeaders === void 0) return encoded;
		const encodedHeaders = yield* HttpApiSchemaError.wrap("ResponseHeaders", encodeWithHeaders.encodeHeaders.get(encoded.status)(responseHeaders));
		return setHeaders(encoded, encodedHeaders);
	})).pipe(withErrorReporting, catch_((error) => {
		if (HttpApiSchemaError.is(error) || HttpApiPayloadTooLarge.is(error)) return die(error);
		return catch_(encodeError(error), (schemaError) => isRespondable(error) ? toResponse(error) : die(schemaError));
	}), provideContext(context));
}
/**
* @internal
*/
function handlerToRoute(api, group, handler, context) {
	const endpoint = handler.endpoint;
	return route(endpoint.method, toRouterPath(endpoint.path, endpoint.params), handlerToHttpEffect(api, group, endpoint, context, handler.handler, handler.isRaw), { uninterruptible: handler.uninterruptible });
}
const applyMiddleware = (group, endpoint, context, handler) => {
	const options = {
		group,
		endpoint
	};
	for (const key_ of endpoint.middlewares) {
		const key = key_;
		const service = getUnsafe(context, key);
		handler = (isSecurity(key) ? makeSecurityMiddleware(key, service) : service)(handler, options);
	}
	return handler;
};
const securityMiddlewareCache = /*#__PURE__*/ new WeakMap();
const makeSecurityMiddleware = (key, service) => {
	const cached = securityMiddlewareCache.get(service);
	if (cached !== void 0) return cached;
	const entries = Object.entries(key.security).map(([securityKey, security]) => ({
		decode: securityDecode(security),
		middleware: service[securityKey]
	}));
	if (entries.length === 0) return identity;
	const middleware = fnUntraced(function* (handler, options) {
		handler = mapError(handler, (error) => new HandlerError(error));
		let lastResult;
		for (let i = 0; i < entries.length; i++) {
			const { decode, middleware } = entries[i];
			const result$1 = yield* result(flatMap(decode, (credential) => middleware(handler, {
				credential,
				endpoint: options.endpoint,
				group: options.group
			})));
			if (isFailure$1(result$1)) {
				if (isHandlerError(result$1.failure)) return yield* fail(result$1.failure.error);
				lastResult = result$1;
				continue;
			}
			return result$1.success;
		}
		return yield* fromResult(lastResult);
	});
	securityMiddlewareCache.set(service, middleware);
	return middleware;
};
const HandlerErrorTypeId = "~effect/http-api/HttpApiBuilder/HandlerError";
var HandlerError = class {
	[HandlerErrorTypeId] = HandlerErrorTypeId;
	error;
	constructor(error) {
		this.error = error;
	}
};
const isHandlerError = (value) => hasProperty(value, HandlerErrorTypeId);
const $HttpServerResponse = /*#__PURE__*/ declare(isHttpServerResponse);
function makeWithHeadersEncoder(endpoint, options, headersOptions) {
	const encodeHeaders = /* @__PURE__ */ new Map();
	const bodySchemas = [];
	for (const schema of endpoint.success) {
		if (!isWithHeaders(schema)) continue;
		encodeHeaders.set(getStatusSuccessSchema(schema), encodeUnknownEffect(schema.headers, headersOptions));
		if (!isStreamSchema(schema.schema)) bodySchemas.push(toResponseSuccessSchema(schema, headersOptions));
	}
	if (encodeHeaders.size === 0) return void 0;
	const bodySchema = bodySchemas.length === 0 ? Never : bodySchemas.length === 1 ? bodySchemas[0] : Union(bodySchemas);
	return {
		encodeBody: encodeUnknownEffect(bodySchema, options),
		encodeHeaders
	};
}
function makeStreamEncoder(endpoint, options) {
	const successSchema = getStreamSuccessSchema(endpoint);
	if (successSchema === void 0) return;
	const streamSchema = successSchema.body;
	const hasBuffered = hasBufferedSuccess(endpoint);
	const status = getStatusSuccessSchema(successSchema.schema);
	const contentType = streamSchema.contentType;
	const encodeBody = makeStreamBodyEncoder(streamSchema, options);
	return (response, context) => {
		if (!isStream(response)) return hasBuffered ? void 0 : new SchemaError(new InvalidValue({ message: "Expected a streaming response" }));
		return succeed(stream$2(provideContext$1(encodeBody(response), context), {
			status,
			contentType
		}));
	};
}
function makeStreamBodyEncoder(streamSchema, options) {
	if (isStreamUint8Array(streamSchema)) return (stream) => stream;
	if (isStreamNdjson(streamSchema)) {
		const encodeElements = encodeUnknownEffect(NonEmptyArray(toCodecJson(streamSchema.schema)), options);
		return (stream) => stream.pipe(mapArrayEffect((elements) => orDie(encodeElements(elements))), pipeThroughChannel(encode()), catchIf(isNdjsonPackError, die$2));
	}
	const sseEncoder = makeSseEncoder(streamSchema, options);
	return (stream) => encodeSseStream(stream, sseEncoder);
}
function getUpgradeSuccessSchema(endpoint) {
	for (const schema of endpoint.success) if (isUpgrade(schema)) return schema;
}
const isUpgradeRequest = (request, protocol) => request.headers.upgrade?.toLowerCase() === protocol.toLowerCase() && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(request.headers.connection ?? "");
const upgradeRequired = (protocol) => empty$2({
	status: 426,
	headers: {
		connection: "Upgrade",
		upgrade: protocol
	}
});
function getStreamSuccessSchema(endpoint) {
	for (const schema of endpoint.success) {
		const body = isWithHeaders(schema) ? schema.schema : schema;
		if (isStreamSchema(body)) return {
			schema,
			body
		};
	}
}
function hasBufferedSuccess(endpoint) {
	for (const schema of endpoint.success) {
		const body = isWithHeaders(schema) ? schema.schema : schema;
		if (isSchema(body) && !isStreamSchema(body)) return true;
	}
	return endpoint.success.size === 0;
}
function makeSseEncoder(streamSchema, options) {
	const CauseSchema = toCodecJson(Cause(streamSchema.error, Defect()));
	return {
		sseMode: streamSchema.sseMode,
		encodeEvents: encodeUnknownEffect(ArraySchema(streamSchema.events), options),
		encodeCause: encodeUnknownEffect(fromJsonString(CauseSchema), options)
	};
}
function encodeSseStream(stream, encoder) {
	return stream.pipe(encoder.sseMode === "data" ? map$4((value) => ({
		id: void 0,
		event: "message",
		data: value
	})) : identity, mapArrayEffect((chunk) => orDie(encoder.encodeEvents(chunk))), catchCause$1((cause) => fromEffect(encodeFailureEvent(cause, encoder))), map$4(renderSseEvent), encodeText);
}
function encodeFailureEvent(cause, encoder) {
	return encoder.encodeCause(cause).pipe(orDie, map$1((encodedCause) => ({
		id: void 0,
		event: reservedStreamFailureEvent,
		data: encodedCause
	})));
}
const reservedStreamFailureEvent = "effect/http-api/stream/failure";
function renderSseEvent(event) {
	return encoder$1.write({
		_tag: "Event",
		event: event.event,
		id: event.id,
		data: event.data
	});
}
const toResponseSuccessSchema = /*#__PURE__*/ toResponseSchema(getStatusSuccessSchema);
const toResponseErrorSchemaPlain = /*#__PURE__*/ toResponseSchema(getStatusErrorSchema);
function toResponseErrorSchema(schema, headersOptions) {
	if (!isWithHeaders(schema)) return toResponseErrorSchemaPlain(schema, headersOptions);
	return toWithHeadersResponseSchema({
		schema,
		status: getStatusErrorSchema(schema),
		encoding: getResponseEncodingSchema(schema),
		body: schema.schema,
		headers: schema.headers,
		headersOptions,
		toPair: (value) => value
	});
}
function makeSuccessSchema(endpoint, headersOptions) {
	const schemas = [];
	for (const schema of getSuccessSchemas(endpoint)) {
		if (isUpgrade(schema)) continue;
		schemas.push(toResponseSuccessSchema(schema, headersOptions));
	}
	return schemas.length === 1 ? schemas[0] : Union(schemas);
}
function makeErrorSchema(endpoint, headersOptions) {
	const schemas = getErrorSchemas(endpoint).map((schema) => toResponseErrorSchema(schema, headersOptions));
	if (schemas.length === 0) return Never;
	return schemas.length === 1 ? schemas[0] : Union(schemas);
}
function toResponseSchema(getStatus) {
	const cache = /* @__PURE__ */ new WeakMap();
	return (schema, headersOptions) => {
		const withHeaders = getWithHeadersAnnotation(schema.ast);
		if (withHeaders !== void 0) return toWithHeadersResponseSchema({
			schema: toType(schema),
			status: getStatus(withHeaders.body),
			encoding: getResponseEncoding(withHeaders.body.ast),
			body: withHeaders.bodyCodec,
			headers: withHeaders.headersCodec,
			headersOptions,
			toPair: withHeaders.transformation.encode
		});
		const key = isWithHeaders(schema) ? schema : schema.ast;
		const cached = cache.get(key);
		if (cached !== void 0) return cached;
		const bodySchema = isWithHeaders(schema) ? schema.schema : schema;
		const responseSchema = $HttpServerResponse.pipe(decodeTo(bodySchema, getResponseTransformation(getStatus, schema)));
		cache.set(key, responseSchema);
		return responseSchema;
	};
}
function getResponseTransformation(getStatus, schema) {
	const bodySchema = isWithHeaders(schema) ? schema.schema : schema;
	const encode = getResponseEncode(getStatus(schema), getResponseEncodingSchema(schema), isNoContent(bodySchema.ast));
	return transformEffect({
		decode: (input, options) => fail(new Forbidden({ message: "Encode only schema" }, input, options)),
		encode
	});
}
function toWithHeadersResponseSchema(options) {
	const encodeBody = encodeUnknownEffect(options.body);
	const encodeHeaders = encodeUnknownEffect(options.headers, options.headersOptions);
	const encodeResponse = getResponseEncode(options.status, options.encoding, isNoContent(options.body.ast));
	const toIssue = (error) => error.issue;
	const transformation = transformEffect({
		decode: (input, options) => fail(new Forbidden({ message: "Encode only schema" }, input, options)),
		encode: (value, parseOptions) => {
			const pair = options.toPair(value);
			return encodeBody(pair.body, parseOptions).pipe(mapError(toIssue), flatMap((body) => encodeResponse(body, parseOptions)), flatMap((response) => map$1(mapError(encodeHeaders(pair.headers), toIssue), (headers) => setHeaders(response, headers))));
		}
	});
	return $HttpServerResponse.pipe(decodeTo(options.schema, transformation));
}
function getResponseEncode(status, encoding, isNoContent) {
	switch (encoding._tag) {
		case "Json": return (e, options) => {
			if (e === void 0 || isNoContent) return succeed(empty$2({ status }));
			try {
				const s = JSON.stringify(e);
				return succeed(text$1(s, {
					status,
					contentType: encoding.contentType
				}));
			} catch {
				return fail(new InvalidValue({ expected: "a JSON-serializable response body" }, e, options));
			}
		};
		case "Text": return (e) => succeed(text$1(e, {
			status,
			contentType: encoding.contentType
		}));
		case "Uint8Array": return (e) => succeed(uint8Array$1(e, {
			status,
			contentType: encoding.contentType
		}));
		case "FormUrlEncoded": return (e) => succeed(urlParams(e, { status }).pipe(setHeader("content-type", encoding.contentType)));
	}
}

// src/server/Readiness.ts
/** The checks behind `/ready` and `doctor`. */
const statusOf = ({ message, problems = [], skipped, warnings = [] }) => ({
	status: problems.length > 0 || skipped === true ? "failed" : warnings.length > 0 ? "warning" : "ok",
	message
});
const unique = (sentences) => [...new Set(sentences)];
/** Runs every check, whatever the others say. */
const runChecks = (checks, warnings) => gen(function* () {
	const findings = {};
	for (const name of componentNames) findings[name] = yield* checks[name];
	const all = componentNames.map((name) => findings[name]);
	const problems = unique(all.flatMap((finding) => finding.problems ?? []));
	const allWarnings = unique([...warnings, ...all.flatMap((finding) => finding.warnings ?? [])]);
	return {
		status: problems.length > 0 ? "unhealthy" : allWarnings.length > 0 ? "degraded" : "ok",
		checks: {
			spec_version: statusOf(findings.spec_version),
			identity: statusOf(findings.identity),
			providers: statusOf(findings.providers),
			connections: statusOf(findings.connections),
			vault: statusOf(findings.vault),
			integrity: statusOf(findings.integrity)
		},
		warnings: allWarnings,
		problems
	};
});
var Readiness = class Readiness extends Service()("credsvc/server/Readiness") {
	static layerOf = (checks) => effect(Readiness, gen(function* () {
		const instance = yield* Instance;
		const masterKey = yield* MasterKey;
		return Readiness.of({ report: zipWith(runChecks(checks, instance.warnings), masterKey.report, (report, key) => ({
			...report,
			...key
		})) });
	}));
};

// src/server/RequestProblems.ts
/** What every operation does with a request that is not what its schema says. */
const limits = {
	maxBytes: maxJsonBytes,
	maxDepth: 32
};
const ofBody = ({ message, path }) => ({
	path,
	message: path === "" ? `the body ${message}` : message
});
/** A name of the query, the path or a header stands for itself; places in the body are JSON pointers. */
const ofNamed = ({ message, path }) => ({
	path: path.replace(/^\//, ""),
	message
});
const invalid = (error) => InvalidRequestError.of(problemsOf(error.cause).map(error.kind === "Payload" ? ofBody : ofNamed));
const notForLinks = OperationNotAllowedError.of("A secret is not shown to a page that a link or a bookmark opened. Use the command line: credsvc get --show-secret");
/** Operations that answer with a secret. */
const reveals = (operation, url) => operation === "credentials.export" || operation === "credentials.resolve" || operation === "connections.get" && new URLSearchParams(url.split("?")[1]).has("reveal");
/** Reads a body with the strict parser first. The text is kept: the operation reads the same one again. */
const withStrictBody = (operation) => flatMap(HttpServerRequest, (request) => flatMap(orDie(request.text), (text) => {
	if (text === "") return operation;
	const parsed = parseStrictJson(text, limits);
	return isSuccess$1(parsed) ? operation : fail(InvalidRequestError.of([ofBody(parsed.failure)]));
}));
const withRevealRule = (name, operation) => flatMap(HttpServerRequest, (request) => reveals(name, request.url) && !mayReveal(request.source.rawHeaders) ? fail(notForLinks) : operation);
const layer$1 = succeed$1(RequestProblems, RequestProblems.of((operation, { endpoint, group }) => {
	const name = `${group.identifier}.${endpoint.identifier}`;
	const read = endpoint.payload.size === 0 ? operation : withStrictBody(operation);
	const permitted = name.startsWith("credentials.") || name === "connections.get" ? withRevealRule(name, read) : read;
	return catch_(permitted, (error) => {
		if (!(error instanceof HttpApiSchemaError)) return fail(error);
		return error.kind === "Body" || error.kind === "ResponseHeaders" ? die(error) : fail(invalid(error));
	});
}));

// src/api/Description.ts
const profileHeader = {
	name: "Credsvc-Profile",
	in: "header",
	required: false,
	description: "The profile that the request is about; without it, the active one.",
	schema: { type: "string" }
};
const refusal = {
	description: "Refused before routing: wrong `Host` or `Origin` (403), method (405), size (413), media type (415), authority (421), or too many requests (429).",
	content: { "application/problem+json": { schema: {
		type: "object",
		required: [
			"type",
			"title",
			"status",
			"error",
			"detail"
		],
		properties: {
			type: {
				type: "string",
				const: "urn:credsvc:error:request-refused"
			},
			title: { type: "string" },
			status: { type: "integer" },
			error: {
				type: "string",
				const: "RequestRefusedError"
			},
			detail: { type: "string" }
		}
	} } }
};
const methods = [
	"get",
	"post",
	"put",
	"delete",
	"patch"
];
/** Error classes are named by their encoded form; a client knows no other. */
const unencoded = (document) => JSON.parse(JSON.stringify(document).replaceAll("ErrorEncoded\"", "Error\""));
/** Documents the profile header and the guards once for every operation, and the body of `providers.register`. */
const describe = (document) => {
	document["components"] ??= {};
	document["components"].responses = {
		...document["components"].responses,
		RequestRefused: refusal
	};
	for (const [path, item] of Object.entries(document["paths"])) for (const method of methods) {
		const operation = item[method];
		if (operation === void 0) continue;
		operation.responses ??= {};
		operation.responses.default ??= { $ref: "#/components/responses/RequestRefused" };
		if (!path.startsWith("/health") && !path.startsWith("/ready") && !path.startsWith("/profiles")) operation.parameters = [...operation.parameters ?? [], profileHeader];
	}
	const reference = { $ref: "#/components/schemas/ProviderDefinition" };
	const get = document["paths"]["/providers/{provider}"]?.get?.responses?.["200"]?.content?.["application/json"];
	const register = document["paths"]["/providers"]?.post;
	if (get !== void 0 && register?.requestBody !== void 0) {
		document["components"].schemas = {
			...document["components"].schemas,
			ProviderDefinition: get.schema
		};
		get.schema = reference;
		register.requestBody.content["application/json"].schema = reference;
		const registered = register.responses?.["201"]?.content?.["application/json"];
		if (registered !== void 0) registered.schema = reference;
	}
	return unencoded(document);
};

// src/api/Api.ts
/**
* The HTTP interface, as one value.
*
* The daemon's handlers, the OpenAPI description, the typed clients and the command line are all made from it. It
* imports nothing of the server, so that any client may import it.
*/
/** A body with a field that we don't know is refused; a client ignores a field that it doesn't know. */
var Api = class extends make$25("credsvc").add(SystemGroup).add(AuthGroup).add(ConnectionsGroup).add(CredentialsGroup).add(ProvidersGroup).add(ProxyGroup).add(AuditGroup).add(ProfilesGroup).annotate(PayloadParseOptions, {
	onExcessProperty: "error",
	errors: "all"
}).annotate(QueryParseOptions, {
	onExcessProperty: "error",
	errors: "all"
}).annotateMerge(annotations({
	title: "credsvc",
	version: "1",
	summary: "Credentials for third-party APIs, used without being seen",
	description: "The interface of a local credential daemon. Every failure is a problem document (RFC 9457) whose `error` names its class. Requests from browsers must be same-origin, and `Host` must be the daemon's own.",
	license: {
		name: "MIT",
		identifier: "MIT"
	},
	servers: [{
		url: "http://127.0.0.1:7998",
		description: "The local daemon"
	}],
	transform: describe
})) {};

// src/server/SystemHandlers.ts
const SystemHandlers = group(Api, "system", fnUntraced(function* (handlers) {
	const instance = yield* Instance;
	const masterKey = yield* MasterKey;
	const readiness = yield* Readiness;
	const { home } = yield* Paths;
	const prove = (nonce) => appendPreResponseHandler((_request, response) => succeed(setHeader(response, proofHeader, serverProof(instance.accessKey, nonce, instance.port))));
	return handlers.handleAll({
		health: ({ query }) => gen(function* () {
			if (query.nonce !== void 0) yield* prove(query.nonce);
			const key = yield* masterKey.report;
			return {
				status: "ok",
				version,
				apiVersion: 1,
				instance: instance.id,
				...key
			};
		}),
		ready: () => readiness.report,
		whoami: () => zipWith(CurrentProfile, masterKey.report, (profile, key) => ({
			home,
			profile,
			identity: profile,
			...key,
			daemonUrl: instance.baseUrl.origin,
			version
		}))
	});
}));

// src/server/RecoveryRoutes.ts
/**
* What is served when the vault cannot be opened: liveness, readiness with the way out, and for everything else the
* failure itself. The daemon stays up, so that a person who asks is told what is wrong.
*/
var RecoveryApi = class extends make$25("credsvc").add(SystemGroup) {};
const notChecked = {
	message: "Not checked: the vault cannot be opened.",
	skipped: true
};
const response = (failure) => jsonUnsafe({
	type: failure.type,
	title: failure.title,
	status: failure.status,
	error: failure.error,
	detail: failure.detail
}, {
	status: failure.status,
	contentType: problemType
});
const servedPaths = [
	"GET",
	"POST",
	"DELETE"
].map((method) => ({
	method,
	path: "/*"
}));
const layer = (failure) => {
	const detail = failure.detail ?? failure.title;
	const failed = {
		message: detail,
		problems: [detail]
	};
	const readiness = Readiness.layerOf({
		spec_version: succeed(notChecked),
		identity: succeed(notChecked),
		providers: succeed(notChecked),
		connections: succeed(notChecked),
		vault: succeed(failed),
		integrity: succeed(notChecked)
	});
	const profiles = succeed$1(ProfileSelection, ProfileSelection.of(() => fail(failure)));
	const operations = layer$2(RecoveryApi).pipe(provide(SystemHandlers), provide([
		readiness,
		profiles,
		layer$1
	]));
	const everythingElse = add$1("*", "/*", succeed(response(failure)));
	return mergeAll(operations, everythingElse);
};

// src/server/Daemon.ts
/**
* The daemon.
*
* `start` takes a home directory and a port and serves until its scope closes. Its order is deliberate: the home is locked
* before anything in it is touched, the port is bound before the vault is opened, and the files by which clients
* find the daemon are written last, when it can answer.
*/
const isLoopback = (host) => host === "::1" || host === "localhost" || host.startsWith("127.");
const urlOf = (host, port) => {
	const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
	return new URL(`http://${name.includes(":") ? `[${name}]` : name}:${port}`);
};
/** What a person should know before others can reach the daemon (A19). */
const exposureWarning = (host) => isLoopback(host) ? void 0 : `The daemon listens on ${host}: every machine and every user that can reach this address can use your credentials. It asks nobody for a password, and it cannot tell who connects. Put an authenticating TLS proxy in front of it, or use 127.0.0.1.`;
const anyPeerWarning = "CREDSVC_ALLOW_ANY_PEER is set: the daemon does not check which user connects to it.";
const noTablesWarning = "This platform does not tell which user is behind a local connection: other users of this machine can reach the daemon.";
const warningsOf = (host, allowAnyPeer) => {
	const exposure = exposureWarning(host);
	if (exposure !== void 0) return [exposure];
	if (allowAnyPeer) return [anyPeerWarning];
	return process.platform === "linux" ? [] : [noTablesWarning];
};
const unavailable = (url, detail) => new DaemonUnavailableError({
	url,
	detail
});
/** A debugger can read every secret in memory, and its port asks nobody who they are (A43). */
const refuseInspector = suspend(() => builtins.inspector.url() === void 0 ? void_$1 : fail(OperationNotAllowedError.of("The daemon does not run under a debugger: whoever reaches the debugger's port could read every secret.")));
/** Says who has the port, as far as that can be told. */
const portTaken = (host, port, message) => gen(function* () {
	const owner = yield* (yield* PeerOwner).listener({
		address: host,
		port
	});
	const whose = owner === "own" ? " by another program of yours" : owner === "other" ? " by another user" : "";
	return yield* unavailable(urlOf(host, port).origin, `The daemon cannot start: ${message}${whose}. Choose another port with --port, or 0 for any free one.`);
});
const bind = (host, port) => catchTag(listen(host, port), "ListenError", (error) => error.code === "EADDRINUSE" ? portTaken(host, port, error.message) : fail(unavailable(urlOf(host, port).origin, `The daemon cannot start: ${error.message}.`)));
/** A routed app as a listener of `node:http`, behind the guard. Its requests end with the scope. */
const toHandler = (routes, served) => gen(function* () {
	const scope$1 = yield* scope;
	const app = yield* toHttpEffect(routes);
	const door = yield* guarded(app, served);
	return yield* makeHandler(door, { scope: yield* fork(scope$1, "parallel") }).pipe(provideService(MaxBodySize, bytes(maxJsonBytes)));
});
/** Framework messages go to the daemon's log, without the causes they come with. */
const loggerLayer = unwrap$2(map$1(DaemonLog, (log) => layer$3([make(({ cause, logLevel, message }) => {
	const level = logLevel === "Error" || logLevel === "Fatal" ? "error" : logLevel === "Warn" ? "warning" : "info";
	const texts = (Array.isArray(message) ? message : [message]).filter((part) => typeof part === "string");
	log.write(level, "log", {
		message: texts.join(" "),
		...cause.reasons.length === 0 ? {} : { cause: describeCause(cause) }
	});
})])));
/** How clients find the daemon. A daemon that took over in the meantime keeps its own files. */
const writeState = (running, host, startedAt) => gen(function* () {
	const paths = yield* Paths;
	const state = {
		pid: process.pid,
		port: running.port,
		host,
		started_at: new Date(startedAt).toISOString(),
		version,
		instance: running.instance
	};
	yield* addFinalizer$1(() => forEach([paths.daemonState, paths.daemonPid], removeFile).pipe(ignore));
	yield* replaceFile(paths.daemonPid, `${process.pid}\n`);
	yield* replaceFile(paths.daemonState, `${JSON.stringify(state, null, 2)}\n`);
});
/** Serves until the scope closes. */
const start = (options) => gen(function* () {
	yield* setPrivateUmask;
	yield* refuseInspector;
	const scope$2 = yield* scope;
	const settings = yield* Settings;
	const paths = yield* Paths;
	yield* forEach([paths.home, paths.server], ensurePrivateDirectory);
	yield* buildWithScope(HomeLock.layerNoDeps, scope$2);
	const listener = yield* bind(options.host, options.port);
	const startedAt = Date.now();
	const id = builtins.crypto.randomBytes(16).toString("hex");
	const accessKey = yield* ensureAccessKey(paths);
	const baseUrl = getOrUndefined(settings.serverBaseUrl);
	const instance = succeed$1(Instance, {
		id,
		startedAt,
		host: options.host,
		port: listener.port,
		baseUrl: baseUrl ?? urlOf(options.host, listener.port),
		authorities: authoritiesOf(options.host, listener.port, baseUrl),
		accessKey,
		warnings: warningsOf(options.host, settings.allowAnyPeer)
	});
	const admission = process.platform === "linux" && isLoopback(options.host) && !settings.allowAnyPeer ? PeerAdmission.layerNoDeps({
		accessKey,
		port: listener.port,
		startedAt
	}) : PeerAdmission.layerOff;
	const frame = mergeAll(instance, admission, ConfigFile.layerNoDeps).pipe(provideMerge(DaemonLog.layerNoDeps({ echo: options.echo })));
	const context = yield* buildWithScope(provideMerge(loggerLayer, frame), scope$2);
	const log = get$2(context, DaemonLog);
	const masterKey = succeed$1(MasterKey, { report: succeed({
		masterKeyMode: "auto",
		masterKeySource: null,
		masterKeyDescription: "not resolved"
	}) });
	const failure = VaultUnavailableError.of("This build of the daemon has no vault.");
	const routes = layer(failure).pipe(provide(masterKey), provide(layerServices));
	const handler = yield* toHandler(provide(routes, succeedContext(add(context, Paths, paths))), servedPaths).pipe(provideContext(context));
	yield* addFinalizer$1(() => listener.close);
	listener.serve(handler);
	const running = {
		url: urlOf(options.host, listener.port).origin,
		port: listener.port,
		instance: id
	};
	yield* writeState(running, options.host, startedAt);
	log.write("info", "started", {
		version,
		pid: process.pid,
		port: listener.port,
		instance: id
	});
	yield* addFinalizer$1(() => sync(() => log.write("info", "stopping", { instance: id })));
	return running;
}).pipe(catchTags({
	HomeLockedError: (error) => unavailable("", `The daemon cannot start: ${error.message}.`),
	SecureFileError: (error) => unavailable("", `The daemon cannot start: ${error.message}.`)
}));
const signals = [
	"SIGTERM",
	"SIGINT",
	"SIGHUP"
];
const untilSignalled = callback((resume) => {
	const onSignal = () => resume(void_$1);
	for (const signal of signals) process.on(signal, onSignal);
	return sync(() => {
		for (const signal of signals) process.off(signal, onSignal);
	});
});
/** Tells whoever started this process in the background, once, and lets go of it. */
const tellParent = (message) => callback((resume) => {
	if (process.send === void 0 || !process.connected) return resume(void_$1);
	process.send(message, () => {
		if (process.connected) process.disconnect();
		resume(void_$1);
	});
});
/** The whole life of the process `credsvc daemon serve`: ends well on SIGTERM, SIGINT and SIGHUP. */
const serve = (options) => gen(function* () {
	const inBackground = process.send !== void 0;
	const exposure = exposureWarning(options.host);
	if (exposure !== void 0) process.stderr.write(`warning: ${exposure}\n`);
	const running = yield* start({
		...options,
		echo: !inBackground
	}).pipe(tapError((error) => tellParent({
		ready: false,
		message: error.message
	})));
	yield* tellParent({
		ready: true,
		url: running.url
	});
	if (!inBackground) options.onReady?.(running);
	yield* untilSignalled;
}).pipe(scoped);

export { exposureWarning, serve, start };