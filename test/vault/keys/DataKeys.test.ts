import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as crypto from "node:crypto"
import { DataKeys } from "../../../src/vault/keys/DataKeys.ts"
import { Vault } from "../../../src/vault/Vault.ts"
import { testsWith } from "../../support/Fixture.ts"
import { transact } from "../../support/Services.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { identity, started } from "../support.ts"

const inHome = testsWith(temporaryDirectory)

const active = (profile: string) => transact(Effect.flatMap(DataKeys, (keys) => keys.active(profile)))

const exported = (key: crypto.KeyObject) => key.export().toString("hex")

describe("DataKeys", () => {
  inHome.effect("gives each profile its own key, the same after a restart", function*(home) {
    const keys = Effect.forEach(["a", "b"], (profile) => Effect.map(active(profile), ({ key }) => exported(key)))
    const [a, b] = yield* started(home)(keys)
    assert.notStrictEqual(a, b)
    assert.deepStrictEqual(yield* started(home)(keys), [a, b])
  })

  inHome.effect("creates one key per profile for concurrent requests", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      const ids = yield* Effect.all(Array.from({ length: 20 }, () => Effect.map(active("a"), ({ id }) => id)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(ids).size, 1)
    }))
  })

  inHome.effect("does not cache a key whose creation was rolled back", function*(home) {
    const sealed = yield* started(home)(Effect.gen(function*() {
      const vault = yield* Vault
      yield* Effect.flip(transact(Effect.andThen(vault.seal(identity, Redacted.make("lost")), Effect.fail("no"))))
      return yield* transact(vault.seal(identity, Redacted.make("kept")))
    }))
    yield* started(home)(Effect.gen(function*() {
      const vault = yield* Vault
      assert.strictEqual(Redacted.value(yield* vault.open(identity, sealed)), "kept")
    }))
  })

  inHome.effect("derives an independent key of the store for each purpose", function*(home) {
    const derived = Effect.gen(function*() {
      const keys = yield* DataKeys
      return (yield* Effect.all([
        keys.storeKey("credsvc/audit/v1"),
        keys.storeKey("credsvc/other/v1"),
        Effect.map(active("a"), ({ key }) => key)
      ])).map(exported)
    })
    const first = yield* started(home)(derived)
    assert.strictEqual(new Set(first).size, 3)
    assert.deepStrictEqual(yield* started(home)(derived), first)
  })
})
