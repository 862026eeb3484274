/** Files with rules, which a project can keep beside its code. They are read only if a command names them. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Problem } from "../Errors.ts"
import { problemsOf } from "../text/SchemaProblems.ts"
import { parseStrictJson } from "../text/StrictJson.ts"
import { wire } from "../wire/Wire.ts"
import { parseRule } from "./Rule.ts"
import { MaxTokens, type PolicyRules, Rules } from "./RuleSchemas.ts"

export const RulesFile = wire("RulesFile", undefined, {
  $schema: Schema.optionalKey(Schema.String),
  allow: [
    Schema.optionalKey(Rules),
    "Rules for the requests that are allowed. With at least one rule, all other requests are refused"
  ],
  deny: [Schema.optionalKey(Rules), "Rules for requests that are refused even if an allow rule matches"],
  readOnly: [Schema.optionalKey(Schema.Boolean), "Allow only GET, HEAD and OPTIONS, and GraphQL queries"],
  maxTokens: [Schema.optionalKey(MaxTokens), "How many LLM tokens the responses of model APIs may report"]
})

const decode = Schema.decodeUnknownResult(RulesFile, { onExcessProperty: "error", errors: "all" })

const canonical = (text: string): string => Result.getOrThrow(parseRule(text)).text

const toRules = ({ allow = [], deny = [], maxTokens, readOnly = false }: typeof RulesFile.Type): PolicyRules => ({
  allow: allow.map(canonical),
  deny: deny.map(canonical),
  readonly: readOnly,
  ...(maxTokens === undefined ? {} : { maxTokens })
})

/** Reads the text of a file. */
export const readRulesFile = (text: string): Result.Result<PolicyRules, ReadonlyArray<Problem>> =>
  parseStrictJson(text).pipe(
    Result.mapError((problem): ReadonlyArray<Problem> => [problem]),
    Result.flatMap((value) => Result.mapError(decode(value), problemsOf)),
    Result.map(toRules)
  )

/** Formats rules as the text of a file. */
export const formatRulesFile = ({ allow, deny, maxTokens, readonly }: PolicyRules): string =>
  `${
    JSON.stringify(
      {
        ...(allow.length === 0 ? {} : { allow }),
        ...(deny.length === 0 ? {} : { deny }),
        ...(readonly ? { read_only: true } : {}),
        ...(maxTokens === undefined ? {} : { max_tokens: maxTokens })
      },
      null,
      2
    )
  }\n`
