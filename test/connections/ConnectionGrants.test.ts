import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { Connections } from "../../src/connections/Connections.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { acme, keyDocument, main } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { services, withHome } from "../support/Services.ts"
import { storeOf } from "../support/StoredConnections.ts"

const setUp = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const owner = yield* profiles.active
  const grantee = yield* profiles.ensure("team")
  yield* (yield* storeOf(owner))({ api_key: "CANARY" }, { force: true })
  const resolve = connections.resolve(grantee, { host: "api.acme.example" }, { run: Option.none() })
  return { connections, grantee, owner, resolve }
})

const inHome = (body: (context: Effect.Success<typeof setUp>) => Generator<any, void, any>) =>
  withHome(
    (home) =>
      Effect.flatMap(setUp, (context) => Effect.gen(() => body(context))).pipe(
        Effect.provide(services(home))
      ) as Effect.Effect<void>,
    keyDocument()
  )

describe("a grant", () => {
  it.effect("allows the use of a connection until it is withdrawn", () =>
    inHome(function*({ connections, grantee, owner, resolve }) {
      yield* failsWith(resolve, "CredentialMissingError")
      yield* connections.grant(owner, { provider: acme, grantee })
      assert.strictEqual((yield* resolve).connection, main)
      const shown = yield* connections.get(grantee, acme, main, { reveal: false })
      assert.deepStrictEqual([shown], yield* connections.list(grantee))
      assert.deepInclude(shown, { isDefault: true, grantedBy: owner })
      assert.lengthOf(yield* connections.grants(grantee), 1)
      const before = yield* connections.revision
      yield* connections.withdraw(owner, acme, main, grantee)
      assert.notStrictEqual(yield* connections.revision, before)
      yield* failsWith(resolve, "CredentialMissingError")
    }))

  it.effect("is removed with its connection, by a logout, a revocation and the removal of the provider", () =>
    inHome(function*({ connections, grantee, owner }) {
      const sql = yield* SqlClient.SqlClient
      const store = yield* storeOf(owner)
      const removals = [
        connections.logout(owner, acme, main),
        connections.revoke(owner, acme),
        connections.removeProvider(owner, acme)
      ]
      for (const remove of removals) {
        yield* store({ api_key: "CANARY" }, { force: true })
        yield* connections.grant(owner, { provider: acme, grantee })
        yield* remove
        assert.deepStrictEqual(yield* sql`SELECT * FROM connection_grants`, [])
      }
      yield* (yield* StoreManifest).verify
    }))
})
