import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { builtins } from "../../../src/platform/builtins.ts"
import { live } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"
import { eventually } from "../../support/Until.ts"

describe("GET /auth/sessions/{id} with a wait", () => {
  live("responds as soon as the status changes, and ends with the daemon", function*() {
    const agent = new builtins.http.Agent({ keepAlive: true })
    const before = yield* Effect.scoped(Effect.gen(function*() {
      const daemon = yield* startTestDaemon()
      /** The request for the metrics is in progress as well. */
      const untilWaiting = eventually(
        Effect.map(daemon.request("/metrics"), ({ body }) => body),
        (metrics) => metrics.includes("\ncredsvc_requests_in_progress 2\n")
      )
      const { json } = yield* daemon.post("/auth/sessions", { provider: "openai" })
      const waiting = yield* Effect.forkChild(daemon.request(`/auth/sessions/${json.session_id}?wait=30`))
      yield* untilWaiting
      yield* daemon.request(`/auth/sessions/${json.session_id}`, { method: "DELETE" })
      const response = yield* Fiber.join(waiting)
      assert.strictEqual(response.json.status, "cancelled")
      const other = yield* daemon.post("/auth/sessions", { provider: "openai" })
      yield* Effect.forkChild(
        Effect.ignore(daemon.request(`/auth/sessions/${other.json.session_id}?wait=30`, { agent }))
      )
      yield* untilWaiting
      return Date.now()
    }))
    assert.isBelow(Date.now() - before, 20_000)
    agent.destroy()
  })
})
