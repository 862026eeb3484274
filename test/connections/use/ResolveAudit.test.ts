import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { makeResolveAudit } from "../../../src/connections/use/ResolveAudit.ts"
import { effect } from "../../support/Fixture.ts"
import { settle } from "../../support/TestBody.ts"

const counter = () => {
  let count = 0
  return {
    append: Effect.sync(() => {
      count++
    }),
    count: () => count
  }
}

describe("ResolveAudit", () => {
  effect("forgets the oldest use beyond its limit, and audits that use again", function*() {
    const { append, count } = counter()
    const { record } = makeResolveAudit(3)
    const use = (run: string) => record(Option.some(run), "connection", append)
    for (const run of ["a", "b", "c", "a", "b", "c"]) yield* use(run)
    assert.strictEqual(count(), 3)
    yield* use("d")
    yield* use("c")
    assert.strictEqual(count(), 4)
    yield* use("a")
    assert.strictEqual(count(), 5)
  })

  effect("blocks all callers until the entry is written", function*() {
    const written = yield* Deferred.make<void>()
    const { record } = makeResolveAudit()
    const use = record(Option.some("run"), "connection", Deferred.await(written))
    const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(use))
    yield* settle
    assert.isTrue(fibers.every((fiber) => fiber.pollUnsafe() === undefined))
    yield* Deferred.succeed(written, undefined)
    yield* Effect.forEach(fibers, Fiber.join)
  })

  effect("unblocks waiting callers when a request is interrupted", function*() {
    const started = yield* Deferred.make<void>()
    const written = yield* Deferred.make<void>()
    const { record } = makeResolveAudit()
    const use = record(
      Option.some("run"),
      "connection",
      Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(written))
    )
    const first = yield* Effect.forkChild(use)
    yield* Deferred.await(started)
    const second = yield* Effect.forkChild(use)
    const third = yield* Effect.forkChild(use)
    const interruption = yield* Effect.forkChild(Effect.all([Fiber.interrupt(first), Fiber.interrupt(second)]))
    yield* Effect.yieldNow
    yield* Deferred.succeed(written, undefined)
    yield* Fiber.join(interruption)
    yield* Fiber.join(third)
  })

  effect("allows the next caller to retry when writing has failed", function*() {
    let attempts = 0
    const { record } = makeResolveAudit()
    const use = record(
      Option.some("run"),
      "connection",
      Effect.suspend(() => {
        attempts++
        return attempts < 3 ? Effect.fail("full") : Effect.void
      })
    )
    const exits = yield* Effect.all(Array.from({ length: 5 }, () => Effect.exit(use)), { concurrency: "unbounded" })
    assert.deepStrictEqual(exits.map(({ _tag }) => _tag), ["Failure", "Failure", "Success", "Success", "Success"])
    assert.strictEqual(attempts, 3)
  })
})
