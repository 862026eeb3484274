/**
 * Detects rows that were added, removed, duplicated or reset to an earlier state outside of credsvc.
 *
 * A change of a covered table needs a `StoreTransaction`, which only `transact` provides. `transact` updates the manifest in the same
 * transaction and then advances the anchor, a file that records the newest state. Row tracking (`SqliteRowTracking.ts` for SQLite, `PostgresRowTracking.ts`
 * for PostgreSQL) knows which rows a transaction has changed, and whether others have committed.
 *
 * How much must be verified depends on what an operation is about to do (`Degree`):
 *
 * | Degree | Before an operation | Verification compares |
 * |---|---|---|
 * | `rows` | reads rows | the versions of all rows with the verified versions |
 * | `manifest` | reuses what this process has read earlier | the manifest, which every commit of another daemon changes |
 *
 * A change by another writer without the key never becomes legitimate:
 *
 * - If something differs, the rows are read again before anything else is read or written. On SQLite they must equal the rows
 *   that this process left. On PostgreSQL they may belong to a later epoch, whose MAC only another daemon can compute.
 * - A transaction records the rows that it has changed itself, and rejects a row whose previous state differs from the state
 *   in memory.
 * - After a difference is found, nothing is read or written until the daemon restarts, and then finds the difference again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { Paths } from "../../config/Paths.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { KeyObject } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import { shareRun } from "../../platform/SharedRun.ts"
import { lostCommit } from "../../platform/store/Disconnection.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { MasterKey, type OpenVault } from "../keys/MasterKey.ts"
import { commitUnknown, restoreAdvice, sqlUnavailable, unreadable } from "../StoreFailures.ts"
import { rowsOf } from "../StoreRows.ts"
import { makeAnchor } from "./ManifestAnchor.ts"
import {
  changedSum,
  describeRow,
  holdsSecrets,
  MANIFEST_VERSION,
  manifestMac,
  reread,
  rowName,
  withChanges
} from "./ManifestDigest.ts"
import { makePostgresRowTracking } from "./PostgresRowTracking.ts"
import type { RowTracking, Verified } from "./RowTracking.ts"
import { makeSqliteRowTracking } from "./SqliteRowTracking.ts"
import { makeTableRevisions } from "./TableRevisions.ts"

/** The last state that was verified or written. */
interface State extends Verified {
  readonly epoch: number
  readonly mac: Uint8Array
}

const manifestRows = rowsOf(Schema.Struct({
  version: Schema.Int,
  epoch: Schema.Int,
  row_count: Schema.Int,
  mac: Schema.Uint8Array
}))

const integrityError = (changes: StoreChanges["Service"], what: string) =>
  VaultUnavailableError.of(
    `The store was changed outside of credsvc: ${what}. No stored secret is used until the store is restored: stop the daemon, ` +
      `${restoreAdvice(changes)}, and start the daemon again.`
  )

/** The transaction service, which every write of covered rows requires. */
export class StoreTransaction extends Context.Service<StoreTransaction, {
  /** The open vault of the store, which was verified at the beginning of the transaction. */
  readonly vault: OpenVault
}>()("credsvc/vault/StoreTransaction") {}

/** How much to verify: all rows, or only that no other daemon has committed since all rows were verified. */
export type Degree = "rows" | "manifest"

/** The time until which an operation does not verify again, for each degree, by the monotonic clock. */
const operationTrust = Context.Reference<Record<Degree, number> | undefined>(
  "credsvc/vault/StoreManifest/operationTrust",
  { defaultValue: () => undefined }
)

/** How many milliseconds an operation may rely on one verification. Longer operations, which wait for a provider, verify again. */
const longestOperation = 250

/** Allows the reads of an effect to share one verification of the store, for a quarter of a second. */
export const asOneOperation = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    operationTrust,
    (outer) => Effect.provideService(effect, operationTrust, outer ?? { manifest: 0, rows: 0 })
  )

/**
 * Set for a copy of a store that is opened beside the store and has no anchor yet. A change of the copy gets the epoch after
 * `follows`: a backup keeps the store's epoch, and a restored store, which its operator has confirmed, is newer than the replaced
 * one.
 */
export const copyOfStore = Context.Reference<{ readonly follows?: number } | undefined>(
  "credsvc/vault/StoreManifest/copyOfStore",
  { defaultValue: () => undefined }
)

