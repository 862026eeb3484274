/**
 * The sections of the flows that store credentials and request each access token with them: client credentials
 * (RFC 6749 section 4.4), signed assertions (RFC 7523), and requests that a definition declares.
 */
import * as Schema from "effect/Schema"
import { isStoredGrant, type OAuthFlowKind, type StoredGrantKind } from "../wire/ProviderName.ts"
import { named, wire, withDefault } from "../wire/Wire.ts"
import {
  BasicTemplate,
  ClientAuthentication,
  fieldParts,
  JsonPointer,
  parameters,
  RequestFormat,
  TestRequest,
  text,
  texts,
  url
} from "./DefinitionParts.ts"

const TextOrTexts = Schema.Union([Schema.String, Schema.Array(Schema.String)]).pipe(
  named("TextOrTexts", "A string, or a list of strings")
)

const keyFileParts = {
  members: [
    Schema.optionalKey(Schema.Record(Schema.String, JsonPointer)),
    "For key_file: JSON pointers to values in the file, by the names that templates use"
  ],
  expected: [
    Schema.optionalKey(Schema.Record(JsonPointer, TextOrTexts)),
    "For key_file: values that the file must have, by JSON pointer, such as its token endpoint; a list allows any " +
    "of several values"
  ]
} as const

const GrantFieldKind = Schema.Literals(["text", "private_key", "key_file", "list", "map"]).pipe(named(
  "GrantFieldKind",
  "text; private_key, in PEM; key_file, a JSON file whose members are values; list, strings separated by commas; map, " +
    "pairs such as contents=read separated by commas. A JSON body carries a list as an array, and a map as an object"
))

export const GrantField = wire(
  "GrantField",
  "A value that a login asks for and that the connection stores for its token requests",
  {
    ...fieldParts,
    required: [withDefault(Schema.Boolean, true), "Whether a login requires the value. Templates omit absent values"],
    kind: [withDefault(GrantFieldKind, "text"), "The kind of value. The default is text"],
    ...keyFileParts
  }
)
export type GrantField = typeof GrantField.Type

/** The properties that every section in this module has. */
const grantParts = {
  fields: [withDefault(Schema.Array(GrantField).check(Schema.isMaxLength(16)), []), "What a login asks for"],
  scopes: texts(256, "Requested scopes of this flow"),
  tokenLifetime: [
    Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 31_536_000 }))),
    "Lifetime of an access token in seconds, if the response does not state it"
  ],
  testRequest: [
    Schema.optionalKey(TestRequest),
    "The test request of connections of this flow. The default is that of the definition"
  ]
} as const

const tokenEndpointParts = {
  tokenUrl: Schema.optionalKey(
    url("Token endpoint of this flow, if it is not oauth.token_url. Its path may use {field}")
  ),
  params: parameters(
    "Additional parameters of the token request; values may use {field}, {scope}, {base_url} and {token_url}"
  )
} as const

const ClientCredentialsSection = wire("ClientCredentialsSection", "Client credentials (RFC 6749, section 4.4)", {
  ...grantParts,
  ...tokenEndpointParts,
  grantType: withDefault(text(128, "Grant type, if the provider has another name for it"), "client_credentials"),
  clientAuthentication: [
    Schema.optionalKey(ClientAuthentication),
    "Client authentication of this flow. The default is oauth.client_authentication, or client_secret_basic if that is absent or none"
  ]
})
type ClientCredentialsSection = typeof ClientCredentialsSection.Type

const TokenRequestMethod = Schema.Literals(["POST", "GET"]).pipe(
  named("TokenRequestMethod", "The method of a token request")
)

const requestParts = {
  method: [withDefault(TokenRequestMethod, "POST"), "The method. The default is POST"],
  url: url("URL of the request; its path may use {field}, and it may begin with {base_url}"),
  headers: parameters("Headers of the request; values may use {field}"),
  basic: [Schema.optionalKey(BasicTemplate), "HTTP Basic authentication of the request"],
  format: [withDefault(RequestFormat, "json"), "The format of the body. The default is json"],
  body: [
    Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    "Body of the request. Strings may use {field}; a string that is only {field} gets the type of the field"
  ]
} as const

const DeclaredRequest = wire("DeclaredRequest", "A token request in the form that the provider expects", requestParts)
export type DeclaredRequest = typeof DeclaredRequest.Type

