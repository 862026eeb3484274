/** Backups of stores of both kinds, and what restoring them changes. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { RequestLog } from "../../src/audit/RequestLog.ts"
import { Documents, takeovers } from "../../src/config/Documents.ts"
import { Paths, pathsOf } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import type { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import type { RunName } from "../../src/domain/wire/Run.ts"
import * as SecureFiles from "../../src/platform/files/SecureFiles.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { makeBackups } from "../../src/server/StoreBackup.ts"
import { type RestoreOptions, restoreStore } from "../../src/server/StoreRestore.ts"
import { HomeLock } from "../../src/store/HomeLock.ts"
import { Store } from "../../src/store/Store.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { connectionRow } from "../support/ConnectionRow.ts"
import { failsWith } from "../support/Failures.ts"
import { testsWith } from "../support/Fixture.ts"
import { foundation, transact } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { databaseOf, databaseUrlOf, onPostgres, storeOfHome } from "../support/TestStore.ts"
import { identity } from "../vault/support.ts"

type Kind = "file" | "postgresql"

const own: Kind = onPostgres ? "postgresql" : "file"

/** What a daemon of the home has. Each call is a new start. */
const daemon = (home: string, kind: Kind = own) =>
  Layer.fresh(RequestLog.layerNoDeps.pipe(
    Layer.provideMerge(foundation(home, kind === "file" ? Store.layerNoDeps : storeOfHome(home)))
  ))

const secretOf = { ...identity, connection: "one", recordId: "id-one" }
const document = "{ \"acme\": [] }\n"

const store = (name: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    yield* transact(Effect.gen(function*() {
      const secret = yield* vault.seal(
        { ...secretOf, connection: name, recordId: `id-${name}` },
        Redacted.make("s3cret")
      )
      const row = { ...connectionRow(`id-${name}`, name), profile: identity.profile, sealed: secret, secret }
      yield* sql`INSERT INTO connections ${sql.insert(row)}`
    }))
  })

const record = (event: "login" | "store-backup") =>
  Effect.flatMap(
    AuditLog,
    (audit) =>
      audit.append({
        event,
        provider: null,
        connection: null,
        identity: identity.profile as ProfileHandle,
        status: "ok"
      })
  )

const filled = Effect.gen(function*() {
  yield* Effect.flatMap(Profiles, (profiles) => profiles.active)
  yield* Effect.flatMap(Documents, (documents) => documents.write(takeovers, document))
  yield* store("one")
  yield* record("login")
  yield* Effect.flatMap(
    RequestLog,
    (log) => log.record({ run: "0123456789" as RunName, profile: identity.profile as ProfileHandle, report: undefined })
  )
})

const home = Effect.tap(temporaryDirectory, (home) => Effect.provide(filled, daemon(home)))
const inHome = testsWith(home)

const fileIn = (directory: string) => path.join(directory, "a.backup")

/** Makes a backup. */
const backUp = (file: string) =>
  Effect.gen(function*() {
    const backUp = yield* makeBackups
    return yield* backUp(file, Effect.provide(record("store-backup"), yield* Effect.context<AuditLog>()))
  })

const inFileHome = testsWith(Effect.tap(temporaryDirectory, (home) => Effect.provide(filled, daemon(home, "file"))))

const withBackup = testsWith(Effect.tap(home, (home) => Effect.provide(backUp(fileIn(home)), daemon(home))))

const restore = (home: string, options: Partial<RestoreOptions> & { readonly file: string }, kind: Kind = own) =>
  Effect.provide(
    restoreStore({ check: false, replace: false, ...options }),
    Layer.provideMerge(
      Paths.layerNoDeps,
      Settings.layerOf({
        home,
        masterKeyMode: Option.some("local_key"),
        ...(kind === "file" ? {} : { databaseUrl: Option.some(Redacted.make(databaseUrlOf(home))) })
      })
    )
  )

/** A new home with the key of another one. */
const emptyHome = (home: string) =>
  Effect.tap(temporaryDirectory, (empty) =>
    Effect.sync(() => {
      fs.mkdirSync(path.join(empty, "server"), { mode: 0o700 })
      fs.copyFileSync(path.join(home, "server/master.key"), path.join(empty, "server/master.key"))
    }))

