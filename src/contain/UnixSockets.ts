/** The files of the Unix sockets that programs of this machine listen on. */
import * as fs from "node:fs"
import * as path from "node:path"
import { linkOf, namesIn, readOr, textOf } from "../platform/files/ReadOrEmpty.ts"

/**
 * The named sockets in a table such as `/proc/net/unix`. A name is the path as given to bind(2), which may be relative. Abstract
 * sockets are isolated by the network namespace.
 */
const parseTable = (text: string) =>
  text.split("\n").flatMap((line) => {
    const [, inode = "", name = ""] = /^(?:\S+ +){6}(\d+) ([^@].*)$/.exec(line) ?? []
    return name === "" ? [] : [{ inode, name }]
  })

const processes = (): ReadonlyArray<string> => namesIn("/proc").filter((name) => /^\d+$/.test(name))

/** The tables of all network namespaces whose processes this one may inspect. */
const tables = (): ReadonlyArray<string> => {
  const own = linkOf("/proc/self/ns/net")
  const others = new Map(processes().map((pid) => [linkOf(`/proc/${pid}/ns/net`), pid]))
  for (const covered of ["", own]) others.delete(covered)
  return [textOf("/proc/net/unix"), ...[...others.values()].map((pid) => textOf(`/proc/${pid}/net/unix`))]
}

/** The absolute paths of sockets with relative names, right only if the process is still in the directory where it bound the socket. */
const resolveNames = (sockets: ReturnType<typeof parseTable>): ReadonlyArray<string> => {
  if (sockets.length === 0) return []
  const names = new Map(sockets.map(({ inode, name }) => [`socket:[${inode}]`, name]))
  return processes().flatMap((pid) =>
    namesIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const name = names.get(linkOf(`/proc/${pid}/fd/${descriptor}`))
      const directory = linkOf(`/proc/${pid}/cwd`)
      return name === undefined || directory === "" ? [] : [path.resolve(directory, name)]
    })
  )
}

/**
 * The paths of the sockets on which programs listen, and of all other sockets in the same directories: programs such as ssh bind a
 * temporary name, which the kernel keeps, and then rename the file or link to it.
 */
export const unixSockets = (): ReadonlyArray<string> => {
  const sockets = tables().flatMap(parseTable)
  const absolute = sockets.flatMap(({ name }) => path.isAbsolute(name) ? [name] : [])
  const bound = [...absolute, ...resolveNames(sockets.filter(({ name }) => !path.isAbsolute(name)))]
  const directories = [...new Set(bound.map((file) => path.dirname(file)))]
  const files = directories.flatMap((directory) => namesIn(directory).map((name) => path.join(directory, name)))
  return [...new Set([...bound, ...files])].filter((file) => readOr(() => fs.lstatSync(file).isSocket(), false))
}

/**
 * Whether an inode is one end of a connection within this machine. Any other socket could be connected to an address of the network
 * in which it was created, even by a process in another network namespace.
 */
export const isConnectedUnixSocket = (inode: number): boolean =>
  // The type is SOCK_STREAM or SOCK_SEQPACKET, and the state SS_CONNECTED.
  RegExp(`^(?:\\S+ +){4}000[15] 03 +${inode}(?: |$)`, "m").test(textOf("/proc/net/unix"))