const AssertionAlgorithm = Schema.Literals(["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]).pipe(
  named("AssertionAlgorithm", "The signature algorithm of an assertion (RFC 7518)")
)
type AssertionAlgorithm = typeof AssertionAlgorithm.Type

export const JwtBearerSection = wire("JwtBearerSection", "Signed assertions (RFC 7523)", {
  ...grantParts,
  ...tokenEndpointParts,
  algorithm: [withDefault(AssertionAlgorithm, "RS256"), "The signature algorithm. The default is RS256"],
  privateKey: [withDefault(Schema.String, "private_key"), "The field, or member of a key file, with the private key"],
  header: parameters("Additional members of the assertion's header, such as kid; values may use {field}"),
  claims: parameters(
    "Claims of the assertion, such as iss, sub and aud; values may use {field}, {scope}, {base_url} and {token_url}. " +
      "iat, exp and jti are added"
  ),
  assertionLifetime: [
    withDefault(Schema.Int.check(Schema.isBetween({ minimum: 120, maximum: 3600 })), 300),
    "Seconds from iat, which is one minute in the past, to exp"
  ],
  request: [
    Schema.optionalKey(DeclaredRequest),
    "The token request, if it differs from RFC 7523; templates may use {assertion}"
  ]
})
export type JwtBearerSection = typeof JwtBearerSection.Type

const TokenRequestSection = wire("TokenRequestSection", "A token request that the definition declares", {
  ...grantParts,
  ...requestParts
})
type TokenRequestSection = typeof TokenRequestSection.Type

/** The sections within `oauth`, each under the name of its flow. */
export const storedGrantSections = {
  clientCredentials: [Schema.optionalKey(ClientCredentialsSection), "The flow client_credentials"],
  jwtBearer: [Schema.optionalKey(JwtBearerSection), "The flow jwt_bearer"],
  tokenRequest: [Schema.optionalKey(TokenRequestSection), "The flow token_request"]
} as const

export interface StoredGrantSections {
  readonly clientCredentials?: ClientCredentialsSection
  readonly jwtBearer?: JwtBearerSection
  readonly tokenRequest?: TokenRequestSection
}

/** The section of a flow with its name, so that callers can tell the sections apart. */
export type StoredGrant =
  | { readonly kind: "client_credentials"; readonly section: ClientCredentialsSection }
  | { readonly kind: "jwt_bearer"; readonly section: JwtBearerSection }
  | { readonly kind: "token_request"; readonly section: TokenRequestSection }

/** The section of a flow, or undefined if the definition does not have the flow. */
export const storedGrantOf = (
  { clientCredentials, jwtBearer, tokenRequest }: StoredGrantSections,
  kind: StoredGrantKind
): StoredGrant | undefined => {
  switch (kind) {
    case "client_credentials":
      return clientCredentials === undefined ? undefined : { kind, section: clientCredentials }
    case "jwt_bearer":
      return jwtBearer === undefined ? undefined : { kind, section: jwtBearer }
    case "token_request":
      return tokenRequest === undefined ? undefined : { kind, section: tokenRequest }
  }
}

const textField = (name: string, label: string, secret: boolean): GrantField => ({
  name,
  label,
  secret,
  required: true,
  kind: "text"
})

const membersOf = ({ members }: GrantField): ReadonlyArray<string> => Object.keys(members ?? {})

/** The fields of a login, with the usual fields of the flow where the definition does not declare them. */
export const grantFields = ({ kind, section }: StoredGrant): ReadonlyArray<GrantField> => {
  const { fields } = section
  const lacking = (field: GrantField) =>
    fields.some((other) => other.name === field.name || membersOf(other).includes(field.name)) ? [] : [field]
  switch (kind) {
    case "client_credentials":
      return [
        ...lacking(textField("client_id", "Client ID", false)),
        ...lacking(textField("client_secret", "Client secret", true)),
        ...fields
      ]
    case "jwt_bearer":
      return [
        ...fields,
        ...lacking({
          name: section.privateKey,
          label: "Private key (PEM)",
          secret: true,
          required: true,
          kind: "private_key"
        })
      ]
    case "token_request":
      return fields
  }
}

/** A value that templates of the flow may use. */
export interface GrantValue {
  readonly name: string
  readonly kind: Exclude<GrantField["kind"], "key_file">
  readonly secret: boolean
  readonly required: boolean
}

/** Lists the values that the fields yield. A key file yields its members. */
export const grantValues = (grant: StoredGrant): ReadonlyArray<GrantValue> => {
  const privateKey = grant.kind === "jwt_bearer" ? grant.section.privateKey : undefined
  return grantFields(grant).flatMap((field): ReadonlyArray<GrantValue> => {
    const { kind, name, required, secret } = field
    if (kind !== "key_file") return [{ name, kind, secret, required }]
    return membersOf(field).map((member) => ({
      name: member,
      kind: member === privateKey ? "private_key" : "text",
      secret,
      required
    }))
  })
}

/** The values besides the access token that every connection has, regardless of the flow that created it. */
export const plainValues = (
  flows: ReadonlyArray<OAuthFlowKind>,
  sections: StoredGrantSections
): ReadonlySet<string> => {
  const perFlow = flows.map((flow) => {
    const grant = isStoredGrant(flow) ? storedGrantOf(sections, flow) : undefined
    return new Set(grant === undefined ? ["client_id"] : plainGrantValues(grant))
  })
  return new Set([...(perFlow[0] ?? [])].filter((name) => perFlow.every((names) => names.has(name))))
}

/** The names of a flow's values that are not secret and never absent. Requests to the API may carry these values. */
export const plainGrantValues = (grant: StoredGrant | undefined): ReadonlyArray<string> =>
  grant === undefined
    ? []
    : grantValues(grant).filter(({ required, secret }) => required && !secret).map(({ name }) => name)
