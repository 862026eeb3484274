import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConnectionRepo, contentOf, type StoredConnection } from "../../src/connections/ConnectionRepo.ts"
import { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { keyDocument } from "../support/Acme.ts"
import { services, withHome } from "../support/Services.ts"
import { storeOf } from "../support/StoredConnections.ts"

const expired = Effect.fnUntraced(function*(stored: StoredConnection) {
  const repo = yield* ConnectionRepo
  const content = contentOf(stored, yield* repo.openSecrets(stored))
  return yield* repo.replace(stored, { ...content, metadata: { ...content.metadata, status: "expired" } })
})

describe("the connections of a profile", () => {
  it.effect("are read again only if their rows have changed", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const profile = yield* (yield* Profiles).active
        const repo = yield* ConnectionRepo
        const manifest = yield* StoreManifest
        const store = yield* storeOf(profile)
        for (const name of ["one", "two", "three"]) {
          yield* store({ api_key: "CANARY" }, { connection: ConnectionName.make(name) })
        }
        const list = repo.list(profile)
        const before = yield* list
        const [one, two, three] = before as [StoredConnection, StoredConnection, StoredConnection]

        yield* Effect.ignore(manifest.transact(Effect.gen(function*() {
          yield* expired(two)
          assert.deepStrictEqual((yield* list).map(({ metadata }) => metadata.status), [
            "connected",
            "expired",
            "connected"
          ])
          return yield* Effect.fail("rolled back")
        })))
        assert.isTrue((yield* list).every((stored, at) => stored === before[at]))

        yield* manifest.transact(expired(two))
        const [first, second, third] = yield* list
        assert.strictEqual(first, one)
        assert.strictEqual(second?.metadata.status, "expired")
        assert.strictEqual(third, three)

        yield* manifest.transact(repo.remove(one))
        assert.deepStrictEqual(yield* list, [second!, three])
        yield* store({ api_key: "CANARY" }, { connection: ConnectionName.make("four") })
        assert.deepStrictEqual((yield* list).map(({ row }) => row.name), ["two", "three", "four"])
      }).pipe(Effect.provide(services(home))), keyDocument()))
})
