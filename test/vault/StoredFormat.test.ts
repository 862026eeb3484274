/**
 * A home in version 1 of the stored format, row by row. It must open forever.
 *
 * If this test fails, stored secrets of users would not open either. The change then needs a new format version that
 * is read in addition to the old one, and the fixture stays unchanged.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as path from "node:path"
import type { SQLInputValue } from "node:sqlite"
import { Store } from "../../src/store/Store.ts"
import { DataKeys } from "../../src/vault/keys/DataKeys.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { effect } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { fixture, type Value } from "./fixtures/homeV1.ts"
import { identity, started, tamper } from "./support.ts"

const bound = (value: Value): SQLInputValue => typeof value === "object" ? Buffer.from(value.hex, "hex") : value

const home = Effect.tap(temporaryDirectory, (home) =>
  Effect.gen(function*() {
    const server = path.join(home, "server")
    yield* Effect.provide(Effect.void, Store.layerFile(path.join(server, "credsvc.db"), server))
    tamper(home, (db) => {
      for (const [table, rows] of Object.entries(fixture.tables)) {
        for (const row of rows) {
          const columns = Object.keys(row)
          db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
            .run(...Object.values(row).map(bound))
        }
      }
    })
    for (const [name, content] of Object.entries(fixture.files)) {
      fs.writeFileSync(path.join(home, name), content, { mode: 0o600 })
    }
  }))

describe("Stored format 1", () => {
  effect("opens with its key file, header, data keys, secrets, manifest and anchor", function*() {
    const directory = yield* home
    yield* started(directory)(Effect.gen(function*() {
      const vault = yield* Vault
      const manifest = yield* StoreManifest
      const keys = yield* DataKeys
      const [row] = fixture.tables["connections"] ?? []
      const open = (column: string) =>
        Effect.map(
          vault.open({ ...identity, field: column }, bound(row?.[column] ?? "") as Buffer),
          Redacted.value
        )
      assert.strictEqual((yield* vault.masterKey).source, "local_key")
      assert.deepStrictEqual(yield* manifest.verify, { rows: 9, epoch: 4 })
      assert.strictEqual(yield* open("secret"), "the secret of version 1 – ünïcödé")
      assert.strictEqual(yield* open("sealed"), "{\"status\":\"connected\"}")
      const audit = yield* keys.storeKey("credsvc/audit/v1")
      assert.strictEqual(audit.export().toString("hex"), fixture.audit_mac_key)
    }))
    // An anchor that this version would write differently is written again.
    const anchor = path.join("server", "manifest.anchor")
    assert.strictEqual(fs.readFileSync(path.join(directory, anchor), "utf8"), fixture.files[anchor])
  })
})
