import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { ConfigFile } from "../../src/config/ConfigFile.ts"
import { type DocumentId, Documents } from "../../src/config/Documents.ts"
import { Paths } from "../../src/config/Paths.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

/** The tests get the directory of the custom providers, with one that is older than a tick of the file system's clock. */
const withProviders = testsWith(
  Effect.gen(function*() {
    const home = yield* temporaryDirectory
    const directory = path.join(home, "providers")
    fs.mkdirSync(directory, { mode: 0o700 })
    fs.writeFileSync(path.join(directory, "acme.json"), "{}", { mode: 0o600 })
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 250)))
    return { home, directory }
  }),
  ({ home }) => Documents.layerFiles.pipe(Layer.provide(ConfigFile.layerNoDeps), Layer.provide(Paths.layerHome(home)))
)

const names = Effect.flatMap(
  Documents,
  (documents) => Effect.map(documents.list("provider"), (folder) => [...folder.documents.keys()])
)

const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(() => setImmediate(resolve))))

const beta: DocumentId = { kind: "provider", name: "beta" }

describe("Documents", () => {
  withProviders.live(
    "compares a listing with its directory once in a turn of the event loop",
    function*({ directory }) {
      yield* names
      // The first listing is compared with the directory by the second one.
      assert.deepStrictEqual(yield* names, ["acme"])
      fs.writeFileSync(path.join(directory, "beta.json"), "{}", { mode: 0o600 })
      assert.deepStrictEqual(yield* names, ["acme"])
      yield* nextTurn
      assert.deepStrictEqual(yield* names, ["acme", "beta"])
    }
  )

  withProviders.live("lists a change of its own in the same turn", function*() {
    const documents = yield* Documents
    const list = Effect.andThen(names, names)
    assert.deepStrictEqual(yield* list, ["acme"])
    yield* documents.create(beta, "{}")
    assert.deepStrictEqual(yield* list, ["acme", "beta"])
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 250)))
    assert.deepStrictEqual(yield* list, ["acme", "beta"])
    yield* documents.remove(beta)
    assert.deepStrictEqual(yield* names, ["acme"])
  })
})
