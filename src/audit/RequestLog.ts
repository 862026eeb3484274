/**
 * The request log: requests that runs sent with a credential, or that were refused at a host of a provider.
 *
 * A proxy reports its requests in batches; each batch is one row and one link of a chain (`KeyedChain.ts`). Batches
 * that arrive at the same time share one transaction.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { AuditVerification } from "../domain/wire/AuditEntry.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import type { RequestEntry } from "../domain/wire/RequestEntry.ts"
import type { ReadReport } from "../domain/wire/RequestReport.ts"
import { RunName } from "../domain/wire/Run.ts"
import { sha256 } from "../platform/Digest.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import type { AuditLog } from "./AuditLog.ts"
import { genesis } from "./ChainLinks.ts"
import { headFields } from "./ChainTable.ts"
import { makeKeyedChain } from "./KeyedChain.ts"
import { columnsOf, entriesOf, type RequestFilter, StoredBatch } from "./StoredBatch.ts"

/** A report and the run that sent it. A batch without a report is a gap of unknown size. */
export interface RequestBatch {
  readonly run: RunName
  readonly profile: ProfileHandle
  readonly report: ReadReport | undefined
}

/** Selects requests of some batches. */
export interface RequestQuery extends RequestFilter {
  readonly limit: number
  readonly run?: RunName | undefined
  readonly profile?: ProfileHandle | undefined
  /** Selects only entries of batches after this one. */
  readonly after?: number | undefined
  /** Excludes entries of batches after this one. */
  readonly upTo?: number | undefined
}

/** The result of a search. */
export interface RequestMatches {
  /** The entries in chronological order. */
  readonly entries: ReadonlyArray<RequestEntry>
  /** The newest batch that was not searched, or undefined if the search is complete or has found `limit` entries. */
  readonly older: number | undefined
}

/** A search that is not complete. */
interface Search extends RequestMatches {
  /** The number of requests in the batches that were searched. */
  readonly decoded: number
}

/** Adds the newest matching entries of the next batch to a search. Throws if the batch cannot be decoded. */
const withBatch = ({ decoded, entries }: Search, batch: StoredBatch, query: RequestQuery): Search => {
  const { count, wanted } = entriesOf(batch, query)
  const newest = wanted.slice(entries.length - query.limit)
  return { entries: [...newest, ...entries], older: undefined, decoded: decoded + count }
}

/** A batch with its requests in their stored form: while a thousand objects wait, V8 moves them into the old generation. */
const packed = ({ profile, report, run }: RequestBatch, now: number) => ({
  run,
  profile,
  part: report?.part,
  isLast: report?.last ?? true,
  isEmpty: report !== undefined && report.entries.length === 0 && report.missing === 0,
  columns: columnsOf(report, now)
})
type PackedBatch = ReturnType<typeof packed>

interface Waiting {
  readonly batch: PackedBatch
  readonly done: Deferred.Deferred<void, VaultUnavailableError>
}

/** The shortest time between two transactions. */
const interval = "100 millis"
const batchesPerRead = 64
/** The maximum number of requests that one search decodes. */
const maxDecoded = 20_000

const gapRetry = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 minute")])

/** The head of the chain. `open` contains the runs whose last report is missing. */
const Head = Schema.Struct({
  ...headFields,
  open: Schema.Array(Schema.Struct({ run: RunName, profile: ProfileHandle }))
})
type Head = typeof Head.Type

// The stored names call a request a use, as the first version did. The manifest and the MACs cover them.
const makeChain = makeKeyedChain({
  table: "use_batches",
  row: StoredBatch,
  contentOf: (batch) => [
    batch.run,
    batch.part,
    batch.profile,
    batch.began,
    batch.ended,
    batch.entries,
    sha256(batch.content)
  ],
  purpose: "credsvc/use/v1",
  head: Head,
  empty: { seq: 0, hash: genesis, open: [] } satisfies Head,
  headKey: "use_log_head",
  log: "request log",
  unit: "batch",
  tail: 1,
  time: "ended",
  kept: 0,
  retentionDays: ({ requestLog }) => requestLog.retentionDays
})

const partRows = rowsOf(Schema.Struct({ part: Schema.NullOr(Schema.Int) }))

/** The report that precedes the first report of a run. */
const nothingYet: ReadReport = { part: 0, missing: 0, entries: [], last: false, bytes: new Uint8Array() }

