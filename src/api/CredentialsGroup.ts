/** Credentials: exported for a person, resolved for the proxy. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ConnectionName } from "../domain/Connection.ts"
import {
  AmbiguousProviderError,
  ConnectionNotFoundError,
  CredentialMissingError,
  InvalidRequestError,
  OperationNotAllowedError,
  ProviderNotFoundError,
  RefreshFailedError,
  TokenExpiredError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { ProviderName } from "../domain/ProviderName.ts"
import { ScanReport, ScanRequest } from "../domain/Scan.ts"
import { Timestamp } from "../domain/Timestamp.ts"
import { wire } from "../domain/Wire.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

export const ExportFormat = Schema.Literals(["env", "shell", "json"])
export type ExportFormat = typeof ExportFormat.Type

export const ExportRequest = Schema.Struct({
  provider: ProviderName,
  connection: Schema.optionalKey(ConnectionName),
  format: Schema.optionalKey(ExportFormat)
})
export type ExportRequest = typeof ExportRequest.Type

/** `output` is what the command prints, ending in a newline: `env` for a .env reader, `shell` for `eval`, `json` an object. */
export const Exported = Schema.Struct({
  format: ExportFormat,
  variables: Schema.Record(Schema.String, Secret),
  output: Secret
})
export type Exported = typeof Exported.Type

/**
 * A request about to be made. `host` is a lower-case name without port; `path` begins with a slash and has no query.
 * `rejected` is the `issued_at` of an earlier response whose credential the API refused with 401. If that credential is still
 * the stored one, it is refreshed, at most once in a while; where it cannot be refreshed, the connection reads `invalid`.
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
  rejected: Schema.optionalKey(Timestamp)
})
export type ResolveRequest = typeof ResolveRequest.Type

/**
 * What to put on that one request. `headers` and `query` replace whatever stands there; `defaults` are headers to set only
 * where the request has none; `strip` are names of further credential headers and query parameters (lower case) to take away.
 * `path` is there for providers that have a credential in the path: from a template to the same beginning of a path with the
 * values in it (`/bot{api_key}` to `/bot123:abc`). Where a request's path begins like the template and has a placeholder of
 * the child in the place of a `{field}`, it begins with the other instead.
 * `issuedAt` identifies the credential, for `rejected`. `refreshable`: a request with `rejected` may return another one.
 */
export const Resolved = wire({
  provider: ProviderName,
  connection: ConnectionName,
  headers: Schema.Record(Schema.String, Secret),
  query: Schema.Record(Schema.String, Secret),
  path: Schema.optionalKey(Schema.Record(Schema.String, Secret)),
  defaults: Schema.Record(Schema.String, Secret),
  strip: Schema.Struct({ headers: Schema.Array(Schema.String), query: Schema.Array(Schema.String) }),
  expiresAt: Schema.NullOr(Timestamp),
  issuedAt: Timestamp,
  refreshable: Schema.Boolean
}, "Resolved")
export type Resolved = typeof Resolved.Type

export class CredentialsGroup extends HttpApiGroup.make("credentials")
  .add(
    HttpApiEndpoint.post("export", "/credentials/export", {
      payload: ExportRequest,
      success: Exported,
      error: [
        ConnectionNotFoundError,
        ProviderNotFoundError,
        OperationNotAllowedError,
        CredentialMissingError,
        TokenExpiredError,
        RefreshFailedError,
        VaultUnavailableError
      ]
    }).annotateMerge(OpenApi.annotations({
      identifier: "credentials.export",
      summary: "Export a credential",
      description:
        "Exports the connection named `default` unless the request names another one, as `credsvc export` does. Refreshes " +
        "first, so it never returns an expired token. A refresh token is never exported. The audit log has the export " +
        "before the response is sent."
    })),
    HttpApiEndpoint.post("resolve", "/credentials/resolve", {
      headers: Schema.Struct({
        "credsvc-run": Schema.optionalKey(
          Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{16,64}$/, { expected: "a run id" }))
        )
      }),
      payload: ResolveRequest,
      success: Resolved,
      error: [
        ProviderNotFoundError,
        ConnectionNotFoundError,
        OperationNotAllowedError,
        CredentialMissingError,
        TokenExpiredError,
        RefreshFailedError,
        AmbiguousProviderError,
        VaultUnavailableError
      ]
    }).annotateMerge(OpenApi.annotations({
      identifier: "credentials.resolve",
      summary: "Resolve the credential for a host",
      description: "Refreshes when due. Only https is resolved. The first use of a connection by a run (header " +
        "`Credsvc-Run`), or any use without one, is in the audit log before the answer leaves."
    })),
    HttpApiEndpoint.post("scan", "/credentials/scan", {
      payload: ScanRequest,
      success: ScanReport,
      error: [InvalidRequestError, OperationNotAllowedError, ProviderNotFoundError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "credentials.scan",
      summary: "Compare values of the environment with the vault",
      description:
        "Says which providers the values belong to and whether the vault holds them. A comparison is in the audit log, " +
        "once for each provider, before the answer leaves. With `import`, complete keys of providers without that " +
        "connection are stored, each recorded as a login; nothing stored is replaced. Custom providers get keys only when " +
        "`providers` names them: a definition chooses its variables itself."
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    OpenApi.annotations({ title: "Credentials", description: "Secrets, for the proxy and on explicit demand." })
  )
{}
