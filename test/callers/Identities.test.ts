import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { testsWith } from "../support/Fixture.ts"
import { createCode, enroll, enrolled, makeKey, publicHost, send, startExposedDaemon } from "../support/RemoteCaller.ts"

const exposed = testsWith(startExposedDaemon)

describe("Identities › enrollment", () => {
  const withProfile = testsWith(
    Effect.tap(startExposedDaemon, (daemon) => daemon.post("/profiles", { handle: "alice" }))
  )
  /** The code with another last digit. */
  const misspelled = (code: string) => code.slice(0, -1) + (code.endsWith("0") ? "1" : "0")
  const unusable = (answer: { readonly status: number; readonly json: any }) => {
    assert.strictEqual(answer.status, 403)
    assert.include(answer.json.detail, "The enrollment code is invalid, has expired, or was already used")
  }

  withProfile.live("accepts a code once, in upper or lower case, with or without hyphens", function*(daemon) {
    const code = yield* createCode(daemon, "alice")
    assert.strictEqual((yield* enroll(daemon, makeKey(), ` ${code.toUpperCase().replaceAll("-", "")} `)).status, 201)
    unusable(yield* enroll(daemon, makeKey(), code))
  })

  withProfile.live(
    "invalidates a code after five wrong secrets, and when its name gets another code",
    function*(daemon) {
      const guessed = yield* createCode(daemon, "alice")
      for (let attempt = 0; attempt < 5; attempt++) unusable(yield* enroll(daemon, makeKey(), misspelled(guessed)))
      unusable(yield* enroll(daemon, makeKey(), guessed))
      const replaced = yield* createCode(daemon, "alice", { name: "laptop" })
      const current = yield* createCode(daemon, "alice", { name: "laptop" })
      unusable(yield* enroll(daemon, makeKey(), replaced))
      assert.strictEqual((yield* enroll(daemon, makeKey(), current)).json.name, "laptop")
    }
  )

  withProfile.live("requires a signature by the key that it enrolls, and enrolls each key once", function*(daemon) {
    const [key, other] = [makeKey(), makeKey()]
    const code = yield* createCode(daemon, "alice")
    const stolen = key.sign("/identities", { method: "POST", body: { code, public_key: other.publicKey } })
    const foreign = yield* send(daemon, stolen)
    assert.strictEqual(foreign.status, 403)
    assert.include(foreign.json.detail, "must be signed by the key that it enrolls")
    const unsigned = yield* daemon.post("/identities", { code, public_key: key.publicKey }, { host: publicHost })
    assert.strictEqual(unsigned.status, 403)
    assert.strictEqual((yield* enroll(daemon, key, code)).status, 201)
    const again = yield* enroll(daemon, key, yield* createCode(daemon, "alice"))
    assert.include(again.json.detail, "This key is already enrolled as \"alice\"")
  })

  withProfile.live("accepts a signature once, and only for the signed code", function*(daemon) {
    const key = makeKey()
    const signed = (code: string) =>
      key.sign("/identities", { method: "POST", body: { code, public_key: key.publicKey } })
    const code = yield* createCode(daemon, "alice")
    const other = yield* createCode(daemon, "alice", { name: "other" })
    const changed = yield* send(daemon, { ...signed(code), body: signed(other).body })
    assert.include(changed.json.detail, "must be signed by the key that it enrolls")
    const guess = signed(misspelled(code))
    unusable(yield* send(daemon, guess))
    assert.include((yield* send(daemon, guess)).json.detail, "must be signed by the key that it enrolls")
    assert.strictEqual((yield* send(daemon, signed(code))).status, 201)
  })

  withProfile.live("writes nothing for an unknown code", function*(daemon) {
    const key = makeKey()
    const code = yield* createCode(daemon, "alice")
    const unknown = `${code.startsWith("0") ? "1" : "0"}${code.slice(1)}`
    const request = key.sign("/identities", { method: "POST", body: { code: unknown, public_key: key.publicKey } })
    for (let attempt = 0; attempt < 2; attempt++) unusable(yield* send(daemon, request))
  })

  withProfile.live("refuses a code that has expired", function*(daemon) {
    const code = yield* createCode(daemon, "alice", { expires_in: 60 })
    const time = Date.now()
    const clock = vi.spyOn(Date, "now").mockImplementation(() => time + 61_000)
    yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
    unusable(yield* enroll(daemon, makeKey(), code))
  })

  exposed.live("requires an existing profile and an unused name", function*(daemon) {
    const create = (body: object) => daemon.post("/identities/codes", body)
    assert.include((yield* create({ profile: "nobody" })).json.detail, "Unknown profile \"nobody\"")
    yield* enrolled(daemon, "alice")
    assert.include(
      (yield* create({ profile: "alice", name: "alice" })).json.detail,
      "Identity \"alice\" already exists"
    )
    assert.strictEqual((yield* create({ profile: "alice" })).json.name, "alice-2")
  })
})
