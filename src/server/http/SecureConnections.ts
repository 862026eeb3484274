/**
 * TLS on the port of an HTTP server. A connection from this machine may be unencrypted, because it does not leave the
 * machine: local commands use such connections. Every other client must use TLS.
 */
import type * as Http from "node:http"
import type * as Net from "node:net"
import { builtins } from "../../platform/builtins.ts"
import { isOfThisMachine } from "../../platform/sockets/IpAddress.ts"
import { transportOf } from "../../platform/sockets/Transport.ts"
import type { ServerCertificate } from "./ServerCertificate.ts"

export interface SecureConnections {
  /** Returns the TLS connection on an accepted connection, or the accepted connection if it has no TLS. */
  readonly carrierOf: (accepted: Net.Socket) => Net.Socket
  /** Closes the connections whose TLS handshake is not complete. */
  readonly closePending: () => void
}

/** The first byte of a TLS record with a ClientHello. */
const handshakeRecord = 0x16
const handshakeMillis = 10_000

/** Whether a connection of the listener uses TLS. */
export const isSecure = (socket: Net.Socket): boolean => "encrypted" in socket && socket.encrypted === true

/** Replaces the server's handling of connections. `needsTls` is the response to an unencrypted request from another machine. */
export const secureConnections = (
  server: Http.Server,
  certificate: ServerCertificate,
  needsTls: string
): SecureConnections => {
  const [http1] = server.listeners("connection") as unknown as ReadonlyArray<
    (this: Http.Server, socket: Net.Socket) => void
  >
  server.removeAllListeners("connection")
  const carriers = new WeakMap<Net.Socket, Net.Socket>()
  const pending = new Map<Net.Socket, NodeJS.Timeout>()
  const decided = (socket: Net.Socket): void => {
    clearTimeout(pending.get(socket))
    pending.delete(socket)
  }

  const tls = builtins.tls.createServer({
    ...certificate.options(),
    ALPNProtocols: ["http/1.1"],
    handshakeTimeout: handshakeMillis
  })
  tls.on("secureConnection", (secured) => {
    const accepted = transportOf(secured)
    if (accepted === undefined) return void secured.destroy()
    decided(accepted)
    carriers.set(accepted, secured)
    http1?.call(server, secured)
  })
  tls.on("tlsClientError", (_error, secured) => secured.destroy())

  server.on("connection", (socket) => {
    const abandon = () => socket.destroy()
    pending.set(socket, setTimeout(abandon, handshakeMillis))
    socket.on("error", abandon).once("close", () => decided(socket)).once("data", (first: Buffer) => {
      const encrypted = first[0] === handshakeRecord
      if (!encrypted && !isOfThisMachine(socket)) return void socket.end(needsTls, () => socket.destroy())
      socket.pause()
      socket.unshift(first)
      if (encrypted) {
        if (certificate.refresh()) tls.setSecureContext(certificate.options())
        tls.emit("connection", socket)
        return
      }
      decided(socket)
      http1?.call(server, socket)
      socket.resume()
    })
  })

  return {
    carrierOf: (accepted) => carriers.get(accepted) ?? accepted,
    closePending: () => {
      for (const socket of pending.keys()) socket.destroy()
    }
  }
}
