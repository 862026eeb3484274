/**
 * Providers: an API and its authentication method. A decoded definition is complete: omitted values have their
 * defaults. `ProviderChecks.ts` checks what these schemas cannot express.
 */
import * as Schema from "effect/Schema"
import { PLACEHOLDER } from "../injection/Placeholder.ts"
import { DefaultKeyFlowKind, KeyFlowKind, OAuthFlowKind, ProviderName, RedirectHost } from "../wire/ProviderName.ts"
import { named, wire, withDefault } from "../wire/Wire.ts"
import { AwsSigV4 } from "./AwsSigV4.ts"
import {
  BasicTemplate,
  ClientAuthentication,
  CredentialField,
  JsonPointer,
  MessagePlaces,
  parameters,
  placeholderForm,
  pointer,
  RequestFormat,
  TestRequest,
  text,
  texts,
  url
} from "./DefinitionParts.ts"
import { HmacPlacement } from "./Hmac.ts"
import { IssuedTokensSection } from "./IssuedTokenSections.ts"
import { storedGrantSections } from "./StoredGrants.ts"

export * from "../wire/ProviderName.ts"
export { BasicTemplate, ClientAuthentication, CredentialField, RequestFormat, TestRequest } from "./DefinitionParts.ts"

const names = (description: string) =>
  withDefault(Schema.Array(ProviderName).check(Schema.isMaxLength(20)).annotate({ description }), [])

const variable = Schema.String.check(
  Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, { expected: "the name of an environment variable" })
)

const baseUrl = url("The base URL: a default, or a template such as https://{tenant}.example.com")

const BaseUrls = Schema.Union([baseUrl, Schema.NonEmptyArray(baseUrl).check(Schema.isMaxLength(16))]).pipe(
  named("BaseUrls", "A base URL, or a list of templates for it")
)

const tenantFields = {
  baseUrl: [
    Schema.optionalKey(BaseUrls),
    "The base URL, or a list of templates for it, the most common template first"
  ],
  customDomain: [
    Schema.optionalKey(Schema.Boolean),
    "Whether a login may also use a URL under the customer's own domain"
  ]
} as const

/** Placements in addition to the main placement, or in place of it. */
const furtherPlaces = {
  headers: parameters("Additional headers; values may use {field}"),
  query: parameters("Additional query parameters; values may use {field}"),
  pathTemplates: texts(
    256,
    "Prefixes of the request path in whole segments, such as /bot{api_key}. Where a client sends its placeholder in " +
      "place of {field}, the proxy replaces it with the value of that field. The rest of the path is unchanged"
  ),
  body: parameters(
    "Fields of request bodies: JSON pointers (/auth/key) in JSON, other names in forms. Where a client sends its " +
      "placeholder in such a field, the proxy replaces it with the value given here; values use {field}"
  ),
  messages: [
    Schema.optionalKey(MessagePlaces),
    "Fields of the first WebSocket messages, which are filled like the fields of body"
  ]
} as const

/** The placements of the secret. If no placement carries it, `Authorization: Bearer <key>` does. */
const placementFields = {
  headerName: Schema.optionalKey(text(128, "Header that carries the secret. The default is Authorization")),
  headerPrefix: Schema.optionalKey(
    text(64, "Word before the secret. The default is Bearer; an empty value means no word")
  ),
  queryParam: Schema.optionalKey(text(64, "Query parameter that carries the secret, in place of a header")),
  basic: [Schema.optionalKey(BasicTemplate), "HTTP Basic, in place of a header"],
  awsSigv4: [
    Schema.optionalKey(AwsSigV4),
    "AWS Signature Version 4, in place of a header: requests that a client signed with the placeholders " +
    "are signed again with the fields access_key_id, secret_access_key and session_token"
  ],
  hmac: [
    Schema.optionalKey(HmacPlacement),
    "An HMAC-SHA256 signature of each request, in place of a header with the secret"
  ],
  ...furtherPlaces
} as const

export const Placement = wire(
  "Placement",
  "Where requests carry the secret: in a header, unless another place is given",
  {
    ...placementFields,
    issuedTokensOnly: [
      Schema.optionalKey(Schema.Literal(true)),
      "Requests never carry the secret, only tokens that the API has issued: those of issues_tokens, or the client's own"
    ]
  }
)
export type Placement = typeof Placement.Type

