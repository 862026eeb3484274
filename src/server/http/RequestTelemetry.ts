/** Measures the requests to the daemon, over HTTP and in resolve channels. */
import type * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import { methodLabel, requestDuration, requests, requestsInProgress, statusLabel } from "../../telemetry/Metrics.ts"
import type { RequestSpan } from "../../telemetry/Spans.ts"

/** A request to a route. The route is its pattern, because the path may contain a session ID. */
export interface MeasuredRequest {
  readonly method: string
  readonly route: string
}

/** Counts a completed request. `began` is its start by `performance.now()`. */
export const countRequest = (
  context: Context.Context<never>,
  { method, route }: MeasuredRequest,
  status: number,
  began: number
): void => {
  const label = methodLabel(method)
  requests.record(context, [label, route, statusLabel(status)], 1)
  requestDuration.record(context, [label, route], (performance.now() - began) / 1000)
}

/** Counts a request as in progress until the returned function is called with the response. */
export const beginRequest = (context: Context.Context<never>) => {
  const began = performance.now()
  requestsInProgress.record(context, [], 1)
  return (request: MeasuredRequest, status: number): void => {
    requestsInProgress.record(context, [], -1)
    countRequest(context, request, status, began)
  }
}

export const requestSpan = ({ method, route }: MeasuredRequest): RequestSpan => ({
  name: `${methodLabel(method)} ${route}`,
  kind: "server",
  attributes: { "http.request.method": methodLabel(method), "http.route": route }
})

/** The span attributes of a response: its status. */
export const responseAttributes = (
  exit: Exit.Exit<{ readonly status: number }, unknown>
): RequestSpan["attributes"] => exit._tag === "Success" ? { "http.response.status_code": exit.value.status } : {}
