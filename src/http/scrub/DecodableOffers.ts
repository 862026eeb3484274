/** Restricts the codings and extensions that a request accepts to those of which the proxy can search the response. */
import type { HeaderPairs } from "../HeaderFields.ts"
import { isOffered } from "./ContentCodings.ts"

const tokenOf = (item: string): string => item.split(";", 1)[0]!.trim().toLowerCase()

/** The last list of codings and the decodable ones among them: a client sends the same list with each request. */
let last = { list: "", offered: "" }

const offeredOf = (list: string): string => {
  if (last.list !== list) {
    const items = list.split(",").map((item) => item.trim())
    last = { list, offered: items.filter((item) => isOffered(tokenOf(item))).join(", ") }
  }
  return last.offered
}

/** Messages of WebSockets, gRPC and Connect are compressed one by one. */
const OF_MESSAGES: ReadonlySet<string> = new Set([
  "sec-websocket-extensions",
  "grpc-accept-encoding",
  "connect-accept-encoding"
])

/**
 * Restricts the header section of a request. `identity`: whether to ask for content without a coding, as for a range: a part of encoded
 * content cannot be decoded.
 */
export const decodableOffers = (headers: HeaderPairs, identity: boolean): HeaderPairs => {
  const isPlain = identity || headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === "range")
  const out: HeaderPairs = []
  let accepts = false
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ""
    const value = headers[i + 1] ?? ""
    const lower = name.toLowerCase()
    if (OF_MESSAGES.has(lower)) continue
    if (lower === "accept-encoding") {
      accepts = true
      const offered = isPlain ? "" : offeredOf(value)
      out.push(name, offered === "" && value !== "" ? "identity" : offered)
    } else out.push(name, value)
  }
  if (identity && !accepts) out.push("Accept-Encoding", "identity")
  return out
}
