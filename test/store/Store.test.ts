import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { schemaVersion } from "../../src/store/Migrations.ts"
import { Store } from "../../src/store/Store.ts"
import { insertConnection } from "../support/ConnectionRow.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { permissiveUmask } from "../support/Umask.ts"

const opened = (file: string) => <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.provide(body, Store.layerFile(file, path.dirname(file)))

const newFile = Effect.map(temporaryDirectory, (directory) => path.join(directory, "server", "credsvc.db"))
const withFile = testsWith(newFile)
/** The tests run in the opened store. */
const inStore = testsWith(newFile, (file) => Store.layerFile(file, path.dirname(file)))

const problem = (file: string) => opened(file)(Effect.flatMap(Store, (store) => Effect.flip(store.check)))
const digest = (file: string) => crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex")

const withSqlite = (file: string, statements: string) => {
  const db = new DatabaseSync(file, { defensive: false })
  db.exec(statements)
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  db.close()
}

describe("Store", () => {
  withFile.effect("creates files that only the owner can access, with any umask", function*(file) {
    yield* permissiveUmask
    yield* opened(file)(Effect.gen(function*() {
      yield* insertConnection("r", "default")
      for (const suffix of ["", "-wal"]) {
        assert.strictEqual(fs.statSync(file + suffix).mode & 0o777, 0o600, `mode of credsvc.db${suffix}`)
      }
      assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
    }))
  })

  inStore.effect("sets the pragmas that the security of the file depends on", function*() {
    const sql = yield* SqlClient.SqlClient
    const expected = {
      journal_mode: "wal",
      synchronous: 2,
      foreign_keys: 1,
      secure_delete: 1,
      temp_store: 2,
      trusted_schema: 0,
      cell_size_check: 1,
      recursive_triggers: 1,
      busy_timeout: 5000,
      user_version: schemaVersion
    }
    for (const [name, value] of Object.entries(expected)) {
      const [row] = yield* sql.unsafe(`PRAGMA ${name}`).values
      assert.strictEqual(row?.[0], value, name)
    }
  })

  inStore.effect("distinguishes a name conflict from other failures", function*() {
    yield* insertConnection("r1", "default")
    const taken = yield* Effect.flip(insertConnection("r2", "default"))
    assert.strictEqual(taken.reason._tag, "UniqueViolation")
    const sql = yield* SqlClient.SqlClient
    const syntax = yield* Effect.flip(sql.unsafe("SELECT FROM"))
    assert.strictEqual(syntax.reason._tag, "UnknownError")
  })

  inStore.effect("rolls back a failed savepoint and keeps the changes around it", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* insertConnection("r1", "one")
      yield* Effect.ignore(
        sql.withTransaction(Effect.andThen(insertConnection("r2", "two"), Effect.fail("no")))
      )
    }))
    yield* Effect.ignore(sql.withTransaction(Effect.andThen(insertConnection("r3", "three"), Effect.fail("no"))))
    const rows = yield* sql<{ readonly name: string }>`SELECT name FROM connections`
    assert.deepStrictEqual(rows.map(({ name }) => name), ["one"])
  })

  withFile.effect(
    "locks out other processes while open, and tells them that another process has the store open",
    function*(file) {
      const inAnotherProcess = (statement: string) =>
        childProcess.spawnSync(
          process.execPath,
          [
            "-e",
            "const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]); db.exec(process.argv[2])",
            file,
            statement
          ],
          { encoding: "utf8" }
        ).stderr
      yield* opened(file)(Effect.gen(function*() {
        assert.include(inAnotherProcess("SELECT * FROM connections"), "database is locked")
        assert.include(inAnotherProcess("DELETE FROM connections"), "database is locked")
        yield* insertConnection("r1", "one")
      }))
      assert.notInclude(inAnotherProcess("SELECT * FROM connections"), "database is locked")
      const reader = new DatabaseSync(file)
      reader.exec("SELECT * FROM connections")
      const { message } = yield* Effect.ensuring(problem(file), Effect.sync(() => reader.close()))
      assert.strictEqual(message, `${file} is open in another program; close that program and restart the daemon`)
    }
  )

  withFile.effect(
    "maps no file into memory, even after a crash, because a full disk would then kill the process",
    function*(file) {
      const crashed = `${file}-crashed`
      yield* opened(file)(Effect.gen(function*() {
        yield* insertConnection("r1", "one")
        for (const suffix of ["", "-wal"]) fs.copyFileSync(file + suffix, crashed + suffix)
        fs.chmodSync(crashed, 0o600)
      }))
      yield* opened(crashed)(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`SELECT * FROM connections`, 1)
      }))
      assert.deepStrictEqual(fs.readdirSync(path.dirname(file)).filter((name) => name.endsWith("-shm")), [])
    }
  )

  withFile.effect("keeps its content when reopened", function*(file) {
    yield* opened(file)(insertConnection("r1", "one"))
    const rows = yield* opened(file)(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT record_id, sealed FROM connections`)
    )
    assert.deepStrictEqual(rows.map(({ record_id, sealed }) => [record_id, sealed]), [["r1", new Uint8Array([1])]])
    yield* opened(file)(Effect.flatMap(Store, (store) => store.check))
  })

  const cases = [
    ["a trigger", "CREATE TRIGGER evil AFTER INSERT ON connections BEGIN DELETE FROM audit; END"],
    ["a view", "CREATE VIEW evil AS SELECT * FROM connections"],
    ["a table", "CREATE TABLE evil (a)"],
    ["a missing index", "DROP INDEX connections_name"],
    ["another column", "ALTER TABLE meta ADD COLUMN evil TEXT"],
    [
      "a trigger under a name SQLite reserves",
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES " +
      "('trigger', 'sqlite_evil', 'meta', 0, 'CREATE TRIGGER sqlite_evil AFTER INSERT ON meta BEGIN SELECT 1; END')"
    ]
  ] as const
  for (const [what, statement] of cases) {
    withFile.effect(`rejects a database with ${what} without changing it`, function*(file) {
      yield* opened(file)(Effect.void)
      withSqlite(file, statement)
      const before = digest(file)
      assert.strictEqual((yield* problem(file)).problem, "unexpected_schema")
      assert.strictEqual(digest(file), before)
    })
  }

  withFile.effect("rejects a schema of a newer version without changing the file", function*(file) {
    yield* opened(file)(insertConnection("r1", "one"))
    withSqlite(file, `PRAGMA user_version = ${schemaVersion + 1}`)
    const before = digest(file)
    const error = yield* problem(file)
    assert.strictEqual(error.problem, "newer_schema")
    assert.include(error.message, "newer version")
    assert.strictEqual(digest(file), before)
  })

  withFile.effect("makes statements fail with the reason if the database is unusable", function*(file) {
    fs.mkdirSync(path.dirname(file), { mode: 0o700 })
    fs.writeFileSync(file, "this is no database, and long enough to be taken for a header".repeat(100))
    const error = yield* opened(file)(Effect.flip(insertConnection("r1", "one")))
    assert.strictEqual(error.reason._tag, "ConnectionError")
    assert.include(error.message, "is damaged")
    assert.strictEqual((yield* problem(file)).problem, "damaged")
  })

  withFile.effect(
    "checks the pages of all tables at the start, and the pages of the logs on request",
    function*(file) {
      yield* opened(file)(insertConnection("r1", "one"))
      const intact = fs.readFileSync(file)
      const withDamaged = (table: string) => {
        fs.writeFileSync(file, intact)
        const db = new DatabaseSync(file, { readOnly: true })
        const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.["rootpage"])
        const size = Number(db.prepare("PRAGMA page_size").get()?.["page_size"])
        db.close()
        fs.writeFileSync(file, new Uint8Array(intact).fill(255, (root - 1) * size, root * size))
      }
      const isOpened = Effect.isSuccess(opened(file)(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`)))
      for (const table of ["audit", "use_batches"]) {
        withDamaged(table)
        assert.isTrue(yield* isOpened, table)
        assert.strictEqual((yield* problem(file)).problem, "damaged")
      }
      for (const table of ["connections", "connections_name"]) {
        withDamaged(table)
        assert.isFalse(yield* isOpened, table)
        assert.strictEqual((yield* problem(file)).problem, "damaged")
      }
    }
  )

  withFile.effect("does not follow a symbolic link to a database or its log", function*(file) {
    fs.mkdirSync(path.dirname(file), { mode: 0o700 })
    fs.symlinkSync("elsewhere", file)
    assert.strictEqual((yield* problem(file)).problem, "unsafe_file")
    fs.rmSync(file)
    fs.symlinkSync("elsewhere", `${file}-wal`)
    assert.strictEqual((yield* problem(file)).problem, "unsafe_file")
    assert.isFalse(fs.existsSync(path.join(path.dirname(file), "elsewhere")))
  })

  inStore.effect("leaves no trace of a deleted row in its files after the log is truncated", function*(file) {
    const sql = yield* SqlClient.SqlClient
    const canary = crypto.randomBytes(64)
    const held = () =>
      fs.readdirSync(path.dirname(file)).filter((name) =>
        fs.readFileSync(path.join(path.dirname(file), name)).includes(canary)
      )
    yield* insertConnection("r1", "one")
    yield* sql`UPDATE connections SET secret = ${new Uint8Array(canary)}`
    assert.isNotEmpty(held())
    yield* sql`DELETE FROM connections`
    yield* sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)")
    assert.isEmpty(held())
  })

  withFile.effect("reports a failure for altered bytes anywhere in the file", function*(file) {
    yield* opened(file)(Effect.andThen(insertConnection("r1", "one"), insertConnection("r2", "two")))
    const original = fs.readFileSync(file)
    for (let round = 0; round < 60; round++) {
      const altered = Buffer.from(original)
      for (let count = 0; count < 8; count++) {
        altered[crypto.randomInt(altered.length)] = crypto.randomInt(256)
      }
      fs.writeFileSync(file, altered)
      // Reading `connections` may succeed or fail, but only with a typed error and without a crash.
      yield* opened(file)(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* Effect.exit((yield* Store).check)
        const exit = yield* Effect.exit(sql`SELECT * FROM connections`)
        if (exit._tag === "Failure") assert.isFalse(exit.cause.reasons.some((reason) => reason._tag === "Die"))
      }))
      for (const suffix of ["-wal", "-shm"]) fs.rmSync(file + suffix, { force: true })
    }
  })
})
