import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { InvalidRequestError } from "../../domain/Errors.ts"

const maxBytes = 256 * 1024

export const refused = (message: string) => InvalidRequestError.of([{ path: "<path>", message }])

/** Opens the file once and checks the open descriptor: rejects devices, pipes and huge files before reading a byte. */
export const readDefinition = (path: string): Effect.Effect<string, InvalidRequestError> =>
  Effect.suspend(() => {
    let fd: number
    try {
      fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      return Effect.fail(refused(
        code === "ENOENT" ? `file not found: ${path}` : `cannot read ${path} (${code ?? "unknown error"})`
      ))
    }
    try {
      const stat = fs.fstatSync(fd)
      if (!stat.isFile()) return Effect.fail(refused(`${path} is not a regular file`))
      if (stat.size > maxBytes) return Effect.fail(refused(`${path} is larger than 256 KiB`))
      const bytes = Buffer.alloc(maxBytes + 1)
      let length = 0
      // The reported size is unreliable: it is zero for files in /proc, and the file may grow while it is read.
      for (;;) {
        const read = fs.readSync(fd, bytes, length, bytes.length - length, null)
        length += read
        if (length > maxBytes) return Effect.fail(refused(`${path} is larger than 256 KiB`))
        if (read === 0) return Effect.succeed(bytes.toString("utf8", 0, length))
      }
    } catch (cause) {
      return Effect.fail(
        refused(`cannot read ${path} (${(cause as NodeJS.ErrnoException).code ?? "unknown error"})`)
      )
    } finally {
      fs.closeSync(fd)
    }
  })
