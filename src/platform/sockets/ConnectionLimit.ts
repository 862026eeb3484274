/**
 * Closes the least useful connections of a server when there are too many. If the server refused new connections
 * instead, any user of the machine could block it.
 */
import type * as Net from "node:net"
import { isOfThisMachine } from "./IpAddress.ts"
import { resetConnection } from "./Transport.ts"

/**
 * What a connection is doing, in the order in which connections are closed. `silent`: it has no admitted request, and
 * no request is being checked. `unknown`: its request is being checked. `idle`: it waits for its next request. `slow`:
 * it waits for the client to send or to read. `remote`: it is busy for another machine, and closed only to make room
 * for a connection from this machine, or from a machine with fewer connections. `busy`: never closed.
 */
export type Standing = "silent" | "unknown" | "idle" | "slow" | "remote" | "busy"

/** Returns the oldest connection of the machine with the most, or the newest connection if its machine has as many. */
const oldestOfMost = (busy: ReadonlyArray<Net.Socket>, newest: Net.Socket): Net.Socket => {
  const byMachine = Map.groupBy([...busy, newest], ({ remoteAddress }) => remoteAddress)
  const own = byMachine.get(newest.remoteAddress)!
  const most = [...byMachine.values()].reduce((most, other) => other.length > most.length ? other : most, own)
  return most === own ? newest : most[0]!
}

/**
 * Returns the oldest connection of the lowest standing. If all others are busy, returns the newest connection, or one of another
 * machine that has more connections.
 */
const leastUseful = (
  open: ReadonlySet<Net.Socket>,
  newest: Net.Socket,
  standingOf: (socket: Net.Socket) => Standing
): Net.Socket => {
  const oldest = new Map<Standing, Net.Socket>()
  const remote: Array<Net.Socket> = []
  for (const socket of open) {
    if (socket === newest) continue
    const standing = standingOf(socket)
    if (standing === "silent") return socket
    if (standing === "remote") remote.push(socket)
    else if (!oldest.has(standing)) oldest.set(standing, socket)
  }
  const waiting = oldest.get("unknown") ?? oldest.get("idle") ?? oldest.get("slow")
  return waiting ?? (isOfThisMachine(newest) ? remote[0] ?? newest : oldestOfMost(remote, newest))
}

export class ConnectionLimit {
  readonly #open = new Set<Net.Socket>()
  readonly #max: number
  readonly #standingOf: (socket: Net.Socket) => Standing

  constructor(max: number, standingOf: (socket: Net.Socket) => Standing) {
    this.#max = max
    this.#standingOf = standingOf
  }

  get open(): ReadonlySet<Net.Socket> {
    return this.#open
  }

  /** Adds a connection. At the limit, closes another connection or the new one. Returns false if it has closed the new one. */
  add(socket: Net.Socket): boolean {
    this.#open.add(socket)
    socket.once("close", () => this.#open.delete(socket))
    if (this.#open.size <= this.#max) return true
    const closed = leastUseful(this.#open, socket, this.#standingOf)
    this.#open.delete(closed)
    // A normal close would leave the connection in the kernel's tables for a minute.
    resetConnection(closed)
    return closed !== socket
  }
}
