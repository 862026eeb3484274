/** Sets of rules for the requests of a run, and the decision about one request. */
import * as Result from "effect/Result"
import { formatHost } from "../definition/HostPattern.ts"
import { isGraphQlEndpoint, isGraphQlPath } from "./GraphQl.ts"
import { allReadings, formatSegments, MAX_PATH, type PathReadings, readingsOf } from "./RequestPath.ts"
import {
  includesField,
  isOnHost,
  MAX_RULE,
  parseRule,
  possiblyMatches,
  type RequestPlace,
  type RootField,
  surelyMatches
} from "./Rule.ts"
import type { PolicyRules, RuleSet, RuleSets } from "./RuleSchemas.ts"

/** How long a request that the rules refuse waits for the user. Many clients wait longer for a response. */
export const QUESTION_SECONDS = 120

export interface RuledRequest {
  readonly method: string
  /** The canonical host, in lower case. */
  readonly host: string
  readonly port: number
  /** The path without query. */
  readonly path: string
  /** Whether the request opens a WebSocket, whose messages rules cannot check. */
  readonly isUpgrade: boolean
  /** The root fields of the operation: undefined before the body is read, `hidden` if the body does not show them. */
  readonly fields: ReadonlyArray<RootField> | "hidden" | undefined
}

export interface RuleRefusal {
  readonly _tag: "Refused"
  /** A sentence without a period that completes `DELETE api.example.com:`. */
  readonly reason: string
  /** The rule that refuses the request; null if it is refused because no rule allows it. */
  readonly rule: string | null
  /** A rule that would allow the request; null if no allow rule can. */
  readonly allow: string | null
  /** Whether the user may still allow the request: no rule denies it, and the request is unambiguous. */
  readonly isOutside: boolean
  /** Whether the GraphQL operations in the body of the request could lead to another refusal. */
  readonly needsBody: boolean
}

export type RuleDecision =
  /** `rule` is the first allow rule that applies; null without allow rules. */
  | { readonly _tag: "Allowed"; readonly rule: string | null }
  | RuleRefusal
  /** The decision depends on the GraphQL operations in the body. */
  | { readonly _tag: "NeedsBody" }

export interface CompiledRules {
  readonly decide: (request: RuledRequest) => RuleDecision
  /** The sets that refuse a request. */
  readonly refusing: (request: RuledRequest) => RuleSets
  /**
   * Whether a request is allowed to contain other requests, which the rules cannot check. Each set must allow the path of the
   * request by a rule without wildcards, or must not limit requests to the host.
   */
  readonly mayCarryRequests: (request: RuledRequest) => boolean
  /** Whether a rule names the host and port, or denies the whole host. */
  readonly mentions: (host: string, port: number) => boolean
}

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

const compileSet = ({ allow, deny, readonly }: RuleSet) => {
  const parsed = (texts: ReadonlyArray<string>) => texts.map((text) => Result.getOrThrow(parseRule(text)))
  return { allow: parsed(allow), deny: parsed(deny), readonly }
}
type CompiledSet = ReturnType<typeof compileSet>

const refusal = (reason: string, rule: string | null, allow: string | null, isOutside = false): RuleRefusal => ({
  _tag: "Refused",
  reason,
  rule,
  allow,
  isOutside,
  needsBody: false
})

const AMBIGUOUS = refusal(
  "servers could read this path in more than one way, so rules cannot check it: send it without dot segments, " +
    "empty segments, path parameters or double encoding",
  null,
  null
)

const LONG_PATH = refusal(`this path is longer than ${MAX_PATH} characters, so rules cannot check it`, null, null)

/** The rule for exactly this request, if there is one. A `*` in its path would stand for other text, and rules have a maximum length. */
const ruleFor = (
  { host, method, port }: RequestPlace,
  path: PathReadings,
  field: RootField | undefined
): string | null => {
  if (path.whole.some((segment) => segment.includes("*"))) return null
  const operation = field === undefined ? "" : ` ${field.type}${field.field === undefined ? "" : `:${field.field}`}`
  const place = formatHost({ labels: [], host, port, pathPrefix: "" }) + formatSegments(path.whole)
  const rule = parseRule(`${method} ${place}${operation}`)
  return Result.isSuccess(rule) && rule.success.text.length <= MAX_RULE ? rule.success.text : null
}

const NO_FIELDS: ReadonlyArray<RootField> = []

const decideIn = (set: CompiledSet, request: RuledRequest, place: RequestPlace): RuleDecision => {
  const { fields, isUpgrade, method } = request
  const shown = fields === undefined || fields === "hidden" ? NO_FIELDS : fields
  if (isUpgrade) {
    const ofGraphQl = [...set.deny, ...set.allow].find((rule) =>
      rule.operation !== null && isOnHost(rule, place.host, place.port)
    )
    if (ofGraphQl !== undefined) {
      return refusal(
        `the rule ${ofGraphQl.text} applies to GraphQL operations, and the proxy cannot check those in WebSocket messages`,
        ofGraphQl.text,
        null
      )
    }
  }
  for (const rule of set.deny) {
    if (!possiblyMatches(rule, place)) continue
    if (rule.operation !== null) {
      if (fields === undefined) return { _tag: "NeedsBody" }
      if (fields !== "hidden" && !shown.some((field) => includesField(rule, field, true))) continue
    }
    return refusal(`denied by the rule ${rule.text}`, rule.text, null)
  }
  if (set.readonly && (isUpgrade || !READING_METHODS.has(method))) {
    const isGraphQl = method === "POST" && allReadings(place.path).every(isGraphQlEndpoint)
    if (isGraphQl && fields === undefined) return { _tag: "NeedsBody" }
    if (!isGraphQl || shown.length === 0 || shown.some(({ type }) => type !== "query")) {
      return refusal("this run is read-only", null, null, !isUpgrade)
    }
  }
  if (set.allow.length === 0) return { _tag: "Allowed", rule: null }
  const matching = set.allow.filter((rule) => surelyMatches(rule, place))
  const whole = matching.find(({ operation }) => operation === null)
  if (whole !== undefined) return { _tag: "Allowed", rule: whole.text }
  if (matching.length > 0 && fields === undefined) return { _tag: "NeedsBody" }
  const outside = shown.find((field) => !matching.some((rule) => includesField(rule, field, false)))
  return matching.length > 0 && shown.length > 0 && outside === undefined
    ? { _tag: "Allowed", rule: matching[0]!.text }
    : refusal("no rule allows it", null, ruleFor(place, place.path, matching.length > 0 ? outside : undefined), true)
}

