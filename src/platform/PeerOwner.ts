/**
 * Determines which user owns the other end of a loopback TCP socket, from the kernel's socket tables.
 *
 * A server checks whether its client is the same user; a client checks whether the server it found is. The tables are
 * large on busy machines (7 to 80 ms per read), so concurrent lookups share one read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import type * as Net from "node:net"
import { builtins } from "./builtins.ts"

/**
 * `own`: this user (for a peer: or root, who can read our memory anyway). `other`: another user. `unknown`: the tables
 * do not list such a socket, or could not be read. `unsupported`: this platform has no such tables.
 */
export type Ownership = "own" | "other" | "unknown" | "unsupported"

export interface SocketAddress {
  readonly address: string
  readonly port: number
}

/** Both ends of a connection. Undefined once it is closed. */
export const endsOf = (
  { localAddress, localPort, remoteAddress, remotePort }: Net.Socket
): { readonly remote: SocketAddress; readonly local: SocketAddress } | undefined =>
  remoteAddress === undefined || remotePort === undefined || localAddress === undefined || localPort === undefined
    ? undefined
    : { remote: { address: remoteAddress, port: remotePort }, local: { address: localAddress, port: localPort } }

export interface SocketTables {
  readonly tcp: string
  readonly tcp6: string
}

const groups = (part: string): ReadonlyArray<number> =>
  part === "" ? [] : part.split(":").map((group) => parseInt(group, 16))

const expandIpv6 = (text: string): ReadonlyArray<number> | undefined => {
  if (!builtins.net.isIPv6(text)) return undefined
  let address = text.replace(/%.*$/, "")
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  if (dotted !== null) {
    const [a, b, c, d] = dotted.slice(1).map(Number) as [number, number, number, number]
    address = address.slice(0, dotted.index) + ((a << 8) | b).toString(16) + ":" + ((c << 8) | d).toString(16)
  }
  const [head = "", tail] = address.split("::")
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  const middle = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...middle, ...right].flatMap((group) => [group >> 8, group & 0xff])
}

const bytesOf = (address: string): ReadonlyArray<number> | undefined => {
  if (builtins.net.isIPv4(address)) return address.split(".").map(Number)
  const bytes = expandIpv6(address)
  if (bytes === undefined) return undefined
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  return mapped ? bytes.slice(12) : bytes
}

const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/** The kernel prints each 32-bit word of an address as a number in the machine's byte order. */
const tableHex = (bytes: ReadonlyArray<number>): string => {
  let hex = ""
  for (let word = 0; word < bytes.length; word += 4) {
    const group = bytes.slice(word, word + 4)
    for (const byte of littleEndian ? group.toReversed() : group) hex += byte.toString(16).padStart(2, "0")
  }
  return hex.toUpperCase()
}

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** The address as it appears in each table. An IPv4 address may be in both, as itself and IPv4-mapped. */
const forms = (address: string): { readonly tcp?: string; readonly tcp6: string } | undefined => {
  const bytes = bytesOf(address)
  if (bytes === undefined) return undefined
  return bytes.length === 4
    ? { tcp: tableHex(bytes), tcp6: tableHex([...MAPPED_PREFIX, ...bytes]) }
    : { tcp6: tableHex(bytes) }
}

const portHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0")

interface Row {
  readonly uid: number
  readonly inode: string
}

/** Fields after the state: queues, timer, retransmissions, uid, timeout, inode. */
const rowOf = (text: string): Row | undefined => {
  const fields = text.trim().split(/\s+/, 6)
  const uid = Number(fields[3])
  const inode = fields[5]
  return Number.isInteger(uid) && inode !== undefined ? { uid, inode } : undefined
}

/** Rows with this local address, remote address and state. */
const rowsOf = (table: string, local: string, remote: string, state: string): ReadonlyArray<Row> => {
  const needle = `: ${local} ${remote} ${state} `
  const rows: Array<Row> = []
  for (let at = table.indexOf(needle); at !== -1; at = table.indexOf(needle, at + 1)) {
    const end = table.indexOf("\n", at)
    const row = rowOf(table.slice(at + needle.length, end === -1 ? undefined : end))
    if (row !== undefined) rows.push(row)
  }
  return rows
}

const LISTEN = "0A"

/** Local address, remote address, and the fields after the state of an established connection. */
const established = /: ([0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4}) 01 ([^\n]*)/g

const indexes = new WeakMap<SocketTables, ReadonlyMap<string, ReadonlyArray<Row>>>()

/**
 * Indexes the established connections by their addresses. One pass serves all lookups of a read: under a flood of
 * connections a table has tens of thousands of rows and hundreds of lookups wait, and searching the table for each took
 * seconds.
 */
const connectionsOf = (tables: SocketTables): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const known = indexes.get(tables)
  if (known !== undefined) return known
  const index = new Map<string, Array<Row>>()
  for (const table of [tables.tcp, tables.tcp6]) {
    for (const [, addresses = "", rest = ""] of table.matchAll(established)) {
      const row = rowOf(rest)
      if (row === undefined || row.inode === "0") continue // a closed socket lingers with uid 0 and inode 0
      const rows = index.get(addresses)
      if (rows === undefined) index.set(addresses, [row])
      else rows.push(row)
    }
  }
  indexes.set(tables, index)
  return index
}

const peerRows = (tables: SocketTables, remote: SocketAddress, local: SocketAddress): ReadonlyArray<Row> => {
  const far = forms(remote.address)
  const near = forms(local.address)
  if (far === undefined || near === undefined) return []
  const connections = connectionsOf(tables)
  const between = (from: string | undefined, to: string | undefined) =>
    connections.get(`${from}:${portHex(remote.port)} ${to}:${portHex(local.port)}`) ?? []
  return [...between(far.tcp, near.tcp), ...between(far.tcp6, near.tcp6)]
}

