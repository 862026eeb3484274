import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { Paths } from "../../../src/config/Paths.ts"
import { Settings } from "../../../src/config/Settings.ts"
import { StoreChanges } from "../../../src/platform/store/StoreChanges.ts"
import { configuredStore } from "../../../src/store/ConfiguredStore.ts"
import { schemaVersion } from "../../../src/store/Migrations.ts"
import { parseDatabaseUrl } from "../../../src/store/postgres/DatabaseUrl.ts"
import { postgresLayer } from "../../../src/store/postgres/PostgresStore.ts"
import { Store } from "../../../src/store/Store.ts"
import { loseCommits } from "../../support/CommitLosingServer.ts"
import { insertConnection } from "../../support/ConnectionRow.ts"
import { testsWith } from "../../support/Fixture.ts"
import { disconnect } from "../../support/Replicas.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { databaseUrlOf, executeOn, queryOn, schemaOf, storeOfHome } from "../../support/TestStore.ts"

const inHome = testsWith(temporaryDirectory)
const inStore = testsWith(temporaryDirectory, storeOfHome)

const check = Effect.flatMap(Store, (store) => store.check)
const opened = (home: string) => Effect.provide(check, Layer.fresh(storeOfHome(home)))
const count = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ n: number }>`SELECT count(*) AS n FROM connections`)

describe("The store on PostgreSQL", () => {
  inStore.effect("has the tables of the SQLite store, and returns integers as numbers", function*() {
    yield* insertConnection("one", "default")
    assert.deepStrictEqual(yield* count, [{ n: 1 }])
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql`SELECT * FROM connections`
    assert.deepInclude(row, { name: "default", generation: 1, sealed: new Uint8Array([1]) })
  })

  inStore.effect("runs one write transaction at a time", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* insertConnection("one", "default")
    const increment = sql.withTransaction(Effect.gen(function*() {
      const [row] = yield* sql<{ generation: number }>`SELECT generation FROM connections`
      yield* sql`UPDATE connections SET generation = ${row!.generation + 1}`
    }))
    yield* Effect.all(Array.from({ length: 20 }, () => increment), { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* sql`SELECT generation FROM connections`, [{ generation: 21 }])
  })

  inHome.live("is used by several daemons, but not while the store is moved", function*(home) {
    const uses = (use: "alone" | "shared") => Effect.provide(check, Layer.fresh(storeOfHome(home, use)))
    yield* Effect.scoped(Effect.gen(function*() {
      const first = yield* Layer.build(storeOfHome(home))
      yield* Effect.provideContext(check, first)
      yield* uses("shared")
      const { message } = yield* Effect.flip(uses("alone"))
      assert.match(message, /^a daemon \(credsvc on .+\) uses the database at .+; stop it first$/)
    }))
    yield* Effect.scoped(Effect.gen(function*() {
      yield* Effect.provideContext(check, yield* Layer.build(storeOfHome(home, "alone")))
      const { message } = yield* Effect.flip(uses("shared"))
      assert.match(message, /^credsvc admin restore \(.+\) uses the database at .+; wait until it has ended$/)
    }))
    yield* uses("shared")
  })

  inStore.live("connects again after its connections were closed, and acquires its lock again", function*(home) {
    yield* count
    assert.strictEqual(disconnect(home), 1)
    // Until the daemon has noticed it, statements work: every transaction locks the tables by itself.
    const isLocked = Effect.sync(() =>
      queryOn(
        home,
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = (hashtext('${
          schemaOf(home)
        }')::bigint & 4294967295)::oid`
      ).length === 1
    )
    while (!(yield* Effect.andThen(Effect.ignore(count), isLocked))) yield* Effect.sleep(20)
    assert.deepStrictEqual(yield* count, [{ n: 0 }])
  })

  inHome.live("gives up on a server that sends no bytes, even while it checks the schema", function*(home) {
    const database = yield* Effect.acquireRelease(
      Effect.promise(() => loseCommits(home, databaseUrlOf(home))),
      (server) => Effect.promise(server.close)
    )
    const context = yield* Layer.build(postgresLayer(Result.getOrThrow(parseDatabaseUrl(database.url)), "shared"))
    const { unexpectedSchema } = Context.get(context, StoreChanges)
    assert.isUndefined(yield* unexpectedSchema)
    database.stall()
    const began = performance.now()
    yield* Effect.flip(unexpectedSchema)
    assert.isBelow(performance.now() - began, 30_000)
    database.resume()
  })

  inHome.effect("rejects the schema of a newer version, and does not change it", function*(home) {
    yield* opened(home)
    executeOn(home, "UPDATE schema_version SET version = version + 1")
    const { message } = yield* Effect.flip(opened(home))
    assert.include(message, `schema ${schemaVersion + 1}, this version supports ${schemaVersion}`)
  })

  inHome.effect("names what is wrong, without the password", function*(home) {
    const failure = (url: string) =>
      Effect.flip(check).pipe(
        Effect.map(({ message }) => message),
        Effect.provide(configuredStore.pipe(
          Layer.provide(Paths.layerHome(home)),
          Layer.provide(Settings.layerOf({ home, databaseUrl: Option.some(Redacted.make(url)) }))
        )),
        Effect.catchTag("StoreError", ({ message }) => Effect.succeed(message))
      )
    assert.include(yield* failure("postgres://me:CANARY@127.0.0.1:1/team"), "127.0.0.1/team cannot be used")
    assert.include(
      yield* failure(databaseUrlOf(home).replace("/postgres?", "/missing?")),
      "database \"missing\" does not exist"
    )
    assert.include(yield* failure(databaseUrlOf(home).replace("=credsvc", "=nobody")), "rejected the user")
    assert.strictEqual(
      yield* failure("https://CANARY@example.com"),
      "invalid value for CREDSVC_DATABASE_URL: expected a URL such as postgres://user:password@host/database"
    )
    assert.notInclude(yield* failure("postgres://me:CANARY@127.0.0.1:1/team"), "CANARY")
  })

  inHome.effect("reads the URL from a file", function*(home) {
    const file = path.join(home, "url")
    const using = Layer.fresh(configuredStore).pipe(
      Layer.provide(Paths.layerHome(home)),
      Layer.provide(Settings.layerOf({ home, databaseUrlFile: Option.some(file) }))
    )
    assert.include(
      (yield* Effect.flip(Effect.provide(check, using))).message,
      `the file of CREDSVC_DATABASE_URL_FILE, ${file}, does not exist`
    )
    fs.writeFileSync(file, `${databaseUrlOf(home)}\n`)
    yield* Effect.provide(insertConnection("one", "default"), using)
    assert.lengthOf(queryOn(home, "SELECT * FROM connections"), 1)
  })
})
