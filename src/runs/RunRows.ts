/**
 * The rows of registered runs, by which the daemons of a store know the runs of each other.
 *
 * On SQLite they are temporary tables of the only daemon. On PostgreSQL each row has a MAC over what the run may use and
 * who registered it. What changes later has no MAC: the uses of the run, and that it was stopped or frozen.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { Run, type RunLimits, RunName, SandboxKey } from "../domain/wire/Run.ts"
import { Timestamp } from "../domain/wire/Wire.ts"
import { builtins } from "../platform/builtins.ts"
import { isSameSecret, sha256 } from "../platform/Digest.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { DataKeys } from "../vault/keys/DataKeys.ts"
import { sqlUnavailable } from "../vault/StoreFailures.ts"
import { rowsOf } from "../vault/StoreRows.ts"

const purpose = "credsvc/run/v1"

const RunContent = Schema.Struct({
  /** The run without its uses, and as if neither stopped nor frozen. */
  run: Run,
  /** Whether the run and its outer runs are contained. */
  allContained: Schema.Boolean,
  /** The key of the remote caller that registered the run. */
  keyId: Schema.NullOr(Schema.String),
  outer: Schema.Array(RunName),
  /** The run and its outer runs, as far as they have a limit of uses. */
  counted: Schema.Array(Schema.Struct({ name: RunName, maxUses: Schema.Int })),
  /** The sandbox that the run is for. */
  sandbox: Schema.NullOr(SandboxKey),
  /** The machine of the daemon that registered the run. */
  host: Schema.String,
  /** The process of the run, or null if it could not be determined, as for a remote caller. */
  process: Schema.NullOr(Schema.Struct({
    /** The machine and the namespace in which the numbers below are valid. */
    machine: Schema.String,
    identity: Schema.String,
    pid: Schema.Int,
    group: Schema.Int,
    started: Schema.Int
  }))
})

/** The facts about a run that its registration determines. */
export type RunContent = typeof RunContent.Type

export const limitsOf = ({ allContained, run }: RunContent): RunLimits => ({ ...run, contained: allContained })

/** The facts about a run that may change later. `frozenBy`: the run whose request had a misplaced placeholder. */
export interface RunState {
  readonly stoppedAt: DateTime.Utc | null
  readonly frozenAt: DateTime.Utc | null
  readonly frozenBy: RunName | null
}

export interface StoredRun extends RunState {
  readonly content: RunContent
  readonly limits: RunLimits
  readonly idHash: string
  /** Identifies the daemon that has the connection of the run; null if the run has lost it. */
  readonly owner: string | null
}

const contentJson = Schema.fromJsonString(RunContent)
const encode = Schema.encodeEffect(contentJson)
const decode = Schema.decodeUnknownEffect(contentJson)

const StateRow = Schema.Struct({
  name: RunName,
  owner: Schema.NullOr(Schema.String),
  stopped_at: Schema.NullOr(Timestamp),
  frozen_at: Schema.NullOr(Timestamp),
  frozen_by: Schema.NullOr(RunName)
})
type StateRow = typeof StateRow.Type

const Row = Schema.Struct({ ...StateRow.fields, id_hash: Schema.String, content: Schema.String, mac: Schema.String })
type Row = typeof Row.Type

const rows = rowsOf(Row)
const states = rowsOf(StateRow)
const names = rowsOf(Schema.Struct({ name: RunName }))
const counts = rowsOf(Schema.Struct({ used: Schema.Int }))
const owners = rowsOf(Schema.Struct({ owner: Schema.String }))
const stateOf = (row: StateRow): RunState => ({
  stoppedAt: row.stopped_at,
  frozenAt: row.frozen_at,
  frozenBy: row.frozen_by
})

/** A run that has lost its connection is known for some minutes, and much longer if its state must not be forgotten. */
const keptMinutes = 10
const rememberedDays = 30

