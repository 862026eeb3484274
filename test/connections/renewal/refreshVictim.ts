/**
 * A process that refreshes once: opens the home given as its first argument, recovers from an earlier crash, resolves
 * the credential at a time, in hours from now, at which the token has expired, and prints it. `RefreshRequests.crashes.test.ts`
 * kills it during the refresh. With a JSON object of tokens as third argument, it stores the connection instead.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { AuditLog } from "../../../src/audit/AuditLog.ts"
import { Connections } from "../../../src/connections/Connections.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { StoreManifest } from "../../../src/vault/manifest/StoreManifest.ts"
import { resolved, runInHome, store } from "./refreshProcess.ts"

const [home = "", hours = "0", seed] = process.argv.slice(2)

const refresh = Effect.gen(function*() {
  const profile = yield* (yield* Profiles).active
  yield* (yield* StoreManifest).verify
  const { ok } = yield* (yield* AuditLog).verify
  const { warnings } = yield* (yield* Connections).selfTest(profile)
  if (!ok || warnings.length > 0) return yield* Effect.die(new Error(`not healthy: ${warnings.join(" ")}`))
  fs.writeSync(1, `${yield* resolved}\n`)
})

if (seed === undefined) await runInHome(home, Number(hours), refresh)
else await runInHome(home, Number(hours), store(JSON.parse(seed)))
