/** `credsvc admin restore`. */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { plural } from "../../domain/text/Plural.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { Output } from "../output/Output.ts"

export const restore = Effect.fnUntraced(function*(
  input: { readonly file: string; readonly check: boolean; readonly replace: boolean }
) {
  const output = yield* Output
  const { restore } = yield* Effect.promise(() => import("../../server/Daemon.ts"))
  const restored = yield* restore(input)
  if (output.json) return yield* output.document(Record.mapKeys(restored, snakeCase))
  const { auditEntries, kept, place, requestBatches, rows } = restored
  const verified = `${plural(rows, "row")}, ${plural(auditEntries, "audit entry", "audit entries")} and ` +
    `${plural(requestBatches, "batch", "batches")} of requests verified`
  if (place === null) return yield* output.note(`The backup can be restored here: ${verified}. Nothing was changed.`)
  yield* output.note(`Restored the store to ${place}: ${verified}.`)
  if (kept !== null) yield* output.note(`The previous store is in ${kept}. Delete it when you no longer need it.`)
  yield* output.note(
    "Start the daemon again, with systemctl if it is a service, otherwise with: credsvc daemon start. Log in again to " +
      "connections whose refresh tokens were replaced after the backup."
  )
})
