/**
 * A process that logs in with the refresh token given as its second argument, in the home given as its first, and
 * prints the access token of the connection. Without a token, it finishes the login of an earlier process, and prints
 * `none` if there is no connection. `RefreshTokenFlow.crashes.test.ts` kills it during the login.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import { Connections } from "../../src/connections/Connections.ts"
import { FlowRunner } from "../../src/flows/FlowRunner.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { httpOf, provider, resolved, runAhead } from "../connections/renewal/refreshProcess.ts"
import { main } from "../support/Acme.ts"
import { logins } from "../support/Services.ts"

const [home = "", refreshToken] = process.argv.slice(2)

const unfinished = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.map(sql`SELECT id_hash FROM auth_sessions WHERE status = 'processing'`, (rows) => rows.length > 0)
)

const login = Effect.gen(function*() {
  const runner = yield* FlowRunner
  const connections = yield* Connections
  const profile = yield* (yield* Profiles).active
  yield* (yield* StoreManifest).verify
  if (refreshToken === undefined) { while (yield* unfinished) yield* Effect.sleep("10 millis") }
  else {
    const { sessionId } = yield* runner.start(profile, { provider, flow: "refresh_token" })
    yield* runner.resume(sessionId, { refresh_token: Redacted.make(refreshToken) })
  }
  fs.writeSync(1, `${(yield* connections.exists(profile, provider, main)) ? yield* resolved : "none"}\n`)
})

await runAhead(0, Effect.provide(login, logins(home, httpOf(home))))
