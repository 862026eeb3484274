/** Validates a provider definition beyond its schema: its URLs, hosts, headers, templates, variables and flows. */
import * as Result from "effect/Result"
import { hasPart, PLACEHOLDER } from "../injection/Placeholder.ts"
import { compileRoutes } from "../injection/Route.ts"
import { isPlaceholderText, type VariableKind, variableProblem } from "../injection/VariableName.ts"
import { checkHmac } from "./HmacChecks.ts"
import {
  canonicalHost,
  fillsTemplate,
  type HostOptions,
  isBaseUrlTemplate,
  parseAddress,
  parseBaseUrl,
  parseBaseUrlTemplate,
  parseHostPattern,
  templateSuffix
} from "./HostPattern.ts"
import { checkIssuedTokens } from "./IssuedTokenChecks.ts"
import { baseUrlPlace, checkEndpoint, checkPattern, checkValueName } from "./PartChecks.ts"
import {
  checkFurtherPlaces,
  checkHeaderName,
  checkHeaders,
  checkHeaderValue,
  checkParameterName,
  checkPlacement,
  checkTemplate,
  type Tell
} from "./PlacementChecks.ts"
import {
  type CredentialField,
  isOwnFlow,
  isStoredGrant,
  type ProviderDefinition,
  StoredGrantKind,
  type TestRequest,
  type TokenResponsePointers
} from "./Provider.ts"
import {
  acceptsCustomDomain,
  credentialFields,
  definedBaseUrls,
  exportNames,
  lookupFields,
  mainField,
  placementsOf,
  sectionName,
  sectionOf
} from "./ProviderFields.ts"
import { expandBaseUrl, hostFor, hostsOf, regionAt, routeTo } from "./ProviderHosts.ts"
import { checkSigning } from "./SigV4Checks.ts"
import { checkStoredGrants } from "./StoredGrantChecks.ts"
import { plainValues, storedGrantOf } from "./StoredGrants.ts"

export const checkDefinition = (definition: ProviderDefinition, options: HostOptions, tell: Tell): void => {
  const allowed = options.allowInsecureLoopback === true
  if (definition.allowInsecureLoopback === true && !allowed) {
    tell(["allow_insecure_loopback"], "needs --allow-insecure-loopback when the provider is registered")
  }
  const section = sectionName(definition)
  const forms = definedBaseUrls(definition).slice(definition.regions.length)
  for (const [index, form] of forms.entries()) {
    checkBaseUrl(form, options, tell.at(section, "base_url", ...(forms.length > 1 ? [index] : [])))
    if (forms.indexOf(form) !== index) tell([section, "base_url", index], "is listed twice")
  }
  if (acceptsCustomDomain(definition) && !forms.some(isBaseUrlTemplate)) {
    tell([section, "custom_domain"], "has no effect without a base_url that is a template")
  }
  checkLink(definition.docsUrl, options, tell.at("docs_url"))
  checkLink(definition.credentialsUrl, options, tell.at("credentials_url"))
  for (const [index, { read }] of definition.sources.entries()) {
    if (read.startsWith("https:")) checkLink(read, options, tell.at("sources", index, "read"))
  }
  checkNames(definition.aliases, definition.name, tell.at("aliases"))
  checkNames(definition.alternatives, definition.name, tell.at("alternatives"))
  checkApiUrl(definition, options, tell)
  checkHosts(definition, options, tell)
  checkRegions(definition, options, tell)
  for (const [index, { check, host, variable }] of definition.leftOut.entries()) {
    if ([check, host, variable].filter((each) => each !== undefined).length !== 1) {
      tell(["left_out", index], "must have exactly one of host, variable and check")
    }
  }
  const flows: ReadonlyArray<string> = definition.flows
  if (!flows.includes(definition.flow)) tell(["flows"], `must contain the default flow "${definition.flow}"`)
  if (new Set(flows).size !== flows.length) tell(["flows"], "lists a flow twice")
  if (definition.authType === "oauth2") checkOAuth(definition, options, tell)
  else checkApiKey(definition, tell)
  for (const host of Object.keys(sectionOf(definition).perHost)) {
    if (!definition.hosts.includes(host)) tell([section, "per_host", host], "must be an entry of \"hosts\"")
  }
  const fields = templateFields(definition)
  checkHeaders(definition.extraHeaders, fields, tell.at("extra_headers"))
  checkPlaceholder(definition.placeholder, tell.at("placeholder"))
  checkPlaceholders(definition, tell)
  checkExport(definition, tell)
  checkTestRequest(definition.testRequest, fields, tell.at("test_request"))
  for (const kind of StoredGrantKind.literals) {
    const grant = definition.authType === "oauth2" ? storedGrantOf(definition.oauth, kind) : undefined
    checkTestRequest(grant?.section.testRequest, fields, tell.at("oauth", kind, "test_request"))
  }
  checkSigning(definition, tell)
  checkHmac(definition, tell)
  checkIssuedTokens(definition, tell)
}

