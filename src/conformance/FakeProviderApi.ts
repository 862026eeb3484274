/**
 * Accepts a request only if it carries the credential where the definition says, exactly once, completely, and without
 * a placeholder anywhere. Shares no code with the injection of credentials.
 */
import { type Placement, type ProviderDefinition } from "../domain/definition/Provider.ts"
import { holdsPlaceholder } from "../domain/injection/Placeholder.ts"
import { setValueAt, valueAt } from "../platform/JsonPointer.ts"
import { headerValues, type ProviderRequest } from "./ProviderMessage.ts"
import { fillTemplate } from "./SampleGrant.ts"

export interface ApiCredential {
  readonly values: Readonly<Record<string, string>>
  /** The field that a placement without a template uses. */
  readonly main: string
}

const placementOf = (definition: ProviderDefinition, entry: string): Placement =>
  definition.authType === "oauth2"
    ? definition.oauth.perHost[entry] ?? definition.oauth
    : definition.apiKey.perHost[entry] ?? definition.apiKey

const expectedHeaders = (placement: Placement, credential: ApiCredential): Readonly<Record<string, string>> => {
  const further: Record<string, string> = {}
  for (const [name, value] of Object.entries(placement.headers)) further[name] = fillTemplate(value, credential.values)
  const { basic, headerName, headerPrefix = "Bearer", queryParam } = placement
  const { body, headers, messages, pathTemplates, query } = placement
  const elsewhere = JSON.stringify([headers, query, pathTemplates, body, messages])
    .includes(`{${credential.main}}`)
  if (placement.awsSigv4 !== undefined || placement.issuedTokensOnly === true) return {}
  if (placement.hmac !== undefined) return further
  if (basic !== undefined) {
    const pair = `${fillTemplate(basic.username, credential.values)}:${fillTemplate(basic.password, credential.values)}`
    further["Authorization"] = `Basic ${btoa(pair)}`
  } else if (queryParam === undefined && (headerName !== undefined || !elsewhere)) {
    const value = credential.values[credential.main] ?? ""
    further[headerName ?? "Authorization"] = headerPrefix === "" ? value : `${headerPrefix} ${value}`
  }
  return further
}

const expectedParameters = ({ query, queryParam }: Placement, credential: ApiCredential) => ({
  ...(queryParam === undefined ? {} : { [queryParam]: credential.values[credential.main] ?? "" }),
  ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, fillTemplate(value, credential.values)]))
})

const forwards = (text: string, exact: ReadonlyArray<string>): boolean =>
  holdsPlaceholder(text, exact) || (/^basic /i.test(text) && holdsPlaceholder(atob(text.slice(6)), exact))

/** Checks that a request has one AWS signature with the access key ID. */
const signatureObjections = ({ values }: ApiCredential, request: ProviderRequest): ReadonlyArray<string> => {
  const [authorization = "", ...more] = headerValues(request, "Authorization")
  return more.length === 0 && authorization.startsWith(`AWS4-HMAC-SHA256 Credential=${values["access_key_id"]}/`)
    ? []
    : ["the request does not have exactly one AWS signature with the access key ID"]
}

/** Checks that a request has the header fields of a signature, with the expected text around the computed parts. */
const hmacObjections = (
  recipe: NonNullable<Placement["hmac"]>,
  { values }: ApiCredential,
  request: ProviderRequest
): ReadonlyArray<string> =>
  Object.entries(recipe.headers).flatMap(([name, template]) => {
    const [value = "", ...more] = headerValues(request, name)
    const [before = "", after = ""] = template.split(/\{(?:signature|timestamp|body_hash)\}/)
    return more.length === 0 && value.startsWith(fillTemplate(before, values)) && value.endsWith(after)
      ? []
      : [`the header ${name} does not have the expected value`]
  })

/** Checks the fields of a body. They may be missing if the request head has the credential. */
const bodyObjections = (
  { body: fields, headerName, queryParam }: Placement,
  credential: ApiCredential,
  request: ProviderRequest
): ReadonlyArray<string> => {
  const isOptional = headerName !== undefined || queryParam !== undefined
  if (request.body === "" && isOptional) return []
  const isForm = headerValues(request, "content-type")[0] !== "application/json"
  const read = (place: string): unknown =>
    isForm ? new URLSearchParams(request.body).get(place) : valueAt(JSON.parse(request.body), place)
  const isWrong = (sent: unknown, template: string): boolean =>
    sent == null ? !isOptional : sent !== fillTemplate(template, credential.values)
  return Object.entries(fields)
    .filter(([place, template]) => place.startsWith("/") !== isForm && isWrong(read(place), template))
    .map(([place]) => `the field ${place} of the body does not have the expected value`)
}

