/** Parses IP addresses, and recognizes loopback addresses. */
import { builtins } from "../builtins.ts"

const groupsOf = (part: string): ReadonlyArray<number> =>
  part === "" ? [] : part.split(":").map((group) => parseInt(group, 16))

/** Returns the 4 or 16 bytes of an address, without its zone, or undefined if the text is not an address. */
export const addressBytes = (text: string): ReadonlyArray<number> | undefined => {
  const address = text.replace(/%.*$/, "")
  const family = builtins.net.isIP(address)
  if (family === 0) return undefined
  if (family === 4) return address.split(".").map(Number)
  // The canonical form of an IPv6 address has no dotted IPv4 part.
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::")
  const [left, right] = [groupsOf(head), groupsOf(tail)]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 0xff])
}

/** Whether a host is an address in `127.0.0.0/8` or `::1`, with or without brackets. `localhost` is a name, not a literal. */
export const isLoopbackLiteral = (host: string): boolean =>
  host === "::1" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)

export const isLoopback = (host: string): boolean => isLoopbackLiteral(host) || host === "localhost"

/** Whether the other end of a TCP connection is on this machine. */
export const isOfThisMachine = ({ remoteAddress = "" }: { readonly remoteAddress?: string | undefined }): boolean =>
  isLoopbackLiteral(remoteAddress.replace(/^::ffff:/i, ""))
