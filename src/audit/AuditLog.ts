/**
 * What was done with which connection, by which identity.
 *
 * The log is a table of the store. Its entries form a chain (`AuditChain.ts`), whose head is a row that the store
 * manifest covers, so neither an entry nor the end of the log can go missing unnoticed (C21). A copy as JSON lines is
 * kept for people and their tools; nothing reads it back.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { Paths } from "../config/Paths.ts"
import { AuditEntry, type AuditEvent, type AuditStatus, type AuditVerification } from "../domain/AuditEntry.ts"
import type { ConnectionName } from "../domain/Connection.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { ProfileHandle } from "../domain/Profile.ts"
import type { ProviderName } from "../domain/Provider.ts"
import type { KeyObject } from "../platform/builtins.ts"
import { openRotatingFile } from "../platform/RotatingFile.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { DataKeys } from "../vault/DataKeys.ts"
import { storeUnavailable } from "../vault/MasterKey.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import * as Chain from "./AuditChain.ts"

/** What is recorded. No free text, so that neither a secret nor a forged line can get in (C23). */
export interface AuditRecord {
  readonly event: AuditEvent
  readonly provider: ProviderName | null
  readonly connection: ConnectionName | null
  readonly identity: ProfileHandle
  readonly status: AuditStatus
}

export interface AuditQuery {
  readonly limit: number
  readonly provider?: ProviderName | undefined
  readonly event?: AuditEvent | undefined
  readonly status?: AuditStatus | undefined
  /** Only entries older than the one with this sequence number. */
  readonly before?: number | undefined
}

/** When a connection was last used. */
export interface LastUse {
  readonly provider: string
  readonly connection: string
  readonly timestamp: DateTime.Utc
}

const purpose = "credsvc/audit/v1"
const headKey = "audit_head"
const verificationBatch = 1000
const usesWindow = 2000

const Head = Schema.fromJsonString(Schema.Struct({ seq: Schema.Int, hash: Schema.String }))
const decodeHead = Schema.decodeUnknownExit(Head)
type Head = typeof Head.Type

const beginning: Head = { seq: 0, hash: Chain.genesis }

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(AuditEntry))

/** Sequence number of the last whole line of the copy; undefined when there is none to go on from. */
const lastCopied = (bytes: Uint8Array): { readonly seq: number | undefined; readonly torn: boolean } => {
  const text = new TextDecoder().decode(bytes)
  const lines = text.split("\n")
  const torn = lines.pop() !== ""
  const match = /"seq":(\d+)/.exec(lines.at(-1) ?? "")
  return { seq: match === null ? undefined : Number(match[1]), torn }
}

const toWire = ({ mac: _mac, prev_hash: _prev, signature: _signature, ...entry }: Chain.StoredEntry) => ({
  ...entry,
  // Only the store's own entries have none.
  identity: entry.identity ?? ""
})

export class AuditLog extends Context.Service<AuditLog, {
  /**
   * Records something. It is on the disk when this returns; in a transaction of the store, when that has committed. A
   * caller that hands out a secret does so afterwards, and not at all when this fails (C22).
   */
  readonly append: (record: AuditRecord) => Effect.Effect<void, VaultUnavailableError>

  /** The newest entries that match, oldest of them first. */
  readonly list: (query: AuditQuery) => Effect.Effect<ReadonlyArray<AuditEntry>, VaultUnavailableError>

  /** The sequence number of the newest entry; 0 in an empty log. */
  readonly newest: Effect.Effect<number, VaultUnavailableError>

  /** The last use of every connection of the profile that the newest 2000 entries tell of. */
  readonly lastUses: (profile: ProfileHandle) => Effect.Effect<ReadonlyArray<LastUse>, VaultUnavailableError>

