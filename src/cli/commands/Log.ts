import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AuditGroup } from "../../api/AuditGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { Paths } from "../../config/Paths.ts"
import { AuditEntry, type AuditEvent, type AuditStatus, AuditVerification } from "../../domain/AuditEntry.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { plural } from "../../domain/Plural.ts"
import { ClientLog } from "../ClientLog.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { lastLines } from "../output/LastLines.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import { sanitizeLine } from "../output/Sanitize.ts"
import { type Style } from "../output/Text.ts"

const styles: Readonly<Record<AuditStatus, Style>> = { ok: "green", denied: "yellow", failed: "red" }

interface EntriesInput {
  readonly lines: number
  readonly provider: Option.Option<string>
  readonly event: Option.Option<AuditEvent>
  readonly since: Option.Option<DateTime.Utc>
  readonly utc: boolean
}

const entries = Effect.fnUntraced(function*(input: EntriesInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  const now = yield* DateTime.now
  const response = yield* client.of(AuditGroup).list({
    query: {
      limit: String(input.lines),
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
          { text: input.utc ? DateTime.formatIso(entry.timestamp) : output.time(entry.timestamp, now) },
          { text: entry.event },
          { text: entry.provider ?? "-" },
          { text: entry.connection ?? "-" },
          { text: entry.identity },
          { text: entry.status, style: styles[entry.status] }
        ])
      )
  )
}, provideDaemon())

const verify = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.of(AuditGroup).verify()
  yield* output.either(
    () => Schema.encodeSync(AuditVerification)(response),
    () =>
      response.problem ??
        `The chain of ${plural(response.entries, "entry", "entries")} is intact.` +
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

export const log = Effect.fnUntraced(function*(
  input: EntriesInput & { readonly raw: boolean; readonly verify: boolean }
) {
  const mode = input.raw ? "--raw" : input.verify ? "--verify" : undefined
  const others = [
    ["--verify", input.raw && input.verify],
    ["--provider", Option.isSome(input.provider)],
    ["--event", Option.isSome(input.event)],
    ["--since", Option.isSome(input.since)],
    ["--utc", input.utc]
  ] as const
  const conflict = others.find(([, given]) => given)
  if (mode !== undefined && conflict !== undefined) {
    return yield* InvalidRequestError.of([{ path: conflict[0], message: `cannot be combined with ${mode}` }])
  }
  yield* input.raw ? raw(input.lines) : input.verify ? verify() : entries(input)
})
