/** Checks whether the providers accept the stored credentials. */
import * as Effect from "effect/Effect"
import type { ResponseOf } from "../../../api/Operations.ts"
import { plural } from "../../../domain/text/Plural.ts"
import type { CheckOutcome } from "../../../domain/wire/Connection.ts"
import { call } from "../../api/OperationCall.ts"
import { Output } from "../../output/Output.ts"
import type { Style } from "../../output/Text.ts"

const CONCURRENCY = 4

/** The result of a probe. `unusable`: the daemon has no credential to send; the message tells why. */
type Outcome = CheckOutcome | "unusable"

export interface ProbeResult extends Omit<ResponseOf<"connections.check">, "checked_at" | "outcome"> {
  readonly outcome: Outcome
  readonly checked_at: string | null
}

const words: Readonly<Record<Outcome, readonly [word: string, style: Style]>> = {
  works: ["works", "green"],
  limited: ["limited", "green"],
  refused: ["refused", "red"],
  unusable: ["unusable", "red"],
  unreachable: ["unreachable", "yellow"],
  unexpected: ["unclear", "yellow"],
  not_checked: ["not checked", "dim"]
}

const probeOne = ({ connection_name: connection, provider }: ResponseOf<"connections.list">["connections"][number]) =>
  call("connections.check", { provider, connection }).pipe(
    Effect.map((checked): ProbeResult => checked),
    Effect.catchTag(
      [
        "ConnectionNotFoundError",
        "ProviderNotFoundError",
        "OperationNotAllowedError",
        "CredentialMissingError",
        "TokenExpiredError",
        "RefreshFailedError",
        "VaultUnavailableError"
      ],
      (error) =>
        Effect.succeed<ProbeResult>({
          provider,
          connection,
          outcome: "unusable",
          http_status: null,
          message: error.detail ?? error.message,
          checked_at: null
        })
    )
  )

export const probe = Effect.gen(function*() {
  const output = yield* Output
  const { connections } = yield* call("connections.list")
  if (connections.length > 0) yield* output.note(`Checking ${plural(connections.length, "connection")}…`)
  const results = yield* Effect.forEach(connections, probeOne, { concurrency: CONCURRENCY })
  const table = output.table(results, {
    CONNECTION: ({ connection, provider }) => `${provider}/${connection}`,
    RESULT: ({ outcome }) => ({ text: words[outcome][0], style: words[outcome][1] }),
    MESSAGE: ({ message }) => message
  })
  return {
    results,
    allWork: results.every(({ outcome }) => ["works", "limited", "not_checked"].includes(outcome)),
    show: results.length === 0 ? output.note("No connections to check.") : output.data(`\n${table}`)
  }
})
