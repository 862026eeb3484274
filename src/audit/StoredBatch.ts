/** A batch of requests in its stored form, and the search for requests in it. */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { RequestEntry } from "../domain/wire/RequestEntry.ts"
import { type ReadReport, reportedMembers, type ReportedRequest } from "../domain/wire/RequestReport.ts"
import { RunName } from "../domain/wire/Run.ts"
import { builtins } from "../platform/builtins.ts"
import { chained } from "./ChainLinks.ts"

/** Selects requests of batches. A missing member selects all. */
export interface RequestFilter {
  readonly provider?: string | undefined
  readonly host?: string | undefined
  readonly status?: number | undefined
  /** Selects only requests that were refused or had a status of 400 or higher. */
  readonly failed?: boolean | undefined
  readonly since?: DateTime.Utc | undefined
  readonly until?: DateTime.Utc | undefined
}

interface Content {
  readonly missing: number | null
  readonly entries: ReadonlyArray<ReportedRequest>
}

const maxContentBytes = 4 * 1024 * 1024

export const StoredBatch = Schema.Struct({
  ...chained,
  run: Schema.String,
  part: Schema.Int,
  profile: Schema.String,
  began: Schema.String,
  ended: Schema.String,
  entries: Schema.Int,
  content: Schema.Uint8Array
})
export type StoredBatch = typeof StoredBatch.Type

const noRequests = JSON.stringify({ missing: null, entries: [] } satisfies Content)

const unpackContent = (content: Uint8Array): Content =>
  JSON.parse(builtins.zlib.inflateRawSync(content, { maxOutputLength: maxContentBytes }).toString("utf8"))

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** The columns with the requests of a report that arrived at `now`. Without a report, the batch is a gap of unknown size. */
export const columnsOf = (report: ReadReport | undefined, now: number) => {
  const entries = report?.entries ?? []
  const times = entries.map((entry) => entry[0])
  return {
    began: iso(Math.min(now, ...times)),
    // A batch with a time in the future would prevent the deletion of the batches after it.
    ended: iso(times.length === 0 ? now : Math.min(now, Math.max(...times))),
    entries: entries.length,
    // A smaller window than the usual one compresses as well, and needs less memory for each batch.
    content: builtins.zlib.deflateRawSync(report?.bytes ?? noRequests, { level: 1, windowBits: 13, memLevel: 6 })
  }
}

type Members = ReturnType<typeof reportedMembers>

const entryOf = (members: Members, common: Pick<RequestEntry, "batch" | "identity" | "run">): RequestEntry => {
  const { misplaced, missingScopes, request, time, tokens } = members
  return {
    ...common,
    ...request,
    kind: misplaced === undefined ? "request" : "placeholder",
    timestamp: DateTime.makeUnsafe(time),
    missing: null,
    ...(missingScopes === undefined ? {} : { missingScopes }),
    ...(tokens === undefined ? {} : { tokens }),
    misplaced: misplaced ?? null
  }
}

const isInPeriod = ({ since, until }: RequestFilter, time: number): boolean =>
  (since === undefined || time >= since.epochMilliseconds) && (until === undefined || time <= until.epochMilliseconds)

const isAnyOr = <A>(wanted: A | undefined, value: A): boolean => wanted === undefined || value === wanted

const isWanted = (filter: RequestFilter) => ({ misplaced, request, time }: Members): boolean => {
  const { error, host, provider, status } = request
  const hasFailed = misplaced !== undefined || error !== null || status >= 400
  return isInPeriod(filter, time) && (filter.failed !== true || hasFailed) &&
    isAnyOr<string | null>(filter.provider, provider) && isAnyOr(filter.host, host) && isAnyOr(filter.status, status)
}

/** Returns the matching entries of a batch, and how many entries it has. A gap precedes the requests of its report. */
export const entriesOf = (batch: StoredBatch, filter: RequestFilter) => {
  const { entries, missing } = unpackContent(batch.content)
  const common = { batch: batch.seq, run: RunName.make(batch.run), identity: batch.profile }
  const requests = entries.map(reportedMembers).filter(isWanted(filter)).map((members) => entryOf(members, common))
  const { host, provider, status } = filter
  const began = DateTime.makeUnsafe(batch.began)
  if (missing === 0 || !isInPeriod(filter, began.epochMilliseconds) || (host ?? provider ?? status) !== undefined) {
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
