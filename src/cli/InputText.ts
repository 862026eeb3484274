/** Reads stdin or a file as text, up to a size. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { InvalidRequestError } from "../domain/Errors.ts"

interface Source {
  /** Undefined for stdin. */
  readonly file?: string | undefined
  /** The flag that requires the input. Error messages name it. */
  readonly flag: string
  readonly maxKib: number
}

/** Reads the source as text. Fails if it is unreadable or larger than `maxKib`. */
export const readText = ({ file, flag, maxKib }: Source): Effect.Effect<string, InvalidRequestError> =>
  Effect.callback((resume) => {
    const name = file ?? "stdin"
    const stream = file === undefined
      ? fs.createReadStream("", { fd: 0, autoClose: false })
      : fs.createReadStream(file)
    const chunks: Array<Buffer> = []
    let size = 0
    const fail = (message: string) => {
      stream.destroy()
      resume(Effect.fail(InvalidRequestError.of([{ path: flag, message }])))
    }
    stream.on("data", (chunk) => {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > maxKib * 1024) return fail(`${name} is larger than ${maxKib} KiB`)
      chunks.push(bytes)
    })
    stream.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
    stream.on(
      "error",
      ({ code }: NodeJS.ErrnoException) =>
        fail(file === undefined ? "cannot read stdin" : `cannot read ${name} (${code ?? "unknown error"})`)
    )
    return Effect.sync(() => stream.destroy())
  })
