/**
 * Detects rows that were added, removed, duplicated or reset to an earlier state outside of credsvc.
 *
 * A change of a covered table needs a `StoreTransaction`, which only `transact` provides. `transact` updates the manifest in the
 * same transaction and then advances the anchor, a file that records the newest state. Row tracking (`SqliteRowTracking.ts` for
 * SQLite, `PostgresRowTracking.ts` for PostgreSQL) knows which rows a transaction has changed, and whether others have committed.
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
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { lostCommit } from "../../platform/store/Disconnection.ts"
import { MasterKey, type OpenVault } from "../keys/MasterKey.ts"
import { commitUnknown, sqlUnavailable } from "../StoreFailures.ts"
import { isSameMark, type State } from "./KnownState.ts"
import { holdsSecrets, MANIFEST_VERSION, manifestMac, rowName, totalsAfter, updateDigests } from "./ManifestDigest.ts"
import { makeStoreVerification, type TailCheck } from "./StoreVerification.ts"

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

/** Makes the function that runs a change in a transaction, which also writes the manifest. Its callers hold the lock. */
const makeCommit = Effect.fnUntraced(function*(verification: Effect.Success<ReturnType<typeof makeStoreVerification>>) {
  const sql = yield* SqlClient.SqlClient
  const { anchor, changes, keyOf, known, revisions, storedManifest, tracking, verifiedState } = verification

  /** Updates the sum for the rows that were recorded as changed, and writes the next manifest. */
  const settle = Effect.fnUntraced(function*(vault: OpenVault, before: State) {
    yield* known.requireIntact
    const key = keyOf(vault)
    const { rows: changed, version } = yield* tracking.changes(key, before)
    if (changed.size === 0) return undefined
    const replaced = [...changed.keys()].some((name) => before.rows.digests.has(name) && holdsSecrets(name))
    const { rowCount, sum } = totalsAfter(before.rows, changed)
    const epoch = ((yield* copyOfStore)?.follows ?? before.epoch) + 1
    const mac = manifestMac(key, { storeId: vault.storeId, epoch, rowCount, sum })
    const updated = yield* sql`UPDATE manifest SET ${
      sql.update({ version: MANIFEST_VERSION, epoch, row_count: rowCount, mac })
    } WHERE id = 1 AND epoch = ${before.epoch} AND mac = ${before.mac} RETURNING id`
    if (updated.length !== 1) return yield* known.condemn("its manifest was replaced while credsvc was running")
    yield* changes.announce("rows", String(epoch))
    return { changed, epoch, mac, replaced, sum, version: yield* tracking.settled(version) }
  })

  type Written = NonNullable<Effect.Success<ReturnType<typeof settle>>>

  /** What a transaction is about to commit. `next` is undefined if it has changed no row. */
  interface Pending {
    readonly before: State
    readonly next: Written | undefined
  }

  /**
   * Whether a change took effect if the response to its COMMIT was lost, or undefined if that cannot be determined. Waits for
   * the lost transaction, which has locked the tables.
   */
  const isCommitted = (pending: Pending | undefined) => {
    const next = pending?.next
    // Without a changed row, a lost commit counts as rolled back: only leases have changed, and they may be acquired again.
    if (pending === undefined || next === undefined) return Effect.succeed(false)
    return Effect.map(sql.withTransaction(storedManifest), (row) => {
      if (isSameMark(row, next)) return true
      // If the manifest has the next epoch with different content, another daemon has written it.
      return row?.epoch === next.epoch || isSameMark(row, pending.before) ? false : undefined
    }).pipe(Effect.provideService(lostCommit, Effect.succeed(undefined)))
  }

  /** Makes the written state the verified one, and advances the anchor. Runs after COMMIT, while the lock is still held. */
  const finish = (vault: OpenVault, before: State, { changed, epoch, mac, sum, version }: Written) => {
    const { digests } = before.rows
    revisions.note(digests, changed)
    updateDigests(digests, changed)
    known.setLeft({ epoch, mac })
    known.setVerified({ epoch, mac, rows: { digests, sum }, version })
    return Effect.catch(
      anchor.write(vault, epoch, mac),
      (error) =>
        Effect.logWarning(`the manifest's anchor could not be written and is one step behind: ${error.message}`)
    )
  }

  /** Verifies the store, runs the change, and writes the manifest. `pending` then tells what COMMIT is about to commit. */
  const attempt = Effect.fnUntraced(
    function*<A, E, R>(vault: OpenVault, change: Effect.Effect<A, E, R>, pending: Ref.Ref<Pending | undefined>) {
      yield* Ref.set(pending, undefined)
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
        yield* sql.afterCommit(Effect.suspend(() => finish(vault, before, next)))
        known.setLeft(before, next)
      }
      yield* Ref.set(pending, { before, next })
      return { next, result }
    }
  )

  /** The failure of a COMMIT, which may still have taken effect, so the state in memory is no longer valid. */
  const uncertain = <E>(cause: Cause.Cause<E>) => {
    known.setVerified(undefined)
    return Cause.map(cause, (error) => isSqlError(error) ? commitUnknown(error) : error)
  }

  return Effect.fnUntraced(function*<A, E, R>(vault: OpenVault, change: Effect.Effect<A, E, R>) {
    const pending = yield* Ref.make<Pending | undefined>(undefined)
    const { next, result } = yield* sql.withTransaction(attempt(vault, change, pending)).pipe(
      Effect.provideService(lostCommit, Effect.flatMap(Ref.get(pending), isCommitted)),
      Effect.catchCause((cause) =>
        Effect.flatMap(
          Ref.get(pending),
          (pending) => Effect.failCause(pending === undefined ? cause : uncertain(cause))
        )
      )
    )
    // Replaced or deleted secrets must not remain readable in the write-ahead log.
    if (next?.replaced === true) yield* Effect.ignore(tracking.forgetContents)
    return result
  })
})

