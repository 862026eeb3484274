/** Parses the address of a corporate proxy, and its exceptions (`no_proxy`). */
import { builtins } from "../platform/builtins.ts"

export const PROXY_FORMS = "an address such as proxy.corp:3128, or a URL with http, https, socks5 or socks5h"

/**
 * Returns the URL of a proxy, or undefined for other text. Programs also write it without a scheme, and desktops write
 * `socks` for `socks5h`.
 */
export const proxyUrl = (text: string): URL | undefined => {
  const given = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text.replace(/^socks:/i, "socks5h:") : `http://${text}`
  const url = URL.canParse(given) ? new URL(given) : undefined
  return url !== undefined && /^(?:https?|socks5h?):$/.test(url.protocol) && url.hostname !== "" ? url : undefined
}

/** Returns the addresses of an entry such as `10.0.0.0/8`, or undefined if the entry is not a range. */
const rangeOf = (entry: string) => {
  const [, network = "", prefix = ""] = /^\[?([0-9a-f.:]+)\]?\/(\d{1,3})$/i.exec(entry) ?? []
  const family = builtins.net.isIP(network)
  if (family === 0 || Number(prefix) > (family === 6 ? 128 : 32)) return undefined
  const range = new builtins.net.BlockList()
  range.addSubnet(network, Number(prefix), family === 6 ? "ipv6" : "ipv4")
  return range
}

/** Finds the first entry of a `no_proxy` list that has a slash but is not a range, and so exempts no host. */
export const uselessEntry = (entries: ReadonlyArray<string>): string | undefined =>
  entries.find((entry) => entry.includes("/") && rangeOf(entry) === undefined)

export interface ProxiedHost {
  /** A lower-case name, or an address without brackets. */
  readonly host: string
  readonly port: number
  readonly kind: "name" | "ipv4" | "ipv6"
}

/**
 * Tells whether a host matches a `no_proxy` list. An entry is `*`, a range of addresses, or a name, a suffix or an
 * address, which may have a port.
 */
export const isBypassed = (entries: ReadonlyArray<string>, { host, kind, port }: ProxiedHost): boolean =>
  entries.some((entry) => {
    const pattern = entry.trim().toLowerCase()
    if (pattern === "") return false
    if (pattern === "*") return true
    if (pattern.includes("/")) return kind !== "name" && rangeOf(pattern)?.check(host, kind) === true
    const [, literal, name, own] = /^(?:\[([0-9a-f.:]+)\]|([^:]+))(?::(\d+))?$/.exec(pattern) ?? []
    if (own !== undefined && Number(own) !== port) return false
    const exempt = literal ?? name ?? pattern
    if (kind !== "name") return host === exempt
    const suffix = exempt.replace(/^\*?\./, "")
    return host === suffix || host.endsWith(`.${suffix}`)
  })
