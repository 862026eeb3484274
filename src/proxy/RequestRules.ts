/** Validates HTTP/1.1 requests before routes or credentials are looked up. */
import { lengthOf } from "../http/HeaderFields.ts"
import { parseAuthority } from "../outbound/Authority.ts"
import { type Refusal, requestRefusal } from "./ErrorResponse.ts"
import type { Origin } from "./HttpEngine.ts"

export const NO_TRACE = requestRefusal(405, "unsupported method: the response to TRACE would contain the credential")
export const ABSOLUTE = requestRefusal(
  400,
  "a request inside a tunnel must name its target by path alone; this client sends an absolute URL (like ureq before 3): " +
    "use a newer version, or credsvc run --base-url"
)
// Servers disagree about where the path of `/allowed#/../other` ends.
export const FRAGMENT = requestRefusal(400, "a request target must not contain a fragment")
export const HOST_COUNT = requestRefusal(400, "a request must have exactly one Host header")
// RFC 9110 section 10.1.1 defines no other expectation.
const EXPECTATION = requestRefusal(417, "unsupported expectation: omit the Expect header or send 100-continue")
export const FRAMING = requestRefusal(400, "invalid or ambiguous Content-Length or Transfer-Encoding header")

export interface RequestHead {
  readonly method: string
  readonly target: string
  /** The header fields as flat pairs. */
  readonly headers: ReadonlyArray<string>
  /** The minor HTTP version: 0 for HTTP/1.0. */
  readonly minorVersion: number
}

export interface RequestShape {
  readonly hasBody: boolean
  readonly expectsContinue: boolean
  readonly userAgent: string | undefined
}

export interface Inspection {
  readonly shape: RequestShape
  readonly refusal: Refusal | undefined
}

/** Validates a request. Reads the raw list, because joining repeated fields would hide duplicates. */
export const inspect = (request: RequestHead, origin: Origin, insideTunnel: boolean): Inspection => {
  const raw = request.headers
  const oldVersion = request.minorVersion === 0
  let host: string | undefined
  let hosts = 0
  let lengths = 0
  let codings = 0
  let hasBody = false
  let expectsContinue = false
  let userAgent: string | undefined
  let refusal: Refusal | undefined
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === "host") {
          hosts++
          host = raw[i + 1]
        }
        break
      case 6:
        if (!oldVersion && name.toLowerCase() === "expect") {
          if (raw[i + 1]?.toLowerCase() === "100-continue") expectsContinue = true
          else refusal = EXPECTATION
        }
        break
      case 10:
        if (userAgent === undefined && name.toLowerCase() === "user-agent") userAgent = raw[i + 1]
        break
      case 14:
        if (name.toLowerCase() === "content-length") {
          lengths++
          const value = raw[i + 1] ?? ""
          if (lengthOf(value) === undefined || lengths > 1) refusal = FRAMING
          if (value !== "0") hasBody = true
        }
        break
      case 17:
        if (name.toLowerCase() === "transfer-encoding") {
          codings++
          if (oldVersion || codings > 1 || (raw[i + 1] ?? "").toLowerCase() !== "chunked") refusal = FRAMING
          hasBody = true
        }
        break
    }
  }
  if (codings > 0 && lengths > 0) refusal = FRAMING
  const { method, target } = request
  if (method === "TRACE" || method === "TRACK") refusal = NO_TRACE
  else if (insideTunnel && refusal === undefined) {
    if (target.charCodeAt(0) !== 47 && !(target === "*" && method === "OPTIONS")) refusal = ABSOLUTE
    else if (target.includes("#")) refusal = FRAGMENT
    else if (hosts > 1 || (hosts === 0 && !oldVersion)) refusal = HOST_COUNT
    else if (host !== undefined && host !== origin.hostHeader && !sameAuthority(host, origin)) {
      refusal = requestRefusal(
        421,
        `this tunnel is for ${origin.hostHeader}; the Host header names another host`
      )
    }
  }
  return { shape: { hasBody, expectsContinue, userAgent }, refusal }
}

export const sameAuthority = (host: string, origin: Origin): boolean => {
  const given = parseAuthority(host, origin.scheme === "https" ? 443 : 80)
  return given !== undefined && given.host === origin.authority.host && given.port === origin.authority.port
}
