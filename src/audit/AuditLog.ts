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
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { Paths } from "../config/Paths.ts"
import { AuditEntry, type AuditEvent, type AuditStatus, type AuditVerification } from "../domain/AuditEntry.ts"
import type { ConnectionName } from "../domain/Connection.ts"
import type { ProviderName } from "../domain/definition/Provider.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { ProfileHandle } from "../domain/Profile.ts"
import { Timestamp } from "../domain/Timestamp.ts"
import type { KeyObject } from "../platform/builtins.ts"
import { Profiles } from "../profiles/Profiles.ts"
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
const signatureRows = rowsOf(Schema.Struct({ seq: Schema.Int, signature: Schema.String }))
const countRows = rowsOf(Schema.Struct({ entries: Schema.Int }))

const { purpose } = Chain
const headKey = "audit_head"
const verificationBatch = 1000
const usesWindow = 2000

const Head = Schema.fromJsonString(Schema.Struct({
  seq: Schema.Int,
  hash: Schema.String,
  /** `withSignature` over all signatures. Absent in entries of earlier versions. */
  signatures: Schema.optionalKey(Schema.String)
}))
const decodeHead = Schema.decodeUnknownExit(Head)
type Head = typeof Head.Type

const beginning: Head = { seq: 0, hash: Chain.genesis, signatures: Chain.genesis }

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(AuditEntry))

interface Break {
  /** Null if the position is unknown. */
  readonly seq: number | null
  /** Completes a sentence about the log. */
  readonly what: string
  /** False for a signature that fails only because its identity file is missing. */
  readonly tampered: boolean
}

const detailOf = (error: VaultUnavailableError): string => error.detail ?? error.message

const broken = (seq: number): Break => ({
  seq,
  what: `entry ${seq} of the audit log is missing, was altered, or was added`,
  tampered: true
})

export class AuditLog extends Context.Service<AuditLog, {
  /**
   * Records an entry, durably when this returns or the enclosing transaction commits. A caller must reveal a secret
   * only after this has succeeded.
   */
  readonly append: (record: AuditRecord) => Effect.Effect<void, VaultUnavailableError>

  /** The newest matching entries, in chronological order. */
  readonly list: (query: AuditQuery) => Effect.Effect<ReadonlyArray<AuditEntry>, VaultUnavailableError>

  /** The next entries after a sequence number as they are stored, oldest first. */
  readonly chain: (after: number) => Effect.Effect<ReadonlyArray<StoredEntry>, VaultUnavailableError>

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

      const sign = (entry: ChainEntry, hash: string) =>
        profiles.sign(ProfileHandle.make(entry.identity ?? ""), purpose, Chain.checkpointOf(entry.seq, hash)).pipe(
          Effect.map((signature) => Buffer.from(signature).toString("base64url")),
          Effect.mapError((error) => VaultUnavailableError.of(`The audit log could not be signed: ${error.detail}`))
        )

      let knownHead: Head | undefined

      const storedSignatures = Effect.map(
        signatureRows(sql`SELECT seq, signature FROM audit WHERE signature IS NOT NULL ORDER BY seq`),
        (rows) => rows.reduce((hash, { seq, signature }) => Chain.withSignature(hash, seq, signature), Chain.genesis)
      )

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
          const signature = entry.seq % Chain.checkpointInterval === 0 ? yield* sign(entry, hash) : null
          const stored: StoredEntry = { ...entry, mac, signature }
          const before = head.signatures ?? (yield* storedSignatures)
          const signatures = signature === null ? before : Chain.withSignature(before, entry.seq, signature)
          yield* sql`INSERT INTO audit ${sql.insert({ ...stored })}`
          yield* writeHead(head, { seq: entry.seq, hash, signatures })
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

      const chain = (after: number) =>
        Effect.andThen(
          manifest.unchanged,
          entriesOf(sql`SELECT * FROM audit WHERE seq > ${after} ORDER BY seq LIMIT ${verificationBatch}`)
        )

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

      const signatureBreak = Effect.fnUntraced(function*(entry: StoredEntry, hash: string) {
        const { identity, seq, signature } = entry
        if (signature === null) return seq % Chain.checkpointInterval === 0 ? broken(seq) : undefined
        const known = yield* Effect.result(profiles.find(identity ?? ""))
        if (Result.isFailure(known)) {
          // An altered store does not tell its identities, while its entries show where the log was altered.
          const why = known.failure._tag === "VaultUnavailableError" ? "cannot be read" : "is missing"
          return {
            seq,
            what: `the signature of entry ${seq} cannot be checked, because the identity ${identity} ${why}`,
            tampered: false
          }
        }
        const valid = yield* Effect.orElseSucceed(
          profiles.verify(known.success, purpose, Chain.checkpointOf(seq, hash), Buffer.from(signature, "base64url")),
          () => false
        )
        return valid ? undefined : broken(seq)
      })

