/** How long a client keeps a connection of HTTP/1.1 after a response (RFC 9112 section 9.3). */

const IDLE_MILLISECONDS = 15_000
const MAX_IDLE_MILLISECONDS = 60_000
/** A request that is sent just as the server closes is lost. */
const SAFETY_MILLISECONDS = 1000

const hinted = (value: string): number => {
  const seconds = /\btimeout\s*=\s*"?(\d+)/i.exec(value)?.[1]
  if (seconds === undefined) return IDLE_MILLISECONDS
  return Math.min(Math.max(Number(seconds) * 1000 - SAFETY_MILLISECONDS, 0), MAX_IDLE_MILLISECONDS)
}

/** Zero when no other request should follow: some servers send content that a response of this status cannot have. */
export const idleMilliseconds = (status: number, headers: ReadonlyArray<string>): number => {
  const hasNoContent = status === 204 || status === 304
  let milliseconds = IDLE_MILLISECONDS
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ""
    switch (name.length) {
      case 10:
        if (name.toLowerCase() === "keep-alive") milliseconds = hinted(headers[i + 1] ?? "")
        break
      case 14:
        if (hasNoContent && name.toLowerCase() === "content-length" && headers[i + 1] !== "0") return 0
        break
      case 17:
        if (hasNoContent && name.toLowerCase() === "transfer-encoding") return 0
        break
    }
  }
  return milliseconds
}
