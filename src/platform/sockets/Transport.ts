/** Resets and joins sockets, and finds the socket below TLS, for which Node has no documented interface. */
import type * as Net from "node:net"

/** The socket below a TLS socket that a TLS server created. */
export const transportOf = (socket: Net.Socket): Net.Socket | undefined =>
  (socket as Net.Socket & { readonly _parent?: Net.Socket | null })._parent ?? undefined

/**
 * Closes a connection so that the peer cannot mistake this for a graceful close: the TCP socket below any TLS layers
 * sends a reset. Unix sockets cannot send resets, and Node throws for them, so they are destroyed.
 */
export const resetConnection = (socket: Net.Socket): void => {
  const below = transportOf(socket)
  if (below !== undefined) resetConnection(below)
  else if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** Joins two sockets until both directions have ended. A reset on one side becomes a reset on the other. */
export const joinSockets = (one: Net.Socket, other: Net.Socket): void => {
  for (const [socket, peer] of [[one, other], [other, one]] as const) {
    socket.on("error", () => {
      if (!peer.destroyed) resetConnection(peer)
    })
    socket.once("close", () => {
      if (!peer.destroyed && !peer.writableEnded) peer.end()
    })
    socket.pipe(peer)
  }
}
