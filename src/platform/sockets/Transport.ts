/** The sockets below TLS, which Node does not document, and their reset. */
import type * as Net from "node:net"

/** The socket below a TLS socket that a TLS server created. */
export const transportOf = (socket: Net.Socket): Net.Socket | undefined =>
  (socket as Net.Socket & { readonly _parent?: Net.Socket | null })._parent ?? undefined

/**
 * Closes a connection so that the peer cannot mistake this for a graceful close: the TCP socket below all TLS sends a reset. Unix sockets
 * cannot, and Node throws for them, so they are destroyed.
 */
export const resetConnection = (socket: Net.Socket): void => {
  const below = transportOf(socket)
  if (below !== undefined) resetConnection(below)
  else if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}
