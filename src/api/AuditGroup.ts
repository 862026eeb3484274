import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { AuditEntry, AuditEvent, AuditVerification } from "../domain/wire/AuditEntry.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { RequestEntry } from "../domain/wire/RequestEntry.ts"
import { RunName } from "../domain/wire/Run.ts"
import { Timestamp } from "../domain/wire/Timestamp.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forAdministrator, forProfile, titled } from "./Documentation.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

export const AuditEntries = struct(
  { entries: [Schema.Array(AuditEntry), "The entries, newest last"] },
  "AuditEntries",
  "A part of the audit log"
)

export const RequestEntries = struct(
  {
    newest: [Schema.Int, "The number of the last batch that was read"],
    older: [
      Schema.NullOr(Schema.Int),
      "The `until_batch` with which to continue the search; null if there are `limit` entries, or if the search is complete"
    ],
    entries: [Schema.Array(RequestEntry), "The entries, newest last"]
  },
  "RequestEntries",
  "A part of the request log"
)

const number = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.isPattern(/^\d{1,15}$/u, { expected: "the number of a batch or an entry" })
  )

const limit = Schema.optionalKey(
  Schema.String.annotate({ description: "The maximum number of entries; 50 when absent" }).check(
    Schema.isPattern(/^[1-9]\d{0,4}$/u, { expected: "a number from 1 to 99999" })
  )
)

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: {
        limit,
        provider: Schema.optionalKey(ProviderName).annotateKey({ description: "Only entries about this provider" }),
        event: Schema.optionalKey(AuditEvent).annotateKey({ description: "Only entries of this kind" }),
        since: Schema.optionalKey(Timestamp)
      },
      success: AuditEntries,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(
      forProfile(
        "Read the audit log",
        "Returns the newest matching entries in chronological order, at most `limit` (default 50). `since` is an RFC 3339 time. " +
          "Commands inside a run are refused."
      )
    ),
    HttpApiEndpoint.get("requests", "/audit/requests", {
      query: {
        limit,
        run: Schema.optionalKey(RunName).annotateKey({ description: "Only requests of this run" }),
        provider: Schema.optionalKey(ProviderName).annotateKey({ description: "Only requests to this provider" }),
        host: Schema.optionalKey(Schema.String.annotate({ description: "Only requests to this host" })),
        status: Schema.optionalKey(
          Schema.String.annotate({ description: "Only requests whose response had this status" }).check(
            Schema.isPattern(/^[1-9]\d\d$/u, { expected: "a status from 100 to 999" })
          )
        ),
        failed: Schema.optionalKey(
          Schema.Literal("true").annotate({
            description: "Only requests that were refused or got a status of 400 or higher"
          })
        ),
        since: Schema.optionalKey(Timestamp).annotateKey({ description: "Only requests since this time" }),
        until: Schema.optionalKey(Timestamp).annotateKey({ description: "Only requests until this time" }),
        after: Schema.optionalKey(number("Only requests that were recorded after this batch")),
        until_batch: Schema.optionalKey(number("Only requests that were recorded up to this batch"))
      },
      success: RequestEntries,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(
      forProfile(
        "Read the requests of runs",
        "Returns the newest matching requests that had a credential or were refused, in chronological order, at most `limit` (default 50). " +
          "`failed` selects requests that were refused or got a status of 400 or higher. With `after`, only batches after the given one are " +
          "read; `newest` is the number of the last batch. A search ends after about 20,000 requests: continue it with `older` as " +
          "`until_batch`. A command inside a run can read only the requests of that run, and must name it with `run`."
      )
    ),
    HttpApiEndpoint.get("verify", "/audit/verify", {
      success: AuditVerification,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }).annotateMerge(
      forAdministrator(
        "Verify the audit log",
        "Recomputes the hash chains of the entries and of the requests, each from its beginning. Commands inside a run are refused."
      )
    )
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    titled("Audit", "The record of all actions and the identities that performed them.")
  )
{}
