/** Derives the values of connections from a definition: credential fields, variables and base URLs. */
import { variablePrefix } from "../wire/Names.ts"
import { type FlowKind, isStoredGrant } from "../wire/ProviderName.ts"
import type { ApiKeySection, CredentialField, Placement, ProviderDefinition, TestRequest } from "./Provider.ts"
import { plainGrantValues, type StoredGrant, storedGrantOf } from "./StoredGrants.ts"

export const sectionName = ({ authType }: ProviderDefinition) => authType === "oauth2" ? "oauth" : "api_key"

export const sectionOf = (definition: ProviderDefinition) =>
  definition.authType === "oauth2" ? definition.oauth : definition.apiKey

/** The placement for all hosts, then those for single entries of `hosts`, each with its place in the document. */
export const placementsOf = (
  definition: ProviderDefinition
): ReadonlyArray<{ readonly place: ReadonlyArray<string>; readonly placement: Placement }> => {
  const [name, section] = [sectionName(definition), sectionOf(definition)]
  const entries = Object.entries(section.perHost)
  return [
    { place: [name], placement: section },
    ...entries.map(([entry, placement]) => ({ place: [name, "per_host", entry], placement }))
  ]
}

/** The templates of all places except the main place. */
export const templatesOf = ({ body, headers, messages, pathTemplates, query }: Placement): ReadonlyArray<string> => [
  ...[headers, query, body, messages?.fields ?? {}].flatMap((places) => Object.values(places)),
  ...pathTemplates
]

/** Tells whether a template carries the field. If no template carries the secret, `Authorization` does. */
export const hasFurtherPlace = (placement: Placement, field: string): boolean =>
  templatesOf(placement).some((template) => template.includes(`{${field}}`))

/** The stored grant of connections that this flow has created, if they have one. */
const storedGrantBy = (definition: ProviderDefinition, flow: FlowKind): StoredGrant | undefined =>
  definition.authType === "oauth2" && isStoredGrant(flow) ? storedGrantOf(definition.oauth, flow) : undefined

/** The test request of connections that this flow has created, if they have one. */
export const testRequestOf = (definition: ProviderDefinition, flow: FlowKind): TestRequest | undefined => {
  const grant = storedGrantBy(definition, flow)
  return grant?.section.testRequest ?? definition.testRequest
}

/** The base URLs of the regions, and the default or the templates of the base URL. */
export const definedBaseUrls = (definition: ProviderDefinition): ReadonlyArray<string> => {
  const { baseUrl } = sectionOf(definition)
  const forms = baseUrl === undefined ? [] : typeof baseUrl === "string" ? [baseUrl] : baseUrl
  return [...definition.regions.map((region) => region.baseUrl), ...forms]
}

/** The usual base URL, which is the first of `definedBaseUrls`, if any. */
export const definedBaseUrl = (definition: ProviderDefinition): string | undefined => definedBaseUrls(definition)[0]

/** Whether a login may name a base URL under the customer's own domain. */
export const acceptsCustomDomain = (definition: ProviderDefinition): boolean =>
  sectionOf(definition).customDomain === true

export interface LoginField {
  readonly name: string
  readonly label: string
  readonly secret: boolean
  readonly required: boolean
  readonly pattern: string | undefined
  readonly hint: string | undefined
}

