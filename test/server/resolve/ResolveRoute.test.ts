import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Connections } from "../../../src/connections/Connections.ts"
import type { ConnectionName } from "../../../src/domain/Connection.ts"
import type { ProfileHandle } from "../../../src/domain/Profile.ts"
import type { ProviderName } from "../../../src/domain/Provider.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { DaemonLog } from "../../../src/server/DaemonLog.ts"
import * as ResolveRoute from "../../../src/server/resolve/ResolveRoute.ts"

const stamp = { definitions: {}, connections: {}, foreign: 1 }

type Resolved = Effect.Success<ReturnType<Connections["Service"]["resolve"]>>

/** The number of resolutions for two equal questions of one run. */
const resolutionsOf = (credential: Pick<Resolved, "expiresAt" | "refreshDueAt">) =>
  Effect.gen(function*() {
    let resolutions = 0
    const answer: Resolved = {
      provider: "acme" as ProviderName,
      connection: "default" as ConnectionName,
      headers: { Authorization: Redacted.make("Bearer t") },
      query: {},
      defaults: {},
      strip: { headers: [], query: [] },
      issuedAt: DateTime.makeUnsafe(0),
      refreshable: true,
      ...credential
    }
    const resolve = yield* ResolveRoute.make.pipe(
      Effect.provideService(
        Connections,
        {
          knownStamp: () => stamp,
          resolve: () =>
            Effect.sync(() => {
              resolutions++
              return answer
            })
        } as unknown as Connections["Service"]
      ),
      Effect.provideService(
        Profiles,
        {
          find: () => Effect.succeed("me" as ProfileHandle)
        } as unknown as Profiles["Service"]
      ),
      Effect.provideService(DaemonLog, {} as DaemonLog["Service"])
    )
    const asker = { run: "run-of-the-test-1", profile: "me" }
    const ask = Effect.callback<string>((resume) => {
      resolve(asker, JSON.stringify({ host: "api.acme.example" }), (_, body) => resume(Effect.succeed(body)))
    })
    assert.strictEqual(yield* ask, yield* ask)
    return resolutions
  })

const inMillis = (millis: number) => {
  const time = Date.now() + millis
  return { refreshDueAt: time, expiresAt: DateTime.makeUnsafe(time + 360_000) }
}

describe("ResolveRoute", () => {
  it.live("reuses the response for a run while the token is fresh", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* resolutionsOf({ expiresAt: null, refreshDueAt: Infinity }), 1)
      assert.strictEqual(yield* resolutionsOf(inMillis(3_600_000)), 1)
    }))

  it.live("resolves each time once a refresh is due, so that the refresh starts", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* resolutionsOf(inMillis(0)), 2)
      assert.strictEqual(yield* resolutionsOf(inMillis(-3_600_000)), 2)
    }))
})
