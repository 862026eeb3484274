/** Operations that return credentials: export for the user, resolve for the proxy. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ConnectionName } from "../domain/Connection.ts"
import { Exported, ExportRequest } from "../domain/ConnectionResults.ts"
import {
  AmbiguousProviderError,
  credentialErrors,
  InvalidRequestError,
  OperationNotAllowedError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { ProviderName } from "../domain/ProviderName.ts"
import { ScanReport, ScanRequest } from "../domain/Scan.ts"
import { Timestamp } from "../domain/Timestamp.ts"
import { wire } from "../domain/Wire.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

/**
 * Describes the request that needs a credential. `host` is a lowercase name without port; `path` begins with a slash
 * and has no query. `rejected` is the `issued_at` of an earlier response whose credential the upstream rejected with
 * 401. If that credential is still stored, it is refreshed, subject to a rate limit. If it cannot be refreshed, the
 * connection's status becomes `invalid`.
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
 * The changes to make to that request.
 *
 * `headers` and `query` replace existing values. `defaults` are headers to set only if the request lacks them.
 * `strip` lists further credential headers and query parameters to remove, in lowercase. `path` exists for providers
 * with a credential in the path: it maps a template to the path prefix with the values (`/bot{api_key}` to
 * `/bot123:abc`). If the request's path starts like the template, with a placeholder in the position of a `{field}`,
 * the mapped prefix replaces that part.
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
      error: credentialErrors
    }).annotateMerge(OpenApi.annotations({
      identifier: "credentials.export",
      summary: "Export a credential",
      description: "Exports the connection named in the request, or `default`, as `credsvc export` does. Refreshes " +
        "first, so it never returns an expired token. Never exports a refresh token. The audit log records the export " +
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
      error: [...credentialErrors, AmbiguousProviderError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "credentials.resolve",
      summary: "Resolve the credential for a host",
      description:
        "Refreshes an expiring token first. Resolves https requests only. The audit log records the first use of a connection by a run (header " +
        "`Credsvc-Run`), or every use without that header, before the response is sent."
    })),
    HttpApiEndpoint.post("scan", "/credentials/scan", {
      payload: ScanRequest,
      success: ScanReport,
      error: [InvalidRequestError, OperationNotAllowedError, ProviderNotFoundError, VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "credentials.scan",
      summary: "Compare values of the environment with the vault",
      description:
        "Reports which providers the values belong to and whether the vault contains them. The audit log records a comparison " +
        "for each provider before the response is sent. With `import`, complete keys of providers without that " +
        "connection are stored, each recorded as a login; stored keys are never replaced. Custom providers get keys only if " +
        "`providers` names them, because a custom definition can claim any variable."
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    OpenApi.annotations({ title: "Credentials", description: "Secrets for the proxy and for explicit exports." })
  )
{}
