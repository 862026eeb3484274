/**
 * The request log: the requests of runs that had a credential, or were refused at a host of a provider.
 *
 * A proxy reports its requests in batches; each is one row and one link of a chain (`RequestChain.ts`). The two ends of the
 * chain are a row that the store manifest covers. Batches that arrive at the same time share one transaction. Old batches
 * are deleted: the hash of the last deleted one remains as the base of the chain.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { ConfigFile } from "../config/ConfigFile.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { parseMisplaced } from "../domain/MisplacedPlaceholder.ts"
import { ProfileHandle } from "../domain/Profile.ts"
import type { RequestEntry } from "../domain/RequestEntry.ts"
import type { ReportedRequest, RequestReport } from "../domain/RequestReport.ts"
import { RunName } from "../domain/Run.ts"
import { builtins } from "../platform/builtins.ts"
import { DataKeys } from "../vault/DataKeys.ts"
import type { OpenVault } from "../vault/MasterKey.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import * as Chain from "./RequestChain.ts"

/** A report with the run that sent it. A batch without a report is a gap of unknown size. */
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
  /** Only requests that were refused or got a status of 400 or higher. */
  readonly failed?: boolean | undefined
  readonly since?: DateTime.Utc | undefined
  readonly until?: DateTime.Utc | undefined
  /** Only entries of later batches. */
  readonly after?: number | undefined
  /** No entries of later batches. */
  readonly upTo?: number | undefined
}

export interface RequestVerification {
  readonly batches: number
  readonly problem: string | undefined
}

interface Content {
  readonly missing: number | null
  readonly entries: ReadonlyArray<ReportedRequest>
}

interface Waiting {
  readonly batch: RequestBatch
  readonly done: Deferred.Deferred<void, VaultUnavailableError>
}

const { purpose } = Chain
const headKey = "use_log_head"
const genesis = "0".repeat(64)
/** The least time between two transactions. */
const interval = "100 millis"
const batchesPerRead = 64
const maxContentBytes = 4 * 1024 * 1024

const gapRetry = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 minute")])

const pruneInterval = "1 hour"
/** Delays the first deletion, so that it does not slow the start of the daemon. */
const firstPrune = "1 minute"

const Link = Schema.Struct({ seq: Schema.Int, hash: Schema.String })
const OpenRun = Schema.Struct({ run: RunName, profile: ProfileHandle })
/** `base`: the last deleted batch. `open`: runs whose last report is missing. */
const Head = Schema.fromJsonString(Schema.Struct({ ...Link.fields, base: Link, open: Schema.Array(OpenRun) }))
type Head = typeof Head.Type

const decodeHead = Schema.decodeUnknownExit(Head)
const headRows = rowsOf(Schema.Struct({ value: Schema.String }))
const counts = rowsOf(Schema.Struct({ count: Schema.Int }))
const parts = rowsOf(Schema.Struct({ part: Schema.NullOr(Schema.Int) }))
const links = rowsOf(Schema.Struct({ seq: Schema.NullOr(Schema.Int) }))

/** Precedes the first report of a run. */
const nothingYet: RequestReport = { part: 0, missing: 0, entries: [], last: false }

const beginning: Head = { seq: 0, hash: genesis, base: { seq: 0, hash: genesis }, open: [] }

const broken = (seq: number): string => `batch ${seq} of the request log is missing, was altered, or was added`

const pack = (content: Content): Uint8Array => builtins.zlib.deflateRawSync(JSON.stringify(content), { level: 1 })

