/**
 * Replaces the key-encryption key and the data keys while the vault is in use.
 *
 * 1. The next key-encryption key is stored beside the current one.
 * 2. One transaction wraps the data keys by it, gives each profile a new data key, and names it in the header.
 * 3. The next key takes the place of the current one.
 * 4. Rows are sealed again in small transactions.
 * 5. The former data keys are deleted, when nothing is sealed under them.
 *
 * Until step 2 commits, the former key opens the vault; from then on only the new one, which is found in either place.
 * An interrupted rotation is known by its former data keys, and continues at step 3.
 *
 * The data key of the store seals nothing. It derives the keys of the manifest and of the logs, whose entries form chains,
 * so it is only wrapped again.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { Timestamp } from "../domain/Timestamp.ts"
import type { RotatedKeys, VaultKeys } from "../domain/VaultKeys.ts"
import { DataKeys } from "./DataKeys.ts"
import { KeyResolver } from "./KeyResolver.ts"
import { sealedColumns } from "./ManifestDigest.ts"
import { DataKeyRow, makeDataKey, MasterKey, STORE_PROFILE, unwrapDataKey, wrapDataKey } from "./MasterKey.ts"
import { keyIdOf } from "./SealedBox.ts"
import type { SealedRow, SealedTable } from "./SealedTable.ts"
import { StoreManifest } from "./StoreManifest.ts"
import { rowsOf } from "./StoreRows.ts"
import { Vault } from "./Vault.ts"

const keyRows = rowsOf(Schema.Struct({ ...DataKeyRow.fields, active: Schema.Number }))
const metaRows = rowsOf(Schema.Struct({ key: Schema.String, value: Schema.String }))
const countRows = rowsOf(Schema.Struct({ count: Schema.Union([Schema.Number, Schema.NumberFromString]) }))
const boxRows = rowsOf(Schema.Struct({ sealed: Schema.Uint8Array }))

const decodeTime = Schema.decodeUnknownOption(Timestamp)

/** Rows in one transaction, during which other changes wait. */
const BATCH = 32

const generationKey = "key_generation"
const changedKey = "key_changed_at"

export interface RotateOptions {
  /** The new key, if the environment of the daemon provides the key. */
  readonly newKey: Option.Option<Redacted.Redacted<string>>
  /** Records the rotation, in the transaction that replaces the key. */
  readonly record: Effect.Effect<void, VaultUnavailableError>
}

type RotationError = OperationNotAllowedError | VaultUnavailableError

interface Running {
  readonly done: Deferred.Deferred<RotatedKeys, RotationError>
  sealed: number
  total: number
}

export class KeyRotation extends Context.Service<KeyRotation, {
  readonly status: Effect.Effect<VaultKeys, VaultUnavailableError>

  /** Whether a rotation was interrupted. */
  readonly isInterrupted: Effect.Effect<boolean, VaultUnavailableError>

  /** Rotates the keys, or completes an interrupted rotation. Continues when the caller is interrupted. */
  readonly rotate: (options: RotateOptions) => Effect.Effect<RotatedKeys, RotationError>
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
      const scope = yield* Effect.scope
      let running: Running | undefined

      const allKeys = keyRows(sql`SELECT key_id, profile, wrapped, active FROM data_keys ORDER BY key_id`)

      const formerKeys = Effect.map(
        allKeys,
        (rows) => rows.filter(({ active, profile }) => active === 0 && profile !== STORE_PROFILE)
      )

      const isInterrupted = Effect.map(
        Effect.andThen(manifest.ready, formerKeys),
        (rows) => rows.length > 0 && running === undefined
      )

      const meta = Effect.map(
        metaRows(sql`SELECT key, value FROM meta`),
        (rows) => new Map(rows.map(({ key, value }) => [key, value]))
      )

      const setMeta = Effect.fnUntraced(function*(key: string, value: string) {
        const updated = yield* sql`UPDATE meta SET value = ${value} WHERE key = ${key} RETURNING key`
        if (updated.length === 0) yield* sql`INSERT INTO meta ${sql.insert({ key, value })}`
      })

