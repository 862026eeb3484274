/** Derives what a new run may do, and what is known about it, from its registration and its outer runs. */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { runNameOf } from "../config/RunMark.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import { MAX_RULE_SETS } from "../domain/rules/Rule.ts"
import type { RuleSets } from "../domain/rules/RuleSchemas.ts"
import { joinRules } from "../domain/rules/RuleSet.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { limitsOfJob, type RunLimits, type RunRegistration, within } from "../domain/wire/Run.ts"
import type { Job } from "../domain/wire/Trust.ts"
import type { Lineage } from "../platform/process/Lineage.ts"
import { nameOf, type RegisteredRun } from "./RegisteredRun.ts"
import type { RunContent } from "./RunRows.ts"

interface RequestedTerms {
  readonly registration: RunRegistration
  readonly profile: ProfileHandle
  /** The rules of the policies that the registration names. */
  readonly policyRules: RuleSets
  readonly outer: ReadonlyArray<RegisteredRun>
  /** The job that registers the run. */
  readonly job: Job | null
}

const narrow = (...limits: Parameters<typeof within>) =>
  Effect.fromResult(Result.mapError(within(...limits), (problem) => InvalidRequestError.of([problem])))

/** Returns the limits of a run, restricted to those of its job and its outer runs. Fails if an option of the registration exceeds these. */
export const limitsFor = Effect.fnUntraced(
  function*({ job, outer, policyRules, profile, registration }: RequestedTerms) {
    const { connections, contained, expiresAt = null, maxUses = null, providers, strict = false, unmatched } =
      registration
    const rules = joinRules(registration.rules ?? [], policyRules)
    if (rules.length > MAX_RULE_SETS) {
      return yield* InvalidRequestError.at(
        "/rules",
        `at most ${MAX_RULE_SETS} sets of rules can apply to a run, including its policies`
      )
    }
    let limits: RunLimits = { profile, providers, connections, unmatched, contained, rules, maxUses, expiresAt, strict }
    if (job !== null) limits = yield* narrow(limits, limitsOfJob(profile, job), "the trust of this job")
    for (const { limits: around } of outer) {
      if (around.profile !== profile) {
        return yield* OperationNotAllowedError.of(
          `The outer run uses another profile. Use the same profile with: --profile ${around.profile}`
        )
      }
      limits = yield* narrow(limits, around)
    }
    return limits
  }
)

interface NewRun {
  readonly id: string
  readonly registration: RunRegistration
  readonly limits: RunLimits
  readonly outer: ReadonlyArray<RegisteredRun>
  readonly process: Lineage | undefined
  /** The machine of the process, and the machine of this daemon. */
  readonly machine: string
  readonly host: string
  readonly keyId: string | null
  readonly startedAt: DateTime.Utc
}

/** Returns the facts about a run that its registration determines. */
export const contentFor = (
  { host, id, keyId, limits, machine, outer, process, registration, startedAt }: NewRun
): RunContent => {
  const run = {
    ...limits,
    contained: registration.contained,
    name: runNameOf(id),
    pid: process?.pid ?? registration.pid,
    startedAt,
    ...(registration.program === undefined ? {} : { program: registration.program }),
    outerRules: joinRules(outer.flatMap(({ content }) => content.run.rules), []),
    ask: registration.ask ?? false,
    uses: [],
    stoppedAt: null,
    frozenAt: null
  }
  return {
    run,
    allContained: limits.contained,
    keyId,
    outer: outer.map(nameOf),
    counted: [run, ...outer.map(({ content }) => content.run)].flatMap(({ maxUses, name }) =>
      maxUses === null ? [] : [{ name, maxUses }]
    ),
    sandbox: registration.sandbox ?? null,
    host,
    process: process === undefined ? null : { ...process, machine }
  }
}
