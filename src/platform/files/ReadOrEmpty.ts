/** Reads the file system, with an empty result instead of a failure for files that are missing or inaccessible. */
import * as fs from "node:fs"

export const orElse = <A, B>(read: () => A, absent: B): A | B => {
  try {
    return read()
  } catch {
    return absent
  }
}

/** Reads a regular file. Does not wait for the writer of a pipe, which would block this process. */
export const textOf = (file: string, encoding: BufferEncoding = "utf8"): string =>
  orElse(() => {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
    try {
      return fs.fstatSync(fd).isFile() ? fs.readFileSync(fd, encoding) : ""
    } finally {
      fs.closeSync(fd)
    }
  }, "")

export const linkOf = (file: string): string => orElse(() => fs.readlinkSync(file), "")

export const realPathOf = (file: string): string | undefined => orElse(() => fs.realpathSync(file), undefined)

export const namesIn = (directory: string): ReadonlyArray<string> => orElse(() => fs.readdirSync(directory), [])
