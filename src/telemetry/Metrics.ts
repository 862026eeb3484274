/**
 * The metrics of the daemon and of its proxies, as Effect metrics: an embedding program finds them in its registry.
 *
 * They are counted in every process in which something can read them; the exporters are loaded on demand
 * (docs/decisions/0023-telemetry.md). Labels are constants of the code, routes by their pattern, names of providers and
 * status codes: never text of a request.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

type Values<Labels extends ReadonlyArray<string>> = { readonly [Index in keyof Labels]: string }

/** One metric: a series for each combination of values of its labels. */
const family = <const Labels extends ReadonlyArray<string>>(
  labels: Labels,
  create: (attributes: Readonly<Record<string, string>>) => Metric.Metric<number, unknown>
) => {
  const series = new Map<string, Metric.Metric<number, unknown>>()
  return {
    /** Adds to a counter or gauge, or records a value in a histogram. */
    record: (context: Context.Context<never>, values: Values<Labels>, amount: number): void => {
      const key = values.length === 1 ? values[0]! : values.join(" ")
      let metric = series.get(key)
      if (metric === undefined) {
        metric = create(Object.fromEntries(labels.map((label, at) => [label, values[at]!])))
        series.set(key, metric)
      }
      metric.modifyUnsafe(amount, context)
    }
  }
}

const counter = <const Labels extends ReadonlyArray<string>>(name: string, labels: Labels, description: string) =>
  family(labels, (attributes) => Metric.counter(name, { description, attributes, incremental: true }))

const gauge = (name: string, description: string) =>
  family([], (attributes) => Metric.gauge(name, { description, attributes }))

const fast = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** The histogram boundaries for logins, which wait for a person. */
const slow = [1, 5, 10, 30, 60, 120, 300, 600]

const seconds = <const Labels extends ReadonlyArray<string>>(
  name: string,
  labels: Labels,
  description: string,
  boundaries: ReadonlyArray<number> = fast
) =>
  family(labels, (attributes) =>
    // Exporters take the unit from this attribute.
    Metric.histogram(name, { description, attributes: { ...attributes, unit: "seconds" }, boundaries }))

export const requests = counter(
  "credsvc_requests_total",
  ["method", "route", "status"],
  "Requests to the daemon, by the pattern of their route. Includes the requests of proxies."
)
export const requestDuration = seconds(
  "credsvc_request_duration_seconds",
  ["method", "route"],
  "Time from a request to the daemon until its response is ready."
)
export const requestsInProgress = gauge(
  "credsvc_requests_in_progress",
  "Requests that the daemon is processing, including those that wait for a change."
)

export const logins = counter("credsvc_logins_total", ["flow", "result"], "Logins that have ended.")
export const loginDuration = seconds(
  "credsvc_login_duration_seconds",
  ["flow", "result"],
  "Time from the start of a login until its end.",
  slow
)

export const refreshes = counter(
  "credsvc_refreshes_total",
  ["provider", "result"],
  "Token refreshes by result. renewed: a new token; failed: no new token; unreachable: nothing was sent; " +
    "unavailable: the vault was unavailable."
)
export const refreshDuration = seconds("credsvc_refresh_duration_seconds", ["provider"], "Time of a token refresh.")
export const refreshesInProgress = gauge("credsvc_refreshes_in_progress", "Token refreshes in progress.")

export const proxyRequests = counter(
  "credsvc_proxy_requests_total",
  ["provider", "method", "status"],
  "Requests that a proxy has relayed or refused. Without a provider: to hosts for which it adds no credential."
)
export const proxyRequestDuration = seconds(
  "credsvc_proxy_request_duration_seconds",
  ["provider"],
  "Time from a request to a proxy until its response is complete."
)
export const proxyRequestsInProgress = gauge("credsvc_proxy_requests_in_progress", "Requests that a proxy is relaying.")
export const injections = counter(
  "credsvc_proxy_injections_total",
  ["provider"],
  "Requests to which a proxy has added a credential."
)
export const refusals = counter(
  "credsvc_proxy_refusals_total",
  ["error"],
  "Requests that a proxy has refused, by the class of the error."
)
export const resolveDuration = seconds(
  "credsvc_proxy_resolve_duration_seconds",
  ["result"],
  "Time from a proxy's request for a credential until the daemon responds."
)
export const resolvesInProgress = gauge(
  "credsvc_proxy_resolves_in_progress",
  "Requests for credentials to which the daemon has not responded yet."
)

/** Whether anything can read the metrics of a proxy. They are not counted for a command that exports none. */
export const AreRead = Context.Reference<boolean>("credsvc/telemetry/Metrics/AreRead", { defaultValue: () => true })

/** Provides the registry of the context explicitly, for exporters with another copy of Effect. */
export const sharedRegistry: Layer.Layer<never> = Layer.effectContext(
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed(Context.add(Context.empty(), Metric.MetricRegistry, Context.get(context, Metric.MetricRegistry)))
  )
)

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"])

/** The method as a label: clients can send any token. */
export const methodLabel = (method: string): string => methods.has(method) ? method : "other"

/** The status code as a label: an upstream can send any number of three digits. 0 means that the request was aborted. */
export const statusLabel = (status: number): string => {
  if (status === 0) return "aborted"
  return status >= 100 && status <= 599 ? String(status) : "other"
}
