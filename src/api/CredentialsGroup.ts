/** The operations whose requests or responses contain secrets of connections. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  AmbiguousProviderError,
  ConnectionAlreadyExistsError,
  connectionErrors,
  credentialErrors,
  InvalidRequestError,
  OperationNotAllowedError,
  ProviderNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import { Exported, ExportRequest } from "../domain/wire/ConnectionResults.ts"
import {
  AdoptedLogin,
  AdoptLogin,
  KeepOriginal,
  OriginalKept,
  RestoredFile,
  RestoreFile
} from "../domain/wire/OriginalFile.ts"
import { Resolved, ResolveRequest, RunId } from "../domain/wire/Resolve.ts"
import { ScanReport, ScanRequest } from "../domain/wire/Scan.ts"
import { forAdministrator, forJobs, forProfile, ProfileSelection, titled } from "./OperationParts.ts"

export class CredentialsGroup extends HttpApiGroup.make("credentials")
  .add(
    forProfile(
      "Export a credential",
      "Exports the connection named in the request, or `default`, as `credsvc export` does. Refreshes the " +
        "token first, so that the response never has an expired token. Never exports a refresh token. The audit log " +
        "records the export before the response is sent.",
      { reveals: "always" }
    ).post("export", "/credentials/export", { payload: ExportRequest, success: Exported, error: credentialErrors }),
    forJobs(
      "Resolve the credential for a host",
      "Refreshes an expiring token first. Resolves https requests only. The audit log records the first use of a connection by a run (header " +
        "`Credsvc-Run`), or every use without that header, before the response is sent.",
      { reveals: "always", readsBody: true }
    ).post("resolve", "/credentials/resolve", {
      headers: Schema.Struct({ "credsvc-run": Schema.optionalKey(RunId) }),
      payload: ResolveRequest,
      success: Resolved,
      error: [...credentialErrors, AmbiguousProviderError]
    }),
    forProfile(
      "Compare values of the environment with the vault",
      "Reports which providers the values belong to and whether the vault contains them. The audit log records a comparison " +
        "for each provider before the response is sent. With `import`, complete keys of providers without that " +
        "connection are stored, each recorded as a login; stored keys are never replaced. Custom providers get keys only if " +
        "`providers` names them, because a custom definition can claim any variable."
    ).post("scan", "/credentials/scan", {
      payload: ScanRequest,
      success: ScanReport,
      error: [InvalidRequestError, OperationNotAllowedError, ProviderNotFoundError, VaultUnavailableError]
    }),
    forAdministrator(
      "Take over the login of a program",
      "Stores the tokens of a login file as a connection, keeps the original file in the vault, and returns the " +
        "content with placeholders, which the caller writes to the file. After an interruption, repeat the request " +
        "with the current content of the file.",
      { reveals: "always", hasSecretBody: true }
    ).post("adopt", "/credentials/adopt", {
      payload: AdoptLogin,
      success: AdoptedLogin,
      error: [ConnectionAlreadyExistsError, ...connectionErrors]
    }),
    forAdministrator(
      "Keep the original of a file",
      "Seals the content of a file before the caller replaces keys in it by placeholders. A file that already " +
        "has an original keeps it. Refused if that file has changed since and still has placeholders.",
      { hasSecretBody: true }
    ).post("keep", "/credentials/keep", {
      payload: KeepOriginal,
      success: OriginalKept,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }),
    forAdministrator(
      "Restore a file that has placeholders",
      "Returns the original of the file. The caller writes the original to the file, and confirms this with the same request. The connection of a login " +
        "is removed, since its tokens belong to the program again. Refused if the file has changed, or if the daemon has refreshed the " +
        "login, since the original then has tokens that no longer work. The audit log records the restore before " +
        "the response is sent.",
      { reveals: "always", hasSecretBody: true }
    ).post("restore", "/credentials/restore", {
      payload: RestoreFile,
      success: RestoredFile,
      error: [OperationNotAllowedError, VaultUnavailableError]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Credentials", "Secrets for the proxy and for explicit exports."))
{}
