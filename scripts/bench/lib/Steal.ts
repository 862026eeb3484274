/**
 * What the host of a virtual machine takes away from it. While it does, work that passes from core to core stands still and work
 * on one core does not, so a ratio of the two says more about the host than about either.
 */
import * as fs from "node:fs"

/** Of the time of any core. */
const MAX_STOLEN = 0.04
/** Spent on measuring again, in one process. */
const PATIENCE_MILLISECONDS = 1_200_000

let left = PATIENCE_MILLISECONDS
let again = 0
let disturbed = 0

/** Ticks by core: all, and stolen ones. Empty where nobody counts them. */
const ticks = (): ReadonlyArray<readonly [number, number]> => {
  if (process.platform !== "linux") return []
  const cores = fs.readFileSync("/proc/stat", "utf8").split("\n").filter((line) => /^cpu\d/.test(line))
  return cores.map((line) => {
    const spent = line.split(/\s+/).slice(1, 9).map(Number)
    return [spent.reduce((sum, each) => sum + each, 0), spent[7] ?? 0]
  })
}

/** Measures again until the host leaves the cores alone, or patience is at its end. */
export const undisturbed = async <A>(measure: () => Promise<A>): Promise<A> => {
  while (true) {
    const started = performance.now()
    const before = ticks()
    const result = await measure()
    const calm = ticks().every(([all, stolen], core) => {
      const [allBefore, stolenBefore] = before[core] ?? [0, 0]
      return stolen - stolenBefore <= MAX_STOLEN * (all - allBefore)
    })
    if (calm) return result
    left -= performance.now() - started
    if (left < 0) {
      disturbed++
      return result
    }
    again++
  }
}

/** For the report. */
export const disturbances = (): string =>
  `Throughput and latency of the proxy were measured again while the host took more than ${
    MAX_STOLEN * 100
  } % of a core: ` +
  `${again} times.${disturbed === 0 ? "" : ` ${disturbed} results are such all the same.`}`
