/**
 * Accepts a request that carries the credential where the definition says, exactly once, complete, and without a
 * placeholder anywhere. Shares no code with the injection of credentials.
 */
import { type Placement, type ProviderDefinition } from "../domain/definition/Provider.ts"
import { holdsPlaceholder } from "../domain/injection/Placeholder.ts"
import { builtins } from "../platform/builtins.ts"
import { pointed, put } from "../platform/JsonPointer.ts"
import { headerValues, type ProviderRequest } from "./ProviderMessage.ts"

export interface ApiCredential {
  readonly values: Readonly<Record<string, string>>
  /** The field that a placement without a template carries. */
  readonly main: string
}

const filled = (template: string, { values }: ApiCredential): string =>
  template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values[name] ?? "")

const placementOf = (definition: ProviderDefinition, entry: string): Placement =>
  definition.authType === "oauth2"
    ? definition.oauth.perHost[entry] ?? definition.oauth
    : definition.apiKey.perHost[entry] ?? definition.apiKey

const expectedHeaders = (placement: Placement, credential: ApiCredential): Readonly<Record<string, string>> => {
  const further = Object.entries(placement.headers).map(([name, value]) => [name, filled(value, credential)])
  const { basic, headerName, headerPrefix = "Bearer", queryParam } = placement
  const { body, headers, messages, pathTemplates, query } = placement
  const elsewhere = JSON.stringify([headers, query, pathTemplates, body, messages])
    .includes(`{${credential.main}}`)
  if (placement.awsSigv4 !== undefined || placement.issuedTokensOnly === true) return {}
  if (placement.hmac !== undefined) return Object.fromEntries(further)
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

const forwards = (text: string, exact: ReadonlyArray<string>): boolean =>
  holdsPlaceholder(text, exact) || (/^basic /i.test(text) && holdsPlaceholder(atob(text.slice(6)), exact))

const hmac = (key: string | Buffer, text: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(text).digest()

const sha256 = (text: string): string => builtins.crypto.createHash("sha256").update(text).digest("hex")

/** Verifies an AWS Signature Version 4, of requests without percent-encoding and without empty parameters. */
export const signatureObjections = ({ values }: ApiCredential, request: ProviderRequest): ReadonlyArray<string> => {
  const [authorization = "", ...more] = headerValues(request, "Authorization")
  const [, keyId, date = "", region = "", service = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
      .exec(authorization) ?? []
  if (signature === undefined || more.length > 0) return ["the request does not have exactly one AWS signature"]
  if (keyId !== values["access_key_id"]) return ["the AWS signature has another access key ID"]
  const [time = ""] = headerValues(request, "X-Amz-Date")
  const [payload = sha256(request.body)] = headerValues(request, "X-Amz-Content-Sha256")
  const lines = names.split(";").map((name) => `${name}:${headerValues(request, name).join(",")}`)
  const query = request.url.search.slice(1).split("&").toSorted().join("&")
  const canonical = [request.method, request.url.pathname, query, ...lines, "", names, payload].join("\n")
  const scope = [date, region, service, "aws4_request"]
  const key = scope.reduce(hmac, Buffer.from(`AWS4${values["secret_access_key"]}`))
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n")
  return hmac(key, text).toString("hex") === signature ? [] : ["the AWS signature is invalid"]
}

/** The seconds that the timestamp of a signature may differ from the time. */
const MAX_SKEW = 30

const signedAt = (timestamp: string): number => {
  if (!/^\d+$/.test(timestamp)) return Date.parse(timestamp) / 1000
  return Number(timestamp) / (timestamp.length > 10 ? 1000 : 1)
}

/** Verifies the signature of a request by the recipe of the definition. */
const hmacObjections = (
  recipe: NonNullable<Placement["hmac"]>,
  { values }: ApiCredential,
  request: ProviderRequest
): ReadonlyArray<string> => {
  const body = Buffer.from(request.body, "latin1")
  const hash = builtins.crypto.createHash("sha256").update(body).digest(recipe.encoding)
  const read: Record<string, string> = { body_hash: hash }
  for (const [name, template] of Object.entries(recipe.headers)) {
    const [value = "", ...more] = headerValues(request, name)
    if (more.length > 0) return [`the header ${name} occurs more than once`]
    const [before = "", place = "", after = ""] = template.split(/\{(signature|timestamp|body_hash)\}/)
    const start = before.replaceAll(/\{(\w+)\}/g, (_, field: string) => values[field] ?? "")
    if (!value.startsWith(start) || !value.endsWith(after)) {
      return [`the header ${name} does not have the expected value`]
    }
    const found = value.slice(start.length, value.length - after.length)
    if (place === "body_hash" && found !== hash) return [`the header ${name} does not have the hash of the body`]
    if (place !== "") read[place] = found
  }
  const { signature, timestamp = "" } = read
  if (recipe.message.includes("{timestamp}") && !(Math.abs(signedAt(timestamp) - Date.now() / 1000) < MAX_SKEW)) {
    return ["the timestamp of the signature is not the current time"]
  }
  const parts: Record<string, string> = {
    method: request.method,
    target: `${request.url.pathname}${request.url.search}`,
    host: request.url.host,
    timestamp,
    body: request.body,
    body_hash: hash
  }
  const key = Buffer.from(values[recipe.key] ?? "", recipe.keyEncoding === "base64" ? "base64" : "utf8")
  const message = Buffer.from(recipe.message.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name]!), "latin1")
  const expected = builtins.crypto.createHmac("sha256", key).update(message).digest(recipe.encoding)
  return signature === expected ? [] : ["the signature is invalid"]
}

/** Verifies the fields of a body, which has all of those of its kind. It may be empty if a header has the credential too. */
const bodyObjections = (
  { body: fields, headerName }: Placement,
  credential: ApiCredential,
  request: ProviderRequest
): ReadonlyArray<string> => {
  if (request.body === "" && headerName !== undefined) return []
  const isForm = headerValues(request, "content-type")[0] !== "application/json"
  const read = (place: string): unknown =>
    isForm ? new URLSearchParams(request.body).get(place) : pointed(JSON.parse(request.body), place)
  return Object.entries(fields)
    .filter(([place, template]) => place.startsWith("/") !== isForm && read(place) !== filled(template, credential))
    .map(([place]) => `the field ${place} of the body does not have the expected value`)
}

/** The problems of a request to the API, as sentences without secrets. Empty if the API accepts it. */
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
    if (expected[name] === undefined && headerValues(request, name)[0] !== filled(value, credential)) {
      found.push(`the header ${name} differs from extra_headers`)
    }
  }
  for (const [name, expectedValue] of Object.entries(expectedParameters(placement, credential))) {
    const values = request.url.searchParams.getAll(name)
    if (values.length !== 1) found.push(`the query parameter ${name} occurs ${values.length} times instead of once`)
    else if (values[0] !== expectedValue) found.push(`the query parameter ${name} does not have the expected value`)
  }
  found.push(...bodyObjections(placement, credential, request))
  const begins = placement.pathTemplates.map((template) => filled(template, credential))
  if (begins.length > 0 && !begins.some((begin) => decodeURIComponent(request.url.pathname).startsWith(begin))) {
    found.push("the path does not contain the expected value")
  }
  const exact = [definition.placeholder, ...Object.values(definition.placeholderByPrefix)]
  if (request.headers.some(([, value]) => forwards(value, exact)) || holdsPlaceholder(request.url.href, exact)) {
    found.push("a placeholder was forwarded")
  }
  return found
}

