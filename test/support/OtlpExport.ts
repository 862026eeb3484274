import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import { ExportState } from "../../src/telemetry/ExportState.ts"
import { makeExport } from "../../src/telemetry/Otlp.ts"
import { readOtlpSettings } from "../../src/telemetry/OtlpSettings.ts"

/** An export to the receiver with a registry of its own. `end` closes it, as the end of the program does. */
export const exportTo = Effect.fnUntraced(function*(
  url: string,
  variables: Readonly<Record<string, string>> = {},
  program: "daemon" | "run" = "run"
) {
  const settings = yield* readOtlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...variables })
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const registry = Context.make(Metric.MetricRegistry, new Map())
  const exported = yield* makeExport(settings!, { program, flushMillis: 1000 }).pipe(
    Effect.provideContext(registry),
    Scope.provide(scope)
  )
  const context = Context.merge(registry, exported)
  return {
    registry,
    traced: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, context),
    state: Context.get(context, ExportState),
    end: Scope.close(scope, Exit.void)
  }
})
