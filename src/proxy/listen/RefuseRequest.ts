/** Refuses a request to the proxy itself, before it has an origin. */
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import { reasonPhrase, type Refusal } from "../ErrorResponse.ts"
import { type ProxyEvent, refusedEvent } from "../ProxyEvent.ts"

export interface RefusalOptions {
  readonly host?: string | undefined
  readonly headers?: ReadonlyArray<string> | undefined
  /** Whether to close the connection. */
  readonly last?: boolean | undefined
  /** Whether to withhold the reason from the client. */
  readonly isSilent?: boolean | undefined
}

const AUTHENTICATE: ReadonlyArray<string> = ["Proxy-Authenticate", "Basic realm=\"credsvc\""]
const NO_HEADERS: ReadonlyArray<string> = []

export const refuseRequest = (
  request: ServerRequest,
  refusal: Refusal,
  onEvent: ((event: ProxyEvent) => void) | undefined,
  { headers, host = "", isSilent = false, last = false }: RefusalOptions = {}
): void => {
  const { response } = request
  if (response.isClosed) return
  onEvent?.(refusedEvent(request.method, host, refusal))
  if (last) response.last = true
  if (isSilent) return response.send(refusal.status, "Not Found", [...headers ?? []], "")
  response.send(refusal.status, reasonPhrase(refusal.message), [
    "Content-Type",
    "text/plain; charset=utf-8",
    "X-Credsvc-Error",
    refusal.error,
    ...headers ?? (refusal.status === 407 ? AUTHENTICATE : NO_HEADERS)
  ], `credsvc: ${refusal.message}\n`)
}
