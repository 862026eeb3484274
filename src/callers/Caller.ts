/** Who sent a request. */
import type * as Net from "node:net"
import type { Identity } from "../domain/wire/Identity.ts"

/** The holder of an enrolled key, on any machine. Its connection says nothing about its process. */
export interface RemoteCaller {
  readonly _tag: "Remote"
  readonly identity: Identity
  /** The connection that carried the request, which may come from a reverse proxy. */
  readonly socket: Net.Socket
}

/** `Local`: a process of the daemon's user, which may do everything. `Anonymous`: anyone, on routes for anyone. */
export type Caller = { readonly _tag: "Local" } | { readonly _tag: "Anonymous" } | RemoteCaller

/** The other end of a request: a process of this machine, by its connection, or a remote caller. */
export type Peer = Net.Socket | RemoteCaller

export const isRemote = (peer: Peer): peer is RemoteCaller => "_tag" in peer