/** A check of the few newest rows of a log, which the manifest does not cover. */
interface TailCheck {
  /** The key of the `meta` row on which the check relies. */
  readonly head: string
  /** Returns the problem, if any, which ends a sentence. */
  readonly check: (vault: OpenVault) => Effect.Effect<string | undefined, VaultUnavailableError>
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* StoreChanges
  const masterKey = yield* MasterKey
  const paths = yield* Paths
  const scope = yield* Effect.scope
  const lock = yield* Semaphore.make(1)
  const checks: Array<TailCheck> = []
  let state: State | undefined
  /** The error of a detected change. Never cleared, so that restoring the old data does not hide an attack. */
  let found: VaultUnavailableError | undefined
  /** The possible states after this process's last commit: there are two while its outcome is unknown. */
  let left: ReadonlyArray<Pick<State, "epoch" | "mac">> = []
  const revisions = makeTableRevisions()

  /** Blocks every further use of the store until a restart. */
  const condemn = (what: string) =>
    Effect.suspend(() => {
      const error = integrityError(changes, what)
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

  const tracking: RowTracking = changes.isShared
    ? makePostgresRowTracking(sql)
    : makeSqliteRowTracking(sql, changes, paths.database, condemn)
  const isCopy = (yield* copyOfStore) !== undefined
  const anchor = makeAnchor(paths.manifestAnchor, condemn, changes.isShared || isCopy)

  const storedManifest = manifestRows(sql`SELECT version, epoch, row_count, mac FROM manifest`)

  const isOwn = (epoch: number, mac: Uint8Array): boolean =>
    left.some((mine) => mine.epoch === epoch && isSameSecret(mine.mac, mac))

  /** Whether the state follows the states that this process knows. */
  const follows = (epoch: number, mac: Uint8Array): boolean => {
    const [earliest] = left
    return earliest === undefined || isOwn(epoch, mac) || (changes.isShared && epoch > earliest.epoch)
  }

  /** Returns the covered rows: the verified rows with later changes, or all rows read again. */
  const readRows = Effect.fnUntraced(function*(key: KeyObject) {
    if (state === undefined || tracking.foreignChanges === undefined) {
      return { ...yield* tracking.scanned(key), changed: undefined }
    }
    const changed = yield* tracking.foreignChanges(key, state)
    return { rows: withChanges(state.rows, changed.rows), version: changed.version, changed: changed.rows }
  })

  const runChecks = Effect.fnUntraced(function*(vault: OpenVault) {
    for (const { check } of checks) {
      const problem = yield* check(vault)
      if (problem !== undefined) return yield* condemn(problem)
    }
  })

  /** Reads the whole store and compares it with the manifest, the anchor and the state that this process left. */
  const read = Effect.fnUntraced(function*(vault: OpenVault) {
    yield* tracking.check
    const schema = yield* Effect.mapError(changes.unexpectedSchema, unreadable)
    if (schema !== undefined) return yield* condemn(`its schema is not the one that credsvc created (${schema})`)
    const [manifest] = yield* storedManifest
    const { changed, rows, version } = yield* readRows(keyOf(vault))
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
      return yield* condemn(`it has ${plural(rows.digests.size, "row")} instead of ${manifest.row_count}`)
    }
    if (!isSameSecret(mac, manifest.mac)) return yield* condemn("rows were altered")
    if (!follows(epoch, mac)) return yield* condemn("it was replaced while credsvc was running")
    const anchored = yield* anchor.check(vault, epoch, mac)
    yield* runChecks(vault)
    if (!anchored) yield* anchor.advance(vault, epoch, mac)
    left = [{ epoch, mac }]
    revisions.note(state?.rows.digests, changed)
    return { epoch, mac, rows, version } satisfies State
  }, sqlUnavailable)

  const compared = (compare: (known: State) => Effect.Effect<boolean, VaultUnavailableError>) =>
    Effect.suspend(() => found !== undefined || state === undefined ? Effect.succeed(false) : compare(state))

  /** Whether no row has changed since the rows were verified. */
  const hasSameRows = compared(({ version }) =>
    Effect.map(sqlUnavailable(tracking.version), ({ id }) => id === version.id)
  )

  /** Whether the manifest still has the verified state. */
  const hasSameManifest = changes.isShared
    ? compared(({ epoch, mac }) =>
      Effect.map(storedManifest, ([row]) => row !== undefined && row.epoch === epoch && isSameSecret(row.mac, mac))
    )
    : hasSameRows

  const areRowsSame = changes.isShared
    ? Effect.flatMap(hasSameManifest, (isSame) => isSame ? hasSameRows : Effect.succeed(false))
    : hasSameRows

  /** The verified state, read again if another connection has committed. */
  const verifiedState = Effect.fnUntraced(function*(vault: OpenVault) {
    if (found !== undefined) return yield* found
    if (state === undefined || !(yield* areRowsSame)) {
      state = yield* sqlUnavailable(tracking.inSnapshot(read(vault)))
    }
    return state
  })

  const lookOf = (look: Effect.Effect<boolean, VaultUnavailableError>) =>
    Effect.orElseSucceed(changes.isShared ? shareRun(look, scope) : look, () => false)
  const isSame = { rows: lookOf(areRowsSame), manifest: lookOf(hasSameManifest) }

  /** Whether the store is still verified to this degree. Needs no query if the same operation has just verified it. */
  const isKnown = (degree: Degree) =>
    Effect.flatMap(
      operationTrust,
      (trust) =>
        state !== undefined && found === undefined && trust !== undefined && trust[degree] > performance.now()
          ? Effect.succeed(true)
          : isSame[degree]
    )

  /** Returns the vault within a transaction, which has verified the store and keeps others from changing it. */
  const inTransaction = Effect.map(
    Effect.serviceOption(StoreTransaction),
    (transaction) => found === undefined ? Option.getOrUndefined(transaction)?.vault : undefined
  )

  /** Verifies the store to this degree, and returns the open vault. */
  const verified = Effect.fnUntraced(function*(degree: Degree) {
    const known = yield* inTransaction
    if (known !== undefined) return known
    const vault = yield* masterKey.unlock
    const isRead = !(yield* isKnown(degree))
    if (isRead) yield* lock.withPermits(1)(verifiedState(vault))
    const trust = yield* operationTrust
    if (trust !== undefined) {
      trust.manifest = performance.now() + longestOperation
      if (isRead || degree === "rows") trust.rows = trust.manifest
    }
    return vault
  })

  /** Updates the sum for the rows that were recorded as changed, and writes the next manifest. */
  const settle = Effect.fnUntraced(function*(vault: OpenVault, before: State) {
    const key = keyOf(vault)
    const { rows: changed, version } = yield* tracking.changes(key, before)
    if (changed.size === 0) return undefined
    const replaced = [...changed.keys()].some((name) => before.rows.digests.has(name) && holdsSecrets(name))
    const sum = changedSum(before.rows, changed)
    let rowCount = before.rows.digests.size
    for (const [name, digest] of changed) {
      rowCount += (digest === undefined ? 0 : 1) - (before.rows.digests.has(name) ? 1 : 0)
    }
    const epoch = ((yield* copyOfStore)?.follows ?? before.epoch) + 1
    const mac = manifestMac(key, { storeId: vault.storeId, epoch, rowCount, sum })
    const updated = yield* sql`UPDATE manifest SET ${
      sql.update({ version: MANIFEST_VERSION, epoch, row_count: rowCount, mac })
    } WHERE id = 1 AND epoch = ${before.epoch} AND mac = ${before.mac} RETURNING id`
    if (updated.length !== 1) return yield* condemn("its manifest was replaced while credsvc was running")
    yield* changes.announce("rows", String(epoch))
    return { changed, epoch, mac, replaced, sum, version: yield* tracking.settled(version) }
  })

  /** Whether a change whose COMMIT was lost has taken effect. Waits for its transaction, which has locked the tables. */
  const isCommitted = (before: State, next: Pick<State, "epoch" | "mac">) =>
    Effect.map(sql.withTransaction(storedManifest), ([row]) => {
      const isNow = ({ epoch, mac }: typeof next) => row?.epoch === epoch && isSameSecret(row.mac, mac)
      // If the manifest has the next epoch with different content, another daemon has written it.
      return isNow(next) || (row?.epoch === next.epoch || isNow(before) ? false : undefined)
    }).pipe(Effect.provideService(lostCommit, Effect.succeed(undefined)))

  const commit = <A, E, R>(vault: OpenVault, change: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      let replaced = false
      let settled = false
      // Unless a covered row changes, a lost commit counts as rolled back: only leases have changed, and they may be acquired
      // again.
      let outcome: Effect.Effect<boolean | undefined, unknown> = Effect.succeed(false)
      const result = yield* sql.withTransaction(Effect.gen(function*() {
        settled = false
        // Runs inside the transaction, so that no other connection can write between this read and COMMIT.
        const before = yield* verifiedState(vault)
        yield* tracking.check
        if (!(yield* anchor.check(vault, before.epoch, before.mac))) {
          yield* anchor.advance(vault, before.epoch, before.mac)
        }
        yield* tracking.begin
        const result = yield* change
        const next = yield* settle(vault, before)
        if (next !== undefined) {
          // Runs after COMMIT, while the lock is still held.
          yield* sql.afterCommit(Effect.suspend(() => {
            const { digests } = before.rows
            revisions.note(digests, next.changed)
            for (const [name, digest] of next.changed) {
              if (digest === undefined) digests.delete(name)
              else digests.set(name, digest)
            }
            left = [next]
            if (found === undefined) {
              state = {
                epoch: next.epoch,
                mac: next.mac,
                rows: { digests, sum: next.sum },
                version: next.version
              }
            }
            replaced = next.replaced
            return anchor.write(vault, next.epoch, next.mac).pipe(
              Effect.catch((error) =>
                Effect.logWarning(`the manifest's anchor could not be written and is one step behind: ${error.message}`)
              )
            )
          }))
          left = [before, next]
          outcome = isCommitted(before, next)
        }
        settled = true
        return result
      })).pipe(
        Effect.provideService(lostCommit, Effect.suspend(() => outcome)),
        // A failed COMMIT may still have taken effect, so the state in memory is no longer valid.
        Effect.tapCause(() =>
          Effect.sync(() => {
            if (settled) state = undefined
          })
        ),
        Effect.mapError((error) => settled && isSqlError(error) ? commitUnknown(error) : error)
      )
      // Replaced or deleted secrets must not remain readable in the write-ahead log.
      if (replaced) yield* Effect.ignore(tracking.forgetContents)
      return result
    })

