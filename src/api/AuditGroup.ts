import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { AuditEntry, AuditEvent, AuditVerification } from "../domain/AuditEntry.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { ProviderName } from "../domain/ProviderName.ts"
import { Timestamp } from "../domain/Timestamp.ts"
import { named } from "../domain/Wire.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

export const AuditEntries = Schema.Struct({ entries: Schema.Array(AuditEntry) }).pipe(
  named("AuditEntries", "A part of the audit log", { entries: "The entries, newest last" })
)

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: {
        limit: Schema.optionalKey(
          Schema.String.annotate({ description: "The largest number of entries; 50 when absent" }).check(
            Schema.isPattern(/^[1-9]\d{0,4}$/u, { expected: "a number from 1 to 99999" })
          )
        ),
        provider: Schema.optionalKey(ProviderName).annotateKey({ description: "Only entries about this provider" }),
        event: Schema.optionalKey(AuditEvent).annotateKey({ description: "Only entries of this kind" }),
        since: Schema.optionalKey(Timestamp)
      },
      success: AuditEntries,
      error: [VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "audit.list",
      summary: "Read the audit log",
      description:
        "Returns the newest matching entries in chronological order, at most `limit` (default 50). `since` is an RFC 3339 time."
    })),
    HttpApiEndpoint.get("verify", "/audit/verify", {
      success: AuditVerification,
      error: [VaultUnavailableError]
    }).annotateMerge(OpenApi.annotations({
      identifier: "audit.verify",
      summary: "Verify the audit log",
      description: "Recomputes the hash chain from its first entry."
    }))
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit",
      description: "The record of all actions and the identities that performed them."
    })
  )
{}
