/**
 * A home on which honest operations alternate with another writer, with an oracle that knows the expected state.
 *
 * The oracle compares contents, so an edit that restores the exact content is not tampering.
 */
import type { Context } from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import type { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { SharedAccess } from "../../src/store/Store.ts"
import { coveredTables } from "../../src/vault/manifest/ManifestDigest.ts"
import { StoreManifest, type StoreTransaction } from "../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { connectionRow } from "./ConnectionRow.ts"
import { numbersFrom } from "./Seed.ts"
import { databaseOf, foundation } from "./Services.ts"

/** Pseudo-random numbers from a seed. */
export const randomOf = (seed: number) => {
  const next = numbersFrom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, pick: <A>(list: ReadonlyArray<A>): A => list[below(list.length)]! }
}
export type Random = ReturnType<typeof randomOf>

type Row = Record<string, SQLInputValue>
type Tables = Readonly<Record<string, ReadonlyArray<Row>>>

const keys: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...Object.fromEntries(coveredTables.map(({ key, name }) => [name, key])),
  audit: ["seq"],
  manifest: ["id"]
}
const tableNames = Object.keys(keys)

const anchorOf = (home: string): string => path.join(home, "server", "manifest.anchor")
const copyOf = (home: string): string => path.join(home, "server", "logs", "credsvc.log")
const textOf = (file: string): string | undefined => fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined

const plain = (value: SQLInputValue): unknown =>
  value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value

const fingerprintOf = (rows: ReadonlyArray<Row>): string =>
  rows.map((row) => JSON.stringify(Object.values(row).map(plain))).toSorted().join("\n")

/** An attacker's process with an editor for SQLite files, and without keys. */
export class Outsider {
  readonly home: string
  readonly db: DatabaseSync
  readonly earlier: Array<Tables> = []
  readonly earlierAnchors: Array<string | undefined> = []

  constructor(home: string) {
    this.home = home
    this.db = new DatabaseSync(databaseOf(home), { defensive: false, timeout: 5000 })
  }

  rows(table: string): ReadonlyArray<Row> {
    return this.db.prepare(`SELECT * FROM ${table}`).all() as ReadonlyArray<Row>
  }

  tables(): Tables {
    return Object.fromEntries(tableNames.map((table) => [table, this.rows(table)]))
  }

  schema(): string {
    return JSON.stringify(this.db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all())
  }

  /** Everything relevant in the database, as text. */
  content(): string {
    const tables = this.tables()
    return [this.schema(), ...tableNames.map((table) => `${table}\n${fingerprintOf(tables[table]!)}`)].join("\n\n")
  }

  anchor(): string | undefined {
    return textOf(anchorOf(this.home))
  }

  copy(): string | undefined {
    return textOf(copyOf(this.home))
  }

  /** Saves the current state, for restoring it later. */
  remember(): void {
    this.earlier.push(this.tables())
    this.earlierAnchors.push(this.anchor())
  }