/** Lists the problems of a request to the API, as sentences without secrets. Empty if the API accepts the request. */
export const objections = (
  definition: ProviderDefinition,
  entry: string,
  credential: ApiCredential,
  request: ProviderRequest
): ReadonlyArray<string> => {
  const placement = placementOf(definition, entry)
  const expected = expectedHeaders(placement, credential)
  const found: Array<string> = placement.awsSigv4 === undefined ? [] : [...signatureObjections(credential, request)]
  if (placement.hmac !== undefined) found.push(...hmacObjections(placement.hmac, credential, request))
  for (const [name, value] of Object.entries(expected)) {
    const values = headerValues(request, name)
    if (values.length !== 1) found.push(`the header ${name} occurs ${values.length} times instead of once`)
    else if (values[0] !== value) found.push(`the header ${name} does not have the expected value`)
  }
  for (const [name, value] of Object.entries(definition.extraHeaders)) {
    if (expected[name] === undefined && headerValues(request, name)[0] !== fillTemplate(value, credential.values)) {
      found.push(`the header ${name} differs from extra_headers`)
    }
  }
  for (const [name, expectedValue] of Object.entries(expectedParameters(placement, credential))) {
    const values = request.url.searchParams.getAll(name)
    if (values.length !== 1) found.push(`the query parameter ${name} occurs ${values.length} times instead of once`)
    else if (values[0] !== expectedValue) found.push(`the query parameter ${name} does not have the expected value`)
  }
  found.push(...bodyObjections(placement, credential, request))
  const begins = placement.pathTemplates.map((template) => fillTemplate(template, credential.values))
  if (begins.length > 0 && !begins.some((begin) => decodeURIComponent(request.url.pathname).startsWith(begin))) {
    found.push("the path does not contain the expected value")
  }
  const exact = [definition.placeholder, ...Object.values(definition.placeholderByPrefix)]
  if (request.headers.some(([, value]) => forwards(value, exact)) || holdsPlaceholder(request.url.href, exact)) {
    found.push("a placeholder was forwarded")
  }
  return found
}

/** Where a client inside `run` puts its placeholder, as the provider's SDK does. */
export interface ChildCarrier {
  readonly header?: readonly [name: string, value: string]
  readonly query?: string
  readonly path?: string
  readonly content?: readonly [type: string, body: string]
}

/** Where clients put the placeholder in requests to a host, one for each form of request. */
export const childCarriers = (definition: ProviderDefinition, entry: string): ReadonlyArray<ChildCarrier> => {
  const placement = placementOf(definition, entry)
  const { placeholder } = definition
  const usual = usualCarrier(placement, placeholder)
  const places = Object.keys(placement.body)
  if (places.length > 0) {
    const form = new URLSearchParams()
    const json: Record<string, unknown> = {}
    for (const place of places) {
      if (place.startsWith("/")) setValueAt(json, place, placeholder)
      else form.append(place, placeholder)
    }
    return [
      { ...usual, content: ["application/json", JSON.stringify(json)] },
      { ...usual, content: ["application/x-www-form-urlencoded", form.toString()] }
    ]
  }
  const paths = placement.pathTemplates.map((template) => template.replaceAll(/\{[^{}]*\}/g, placeholder))
  return paths.length === 0 ? [usual] : paths.map((path) => Object.assign({ path }, usual))
}

const usualCarrier = (placement: Placement, placeholder: string): ChildCarrier => {
  if (placement.basic !== undefined) return { header: ["authorization", `Basic ${btoa(`${placeholder}:`)}`] }
  const parameter = placement.queryParam ?? Object.keys(placement.query)[0]
  if (parameter !== undefined) return { query: `${parameter}=${placeholder}` }
  const [further] = [...Object.keys(placement.headers), ...Object.keys(placement.hmac?.headers ?? {})]
  const name = placement.headerName ?? (further === undefined ? "authorization" : further)
  return { header: [name.toLowerCase(), `${placement.headerPrefix ?? "Bearer"} ${placeholder}`.trim()] }
}
