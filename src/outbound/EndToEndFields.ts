/**
 * Selects the header fields of a message that are for the other end. Removes hop-by-hop fields, fields that `Connection`
 * nominates (RFC 9110 section 7.6.1), and request fields that contain a placeholder.
 */
import { holdsPlaceholder } from "../domain/injection/Placeholder.ts"
import { basicText, fieldsThat, type HeaderPairs } from "../http/HeaderFields.ts"

/** The field by which a request names its connection. It is for the proxy only. */
export const CONNECTION_FIELD = "credsvc-connection"

/** The fields by which the proxy tells a user or an agent what to do. Servers must not imitate them. */
const OWN = /^x-credsvc-/i

export const withoutOwnFields = (received: HeaderPairs): HeaderPairs =>
  received.some((text) => OWN.test(text)) ? fieldsThat(received, (name) => !OWN.test(name)) : received

/** Fields for one connection, in lower case (RFC 9110 section 7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set((
  `connection ${CONNECTION_FIELD} expect http2-settings keep-alive proxy-authenticate proxy-authentication-info ` +
  "proxy-authorization proxy-connection te trailer transfer-encoding upgrade"
).split(" "))

/** Fields for framing, routing or authentication, which are not allowed in a trailer section (RFC 9110 section 6.5.1). */
const HEAD_ONLY: ReadonlySet<string> = new Set(
  "authorization content-encoding content-length content-range content-type cookie host set-cookie".split(" ")
)

/** Whether a trailer section may contain a field. `name` is in lower case. */
export const isTrailer = (name: string): boolean =>
  !name.startsWith(":") && !HOP_BY_HOP.has(name) && !HEAD_ONLY.has(name)

/** The lower-case names that `Connection` lists; undefined if it names no field. */
export const nominatedNames = (raw: ReadonlyArray<string>): ReadonlySet<string> | undefined => {
  let names: Set<string> | undefined
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    if (name.length !== 10 || name.toLowerCase() !== "connection") continue
    const value = raw[i + 1] ?? ""
    const lower = value.toLowerCase()
    if (lower === "keep-alive" || lower === "close") continue
    names ??= new Set()
    for (const token of lower.split(",")) names.add(token.trim())
  }
  // `Connection` must not remove fields for framing or routing.
  names?.delete("host")
  names?.delete("content-length")
  return names
}

/** Whether a field value has a placeholder, also within HTTP Basic. */
export const valueHoldsPlaceholder = (value: string, exact: ReadonlyArray<string>): boolean =>
  holdsPlaceholder(value, exact) || holdsPlaceholder(basicText(value) ?? "", exact)

/**
 * Removes the placeholder of a key from a list of WebSocket subprotocols, where browsers and some SDKs send keys. The
 * server selects another subprotocol.
 */
const withoutPlaceholder = (offered: string, exact: ReadonlyArray<string>): string =>
  offered.split(",").map((item) => item.trim()).filter((item) => !holdsPlaceholder(item, exact)).join(", ")

interface RequestFields {
  /** The fields for the server, without `Host`. */
  readonly headers: HeaderPairs
  /** The fields for the proxy: every field with a placeholder, and `credsvc-connection`. */
  readonly withheld: HeaderPairs
}

/**
 * Splits the header fields of a request into those to forward and those to withhold. Never fills a placeholder with the secret: servers
 * echo fields such as `X-Request-Id`, where a client could then read it. `exact`: the placeholders without the usual marker.
 */
export const requestFields = (raw: ReadonlyArray<string>, exact: ReadonlyArray<string>): RequestFields => {
  const hop = nominatedNames(raw)
  const headers: HeaderPairs = []
  const withheld: HeaderPairs = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ""
    const value = raw[i + 1] ?? ""
    const lower = name.toLowerCase()
    if (lower === "host") continue
    if (lower === CONNECTION_FIELD) withheld.push(name, value)
    if (HOP_BY_HOP.has(lower)) continue
    if (valueHoldsPlaceholder(value, exact)) {
      withheld.push(name, value)
      const rest = lower === "sec-websocket-protocol" ? withoutPlaceholder(value, exact) : ""
      if (rest !== "") headers.push(name, rest)
    } else if (hop?.has(lower) !== true) headers.push(name, value)
  }
  return { headers, withheld }
}
