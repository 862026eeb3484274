/**
 * Data keys, one for each profile. They are stored wrapped by the master key, so that secrets need not be resealed when
 * that key is replaced.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { StoreManifest, StoreTransaction } from "../manifest/StoreManifest.ts"
import type { BoxKey } from "../SealedBox.ts"
import { restoreAdvice, sqlUnavailable } from "../StoreFailures.ts"
import { MasterKey, type OpenVault } from "./MasterKey.ts"
import { type DataKeyRow, insertDataKey, makeDataKey, readDataKeys, unwrapDataKey } from "./WrappedDataKey.ts"

/** How long a failure to open a key is cached, in milliseconds. After that, the daemon reads the source of the key again. */
const failureKept = 5000

const damaged = (changes: StoreChanges["Service"], profile: string) =>
  VaultUnavailableError.of(
    `The stored key of profile ${profile} cannot be opened. To repair it, ${restoreAdvice(changes)}.`
  )

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const masterKey = yield* MasterKey
  const changes = yield* StoreChanges
  // Rotated keys stay in this map, because callers may still hold rows that they read earlier.
  const keysById = new Map<string, BoxKey>()
  let failedAt = -Infinity

  // Cached only after the commit: nothing sealed under the key of a rolled back transaction could ever be opened.
  const remember = (profile: string, key: BoxKey) =>
    sql.afterCommit(Effect.sync(() => {
      keysById.set(`${profile}\n${key.id}`, key)
    }))

  const unwrap = Effect.fnUntraced(function*(vault: OpenVault, row: DataKeyRow) {
    const known = keysById.get(`${row.profile}\n${row.key_id}`)
    if (known !== undefined) return known
    const key = unwrapDataKey(vault.key, vault.storeId, row)
    if (key !== undefined) return key
    // A rotation may have replaced the master key. Failures are cached, because reading the key may start a program.
    if (performance.now() - failedAt < failureKept) return yield* damaged(changes, row.profile)
    const now = yield* masterKey.reopen
    const found = unwrapDataKey(now.key, now.storeId, row)
    if (found !== undefined) return found
    failedAt = performance.now()
    return yield* damaged(changes, row.profile)
  })

  const create = Effect.fnUntraced(function*(vault: OpenVault, profile: string) {
    const { dataKey, row } = makeDataKey(vault.key, { storeId: vault.storeId, profile })
    yield* insertDataKey(sql, row, DateTime.formatIso(yield* DateTime.now))
    return dataKey
  })

  /** The active key of a profile, created if the profile has none. */
  const active = Effect.fn("DataKeys.active")(function*(profile: string) {
    const { vault } = yield* StoreTransaction
    // Read each time, because a rotation may have replaced the active key.
    const [row] = yield* readDataKeys(sql, sql`WHERE profile = ${profile} AND active = 1`)
    const key = yield* row === undefined ? create(vault, profile) : unwrap(vault, row)
    yield* remember(profile, key)
    return key
  }, sqlUnavailable)

  /** Finds a key by its ID, even an inactive one. */
  const byId = Effect.fnUntraced(function*(profile: string, keyId: string) {
    yield* manifest.verified("manifest")
    const known = keysById.get(`${profile}\n${keyId}`)
    if (known !== undefined) return known
    const vault = yield* manifest.verified("rows")
    const [row] = yield* readDataKeys(sql, sql`WHERE profile = ${profile} AND key_id = ${keyId}`)
    if (row === undefined) return yield* damaged(changes, profile)
    const key = yield* unwrap(vault, row)
    yield* remember(profile, key)
    return key
  })

  return {
    active,
    byId,
    storeKey: (purpose: string) => Effect.map(manifest.verified("manifest"), (vault) => vault.storeKey(purpose))
  }
})

export class DataKeys extends Context.Service<DataKeys, Effect.Success<typeof make>>()("credsvc/vault/DataKeys") {
  static readonly layerNoDeps = Layer.effect(DataKeys, make)
}