const altered = () =>
  VaultUnavailableError.of(
    "A row of the registered runs was changed outside of credsvc. Start the command again with credsvc run."
  )

/** How a row identifies the caller of its run: by the ID, which only the run knows, and the key of a remote caller. */
export const idHashOf = (id: string, keyId: string | null): string => sha256(`credsvc/run-id/v1\n${id}\n${keyId ?? ""}`)

/** Makes the MAC of a row, and the functions that open rows. Only the rows of shared stores have a MAC. */
const makeSealing = Effect.gen(function*() {
  const { isShared } = yield* StoreChanges
  const keys = yield* DataKeys

  const macOf = Effect.fnUntraced(function*(name: RunName, idHash: string, content: string) {
    if (!isShared) return ""
    const text = JSON.stringify([purpose, name, idHash, content])
    return builtins.crypto.createHmac("sha256", yield* keys.storeKey(purpose)).update(text).digest("hex")
  })

  const open = Effect.fnUntraced(function*(row: Row) {
    const mac = yield* macOf(row.name, row.id_hash, row.content)
    if (!isSameSecret(row.mac, mac)) return yield* altered()
    const content = yield* Effect.mapError(decode(row.content), () => altered())
    const { id_hash: idHash, owner } = row
    return { content, limits: limitsOf(content), ...stateOf(row), idHash, owner } satisfies StoredRun
  })

  /** Opens rows, without the ones that were altered. */
  const openAll = (all: ReadonlyArray<Row>) =>
    Effect.map(
      Effect.forEach(all, (row) => Effect.orElseSucceed(open(row), () => undefined)),
      (opened) => opened.filter((run) => run !== undefined)
    )

  return { macOf, open, openAll }
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* StoreChanges
  const { own } = yield* LeaseOwner
  const { isShared } = changes
  const { macOf, open, openAll } = yield* makeSealing

  const announce = (name: RunName) => changes.announce("run", name)

  const nowIso = Effect.map(DateTime.now, DateTime.formatIso)

  const rowNamed = (name: RunName) =>
    Effect.flatMap(
      rows(sql`SELECT * FROM runs WHERE name = ${name}`),
      ([row]) => row === undefined ? Effect.succeed(undefined) : open(row)
    )

  /**
   * Registers a run, or registers it again, for this daemon. `used` counts its uses with an earlier daemon, which
   * are uses of its outer runs as well. Returns the row that keeps it from being registered: the row of
   * another caller, or of a run that was stopped or frozen.
   */
  const put = Effect.fnUntraced(function*(id: string, registration: string, content: RunContent, used: number) {
    const { maxUses, name } = content.run
    const idHash = idHashOf(id, content.keyId)
    const text = yield* Effect.orDie(encode(content))
    const mac = yield* macOf(name, idHash, text)
    const row = { name, id_hash: idHash, owner: own, registration, content: text, mac, used: 0 }
    const write = Effect.gen(function*() {
      const [written] = yield* counts(sql`INSERT INTO runs ${sql.insert(row)}
        ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, registration = excluded.registration,
          content = excluded.content, mac = excluded.mac, ended_at = NULL
        WHERE runs.id_hash = excluded.id_hash AND runs.stopped_at IS NULL AND runs.frozen_at IS NULL
        RETURNING used`)
      if (written === undefined) return yield* rowNamed(name)
      const missing = used - written.used
      if (maxUses !== null && missing > 0) {
        // The rows of the outer runs lack these uses as well.
        const counted = content.counted.map((each) => each.name)
        yield* sql`UPDATE runs SET used = used + ${missing} WHERE ${sql.in("name", counted)}`
      }
      yield* announce(name)
      return undefined
    })
    // Until the transaction ends, no other registration reads or changes the count.
    return yield* sqlUnavailable(used > 0 ? sql.withTransaction(write) : write)
  })

  /** Deletes the rows of runs that ended too long ago to matter. */
  const forget = Effect.gen(function*() {
    const now = yield* DateTime.now
    const kept = DateTime.formatIso(DateTime.subtract(now, { minutes: keptMinutes }))
    const remembered = DateTime.formatIso(DateTime.subtract(now, { days: rememberedDays }))
    const forgotten = yield* names(sql`DELETE FROM runs WHERE ended_at < ${remembered}
      OR (ended_at < ${kept} AND used = 0 AND stopped_at IS NULL AND frozen_at IS NULL) RETURNING name`)
    if (forgotten.length > 0) {
      yield* sql`DELETE FROM run_uses WHERE ${sql.in("run", forgotten.map(({ name }) => name))}`
    }
  })

  const end = Effect.fnUntraced(function*(name: RunName, registration: string) {
    yield* sql`UPDATE runs SET owner = NULL, ended_at = ${yield* nowIso}
      WHERE name = ${name} AND registration = ${registration}`
    yield* announce(name)
    yield* forget
  })

  const refuse = Effect.fnUntraced(function*(all: ReadonlyArray<RunName>, { frozenAt, frozenBy, stoppedAt }: RunState) {
    if (all.length === 0) return
    const [column, at] = frozenAt === null ? ["stopped_at", stoppedAt] : ["frozen_at", frozenAt]
    const values = { [column]: at && DateTime.formatIso(at), ...(frozenAt === null ? {} : { frozen_by: frozenBy }) }
    const changed = yield* names(sql`UPDATE runs SET ${sql.update(values)}
      WHERE ${sql.in("name", all)} AND ${sql(column)} IS NULL RETURNING name`)
    for (const { name } of changed) yield* announce(name)
  })

  const abandon = Effect.fnUntraced(function*(owner: string) {
    const abandoned = yield* rows(
      sql`UPDATE runs SET owner = NULL, ended_at = ${yield* nowIso} WHERE owner = ${owner} RETURNING *`
    )
    for (const { name } of abandoned) yield* announce(name)
    yield* forget
    return yield* openAll(abandoned)
  })

  return {
    /** Whether other daemons may have registered runs as well. */
    isShared,
    put,

    /** Notes that a run has lost the connection on which it was registered. */
    end: (name: RunName, registration: string) => sqlUnavailable(end(name, registration)),

    /** The run of this name, even if it has lost its connection. */
    find: rowNamed,

    /** The runs of other daemons, oldest first. */
    others: isShared
      ? Effect.flatMap(rows(sql`SELECT * FROM runs WHERE owner <> ${own}`), openAll)
      : Effect.succeed([]),

    registered: Effect.map(
      names(sql`SELECT name FROM runs WHERE owner IS NOT NULL`),
      (found) => new Set(found.map(({ name }) => name))
    ),

    /** The states of these runs, and their owners. */
    states: (all: ReadonlyArray<RunName>) =>
      Effect.map(
        states(sql`SELECT name, owner, stopped_at, frozen_at, frozen_by FROM runs WHERE ${sql.in("name", all)}`),
        (found) => found.map((row) => ({ ...stateOf(row), name: row.name, owner: row.owner }))
      ),

    /** Stops or freezes runs, and tells the other daemons. */
    refuse: (all: ReadonlyArray<RunName>, state: RunState) => sqlUnavailable(refuse(all, state)),

    /** The other daemons that own runs. */
    otherOwners: isShared
      ? Effect.map(
        owners(sql`SELECT DISTINCT owner FROM runs WHERE owner <> ${own}`),
        (found) => found.map(({ owner }) => owner)
      )
      : Effect.succeed([]),

    /** Takes the runs of a daemon that has ended, and returns the ones that no other daemon has taken. */
    abandon: (owner: string) => sqlUnavailable(abandon(owner))
  }
})

export class RunRows extends Context.Service<RunRows, Effect.Success<typeof make>>()("credsvc/runs/RunRows") {
  static readonly layerNoDeps = Layer.effect(RunRows, make)
}
