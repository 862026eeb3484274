/**
 * Serves the clients of a contained run that use no proxy. There, every name resolves to the proxy's address, so such a client takes
 * the proxy for the server. The requested host is the name in its ClientHello or in the `Host` field.
 */
import type * as Net from "node:net"
import { parseAuthority } from "../../outbound/Authority.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import { readClientHello, TLS_HANDSHAKE } from "./ClientHello.ts"
import { denyAccess, type InterceptOrTunnel } from "./InterceptOrTunnel.ts"

const FIRST_BYTES_MILLISECONDS = 10_000
/** The length of a TLS record's header (RFC 8446 section 5.1). */
const RECORD_HEADER = 5
const MAX_RECORD = 16_384

interface TransparentProxyOptions {
  readonly tunnels: InterceptOrTunnel
  /** Serves a connection that does not begin with a TLS handshake. */
  readonly http: (socket: Net.Socket) => void
  /** Called for logs, when a connection was refused and closed. */
  readonly refused: (refusal: Refusal) => void
}

const NO_NAME = requestRefusal(
  403,
  "a TLS handshake without a server name cannot be routed: configure the program to use HTTPS_PROXY"
)

export class TransparentProxy {
  readonly #options: TransparentProxyOptions

  constructor(options: TransparentProxyOptions) {
    this.#options = options
  }

  /** Waits for the first bytes of a connection to `port` and routes it. */
  serve(socket: Net.Socket, port: number): void {
    let received: Buffer = Buffer.alloc(0)
    const timer = setTimeout(() => socket.destroy(), FIRST_BYTES_MILLISECONDS)
    const stop = (): void => {
      clearTimeout(timer)
      socket.off("data", read)
      socket.off("close", stop)
      socket.off("error", ignore)
    }
    const ignore = () => {}
    const read = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (received[0] !== TLS_HANDSHAKE) {
        stop()
        socket.unshift(received)
        return this.#options.http(socket)
      }
      if (received.length < RECORD_HEADER) return
      const length = received.readUInt16BE(3)
      if (length <= MAX_RECORD && received.length < RECORD_HEADER + length) return
      stop()
      socket.pause()
      this.#route(socket, received, port)
    }
    socket.on("error", ignore)
    socket.on("close", stop)
    socket.on("data", read)
    // Without a listener of its own, a half-open socket would stay open.
    socket.once("end", () => {
      if (received.length === 0) socket.destroy()
    })
  }

  #route(socket: Net.Socket, hello: Buffer, port: number): void {
    const name = readClientHello(hello)?.serverName
    const authority = name === undefined ? undefined : parseAuthority(`${name}:${port}`)
    if (authority?.kind !== "name") {
      this.#options.refused(NO_NAME)
      return denyAccess(socket)
    }
    this.#options.tunnels.open({ socket, head: hello, authority, hasConnect: false })
  }
}
