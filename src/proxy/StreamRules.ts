/**
 * Validates HTTP/2 requests: the rules of `RequestRules` for one stream. nghttp2 has already rejected malformed requests (RFC 9113
 * section 8.1.1), such as missing or repeated pseudo-headers and a body that does not match `content-length`.
 */
import { type HeaderPairs, lengthOf } from "../http/HeaderFields.ts"
import { listSize, MAX_LIST_BYTES } from "../http/http2/HeaderList.ts"
import { builtins } from "../platform/builtins.ts"
import { type Refusal, requestRefusal } from "./ErrorResponse.ts"
import type { Origin } from "./HttpEngine.ts"
import { FRAGMENT, type Inspection, NO_TRACE, sameAuthority } from "./RequestRules.ts"

let methods: ReadonlySet<string> | undefined

const isMethod = (text: string): boolean => (methods ??= new Set(builtins.http.METHODS)).has(text)

const TOO_LONG = requestRefusal(431, "the request's head is too long")
const CONNECT = requestRefusal(400, "unsupported method: CONNECT inside a tunnel")
// A server that ignores case would accept `options`, which is injected here although OPTIONS is not (RFC 9110 section 9.1).
const METHOD = requestRefusal(400, "unsupported method (methods are case-sensitive)")
const SCHEME = requestRefusal(400, "invalid :scheme: expected https inside this tunnel")
const TARGET = requestRefusal(400, "invalid :path: expected a path that begins with a slash")
const AUTHORITY = requestRefusal(400, "a request must have an :authority and at most one host field")
const FRAMING = requestRefusal(400, "invalid content-length: expected one decimal number")

export interface StreamRequest {
  readonly method: string
  readonly target: string
  /**
   * The header fields as flat pairs without pseudo-headers; the `cookie` fields are joined into one (RFC 9113 section
   * 8.2.3).
   */
  readonly headers: HeaderPairs
  readonly grpc: boolean
  readonly wantsTrailers: boolean
  readonly inspection: Inspection
}

/** `raw`: the header list as received. `hasBody`: whether the stream continues after it. */
export const inspectStream = (raw: ReadonlyArray<string>, hasBody: boolean, origin: Origin): StreamRequest => {
  const headers: HeaderPairs = []
  const authorities: Array<string> = []
  let method = ""
  let target = ""
  let scheme = ""
  let hosts = 0
  let lengths = 0
  let cookie = -1
  let grpc = false
  let wantsTrailers = false
  let expectsContinue = false
  let userAgent: string | undefined
  let refusal: Refusal | undefined
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    const value = raw[i + 1] ?? ""
    switch (name) {
      case ":method":
        method = value
        continue
      case ":path":
        target = value
        continue
      case ":scheme":
        scheme = value
        continue
      case ":authority":
        authorities.push(value)
        continue
      case "host":
        hosts++
        authorities.push(value)
        break
      case "cookie":
        if (cookie === -1) cookie = headers.length + 1
        else {
          headers[cookie] += `; ${value}`
          continue
        }
        break
      case "content-length":
        lengths++
        if (lengthOf(value) === undefined || lengths > 1) refusal = FRAMING
        break
      case "content-type":
        grpc ||= /^application\/grpc(?:[+;]|$)/i.test(value)
        break
      case "te":
        wantsTrailers ||= value.toLowerCase() === "trailers"
        break
      case "expect":
        expectsContinue ||= value.toLowerCase() === "100-continue"
        break
      case "user-agent":
        userAgent ??= value
        break
    }
    headers.push(name, value)
  }
  if (listSize(raw) > MAX_LIST_BYTES) refusal = TOO_LONG
  else if (method === "TRACE" || method === "TRACK") refusal = NO_TRACE
  else if (method === "CONNECT") refusal = CONNECT
  else if (!isMethod(method)) refusal = METHOD
  else if (refusal === undefined) {
    if (scheme !== origin.scheme) refusal = SCHEME
    else if (target.charCodeAt(0) !== 47 && !(target === "*" && method === "OPTIONS")) refusal = TARGET
    else if (target.includes("#")) refusal = FRAGMENT
    else if (authorities.length === 0 || hosts > 1) refusal = AUTHORITY
    else if (authorities.some((name) => name !== origin.hostHeader && !sameAuthority(name, origin))) {
      refusal = requestRefusal(
        421,
        `this tunnel is for ${origin.hostHeader}; the request names another host`
      )
    }
  }
  const inspection = { shape: { hasBody, expectsContinue, userAgent }, refusal }
  return { method, target, headers, grpc, wantsTrailers, inspection }
}
