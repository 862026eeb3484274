import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { moveStore } from "../../src/server/StoreMigration.ts"
import { HomeLock } from "../../src/store/HomeLock.ts"
import { Store } from "../../src/store/Store.ts"
import { KeyResolver } from "../../src/vault/keys/KeyResolver.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import * as StoredDocuments from "../../src/vault/StoredDocuments.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { connectionRow } from "../support/ConnectionRow.ts"
import { failsWith } from "../support/Failures.ts"
import { testsWith } from "../support/Fixture.ts"
import { transact } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { copyStore, databaseOf, databaseUrlOf, executeOn, queryOn, storeOfHome } from "../support/TestStore.ts"
import { environmentOf, identity } from "../vault/support.ts"

const key = Buffer.alloc(32, 7).toString("base64")

const environment = (home: string, urlOf = home) =>
  environmentOf(home, {
    env: key,
    settings: { databaseUrl: Option.some(Redacted.make(databaseUrlOf(urlOf))) }
  })

const vaultOver = (home: string, kind: "file" | "postgresql") =>
  Layer.fresh(
    Vault.layerResolver.pipe(
      Layer.provideMerge(KeyResolver.layerNoDeps),
      Layer.provideMerge(kind === "file" ? Store.layerNoDeps : storeOfHome(home)),
      Layer.provideMerge(environment(home))
    )
  )

const one = { ...identity, connection: "one", recordId: "id-one" }

