import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { keyDocument } from "../support/Acme.ts"
import { noNetwork } from "../support/FakeOAuthHttp.ts"
import { statementsOf } from "../support/RecordedTelemetry.ts"
import { replicaOf } from "../support/Replicas.ts"
import { services, withHome } from "../support/Services.ts"
import { storeOf } from "../support/StoredConnections.ts"
import { storeOfHome } from "../support/TestStore.ts"

/** A resolve that was made before, and the statements of the next one. */
const warm = Effect.gen(function*() {
  const profiles = yield* Profiles
  const connections = yield* Connections
  const profile = yield* profiles.active
  yield* (yield* storeOf(profile))({ api_key: "CANARY" })
  const resolve = Effect.andThen(
    profiles.find(profile),
    connections.resolve(profile, { host: "api.acme.example" }, { run: Option.some("run") })
  )
  yield* Effect.repeat(resolve, { times: 2 })
  const statements = Effect.map(statementsOf(resolve), (texts) => texts.map((text) => text.slice(0, 60)))
  return { profile, statements }
})

describe("A warm resolve on PostgreSQL", () => {
  it.live("reads the manifest once for any number of connections, and writes nothing", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const { statements } = yield* warm
        const found = yield* statements
        assert.lengthOf(found, 1, found.join("\n"))
        assert.include(found[0], "FROM manifest")
      }).pipe(Effect.provide(services(home))), keyDocument()))

  it.live("reads connections only after another daemon has changed one", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const { profile, statements } = yield* warm
        const readsConnections = Effect.map(statements, (found) => {
          assert.notInclude(found.join("\n"), "count(*)", "counts the rows of a log")
          return found.some((text) => text.startsWith("SELECT * FROM \"connections\""))
        })
        const other = yield* replicaOf(home)
        yield* Effect.gen(function*() {
          const audit = yield* AuditLog
          const store = yield* storeOf(profile)
          yield* audit.append(
            { event: "list", provider: null, connection: null, identity: profile, status: "ok" } as never
          )
          assert.isFalse(yield* readsConnections)
          yield* store({ api_key: "CANARY-2" }, { force: true })
          assert.isTrue(yield* readsConnections)
        }).pipe(Effect.provide(services(other, BundledProviders.layer, noNetwork, storeOfHome(home)), { local: true }))
      }).pipe(Effect.provide(services(home))), keyDocument()))
})
