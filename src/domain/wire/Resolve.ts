/** The request for the credential of another request, and its response. */
import * as Schema from "effect/Schema"
import { CredentialScope } from "../definition/AwsSigV4.ts"
import { hmacDescriptions, hmacParts } from "../definition/Hmac.ts"
import { IssuedTokens } from "../injection/IssuedTokens.ts"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

export const RunId = Schema.String.annotate({ description: "The secret ID of a run" }).check(
  Schema.isPattern(/^[A-Za-z0-9_-]{16,64}$/u, { expected: "a run id" })
)

const RequestScheme = Schema.Literals(["https", "http"]).pipe(named("RequestScheme", "The scheme of a request"))

export const ResolveRequest = Schema.Struct({
  host: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9._:[\]-]{1,253}$/u, { expected: "a host name or an address, without a port" })
  ),
  port: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65535 }))),
  scheme: Schema.optionalKey(RequestScheme),
  method: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(32))),
  path: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(16_384))),
  provider: Schema.optionalKey(ProviderName),
  connection: Schema.optionalKey(ConnectionName),
  rejected: Schema.optionalKey(Timestamp),
  confirm: Schema.optionalKey(Schema.Literal(true)),
  scope: Schema.optionalKey(CredentialScope)
}).pipe(named("ResolveRequest", "The request that needs a credential", {
  host: "Its host: a lowercase name without port",
  port: "Its port; 443 when absent",
  scheme: "Its scheme; https when absent. No credential is resolved for http",
  method: "Accepted, without effect",
  path: "Its path, which begins with a slash and has no query; / when absent",
  provider: "The provider to use, if several match",
  connection: "The connection to use; the default one when absent",
  rejected:
    "The `issued_at` of an earlier response whose credential the upstream rejected with 401. If that credential is " +
    "still stored, it is refreshed, subject to a rate limit. If it cannot be refreshed, the connection's status becomes " +
    "`invalid`",
  confirm: "Asks whether an open request may continue, which does not count as another use",
  scope: "The credential scope for a request to be signed; by default it follows from the host"
}))
export type ResolveRequest = typeof ResolveRequest.Type

export const SigningKey = wire(
  {
    accessKeyId: Schema.String,
    sessionToken: Schema.optionalKey(Secret),
    key: Secret,
    date: Schema.String,
    region: Schema.String,
    service: Schema.String
  },
  "SigningKey",
  "The key to sign requests with by AWS Signature Version 4. The secret access key cannot be computed from it",
  {
    accessKeyId: "The ID of the key pair",
    sessionToken: "The session token of temporary credentials",
    key: "The signing key in base64, derived for one day, region and service",
    date: "The day in UTC, such as 20261123",
    region: "The region that the key is valid for",
    service: "The service that the key is valid for"
  }
)
export type SigningKey = typeof SigningKey.Type

export const HmacSigning = wire(
  { key: Secret, ...hmacParts, headers: Schema.Record(Schema.String, Secret) },
  "HmacSigning",
  "A signature to make for each request: an HMAC-SHA256 of `message` with `key`",
  {
    key: "The key, in base64",
    headers: "Headers to set, by name; {signature}, {timestamp} and {body_hash} stand for the signature and its parts",
    ...hmacDescriptions
  }
)
export type HmacSigning = typeof HmacSigning.Type

const StrippedPlaces = Schema.Struct({
  headers: Schema.Array(Schema.String),
  query: Schema.Array(Schema.String),
  placeholders: Schema.optionalKey(Schema.Array(Schema.String))
}).pipe(named("StrippedPlaces", "What to remove from the request before the credential is placed in it", {
  headers: "Names of headers that carry credentials, in lowercase. Remove every header with such a name, in any case",
  query: "Names of query parameters that carry credentials. Remove every parameter with such a name, in any case",
  placeholders:
    "Texts that are placeholders besides those with the usual marker `credsvc-proxy-managed`. Remove every header and " +
    "query parameter that contains either; never put a secret in their place"
}))

export const Resolved = wire(
  {
    provider: ProviderName,
    connection: ConnectionName,
    headers: Schema.Record(Schema.String, Secret),
    query: Schema.Record(Schema.String, Secret),
    path: Schema.optionalKey(Schema.Record(Schema.String, Secret)),
    defaults: Schema.Record(Schema.String, Secret),
    secrets: Schema.optionalKey(Schema.Array(Secret)),
    strip: StrippedPlaces,
    signing: Schema.optionalKey(SigningKey),
    hmac: Schema.optionalKey(HmacSigning),
    issuedTokens: Schema.optionalKey(Schema.Array(IssuedTokens)),
    expiresAt: Schema.NullOr(Timestamp),
    issuedAt: Timestamp,
    refreshable: Schema.Boolean
  },
  "Resolved",
  "The changes to make to the request: remove `strip`, set `headers`, `query` and `path`, then `defaults`",
  {
    provider: "The provider that the request belongs to",
    connection: "The connection whose credential is used",
    headers: "Headers to set, by name. They replace every header of that name, in any case",
    query: "Query parameters to append, by name. They replace every parameter of that name",
    path:
      "Path prefixes with the percent-encoded values by template, such as `/bot123:abc` by `/bot{api_key}`. If the path " +
      "of the request starts like the template, with a placeholder in the position of a `{field}`, the prefix replaces " +
      "that part. Absent for providers without a credential in the path",
    defaults: "Headers to set, by name, if the request has none of that name once those of `strip` are removed",
    secrets:
      "The secret values that these changes put into the request, which responses must not disclose. A daemon of an earlier " +
      "version omits it",
    strip: "What to remove from the request first",
    signing:
      "The key to sign the request with, for providers that require a signature in place of a secret. Remove the client's " +
      "own signature",
    hmac: "How to sign every request, for providers with a signature that their definition declares",
    issuedTokens: "The tokens that this host issues, in whose place the client gets placeholders",
    expiresAt: "When the credential expires; null if it does not or this is unknown",
    issuedAt: "Identifies the credential, for `rejected`",
    refreshable: "Whether a request with `rejected` may return a different credential"
  }
)
export type Resolved = typeof Resolved.Type

/** The part of `Resolved` that follows from the definition and the stored fields: the places of the credential. */
export type Placements = Pick<Resolved, "headers" | "query" | "path" | "defaults" | "secrets" | "strip" | "hmac">