/** Where a client of `run` sends its placeholder, as the provider's SDK does. */
export interface ChildCarrier {
  readonly header?: readonly [name: string, value: string]
  readonly query?: string
  readonly path?: string
  readonly content?: readonly [type: string, body: string]
}

export const childCarriers = (definition: ProviderDefinition, entry: string): ReadonlyArray<ChildCarrier> => {
  const placement = placementOf(definition, entry)
  const { placeholder } = definition
  const usual = usualCarrier(placement, placeholder)
  const places = Object.keys(placement.body)
  if (places.length > 0) {
    const form = new URLSearchParams()
    const json: Record<string, unknown> = {}
    for (const place of places) {
      if (place.startsWith("/")) put(json, place, placeholder)
      else form.append(place, placeholder)
    }
    return [
      { ...usual, content: ["application/json", JSON.stringify(json)] },
      { ...usual, content: ["application/x-www-form-urlencoded", form.toString()] }
    ]
  }
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
  const [further] = [...Object.keys(placement.headers), ...Object.keys(placement.hmac?.headers ?? {})]
  const name = placement.headerName ?? (further === undefined ? "authorization" : further)
  return { header: [name.toLowerCase(), `${placement.headerPrefix ?? "Bearer"} ${placeholder}`.trim()] }
}
