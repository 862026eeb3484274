/** The outcome of one request or tunnel, for logs. Contains no query, header field or body. */
import type { ProtocolViolation } from "../http/http1/ServerRequest.ts"
import { type Refusal, refusalMessage, requestRefusal } from "./ErrorResponse.ts"

export interface ProxyEvent {
  /** The host of the request. Empty if the request was refused before its host was known. */
  readonly host: string
  readonly method: string
  /**
   * The path without credentials. Until the credential is resolved, this is only the path prefix of the route, because the rest
   * may contain the credential.
   */
  readonly path: string
  /** The status of the response. 0 if the exchange was aborted before it. */
  readonly status: number
  readonly provider: string | undefined
  readonly connection: string | undefined
  /** Whether the host belongs to a provider of the run. */
  readonly isRouted: boolean
  /** The rule of the run that allows or denies the request. */
  readonly rule: string | null
  /** How many bytes of the request body (`bytesIn`) and of the response body (`bytesOut`) passed the proxy. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** Whether the request was sent with a credential. */
  readonly injected: boolean
  /** The scopes that the host demands and the credential lacks. */
  readonly missingScopes: ReadonlyArray<string> | undefined
  /** The LLM token count that the response has reported, if the run has a token limit. */
  readonly tokens: number
  /** The time at which a relayed request began, by `performance.now`. */
  readonly startedAt: number | undefined
  /** Why the proxy itself refused the request. */
  readonly refusal: Refusal | undefined
}

export const refusedEvent = (method: string, host: string, refusal: Refusal): ProxyEvent => ({
  host,
  method,
  path: "",
  status: refusal.status,
  provider: undefined,
  connection: undefined,
  isRouted: false,
  rule: null,
  bytesIn: 0,
  bytesOut: 0,
  injected: false,
  missingScopes: undefined,
  tokens: 0,
  startedAt: undefined,
  refusal
})

/** Responds to bytes that are not a valid request, and reports them. */
export const rejectBytes =
  (host: string, onEvent: ((event: ProxyEvent) => void) | undefined) => (violation: ProtocolViolation): string => {
    const refusal = requestRefusal(violation.status, violation.message)
    onEvent?.(refusedEvent("", host, refusal))
    return refusalMessage(refusal)
  }
