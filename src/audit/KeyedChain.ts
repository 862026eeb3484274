/**
 * A log in a table whose rows form a chain under a key of the vault: adds rows, verifies the chain (`ChainLinks.ts`) with
 * its ends (`ChainTable.ts`), and deletes old rows.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import type { ConfigDocument } from "../config/file/ConfigDocument.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import type { KeyObject } from "../platform/builtins.ts"
import { MasterKey, type OpenVault } from "../vault/keys/MasterKey.ts"
import { StoreManifest, StoreTransaction } from "../vault/manifest/StoreManifest.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { type ChainRow, type Content, type Link, type LinkOptions, type Links, makeLinks } from "./ChainLinks.ts"
import { baseOf, batchSize, type ChainHead, type ChainTable, makeChainTable, type TableOptions } from "./ChainTable.ts"

interface ChainOptions<Row extends ChainRow, Head extends ChainHead> extends LinkOptions<Row>, TableOptions<Row, Head> {
  /** The name of a row, for messages. */
  readonly unit: string
  /** The number of newest rows that are verified with the manifest. */
  readonly tail: number
  /** The number of newest rows that are kept even if they are old. */
  readonly kept: number
  readonly retentionDays: (config: ConfigDocument) => number
}

/** The result of a walk: the links between which the chain is intact. */
interface Walk {
  readonly base: Link
  readonly end: Link
  /** The sequence number of the first row that is missing, altered or added. */
  readonly brokenAt: number | undefined
}

/** How far a walk has come, and the head that was read before the rows after `end`. */
type Position = Omit<Walk, "brokenAt"> & { readonly newest: ChainHead }

const pruneInterval = "1 hour"
/** Delays the first deletion, so that it does not slow down the start of the daemon. */
const firstPrune = "1 minute"

/** A walk that begins after the base: rows at or before the base must not exist. */
const startOf = (newest: ChainHead): Position => ({ base: baseOf(newest), end: baseOf(newest), newest })

/** Makes the functions that verify a chain under a key. */
const makeVerification = <Row extends ChainRow, Head extends ChainHead>(
  table: ChainTable<Row, Head>,
  { follow }: Links<Row>,
  key: KeyObject
) => {
  /**
   * Verifies the ends and the `tail` newest rows. Returns the sequence number of the first bad row. The cost does not depend on
   * the length of the log.
   */
  const findBrokenTail = Effect.fnUntraced(function*(tail: number) {
    // The manifest covers the head, so a failure to read it is a failure of the database.
    const newest = yield* table.head
    const base = baseOf(newest)
    const { first = base.seq + 1, last = base.seq } = yield* table.ends
    if (first !== base.seq + 1) return base.seq + 1
    if (last !== newest.seq) return Math.min(last, newest.seq) + 1
    const from = Math.max(base.seq, newest.seq - tail)
    const rows = yield* table.allAfter(from)
    const start = from === base.seq ? base : { seq: from, hash: rows[0]?.prev_hash ?? "" }
    const { end, isIntact } = follow(start, rows, key)
    if (!isIntact) return end.seq + 1
    return end.seq === newest.seq && end.hash === newest.hash ? undefined : newest.seq
  })

  /** Verifies the next batch of rows. Returns the position after it, or the result of the walk. */
  const walkBatch = Effect.fnUntraced(function*({ base, end: from, newest }: Position) {
    const resultAt = (end: Link, brokenAt: number | undefined): Walk => ({ base, end, brokenAt })
    // Each batch of rows is read after its head, so the head cannot be older than the rows of the previous batch.
    if (from.seq > newest.seq) return resultAt(from, newest.seq + 1)
    // If rows at or before the base exist, they come first.
    const rows = yield* from.seq === base.seq ? table.oldest : table.after(from.seq)
    const { end, isIntact } = follow(from, rows, key)
    const isLast = isIntact && rows.length < batchSize
    if (isLast && end.seq === newest.seq) return resultAt(end, end.hash === newest.hash ? undefined : end.seq)
    const next = yield* table.head
    if (baseOf(next).seq > base.seq) return startOf(next)
    if (!isIntact || (isLast && end.seq < newest.seq)) return resultAt(end, end.seq + 1)
    return { base, end, newest: next } satisfies Position
  })

  /**
   * Verifies every row. Reads in batches and holds no lock, so rows may be added and deleted meanwhile. It works on
   * an altered store, too, so that it finds the first bad row.
   */
  const walk = Effect.gen(function*() {
    let walk: Position | Walk = startOf(yield* table.head)
    while ("newest" in walk) {
      walk = yield* walkBatch(walk)
      yield* Effect.yieldNow
    }
    return { ...walk, rows: walk.end.seq - walk.base.seq }
  })

  return { findBrokenTail, walk }
}

