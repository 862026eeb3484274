/** How long a client keeps an idle HTTP/1.1 connection after a response (RFC 9112 section 9.3). */
import { fieldOf } from "../HeaderFields.ts"

const IDLE_MILLISECONDS = 15_000
const MAX_IDLE_MILLISECONDS = 60_000
/** The safety margin: a request that is sent just as the server closes the connection is lost. */
const SAFETY_MILLISECONDS = 1000

const hintedMilliseconds = (value: string): number => {
  const seconds = /\btimeout\s*=\s*"?(\d+)/i.exec(value)?.[1]
  if (seconds === undefined) return IDLE_MILLISECONDS
  return Math.min(Math.max(Number(seconds) * 1000 - SAFETY_MILLISECONDS, 0), MAX_IDLE_MILLISECONDS)
}

/**
 * How long to keep the connection. Zero if no other request should follow: some servers send content that a response of this
 * status cannot have.
 */
export const idleMilliseconds = (status: number, headers: ReadonlyArray<string>): number => {
  const announcesContent = () =>
    (fieldOf(headers, "content-length") ?? "0") !== "0" || fieldOf(headers, "transfer-encoding") !== undefined
  if ((status === 204 || status === 304) && announcesContent()) return 0
  return hintedMilliseconds(fieldOf(headers, "keep-alive") ?? "")
}
