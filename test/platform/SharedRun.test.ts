import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { shareRun } from "../../src/platform/SharedRun.ts"
import { effect } from "../support/Fixture.ts"

describe("shareRun", () => {
  effect("serves waiting operations with one run that began after them", function*() {
    const runs: Array<Deferred.Deferred<string>> = []
    const run = Effect.suspend(() => Deferred.await(runs[runs.push(Deferred.makeUnsafe<string>()) - 1]!))
    const ask = Effect.forkChild(shareRun(run, yield* Effect.scope), { startImmediately: true })
    const first = yield* ask
    const later = yield* Effect.all(Array.from({ length: 20 }, () => ask))
    assert.lengthOf(runs, 1)
    yield* Deferred.succeed(runs[0]!, "first")
    assert.strictEqual(yield* Fiber.join(first), "first")
    yield* Effect.yieldNow
    assert.lengthOf(runs, 2)
    yield* Deferred.succeed(runs[1]!, "second")
    assert.deepStrictEqual(new Set(yield* Effect.all(later.map(Fiber.join))), new Set(["second"]))
    assert.lengthOf(runs, 2)
  })

  effect("interrupts operations after its scope has closed", function*() {
    const shared = yield* Effect.scoped(Effect.map(Effect.scope, (scope) => shareRun(Effect.die("not run"), scope)))
    assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(shared)))
  })
})
