import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AuditGroup } from "../../api/AuditGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { stepUpCommand } from "../../domain/text/StepUp.ts"
import { RequestEntry } from "../../domain/wire/RequestEntry.ts"
import type { RunName } from "../../domain/wire/Run.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { cefLine, jsonLine, ocsfLine } from "../output/EventFormats.ts"
import { Output } from "../output/Output.ts"
import type { Style } from "../output/Text.ts"

interface RequestsInput {
  readonly lines: number
  readonly provider: Option.Option<string>
  readonly run: Option.Option<RunName>
  readonly status: Option.Option<number>
  readonly host: Option.Option<string>
  readonly failed: boolean
  readonly since: Option.Option<DateTime.Utc>
  readonly until: Option.Option<DateTime.Utc>
  readonly follow: boolean
  readonly format: Option.Option<"jsonl" | "cef" | "ocsf">
  readonly utc: boolean
}

/** The formats of `--format`, each with one line per entry. */
const formats = { jsonl: jsonLine, cef: cefLine, ocsf: ocsfLine }

const remedy = ({ connection, missingScopes, provider }: RequestEntry): string =>
  missingScopes === undefined ? "" : ` (lacks scopes: ${stepUpCommand(provider ?? "", connection, missingScopes)})`

const failedColor = ({ error, status }: RequestEntry): Style | undefined =>
  error !== null ? "red" : status >= 400 || status === 0 ? "yellow" : undefined

const sizeOf = (bytes: number): string =>
  bytes < 10_000 ? String(bytes) : bytes < 10_000_000 ? `${Math.round(bytes / 1000)}k` : `${Math.round(bytes / 1e6)}M`

const followInterval = "1 second"

/** Shows the request log, and with --follow also later requests. */
export const requests = Effect.fnUntraced(function*(input: RequestsInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  if (
    Option.isSome(input.since) && Option.isSome(input.until) &&
    DateTime.isGreaterThan(input.since.value, input.until.value)
  ) {
    return yield* InvalidRequestError.at("--until", "must not be before --since")
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
          { text: `${entry.method} ${entry.host}${entry.path}${remedy(entry)}` }
        ])
    ])
  const columns = ["TIME", "RUN", "CONNECTION", "STATUS", "IN", "OUT", "REQUEST"]
  const lines = (entries: ReadonlyArray<RequestEntry>) =>
    entries.length === 0 ? Effect.void : output.data(entries.map(formats[format ?? "jsonl"]).join("\n"))
  const first = yield* read(input.lines)
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
