/**
 * Computes the manifest's digest of the database rows.
 *
 * Every covered row has a keyed digest. The sum of these digests modulo 2^256 represents the set of rows: it is
 * independent of their order, and a changed row updates it by one subtraction and one addition. Only a MAC over the
 * sum is stored, so that old states do not reveal which rows add up to which sum.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { KeyObject } from "node:crypto"
import { builtins } from "../../platform/builtins.ts"
import { sha256 } from "../../platform/Digest.ts"
import * as SealedBox from "../SealedBox.ts"
import { exactColumn } from "../StoreRows.ts"

/** The version of the list of covered tables and of their encoding. */
export const MANIFEST_VERSION = 1

/** A table whose rows the manifest covers. */
export interface CoveredTable {
  readonly name: string
  /** The columns of the row's key, all of type TEXT. */
  readonly key: ReadonlyArray<string>
  /** All columns, in the order in which they are hashed. */
  readonly columns: ReadonlyArray<string>
}

/**
 * The tables protected against changes outside of credsvc. The audit log is not included: its entries form a chain,
 * whose head is a row of `meta`. Changing this list requires a new `MANIFEST_VERSION` and code that reads the old
 * version. An exception is a table that a new migration creates: without rows, it does not change the digest.
 */
export const coveredTables: ReadonlyArray<CoveredTable> = ([
  ["meta", "key", "value"],
  ["data_keys", "key_id", "profile active created_at wrapped"],
  [
    "connections",
    "record_id",
    "profile provider name auth_type flow generation definition_fp created_at updated_at sealed secret"
  ],
  ["provider_defaults", "profile provider", "name"],
  ["client_credentials", "record_id", "profile provider issuer generation definition_fp created_at updated_at sealed"],
  [
    "auth_sessions",
    "id_hash",
    "state_hash profile provider name flow status expires_at created_at updated_at generation sealed"
  ],
  ["sandboxes", "record_id", "profile name generation created_at updated_at expires_at sealed"],
  ["identities", "key_id", "profile name public_key created_at disabled_at"],
  ["enrollment_codes", "code_id", "profile name secret_hash failures created_at expires_at"],
  ["policies", "record_id", "profile name generation created_at updated_at sealed"],
  ["documents", "kind name", "updated_at sealed"],
  ["connection_grants", "record_id profile", "created_at"],
  ["originals", "record_id", "profile path generation created_at updated_at sealed"],
  ["trusts", "name", "issuer content"],
  ["job_tokens", "token_hash", "name trust expires_at job"]
] as const).map(([name, key, others]) => ({
  name,
  key: key.split(" "),
  columns: `${key} ${others}`.split(" ")
}))

/** Names a row by its table and its key. */
export const rowName = (table: string, key: ReadonlyArray<string>): string => JSON.stringify([table, ...key])

const text = (value: unknown): string => {
  if (value === null) return "n"
  if (typeof value === "string") return `t${value}`
  if (value instanceof Uint8Array) return `b${sha256(value)}`
  return `i${String(value)}`
}

const MODULUS = 1n << 256n

const rowDigest = (key: KeyObject, table: CoveredTable, values: ReadonlyArray<unknown>): bigint => {
  const hmac = builtins.crypto.createHmac("sha256", key)
  hmac.update(SealedBox.binding("credsvc/manifest-row/v1", [table.name, ...values.map(text)]))
  return BigInt(`0x${hmac.digest("hex")}`)
}

/** The digests of rows by their names, and the sum of the digests. */
export interface RowSet {
  readonly digests: Map<string, bigint>
  readonly sum: bigint
}

const columnsOf = (sql: SqlClient, table: CoveredTable) =>
  table.columns.map((column) => blobColumns.has(column) ? `"${column}"` : exactColumn(sql, column)).join(", ")

