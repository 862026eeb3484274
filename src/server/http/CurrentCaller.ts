/** The caller of the current request, which the guard has determined. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { Caller, Peer } from "../../callers/Caller.ts"
import { connectionOf } from "./IncomingRequest.ts"

const anonymous: Caller = { _tag: "Anonymous" }

/** The callers, keyed by the `source` of the request, which all copies of the request share. */
const callers = new WeakMap<object, Caller>()

export const setCaller = ({ source }: HttpServerRequest.HttpServerRequest, caller: Caller): void =>
  void callers.set(source, caller)

export const currentCaller: Effect.Effect<Caller, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ source }) => callers.get(source) ?? anonymous
)

/** The identity of a remote caller, or undefined for a local caller. */
export const currentIdentity = Effect.map(
  currentCaller,
  (caller) => caller._tag === "Remote" ? caller.identity : undefined
)

export const currentPeer: Effect.Effect<Peer, never, HttpServerRequest.HttpServerRequest> = Effect.zipWith(
  HttpServerRequest.HttpServerRequest,
  currentCaller,
  // The guard admits no request without a connection.
  (request, caller) => caller._tag === "Remote" ? caller : connectionOf(request)!.socket
)
