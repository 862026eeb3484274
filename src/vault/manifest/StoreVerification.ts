/**
 * Verifies the covered rows: compares them with the manifest, the anchor and the state that this process left. Reads rows
 * again only if something has changed since the last verification.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { Paths } from "../../config/Paths.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { KeyObject } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import { shareRun } from "../../platform/SharedRun.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import type { OpenVault } from "../keys/MasterKey.ts"
import { sqlUnavailable, unreadable } from "../StoreFailures.ts"
import { rowsOf } from "../StoreRows.ts"
import { isSameMark, type KnownState, makeKnownState, type State } from "./KnownState.ts"
import { makeAnchor } from "./ManifestAnchor.ts"
import { describeRow, digestInStore, MANIFEST_VERSION, manifestMac, rowName, withChanges } from "./ManifestDigest.ts"
import { makePostgresRowTracking } from "./PostgresRowTracking.ts"
import type { RowTracking } from "./RowTracking.ts"
import { makeSqliteRowTracking } from "./SqliteRowTracking.ts"
import { makeTableRevisions } from "./TableRevisions.ts"

const manifestRows = rowsOf(Schema.Struct({
  version: Schema.Int,
  epoch: Schema.Int,
  row_count: Schema.Int,
  mac: Schema.Uint8Array
}))

/** A check of the few newest rows of a log, which the manifest does not cover. */
export interface TailCheck {
  /** The key of the `meta` row on which the check relies. */
  readonly head: string
  /** Returns the problem, if any, which ends a sentence. */
  readonly check: (vault: OpenVault) => Effect.Effect<string | undefined, VaultUnavailableError>
}

type StoredManifest = Effect.Success<ReturnType<typeof manifestRows>>[number]

const readManifest = (sql: SqlClient.SqlClient) =>
  Effect.map(manifestRows(sql`SELECT version, epoch, row_count, mac FROM manifest`), ([manifest]) => manifest)

/** Describes how the rows that were read differ from the manifest, or from what this process knows of it, as a clause. */
const differenceOf = (
  manifest: StoredManifest,
  { mac, rowCount }: { readonly mac: Uint8Array; readonly rowCount: number },
  known: KnownState
): string | undefined => {
  if (rowCount !== manifest.row_count) return `it has ${plural(rowCount, "row")} instead of ${manifest.row_count}`
  if (!isSameSecret(mac, manifest.mac)) return "rows were altered"
  return known.isSuccessor({ epoch: manifest.epoch, mac }) ? undefined : "it was replaced while credsvc was running"
}

/** Makes checks of whether the store still has the verified state, which do not read its rows. */
const makeComparisons = (
  isShared: boolean,
  known: KnownState,
  tracking: RowTracking,
  storedManifest: Effect.Effect<StoredManifest | undefined, VaultUnavailableError>
) => {
  const compared = (compare: (state: State) => Effect.Effect<boolean, VaultUnavailableError>) =>
    Effect.suspend(() => {
      const state = known.verified()
      return state === undefined ? Effect.succeed(false) : compare(state)
    })

  const hasSameVersion = compared(({ version }) =>
    Effect.map(sqlUnavailable(tracking.version), ({ id }) => id === version.id)
  )

  /** Whether the manifest still has the verified state. */
  const hasSameManifest = isShared
    ? compared((state) => Effect.map(storedManifest, (manifest) => isSameMark(manifest, state)))
    : hasSameVersion

  /** Whether no row has changed since the rows were verified. */
  const hasSameRows = isShared
    ? Effect.flatMap(hasSameManifest, (isSame) => isSame ? hasSameVersion : Effect.succeed(false))
    : hasSameVersion

  return { hasSameManifest, hasSameRows }
}

