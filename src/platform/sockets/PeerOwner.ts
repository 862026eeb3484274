/**
 * Determines which user and process own the other end of a loopback TCP socket, from the kernel's socket tables.
 *
 * A server checks whether its client is the same user, and a client whether the server is. The tables are large on busy
 * machines (7 to 80 ms per read), so concurrent lookups share one read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Net from "node:net"
import * as ProcFs from "../process/ProcFs.ts"
import { shareRun } from "../SharedRun.ts"
import {
  connectionRows,
  listenerRows,
  readSocketTables,
  type SocketAddress,
  type SocketTables
} from "./SocketTables.ts"

/**
 * The owner of a socket. `other` includes root, because root's programs, such as a load balancer, may serve other
 * users. Such programs can prove the access key. `unknown`: not in the tables, or these are unreadable. `unsupported`:
 * there are no such tables.
 */
export type Ownership = "own" | "other" | "unknown" | "unsupported"

/** The addresses of both ends of a TCP connection, or undefined once it is closed. */
export const endsOf = (
  { localAddress, localPort, remoteAddress, remotePort }: Net.Socket
): { readonly remote: SocketAddress; readonly local: SocketAddress } | undefined =>
  remoteAddress === undefined || remotePort === undefined || localAddress === undefined || localPort === undefined
    ? undefined
    : { remote: { address: remoteAddress, port: remotePort }, local: { address: localAddress, port: localPort } }

const ownershipOf = (rows: ReadonlyArray<{ readonly uid: number }>, own: number): Ownership => {
  if (rows.length === 0) return "unknown"
  return rows.every(({ uid }) => uid === own) ? "own" : "other"
}

/** The owner of the remote end of a connection, according to the tables. */
export const peerOwnership = (
  tables: SocketTables,
  uid: number,
  remote: SocketAddress,
  local: SocketAddress
): Ownership => ownershipOf(connectionRows(tables, remote, local), uid)

/** The owner of the listener at an address, according to the tables. */
export const listenerOwnership = (tables: SocketTables, uid: number, target: SocketAddress): Ownership =>
  ownershipOf(listenerRows(tables, target), uid)

const hasOpen = async (pid: number, inode: string): Promise<boolean> => (await ProcFs.openSockets(pid)).includes(inode)

/** Finds the process that has the socket open. If there are several, returns the youngest, which inherited it. */
const holderOf = async (inode: string, claimed: number | undefined): Promise<number | undefined> => {
  if (claimed !== undefined && await hasOpen(claimed, inode)) return claimed
  for (const pid of (await ProcFs.pids()).toSorted((a, b) => b - a)) {
    if (await hasOpen(pid, inode)) return pid
  }
  return undefined
}

export class PeerOwner extends Context.Service<PeerOwner, {
  /**
   * Returns the owner of the remote end of a connection. `unknown` once that end is closed and, for outgoing
   * connections, until the server has responded.
   */
  readonly peer: (remote: SocketAddress, local: SocketAddress) => Effect.Effect<Ownership>

  /**
   * Returns the process at the remote end of an accepted connection, or undefined if it cannot be determined. Reads all
   * of `/proc`, which takes tens of milliseconds on a busy machine, unless the process is the `claimed` one.
   */
  readonly process: (remote: SocketAddress, local: SocketAddress, claimed?: number) => Effect.Effect<number | undefined>

  /**
   * Returns the owner of the listener that a connection to this address would reach. Proves nothing about an existing
   * connection, because another user may listen on the port now.
   */
  readonly listener: (target: SocketAddress) => Effect.Effect<Ownership>
}>()("credsvc/platform/sockets/PeerOwner") {
  /** Looks up owners in the tables that `read` returns, with at most one read at a time. */
  static readonly layerTables = (options: {
    readonly uid: number
    readonly read: () => Promise<SocketTables>
  }): Layer.Layer<PeerOwner> =>
    Layer.effect(
      PeerOwner,
      Effect.gen(function*() {
        // A lookup needs a read that began after the lookup, because an older read may lack the socket.
        const tables = shareRun(
          Effect.orElseSucceed(Effect.tryPromise(options.read), () => undefined),
          yield* Effect.scope
        )

        const ask = <A>(unread: A, question: (tables: SocketTables) => A): Effect.Effect<A> =>
          Effect.map(tables, (tables) => tables === undefined ? unread : question(tables))

        return PeerOwner.of({
          peer: (remote, local) => ask("unknown", (tables) => peerOwnership(tables, options.uid, remote, local)),
          process: (remote, local, claimed) =>
            Effect.flatMap(
              ask(undefined, (tables) => connectionRows(tables, remote, local)[0]?.inode),
              (inode) =>
                inode === undefined
                  ? Effect.succeed(undefined)
                  : Effect.orElseSucceed(Effect.tryPromise(() => holderOf(inode, claimed)), () => undefined)
            ),
          listener: (target) => ask("unknown", (tables) => listenerOwnership(tables, options.uid, target))
        })
      })
    )

  static readonly layerUnsupported: Layer.Layer<PeerOwner> = Layer.succeed(
    PeerOwner,
    PeerOwner.of({
      peer: () => Effect.succeed("unsupported"),
      process: () => Effect.succeed(undefined),
      listener: () => Effect.succeed("unsupported")
    })
  )

  static readonly layer: Layer.Layer<PeerOwner> = Layer.unwrap(Effect.sync(() => {
    const uid = process.getuid?.()
    if (process.platform !== "linux" || uid === undefined) return PeerOwner.layerUnsupported
    return PeerOwner.layerTables({ uid, read: readSocketTables })
  }))
}
