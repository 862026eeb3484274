/**
 * A bound on the connections of a server, which closes the one that is of least use when there are too many.
 *
 * Any user of the machine can open connections to a loopback port. A server that refuses new ones when it is full lets
 * whoever opens the most shut everybody else out.
 */
import type * as Net from "node:net"

/**
 * What a connection is doing, in the order in which connections are closed. `silent`: it has no admitted request, and none
 * is being looked at. `unknown`: it is being found out whether its request is admitted. `idle`: it waits for its next request.
 * `slow`: it waits for the client to send or to read the rest. `busy` ones stay.
 */
export type Standing = "silent" | "unknown" | "idle" | "slow" | "busy"

/** The oldest connection of the lowest standing; the newest when all others are busy. */
const leastUseful = (
  open: ReadonlySet<Net.Socket>,
  newest: Net.Socket,
  standingOf: (socket: Net.Socket) => Standing
): Net.Socket => {
  const oldest = new Map<Standing, Net.Socket>()
  for (const socket of open) {
    if (socket === newest) continue
    const standing = standingOf(socket)
    if (standing === "silent") return socket
    if (!oldest.has(standing)) oldest.set(standing, socket)
  }
  return oldest.get("unknown") ?? oldest.get("idle") ?? oldest.get("slow") ?? newest
}

/** Applies the bound to all connections that `server` accepts from now on. Returns those that are open, oldest first. */
export const limitConnections = (
  server: Net.Server,
  max: number,
  standingOf: (socket: Net.Socket) => Standing
): ReadonlySet<Net.Socket> => {
  const open = new Set<Net.Socket>()
  server.on("connection", (socket: Net.Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    if (open.size <= max) return
    const closed = leastUseful(open, socket, standingOf)
    open.delete(closed)
    // Without a reset the kernel would keep the connection in its tables for a minute.
    closed.resetAndDestroy()
  })
  return open
}
