/** Data keys as the store keeps them: wrapped by the master key, and bound to the store and the profile. */
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { builtins } from "../../platform/builtins.ts"
import { randomId } from "../../platform/Digest.ts"
import * as SealedBox from "../SealedBox.ts"
import { rowsOf } from "../StoreRows.ts"
import type { KeyEncryptionKey } from "./KeyEncryptionKey.ts"

/** The profile of the store's own data key. It is not a valid handle, so no real profile has this name. */
export const STORE_PROFILE = "*store"

const DataKeyRow = Schema.Struct({ key_id: Schema.String, profile: Schema.String, wrapped: Schema.Uint8Array })
/** The part of a row of `data_keys` with which a data key is opened. */
export type DataKeyRow = typeof DataKeyRow.Type

const keyRows = rowsOf(DataKeyRow)

/** Reads the data keys that a WHERE or ORDER BY clause selects. */
export const readDataKeys = (sql: SqlClient, selection: Fragment) =>
  keyRows(sql`SELECT key_id, profile, wrapped FROM data_keys ${selection}`)

/** Stores the active data key of a profile. */
export const insertDataKey = (sql: SqlClient, { key_id, profile, wrapped }: DataKeyRow, createdAt: string) =>
  sql`INSERT INTO data_keys ${sql.insert({ key_id, profile, active: 1, created_at: createdAt, wrapped })}`

/** The store and the profile to which a data key is bound. */
interface DataKeyOwner {
  readonly storeId: string
  readonly profile: string
}

const wrapBinding = ({ profile, storeId }: DataKeyOwner, dataKeyId: string): Uint8Array =>
  SealedBox.binding("credsvc/data-key/v1", [storeId, dataKeyId, profile])

/** Wraps a data key with a master key. */
export const wrapDataKey = (kek: KeyEncryptionKey, owner: DataKeyOwner, { id, key }: SealedBox.BoxKey): DataKeyRow => {
  const bytes = key.export()
  const wrapped = SealedBox.seal(kek, wrapBinding(owner, id), bytes)
  bytes.fill(0)
  return { key_id: id, profile: owner.profile, wrapped }
}

/** Creates a data key, and wraps it with the master key. */
export const makeDataKey = (kek: KeyEncryptionKey, owner: DataKeyOwner) => {
  const bytes = builtins.crypto.randomBytes(32)
  const dataKey: SealedBox.BoxKey = { id: randomId(), key: builtins.crypto.createSecretKey(bytes) }
  bytes.fill(0)
  return { dataKey, row: wrapDataKey(kek, owner, dataKey) }
}

/** Opens a data key. Returns undefined if another master key has wrapped it, or if it was altered. */
export const unwrapDataKey = (
  kek: KeyEncryptionKey,
  storeId: string,
  { key_id: id, profile, wrapped }: DataKeyRow
): SealedBox.BoxKey | undefined => {
  const bytes = SealedBox.open(kek, wrapBinding({ storeId, profile }, id), wrapped)
  if (bytes === undefined || bytes.length !== 32) return undefined
  const key = builtins.crypto.createSecretKey(bytes)
  bytes.fill(0)
  return { id, key }
}
