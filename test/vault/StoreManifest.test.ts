import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { builtins } from "../../src/platform/builtins.ts"
import { SharedAccess } from "../../src/store/Sqlite.ts"
import { StoreManifest } from "../../src/vault/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { seeded } from "../support/Seed.ts"
import { identity, restore, snapshot, started, tamper, temporaryHome } from "./support.ts"

const protect = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(StoreManifest, (manifest) => manifest.protect(change))

const connection = (name: string, recordId = `id-${name}`) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const sealed = yield* vault.seal({ ...identity, connection: name, recordId }, Redacted.make(`secret of ${name}`))
    return yield* sql`INSERT OR REPLACE INTO connections ${
      sql.insert({
        record_id: recordId,
        profile: identity.profile,
        provider: identity.provider,
        name,
        auth_type: "api_key",
        flow: "api_key",
        generation: 1,
        definition_fp: "fp",
        created_at: "t",
        updated_at: "t",
        sealed,
        secret: sealed
      })
    }`
  })

const run = (statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(statement))

const epoch = Effect.map(run("SELECT epoch FROM manifest"), (rows) => Number(rows[0]?.["epoch"]))

const filled = Effect.gen(function*() {
  for (const name of ["one", "two"]) yield* protect(connection(name))
  yield* protect(run(`INSERT INTO provider_defaults VALUES ('${identity.profile}', 'github', 'one')`))
  yield* protect(run("INSERT INTO client_credentials VALUES ('c', 'p', 'github', 'i', 1, '', '', '', x'01')"))
  yield* protect(
    run("INSERT INTO auth_sessions VALUES ('s', NULL, 'p', 'github', 'n', 'pkce', 'pending', '', '', '', 1, x'01')")
  )
})

/** A stopped vault with rows in every table. */
const filledHome = Effect.tap(temporaryHome, (home) => started(home)(filled))

const refusal = (home: string) =>
  Effect.map(started(home)(Effect.flip(Effect.flatMap(Vault, (vault) => vault.available))), ({ detail }) => detail)

const accepted = (home: string) => started(home)(Effect.flatMap(StoreManifest, (manifest) => manifest.verify))

const changes: ReadonlyArray<readonly [string, string | ((db: DatabaseSync) => void)]> = [
  ["a deleted connection", "DELETE FROM connections WHERE name = 'two'"],
  ["a connection copied under another name", (db) => {
    db.exec(
      "INSERT INTO connections SELECT 'id-3', profile, provider, 'three', auth_type, flow, generation, definition_fp, " +
        "created_at, updated_at, sealed, secret FROM connections WHERE name = 'one'"
    )
  }],
  ["two connections whose secrets were exchanged", (db) => {
    const [one, two] = db.prepare("SELECT name, secret FROM connections ORDER BY name").all()
    db.prepare("UPDATE connections SET secret = ? WHERE name = ?").run(two?.["secret"] as Uint8Array, "one")
    db.prepare("UPDATE connections SET secret = ? WHERE name = ?").run(one?.["secret"] as Uint8Array, "two")
  }],
  ["a connection moved to another provider", "UPDATE connections SET provider = 'evil' WHERE name = 'one'"],
  ["a changed fingerprint", "UPDATE connections SET definition_fp = 'evil' WHERE name = 'one'"],
  ["a changed generation", "UPDATE connections SET generation = 2 WHERE name = 'one'"],
  ["a text that goes on after a NUL character", "UPDATE provider_defaults SET name = name || char(0) || 'x'"],
  ["another number of rows in the manifest", "UPDATE manifest SET row_count = row_count + 1"],
  ["another default connection", "UPDATE provider_defaults SET name = 'two'"],
  ["a deleted default connection", "DELETE FROM provider_defaults"],
  ["deleted client credentials", "DELETE FROM client_credentials"],
  ["an auth session set back", "UPDATE auth_sessions SET status = 'completed'"],
  ["a changed meta value", "INSERT INTO meta VALUES ('audit_head', '0')"],
  ["a deleted profile key", "DELETE FROM data_keys WHERE profile <> '*store'"],
  ["an emptied secret", "UPDATE auth_sessions SET sealed = x''"],
  ["an earlier epoch", "UPDATE manifest SET epoch = epoch - 1"],
  ["a later epoch", "UPDATE manifest SET epoch = epoch + 1"],
  ["no manifest", "DELETE FROM manifest"],
  ["every row deleted", (db) => {
    for (const table of ["connections", "provider_defaults", "client_credentials", "auth_sessions"]) {
      db.exec(`DELETE FROM ${table}`)
    }
  }]
]

