/**
 * Reads a provider definition from JSON and reports every problem with its location.
 *
 * Documents of older tools (`registration`, `device_token_request`, flat `export`, `metadata.description`, `docs`,
 * nulls for absent values) are first converted. `providers/DefinitionReader.ts` adds the checks that need more than
 * pure code.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Problem } from "../Errors.ts"
import { problemsOf } from "../text/SchemaProblems.ts"
import { jsonPointer, parseStrictJson } from "../text/StrictJson.ts"
import type { HostOptions } from "./HostPattern.ts"
import { ApiKeyProvider, type FlowKind, OAuthProvider, type ProviderDefinition } from "./Provider.ts"
import { checkDefinition } from "./ProviderChecks.ts"

export interface ReadOptions extends HostOptions {}

export const parseDefinition = (
  text: string,
  options: ReadOptions = {}
): Result.Result<ProviderDefinition, ReadonlyArray<Problem>> =>
  parseStrictJson(text).pipe(
    Result.mapError((problem) => [problem]),
    Result.flatMap((document) => readDefinition(document, options))
  )

/** Prefer `parseDefinition`: a JSON parser may have dropped repeated keys. */
export const readDefinition = (
  document: unknown,
  options: ReadOptions = {}
): Result.Result<ProviderDefinition, ReadonlyArray<Problem>> => {
  if (!Predicate.isObject(document)) return Result.fail([{ path: "", message: "must be a JSON object" }])
  const problems: Array<Problem> = []
  const plain = currentForm(document)
  const decoded = decode(plain, problems)
  if (decoded === undefined) return Result.fail(problems)
  const definition: ProviderDefinition = complete(decoded)
  checkDefinition(definition, options, (path, message) => problems.push({ path: jsonPointer(path), message }))
  return problems.length === 0 ? Result.succeed(definition) : Result.fail(problems)
}

type Json = Readonly<Record<string, unknown>>

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

// ---------------------------------------------------------------------------------------------------------------------
// Older forms
// ---------------------------------------------------------------------------------------------------------------------

/** Null means "absent" everywhere except in `header_prefix`, where null means no prefix. */
const withoutNulls = (value: Json): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => item !== null || name === "header_prefix")
      .map(([name, item]) => [name, item === null ? "" : Predicate.isObject(item) ? withoutNulls(item) : item])
  )

const rename = (object: Record<string, unknown>, from: string, to: string): void => {
  if (!Object.hasOwn(object, from)) return
  if (!Object.hasOwn(object, to)) object[to] = object[from]
  delete object[from]
}

const currentForm = (document: Json): Record<string, unknown> => {
  const plain = withoutNulls(document)
  // A hint for editors, not part of the definition.
  if (typeof plain["$schema"] === "string") delete plain["$schema"]
  rename(plain, "docs", "docs_url")
  rename(plain, "host_url", "api_url")
  if (Predicate.isObject(plain["metadata"])) {
    const { description, ...others } = plain["metadata"]
    if (description !== undefined && plain["description"] === undefined) plain["description"] = description
    if (Object.keys(others).length === 0) delete plain["metadata"]
    else plain["metadata"] = others
  }
  const oauth: Record<string, unknown> | undefined = Predicate.isObject(plain["oauth"])
    ? { ...plain["oauth"] }
    : undefined
  if (oauth !== undefined) {
    if (Predicate.isObject(plain["registration"])) {
      const { registration_endpoint: endpoint, ...others } = plain["registration"]
      if (endpoint !== undefined && oauth["registration_url"] === undefined) oauth["registration_url"] = endpoint
      if (Object.keys(others).length === 0) delete plain["registration"]
      else plain["registration"] = others
    }
    rename(oauth, "registration_endpoint", "registration_url")
    if (oauth["device_token_request"] === "oauth2_form") oauth["device_token_request"] = "form"
    const hints: ReadonlyArray<[string, FlowKind]> = [["supports_device_code", "device_code"], [
      "supports_dcr",
      "dcr_pkce"
    ]]
    const hinted = hints.filter(([name]) => oauth[name] === true).map(([, flow]) => flow)
    for (const [name] of hints) delete oauth[name]
    if (hinted.length > 0 && plain["flows"] === undefined && typeof plain["flow"] === "string") {
      plain["flows"] = [...new Set([plain["flow"], ...hinted])].filter((flow) =>
        flow !== "device_code" || plain["flow"] === flow || oauth["device_authorization_url"] !== undefined
      )
    }
    plain["oauth"] = oauth
  }
  if (Predicate.isObject(plain["export"])) plain["export"] = currentExport(plain["export"], plain)
  return plain
}

/** Converts `{"OPENAI_API_KEY":"API_TOKEN"}` to `{"env":{"api_key":["OPENAI_API_KEY"]}}`. */
const currentExport = (section: Json, document: Json): Json => {
  const main = document["auth_type"] === "oauth2" ? "access_token" : "api_key"
  const sources: Readonly<Record<string, string>> = {
    ACCESS_TOKEN: main,
    API_TOKEN: main,
    API_KEY: main,
    BASE_URL: "base_url",
    API_URL: "api_url"
  }
  const env: Record<string, unknown> = Predicate.isObject(section["env"]) ? { ...section["env"] } : {}
  const others: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(section)) {
    if (name === "env") continue
    const source = typeof value === "string" ? sources[value.toUpperCase()] : undefined
    if (source === undefined) others[name] = value
    else {
      const before = env[source]
      env[source] = before === undefined ? name : [...(typeof before === "string" ? [before] : strings(before)), name]
    }
  }
  const flat = Predicate.isObject(section["env"]) || Object.keys(env).length > 0
  return { ...others, ...(flat || section["env"] === undefined ? { env } : { env: section["env"] }) }
}

// ---------------------------------------------------------------------------------------------------------------------
// Shape
// ---------------------------------------------------------------------------------------------------------------------

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
  return definition.authType === "oauth2"
    ? { ...definition, displayName, flows: definition.flows.length > 0 ? definition.flows : [definition.flow] }
    : { ...definition, displayName, flows: definition.flows.length > 0 ? definition.flows : [definition.flow] }
}
