/**
 * Reading a provider definition from JSON, with every problem named by its place.
 *
 * The reading is a superset: documents of older tools (`registration`, `device_token_request`, flat `export`,
 * `metadata.description`, `docs`, nulls for absent values) are first rewritten to the present form. Whether a suffix is
 * public and whether a pattern is safe needs more than pure code; `providers/DefinitionReader.ts` adds those.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Problem } from "./Errors.ts"
import {
  fillsTemplate,
  type HostOptions,
  isBaseUrlTemplate,
  parseAddress,
  parseBaseUrl,
  parseBaseUrlTemplate,
  parseHostPattern
} from "./HostPattern.ts"
import {
  ApiKeyProvider,
  credentialFields,
  definedBaseUrl,
  exportNames,
  type FlowKind,
  OAuthProvider,
  placeholderMarker,
  type Placement,
  type ProviderDefinition
} from "./Provider.ts"
import { jsonPointer, parseStrictJson } from "./StrictJson.ts"

export interface ReadOptions extends HostOptions {}

/** Reads the text of a document. */
export const parseDefinition = (
  text: string,
  options: ReadOptions = {}
): Result.Result<ProviderDefinition, ReadonlyArray<Problem>> =>
  parseStrictJson(text).pipe(
    Result.mapError((problem) => [problem]),
    Result.flatMap((document) => readDefinition(document, options))
  )

/** Reads a document that has been parsed already. Prefer the text: a parser may have dropped repeated keys. */
export const readDefinition = (
  document: unknown,
  options: ReadOptions = {}
): Result.Result<ProviderDefinition, ReadonlyArray<Problem>> => {
  if (!isObject(document)) return Result.fail([{ path: "", message: "must be a JSON object" }])
  const problems: Array<Problem> = []
  const plain = currentForm(document)
  const decoded = decode(plain, problems)
  if (decoded === undefined) return Result.fail(problems)
  const definition: ProviderDefinition = complete(decoded)
  check(definition, options, (path, message) => problems.push({ path: jsonPointer(path), message }))
  return problems.length === 0 ? Result.succeed(definition) : Result.fail(problems)
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

// ---------------------------------------------------------------------------------------------------------------------
// Older forms
// ---------------------------------------------------------------------------------------------------------------------

/** Nulls mean "absent" everywhere but in `header_prefix`, where null is the bare key. */
const withoutNulls = (value: Json): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => item !== null || name === "header_prefix")
      .map(([name, item]) => [name, item === null ? "" : isObject(item) ? withoutNulls(item) : item])
  )

const rename = (object: Record<string, unknown>, from: string, to: string): void => {
  if (!Object.hasOwn(object, from)) return
  if (!Object.hasOwn(object, to)) object[to] = object[from]
  delete object[from]
}

