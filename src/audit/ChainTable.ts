/**
 * The table of a chained log, and its head in `meta`, which the store manifest covers. The head is the newest row; its
 * base is the newest row that was deleted because of its age.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { exactColumn, rowsOf } from "../vault/StoreRows.ts"
import { type ChainRow, type Content, genesis, Link } from "./ChainLinks.ts"

/** The members of every chain's head. Without a base, no row was deleted. */
export const headFields = { ...Link.fields, base: Schema.optionalKey(Link) }

/** The newest row, and the newest deleted one. */
export interface ChainHead extends Link {
  readonly base?: Link
}

/** Where the rows and the head of one log are stored. */
export interface TableOptions<Row extends ChainRow, Head extends ChainHead> {
  readonly table: string
  readonly row: Schema.Struct<Schema.Struct.Fields> & Schema.Codec<Row, unknown>
  readonly head: Schema.Codec<Head, unknown>
  /** The head of an empty log. */
  readonly empty: Head
  /** The key of the `meta` row with the head. */
  readonly headKey: string
  /** The name of the log, for messages. */
  readonly log: string
  /** The column with the time of a row, as an ISO string. */
  readonly time: string
}

/** The maximum number of rows that one statement reads or deletes. */
export const batchSize = 500
/** The number of sequence numbers that one query of a search covers. */
const slice = 10_000

const seqRows = rowsOf(Schema.Struct({ first: Schema.NullOr(Schema.Int), last: Schema.NullOr(Schema.Int) }))
const headRows = rowsOf(Schema.Struct({ value: Schema.String }))
const ageRows = rowsOf(Schema.Struct({ seq: Schema.Int, time: Schema.String }))

/** The link after which the first row follows. */
export const baseOf = (head: ChainHead): Link => head.base ?? { seq: 0, hash: genesis }

/** Reads rows of a table exactly as stored. */
const makeReader = <Row extends ChainRow>(
  sql: SqlClient,
  name: string,
  schema: TableOptions<Row, ChainHead>["row"]
) => {
  const decode = rowsOf(schema)
  const names = Object.keys(schema.fields)
  const isText = (column: string) => schema.fields[column] !== Schema.Uint8Array
  const columns = sql.literal(
    names.map((column) => isText(column) ? exactColumn(sql, column) : `"${column}"`).join(", ")
  )
  const withText = (row: Record<string, unknown>) => {
    for (const column of names) {
      const value = row[column]
      if (value instanceof Uint8Array && isText(column)) row[column] = Buffer.from(value).toString("utf8")
    }
    return row
  }
  return (which: Fragment) =>
    decode(Effect.map(
      sql<Record<string, unknown>>`SELECT ${columns} FROM ${sql(name)} ${which}`,
      (rows) => rows.map(withText)
    ))
}

