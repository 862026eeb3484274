/**
 * Detects rows that were added, removed, duplicated or reset to an earlier state outside of credsvc.
 *
 * A change of a covered table runs inside `protect`, which updates the manifest in the same transaction and then
 * advances the anchor, a file beside the database that records the newest state. Triggers of this connection reject
 * changes made anywhere else, so that no change can be missed.
 *
 * A change by another writer never becomes legitimate:
 *
 * - While no other connection commits, every row is known in memory. The database's exclusive lock prevents such commits.
 *   Without it, as in tests, `PRAGMA data_version` shows them: all rows are then read again and must equal those that this
 *   process left, before anything is read or written.
 * - A change is recorded with the row's state before and after it. A row whose previous state differs from the one in
 *   memory is rejected.
 * - After a difference is found, nothing is read or written until the daemon restarts, which finds it again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as fs from "node:fs"
import { Paths } from "../config/Paths.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { plural } from "../domain/Plural.ts"
import type { KeyObject } from "../platform/builtins.ts"
import { StoreChanges } from "../platform/StoreChanges.ts"
import { makeAnchor } from "./ManifestAnchor.ts"
import {
  canonicalName,
  changedSum,
  coveredTables,
  describeRow,
  digestOfImage,
  holdsSecrets,
  imageOf,
  MANIFEST_VERSION,
  manifestMac,
  nameOf,
  reread,
  type RowSet,
  scan
} from "./ManifestDigest.ts"
import { MasterKey, type OpenVault } from "./MasterKey.ts"
import { isSameMac } from "./SealedBox.ts"
import { sqlUnavailable } from "./StoreFailures.ts"
import { rowsOf } from "./StoreRows.ts"

/** The state that was last verified or written. */
interface State {
  readonly epoch: number
  readonly mac: Uint8Array
  readonly rows: RowSet
  /** `PRAGMA data_version`, which changes when another connection commits. */
  readonly version: number | undefined
}

const manifestRows = rowsOf(Schema.Struct({
  version: Schema.Int,
  epoch: Schema.Int,
  row_count: Schema.Int,
  mac: Schema.Uint8Array
}))
const changeRows = rowsOf(Schema.Struct({ name: Schema.String, image: Schema.NullOr(Schema.String) }))

const integrityError = (what: string) =>
  VaultUnavailableError.of(
    `The store was changed outside of credsvc: ${what}. No stored secret is used until it is restored: stop the daemon, ` +
      "restore server/credsvc.db and server/manifest.anchor from the same backup, and start the daemon again."
  )

const isProtected = Context.Reference<boolean>("credsvc/vault/StoreManifest/isProtected", {
  defaultValue: () => false
})

const triggers = coveredTables.flatMap((table) => {
  const { name } = table
  const guard = "SELECT RAISE(ABORT, 'a covered table was changed outside of StoreManifest.protect') " +
    "WHERE NOT EXISTS (SELECT 1 FROM manifest_guard)"
  // No OR IGNORE here: the conflict clause of the triggering statement, also of an upsert, would override it.
  const added = `INSERT INTO manifest_changes VALUES (${nameOf(table, "new")}, NULL)`
  const removed = `INSERT INTO manifest_changes VALUES (${nameOf(table, "old")}, ${imageOf(table, "old")})`
  const trigger = (event: string, body: ReadonlyArray<string>) =>
    `CREATE TEMP TRIGGER "manifest_${name}_${event}" AFTER ${event} ON main."${name}" BEGIN ${
      [guard, ...body].join("; ")
    }; END`
  return [
    trigger("INSERT", [added]),
    trigger("DELETE", [removed]),
    trigger("UPDATE", [removed, added])
  ]
})

/** Identifies a file independently of its name. Undefined if the file does not exist. */
const fileIdentity = (file: string): string | undefined => {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
}

/** Checks rows that the manifest does not cover. Returns the problem as the end of a sentence. */
type TailCheck = (vault: OpenVault) => Effect.Effect<string | undefined, VaultUnavailableError>

