import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { openRotatingFile } from "../../../src/platform/files/RotatingFile.ts"
import { effect } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"

const opened = (options: { readonly keep: number; readonly maxBytes: number }) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const file = path.join(directory, "log")
    const open = Effect.acquireRelease(openRotatingFile(file, options), (log) => Effect.sync(() => log.close()))
    return { file, open, contents: () => fs.readdirSync(directory).map((name) => [name, read(directory, name)]) }
  })

const read = (directory: string, name: string) => fs.readFileSync(path.join(directory, name), "utf8")

describe("RotatingFile", () => {
  effect("renames a full file and deletes the oldest one", function*() {
    const { contents, open } = yield* opened({ keep: 2, maxBytes: 4 })
    const log = yield* open
    for (const line of ["one", "two", "three", "four"]) assert.isTrue(log.write(line))
    assert.deepStrictEqual(contents(), [["log", "four\n"], ["log.1", "three\n"], ["log.2", "two\n"]])
    assert.deepStrictEqual(log.files().map((file) => path.basename(file)), ["log.2", "log.1", "log"])
  })

  effect("follows a file that another writer has rotated, and does not rotate it again", function*() {
    const { contents, open } = yield* opened({ keep: 2, maxBytes: 4 })
    const [one, other] = [yield* open, yield* open]
    one.write("one")
    other.write("two")
    one.write("!")
    assert.deepStrictEqual(contents(), [["log", "two\n!\n"], ["log.1", "one\n"]])
  })

  effect("keeps appending while another process rotates, and takes over the lock of a killed process", function*() {
    const { contents, file, open } = yield* opened({ keep: 1, maxBytes: 4 })
    const log = yield* open
    log.write("one")
    // The clock may have been set back since.
    for (const age of [11, -11]) {
      fs.writeFileSync(`${file}.lock`, "")
      log.write("two")
      assert.deepInclude(contents(), ["log", "one\ntwo\n"])
      const old = Date.now() / 1000 - age
      fs.utimesSync(`${file}.lock`, old, old)
      log.write("three")
      log.write("one")
      assert.deepStrictEqual(contents(), [["log", "one\n"], ["log.1", "one\ntwo\nthree\n"]])
    }
  })

  effect("writes each entry as one line without control characters", function*() {
    const { contents, open } = yield* opened({ keep: 1, maxBytes: 100 })
    ;(yield* open).write("a\nb", "c\u001b[2J")
    assert.deepStrictEqual(contents(), [["log", "a\\u000ab\nc\\u001b[2J\n"]])
  })
})
