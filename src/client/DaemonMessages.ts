/** Requests to the daemon and its responses, as the client passes them between its modules. */
import type * as Http from "node:http"
import type { DaemonAddress } from "./DaemonAddress.ts"

export interface DaemonRequest {
  readonly method: string
  /** The encoded target with its query. It begins with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** The span of the request, for `resolve` over a channel. */
  readonly traceparent?: string | undefined
}

export interface DaemonResponse {
  readonly from: DaemonAddress
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

/** Starts a request. The body is not sent yet. */
export type OpenRequest = (
  request: DaemonRequest,
  responded: (incoming: Http.IncomingMessage) => void
) => Http.ClientRequest