const mayCarryRequestsIn = ({ allow, deny, readonly }: CompiledSet, place: RequestPlace): boolean => {
  const matching = allow.filter((rule) => rule.operation === null && surelyMatches(rule, place))
  if (matching.some(({ path }) => !path.whole.some((segment) => segment.includes("*")))) return true
  if (readonly || deny.some((rule) => isOnHost(rule, place.host, place.port))) return false
  return allow.length === 0 || matching.some(({ methods, path }) => methods === null && path.whole.join() === "**")
}

/**
 * The rules for exactly this request: one for each of its GraphQL fields, or one for its path. Empty if a rule would allow more,
 * as for a GraphQL request that does not show its fields.
 */
export const rulesFor = ({ fields, host, method, path, port }: RuledRequest): ReadonlyArray<string> => {
  const readings = readingsOf(path)
  if (readings === undefined) return []
  const place = { method, host, port, path: readings }
  const isHidden = fields === undefined || fields === "hidden"
  if (isHidden ? method === "POST" && isGraphQlPath(readings.whole) : fields.some(({ field }) => field === undefined)) {
    return []
  }
  const rules = (isHidden ? [undefined] : fields).map((field) => ruleFor(place, readings, field))
  return rules.includes(null) ? [] : [...new Set(rules as ReadonlyArray<string>)]
}

/** Prepares rule sets for decisions. */
export const compileRules = (sets: RuleSets): CompiledRules => {
  const compiled = sets.map(compileSet)
  return {
    decide: (request) => {
      const path = readingsOf(request.path)
      if (path === undefined) return request.path.length > MAX_PATH ? LONG_PATH : AMBIGUOUS
      const { host, method, port } = request
      const place = { host, method, port, path }
      let rule: string | null = null
      let needsBody = false
      let outside: RuleRefusal | undefined
      for (const set of compiled) {
        const decision = decideIn(set, request, place)
        if (decision._tag === "Refused") {
          if (!decision.isOutside) return decision
          outside ??= decision
        } else if (decision._tag === "NeedsBody") needsBody = true
        else rule ??= decision.rule
      }
      if (outside !== undefined) return { ...outside, needsBody }
      return needsBody ? { _tag: "NeedsBody" } : { _tag: "Allowed", rule }
    },
    refusing: (request) => {
      const path = readingsOf(request.path)
      if (path === undefined) return sets
      const { host, method, port } = request
      const place = { host, method, port, path }
      return sets.filter((_, at) => decideIn(compiled[at]!, request, place)._tag === "Refused")
    },
    mayCarryRequests: ({ host, method, path, port }) => {
      const readings = readingsOf(path)
      return readings !== undefined &&
        compiled.every((set) => mayCarryRequestsIn(set, { host, method, port, path: readings }))
    },
    mentions: (host, port) =>
      compiled.some(({ allow, deny }) =>
        [...allow, ...deny].some((rule) => isOnHost(rule, host, port)) ||
        deny.some((rule) => isOnHost(rule, host, 443) && rule.methods === null && rule.path.whole.join() === "**")
      )
  }
}

/** Whether a set has rules for requests, and not only a number of tokens. */
export const limitsRequests = ({ allow, deny, readonly }: PolicyRules): boolean =>
  allow.length > 0 || deny.length > 0 || readonly

/** Whether a set limits nothing. */
export const isUnlimited = (rules: PolicyRules): boolean => !limitsRequests(rules) && rules.maxTokens === undefined

/** The smallest token limit of the sets, or Infinity without a limit. */
export const leastTokens = (sets: RuleSets): number =>
  Math.min(...sets.map(({ maxTokens = Infinity }) => maxTokens), Infinity)

/** The sets of an outer run for a run inside it, with their limits reduced by the `used` tokens. */
export const withFewerTokens = (sets: RuleSets, used: number): RuleSets =>
  sets.map(({ maxTokens, ...set }) =>
    maxTokens === undefined ? set : { ...set, maxTokens: Math.max(0, maxTokens - used) }
  )

/** A text that is equal for sets with the same limits and policy. */
export const ruleSetIdentity = ({ allow, deny, maxTokens, policy, readonly }: RuleSet): string =>
  JSON.stringify([allow.toSorted(), deny.toSorted(), readonly, policy, maxTokens])

/** Joins two lists of sets, without repetitions and without sets that limit nothing. */
export const joinRules = (own: RuleSets, outer: RuleSets): RuleSets => {
  const known = new Map([...own, ...outer].filter((set) => !isUnlimited(set)).map((set) => [ruleSetIdentity(set), set]))
  return [...known.values()]
}
