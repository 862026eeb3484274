/** Who sent a request, as the guard has found out. Handlers read it from the request. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Net from "node:net"
import type { Identity } from "../../domain/wire/Identity.ts"
import { connectionOf } from "./Incoming.ts"

/** The holder of an enrolled key, on any machine. Nothing about its connection tells anything about its process. */
export interface RemoteCaller {
  readonly _tag: "Remote"
  readonly identity: Identity
  /** The connection that carried the request, which may be that of a reverse proxy. */
  readonly socket: Net.Socket
}

/** `Local`: a process of the daemon's user, which may do everything. `Anonymous`: anyone, on routes for anyone. */
export type Caller = { readonly _tag: "Local" } | { readonly _tag: "Anonymous" } | RemoteCaller

const anonymous: Caller = { _tag: "Anonymous" }

/** By the source of the request, which copies of the request share. */
const callers = new WeakMap<object, Caller>()

export const setCaller = ({ source }: HttpServerRequest.HttpServerRequest, caller: Caller): void =>
  void callers.set(source, caller)

export const currentCaller: Effect.Effect<Caller, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ source }) => callers.get(source) ?? anonymous
)

/** The identity of a remote caller. Undefined for the local person. */
export const currentIdentity = Effect.map(
  currentCaller,
  (caller) => caller._tag === "Remote" ? caller.identity : undefined
)

/** The other end of a request: a process of this machine, by its connection, or a remote caller. */
export type Peer = Net.Socket | RemoteCaller

export const isRemote = (peer: Peer): peer is RemoteCaller => "_tag" in peer

export const currentPeer: Effect.Effect<Peer, never, HttpServerRequest.HttpServerRequest> = Effect.zipWith(
  HttpServerRequest.HttpServerRequest,
  currentCaller,
  // The guard admits no request without a connection.
  (request, caller) => caller._tag === "Remote" ? caller : connectionOf(request)!.socket
)
