import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { DaemonClient } from "../../src/client/DaemonClient.ts"
import type { DaemonRequest, HeldResponse } from "../../src/client/DaemonConnection.ts"
import { registerRun } from "../../src/client/RunRegistration.ts"
import type { RunRegistration } from "../../src/domain/wire/Run.ts"
import { live } from "../support/Fixture.ts"
import { eventually } from "../support/Until.ts"

const from = { url: new URL("http://127.0.0.1:7998"), loopback: true, explicit: false, startable: true }

const rules = [{ allow: ["GET api.acme.test"], deny: [], readonly: false, policy: "one" }]
const run = { name: "0123456789", profile: "main", providers: ["acme"], connections: {}, unmatched: "deny", rules }
const body = JSON.stringify({ ...run, max_uses: 9, expires_at: null })

/** A daemon that sends `notices` to each registration, and ends it with `end`. Renewals wait for `renewal`. */
const registered = (notices: ReadonlyArray<string> = [], renewal: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const end = yield* Deferred.make<void>()
    const sent: Array<{ readonly start: boolean; readonly headers: object; readonly body: any }> = []
    const hold = Effect.fnUntraced(
      function*({ body: text = "", headers }: DaemonRequest, options?: { start: boolean }) {
        sent.push({ start: options?.start ?? true, headers, body: JSON.parse(text) })
        const isFirst = sent.length === 1
        if (!isFirst) yield* renewal
        const lines = (listener: (line: string) => void) =>
          notices.forEach((notice) => listener(JSON.stringify({ notice })))
        const ended = isFirst ? Deferred.await(end) : Effect.never
        const response: HeldResponse = { from, status: 200, headers: {}, body, lines, ended }
        return response
      }
    )
    const registration = { policies: ["one"], pid: 7 } as unknown as RunRegistration
    const result = yield* Effect.provideService(registerRun("id", registration), DaemonClient, { hold } as never)
    return { ...result, end: Deferred.succeed(end, undefined), sent }
  })

const failureWith = (status: number, problem: object) => {
  const headers = { "content-type": "application/problem+json" }
  const response = { from, status, headers, body: JSON.stringify(problem), lines: () => {}, ended: Effect.void }
  return Effect.flip(Effect.scoped(registerRun("id", {} as RunRegistration))).pipe(
    Effect.provideService(DaemonClient, { hold: () => Effect.succeed(response) } as never)
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
    "registers again with the limits and uses of the run, and then notifies it, if the daemon restarts",
    function*() {
      const { countUse, end, notices, sent } = yield* registered()
      const heard: Array<string> = []
      notices.listen((notice) => heard.push(notice))
      countUse()
      yield* end
      yield* eventually(Effect.sync(() => heard), ({ length }) => length > 0)
      assert.deepStrictEqual(heard, ["changed"])
      assert.deepStrictEqual(sent.map(({ start }) => start), [true, false])
      assert.deepInclude(sent[1]?.headers, { "credsvc-run": "id", "credsvc-profile": "main" })
      const { name: _, profile: __, ...limits } = run
      const more = { pid: 7, policies: [], used: 1, max_uses: 9, expires_at: null, strict: false }
      assert.deepStrictEqual(sent[1]?.body, { ...limits, ...more })
    }
  )

  live("waits for a renewal, but for nothing while the run is registered", function*() {
    const gate = yield* Deferred.make<void>()
    const { awaitRenewal, end, sent } = yield* registered([], Deferred.await(gate))
    assert.isFalse(yield* awaitRenewal)
    yield* end
    yield* eventually(Effect.sync(() => sent), ({ length }) => length === 2)
    const renewed = yield* Effect.forkChild(awaitRenewal, { startImmediately: true })
    yield* Deferred.succeed(gate, undefined)
    assert.isTrue(yield* Fiber.join(renewed))
  })

  live("does not register a stopped run again, and tells each listener why", function*() {
    const { end, notices, sent } = yield* registered(["frozen", "later", "stopped", "frozen"])
    const heard: Array<string> = []
    notices.listen((notice) => heard.push(notice))
    yield* end
    yield* Effect.sleep(50)
    assert.deepStrictEqual([heard, notices.ended, sent.length], [["stopped"], "stopped", 1])
  })

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
