/** Reads all of stdin, for values that must not be passed as arguments. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { InvalidRequestError } from "../domain/Errors.ts"

const maxBytes = 64 * 1024

export const readStdin: Effect.Effect<string, InvalidRequestError> = Effect.callback((resume) => {
  const stream = fs.createReadStream("", { fd: 0, autoClose: false })
  const chunks: Array<Buffer> = []
  let size = 0
  const fail = (message: string) => {
    stream.destroy()
    resume(Effect.fail(InvalidRequestError.of([{ path: "--stdin", message }])))
  }
  stream.on("data", (chunk) => {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) return fail("stdin is larger than 64 KiB")
    chunks.push(bytes)
  })
  stream.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
  stream.on("error", () => fail("cannot read stdin"))
  return Effect.sync(() => stream.destroy())
})
