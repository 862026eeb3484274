/**
 * Row tracking on PostgreSQL, to which other daemons also write, and which others administer.
 *
 * `xmin` and `ctid` tell whether a row is still the verified one: every statement that writes a row changes its `xmin`.
 * A transaction locks all tables, so the rows whose versions differ at its end are those that it has changed. Triggers,
 * rules and policies could change rows within credsvc's statements, so the version includes the catalog's entries about
 * credsvc's tables.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BeginTransaction, type SqlClient } from "effect/sql/SqlClient"
import type { KeyObject } from "../../platform/builtins.ts"
import { snapshot } from "../../platform/store/StoreChanges.ts"
import { rowsOf } from "../StoreRows.ts"
import { type CoveredTable, coveredTables, digestInStore, rowName, scanRows } from "./ManifestDigest.ts"
import type { RowTracking, Verified, Version } from "./RowTracking.ts"

interface PartsVersion extends Version {
  readonly id: string
  /** The version of each covered table. */
  readonly tables: ReadonlyMap<string, string>
  /** The versions of all covered rows by their names, for each table. Empty if they were not read. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, string>>
}

const partRows = rowsOf(Schema.Struct({ part: Schema.String, version: Schema.NullOr(Schema.String) }))

const rowVersion = "xmin::text || ' ' || ctid::text"

/** Tables that the manifest does not cover. A trigger on one of them could change covered tables. */
const otherTables = ["manifest", "audit", "use_batches", "token_refreshes", "runs", "run_uses", "used_nonces"]

/** The tables of credsvc, whose entries in the catalog are watched. */
export const trackedTables = [...coveredTables.map(({ name }) => name), ...otherTables]

/** The catalog's entries about credsvc's tables, without values that PostgreSQL changes by itself. */
const catalog = `
  WITH tables AS (SELECT unnest(ARRAY[${trackedTables.map((name) => `'"${name}"'::regclass`).join(", ")}])::oid AS oid)
  SELECT string_agg(entry, ',' ORDER BY entry) FROM (
    SELECT concat_ws(' ', c.oid, relkind, relpersistence, relhasrules, relhastriggers, relrowsecurity) AS entry
      FROM pg_class c JOIN tables USING (oid)
    UNION ALL SELECT concat_ws(' ', a.attrelid, a.attnum, a.xmin)
      FROM pg_attribute a JOIN tables t ON a.attrelid = t.oid WHERE a.attnum > 0
    UNION ALL SELECT concat_ws(' ', 'default', d.oid) FROM pg_attrdef d JOIN tables t ON d.adrelid = t.oid
    UNION ALL SELECT concat_ws(' ', 'trigger', g.oid, g.tgenabled) FROM pg_trigger g JOIN tables t ON g.tgrelid = t.oid
    UNION ALL SELECT concat_ws(' ', 'constraint', n.oid) FROM pg_constraint n JOIN tables t ON n.conrelid = t.oid
    UNION ALL SELECT concat_ws(' ', 'index', i.indexrelid) FROM pg_index i JOIN tables t ON i.indrelid = t.oid
    UNION ALL SELECT concat_ws(' ', 'rule', r.oid) FROM pg_rewrite r JOIN tables t ON r.ev_class = t.oid
    UNION ALL SELECT concat_ws(' ', 'policy', p.oid) FROM pg_policy p JOIN tables t ON p.polrelid = t.oid
  ) AS entries`

const versionStatement = [
  `SELECT 'catalog' AS part, md5((${catalog})) AS version`,
  ...["manifest", ...coveredTables.map(({ name }) => name)].map((name) =>
    // Every request runs this query, so it neither converts to text nor sorts. If the order of the rows has changed,
    // the rows are read again.
    `SELECT '${name}', md5(string_agg(tidsend(ctid) || xidsend(xmin), '')) FROM "${name}"`
  )
].join(" UNION ALL ")

export const makePostgresRowTracking = (sql: SqlClient): RowTracking<PartsVersion> => {
  const version = Effect.map(partRows(sql.unsafe(versionStatement)), (parts): PartsVersion => {
    const tables = new Map(parts.map(({ part, version }) => [part, version ?? ""]))
    return { id: JSON.stringify([...tables]), tables, rows: new Map() }
  })

  const rowsIn = (table: CoveredTable) =>
    Effect.map(
      sql.unsafe(
        `SELECT ${[...table.key.map((column) => `"${column}"`), rowVersion].join(", ")} FROM "${table.name}"`
      ).values,
      (rows) => new Map(rows.map((row) => [rowName(table.name, row.slice(0, -1).map(String)), String(row.at(-1))]))
    )

  const scanned = Effect.fnUntraced(function*(key: KeyObject) {
    const now = yield* version
    const { rows, values } = yield* scanRows(sql, key, rowVersion)
    return { rows, version: { ...now, rows: values } }
  })

  /** Reads again each row whose version differs from the verified version. */
  const changes = Effect.fnUntraced(function*(key: KeyObject, before: Verified<PartsVersion>) {
    const now = yield* version
    const rows = new Map(before.version.rows)
    const changed = new Map<string, bigint | undefined>()
    for (const table of coveredTables) {
      if (now.tables.get(table.name) === before.version.tables.get(table.name)) continue
      const were = before.version.rows.get(table.name)
      const are = yield* rowsIn(table)
      rows.set(table.name, are)
      for (const [name, rowVersion] of are) {
        if (were?.get(name) === rowVersion) continue
        const digest = yield* digestInStore(sql, key, name)
        if (digest !== before.rows.digests.get(name)) changed.set(name, digest)
      }
      for (const name of were?.keys() ?? []) {
        if (!are.has(name)) changed.set(name, undefined)
      }
    }
    return { rows: changed, version: { ...now, rows } }
  })

  return {
    version,
    isUnchanged: () => false,
    check: Effect.void,
    // PostgreSQL takes the snapshot at the first statement. Otherwise a migration could commit between the check of the
    // schema and the reading of the rows.
    inSnapshot: (read) =>
      Effect.provideService(sql.withTransaction(Effect.andThen(sql`SELECT 1`, read)), BeginTransaction, snapshot),
    scanned,
    begin: Effect.void,
    changes,
    settled: ({ rows }) => Effect.map(version, (now) => ({ ...now, rows })),
    foreignChanges: changes,
    // The server reuses the space of earlier rows by itself; docs/security.md says what its files may contain.
    forgetContents: Effect.void,
    forgetPages: Effect.void
  }
}
