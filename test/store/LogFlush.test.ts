import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as path from "node:path"
import { Store } from "../../src/store/Store.ts"
import { insertConnection } from "../support/ConnectionRow.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

/** The flushes that the store has asked for. Each waits until the test ends it. */
const heldFlushes = Effect.acquireRelease(
  Effect.sync(() => {
    const { fdatasync } = fs
    const held: Array<(error: NodeJS.ErrnoException | null) => void> = []
    const hold = (_fd: number, done: (error: NodeJS.ErrnoException | null) => void): void => void held.push(done)
    fs.fdatasync = hold as typeof fs.fdatasync
    syncBuiltinESMExports()
    return { held, fdatasync }
  }),
  ({ fdatasync }) =>
    Effect.sync(() => {
      fs.fdatasync = fdatasync
      syncBuiltinESMExports()
    })
)

const inStore = testsWith(
  Effect.gen(function*() {
    const file = path.join(yield* temporaryDirectory, "server", "credsvc.db")
    return { file, ...yield* heldFlushes }
  }),
  ({ file }) => Store.layerFile(file, path.dirname(file))
)

const count = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly count: number }>`SELECT count(*) AS count FROM connections`
)

const level = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.map(sql<{ readonly synchronous: number }>`PRAGMA synchronous`, ([row]) => row?.synchronous)
)

const FULL = 2
const NORMAL = 1

const turns = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))

describe("a transaction", () => {
  inStore.live("ends when its log is flushed, and nothing reads it before", function*({ held }) {
    const sql = yield* SqlClient.SqlClient
    const write = yield* Effect.forkScoped(sql.withTransaction(insertConnection("r", "default")))
    while (held.length === 0) yield* turns
    const read = yield* Effect.forkScoped(count)
    yield* turns
    assert.isUndefined(write.pollUnsafe())
    assert.isUndefined(read.pollUnsafe())
    held[0]!(null)
    yield* Fiber.join(write)
    assert.deepStrictEqual(yield* Fiber.join(read), [{ count: 1 }])
    assert.lengthOf(held, 1)
  })

  inStore.live("fails if its log cannot be flushed, and the next one succeeds", function*({ file, held }) {
    const sql = yield* SqlClient.SqlClient
    const first = yield* Effect.forkScoped(Effect.flip(sql.withTransaction(insertConnection("r", "default"))))
    while (held.length === 0) yield* turns
    held[0]!(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }))
    const { reason } = yield* Fiber.join(first)
    assert.strictEqual(reason.message, `${file}-wal could not be written to the disk (EIO)`)
    const next = yield* Effect.forkScoped(sql.withTransaction(insertConnection("s", "work")))
    while (held.length === 1) yield* turns
    held[1]!(null)
    yield* Fiber.join(next)
  })

  inStore.live("is not flushed if it has changed nothing", function*({ held }) {
    const sql = yield* SqlClient.SqlClient
    assert.deepStrictEqual(yield* sql.withTransaction(count), [{ count: 0 }])
    assert.isEmpty(held)
  })

  inStore.live(
    "does not change how SQLite flushes statements outside of transactions, even after a rollback",
    function*({ held }) {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* level, FULL)
      assert.strictEqual(yield* sql.withTransaction(level), NORMAL)
      assert.strictEqual(yield* level, FULL)
      yield* Effect.flip(sql.withTransaction(Effect.andThen(insertConnection("r", "default"), Effect.fail("undone"))))
      assert.strictEqual(yield* level, FULL)
      yield* insertConnection("r", "default")
      assert.deepStrictEqual(yield* count, [{ count: 1 }])
      assert.isEmpty(held)
    }
  )
})