const currentForm = (document: Json): Record<string, unknown> => {
  const plain = withoutNulls(document)
  rename(plain, "docs", "docs_url")
  rename(plain, "host_url", "api_url")
  if (isObject(plain["metadata"])) {
    const { description, ...others } = plain["metadata"]
    if (description !== undefined && plain["description"] === undefined) plain["description"] = description
    if (Object.keys(others).length === 0) delete plain["metadata"]
    else plain["metadata"] = others
  }
  const oauth: Record<string, unknown> | undefined = isObject(plain["oauth"]) ? { ...plain["oauth"] } : undefined
  if (oauth !== undefined) {
    if (isObject(plain["registration"])) {
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
  if (isObject(plain["export"])) plain["export"] = currentExport(plain["export"], plain)
  return plain
}

/** `{"OPENAI_API_KEY":"API_TOKEN"}` becomes `{"env":{"api_key":["OPENAI_API_KEY"]}}`. */
const currentExport = (section: Json, document: Json): Json => {
  const main = document["auth_type"] === "oauth2" ? "access_token" : "api_key"
  const sources: Readonly<Record<string, string>> = {
    ACCESS_TOKEN: main,
    API_TOKEN: main,
    API_KEY: main,
    BASE_URL: "base_url",
    API_URL: "api_url"
  }
  const env: Record<string, unknown> = isObject(section["env"]) ? { ...section["env"] } : {}
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
  const flat = isObject(section["env"]) || Object.keys(env).length > 0
  return { ...others, ...(flat || section["env"] === undefined ? { env } : { env: section["env"] }) }
}

// ---------------------------------------------------------------------------------------------------------------------
// Shape
// ---------------------------------------------------------------------------------------------------------------------

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "MissingKey":
        return "is missing"
      case "UnexpectedKey":
        return "is not a known field"
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

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
  for (const { message, path } of formatIssue(result.failure.issue).issues) {
    const segments = (path ?? []).map((segment) => typeof segment === "object" ? segment.key : segment)
    problems.push({ path: jsonPointer(segments), message: message.replace(/^Expected/, "must be") })
  }
  return undefined
}

const complete = (definition: ProviderDefinition): ProviderDefinition => {
  const displayName = definition.displayName === "" ? definition.name : definition.displayName
  return definition.authType === "oauth2"
    ? { ...definition, displayName, flows: definition.flows.length > 0 ? definition.flows : [definition.flow] }
    : { ...definition, displayName, flows: ["api_key"] }
}

// ---------------------------------------------------------------------------------------------------------------------
// Meaning
// ---------------------------------------------------------------------------------------------------------------------

type Tell = (path: ReadonlyArray<PropertyKey>, message: string) => void

const check = (definition: ProviderDefinition, options: ReadOptions, tell: Tell): void => {
  const allowed = options.allowInsecureLoopback === true
  if (definition.allowInsecureLoopback === true && !allowed) {
    tell(["allow_insecure_loopback"], "needs --allow-insecure-loopback when the provider is registered")
  }
  const section = definition.authType === "oauth2" ? "oauth" : "api_key"
  const baseUrl = definedBaseUrl(definition)
  checkBaseUrl([section, "base_url"], baseUrl, options, tell)
  checkLink(["docs_url"], definition.docsUrl, options, tell)
  checkLink(["credentials_url"], definition.credentialsUrl, options, tell)
  checkApiUrl(definition, options, tell)
  checkHosts(definition, options, tell)
  if (definition.authType === "oauth2") checkOAuth(definition, options, tell)
  else checkApiKey(definition, tell)
  const fields = templateFields(definition)
  checkHeaders(["extra_headers"], definition.extraHeaders, fields, tell)
  checkPlaceholder(["placeholder"], definition.placeholder, tell)
  checkExport(definition, tell)
  checkTestRequest(definition, fields, tell)
}

/** The names that a template of this definition may use. */
const templateFields = (definition: ProviderDefinition): ReadonlySet<string> =>
  definition.authType === "oauth2"
    ? new Set(["access_token", "client_id"])
    : new Set(credentialFields(definition).map(({ name }) => name))

const checkBaseUrl = (
  path: ReadonlyArray<string>,
  value: string | undefined,
  options: ReadOptions,
  tell: Tell
): void => {
  if (value === undefined) return
  const result = isBaseUrlTemplate(value) ? parseBaseUrlTemplate(value, options) : parseBaseUrl(value, options)
  if (Result.isFailure(result)) tell(path, result.failure)
  else if (isBaseUrlTemplate(value) && !fillsTemplate(value, result.success)) {
    tell(path, "is not in canonical form: lower case, no default port")
  }
}

/** A link that is shown to people: never followed by credsvc, so a fragment is fine. */
const checkLink = (
  path: ReadonlyArray<string>,
  value: string | undefined,
  options: ReadOptions,
  tell: Tell
): void => {
  if (value === undefined) return
  const result = parseAddress(value, options)
  if (Result.isFailure(result)) tell(path, result.failure)
}

const baseUrlPlace = "{base_url}"

const checkEndpoint = (
  path: ReadonlyArray<string>,
  value: string | undefined,
  options: ReadOptions,
  tell: Tell
): void => {
  if (value === undefined) return
  const inTenant = value.startsWith(baseUrlPlace)
  const address = inTenant ? `https://tenant.invalid${value.slice(baseUrlPlace.length)}` : value
  const result = parseAddress(address, options)
  if (Result.isFailure(result)) tell(path, result.failure)
  else if (/[{}]/.test(address)) tell(path, `may only begin with ${baseUrlPlace}, and has no other places`)
  else if (inTenant && !/^$|^[/?]/.test(value.slice(baseUrlPlace.length))) {
    tell(path, `must have a path after ${baseUrlPlace}`)
  } else if (result.success.rest.includes("#")) tell(path, "must not have a fragment")
}

const checkApiUrl = ({ apiUrl }: ProviderDefinition, options: ReadOptions, tell: Tell): void => {
  if (apiUrl === undefined) return
  if (/^https?:\/\//i.test(apiUrl) || apiUrl.startsWith(baseUrlPlace)) {
    checkEndpoint(["api_url"], apiUrl, options, tell)
    if (/[?]/.test(apiUrl)) tell(["api_url"], "must not have a query")
    return
  }
  const result = parseHostPattern(apiUrl, options)
  if (Result.isFailure(result)) tell(["api_url"], result.failure)
}

const checkHosts = (definition: ProviderDefinition, options: ReadOptions, tell: Tell): void => {
  const seen = new Set<string>()
  for (const [index, entry] of definition.hosts.entries()) {
    const inTenant = entry.startsWith(baseUrlPlace)
    const result = parseHostPattern(inTenant ? `tenant.invalid${entry.slice(baseUrlPlace.length)}` : entry, options)
    if (Result.isFailure(result)) tell(["hosts", index], result.failure)
    else if (inTenant && !/^$|^\//.test(entry.slice(baseUrlPlace.length))) {
      tell(["hosts", index], `must have a path after ${baseUrlPlace}`)
    }
    if (seen.has(entry)) tell(["hosts", index], "is listed twice")
    seen.add(entry)
  }
}

/** Parameters that a flow computes; a definition that sets them would break its protection. */
const flowParameters =
  /^(?:client_id|client_secret|code|code_challenge|code_challenge_method|code_verifier|device_code|grant_type|redirect_uri|refresh_token|response_type|state)$/

const checkOAuth = (
  definition: Extract<ProviderDefinition, { authType: "oauth2" }>,
  options: ReadOptions,
  tell: Tell
): void => {
  const { flow, flows, oauth } = definition
  if (!flows.includes(flow)) tell(["flows"], `must contain the default flow "${flow}"`)
  if (new Set(flows).size !== flows.length) tell(["flows"], "lists a flow twice")
  const endpoints: ReadonlyArray<[string, string | undefined]> = [
    ["authorization_url", oauth.authorizationUrl],
    ["token_url", oauth.tokenUrl],
    ["revocation_url", oauth.revocationUrl],
    ["device_authorization_url", oauth.deviceAuthorizationUrl],
    ["device_token_url", oauth.deviceTokenUrl],
    ["registration_url", oauth.registrationUrl],
    ["issuer", oauth.issuer],
    ["resource", oauth.resource]
  ]
  for (const [name, value] of endpoints) checkEndpoint(["oauth", name], value, options, tell)
  const discovers = oauth.issuer !== undefined || oauth.resource !== undefined
  for (const kind of flows) {
    if (discovers) break
    const needed: ReadonlyArray<[string, string | undefined]> = kind === "device_code"
      ? [["device_authorization_url", oauth.deviceAuthorizationUrl], ["token_url", oauth.tokenUrl]]
      : [["authorization_url", oauth.authorizationUrl], ["token_url", oauth.tokenUrl]]
    for (const [name, value] of needed) {
      if (value === undefined) {
        tell(["oauth", name], `is needed by the flow "${kind}" when there is no issuer or resource`)
      }
    }
  }
  const fields = templateFields(definition)
  checkHeaderName(["oauth", "header_name"], oauth.headerName, tell)
  checkHeaderValue(["oauth", "header_prefix"], oauth.headerPrefix ?? "", fields, tell)
  checkHeaders(["oauth", "headers"], oauth.headers, fields, tell)
  for (
    const [section, params] of [["authorization_params", oauth.authorizationParams], [
      "token_params",
      oauth.tokenParams
    ]] as const
  ) {
    for (const name of Object.keys(params)) {
      if (flowParameters.test(name)) tell(["oauth", section, name], "is set by the flow itself")
    }
  }
}

const checkApiKey = (definition: Extract<ProviderDefinition, { authType: "api_key" }>, tell: Tell): void => {
  const { apiKey } = definition
  const names = new Set<string>()
  for (const [index, field] of apiKey.fields.entries()) {
    if (names.has(field.name)) tell(["api_key", "fields", index, "name"], "is used twice")
    names.add(field.name)
    if (field.placeholder !== undefined) {
      checkPlaceholder(["api_key", "fields", index, "placeholder"], field.placeholder, tell)
    }
    checkPattern(["api_key", "fields", index, "pattern"], field.pattern, tell)
  }
  if (apiKey.fields.length > 0 && !apiKey.fields.some(({ secret }) => secret)) {
    tell(["api_key", "fields"], "has no secret field")
  }
  checkPattern(["api_key", "key_pattern"], apiKey.keyPattern, tell)
  const fields = templateFields(definition)
  checkPlacement(["api_key"], apiKey, fields, tell)
  for (const [host, placement] of Object.entries(apiKey.perHost)) {
    if (!definition.hosts.includes(host)) tell(["api_key", "per_host", host], "is not an entry of hosts")
    checkPlacement(["api_key", "per_host", host], placement, fields, tell)
  }
}

const checkPlacement = (
  path: ReadonlyArray<string>,
  placement: Placement,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  const carriers = [placement.headerName, placement.queryParam, placement.basic].filter((item) => item !== undefined)
  if (carriers.length > 1) tell(path, "may have only one of header_name, query_param and basic")
  if (placement.headerPrefix !== undefined && (placement.queryParam !== undefined || placement.basic !== undefined)) {
    tell([...path, "header_prefix"], "has no meaning beside query_param or basic")
  }
  checkHeaderName([...path, "header_name"], placement.headerName, tell)
  checkHeaderValue([...path, "header_prefix"], placement.headerPrefix ?? "", new Set(), tell)
  checkHeaders([...path, "headers"], placement.headers, fields, tell)
  if (placement.queryParam !== undefined && !/^[A-Za-z0-9_.~-]+$/.test(placement.queryParam)) {
    tell([...path, "query_param"], "must be letters, digits, dot, underscore, tilde or hyphen")
  }
  if (placement.basic !== undefined) {
    if (placement.basic.username.includes(":")) tell([...path, "basic", "username"], "must not hold a colon")
    checkTemplate([...path, "basic", "username"], placement.basic.username, fields, tell)
    checkTemplate([...path, "basic", "password"], placement.basic.password, fields, tell)
  }
}

/** Headers that belong to the connection or to framing, and never to a definition. */
const forbiddenHeaders =
  /^(?:host|content-length|content-encoding|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|cookie|forwarded|via|proxy-.*|sec-.*|x-forwarded-.*|:.*)$/i

const checkHeaderName = (path: ReadonlyArray<PropertyKey>, name: string | undefined, tell: Tell): void => {
  if (name === undefined) return
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)) tell(path, "is not a header name")
  else if (forbiddenHeaders.test(name)) tell(path, "is a header that a definition may not set")
}

