/** Signed requests to daemons that share a database: each signature is accepted once by all of them together. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { vi } from "vitest"
import { replayWindow } from "../../src/callers/UsedNonces.ts"
import { testsWith } from "../support/Fixture.ts"
import { createCode, enrolled, publicHost, send, startExposedDaemon } from "../support/RemoteCaller.ts"
import { replicaOf } from "../support/Replicas.ts"
import { startTestDaemon } from "../support/TestDaemon.ts"
import { databaseUrlOf, queryOn } from "../support/TestStore.ts"
import { eventually } from "../support/Until.ts"

const withReplicas = testsWith(
  Effect.gen(function*() {
    const one = yield* startExposedDaemon
    const caller = yield* enrolled(one, "alice")
    const start = (home: string) =>
      startTestDaemon({
        home,
        settings: {
          serverBaseUrl: Option.some(new URL(`https://${publicHost}`)),
          databaseUrl: Option.some(Redacted.make(databaseUrlOf(one.home)))
        }
      })
    return { one, other: yield* Effect.flatMap(replicaOf(one.home), start), caller, start }
  })
)

const now = () => Math.floor(Date.now() / 1000)
const nonces = (home: string) => queryOn(home, "SELECT nonce FROM used_nonces").length

describe("Daemons that share a database", () => {
  withReplicas.live("accept a captured request at one of them only", function*({ caller, one, other }) {
    const captured = caller.sign("/auth/sessions", { method: "POST", body: { provider: "openai", connection: "one" } })
    assert.strictEqual((yield* send(one, captured)).status, 201)
    for (const daemon of [other, one]) {
      const { json, status } = yield* send(daemon, captured)
      assert.strictEqual(status, 401)
      assert.strictEqual(json.detail, "This signature was already used. Send the request again with a new signature.")
    }
    assert.strictEqual((yield* caller.request("/whoami")).status, 200)
  })

  withReplicas.live("accept one of many copies that arrive at the same time", function*({ caller, one, other }) {
    const captured = caller.sign("/whoami")
    const answers = yield* Effect.all(
      Array.from({ length: 20 }, (_, index) => send([one, other][index % 2]!, captured)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [
      200,
      ...Array.from({ length: 19 }, () => 401)
    ])
  })

  withReplicas.live("refuse a captured request to enroll", function*({ caller, one, other }) {
    const code = yield* createCode(one, caller.profile, { name: "another" })
    const guess = code.slice(0, -1) + (code.endsWith("0") ? "1" : "0")
    const captured = caller.sign("/identities", {
      method: "POST",
      body: { code: guess, public_key: caller.publicKey }
    })
    assert.include((yield* send(one, captured)).json.detail, "The enrollment code is invalid")
    assert.include((yield* send(other, captured)).json.detail, "a new nonce")
  })

  withReplicas.live("refuse used signatures even from before their start", function*({ caller, one, start }) {
    const used = caller.sign("/whoami", { parameters: { created: now() - 45 } })
    const unused = caller.sign("/whoami", { parameters: { created: now() - 45 } })
    assert.strictEqual((yield* send(one, used)).status, 200)
    const later = yield* Effect.flatMap(replicaOf(one.home), start)
    assert.strictEqual((yield* send(later, used)).status, 401)
    assert.strictEqual((yield* send(later, unused)).status, 200)
  })

  withReplicas.live(
    "judge the time of a signature by the database if their own clocks are wrong",
    function*({ caller, one }) {
      const created = now()
      const began = performance.now()
      for (const minutes of [10, -10]) {
        const time = (created + minutes * 60) * 1000
        const clock = vi.spyOn(Date, "now").mockImplementation(() => time + Math.floor(performance.now() - began))
        yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
        const sent = (age: number) => send(one, caller.sign("/whoami", { parameters: { created: created - age } }))
        assert.strictEqual((yield* eventually(sent(0), ({ status }) => status !== 401)).status, 200)
        assert.include((yield* sent(replayWindow + 10)).json.detail, "more than 60 seconds ago")
      }
    }
  )

  withReplicas.live("write a row for each signature, and none for local requests", function*({ caller, one, other }) {
    const before = nonces(one.home)
    for (const daemon of [one, other]) {
      for (const target of ["/whoami", "/connections"]) assert.strictEqual((yield* daemon.request(target)).status, 200)
      assert.strictEqual((yield* send(daemon, caller.sign("/whoami"))).status, 200)
    }
    assert.strictEqual(nonces(one.home), before + 2)
  })
})
