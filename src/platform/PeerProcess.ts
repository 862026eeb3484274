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
import * as fs from "node:fs/promises"
import { PeerOwner, type SocketAddress } from "./PeerOwner.ts"

const maxAncestors = 64

const orElse = <A>(promise: Promise<A>, absent: A): Promise<A> => promise.catch(() => absent)

/** The process that has the socket open. Of several, the youngest, which inherited it. */
const holderOf = async (inode: string): Promise<number | undefined> => {
  const link = `socket:[${inode}]`
  const pids = (await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number).toSorted((a, b) => b - a)
  for (const pid of pids) {
    const directory = `/proc/${pid}/fd`
    const descriptors = await orElse(fs.readdir(directory), [])
    const links = await Promise.all(descriptors.map((name) => orElse(fs.readlink(`${directory}/${name}`), "")))
    if (links.includes(link)) return pid
  }
  return undefined
}

/** The fields after the name, which may itself contain spaces and parentheses: state, then the parent's pid. */
const parentOf = async (pid: number): Promise<number> => {
  const stat = await orElse(fs.readFile(`/proc/${pid}/stat`, "latin1"), "")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0)
}

/** The environment with which the process was started, without later changes. */
const startedWith = async (pid: number, variable: string): Promise<boolean> => {
  const environment = await orElse(fs.readFile(`/proc/${pid}/environ`, "latin1"), "")
  return `\0${environment}`.includes(`\0${variable}=`)
}

const descendsFrom = async (inode: string, variable: string): Promise<boolean> => {
  let pid = await holderOf(inode) ?? 0
  for (let generation = 0; pid > 0 && generation < maxAncestors; generation++) {
    if (await startedWith(pid, variable)) return true
    pid = await parentOf(pid)
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
