/** The checks behind `/ready` and `doctor`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ComponentStatus, Readiness as ReadinessReport } from "../domain/Health.ts"
import { componentNames } from "../domain/Health.ts"
import { Instance } from "./Instance.ts"
import { MasterKey } from "./MasterKey.ts"

/** The outcome of one check: how it went, and what it adds to the warnings and the problems. */
export interface Finding {
  readonly message: string
  /** The check could not be made, because of another one that failed. */
  readonly skipped?: boolean
  readonly warnings?: ReadonlyArray<string>
  readonly problems?: ReadonlyArray<string>
}

export type Checks = Readonly<Record<(typeof componentNames)[number], Effect.Effect<Finding>>>

const statusOf = ({ message, problems = [], skipped, warnings = [] }: Finding): ComponentStatus => ({
  status: problems.length > 0 || skipped === true ? "failed" : warnings.length > 0 ? "warning" : "ok",
  message
})

const unique = (sentences: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(sentences)]

/** Runs every check, whatever the others say. */
export const runChecks = (
  checks: Checks,
  warnings: ReadonlyArray<string>
): Effect.Effect<Pick<ReadinessReport, "checks" | "problems" | "status" | "warnings">> =>
  Effect.gen(function*() {
    const findings = {} as Record<(typeof componentNames)[number], Finding>
    for (const name of componentNames) findings[name] = yield* checks[name]
    const all = componentNames.map((name) => findings[name])
    const problems = unique(all.flatMap((finding) => finding.problems ?? []))
    const allWarnings = unique([...warnings, ...all.flatMap((finding) => finding.warnings ?? [])])
    return {
      status: problems.length > 0 ? "unhealthy" as const : allWarnings.length > 0 ? "degraded" as const : "ok" as const,
      checks: {
        spec_version: statusOf(findings.spec_version),
        identity: statusOf(findings.identity),
        providers: statusOf(findings.providers),
        connections: statusOf(findings.connections),
        vault: statusOf(findings.vault),
        integrity: statusOf(findings.integrity)
      },
      warnings: allWarnings,
      problems
    }
  })

export class Readiness extends Context.Service<Readiness, {
  readonly report: Effect.Effect<ReadinessReport>
}>()("credsvc/server/Readiness") {
  static readonly layerOf = (checks: Checks): Layer.Layer<Readiness, never, Instance | MasterKey> =>
    Layer.effect(
      Readiness,
      Effect.gen(function*() {
        const instance = yield* Instance
        const masterKey = yield* MasterKey
        return Readiness.of({
          report: Effect.zipWith(
            runChecks(checks, instance.warnings),
            masterKey.report,
            (report, key) => ({ ...report, ...key })
          )
        })
      })
    )
}
