/** Counts requests with a credential, and notes the connections that runs have used, here and at other daemons. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { RequestLog } from "../audit/RequestLog.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { plural } from "../domain/text/Plural.ts"
import { ConnectionName } from "../domain/wire/Connection.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { type Run, RunName, type RunUse } from "../domain/wire/Run.ts"
import { Timestamp } from "../domain/wire/Wire.ts"
import { setNewest } from "../platform/BoundedMap.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import { type Background, renewalMillis } from "./KnownRuns.ts"
import type { RegisteredRun } from "./RegisteredRun.ts"
import { RunRows } from "./RunRows.ts"

/** A use, with times in milliseconds. It changes with every request. */
interface NotedUse extends Pick<RunUse, "provider" | "connection"> {
  usedAt: number
  /** The time at which the other daemons were notified. */
  readonly notedAt: number
}

const names = rowsOf(Schema.Struct({ name: RunName }))
const useRows = rowsOf(
  Schema.Struct({ run: RunName, provider: ProviderName, connection: ConnectionName, last_used_at: Timestamp })
)

const toUse = ({ connection, provider, usedAt }: NotedUse): RunUse => ({
  provider,
  connection,
  lastUsedAt: DateTime.makeUnsafe(usedAt)
})

/** The time after which a repeated use of a connection in a run is recorded again. */
const useMillis = 60_000

/** The maximum number of runs whose uses are kept: the end of a run of another daemon is not noticed here. */
const maxRuns = 10_000

/** The latest use of each connection. */
const latest = (uses: ReadonlyArray<RunUse>): ReadonlyArray<RunUse> => {
  const found = new Map<string, RunUse>()
  for (const { connection, lastUsedAt, provider } of uses) {
    const key = `${provider} ${connection}`
    const known = found.get(key)
    if (known !== undefined && known.lastUsedAt.epochMilliseconds >= lastUsedAt.epochMilliseconds) continue
    found.set(key, { provider, connection, lastUsedAt })
  }
  return [...found.values()]
}

/** Creates the functions that count and note uses. */
export const make = Effect.fnUntraced(function*(background: Background) {
  const log = yield* RequestLog
  const rows = yield* RunRows
  const sql = yield* SqlClient.SqlClient
  /** The uses by run and connection. */
  const used = new Map<RunName, Map<string, NotedUse>>()

  /** Tells the other daemons which connection a run has used. */
  const announce = (run: RunName, { connection, provider, usedAt }: NotedUse) => {
    const use = { run, provider, connection, last_used_at: new Date(usedAt).toISOString() }
    return sql`INSERT INTO run_uses ${sql.insert(use)}
      ON CONFLICT (run, provider, connection) DO UPDATE SET last_used_at = excluded.last_used_at`
  }

  /** The uses that daemons have announced. */
  const announced = rows.isShared
    ? Effect.map(
      useRows(sql`SELECT * FROM run_uses`),
      (found) => found.map(({ last_used_at: lastUsedAt, ...use }) => ({ ...use, lastUsedAt }))
    )
    : Effect.succeed([])

  const note = ({ name, profile }: Run, provider: ProviderName, connection: ConnectionName): void => {
    const uses = used.get(name) ?? new Map<string, NotedUse>()
    if (uses.size === 0) background(log.enter(name, profile))
    const key = `${provider} ${connection}`
    const now = Date.now()
    const known = uses.get(key)
    if (known !== undefined) known.usedAt = now
    if (known !== undefined && now - known.notedAt < useMillis) return
    const use = { provider, connection, usedAt: now, notedAt: now }
    setNewest(used, name, uses.set(key, use), maxRuns)
    if (rows.isShared) background(announce(name, use))
  }

  /** Reads the uses of all runs, and returns a function that returns the latest use of each connection of a run. */
  const read = Effect.map(
    Effect.orElseSucceed(announced, () => []),
    (all) => (name: RunName) =>
      latest([...Array.from(used.get(name)?.values() ?? [], toUse), ...all.filter(({ run }) => run === name)])
  )

  /** Records that requests of an ended run may be missing, unless it has reported all of them. */
  const recordEnd = Effect.fnUntraced(function*({ name, profile }: Run) {
    const hasUses = used.delete(name) || (yield* announced).some(({ run }) => run === name)
    if (hasUses || (yield* log.open).some(({ run }) => run === name)) yield* log.recordGap(name, profile)
  })

  const add = (name: RunName, maxUses: number) =>
    names(sql`UPDATE runs SET used = used + 1 WHERE name = ${name} AND used < ${maxUses} RETURNING name`)

  const subtract = (name: RunName) => sql`UPDATE runs SET used = used - 1 WHERE name = ${name}`

  /**
   * Counts a request that gets a credential, for its run and the outer runs. Fails if one of these runs has reached its limit. The
   * result undoes the count, for a request that gets no credential after all.
   */
  const count = Effect.fnUntraced(function*(run: RegisteredRun | undefined) {
    const done: Array<RunName> = []
    const undo = Effect.suspend(() => Effect.ignore(Effect.forEach(done, subtract, { discard: true })))
    // One after the other, so that no two daemons wait for each other's rows.
    for (const { maxUses, name } of run?.content.counted ?? []) {
      const counted = yield* Effect.onError(add(name, maxUses), () => undo)
      if (counted.length === 0) {
        yield* undo
        return yield* OperationNotAllowedError.of(
          `This run has used credentials for ${plural(maxUses, "request")}, which is its limit (--max-uses).`
        )
      }
      done.push(name)
    }
    return undo
  })

  // A run that ended while no daemon ran could not report its last requests.
  yield* Effect.gen(function*() {
    const open = yield* log.open
    yield* Effect.sleep(renewalMillis)
    const names = yield* rows.registered
    for (const { profile, run } of open) {
      if (!names.has(run)) yield* log.recordGap(run, profile)
    }
  }).pipe(Effect.ignore, Effect.forkScoped)

  return { count, note, read, recordEnd }
})
