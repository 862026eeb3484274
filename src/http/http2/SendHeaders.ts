/**
 * Sends header lists through `node:http2`, and catches what Node throws for a list that it cannot send, or after the
 * stream or session has ended. In event handlers, such an exception would end the process with all other exchanges.
 */
import type * as Http2 from "node:http2"
import { builtins } from "../../platform/builtins.ts"
import { resetStream } from "../NodeQuirks.ts"
import { INTERNAL_ERROR } from "./FrameCodes.ts"

/** The fields of which `node:http2` sends only one line: it throws for several. Node 22 does not have the option that allows several. */
const SINGLE: ReadonlySet<string> = new Set((
  "access-control-allow-credentials access-control-max-age access-control-request-method age authorization content-encoding content-language " +
  "content-length content-location content-md5 content-range content-type date dnt etag expires from host if-match if-modified-since " +
  "if-none-match if-range if-unmodified-since last-modified location max-forwards proxy-authorization range referer retry-after tk " +
  "upgrade-insecure-requests user-agent x-content-type-options"
).split(" "))

/**
 * Converts fields for `node:http2`: lower-case names, the values of one name in their order. Repeated values of a field that Node sends
 * once become one line (RFC 9110 section 5.3), as `fieldOf` reads them.
 */
const toHeaderObject = (
  pairs: ReadonlyArray<string>,
  pseudo: Readonly<Record<string, string | number>> = {},
  secret: ReadonlyArray<string> = []
): Http2.OutgoingHttpHeaders => {
  const out: Record<string | symbol, unknown> = Object.assign(Object.create(null), pseudo)
  for (let i = 0; i < pairs.length; i += 2) {
    const name = (pairs[i] ?? "").toLowerCase()
    const value = pairs[i + 1] ?? ""
    const before = out[name]
    if (before === undefined) out[name] = value
    else if (Array.isArray(before)) before.push(value)
    else out[name] = SINGLE.has(name) ? `${String(before)}, ${value}` : [before, value]
  }
  if (secret.length > 0) out[builtins.http2.sensitiveHeaders] = secret
  return out as Http2.OutgoingHttpHeaders
}

/** Calls `send`. Drops an exception, whose message may quote a header field, and then returns false. */
const sendOrElse = (send: () => void, failed: () => void): boolean => {
  try {
    send()
    return true
  } catch {
    failed()
    return false
  }
}

const onStream = (stream: Http2.Http2Stream, send: () => void): boolean =>
  sendOrElse(send, () => resetStream(stream, INTERNAL_ERROR))

/** Begins a request; undefined if it cannot be sent as HTTP/2. */
export const sendRequest = (
  session: Http2.ClientHttp2Session,
  pseudo: Readonly<Record<`:${string}`, string>>,
  fields: ReadonlyArray<string>,
  secret: ReadonlyArray<string>,
  options: Http2.ClientSessionRequestOptions
): Http2.ClientHttp2Stream | undefined => {
  let stream: Http2.ClientHttp2Stream | undefined
  sendOrElse(() => {
    stream = session.request(toHeaderObject(fields, pseudo, secret), options)
  }, () => {})
  return stream
}

/** Sends the head of a response. Returns false if HTTP/2 does not allow it. */
export const sendHead = (
  stream: Http2.ServerHttp2Stream,
  status: number,
  fields: ReadonlyArray<string>,
  options: Http2.ServerStreamResponseOptions
): boolean =>
  sendOrElse(() => {
    stream.respond(
      toHeaderObject(fields, { ":status": status }),
      { ...options, sendDate: false } as Http2.ServerStreamResponseOptions
    )
  }, () => {})

/** Sends an informational response. A stream that has ended gets none: its `close` event may come later in this event-loop turn. */
export const sendInformation = (
  stream: Http2.ServerHttp2Stream,
  status: number,
  fields: ReadonlyArray<string>
): void => {
  if (stream.closed || stream.destroyed) return
  onStream(stream, () => stream.additionalHeaders(toHeaderObject(fields, { ":status": status })))
}

/** Sends the trailer section when the stream asks for it. */
export const sendTrailers = (stream: Http2.Http2Stream, fields: () => ReadonlyArray<string>): void => {
  stream.on("wantTrailers", () => {
    if (!stream.closed) onStream(stream, () => stream.sendTrailers(toHeaderObject(fields())))
  })
}

/** Calls a method that throws if the session has ended. Destroys the session if it throws. */
export const onSession = (session: Http2.Http2Session, call: () => void): boolean =>
  sendOrElse(call, () => session.destroy())