/** Deletes the oldest rows from before a time, up to one batch of them. Returns whether there may be more. */
const pruneBatch = Effect.fnUntraced(function*<Row extends ChainRow, Head extends ChainHead>(
  table: ChainTable<Row, Head>,
  { linkOf }: Links<Row>,
  kept: number,
  before: string
) {
  const newest = yield* table.head
  const oldest = yield* table.ages(newest.seq - kept)
  // Deletes only a prefix of the chain: all rows before the first row to keep.
  const recent = oldest.findIndex((row) => row.time >= before)
  const until = (recent < 0 ? oldest : oldest.slice(0, recent)).at(-1)?.seq
  if (until === undefined) return false
  const last = yield* table.row(until)
  if (last === undefined) return false
  yield* table.deleteUntil(until)
  yield* table.writeHead({ ...newest, base: linkOf(last) })
  return recent < 0 && oldest.length === batchSize
})

/** Makes the log, and deletes its old rows every hour until the scope closes. */
export const makeKeyedChain = <Row extends ChainRow, Head extends ChainHead>(options: ChainOptions<Row, Head>) =>
  Effect.gen(function*() {
    const { headKey, kept, log, purpose, tail, unit } = options
    const manifest = yield* StoreManifest
    const masterKey = yield* MasterKey
    const config = yield* ConfigFile
    const links = makeLinks<Row>(options)
    const table = makeChainTable<Row, Head>(yield* SqlClient.SqlClient, options)
    const { after, head, search, writeHead } = table

    const verificationBy = (vault: OpenVault) => makeVerification(table, links, vault.storeKey(purpose))
    const broken = (seq: number) => `${unit} ${seq} of the ${log} is missing, was altered, or was added`

    /** Adds a row after the head. The caller writes the returned head. */
    const append = Effect.fnUntraced(function*(head: Head, content: Content<Row>) {
      const { vault } = yield* StoreTransaction
      const { link, row } = links.rowAfter(head, content, vault.storeKey(purpose))
      yield* table.insert(row)
      return { head: { ...head, ...link }, row }
    })

    yield* manifest.addCheck({
      head: headKey,
      check: (vault) =>
        Effect.map(
          verificationBy(vault).findBrokenTail(tail),
          (seq) => seq === undefined ? undefined : broken(seq)
        )
    })

    /** Deletes rows older than this time. Each transaction is short, so that others can write in between. */
    const prune = (before: DateTime.Utc) =>
      Effect.asVoid(
        Effect.repeat(manifest.transact(pruneBatch(table, links, kept, DateTime.formatIso(before))), {
          while: (more) => more
        })
      )

    const pruneOld = Effect.gen(function*() {
      const newest = yield* head
      // For an empty log, the vault need not be opened or created.
      if (newest.seq === baseOf(newest).seq) return
      const days = options.retentionDays(yield* config.read)
      yield* prune(DateTime.subtract(yield* DateTime.now, { days }))
    })
    yield* Effect.forkScoped(
      Effect.delay(Effect.repeat(Effect.ignore(pruneOld), Schedule.spaced(pruneInterval)), firstPrune)
    )

    const walk = Effect.flatMap(masterKey.unlock, (vault) => verificationBy(vault).walk)

    return {
      after,
      /** The error for a row that cannot be decoded. */
      altered: VaultUnavailableError.of(`The ${log} was altered. Find the first bad ${unit} with: credsvc log verify`),
      append,
      broken,
      head,
      /** The sequence number of the newest row, or 0. */
      newest: Effect.andThen(manifest.unchanged, Effect.map(head, ({ seq }) => seq)),
      prune,
      search,
      walk: sqlUnavailable(walk),
      writeHead
    }
  })
