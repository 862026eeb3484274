/**
 * The schema of the store on PostgreSQL: the migrations of `Migrations.ts` in its dialect.
 *
 * Other programs must not add anything to the schema: a trigger, a rule or a default would run within credsvc's
 * transactions. The expected schema is the result of running the migrations on temporary tables.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { BeginTransaction, type SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { migrations, schemaDifference, schemaVersion, tables } from "../Migrations.ts"

const versionTable = "CREATE TABLE schema_version (version BIGINT NOT NULL)"

/** Translates a statement of a migration, which uses a small part of SQLite's dialect. */
export const toPostgres = (statement: string): string => {
  const types = statement.replace(/\bINTEGER\b/g, "BIGINT").replace(/\bTEXT\b/g, "TEXT COLLATE \"C\"")
    .replace(/\bBLOB\b/g, "BYTEA")
  const hasOwnRowid = !/\bWITHOUT ROWID\b|\bINTEGER PRIMARY KEY\b/.test(statement)
  return types.replace(
    /\s*\)\s*STRICT\s*(?:,\s*WITHOUT ROWID\s*)?$/,
    hasOwnRowid ? ",\n  rowid BIGINT GENERATED ALWAYS AS IDENTITY\n)" : "\n)"
  )
}

const lockOf = (names: ReadonlyArray<string>) =>
  `LOCK TABLE ${[...names, "schema_version"].map((name) => `"${name}"`).join(", ")} IN EXCLUSIVE MODE`

/** Makes the current transaction the only one that writes, as `BEGIN IMMEDIATE` does on SQLite. Others can still read. */
export const lockTables = lockOf(tables.map(({ name }) => name))

/** A query that describes each part of a schema in a line, without the schema's name, to compare a temporary schema with the store's. */
const description = (schema: string) => `
  SELECT 'relation ' || relname || ': ' || concat_ws(' ', relkind, relrowsecurity, relforcerowsecurity, relhasrules) AS line
    FROM pg_class WHERE relnamespace = ${schema} AND relkind <> 'i'
  UNION ALL SELECT 'column ' || c.relname || '.' || a.attname || ': ' || concat_ws(' ',
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, l.collname,
      pg_get_expr(d.adbin, d.adrelid))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation l ON l.oid = a.attcollation
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = ${schema} AND c.relkind <> 'S' AND c.relkind <> 'i' AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'index ' || c.relname || ': ' || regexp_replace(pg_get_indexdef(c.oid), ' ON [^ ]+[.]', ' ON ')
    FROM pg_class c WHERE c.relnamespace = ${schema} AND c.relkind = 'i'
  UNION ALL SELECT 'constraint ' || n.conname || ': ' || pg_get_constraintdef(n.oid)
    FROM pg_constraint n WHERE n.connamespace = ${schema}
  UNION ALL SELECT 'trigger ' || t.tgname || ': ' || pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = ${schema}
  UNION ALL SELECT 'rule ' || r.rulename || ': ' || pg_get_ruledef(r.oid)
    FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace = ${schema}
  UNION ALL SELECT 'policy ' || p.polname || ': on ' || c.relname
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = ${schema}`

type Lines = ReadonlyArray<string>

const describe = (sql: SqlClient, schema: string): Effect.Effect<Lines, SqlError> =>
  Effect.map(sql.unsafe<{ readonly line: string }>(description(schema)), (rows) => rows.map(({ line }) => line))

