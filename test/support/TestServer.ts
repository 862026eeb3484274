/** Servers on loopback that end abruptly with the scope of their test. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"

export interface TestServer {
  readonly port: number
  /** TCP connections that arrived, whether or not TLS or HTTP followed. */
  readonly connections: () => number
  /** Closes the server and its connections, as in a crash. */
  readonly kill: () => void
}

/** A port that was free, for a program that cannot choose one itself. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = builtins.net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as Net.AddressInfo
      server.close(() => resolve(port))
    })
  })

/** A connection to a port of this machine that ends with the scope. */
export const connected = (port: number): Effect.Effect<Net.Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Net.Socket>((resume) => {
      const socket = builtins.net.connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** A response that no system keeps whole for a client that does not read it. */
export const LARGE = 32 * 1024 * 1024
export const sendLarge = (response: Http.ServerResponse): void => {
  response.writeHead(200, { "content-length": String(LARGE), connection: "close" })
  for (let part = 0; part < 32; part++) response.write(Buffer.alloc(LARGE / 32))
  response.end()
}

/** Reads with pauses until the connection ends, and counts the bytes. */
export const readSlowly = (socket: Net.Socket): Effect.Effect<number> =>
  Effect.callback((resume) => {
    let size = 0
    socket.on("data", (chunk: Buffer) => {
      size += chunk.length
      socket.pause()
      setTimeout(() => socket.resume(), chunk.length / 10_000)
    })
    socket.once("close", () => resume(Effect.succeed(size)))
  })

/** Listens with a server of any protocol. */
export const listen = (server: Net.Server): Effect.Effect<TestServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<TestServer>((resume) => {
      const sockets = new Set<Net.Socket>()
      let connections = 0
      server.on("connection", (socket: Net.Socket) => {
        connections++
        sockets.add(socket.on("error", () => {}))
        socket.once("close", () => sockets.delete(socket))
      })
      server.on("secureConnection", (socket: Net.Socket) => void socket.on("error", () => {}))
      const kill = () => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as Net.AddressInfo
        resume(Effect.succeed({ port, connections: () => connections, kill }))
      })
    }),
    ({ kill }) => Effect.sync(kill)
  )
