import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeAnnouncements } from "../../../src/store/postgres/PostgresAnnouncements.ts"

describe("The announcements on PostgreSQL", () => {
  it.effect("of other daemons of the same schema reach the listeners of their topic", () =>
    Effect.gen(function*() {
      const heard: Array<string | undefined> = []
      const announcements = makeAnnouncements("team", "1")
      yield* announcements.onAnnounced("run", (name) => heard.push(name))
      const [, [own]] = announcements.statement("run", "mine")
      for (const payload of [own!, "other 2 run a", "team 2 rows b", "team 2 run c", ""]) {
        assert.isFalse(announcements.receive(payload), payload)
      }
      assert.isTrue(announcements.receive("team 2 migrated "))
      announcements.reportMissed()
      assert.deepStrictEqual(heard, ["c", undefined])
    }).pipe(Effect.scoped))
})
