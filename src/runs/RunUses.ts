/** Counts requests with a credential, and notes the connections that runs have used, here and at other daemons. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { RequestLog } from "../audit/RequestLog.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { plural } from "../domain/text/Plural.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { ProviderName } from "../domain/wire/ProviderName.ts"
import type { Run, RunName, RunUse } from "../domain/wire/Run.ts"
import { setNewest } from "../platform/BoundedMap.ts"
import type { RegisteredRun } from "./RegisteredRun.ts"
import type { Background } from "./RegisteredRuns.ts"
import { RunRows } from "./RunRows.ts"

/** A use, with times in milliseconds. It changes with every request. */
interface NotedUse extends Pick<RunUse, "provider" | "connection"> {
  usedAt: number
  /** The time at which the other daemons were notified. */
  readonly notedAt: number
}

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

export const make = (background: Background) =>
  Effect.gen(function*() {
    const log = yield* RequestLog
    const rows = yield* RunRows
    /** The uses by run and connection. */
    const used = new Map<RunName, Map<string, NotedUse>>()

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
      background(rows.noteUse(name, toUse(use)))
    }

    /** Reads the uses of all runs, and returns a function that returns the latest use of each connection of a run. */
    const read = Effect.map(
      Effect.orElseSucceed(rows.uses, () => []),
      (noted) => (name: RunName) =>
        latest([...Array.from(used.get(name)?.values() ?? [], toUse), ...noted.filter(({ run }) => run === name)])
    )

    /** Records that requests of an ended run may be missing, unless it has reported all of them. */
    const recordEnd = Effect.fnUntraced(function*({ name, profile }: Run) {
      const hasUses = used.delete(name) || (yield* rows.uses).some(({ run }) => run === name)
      if (hasUses || (yield* log.open).some(({ run }) => run === name)) yield* log.recordGap(name, profile)
    })

    /**
     * Counts a request that gets a credential, for its run and the outer runs. Fails if one of these runs has reached its limit. The
     * result undoes the count, for a request that gets no credential after all.
     */
    const count = Effect.fnUntraced(function*(run: RegisteredRun | undefined) {
      const done: Array<RunName> = []
      const undo = Effect.suspend(() => Effect.ignore(Effect.forEach(done, rows.uncount, { discard: true })))
      // One after the other, so that no two daemons wait for each other's rows.
      for (const { maxUses, name } of run?.content.counted ?? []) {
        if (!(yield* Effect.onError(rows.count(name, maxUses), () => undo))) {
          yield* undo
          return yield* OperationNotAllowedError.of(
            `This run has used credentials for ${plural(maxUses, "request")}, which is its limit (--max-uses).`
          )
        }
        done.push(name)
      }
      return undo
    })

    return { count, note, read, recordEnd }
  })
