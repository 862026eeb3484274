/** The kernel's tables of TCP sockets on Linux, in the format of `/proc/net/tcp`. */
import * as fs from "node:fs"
import { addressBytes } from "./IpAddress.ts"

export interface SocketAddress {
  readonly address: string
  readonly port: number
}

/** The texts of `/proc/net/tcp` and `/proc/net/tcp6`. */
export interface SocketTables {
  readonly tcp: string
  readonly tcp6: string
}

const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/** Formats an address like the kernel, which prints each 32-bit word as a number in the machine's byte order. */
const tableHex = (bytes: ReadonlyArray<number>): string => {
  let hex = ""
  for (let word = 0; word < bytes.length; word += 4) {
    const group = bytes.slice(word, word + 4)
    for (const byte of littleEndian ? group.toReversed() : group) hex += byte.toString(16).padStart(2, "0")
  }
  return hex.toUpperCase()
}

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** The address as it appears in each table. An IPv4 address may appear in both, as itself and IPv4-mapped. */
const forms = (address: string): { readonly tcp?: string; readonly tcp6: string } | undefined => {
  const bytes = addressBytes(address)
  if (bytes === undefined) return undefined
  const isMapped = MAPPED_PREFIX.every((byte, at) => bytes[at] === byte)
  const ipv4 = isMapped ? bytes.slice(12) : bytes
  return ipv4.length === 4
    ? { tcp: tableHex(ipv4), tcp6: tableHex([...MAPPED_PREFIX, ...ipv4]) }
    : { tcp6: tableHex(bytes) }
}

const portHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0")

export interface Row {
  readonly uid: number
  readonly inode: string
}

/** Reads a row. After the state, it has the fields queues, timer, retransmissions, uid, timeout and inode. */
const rowOf = (text: string): Row | undefined => {
  const fields = text.trim().split(/\s+/, 6)
  const uid = Number(fields[3])
  const inode = fields[5]
  return Number.isInteger(uid) && inode !== undefined ? { uid, inode } : undefined
}

/** Returns the rows of sockets that listen at a local address, given as a pattern. `0A` is the state LISTEN. */
const listening = (table: string, local: string): ReadonlyArray<Row> =>
  [...table.matchAll(new RegExp(`: ${local} 0+:0000 0A (.*)`, "g"))].flatMap(([, rest = ""]) => rowOf(rest) ?? [])

const established = /: ([0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4}) 01 ([^\n]*)/g

const indexes = new WeakMap<SocketTables, ReadonlyMap<string, ReadonlyArray<Row>>>()

/**
 * Indexes the established connections by their addresses, once for all lookups in the same tables. In a flood of connections,
 * a table has tens of thousands of rows and hundreds of lookups wait, so searching the table for each would take seconds.
 */
const connectionsOf = (tables: SocketTables): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const known = indexes.get(tables)
  if (known !== undefined) return known
  const rows = [tables.tcp, tables.tcp6].flatMap((table) =>
    [...table.matchAll(established)].flatMap(([, addresses = "", rest = ""]) => {
      const row = rowOf(rest)
      // A closed socket lingers with uid 0 and inode 0.
      return row === undefined || row.inode === "0" ? [] : [{ addresses, ...row }]
    })
  )
  const index = Map.groupBy(rows, ({ addresses }) => addresses)
  indexes.set(tables, index)
  return index
}

/** Returns the rows for the remote end of a connection between two addresses. */
export const connectionRows = (
  tables: SocketTables,
  remote: SocketAddress,
  local: SocketAddress
): ReadonlyArray<Row> => {
  const far = forms(remote.address)
  const near = forms(local.address)
  if (far === undefined || near === undefined) return []
  const connections = connectionsOf(tables)
  const between = (from: string | undefined, to: string | undefined) =>
    connections.get(`${from}:${portHex(remote.port)} ${to}:${portHex(local.port)}`) ?? []
  return [...between(far.tcp, near.tcp), ...between(far.tcp6, near.tcp6)]
}

/** Returns the rows of listeners that a connection to this address would reach. */
export const listenerRows = (tables: SocketTables, target: SocketAddress): ReadonlyArray<Row> => {
  const address = forms(target.address)
  if (address === undefined) return []
  const port = portHex(target.port)
  const listeningAt = (v4: string | undefined, v6: string) => [
    ...(v4 === undefined ? [] : listening(tables.tcp, `${v4}:${port}`)),
    ...listening(tables.tcp6, `${v6}:${port}`)
  ]
  const exact = listeningAt(address.tcp, address.tcp6)
  return exact.length > 0 ? exact : listeningAt(address.tcp && "0{8}", "0{32}")
}

/** Lists the inodes of all sockets that listen on a port, at any address. */
export const listeningInodes = ({ tcp, tcp6 }: SocketTables, port: number): ReadonlyArray<string> =>
  listening(`${tcp}\n${tcp6}`, `[0-9A-F]+:${portHex(port)}`).map(({ inode }) => inode)

export const readSocketTables = async (): Promise<SocketTables> => {
  const [tcp, tcp6] = await Promise.all([
    fs.promises.readFile("/proc/self/net/tcp", "latin1"),
    fs.promises.readFile("/proc/self/net/tcp6", "latin1").catch(() => "") // absent if IPv6 is disabled
  ])
  return { tcp, tcp6 }
}
