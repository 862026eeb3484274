import { assert, describe } from "@effect/vitest"
import * as SqlClient from "effect/sql/SqlClient"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { acme, main } from "../support/Acme.ts"
import { effect } from "../support/KeyConnections.ts"

describe("ConnectionGrants", () => {
  effect(
    "removes a grant with its connection, by a logout, a revocation and the removal of the provider",
    function*({ connections, profile, save }) {
      const sql = yield* SqlClient.SqlClient
      const grantee = yield* (yield* Profiles).ensure("team")
      const removals = [
        connections.logout(profile, acme, main),
        connections.revoke(profile, acme),
        connections.removeProvider(profile, acme)
      ]
      for (const remove of removals) {
        yield* save("default")
        yield* connections.grant(profile, { provider: acme, grantee })
        yield* remove
        assert.deepStrictEqual(yield* sql`SELECT * FROM connection_grants`, [])
      }
      yield* (yield* StoreManifest).verify
    }
  )
})
