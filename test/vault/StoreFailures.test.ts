import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { FlowKind } from "../../src/domain/wire/ProviderName.ts"
import { SharedAccess } from "../../src/store/Store.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { storeUnavailable } from "../../src/vault/StoreFailures.ts"
import { rowsOf } from "../../src/vault/StoreRows.ts"
import { effect } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { started } from "./support.ts"

const write = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  for (let index = 0; index < 100; index++) {
    yield* manifest.transact(sql`INSERT OR REPLACE INTO meta VALUES ('filler', ${"x".repeat(10_000 + index)})`)
  }
})

/** Runs the statements and returns the error message of a subsequent change. */
const messageAfter = (...statements: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.flatMap(StoreManifest, ({ verified }) => verified("rows"))
    for (const statement of statements) yield* sql.unsafe(statement)
    const error = yield* Effect.flip(write)
    return error._tag === "VaultUnavailableError" ? error.detail : error._tag
  })

describe("Store error message", () => {
  it.effect("mentions another program if the store is locked", () =>
    Effect.gen(function*() {
      const home = yield* temporaryDirectory
      yield* started(home)(Effect.gen(function*() {
        yield* Effect.flatMap(StoreManifest, ({ verified }) => verified("rows"))
        const other = new DatabaseSync(path.join(home, "server", "credsvc.db"))
        other.exec("BEGIN IMMEDIATE")
        const message = yield* messageAfter("PRAGMA busy_timeout = 0")
        other.close()
        assert.include(message, "Another program holds a lock on the store.")
        yield* write
      }))
    }).pipe(Effect.provideService(SharedAccess, true)))

  effect("mentions the disk if it is full", function*() {
    yield* started(yield* temporaryDirectory)(Effect.gen(function*() {
      assert.include(yield* messageAfter("PRAGMA max_page_count = 1"), "The disk is full")
    }))
  })

  effect("mentions permissions if the store is read-only", function*() {
    yield* started(yield* temporaryDirectory)(Effect.gen(function*() {
      assert.include(yield* messageAfter("PRAGMA query_only = ON"), "The store cannot be written.")
    }))
  })

  effect("reports a row of another shape as damage, without showing it", function*() {
    yield* started(yield* temporaryDirectory)(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = rowsOf(Schema.Struct({ flow: FlowKind }))
      assert.deepStrictEqual(yield* rows(sql`SELECT 'pkce' AS flow, 1 AS other`), [{ flow: "pkce" }])
      const error = yield* Effect.flip(rows(sql`SELECT 'CANARY' AS flow`))
      assert.include(error.detail, "The store is damaged.")
      assert.notInclude(JSON.stringify(error), "CANARY")
    }))
  })

  const cases = [
    ["an input/output error", 10 | (12 << 8), "reports an input/output error"],
    ["a damaged file", 11 | (1 << 8), "The store is damaged."],
    ["a file that is not a database", 26, "The store is damaged."],
    ["anything else", 1, "could not be read or written: no such table: t."]
  ] as const
  for (const [what, errcode, expected] of cases) {
    it(`describes ${what}`, () => {
      const cause = Object.assign(new Error("no such table: t"), { errcode, errno: errcode })
      const reason = SqlError.classifySqliteError(cause, { message: cause.message, operation: "execute" })
      assert.include(storeUnavailable(new SqlError.SqlError({ reason })).detail, expected)
    })
  }
})
