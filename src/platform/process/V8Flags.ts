/**
 * Flags of V8 that hold for the rest of a process once its start is over (docs/decisions/0039-steps-of-a-request.md,
 * docs/decisions/0043-memory-of-the-daemon.md). V8 rejects code that was cached under other flags, so they are set after the modules
 * that a start loads.
 */
import * as module from "node:module"
import * as v8 from "node:v8"

/** The share of a core that a busy process needs. */
const BUSY = 0.05

const setFlags = (flags: ReadonlyArray<string>): void => {
  // What is written later would be rejected by the next start.
  module.flushCompileCache()
  for (const flag of flags) v8.setFlagsFromString(flag)
}

/**
 * Calls `then` after each second in which the process has needed more than this share of a core, as in the one before: its start and a
 * collection while it is idle are over after one. `periods` counts these seconds.
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

/**
 * Enables the optimizing compilers of a daemon once it is busy. `bin.ts` starts a daemon and a run without them: they take an eighth to
 * a quarter of the processor time of a start, and 4 MiB for their own code. TurboFan takes another 5 MiB and saves little in a daemon
 * that responds to a busy proxy, so it is enabled only above half of a core.
 */
export const prepareCompilers = (): void => {
  whileBusy(BUSY, enableOnceBusy("--maglev"))
  whileBusy(0.5, enableOnceBusy("--opt"))
}

/**
 * Sets the flags of a process with a proxy, for which three of V8's choices are wrong.
 *
 * V8 allocates objects in the old generation where most of the earlier ones survived collections. Each request of a proxy is a graph of
 * short-lived objects. If one of them is in the old generation, the next collection of the young one keeps the whole graph, although
 * the request is over. That confirms V8's choice, so it lasts.
 *
 * After a collection while the process was idle, V8 lets the old generation grow by a tenth only. Chunks of bodies, which are outside
 * the heap, count as well, so a download then began a collection of the whole heap for every few megabytes.
 *
 * Under load V8 enlarges the young generation to three times 32 MiB. What a request leaves is garbage in a small one as well, which
 * stays in the processor's cache. A collection while the process is idle leaves it 1 MiB, which every 50 requests fill.
 *
 * To optimize llhttp, one function of 33 KB, V8 takes 23 MiB, and 16 MiB without unrolling its loops. glibc keeps a part of them.
 */
export const prepareHeap = (): void => {
  // The old generation may grow by one and a half of what the last collection has left, to 45 MiB in a run.
  const flags = [
    "--no-allocation-site-pretenuring",
    "--heap-growing-percent=150",
    "--semi-space-growth-factor=1",
    "--no-wasm-loop-unrolling"
  ]
  setTimeout(() => setFlags(flags), 500).unref()
  const enableCompilers = enableOnceBusy("--maglev", "--opt")
  whileBusy(BUSY, (periods) => {
    enableCompilers(periods)
    if (youngMebibytes() < YOUNG_MEBIBYTES) enlargeYoungGeneration()
  })
}

const YOUNG_MEBIBYTES = 8

/** The size of one of the two halves between which V8 copies the objects that survive a collection. */
const youngMebibytes = (): number => {
  const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")
  return young === undefined ? Infinity : Math.ceil((young.space_used_size + young.space_available_size) / 1024 / 1024)
}

/** V8 enlarges the young generation, by an integer factor, when as much as its size has survived collections. */
const enlargeYoungGeneration = (): void => {
  v8.setFlagsFromString(`--semi-space-growth-factor=${Math.ceil(YOUNG_MEBIBYTES / youngMebibytes())}`)
  const survivors: Array<ReadonlyArray<number>> = []
  for (let left = 1000; left > 0 && youngMebibytes() < YOUNG_MEBIBYTES; left--) {
    survivors.push(Array.from({ length: 1000 }, () => left))
  }
  v8.setFlagsFromString("--semi-space-growth-factor=1")
}
