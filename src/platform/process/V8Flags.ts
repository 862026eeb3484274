/**
 * V8 flags that are set after startup and then hold for the rest of a process
 * (docs/decisions/0039-steps-of-a-request.md, docs/decisions/0043-memory-of-the-daemon.md). V8 rejects code that was
 * cached with other flags, so they are set only after the startup modules are loaded.
 */
import { executionAsyncResource } from "node:async_hooks"
import * as module from "node:module"
import * as v8 from "node:v8"
import { bindWithoutAccessors } from "./AsyncResourceBind.ts"

/** The share of a core above which a process counts as busy. */
const BUSY = 0.05

const setFlags = (flags: ReadonlyArray<string>): void => {
  // Writes the compile cache now, because the next start would reject code that is cached with the new flags.
  module.flushCompileCache()
  for (const flag of flags) v8.setFlagsFromString(flag)
}

/**
 * Calls `then` after each second in which the process has used more than this share of a core, from the second such
 * second in a row. Startup and an idle collection take only one. `periods`: the number of such seconds in a row.
 */
const whileBusy = (share: number, then: (periods: number) => void): void => {
  let before = process.cpuUsage()
  let periods = 0
  setInterval(() => {
    const { system, user } = process.cpuUsage(before)
    before = process.cpuUsage()
    periods = system + user > share * 1e6 ? periods + 1 : 0
    if (periods > 1) then(periods)
  }, 1000).unref()
}

const enableOnceBusy = (...flags: ReadonlyArray<string>) => (periods: number): void => {
  if (periods === 2) setFlags(flags)
}

/** Holds an object that Node has made for `process.nextTick`. */
const ticks: Array<object> = []

/**
 * Keeps `process.nextTick` fast. If a collection of the whole heap finds none of its objects, V8 forgets their shape, and makes all
 * later ones in slow code: a call takes 0.4 us instead of 0.07 us.
 */
const keepShapeOfTicks = (): void => process.nextTick(() => ticks.push(executionAsyncResource()))

/**
 * Enables the optimizing compilers of a daemon once it is busy. `bin.ts` starts daemons and runs without them: they
 * take an eighth to a quarter of a start's processor time, and 4 MiB for their own code. TurboFan takes another 5 MiB
 * and saves little in a daemon that responds to a busy proxy, so it is enabled only above half of a core.
 */
export const prepareCompilers = (): void => {
  keepShapeOfTicks()
  whileBusy(BUSY, enableOnceBusy("--maglev"))
  whileBusy(0.5, enableOnceBusy("--opt"))
}

/**
 * Sets the flags of a process with a proxy, for which these defaults of V8 are wrong:
 *
 * V8 allocates objects in the old generation if most earlier objects of the same code survived collections. Each request of a
 * proxy is a graph of short-lived objects. If one of them is in the old generation, the next collection of the young one keeps
 * the whole graph, although the request is over. This seems to confirm V8's choice, so V8 does not change it.
 *
 * After an idle collection, V8 allows the old generation to grow by only a tenth. Chunks of bodies, which are outside of the
 * heap, count as well, so a download would start a collection of the whole heap for every few megabytes.
 *
 * Under load V8 enlarges the young generation to three times 32 MiB. A small young generation, which stays in the processor's
 * cache, can also hold the garbage of a request. An idle collection shrinks it to 1 MiB, which every 50 requests fill.
 * Little of it survives, so a collection with helper threads takes longer than one without.
 *
 * Chunks of bodies fill memory outside of the heap before their small objects fill the young generation. V8 collects that one first only
 * if its chunks have four times the size that `--scavenger-max-new-space-capacity-mb` sets, 128 MiB by default. At about 30 MiB,
 * it collects the whole heap: ten times per second during a transfer, with a quarter of its processor time. V8 14 has no such flag.
 *
 * To optimize llhttp, one function of 33 KB, V8 takes 23 MiB, or 16 MiB without loop unrolling. glibc keeps a part of this
 * memory.
 */
export const prepareHeap = (): void => {
  // Allows the old generation to grow by one and a half times its size after the last collection: to 45 MiB in a run.
  const flags = [
    "--no-allocation-site-pretenuring",
    "--heap-growing-percent=150",
    "--semi-space-growth-factor=1",
    "--no-parallel-scavenge",
    "--no-wasm-loop-unrolling",
    ...(Number.parseInt(process.versions.v8) < 14 ? ["--scavenger-max-new-space-capacity-mb=4"] : [])
  ]
  setTimeout(() => setFlags(flags), 500).unref()
  bindWithoutAccessors()
  keepShapeOfTicks()
  const enableCompilers = enableOnceBusy("--maglev", "--opt")
  whileBusy(BUSY, (periods) => {
    enableCompilers(periods)
    if (youngMebibytes() < YOUNG_MEBIBYTES) enlargeYoungGeneration()
  })
}

const YOUNG_MEBIBYTES = 8

/** The size of one of the two semi-spaces between which V8 copies surviving objects. */
const youngMebibytes = (): number => {
  const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")
  return young === undefined ? Infinity : Math.ceil((young.space_used_size + young.space_available_size) / 1024 / 1024)
}

/** Makes V8 enlarge the young generation by an integer factor, by filling it with objects that survive collections. */
const enlargeYoungGeneration = (): void => {
  v8.setFlagsFromString(`--semi-space-growth-factor=${Math.ceil(YOUNG_MEBIBYTES / youngMebibytes())}`)
  const survivors: Array<ReadonlyArray<number>> = []
  for (let left = 1000; left > 0 && youngMebibytes() < YOUNG_MEBIBYTES; left--) {
    survivors.push(Array.from({ length: 1000 }, () => left))
  }
  v8.setFlagsFromString("--semi-space-growth-factor=1")
}
