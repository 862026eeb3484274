/** The home of a daemon: its lock, and the files by which clients find the daemon. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import type { DaemonState } from "../config/daemon/DaemonState.ts"
import { Paths } from "../config/Paths.ts"
import { DaemonUnavailableError } from "../domain/Errors.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { version } from "../platform/process/Version.ts"
import { HomeLock, type HomeLockedError } from "../store/HomeLock.ts"
import type { StoreError } from "../store/StoreError.ts"

export const unavailable = (url: string, detail: string) => new DaemonUnavailableError({ url, detail })

export const cannotStart = (error: { readonly message: string }) =>
  Effect.fail(unavailable("", `The daemon cannot start: ${error.message}.`))

export const asUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E | HomeLockedError | SecureFiles.SecureFileError | StoreError, R>
) =>
  Effect.catchTags(effect as Effect.Effect<A, HomeLockedError | SecureFiles.SecureFileError | StoreError, R>, {
    HomeLockedError: cannotStart,
    SecureFileError: cannotStart,
    StoreError: cannotStart
  })

/** Writes the files by which clients find the daemon, and removes them on exit while the home is still locked. */
export const writeState = Effect.fnUntraced(function*(
  running: { readonly port: number; readonly instance: string },
  host: string,
  startedAt: number
) {
  const paths = yield* Paths
  const state: DaemonState = {
    pid: process.pid,
    port: running.port,
    host,
    started_at: new Date(startedAt).toISOString(),
    version,
    instance: running.instance
  }
  yield* Effect.addFinalizer(() =>
    Effect.forEach([paths.daemonState, paths.daemonPid], SecureFiles.removeFile).pipe(Effect.ignore)
  )
  yield* SecureFiles.replaceProcessFile(paths.daemonPid, `${process.pid}\n`)
  yield* SecureFiles.replaceProcessFile(paths.daemonState, `${JSON.stringify(state, null, 2)}\n`)
})

/** How long to wait for a daemon that is stopping. `daemon stop` kills a daemon that needs more than ten seconds. */
const longestDrain = 12_000
const lockInterval = 50

export const lockHome = Effect.flatMap(
  Effect.scope,
  (scope) => Layer.buildWithScope(Layer.fresh(HomeLock.layerNoDeps), scope)
)

/** Waits for a daemon that is stopping or starting. Fails immediately if the state file describes a serving daemon. */
export const awaitHome = Effect.fnUntraced(function*(onWaiting: ((locked: HomeLockedError) => void) | undefined) {
  const { daemonState } = yield* Paths
  let attempts = 0
  yield* lockHome.pipe(
    Effect.tapErrorTag("HomeLockedError", (locked) =>
      Effect.suspend(() => {
        attempts++
        if (attempts === 1 && !fs.existsSync(daemonState)) onWaiting?.(locked)
        return Effect.sleep(lockInterval)
      })),
    Effect.retry({
      while: (error) =>
        error._tag === "HomeLockedError" && attempts < longestDrain / lockInterval && !fs.existsSync(daemonState)
    })
  )
})

/** Locks the home until the scope closes. Removes temporary files that a crash left behind, and returns their number. */
export const takeHome = Effect.fnUntraced(
  function*<R>(lock: Effect.Effect<unknown, HomeLockedError | SecureFiles.SecureFileError, R>) {
    const paths = yield* Paths
    yield* Effect.forEach([paths.home, paths.server], SecureFiles.ensurePrivateDirectory)
    yield* lock
    const abandoned = yield* Effect.forEach(
      [paths.home, paths.server, paths.providers, paths.identities],
      // Ignored, because the service that needs an unusable directory reports it.
      (directory) => Effect.orElseSucceed(SecureFiles.removeAbandonedFiles(directory), () => 0)
    )
    return abandoned.reduce((sum, count) => sum + count, 0)
  }
)
