/** The sockets on which the proxy for sandboxes listens. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import { addressClass } from "../../outbound/AddressRules.ts"
import { builtins } from "../../platform/builtins.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import { isServed } from "../../platform/sockets/ServedSocket.ts"
import { BACKLOG, CONNECTION_OPTIONS } from "../listen/Listener.ts"

/** The limit for the connections of all sandboxes together. */
export const MAX_CONNECTIONS = 4096

export type SandboxSocket =
  | { readonly _tag: "unix"; readonly path: string }
  | {
    readonly _tag: "tcp"
    readonly host: string
    readonly port: number
    /** Refuses clients without a token even if they are processes of this user. */
    readonly tokenRequired: boolean
    /** A certificate and its key as PEM, for clients that connect to the proxy by `https://`. */
    readonly tls?: { readonly cert: string; readonly key: string } | undefined
  }

/** A socket cannot be opened. The message says why and what to do. */
export class ListenError extends Data.TaggedError("ListenError")<{ readonly message: string }> {}

/** Whether machines outside of private networks may reach an address on which the proxy listens. */
export const isReachable = (host: string): boolean => addressClass(host) === "public" || /^[0:.]+$/.test(host)

/**
 * Frees a path for a Unix socket of this user: removes the socket of a process that was killed. Fails if other users
 * could replace the socket.
 */
const prepareUnixSocket = Effect.fnUntraced(function*(file: string) {
  const fail = (message: string) => Effect.fail(new ListenError({ message }))
  if (Buffer.byteLength(file) > 100) {
    return yield* fail(`${file} is too long for a Unix socket: use a path of at most 100 bytes`)
  }
  yield* Effect.mapError(
    SecureFiles.checkPath(path.dirname(file)),
    (error) => new ListenError({ message: `${error.message}; choose a directory that only you can write to` })
  )
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isSocket()) return yield* fail(`${file} exists and is not a socket: choose another path`)
  if (stat.uid !== process.geteuid?.()) return yield* fail(`${file} belongs to another user: choose another path`)
  if (yield* isServed(file)) {
    return yield* fail(`another process listens on ${file}: end it, or choose another path`)
  }
  fs.rmSync(file, { force: true })
})

const describeListen = (socket: SandboxSocket, cause: NodeJS.ErrnoException): string => {
  const where = socket._tag === "unix" ? socket.path : `${socket.host}:${socket.port}`
  if (cause.code === "EADDRINUSE") return `${where} is in use by another process: end it, or choose another port`
  if (cause.code === "EADDRNOTAVAIL") return `${where} is not an address of this machine`
  return `${where} cannot be opened (${cause.code ?? cause.message})`
}

const makeServer = (socket: SandboxSocket, handshakeTimeout: number, accept: (socket: Net.Socket) => void) => {
  if (socket._tag === "unix" || socket.tls === undefined) {
    return Effect.succeed(builtins.net.createServer(CONNECTION_OPTIONS, accept))
  }
  const options = { ...CONNECTION_OPTIONS, ...socket.tls, minVersion: "TLSv1.2", handshakeTimeout } as const
  return Effect.try({
    try: (): Net.Server => {
      const server = builtins.tls.createServer(options)
      // Node leaves the connection open after the time limit.
      server.on("tlsClientError", (_, client) => client.destroy())
      server.on("secureConnection", (secured) => {
        secured.on("error", () => secured.destroy())
        accept(secured)
      })
      // The listener counts a connection only after its TLS handshake.
      server.maxConnections = MAX_CONNECTIONS
      return server
    },
    catch: () => new ListenError({ message: "the files of --tls-cert and --tls-key are not a certificate and its key" })
  })
}

/** Listens until the scope closes, and returns the address. */
export const listenOn = Effect.fnUntraced(function*(
  socket: SandboxSocket,
  handshakeTimeout: number,
  accept: (socket: Net.Socket) => void
) {
  if (socket._tag === "unix") yield* prepareUnixSocket(socket.path)
  const server = yield* makeServer(socket, handshakeTimeout, accept)
  yield* Effect.acquireRelease(
    Effect.callback<void, ListenError>((resume) => {
      server.once("error", (cause) => resume(Effect.fail(new ListenError({ message: describeListen(socket, cause) }))))
      const where = socket._tag === "unix" ? { path: socket.path } : { host: socket.host, port: socket.port }
      // The umask of every entry point makes the socket accessible to its owner only, from the moment it exists.
      server.listen({ ...where, backlog: BACKLOG }, () => resume(Effect.void))
    }),
    () => Effect.sync(() => server.close())
  )
  if (socket._tag === "unix") {
    if ((fs.lstatSync(socket.path).mode & 0o077) !== 0) fs.chmodSync(socket.path, 0o600)
    return socket.path
  }
  const { address, family, port } = server.address() as Net.AddressInfo
  return `${family === "IPv6" ? `[${address}]` : address}:${port}`
})
