/** The vault's header: the rows of `meta` that identify the store and the master key that opens it. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { MasterKeySource } from "../../domain/wire/Health.ts"
import { Timestamp } from "../../domain/wire/Wire.ts"
import type { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { restoreAdvice } from "../StoreFailures.ts"
import { rowsOf } from "../StoreRows.ts"
import type { ResolvedKey } from "./KeyEncryptionKey.ts"

/** The part of the header with which the vault is opened. */
export interface VaultHeader {
  readonly storeId: string
  readonly source: MasterKeySource
  readonly keyId: string
  readonly keyCheck: string
}

const metaRows = rowsOf(Schema.Struct({ key: Schema.String, value: Schema.String }))

const decodeTime = Schema.decodeUnknownOption(Timestamp)

const readMeta = (sql: SqlClient) =>
  Effect.map(metaRows(sql`SELECT key, value FROM meta`), (rows) => new Map(rows.map(({ key, value }) => [key, value])))

/** The error for a header that is there but unusable. */
export const headerDamaged = (changes: StoreChanges["Service"], what: string) =>
  VaultUnavailableError.of(
    `The vault's header is damaged (${what}), and nothing was changed. To repair it, ${restoreAdvice(changes)}.`
  )

/** Reads the header. None if the database holds no vault. */
export const readHeader = Effect.fnUntraced(function*(sql: SqlClient, changes: StoreChanges["Service"]) {
  const meta = yield* readMeta(sql)
  const [storeId, source, keyId, keyCheck] = ["store_id", "key_source", "key_id", "key_check"].map((key) =>
    meta.get(key)
  )
  if (storeId === undefined && source === undefined && keyId === undefined && keyCheck === undefined) {
    return Option.none<VaultHeader>()
  }
  if (storeId === undefined || keyId === undefined || keyCheck === undefined) {
    return yield* headerDamaged(changes, "a part of it is missing")
  }
  const known = MasterKeySource.literals.find((literal) => literal === source)
  if (known === undefined) return yield* headerDamaged(changes, "the key's source is unknown")
  return Option.some<VaultHeader>({ storeId, source: known, keyId, keyCheck })
})

/** Reads the ID of the master key, how many master keys the vault has had, and when the current one became its key. */
export const readKeyHistory = (sql: SqlClient) =>
  Effect.map(readMeta(sql), (meta) => ({
    keyId: meta.get("key_id"),
    generation: Number(meta.get("key_generation") ?? 1),
    changedAt: Option.getOrElse(
      decodeTime(meta.get("key_changed_at") ?? meta.get("created_at")),
      () => DateTime.makeUnsafe(0)
    )
  }))

/** Writes the header of a new vault: the rows that identify the master key, and further facts. Fails if there is a header. */
export const insertHeader = (
  sql: SqlClient,
  { key: { check, id }, source }: ResolvedKey,
  facts: Readonly<Record<string, string>>
) => {
  const rows = Object.entries({ key_id: id, key_check: check, ...facts }).map(([key, value]) => ({ key, value }))
  return sql`INSERT INTO meta ${sql.insert([{ key: "key_source", value: source }, ...rows])}`
}

/** Names another master key in the header. */
export const replaceKeyInHeader = (sql: SqlClient, resolved: ResolvedKey, facts: Readonly<Record<string, string>>) =>
  sql`${insertHeader(sql, resolved, facts)} ON CONFLICT (key) DO UPDATE SET value = excluded.value`
