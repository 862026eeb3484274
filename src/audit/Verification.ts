import * as Effect from "effect/Effect"
import type { AuditVerification } from "../domain/AuditEntry.ts"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { AuditLog } from "./AuditLog.ts"
import type { UseLog } from "./UseLog.ts"

/** Verifies the audit log, and then the request log. */
export const verifyLogs = (
  audit: AuditLog["Service"],
  uses: UseLog["Service"]
): Effect.Effect<AuditVerification, VaultUnavailableError> =>
  Effect.gen(function*() {
    const verified = yield* audit.verify
    if (!verified.ok) return { ...verified, requestBatches: 0 }
    const { batches, problem } = yield* uses.verify
    return problem === undefined
      ? { ...verified, requestBatches: batches }
      : { ...verified, requestBatches: batches, ok: false, problem: `The request log was altered: ${problem}.` }
  })