const perHost = withDefault(
  Schema.Record(Schema.String, Placement).annotate({
    description: "Different placements for individual entries of `hosts`, keyed by the exact entry"
  }),
  {}
)

const credentialFieldList = (description: string) =>
  withDefault(Schema.Array(CredentialField).check(Schema.isMaxLength(16)).annotate({ description }), [])

export const ApiKeySection = wire("ApiKeySection", "The key of a provider with API keys, and where requests carry it", {
  ...placementFields,
  perHost,
  fields: credentialFieldList("The fields of the key. The default is a single secret field api_key"),
  keyPattern: Schema.optionalKey(text(512, "Regular expression that the whole trimmed key matches")),
  keyPatternHint: Schema.optionalKey(text(500, "Message for a key that does not match key_pattern")),
  envVar: [Schema.optionalKey(variable), "An environment variable for the key, in addition to those in export.env"],
  ...tenantFields
})
export type ApiKeySection = typeof ApiKeySection.Type

export const TokenResponsePointers = wire(
  "TokenResponsePointers",
  "Where a token response has the fields that RFC 6749 puts at the top level",
  {
    accessToken: [pointer, "The access token. The default is /access_token"],
    refreshToken: [pointer, "The refresh token. The default is /refresh_token"],
    tokenType: [pointer, "The token type. The default is /token_type"],
    expiresIn: [pointer, "The lifetime in seconds. The default is /expires_in"],
    scope: [pointer, "The granted scopes. The default is /scope"],
    accountId: [pointer, "The ID of the account"],
    accountLabel: [pointer, "The display name of the account, such as an email address"],
    baseUrl: [pointer, "The base URL of the account"],
    error: [pointer, "The error code of a failed request. The default is /error"]
  }
)

const ListPointer = Schema.Union([Schema.Literal(""), JsonPointer]).pipe(
  named("ListPointer", "A JSON pointer, empty for the whole document")
)

export const AccountLookup = wire(
  "AccountLookup",
  "A GET request with the new access token after a login. Its response names the account that requests are for",
  {
    url: url("URL on one of the hosts; may begin with {base_url}"),
    items: [
      Schema.optionalKey(ListPointer),
      "JSON pointer to a list of accounts in the response. Empty if the response is the list, absent if it is a single account"
    ],
    label: [pointer, "JSON pointer within an account to the name that the user sees"],
    values: [
      Schema.Record(Schema.String, JsonPointer),
      "Maps names for templates to JSON pointers within an account; base_url becomes the base URL of the connection"
    ]
  }
)

const CodeChallengeEncoding = Schema.Literals(["base64url", "hex"]).pipe(
  named("CodeChallengeEncoding", "Encoding of a code challenge")
)

