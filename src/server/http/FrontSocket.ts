/**
 * The Unix socket for a reverse proxy that runs as another user.
 *
 * Its file permissions decide who can connect, so the daemon admits its connections without looking up the peer.
 * Programs that can reach a loopback port through the front server cannot reach the socket.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { errorCode } from "../../platform/ErrorCode.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import { isServed } from "../../platform/sockets/ServedSocket.ts"

export interface FrontSocket {
  /** An absolute path in a directory that only this user can write to. */
  readonly path: string
  /** The group that may connect, by name or number. By default only the daemon's user may. */
  readonly group: string | undefined
}

/** The reason why the socket cannot be used, as a clause. */
class FrontSocketProblem extends Data.TaggedError("FrontSocketProblem")<{ readonly message: string }> {}

const problemWith = (message: string) => new FrontSocketProblem({ message })

const attempt = <A>(run: () => A, failed: (code: string) => string): Effect.Effect<A, FrontSocketProblem> =>
  Effect.try({
    try: run,
    catch: (cause) => cause instanceof FrontSocketProblem ? cause : problemWith(failed(errorCode(cause)))
  })

const groupId = (group: string): number => {
  if (/^\d+$/.test(group)) return Number(group)
  const line = fs.readFileSync("/etc/group", "utf8").split("\n").find((line) => line.startsWith(`${group}:`))
  const id = line?.split(":")[2]
  if (id === undefined) throw problemWith(`the group "${group}" of --front-group is not in /etc/group`)
  return Number(id)
}

/**
 * Refuses a directory that other users can change: they could replace the socket, or create it while no daemon runs, and
 * receive what the front server sends.
 */
const checkDirectory = Effect.fnUntraced(function*(directory: string) {
  const open = problemWith(`the directory ${directory} of --front-socket can be changed by other users`)
  yield* Effect.mapError(
    SecureFiles.checkPath(directory),
    ({ code, problem }) =>
      problem === "foreign_owner" || problem === "writable_by_others"
        ? open
        : problemWith(`the directory of --front-socket cannot be used (${code ?? problem})`)
  )
  // In a sticky directory, other users cannot replace the socket, but they can create it.
  if ((fs.statSync(directory).mode & 0o022) !== 0) return yield* open
})

/** Prepares the path of the socket: checks its directory, and removes an old socket on which nothing listens. */
export const prepareFrontSocket = Effect.fnUntraced(function*({ group, path: file }: FrontSocket) {
  if (!path.isAbsolute(file)) {
    return yield* problemWith(`the path of --front-socket must be absolute`)
  }
  yield* checkDirectory(path.dirname(file))
  if (group !== undefined) yield* attempt(() => groupId(group), (code) => `/etc/group cannot be read (${code})`)
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isSocket()) {
    return yield* problemWith(`${file} of --front-socket exists and is not a socket`)
  }
  if (yield* isServed(file)) {
    return yield* problemWith(`another program listens on ${file}, the path of --front-socket`)
  }
  yield* attempt(() => fs.unlinkSync(file), (code) => `${file} of --front-socket cannot be replaced (${code})`)
})

/** Allows the group to connect to the socket. Until then only this user can connect. */
export const openToGroup = ({ group, path: file }: FrontSocket): Effect.Effect<void, FrontSocketProblem> =>
  attempt(() => {
    fs.chmodSync(file, 0o600)
    if (group === undefined) return
    fs.chownSync(file, fs.statSync(file).uid, groupId(group))
    fs.chmodSync(file, 0o660)
  }, (code) =>
    code === "EPERM"
      ? `this user may not give the socket to the group "${group}" of --front-group: add the user to the group`
      : `the permissions of ${file} cannot be set (${code})`)
