/**
 * Determines which process owns the other end of a loopback TCP socket, as far as its ancestry tells.
 *
 * This is a heuristic for telling apart cooperative programs, not a security boundary: a program of the same user can
 * leave its ancestors by a double fork and its environment by an `exec`. The result is `false` if anything cannot be
 * read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PeerOwner } from "./PeerOwner.ts"
import * as ProcFs from "./ProcFs.ts"
import type { SocketAddress } from "./SocketTables.ts"

const maxAncestors = 64

/** The process that has the socket open. Of several, the youngest, which inherited it. */
const holderOf = async (inode: string): Promise<number | undefined> => {
  for (const pid of (await ProcFs.pids()).toSorted((a, b) => b - a)) {
    if ((await ProcFs.openSockets(pid)).includes(inode)) return pid
  }
  return undefined
}

const descendsFrom = async (inode: string, variable: string): Promise<boolean> => {
  let pid = await holderOf(inode) ?? 0
  for (let generation = 0; pid > 0 && generation < maxAncestors; generation++) {
    if (ProcFs.startedWith(pid, variable)) return true
    pid = ProcFs.stat(pid)?.parent ?? 0
  }
  return false
}

export class PeerProcess extends Context.Service<PeerProcess, {
  /**
   * Whether the process at the remote end of an accepted connection, or one of its living ancestors, was started with
   * this environment variable. Reads all of `/proc`, which takes tens of milliseconds on a busy machine.
   */
  readonly hasInherited: (variable: string, remote: SocketAddress, local: SocketAddress) => Effect.Effect<boolean>
}>()("credsvc/platform/PeerProcess") {
  static readonly layerNoDeps: Layer.Layer<PeerProcess, never, PeerOwner> = Layer.effect(
    PeerProcess,
    Effect.map(PeerOwner, (owner) =>
      PeerProcess.of({
        hasInherited: (variable, remote, local) =>
          Effect.flatMap(owner.peerInode(remote, local), (inode) =>
            inode === undefined
              ? Effect.succeed(false)
              : Effect.orElseSucceed(Effect.tryPromise(() => descendsFrom(inode, variable)), () => false))
      }))
  )
}
