/** How long a connection of HTTP/1.1 is kept after an answer (RFC 9112 section 9.3). Pure. */
const IDLE_MILLISECONDS = 15_000
const MAX_IDLE_MILLISECONDS = 60_000
/** A request that is sent just as the upstream closes is lost. */
const BEFORE_CLOSING_MILLISECONDS = 1000

const hinted = (value: string): number => {
  const seconds = /\btimeout\s*=\s*"?(\d+)/i.exec(value)?.[1]
  if (seconds === undefined) return IDLE_MILLISECONDS
  return Math.min(Math.max(Number(seconds) * 1000 - BEFORE_CLOSING_MILLISECONDS, 0), MAX_IDLE_MILLISECONDS)
}

/** Zero where no other request should follow: what says that it has a body, and has none, may be sent with one all the same. */
export const idleMilliseconds = (status: number, headers: ReadonlyArray<string>): number => {
  const bodiless = status === 204 || status === 304
  let milliseconds = IDLE_MILLISECONDS
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ""
    switch (name.length) {
      case 10:
        if (name.toLowerCase() === "keep-alive") milliseconds = hinted(headers[i + 1] ?? "")
        break
      case 14:
        if (bodiless && name.toLowerCase() === "content-length" && headers[i + 1] !== "0") return 0
        break
      case 17:
        if (bodiless && name.toLowerCase() === "transfer-encoding") return 0
        break
    }
  }
  return milliseconds
}
