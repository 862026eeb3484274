/** Runs that are registered with a daemon, and the limits of what they may use. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Problem } from "../Errors.ts"
import { MAX_RULE_SETS } from "../rules/Rule.ts"
import { PolicyName, RuleSets } from "../rules/RuleSchemas.ts"
import { joinRules } from "../rules/RuleSet.ts"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import type { Job } from "./Trust.ts"
import { named, Timestamp, wire, withDefault } from "./Wire.ts"

/** The public name of a run, which `config/RunMark` derives from its ID. */
export const RunName = Schema.String.pipe(named("RunName", "The public name of a run")).check(
  Schema.isPattern(/^[0-9a-f]{10}$/u, { expected: "the name of a run, as shown by credsvc runs" })
).pipe(Schema.brand("RunName"))
export type RunName = typeof RunName.Type

export const Unmatched = Schema.Literals(["allow", "deny"]).pipe(
  named("Unmatched", "Whether requests to hosts that belong to no provider are allowed")
)

const limits = {
  providers: [Schema.NullOr(Schema.Array(ProviderName)), "The providers that the run may use; null for all"],
  connections: [
    Schema.Record(Schema.String, ConnectionName),
    "Maps a provider to the only connection that the run may use"
  ],
  unmatched: [Unmatched, "Whether the run may reach hosts that belong to no provider"]
} as const

const MaxUses = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
  description: "How many requests may get a credential"
})

const contained = "Whether the command runs in its own namespaces and reaches only the proxy"
const rules = "The rule sets for requests of the run to hosts of providers. A request must be allowed by every set"
const maxUses = "How many requests may get a credential; null for any number"
const expiresAt = "When the run stops getting credentials; null without a time limit"
const strict = "Whether the run gets no more credentials after one of its requests has had a misplaced placeholder"
const ask = "Whether requests outside the rules wait for the user"

/** The program of a run, according to the run itself, without the arguments, which may be secret. */
export const Program = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64)))

export const SandboxKey = wire("SandboxKey", "A sandbox, and the number of its token", {
  id: [Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/u, { expected: "the ID of a sandbox" })), "The sandbox"],
  generation: [Schema.Int, "The number of the token"]
})
export type SandboxKey = typeof SandboxKey.Type

export const RunRegistration = wire("RunRegistration", "The run to register", {
  ...limits,
  pid: [Schema.Int.check(Schema.isGreaterThan(0)), "The ID of the process of `credsvc run`"],
  contained: [Schema.Boolean, contained],
  rules: [Schema.optionalKey(RuleSets), rules],
  policies: [
    Schema.optionalKey(Schema.Array(PolicyName).check(Schema.isMaxLength(MAX_RULE_SETS))),
    "Policies whose rules become rules of the run"
  ],
  maxUses: [Schema.optionalKey(Schema.NullOr(MaxUses)), maxUses],
  used: [
    Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    "For a run that registers again: how many of its requests have already got a credential"
  ],
  expiresAt: [Schema.optionalKey(Schema.NullOr(Timestamp)), expiresAt],
  strict: [Schema.optionalKey(Schema.Boolean), strict],
  ask: [Schema.optionalKey(Schema.Boolean), ask],
  program: [Program, "The name of the program that the run starts, without its arguments"],
  inside: [
    Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64))),
    "The name of the outer run, which the process found in its environment as CREDSVC_RUN"
  ],
  sandbox: [Schema.optionalKey(SandboxKey), "The sandbox that the run is for"]
})
export type RunRegistration = typeof RunRegistration.Type

export const RunUse = wire("RunUse", "A connection that a run has used", {
  provider: [ProviderName, "The provider"],
  connection: [ConnectionName, "The connection"],
  lastUsedAt: [Timestamp, "When the run last got the connection's credential"]
})
export type RunUse = typeof RunUse.Type

export const Run = wire("Run", "A registered run, with its limits after those of its outer runs were applied", {
  name: [RunName, "The public name of the run"],
  pid: [Schema.Int, "The ID of the process of `credsvc run`"],
  program: [Program, "The name of the program that the run has started, according to the run"],
  startedAt: [Timestamp, "When the run was registered"],
  profile: [ProfileHandle, "The profile that the run uses"],
  ...limits,
  contained: [Schema.Boolean, contained],
  uses: [Schema.Array(RunUse), "The connections that the run has used"],
  stoppedAt: [
    Schema.NullOr(Timestamp),
    "When the run was stopped, after which it gets no more credentials; null if it was not stopped"
  ],
  rules: [RuleSets, rules],
  outerRules: [withDefault(RuleSets, []), "Rules inherited from outer runs; the user cannot override them"],
  maxUses: [Schema.NullOr(MaxUses), maxUses],
  expiresAt: [Schema.NullOr(Timestamp), expiresAt],
  strict: [withDefault(Schema.Boolean, false), strict],
  frozenAt: [
    withDefault(Schema.NullOr(Timestamp), null),
    "When a misplaced placeholder froze this strict run, which then gets no more credentials; null if it is not frozen"
  ],
  ask: [withDefault(Schema.Boolean, false), ask],
  tokens: [
    Schema.optionalKey(Schema.Int),
    "How many LLM tokens the responses to this run and to runs inside it have reported. Absent without a token limit"
  ]
})
export type Run = typeof Run.Type

