/**
 * The API of a vendor, as far as authentication goes: it lets a request in when the credential stands where the definition
 * says, once, in full, and with no placeholder anywhere.
 *
 * What is expected is worked out here from the definition anew. It shares nothing with the code that places credentials.
 */
import { PLACEHOLDER } from "../domain/Placeholder.ts"
import { type Placement, type ProviderDefinition } from "../domain/Provider.ts"
import { headerValues, type VendorRequest } from "./VendorMessage.ts"

export interface ApiCredential {
  /** By field: what the login has entered or obtained. */
  readonly values: Readonly<Record<string, string>>
  /** The field that a placement without a template carries. */
  readonly main: string
}

const filled = (template: string, { values }: ApiCredential): string =>
  template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values[name] ?? "")

const placementOf = (definition: ProviderDefinition, entry: string): Placement =>
  definition.authType === "oauth2" ? definition.oauth : definition.apiKey.perHost[entry] ?? definition.apiKey

/** Headers that have to be there with exactly these values, by name. */
const expectedHeaders = (placement: Placement, credential: ApiCredential): Readonly<Record<string, string>> => {
  const further = Object.entries(placement.headers).map(([name, value]) => [name, filled(value, credential)])
  const { basic, headerName, headerPrefix = "Bearer", queryParam } = placement
  const elsewhere = JSON.stringify([placement.headers, placement.query, placement.pathTemplates])
    .includes(`{${credential.main}}`)
  if (basic !== undefined) {
    const pair = `${filled(basic.username, credential)}:${filled(basic.password, credential)}`
    further.push(["Authorization", `Basic ${btoa(pair)}`])
  } else if (queryParam === undefined && (headerName !== undefined || !elsewhere)) {
    const value = credential.values[credential.main] ?? ""
    further.push([headerName ?? "Authorization", headerPrefix === "" ? value : `${headerPrefix} ${value}`])
  }
  return Object.fromEntries(further) as Readonly<Record<string, string>>
}

const expectedParameters = ({ query, queryParam }: Placement, credential: ApiCredential) => ({
  ...(queryParam === undefined ? {} : { [queryParam]: credential.values[credential.main] ?? "" }),
  ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, filled(value, credential)]))
})

const holdsMarker = (text: string): boolean =>
  text.includes(PLACEHOLDER) || (/^basic /i.test(text) && atob(text.slice(6)).includes(PLACEHOLDER))

/** What is wrong with a request to the API, in sentences without a secret; empty when it is let in. */
export const objections = (
  definition: ProviderDefinition,
  entry: string,
  credential: ApiCredential,
  request: VendorRequest
): ReadonlyArray<string> => {
  const placement = placementOf(definition, entry)
  const expected = expectedHeaders(placement, credential)
  const found: Array<string> = []
  for (const [name, value] of Object.entries(expected)) {
    const values = headerValues(request, name)
    if (values.length !== 1) found.push(`the header ${name} is there ${values.length} times`)
    else if (values[0] !== value) found.push(`the header ${name} does not hold what the API expects`)
  }
  for (const [name, value] of Object.entries(definition.extraHeaders)) {
    if (expected[name] === undefined && headerValues(request, name)[0] !== filled(value, credential)) {
      found.push(`the header ${name} is not the one of extra_headers`)
    }
  }
  for (const [name, expectedValue] of Object.entries(expectedParameters(placement, credential))) {
    const values = request.url.searchParams.getAll(name)
    if (values.length !== 1) found.push(`the query parameter ${name} is there ${values.length} times`)
    else if (values[0] !== expectedValue) found.push(`the query parameter ${name} does not hold what the API expects`)
  }
  const begins = placement.pathTemplates.map((template) => filled(template, credential))
  if (begins.length > 0 && !begins.some((begin) => decodeURIComponent(request.url.pathname).startsWith(begin))) {
    found.push("the path does not hold what the API expects")
  }
  if (request.headers.some(([, value]) => holdsMarker(value)) || request.url.href.includes(PLACEHOLDER)) {
    found.push("a placeholder of the child was sent on")
  }
  return found
}

/** Where a child of `run` sends its placeholder, as an SDK of the vendor would. */
export interface ChildCarrier {
  readonly header?: readonly [name: string, value: string]
  readonly query?: string
  /** The beginning of its path. */
  readonly path?: string
}

export const childCarriers = (definition: ProviderDefinition, entry: string): ReadonlyArray<ChildCarrier> => {
  const placement = placementOf(definition, entry)
  const { placeholder } = definition
  const usual = usualCarrier(placement, placeholder)
  if (placement.pathTemplates.length === 0) return [usual]
  const carriers: Array<ChildCarrier> = []
  for (const template of placement.pathTemplates) {
    carriers.push({ ...usual, path: template.replaceAll(/\{[^{}]*\}/g, placeholder) })
  }
  return carriers
}

const usualCarrier = (placement: Placement, placeholder: string): ChildCarrier => {
  if (placement.basic !== undefined) return { header: ["authorization", `Basic ${btoa(`${placeholder}:`)}`] }
  const parameter = placement.queryParam ?? Object.keys(placement.query)[0]
  if (parameter !== undefined) return { query: `${parameter}=${placeholder}` }
  const [further] = Object.keys(placement.headers)
  const name = placement.headerName ?? (further === undefined ? "authorization" : further)
  return { header: [name.toLowerCase(), `${placement.headerPrefix ?? "Bearer"} ${placeholder}`.trim()] }
}
