/**
 * The head of a request, built once, before any check, from what the client sent. Validation, rules, routes,
 * signatures and the credential see only this head, and the upstream gets it.
 */
import { fieldOf, type HeaderPairs, lengthOf, LONG_HEAD, MAX_HEAD_BYTES, valuesOf } from "../../http/HeaderFields.ts"
import { listSize } from "../../http/http2/HeaderList.ts"
import { parseAuthority } from "../../outbound/Authority.ts"
import { requestFields } from "../../outbound/EndToEndFields.ts"
import { builtins } from "../../platform/builtins.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { Origin } from "./Origin.ts"

const NO_TRACE = requestRefusal(405, "unsupported method: the response to TRACE would contain the credential")
const ABSOLUTE = requestRefusal(
  400,
  "a request inside a tunnel must name its target by path alone; this client sends an absolute URL (like ureq before 3): " +
    "use a newer version, or credsvc run --base-url"
)
// Servers disagree about where the path of `/allowed#/../other` ends.
const FRAGMENT = requestRefusal(400, "a request target must not contain a fragment")
// RFC 9110 section 10.1.1 defines no other expectation.
const EXPECTATION = requestRefusal(417, "unsupported expectation: omit the Expect header or send 100-continue")
const CONTINUE = /^100-continue(?:, 100-continue)*$/i
const FRAMING = requestRefusal(400, "invalid or ambiguous Content-Length or Transfer-Encoding header")
const TOO_LONG = requestRefusal(431, LONG_HEAD)
const CONNECT = requestRefusal(400, "unsupported method: CONNECT inside a tunnel")
// A server that ignores case would read `options` as OPTIONS, but only OPTIONS is sent without a credential (RFC 9110
// section 9.1).
const METHOD = requestRefusal(400, "unsupported method (methods are case-sensitive)")
const SCHEME = requestRefusal(400, "invalid :scheme: expected https inside this tunnel")
const TARGET = requestRefusal(400, "invalid :path: expected a path that begins with a slash")
const HOST_COUNT = requestRefusal(400, "a request must have exactly one Host, or an :authority and at most one Host")
const NO_UPGRADE = requestRefusal(400, "unsupported upgrade: a WebSocket handshake must be a GET request")
const UPGRADE_BODY = requestRefusal(400, "a WebSocket handshake must not have a body")

/** The protocols that are relayed: WebSocket, and the streams of Kubernetes and Docker, which replace the connection. */
const RELAYED = /^(?:websocket|SPDY\/3\.1|tcp)$/i

/**
 * The first offered protocol that the proxy relays. Clients do not need the others, such as TLS/1.2 of Apache HttpClient and h2c
 * of Java.
 */
const relayedProtocol = (offer: string): string | undefined =>
  offer.split(",").map((protocol) => protocol.trim()).find((protocol) => RELAYED.test(protocol))

/** Whether an upgrade is to WebSocket, whose messages have frames. */
export const isWebSocket = (protocol: string): boolean => protocol.toLowerCase() === "websocket"

/** A request as it was received. */
export interface ReceivedRequest {
  readonly version: "HTTP/1.0" | "HTTP/1.1" | "HTTP/2"
  readonly method: string
  /** The path with the query. */
  readonly target: string
  /** The header fields as flat pairs without pseudo-headers. */
  readonly headers: ReadonlyArray<string>
  /** The value of `:authority`. */
  readonly authority?: string | undefined
  /** Whether an HTTP/2 stream continues after the header section. */
  readonly hasBody: boolean
  /** Whether the client wants to switch protocols. */
  readonly upgrade: boolean
  /** Whether the connection is for one origin, unlike the connection of a request with an absolute target. */
  readonly insideTunnel: boolean
  readonly refusal?: Refusal | undefined
}

const isOld = ({ version }: ReceivedRequest): boolean => version === "HTTP/1.0"

const expectationOf = (received: ReceivedRequest): string | undefined =>
  isOld(received) ? undefined : fieldOf(received.headers, "expect")

/** The head that the steps of an exchange see. `exact`: the placeholders that lack the usual marker. */
const headOf = (received: ReceivedRequest, origin: Origin, exact: ReadonlyArray<string>) => {
  const { hasBody, headers: raw, method, target, upgrade, version } = received
  const isHttp2 = version === "HTTP/2"
  const fields = requestFields(origin.sent?.(raw) ?? raw, exact)
  return {
    method,
    /** The path with the query. */
    target,
    authority: origin.authority,
    headers: fields.headers,
    withheld: fields.withheld,
    hasBody: hasBody || (!isHttp2 && (fieldOf(raw, "content-length") ?? "0") !== "0") ||
      fieldOf(raw, "transfer-encoding") !== undefined,
    expectsContinue: CONTINUE.test(expectationOf(received) ?? ""),
    wantsTrailers: isHttp2 && fieldOf(raw, "te")?.toLowerCase() === "trailers",
    /** The protocol that the connection is to switch to, as the client names it. */
    upgrade: upgrade && !isOld(received) ? relayedProtocol(fieldOf(raw, "upgrade") ?? "") : undefined,
    isGrpc: /^application\/grpc(?:[+;]|$)/i.test(fieldOf(fields.headers, "content-type") ?? ""),
    userAgent: fieldOf(raw, "user-agent")
  }
}
export type RequestHead = ReturnType<typeof headOf>

