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
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { OperationNotAllowedError, type StoreFailure, VaultUnavailableError } from "../../domain/Errors.ts"
import { Timestamp } from "../../domain/wire/Timestamp.ts"
import type { RotatedKeys, VaultKeys } from "../../domain/wire/VaultKeys.ts"
import { sealedColumns } from "../manifest/ManifestDigest.ts"
import { StoreManifest } from "../manifest/StoreManifest.ts"
import { type BoxKey, keyIdOf } from "../SealedBox.ts"
import { rowsOf } from "../StoreRows.ts"
import { Vault } from "../Vault.ts"
import { DataKeys } from "./DataKeys.ts"
import { type KeyEncryptionKey, KeyResolver } from "./KeyResolver.ts"
import { DataKeyRow, makeDataKey, MasterKey, STORE_PROFILE, unwrapDataKey, wrapDataKey } from "./MasterKey.ts"

const keyRows = rowsOf(DataKeyRow)
const metaRows = rowsOf(Schema.Struct({ key: Schema.String, value: Schema.String }))
const boxRows = rowsOf(Schema.Struct({ sealed: Schema.Uint8Array }))

const decodeTime = Schema.decodeUnknownOption(Timestamp)

const generationKey = "key_generation"
const changedKey = "key_changed_at"

export interface RotateOptions {
  /** The new master key, if the environment of the daemon provides the master key. */
  readonly newKey: Option.Option<Redacted.Redacted<string>>
  /** Records the rotation, in the same transaction. */
  readonly record: Effect.Effect<void, VaultUnavailableError>
}

export class KeyRotation extends Context.Service<KeyRotation, {
  readonly status: Effect.Effect<VaultKeys, VaultUnavailableError>