/** Makes the functions that read and write the rows and the head. */
export const makeChainTable = <Row extends ChainRow, Head extends ChainHead>(
  sql: SqlClient,
  options: TableOptions<Row, Head>
) => {
  const { headKey, log } = options
  const table = sql(options.table)
  const time = sql(options.time)
  const decodeHead = Schema.decodeUnknownExit(Schema.fromJsonString(options.head))
  const rows = makeReader(sql, options.table, options.row)

  // With the table's name, this is the indexed column and not the selected expression of the same name.
  const bySeq = sql`${table}.seq`

  const head = Effect.gen(function*() {
    const [row] = yield* headRows(sql`SELECT value FROM meta WHERE key = ${headKey}`)
    if (row === undefined) return options.empty
    const decoded = decodeHead(row.value)
    return Exit.isSuccess(decoded)
      ? decoded.value
      : yield* VaultUnavailableError.of(`The head of the ${log} is damaged. Restore the store from a backup.`)
  })

  const writeHead = (head: Head) =>
    sql`INSERT INTO meta ${
      sql.insert({ key: headKey, value: JSON.stringify(head) })
    } ON CONFLICT (key) DO UPDATE SET value = excluded.value`

  /**
   * Returns a lower bound for the sequence numbers of rows since a time, by counting a limited number of rows. Returns Infinity
   * if no row is that new. Returns 0 if there are too many to count, because a search from the newest row then finds some quickly.
   */
  const firstSince = (since: DateTime.Utc) =>
    Effect.map(
      seqRows(sql`SELECT min(seq) AS first, count(*) AS last FROM (
        SELECT seq FROM ${table} WHERE ${time} >= ${DateTime.formatIso(since)} ORDER BY ${time} DESC
          LIMIT ${batchSize + 1}) recent`),
      ([row]) => {
        if (row?.last === 0) return Infinity
        return Number(row?.last) > batchSize ? 0 : row?.first ?? 0
      }
    )

  /** Finds the newest rows before a sequence number that satisfy the conditions, newest first. */
  const search = Effect.fnUntraced(function*(
    { before = Number.MAX_SAFE_INTEGER, conditions, equal, limit, since }: {
      readonly before?: number | undefined
      readonly conditions: ReadonlyArray<Fragment>
      /** The values of columns. An undefined value selects all rows. */
      readonly equal: Readonly<Record<string, string | undefined>>
      readonly limit: number
      readonly since?: DateTime.Utc | undefined
    }
  ) {
    const { base, seq } = yield* Effect.map(head, (head) => ({ seq: head.seq, base: baseOf(head) }))
    const lowest = Math.max(base.seq + 1, since === undefined ? 0 : yield* firstSince(since))
    const found: Array<Row> = []
    // Each slice is one query, so that a search that must read many rows does not block the daemon's other work.
    for (let end = Math.min(before, seq + 1); end > lowest && found.length < limit; end -= slice) {
      const within = sql.and([
        sql`seq >= ${Math.max(lowest, end - slice)}`,
        sql`seq < ${end}`,
        ...(since === undefined ? [] : [sql`${time} >= ${DateTime.formatIso(since)}`]),
        ...Object.entries(equal).flatMap(([name, value]) => value === undefined ? [] : [sql`${sql(name)} = ${value}`]),
        ...conditions
      ])
      found.push(...yield* rows(sql`WHERE ${within} ORDER BY ${bySeq} DESC LIMIT ${limit - found.length}`))
      yield* Effect.yieldNow
    }
    return found
  })

  return {
    head,
    writeHead,
    search,

    insert: (row: Content<Row> & ChainRow) => sql`INSERT INTO ${table} ${sql.insert(row)}`,

    /** Reads the oldest rows, up to one batch of them. */
    oldest: rows(sql`ORDER BY ${bySeq} LIMIT ${batchSize}`),

    /** Reads the rows after a sequence number, up to one batch of them. */
    after: (seq: number) => rows(sql`WHERE seq > ${seq} ORDER BY ${bySeq} LIMIT ${batchSize}`),

    /** Reads all rows after a sequence number. */
    allAfter: (seq: number) => rows(sql`WHERE seq > ${seq} ORDER BY ${bySeq}`),

    row: (seq: number) => Effect.map(rows(sql`WHERE seq = ${seq}`), ([row]) => row),

    /** The lowest and the highest sequence number. */
    // Two subqueries, each of which reads one row by the primary key. A single query for both would read the whole table.
    ends: Effect.map(
      seqRows(sql`SELECT (SELECT min(seq) FROM ${table}) AS first, (SELECT max(seq) FROM ${table}) AS last`),
      ([row]) => ({ first: row?.first ?? undefined, last: row?.last ?? undefined })
    ),

    /** Reads the times of the oldest rows up to a sequence number, up to one batch of them. */
    ages: (until: number) =>
      ageRows(sql`SELECT seq, ${time} AS time FROM ${table} WHERE seq <= ${until} ORDER BY seq LIMIT ${batchSize}`),

    deleteUntil: (seq: number) => sql`DELETE FROM ${table} WHERE seq <= ${seq}`
  }
}

export type ChainTable<Row extends ChainRow, Head extends ChainHead> = ReturnType<typeof makeChainTable<Row, Head>>