describe("StoreManifest", () => {
  for (const [what, change] of changes) {
    it.effect(`detects ${what}`, () =>
      Effect.gen(function*() {
        const home = yield* filledHome
        yield* accepted(home)
        tamper(home, (db) => typeof change === "string" ? db.exec(change) : change(db))
        assert.include(yield* refusal(home), "changed outside of credsvc")
      }))
  }

  it.effect("detects an older copy of the database, and of the anchor", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      const server = path.join(home, "server")
      const yesterday = snapshot(server)
      yield* started(home)(Effect.andThen(protect(connection("three")), protect(connection("four"))))
      const today = snapshot(server)
      const mixed = (database: typeof today, anchor: typeof today) => {
        const files = new Map(database)
        const content = anchor.get("manifest.anchor")
        if (content === undefined) files.delete("manifest.anchor")
        else files.set("manifest.anchor", content)
        restore(server, files)
      }
      mixed(yesterday, today)
      assert.include(yield* refusal(home), "older copy")
      mixed(today, yesterday)
      assert.include(yield* refusal(home), "older copy")
      mixed(today, new Map())
      assert.include(yield* refusal(home), "is missing")
      mixed(today, today)
      yield* accepted(home)
      // Both together are equivalent to a backup. Nothing in the home can distinguish the two, as docs/security.md
      // explains.
      restore(server, yesterday)
      yield* accepted(home)
    }))

  it.effect("detects a different history of the same length", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      const server = path.join(home, "server")
      const fork = snapshot(server)
      yield* started(home)(protect(connection("three")))
      const anchor = fs.readFileSync(path.join(server, "manifest.anchor"))
      restore(server, fork)
      yield* started(home)(protect(connection("four")))
      yield* accepted(home)
      fs.writeFileSync(path.join(server, "manifest.anchor"), anchor)
      assert.include(yield* refusal(home), "another history")
    }))

  it.effect("detects an altered anchor, and the anchor of another store", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      const other = yield* filledHome
      const anchor = path.join(home, "server", "manifest.anchor")
      const original = fs.readFileSync(anchor, "utf8")
      fs.writeFileSync(anchor, original.replace(/"epoch":\d+/, "\"epoch\":1"))
      assert.include(yield* refusal(home), "was altered")
      fs.writeFileSync(anchor, "{}")
      assert.include(yield* refusal(home), "was altered")
      fs.copyFileSync(path.join(other, "server", "manifest.anchor"), anchor)
      assert.include(yield* refusal(home), "was altered")
      fs.writeFileSync(anchor, original)
      yield* accepted(home)
    }))

  it.effect("recovers from a crash between the commit and the anchor", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      const anchor = path.join(home, "server", "manifest.anchor")
      const behind = fs.readFileSync(anchor)
      yield* started(home)(protect(connection("three")))
      const current = fs.readFileSync(anchor)
      fs.writeFileSync(anchor, behind)
      yield* accepted(home)
      assert.deepStrictEqual(fs.readFileSync(anchor), current)
    }))

  it.effect("recovers from a crash between the vault's creation and its first anchor", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      yield* started(home)(Effect.flatMap(Vault, (vault) => vault.available))
      fs.rmSync(path.join(home, "server", "manifest.anchor"))
      yield* accepted(home)
      assert.isTrue(fs.existsSync(path.join(home, "server", "manifest.anchor")))
    }))

  it.effect("rejects the next change while the anchor cannot be written, and continues when it can", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      const anchor = path.join(home, "server", "manifest.anchor")
      yield* started(home)(Effect.gen(function*() {
        yield* protect(connection("three"))
        const behind = fs.readFileSync(anchor)
        yield* protect(Effect.tap(connection("four"), () =>
          Effect.sync(() => {
            fs.rmSync(anchor)
            fs.mkdirSync(anchor)
          })))
        const error = yield* Effect.flip(protect(connection("five")))
        assert.strictEqual(error._tag, "VaultUnavailableError")
        fs.rmdirSync(anchor)
        fs.writeFileSync(anchor, behind)
        yield* protect(connection("five"))
      }))
      assert.strictEqual((yield* accepted(home)).rows, 15)
    }))

  it.effect("rejects a change of a covered table outside of protect", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        yield* Effect.flatMap(Vault, (vault) => vault.available)
        for (
          const statement of [
            "DELETE FROM connections",
            "UPDATE provider_defaults SET name = 'x'",
            "INSERT INTO meta VALUES ('a', 'b')"
          ]
        ) {
          const error = yield* Effect.flip(run(statement))
          assert.include(error.message, "outside of StoreManifest.protect")
        }
      }))
      yield* accepted(home)
    }))

  it.effect("dies inside a foreign transaction, and joins an outer protect", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const exit = yield* Effect.exit(sql.withTransaction(protect(connection("three"))))
        assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.some((reason) => reason._tag === "Die"))
        const before = yield* epoch
        yield* protect(Effect.andThen(protect(connection("three")), protect(connection("four"))))
        assert.strictEqual(yield* epoch, before + 1)
      }))
      yield* accepted(home)
    }))

  it.effect("does not open a vault inside a transaction that may be rolled back", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      yield* started(home)(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const exit = yield* Effect.exit(sql.withTransaction(Effect.flatMap(Vault, (vault) => vault.available)))
        assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.some((reason) => reason._tag === "Die"))
        yield* Effect.flatMap(Vault, (vault) => vault.available)
        yield* sql.withTransaction(Effect.flatMap(Vault, (vault) => vault.available))
      }))
      yield* accepted(home)
    }))

  it.effect("verifies again after a commit with an unknown outcome, without a deadlock", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const vault = yield* Vault
        // A deferred foreign key is checked by COMMIT itself, which therefore fails after all statements succeeded.
        yield* sql.unsafe("CREATE TEMP TABLE parent (id INTEGER PRIMARY KEY)")
        yield* sql.unsafe("CREATE TEMP TABLE child (id REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
        const failed = yield* Effect.flip(
          protect(Effect.andThen(connection("three"), run("INSERT INTO child VALUES (7)")))
        )
        assert.strictEqual(failed._tag, "VaultUnavailableError")
        yield* Effect.all([sql.withTransaction(vault.available), protect(connection("four"))], {
          concurrency: "unbounded"
        })
        const names = yield* run("SELECT name FROM connections ORDER BY name")
        assert.deepStrictEqual(names.map(({ name }) => name), ["four", "one", "two"])
      }))
      yield* accepted(home)
    }))

  it.effect("discards all effects of a failed change", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const before = yield* epoch
        const failed = yield* Effect.flip(protect(Effect.andThen(connection("three"), Effect.fail("no" as const))))
        assert.strictEqual(failed, "no")
        const taken = yield* Effect.flip(protect(run(
          "INSERT INTO connections SELECT 'other', profile, provider, name, auth_type, flow, generation, definition_fp, " +
            "created_at, updated_at, sealed, secret FROM connections WHERE name = 'one'"
        )))
        assert.strictEqual(taken._tag === "SqlError" && taken.reason._tag, "UniqueViolation")
        assert.strictEqual(yield* epoch, before)
        yield* protect(connection("three"))
        assert.strictEqual(yield* epoch, before + 1)
      }))
      yield* accepted(home)
    }))

  it.effect("keeps the epoch if nothing changed", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const before = yield* epoch
        yield* protect(Effect.void)
        yield* protect(run("UPDATE connections SET name = name"))
        yield* protect(run("INSERT INTO audit VALUES (1, 't', 'e', NULL, NULL, NULL, 'ok', '', '', NULL)"))
        assert.strictEqual(yield* epoch, before)
      }))
      yield* accepted(home)
    }))

  it.effect("records a row that INSERT OR REPLACE removed through another unique column", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        yield* protect(connection("one", "another-id"))
        assert.strictEqual((yield* run("SELECT * FROM connections")).length, 2)
      }))
      yield* accepted(home)
    }))

  it.effect("records a row that an upsert changed", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      yield* started(home)(Effect.gen(function*() {
        for (const name of ["one", "two"]) {
          yield* protect(run(
            `INSERT INTO provider_defaults VALUES ('p', 'github', '${name}')
             ON CONFLICT (profile, provider) DO UPDATE SET name = excluded.name`
          ))
        }
      }))
      assert.strictEqual((yield* accepted(home)).epoch, 3)
    }))

  it.effect("records many concurrent changes", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const before = yield* epoch
        yield* Effect.all(Array.from({ length: 25 }, (_, index) => protect(connection(`c${index}`))), {
          concurrency: "unbounded"
        })
        assert.strictEqual(yield* epoch, before + 25)
      }))
      assert.strictEqual((yield* accepted(home)).rows, 37)
    }))

  it.effect("detects a change by another process while it runs", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const manifest = yield* StoreManifest
        yield* manifest.verify
        tamper(home, (db) => db.exec("DELETE FROM connections WHERE name = 'two'"))
        assert.include((yield* Effect.flip(manifest.verify)).detail, "changed outside of credsvc")
      }))
    }).pipe(Effect.provideService(SharedAccess, true)))

  const forgotten = run("PRAGMA shrink_memory")

  /** Edits the file as a disk editor would, without SQLite noticing. */
  const editFile = (home: string, text: string, by: string) =>
    Effect.sync(() => {
      const file = path.join(home, "server", "credsvc.db")
      const at = fs.readFileSync(file).indexOf(text)
      assert.isAbove(at, 0)
      const fd = fs.openSync(file, "r+")
      fs.writeSync(fd, by, at)
      fs.closeSync(fd)
    })

  const refused = <A, E, R>(effect: Effect.Effect<A, E, R>, what: string) =>
    Effect.map(Effect.flip(effect), (error) => {
      assert.include((error as { readonly detail?: string }).detail, "changed outside of credsvc")
      assert.include((error as { readonly detail?: string }).detail, what)
    })

  const client = run(
    "INSERT INTO client_credentials VALUES ('d', 'p', 'github', 'https://issuer.example', 1, '', '', '', x'01')"
  )

  it.effect("does not accept an edit of the file with the next change of the same row", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        yield* protect(client)
        yield* run("PRAGMA wal_checkpoint(TRUNCATE)")
        yield* editFile(home, "https://issuer.example", "https://forger.example")
        yield* forgotten
        const change = protect(run("UPDATE client_credentials SET generation = 2 WHERE record_id = 'd'"))
        yield* refused(change, "a row of client_credentials was altered")
        yield* refused(protect(connection("three")), "a row of client_credentials was altered")
        yield* refused(Effect.flatMap(Vault, (vault) => vault.available), "was altered")
      }))
      assert.include(yield* refusal(home), "rows were altered")
    }))

  it.effect("verifies the data on the disk, not SQLite's cache", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const manifest = yield* StoreManifest
        yield* protect(client)
        yield* run("PRAGMA wal_checkpoint(TRUNCATE)")
        yield* manifest.verify
        yield* editFile(home, "https://issuer.example", "https://forger.example")
        yield* refused(manifest.verify, "rows were altered")
      }))
    }))

  /** Changes the database as a program that uses SQLite without its locks. */
  const editUnlocked = (home: string, statement: string) =>
    Effect.sync(() => {
      const file = new URL("?vfs=unix-none", pathToFileURL(path.join(home, "server", "credsvc.db")))
      const db = new builtins.sqlite.DatabaseSync(file)
      db.exec("PRAGMA locking_mode = EXCLUSIVE")
      db.exec(statement)
      db.close()
    })

  it.effect.skipIf(process.platform === "win32")(
    "never accepts a change by a program that ignores the lock",
    () =>
      Effect.gen(function*() {
        for (const changes of [0, 1, 70]) {
          for (const verifies of [true, false]) {
            const home = yield* filledHome
            yield* started(home)(Effect.gen(function*() {
              const { verify } = yield* StoreManifest
              yield* protect(client)
              yield* run("PRAGMA wal_checkpoint(TRUNCATE)")
              yield* editUnlocked(home, "UPDATE provider_defaults SET name = 'two'")
              yield* Effect.forEach(Array.from({ length: changes }), (_, at) => protect(connection(`later-${at}`)))
              if (verifies) yield* refused(verify, "rows were altered")
            }))
            assert.include(yield* refusal(home), "rows were altered")
          }
        }
      })
  )

  it.effect("detects a database replaced by another file", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      const database = path.join(home, "server", "credsvc.db")
      yield* started(home)(Effect.gen(function*() {
        yield* protect(connection("three"))
        fs.copyFileSync(database, `${database}.other`)
        fs.renameSync(`${database}.other`, database)
        yield* refused(protect(connection("four")), "another file")
      }))
    }))

  it.effect("rejects a trigger that would change rows within its own transactions", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        yield* Effect.flatMap(Vault, (vault) => vault.available)
        tamper(home, (db) =>
          db.exec("CREATE TRIGGER t AFTER INSERT ON connections BEGIN UPDATE provider_defaults SET name = 'evil'; END"))
        yield* refused(protect(connection("three")), "unexpected trigger t")
      }))
    }).pipe(Effect.provideService(SharedAccess, true)))

  it.effect("keeps a detected difference until a restart, even if it was undone", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        const manifest = yield* StoreManifest
        const { ready } = manifest
        yield* ready
        tamper(home, (db) => db.exec("UPDATE provider_defaults SET name = 'two'"))
        yield* refused(ready, "rows were altered")
        tamper(home, (db) => db.exec("UPDATE provider_defaults SET name = 'one'"))
        yield* refused(ready, "rows were altered")
        yield* refused(protect(connection("three")), "rows were altered")
        yield* refused(manifest.verify, "rows were altered")
      }))
      yield* accepted(home)
    }).pipe(Effect.provideService(SharedAccess, true)))

  it.effect("detects an anchor that was removed or restored while it runs", () =>
    Effect.gen(function*() {
      for (const change of ["removed", "put back"]) {
        const home = yield* filledHome
        const anchor = path.join(home, "server", "manifest.anchor")
        const earlier = fs.readFileSync(anchor)
        yield* started(home)(Effect.gen(function*() {
          yield* protect(connection("three"))
          if (change === "removed") fs.rmSync(anchor)
          else fs.writeFileSync(anchor, earlier)
          yield* refused(protect(connection("four")), "manifest.anchor")
        }))
      }
    }))

  it.effect("truncates the write-ahead log after a deletion, so that deleted data does not remain in it", () =>
    Effect.gen(function*() {
      const home = yield* filledHome
      yield* started(home)(Effect.gen(function*() {
        yield* protect(connection("canary"))
        const rows = yield* run("SELECT secret FROM connections WHERE name = 'canary'")
        const canary = Buffer.from(rows[0]?.["secret"] as Uint8Array)
        const held = () => [...snapshot(home)].filter(([, content]) => content.includes(canary)).map(([name]) => name)
        assert.isNotEmpty(held())
        yield* protect(run("DELETE FROM connections WHERE name = 'canary'"))
        assert.deepStrictEqual(held(), [])
      }))
    }))

  const Step = Schema.Struct({
    action: Schema.Literals(["insert", "update", "delete", "default", "fail", "restart"]),
    name: Schema.Literals(["a", "b", "c", "d"])
  })

  it.effect.prop(
    "verifies after any sequence of changes",
    [Schema.Array(Step).check(Schema.isMaxLength(12))],
    ([steps]) =>
      Effect.scoped(Effect.gen(function*() {
        const home = yield* temporaryHome
        const restarts: Array<Array<typeof Step.Type>> = [[]]
        for (const step of steps) {
          if (step.action === "restart") restarts.push([])
          else restarts.at(-1)?.push(step)
        }
        for (const part of restarts) {
          yield* started(home)(Effect.gen(function*() {
            for (const { action, name } of part) {
              const change = {
                insert: connection(name),
                update: run(`UPDATE connections SET name = name || '+' WHERE name LIKE '${name}%'`),
                delete: run(`DELETE FROM connections WHERE name = '${name}'`),
                default: run(`INSERT OR REPLACE INTO provider_defaults VALUES ('p', 'github', '${name}')`),
                fail: Effect.andThen(connection(name), Effect.fail("no")),
                restart: Effect.void
              }[action]
              yield* Effect.exit(protect<unknown, unknown, SqlClient.SqlClient | Vault>(change))
            }
            yield* Effect.flatMap(StoreManifest, (manifest) => manifest.verify)
          }))
        }
      })),
    { arbitrary: { ...seeded.arbitrary, runs: 25 } }
  )
})