const titleOf = (name: string): string => {
  const words = name.replaceAll("_", " ").replace(/\b(api|id|url)\b/g, (word) => word.toUpperCase())
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

export const fieldTitle = ({ label, name }: { readonly name: string; readonly label?: string }): string =>
  label ?? titleOf(name)

const declaredFields = (definition: ProviderDefinition): ReadonlyArray<CredentialField> =>
  definition.authType === "oauth2"
    ? definition.oauth.fields
    : definition.apiKey.fields.length > 0
    ? definition.apiKey.fields
    : [{ name: "api_key", secret: true }]

/** Lists the fields of the credential that a login asks for, in order, without the client ID and secret. */
export const credentialFields = (definition: ProviderDefinition): ReadonlyArray<LoginField> => {
  const { keyPattern, keyPatternHint }: Partial<ApiKeySection> = definition.authType === "oauth2"
    ? {}
    : definition.apiKey
  const declared = declaredFields(definition)
  const main = mainField(definition)
  return declared.map((field) => ({
    name: field.name,
    label: fieldTitle(field),
    secret: field.secret,
    required: field.required !== false,
    pattern: field.pattern ?? (field.name === main ? keyPattern : undefined),
    hint: field.hint ?? (field.name === main ? keyPatternHint : undefined)
  }))
}

/** The names of the fields that a login may leave empty. */
export const optionalFields = (definition: ProviderDefinition): ReadonlyArray<string> =>
  declaredFields(definition).filter(({ required }) => required === false).map(({ name }) => name)

/** The names of the secret values that a request may carry. With `plain`, fields that are not in it are secret, too. */
export const secretFields = (
  definition: ProviderDefinition,
  plain?: Readonly<Record<string, string>>
): ReadonlyArray<string> => [
  ...(definition.authType === "oauth2" ? ["access_token"] : []),
  ...declaredFields(definition).filter(({ name, secret }) => secret || (plain && !Object.hasOwn(plain, name)))
    .map(({ name }) => name)
]

/** The names of the values that the lookup after a login returns, other than the base URL. None is secret. */
export const lookupFields = (definition: ProviderDefinition): ReadonlyArray<string> =>
  definition.authType === "oauth2"
    ? Object.keys(definition.oauth.lookup?.values ?? {}).filter((name) => name !== "base_url")
    : []

/** The names of the values of a connection that are not secret. */
export const plainFieldNames = (definition: ProviderDefinition, flow: FlowKind): ReadonlyArray<string> => [
  ...plainGrantValues(storedGrantBy(definition, flow)),
  ...credentialFields(definition).filter(({ secret }) => !secret).map(({ name }) => name),
  ...lookupFields(definition)
]

/** The field that a placement without a template carries: `access_token`, `api_key`, or the first secret field. */
export const mainField = (definition: ProviderDefinition): string => {
  if (definition.authType === "oauth2") return "access_token"
  const { fields } = definition.apiKey
  if (fields.length === 0 || fields.some(({ name }) => name === "api_key")) return "api_key"
  return (fields.find(({ secret }) => secret) ?? fields[0]!).name
}

/** An environment variable that carries a value of a connection. */
interface ExportName {
  /** A credential field, or `base_url`, `api_url` or `region`. */
  readonly field: string
  readonly variable: string
  readonly secret: boolean
  /** Whether this is the main name of a field. `scan` and `run` also use the alternative names; `export` omits them. */
  readonly primary: boolean
  /** The value that `run` gives to a child process; undefined if the real value is not secret. */
  readonly placeholder: string | undefined
}

/** Lists the variables of a connection: of its fields in their order, then of `base_url`, `api_url` and `region`. */
export const exportNames = (definition: ProviderDefinition): ReadonlyArray<ExportName> => {
  const declared = declaredFields(definition)
  const fields: ReadonlyArray<CredentialField> = definition.authType === "oauth2"
    ? [
      { name: "access_token", secret: true },
      ...declared,
      ...lookupFields(definition).map((name) => ({ name, secret: false }))
    ]
    : declared
  const env = definition.export.env
  const main = mainField(definition)
  const own = definition.authType === "api_key" ? definition.apiKey.envVar : undefined
  const named = (field: string): ReadonlyArray<string> => {
    const given = Object.hasOwn(env, field) ? env[field]! : []
    return typeof given === "string" ? [given] : given
  }
  const names = fields.flatMap(({ name, placeholder, secret }) => {
    const first = Object.hasOwn(env, name)
      ? named(name)
      : [name === main && own !== undefined ? own : `${variablePrefix(definition.name)}_${name.toUpperCase()}`]
    const all = name === main && own !== undefined && !first.includes(own) ? [...first, own] : first
    return all.map((variable, index) => ({
      field: name,
      variable,
      secret,
      primary: index === 0,
      placeholder: secret ? placeholder ?? definition.placeholder : placeholder
    }))
  })
  const addresses = ["base_url", "api_url", ...(definition.regions.length > 0 ? ["region"] : [])].flatMap((field) =>
    named(field).map((variable, index) => ({
      field,
      variable,
      secret: false,
      primary: index === 0,
      placeholder: undefined
    }))
  )
  return [...names, ...addresses]
}

/** Removes variables from the exports of a definition. A field that loses its only variable gets no default variable. */
export const withoutVariables = (
  definition: ProviderDefinition,
  withheld: ReadonlySet<string>
): ProviderDefinition => {
  const kept = Map.groupBy(exportNames(definition), ({ field }) => field)
  const variables = {
    ...definition.export,
    env: Object.fromEntries(
      [...kept].map(([field, names]) => [
        field,
        names.map(({ variable }) => variable).filter((variable) => !withheld.has(variable))
      ])
    ),
    baseUrls: Object.fromEntries(
      Object.entries(definition.export.baseUrls).filter(([variable]) => !withheld.has(variable))
    )
  }
  if (definition.authType === "oauth2") return { ...definition, export: variables }
  const { envVar: _, ...apiKey } = definition.apiKey
  return { ...definition, apiKey, export: variables }
}

/** Whether a login of this flow names the resource of the definition to the authorization server (RFC 8707). */
export const namesResource = (definition: ProviderDefinition, flow: FlowKind): boolean =>
  definition.authType === "oauth2" && definition.oauth.resource !== undefined && !isStoredGrant(flow)
