/**
 * The interface and helpers of fuzz targets.
 *
 * A target accepts any bytes and throws if an invariant is violated. `Targets.test.ts` runs each on its seeds and on mutations
 * of them.
 */
import { isDeepStrictEqual } from "node:util"

export interface Target {
  /** Initial inputs in latin1: common ones, unusual ones and past failures. */
  readonly seeds: ReadonlyArray<string>
  readonly fuzz: (data: Buffer) => void | Promise<void>
}

export class Violation extends Error {}

export const hold = (holds: boolean, what: () => string): void => {
  if (!holds) throw new Violation(what())
}

export const same = (ours: unknown, theirs: unknown): void =>
  hold(isDeepStrictEqual(ours, theirs), () => `ours: ${JSON.stringify(ours)}\ntheirs: ${JSON.stringify(theirs)}`)

/** Splits the text at the positions given by its last two bytes. */
export const pieces = (data: Buffer): ReadonlyArray<string> => {
  const length = Math.max(0, data.length - 2)
  const text = data.toString("latin1", 0, length)
  const cuts = [...data.subarray(length)].map((byte) => byte % (length + 1)).toSorted((a, b) => a - b)
  return [0, ...cuts].map((from, at) => text.slice(from, cuts[at])).filter((piece) => piece !== "")
}

/** A seed for a target that takes pieces. */
export const whole = (text: string): string => `${text}\0\0`

/** Flat pairs of names and values, one pair for each line with a colon after its first character. */
export const fieldsOf = (lines: ReadonlyArray<string>): Array<string> =>
  lines.flatMap((line) => {
    const colon = line.indexOf(":", 1)
    return colon === -1 ? [] : [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
