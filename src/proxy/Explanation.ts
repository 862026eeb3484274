/** Explains how the proxy would handle a request, using the functions with which it decides. */
import type { CompiledRules } from "../domain/rules/RuleSet.ts"
import { fieldOf, isFieldName, isFieldValue } from "../http/HeaderFields.ts"
import { type AbsoluteTarget, formatAuthority, parseAbsoluteTarget } from "../outbound/Authority.ts"
import { ambiguousRefusal, type Refusal } from "./ErrorResponse.ts"
import { unencryptedRefusal, unroutedRefusal } from "./listen/UnroutedHosts.ts"
import type { Origin } from "./routing/Origin.ts"
import { readHead, type RequestHead } from "./routing/RequestValidation.ts"
import { decideRoute, type HostRoutes, type RouteTable } from "./routing/RouteTable.ts"
import { checkRules } from "./rules/RuleCheck.ts"
import { formRefusal, type GatedExchange, type PermittedRequest, RulesGate } from "./rules/RulesGate.ts"

/** `not_connected`: the provider has no usable connection. */
export const outcomes = ["credential", "no_credential", "not_connected", "refused"] as const
export type Outcome = (typeof outcomes)[number]

/** How the proxy would handle a request. */
export interface Explanation {
  readonly outcome: Outcome
  readonly provider: string | null
  readonly connection: string | null
  /** The rule that allows the request; null if there are no allow rules. */
  readonly rule: string | null
  readonly refusal: Refusal | null
  /** Whether the rules refuse the request because it lacks the body in which they look for GraphQL operations. */
  readonly lacksBody: boolean
}

/** The routes and rules of the run. */
export interface ExplainedLimits {
  readonly table: RouteTable
  readonly rules: CompiledRules | undefined
  readonly unmatched: "allow" | "deny"
}

export interface ExplainedRequest {
  readonly method: string
  readonly url: string
  /** The header fields as flat pairs. */
  readonly headers?: ReadonlyArray<string> | undefined
  /** The body, or undefined for a request without one. */
  readonly data?: Buffer | undefined
}

const NOTHING = { provider: null, connection: null, rule: null, refusal: null, lacksBody: false }

const refusedExplanation = (refusal: Refusal): Explanation => ({ ...NOTHING, outcome: "refused", refusal })

/** Reads a header field such as `Accept: text/plain`; undefined if it is invalid. */
export const readField = (line: string): readonly [name: string, value: string] | undefined => {
  const at = line.indexOf(":")
  const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()]
  return at > 0 && isFieldName(name) && isFieldValue(value) ? [name, value] : undefined
}

/** The origin of a request, or why the proxy would refuse to send anything there. */
const originOf = (
  { rules, table, unmatched }: ExplainedLimits,
  { authority, scheme }: AbsoluteTarget
): Origin | Refusal => {
  const isName = authority.kind === "name"
  if (scheme === "http" && isName && table.claims(authority.host)) return unencryptedRefusal(authority.host)
  const routes = scheme === "https" && isName ? table.host(authority.host, authority.port) : undefined
  const isReached = routes !== undefined && !routes.isOutside
  const denied = isReached ? undefined : unroutedRefusal({ client: "run", rules, unmatched }, authority)
  return denied ?? { scheme, authority, hostHeader: formatAuthority(authority, scheme === "https" ? 443 : 80), routes }
}

/** Explains a request with an absolute URL; undefined if the proxy would reject the URL as invalid. */
export const explainRequest = (
  limits: ExplainedLimits,
  { data, headers = [], method, url }: ExplainedRequest
): Explanation | undefined => {
  const parsed = parseAbsoluteTarget(url)
  if (parsed === undefined) return undefined
  const origin = originOf(limits, parsed)
  if ("status" in origin) return refusedExplanation(origin)
  const { hostHeader, routes } = origin
  const { head, refusal } = readHead(
    {
      version: "HTTP/1.1",
      method,
      target: parsed.path,
      headers: data === undefined || isFramed(headers) ? headers : [...headers, "Content-Length", String(data.length)],
      authority: hostHeader,
      hasBody: false,
      upgrade: fieldOf(headers, "upgrade") !== undefined,
      insideTunnel: routes !== undefined
    },
    origin,
    []
  )
  if (refusal !== undefined) return refusedExplanation(refusal)
  if (routes === undefined || routes.isOutside) return { ...NOTHING, outcome: "no_credential" }
  return explainRouted(limits.rules, head, routes, data ?? Buffer.alloc(0))
}

/** Explains a request to a host of a provider. */
const explainRouted = (
  rules: CompiledRules | undefined,
  head: RequestHead,
  routes: HostRoutes,
  data: Buffer
): Explanation => {
  const permitted = rules === undefined ? { head, rule: null } : permittedBy(rules, head, routes, data)
  if ("status" in permitted) {
    const withBody = rules !== undefined && !head.hasBody && checkRules(rules, { ...head, hasBody: true }, undefined)
    return { ...refusedExplanation(permitted), lacksBody: withBody !== false && withBody._tag === "NeedsBody" }
  }
  const { rule } = permitted
  const route = decideRoute(routes, permitted.head.method, permitted.head.target)
  if (route._tag === "Ambiguous") return refusedExplanation(ambiguousRefusal(head.authority.host, route.providers))
  if (route._tag === "Plain") return { ...NOTHING, outcome: "no_credential", rule }
  const { connected, connection, provider } = route.route
  return { ...NOTHING, outcome: connected ? "credential" : "not_connected", provider, connection, rule }
}

const isFramed = (headers: ReadonlyArray<string>): boolean =>
  ["content-length", "transfer-encoding"].some((name) => fieldOf(headers, name) !== undefined)

const permittedBy = (
  rules: CompiledRules,
  head: RequestHead,
  routes: HostRoutes,
  data: Buffer
): Pick<PermittedRequest, "head" | "rule"> | Refusal => {
  let result: PermittedRequest | Refusal | undefined
  const exchange: GatedExchange = {
    get isOver() {
      return result !== undefined
    },
    readBody: (limit, done) => done(data.length > limit ? "too long" : data),
    refuse: (refusal) => {
      result = refusal
    },
    permitted: (permitted) => {
      result = formRefusal(permitted, () => {
        permitted.check?.write(data)
        permitted.check?.end()
      }) ?? permitted
    }
  }
  new RulesGate(exchange, { rules }, head).begin(routes)
  return result!
}
