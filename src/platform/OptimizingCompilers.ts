/**
 * V8's optimizing compilers, which `bin.ts` disables for a daemon: until it is busy, they only take memory and processor time
 * (docs/decisions/0043-memory-of-the-daemon.md).
 */
import * as module from "node:module"
import * as v8 from "node:v8"

interface BusyOptions {
  readonly periodMilliseconds: number
  /** The process is busy in a period in which it needs at least this much processor time. */
  readonly busyMilliseconds: number
  /** The number of busy periods that make a load. A few commands in succession are shorter. */
  readonly periods: number
  /** Busy periods count until so many others have followed in succession: agents pause between their requests. */
  readonly idlePeriods: number
}

const load: BusyOptions = { periodMilliseconds: 1000, busyMilliseconds: 100, periods: 4, idlePeriods: 60 }

const enableCompilers = (): void => {
  // V8 rejects code that was cached under other flags than those of the start.
  module.flushCompileCache()
  for (const compiler of ["opt", "maglev"]) v8.setFlagsFromString(`--${compiler}`)
}

/** Enables the compilers once the process is busy. Returns a function that stops waiting for that. */
export const compileWhenBusy = (
  { busyMilliseconds, idlePeriods, periodMilliseconds, periods }: BusyOptions = load,
  enable = enableCompilers
): () => void => {
  let busy = 0
  let idle = 0
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { system, user } = process.cpuUsage(before)
    before = process.cpuUsage()
    if ((system + user) / 1000 < busyMilliseconds) {
      if (++idle === idlePeriods) busy = 0
      return
    }
    idle = 0
    if (++busy < periods) return
    clearInterval(timer)
    enable()
  }, periodMilliseconds).unref()
  return () => clearInterval(timer)
}