export const OAuthSection = wire(
  "OAuthSection",
  "The endpoints of an OAuth provider, and where requests carry the access token",
  {
    authorizationUrl: Schema.optionalKey(url("Authorization endpoint")),
    tokenUrl: Schema.optionalKey(url("Token endpoint")),
    refreshUrl: Schema.optionalKey(url("Endpoint for refreshes, if it is not the token endpoint")),
    revocationUrl: Schema.optionalKey(url("Revocation endpoint, RFC 7009")),
    deviceAuthorizationUrl: Schema.optionalKey(url("Device authorization endpoint, RFC 8628")),
    deviceTokenUrl: Schema.optionalKey(url("Polling endpoint of the device flow, if it is not the token endpoint")),
    issuer: Schema.optionalKey(url("Issuer, for discovery by RFC 8414 or OpenID Connect")),
    resource: Schema.optionalKey(url("Protected resource, for discovery (RFC 9728); sent as `resource` (RFC 8707)")),
    registrationUrl: Schema.optionalKey(
      url("Client registration endpoint, RFC 7591. When absent, the daemon discovers it")
    ),
    clientId: [
      Schema.optionalKey(Schema.String.check(
        Schema.isPattern(/^[\x21-\x7e]{1,2048}$/u, { expected: "a client ID: printable ASCII without spaces" })
      )),
      "ID of a public client that comes with the definition. An https URL is the address of a client ID metadata " +
      "document, and is used if the server supports such documents"
    ],
    redirectHost: [
      withDefault(RedirectHost, "127.0.0.1"),
      "Host of the redirect URI http://<host>:<port>/auth/callback/oauth, if the provider accepts only one host. " +
      "The default is 127.0.0.1"
    ],
    scopes: texts(256, "Requested scopes"),
    scopeSeparator: [
      withDefault(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2)), " "),
      "Text between scopes. The default is a space"
    ],
    pkce: [withDefault(Schema.Boolean, true), "False only for servers that reject a code challenge"],
    codeChallengeEncoding: [
      withDefault(CodeChallengeEncoding, "base64url"),
      "Encoding of the code challenge. The default is base64url, as in RFC 7636"
    ],
    ...tenantFields,
    clientAuthentication: [
      Schema.optionalKey(ClientAuthentication),
      "Client authentication. When absent, the daemon discovers it; without discovery, it is client_secret_post"
    ],
    publicClients: [
      withDefault(Schema.Boolean, false),
      "Whether a client may also have no secret. If so, client_authentication applies only to clients with a secret"
    ],
    authorizationParams: parameters("Additional parameters of the authorization request"),
    authorizationParamNames: parameters(
      "The provider's names for parameters of the authorization request, by RFC 6749 name"
    ),
    codeParam: Schema.optionalKey(text(64, "Parameter of the redirect that carries the code. The default is code")),
    tokenParams: parameters("Additional parameters of the token request"),
    refreshParams: [
      Schema.optionalKey(Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(4096)))),
      "Additional parameters of a refresh, in place of token_params"
    ],
    tokenParamNames: parameters(
      "The provider's names for parameters of device, token and revocation requests, by RFC 6749 name"
    ),
    tokenRequestFormat: [withDefault(RequestFormat, "form"), "The format of token requests. The default is form"],
    deviceTokenRequest: [
      Schema.optionalKey(RequestFormat),
      "The format of polling requests of the device flow. The default is that of token requests"
    ],
    deviceClientAuthentication: [
      Schema.optionalKey(ClientAuthentication),
      "Client authentication of polling requests of the device flow. The default is that of token requests"
    ],
    revocationClientAuthentication: [
      Schema.optionalKey(ClientAuthentication),
      "Client authentication of revocation requests. The default is that of token requests"
    ],
    revocationParamNames: [
      Schema.optionalKey(Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(64)))),
      "The provider's names for access_token, refresh_token, client_id and client_secret in revocation requests, which then have " +
      "a JSON body in place of the parameters of RFC 7009"
    ],
    userAgent: Schema.optionalKey(
      text(128, "User-Agent of token requests, for a server that rejects others").check(
        Schema.isPattern(/^[ -~]+$/u, { expected: "ASCII text" })
      )
    ),
    tokenResponse: [withDefault(TokenResponsePointers, {}), "Where token responses have their fields"],
    lookup: [Schema.optionalKey(AccountLookup), "How to look up the account of new tokens"],
    ...storedGrantSections,
    headerName: Schema.optionalKey(text(128, "Header that carries the access token. The default is Authorization")),
    headerPrefix: Schema.optionalKey(
      text(64, "Word before the token. The default is Bearer; an empty value means no word")
    ),
    fields: credentialFieldList("Values that a login asks for in addition to OAuth; templates place them in requests"),
    ...furtherPlaces,
    perHost
  }
)
export type OAuthSection = typeof OAuthSection.Type

/** Whether a login may also use an OAuth client without a secret. True if the definition does not say. */
export const allowsPublicClients = ({ clientAuthentication, publicClients }: OAuthSection): boolean =>
  clientAuthentication === undefined || publicClients

const Variables = Schema.Union([variable, Schema.Array(variable)]).pipe(
  named("Variables", "An environment variable, or several")
)

const resource = Schema.String.check(
  Schema.isPattern(/^[!-.0-~](?:[!-~]{0,254}[!-.0-~])?$/u, {
    expected: "a URL or an ID, without a slash at the end"
  })
)

