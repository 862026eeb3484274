/** Reads the file system, with an empty result instead of a failure for files that are missing or inaccessible. */
import * as fs from "node:fs"

/** Returns what `read` returns, or `absent` if it throws. */
export const readOr = <A, B>(read: () => A, absent: B): A | B => {
  try {
    return read()
  } catch {
    return absent
  }
}

/** Reads a regular file. Does not wait for the writer of a pipe, which would block this process. */
export const textOf = (file: string, encoding: BufferEncoding = "utf8"): string =>
  readOr(() => {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
    try {
      return fs.fstatSync(fd).isFile() ? fs.readFileSync(fd, encoding) : ""
    } finally {
      fs.closeSync(fd)
    }
  }, "")

/** The target of a symbolic link. */
export const linkOf = (file: string): string => readOr(() => fs.readlinkSync(file), "")

/** The path without symbolic links. */
export const realPathOf = (file: string): string | undefined => readOr(() => fs.realpathSync(file), undefined)

/** The names in a directory. */
export const namesIn = (directory: string): ReadonlyArray<string> => readOr(() => fs.readdirSync(directory), [])
