/** Header lists of HTTP/2, converted between flat pairs and the objects of `node:http2`. */
import type * as Http2 from "node:http2"
import { builtins } from "../../platform/builtins.ts"
import type { HeaderPairs } from "../HeaderFields.ts"

/** The limit for a received header list or trailer section, as SETTINGS_MAX_HEADER_LIST_SIZE announces it. */
export const MAX_LIST_BYTES = 64 * 1024

/** Converts fields for `node:http2`: lower-case names, the values of one name in their order. */
export const toHeaderObject = (
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
    else out[name] = [before, value]
  }
  if (secret.length > 0) out[builtins.http2.sensitiveHeaders] = secret
  return out as Http2.OutgoingHttpHeaders
}

/** A received list without its pseudo-headers, which come first (RFC 9113 section 8.3). */
export const regularFields = (raw: ReadonlyArray<string>): HeaderPairs => {
  let at = 0
  while (raw[at]?.startsWith(":") === true) at += 2
  return raw.slice(at)
}

/** The size of a list as SETTINGS_MAX_HEADER_LIST_SIZE counts it (RFC 9113 section 6.5.2). */
export const listSize = (raw: ReadonlyArray<string>): number => {
  let size = 16 * raw.length
  for (const text of raw) size += text.length
  return size
}