/** Returns a function that records a batch durably. Batches that arrive at the same time are written together. */
const makeBatchWriter = Effect.fnUntraced(function*(
  write: (batches: ReadonlyArray<PackedBatch>) => Effect.Effect<void, VaultUnavailableError>
) {
  const waiting = yield* Queue.unbounded<Waiting>()
  const writer = Effect.gen(function*() {
    const taken = yield* Queue.takeAll(waiting)
    const exit = yield* Effect.exit(write(taken.map(({ batch }) => batch)))
    for (const { done } of taken) yield* Deferred.done(done, exit)
    yield* Effect.sleep(interval)
  })
  yield* Effect.forkScoped(Effect.forever(writer))
  return Effect.fnUntraced(function*(batch: RequestBatch) {
    const done = yield* Deferred.make<void, VaultUnavailableError>()
    const now = (yield* DateTime.now).epochMilliseconds
    yield* Queue.offer(waiting, { batch: packed(batch, now), done })
    yield* Deferred.await(done)
  })
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const chain = yield* makeChain

  const lastPart = (run: RunName) =>
    Effect.map(partRows(sql`SELECT max(part) AS part FROM use_batches WHERE run = ${run}`), ([row]) => row?.part ?? 0)

  /** Adds one batch to the chain. */
  const add = Effect.fnUntraced(function*(head: Head, batch: PackedBatch) {
    const { columns, isEmpty, isLast, profile, run } = batch
    const before = yield* lastPart(run)
    const part = batch.part ?? before + 1
    const others = head.open.filter((other) => other.run !== run)
    // Another daemon has already recorded the gap or the last report.
    if (batch.part === undefined && before > 0 && others.length === head.open.length) return head
    const open = isLast ? others : [...others, { run, profile }]
    if (part <= before || isEmpty) return { ...head, open }
    const added = yield* chain.append(head, { run, part, profile, ...columns })
    return { ...added.head, open }
  })

  const write = (batches: ReadonlyArray<PackedBatch>) =>
    manifest.transact(Effect.gen(function*() {
      const before = yield* chain.head
      let head: Head = before
      for (const batch of batches) head = yield* add(head, batch)
      if (JSON.stringify(head) !== JSON.stringify(before)) yield* chain.writeHead(head)
    }))

  /** Records a batch, durably. A part that is already recorded changes nothing. */
  const record = yield* makeBatchWriter(write)

  /** Reads batches that may have matching entries, newest first. */
  const batchesBefore = (before: number, { after, profile, run, since, until }: RequestQuery) =>
    chain.search({
      before,
      since,
      limit: batchesPerRead,
      equal: { run, profile },
      conditions: [
        ...(after === undefined ? [] : [sql`seq > ${after}`]),
        ...(until === undefined ? [] : [sql`began <= ${DateTime.formatIso(until)}`])
      ]
    })

  /** Searches more batches, until enough entries are found or decoded. */
  const searchIn = Effect.fnUntraced(
    function*(before: Search, batches: ReadonlyArray<StoredBatch>, query: RequestQuery) {
      let search = before
      for (const batch of batches) {
        if (search.decoded > maxDecoded) return { ...search, older: batch.seq }
        search = yield* Effect.try({ try: () => withBatch(search, batch, query), catch: () => chain.altered })
        if (search.entries.length === query.limit) return search
        yield* Effect.yieldNow
      }
      return search
    }
  )

  /** Searches for the newest matching entries, in as many batches as can be decoded in a short time. */
  const list = Effect.fn("RequestLog.list")(function*(query: RequestQuery) {
    yield* manifest.unchanged
    let search: Search = { entries: [], older: undefined, decoded: 0 }
    let before: number | undefined = (query.upTo ?? Number.MAX_SAFE_INTEGER - 1) + 1
    while (before !== undefined && search.older === undefined && search.entries.length < query.limit) {
      const batches: ReadonlyArray<StoredBatch> = yield* batchesBefore(before, query)
      search = yield* searchIn(search, batches, query)
      before = batches.length < batchesPerRead ? undefined : batches.at(-1)!.seq
    }
    return { entries: search.entries, older: search.older } satisfies RequestMatches
  })

  /** Verifies the whole chain and its ends. */
  const verify = Effect.map(chain.walk, ({ brokenAt, rows }) => ({
    batches: rows,
    problem: brokenAt === undefined ? undefined : chain.broken(brokenAt)
  }))

  const verifiedOpen = Effect.andThen(manifest.verified("rows"), Effect.map(chain.head, ({ open }) => open))

  return {
    record,

    /** Records that a run has used a credential, so that its last report counts as missing until it arrives. */
    enter: (run: RunName, profile: ProfileHandle) => record({ run, profile, report: nothingYet }),

    /** Records, as soon as the store can be written, that requests of a run may be missing. */
    recordGap: (run: RunName, profile: ProfileHandle) =>
      record({ run, profile, report: undefined }).pipe(Effect.retry(gapRetry), Effect.ignore),

    list,

    /** The sequence number of the newest batch, or 0. */
    newest: chain.newest,

    /** Lists the runs whose last report is missing. */
    // The head is read first: for an empty log, a starting daemon must neither open nor create the vault.
    open: Effect.flatMap(chain.head, ({ open }) => open.length === 0 ? Effect.succeed(open) : verifiedOpen),

    verify,

    /** Deletes batches that ended before this time. */
    prune: chain.prune
  }
})

export class RequestLog extends Context.Service<RequestLog, Effect.Success<typeof make>>()("credsvc/audit/RequestLog") {
  static readonly layerNoDeps = Layer.effect(RequestLog, make)
}

/** Verifies the audit log, and then the request log. */
export const verifyLogs = (
  audit: AuditLog["Service"],
  requests: RequestLog["Service"]
): Effect.Effect<AuditVerification, VaultUnavailableError> =>
  Effect.gen(function*() {
    const verified = yield* audit.verify
    if (!verified.ok) return { ...verified, requestBatches: 0 }
    const { batches, problem } = yield* requests.verify
    return problem === undefined
      ? { ...verified, requestBatches: batches }
      : { ...verified, requestBatches: batches, ok: false, problem: `The request log was altered: ${problem}.` }
  })
