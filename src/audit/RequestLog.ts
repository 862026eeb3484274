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
import { VaultUnavailableError } from "../domain/Errors.ts"
import type { AuditVerification } from "../domain/wire/AuditEntry.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import type { RequestEntry } from "../domain/wire/RequestEntry.ts"
import { misplacedIn, missingScopesIn, type ReportedRequest, type RequestReport } from "../domain/wire/RequestReport.ts"
import { RunName } from "../domain/wire/Run.ts"
import { builtins } from "../platform/builtins.ts"
import { sha256 } from "../platform/Digest.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import type { AuditLog } from "./AuditLog.ts"
import { chained, genesis, headFields, makeKeyedChain } from "./KeyedChain.ts"

/** A report and the run that sent it. A batch without a report is a gap of unknown size. */
export interface RequestBatch {
  readonly run: RunName
  readonly profile: ProfileHandle
  readonly report: RequestReport | undefined
}

export interface RequestQuery {
  readonly limit: number
  readonly run?: RunName | undefined
  readonly profile?: ProfileHandle | undefined
  readonly provider?: string | undefined
  readonly host?: string | undefined
  readonly status?: number | undefined
  /** Selects only requests that were refused or had a status of 400 or higher. */
  readonly failed?: boolean | undefined
  readonly since?: DateTime.Utc | undefined
  readonly until?: DateTime.Utc | undefined
  /** Selects only entries of batches after this one. */
  readonly after?: number | undefined
  /** Excludes entries of batches after this one. */
  readonly upTo?: number | undefined
}

export interface RequestMatches {
  /** The entries in chronological order. */
  readonly entries: ReadonlyArray<RequestEntry>
  /** The newest batch that was not searched, or undefined if the search is complete or has found `limit` entries. */
  readonly older: number | undefined
}

interface Content {
  readonly missing: number | null
  readonly entries: ReadonlyArray<ReportedRequest>
}

interface Waiting {
  readonly batch: RequestBatch
  readonly done: Deferred.Deferred<void, VaultUnavailableError>
}

/** The shortest time between two transactions. */
const interval = "100 millis"
const batchesPerRead = 64
/** The maximum number of requests that one search decodes. */
const maxDecoded = 20_000
const maxContentBytes = 4 * 1024 * 1024

const gapRetry = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 minute")])

const StoredBatch = Schema.Struct({
  ...chained,
  run: Schema.String,
  part: Schema.Int,
  profile: Schema.String,
  began: Schema.String,
  ended: Schema.String,
  entries: Schema.Int,
  content: Schema.Uint8Array
})
type StoredBatch = typeof StoredBatch.Type

/** The head of the chain. `open` contains the runs whose last report is missing. */
const Head = Schema.Struct({
  ...headFields,
  open: Schema.Array(Schema.Struct({ run: RunName, profile: ProfileHandle }))
})
type Head = typeof Head.Type

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
  empty: { seq: 0, hash: genesis, open: [] } as Head,
  headKey: "use_log_head",
  log: "request log",
  unit: "batch",
  tail: 1,
  time: "ended",
  kept: 0,
  retentionDays: ({ requestLog }) => requestLog.retentionDays
})

const parts = rowsOf(Schema.Struct({ part: Schema.NullOr(Schema.Int) }))

/** The report that precedes the first report of a run. */
const nothingYet: RequestReport = { part: 0, missing: 0, entries: [], last: false }

const pack = (content: Content): Uint8Array => builtins.zlib.deflateRawSync(JSON.stringify(content), { level: 1 })

const unpack = (content: Uint8Array): Content =>
  JSON.parse(builtins.zlib.inflateRawSync(content, { maxOutputLength: maxContentBytes }).toString("utf8"))

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const entryOf = (request: ReportedRequest, common: Pick<RequestEntry, "batch" | "identity" | "run">): RequestEntry => {
  const [time, method, host, path, status, bytesIn, bytesOut, provider, connection, rule, error, , , tokens] = request
  const missingScopes = missingScopesIn(request)
  return {
    ...common,
    kind: typeof request[11] === "string" ? "placeholder" : "request",
    timestamp: DateTime.makeUnsafe(time),
    provider,
    connection,
    method,
    host,
    path,
    status,
    bytesIn,
    bytesOut,
    rule,
    error,
    missing: null,
    ...(missingScopes === undefined ? {} : { missingScopes }),
    ...(tokens === undefined ? {} : { tokens }),
    misplaced: misplacedIn(request) ?? null
  }
}

const isInPeriod = ({ since, until }: RequestQuery, time: number): boolean =>
  (since === undefined || time >= since.epochMilliseconds) && (until === undefined || time <= until.epochMilliseconds)

/** Whether a request matches the query. Checked before `entryOf`, because a search reads many requests and returns few. */
const isWanted = (query: RequestQuery) => (request: ReportedRequest): boolean => {
  const [time, , host, , status, , , provider, , , error, misplaced] = request
  return isInPeriod(query, time) &&
    (query.provider === undefined || provider === query.provider) &&
    (query.host === undefined || host === query.host) &&
    (query.failed !== true || typeof misplaced === "string" || error !== null || status >= 400) &&
    (query.status === undefined || status === query.status)
}

