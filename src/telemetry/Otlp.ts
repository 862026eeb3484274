/** Exports spans and metrics over OTLP. Loaded only if a receiver is configured. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { SettingsError } from "../config/Settings.ts"
import { builtins } from "../platform/builtins.ts"
import { version } from "../platform/process/Version.ts"
import { exportedTracer } from "./ExportedTracer.ts"
import { ExportState } from "./ExportState.ts"
import { type OtlpSettings, readOtlpSettings, type Receiver } from "./OtlpSettings.ts"
import { makeTransport } from "./OtlpTransport.ts"

/** What the settings do not say about the export. */
export interface OtlpOptions {
  /** Which program of credsvc exports: an attribute of the resource. */
  readonly program: "daemon" | "proxy" | "run" | "ssh"
  /** How long the end of the program may be delayed to send the remaining telemetry. */
  readonly flushMillis: number
}

const checkLimit = "2 seconds"

const serializationOf = ({ protocol }: Receiver) =>
  protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf

/** The signals whose last batch was not accepted, and the listener for the first failure and the end of the last one. */
const makeFailures = () => {
  const failures = new Map<string, string>()
  let listener: (failure: string | undefined) => void = () => {}
  const first = (): string | undefined => [...failures.values()][0]
  return {
    first,
    listen: (next: typeof listener): void => {
      listener = next
    },
    record: (signal: string, failure: string | undefined): void => {
      const before = first()
      if (failure === undefined) failures.delete(signal)
      else failures.set(signal, failure)
      if ((before === undefined) !== (first() === undefined)) listener(first())
    }
  }
}

/** Describes this process to the receivers. */
const resourceOf = ({ resourceAttributes, serviceName }: OtlpSettings, program: OtlpOptions["program"]) => ({
  serviceName,
  serviceVersion: version,
  attributes: {
    "service.instance.id": builtins.crypto.randomUUID(),
    ...resourceAttributes,
    "credsvc.program": program
  }
})

/** The tracer and the state of the export, until the scope closes. Metrics are read from the registry of the context. */
export const makeExport = (
  settings: OtlpSettings,
  options: OtlpOptions
): Effect.Effect<Context.Context<never>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const flusher = Context.get(yield* Layer.buildWithScope(OtlpExporter.layerFlusher, scope), OtlpExporter.Flusher)
    let isClosing = false
    const failures = makeFailures()

    const connect = Effect.fnUntraced(function*(signal: string, receiver: Receiver) {
      const report = (reason: string | undefined) =>
        failures.record(
          signal,
          reason === undefined ? undefined : `${receiver.url.origin} does not accept ${signal}: ${reason}`
        )
      const serialization = yield* Layer.buildWithScope(serializationOf(receiver), scope)
      return Context.add(serialization, HttpClient.HttpClient, yield* makeTransport(receiver, () => isClosing, report))
        .pipe(
          Context.add(OtlpExporter.Flusher, flusher),
          // Prevents the exporters from reading the environment themselves.
          Context.add(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))
        )
    })
    const resource = resourceOf(settings, options.program)
    const optionsFor = (receiver: Receiver) => ({
      url: receiver.url.href,
      headers: Redacted.value(receiver.headers),
      compression: receiver.compression,
      shutdownTimeout: options.flushMillis / 2,
      resource
    })

    let exported: Context.Context<never> = Context.empty()
    const { metrics, traces } = settings
    if (traces !== undefined) {
      const tracer = yield* OtlpTracer.make({
        ...optionsFor(traces),
        exportInterval: settings.spanIntervalMillis,
        maxBatchSize: settings.maxBatchSize
      }).pipe(Effect.provideContext(yield* connect("traces", traces)))
      exported = Context.add(exported, Tracer.Tracer, exportedTracer(tracer, settings.sampledShare))
    }
    if (metrics !== undefined) {
      const services = yield* connect("metrics", metrics)
      yield* OtlpMetrics.make({
        ...optionsFor(metrics),
        exportInterval: settings.metricIntervalMillis,
        temporality: settings.temporality
      }).pipe(Effect.provideContext(services))
    }
    // Runs before the exporters send the last batches, which must not be retried.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosing = true
      })
    )
    return Context.add(exported, ExportState, {
      check: Effect.andThen(Effect.timeoutOption(flusher.flush, checkLimit), Effect.sync(failures.first)),
      listen: failures.listen
    })
  })

/**
 * Exports to the receivers that the variables name, if any. In the built program this is a bundle with a copy of Effect, which
 * cannot open secrets of another copy, and which has its own registry of metrics unless a registry is provided.
 */
export const layerOtlp = (
  variables: Readonly<Record<string, string>>,
  options: OtlpOptions
): Layer.Layer<never, SettingsError> =>
  Layer.effectContext(
    Effect.flatMap(
      readOtlpSettings(variables),
      (settings) =>
        settings === undefined
          ? Effect.succeed(Context.empty())
          : makeExport(settings, options)
    )
  )