/** The names of the connections and the newest event, of a store that verifies and whose secret opens. */
const contents = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* (yield* StoreManifest).verify
  const rows = yield* sql<{ readonly name: string; readonly secret: Uint8Array }>`
    SELECT name, secret FROM connections ORDER BY rowid`
  const [one] = rows
  assert.strictEqual(Redacted.value(yield* (yield* Vault).open(secretOf, one!.secret)), "s3cret")
  const { copy, ok } = yield* (yield* AuditLog).verify
  assert.deepInclude({ ok, copy }, { ok: true }, copy)
  assert.strictEqual((yield* (yield* RequestLog).verify).problem, undefined)
  const stored = yield* (yield* Documents).read(takeovers)
  assert.strictEqual(new TextDecoder().decode(Option.getOrThrow(stored)), document)
  const events = yield* (yield* AuditLog).list({ limit: 2 })
  return {
    names: rows.map(({ name }) => name),
    events: events.map(({ event }) => event),
    profile: yield* (yield* Profiles).active
  }
})

const opens = (home: string, kind: Kind = own) => Effect.provide(contents, daemon(home, kind))

const epochOf = (home: string) =>
  Effect.provide(Effect.map(Effect.flatMap(StoreManifest, ({ verify }) => verify), ({ epoch }) => epoch), daemon(home))

