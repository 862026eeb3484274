/**
 * The vault's header and the master key that opens it.
 *
 * The header (rows of `meta`) is written once, with the store's own data key and the first manifest, when the first
 * secret is stored.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { KeyObject } from "node:crypto"
import * as fs from "node:fs"
import { Paths } from "../../config/Paths.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { type MasterKeyMode, MasterKeySource } from "../../domain/wire/Health.ts"
import { builtins } from "../../platform/builtins.ts"
import { randomId } from "../../platform/Digest.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import * as ManifestDigest from "../manifest/ManifestDigest.ts"
import * as SealedBox from "../SealedBox.ts"
import { restoreAdvice, sqlUnavailable } from "../StoreFailures.ts"
import { rowsOf } from "../StoreRows.ts"
import { type KeyEncryptionKey, KeyResolver, type ResolvedKey, type VaultHeader } from "./KeyResolver.ts"

/** The profile of the store's own data key. It is not a valid handle, so no real profile has this name. */
export const STORE_PROFILE = "*store"

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

export const DataKeyRow = Schema.Struct({
  key_id: Schema.String,
  profile: Schema.String,
  wrapped: Schema.Uint8Array
})

const keyRows = rowsOf(DataKeyRow)
const metaRows = rowsOf(Schema.Struct({ key: Schema.String, value: Schema.String }))

const wrapBinding = (storeId: string, dataKeyId: string, profile: string): Uint8Array =>
  SealedBox.binding("credsvc/data-key/v1", [storeId, dataKeyId, profile])

const derive = (key: KeyObject, purpose: string): KeyObject =>
  builtins.crypto.createSecretKey(
    new Uint8Array(builtins.crypto.hkdfSync("sha256", key, new Uint8Array(0), `credsvc/derive/v1\n${purpose}`, 32))
  )

/** Wraps a data key with a master key. */
export const wrapDataKey = (
  kek: KeyEncryptionKey,
  storeId: string,
  profile: string,
  { id, key }: SealedBox.BoxKey
): Uint8Array => {
  const bytes = key.export()
  const wrapped = SealedBox.seal(kek, wrapBinding(storeId, id, profile), bytes)
  bytes.fill(0)
  return wrapped
}

export const makeDataKey = (
  kek: KeyEncryptionKey,
  storeId: string,
  profile: string
): { readonly dataKey: SealedBox.BoxKey; readonly wrapped: Uint8Array } => {
  const id = randomId()
  const bytes = builtins.crypto.randomBytes(32)
  const dataKey = { id, key: builtins.crypto.createSecretKey(bytes) }
  bytes.fill(0)
  return { dataKey, wrapped: wrapDataKey(kek, storeId, profile, dataKey) }
}

export const unwrapDataKey = (
  kek: KeyEncryptionKey,
  storeId: string,
  row: typeof DataKeyRow.Type
): SealedBox.BoxKey | undefined => {
  const bytes = SealedBox.open(kek, wrapBinding(storeId, row.key_id, row.profile), row.wrapped)
  if (bytes === undefined || bytes.length !== 32) return undefined
  const key = builtins.crypto.createSecretKey(bytes)
  bytes.fill(0)
  return { id: row.key_id, key }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const resolver = yield* KeyResolver
  const changes = yield* StoreChanges
  const paths = yield* Paths
  const lock = yield* Semaphore.make(1)
  let opened: OpenVault | undefined
  let failure: { readonly error: VaultUnavailableError; readonly at: number } | undefined

  const damaged = (what: string) =>
    VaultUnavailableError.of(
      `The vault's header is damaged (${what}), and nothing was changed. To repair it, ${restoreAdvice(changes)}.`
    )

  const readHeader: Effect.Effect<Option.Option<VaultHeader>, VaultUnavailableError> = Effect.gen(function*() {
    const rows = yield* metaRows(sql`SELECT key, value FROM meta`)
    const meta = new Map(rows.map(({ key, value }) => [key, value]))
    const [storeId, source, keyId, keyCheck] = ["store_id", "key_source", "key_id", "key_check"].map((key) =>
      meta.get(key)
    )
    if (storeId === undefined && source === undefined && keyId === undefined && keyCheck === undefined) {
      return Option.none()
    }
    if (storeId === undefined || keyId === undefined || keyCheck === undefined) {
      return yield* damaged("a part of it is missing")
    }
    const known = MasterKeySource.literals.find((literal) => literal === source)
    if (known === undefined) return yield* damaged("the key's source is unknown")
    return Option.some({ storeId, source: known, keyId, keyCheck })
  })

  const openVault = (storeId: string, { key, source }: ResolvedKey, store: SealedBox.BoxKey): OpenVault => ({
    storeId,
    source,
    key,
    storeKey: (purpose) => derive(store.key, purpose)
  })

  const openExisting = Effect.fnUntraced(function*(header: VaultHeader) {
    const resolved = yield* resolver.existing(header)
    const [row] = yield* keyRows(sql`
      SELECT key_id, profile, wrapped FROM data_keys WHERE profile = ${STORE_PROFILE} AND active = 1`)
    const store = row && unwrapDataKey(resolved.key, header.storeId, row)
    if (store === undefined) return yield* damaged("the store's key cannot be opened")
    return openVault(header.storeId, resolved, store)
  })

  // Rows without a header, or an anchor without a database, are the remains of a vault. A new vault would hide the
  // loss.
  const refuseRemains = Effect.gen(function*() {
    for (const { name } of ManifestDigest.coveredTables) {
      const rows = yield* sql.unsafe(`SELECT 1 FROM "${name}" LIMIT 1`)
      if (rows.length > 0) return yield* damaged(`it is missing, but ${name} has rows`)
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
    const { dataKey, wrapped } = makeDataKey(resolved.key, storeId, STORE_PROFILE)
    const vault = openVault(storeId, resolved, dataKey)
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql`INSERT INTO meta ${
        sql.insert([
          { key: "store_id", value: storeId },
          { key: "key_source", value: resolved.source },
          { key: "key_id", value: resolved.key.id },
          { key: "key_check", value: resolved.key.check },
          { key: "created_at", value: createdAt }
        ])
      }`
      yield* sql`INSERT INTO data_keys ${
        sql.insert({ key_id: dataKey.id, profile: STORE_PROFILE, active: 1, created_at: createdAt, wrapped })
      }`
      yield* ManifestDigest.initialize(sql, vault.storeKey("credsvc/manifest/v1"), storeId)
    }))
    return vault
  })

  const attempt = sqlUnavailable(Effect.gen(function*() {
    const header = yield* readHeader
    if (Option.isSome(header)) return yield* openExisting(header.value)
    return yield* Effect.catch(create, (error) =>
      // Another daemon may have created the vault at the same time.
      Effect.flatMap(
        readHeader,
        (created) => Option.isSome(created) ? openExisting(created.value) : Effect.fail(error)
      ))
  }))

  const unlockOnce = lock.withPermits(1)(Effect.gen(function*() {
    if (opened !== undefined) return opened
    const now = yield* Clock.currentTimeMillis
    if (failure !== undefined && now - failure.at < FAILURE_KEPT_MS) return yield* failure.error
    opened = yield* Effect.tapError(attempt, (error) =>
      Effect.sync(() => {
        failure = { error, at: now }
      }))
    failure = undefined
    return opened
  }))

  // Every use of a secret calls this function, so it takes no lock once the vault is open.
  /**
   * Opens the vault, or creates it if this home never had one. Only success is cached, because a keyring may be
   * unlocked later.
   */
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
