/**
 * What a fuzz target is, and what targets share.
 *
 * A target takes any bytes and throws when what must hold for all bytes does not. `Targets.test.ts` tries each on its seeds and on
 * changes of them; `npm run fuzz` tries it, guided by what code it reaches, for as long as one likes.
 */
import { isDeepStrictEqual } from "node:util"

export interface Target {
  /** Bytes to begin with, in latin1: usual ones, odd ones, and those that once broke it. */
  readonly seeds: ReadonlyArray<string>
  readonly fuzz: (data: Buffer) => void | Promise<void>
}

export class Violation extends Error {}

export const hold = (holds: boolean, what: () => string): void => {
  if (!holds) throw new Violation(what())
}

export const same = (ours: unknown, theirs: unknown): void =>
  hold(isDeepStrictEqual(ours, theirs), () => `ours: ${JSON.stringify(ours)}\ntheirs: ${JSON.stringify(theirs)}`)

/** The text in pieces: the last two bytes say where it is cut. */
export const pieces = (data: Buffer): ReadonlyArray<string> => {
  const length = Math.max(0, data.length - 2)
  const text = data.toString("latin1", 0, length)
  const cuts = [...data.subarray(length)].map((byte) => byte % (length + 1)).toSorted((a, b) => a - b)
  return [0, ...cuts].map((from, at) => text.slice(from, cuts[at])).filter((piece) => piece !== "")
}

/** A seed for a target that takes pieces. */
export const whole = (text: string): string => `${text}\0\0`

/** Names and values, a pair for each line with a colon that is not its first character. */
export const fieldsOf = (lines: ReadonlyArray<string>): Array<string> =>
  lines.flatMap((line) => {
    const colon = line.indexOf(":", 1)
    return colon === -1 ? [] : [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
