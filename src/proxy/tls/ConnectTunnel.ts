/** A tunnel to a host that is not routed: bytes both ways, nothing looked at and nothing logged. */
import type * as Net from "node:net"
import * as ScavengeMeter from "../../http/ScavengeMeter.ts"

/** Joins two sockets until both directions have ended; a reset on one side becomes a reset on the other. */
export const join = (child: Net.Socket, upstream: Net.Socket): void => {
  const failed = (other: Net.Socket) => () => {
    if (!other.destroyed) other.resetAndDestroy()
  }
  const gone = (other: Net.Socket) => () => {
    if (!other.destroyed && !other.writableEnded) other.end()
  }
  child.on("error", failed(upstream))
  upstream.on("error", failed(child))
  child.once("close", gone(upstream))
  upstream.once("close", gone(child))
  const count = (chunk: Buffer) => ScavengeMeter.count(chunk.length)
  child.on("data", count)
  upstream.on("data", count)
  child.pipe(upstream)
  upstream.pipe(child)
}
