/** Exports the telemetry of a command that runs a proxy, if the user has configured a receiver. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Settings } from "../../config/Settings.ts"
import { AreRead, sharedRegistry } from "../../telemetry/Metrics.ts"
import { Output } from "../output/Output.ts"

/** How long a receiver that does not respond can delay the end of a command. */
const flushMillis = 1000

/**
 * Exports telemetry if a receiver is configured. Invalid settings do not stop the command: most `OTEL_*` variables are meant for
 * the programs that it starts.
 */
export const layerTelemetry = (program: "proxy" | "run" | "ssh") =>
  Layer.unwrap(Effect.gen(function*() {
    const { telemetry } = yield* Settings
    if (Option.isNone(telemetry)) return Layer.succeed(AreRead, false)
    const output = yield* Output
    const { layerOtlp } = yield* Effect.promise(() => import("../../telemetry/Otlp.ts"))
    return layerOtlp(Redacted.value(telemetry.value), { program, flushMillis }).pipe(
      Layer.provide(sharedRegistry),
      Layer.catch(({ message }) => Layer.effectDiscard(output.warn(`telemetry is off for this ${program}: ${message}`)))
    )
  }))
