import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { AuditRecord } from "../../src/audit/AuditRecord.ts"
import { limitRepeats, recordedRepeats } from "../../src/audit/RepeatedEntries.ts"
import { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { effect } from "../support/Fixture.ts"

const denied = {
  event: "export",
  provider: null,
  connection: null,
  identity: ProfileHandle.make("alice"),
  status: "denied"
} as const satisfies AuditRecord

describe("limitRepeats", () => {
  effect("records the first entries of each minute, and reports how many there were in total", function*() {
    const recorded: Array<AuditRecord> = []
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    const scope = yield* Scope.make()
    const append = yield* limitRepeats((entry: AuditRecord) => Effect.sync(() => void recorded.push(entry))).pipe(
      Effect.provideService(Scope.Scope, scope)
    )
    yield* Effect.gen(function*() {
      // Another connection in each attempt does not get around the limit.
      for (let count = 0; count < 3 * recordedRepeats; count++) {
        yield* append({ ...denied, connection: `c${count}` as never })
      }
      assert.lengthOf(recorded, recordedRepeats)
      const others = [
        { ...denied, identity: ProfileHandle.make("bob") },
        { ...denied, event: "get" },
        { ...denied, status: "failed" },
        ...["c1", "c2"].flatMap((name) =>
          Array.from(
            { length: recordedRepeats },
            () => ({ ...denied, connection: name as never, status: "ok" as const })
          )
        )
      ] as const
      for (const other of others) yield* append(other)
      assert.lengthOf(recorded, recordedRepeats + others.length, "those of another kind are recorded")
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(logged, 1)
      assert.include(logged[0], `${recordedRepeats} of ${3 * recordedRepeats} entries`)
      for (let count = 0; count <= recordedRepeats; count++) yield* append(denied)
      assert.lengthOf(recorded, 2 * recordedRepeats + others.length, "later ones are recorded")
      yield* Scope.close(scope, Exit.void)
      assert.lengthOf(logged, 2, "the count of a window that the end of the daemon cuts short is reported")
    }).pipe(Effect.provide(logger))
  })
})
