import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { DaemonClient } from "../../src/client/DaemonClient.ts"
import type { DaemonResponse } from "../../src/client/DaemonConnection.ts"
import { registerRun } from "../../src/client/RunRegistration.ts"
import type { RunRegistration } from "../../src/domain/wire/Run.ts"
import { live } from "../support/Fixture.ts"

const failureWith = (status: number, problem: unknown) => {
  const response: DaemonResponse = {
    status,
    headers: { "content-type": "application/problem+json" },
    body: JSON.stringify(problem),
    from: { url: new URL("http://127.0.0.1:7998"), loopback: true, explicit: false, startable: true }
  }
  const client = { hold: () => Effect.succeed({ ...response, lines: () => {}, ended: Effect.void }) }
  return Effect.flip(Effect.scoped(registerRun("id", {} as RunRegistration))).pipe(
    Effect.provideService(DaemonClient, client as unknown as DaemonClient["Service"])
  )
}

const invalid = (message: string) => ({
  type: "urn:credsvc:error:invalid-request",
  title: "Invalid request",
  status: 400,
  error: "InvalidRequestError",
  detail: message,
  problems: [{ path: "/x", message }]
})

describe("registerRun", () => {
  live(
    "tells the user to restart a daemon that an update has left running, and reports other refusals unchanged",
    function*() {
      const older = yield* failureWith(400, invalid("is an unknown field"))
      assert.strictEqual(older._tag, "DaemonUnavailableError")
      assert.include(older.message, "credsvc daemon restart")
      assert.strictEqual((yield* failureWith(400, invalid("must be a name")))._tag, "InvalidRequestError")
    }
  )
})
