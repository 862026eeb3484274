import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import type { StoredConnection } from "../../../src/connections/ConnectionRepo.ts"
import { makeRefreshLeases } from "../../../src/connections/renewal/RefreshLeases.ts"
import { leaseMillis } from "../../../src/vault/Leases.ts"
import { insertConnection } from "../../support/ConnectionRow.ts"
import { foundation, transact, withHome } from "../../support/Services.ts"

/** The part of a connection that the leases reads. */
const stored = { row: { record_id: "one", generation: 1 } } as StoredConnection

/** The lease of a running process, acquired at this time. */
const lease = (begun: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`INSERT INTO token_refreshes ${
        sql.insert({ ...stored.row, owner: "1- other", deadline: new Date(begun + leaseMillis).toISOString() })
      }`
  )

const withLeases = <A, E>(body: Effect.Effect<A, E, Effect.Services<typeof makeRefreshLeases>>) =>
  withHome((home) =>
    Effect.provide(
      Effect.andThen(transact(insertConnection(stored.row.record_id, "default")), body),
      foundation(home)
    )
  )

describe("RefreshLeases", () => {
  it.effect("compares a lease with the time after it has locked the database, not before", () =>
    withLeases(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const leases = yield* makeRefreshLeases
      const holds = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      // Another process during its own refresh: waiting for its transaction is like waiting for this one.
      const other = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
        yield* Deferred.succeed(holds, undefined)
        yield* Deferred.await(goOn)
        yield* lease(1000)
      })))
      yield* Deferred.await(holds)
      const waiting = yield* Effect.forkChild(leases.begin(stored), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(other)
      assert.strictEqual(yield* Fiber.join(waiting), "taken")
      yield* TestClock.adjust(leaseMillis)
      assert.strictEqual(yield* leases.begin(stored), "again")
    })))
})
