import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { sharedTables, tables } from "../../../src/store/Migrations.ts"
import { coveredTables } from "../../../src/vault/manifest/ManifestDigest.ts"
import { trackedTables } from "../../../src/vault/manifest/PostgresRowTracking.ts"
import { StoreManifest } from "../../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../../src/vault/Vault.ts"
import { connectionRow } from "../../support/ConnectionRow.ts"
import { testsWith } from "../../support/Fixture.ts"
import { transact } from "../../support/Services.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"
import { copyStore, executeOn, queryOn, schemaOf } from "../../support/TestStore.ts"
import { eventually } from "../../support/Until.ts"
import { identity, started, vaultOf } from "../support.ts"

const withDaemon = testsWith(startTestDaemon())

const manifest = Effect.flatMap(StoreManifest, Effect.succeed)

const insert = (table: string, row: Record<string, unknown>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => transact(sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`))

const connection = (name: string) =>
  Effect.gen(function*() {
    const recordId = `id-${name}`
    const vault = yield* Vault
    const sealed = yield* transact(
      vault.seal({ ...identity, connection: name, recordId }, Redacted.make(`secret of ${name}`))
    )
    yield* insert("connections", {
      ...connectionRow(recordId, name),
      profile: identity.profile,
      sealed,
      secret: sealed
    })
  })

const filled = Effect.gen(function*() {
  for (const name of ["one", "two"]) yield* connection(name)
  yield* insert("provider_defaults", { profile: identity.profile, provider: "github", name: "one" })
  const times = { created_at: "", updated_at: "" }
  const client = { record_id: "c", profile: "p", provider: "github", issuer: "i", generation: 1, definition_fp: "" }
  yield* insert("client_credentials", { ...client, ...times, sealed: new Uint8Array([1]) })
  const session = { id_hash: "s", profile: "p", provider: "github", name: "n", flow: "pkce", status: "pending" }
  yield* insert("auth_sessions", {
    ...session,
    ...times,
    state_hash: null,
    expires_at: "",
    generation: 1,
    sealed: new Uint8Array([1])
  })
})

/** A stopped vault with rows in several tables. */
const filledHome = Effect.tap(temporaryDirectory, (home) => started(home)(filled))

const inFilledHome = testsWith(filledHome)
const inVault = testsWith(filledHome, (home) => vaultOf(home))

/** The detail of the refusal by a daemon that starts now. */
const refusal = (home: string) =>
  Effect.map(
    started(home)(Effect.flip(Effect.flatMap(Vault, (vault) => vault.available))),
    ({ detail }) => detail ?? ""
  )

const verify = Effect.flatMap(manifest, (service) => service.verify)
const ready = Effect.flatMap(manifest, (service) => service.verified("rows"))

/** What somebody with full rights to the database can do, but without the master key. */
const changes: ReadonlyArray<readonly [what: string, ...statements: ReadonlyArray<string>]> = [
  ["a changed row", "UPDATE connections SET definition_fp = 'evil' WHERE name = 'one'"],
  ["a deleted row", "DELETE FROM connections WHERE name = 'two'"],
  [
    "a copied row",
    "INSERT INTO connections SELECT 'id-3', profile, provider, 'three', auth_type, flow, generation, definition_fp, " +
    "created_at, updated_at, sealed, secret FROM connections WHERE name = 'one'"
  ],
  ["a changed default connection", "UPDATE provider_defaults SET name = 'two'"],
  ["an added row of meta", "INSERT INTO meta VALUES ('audit_head', '0')"],
  ["an earlier epoch", "UPDATE manifest SET epoch = epoch - 1"],
  ["a changed row count in the manifest", "UPDATE manifest SET row_count = row_count + 1"],
  ["a missing manifest", "DELETE FROM manifest"],
  ["the deletion of every row", ...coveredTables.map(({ name }) => `DELETE FROM ${name}`)]
]

const hook = "CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name = 'evil'; RETURN NEW; END $$"

/** Changes of the schema by which others' code would run within our transactions, or would change what they read. */
const schemaChanges: ReadonlyArray<readonly [what: string, ...statements: ReadonlyArray<string>]> = [
  [
    "an added trigger",
    hook,
    "CREATE TRIGGER evil BEFORE UPDATE ON provider_defaults FOR EACH ROW EXECUTE FUNCTION evil()"
  ],
  [
    "an added trigger on the audit log",
    hook,
    "CREATE TRIGGER evil BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION evil()"
  ],
  ["an added rule", "CREATE RULE evil AS ON DELETE TO auth_sessions DO INSTEAD NOTHING"],
  [
    "an added row policy",
    "ALTER TABLE connections ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY evil ON connections USING (name <> 'two')"
  ],
  ["an added default value", "ALTER TABLE connections ALTER COLUMN flow SET DEFAULT 'evil'"],
  ["an added constraint", "ALTER TABLE connections ADD CONSTRAINT evil CHECK (name <> 'x')"],
  ["an added index over an expression", "CREATE INDEX evil ON connections (lower(name))"],
  ["an added column", "ALTER TABLE connections ADD COLUMN evil TEXT"],
  ["a missing index", "DROP INDEX connections_name"]
]

describe("The store on PostgreSQL, changed by others", () => {
  for (const [what, ...statements] of changes) {
    inVault.effect(`detects ${what}, at the next use and after a restart`, function*(home) {
      yield* ready
      executeOn(home, ...statements)
      assert.include((yield* Effect.flip(ready)).detail, "changed outside of credsvc")
      const { condemn: _, transact } = yield* manifest
      yield* Effect.flip(transact(Effect.void))
      const copy = yield* temporaryDirectory
      fs.cpSync(home, copy, { recursive: true })
      copyStore(home, copy)
      const detail = yield* refusal(copy)
      assert.isTrue(/changed outside of credsvc|header is damaged|holds no vault/.test(detail), detail)
    })
  }

  for (const [what, ...statements] of schemaChanges) {
    inFilledHome.effect(`detects ${what}, at the next use and at the next start`, function*(home) {
      yield* started(home)(Effect.gen(function*() {
        yield* ready
        executeOn(home, ...statements)
        assert.include((yield* Effect.flip(ready)).detail, "its schema is not the one that credsvc created")
      }))
      assert.include(yield* refusal(home), "does not have the schema that credsvc created")
    })
  }

  inVault.effect("does not use a row that was changed and changed back", function*(home) {
    yield* ready
    executeOn(home, "UPDATE connections SET flow = flow || 'x'")
    yield* Effect.flip(ready)
    executeOn(home, "UPDATE connections SET flow = rtrim(flow, 'x')")
    yield* Effect.flip(ready)
  })

  inVault.effect("accepts rows that others have written again without a change", function*(home) {
    yield* ready
    executeOn(home, "UPDATE connections SET name = name", "VACUUM FULL connections", "REINDEX TABLE connections")
    yield* ready
    yield* connection("three")
    assert.strictEqual((yield* verify).rows, coveredRows(home))
  })

  inVault.effect("detects a foreign change even after a change of its own", function*(home) {
    yield* ready
    const { transact } = yield* manifest
    const sql = yield* SqlClient.SqlClient
    const before = queryOn(home, "SELECT epoch FROM manifest")
    executeOn(home, "UPDATE connections SET flow = 'evil' WHERE name = 'one'")
    yield* Effect.flip(transact(sql`DELETE FROM provider_defaults`))
    assert.deepStrictEqual(queryOn(home, "SELECT epoch FROM manifest"), before)
    assert.lengthOf(queryOn(home, "SELECT * FROM provider_defaults"), 1)
  })

  inFilledHome.effect("detects an older copy of one table", function*(home) {
    const schema = schemaOf(home)
    executeOn(
      home,
      "CREATE SCHEMA IF NOT EXISTS yesterday",
      `CREATE TABLE yesterday.${schema} AS SELECT * FROM connections`
    )
    yield* started(home)(connection("three"))
    executeOn(
      home,
      "DELETE FROM connections",
      `INSERT INTO connections OVERRIDING SYSTEM VALUE SELECT * FROM yesterday.${schema}`
    )
    assert.include(yield* refusal(home), "changed outside of credsvc")
  })

  inFilledHome.effect("detects an older copy of the database only by the anchor", function*(home) {
    const yesterday = yield* temporaryDirectory
    copyStore(home, yesterday)
    fs.mkdirSync(path.join(yesterday, "server"), { mode: 0o700 })
    for (const name of ["master.key", "manifest.anchor"]) {
      fs.copyFileSync(path.join(home, "server", name), path.join(yesterday, "server", name))
    }
    yield* started(home)(connection("three"))
    const anchor = path.join(yesterday, "server", "manifest.anchor")
    fs.copyFileSync(path.join(home, "server", "manifest.anchor"), anchor)
    assert.include(yield* refusal(yesterday), "the database was replaced by an older copy")
    fs.rmSync(anchor)
    yield* started(yesterday)(verify)
  })

  inVault.effect("detects an older copy of the database while the daemon runs", function*(home) {
    yield* ready
    const yesterday = yield* temporaryDirectory
    copyStore(home, yesterday)
    yield* connection("three")
    const tables = [...coveredTables.map(({ name }) => name), "manifest"]
    executeOn(
      home,
      ...tables.flatMap((table) => [
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${schemaOf(yesterday)}.${table}`
      ])
    )
    assert.include((yield* Effect.flip(ready)).detail, "replaced while credsvc was running")
  })

  withDaemon.live("is reported in the log of a daemon that notices the change without a request", function*(daemon) {
    yield* daemon.post("/auth/sessions", { provider: "openai" })
    executeOn(
      daemon.home,
      "UPDATE auth_sessions SET flow = 'evil'",
      `SELECT pg_notify('credsvc', '${schemaOf(daemon.home)} 7 rows 9')`
    )
    yield* eventually(
      Effect.sync(() => fs.readFileSync(daemon.paths.daemonLog, "utf8")),
      (log) => log.includes("The store was changed outside of credsvc")
    )
  })

  withDaemon.live("fails a readiness probe if the newest entry of a log was removed", function*(daemon) {
    yield* daemon.post("/profiles", {})
    const head = "SELECT value FROM meta WHERE key = 'audit_head'"
    const [before] = queryOn(daemon.home, head)
    yield* daemon.post("/profiles", {})
    assert.strictEqual((yield* daemon.request("/ready")).status, 200)
    executeOn(
      daemon.home,
      "DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)",
      `UPDATE meta SET value = '${before!["value"]}' WHERE key = 'audit_head'`
    )
    const { json, status } = yield* daemon.request("/ready")
    assert.strictEqual(status, 503)
    assert.include(json.problems.join(), "the end of the audit log was altered")
  })

  inVault.live("is not reported by readiness probes during writes of the same daemon", function*() {
    const { addCheck, checkTails } = yield* manifest
    yield* addCheck({ head: "audit_head", check: () => Effect.succeed(undefined) })
    const write = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      transact(
        sql`INSERT INTO meta VALUES ('audit_head', '1')
          ON CONFLICT (key) DO UPDATE SET value = meta.value || '1'`
      ))
    yield* Effect.raceFirst(Effect.repeat(write, { times: 100 }), Effect.forever(checkTails))
    yield* ready
  })

  inVault.effect("is compared in every table of the schema", function*() {
    assert.sameMembers(trackedTables, [...tables.map(({ name }) => name), ...sharedTables])
  })
})

const coveredRows = (home: string): number =>
  coveredTables.reduce((sum, { name }) => sum + Number(queryOn(home, `SELECT count(*) AS n FROM ${name}`)[0]?.["n"]), 0)
