/** Describes the proxy's decision on a request, for people and for agents. */
import type { RuleSets } from "../../domain/rules/RuleSchemas.ts"
import { compileRules, limitsRequests } from "../../domain/rules/RuleSet.ts"
import type { ProxyPlaceholder } from "../../domain/wire/ProxyRoutes.ts"
import {
  type ExplainedLimits,
  type ExplainedRequest,
  explainRequest,
  type Explanation
} from "../../proxy/Explanation.ts"

interface Asked extends Omit<ExplainedLimits, "rules"> {
  readonly rules: RuleSets
  readonly placeholders: ReadonlyArray<ProxyPlaceholder>
}

/** The decision of the proxy, as the predicate of a sentence. */
const messageOf = ({ connection, lacksBody, outcome, provider, refusal }: Explanation, url: string): string => {
  switch (outcome) {
    case "credential":
      return `gets the credential of the connection "${connection}" of ${provider}`
    case "no_credential":
      return `is sent without a credential${/^http:/i.test(url) ? ", which only https requests get" : ""}`
    case "not_connected":
      return `needs a connection. Create one with: credsvc login ${provider}`
    case "refused":
      return `is refused with ${refusal!.status}: ${refusal!.message}${
        lacksBody ? ". The decision depends on its GraphQL operations: explain it with its body and Content-Type" : ""
      }`
  }
}

/** Explains the decision, or returns undefined if the proxy would reject the URL as invalid. */
export const explained = ({ placeholders, rules, table, unmatched }: Asked, request: ExplainedRequest) => {
  const limits = { table, unmatched, rules: rules.some(limitsRequests) ? compileRules(rules) : undefined }
  const explanation = explainRequest(limits, request)
  return explanation && {
    ...explanation,
    variables: placeholders.filter(({ provider }) => provider === explanation.provider)
      .map(({ value, variable }) => ({ name: variable, value })),
    message: messageOf(explanation, request.url)
  }
}
