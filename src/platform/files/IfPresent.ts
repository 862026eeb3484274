/** Reads of the file system that have an empty result, not a failure, for what is absent or closed to this process. */
import * as fs from "node:fs"

export const orElse = <A, B>(read: () => A, absent: B): A | B => {
  try {
    return read()
  } catch {
    return absent
  }
}

export const textOf = (file: string, encoding: BufferEncoding = "utf8"): string =>
  orElse(() => fs.readFileSync(file, encoding), "")

export const linkOf = (file: string): string => orElse(() => fs.readlinkSync(file), "")

export const realPathOf = (file: string): string | undefined => orElse(() => fs.realpathSync(file), undefined)

export const namesIn = (directory: string): ReadonlyArray<string> => orElse(() => fs.readdirSync(directory), [])
