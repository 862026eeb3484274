/**
 * The error responses of the proxy, in the forms that clients show to a person.
 *
 * Clients do not show the body of a rejected CONNECT. A client therefore always gets a tunnel to a routed host, with the error
 * response inside: JSON with the message in every member that SDKs read. It has status 403, because 401 causes password prompts and
 * 5xx causes retries.
 */
import { describeMisplaced, type MisplacedPlaceholder } from "../domain/injection/MisplacedPlaceholder.ts"
import { listsConnections } from "../domain/text/ExistingConnections.ts"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import type { DialError } from "../outbound/DialError.ts"

export interface Refusal {
  readonly status: number
  /** The error's class name, sent as `X-Credsvc-Error`. */
  readonly error: string
  /** The message for the client and the logs, without a path. */
  readonly message: string
  /** The request that the rules of the run refuse. Sent to the client, but not logged. */
  readonly outside?: RefusedRequest | undefined
  /** The placeholder that ended the use of credentials. */
  readonly misplaced?: Misplaced | undefined
}

type Misplaced = MisplacedPlaceholder & { readonly host: string }

/** A request that the rules of a run refuse, for programs to read. */
export interface RefusedRequest {
  readonly method: string
  readonly host: string
  readonly path: string
  /** The rule that denies the request; null if no rule allows it. */
  readonly rule: string | null
  /** A rule that would allow the request; null if no rule would. */
  readonly allow: string | null
  /** Why the user has not approved the request. Absent if the user was not asked. */
  readonly approval?: "denied" | "expired" | "unavailable"
}

/** Refuses a request because of the request itself, not because of the provider or the network. */
export const requestRefusal = (status: number, message: string): Refusal => ({
  status,
  error: "RequestRefusedError",
  message
})

/** Ends a request because of the upstream or the network path to it. */
export const upstreamRefusal = (message: string): Refusal => ({
  status: 502,
  error: "EndpointUnreachableError",
  message
})

/** A defect of the proxy. The client gets no details, which could quote the request or response. */
export const defectRefusal = (host: string): Refusal => ({
  status: 502,
  error: "UnexpectedError",
  message: `this request to ${host}, or its response, made the proxy fail; please report this bug of credsvc`
})

/** Refuses every credential after a misplaced placeholder in a strict run or sandbox. */
export const frozenRefusal = ({ host, kind, place }: Misplaced, isSandbox: boolean): Refusal => ({
  status: 403,
  error: "RunFrozenError",
  message: `this ${isSandbox ? "sandbox" : "run"} gets no more credentials, because of --strict. ` +
    `${describeMisplaced({ kind, place }, host)}. To continue, find the cause with credsvc log requests, then ` +
    (isSandbox ? "replace the token with credsvc sandbox rotate" : "start the command again with credsvc run"),
  misplaced: { kind, place, host }
})

export const dialRefusal = ({ message, problem }: DialError): Refusal =>
  problem === "forbidden" || problem === "private_address"
    ? requestRefusal(403, message)
    : upstreamRefusal(message)

const STATUS_NAMES: Readonly<Record<number, readonly [phrase: string, name: string]>> = {
  400: ["Bad Request", "INVALID_ARGUMENT"],
  403: ["Forbidden", "PERMISSION_DENIED"],
  405: ["Method Not Allowed", "INVALID_ARGUMENT"],
  407: ["Proxy Authentication Required", "UNAUTHENTICATED"],
  408: ["Request Timeout", "INVALID_ARGUMENT"],
  409: ["Conflict", "FAILED_PRECONDITION"],
  413: ["Content Too Large", "INVALID_ARGUMENT"],
  414: ["URI Too Long", "INVALID_ARGUMENT"],
  417: ["Expectation Failed", "INVALID_ARGUMENT"],
  421: ["Misdirected Request", "INVALID_ARGUMENT"],
  429: ["Too Many Requests", "RESOURCE_EXHAUSTED"],
  431: ["Request Header Fields Too Large", "INVALID_ARGUMENT"],
  502: ["Bad Gateway", "UNAVAILABLE"],
  503: ["Service Unavailable", "UNAVAILABLE"]
}

