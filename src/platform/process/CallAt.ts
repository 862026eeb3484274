/** Calls a function at a time by the system's clock. */

/** The time between looks at the clock, which jumps when it is set or the machine was suspended. Timers do not run meanwhile. */
const lookMillis = 10_000

/** Calls `done` at this time, in milliseconds since 1970. Does not keep the process alive. The returned function cancels the call. */
export const callAt = (time: number, done: () => void): () => void => {
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    const left = time - Date.now()
    timer = left <= 0 ? undefined : setTimeout(wait, Math.min(left, lookMillis)).unref()
    if (left <= 0) done()
  }
  wait()
  return () => clearTimeout(timer)
}
