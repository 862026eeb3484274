/** A server that only replays what another one has written, to which an address may lead during a failover. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { parseDatabaseUrl } from "../../src/store/postgres/DatabaseUrl.ts"
import { postgresLayer } from "../../src/store/postgres/PostgresStore.ts"
import { Store } from "../../src/store/Store.ts"
import { startCluster } from "../support/postgres/Cluster.ts"
import { programsDirectory } from "../support/postgres/Installation.ts"
import { eventually } from "../support/Until.ts"

describe("A standby", () => {
  it("is refused, leaves no open connection, and is used after its promotion", async () => {
    const cluster = await startCluster()
    const query = (sql: string) =>
      execFileSync(
        path.join(programsDirectory()!, "psql"),
        ["-h", cluster.directory, "-U", "credsvc", "-Atc", sql, "postgres"],
        { encoding: "utf8" }
      ).trim()
    try {
      await cluster.restart(
        "fast",
        async () => fs.writeFileSync(path.join(cluster.directory, "data/standby.signal"), "")
      )
      assert.strictEqual(query("SELECT pg_is_in_recovery()"), "t")
      const url = `postgres:///postgres?host=${cluster.directory}&user=credsvc`
      const used = Effect.gen(function*() {
        const { check } = yield* Store
        const { message } = yield* Effect.flip(check)
        assert.include(message, "is a standby, or its configuration allows only reading")
        const ours = query("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'credsvc on %'")
        assert.strictEqual(ours, "0")
        assert.strictEqual(query("SELECT pg_promote()"), "t")
        yield* eventually(Effect.isSuccess(check), (isUsable) => isUsable)
      })
      await Effect.runPromise(
        Effect.provide(used, Layer.fresh(postgresLayer(Result.getOrThrow(parseDatabaseUrl(url)), "shared")))
      )
    } finally {
      await cluster.stop()
    }
  })
})