/** Converts a message to one line of visible ASCII, which is safe in a status line. */
export const reasonPhrase = (message: string): string =>
  `credsvc: ${message}`.replace(/[^\x20-\x7e]+/g, " ").slice(0, 300)

/** The message for the client, with the rule that would allow the request. */
const clientMessage = ({ message, outside }: Refusal): string =>
  `credsvc: ${message}${outside === undefined || outside.allow === null ? "" : `. A rule for it: ${outside.allow}`}`

export const refusalBody = (
  refusal: Refusal,
  userAgent: string | undefined
): { readonly type: string; readonly body: string } => {
  const { misplaced, outside } = refusal
  const message = clientMessage(refusal)
  // git shows only plain text bodies, as `remote: …`.
  if (userAgent?.startsWith("git/") === true) return { type: "text/plain; charset=utf-8", body: message + "\n" }
  const [phrase, name] = STATUS_NAMES[refusal.status] ?? ["Error", "UNKNOWN"]
  const body = JSON.stringify({
    error: { type: "credsvc_proxy_error", code: refusal.status, status: name, message },
    message,
    ...(outside === undefined ? {} : { refused: outside }),
    ...(misplaced === undefined ? {} : { misplaced }),
    // The OCI distribution specification names an error of status 403 DENIED.
    errors: [{ code: refusal.status === 403 ? "DENIED" : name, message }],
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: phrase.replaceAll(" ", ""),
    code: refusal.status
  })
  return { type: "application/json", body }
}

/** The fields of every refusal. */
export const refusalFields = ({ error, status }: Refusal): HeaderPairs => [
  "X-Credsvc-Error",
  error,
  "Cache-Control",
  "no-store",
  ...(status === 405 ? ["Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"] : []),
  // Without this field, the SDKs of OpenAI and Anthropic retry the request.
  ...(status === 429 ? ["X-Should-Retry", "false"] : [])
]

const GRPC_CODES: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 3,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16
}

/** A gRPC response without messages. Its HTTP status is 200, and gRPC clients show only `grpc-message`. */
export const grpcRefusal = (refusal: Refusal): Readonly<Record<string, string>> => ({
  "content-type": "application/grpc",
  "grpc-status": String(GRPC_CODES[STATUS_NAMES[refusal.status]?.[1] ?? ""] ?? 2),
  // gRPC over HTTP/2 percent-encodes everything but visible ASCII.
  "grpc-message": encodeURI(clientMessage(refusal).toWellFormed()).replaceAll("%20", " ")
})

/** A whole response after which the connection is closed. */
export const refusalMessage = (refusal: Refusal): string => {
  const body = `credsvc: ${refusal.message}\n`
  return `HTTP/1.1 ${refusal.status} ${reasonPhrase(refusal.message)}\r\n` +
    "Content-Type: text/plain; charset=utf-8\r\n" +
    `Content-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-Credsvc-Error: ${refusal.error}\r\n` +
    `Connection: close\r\n\r\n${body}`
}

/** The refusal of a request for which the daemon has returned no credential, with the daemon's own explanation. */
export const credentialRefusal = ({ detail, error }: { readonly error: string; readonly detail: string }): Refusal => ({
  // The client can send the request again with one of the listed connections.
  status: listsConnections(detail) ? 409 : 403,
  error,
  message: error === "DaemonUnavailableError"
    ? "the credsvc daemon does not respond; run: credsvc daemon start"
    : detail
})

export const ambiguousRefusal = (host: string, providers: ReadonlyArray<string>): Refusal => ({
  status: 403,
  error: "AmbiguousProviderError",
  message: `${host} is claimed by several providers (${providers.join(", ")}); choose with: credsvc run --provider ${
    providers[0] ?? "<name>"
  }`
})
