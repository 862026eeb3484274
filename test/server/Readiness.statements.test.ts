/** The statements of a readiness report, on SQLite and on PostgreSQL. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { Notices } from "../../src/runs/Notices.ts"
import { Instance } from "../../src/server/http/Instance.ts"
import { Readiness } from "../../src/server/Readiness.ts"
import { DaemonLog } from "../../src/telemetry/DaemonLog.ts"
import { keyDocument } from "../support/Acme.ts"
import { statementsOf } from "../support/RecordedTelemetry.ts"
import { services, withHome } from "../support/Services.ts"
import { storeOf } from "../support/StoredConnections.ts"
import { testInstance } from "../support/TestInstance.ts"

const reads = /SELECT (?!count).* FROM "?(?:connections|provider_defaults)|string_agg/
const writes = /^\s*(?:INSERT|UPDATE|DELETE)/

describe("A readiness report", () => {
  it.live("writes nothing and reads no row of a connection, unlike the full report", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const { fullReport, report } = yield* Readiness
        const profile = yield* (yield* Profiles).active
        const store = yield* storeOf(profile)
        for (const name of ["one", "two", "three"]) {
          yield* store({ api_key: `key-${name}` }, { connection: name as ConnectionName })
        }
        // The first report of a state verifies it.
        assert.strictEqual((yield* report).status, "ok")
        const quick = yield* statementsOf(report)
        assert.isNotEmpty(quick)
        assert.deepStrictEqual(quick.filter((text) => reads.test(text) || writes.test(text)), [])
        const full = yield* statementsOf(fullReport)
        assert.isTrue(full.some((text) => reads.test(text)), full.join("\n"))
        assert.isTrue(full.some((text) => writes.test(text)), full.join("\n"))
      }).pipe(
        Effect.provide(Readiness.layerNoDeps.pipe(
          Layer.provide([
            Layer.succeed(Instance, testInstance()),
            Layer.provide(Notices.layerNoDeps(""), DaemonLog.layerSilent)
          ]),
          Layer.provideMerge(services(home))
        ))
      ), keyDocument()))
})
