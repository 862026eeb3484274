/** Reads whole files with a limit on their size. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import type { Readable } from "node:stream"
import { builtins } from "../builtins.ts"
import { errorCode } from "../ErrorCode.ts"

/** The reason why a file was not read, as the rest of a sentence that begins with the file's name. */
export type Obstacle = string

const obstacles: Readonly<Record<string, Obstacle>> = {
  ENOENT: "does not exist",
  EISDIR: "is a directory",
  ELOOP: "is a symbolic link to a missing file"
}

const obstacleOf = (code: string): Obstacle => obstacles[code] ?? `cannot be read (${code})`

const tooLarge = (maxBytes: number): Obstacle =>
  `is larger than ${maxBytes < 1024 * 1024 ? `${maxBytes / 1024} KiB` : `${maxBytes / 1024 / 1024} MiB`}`

/** Opens a file without waiting for the writer of a pipe: a waiting thread would keep this process from ending. */
const open = (file: string, flags = 0): Result.Result<number, string> =>
  Result.try({
    try: () => fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | flags),
    catch: errorCode
  })

/** Returns the number of the open descriptor that a path such as /dev/stdin names, or undefined for other paths. */
const descriptorOf = (file: string): number | undefined => {
  if (file === "/dev/stdin") return 0
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,4})$/.exec(file)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Reads a file up to its end. Ignores the reported size, which is zero for files in /proc, and which may grow meanwhile. */
const readAll = (fd: number, maxBytes: number): Result.Result<Buffer, Obstacle> => {
  const bytes = Buffer.alloc(maxBytes + 1)
  let length = 0
  try {
    for (;;) {
      const read = fs.readSync(fd, bytes, length, bytes.length - length, null)
      length += read
      if (length > maxBytes) return Result.fail(tooLarge(maxBytes))
      if (read === 0) return Result.succeed(bytes.subarray(0, length))
    }
  } catch (cause) {
    return Result.fail(obstacleOf(errorCode(cause)))
  }
}

/** Reads a stream to its end. */
export const readStream = (stream: Readable, maxBytes: number): Effect.Effect<Buffer, Obstacle> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    const end = (result: Effect.Effect<Buffer, Obstacle>): void => {
      stream.destroy()
      resume(result)
    }
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) end(Effect.fail(tooLarge(maxBytes)))
      else chunks.push(chunk)
    })
    stream.on("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
    stream.on("error", (cause) => end(Effect.fail(obstacleOf(errorCode(cause)))))
    return Effect.sync(() => stream.destroy())
  })

/** Reads a regular file. With `device`, it must be on this device and no symbolic link, because its directory may be hostile. */
export const readRegular = (file: string, maxBytes: number, device?: number): Result.Result<Buffer, Obstacle> => {
  const opened = open(file, device === undefined ? 0 : fs.constants.O_NOFOLLOW ?? 0)
  if (Result.isFailure(opened)) return Result.fail(obstacleOf(opened.failure))
  const fd = opened.success
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) return Result.fail("is not a regular file")
    if (device !== undefined && stat.dev !== device) return Result.fail("is on another device")
    return readAll(fd, maxBytes)
  } finally {
    fs.closeSync(fd)
  }
}

/** Reads a file, a pipe such as a shell's `<(…)`, or a device, to its end. */
export const readBounded = (file: string, maxBytes: number): Effect.Effect<Buffer, Obstacle> =>
  Effect.suspend(() => {
    const opened = open(file)
    if (Result.isFailure(opened)) {
      // Only a socket cannot be opened again, for example if it is the stdin of a program that another program has started.
      const own = opened.failure === "ENXIO" ? descriptorOf(file) : undefined
      return own === undefined
        ? Effect.fail(obstacleOf(opened.failure))
        : readStream(fs.createReadStream("", { fd: own, autoClose: false }), maxBytes)
    }
    const fd = opened.success
    if (fs.fstatSync(fd).isFIFO()) {
      return readStream(new builtins.net.Socket({ fd, readable: true, writable: false }), maxBytes)
    }
    const read = readAll(fd, maxBytes)
    fs.closeSync(fd)
    return Effect.fromResult(read)
  })
