import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Connections } from "../../src/connections/Connections.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { acme, keyDocument, main } from "../support/Acme.ts"
import { services, withHome } from "../support/Services.ts"
import { storeOf } from "../support/StoredConnections.ts"

const setUp = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const owner = yield* profiles.active
  const grantee = yield* profiles.ensure("team")
  yield* (yield* storeOf(owner))({ api_key: "CANARY" }, { force: true })
  return { connections, grantee, owner }
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
