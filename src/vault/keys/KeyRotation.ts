/**
 * Replaces the master key and the data keys while the vault is in use.
 *
 * 1. The next master key is stored beside the current one.
 * 2. One transaction gives each profile a new data key, reseals every row under it, deletes the old data keys, and
 *    names the next master key in the header. Other transactions wait until it has committed.
 * 3. The next key takes the place of the current one.
 *
 * Until step 2 commits, the old key opens the vault. From then on only the new key does, in either place. Earlier
 * versions resealed the rows in many transactions. A home in which these were interrupted has inactive data keys, under
 * which rows remain readable until the next rotation.
 *
 * The data key of the store seals nothing. The keys of the manifest and of the logs, whose entries form chains, are
 * derived from it, so it is only wrapped again.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { OperationNotAllowedError, VaultUnavailableError } from "../../domain/Errors.ts"
import type { VaultKeys } from "../../domain/wire/VaultKeys.ts"
import { sealedColumns } from "../manifest/ManifestDigest.ts"
import { StoreManifest } from "../manifest/StoreManifest.ts"
import { type BoxKey, keyIdOf } from "../SealedBox.ts"
import { rowsOf } from "../StoreRows.ts"
import { Vault } from "../Vault.ts"
import { DataKeys } from "./DataKeys.ts"
import type { KeyEncryptionKey } from "./KeyEncryptionKey.ts"
import { KeyResolver } from "./KeyResolver.ts"
import { MasterKey } from "./MasterKey.ts"
import { readKeyHistory, replaceKeyInHeader } from "./VaultHeader.ts"
import {
  type DataKeyRow,
  insertDataKey,
  makeDataKey,
  readDataKeys,
  STORE_PROFILE,
  unwrapDataKey,
  wrapDataKey
} from "./WrappedDataKey.ts"

const boxRows = rowsOf(Schema.Struct({ sealed: Schema.Uint8Array }))

interface RotateOptions {
  /** The new master key, if the environment of the daemon provides the master key. */
  readonly newKey: Option.Option<Redacted.Redacted<string>>
  /** Records the rotation, in the same transaction. */
  readonly record: Effect.Effect<void, VaultUnavailableError>
}

/** Fails if rows of any table are sealed under these keys. */
const requireNoneUnder = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, ids: ReadonlySet<string>) {
  for (const [table, column] of sealedColumns) {
    const rows = yield* boxRows(sql`SELECT ${sql(column)} AS sealed FROM ${sql(table)}`)
    if (rows.some(({ sealed }) => ids.has(keyIdOf(sealed) ?? ""))) {
      return yield* VaultUnavailableError.of(
        "A table that this version of credsvc does not know has sealed rows. Rotate with the newest version. Nothing was changed."
      )
    }
  }
})

/** Wraps the data key of the store again, and creates a data key for each profile. */
const nextDataKeys = Effect.fnUntraced(
  function*(
    sql: SqlClient.SqlClient,
    storeId: string,
    { current, next }: { readonly current: KeyEncryptionKey; readonly next: KeyEncryptionKey }
  ) {
    const former = new Set<string>()
    const keyOfProfile = new Map<string, BoxKey>()
    const created: Array<DataKeyRow> = []
    for (const row of yield* readDataKeys(sql, sql`ORDER BY key_id`)) {
      const dataKey = unwrapDataKey(current, storeId, row)
      if (dataKey === undefined) {
        return yield* VaultUnavailableError.of(
          `The stored key of profile ${row.profile} cannot be opened, so the keys cannot be rotated. Nothing was changed.`
        )
      }
      if (row.profile === STORE_PROFILE) {
        const { wrapped } = wrapDataKey(next, { storeId, profile: row.profile }, dataKey)
        yield* sql`UPDATE data_keys SET ${sql.update({ wrapped })} WHERE key_id = ${row.key_id}`
        continue
      }
      former.add(row.key_id)
      if (keyOfProfile.has(row.profile)) continue
      const made = makeDataKey(next, { storeId, profile: row.profile })
      keyOfProfile.set(row.profile, made.dataKey)
      created.push(made.row)
    }
    return { former, keyOfProfile, created }
  }
)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* DataKeys
  const manifest = yield* StoreManifest
  const masterKey = yield* MasterKey
  const resolver = yield* KeyResolver
  const vault = yield* Vault
  const lock = yield* Semaphore.make(1)

  const replaceKeys = Effect.fn("KeyRotation.replaceKeys")(function*({ newKey, record }: RotateOptions) {
    const { key: current, source, storeId } = yield* manifest.verified("rows")
    if (resolver.stage === undefined) {
      return yield* OperationNotAllowedError.of(
        `The vault's key comes from the ${resolver.describe(source)}, which does not support a rotation.`
      )
    }
    const staged = yield* resolver.stage({ source, storeId }, current, newKey)
    // Loads the old keys, because callers may hold rows that they read earlier.
    for (const { key_id, profile } of yield* readDataKeys(sql, sql`ORDER BY key_id`)) {
      yield* keys.byId(profile, key_id)
    }
    return yield* manifest.transact(Effect.gen(function*() {
      const { generation, keyId } = yield* readKeyHistory(sql)
      if (keyId !== current.id) {
        return yield* OperationNotAllowedError.of("Another daemon has replaced the key. Nothing was changed.")
      }
      const { created, former, keyOfProfile } = yield* nextDataKeys(sql, storeId, { current, next: staged.key })
      const rows = yield* vault.sealTablesAgain(keyOfProfile)
      yield* requireNoneUnder(sql, former)
      for (const id of former) yield* sql`DELETE FROM data_keys WHERE key_id = ${id}`
      const now = DateTime.formatIso(yield* DateTime.now)
      for (const row of created) yield* insertDataKey(sql, row, now)
      yield* replaceKeyInHeader(sql, staged, { key_generation: String(generation + 1), key_changed_at: now })
      yield* record
      yield* sql.afterCommit(masterKey.adopt(staged))
      return { rows, dataKeys: former.size }
    }))
  })

  const status = Effect.gen(function*() {
    const { key, source } = yield* manifest.verified("rows")
    const { changedAt, generation } = yield* readKeyHistory(sql)
    const rows = yield* readDataKeys(sql, sql``)
    return {
      source,
      description: resolver.describe(source),
      keyId: key.id,
      generation,
      changedAt,
      dataKeys: rows.length
    } satisfies VaultKeys
  })

  /** Moves the master key that the header names to the place of the current key. */
  const settle = Effect.gen(function*() {
    const opened = yield* manifest.verified("rows")
    // Another daemon may have replaced the master key.
    const { key, source, storeId } = (yield* readKeyHistory(sql)).keyId === opened.key.id
      ? opened
      : yield* masterKey.reopen
    if (resolver.settle !== undefined) yield* resolver.settle({ source, storeId }, key)
  })

  /** Rotates the keys. Cannot be interrupted. */
  const rotate = Effect.fn("KeyRotation.rotate")(
    function*(options: RotateOptions) {
      yield* manifest.verified("rows")
      // First finishes an interrupted rotation: the next key would overwrite that rotation's key, which may be its only
      // copy.
      yield* settle
      const replaced = yield* replaceKeys(options)
      yield* settle
      return { keys: yield* status, ...replaced }
    },
    lock.withPermits(1),
    Effect.uninterruptible
  )

  return { status, rotate }
})

export class KeyRotation
  extends Context.Service<KeyRotation, Effect.Success<typeof make>>()("credsvc/vault/KeyRotation")
{
  static readonly layerNoDeps = Layer.effect(KeyRotation, make)
}
