/** Determines which process owns the other end of a loopback TCP socket. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PeerOwner } from "./PeerOwner.ts"
import * as ProcFs from "./ProcFs.ts"
import type { SocketAddress } from "./SocketTables.ts"

const hasOpen = async (pid: number, inode: string): Promise<boolean> => (await ProcFs.openSockets(pid)).includes(inode)

/** The process that has the socket open. Of several, the youngest, which inherited it. */
const holderOf = async (inode: string, claimed: number | undefined): Promise<number | undefined> => {
  if (claimed !== undefined && await hasOpen(claimed, inode)) return claimed
  for (const pid of (await ProcFs.pids()).toSorted((a, b) => b - a)) {
    if (await hasOpen(pid, inode)) return pid
  }
  return undefined
}

export class PeerProcess extends Context.Service<PeerProcess, {
  /**
   * The process at the remote end of an accepted connection. Undefined if it cannot be determined. Reads all of
   * `/proc`, which takes tens of milliseconds on a busy machine, unless the process is the `claimed` one.
   */
  readonly peer: (
    remote: SocketAddress,
    local: SocketAddress,
    claimed?: number
  ) => Effect.Effect<number | undefined>
}>()("credsvc/platform/PeerProcess") {
  static readonly layerNoDeps: Layer.Layer<PeerProcess, never, PeerOwner> = Layer.effect(
    PeerProcess,
    Effect.map(PeerOwner, (owner) =>
      PeerProcess.of({
        peer: (remote, local, claimed) =>
          Effect.flatMap(owner.peerInode(remote, local), (inode) =>
            inode === undefined
              ? Effect.succeed(undefined)
              : Effect.orElseSucceed(Effect.tryPromise(() => holderOf(inode, claimed)), () => undefined))
      }))
  )
}
