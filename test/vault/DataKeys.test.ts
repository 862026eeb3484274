import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as crypto from "node:crypto"
import { DataKeys } from "../../src/vault/DataKeys.ts"
import { StoreManifest } from "../../src/vault/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { identity, started } from "./support.ts"

const inHome = testsWith(temporaryDirectory)

const exported = (key: crypto.KeyObject) => key.export().toString("hex")

describe("DataKeys", () => {
  inHome.effect("gives each profile its own key, the same after a restart", function*(home) {
    const keys = Effect.gen(function*() {
      const keys = yield* DataKeys
      return [exported((yield* keys.active("a")).key), exported((yield* keys.active("b")).key)]
    })
    const [a, b] = yield* started(home)(keys)
    assert.notStrictEqual(a, b)
    assert.deepStrictEqual(yield* started(home)(keys), [a, b])
  })

  inHome.effect("creates one key per profile for concurrent requests", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      const keys = yield* DataKeys
      const ids = yield* Effect.all(Array.from({ length: 20 }, () => Effect.map(keys.active("a"), ({ id }) => id)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(ids).size, 1)
    }))
  })

  inHome.effect("does not cache a key whose creation was rolled back", function*(home) {
    const sealed = yield* started(home)(Effect.gen(function*() {
      const manifest = yield* StoreManifest
      const vault = yield* Vault
      yield* Effect.flip(
        manifest.protect(Effect.andThen(vault.seal(identity, Redacted.make("lost")), Effect.fail("no")))
      )
      return yield* vault.seal(identity, Redacted.make("kept"))
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
        Effect.map(keys.active("a"), ({ key }) => key)
      ])).map(exported)
    })
    const first = yield* started(home)(derived)
    assert.strictEqual(new Set(first).size, 3)
    assert.deepStrictEqual(yield* started(home)(derived), first)
  })
})
