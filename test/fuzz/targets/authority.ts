/** An accepted authority names the same host as a URL parser reads from it. */
import {
  type Authority,
  formatAuthority,
  parseAbsoluteTarget,
  parseAuthority
} from "../../../src/outbound/Authority.ts"
import { hold, same, type Target } from "../Target.ts"

const ofUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const agrees = ({ host, kind, port }: Authority, url: URL): boolean => {
  const name = url.hostname.replace(/\.$/, "")
  const own = kind === "ipv6" ? ofUrl(`https://[${host}]`)?.hostname : host
  return name === own && (url.port === "" ? 443 : Number(url.port)) === port
}

const authority = (text: string): void => {
  const read = parseAuthority(text, 443)
  if (read === undefined) return
  same(parseAuthority(formatAuthority(read)), read)
  same(parseAuthority(formatAuthority(read, 443), 443), read)
  // The parser may accept an embedded IPv4 address that a URL parser rejects; the system rejects it on connect.
  const url = ofUrl(`https://${text}/`)
  if (url === undefined && read.kind === "ipv6") return
  hold(url !== undefined && agrees(read, url), () => `${JSON.stringify(text)} is ${read.host}, and ${url?.host}`)
  hold(read.kind !== "name" || !/^[\d.]+$/.test(url!.hostname), () => `${text} is an address in disguise`)
}

const target = (text: string): void => {
  const read = parseAbsoluteTarget(text)
  if (read === undefined) return
  hold(read.path.startsWith("/"), () => `the path ${read.path}`)
  const url = ofUrl(`https://${formatAuthority(read.authority)}/`)
  if (url !== undefined) hold(agrees(read.authority, url), () => `${text} is ${url.host}`)
}

export const seeds: Target["seeds"] = [
  "api.example.com:443",
  "API.Example.COM.",
  "[::1]:8443",
  "[fe80::1:2.3.4.5]",
  "127.0.0.1:80",
  "0x7f.1",
  "h.example:080",
  "h.example:0",
  "h%2eexample:1",
  "\uff41.example:1",
  "xn--bcher-kva.example:65535",
  "http://user@host:1/a?b#c",
  "https://h.example/p?q"
]

export const fuzz: Target["fuzz"] = (data) => {
  const text = data.toString("latin1")
  authority(text)
  target(text)
}
