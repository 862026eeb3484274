import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { withHeartbeat } from "../../../src/server/handlers/RunsHandlers.ts"
import { effect } from "../../support/Fixture.ts"

describe("withHeartbeat", () => {
  effect("sends a line in every minute of a silent stream, and ends when the stream ends", function*() {
    const silent = Stream.concat(Stream.make("first\n"), Stream.drain(Stream.fromEffect(Effect.sleep("65 seconds"))))
    const sent = yield* Effect.forkChild(Stream.runCollect(withHeartbeat(silent)), { startImmediately: true })
    for (let passed = 0; passed < 13; passed++) yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual([...yield* Fiber.join(sent)], ["first\n", "\n", "\n", "\n"])
  })
})
