/**
 * Classifies addresses. A provider's host must resolve to `public` ones, unless the configuration allows private ones. `metadata`
 * addresses are always refused, because cloud metadata services return machine credentials to every client.
 */
import type * as Net from "node:net"
import { builtins } from "../platform/builtins.ts"

export type AddressClass = "public" | "private" | "metadata"

const METADATA = [
  "169.254.169.254/32", // AWS, GCP, Azure, OpenStack and others
  "169.254.170.2/32", // ECS task credentials
  "169.254.170.23/32", // EKS pod identity
  "100.100.100.200/32", // Alibaba
  "192.0.0.192/32", // Oracle
  "168.63.129.16/32", // Azure WireServer
  "fd00:ec2::254/128",
  "fd00:ec2::23/128",
  "fd20:ce::254/128"
]

// Ranges of IANA's special-purpose registries that are not globally reachable.
const PRIVATE = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8"
]

let lists: { readonly metadata: Net.BlockList; readonly private: Net.BlockList } | undefined

const load = () => {
  if (lists !== undefined) return lists
  const fill = (ranges: ReadonlyArray<string>) => {
    const list = new builtins.net.BlockList()
    for (const range of ranges) {
      const [address = "", bits] = range.split("/")
      list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4")
    }
    return list
  }
  lists = { metadata: fill(METADATA), private: fill(PRIVATE) }
  return lists
}

/** The IPv4 address inside a mapped (`::ffff:`), NAT64 (`64:ff9b::`) or 6to4 (`2002:`) address. */
const embeddedIpv4 = (address: string): string | undefined => {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1) // canonical: no dotted part
  const [head = "", tail] = groups.split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right]
    .map((group) => parseInt(group, 16))
  const quad = (high: number | undefined, low: number | undefined) =>
    [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join(".")
  const zero = (from: number, to: number) => all.slice(from, to).every((group) => group === 0)
  if (zero(0, 5) && all[5] === 0xffff) return quad(all[6], all[7])
  if (all[0] === 0x64 && all[1] === 0xff9b && zero(2, 6)) return quad(all[6], all[7])
  if (all[0] === 0x2002) return quad(all[1], all[2])
  return undefined
}

export const classify = (address: string): AddressClass => {
  const { metadata, private: notPublic } = load()
  const plain = address.replace(/%.*$/, "")
  const family = builtins.net.isIP(plain)
  if (family === 0) return "private"
  if (family === 6) {
    const inner = embeddedIpv4(plain)
    if (inner !== undefined) return classify(inner)
  }
  const type = family === 6 ? "ipv6" : "ipv4"
  if (metadata.check(plain, type)) return "metadata"
  return notPublic.check(plain, type) ? "private" : "public"
}

/** Whether a lower-case host matches an entry of `upstream.private_hosts`: the same name, or a name below `*.suffix`. */
export const isPrivateHost = (entries: ReadonlyArray<string>, host: string): boolean =>
  entries.some((entry) => entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry)

/** Whether a connection to the address would end on this machine. */
export const isOwnMachine = (address: string): boolean => {
  const plain = address.replace(/%.*$/, "")
  const inner = builtins.net.isIPv6(plain) ? embeddedIpv4(plain) ?? plain : plain
  if (/^(?:127\.|0\.)/.test(inner) || inner === "::" || /^(?:0*:)*:?0*1$/.test(inner)) return true
  for (const interfaces of Object.values(builtins.os.networkInterfaces())) {
    for (const entry of interfaces ?? []) if (entry.address === inner) return true
  }
  return false
}