const checkHeaderValue = (
  path: ReadonlyArray<PropertyKey>,
  value: string,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  if (!/^[\u0020-\u007e]*$/.test(value)) tell(path, "must be printable ASCII")
  else if (value !== value.trim()) tell(path, "must not begin or end with a space")
  checkTemplate(path, value, fields, tell)
}

const checkHeaders = (
  path: ReadonlyArray<PropertyKey>,
  headers: Readonly<Record<string, string>>,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    checkHeaderName([...path, name], name, tell)
    checkHeaderValue([...path, name], value, fields, tell)
    if (seen.has(name.toLowerCase())) tell([...path, name], "is listed twice in different case")
    seen.add(name.toLowerCase())
  }
}

const checkTemplate = (
  path: ReadonlyArray<PropertyKey>,
  template: string,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  for (const [, name] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (!fields.has(name!)) {
      const known = fields.size === 0 ? "no field may be used here" : `the fields are ${[...fields].join(", ")}`
      tell(path, `uses a field that is not declared; ${known}`)
    }
  }
  if (/[{}]/.test(template.replaceAll(/\{[^{}]*\}/g, ""))) tell(path, "has a brace without its partner")
}

const checkPattern = (path: ReadonlyArray<PropertyKey>, pattern: string | undefined, tell: Tell): void => {
  if (pattern === undefined) return
  try {
    RegExp(`^(?:${pattern})$`)
  } catch {
    tell(path, "is not a valid regular expression")
  }
}

