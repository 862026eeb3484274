/** The connections that runs have used, at this daemon and, as far as they have told, at the others of the store. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { RequestLog } from "../audit/RequestLog.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { ProviderName } from "../domain/wire/ProviderName.ts"
import type { Run, RunName, RunUse } from "../domain/wire/Run.ts"
import { setNewest } from "../platform/BoundedMap.ts"
import type { Background } from "./KnownRuns.ts"
import { RunRows } from "./RunRows.ts"

interface NotedUse extends RunUse {
  /** When the other daemons were told. */
  readonly notedAt: number
}

/** A run notes again that it has used a connection after this time. */
const useMillis = 60_000

/** The uses of so many runs are kept: the end of a run of another daemon is not noticed here. */
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
    /** By run and connection. */
    const used = new Map<RunName, Map<string, NotedUse>>()

    const note = ({ name, profile }: Run, provider: ProviderName, connection: ConnectionName): void => {
      const uses = used.get(name) ?? new Map<string, NotedUse>()
      if (uses.size === 0) background(log.enter(name, profile))
      const key = `${provider} ${connection}`
      const now = Date.now()
      const before = uses.get(key)?.notedAt ?? -Infinity
      const isNoted = now - before < useMillis
      const use = { provider, connection, lastUsedAt: DateTime.makeUnsafe(now), notedAt: isNoted ? before : now }
      setNewest(used, name, uses.set(key, use), maxRuns)
      if (!isNoted) background(rows.noteUse(name, use))
    }

    /** Reads the uses of all runs. Returns those of a run, the latest one of each connection. */
    const read = Effect.map(
      Effect.orElseSucceed(rows.uses, () => []),
      (noted) => (name: RunName) =>
        latest([...used.get(name)?.values() ?? [], ...noted.filter(({ run }) => run === name)])
    )

    /** Records that requests of an ended run may be missing, unless it has reported all of them. */
    const recordEnd = Effect.fnUntraced(function*({ name, profile }: Run) {
      const hasUses = used.delete(name) || (yield* rows.uses).some(({ run }) => run === name)
      if (hasUses || (yield* log.open).some(({ run }) => run === name)) yield* log.recordGap(name, profile)
    })

    return { note, read, recordEnd }
  })
