import { it } from "vitest"
import * as fc from "./FastCheck.ts"

/** Defines tests of properties: a title, arbitraries and a predicate over their values. */
export const propertyTest = (numRuns: number) =>
<Values extends [unknown, ...Array<unknown>]>(
  title: string,
  ...property: [
    ...arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
    predicate: (...values: Values) => boolean | void
  ]
): void =>
  // So many runs, which only a developer requests, take minutes.
  it(title, numRuns > 10_000 ? { timeout: 3_600_000 } : {}, () =>
    fc.assert(fc.property<Values>(...property), { numRuns }))
