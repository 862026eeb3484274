/** `credsvc log`: shows the audit log. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Paths } from "../../config/Paths.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import type { AuditStatus } from "../../domain/wire/AuditEntry.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { ClientLog } from "../home/ClientLog.ts"
import { showLines } from "../output/LastLines.ts"
import { Output } from "../output/Output.ts"
import type { Style } from "../output/Text.ts"
import { given } from "../parse/Given.ts"
import type { LogInput } from "../tree/CommandInputs.ts"
import { providerName } from "./provider/ProviderArgument.ts"

const styles: Readonly<Record<AuditStatus, Style>> = { ok: "green", denied: "yellow", failed: "red" }

const entries = Effect.fnUntraced(function*(input: LogInput) {
  const output = yield* Output
  const { entries } = yield* call("audit.list", {
    limit: String(input.lines),
    ...given({
      provider: yield* Effect.transposeOption(Option.map(input.provider, providerName)),
      event: input.event,
      since: Option.map(input.since, DateTime.formatIso)
    })
  })
  const hasRequests = entries.some(({ request }) => request !== undefined)
  yield* output.either(
    () => entries,
    () =>
      output.table(entries, {
        TIME: ({ timestamp }) => input.utc ? timestamp : output.time(timestamp),
        EVENT: ({ event }) => event,
        PROVIDER: ({ provider }) => provider ?? "-",
        CONNECTION: ({ connection }) => connection ?? "-",
        IDENTITY: ({ identity }) => identity,
        STATUS: ({ status }) => ({ text: status, style: styles[status] }),
        ...(hasRequests ? { REQUEST: ({ request }) => request ?? "-" } : {})
      })
  )
}, provideDaemon())

const raw = Effect.fnUntraced(function*(count: number) {
  const { file } = yield* ClientLog
  const { clientLog } = yield* Paths
  yield* showLines(file ?? clientLog, count)
})

export const log = Effect.fnUntraced(function*(input: LogInput) {
  if (!input.raw) return yield* entries(input)
  const { event, provider, since, utc } = input
  const filters = { provider: Option.isSome(provider), event: Option.isSome(event), since: Option.isSome(since), utc }
  const other = Object.entries(filters).find(([, isGiven]) => isGiven)?.[0]
  if (other !== undefined) return yield* InvalidRequestError.at(`--${other}`, "cannot be combined with --raw")
  yield* raw(input.lines)
})
