/**
 * Ensures that at most one daemon uses a home of credsvc. The lock is SQLite's lock on a separate database. The
 * operating system releases it however the process ends, so it never becomes stale.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { Paths } from "../config/Paths.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { primaryResult } from "../platform/store/SqliteResult.ts"

/** A process holds the lock of the home. `pid` is absent if that process has not recorded it yet. */
export class HomeLockedError extends Schema.TaggedError<HomeLockedError>()("HomeLockedError", {
  home: Schema.String,
  pid: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `another credsvc daemon${this.pid === undefined ? "" : ` (pid ${this.pid})`} already serves ${this.home}`
  }
}

/** The result codes SQLITE_BUSY and SQLITE_LOCKED. */
const isBusy = (cause: unknown): boolean => [5, 6].includes(primaryResult(cause))

/** Reads the process ID of the owner. Empty if it is not recorded. */
const readOwner = (file: string): Effect.Effect<{ readonly pid?: number }> =>
  SecureFiles.readFile(file, { maxBytes: 32 }).pipe(
    Effect.map((bytes) => {
      const pid = Number(new TextDecoder().decode(bytes))
      return Number.isSafeInteger(pid) && pid > 0 ? { pid } : {}
    }),
    Effect.orElseSucceed(() => ({}))
  )

export class HomeLock extends Context.Service<HomeLock, {
  readonly pid: number
}>()("credsvc/store/HomeLock") {
  /** Holds the lock until the scope closes. Fails immediately if another process holds it. */
  static readonly layerNoDeps = Layer.effect(
    HomeLock,
    Effect.gen(function*() {
      const paths = yield* Paths
      // The process ID has a separate file: closing a second descriptor of the lock file would release this process's POSIX locks.
      const owner = `${paths.homeLock}.pid`
      yield* SecureFiles.ensurePrivateDirectory(paths.server)
      yield* SecureFiles.checkFile(paths.homeLock)
      if (!fs.existsSync(paths.homeLock)) yield* SecureFiles.createOnce(paths.homeLock, "")
      const acquire = Effect.try({
        try: () => {
          const db = new builtins.sqlite.DatabaseSync(paths.homeLock, { timeout: 0 })
          try {
            // Journals in memory, because a journal file could not be created on a full disk.
            db.exec("PRAGMA journal_mode = MEMORY")
            db.exec("BEGIN EXCLUSIVE")
          } catch (cause) {
            db.close()
            throw cause
          }
          return db
        },
        catch: (cause) =>
          isBusy(cause)
            ? "busy" as const
            : new SecureFiles.SecureFileError({ path: paths.homeLock, problem: "io", code: "SQLITE" })
      }).pipe(
        Effect.catch(Effect.fnUntraced(function*(problem) {
          if (problem !== "busy") return yield* problem
          return yield* new HomeLockedError({ home: paths.home, ...yield* readOwner(owner) })
        }))
      )
      yield* Effect.acquireRelease(acquire, (db) =>
        Effect.sync(() => {
          fs.rmSync(owner, { force: true })
          db.close()
        }))
      yield* SecureFiles.replaceProcessFile(owner, `${process.pid}\n`)
      return { pid: process.pid }
    })
  )
}
