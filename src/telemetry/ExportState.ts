/** Whether the export of telemetry works, for health checks and the log. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const ExportState = Context.Reference<{
  /** Sends what is due, and returns why the last attempt failed; undefined if it succeeded or nothing is exported. */
  readonly check: Effect.Effect<string | undefined>
  /** Calls the listener whenever the export begins to fail, with the reason, or works again. */
  readonly listen: (listener: (failure: string | undefined) => void) => void
}>("credsvc/telemetry/ExportState", {
  defaultValue: () => ({ check: Effect.succeed(undefined), listen: () => {} })
})
