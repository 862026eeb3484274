/**
 * Limits the entries that a caller can add to the audit log by repeating an action, such as refused requests and failed
 * logins.
 *
 * Within a minute, only the first of equal entries are recorded. The others are counted, and their number appears in
 * the daemon's log. Refused and failed actions are equal whatever they name, because a caller can name anything.
 */
import * as Effect from "effect/Effect"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { AuditRecord } from "./AuditRecord.ts"

/** How many equal entries are recorded within a minute. */
export const recordedRepeats = 10

export const limitRepeats = (append: (entry: AuditRecord) => Effect.Effect<void, VaultUnavailableError>) =>
  Effect.map(Effect.scope, (scope) => {
    const counts = new Map<string, number>()

    const endWindow = (key: string, { event, status }: AuditRecord) =>
      Effect.suspend(() => {
        const more = (counts.get(key) ?? 0) - recordedRepeats
        counts.delete(key)
        return more > 0
          ? Effect.logWarning(
            `the audit log contains only the first ${recordedRepeats} of ${recordedRepeats + more} ` +
              `entries of one minute with the event ${event} and the status ${status}`
          )
          : Effect.void
      })

    return (entry: AuditRecord) =>
      Effect.suspend(() => {
        const { connection = null, event, identity, provider = null, status } = entry
        const key = JSON.stringify([identity, event, status, ...status === "ok" ? [provider, connection] : []])
        const count = (counts.get(key) ?? 0) + 1
        counts.set(key, count)
        if (count > recordedRepeats) return Effect.void
        if (count > 1) return append(entry)
        // `endWindow` runs even if the daemon stops before the minute is over.
        const window = Effect.ensuring(Effect.sleep("1 minute"), endWindow(key, entry))
        return Effect.andThen(Effect.forkIn(window, scope, { startImmediately: true }), append(entry))
      })
  })
