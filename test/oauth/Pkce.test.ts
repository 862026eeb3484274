import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Pkce from "../../src/oauth/Pkce.ts"
import { effect } from "../support/Fixture.ts"
import { server } from "./Fixtures.ts"

describe("Pkce", () => {
  effect("computes the challenge of RFC 7636, appendix B", function*() {
    const challenge = yield* Pkce.challenge(Redacted.make("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    assert.strictEqual(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  })

  effect("never repeats a verifier or state, each of 32 bytes", function*() {
    const values = yield* Effect.forEach(
      Array.from({ length: 500 }, () => Pkce.randomValue),
      Effect.map(Redacted.value)
    )
    assert.strictEqual(new Set(values).size, values.length)
    for (const value of values) assert.match(value, /^[A-Za-z0-9_-]{43}$/)
  })

  effect("rejects a server that lists methods without S256, or no methods although it must list them", function*() {
    const refused = (methods: ReadonlyArray<string> | undefined, listed: boolean) =>
      Pkce.requireS256({ ...server, ...(methods === undefined ? {} : { codeChallengeMethods: methods }) }, { listed })
        .pipe(Effect.isFailure)
    assert.isTrue(yield* refused(["plain"], false))
    assert.isTrue(yield* refused([], false))
    assert.isTrue(yield* refused(undefined, true))
    assert.isFalse(yield* refused(undefined, false))
    assert.isFalse(yield* refused(["plain", "S256"], true))
  })
})