  /** Rotates the keys. Cannot be interrupted. */
  readonly rotate: (options: RotateOptions) => Effect.Effect<RotatedKeys, StoreFailure>
}>()("credsvc/vault/KeyRotation") {
  static readonly layerNoDeps = Layer.effect(
    KeyRotation,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* DataKeys
      const manifest = yield* StoreManifest
      const masterKey = yield* MasterKey
      const resolver = yield* KeyResolver
      const vault = yield* Vault
      const lock = yield* Semaphore.make(1)

      const allKeys = keyRows(sql`SELECT key_id, profile, wrapped FROM data_keys ORDER BY key_id`)

      const meta = Effect.map(
        metaRows(sql`SELECT key, value FROM meta`),
        (rows) => new Map(rows.map(({ key, value }) => [key, value]))
      )

      const setMeta = (key: string, value: string) =>
        sql`INSERT INTO meta ${sql.insert({ key, value })} ON CONFLICT (key) DO UPDATE SET value = excluded.value`

      /** Whether any table has a row that is sealed under one of these keys. */
      const isUsed = Effect.fnUntraced(function*(ids: ReadonlySet<string>) {
        for (const [table, column] of sealedColumns) {
          const rows = yield* boxRows(sql`SELECT ${sql(column)} AS sealed FROM ${sql(table)}`)
          if (rows.some(({ sealed }) => ids.has(keyIdOf(sealed) ?? ""))) return true
        }
        return false
      })

      /** Wraps the data key of the store again, and creates a data key for each profile. */
      const nextDataKeys = Effect.fnUntraced(
        function*(current: KeyEncryptionKey, next: KeyEncryptionKey, storeId: string) {
          const former = new Set<string>()
          const keyOfProfile = new Map<string, BoxKey>()
          const created: Array<{ readonly key_id: string; readonly profile: string; readonly wrapped: Uint8Array }> = []
          for (const row of yield* allKeys) {
            const dataKey = unwrapDataKey(current, storeId, row)
            if (dataKey === undefined) {
              return yield* VaultUnavailableError.of(
                `The stored key of profile ${row.profile} cannot be opened, so the keys cannot be rotated. Nothing was changed.`
              )
            }
            if (row.profile === STORE_PROFILE) {
              const wrapped = wrapDataKey(next, storeId, row.profile, dataKey)
              yield* sql`UPDATE data_keys SET ${sql.update({ wrapped })} WHERE key_id = ${row.key_id}`
              continue
            }
            former.add(row.key_id)
            if (keyOfProfile.has(row.profile)) continue
            const { dataKey: { id, key }, wrapped } = makeDataKey(next, storeId, row.profile)
            keyOfProfile.set(row.profile, { id, key })
            created.push({ key_id: id, profile: row.profile, wrapped })
          }
          return { former, keyOfProfile, created }
        }
      )

      const sealRowsAgain = Effect.fnUntraced(
        function*(keyOfProfile: ReadonlyMap<string, BoxKey>, former: ReadonlySet<string>) {
          let rows = 0
          for (const sealAgain of vault.tables.values()) rows += yield* sealAgain(keyOfProfile)
          if (yield* isUsed(former)) {
            return yield* VaultUnavailableError.of(
              "A table that this version of credsvc does not know has sealed rows. Rotate with the newest version. Nothing was changed."
            )
          }
          return rows
        }
      )

      const replaceKeys = Effect.fn("KeyRotation.replaceKeys")(function*({ newKey, record }: RotateOptions) {
        const { key: current, source, storeId } = yield* manifest.verified("rows")
        if (resolver.stage === undefined) {
          return yield* OperationNotAllowedError.of(
            `The vault's key comes from the ${resolver.describe(source)}, which does not support a rotation.`
          )
        }
        const staged = yield* resolver.stage({ source, storeId }, current, newKey)
        // Loads the old keys, because callers may hold rows that they read earlier.
        for (const { key_id, profile } of yield* allKeys) yield* keys.byId(profile, key_id)
        return yield* manifest.transact(Effect.gen(function*() {
          const header = yield* meta
          if (header.get("key_id") !== current.id) {
            return yield* OperationNotAllowedError.of(
              "Another daemon has replaced the key. Nothing was changed."
            )
          }
          const { created, former, keyOfProfile } = yield* nextDataKeys(current, staged.key, storeId)
          const rows = yield* sealRowsAgain(keyOfProfile, former)
          for (const id of former) yield* sql`DELETE FROM data_keys WHERE key_id = ${id}`
          const now = DateTime.formatIso(yield* DateTime.now)
          for (const row of created) {
            yield* sql`INSERT INTO data_keys ${sql.insert({ ...row, active: 1, created_at: now })}`
          }
          yield* setMeta("key_source", staged.source)
          yield* setMeta("key_id", staged.key.id)
          yield* setMeta("key_check", staged.key.check)
          yield* setMeta(generationKey, String(Number(header.get(generationKey) ?? 1) + 1))
          yield* setMeta(changedKey, now)
          yield* record
          yield* sql.afterCommit(masterKey.adopt(staged))
          return { rows, dataKeys: former.size }
        }))
      })

      const status = Effect.gen(function*() {
        const { key, source } = yield* manifest.verified("rows")
        const header = yield* meta
        const rows = yield* allKeys
        const changedAt = decodeTime(header.get(changedKey) ?? header.get("created_at"))
        return {
          source,
          description: resolver.describe(source),
          keyId: key.id,
          generation: Number(header.get(generationKey) ?? 1),
          changedAt: Option.getOrElse(changedAt, () => DateTime.makeUnsafe(0)),
          dataKeys: rows.length
        } satisfies VaultKeys
      })

      /** Moves the master key that the header names to the place of the current key. */
      const settle = Effect.gen(function*() {
        const opened = yield* manifest.verified("rows")
        // Another daemon may have replaced the master key.
        const { key, source, storeId } = (yield* meta).get("key_id") === opened.key.id
          ? opened
          : yield* masterKey.reopen
        if (resolver.settle !== undefined) yield* resolver.settle({ source, storeId }, key)
      })

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

      return KeyRotation.of({ status, rotate })
    })
  )
}
