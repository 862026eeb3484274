import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AuditGroup } from "../../api/AuditGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { Paths } from "../../config/Paths.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { plural } from "../../domain/text/Plural.ts"
import { AuditEntry, type AuditEvent, type AuditStatus, AuditVerification } from "../../domain/wire/AuditEntry.ts"
import { RequestEntry } from "../../domain/wire/RequestEntry.ts"
import type { RunName } from "../../domain/wire/Run.ts"
import { ClientLog } from "../ClientLog.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { cefLine, jsonLine, ocsfLine } from "../output/EventFormats.ts"
import { lastLines } from "../output/LastLines.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import { sanitizeLine } from "../output/Sanitize.ts"
import { type Style } from "../output/Text.ts"

const styles: Readonly<Record<AuditStatus, Style>> = { ok: "green", denied: "yellow", failed: "red" }

interface LogInput extends EntriesInput {
  readonly requests: boolean
  readonly run: Option.Option<RunName>
  readonly status: Option.Option<number>
  readonly host: Option.Option<string>
  readonly failed: boolean
  readonly until: Option.Option<DateTime.Utc>
  readonly follow: boolean
  readonly format: Option.Option<"jsonl" | "cef" | "ocsf">
  readonly raw: boolean
  readonly verify: boolean
}

interface EntriesInput {
  readonly lines: Option.Option<number>
  readonly provider: Option.Option<string>
  readonly event: Option.Option<AuditEvent>
  readonly since: Option.Option<DateTime.Utc>
  readonly utc: boolean
}

const countOf = ({ lines }: Pick<EntriesInput, "lines">): number => Option.getOrElse(lines, () => 50)

const entries = Effect.fnUntraced(function*(input: EntriesInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.of(AuditGroup).list({
    query: {
      limit: String(countOf(input)),
      ...(Option.isSome(input.provider) ? { provider: yield* providerName(input.provider.value) } : {}),
      ...(Option.isSome(input.event) ? { event: input.event.value } : {}),
      ...(Option.isSome(input.since) ? { since: input.since.value } : {})
    }
  })
  yield* output.either(
    () => response.entries.map((entry) => Schema.encodeSync(AuditEntry)(entry)),
    () =>
      output.table(
        ["TIME", "EVENT", "PROVIDER", "CONNECTION", "IDENTITY", "STATUS"],
        response.entries.map((entry) => [
          input.utc ? DateTime.formatIso(entry.timestamp) : output.time(entry.timestamp),
          entry.event,
          entry.provider ?? "-",
          entry.connection ?? "-",
          entry.identity,
          { text: entry.status, style: styles[entry.status] }
        ])
      )
  )
}, provideDaemon())

/** The formats of `log --format`, each with one line per entry. */
const formats = { jsonl: jsonLine, cef: cefLine, ocsf: ocsfLine }

const failedColor = ({ error, status }: RequestEntry): Style | undefined =>
  error !== null ? "red" : status >= 400 || status === 0 ? "yellow" : undefined

const sizeOf = (bytes: number): string =>
  bytes < 10_000 ? String(bytes) : bytes < 10_000_000 ? `${Math.round(bytes / 1000)}k` : `${Math.round(bytes / 1e6)}M`

const followInterval = "1 second"

