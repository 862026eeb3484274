/** The options that limit the requests of a run or a sandbox. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidRequestError, type Problem } from "../../domain/Errors.ts"
import { isRouted, parseRule } from "../../domain/rules/Rule.ts"
import { PolicyRules, type RuleSet, type RuleSets } from "../../domain/rules/RuleSchemas.ts"
import { joinRules } from "../../domain/rules/RuleSet.ts"
import { readRulesFile } from "../../domain/rules/RulesFile.ts"
import type { Route } from "../../domain/wire/ProxyRoutes.ts"
import type { Prepare } from "../api/OperationCall.ts"
import { readText } from "../parse/InputText.ts"
import { readTable } from "../run/RoutesFromDaemon.ts"
import type * as Param from "../tree/Param.ts"

/** The values of `Param.ruleFlags`, and a limit of LLM tokens, which sandboxes cannot have. */
interface RuleInput extends Param.InputOf<typeof Param.ruleFlags> {
  readonly maxTokens?: Option.Option<number>
}

const readFile = Effect.fnUntraced(function*(path: string, isStdin: boolean) {
  const named = (problems: ReadonlyArray<Problem>) =>
    InvalidRequestError.of(problems.map((problem) => ({
      path: "--rules",
      message: `${isStdin ? "stdin" : path}${problem.path === "" ? "" : ` at ${problem.path}`}: ${problem.message}`
    })))
  const text = yield* readText({ file: isStdin ? undefined : path, flag: "--rules" })
  return yield* Effect.fromResult(Result.mapError(readRulesFile(text), named))
})

const parseRules = (option: string, texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) =>
    Result.match(parseRule(text), {
      onFailure: (problem) => Effect.fail(InvalidRequestError.at(option, `"${text}" ${problem}`)),
      onSuccess: (rule) => Effect.succeed(rule.text)
    }))

/**
 * Reads the rules of the options and of the file as one set. The file `-` is stdin if `stdin` is true; otherwise stdin
 * belongs to the command of a run.
 */
export const readRules = Effect.fnUntraced(function*(
  input: Omit<RuleInput, "policies">,
  stdin = false
) {
  const file = Option.isSome(input.rules)
    ? yield* readFile(input.rules.value, stdin && input.rules.value === "-")
    : undefined
  const maxTokens = Option.getOrUndefined(input.maxTokens ?? Option.none()) ?? file?.maxTokens
  const own: RuleSet = {
    allow: [...file?.allow ?? [], ...yield* parseRules("--allow", input.allow)],
    deny: [...file?.deny ?? [], ...yield* parseRules("--deny", input.deny)],
    readonly: input.readOnly || file?.readonly === true,
    ...(maxTokens === undefined ? {} : { maxTokens })
  }
  return joinRules([own], [])
})

/**
 * Rejects rules for hosts that belong to no provider: credsvc does not read requests to them, so it could not enforce the rules.
 * Accepts rules that deny a whole host, which credsvc can enforce without reading requests.
 */
export const checkRouted = (sets: RuleSets, routes: ReadonlyArray<Route>): Effect.Effect<void, InvalidRequestError> => {
  const unrouted = (policy: string | undefined, option: "--allow" | "--deny", texts: ReadonlyArray<string>) =>
    texts.flatMap((text) => {
      const rule = Result.getOrThrow(parseRule(text))
      const isWholeHost = option === "--deny" && !/[ /]/.test(text)
      return isWholeHost || isRouted(rule, routes) ? [] : [{
        path: policy === undefined ? option : "--policy",
        message: `${policy === undefined ? "" : `${policy}: `}"${text}" names a host that belongs to no provider, so ` +
          "rules cannot check requests to it. " +
          (option === "--deny" ? "Deny the whole host, or use --unmatched deny" : "Limit other hosts with --unmatched")
      }]
    })
  const problems = sets.flatMap(({ allow, deny, policy }) => [
    ...unrouted(policy, "--allow", allow),
    ...unrouted(policy, "--deny", deny)
  ])
  return problems.length === 0 ? Effect.void : Effect.fail(InvalidRequestError.of(problems))
}

/** The rules of a policy, which may come from stdin. */
export const readPolicy: Prepare = Effect.fnUntraced(function*(input) {
  const [rules] = yield* readRules(input as unknown as RuleInput, true)
  if (rules === undefined) {
    return yield* InvalidRequestError.at(
      "--allow",
      "the policy would limit nothing: add --allow, --deny, --read-only, --max-tokens or --rules"
    )
  }
  yield* checkRouted([rules], (yield* readTable).routes)
  return Schema.encodeSync(PolicyRules)(rules)
})
