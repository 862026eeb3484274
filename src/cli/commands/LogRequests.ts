/** `credsvc log requests`: shows the request log. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ResponseOf, ValuesOf } from "../../api/Operations.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { stepUpCommand } from "../../domain/text/StepUp.ts"
import { hostAndPath, outcomeOf } from "../../domain/wire/RequestEntry.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { type Cell, type Style, toJson } from "../output/Text.ts"
import { given } from "../parse/Given.ts"
import type { RequestsInput } from "../tree/CommandInputs.ts"
import { providerName } from "./provider/ProviderArgument.ts"

type Entry = ResponseOf<"audit.requests">["entries"][number]

const remedy = ({ connection, missing_scopes: scopes, provider }: Entry): string =>
  scopes === undefined ? "" : ` (lacks scopes: ${stepUpCommand(provider ?? "", connection, scopes)})`

const tokensOf = ({ tokens }: Entry): string => tokens === undefined ? "" : ` (${tokens} tokens)`

const failedColor = ({ error, status }: Entry): Style | undefined =>
  error !== null ? "red" : status >= 400 || status === 0 ? "yellow" : undefined

const sizeOf = (bytes: number): string =>
  bytes < 10_000 ? String(bytes) : bytes < 10_000_000 ? `${Math.round(bytes / 1000)}k` : `${Math.round(bytes / 1e6)}M`

const missingRequests = (count: number | null): string =>
  count === null ? "requests of the last 250 ms may be missing" : `${count} requests are missing`

/** A cell of a request, or `-` for a gap in the log. */
const ofRequest = (cell: (entry: Entry) => Cell) => (entry: Entry): Cell => entry.kind === "gap" ? "-" : cell(entry)

const columns: Readonly<Record<string, (entry: Entry) => Cell>> = {
  RUN: ({ run }) => run,
  CONNECTION: ofRequest(({ connection, provider }) =>
    connection === null ? provider ?? "-" : `${provider}=${connection}`
  ),
  STATUS: ofRequest((entry) => ({ text: outcomeOf(entry), style: failedColor(entry) })),
  IN: ofRequest(({ bytes_in }) => sizeOf(bytes_in)),
  OUT: ofRequest(({ bytes_out }) => sizeOf(bytes_out)),
  REQUEST: (entry) =>
    entry.kind === "gap"
      ? { text: missingRequests(entry.missing), style: "yellow" }
      : `${entry.method} ${hostAndPath(entry)}${tokensOf(entry)}${remedy(entry)}`
}

/** A line of JSON for each entry. A caller with its own client can report a path with control characters. */
export const linesOf = (entries: ReadonlyArray<Entry>): string => entries.map((entry) => toJson(entry, 0)).join("\n")

/** Repeats a query until it has enough entries, because the daemon searches only a part of the log per query. */
const read = Effect.fnUntraced(function*(query: ValuesOf<"audit.requests">, limit: number) {
  const parts: Array<ReadonlyArray<Entry>> = []
  let missing = limit
  let newest: number | undefined
  let until: number | null | undefined
  while (until !== null && missing > 0) {
    const further = until === undefined ? {} : { until_batch: String(until) }
    const part = yield* call("audit.requests", { ...query, limit: String(missing), ...further })
    newest ??= part.newest
    until = part.older
    missing -= part.entries.length
    parts.push(part.entries)
  }
  return { entries: parts.toReversed().flat(), newest: newest ?? 0 }
})

/** Shows the request log. With `--follow`, shows later requests as they arrive. */
export const requests = Effect.fnUntraced(function*(input: RequestsInput) {
  const output = yield* Output
  const { failed, host, run, since, status, until } = input
  if (Option.isSome(since) && Option.isSome(until) && DateTime.isGreaterThan(since.value, until.value)) {
    return yield* InvalidRequestError.at("--until", "must not be before --since")
  }
  const provider = yield* Effect.transposeOption(Option.map(input.provider, providerName))
  const filters = {
    ...given({
      run,
      provider,
      status: Option.map(status, String),
      host,
      since: Option.map(since, DateTime.formatIso),
      until: Option.map(until, DateTime.formatIso)
    }),
    ...(failed ? { failed: "true" as const } : {})
  }
  const tableOf = (entries: ReadonlyArray<Entry>) =>
    output.table(entries, {
      TIME: ({ timestamp }) => input.utc ? timestamp : output.time(timestamp),
      ...columns
    })
  const asLines = Option.isSome(input.format) || (input.follow && output.json)
  const first = yield* read(filters, input.lines)
  if (asLines) {
    if (first.entries.length > 0) yield* output.data(linesOf(first.entries))
  } else if (!output.json && first.entries.length === 0) {
    yield* output.note("No requests found.")
  } else {
    yield* output.either(() => first.entries, () => tableOf(first.entries))
  }
  let { newest } = first
  while (input.follow) {
    yield* Effect.sleep("1 second")
    const next = yield* read({ ...filters, after: String(newest) }, 99_999)
    newest = next.newest
    if (next.entries.length > 0) {
      const [, ...rows] = tableOf(next.entries).split("\n")
      yield* output.data(asLines ? linesOf(next.entries) : rows.join("\n"))
    }
  }
}, provideDaemon())
