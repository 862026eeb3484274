/** Reads the end of a log file without reading the rest. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { Output } from "./Output.ts"
import { sanitizeLine } from "./Sanitize.ts"

const block = 64 * 1024

/** Returns at most `count` lines; none if the file is absent or not a regular file. */
const lastLines = (file: string, count: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.sync(() => {
    let fd: number
    try {
      fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
    } catch {
      return []
    }
    try {
      const stat = fs.fstatSync(fd)
      if (!stat.isFile()) return []
      let start = stat.size
      let newlines = 0
      const blocks: Array<Buffer> = []
      // Needs one more newline than lines, because the last line ends with a newline.
      while (start > 0 && newlines <= count) {
        const length = Math.min(block, start)
        start -= length
        const bytes = Buffer.alloc(length)
        fs.readSync(fd, bytes, 0, length, start)
        for (const byte of bytes) if (byte === 10) newlines++
        blocks.unshift(bytes)
      }
      const lines = Buffer.concat(blocks).toString("utf8").split("\n")
      if (lines.at(-1) === "") lines.pop()
      return lines.slice(-count)
    } finally {
      fs.closeSync(fd)
    }
  })

/** Prints the last lines of a log, and tells whether there are none. */
export const showLines = Effect.fnUntraced(function*(file: string, count: number) {
  const output = yield* Output
  const lines = yield* lastLines(file, count)
  if (output.json) yield* output.document(lines)
  else if (lines.length > 0) yield* output.data(lines.map(sanitizeLine).join("\n"))
  return lines.length === 0
})