/** Runs a change of the schema, one daemon at a time. */
const inMigration = <A, E, R>(sql: SqlClient, change: Effect.Effect<A, E, R>) =>
  Effect.provideService(
    sql.withTransaction(Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtext('credsvc schema'))`, change)),
    BeginTransaction,
    "BEGIN"
  )

/** The statements that migrate a version of the schema to the newest version. Version 0 has no tables. */
export const statementsAfter = (version: number): ReadonlyArray<string> => [
  ...(version === 0 ? [versionTable] : []),
  ...migrations.filter((migration) => migration.version > version).flatMap(({ shared = [], statements }) =>
    [...statements, ...shared].map(toPostgres)
  )
]

/** Maps a server version to the expected schema. Cached, because a daemon connects again after each failure. */
const expectedSchemas = new Map<string, Lines>()

const produceSchema = (sql: SqlClient) =>
  Effect.flip(inMigration(
    sql,
    Effect.gen(function*() {
      yield* sql`SET LOCAL search_path = pg_temp`
      for (const statement of statementsAfter(0)) yield* sql.unsafe(statement)
      // Failing rolls the transaction back, so that nothing of it remains.
      return yield* Effect.fail({ lines: yield* describe(sql, "pg_my_temp_schema()") })
    })
  )).pipe(Effect.flatMap((failure) => "lines" in failure ? Effect.succeed(failure.lines) : Effect.fail(failure)))

const expectedSchema = Effect.fnUntraced(function*(sql: SqlClient) {
  const [server] = yield* sql<{ readonly version: string }>`SELECT version() AS version`
  const version = server?.version ?? ""
  const known = expectedSchemas.get(version)
  if (known !== undefined) return known
  const lines = yield* produceSchema(sql)
  expectedSchemas.set(version, lines)
  return lines
})

/** Counts requests whose responses an older daemon must store. Polls of device logins can be repeated, so they do not count. */
const unfinished = `SELECT (SELECT count(*) FROM token_refreshes WHERE record_id NOT LIKE 'device:%'
    AND deadline > to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  + (SELECT count(*) FROM auth_sessions WHERE status = 'processing') AS count`

/** How many milliseconds a migration waits for `unfinished`. Any refresh has ended by then. */
const longestWait = 60_000

const atWork = { _tag: "AtWork" } as const

/** Fails with `atWork` if other daemons wait for a response, because they could not store it in the new tables. */
const requireIdle = Effect.fnUntraced(function*(sql: SqlClient, daemons: string) {
  const [others] = yield* sql.unsafe<{ readonly count: number }>(`SELECT count(*) - 1 AS count FROM (${daemons}) d`)
  const [work] = yield* sql.unsafe<{ readonly count: number }>(unfinished)
  if (others!.count > 0 && work!.count > 0) return yield* Effect.fail(atWork)
})

/**
 * Creates or migrates the tables. Returns the previous version, which is 0 for a new store. Other daemons can begin nothing
 * after `ready` has succeeded, because this transaction has locked the tables.
 */
const migrate = <E>(sql: SqlClient, schema: string, ready: Effect.Effect<void, E>) =>
  inMigration(
    sql,
    Effect.gen(function*() {
      yield* sql.unsafe(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
      const [existing] = yield* sql<
        { readonly name: string | null }
      >`SELECT to_regclass('schema_version')::text AS name`
      const [row] = existing?.name === null
        ? []
        : yield* sql<{ readonly version: number }>`SELECT version FROM schema_version`
      const version = row?.version ?? 0
      if (version >= schemaVersion) return version
      if (version > 0) {
        yield* sql.unsafe(lockOf(tables.flatMap(({ name, since }) => since <= version ? [name] : [])))
        yield* ready
      }
      for (const statement of statementsAfter(version)) yield* sql.unsafe(statement)
      yield* version === 0
        ? sql`INSERT INTO schema_version (version) VALUES (${schemaVersion})`
        : sql`UPDATE schema_version SET version = ${schemaVersion}`
      return version
    })
  )

/** Migrates the tables at a moment when no daemon waits for the response to a refresh or a login. */
const migrateBetween = (sql: SqlClient, schema: string, daemons: string) =>
  Effect.suspend(() => {
    const end = performance.now() + longestWait
    const attempt = migrate(sql, schema, requireIdle(sql, daemons))
    return attempt.pipe(
      Effect.tapErrorTag("AtWork", () =>
        Effect.logWarning(
          "The tables will be migrated as soon as the older daemons have stored the responses that they wait for."
        )),
      Effect.catchTag("AtWork", () =>
        Effect.retry(attempt, {
          while: (error) => error._tag === "AtWork" && performance.now() < end,
          schedule: Schedule.spaced("200 millis")
        })),
      Effect.tapErrorTag("AtWork", () =>
        Effect.logWarning(
          "The tables are migrated although an older daemon waits for a response, which that daemon cannot store."
        )),
      Effect.catchTag("AtWork", () => migrate(sql, schema, Effect.void))
    )
  })

/**
 * Creates or migrates the tables. Returns their previous version and a check of the schema. `daemons` is a query with a
 * row for each daemon that uses the database, including this one.
 */
export const openSchema = (sql: SqlClient, schema: string, daemons: string) =>
  Effect.gen(function*() {
    const version = yield* migrateBetween(sql, schema, daemons)
    const expected = yield* expectedSchema(sql)
    const difference = (sql: SqlClient) =>
      Effect.map(describe(sql, "current_schema()::regnamespace"), (actual) => schemaDifference(actual, expected))
    return { version, difference }
  })