      const countOf = ({ name }: SealedTable) =>
        Effect.map(countRows(sql`SELECT count(*) AS count FROM ${sql(name)}`), ([row]) => row?.count ?? 0)

      const total = Effect.suspend(() =>
        Effect.map(Effect.forEach(vault.tables(), countOf), (counts) => counts.reduce((sum, count) => sum + count, 0))
      )

      /** Whether a row is sealed under one of these keys, in any table. */
      const isUsed = Effect.fnUntraced(function*(ids: ReadonlySet<string>) {
        for (const [table, column] of sealedColumns) {
          const rows = yield* boxRows(sql`SELECT ${sql(column)} AS sealed FROM ${sql(table)}`)
          if (rows.some(({ sealed }) => ids.has(keyIdOf(sealed) ?? ""))) return true
        }
        return false
      })

      const switchKeys = Effect.fn("KeyRotation.switchKeys")(function*({ newKey, record }: RotateOptions) {
        const { key: current, source, storeId } = yield* manifest.ready
        if (resolver.stage === undefined) {
          return yield* OperationNotAllowedError.of(
            `The vault's key comes from the ${resolver.describe(source)}, which does not support a rotation.`
          )
        }
        const staged = yield* resolver.stage({ source, storeId }, current, newKey)
        // The keys that rows of callers are still sealed under.
        for (const { key_id, profile } of yield* allKeys) yield* keys.byId(profile, key_id)
        yield* manifest.protect(Effect.gen(function*() {
          const header = yield* meta
          if (header.get("key_id") !== current.id) {
            return yield* OperationNotAllowedError.of(
              "Another daemon has replaced the key meanwhile. Nothing was changed."
            )
          }
          const createdAt = DateTime.formatIso(yield* DateTime.now)
          for (const row of yield* allKeys) {
            const dataKey = unwrapDataKey(current, storeId, row)
            if (dataKey === undefined) {
              return yield* VaultUnavailableError.of(
                `The stored key of profile ${row.profile} does not open, so the keys cannot be rotated. Nothing was changed.`
              )
            }
            const isReplaced = row.active === 1 && row.profile !== STORE_PROFILE
            const wrapped = wrapDataKey(staged.key, storeId, row.profile, dataKey)
            yield* sql`UPDATE data_keys SET ${sql.update({ wrapped, active: isReplaced ? 0 : row.active })}
              WHERE key_id = ${row.key_id}`
            if (!isReplaced) continue
            const next = makeDataKey(staged.key, storeId, row.profile)
            yield* sql`INSERT INTO data_keys ${
              sql.insert({
                key_id: next.dataKey.id,
                profile: row.profile,
                active: 1,
                created_at: createdAt,
                wrapped: next.wrapped
              })
            }`
          }
          yield* setMeta("key_source", staged.source)
          yield* setMeta("key_id", staged.key.id)
          yield* setMeta("key_check", staged.key.check)
          yield* setMeta(generationKey, String(Number(header.get(generationKey) ?? 1) + 1))
          yield* setMeta(changedKey, createdAt)
          yield* record
          yield* sql.afterCommit(masterKey.adopt(staged))
        }))
      })

      /** Seals the rows of a table again that are sealed under a former key. Returns how many there were. */
      const sealTable = Effect.fnUntraced(function*(table: SealedTable, progress: Running) {
        let last: SealedRow["key"] | undefined
        let count = 0
        for (;;) {
          const rows = yield* manifest.protect(Effect.gen(function*() {
            const rows = yield* table.after(sql, last, BATCH)
            let changed = 0
            for (const { columns, key } of rows) {
              const sealed: Record<string, Uint8Array> = {}
              for (const { column, identity, sealed: box } of columns) {
                const active = yield* keys.active(identity.profile)
                if (keyIdOf(box) === active.id) continue
                sealed[column] = yield* vault.seal(identity, yield* vault.open(identity, box))
              }
              if (Object.keys(sealed).length === 0) continue
              changed++
              const isRow = table.key.map((column, index) => sql`${sql(column)} = ${key[index]}`)
              yield* sql`UPDATE ${sql(table.name)} SET ${sql.update(sealed)} WHERE ${sql.and(isRow)}`
            }
            return { changed, last: rows.at(-1)?.key, read: rows.length }
          }))
          count += rows.changed
          progress.sealed += rows.read
          if (rows.last === undefined || rows.read < BATCH) return count
          last = rows.last
        }
      })

