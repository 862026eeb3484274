/** Received header lists of HTTP/2, as flat pairs. */
import type { HeaderPairs } from "../HeaderFields.ts"

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
