/**
 * The values of several candidates in interleaved rounds. A candidate that fails has no value in that round, and the
 * comparisons with the others are not affected.
 */
import { type Comparison, median, ratiosOf } from "./Section.ts"

/**
 * Takes a value of each candidate in every round. Rounds before the measured ones, in which code is compiled and caches
 * are filled, have no values.
 */
export const interleaved = async <Name extends string>(
  names: ReadonlyArray<Name>,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
  measure: (name: Name) => number | Promise<number>
): Promise<Rounds<Name>> => {
  const measured = new Rounds<Name>()
  const ignored = new Rounds<Name>()
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of names) await (round < 0 ? ignored : measured).take(name, async () => measure(name))
  }
  return measured
}

export class Rounds<Name extends string> {
  readonly #values = new Map<Name, Array<number>>()
  readonly #problems = new Map<Name, string>()

  /** Measures a candidate in the current round. Must be called once per round. */
  take(name: Name, measure: () => Promise<number>): Promise<void> {
    return this.takeAll([name], async () => [await measure()])
  }

  /** Measures several values at once, in the order of their names. */
  async takeAll(
    names: ReadonlyArray<Name>,
    measure: () => Promise<ReadonlyArray<number | undefined>>
  ): Promise<void> {
    const taken = await measure().catch((error: Error) => {
      for (const name of names) this.#problems.set(name, error.message)
      return undefined
    })
    for (const [at, name] of names.entries()) {
      const values = this.#values.get(name) ?? []
      this.#values.set(name, values)
      values.push(taken?.[at] ?? Number.NaN)
    }
  }

  /** The median of the rounds with a value; NaN without any. */
  median(name: Name): number {
    return median((this.#values.get(name) ?? []).filter((value) => !Number.isNaN(value)))
  }

  /** The median of the differences in the rounds that have both. */
  difference(ours: Name, theirs: Name): number {
    const others = this.#values.get(theirs) ?? []
    const differences = (this.#values.get(ours) ?? []).map((value, round) => value - (others[round] ?? Number.NaN))
    return median(differences.filter((value) => !Number.isNaN(value)))
  }

  ratios(ours: Name, theirs: Name): ReadonlyArray<number> {
    return ratiosOf(this.#values.get(ours) ?? [], this.#values.get(theirs) ?? [])
  }

  /** Why a candidate failed in some round, in a few words; undefined if it did not. */
  problem(name: Name): string | undefined {
    const values = this.#values.get(name) ?? []
    const failed = values.filter((value) => Number.isNaN(value)).length
    const problem = this.#problems.get(name)?.split("\n")[0]
    return problem === undefined || failed === values.length
      ? problem
      : `${name} failed in ${failed} of ${values.length} rounds: ${problem}`
  }

  /** The ratios of two candidates, with their medians. */
  comparison(ours: Name, theirs: Name, unit: string, digits = 0): Comparison {
    return { ratios: this.ratios(ours, theirs), detail: this.detail(ours, theirs, unit, digits) }
  }

  /** The text beside a ratio of two candidates: their medians, and what went wrong. */
  detail(ours: Name, theirs: Name, unit: string, digits = 0): string {
    const problem = this.problem(theirs) ?? this.problem(ours)
    if (this.ratios(ours, theirs).length === 0) return problem ?? "no result"
    const compared = `${this.median(ours).toFixed(digits)} to ${this.median(theirs).toFixed(digits)} ${unit}`
    return problem === undefined ? compared : `${compared}; ${problem}`
  }
}