const valueNames = (definition: ProviderDefinition): ReadonlyArray<string> => [
  ...(definition.authType === "oauth2" ? ["access_token"] : []),
  ...credentialFields(definition).map(({ name }) => name),
  ...lookupFields(definition)
]

const templateFields = (definition: ProviderDefinition): ReadonlySet<string> =>
  new Set([
    ...valueNames(definition),
    ...(definition.authType === "oauth2" ? plainValues(definition.flows, definition.oauth) : [])
  ])

const authorityOf = (address: string): string => address.split("/", 3)[2] ?? ""

const checkBaseUrl = (value: string, options: HostOptions, tell: Tell): void => {
  const result = isBaseUrlTemplate(value) ? parseBaseUrlTemplate(value, options) : parseBaseUrl(value, options)
  if (Result.isFailure(result)) tell([], result.failure)
  else if (!isBaseUrlTemplate(value)) return
  else if (!fillsTemplate(value, result.success)) tell([], "must not state the default port")
  else if (/\{.*\}/.test(authorityOf(value)) && canonicalHost(templateSuffix(value)) === undefined) {
    tell([], "must have a host that ends in at least two fixed labels")
  }
}

/** Checks the URL of a page that the user opens. It may have a fragment, because credsvc never requests it. */
const checkLink = (value: string | undefined, options: HostOptions, tell: Tell): void => {
  if (value === undefined) return
  const result = parseAddress(value, options)
  if (Result.isFailure(result)) tell([], result.failure)
}

const checkNames = (names: ReadonlyArray<string>, own: string, tell: Tell): void => {
  for (const [index, name] of names.entries()) {
    if (name === own) tell([index], "is the provider itself")
    if (names.indexOf(name) !== index) tell([index], "is listed twice")
  }
}

const checkApiUrl = ({ apiUrl }: ProviderDefinition, options: HostOptions, tell: Tell): void => {
  if (apiUrl === undefined) return
  if (/^https?:\/\//i.test(apiUrl) || apiUrl.startsWith(baseUrlPlace)) {
    checkEndpoint(apiUrl, options, tell.at("api_url"))
    if (/[?]/.test(apiUrl)) tell(["api_url"], "must not have a query")
    return
  }
  const result = parseHostPattern(apiUrl, options)
  if (Result.isFailure(result)) tell(["api_url"], result.failure)
}

const checkHosts = (definition: ProviderDefinition, options: HostOptions, tell: Tell): void => {
  const placeOf = (entry: string, index: number) => {
    const region = definition.regions.findIndex(({ hosts }) => hosts.includes(entry))
    return region < 0
      ? ["hosts", index]
      : ["regions", region, "hosts", definition.regions[region]!.hosts.indexOf(entry)]
  }
  for (const [index, entry] of definition.hosts.entries()) {
    const place = placeOf(entry, index)
    const inTenant = entry.startsWith(baseUrlPlace)
    const result = parseHostPattern(inTenant ? `tenant.invalid${entry.slice(baseUrlPlace.length)}` : entry, options)
    if (Result.isFailure(result)) tell(place, result.failure)
    else if (inTenant && !/^$|^[/:]/.test(entry.slice(baseUrlPlace.length))) {
      tell(place, `must have a path or a port after ${baseUrlPlace}`)
    }
    if (definition.hosts.indexOf(entry) !== index) tell(place, "is listed twice")
  }
  for (const [index, entry] of definition.publicHosts.entries()) {
    if (!definition.hosts.includes(entry)) tell(["public_hosts", index], "must be an entry of \"hosts\"")
  }
}

const checkRegions = (definition: ProviderDefinition, options: HostOptions, tell: Tell): void => {
  const { apiUrl, authType, regions } = definition
  const names = regions.map(({ name }) => name)
  if (regions.length > 0 && apiUrl?.startsWith(baseUrlPlace) === false) {
    tell(["api_url"], `must begin with ${baseUrlPlace}, because the API has regions`)
  }
  for (const [index, { authorizationUrl, baseUrl, keyPattern, name, revocationUrl }] of regions.entries()) {
    const here = tell.at("regions", index)
    if (names.indexOf(name) !== index) here(["name"], "is used twice")
    checkPattern(keyPattern, here.at("key_pattern"))
    if (keyPattern !== undefined && authType === "oauth2") here(["key_pattern"], "has no effect without an API key")
    checkEndpoint(authorizationUrl, options, here.at("authorization_url"))
    checkEndpoint(revocationUrl, options, here.at("revocation_url"))
    const result = parseBaseUrl(baseUrl, options)
    if (Result.isFailure(result)) here(["base_url"], result.failure)
    else if (regionAt(definition, result.success.href)?.name !== name) here(["base_url"], "is used twice")
    else if (!isOwnHost(definition, result.success, result.success.href)) {
      here(["base_url"], `leads to ${result.success.host}, which is not one of the hosts`)
    }
  }
}

