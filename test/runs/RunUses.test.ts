import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { runNameOf } from "../../src/config/RunMark.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { first, register, runsOf, second, withDaemon } from "../support/RegisteredRun.ts"
import { key, loggedInWith, resolveIn as resolve } from "../support/ResolveQueries.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { startTestDaemon } from "../support/TestDaemon.ts"
import { queryOn } from "../support/TestStore.ts"
import { eventually } from "../support/Until.ts"

describe("RunUses", () => {
  withDaemon.live("lists the connections that a run has used", function*(daemon) {
    yield* register(daemon, first)
    yield* resolve(daemon, first)
    const { uses } = (yield* runsOf(daemon)).runs[0]
    assert.lengthOf(uses, 1)
    assert.deepInclude(uses[0], { provider: "openai", connection: "default" })
    const { last_used_at: before } = uses[0]
    yield* Effect.sleep(5)
    yield* resolve(daemon, first)
    assert.isAbove(Date.parse((yield* runsOf(daemon)).runs[0].uses[0].last_used_at), Date.parse(before))
  })

  it.live("records a gap after a restart for a run that used a credential and has reported nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryDirectory
      const scope = yield* Scope.make()
      const stopped = yield* Scope.provide(loggedInWith({ home }), scope)
      for (const id of [first, second]) yield* register(stopped, id)
      assert.strictEqual(yield* resolve(stopped, first), `Bearer ${key}`)
      // The daemon notes the use after its response.
      yield* eventually(
        Effect.sync(() => JSON.stringify(queryOn(home, "SELECT value FROM meta WHERE key = 'use_log_head'"))),
        (head) => head.includes(runNameOf(first))
      )
      yield* Scope.close(scope, Exit.void)
      const daemon = yield* startTestDaemon({ home })
      const entries = Effect.map(daemon.request("/audit/requests"), ({ json }) => json.entries)
      const [{ kind, missing, run }, ...others] = yield* eventually(entries, ({ length }) => length > 0)
      assert.deepStrictEqual({ kind, missing, run }, { kind: "gap", missing: null, run: runNameOf(first) })
      assert.isEmpty(others)
    })).pipe(Effect.provide(PeerOwner.layer)))

  withDaemon.live("counts the uses of a run and of its inner runs, even when registered again", function*(daemon) {
    const scope = yield* Scope.make()
    yield* Scope.provide(register(daemon, first, { max_uses: 3 }), scope)
    yield* register(daemon, second, { inside: runNameOf(first) })
    assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
    assert.strictEqual(yield* resolve(daemon, second), `Bearer ${key}`)
    assert.match(yield* resolve(daemon, second, { connection: "missing" }), /^404/)
    for (const more of [{ rejected: "2000-01-01T00:00:00Z" }, { confirm: true }]) {
      assert.strictEqual(yield* resolve(daemon, second, more), `Bearer ${key}`)
    }
    yield* Scope.close(scope, Exit.void)
    yield* eventually(runsOf(daemon), ({ runs }) => runs.length === 1)
    yield* register(daemon, first, { max_uses: 3 })
    assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
    for (const id of [first, second]) {
      assert.strictEqual(
        yield* resolve(daemon, id),
        "403 This run has used credentials for 3 requests, which is its limit (--max-uses)."
      )
    }
  })
})
