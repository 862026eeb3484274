/** Handles what the proxies of runs report: requests, LLM token counts, and misplaced placeholders, which freeze strict runs. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { RequestLog } from "../audit/RequestLog.ts"
import type { Peer } from "../callers/Caller.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { stepUpCommand } from "../domain/text/StepUp.ts"
import { hasNotice, type ReadReport, reportedMembers } from "../domain/wire/RequestReport.ts"
import { Sandboxes } from "../sandboxes/Sandboxes.ts"
import { DaemonLog } from "../telemetry/DaemonLog.ts"
import type { KnownRuns, OwnRun } from "./KnownRuns.ts"
import { isPartOf, keyIdOf, nameOf, type RegisteredRun, servesSame } from "./RegisteredRun.ts"
import type { RunCallers } from "./RunCallers.ts"

/** Makes the function that records a report about the requests of a run. It fails if the caller is not the process of the run. */
export const make = Effect.fnUntraced(function*(known: KnownRuns, isOf: RunCallers["isOf"]) {
  const daemonLog = yield* DaemonLog
  const log = yield* RequestLog
  const sandboxes = yield* Sandboxes

  /** Counts the LLM tokens of a run, for its outer runs as well. `reported` is the total so far, so a report may be sent again. */
  const countTokens = (own: OwnRun, reported: number): void => {
    const more = Math.max(0, reported - own.ownTokens)
    own.ownTokens += more
    for (const around of known.own.values()) if (isPartOf(own, nameOf(around))) around.tokens += more
  }

  /** Freezes a strict run, its strict outer runs, other runs for the same sandboxes, and the inner runs of all these. */
  const freeze = Effect.fnUntraced(function*(leaking: RegisteredRun) {
    if (!leaking.content.run.strict) return
    const runs = yield* known.current
    const around = runs.filter((run) => run.content.run.strict && isPartOf(leaking, nameOf(run)))
    const served = runs.filter((run) => [leaking, ...around].some((frozen) => servesSame(run, frozen)))
    const strict = [leaking, ...around, ...served].map(nameOf)
    yield* known.refuse(
      runs.filter((run) => run.stoppedAt === null && strict.some((name) => isPartOf(run, name))),
      { stoppedAt: null, frozenAt: yield* DateTime.now, frozenBy: nameOf(leaking) }
    )
    for (const { content: { run, sandbox } } of [leaking, ...around]) {
      if (sandbox !== null) yield* sandboxes.freeze(run.profile, sandbox)
    }
  })

  return Effect.fnUntraced(function*(peer: Peer, id: string, report: ReadReport) {
    const run = yield* known.find(id, keyIdOf(peer))
    if (run === undefined || !(yield* isOf(peer, run))) {
      return yield* OperationNotAllowedError.of("Only a registered run can report its requests.")
    }
    const { name, profile } = run.content.run
    const entries = report.entries.filter(hasNotice).map(reportedMembers)
    for (const { missingScopes, request: { connection, host, provider } } of entries) {
      if (missingScopes === undefined) continue
      const command = stepUpCommand(provider ?? "", connection, missingScopes)
      daemonLog.write("warning", "scopes-missing", { run: name, host, command })
    }
    for (const { misplaced } of entries) {
      if (misplaced === undefined) continue
      daemonLog.write("warning", "placeholder-misplaced", { run: name, ...misplaced })
      yield* freeze(run)
    }
    const own = known.own.get(id)
    if (own !== undefined && report.tokens !== undefined) countTokens(own, report.tokens)
    yield* log.record({ run: name, profile, report })
  })
})
