/**
 * A process that rotates the keys of a home: checks every secret, rotates, checks again, and prints the generation.
 * `KeyRotation.crashes.test.ts` kills it, and makes its system calls fail. With a number as second argument, it stores so many
 * connections instead.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as fs from "node:fs"
import { AuditLog } from "../../../src/audit/AuditLog.ts"
import { Connections } from "../../../src/connections/Connections.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { KeyRotation } from "../../../src/vault/keys/KeyRotation.ts"
import { StoreManifest } from "../../../src/vault/manifest/StoreManifest.ts"
import { acme } from "../../support/Acme.ts"
import { services } from "../../support/Services.ts"
import { storeOf } from "../../support/StoredConnections.ts"

const [home = "", seed] = process.argv.slice(2)

const program = Effect.gen(function*() {
  const audit = yield* AuditLog
  const connections = yield* Connections
  const manifest = yield* StoreManifest
  const rotation = yield* KeyRotation
  const profile = yield* (yield* Profiles).active
  if (seed !== undefined) {
    const save = yield* storeOf(profile)
    for (let number = 0; number < Number(seed); number++) {
      const name = `c${number}` as ConnectionName
      yield* save({ api_key: `CANARY-${name}` }, { connection: name })
    }
    return
  }
  const check = Effect.gen(function*() {
    const stored = yield* connections.list(profile)
    for (const { connectionName: connection } of stored) {
      const { apiKey } = yield* connections.get(profile, acme, connection, { reveal: true })
      if (apiKey === undefined || Redacted.value(apiKey) !== `CANARY-${connection}`) {
        return yield* Effect.die(new Error(`the secret of ${connection} was lost`))
      }
    }
    yield* manifest.verify
    const { brokenAt } = yield* audit.verify
    if (brokenAt !== null) return yield* Effect.die(new Error(`the audit log is broken at ${brokenAt}`))
    return stored.length
  })
  const count = yield* check
  const record = audit.append({
    event: "vault-rotate",
    provider: null,
    connection: null,
    identity: profile,
    status: "ok"
  })
  const { keys } = yield* rotation.rotate({ newKey: Option.none(), record })
  if ((yield* check) !== count) return yield* Effect.die(new Error("a connection was lost"))
  fs.writeSync(1, `${JSON.stringify({ generation: keys.generation, count })}\n`)
})

await Effect.runPromise(
  Effect.provide(program, services(home)).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
)