const refusal = (effect: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const alter = (file: string, statement: string) => {
  const db = new DatabaseSync(file)
  db.exec(statement)
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  db.close()
}

describe("A backup", () => {
  const ways: ReadonlyArray<readonly [from: Kind, to: Kind]> = onPostgres
    ? [["postgresql", "postgresql"], ["postgresql", "file"], ["file", "postgresql"]]
    : [["file", "file"]]
  for (const [from, to] of ways) {
    const fromStore = testsWith(Effect.tap(temporaryDirectory, (home) => Effect.provide(filled, daemon(home, from))))
    fromStore.effect(`of a store in ${from} restores an empty home with ${to}`, function*(home) {
      const made = yield* Effect.provide(backUp(fileIn(home)), daemon(home, from))
      assert.strictEqual(fs.statSync(fileIn(home)).mode & 0o777, 0o600)
      assert.deepInclude(made, { keySource: "local_key", requestBatches: 1, auditEntries: 2 })
      assert.notInclude(fs.readFileSync(fileIn(home), "latin1"), "s3cret")
      assert.isFalse(fs.existsSync(path.join(home, "server/backup")))
      const before = yield* opens(home, from)
      const empty = yield* emptyHome(home)
      const checked = yield* restore(empty, { file: fileIn(home), check: true }, to)
      assert.deepInclude(checked, { rows: made.rows, epoch: made.epoch, auditEntries: 2, place: null })
      assert.isFalse(fs.existsSync(databaseOf(empty)))
      yield* restore(empty, { file: fileIn(home) }, to)
      assert.deepStrictEqual(yield* opens(empty, to), { ...before, events: ["store-backup", "store-restore"] })
      // The service is used on, and started again.
      yield* Effect.provide(store("later"), daemon(empty, to))
      assert.deepInclude(yield* opens(empty, to), { names: ["one", "later"] })
    })
  }

  inFileHome.effect.skipIf(!onPostgres)(
    "moves the store of a home to PostgreSQL and back, unless it has changed since the backup",
    function*(home) {
      const move = Effect.fnUntraced(function*(from: Kind, to: Kind) {
        const file = path.join(home, `${from}.backup`)
        yield* Effect.provide(backUp(file), daemon(home, from))
        const before = yield* opens(home, from)
        const { kept } = yield* restore(home, { file }, to)
        assert.deepStrictEqual(yield* opens(home, to), { ...before, events: ["store-backup", "store-restore"] })
        return fs.readdirSync(kept!)
      })
      assert.includeMembers(yield* move("file", "postgresql"), ["credsvc.db", "identities", "takeovers.json"])
      for (const file of ["identities", "server/credsvc.db"]) assert.isFalse(fs.existsSync(path.join(home, file)), file)
      assert.include(yield* move("postgresql", "file"), "manifest.anchor")
      assert.isTrue(fs.existsSync(path.join(home, "identities")))
      yield* failsWith(opens(home, "postgresql"), "VaultUnavailableError")

      const file = path.join(home, "old.backup")
      yield* Effect.provide(Effect.andThen(backUp(file), store("later")), daemon(home, "file"))
      assert.include(yield* refusal(restore(home, { file }, "postgresql")), "which is 1 change newer than the backup")
      assert.deepInclude(yield* opens(home, "file"), { names: ["one", "later"] })
      const { kept } = yield* restore(home, { file, replace: true }, "postgresql")
      assert.includeMembers(fs.readdirSync(kept!), ["credsvc.db", "postgresql.db"])
      assert.deepInclude(yield* opens(home, "postgresql"), { names: ["one"] })

      // Files beside a store that is in the database are not its former ones.
      for (const name of ["server/credsvc.db", "identities/caller.json"]) {
        fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true, mode: 0o700 })
        fs.writeFileSync(path.join(home, name), "", { mode: 0o600 })
      }
      yield* restore(home, { file, replace: true }, "postgresql")
      assert.isTrue(fs.existsSync(path.join(home, "identities/caller.json")))
    }
  )

  inHome.live("contains one consistent state of a store that changes during the backup", function*(home) {
    yield* Effect.gen(function*() {
      const writer = yield* Effect.forkChild(Effect.forever(Effect.andThen(record("login"), Effect.sleep("1 millis"))))
      for (const name of ["1", "2", "3"]) yield* backUp(path.join(home, `${name}.backup`))
      yield* Fiber.interrupt(writer)
    }).pipe(Effect.provide(daemon(home)))
    const empty = yield* emptyHome(home)
    for (const name of ["1", "2", "3"]) yield* restore(empty, { file: path.join(home, `${name}.backup`), check: true })
  })

  inHome.effect("does not replace an existing file", function*(home) {
    fs.writeFileSync(fileIn(home), "mine")
    const messages = yield* Effect.gen(function*() {
      const backUp = yield* makeBackups
      const attempt = (file: string) => refusal(backUp(file, Effect.die("nothing must be recorded")))
      return [
        yield* attempt(fileIn(home)),
        yield* attempt("a.backup"),
        yield* refusal(backUp(path.join(home, "no/b"), Effect.void))
      ]
    }).pipe(Effect.provide(daemon(home)))
    assert.include(messages[0], "already exists")
    assert.include(messages[1], "not an absolute path")
    assert.include(messages[2], "does not exist")
    assert.strictEqual(fs.readFileSync(fileIn(home), "utf8"), "mine")
    assert.deepStrictEqual(fs.readdirSync(home).filter((name) => name.endsWith(".tmp")), [])
  })

  const alterations = [
    ["a row was altered", "UPDATE connections SET flow = 'evil'", "rows were altered"],
    ["a row was deleted", "DELETE FROM connections", "instead of"],
    ["an entry of the audit log was altered", "UPDATE audit SET event = 'get' WHERE seq = 1", "audit log"],
    ["a batch of the request log was deleted", "DELETE FROM use_batches", "request log"],
    ["its schema was altered", "CREATE TABLE evil (a)", "does not have the schema"],
    ["it contains no vault", "DELETE FROM meta; DELETE FROM data_keys", "not a backup"]
  ] as const
  for (const [what, statement, expected] of alterations) {
    withBackup.effect(`is not restored if ${what}`, function*(home) {
      alter(fileIn(home), statement)
      const empty = yield* emptyHome(home)
      assert.include(yield* refusal(restore(empty, { file: fileIn(home) })), expected)
      assert.isFalse(fs.existsSync(databaseOf(empty)))
      assert.isFalse(fs.existsSync(path.join(empty, "server/restore")))
    })
  }

  for (
    const [what, size] of [["only half of it is left", 0.5], ["only its beginning is left", 0.0001], [
      "it is empty",
      0
    ], ["it is longer than its header says", 1000]] as const
  ) {
    withBackup.effect(`is reported as damaged if ${what}`, function*(home) {
      fs.truncateSync(fileIn(home), Math.floor(fs.statSync(fileIn(home)).size * size))
      const copied: Array<string> = []
      const before = yield* SecureFiles.FileOperations
      const perform: SecureFiles.Perform = (operation, file, evaluate) => {
        if (operation === "copyOnce" && file !== fileIn(home)) copied.push(file)
        return before(operation, file, evaluate)
      }
      const message = yield* refusal(restore(yield* emptyHome(home), { file: fileIn(home) })).pipe(
        Effect.provideService(SecureFiles.FileOperations, perform)
      )
      assert.strictEqual(
        message,
        `${fileIn(home)} is damaged or incomplete. Restore another backup. Nothing was changed.`
      )
      assert.strictEqual(copied.length > 0, size === 0.5, "another format is not copied")
    })
  }

  withBackup.effect("is checked while a daemon uses the home, and does not change the store", function*(home) {
    yield* Effect.scoped(Effect.gen(function*() {
      yield* Layer.build(HomeLock.layerNoDeps)
      const before = fs.readdirSync(path.join(home, "server"))
      // Left by a check that was killed: no process has this id.
      fs.mkdirSync(path.join(home, "server", "check-2147483647", "server"), { recursive: true })
      assert.include(yield* refusal(restore(home, { file: fileIn(home), replace: true })), "already serves")
      assert.deepInclude(yield* restore(home, { file: fileIn(home), check: true }), { auditEntries: 2 })
      assert.deepStrictEqual(fs.readdirSync(path.join(home, "server")), before)
    })).pipe(Effect.provideService(Paths, pathsOf(home)))
  })

  withBackup.effect("is not restored with another key, or into the home of another vault", function*(home) {
    const other = yield* temporaryDirectory
    yield* Effect.provide(filled, daemon(other))
    assert.include(
      yield* refusal(restore(other, { file: fileIn(home), replace: true })),
      "does not contain this vault's key"
    )
    fs.copyFileSync(path.join(home, "server/master.key"), path.join(other, "server/master.key"))
    assert.include(yield* refusal(restore(other, { file: fileIn(home), replace: true })), "the store of another vault")
  })

  withBackup.effect(
    "replaces a newer store only with --replace, keeps a copy of it, and records the restore in the audit log",
    function*(home) {
      yield* Effect.provide(Effect.andThen(store("later"), record("login")), daemon(home))
      const before = yield* epochOf(home)
      const message = yield* refusal(restore(home, { file: fileIn(home) }))
      assert.match(message, /newer than the backup\. To replace it, .* add --replace\. Nothing was changed\./)
      assert.deepInclude(yield* opens(home), { names: ["one", "later"] })
      const { kept } = yield* restore(home, { file: fileIn(home), replace: true })
      assert.isTrue(fs.existsSync(path.join(kept!, onPostgres ? "postgresql.db" : "credsvc.db")))
      assert.deepInclude(yield* opens(home), { names: ["one"], events: ["store-backup", "store-restore"] })
      assert.isAbove(yield* epochOf(home), before)
    }
  )

  withBackup.effect("is restored without disabling the detection of older copies of the store", function*(home) {
    yield* Effect.provide(store("later"), daemon(home))
    const anchor = fs.readFileSync(path.join(home, "server/manifest.anchor"))
    const { kept } = yield* restore(home, { file: fileIn(home), replace: true })
    yield* opens(home)
    if (onPostgres) {
      // Another daemon that knew the newer state takes the restored one for newer still.
      const own = yield* emptyHome(home)
      fs.writeFileSync(path.join(own, "server/manifest.anchor"), anchor, { mode: 0o600 })
      const at = Layer.fresh(RequestLog.layerNoDeps.pipe(Layer.provideMerge(foundation(own, storeOfHome(home)))))
      assert.deepInclude(yield* Effect.provide(contents, at), { names: ["one"] })
      return
    }
    for (const older of [path.join(kept!, "credsvc.db"), fileIn(home)]) {
      fs.copyFileSync(older, databaseOf(home))
      const error = yield* failsWith(epochOf(home), "VaultUnavailableError")
      assert.include(error.detail, "was replaced by an older copy")
    }
  })

  inHome.effect("can be restored again after an interruption, and no daemon uses the home until then", function*(home) {
    if (onPostgres) return
    yield* Effect.provide(backUp(fileIn(home)), daemon(home))
    yield* Effect.provide(store("later"), daemon(home))
    fs.renameSync(databaseOf(home), `${databaseOf(home)}.away`)
    const error = yield* failsWith(epochOf(home), "VaultUnavailableError")
    assert.include(error.detail, "holds no vault")
    assert.include(yield* refusal(restore(home, { file: fileIn(home) })), "add --replace")
    yield* restore(home, { file: fileIn(home), replace: true })
    assert.deepInclude(yield* opens(home), { names: ["one"] })
  })
})
