/**
 * Parses the authority of a `CONNECT` line, an absolute-form target or a `Host` header. Never uses `new URL()`, which decodes `%2e`,
 * folds full-width letters and reads `0x7f.1` as an address: two parties would read different hosts from the same text.
 */

export interface Authority {
  /** A lower-case name without trailing dot, a dotted quad, or an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  /** Only a `name` can match a route; an IP address never does. */
  readonly kind: "name" | "ipv4" | "ipv6"
}

const MAX_NAME = 253

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetterOrDigit = (code: number): boolean => isDigit(code) || (code >= 97 && code <= 122)

const parsePort = (text: string): number | undefined => {
  if (text.length === 0 || text.length > 5) return undefined
  let port = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (!isDigit(code)) return undefined
    port = port * 10 + code - 48
  }
  return port >= 1 && port <= 65535 && text.charCodeAt(0) !== 48 ? port : undefined
}

const parseIpv4 = (text: string): string | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4) return undefined
  for (const part of parts) {
    if (part.length === 0 || part.length > 3 || (part.length > 1 && part.charCodeAt(0) === 48)) return undefined
    for (let i = 0; i < part.length; i++) if (!isDigit(part.charCodeAt(i))) return undefined
    if (Number(part) > 255) return undefined
  }
  return text
}

// Checks only the groups, to avoid loading `node:net`. The system checks the whole address when it connects.
const parseIpv6 = (text: string): string | undefined => {
  if (text.length < 2 || text.length > 45) return undefined
  const lower = text.toLowerCase()
  if (!/^[0-9a-f:.]+$/.test(lower) || lower.includes(":::")) return undefined
  const halves = lower.split("::")
  if (halves.length > 2) return undefined
  let groups = 0
  for (const [index, half] of halves.entries()) {
    if (half === "") continue
    const parts = half.split(":")
    for (const [at, part] of parts.entries()) {
      if (part.includes(".")) {
        const last = index === halves.length - 1 && at === parts.length - 1
        if (!last || parseIpv4(part) === undefined) return undefined
        groups += 2
      } else {
        if (part.length === 0 || part.length > 4) return undefined
        groups += 1
      }
    }
  }
  return (halves.length === 2 ? groups <= 7 : groups === 8) ? lower : undefined
}

/** Some resolvers read these labels as numbers, so a name that ends in one may be treated as an address. */
const isNumericLabel = (label: string): boolean => /^(?:[0-9]+|0x[0-9a-f]*)$/.test(label)

/** Parses a host name of letter-digit-hyphen labels. Converts it to lower case and removes one trailing dot. */
export const parseName = (text: string): string | undefined => {
  let name = text
  if (name.charCodeAt(name.length - 1) === 46) name = name.slice(0, -1)
  if (name.length === 0 || name.length > MAX_NAME) return undefined
  // Converts ASCII letters only: `toLowerCase` maps the Kelvin sign to `k`.
  let lower = ""
  let labelStart = 0
  for (let i = 0; i <= name.length; i++) {
    const code = i === name.length ? 46 : name.charCodeAt(i)
    if (code === 46) {
      const length = i - labelStart
      if (length === 0 || length > 63) return undefined
      if (name.charCodeAt(labelStart) === 45 || name.charCodeAt(i - 1) === 45) return undefined
      labelStart = i + 1
      if (i < name.length) lower += "."
    } else if (isLetterOrDigit(code) || code === 45) {
      lower += name[i]
    } else if (code >= 65 && code <= 90) {
      lower += String.fromCharCode(code + 32)
    } else {
      return undefined
    }
  }
  return isNumericLabel(lower.slice(lower.lastIndexOf(".") + 1)) ? undefined : lower
}

/** Parses one host and one port; `undefined` if invalid. The port is required unless there is a `defaultPort`. */
export const parseAuthority = (text: string, defaultPort?: number): Authority | undefined => {
  let host: string
  let rest: string
  if (text.charCodeAt(0) === 91) {
    const end = text.indexOf("]")
    if (end === -1) return undefined
    host = text.slice(1, end)
    rest = text.slice(end + 1)
    const address = parseIpv6(host)
    if (address === undefined) return undefined
    const port = rest === "" ? defaultPort : rest.charCodeAt(0) === 58 ? parsePort(rest.slice(1)) : undefined
    return port === undefined ? undefined : { host: address, port, kind: "ipv6" }
  }
  const colon = text.indexOf(":")
  host = colon === -1 ? text : text.slice(0, colon)
  const port = colon === -1 ? defaultPort : parsePort(text.slice(colon + 1))
  if (port === undefined) return undefined
  const quad = parseIpv4(host)
  if (quad !== undefined) return { host: quad, port, kind: "ipv4" }
  const name = parseName(host)
  return name === undefined ? undefined : { host: name, port, kind: "name" }
}

export interface AbsoluteTarget {
  readonly scheme: "http" | "https"
  readonly authority: Authority
  readonly path: string
}

/** Parses `http://host/path` or `https://host/path`, without userinfo and fragment. */
export const parseAbsoluteTarget = (target: string): AbsoluteTarget | undefined => {
  const match = /^(https?):\/\/([^/?#]*)([^#]*)$/i.exec(target)
  if (match === null) return undefined
  const scheme = match[1]?.toLowerCase() === "https" ? "https" : "http"
  const authority = parseAuthority(match[2] ?? "", scheme === "https" ? 443 : 80)
  if (authority === undefined) return undefined
  const rest = match[3] ?? ""
  return { scheme, authority, path: rest.startsWith("/") ? rest : "/" + rest }
}

/** Formats an authority for a `Host` header or a `CONNECT` line, without the default port. */
export const formatAuthority = (authority: Authority, defaultPort?: number): string => {
  const host = authority.kind === "ipv6" ? `[${authority.host}]` : authority.host
  return authority.port === defaultPort ? host : `${host}:${authority.port}`
}
