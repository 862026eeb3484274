/** The operations that read and verify the audit log and the request log. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { AuditEntry, AuditEvent, AuditVerification } from "../domain/wire/AuditEntry.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { RequestEntry } from "../domain/wire/RequestEntry.ts"
import { RunName } from "../domain/wire/Run.ts"
import { struct, Timestamp } from "../domain/wire/Wire.ts"
import { forAdministrator, forProfile, matching, optional, ProfileSelection, titled } from "./OperationParts.ts"

const AuditEntries = struct("AuditEntries", "A part of the audit log", {
  entries: [Schema.Array(AuditEntry), "The entries, newest last"]
})

const RequestEntries = struct("RequestEntries", "A part of the request log", {
  newest: [Schema.Int, "The number of the last batch that was read"],
  older: [
    Schema.NullOr(Schema.Int),
    "The `until_batch` with which to continue the search; null if there are `limit` entries, or if the search is complete"
  ],
  entries: [Schema.Array(RequestEntry), "The entries, newest last"]
})

const number = matching(/^\d{1,15}$/u, "the number of a batch or an entry")

const limit = optional(
  matching(/^[1-9]\d{0,4}$/u, "a number from 1 to 99999"),
  "The maximum number of entries. The default is 50"
)

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    forProfile(
      "Read the audit log",
      "Returns the newest matching entries in chronological order, at most `limit` (default 50). `since` is an RFC 3339 time. " +
        "Commands inside a run are refused."
    ).get("list", "/audit", {
      query: {
        limit,
        provider: optional(ProviderName, "Only entries about this provider"),
        event: optional(AuditEvent, "Only entries of this kind"),
        since: Schema.optionalKey(Timestamp)
      },
      success: AuditEntries,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }),
    forProfile(
      "Read the requests of runs",
      "Returns the newest matching requests that had a credential or were refused, in chronological order, at most `limit` (default 50). " +
        "`failed` selects requests that were refused or got a status of 400 or higher. With `after`, only batches after the given one are " +
        "read; `newest` is the number of the last batch. A search ends after about 20,000 requests: continue it with `older` as " +
        "`until_batch`. A command inside a run can read only the requests of that run, and must name it with `run`."
    ).get("requests", "/audit/requests", {
      query: {
        limit,
        run: optional(RunName, "Only requests of this run"),
        provider: optional(ProviderName, "Only requests to this provider"),
        host: optional(Schema.String, "Only requests to this host"),
        status: optional(
          matching(/^[1-9]\d\d$/u, "a status from 100 to 999"),
          "Only requests whose response had this status"
        ),
        failed: optional(Schema.Literal("true"), "Only requests that were refused or got a status of 400 or higher"),
        since: optional(Timestamp, "Only requests since this time"),
        until: optional(Timestamp, "Only requests until this time"),
        after: optional(number, "Only requests that were recorded after this batch"),
        until_batch: optional(number, "Only requests that were recorded up to this batch")
      },
      success: RequestEntries,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }),
    forAdministrator(
      "Verify the audit log",
      "Recomputes the hash chains of the entries and of the requests, each from its beginning. Commands inside a run are refused."
    ).get("verify", "/audit/verify", {
      success: AuditVerification,
      error: [OperationNotAllowedError, VaultUnavailableError]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Audit", "The record of all actions and the identities that performed them."))
{}
