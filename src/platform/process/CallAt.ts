/** Calls a function at a time that may be further away than the longest delay of a timer. */

/** The longest delay of a Node timer. */
const maxTimerMillis = 2 ** 31 - 1

/** Calls `done` at this time, in milliseconds since 1970. Does not keep the process alive. The returned function cancels the call. */
export const callAt = (time: number, done: () => void): () => void => {
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    const left = time - Date.now()
    timer = left <= 0 ? undefined : setTimeout(wait, Math.min(left, maxTimerMillis)).unref()
    if (left <= 0) done()
  }
  wait()
  return () => clearTimeout(timer)
}
