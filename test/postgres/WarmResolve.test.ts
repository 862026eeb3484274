import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Connections } from "../../src/connections/Connections.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { keyDocument } from "../support/Acme.ts"
import { recordTelemetry } from "../support/RecordedTelemetry.ts"
import { services, withHome } from "../support/Services.ts"
import { storeOf } from "../support/StoredConnections.ts"

describe("A warm resolve on PostgreSQL", () => {
  it.effect("verifies the store once, reads nothing else, and writes nothing", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        const connections = yield* Connections
        const profile = yield* profiles.active
        yield* (yield* storeOf(profile))({ api_key: "CANARY" })
        const resolve = Effect.andThen(
          profiles.find(profile),
          connections.resolve(profile, { host: "api.acme.example" }, { run: Option.some("run") })
        )
        yield* Effect.repeat(resolve, { times: 2 })
        const { run, spans } = recordTelemetry()
        yield* run(resolve)
        const statements = spans.flatMap(({ attributes }) => {
          const text = attributes.get("db.query.text")
          return typeof text === "string" ? [text.slice(0, 60)] : []
        })
        assert.lengthOf(statements, 1, statements.join("\n"))
        assert.include(statements[0], "SELECT 'catalog' AS part")
      }).pipe(Effect.provide(services(home))), keyDocument()))
})