const CloudIdentity = wire(
  "CloudIdentity",
  "How cloud SDKs obtain the placeholder of an access token from the run's local metadata endpoint",
  {
    google: [
      Schema.optionalKey(Schema.Literal(true)),
      "Whether Google Cloud SDKs find the connection as the service account of a virtual machine (GCE_METADATA_HOST)"
    ],
    azure: [
      Schema.optionalKey(Schema.Array(resource)),
      "The resources, such as https://management.azure.com, for which Azure SDKs find the connection as a managed identity " +
      "(IDENTITY_ENDPOINT)"
    ]
  }
)

const ExportSection = wire("ExportSection", "The environment variables of a connection", {
  env: [
    withDefault(Schema.Record(Schema.String, Variables), {}),
    "Maps a field to its environment variable, or to several; export prints the first"
  ],
  baseUrls: parameters(
    "Environment variables from which SDKs read the base URL of the API, each with the SDKs' default. " +
      "run --base-url sets these variables"
  ),
  cloudIdentity: [Schema.optionalKey(CloudIdentity), "The machine identity that cloud SDKs find in a run"]
})

const date = (description: string) =>
  Schema.String.check(
    Schema.isPattern(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u, { expected: "a date such as 2026-11-22" })
  ).annotate({ description })

const Source = wire("DefinitionSource", "A document or package that the facts of a definition were read from", {
  read: [
    Schema.String.check(
      Schema.isMaxLength(512),
      Schema.isPattern(/^(?:https:\/\/[!-~]+|[a-z]+:[A-Za-z0-9@][A-Za-z0-9@._/-]*@[A-Za-z0-9][A-Za-z0-9.+_-]*)$/u, {
        expected: "an https URL, or a package with its version such as npm:openai@7.55.0"
      })
    ),
    "The https URL, or a package with its version such as npm:openai@7.55.0"
  ],
  date: date("The day when the source was read, as YYYY-MM-DD")
})

const VendorSource = Schema.Literals(["sdk", "cli", "documentation", "server"]).pipe(
  named("VendorSource", "The vendor's own SDK, command line or documentation, or the responses of its servers")
)

export const Checked = wire("CheckedDefinition", "When a definition was last compared with a source of the vendor", {
  date: date("The day, as YYYY-MM-DD"),
  source: [VendorSource, "What the definition was compared with"]
})

const LeftOut = wire(
  "LeftOut",
  "A host, variable or check of a vendor's package that the definition omits on purpose; exactly one of the three is set",
  {
    host: Schema.optionalKey(text(512, "A host that a package of the vendor contains")),
    variable: Schema.optionalKey(text(128, "An environment variable that a package of the vendor reads")),
    check: Schema.optionalKey(text(256, "A regular expression that a package of the vendor tests a key with")),
    why: text(500, "Why the host, variable or check is not in the definition")
  }
)

export const Region = wire(
  "Region",
  "A part of an API with hosts and credentials of its own, such as a country or a test environment",
  {
    name: [
      Schema.String.check(
        Schema.isPattern(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/u, { expected: "a name in lower case such as eu" })
      ),
      "The name of the region, which login --base-url accepts"
    ],
    baseUrl: url(
      "The URL that {base_url} stands for. It has a path only if all hosts of the region serve the API below it"
    ),
    hosts: texts(512, "The hosts of this region. The default is the host of base_url"),
    keyPattern: Schema.optionalKey(
      text(512, "Regular expression that only keys of this region match; a matching key selects the region")
    ),
    authorizationUrl: Schema.optionalKey(
      url("Authorization endpoint of this region, if it differs from the one in oauth")
    ),
    revocationUrl: Schema.optionalKey(url("Revocation endpoint of this region, if it differs from the one in oauth"))
  }
)
export type Region = typeof Region.Type

