/**
 * How the proxy says no, in the forms that clients show to a person.
 *
 * The body of a CONNECT refusal is shown by nobody, its reason phrase by many. So a routed host always gets a tunnel,
 * and the refusal inside it: one JSON document with the message in each place where an SDK looks. 403, because 401
 * makes clients ask for a password and 5xx makes them try again.
 */
import type { ProtocolViolation } from "../http/http1/ServerRequest.ts"
import type { DialError } from "../outbound/DialError.ts"

export interface Refusal {
  readonly status: number
  /** Class name of the reason, sent as `X-Credsvc-Error`. */
  readonly error: string
  /** A sentence that says what is true and what to do. */
  readonly message: string
}

/** Nothing is wrong with provider or network: it is this request that is not relayed. */
export const requestRefusal = (status: number, message: string): Refusal => ({
  status,
  error: "RequestRefusedError",
  message
})

/** Why there is no connection to a host. */
export const dialRefusal = ({ message, problem }: DialError): Refusal =>
  problem === "forbidden" || problem === "private_address"
    ? requestRefusal(403, message)
    : { status: 502, error: "EndpointUnreachableError", message }

const STATUS_NAMES: Readonly<Record<number, readonly [phrase: string, name: string]>> = {
  400: ["Bad Request", "INVALID_ARGUMENT"],
  403: ["Forbidden", "PERMISSION_DENIED"],
  405: ["Method Not Allowed", "INVALID_ARGUMENT"],
  407: ["Proxy Authentication Required", "UNAUTHENTICATED"],
  408: ["Request Timeout", "INVALID_ARGUMENT"],
  417: ["Expectation Failed", "INVALID_ARGUMENT"],
  421: ["Misdirected Request", "INVALID_ARGUMENT"],
  431: ["Request Header Fields Too Large", "INVALID_ARGUMENT"],
  502: ["Bad Gateway", "UNAVAILABLE"],
  503: ["Service Unavailable", "UNAVAILABLE"]
}

/** One line of visible ASCII: what a status line may hold. */
export const reasonPhrase = (message: string): string =>
  `credsvc: ${message}`.replace(/[^\x20-\x7e]+/g, " ").slice(0, 300)

export const refusalBody = (
  refusal: Refusal,
  userAgent: string | undefined
): { readonly type: string; readonly body: string } => {
  const message = `credsvc: ${refusal.message}`
  // git shows a plain text body as `remote: …` and nothing of any other.
  if (userAgent?.startsWith("git/") === true) return { type: "text/plain; charset=utf-8", body: message + "\n" }
  const [phrase, name] = STATUS_NAMES[refusal.status] ?? ["Error", "UNKNOWN"]
  const body = JSON.stringify({
    error: { type: "credsvc_proxy_error", code: refusal.status, status: name, message },
    message,
    errors: [{ code: "DENIED", message }],
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: phrase.replaceAll(" ", ""),
    code: refusal.status
  })
  return { type: "application/json", body }
}

/** Codes of google.rpc.Code for the names above. */
const GRPC_CODES: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 3,
  PERMISSION_DENIED: 7,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16
}

/**
 * The header fields of a gRPC answer without messages, whose HTTP status is 200 whatever it says. Its clients show the
 * message, and nothing of a body.
 */
export const grpcRefusal = (refusal: Refusal): Readonly<Record<string, string>> => ({
  "content-type": "application/grpc",
  "grpc-status": String(GRPC_CODES[STATUS_NAMES[refusal.status]?.[1] ?? ""] ?? 2),
  // Percent-encoded beyond visible ASCII, as the protocol of gRPC over HTTP/2 has it.
  "grpc-message": encodeURI(`credsvc: ${refusal.message}`.toWellFormed()).replaceAll("%20", " ")
})

/** A complete HTTP/1.1 answer, for a socket that no HTTP server of ours is attached to. */
export const refusalMessage = (
  refusal: Refusal,
  options: { readonly close: boolean; readonly headers?: string } = { close: true }
): string => {
  const body = `credsvc: ${refusal.message}\n`
  return `HTTP/1.1 ${refusal.status} ${reasonPhrase(refusal.message)}\r\n` +
    "Content-Type: text/plain; charset=utf-8\r\n" +
    `Content-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-Credsvc-Error: ${refusal.error}\r\n` +
    (options.headers ?? "") +
    `Connection: ${options.close ? "close" : "keep-alive"}\r\n\r\n${body}`
}

/** The response of a server of HTTP/1.1 to bytes that are not a valid request. */
export const rejection = ({ message, status }: ProtocolViolation): string =>
  refusalMessage(requestRefusal(status, message))

/** What to do where the failure alone tells. Other failures have different reasons, and the daemon says which. */
const ADVICE: Readonly<Record<string, (provider: string) => string>> = {
  ConnectionNotFoundError: (provider) => `no connection for ${provider}; run: credsvc login ${provider}`,
  TokenExpiredError: (provider) => `the credential for ${provider} has expired; run: credsvc login ${provider}`,
  RefreshFailedError: (provider) =>
    `the credential for ${provider} could not be refreshed; run: credsvc login ${provider}`,
  DaemonUnavailableError: () => "the credsvc daemon does not answer; run: credsvc daemon start"
}

/** The refusal for a routed host whose credential could not be had. */
export const credentialRefusal = (
  provider: string,
  connection: string,
  refused: { readonly error: string; readonly detail: string }
): Refusal => {
  const advice = ADVICE[refused.error]
  const option = connection === "default" || connection === "" ? "" : ` --connection ${connection}`
  const message = advice === undefined
    ? refused.detail
    : advice(provider) + (refused.error === "DaemonUnavailableError" ? "" : option)
  return { status: 403, error: refused.error, message }
}

export const ambiguousRefusal = (host: string, providers: ReadonlyArray<string>): Refusal => ({
  status: 403,
  error: "AmbiguousProviderError",
  message: `${host} is claimed by several providers (${providers.join(", ")}); choose with: credsvc run --provider ${
    providers[0] ?? "<name>"
  }`
})