/** Parameters that the flow itself sets. A definition that replaced them could disable the protection of the login. */
const flowParameters =
  /^(?:client_id|client_secret|code|code_challenge|code_challenge_method|code_verifier|device_code|grant_type|redirect_uri|refresh_token|response_type|state)$/

const checkOAuth = (
  definition: Extract<ProviderDefinition, { authType: "oauth2" }>,
  options: HostOptions,
  tell: Tell
): void => {
  const { flows, oauth } = definition
  const endpoints: ReadonlyArray<[string, string | undefined]> = [
    ["authorization_url", oauth.authorizationUrl],
    ["token_url", oauth.tokenUrl],
    ["refresh_url", oauth.refreshUrl],
    ["revocation_url", oauth.revocationUrl],
    ["device_authorization_url", oauth.deviceAuthorizationUrl],
    ["device_token_url", oauth.deviceTokenUrl],
    ["registration_url", oauth.registrationUrl],
    ["issuer", oauth.issuer],
    ["resource", oauth.resource]
  ]
  for (const [name, value] of endpoints) checkEndpoint(value, options, tell.at("oauth", name))
  const discovers = oauth.issuer !== undefined || oauth.resource !== undefined
  for (const kind of flows) {
    if (discovers || isStoredGrant(kind) || isOwnFlow(kind)) continue
    const first: ReadonlyArray<[string, string | undefined]> = kind === "device_code"
      ? [["device_authorization_url", oauth.deviceAuthorizationUrl]]
      : kind === "refresh_token"
      ? []
      : [["authorization_url", oauth.authorizationUrl]]
    for (const [name, value] of [...first, ["token_url", oauth.tokenUrl] as const]) {
      if (value === undefined) {
        tell(["oauth", name], `is required by the flow "${kind}", unless oauth has an issuer or a resource`)
      }
    }
  }
  checkNamedParameters(definition, tell)
  checkTokenResponse(oauth.tokenResponse, tell.at("oauth", "token_response"))
  checkLookup(definition, options, tell)
  checkFields(oauth.fields, tell.at("oauth", "fields"))
  for (const [index, { name }] of oauth.fields.entries()) {
    if (oauthValues.has(name)) {
      tell(["oauth", "fields", index, "name"], "is reserved for a value that every OAuth login has")
    }
  }
  checkStoredGrants(definition, options, tell)
  const fields = templateFields(definition)
  checkHeaderName(oauth.headerName, tell.at("oauth", "header_name"))
  checkHeaderValue(oauth.headerPrefix ?? "", fields, tell.at("oauth", "header_prefix"))
  checkFurtherPlaces(oauth, fields, tell.at("oauth"))
  for (const [host, placement] of Object.entries(oauth.perHost)) {
    const here = tell.at("oauth", "per_host", host)
    if (placement.awsSigv4 !== undefined || placement.hmac !== undefined) {
      here([], "must not use aws_sigv4 or hmac, which sign with an API key")
    }
    checkPlacement(placement, fields, here)
  }
  for (
    const [section, params] of [
      ["authorization_params", oauth.authorizationParams],
      ["token_params", oauth.tokenParams],
      ["refresh_params", oauth.refreshParams ?? {}]
    ] as const
  ) {
    for (const name of Object.keys(params)) {
      if (flowParameters.test(name)) tell(["oauth", section, name], "is set by the flow itself")
    }
  }
}

/** Checks that only tokens are read from the places of tokens: lists, logs and messages show all other values. */
const checkTokenResponse = (
  { accessToken, refreshToken, ...shown }: typeof TokenResponsePointers.Type,
  tell: Tell
): void => {
  for (const [name, place] of Object.entries(shown)) {
    if (/tokens?(?:\/\d+)?$/i.test(place) || place === accessToken || place === refreshToken) {
      tell(
        [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)],
        "is the place of a token, which must stay secret"
      )
    }
  }
}