const decodeRow = (table: CoveredTable, values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  table.columns.map((column, index) => {
    const value = values[index]
    return value instanceof Uint8Array && !blobColumns.has(column) ? Buffer.from(value).toString() : value
  })

/** Reads all rows, and the value of an SQL expression for each row, by table and name of the row. */
export const scanRows = (sql: SqlClient, key: KeyObject, expression = "NULL") =>
  Effect.gen(function*() {
    const digests = new Map<string, bigint>()
    const values = new Map<string, ReadonlyMap<string, string>>()
    let sum = 0n
    for (const table of coveredTables) {
      const ofTable = new Map<string, string>()
      const rows = yield* sql.unsafe(`SELECT ${columnsOf(sql, table)}, ${expression} FROM "${table.name}"`).values
      for (const row of rows) {
        const columns = decodeRow(table, row)
        const digest = rowDigest(key, table, columns)
        const name = rowName(table.name, columns.slice(0, table.key.length).map(String))
        digests.set(name, digest)
        ofTable.set(name, String(row.at(-1)))
        sum += digest
      }
      values.set(table.name, ofTable)
    }
    return { rows: { digests, sum: sum % MODULUS } satisfies RowSet, values }
  })

const blobColumns = new Set(["wrapped", "sealed", "secret"])

/** The columns with sealed boxes, as pairs of table and column. */
export const sealedColumns: ReadonlyArray<readonly [table: string, column: string]> = coveredTables.flatMap((table) =>
  table.columns.filter((column) => blobColumns.has(column) && column !== "wrapped").map((column) =>
    [table.name, column] as const
  )
)

/** Returns an SQL expression that serializes a trigger's row for {@link digestOfImage}. */
export const imageOf = (table: CoveredTable, row: "old" | "new"): string =>
  `json_array(${
    table.columns.map((column) => blobColumns.has(column) ? `hex(${row}."${column}")` : `${row}."${column}"`).join(", ")
  })`

/** Returns an SQL expression for the name of a trigger's row. */
export const nameOf = (table: CoveredTable, row: "old" | "new"): string =>
  `json_array('${table.name}', ${table.key.map((column) => `${row}."${column}"`).join(", ")})`

const partsOf = (name: string) => JSON.parse(name) as [table: string, ...key: Array<string>]

/** Converts a name that a trigger recorded to the spelling of `rowName`: SQLite escapes other characters than JavaScript. */
export const canonicalName = (recorded: string): string => JSON.stringify(partsOf(recorded))

/** Returns the table of a row. */
export const tableNameOf = (name: string): string => partsOf(name)[0]

const tableOf = (name: string): CoveredTable | undefined =>
  coveredTables.find((table) => table.name === tableNameOf(name))

/** Computes the digest of a row that {@link imageOf} has serialized. Undefined for an unknown table. */
export const digestOfImage = (key: KeyObject, name: string, image: string): bigint | undefined => {
  const table = tableOf(name)
  if (table === undefined) return undefined
  const values = JSON.parse(image) as ReadonlyArray<unknown>
  return rowDigest(
    key,
    table,
    values.map((value, index) => blobColumns.has(table.columns[index]!) ? Buffer.from(String(value), "hex") : value)
  )
}

/** Returns the current digest of a row in the database, or undefined if the row was deleted. */
export const digestInStore = (sql: SqlClient, key: KeyObject, name: string) =>
  Effect.gen(function*() {
    const table = tableOf(name)
    if (table === undefined) return undefined
    const [, ...keys] = partsOf(name)
    const where = table.key.map((column, index) => sql`${sql(column)} = ${keys[index]}`)
    const rows = yield* sql`SELECT ${sql.literal(columnsOf(sql, table))} FROM ${sql(table.name)} WHERE ${
      sql.and(where)
    }`
      .values
    return rows[0] === undefined ? undefined : rowDigest(key, table, decodeRow(table, rows[0]))
  })

/** Describes a row for the user. */
export const describeRow = (name: string): string => {
  const [table, key] = partsOf(name)
  if (table !== "meta") return `a row of ${table}`
  if (key === "use_log_head") return "the end of the request log"
  return key === "audit_head" ? "the end of the audit log" : "the vault's header"
}

const withoutSecrets = new Set(["meta", "provider_defaults", "identities", "enrollment_codes", "connection_grants"])

/** Whether earlier contents of this row must not remain readable in the write-ahead log. */
export const holdsSecrets = (name: string): boolean => !withoutSecrets.has(tableNameOf(name))

/** Changed rows by name, with their new digests; undefined if they were deleted. */
export type RowChanges = ReadonlyMap<string, bigint | undefined>

/** Returns the number of rows after changes, and the sum of their digests. */
export const totalsAfter = ({ digests, sum: earlierSum }: RowSet, changes: RowChanges) => {
  let rowCount = digests.size
  let sum = earlierSum
  for (const [name, digest] of changes) {
    const earlier = digests.get(name)
    rowCount += (digest === undefined ? 0 : 1) - (earlier === undefined ? 0 : 1)
    sum = (sum - (earlier ?? 0n) + (digest ?? 0n) + MODULUS) % MODULUS
  }
  return { rowCount, sum }
}

/** Updates the digests of changed rows. */
export const updateDigests = (digests: Map<string, bigint>, changes: RowChanges): void => {
  for (const [name, digest] of changes) {
    if (digest === undefined) digests.delete(name)
    else digests.set(name, digest)
  }
}

/** Returns the rows after changes. */
export const withChanges = (before: RowSet, changes: RowChanges): RowSet => {
  const digests = new Map(before.digests)
  updateDigests(digests, changes)
  return { digests, sum: totalsAfter(before, changes).sum }
}

/** Computes the MAC that the manifest stores. */
export const manifestMac = (
  key: KeyObject,
  manifest: { readonly storeId: string; readonly epoch: number; readonly rowCount: number; readonly sum: bigint }
): Uint8Array =>
  new Uint8Array(
    builtins.crypto.createHmac("sha256", key).update(SealedBox.binding("credsvc/manifest/v1", [
      String(MANIFEST_VERSION),
      manifest.storeId,
      String(manifest.epoch),
      String(manifest.rowCount),
      manifest.sum.toString(16)
    ])).digest()
  )

/** Writes the manifest of epoch 1 over the initial rows of a new vault. */
export const initialize = (sql: SqlClient, key: KeyObject, storeId: string) =>
  Effect.gen(function*() {
    const { rows: { digests, sum } } = yield* scanRows(sql, key)
    const mac = manifestMac(key, { storeId, epoch: 1, rowCount: digests.size, sum })
    yield* sql`INSERT INTO manifest ${
      sql.insert({ id: 1, version: MANIFEST_VERSION, epoch: 1, row_count: digests.size, mac })
    }`
  })
