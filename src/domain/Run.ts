/** Runs that are registered with a daemon, and the limits of what they may use. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import type { Problem } from "./Errors.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { joinRules, MAX_RULE_SETS, RuleSets } from "./rules/RuleSet.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

/** The public name of a run, which `config/RunMark` derives from its id. */
export const RunName = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{10}$/, { expected: "the name of a run" })
).pipe(Schema.brand("RunName"))
export type RunName = typeof RunName.Type

const limits = {
  /** Null allows every provider. */
  providers: Schema.NullOr(Schema.Array(ProviderName)),
  /** The only connection of a provider that may be used, for the providers in it. */
  connections: Schema.Record(Schema.String, ConnectionName),
  /** Requests to hosts that belong to no provider. */
  unmatched: Schema.Literals(["allow", "deny"])
}

const MaxUses = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
  description: "How many requests may get a credential"
})

/**
 * The request to register a run. `pid` is the process of `credsvc run`, and `inside` the mark that it found in its
 * environment. A run that registers again states how many of its requests had got a credential as `used`.
 */
export const RunRegistration = wire({
  ...limits,
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  contained: Schema.Boolean,
  rules: Schema.optionalKey(RuleSets),
  maxUses: Schema.optionalKey(Schema.NullOr(MaxUses)),
  used: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  expiresAt: Schema.optionalKey(Schema.NullOr(Timestamp)),
  inside: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64)))
}, "RunRegistration")
export type RunRegistration = typeof RunRegistration.Type

/** A connection that a run has used. */
export const RunUse = wire({
  provider: ProviderName,
  connection: ConnectionName,
  lastUsedAt: Timestamp
}, "RunUse")
export type RunUse = typeof RunUse.Type

/**
 * A registered run, with its limits after those of the runs around it were applied. After `stoppedAt`
 * it gets no more credentials.
 */
export const Run = wire({
  name: RunName,
  pid: Schema.Int,
  startedAt: Timestamp,
  profile: ProfileHandle,
  ...limits,
  contained: Schema.Boolean,
  uses: Schema.Array(RunUse),
  stoppedAt: Schema.NullOr(Timestamp),
  /** The requests that the run may send to hosts of providers. */
  rules: RuleSets,
  /** Null for any number. */
  maxUses: Schema.NullOr(MaxUses),
  /** When the run gets no more credentials; null if it always does. */
  expiresAt: Schema.NullOr(Timestamp)
}, "Run")
export type Run = typeof Run.Type

/**
 * A line that the daemon sends to a registered run after the first one. `changed`: credentials that the run uses may no
 * longer be valid, so it asks again for each one that an open stream uses. `stopped`: the run gets no more credentials.
 */
export const RunNotice = Schema.Struct({ notice: Schema.Literals(["changed", "stopped"]) })
export type RunNotice = typeof RunNotice.Type

/** The runs that were stopped: the named one and those inside of it. */
export const RunsStopped = wire({
  status: Schema.Literal("stopped"),
  runs: Schema.Array(RunName)
}, "RunsStopped")
export type RunsStopped = typeof RunsStopped.Type

/**
 * `callerInside`: the caller is a command in a run. `callerRuns` are the runs around it, and null if the daemon does not
 * know all of them.
 */
export const RunList = wire({
  runs: Schema.Array(Run),
  callerInside: Schema.Boolean,
  callerRuns: Schema.NullOr(Schema.Array(RunName))
}, "RunList")
export type RunList = typeof RunList.Type

/** What a run may use. A run that is `contained` may use connections for contained runs only. */
export type RunLimits = Pick<
  Run,
  "profile" | "providers" | "connections" | "unmatched" | "contained" | "rules" | "maxUses" | "expiresAt"
>

type ConnectionLimits = Pick<RunLimits, "providers" | "connections">

const chosenIn = (limits: ConnectionLimits, provider: string): ConnectionName | undefined =>
  Object.hasOwn(limits.connections, provider) ? limits.connections[provider] : undefined

/** Why a run with these limits may not use a connection. Undefined if it may. */
export const excessOf = (
  limits: ConnectionLimits,
  provider: ProviderName,
  connection: ConnectionName
): string | undefined => {
  if (limits.providers !== null && !limits.providers.includes(provider)) {
    return `This run is limited to ${limits.providers.join(", ")} and does not include ${provider}.`
  }
  const chosen = chosenIn(limits, provider)
  return chosen === undefined || chosen === connection
    ? undefined
    : `This run is limited to ${provider}=${chosen} and does not include ${provider}=${connection}.`
}

const lesser = (own: number | null, outer: number | null): number | null =>
  own === null ? outer : outer === null ? own : Math.min(own, outer)

const earlier = (own: Run["expiresAt"], outer: Run["expiresAt"]): Run["expiresAt"] =>
  own === null ? outer : outer === null || own.epochMilliseconds <= outer.epochMilliseconds ? own : outer

/**
 * Restricts limits to those of the run around it, of the same profile. Fails with the field that explicitly exceeds
 * them.
 */
export const within = (own: RunLimits, outer: RunLimits): Result.Result<RunLimits, Problem> => {
  const allowed = outer.providers
  const excess = allowed === null ? undefined : own.providers?.find((provider) => !allowed.includes(provider))
  if (allowed !== null && excess !== undefined) {
    return Result.fail({
      path: "/providers",
      message: `the run around this one is limited to ${allowed.join(", ")} and does not include ${excess}`
    })
  }
  for (const [provider, connection] of Object.entries(own.connections)) {
    const chosen = chosenIn(outer, provider)
    if (chosen !== undefined && chosen !== connection) {
      return Result.fail({
        path: "/connections",
        message:
          `the run around this one is limited to ${provider}=${chosen} and does not include ${provider}=${connection}`
      })
    }
  }
  const rules = joinRules(own.rules, outer.rules)
  if (rules.length > MAX_RULE_SETS) {
    return Result.fail({ path: "/rules", message: `more than ${MAX_RULE_SETS} sets of rules apply to this run` })
  }
  return Result.succeed({
    profile: own.profile,
    providers: own.providers ?? allowed,
    connections: { ...own.connections, ...outer.connections },
    unmatched: outer.unmatched === "deny" ? "deny" : own.unmatched,
    contained: own.contained && outer.contained,
    rules,
    maxUses: lesser(own.maxUses, outer.maxUses),
    expiresAt: earlier(own.expiresAt, outer.expiresAt)
  })
}
