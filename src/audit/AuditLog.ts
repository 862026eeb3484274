/**
 * The audit log: which identity did what with which connection. Its entries form a chain (`KeyedChain.ts`).
 * `AuditCopy.ts` keeps a copy as JSON lines.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { Paths } from "../config/Paths.ts"
import type { ProviderName } from "../domain/definition/Provider.ts"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import { AuditEntry, type AuditEvent, type AuditStatus, type AuditVerification } from "../domain/wire/AuditEntry.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { Timestamp } from "../domain/wire/Wire.ts"
import { listenIn } from "../platform/Listeners.ts"
import { copyOfStore, StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import { type Comparison, entryToWire, openAuditCopy } from "./AuditCopy.ts"
import { type AuditRecord, StoredEntry } from "./AuditRecord.ts"
import { genesis } from "./ChainLinks.ts"
import { headFields } from "./ChainTable.ts"
import { makeKeyedChain } from "./KeyedChain.ts"
import { limitRepeats } from "./RepeatedEntries.ts"

type EntriesVerification = Omit<AuditVerification, "requestBatches">

/** Selects entries. A missing member selects all. */
export interface AuditQuery {
  readonly limit: number
  readonly provider?: ProviderName | undefined
  readonly event?: AuditEvent | undefined
  readonly exceptEvent?: AuditEvent | undefined
  readonly status?: AuditStatus | undefined
  readonly identity?: ProfileHandle | undefined
  readonly since?: DateTime.Utc | undefined
  /** Selects entries with a lower sequence number. */
  readonly before?: number | undefined
}

const LastUse = Schema.Struct({ provider: Schema.String, connection: Schema.String, timestamp: Timestamp })
type LastUse = typeof LastUse.Type

export type LastUses = ReadonlyMap<string, LastUse>

/** The key of a connection in `LastUses`. */
export const useKey = (provider: string, connection: string): string => `${provider}/${connection}`

const useRows = rowsOf(LastUse)
const usesWindow = 2000

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(AuditEntry))

/** The ID of the request that the daemon is handling, if it logs that request. */
export const loggedRequest = Context.Reference<string | null>("credsvc/audit/AuditLog/loggedRequest", {
  defaultValue: () => null
})

const detailOf = (error: VaultUnavailableError): string => error.detail ?? error.message

const copyProblem = (file: string, chainProblem: string | null, difference: string): string =>
  chainProblem === null
    ? `The copy of the audit log, ${file}, differs from the store: ${difference}. The store itself is intact. ` +
      `To recreate the copy, stop the daemon and delete that file and its rotated files.`
    : `${chainProblem} The copy, ${file}, may show what was changed: ${difference}.`

const makeChain = makeKeyedChain({
  table: "audit",
  row: StoredEntry,
  contentOf: (entry) => [
    entry.timestamp,
    entry.event,
    entry.provider,
    entry.connection,
    entry.identity,
    entry.status,
    // Omitted if null, so that the MACs of older entries, which do not cover it, stay valid.
    ...(entry.request === null ? [] : [entry.request])
  ],
  purpose: "credsvc/audit/v1",
  head: Schema.Struct(headFields),
  empty: { seq: 0, hash: genesis },
  headKey: "audit_head",
  log: "audit log",
  unit: "entry",
  tail: 64,
  time: "timestamp",
  // A clock that is years ahead must not cause the whole log to be deleted.
  kept: 1000,
  retentionDays: ({ auditLog }) => auditLog.retentionDays
})

