/** Connections that have proved the access key of a home, as commands and proxies open them. */
import type * as Http from "node:http"
import type * as Net from "node:net"
import { clientHeader, clientHello, endsOfClient } from "../../src/config/daemon/AccessKey.ts"
import { builtins } from "../../src/platform/builtins.ts"

/** The first request on a connection of a command. */
export const introduction = (key: Uint8Array, socket: Net.Socket): string => {
  const nonce = builtins.crypto.randomBytes(32).toString("hex")
  const hello = clientHello(key, nonce, endsOfClient(socket), Date.now())
  return `GET /health?nonce=${nonce} HTTP/1.1\r\nHost: 127.0.0.1:${socket.remotePort}\r\n${clientHeader}: ${hello}\r\n\r\n`
}

/** Sends the introduction, and calls back when the daemon has responded to it. */
const introduce = (key: Uint8Array, socket: Net.Socket, done: (error: Error | null) => void): void => {
  let received = ""
  const settle = (error: Error | null): void => {
    socket.off("data", read).off("error", settle)
    done(error)
  }
  const read = (chunk: Buffer): void => {
    received += chunk.toString("latin1")
    const length = Number(/^content-length: *(\d+)/im.exec(received)?.[1])
    if (received.length >= received.indexOf("\r\n\r\n") + 4 + length) settle(null)
  }
  socket.on("data", read).on("error", settle)
  socket.write(introduction(key, socket))
}

/** An agent whose connections to a daemon on loopback have proved the key. */
export const provedAgent = (port: number, key: () => Uint8Array, options: Http.AgentOptions): Http.Agent => {
  const agent = new builtins.http.Agent(options)
  agent.createConnection = (_, callback) => {
    const socket = builtins.net.connect({ host: "127.0.0.1", port, noDelay: true })
    const failed = (error: Error): void => callback?.(error, socket)
    socket.once("error", failed).once("connect", () => {
      socket.off("error", failed)
      introduce(key(), socket, (error) => callback?.(error, socket))
    })
    return undefined
  }
  return agent
}
