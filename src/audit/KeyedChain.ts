/**
 * A log in a table whose rows form a chain under a key of the vault.
 *
 * The MAC of a row covers its content and the hash of the previous row, so a row that was altered, moved, added or removed
 * breaks the chain. Both ends are a row of `meta`, which the store manifest covers: the head is the newest row, and the base
 * is the newest row that was deleted because of its age.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { ConfigDocument } from "../config/file/ConfigDocument.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { builtins, type KeyObject } from "../platform/builtins.ts"
import { isSameSecret, sha256 } from "../platform/Digest.ts"
import { MasterKey, type OpenVault } from "../vault/keys/MasterKey.ts"
import { StoreManifest, StoreTransaction } from "../vault/manifest/StoreManifest.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { exactColumn, rowsOf } from "../vault/StoreRows.ts"

export const genesis = "0".repeat(64)

const Link = Schema.Struct({ seq: Schema.Int, hash: Schema.String })
type Link = typeof Link.Type

const beginning: Link = { seq: 0, hash: genesis }

/** The columns of every chained table. */
export const chained = { seq: Schema.Int, prev_hash: Schema.String, mac: Schema.String }

/** The members of every chain's head. Without a base, no row was deleted. */
export const headFields = { ...Link.fields, base: Schema.optionalKey(Link) }

interface ChainRow {
  readonly seq: number
  readonly prev_hash: string
  readonly mac: string
}

interface ChainHead extends Link {
  readonly base?: Link
}

interface ChainOptions<Row extends ChainRow, Head extends ChainHead> {
  readonly table: string
  readonly row: Schema.Struct<Schema.Struct.Fields> & Schema.Codec<Row, unknown>
  /** The values that the MAC covers besides the purpose, the sequence number and the previous hash. */
  readonly contentOf: (row: Omit<Row, "mac" | "prev_hash">) => ReadonlyArray<string | number | null>
  readonly purpose: string
  readonly head: Schema.Codec<Head, unknown>
  /** The head of an empty log. */
  readonly empty: Head
  /** The key of the `meta` row with the head. */
  readonly headKey: string
  /** The names of the log and of one of its rows, for messages. */
  readonly log: string
  readonly unit: string
  /** The number of newest rows that `checkTail` verifies. */
  readonly tail: number
  /** The column with the time of a row, as an ISO string. */
  readonly time: string
  /** The number of newest rows that are kept even if they are old. */
  readonly kept: number
  readonly retentionDays: (config: ConfigDocument) => number
}

/** The result of a walk: the links between which the chain is intact. */
export interface Walk {
  readonly base: Link
  readonly end: Link
  readonly rows: number
  /** The sequence number of the first row that is missing, altered or added. */
  readonly brokenAt: number | undefined
}

const pruneInterval = "1 hour"
/** Delays the first deletion, so that it does not slow down the start of the daemon. */
const firstPrune = "1 minute"
/** The maximum number of rows that one statement reads or deletes. */
const batch = 500
/** The number of sequence numbers that one query of a search covers. */
const slice = 10_000

const seqRows = rowsOf(Schema.Struct({ first: Schema.NullOr(Schema.Int), last: Schema.NullOr(Schema.Int) }))
const headRows = rowsOf(Schema.Struct({ value: Schema.String }))
const ageRows = rowsOf(Schema.Struct({ seq: Schema.Int, time: Schema.String }))

const macOf = (key: KeyObject, payload: string) =>
  builtins.crypto.createHmac("sha256", key).update(payload).digest("hex")

/** The hash to which the next row refers. */
const hashOf = (payload: string, mac: string) => sha256(`${payload}\n${mac}`)

/** Returns functions that compute and verify the links between rows. */
const linksOf = <Row extends ChainRow, Head extends ChainHead>({ contentOf, purpose }: ChainOptions<Row, Head>) => {
  const payloadOf = (row: Omit<Row, "mac">) =>
    JSON.stringify([purpose, row.seq, ...contentOf(row as Omit<Row, "mac" | "prev_hash">), row.prev_hash])

  const linkOf = (row: Row, payload = payloadOf(row)): Link => ({ seq: row.seq, hash: hashOf(payload, row.mac) })

  /** Returns the link of the row after `before`, or undefined if the row does not continue the chain. */
  const linkAfter = (before: Link, row: Row, key: KeyObject): Link | undefined => {
    const payload = payloadOf(row)
    return row.seq === before.seq + 1 && row.prev_hash === before.hash && isSameSecret(row.mac, macOf(key, payload))
      ? linkOf(row, payload)
      : undefined
  }

  /** Returns the content as the row after `before`, and the link of that row. */
  const rowAfter = (before: Link, content: Omit<Row, keyof ChainRow>, key: KeyObject) => {
    const unsealed = { seq: before.seq + 1, ...content, prev_hash: before.hash } as unknown as Omit<Row, "mac">
    const payload = payloadOf(unsealed)
    const row = { ...unsealed, mac: macOf(key, payload) } as unknown as Row
    return { row, link: linkOf(row, payload) }
  }

  return { linkAfter, linkOf, rowAfter }
}

