import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { builtins } from "../../../src/platform/builtins.ts"
import { SharedAccess } from "../../../src/store/Store.ts"
import { StoreManifest } from "../../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../../src/vault/Vault.ts"
import { connectionRow } from "../../support/ConnectionRow.ts"
import { failsWith } from "../../support/Failures.ts"
import { type Body, testsWith } from "../../support/Fixture.ts"
import { databaseOf, transact } from "../../support/Services.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { toEffect } from "../../support/TestBody.ts"
import { identity, restore, snapshot, started, tamper, vaultOf } from "../support.ts"

const connection = (name: string, recordId = `id-${name}`) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const sealed = yield* vault.seal({ ...identity, connection: name, recordId }, Redacted.make(`secret of ${name}`))
    return yield* sql`INSERT OR REPLACE INTO connections ${
      sql.insert({ ...connectionRow(recordId, name), profile: identity.profile, sealed, secret: sealed })
    }`
  })

const run = (statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(statement))

/** Copies the connection `one` under another record id and name. */
const copyOne = (recordId: string, name: string) =>
  `INSERT INTO connections SELECT '${recordId}', profile, provider, '${name}', auth_type, flow, generation, ` +
  "definition_fp, created_at, updated_at, sealed, secret FROM connections WHERE name = 'one'"

const available = Effect.flatMap(Vault, (vault) => vault.available)
const epoch = Effect.map(run("SELECT epoch FROM manifest"), (rows) => Number(rows[0]?.["epoch"]))

const filled = Effect.gen(function*() {
  for (const name of ["one", "two"]) yield* transact(connection(name))
  yield* transact(run(`INSERT INTO provider_defaults VALUES ('${identity.profile}', 'github', 'one')`))
  yield* transact(run("INSERT INTO client_credentials VALUES ('c', 'p', 'github', 'i', 1, '', '', '', x'01')"))
  yield* transact(
    run("INSERT INTO auth_sessions VALUES ('s', NULL, 'p', 'github', 'n', 'pkce', 'pending', '', '', '', 1, x'01')")
  )
})

/** A stopped vault with rows in every table. */
const filledHome = Effect.tap(temporaryDirectory, (home) => started(home)(filled))

const refusal = (home: string) => Effect.map(started(home)(Effect.flip(available)), ({ detail }) => detail)

const accepted = (home: string) => started(home)(Effect.flatMap(StoreManifest, (manifest) => manifest.verify))

const anchorOf = (home: string) => path.join(home, "server", "manifest.anchor")

const inHome = testsWith(temporaryDirectory)
const inFilledHome = testsWith(filledHome)
/** The tests run in a started vault with rows in every table. */
const inVault = testsWith(filledHome, (home) => vaultOf(home))
/** As `inVault`, but others can open the database meanwhile. */
const inSharedVault = testsWith(
  filledHome,
  (home) => Layer.provideMerge(vaultOf(home), Layer.succeed(SharedAccess, true))
)
/** As `inVault`. Afterwards, a new process must accept the store. */
const inIntactVault = (title: string, body: Body<string, Layer.Success<ReturnType<typeof vaultOf>>>) =>
  inFilledHome.effect(title, function*(home) {
    yield* started(home)(toEffect(body(home)))
    yield* accepted(home)
  })

const changes: ReadonlyArray<readonly [string, string | ((db: DatabaseSync) => void)]> = [
  ["a deleted connection", "DELETE FROM connections WHERE name = 'two'"],
  ["a connection copied under another name", copyOne("id-3", "three")],
  ["two connections whose secrets were exchanged", (db) => {
    const [one, two] = db.prepare("SELECT name, secret FROM connections ORDER BY name").all()
    db.prepare("UPDATE connections SET secret = ? WHERE name = ?").run(two?.["secret"] as Uint8Array, "one")
    db.prepare("UPDATE connections SET secret = ? WHERE name = ?").run(one?.["secret"] as Uint8Array, "two")
  }],
  ["a connection moved to another provider", "UPDATE connections SET provider = 'evil' WHERE name = 'one'"],
  ["a changed fingerprint", "UPDATE connections SET definition_fp = 'evil' WHERE name = 'one'"],
  ["a changed generation", "UPDATE connections SET generation = 2 WHERE name = 'one'"],
  ["text appended after a NUL character", "UPDATE provider_defaults SET name = name || char(0) || 'x'"],
  ["a changed row count in the manifest", "UPDATE manifest SET row_count = row_count + 1"],
  ["a changed default connection", "UPDATE provider_defaults SET name = 'two'"],
  ["a deleted default connection", "DELETE FROM provider_defaults"],
  ["deleted client credentials", "DELETE FROM client_credentials"],
  ["a changed status of an auth session", "UPDATE auth_sessions SET status = 'completed'"],
  ["a changed meta value", "INSERT INTO meta VALUES ('audit_head', '0')"],
  ["a deleted profile key", "DELETE FROM data_keys WHERE profile <> '*store'"],
  ["an empty secret", "UPDATE auth_sessions SET sealed = x''"],
  ["an earlier epoch", "UPDATE manifest SET epoch = epoch - 1"],
  ["a later epoch", "UPDATE manifest SET epoch = epoch + 1"],
  ["a missing manifest", "DELETE FROM manifest"],
  ["the deletion of every row", (db) => {
    for (const table of ["connections", "provider_defaults", "client_credentials", "auth_sessions"]) {
      db.exec(`DELETE FROM ${table}`)
    }
  }]
]

