import * as Effect from "effect/Effect"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { AuditVerification } from "../domain/wire/AuditEntry.ts"
import type { AuditLog } from "./AuditLog.ts"
import type { RequestLog } from "./RequestLog.ts"

/** Verifies the audit log, and then the request log. */
export const verifyLogs = (
  audit: AuditLog["Service"],
  requests: RequestLog["Service"]
): Effect.Effect<AuditVerification, VaultUnavailableError> =>
  Effect.gen(function*() {
    const verified = yield* audit.verify
    if (!verified.ok) return { ...verified, requestBatches: 0 }
    const { batches, problem } = yield* requests.verify
    return problem === undefined
      ? { ...verified, requestBatches: batches }
      : { ...verified, requestBatches: batches, ok: false, problem: `The request log was altered: ${problem}.` }
  })