/** `isCopy`: the store is a copy that has no anchor yet. */
export const makeStoreVerification = Effect.fnUntraced(function*(isCopy: boolean) {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* StoreChanges
  const paths = yield* Paths
  const scope = yield* Effect.scope
  const known = makeKnownState(changes)
  const { condemn } = known
  const revisions = makeTableRevisions()
  const checks: Array<TailCheck> = []

  const keyOf = (vault: OpenVault): KeyObject => vault.storeKey("credsvc/manifest/v1")

  const tracking: RowTracking = changes.isShared
    ? makePostgresRowTracking(sql)
    : makeSqliteRowTracking(sql, changes, paths.database, condemn)
  const anchor = makeAnchor(paths.manifestAnchor, condemn, changes.isShared || isCopy)

  const storedManifest = readManifest(sql)
  const { hasSameManifest, hasSameRows } = makeComparisons(changes.isShared, known, tracking, storedManifest)

  /** Returns the covered rows: the verified rows with later changes, or all rows read again. */
  const readRows = Effect.fnUntraced(function*(key: KeyObject) {
    const state = known.verified()
    if (state === undefined || tracking.foreignChanges === undefined) {
      return { ...yield* tracking.scanned(key), changed: undefined }
    }
    const changed = yield* tracking.foreignChanges(key, state)
    return { rows: withChanges(state.rows, changed.rows), version: changed.version, changed: changed.rows }
  })

  const runChecks = Effect.fnUntraced(function*(vault: OpenVault) {
    for (const { check } of checks) {
      const problem = yield* check(vault)
      if (problem !== undefined) return yield* condemn(problem)
    }
  })

  /** Reads the whole store and compares it with the manifest, the anchor and the state that this process left. */
  const read = Effect.fnUntraced(function*(vault: OpenVault) {
    yield* tracking.check
    const schema = yield* Effect.mapError(changes.unexpectedSchema, unreadable)
    if (schema !== undefined) return yield* condemn(`its schema is not the one that credsvc created (${schema})`)
    const manifest = yield* storedManifest
    const { changed, rows, version } = yield* readRows(keyOf(vault))
    if (manifest === undefined) return yield* condemn("its manifest is missing")
    if (manifest.version !== MANIFEST_VERSION) {
      if (known.hasLeft()) return yield* condemn("its manifest was replaced while credsvc was running")
      return yield* VaultUnavailableError.of(
        "The store's manifest was written by a newer version of credsvc. Use that version."
      )
    }
    const { epoch } = manifest
    const rowCount = rows.digests.size
    const mac = manifestMac(keyOf(vault), { storeId: vault.storeId, epoch, rowCount, sum: rows.sum })
    const difference = differenceOf(manifest, { mac, rowCount }, known)
    if (difference !== undefined) return yield* condemn(difference)
    const anchored = yield* anchor.check(vault, epoch, mac)
    yield* runChecks(vault)
    if (!anchored) yield* anchor.advance(vault, epoch, mac)
    known.setLeft({ epoch, mac })
    revisions.note(known.verified()?.rows.digests, changed)
    return { epoch, mac, rows, version } satisfies State
  }, sqlUnavailable)

  /** The verified state, read again if another connection has committed. */
  const verifiedState = Effect.fnUntraced(function*(vault: OpenVault) {
    yield* known.requireIntact
    const before = known.verified()
    if (before !== undefined && (yield* hasSameRows) && known.verified() === before) return before
    const state = yield* sqlUnavailable(tracking.inSnapshot(read(vault)))
    // The checks of the logs run without the lock, and may have found a change meanwhile.
    yield* known.requireIntact
    known.setVerified(state)
    return state
  })

  const lookOf = (look: Effect.Effect<boolean, VaultUnavailableError>) =>
    Effect.orElseSucceed(changes.isShared ? shareRun(look, scope) : look, () => false)
  const isSame = { rows: lookOf(hasSameRows), manifest: lookOf(hasSameManifest) }

  /** Compares the rows on which the checks rely with the verified state, unless another daemon has committed since then. */
  const checkHeads = Effect.fnUntraced(function*(vault: OpenVault) {
    const state = known.verified()
    if (!changes.isShared || !(yield* hasSameManifest)) return
    for (const { head } of checks) {
      const name = rowName("meta", [head])
      const digest = yield* digestInStore(sql, keyOf(vault), name)
      if (state === undefined || state !== known.verified()) return
      if (digest !== state.rows.digests.get(name)) return yield* condemn(`${describeRow(name)} was altered`)
    }
  })

  return {
    addCheck: (check: TailCheck): void => {
      checks.push(check)
      known.setVerified(undefined)
    },
    anchor,
    changes,
    isSame,
    keyOf,
    known,
    revisions,
    storedManifest,
    tracking,
    verifiedState,

    /** Runs the checks of the newest rows of the logs. Others can write meanwhile. */
    checkTails: (vault: OpenVault) =>
      sqlUnavailable(tracking.inSnapshot(Effect.andThen(checkHeads(vault), runChecks(vault))))
  }
})