export class StoreManifest extends Context.Service<StoreManifest, {
  /**
   * Runs a change as one transaction and records the changed rows. It must be the outermost transaction; a nested
   * `protect` joins it. It commits before it returns. Failures of the database become a `VaultUnavailableError`.
   */
  readonly protect: <A, E, R>(
    change: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, Exclude<E, SqlError> | VaultUnavailableError, R>

  /**
   * Opens the vault and verifies the store, again after another connection has written. Every read of a secret waits
   * for it.
   */
  readonly ready: Effect.Effect<OpenVault, VaultUnavailableError>

  /** `ready` for operations that read no secret: succeeds without opening the vault while it has not been opened. */
  readonly unchanged: Effect.Effect<void, VaultUnavailableError>

  /** Reads every covered row from the disk again. */
  readonly verify: Effect.Effect<{ readonly rows: number; readonly epoch: number }, VaultUnavailableError>

  /** Runs an effect in the verifying transaction, during which no other connection can write. */
  readonly verified: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, Exclude<E, SqlError> | VaultUnavailableError, R>

  readonly addCheck: (check: TailCheck) => Effect.Effect<void>

  /** Blocks every further use of the store until a restart. */
  readonly condemn: (what: string) => Effect.Effect<never, VaultUnavailableError>

  readonly difference: () => VaultUnavailableError | undefined

  /** Whether the store is verified and no other connection has committed since. */
  readonly isCurrent: () => boolean
}>()("credsvc/vault/StoreManifest") {
  static readonly layerNoDeps = Layer.effect(
    StoreManifest,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const changes = yield* StoreChanges
      const masterKey = yield* MasterKey
      const paths = yield* Paths
      const lock = yield* Semaphore.make(1)
      const opened = fileIdentity(paths.database)
      const checks: Array<TailCheck> = []
      let state: State | undefined
      let guarded = false
      /** Never cleared, so that restoring the old data does not hide an attack. */
      let found: VaultUnavailableError | undefined
      /** The MACs that the database may have: two while the outcome of a commit is unknown. */
      let left: ReadonlyArray<Uint8Array> = []

      const condemn = (what: string) =>
        Effect.suspend(() => {
          const error = integrityError(what)
          if (found !== undefined) return Effect.fail(found)
          found = error
          state = undefined
          return Effect.andThen(Effect.logError(error.detail), Effect.fail(error))
        })

      let known: { readonly vault: OpenVault; readonly key: KeyObject } | undefined
      const keyOf = (vault: OpenVault): KeyObject => {
        if (known?.vault.storeId !== vault.storeId) known = { vault, key: vault.storeKey("credsvc/manifest/v1") }
        return known.key
      }

      const anchor = makeAnchor(paths.manifestAnchor, condemn)

      const ask = <A>(question: () => A) =>
        Effect.try({
          try: question,
          catch: () => VaultUnavailableError.of("The store could not be read. Stop other programs that use its files.")
        })
      const version = ask(changes.foreignVersion)

      const checkFile = Effect.suspend(() =>
        fileIdentity(paths.database) === opened
          ? Effect.void
          : condemn(`${paths.database} is another file than the one that was opened`)
      )

      /** Reads the whole store and compares it with the manifest, the anchor and the state that this process left. */
      const read = Effect.fnUntraced(function*(vault: OpenVault) {
        yield* checkFile
        const schema = yield* ask(changes.unexpectedSchema)
        if (schema !== undefined) return yield* condemn(`its schema is not the one that credsvc made (${schema})`)
        const [manifest] = yield* manifestRows(sql`SELECT version, epoch, row_count, mac FROM manifest`)
        const rows = yield* scan(sql, keyOf(vault))
        if (manifest === undefined) return yield* condemn("its manifest is missing")
        if (manifest.version !== MANIFEST_VERSION) {
          if (left.length > 0) return yield* condemn("its manifest was replaced while credsvc was running")
          return yield* VaultUnavailableError.of(
            "The store's manifest was written by a newer version of credsvc. Use that version."
          )
        }
        const { epoch } = manifest
        const mac = manifestMac(keyOf(vault), {
          storeId: vault.storeId,
          epoch,
          rowCount: rows.digests.size,
          sum: rows.sum
        })
        if (rows.digests.size !== manifest.row_count) {
          return yield* condemn(`it has ${plural(rows.digests.size, "row")} where ${manifest.row_count} were left`)
        }
        if (!isSameMac(mac, manifest.mac)) return yield* condemn("rows were altered")
        if (left.length > 0 && !left.some((mine) => isSameMac(mine, mac))) {
          return yield* condemn("it was replaced while credsvc was running")
        }
        const anchored = yield* anchor.check(vault, epoch, mac)
        for (const check of checks) {
          const problem = yield* check(vault)
          if (problem !== undefined) return yield* condemn(problem)
        }
        if (!anchored) yield* anchor.advance(vault, epoch, mac)
        left = [mac]
        return { epoch, mac, rows, version: yield* version } satisfies State
      }, sqlUnavailable)

      const installGuard = Effect.gen(function*() {
        if (guarded) return
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql.unsafe("CREATE TEMP TABLE manifest_guard (id INTEGER PRIMARY KEY)")
          yield* sql.unsafe("CREATE TEMP TABLE manifest_changes (name TEXT NOT NULL, image TEXT)")
          for (const trigger of triggers) yield* sql.unsafe(trigger)
          yield* sql.afterCommit(Effect.sync(() => {
            guarded = true
          }))
        }))
      }).pipe(sqlUnavailable)

      /** The verified state, read again if another connection has committed. */
      const current = Effect.fnUntraced(function*(vault: OpenVault) {
        if (found !== undefined) return yield* found
        if (state === undefined || state.version !== (yield* version)) {
          state = yield* sqlUnavailable(sql.withTransaction(read(vault)))
        }
        return state
      })

      const inTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

      const isCurrent = (): boolean => {
        try {
          return found === undefined && state !== undefined && state.version === changes.foreignVersion()
        } catch {
          return false
        }
      }

      const ready = Effect.gen(function*() {
        const vault = yield* masterKey.unlock
        if (isCurrent()) return vault
        const verified = Effect.andThen(installGuard, current(vault))
        // A fiber with the lock waits for the connection, which a transaction already has: it must not wait for the
        // lock.
        yield* (yield* inTransaction) ? verified : lock.withPermits(1)(verified)
        return vault
      })

      /** Updates the sum for the rows that the triggers recorded, and writes the next manifest. */
      const settle = Effect.fnUntraced(function*(vault: OpenVault, before: State) {
        const noted = yield* changeRows(sql`SELECT name, image FROM manifest_changes ORDER BY rowid`)
        yield* sql`DELETE FROM manifest_changes`
        yield* sql`DELETE FROM manifest_guard`
        const key = keyOf(vault)
        const changed = new Map<string, bigint | undefined>()
        const seen = new Set<string>()
        let replaced = false
        for (const { image, name: noting } of noted) {
          const name = canonicalName(noting)
          if (seen.has(name)) continue
          seen.add(name)
          const was = before.rows.digests.get(name)
          // The first entry of a row shows its state before this transaction.
          if (was !== (image === null ? undefined : digestOfImage(key, name, image))) {
            return yield* condemn(`${describeRow(name)} was altered`)
          }
          const digest = yield* reread(sql, key, name)
          if (digest === was) continue
          replaced ||= was !== undefined && holdsSecrets(name)
          changed.set(name, digest)
        }
        if (changed.size === 0) return undefined
        const sum = changedSum(before.rows, changed)
        let rowCount = before.rows.digests.size
        for (const [name, digest] of changed) {
          rowCount += (digest === undefined ? 0 : 1) - (before.rows.digests.has(name) ? 1 : 0)
        }
        const epoch = before.epoch + 1
        const mac = manifestMac(key, { storeId: vault.storeId, epoch, rowCount, sum })
        const updated = yield* sql`UPDATE manifest SET ${
          sql.update({ version: MANIFEST_VERSION, epoch, row_count: rowCount, mac })
        } WHERE id = 1 AND epoch = ${before.epoch} AND mac = ${before.mac} RETURNING id`
        if (updated.length !== 1) return yield* condemn("its manifest was replaced while credsvc was running")
        return { changed, epoch, mac, replaced, sum }
      })

      const commit = <A, E, R>(vault: OpenVault, change: Effect.Effect<A, E, R>) =>
        Effect.gen(function*() {
          yield* installGuard
          let replaced = false
          let settled = false
          const result = yield* sql.withTransaction(Effect.gen(function*() {
            // Inside the transaction, so that no other connection can write between this read and COMMIT.
            const before = yield* current(vault)
            yield* checkFile
            if (!(yield* anchor.check(vault, before.epoch, before.mac))) {
              yield* anchor.advance(vault, before.epoch, before.mac)
            }
            yield* sql`INSERT INTO manifest_guard (id) VALUES (1)`
            const result = yield* change
            const next = yield* settle(vault, before)
            if (next !== undefined) {
              // Runs after COMMIT, with the lock held.
              yield* sql.afterCommit(Effect.suspend(() => {
                const { digests } = before.rows
                for (const [name, digest] of next.changed) {
                  if (digest === undefined) digests.delete(name)
                  else digests.set(name, digest)
                }
                left = [next.mac]
                if (found === undefined) {
                  state = {
                    epoch: next.epoch,
                    mac: next.mac,
                    rows: { digests, sum: next.sum },
                    version: before.version
                  }
                }
                replaced = next.replaced
                return anchor.write(vault, next.epoch, next.mac).pipe(
                  Effect.catch((error) =>
                    Effect.logWarning(`the manifest's anchor is one step behind: ${error.message}`)
                  )
                )
              }))
              left = [before.mac, next.mac]
            }
            settled = true
            return result
          })).pipe(
            // A failed COMMIT may still have taken effect, so the state in memory is no longer trusted.
            Effect.tapCause(() =>
              Effect.sync(() => {
                if (settled) state = undefined
              })
            )
          )
          // Replaced or deleted secrets must not remain readable in the write-ahead log.
          if (replaced) yield* Effect.ignore(sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)"))
          return result
        })

      const protect = <A, E, R>(
        change: Effect.Effect<A, E, R>
      ): Effect.Effect<A, Exclude<E, SqlError> | VaultUnavailableError, R> =>
        Effect.gen(function*() {
          if (yield* isProtected) return yield* change
          if (yield* inTransaction) {
            return yield* Effect.die(new Error("StoreManifest.protect must be the outermost transaction"))
          }
          const vault = yield* masterKey.unlock
          return yield* lock.withPermits(1)(commit(vault, Effect.provideService(change, isProtected, true)))
        }).pipe(sqlUnavailable)

      /** Drops SQLite's page cache, so that the next read comes from the disk. */
      const forget = Effect.suspend(() => {
        state = undefined
        return sql.unsafe("PRAGMA shrink_memory")
      })

      const verified = <A, E, R>(
        effect: Effect.Effect<A, E, R>
      ): Effect.Effect<A, Exclude<E, SqlError> | VaultUnavailableError, R> =>
        Effect.gen(function*() {
          const vault = yield* masterKey.unlock
          return yield* lock.withPermits(1)(
            Effect.andThen(
              installGuard,
              sql.withTransaction(Effect.andThen(forget, Effect.andThen(current(vault), effect)))
            )
          )
        }).pipe(sqlUnavailable)

      const verify = verified(Effect.sync(() => ({ rows: state?.rows.digests.size ?? 0, epoch: state?.epoch ?? 0 })))

      const unchanged = Effect.suspend(() =>
        found !== undefined ? Effect.fail(found) : left.length === 0 ? Effect.void : Effect.asVoid(ready)
      )

      return StoreManifest.of({
        protect,
        ready,
        unchanged,
        verify,
        verified,
        addCheck: (check) =>
          Effect.sync(() => {
            checks.push(check)
            state = undefined
          }),
        condemn,
        difference: () => found,
        isCurrent
      })
    })
  )
}