/** Validates a request and builds its head. `exact`: the placeholders that lack the usual marker. `refusal`: why it is invalid. */
export const readHead = (received: ReceivedRequest, origin: Origin, exact: ReadonlyArray<string>) => {
  const head = headOf(received, origin, exact)
  return { head, refusal: refusalOf(received, origin, head) }
}
export type ReadHead = ReturnType<typeof readHead>

const refusalOf = (received: ReceivedRequest, origin: Origin, head: RequestHead): Refusal | undefined => {
  const { hasBody, method, upgrade } = head
  if (method === "TRACE" || method === "TRACK") return NO_TRACE
  if (hasInvalidFraming(received)) return FRAMING
  if (received.refusal !== undefined) return received.refusal
  if (!head.expectsContinue && expectationOf(received) !== undefined) return EXPECTATION
  const refusal = received.insideTunnel ? tunnelRefusal(received, origin) : undefined
  if (refusal !== undefined || upgrade === undefined || !isWebSocket(upgrade)) return refusal
  if (method !== "GET") return NO_UPGRADE
  return hasBody ? UPGRADE_BODY : undefined
}

/** Whether servers could read another framing. The joined value of a repeated field is invalid. */
const hasInvalidFraming = (received: ReceivedRequest): boolean => {
  const length = fieldOf(received.headers, "content-length")
  const coding = fieldOf(received.headers, "transfer-encoding")
  if (length !== undefined && (coding !== undefined || lengthOf(length) === undefined)) return true
  return coding !== undefined && (isOld(received) || coding.toLowerCase() !== "chunked")
}

/** Why the target or host of a request inside a tunnel is refused. */
const tunnelRefusal = (received: ReceivedRequest, origin: Origin): Refusal | undefined => {
  const { authority, headers, method, target, version } = received
  if (target.charCodeAt(0) !== 47 && !(target === "*" && method === "OPTIONS")) {
    return version === "HTTP/2" ? TARGET : ABSOLUTE
  }
  if (target.includes("#")) return FRAGMENT
  const host = fieldOf(headers, "host")
  if ((authority ?? host) === undefined && !isOld(received)) return HOST_COUNT
  if (isOf(origin, authority) && isOf(origin, host)) return undefined
  return valuesOf(headers, "host").length > 1
    ? HOST_COUNT
    : requestRefusal(421, `this tunnel is for ${origin.hostHeader}; the request names another host`)
}

const isOf = (origin: Origin, host: string | undefined): boolean =>
  host === undefined || host === origin.hostHeader || sameAuthority(host, origin)

/** Whether a host names the authority of an origin, also with its default port. */
export const sameAuthority = (host: string, origin: Origin): boolean => {
  const given = parseAuthority(host, origin.scheme === "https" ? 443 : 80)
  return given !== undefined && given.host === origin.authority.host && given.port === origin.authority.port
}

let methods: ReadonlySet<string> | undefined

// LIST is a method of HashiCorp Vault.
const isMethod = (text: string): boolean => (methods ??= new Set([...builtins.http.METHODS, "LIST"])).has(text)

const methodRefusal = (method: string): Refusal | undefined => {
  if (method === "CONNECT") return CONNECT
  return isMethod(method) || method === "TRACK" ? undefined : METHOD
}

/**
 * Reads the pseudo-headers of an HTTP/2 request, and joins its `cookie` fields (RFC 9113 section 8.2.3). nghttp2 has already rejected
 * malformed requests (RFC 9113 section 8.1.1), such as missing or repeated pseudo-headers and a body that does not match
 * `content-length`. `hasBody`: whether the stream continues after the header section.
 */
export const receivedOverHttp2 = (raw: ReadonlyArray<string>, hasBody: boolean, origin: Origin): ReceivedRequest => {
  const headers: HeaderPairs = []
  let authority: string | undefined
  let method = ""
  let target = ""
  let scheme = ""
  let cookie = -1
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    const value = raw[i + 1] ?? ""
    if (name === ":method") method = value
    else if (name === ":path") target = value
    else if (name === ":scheme") scheme = value
    else if (name === ":authority") authority = value
    else if (name === "cookie" && cookie !== -1) headers[cookie] += `; ${value}`
    else {
      if (name === "cookie") cookie = headers.length + 1
      headers.push(name, value)
    }
  }
  const otherScheme = scheme === origin.scheme ? undefined : SCHEME
  const refusal = listSize(raw) > MAX_HEAD_BYTES ? TOO_LONG : methodRefusal(method) ?? otherScheme
  return { version: "HTTP/2", method, target, headers, authority, hasBody, upgrade: false, insideTunnel: true, refusal }
}