  insert(table: string, row: Row): void {
    const columns = Object.keys(row)
    this.db.prepare(
      `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
    ).run(...Object.values(row))
  }

  where(table: string, row: Row): readonly [string, ReadonlyArray<SQLInputValue>] {
    const columns = keys[table]!
    return [columns.map((column) => `${column} = ?`).join(" AND "), columns.map((column) => row[column]!)]
  }

  delete(table: string, row: Row): void {
    const [where, values] = this.where(table, row)
    this.db.prepare(`DELETE FROM ${table} WHERE ${where}`).run(...values)
  }

  update(table: string, row: Row, column: string, value: SQLInputValue): void {
    const [where, values] = this.where(table, row)
    this.db.prepare(`UPDATE OR REPLACE ${table} SET ${column} = ? WHERE ${where}`).run(value, ...values)
  }

  putBack(tables: ReadonlyArray<string>, from: Tables): void {
    for (const table of tables) {
      this.db.exec(`DELETE FROM ${table}`)
      for (const row of from[table]!) this.insert(table, row)
    }
  }

  writeAnchor(text: string | undefined): void {
    if (text === undefined) fs.rmSync(anchorOf(this.home), { force: true })
    else fs.writeFileSync(anchorOf(this.home), text)
  }

  writeCopy(text: string | undefined): void {
    if (text === undefined) fs.rmSync(copyOf(this.home), { force: true })
    else fs.writeFileSync(copyOf(this.home), text)
  }

  close(): void {
    this.db.close()
  }
}

const otherValue = (random: Random, value: SQLInputValue): SQLInputValue => {
  if (typeof value === "number") return random.pick([value + 1, value - 1, 0, -1, value + 64, 2 ** 40])
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value)
    const change = random.below(3)
    if (change === 0 || bytes.length === 0) return new Uint8Array([1, 2, 3])
    if (change === 1) return bytes.subarray(0, bytes.length - 1)
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    return bytes
  }
  const text = String(value ?? "")
  return random.pick(["", "x", `${text}x`, `${text}\0x`, text.slice(1), text.toUpperCase(), "github", "one", "🜚"])
}

interface Target {
  readonly random: Random
  readonly by: Outsider
  readonly table: string
  readonly rows: ReadonlyArray<Row>
}

/** Describes what it did; undefined if there was nothing to edit. */
type Edit<T = Target> = (target: T) => string | undefined

const onRow = (edit: Edit<Target & { readonly row: Row }>): Edit => (target) =>
  target.rows.length === 0 ? undefined : edit({ ...target, row: target.random.pick(target.rows) })

const onColumn = (edit: Edit<Target & { readonly row: Row; readonly column: string }>): Edit =>
  onRow((target) => edit({ ...target, column: target.random.pick(Object.keys(target.row)) }))

const withEarlier = (edit: Edit<Target & { readonly earlier: Tables }>): Edit => (target) =>
  target.by.earlier.length === 0 ? undefined : edit({ ...target, earlier: target.random.pick(target.by.earlier) })

const putBackTable = withEarlier(({ by, earlier, table }) => {
  by.putBack([table], earlier)
  return `put back an earlier ${table}`
})

/** Edits of the database. They may have no effect. */
const databaseEdits: ReadonlyArray<Edit> = [
  onRow(({ by, row, table }) => {
    by.delete(table, row)
    return `delete a row of ${table}`
  }),
  ({ by, table }) => {
    by.db.exec(`DELETE FROM ${table}`)
    return `empty ${table}`
  },
  onColumn(({ by, column, random, row, table }) => {
    by.update(table, row, column, otherValue(random, row[column]!))
    return `change ${table}.${column}`
  }),
  onColumn(({ by, column, random, row, rows, table }) => {
    by.update(table, row, column, random.pick(rows)[column]!)
    return `copy ${table}.${column} from another row`
  }),
  onRow(({ by, random, row, table }) => {
    const column = random.pick(keys[table]!)
    by.insert(table, { ...row, [column]: otherValue(random, row[column]!) })
    return `duplicate a row of ${table}`
  }),
  putBackTable,
  putBackTable,
  withEarlier(({ by, earlier, random }) => {
    const tables = tableNames.filter(() => random.below(2) === 0)
    by.putBack(tables, earlier)
    return `put back earlier ${tables.join(", ")}`
  }),
  withEarlier(({ by, earlier }) => {
    by.putBack(tableNames, earlier)
    return "put back an earlier database"
  }),
  ({ by, random }) => {
    const last = by.rows("audit").length - random.below(3) - 1
    by.db.exec(`DELETE FROM audit WHERE seq > ${last}`)
    return `truncate the audit log after ${last}`
  },
  withEarlier(({ by, earlier }) => {
    const last = earlier["audit"]!.length
    by.db.exec(`DELETE FROM audit WHERE seq > ${last}`)
    for (const head of earlier["meta"]!.filter(({ key }) => key === "audit_head")) by.insert("meta", head)
    return `truncate the audit log after ${last} and reset its head`
  }),
  ({ by, random }) => {
    const entry = by.rows("audit").at(-1)
    if (entry === undefined) return undefined
    by.insert("audit", { ...entry, seq: Number(entry["seq"]) + 1 + random.below(2) })
    return "add an audit entry"
  },
  ({ by, random }) => {
    if (random.below(3) > 0) return undefined
    by.db.exec("CREATE TRIGGER evil AFTER UPDATE ON meta BEGIN UPDATE provider_defaults SET name = 'evil'; END")
    return "add a trigger"
  }
]

const editDatabase = (random: Random, by: Outsider): string | undefined => {
  const table = random.pick([...tableNames, "audit", "audit", "meta"])
  return random.pick(databaseEdits)({ random, by, table, rows: by.rows(table) })
}

const editAnchor = (random: Random, by: Outsider): string => {
  const text = by.anchor()
  const changes: Readonly<Record<string, () => string | undefined>> = {
    "remove the anchor": () => undefined,
    "replace the anchor": () => random.pick(["", "{}", "null", "garbage\n"]),
    "change the anchor's epoch": () => text?.replace(/"epoch":\d+/, `"epoch":${random.below(200)}`),
    "put back an earlier anchor": () => by.earlierAnchors.length > 0 ? random.pick(by.earlierAnchors) : text
  }
  const name = random.pick(Object.keys(changes))
  by.writeAnchor(changes[name]!())
  return name
}

const editCopy = (random: Random, by: Outsider): string | undefined => {
  const text = by.copy()
  if (text === undefined) return undefined
  const lines = text.split("\n").slice(0, -1)
  const at = random.below(Math.max(1, lines.length))
  const joined = (kept: ReadonlyArray<string>) => kept.map((line) => `${line}\n`).join("")
  const changes: Readonly<Record<string, () => string | undefined>> = {
    "remove the copy": () => undefined,
    "empty the copy": () => "",
    [`truncate the copy after line ${at}`]: () => joined(lines.slice(0, at)),
    [`remove line ${at + 1} of the copy`]: () => joined(lines.toSpliced(at, 1)),
    [`repeat line ${at + 1} of the copy`]: () => joined(lines.toSpliced(at, 0, lines[at] ?? "x")),
    "truncate the copy within a line": () => text.slice(0, random.below(text.length + 1)),
    "edit the copy": () => text.replace(random.pick(["\"login\"", "\"get\"", "\"ok\"", "work", "{", "\n"]), "x")
  }
  const name = random.pick(Object.keys(changes))
  by.writeCopy(changes[name]!())
  return name
}

const editOnce = (random: Random, by: Outsider): string => {
  const what = random.below(10)
  try {
    const edit = what < 7 ? editDatabase : what < 9 ? editAnchor : editCopy
    return edit(random, by) ?? "nothing"
  } catch (error) {
    // Violates a constraint of the schema, or the file does not exist.
    return `nothing (${(error as Error).message})`
  }
}

/** One or more edits at once. Rarely, they have no effect. */
export const tamperWith = (random: Random, by: Outsider): string => {
  const look = () => [by.content(), by.anchor(), by.copy()].join("\n")
  const before = look()
  const edits = Array.from({ length: 1 + random.below(2) }, () => editOnce(random, by))
  for (let tries = 0; tries < 4 && look() === before; tries++) edits.push(editOnce(random, by))
  return edits.join(" and ")
}

/** What others may do to a database without changing it. */
export const harmless = (random: Random, by: Outsider): string => {
  const table = random.pick(tableNames)
  const key = keys[table]![0]!
  const actions: Readonly<Record<string, () => unknown>> = {
    [`read ${table}`]: () => by.rows(table),
    checkpoint: () => by.db.exec(`PRAGMA wal_checkpoint(${random.pick(["PASSIVE", "TRUNCATE", "RESTART"])})`),
    "roll back": () => by.db.exec(`BEGIN; DELETE FROM ${table}; ROLLBACK`),
    [`update ${table} without a change`]: () => by.db.exec(`UPDATE ${table} SET ${key} = ${key}`),
    [`write the rows of ${table} again`]: () => by.putBack([table], by.tables()),
    vacuum: () => by.db.exec("VACUUM")
  }
  const name = random.pick(Object.keys(actions))
  actions[name]!()
  return name
}

type Services = Layer.Success<ReturnType<typeof foundation>>

/** The layers of a daemon, which can be restarted. */
export class Daemon {
  readonly home: string
  private scope: Scope.Closeable | undefined
  private context: Context<Services> | undefined

  constructor(home: string) {
    this.home = home
  }

  async start(): Promise<void> {
    this.scope = await Effect.runPromise(Scope.make())
    this.context = await Effect.runPromise(
      Layer.buildWithScope(Layer.fresh(foundation(this.home)), this.scope).pipe(
        Effect.provideService(SharedAccess, true),
        Effect.provideService(References.MinimumLogLevel, "None")
      )
    )
  }

  async stop(): Promise<void> {
    if (this.scope !== undefined) await Effect.runPromise(Scope.close(this.scope, Exit.void))
    this.scope = undefined
  }

  run<A, E>(effect: Effect.Effect<A, E, Services>): Promise<Exit.Exit<A, E>> {
    return Effect.runPromiseExit(
      Effect.provideContext(effect, this.context!).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
  }

  /** The changes that the manifest has detected. */
  async found(): Promise<boolean> {
    const exit = await this.run(Effect.map(StoreManifest, (manifest) => manifest.difference() !== undefined))
    return Exit.isSuccess(exit) && exit.value
  }
}

const profile = "quiet-heron-4821"

const identityOf = (name: string, generation: number) => ({
  profile,
  provider: "github",
  connection: name,
  field: "secret",
  recordId: `id-${name}`,
  generation,
  definitionFp: "fp"
})

const put = (name: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly generation: number }>`
      SELECT generation FROM connections WHERE record_id = ${`id-${name}`}`
    const generation = (row?.generation ?? 0) + 1
    const sealed = yield* (yield* Vault).seal(identityOf(name, generation), Redacted.make(`secret of ${name}`))
    const values = {
      ...connectionRow(`id-${name}`, name),
      profile,
      generation,
      updated_at: `t${generation}`,
      sealed,
      secret: sealed
    }
    yield* row === undefined
      ? sql`INSERT INTO connections ${sql.insert(values)}`
      : sql`UPDATE connections SET ${sql.update(values)} WHERE record_id = ${values.record_id}`
  })

const statement = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))

const append = Effect.gen(function*() {
  const identity = yield* (yield* Profiles).active
  yield* (yield* AuditLog).append({
    event: "get",
    provider: "github" as ProviderName,
    connection: "work" as ConnectionName,
    identity: identity as ProfileHandle,
    status: "ok"
  })
})

const open = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  yield* vault.available
  const rows = yield* sql<{ readonly name: string; readonly generation: number; readonly secret: Uint8Array }>`
    SELECT name, generation, secret FROM connections WHERE provider = 'github'`
  for (const { generation, name, secret } of rows) yield* vault.open(identityOf(name, generation), secret)
})

export interface Operation {
  readonly name: string
  /** Whether the operation writes, and therefore also checks the anchor. */
  readonly writes: boolean
  readonly effect: Effect.Effect<unknown, unknown, Services>
}

/** An honest operation. `meanwhile` runs between COMMIT and the update of the anchor, if there is a commit. */
export const operationOf = (random: Random, meanwhile?: () => void): Operation => {
  const name = random.pick(["one", "two", "three"])
  const change = (what: string, effect: Effect.Effect<unknown, unknown, Services | StoreTransaction>): Operation => ({
    name: what,
    writes: true,
    effect: Effect.gen(function*() {
      const manifest = yield* StoreManifest
      const sql = yield* SqlClient.SqlClient
      const after = meanwhile === undefined ? Effect.void : sql.afterCommit(Effect.sync(meanwhile))
      yield* manifest.transact(Effect.andThen(effect, after) as Effect.Effect<void, unknown, Services>)
    })
  })
  const insertOrBump = (what: string, insert: string, key: string) =>
    change(`write ${what}`, statement(`${insert} ON CONFLICT (${key}) DO UPDATE SET generation = generation + 1`))
  const writing = [
    change("append", append),
    change("append", append),
    change("append", append),
    change(`write connection ${name}`, put(name)),
    change(`log in ${name}`, Effect.andThen(put(name), append)),
    change(`log out ${name}`, Effect.andThen(statement(`DELETE FROM connections WHERE name = '${name}'`), append)),
    change(
      `make ${name} the default`,
      statement(`INSERT OR REPLACE INTO provider_defaults VALUES ('${profile}', 'github', '${name}')`)
    ),
    insertOrBump(
      "client credentials",
      "INSERT INTO client_credentials VALUES ('c', 'p', 'github', 'i', 1, '', '', '', x'01')",
      "record_id"
    ),
    insertOrBump(
      "an auth session",
      "INSERT INTO auth_sessions VALUES ('s', NULL, 'p', 'github', 'n', 'pkce', 'pending', '', '', '', 1, x'01')",
      "id_hash"
    )
  ]
  const others: ReadonlyArray<Operation> = [
    { name: "open every secret", writes: false, effect: open },
    { name: "self-test", writes: true, effect: Effect.flatMap(Vault, (vault) => vault.selfTest) },
    { name: "make ready", writes: false, effect: Effect.flatMap(StoreManifest, ({ verified }) => verified("rows")) }
  ]
  return random.pick(meanwhile === undefined ? [...writing, ...others] : writing)
}

/** The required state of the copy. */
export const expectedCopy = (by: Outsider): string =>
  by.rows("audit").toSorted((left, right) => Number(left["seq"]) - Number(right["seq"])).map((entry) =>
    `${
      JSON.stringify({
        seq: entry["seq"],
        timestamp: entry["timestamp"],
        event: entry["event"],
        provider: entry["provider"],
        connection: entry["connection"],
        identity: entry["identity"],
        status: entry["status"]
      })
    }\n`
  ).join("")

/** A home with rows in every table and this many audit entries. */
export const fillHome = async (home: string, entries: number): Promise<void> => {
  const daemon = new Daemon(home)
  await daemon.start()
  const exit = await daemon.run(Effect.gen(function*() {
    const { transact } = yield* StoreManifest
    for (const name of ["one", "two"]) yield* transact(put(name))
    yield* transact(statement(`INSERT INTO provider_defaults VALUES ('${profile}', 'github', 'one')`))
    for (let index = 0; index < entries; index++) yield* append
  }))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  await daemon.stop()
}