/**
 * A line that the daemon sends to a registered run after the first one. `changed`: credentials that the run uses may no
 * longer be valid, so the run resolves the credential of each open stream again. `stopped`: the run gets no more credentials.
 * `frozen`: the run gets no more credentials, but its command continues.
 */
export const RunNotice = Schema.Struct({ notice: Schema.Literals(["changed", "stopped", "frozen"]) })
export type RunNotice = typeof RunNotice.Type

export const RunsStopped = wire("RunsStopped", "The result of stopping a run", {
  status: [Schema.Literal("stopped"), "The runs were stopped"],
  runs: [Schema.Array(RunName), "The named run and the runs inside it"]
})

export const RunList = wire("RunList", "The registered runs", {
  runs: [Schema.Array(Run), "The runs, oldest first"],
  callerInside: [Schema.Boolean, "Whether the request came from a command in a run"],
  callerRuns: [
    Schema.NullOr(Schema.Array(RunName)),
    "The outer runs of that command; null if the daemon does not know all of them"
  ]
})
export type RunList = typeof RunList.Type

/** What a run may use. A `contained` run may also use the connections that only contained runs may use. */
export type RunLimits = Pick<
  Run,
  "profile" | "providers" | "connections" | "unmatched" | "contained" | "rules" | "maxUses" | "expiresAt" | "strict"
>

type ConnectionLimits = Pick<RunLimits, "providers" | "connections">

export const chosenIn = (limits: ConnectionLimits, provider: string): ConnectionName | undefined =>
  Object.hasOwn(limits.connections, provider) ? limits.connections[provider] : undefined

/** Why a run with these limits may not use a connection; undefined if it may. Without limits, it may use all. */
export const excessOf = (
  limits: ConnectionLimits | undefined,
  provider: ProviderName,
  connection: ConnectionName
): string | undefined => {
  if (limits === undefined) return undefined
  if (limits.providers !== null && !limits.providers.includes(provider)) {
    return `This run is limited to ${limits.providers.join(", ")} and does not include ${provider}.`
  }
  const chosen = chosenIn(limits, provider)
  return chosen === undefined || chosen === connection
    ? undefined
    : `This run is limited to ${provider}=${chosen} and does not include ${provider}=${connection}.`
}

/** The limits of the runs of a job. */
export const limitsOfJob = (profile: ProfileHandle, { expiresAt, providers }: Job): RunLimits => ({
  profile,
  providers,
  connections: {},
  unmatched: "allow",
  contained: true,
  rules: [],
  maxUses: null,
  expiresAt,
  strict: false
})

const lesser = (own: number | null, outer: number | null): number | null =>
  own === null ? outer : outer === null ? own : Math.min(own, outer)

const earlier = (own: Run["expiresAt"], outer: Run["expiresAt"]): Run["expiresAt"] =>
  own === null ? outer : outer === null || own.epochMilliseconds <= outer.epochMilliseconds ? own : outer

/**
 * Restricts limits to those of the outer run or job, which has the same profile. Fails if `own` names a provider or connection
 * outside of them, or if there are too many rule sets.
 */
export const within = (
  own: RunLimits,
  outer: RunLimits,
  around = "the outer run"
): Result.Result<RunLimits, Problem> => {
  const allowed = outer.providers
  const excess = allowed === null ? undefined : own.providers?.find((provider) => !allowed.includes(provider))
  if (allowed !== null && excess !== undefined) {
    return Result.fail({
      path: "/providers",
      message: `${around} is limited to ${allowed.join(", ")} and does not include ${excess}`
    })
  }
  for (const [provider, connection] of Object.entries(own.connections)) {
    const chosen = chosenIn(outer, provider)
    if (chosen !== undefined && chosen !== connection) {
      return Result.fail({
        path: "/connections",
        message: `${around} is limited to ${provider}=${chosen} and does not include ${provider}=${connection}`
      })
    }
  }
  const rules = joinRules(own.rules, outer.rules)
  if (rules.length > MAX_RULE_SETS) {
    return Result.fail({
      path: "/rules",
      message: `at most ${MAX_RULE_SETS} sets of rules can apply to a run, including its outer runs`
    })
  }
  return Result.succeed({
    profile: own.profile,
    providers: own.providers ?? allowed,
    connections: { ...own.connections, ...outer.connections },
    unmatched: outer.unmatched === "deny" ? "deny" : own.unmatched,
    contained: own.contained && outer.contained,
    rules,
    maxUses: lesser(own.maxUses, outer.maxUses),
    expiresAt: earlier(own.expiresAt, outer.expiresAt),
    strict: own.strict || outer.strict
  })
}
