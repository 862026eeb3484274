import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { build } from "../../scripts/build.ts"
import { effect } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

const filesIn = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .toSorted()

effect("the build reproduces the same JavaScript", function*() {
  const out = yield* temporaryDirectory
  const [first, second] = [path.join(out, "first"), path.join(out, "second")]
  for (const directory of [first, second]) yield* Effect.promise(() => build({ out: directory, types: false }))
  assert.deepStrictEqual(filesIn(second), filesIn(first))
  for (const file of filesIn(first)) {
    assert.isTrue(fs.readFileSync(path.join(first, file)).equals(fs.readFileSync(path.join(second, file))), file)
  }
}, 240_000)
