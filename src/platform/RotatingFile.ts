/**
 * A log file of bounded size: when it is full it is renamed to `<file>.1`, the former `.1` to `.2`, and so on, and the
 * oldest is deleted.
 *
 * Several processes may write to one file. Each checks the name before it writes, and reopens the file if another
 * process has renamed it.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as SecureFiles from "./SecureFiles.ts"

export interface RotatingFile {
  /** Appends one line in one write. Returns false if that fails: a log does not make its program fail. */
  readonly write: (line: string) => boolean
  /** Whether the current file exists. Another process may have removed it. */
  readonly exists: () => boolean
  /** The existing files, oldest first. */
  readonly files: () => ReadonlyArray<string>
  readonly close: () => void
}

export interface RotationOptions {
  readonly maxBytes: number
  /** The number of full files kept besides the current one. */
  readonly keep: number
}

const rotate = (file: string, keep: number): void => {
  for (let index = keep - 1; index >= 1; index--) {
    if (fs.existsSync(`${file}.${index}`)) fs.renameSync(`${file}.${index}`, `${file}.${index + 1}`)
  }
  fs.renameSync(file, `${file}.1`)
}

/** Makes text a single safe line: control characters could forge lines or control a terminal. */
export const oneLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are removed
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })

export const openRotatingFile = (
  file: string,
  options: RotationOptions = { maxBytes: 10 * 1024 * 1024, keep: 5 }
): Effect.Effect<RotatingFile, SecureFiles.SecureFileError> =>
  Effect.map(SecureFiles.openAppend(file), (first) => {
    let fd: number | undefined = first

    const reopen = (): void => {
      if (fd !== undefined) fs.closeSync(fd)
      fd = undefined
      fd = Effect.runSync(SecureFiles.openAppend(file))
    }

    const fileNames = [...Array.from({ length: options.keep }, (_, index) => `${file}.${options.keep - index}`), file]

    return {
      exists: () => fs.existsSync(file),
      files: () => fileNames.filter((name) => fs.existsSync(name)),
      write: (line) => {
        try {
          if (fd === undefined) return false
          const open = fs.fstatSync(fd)
          const named = fs.lstatSync(file, { throwIfNoEntry: false })
          if (named === undefined || named.ino !== open.ino || named.dev !== open.dev) reopen()
          else if (open.size >= options.maxBytes) {
            rotate(file, options.keep)
            reopen()
          }
          fs.writeSync(fd, `${oneLine(line)}\n`)
          return true
        } catch {
          // A full disk, or an unmounted file system.
          return false
        }
      },
      close: () => {
        if (fd !== undefined) fs.closeSync(fd)
        fd = undefined
      }
    }
  })