/** Verifies the store and the whole chain. The problem is a sentence. */
const verifyChain = Effect.fnUntraced(function*(
  manifest: StoreManifest["Service"],
  chain: Effect.Success<typeof makeChain>
) {
  const store = yield* Effect.result(manifest.verify)
  if (Result.isFailure(store) && store.failure !== manifest.difference()) return yield* store.failure
  const walk = yield* chain.walk
  const broken = walk.brokenAt === undefined ? undefined : chain.broken(walk.brokenAt)
  if (Result.isSuccess(store)) {
    return { ...walk, problem: broken === undefined ? null : detailOf(yield* Effect.flip(manifest.condemn(broken))) }
  }
  const detail = detailOf(store.failure)
  const isNamed = broken === undefined || detail.includes(broken)
  return { ...walk, problem: isNamed ? detail : `${detail} The first bad entry of the audit log is ${walk.brokenAt}.` }
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const paths = yield* Paths
  const chain = yield* makeChain

  // A copy of the store must not write to the file, which belongs to the original store.
  const isCopy = (yield* copyOfStore) !== undefined
  const copy = isCopy ? undefined : yield* openAuditCopy(chain, paths).pipe(
    Effect.tapError((error) => Effect.logWarning(`the audit log has no copy as a file: ${error.message}`)),
    Effect.option,
    Effect.map(Option.getOrUndefined)
  )

  const listeners = new Set<(record: AuditRecord) => Effect.Effect<void>>()

  /**
   * Records an entry. It is durable when this returns, or when the enclosing transaction commits. A caller must reveal
   * a secret only after this has succeeded.
   */
  const append = Effect.fn("AuditLog.append")(function*(record: AuditRecord) {
    const timestamp = DateTime.formatIso(yield* DateTime.now)
    const request = yield* loggedRequest
    yield* manifest.transact(Effect.gen(function*() {
      const { event, connection = null, identity, provider = null, status } = record
      const added = yield* chain.append(yield* chain.head, {
        timestamp,
        event,
        provider,
        connection,
        identity,
        status,
        request
      })
      yield* chain.writeHead(added.head)
      if (copy !== undefined) yield* sql.afterCommit(copy.add(added.row))
      for (const listener of listeners) yield* sql.afterCommit(listener(record))
    }))
  })

  /** Lists the newest matching entries, in chronological order. */
  const list = Effect.fn("AuditLog.list")(function*(query: AuditQuery) {
    yield* manifest.unchanged
    const rows = yield* chain.search({
      before: query.before,
      since: query.since,
      limit: query.limit,
      equal: { provider: query.provider, event: query.event, status: query.status, identity: query.identity },
      conditions: query.exceptEvent === undefined ? [] : [sql`event <> ${query.exceptEvent}`]
    })
    return yield* Effect.mapError(decodeEntries(rows.map(entryToWire).toReversed()), () => chain.altered)
  })

  /** Returns the last use of each connection of the profile, keyed by {@link useKey}, according to the newest 2000 entries. */
  const lastUses = Effect.fn("AuditLog.lastUses")(function*(profile: ProfileHandle) {
    const found = yield* useRows(sql`
      SELECT provider, connection, max(timestamp) AS timestamp FROM audit
      WHERE seq > ${(yield* chain.newest) - usesWindow} AND event IN ('resolve', 'export') AND status = 'ok'
        AND identity = ${profile} AND provider IS NOT NULL AND connection IS NOT NULL
      GROUP BY provider, connection`)
    return new Map(found.map((use) => [useKey(use.provider, use.connection), use])) satisfies LastUses
  })

  const compareCopy = (options: { readonly complete: boolean }): Effect.Effect<Comparison, VaultUnavailableError> => {
    if (isCopy) return Effect.succeed({ state: "same" })
    return copy?.compare(options) ?? Effect.succeed({ state: "differs", difference: "it cannot be opened" })
  }

  /**
   * Verifies the store, the whole chain, its ends and the copy. If the log was changed outside of credsvc, all use of
   * secrets is blocked.
   */
  const verify = Effect.gen(function*() {
    const { base, brokenAt = null, end, problem, rows } = yield* verifyChain(manifest, chain)
    const { difference, state } = yield* compareCopy({ complete: problem === null })
    return {
      ok: problem === null && difference === undefined,
      entries: rows,
      first: base.seq + 1,
      head: end.hash,
      brokenAt,
      copy: state,
      problem: difference === undefined ? problem : copyProblem(paths.auditLog, problem, difference)
    } satisfies EntriesVerification
  }).pipe(Effect.withSpan("AuditLog.verify"))

  return {
    append,

    /**
     * Records an entry that a caller can repeat at will. Within a minute, records only the first ten of equal entries. The
     * daemon's log contains the number of the others.
     */
    appendRepeatable: yield* limitRepeats(append),

    /** Calls the listener after each stored entry, until the scope closes. */
    onAppended: (listener: (record: AuditRecord) => Effect.Effect<void>) => listenIn(listeners, listener),

    lastUses,
    list,
    newest: chain.newest,
    /** Deletes entries older than this time, except for the newest 1000. */
    prune: chain.prune,
    verify
  }
})

export class AuditLog extends Context.Service<AuditLog, Effect.Success<typeof make>>()("credsvc/audit/AuditLog") {
  static readonly layerNoDeps = Layer.effect(AuditLog, make)
}