  /** Recomputes the chain from its first entry, and compares its end with the head. */
  readonly verify: Effect.Effect<AuditVerification, VaultUnavailableError>
}>()("credsvc/audit/AuditLog") {
  static readonly layerNoDeps: Layer.Layer<
    AuditLog,
    never,
    SqlClient.SqlClient | StoreManifest | DataKeys | Profiles | Paths
  > = Layer.effect(
    AuditLog,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const manifest = yield* StoreManifest
      const keys = yield* DataKeys
      const profiles = yield* Profiles
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

      const mirror = yield* Effect.acquireRelease(
        SecureFiles.ensurePrivateDirectory(paths.serverLogs).pipe(
          Effect.andThen(openRotatingFile(paths.auditLog)),
          Effect.tapError((error) => Effect.logWarning(`the audit log has no copy as a file: ${error.message}`)),
          Effect.option
        ),
        (file) => Effect.sync(() => file._tag === "Some" ? file.value.close() : undefined)
      )

      /** Adds what a crash kept from being copied. */
      const catchUp = Effect.gen(function*() {
        if (mirror._tag === "None") return
        const { seq, torn } = lastCopied(yield* SecureFiles.readFile(paths.auditLog))
        if (torn) mirror.value.write("")
        if (seq === undefined) return
        const missing = yield* sql<Chain.StoredEntry>`SELECT * FROM audit WHERE seq > ${seq} ORDER BY seq LIMIT 1000`
        for (const entry of missing) mirror.value.write(JSON.stringify(toWire(entry)))
      })
      yield* Effect.ignore(catchUp)

      const readHead = Effect.gen(function*() {
        const [row] = yield* sql<{ readonly value: string }>`SELECT value FROM meta WHERE key = ${headKey}`
        if (row === undefined) return beginning
        const head = decodeHead(row.value)
        return Exit.isSuccess(head)
          ? head.value
          : yield* VaultUnavailableError.of("The head of the audit log is damaged. Restore the store from a backup.")
      })

      const sign = (entry: Chain.ChainEntry, hash: string) =>
        profiles.sign(ProfileHandle.make(entry.identity ?? ""), purpose, Chain.checkpointOf(entry.seq, hash)).pipe(
          Effect.map((signature) => Buffer.from(signature).toString("base64url")),
          Effect.mapError((error) => VaultUnavailableError.of(`The audit log could not be signed: ${error.detail}`))
        )

      const append = Effect.fn("AuditLog.append")(function*(record: AuditRecord) {
        const macKey = yield* key
        const timestamp = DateTime.formatIso(yield* DateTime.now)
        yield* manifest.protect(Effect.gen(function*() {
          const head = yield* readHead
          const entry: Chain.ChainEntry = {
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
          const signature = entry.seq % Chain.checkpointInterval === 0 ? yield* sign(entry, hash) : null
          const stored: Chain.StoredEntry = { ...entry, mac, signature }
          yield* sql`INSERT INTO audit ${sql.insert({ ...stored })}`
          const value = JSON.stringify({ seq: entry.seq, hash })
          yield* head === beginning
            ? sql`INSERT INTO meta ${sql.insert({ key: headKey, value })}`
            : sql`UPDATE meta SET value = ${value} WHERE key = ${headKey}`
          if (mirror._tag === "Some") {
            yield* sql.afterCommit(Effect.sync(() => mirror.value.write(JSON.stringify(toWire(stored)))))
          }
        }))
      }, Effect.catchTag("SqlError", (error) => Effect.fail(storeUnavailable(error))))

      const list = Effect.fn("AuditLog.list")(function*(query: AuditQuery) {
        const conditions = [
          ...(query.provider === undefined ? [] : [sql`provider = ${query.provider}`]),
          ...(query.event === undefined ? [] : [sql`event = ${query.event}`]),
          ...(query.status === undefined ? [] : [sql`status = ${query.status}`]),
          ...(query.before === undefined ? [] : [sql`seq < ${query.before}`])
        ]
        const rows = yield* sql<Chain.StoredEntry>`
          SELECT * FROM audit ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}
          ORDER BY seq DESC LIMIT ${query.limit}`
        return yield* decodeEntries(rows.map(toWire).toReversed())
      }, (effect) =>
        effect.pipe(
          Effect.catchTag("SqlError", (error) => Effect.fail(storeUnavailable(error))),
          Effect.catchTag("SchemaError", () =>
            Effect.fail(
              VaultUnavailableError.of("The audit log was altered. Find the place with: credsvc log --verify")
            ))
        ))

      const newest = sql<{ readonly seq: number | null }>`SELECT max(seq) AS seq FROM audit`.pipe(
        Effect.map(([row]) => row?.seq ?? 0),
        Effect.catchTag("SqlError", (error) => Effect.fail(storeUnavailable(error)))
      )

      const lastUses = Effect.fn("AuditLog.lastUses")(function*(profile: ProfileHandle) {
        const rows = yield* sql<{ readonly provider: string; readonly connection: string; readonly timestamp: string }>`
          SELECT provider, connection, max(timestamp) AS timestamp FROM audit
          WHERE seq > (SELECT max(seq) FROM audit) - ${usesWindow} AND event IN ('resolve', 'export') AND status = 'ok'
            AND identity = ${profile} AND provider IS NOT NULL AND connection IS NOT NULL
          GROUP BY provider, connection`
        return rows.map(({ connection, provider, timestamp }) => ({
          provider,
          connection,
          timestamp: DateTime.makeUnsafe(timestamp)
        }))
      }, Effect.catchTag("SqlError", (error) => Effect.fail(storeUnavailable(error))))

      const hasValidSignature = (entry: Chain.StoredEntry, hash: string) =>
        entry.signature === null
          ? Effect.succeed(entry.seq % Chain.checkpointInterval !== 0)
          : profiles.find(entry.identity ?? "").pipe(
            Effect.flatMap((identity) =>
              profiles.verify(
                identity,
                purpose,
                Chain.checkpointOf(entry.seq, hash),
                Buffer.from(entry.signature!, "base64url")
              )
            ),
            Effect.orElseSucceed(() => false)
          )

      const verifyChain = Effect.gen(function*() {
        const macKey = yield* key
        const head = yield* readHead
        const [total] = yield* sql<{ readonly entries: number }>`SELECT count(*) AS entries FROM audit`
        const answer = (hash: string, brokenAt: number | null): AuditVerification => ({
          ok: brokenAt === null,
          entries: total?.entries ?? 0,
          head: hash,
          brokenAt
        })
        let seq = 0
        let hash: string = Chain.genesis
        while (true) {
          const batch: ReadonlyArray<Chain.StoredEntry> = yield* sql<Chain.StoredEntry>`
            SELECT * FROM audit WHERE seq > ${seq} OR seq < 1 ORDER BY seq LIMIT ${verificationBatch}`
          if (batch.length === 0) break
          for (const entry of batch) {
            // Whatever stands there instead, the first entry that is not as it was written is this one.
            if (!Chain.continues(macKey, entry, seq + 1, hash)) return answer(hash, seq + 1)
            const next = Chain.hashOf(entry, entry.mac)
            if (!(yield* hasValidSignature(entry, next))) return answer(hash, seq + 1)
            seq = entry.seq
            hash = next
          }
        }
        return answer(hash, seq === head.seq && hash === head.hash ? null : Math.min(seq, head.seq) + 1)
      })

      const verify = manifest.ready.pipe(
        Effect.andThen(sql.withTransaction(verifyChain)),
        Effect.catchTag("SqlError", (error) => Effect.fail(storeUnavailable(error))),
        Effect.withSpan("AuditLog.verify")
      )

      // A signature says which identity vouched for everything up to here, also when the next checkpoint is far.
      yield* Effect.addFinalizer(() =>
        Effect.gen(function*() {
          if (knownKey === undefined) return
          const [last] = yield* sql<Chain.StoredEntry>`SELECT * FROM audit ORDER BY seq DESC LIMIT 1`
          if (last === undefined || last.signature !== null) return
          const signature = yield* sign(last, Chain.hashOf(last, last.mac))
          yield* sql`UPDATE audit SET signature = ${signature} WHERE seq = ${last.seq}`
        }).pipe(Effect.ignore)
      )

      return AuditLog.of({ append, lastUses, list, newest, verify })
    })
  )
}
