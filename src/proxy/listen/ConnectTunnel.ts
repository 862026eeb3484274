/** A tunnel to a host that is not routed. Its bytes are neither inspected nor logged. */
import type * as Net from "node:net"
import { resetConnection } from "../../platform/sockets/Transport.ts"

/** Joins two sockets until both directions have ended; a reset on one side becomes a reset on the other. */
export const join = (client: Net.Socket, upstream: Net.Socket): void => {
  const failed = (other: Net.Socket) => () => {
    if (!other.destroyed) resetConnection(other)
  }
  const gone = (other: Net.Socket) => () => {
    if (!other.destroyed && !other.writableEnded) other.end()
  }
  client.on("error", failed(upstream))
  upstream.on("error", failed(client))
  client.once("close", gone(upstream))
  upstream.once("close", gone(client))
  client.pipe(upstream)
  upstream.pipe(client)
}