const head = {
  $schema: [Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2048))), "A hint for editors; ignored"],
  schemaVersion: [withDefault(Schema.Literal(1), 1 as const), "The version of this format. The default is 1"],
  name: [ProviderName, "The name of the provider, which is also the name of the file"],
  aliases: names("Other common names of the provider, for which credsvc suggests the provider"),
  displayName: withDefault(text(100, "Display name. The default is the name of the provider"), ""),
  description: Schema.optionalKey(text(1000, "One sentence about the API")),
  categories: texts(64, "Groups that the provider is listed under"),
  notes: texts(500, "Notes for users: what a login needs, what the API requires besides the credential"),
  docsUrl: Schema.optionalKey(url("Documentation of the API's authentication")),
  credentialsUrl: Schema.optionalKey(url("The page where a person creates the key or the OAuth app")),
  sources: [
    withDefault(Schema.Array(Source).check(Schema.isMaxLength(20)), []),
    "What the facts of the definition were read from, and when; every bundled definition has at least one source"
  ],
  checked: [
    Schema.optionalKey(Schema.NullOr(Checked)),
    "When the definition was last compared with a source of the vendor; null if that has never been done"
  ],
  leftOut: [
    withDefault(Schema.Array(LeftOut).check(Schema.isMaxLength(100)), []),
    "Hosts, variables and checks in packages of the vendor that the definition omits on purpose"
  ]
} as const

const tail = {
  extraHeaders: parameters("Headers that are set when the request lacks them; values may use {field}"),
  export: [withDefault(ExportSection, {}), "The environment variables of a connection"],
  placeholder: withDefault(
    text(256, `Placeholder for the secret in the environment of a child process; ${placeholderForm}`),
    PLACEHOLDER
  ),
  placeholderByPrefix: parameters(
    "Placeholders for keys with a known prefix, or a suffix such as :fx or -us6, for SDKs that check the form of keys. Each placeholder " +
      "is stored under its prefix or suffix"
  ),
  testRequest: [Schema.optionalKey(TestRequest), "A request that succeeds only with a valid credential"],
  containedOnly: [
    Schema.optionalKey(Schema.Boolean),
    "Whether only contained runs may use the connections. If so, the credential is never shown or exported"
  ],
  allowInsecureLoopback: [
    Schema.optionalKey(Schema.Boolean),
    "Whether literal loopback addresses are allowed; set by register --allow-insecure-loopback"
  ]
} as const

const routing = {
  apiUrl: Schema.optionalKey(url("Address or host of the API; may begin with {base_url}")),
  hosts: texts(512, "Every host that may receive the credential. The default is the host of api_url"),
  regions: [
    withDefault(Schema.Array(Region).check(Schema.isMaxLength(40)), []),
    "Parts of the API with hosts of their own, the usual part first. A connection without a chosen region has the hosts of all regions"
  ],
  publicHosts: texts(
    512,
    "Entries of `hosts` that also serve unauthenticated clients. Without a connection, requests to them pass unchanged"
  ),
  alternatives: names(
    "Providers of the same hosts with a different kind of credential. If this provider and an alternative are " +
      "connected, a request gets a credential only if it selects one of them"
  ),
  issuesTokens: [
    withDefault(Schema.Array(IssuedTokensSection).check(Schema.isMaxLength(16)), []),
    "Tokens that the API issues to clients. A run gets placeholders for them"
  ]
} as const

const flow = "The default login method"
const flows = "All login methods. When absent, the default method is the only one"
const section = "How logins and requests work"

/** The fields of `OAuthProvider`, for schemas that add fields. */
export const oauthFields = {
  ...head,
  authType: [Schema.Literal("oauth2"), "The kind of credential"],
  flow: [OAuthFlowKind, flow],
  flows: [withDefault(Schema.Array(OAuthFlowKind), []), flows],
  ...routing,
  oauth: [OAuthSection, section],
  ...tail
} as const

/** The fields of `ApiKeyProvider`, for schemas that add fields. */
export const apiKeyFields = {
  ...head,
  authType: [Schema.Literal("api_key"), "The kind of credential"],
  flow: [DefaultKeyFlowKind, flow],
  flows: [withDefault(Schema.Array(KeyFlowKind), []), flows],
  ...routing,
  apiKey: [withDefault(ApiKeySection, {}), section],
  ...tail
} as const

export const OAuthProvider = wire("OAuthProvider", "The definition of a provider with OAuth", oauthFields)
export type OAuthProvider = typeof OAuthProvider.Type

export const ApiKeyProvider = wire("ApiKeyProvider", "The definition of a provider with API keys", apiKeyFields)
export type ApiKeyProvider = typeof ApiKeyProvider.Type

export const ProviderDefinition = Schema.Union([OAuthProvider, ApiKeyProvider]).pipe(
  named("ProviderDefinition", "An API and how to authenticate to it")
)
export type ProviderDefinition = typeof ProviderDefinition.Type