/** Shows the request log, and with --follow also later requests. */
const requests = Effect.fnUntraced(function*(input: LogInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  if (
    Option.isSome(input.since) && Option.isSome(input.until) &&
    DateTime.isGreaterThan(input.since.value, input.until.value)
  ) {
    return yield* InvalidRequestError.of([{ path: "--until", message: "must not be before --since" }])
  }
  const query = {
    ...(Option.isSome(input.run) ? { run: input.run.value } : {}),
    ...(Option.isSome(input.provider) ? { provider: yield* providerName(input.provider.value) } : {}),
    ...(Option.isSome(input.status) ? { status: String(input.status.value) } : {}),
    ...(Option.isSome(input.host) ? { host: input.host.value } : {}),
    ...(input.failed ? { failed: "true" as const } : {}),
    ...(Option.isSome(input.since) ? { since: input.since.value } : {}),
    ...(Option.isSome(input.until) ? { until: input.until.value } : {})
  }
  const search = (limit: number, after: number | undefined, until: number | undefined) =>
    client.of(AuditGroup).requests({
      query: {
        ...query,
        limit: String(limit),
        ...(after === undefined ? {} : { after: String(after) }),
        ...(until === undefined ? {} : { until_batch: String(until) })
      }
    })
  /** The daemon searches a part of the log for each request. */
  const read = Effect.fnUntraced(function*(limit: number, after?: number) {
    const parts: Array<ReadonlyArray<RequestEntry>> = []
    let missing = limit
    let newest: number | undefined
    let until: number | null | undefined
    while (until !== null && missing > 0) {
      const part = yield* search(missing, after, until)
      newest ??= part.newest
      until = part.older
      missing -= part.entries.length
      parts.push(part.entries)
    }
    return { entries: parts.toReversed().flat(), newest: newest ?? 0 }
  })
  const format = Option.getOrUndefined(input.format)
  const rows = (entries: ReadonlyArray<RequestEntry>) =>
    entries.map((entry) => [
      input.utc ? DateTime.formatIso(entry.timestamp) : output.time(entry.timestamp),
      entry.run,
      ...(entry.kind === "gap"
        ? ["-", "-", "-", "-", {
          text: entry.missing === null
            ? "requests of the last 250 ms may be missing"
            : `${entry.missing} requests are missing`,
          style: "yellow" as const
        }]
        : [
          { text: entry.connection === null ? entry.provider ?? "-" : `${entry.provider}=${entry.connection}` },
          entry.misplaced === null
            ? { text: entry.error ?? String(entry.status), ...styled(failedColor(entry)) }
            : { text: `placeholder in ${entry.misplaced.place}`, style: "yellow" as const },
          sizeOf(entry.bytesIn),
          sizeOf(entry.bytesOut),
          { text: `${entry.method} ${entry.host}${entry.path}` }
        ])
    ])
  const columns = ["TIME", "RUN", "CONNECTION", "STATUS", "IN", "OUT", "REQUEST"]
  const lines = (entries: ReadonlyArray<RequestEntry>) =>
    entries.length === 0 ? Effect.void : output.data(entries.map(formats[format ?? "jsonl"]).join("\n"))
  const first = yield* read(countOf(input))
  if (format !== undefined || (input.follow && output.json)) yield* lines(first.entries)
  else if (input.follow && first.entries.length === 0) yield* output.note("No requests yet.")
  else {
    yield* output.either(
      () => first.entries.map((entry) => Schema.encodeSync(RequestEntry)(entry)),
      () => output.table(columns, rows(first.entries))
    )
  }
  let { newest } = first
  while (input.follow) {
    yield* Effect.sleep(followInterval)
    const next = yield* read(99_999, newest)
    newest = next.newest
    if (format !== undefined || output.json) yield* lines(next.entries)
    else if (next.entries.length > 0) {
      const table = output.table(columns, rows(next.entries))
      yield* output.data(table.split("\n").slice(1).join("\n"))
    }
  }
}, provideDaemon())

const styled = (style: Style | undefined) => style === undefined ? {} : { style }

const verify = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.of(AuditGroup).verify()
  yield* output.either(
    () => Schema.encodeSync(AuditVerification)(response),
    () =>
      response.problem ??
        `The chain of ${plural(response.entries, "entry", "entries")} is intact` +
          (response.first === 1
            ? "."
            : `, from entry ${response.first} on: older ones were deleted because of their age.`) +
          (response.requestBatches === 0
            ? ""
            : ` The chain of ${plural(response.requestBatches, "batch", "batches")} of requests is intact.`) +
          (response.copy === "rewritten" ? " The copy was missing and has been rewritten." : "")
  )
  if (!response.ok) return yield* Effect.fail(new Exited(1))
}, provideDaemon())

const raw = Effect.fnUntraced(function*(count: number) {
  const output = yield* Output
  const { file } = yield* ClientLog
  const { clientLog } = yield* Paths
  const lines = yield* lastLines(file ?? clientLog, count)
  if (output.json) return yield* output.document(lines)
  if (lines.length > 0) yield* output.data(lines.map(sanitizeLine).join("\n"))
})

export const log = Effect.fnUntraced(function*(input: LogInput) {
  const ofRequests = [
    ["--run", Option.isSome(input.run)],
    ["--status", Option.isSome(input.status)],
    ["--host", Option.isSome(input.host)],
    ["--failed", input.failed],
    ["--until", Option.isSome(input.until)],
    ["--follow", input.follow],
    ["--format", Option.isSome(input.format)]
  ] as const
  const mode = input.raw ? "--raw" : input.verify ? "--verify" : undefined
  const others = [
    ["--verify", mode !== "--verify" && input.verify],
    ["-n", mode === "--verify" && Option.isSome(input.lines)],
    ["--provider", Option.isSome(input.provider)],
    ["--event", Option.isSome(input.event)],
    ["--since", Option.isSome(input.since)],
    ["--utc", input.utc],
    ["--requests", input.requests],
    ...ofRequests
  ] as const
  const conflict = others.find(([, given]) => given)
  if (mode !== undefined && conflict !== undefined) {
    return yield* InvalidRequestError.of([{ path: conflict[0], message: `cannot be combined with ${mode}` }])
  }
  const first = input.requests ? "--requests" : ofRequests.find(([, given]) => given)?.[0]
  if (first !== undefined && Option.isSome(input.event)) {
    return yield* InvalidRequestError.of([{ path: "--event", message: `cannot be combined with ${first}` }])
  }
  yield* input.raw
    ? raw(countOf(input))
    : input.verify
    ? verify()
    : first === undefined
    ? entries(input)
    : requests(input)
})
