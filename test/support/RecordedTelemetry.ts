/** Records the spans and metrics of code in this process, as a program that embeds it can. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import { exposition } from "../../src/telemetry/Prometheus.ts"
import { readExposition } from "./Exposition.ts"

/** Records what exporters send about a span: its name, attributes, events and failure. */
export const recorder = () => {
  const recorded: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  class RecordingSpan extends Tracer.NativeSpan {
    override attribute(key: string, value: unknown): void {
      recorded.push(`${this.name}: ${key} = ${String(value)}`)
      super.attribute(key, value)
    }
    override event(name: string, startTime: bigint, attributes?: Record<string, unknown>): void {
      recorded.push(`${this.name}: ${name} ${JSON.stringify(attributes)}`)
      super.event(name, startTime, attributes)
    }
    override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
      if (Exit.isFailure(exit)) recorded.push(`${this.name}: ${Cause.pretty(exit.cause)}`)
      super.end(endTime, exit)
    }
  }
  const tracer = Tracer.make({
    span: (options) => {
      recorded.push(options.name)
      const span = new RecordingSpan(options)
      spans.push(span)
      return span
    }
  })
  return { recorded, spans, tracer }
}

/** Runs the effect with a tracer and a registry of its own. */
export const recordTelemetry = () => {
  const { recorded, spans, tracer } = recorder()
  const registry: Metric.MetricRegistry = new Map()
  return {
    recorded,
    registry,
    spans,
    run: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      effect.pipe(Effect.withTracer(tracer), Effect.provideService(Metric.MetricRegistry, registry)),
    metrics: () => readExposition(exposition(Context.make(Metric.MetricRegistry, registry)))
  }
}

/** The SQL statements that the effect runs. */
export const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const { run, spans } = recordTelemetry()
    return Effect.map(run(effect), () =>
      spans.flatMap(({ attributes }) => {
        const text = attributes.get("db.query.text")
        return typeof text === "string" ? [text] : []
      }))
  })
