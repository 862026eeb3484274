/**
 * Opens the vault with the master key. The vault is created, with its header, the store's own data key and the first
 * manifest, when the first secret is stored.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { KeyObject } from "node:crypto"
import * as fs from "node:fs"
import { Paths } from "../../config/Paths.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import type { MasterKeyMode, MasterKeySource } from "../../domain/wire/Health.ts"
import { builtins } from "../../platform/builtins.ts"
import { randomId } from "../../platform/Digest.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import * as ManifestDigest from "../manifest/ManifestDigest.ts"
import type { BoxKey } from "../SealedBox.ts"
import { sqlUnavailable } from "../StoreFailures.ts"
import type { KeyEncryptionKey, ResolvedKey } from "./KeyEncryptionKey.ts"
import { KeyResolver } from "./KeyResolver.ts"
import { headerDamaged, insertHeader, readHeader, type VaultHeader } from "./VaultHeader.ts"
import { insertDataKey, makeDataKey, readDataKeys, STORE_PROFILE, unwrapDataKey } from "./WrappedDataKey.ts"

const FAILURE_KEPT_MS = 2000

export interface MasterKeyStatus {
  readonly mode: MasterKeyMode
  /** The source of the key. Null while the key is unavailable; the description then says what is missing. */
  readonly source: MasterKeySource | null
  readonly description: string
}

export interface OpenVault {
  readonly storeId: string
  readonly source: MasterKeySource
  readonly key: KeyEncryptionKey
  /** Derives a key for one purpose in the whole store. The result is the same after every restart. */
  readonly storeKey: (purpose: string) => KeyObject
}

const derive = (key: KeyObject, purpose: string): KeyObject =>
  builtins.crypto.createSecretKey(
    new Uint8Array(builtins.crypto.hkdfSync("sha256", key, new Uint8Array(0), `credsvc/derive/v1\n${purpose}`, 32))
  )

const openVault = (storeId: string, { key, source }: ResolvedKey, store: BoxKey): OpenVault => ({
  storeId,
  source,
  key,
  storeKey: (purpose) => derive(store.key, purpose)
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const resolver = yield* KeyResolver
  const changes = yield* StoreChanges
  const paths = yield* Paths
  const lock = yield* Semaphore.make(1)
  let opened: OpenVault | undefined
  let failure: { readonly error: VaultUnavailableError; readonly at: number } | undefined

  const openExisting = Effect.fnUntraced(function*(header: VaultHeader) {
    const resolved = yield* resolver.existing(header)
    const [row] = yield* readDataKeys(sql, sql`WHERE profile = ${STORE_PROFILE} AND active = 1`)
    const store = row && unwrapDataKey(resolved.key, header.storeId, row)
    if (store === undefined) return yield* headerDamaged(changes, "the store's key cannot be opened")
    return openVault(header.storeId, resolved, store)
  })

  // Rows without a header, or an anchor without a database, are the remains of a vault. A new vault would hide the
  // loss.
  const refuseRemains = Effect.gen(function*() {
    for (const { name } of ManifestDigest.coveredTables) {
      const rows = yield* sql.unsafe(`SELECT 1 FROM "${name}" LIMIT 1`)
      if (rows.length > 0) return yield* headerDamaged(changes, `it is missing, but ${name} has rows`)
    }
    if (fs.existsSync(paths.manifestAnchor)) {
      return yield* VaultUnavailableError.of(
        changes.isShared
          ? `The database holds no vault, but ${paths.manifestAnchor} shows that this home has one. Check ` +
            "CREDSVC_DATABASE_URL. Move a store from a file with credsvc admin backup and restore. To start over " +
            "without the stored secrets, remove the anchor file."
          : `${paths.database} holds no vault, but ${paths.manifestAnchor} shows that there was one. Restore both from ` +
            "the same backup. To start over without the stored secrets, remove the anchor file."
      )
    }
  })

  const create = Effect.gen(function*() {
    yield* refuseRemains
    const storeId = randomId()
    const resolved = yield* resolver.create(storeId)
    const createdAt = DateTime.formatIso(yield* DateTime.now)
    const { dataKey, row } = makeDataKey(resolved.key, { storeId, profile: STORE_PROFILE })
    const vault = openVault(storeId, resolved, dataKey)
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* insertHeader(sql, resolved, { store_id: storeId, created_at: createdAt })
      yield* insertDataKey(sql, row, createdAt)
      yield* ManifestDigest.initialize(sql, vault.storeKey("credsvc/manifest/v1"), storeId)
    }))
    return vault
  })

  const attempt = sqlUnavailable(Effect.gen(function*() {
    const header = yield* readHeader(sql, changes)
    if (Option.isSome(header)) return yield* openExisting(header.value)
    return yield* Effect.catch(create, (error) =>
      // Another daemon may have created the vault at the same time.
      Effect.flatMap(
        readHeader(sql, changes),
        (created) => Option.isSome(created) ? openExisting(created.value) : Effect.fail(error)
      ))
  }))

  const unlockOnce = lock.withPermits(1)(Effect.gen(function*() {
    if (opened !== undefined) return opened
    const now = yield* Clock.currentTimeMillis
    if (failure !== undefined && Math.abs(now - failure.at) < FAILURE_KEPT_MS) return yield* failure.error
    opened = yield* Effect.tapError(attempt, (error) =>
      Effect.sync(() => {
        failure = { error, at: now }
      }))
    failure = undefined
    return opened
  }))

  /**
   * Opens the vault, or creates it if this home never had one. Only success is cached, because a keyring may be
   * unlocked later.
   */
  // Every use of a secret calls this function, so it takes no lock once the vault is open.
  const unlock = Effect.suspend(() => opened === undefined ? unlockOnce : Effect.succeed(opened))

  /** The result of the last attempt to open the vault, without a new attempt. */
  const status = Effect.gen(function*() {
    if (opened === undefined && failure === undefined) yield* Effect.exit(unlock)
    const mode = yield* resolver.mode
    return opened === undefined
      ? { mode, source: null, description: failure?.error.detail ?? "not yet known" }
      : { mode, source: opened.source, description: resolver.describe(opened.source) }
  })

  /** Finds the key again after another process has replaced it. */
  const reopen = lock.withPermits(1)(Effect.tap(attempt, (vault) =>
    Effect.sync(() => {
      opened = vault
    })))

  /** Uses another master key from now on. Call this once the stored data keys are wrapped by it. */
  const adopt = ({ key, source }: ResolvedKey) =>
    Effect.sync(() => {
      if (opened !== undefined) opened = { ...opened, key, source }
    })

  return { unlock, reopen, adopt, status }
})

export class MasterKey extends Context.Service<MasterKey, Effect.Success<typeof make>>()("credsvc/vault/MasterKey") {
  static readonly layerNoDeps = Layer.effect(MasterKey, make)
}
