/**
 * Parses the authority of a `CONNECT` line, an absolute-form target or a `Host` header. Never uses `new URL()`, which decodes `%2e`,
 * folds full-width letters and reads `0x7f.1` as an address: two parties would read different hosts from the same text.
 */
import { builtins } from "../platform/builtins.ts"

/** A host and a port. */
export interface Authority {
  /** A lower-case name without trailing dot, a dotted quad, or an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  /** The kind of host. Only a `name` can match a route. */
  readonly kind: "name" | "ipv4" | "ipv6"
}

const MAX_NAME = 253
const LABEL = "(?!-)[A-Za-z0-9_-]{1,63}(?<!-)"
const NAME = RegExp(`^${LABEL}(?:\\.${LABEL})*$`)
/** Matches a name that some resolvers treat as an address, because they read its last label as a number. */
const NUMERIC = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/

const parsePort = (text: string): number | undefined =>
  /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined

/**
 * Parses a host name of letters, digits, hyphens and underscores. Private networks use underscores; no route matches names with them.
 * Converts the name to lower case and removes one trailing dot.
 */
export const parseName = (text: string): string | undefined => {
  const name = text.endsWith(".") ? text.slice(0, -1) : text
  if (name.length > MAX_NAME || !NAME.test(name)) return undefined
  const lower = name.toLowerCase()
  return NUMERIC.test(lower) ? undefined : lower
}

/** Parses one host and one port; `undefined` if invalid. The port is required unless there is a `defaultPort`. */
export const parseAuthority = (text: string, defaultPort?: number): Authority | undefined => {
  const [, bracketed, plain = "", given] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/s.exec(text) ?? []
  const port = given === undefined ? defaultPort : parsePort(given)
  if (port === undefined) return undefined
  if (bracketed !== undefined) {
    const isAddress = builtins.net.isIPv6(bracketed) && !bracketed.includes("%")
    return isAddress ? { host: bracketed.toLowerCase(), port, kind: "ipv6" } : undefined
  }
  if (/\d$/.test(plain) && builtins.net.isIPv4(plain)) return { host: plain, port, kind: "ipv4" }
  const name = parseName(plain)
  return name === undefined ? undefined : { host: name, port, kind: "name" }
}

/** The parts of a URL to which a request is sent. */
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