const unpack = (content: Uint8Array): Content =>
  JSON.parse(builtins.zlib.inflateRawSync(content, { maxOutputLength: maxContentBytes }).toString("utf8"))

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** The entries of a batch, oldest first. A gap is before the requests that were reported with it. */
const entriesOf = (batch: Chain.StoredBatch): ReadonlyArray<RequestEntry> => {
  const { entries, missing } = unpack(batch.content)
  const common = { batch: batch.seq, run: RunName.make(batch.run), identity: batch.profile }
  const gap: RequestEntry = {
    ...common,
    kind: "gap",
    timestamp: DateTime.makeUnsafe(batch.began),
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
  const { identity, run } = common
  const requests = entries.map((
    [time, method, host, path, status, bytesIn, bytesOut, provider, connection, rule, error, misplaced]
  ): RequestEntry => ({
    batch: batch.seq,
    run,
    identity,
    kind: misplaced === undefined ? "request" : "placeholder",
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
    misplaced: misplaced === undefined ? null : parseMisplaced(misplaced) ?? null
  }))
  return missing === 0 ? requests : [gap, ...requests]
}

const isWanted = (query: RequestQuery) => (entry: RequestEntry): boolean => {
  const { failed, host, provider, since, status, until } = query
  const at = entry.timestamp.epochMilliseconds
  if (since !== undefined && at < since.epochMilliseconds) return false
  if (until !== undefined && at > until.epochMilliseconds) return false
  if (entry.kind === "gap") return provider === undefined && host === undefined && status === undefined
  if (provider !== undefined && entry.provider !== provider) return false
  if (host !== undefined && entry.host !== host) return false
  if (failed === true && entry.kind === "request" && entry.error === null && entry.status < 400) return false
  return status === undefined || entry.status === status
}

export class RequestLog extends Context.Service<RequestLog, {
  /** Records a batch, durably when this returns. A part that is already recorded changes nothing. */
  readonly record: (batch: RequestBatch) => Effect.Effect<void, VaultUnavailableError>

  /** The newest matching entries, in chronological order. */
  readonly list: (query: RequestQuery) => Effect.Effect<ReadonlyArray<RequestEntry>, VaultUnavailableError>

  /** Records that a run has used a credential, so that its last report is missing until it arrives. */
  readonly enter: (run: RunName, profile: ProfileHandle) => Effect.Effect<void, VaultUnavailableError>

  /** Records that requests of a run may be missing, as soon as the store can be written. */
  readonly recordGap: (run: RunName, profile: ProfileHandle) => Effect.Effect<void>

  /** The number of the newest batch, or 0. */
  readonly newest: Effect.Effect<number, VaultUnavailableError>

  /** The runs whose last report is missing. */
  readonly open: Effect.Effect<ReadonlyArray<Pick<RequestBatch, "run" | "profile">>, VaultUnavailableError>

  /** Verifies the chain and its ends, of all batches or only of the newest ones. */
  readonly verify: (newest?: number) => Effect.Effect<RequestVerification, VaultUnavailableError>

  /** Deletes the batches that ended before this time. */
  readonly prune: (before: DateTime.Utc) => Effect.Effect<void, VaultUnavailableError>
}>()("credsvc/audit/RequestLog") {
  static readonly layerNoDeps = Layer.effect(
    RequestLog,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const manifest = yield* StoreManifest
      const keys = yield* DataKeys
      const config = yield* ConfigFile
      const waiting = yield* Queue.unbounded<Waiting>()

      const readHead = Effect.gen(function*() {
        const [row] = yield* headRows(sql`SELECT value FROM meta WHERE key = ${headKey}`)
        if (row === undefined) return beginning
        const head = decodeHead(row.value)
        return Exit.isSuccess(head)
          ? head.value
          : yield* VaultUnavailableError.of(
            "The head of the request log is damaged. Restore the store from a backup."
          )
      })

      const writeHead = (before: Head, head: Head) => {
        const value = JSON.stringify(head)
        return before === beginning
          ? sql`INSERT INTO meta ${sql.insert({ key: headKey, value })}`
          : sql`UPDATE meta SET value = ${value} WHERE key = ${headKey}`
      }

      const lastPart = (run: RunName) =>
        Effect.map(parts(sql`SELECT max(part) AS part FROM use_batches WHERE run = ${run}`), ([row]) => row?.part ?? 0)

      /** Adds one batch to the chain, in a transaction of the caller. */
      const add = Effect.fnUntraced(function*(head: Head, { profile, report, run }: RequestBatch, now: number) {
        const before = yield* lastPart(run)
        const part = report?.part ?? before + 1
        const others = head.open.filter((other) => other.run !== run)
        // Another daemon has recorded the gap or the last report.
        if (report === undefined && before > 0 && others.length === head.open.length) return head
        const open = report === undefined || report.last ? others : [...others, { run, profile }]
        const isEmpty = report !== undefined && report.entries.length === 0 && report.missing === 0
        if (part <= before || isEmpty) return { ...head, open }
        const key = yield* keys.storeKey(purpose)
        const entries = report?.entries ?? []
        const times = entries.map(([time]) => time)
        const batch: Chain.ChainBatch = {
          seq: head.seq + 1,
          run,
          part,
          profile,
          began: iso(Math.min(now, ...times)),
          // A batch from the future would keep those after it from being deleted.
          ended: iso(times.length === 0 ? now : Math.min(now, Math.max(...times))),
          entries: entries.length,
          content: pack({ missing: report === undefined ? null : report.missing, entries }),
          prev_hash: head.hash
        }
        const mac = Chain.macOf(key, batch)
        const hash = Chain.hashOf(batch, mac)
        // Earlier versions signed each batch.
        yield* sql`INSERT INTO use_batches ${sql.insert({ ...batch, mac, signature: "" })}`
        return { ...head, seq: batch.seq, hash, open }
      })

      const write = (batches: ReadonlyArray<RequestBatch>) =>
        manifest.protect(Effect.gen(function*() {
          const now = (yield* DateTime.now).epochMilliseconds
          const before = yield* readHead
          let head: Head = before
          for (const batch of batches) head = yield* add(head, batch, now)
          if (JSON.stringify(head) !== JSON.stringify(before)) yield* writeHead(before, head)
        }))

      const writer = Effect.gen(function*() {
        const taken = yield* Queue.takeAll(waiting)
        const exit = yield* Effect.exit(write(taken.map(({ batch }) => batch)))
        for (const { done } of taken) yield* Deferred.done(done, exit)
        yield* Effect.sleep(interval)
      })
      yield* Effect.forkScoped(Effect.forever(writer))

      const record = Effect.fnUntraced(function*(batch: RequestBatch) {
        const done = yield* Deferred.make<void, VaultUnavailableError>()
        yield* Queue.offer(waiting, { batch, done })
        yield* Deferred.await(done)
      })

      const list = Effect.fn("RequestLog.list")(function*(query: RequestQuery) {
        yield* manifest.unchanged
        const wanted = isWanted(query)
        const found: Array<ReadonlyArray<RequestEntry>> = []
        let missing = query.limit
        let before = (query.upTo ?? Number.MAX_SAFE_INTEGER - 1) + 1
        while (missing > 0) {
          const conditions = [
            sql`seq < ${before}`,
            ...(query.after === undefined ? [] : [sql`seq > ${query.after}`]),
            ...(query.run === undefined ? [] : [sql`run = ${query.run}`]),
            ...(query.profile === undefined ? [] : [sql`profile = ${query.profile}`]),
            ...(query.since === undefined ? [] : [sql`ended >= ${DateTime.formatIso(query.since)}`]),
            ...(query.until === undefined ? [] : [sql`began <= ${DateTime.formatIso(query.until)}`])
          ]
          const batches = yield* Chain.batchesOf(
            sql`SELECT * FROM use_batches WHERE ${sql.and(conditions)} ORDER BY seq DESC LIMIT ${batchesPerRead}`
          )
          for (const batch of batches) {
            const entries = yield* Effect.try({
              try: () => entriesOf(batch),
              catch: () =>
                VaultUnavailableError.of("The request log was altered. Find the place with: credsvc log --verify")
            })
            const matching = entries.filter(wanted).slice(-missing)
            found.push(matching)
            missing -= matching.length
            if (missing === 0) break
          }
          if (batches.length < batchesPerRead) break
          before = batches.at(-1)!.seq
        }
        return found.toReversed().flat()
      })

      /** The link before the newest batches. Its own batch is not verified, but those after it refer to its hash. */
      const linkBefore = Effect.fnUntraced(function*({ base, seq }: Head, newest: number) {
        if (newest >= seq - base.seq) return base
        const rows = yield* Chain.batchesOf(sql`SELECT * FROM use_batches WHERE seq = ${seq - newest + 1}`)
        return rows.length === 0 ? base : { seq: seq - newest, hash: rows[0]!.prev_hash }
      })

      const walk = Effect.fnUntraced(function*(newest: number) {
        const key = yield* keys.storeKey(purpose)
        const head = yield* readHead
        const start = yield* linkBefore(head, newest)
        let { hash, seq } = start
        let batches = 0
        for (;;) {
          // Rows at or before the base, which must not exist, come first.
          const rows: ReadonlyArray<Chain.StoredBatch> = yield* Chain.batchesOf(
            batches === 0 && start === head.base
              ? sql`SELECT * FROM use_batches ORDER BY seq LIMIT ${batchesPerRead}`
              : sql`SELECT * FROM use_batches WHERE seq > ${seq} ORDER BY seq LIMIT ${batchesPerRead}`
          )
          if (rows.length === 0) break
          for (const row of rows) {
            if (!Chain.continues(key, row, seq + 1, hash)) return { batches, problem: broken(seq + 1) }
            seq = row.seq
            hash = Chain.hashOf(row, row.mac)
            batches++
          }
        }
        const isWhole = seq === head.seq && hash === head.hash
        return { batches, problem: isWhole ? undefined : broken(Math.min(seq, head.seq) + 1) }
      })

      /** Verifies the ends, and counts the batches between them. */
      const checkEnds = Effect.fnUntraced(function*(vault: OpenVault, all: boolean) {
        const key = vault.storeKey(purpose)
        // Covered by the manifest, so a failure is one of the database.
        const { base, hash, seq } = yield* readHead
        const [first] = yield* links(sql`SELECT min(seq) AS seq FROM use_batches`)
        const expected = seq - base.seq
        const [count] = all ? yield* counts(sql`SELECT count(*) AS count FROM use_batches`) : [{ count: expected }]
        if (count?.count !== expected || (first?.seq ?? base.seq + 1) !== base.seq + 1) return broken(base.seq + 1)
        const [last] = yield* Chain.batchesOf(sql`SELECT * FROM use_batches ORDER BY seq DESC LIMIT 1`)
        if (last === undefined) return hash === base.hash ? undefined : broken(seq)
        return Chain.continues(key, last, seq, last.prev_hash) && Chain.hashOf(last, last.mac) === hash
          ? undefined
          : broken(seq)
      })
      yield* manifest.addCheck(checkEnds)

      const prune = (before: DateTime.Utc) =>
        manifest.protect(Effect.gen(function*() {
          // A prefix of the chain: everything before the first batch to keep.
          const [kept] = yield* links(
            sql`SELECT min(seq) AS seq FROM use_batches WHERE ended >= ${DateTime.formatIso(before)}`
          )
          const head = yield* readHead
          const until = (kept?.seq ?? head.seq + 1) - 1
          const [last] = yield* Chain.batchesOf(sql`SELECT * FROM use_batches WHERE seq = ${until}`)
          if (last === undefined) return
          const hash = Chain.hashOf(last, last.mac)
          yield* sql`DELETE FROM use_batches WHERE seq <= ${until}`
          yield* writeHead(head, { ...head, base: { seq: until, hash } })
        }))

      const pruneOld = Effect.gen(function*() {
        const { base, seq } = yield* readHead
        if (seq === base.seq) return
        const { requestLog: { retentionDays } } = yield* config.read
        yield* prune(DateTime.subtract(yield* DateTime.now, { days: retentionDays }))
      })
      yield* Effect.forkScoped(
        Effect.andThen(
          Effect.sleep(firstPrune),
          Effect.forever(Effect.andThen(Effect.ignore(pruneOld), Effect.sleep(pruneInterval)))
        )
      )

      const verifiedOpen = Effect.andThen(manifest.ready, Effect.map(readHead, ({ open }) => open))

      return RequestLog.of({
        record,
        enter: (run, profile) => record({ run, profile, report: nothingYet }),
        recordGap: (run, profile) =>
          record({ run, profile, report: undefined }).pipe(Effect.retry(gapRetry), Effect.ignore),
        list,
        newest: Effect.andThen(manifest.unchanged, Effect.map(readHead, ({ seq }) => seq)),
        // Read first: the start of a daemon must not open the vault, or create one, for an empty log.
        open: Effect.flatMap(readHead, ({ open }) => open.length === 0 ? Effect.succeed(open) : verifiedOpen),
        verify: (newest = Infinity) => manifest.verified(walk(newest)),
        prune
      })
    })
  )
}
