/** PgBouncer in front of PostgreSQL, which would exchange the sessions that hold locks. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { parseDatabaseUrl } from "../../src/store/postgres/DatabaseUrl.ts"
import { postgresLayer } from "../../src/store/postgres/PostgresStore.ts"
import { Store } from "../../src/store/Store.ts"
import { until } from "../support/Until.ts"

const program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((file) => fs.existsSync(file))
if (program === undefined) {
  console.warn("SKIPPED: the tests behind PgBouncer need pgbouncer (scripts/setup --part=replicas)")
}

const parameters = [
  "extra_float_digits",
  "search_path",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "statement_timeout",
  "synchronous_commit",
  "tcp_keepalives_idle",
  "tcp_keepalives_interval",
  "tcp_keepalives_count",
  "default_transaction_read_only",
  "transaction_read_only",
  "synchronize_seqscans",
  "max_parallel_workers_per_gather"
]

describe.runIf(program !== undefined)("PgBouncer", () => {
  for (const mode of ["transaction", "session"]) {
    for (const ignored of [[], parameters]) {
      it(`in ${mode} mode is refused with the reason${ignored.length > 0 ? ", even if it ignores settings" : ""}`, async () => {
        const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bouncer-"))
        const file = path.join(directory, "bouncer.ini")
        const server = process.env["CREDSVC_TEST_POSTGRES_SOCKET"]!
        const settings = [
          "[databases]",
          `* = host=${server} user=credsvc`,
          "[pgbouncer]",
          `unix_socket_dir = ${directory}`,
          "listen_port = 5432",
          "auth_type = any",
          `pool_mode = ${mode}`,
          ...ignored.length > 0 ? [`ignore_startup_parameters = ${ignored.join(",")}`] : []
        ]
        fs.writeFileSync(file, `${settings.join("\n")}\n`)
        // It does not run as root. The user of the server gets to its socket.
        const asOther = process.getuid?.() === 0 ? ["-u", "postgres"] : []
        if (asOther.length > 0) spawnSync("chown", ["-R", "postgres", directory])
        const bouncer = spawn(program!, [...asOther, file], { stdio: "ignore" })
        const ended = new Promise((resolve) => bouncer.once("close", resolve))
        onTestFinished(async () => {
          bouncer.kill("SIGKILL")
          await ended
          fs.rmSync(directory, { recursive: true })
        })
        await until(() => fs.existsSync(path.join(directory, ".s.PGSQL.5432")))
        const address = Result.getOrThrow(parseDatabaseUrl(`postgres:///postgres?host=${directory}&user=credsvc`))
        const error = await Effect.runPromise(
          Effect.flatMap(Store, ({ check }) => Effect.flip(check)).pipe(
            Effect.provide(Layer.fresh(postgresLayer(address, "shared")))
          )
        )
        assert.include(error.message, "set CREDSVC_DATABASE_URL to the address of PostgreSQL itself")
      })
    }
  }
})
