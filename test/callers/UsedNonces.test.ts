import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { vi } from "vitest"
import { replayWindow, UsedNonces } from "../../src/callers/UsedNonces.ts"
import { foundation, withHome } from "../support/Services.ts"
import { onPostgres } from "../support/TestStore.ts"

const created = Math.floor(Date.now() / 1000)
const recent = { keyid: "key", nonce: "recent", created }

const layerOf = (home: string) => UsedNonces.layerNoDeps.pipe(Layer.provideMerge(foundation(home)))

describe("UsedNonces", () => {
  it.live("accepts a nonce once, unless it is stale by the clock of the database, which also deletes old nonces", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const { use } = yield* UsedNonces
        const sql = yield* SqlClient.SqlClient
        const stale = { keyid: "key", nonce: "stale", created: created - replayWindow - 5 }
        yield* sql`INSERT INTO used_nonces VALUES ('key', 'old', ${created - 2 * replayWindow - 5})`
        for (const outcome of ["fresh", "used"]) assert.strictEqual(yield* use(recent), outcome)
        for (const outcome of ["stale", "used"]) assert.strictEqual(yield* use(stale), outcome)
        assert.strictEqual(yield* use({ ...recent, keyid: "other" }), "fresh")
        const kept = yield* sql`SELECT DISTINCT nonce FROM used_nonces ORDER BY nonce`
        assert.deepStrictEqual(kept.map(({ nonce }) => nonce), ["recent", "stale"])
      }).pipe(Effect.provide(layerOf(home)))
    ))

  // The clock of PostgreSQL is not that of this process.
  it.effect.skipIf(onPostgres)(
    "accepts no used nonce again if the clock was ahead and is set back",
    () =>
      withHome((home) =>
        Effect.gen(function*() {
          const { use } = yield* UsedNonces
          const clock = vi.spyOn(Date, "now").mockReturnValue((created + 3 * replayWindow) * 1000)
          yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
          yield* use(recent)
          clock.mockReturnValue(created * 1000)
          assert.strictEqual(yield* use(recent), "stale")
          assert.strictEqual(yield* use({ ...recent, created: created + 1 }), "fresh")
        }).pipe(Effect.provide(layerOf(home)))
      )
  )
})