  /**
   * Runs a change as one transaction, or as part of the caller's transaction, and records the changed rows. It commits
   * before it returns. Database failures become a `VaultUnavailableError`.
   */
  const transact = <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const outer = yield* Effect.serviceOption(StoreTransaction)
      if (Option.isSome(outer)) return yield* Effect.provideService(change, StoreTransaction, outer.value)
      const vault = yield* masterKey.unlock
      return yield* lock.withPermits(1)(commit(vault, Effect.provideService(change, StoreTransaction, { vault })))
    }).pipe(sqlUnavailable)

  const forget = Effect.suspend(() => {
    state = undefined
    return tracking.forgetPages
  })

  /** Reads every covered row from the disk again. */
  const verify = Effect.gen(function*() {
    const vault = yield* masterKey.unlock
    const { epoch, rows } = yield* lock.withPermits(1)(
      Effect.andThen(forget, verifiedState(vault))
    )
    return { rows: rows.digests.size, epoch }
  }).pipe(sqlUnavailable)

  /** Compares the rows on which the checks rely with the verified state, unless another daemon has committed since then. */
  const checkHeads = Effect.fnUntraced(function*(vault: OpenVault) {
    const known = state
    if (!changes.isShared || !(yield* hasSameManifest)) return
    for (const { head } of checks) {
      const name = rowName("meta", [head])
      const digest = yield* reread(sql, keyOf(vault), name)
      if (state === undefined || state !== known) return
      if (digest !== state.rows.digests.get(name)) return yield* condemn(`${describeRow(name)} was altered`)
    }
  })

  /**
   * Verifies the manifest and runs the checks of `addCheck`. Others can write meanwhile. The cost does not depend on
   * the number of rows.
   */
  const checkTails = Effect.flatMap(
    verified("manifest"),
    (vault) => sqlUnavailable(tracking.inSnapshot(Effect.andThen(checkHeads(vault), runChecks(vault))))
  )

  /** Verifies the rows for an operation that reads no secret. Does nothing before the vault has been opened. */
  const unchanged = Effect.suspend(() =>
    found !== undefined ? Effect.fail(found) : left.length === 0 ? Effect.void : Effect.asVoid(verified("rows"))
  )

  return {
    transact,
    verified,
    unchanged,
    verify,
    checkTails,
    addCheck: (check: TailCheck) =>
      Effect.sync(() => {
        checks.push(check)
        state = undefined
      }),
    condemn,
    difference: () => found,

    /** Whether the store was verified after the last commit of another daemon. */
    isVerified: isKnown("manifest"),

    /** Like `isVerified`, but without waiting. False if only a query could tell. */
    isKnownVerified: () => found === undefined && state !== undefined && tracking.isUnchanged(state.version),

    /** Returns the digest of a row in the verified state, or undefined for an unknown row. Does not read the database. */
    digestOf: (table: string, ...key: ReadonlyArray<string>) => state?.rows.digests.get(rowName(table, key)),

    /** Returns a number that stays the same until rows of the table differ in the verified state. Does not read the database. */
    revisionOf: revisions.revisionOf,

    /** Returns a number that stays the same until rows are added to the table or removed from it. */
    membersOf: revisions.membersOf,

    /** Calls the listener with the tables whose revisions have changed, until the scope closes. */
    onChange: revisions.onChange
  }
})

export class StoreManifest
  extends Context.Service<StoreManifest, Effect.Success<typeof make>>()("credsvc/vault/StoreManifest")
{
  static readonly layerNoDeps = Layer.effect(StoreManifest, make)
}