export const makeKeyedChain = <Row extends ChainRow, Head extends ChainHead>(options: ChainOptions<Row, Head>) =>
  Effect.gen(function*() {
    const { headKey, log, purpose, time, unit } = options
    const { linkAfter, linkOf, rowAfter } = linksOf(options)
    const sql = yield* SqlClient.SqlClient
    const manifest = yield* StoreManifest
    const masterKey = yield* MasterKey
    const config = yield* ConfigFile
    const table = sql(options.table)
    const decodeHead = Schema.decodeUnknownExit(Schema.fromJsonString(options.head))
    const decodeRows = rowsOf(options.row)

    const names = Object.keys(options.row.fields)
    const isText = (name: string) => options.row.fields[name] !== Schema.Uint8Array
    const columns = sql.literal(
      names.map((name) => isText(name) ? exactColumn(sql, name) : `"${name}"`).join(", ")
    )
    const textOf = (row: Record<string, unknown>) => {
      for (const name of names) {
        const value = row[name]
        if (value instanceof Uint8Array && isText(name)) row[name] = Buffer.from(value).toString("utf8")
      }
      return row
    }

    // With the table's name, this is the indexed column and not the selected expression of the same name.
    const bySeq = sql`${table}.seq`

    /** Reads rows exactly as stored. */
    const rows = (which: Fragment) =>
      decodeRows(Effect.map(
        sql<Record<string, unknown>>`SELECT ${columns} FROM ${table} ${which}`,
        (found) => found.map(textOf)
      ))

    const after = (seq: number) => rows(sql`WHERE seq > ${seq} ORDER BY ${bySeq} LIMIT ${batch}`)

    const broken = (seq: number) => `${unit} ${seq} of the ${log} is missing, was altered, or was added`

    const head = Effect.gen(function*() {
      const [row] = yield* headRows(sql`SELECT value FROM meta WHERE key = ${headKey}`)
      if (row === undefined) return options.empty
      const decoded = decodeHead(row.value)
      return Exit.isSuccess(decoded)
        ? decoded.value
        : yield* VaultUnavailableError.of(`The head of the ${log} is damaged. Restore the store from a backup.`)
    })

    const baseOf = (head: Head): Link => head.base ?? beginning

    const writeHead = (head: Head) =>
      sql`INSERT INTO meta ${
        sql.insert({ key: headKey, value: JSON.stringify(head) })
      } ON CONFLICT (key) DO UPDATE SET value = excluded.value`

    /**
     * Returns a lower bound for the sequence numbers of rows since a time, by counting a limited number of rows. Returns Infinity
     * if there are none. Returns 0 if there are too many to count, because a search from the newest row then finds some quickly.
     */
    const firstSince = (since: DateTime.Utc) =>
      Effect.map(
        seqRows(sql`SELECT min(seq) AS first, count(*) AS last FROM (
        SELECT seq FROM ${table} WHERE ${sql(time)} >= ${DateTime.formatIso(since)} ORDER BY ${sql(time)} DESC
          LIMIT ${batch + 1}) recent`),
        ([row]) => row?.last === 0 ? Infinity : Number(row?.last) > batch ? 0 : row?.first ?? 0
      )

    /** Finds the newest rows before a sequence number that satisfy the conditions, newest first. */
    const search = Effect.fnUntraced(function*(
      { before = Number.MAX_SAFE_INTEGER, conditions, limit, since }: {
        readonly before?: number | undefined
        readonly conditions: ReadonlyArray<Fragment>
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
          ...(since === undefined ? [] : [sql`${sql(time)} >= ${DateTime.formatIso(since)}`]),
          ...conditions
        ])
        found.push(...yield* rows(sql`WHERE ${within} ORDER BY ${bySeq} DESC LIMIT ${limit - found.length}`))
        yield* Effect.yieldNow
      }
      return found
    })

    /** Adds a row after the head. The caller writes the returned head. */
    const append = Effect.fnUntraced(function*(head: Head, content: Omit<Row, keyof ChainRow>) {
      const { vault } = yield* StoreTransaction
      const { link, row } = rowAfter(head, content, vault.storeKey(purpose))
      yield* sql`INSERT INTO ${table} ${sql.insert(row as unknown as Record<string, string>)}`
      return { head: { ...head, ...link }, row }
    })

    // Two subqueries, each of which reads one row by the primary key. A single query for both would read the whole table.
    const ends = Effect.map(
      seqRows(sql`SELECT (SELECT min(seq) FROM ${table}) AS first, (SELECT max(seq) FROM ${table}) AS last`),
      ([row]) => ({ first: row?.first ?? undefined, last: row?.last ?? undefined })
    )

    /** Verifies the ends and the newest rows. The cost does not depend on the length of the log. */
    const checkTail = Effect.fnUntraced(function*(vault: OpenVault) {
      const key = vault.storeKey(purpose)
      // The manifest covers the head, so a failure to read it is a failure of the database.
      const newest = yield* head
      const base = baseOf(newest)
      const { first = base.seq + 1, last = base.seq } = yield* ends
      if (first !== base.seq + 1) return broken(base.seq + 1)
      if (last !== newest.seq) return broken(Math.min(last, newest.seq) + 1)
      const from = Math.max(base.seq, newest.seq - options.tail)
      const found = yield* rows(sql`WHERE seq > ${from} ORDER BY ${bySeq}`)
      let at: Link = from === base.seq ? base : { seq: from, hash: found[0]?.prev_hash ?? "" }
      for (const row of found) {
        const next = linkAfter(at, row, key)
        if (next === undefined) return broken(at.seq + 1)
        at = next
      }
      return at.seq === newest.seq && at.hash === newest.hash ? undefined : broken(newest.seq)
    })
    yield* manifest.addCheck({ head: headKey, check: checkTail })

    /**
     * Verifies every row. Reads in batches and holds no lock, so rows may be added and deleted meanwhile. It works on
     * an altered store, too, so that it finds the first bad row.
     */
    const walk = Effect.gen(function*() {
      const key = (yield* masterKey.unlock).storeKey(purpose)
      let newest = yield* head
      let base = baseOf(newest)
      let at = base
      const result = (brokenAt?: number): Walk => ({ base, end: at, rows: at.seq - base.seq, brokenAt })
      for (;;) {
        // Each batch of rows is read after its head, so the head cannot be older than the rows of the previous batch.
        if (at.seq > newest.seq) return result(newest.seq + 1)
        // Rows at or before the base must not exist. If they do, they come first.
        const found = yield* at === base ? rows(sql`ORDER BY ${bySeq} LIMIT ${batch}`) : after(at.seq)
        let isBroken = false
        for (const row of found) {
          const next = linkAfter(at, row, key)
          isBroken = next === undefined
          if (next === undefined) break
          at = next
        }
        const isEnd = !isBroken && found.length < batch
        if (isEnd && at.seq === newest.seq) return result(at.hash === newest.hash ? undefined : at.seq)
        const next = yield* head
        const { seq, hash } = baseOf(next)
        if (seq > base.seq) at = base = { seq, hash }
        else if (isBroken || (isEnd && at.seq < newest.seq)) return result(at.seq + 1)
        newest = next
        yield* Effect.yieldNow
      }
    })

    /** Deletes the oldest rows from before a time, up to one batch of them. Returns whether there may be more. */
    const pruneBatch = Effect.fnUntraced(function*(before: string) {
      const newest = yield* head
      const oldest = yield* ageRows(
        sql`SELECT seq, ${sql(time)} AS time FROM ${table} WHERE seq <= ${
          newest.seq - options.kept
        } ORDER BY seq LIMIT ${batch}`
      )
      // Deletes only a prefix of the chain: all rows before the first row to keep.
      const recent = oldest.findIndex((row) => row.time >= before)
      const until = (recent < 0 ? oldest : oldest.slice(0, recent)).at(-1)?.seq
      if (until === undefined) return false
      const [last] = yield* rows(sql`WHERE seq = ${until}`)
      if (last === undefined) return false
      yield* sql`DELETE FROM ${table} WHERE seq <= ${until}`
      yield* writeHead({ ...newest, base: linkOf(last) })
      return recent < 0 && oldest.length === batch
    })

    /** Deletes rows older than this time. Each transaction is short, so that others can write in between. */
    const prune = (before: DateTime.Utc) =>
      Effect.repeat(manifest.transact(pruneBatch(DateTime.formatIso(before))), { while: (more) => more }).pipe(
        Effect.asVoid
      )

    const pruneOld = Effect.gen(function*() {
      const { base, seq } = yield* Effect.map(head, (head) => ({ seq: head.seq, base: baseOf(head) }))
      // For an empty log, the vault need not be opened or created.
      if (seq === base.seq) return
      const days = options.retentionDays(yield* config.read)
      yield* prune(DateTime.subtract(yield* DateTime.now, { days }))
    })
    yield* Effect.forkScoped(
      Effect.delay(Effect.repeat(Effect.ignore(pruneOld), Schedule.spaced(pruneInterval)), firstPrune)
    )

    return { after, append, broken, head, prune, search, walk: sqlUnavailable(walk), writeHead }
  })