describe("StoreManifest", () => {
  for (const [what, change] of changes) {
    inFilledHome.effect(`detects ${what}`, function*(home) {
      yield* accepted(home)
      tamper(home, (db) => typeof change === "string" ? db.exec(change) : change(db))
      assert.include(yield* refusal(home), "changed outside of credsvc")
    })
  }

  inFilledHome.effect("detects an older copy of the database, and of the anchor", function*(home) {
    const server = path.join(home, "server")
    const yesterday = snapshot(server)
    yield* started(home)(transact(connection("three")))
    const previous = snapshot(server)
    yield* started(home)(transact(connection("four")))
    const today = snapshot(server)
    const mixed = (database: typeof today, anchor: typeof today) => {
      const files = new Map(database)
      const content = anchor.get("manifest.anchor")
      if (content === undefined) files.delete("manifest.anchor")
      else files.set("manifest.anchor", content)
      restore(server, files)
    }
    for (const older of [yesterday, previous]) {
      mixed(older, today)
      assert.include(yield* refusal(home), "older copy")
    }
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
  })

  inFilledHome.effect("detects a different history of the same length", function*(home) {
    const server = path.join(home, "server")
    const fork = snapshot(server)
    yield* started(home)(transact(connection("three")))
    const anchor = fs.readFileSync(anchorOf(home))
    restore(server, fork)
    yield* started(home)(transact(connection("four")))
    yield* accepted(home)
    fs.writeFileSync(anchorOf(home), anchor)
    assert.include(yield* refusal(home), "the database does not match")
  })

  inFilledHome.effect("detects an altered anchor, and the anchor of another store", function*(home) {
    const anchor = anchorOf(home)
    const original = fs.readFileSync(anchor, "utf8")
    const foreign = fs.readFileSync(anchorOf(yield* filledHome), "utf8")
    for (const altered of [original.replace(/"epoch":\d+/, "\"epoch\":1"), "{}", foreign]) {
      fs.writeFileSync(anchor, altered)
      assert.include(yield* refusal(home), "was altered", altered)
    }
    fs.writeFileSync(anchor, original)
    yield* accepted(home)
  })

  inFilledHome.effect("recovers from a crash between the commit and the anchor", function*(home) {
    const anchor = anchorOf(home)
    const behind = fs.readFileSync(anchor)
    yield* started(home)(transact(connection("three")))
    const current = fs.readFileSync(anchor)
    fs.writeFileSync(anchor, behind)
    yield* accepted(home)
    assert.deepStrictEqual(fs.readFileSync(anchor), current)
  })

  inHome.effect("recovers from a crash between the vault's creation and its first anchor", function*(home) {
    yield* started(home)(available)
    fs.rmSync(anchorOf(home))
    yield* accepted(home)
    assert.isTrue(fs.existsSync(anchorOf(home)))
  })

  inFilledHome.effect("rejects the next change while the anchor cannot be written, then continues", function*(home) {
    const anchor = anchorOf(home)
    yield* started(home)(Effect.gen(function*() {
      yield* transact(connection("three"))
      const behind = fs.readFileSync(anchor)
      yield* transact(Effect.tap(connection("four"), () =>
        Effect.sync(() => {
          fs.rmSync(anchor)
          fs.mkdirSync(anchor)
        })))
      yield* failsWith(transact(connection("five")), "VaultUnavailableError")
      fs.rmdirSync(anchor)
      fs.writeFileSync(anchor, behind)
      yield* transact(connection("five"))
    }))
    assert.strictEqual((yield* accepted(home)).rows, 15)
  })

  inIntactVault("rejects changes outside of transact to tables that the manifest covers", function*() {
    yield* available
    const cases = [
      "DELETE FROM connections",
      "UPDATE provider_defaults SET name = 'x'",
      "INSERT INTO meta VALUES ('a', 'b')"
    ]
    for (const statement of cases) {
      const error = yield* Effect.flip(run(statement))
      assert.include(error.message, "outside of StoreManifest.transact")
    }
  })

  inIntactVault("runs nested transactions as one", function*() {
    const before = yield* epoch
    yield* transact(Effect.andThen(transact(connection("three")), transact(connection("four"))))
    assert.strictEqual(yield* epoch, before + 1)
  })

  inIntactVault("verifies again after a commit with an unknown outcome, without a deadlock", function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    // A deferred foreign key is checked by COMMIT itself, which therefore fails after all statements succeeded.
    yield* sql.unsafe("CREATE TEMP TABLE parent (id INTEGER PRIMARY KEY)")
    yield* sql.unsafe("CREATE TEMP TABLE child (id REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
    yield* failsWith(
      transact(Effect.andThen(connection("three"), run("INSERT INTO child VALUES (7)"))),
      "VaultUnavailableError"
    )
    yield* Effect.all([sql.withTransaction(vault.available), transact(connection("four"))], {
      concurrency: "unbounded"
    })
    const names = yield* run("SELECT name FROM connections ORDER BY name")
    assert.deepStrictEqual(names.map(({ name }) => name), ["four", "one", "two"])
  })

  inIntactVault("discards all effects of a failed change", function*() {
    const before = yield* epoch
    const failed = yield* Effect.flip(transact(Effect.andThen(connection("three"), Effect.fail("no" as const))))
    assert.strictEqual(failed, "no")
    const taken = yield* Effect.flip(transact(run(copyOne("other", "one"))))
    assert.include(taken.detail, "could not be read or written")
    assert.strictEqual(yield* epoch, before)
    yield* transact(connection("three"))
    assert.strictEqual(yield* epoch, before + 1)
  })

  inIntactVault("keeps the epoch if nothing changed", function*() {
    const before = yield* epoch
    yield* transact(Effect.void)
    yield* transact(run("UPDATE connections SET name = name"))
    yield* transact(run("INSERT INTO audit VALUES (1, 't', 'e', NULL, NULL, NULL, 'ok', '', '', NULL)"))
    assert.strictEqual(yield* epoch, before)
  })

  inIntactVault("records a row that INSERT OR REPLACE removed through another unique column", function*() {
    yield* transact(connection("one", "another-id"))
    assert.strictEqual((yield* run("SELECT * FROM connections")).length, 2)
  })

  inHome.effect("records a row that an upsert changed", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      for (const name of ["one", "two"]) {
        yield* transact(run(
          `INSERT INTO provider_defaults VALUES ('p', 'github', '${name}')
             ON CONFLICT (profile, provider) DO UPDATE SET name = excluded.name`
        ))
      }
    }))
    assert.strictEqual((yield* accepted(home)).epoch, 3)
  })

  inFilledHome.effect("records many concurrent changes", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      const before = yield* epoch
      yield* Effect.all(Array.from({ length: 25 }, (_, index) => transact(connection(`c${index}`))), {
        concurrency: "unbounded"
      })
      assert.strictEqual(yield* epoch, before + 25)
    }))
    assert.strictEqual((yield* accepted(home)).rows, 37)
  })

  inSharedVault.effect("detects a change by another process while the store is open", function*(home) {
    const manifest = yield* StoreManifest
    yield* manifest.verify
    tamper(home, (db) => db.exec("DELETE FROM connections WHERE name = 'two'"))
    assert.include((yield* Effect.flip(manifest.verify)).detail, "changed outside of credsvc")
  })

  inSharedVault.effect("rolls back a change during which another check finds that the store was altered", function*() {
    const manifest = yield* StoreManifest
    const change = Effect.andThen(connection("late"), Effect.ignore(manifest.condemn("rows were altered")))
    assert.include((yield* Effect.flip(transact(change))).detail, "changed outside of credsvc: rows were altered")
    const sql = yield* SqlClient.SqlClient
    assert.deepStrictEqual(yield* sql`SELECT name FROM connections WHERE name = 'late'`, [])
  })

  const forgotten = run("PRAGMA shrink_memory")

  /** Edits the file as a disk editor would, without SQLite noticing. */
  const editFile = (home: string, text: string, by: string) =>
    Effect.sync(() => {
      const file = databaseOf(home)
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

  inFilledHome.effect("detects an edit of the file when the same row is changed next", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      yield* transact(client)
      yield* run("PRAGMA wal_checkpoint(TRUNCATE)")
      yield* editFile(home, "https://issuer.example", "https://forger.example")
      yield* forgotten
      const change = transact(run("UPDATE client_credentials SET generation = 2 WHERE record_id = 'd'"))
      yield* refused(change, "a row of client_credentials was altered")
      yield* refused(transact(connection("three")), "a row of client_credentials was altered")
      yield* refused(available, "was altered")
    }))
    assert.include(yield* refusal(home), "rows were altered")
  })

  inVault.effect("verifies the data on the disk, not SQLite's cache", function*(home) {
    const manifest = yield* StoreManifest
    yield* transact(client)
    yield* run("PRAGMA wal_checkpoint(TRUNCATE)")
    yield* manifest.verify
    yield* editFile(home, "https://issuer.example", "https://forger.example")
    yield* refused(manifest.verify, "rows were altered")
  })

  /** Changes the database as a program that uses SQLite without its locks. */
  const editUnlocked = (home: string, statement: string) =>
    Effect.sync(() => {
      const file = new URL("?vfs=unix-none", pathToFileURL(databaseOf(home)))
      const db = new builtins.sqlite.DatabaseSync(file)
      db.exec("PRAGMA locking_mode = EXCLUSIVE")
      db.exec(statement)
      db.close()
    })

  for (const changes of [0, 1, 70]) {
    for (const verifies of [true, false]) {
      inFilledHome.effect.skipIf(process.platform === "win32")(
        `never accepts a change by a program that ignores the lock, after ${changes} changes, verified: ${verifies}`,
        function*(home) {
          yield* started(home)(Effect.gen(function*() {
            const { verify } = yield* StoreManifest
            yield* transact(client)
            yield* run("PRAGMA wal_checkpoint(TRUNCATE)")
            yield* editUnlocked(home, "UPDATE provider_defaults SET name = 'two'")
            yield* Effect.forEach(Array.from({ length: changes }), (_, at) => transact(connection(`later-${at}`)))
            if (verifies) yield* refused(verify, "rows were altered")
          }))
          assert.include(yield* refusal(home), "rows were altered")
        }
      )
    }
  }

  inFilledHome.effect("detects a database replaced by another file", function*(home) {
    const database = databaseOf(home)
    yield* started(home)(Effect.gen(function*() {
      yield* transact(connection("three"))
      fs.copyFileSync(database, `${database}.other`)
      fs.renameSync(`${database}.other`, database)
      yield* refused(transact(connection("four")), "is not the file that was opened")
    }))
  })

  inSharedVault.effect("rejects a trigger that would change rows within its own transactions", function*(home) {
    yield* available
    tamper(
      home,
      (db) =>
        db.exec("CREATE TRIGGER t AFTER INSERT ON connections BEGIN UPDATE provider_defaults SET name = 'evil'; END")
    )
    yield* refused(transact(connection("three")), "unexpected trigger t")
  })

  inFilledHome.effect("keeps a detected difference until a restart, even if it was undone", function*(home) {
    yield* started(home)(Effect.gen(function*() {
      const { verified, verify } = yield* StoreManifest
      const ready = verified("rows")
      yield* ready
      tamper(home, (db) => db.exec("UPDATE provider_defaults SET name = 'two'"))
      yield* refused(ready, "rows were altered")
      tamper(home, (db) => db.exec("UPDATE provider_defaults SET name = 'one'"))
      yield* refused(transact(connection("three")), "rows were altered")
      yield* refused(verify, "rows were altered")
      yield* refused(ready, "rows were altered")
    })).pipe(Effect.provideService(SharedAccess, true))
    yield* accepted(home)
  })

  for (const what of ["removed", "restored"]) {
    inFilledHome.effect(`detects an anchor that was ${what} while the store is open`, function*(home) {
      const earlier = fs.readFileSync(anchorOf(home))
      yield* started(home)(Effect.gen(function*() {
        yield* transact(connection("three"))
        if (what === "removed") fs.rmSync(anchorOf(home))
        else fs.writeFileSync(anchorOf(home), earlier)
        yield* refused(transact(connection("four")), "manifest.anchor")
      }))
    })
  }

  inVault.effect("truncates the write-ahead log after a deletion, with the deleted data", function*(home) {
    yield* transact(connection("canary"))
    const rows = yield* run("SELECT secret FROM connections WHERE name = 'canary'")
    const canary = Buffer.from(rows[0]?.["secret"] as Uint8Array)
    const held = () => [...snapshot(home)].filter(([, content]) => content.includes(canary)).map(([name]) => name)
    assert.isNotEmpty(held())
    yield* transact(run("DELETE FROM connections WHERE name = 'canary'"))
    assert.deepStrictEqual(held(), [])
  })
})
