/** A daemon that migrates the tables while an older one uses them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { migrations, schemaVersion, tables } from "../../../src/store/Migrations.ts"
import { withHome } from "../../support/Services.ts"
import { executeOn, queryOn, storeOfHome } from "../../support/TestStore.ts"

/** Opens the store as another daemon does. */
const opened = (home: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`).pipe(Effect.provide(Layer.fresh(storeOfHome(home))))

const versionOf = (home: string) => queryOn(home, "SELECT version FROM schema_version")[0]?.["version"]

/** Takes back the newest migration, so that opening the store migrates it again. */
const makeOlder = (home: string) =>
  executeOn(
    home,
    ...tables.flatMap(({ name, since }) => since === schemaVersion ? [`DROP TABLE ${name}`] : []),
    ...migrations.at(-1)!.statements.flatMap((statement) => {
      const [, table, column] = /^ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(statement) ?? []
      return table === undefined ? [] : [`ALTER TABLE ${table} DROP COLUMN ${column}`]
    }),
    "UPDATE schema_version SET version = version - 1"
  )

const deadline = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

const lease = (key: string, until = deadline(20)) =>
  `INSERT INTO token_refreshes (record_id, generation, owner, deadline) VALUES ('${key}', 1, '7', '${until}')`

const session = `INSERT INTO auth_sessions
  (id_hash, profile, provider, name, flow, status, expires_at, created_at, updated_at, generation, sealed)
  VALUES ('session', 'p', 'p', 'n', 'pkce', 'processing', '', '', '', 1, '')`

/** Runs the body while an older daemon uses the tables of the home. */
const besideOlder = (body: (home: string) => Effect.Effect<void, unknown>) =>
  withHome((home) =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`SELECT 1`
      makeOlder(home)
      yield* body(home)
      assert.strictEqual(versionOf(home), schemaVersion)
    }).pipe(Effect.provide(Layer.fresh(storeOfHome(home))))
  )

describe("A migration of the tables on PostgreSQL", () => {
  const cases = [
    ["refresh", lease("record"), "DELETE FROM token_refreshes"],
    ["step of a login", session, "DELETE FROM auth_sessions"]
  ] as const
  for (const [title, begin, end] of cases) {
    it.live(`waits until an older daemon has stored the response to a ${title}`, () =>
      besideOlder((home) =>
        Effect.gen(function*() {
          executeOn(home, begin)
          const opening = yield* Effect.forkChild(opened(home))
          yield* Effect.sleep("1500 millis")
          assert.strictEqual(versionOf(home), schemaVersion - 1)
          executeOn(home, end)
          yield* Fiber.join(opening)
        })
      ))
  }

  it.live("does not wait for a refresh that is over, or for the polls of a device login", () =>
    besideOlder((home) =>
      Effect.gen(function*() {
        executeOn(home, lease("record", deadline(-1)), lease("device:session", deadline(300)))
        yield* Effect.timeout(opened(home), "20 seconds")
      })
    ))

  it.live("does not wait if no other daemon is left", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* opened(home)
        makeOlder(home)
        executeOn(home, lease("record"), session)
        yield* Effect.timeout(opened(home), "15 seconds")
        assert.strictEqual(versionOf(home), schemaVersion)
      })
    ))
})
