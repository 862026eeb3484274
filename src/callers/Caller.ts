/** Who sent a request. */
import type * as Net from "node:net"
import type { Identity } from "../domain/wire/Identity.ts"

/** The holder of an enrolled key, on any machine. Its connection tells nothing about its process. */
export interface RemoteCaller {
  readonly _tag: "Remote"
  readonly identity: Identity
  /** The connection of the request, which may come from a reverse proxy. */
  readonly socket: Net.Socket
}

/** `Local`: a process of the daemon's user, which may do everything. `Anonymous`: anyone else, on routes that are open to anyone. */
export type Caller = { readonly _tag: "Local" } | { readonly _tag: "Anonymous" } | RemoteCaller

/** The client of a request: a process on this machine, identified by its connection, or a remote caller. */
export type Peer = Net.Socket | RemoteCaller

export const isRemote = (peer: Peer): peer is RemoteCaller => "_tag" in peer
