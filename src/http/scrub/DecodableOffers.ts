/** Restricts the codings and extensions that a request accepts to those in which the proxy can search a response. */
import { fieldOf, type HeaderPairs } from "../HeaderFields.ts"
import { isOffered } from "./ContentCodings.ts"

/** The codings of a list that can be decoded. */
const decodableIn = (list: string): string =>
  list.split(",").map((item) => item.trim()).filter((item) => isOffered(item.split(";", 1)[0]!)).join(", ")

/** The fields that offer to compress single messages of WebSockets, gRPC and Connect. */
const OF_MESSAGES: ReadonlySet<string> = new Set([
  "sec-websocket-extensions",
  "grpc-accept-encoding",
  "connect-accept-encoding"
])

/**
 * Restricts the header section of a request. `identity`: whether to ask for content without a coding. A request for
 * a range never accepts a coding, because a part of encoded content cannot be decoded.
 */
export const decodableOffers = (headers: HeaderPairs, identity: boolean): HeaderPairs => {
  const isPlain = identity || fieldOf(headers, "range") !== undefined
  const out: HeaderPairs = []
  let accepts = false
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ""
    const value = headers[i + 1] ?? ""
    const lower = name.toLowerCase()
    if (OF_MESSAGES.has(lower)) continue
    if (lower === "accept-encoding") {
      accepts = true
      const offered = isPlain ? "" : decodableIn(value)
      out.push(name, offered === "" && value !== "" ? "identity" : offered)
    } else out.push(name, value)
  }
  if (identity && !accepts) out.push("Accept-Encoding", "identity")
  return out
}
