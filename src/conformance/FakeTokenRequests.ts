/**
 * What a person enters for a flow that stores credentials, and the check of the token requests that are made with it.
 * Shares no code with the requests.
 */
import type { ClientAuthentication, OAuthProvider } from "../domain/definition/Provider.ts"
import { expandBaseUrl } from "../domain/definition/ProviderHosts.ts"
import {
  type DeclaredRequest,
  type GrantField,
  grantFields,
  type JwtBearerSection,
  type StoredGrant
} from "../domain/definition/StoredGrants.ts"
import { builtins, type KeyObject } from "../platform/builtins.ts"
import { put } from "../platform/JsonPointer.ts"
import { headerValues, type ProviderRequest } from "./ProviderMessage.ts"
import { sampleOf } from "./SampleText.ts"

type Values = Readonly<Record<string, string>>

export interface SampleGrant {
  readonly grant: StoredGrant
  /** By the name of the field. */
  readonly entered: Values
  /** By the name that templates use. */
  readonly values: Values
  readonly publicKey: KeyObject | undefined
}

const keys = new Map<string, { readonly privateKey: string; readonly publicKey: KeyObject }>()

/** Generating an RSA key takes a tenth of a second, so each algorithm has one key. */
const keyOf = (algorithm: JwtBearerSection["algorithm"]) => {
  const { crypto } = builtins
  const known = keys.get(algorithm)
  if (known !== undefined) return known
  const { privateKey, publicKey } = algorithm === "EdDSA"
    ? crypto.generateKeyPairSync("ed25519")
    : algorithm.startsWith("ES")
    ? crypto.generateKeyPairSync("ec", { namedCurve: algorithm === "ES256" ? "P-256" : "P-384" })
    : crypto.generateKeyPairSync("rsa", { modulusLength: 2048 })
  const pair = { privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(), publicKey }
  keys.set(algorithm, pair)
  return pair
}

/** Sample input, or the name of a field whose pattern is too complex. */
export const sampleGrant = (grant: StoredGrant): SampleGrant | { readonly unmatched: string } => {
  const pair = grant.kind === "jwt_bearer" ? keyOf(grant.section.algorithm) : undefined
  const entered: Record<string, string> = {}
  const values: Record<string, string> = {}
  const textOf = ({ name, pattern }: GrantField) =>
    pattern === undefined ? `${name.replaceAll("_", "-")}-4f9a1c7e2b8d` : sampleOf(pattern)
  for (const field of grantFields(grant)) {
    const { kind, name } = field
    if (kind === "key_file") {
      const file: Record<string, unknown> = {}
      for (const [pointer, expected] of Object.entries(field.expected ?? {})) {
        put(file, pointer, typeof expected === "string" ? expected : expected[0]!)
      }
      for (const [member, pointer] of Object.entries(field.members ?? {})) {
        const isKey = grant.kind === "jwt_bearer" && member === grant.section.privateKey
        const value = isKey ? pair!.privateKey : `${member.replaceAll("_", "-")}-4f9a1c7e2b8d`
        values[member] = value
        put(file, pointer, value)
      }
      entered[name] = JSON.stringify(file)
      continue
    }
    const samples = { private_key: pair?.privateKey, list: "alpha,beta", map: "alpha=read", text: textOf(field) }
    const sample = samples[kind]
    if (sample === undefined) return { unmatched: name }
    entered[name] = sample
    values[name] = sample
  }
  return { grant, entered, values, publicKey: pair?.publicKey }
}

const filled = (template: string, values: Values): string =>
  template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values[name] ?? "")

/** The URL of the token requests. */
export const tokenAddress = (
  { oauth }: OAuthProvider,
  { grant, values }: SampleGrant,
  baseUrl: string | null
): string => {
  const own = grant.kind === "token_request"
    ? grant.section.url
    : (grant.kind === "jwt_bearer" ? grant.section.request?.url : undefined) ?? grant.section.tokenUrl ?? oauth.tokenUrl
  return filled(expandBaseUrl(own ?? "", baseUrl) ?? "", values)
}

const parametersOf = (request: ProviderRequest): Values | undefined => {
  const [type = ""] = headerValues(request, "content-type")
  if (type.startsWith("application/x-www-form-urlencoded")) return Object.fromEntries(new URLSearchParams(request.body))
  return type.startsWith("application/json") ? JSON.parse(request.body) as Values : undefined
}

const differs = (expected: Values, given: Values): string | undefined =>
  Object.keys(expected).find((name) => given[name] !== expected[name])

/** The expected authentication of the client; `none` for flows without a client. */
export const authenticationOf = ({ oauth }: OAuthProvider, { grant }: SampleGrant): ClientAuthentication => {
  if (grant.kind !== "client_credentials") return "none"
  const stated = grant.section.clientAuthentication ?? oauth.clientAuthentication
  return stated === undefined || stated === "none" ? "client_secret_basic" : stated
}

const credentialProblem = (definition: OAuthProvider, sample: SampleGrant, request: ProviderRequest, given: Values) => {
  const { client_id: id = "", client_secret: secret = "" } = sample.values
  const encoded = (text: string) => encodeURIComponent(text).replaceAll("%20", "+")
  const [authorization] = headerValues(request, "authorization")
  if (authenticationOf(definition, sample) === "client_secret_basic") {
    return authorization === `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}`
      ? undefined
      : "the client does not authenticate by HTTP Basic"
  }
  return given["client_id"] === id && given["client_secret"] === secret && authorization === undefined
    ? undefined
    : "the client does not authenticate in the body"
}

const decoded = (part: string | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString()) as Readonly<Record<string, unknown>>

