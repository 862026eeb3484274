/**
 * The audit log: which identity did what with which connection.
 *
 * Its entries form a chain (`AuditChain.ts`), whose head is a row that the store manifest covers, so a missing entry or
 * a truncated log is detected. `AuditCopy.ts` keeps a copy as JSON lines.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { Paths } from "../config/Paths.ts"
import { AuditEntry, type AuditEvent, type AuditStatus, type AuditVerification } from "../domain/AuditEntry.ts"
import type { ConnectionName } from "../domain/Connection.ts"
import type { ProviderName } from "../domain/definition/Provider.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import { Timestamp } from "../domain/Timestamp.ts"
import type { KeyObject } from "../platform/builtins.ts"
import { DataKeys } from "../vault/DataKeys.ts"
import { isPostgres } from "../vault/ManifestDigest.ts"
import { type OpenVault } from "../vault/MasterKey.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import * as Chain from "./AuditChain.ts"
import { openAuditCopy, toWire } from "./AuditCopy.ts"
import { type ChainEntry, entriesOf, sequenceOf, type StoredEntry } from "./AuditRows.ts"

/** The part of an entry that the caller states. Without free text it can contain neither a secret nor a forged line. */
export interface AuditRecord {
  readonly event: AuditEvent
  readonly provider: ProviderName | null
  readonly connection: ConnectionName | null
  readonly identity: ProfileHandle
  readonly status: AuditStatus
}

type EntriesVerification = Omit<AuditVerification, "requestBatches">

export interface AuditQuery {
  readonly limit: number
  readonly provider?: ProviderName | undefined
  readonly event?: AuditEvent | undefined
  readonly exceptEvent?: AuditEvent | undefined
  readonly status?: AuditStatus | undefined
  readonly identity?: ProfileHandle | undefined
  readonly since?: DateTime.Utc | undefined
  /** Only entries with a lower sequence number. */
  readonly before?: number | undefined
}

const LastUse = Schema.Struct({ provider: Schema.String, connection: Schema.String, timestamp: Timestamp })
type LastUse = typeof LastUse.Type

const lastUseRows = rowsOf(LastUse)
const headRows = rowsOf(Schema.Struct({ value: Schema.String }))
const countRows = rowsOf(Schema.Struct({ entries: Schema.Int }))

const { purpose } = Chain
const headKey = "audit_head"
const verificationBatch = 1000
const usesWindow = 2000

const Head = Schema.fromJsonString(Schema.Struct({ seq: Schema.Int, hash: Schema.String }))
const decodeHead = Schema.decodeUnknownExit(Head)
type Head = typeof Head.Type

const beginning: Head = { seq: 0, hash: Chain.genesis }

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(AuditEntry))

interface Break {
  readonly seq: number
  /** Completes a sentence about the log. */
  readonly what: string
}

const detailOf = (error: VaultUnavailableError): string => error.detail ?? error.message

const broken = (seq: number): Break => ({
  seq,
  what: `entry ${seq} of the audit log is missing, was altered, or was added`
})

export class AuditLog extends Context.Service<AuditLog, {
  /**
   * Records an entry, durably when this returns or the enclosing transaction commits. A caller must reveal a secret
   * only after this has succeeded.
   */
  readonly append: (record: AuditRecord) => Effect.Effect<void, VaultUnavailableError>

  /** The newest matching entries, in chronological order. */
  readonly list: (query: AuditQuery) => Effect.Effect<ReadonlyArray<AuditEntry>, VaultUnavailableError>

  /** The sequence number of the newest entry, or 0. */
  readonly newest: Effect.Effect<number, VaultUnavailableError>

  /** The last use of each connection of the profile, according to the newest 2000 entries. */
  readonly lastUses: (profile: ProfileHandle) => Effect.Effect<ReadonlyArray<LastUse>, VaultUnavailableError>

