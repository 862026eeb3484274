/**
 * Reads a provider definition from JSON and reports every problem with its location.
 *
 * First converts documents in the published forms of other tools: `registration`, `oauth2_form`, a flat `export`, and
 * nulls for absent values. `providers/CustomDefinition.ts` adds the checks that need more than pure code.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Problem } from "../Errors.ts"
import { problemsOf } from "../text/SchemaProblems.ts"
import { jsonPointer, parseStrictJson } from "../text/StrictJson.ts"
import type { HostOptions } from "./HostPattern.ts"
import { tellBy } from "./PlacementChecks.ts"
import { ApiKeyProvider, OAuthProvider, type ProviderDefinition } from "./Provider.ts"
import { checkDefinition } from "./ProviderChecks.ts"

export const parseDefinition = (
  text: string,
  options: HostOptions = {}
): Result.Result<ProviderDefinition, ReadonlyArray<Problem>> =>
  parseStrictJson(text).pipe(
    Result.mapError((problem) => [problem]),
    Result.flatMap((document) => readDefinition(document, options))
  )

/** Reads a parsed document. Prefer `parseDefinition`, because a JSON parser may have dropped repeated keys. */
export const readDefinition = (
  document: unknown,
  options: HostOptions = {}
): Result.Result<ProviderDefinition, ReadonlyArray<Problem>> => {
  if (!Predicate.isObject(document)) return Result.fail([{ path: "", message: "must be a JSON object" }])
  const problems: Array<Problem> = []
  const plain = currentForm(document)
  const decoded = decode(plain, problems)
  if (decoded === undefined) return Result.fail(problems)
  const definition: ProviderDefinition = complete(decoded)
  checkDefinition(definition, options, tellBy((path, message) => problems.push({ path: jsonPointer(path), message })))
  return problems.length === 0 ? Result.succeed(definition) : Result.fail(problems)
}

type Json = Readonly<Record<string, unknown>>

/** Removes nulls, which mean "absent" everywhere except in `header_prefix`, where null means no prefix. */
const withoutNulls = (value: Json): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => item !== null || name === "header_prefix")
      .map(([name, item]) => [name, item === null ? "" : Predicate.isObject(item) ? withoutNulls(item) : item])
  )

const currentForm = (document: Json): Record<string, unknown> => {
  const plain = withoutNulls(document)
  // `$schema` is only a hint for editors.
  if (typeof plain["$schema"] === "string") delete plain["$schema"]
  if (Predicate.isObject(plain["oauth"])) {
    const oauth: Record<string, unknown> = { ...plain["oauth"] }
    const { registration } = plain
    if (Predicate.isObject(registration) && Object.keys(registration).join() === "registration_endpoint") {
      oauth["registration_url"] ??= registration["registration_endpoint"]
      delete plain["registration"]
    }
    if (oauth["device_token_request"] === "oauth2_form") oauth["device_token_request"] = "form"
    plain["oauth"] = oauth
  }
  if (Predicate.isObject(plain["export"])) plain["export"] = currentExport(plain["export"], plain)
  return plain
}

/** Converts `{"OPENAI_API_KEY":"API_TOKEN"}` to `{"env":{"api_key":["OPENAI_API_KEY"]}}`. */
const currentExport = (section: Json, document: Json): Json => {
  if (section["env"] !== undefined) return section
  const main = document["auth_type"] === "oauth2" ? "access_token" : "api_key"
  const sources: Readonly<Record<string, string>> = {
    ACCESS_TOKEN: main,
    API_TOKEN: main,
    API_KEY: main,
    BASE_URL: "base_url",
    API_URL: "api_url"
  }
  const env: Record<string, Array<string>> = {}
  const others: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(section)) {
    const source = typeof value === "string" ? sources[value.toUpperCase()] : undefined
    if (source === undefined) others[name] = value
    else (env[source] ??= []).push(name)
  }
  return { ...others, env }
}

const strict = { errors: "all", onExcessProperty: "error" } as const
const decodeOAuth = Schema.decodeUnknownResult(OAuthProvider, strict)
const decodeApiKey = Schema.decodeUnknownResult(ApiKeyProvider, strict)

const decode = (plain: Json, problems: Array<Problem>): ProviderDefinition | undefined => {
  const authType = plain["auth_type"]
  if (authType !== "oauth2" && authType !== "api_key") {
    problems.push({ path: "/auth_type", message: "must be \"oauth2\" or \"api_key\"" })
    return undefined
  }
  const foreign = authType === "oauth2" ? "api_key" : "oauth"
  const own = authType === "oauth2" ? "oauth" : "api_key"
  const subject = Object.hasOwn(plain, foreign)
    ? Object.fromEntries(Object.entries(plain).filter(([name]) => name !== foreign))
    : plain
  if (subject !== plain) {
    problems.push({ path: `/${foreign}`, message: `is not allowed where auth_type is "${authType}"; use "${own}"` })
  }
  const result: Result.Result<ProviderDefinition, Schema.SchemaError> = authType === "oauth2"
    ? decodeOAuth(subject)
    : decodeApiKey(subject)
  if (Result.isSuccess(result)) return result.success
  problems.push(...problemsOf(result.failure))
  return undefined
}

const complete = (definition: ProviderDefinition): ProviderDefinition => {
  const displayName = definition.displayName === "" ? definition.name : definition.displayName
  const regions = definition.regions.map((region) => ({
    ...region,
    hosts: region.hosts.length > 0 ? region.hosts : [region.baseUrl.replace(/^https?:\/\//, "").replace(/\/.*$/s, "")]
  }))
  return {
    ...definition,
    displayName,
    regions,
    hosts: [
      ...definition.hosts,
      ...new Set(regions.flatMap(({ hosts }) => hosts).filter((host) => !definition.hosts.includes(host)))
    ],
    flows: definition.flows.length > 0 ? definition.flows : [definition.flow]
  } as ProviderDefinition
}
