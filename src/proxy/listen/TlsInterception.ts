/**
 * Terminates TLS from clients. The CONNECT target determines the certificate, never the name in the handshake: there is one TLS
 * server per host, with one context. With several contexts, Node 24 loses ALPN after a HelloRetryRequest. For the same reason the
 * server offers only key exchange groups for which all clients send a key share.
 */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { CertificateAuthority } from "../../certificates/CertificateAuthority.ts"
import type { Protocol } from "../../http/OutgoingRequest.ts"
import { setNewest } from "../../platform/BoundedMap.ts"
import { builtins } from "../../platform/builtins.ts"
import { transportOf } from "../../platform/sockets/Transport.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import { readClientHello, TLS_HANDSHAKE } from "./ClientHello.ts"

const HANDSHAKE_MILLISECONDS = 10_000
const RENEW_MILLISECONDS = 3_600_000

const MAX_HOSTS = 256

/** A fatal `unrecognized_name` alert (RFC 6066 section 3), unencrypted because the handshake has not begun. */
const UNRECOGNIZED_NAME = Uint8Array.of(0x15, 3, 3, 0, 2, 2, 112)

const alertOf = (error: Error & { readonly reason?: unknown; readonly code?: unknown }): string =>
  String(error.reason ?? error.code ?? error.name)

interface Acceptance {
  /** Called when a handshake for the host has begun. If it succeeds, the connection will use this protocol. */
  readonly greeted: (protocol: Protocol) => void
  readonly secured: (socket: Tls.TLSSocket) => void
  /** Called for logs, when the handshake was refused or failed, and the connection is closed. */
  readonly refused: (refusal: Refusal) => void
  /** Called when the first bytes are not TLS. The callee then owns the connection. */
  readonly plaintext: () => void
}

interface HostServer {
  readonly server: Tls.Server
  readonly renewAt: number
}

interface Accepted extends Pick<Acceptance, "refused" | "secured"> {
  readonly host: string
}

export class TlsInterception {
  readonly #authority: CertificateAuthority
  readonly #hosts = new Map<string, HostServer>()
  /** The connections whose handshake has begun, by the socket below TLS. */
  readonly #accepted = new WeakMap<Net.Socket, Accepted>()

  constructor(authority: CertificateAuthority) {
    this.#authority = authority
  }

  /** Waits for the first bytes and starts the TLS handshake. Closes the connection if its SNI names another host. */
  accept(socket: Net.Socket, head: Buffer, host: string, { greeted, plaintext, refused, secured }: Acceptance): void {
    // Created while the client prepares its ClientHello.
    const server = this.#serverFor(host)
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MILLISECONDS)
    const started = (first: Buffer) => {
      clearTimeout(timer)
      socket.off("close", abandoned)
      if (first[0] !== TLS_HANDSHAKE) {
        plaintext()
        return
      }
      const hello = readClientHello(first)
      if (hello?.serverName !== undefined && hello.serverName.toLowerCase() !== host) {
        refused(requestRefusal(421, `this tunnel is for ${host}; the TLS handshake names another host`))
        socket.end(UNRECOGNIZED_NAME)
        return
      }
      socket.pause()
      socket.unshift(first)
      this.#accepted.set(socket, { host, refused, secured })
      server.emit("connection", socket)
      // Called after the ServerHello is written, for which the client waits.
      if (hello !== undefined) greeted(hello.protocols.includes("h2") ? "h2" : "http/1.1")
    }
    const abandoned = () => clearTimeout(timer)
    socket.once("close", abandoned)
    if (head.length > 0) started(head)
    else socket.once("data", started)
  }

  #acceptedOn(secured: Tls.TLSSocket): Accepted | undefined {
    const transport = transportOf(secured)
    return transport && this.#accepted.get(transport)
  }

  #serverFor(host: string): Tls.Server {
    const known = this.#hosts.get(host)
    if (known !== undefined && Date.now() < known.renewAt) return known.server
    const leaf = this.#authority.issue(host)
    const server = builtins.tls.createServer({
      key: leaf.keyPem,
      cert: leaf.certPem,
      minVersion: "TLSv1.2",
      ecdhCurve: "X25519:P-256:P-384:P-521",
      ALPNProtocols: ["h2", "http/1.1", "http/1.0"],
      handshakeTimeout: HANDSHAKE_MILLISECONDS,
      noDelay: true,
      allowHalfOpen: true
    })
    server.on("secureConnection", (secured) => {
      const accepted = this.#acceptedOn(secured)
      const name: unknown = secured.servername
      // This is the authoritative check. The one in `accept` only produces a helpful alert.
      if (accepted === undefined || (typeof name === "string" && name !== "" && name.toLowerCase() !== accepted.host)) {
        secured.destroy()
        return
      }
      accepted.secured(secured)
    })
    server.on("tlsClientError", (error, secured) => {
      this.#acceptedOn(secured)?.refused(
        requestRefusal(0, `the TLS handshake with the client failed (${alertOf(error)})`)
      )
      secured.destroy()
    })
    // A client can invent any number of names below a wildcard. Removed servers still serve their connections.
    setNewest(this.#hosts, host, { server, renewAt: leaf.expiresAt - RENEW_MILLISECONDS }, MAX_HOSTS)
    return server
  }
}
