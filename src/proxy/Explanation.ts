/** Tells what the proxy would do with a request, by the functions with which it decides. */
import type { CompiledRules } from "../domain/rules/RuleSet.ts"
import { formatAuthority, parseAbsoluteTarget } from "../outbound/Authority.ts"
import { ambiguousRefusal, type Refusal } from "./ErrorResponse.ts"
import { readHead } from "./exchange/RequestHead.ts"
import type { Origin } from "./HttpEngine.ts"
import { decideRoute, type RouteTable } from "./routing/RouteTable.ts"
import { checkRules, ruleRefusal } from "./RuleCheck.ts"
import { unencryptedRefusal, unroutedRefusal } from "./UnroutedHosts.ts"

/** `depends`: on the GraphQL operations in the body. `not_connected`: the provider has no usable connection. */
export const outcomes = ["credential", "no_credential", "not_connected", "depends", "refused"] as const
export type Outcome = (typeof outcomes)[number]

export interface Explanation {
  readonly outcome: Outcome
  readonly provider: string | null
  readonly connection: string | null
  /** The rule that allows the request; null if there are no allow rules. */
  readonly rule: string | null
  readonly refusal: Refusal | null
}

export interface ExplainedLimits {
  readonly table: RouteTable
  readonly rules: CompiledRules | undefined
  readonly unmatched: "allow" | "deny"
}

const NOTHING = { provider: null, connection: null, rule: null, refusal: null }

const refused = (refusal: Refusal): Explanation => ({ ...NOTHING, outcome: "refused", refusal })

/** Explains a request with an absolute URL; undefined if the proxy would reject the URL as invalid. */
export const explainRequest = (
  { rules, table, unmatched }: ExplainedLimits,
  method: string,
  url: string
): Explanation | undefined => {
  const parsed = parseAbsoluteTarget(url)
  if (parsed === undefined) return undefined
  const { authority, path: target, scheme } = parsed
  const isName = authority.kind === "name"
  if (scheme === "http" && isName && table.claims(authority.host)) return refused(unencryptedRefusal(authority.host))
  const routes = scheme === "https" && isName ? table.host(authority.host, authority.port) : undefined
  if (routes === undefined) {
    const denied = unroutedRefusal({ client: "run", rules, unmatched }, authority)
    if (denied !== undefined) return refused(denied)
  }
  const hostHeader = formatAuthority(authority, scheme === "https" ? 443 : 80)
  const origin: Origin = { scheme, authority, hostHeader, routes }
  const { head: request, refusal: invalid } = readHead(
    {
      version: "HTTP/1.1",
      method,
      target,
      headers: [],
      authority: hostHeader,
      hasBody: method === "POST",
      upgrade: false,
      insideTunnel: routes !== undefined
    },
    origin,
    []
  )
  if (invalid !== undefined) return refused(invalid)
  if (routes === undefined) return { ...NOTHING, outcome: "no_credential" }
  const decision = rules === undefined ? undefined : checkRules(rules, request, undefined)
  if (decision?._tag === "Refused") return refused(ruleRefusal(request, decision))
  const route = decideRoute(routes, method, target)
  if (route._tag === "Ambiguous") return refused(ambiguousRefusal(authority.host, route.providers))
  const rule = decision?._tag === "Allowed" ? decision.rule : null
  if (route._tag === "Plain") {
    return { ...NOTHING, outcome: decision?._tag === "NeedsBody" ? "depends" : "no_credential", rule }
  }
  const { connected, connection, provider } = route.route
  return {
    outcome: decision?._tag === "NeedsBody" ? "depends" : connected ? "credential" : "not_connected",
    provider,
    connection,
    rule,
    refusal: null
  }
}