const ownershipOf = (rows: ReadonlyArray<{ readonly uid: number }>, isOwn: (uid: number) => boolean): Ownership => {
  if (rows.length === 0) return "unknown"
  return rows.every(({ uid }) => isOwn(uid)) ? "own" : "other"
}

/** The owner of the remote end of a connection that `local` accepted from `remote`, according to the tables. */
export const peerOwnership = (
  tables: SocketTables,
  uid: number,
  remote: SocketAddress,
  local: SocketAddress
): Ownership => ownershipOf(peerRows(tables, remote, local), (owner) => owner === uid || owner === 0)

/** The owner of the remote end of a connection that `local` opened to `remote`, according to the tables. */
export const serverOwnership = (
  tables: SocketTables,
  uid: number,
  remote: SocketAddress,
  local: SocketAddress
): Ownership => ownershipOf(peerRows(tables, remote, local), (owner) => owner === uid)

/** The owner of the socket that a connection to `target` would reach, according to the tables. */
export const listenerOwnership = (tables: SocketTables, uid: number, target: SocketAddress): Ownership => {
  const address = forms(target.address)
  if (address === undefined) return "unknown"
  const port = portHex(target.port)
  const at = (hex: string) => `${hex}:${port}`
  const any4 = "00000000"
  const any6 = any4.repeat(4)
  const exact = [
    ...(address.tcp === undefined ? [] : rowsOf(tables.tcp, at(address.tcp), `${any4}:0000`, LISTEN)),
    ...rowsOf(tables.tcp6, at(address.tcp6), `${any6}:0000`, LISTEN)
  ]
  const wildcard = [
    ...(address.tcp === undefined ? [] : rowsOf(tables.tcp, at(any4), `${any4}:0000`, LISTEN)),
    ...rowsOf(tables.tcp6, at(any6), `${any6}:0000`, LISTEN)
  ]
  return ownershipOf(exact.length > 0 ? exact : wildcard, (owner) => owner === uid)
}

export class PeerOwner extends Context.Service<PeerOwner, {
  /**
   * The user at the remote end of an accepted connection. Call it while the connection is open: a peer that has closed
   * its end is `unknown`.
   */
  readonly peer: (remote: SocketAddress, local: SocketAddress) => Effect.Effect<Ownership>

  /** The inode of the socket at the remote end, which identifies the process that has it open. Undefined if unknown. */
  readonly peerInode: (remote: SocketAddress, local: SocketAddress) => Effect.Effect<string | undefined>

  /**
   * The user who accepted a connection that we opened. Root is `other` unless we are root. Until the connection is
   * accepted the result is `unknown`, so call it after the server has responded.
   */
  readonly server: (remote: SocketAddress, local: SocketAddress) => Effect.Effect<Ownership>

  /**
   * The user who listens where a connection to this address would arrive. Root is `other` unless we are root. Proves
   * nothing about an existing connection: its server may have closed the listener, and another user may have the port
   * by now.
   */
  readonly listener: (target: SocketAddress) => Effect.Effect<Ownership>
}>()("credsvc/platform/PeerOwner") {
  /** Looks up owners in the tables that `read` returns, with at most one read at a time. */
  static readonly layerTables = (options: {
    readonly uid: number
    readonly read: () => Promise<SocketTables>
  }): Layer.Layer<PeerOwner> =>
    Layer.sync(PeerOwner, () => {
      let waiting: Array<(tables: SocketTables | undefined) => void> = []
      let reading = false

      // A lookup needs a read that began after it: an older one may lack the socket.
      const pump = async () => {
        reading = true
        while (waiting.length > 0) {
          const served = waiting
          waiting = []
          const tables = await options.read().catch(() => undefined)
          for (const answer of served) answer(tables)
        }
        reading = false
      }

      const ask = <A>(unread: A, question: (tables: SocketTables) => A): Effect.Effect<A> =>
        Effect.callback<A>((resume) => {
          waiting.push((tables) => resume(Effect.sync(() => tables === undefined ? unread : question(tables))))
          if (!reading) void pump()
        })

      return PeerOwner.of({
        peer: (remote, local) => ask("unknown", (tables) => peerOwnership(tables, options.uid, remote, local)),
        peerInode: (remote, local) => ask(undefined, (tables) => peerRows(tables, remote, local)[0]?.inode),
        server: (remote, local) => ask("unknown", (tables) => serverOwnership(tables, options.uid, remote, local)),
        listener: (target) => ask("unknown", (tables) => listenerOwnership(tables, options.uid, target))
      })
    })

  static readonly layerUnsupported: Layer.Layer<PeerOwner> = Layer.succeed(
    PeerOwner,
    PeerOwner.of({
      peer: () => Effect.succeed("unsupported"),
      peerInode: () => Effect.succeed(undefined),
      server: () => Effect.succeed("unsupported"),
      listener: () => Effect.succeed("unsupported")
    })
  )

  static readonly layer: Layer.Layer<PeerOwner> = Layer.unwrap(Effect.sync(() => {
    const uid = process.getuid?.()
    if (process.platform !== "linux" || uid === undefined) return PeerOwner.layerUnsupported
    return PeerOwner.layerTables({
      uid,
      read: async () => {
        const [tcp, tcp6] = await Promise.all([
          fs.promises.readFile("/proc/self/net/tcp", "latin1"),
          fs.promises.readFile("/proc/self/net/tcp6", "latin1").catch(() => "") // absent if IPv6 is disabled
        ])
        return { tcp, tcp6 }
      }
    })
  }))
}
