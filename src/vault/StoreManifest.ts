/**
 * Detection of rows that were added, removed, duplicated or taken back to an earlier state outside of credsvc.
 *
 * A change of a covered table is made inside `protect`, which brings the manifest up to date in the same transaction
 * and then moves the anchor, a file beside the database that remembers the newest state. Triggers of this connection
 * refuse a change made anywhere else, so that none can be forgotten.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import { Paths } from "../config/Paths.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { plural } from "../domain/Plural.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import {
  changedSum,
  coveredTables,
  holdsSecrets,
  MANIFEST_VERSION,
  manifestMac,
  reread,
  type RowSet,
  scan
} from "./ManifestDigest.ts"
import { MasterKey, type OpenVault, sqlUnavailable, storeUnavailable } from "./MasterKey.ts"
import { binding } from "./SealedBox.ts"

/** The state that was last verified or written, with what the next change starts from. */
interface State {
  readonly epoch: number
  readonly mac: Uint8Array
  readonly rows: RowSet
  readonly anchored: boolean
}

interface Anchor {
  readonly storeId: string
  readonly epoch: number
  readonly manifest: string
}

/** A caller's failure on its way out of the transaction, told apart from the transaction's own. */
class Refused {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

const integrity = (what: string) =>
  VaultUnavailableError.of(
    `The store was changed outside of credsvc: ${what}. Restore server/credsvc.db and server/manifest.anchor from the ` +
      "same backup. No stored value is used until then."
  )

const isProtected = Context.Reference<boolean>("credsvc/vault/StoreManifest/isProtected", {
  defaultValue: () => false
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const equal = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && builtins.crypto.timingSafeEqual(left, right)

const anchorMac = (vault: OpenVault, anchor: Anchor): string =>
  builtins.crypto.createHmac("sha256", vault.storeKey("credsvc/manifest-anchor/v1"))
    .update(binding("credsvc/manifest-anchor/v1", [anchor.storeId, String(anchor.epoch), anchor.manifest]))
    .digest("hex")

const encodeAnchor = (vault: OpenVault, epoch: number, mac: Uint8Array): string => {
  const anchor: Anchor = { storeId: vault.storeId, epoch, manifest: hex(mac) }
  return JSON.stringify({
    version: 1,
    store_id: anchor.storeId,
    epoch: anchor.epoch,
    manifest: anchor.manifest,
    mac: anchorMac(vault, anchor)
  }) + "\n"
}

const decodeAnchor = (vault: OpenVault, bytes: Uint8Array): Anchor | undefined => {
  try {
    const { epoch, mac, manifest, store_id, version } = JSON.parse(new TextDecoder().decode(bytes)) as Record<
      string,
      unknown
    >
    if (version !== 1 || typeof store_id !== "string" || typeof epoch !== "number" || typeof manifest !== "string") {
      return undefined
    }
    const anchor: Anchor = { storeId: store_id, epoch, manifest }
    return typeof mac === "string" && equal(Buffer.from(mac), Buffer.from(anchorMac(vault, anchor)))
      ? anchor
      : undefined
  } catch {
    return undefined
  }
}

const triggers = coveredTables.flatMap(({ key, name }) => {
  const guard = "SELECT RAISE(ABORT, 'a covered table was changed outside of StoreManifest.protect') " +
    "WHERE NOT EXISTS (SELECT 1 FROM manifest_guard)"
  const note = (row: "old" | "new") =>
    // No OR IGNORE: the conflict clause of the statement that fires a trigger, an upsert's too, takes the place of ours.
    `INSERT INTO manifest_changes VALUES (json_array('${name}', ${
      key.map((column) => `${row}."${column}"`).join(", ")
    }))`
  const trigger = (event: string, body: ReadonlyArray<string>) =>
    `CREATE TEMP TRIGGER "manifest_${name}_${event}" AFTER ${event} ON main."${name}" BEGIN ${
      [guard, ...body].join("; ")
    }; END`
  return [
    trigger("INSERT", [note("new")]),
    trigger("DELETE", [note("old")]),
    trigger("UPDATE", [note("old"), note("new")])
  ]
})

export class StoreManifest extends Context.Service<StoreManifest, {
  /**
   * Runs a change as one transaction and accounts for what it changed. Must be the outermost transaction; a `protect`
   * within another one joins it. Commits before it returns, and a failure to write, such as a full disk, is a
   * `VaultUnavailableError`. Violated constraints stay what they are.
   */
  readonly protect: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E | VaultUnavailableError, R>

  /** Opens the vault and verifies the store, once. Everything that reads a secret waits for it. */
  readonly ready: Effect.Effect<OpenVault, VaultUnavailableError>

  /** Reads every covered row again and compares, for doctor. */
  readonly verify: Effect.Effect<{ readonly rows: number; readonly epoch: number }, VaultUnavailableError>
}>()("credsvc/vault/StoreManifest") {
  static readonly layerNoDeps = Layer.effect(
    StoreManifest,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const masterKey = yield* MasterKey
      const paths = yield* Paths
      const lock = yield* Semaphore.make(1)
      let state: State | undefined
      let guarded = false

      const keyOf = (vault: OpenVault) => vault.storeKey("credsvc/manifest/v1")

      const writeAnchor = (vault: OpenVault, epoch: number, mac: Uint8Array) =>
        SecureFiles.replaceFile(paths.manifestAnchor, encodeAnchor(vault, epoch, mac))

      const readAnchor = SecureFiles.readFile(paths.manifestAnchor, { maxBytes: 4096 }).pipe(
        Effect.map(Option.some),
        Effect.catch((error) =>
          error.problem === "not_found"
            ? Effect.succeed(Option.none<Uint8Array>())
            : Effect.fail(VaultUnavailableError.of(`The manifest's anchor cannot be read: ${error.message}.`))
        )
      )

      /** Whether the anchor is at this state, or one step behind it, as a crash after the commit leaves it. */
      const checkAnchor = Effect.fnUntraced(function*(vault: OpenVault, epoch: number, mac: Uint8Array) {
        const bytes = yield* readAnchor
        if (Option.isNone(bytes)) {
          if (epoch === 1) return false
          return yield* integrity(`${paths.manifestAnchor} is missing`)
        }
        const anchor = decodeAnchor(vault, bytes.value)
        if (anchor === undefined || anchor.storeId !== vault.storeId) {
          return yield* integrity(`${paths.manifestAnchor} was altered, or belongs to another store`)
        }
        if (anchor.epoch > epoch) return yield* integrity("the database is an older copy of itself")
        if (anchor.epoch < epoch - 1) return yield* integrity(`${paths.manifestAnchor} is an older copy of itself`)
        if (anchor.epoch === epoch && anchor.manifest !== hex(mac)) {
          return yield* integrity("the database has another history than its anchor")
        }
        return anchor.epoch === epoch
      })

      /** Reads the whole store and checks it against manifest and anchor. */
      const load = Effect.fnUntraced(function*(vault: OpenVault) {
        const [manifests, rows] = yield* sql.withTransaction(Effect.all([
          sql<
            { readonly version: number; readonly epoch: number; readonly row_count: number; readonly mac: Uint8Array }
          >`
            SELECT version, epoch, row_count, mac FROM manifest`,
          scan(sql, keyOf(vault))
        ]))
        const manifest = manifests[0]
        if (manifest === undefined) return yield* integrity("its manifest is missing")
        if (manifest.version !== MANIFEST_VERSION) {
          return yield* VaultUnavailableError.of(
            "The store's manifest was written by a newer version of credsvc. Use that version."
          )
        }
        const { epoch } = manifest
        const mac = manifestMac(keyOf(vault), {
          storeId: vault.storeId,
          epoch,
          rowCount: rows.digests.size,
          sum: rows.sum
        })
        if (!equal(mac, manifest.mac)) {
          return yield* integrity(
            rows.digests.size === manifest.row_count
              ? "rows were altered"
              : `it has ${plural(rows.digests.size, "row")} where ${manifest.row_count} were left`
          )
        }
        const anchored = yield* checkAnchor(vault, epoch, mac)
        return { epoch, mac, rows, anchored } satisfies State
      }, sqlUnavailable)

      const installGuard = Effect.gen(function*() {
        if (guarded) return
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql.unsafe("CREATE TEMP TABLE manifest_guard (id INTEGER PRIMARY KEY)")
          yield* sql.unsafe("CREATE TEMP TABLE manifest_changes (name TEXT NOT NULL)")
          for (const trigger of triggers) yield* sql.unsafe(trigger)
          yield* sql.afterCommit(Effect.sync(() => {
            guarded = true
          }))
        }))
      }).pipe(sqlUnavailable)

      const moveAnchor = Effect.fnUntraced(function*(vault: OpenVault) {
        if (state === undefined || state.anchored) return
        yield* writeAnchor(vault, state.epoch, state.mac)
        state = { ...state, anchored: true }
      })

      /** Only with the lock held. */
      const loaded = Effect.fnUntraced(function*(vault: OpenVault) {
        yield* installGuard
        state ??= yield* load(vault)
        // A second change must not leave the anchor two steps behind.
        yield* Effect.mapError(
          moveAnchor(vault),
          (error) => VaultUnavailableError.of(`The store cannot be changed: ${error.message}.`)
        )
        return state
      })

      const inTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

      const ready = Effect.gen(function*() {
        const vault = yield* masterKey.unlock
        if (state !== undefined) return vault
        // Whoever has the lock waits for the connection, which a transaction already has: it must not wait for them.
        yield* (yield* inTransaction) ? loaded(vault) : lock.withPermits(1)(loaded(vault))
        return vault
      })

      /** Accounts for the rows that the triggers noted, and writes the next manifest. */
      const settle = Effect.fnUntraced(function*(vault: OpenVault, before: State) {
        const noted = yield* sql<{ readonly name: string }>`SELECT DISTINCT name FROM manifest_changes`
        yield* sql`DELETE FROM manifest_changes`
        yield* sql`DELETE FROM manifest_guard`
        const changes = new Map<string, bigint | undefined>()
        let replaced = false
        for (const { name } of noted) {
          const digest = yield* reread(sql, keyOf(vault), name)
          if (digest === before.rows.digests.get(name)) continue
          replaced ||= before.rows.digests.has(name) && holdsSecrets(name)
          changes.set(name, digest)
        }
        if (changes.size === 0) return undefined
        const sum = changedSum(before.rows, changes)
        let rowCount = before.rows.digests.size
        for (const [name, digest] of changes) {
          rowCount += (digest === undefined ? 0 : 1) - (before.rows.digests.has(name) ? 1 : 0)
        }
        const epoch = before.epoch + 1
        const mac = manifestMac(keyOf(vault), { storeId: vault.storeId, epoch, rowCount, sum })
        const updated = yield* sql`UPDATE manifest SET ${
          sql.update({ version: MANIFEST_VERSION, epoch, row_count: rowCount, mac })
        } WHERE id = 1 AND epoch = ${before.epoch} AND mac = ${before.mac} RETURNING id`
        if (updated.length !== 1) return yield* integrity("its manifest was replaced while credsvc was running")
        return { changes, epoch, mac, replaced, sum }
      })

      const commit = <A, E, R>(vault: OpenVault, change: Effect.Effect<A, E, R>) =>
        Effect.gen(function*() {
          const before = yield* loaded(vault)
          let replaced = false
          let settled = false
          const result = yield* sql.withTransaction(Effect.gen(function*() {
            yield* sql`INSERT INTO manifest_guard (id) VALUES (1)`
            const result = yield* Effect.mapError(change, (error) => new Refused(error))
            const next = yield* settle(vault, before)
            if (next !== undefined) {
              // Runs after COMMIT and before anybody else gets the connection's next transaction through us.
              yield* sql.afterCommit(Effect.suspend(() => {
                const { digests } = before.rows
                for (const [name, digest] of next.changes) {
                  if (digest === undefined) digests.delete(name)
                  else digests.set(name, digest)
                }
                state = { epoch: next.epoch, mac: next.mac, rows: { digests, sum: next.sum }, anchored: false }
                replaced = next.replaced
                return moveAnchor(vault).pipe(
                  Effect.catch((error) =>
                    Effect.logWarning(`the manifest's anchor is one step behind: ${error.message}`)
                  )
                )
              }))
            }
            settled = true
            return result
          })).pipe(
            // A COMMIT that failed may still have happened: what is in memory is not trusted after it.
            Effect.tapCause(() =>
              Effect.sync(() => {
                if (settled) state = undefined
              })
            )
          )
          // What was replaced or deleted must not stay readable in the write-ahead log (C16).
          if (replaced) yield* Effect.ignore(sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)"))
          return result
        })

      const failureOf = <E>(error: Refused | VaultUnavailableError | SqlError.SqlError): E | VaultUnavailableError => {
        if (error instanceof VaultUnavailableError) return error
        if (error instanceof SqlError.SqlError) return storeUnavailable(error)
        const cause = error.error
        if (!(cause instanceof SqlError.SqlError)) return cause as E
        const { _tag } = cause.reason
        return _tag === "UniqueViolation" || _tag === "ConstraintError" ? cause as E : storeUnavailable(cause)
      }

      const protect = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E | VaultUnavailableError, R> =>
        Effect.gen(function*() {
          if (yield* isProtected) return yield* change
          if (yield* inTransaction) {
            return yield* Effect.die(new Error("StoreManifest.protect must be the outermost transaction"))
          }
          const vault = yield* masterKey.unlock
          return yield* lock.withPermits(1)(commit(vault, Effect.provideService(change, isProtected, true))).pipe(
            Effect.mapError((error) => failureOf<E>(error))
          )
        })

      const verify = Effect.gen(function*() {
        const vault = yield* masterKey.unlock
        return yield* lock.withPermits(1)(Effect.gen(function*() {
          const known = yield* loaded(vault)
          const found = yield* load(vault)
          if (found.epoch !== known.epoch || !equal(found.mac, known.mac)) {
            return yield* integrity("it was replaced while credsvc was running")
          }
          return { rows: found.rows.digests.size, epoch: found.epoch }
        }))
      })

      return StoreManifest.of({ protect, ready, verify })
    })
  )
}