const make = Effect.gen(function*() {
  const masterKey = yield* MasterKey
  const lock = yield* Semaphore.make(1)
  const verification = yield* makeStoreVerification((yield* copyOfStore) !== undefined)
  const { isSame, known, revisions, tracking, verifiedState } = verification
  const commit = yield* makeCommit(verification)

  /** Whether the store is still verified to this degree. Needs no query if the same operation has just verified it. */
  const isKnown = (degree: Degree) =>
    Effect.flatMap(
      operationTrust,
      (trust) =>
        known.verified() !== undefined && trust !== undefined && trust[degree] > performance.now()
          ? Effect.succeed(true)
          : isSame[degree]
    )

  /** Verifies the store to this degree, and returns the open vault. */
  const verified = Effect.fnUntraced(function*(degree: Degree) {
    const outer = yield* Effect.serviceOption(StoreTransaction)
    // A transaction has verified the store and keeps others from changing it.
    if (Option.isSome(outer) && known.difference() === undefined) return outer.value.vault
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

  /**
   * Runs a change as part of the caller's transaction, or as a transaction that commits before this returns, and records the
   * changed rows. Database failures become a `VaultUnavailableError`.
   */
  const transact = <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const outer = yield* Effect.serviceOption(StoreTransaction)
      if (Option.isSome(outer)) return yield* Effect.provideService(change, StoreTransaction, outer.value)
      const vault = yield* masterKey.unlock
      return yield* lock.withPermits(1)(commit(vault, Effect.provideService(change, StoreTransaction, { vault })))
    }).pipe(sqlUnavailable)

  const forget = Effect.suspend(() => {
    known.setVerified(undefined)
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

  /**
   * Verifies the manifest and runs the checks of `addCheck`. Others can write meanwhile. The cost does not depend on
   * the number of rows.
   */
  const checkTails = Effect.flatMap(verified("manifest"), verification.checkTails)

  /** Verifies the rows for an operation that reads no secret. Does nothing before the vault has been opened. */
  const unchanged = Effect.andThen(
    known.requireIntact,
    Effect.suspend(() => known.hasLeft() ? Effect.asVoid(verified("rows")) : Effect.void)
  )

  return {
    transact,
    verified,
    unchanged,
    verify,
    checkTails,
    addCheck: (check: TailCheck) => Effect.sync(() => verification.addCheck(check)),
    condemn: known.condemn,
    difference: known.difference,

    /** Whether the store was verified after the last commit of another daemon. */
    isVerified: isKnown("manifest"),

    /** Like `isVerified`, but without waiting. False if only a query could tell. */
    isKnownVerified: () => {
      const state = known.verified()
      return state !== undefined && tracking.isUnchanged(state.version)
    },

    /** Returns the digest of a row in the verified state, or undefined for an unknown row. Does not read the database. */
    digestOf: (table: string, ...key: ReadonlyArray<string>) => known.verified()?.rows.digests.get(rowName(table, key)),

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
