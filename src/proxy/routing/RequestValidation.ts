/**
 * The head of a request, built once, before any check, from what the client sent. Validation, rules, routes,
 * signatures and the credential see only this head, and the upstream gets it.
 */
import { fieldOf, type HeaderPairs, lengthOf, LONG_HEAD, MAX_HEAD_BYTES } from "../../http/HeaderFields.ts"
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
export const FRAMING = requestRefusal(400, "invalid or ambiguous Content-Length or Transfer-Encoding header")
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

/** Validates a request and builds its head. `exact`: the placeholders that lack the usual marker. `refusal`: why it is invalid. */
export const readHead = (received: ReceivedRequest, origin: Origin, exact: ReadonlyArray<string>) => {
  // Uses the received list, because joining repeated fields would hide duplicates.
  const { headers: raw, insideTunnel, method, target, upgrade, version } = received
  const oldVersion = version === "HTTP/1.0"
  const isHttp2 = version === "HTTP/2"
  let host: string | undefined
  let hosts = 0
  let lengths = 0
  let codings = 0
  let { hasBody, refusal } = received
  let expectsContinue = false
  let protocol: string | undefined
  let wantsTrailers = false
  let userAgent: string | undefined
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    const value = raw[i + 1] ?? ""
    switch (name.length) {
      case 2:
        if (isHttp2 && name === "te") wantsTrailers ||= value.toLowerCase() === "trailers"
        break
      case 4:
        if (name.toLowerCase() === "host") {
          hosts++
          host = value
        }
        break
      case 6:
        if (!oldVersion && name.toLowerCase() === "expect") {
          if (value.toLowerCase() === "100-continue") expectsContinue = true
          else refusal ??= EXPECTATION
        }
        break
      case 7:
        if (!oldVersion && name.toLowerCase() === "upgrade") protocol ??= relayedProtocol(value)
        break
      case 10:
        if (userAgent === undefined && name.toLowerCase() === "user-agent") userAgent = value
        break
      case 14:
        if (name.toLowerCase() === "content-length") {
          lengths++
          if (lengthOf(value) === undefined || lengths > 1) refusal = FRAMING
          if (!isHttp2 && value !== "0") hasBody = true
        }
        break
      case 17:
        if (name.toLowerCase() === "transfer-encoding") {
          codings++
          if (oldVersion || codings > 1 || value.toLowerCase() !== "chunked") refusal = FRAMING
          hasBody = true
        }
        break
    }
  }
  if (codings > 0 && lengths > 0) refusal = FRAMING
  if (method === "TRACE" || method === "TRACK") refusal = NO_TRACE
  else if (insideTunnel) refusal ??= tunnelRefusal(received, origin, host, hosts)
  // A request is relayed without its other offers, as RFC 9110 section 7.8 permits.
  if (!upgrade || protocol === undefined) protocol = undefined
  else if (isWebSocket(protocol)) refusal ??= method !== "GET" ? NO_UPGRADE : hasBody ? UPGRADE_BODY : undefined
  const fields = requestFields(origin.sent?.(raw) ?? raw, exact)
  const head = {
    method,
    /** The path with the query. */
    target,
    authority: origin.authority,
    headers: fields.headers,
    withheld: fields.withheld,
    hasBody,
    expectsContinue,
    wantsTrailers,
    /** The protocol that the connection is to switch to, as the client names it. */
    upgrade: protocol,
    isGrpc: /^application\/grpc(?:[+;]|$)/i.test(fieldOf(fields.headers, "content-type") ?? ""),
    userAgent
  }
  return { head, refusal }
}
export type ReadHead = ReturnType<typeof readHead>
export type RequestHead = ReadHead["head"]

/** Why the target or host of a request inside a tunnel is refused. `host`: the value of `Host`, which occurs `hosts` times. */
const tunnelRefusal = (
  { authority, method, target, version }: ReceivedRequest,
  origin: Origin,
  host: string | undefined,
  hosts: number
): Refusal | undefined => {
  if (target.charCodeAt(0) !== 47 && !(target === "*" && method === "OPTIONS")) {
    return version === "HTTP/2" ? TARGET : ABSOLUTE
  }
  if (target.includes("#")) return FRAGMENT
  if (hosts > 1 || ((authority ?? host) === undefined && version !== "HTTP/1.0")) return HOST_COUNT
  return isOf(origin, authority) && isOf(origin, host)
    ? undefined
    : requestRefusal(421, `this tunnel is for ${origin.hostHeader}; the request names another host`)
}

const isOf = (origin: Origin, host: string | undefined): boolean =>
  host === undefined || host === origin.hostHeader || sameAuthority(host, origin)

export const sameAuthority = (host: string, origin: Origin): boolean => {
  const given = parseAuthority(host, origin.scheme === "https" ? 443 : 80)
  return given !== undefined && given.host === origin.authority.host && given.port === origin.authority.port
}

let methods: ReadonlySet<string> | undefined

// LIST is a method of HashiCorp Vault.
const isMethod = (text: string): boolean => (methods ??= new Set([...builtins.http.METHODS, "LIST"])).has(text)

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
  const refusal = listSize(raw) > MAX_HEAD_BYTES
    ? TOO_LONG
    : method === "CONNECT"
    ? CONNECT
    : !isMethod(method) && method !== "TRACK"
    ? METHOD
    : scheme !== origin.scheme
    ? SCHEME
    : undefined
  return { version: "HTTP/2", method, target, headers, authority, hasBody, upgrade: false, insideTunnel: true, refusal }
}
