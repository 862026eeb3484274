/** Spans around requests. Their attributes follow the semantic conventions of OpenTelemetry for HTTP. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"

/** Effect's key of the tracer, without its default value, because that would add Effect's own tracer to every bundle. */
export class TracerKey
  extends Context.Service<TracerKey, Tracer.Tracer>()("effect/Tracer" satisfies typeof Tracer.TracerKey)
{}

/** The tracer that this program or an embedding program has set, or undefined if spans would be recorded nowhere. */
export const tracerOf = (context: Context.Context<never>): Tracer.Tracer | undefined =>
  Option.getOrUndefined(Context.getOption(context, TracerKey))

/** Effect's key of the span that an effect runs in. */
class ParentSpanKey extends Context.Service<ParentSpanKey, Tracer.AnySpan>()(
  "effect/Tracer/ParentSpan" satisfies typeof Tracer.ParentSpanKey
) {}

/** The span of this context in the format of W3C Trace Context, or undefined without a span. */
export const traceparentOf = (context: Context.Context<never>): string | undefined => {
  const span = Option.getOrUndefined(Context.getOption(context, ParentSpanKey))
  return span === undefined ? undefined : `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
}

/** The span of another process. `traceparent` must be valid. */
const externalSpan = (traceparent: string): Tracer.ExternalSpan => {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-")
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  return { _tag: "ExternalSpan", traceId, spanId, sampled, annotations: Context.empty() }
}

/** What is known of a span at its beginning. */
export interface RequestSpan {
  /** `GET /connections/:provider`: the pattern of the route, never the path. */
  readonly name: string
  readonly kind: "client" | "server"
  readonly attributes: Readonly<Record<string, string | number>>
  /** The span of the process that sent the request, in the format of W3C Trace Context. */
  readonly traceparent?: string | undefined
}

const setAttributes = (span: Tracer.Span, attributes: RequestSpan["attributes"]): void => {
  for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
}

/** Runs the effect in a span; `attributesOf` describes its result. Without a tracer it costs nothing. */
export const traced = <A, E, R>(
  context: Context.Context<never>,
  { attributes, kind, name, traceparent }: RequestSpan,
  effect: Effect.Effect<A, E, R>,
  attributesOf: (exit: Exit.Exit<A, unknown>) => RequestSpan["attributes"]
): Effect.Effect<A, E, R> =>
  tracerOf(context) === undefined ? effect : Effect.useSpan(name, {
    kind,
    attributes,
    ...(traceparent === undefined ? {} : { parent: externalSpan(traceparent) })
  }, (span) =>
    Effect.onExit(
      Effect.updateContext(effect, Context.add(ParentSpanKey, span)),
      (exit) => Effect.sync(() => setAttributes(span, attributesOf(exit)))
    ))

const nanoseconds = (at: number): bigint => BigInt(Math.round((performance.timeOrigin + at) * 1e6))

/** Records a request that is over. `startedAt` is a time of `performance.now`. */
export const recordSpan = (
  context: Context.Context<never>,
  { attributes, kind, name }: RequestSpan,
  startedAt: number,
  exit: Exit.Exit<unknown, unknown>
): void => {
  const span = tracerOf(context)?.span({
    name,
    kind,
    parent: Option.none(),
    annotations: Context.empty(),
    links: [],
    startTime: nanoseconds(startedAt),
    root: true,
    sampled: true
  })
  if (span === undefined) return
  setAttributes(span, attributes)
  span.end(nanoseconds(performance.now()), exit)
}