      /**
       * Node 22.19 ends a string at a NUL character, so an edit after it would be hidden. The texts of PostgreSQL cannot
       * contain one.
       */
      const findHidden = (after: number) =>
        isPostgres(sql) ? Effect.succeed(undefined) : sequenceOf(sql`
          SELECT min(seq) AS seq FROM audit WHERE seq > ${after} AND instr(CAST(
            timestamp || event || coalesce(provider, '') || coalesce(connection, '') || coalesce(identity, '') || status
              || prev_hash || mac || coalesce(signature, '') AS BLOB), x'00') > 0`)

      /** Verifies the entries up to the first altered or missing one. */
      const walk = Effect.fnUntraced(function*(macKey: KeyObject, head: Head) {
        let seq = 0
        let hash: string = Chain.genesis
        let signatures: string = Chain.genesis
        let unchecked: Break | undefined
        const at = (found: Break | undefined) => ({ hash, found })
        const hidden = yield* findHidden(0)
        while (true) {
          const batch: ReadonlyArray<StoredEntry> = yield* entriesOf(sql`
            SELECT * FROM audit WHERE seq > ${seq} OR seq < 1 ORDER BY seq LIMIT ${verificationBatch}`)
          if (batch.length === 0) break
          for (const entry of batch) {
            if (seq + 1 === hidden || !Chain.continues(macKey, entry, seq + 1, hash)) return at(broken(seq + 1))
            const next = Chain.hashOf(entry, entry.mac)
            const unsigned = yield* signatureBreak(entry, next)
            if (unsigned?.tampered === true) return at(unsigned)
            unchecked ??= unsigned
            if (entry.signature !== null) signatures = Chain.withSignature(signatures, entry.seq, entry.signature)
            seq = entry.seq
            hash = next
          }
        }
        if (seq !== head.seq || hash !== head.hash) return at(broken(Math.min(seq, head.seq) + 1))
        return at(
          head.signatures === undefined || head.signatures === signatures
            ? unchecked
            : { seq: null, what: "a signature was removed from the audit log", tampered: true }
        )
      })

      /** Verifies only the newest entries, so the cost is independent of the length of the log. */
      const checkTail = Effect.fnUntraced(function*(vault: OpenVault) {
        const macKey = knownKey ??= vault.storeKey(purpose)
        // Covered by the manifest, so a failure is one of the database.
        const head = yield* readHead
        const from = Math.max(0, head.seq - Chain.checkpointInterval)
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
        const problem = found === undefined
          ? null
          : found.tampered
          ? detailOf(yield* Effect.flip(manifest.condemn(found.what)))
          : `The audit log cannot be verified: ${found.what}. Restore the identities directory from a backup.`
        return { ...yield* counted(walked), problem }
      })

      /** Locates the first bad entry after a foreign change of the store was detected. */
      const examineChanged = Effect.fnUntraced(function*(error: VaultUnavailableError) {
        const { found: reached, hash } = knownKey === undefined
          ? { found: undefined, hash: Chain.genesis }
          : yield* walk(knownKey, knownHead ?? (yield* readHead))
        const detail = detailOf(error)
        const found = reached?.tampered === true ? reached : undefined
        return {
          ...yield* counted({ found, hash }),
          problem: found === undefined || found.seq === null || detail.includes(found.what)
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

      // Signs the last entry at shutdown, so that an identity attests to all entries between checkpoints.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => knownKey === undefined ? Effect.void : manifest.protect(signLast)).pipe(Effect.ignore)
      )
      const signLast = Effect.gen(function*() {
        const head = yield* readHead
        const [last] = yield* entriesOf(sql`SELECT * FROM audit WHERE seq = ${head.seq}`)
        if (last === undefined || last.signature !== null) return
        const signature = yield* sign(last, head.hash)
        yield* sql`UPDATE audit SET signature = ${signature} WHERE seq = ${last.seq}`
        const before = head.signatures ?? (yield* storedSignatures)
        yield* writeHead(head, { ...head, signatures: Chain.withSignature(before, last.seq, signature) })
      })

      return AuditLog.of({ append, chain, lastUses, list, newest, verify })
    })
  )
}
