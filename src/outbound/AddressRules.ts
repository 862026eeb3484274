/**
 * Classifies addresses. A provider's host must resolve to `public` addresses, unless the configuration allows private
 * addresses. `metadata` addresses are always refused, because cloud metadata services return machine credentials to every
 * client.
 */
import type * as Net from "node:net"
import { builtins } from "../platform/builtins.ts"
import { addressBytes, isLoopbackLiteral } from "../platform/sockets/IpAddress.ts"
import { type Authority, formatAuthority } from "./Authority.ts"
import { DialError } from "./DialError.ts"

type AddressClass = "public" | "private" | "metadata"

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
const PRIVATE = (
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 " +
  "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/96 ::ffff:0:0:0/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 " +
  "3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8"
).split(" ")

let lists: { readonly metadata: Net.BlockList; readonly private: Net.BlockList } | undefined

const addressLists = () => {
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

/** An IPv4 address in a mapped (`::ffff:`), NAT64 (`64:ff9b::`) or 6to4 (`2002:`) address. */
const EMBEDDED = /^(?:0{20}ffff|0064ff9b0{16})(.{8})$|^2002(.{8})/

/** The bytes of an address, or of the IPv4 address in it, in hexadecimal. Empty for any other text. */
const hexOf = (address: string): string => {
  const hex = Buffer.from(addressBytes(address) ?? []).toString("hex")
  const [, low, high] = EMBEDDED.exec(hex) ?? []
  return low ?? high ?? hex
}

/** Classifies an address. Any other text is `private`. */
export const addressClass = (address: string): AddressClass => {
  const { metadata, private: notPublic } = addressLists()
  const hex = hexOf(address)
  if (hex === "") return "private"
  const [plain, family] = hex.length === 8
    ? [[...Buffer.from(hex, "hex")].join("."), "ipv4"] as const
    : [address.replace(/%.*$/, ""), "ipv6"] as const
  if (metadata.check(plain, family)) return "metadata"
  return notPublic.check(plain, family) ? "private" : "public"
}

/** Whether a lower-case host matches an entry of `upstream.private_hosts`: the same name, or a name below `*.suffix`. */
export const isPrivateHost = (entries: ReadonlyArray<string>, host: string): boolean =>
  entries.some((entry) => entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry)

/** Whether a connection to the address would end on this machine. */
export const isOwnMachine = (address: string): boolean => {
  const hex = hexOf(address)
  if (/^(?:7f|00).{6}$|^0{31}[01]$/.test(hex)) return true
  return Object.values(builtins.os.networkInterfaces()).flat().some((entry) =>
    entry !== undefined && hexOf(entry.address) === hex
  )
}

/**
 * The purpose of a connection, which determines the allowed addresses. `tunnel`: bytes that the proxy does not inspect. Private
 * addresses are allowed, except to a contained client. `provider`: requests that may carry a credential. The address must be public
 * unless the configuration allows it. `public`: a URL named by a public server. The address must be public. `loopback`: like
 * `provider`, plus literal loopback addresses, which the user allowed for one provider.
 */
export type Purpose = "tunnel" | "provider" | "public" | "loopback"

/** A client whose tunnels must not lead to this machine or to private networks, as messages name it. */
export type ContainedClient = "contained run" | "sandbox"

/** What determines whether an address is allowed. */
export interface AddressPolicy {
  readonly target: Authority
  readonly purpose: Purpose
  /** Whether the configuration allows private addresses for the target. */
  readonly isConfigured: boolean
  /** Whether the configuration names the address of the target. */
  readonly isPinned: boolean
  /** The client of a tunnel, if it is contained. */
  readonly client: ContainedClient | undefined
  /** The local ports that must not be reached: the daemon's and the proxy's own. */
  readonly ownPorts: ReadonlySet<number>
}

const forbiddenError = (message: string): DialError => new DialError("forbidden", message)
const privateAddressError = (message: string): DialError => new DialError("private_address", message)

/** Why a connection to an address is refused, or undefined if it is allowed. */
export const addressRefusal = (
  address: string,
  port: number,
  { client, isConfigured, isPinned, ownPorts, purpose, target }: AddressPolicy
): DialError | undefined => {
  const { host } = target
  const kind = addressClass(address)
  if (kind === "metadata") return forbiddenError(`${host} is a cloud metadata address, which credsvc never connects to`)
  if (ownPorts.has(port) && isOwnMachine(address)) {
    return forbiddenError(`${formatAuthority(target)} is an address of credsvc itself`)
  }
  if (client !== undefined && !isPinned && isOwnMachine(address)) {
    const remedy = client === "sandbox" ? "" : "; allow a port with --allow-port"
    return privateAddressError(`${formatAuthority(target)} is on this machine, which a ${client} cannot reach${remedy}`)
  }
  const mayBePrivate = (purpose === "tunnel" && client === undefined) || (isConfigured && purpose !== "public") ||
    (purpose === "loopback" && isLoopbackLiteral(host))
  if (kind !== "private" || mayBePrivate) return undefined
  const problem = `${host} resolves to the private address ${address}`
  return privateAddressError(
    purpose === "public"
      ? `${problem}, which a public server must not refer to`
      : `${problem}; to allow it, add the host to upstream.private_hosts in config.json`
  )
}
