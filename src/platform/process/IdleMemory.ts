/**
 * Returns memory to the system while this process is idle. V8 keeps the young generation as large as the start or a burst of
 * requests has made it, and collects the rest only when something is allocated (docs/decisions/0015-forced-collections.md).
 */
import * as Effect from "effect/Effect"
import * as v8 from "node:v8"
import * as vm from "node:vm"

/** Collects all garbage, and returns everything to the system that is unused, including compiled code. Node exposes no such function. */
export const collectGarbage = (): void => {
  try {
    v8.setFlagsFromString("--expose-gc")
    const collect = vm.runInNewContext("gc") as (options: object) => void
    // V8 rejects code that was cached under other flags, such as by the compile cache that Node writes later.
    v8.setFlagsFromString("--no-expose-gc")
    collect({ type: "major", flavor: "last-resort" })
  } catch {
    // This runtime does not have the flag.
  }
}

interface IdleMemoryOptions {
  readonly periodMilliseconds: number
  /** The process is idle in a period in which it needs less processor time. */
  readonly idleMilliseconds: number
  /**
   * How many periods in a row the process must be idle before it collects again. One is enough for what the start has left. Later
   * ones would discard the compiled code of a proxy that only waits for the next request of its client.
   */
  readonly idlePeriods: number
  /** A collection stops the process for a tenth of a second, so it waits until memory has grown by this since the last one. */
  readonly grownBytes: number
}

/** Collects garbage when the process is idle and its memory has grown, until the scope closes. */
export const returnMemoryIf = (
  { grownBytes, idleMilliseconds, idlePeriods, periodMilliseconds }: IdleMemoryOptions,
  collect = collectGarbage
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let kept = 0
      let needed = 1
      let idle = 0
      let before = process.cpuUsage()
      const check = (): void => {
        const { system, user } = process.cpuUsage(before)
        idle = (system + user) / 1000 < idleMilliseconds ? idle + 1 : 0
        if (idle >= needed && process.memoryUsage.rss() >= kept + grownBytes) {
          collect()
          kept = process.memoryUsage.rss()
          needed = idlePeriods
          idle = 0
        }
        before = process.cpuUsage()
      }
      return setInterval(check, periodMilliseconds).unref()
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

export const returnMemoryWhenIdle = Effect.asVoid(
  returnMemoryIf({ periodMilliseconds: 2000, idleMilliseconds: 40, idlePeriods: 60, grownBytes: 12 * 1024 * 1024 })
)