/** Returns the matching entries of a batch, and how many entries it has. A gap precedes the requests of its report. */
const entriesOf = (batch: StoredBatch, query: RequestQuery) => {
  const { entries, missing } = unpack(batch.content)
  const common = { batch: batch.seq, run: RunName.make(batch.run), identity: batch.profile }
  const requests = entries.filter(isWanted(query)).map((request) => entryOf(request, common))
  const { host, provider, status } = query
  const began = DateTime.makeUnsafe(batch.began)
  if (missing === 0 || !isInPeriod(query, began.epochMilliseconds) || (host ?? provider ?? status) !== undefined) {
    return { count: entries.length, wanted: requests }
  }
  const gap: RequestEntry = {
    ...common,
    kind: "gap",
    timestamp: began,
    provider: null,
    connection: null,
    method: "",
    host: "",
    path: "",
    status: 0,
    bytesIn: 0,
    bytesOut: 0,
    rule: null,
    error: null,
    missing,
    misplaced: null
  }
  return { count: entries.length, wanted: [gap, ...requests] }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const chain = yield* makeChain
  const waiting = yield* Queue.unbounded<Waiting>()

  const lastPart = (run: RunName) =>
    Effect.map(parts(sql`SELECT max(part) AS part FROM use_batches WHERE run = ${run}`), ([row]) => row?.part ?? 0)

  /** Adds one batch to the chain. */
  const add = Effect.fnUntraced(function*(head: Head, { profile, report, run }: RequestBatch, now: number) {
    const before = yield* lastPart(run)
    const part = report?.part ?? before + 1
    const others = head.open.filter((other) => other.run !== run)
    // Another daemon has already recorded the gap or the last report.
    if (report === undefined && before > 0 && others.length === head.open.length) return head
    const open = report === undefined || report.last ? others : [...others, { run, profile }]
    const isEmpty = report !== undefined && report.entries.length === 0 && report.missing === 0
    if (part <= before || isEmpty) return { ...head, open }
    const entries = report?.entries ?? []
    const times = entries.map(([time]) => time)
    const added = yield* chain.append(head, {
      run,
      part,
      profile,
      began: iso(Math.min(now, ...times)),
      // A batch with a time in the future would prevent the deletion of the batches after it.
      ended: iso(times.length === 0 ? now : Math.min(now, Math.max(...times))),
      entries: entries.length,
      content: pack({ missing: report === undefined ? null : report.missing, entries })
    })
    return { ...added.head, open }
  })

  const write = (batches: ReadonlyArray<RequestBatch>) =>
    manifest.transact(Effect.gen(function*() {
      const now = (yield* DateTime.now).epochMilliseconds
      const before = yield* chain.head
      let head: Head = before
      for (const batch of batches) head = yield* add(head, batch, now)
      if (JSON.stringify(head) !== JSON.stringify(before)) yield* chain.writeHead(head)
    }))

  const writer = Effect.gen(function*() {
    const taken = yield* Queue.takeAll(waiting)
    const exit = yield* Effect.exit(write(taken.map(({ batch }) => batch)))
    for (const { done } of taken) yield* Deferred.done(done, exit)
    yield* Effect.sleep(interval)
  })
  yield* Effect.forkScoped(Effect.forever(writer))

  /** Records a batch, durably. A part that is already recorded changes nothing. */
  const record = Effect.fnUntraced(function*(batch: RequestBatch) {
    const done = yield* Deferred.make<void, VaultUnavailableError>()
    yield* Queue.offer(waiting, { batch, done })
    yield* Deferred.await(done)
  })

  /** Searches for the newest matching entries, in as many batches as can be decoded in a short time. */
  const list = Effect.fn("RequestLog.list")(function*(query: RequestQuery) {
    yield* manifest.unchanged
    const found: Array<ReadonlyArray<RequestEntry>> = []
    const matches = (older?: number): RequestMatches => ({ entries: found.toReversed().flat(), older })
    let missing = query.limit
    let decoded = 0
    let before = (query.upTo ?? Number.MAX_SAFE_INTEGER - 1) + 1
    for (;;) {
      const batches = yield* chain.search({
        before,
        since: query.since,
        limit: batchesPerRead,
        conditions: [
          ...(query.after === undefined ? [] : [sql`seq > ${query.after}`]),
          ...(query.run === undefined ? [] : [sql`run = ${query.run}`]),
          ...(query.profile === undefined ? [] : [sql`profile = ${query.profile}`]),
          ...(query.until === undefined ? [] : [sql`began <= ${DateTime.formatIso(query.until)}`])
        ]
      })
      for (const batch of batches) {
        if (decoded > maxDecoded) return matches(batch.seq)
        const { count, wanted } = yield* Effect.try({
          try: () => entriesOf(batch, query),
          catch: () =>
            VaultUnavailableError.of("The request log was altered. Find the first bad batch with: credsvc log verify")
        })
        decoded += count
        const matching = wanted.slice(-missing)
        found.push(matching)
        missing -= matching.length
        if (missing === 0) return matches()
        yield* Effect.yieldNow
      }
      if (batches.length < batchesPerRead) return matches()
      before = batches.at(-1)!.seq
    }
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
    newest: Effect.andThen(manifest.unchanged, Effect.map(chain.head, ({ seq }) => seq)),

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
