import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type * as crypto from "node:crypto"
import { DataKeys } from "../../src/vault/DataKeys.ts"
import { keyEncryptionKey } from "../../src/vault/KeyResolver.ts"
import { StoreManifest } from "../../src/vault/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { identity, started, temporaryHome } from "./support.ts"

const exported = (key: crypto.KeyObject) => key.export().toString("hex")

describe("DataKeys", () => {
  it.effect("gives each profile its own key, the same after a restart", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const keys = Effect.gen(function*() {
        const keys = yield* DataKeys
        return [exported((yield* keys.active("a")).key), exported((yield* keys.active("b")).key)]
      })
      const [a, b] = yield* started(home)(keys)
      assert.notStrictEqual(a, b)
      assert.deepStrictEqual(yield* started(home)(keys), [a, b])
    }))

  it.effect("creates one key per profile for concurrent requests", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      yield* started(home)(Effect.gen(function*() {
        const keys = yield* DataKeys
        const ids = yield* Effect.all(Array.from({ length: 20 }, () => Effect.map(keys.active("a"), ({ id }) => id)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(ids).size, 1)
      }))
    }))

  it.effect("does not cache a key whose creation was rolled back", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
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
    }))

  it.effect("derives independent keys for each purpose and profile", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const derived = Effect.gen(function*() {
        const keys = yield* DataKeys
        return (yield* Effect.all([
          keys.macKey("a", "credsvc/audit/v1"),
          keys.macKey("a", "credsvc/other/v1"),
          keys.macKey("b", "credsvc/audit/v1"),
          keys.storeKey("credsvc/audit/v1"),
          Effect.map(keys.active("a"), ({ key }) => key)
        ])).map(exported)
      })
      const first = yield* started(home)(derived)
      assert.strictEqual(new Set(first).size, 5)
      assert.deepStrictEqual(yield* started(home)(derived), first)
    }))

  it.effect("rewraps the vault under another key-encryption key, after which the old one opens nothing", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const env = Buffer.alloc(32, 9).toString("base64")
      const sealed = yield* started(home)(Effect.gen(function*() {
        const vault = yield* Vault
        const keys = yield* DataKeys
        const sealed = yield* vault.seal(identity, Redacted.make("s3cret"))
        yield* keys.active("another profile")
        yield* keys.rewrap({ source: "env", key: keyEncryptionKey(Buffer.alloc(32, 9)) })
        // The same process continues, also with profiles that it has not used yet.
        assert.strictEqual(Redacted.value(yield* vault.open(identity, sealed)), "s3cret")
        yield* keys.active("a new profile")
        assert.strictEqual((yield* vault.masterKey).source, "env")
        return sealed
      }))
      yield* started(home, { env })(Effect.gen(function*() {
        const vault = yield* Vault
        const keys = yield* DataKeys
        assert.strictEqual(Redacted.value(yield* vault.open(identity, sealed)), "s3cret")
        yield* keys.active("a new profile")
        yield* keys.active("another profile")
      }))
      const error = yield* started(home)(Effect.flip(Effect.flatMap(Vault, (vault) => vault.available)))
      assert.include(error.detail, "CREDSVC_MASTER_KEY")
    }))

  it.effect("keeps everything under the old key if a rewrap fails", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const sealed = yield* started(home)(Effect.gen(function*() {
        const vault = yield* Vault
        const keys = yield* DataKeys
        const sql = yield* SqlClient.SqlClient
        const sealed = yield* vault.seal(identity, Redacted.make("s3cret"))
        yield* sql.unsafe("CREATE TEMP TRIGGER fail BEFORE UPDATE ON main.meta BEGIN SELECT RAISE(ABORT, 'no'); END")
        yield* Effect.flip(keys.rewrap({ source: "env", key: keyEncryptionKey(Buffer.alloc(32, 9)) }))
        assert.strictEqual(Redacted.value(yield* vault.open(identity, sealed)), "s3cret")
        return sealed
      }))
      yield* started(home)(Effect.gen(function*() {
        const vault = yield* Vault
        assert.strictEqual(Redacted.value(yield* vault.open(identity, sealed)), "s3cret")
      }))
    }))
})