  /**
   * Verifies the whole chain, its head and the copy. If the log was changed outside of credsvc, every use of a secret
   * is blocked.
   */
  readonly verify: Effect.Effect<EntriesVerification, VaultUnavailableError>
}>()("credsvc/audit/AuditLog") {
  static readonly layerNoDeps = Layer.effect(
    AuditLog,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const manifest = yield* StoreManifest
      const keys = yield* DataKeys
      const paths = yield* Paths
      let knownKey: KeyObject | undefined

      const key = Effect.suspend(() =>
        knownKey === undefined
          ? Effect.tap(keys.storeKey(purpose), (key) =>
            Effect.sync(() => {
              knownKey = key
            }))
          : Effect.succeed(knownKey)
      )

      const copy = yield* openAuditCopy(sql, paths.serverLogs, paths.auditLog).pipe(
        Effect.tapError((error) => Effect.logWarning(`the audit log has no copy as a file: ${error.message}`)),
        Effect.option,
        Effect.map(Option.getOrUndefined)
      )

      const readHead = Effect.gen(function*() {
        const [row] = yield* headRows(sql`SELECT value FROM meta WHERE key = ${headKey}`)
        if (row === undefined) return beginning
        const head = decodeHead(row.value)
        return Exit.isSuccess(head)
          ? head.value
          : yield* VaultUnavailableError.of("The head of the audit log is damaged. Restore the store from a backup.")
      })

      let knownHead: Head | undefined

      const writeHead = Effect.fnUntraced(function*(before: Head, head: Head) {
        const value = JSON.stringify(head)
        yield* before === beginning
          ? sql`INSERT INTO meta ${sql.insert({ key: headKey, value })}`
          : sql`UPDATE meta SET value = ${value} WHERE key = ${headKey}`
        yield* sql.afterCommit(Effect.sync(() => {
          knownHead = head
        }))
      })

      const append = Effect.fn("AuditLog.append")(function*(record: AuditRecord) {
        const macKey = yield* key
        const timestamp = DateTime.formatIso(yield* DateTime.now)
        yield* manifest.protect(Effect.gen(function*() {
          const head = yield* readHead
          const entry: ChainEntry = {
            seq: head.seq + 1,
            timestamp,
            event: record.event,
            provider: record.provider,
            connection: record.connection,
            identity: record.identity,
            status: record.status,
            prev_hash: head.hash
          }
          const mac = Chain.macOf(macKey, entry)
          const hash = Chain.hashOf(entry, mac)
          const stored: StoredEntry = { ...entry, mac }
          yield* sql`INSERT INTO audit ${sql.insert({ ...stored })}`
          yield* writeHead(head, { seq: entry.seq, hash })
          if (copy !== undefined) yield* sql.afterCommit(copy.add(stored))
        }))
      })

      const list = Effect.fn("AuditLog.list")(function*(query: AuditQuery) {
        yield* manifest.unchanged
        const conditions = [
          ...(query.provider === undefined ? [] : [sql`provider = ${query.provider}`]),
          ...(query.event === undefined ? [] : [sql`event = ${query.event}`]),
          ...(query.exceptEvent === undefined ? [] : [sql`event <> ${query.exceptEvent}`]),
          ...(query.status === undefined ? [] : [sql`status = ${query.status}`]),
          ...(query.identity === undefined ? [] : [sql`identity = ${query.identity}`]),
          ...(query.since === undefined ? [] : [sql`timestamp >= ${DateTime.formatIso(query.since)}`]),
          ...(query.before === undefined ? [] : [sql`seq < ${query.before}`])
        ]
        const rows = yield* entriesOf(sql`
          SELECT * FROM audit ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}
          ORDER BY seq DESC LIMIT ${query.limit}`)
        return yield* decodeEntries(rows.map(toWire).toReversed())
      }, (effect) =>
        Effect.catchTag(
          effect,
          "SchemaError",
          () =>
            Effect.fail(
              VaultUnavailableError.of("The audit log was altered. Find the place with: credsvc log --verify")
            )
        ))

      const newest = Effect.andThen(manifest.unchanged, sequenceOf(sql`SELECT max(seq) AS seq FROM audit`)).pipe(
        Effect.map((seq = 0) => seq)
      )

      const lastUses = Effect.fn("AuditLog.lastUses")(function*(profile: ProfileHandle) {
        yield* manifest.unchanged
        return yield* lastUseRows(sql`
          SELECT provider, connection, max(timestamp) AS timestamp FROM audit
          WHERE seq > (SELECT max(seq) FROM audit) - ${usesWindow} AND event IN ('resolve', 'export') AND status = 'ok'
            AND identity = ${profile} AND provider IS NOT NULL AND connection IS NOT NULL
          GROUP BY provider, connection`)
      })

      /**
       * Node 22.19 ends a string at a NUL character, so an edit after it would be hidden. The texts of PostgreSQL cannot
       * contain one.
       */
      const findHidden = (after: number) =>
        isPostgres(sql) ? Effect.succeed(undefined) : sequenceOf(sql`
          SELECT min(seq) AS seq FROM audit WHERE seq > ${after} AND instr(CAST(
            timestamp || event || coalesce(provider, '') || coalesce(connection, '') || coalesce(identity, '') || status
              || prev_hash || mac AS BLOB), x'00') > 0`)

      /** Verifies the entries up to the first altered or missing one. */
      const walk = Effect.fnUntraced(function*(macKey: KeyObject, head: Head) {
        let seq = 0
        let hash: string = Chain.genesis
        const at = (found: Break | undefined) => ({ hash, found })
        const hidden = yield* findHidden(0)
        while (true) {
          const batch: ReadonlyArray<StoredEntry> = yield* entriesOf(sql`
            SELECT * FROM audit WHERE seq > ${seq} OR seq < 1 ORDER BY seq LIMIT ${verificationBatch}`)
          if (batch.length === 0) break
          for (const entry of batch) {
            if (seq + 1 === hidden || !Chain.continues(macKey, entry, seq + 1, hash)) return at(broken(seq + 1))
            seq = entry.seq
            hash = Chain.hashOf(entry, entry.mac)
          }
        }
        return at(
          seq === head.seq && hash === head.hash ? undefined : broken(Math.min(seq, head.seq) + 1)
        )
      })

      /** Verifies only the newest entries, so the cost is independent of the length of the log. */
      const checkTail = Effect.fnUntraced(function*(vault: OpenVault) {
        const macKey = knownKey ??= vault.storeKey(purpose)
        // Covered by the manifest, so a failure is one of the database.
        const head = yield* readHead
        const from = Math.max(0, head.seq - Chain.tailLength)
        const first = yield* sequenceOf(sql`SELECT min(seq) AS seq FROM audit`)
        if ((first ?? 0) !== Math.min(1, head.seq)) return broken(1).what
        const hidden = yield* findHidden(from)
        if (hidden !== undefined) return broken(hidden).what
        const rows = yield* entriesOf(sql`SELECT * FROM audit WHERE seq > ${from} ORDER BY seq`)
        let seq = from
        let hash = from === 0 ? Chain.genesis : rows[0]?.prev_hash ?? ""
        for (const entry of rows) {
          if (!Chain.continues(macKey, entry, seq + 1, hash)) return broken(seq + 1).what
          seq = entry.seq
          hash = Chain.hashOf(entry, entry.mac)
        }
        if (seq !== head.seq || hash !== head.hash) return broken(Math.min(seq, head.seq) + 1).what
        knownHead = head
        return undefined
      })
      yield* manifest.addCheck(checkTail)

      const counted = Effect.fnUntraced(
        function*({ found, hash }: { readonly found?: Break | undefined; readonly hash: string }) {
          const [row] = yield* countRows(sql`SELECT count(*) AS entries FROM audit`)
          return { entries: row?.entries ?? 0, head: hash, brokenAt: found?.seq ?? null }
        }
      )

      /** Verifies the log in the transaction that verifies the store. */
      const examine = Effect.gen(function*() {
        const walked = yield* walk(yield* key, yield* readHead)
        const { found } = walked
        const problem = found === undefined ? null : detailOf(yield* Effect.flip(manifest.condemn(found.what)))
        return { ...yield* counted(walked), problem }
      })

      /** Locates the first bad entry after a foreign change of the store was detected. */
      const examineChanged = Effect.fnUntraced(function*(error: VaultUnavailableError) {
        const { found, hash } = knownKey === undefined
          ? { found: undefined, hash: Chain.genesis }
          : yield* walk(knownKey, knownHead ?? (yield* readHead))
        const detail = detailOf(error)
        return {
          ...yield* counted({ found, hash }),
          problem: found === undefined || detail.includes(found.what)
            ? detail
            : `${detail} The first bad entry of the audit log is ${found.seq}.`
        }
      })

      const verify = Effect.gen(function*() {
        const chain = yield* Effect.catch(
          manifest.verified(examine),
          (error) => error === manifest.difference() ? sql.withTransaction(examineChanged(error)) : Effect.fail(error)
        )
        const { difference, state } = copy === undefined
          ? { state: "differs" as const, difference: "it cannot be opened" }
          : yield* chain.problem === null ? copy.completeAndCompare : copy.compare
        const problem = difference === undefined
          ? chain.problem
          : chain.problem === null
          ? `The copy of the audit log, ${paths.auditLog}, differs from the store: ${difference}. The store itself is intact. ` +
            `To recreate the copy, stop the daemon and delete that file and its rotated files.`
          : `${chain.problem} The copy, ${paths.auditLog}, may show what was changed: ${difference}.`
        return { ...chain, ok: problem === null, copy: state, problem } satisfies EntriesVerification
      }).pipe(sqlUnavailable, Effect.withSpan("AuditLog.verify"))

      return AuditLog.of({ append, lastUses, list, newest, verify })
    })
  )
}
