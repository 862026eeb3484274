import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { contentFor } from "../../src/runs/NewRunLimits.ts"
import { limitsOf, type RunContent, RunRows } from "../../src/runs/RunRows.ts"
import { bodyOf } from "../support/RegisteredRun.ts"
import { foundation, withHome } from "../support/Services.ts"

/** The content of a run with a limit of uses, inside another run. */
const contentOf = (id: string, around?: RunContent): RunContent => {
  const registration = { ...JSON.parse(bodyOf()), rules: [] }
  const outer = around === undefined
    ? []
    : [{ content: around, limits: limitsOf(around), stoppedAt: null, frozenAt: null, frozenBy: null }]
  const limits = { ...registration, profile: "main", maxUses: 9, expiresAt: null, strict: false }
  const startedAt = DateTime.makeUnsafe(0)
  return contentFor({
    id,
    registration,
    limits,
    outer,
    process: undefined,
    machine: "",
    host: "",
    keyId: null,
    startedAt
  })
}

describe("RunRows", () => {
  it.live("counts the earlier uses of a run for all of its outer runs too, or registers nothing", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const rows = yield* RunRows
        const sql = yield* SqlClient.SqlClient
        const [outerId, innerId] = ["outer-run-0123456789", "inner-run-0123456789"]
        const outer = contentOf(outerId)
        const registered = rows.put(innerId, "one", contentOf(innerId, outer), 2)
        const usedBy = ({ run: { name } }: RunContent) =>
          Effect.map(sql`SELECT used FROM runs WHERE name = ${name}`, ([row]) => row?.["used"])
        yield* rows.put(outerId, "one", outer, 0)
        // Another use of the outer run would exceed the largest integer, so its row cannot be updated.
        yield* sql`UPDATE runs SET used = 9223372036854775807`
        assert.strictEqual((yield* Effect.flip(registered))._tag, "VaultUnavailableError")
        assert.isUndefined(yield* usedBy(contentOf(innerId, outer)))
        yield* sql`UPDATE runs SET used = 1`
        assert.deepStrictEqual(yield* Effect.all([registered, registered], { concurrency: 2 }), [undefined, undefined])
        assert.deepStrictEqual([yield* usedBy(outer), yield* usedBy(contentOf(innerId, outer))], [3, 2])
      }).pipe(Effect.provide(RunRows.layerNoDeps.pipe(Layer.provideMerge(foundation(home)))))
    ))
})
