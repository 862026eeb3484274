import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { DataKeys } from "../../src/vault/keys/DataKeys.ts"
import type { SecretIdentity } from "../../src/vault/SecretIdentity.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { failsWith } from "../support/Failures.ts"
import { effect, testsWith } from "../support/Fixture.ts"
import { transact } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { onPostgres } from "../support/TestStore.ts"
import { permissiveUmask } from "../support/Umask.ts"
import { clientRow, identity, snapshot, started } from "./support.ts"

const inHome = testsWith(temporaryDirectory)

const seal = (text: string, at: SecretIdentity = identity) =>
  transact(Effect.flatMap(Vault, (vault) => vault.seal(at, Redacted.make(text))))
const open = (sealed: Uint8Array, at: SecretIdentity = identity) =>
  Effect.flatMap(Vault, (vault) => Effect.map(vault.open(at, sealed), Redacted.value))

describe("Vault", () => {
  inHome.effect("opens a sealed secret, even after a restart", function*(home) {
    const sealed = yield* started(home)(Effect.gen(function*() {
      const sealed = yield* seal("s3cret")
      assert.strictEqual(yield* open(sealed), "s3cret")
      return sealed
    }))
    assert.strictEqual(yield* started(home)(open(sealed)), "s3cret")
  })

  const elsewhere: ReadonlyArray<Partial<SecretIdentity>> = [
    { profile: "loud-finch-0001" },
    { provider: "gitlab" },
    { connection: "work" },
    { field: "sealed" },
    { recordId: "record-2" },
    { generation: 2 },
    { definitionFp: "fp-2" },
    { provider: "githu", connection: "bdefault" }
  ]
  for (const other of elsewhere) {
    inHome.effect(`rejects a secret moved to another record: ${JSON.stringify(other)}`, function*(home) {
      yield* started(home)(Effect.gen(function*() {
        // The other profile has its own key, so the rejection does not come from a missing key.
        yield* seal("other", { ...identity, ...other })
        const sealed = yield* seal("s3cret")
        yield* failsWith(open(sealed, { ...identity, ...other }), "VaultUnavailableError")
      }))
    })
  }

  effect("rejects a secret of another store, even under the same master key", function*() {
    const env = Buffer.alloc(32, 1).toString("base64")
    const sealed = yield* started(yield* temporaryDirectory, { env })(seal("s3cret"))
    yield* started(yield* temporaryDirectory, { env })(Effect.gen(function*() {
      yield* seal("other")
      yield* Effect.flip(open(sealed))
    }))
  })

  inHome.effect("reports the same error for every defect of a sealed secret", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      const sealed = yield* seal("s3cret")
      const otherKey = yield* seal("s3cret", { ...identity, profile: "other" })
      const flipped = Uint8Array.from(sealed)
      flipped[50] = (flipped[50] ?? 0) ^ 1
      const version = Uint8Array.from(sealed)
      version[0] = 2
      const wrong = [flipped, version, otherKey, sealed.subarray(0, 40), new Uint8Array(0), new Uint8Array(200)]
      const details = yield* Effect.forEach(
        wrong,
        (box) => Effect.map(Effect.flip(open(box)), ({ detail }) => detail)
      )
      assert.strictEqual(new Set(details).size, 1)
      assert.notInclude(details[0], "s3cret")
    }))
  })

  inHome.effect("stores no secret or key in plaintext, except in the key file", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const sealed = yield* seal("canary-in-the-vault")
      yield* transact(sql`INSERT INTO client_credentials ${sql.insert({ ...clientRow, sealed })}`)
      const held = [...snapshot(home)].filter(([, content]) => content.includes("canary-in-the-vault"))
      assert.deepStrictEqual(held.map(([name]) => name), [])
      const { key } = yield* transact(Effect.flatMap(DataKeys, (keys) => keys.active(identity.profile)))
      const holdsKey = [...snapshot(home)].filter(([, content]) => content.includes(key.export()))
      assert.deepStrictEqual(holdsKey.map(([name]) => name), [])
    }))
  })

  inHome.effect.skipIf(onPostgres)("creates files that only the owner can access, with any umask", function*(home) {
    yield* permissiveUmask
    yield* started(home)(Effect.andThen(seal("s3cret"), Effect.flatMap(Vault, (vault) => vault.selfTest)))
    for (const name of fs.readdirSync(home, { recursive: true, encoding: "utf8" })) {
      assert.strictEqual(fs.lstatSync(path.join(home, name)).mode & 0o077, 0, name)
    }
    assert.includeMembers(fs.readdirSync(path.join(home, "server")), [
      "credsvc.db",
      "manifest.anchor",
      "master.key"
    ])
  })

  inHome.effect("runs its self-test without leaving a trace", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      const vault = yield* Vault
      const sql = yield* SqlClient.SqlClient
      yield* vault.available
      const manifestOf = sql`SELECT epoch, row_count FROM manifest`
      const before = yield* manifestOf
      yield* vault.selfTest
      yield* vault.selfTest
      assert.deepStrictEqual(yield* manifestOf, before)
      assert.deepStrictEqual(yield* sql`SELECT * FROM connections`, [])
      yield* seal("still works")
    }))
    yield* started(home)(Effect.flatMap(Vault, (vault) => vault.available))
  })

  inHome.effect("describes its master key", function*(home) {
    const status = yield* started(home)(Effect.flatMap(Vault, (vault) => vault.masterKey))
    assert.deepStrictEqual(status, {
      mode: "auto",
      source: "local_key",
      description: `key file ${path.join(home, "server", "master.key")}`
    })
  })
})
