/**
 * A log file of bounded size: when it is full, it is renamed to `<file>.1`, the previous `.1` to `.2`, and so on, and the
 * oldest file is deleted.
 *
 * Several processes may write to one file. Each process checks the name before it writes, and reopens the file if
 * another process has renamed it.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as SecureFiles from "./SecureFiles.ts"

export interface RotatingFile {
  /** Appends lines in one write. Returns false if this fails, because a log must not make its program fail. */
  readonly write: (...lines: ReadonlyArray<string>) => boolean
  /** Whether the current file exists. Another process may have removed it. */
  readonly exists: () => boolean
  readonly files: () => ReadonlyArray<string>
  readonly close: () => void
}

interface RotationOptions {
  readonly maxBytes: number
  /** The number of full files to keep besides the current one. */
  readonly keep: number
}

/** Rotates the files under a lock file that excludes other processes. Takes over the lock of a dead process. */
const rotate = (file: string, { keep, maxBytes }: RotationOptions): void => {
  const lock = `${file}.lock`
  try {
    fs.writeFileSync(lock, "", { flag: "wx", mode: 0o600 })
  } catch {
    const age = Date.now() - (fs.lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (Math.abs(age) > 10_000) fs.rmSync(lock, { force: true })
    return
  }
  try {
    if ((fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return
    for (let index = keep; index >= 1; index--) {
      const newer = index === 1 ? file : `${file}.${index - 1}`
      if (fs.existsSync(newer)) fs.renameSync(newer, `${file}.${index}`)
    }
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

/** Converts a string to a single safe line, because control characters could forge lines or control a terminal. */
export const oneLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are removed
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })

/** Whether the last line ends with a line break. A crash or an editor may have left it without one. */
const isEnded = (fd: number): boolean => {
  const { size } = fs.fstatSync(fd)
  const last = Buffer.alloc(1)
  return size === 0 || fs.readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 0x0a
}

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
      write: (...lines) => {
        try {
          if (fd === undefined) return false
          const open = fs.fstatSync(fd)
          const named = fs.lstatSync(file, { throwIfNoEntry: false })
          if (named === undefined || named.ino !== open.ino || named.dev !== open.dev) reopen()
          else if (open.size >= options.maxBytes) {
            rotate(file, options)
            reopen()
          }
          const text = lines.map((line) => `${oneLine(line)}\n`).join("")
          fs.writeFileSync(fd, isEnded(fd) ? text : `\n${text}`)
          return true
        } catch {
          // The disk is full, or the file system is not mounted.
          return false
        }
      },
      close: () => {
        if (fd !== undefined) fs.closeSync(fd)
        fd = undefined
      }
    }
  })
