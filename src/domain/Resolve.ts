/** The request for the credential of another request, and its response. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { CredentialScope } from "./definition/AwsSigV4.ts"
import { hmacParts } from "./definition/Hmac.ts"
import { ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

export const RunId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{16,64}$/, { expected: "a run id" }))

/**
 * Describes the request that needs a credential. `host` is a lowercase name without port; `path` begins with a slash
 * and has no query. `rejected` is the `issued_at` of an earlier response whose credential the upstream rejected with
 * 401. If that credential is still stored, it is refreshed, subject to a rate limit. If it cannot be refreshed, the
 * connection's status becomes `invalid`. `scope` is the credential scope for a request to be signed; by default it
 * follows from the host. `confirm` asks whether an open request may continue, which does not count as another use.
 * `method` is accepted and has no effect.
 */
export const ResolveRequest = Schema.Struct({
  host: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9._:[\]-]{1,253}$/, { expected: "a host name or an address, without a port" })
  ),
  port: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65535 }))),
  scheme: Schema.optionalKey(Schema.Literals(["https", "http"])),
  method: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(32))),
  path: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(16_384))),
  provider: Schema.optionalKey(ProviderName),
  connection: Schema.optionalKey(ConnectionName),
  rejected: Schema.optionalKey(Timestamp),
  confirm: Schema.optionalKey(Schema.Literal(true)),
  scope: Schema.optionalKey(CredentialScope)
})
export type ResolveRequest = typeof ResolveRequest.Type

/**
 * The key to sign requests with by AWS Signature Version 4, derived for one day, region and service. `key` is in base64;
 * `date` is the day in UTC, such as 20261123. The secret access key cannot be computed from it.
 */
export const SigningKey = wire({
  accessKeyId: Schema.String,
  sessionToken: Schema.optionalKey(Secret),
  key: Secret,
  date: Schema.String,
  region: Schema.String,
  service: Schema.String
}, "SigningKey")
export type SigningKey = typeof SigningKey.Type

/**
 * A signature to make for each request: an HMAC-SHA256 of `message` with `key` (in base64), sent in `headers`. Both have
 * places such as `{target}` for parts of the request; those for fields are filled.
 */
export const HmacSigning = wire({
  key: Secret,
  ...hmacParts,
  headers: Schema.Record(Schema.String, Secret)
}, "HmacSigning")
export type HmacSigning = typeof HmacSigning.Type

/**
 * The changes to make to that request.
 *
 * `headers` and `query` replace existing values. `defaults` are headers to set only if the request lacks them once
 * placeholders are removed. `strip` lists further credential headers and query parameters to remove, in lowercase, and
 * the texts that are placeholders besides those with the usual marker.
 * `path` exists for providers with a credential in the path: it maps a template to the path prefix with the
 * percent-encoded values (`/bot{api_key}` to `/bot123:abc`). If the request's path starts like the template, with a
 * placeholder in the position of a `{field}`, the mapped prefix replaces that part.
 *
 * `signing` exists for providers that require a signature in place of a secret. The client's signature is then removed,
 * and the request is signed with this key. `hmac` is the same for recipes that a definition declares; every request is
 * signed.
 *
 * `issuedAt` identifies the credential, for `rejected`. If `refreshable`, a request with `rejected` may return a
 * different credential.
 */
export const Resolved = wire({
  provider: ProviderName,
  connection: ConnectionName,
  headers: Schema.Record(Schema.String, Secret),
  query: Schema.Record(Schema.String, Secret),
  path: Schema.optionalKey(Schema.Record(Schema.String, Secret)),
  defaults: Schema.Record(Schema.String, Secret),
  strip: Schema.Struct({
    headers: Schema.Array(Schema.String),
    query: Schema.Array(Schema.String),
    placeholders: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  signing: Schema.optionalKey(SigningKey),
  hmac: Schema.optionalKey(HmacSigning),
  expiresAt: Schema.NullOr(Timestamp),
  issuedAt: Timestamp,
  refreshable: Schema.Boolean
}, "Resolved")
export type Resolved = typeof Resolved.Type

/** The part of `Resolved` that follows from the definition and the stored fields: the places of the credential. */
export type Placements = Pick<Resolved, "headers" | "query" | "path" | "defaults" | "strip" | "hmac">