const checkFields = (fields: ReadonlyArray<CredentialField>, tell: Tell): void => {
  const names = fields.map(({ name }) => name)
  for (const [index, field] of fields.entries()) {
    if (names.indexOf(field.name) !== index) tell([index, "name"], "is used twice")
    if (field.placeholder !== undefined) checkPlaceholder(field.placeholder, tell.at(index, "placeholder"))
    checkPattern(field.pattern, tell.at(index, "pattern"))
  }
}

/** Values that every OAuth login has, or asks for. */
const oauthValues = new Set(["access_token", "api_url", "base_url", "client_id", "client_secret", "refresh_token"])

/** The parameters that may have another name. All others protect the login, so they keep their standard names. */
const renamable = {
  authorization: ["client_id", "redirect_uri", "scope"],
  token: ["client_id", "client_secret", "code", "grant_type", "redirect_uri", "refresh_token", "scope"]
}

/** Parameters of a redirect with a standard meaning. None of them may carry the code. */
const responseParameters =
  /^(?:access_token|error|error_description|error_uri|id_token|iss|response|state|token|token_type)$/

const checkParamNames = (
  request: keyof typeof renamable,
  names: Readonly<Record<string, string>>,
  params: Readonly<Record<string, string>>,
  tell: Tell
): void => {
  const used = Object.values(names)
  for (const [index, [standard, own]] of Object.entries(names).entries()) {
    const here = tell.at("oauth", `${request}_param_names`, standard)
    if (!renamable[request].includes(standard)) {
      here([], `cannot be renamed; only these parameters can be: ${renamable[request].join(", ")}`)
    }
    checkParameterName(own, here)
    if (flowParameters.test(own) || /^(?:resource|scope|token|token_type_hint)$/.test(own)) {
      here([], "must not be the name of another parameter")
    }
    if (Object.hasOwn(params, own)) here([], `is also set by ${request}_params`)
    if (used.indexOf(own) !== index) here([], "is already the name of another parameter")
  }
}

const checkNamedParameters = ({ oauth }: Extract<ProviderDefinition, { authType: "oauth2" }>, tell: Tell): void => {
  checkParamNames("authorization", oauth.authorizationParamNames, oauth.authorizationParams, tell)
  checkParamNames("token", oauth.tokenParamNames, { ...oauth.tokenParams, ...oauth.refreshParams }, tell)
  checkParameterName(oauth.codeParam, tell.at("oauth", "code_param"))
  if (responseParameters.test(oauth.codeParam ?? "")) {
    tell(["oauth", "code_param"], "is a parameter of the redirect with another meaning")
  }
  if (oauth.codeChallengeEncoding !== "base64url" && !oauth.pkce) {
    tell(["oauth", "code_challenge_encoding"], "has no effect without pkce")
  }
}

const checkLookup = (
  definition: Extract<ProviderDefinition, { authType: "oauth2" }>,
  options: HostOptions,
  tell: Tell
): void => {
  const { fields, lookup, tokenResponse } = definition.oauth
  if (lookup === undefined) return
  const here = tell.at("oauth", "lookup")
  checkEndpoint(lookup.url, options, here.at("url"))
  const address = parseAddress(lookup.url, options)
  if (Result.isSuccess(address)) {
    const { host, port, rest } = address.success
    // The lookup sends the access token, so it must go to one of the hosts.
    if (hostFor(definition, null, { host, port, path: rest === "" ? "/" : rest }) === undefined) {
      here(["url"], "must be on one of the hosts")
    }
  }
  const names = Object.keys(lookup.values)
  if (names.length === 0) here(["values"], "must have at least one value")
  if (names.length > 8) here(["values"], "must have at most 8 values")
  for (const name of names) {
    const isValid = checkValueName(name, here.at("values", name))
    if (isValid && name !== "base_url" && (oauthValues.has(name) || fields.some((field) => field.name === name))) {
      here(["values", name], "is already a value of the login")
    }
  }
  if (lookup.values["base_url"] !== undefined && tokenResponse.baseUrl !== undefined) {
    here(["values", "base_url"], "is already in token_response")
  }
}

const checkApiKey = (definition: Extract<ProviderDefinition, { authType: "api_key" }>, tell: Tell): void => {
  const { apiKey, flows } = definition
  if (flows.includes("assume_role") !== (apiKey.awsSigv4?.assumeRole !== undefined)) {
    tell(["api_key", "aws_sigv4", "assume_role"], "and the flow \"assume_role\" require each other")
  }
  checkFields(apiKey.fields, tell.at("api_key", "fields"))
  if (apiKey.fields.length > 0 && !apiKey.fields.some(({ secret }) => secret)) {
    tell(["api_key", "fields"], "has no secret field")
  }
  checkPattern(apiKey.keyPattern, tell.at("api_key", "key_pattern"))
  const fields = templateFields(definition)
  for (const { place, placement } of placementsOf(definition)) checkPlacement(placement, fields, tell.at(...place))
}