      /** Deletes the former data keys. Returns their number, or undefined if something is sealed under one. */
      const deleteFormerKeys = manifest.protect(Effect.gen(function*() {
        const former = yield* formerKeys
        if (yield* isUsed(new Set(former.map(({ key_id }) => key_id)))) return undefined
        for (const { key_id } of former) yield* sql`DELETE FROM data_keys WHERE key_id = ${key_id}`
        return former.length
      }))

      const status = Effect.gen(function*() {
        const { key, source } = yield* manifest.ready
        const header = yield* meta
        const rows = yield* allKeys
        const [former] = yield* formerKeys
        const changedAt = decodeTime(header.get(changedKey) ?? header.get("created_at"))
        const progress = running
        return {
          source,
          description: resolver.describe(source),
          keyId: key.id,
          generation: Number(header.get(generationKey) ?? 1),
          changedAt: Option.getOrElse(changedAt, () => DateTime.makeUnsafe(0)),
          dataKeys: rows.length,
          rotation: progress !== undefined
            ? { state: "running" as const, sealed: progress.sealed, total: progress.total }
            : former !== undefined
            ? { state: "interrupted" as const, sealed: 0, total: yield* total }
            : null
        } satisfies VaultKeys
      })

      /** Puts the vault's key in its place. */
      const settle = Effect.gen(function*() {
        const opened = yield* manifest.ready
        // Another daemon may have replaced the key.
        const { key, source, storeId } = (yield* meta).get("key_id") === opened.key.id
          ? opened
          : yield* masterKey.reopen
        if (resolver.settle !== undefined) yield* resolver.settle({ source, storeId }, key)
      })

      const perform = Effect.fnUntraced(function*(options: RotateOptions, progress: Running) {
        yield* manifest.ready
        const resumed = (yield* formerKeys).length > 0
        if (resumed && Option.isSome(options.newKey)) {
          return yield* OperationNotAllowedError.of(
            "An earlier rotation was interrupted after it had replaced the key. Complete it without another key first: " +
              "credsvc vault rotate"
          )
        }
        // The next key would replace the only copy of one that an earlier rotation could not put in its place.
        yield* settle
        if (!resumed) yield* Effect.andThen(Effect.uninterruptible(switchKeys(options)), settle)
        let rows = 0
        for (;;) {
          progress.sealed = 0
          progress.total = yield* total
          let sealed = 0
          for (const table of vault.tables()) sealed += yield* sealTable(table, progress)
          rows += sealed
          const deleted = yield* deleteFormerKeys
          if (deleted !== undefined) {
            running = undefined
            return { status: "completed" as const, keys: yield* status, resumed, rows, dataKeys: deleted }
          }
          // A change that had begun before the keys were replaced may have stored another row.
          if (sealed === 0) {
            return yield* VaultUnavailableError.of(
              "Rows are still sealed under a former key, and this process does not know their table. Nothing was lost."
            )
          }
        }
      })

      const rotate = Effect.fn("KeyRotation.rotate")(function*(options: RotateOptions) {
        if (running !== undefined) {
          if (Option.isSome(options.newKey)) {
            return yield* OperationNotAllowedError.of("The keys are being rotated already. Wait until this has ended.")
          }
          return yield* Deferred.await(running.done)
        }
        const progress: Running = { done: yield* Deferred.make<RotatedKeys, RotationError>(), sealed: 0, total: 0 }
        running = progress
        yield* Effect.forkIn(
          Effect.onExit(perform(options, progress), (exit) => {
            if (running === progress) running = undefined
            return Deferred.done(
              progress.done,
              Exit.isFailure(exit) && Exit.hasInterrupts(exit)
                ? Exit.fail(
                  VaultUnavailableError.of("The rotation was interrupted. Complete it with: credsvc vault rotate")
                )
                : exit
            )
          }),
          scope
        )
        return yield* Deferred.await(progress.done)
      })

      return KeyRotation.of({ status, isInterrupted, rotate })
    })
  )
}
