/** Writes the metrics in Prometheus' text format. Loaded with the first request for them. */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** An embedding program may have metrics of its own in the same registry. */
const isOurs = (id: string): boolean => /^(?:credsvc|process)_/.test(id)

export const exposition = (context: Context.Context<never>): string => {
  const registry = Context.get(context, Metric.MetricRegistry)
  const ours = [...registry].filter(([, { id }]) => isOurs(id)).toSorted(([, a], [, b]) => a.id < b.id ? -1 : 1)
  return PrometheusMetrics.formatUnsafe(Context.add(context, Metric.MetricRegistry, new Map(ours)))
}