const insert = (table: string, rows: ReadonlyArray<Record<string, unknown>>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    for (const row of rows) yield* transact(sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`)
  })

const entry = (seq: number) => ({
  seq,
  timestamp: "t",
  event: "login",
  provider: null,
  connection: seq % 2 === 0 ? "ä\u{1f511}" : null,
  identity: "p",
  status: "ok",
  prev_hash: "",
  mac: ""
})

const filled = Effect.gen(function*() {
  const sealed = yield* transact((yield* Vault).seal(one, Redacted.make("s3cret")))
  const row = { ...connectionRow("id-one", "one"), profile: identity.profile, sealed, secret: sealed }
  yield* insert("connections", [row, { ...row, record_id: "id-0", name: "0" }])
  yield* insert("provider_defaults", [{ profile: identity.profile, provider: "github", name: "one" }])
  const sql = yield* SqlClient.SqlClient
  for (let seq = 1; seq <= 401; seq += 100) {
    yield* sql`INSERT INTO audit ${
      sql.insert([entry(seq), ...Array.from({ length: Math.min(99, 401 - seq) }, (_, index) => entry(seq + 1 + index))])
    }`
  }
})

/** A home with a store in a file. */
const fileHome = Effect.tap(temporaryDirectory, (home) => Effect.provide(filled, vaultOver(home, "file")))

const inFileHome = testsWith(fileHome)

const move = (home: string, to: "file" | "postgresql", urlOf = home) =>
  Effect.provide(moveStore(to), environment(home, urlOf))

const opens = (home: string, kind: "file" | "postgresql") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ secret: Uint8Array; name: string }>`SELECT name, secret FROM connections ORDER BY rowid`
    assert.deepStrictEqual(rows.map(({ name }) => name), ["one", "0"])
    assert.strictEqual(Redacted.value(yield* (yield* Vault).open(one, rows[0]!.secret)), "s3cret")
    const [last] = yield* sql`SELECT * FROM audit WHERE seq = 400`
    assert.deepInclude(last, entry(400))
    return (yield* (yield* StoreManifest).verify).epoch
  }).pipe(Effect.provide(vaultOver(home, kind)))

const refuses = (home: string, kind: "file" | "postgresql") =>
  Effect.map(
    Effect.flip(Effect.provide(Effect.flatMap(Vault, (vault) => vault.available), vaultOver(home, kind))),
    ({ detail }) => detail
  )

const refusal = (home: string, to: "file" | "postgresql", urlOf = home) =>
  Effect.map(Effect.flip(move(home, to, urlOf)), (error) => {
    assert.strictEqual(error._tag, "OperationNotAllowedError")
    return error.message
  })

/** What users and earlier daemons have put into the files of a home. */
const withFiles = Effect.tap(fileHome, (home) =>
  Effect.sync(() => {
    const write = (name: string, text: string) => {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true, mode: 0o700 })
      fs.writeFileSync(path.join(home, name), text, { mode: 0o600 })
    }
    write("providers/acme.json", "{ \"name\": \"acme\" }\n")
    write("identities/calm-otter-0042.json", "the private key\n")
    write("server/takeovers.json", "{}\n")
    write("config.json", "{\"version\":1,\"active_profile\":\"calm-otter-0042\",\"log_format\":\"json\"}")
  }))

const inHomeWithFiles = testsWith(withFiles)

const contents = (home: string, kind: "file" | "postgresql") =>
  Effect.gen(function*() {
    const { documents, ids } = yield* StoredDocuments.make
    return yield* Effect.forEach(yield* ids, (id) =>
      Effect.map(documents.read(id), (bytes) => [
        `${id.kind}/${id.name}`,
        new TextDecoder().decode(Option.getOrThrow(bytes))
      ]))
  }).pipe(Effect.scoped, Effect.provide(vaultOver(home, kind)))

const documentsOfHome = [
  ["identity/calm-otter-0042", "the private key\n"],
  ["provider/acme", "{ \"name\": \"acme\" }\n"],
  ["setting/active_profile", "calm-otter-0042"],
  ["setting/takeovers", "{}\n"]
]

const textIn = (home: string, name: string) => fs.readFileSync(path.join(home, name), "utf8")

const moved = (home: string) => `${databaseOf(home)}.moved`

describe("Moving a store with documents", () => {
  inHomeWithFiles.effect("makes rows of the files, and files of the rows", function*(home) {
    yield* move(home, "postgresql")
    assert.deepStrictEqual(yield* contents(home, "postgresql"), documentsOfHome)
    for (const name of ["providers", "identities", "server/takeovers.json"]) {
      assert.isFalse(fs.existsSync(path.join(home, name)), name)
      assert.isTrue(fs.existsSync(path.join(home, `${name}.moved`)), name)
    }
    assert.deepStrictEqual(JSON.parse(textIn(home, "config.json")), { version: 1, log_format: "json" })

    yield* move(home, "file")
    assert.strictEqual(textIn(home, "providers/acme.json"), "{ \"name\": \"acme\" }\n")
    assert.strictEqual(textIn(home, "identities/calm-otter-0042.json"), "the private key\n")
    assert.strictEqual(fs.statSync(path.join(home, "identities/calm-otter-0042.json")).mode & 0o777, 0o600)
    assert.strictEqual(textIn(home, "server/takeovers.json"), "{}\n")
    assert.strictEqual(JSON.parse(textIn(home, "config.json")).active_profile, "calm-otter-0042")
    assert.deepStrictEqual(yield* contents(home, "file"), [])
    yield* opens(home, "file")
  })

  inHomeWithFiles.effect("continues after an interruption before the files were renamed", function*(home) {
    const kept = ["providers", "identities", "server/takeovers.json"]
    yield* move(home, "postgresql")
    for (const name of kept) fs.renameSync(path.join(home, `${name}.moved`), path.join(home, name))
    yield* move(home, "postgresql")
    for (const name of kept) assert.isFalse(fs.existsSync(path.join(home, name)), name)
    assert.deepStrictEqual(yield* contents(home, "postgresql"), documentsOfHome)
  })

  inHomeWithFiles.effect("continues after an interruption before the old store was renamed", function*(home) {
    const config = textIn(home, "config.json")
    const { rows } = yield* move(home, "postgresql")
    const epoch = yield* opens(home, "postgresql")
    for (const name of ["providers", "identities", "server/takeovers.json"]) {
      fs.renameSync(path.join(home, `${name}.moved`), path.join(home, name))
    }
    fs.renameSync(moved(home), databaseOf(home))
    fs.writeFileSync(path.join(home, "config.json"), config)
    assert.deepInclude(yield* move(home, "postgresql"), { rows })
    assert.deepStrictEqual(yield* contents(home, "postgresql"), documentsOfHome)
    assert.strictEqual(yield* opens(home, "postgresql"), epoch)
  })

  inHomeWithFiles.effect("does not overwrite another file, nor lose a row", function*(home) {
    yield* move(home, "postgresql")
    fs.mkdirSync(path.join(home, "providers"), { mode: 0o700 })
    fs.writeFileSync(path.join(home, "providers/acme.json"), "mine", { mode: 0o600 })
    assert.include(yield* refusal(home, "file"), "providers/acme.json differs")
    assert.strictEqual(textIn(home, "providers/acme.json"), "mine")
    assert.deepStrictEqual(yield* contents(home, "postgresql"), documentsOfHome)
    fs.rmSync(path.join(home, "providers/acme.json"))
    yield* move(home, "file")
    assert.strictEqual(textIn(home, "providers/acme.json"), "{ \"name\": \"acme\" }\n")
  })

  inHomeWithFiles.effect("refuses a row that was changed in the database", function*(home) {
    yield* move(home, "postgresql")
    executeOn(home, "DELETE FROM documents WHERE kind = 'identity'")
    const error = yield* failsWith(move(home, "file"), "VaultUnavailableError")
    assert.include(error.detail, "changed outside of credsvc")
    assert.isFalse(fs.existsSync(path.join(home, "providers")))
  })
})

describe("Moving a store", () => {
  inFileHome.effect("to PostgreSQL and back keeps every row, and leaves one usable store", function*(home) {
    const epoch = yield* opens(home, "file")
    const there = yield* move(home, "postgresql")
    assert.deepInclude(there, { leftover: moved(home) })
    assert.isAbove(there.rows, 410)
    assert.isFalse(fs.existsSync(databaseOf(home)))
    assert.include(yield* refuses(home, "file"), "holds no vault")
    assert.strictEqual(yield* opens(home, "postgresql"), epoch)

    const back = yield* move(home, "file")
    assert.deepInclude(back, { rows: there.rows, place: databaseOf(home) })
    assert.strictEqual(fs.statSync(databaseOf(home)).mode & 0o777, 0o600)
    assert.include(yield* refuses(home, "postgresql"), "holds no vault")
    assert.strictEqual(yield* opens(home, "file"), epoch)
  })

  inFileHome.effect("continues after an interruption between the copy and the removal", function*(home) {
    const { rows } = yield* move(home, "postgresql")
    fs.renameSync(moved(home), databaseOf(home))
    assert.deepInclude(yield* move(home, "postgresql"), { rows })
    yield* opens(home, "postgresql")

    const before = yield* temporaryDirectory
    copyStore(home, before)
    fs.writeFileSync(`${databaseOf(home)}.new`, "the beginning of a copy")
    yield* move(home, "file")
    // The rows of the database are there again, as if they had not been deleted.
    yield* move(home, "file", before)
    assert.lengthOf(queryOn(before, "SELECT * FROM meta"), 0)
    yield* opens(home, "file")
  })

  inFileHome.effect("leaves the original alone if the copy does not verify", function*(home) {
    yield* move(home, "postgresql")
    fs.copyFileSync(moved(home), databaseOf(home))
    executeOn(home, "UPDATE connections SET flow = 'evil'")
    yield* failsWith(move(home, "postgresql"), "VaultUnavailableError")
    assert.isTrue(fs.existsSync(databaseOf(home)))
    assert.lengthOf(queryOn(home, "SELECT * FROM connections WHERE flow = 'evil'"), 2)
  })

  inFileHome.effect("does not replace a store that is newer, or belongs to another home", function*(home) {
    yield* move(home, "postgresql")
    fs.copyFileSync(moved(home), databaseOf(home))
    yield* Effect.provide(
      insert("provider_defaults", [{ profile: "p", provider: "openai", name: "x" }]),
      vaultOver(home, "postgresql")
    )
    assert.include(yield* refusal(home, "postgresql"), "is newer than the one to move")
    const other = yield* fileHome
    assert.include(yield* refusal(other, "postgresql", home), "belongs to another home")
    assert.include(yield* refusal(other, "file", home), "belongs to another home")
    yield* opens(other, "file")
  })

  inFileHome.effect("refuses while a daemon uses the home, and if there is nothing to move", function*(home) {
    const locked = Layer.fresh(HomeLock.layerNoDeps).pipe(Layer.provide(environment(home)))
    const message = yield* Effect.provide(refusal(home, "postgresql"), locked)
    assert.include(message, "Stop it first with: credsvc daemon stop")
    assert.include(yield* refusal(home, "file"), "The store to move is empty")
    assert.isTrue(fs.existsSync(databaseOf(home)))
    fs.rmSync(path.join(home, "server"), { recursive: true })
    assert.include(yield* refusal(home, "postgresql"), "does not exist")
  })
})
