/** Explains which connection, rule and placeholder apply to a request. Sends nothing. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { Policy } from "../../domain/rules/Policy.ts"
import { isMethod } from "../../domain/rules/Rule.ts"
import { joinRules } from "../../domain/rules/RuleSet.ts"
import { stepUpCommand } from "../../domain/text/StepUp.ts"
import { reportedPath } from "../../domain/wire/RequestReport.ts"
import { readField } from "../../proxy/Explanation.ts"
import * as RouteTable from "../../proxy/routing/RouteTable.ts"
import { call, callDecoded } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { readBytes } from "../parse/InputText.ts"
import { readRules } from "../rules/RuleOptions.ts"
import { insideRuns } from "../run/OuterRuns.ts"
import { explained } from "../run/ProxyDecision.ts"
import { checkChosen } from "../run/Registration.ts"
import { inProfile, readTable } from "../run/RoutesFromDaemon.ts"
import { parseConnections } from "../run/RunOptions.ts"
import type { ExplainInput } from "../tree/CommandInputs.ts"
import { providerName } from "./provider/ProviderArgument.ts"

const decodePolicy = Schema.decodeUnknownEffect(Policy)

const MAX_DATA_KIB = 32 * 1024

const dataOf = (data: Option.Option<string>): Effect.Effect<Buffer | undefined, InvalidRequestError> => {
  if (Option.isNone(data)) return Effect.undefined
  const { value } = data
  if (value !== "-" && !value.startsWith("@")) return Effect.succeed(Buffer.from(value))
  return readBytes({ flag: "--data", maxKib: MAX_DATA_KIB, ...(value === "-" ? {} : { file: value.slice(1) }) })
}

const fieldsOf = Effect.fnUntraced(function*(lines: ReadonlyArray<string>) {
  const fields: Array<string> = []
  for (const line of lines) {
    const field = readField(line)
    if (field === undefined) {
      return yield* InvalidRequestError.at(
        "--header",
        `invalid value "${line}": expected a name and a value such as "Content-Type: application/json"`
      )
    }
    fields.push(...field)
  }
  return fields
})

/** The login command for the scopes that the last request with this method and URL lacked. Undefined inside a run. */
const lackedScopes = Effect.fnUntraced(function*(
  { method, url }: Pick<ExplainInput, "method" | "url">,
  provider: string | null
) {
  if (provider === null) return undefined
  const { hostname, pathname } = new URL(url)
  const found = yield* Effect.option(call("audit.requests", { provider, host: hostname, limit: "50" }))
  const last = Option.getOrUndefined(found)?.entries.findLast((entry) =>
    entry.method === method && entry.path === reportedPath(pathname)
  )
  return last?.missing_scopes && stepUpCommand(provider, last.connection, last.missing_scopes)
})

/** The limits of the request: those of the options, and those of the outer runs. */
const readLimits = Effect.fnUntraced(function*(input: ExplainInput) {
  const { limits, profile } = yield* insideRuns
  const inRun = inProfile(profile)
  const table = yield* inRun(readTable)
  const chosen = Object.fromEntries(yield* parseConnections(input.connections))
  const named = yield* Effect.forEach(input.providers, providerName)
  const filter: RouteTable.RouteFilter = {
    providers: named.length === 0
      ? limits.providers ?? undefined
      : named.filter((provider) => limits.providers?.includes(provider) ?? true),
    connections: { ...chosen, ...limits.connections }
  }
  const policies = yield* Effect.forEach(
    input.policies,
    (name) => Effect.map(inRun(callDecoded("policies.get", { name }, decodePolicy)), ({ rules }) => rules)
  )
  const own = [...yield* readRules(input), ...policies]
  yield* inRun(checkChosen({ connections: chosen, providers: named, rules: own }, table))
  return {
    table: RouteTable.make(table.version, table.routes, filter),
    placeholders: RouteTable.filtered(table.placeholders, filter),
    rules: joinRules(own, limits.rules),
    unmatched: limits.unmatched === "deny" ? "deny" : input.unmatched
  }
})

/** Explains what a run with these options would do with a request. */
export const explain = Effect.fnUntraced(function*(input: ExplainInput) {
  const output = yield* Output
  const { url } = input
  const method = input.method.toUpperCase()
  if (!isMethod(method)) {
    return yield* InvalidRequestError.at("<method>", `invalid value "${input.method}": expected a method such as GET`)
  }
  const limits = yield* readLimits(input)
  const headers = yield* fieldsOf(input.headers)
  const decision = explained(limits, { method, url, headers, data: yield* dataOf(input.data) })
  if (decision === undefined) {
    return yield* InvalidRequestError.at(
      "<url>",
      `invalid value "${url}": expected a URL such as https://api.github.com/user, without a user name or a fragment`
    )
  }
  const { connection, message, outcome, provider, refusal, rule, variables } = decision
  const stepUp = yield* lackedScopes({ method, url }, provider)
  if (output.json) {
    return yield* output.document({
      method,
      url,
      outcome,
      provider,
      connection,
      rule,
      variables,
      refused: refusal?.outside ?? null,
      ...(stepUp === undefined ? {} : { login: stepUp }),
      message
    })
  }
  yield* output.data(`${method} ${url} ${message}.`)
  if (rule !== null) yield* output.data(`Allowed by the rule: ${rule}`)
  if (typeof refusal?.outside?.allow === "string") yield* output.data(`A rule that allows it: ${refusal.outside.allow}`)
  if (stepUp !== undefined) {
    yield* output.data(`The credential lacked scopes for the last such request. To add them: ${stepUp}`)
  }
  for (const { name, value } of variables) yield* output.data(`Variable: ${name}=${value}`)
}, provideDaemon())
