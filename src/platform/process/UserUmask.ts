/** The umask that the user had when the program started. The program itself runs with a stricter umask, set in bin.ts. */

const atStart = (globalThis as Record<symbol, unknown>)[Symbol.for("credsvc/umask")]

/** Calls `start`, which must be synchronous, with the user's umask in force. */
export const withUserUmask = <A>(start: () => A): A => {
  if (typeof atStart !== "number") return start()
  const own = process.umask(atStart)
  try {
    return start()
  } finally {
    process.umask(own)
  }
}