const assertionProblem = (
  section: JwtBearerSection,
  values: Values,
  publicKey: KeyObject,
  assertion: string
): string | undefined => {
  const { algorithm, assertionLifetime, claims, header } = section
  const { constants, verify } = builtins.crypto
  const [first, second, third = ""] = assertion.split(".")
  if (assertion.split(".").length !== 3) return "the assertion is not a signed token"
  const key = algorithm.startsWith("ES")
    ? { key: publicKey, dsaEncoding: "ieee-p1363" as const }
    : algorithm.startsWith("PS")
    ? { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING }
    : { key: publicKey }
  const hash = algorithm === "EdDSA" ? null : `sha${algorithm.slice(2)}`
  if (!verify(hash, Buffer.from(`${first}.${second}`), key, Buffer.from(third, "base64url"))) {
    return "the signature of the assertion is not valid"
  }
  const [head, body] = [decoded(first), decoded(second)]
  for (const [name, template] of Object.entries({ ...header, alg: algorithm })) {
    if (head[name] !== filled(template, values)) return `the header ${name} of the assertion is not as declared`
  }
  for (const [name, template] of Object.entries(claims)) {
    if (body[name] !== filled(template, values)) return `the claim ${name} of the assertion is not as declared`
  }
  const { exp, iat, jti } = body
  if (typeof exp !== "number" || typeof iat !== "number" || exp - iat !== assertionLifetime) {
    return "the assertion does not have the declared lifetime"
  }
  const now = Date.now() / 1000
  return iat > now || exp < now || typeof jti !== "string" ? "the assertion is not valid now" : undefined
}

const typed = (template: string, values: Values, fields: ReadonlyArray<GrantField>): unknown => {
  const name = /^\{([^{}]*)\}$/.exec(template)?.[1]
  const text = filled(template, values)
  switch (fields.find((field) => field.name === name)?.kind) {
    case "list":
      return text.split(",")
    case "map":
      return Object.fromEntries(text.split(",").map((part) => part.split("=")))
    default:
      return text
  }
}

const documentOf = (value: unknown, values: Values, fields: ReadonlyArray<GrantField>): unknown => {
  if (typeof value === "string") return typed(value, values, fields)
  if (Array.isArray(value)) return value.map((each) => documentOf(each, values, fields))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, documentOf(each, values, fields)]))
}

const declaredProblem = (
  declared: DeclaredRequest,
  values: Values,
  fields: ReadonlyArray<GrantField>,
  request: ProviderRequest
): string | undefined => {
  const { basic, body, format, headers, method } = declared
  if (request.method !== method) return `the token request is not a ${method}`
  const expected = { ...headers }
  if (basic !== undefined) {
    expected["authorization"] = `Basic ${btoa(`${filled(basic.username, values)}:${filled(basic.password, values)}`)}`
  }
  const wrong = Object.entries(expected).find(([name, template]) =>
    headerValues(request, name)[0] !== (name === "authorization" ? template : filled(template, values))
  )
  if (wrong !== undefined) return `the header ${wrong[0]} of the token request is not as declared`
  const sent = body === undefined ? undefined : parametersOf(request)
  const [type = ""] = headerValues(request, "content-type")
  if (body !== undefined && type.includes("json") !== (format === "json")) return "the body has the wrong format"
  return body === undefined || JSON.stringify(documentOf(body, values, fields)) === JSON.stringify(sent)
    ? undefined
    : "the body of the token request is not as declared"
}

/** Describes the first defect of a token request, without secrets. */
export const tokenObjection = (
  definition: OAuthProvider,
  sample: SampleGrant,
  baseUrl: string | null,
  request: ProviderRequest
): string | undefined => {
  const { grant, publicKey } = sample
  const scope = grant.section.scopes.join(definition.oauth.scopeSeparator)
  const address = tokenAddress(definition, sample, baseUrl)
  const values = { ...sample.values, scope, base_url: baseUrl ?? "", token_url: address }
  const fields = grantFields(grant)
  if (grant.kind === "token_request") return declaredProblem(grant.section, values, fields, request)
  const given = parametersOf(request) ?? {}
  const templates = { ...grant.section.params }
  if (grant.kind === "client_credentials") {
    if (scope !== "" && !JSON.stringify(templates).includes("{scope}")) templates["scope"] = "{scope}"
    const expected = Object.entries(templates).map(([name, template]) => [name, filled(template, values)])
    const wrong = differs({ ...Object.fromEntries(expected), grant_type: grant.section.grantType }, given)
    return wrong === undefined
      ? credentialProblem(definition, sample, request, given)
      : `the parameter ${wrong} is not as declared`
  }
  const { claims, request: declared } = grant.section
  if (publicKey === undefined) return "the sample has no key"
  if (declared !== undefined) {
    const text = JSON.stringify([Object.fromEntries(request.headers), request.body])
    const assertion = /[\w-]+\.[\w-]+\.[\w-]{40,}/.exec(text)?.[0] ?? ""
    return assertionProblem(grant.section, values, publicKey, assertion) ??
      declaredProblem(declared, { ...values, assertion }, fields, request)
  }
  if (scope !== "" && !JSON.stringify([claims, templates]).includes("{scope}")) templates["scope"] = "{scope}"
  const expected = Object.entries(templates).map(([name, template]) => [name, filled(template, values)])
  const wrong = differs({
    ...Object.fromEntries(expected),
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer"
  }, given)
  return wrong === undefined
    ? assertionProblem(grant.section, values, publicKey, given["assertion"] ?? "")
    : `the parameter ${wrong} is not as declared`
}
