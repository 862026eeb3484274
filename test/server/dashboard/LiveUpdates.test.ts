import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { daemonTests } from "../../support/DaemonTests.ts"
import { harnessOf } from "../../support/OAuthHarness.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

const revisionIn = (page: string): string => /data-since="([^"]+)"/.exec(page)?.[1] ?? ""

const live = daemonTests()

describe("LiveUpdates", () => {
  live("tells a page that something has changed after it was rendered, but not what", function*(daemon) {
    const before = revisionIn((yield* daemon.request("/ui/")).body)
    assert.notStrictEqual(before, "")
    const waiting = yield* Effect.forkChild(daemon.request(`/ui/events?since=${before}`))
    yield* Effect.sleep("1500 millis")
    assert.isUndefined(waiting.pollUnsafe())
    yield* harnessOf(daemon).connect("openai")
    const told = yield* Fiber.join(waiting)
    assert.strictEqual(told.status, 200)
    assert.deepInclude(told.headers, { "cache-control": "no-store" })
    assert.match(told.body, /^[\w-]+$/)
    assert.notStrictEqual(told.body, before)
    // Changes that happened without a request are reported, too.
    assert.strictEqual((yield* daemon.request(`/ui/events?since=${before}`)).body, told.body)
    const foreign = yield* daemon.request("/ui/events", { headers: { "sec-fetch-site": "cross-site" } })
    assert.strictEqual(foreign.status, 403)
  })

  it.live("does not prevent the daemon from stopping", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const daemon = yield* Scope.provide(startTestDaemon(), scope)
      const since = (yield* daemon.request("/ui/events?since=x")).body
      const waiting = yield* Effect.forkChild(Effect.exit(daemon.request(`/ui/events?since=${since}`)))
      yield* Effect.sleep("100 millis")
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(waiting)
    }))
})
