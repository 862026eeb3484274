/**
 * Data keys, one per profile, stored wrapped by the key-encryption key.
 *
 * Secrets are sealed under data keys, so a new key-encryption key requires rewrapping only a few rows and no secrets.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { KeyObject } from "node:crypto"
import { VaultUnavailableError } from "../domain/Errors.ts"
import type { ResolvedKey } from "./KeyResolver.ts"
import {
  derive,
  makeDataKey,
  MasterKey,
  type OpenVault,
  sqlUnavailable,
  unwrapDataKey,
  wrapBinding
} from "./MasterKey.ts"
import { type BoxKey, seal } from "./SealedBox.ts"
import { StoreManifest } from "./StoreManifest.ts"

interface DataKeyRow {
  readonly key_id: string
  readonly profile: string
  readonly wrapped: Uint8Array
}

const damaged = (profile: string) =>
  VaultUnavailableError.of(
    `The stored key of profile ${profile} does not open. Restore server/credsvc.db and server/manifest.anchor from the ` +
      "same backup."
  )

export class DataKeys extends Context.Service<DataKeys, {
  /** The active data key of a profile, created if the profile has none. */
  readonly active: (profile: string) => Effect.Effect<BoxKey, VaultUnavailableError>

  /** The data key with the given ID, whether active or not. */
  readonly byId: (profile: string, keyId: string) => Effect.Effect<BoxKey, VaultUnavailableError>

  /**
   * Derives a key for one purpose of a profile, such as `credsvc/audit/v1`. Keys of different purposes are
   * independent.
   */
  readonly macKey: (profile: string, purpose: string) => Effect.Effect<KeyObject, VaultUnavailableError>

  /** Derives a key for one purpose of the store as a whole. */
  readonly storeKey: (purpose: string) => Effect.Effect<KeyObject, VaultUnavailableError>

  /**
   * Rewraps all data keys under another key-encryption key, in one transaction. The caller must first verify that the
   * new key is available from its source, because afterwards the old key opens nothing.
   */
  readonly rewrap: (next: ResolvedKey) => Effect.Effect<void, VaultUnavailableError>
}>()("credsvc/vault/DataKeys") {
  static readonly layerNoDeps = Layer.effect(
    DataKeys,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const masterKey = yield* MasterKey
      const manifest = yield* StoreManifest
      const activeKeys = new Map<string, BoxKey>()
      const keysById = new Map<string, BoxKey>()

      // A key is cached only after its row is committed. Secrets sealed under a key that was rolled back could never
      // be opened.
      const remember = (profile: string, key: BoxKey, isActive: boolean) =>
        sql.afterCommit(Effect.sync(() => {
          keysById.set(`${profile}\n${key.id}`, key)
          if (isActive) activeKeys.set(profile, key)
        }))

      const unwrap = (vault: OpenVault, row: DataKeyRow) => {
        const key = unwrapDataKey(vault.key, vault.storeId, row)
        return key === undefined ? Effect.fail(damaged(row.profile)) : Effect.succeed(key)
      }

      const findActive = (profile: string) =>
        sql<DataKeyRow>`SELECT key_id, profile, wrapped FROM data_keys WHERE profile = ${profile} AND active = 1`

      const create = Effect.fnUntraced(function*(vault: OpenVault, profile: string) {
        // Checked again inside the transaction, because another fiber may have created the key meanwhile.
        const [row] = yield* findActive(profile)
        if (row !== undefined) return yield* unwrap(vault, row)
        const { dataKey, wrapped } = makeDataKey(vault.key, vault.storeId, profile)
        const createdAt = DateTime.formatIso(yield* DateTime.now)
        yield* sql`INSERT INTO data_keys ${
          sql.insert({ key_id: dataKey.id, profile, active: 1, created_at: createdAt, wrapped })
        }`
        return dataKey
      })

      const active = Effect.fn("DataKeys.active")(function*(profile: string) {
        const vault = yield* manifest.ready
        const known = activeKeys.get(profile)
        if (known !== undefined) return known
        const [row] = yield* findActive(profile)
        const key = row === undefined
          ? yield* manifest.protect(create(vault, profile))
          : yield* unwrap(vault, row)
        yield* remember(profile, key, true)
        return key
      }, sqlUnavailable)

      const byId = Effect.fnUntraced(function*(profile: string, keyId: string) {
        const vault = yield* manifest.ready
        const known = keysById.get(`${profile}\n${keyId}`)
        if (known !== undefined) return known
        const [row] = yield* sql<DataKeyRow>`
          SELECT key_id, profile, wrapped FROM data_keys WHERE profile = ${profile} AND key_id = ${keyId}`
        if (row === undefined) return yield* damaged(profile)
        const key = yield* unwrap(vault, row)
        yield* remember(profile, key, false)
        return key
      }, sqlUnavailable)

      const rewrap = Effect.fn("DataKeys.rewrap")(function*(next: ResolvedKey) {
        const vault = yield* manifest.ready
        yield* manifest.protect(Effect.gen(function*() {
          const rows = yield* sql<DataKeyRow>`SELECT key_id, profile, wrapped FROM data_keys`
          for (const row of rows) {
            const { key } = yield* unwrap(vault, row)
            const bytes = key.export()
            const wrapped = seal(next.key, wrapBinding(vault.storeId, row.key_id, row.profile), bytes)
            bytes.fill(0)
            yield* sql`UPDATE data_keys SET wrapped = ${wrapped} WHERE key_id = ${row.key_id}`
          }
          const header = { key_source: next.source, key_id: next.key.id, key_check: next.key.check }
          for (const [key, value] of Object.entries(header)) {
            yield* sql`UPDATE meta SET value = ${value} WHERE key = ${key}`
          }
        }))
        yield* masterKey.replaced(next)
      }, sqlUnavailable)

      return DataKeys.of({
        active,
        byId,
        macKey: (profile, purpose) => Effect.map(active(profile), ({ key }) => derive(key, purpose)),
        storeKey: (purpose) => Effect.map(manifest.ready, (vault) => vault.storeKey(purpose)),
        rewrap
      })
    })
  )
}
