import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ensurePublicKey, openSigner } from "../../src/client/IdentitySigner.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { withHome } from "../support/Services.ts"

const request = { method: "GET", host: "creds.example", target: "/connections", headers: {}, body: undefined }
const hour = 3600

describe("IdentitySigner", () => {
  it.live("uses the time of the daemon, and never signs with a time far in the future", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* ensurePublicKey(undefined)
        const signer = yield* openSigner(undefined)
        const corrects = (seconds: number) =>
          signer.correctsClock(401, {
            "accept-signature": "credsvc=()",
            date: new Date(Date.now() + seconds * 1000).toUTCString()
          })
        /** How far the time of a signature differs from the clock, in hours. */
        const skew = () => {
          const [, created] = /;created=(\d+)/.exec(signer.sign(request)["signature-input"] ?? "") ?? []
          return Math.round((Number(created) - Date.now() / 1000) / hour)
        }
        assert.isTrue(corrects(3 * hour))
        assert.strictEqual(skew(), 3)
        assert.isFalse(corrects(3 * hour), "the signature was refused for another reason")
        for (const days of [2, 365]) assert.isFalse(corrects(days * 24 * hour))
        assert.strictEqual(skew(), 3)
        assert.isTrue(corrects(0))
        assert.strictEqual(skew(), 0)
      }).pipe(Effect.provide(Layer.provideMerge(Paths.layerNoDeps, Settings.layerOf({ home }))))
    ))
})
