/** Parts of a body that wait for a reader. */

/** The length from which parts are held as they are. */
export const LONG_PART = 4096

/**
 * Adds a part to the held ones. Joins short parts: each would cost a hundred bytes, and may keep the much longer buffer that it is
 * a part of.
 */
export const hold = (held: Array<Buffer>, part: Buffer): void => {
  let joined = part.length < LONG_PART ? Buffer.from(part) : part
  while (joined.length < LONG_PART && held.length > 0 && held.at(-1)!.length <= joined.length) {
    joined = Buffer.concat([held.pop()!, joined])
  }
  held.push(joined)
}
