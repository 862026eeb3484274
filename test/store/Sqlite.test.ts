import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { schemaVersion } from "../../src/store/Migrations.ts"
import { Sqlite } from "../../src/store/Sqlite.ts"
import { insertConnection } from "../support/ConnectionRow.ts"

const inDirectory = <A, E, R>(body: (file: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-store-"))),
    (directory) => body(path.join(directory, "server", "credsvc.db")),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )

const opened = <A, E, R>(file: string, body: Effect.Effect<A, E, R>) =>
  Effect.provide(body, Sqlite.layerFile(file, path.dirname(file)))

const pass = Effect.void
const problem = (file: string) => opened(file, Effect.flatMap(Sqlite, (store) => Effect.flip(store.check)))
const digest = (file: string) => crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex")

const withSqlite = (file: string, statements: string) => {
  const db = new DatabaseSync(file, { defensive: false })
  db.exec(statements)
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  db.close()
}

describe("Sqlite", () => {
  it.effect("creates files that only the owner can access, with any umask", () =>
    inDirectory((file) =>
      Effect.acquireUseRelease(
        Effect.sync(() => process.umask(0)),
        () =>
          opened(
            file,
            Effect.gen(function*() {
              yield* insertConnection("r", "default")
              for (const suffix of ["", "-wal"]) {
                assert.strictEqual(fs.statSync(file + suffix).mode & 0o777, 0o600, `mode of credsvc.db${suffix}`)
              }
              assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
            })
          ),
        (before) => Effect.sync(() => process.umask(before))
      )
    ))

  it.effect("sets the pragmas that the security of the file depends on", () =>
    inDirectory((file) =>
      opened(
        file,
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const pragma = (name: string) => Effect.map(sql.unsafe(`PRAGMA ${name}`).values, (rows) => rows[0]?.[0])
          assert.strictEqual(yield* pragma("journal_mode"), "wal")
          assert.strictEqual(yield* pragma("synchronous"), 2)
          assert.strictEqual(yield* pragma("foreign_keys"), 1)
          assert.strictEqual(yield* pragma("secure_delete"), 1)
          assert.strictEqual(yield* pragma("temp_store"), 2)
          assert.strictEqual(yield* pragma("trusted_schema"), 0)
          assert.strictEqual(yield* pragma("cell_size_check"), 1)
          assert.strictEqual(yield* pragma("recursive_triggers"), 1)
          assert.strictEqual(yield* pragma("busy_timeout"), 5000)
          assert.strictEqual(yield* pragma("user_version"), schemaVersion)
        })
      )
    ))

  it.effect("distinguishes a name conflict from other failures", () =>
    inDirectory((file) =>
      opened(
        file,
        Effect.gen(function*() {
          yield* insertConnection("r1", "default")
          const taken = yield* Effect.flip(insertConnection("r2", "default"))
          assert.strictEqual(taken.reason._tag, "UniqueViolation")
          const sql = yield* SqlClient.SqlClient
          const syntax = yield* Effect.flip(sql.unsafe("SELECT FROM"))
          assert.strictEqual(syntax.reason._tag, "UnknownError")
        })
      )
    ))

  it.effect("rolls back a failed savepoint and keeps the changes around it", () =>
    inDirectory((file) =>
      opened(
        file,
        Effect.gen(function*() {
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
      )
    ))

  it.effect("locks out other processes while open, and reports a database that another process has open", () =>
    inDirectory((file) =>
      Effect.gen(function*() {
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
        yield* opened(
          file,
          Effect.gen(function*() {
            assert.include(inAnotherProcess("SELECT * FROM connections"), "database is locked")
            assert.include(inAnotherProcess("DELETE FROM connections"), "database is locked")
            yield* insertConnection("r1", "one")
          })
        )
        assert.notInclude(inAnotherProcess("SELECT * FROM connections"), "database is locked")
        const reader = new DatabaseSync(file)
        reader.exec("SELECT * FROM connections")
        const { message } = yield* Effect.ensuring(problem(file), Effect.sync(() => reader.close()))
        assert.strictEqual(message, `${file} is open in another program; close that program and restart the daemon`)
      })
    ))

  it.effect("maps no file into memory, even after a crash, because a full disk could not hold its pages", () =>
    inDirectory((file) =>
      Effect.gen(function*() {
        const crashed = `${file}-crashed`
        yield* opened(
          file,
          Effect.gen(function*() {
            yield* insertConnection("r1", "one")
            for (const suffix of ["", "-wal"]) fs.copyFileSync(file + suffix, crashed + suffix)
            fs.chmodSync(crashed, 0o600)
          })
        )
        yield* opened(
          crashed,
          Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            assert.lengthOf(yield* sql`SELECT * FROM connections`, 1)
          })
        )
        assert.deepStrictEqual(fs.readdirSync(path.dirname(file)).filter((name) => name.endsWith("-shm")), [])
      })
    ))

  it.effect("keeps its content when reopened", () =>
    inDirectory((file) =>
      Effect.gen(function*() {
        yield* opened(file, insertConnection("r1", "one"))
        const rows = yield* opened(
          file,
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT record_id, sealed FROM connections`)
        )
        assert.deepStrictEqual(rows.map(({ record_id, sealed }) => [record_id, sealed]), [["r1", new Uint8Array([1])]])
        yield* opened(file, Effect.flatMap(Sqlite, (store) => store.check))
      })
    ))

  for (
    const [what, statement] of [
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
  ) {
    it.effect(`rejects a database with ${what} without changing it`, () =>
      inDirectory((file) =>
        Effect.gen(function*() {
          yield* opened(file, pass)
          withSqlite(file, statement)
          const before = digest(file)
          assert.strictEqual((yield* problem(file)).problem, "unexpected_schema")
          assert.strictEqual(digest(file), before)
        })
      ))
  }

  it.effect("rejects a schema of a newer version without changing the file", () =>
    inDirectory((file) =>
      Effect.gen(function*() {
        yield* opened(file, insertConnection("r1", "one"))
        withSqlite(file, `PRAGMA user_version = ${schemaVersion + 1}`)
        const before = digest(file)
        const error = yield* problem(file)
        assert.strictEqual(error.problem, "newer_schema")
        assert.include(error.message, "newer version")
        assert.strictEqual(digest(file), before)
      })
    ))

  it.effect("makes statements fail with the reason if the database is unusable", () =>
    inDirectory((file) =>
      Effect.gen(function*() {
        fs.mkdirSync(path.dirname(file), { mode: 0o700 })
        fs.writeFileSync(file, "this is no database, and long enough to be taken for a header".repeat(100))
        const error = yield* opened(file, Effect.flip(insertConnection("r1", "one")))
        assert.strictEqual(error.reason._tag, "ConnectionError")
        assert.include(error.message, "is damaged")
        assert.strictEqual((yield* problem(file)).problem, "damaged")
      })
    ))

  it.effect("does not follow a symbolic link to a database or its log", () =>
    inDirectory((file) =>
      Effect.gen(function*() {
        fs.mkdirSync(path.dirname(file), { mode: 0o700 })
        fs.symlinkSync("elsewhere", file)
        assert.strictEqual((yield* problem(file)).problem, "unsafe_file")
        fs.rmSync(file)
        fs.symlinkSync("elsewhere", `${file}-wal`)
        assert.strictEqual((yield* problem(file)).problem, "unsafe_file")
        assert.isFalse(fs.existsSync(path.join(path.dirname(file), "elsewhere")))
      })
    ))

  it.effect("leaves no trace of a deleted row in its files after the log is truncated", () =>
    inDirectory((file) =>
      opened(
        file,
        Effect.gen(function*() {
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
      )
    ))

  it.effect("fails cleanly with altered bytes anywhere in the file", () =>
    inDirectory((file) =>
      Effect.gen(function*() {
        yield* opened(file, Effect.andThen(insertConnection("r1", "one"), insertConnection("r2", "two")))
        const original = fs.readFileSync(file)
        for (let round = 0; round < 60; round++) {
          const altered = Buffer.from(original)
          for (let count = 0; count < 8; count++) {
            altered[crypto.randomInt(altered.length)] = crypto.randomInt(256)
          }
          fs.writeFileSync(file, altered)
          // Reading `connections` may succeed or fail, but only with a typed error and without a crash.
          yield* opened(
            file,
            Effect.gen(function*() {
              const sql = yield* SqlClient.SqlClient
              yield* Effect.exit((yield* Sqlite).check)
              const exit = yield* Effect.exit(sql`SELECT * FROM connections`)
              if (exit._tag === "Failure") assert.isFalse(exit.cause.reasons.some((reason) => reason._tag === "Die"))
            })
          )
          for (const suffix of ["-wal", "-shm"]) fs.rmSync(file + suffix, { force: true })
        }
      })
    ))
})
