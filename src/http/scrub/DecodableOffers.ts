/** Restricts the content codings and extensions that a request accepts to those that the proxy can decode. */
import type { HeaderPairs } from "../HeaderFields.ts"
import { isDecodable } from "./ContentCodings.ts"

const tokenOf = (item: string): string => item.split(";", 1)[0]!.trim().toLowerCase()

const kept = (list: string, accepts: (token: string) => boolean): string =>
  list.split(",").map((item) => item.trim()).filter((item) => accepts(tokenOf(item))).join(", ")

/** The value to send; empty if the field is to be omitted. */
const offered = (name: string, value: string, isRange: boolean): string | undefined => {
  switch (name) {
    case "accept-encoding": {
      if (isRange) return "identity"
      const codings = kept(value, (token) => token === "identity" || isDecodable(token))
      return codings === "" ? "identity" : codings
    }
    // Messages of WebSockets, gRPC and Connect are compressed one by one.
    case "sec-websocket-extensions":
    case "grpc-accept-encoding":
    case "connect-accept-encoding":
      return ""
    default:
      return undefined
  }
}

/** Restricts the header section of a request. A range of encoded content cannot be decoded, so it gets no coding. */
export const decodableOffers = (headers: HeaderPairs): HeaderPairs => {
  const isRange = headers.some((name, i) => i % 2 === 0 && name.length === 5 && name.toLowerCase() === "range")
  const out: HeaderPairs = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ""
    const value = headers[i + 1] ?? ""
    const sent = offered(name.toLowerCase(), value, isRange) ?? value
    if (sent !== "" || value === "") out.push(name, sent)
  }
  return out
}

/** A header section that asks for content without a coding. */
export const withoutOffers = (headers: HeaderPairs): HeaderPairs => [
  ...headers.filter((_, i) => headers[i - i % 2]!.toLowerCase() !== "accept-encoding"),
  "Accept-Encoding",
  "identity"
]