/** Whether a placeholder is unlikely to occur in a request by coincidence: the proxy removes header fields that contain it. */
const isDistinctive = (value: string): boolean => value.length >= 20 && new Set(value).size >= 8

const checkPlaceholder = (value: string, tell: Tell): void => {
  if (!value.includes(PLACEHOLDER) && !isDistinctive(value)) {
    tell([], `must contain "${PLACEHOLDER}", or have at least 20 characters, 8 of them different`)
  }
  if (!isPlaceholderText(value)) {
    tell([], "must contain only letters, digits and . _ : ! -, and begin with a letter or digit")
  }
}

const checkPlaceholders = (definition: ProviderDefinition, tell: Tell): void => {
  const entries = Object.entries(definition.placeholderByPrefix)
  if (entries.length > 24) tell(["placeholder_by_prefix"], "must have at most 24 prefixes")
  for (const [prefix, value] of entries) {
    const here = tell.at("placeholder_by_prefix", prefix)
    if (!/^[A-Za-z0-9:-][A-Za-z0-9._:-]{1,15}$/.test(prefix)) {
      here(
        [],
        "must be the beginning of a key, or an ending with : or - as its first character, of 2 to 16 letters, digits and . _ : -"
      )
    } else if (!hasPart(value, prefix)) here([], "must begin with its prefix, or end with its suffix")
    checkPlaceholder(value, here)
  }
  const main = mainField(definition)
  const fields = definition.authType === "api_key" ? definition.apiKey.fields : []
  if (entries.length > 0 && fields.some(({ name, placeholder }) => name === main && placeholder !== undefined)) {
    tell(["placeholder_by_prefix"], `has no effect, because the field ${main} has its own placeholder`)
  }
}

const kindOf = (field: string): VariableKind => field === "base_url" || field === "api_url" ? "address" : "credential"

const isOwnHost = (
  definition: ProviderDefinition,
  { host, port }: { readonly host: string; readonly port: number },
  baseUrl?: string
) => compileRoutes(hostsOf(definition, baseUrl).map((own) => routeTo(definition, own.host))).claims(host, port)

const checkExport = (definition: ProviderDefinition, tell: Tell): void => {
  const known = new Set([
    ...valueNames(definition),
    "base_url",
    "api_url",
    ...(definition.regions.length > 0 ? ["region"] : [])
  ])
  for (const field of Object.keys(definition.export.env)) {
    if (!known.has(field)) tell(["export", "env", field], `is not a field; the fields are ${[...known].join(", ")}`)
  }
  const exported = exportNames(definition)
  // The names come from `export` and `env_var`, or are derived from the names of the provider and its fields.
  for (const { field, variable } of exported) {
    const problem = variableProblem(kindOf(field), variable)
    if (problem !== undefined) tell(["export", "env", field], problem)
  }
  for (const [variable, template] of Object.entries(definition.export.baseUrls)) {
    const address = expandBaseUrl(template, definition.regions[0]?.baseUrl)
    const tellOf = (message: string) => tell(["export", "base_urls", variable], message)
    const problem = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(variable)
      ? variableProblem("address", variable)
      : "is not a valid name for an environment variable"
    if (problem !== undefined) tellOf(problem)
    if (address === undefined) {
      tellOf(`may begin with ${baseUrlPlace} only if the API has regions`)
      continue
    }
    const result = parseAddress(address)
    if (Result.isFailure(result)) tellOf(result.failure)
    else if (!isOwnHost(definition, result.success)) {
      tellOf(`leads to ${result.success.host}, which is not one of the hosts`)
    } else if (/[?#]/.test(result.success.rest)) tellOf("must not have a query or a fragment")
  }
  const names = [...exported.map(({ variable }) => variable), ...Object.keys(definition.export.baseUrls)]
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    tell(["export"], `uses the variable ${name} twice`)
  }
}

const checkTestRequest = (request: TestRequest | undefined, fields: ReadonlySet<string>, tell: Tell): void => {
  if (request === undefined) return
  if (!/^\/(?!\/)[\u0021-\u005b\u005d-\u007e]*$/.test(request.path)) {
    tell(["path"], "must begin with a single slash and contain only visible ASCII characters except backslashes")
  }
  checkTemplate(request.path, fields, tell.at("path"))
  if (request.body !== undefined && request.method !== "POST") tell(["body"], "is allowed only with POST")
}
