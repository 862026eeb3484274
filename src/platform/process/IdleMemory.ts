/**
 * Returns memory to the system while this process is idle. V8 keeps the young generation as large as startup or a burst
 * of requests has made it, and collects other garbage only at allocations (docs/decisions/0043-memory-of-the-daemon.md).
 */
import * as Effect from "effect/Effect"
import * as v8 from "node:v8"
import * as vm from "node:vm"

/** Collects all garbage and returns all unused memory to the system, including that of compiled code. Node has no such function. */
export const collectGarbage = (): void => {
  try {
    v8.setFlagsFromString("--expose-gc")
    const collect = vm.runInNewContext("gc") as (options: object) => void
    // V8 rejects code that was cached with other flags, such as the code in the compile cache that Node writes later.
    v8.setFlagsFromString("--no-expose-gc")
    collect({ type: "major", flavor: "last-resort" })
  } catch {
    // This JavaScript runtime does not have the flag.
  }
}

interface IdleMemoryOptions {
  readonly periodMilliseconds: number
  /** A period counts as idle if the process needs less processor time than this. */
  readonly idleMilliseconds: number
  /**
   * How many consecutive periods must be idle before another collection. The first collection, for the garbage of startup,
   * needs only one period. Later collections would discard the proxy's compiled code just before a client's request.
   */
  readonly idlePeriods: number
  /** By how much memory must have grown since the last collection, because a collection stops the process for 0.1 s. */
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
