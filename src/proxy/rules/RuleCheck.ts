/** Checks requests to hosts of providers against the rules of the run. */
import { pathOf } from "../../domain/injection/Route.ts"
import { type GraphQlRequest, isGraphQlPath, MAX_GRAPHQL_BODY, readGraphQl } from "../../domain/rules/GraphQl.ts"
import { overrideIn } from "../../domain/rules/Overrides.ts"
import { allReadings, readingsOf } from "../../domain/rules/RequestPath.ts"
import type { RuleRecorder } from "../../domain/rules/RuleRecorder.ts"
import {
  type CompiledRules,
  QUESTION_SECONDS,
  type RuleDecision,
  type RuledRequest,
  type RuleRefusal
} from "../../domain/rules/RuleSet.ts"
import { fieldOf, valuesOf } from "../../http/HeaderFields.ts"
import { formatAuthority } from "../../outbound/Authority.ts"
import type { Refusal } from "../ErrorResponse.ts"
import type { RequestHead } from "../routing/RequestValidation.ts"
import type { Unapproved, UserQuestions } from "./UserQuestions.ts"

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Whether the body can only be read as JSON, and no other part of the request can contain the GraphQL document. */
const isPlainJson = ({ headers, target }: RequestHead): boolean => {
  const types = valuesOf(headers, "content-type")
  // Some servers prefer a document in the query to the one in the body.
  return types.length === 1 && JSON_TYPE.test(types[0]!) && !target.includes("?")
}

/** The GraphQL request in the body, if the body shows its fields. */
export const graphQlIn = (request: RequestHead, content: Buffer): GraphQlRequest | undefined => {
  if (!isPlainJson(request)) return undefined
  try {
    return readGraphQl(utf8.decode(content))
  } catch {
    return undefined
  }
}

/** Whether the body may show GraphQL fields. */
export const mayShowFields = (request: RequestHead): boolean => {
  if (!request.hasBody || request.method !== "POST" || !isPlainJson(request)) return false
  const path = readingsOf(pathOf(request.target))
  return path !== undefined && allReadings(path).every(isGraphQlPath)
}

/** Whether the body is declared to be short enough to be read. */
export const isShort = ({ headers }: RequestHead): boolean =>
  Number(fieldOf(headers, "content-length") ?? Infinity) <= MAX_GRAPHQL_BODY

/** Adds an allowed request to the recorded requests of the run. */
export const recordRequest = (recorder: RuleRecorder, request: RequestHead, fields: RuledRequest["fields"]): void => {
  const { authority: { host, port }, headers, isGrpc, method, target } = request
  if (overrideIn(headers, target, host) !== undefined) return recorder.skip()
  recorder.add({ method, host, port, path: pathOf(target), isGrpc, fields: fields ?? "hidden" })
}

/** The refusal of a request without a form in which rules can be checked. */
export const uncheckableRefusal = (reason: string): RuleRefusal => ({
  _tag: "Refused",
  reason,
  rule: null,
  allow: null,
  isOutside: false,
  needsBody: false
})

/** The refusal of a request whose body is too long to be read, although rules depend on it. */
export const TOO_LONG: RuleRefusal = uncheckableRefusal(
  `its body is longer than ${MAX_GRAPHQL_BODY / 1024} KiB, so the rules cannot check its GraphQL operations`
)

/** Checks a request in canonical form against the rules. `fields` is undefined if its body was not read yet. */
export const checkRules = (
  rules: CompiledRules,
  request: RequestHead,
  fields: RuledRequest["fields"]
): RuleDecision => rules.decide(ruledRequest(request, fields))

/** The parts of a request that rules match. */
export const ruledRequest = (
  { authority: { host, port }, hasBody, method, target, upgrade }: RequestHead,
  fields: RuledRequest["fields"]
): RuledRequest => ({
  method,
  host,
  port,
  path: pathOf(target),
  isUpgrade: upgrade !== undefined,
  fields: hasBody ? fields : "hidden"
})

/** The user is to be asked about a request that the rules refuse. */
export interface ApprovalNeeded {
  readonly _tag: "Ask"
  readonly request: RuledRequest
  readonly refusal: RuleRefusal
}

/** Checks whether the user has approved a request that the run's rules refuse: `Ask` if the user was not asked yet. */
export const checkApproval = (
  approvals: UserQuestions,
  request: RequestHead,
  fields: RuledRequest["fields"],
  refusal: RuleRefusal
): RuleDecision | ApprovalNeeded => {
  if (!refusal.isOutside) return refusal
  // A rule may deny the fields in the body.
  if (refusal.needsBody) return { _tag: "NeedsBody" }
  const asked = ruledRequest(request, fields)
  const approval = approvals.decide(asked)
  if (approval._tag !== "Refused" || !approval.isOutside) return approval
  // The fields in the body are a part of the question.
  const isShown = asked.fields !== undefined || !(mayShowFields(request) && isShort(request))
  return isShown ? { _tag: "Ask", request: asked, refusal } : { _tag: "NeedsBody" }
}

/**
 * The response to a refused request. The message has no path, because it is logged; the details for the client have one.
 */
export const ruleRefusal = (
  { authority, method, target }: Pick<RequestHead, "authority" | "method" | "target">,
  { allow, reason, rule }: Pick<RuleRefusal, "allow" | "reason" | "rule">,
  approval?: Unapproved
): Refusal => {
  const host = formatAuthority(authority, 443)
  const asked = approval === undefined ? "" : `, and ${UNAPPROVED_TEXTS[approval]}`
  const byRule = rule === null ? "OutsideRulesError" : "DeniedByRuleError"
  return {
    status: 403,
    error: approval === undefined ? byRule : UNAPPROVED_ERRORS[approval],
    message: `the rules of this run refuse the ${method} request to this path of ${host}: ${reason}${asked}`,
    outside: { method, host, path: pathOf(target), rule, allow, ...(approval === undefined ? {} : { approval }) }
  }
}

const UNAPPROVED_ERRORS: Readonly<Record<Unapproved, string>> = {
  denied: "DeniedByUserError",
  expired: "UnansweredError",
  unavailable: "UnansweredError"
}

const UNAPPROVED_TEXTS: Readonly<Record<Unapproved, string>> = {
  denied: "the user denied it",
  expired: `the user did not answer within ${QUESTION_SECONDS} seconds`,
  unavailable: "the user could not be asked"
}