const checkPlaceholder = (path: ReadonlyArray<PropertyKey>, value: string, tell: Tell): void => {
  if (!value.includes(placeholderMarker)) tell(path, `must contain "${placeholderMarker}"`)
  if (!/^[\u0021-\u007e]*$/.test(value)) tell(path, "must be printable ASCII without spaces")
}

/** Variables that steer programs; a definition must not be able to set them in a child. */
const forbiddenVariables =
  /^(?:PATH|HOME|SHELL|USER|IFS|ENV|BASH_ENV|PS\d|TMPDIR|EDITOR|PAGER|BROWSER|LD_.*|DYLD_.*|NODE_.*|npm_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_(?!.*TOKEN).*|(?:HTTPS?|ALL|NO|FTP)_PROXY|SSL_CERT_.*|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|CREDSVC_.*)$/i

const checkExport = (definition: ProviderDefinition, tell: Tell): void => {
  const known = new Set([
    ...(definition.authType === "oauth2" ? ["access_token"] : credentialFields(definition).map(({ name }) => name)),
    "base_url",
    "api_url"
  ])
  for (const [field, names] of Object.entries(definition.export.env)) {
    if (!known.has(field)) tell(["export", "env", field], `is not a field; the fields are ${[...known].join(", ")}`)
    for (const name of typeof names === "string" ? [names] : names) {
      if (forbiddenVariables.test(name) && name !== "NODE_AUTH_TOKEN") {
        tell(["export", "env", field], `names ${name}, which steers programs and may not be set`)
      }
    }
  }
  const names = exportNames(definition).map(({ variable }) => variable)
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    tell(["export", "env"], `uses the variable ${name} twice`)
  }
}

const checkTestRequest = (definition: ProviderDefinition, fields: ReadonlySet<string>, tell: Tell): void => {
  const request = definition.testRequest
  if (request === undefined) return
  if (!/^\/(?!\/)[\u0021-\u005b\u005d-\u007e]*$/.test(request.path)) {
    tell(["test_request", "path"], "must begin with one slash and hold no spaces or backslashes")
  }
  checkTemplate(["test_request", "path"], request.path, fields, tell)
  if (request.body !== undefined && request.method !== "POST") {
    tell(["test_request", "body"], "belongs to a POST only")
  }
}
